#!/usr/bin/env python3
"""Checks that a search for a letter with -i finds the letters that GNU grep finds or, for tg and -P, that ripgrep 15
finds. The letter is a string or an expression, in each syntax. The letters are: every letter with two cases in C.UTF-8;
the bytes of Latin-1's letters and digits in the C locale, and in locales with a byte for each character; and letters
that follow an i, with or without a dot, in Turkish.

usage: fold.py TRAWL

A text has each of these letters in a separate line. The script searches the text for each letter with -x -i. By trawl
alone it also searches for the letter and one more character that may differ (--mismatches=1), which must select the
same lines. With a TRAWL_TEST_SCALE below 10 the script takes only a part of the letters and bytes, chosen by
TRAWL_TEST_SEED, and all letters of MANY, which have more than one other form, or for which the programs' rules
differ.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import cases
import locales

PART, BYTES = 300, 40
MANY = "iIıİsSſkKKσςΣµμΜβϐεϵθϑϴκϰρϱφϕπϖΩωΩåÅÅDžDždžLjNjDzͅιιẛṡßẞвᲀΐΐΰΰſtstɤꟋᲉᲊ"
# Each row: the program's name, options, forms of a pattern for a single letter.
OF_GREP = [("trawl", "-F", ["%s"]), ("trawl", "-E", ["%s", "[%s]", "(%s|%s)"]), ("trawl", "-G", ["%s", "%s\\{1\\}"])]
OF_RIPGREP = [("tg", "-s", ["%s", "[%s]", "%s|[%s]", "(?:%s|\\d)"]), ("tg", "-F", ["%s"]), ("trawl", "-P", ["%s", "[%s]", "(?-i:\\d)|%s"])]


def letters():
    for code_point in range(0x21, 0x20000):
        if not 0xd800 <= code_point < 0xe000:
            letter = chr(code_point)
            if letter.lower() != letter or letter.upper() != letter or letter.casefold() != letter or letter in MANY:
                yield letter


def lines_found(program, letter, path, locale="C.UTF-8", **more):
    return cases.execute(program + ["-a", "-x", "-i", "-e", letter, path], locale=locale, **more)[:2]


def differs(judge, fronts, trawl, letter, path, locale="C.UTF-8"):
    """Print which forms of the letter find other lines than the judge finds. Return how many forms."""
    expected, wrong = lines_found(judge, letter, path, locale), 0
    for name, option, forms in fronts:
        for form in forms:
            got = lines_found([name, option, "--no-line-number"], form.replace("%s", letter), path, locale, executable=trawl)
            wrong += expected != got
            if expected != got:
                print("%s: %s %s -i %r finds %r, %s %r" % (locale, name, option, form.replace("%s", letter), got, judge[0], expected))
    return wrong


def main():
    trawl = os.path.abspath(sys.argv[1])
    grep = shutil.which("grep")
    version = subprocess.run([grep, "--version"], capture_output=True).stdout if grep else b""
    if b"GNU grep" not in version:
        print("SKIPPED: there is no GNU grep here")
        return 77
    rg = cases.ripgrep() or ""
    version = subprocess.run([rg, "--version"], capture_output=True, text=True).stdout if rg else ""
    young = re.match(r"ripgrep (\d+)", version) and int(version.split()[1].split(".")[0]) >= 15
    if not young:
        print("left out: there is no ripgrep 15, which knows Unicode 16")
    every = sorted(set(letters()))
    chosen, bytes_chosen = every, [byte for byte in range(256) if chr(byte).isalnum()]
    if float(os.environ.get("TRAWL_TEST_SCALE") or 1) < 10:
        rng = random.Random(int(os.environ.get("TRAWL_TEST_SEED") or 1))
        part = PART // int(os.environ.get("TRAWL_TEST_DIVISOR") or 1)
        chosen, bytes_chosen = sorted(set(rng.sample(every, part)) | set(MANY)), rng.sample(bytes_chosen, BYTES)
    failures = 0
    others = locales.prepare(trawl, False)
    with tempfile.TemporaryDirectory(prefix="trawl-fold-") as folder:
        path = os.path.join(folder, "letters")
        signs = os.path.join(folder, "signs")
        for place, sign in ((path, ""), (signs, "?")):
            with open(place, "w", encoding="utf-8") as file:
                file.writelines(letter + sign + "\n" for letter in every)
        for letter in chosen:
            failures += differs(["grep", "-F"], OF_GREP, trawl, letter, path)
            if young:
                failures += differs([rg, "--no-config", "-N", "-I"], OF_RIPGREP, trawl, letter, path)
            expected = lines_found(["grep", "-F"], letter, path)
            status, output = lines_found([trawl, "--mismatches=1", "--exact=1"], letter + "!", signs)
            if expected != (status, output.replace(b"?", b"")):
                failures += 1
                print("U+%04X finds, with a mismatch, %r, with grep %r" % (ord(letter), output, expected))
        with open(path, "w", encoding="utf-8") as file:  # each letter stands after each of the four letters i in turn
            file.writelines(first + letter + "\n" for letter in chosen for first in "iIİı")
        for number, letter in enumerate(chosen if "tr_TR.UTF-8" in others else ()):
            failures += differs(["grep", "-F"], OF_GREP[:1] + [("trawl", "-E", ["%s", "%s()"])], trawl, "iIİı"[number % 4] + letter, path, "tr_TR.UTF-8")
        with open(path, "wb") as file:
            file.writelines(bytes([byte]) + b"\n" for byte in range(256) if byte not in b"\0\n")
        for locale in ["C"] + [name for name in others if "8859" in name]:
            for byte in bytes_chosen:
                failures += differs(["grep", "-F"], OF_GREP, trawl, os.fsdecode(bytes([byte])), path, locale)
    print("%d letters of %d, %d differ" % (len(chosen), len(every), failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
