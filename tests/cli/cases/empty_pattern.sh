printf 'foo\n\n+\na+\nab\n' > f
: > empty
trawl -c '' f empty
trawl -nx '' f
trawl -nw '' f
trawl -c -v '' f; echo "status $?"
