trawl -K foo
