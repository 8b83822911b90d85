trawl
