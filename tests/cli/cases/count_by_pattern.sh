# How often each string occurs, and which occur nowhere.
printf 'foo bar\nab\nxx\nfoofoo ab a\n' > t
printf 'foo\nab\n\na\nfoo\nzy\naa\n' > p
trawl --count-by-pattern -f p -H -Z t | tr '\0' '!'
trawl --count-by-pattern -f /dev/null t; echo "status $?"
trawl --count-by-pattern -e foo < t
trawl --count-by-pattern -m1 foo t; echo "status $?"
# Where the command looks at the neighbours itself, the strings come in the order of the text.
echo 'é a b' > u; trawl --chunk-bytes=5 -wH --count-by-pattern -e b -e a u
# A string that no line can hold.
printf 'a\0b\nfoo\n' > z; for names in -h -H; do trawl -z $names --count-by-pattern -f z t | tr '\0' '!'; done
