# as grep
# Letters are equal if the C library gives them the same upper-case letter.
printf 'é\nÉ\nSTRASSE\nſ\nσ\nς\nΣ\nı\nİ\nK\n' > f
trawl -n -i É f
trawl -n -i s f
trawl -n -i σ f
trawl -n -i i f
trawl -n -i k f; echo "status $?"
LC_ALL=C trawl -a -n -i É f
# Bytes inside a character are not found, where a chunk ends within it, too.
printf 'abx\360\237\230\200\nab\237\n' > inside
trawl -i -a -o -b "$(printf '\237')" inside | od -An -c
trawl -i -w -a -n "$(printf '\237')" inside | od -An -c
