#!/usr/bin/env bash
# test_dev: ./dev and the counting of scripts/tests.sh, tried with programs that only pretend.
# test_dev.sh SOURCE_FOLDER
set -euo pipefail

source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/dev" "$source/scripts" "$work/"
cd "$work"
mkdir -p bin build/release/Testing/Temporary

fail() {
    echo "failed: $*"
    exit 1
}

# expect STATUS LAST-LINE COMMAND...
expect() {
    local status=0 wanted_status=$1 wanted_line=$2

    shift 2
    "$@" >out 2>err || status=$?
    [ "$status" -eq "$wanted_status" ] || fail "$* ended with $status: $(cat out err)"
    [ "$(tail -n 1 out)" = "$wanted_line" ] || fail "$* ended with the line $(tail -n 1 out)"
}

# ctest as it prints: one of each kind, a name with a number in it, a test that never ran.
cat >bin/ctest <<'FAKE'
#!/bin/sh
cat <<'LINES'
Test project /somewhere
      Start  1: unit
 1/7 Test  #1: unit .............................   Passed    0.00 sec
 2/7 Test  #2: diff_2 ...........................***Failed    0.10 sec
3 checks, 1 failed
 3/7 Test  #3: arm64 ............................***Skipped   0.01 sec
 4/7 Test  #4: slow .............................***Timeout 300.00 sec
 5/7 Test  #5: crash ............................***Exception: SegFault  0.00 sec
 6/7 Test  #6: gone .............................***Not Run   0.00 sec
 7/7 Test #17: last .............................   Passed  101.25 sec
LINES
exit 8
FAKE
cat >build/release/Testing/Temporary/LastTest.log <<'LOG'
3/7 Testing: arm64
3/7 Test: arm64
Output:
----------------------------------------------------------
SKIPPED: no cross compiler
<end of output>
Test time =   0.01 sec
LOG
cat >count.sh <<'COUNT'
. scripts/common.sh
. scripts/tests.sh
for what in "$@"; do
    case $what in
    ctest) run_ctest release ;;
    *) step "step $what" sh -c "echo SKIPPED: the reason; exit $what" || true ;;
    esac
done
summary
COUNT
chmod +x bin/ctest
PATH=$work/bin:$PATH

expect 1 '2 passed, 4 failed, 1 skipped' bash count.sh ctest
grep -qx 'skipped: release arm64: no cross compiler' out || fail 'no reason for the skip'
[ "$(grep -c '^failed: release ' out)" -eq 4 ] || fail 'the failed tests are not named'
expect 0 '1 passed, 0 failed, 1 skipped' bash count.sh 0 77
grep -qx 'skipped: step 77: the reason' out || fail 'no reason for the skipped step'
expect 1 '1 passed, 1 failed, 0 skipped' bash count.sh 0 1
expect 1 '0 passed, 0 failed, 1 skipped' bash count.sh 77
printf '#!/bin/sh\necho No tests were found\n' >bin/ctest
expect 1 '0 passed, 1 failed, 0 skipped' bash count.sh ctest

# The dispatcher: statuses go through, words find their script, nonsense is refused.
printf '# x\n# odd: y\necho "odd $*"; exit 5\n' >scripts/dev-odd.sh
printf '# x\n# odd one: y\necho "one $*"; exit 6\n' >scripts/dev-odd-one.sh
expect 5 'odd a b' ./dev odd a b
expect 6 'one b' ./dev odd one b
expect 5 'odd ../one' ./dev odd ../one
for name in nonsense ../odd 'odd/one' '-x'; do
    expect 2 '' ./dev "$name"
    grep -qF -e "$name" err || fail "the message does not name $name"
done
./dev help >out
for script in scripts/dev-*.sh; do
    name=${script#scripts/dev-}
    name=${name%.sh}
    grep -q "^  ${name//-/ } .*[a-z]" out || fail "./dev help does not tell of ${name//-/ }"
done
echo 'right'
