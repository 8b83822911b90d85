#!/usr/bin/env bash
# without_gallery: the product builds, passes its tests and installs with TRAWL_GALLERY=OFF.
# without_gallery.sh SOURCE_FOLDER C_COMPILER CMAKE_GENERATOR
#
# Builds without optimisation, and only a few targets and tests, so that it takes seconds. With
# TRAWL_TEST_SCALE other than 1, builds every target with optimisation, and runs every test.
set -euo pipefail

source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=$work/build
options=(-DTRAWL_GALLERY=OFF -DTRAWL_CUDA=OFF -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$2")
targets=(trawl_static trawl_shared trawl_command trawl_generated unit_plan unit_options unit_matrix)
if command -v python3 >/dev/null; then # the build makes the library's manual, and installs it
    targets+=(trawl_manual)
fi
tests='^(unit_plan|unit_options|unit_matrix|stories[.]without_gallery)$'

if [ "${TRAWL_TEST_SCALE:-1}" = 1 ] && command -v aarch64-linux-gnu-gcc >/dev/null; then
    echo 'SKIPPED: in long runs; the build for arm64 has no gallery, either'
    exit 77
fi
if command -v ccache >/dev/null; then
    options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
fi
if [ "${TRAWL_TEST_SCALE:-1}" = 1 ]; then
    # without optimisation, gcc's intrinsics are macros about which gcc itself warns, so warnings must not be errors
    options+=(-DCMAKE_C_FLAGS_RELEASE=-O0 -DTRAWL_HARDEN=OFF -DTRAWL_WERROR=OFF -DTRAWL_NATIVE_ONLY_PORTABLE=ON)
else
    targets=(all)
    tests='^[^i]' # all but install.*: the installed files are checked below
fi
export TRAWL_TEST_SCALE=1

# quietly COMMAND...: runs the command, and shows the end of its output only if it fails
quietly() {
    "$@" >"$work/log" 2>&1 || {
        tail -n 40 "$work/log"
        return 1
    }
}
quietly cmake -S "$source" -B "$build" -G "$3" "${options[@]}"
quietly cmake --build "$build" -j 1 --target "${targets[@]}"
quietly ctest --test-dir "$build" -j 1 -R "$tests" --no-tests=error --output-on-failure
grep 'tests passed' "$work/log"
quietly cmake --install "$build" --prefix "$work/prefix"

# The installed library contains nothing of the gallery, and the command says so.
trawl=$work/prefix/bin/trawl
[ "$(printf 'one\ntwo\n' | "$trawl" -c two)" = 1 ]
status=0
message=$("$trawl" --algorithm=bmh two /dev/null 2>&1) || status=$?
echo "$message"
[ "$status" -eq 2 ] && [[ $message == *'this build has no gallery'* ]]
if nm "$(find "$work/prefix" -name libtrawl.a)" 2>/dev/null | grep gallery; then
    echo 'the symbols above are the gallery'"'"'s'
    exit 1
fi
