# Lines, numbers, offsets, names; a last line without its end gets one.
printf 'one two\ntwo three\nthree' > a
printf 'nothing\n' > b
trawl two a
trawl -n three a
trawl -b three a
trawl -nbH three a
trawl two a b
trawl -h two a b
trawl -v two a
trawl -c e a b
