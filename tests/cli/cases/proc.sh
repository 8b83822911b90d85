# as grep
# Files that report size 0 are searched, and FIFOs.
trawl -c Name: /proc/self/status
mkfifo p
(printf 'foo\nbar\n' > p &)
trawl foo p
trawl -D skip foo p; echo "status $?"
