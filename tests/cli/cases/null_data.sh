# as grep
printf 'foo\nbar\0baz\0foo' > f
trawl -z foo f | od -An -c
trawl -zc a f
