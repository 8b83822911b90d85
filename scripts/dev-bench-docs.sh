#!/usr/bin/env bash
# bench docs: measure again and write the figures of docs/benchmarks.md, docs/comparison.md, README.md
#
#     ./dev bench docs [cpu] [commands] [sets] [matrix] [floods] [ARGUMENT...]    default: all five
set -euo pipefail
. scripts/common.sh

# Needs a quiet machine, twice the text in memory, four times on the disk (in build/, deleted at the
# end), and about half an hour. Arguments (say --bytes=64M, for a try) go to all that is measured.
page=docs/benchmarks.md
results=docs/measurements
bench=build/release/trawl-bench
work=build/bench-docs
parts=()

while [ $# -gt 0 ] && [[ $1 =~ ^(cpu|commands|sets|matrix|floods)$ ]]; do
    parts+=("$1")
    shift
done
[ ${#parts[@]} -gt 0 ] || parts=(cpu commands sets matrix floods)

need build python -- bench
mkdir -p "$work" "$results"
build_preset release >"$work/build.log" 2>&1 || {
    cat "$work/build.log" >&2
    exit 1
}

# measure PART [ARGUMENT...]
measure() {
    local more=()

    say "$1"
    case $1 in
    cpu) more=(--svg="$work/cpu.svg") ;;
    sets | matrix | floods) more=(--rounds=3) ;;
    esac
    "$bench" "$1" --json="$work/$1.json" --markdown="$work/$1.md" "${more[@]}" "${@:2}"
}

# write_part PART: what links to a result comes with the result.
write_part() {
    {
        if [ "$1" = cpu ]; then
            printf '![Speed against pattern length](measurements/cpu.svg)\n\n'
            cp "$work/cpu.svg" "$results/"
        fi
        printf 'Every single time is in [measurements/%s.json](measurements/%s.json).\n\n' "$1" "$1"
        cat "$work/$1.md"
    } >"$work/$1-section.md"
    cp "$work/$1.json" "$results/"
    put_section "$page" "$1" "$work/$1-section.md" "$work/page.md"
}

# All are measured before anything is written: what stands together is of one sitting.
for part in "${parts[@]}"; do
    measure "$part" "$@"
done
for part in "${parts[@]}"; do
    write_part "$part"
done
python3 scripts/figures.py
say "written: $page and $results: ${parts[*]}"
