# As tg only NUL makes a file binary, as for ripgrep, and what is left out is said. No tree of the
# suite had held a text file that is not UTF-8.
ln -s "$TRAWL" tg
tg() { ./tg $TRAWL_CASE_OPTIONS "$@"; }
mkdir d
printf 'caf\xe9 TODO\n' > d/a.c
printf 'TODO\n\0TODO\n' > d/early
{ seq -f 'TODO %06.0f' 10000; printf '\0\n'; } > d/late
tg --sort=path TODO d | sed -n '1p;2p;$p'
tg -o TODO d/a.c; tg -c TODO d/a.c; tg -n --column TODO d/a.c
tg TODO d/a.c d/early; echo "status $?"
tg -q TODO d/early; echo "status $?"
tg --debug -l TODO d
tg TODO < d/early
rm d/a.c d/early
tg TODO d > out; echo "status $?"; tail -n 1 out
trawl TODO d/late | tail -n 1
