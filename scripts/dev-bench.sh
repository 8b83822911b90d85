#!/usr/bin/env bash
# bench: build a release and run trawl-bench (default: cpu) with the arguments given
set -euo pipefail
. scripts/common.sh

need build
mkdir -p build
build_preset release >build/bench-build.log 2>&1 || {
    cat build/bench-build.log >&2
    exit 1
}
[ -x build/release/trawl-bench ] || die 'the build left no build/release/trawl-bench'
[ $# -gt 0 ] || set -- cpu
exec build/release/trawl-bench "$@"
