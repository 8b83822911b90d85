#!/usr/bin/env python3
"""Tests that each report does what its row in reports.def says, column by column.

usage: reports.py TRAWL
"""
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TRAWL = os.path.abspath(sys.argv[1])
DEF = pathlib.Path(__file__).resolve().parents[2] / "tools/trawl/options/reports.def"
ROWS = [re.split(r",\s*", row.replace('"', "")) for row in re.findall(r"^REPORT\((.*)\)$", DEF.read_text(), re.M)]
FILE = b"x\naaa aa\nx\n"  # of aa: 1 line, 2 matches, 3 occurrences
SHAPES = {
    "TEXT": rb"aaa aa\n|aa\naa\n", "COUNT": rb"\d\n", "NAME": rb"file\n", "OFFSETS": rb"(\d\n){2,}", "TABLE": rb"1:\d:aa\n",
    "NOTHING": rb"",
}  # fmt: skip
UNITS = {"LINES": 1, "MATCHES": 2, "OCCURRENCES": 3}
failures = 0


def run(options, text=FILE):
    pathlib.Path("file").write_bytes(text)
    done = subprocess.run([TRAWL, *options, "-e", "aa", "file"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stderr


def expect(row, column, options, text, fits):
    global failures
    status, out, errors = run(options, text)
    if not fits(status, out, errors):
        failures += 1
        print(f"{row[0]}: {column}: {options} gives {status}, {out}, {errors}")


def check(row, option):
    _, _, finds, text, prints, json, _ = row
    refused = lambda status, _, errors: status == 2 and b"cannot be combined" in errors

    expect(row, prints, option, FILE, lambda status, out, _: status == 0 and re.fullmatch(SHAPES[prints], out))
    expect(row, prints, [*option, "-C1"], FILE, lambda status, out, _: (b"x\n" in out) == (prints == "TEXT" and finds == "LINES"))
    if finds in UNITS:
        count = (lambda out: int(out.split(b":")[-2 if prints == "TABLE" else 0])) if prints in ("COUNT", "TABLE") else lambda out: out.count(b"\n")
        expect(row, finds, option, FILE, lambda status, out, _: count(out) == UNITS[finds])
    else:
        expect(row, finds, option, FILE + FILE, lambda status, out, _: out == run(option)[1])
    if finds == "OCCURRENCES":
        expect(row, finds, [*option, "-v"], FILE, refused)
        expect(row, finds, [*option, "--fasta"], b">x\naa\n", refused)
    else:
        expect(row, finds, [*option, "-v"], FILE, lambda status, _, errors: status < 2)
    binary = [*option, "--binary-files=without-match"]
    expect(row, text, binary, FILE + b"\0", lambda status, out, _: (status == 0) == (text == "BYTES"))
    expect(row, json, [*option, "--json"], FILE, {
        "REFUSED": refused, "NOTHING": lambda status, out, _: status == 0 and out == b"", "MESSAGES": lambda status, out, _: out.startswith(b"{"),
    }[json])  # fmt: skip


os.chdir(tempfile.mkdtemp())
asks = {row[0]: [] if row[0] == "LINES" else [row[1].split()[0]] for row in ROWS}
for row in ROWS:
    check(row, asks[row[0]])
for one, other in itertools.combinations(ROWS, 2):
    if {one[0], other[0]} == {"COUNT", "COUNT_MATCHES"}:  # the last of the two options wins
        continue
    refused = "BYTES" in (one[3], other[3]) and not {one[4], other[4]} & {"TEXT", "NOTHING"}
    expect(one, f"with {other[0]}", asks[one[0]] + asks[other[0]], FILE,
           lambda status, out, _: status == 2 if refused else out == run(asks[one[0]])[1])  # fmt: skip
print(f"{len(ROWS)} reports, {failures} failures")
sys.exit(failures > 0 or len(ROWS) < 8)
