trawl --no foo
