# What a user of ripgrep types: letters and words that mean something else to grep, or nothing.
ln -s "$TRAWL" tg
tg() { ./tg $TRAWL_CASE_OPTIONS "$@"; }
printf 'Foo foo\nbar\r\nfoo\r\n' > a
printf 'bar\n' > b
tg --color never foo a
tg --color=ansi bar a b | od -c | head -n 2
tg --color ansi -N bar b | od -c | head -n 2
tg --color; echo "status $?"
tg -i -s Foo a; tg -i --case-sensitive Foo a
tg -x foo a; echo "status $?"; tg --crlf -x foo a; tg --crlf --no-crlf -xc foo a; echo "status $?"
printf 'x\r\n\r\n\n' | tg --crlf -xc ''; tg --crlf -xc '' a; tg --crlf -x --pattern-number foo a; echo "status $?"
tg -c foo a b; tg -c --include-zero foo a b; tg -c foo b; echo "status $?"; tg -co -e foo -e Foo a; tg --count-matches foo a b
trawl -c --include-zero foo a b
tg --block-buffered --line-buffered --no-line-buffered --no-block-buffered --no-ignore-messages -c foo a
tg -r X foo a | head -n 1; tg -rX foo a | head -n 1; tg -I foo a b | head -n 1; tg -0l foo a | od -c | head -n 1
tg -N -p foo a | od -c | head -n 1; tg --no-heading -p bar a b | wc -l; tg -p --color=never bar a b; tg -p -N --no-heading --color=never bar b a
mkdir d; ln -s ../a d/link; echo foo > d/c.c; echo foo > d/c.h
# A pipe is skipped with links, too, as ripgrep does it. (There was none.)
mkfifo d/pipe; timeout 20 ./tg $TRAWL_CASE_OPTIONS -L -l foo d | sort; rm d/pipe
tg -l foo d; tg -L -l foo d | sort; tg -L --no-follow -l foo d; tg -Tc -l foo d; tg --sort-files -l foo d; tg --sort-files --no-sort-files -c foo d -d 0
gzip -c a > a.gz; tg -z -c foo a.gz
printf 'caf\xe9 foo\n' > latin; tg -E latin1 -n foo latin; tg -U foo latin; tg --multiline -c foo latin
printf 'foo\0' > d/n; tg -l foo d -g n; tg --binary -l foo d -g n
tg -A1 -10 Foo a | wc -l
# Refused with what to write instead; --pre was taken for --pretty.
for wrong in '--pre cat' '--pre-glob x' '-P' '--pcre2'; do tg $wrong foo a; echo "status $?"; done
tg; echo "status $?"
tg -m; echo "status $?"
# Rules that hide every file are not the same as a text without a match.
mkdir hidden; echo foo > hidden/.a
tg foo hidden; echo "status $?"; tg -q foo hidden; tg --no-messages foo hidden; tg foo hidden d/c.c; tg --hidden foo hidden
trawl -r --ignore foo hidden; trawl -r foo hidden; trawl -r --exclude='*' foo d; tg -g '!*' foo; tg --debug -l foo hidden
# Its own name, on one screen.
tg --help | head -n 3; tg -h | awk 'length > 80 { print "too long: " $0 } END { print NR <= 24 ? "fits" : NR " lines" }'
tg --help-long | awk 'length > 80 { print "too long: " $0 } END { print NR > 100 ? "long" : NR " lines" }'
tg --help-long | grep -e '-r, ' -e '--color' -e '-L, ' -e '-d, '
trawl --generate=man-tg | head -n 3
# --crlf undoes --null-data, as with ripgrep.
printf 'ab\r\0xab\0ab\0' > z
tg --null-data --crlf -x ab z | od -An -c
printf ' \rab\0' | trawl -z --crlf --trim ab | od -An -c
tg -n -A1 --field-match-separator=ab --field-context-separator=cde Foo a
# -M counts the line end of a replaced line, too.
printf 'ab foo\r\n' | tg --crlf -rX -M4 foo | od -An -c
printf 'ab foo\r\n' | tg --crlf -rX -M3 foo | od -An -c
