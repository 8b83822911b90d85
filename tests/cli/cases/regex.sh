# Regular expressions: the options about lines and matches, and groups in --replace.
ln -s "$TRAWL" tg
tg() { ./tg $TRAWL_CASE_OPTIONS "$@"; }
printf 'the King said hello\nking of the hill\nprince x12 abc\n\nlast \303\251 \303\211a\n' > a
printf 'k.ng\nprin(ce)?\nking of\n' > list
trawl -E '[A-Z][a-z]+ said' a
trawl -nE '^$|x[0-9]+' a
trawl -vcE 'i' a
trawl -oE '[a-z]+ing|h.l' a
trawl -wnE 'h[a-z]*' a
trawl -xE 'k.*l' a
trawl -inP 'KING\b' a
trawl -G 'h\(e\)*l\+' a
trawl -F 'x1.' a; echo "status $?"
trawl -E --count-by-pattern -f list a
trawl -E --pattern-number -f list a
trawl -E --count-matches 'i.' a
trawl -E --positions 'i.' a
trawl -Ec 'x*' a; trawl -oE 'q*' a; echo "status $?"
trawl -zcE 'hello.king' a
tg '(\w+) (?P<second>\w+)' -r '${second}-$1$0$9' a
tg -o '(?<word>h\w)\w*' -r '<$word>' a
tg -o '(t)(h)(e)( )(K)(i)(n)(g)( )(s)aid' -r '$10$9$1' a
tg --json 'k(i|x)ng' a | grep -o '"submatches.*'
tg --column -b 'hi|ki' a
tg -S 'KING|king' a; tg -S '\Sing' a
tg -i 'É' a
tg 'x12.' a; tg -F 'x12.' a; echo "status $?"
tg 'x1\d abc' a; tg 'of\.' a; echo "status $?"
tg --no-unicode -o 'last ..' a
printf 'ab\r\ncab\r\n' > crlf
tg --crlf -c 'ab$' crlf; tg -c 'ab$' crlf; echo "status $?"; tg --crlf -x '.b' crlf | od -An -c
printf 'a\nb\0a b\0' | trawl -zcE 'a.b'
printf 'a1\n\0b2\n' > binary; trawl -E '[0-9]$' binary; trawl -aoE '[0-9]$' binary
printf '1.5\n125\n' > dots; trawl -E '1\.5' dots; trawl -E '1.5' dots
tg '(\w+) (?P<second>\w+)' -r '<${100}>' a
