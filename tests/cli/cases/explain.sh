# The library makes these lines, and the library's tests check their figures.
trawl --engine=auto --explain foo f | grep -E '^(patterns|longest occurrence|method):'
seq 1000 1003 > list
trawl --explain --engine=cpu -f list | grep -E '^(patterns|longest occurrence):'
trawl --explain -f /dev/null | grep -E '^patterns:'
trawl --explain --mismatches=1 foo | grep -E '^mismatches:'
