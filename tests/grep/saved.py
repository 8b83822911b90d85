#!/usr/bin/env python3
"""A saved set of strings against the list it was made of: the same output, messages and status.

usage: saved.py TRAWL

Random lists, options when saving and when searching, locales, reports; with other strings beside the
set, and on files with NUL bytes. TRAWL_TEST_SEED and TRAWL_TEST_SCALE as elsewhere.
"""
import os
import subprocess
import sys

import cases

CASES = 150
ALPHABETS = [b"ab\n", b"aAb \n", b"ab\n\0", b"ab_ \n\xc3\xa4"]
REPORTS = [[], ["-c"], ["-v"], ["-v", "-c"], ["-o", "-b"], ["-l"], ["-L"], ["-q"], ["-C1"], ["-n"], ["--matrix"],
           ["--matrix=csv"], ["--count-matches"], ["--count-matches", "--overlapping"], ["--positions"], ["--first"],
           ["--pattern-number"], ["-o", "--pattern-number"], ["--count-by-pattern"], ["--unmatched-patterns"],
           ["--color=always"], ["-m2"]]


def run(trawl, arguments, folder, locale):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": locale}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
        if name in os.environ:
            environment[name] = os.environ[name]
    done = subprocess.run([trawl] + arguments, cwd=folder, env=environment, capture_output=True, timeout=60,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def run_case(rng, trawl, folder):
    """None, or what is wrong."""
    alphabet = rng.choice(ALPHABETS)

    def make(count):
        return bytes(rng.choice(alphabet) for _ in range(count))

    strings = rng.choice([b"", make(rng.choice([1, 4, 12, 60])), make(rng.choice([1, 4, 12, 60]))])
    form, beside = [], [] if rng.random() < 0.7 else ["-e", rng.choice(["a", "b", "", "ab"])]
    if rng.random() < 0.2:
        strings = b"\n".join(make(rng.choice([0, 1, 2, 5])).hex().encode() for _ in range(rng.choice([1, 3, 8])))
        form, beside = ["--hex"], []
    for name, data in (("list", strings), ("text", make(rng.choice([0, 5, 50, 500])))):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    conditions = [option for option in ("-i", "-w", "-x") if rng.random() < 0.25]
    later = [option for option in conditions if rng.random() < 0.3]
    common = rng.choice(REPORTS) + [option for option in ("-z", "-a", "-I") if rng.random() < 0.2] + beside + ["text"]
    locale = rng.choice(["C", "C.UTF-8"])
    kept = ["-f", "list"] + form + [option for option in conditions if option not in later]
    saved = run(trawl, ["--save-patterns", "set"] + kept + ["-z"] * (rng.random() < 0.1), folder, locale)
    if saved != (0, b"", b""):
        return "%r: %r" % (kept, saved)
    if rng.random() < 0.2:
        locale = rng.choice(["C", "C.UTF-8"])
    expected = run(trawl, ["-f", "list"] + form + conditions + common, folder, locale)
    got = run(trawl, ["-f", "set"] + later + common, folder, locale)
    if got == expected:
        return None
    return "%r saved with %r, searched with %r in %s: %r, expected %r" % (strings, kept, later + common, locale, got,
                                                                        expected)


def main():
    return cases.run("saved", CASES, "searches", run_case)


if __name__ == "__main__":
    sys.exit(main())
