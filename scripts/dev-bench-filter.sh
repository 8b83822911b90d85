#!/usr/bin/env bash
# bench-filter: time searches of a text with a filter beside those without: ./dev bench filter [MIB [THREADS [cpu|cuda]]]
set -euo pipefail
. scripts/common.sh

need build
configure_preset release
targets=(trawl_bench_filter)
! cmake --build build/release --target help | grep -q '\<trawl_kernels\>' || targets+=(trawl_kernels)
cmake --build build/release -j "$jobs" --target "${targets[@]}" >build/bench-build.log 2>&1 || {
    cat build/bench-build.log >&2
    exit 1
}
exec build/release/trawl-bench-filter "$@"
