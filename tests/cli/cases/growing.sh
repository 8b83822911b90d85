# A stream is printed as it comes: the reader sees the line while the writer still waits.
mkfifo p
{ echo foo; sleep 5 & wait_for=$!; echo $wait_for > pid; wait $wait_for 2> /dev/null; } > p &
trawl foo p | { read -r line; echo "$line"; kill "$(cat pid)"; }
