# --files with options that ripgrep lacks (for others: tests/grep/rg_files.py), and what --debug says of files left out.
mkdir -p t/sub/deep t/.dot t/build
for name in t/a.c t/b.h t/sub/c.py t/sub/deep/d.c t/.dot/e.c t/.f t/build/g.c; do echo foo > $name; done
mkdir t/.git
printf '\357\273\277build/\n*.h\n!sub\n' > t/.gitignore
cd t
list() { echo "== $*"; trawl --files --sort=path "$@"; echo "status $?"; }
list --no-hidden
list -Z sub
list -q sub
list -g nothing
list a.c -g '*.h'
list missing
mkfifo pipe
list -d skip sub a.c sub/ a.c/ # --files must not list directories that a search leaves out
list -D skip pipe a.c
list -D read pipe
rm pipe
echo "== debug"
trawl --ignore --debug --files --sort=path sub build . 2>&1 | sed "s,$PWD/,,"
trawl -r --ignore --max-depth=1 -g '!a.c' --debug -l foo . 2>&1 | sed "s,$PWD/,," | sort
trawl --type-list --type-add 'zz:*.zz' | grep -e '^zz' -e '^rust'
