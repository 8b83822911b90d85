#!/usr/bin/env bash
# Makes one of the runs for a machine with a GPU. Each builds what it needs, ends within ten minutes, and prints a
# summary last.
#     bash tests/gpu/device_run.sh suites                        all suites of ./dev test gpu
#     bash tests/gpu/device_run.sh bench [GROUP... ARGUMENT...]  what "./dev bench gpu" measures
#     bash tests/gpu/device_run.sh papers [DATA-FOLDER [ARGUMENT...]]   the figures of docs/papers.md
#     bash tests/gpu/device_run.sh gallery                       26,000 cases of published algorithms, and
#                                                a tenth of the cases under compute-sanitizer's memcheck
# The whole output goes to PART.log in the folder $OUT, or build/gpu-out. suites and bench also leave PART.tar.gz there;
# bench and papers also leave JSON and a report. The variable TRAWL_GPU_SECONDS replaces the limit of 570 seconds.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
part=${1:-suites}
shift $(($# < 1 ? $# : 1))
out=${OUT:-build/gpu-out}
seconds=${TRAWL_GPU_SECONDS:-570}
mkdir -p "$out" build
log=$out/$part.log

say() {
    printf '[%4d s] %s\n' "$SECONDS" "$*"
}

rest() {
    echo $((seconds > SECONDS + 60 ? seconds - SECONDS : 60))
}

suites() {
    TRAWL_GPU_SECONDS=$(rest) ./dev test gpu >"$log" 2>&1
    status=$?
    tar -czf "$out/$part.tar.gz" -C build/gpu gpu-logs
    grep -E '^(PASSED|FAILED|SKIPPED|[0-9]+ passed)' "$log"
    [ "$status" -eq 0 ] || tail -n 60 "$log"
}

# measured NAME ARGUMENT...: build the measuring program, run ./dev bench NAME with it, and leave its JSON and report
measured() {
    local name=$1

    shift
    TRAWL_GPU_TESTS=build ./dev test gpu >"$log" 2>&1 || return 1
    say built
    timeout -k 5 "$(rest)" ./dev bench "$name" "$@" --runner=build/gpu/trawl-bench \
        --directory=build --json="$out/$name.json" --markdown="$out/$name.md" \
        --seconds="$(($(rest) > 120 ? $(rest) - 60 : 60))" >>"$log" 2>&1
    status=$?
    tar -czf "$out/$part.tar.gz" -C "$out" "$part.log" "$name.json" "$name.md"
    cat "$log"
}

# The figures of docs/papers.md and docs/papers, left beside papers.json. Outside a git repository, the caller must set
# TRAWL_COMMIT to the commit.
papers() {
    TRAWL_GPU_TESTS=build ./dev test gpu >"$log" 2>&1 || {
        tail -n 40 "$log"
        return 1
    }
    say built
    timeout -k 5 "$(rest)" ./dev bench docs papers "$@" --cell-seconds="${TRAWL_CELL_SECONDS:-0.2}" \
        --seconds="$(($(rest) > 120 ? $(rest) - 60 : 60))" --runner=build/gpu/trawl-bench \
        --directory=build >>"$log" 2>&1
    status=$?
    cp -r docs/measurements/papers.json docs/papers.md docs/papers "$out"
    tail -n 30 "$log"
}

gallery() {
    TRAWL_GPU_SECONDS=$(($(rest) * 3 / 5)) TRAWL_GPU_TESTS='gallery' ./dev test gpu 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    [ "$status" -eq 0 ] || return
    TRAWL_GPU_SECONDS=$(rest) TRAWL_GPU_TESTS='memcheck' ./dev test gpu build/gpu 2>&1 |
        tee -a "$log"
    status=${PIPESTATUS[0]}
}

gpu() {
    nvidia-smi --query-gpu=name,driver_version,memory.used,clocks.sm --format=csv,noheader
}

gpu
say "begin of $part"
status=1
case $part in
suites) suites ;;
bench) measured gpu "$@" ;;
papers) papers --data="${1:-${TRAWL_DATA:-shared/data}}" "${@:2}" ;;
gallery) gallery ;;
*)
    echo "no such part: $part (suites, bench, papers, gallery)" >&2
    exit 2
    ;;
esac
say "$part: status $status"
gpu
exit "$status"
