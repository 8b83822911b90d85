#!/usr/bin/env python3
"""Compares the file types that --type knows with ripgrep's types.

usage: rg_types.py TRAWL

Each type must have the globs of ripgrep's type with the same name, and no type of ripgrep may be missing. Then random sequences of --type-add and --type-clear
must lead to the same list, and with --type and --type-not to the same files; TRAWL_TEST_SEED, TRAWL_TEST_SCALE (default 1:
320 sequences) and TRAWL_TEST_DIVISOR as for the other scripts.
"""
import os
import subprocess
import sys
import tempfile

import cases

TYPES_MIN = 120
TYPE_CASES = 320
FILES = ["a.c", "a.h", "a.zz", "a.py", "a.md", "b.pyi", "x", "Makefile"]


def types_of(program, *options):
    done = subprocess.run([program] + list(options) + ["--type-list"], stdout=subprocess.PIPE, check=True)
    return dict(line.split(": ", 1) for line in done.stdout.decode().splitlines())


def compare_changes(trawl, rng, folder):
    """Draw options that change the types of files, and select files by type. Return a list of these options if ripgrep
    lists other types or finds other files, otherwise []. A glob that a type was given twice
    is printed twice by ripgrep, and once by trawl."""
    changes = []
    for _ in range(rng.choice([1, 2, 3, 5, 8])):
        name = rng.choice(["c", "py", "own", "new", "zzz"])  # zzz is last in the alphabet
        changes += rng.choice([["--type-clear", name], ["--type-add", name + ":" + rng.choice(["*.zz", "*.c", "x", "*.{py,h}"])],
                               ["--type-add", name + ":*.zz"], ["--type-add", "%s:include:%s" % (name, ",".join(rng.choices(["c", "py", name], k=rng.randrange(1, 4))))]])
    selects = [word for _ in range(rng.randrange(1, 4)) for word in (rng.choice(["--type", "--type", "--type-not"]), rng.choice(["c", "py", "own", "new", "md", "all"]))]
    done = [cases.execute([program, *changes, "--type-list"])[:2] for program in (trawl, cases.ripgrep())]
    found = [cases.execute([program, *changes, *selects, "--files"], folder)[:2] for program in (trawl, cases.ripgrep())]
    once = ["%s: %s" % (name, ", ".join(sorted(set(globs.split(", "))))) for name, _, globs in (line.partition(": ") for line in done[1][1].decode().splitlines())]
    wrong = []
    if done[0][0] != done[1][0] or (done[0][0] == 0 and done[0][1].decode().splitlines() != once):
        wrong = [" ".join(changes)]
    elif found[0][0] != found[1][0] or sorted(found[0][1].splitlines()) != sorted(found[1][1].splitlines()):
        wrong = [" ".join(changes + selects)]
    if wrong:
        print("%s: %r, and ripgrep %r" % (wrong[0], *found))
    return wrong


def main():
    trawl = os.path.abspath(sys.argv[1])
    if cases.ripgrep() is None:
        print("SKIPPED: there is no ripgrep 15.2: scripts/judges.sh could not install it")
        return 77
    own, other = types_of(trawl), types_of(cases.ripgrep())
    differ = [name for name in sorted({*own, *other}) if own.get(name) != other.get(name)]
    for name in differ:
        print("%s: %s\n  ripgrep: %s" % (name, own.get(name, "not there"), other.get(name, "not there")))
    changes = ["--type-clear", "c", "--type-add", "c:*.{zz,c}", "--type-add", "own:include:c,py", "--type-add", "own:x"]
    own, other = types_of(trawl, *changes), types_of(cases.ripgrep(), *changes)
    differ += [name for name in ("c", "own", "py") if own[name] != other[name]]
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            open(os.path.join(folder, name), "w").close()
        for number in range(cases.amount(TYPE_CASES)):
            differ += compare_changes(trawl, cases.random_of("types", number), folder)
    print("%d types, %d differ from ripgrep, which has %d" % (len(own), len(differ), len(other)))
    return 1 if len(own) < TYPES_MIN or differ else 0


if __name__ == "__main__":
    sys.exit(main())
