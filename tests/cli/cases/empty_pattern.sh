# as grep
printf 'foo\n\n+\na+\nab\n' > f
: > empty
trawl -c '' f empty
trawl -nx '' f
trawl -nw '' f
trawl -c -v '' f; echo "status $?"
# A string with a NUL is in no line, but counts as a string, so grep reads the file and counts lines.
printf '\0\n\n' > p
trawl -vc -f p < /dev/null; echo "status $?"
printf 'x\n' | trawl -vc -f p; echo "status $?"
trawl -vc '' < /dev/null; echo "status $?"
