# --pattern-number prints the numbers of the strings that were found. Strings are numbered in the order given, equal
# strings separately. tests/grep/numbers.py draws other options.
printf 'foo bar\nab\nfoofoo ab a\n' > t
printf 'foo\nab\na\nfoo\nzz\n' > p
trawl -f p --pattern-number --color=always t
trawl -f p --pattern-number -o --column --overlapping t
trawl -f p --pattern-number -o -n --replace '<$0>' t
trawl -f p --pattern-number --column -n t
# Expressions are numbered, too.
printf 'the King said hello\nking of the hill\nprince x12 abc\n' > a
printf 'k.ng\nprin(ce)?\nking of\n' > list
trawl -E --count-by-pattern -f list a
trawl -E --pattern-number -f list a
trawl -E --count-matches 'i.' a
trawl -E --positions 'i.' a
