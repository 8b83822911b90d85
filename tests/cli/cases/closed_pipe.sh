# as grep
# The reader goes away: no message. Where the signal is ignored, that writing failed, and nothing else.
seq 1 300000 > f
trawl 1 f | head -n 1
(trap '' PIPE; trawl 1 f; echo "status $?" >&2) | head -n 1
