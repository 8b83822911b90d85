#!/usr/bin/env bash
# fuzz: fuzz every target for 60 s, or `./dev fuzz SECONDS [TARGET...]`
set -euo pipefail
. scripts/common.sh
. scripts/fuzz.sh

# --quick leaves the programs unoptimised, and without the gallery: built in half the time, they try
# half as much in a second.
options=()
if [ "${1:-}" = --quick ]; then
    options=(-DCMAKE_C_FLAGS_RELWITHDEBINFO='-O0 -g1' -DTRAWL_GALLERY=OFF)
    shift
fi
need build -- codecs test
fuzz_for "${1:-60}" "${@:2}"
