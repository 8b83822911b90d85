"""Tests options that are given more than once, and numbers at their limits.

Of two contradicting options the last decides: `A B` must print what `B` alone prints, whether A is on the command line or
in the file of options, and `B B` the same. In each row, A and B alone must differ, so that a row cannot pass because its
files do not tell the options apart.
"""

import bz2
import gzip
import itertools
import lzma
import os
import random
import re
import select
import shutil
import subprocess
import time

import pytest
from harness import ROOT, SEED, TRAWL, execute, terminal, write

BARE = {"PATH": os.environ["PATH"]}
TABLE, HEADER = ROOT / "tools/trawl/options/flags.def", ROOT / "include/trawl.h"

# A row: name of the command, the options of which the last one decides, the other arguments.
ROWS = [("trawl", "--trim --no-trim", "foo a"), ("trawl", "-n -N", "foo a"), ("trawl", "--column --no-column", "foo a"),
        ("trawl", "--column --no-column", "--vimgrep foo a"), ("trawl", "-H -h", "foo a b"),
        ("trawl", "-N -n", "--json foo a"), ("trawl", "--json --no-json", "foo a"),
        ("trawl", "-i --no-ignore-case", "FOO a"), ("trawl", "-i -S --case-sensitive", "Foo a"),
        ("trawl", "-S --no-ignore-case", "foo a"), ("trawl", "-y --smart-case", "Foo a"), ("trawl", "-S -i", "Foo a"),
        ("trawl", "--crlf --no-crlf", "-x foo a"), ("trawl", "--heading --no-heading", "-H foo a"),
        ("trawl", "--hidden --no-hidden", "--files d"), ("trawl", "--ignore --no-ignore", "--hidden --files d"),
        ("trawl", "--sort=path --sortr=path", "--files d"), ("trawl", "--sortr=path --sort-files", "--files d"),
        ("trawl", "--sort=modified --sortr=modified --sort=path", "--files d"),
        ("trawl", "--follow --no-follow", "-r foo d"), ("trawl", "-R --no-follow", "-r foo d"),
        ("trawl", "-l -L", "foo a none"), ("trawl", "-a -I", "foo nul"),
        ("trawl", "--binary-files=text --binary-files=binary --binary-files=without-match", "foo nul"),
        ("trawl", "-F -E", "fo+ a"), ("trawl", "-E -G --fixed-strings --no-fixed-strings", "-c x+|(y) a"),
        ("trawl", "-P -F", "\\w a"), ("trawl", "--unicode --no-unicode", "-Pc ^.$ a"),
        ("trawl", "--max-columns-preview --no-max-columns-preview", "-M6 foo a"),
        ("trawl", "-M6 -M0 --max-columns=9", "foo a"),
        ("trawl", "--context-separator=\\x41\\tlong --group-separator=X --no-group-separator", "-A1 foo a"),
        ("trawl", "--no-context-separator --group-separator= --context-separator=\\n", "-A1 foo a"),
        ("trawl", "--field-match-separator=long --field-match-separator=x", "-n foo a"),
        ("trawl", "--field-context-separator=long --field-context-separator=", "-nA1 foo a"),
        ("trawl", "--color=always --color=never --colour=always", "foo a"),
        ("trawl", "--path-separator=+ --path-separator=\\x2c", "-H foo d/c"),
        ("trawl", "--colors=match:fg:red --colors=match:fg:blue", "--color=always foo a"),
        ("trawl", "-A1 -A2 -A0", "foo a"), ("trawl", "-B1 -B2 -B0", "x a"), ("trawl", "-C0 -2 --context=1", "x a"),
        ("trawl", "-m1 -m-1 -m2", "o a"), ("trawl", "-dskip -dread", "-s foo d a"),
        ("trawl", "-drecurse -dskip --directories=read", "-s foo d"), ("trawl", "-Dskip -Dread", "x /dev/null -L"),
        ("trawl", "--encoding=utf-16le --encoding=none --encoding=latin1", "-ac fé wide"),
        ("trawl", "--label=1 --label=2", "-H foo -"), ("trawl", "--replace=1 --replace=$0$0", "foo a"),
        ("trawl", "--max-depth=1 --max-depth=0 --max-depth=2", "--files d"),
        ("trawl", "--max-filesize=1K --max-filesize=2", "--files d"), ("trawl", "-gc -g!c", "--files d/e"),
        ("trawl", "--mismatches=0 --mismatches=1", "fxo a"), ("trawl", "--edits=1 --edits=0", "fxo a"),
        ("trawl", "--alphabet=bytes --alphabet=utf8", "--mismatches=1 fxyz é"),
        ("trawl", "--hyperlink-format=file://{path} --hyperlink-format=none", "--color=always -H foo a"),
        ("tg", "--encoding=utf-16le --encoding=none", "fé wide"), ("tg", "-i -s", "FOO a"),
        ("tg", "-L --no-follow", "foo d"), ("tg", "-N -n", "foo a"), ("tg", "-F --no-fixed-strings", "fo+ a"),
        ("tg", "-A1 -A0", "foo a"), ("tg", "--color=never --color=ansi", "foo a"),
        ("tg", "--hidden --no-hidden", "foo d"), ("tg", "--no-ignore --ignore", "foo d"), ("tg", "-d0 -d1", "foo d"),
        ("tg", "--crlf --no-crlf", "-x foo a"), ("tg", "-r1 -r2", "foo a")]  # fmt: skip
# A row: name of the command, command lines that print the same output.
SAME = [("tg", "-uuu foo d", "-uuuu foo d", "-uu --unrestricted foo d", "--unrestricted -u -uu -u foo d"),
        ("trawl", "-i FOO a", "-y FOO a", "-yi FOO a"),
        ("trawl", "--vimgrep foo a --no-column", "--vimgrep --no-column foo a"),
        ("trawl", "-A1 foo a", "--after-context 1 foo a", "-A9 --after=1 foo a"),
        ("trawl", "-2 bar a", "-C2 bar a", "-02 bar a", "-9 -2 bar a", "-i2 bar a"),
        ("trawl", "-95 bar a", "-C95 bar a", "-095 bar a", "-9 -95 bar a"),
        ("trawl", "-q foo a", "--silent foo a", "--quiet --silent foo a"),
        ("trawl", "--passthru foo a", "--passthrough foo a", "--passthru -A0 foo a", "-C1 --passthru foo a"),
        ("trawl", "-E f+ a", "-FE f+ a", "-G --extended-regexp f+ a"),
        ("trawl", "foo a", "--server= foo a", "--server=unix:x --server= foo a"),
        *[("trawl", "-PS %sfoo a" % name, "-Pi %sfoo a" % name) for name in ("\\S?", "\\pL?", "\\PZ?", "\\p{Lu}?", "\\P{Lu}?")],
        ("trawl", "-PS \\P{Lu}?Foo a", "-P \\P{Lu}?Foo a"),
        ("tg", "-p foo a", "--color=always --heading -n foo a", "-pp foo a"),
        ("tg", "-05 -H x a", "-5 -H x a", "-HC5 x a"),
        ("tg", "-q -g /d/c foo d", "-q -g /d/c foo ./d", "-q -g /d/c foo ././d"),
        ("tg", "-1H0 x a", "-1 -H -0 x a", "-H --null -C1 x a"), ("trawl", "-xc foo a", "-wxc foo a", "-xcw foo a"),
        ("trawl", "-m0 -l foo gone", "-m0 foo gone a", "-m0 -c foo gone", "-f /dev/null gone"),
        ("trawl", "-m0 --explain foo", "--explain foo"),
        ("trawl", "-vf /dev/null a", "-vxf /dev/null a", "-vwf /dev/null a", "-vwxf /dev/null a"),
        ("trawl", "-q foo a", "-q --json foo a", "--json -qn foo a"), ("trawl", "-u foo a", "-su foo a", "-us foo a"),
        ("trawl", "--files b none", "--files -dread b none", "--files -Dskip b none")]  # fmt: skip
HUGE = [2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**64 + 1, 10**40]
# A row: option, the lowest and the highest number, other arguments.
LIMITS = [
    ("-j", 0, 1024, "foo a"),
    ("--chunk-bytes=", 1, 2**40, "foo a"),
    ("--max-depth=", 0, 2**64 - 1, "--files d"),
    ("-M", 0, 2**62, "foo a"),
    ("--mismatches=", 0, 31, 40 * "f" + " a"),
    ("--edits=", 0, 31, 40 * "f" + " a"),
]


def run(name, arguments, config="", closed=False, more=None):
    """Run the command. closed: standard input is closed. more: environment variables."""
    write("config", config)
    command = [*["sh", "-c", 'exec "$@" <&-', "sh"] * closed, os.path.join(".", name), *arguments]
    variables = {"HOME": os.getcwd(), "TERM": "xterm", "TRAWL_CONFIG_PATH": "config", **(more or {})}
    with open("a") as stdin:
        status, output, said = execute(command, stdin=stdin, env={**BARE, "LC_ALL": "C.UTF-8", **variables})
    return status, re.sub(rb'"(secs|nanos|human)":[^,}]*', b"", output), said


FILES = {"a": b"  foo (bar)\nFoo\nbar foo\n\xc3\xa9\nx\r\nfoo\r\n1\n2\nfoo\n", "b": b"foo\n", "none": b"x\n",
         "nul": b"foo\n\0\n", "wide": b"f\0\xe9\0\n\0", "\u00e9": "f\u00e9yz\n".encode(), "d/c": b"foo\n",
         "d/e/c": b"foo", "d/.hidden": b"foo\n", "d/ignored": b"foo\n", "d/.ignore": b"ignored\n", "d/nul": b"foo\0\n",
         "d/big": b"x" * 1025}  # fmt: skip


@pytest.fixture(autouse=True)
def files(here):
    os.makedirs("d/e")
    for path, text in FILES.items():
        write(path, text)
        os.utime(path, (1500000000 - len(path), 1500000000 - len(path)))
    os.symlink("../b", "d/link")


@pytest.mark.parametrize("name, options, others", ROWS)
def test_last_decides(name, options, others):
    options, others = options.split(), others.split()
    alone = {option: run(name, [option, *others]) for option in options}
    if all(b"which cannot be loaded" in errors for _, _, errors in alone.values()):
        pytest.skip("this build has no regular expressions")
    assert len(set(alone.values())) > 1
    for last in options:
        assert alone[last] == run(name, [last, last, *others])
        for first in options:
            assert alone[last] == run(name, [first, *others, last])
        first = options[options.index(last) - 1]
        assert alone[last] == run(name, [last, *others], first + "\n"), "in the file of options"


@pytest.mark.parametrize("name", ["trawl", "tg"])
@pytest.mark.parametrize("config", ["-n\n", " \t\v\f-n\r\v\f \t\n", "\n#-c\n \t#-c\n-n", "-n\n\n\r\n \n"])
def test_file_of_options(name, config):
    assert run(name, ["foo", "a"], config) == run(name, ["-n", "foo", "a"])


@pytest.mark.parametrize("row", SAME, ids=lambda row: " ".join(row[:2]))
def test_same(row):
    name, one, *others = row
    for other in others:
        assert run(name, one.split()) == run(name, other.split())


def test_limits():
    for option, wanted in (("-A", "-A99"), ("-B", "-B99"), ("-C", "-C99"), ("-m", "-m99"), ("-m-", "-m99")):
        for number in HUGE:
            assert run("trawl", [option + str(number), "bar", "a"]) == run("trawl", [wanted, "bar", "a"])
    for option, least, most, others in LIMITS:
        for number in (least - 1, least, most, most + 1, most + 2**32, most + 2**64, "+%d" % most, "-0", "", "1x",
                       "0x1"):  # fmt: skip
            good = number in ("+%d" % most, *["-0"] * (least == 0))
            good = good or isinstance(number, int) and least <= number <= most
            status, output, said = run("trawl", [option + str(number), *others.split()])
            if option in ("-j", "-M") and number == "":
                continue  # the next word is the number
            assert (
                (status != 2 and said == b"") if good else (status, output) == (2, b"") and said.startswith(b"trawl: -")
            )
    for shift, unit in ((0, ""), (10, "K"), (20, "M"), (30, "G")):
        most = (2**64 - 1) >> shift
        for number in (0, 1, most, most + 1, 2 * most, 2**64 + 1, 10 * 2**64, 1000 * 2**64 + 7):
            names = ("big", "c", "e/c", "ignored", "nul")
            wanted = ["d/%s\n" % name for name in names if os.path.getsize("d/" + name) <= number << shift]
            got = run("trawl", ["--files", "--sort=path", "d", "--no-hidden", "--max-filesize=%d%s" % (number, unit)])
            if number <= most:
                assert got[:2] == (0 if wanted else 1, "".join(wanted).encode())
            else:
                assert got[0] == 2 and b"is out of range" in got[2]
    for value in ("1k", "K", "1KB", "1 K", "-1", "1T", ""):
        assert run("trawl", ["--files", "d", "--max-filesize=" + value])[0] == 2


def test_words():
    rows = "--binary-files binary text without-match; --sort none path modified accessed created; --sortr path; "
    rows += "--alphabet bytes utf8 dna; --engine auto cpu; --devices read skip; --color always never auto yes no; "
    rows += "--encoding auto none; --type c py all; --method auto"
    for option, *words in map(str.split, rows.split(";")):
        for word in words:
            others = ["--alphabet=dna", "A", "a"] if word == "dna" else ["foo", "a"]
            others = ["--mismatches=0", *others] if option == "--alphabet" and word != "dna" else others
            assert run("trawl", [option + "=" + word, *others])[0] < 2
            for wrong in (word[:-1], word + "x", word.upper(), " " + word, word + ",", ""):
                if wrong not in words and not (option == "--encoding" and not wrong):
                    status, output, said = run("trawl", [option + "=" + wrong, *others])
                    assert (status, output) == (2, b"") and said.startswith(b"trawl: -")


# In each row, each option on the left excludes each option on the right.
REPORTS, NAMES = (
    ["--count-matches", "--positions", "--count-by-pattern"],
    ["--files-with-matches", "--files-without-match"],
)
ERRORS = ["--mismatches=1", "--edits=1", "--alphabet=dna"]
LAST = ["--count", "--count-matches", "--json", *NAMES]  # of these, tg obeys the last one
EXCLUDE = [(REPORTS, [*REPORTS, *NAMES, "--json"]), (REPORTS[1:], ["--invert-match", "--count"]),
           (["--count-by-pattern"], ["--max-count=0", "--max-count=2", "--max-count=-1"]),
           (["--json"], [*NAMES, "--count", "--pattern-number"]),
           (["--pattern-number"], ["--invert-match", "--vimgrep"]), (["--encoding=latin1"], ["--search-zip"]),
           (["--perl-regexp", "--extended-regexp", "--basic-regexp"],
            ["--hex", "--method=set", "--algorithm=bmh", *ERRORS[:2]]),
           (["--method=set", "--algorithm=bmh"], ERRORS), (["--method=set"], ["--algorithm=bmh"]),
           (["--mismatches=1"], ["--edits=1"]), (["--hex"], ["--alphabet=dna"]), (["--bed"], ["--json"]),
           (["--fasta", "--bed"],
            ["--positions", "--count-by-pattern", "--invert-match", "--vimgrep", "--hex", "--line-regexp",
             "--word-regexp", "--null-data", "--passthru", "--replace=x", "--context=1"])]  # fmt: skip


def test_contradictions():
    """Check for each pair of contradicting options whether the command rejects it, and that the message names one of the
    two."""
    pairs = {frozenset((one, other)) for left, right in EXCLUDE for one in left for other in right if one != other}
    options = sorted({option for pair in pairs for option in pair})
    # a build may have neither expressions nor algorithms
    options = [option for option in options if run("trawl", [option, "ACCA", "a"])[0] < 2]
    turn = SEED
    for number, pair in enumerate(itertools.combinations(options, 2)):
        for name in ("trawl", "tg") if frozenset(pair) in pairs else [("trawl", "tg")[(number + turn) % 2]]:
            status, output, said = run(name, [*pair, "ACCA", "a"])
            refused = frozenset(pair) in pairs and not (name == "tg" and {*pair} <= {*LAST})
            told = any(option.split("=")[0].encode() in said for option in pair)
            assert (status, output, told, said.count(b"\n")) == (2, b"", True, 1) if refused else status < 2


# A row: option, other arguments, values that are accepted, values that are rejected.
VALUES = [("--path-separator=", "-H foo a", ["", "/", "+", " ", "\\x41", "\\n", "\\\\", "\\", "\\x00", "\\0"],
           ["ab", "\\x4", "\\xg1", "\\q", "\u00e9", "\\n\\n"]),
          ("--exact=", "--mismatches=1 foob a", ["1", "4", "1-1", "3-4", "1-4", "0002-03"],
           ["", "0", "0-1", "2-1", "5-4", "-", "-1", "1-", "1--2", "1-2-3", "a", "1-a", "a-1", " 1", "+1", "1 ", "-1-2",
            "1,2", "%d" % 2 ** 64, "1-%d" % 2 ** 64, "%d-%d" % (2 ** 64 + 1, 2 ** 64 + 2)]),
          ("--type-add=", "-r foo d",
           ["x:*.x", "x:include:c", "\u00e9:*.x", "X1:a:b", "c:include:c,py", "x:includes", "alle:*.x"],
           ["", "x", "x:", ":*.x", "a-b:*.x", "a b:*.x", "all:*.x", "all:include:c", "x:include:", "x:include:nope",
            "x:include:c,", "x:include:,c", "x:include:c py"]),
          ("--type=", "-r foo d", ["c", "all"], ["", "C", "c,py", "nope", "al", "c "]),
          ("--type-not=", "-r foo d", ["c"], ["", "nope"]), ("--type-clear=", "-r foo d", ["c", "nope", ""], []),
          ("--colors=", "foo a",
           ["match:fg:red", "path:bg:0x10", "line:fg:1,0x2,255", "column:none", "match:style:nobold", "match:fg:255",
            "match:bg:0", "path:style:intense", "Match:FG:Red"],
           ["", "match", "match:", ":", "match:fg", "match:fg:", "match:bg:purple", "match:fg:red:x", "match:style:",
            "match:style:no", "match:style:red", "match:none:x", "match::none", "none",
            *("match:fg:" + color for color in ("256", "0x100", "-1", "+1", " 1", "1,2", "1,2,", ",1,2", "1,2,3,4", "1,2,256", "0x", "0xg", "1x", "%d" % 2 ** 32,
                                          "%d" % 2 ** 64))]),
          ("--hyperlink-format=", "foo a",
           ["", "none", "grep+", "x:{path}", "x://{host}{path}:{line}:{column}", "a+b-c.9:{path}{{}}",
            "x:{path}:{line}"],
           ["foo", "None", "{path}", ":{path}", "x{path}", "x:{line}", "x:{path", "x:{path}}", "x:{path}{",
            "x:{path}{column}", "x:{path}{word}", "a_b:{path}", "x:{}"]),
          ("--color=", "foo a", ["always", "yes", "force", "never", "no", "none", "auto", "tty", "if-tty", "ansi"],
           ["", "alway", "Always", "ans", "ansix", "tt", "on", "1"]),
          ("-d", "foo a", ["s", "sk", "ski", "skip", "rea", "read", "rec", "recu", "recurse"],
           ["r", "re", "x", "skipp", "reads", "recursed", "Read"]), ("--directories=", "foo a", ["s"], ["", "re"]),
          ("-D", "foo a", ["read", "skip"], ["rea", "s", "reads", "recurse"]),
          ("--generate=", "", ["man", "man-tg"], ["", "Man", "man-", "complete", "complete-", "complete-sh"]),
          ("--encoding=", "foo a", ["none", "auto", "utf-8", "UTF-16LE", "latin1"], ["none ", "utf", "utf-8x"])]  # fmt: skip
# A row: the value of an option that sets a separator, and the bytes that are printed for it.
ESCAPES = [("\\n", b"\n"), ("\\r", b"\r"), ("\\t", b"\t"), ("\\\\", b"\\"), ("\\\\n", b"\\n"), ("\\x00", b"\0"),
           ("\\xfF\\xAa\\x09", b"\xff\xaa\t"), ("\\x7g", b"\\x7g"), ("\\xg7", b"\\xg7"), ("\\x", b"\\x"),
           ("\\x4", b"\\x4"), ("\\", b"\\"), ("a\\", b"a\\"), ("\\q\\0", b"\\q\0"), ("", b""), ("\\X41", b"\\X41")]  # fmt: skip


@pytest.mark.parametrize("option, others, good, bad", VALUES, ids=[row[0] for row in VALUES])
def test_values(option, others, good, bad):
    """Check which values are accepted by options whose values are neither numbers nor single words."""
    for value in good:
        assert run("trawl", [option + value, *others.split()])[0] < 2, "is refused"
    for value in bad:
        status, output, said = run("trawl", [option + value, *others.split()])
        assert (status, output) == (2, b"") and said.startswith(b"trawl: -") and said.count(b"\n") == 1, "is accepted"


@pytest.mark.parametrize("given, wanted", ESCAPES)
def test_escapes(given, wanted):
    for option, rows in (
        ("--field-match-separator", rb"(\d+):(\d+):(.*)"),
        ("--field-context-separator", rb"(\d+)-(\d+)-(.*)"),
        ("--context-separator", b"--"),
    ):
        plain, got = (
            run("trawl", ["-nbA1", "--crlf", "-x", *more, "foo", "a"])[1] for more in ([], ["%s=%s" % (option, given)])
        )
        assert re.search(b"(?m)^%s$" % rows, plain) and got == re.sub(
            b"(?m)^%s$" % rows, lambda row: wanted.join(row.groups() or [b"", b""]), plain
        )


LINKS = {"none": None, "default": "file://{host}{path}", "file": "file://{host}{path}",
         "kitty": "file://{host}{path}#{line}", "cursor": "cursor://file{path}:{line}:{column}",
         "vscode": "vscode://file{path}:{line}:{column}",
         "vscode-insiders": "vscode-insiders://file{path}:{line}:{column}",
         "vscodium": "vscodium://file{path}:{line}:{column}", "emacs": "emacs://{path}:{line}:{column}",
         "grep+": "grep+://{path}:{line}", "textmate": "txmt://open?url=file://{path}&line={line}&column={column}",
         "macvim": "mvim://open?url=file://{path}&line={line}&column={column}"}  # fmt: skip


def test_names():
    """Check what each name of a colour and of a link format means."""
    for number, name in enumerate(("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")):
        for options, wanted in (
            (["fg:" + name], "1;3%dm"),
            (["bg:" + name], "1;31;4%dm"),
            (["fg:" + name, "style:intense"], "1;38;5;%dm"),
            (["bg:" + name, "style:intense", "style:nobold"], "38;5;9;48;5;%dm"),
        ):
            output = run(
                "trawl", ["--color=always", "-oh", *("--colors=match:" + option for option in options), "foo", "b"]
            )[1].decode()
            assert output.startswith("\33[" + wanted % (number + 8 * ("style:intense" in options)))
    for given, wanted in (("0xFf", "8;5;255"), ("010", "8;5;10"), ("1,0x2,255", "8;2;1;2;255"), ("0", "8;5;0")):
        output = run(
            "trawl", ["--color=always", "-oh", "--colors=match:fg:" + given, "--colors=match:bg:" + given, "foo", "b"]
        )[1].decode()
        assert output.startswith("\33[1;3%s;4%sm" % (wanted, wanted))
    for colors in ("", "mt=1", "ms=1", "mc=1", "ms=1:mc=2", "sl=1"):
        said = run("trawl", ["--color=always", "foo", "a"], more={"GREP_COLOR": "7", "GREP_COLORS": colors})[2]
        assert bool(said) == (colors not in ("mt=1", "ms=1:mc=2")), "GREP_COLOR beside"
    for name, url in LINKS.items():
        output = run("trawl", ["--color=always", "-H", "--column", "--hyperlink-format=" + name, "Foo", "a"])[
            1
        ].decode()
        got, facts = (
            re.findall("\33\\]8;;([^\33]+)\33", output),
            {"host": os.uname().nodename, "path": os.path.realpath("a"), "line": 2, "column": 1},
        )
        assert got == ([url.format(**facts)] if url else [])


ROW = ("id", "letter", "name", "argument", "value", "category", "served", "summary", "paragraph")
CATEGORIES = ["PATTERN", "MISC", "OUTPUT", "CONTEXT", "LAYOUT", "FILES", "BEYOND", "ERRORS", "EXPERT", "REFUSED"]  # in the order of --help  # fmt: skip
# What letters mean in ripgrep.
LETTERS_OF_TG = {"0": "NULL_NAME", "E": "ENCODING", "I": "NO_FILENAME", "L": "FOLLOW", "T": "TYPE_NOT",
                 "U": "MULTILINE", "d": "DEPTH_MAX", "h": "HELP", "r": "REPLACE", "s": "CASE_SENSITIVE",
                 "u": "UNRESTRICTED", "z": "SEARCH_ZIP"}  # fmt: skip


def rows_of_table():
    """Return the rows of flags.def, as dictionaries; an alias has the members of its target, but its own letter and
    name."""
    table, rows = open(TABLE).read(), {}
    methods = run("trawl", ["--method=?", "a"])[2].decode().split("one of")[1].rstrip()
    text, word = r'((?:NULL|"(?:[^"\\]|\\.)*"|METHOD_WORDS|\s)+)', r"\s*(\w+)"
    form = r"^(?:FLAG|ALIAS)\((\w+), (?:0|'(.)'),%s(?:,%s\)|,%s,%s,%s,%s,%s,%s,)"

    def text_of(member):
        parts = re.findall(r'"((?:[^"\\]|\\.)*)"', member.replace("METHOD_WORDS", '"%s"' % methods))
        return "".join(re.sub(r"\\(.)", r"\1", part) for part in parts)

    for row in re.finditer(form % (text, word, word, text, word, word, text, text), table, re.MULTILINE):
        name, letter, long, target, *members = row.groups()
        if target:
            members = [rows[target][member] for member in ROW[3:]]
        else:
            members = [text_of(member) if at in (1, 4, 5) else member for at, member in enumerate(members)]
        long = text_of(long)
        rows[name] = {**dict(zip(ROW, (target or name, letter or "", long, *members))), "alias": bool(target)}
    assert len(rows) == len(re.findall("^(?:FLAG|ALIAS)", table, re.MULTILINE))
    return list(rows.values())


def long_names():
    """Return the rows of flags.def with a long name: (target, name, argument, whether grep has the option)."""
    rows = [row for row in rows_of_table() if row["name"]]
    return [(row["id"], row["name"], row["argument"], row["category"] not in CATEGORIES[4:9]) for row in rows]


def test_abbreviations():
    """Check for each name the shortest abbreviation that the command accepts, and the one that is a letter shorter."""

    def belongs(short):
        """Return the rows that an abbreviation may mean: the row with exactly this name; else grep's options that begin so;
        else all rows that begin so."""
        rows = [row for row in names if row[1].startswith(short)]
        return [row for row in rows if row[1] == short] or [row for row in rows if row[3]] or rows

    names, tried = long_names(), set()
    for target, name, argument, _ in names:
        shorter = [name[:length] for length in range(1, len(name) + 1)]
        good = [short for short in shorter if {row[0] for row in belongs(short)} == {target}]
        tried |= {good[0], good[0][:-1] or "-", name + "-"}
    for short in sorted(tried):
        rows = belongs(short)
        value = "=x" if rows and rows[-1][2] != "REQUIRED" else ""
        status, output, said = run("trawl", ["--" + short + value])
        if len({row[0] for row in rows}) > 1:
            wanted = "trawl: option '--%s' is ambiguous; possibilities: %s\n" % (
                short + value,
                " ".join("'--%s'" % row[1] for row in rows),
            )
        elif rows and rows[-1][2] == "OPTIONAL":
            wanted = run("trawl", ["--" + rows[-1][1] + value])[2].decode()
        elif rows:
            wanted = "trawl: option '--%s' %s\n" % (
                rows[-1][1],
                "doesn't allow an argument: 'x'" if rows[-1][2] == "NONE" else "requires an argument",
            )
        else:
            wanted = "trawl: unrecognized option '--%s'" % short
        assert (status, output) == (2, b"") and said.decode().startswith(wanted)


def distance(one, other):
    """Return the minimum number of steps from one name to the other; a step inserts, deletes or changes a letter, or
    swaps two neighbours."""
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            row.append(min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != wanted)))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                row[j] = min(row[j], rows[-2][j - 2] + 1)
        rows.append(row)
    return rows[-1][-1]


def test_nearest():
    """Check which name the command proposes for a misspelled one."""
    names = sorted(row[1] for row in long_names())
    rng = random.Random(SEED)
    for number in range(40):
        word = rng.choice(names)
        for _ in range(rng.choice([1, 1, 2, 3, 4])):
            at = rng.choice([0, 1, rng.randrange(len(word))])
            letter, begin, rest = rng.choice("no-aeti"), word[:at], word[at + 1 :]
            exchanged = rest[:1] + word[at : at + 1] + rest[1:]
            word = begin + rng.choice([rest, letter + word[at:], letter + rest, exchanged])
        most = min(len(word) // 3 + 1, 4)
        if not word.strip("-") or any(name.startswith(word) for name in names):
            continue
        away = {name: distance(word, name) for name in names if abs(len(name) - len(word)) < most}
        nearest = [name for name in away if away[name] == min(away.values()) < most]
        said = run("trawl", ["--" + word])[2].decode()
        proposed = re.match(
            r"trawl: unrecognized option '--%s'(?:; did you mean '--(.*)'\?)?\n" % re.escape(word), said
        )
        assert proposed and (proposed[1] in nearest if nearest else not proposed[1])


def quoted(text, letters):
    return re.sub("[%s]" % re.escape(letters), lambda letter: "\\" + letter[0], text)


def test_completions():
    """Check each line of the shells' completions: letter, name, whether it takes a value, the summary, the values. A value
    that is offered must be accepted, and the values that a message of the command names must be offered."""
    rows, words = rows_of_table(), {}
    for name, value in re.findall(
        r"^complete .* -l (\S+) .*-a '([^']*)'", run("trawl", ["--generate=complete-fish"])[1].decode(), re.MULTILINE
    ):
        words[name] = value
        for word in value.split():
            others = ["--alphabet=dna", "A", "a"] if word == "dna" else ["foo" if word != "grams" else 9 * "foo", "a"]
            others = ["--mismatches=1", *others] if name == "alphabet" and word != "dna" else others
            status, _, said = run("trawl", ["--%s=%s" % (name, word), *others])
            assert b"'%s'" % word.encode() not in said, "is offered, and refused"
    for row in rows:
        said = ""
        if row["argument"] != "NONE" and row["id"] not in ("SERVER", "ALGORITHM"):
            said = run("trawl", ["--%s=?" % row["name"], "foo", "a"])[2].decode()
        named = re.search(r"(?:is not one of|the names are|method, use) (.*)", said)
        assert not named or sorted(re.findall(r"[\w+-]+", named[1].replace(" or ", " "))) == sorted(
            words.get(row["name"], "").split()
        )
    wanted = {"bash": [], "zsh": ["#compdef trawl tg", "_arguments -s -S \\"], "fish": ["complete -c tg -w trawl"]}
    for row in rows:
        letter, name, argument, summary = row["letter"], row["name"], row["argument"], row["summary"]
        value, file = words.get(name, ""), row["value"] == "FILE"
        wanted["bash"] += ["-" + letter] * bool(letter) + ["--" + name + "=" * (argument == "REQUIRED")] * bool(name)
        action = "_files" if file else "(%s)" % value if value else " "
        action = ":%s%s:%s" % (":" * (argument == "OPTIONAL"), quoted(row["value"], ":"), action)
        action *= argument != "NONE"
        sign = {"REQUIRED": "=", "OPTIONAL": "=-"}.get(argument, "")
        for form in ["-%s%s" % (letter, "+" * bool(sign))] * bool(letter) + ["--%s%s" % (name, sign)] * bool(name):
            wanted["zsh"].append("  '*%s[%s]%s' \\" % (form, quoted(summary, "[]\\").replace("'", "'\\''"), action))
        line = "complete -c trawl" + " -s %s" % letter * bool(letter) + " -l %s" % name * bool(name)
        line += {"NONE": "", "OPTIONAL": " -f"}.get(argument, " -r" if file else " -x")
        wanted["fish"].append(line + " -a '%s'" % value * bool(value) + " -d '%s'" % quoted(summary, "'\\"))
    wanted["zsh"] += ["  '1:PATTERNS: ' \\", "  '*:FILE:_files'"]
    for shell, lines in wanted.items():
        text = run("trawl", ["--generate=complete-" + shell])[1].decode()
        got = text.split("compgen -W '")[1].split('\' -- "$2"')[0].split() if shell == "bash" else text.splitlines()
        assert got == lines


def usages(name):
    """Return the rows of flags.def in the order in which --help and the man page list them, as tuples (category, usage,
    summary, paragraph). The usage is what --help shows: letters, names and value."""
    rows, shown = rows_of_table(), []
    letters = {**{row["letter"]: row["id"] for row in rows}, **(LETTERS_OF_TG if name == "tg" else {})}
    for row in sorted((row for row in rows if not row["alias"]), key=lambda row: CATEGORIES.index(row["category"])):
        short = ["-" + letter for letter in sorted(letters) if letter and letters[letter] == row["id"]]
        words = short + ["--" + other["name"] for other in rows if other["id"] == row["id"] and other["name"]]
        is_needed = row["argument"] == "REQUIRED" or name == "tg" and row["id"] == "COLOR"
        usage = " " * 4 * (not short) + ", ".join(words)
        if row["argument"] != "NONE":
            usage += ("=%s" if is_needed else "[=%s]") % row["value"]
        if words:
            shown.append((row["category"], usage, row["summary"], row["paragraph"]))
    return shown


def test_help():
    """Check the layout of --help and --help-long: a usage at column 2, two blanks or a line end, the summary at column 30,
    no line beyond column 80; and that --help-long has each option of flags.def, with its letters, names, value and whole
    summary, and --help only such rows."""
    for name in ("trawl", "tg"):
        wanted = [(usage, summary) for _, usage, summary, _ in usages(name)]
        wanted.insert([row[0] for row in usages(name)].index("LAYOUT"), ("-NUM", "same as --context=NUM"))
        for document in ("--help", "--help-long"):
            lines, rows = run(name, [document])[1].decode().split("\n"), []
            for line in lines:
                row = re.fullmatch(r"  (-\S.*?|    --\S.*?)(?:  +(\S.*))?", line)
                if row:
                    assert not row[2] or row.start(2) == 30, "a summary in another column"
                    assert bool(row[2]) == (row.end(1) <= 28)
                    rows.append([row[1], row[2] or ""])
                elif line.startswith(" " * 30) and rows:
                    rows[-1][1] = (rows[-1][1] + " " + line[30:]).strip()
                    assert line[30] != " ", "an indented line"
                else:
                    assert not line.startswith(" "), "a line that is no row"
                assert len(line) <= 80 and line == line.rstrip(), "a long line, or blanks at the end"
            rows = [tuple(row) for row in rows]
            assert rows == wanted if document == "--help-long" else len(rows) == len({*rows} & {*wanted}) == 17


def test_manual():
    """Check that the manual has each option of flags.def in the sections of --help-long, with its whole paragraph, and that
    troff shows each character unchanged."""
    for name, kind in (("trawl", "man"), ("tg", "man-tg")):
        titles = re.findall("\n\n(.*):\n  ", run(name, ["--help-long"])[1].decode())
        assert len(titles) == len(CATEGORIES)
        shown, wanted = usages(name), ""
        for category, title in zip(CATEGORIES, titles):
            wanted += ".SS %s\n" % title
            for _, usage, summary, paragraph in (row for row in shown if row[0] == category):
                wanted += ".TP\n.B %s\n%s.\n%s" % (usage.strip(), summary, paragraph and paragraph + "\n")
        text = run("trawl", ["--generate=" + kind])[1].decode()
        got = text.split(".SH OPTIONS\n")[1].split(".SH EXIT STATUS")[0]
        for line in got.split("\n"):
            plain = re.fullmatch(r"(\.TP|\.B .*|[^.].*)?", line) and re.fullmatch(r"([^-'\\]|\\-|\\e|\\\(aq)*", line)
            assert plain or line.startswith(".SS "), "troff would show something else"
        whole = re.sub(r"\\(-|e|\(aq)", lambda escape: {"-": "-", "e": "\\", "(aq": "'"}[escape[1]], text)
        plain = whole.split(".SH OPTIONS\n")[1].split(".SH EXIT STATUS")[0]
        strange = {*re.findall(r"(?<![\w-])--([a-z][\w-]+)", whole)} - {row[1] for row in long_names()}
        assert not strange, "names options that do not exist"
        assert plain == wanted


def test_faults_of_files():
    """Check the status, the message and the other files' output for each kind of file that cannot be read, with each
    report, and that -s removes only the message."""
    reports = ["-c", "-n", "-l", "-L", "-q", "-o", "-v", "-m1", "--json", "--count-matches", "--count-by-pattern",
               "--vimgrep", "-B1", "--mismatches=1", "-P", "--color=always"]  # fmt: skip
    text, packed = b"".join(b"%d\n" % (i * i) for i in range(3000)), []
    for name, pack in (("gzip", gzip.compress), ("bzip2", bz2.compress), ("xz", lzma.compress)):
        whole = pack(text)
        bad = whole[:-9] + bytes(255 - byte for byte in whole[-9:-5]) + whole[-5:]
        for kind, part in ("cut", whole[: len(whole) // 2]), ("short", whole[:12]), ("bad", bad):
            file = "%s-%s" % (name, kind)
            write(file, part)
            packed.append((["--search-zip", file], file + ": %s data (ends too early|is damaged) at byte" % name))
    os.makedirs("tree")
    for link, target in (("tree/gone", "nowhere"), ("loop", "loop")):
        os.symlink(target, link)
    write("hit", "zzz\n")
    write("locked", "")
    os.chmod("locked", 0)
    kinds = [
        (["missing"], "missing: No such file"),
        (["d"], "d: Is a directory"),
        (["loop"], "loop: Too many levels"),
        (["hit/x"], "hit/x: Not a directory"),
        (["n" * 256], "n*: File name too long"),
        (["/proc/self/mem"], "/proc/self/mem: Input/output error"),
        (["-R", "tree"], "tree/gone: No such file"),
        (["-"], r"\(standard input\): Bad file descriptor"),
        *packed,
        *[(["locked"], "locked: Permission denied")] * (os.geteuid() != 0),
    ]
    for options, why in [*kinds[:1], *kinds[2:5]]:
        for files in ([*options, *more] for more in ([], ["hit"])):
            for quiet, names in (([], files), ([], files[::-1]), (["-q"], files), (["-q"], files[::-1])):
                command, found = ["--files", *quiet, *names], "hit" in names and bool(quiet)
                wanted = 0 if found else 2, b"hit\n" * ("hit" in names and not quiet)
                status, output, said = run("trawl", command)
                assert (status, output) == wanted and re.fullmatch(
                    "trawl: %s[^\n]*\n" % why if not found or names[0] != "hit" else "", said.decode()
                )
                assert run("trawl", ["-s", *command]) == (*wanted, b"")
    turn = SEED
    for options, why in kinds:
        for report in reports[turn % 8 :: 8]:
            turn += 1
            alone = run("trawl", ["-H", report, "zzz", "hit"])[1]
            for files in ([options[-1]], ["hit", options[-1]], [options[-1], "none", "hit"]):
                command = ["-H", report, *options[:-1], "zzz", *files]
                status, output, said = run("trawl", command, closed="-" in files)
                if b"cannot be loaded" in said or b"is without" in said:
                    continue
                found = "hit" in files and report == "-q"
                assert status == (0 if found else 2)
                wanted = "" if found and files[0] == "hit" else "trawl: %s[^\n]*\n" % why
                assert re.fullmatch(wanted, said.decode())
                if report not in ("--json", "--count-by-pattern") and "hit" in files:
                    assert alone in output
                assert run("trawl", ["-s", *command], closed="-" in files) == (status, output, b"")


# A row: a variable, a value, the other variables, what an empty value means, the arguments. An empty value means: "unset":
# what an unset variable means; "value": what the value means; "none": the same as no variable at all. If the value is
# "served", tests/serve/test_simulated.py tests the variable, and if "git", tests/grep/test_git_ignored.py.
VARIABLES = [("HOME", "home", {}, "unset", "foo a"), ("XDG_CONFIG_HOME", "xdg", {"HOME": "home"}, "unset", "foo a"),
             ("TRAWL_CONFIG_PATH", "config", {"HOME": "home"}, "none", "foo a"),
             ("POSIXLY_CORRECT", "1", {}, "value", "-s foo a -c"),
             ("GREP_COLORS", "mt=1;32", {}, "unset", "--color=always foo a"),
             ("GREP_COLOR", "1;34", {}, "unset", "--color=always foo a"),
             ("TERM", "xterm", {}, "value", "--color=auto foo a"),
             ("NO_COLOR", "1", {"TERM": "xterm"}, "value", "--color=auto foo a"),
             ("GIT_CONFIG_GLOBAL", "git", {}, "value", ""), ("GIT_CONFIG_SYSTEM", "git", {}, "value", ""),
             ("GIT_CONFIG_NOSYSTEM", "git", {}, "unset", ""),
             ("XDG_RUNTIME_DIR", "xdg", {}, "unset", "--server=unix: foo a"),
             ("TRAWL_TOKEN_FILE", "served", {}, "unset", ""), ("TRAWL_SERVER", "served", {}, "unset", ""),
             ("LC_ALL", "C", {"LANG": "C.UTF-8"}, "unset", "-ci É é"),
             ("LC_CTYPE", "C", {"LANG": "C.UTF-8"}, "unset", "-ci É é"), ("LANG", "C.UTF-8", {}, "unset", "-ci É é")]  # fmt: skip


def on_terminal(arguments, variables, name="trawl"):
    """Like run(), but standard input is the null device, standard output is a terminal, and the environment has only these
    variables."""
    ours, theirs = terminal()
    status, _, said = execute(["./" + name, *arguments], stdout=theirs, env={**BARE, **variables})
    os.write(theirs, b".")
    os.close(theirs)
    output = b""
    while not output.endswith(b"."):
        output += os.read(ours, 65536)
    os.close(ours)
    return status, output[:-1], said


def test_all_variables():
    sources = ROOT.glob("tools/trawl/*/*.c")
    used = {name for file in sources for name in re.findall(r'getenv\("(\w+)"\)', open(file).read())}
    assert len(used) > 5, "few variables"
    assert used <= {row[0] for row in VARIABLES}, "variables without a row"


@pytest.mark.parametrize("variable, value, others, means, arguments", VARIABLES, ids=[row[0] for row in VARIABLES])
def test_empty_variable(variable, value, others, means, arguments):
    """Check what each environment variable of the command means if its value is empty."""
    for folder in ("home/.config/trawl", "xdg/trawl"):
        os.makedirs(folder)
    write("home/.config/trawl/config", "-n\n")
    write("xdg/trawl/config", "-b\n")
    write("config", "-c\n")
    value = os.path.abspath(value) if variable.startswith(("XDG", "HOME")) else value
    others = {name: os.path.abspath(other) if name == "HOME" else other for name, other in others.items()}
    unset, empty, full = (
        on_terminal(arguments.split(), {**others, **more}) for more in ({}, {variable: ""}, {variable: value})
    )
    assert unset != full or value in ("served", "git"), "shows no difference"
    assert empty == (on_terminal(arguments.split(), {}) if means == "none" else unset if means == "unset" else full)


def test_sort():
    """Check the order of the entries of directories by each kind of time, with times before 1970, after 2106, and less than
    a second apart. (The comparison with ripgrep sorts only by the path and by one kind of time.)"""
    times = [-5 * 10**9, 0, 15 * 10**17, 15 * 10**17 + 10**6, 2**32 * 10**9]
    os.makedirs("sorted")
    for number, name in enumerate("caebd"):
        (os.mkdir if name == "b" else lambda path: open(path, "w").close())("sorted/" + name)
        if name == "b":
            write("sorted/b/x", "")
        os.utime("sorted/" + name, ns=(times[number * 2 % 5], times[(number * 3 + 1) % 5]))
        time.sleep(0.02)
    orders = [
        (by, lambda name, field=field: getattr(os.stat("sorted/" + name), field))
        for by, field in (("accessed", "st_atime_ns"), ("modified", "st_mtime_ns"))
    ]
    # the file system records when a file was created
    if subprocess.run(["stat", "-c%W", "sorted"], capture_output=True).stdout.strip() not in (b"0", b"-", b""):
        orders.append(("created", "caebd".index))
    for by, order in orders + [("path", "abcde".index)]:
        for option in ("--sort=", "--sortr="):
            names = sorted("caebd", key=order, reverse=option == "--sortr=")
            got = run("trawl", ["--files", option + by, "sorted"])[1].decode().split()
            assert got == ["sorted/b/x" if name == "b" else "sorted/" + name for name in names]


# An empty file in each format.
PACKED = {
    "gzip": "1f8b080000000000000303" + 9 * "00",
    "xz": "fd377a585a000004e6d6b446" + "000000001cdf44211fb6f37d010000000004595a",
    "bzip2": "425a6839177245385090" + 4 * "00",
    "zstd": "28b52ffd2400010000" + "99e9d851",
    "lz4": "04224d186440a7000000" + "00055dcc02",
}


def test_version():
    """Check that a search does what --version says of this machine and this installation, even if a library is missing that
    the command loads when needed. To hide a library, a copy of the command finds another library of the same name
    first."""
    strange = next(
        (line.split()[-1] for line in open("/proc/self/maps") if re.search(r"/libm\.so\.6|/libm-2", line)), None
    )
    os.makedirs("alone/libraries")
    shutil.copy(TRAWL, "alone/trawl")
    if strange:
        for path in ("libtrawl_regex.so.2", "libraries/libz.so.1", "libraries/libbz2.so.1.0", "libraries/libbz2.so.1"):
            shutil.copy(strange, os.path.join("alone", path))
    for format, data in PACKED.items():
        write("packed." + format, bytes.fromhex(data))
    for name, libraries in (
        ("trawl", {}),
        ("alone/trawl", {}),
        ("alone/trawl", {"LD_LIBRARY_PATH": os.path.abspath("alone/libraries")}),
    )[: 3 if strange else 1]:
        status, text, said = run(name, ["--version"], more=libraries)
        facts = dict(re.findall(r"^([a-zA-Z ]+): (.*)$", text.decode(), re.MULTILINE))
        assert (status, said) == (0, b"") and text.decode().startswith(
            "trawl %s\nengines: cpu" % re.search(r'TRAWL_VERSION "(.*)"', open(HEADER).read())[1]
        )
        for word, options in (
            ("regular expressions", ["-P", "(f|o)*$", "a"]),
            ("engines", ["--engine=cuda", "foo", "a"]),
        ):
            status, _, said = run(name, options, more=libraries)
            why = facts.get("no " + word)
            if word == "engines" and "not cuda" in facts["engines"]:
                why = facts["engines"].split("not cuda: ")[-1]
            is_told = status == 2 and why and why in said.decode() and word not in facts.keys() - {"engines"}
            assert (status, why) == (0, None) or is_told
        for format in PACKED:
            status, _, said = run(name, ["--search-zip", "foo", "packed." + format], more=libraries)
            there = format in facts.get("unpacks", "").split(", ")
            assert there != (format in facts.get("does not unpack", "").split(", ")) and (status, said != b"") == (
                (1, False) if there else (2, True)
            )
        for word in facts["instruction sets"].split(", "):
            assert run(name, ["--instruction-set=" + word, "foo", "a"], more=libraries)[0] == 0
        if strange and name != "trawl":
            assert "no regular expressions" in facts, "still has a library"
            assert not libraries or "gzip" not in facts.get("unpacks", ""), "still has a library"
        assert "no server" in facts or os.access(facts["server"], os.X_OK)


# A row: name of the command, arguments on a terminal, arguments elsewhere that print the same.
ON_TERMINAL = [
    ("trawl", "foo a b", "foo a b"),
    ("trawl", "--color=auto -n foo a b", "--color=always -n foo a b"),
    ("trawl", "--color -n foo a b", "--color=always -n foo a b"),
    ("trawl", "-p foo a b", "-p foo a b"),
    ("tg", "foo a b", "--color=always --heading -n foo a b"),
    ("tg", "-N foo a b", "--color=always --heading foo a b"),
    ("tg", "--no-heading foo a b", "--color=always -n foo a b"),
    ("tg", "--color=never foo a b", "--heading -n foo a b"),
    ("tg", "--color=auto foo a b", "-p foo a b"),
    ("tg", "--color=auto -p foo a b", "-p foo a b"),
    ("tg", "-N -n foo a b", "-p foo a b"),
    ("tg", "-c foo a b", "-c --color=always foo a b"),
    ("tg", "-l foo a b", "-l --color=always foo a b"),
    ("tg", "--vimgrep foo a b", "--color=always --vimgrep foo a b"),
    ("tg", "-h", "-h"),
    ("tg", "--column -N foo a b", "--color=always --heading --column -N foo a b"),
    ("tg", "--no-heading --heading foo a b", "-p foo a b"),
    ("tg", "--files d", "--files --color=always d"),
]


@pytest.mark.parametrize(
    "arguments, sign",
    [("a|b", "|"), ("^a", "^"), ("-i a.*b", ".*"), ("-c a\\d", "\\d")]
    + [
        (given, None)
        for given in ("-F a|b", "-E a|b", "-P a\\d", "a.b", "^", "-q a|b", "-s a|b", "-v a|b", "--hex (61|62)FE")
    ],
)
def test_strings_like_expressions(arguments, sign):
    """On a terminal, a search for a string that looks like an expression says so if it has found nothing."""
    said = b"trawl: nothing was found; %s stands for itself, as in grep -F: -P searches for expressions\n"
    arguments = arguments.split() + [str(ROOT / "LICENSE")]
    status, _, err = on_terminal(arguments, {"LC_ALL": "C.UTF-8", "TRAWL_CONFIG_PATH": ""})
    assert err == (said % sign.encode() if sign else b"")
    assert status == execute([TRAWL, *arguments])[0]
    assert execute([TRAWL, *arguments])[2] == b""  # not in a script


def test_terminal():
    """Check what the command does by default on a terminal."""
    for name, arguments, same in ON_TERMINAL:
        for variables, plain in (
            ({"TERM": "xterm"}, []),
            ({"TERM": "dumb"}, ["--color=never"]),
            ({"TERM": "xterm", "NO_COLOR": ""}, ["--color=never"]),
        ):
            told = {"-p", "--color=always"} & {*arguments.split()}
            wanted = run(name, [*same.split(), *(plain if not told else [])])
            got = on_terminal(arguments.split(), {**variables, "LC_ALL": "C.UTF-8", "TRAWL_CONFIG_PATH": ""}, name)
            got, wanted = ((one[0], re.sub(rb"\r*\n", b"\n", one[1]), one[2]) for one in (got, wanted))
            assert got == wanted


def test_files():
    """Check that --files lists the files that a search with the same options searches, in trees with pipes and links. A
    search reads pipes because of -D read or --follow."""
    os.mkfifo("d/pipe")
    os.symlink("nowhere", "d/e/dangling")
    for name in ("trawl", "tg"):
        for more in ([], *[["--follow"]] * (name == "tg"), ["--devices=skip"], ["--exclude=c"], ["--include=c"],
                     ["--exclude-dir=e"], ["--max-depth=1"], ["--glob=!c"], ["--type=c"], ["--hidden"], ["--no-hidden"],
                     ["--ignore"], ["--unrestricted"], ["--max-filesize=5"], ["--directories=recurse"]):  # fmt: skip
            for operands in (["d"], ["b", "d"], ["d/e/c"]):
                listed, searched = (
                    run(name, ["--no-messages", "--with-filename", *options, *more, *operands])[1].decode().splitlines()
                    for options in (["--files"], ["--text", "--count", "--include-zero", "--recursive", "-e", ""])
                )
                assert sorted(listed) == sorted(line.rsplit(":", 1)[0] for line in searched) and (
                    listed or more[-1:] in (["--type=c"], ["--exclude=c"])
                )
    for name, option, there in (
        ("trawl", "--devices=read", True),
        ("trawl", "--follow", True),
        ("trawl", "--no-follow", False),
        ("tg", "--devices=read", True),
        ("tg", "--follow", False),
    ):
        listed = run(name, ["--files", option, "d"])[1].decode().splitlines()
        assert "d/e/c" in listed and ("d/pipe" in listed) == there and "d/e/dangling" not in listed


def test_algorithms():
    """Check --list-algorithms: the names, engines and lines of the gallery's table, and that the CPU runs each algorithm
    that is listed for it."""
    status, output, _ = run("trawl", ["--list-algorithms"])
    if status != 0:  # a build without the gallery
        return
    form = r'^ALGORITHM\(\w+, "([^"]+)", (\w+), (\w+), \w+,\s*"((?:[^"\\]|\\.)*)"'
    rows = re.findall(form, (ROOT / "gallery/algorithms.def").read_text(), re.MULTILINE)
    got = re.findall(r"^(\S+) +(cpu, cuda|cpu|cuda) +(.*) \(.*\)$", output.decode(), re.MULTILINE)
    engines = {"CPU": "cpu", "CUDA": "cuda", "BOTH": "cpu, cuda"}
    assert [(name, engine) for name, engine, _ in got] == [(row[0], engines[row[2]]) for row in rows] and len(rows) > 10
    assert all(line[2].startswith(row[3].replace('\\"', '"')) for line, row in zip(got, rows))
    for name, kind, engine, _ in rows:
        status, _, said = run("trawl", ["--engine=cpu", "--algorithm=" + name, "foo", "a"])
        assert (status == 0) == (kind == "TEXT" and engine != "CUDA") and (status == 0 or name.encode() in said)


def test_reports():
    """Check which report is printed if options request several. trawl prints the first of -q, names and counts, in
    whatever order the options are given; tg prints the last report."""
    for name, names, given in itertools.product(("trawl", "tg"), ("-l", "--files-without-match"), range(1, 16)):
        reports = [report for at, report in enumerate(("-o", "-c", names, "-q")) if given >> at & 1]
        for options in (reports, reports[::-1]):
            alone = reports[-1:]
            if name == "tg" and {"-c", names} & {*options}:
                last = next(report for report in options[::-1] if report in ("-c", names))
                alone = ["--count-matches" if last == "-c" and "-o" in options else last] + ["-q"] * ("-q" in options)
            assert run(name, [*options, "foo", "a", "none"]) == run(name, [*alone, "foo", "a", "none"])


def test_lines_come():
    """Check, with the options that write each line immediately, that a line is written before more of standard input
    comes."""
    for on_tty, options in (
        (True, []),
        (True, ["--no-line-buffered"]),
        (True, ["--line-buffered"]),
        (False, ["--line-buffered"]),
        (False, ["--block-buffered", "--line-buffered"]),
    ):
        ours, theirs = terminal() if on_tty else os.pipe()
        given = {"stdin": subprocess.PIPE, "env": {**BARE, "TRAWL_CONFIG_PATH": ""}}
        program = subprocess.Popen(["./trawl", *options, "foo"], stdout=theirs, **given)
        program.stdin.write(b"foo\n")
        program.stdin.flush()
        ready = select.select([ours], [], [], 30)[0]
        assert ready and os.read(ours, 100).strip() == b"foo", "a line is kept back"
        program.stdin.close()
        assert program.wait(60) == 0
        os.close(ours)
        os.close(theirs)
