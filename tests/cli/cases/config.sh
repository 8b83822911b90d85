# Options from a file, one argument a line. They count as if they stood before those of the command line.
printf 'Foo bar\nfoo\nnone\n' > text
printf '# how I like it\n\n  --ignore-case  \n--color=always\n-n\n' > mine
export TRAWL_CONFIG_PATH=mine
trawl foo text | sed 's/\x1b/E/g'
trawl --color=never -N --no-ignore-case foo text
trawl --no-config foo text
trawl foo --no-config text
unset TRAWL_CONFIG_PATH
export XDG_CONFIG_HOME=$PWD/xdg HOME=$PWD/home
trawl foo text
mkdir -p xdg/trawl home/.config/trawl
echo --count > xdg/trawl/config
trawl foo text
echo --byte-offset > home/.config/trawl/config
XDG_CONFIG_HOME= trawl foo text
TRAWL_CONFIG_PATH= trawl foo text
# Messages about mistakes in the file.
export TRAWL_CONFIG_PATH=bad
trawl foo text; echo "status $?"
printf -- '-n\n# -q\n--cuont\n' > bad; trawl foo text; echo "status $?"
printf -- '-n\n\n--max-count\nx\n' > bad; trawl foo text; echo "status $?"
printf -- '-i\nfoo\n' > bad; trawl foo text; echo "status $?"
printf -- '--\n' > bad; trawl foo text; echo "status $?"
printf -- '-n\n--max-count\n' > bad; trawl foo text; echo "status $?"
printf -- '-n\0-i\n' > bad; trawl foo text; echo "status $?"
mkdir folder; TRAWL_CONFIG_PATH=folder trawl foo text; echo "status $?"
trawl --no-config -c foo text
# If a pipe is named, the command does not wait for a writer. The null device has no options. If a file that the user
# did not name is there and cannot be read, that is only a warning.
mkfifo pipe; TRAWL_CONFIG_PATH=pipe timeout 20 trawl foo text; echo "status $?"
TRAWL_CONFIG_PATH=/dev/null trawl foo text; echo "status $?"
unset TRAWL_CONFIG_PATH
for wrong in 'mkdir' 'mkfifo' 'ln -s config'; do
    rm -rf xdg/trawl/config
    $wrong xdg/trawl/config
    timeout 20 trawl foo text 2>&1 | sed "s,$PWD/,,"; echo "status ${PIPESTATUS[0]}"
done
trawl -s foo text; trawl --no-config foo text
