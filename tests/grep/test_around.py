"""Compares what --around prints with a model: a loop over the lines of a text and the matches that re finds.

Each case has --around with one number or two, an expression, and perhaps -r, --vimgrep, --crlf, -U, --trim, -m, -v as tg,
--json, colours or a pipe; the texts have characters of 1 to 4 bytes, invalid bytes, tabs, empty lines and last lines
without end. What the model leaves out: -M, --pattern-number, --overlapping (see test_excerpts), contexts, and expressions
that match nothing.
"""

import base64
import json
import os
import re

import cases
import pytest
from harness import TRAWL, execute, write

COLOR = b"\x1b[31m"
CASES, ONE_IN = 700, 3
TOKENS = [b"a", b"b", b"ab", "é".encode(), "漢".encode(), "𝄞".encode(), b" ", b"x", b"\t", b"."]
BROKEN = [b"\xff", b"\xe6\xbc", b"\x80", b"\xf0\x9d\x84", b"\xc3"]
EXPRESSIONS = [b"a", b"ab", b"b+", "é|x".encode(), b"a.b", b"[a-x]+", "漢".encode(), "𝄞.".encode(), b"x$", b"^ *[ab]"]
ACROSS = [b"a\n", rb"b\s+", b"x?\r?\n+a"]
WIDTHS = [0, 0, 1, 2, 3, 7, 20, 300, 10**18]


def characters(text):
    """Return where the characters of the text begin, and its length; an invalid byte is a character."""
    return [m.start() for m in re.finditer(
        rb"[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
        rb"|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}"
        rb"|[\x80-\xff]", text, re.S)] + [len(text)]  # fmt: skip


def excerpts(line, spans, before, after, alone):
    """Return (begin, end, spans inside) of each excerpt of the line."""
    begins = characters(line)
    rank = {at: i for i, at in enumerate(begins)}
    made = []
    for begin, end in spans:
        low = begins[max(0, rank[begin] - before)]
        high = begins[min(len(begins) - 1, rank[end] + after)]
        if made and not alone and (low < made[-1][1] or begin < made[-1][1]):
            made[-1] = (made[-1][0], max(high, made[-1][1]), [*made[-1][2], (begin, end)])
        else:
            made.append((low, high, [(begin, end)]))
    return made


class Case:
    def __init__(self, rng):
        self.before, self.after = rng.choice(WIDTHS), rng.choice(WIDTHS)
        self.vimgrep, self.crlf, self.json = (rng.random() < chance for chance in (0.2, 0.2, 0.2))
        self.replace = rng.choice([None, None, None, b"", b"<$0>", "漢漢".encode()])
        self.colors = not self.json and not self.crlf and rng.random() < 0.2
        self.multiline = not (self.replace is not None or self.json or self.vimgrep) and rng.random() < 0.2
        self.limit = None if self.multiline else rng.choice([None, None, None, 1, 2])  # -U -m counts occurrences
        self.chunk = rng.choice([None, 1, 7, 100])
        self.expression = rng.choice(EXPRESSIONS + self.multiline * 2 * ACROSS)
        self.broken = rng.random() < 0.2
        tokens = TOKENS + BROKEN * self.broken
        lines = [
            b"".join(rng.choice(tokens) for _ in range(rng.choice([0, 1, 3, 10, 40, 200])))
            for _ in range(rng.randint(1, 5))
        ]
        self.end = b"\r\n" if self.crlf else b"\n"
        self.text = self.end.join(lines) + self.end * rng.randint(0, 1)

    def arguments(self):
        both = self.before != self.after or len(self.text) % 2
        yield "--around=%d" % self.before + ",%d" % self.after * bool(both)
        yield from ("-n", "--column", "-b", "--no-filename", "--no-heading")
        yield from (f"--{name}" for name in ("vimgrep", "crlf", "json", "multiline") if getattr(self, name))
        yield "--color=" + ("always" if self.colors else "never")
        yield from (*("--colors=%s:none" % it for it in ("match", "line", "column", "path")), "--colors=match:fg:red")
        if self.replace is not None:
            yield from ("-r", self.replace.decode())
        if self.limit:
            yield f"-m{self.limit}"
        if self.chunk:
            yield f"--chunk-bytes={self.chunk}"
        yield from ("-e", self.expression.decode())

    def found(self):
        """Return (line number, offset, line, spans) of each line with matches."""
        matches = [m.span() for m in re.finditer(self.expression, self.text, re.M)]  # with -U
        lines, offset = self.text.split(self.end), 0
        for number, line in enumerate(lines if lines[-1] else lines[:-1], 1):
            if self.multiline:
                spans = [(max(b, offset) - offset, min(e, offset + len(line)) - offset) for b, e in matches]
                spans = [(b, e) for b, e in spans if b < e]
            else:
                spans = [(m.start(), m.end()) for m in re.finditer(self.expression, line)]
            if spans:
                yield number, offset, line, spans
            offset += len(line) + len(self.end)

    def printed(self):
        left = self.limit or 10**9
        for number, offset, line, spans in self.found():
            if left == 0:
                return
            left -= 1
            shown, at, marked = b"", 0, []
            for begin, end in spans:
                shown += line[at:begin]
                text = line[begin:end] if self.replace is None else self.replace.replace(b"$0", line[begin:end])
                marked.append((len(shown), len(shown) + len(text)))
                shown, at = shown + text, end
            shown += line[at:]
            for low, high, inside in excerpts(shown, marked, self.before, self.after, self.vimgrep):
                column = inside[0][0]
                part, at, colored = b"", low, -1
                for begin, end in [*inside, (high, high)]:
                    # touching matches share a colour
                    part += shown[at:begin] + COLOR * (self.colors and colored < begin < end) + shown[begin:end]
                    at, colored = end, end if begin < end else colored
                yield b"%d:%d:%d:" % (number, column + 1, offset + column) + part + self.end

    def messages(self):
        left = self.limit or 10**9
        for number, _, line, spans in self.found():
            if left == 0:
                return
            left -= 1
            yield (
                number,
                [(low, high, line[low:high]) for low, high, _ in excerpts(line, spans, self.before, self.after, False)],
            )


def is_simple(case):
    """The expressions are of bytes here, so a dot must not meet a part of a character; and a replacement may make one
    character of invalid bytes."""
    if case.multiline and case.crlf and set(b"^$") & set(case.expression):
        return False  # an error
    return case.text.isascii() or b"." not in case.expression and not (case.replace is not None and case.broken)


def data_of(value):
    return value["text"].encode() if "text" in value else base64.b64decode(value["bytes"])


def test_around(rng, folder, trawl):
    case = Case(rng)
    while not is_simple(case):
        case = Case(rng)
    write(os.path.join(folder, "f"), case.text)
    tg = os.path.join(folder, "small" if "small" in trawl else "usual", "tg")
    if not os.path.exists(tg):
        os.makedirs(os.path.dirname(tg))
        os.symlink(trawl, tg)
    arguments = [tg, *case.arguments()]
    if rng.random() < 0.5:
        status, output, errors = execute([*arguments, "f"], folder)
    else:
        status, output, errors = execute([*arguments, "-"], folder, data=case.text)
    assert errors == b"", arguments
    if case.json:
        found = [json.loads(line) for line in output.splitlines()]
        found = [one["data"] for one in found if one["type"] == "match"]
        found = [
            (one["line_number"], [(it["start"], it["end"], data_of(it["excerpt"])) for it in one["excerpts"]])
            for one in found
        ]
        expected = list(case.messages())
    else:
        found, expected = output.replace(b"\x1b[0m" + COLOR, COLOR).replace(b"\x1b[0m", b""), b"".join(case.printed())
    cases.counts["selected"] += status == 0
    assert (found, status) == (expected, 0 if expected else 1), (arguments, case.text)


@pytest.mark.parametrize(("arguments", "expected"), [
    (["--around=2", "--overlapping", "-e", "abc", "-e", "c"], "xxabcdd\n"),
    (["--around=1", "--pattern-number", "-e", "abc", "-e", "d"], "1,2:xabcdd\n"),
    (["--around=1", "-M", "4", "-e", "abc"], "[Omitted long line with 1 matches]\n"),
    (["--around=9", "-c", "-e", "c"], "1\n"),
    (["--around=1", "-l", "-e", "c"], "f\n"),
])  # fmt: skip
def test_excerpts(folder, arguments, expected):
    """Options that the model leaves out."""
    write(os.path.join(folder, "f"), b"  xxabcdd\n")
    status, output, errors = execute([TRAWL, *arguments, "f"], folder)
    assert (status, errors) == (0, b"")
    assert output.decode() == expected


@pytest.mark.parametrize("value", ["", "x", "-1", "1,", ",1", "1,2,3", "1 ", "99999999999999999999999"])
def test_bad_value(folder, value):
    status, output, errors = execute([TRAWL, f"--around={value}", "a", "f"], folder)
    assert (status, output) == (2, b"")
    assert errors.decode() == f"trawl: --around: '{value}' is not a number, or two as in 80,20\n"
