trawl --hex '616' a
