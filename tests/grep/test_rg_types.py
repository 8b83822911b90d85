"""Compares the file types of --type with ripgrep's.

Each type must have the globs of ripgrep's type with the same name, and no type of ripgrep may be missing. Then random
sequences of --type-add and --type-clear must lead to the same list, and with --type and --type-not to the same files.
"""

import os
import subprocess

import cases
import pytest
from harness import write

TYPES_MIN = 120
CASES = 320
FILES = ["a.c", "a.h", "a.zz", "a.py", "a.md", "b.pyi", "x", "Makefile"]


def types_of(program, *options):
    done = subprocess.run([program] + list(options) + ["--type-list"], stdout=subprocess.PIPE, check=True)
    return dict(line.split(": ", 1) for line in done.stdout.decode().splitlines())


def test_case(rng, trawl, folder):
    """Draw options that change the types of files, and select files by type. A glob that a type has twice is printed twice
    by ripgrep, and once by trawl."""
    for name in FILES:
        write(os.path.join(folder, name), "")
    changes = []
    for _ in range(rng.choice([1, 2, 3, 5, 8])):
        name = rng.choice(["c", "py", "own", "new", "zzz"])  # zzz is last in the alphabet
        changes += rng.choice(
            [
                ["--type-clear", name],
                ["--type-add", name + ":" + rng.choice(["*.zz", "*.c", "x", "*.{py,h}"])],
                ["--type-add", name + ":*.zz"],
                [
                    "--type-add",
                    "%s:include:%s" % (name, ",".join(rng.choices(["c", "py", name], k=rng.randrange(1, 4)))),
                ],
            ]
        )
    selects = [
        word
        for _ in range(rng.randrange(1, 4))
        for word in (rng.choice(["--type", "--type", "--type-not"]), rng.choice(["c", "py", "own", "new", "md", "all"]))
    ]
    done = [cases.execute([program, *changes, "--type-list"])[:2] for program in (trawl, cases.ripgrep())]
    found = [
        cases.execute([program, *changes, *selects, "--files"], folder)[:2] for program in (trawl, cases.ripgrep())
    ]
    once = [
        "%s: %s" % (name, ", ".join(sorted(set(globs.split(", ")))))
        for name, _, globs in (line.partition(": ") for line in done[1][1].decode().splitlines())
    ]
    assert done[0][0] == done[1][0]
    if done[0][0] == 0:
        assert done[0][1].decode().splitlines() == once
    assert found[0][0] == found[1][0] and sorted(found[0][1].splitlines()) == sorted(found[1][1].splitlines())


@pytest.mark.parametrize(
    "changes",
    [[], ["--type-clear", "c", "--type-add", "c:*.{zz,c}", "--type-add", "own:include:c,py", "--type-add", "own:x"]],
)
def test_types(changes):
    own, other = types_of(cases.TRAWL, *changes), types_of(cases.ripgrep(), *changes)
    assert len(own) >= TYPES_MIN and own == other
