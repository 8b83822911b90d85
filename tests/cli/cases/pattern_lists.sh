# Files of -f may have carriage returns, or be in hexadecimal.
printf 'foo\nfoo\r\nbar\r\nx\0y\n' > t
printf 'foo\r\nbar\r\n' > crlf
trawl -n -f crlf t | od -An -c
printf '666f6f\r\n78 00 79\n0d0A\n' > hex
trawl --hex --count-by-pattern -f hex t
printf '61\n6\n' > bad
trawl --hex -f bad t; echo "status $?"
printf '61\n\n7g\n' | trawl --hex -f - t; echo "status $?"
