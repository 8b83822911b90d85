#!/usr/bin/env bash
# Passes the documents generated from the option table to the programs that read them. A missing program is named and
# skipped.
#
# usage: documents.sh TRAWL
set -u

trawl=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
checked=0

# check WHAT COMMAND...: the command must succeed and print nothing on standard error.
check() {
    local what=$1
    shift
    checked=$((checked + 1))
    if ! "$@" > "$work/out" 2> "$work/err" || [ -s "$work/err" ]; then
        printf '%s: %s\n' "$what" "$(cat "$work/err")"
        failed=$((failed + 1))
    fi
}

# has PROGRAM: succeeds if the program is installed; otherwise prints its name.
has() {
    command -v "$1" > /dev/null || { echo "left out: there is no $1"; false; }
}

# test_options.py compares what the documents say with the option table.
for kind in man man-tg complete-bash complete-zsh complete-fish; do
    check "$kind" "$trawl" --generate=$kind
    cp "$work/out" "$work/$kind"
done
if has groff; then
    for kind in man man-tg; do
        check "$kind" groff -man -Tascii -ww -P-c "$work/$kind"
    done
fi
# shellcheck disable=SC2016
check "bash" bash -euc 'compopt() { :; }; . "$1"; _trawl trawl --cou trawl
                        [[ " ${COMPREPLY[*]} " == *" --count-matches "* ]]' bash "$work/complete-bash"
if has zsh; then
    check "zsh" zsh -n "$work/complete-zsh"
fi
if has fish; then
    for words in "trawl --cou" "trawl --color=a"; do
        # shellcheck disable=SC2016
        check "fish" env HOME="$work" fish --no-config -c 'source $argv[1]; complete -C $argv[2] | string match -qe -- --co' \
            "$work/complete-fish" "$words"
    done
fi
printf '%d checks, %d failed\n' "$checked" "$failed"
[ "$checked" -gt 0 ] && [ "$failed" -eq 0 ]
