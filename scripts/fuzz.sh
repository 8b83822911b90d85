# shellcheck shell=bash
# fuzz: building and running the fuzz targets. Sourced after common.sh.
#
# A target is a program under build/fuzz whose name begins with fuzz_; its findings of the past
# are kept in tests/fuzz*/corpus/NAME or tests/fuzz*/corpus and replayed before anything else.

fuzz_targets() {
    find build/fuzz -type f -name 'fuzz_*' -perm -u+x | sort
}

# fuzz_for SECONDS [TARGET...]: each target (all, or those named) for so long. A finding is left in
# build/fuzz/findings and ends with status 1; status 77 where clang or its runtime is missing.
fuzz_for() {
    local seconds=$1 target name

    shift
    if ! have_fuzzer_runtime; then
        echo 'clang with libFuzzer is not here'
        return 77
    fi
    build_preset fuzz
    mkdir -p build/fuzz/findings
    while IFS= read -r target <&3; do
        name=$(basename "$target")
        [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
        say "fuzz: $name, $seconds s"
        fuzz_one "$target" "$name" "$seconds"
    done 3< <(fuzz_targets)
}

fuzz_one() {
    local target=$1 name=$2 seconds=$3 grown
    local -a kept=()

    grown=build/fuzz/corpus/$name
    mkdir -p "$grown"
    for folder in tests/fuzz*/corpus/"$name" tests/fuzz*/corpus; do
        [ -d "$folder" ] && kept+=("$folder") && break
    done
    "$target" "$grown" "${kept[@]}" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix="build/fuzz/findings/$name-" 2>&1 |
        grep -vE '^(INFO|stat::(new_units|slowest|peak))' || [ "${PIPESTATUS[0]}" -eq 0 ]
}
