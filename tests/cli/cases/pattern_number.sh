# The numbers of the strings that were found, in the order given, duplicates too.
printf 'foo bar\nab\nxx\nfoofoo ab a\n' > t
printf 'foo\nab\na\nfoo\nzz\n' > p
trawl -f p --pattern-number -H -n -b t
trawl -f p --pattern-number -o --overlapping -b -C9 t
trawl -f p --pattern-number --color=always t
trawl -f p --pattern-number -o --column t
trawl -f p --pattern-number -o --column --overlapping t
trawl -f p --pattern-number -o -n --replace '<$0>' t
trawl -e foo -e foofoo -e 'foofoo ab a' -x --pattern-number -o --column t
trawl -f p --pattern-number --column -n t
trawl -f p --pattern-number -v t; echo "status $?"
