#!/usr/bin/env bash
# fuzz: fuzz every target for 60 s, or `./dev fuzz SECONDS [TARGET...]`
set -euo pipefail
. scripts/common.sh
. scripts/fuzz.sh

need build -- codecs long
fuzz_for "${1:-60}" "${@:2}"
