#!/usr/bin/env bash
# install: what `cmake --install` leaves behind is complete and usable.
# install.sh files|symbols|pkgconfig|package BUILD_FOLDER C_COMPILER
set -euo pipefail

part=$1
build=$2
compiler=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
DESTDIR='' cmake --install "$build" --prefix "$prefix" >"$work/log"

skip() {
    echo "SKIPPED: $1"
    exit 77
}

# The one installed file of this name, wherever the system keeps such files below the prefix.
installed() {
    find "$prefix" -name "$1" | grep . || {
        echo "not installed: $1" >&2
        return 1
    }
}

test_files() {
    local file

    for file in trawl.h trawl_records.h libtrawl.a libtrawl.so trawl.pc trawl-config.cmake; do
        installed "$file" >/dev/null
    done
    [ "$("$prefix/bin/trawl" --version | head -n 1 | grep -c trawl)" -eq 1 ]
    grep -q '^\.TH' "$prefix/share/man/man1/trawl.1"
    bash -n "$prefix/share/bash-completion/completions/trawl"
    grep -q '^#compdef trawl' "$prefix/share/zsh/site-functions/_trawl"
    grep -q '^complete ' "$prefix/share/fish/vendor_completions.d/trawl.fish"
    # Only the headers meant for others, and nothing that names the folder it was built in.
    [ "$(find "$prefix" -name '*.h' | wc -l)" -eq 2 ]
    if grep -rlF "$build" "$prefix"; then
        echo 'the files above name the build folder' >&2
        return 1
    fi
}

# The shared library shows trawl_* alone, and every function of the header.
test_symbols() {
    local library shown declared

    library=$(installed libtrawl.so)
    shown=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort)
    [ -n "$shown" ]
    if grep -v '^trawl_' <<<"$shown"; then
        echo 'the symbols above are exported and are not trawl_*' >&2
        return 1
    fi
    declared=$(sed -e 's|/\*.*||' -e '/^ \*/d' "$prefix"/include/trawl*.h | tr '\n' ' ' |
        grep -oE 'TRAWL_API [^;(]*\(' | grep -oE 'trawl_[a-z0-9_]+ ?\(' | tr -d ' (' | sort)
    [ "$(wc -l <<<"$declared")" -gt 10 ]
    diff <(echo "$declared") <(echo "$shown")
}

run_it() {
    "$@" >"$work/answer"
    [ "$(cat "$work/answer")" = '2 fish' ]
}

test_pkgconfig() {
    local folder
    local -a flags

    command -v pkg-config >/dev/null || skip 'no pkg-config'
    folder=$(dirname "$(installed trawl.pc)")
    export PKG_CONFIG_PATH=$folder
    folder=$(dirname "$folder")
    [ "$(pkg-config --modversion trawl)" = "$("$prefix/bin/trawl" --version |
        head -n 1 | grep -oE '[0-9]+\.[0-9]+\.[0-9]+')" ]

    # No --define-prefix: the file itself finds the prefix it was installed to, moved or not.
    read -ra flags <<<"$(pkg-config --cflags --libs trawl)"
    "$compiler" "$here/use.c" -o "$work/shared" "${flags[@]}"
    run_it env LD_LIBRARY_PATH="$folder" "$work/shared"

    read -ra flags <<<"$(pkg-config --static --cflags --libs trawl)"
    rm "$folder"/libtrawl.so*
    "$compiler" "$here/use.c" -o "$work/static" "${flags[@]}"
    run_it "$work/static"
}

test_package() {
    local kind

    for kind in OFF ON; do
        cmake -G Ninja -S "$here/package" -B "$work/$kind" -DCMAKE_PREFIX_PATH="$prefix" \
            -DCMAKE_C_COMPILER="$compiler" -DUSE_STATIC=$kind >"$work/log" || {
            cat "$work/log"
            return 1
        }
        cmake --build "$work/$kind" >"$work/log" || {
            cat "$work/log"
            return 1
        }
        run_it "$work/$kind/use"
    done
    [ "$(readelf -d "$work/OFF/use" | grep -c 'NEEDED.*libtrawl')" -eq 1 ]
    [ "$(readelf -d "$work/ON/use" | grep -c 'NEEDED.*libtrawl')" -eq 0 ]
}

"test_$part"
echo "install $part: right"
