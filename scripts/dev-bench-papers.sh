#!/usr/bin/env bash
# bench papers: measure the gallery's sources again and write the figures of docs/papers.md
set -euo pipefail
. scripts/common.sh

#     ./dev bench papers [ARGUMENT...]     measure here; arguments go to trawl-bench papers
#     ./dev bench papers --from=FOLDER     take what tests/gpu/papers_run.sh left in FOLDER
#
# Needs a quiet machine and some minutes. With a GPU in it the columns of one are filled as well.
page=docs/papers.md
results=docs/measurements
work=build/bench-papers

folder=$work
case ${1:-} in
--from=*)
    folder=${1#--from=}
    [ $# -eq 1 ] || die '--from=FOLDER stands alone'
    ;;
*)
    need build
    mkdir -p "$work"
    build_preset release >"$work/build.log" 2>&1 || {
        cat "$work/build.log" >&2
        exit 1
    }
    build/release/trawl-bench papers --json="$work/papers.json" --csv="$work/papers.csv" \
        --svg="$work/papers.svg" --markdown="$work/papers.md" "$@"
    ;;
esac
for file in papers.json papers.csv papers.md; do
    [ -s "$folder/$file" ] || die "$folder holds no $file"
done
grep -q '"gpu": "a device' "$folder/papers.json" &&
    die "$folder/papers.json names no device: was it a simulated one?"
mkdir -p "$work" "$results"

# Each report of the Markdown file goes between the page's markers of its name.
for name in pss bmh swift word records; do
    {
        printf '![%s](measurements/papers-%s.svg)\n\n' "$name: the plots" "$name"
        printf 'Every time: [papers.json](measurements/papers.json), a line per figure: '
        printf '[papers.csv](measurements/papers.csv).\n\n'
        awk -v line="<!-- paper $name -->" '
            /^<!-- paper [a-z]* -->$/ { inside = $0 == line; found += inside; next }
            inside { print }
            END { exit found != 1 }' "$folder/papers.md"
    } >"$work/section-$name.md" || die "$folder/papers.md has no report $name"
    [ -s "$folder/papers-$name.svg" ] || die "$folder holds no papers-$name.svg"
done
for name in pss bmh swift word records; do
    cp "$folder/papers-$name.svg" "$results/"
    put_section "$page" "$name" "$work/section-$name.md" "$work/page.md"
done
cp "$folder/papers.json" "$folder/papers.csv" "$results/"
say "written: $page, $results/papers.json, $results/papers.csv, $results/papers-*.svg"
