"""Compares --wide with a model that looks at each place of a text, and with YARA for strings of ASCII.

The letters that -i treats as equal are listed here, by GNU grep's rule for trawl and by Unicode's for tg.
"""

import ctypes
import os
import re
import unicodedata

import cases
import pytest
from harness import BUILD, TRAWL, execute, has_judge, write
from test_hex import by_yara

CASES, ONE_IN = 400, 4
ASCII = "aAbkKs_- 1"
OTHERS = "éÉẞßкКтТſꙋЄ\u212a\u1c84Ċ뿫⾀😀𐐀𐐨"
GREP = ["aA", "bB", "kK", "sSſ", "éÉ", "кК", "тТ", "ꙋꙊ", "ċĊ", "𐐀𐐨", "єЄ"]
UNICODE = ["aA", "bB", "kK\u212a", "sSſ", "éÉ", "ßẞ", "кК", "тТ\u1c84\u1c85", "ꙋꙊ\u1c88", "ċĊ", "𐐀𐐨", "єЄ"]
LIBC = ctypes.CDLL(None)
LIBC.newlocale.restype = LOCALE_T = ctypes.c_void_p
LIBC.iswalnum_l.argtypes = [ctypes.c_uint, LOCALE_T]
LOCALE = LIBC.newlocale(1, b"C.UTF-8", None)  # LC_CTYPE_MASK
C_LOCALE = ["aA", "bB", "kK", "sS"]


def equal(character, groups):
    """Return the characters that equal one."""
    return next((group for group in groups if character in group), character)


def ends(text, at, string, encoding, groups):
    """Return where the string, which begins at a place, ends; None: it is not there."""
    for character in string:
        forms = [one.encode(encoding) for one in equal(character, groups)]
        found = next((form for form in forms if text[at : at + len(form)] == form), None)
        if found is None:
            return None
        at += len(found)
    return at


def character(part, encoding, last):
    """Return the first or the last character of a few bytes; None: there is none, or none that is valid."""
    for count in (4, 2) if encoding == "utf-16le" else (1, 2, 3, 4):
        some = part[-count:] if last else part[:count]
        if len(some) == count:
            try:
                made = some.decode(encoding, "surrogatepass")
            except UnicodeDecodeError:
                continue
            if len(made) == 1:
                return made
    return None


def is_word(part, encoding, last, way):
    found = character(part, encoding, last)
    if found is None:  # an invalid byte counts for tg, as in ripgrep
        return way == "tg" and encoding == "utf-8" and part != b""
    if way == "trawl":
        return found == "_" or LIBC.iswalnum_l(ord(found), LOCALE) != 0
    kind = unicodedata.category(found)
    if way == "tg" and kind[0] not in "LZ" and kind not in ("Nd", "Pc", "Pd", "Ps", "Pe", "Po", "Cc", "Cs", "Co"):
        pytest.skip("what Unicode says of U+%04X" % ord(found))
    return (kind[0] == "L" or kind in ("Nd", "Pc")) and (way == "tg" or found.isascii())


def occurrences(text, strings, groups, words, way):
    """Return (begin, end, number of the string) of each; at a place, a string is found once, as UTF-8 first."""
    made = []
    for at in range(len(text)):
        for number, string in enumerate(strings, 1):
            for encoding in ("utf-8", "utf-16le"):
                end = ends(text, at, string, encoding, groups)
                if end is None or (words and is_word(text[max(0, at - 4) : at], encoding, True, way)):
                    continue
                if words and is_word(text[end : end + 4], encoding, False, way):
                    continue
                made.append((at, end, number))
                break
    return made


def draw_text(rng, strings, letters):
    text = b""
    for _ in range(rng.choice([0, 1, 4, 12, 60])):
        part = rng.choice([rng.choice(strings), "".join(rng.choices(letters, k=rng.randrange(4)))])
        part = rng.choice([str, str.upper, str.lower, str.swapcase])(part)
        text += part.encode(rng.choice(["utf-16le", "utf-16le", "utf-8"]), "surrogatepass")
        text += rng.choice(
            [b"", b"", b" \0", b"-\0", b"\0", b"\n", b"\0\0", b"\xff", b"\x04", bytes([rng.randrange(256)])]
        )
    return text


def test_wide(rng, folder, trawl):
    way = rng.choice(["trawl", "trawl", "C", "tg"])
    letters = ASCII if rng.random() < 0.4 else rng.choice([OTHERS, ASCII + OTHERS, ASCII + OTHERS])
    if way != "tg":  # grep's rule is not symmetric there
        letters = letters.replace("\u1c84", "")
    few = rng.sample(letters, rng.choice([2, 4, 6]))
    strings = ["".join(rng.choices(few, k=rng.choice([1, 2, 2, 3, 5, 20]))) for _ in range(rng.choice([1, 1, 2, 5]))]
    fold, words = rng.random() < 0.5, rng.random() < 0.4
    groups = {"trawl": GREP, "C": C_LOCALE, "tg": UNICODE}[way] if fold else []
    text = draw_text(rng, strings, letters if rng.random() < 0.5 else "".join(few))
    write(os.path.join(folder, "text"), text)
    options = ["--wide", *["-i"] * fold, *["-w"] * words, *(word for one in strings for word in ("-e", one))]
    options += [rng.choice(["-j1", "-j2"]), *rng.choice([[], ["--chunk-bytes=7"], ["--mmap"], ["--no-mmap"]])]
    program = str(BUILD / "tg") if way == "tg" else trawl
    piped = {"data": text} if rng.random() < 0.3 else {}

    def run(*more):
        command = [program, *options, *more, *([] if piped else ["text"])]
        status, output, errors = execute(command, folder, "C" if way == "C" else "C.UTF-8", **piped)
        assert errors == b"", (command, errors)
        return status, output

    found = occurrences(text, strings, groups, words, way)
    status, output = run("--positions", "--pattern-number")
    got = sorted(tuple(map(int, line.split(b":"))) for line in output.splitlines())
    assert got == sorted((at, number) for at, _, number in found), (options, text)
    assert status == (0 if found else 1)
    cases.counts["selected"] += status == 0
    # without numbers, strings that are equal count once
    same = {"".join(equal(one, groups)[0] for one in string): string for string in strings}
    expected = sorted(at for at, _, number in occurrences(text, list(same.values()), groups, words, way))
    assert list(map(int, run("--positions")[1].split())) == expected, (options, text)
    if (
        b"\n" not in text
        and not re.search("[Ċċ뿫]", "".join(strings) + text.decode("utf-16le", "ignore"))
        and b"\n" not in b"".join(text[a:b] for a, b, _ in found)
    ):
        made, end = b"", 0
        for at in sorted({at for at, _, _ in found}):
            if at >= end:
                fits = [(number if way == "tg" else -last, last) for begin, last, number in found if begin == at]
                end = min(fits)[1]
                made += b"%d:%s\n" % (at, text[at:end])
        assert run("-aob", "--no-line-number", "--no-filename")[1] == made, (options, text)
    if set("".join(strings)) <= set(ASCII) and not (words and "_" in text.decode("latin-1")) and has_judge("yara"):
        kinds = "ascii wide" + " nocase" * fold + " fullword" * words
        judged = by_yara(folder, ['"%s" %s' % (one, kinds) for one in strings])
        plain = set(occurrences(text, strings, GREP and C_LOCALE if fold else [], words, "C"))
        if judged is not None:
            assert {one for one in judged} == {(at, number) for at, _, number in plain}, (options, text)


@pytest.mark.parametrize(("options", "what"), [
    (["-E"], "-E, -G or -P"), (["-P"], "-E, -G or -P"), (["-x"], "-x"), (["--hex"], "--hex"), (["--xor"], "--xor"),
    (["--replace=b"], "--replace"), (["--edits=1"], "options of approximate search and sequences"),
    (["--multiline"], "--multiline"), (["--fasta"], "options of approximate search and sequences"),
])  # fmt: skip
def test_refused(folder, options, what):
    result = execute([TRAWL, "--wide", *options, "61", os.devnull], folder)
    assert result == (2, b"", b"trawl: --wide cannot be combined with %s\n" % what.encode())
