# Files of -f: with carriage returns, in hexadecimal, with lengths.
printf 'foo\nfoo\r\nbar\r\nx\0y\n' > t
printf 'foo\r\nbar\r\n' > crlf
trawl -n -f crlf t | od -An -c
printf '666f6f\r\n78 00 79\n0d0A\n' > hex
trawl --hex --count-by-pattern -f hex t
trawl --hex --unmatched-patterns -f hex -e 6161 t
printf '\003\0\0\0foo\002\0\0\0\r\n\0\0\0\0\003\0\0\0x\0y\001\0\0\0a' > lengths
trawl --length-prefixed --count-by-pattern -f lengths t
trawl --length-prefixed -a -o -b -f lengths t | od -An -c
trawl --length-prefixed -f lengths -c t
printf '61\n6\n' > bad
trawl --hex -f bad t; echo "status $?"
printf '61\n\n7g\n' | trawl --hex -f - t; echo "status $?"
printf '\003\0\0\0foo\002\0\0\0a' > bad
trawl --length-prefixed -f bad t; echo "status $?"
printf '\003\0\0\0foo\002\0' > bad
trawl --length-prefixed -f bad t; echo "status $?"
trawl --length-prefixed --hex -f bad t; echo "status $?"
