#!/usr/bin/env bash
# test gpu: the same searches on a real device, and compute-sanitizer's tools over a part of them
#
#     ./dev test gpu [FOLDER]   FOLDER: a build carried here; without it, build/gpu is made from
#                               source with gcc, CMake, nvcc and make or ninja alone
#
# TRAWL_TEST_SCALE=long for 300,000 cases and a text of 5 GiB. TRAWL_GPU_TESTS: "oracle large
# records sanitizers" or some of these.
set -euo pipefail
. scripts/common.sh

folder=${1:-}
tests=${TRAWL_GPU_TESTS:-oracle large records sanitizers}
processes=${TRAWL_GPU_PROCESSES:-$((jobs < 8 ? jobs : 8))}
passed=0
failed=0
skipped=0

# suite NAME STATUS LOG
suite() {
    case $2 in
    0)
        passed=$((passed + 1))
        echo "PASSED  $1: $(tail -n 2 "$3" | tr '\n' ' ')"
        ;;
    77)
        skipped=$((skipped + 1))
        echo "SKIPPED $1: $(sed -n 's/^SKIPPED: //p' "$3" | tail -n 1)"
        ;;
    *)
        failed=$((failed + 1))
        echo "FAILED  $1 (status $2):"
        tail -n 40 "$3"
        ;;
    esac
}

build() {
    local generator=()

    have ninja && generator=(-G Ninja)
    cmake -S . -B build/gpu "${generator[@]}" -DCMAKE_BUILD_TYPE=Release >build/gpu-cmake.log
    cmake --build build/gpu -j "$jobs" \
        --target gpu_oracle gpu_large gpu_records gpu_bench gpu_roofline trawl_command \
        >build/gpu-build.log
}

mkdir -p build
if [ -z "$folder" ]; then
    folder=build/gpu
    say 'build gpu'
    if ! build; then
        cat build/gpu-cmake.log build/gpu-build.log
        die 'the build failed'
    fi
fi
[ -x "$folder/tests/gpu/gpu_oracle" ] || die "$folder holds no gpu_oracle: not a build of this tree"
logs=$folder/gpu-logs
mkdir -p "$logs"

# Several processes, each with its own seeds and context.
oracle() {
    local pids=() log=$logs/oracle.log status=0 one

    for ((i = 1; i <= processes; i++)); do
        TRAWL_TEST_SEED=$((${TRAWL_TEST_SEED:-0} + i)) "$folder/tests/gpu/gpu_oracle" \
            >"$logs/oracle-$i.log" 2>&1 &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        one=0
        wait "$pid" || one=$?
        [ "$one" -eq 0 ] || status=$one
    done
    if [ "$status" -eq 0 ]; then
        awk '/^cases: / { gsub(/[,;]/, ""); for (i = 2; i < NF; i++)
                 if ($i ~ /^(every|words|sampled|set|auto)$/) cases += $(i + 1);
                 matches += $(NF - 1) }
             END { print cases " cases in " NR " lines, " matches " matches" }' \
            "$logs"/oracle-?.log >"$log"
    else
        cat "$logs"/oracle-?.log >"$log"
    fi
    suite oracle "$status" "$log"
}

large() {
    local status=0

    "$folder/tests/gpu/gpu_large" >"$logs/large.log" 2>&1 || status=$?
    suite large "$status" "$logs/large.log"
}

records() {
    local status=0

    "$folder/tests/gpu/gpu_records" >"$logs/records.log" 2>&1 || status=$?
    suite records "$status" "$logs/records.log"
}

# The sanitizer's tools run each kernel tens to hundreds of times slower.
sanitizers() {
    local tool status cases

    for tool in memcheck racecheck initcheck synccheck; do
        status=0
        cases=1
        if ! have compute-sanitizer; then
            echo 'SKIPPED: compute-sanitizer is not installed' >"$logs/$tool.log"
            suite "compute-sanitizer $tool" 77 "$logs/$tool.log"
            continue
        fi
        TRAWL_TEST_DIVISOR=${TRAWL_GPU_SANITIZER_DIVISOR:-10} TRAWL_TEST_SCALE=$cases \
            compute-sanitizer --tool "$tool" --error-exitcode 9 \
            "$folder/tests/gpu/gpu_oracle" >"$logs/$tool.log" 2>&1 || status=$?
        suite "compute-sanitizer $tool" "$status" "$logs/$tool.log"
    done
}

for name in $tests; do
    case $name in
    oracle | large | records | sanitizers) "$name" ;;
    *) die "no such suite: $name" ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
