#!/usr/bin/env bash
# demo: search 256 MiB of real text beside `grep -F`, answers compared, speeds shown
set -euo pipefail
. scripts/common.sh

demo_mib=${TRAWL_DEMO_MIB:-256} # tests take less
work=build/demo
trawl=build/release/trawl

# ---- The text ---------------------------------------------------------------------------

# Print the path of a text in the folder TRAWL_DATA or beside the checkout: bible.txt, or else the
# largest .txt file.
text_from_folder() {
    local folder=${TRAWL_DATA:-../shared/data}

    [ -d "$folder" ] || return 1
    if [ -r "$folder/bible.txt" ]; then
        echo "$folder/bible.txt"
        return 0
    fi
    find -L "$folder" -maxdepth 1 -type f -name '*.txt' -size +64k -printf '%s %p\n' |
        sort -rn | sed -n '1s/^[0-9]* //p' | grep .
}

# Write the text of the King James Bible to $1, by the program of Debian's package.
text_from_package() {
    if ! have bible; then
        have apt-get && can_become_root || return 1
        say 'installing: bible-kjv bible-kjv-text (the text of the demo)'
        apt_install bible-kjv bible-kjv-text || return 1
    fi
    bible -f gen1:1-rev22:21 </dev/null >"$1.new" 2>/dev/null || return 1
    [ "$(wc -c <"$1.new")" -gt 3000000 ] || return 1
    mv "$1.new" "$1"
}

# Make $work/text.txt, about 256 MiB of one text repeated, unless it is already there with the same text and size.
# $work/source names the text.
make_text() {
    local source='' one copies key

    one=$(text_from_folder) && source=$one
    if [ -z "$source" ]; then
        one=$work/one.txt
        if text_from_package "$one"; then
            source='the King James text of the package bible-kjv-text'
        else
            awk -v lines=40000 -v seed=1 -f scripts/make-text.awk >"$one"
            source='generated (scripts/make-text.awk), no text and no network here'
        fi
    fi
    key="$demo_mib $(cksum <"$one")"
    echo "$source" >$work/source
    if [ -f $work/text.txt ] && [ "$(cat $work/key 2>/dev/null)" = "$key" ]; then
        return 0
    fi
    copies=$((demo_mib * 1048576 / $(wc -c <"$one")))
    rm -f $work/key
    for ((i = 0; i < copies; i++)); do cat "$one"; done >$work/text.txt
    echo "$key" >$work/key
}

# ---- Timing -----------------------------------------------------------------------------

rounds=3
failures=0
runs=0

# timed OUTPUT COMMAND...: run COMMAND; elapsed_us gets its microseconds.
timed() {
    local output=$1 begin end
    shift

    begin=${EPOCHREALTIME/[.,]/}
    "$@" >"$output" 2>"$output.err" </dev/null || [ $? -eq 1 ] || cat "$output.err" >&2
    end=${EPOCHREALTIME/[.,]/}
    elapsed_us=$((end - begin))
}

# Print what the table shows as the answer: the output itself if it is a single number, else its number of lines.
answer_of() {
    local lines

    lines=$(wc -l <"$1")
    if [ "$lines" -eq 1 ] && grep -qxE '[0-9]+' "$1"; then
        cat "$1"
    else
        echo "$lines lines"
    fi
}

# row SPEED TITLE GREP-COMMAND TRAWL-ARGUMENT...: one line of the table. GREP-COMMAND is run by the shell with the text
# as $1, and trawl in the same way. If SPEED is `-`, no GB/s are shown, because the command stops before the end of the
# text.
row() {
    local speed=$1 title=$2 grep_command=$3 trawl_us='' grep_us='' verdict=same
    shift 3

    runs=$((runs + 1))
    for ((round = 0; round < rounds; round++)); do # in turn, so that a disturbance hits both
        # shellcheck disable=SC2016 # the inner shell expands these
        timed $work/trawl.out bash -c '"$0" "$@"' $trawl "$@" $work/text.txt
        [ -n "$trawl_us" ] && [ "$trawl_us" -le $elapsed_us ] || trawl_us=$elapsed_us
        timed $work/grep.out bash -c "$grep_command" grep $work/text.txt
        [ -n "$grep_us" ] && [ "$grep_us" -le $elapsed_us ] || grep_us=$elapsed_us
    done
    if ! cmp -s $work/trawl.out $work/grep.out; then
        verdict=DIFFERENT
        failures=$((failures + 1))
    fi
    awk -v title="$title" -v answer="$(answer_of $work/trawl.out)" -v verdict=$verdict \
        -v speed="$speed" -v bytes="$text_bytes" -v t="$trawl_us" -v g="$grep_us" 'BEGIN {
            right = verdict == "same" # a wrong answer has no speed
            speed = speed == "-" || !right ? "-" : sprintf("%.1f", bytes / t / 1000)
            ratio = right ? sprintf("%.1fx", g / t) : "-"
            printf "%-40s %14s %9.1f %9.1f %7s %8s  %s\n", \
                title, answer, t / 1000, g / 1000, speed, ratio, verdict
        }'
}

# ---- The demo -----------------------------------------------------------------------------

# Build only the command, in build/release, which ./dev build uses, too. This demo searches on the CPU, so a new build
# gets no GPU kernels, which take nvcc minutes. A folder that is already configured stays as it is.
need build -- codecs
say 'build: the command'
[ -f build/release/build.ninja ] || configure_preset release -DTRAWL_CUDA=OFF
cmake --build build/release -j "$jobs" --target trawl_command
[ -x $trawl ] || die "the build left no command at $trawl"
have grep || die 'GNU grep is missing'
mkdir -p $work
make_text
text_bytes=$(wc -c <$work/text.txt)
export LC_ALL=C

say "text: $(cat $work/source); repeated to $text_bytes bytes"
say "$($trawl --version | head -n 1) beside $(grep --version | head -n 1), $(nproc) cores"
echo
cat $work/text.txt >/dev/null # brings the text into the page cache, for both programs
printf '%-40s %14s %9s %9s %7s %8s  %s\n' 'job' 'answer' 'trawl ms' 'grep ms' 'GB/s' \
    'ratio' 'answers'
several=(-e Nebuchadnezzar -e Melchizedek -e Lebanon -e Babylon -e wilderness)
# shellcheck disable=SC2016 # the inner shell expands $1
{
    row + 'lines with a rare word (-c)' 'grep -F -c Melchizedek "$1"' -c Melchizedek
    row + 'lines with a frequent word (-c)' 'grep -F -c the "$1"' -c the
    row + 'every occurrence (--count-matches)' 'grep -F -o the "$1" | wc -l' --count-matches the
    row + 'lines with their numbers (-n)' 'grep -F -n Jerusalem "$1"' -n Jerusalem
    row + 'occurrences and positions (-o -b)' 'grep -F -o -b Jerusalem "$1"' -o -b Jerusalem
    row + 'positions alone (--positions)' 'grep -F -o -b Babylon "$1" | cut -d: -f1' \
        --positions Babylon
    row - 'the first line (-m 1 -n)' 'grep -F -m 1 -n Babylon "$1"' -m 1 -n Babylon
    row - 'the first position (-m 1)' \
        'grep -F -o -b -m 1 Babylon "$1" | head -n 1 | cut -d: -f1' --positions -m 1 Babylon
    row + 'five patterns at once (-c)' "grep -F -c ${several[*]} \"\$1\"" -c "${several[@]}"
    row + 'case ignored (-i -c)' 'grep -F -i -c jordan "$1"' -i -c jordan
    row + 'a word that is nowhere (-c)' 'grep -F -c Constantinople "$1"' -c Constantinople
}
rm -f $work/trawl.out $work/grep.out $work/*.err
echo
if [ $failures -gt 0 ]; then
    die "$failures of $runs answers differ from grep's"
fi
say "all $runs answers equal grep's; times of this machine in the C locale, the best of $rounds"
say 'runs in turn; GB/s is trawl, ratio is how many times as long grep takes'
