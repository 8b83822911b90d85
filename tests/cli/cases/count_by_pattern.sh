# --count-by-pattern says how often each string occurs. tests/grep/numbers.py does not draw these forms of it.
printf 'foo bar\nab\nxx\nfoofoo ab a\n' > t
trawl --count-by-pattern -f /dev/null t; echo "status $?"
trawl --count-by-pattern -HZ -e foo -e zy < t | tr '\0' '!'
# The output has the order of -e. With -w in UTF-8 the command itself checks the characters around a match, and so
# counts a before b; the output still has b first.
echo 'é a b' > u; trawl --chunk-bytes=5 -wH --count-by-pattern -e b -e a u
# A string that no line can hold.
printf 'a\0b\nfoo\n' > z; for names in -h -H; do trawl -z $names --count-by-pattern -f z t | tr '\0' '!'; done
