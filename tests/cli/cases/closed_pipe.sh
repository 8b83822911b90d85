# as grep
# If the reader goes away, there is no message. Where SIGPIPE is ignored, the only message is that writing failed.
seq 1 300000 > f
trawl 1 f | head -n 1
(trap '' PIPE; trawl 1 f; echo "status $?" >&2) | head -n 1
