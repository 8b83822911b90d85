#!/usr/bin/env bash
# tidy: the checks of tests/tidy on the tree, ruff's too, then clang-tidy over src, gallery, tools, examples and the headers
set -euo pipefail
. scripts/common.sh

# --quick skips the analyzer, which follows paths through functions and takes most of the time,
# and checks that the compilers' warnings repeat;
# --clang skips the rules of the tree, which the tests tidy.* of a release build check, too.
checks=()
rules=yes
while [[ ${1:-} == --* ]]; do
    case $1 in
    --quick)
        left_out='-clang-analyzer-*,-bugprone-suspicious-semicolon,-bugprone-multiple-statement-macro'
        checks=(--checks="$left_out,-misc-unused-parameters,-bugprone-dangling-handle,-cert-dcl16-c")
        ;;
    --clang) rules=no ;;
    *) die "no such option: $1" ;;
    esac
    shift
done
need build python -- test tidy
if [ $rules = yes ]; then
    place=$(bash scripts/judges.sh tools) || die "pytest cannot be installed (build/judges.log)"
    "$place/bin/pytest" tests/tidy -k test_tree
fi
have clang-tidy || die 'clang-tidy is missing; ./dev setup installs it'
# Each version of clang-tidy has different checks; .clang-tidy was written for version 14.
if [[ $(clang-tidy --version) != *'version 14.'* ]]; then
    echo 'SKIPPED: clang-tidy 14 is not here'
    exit 77
fi
[ -f build/release/compile_commands.json ] || build_preset release

# Print the source files of the library, the gallery, the tools and the examples that this build compiles; with
# arguments, only the files named. clang-tidy checks a file once for each target that compiles it, and tests compile
# some files again, so only the first target of each file is kept.
sources() {
    mkdir -p build/tidy
    python3 - "$@" <<'PYTHON'
import json, os, re, sys
wanted = sys.argv[1:]
rows = {}
for row in json.load(open("build/release/compile_commands.json")):
    # clang rejects options that it does not know.
    row["command"] = re.sub(r" -mmem(set|cpy)-strategy=\S+", "", row["command"])
    rows.setdefault(os.path.relpath(row["file"]), row)
json.dump(list(rows.values()), open("build/tidy/compile_commands.json", "w"))
for name in sorted(rows):
    if name.startswith(("src/", "gallery/", "tools/", "examples/")) and not name.startswith("gallery/tests/") \
            and (not wanted or name in wanted):
        print(name)
PYTHON
}

say 'clang-tidy'
sources "$@" | xargs -r -P "$jobs" -n 8 clang-tidy -p build/tidy --quiet "${checks[@]}" 2>build/clang-tidy.err || {
    grep -v 'warnings generated' build/clang-tidy.err >&2 || true
    exit 1
}
