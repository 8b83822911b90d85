#!/usr/bin/env bash
# Everything on one machine with a GPU, bundled: build, suites, sanitizers, benchmark; a short table
# comes last. What was said in full goes to the folder $OUT if that is set.
#     bash tests/gpu/device_run.sh [GIB]
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
gib=${1:-8}
out=${OUT:-build/gpu-out}
mkdir -p "$out" build

seconds() {
    printf '[%4d s] %s\n' "$SECONDS" "$*"
}

nvidia-smi --query-gpu=name,driver_version,memory.used,clocks.sm --format=csv,noheader
seconds 'begin'
./dev test gpu >"$out/test-gpu.log" 2>&1
status=$?
seconds "suites done, status $status"
build/gpu/tests/gpu/gpu_bench "$gib" >"$out/bench.log" 2>&1
bench=$?
seconds "benchmark done, status $bench"
nvidia-smi --query-gpu=memory.used --format=csv,noheader
cp build/gpu/gpu-logs/*check.log "$out/" 2>/dev/null
grep -E '^(PASSED|FAILED|SKIPPED|[0-9]+ passed)' "$out/test-gpu.log"
[ "$status" -eq 0 ] || tail -n 60 "$out/test-gpu.log"
cat "$out/bench.log"
[ "$status" -eq 0 ] && [ "$bench" -eq 0 ]
