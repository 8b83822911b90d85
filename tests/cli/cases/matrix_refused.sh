# Options that --matrix has no use for.
echo kitty > a
for options in -v -c -l -L -o -q -m1 -n -b -A1 -B1 -C1 -2 -T -Z --color=always -I --count-matches \
    --overlapping --positions --first; do
    trawl --matrix $options kitty a; echo "status $?"
done
trawl --matrix=json kitty a; echo "status $?"
trawl --matrix; echo "status $?"
trawl --matrix --color=auto --line-buffered -a -h -U kitty a; echo "status $?"
