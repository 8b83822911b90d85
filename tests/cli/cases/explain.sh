# Sentences; words of the library's come with --debug alone.
trawl --engine=auto --explain foo f
seq 1000 1003 > list
trawl --explain --engine=cpu -f list
trawl --engine=auto --explain -e a -e bcd; trawl --engine=auto --explain -i x; trawl --engine=auto --explain -f /dev/null
trawl --engine=auto --explain GATTACAGATTACAGATTACAGATTACAGATTACA
trawl --engine=auto --explain --method=grams 'a long string'; trawl --engine=auto --explain --method=sampled 'a long string of bytes'
trawl --engine=auto --explain --algorithm=memmem foo
trawl --engine=auto --explain foo | grep -E '^(q|stride|method):'
trawl --engine=auto --explain --debug foo | grep -E '^(method|stride):'
