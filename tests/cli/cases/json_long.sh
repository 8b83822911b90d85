# Lines too long to be kept: a match at the end of one, and one at the begin of the next. (The bytes around a match are
# kept for the next match, and the line that is printed in between takes the same memory.)
{ yes xxxx | tr -d '\n' | head -c 3000000; printf 'foo1\nfoo2'; yes yyyy | tr -d '\n' | head -c 3000000; echo; } > t
trawl --json -e foo1 -e foo2 t | grep -o '"submatches".*'
# After the last line that -m allows, nothing counts as searched. (The comparison with ripgrep leaves the number out.)
printf 'a foo1\nfoo1 b\nmore\n' > few
trawl --json -m1 foo1 few | grep -o '"bytes_searched":[0-9]*' | sort -u
# A long line that is no UTF-8 is printed in parts of base64, which together are the line's base64.
{ printf 'foo '; yes $'\xff' | tr -d '\n' | head -c 20000; echo; } > b
trawl --json foo b | sed -n 's/.*"lines":{"bytes":"\([^"]*\)".*/\1/p' > c
base64 -w 0 b | cmp - <(tr -d '\n' < c) && echo the same
# A NUL makes its whole block binary (96 KiB, as grep reads). So the lines of the block before the NUL are neither printed
# nor counted, however small the chunks are in which the block is searched; with -I, nothing at all is printed about the file.
printf 'foo\nfoo\nbar\0\nfoo\n' > n
for chunk in 4 1000; do
    trawl --json --chunk-bytes=$chunk -v -I none n | grep -c begin
    trawl --json --chunk-bytes=$chunk -v none n | grep -o '"matched_lines":[0-9]*' | sort -u
done
