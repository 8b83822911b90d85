#!/usr/bin/env bash
# Run the cases of the command: each NAME.sh in an empty directory, with `trawl` on the path.
#
# usage: cli_run.sh TRAWL [--cases FOLDER] [--rewrite] [NAME...]
#
# Beside NAME.sh stand NAME.sh.stdout.exact and NAME.sh.stderr.exact (absent: nothing is printed), or .glob instead of
# .exact (a shell pattern), and NAME.sh.exit (absent: 0). A case that begins with the line "# as grep" must print what
# the case prints with GNU grep -F in place of trawl, without --chunk-bytes. Every case runs three times: as it stands,
# with --engine=cpu and mapped files, and with small chunks on three threads, which must not change a byte; with
# TRAWL_TEST_DIVISOR above 1, each case runs once, and the ways take turns from case to case. A sanitized build takes a
# different way than a plain build. --rewrite writes what the first run gave as the new expectation.
set -u

trawl=$(realpath "$1")
shift
cases=$(dirname "$0")/cases
if [ "${1-}" = --cases ]; then
    cases=$2
    shift 2
fi
cases=$(cd "$cases" && pwd)
rewrite=no
if [ "${1-}" = --rewrite ]; then
    rewrite=yes
    shift
fi
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    mapfile -t names < <(cd "$cases" && printf '%s\n' *.sh)
fi
for name in "${names[@]}"; do
    [ -f "$cases/$name" ] || { echo "there is no case $name in $cases" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/grep"
# Looking for leaks takes a third of a short run under sanitizers: there only the first command of each
# case looks.
cat > "$work/bin/trawl" <<END
#!/bin/sh
if [ "${TRAWL_TEST_DIVISOR:-1}" -gt 1 ]; then
    [ ! -e "$work/ran" ] || export LSAN_OPTIONS=detect_leaks=0
    : > "$work/ran"
fi
exec "$trawl" \$TRAWL_CASE_OPTIONS "\$@"
END
cat > "$work/grep/trawl" <<'END'
#!/bin/bash
for word; do
    [[ $word == --chunk-bytes=* ]] || words+=("$word")
done
exec grep -F "${words[@]}"
END
chmod +x "$work/bin/trawl" "$work/grep/trawl"
failed=0
run=0
ways=('' '--engine=cpu --mmap' '--chunk-bytes=5 -j3')
turn=$((${TRAWL_TEST_SEED:-1} + ${TRAWL_TEST_SANITIZED:-0}))

# expect BASE WHAT ACTUAL-FILE: is the file what BASE.WHAT.exact or .glob says?
expect() {
    local base="$1.$2" expected
    if [ -f "$base.glob" ]; then
        expected=$(cat "$base.glob")
        # shellcheck disable=SC2053
        [[ $(cat "$3") == $expected ]] && return 0
        printf '%s does not match the pattern\n%s\ngot\n%s\n' "$base" "$expected" "$(cat "$3")"
        return 1
    fi
    [ -f "$base.exact" ] || base=/dev/null
    [ "$base" = /dev/null ] || base="$base.exact"
    cmp -s "$base" "$3" && return 0
    printf '%s differs (- expected, + got)\n' "$1.$2"
    diff -u "$base" "$3" | tail -n +3
    return 1
}

# in_empty NAME OPTIONS BIN OUT: run the case in an empty directory, with the programs of BIN; its output goes to
# OUTstdout and OUTstderr
in_empty() {
    rm -rf "$work/empty" "$work/ran"
    mkdir "$work/empty"
    (cd "$work/empty" && LC_ALL=C.UTF-8 TRAWL="$trawl" TRAWL_CASE_OPTIONS=$2 TERM=xterm \
        PATH="$work/$3:$PATH" bash "$cases/$1" > "$work/$4stdout" 2> "$work/$4stderr" < /dev/null)
}

run_case() {
    local name=$1 base="$cases/$1" status expected=0 bad=0
    if [ "$(head -n 1 "$base")" = '# as grep' ]; then
        grep --version 2> /dev/null | head -n 1 | grep -q 'GNU grep' || return 0
        base=$work/as
        in_empty "$name" '' grep as.
        echo $? > "$base.exit"
        for what in stdout stderr; do
            sed 's/\bgrep: /trawl: /' "$base.$what" > "$base.$what.exact"
        done
    fi
    in_empty "$name" "$2" bin ''
    status=$?
    run=$((run + 1))
    if [ $rewrite = yes ] && [ -z "$2" ] && [ "$base" = "$cases/$name" ]; then
        for what in stdout stderr; do
            [ -f "$cases/$name.$what.glob" ] && continue
            rm -f "$cases/$name.$what.exact"
            [ -s "$work/$what" ] && cp "$work/$what" "$cases/$name.$what.exact"
        done
        rm -f "$cases/$name.exit"
        [ $status -ne 0 ] && echo $status > "$cases/$name.exit"
    fi
    [ -f "$base.exit" ] && expected=$(cat "$base.exit")
    expect "$base" stdout "$work/stdout" || bad=1
    expect "$base" stderr "$work/stderr" || bad=1
    if [ "$status" -ne "$expected" ]; then
        printf '%s: status %s, expected %s\n' "$name" "$status" "$expected"
        bad=1
    fi
    if [ $bad -ne 0 ]; then
        printf '%s failed%s\n' "$name" "${2:+ with $2}"
        failed=$((failed + 1))
    fi
}

for name in "${names[@]}"; do
    # Under sanitizers half of the cases will do: a command takes 24 ms to begin and to end there.
    if [ "${TRAWL_TEST_DIVISOR:-1}" -gt 1 ] && [ -n "${TRAWL_TEST_SANITIZED-}" ] &&
        [ $((turn % 2)) -eq 0 ]; then
        turn=$((turn + 1))
        continue
    fi
    chosen=("${ways[@]}")
    if [ "${TRAWL_TEST_DIVISOR:-1}" -gt 1 ] && [ $rewrite = no ]; then
        chosen=("${ways[turn++ % ${#ways[@]}]}")
    fi
    for options in "${chosen[@]}"; do
        run_case "$name" "$options"
    done
done
printf '%d cases run, %d failed\n' "$run" "$failed"
[ "$run" -gt 0 ] && [ "$failed" -eq 0 ]
