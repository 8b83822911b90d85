"""Compares --hex with wildcards, jumps and alternatives, and --xor, with YARA and with a loop over the places of a text.

YARA reports each place where an occurrence begins, once. YARA before 4.3 lacks ~, so such strings are only compared with
the loop, which asks re at each place.
"""

import os
import re

import cases
import pytest
from harness import TRAWL, execute, has_judge, write

CASES, ONE_IN = 300, 3
BYTES = [0x61, 0x62, 0x63, 0x0A, 0x00, 0xFF, 0x41, 0x6A]


def draw_byte(rng):
    byte = "%02x" % rng.choice(BYTES)
    kind = rng.random()
    if kind < 0.6:
        return byte if rng.random() < 0.8 else byte.upper()
    if kind < 0.75:
        return "??"
    byte = rng.choice([byte[0] + "?", "?" + byte[1]]) if kind < 0.9 else byte
    return "~" + byte if kind > 0.93 else byte


def draw(rng, depth=0):
    """Return a list of items of a string: bytes, jumps, and lists of alternatives."""
    items = []
    for i in range(rng.choice([1, 2, 3, 5])):
        if i and not isinstance(items[-1], tuple) and rng.random() < 0.25:
            least = rng.choice([0, 1, 2, 5])
            items.append((least, least + rng.choice([0, 1, 3, 9])))
        if depth < 2 and rng.random() < 0.15:
            items.append([draw(rng, depth + 1) for _ in range(rng.choice([2, 2, 3]))])
        else:
            items.append(draw_byte(rng))
    return items


def spelled(rng, items):
    words = []
    for item in items:
        if isinstance(item, tuple):
            words.append("[%d-%d]" % item if item[0] < item[1] or rng.random() < 0.3 else "[%d]" % item[0])
        elif isinstance(item, list):
            words.append("(" + "|".join(spelled(rng, one) for one in item) + ")")
        else:
            words.append(item)
    return rng.choice([" ", " ", ""]).join(words)


def expression(items):
    made = b""
    for item in items:
        if isinstance(item, tuple):
            made += b".{%d,%d}" % item
        elif isinstance(item, list):
            made += b"(?:" + b"|".join(map(expression, item)) + b")"
        else:
            digits = item.removeprefix("~").lower()
            fits = [byte for byte in range(256) if all(a in ("?", b) for a, b in zip(digits, "%02x" % byte))]
            made += b"[" + b"^" * item.startswith("~") + b"".join(b"\\x%02x" % byte for byte in fits) + b"]"
    return made


def begins(pattern, text):
    """Return each place where the pattern matches."""
    compiled = re.compile(pattern, re.S)
    return [at for at in range(len(text)) if compiled.match(text, at)]


def by_yara(folder, strings):
    """Return the places of each string by YARA; None: YARA rejects a string."""
    rule = "rule r { strings: %s condition: any of them }" % " ".join(
        "$s%d = %s" % (number, string) for number, string in enumerate(strings, 1)
    )
    write(os.path.join(folder, "rule"), rule)
    status, output, errors = execute(["yara", "-s", "-w", "rule", "text"], folder)
    if status or b"error" in errors:
        return None
    found = re.findall(rb"^0x([0-9a-f]+):\$s(\d+): ", output, re.M)
    return sorted({(int(at, 16), int(number)) for at, number in found})


def draw_text(rng):
    return bytes(rng.choices(BYTES, k=rng.choice([0, 5, 30, 200, 2000])))


def test_hex(rng, folder, trawl):
    text = draw_text(rng)
    write(os.path.join(folder, "text"), text)
    strings = [draw(rng) for _ in range(rng.choice([1, 1, 2, 3]))]
    words = [spelled(rng, items) for items in strings]
    options = [rng.choice(["-j1", "-j2"]), *rng.choice([[], ["--chunk-bytes=7"], ["--mmap"]])]
    command = [
        trawl,
        "--hex",
        "--positions",
        "--pattern-number",
        *options,
        *(w for word in words for w in ("-e", word)),
    ]
    status, output, errors = execute([*command, "text"], folder)
    assert errors == b"", " ".join(command)
    got = [tuple(map(int, line.split(b":"))) for line in output.splitlines()]
    places = [begins(expression(items), text) for items in strings]
    expected = sorted((at, i + 1) for i, found in enumerate(places) for at in found)
    assert (sorted(got), [at for at, _ in got]) == (expected, sorted(at for at, _ in got)), (words, options, text[:50])
    assert status == (0 if got else 1)
    cases.counts["selected"] += status == 0
    if "~" not in "".join(words) and has_judge("yara"):
        judged = by_yara(folder, ["{ %s }" % word for word in words])
        # YARA 4.2 overlooks some occurrences of strings with several jumps
        if judged is not None and any(word.count("[") > 1 for word in words):
            assert set(judged) <= set(expected), (words, text)
        else:
            assert judged in (None, expected), (words, text)
    # without numbers, a line for each string that is another one, of as many as begin at a place
    expressions = {expression(items) for items in strings}
    output = execute([*(word for word in command if word != "--pattern-number"), "text"], folder)[1]
    expected = sorted(at for one in expressions for at in begins(one, text))
    assert [int(line) for line in output.splitlines()] == expected, (words, options, text[:50])
    # -o takes the leftmost, of those that begin there the longest, all of it, then continues at its end
    made, end = b"", 0
    compiled = [re.compile(one.replace(b"}", b"}?"), re.S) for one in expressions]
    for at in sorted(set(expected)):
        if at >= end:
            end = max(match.end() for match in (one.match(text, at) for one in compiled) if match)
            made += b"%d:%s\n" % (at, text[at:end])
    command = [word for word in command if word not in ("--positions", "--pattern-number")]
    output = execute([*command, "-aob", "text"], folder)[1]
    assert output == made, (words, options, text)


def test_xor(rng, folder, trawl):
    text = bytearray(draw_text(rng))
    string = bytes(rng.choices([0x61, 0x62, 0x63, 0x41], k=rng.choice([2, 3, 5])))
    for _ in range(rng.choice([0, 1, 3])):
        key, at = rng.randrange(256), rng.randrange(len(text) + 1)
        text[at:at] = bytes(byte ^ key for byte in string)
    text = bytes(text)
    write(os.path.join(folder, "text"), text)
    least = rng.choice([1, 1, 2, 100])
    most = rng.choice([255, 255, least, least + 50])
    given = rng.choice([["--hex", string.hex()], [string.decode()], ["-F", string.decode()]])
    option = "--xor" if (least, most) == (1, 255) and rng.random() < 0.5 else "--xor=%d-%d" % (least, most)
    status, output, errors = execute([trawl, option, "--positions", *given, "text"], folder)
    keys = [bytes(byte ^ key for byte in string) for key in range(least, most + 1)]
    expected = [at for at in range(len(text)) if text[at : at + len(string)] in keys]
    assert ([int(line) for line in output.splitlines()], errors) == (expected, b""), (option, given, text)
    assert status == (0 if expected else 1)
    cases.counts["selected"] += status == 0
    if has_judge("yara"):
        judged = by_yara(folder, ['"%s" xor(%d-%d)' % (string.decode(), least, most)])
        assert judged is None or [at for at, _ in judged] == expected, (option, given, text)


@pytest.mark.parametrize(("string", "what"), [
    ("6 ??", "an odd number of digits"), ("61 [2-] 62", "a jump without a length, or of more than 1,000 bytes"),
    ("61 [1-3]", "a jump at an end"), ("[1] 61", "a jump at an end"), ("61 [3-2] 62", "an invalid jump"),
    ("61 [2-1001] 62", "a jump without a length, or of more than 1,000 bytes"), ("61 (62", "a ( without )"),
    ("?? )", "a ) or | without ("), ("61 (|62)", "nothing where bytes must be"), ("~??", "~??, which no byte is"),
    ("01 02)", "a ) or | without ("), (")", "nothing where bytes must be"), ("01] 02", "a ] without ["),
    ("61 zz ??", "a character that is not a hexadecimal digit"), ("(" * 200 + "61" + ")" * 200, "too many parentheses"),
])  # fmt: skip
def test_wrong(folder, string, what):
    status, output, errors = execute([TRAWL, "--hex", "-e", string, "text"], folder)
    assert (status, output) == (2, b"")
    assert errors.decode() == "trawl: --hex: '%s' has %s\n" % (string[:60], what)
