# Strings are saved, and -f takes them from there.
printf 'foo bar\nFOO\nxx\nfoofoo ab a\nx\0y\n' > t
printf 'foo\nab\n\nfoo\nx\0y\n' > p
umask 022
trawl --save-patterns set -f p; echo "status $?"
stat -c %a set
trawl -f set -n -a --pattern-number t
trawl -f set --count-by-pattern t | tr '\0' '!'
trawl -f set -c t
trawl -e foo --save-patterns set
trawl -f set --explain --debug | grep '^patterns'
trawl -f - -a -n t < set
trawl -f set -i -a -n t
trawl -f set -e xx -a -o t
trawl -f set -f p --unmatched-patterns t
trawl -f set -c t < /dev/null; trawl -f set -v -c t
# Options are saved with them.
trawl --save-patterns set -i -w foo
trawl -f set -a -n t
trawl --save-patterns set -x foo
printf 'foo\nFoo\nfoo bar\n\0foo\0' > u
trawl -f set -i -c u
trawl -f set -a -n u
trawl -f set -z -b u | tr '\0' '!'; echo
trawl --save-patterns set --hex -e 0a78 -e 0a
trawl -f set -a -o -b t | od -An -c
trawl -f set --count-by-pattern t
trawl --save-patterns set -f /dev/null
trawl -f set -c t; echo "status $?"
# What is no saved set, or one that is damaged.
cat p | trawl -f - -c t
mkfifo q
cat p > q & trawl -f q -c t; wait
rm q
trawl --save-patterns set -e foo
cat set | trawl -f - -c t; echo "status $?"
head -c 80 set > short
trawl -f short -c t; echo "status $?"
head -c 8 set > short
trawl -f short -c t; echo "status $?"
{ head -c 80 set; printf '!'; tail -c +82 set; } > bad
trawl -f bad -c t; echo "status $?"
{ cat set; printf '!'; } > bad
trawl -f bad -c t; echo "status $?"
# Of a version that saved tables.
{ printf '\267trawl\r\n\4\3\2\1\6\0\0\0x86_64'; head -c 4000 /dev/zero; } > old
trawl -f old -c t; echo "status $?"
trawl --save-patterns missing/set -e foo; echo "status $?"
trawl --save-patterns set -e foo t; echo "status $?"
trawl -f set -c t
ls
