#!/usr/bin/env bash
# bench docs: measure again and write the figures of docs/benchmarks.md, docs/comparison.md, README.md
set -euo pipefail
. scripts/common.sh

# Needs a quiet machine, twice the text in memory, four times on the disk (in build/, deleted at the
# end), and about a quarter of an hour. Arguments (say --bytes=64M, for a try) go to all four benchmarks.
page=docs/benchmarks.md
results=docs/measurements
bench=build/release/trawl-bench
work=build/bench-docs

need build python -- bench
mkdir -p "$work" "$results"
build_preset release >"$work/build.log" 2>&1 || {
    cat "$work/build.log" >&2
    exit 1
}

# All are measured before anything is written: the page's figures are of one sitting.
say 'cpu'
"$bench" cpu --json="$work/cpu.json" --svg="$work/cpu.svg" --markdown="$work/cpu.md" "$@"
say 'commands'
"$bench" commands --json="$work/commands.json" --markdown="$work/commands.md" "$@"
for part in sets matrix; do
    say "$part"
    "$bench" "$part" --rounds=3 --json="$work/$part.json" --markdown="$work/$part.md" "$@"
done

# What links to a result comes with the result.
{
    printf '![Speed against pattern length](measurements/cpu.svg)\n\n'
    printf 'Every single time is in [measurements/cpu.json](measurements/cpu.json).\n\n'
    cat "$work/cpu.md"
} >"$work/cpu-section.md"
{
    printf 'Every single time is in [measurements/commands.json](measurements/commands.json).\n\n'
    cat "$work/commands.md"
} >"$work/commands-section.md"
cp "$work/cpu.json" "$work/cpu.svg" "$work/commands.json" "$results/"
put_section "$page" cpu "$work/cpu-section.md" "$work/page.md"
put_section "$page" commands "$work/commands-section.md" "$work/page.md"
for part in sets matrix; do
    {
        printf 'Every single time is in [measurements/%s.json](measurements/%s.json).\n\n' "$part" "$part"
        cat "$work/$part.md"
    } >"$work/$part-section.md"
    cp "$work/$part.json" "$results/"
    put_section "$page" "$part" "$work/$part-section.md" "$work/page.md"
done
python3 scripts/figures.py
say "written: $page, $results/cpu.json, $results/cpu.svg, $results/commands.json"
