trawl --nonesuch foo
