# How often each string occurs, in forms that tests/grep/numbers.py does not draw.
printf 'foo bar\nab\nxx\nfoofoo ab a\n' > t
trawl --count-by-pattern -f /dev/null t; echo "status $?"
trawl --count-by-pattern -HZ -e foo -e zy < t | tr '\0' '!'
# Where the command looks at the neighbours itself, the strings come in the order of the text.
echo 'é a b' > u; trawl --chunk-bytes=5 -wH --count-by-pattern -e b -e a u
# A string that no line can hold.
printf 'a\0b\nfoo\n' > z; for names in -h -H; do trawl -z $names --count-by-pattern -f z t | tr '\0' '!'; done
