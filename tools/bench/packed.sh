#!/usr/bin/env bash
# packed.sh [MB]: times searches of compressed files for an absent string, by trawl, ripgrep, ugrep, and the format's
# decoder. Rows with many files run on 4 and then on 16 cores, with one decoder process per core; trawl runs on 1 core,
# too. The best of $ROUNDS (5) whole commands counts. MB: megabytes of text in each of 32 files (64; bzip2: a
# quarter; xz: only 16 files). All programs are found on PATH; the files are made from seeds in the folder $PLACE
# (/tmp/packed-bench) and kept for a second run. docs/benchmarks.md has the figures.
set -u
export LC_ALL=C RIPGREP_CONFIG_PATH=
mb=${1:-64} place=${PLACE:-/tmp/packed-bench}/${1:-64} cores=$(nproc) rounds=${ROUNDS:-5}
awk=$(cd "$(dirname "$0")/../../scripts" && pwd)/make-text.awk
for program in trawl rg ugrep gzip igzip bgzip zstd pzstd xz bzip2 lbzip2; do
    command -v $program >/dev/null || {
        echo "packed.sh: $program is missing" >&2
        exit 2
    }
done
mkdir -p "$place" && cd "$place" || exit 2

make() { # NUMBER: make text t<NUMBER>, and pack it in each format
    local n=$1 name
    name=$(printf 't%02d' "$n")
    [ -s "$name.done" ] && return
    awk -v lines=$((mb * 20000)) -v seed="$n" -f "$awk" | head -c $((mb << 20)) >"$name"
    [ "$(wc -c <"$name")" -eq $((mb << 20)) ] || {
        echo "packed.sh: $awk made no text" >&2
        return 1
    }
    gzip -6 -c "$name" >"gz/$name.gz"
    zstd -q -3 -c "$name" >"zst/$name.zst"
    bgzip -c "$name" >"bgz/$name.gz"
    head -c $((mb << 18)) "$name" | bzip2 >"bz2/$name.bz2"
    [ "$n" -gt 16 ] || xz -2 -T1 -c "$name" >"xz/$name.xz"
    echo made >"$name.done"
}
export -f make
export mb awk
mkdir -p gz zst bgz bz2 xz
seq 1 32 | xargs -P "$cores" -n 1 bash -c 'make $0' || exit 2
[ -e one.done ] || {
    cat t01 t02 t03 t04 t05 t06 t07 t08 >eight
    gzip -6 -c eight >one.gz &
    bgzip -@ "$cores" -c eight >one.bgz.gz
    pzstd -q -p "$cores" -c eight >one.zst
    xz -2 -T"$cores" --block-size=8MiB -c eight >one.xz
    head -c $((mb << 21)) eight | lbzip2 -c >one.bz2
    wait
    touch one.done
}
cat gz/*.gz xz/* zst/* bz2/* bgz/* one.* >/dev/null

best() { # TEXT-MB LABEL COMMAND...: best wall time of $rounds; a status of 1 says that nothing was found
    local megabytes=$1 label=$2 least="" begin end
    shift 2
    for _ in $(seq "$rounds"); do
        begin=$(date +%s%N)
        "$@" >/dev/null 2>&1 || [ $? -eq 1 ] || {
            echo "  $label failed"
            return
        }
        end=$(date +%s%N)
        [ -z "$least" ] || [ $((end - begin)) -lt "$least" ] && least=$((end - begin))
    done
    awk -v ns="$least" -v mb="$megabytes" -v label="$label" \
        'BEGIN { printf "  %-34s %8.3f s  %7.2f GB/s\n", label, ns / 1e9, mb * 1048576 / ns }'
}
decode() { # COUNT TOOL FILE...: decode each file, in COUNT processes at a time
    local count=$1 tool=$2
    shift 2
    printf '%s\n' "$@" | xargs -P "$count" -I{} sh -c "$tool \"\$1\" >/dev/null" - {}
}
many() { # TEXT-MB TITLE DECODER FILE...: time all programs on these files
    local megabytes=$1 title=$2 tool=$3
    shift 3
    echo "$title ($# files, $megabytes MB of text)"
    best "$megabytes" "trawl -j1" taskset -c 0 trawl -j1 --search-zip -c zzqqxx "$@"
    for n in 4 16; do
        [ "$n" -le "$cores" ] || continue
        local set="taskset -c 0-$((n - 1))"
        best "$megabytes" "trawl -j$n" $set trawl -j$n --search-zip -c zzqqxx "$@"
        best "$megabytes" "$n x $tool" $set bash -c "$(declare -f decode); decode $n '$tool' \"\$@\"" - "$@"
        best "$megabytes" "rg -z -j$n" $set rg -z -j$n -c zzqqxx "$@"
        best "$megabytes" "ugrep -z -J$n" $set ugrep -z -J$n -c zzqqxx "$@"
    done
}
uname -a; grep -m1 'model name' /proc/cpuinfo; trawl --version | head -1; rg --version | head -1; ugrep --version | head -1
many $((32 * mb)) 'gz' 'gzip -dc' gz/*
many $((32 * mb)) 'gz, igzip' 'igzip -dc' gz/*
many $((16 * mb)) 'xz' 'xz -T1 -dc' xz/*
many $((32 * mb)) 'zst' 'zstd -qdc' zst/*
many $((8 * mb)) 'bz2' 'bzip2 -dc' bz2/*
many $((3 * mb)) 'fewer files than cores, BGZF' 'gzip -dc' bgz/t01.gz bgz/t02.gz bgz/t03.gz
for row in 'one.gz gzip -dc' 'one.gz igzip -dc' 'one.bgz.gz bgzip -@ 16 -dc' 'one.zst zstd -qdc' 'one.xz xz -T16 -dc' 'one.bz2 lbzip2 -dc'; do
    set -- $row
    file=$1; shift
    size=$((8 * mb)); [ "$file" = one.bz2 ] && size=$((2 * mb))
    echo "one file: $file ($size MB of text)"
    best $size "$*" "$@" "$file"
    for n in 1 4 8 16; do
        [ "$n" -le "$cores" ] && best $size "trawl -j$n" trawl -j$n --search-zip -c zzqqxx "$file"
    done
    best $size 'rg -z' rg -z -c zzqqxx "$file"
done
