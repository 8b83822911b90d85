# as grep
# A NUL makes a file binary, and so do lines that are not UTF-8. With -a, -I and --binary-files.
printf 'foo\0bar\nfoo\n' > b
printf 'foo\nfoo\377\nfoo3\n' > u
trawl foo b; echo "status $?"
trawl -c foo b
trawl -x foo b
trawl -a -c bar b
trawl -I foo b; echo "status $?"
trawl --binary-files=without-match foo b u; echo "status $?"
trawl foo u; echo "status $?"
LC_ALL=C trawl -c foo u
# A file that -I passes over leaves no separator before the next one.
printf ' \n\0b\n' > spaced; printf 'b \n' > next
trawl -u -c foo b
trawl -I -B2 ' ' spaced next
