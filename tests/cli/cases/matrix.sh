# One row per record, one column per string as it was given.
printf 'kitty and puppy\npuppy, elephant\n\nno end, Kitty' > a
printf 'one\r\ntwo\0kitty\r\n' > b
printf 'puppy\n\nkitty\npuppy\n' > strings
trawl --matrix=tsv -e kitty -e puppy a; echo "status $?"
trawl --matrix=tsv -i -f strings a b; echo "status $?"
trawl --matrix=tsv 'kitty
elephant' - < a; echo "status $?"
trawl --matrix=tsv -H -e kitty -e puppy -- a - < b; echo "status $?"
trawl --matrix=tsv -z kitty b | od -An -c
trawl --matrix=tsv -w -e kit -e puppy -e '' a; echo "status $?"
trawl --matrix=tsv -x -e '' -e 'puppy, elephant' -e 'puppy, elephants' a; echo "status $?"
trawl --matrix=tsv --hex -e 6f6e65 -e 6f6e650d0a -e 740077 -e 006b b; echo "status $?"
trawl --matrix=tsv -h nothing a a; echo "status $?"
trawl --matrix=tsv kitty /dev/null; echo "status $?"
trawl --matrix=tsv -f /dev/null a; echo "status $?"
trawl --matrix=tsv kitty a missing; echo "status $?"
trawl --matrix=tsv -s kitty missing; echo "status $?"
trawl --matrix=tsv kitty a > /dev/null; echo "status $?"
tab=$(printf 'back\\slash\ttab')
printf 'kitty\n' > "$tab"
trawl --matrix=tsv -H kitty "$tab"
cat a | trawl --matrix=tsv --label=pipe -H puppy
