trawl --hex '6x' a
