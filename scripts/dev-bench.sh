#!/usr/bin/env bash
# bench: measure (default: cpu) with the arguments given; `./dev bench docs` writes the figures of docs
set -euo pipefail
. scripts/common.sh

#     ./dev bench [NAME] [OPTION]...   see tools/bench/README.md; --help lists all options
# With --runner=FILE nothing is built: FILE is a trawl-bench, with trawl beside it.
[ $# -gt 0 ] || set -- cpu
case $1 in
docs) need python -- bench ;;
*) need python ;; # peers that are missing are left out, and the report says so
esac
case " $* " in
*' --runner='* | *' --from'* | *' --check '* | *' --help '* | *' -h '*) ;;
*)
    need build
    mkdir -p build
    { configure_preset release && targets=(trawl_bench trawl_command) &&
        { ! cmake --build build/release --target help | grep -q '\<trawl_kernels\>' || targets+=(trawl_kernels); } &&
        cmake --build build/release -j "$jobs" --target "${targets[@]}"; } >build/bench-build.log 2>&1 || {
        cat build/bench-build.log >&2
        exit 1
    }
    ;;
esac
exec python3 tools/bench/bench.py "$@"
