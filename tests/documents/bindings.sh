#!/usr/bin/env bash
# bindings.sh EXAMPLES LIBRARY_FOLDER: compile the examples in other languages against the shared library, and run
# them. Status 77: no compiler for these languages is installed.
set -euo pipefail

examples=$1 libraries=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tried=0
export LD_LIBRARY_PATH=$libraries

check() {
    tried=1
    [ "$("${@:2}")" = 2 ] || {
        echo "$1 did not print 2" >&2
        exit 1
    }
}

if command -v rustc >/dev/null; then
    rustc -D warnings "$examples/count_bytes.rs" -L "$libraries" -l trawl -o "$work/rust"
    check count_bytes.rs "$work/rust"
else
    echo 'SKIPPED: count_bytes.rs: no rustc'
fi
if command -v mcs >/dev/null && command -v mono >/dev/null; then
    mcs -langversion:latest "-out:$work/sharp.exe" "$examples/CountBytes.cs"
    check CountBytes.cs mono "$work/sharp.exe"
else
    echo 'SKIPPED: CountBytes.cs: no mcs and mono'
fi
[ $tried = 1 ] || exit 77
