"""Compares what --around prints with a model, where the model of test_layout.py ends: as tg, with expressions, across lines
(--multiline), and in a limited number of lines.
"""

import os
import re

import cases
import found
import pytest
from harness import TRAWL, execute, write
from printer import excerpts
from test_layout import BROKEN, WIDTHS

COLOR = b"\x1b[31m"
CASES, ONE_IN = 500, 3
TOKENS = [b"a", b"b", b"ab", "é".encode(), "漢".encode(), "𝄞".encode(), b" ", b"x", b"\t", b"."]
EXPRESSIONS = [b"a", b"ab", b"b+", "é|x".encode(), b"a.b", b"[a-x]+", "漢".encode(), "𝄞.".encode(), b"x$", b"^ *[ab]"]
ACROSS = [b"a\n", rb"b\s+", b"x?\r?\n+a"]


class Case:
    def __init__(self, rng):
        self.around = rng.choice(WIDTHS), rng.choice(WIDTHS)
        self.crlf, self.colors, self.multiline = rng.random() < 0.2, rng.random() < 0.3, rng.random() < 0.6
        self.colors = self.colors and not self.crlf
        self.limit = None if self.multiline else rng.choice([None, None, None, 1, 2])  # -U -m counts occurrences
        self.chunk = rng.choice([None, 1, 7, 100])
        self.expression = rng.choice(EXPRESSIONS + self.multiline * 2 * ACROSS)
        # the expressions are of bytes here, so a dot must not meet a part of a character; -U --crlf refuses ^ and $
        dot, ends = b"." in self.expression, self.multiline and set(b"^$") & set(self.expression)
        self.crlf = self.crlf and not ends
        tokens = [one for one in TOKENS if one.isascii() or not dot] + BROKEN * (not dot and rng.random() < 0.2)
        counts = [rng.choice([0, 1, 3, 10, 40, 200]) for _ in range(rng.randint(1, 5))]
        lines = [b"".join(rng.choices(tokens, k=count)) for count in counts]
        self.end = b"\r\n" if self.crlf else b"\n"
        self.text = self.end.join(lines) + self.end * rng.randint(0, 1)

    def arguments(self):
        yield "--around=%d,%d" % self.around
        yield from ("-n", "--column", "-b", "--no-filename", "--no-heading")
        yield from (f"--{name}" for name in ("crlf", "multiline") if getattr(self, name))
        yield "--color=" + ("always" if self.colors else "never")
        yield from (*("--colors=%s:none" % it for it in ("match", "line", "column", "path")), "--colors=match:fg:red")
        yield from [f"-m{self.limit}"] * bool(self.limit) + [f"--chunk-bytes={self.chunk}"] * bool(self.chunk)
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
        for number, offset, line, spans in list(self.found())[: self.limit]:
            for low, high, inside in excerpts(line, spans, self.around, False):
                column, part, at, colored = spans[inside[0]][0], b"", low, -1
                for begin, end in [*(spans[i] for i in inside), (high, high)]:
                    # touching matches share a colour
                    part += line[at:begin] + COLOR * (self.colors and colored < begin < end) + line[begin:end]
                    at, colored = end, end if begin < end else colored
                yield b"%d:%d:%d:" % (number, column + 1, offset + column) + part + self.end


def test_case(rng, folder, trawl):
    case = Case(rng)
    write(os.path.join(folder, "f"), case.text)
    piped = rng.random() < 0.5
    arguments = [cases.link(trawl, folder), *case.arguments(), "-" if piped else "f"]
    status, output, errors = execute(arguments, folder, data=case.text if piped else None)
    printed, expected = output.replace(b"\x1b[0m" + COLOR, COLOR).replace(b"\x1b[0m", b""), b"".join(case.printed())
    cases.counts["selected"] += status == 0
    found.expect(0 if expected else 1, expected)
    assert (printed, status, errors) == (expected, 0 if expected else 1, b""), (arguments, case.text)


@pytest.mark.parametrize("value", ["", "x", "-1", "1,", ",1", "1,2,3", "1 ", "99999999999999999999999"])
def test_bad_value(folder, value):
    status, output, errors = execute([TRAWL, f"--around={value}", "a", "f"], folder)
    assert (status, output) == (2, b"")
    assert (
        errors.decode()
        == f"trawl: --around: '{value}' is not a number, or two as in 80,20\nTry 'trawl --help' for more information.\n"
    )
