# The library's lines about a published algorithm.
trawl --engine=auto --explain --algorithm=memmem foo | grep -E '^(algorithm|source):'
