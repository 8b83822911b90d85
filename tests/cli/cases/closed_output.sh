# as grep
# Without standard output, no file that a search of a pipe opens takes the place of standard output.
echo fooooooooooo | trawl foo - >&-; echo "status $?"
