#!/usr/bin/env bash
# arm64: build the library for arm64 and run tests under qemu-aarch64: the cases written out in tests/diff/seed_table.def,
# with every method and instruction set. A long run also builds and runs the other tests of tests/diff, the unit tests and
# the command.
# arm64.sh SOURCE_FOLDER BUILD_FOLDER
set -euo pipefail

source=$1
build=$2

skip() {
    echo "SKIPPED: $1"
    exit 77
}

command -v aarch64-linux-gnu-gcc >/dev/null || skip 'no cross compiler (gcc-aarch64-linux-gnu)'
[ -f /usr/aarch64-linux-gnu/include/stdio.h ] || skip 'no C library for arm64 (libc6-dev-arm64-cross)'

kinds='diff_seed_table'
more=()
# these options compile in a third of the time
level=(-DCMAKE_C_FLAGS_RELEASE='-O0 -DNDEBUG' -DTRAWL_GALLERY=OFF -DTRAWL_HARDEN=OFF -DTRAWL_WERROR=OFF)
if [ "${TRAWL_TEST_SCALE:-1}" = long ] || [ "${TRAWL_TEST_SCALE:-1}" -ge 20 ]; then
    kinds='(unit|diff)_[a-z0-9_]+'
    more=(trawl_shared trawl_command)
    level=(-DCMAKE_C_FLAGS_RELEASE='-O3 -DNDEBUG' -DTRAWL_GALLERY=ON -DTRAWL_HARDEN=ON -DTRAWL_WERROR=ON)
fi
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTRAWL_CUDA=OFF "${level[@]}" \
    -DCMAKE_TOOLCHAIN_FILE="$source/cmake/arm64.cmake"
mapfile -t tests < <(cmake --build "$build" --target help | grep -oE "^$kinds\b" | sort -u)
cmake --build "$build" -j 1 --target trawl_static "${more[@]}" "${tests[@]}"
[ -f "$build/src/libtrawl.a" ]
if ! grep -q '^CMAKE_CROSSCOMPILING_EMULATOR\|^TRAWL_QEMU_AARCH64:[A-Z]*=/' "$build/CMakeCache.txt"; then
    skip 'compiled for arm64 but not run (qemu-user is not here)'
fi
# Programs sign their return addresses. The emulator would spend most of its time on this, unless it may use its own kind
# of signature ("impdef").
export QEMU_CPU=max,pauth-impdef=on
# Under the emulator a test takes many times as long, and the same cases run natively in other tests. So this script runs
# only 1 in 200 of the native cases, and 1 in 10 in a long run.
export TRAWL_TEST_DIVISOR=200
if [ ${#more[@]} -gt 0 ]; then
    export TRAWL_TEST_SCALE=1 TRAWL_TEST_DIVISOR=10
fi
ctest --test-dir "$build" --output-on-failure --no-tests=error --timeout 3600 \
    -R "^$kinds\$"
