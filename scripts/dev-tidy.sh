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

say 'clang-tidy'
mkdir -p build/tidy
# Checks the files of the library, the gallery, the tools and the examples that this build compiles; with arguments, only
# the files named. Tests compile some files again, so only the first target of each file is taken.
#
# Most of clang-tidy's time goes to headers. So a quick run checks files of a directory as one, which includes them, if
# they are compiled with the same options and define different names. If this finds something, they are checked one by
# one: perhaps they just do not compile together.
# shellcheck disable=SC2154 # jobs: common.sh
python3 - "$jobs" "${#checks[@]}" "${checks[@]}" "$@" <<'PYTHON' 2>build/clang-tidy.err
import json, os, re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

DEFINED = re.compile(r"^[a-z][\w *]*?\b(\w+)(?:\(|\[| =|;| \{)|^#define (\w+)|^ {4}([A-Z_0-9]+)(?: = .*)?,", re.MULTILINE)
jobs, count = int(sys.argv[1]), int(sys.argv[2])
checks, wanted = sys.argv[3 : 3 + count], sys.argv[3 + count :]
rows, groups = {}, {}
for row in json.load(open("build/release/compile_commands.json")):
    # Clang rejects options that it does not know, and a name may hide one of another file; gcc warns of others.
    row["command"] = re.sub(r" -mmem(set|cpy)-strategy=\S+| -Wshadow", "", row["command"])
    rows.setdefault(os.path.relpath(row["file"]), row)
for name in sorted(rows):
    if not name.startswith(("src/", "gallery/", "tools/", "examples/")) or name.startswith("gallery/tests/") \
            or (wanted and name not in wanted):
        continue
    with open(name) as file:
        names = {one for found in DEFINED.findall(file.read()) for one in found if one}
    options = os.path.dirname(name), re.sub(r" -o \S+ -c \S+$", "", rows[name]["command"])
    several = groups.setdefault(options if checks else name, [])
    for files, had in several:
        if not names & had:
            files.append(name)
            had |= names
            break
    else:
        several.append(([name], names))
groups = [files for several in groups.values() for files, _ in several]
for number, files in enumerate(groups):
    if len(files) > 1:
        files.insert(0, os.path.abspath(f"build/tidy/{number}.c"))
        with open(files[0], "w") as file:
            file.writelines(f'#include "{os.path.abspath(name)}"\n' for name in files[1:])
        first = rows[files[1]]
        rows[files[0]] = {**first, "file": files[0], "command": first["command"].replace(first["file"], files[0])}
with open("build/tidy/compile_commands.json", "w") as file:
    json.dump(list(rows.values()), file)


def finds(*files):
    """Return what clang-tidy finds in the files; None: nothing."""
    done = subprocess.run(["clang-tidy", "-p", "build/tidy", "--quiet", *checks, *files], capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else None


def check(files):
    found = finds(files[0])
    return finds(*files[1:]) if found and len(files) > 1 else found


with ThreadPoolExecutor(jobs) as pool:
    found = [one for one in pool.map(check, groups) if one]
print(*found, sep="\n")
sys.exit(bool(found))
PYTHON
