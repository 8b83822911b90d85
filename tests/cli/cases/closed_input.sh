# as grep
# Without standard input, the files opened next do not take the place of standard input.
mkdir d; echo foo > d/x; echo foo > f
trawl -r foo d <&-; echo "status $?"
trawl --exclude=f foo f <&-; echo "status $?"
trawl -D skip -H foo f <&-; echo "status $?"
trawl -c foo f - <&-; echo "status $?"
