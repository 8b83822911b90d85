#!/usr/bin/env bash
# test: build release and asan, run the tests of both except those left to long runs, then a quick clang-tidy
#
#     ./dev test NAME [PYTEST-OPTION...]   only build release, and run the tests whose name contains NAME, with 64 times
#                                          as many cases; options such as `-k WORD` or `-x` are for the tests in Python
#
# Without a NAME, the random inputs depend on HEAD: TRAWL_TEST_SEED repeats those of another run. A test whose cases have
# numbers draws as many as it can in TRAWL_TEST_BUDGET seconds of processor time, and TRAWL_TEST_CASE repeats one of them.
set -euo pipefail
. scripts/common.sh
. scripts/tests.sh

if [ $# -gt 0 ]; then
    export TRAWL_TEST_BUDGET=${TRAWL_TEST_BUDGET:-10}
    need build -- codecs server
    say 'build: release'
    configure_preset release
    # The programs of these tests that only long runs build are targets with the tests' names.
    names=$(ctest --test-dir build/release -N -R "$1" | sed -n 's/^ *Test *#[0-9]*: //p')
    if [ -z "$names" ]; then
        warn "no test's name contains '$1'; the names are:"
        ctest --test-dir build/release -N | sed -n 's/^ *Test *#[0-9]*: //p' | tr '\n' ' ' | fold -s -w 110
        exit 2
    fi
    mapfile -t names < <(ninja -C build/release -t targets all | sed -n 's/: phony$//p' | grep -xF "${names:-all}")
    cmake --build build/release -j "$jobs" --target all "${names[@]}"
    export PYTEST_ADDOPTS=${PYTEST_ADDOPTS:-}
    [ $# -eq 1 ] || PYTEST_ADDOPTS+=$(printf ' %q' "${@:2}")
    exec ctest --test-dir build/release -j "$jobs" -R "$1" --no-tests=error --output-on-failure
fi
need build python -- codecs server judges test tidy
tree=$(git rev-parse -q --verify 'HEAD^{tree}' 2>/dev/null) || tree=$(date +%Y%m%d)
export TRAWL_TEST_SEED=${TRAWL_TEST_SEED:-$((16#${tree:0:7}))}
say "random inputs: TRAWL_TEST_SEED=$TRAWL_TEST_SEED"
bash scripts/judges.sh >/dev/null 2>&1 & # beside the build, because the network is slow
# Run only a part of the random cases (tests/test.h); ./dev test long runs more.
export TRAWL_TEST_DIVISOR=${TRAWL_TEST_DIVISOR:-64} TRAWL_TEST_BUDGET=${TRAWL_TEST_BUDGET:-2}
asan_options=("-DTRAWL_TEST_DIVISOR=$TRAWL_TEST_DIVISOR")
# Configuring uses only one core, so the build asan is configured while release is being built.
configure_preset asan "${asan_options[@]}" >/dev/null 2>&1 & # a failure here is reported by the build below
if step 'build release' bash scripts/dev-build.sh release; then
    run_quick release
fi
wait
# Let AddressSanitizer quarantine 16 MiB of freed memory instead of 256, which avoids most page
# faults, and record 2 calls of each allocation's stack instead of 30. It fills 100,000 bytes of new memory instead of
# 4096, so that UBSan sees a large struct's member that nothing has set. Shadow memory is cleared in place, not mapped
# anew: unit_compressed takes 9 s of processor time instead of 13.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=16:malloc_context_size=2:max_malloc_fill_size=100000
ASAN_OPTIONS+=:clear_shadow_mmap_threshold=4194304
if step 'build asan' bash scripts/dev-build.sh asan "${asan_options[@]}"; then
    run_quick asan
fi
# Directories with changes, and a quarter of the other files; ./dev test long has all.
mapfile -t files < <({ changed_files 2>/dev/null | sed -n 's|/[^/]*[.][ch]$|/*.c|p' | sort -u
    git ls-files 'src/*.c' 'tools/*.c' 'gallery/*.c' | awk -v seed="$TRAWL_TEST_SEED" '(NR + seed) % 4 == 0'; })
# shellcheck disable=SC2068 # patterns are expanded here
step 'clang-tidy, quick' bash scripts/dev-tidy.sh --quick --clang ${files[@]} || true
forgive
summary
