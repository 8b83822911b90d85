# Leftmost, longest, not overlapping; with --overlapping every occurrence.
printf 'aaaa\nabcd\n' > a
trawl -o aa a
trawl -o -e bc -e abc -e bcd a
trawl -o -b -n -e a -e aa a
trawl -o --overlapping -b aa a
trawl -o -v zz a
trawl -o '' a
