# These are options that a user of ripgrep types: letters and words that mean something else to grep, or mean nothing.
ln -s "$TRAWL" tg
tg() { ./tg $TRAWL_CASE_OPTIONS "$@"; }
printf 'Foo foo\nbar\r\nfoo\r\n' > a
printf 'bar\n' > b
tg --color; echo "status $?"
tg --crlf -x --pattern-number foo a; echo "status $?"; trawl -c --include-zero foo a b
# As in ripgrep, a pipe is skipped also where links are followed.
mkdir d; echo foo > d/c.c; mkfifo d/pipe; timeout 20 ./tg $TRAWL_CASE_OPTIONS -L -l foo d; rm d/pipe
# These options are refused, and the message says what to write instead. --pre must not be taken for --pretty.
for wrong in '--pre cat' '--pre-glob x' '--pcre2-version' '-P' '--pcre2'; do tg $wrong foo a; echo "status $?"; done
tg; echo "status $?"
tg -m; echo "status $?"
# If rules hide every file, a message says so. A text without a match gets no message.
mkdir hidden; echo foo > hidden/.a
tg foo hidden; echo "status $?"; tg -q foo hidden; tg --no-messages foo hidden; tg foo hidden d/c.c; tg --hidden foo hidden
trawl -r --ignore foo hidden; trawl -r foo hidden; trawl -r --exclude='*' foo d; tg -g '!*' foo; tg --debug -l foo hidden
# The help of tg names tg, and the short help fits on a screen.
tg --help | head -n 3; tg -h | awk 'length > 80 { print "too long: " $0 } END { print NR <= 24 ? "fits" : NR " lines" }'
tg --help-long | awk 'length > 80 { print "too long: " $0 } END { print NR > 100 ? "long" : NR " lines" }'
tg --help-long | grep -e '-r, ' -e '--color' -e '-L, ' -e '-d, '
trawl --generate=man-tg | head -n 3
printf ' \rab\0' | trawl -z --crlf --trim ab | od -An -c
