# as grep
seq 1 30 > f
trawl 1 f > /dev/full
