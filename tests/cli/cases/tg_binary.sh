# For tg, as for ripgrep, only a NUL makes a file binary, and a message says what is left out. Bytes that are not
# UTF-8 do not.
ln -s "$TRAWL" tg
tg() { ./tg $TRAWL_CASE_OPTIONS "$@"; }
mkdir d
printf 'caf\xe9 MARK\n' > d/a.c
printf 'MARK\n\0MARK\n' > d/early
{ seq -f 'MARK %06.0f' 10000; printf '\0\n'; } > d/late
tg --sort=path MARK d | sed -n '1p;2p;$p'
tg --debug -l MARK d
tg MARK < d/early
rm d/a.c d/early
tg MARK d > out; echo "status $?"; tail -n 1 out
trawl MARK d/late | tail -n 1
