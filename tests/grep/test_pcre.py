"""Compares -P with PCRE2's interpreter: the occurrences of random expressions with look-around, back-references and
the like, in lines, in records (--null-data) and across lines (--multiline). trawl uses PCRE2's JIT where it can.
"""

import ctypes
import json
import os

import cases
import pytest
from expressions import DIALECTS, PLAIN, expression, lines_of
from harness import NOT_JUDGED, write

CASES, ONE_IN = 1500, 2
EACH = 15  # expressions in a case
CASELESS, DOLLAR_ENDONLY, MULTILINE, UCP, UTF = 8, 0x10, 0x400, 0x20000, 0x80000
NOT_OPTIMIZED = 0x4000 | 0x8000 | 0x10000  # NO_AUTO_POSSESS, NO_DOTSTAR_ANCHOR, NO_START_OPTIMIZE


class Judge:
    """PCRE2's interpreter, without optimizations."""

    def __init__(self):
        self.library = ctypes.CDLL("libpcre2-8.so.0")
        for name in ("compile", "match_data_create_from_pattern", "get_ovector_pointer"):
            getattr(self.library, f"pcre2_{name}_8").restype = ctypes.c_void_p

    def call(self, name, *arguments):
        return getattr(self.library, f"pcre2_{name}_8")(*arguments)

    def occurrences(self, made, text, flags):
        """Return the spans of the occurrences that have a byte; None if the expression is wrong or takes too long."""
        error, at, spans, begin = ctypes.c_int(), ctypes.c_size_t(), [], 0
        flags, size = flags | NOT_OPTIMIZED | UTF, ctypes.c_size_t
        code = self.call("compile", made, size(len(made)), flags, ctypes.byref(error), ctypes.byref(at), None)
        if not code:
            return None
        code = ctypes.c_void_p(code)
        data = ctypes.c_void_p(self.call("match_data_create_from_pattern", code, None))
        status = 0
        while begin <= len(text):
            status = self.call("match", code, text, size(len(text)), size(begin), 0, data, None)
            if status < 0:
                break
            first, end = (size * 2).from_address(self.call("get_ovector_pointer", data))
            spans += [(first, end)] if end > first else []
            begin = end if end > first else end + 1
            while 0x80 <= text[begin : begin + 1].ljust(1)[0] < 0xC0:
                begin += 1
        self.call("match_data_free", data)
        self.call("code_free", code)
        return spans if status in (-1, 0) or begin > len(text) else None


@pytest.fixture(scope="module")
def judge():
    try:
        return Judge()
    except OSError:
        pytest.skip(NOT_JUDGED + "PCRE2")


def found(program, options, made, text, folder):
    """Return the spans that the program finds; None if it refuses the expression or gives it up."""
    write(os.path.join(folder, "text"), text)
    command = [program, "-P", "-a", "--json", *options, "-e", made, "text"]
    status, said, _ = cases.execute(command, folder, "C.UTF-8")
    if status == 2:
        return None
    spans = []
    for row in map(json.loads, said.splitlines()):
        if row["type"] == "match":
            begin = row["data"]["absolute_offset"]
            spans += [(begin + part["start"], begin + part["end"]) for part in row["data"]["submatches"]]
    return [(first, end) for first, end in spans if end > first]


def compare(program, flags, option, end, made, text, folder, judge):
    """Compare the occurrences in a text, whose lines or records end in `end`; None: the text is searched whole. Return
    whether both programs decided."""
    if end:
        text = text.replace(b" ", end)
    each, begin, expected = text.split(end) if end else [text], 0, []
    for line in each:
        spans = judge.occurrences(made.encode(), line, flags)
        if spans is None:
            return False
        expected += [(begin + first, begin + last) for first, last in spans]
        begin += len(line) + 1
    spans = found(program, option, made, text, folder)
    assert spans in (None, expected), f"{program} {option} {made!r} in {text!r}"
    return spans is not None


def drawn(rng):
    """Return (expression, which only PCRE2 can search for; whether case is ignored; text)."""
    made, sample = expression(rng, DIALECTS["pcre2"])
    if not any(part in made for part in ("(?=", "(?!", "(?<", "(?>", "(?(", "(?*", "(*", "\\1", "(?1")):
        made = f"(?:{made})(?!q)"
    made = rng.choice([""] * 9 + [".*", ".*?", "(.*)", "(.*?)"]) + made
    fold = rng.random() < 0.3
    letters = ("aAabBbcx \n1éÉ" if fold else "aabbcx \n1é") + "".join(set(made) & set(PLAIN)) + "\r" * (r"\R" in made)
    text = "\n".join(lines_of(rng, letters, [sample], rng.choice([3, 6, 30]), [1, 4]))
    return made, fold, text.encode() + b"x"


def test_case(rng, trawl, folder, judge):
    judged, tg = 0, cases.link(trawl, folder)
    for _ in range(EACH):
        made, fold, text = drawn(rng)
        for program, flags, option, end in (
            (trawl, DOLLAR_ENDONLY | MULTILINE, ["--multiline"], None),
            (trawl, DOLLAR_ENDONLY, ["--null-data"], b"\0"),
            (tg, MULTILINE | UCP, [], b"\n"),
        ):
            flags, option = (flags | CASELESS, [*option, "-i"]) if fold else (flags, option)
            judged += compare(program, flags, option, end, made, text, folder, judge)
    cases.counts["selected"] += judged > EACH
