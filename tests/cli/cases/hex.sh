# Any byte may be searched for, a line end too.
printf 'ab\ncd\n\0\377z\n' > a
trawl -a -c --hex '62 0a 63' a
trawl -ao --hex '620a63' a
trawl --positions --hex '00 FF' a
trawl --positions --hex '0A' a
