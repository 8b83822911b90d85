#!/usr/bin/env bash
# test gpu: the same searches on a real device, and the tools of compute-sanitizer on some of them
#
#     ./dev test gpu [FOLDER]   FOLDER: a build carried here; without it, build/gpu is made from
#                               source with gcc, CMake, nvcc and make or ninja alone
#
# TRAWL_TEST_SCALE=long for 300,000 cases and a text of 5 GiB. TRAWL_GPU_TESTS: "oracle periodic forms gallery
# records approximate expressions python sanitizers large" or some of these. "memcheck" is a tenth of gallery under
# compute-sanitizer, "build" only builds. TRAWL_GPU_SECONDS: the run ends within this many seconds: suites run fewer
# cases and say so, or are stopped and count as failed, or are skipped.
set -euo pipefail
. scripts/common.sh

folder=${1:-}
tests=${TRAWL_GPU_TESTS:-oracle periodic forms gallery records approximate expressions python sanitizers large}
seconds=${TRAWL_GPU_SECONDS:-0}
processes=${TRAWL_GPU_PROCESSES:-$((jobs < 8 ? jobs : 8))}
passed=0
failed=0
skipped=0

# left MOST: print how many seconds are left, at most MOST; without TRAWL_GPU_SECONDS, print MOST
left() {
    local rest=$((seconds - SECONDS))

    [ "$seconds" -gt 0 ] || rest=$1
    [ "$rest" -gt 0 ] || rest=0
    echo $((rest < $1 ? rest : $1))
}

# limited MOST COMMAND...: run COMMAND for at most MOST seconds; status 77 if less than 5 seconds
# are left
limited() {
    local time

    time=$(left "$1")
    shift
    if [ "$time" -lt 5 ]; then
        echo 'SKIPPED: out of time'
        return 77
    fi
    timeout -k 5 "$time" "$@"
}

# suite NAME STATUS LOG: count a suite that ended with STATUS, and print what its LOG says
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
    124 | 137)
        failed=$((failed + 1))
        echo "FAILED  $1: stopped, its time was up:"
        tail -n 20 "$3"
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
        --target trawl_static sim_approximate sim_periodic gpu_oracle gpu_forms gpu_large gpu_records trawl_bench trawl_command trawl_kernels \
        >build/gpu-build.log
    ! cmake --build build/gpu --target help | grep -q sim_expressions ||
        cmake --build build/gpu -j "$jobs" --target sim_expressions >>build/gpu-build.log
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
LD_LIBRARY_PATH=$(realpath "$folder")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} # libtrawl_kernels, in a folder carried here
export LD_LIBRARY_PATH
logs=$folder/gpu-logs
mkdir -p "$logs"

# crowd NAME ARGUMENT...: run gpu_NAME in several processes, each with its own seed and its own context on the device.
# Their logs are NAME-*.log; if one failed, $status becomes its status.
crowd() {
    local name=$1 pids=() one own

    shift
    own=$(left 100000)
    rm -f "$logs/$name"-*.log
    for ((i = 1; i <= processes; i++)); do
        TRAWL_TEST_SEED=$((${TRAWL_TEST_SEED:-0} + i)) TRAWL_TEST_SECONDS=$((own / 3)) \
            limited $((own / 2)) "$folder/tests/gpu/gpu_$name" "$@" >"$logs/$name-$i.log" 2>&1 &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        one=0
        wait "$pid" || one=$?
        [ "$one" -eq 0 ] || status=$one
    done
}

oracle() {
    local log=$logs/oracle.log status=0

    crowd oracle methods
    if [ "$status" -eq 0 ]; then
        awk '/^cases: / { gsub(/[,;]/, ""); for (i = 2; i < NF; i++)
                 if ($i ~ /^(every|grams|sampled|set|auto)$/) cases += $(i + 1);
                 lines++; matches += $(NF - 1) }
             /^out of time: / { late++ }
             END { print cases " cases of methods, in " lines " processes, " matches " matches";
                   if (late) print late " processes were out of time" }' \
            "$logs"/oracle-*.log >"$log"
    else
        cat "$logs"/oracle-*.log >"$log"
    fi
    suite oracle "$status" "$log"
}

forms() {
    local log=$logs/forms.log status=0

    crowd forms
    if [ "$status" -eq 0 ]; then
        awk '/ right [0-9]/ { sub(/.* right /, ""); answers += $1 }
             /^out of time: / { late++ }
             END { print answers " answers of all forms"
                   if (late) print late " processes were out of time" }' \
            "$logs"/forms-*.log >"$log"
    else
        cat "$logs"/forms-*.log >"$log"
    fi
    suite forms "$status" "$log"
}

# gallery NAME [COMMAND...]: run 26,000 cases of the gallery, under COMMAND if given, in one process: several processes
# would take turns on the device, and each would wait for its turn after each small kernel. Shows the cases of each
# algorithm.
gallery() {
    local name=$1 status=0 own log=$logs/$1.log

    shift
    own=$(left 100000)
    TRAWL_TEST_SCALE=${TRAWL_TEST_SCALE:-13} TRAWL_TEST_SECONDS=$((own * 4 / 5)) limited "$own" \
        "$@" "$folder/tests/gpu/gpu_oracle" gallery children >"$log" 2>&1 || status=$?
    if grep -q 'Device not supported' "$log"; then
        status=77
    fi
    grep -E ' right [0-9]|^gallery: |^out of time|ERROR SUMMARY' "$log" || :
    suite "$name" "$status" "$log"
}

# Under memcheck the kernels run tens of times slower, so only a tenth of the cases is run.
memcheck() {
    TRAWL_TEST_DIVISOR=${TRAWL_GPU_SANITIZER_DIVISOR:-10} TRAWL_TEST_THREADS=2 gallery memcheck \
        compute-sanitizer --tool memcheck --error-exitcode 9
}

# simple NAME MOST PROGRAM ARGUMENT...: run a test program for at most MOST seconds, as the suite NAME
simple() {
    local name=$1 most=$2 program=$folder/tests/$3 status=0

    shift 3
    limited "$most" "$program" "$@" >"$logs/$name.log" 2>&1 || status=$?
    suite "$name" "$status" "$logs/$name.log"
}

# sanitizer TOOL 'NAME ARGUMENT...': run gpu_NAME under a tool of compute-sanitizer, which makes kernels tens to
# hundreds of times slower. The first hits of a list are copied before the list's length is known, perhaps with bytes that no
# kernel wrote. So initcheck checks kernels, not copies.
sanitizer() {
    local name="compute-sanitizer $1, $2" log=$logs/$1-${2// /-}.log status=0 divisor=10 options=()

    case $1 in
    memcheck) options=(--report-api-errors no) ;; # the library asks about addresses of the host, too
    racecheck) divisor=100 ;;
    initcheck) options=(--check-api-memory-access no) ;;
    esac
    # shellcheck disable=SC2086 # arguments are words
    TRAWL_TEST_DIVISOR=${TRAWL_GPU_SANITIZER_DIVISOR:-$divisor} TRAWL_TEST_SCALE=1 \
        TRAWL_TEST_SECONDS=25 limited 90 compute-sanitizer --tool "$1" "${options[@]}" \
        --error-exitcode 9 "$folder"/tests/gpu/gpu_$2 >"$log" 2>&1 || status=$?
    if grep -q 'Device not supported' "$log"; then
        echo 'SKIPPED: compute-sanitizer does not take this device' >>"$log"
        status=77
    fi
    suite "$name" "$status" "$log"
}

# Of the tools, only memcheck can check kernels that start child grids.
sanitizers() {
    local tool

    if ! have compute-sanitizer; then
        echo 'SKIPPED: it is not installed' >"$logs/sanitizer.log"
        suite compute-sanitizer 77 "$logs/sanitizer.log"
        return
    fi
    for tool in memcheck racecheck initcheck synccheck; do
        sanitizer "$tool" 'oracle methods gallery'
        sanitizer "$tool" forms
    done
    sanitizer memcheck 'oracle children'
    sanitizer memcheck records
    sanitizer racecheck records
}

# Build the Python package with $folder's library, for the python3 that has PyTorch. Status 77: impossible here.
build_package() {
    local place=$folder/python

    if ! python3 -c 'import torch, Cython; assert torch.cuda.is_available()' 2>/dev/null; then
        echo 'SKIPPED: python3 has no PyTorch that sees a GPU, or no Cython'
        return 77
    fi
    cmake -S python -B "$place" -DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE="$(command -v python3)" \
        -DTRAWL_LIBRARY="$(realpath "$folder/src/libtrawl.a")" &&
        cmake --build "$place" -j "$jobs" --target _trawl trawl_extension &&
        rm -rf "$place/site" && mkdir "$place/site" && cp -r python/trawl "$place/site" &&
        cp "$place"/_trawl*.so "$place/_answers.py" "$place/site/trawl"
}

# package NAME COMMAND...: run COMMAND, which imports the package, as the suite NAME
package() {
    local name=$1 log="$logs/$1.log" status=0

    shift
    PYTHONPATH=$folder/python/site:${PYTHONPATH:-} limited 300 "$@" >"$log" 2>&1 || status=$?
    ! grep -q 'Device not supported' "$log" || status=77
    suite "$name" "$status" "$log"
}

# Search arrays and columns of those of PyTorch, CuPy, JAX and cuDF that are installed; compare with pylibcudf; and run
# a part under memcheck, since the package copies results and joins columns itself.
packages() {
    local log=$logs/python.log status=0

    build_package >"$log" 2>&1 || status=$?
    if [ "$status" -ne 0 ]; then
        suite python "$status" "$log"
        return
    fi
    package python python3 python/tests/gpu_real.py
    if python3 -c 'import pylibcudf, cupy' 2>/dev/null; then
        package pylibcudf python3 python/tests/gpu_cudf.py
    else
        echo 'SKIPPED: python3 has no pylibcudf' >"$log"
        suite pylibcudf 77 "$log"
    fi
    have compute-sanitizer || return 0
    package python-memcheck compute-sanitizer --tool memcheck --report-api-errors no --error-exitcode 9 \
        python3 python/tests/gpu_real.py 0
}

for name in $tests; do
    case $name in
    python) packages ;;
    oracle | forms | sanitizers | memcheck) "$name" ;;
    gallery) gallery gallery ;;
    periodic) TRAWL_TEST_SECONDS=$(($(left 100000) / 5)) simple periodic 600 sim/sim_periodic device ;;
    approximate) simple approximate 600 sim/sim_approximate device ;;
    expressions) simple expressions 600 sim/sim_expressions device ;;
    records) simple records 150 gpu/gpu_records ;;
    large) simple large 100000 gpu/gpu_large ;;
    build) ;;
    *) die "no such suite: $name" ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
