"""Compares -P with PCRE2's interpreter: the occurrences of random expressions that RE2 cannot search for, in texts of
several lines (--multiline) and of records (-z). Neither RE2 nor PCRE2's JIT takes part in what judges them.
"""

import ctypes
import json
import os

import cases
import pytest
from harness import write

CASES, ONE_IN = 1500, 2
EACH = 25  # expressions in a case
DOLLAR_ENDONLY, MULTILINE, NO_START_OPTIMIZE, UTF = 0x10, 0x400, 0x10000, 0x80000
ATOMS = "a a b c ab x . \\n \\w \\W \\s \\S \\d [ab] [^a] [^b\\n] \\b ^ $ \\1 \\2 \\R \\h \\N (?i:A) é".split()
GROUPS = "(%s) (%s) (?:%s) (?>%s) (?>%s) (?>%s) (?=%s) (?!%s) (?i:%s) (?s:%s) (?|%s) (?<n>%s) (?(1)%s|c) (?(?=a)%s) (%s(?1)?)"
BEHIND = ["(?<=%s)", "(?<!%s)"]
COUNTS = [""] * 12 + "+ * ? {2} +? *? ?? ++ *+ ?+ {1,2} {1,2}+ {2,}+ {1,3}?".split()


def sequence(rng, depth):
    parts = []
    for _ in range(rng.choice([1, 2, 2, 3])):
        kind = rng.random()
        if depth and kind < 0.35:
            atom = rng.choice(GROUPS.split()) % expression(rng, depth - 1)
        elif depth and kind < 0.42:
            atom = rng.choice(BEHIND) % rng.choice(["a", "ab", "a|bb", "\\n", "x\\n", "[^a]"])
        else:
            atom = rng.choice(ATOMS)
        parts.append(atom + rng.choice(COUNTS))
    return "".join(parts)


def expression(rng, depth):
    return "|".join(sequence(rng, depth) for _ in range(rng.choice([1, 1, 1, 2])))


class Judge:
    """PCRE2's interpreter."""

    def __init__(self):
        self.library = ctypes.CDLL("libpcre2-8.so.0")
        for name in ("compile", "match_data_create_from_pattern", "get_ovector_pointer"):
            getattr(self.library, f"pcre2_{name}_8").restype = ctypes.c_void_p

    def call(self, name, *arguments):
        return getattr(self.library, f"pcre2_{name}_8")(*arguments)

    def occurrences(self, made, text, flags=0):
        """Return the spans of the occurrences that have a byte; None if the expression is wrong or takes too long."""
        error, at, spans, begin = ctypes.c_int(), ctypes.c_size_t(), [], 0
        flags, size = flags | DOLLAR_ENDONLY | NO_START_OPTIMIZE | UTF, ctypes.c_size_t
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
        pytest.skip("there is no PCRE2 here")


def found(trawl, options, made, text, folder):
    """Return the spans that trawl finds, None if it refuses the expression or gives it up."""
    write(os.path.join(folder, "text"), text)
    status, said, _ = cases.execute([trawl, "-P", "-a", "--json", *options, "-e", made, "text"], folder, "C.UTF-8")
    if status == 2:
        return None
    spans = []
    for line in said.splitlines():
        row = json.loads(line)
        if row["type"] == "match":
            begin = row["data"]["absolute_offset"]
            spans += [(begin + part["start"], begin + part["end"]) for part in row["data"]["submatches"]]
    return [(first, end) for first, end in spans if end > first]


def test_case(rng, trawl, folder, judge):
    judged = 0
    for _ in range(EACH):
        made = expression(rng, 2)
        if not any(part in made for part in ("(?=", "(?!", "(?<", "(?>", "(?(", "\\1", "(?1")):
            made = f"(?:{made})(?!q)"
        text = "".join(rng.choice("aabbcx \n1é") for _ in range(rng.randrange(60))).encode() + b"x"
        expected = judge.occurrences(made.encode(), text, MULTILINE)
        spans = None if expected is None else found(trawl, ["--multiline"], made, text, folder)
        if spans is not None:
            judged += 1
            assert spans == expected, f"{made!r} in {text!r}"
        records = text.replace(b" ", b"\0")
        starts, lines = [0], records.split(b"\0")
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        each = [judge.occurrences(made.encode(), line) for line in lines]
        spans = None if None in each else found(trawl, ["--null-data"], made, records, folder)
        if spans is not None:
            expected = [(at + first, at + end) for at, some in zip(starts, each) for first, end in some]
            assert spans == expected, f"--null-data {made!r} in {records!r}"
    cases.counts["selected"] += judged > EACH // 3
