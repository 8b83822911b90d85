"""Runs random command lines with ripgrep and with tg, and compares what both print and return.

Every option of tools/trawl/options/flags.def that ripgrep has is drawn together with every other, in both orders, and
with more options: each case uses the next pair. The script compares the status, and standard output byte for byte; with
--json, every message except the times; with --pre, whose commands also fail, print much or nothing, the files that messages
are about. Texts and names are not always UTF-8. Only the cases of ROWS are skipped, each of
which is in docs/differences.md; `rows` shows that each row still differs.
"""

import glob
import itertools
import json
import os
import re
import shutil

import cases
import pytest
from harness import write

CASES = 2400
ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
TABLE = os.path.join(ROOT, "tools/trawl/options/flags.def")

# Letters and values with which a row of flags.def is drawn. Options without a value need no entry.
LETTERS = {"null": "0", "encoding": "E", "no-filename": "I", "follow": "L", "type-not": "T", "multiline": "U",
           "max-depth": "d", "replace": "r", "case-sensitive": "s", "unrestricted": "u", "search-zip": "z"}  # fmt: skip
REPLACEMENTS = ["", "X", "$0", "<$0>", "$0$0", "${0}x", "$0x", "$$", "$", "$1", "${foo}y", "  $0", "long replacement",
                "$$0", "${", "$-", "${0-}", "${}", "$00", "${é}", "${$0}", "${0 }", "${00}$", "\n", "$0\n"]  # fmt: skip
SEPARATORS = ["", "~>", "\\t", "\\x3a", "\\\\", "ab", "\\q", "é", "--", "-", ":"]
COLORS = ["fg:blue", "fg:red", "fg:200", "fg:0xff", "bg:green", "bg:7", "bg:0x10,20,30", "style:bold", "style:nobold",
          "style:underline", "style:italic", "style:noitalic", "style:intense", "style:nointense", "none"]  # fmt: skip
SMALL = ["0", "1", "2", "5"]
VALUES = {"regexp": ["foo", "a"], "max-count": SMALL, "before-context": SMALL, "after-context": SMALL, "context": SMALL,
          "color": ["always", "never", "ansi", "auto"], "regex-size-limit": ["10M", "1G"], "dfa-size-limit": ["10M"],
          "replace": REPLACEMENTS, "max-columns": ["0", "1", "5", "9", "12", "20", "40"],
          "colors": ["%s:%s" % pair for pair in itertools.product(("path", "line", "column", "match", "highlight"), COLORS)],
          "hyperlink-format": ["none", "", "x://{path}", "x://{path}:{line}:{column}"], "hostname-bin": ["true"],
          "context-separator": SEPARATORS, "field-match-separator": SEPARATORS, "field-context-separator": SEPARATORS,
          "path-separator": ["+", "\\x41"], "glob": ["f*", "!f0", "*.c", "!sub/", "/f1"], "iglob": ["F*", "!F0", "*.C"],
          "type": ["c", "py", "all"], "type-not": ["c", "all"], "type-add": ["c:f*", "own:*.x"], "type-clear": ["c"],
          "ignore-file": ["more"], "max-depth": ["0", "1", "2"], "maxdepth": ["0", "1"],
          "max-filesize": ["5", "1K", "1G"], "sort": ["path", "none", "modified"], "sortr": ["path", "accessed"],
          "encoding": ["none", "auto"], "threads": ["1"], "engine": ["default"],
          "pre": [*["./command"] * 9, "", "nothing-has-this-name"],
          "pre-glob": ["*.c", "!*.bad", "*.{c,upper}", "!f*", "sub/*", "/f*", "!sub/", "**/f*", "F*"]}  # fmt: skip
# What the command of --pre does with a file, by the end of its name.
COMMAND = r"""#!/bin/sh
case $1 in
*.upper) tr a-z A-Z;;
*.name) echo "$1 foo $#";;
*.bad) cat; exit 3;;
*.said) cat; echo oops >&2; echo "foo!" >&2; exit 1;;
*.warned) cat; echo careful >&2;;
*.none) ;;
*.killed) cat; kill -9 $$;;
*.much) i=0; while [ $i -lt 300 ]; do cat "$1"; i=$((i + 1)); done; exit 7;;
*.wide) printf '\377\376f\0o\0o\0\n\0';;
*.left) echo foo; exec <&-; exit 0;;
*) cat;;
esac
"""
FAILS, ENDS = (
    (".bad", ".said", ".killed", ".much"),
    ".c .upper .name .bad .said .warned .none .killed .much .wide .left".split(),
)
# Options that ripgrep lacks or that search nothing, and options that docs/differences.md names as different.
OWN = """extended-regexp basic-regexp perl-regexp hex no-ignore-case help-long help version label silent binary-files directories devices recursive dereference-recursive include exclude
    exclude-from exclude-dir initial-tab unix-byte-offsets group-separator no-group-separator colour overlapping positions pattern-number count-by-pattern mismatches edits
    alphabet reverse-complement any-base exact every-end distance fasta fastq records paired amplicon bed progress no-progress server algorithm list-algorithms explain method instruction-set chunk-bytes generate file
    type-list pcre2-version stats only-first around and andnot in-file write backup diff xor wide max-total max-output rules show-function function-context archive-depth""".split()

WORDS = [*cases.WORDS, "$", "$0"]
UTF8_WORDS = ["é", "straße", "Σίσυφος", "я", "привет", "漢字", "😀"]
EXPRESSIONS = ["", "a*", "^$", "^", "$", "o+", "foo|fo", "(f)(o)", "[^a]", "b?", "(?:)|b", "x|", "^a", "a$", "a{2}",
               "^.*$", "(?P<foo>o)o", "fo+b", "o*$", " *", "."]  # fmt: skip
# With --multiline: expressions that cross lines, or match where lines begin and end.
CROSSING = [r"\n", r"o\n", r"\s+", r"\s*", r"foo\s+\w", r"a\n*b", r"(?s)f.*?a", r"(?s)b.+", r"[^a]+", r"[^fo]*\n",
            r"(\w+)\n(\w+)", r"o$\n^f", r"\n\n", r"^\n", r"\n$", r"(?:a|\n)+", r"b\z", r"\Aa?", r"x\s?", r"\W\n",
            r"foo|\n", r"\s\bfoo\b", r"(?-m)^f", r".\n.", r"[a-z\s]+b", r"\r?\n", r"é\n?", r"(o\n)*x?"]  # fmt: skip


def rows_of_table():
    """Return {long name: [the ways to write the option]} for the rows of flags.def whose option ripgrep has, too."""
    ways = {}
    for letter, name, argument in re.findall(
        r'^(?:FLAG|ALIAS)\(\w+, (?:0|\'(.)\'), "([^"]+)", (\w+)', open(TABLE, encoding="utf-8").read(), re.MULTILINE
    ):
        if name in OWN:
            continue
        letter = LETTERS.get(name) or (letter if letter not in "hLITzsurREdDZUyG" else "")
        if name in VALUES:
            forms = ["--%s=" % name, *["-%s=" % letter, "-" + letter] * bool(letter)]
            ways[name] = [[form + value] for value in VALUES[name] for form in (forms if value else forms[:2])]
        else:
            ways[name] = [["--" + name]] + [["-" + letter]] * bool(letter)
    return ways


WAYS = rows_of_table()


class Case:
    """A command line and its files. options: lists of words. texts: {name: [lines, with their ends]}."""

    def __init__(self, options, patterns, texts, operands, utf8):
        self.options, self.patterns, self.texts, self.operands, self.utf8 = options, patterns, texts, operands, utf8

    def words(self):
        return [word for option in self.options for word in option]

    def given(self, *names):
        """Return whether one of the options is given, by a long name or a letter."""
        forms = {"--" + name for name in names if len(name) > 1} | {"-" + name for name in names if len(name) == 1}
        return any(word.split("=")[0] in forms or word[:2] in forms for word in self.words())


# Where tg differs from ripgrep on purpose: (the row's name in docs/differences.md, a function that says whether a case
# belongs to the row, command lines that show the difference in the files that rows() makes).
ROWS = [("A NUL in a text",
         lambda case: case.given("pre") and case.given("encoding", "E") and any(name.endswith(".wide") for name in case.texts) or
     (not case.given("a", "text", "null-data") or case.given("no-text", "binary", "no-binary", "crlf")) and any(b"\0" in line for text in case.texts.values() for line in text) and
     ({".", "sub", "-"} & {*case.operands} or not case.operands or case.given("A", "B", "C", "after-context", "before-context", "context", "passthru", "passthrough",
      "v", "invert-match", "x", "line-regexp", "json", "c", "count", "stop-on-nonmatch", "no-mmap") or "-F" not in case.words() and re.search(r"[$^]|\\[Az]", " ".join(case.patterns))),
         ["-C1 b f0"]),
        ("`-v -m` with `--passthru`, `--null-data`, `--stop-on-nonmatch`, `--json`, `--multiline`, or `-P` and `-A`",
         lambda case: case.given("v", "invert-match") and case.given("m", "max-count") and
     (case.given("passthru", "passthrough", "null-data", "stop-on-nonmatch", "json", "U", "multiline") or
      case.given("P", "pcre2") and case.given("A", "C", "after-context", "context")),
         ["-vm1 --passthru -n foo f0", "-vm1 --json x f2"]),
        ("`-c -m` or `--count-matches -m` with `-A` or `-C`",
         lambda case: case.given("c", "count", "count-matches") and case.given("m", "max-count") and case.given("A", "C", "after-context", "context"),
         ["-c -m1 -A1 foo f2"]),
        ("`-e foo -e o+`",
         lambda case: "o+" in case.patterns and ({"-efoo", "--regexp=foo"} & {*case.words()} or any("foo" in pattern for pattern in case.patterns)),
         ["-o -efoo o+ f2"]),
        ("`-o -e '.{1,2}a' -e '.{1,2}b'`, or both as alternatives", lambda case: False, ["-o -e.{1,2}f .{1,2}o f2"]),
        ("`-o` or `--json` with `\\A`",
         lambda case: not case.given("U", "multiline") and any("\\A" in pattern for pattern in case.patterns),
         ["-o \\A\\w f2"]),
        ("`--stop-on-nonmatch -v`", lambda case: case.given("v", "invert-match") and case.given("stop-on-nonmatch"),
         ["-a --stop-on-nonmatch -v x f0"]),
        ("`-q --json`", lambda case: case.given("q", "quiet") and case.given("json"), ["-q --json foo f0"]),
        ("`--multiline` with `\\A` or `^`",
         lambda case: case.given("U", "multiline") and
     (any(re.search(r"\\A|\(\?-m", pattern) for pattern in case.patterns) or case.given("m", "max-count") and any({*pattern} & {*"^"} for pattern in case.patterns)),
         ["-U \\Ax? f2", "-U -n ^(e|foo\\s+f) f2"]),
        ("`--multiline` with `-m` or `-v`, lines of context",
         lambda case: case.given("U", "multiline") and case.given("m", "max-count", "v", "invert-match") and
     case.given("A", "B", "C", "after-context", "before-context", "context", "passthru", "passthrough"),
         ["-U -v --passthru -rZ o\\nf f2"]),
        ("`--multiline` with an alternative that may begin with a line end, such as `\\s`",
         lambda case: case.given("U", "multiline") and
     (len(case.patterns) > 1 or any("|" in pattern for pattern in case.patterns)) and
     any(re.search(r"(^|[|(:])\\[sn]", pattern) for pattern in case.patterns), ["-U -o fo|\\sfoo f7"]),
        ("`--multiline --crlf` with `^`, `$` or `-x`",
         lambda case: case.given("U", "multiline") and case.given("crlf") and "-F" not in case.words() and
     (case.given("x", "line-regexp") or any({*pattern} & {*"^$"} for pattern in case.patterns)), ["-U --crlf ^foo f0"]),
        ("`--multiline -x -F`, the empty string and others",
         lambda case: case.given("U", "multiline") and case.given("x", "line-regexp") and "-F" in case.words() and
     "" in case.patterns and any(case.patterns), ["-a -U -F -x -o -e  x f0"]),
        ("`--multiline -o --heading`, an occurrence of line ends alone",
         lambda case: case.given("U", "multiline") and
     case.given("o", "only-matching") and case.given("heading", "p", "pretty") and any({*pattern} & {*"\\^$"} for pattern in case.patterns),
         ["-U --heading -H -o \\n f1"]),
        ("`-P`, `--pcre2`, `--engine=pcre2`",
         lambda case: case.given("P", "pcre2") and ("-F" not in case.words() or "" in case.patterns or
     case.given("w", "word-regexp", "U", "multiline")), ["-P -o \\A\\w\\w f2"]),
        ("`--crlf` with an expression or `-x`",
         lambda case: case.given("crlf") and ("-F" not in case.words() or case.given("x", "line-regexp")) and
     any(re.search(b"\r(?!\n)", line) for text in case.texts.values() for line in text), ["-a --crlf -o f.oo f0"]),
        ("`--crlf` with an empty match, as of `-w` or `\\B`",
         lambda case: case.given("crlf") and (case.given("w", "word-regexp") and
     ("-F" not in case.words() or "" in case.patterns) or any(r"\B" in one for one in case.patterns)), ["--crlf -w x? f3"]),
        ("`--hyperlink-format` with `--path-separator`",
         lambda case: case.given("hyperlink-format") and case.given("path-separator"),
         ["--color=always -H --hyperlink-format=x://{path} --path-separator=A foo sub/f5"]),
        ("`--max-columns` with `--json`", lambda case: case.given("M", "max-columns") and case.given("json"), ["--json -M1 x f4"]),
        ("`--max-columns-preview` in a line with a carriage return, or not in UTF-8",
         lambda case: case.given("max-columns-preview") and case.given("M", "max-columns") and
     any(b"\xe9" in line or b"\r" in line and case.given("crlf", "vimgrep") for text in case.texts.values() for line in text),
         ["-M1 --max-columns-preview x f4"]),
        ("`--max-columns-preview` with `--trim`, or in a line with a carriage return or an empty match",
         lambda case: case.given("max-columns-preview") and
     case.given("M", "max-columns") and (case.given("trim") or any(b"\r" in line for text in case.texts.values() for line in text)),
         ["-M3 --trim --max-columns-preview --column -n a| f6"]),
        ("`--null-data` with `^`, `$` or `-x`",
         lambda case: case.given("null-data") and
     (case.given("x", "line-regexp") or "-F" not in case.words() and any(re.search(r"[$^]|\\[Az]", pattern) for pattern in case.patterns)),
         ["--null-data -x foo f0"]),
        ("`--sort`, `--sortr`",
         lambda case: case.operands not in (["f0"], ["-"]) and any(word[:7] == "--sortr" or word[:7] == "--sort=" and word != "--sort=path" for word in case.words()),
         ["--sortr=path foo f0 f1"]),
        ("`-t all`, `-T all`",
         lambda case: case.given("type", "t", "T", "type-not") and case.given("type-add", "type-clear"),
         ["-tall --type-clear=c foo ."]),
        ("`-uuuu`", lambda case: sum(word in ("-u", "--unrestricted") for word in case.words()) > 3, ["-uuuu foo f0"]),
        ("`--pre`, a failing command",
         lambda case: case.given("pre") and any(name.endswith(FAILS) for name in case.texts) and
     case.given("U", "multiline", "null-data", "files-without-match", "v", "invert-match"), ["--pre=./command --null-data foo f8.bad"]),
        ("`--stats`, `--debug`, `--trace`", lambda case: False, ["--stats foo f0"]),
        ("`--files`, `--type-list` before `-c`, `-l` or `--json`",
         lambda case: case.given("files") and
     case.given("c", "l", "count", "count-matches", "files-with-matches", "files-without-match", "json", "no-json"),
         ["--files -c foo f0"]),
        ("`--pcre2-version`", lambda case: False, ["--pcre2-version foo f0"]),
        ("`--hostname-bin`", lambda case: False,
         ["--color=always -H --hyperlink-format=x://{host}/{path} --hostname-bin=true foo f0"]),
        ("`--regex-size-limit`, `--dfa-size-limit`", lambda case: False, ["--regex-size-limit=1 f\\w+ f0"])]  # fmt: skip


def random_line(rng, utf8):
    words = WORDS + (UTF8_WORDS if utf8 else [])
    line = "".join(rng.choice(words) + rng.choice(["", "", " "]) for _ in range(rng.choice([0, 1, 2, 3, 6, 15])))
    if rng.random() < 0.3:
        line = rng.choice([" ", "\t", "  \t", "\v", " \r"]) + line
    return line


def random_text(rng, utf8, end, crlf):
    lines = [random_line(rng, utf8) for _ in range(rng.choice([0, 1, 2, 5, 12, 40]))]
    if lines and rng.random() < 0.1:  # as long as the blocks in which lines are composed or read
        line = rng.choice(lines) + "a"
        lines[-1] = (line * 9000)[: rng.choice([63, 130, 300, 4096, 6144, 9000]) + rng.randrange(-3, 4)]
    if rng.random() < (0.7 if crlf else 0.1):
        lines = [line + "\r" for line in lines]
    lines = [(line + end).encode() for line in lines]
    if lines and rng.random() < 0.3:
        lines[-1] = lines[-1][:-1]
    if rng.random() < 0.06:
        lines = [line.replace(b"b", b"\0", rng.choice([0, 1])) for line in lines]
    if rng.random() < 0.1:
        lines = [line.replace(b"\xc3", b"\xe9").replace(b"o", b"\xff", rng.choice([0, 1])) for line in lines]
    return lines


def draw(rng):
    """Return a case of some options, of which some come more than once."""
    chosen = [rng.choice(sorted(WAYS)) for _ in range(rng.choice([1, 2, 2, 3, 4, 6, 8]))]
    options = [rng.choice(WAYS[name]) for name in chosen]
    utf8 = rng.random() < 0.4
    end = "\0" if "null-data" in chosen and rng.random() < 0.7 else "\n"
    words = WORDS + (UTF8_WORDS if utf8 else [])
    if rng.random() < 0.5:
        options.append(["-F"])
        patterns = [
            "".join(rng.choice(words) for _ in range(rng.choice([0, 1, 1, 2])))
            for _ in range(rng.choice([1, 1, 1, 2, 3]))
        ]
    else:
        patterns = rng.choices(EXPRESSIONS, k=rng.choice([1, 1, 2]))
        if "multiline" in chosen or rng.random() < 0.2:
            options.append(["-U"])
            patterns = rng.choices(CROSSING + EXPRESSIONS, k=rng.choice([1, 1, 1, 2]))
    names = ["f0", "f1.c", "sub/f2", ".h", "g" + rng.choice(["", "\udcff", "é"])]
    if rng.random() < 0.1:
        options.append(rng.choice(WAYS["pre"]))
        whole = not {"max-count", "stop-on-nonmatch"} & {*chosen}  # else a command may be stopped before it fails
        names[:3] = (name + rng.choice(ENDS) for name in ("f0", "f1", "sub/f2"))
        names = [name if whole or not name.endswith(FAILS) else name + ".c" for name in names]
    texts = {name: random_text(rng, utf8, end, "crlf" in chosen) for name in names}
    for name in names:
        if name.endswith(FAILS):  # of a failing command, ripgrep loses what is found last
            texts[name] = [*(line.rstrip(end.encode()) + end.encode() for line in texts[name]), b" \n", b"\n"]
    first, second, third = names[:3]
    operands = rng.choice([[first], [first], [first, third], names, ["."], [], ["sub", second], ["-"]])
    return Case(
        [["--sort=path"]] * (operands in ([], ["."]) or "sub" in operands) + options, patterns, texts, operands, utf8
    )


def features(rng, *_):
    """Return the set of a case's options."""
    return {word.split("=")[0] if word[1] == "-" else word[:2] for word in draw(rng).words()}


def messages(output, is_partial):
    """Return the messages of --json without times. is_partial: and without sums, in which ripgrep counts only files without
    an error."""
    found = []
    for line in output.split(b"\n"):
        try:
            message = json.loads(line)
            for place in (message["data"], message["data"].get("stats", {})):
                for name in ("elapsed", "elapsed_total", *["bytes_searched", "bytes_printed"] * is_partial):
                    place.pop(name, None)
            if message["type"] != "summary" or not is_partial:
                found.append(json.dumps(message))  # in the order of its keys
        except (ValueError, KeyError, TypeError, AttributeError):
            found.append(line)
    return found


def run_both(case, trawl, folder):
    """Return for tg, then for ripgrep: (status, output, errors)."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, lines in case.texts.items():
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        write(os.path.join(folder, name), b"".join(lines))
    for name, text in ((".gitignore", "g*\n"), (".ignore", "sub\ncommand\n"), ("more", "f1*\n"), ("command", COMMAND)):
        write(os.path.join(folder, name), text)
    os.chmod(os.path.join(folder, "command"), 0o755)
    os.makedirs(os.path.join(folder, ".git"), exist_ok=True)
    patterns = [word for pattern in case.patterns for word in ("-e", pattern)]
    data = b"".join(next(iter(case.texts.values()))) if case.operands == ["-"] else None
    locale = "C.UTF-8" if case.utf8 else "C"
    found = []
    for program in ([cases.link(trawl, folder + ".tg")], [cases.ripgrep(), "--no-config", "-j1"]):
        command = [*program, *case.words(), *patterns, "--", *case.operands]
        terminal = cases.environment(locale, TERM="xterm")
        status, output, errors = cases.execute(command, folder, locale, data, env=terminal)
        if b'"data":' in output:
            output = messages(output, case.given("pre"))
        # with --pre, also which files the messages are about
        compares = case.given("pre") and not case.given("debug", "trace")
        said = errors.decode("utf-8", "replace").encode()  # ripgrep prints U+FFFD in names; only tg hints at rules
        faults = {*re.findall(rb"^(?:tg|rg): ([^:]+): (?!rules left)", said, re.MULTILINE)} if compares else set()
        found.append((status, output, faults, errors))
    return found


def wrong_with(case, trawl, folder):
    """Return None, or what is wrong."""
    got, wanted = run_both(case, trawl, folder)
    both_refuse = wanted[0] == 2 and wanted[1] == b"" and got[0] == 2 and not case.given("pre")
    if both_refuse or got[:3] == wanted[:3]:
        return None
    words = case.words() + ["-e " + pattern for pattern in case.patterns] + case.operands
    said = "tg %s\n  texts %r\n  tg      %r\n  ripgrep %r"
    return said % (" ".join(map(repr, words)), case.texts, got, wanted)


def row_of(case):
    """Return the row of docs/differences.md that the case belongs to, or None."""
    return next((name for name, holds, _ in ROWS if holds(case)), None)


@pytest.fixture(autouse=True, scope="module")
def ripgrep():
    return cases.ripgrep()  # without it, all tests of this file are skipped


def test_case(rng, trawl, folder):
    case = draw(rng)
    row = row_of(case)
    if row:
        cases.counts["in a row of docs/differences.md: %s" % row] += 1
        return
    place = os.path.join(folder, "tree")
    wrong = wrong_with(case, trawl, place)
    assert not wrong, wrong


def test_rows(trawl, folder):
    """Show that each row of docs/differences.md still differs, and that a test names each option that is not drawn."""
    documents = open(os.path.join(ROOT, "docs/differences.md"), encoding="utf-8").read()
    table = documents.split("|command line|`tg`|ripgrep 15.2|\n|---|---|---|\n")[1].split("\n\n")[0]
    listed = re.findall(r"^\|([^|]+)\|", table, re.MULTILINE)
    names = [name for name, _, _ in ROWS]
    if set(listed) - set(names) or any("|%s|" % name not in documents for name in names):
        pytest.fail("rows of docs/differences.md and of this script differ: %r" % (set(listed) ^ set(names)))
    texts = {
        "f0": [b"foo\n", b"x\n", b"f\roo\n", b"\n", b"b\0\n"],
        "f1": [b"foo\n"],
        "f2": [b"efoo\n", b"foo\n"],
        "f3": [b"efoo\r\n"],
        "f4": [b"\xe9\xa9x\n"],
        "sub/f5": [b"foo\n"],
        "f6": [b" xaa axxax.    aa xx.\n"],
        "f7": [b"x\n", b"foo\n"],
        "f8.bad": [b"foo\n"],
    }
    for name, _, lines in ROWS:
        for line in lines:
            *options, pattern, operand = line.split(" ") if name[2:7] != "-sort" else line.split(" ")[:3]
            case = Case([options], [pattern], texts, ["f0", "f1"] if name[2:7] == "-sort" else [operand], False)
            if wrong_with(case, trawl, os.path.join(folder, "rows")) is None:
                pytest.fail("%s: tg %s no longer differs from ripgrep" % (name, line))
    others = "".join(
        open(path, encoding="utf-8", errors="replace").read()
        for path in glob.glob(ROOT + "/tests/[!g]*/**/*", recursive=True) + glob.glob(ROOT + "/tests/grep/*.py")
        if os.path.isfile(path) and path != os.path.abspath(__file__)
    )
    rows = re.findall(r"^FLAG\(\w+, '(.)', \"([^\"]+)\"", open(TABLE, encoding="utf-8").read(), re.MULTILINE)
    letters = {name: letter for letter, name in rows}
    unnamed = [
        name
        for name in OWN
        if not re.search(r"--%s\b" % name + r"|[\"' ]-%s[\"' ]" % letters.get(name, "-" + name), others)
    ]
    assert not (unnamed), "no test names --%s" % ", --".join(unnamed)


# The options with which editors' plug-ins run ripgrep.
PLUGINS = [
    ["--color=never", "--no-heading", "--with-filename", "--line-number", "--column", "--smart-case"],
    ["--vimgrep", "--smart-case"],
    ["--vimgrep", "--no-heading", "--hidden", "--trim"],
    ["--column", "--line-number", "--no-heading", "--color=never", "--smart-case", "--"],
    ["--json", "--hidden", "--no-require-git", "--ignore-case", "--no-config", "--max-columns=200", "-C1"],
]


def test_plugins(trawl, folder):
    """Search the command's sources with tg and with ripgrep, with the options of plug-ins. Both must print the same lines,
    in any order."""
    sources = os.path.join(ROOT, "tools")
    for options in PLUGINS:
        found = []
        for program in ([cases.link(trawl, folder + ".tg")], [cases.ripgrep(), "--no-config"]):
            status, output, errors = cases.execute([*program, "-F", *options, "struct settings", sources], folder)
            lines = output.split(b"\n")
            found.append(
                (status, errors, sorted(line.split(b',"stats"')[0] for line in lines if b'"elapsed_total"' not in line))
            )
        if found[0] != found[1] or len(found[0][2]) < 10:
            pytest.fail("%r: %d and %d lines" % (options, len(found[0][2]), len(found[1][2])))


def test_returns(trawl, folder):
    """Compare lines about as long as the limit of -M, which end in carriage returns or consist of carriage returns."""
    place = os.path.join(folder, "returns")
    text = [line + b"\n" for line in (b"foo\r", b"\r", b" \r", b" \r foo\r", b"bar\r", b"\tfoo", b"x\r\r", b"foo x")]
    rows = "--crlf; --trim; --replace=XY; --color=always; -M2 -M3 -M4 -M5"
    rows = [("", *row.split()) for row in rows.split(";")]
    parts = list(itertools.product(*rows, ("-n", "--passthru", "-o")))
    for options in cases.random_of("returns", 0).sample(parts, min(len(parts), cases.amount(8 * len(parts)))):
        wrong = wrong_with(
            Case([[word] for word in options if word], ["foo"], {"f0": text}, ["f0"], True), trawl, place
        )
        assert not wrong, wrong


# A row: options, the first of which takes each of the values, which a blank separates; the other arguments. ripgrep takes
# some of the values.
ESCAPES = r"\n \r \t \\ \\n \x00 \xfF\xAa\x09 \x7g \xg7 \x \x4 \ a\ \q\0 \X41 / + ab é \n\n "
HUES = "black red green yellow blue magenta cyan white"
SIZES = "".join("%d%s " % (number, unit) for shift, unit in ((0, ""), (10, "K"), (20, "M"), (30, "G"))
                for most in [2 ** 64 - 1 >> shift] for number in (0, 1, most, most + 1, 2 * most, 2 ** 64 + 1, 1000 * 2 ** 64 + 7))  # fmt: skip
NUMBERS = "0 010 255 0xFf 1,0x2,255 256 0x100 -1 1,2 1,2, ,1,2 1,2,3,4 1,2,256 0x 0xg 1x 4294967296 18446744073709551616"  # fmt: skip
TAKEN = [("--path-separator", ESCAPES, "-H foo sub/f2"), ("--field-match-separator", ESCAPES, "-nb foo f0"),
         ("--field-context-separator", ESCAPES, "-nbA1 foo f0"), ("--context-separator", ESCAPES, "-nA1 foo f0"),
         ("--colors=match:style:intense --colors=match:style:nobold --colors=match:bg:", HUES, "--color=always foo f0"),
         ("--colors=match:fg:", HUES + " purple red:x " + NUMBERS, "--color=always foo f0"), ("--colors=match:style:intense --colors=match:fg:", HUES, "--color=always foo f0"),
         ("--colors", "column:none Match:FG:Red match match: : match:fg match:style: match:style:no match:style:red match::none none ", "--color=always --column foo f0"),
         ("--type-add", "x:*.c x:include:c é:*.x x:includes c:include:c,py alle:*.x x x: :*.x a-b:*.x all:*.x all:include:c x:include: x:include:nope x:include:c, x:include:,c ", "-tc foo"),
         ("--type", "c all C c,py nope al ", "foo"), ("--type-not", "c nope ", "foo"), ("--type-clear", "c nope ", "-tc foo"),
         ("--hyperlink-format", "none default file kitty cursor vscode vscode-insiders vscodium grep+ textmate macvim x:{path} x://{host}{path}:{line}:{column} a+b-c.9:{path}{{}} x:{path}:{line} "
          "foo None {path} :{path} x{path} x:{line} x:{path x:{path}} x:{path}{ x:{path}{column} x:{path}{word} a_b:{path} x:{} ", "--color=always -H --column foo f0"),
         ("--max-filesize", SIZES + "1k K 1KB -1 1T ", "--sort=path -c foo"),
         ("--encoding", "none auto utf-8 UTF-16LE latin1 utf utf-8x ", "foo f0")]  # fmt: skip


@pytest.mark.parametrize("options, values, others", TAKEN, ids=[row[0] for row in TAKEN])
def test_taken(trawl, folder, options, values, others):
    """Compare which values of an option are taken, and what they mean."""
    texts = {"f0": [b"  foo (bar)\n", b"x\n", b"y\n", b"foo\n"], "f1.c": [b"foo\n"], "sub/f2": [b"foo\n"]}
    *before, option = options.split()
    option += "=" * (":" not in option)
    for value in values.split(" "):
        words = [[word] for word in [*before, option + value, *others.split()]]
        wrong = wrong_with(Case(words, [], texts, [], True), trawl, os.path.join(folder, "taken"))
        assert not wrong, wrong
