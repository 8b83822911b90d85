"""Checks that a search for a letter with -i finds the letters that GNU grep finds or, for tg and -P, that ripgrep 15
finds. The letter is a string or an expression, in each syntax. The letters are: every letter with two cases in C.UTF-8;
the bytes of Latin-1's letters and digits in the C locale, and in locales with a byte for each character; and letters
that follow an i, with or without a dot, in Turkish.

A text has each of these letters on a separate line. The script searches it for each letter with -x -i. With trawl it
also searches for the letter and one more character that may differ (--mismatches=1), which must select the same lines.
With a TRAWL_TEST_SCALE below 10 the script tries only some of the letters and bytes, chosen by TRAWL_TEST_SEED, and all
letters in MANY, which have more than one other form, or for which the programs' rules differ.
"""

import os
import random
import shutil
import subprocess

import cases
import locales
import pytest
from harness import NOT_JUDGED

PART, BYTES = 300, 40
MANY = "iIıİsSſkKKσςΣµμΜβϐεϵθϑϴκϰρϱφϕπϖΩωΩåÅÅDžDždžLjNjDzͅιιẛṡßẞвᲀΐΐΰΰſtstɤꟋᲉᲊ"
# Each row: the program's name, options, forms of a pattern for a single letter.
OF_GREP = [("trawl", "-F", ["%s"]), ("trawl", "-E", ["%s", "[%s]", "(%s|%s)"]), ("trawl", "-G", ["%s", "%s\\{1\\}"])]
OF_RIPGREP = [
    ("tg", "-s", ["%s", "[%s]", "%s|[%s]", "(?:%s|\\d)"]),
    ("tg", "-F", ["%s"]),
    ("trawl", "-P", ["%s", "[%s]", "(?-i:\\d)|%s"]),
]


def letters():
    for code_point in range(0x21, 0x20000):
        if not 0xD800 <= code_point < 0xE000:
            letter = chr(code_point)
            if letter.lower() != letter or letter.upper() != letter or letter.casefold() != letter or letter in MANY:
                yield letter


def lines_found(program, letter, path, locale="C.UTF-8", **more):
    return cases.execute(program + ["-a", "-x", "-i", "-e", letter, path], locale=locale, **more)[:2]


def check(judge, fronts, letter, path, locale="C.UTF-8"):
    """Check that each form of the letter finds the lines that the reference program finds."""
    expected = lines_found(judge, letter, path, locale)
    for name, option, forms in fronts:
        for form in forms:
            got = lines_found(
                [name, option, "--no-line-number"], form.replace("%s", letter), path, locale, executable=cases.TRAWL
            )
            assert got == expected, "%s: %s %s -i %r" % (locale, name, option, form.replace("%s", letter))


EVERY = sorted(set(letters()))
CHOSEN, BYTES_CHOSEN = EVERY, [byte for byte in range(256) if chr(byte).isalnum()]
if cases.SCALE < 10:
    CHOSEN = sorted({*random.Random(cases.SEED).sample(EVERY, PART // int(cases.DIVISOR)), *MANY})
    BYTES_CHOSEN = random.Random(cases.SEED).sample(BYTES_CHOSEN, BYTES)


@pytest.fixture(scope="module")
def others():
    """The locales, other than C and C.UTF-8."""
    version = subprocess.run(["grep", "--version"], capture_output=True).stdout if shutil.which("grep") else b""
    if b"GNU grep" not in version:
        pytest.skip(NOT_JUDGED + "GNU grep")
    return locales.prepare(cases.TRAWL, False)


def written(folder, lines):
    path = os.path.join(folder, "letters")
    with open(path, "wb") as file:
        file.writelines(lines)
    return path


def test_letters_of_grep(folder, others):
    path = written(folder, [(letter + "\n").encode() for letter in EVERY])
    for letter in CHOSEN:
        check(["grep", "-F"], OF_GREP, letter, path)


def test_letters_of_ripgrep(folder):
    path = written(folder, [(letter + "\n").encode() for letter in EVERY])
    for letter in CHOSEN:
        check([cases.ripgrep(), "--no-config", "-N", "-I"], OF_RIPGREP, letter, path)


def test_letters_with_a_mismatch(folder, others):
    path = written(folder, [(letter + "\n").encode() for letter in EVERY])
    signs = path + "?"
    with open(signs, "wb") as file:
        file.writelines((letter + "?\n").encode() for letter in EVERY)
    for letter in CHOSEN:
        status, output = lines_found([cases.TRAWL, "--mismatches=1", "--exact=1"], letter + "!", signs)
        assert (status, output.replace(b"?", b"")) == lines_found(["grep", "-F"], letter, path), "U+%04X" % ord(letter)


def test_turkish(folder, others):
    if "tr_TR.UTF-8" not in others:
        pytest.skip("there is no locale tr_TR.UTF-8")
    path = written(folder, [(first + letter + "\n").encode() for letter in CHOSEN for first in "iIİı"])
    for number, letter in enumerate(CHOSEN):  # each letter follows each of the four letters i in turn
        check(
            ["grep", "-F"],
            OF_GREP[:1] + [("trawl", "-E", ["%s", "%s()"])],
            "iIİı"[number % 4] + letter,
            path,
            "tr_TR.UTF-8",
        )


def test_expressions_of_bytes(folder, others):
    """Compare -P with grep -P where a byte is a character and PCRE2 decides."""
    rng = random.Random(cases.SEED)
    for locale in [name for name in others if "8859" in name]:
        letters = "ak_1- " + "".join(one for one in locales.KNOWN[locale][3] if len(one) == 1)
        parts = [*letters, r"\w", r"\W", r"\b", r"\B", "[[:alpha:]]", ".", "[^%s]", "[a%s]", r"(%s)", r"(%s)\1"]
        for _ in range(cases.amount(1500)):
            made = "".join(rng.choice(parts).replace("%s", rng.choice(letters[6:])) for _ in range(rng.randint(1, 3)))
            made = rng.choice(["(?>)", "(?=)", "(?i)(?>)"]) + made + rng.choice(["", "", "?", "+", "(?!k)"])
            lines = ("".join(rng.choices(letters, k=rng.randint(0, 9))) + "\n" for _ in range(8))
            path = written(folder, [line.encode(locales.codec(locale)) for line in lines])
            words = [
                "-P",
                *rng.sample(["-o", "-w", "-i", "-x"], rng.randint(0, 3)),
                "-e",
                made.encode(locales.codec(locale)),
                path,
            ]
            expected, got = (cases.execute([program, *words], locale=locale)[:2] for program in ("grep", cases.TRAWL))
            assert got == expected, (locale, words, open(path, "rb").read())


# A row: locale, text, arguments, output.
NEAR = [
    ("ja_JP.eucJP", "abxd\n", ["--edits=1", "abcd"], "abxd\n"),
    ("ja_JP.eucJP", "accd\n", ["--mismatches=1", "--any-base", "ACGD"], "accd\n"),
    ("de_DE.ISO-8859-1", "ABXD\n", ["-i", "--edits=1", "abcd"], "ABXD\n"),
    ("tr_TR.UTF-8", "DİRX\nDIRX\n", ["-i", "--mismatches=1", "dir."], "DİRX\nDIRX\n"),
]


def test_near_strings(others):
    for locale, text, arguments, expected in NEAR:
        if locale in others:
            got = cases.execute([cases.TRAWL, *arguments], None, locale, text.encode())
            assert got == (0, expected.encode(), b""), (locale, arguments)


def test_bytes(folder, others):
    path = written(folder, [bytes([byte]) + b"\n" for byte in range(256) if byte not in b"\0\n"])
    for locale in ["C"] + [name for name in others if "8859" in name]:
        for byte in BYTES_CHOSEN:
            check(["grep", "-F"], OF_GREP, os.fsdecode(bytes([byte])), path, locale)
