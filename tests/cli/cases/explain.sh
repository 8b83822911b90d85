# The library's lines; their figures are the library's and the tests of the library's.
trawl --engine=auto --explain foo f | grep -E '^(patterns|longest occurrence|method):'
seq 1000 1003 > list
trawl --explain --engine=cpu -f list | grep -E '^(patterns|longest occurrence):'
trawl --explain -f /dev/null | grep -E '^patterns:'
trawl --explain --mismatches=1 foo | grep -E '^mismatches:'
