# Searches with errors in forms that tests/grep/approximate.py does not draw: -C, --vimgrep, NULs, alphabets.
printf 'a needle\nneedel\nhay\nthe nedle, the beetle\nNEEDLE\n' > a
trawl -n --edits=2 --distance -C1 needle a
trawl --edits=2 --vimgrep needle a
trawl --edits=1 --pattern-number --distance -o -e beetle -e needle a
echo "exact: $(trawl --mismatches=2 --exact=1 --exact=6-6 -o needle a | tr '\n' ' ')"
# Lines of a binary file end at NUL, also for -x. A string may hold the line end.
printf 'abcd\0xbcd\nabc\n' > binary
echo "$(trawl -c --mismatches=1 abcd binary) $(trawl -x -c --mismatches=1 abcd binary)" \
    "$(trawl -x -a -c --mismatches=1 abcd binary) $(trawl -x -c --edits=1 abcd binary)"
# Errors are counted in characters in a UTF-8 locale, in bytes elsewhere, or as --alphabet says.
printf 'caf\303\251\ncafe\n' > utf8
trawl --edits=1 --distance 'café' utf8
trawl --edits=1 --alphabet=bytes 'café' utf8
LC_ALL=C trawl --edits=1 'café' utf8
LC_ALL=C trawl --edits=1 --alphabet=utf8 -c 'café' utf8
