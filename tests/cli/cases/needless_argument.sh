trawl --count=3 foo
