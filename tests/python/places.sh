#!/usr/bin/env bash
# places.sh PYTHON WHEEL FOLDER: installs the wheel into FOLDER in each of pip's ways, and checks that the wheel's
# programs, and python -m trawl, run there.
set -euo pipefail

python=$(command -v "$1") wheel=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
unset LD_LIBRARY_PATH PYTHONPATH

# answers WHAT EXPECTED COMMAND...: stop unless the command prints EXPECTED for a line with the word fish
answers() {
    local got

    got=$(cd "$folder" && echo fish | "${@:3}" 2>&1) || true
    [ "$got" = "$2" ] || {
        echo "$1: ${*:3}: expected '$2', got '$got'" >&2
        exit 1
    }
}

# runs WHAT BIN [COMMAND...]: check the programs in the folder BIN; COMMAND runs this installation's Python.
runs() {
    local what=$1 bin=$2

    shift 2
    answers "$what" 1 "$bin/trawl" -E -c 'f[h-j]sh'
    answers "$what" 1 "$bin/tg" -c 'f\wsh'
    answers "$what" fish "$bin/tg" -o '(?i)FISH'
    ln -s "$bin/tg" "$folder/$what-link"
    answers "$what, by a link" 1 "$folder/$what-link" -c 'f[^x]sh'
    answers "$what" 1 "$@" -m trawl -E -c 'f.sh'
    answers "$what" 1 "$@" -c "import trawl; print(trawl.Plan('f.sh', regex=True).count('fish'))"
}

install() {
    "$python" -m pip --disable-pip-version-check install -q --no-deps --no-index --no-compile "$@" "$wheel"
}

"$python" -m venv --without-pip "$folder/venv"
"$python" -m pip --disable-pip-version-check --python "$folder/venv/bin/python" install -q --no-deps --no-index "$wheel"
runs venv "$folder/venv/bin" "$folder/venv/bin/python"

# conda and distributions install into a prefix.
install --prefix "$folder/prefix" --ignore-installed
packages=$(find "$folder/prefix" -name trawl -path '*-packages/*' -prune -printf '%h')
programs=$(find "$folder/prefix" -name tg -printf '%h') # Debian's pip puts prefix/local before both
runs prefix "$programs" env PYTHONPATH="$packages" "$python"

export PYTHONUSERBASE=$folder/user
install --user --ignore-installed --no-warn-script-location
runs user "$folder/user/bin" "$python"
unset PYTHONUSERBASE

install --target "$folder/target"
runs target "$folder/target/bin" env PYTHONPATH="$folder/target" "$python"

# Systems with libraries in lib64, and Debian's own Python, whose folder is called dist-packages.
version=$(basename "$(dirname "$packages")")
for name in lib64/$version/site lib/$version/dist; do
    moved=$folder/moved-${name##*/}
    mkdir -p "$moved/${name%/*}"
    cp -r "$programs" "$moved/"
    cp -r "$packages" "$moved/$name-packages"
    runs "moved-${name##*/}" "$moved/bin" env PYTHONPATH="$moved/$name-packages" "$python"
done
echo "$(basename "$wheel"): runs in a venv, under --prefix, --user, --target, lib64 and dist-packages"
