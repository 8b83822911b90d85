# A stream is printed as it comes: the reader sees the line while the writer still waits.
mkfifo p
{ sleep 20 & echo $! > pid; echo foo; wait; } > p 2> /dev/null &
trawl foo p | { read -r line; echo "$line"; kill "$(cat pid)"; }
