# shellcheck shell=bash disable=SC2154
# fuzz: building and running the fuzz targets. Sourced after common.sh.
#
# A target is a program fuzz_NAME of a folder tests/FOLDER (fuzz_replay and fuzz_NAME_replay are
# plain programs, run as ordinary tests). Inputs that found something in the past are in
# tests/FOLDER/corpus, and are tried first.

# Print the names of all targets of the configured build in build/fuzz.
fuzz_targets() {
    cmake --build build/fuzz --target help | grep -oE '^fuzz_[a-z0-9_]+' | grep -v '_replay$' | sort -u
}

# fuzz_for SECONDS [TARGET...]: run each target (all, or those named) for this time. A finding is left in
# build/fuzz/findings, and the status is then 1. Status 77: clang or its runtime is missing.
fuzz_for() {
    local seconds=$1 first
    local -a targets

    shift
    if ! have_fuzzer_runtime; then
        echo 'SKIPPED: clang with libFuzzer is not here'
        return 77
    fi
    configure_preset fuzz
    mapfile -t targets < <(fuzz_targets)
    [ $# -eq 0 ] || targets=("$@")
    [ ${#targets[@]} -gt 0 ] || die 'there is no fuzz target'
    cmake --build build/fuzz -j "$jobs" --target "${targets[@]}"
    mkdir -p build/fuzz/findings
    for ((first = 0; first < ${#targets[@]}; first += jobs)); do
        fuzz_together "$seconds" "${targets[@]:first:jobs}"
    done
}

# fuzz_together SECONDS TARGET...: run the targets at the same time, each on its own core; print
# their output one after the other.
fuzz_together() {
    local seconds=$1 name i status=0
    local -a pids=()

    shift
    for name in "$@"; do
        fuzz_one "$name" "$seconds" >"build/fuzz/$name.told" 2>&1 &
        pids+=($!)
    done
    for ((i = 1; i <= $#; i++)); do
        wait "${pids[i - 1]}" || status=1
        say "fuzz: ${!i}, $seconds s"
        cat "build/fuzz/${!i}.told"
    done
    return $status
}

fuzz_one() {
    local name=$1 seconds=$2 program kept grown=build/fuzz/corpus/$1

    program=$(find build/fuzz -type f -name "$name" -perm -u+x | head -n 1)
    [ -n "$program" ] || die "the build left no program $name"
    kept=$(dirname "${program#build/fuzz/}")/corpus
    mkdir -p "$grown"
    [ -d "$kept" ] || kept=$grown
    "$program" "$grown" "$kept" -max_total_time="$seconds" -max_len=4096 -timeout=20 \
        -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="build/fuzz/findings/$name-" 2>&1 | tee "build/fuzz/$name.log" |
        grep --line-buffered -vE '^(INFO|stat::(new_units|slowest|peak)|#|".*Uses:)' || [ "${PIPESTATUS[0]}" -eq 0 ]
    # A fuzzer that tried no input has shown nothing, so it counts as failed.
    grep -qE '^stat::number_of_executed_units: +[1-9]' "build/fuzz/$name.log"
}
