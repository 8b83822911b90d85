#!/usr/bin/env bash
# test long: the same at TRAWL_TEST_SCALE 50, tsan and clang too, and every fuzz target for 60 s
set -euo pipefail
. scripts/common.sh
. scripts/tests.sh

export TRAWL_TEST_SCALE=${TRAWL_TEST_SCALE:-50}
if [ $# -gt 0 ]; then
    warn "no such test: $1 (./dev help lists them)"
    exit 2
fi
need build python -- codecs server test tidy package trial
for preset in release asan tsan; do
    if step "build $preset" bash scripts/dev-build.sh $preset; then
        run_ctest $preset --timeout 7200
    fi
done
# The other compiler's sanitizers: each way once tells.
if step 'build clang' bash scripts/dev-build.sh clang; then
    TRAWL_TEST_SCALE=1 run_ctest clang -E '^(fuzz|python)'
fi
step 'demo' bash scripts/dev-demo.sh || true
step 'build dist' bash scripts/dev-build.sh dist || true
step 'packages' bash scripts/dev-package.sh -DTRAWL_CUDA=OFF || true
step 'a new system' bash tests/package/new_system.sh . || true
step 'fuzz for a minute each' bash scripts/dev-fuzz.sh "${TRAWL_FUZZ_SECONDS:-60}" || true
step 'clang-tidy' bash scripts/dev-tidy.sh --clang || true
summary
