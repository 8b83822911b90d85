#!/usr/bin/env python3
"""A saved set of strings against the list it was made of: the same output, messages and status.

usage: saved.py TRAWL

Random lists, options when saving and when searching, locales, reports; with other strings beside the
set, and on files with NUL bytes. TRAWL_TEST_SEED and TRAWL_TEST_SCALE as elsewhere.
"""
import os
import sys

import cases

CASES = 150
ALPHABETS = [[b"a", b"b", b"\n"], [b"a", b"A", b"b", b" ", b"\n"], [b"a", b"b", b"\n", b"\0"],
             [b"a", b"b", b"_", b" ", b"\n", b"\xc3", b"\xa4"],
             [b"a", b"b", b" ", b"\n", b"\xc3\xa4", b"\xc3\x84", b"\xff"]]
REPORTS = [[], ["-c"], ["-v"], ["-v", "-c"], ["-o", "-b"], ["-l"], ["-L"], ["-q"], ["-C1"], ["-n"], ["--matrix"],
           ["--matrix=csv"], ["--count-matches"], ["--count-matches", "--overlapping"], ["--positions"], ["--first"],
           ["--pattern-number"], ["-o", "--pattern-number"], ["--count-by-pattern"], ["--unmatched-patterns"],
           ["--color=always"], ["-m2"]]


def run(trawl, arguments, folder, locale):
    return cases.execute([trawl] + arguments, folder, locale)


def run_case(rng, trawl, folder):
    """None, or what is wrong."""
    alphabet = rng.choice(ALPHABETS)

    def make(count):
        return b"".join(rng.choice(alphabet) for _ in range(count))

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


def broken_strings(trawl, folder):
    """Of strings that are not UTF-8 the strings are saved, and planned again."""
    for name, data in (("list", b"\xff\nk\n\xc3\xa4\xc3\n"), ("text", b"k\xc3\xa4\n\xc3\x84\xc3\n")):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    for option, count in (("-w", b"0\n"), ("-i", b"2\n")):
        saved = run(trawl, ["--save-patterns", "set", option, "-f", "list"], folder, "C.UTF-8")
        counted = run(trawl, ["-c", "-f", "set", "text"], folder, "C.UTF-8")
        if saved != (0, b"", b"") or counted[1] != count:
            return "strings that are not UTF-8, saved with %s: %r, then %r" % (option, saved, counted)
        for report in ("--matrix", "--positions", "--count-by-pattern"):
            expected = run(trawl, [report, option, "-f", "list", "text"], folder, "C.UTF-8")
            got = run(trawl, [report, option, "-f", "set", "text"], folder, "C.UTF-8")
            if got != expected:
                return "the same, %s %s: %r, expected %r" % (option, report, got, expected)
    return None


def main():
    return cases.run("saved", CASES, "searches", run_case, [broken_strings])


if __name__ == "__main__":
    sys.exit(main())
