"""Checks numbers that depend on long lines, many line ends, many files or measurable times. (test_layout.py compares with a
model which strings the command finds, where, and how often.)
"""

import itertools
import os
import random
import re

import cases
import pytest
from harness import write


def run(trawl, arguments, utf8=False, folder=None, data=None, **more):
    """Return (status, standard output, standard error)."""
    return cases.execute([trawl, *arguments], folder, "C.UTF-8" if utf8 else "C", data, **more)


def test_long_line(trawl, folder):
    """Check the numbers of a line that is too long to be kept in memory, and of very many matches; and such a long line as
    context, before more lines of context."""
    text = b"x\nfoo " + b"=" * 1500000 + b" bar foo\nlast baz\n"
    patterns = [b"bar", b"none", b"baz", b"foo", b"bar"] + [b"=" * i for i in range(1, 9)]
    path = os.path.join(folder, "long")
    write(path, text)
    arguments = ["-n", "--pattern-number"] + [word for pattern in patterns for word in ("-e", pattern)]
    wanted = b""
    for index, line in enumerate(text.splitlines(keepends=True)):
        numbers = [b"%d" % (number + 1) for number, pattern in enumerate(patterns) if pattern in line]
        wanted += b"%d:%s:%s" % (index + 1, b",".join(numbers), line) if numbers else b""
    for more in (["-h", path], ["-h", "-j1", "--chunk-bytes=100000", path], ["-h", "-C3", path]):
        got = run(trawl, arguments + more)[1]
        got = got.replace(b"1--x\n", b"") if "-C3" in more else got
        if got != wanted:
            pytest.fail("a long line: %r..., expected %r..." % (got[:60], wanted[:60]))
    got = run(trawl, ["-n", "-A2", "-h", "--chunk-bytes=100000", "x", path])[1]
    if got != b"".join(
        b"%d%s%s" % (i + 1, b"-" if i else b":", line) for i, line in enumerate(text.splitlines(keepends=True))
    ):
        pytest.fail("a long line as context: %r" % got[-60:])
    got = run(trawl, arguments, data=text)[1]
    assert got == wanted, "a long line of a pipe: %r" % got[:60]


def test_line_ends(trawl, folder):
    """Check the numbers of lines after many consecutive line ends, in each way in which the command counts lines. Some
    texts have more consecutive line ends than a byte can count."""
    for number, count in enumerate((254, 255, 256, 257, 511, 512, 9000, 70000)):
        text = (b"\n" * count + b"x\n") * 2
        for options in ([], ["-B2"], ["-A3"], ["-o"], ["-v"], ["-P"], ["-i"], ["-w"], ["-x", "--chunk-bytes=100"],
                        ["-z"], ["--mismatches=0"], ["-m1"], ["--column"], ["--no-mmap", "-e", "y"]):  # fmt: skip
            data = text.replace(b"\n", b"\0") if "-z" in options else text
            write(os.path.join(folder, "ends"), data)
            operand, given = (("ends", None), ("-", data))[number % 2]
            _, out, err = run(
                trawl, ["-nh", *options, "-e", "x+"[: 1 + ("-P" in options)], operand], folder=folder, data=given
            )
            found = [int(line.split(b":")[0]) for line in out.replace(b"\0", b"\n").splitlines() if b":" in line]
            places, inverts = (count + 1, 2 * count + 2), "-v" in options
            wanted = [at for at in range(1, 2 * count + 3) if (at in places) != inverts]
            wanted = wanted[:1] if "-m1" in options else wanted
            if found != wanted and b"cannot be loaded" not in err:
                pytest.fail("%d line ends in a row, %r, %s: %r" % (count, options, operand, found[:3]))


def test_both_cases(trawl, folder):
    """Check that with -i both cases of a letter are a single string, whose occurrences count once, and that two
    different letters are two strings."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for utf8, more in ((False, "@[`{"), (True, "@[`{éÀ")):
        strings = letters + letters.lower() + more
        words = [word for letter in strings + "É" * utf8 + "à" * utf8 for word in ("-e", letter)]
        out = run(trawl, ["-i", "--count-matches", "--overlapping", *words], utf8, folder, strings.encode())[1]
        if out != b"%d\n" % len(strings):
            pytest.fail("%r occurrences of the letters %s" % (out, strings))
    # The string ᲀ also matches the letter в, but the string в does not match ᲀ. So the two strings are different, and
    # both occur at 0.
    out = run(trawl, ["-iob", "--pattern-number", "-e", "в", "-e", "ᲀ"], True, folder, "вᲀ".encode())[1]
    assert out == "0:1:в\n0:2:в\n2:2:ᲀ\n".encode(), "two letters at the same place: %r" % out


def begins(string, text):
    return [at for at in range(len(text)) if text.startswith(string, at)]


def test_short_strings(trawl, folder):
    """Check --count-matches for each string of up to three letters, which may overlap with itself, mostly with -i."""
    text = b"aaaa aAaAAaaab\nabab aBab-abA\nBABA_bAbB bbb\naab\naA\n"
    for letters in (letters for count in (1, 2, 3) for letters in itertools.product(b"aAb", repeat=count)):
        for options in (["-i"], ["-i", "--overlapping"], *([["-iw"], [], ["-ix"]] if len(letters) < 3 else [])):
            fold = bytes.lower if options else bytes
            string, found, last = fold(bytes(letters)), 0, 0
            for at in begins(string, fold(text)):
                around = text[at - 1 : at] + text[at + len(string) :][:1]
                whole = "-ix" not in options or set(around) <= set(b"\n")
                whole = whole and ("-iw" not in options or not re.search(rb"\w", around))
                if whole and (at >= last or "--overlapping" in options):
                    found, last = found + 1, at + len(string)
            out = run(trawl, [*options, "--count-matches", bytes(letters)], False, folder, text)[1]
            assert out == b"%d\n" % found, (options, letters)


def test_trees(trawl, folder):
    """Check the counts of many files, searched by many workers."""
    top = os.path.join(folder, "tree")
    patterns, sums = [b"a", b"aa", b"ab", b"none", b"a"], [0] * 5
    rng = random.Random(5)
    for i in range(200):
        os.makedirs(os.path.join(top, "d%d" % (i % 7)), exist_ok=True)
        text = bytes(rng.choice(b"ab\n\0") for _ in range(rng.choice([0, 3, 2000])))
        write(os.path.join(top, "d%d" % (i % 7), "f%d" % i), text)
        for number, pattern in enumerate(patterns):
            sums[number] += len(begins(pattern, text))
    wanted = b"".join(b"%d:%d:%s\n" % (i + 1, sums[i], patterns[i]) for i in range(5))
    words = [word for pattern in patterns for word in ("-e", pattern)]
    for threads in ("-j1", "-j4"):
        _, out, err = run(trawl, ["-r", threads, "--count-by-pattern", *words, top])
        if out != wanted or err:
            pytest.fail("a tree: %r, expected %r; %r" % (out, wanted, err))
    each = [run(trawl, ["-r", threads, "-H", "--count-by-pattern", *words, top])[1] for threads in ("-j1", "-j4")]
    assert each[0] == each[1] != b"", "-H: threads change what is printed"


def test_statistics(trawl, folder):
    """Check the numbers of --stats after searches that take a measurable time. They must not count a search of a small file
    twice."""
    path = os.path.join(folder, "many")
    write(path, b"".join(b"%d foo\n" % i for i in range(300000)))
    for options in (["-c", "foo"], ["-c", "none"], ["-j1", "-c", "77"], ["-co", "7"], ["-ci", "-e", "FOO 7", "-e", "x"],
                    ["-l", "299999"], ["-c", "--edits=1", "99x99"], ["-c", "--mismatches=1", "99x99"],
                    ["--count-by-pattern", "-e", "1", "-e", "2"], ["-v", "foo"], ["-n", "77"]):  # fmt: skip
        jobs = 1 if "-j1" in options else 0
        for operands in ([path], [path, path], ["-"], ["-r", folder] if "-c" in options else ["-"]):
            with open(path, "rb") as file:
                said = run(trawl, ["--stats", *options, *operands], stdin=file)[2]
            wrong = cases.stats_wrong(said, jobs, None if "-r" in operands else os.path.getsize(path) * len(operands))
            if wrong:
                pytest.fail("%r: %s" % (options + operands, wrong))
    small = os.path.join(folder, "small")
    write(small, b"bar foo\n" * 100)
    for count in range(1, 10):  # the command searches several small files together
        command = ["-j1", "-c", "--stats", "none", *[small] * count, folder, path, folder]
        said = run(trawl, command)[2]
        size = 800 * count + os.path.getsize(path)
        searched = sum(map(int, re.findall(rb" (\d+)", re.search(rb"^methods: .*", said, re.MULTILINE)[0])))
        wrong = cases.stats_wrong(said[said.find(b"files:") :], 1, size)
        if wrong or not size <= searched <= size + 64 * count:
            pytest.fail("%d small files, which hold nothing, not searched once: %s; %r" % (count, wrong, said))
