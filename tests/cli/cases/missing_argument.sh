trawl foo -A
