export HOME=$PWD
mkdir -p t/sub/deep t/.dot t/build
for name in t/a.c t/b.h t/sub/c.py t/sub/deep/d.c t/.dot/e.c t/.f t/build/g.c t/Makefile; do echo foo > $name; done
seq 1 500 > t/big.c
mkdir t/.git
printf '\357\273\277build/\n*.h\n!sub\n' > t/.gitignore
cd t
list() { echo "== $*"; trawl --files --sort=path "$@"; echo "status $?"; }
list
list --ignore
list --ignore --no-ignore
list --no-hidden
list --ignore --hidden -g '!.git*'
list -g '*.c' -g '!deep' -g '!.*'
list --iglob '*.C' --max-depth=1
list -t py --type make
list --type-not=c --type-not=py --ignore
list --type-add 'own:*.{h,f}' -t own
list --max-filesize=1K -g '*.c' --max-depth 1
list --ignore sub
list -Z sub
list -q sub
list -g nothing
list a.c -g '*.h'
list missing
mkfifo pipe
list -d skip sub a.c sub/ a.c/ # directories were listed that a search leaves out, as no test gave -d or -D
list -D skip pipe a.c
list -D read pipe
rm pipe
printf 'sub\n*.c\n' > ../more
list --ignore-file ../more --ignore
list --ignore-file ../more --no-ignore-files --ignore sub
touch -d '2020-01-01' sub; touch -d '2020-01-02' a.c; touch -d '2020-01-03' b.h
trawl --files --max-depth=2 --ignore --no-ignore-vcs --sort=modified -g 'a.c' -g 'b.h' -g 'c.py'
trawl --files --max-depth=2 --ignore --no-ignore-vcs --sortr=modified -g 'a.c' -g 'b.h' -g 'c.py'
echo "== debug"
trawl --ignore --debug --files --sort=path sub build . 2>&1 | sed "s,$PWD/,,"
trawl -r --ignore --max-depth=1 -g '!big.c' --debug -l foo . 2>&1 | sed "s,$PWD/,," | sort
for bad in '-g [a' '-g {a' '--iglob [a' '-t nothing' '--type-not nothing' '--type-add x' '--type-add a-b:c' '--type-add a:include:x' '--ignore-file nothing' '--max-filesize 1X' \
    '--max-filesize x' '--max-filesize 99999999999999999999' '--sort size' '--sortr size' '--max-depth x'; do
    trawl $bad --files
    echo "status $?"
done
trawl --type-list --type-add 'zz:*.zz' | grep -e '^zz' -e '^rust'
