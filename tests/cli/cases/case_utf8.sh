# as grep
# Bytes inside a character are not found, also if a chunk ends within the character.
printf 'abx\360\237\230\200\nab\237\n' > inside
trawl -i -a -o -b "$(printf '\237')" inside | od -An -c
trawl -i -w -a -n "$(printf '\237')" inside | od -An -c
