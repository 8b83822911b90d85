# What is filled alone: a line for each string in each line, or an object for each line.
printf 'kitty and puppy\npuppy, elephant\n\nno end, Kitty' > a
printf 'one\r\ntwo\0kitty\r\n' > b
printf 'puppy\n\nkitty\npuppy\n' > strings
trawl --matrix -e kitty -e puppy a; echo "status $?"
trawl --matrix=sparse -i -f strings a b; echo "status $?"
trawl --matrix -w -e kit -e puppy -e '' a; echo "status $?"
trawl --matrix -x -e '' -e 'puppy, elephant' -e 'puppy, elephants' a; echo "status $?"
trawl --matrix --hex -e 6f6e65 -e 6f6e650d0a -e 740077 -e 006b b; echo "status $?"
trawl --matrix nothing a a; echo "status $?"
trawl --matrix kitty /dev/null; echo "status $?"
trawl --matrix -f /dev/null a; echo "status $?"
trawl --matrix kitty a missing; echo "status $?"
tab=$(printf 'back\\slash\ttab')
printf 'kitty\n' > "$tab"
trawl --matrix -H kitty "$tab" a; echo "status $?"
cat a | trawl --matrix --label=pipe -H puppy
trawl --matrix kitty a > /dev/full; echo "status $?"
# Objects: what is not UTF-8 stands in base64.
trawl --matrix=jsonl -i -f strings a b; echo "status $?"
printf 'a "quoted"\ttab\n\377\376 b\302\251\n' > c
trawl --matrix=jsonl -e '"q' -e "$(printf 'ed"\t')" -e "$(printf '\302\251')" c; echo "status $?"
trawl --matrix=jsonl --hex -e fffe -e fe -e 09 c; echo "status $?"
bad=$(printf 'x\377')
printf 'kitty\n' > "$bad"
trawl --matrix=jsonl -H kitty "$bad" "$tab"; echo "status $?"
trawl --matrix=jsonl nothing a; echo "status $?"
# A line of many chunks, and each line its own block.
for i in 1 2 3 4 5 6 7 8; do printf '%s kitty %s puppy' $i $i; done > long
trawl --matrix --chunk-bytes=7 -e puppy -e kitty -e '8 k' long a; echo "status $?"
trawl --matrix=jsonl --chunk-bytes=7 -e puppy -e kitty -e '8 k' long; echo "status $?"
