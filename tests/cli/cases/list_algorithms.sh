trawl --list-algorithms
