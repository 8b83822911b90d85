#!/usr/bin/env bash
# test long: all tests with more cases, tsan and clang too, packages, and every fuzz target for 60 s
#
#     ./dev test long [PART...]    PART: release, python, asan, tsan, clang, packages, fuzz; without one, all
#
# Each part ends within 150 minutes on two cores. What has passed is noted in build/long: after an interruption, the run
# continues there; after a change of the sources, everything runs again.
set -euo pipefail
. scripts/common.sh
. scripts/tests.sh

every=(release python asan tsan clang packages fuzz)
parts=("${@:-${every[@]}}")
for part in "${parts[@]}"; do
    [[ " ${every[*]} " == *" $part "* ]] || {
        warn "no such part: $part (${every[*]})"
        exit 2
    }
done
need build python -- codecs server judges test long tidy package trial
mkdir -p build/long
sources=$({ git rev-parse HEAD && git diff HEAD; } 2>/dev/null | sha256sum)
if [ "$(cat build/long/sources 2>/dev/null)" != "$sources" ]; then
    rm -f build/long/*
    echo "$sources" >build/long/sources
fi
noted=build/long/passed

# sanitized PRESET: build, and test with TRAWL_TEST_SCALE=4. A scale of 20 would turn on all long combinations, which
# take many hours under sanitizers. tests/CMakeLists.txt sets a divisor for tests under sanitizers.
sanitized() {
    build_all "$1" || return 0
    TRAWL_TEST_SCALE=${TRAWL_TEST_SCALE:-4} run_ctest "$1" '' --timeout 7200
}
# build_all PRESET: build every test's programs, with as many cases under sanitizers as the preset says.
build_all() {
    step "build $1" bash scripts/dev-build.sh "$1" -DTRAWL_QUICK=OFF -DTRAWL_CUDA_QUICK=OFF -DTRAWL_BENCH=ON \
        -DTRAWL_TEST_DIVISOR=16
}
at_full_scale() {
    TRAWL_TEST_SCALE=${TRAWL_TEST_SCALE:-20} TRAWL_TEST_DIVISOR=${TRAWL_TEST_DIVISOR:-16} run_ctest "$@"
}

part_release() {
    build_all release || return 0
    at_full_scale release '^python' --timeout 7200
}
part_python() {
    build_all release || return 0
    at_full_scale release '' --timeout 7200 -R '^python'
}
part_asan() {
    sanitized asan
    # These two run under AddressSanitizer only in a long run.
    at_full_scale asan '' --timeout 7200 -R '^(python|unit_large)$'
}
part_tsan() { sanitized tsan; }
# clang's sanitizers, with the cases of a normal run.
part_clang() {
    build_all clang || return 0
    TRAWL_TEST_SCALE=1 run_ctest clang '^(fuzz|python)'
}
part_packages() {
    step 'demo' bash scripts/dev-demo.sh || true
    step 'build dist' bash scripts/dev-build.sh dist || true
    step 'packages' bash scripts/dev-package-twice.sh -DTRAWL_CUDA=OFF || true
    step 'a new system' bash tests/package/new_system.sh . || true
}
part_fuzz() {
    step 'fuzz for a minute each' bash scripts/dev-fuzz.sh "${TRAWL_FUZZ_SECONDS:-60}" || true
    step 'clang-tidy' bash scripts/dev-tidy.sh --clang || true
}

for part in "${parts[@]}"; do
    before=("$passed" "$failed" "$skipped" "$SECONDS")
    "part_$part"
    echo "$part: $((passed - before[0])) passed, $((failed - before[1])) failed, $((skipped - before[2])) skipped," \
        "$((SECONDS - before[3])) s" | tee -a build/long/parts
done
echo
cat build/long/parts
[ -z "$unjudged" ] || failed_names+=("no run without its judges: $unjudged") failed=$((failed + 1))
summary
