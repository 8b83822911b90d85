# shellcheck shell=bash disable=SC2154
# tests: functions that run and count tests. Sourced after common.sh.

passed=0
failed=0
skipped=0
later=0 # tests that this run leaves to ./dev test long
failed_names=()
skipped_reasons=()
unjudged='' # how many cases had no judge, and which
noted= # a file that lists the steps and tests that passed; these are not run again

has_passed() {
    [ -n "$noted" ] && grep -qxF "$1" "$noted" 2>/dev/null
}
note() {
    [ -z "$noted" ] || echo "$1" >>"$noted"
}

# step NAME PROGRAM...: one test that is a program. Status 77 means that it cannot run here; its
# line "SKIPPED: why" is kept.
step() {
    local name=$1 log status=0

    shift
    if has_passed "step $name"; then
        passed=$((passed + 1))
        return 0
    fi
    log=build/step-${name// /-}.log
    mkdir -p build
    say "$name"
    "$@" 2>&1 </dev/null | tee "$log" || status=${PIPESTATUS[0]}
    case $status in
    0)
        passed=$((passed + 1))
        [[ $name == build* ]] || note "step $name" # repeating a build that is up to date costs nothing
        ;;
    77)
        skipped=$((skipped + 1))
        skipped_reasons+=("$name: $(sed -n 's/^SKIPPED: //p' "$log" | tail -n 1)")
        ;;
    *)
        failed=$((failed + 1))
        failed_names+=("$name")
        return 1
        ;;
    esac
}

# run_ctest PRESET SKIPPED [OPTION...]: run the tests of build/PRESET except those whose name the expression SKIPPED
# matches, and count each test by ctest's own lines. The output of failed tests is shown only when all have run, because
# a test may itself print lines like ctest's. Two tests more than there are cores run at a time, because some wait for
# threads, terminals or other programs. LeakSanitizer's tracer itself crashes once in some thousand programs; a test that
# fails with its message is run once more.
run_ctest() {
    local preset=$1 log=build/$1/ctest.log details=build/$1/Testing/Temporary/LastTest.log
    local out=$2 scale=${TRAWL_TEST_SCALE:-1} before_this line name reason before=$((passed + failed + skipped))

    shift 2
    say "tests: $preset"
    before_this=$([ -z "$noted" ] || sed -n "s/^test $preset $scale //p" "$noted" 2>/dev/null | paste -sd '|') || true
    ctest --test-dir "build/$preset" -j $((jobs + 2)) --timeout 1200 -E "^(${before_this//./\\.})\$${out:+|$out}" \
        "$@" </dev/null 2>&1 |
        tee "$log" | while IFS= read -r line; do
        [[ $line =~ ^\ *Start ]] || echo "$line"
        [[ ! $line =~ \ Test\ +#[0-9]+:\ ([^ ]+)\ .*\ \ \ Passed ]] || note "test $preset $scale ${BASH_REMATCH[1]}"
    done || true
    [ ! -f "$details" ] || cp "$details" "$log.details" # running a test again overwrites it
    details=$log.details
    while IFS= read -r line; do
        [[ $line =~ ^\ *[0-9]+/[0-9]+\ Test\ +#[0-9]+:\ ([^ ]+)\ (.*)$ ]] || continue
        name=${BASH_REMATCH[1]}
        case ${BASH_REMATCH[2]} in
        *'***Skipped'*)
            reason=$(test_output "$name" "$details" | sed -n 's/^SKIPPED: //p' | tail -n 1)
            if [[ $reason == *'in long runs'* ]]; then
                later=$((later + 1))
            else
                skipped=$((skipped + 1))
                skipped_reasons+=("$preset $name: $reason")
            fi
            ;;
        *'   Passed '*)
            passed=$((passed + 1))
            reason=$(test_output "$name" "$details" | sed -n 's/^SKIPPED: //p' | tail -n 1)
            [ -z "$reason" ] || skipped_reasons+=("$preset $name: $reason")
            ;;
        *)
            if test_output "$name" "$details" | grep -q 'LeakSanitizer has encountered a fatal error' &&
                ctest --test-dir "build/$preset" -R "^${name//./\\.}\$" --no-tests=error >/dev/null 2>&1 </dev/null; then
                say "$preset $name passed when run again: LeakSanitizer had crashed"
                passed=$((passed + 1))
                continue
            fi
            failed=$((failed + 1))
            failed_names+=("$preset $name")
            say "output of $preset $name, which failed"
            test_output "$name" "$details" | tail -n 200
            ;;
        esac
    done <"$log"
    while IFS= read -r line; do
        unjudged+=${unjudged:+, }"$line [$preset]"
    done < <(sed -nE 's/^NOT JUDGED: ([0-9]+) cases (\(no .*\))$/\1 \2/p' "$details" 2>/dev/null |
        awk '{ n = $1; $1 = ""; count[$0] += n } END { for (name in count) print count[name] " cases" name }' | sort)
    if [ $((passed + failed + skipped)) -eq $before ] && [ -z "$before_this" ]; then
        failed=$((failed + 1))
        failed_names+=("$preset: no test ran")
    fi
}

# Print the commit whose sources the change is compared with: HEAD, or, if nothing differs from HEAD, the commit before.
before_change() {
    git rev-parse -q --verify "$(git diff --quiet HEAD && echo HEAD~1 || echo HEAD)^{commit}" 2>/dev/null
}

changed_files() {
    git diff --name-only "$(before_change)" && git ls-files --others --exclude-standard
}

# run_quick PRESET: run the tests of build/PRESET with the label quick, except those whose turn it is not (TRAWL_TURNS in
# tests/CMakeLists.txt). Only long runs include all.
run_quick() {
    local out long changed

    changed=$(changed_files 2>/dev/null) || changed=$(find . -name '*.c' -printf '%P\n')
    out=$(ctest --test-dir "build/$1" -L quick --show-only=json-v1 | python3 -c '
import json, re, sys
for number, test in enumerate(json.load(sys.stdin)["tests"]):
    labels = next(one["value"] for one in test["properties"] if one["name"] == "LABELS")
    rooms = [label.removeprefix("turn=") for label in labels if label.startswith("turn=")]
    if rooms and (number + int(sys.argv[1])) % 4 and not re.search(rooms[0], sys.argv[2], re.MULTILINE):
        print(test["name"])' "$TRAWL_TEST_SEED" "$changed")
    long=$(ctest --test-dir "build/$1" -N -L long | sed -n 's/^Total Tests: //p')
    later=$((later + long + $(grep -c . <<<"$out" || true)))
    out=$(sed 's/[.]/\\./g; s/.*/^&$/' <<<"$out" | paste -sd '|')
    run_ctest "$1" "$out" -L quick
}

# Print what test $1 printed, from ctest's detailed log $2.
test_output() {
    awk -v name="$1" '
        /^[0-9]+\/[0-9]+ Testing: / { inside = $3 == name }
        inside && /^<end of output>$/ { inside = 0 }
        inside
    ' "$2" 2>/dev/null || true
}

# forgive: a random test that fails because of an older fault does not make the run fail. It is random if it passes with
# TRAWL_TEST_SEED=1, and its fault is older if the same cases of the same tests also fail with the sources before the change.
forgive() {
    local row kept=() commit

    [ ${#failed_names[@]} -gt 0 ] && [ ${#failed_names[@]} -le 5 ] || return 0
    commit=$(before_change) || return 0
    for row in "${failed_names[@]}"; do
        if [[ $row =~ ^(release|asan)\ ([^ ]+)$ ]] && is_older "$commit" "${BASH_REMATCH[@]:1}"; then
            failed=$((failed - 1))
            skipped=$((skipped + 1))
            skipped_reasons+=("$row fails with $commit, too: correct it, with the story that the test has written")
        else
            kept+=("$row")
        fi
    done
    failed_names=("${kept[@]}")
}

# is_older COMMIT PRESET TEST: whether a random test of PRESET fails with the sources of COMMIT, too
is_older() {
    local commit=$1 preset=$2 test="^${3//./\\.}\$" number before=build/before/$1
    local -a numbers

    mapfile -t numbers < <(test_output "$3" "build/$preset/ctest.log.details" |
        sed -n 's/^TO REPEAT: .*TRAWL_TEST_CASE=//p' | sort -u | head -n 5)
    say "is the fault of $preset $3 older? cases: ${numbers[*]:-all}"
    TRAWL_TEST_SEED=1 passes "build/$preset" "$test" || return 1
    if [ ! -d "$before" ]; then
        mkdir -p "$before/build"
        git archive "$commit" | tar -x -C "$before"
        ln -s ../../../judges "$before/build/judges"
        rm -rf "$before/tests" "$before/python/tests" "$before/gallery/tests"
        tar -c tests python/tests gallery/tests | tar -x -C "$before"
    fi
    (cd "$before" && bash scripts/dev-build.sh "$preset") >"build/before-$preset.log" 2>&1 || return 1
    for number in "${numbers[@]:-}"; do
        ! TRAWL_TEST_CASE=$number passes "$before/build/$preset" "$test" || return 1
    done
}

passes() {
    ctest --test-dir "$1" -R "$2" --no-tests=error --timeout 1200 >/dev/null 2>&1 </dev/null
}

# Print the time, each test that cannot run on this machine with the reason, and each failed test; then a line with the
# numbers of tests.
# Return 1 if a test failed or no test passed.
summary() {
    echo
    say "done in ${SECONDS} s"
    if [ $later -gt 0 ]; then
        echo "in long runs: $later tests (./dev test long)"
    fi
    if [ ${#skipped_reasons[@]} -gt 0 ]; then
        printf 'skipped: %s\n' "${skipped_reasons[@]}"
    fi
    [ -z "$unjudged" ] || echo "not judged: $unjudged"
    if [ ${#failed_names[@]} -gt 0 ]; then
        printf 'failed: %s\n' "${failed_names[@]}"
    fi
    echo "$passed passed, $failed failed, $skipped skipped"
    [ $failed -eq 0 ] && [ $passed -gt 0 ]
}
