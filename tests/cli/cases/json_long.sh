# Lines too long to be kept: a match at the end of one, and one at the begin of the next. (The bytes around a match are
# kept for the next match, and the line that is printed in between takes the same memory.)
{ yes xxxx | tr -d '\n' | head -c 3000000; printf 'foo1\nfoo2'; yes yyyy | tr -d '\n' | head -c 3000000; echo; } > t
trawl --json -e foo1 -e foo2 t | grep -o '"submatches".*'
