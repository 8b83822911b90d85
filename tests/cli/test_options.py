"""Tests options that are given more than once, in each of their forms, and values at their limits.

Of contradicting options the last decides: `A B` must print what `B` alone prints, whether A is on the command line or in
the file of options, and `B B` the same. A and B alone must differ, so that a row cannot pass because its files do not
tell the options apart. What options mean is written down here or judged by grep and ripgrep (tests/grep); from flags.def
come only the forms in which an option can be given: cli_flags has values that are missing, empty or out of range.
"""

import functools
import gzip
import itertools
import os
import random
import re
import select
import shutil
import subprocess
import time

import pytest
from harness import DIVISOR, ROOT, SEED, TRAWL, execute, terminal, write

BARE = {"PATH": os.environ["PATH"]}
TABLE, HEADER = ROOT / "tools/trawl/options/flags.def", ROOT / "include/trawl.h"
MANUAL = ROOT / "tools/trawl/options/manual.def"

# A row: options of which the last one decides; the command.
ROWS = ["-n -N; trawl foo a", "-H -h; trawl foo a b", "-N -n; trawl --json foo a", "-i -S --case-sensitive; trawl Foo a",
        "-S --no-ignore-case; trawl foo a", "--ignore --no-ignore; trawl --hidden --files d", "--column --no-column; trawl --vimgrep foo a", "-R --no-follow; trawl -r foo d",
        "--sort=path --sortr=path; trawl --files d",
        "--sortr=path --sort-files; trawl --files d", "--sort=modified --sortr=modified --sort=path; trawl --files d",
        "-l -L; trawl foo a none", "-a -I; trawl foo nul", "-F -E; trawl fo+ a", "-P -F; trawl \\w a",
        "--binary-files=text --binary-files=binary --binary-files=without-match; trawl foo nul",
        "-E -G --fixed-strings --no-fixed-strings; trawl -c x+|(y) a", "-M6 -M0 --max-columns=9; trawl foo a",
        "--context-separator=\\x41\\tlong --group-separator=X --no-group-separator; trawl -A1 foo a",
        "--no-context-separator --group-separator= --context-separator=\\n; trawl -A1 foo a",
        "--field-match-separator=long --field-match-separator=x; trawl -n foo a",
        "--field-context-separator=long --field-context-separator=; trawl -nA1 foo a",
        "--color=always --color=never --colour=always; trawl foo a", "--path-separator=+ --path-separator=\\x2c; trawl -H foo d/c",
        "--colors=match:fg:red --colors=match:fg:blue; trawl --color=always foo a", "-A1 -A2 -A0; trawl foo a",
        "-B1 -B2 -B0; trawl x a", "-C0 -2 --context=1; trawl x a", "-m1 -m-1 -m2; trawl o a", "-dskip -dread; trawl -s foo d a",
        "-drecurse -dskip --directories=read; trawl -s foo d", "-Dskip -Dread; trawl x /dev/null -L",
        "--encoding=utf-16le --encoding=none --encoding=latin1; trawl -ac fé wide", "--label=1 --label=2; trawl -H foo -",
        "--replace=1 --replace=$0$0; trawl foo a", "--max-depth=1 --max-depth=0 --max-depth=2; trawl --files d",
        "--max-filesize=1K --max-filesize=2; trawl --files d", "-gc -g!c; trawl --files d/e",
        "--mismatches=0 --mismatches=1; trawl fxo a", "--edits=1 --edits=0; trawl fxo a",
        "--alphabet=bytes --alphabet=utf8; trawl --mismatches=1 fxyz é", "-i -s; tg FOO a", "-d0 -d1; tg foo d",
        "--hyperlink-format=file://{path} --hyperlink-format=none; trawl --color=always -H foo a"]  # fmt: skip
# A command that shows whether an option or its opposite (--X, --no-X) is in effect, and such options.
OPPOSITES = {"trawl foo a": "byte-offset column encoding=utf-16le ignore-case invert-match json line-number stats trim",
             "trawl -x foo a": "crlf", "trawl -A1 foo a": "context-separator=X group-separator=X", "trawl -H foo a": "heading",
             "trawl -c ^.$ a": "fixed-strings pcre2", "trawl -Pc ^.$ a": "unicode pcre2-unicode", "trawl -Pc 1\\s2 a": "multiline",
             "trawl -P --multiline foo.*x a": "multiline-dotall", "trawl -M6 foo a": "max-columns-preview", "trawl foo gone": "messages",
             "trawl foo nul": "text", "tg foo d": "binary", "trawl -r foo d": "follow", "trawl --files d": "hidden sort-files",
             "tg --files d": "ignore-dot follow hidden ignore", "tg -gC --files d": "glob-case-insensitive", "tg -c foo a none": "include-zero",
             "tg --files tree": "ignore-file-case-insensitive ignore-exclude ignore-global ignore-vcs", "tg --files tree/sub": "ignore-parent", "trawl foo packed": "search-zip",
             "tg --ignore-file=globs --files d": "ignore-files",
             "tg --files other": "require-git", "": "auto-hybrid-regex block-buffered line-buffered ignore-messages mmap one-file-system pre progress"}  # fmt: skip
# A row: name of the command, command lines that print the same output.
SAME = [("tg", "-uuu foo d", "-uuuu foo d", "-uu --unrestricted foo d", "--unrestricted -u -uu -u foo d"),
        ("trawl", "--vimgrep foo a --no-column", "--vimgrep --no-column foo a"), ("trawl", "-i FOO a", "-y FOO a"),
        ("trawl", "-2 bar a", "-C2 bar a", "-02 bar a", "-9 -2 bar a", "-i2 bar a"),
        ("trawl", "-95 bar a", "-C95 bar a", "-095 bar a", "-9 -95 bar a"), ("trawl", "-q foo a", "--silent foo a"),
        ("trawl", "--passthru foo a", "--passthrough foo a", "--passthru -A0 foo a", "-C1 --passthru foo a"),
        ("trawl", "foo a", "--server= foo a", "--server=unix:x --server= foo a"),
        *[("trawl", "-PS %sfoo a" % name, "-Pi %sfoo a" % name) for name in ("\\S?", "\\pL?", "\\PZ?", "\\p{Lu}?", "\\P{Lu}?")],
        ("trawl", "-PS \\P{Lu}?Foo a", "-P \\P{Lu}?Foo a"), ("tg", "-05 -H x a", "-5 -H x a", "-HC5 x a"),
        ("tg", "-p foo a", "--color=always --heading -n foo a", "-pp foo a"),
        ("tg", "-q -g /d/c foo d", "-q -g /d/c foo ./d", "-q -g /d/c foo ././d"),
        ("tg", "-1H0 x a", "-1 -H -0 x a", "-H --null -C1 x a"),
        ("trawl", "-m0 -l foo gone", "-m0 foo gone a", "-m0 -c foo gone", "-f /dev/null gone"),
        ("trawl", "-m0 --explain foo", "--explain foo"),
        *[("trawl", "-%s foo a none" % one, *("-%s foo a none" % more for more in others.split()))
          for one, others in (("q", "qo oq qc cq ql lq"), ("l", "ol lo cl lc ocl"), ("L", "oL Lo cL Lc"), ("c", "oc co"))],
        *[("tg", "-%s foo a none" % one, *("-%s foo a none" % more for more in others.split()))
          for one, others in (("l", "cl ol lo ocl lcl"), ("c", "lc"), ("q", "oq qo lq qc"))],
        ("tg", "--count-matches o a none", "-co o a none", "-oc o a none", "-olc o a none"),
        ("trawl", *("--color=always -Hn --hyperlink-format=%s foo a" % link for link in ("emacs", "emacs://{path}:{line}:{column}"))),
        ("trawl", "-vf /dev/null a", "-vxf /dev/null a", "-vwf /dev/null a", "-vwxf /dev/null a"),
        ("trawl", "-q foo a", "-q --json foo a", "--json -qn foo a"), ("trawl", "-u foo a", "-su foo a", "-us foo a"),
        ("trawl", "--files b none", "--files -dread b none", "--files -Dskip b none")]  # fmt: skip
HUGE = [2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**64 + 1, 10**40]
# A row: option, the lowest and the highest number, other arguments.
LIMITS = [("-j", 0, 1024, "foo a"), ("--chunk-bytes=", 1, 2**40, "foo a"), ("--max-depth=", 0, 2**64 - 1, "--files d"),
          ("-M", 0, 2**62, "foo a"), ("--mismatches=", 0, 31, 40 * "f" + " a"), ("--edits=", 0, 31, 40 * "f" + " a")]  # fmt: skip
# A row: option, other arguments, all words that it takes.
WORDS = [("--binary-files=", "foo a", "binary text without-match"), ("--sortr=", "foo a", "path none modified accessed created"),
         ("--sort=", "foo a", "none path modified accessed created"), ("--alphabet=", "--mismatches=0 A a", "bytes utf8 dna"),
         ("--engine=", "foo a", "auto cpu default pcre2"), ("--devices=", "foo a", "read skip"), ("-D", "foo a", "read skip"),
         ("--color=", "foo a", "always never auto yes no force none tty if-tty ansi"), ("--method=", "foo a", "auto"),
         ("--directories=", "foo a", "s sk ski skip rea read rec recu recur recurs recurse"),
         ("--generate=", "", "man man-tg complete-bash complete-zsh complete-fish"),
         ("--exact=", "--mismatches=1 foob a", "1 4 1-1 3-4 1-4 0002-03")]  # fmt: skip
WRONG = {"--exact=": "0 0-1 2-1 5-4 - -1 1- 1--2 1-2-3 a 1-a a-1 +1 -1-2 1,2 %d 1-%d %d-%d" % (2**64, 2**64, 2**64 + 1, 2**64 + 2)}  # fmt: skip


def run(name, arguments, config="", closed=False, more=None):
    """Run the command. closed: standard input is closed. more: environment variables."""
    write("config", config)
    command = [*["sh", "-c", 'exec "$@" <&-', "sh"] * closed, os.path.join(".", name), *arguments]
    variables = {"HOME": os.getcwd(), "TERM": "xterm", "TRAWL_CONFIG_PATH": "config", **(more or {})}
    with open("a") as stdin:
        status, output, said = execute(command, stdin=stdin, env={**BARE, "LC_ALL": "C.UTF-8", **variables})
    said = re.sub(rb"(?m)^(seconds|GB/s|elapsed): .*", b"", said)
    return status, re.sub(rb'"(secs|nanos|human)":[^,}]*', b"", output), said


FILES = {"a": b"  foo (bar)\nFoo\nbar foo\n\xc3\xa9\nx\r\nfoo\r\n1\n2\nfoo\n", "b": b"foo\n", "none": b"x\n",
         "nul": b"foo\n\0\n", "wide": b"f\0\xe9\0\n\0", "\u00e9": "f\u00e9yz\n".encode(), "d/c": b"foo\n",
         "d/e/c": b"foo", "d/.hidden": b"foo\n", "d/ignored": b"foo\n", "d/.ignore": b"ignored\n", "d/nul": b"foo\0\n",
         "d/big": b"x" * 1025, "packed": gzip.compress(b"foo\n"), "globs": b"c\n", ".config/git/ignore": b"g\n", "tree/.git/info/exclude": b"x\n",
         "tree/.gitignore": b"v\n", "tree/.ignore": b"p\nW\n", "tree/w": b"", "tree/x": b"", "tree/g": b"", "tree/v": b"", "tree/sub/p": b"", "tree/sub/c": b"",
         "other/.gitignore": b"v\n", "other/v": b"", "other/w": b""}  # fmt: skip


@pytest.fixture(autouse=True)
def files(here):
    for path, text in FILES.items():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        write(path, text)
        os.utime(path, (1500000000 - len(path), 1500000000 - len(path)))
    os.symlink("../b", "d/link")


def forms(name, option):
    """Return each form of an option, as a list of words: its letters, also twice, and names by flags.def, with the value in
    the same word or in the next."""
    long, value, letter, rest = re.fullmatch(r"--([\w-]+)(?:=(.*))?|-(.)(.*)", option).groups()
    rows, value = rows_of_table(), value if long else rest or None
    letters = {**{row["letter"]: row["id"] for row in rows}, **(LETTERS_OF_TG if name == "tg" else {})}
    targets = {row["id"] for row in rows if row["name"] == long} if long else {letters.get(letter)}
    if None in targets:  # -NUM
        return [[option]]
    names = ["--" + row["name"] for row in rows if row["id"] in targets and row["name"]]
    short = ["-" + one for one in letters if one and letters[one] in targets]
    if value is None:
        return [[one] for one in [*names, *short, *(one + one[1] for one in short)]]
    apart = [[one, value] for one in names + short if {*targets} != {"COLOR"}]
    return [[one + "=" + value] for one in names] + [[one + value] for one in short if value] + apart


def check_last(name, options, others):
    """Check that the last of the options decides, in whatever form they are given."""
    rng, alone = random.Random(str((SEED, options))), {option: run(name, [option, *others]) for option in options}
    assert len(set(alone.values())) > 1
    for last in options:
        for first in options:
            one, other = rng.choice(forms(name, first)), rng.choice(forms(name, last))
            assert alone[last] == run(name, [*one, *others, *other]), (one, other)
        first = options[options.index(last) - 1]
        assert alone[last] == run(name, [last, *others], first + "\n"), "in the file of options"


@pytest.mark.parametrize("row", ROWS)
def test_last_decides(row):
    options, (name, *others) = map(str.split, row.split("; "))
    check_last(name, options, others)


@pytest.mark.parametrize("command", OPPOSITES)
def test_opposites(command):
    names = [row["name"] for row in rows_of_table()]
    listed = [re.sub("=.*", "", one) for options in OPPOSITES.values() for one in options.split()]
    assert {*listed} == {one for one in names if "no-" + one in names}, "an option with an opposite is in no row"
    for option in OPPOSITES[command].split() if command else ():
        name, *others = command.split()
        check_last(name, ["--" + option, "--no-" + option.split("=")[0]], others)


@pytest.mark.parametrize("name", ["trawl", "tg"])
@pytest.mark.parametrize("config", ["-n\n", " \t\v\f-n\r\v\f \t\n", "\n#-c\n \t#-c\n-n", "-n\n\n\r\n \n"])
def test_file_of_options(name, config):
    assert run(name, ["foo", "a"], config) == run(name, ["-n", "foo", "a"])


@pytest.mark.parametrize("row", SAME, ids=lambda row: " ".join(row[:2]))
def test_same(row):
    name, one, *others = row
    for other in others:
        assert run(name, one.split()) == run(name, other.split())


def is_taken(option, others):
    """Return whether an option is taken; otherwise it must be named in a message."""
    status, output, said = run("trawl", [option, *others.split()])
    assert (
        status < 2
        or output == b""
        and re.fullmatch(rb"trawl: -[^\n]*\n(Try 'trawl --help' for more information\.\n)?", said)
    )
    return status < 2


def test_limits():
    for option, wanted in (("-A", "-A99"), ("-B", "-B99"), ("-C", "-C99"), ("-m", "-m99"), ("-m-", "-m99")):
        for number in HUGE:
            assert run("trawl", [option + str(number), "bar", "a"]) == run("trawl", [wanted, "bar", "a"])
    for option, least, most, others in LIMITS:
        good = {least, most, "+%d" % most, *["-0"] * (least == 0)}
        bad = {least - 1, most + 1, most + 2**32, most + 2**64, "1x", "0x1", *[""] * (option[-1] == "=")}
        assert [number for number in good | bad if is_taken(option + str(number), others) != (number in good)] == []


@pytest.mark.parametrize("option, others, words", WORDS, ids=[row[0] for row in WORDS])
def test_words(option, others, words):
    words = words.split()
    near = {wrong for one in words for wrong in (one[:-1], one + "x", one.upper(), " " + one, one + ",", "")}
    for word in [*words, *(near | {*WRONG.get(option, "").split()} - {*words})]:
        assert is_taken(option + word, others) == (word in words)


# In each row, each option on the left excludes each option on the right.
REPORTS, NAMES = (
    "--count-matches --positions --count-by-pattern".split(),
    ["--files-with-matches", "--files-without-match"],
)
ERRORS = ["--mismatches=1", "--edits=1", "--alphabet=dna"]
LAST = ["--count", "--count-matches", "--json", *NAMES]  # of these, tg obeys the last one
EXCLUDE = [(REPORTS, [*REPORTS, *NAMES, "--json"]), (REPORTS[1:], ["--invert-match", "--count"]),
           (["--count-by-pattern"], ["--max-count=0", "--max-count=2", "--max-count=-1"]),
           (["--json"], [*NAMES, "--count"]),
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
    for number, pair in enumerate(itertools.combinations(options, 2), SEED):
        if frozenset(pair) not in pairs and DIVISOR > 1 and number % 4:
            continue
        for name in ("trawl", "tg") if frozenset(pair) in pairs else [("trawl", "tg")[number // 4 % 2]]:
            if name == "tg" and "--max-count=-1" in pair:  # no number for tg
                continue
            status, output, said = run(name, [*pair, "ACCA", "a"])
            refused = frozenset(pair) in pairs and not (name == "tg" and {*pair} <= {*LAST})
            told = any(option.split("=")[0].encode() in said for option in pair)
            assert (status, output, told, said.count(b"\n")) == (2, b"", True, 1) if refused else status < 2


ROW = ("id", "letter", "name", "argument", "value", "category", "served", "summary")
CATEGORIES = ["PATTERN", "MISC", "OUTPUT", "CONTEXT", "LAYOUT", "FILES", "BEYOND", "ERRORS", "EXPERT", "REFUSED"]  # in the order of --help  # fmt: skip
# What letters mean in ripgrep.
LETTERS_OF_TG = {"0": "NULL_NAME", "E": "ENCODING", "I": "NO_FILENAME", "L": "FOLLOW", "T": "TYPE_NOT",
                 "U": "MULTILINE", "d": "DEPTH_MAX", "h": "HELP", "r": "REPLACE", "s": "CASE_SENSITIVE",
                 "u": "UNRESTRICTED", "z": "SEARCH_ZIP"}  # fmt: skip


STRING = r'((?:NULL|"(?:[^"\\]|\\.)*"|METHOD_WORDS|\s)+)'


def text_of(member):
    """Return the text of a string of C."""
    methods = '"%s"' % run("trawl", ["--method=?", "a"])[2].decode().split("one of")[1].rstrip()
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', member.replace("METHOD_WORDS", methods))
    return "".join(parts).encode().decode("unicode_escape")


@functools.cache
def manual():
    """Return the rows of manual.def as tuples: kind, option, page, text, output."""
    form = r"^(?:(TEXT|RUN|CLAIM)\((\w+), (\w+),%s(?:,%s)?\)|(LINE)\((\w+),%s\)|(INPUT)\(%s,%s\))$" % ((STRING,) * 5)
    table, rows = open(MANUAL).read(), []
    for kind, option, page, text, output, line, of, summary, content, name, inside in re.findall(
        form, table, re.MULTILINE
    ):
        rows.append(
            (
                kind or line or content,
                option or of,
                page or "TG",
                text_of(text or summary or name),
                text_of(output or inside),
            )
        )
    assert len(rows) == len(re.findall(r"^[A-Z]+\(", table, re.MULTILINE))
    return rows


@functools.cache
def rows_of_table():
    """Return the rows of flags.def, as dictionaries; an alias has the members of its target, but its own letter and
    name."""
    table, rows = open(TABLE).read(), {}
    word, form = r"\s*(\w+)", r"^(?:FLAG|ALIAS)\((\w+), (?:0|'(.)'),%s(?:,%s\)|,%s,%s,%s,%s,%s,)"
    for row in re.finditer(form % (STRING, word, word, STRING, word, word, STRING), table, re.MULTILINE):
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
        tried |= {good[0], good[0][:-1] or "-"}
    tried |= {name + "-" for _, name, _, _ in (names[SEED % 4 :: 4] if DIVISOR > 1 else names)}
    for short in sorted(tried):
        rows = belongs(short)
        value = "=x" if rows and rows[-1][2] != "REQUIRED" else ""
        status, output, said = run("trawl", ["--" + short + value])
        wanted, name = "trawl: unrecognized option '--%s'" % short, rows[-1][1] if rows else ""
        if len({row[0] for row in rows}) > 1:
            names_of_rows = " ".join("'--%s'" % row[1] for row in rows)
            wanted = "trawl: option '--%s' is ambiguous; possibilities: %s\n" % (short + value, names_of_rows)
        elif rows and rows[-1][2] == "OPTIONAL":
            wanted = run("trawl", ["--" + name + value])[2].decode()
        elif rows:
            why = "doesn't allow an argument: 'x'" if value else "requires an argument"
            wanted = "trawl: option '--%s' %s\n" % (name, why)
        assert (status, output) == (2, b"") and said.decode().startswith(wanted)


# Unknown names, and what is proposed: a name that fewer letters differ from than a third of the name, at most 3, after
# letters are inserted, deleted, changed or swapped.
NEAREST = {"cuont": "count", "ocunt": "count", "jsonn": "json", "joon": "json", "jn-son": "json", "ontext": "context", "xxcontext": "context", "hiddxx": "hidden",
           "hdide": "", "sxxts": "", "posixxxns": "positions", "opsitiosn": "positions", "poxxxxons": "", "max-coluxxx-preview": "max-columns-preview", "ax-coluxxx-preview": "", "xtim": "",
           "ignore-fils": "ignore-file", "statistics": "", "fsata": "fasta", "tirm": "trim", "qq": "", "perrl-regexp": "perl-regexp"}  # fmt: skip


def test_nearest():
    for word, name in NEAREST.items():
        said = "trawl: unrecognized option '--%s'%s\n" % (word, "; did you mean '--%s'?" % name if name else "")
        assert run("trawl", ["--" + word])[2].decode().startswith(said)


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
    summary, option). The usage is what --help shows: letters, names and value."""
    rows, shown = rows_of_table(), []
    lines = {option: text for kind, option, _, text, _ in manual() if kind == "LINE" and name == "tg"}
    letters = {**{row["letter"]: row["id"] for row in rows}, **(LETTERS_OF_TG if name == "tg" else {})}
    for row in sorted((row for row in rows if not row["alias"]), key=lambda row: CATEGORIES.index(row["category"])):
        short = ["-" + letter for letter in sorted(letters) if letter and letters[letter] == row["id"]]
        words = short + ["--" + other["name"] for other in rows if other["id"] == row["id"] and other["name"]]
        is_needed = row["argument"] == "REQUIRED" or name == "tg" and row["id"] == "COLOR"
        usage = " " * 4 * (not short) + ", ".join(words)
        if row["argument"] != "NONE":
            usage += ("=%s" if is_needed else "[=%s]") % row["value"]
        if words:
            shown.append((row["category"], usage, lines.get(row["id"], row["summary"]), row["id"]))
    return shown


def test_help():
    """Check the layout of --help and --help-long: a usage at column 2, two blanks or a line end, the summary at column 30,
    no line beyond column 80; and that --help-long has each option of flags.def, with its letters, names, value and whole
    summary, or at its end if it undoes another or is ignored, and --help only such rows."""
    for name in ("trawl", "tg"):
        listed = {row[1]: row[2].startswith(("undo ", "accepted and ignored")) for row in usages(name)}
        wanted = [(usage, summary) for _, usage, summary, _ in usages(name) if not listed[usage]]
        at = [category for category, usage, *_ in usages(name) if not listed[usage]].index("LAYOUT")
        wanted.insert(at, ("-NUM", "same as --context=NUM"))
        for document in ("--help", "--help-long"):
            text, *undo = (
                run(name, [document])[1].decode().split("\nUndo another option, or are accepted and ignored:\n")
            )
            if document == "--help-long":
                undone, undo = undo[0].split("\n\n")[0], undo[0].split("\n\n", 1)[1]
                usages_of_undo = [row[1].strip() for row in usages(name) if listed[row[1]]]
                assert sorted(" ".join(undone.split()).split(", ")) == sorted(", ".join(usages_of_undo).split(", "))
                assert max(map(len, undone.split("\n"))) <= 80
                text += "\n" + undo
            lines, rows = text.split("\n"), []
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


def manual_of(option, name):
    """Return what the manual page has below an option's line, before troff's escapes."""
    shown, texts = "", 0
    for kind, of, page, text, output in manual():
        if of != option or page not in ("BOTH", name.upper()):
            continue
        if kind == "TEXT":
            shown += ".IP\n" * (texts > 0) + text + "\n"
            texts += 1
        elif kind == "RUN":
            lines = [r"\&" * line.startswith(".") + line for line in output.rstrip("\n").split("\n")]
            shown += ".IP\n.nf\n$ %s\n%s\n.fi\n" % (text.replace("{}", name), "\n".join(lines))
    return shown


def test_paragraphs():
    long = {(option, page): len(text.split()) for kind, option, page, text, _ in manual() if kind == "TEXT"}
    assert max(long.values()) <= 80


def test_examples(folder):
    """Run the examples of both manual pages, and the commands that show that what they say is true."""
    wrong = []
    os.makedirs("bin")
    for name in ("trawl", "tg"):
        os.symlink(TRAWL, "bin/" + name)
    path = os.path.abspath("bin") + ":" + os.environ["PATH"]
    for kind, _, page, command, output in manual():
        for name in ("trawl", "tg") if kind in ("RUN", "CLAIM") else ():
            if page not in ("BOTH", name.upper()):
                continue
            shutil.rmtree("files", ignore_errors=True)
            for row in (row for row in manual() if row[0] == "INPUT"):
                os.makedirs(os.path.dirname("files/" + row[3]), exist_ok=True)
                if not row[3].endswith("/"):
                    write("files/" + row[3], row[4].encode())
            got = subprocess.run(
                ["sh", "-c", command.replace("{}", name)], cwd="files", stdin=subprocess.DEVNULL, capture_output=True,
                env={**BARE, "PATH": path}, check=False,
            )  # fmt: skip
            if got.stdout != output.encode() or got.stderr:
                wrong.append((command.replace("{}", name), got.stdout, got.stderr))
    assert wrong == []


def test_manual():
    """Check that the manual has each option of flags.def in the sections of --help-long, with its texts and examples of
    manual.def, and that troff shows each character unchanged."""
    for name, kind in (("trawl", "man"), ("tg", "man-tg")):
        text = run("trawl", ["--generate=" + kind])[1].decode()
        titles = re.findall(r"^\.SS (.*)$", text, re.MULTILINE)
        listed = re.findall("\n\n(.*):\n  ", run(name, ["--help-long"])[1].decode())
        assert len(titles) == len(CATEGORIES) and titles[: len(listed) - 1] == listed[:-1]
        shown, wanted = usages(name), ""
        for category, title in zip(CATEGORIES, titles):
            wanted += ".SS %s\n" % title
            for _, usage, summary, option in (row for row in shown if row[0] == category):
                wanted += ".TP\n.B %s\n%s.\n" % (usage.strip(), summary)
                wanted += manual_of(option, name)
        got = text.split(".SH OPTIONS\n")[1].split(".SH EXIT STATUS")[0]
        for line in got.split("\n"):
            plain = re.fullmatch(r"(\.TP|\.IP|\.nf|\.fi|\.B .*|[^.].*)?", line) and re.fullmatch(
                r"(\\&)?([^-'\\]|\\-|\\e|\\\(aq)*", line
            )
            assert plain or line.startswith(".SS "), "troff would show something else"
        whole = re.sub(r"\\(-|e|\(aq)", lambda escape: {"-": "-", "e": "\\", "(aq": "'"}[escape[1]], text)
        plain = whole.split(".SH OPTIONS\n")[1].split(".SH EXIT STATUS")[0]
        strange = {*re.findall(r"(?<![\w-])--([a-z][\w-]+)", whole)} - {row[1] for row in long_names()}
        assert not strange, "names options that do not exist"
        assert plain == wanted


# A row: a variable, a value, the other variables, what an empty value means, the arguments. An empty value means: "unset":
# what an unset variable means; "value": what the value means; "none": the same as no variable at all. If the value is
# "served", tests/serve/test_simulated.py tests the variable, if "git", tests/grep/test_git_ignored.py, and if "tg", a story.
VARIABLES = [("HOME", "home", {}, "unset", "foo a"), ("XDG_CONFIG_HOME", "xdg", {"HOME": "home"}, "unset", "foo a"),
             ("TRAWL_CONFIG_PATH", "config", {"HOME": "home"}, "none", "foo a"),
             ("RIPGREP_CONFIG_PATH", "tg", {}, "unset", ""),
             ("POSIXLY_CORRECT", "1", {}, "value", "-s foo a -c"),
             ("GREP_COLORS", "mt=1;32", {}, "unset", "--color=always foo a"),
             ("GREP_COLOR", "1;34", {}, "unset", "--color=always foo a"),
             ("TERM", "xterm", {}, "value", "--color=auto foo a"),
             ("NO_COLOR", "1", {"TERM": "xterm"}, "value", "--color=auto foo a"),
             ("GIT_CONFIG_GLOBAL", "git", {}, "value", ""), ("GIT_CONFIG_SYSTEM", "git", {}, "value", ""),
             ("GIT_CONFIG_NOSYSTEM", "git", {}, "unset", ""),
             ("XDG_RUNTIME_DIR", "xdg", {}, "unset", "--server=unix: foo a"),
             ("TRAWL_TOKEN_FILE", "served", {}, "unset", ""), ("TRAWL_SERVER", "served", {}, "unset", ""),
             ("SSL_CERT_FILE", "served", {}, "unset", ""),
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
    assert unset != full or value in ("served", "git", "tg"), "shows no difference"
    assert empty == (on_terminal(arguments.split(), {}) if means == "none" else unset if means == "unset" else full)


def test_sort():
    """Check the order of the entries of directories by each kind of time, with times before 1970, after 2106, and less than
    a second apart. (The comparison with ripgrep sorts only by the path and by one kind of time.)"""
    times = [-5 * 10**9, 0, 15 * 10**17, 15 * 10**17 + 10**6, 2**32 * 10**9]
    for number, name in enumerate("caebd"):
        os.makedirs("sorted/b" if name == "b" else "sorted", exist_ok=True)
        write("sorted/b/x" if name == "b" else "sorted/" + name, "")
        os.utime("sorted/" + name, ns=(times[number * 2 % 5], times[(number * 3 + 1) % 5]))
        time.sleep(0.02)
    orders = {"path": str, "created": "caebd".index, "accessed": lambda name: os.stat("sorted/" + name).st_atime_ns,
              "modified": lambda name: os.stat("sorted/" + name).st_mtime_ns}  # fmt: skip
    if execute(["stat", "-c%W", "sorted"])[1].strip() in (b"0", b"-", b""):
        del orders["created"]  # the file system does not record it
    for by, option in itertools.product(orders, ("--sort=", "--sortr=")):
        names = sorted("caebd", key=orders[by], reverse=option == "--sortr=")
        got = run("trawl", ["--files", option + by, "sorted"])[1].decode().split()
        assert got == ["sorted/b/x" if name == "b" else "sorted/" + name for name in names]


# An empty file in each format.
PACKED = {"gzip": "1f8b080000000000000303000000000000000000", "xz": "fd377a585a000004e6d6b446000000001cdf44211fb6f37d010000000004595a",
          "bzip2": "425a683917724538509000000000", "zstd": "28b52ffd240001000099e9d851", "lz4": "04224d186440a700000000055dcc02"}  # fmt: skip


LOOKS = "look-around and backreferences"


def test_version():
    """Check that a search does what --version says of this machine and this installation, even if a library is missing that
    the command loads when needed. To hide a library, a copy of the command finds another library of the same name
    first."""
    loaded = [line.split()[-1] for line in open("/proc/self/maps") if re.search(r"/libm\.so\.6|/libm-2", line)]
    os.makedirs("alone/libraries")
    shutil.copy(TRAWL, "alone/trawl")
    for path in (
        "libraries/libpcre2-8.so.0",
        "libraries/libz.so.1",
        "libraries/libbz2.so.1.0",
        "libraries/libbz2.so.1",
    ):
        shutil.copy(loaded[0] if loaded else "a", "alone/" + path)
    for format, data in PACKED.items():
        write("packed." + format, bytes.fromhex(data))
    version = re.search(r'TRAWL_VERSION "(.*)"', open(HEADER).read())[1]
    hidden = {"LD_LIBRARY_PATH": os.path.abspath("alone/libraries")}
    for name, more in [("trawl", {}), *[("alone/trawl", {}), ("alone/trawl", hidden)] * bool(loaded)]:
        status, text, said = run(name, ["--version"], more=more)
        facts = dict(re.findall(r"^([a-zA-Z -]+): (.*)$", text.decode(), re.MULTILINE))
        assert (status, said) == (0, b"") and text.decode().startswith("trawl %s\nengines: cpu" % version)
        no_device = "not cuda: " in facts["engines"] and facts["engines"].split("not cuda: ")[-1]
        for command, is_said, why in (
            (["-P", "-o", "(?=o)o", "a"], LOOKS in facts, facts.get("no " + LOOKS)),
            (["--engine=cuda", "foo", "a"], False, no_device or facts.get("no engines")),
        ):
            status, _, said = run(name, command, more=more)
            assert status == 2 and why in said.decode() and not is_said if why else status == 0
        for format in PACKED:
            status, _, said = run(name, ["--search-zip", "foo", "packed." + format], more=more)
            there = format in facts.get("unpacks", "").split(", ")
            assert there != (format in facts.get("does not unpack", "").split(", "))
            assert (status, said != b"") == ((1, False) if there else (2, True))
        for word in facts["instruction sets"].split(", "):
            assert run(name, ["--instruction-set=" + word, "foo", "a"], more=more)[0] == 0
        if name != "trawl":
            assert not more or (LOOKS not in facts and "gzip" not in facts.get("unpacks", "")), "still has a library"
        assert "no server" in facts or os.access(facts["server"], os.X_OK)


# A row: name of the command, arguments on a terminal, arguments elsewhere that print the same.
ON_TERMINAL = [("trawl", "foo a b", "foo a b"), ("trawl", "--color=auto -n foo a b", "--color=always -n foo a b"),
               ("trawl", "--color -n foo a b", "--color=always -n foo a b"), ("trawl", "-p foo a b", "-p foo a b"),
               ("tg", "foo a b", "--color=always --heading -n foo a b"), ("tg", "-N foo a b", "--color=always --heading foo a b"),
               ("tg", "--no-heading foo a b", "--color=always -n foo a b"), ("tg", "--color=never foo a b", "--heading -n foo a b"),
               ("tg", "--color=auto foo a b", "-p foo a b"), ("tg", "--color=auto -p foo a b", "-p foo a b"),
               ("tg", "-N -n foo a b", "-p foo a b"), ("tg", "-c foo a b", "-c --color=always foo a b"),
               ("tg", "-l foo a b", "-l --color=always foo a b"), ("tg", "--vimgrep foo a b", "--color=always --vimgrep foo a b"),
               ("tg", "-h", "-h"), ("tg", "--column -N foo a b", "--color=always --heading --column -N foo a b"),
               ("tg", "--no-heading --heading foo a b", "-p foo a b"), ("tg", "--files d", "--files --color=always d")]  # fmt: skip


@pytest.mark.parametrize("arguments, sign", [("a|b", "|"), ("^a", "^"), ("-i a.*b", ".*"), ("-c a\\d", "\\d"),
                         *((given, None) for given in ("-F a|b", "-E a|b", "-P a\\d", "a.b", "^", "-q a|b", "-s a|b", "-v a|b", "--hex (61|62)FE"))])  # fmt: skip
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
        for variables in ({"TERM": "xterm"}, {"TERM": "dumb"}, {"TERM": "xterm", "NO_COLOR": ""}):
            plain = ["--color=never"] if len(variables) > 1 or variables["TERM"] == "dumb" else []
            told = {"-p", "--color=always"} & {*arguments.split()}
            wanted = run(name, [*same.split(), *(plain if not told else [])])
            got = on_terminal(arguments.split(), {**variables, "LC_ALL": "C.UTF-8", "TRAWL_CONFIG_PATH": ""}, name)
            got, wanted = ((one[0], re.sub(rb"\r*\n", b"\n", one[1]), one[2]) for one in (got, wanted))
            assert got == wanted


@pytest.mark.parametrize("name", ["trawl", "tg"])
def test_files(name):
    """Check that --files lists the files that a search with the same options searches, in trees with pipes and links. A
    search reads pipes because of -D read or --follow."""
    os.mkfifo("d/pipe")
    os.symlink("nowhere", "d/e/dangling")
    rows = "--text --devices=skip --exclude=c --include=c --exclude-dir=e --max-depth=1 --glob=!c --type=c --hidden --no-hidden"
    rows += " --ignore --unrestricted --max-filesize=5 --directories=recurse" + " --follow" * (name == "tg")
    for more, operands in itertools.product(rows.split(), (["d"], ["b", "d"], ["d/e/c"])):
        command = ["--no-messages", "--with-filename", more, *operands]
        listed = run(name, ["--files", *command])[1].decode().splitlines()
        searched = run(name, ["--text", "--count", "--include-zero", "--recursive", "-e", "", *command])[1].decode()
        assert sorted(listed) == sorted(line.rsplit(":", 1)[0] for line in searched.splitlines())
        assert listed or more in ("--type=c", "--exclude=c")
    for option in ("--devices=read", "--follow", "--no-follow"):
        listed = run(name, ["--files", option, "d"])[1].decode().splitlines()
        there = option == "--devices=read" or option == "--follow" and name == "trawl"
        assert "d/e/c" in listed and ("d/pipe" in listed) == there and "d/e/dangling" not in listed


def test_lines_come():
    """Check, with the options that write each line immediately, that a line is written before more of standard input
    comes."""
    rows = [(True, []), (True, ["--no-line-buffered"]), (True, ["--line-buffered"]), (False, ["--line-buffered"])]
    for on_tty, options in [*rows, (False, ["--block-buffered", "--line-buffered"])]:
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
