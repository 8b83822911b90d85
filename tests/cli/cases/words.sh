printf 'foo\nfoobar\nfoo-bar\nfooé\n_foo\nbar foo2 foo\n' > f
trawl -nw foo f
LC_ALL=C trawl -anw foo f
trawl -ow foo f
trawl -nx foo f
