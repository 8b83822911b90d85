# How often each string occurs, and which occur nowhere.
printf 'foo bar\nab\nxx\nfoofoo ab a\n' > t
printf 'foo\nab\n\na\nfoo\nzy\naa\n' > p
trawl --count-by-pattern -f p -H -Z t | tr '\0' '!'
trawl --count-by-pattern -f /dev/null t; echo "status $?"
trawl --count-by-pattern -e foo < t
trawl --count-by-pattern -m1 foo t; echo "status $?"
