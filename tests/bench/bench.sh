#!/usr/bin/env bash
# bench: trawl-bench on small texts. bench.sh PART TRAWL-BENCH TRAWL [PAPERS-TEST [FOLDER]]
# PAPERS-TEST: the program of papers_test.c. FOLDER: of the simulated driver.
set -euo pipefail

part=$1
bench=$2
command=$3
papers_test=${4:-}
driver=${5:-}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
declare -A filters
trap 'rm -rf "$work"' EXIT
export TRAWL_DATA=$work # empty: texts are generated, the same ones everywhere

fail() {
    echo "FAILED: $*"
    sed 's/^/  | /' "$work/out" 2>/dev/null || true
    exit 1
}

# expect STATUS ARGUMENT...: run the bench; its output is in out, what it complains about in err.
expect() {
    local status=0

    "$bench" "${@:2}" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq "$1" ] || fail "exit status $status, not $1: ${*:2}: $(cat "$work/err")"
}

lines_with() {
    grep -c -e "$1" "$work/$2" || true
}

# rows N: the results in out.json, which must be JSON where Python can tell, hold N rows.
rows() {
    [ "$(lines_with '"name": ' out.json)" -eq "$1" ] || fail "not $1 rows in the JSON"
    if command -v python3 >/dev/null; then
        python3 - "$work/out.json" "$1" <<'PYTHON' || fail 'the JSON is not as it should be'
import json, sys

with open(sys.argv[1], encoding='utf-8') as file:
    results = json.load(file)
rows = results['rows']
assert len(rows) == int(sys.argv[2])
assert results['machine']['text_bytes'] > 0
for row in rows:
    runners = row.get('runners')
    if 'dense' in row:
        assert 0 < row['ratio'] and row['verdict'] == ('ok' if row['ratio'] <= row['bar'] else 'low')
        assert row['pattern_count'] > 0 and row['dense']['found'] > 0, row
        for side in row['dense'], row['random']:
            assert min(side['seconds'] + [side['first_seconds']]) > 0, row
    elif runners is None:
        assert len(row['one_seconds']) == 1 and row['one_seconds'][0] > 0, row
        assert row['to_read'] > 0 and row['to_memmem'] > 0 and row['method'], row
    elif runners or 'rg -F' in results['versions']:  # ignore files are read by ripgrep alone
        judge = 'rg -F' if 'ignore rules' in row['name'] else 'grep -F'
        assert runners['trawl']['median_seconds'] > 0, row
        assert runners[judge]['output_bytes'] == runners['trawl']['output_bytes'], row
PYTHON
    fi
}

# A page made from the run in out.json must pass the check; one that says more or less must not.
check_page() {
    local page=$work/page/papers.md

    mkdir -p "$work/run" "$work/page"
    cp "$work/out.json" "$work/run/papers.json"
    for report in pss bmh swift word records; do
        cp "$work/out-$report.svg" "$work/run/papers-$report.svg"
    done
    cp "$root/docs/papers.md" "$page"
    (cd "$root" && BENCH_PAPERS_PAGE=$page BENCH_PAPERS_PROGRAM=$bench BENCH_PAPERS_WORK=$work/made \
        bash scripts/dev-bench-papers.sh --uncommitted --from="$work/run") >"$work/out" 2>&1 ||
        fail 'the page was not made'
    sed 's/"commit": "[^"]*"/"commit": "123456789-dirty"/' "$work/out.json" >"$work/run/papers.json"
    (cd "$root" && BENCH_PAPERS_PAGE=$page BENCH_PAPERS_PROGRAM=$bench BENCH_PAPERS_WORK=$work/made \
        bash scripts/dev-bench-papers.sh --from="$work/run") >"$work/out" 2>&1 &&
        fail 'figures that no commit holds were taken'
    expect 0 papers --check --from="$work/page/measurements/papers.json" --markdown="$page"
    [ "$(lines_with '^0 sentences' out)" -eq 1 ] || fail 'the check says nothing'
    for change in 's/faster in \([0-9]*\) of/faster in 1\1 of/' 's/^\(| m = .*\) 0\./\1 1./' \
        's/^- Ours: \(.*\)/- \1/' 's/^## Make them again/In 7 ms it is done.\n\n&/' \
        's/^## Make them again/Its kernel is the fastest one.\n\n&/' \
        's/^<!-- end losses -->/- pss: never.\n&/' '/^- Ours: trawl, all cores/d'; do
        sed "$change" "$page" >"$work/page/changed.md"
        cmp -s "$page" "$work/page/changed.md" && continue
        expect 1 papers --check --from="$work/page/measurements/papers.json" \
            --markdown="$work/page/changed.md"
        [ "$(lines_with '^\(no figures\|[a-z]*: the page says\): ' out)" -gt 0 ] ||
            fail "not noticed: $change"
    done
    "$papers_test" "$work/out.json" >"$work/out" || fail 'a sentence does not turn with its figures'
}

case $part in
papers_page)
    status=0
    (cd "$root" && "$bench" papers --check) >"$work/out" || status=$?
    if [ $status -eq 77 ]; then
        echo "SKIPPED: $(cat "$work/out")"
        exit 77
    fi
    [ $status -eq 0 ] || fail 'docs/papers.md says what its figures do not'
    if command -v python3 >/dev/null; then
        python3 "$(dirname "$0")/papers_hybrid.py" "$root/docs/measurements/papers.json" \
            "$root/src/gallery/kernels.def" || fail 'a threshold is not what was measured'
    fi
    ;;
cpu)
    # 4 alphabets x 9 lengths, 5 words, and what is absent of one alphabet
    expect 0 cpu --bytes=1M --rounds=1 --filter=present --json="$work/out.json" \
        --svg="$work/out.svg" --markdown="$work/out.md"
    rows 36
    [ "$(lines_with '<polyline' out.svg)" -eq 16 ] || fail 'the plot has not 4 lines x 2 x 2'
    [ "$(lines_with '<circle' out.svg)" -eq 72 ] || fail 'the plot has not 36 x 2 points'
    [ "$(lines_with '^| m=' out.md)" -eq 36 ] || fail 'not every row in the Markdown'
    expect 0 cpu --bytes=1M --rounds=1 --filter='english word' --json="$work/out.json"
    rows 5
    expect 0 cpu --bytes=1M --rounds=1 --filter=az --json="$work/out.json"
    rows 18
    ;;
worst)
    # 7 kinds; with one more thread than cores, and without instruction sets
    expect 0 cpu --bytes=1M --rounds=1 --filter='worst m=64' --threads=3 --sample \
        --instruction-set=portable --json="$work/out.json"
    rows 7
    ;;
commands)
    expect 0 commands --bytes=2M --rounds=1 --small-runs=1 --directory="$work" \
        --command="$command" --json="$work/out.json" --markdown="$work/out.md"
    rows 46
    [ "$(lines_with '^| [a-z1A-Z].* \*\*[0-9.]*\*\*\|-' out.md)" -ge 46 ] || fail 'not every row'
    [ -z "$(find "$work" -name 'trawl-bench.*')" ] || fail 'files were left behind'
    ;;
papers | papers_gpu)
    # All reports on tiny texts; on the simulated device they take longest, so there are fewer rows.
    states=(no-gpu)
    if [ "$part" = papers_gpu ]; then
        export LD_LIBRARY_PATH=$driver
        states=(gpu)
    elif "$bench" papers word --largest=1K --cell-seconds=0 --directory="$work" |
        grep -q '^GPU: [^n]'; then
        echo 'SKIPPED: there is a device here'
        exit 77
    fi
    expect 0 papers --largest=2K --rounds=2 --cell-seconds=0 --seconds=3000 --directory="$work" \
        --command="$command" --json="$work/out.json" --csv="$work/out.csv" \
        --svg="$work/out.svg" --markdown="$work/out.md"
    if command -v python3 >/dev/null; then
        python3 "$(dirname "$0")/papers_check.py" "$work/out.json" "$work/out.csv" \
            "${states[@]}" || fail 'the results are not as they should be'
    fi
    [ "$(lines_with '^<!-- paper [a-z]* -->$' out.md)" -eq 6 ] || fail 'not five reports and losses'
    for report in pss bmh swift word records; do
        [ "$(lines_with '^</svg>$' "out-$report.svg")" -eq 1 ] || fail "no plots of $report"
    done
    # Bash and other programs, for the most part.
    [ "${TRAWL_TEST_DIVISOR:-1}" -gt 1 ] || check_page
    if [ "$part" = papers ]; then
        [ "$(lines_with 'not measured yet on a GPU' out.md)" -gt 0 ] || fail 'a GPU was claimed'
    else
        [ "$(lines_with 'not measured yet on a GPU' out.md)" -eq 0 ] || fail 'the GPU is missing'
    fi
    if [ "$part" = papers_gpu ]; then
        # A device that fails once: one figure is missing, the rest is measured, the status says so.
        export TRAWL_SIM_FAIL_CALL=500
        expect 1 papers pss --largest=2K --rounds=2 --cell-seconds=0 --directory="$work" \
            --csv="$work/failed.csv"
        unset TRAWL_SIM_FAIL_CALL
        [ "$(lines_with '^FAILED: pss: .*a simulated failure' out)" -gt 0 ] || fail 'no FAILED line'
        [ "$(lines_with ',"failed",' failed.csv)" -gt 0 ] || fail 'a failure has a time'
        [ "$(lines_with 'pss-g.*,"measured",' failed.csv)" -gt 0 ] || fail 'all was given up'
    fi
    expect 0 papers bmh --largest=1K --rounds=1 --directory="$work" --svg="$work/one.svg"
    [ -s "$work/one.svg" ] || fail 'one report, one file'
    expect 0 papers bmh --largest=1K --seconds=0 --directory="$work" --csv="$work/late.csv"
    [ "$(lines_with ',"no time",' late.csv)" -gt 0 ] || fail 'the end of the time was not seen'
    [ "$(lines_with ',"measured",' late.csv)" -eq 0 ] || fail 'measured after the end of the time'
    reports=(pss bmh swift word records)
    [ "${TRAWL_TEST_DIVISOR:-1}" -le 1 ] || [ "$part" = papers ] || reports=(pss records)
    for report in "${reports[@]}"; do
        expect 1 papers "$report" --largest=1K --cell-seconds=0 --directory="$work" --falsify \
            --csv="$work/wrong.csv"
        [ "$(lines_with "^WRONG: $report: " out)" -gt 0 ] || fail 'no WRONG line'
        [ "$(lines_with ',"measured",' wrong.csv)" -eq 0 ] || fail 'a wrong answer has a time'
    done
    [ -z "$(find "$work" -name 'trawl-bench.*')" ] || fail 'files were left behind'
    ;;
roofline)
    # 3 alphabets, each length, each engine; a device, where the simulated one is given, as well.
    engines=1
    if [ -n "$driver" ]; then
        export LD_LIBRARY_PATH=$driver
        engines=2
    fi
    expect 0 roofline --bytes=1M --rounds=1 --threads=1 --cell-seconds=0 --filter=' m=16 ' \
        --markdown="$work/out.md"
    [ "$(lines_with '^| [CG]PU, .*| [a-z]*, 16 |' out)" -eq $((3 * engines)) ] || fail 'not every row'
    [ "$(lines_with '^| [CG]PU, .*| ok |$' out.md)" -gt 0 ] || fail 'no choice was a good one'
    [ "$(lines_with "^$((3 * engines)) choices, " out.md)" -eq 1 ] || fail 'no line on all choices'
    expect 0 roofline --bytes=1M --rounds=1 --threads=2 --filter='az m=8 '
    [ "$(lines_with '^| CPU, 2 threads |' out)" -eq 1 ] || fail 'nothing with two threads'
    expect 0 roofline --bytes=1M --rounds=1 --seconds=0 --filter='az m=8 '
    [ "$(lines_with 'the time was up' out)" -eq 1 ] || fail 'the end of the time was not seen'
    expect 1 roofline --bytes=1M --rounds=1 --filter='az m=8 ' --falsify --markdown="$work/no.md"
    [ "$(lines_with '^WRONG: az m=8 present: ' out)" -gt 0 ] || fail 'no WRONG line'
    [ ! -e "$work/no.md" ] || fail 'results were written though an answer was wrong'
    ;;
sets | matrix)
    filters=([sets]='dna, 10 p' [matrix]='letters, 4')
    expect 0 "$part" --bytes=1M --rounds=2 --threads=2 --cell-seconds=0 --directory="$work" \
        --command="$command" --filter="${filters[$part]}" --json="$work/out.json" \
        --markdown="$work/out.md"
    [ "$(lines_with '^  trawl, .* core.* [0-9]' out)" -ge 2 ] || fail 'not every contestant of ours'
    [ "$(lines_with 'memmem, all cores against\|against memmem, all cores: \|-f against grep' out.md)" -gt 0 ] ||
        fail 'no conclusions'
    if command -v python3 >/dev/null; then
        python3 - "$work/out.json" <<'PYTHON' || fail 'the JSON is not as it should be'
import json, sys

with open(sys.argv[1], encoding='utf-8') as file:
    results = json.load(file)
(row,) = results['rows']
assert row['patterns'] > 0 and row['found'] > 0 and results['machine']['text_bytes'] > 0
for result in row['results']:
    assert result['why_not'] or result['count'] == result['expected'] or not result['right'], result
    assert result['why_not'] or len(result['seconds']) == 2 and min(result['seconds']) > 0, result
    assert 0 < result['share'] <= 1, result
    if result['contestant'].startswith('trawl'):
        assert result['right'] and result['share'] == 1 and not result['why_not'], result
assert any(result['contestant'].startswith('memmem') and result['right'] for result in row['results'])
PYTHON
    fi
    [ -z "$(find "$work" -name 'trawl-bench.*')" ] || fail 'files were left behind'
    expect 1 "$part" --bytes=1M --rounds=1 --cell-seconds=0 --directory="$work" \
        --command="$command" --filter="${filters[$part]}" --falsify --json="$work/no.json"
    [ "$(lines_with '^WRONG: ' out)" -gt 0 ] || fail 'no WRONG line'
    [ ! -e "$work/no.json" ] || fail 'results were written though an answer was wrong'
    ;;
floods)
    # All that can be wanted, in bytes and in UTF-8; English only where it is found.
    set='1,000 substrings; 4,000 letters repeated, in lines'
    expect 0 floods --bytes=1M --rounds=2 --filter="$set" --json="$work/out.json" \
        --markdown="$work/out.md"
    rows 5
    [ "$(lines_with '^| .* | \(ok\|low\) |$' out.md)" -eq 5 ] || fail 'not every row in the Markdown'
    [ "$(lines_with '^- .*: .* times as long as on random letters in 1 row; ' out.md)" -eq 5 ] ||
        fail 'not every conclusion'
    cp "$root/docs/architecture.md" "$work/bible.txt"
    expect 0 floods --bytes=1M --rounds=1 --filter='and th; English' --json="$work/out.json"
    rows 2
    rm "$work/bible.txt"
    expect 0 floods --bytes=1M --rounds=1 --filter='; English; count' --markdown="$work/out.md"
    [ "$(lines_with '^- not measured, without an English text: .*; English$' out.md)" -eq 5 ] ||
        fail 'nothing said of rows that were left out'
    expect 0 floods --bytes=1M --rounds=1 --filter='UTF-8; 4,000 letters repeated, in lines; lines' \
        --json="$work/out.json"
    rows 1
    for want in count lines positions 'in batches' 'count by pattern'; do
        expect 1 floods --bytes=1M --rounds=1 --filter="$set; $want" --falsify --json="$work/no.json"
        [ "$(lines_with "^WRONG: $set; $want: the dense text finds " out)" -eq 1 ] ||
            fail "no WRONG line: $want"
        [ ! -e "$work/no.json" ] || fail 'results were written though an answer was wrong'
    done
    ;;
wrong)
    expect 1 cpu --bytes=1M --rounds=1 --filter='az m=8' --falsify --json="$work/out.json"
    [ "$(lines_with '^WRONG: az m=8 present: trawl counts ' out)" -eq 1 ] || fail 'no WRONG line'
    [ ! -e "$work/out.json" ] || fail 'results were written though an answer was wrong'
    # A command that answers in no time, and wrongly.
    printf '#!/bin/sh\necho 7\n' >"$work/liar"
    chmod +x "$work/liar"
    expect 1 commands --bytes=1M --rounds=1 --filter='rare word -c -i' --directory="$work" \
        --command="$work/liar"
    [ "$(lines_with '^WRONG: ' out)" -eq 1 ] || fail 'no WRONG line'
    [ -z "$(find "$work" -name 'trawl-bench.*')" ] || fail 'files were left behind'
    ;;
options)
    for line in '' 'gpu' 'cpu --bytes=7' 'cpu --bytes=x' 'cpu --rounds=0' 'cpu --method=no' \
        'cpu --instruction-set=no' 'cpu --no-such' 'cpu --bytes=1M --filter=no-such-row' \
        'cpu --bytes=1M --text=/no/such/file --filter=english' 'commands --command=/no/such' \
        'papers no-such' 'papers word bmh' 'cpu commands' 'papers --largest=7' \
        'papers --seconds=x' 'papers --command=/no/such'; do
        # shellcheck disable=SC2086
        expect 2 $line
        [ -s "$work/err" ] || fail "nothing said: $line"
    done
    expect 0 --help
    grep -o -e '--[a-z-]*' "$work/out" | sort -u >"$work/names"
    while read -r option; do
        case $option in
        --help | --falsify | --sample | --check) continue ;;
        esac
        "$bench" cpu "$option" >/dev/null 2>"$work/err" </dev/null || true
        grep -q 'requires an argument' "$work/err" || fail "--help names $option; there is none"
    done <"$work/names"
    ;;
*) fail "no such part: $part" ;;
esac
echo "bench.$part: passed"
