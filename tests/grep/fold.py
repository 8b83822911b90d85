#!/usr/bin/env python3
"""Checks that a search for a letter with -i in a UTF-8 locale finds the same letters with trawl and with GNU grep -F,
for every letter with two cases, in C.UTF-8, and behind an i in Turkish, where the command compares the letters by itself.

usage: fold.py TRAWL

A text has each of these letters in a separate line. The script searches the text for each letter with -x -i, and, by trawl
alone, for the letter with a sign behind it that may differ (--mismatches), which must select the same lines. With a
TRAWL_TEST_SCALE below 10 the script takes only a part of the letters, chosen by TRAWL_TEST_SEED, and all letters of MANY,
where more than two letters are equal.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

import cases
import locales

PART = 300
MANY = "iIıİsSſkKKσςΣµμΜβϐεϵθϑϴκϰρϱφϕπϖΩωΩåÅÅDžDždžLjNjDzͅιιẛṡßẞвᲀ"


def letters():
    for code_point in range(0x21, 0x20000):
        if not 0xd800 <= code_point < 0xe000:
            letter = chr(code_point)
            if letter.lower() != letter or letter.upper() != letter or letter.casefold() != letter:
                yield letter


def lines_found(program, letter, path, locale="C.UTF-8"):
    return cases.execute(program + ["-x", "-i", "-e", letter, path], locale=locale)[:2]


def main():
    trawl = os.path.abspath(sys.argv[1])
    grep = shutil.which("grep")
    version = subprocess.run([grep, "--version"], capture_output=True).stdout if grep else b""
    if b"GNU grep" not in version:
        print("SKIPPED: there is no GNU grep here")
        return 77
    every = list(letters())
    chosen = every
    if float(os.environ.get("TRAWL_TEST_SCALE") or 1) < 10:
        rng = random.Random(int(os.environ.get("TRAWL_TEST_SEED") or 1))
        part = PART // int(os.environ.get("TRAWL_TEST_DIVISOR") or 1)
        chosen = sorted(set(rng.sample(every, part)) | set(MANY))
    failures = 0
    with tempfile.TemporaryDirectory(prefix="trawl-fold-") as folder:
        path = os.path.join(folder, "letters")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(letter + "\n" for letter in every)
        signs = os.path.join(folder, "signs")
        with open(signs, "w", encoding="utf-8") as file:
            file.writelines(letter + "?\n" for letter in every)
        for letter in chosen:
            expected = lines_found(["grep", "-F"], letter, path)
            got = lines_found([trawl], letter, path)
            status, output = lines_found([trawl, "--mismatches=1", "--exact=1"], letter + "!", signs)
            if expected != got or expected != (status, output.replace(b"?", b"")):
                failures += 1
                print("U+%04X finds %r, with a mismatch %r, with grep %r" % (ord(letter), got, output, expected))
        turkish = "tr_TR.UTF-8" in locales.prepare(trawl, False)
        with open(path, "w", encoding="utf-8") as file:  # behind one of four letters, of which two are equal
            file.writelines(first + letter + "\n" for letter in chosen for first in "iIİı")
        for number, letter in enumerate(chosen if turkish else ()):
            letter = "iIİı"[number % 4] + letter
            expected, got = (lines_found(program, letter, path, "tr_TR.UTF-8") for program in (["grep", "-F"], [trawl]))
            if expected != got:
                failures += 1
                print("in Turkish %r finds %r, with grep %r" % (letter, got, expected))
    print("%d letters of %d, %d differ" % (len(chosen), len(every), failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
