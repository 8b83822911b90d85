#!/usr/bin/env bash
# test long: all tests with more cases, tsan and clang too, and every fuzz target for 60 s
set -euo pipefail
. scripts/common.sh
. scripts/tests.sh

if [ $# -gt 0 ]; then
    warn "no such test: $1 (./dev help lists them)"
    exit 2
fi
need build python -- codecs server test tidy package trial
# A scale of 20 turns all long combinations on, which sanitizers leave out: otherwise the run would
# take many hours on two cores. Sanitizers have a divisor of their own in place of this one.
for preset in release asan tsan; do
    scale=${TRAWL_TEST_SCALE:-$([ $preset = release ] && echo 20 || echo 4)}
    if step "build $preset" bash scripts/dev-build.sh $preset; then
        TRAWL_TEST_SCALE=$scale TRAWL_TEST_DIVISOR=${TRAWL_TEST_DIVISOR:-16} \
            run_ctest $preset --timeout 7200
        # These two run under AddressSanitizer in a long run alone.
        [ $preset != asan ] || TRAWL_TEST_SCALE=20 run_ctest asan --timeout 7200 -R '^(python|unit_large)$'
    fi
done
# The other compiler's sanitizers: each way once tells.
if step 'build clang' bash scripts/dev-build.sh clang; then
    TRAWL_TEST_SCALE=1 run_ctest clang -E '^(fuzz|python)'
fi
step 'demo' bash scripts/dev-demo.sh || true
step 'build dist' bash scripts/dev-build.sh dist || true
step 'packages' bash scripts/dev-package-twice.sh -DTRAWL_CUDA=OFF || true
step 'a new system' bash tests/package/new_system.sh . || true
step 'fuzz for a minute each' bash scripts/dev-fuzz.sh "${TRAWL_FUZZ_SECONDS:-60}" || true
step 'clang-tidy' bash scripts/dev-tidy.sh --clang || true
summary
