# as grep
printf 'foo\n' > 'a b'
trawl -Zl foo 'a b' | od -An -c
trawl -ZHn foo 'a b' | od -An -c
trawl -T -n foo 'a b'
trawl -T -b foo 'a b'
