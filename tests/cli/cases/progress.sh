printf 'foo\n' > f
trawl --progress foo f
