# Options that grep lacks.
printf 'aaaa\nabcd\n' > a
printf 'x\n' > b
trawl --count-matches aa a
trawl --count-matches --overlapping aa a b
trawl --positions aa a
trawl --positions -m 2 a a
echo "status $?"
trawl --positions -e '' -e ab a
# Matches are searched for in bytes, so a NUL ends no line, also with mismatches.
printf 'ab\0cd\nac\n' > c
trawl -x --mismatches=1 --positions ab c
trawl -x --mismatches=1 --count-matches ab c
trawl -x --mismatches=1 --count-by-pattern ab c
