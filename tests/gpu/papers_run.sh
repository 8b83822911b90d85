#!/usr/bin/env bash
# The reports on the gallery's sources on a machine with a GPU, in one command: build, run, and leave
# papers.json, papers.csv, papers-NAME.svg and papers.log in FOLDER (default: $OUT, else
# build/papers-results): eight files. `./dev bench papers --from=FOLDER` then writes docs/papers.md
# from them. Run it on a clean commit: figures of any other tree are refused there.
#     bash tests/gpu/papers_run.sh [FOLDER [DATA-FOLDER [ARGUMENT...]]]
# Without a folder of texts (bible.txt, world192.txt, ecoli-nc008253.txt) generated ones stand in.
# Build and measurements end within 520 seconds: what does not fit is left out, and says so.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
out=${1:-${OUT:-build/papers-results}}
export TRAWL_DATA=${2:-${TRAWL_DATA:-shared/data}}
work=build/papers-out # the command line is part of the results: no paths of this machine in it
shift $(($# < 2 ? $# : 2))
mkdir -p "$out" "$work"
rm -f "$work"/papers*
generator=()
command -v ninja >/dev/null && generator=(-G Ninja)

git describe --always --dirty && git status --short | head -n 20
nvidia-smi --query-gpu=name,driver_version,memory.used,clocks.sm --format=csv,noheader
if ! {
    cmake -S . -B build/gpu "${generator[@]}" -DCMAKE_BUILD_TYPE=Release &&
        cmake --build build/gpu -j "$(nproc)" --target trawl_bench trawl_command
} >"$work/build.log" 2>&1; then
    tail -n 40 "$work/build.log"
    exit 1
fi
printf '[%4d s] built\n' "$SECONDS"
left=$((500 - SECONDS))
left=$((left > 60 ? left : 60))
# Results are written after each report: they are kept if a search does not end.
timeout -k 5 "$((left + 20))" build/gpu/trawl-bench papers --seconds="$left" \
    --json="$work/papers.json" --csv="$work/papers.csv" --svg="$work/papers.svg" \
    --markdown="$work/papers.md" "$@" >"$out/papers.log" 2>&1
status=$?
cp "$work"/papers.json "$work"/papers.csv "$work"/papers-*.svg "$out/"
printf '[%4d s] measured, status %d\n' "$SECONDS" "$status"
grep -E '^(GPU|WRONG|FAILED|refused|no time|[0-9]+ answers)' "$out/papers.log"
grep -E "^(The source's orderings|\*\*What the figures|In [0-9]+ cells)" "$out/papers.log"
[ "$status" -eq 0 ] || tail -n 20 "$out/papers.log"
exit "$status"
