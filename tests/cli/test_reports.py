"""Tests that each report does what its row in reports.def says, column by column."""

import itertools
import pathlib
import re

import pytest
from harness import ROOT, TRAWL, execute

DEF = ROOT / "tools/trawl/options/reports.def"
COLUMNS = "id options asked finds text prints search sequences by_line inverted json limited joined".split()
ROWS = [
    dict(zip(COLUMNS, re.split(r",\s*", row.replace('"', ""))))
    for row in re.findall(r"^REPORT\((.*?)\)$", DEF.read_text(), re.M | re.S)
]
FILE = b"x\naaa aa\nx\n"  # of aa: 1 line, 2 matches, 3 occurrences
SHAPES = {"TEXT": rb"aaa aa\n|aa\naa\n", "COUNT": rb"\d\n", "NAME": rb"file\n", "OFFSETS": rb"(\d\n){2,}", "TABLE": rb"1:\d:aa\n", "NOTHING": rb""}  # fmt: skip
UNITS = {"LINES": 1, "MATCHES": 2, "OCCURRENCES": 3}
ASKS = {row["id"]: [] if row["id"] == "LINES" else [row["options"].split()[0]] for row in ROWS}
pytestmark = pytest.mark.usefixtures("here")


def run(options, text=FILE):
    pathlib.Path("file").write_bytes(text)
    return execute([TRAWL, *options, "-e", "aa", "file"])


def is_refused(done):
    return done[0] == 2 and b"cannot be combined" in done[2]


def test_all_reports_are_understood():
    assert len(ROWS) >= 8 and all(len(row) == len(COLUMNS) for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_columns(row):
    option, finds, prints = ASKS[row["id"]], row["finds"], row["prints"]
    status, out, _ = run(option)
    assert status == 0 and re.fullmatch(SHAPES[prints], out)
    assert (b"x\n" in run([*option, "-C1"])[1]) == (prints == "TEXT" and finds == "LINES")
    if finds in UNITS:
        counted = prints in ("COUNT", "TABLE")
        assert UNITS[finds] == (int(out.split(b":")[-2 if prints == "TABLE" else 0]) if counted else out.count(b"\n"))
    else:
        assert run(option, FILE + FILE)[1] == out
    binary = run([*option, "--binary-files=without-match"], FILE + b"\0")
    assert (binary[0] == 0) == (row["text"] == "BYTES")


CIRCUMSTANCES = {
    "sequences": [["--fasta"]],
    "by_line": [["--and=x", "--in-file"], ["--andnot=x"]],
    "inverted": [["-v"]],
    "json": [["--json"]],
    "limited": [["-m1"], ["--max-total=1"]],
}


@pytest.mark.parametrize("column", CIRCUMSTANCES)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_circumstances(row, column):
    """A report without a row's part refuses the option; one with it answers."""
    for more in CIRCUMSTANCES[column]:
        done = run([*ASKS[row["id"]], *more], b">x\naaa\n" if column == "sequences" else FILE)
        assert is_refused(done) if row[column] == "NONE" else done[0] < 2
        if row[column] in ASKS:  # another report takes its place
            other = run([*ASKS[row[column]], *more])
            assert re.sub(rb"\d", b"", done[1]) == re.sub(rb"\d", b"", other[1])  # --json has times


@pytest.mark.parametrize("one, other", list(itertools.combinations(ROWS, 2)), ids=lambda row: row["id"])
def test_pairs(one, other):
    if {one["id"], other["id"]} == {"COUNT", "COUNT_MATCHES"}:  # the last of the two options wins
        return
    done = run(ASKS[one["id"]] + ASKS[other["id"]])
    assert done == run(ASKS[other["id"]] + ASKS[one["id"]])
    if "BYTES" in (one["text"], other["text"]) and not {one["prints"], other["prints"]} & {"TEXT", "NOTHING"}:
        assert done[0] == 2
    else:
        assert done[1] == run(ASKS[one["id"]])[1]
