#!/usr/bin/env bash
# bench papers: measure the gallery's sources again and write the figures of docs/papers.md
set -euo pipefail
. scripts/common.sh

#     ./dev bench papers [--uncommitted] [ARGUMENT...]   measure here; arguments go to trawl-bench papers
#     ./dev bench papers [--uncommitted] --from=FOLDER   take what tests/gpu/papers_run.sh left in FOLDER
#
# Needs a quiet machine and some minutes. With a GPU in it the columns of one are filled as well.
# Figures of a tree with changes that no commit holds are refused; --uncommitted takes and marks them.
# For tests: BENCH_PAPERS_PAGE, another page, with its figures in the folder measurements beside it;
# BENCH_PAPERS_PROGRAM, a trawl-bench that is built already; BENCH_PAPERS_WORK, a folder for files.
page=${BENCH_PAPERS_PAGE:-docs/papers.md}
results=$(dirname "$page")/measurements
work=${BENCH_PAPERS_WORK:-build/bench-papers}
bench=${BENCH_PAPERS_PROGRAM:-build/release/trawl-bench}

uncommitted=no
if [ "${1:-}" = --uncommitted ]; then
    uncommitted=yes
    shift
fi
mkdir -p "$work" "$results"
if [ -z "${BENCH_PAPERS_PROGRAM:-}" ]; then
    need build
    build_preset release >"$work/build.log" 2>&1 || {
        cat "$work/build.log" >&2
        exit 1
    }
fi
folder=$work
case ${1:-} in
--from=*)
    folder=${1#--from=}
    [ $# -eq 1 ] || die '--from=FOLDER stands alone'
    ;;
*)
    "$bench" papers --json="$work/papers.json" --csv="$work/papers.csv" \
        --svg="$work/papers.svg" --markdown="$work/papers.md" "$@"
    ;;
esac
[ -s "$folder/papers.json" ] || die "$folder holds no papers.json"
grep -q '"gpu": "a device' "$folder/papers.json" && [ -z "${BENCH_PAPERS_PAGE:-}" ] &&
    die "$folder/papers.json names no device: was it a simulated one?"
if [ $uncommitted = no ] &&
    grep -q -E '"commit": "([^"]*-dirty|unknown)"' "$folder/papers.json"; then
    die "$folder/papers.json was measured on changes that no commit holds (--uncommitted takes it)"
fi

# The page is made from the figures alone, so that its words are those of the program at hand.
"$bench" papers --from="$folder/papers.json" --markdown="$work/page-papers.md" \
    --csv="$work/page-papers.csv" || die "$folder/papers.json is of no use to this program"
for name in pss bmh swift word records losses; do
    awk -v line="<!-- paper $name -->" '
        /^<!-- paper [a-z]* -->$/ { inside = $0 == line; found += inside; next }
        inside { print }
        END { exit found != 1 }' "$work/page-papers.md" >"$work/section-$name.md" ||
        die "$folder/papers.json has no report $name"
    [ "$name" = losses ] || [ -s "$folder/papers-$name.svg" ] || die "$folder holds no papers-$name.svg"
done
for name in pss bmh swift word records losses; do
    [ "$name" = losses ] || cp "$folder/papers-$name.svg" "$results/"
    put_section "$page" "$name" "$work/section-$name.md" "$work/page.md"
done
cp "$folder/papers.json" "$results/papers.json"
cp "$work/page-papers.csv" "$results/papers.csv"
"$bench" papers --check --from="$results/papers.json" --markdown="$page" ||
    die "$page says what the figures do not"
say "written: $page, $results/papers.json, $results/papers.csv, $results/papers-*.svg"
