#!/usr/bin/env bash
# The documents made from the option table, given to the programs that read them; a program that is
# not here is named and left out.
#
# usage: documents.sh TRAWL
set -u

trawl=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
checked=0

# check WHAT COMMAND...: the command succeeds and says nothing on standard error.
check() {
    local what=$1
    shift
    checked=$((checked + 1))
    if ! "$@" > "$work/out" 2> "$work/err" || [ -s "$work/err" ]; then
        printf '%s: %s\n' "$what" "$(cat "$work/err")"
        failed=$((failed + 1))
    fi
}

# wants WHAT TEXT: the last command's output has the text.
wants() {
    checked=$((checked + 1))
    if ! grep -qF -e "$2" "$work/out"; then
        printf '%s: "%s" is missing in: %s\n' "$1" "$2" "$(head -c 500 "$work/out")"
        failed=$((failed + 1))
    fi
}

for kind in man man-tg complete-bash complete-zsh complete-fish; do
    check "$kind" "$trawl" --generate=$kind
    cp "$work/out" "$work/$kind"
done
if command -v groff > /dev/null; then
    check "the manual" groff -man -Tascii -ww -P-c "$work/man"
    wants "the manual" "--count-matches"
    check "the manual of tg" groff -man -Tascii -ww -P-c "$work/man-tg"
else
    echo "left out: there is no groff"
fi
cp "$work/man-tg" "$work/out"
wants "the manual of tg" '.B \-r, \-\-replace=TEXT'
wants "the manual of tg" '\-\-colour=WHEN'
wants "the manual of tg" '.B \-s, \-\-case\-sensitive'
# shellcheck disable=SC2016
check "bash" bash -uc 'compopt() { :; }; . "$1"; _trawl trawl --cou trawl
                       printf "%s\n" "${COMPREPLY[@]}"' bash "$work/complete-bash"
wants "bash" "--count-matches"
if command -v zsh > /dev/null; then
    check "zsh" zsh -n "$work/complete-zsh"
    cp "$work/complete-zsh" "$work/out"
    wants "zsh" '=-[mark the matches with colours; WHEN is '
    wants "zsh" ']::WHEN:(always never auto)'
else
    echo "left out: there is no zsh"
fi
if command -v fish > /dev/null; then
    # shellcheck disable=SC2016
    check "fish" env HOME="$work" fish --no-config -c 'source $argv[1]; complete -C "trawl --cou"' \
        "$work/complete-fish"
    wants "fish" "--count-matches"
    # shellcheck disable=SC2016
    check "fish" env HOME="$work" fish --no-config -c 'source $argv[1]; complete -C "trawl --color=a"' \
        "$work/complete-fish"
    wants "fish" "--color=always"
else
    echo "left out: there is no fish"
fi
printf '%d checks, %d failed\n' "$checked" "$failed"
[ "$checked" -gt 0 ] && [ "$failed" -eq 0 ]
