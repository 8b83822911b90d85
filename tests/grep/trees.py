#!/usr/bin/env python3
"""Runs random command lines over trees and lists of files with GNU grep -F and with trawl, and compares.

usage: trees.py TRAWL [--first CASE] [--cases COUNT]

Standard output and standard error go to the same pipe, so the script compares the order of lines and messages, too, byte
for byte; and the status. TRAWL_TEST_SEED (default 1) chooses the cases, TRAWL_TEST_SCALE how many cases there are (default
1: 240); TRAWL_TEST_DIVISOR divides this number.

Left out: paths of more than 4,096 bytes under -R, which grep does not open; and for files with holes, where grep skips
NULs without counting, offsets with -b -z and empty lines with -x.
"""
import os
import random
import subprocess
import sys

import cases

CASES = 240
WIDE_CASES = 3
WIDE_ENTRIES = 10200  # grep sorts directories with more than 10,000 entries
DEEP_LEVELS = 25
DEEP_NAME = "d" * 200

OPTIONS = [["-l"], ["-L"], ["-c"], ["-n"], ["-h"], ["-H"], ["-o"], ["-v"], ["-i"], ["-w"], ["-x"], ["-s"], ["-b"], ["-T"],
           ["-Z"], ["-a"], ["-I"], ["-z"], ["-m1"], ["-m2"], ["-A1"], ["-B1"], ["-C1"], ["-C2", "--group-separator=%%"],
           ["-C1", "--no-group-separator"], ["-q"], ["--color=always"], ["--line-buffered"], ["-D", "skip"],
           ["--include=*.c"], ["--exclude=*1*"], ["--exclude-dir=sub//"], ["-m1", "-c"], ["-l", "-v"], ["-c", "-v"]]
TARGETS = [["mixed"], ["mixed/"], ["./mixed///"], ["lines"], ["mixed", "lines"], ["mixed/sub", "missing", "mixed"],
           ["lines/0", "lines/1", "missing", "mixed/a.c"], ["mixed/hole", "mixed/late", "mixed/early"], ["deep"], ["mixed/other", "deep"],
           ["edges"], ["edges"], ["edges", "mixed/sub"], ["sizes"], ["sizes"], ["sizes", "mixed"]]
OWN = [[], ["-j1"], ["-j2"], ["-j5"], ["-j3", "--chunk-bytes=5000"], ["-j16"]]


def make_files(top, rng):
    def put(name, data):
        os.makedirs(os.path.dirname(os.path.join(top, name)), exist_ok=True)
        with open(os.path.join(top, name), "wb") as file:
            file.write(data)

    def text(lines):
        words = ["foo", "bar", "Foo", "foobar", "a", "é", ""]
        return "".join(" ".join(rng.choice(words) for _ in range(rng.randrange(4))) + "\n" for _ in range(lines)).encode()
    for i in range(150):
        put("mixed/%s%d.%s" % (rng.choice(["sub/", "", "sub/more/", "other/"]), i, rng.choice("ch")), text(rng.randrange(30)))
    put("mixed/a.c", b"foo\nbar\nfoo")
    put("mixed/empty", b"")
    put("mixed/early", b"foo\n\0foo\n")
    put("mixed/late", b"foo\n" * 40000 + b"\0\nfoo\n")
    put("mixed/encoding", b"foo \xff\nfoo\n")
    put("mixed/sub/encoding", b"\xff bar\nbar\nfoo\n")
    put("mixed/large", text(60000))
    with open(os.path.join(top, "mixed/hole"), "wb") as file:
        file.write(b"foo\n" * 1000)
        file.seek(1 << 20)
        file.write(b"foo\n")
    for i in range(60):  # sizes around a read, a block of grep, and the largest file that trawl reads as a whole
        at = rng.choice([1 << 16, 3 << 15, 1 << 19]) + rng.choice([-1, 0, 1, rng.randrange(-9000, 9000)])
        data = bytearray(text(40) + b"x y\n" * (at // 4 + 1))[:at]
        for _ in range(rng.choice([0, 0, 0, 1, 2])):
            place = rng.choice([at - 4, rng.randrange(at - 4)])
            data[place:place + 4] = rng.choice([b"foo\n", b"bar\n", b"\nfoo", b"\0bar"])
        put("sizes/%d" % i, bytes(data))
        if i % 10 == 0:
            os.truncate(os.path.join(top, "sizes/%d" % i), at + 9000)
    os.symlink("sub", os.path.join(top, "mixed/link"))
    os.symlink("..", os.path.join(top, "mixed/sub/up"))
    os.symlink("nowhere", os.path.join(top, "mixed/dangling"))
    os.symlink("itself", os.path.join(top, "mixed/itself"))
    put("mixed/locked", b"foo\n")
    os.chmod(os.path.join(top, "mixed/locked"), 0)
    for i in range(9):  # more output than a worker keeps
        put("lines/%d" % i, b"foo bar\n" * rng.randrange(1, 70000))
    here = os.getcwd()
    os.chdir(top)
    os.mkdir("deep")
    os.chdir("deep")
    for i in range(DEEP_LEVELS):
        with open("f", "wb") as file:
            file.write(b"foo %d\n" % i)
        os.mkdir(DEEP_NAME)
        os.chdir(DEEP_NAME)
    os.chdir(here)
    for i in range(200):  # trawl searches small files together; no match may cross from a file into the next file
        put("edges/%d" % i, rng.choice([b"", b"c", b"c\n", b"cc\n\n"] * 4 + [b"ab", b"ba", b"a", b"b\n", b"\na", b"a\0b", b"b\0"]))
    put("source/0", b"foo\n")
    put("source/1", b"bar\n")
    os.mkdir(os.path.join(top, "wide"))
    for i in rng.sample(range(WIDE_ENTRIES), WIDE_ENTRIES):
        name = ("%d" % i).ljust(255 if i % 99 == 0 else i % 256 * (i % 9 == 0), "w")  # all names together take more than 64 KiB
        os.link(os.path.join(top, "source/%d" % (i % 7 == 0)), os.path.join(top, "wide", name))


def make_case(rng, wide):
    options = [option for chosen in rng.sample(OPTIONS, rng.randrange(4)) for option in chosen]
    recurse = rng.choice(["-r", "-r", "-r", "-R"])
    targets = ["wide"] if wide else rng.choice(TARGETS)
    if "deep" in targets:
        recurse = "-r"
    if "-b" in options and "-z" in options:
        options.remove("-z")
    patterns = rng.choice([["foo"], ["bar"], ["nothing"], ["foo", "a"], ["foo bar"], [""], ["é"]])
    if "edges" in targets:
        patterns = rng.choice([["ab"], ["ba"], ["aa", "bb"], ["a"], ["b", "ca"], ["ac"], ["nothing"]])
    if "-x" in options and "" in patterns:
        patterns = ["foo"]
    arguments = [recurse] + options
    for pattern in patterns:
        arguments += ["-e", pattern]
    return arguments, targets, rng.choice(OWN), rng.choice(["C", "C.UTF-8"])


def run(command, locale, top):
    return cases.execute(command, top, env=dict(os.environ, LC_ALL=locale), stderr=subprocess.STDOUT)[:2]


def run_case(rng, trawl, folder):
    top = os.path.join(folder, "files")
    if not os.path.exists(top):
        os.mkdir(top)
        make_files(top, random.Random("%d files" % cases.seed()))
    arguments, targets, own, locale = make_case(random.Random("%d case %d" % (cases.seed(), rng.number)),
                                                rng.number % CASES < WIDE_CASES)
    expected = run(["grep", "-F"] + arguments + targets, locale, top)
    expected = (expected[0], expected[1].replace(b"grep: ", b"trawl: "))
    got = run([trawl] + own + arguments + targets, locale, top)
    cases.counts["selected"] += expected[0] == 0
    if got == expected:
        return None
    return "LC_ALL=%s: %r %r, and for trawl %r: status %d and %d; %s" % (
        locale, arguments, targets, own, expected[0], got[0], cases.differences(expected[1], got[1]))


def main():
    return cases.run("trees", CASES, "command lines", run_case, one_in=3)


if __name__ == "__main__":
    sys.exit(main())
