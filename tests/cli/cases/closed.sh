# as grep
# If standard input or output is closed, no file that the command opens gets that descriptor.
mkdir d; echo foo > d/x; echo foo > f
trawl -r foo d <&-; echo "status $?"
trawl --exclude=f foo f <&-; echo "status $?"
trawl -D skip -H foo f <&-; echo "status $?"
trawl -c foo f - <&-; echo "status $?"
echo fooooooooooo | trawl foo - >&-; echo "status $?"
trawl foo f > /dev/full; echo "status $?"
