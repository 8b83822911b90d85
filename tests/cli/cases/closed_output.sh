# as grep
# No standard output: what a search of a pipe opens does not take its place, nor its bytes. (Cases without one
# searched files alone.)
echo fooooooooooo | trawl foo - >&-; echo "status $?"
