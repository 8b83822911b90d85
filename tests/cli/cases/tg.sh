ln -s "$TRAWL" tg
mkdir -p t/.git t/sub
printf 'sub/x\n' > t/.gitignore
for name in t/a t/sub/x t/sub/y t/.h; do echo foo > $name; done
printf 'foo\0\n' > t/binary
cd t
tg() { ../tg $TRAWL_CASE_OPTIONS "$@"; }
tg -l foo | sort; echo "status $?"
tg -l foo binary a
tg foo binary; echo "status $?"
tg -c foo binary sub .; echo "status $?"
tg -l -u foo | sort
tg -l -uu foo | sort
tg -l -uuu foo . | sort
tg --no-ignore -l foo | sort
tg --hidden -g '!.git*' -l foo | sort
echo foo | tg -c foo
tg -c foo < a
tg -I foo - < a
tg --files | sort
trawl -u -c foo a
