trawl --explain foo f
