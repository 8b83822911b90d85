printf 'foo\nfoo foo\n' > f
trawl -c --stats foo f
