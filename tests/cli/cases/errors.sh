# Lines with errors: within mismatches or edits of the string. Numbers by hand.
printf 'a needle\nneedel\nhay\nthe nedle, the beetle\nNEEDLE\n' > a
for errors in --mismatches=1 --mismatches=2 --edits=1 --edits=2 --edits=0; do
    echo "$errors $(trawl -c $errors needle a)"
done
trawl -n --edits=2 --distance -C1 needle a
trawl --edits=2 --distance -o -b needle a
trawl --edits=2 --vimgrep needle a
trawl --edits=1 --pattern-number --distance -o -e beetle -e needle a
trawl --edits=1 --positions --distance needle a
trawl -i --edits=1 -w --distance needle a
trawl -x --edits=3 needle a
trawl -v --edits=2 needle a
trawl --edits=2 -m1 -o needle a
trawl --json --edits=1 needle a | sed -n 's/"stats".*//; 3p'
echo "exact: $(trawl --mismatches=2 --exact=1-3 -o needle a | tr '\n' ' ')" \
    "$(trawl --mismatches=2 --exact=1 --exact=6-6 -o needle a | tr '\n' ' ')"
trawl --edits=1 --every-end --overlapping -o needle a | tr '\n' ' '; echo
# Lines of a binary file end at NUL, also for -x. A string may hold the line end.
printf 'abcd\0xbcd\nabc\n' > binary
echo "$(trawl -c --mismatches=1 abcd binary) $(trawl -x -c --mismatches=1 abcd binary)" \
    "$(trawl -x -a -c --mismatches=1 abcd binary) $(trawl -x -c --edits=1 abcd binary)"
trawl --hex --mismatches=1 -o '64 65 6c 0a 68 61' a
# Characters in a UTF-8 locale, bytes elsewhere, or as --alphabet says.
printf 'caf\303\251\ncafe\n' > utf8
trawl --edits=1 --distance 'café' utf8
trawl --edits=1 --alphabet=bytes 'café' utf8
LC_ALL=C trawl --edits=1 'café' utf8
LC_ALL=C trawl --edits=1 --alphabet=utf8 -c 'café' utf8
