#!/usr/bin/env bash
# One of the runs on a machine with a GPU, each with its own build, each over in less than ten
# minutes; what it says in short comes last.
#     bash tests/gpu/device_run.sh suites                        oracle, records, sanitizers, large
#     bash tests/gpu/device_run.sh corpora [DATA-FOLDER]         the gallery finds what trawl finds
#     bash tests/gpu/device_run.sh bench [GROUP... ARGUMENT...]  ./dev bench gpu: what it measures
#     bash tests/gpu/device_run.sh papers [DATA-FOLDER [ARGUMENT...]]   the gallery's sources
# The folder $OUT, or build/gpu-out, gets PART.log, what was said in full, and PART.tar.gz, all that
# was left. TRAWL_GPU_SECONDS: how long all of it may take, instead of 570.
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

# measured NAME ARGUMENT...: ./dev bench with this build; its JSON and report are left, too
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

gpu() {
    nvidia-smi --query-gpu=name,driver_version,memory.used,clocks.sm --format=csv,noheader
}

gpu
say "begin of $part"
status=1
case $part in
suites) suites ;;
corpora) measured gpu corpora --rounds=1 --data="${1:-${TRAWL_DATA:-shared/data}}" ;;
bench) measured gpu "$@" ;;
papers) measured papers --data="${1:-${TRAWL_DATA:-shared/data}}" "${@:2}" ;;
*)
    echo "no such part: $part (suites, corpora, bench, papers)" >&2
    exit 2
    ;;
esac
say "$part: status $status"
gpu
exit "$status"
