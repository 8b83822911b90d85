"""mutants: checks whether the tests notice small faults: puts a fault into a copy of the sources, builds the copy, and runs
its tests until one fails; then does so with the next fault. Run by hand: `./dev test mutants`.

    mutants.py [--draw N] [--file REGEX] [--tests REGEX] [--targets 'NAME...'] [--least PERCENT]

N faults are made using the table KINDS below, in lines of src, gallery and tools drawn by TRAWL_TEST_SEED. --tests: the
tests that ctest runs; --targets: the targets to build for them. The copy in build/mutants stays: a later run compiles
only what differs. The exit status is 1 if the tests notice less than PERCENT of the faults that compile.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build" / "mutants"
BUILD = os.path.join("build", "release")
DRAWN = ("src", "gallery", "tools")  # where faults are made
PATIENCE_S = 900  # a command that takes longer is stopped; stopped tests count as having noticed the fault
LATER = "^(arm64|install|package|python|tidy|manual|documents|bench|grep|mutation)"  # skipped without --tests

# The kinds of faults: a pattern that a line must match, and the replacement.
KINDS = {
    'comparison': [
        (r' < ', ' <= '), (r' <= ', ' < '), (r' > ', ' >= '), (r' >= ', ' > '), (r' == ', ' != '),
        (r' != ', ' == '),
    ],
    'and, or': [(r' && ', ' || '), (r' \|\| ', ' && ')],
    'one off': [(r' \+ 1u?\b', ''), (r' - 1u?\b', ''), (r' \+ 1\b', ' - 1'), (r' - 1\b', ' + 1')],
    'bits': [(r' & ', ' | '), (r' \| ', ' & '), (r' << ', ' >> '), (r' >> ', ' << ')],
    'condition': [(r'\bif \((.*)\)( \{)?$', r'if (!(\1))\2'), (r' && [^()]+\)', ')'), (r'\([^()]+ && ', '(')],
    'yes, no': [(r'\btrue;$', 'false;'), (r'\bfalse;$', 'true;')],
    'left out': [
        (r'^(\s+)[\w>.\[\]-]+ [-+|&]?= .*;$', r'\1;'), (r'^(\s+)\w+\(.*\);$', r'\1;'),
        (r'^(\s+)(?:break|continue);$', r'\1;'), (r'^(\s+)[\w>.\[\]-]+(?:\+\+|--);$', r'\1;'),
    ],
    'status': [(r'TRAWL_TRY\((.*)\);$', r'(void)(\1);'), (r'return \w+_FAIL\(.*\);$', 'return TRAWL_OK;')],
    'clean-up': [(r'^(\s+)\w*(release|free|close|unlock|unmap|leave|reset|clear|drop)\(.*\);$', r'\1;')],
    'signal': [(r'^(\s+)\w*(signal|broadcast|wake|notify|fence|atomic_store)\w*\(.*\);$', r'\1;')],
    'device': [
        (r'^(\s+)simt_(barrier|warp_sync|fence\w*|add\w*|atomic\w*)\(.*\);', r'\1;'),
        (r'SIMT_BOUND\(', '(1 || '),
    ],
}  # fmt: skip


def drawn(count, wanted):
    """Return `count` random faults: (path, line number from 0, the line with the fault, the
    kind)."""
    found = []
    for path in sorted(path for folder in DRAWN for path in (ROOT / folder).rglob("*")):
        name = str(path.relative_to(ROOT))
        if path.suffix not in (".c", ".h", ".cu") or "/tests/" in name or not re.search(wanted, name):
            continue
        comment = False
        for i, line in enumerate(path.read_text(encoding="utf-8").split("\n")):
            comment = (comment or "/*" in line) and "*/" not in line
            if comment or "/*" in line or "*/" in line or '"' in line or not line.startswith("    "):
                continue
            if re.search(r"sizeof|_ASSERT|static|#|\\$", line):
                continue
            for kind, changes in KINDS.items():
                for old, new in changes:
                    if re.search(old, line):
                        found.append((name, i, re.sub(old, new, line, count=1), kind))
    seed = int(os.environ.get("TRAWL_TEST_SEED") or 1)
    print(f"{len(found)} faults can be made; TRAWL_TEST_SEED={seed}")
    return random.Random(seed).sample(found, min(count, len(found)))


def copy_sources():
    """Update the copy from the tree. An unchanged file keeps its modification time."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = set(filter(None, listed.stdout.split("\0")))
    for path in COPY.rglob("*"):
        name = path.relative_to(COPY)
        if name.parts[0] != "build" and path.is_file() and str(name) not in names:
            path.unlink()
    for name in names:
        source, copy = ROOT / name, COPY / name
        if source.is_file() and (not copy.exists() or copy.read_bytes() != source.read_bytes()):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)


def run(*command):
    """Run a command in the copy. Return whether it succeeded, and its last lines."""
    try:
        done = subprocess.run(command, cwd=COPY, capture_output=True, text=True, errors="replace", timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        return False, "hangs"
    return done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]


def attempt(name, at, faulty, jobs, tests, targets):
    """Try a fault. Return the names of the tests that fail, or 'fails' if ctest names none; ''
    if no test fails; None if the build fails."""
    path = COPY / name
    right = path.read_text(encoding="utf-8")
    lines = right.split("\n")
    lines[at] = faulty
    path.write_text("\n".join(lines), encoding="utf-8")
    try:
        built, said = run("cmake", "--build", BUILD, "-j", jobs, "--target", *targets)
        if not built:
            return None
        choice = ["-R", tests] if tests else ["-E", LATER]
        passed, said = run('ctest', '--test-dir', BUILD, '-j', jobs, '--stop-on-failure', '--timeout', '300',
                           *choice)  # fmt: skip
        failed = re.findall(r"\d+ - (\S+) \((?!Skipped)", said)
        return "" if passed else " ".join(failed) or "fails"
    finally:
        path.write_text(right, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--draw", type=int, default=60)
    parser.add_argument("--file", default="")
    parser.add_argument("--tests", default="")
    parser.add_argument("--targets", default="all")
    parser.add_argument("--least", type=float, default=90)
    arguments = parser.parse_args()
    jobs = os.environ.get("TRAWL_JOBS") or str(os.cpu_count())
    os.environ.setdefault("TRAWL_TEST_DIVISOR", "8")
    COPY.mkdir(parents=True, exist_ok=True)
    copy_sources()
    ready, said = run("cmake", "--preset", "release", "-DTRAWL_CUDA_QUICK=ON")
    if ready:
        ready, said = run("cmake", "--build", BUILD, "-j", jobs, "--target", *arguments.targets.split())
    if not ready:
        sys.exit(f"mutants: the copy cannot be built without a fault:\n{said}")
    noticed, unnoticed, broken = 0, 0, 0
    for name, at, faulty, kind in drawn(arguments.draw, arguments.file):
        ended = attempt(name, at, faulty, jobs, arguments.tests, arguments.targets.split())
        broken += ended is None
        noticed += bool(ended)
        unnoticed += ended == ""
        word = "DOES NOT COMPILE" if ended is None else f"noticed by {ended}" if ended else "UNNOTICED"
        print(f"{name}:{at + 1}: {kind}: {word}\n    {faulty.strip()}", flush=True)
    share = 100 * noticed / max(1, noticed + unnoticed)
    print(f"{noticed} noticed, {unnoticed} not: {share:.0f} %; {broken} did not compile")
    return 0 if share >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
