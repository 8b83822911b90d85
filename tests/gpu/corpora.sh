#!/usr/bin/env bash
# Every algorithm of the gallery, on every engine that has it, prints the bytes that trawl's own search
# prints: positions of single patterns of many lengths, cut from the text at places drawn from the seed,
# and as many that it does not hold; rabin-karp-matrix, which takes records, the matrix of all of them.
#     bash tests/gpu/corpora.sh TRAWL [DATA-FOLDER]     TRAWL: the command
# Without a folder with bible.txt, world192.txt and ecoli-nc008253.txt generated texts stand in.
# TRAWL_TEST_SEED            other places
# TRAWL_GPU_PROCESSES        commands at a time, as many as there are cores unless told otherwise
# TRAWL_GPU_SECONDS          when they are over no command begins, those that run are stopped, and how
#                            many these were is said
# TRAWL_CORPORA_SECONDS      of one command, 60 unless told otherwise; it is stopped then, which is said
# TRAWL_CORPORA_ENGINES      of "cpu cuda"
# TRAWL_CORPORA_ALGORITHMS   those whose name this extended regular expression matches
# TRAWL_CORPORA_LENGTHS      of the patterns
# TRAWL_CORPORA_BYTES        of each text, its first so many
# TRAWL_CORPORA_TEXTS        some of the three
set -uo pipefail
lengths=${TRAWL_CORPORA_LENGTHS:-1 2 3 4 7 8 16 17 64 65 500 1500 3999 4000}
engines=${TRAWL_CORPORA_ENGINES:-cpu cuda}
seed=${TRAWL_TEST_SEED:-1}

# ---- One command: job ENGINE ALGORITHM TEXT PATTERN; a line of results ------------------------
#      Several in one process, one after the other: --jobs, and these four of each

# The texts and patterns are the working folder's; "own" is no algorithm; pattern "all": the matrix.
job() {
    local engine=$1 algorithm=$2 text=$3 pattern=$4 output=(--positions) options=() bytes status
    local left=${TRAWL_CORPORA_SECONDS:-60}

    [ -z "${deadline:-}" ] || left=$((deadline - $(date +%s) < left ? deadline - $(date +%s) : left))
    if [ "$left" -le 0 ]; then
        echo "$engine $algorithm left-out" >>results.txt
        return
    fi
    [ "$algorithm" = own ] || options=(--algorithm="$algorithm")
    [ "$pattern" = all ] && output=(--matrix=tsv)
    bytes=${pattern%-*}
    timeout "$left" "$trawl" --engine="$engine" "${options[@]}" "${output[@]}" --hex \
        -f "$text.$pattern" "$text" 2>"error.$$" | cmp -s - "$text.$pattern.expected"
    status=("${PIPESTATUS[@]}")
    if [ "${status[0]}" -eq 2 ] && [ "$algorithm" = pss-gr ] && [ "$bytes" -gt 64 ] &&
        grep -q 'takes patterns of up to 64 bytes' "error.$$"; then
        echo "$engine $algorithm refused" >>results.txt
    elif [ "${status[0]}" -lt 2 ] && [ "${status[1]}" -eq 0 ]; then
        echo "$engine $algorithm same" >>results.txt
    elif [ "${status[0]}" -eq 124 ]; then
        echo "$engine $algorithm stopped" >>results.txt
        echo "stopped after $left s: $engine $algorithm, $text, pattern $pattern" >>differences.txt
    else
        echo "$engine $algorithm different" >>results.txt
        echo "DIFFERENT: $engine $algorithm, $text, pattern $pattern, status ${status[0]}:" \
            "$(head -n 1 "error.$$")" >>differences.txt
    fi
}

if [ "${1:-}" = --jobs ]; then
    shift
    while [ $# -gt 0 ]; do
        job "$1" "$2" "$3" "$4"
        shift 4
    done
    rm -f "error.$$"
    exit 0
fi

# ---- Texts ------------------------------------------------------------------------------------

trawl=$(realpath "$1") || exit 1
data=${2:-}
[ -d "$data" ] && data=$(realpath "$data")
self=$(realpath "$0")
processes=${TRAWL_GPU_PROCESSES:-$(nproc)}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
RANDOM=$seed

# Words as often as words are, with line ends LF or CRLF; bases.
generate() {
    awk -v seed="$seed" -v bytes="${TRAWL_CORPORA_BYTES:-4000000}" -v kind="$1" 'BEGIN {
        srand(seed)
        end = kind == "world192.txt" ? "\r\n" : "\n"
        for (i = 1; i <= 4000; i++)
            for (n = 2 + int(rand() * 8); n > 0; n--)
                word[i] = word[i] sprintf("%c", 97 + int(rand() * rand() * 26))
        while (done < bytes) {
            line = ""
            if (kind ~ /^ecoli/)
                for (i = 0; i < 1000; i++)
                    line = line substr("acgt", 1 + int(rand() * 4), 1)
            else {
                for (i = 0; i < 12; i++)
                    line = line word[1 + int(exp(rand() * log(4000)) - 0.5)] " "
                line = line int(rand() * 3000) end
            }
            done += length(line)
            printf "%s", line
        }
    }' </dev/null
}

texts=${TRAWL_CORPORA_TEXTS:-bible.txt world192.txt ecoli-nc008253.txt}
for text in $texts; do
    if [ -n "$data" ] && [ -f "$data/$text" ]; then
        head -c "${TRAWL_CORPORA_BYTES:-100000000}" "$data/$text" >"$text"
        what='as given'
    else
        generate "$text" >generated
        head -c "${TRAWL_CORPORA_BYTES:-4000000}" generated >"$text"
        what='generated'
    fi
    echo "$text: $what, $(wc -c <"$text") bytes"
done

# ---- Patterns, and what trawl finds -----------------------------------------------------------

# cut_hex TEXT PLACE BYTES
cut_hex() {
    tail -c "+$(($2 + 1))" "$1" | head -c "$3" | od -An -v -tx1 | tr -d ' \n'
}

below() {
    echo $(((RANDOM * 32768 + RANDOM) % $1))
}

# expect TEXT PATTERN: what trawl's own search prints
expect() {
    "$trawl" --engine=cpu --positions --hex -f "$1.$2" "$1" >"$1.$2.expected"
}

# A pattern that is in the text, and one that is not: one byte is changed, for another of the text's
# where that does.
make_patterns() {
    local text=$1 bytes=$2 size place hex changed at

    size=$(wc -c <"$text")
    place=$(below $((size - bytes + 1)))
    hex=$(cut_hex "$text" "$place" "$bytes")
    echo "$hex" >"$text.$bytes-held"
    expect "$text" "$bytes-held"
    if ! grep -qx "$place" "$text.$bytes-held.expected"; then
        echo "NOT FOUND where it was cut: $text, $bytes bytes at $place"
        return 1
    fi
    at=$(below "$bytes")
    changed=$(cut_hex "$text" "$(below "$size")" 1)
    for changed in "$changed" 01; do
        echo "${hex:0:2*at}$changed${hex:2*at+2}" >"$text.$bytes-absent"
        expect "$text" "$bytes-absent"
        [ $? -ne 1 ] || return 0
    done
    echo "NOT ABSENT: $text, $(cat "$text.$bytes-absent")"
    return 1
}

for text in $texts; do
    for bytes in $lengths; do
        if [ "$bytes" -gt "$(wc -c <"$text")" ]; then
            echo "left out: $text is shorter than $bytes bytes"
            continue
        fi
        make_patterns "$text" "$bytes" || exit 1
        cat "$text.$bytes-held" "$text.$bytes-absent" >>"$text.all"
    done
    "$trawl" --engine=cpu --matrix=tsv --hex -f "$text.all" "$text" >"$text.all.expected"
done

# ---- All commands -----------------------------------------------------------------------------

patterns() {
    local file

    if [[ "$2" = rabin-karp-matrix* ]]; then
        echo all
        return
    fi
    for file in "$1".*-held "$1".*-absent; do
        echo "${file#"$1".}"
    done
    [ "$2" != own ] || echo all
}

{
    echo 'own cpu, cuda'
    "$trawl" --list-algorithms
} | while read -r algorithm rest; do
    [[ "$algorithm" =~ ${TRAWL_CORPORA_ALGORITHMS:-.} ]] || continue
    for engine in $engines; do
        [[ "$rest" =~ ^(cpu, )?$engine ]] || continue
        for text in $texts; do
            patterns "$text" "$algorithm" | sed "s/^/$engine $algorithm $text /"
        done
    done
done | shuf --random-source=<(yes "$seed") >jobs.txt
export trawl deadline
deadline=
[ "${TRAWL_GPU_SECONDS:-0}" -eq 0 ] || deadline=$(($(date +%s) + TRAWL_GPU_SECONDS - SECONDS))
: >results.txt
: >differences.txt
xargs -P "$processes" -L 8 bash "$self" --jobs <jobs.txt
head -n 20 differences.txt
awk -v seconds="$SECONDS" '
    { n[$3]++; one[$1 " " $2 " " $3]++; names[$1 " " $2] = 1 }
    END {
        for (name in names) {
            line = sprintf("%-25s %5d same", name, one[name " same"])
            for (kind in n)
                if (kind != "same" && one[name " " kind])
                    line = line sprintf(", %d %s", one[name " " kind], kind)
            print line | "sort"
        }
        close("sort")
        printf "%d commands in %d s: %d same, %d different, %d refused, %d stopped, %d left out\n",
               NR, seconds, n["same"], n["different"], n["refused"], n["stopped"], n["left-out"]
    }' results.txt
[ "$(wc -l <results.txt)" -eq "$(wc -l <jobs.txt)" ] || echo 'not all commands came to an end'
! grep -qE ' (different|stopped)$' results.txt && grep -q ' same$' results.txt &&
    [ "$(wc -l <results.txt)" -eq "$(wc -l <jobs.txt)" ]
