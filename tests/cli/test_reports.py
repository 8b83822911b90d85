"""Tests that each report does what its row in reports.def says, column by column."""

import itertools
import pathlib
import re

import pytest
from harness import ROOT, TRAWL, execute

DEF = ROOT / "tools/trawl/options/reports.def"
ROWS = [re.split(r",\s*", row.replace('"', "")) for row in re.findall(r"^REPORT\((.*)\)$", DEF.read_text(), re.M)]
FILE = b"x\naaa aa\nx\n"  # of aa: 1 line, 2 matches, 3 occurrences
SHAPES = {"TEXT": rb"aaa aa\n|aa\naa\n", "COUNT": rb"\d\n", "NAME": rb"file\n", "OFFSETS": rb"(\d\n){2,}", "TABLE": rb"1:\d:aa\n", "NOTHING": rb""}  # fmt: skip
UNITS = {"LINES": 1, "MATCHES": 2, "OCCURRENCES": 3}
ASKS = {row[0]: [] if row[0] == "LINES" else [row[1].split()[0]] for row in ROWS}
pytestmark = pytest.mark.usefixtures("here")


def run(options, text=FILE):
    pathlib.Path("file").write_bytes(text)
    return execute([TRAWL, *options, "-e", "aa", "file"])


def is_refused(done):
    return done[0] == 2 and b"cannot be combined" in done[2]


def test_all_reports_are_understood():
    assert len(ROWS) >= 8


@pytest.mark.parametrize("row", ROWS, ids=ASKS)
def test_columns(row):
    name, _, finds, text, prints, json, _ = row
    option = ASKS[name]
    status, out, _ = run(option)
    assert status == 0 and re.fullmatch(SHAPES[prints], out)
    assert (b"x\n" in run([*option, "-C1"])[1]) == (prints == "TEXT" and finds == "LINES")
    if finds in UNITS:
        counted = prints in ("COUNT", "TABLE")
        assert UNITS[finds] == (int(out.split(b":")[-2 if prints == "TABLE" else 0]) if counted else out.count(b"\n"))
    else:
        assert run(option, FILE + FILE)[1] == out
    if finds == "OCCURRENCES":
        assert is_refused(run([*option, "-v"]))
        assert is_refused(run([*option, "--fasta"], b">x\naa\n"))
    else:
        assert run([*option, "-v"])[0] < 2
    assert (run([*option, "--binary-files=without-match"], FILE + b"\0")[0] == 0) == (text == "BYTES")
    done = run([*option, "--json"])
    assert {"REFUSED": is_refused(done), "NOTHING": done[:2] == (0, b""), "MESSAGES": done[1].startswith(b"{")}[json]


@pytest.mark.parametrize("one, other", list(itertools.combinations(ROWS, 2)), ids=lambda row: row[0])
def test_pairs(one, other):
    if {one[0], other[0]} == {"COUNT", "COUNT_MATCHES"}:  # the last of the two options wins
        return
    done = run(ASKS[one[0]] + ASKS[other[0]])
    assert done == run(ASKS[other[0]] + ASKS[one[0]])
    if "BYTES" in (one[3], other[3]) and not {one[4], other[4]} & {"TEXT", "NOTHING"}:
        assert done[0] == 2
    else:
        assert done[1] == run(ASKS[one[0]])[1]
