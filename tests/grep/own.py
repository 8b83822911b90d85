#!/usr/bin/env python3
"""What the command has beyond grep, against loops over the bytes.

usage: own.py TRAWL

--positions, --first, --count-matches with and without --overlapping, -o --overlapping and --hex on
random texts, with -i too, small chunks, files and pipes. TRAWL_TEST_SEED and TRAWL_TEST_SCALE as elsewhere.
"""
import bisect
import os
import sys

import cases

CASES = 400


def all_occurrences(needles, text):
    """(begin, end) of every occurrence of every needle, in order."""
    found = []
    for needle in needles:
        at = text.find(needle)
        while at >= 0:
            found.append((at, at + len(needle)))
            at = text.find(needle, at + 1)
    return sorted(found)


def leftmost_longest(found):
    """What -o takes of them."""
    longest = {}
    for begin, end in found:
        longest[begin] = max(end, longest.get(begin, 0))
    taken, last = [], 0
    for begin, end in sorted(longest.items()):
        if begin >= last:
            last = end
            taken.append((begin, end))
    return taken


def lines_begun(found, text):
    ends = [at for at, byte in enumerate(text) if byte == 10]
    return len({bisect.bisect_left(ends, begin) for begin, _ in found})


def make_text(rng):
    alphabet = rng.choice([b"ab", b"ab\n", b"a\nb\0", bytes(range(256)), b"acgt"])
    text = bytes(rng.choice(alphabet) for _ in range(rng.choice([0, 1, 5, 40, 300, 3000])))
    return text * rng.choice([1, 1, 1, 10])


def make_needles(rng, text, any_byte):
    needles = set()
    for _ in range(rng.choice([1, 1, 2, 4])):
        begin = rng.randrange(len(text) + 1)
        needle = text[begin:begin + rng.choice([1, 1, 2, 3, 5, 9])] or b"a"
        if not any_byte:
            needle = needle.replace(b"\n", b"").replace(b"\0", b"") or b"b"
        needles.add(needle)
    return sorted(needles)


def expected_output(report, found, text):
    if report == ["--positions"]:
        return b"".join(b"%d\n" % begin for begin, _ in found)
    if report == ["--first"]:
        return b"%d\n" % found[0][0] if found else b""
    if report == ["--count-matches"]:
        return b"%d\n" % len(leftmost_longest(found))
    if report == ["--count-matches", "--overlapping"]:
        return b"%d\n" % len(found)
    if report == ["-c", "-a"]:
        return b"%d\n" % lines_begun(found, text)
    taken = found if "--overlapping" in report else leftmost_longest(found)
    return b"".join(b"%d:%s\n" % (begin, text[begin:end]) for begin, end in taken)


REPORTS = [["--positions"], ["--first"], ["--count-matches"], ["--count-matches", "--overlapping"],
           ["-c", "-a"], ["-o", "-b", "-a"], ["-o", "-b", "-a", "--overlapping"]]


def run_case(rng, trawl, folder):
    """None, or what is wrong."""
    text = make_text(rng)
    use_hex = rng.random() < 0.5
    needles = make_needles(rng, text, use_hex)
    given = needles
    locale = rng.choice(["C", "C.UTF-8"])
    ignore_case = locale == "C" and rng.random() < 0.3
    if ignore_case:  # a string in capitals, too, is no other; that each place counts once, no test said
        needles = sorted({needle.lower() for needle in given})
        given = given + [needle.upper() for needle in given if rng.random() < 0.5]
    report = rng.choice(REPORTS)
    path = os.path.join(folder, "text")
    with open(path, "wb") as file:
        file.write(text)
    arguments = [trawl] + report
    if use_hex:
        arguments.append("--hex")
    arguments += ["-i"] * ignore_case
    for needle in given:
        if use_hex:
            needle = needle.hex(" ") if rng.random() < 0.3 else needle.hex()
        arguments += ["-e", needle]
    if rng.random() < 0.7:
        arguments.append("--chunk-bytes=%d" % rng.choice([1, 3, 16, 100, 1000]))
    arguments.append("-j%d" % rng.choice([1, 2, 3]))
    piped = rng.random() < 0.3
    got = cases.execute(arguments + [path] * (not piped), None, locale, text if piped else None)
    found = all_occurrences(needles, text.lower() if ignore_case else text)
    expected = expected_output(report, found, text)
    status = 0 if found else 1
    if got == (status, expected, b""):
        return None
    return "%r on %r: status %d, expected %d; %r, expected %r; %r" % (
        arguments[1:], text[:80], got[0], status, got[1][:200], expected[:200], got[2][:300])


def main():
    return cases.run("own", CASES, "command lines", run_case)


if __name__ == "__main__":
    sys.exit(main())
