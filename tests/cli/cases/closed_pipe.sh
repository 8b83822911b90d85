# The reader goes away: no message.
seq 1 300000 > f
trawl 1 f | head -n 1
