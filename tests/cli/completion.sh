#!/usr/bin/env bash
# What bash, zsh and fish offer for a command line, asked of the shells themselves; a shell that is
# not here is named and left out.
#
# usage: completion.sh TRAWL
set -u

trawl=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
checked=0
mkdir "$work/bin" "$work/files"
ln -s "$trawl" "$work/bin/trawl"
PATH=$work/bin:$PATH
for kind in bash zsh fish; do
    trawl --generate=complete-$kind > "$work/$kind" || exit 1
done
cd "$work/files" || exit 1
touch 'one file.txt' 'one other.txt' always

# The last word of the command line is completed; the offers, sorted, separated by commas.
offer_bash() {
    # shellcheck disable=SC2016
    bash -c 'compopt() { :; }; . "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trawl
             printf "%s\n" "${COMPREPLY[@]}"' bash "$work/bash" "$@"
}

offer_fish() {
    # shellcheck disable=SC2016
    env HOME="$work" fish --no-config -c 'source $argv[1]; complete -C "$argv[2]"' "$work/fish" "$*" |
        cut -f 1
}

# zsh completes on a terminal alone: it gets one, with compadd saying what it is given.
offer_zsh() {
    cat > "$work/offer.zsh" << 'EOF'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= RPS1=; stty -echo; fpath=($1 \$fpath); autoload -Uz compinit; compinit -D -u -d $1/dump"
zpty -w shell 'compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    typeset -a offered; builtin compadd -A offered "$@"
    for word in $offered; do print -r -- "<$word>" >> $OFFERS; done
    builtin compadd "$@"; }
    finish() { print done >> $OFFERS; }
    zle -C offer list-choices _main_complete; bindkey "^T" offer
    zle -N finish; bindkey "^Y" finish; print ready >> $OFFERS'
for ((i = 0; i < 300; i++)); do grep -q ready $OFFERS && break; sleep 0.1; done
zpty -w -n shell "$2"$'\x14\x19'
for ((i = 0; i < 300; i++)); do grep -q done $OFFERS && break; sleep 0.1; done
zpty -d shell
EOF
    mkdir -p "$work/functions"
    cp "$work/zsh" "$work/functions/_trawl"
    rm -f "$work/offers"
    touch "$work/offers"
    OFFERS=$work/offers timeout 60 zsh -f "$work/offer.zsh" "$work/functions" "$*" > "$work/zsh.log" 2>&1
    sed -n 's/^<\(.*\)>$/\1/p' "$work/offers"
}

# offers SHELL EXPECTED WORD...
offers() {
    local shell=$1 expected=$2 got
    shift 2
    got=$("offer_$shell" "$@" | LC_ALL=C sort -u | paste -sd ,)
    checked=$((checked + 1))
    if [ "$got" != "$expected" ]; then
        printf '%s: "%s" offers "%s", expected "%s"\n' "$shell" "$*" "$got" "$expected"
        failed=$((failed + 1))
    fi
}

algorithms=$(trawl --list-algorithms 2> /dev/null | cut -d ' ' -f 1 | grep '^hp' | LC_ALL=C sort -u | paste -sd ,)
sets=$(trawl --version | sed -n 's/^instruction sets: //p' | tr -d ' ' | tr , '\n' | LC_ALL=C sort -u | paste -sd ,)
[[ ,$sets, == *,portable,* ]] || { echo "--version lists no portable instruction set: $sets"; exit 1; }
names='one file.txt,one other.txt'

offers bash '--count,--count-by-pattern,--count-matches' trawl --cou
offers bash "$names" trawl word one
offers bash "$names" trawl -f one
offers bash "$names" trawl --file = one
offers bash "$names" trawl -- one
offers bash '' trawl --label = ''
offers bash '' trawl --label =
offers bash 'always,auto,never' trawl --color =
offers bash 'always,auto' trawl --color = a
offers bash 'auto,cpu,cuda' trawl --engine =
offers bash 'read,recurse,skip' trawl -d ''
offers bash 'read,recurse' trawl --directories re
offers bash 'tsv' trawl --matrix = t
offers bash "$algorithms" trawl --algorithm = hp
offers bash "$sets" trawl --instruction-set =
offers bash 'portable' trawl --instruction-set = p
if command -v fish > /dev/null; then
    offers fish '--color=always,--color=auto,--color=never' trawl --color=
    offers fish '--engine=auto,--engine=cpu,--engine=cuda' trawl --engine=
    offers fish '' trawl --label=
    offers fish '--color=always,--color=auto,--color=never' tg --color=
    offers fish 'read,recurse,skip' trawl '-d '
    offers fish "$names" trawl word one
    offers fish "--algorithm=${algorithms//,/,--algorithm=}" trawl --algorithm=hp
    offers fish "--instruction-set=${sets//,/,--instruction-set=}" trawl --instruction-set=
else
    echo 'left out: there is no fish'
fi
if command -v zsh > /dev/null; then
    offers zsh 'always,auto,never' trawl --color=
    offers zsh '' trawl --label=
    offers zsh 'read,recurse,skip' trawl '-d '
    offers zsh "${names// /\\ }" trawl word one
    offers zsh "$algorithms" trawl --algorithm=hp
    offers zsh "$sets" trawl --instruction-set=
    offers zsh 'cpp' trawl --type=cpp
else
    echo 'left out: there is no zsh'
fi
printf '%d completions, %d wrong\n' "$checked" "$failed"
[ "$checked" -gt 0 ] && [ "$failed" -eq 0 ]
