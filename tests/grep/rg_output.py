#!/usr/bin/env python3
"""Runs random command lines with ripgrep and with trawl, with options about printed lines that both have, and compares.

usage: rg_output.py TRAWL

Some command lines are those of a user of ripgrep, given to tg unchanged. The script compares the status, and standard
output byte for byte; with colours, each character and its look; with --json, every message except the times (and after -m
except the number of searched bytes). Texts and names are not always UTF-8.

Left out, because trawl does what GNU grep does:

- -o together with context: grep prints no context then;
- -m together with trailing context, where ripgrep 13 marks no further matches, and -m with --count-matches, where trawl
  counts occurrences;
- contexts of 0 lines: grep separates groups by lines of --;
- -L, whose status is that of grep; names, counts and lines of -- with --null-data: ripgrep ends these with a NUL;
- NUL bytes without --null-data: the programs differ in which files are binary, and in the messages;
- the line ends that ripgrep adds with --crlf, and texts that end in a carriage return;
- -w with strings that are no words, with -x, or on a text that is not UTF-8.

Of several strings that begin at the same place, ripgrep finds the string that is given first, trawl the longest string;
so the script gives ripgrep the longest string first.

Also left out, because ripgrep 13 is wrong: -w and -x with --null-data (ripgrep finds nothing at a line's beginning), -w
with several strings (ripgrep takes 'oo' in 'Foo' for a word), -U with -v and -x (ripgrep finds nothing), and previews of
lines with a carriage return (ripgrep takes carriage return and line end for one character).
"""
import itertools
import json
import os
import re
import shutil
import sys

import cases

CASES = 2400

WORDS = ["foo", "bar", "Foo", "FOO", "foobar", "a", "b", "ab", "aba", "the", "_", "x1", "foo-bar", "-", ".", "*", "\\", "oo",
         "o", "  ", "\t", "$", "$0"]
UTF8_WORDS = ["é", "straße", "Σίσυφος", "я", "привет", "漢字", "😀"]
REPLACEMENTS = ["", "X", "$0", "<$0>", "$0$0", "${0}x", "$0x", "$$", "$", "$1", "${foo}y", "  $0", "long replacement", "$$0", "${", "$-", "${0-}", "${}", "$00", "${é}", "${$0}",
                "${0 }", "${00}$"]
SEPARATORS = ["", "~>", "\\t", "\\x3a", "\\\\", "ab", "\\q", "é"]

# The options to draw from: (trawl's options, ripgrep's options; None: the same options).
PLAIN = [(["-n"], None), (["-N"], None), (["-H"], None), (["-h"], ["-I"]), (["-b"], None), (["-v"], None), (["-x"], None),
         (["-i"], None), (["-S"], None), (["--null"], None), (["--column"], None), (["--vimgrep"], None), (["--heading"], None),
         (["--no-heading"], None), (["--trim"], None), (["--passthru"], None), (["--no-column"], None), (["--no-trim"], None)]
# Options for tg, where short and long options mean what they mean in ripgrep.
OF_TG = [["-0"], ["-I"], ["-s"], ["--case-sensitive"], ["--crlf"], ["--include-zero"], ["--block-buffered"], ["--line-buffered"],
         ["--no-line-buffered"], ["--no-ignore-messages"], ["--no-follow"], ["-L"], ["--sort-files"], ["--color", "never"], ["-U"], ["-u"],
         ["-r", "<$0>"], ["-rX"], ["-z"], ["-N", "-p"], ["-p"], ["--color", "ansi"], ["--no-heading", "-p"], ["-p", "-N"], ["-n", "-N", "-p"]]
REPORTS = [(["-o"], None), (["-l"], None), (["-c"], ["-c", "--include-zero"]), (["--count-matches"], ["--count-matches", "--include-zero"]),
           (["-q"], None)]


def random_line(rng, utf8):
    words = WORDS + (UTF8_WORDS if utf8 else [])
    line = "".join(rng.choice(words) + rng.choice(["", "", " "]) for _ in range(rng.choice([0, 1, 2, 3, 6, 15])))
    if rng.random() < 0.3:
        line = rng.choice([" ", "\t", "  \t", "\v", " \r"]) + line
    return line


def random_text(rng, utf8, end, crlf):
    lines = [random_line(rng, utf8) for _ in range(rng.choice([0, 1, 2, 5, 12, 40]))]
    if lines and rng.random() < 0.3:  # as long as the blocks in which lines are composed or read
        line = rng.choice(lines) + "a"
        lines[-1] = (line * 9000)[:rng.choice([63, 130, 300, 4096, 6144, 9000]) + rng.randrange(-3, 4)]
    if rng.random() < (0.7 if crlf else 0.1):
        lines = [line + "\r" for line in lines]
    text = end.join(lines)
    return (text + (end if lines and rng.random() < 0.7 else "")).encode()


class Case:
    def __init__(self, rng):
        self.ours, self.theirs = [], []
        self.tg = rng.random() < 0.4
        self.json = rng.random() < 0.25
        self.utf8 = rng.random() < 0.4
        self.end = "\0" if rng.random() < 0.06 else "\n"
        words = WORDS + (UTF8_WORDS if self.utf8 else [])
        self.patterns = []
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            pattern = "".join(rng.choice(words) for _ in range(rng.choice([1, 1, 2])))
            self.patterns.append(pattern)
        self.limit = rng.random() < 0.3  # -M, about as long as a line
        self.choose(rng)
        if self.tg and rng.random() < 0.15:
            self.add(["--crlf"] + rng.choice([[], ["--trim"]]))
            self.patterns[0] = rng.choice([" ", "\t", self.patterns[0]]) if not self.given("-w") else self.patterns[0]
        if self.end == "\0":
            self.add(["--null-data"])

    def add(self, ours, theirs=None):
        if self.tg and theirs is not None:  # tg takes ripgrep's options
            ours = [word for word in theirs if word != "--include-zero"]
            theirs = None
        self.ours += ours
        self.theirs += ours if theirs is None else theirs

    def choose(self, rng):
        context = report = None
        for ours, theirs in rng.sample(PLAIN, rng.choice([0, 1, 1, 2, 3, 4])):
            self.add(ours, theirs)
        for ours in rng.sample(OF_TG, rng.choice([0, 1, 1, 2, 3])) if self.tg else []:
            again = "--color" in ours and self.given("--color") or ours[0][:2] == "-r" and self.given("-r", "-rX")  # programs use the last of two
            if not again and (not self.json or "-p" not in ours and "--color" not in ours):
                self.add(ours)
        if self.json:
            self.add(["--json"])
        elif rng.random() < 0.3:
            self.add(*rng.choice(REPORTS))
        if rng.random() < 0.3:
            self.add(["--replace=" + ("$0" if self.limit and rng.random() < 0.5 else rng.choice(REPLACEMENTS))])
        if self.limit and rng.random() < 0.5:
            self.add(["--max-columns-preview"])
        if rng.random() < 0.2:
            self.add(["--field-match-separator=" + rng.choice(SEPARATORS)])
        if rng.random() < 0.2:
            self.add(["--field-context-separator=" + rng.choice(SEPARATORS)])
        if rng.random() < 0.1:
            self.add(["--path-separator=" + rng.choice(["+", "\\\\", "\\x41"])])
        if rng.random() < 0.15:
            self.add(["-m%d" % rng.choice([1, 2, 5])])
            report = "-m"
        if "-o" not in self.ours and "--passthru" not in self.ours and report is None and rng.random() < 0.3:
            context = rng.choice(["-A", "-B", "-C"])
            self.add([context + "%d" % rng.choice([1, 2, 5])])
            if rng.random() < 0.4:
                self.add(rng.choice([["--context-separator=" + rng.choice(SEPARATORS)], ["--no-context-separator"]]))
        if self.json and context is None and report is None and not self.given("--passthru", "-v") and rng.random() < 0.3:
            self.add(["-v", "-C1"])
        if rng.random() < 0.25 and len(self.patterns) == 1 and re.fullmatch(r"\w+", self.patterns[0]):
            self.add(["-w"])

    def given(self, *options):
        return any(option in self.ours for option in options)

    def excluded(self, texts):
        """Return whether the case is left out."""
        # ripgrep 13 finds nothing with -U -x -v, and prints what follows the line, too, with -U -x -r.
        if self.given("-U") and self.given("-x") and (self.given("-v") or any(o.startswith("-r") for o in self.ours)):
            return True
        if self.given("--crlf") and any(text.endswith(b"\r") for text in texts):
            return True
        everything = b"".join(texts)
        if self.json:
            return self.given("-w") + self.given("-x") + self.given("--null-data") > 1 or \
                self.given("--passthru") and any(option.startswith("-m") for option in self.ours)
        if self.given("--max-columns-preview") and b"\r" in everything:
            return True
        if self.given("-p", "ansi") and self.given("-b", "--vimgrep", "--null", "-0"):
            return True
        if self.given("-v") and self.given("-o", "--count-matches", "--vimgrep"):
            return True  # trawl prints nothing for -v -o, as grep does, and refuses -v --count-matches
        if self.given("-l", "-L", "-c", "-q") and self.given("-o", "--count-matches", "--vimgrep", "--passthru"):
            return True
        if self.given("--count-matches") and any(option.startswith("-m") for option in self.ours):
            return True
        if self.given("--null-data") and (self.given("-l", "-c", "--count-matches") or re.search("-[ABC][1-9]", " ".join(self.ours))):
            return True
        if (self.given("-w") + self.given("-x") + self.given("--null-data")) > 1:
            return True
        if self.given("--passthru") and any(option.startswith("-m") for option in self.ours):
            return True
        return False


COLOR_TYPES = ["path", "line", "column", "match"]
COLOR_VALUES = [["fg:blue", "fg:red", "fg:200", "fg:0xff"], ["bg:green", "bg:7", "bg:0x10,20,30"],
                ["style:bold", "style:nobold", "style:underline", *["style:intense"] * 3, "style:nointense", "none"]]


def looks(output):
    """Return each character with its colours and style."""
    state, shown = (), []
    for part in re.split(rb"(\x1b\[[0-9;]*[mK])", output):
        if not part.startswith(b"\x1b["):
            shown += [(bytes([byte]), frozenset(state)) for byte in part]
        elif part.endswith(b"m"):
            codes = part[2:-1].decode().split(";")
            while codes:
                code = codes.pop(0)
                if code in ("38", "48"):
                    code = ":".join([code] + [codes.pop(0) for _ in range(2 if codes[0] == "5" else 4)])
                state = () if code.lstrip("0") == "" else state + (code.lstrip("0"),)
    return [(character, style) for character, style in shown if character not in b"\r\n"]


def messages(output, limited):
    """Return the messages of --json without times."""
    found = []
    for line in output.split(b"\n")[:-1]:
        message = json.loads(line)
        if message["type"] in ("end", "summary"):
            stats = message["data"]["stats"]
            times = [stats.pop("elapsed")] + ([message["data"].pop("elapsed_total")] if message["type"] == "summary" else [])
            for time in times:
                assert sorted(time) == ["human", "nanos", "secs"] and time["human"].endswith("s"), time
                assert 0 <= time["nanos"] < 1000000000, time
                assert abs(float(time["human"][:-1]) - time["secs"] - time["nanos"] * 1e-9) < 1e-6, time
            if limited:
                stats.pop("bytes_searched")
        found.append(json.dumps(message))  # in the order of its keys
    return found


def run_program(arguments, folder, locale):
    return cases.execute(arguments, folder, locale, env=cases.environment(locale, TERM="xterm", GREP_COLORS="se="))


def draw(rng):
    """Return a case that is not left out, and its texts."""
    while True:
        case = Case(rng)
        texts = [random_text(rng, case.utf8, case.end, case.given("--crlf")) for _ in range(rng.choice([1, 1, 2, 3]))]
        if not case.excluded(texts):
            return case, texts


def features(rng, *_):
    """Return the set of a case's options and kind of input."""
    case, texts = draw(rng)
    names = {"-m" if word.startswith("-m") else word.split("=")[0] for word in case.ours}
    return names | {"tg %s" % case.tg, "utf8 %s" % case.utf8, "-M" * case.limit, "end %s" % texts[0][-1:], "%d texts" % len(texts), "%d strings" % len(case.patterns)}


def run_case(rng, trawl, folder):
    """Return None, or what is wrong."""
    case, texts = draw(rng)
    if case.limit:
        lines = b"\n".join(texts).split(b"\n")
        line = rng.choice([line for line in lines if case.patterns[0].encode() in line] or lines)
        case.add(["-M%d" % max(0, len(line) + rng.choice([-20, -1, 0, 0, 1]))])
    names = []
    for number, text in enumerate(texts):
        if case.json and not case.given("-w") and rng.random() < 0.5:
            text = text.replace(b"o", b"\xff\x01").replace(b" ", bytes([rng.choice([8, 9, 12, rng.randrange(1, 256)])]))
            text = text.replace(b"\n\n", b"\n\xed\xa0\x80\n\xf4\x90\x80\x80\xc0\x80\xe2\x80\xa8\x7f\x1b\"\n")
        name = "f%d" % number + (rng.choice(["\udcff", "\"", "\\", "\n", "é"]) if case.json and rng.random() < 0.3 else "")
        names.append(os.path.join(rng.choice(["", "", "sub"]), name))
        os.makedirs(os.path.join(folder, "sub"), exist_ok=True)
        with open(os.path.join(folder, names[-1]), "wb") as file:
            file.write(text)
    if case.tg and case.utf8 and not case.json and not case.given("-w", "--max-columns-preview", "--replace", "-r", "-rX") and rng.random() < 0.3:
        for name in names:  # a text that is not UTF-8
            with open(os.path.join(folder, name), "rb+") as file:
                text = file.read().replace(b"\xc3", b"\xe9" if case.tg else b"\xc3")
                file.seek(0)
                file.write(text)
    looked = case.given("-p", "ansi") and not case.given("never")
    colored = looked or rng.random() < 0.2 and not case.json and not case.given("-b", "--vimgrep", "--null", "-0", "never")
    if colored:
        if not looked:
            case.add(["--color=always"])
        for kind in rng.sample(COLOR_TYPES, rng.choice([0, 1, 2, 3])):
            for values in rng.sample(COLOR_VALUES, rng.choice([1, 2, 3])):
                case.add(["--colors=%s:%s" % (kind, rng.choice(values))])
    if case.tg and not os.path.lexists(os.path.join(folder, "tg")):
        os.symlink(trawl, os.path.join(folder, "tg"))
    longest_first = sorted(case.patterns, key=lambda pattern: -len(pattern.encode()))
    ours = [os.path.join(folder, "tg") if case.tg else trawl] + ["-F"] + case.ours + [option for pattern in case.patterns for option in ("-e", pattern)]
    ours += ["-j%d" % rng.choice([1, 2, 3])] + ([] if rng.random() < 0.5 else ["--chunk-bytes=%d" % rng.choice([1, 7, 100])])
    theirs = ["rg", "-F", "--no-config", "-j1"] + case.theirs + [option for pattern in longest_first for option in ("-e", pattern)]
    locale = "C.UTF-8" if case.utf8 else "C"
    got, wanted = run_program(ours + names, folder, locale), run_program(theirs + names, folder, locale)
    added = case.limit or case.given("-o", "--heading", "-p", "-c", "-l", "--count-matches") or any(o.startswith(("-r", "--replace", "-A", "-B", "-C")) for o in case.ours)
    if case.given("--crlf") and (added or not all(text.endswith(b"\n") for text in texts)):  # ripgrep ends lines that it adds with a carriage return
        got, wanted = ((status, output.replace(b"\r\n", b"\n"), errors) for status, output, errors in (got, wanted))
    if colored:
        same = looks(got[1]) == looks(wanted[1])
    elif case.json:
        limited = any(option.startswith("-m") for option in case.ours)
        same = messages(got[1], limited) == messages(wanted[1], limited)
    else:
        same = got[1] == wanted[1]
    if got[0] == wanted[0] and got[2] == b"" and same:
        return None
    return "%s\n  %s\n  texts %r\n  trawl   %r\n  ripgrep %r" % (" ".join(map(repr, ours[1:] + names)), " ".join(map(repr, theirs)), texts, got, wanted)


# The options with which plug-ins of editors run ripgrep.
PLUGINS = [["--color=never", "--no-heading", "--with-filename", "--line-number", "--column", "--smart-case"],
           ["--vimgrep", "--smart-case"], ["--vimgrep", "--no-heading", "--hidden", "--trim"],
           ["--column", "--line-number", "--no-heading", "--color=never", "--smart-case", "--"],
           ["--json", "--hidden", "--no-require-git", "--ignore-case", "--no-config", "--max-columns=200", "-C1"]]


def plugins(trawl, folder):
    """Search the command's sources with tg and with ripgrep, by the options of plug-ins. Both must print the same lines, in
    any order."""
    sources = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")
    if not os.path.lexists(os.path.join(folder, "tg")):
        os.symlink(trawl, os.path.join(folder, "tg"))
    for options in PLUGINS:
        found = []
        for program in (os.path.join(folder, "tg"), "rg"):
            own = ["-F", "--no-config"] if program == "rg" else []
            status, output, errors = run_program([program] + own + options + ["struct settings", sources], folder, "C.UTF-8")
            lines = output.split(b"\n")
            found.append((status, errors, sorted(line.split(b',"stats"')[0] for line in lines if b'"elapsed_total"' not in line)))
        if found[0] != found[1] or len(found[0][2]) < 10:
            return "%r: %d and %d lines" % (options, len(found[0][2]), len(found[1][2]))
    return None


def returns(trawl, folder):
    """Compare lines that end in carriage returns, or hold nothing else, about as long as -M. Line ends that ripgrep adds do not count."""
    if not os.path.lexists(os.path.join(folder, "tg")):
        os.symlink(trawl, os.path.join(folder, "tg"))
    with open(os.path.join(folder, "returns"), "wb") as file:
        file.write(b"foo\r\n\r\n \r\n \r foo\r\nbar\r\n\tfoo\nx\r\r\nfoo x\n")
    rows = list(itertools.product(("", "--crlf"), ("", "--trim"), ("", "--replace=XY"), ("", "-M2", "-M3", "-M4", "-M5"), ("-n", "--passthru")))
    for parts in cases.random_of("returns", 0).sample(rows, min(len(rows), cases.amount(8 * len(rows)))):
        found = [run_program([*program, "-F", *filter(None, parts), "foo", "returns"], folder, "C.UTF-8")[:2]
                 for program in ([os.path.join(folder, "tg")], ["rg", "--no-config", "-j1"])]
        if parts[0] and (parts[2] or parts[3]):
            found = [(status, output.replace(b"\r\n", b"\n")) for status, output in found]
        if found[0] != found[1]:
            return "%r: tg %r, ripgrep %r" % (parts, *found)
    return None


def main():
    if shutil.which("rg") is None:
        print("SKIPPED: there is no rg (ripgrep)")
        return 77
    return cases.run("rg-output", CASES, "command lines", run_case, (plugins, returns), features=features)


if __name__ == "__main__":
    sys.exit(main())
