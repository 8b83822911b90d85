"""Runs random command lines with all options about printed lines, positions and counts, and compares them with a model of
the printer: which strings occur where, and what is printed of them.

GNU grep lacks many of the options, and ripgrep combines some in a different way (test_rg_output.py says which). The model is a
loop over the lines; occurrences within errors are those of distance.py. With --and and --andnot, half of the cases run the
command as tg, where it prints what trawl prints. The inputs are files, directories, pipes, standard input that can seek, and missing files; the texts
have blank lines, carriage returns, lines longer than a chunk, and last lines without line end.
Standard output and standard error go to the same pipe.
"""

import itertools
import json
import os
import re
import shutil
import subprocess

import cases
import found
import packed
import pytest
from distance import Distance
from expressions import opened
from harness import write
from printer import SUMS, Printer, json_expected, messages

CASES, ONE_IN = 2800, 5
NO_LETTER = "\ufffd".encode()
TOKENS = [b"foo", b"FoO", b"o", b"a", b"ab", b"aba", b"b", b" ", b" ", b"\t", "é".encode(), "漢".encode(), b"x1", b"-",
          "𠀀".encode(), NO_LETTER, b"_", b"\\", b"\""]  # fmt: skip
STRINGS = [b"foo", b"Foo", b"O", b"o", b"oo", b"a", b"ab", b"aba", b" ", b"\t", b"x", "é".encode(), b"nowhere", b"-"]
EXPRESSIONS = [rb"(o)(o?)", rb"a(b)?", rb"([ab]+)$", rb"([1ob])$", rb"(?P<n>[fx])[o1]", rb"(b|o)a?", rb"^([a-z])",
               rb"o+", rb"f(o)(o)|x", rb"(a|ab)(1|b)?", rb"(f)?(o)(o)?(x)?(1)?(a)?(b)?(-)?(_)?( )?(\\)?"]  # fmt: skip
REPLACEMENTS = ["X", "<", "> ", "\t", "$0", "${0}", "$1", "[${1}]", "$2", "$10", "$11", "${n}", "$100", "$x",
                "$$", "$-", "$1a", "${1a}", "${01}", "${n-x}", "${1", "${}", "$n1", "$00"]  # joined at random  # fmt: skip
SEPARATORS = [("", b""), ("~>", b"~>"), (r"\t", b"\t"), (r"\x41\\", b"A\\")]
FLAGS = ["n", "b", "o", "v", "x", "w", "i", "T", "Z", "z", "a", "column", "vimgrep", "heading", "trim", "passthru",
         "crlf", "max-columns-preview", "pattern-number", "overlapping", "only-first", "stats", "line-buffered",
         "search-zip", "I", "s"]  # fmt: skip
WAYS = ["v", "w", "i", "z", "a", "I", "x", "crlf", "search-zip", "stats"]  # options that decide about lines and files
OF_TG = {
    "n",
    "b",
    "o",
    "v",
    "x",
    "w",
    "i",
    "a",
    "column",
    "vimgrep",
    "heading",
    "trim",
    "only-first",
    "crlf",
    "line-buffered",
}
AS_TG = {"-h": ["--no-filename"], "-L": ["--files-without-match"], "-r": [], "-c": ["-c", "--include-zero"],
         "--count-matches": ["--count-matches", "--include-zero"], "-P": []}  # fmt: skip
STYLES = ["column", "vimgrep", "heading", "passthru", "trim", "distance", "replace", "columns", "link", "around"]
STYLES += 2 * ["match separator", "context separator", "none", "none"]
PALETTES = ["", "sl=1:cx=2", "sl=1:cx=2:rv", "ne:sl=4", "mt=", "ms=7:mc=3:sl=1", "fn=:ln=33:bn=34:se="]


# An encoding, its name in Python, and what comes before the text: the command prints what it prints for the text in UTF-8.
ENCODINGS = [("utf-8", "utf-8", ""), ("utf-16le", "utf-16-le", ""), ("utf-16be", "utf-16-be", "\ufeff"), ("GB18030", "gb18030", ""),
             ("auto", "utf-16-le", "\ufeff"), ("auto", "utf-16-be", "\ufeff"), ("utf-16", "utf-16-be", "\ufeff"),
             ("auto", "utf-8", "\ufeff"), ("UTF-32LE", "utf-32-le", "")]  # fmt: skip
# Letters of texts in which strings often overlap, equal each other, or are parts of others.
DENSE = [b"ab", b"ab\n", b"aAb_ \n", b"a\nb ", b"ab\r\n", b"acgt\n", b"a", b"kKsSzZ\n", b"a\nb\0", bytes(range(256))]
WIDTHS = [0, 0, 1, 2, 3, 7, 20, 300, 10**18]  # of --around
# What is no character: invalid bytes, and parts of characters.
BROKEN = [b"\xff", b"\xe6\xbc", b"\x80", b"\xf0\x9d\x84", b"\xc3"]
NAMES = ["d/a", "d/b", "d/e/c", "d/e/d", "d/f", "d/-n", "d/g h", "d/é", "d/a:1"]
FAULTS = {"missing": b"No such file or directory", "d/e": b"Is a directory"}


class Case:
    REPORTS = ["lines"] * 12 + ["json", "json", "c", "c", *SUMS, *SUMS, "l", "L", "q"]

    def __init__(self, rng):
        self.report = rng.choice(self.REPORTS)
        is_lines = self.report == "lines"
        self.on = set(rng.sample(FLAGS, rng.choice([0, 1, 2, 4, 6, 8, 10]) if is_lines else 2))
        self.on |= {flag for flag in WAYS if not is_lines and rng.random() < 0.25}
        self.on |= {"pattern-number"} if self.report == "positions" and rng.random() < 0.5 else set()
        self.arguments = []
        self.locale = rng.choice(["C", "C.UTF-8"])
        self.expressions = rng.sample(EXPRESSIONS, rng.choice([1, 1, 1, 2])) if rng.random() < 0.3 else []
        self.expressions = [] if self.report in SUMS[1:] else self.expressions
        self.sign = opened(rng, 3).encode() if self.expressions else b""
        if self.sign:  # the first group begins with it
            begin = re.search(rb"\((\?P<n>)?|^", self.expressions[0])
            more = self.sign + b"|" if begin.group() else b""
            self.expressions[0] = begin.group() + more + self.expressions[0][begin.end() :]
        if self.expressions and rng.random() < 0.1:
            # a single expression, because its matches may be empty, and in Python they would hide those of other
            # expressions
            self.expressions = [rb"o*"]
        self.dense = rng.choice(DENSE) if rng.random() < 0.25 and not self.expressions else b""
        if b"\0" in self.dense:
            self.locale = "C"
            self.on.add("a")
        self.form = rng.choice(["-e", "-e", "-f", "--hex"]) if not self.expressions else "-e"
        kinds = rng.choice([STRINGS, STRINGS, [b"o", b"oo", b"foo"], [b"a", b"ab", b"aba"]])
        self.strings = [rng.choice(kinds) for _ in range(rng.choice([1, 1, 2, 3]))] + [b""] * (
            rng.random() < (0.2 if self.report == "lines" else 0.06)
        )
        self.names = rng.choice([None, None, True, False] + [True] * 3 * (self.report == "count-by-pattern"))
        self.before = self.after = -1
        for letter in rng.choice(["", "", "", "A", "B", "C", "AB"]):
            count = rng.choice([0, 1, 1, 2, 5])
            self.before = self.before if letter == "A" else count
            self.after = self.after if letter == "B" else count
            self.arguments.append("-%s%d" % (letter, count))
        self.limit = rng.choice([None] * (20 if self.report == "lines" else 6) + [0, 1, 1, 2, 4, 12, 25, 1000, 1000])
        self.limit = None if self.report in SUMS[1:] else self.limit
        self.replace, self.columns = None, 0
        if rng.random() < (0.6 if self.expressions else 0.3):
            self.replace = "".join(rng.choice(REPLACEMENTS) for _ in range(rng.choice([0, 1, 2, 3, 4])))
        if rng.random() < 0.35:
            self.columns = rng.choice([1, 3, 5, 8, 13, 21, 34])
            self.on |= {flag for flag in ("max-columns-preview", "trim") if rng.random() < 0.4}
            if "o" in self.on:  # the matches that -o prints are short, so the limit is low
                self.columns = rng.choice([1, 1, 2, 3, self.columns])
                self.on |= {"max-columns-preview"}
        self.style = rng.choice(STYLES) if self.report == "lines" and rng.random() < 0.3 else None
        if self.style:  # at most one of the options in STYLES
            self.on = self.on - {*STYLES, "pattern-number"} | {self.style} & set(FLAGS)
            self.replace, self.columns = "<$0>" if self.style == "replace" else None, 8 * (self.style == "columns")
            self.on |= {"T", rng.choice("nb")} if self.style == "none" and rng.random() < 0.4 else set()
        self.errors, self.distance, self.known = None, False, {}
        if not self.expressions and rng.random() < (1 if self.style == "distance" else 0.2):
            self.errors, self.dense = Distance(rng, rng.choice([0, 1, 1, 2, 3])), b""
            self.distance = self.style == "distance" or self.style is None and rng.random() < 0.4
        # --and and --andnot: (option, its strings or expressions); with --in-file they ask the file
        self.groups, self.in_file = [], False
        simple = self.report not in SUMS[1:] and self.form != "--hex" and self.expressions != [rb"o*"]
        simple = simple and not self.errors and not self.dense
        if simple and rng.random() < 0.25:
            kinds = [one for one in EXPRESSIONS if one not in self.expressions and not (self.sign and b"<n>" in one)]
            kinds = rng.sample(kinds if self.expressions else STRINGS, 4)
            self.groups = [(rng.choice(["--and", "--and", "--andnot"]), kinds[at : at + rng.choice([1, 1, 2])])
                           for at in rng.choice([[0], [0, 2]])]  # fmt: skip
            self.on -= {"pattern-number"}
        self.tg = simple and rng.random() < (0.4 if self.groups or self.REPORTS == ["lines"] else 0.05)
        if self.tg:  # called tg, the command knows other letters, colors, and rules for what is binary
            self.on, self.locale, self.strings = self.on & OF_TG, "C.UTF-8", [*filter(None, self.strings)] or [b"foo"]
            self.limit = None if self.report in SUMS or self.after > 0 else self.limit or None
            if self.report != "lines" or "heading" in self.on or max(self.before, self.after) >= 0 or self.columns:
                self.on -= {"crlf"}  # which for tg ends all that is printed
            self.on -= {"o"} if self.report == "c" else set()  # -o -c counts matches
        self.around = None
        # --around counts characters, so no match may begin or end inside of one
        if self.report not in SUMS and len(self.dense) < 256 and (self.style == "around" or rng.random() < 0.15):
            self.locale, self.form = ("C.UTF-8", "-e") if self.errors else (self.locale, self.form)
            self.around = (rng.choice(WIDTHS), rng.choice(WIDTHS)) if self.style in (None, "around") else None
            self.on -= {"crlf"} if self.errors else set()  # the carriage return may be a part of an occurrence
        # of --hex symbols are bytes, and an occurrence may be a part of a character, which in UTF-8 makes a file binary
        self.locale = "C" if self.errors and self.form == "--hex" else self.locale
        if self.tg and ("o" in self.on or self.around):  # as ripgrep, tg prints lines under -v, and lines of context
            self.on -= {"v"}
            self.arguments, self.before, self.after = [], -1, -1
        self.broken = self.around and not self.errors and not self.tg and rng.random() < 0.3
        self.locale = "C" if self.broken else self.locale
        self.word = re.compile(rb"\w" if self.locale == "C" else rb"[\w\x80-\xff]")
        self.separator, self.fields, self.slash, self.palette = b"--", {True: None, False: None}, b"/", None
        self.clean()
        self.choose(rng)
        self.crlf = rng.random() < 0.1 + 0.5 * ("crlf" in self.on)
        self.binary = rng.random() < (0.4 if self.report == "json" else 0.1) and self.report not in SUMS and not self.tg
        self.ended = rng.random() < 0.6
        self.bytes = None
        if rng.random() < (0.5 if "T" in self.on else 0.05):
            self.bytes = rng.choice([9, 10, 99, 100, 999, 1000]) + rng.randrange(-1, 2)
        self.input = rng.choice(["tree", "pipe", "pipe", "seeks", "files", "files", "files", "fault"])
        self.input = "files" if self.tg and self.input == "fault" else self.input
        if self.groups and self.input != "fault" and not self.on & {"v", "passthru", "stats"} and self.report != "json":
            self.in_file = rng.random() < 0.3
            self.arguments += ["--in-file"] * self.in_file
        self.encoding = (
            rng.choice(ENCODINGS)
            if not self.tg
            and "search-zip" not in self.on
            and not self.broken
            and b"\0" not in self.dense
            and rng.random() < (0.5 if self.in_file else 0.12)
            else None
        )
        self.mmap = rng.choice([[], [], ["--mmap"], ["--no-mmap"]])
        self.jobs, self.chunk = rng.choice([0, 1, 2, 5]), rng.choice([0, 0, 0, 0, 1, 7, 64, 1000])

    def features(self):
        """Return the set of the options and the kind of input."""
        named = "report form dense locale input mmap jobs chunk ended crlf encoding style".split()
        found = {re.match("--[a-z-]+|-.", word).group() for word in self.arguments}
        found |= {"%s %s" % (name, getattr(self, name)) for name in named}
        found.add("%d strings, %d expressions" % (min(2, len(self.strings)), len(self.expressions)))
        return found | {"size" * bool(self.bytes), "binary" * self.binary}

    def clean(self):
        """Remove options that exclude each other."""
        on = self.on
        if self.expressions:
            on -= {"w", "pattern-number", "overlapping"}
        if on & {"pattern-number"} or self.distance or self.report in SUMS:
            on -= {"v"}
        if self.report == "count-by-pattern":
            on -= {"pattern-number", "stats"}
        if "pattern-number" in on and ("vimgrep" in on or self.report == "json"):
            on -= {"pattern-number"}
        if (
            "z" in on
            or on >= {"x", "pattern-number"}
            or self.errors
            and "x" in on
            or "x" in on
            and self.report == "count-by-pattern"
        ):
            on -= {"crlf"}
        if "only-first" in on:  # of these two options, the one given last would decide
            on -= {"overlapping"}
        pairs = itertools.permutations(map(bytes.lower, self.strings), 2)
        nested = self.dense or self.groups or any(one.startswith(other) for one, other in pairs) or on & {"x", "w"}
        if self.errors:  # then lines of output are compared in any order
            nested = self.report != "lines" or self.replace is not None or self.around or "z" in on
        if self.report in SUMS[1:] or self.report != "count-matches" and nested or self.errors and self.report in SUMS:
            on -= {"overlapping"}  # the order of strings with the same start is not defined
        if self.report in SUMS:
            on -= {"o"}
        elif "overlapping" in on:
            on |= {"o"}

    def choose(self, rng):
        add = self.arguments.append
        self.number = "n" in self.on or "column" in self.on or "vimgrep" in self.on or self.report == "json"
        if "n" not in self.on and rng.random() < (0.6 if self.on >= {"T", "column"} else 0.15):
            add("-N")
            self.number = False
        for flag in sorted(self.on):
            add(("-" if len(flag) == 1 else "--") + flag)
        self.column = bool(self.on & {"column", "vimgrep"})
        if self.column and rng.random() < 0.1:
            add("--no-column")
            self.column, self.number = False, self.number and bool(self.on & {"n", "vimgrep"} or self.report == "json")
        if self.report != "lines":
            add(("-" if len(self.report) == 1 else "--") + self.report)
        if self.names is not None:
            add("-H" if self.names else "-h")
        if self.limit is not None:
            add("-m%d" % self.limit)
        if self.replace is not None:
            add("--replace=" + self.replace)
        if self.columns:
            add("-M%d" % self.columns)
        if self.around:
            both = self.around[0] != self.around[1] or rng.random() < 0.5
            add("--around=%d" % self.around[0] + ",%d" % self.around[1] * both)
        if self.errors:
            self.arguments += [*self.errors.arguments(), *["--distance"] * self.distance]
            self.distance = self.distance or "vimgrep" in self.on or self.report == "json"
        if rng.random() < 0.15:
            given, self.separator = rng.choice(SEPARATORS)
            add("--context-separator=" + given)
        elif rng.random() < 0.1:
            self.separator = None
            add("--no-group-separator")
        for kind, selected in (("match", True), ("context", False)):
            if self.style == kind + " separator" if self.style else rng.random() < 0.12:
                given, self.fields[selected] = rng.choice(SEPARATORS)
                add("--field-%s-separator=%s" % (kind, given))
        if rng.random() < 0.1:
            self.slash = b"+"
            add("--path-separator=+")
        if self.style != "none" and not self.tg and (self.style or rng.random() < 0.2) and self.report != "json":
            self.palette = rng.choice(PALETTES[1:4] if self.style else PALETTES)
            add("--color=always")
        # options that undo a part of --pretty may come before or after it
        pretty = self.style is None and not self.tg and rng.random() < 0.12
        if pretty:
            when = "always" if self.palette is not None else rng.choice(["", "", "auto", "never"])
            if self.palette is None and when != "never" and self.report != "json":
                self.palette = rng.choice(PALETTES)
            words = ["--pretty", *["--color=" + when] * (when in ("auto", "never"))]
            words += ["--no-heading"] * ("heading" not in self.on and rng.random() < 0.3)
            for word in words:
                self.arguments.insert(rng.randrange(len(self.arguments) + 1), word)
            self.number = "-N" not in self.arguments
            pretty = "--no-heading" not in words
        elif self.palette is None and rng.random() < 0.1:
            add(rng.choice(["--color=auto", "--color=never"]))
        self.link = ""
        if self.palette is not None and (self.style == "link" if self.style else rng.random() < 0.3):
            self.link = rng.choice(["x:{path}:{line}:{column}", "x:{path}:{line}", "x:{path}"])
            add("--hyperlink-format=" + self.link)
        self.heading = ("heading" in self.on or pretty) and "vimgrep" not in self.on and self.report != "json"
        if self.report == "json":
            self.separator = None
        if "passthru" in self.on:
            self.before = self.after = -1
        if "vimgrep" in self.on and self.names is None and self.report != "json":
            self.names = True
        colors = {"sl": b"", "cx": b"", **dict.fromkeys(("ms", "mc"), b"01;31")}
        colors |= {"fn": b"35", "ln": b"32", "bn": b"32", "se": b"36"}
        for word in (self.palette or "").split(":"):
            name, _, value = word.partition("=")
            for key in ("ms", "mc") if name == "mt" else (name,):
                colors[key] = value.encode()
        self.reverse = "rv" in colors and "v" in self.on
        self.colors, self.keep = (colors, "ne" in colors) if self.palette is not None else ({}, False)
        self.only = ("o" in self.on or bool(self.around)) and self.report != "json"
        self.vimgrep = "vimgrep" in self.on and self.report != "json"
        marks = bool(self.colors.get("ms") or self.colors.get("mc"))
        replaces = self.replace is not None
        self.each = self.column or self.vimgrep or replaces or self.only or marks
        self.styled = self.column or self.vimgrep or self.heading or self.distance or replaces or self.columns > 0
        self.styled |= bool(
            {"passthru", "trim"} & self.on or self.link or self.around or self.fields != {True: None, False: None}
        )
        self.end = b"\0" if "z" in self.on else b"\n"

    def paint(self, text, key, closed=True):
        color = self.colors.get(key)
        if not color:
            return text
        erase = b"" if self.keep else b"\33[K"
        return b"\33[" + color + b"m" + erase + text + (b"\33[m" + erase if closed else b"")

    def words(self, folder, module_folder, trawl):
        """Return the command without operands. Strings for -f are put into a file of the folder."""
        arguments = self.arguments + ["-P"] * bool(self.expressions)
        if self.tg:
            arguments = ["-F"] * (not self.expressions) + [word for one in arguments for word in AS_TG.get(one, [one])]
            trawl = cases.link(trawl, module_folder)
        if self.form == "-e":
            arguments += [word for string in self.expressions or self.strings for word in ("-e", string)]
        else:
            shown = [string.hex().encode() if self.form == "--hex" else string for string in self.strings]
            write(os.path.join(folder, "strings"), b"".join(string + b"\n" for string in shown))
            arguments += ["-f", "strings"] + ["--hex"] * (self.form == "--hex")
        for kind, patterns in self.groups:
            arguments += [kind, patterns[0], *(word for one in patterns[1:] for word in ("-e", one))]
        arguments += ["-j%d" % self.jobs] * (self.jobs > 0) + ["--chunk-bytes=%d" % self.chunk] * (self.chunk > 0)
        return [trawl, *arguments, *("--encoding=" + name for name in (self.encoding or ())[:1]), *self.mmap]

    # ---- Matches ----

    def occurrences(self, line, string):
        """Return every (begin, end) of the string in the line, which has no line end."""
        text, wanted = (line.lower(), string.lower()) if "i" in self.on else (line, string)
        found, begin, line = [], text.find(wanted) if wanted else -1, line.replace(NO_LETTER, b"...")
        while begin >= 0:
            end = begin + len(wanted)
            if "x" in self.on:
                good = begin == 0 and end == len(line)
            else:
                good = (
                    "w" not in self.on
                    or not self.word.match(line[begin - 1 : begin] if begin else b"")
                    and not self.word.match(line[end : end + 1])
                )
            found += [(begin, end)] * good
            begin = text.find(wanted, begin + 1)
        return found

    def near(self, line, string):
        """Yield (begin, end, distance) of every occurrence of the string within its errors."""
        codec = self.symbols()
        lower = str.lower if codec == "utf-8" else lambda one: one.lower() if one.isascii() else one
        same = lambda one, other: one == other or "i" in self.on and lower(one) == lower(other)
        is_word = lambda symbol: self.word.match(symbol.encode(codec))

        def takes(text, begin, end):
            if "x" in self.on:
                return begin == 0 and end == len(text)
            return "w" not in self.on or not (is_word(text[begin - 1 : begin]) or is_word(text[end : end + 1]))

        text = line.decode(codec)
        for begin, end, distance in self.errors.spans(string.decode(codec), text, same, takes):
            first = len(text[:begin].encode(codec))
            yield first, first + len(text[begin:end].encode(codec)), distance

    def symbols(self):
        """Return the codec of an approximate search: symbols are characters, or bytes, of which ASCII's have two cases."""
        return "latin-1" if self.locale == "C" else "utf-8"

    def places(self, line, strings=None):
        """Return {(begin, end): {number of a string: distance}}."""
        key = line, tuple(strings or self.strings)
        if key in self.known:
            return self.known[key]
        found = self.known[key] = {}
        for number, string in enumerate(strings or self.strings, 1):
            each = self.near(line, string) if self.errors else (span + (0,) for span in self.occurrences(line, string))
            for begin, end, distance in each:
                found.setdefault((begin, end), {})[number] = distance
        return found

    def spans(self, line):
        """Return (whether the line matches, [(begin, end, replacement, {number: distance})])."""
        main, groups = self.expressions or self.strings, [] if self.in_file else self.groups
        shown = [kind for kind in ["--and"] if self.replace is None]
        found, taken = self.search(line, main + [one for kind, also in groups if kind in shown for one in also])
        if groups:
            found = self.search(line, main)[0] and self.meets(line, groups)
        return found, taken * (found or "v" in self.on)

    def meets(self, line, groups):
        return all(self.search(line, patterns)[0] == (kind == "--and") for kind, patterns in groups)

    def search(self, line, patterns):
        """Return what spans() does, of some strings or expressions."""
        if "crlf" in self.on and line.endswith(b"\r") and ("x" in self.on or self.expressions):
            line = line[:-1]
        if self.expressions:
            compiled = re.compile(b"|".join(b"(?:%s)" % one for one in patterns), re.I if "i" in self.on else 0)
            if "x" in self.on:
                one = compiled.fullmatch(line)
                found = [one] if one else []
            else:
                found = list(compiled.finditer(line))
            return bool(found), [
                (m.start(), m.end(), self.replaced(m.group(0), m), {}) for m in found if m.end() > m.start()
            ][: self.most()]
        numbers = self.places(line, patterns)
        taken, last = [], 0
        # of strings that begin at one place, tg takes the first
        for begin, end in sorted(numbers, key=lambda span: (span[0], min(numbers[span]) if self.tg else -span[1])):
            if begin >= last or "overlapping" in self.on and self.only_or_counts() or self.report in SUMS[1:]:
                taken.append((begin, end, self.replaced(line[begin:end], None), numbers[begin, end]))
                last = end
        return bool(taken) or b"" in patterns and self.holds_empty(line), taken[: self.most()]

    def shown(self, number):
        """Return how --count-by-pattern shows a string."""
        string = self.strings[number - 1]
        return string.hex().encode() if self.form == "--hex" else string

    def most(self):
        return 1 if "only-first" in self.on else None

    def only_or_counts(self):
        return self.only or self.report == "count-matches" or self.report == "json" and self.replace is None

    def holds_empty(self, line):
        line = line.replace(NO_LETTER, b"...")
        if "x" in self.on:
            return not line
        return "w" not in self.on or any(
            not self.word.match(line[i - 1 : i] if i else b"") and not self.word.match(line[i : i + 1])
            for i in range(len(line) + 1)
        )

    def numbers_in(self, line):
        content = line[:-1] if "crlf" in self.on and "x" in self.on and line.endswith(b"\r") else line
        each = [numbers for *_, numbers in self.spans(line)[1]] if self.most() else self.places(content).values()
        found = {number for numbers in each for number in numbers}
        occurs = lambda number, string: number in found if string else self.holds_empty(content)
        return [number for number, string in enumerate(self.strings, 1) if occurs(number, string)]

    def replaced(self, match, groups):
        def value(word):
            name = word.group(1) or word.group(2)
            if word.group(0) == "$$":
                return "$"
            if not name.strip("0"):
                return match.decode("utf-8", "surrogateescape")
            try:
                return ((groups.group(int(name) if name.isdigit() else name) or b"") if groups else b"").decode(
                    "utf-8", "surrogateescape"
                )
            except IndexError:
                return ""

        return re.sub(r"(?a)\$\$|\$\{(\w+)\}|\$(\w+)", value, self.replace or "").encode("utf-8", "surrogateescape")

    def rewritten(self, line, found):
        """Return the line with --replace, and the spans of what is found in it."""
        if self.replace is None:
            return line, [(begin, end) for begin, end, _, _ in found]
        text, at, spans = b"", 0, []
        for begin, end, new, _ in found:
            text += line[at:begin]
            spans.append((len(text), len(text) + len(new)))
            text, at = text + new, max(at, end)
        return text + line[at:], spans

    def lets_in(self, lines):
        """Return whether --in-file lets a file of these lines be searched."""
        groups = self.groups if self.in_file else ()
        return all(any(self.search(line, one)[0] for line in lines) == (kind == "--and") for kind, one in groups)


def dense_text(rng, case):
    text = bytes(rng.choices(case.dense, k=rng.choice([0, 1, 5, 40, 300, 2000])))
    at = rng.randrange(len(text) + 1)
    # more line ends in a row than a byte can count
    return (text[:at] + b"\n" * rng.choice([0, 0, 0, 0, 0, 0, 300, 700]) + text[at:]).replace(b"\n", case.end)


def dense_strings(rng, case, text):
    """Return parts of the text, in any case if case is ignored; strings of one letter; duplicates; and empty strings."""
    strings, nested = [], rng.random() < 0.2
    for length in range(rng.choice([1, 2, 5, 12, 40])):
        begin = rng.randrange(len(text) + 1)
        string = (
            re.sub(rb"[\r\n\0].*", b"", text[begin : begin + rng.choice([1, 1, 2, 3, 5, 9])], flags=re.DOTALL) or b"a"
        )
        string = b"a" * (1 + length % 20) if nested else rng.choice([string] * 3 + [rng.choice(strings or [string])])
        strings.append(string.swapcase() if "i" in case.on and rng.random() < 0.3 else string)
    return strings + [b""] * rng.choice([0, 0, 0, 0, 0, 1])


def near_text(rng, case):
    letters = rng.choice(
        ["ab\n", "abé", "abé\n", "a𠀀\n", "ab- \n", "abé_ \n", "abcdefgh\n", 10 * "ab" + "\n", 16 * "ab" + "aé\n"]
    )
    letters += "\0" * case.binary
    text = "".join(rng.choices(letters, k=rng.choice([0, 5, 40, 150])))
    text = "".join(rng.choice([one, one.upper()]) for one in text) if "i" in case.on else text
    return text.encode().replace(b"\n", b"\r" * case.crlf + case.end)


def near_strings(rng, case, text):
    """Return parts of a text, with a few errors; with -x, whole lines. Those of --hex may contain line ends."""
    codec, strings, most = case.symbols(), {}, case.errors.most
    text, crosses = (
        text.decode(codec),
        case.form == "--hex" and case.report in SUMS and not case.on & {"w", "x", "only-first"},
    )
    alphabet = text if crosses else re.sub("[\r\n\0]", "", text)
    for _ in range(rng.choice([1, 1, 2, 4])):
        length, begin = most + rng.choice([1, 2, 5, 9]), rng.randrange(len(text) + 1)
        part = rng.choice(text.split(case.end.decode())) if "x" in case.on else text[begin : begin + length]
        part = "".join(one for one in part if one in alphabet) + "".join(rng.choices(alphabet + "ab", k=length))
        strings[part[:length].lower()] = part[:length]
    return [string.encode(codec) for string in strings.values()]


def random_text(rng, case):
    if case.dense:
        return dense_text(rng, case)
    if case.errors:
        return near_text(rng, case)
    lines, tokens = [], TOKENS + BROKEN * bool(case.broken) + [case.sign.replace(b"\\", b"")] * 3 * bool(case.sign)
    for _ in range(rng.choice([0, 1, 2, 3, 6, 12, 30, 60])):
        line = b"".join(rng.choice(tokens) for _ in range(rng.choice([0, 0, 1, 2, 4, 9, 25])))
        lines.append(rng.choice([b"", b"", b"", b" ", b"\t ", b"\v"]) + line + rng.choice([b"", b"", b"", b"", b"\r"]))
    if rng.random() < 0.1:  # a text of two kinds
        half, one = len(lines) // 2, rng.choice(tokens)
        lines[half:] = [one * len(line) for line in lines[half:]]
    if case.crlf:
        lines = [line.rstrip(b"\r") + b"\r" for line in lines]
    if lines and rng.random() < 0.01:  # longer than the blocks of 96 KiB whose lines a NUL can discard
        lines = (lines * (100000 // (1 + sum(map(len, lines))) + 1))[:40000]
    if lines and rng.random() < 0.01:  # longer than the 63 KiB of a line that are reread
        far = b"y" * (64512 - 2 * len(lines[0]) + rng.randrange(-3, 3))
        lines[-1] = lines[0] + far + lines[0] + rng.choice([b"", "é".encode() + lines[0]])
    if case.binary:
        lines = [line.replace(b"x", b"\0") for line in lines[:40]]
    # a carriage return alone is not a line end
    ended = case.ended or case.expressions and lines and lines[-1].endswith(b"\r")
    text = case.end.join(lines) + (case.end if lines and ended else b"")
    if case.encoding and rng.random() < 0.3:
        text += NO_LETTER
    # a text whose offsets have a digit more or fewer, because -T chooses the width of numbers by the text's size
    if case.bytes and len(text) > 3:
        text = (text * (1 + case.bytes // len(text)))[-case.bytes :]
        text = re.sub(rb"^[\x80-\xbf]+", lambda part: b"o" * len(part.group()), text)
    return text


def choose_strings(rng, case, texts):
    """Set the case's strings, if they depend on the texts."""
    if case.dense:
        case.strings = dense_strings(rng, case, b"".join(texts.values()))
    if case.errors:
        case.strings = near_strings(rng, case, b"".join(texts.values()))
    elif "x" in case.on and rng.random() < 0.7:  # a whole line, which may be longer than a chunk
        lines = [line.rstrip(b"\r") for text in texts.values() for line in text.split(case.end)]
        case.strings[0] = rng.choice(
            [line for line in lines if b"\0" not in line and len(line) < 200 and (line or not case.tg)] or case.strings
        )


def stored(rng, case, trawl, text):
    """Return the bytes of a file with this text: it may be compressed, or in another encoding."""
    if case.encoding:
        _, codec, mark = case.encoding
        text = mark + text.decode()
        if not codec.startswith(("utf-16", "utf-32")):
            return text.encode(codec)
        half = rng.random() < 0.5 and text[-1:] == "\ufffd"  # a last byte without its character
        text = text[: -1 if half else None].replace("\ufffd", "\ud800")
        return text.encode(codec, "surrogatepass") + b"x" * half
    if "search-zip" in case.on and b"\0" not in text and rng.random() < 0.7:
        return packed.pack_pieces(rng, rng.choice(packed.formats_here(trawl)), text)
    return text


def test_case(rng, trawl, folder):
    """Return None, or what is wrong."""
    case, folder, module_folder = Case(rng), os.path.join(folder, "tree"), folder
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "d", "e"))
    paths = sorted(rng.sample(NAMES, rng.choice([1, 1, 2, 3, 5])))
    texts = {path: random_text(rng, case) for path in paths}
    choose_strings(rng, case, texts)
    contents = {path: stored(rng, case, trawl, text) for path, text in texts.items()}
    for path, content in contents.items():
        write(os.path.join(folder, path), content)
    arguments, operands = list(case.arguments), list(paths)
    label = "(standard input)" if case.report != "json" and not case.tg else "<stdin>"
    give = {}
    if case.input == "tree":
        arguments, operands, several = arguments + ["-r", "--sort=path"], ["d"], True
    else:
        if case.input == "fault":
            operands.insert(rng.randrange(len(operands) + 1), rng.choice(sorted(FAULTS)))
        at = rng.randrange(len(operands))
        # a file becomes standard input
        if case.input in ("pipe", "seeks") and b"\0" not in texts.get(operands[at], b""):
            texts["-"] = texts.get(operands[at], b"")
            operands[at], seeks = "-", case.input == "seeks"
            contents["-"] = stored(rng, case, trawl, texts["-"])
            write(os.path.join(folder, "input"), contents["-"])
            give = {"stdin": open(os.path.join(folder, "input"), "rb")} if seeks else {"data": contents["-"]}
            if rng.random() < 0.2 and not case.tg:
                label = "la/bel"
                arguments.append("--label=" + label)
        several = len(operands) > 1
    printer = Printer(case, case.names if case.names is not None else several)
    printer.folder = os.fsencode(folder)
    files, fails, size = [], False, 0
    for path in paths if operands == ["d"] else operands:
        if case.limit == 0 and case.report != "L" or case.report == "q" and printer.selected:
            break
        if path in FAULTS:
            printer.out += b"trawl: %s: %s\n" % (path.encode(), FAULTS[path]) if "s" not in case.on else b""
            fails = True
            if path == "missing":
                continue
        text, width = texts.get(path, b""), 0
        size += len(text)
        if "T" in case.on:  # the text's size, which decides the width, is only known of a plain file
            is_plain = contents.get(path, b"") == text and not case.encoding
            is_plain |= bool(case.encoding and case.in_file)  # the decoded text is kept
            is_plain &= path != "-" or "data" not in give
            width = len("%d" % (len(text) + case.number)) if is_plain else 19
        name = (label if path == "-" else path).encode()
        printer.report(name, text, width)
        files.append((name, printer.lines, getattr(printer, "searched", 0), printer.null))
    if case.report == "count-by-pattern" and not case.names:
        printer.out += b"".join(
            b"%d:%d:%s\n" % (at, printer.each[at], case.shown(at)) for at in range(1, len(case.strings) + 1)
        )
    finds = b"\n" in printer.out if case.tg and case.report == "L" else printer.selected
    status = 0 if finds and (case.report == "q" or not fails) else 2 if fails else 1
    case.arguments = arguments
    command = [*case.words(folder, module_folder, trawl), *operands]
    variables = {"TERM": "xterm", **({"GREP_COLORS": case.palette} if case.palette else {})}
    give |= {"stderr": subprocess.STDOUT, "env": cases.environment(case.locale, **variables)}
    got_status, got, _ = cases.execute(command, folder, **give)
    got, wanted = cases.undoubted(got), printer.out
    if "stats" in case.on and files:
        got, _, stats = got.rpartition(b"files: ")
        wanted += (
            b"" if stats.startswith(b"%d\nselected: %d\n" % (len(files), printer.selected)) else b"other statistics"
        )
        whole = case.report not in ("l", "L", "q") and case.limit is None and "I" not in case.on
        whole = whole and b"binary file" not in got and all(file[3] is None for file in files)
        # as a whole line, the empty string is searched for only in files, and an expression in a short text without a method
        none = b"" in case.strings or bool(case.expressions)
        wanted += (cases.stats_wrong(b"files: " + stats, case.jobs, size if whole else None, none) or "").encode()
    if case.report == "json" and case.limit != 0:
        lines = got.split(b"\n")[:-1]
        lines = [line for line in lines if not line.startswith(b"trawl: ")]
        expected = json_expected(lines, files, case)
        # the search of a binary file may end early, so the number of searched bytes is not compared
        early = "I" in case.on or any(null is not None for _, _, _, null in files)
        if messages(lines, early) == messages(expected, early):
            got = b"".join(line for line in got.splitlines(True) if line.startswith(b"trawl: "))
        else:
            wanted += b"\n".join(json.dumps(message).encode() for message in expected)
    if case.report == "positions" or case.errors and "overlapping" in case.on:  # strings at one place come in any order
        end = b"\n" if case.report == "positions" else case.end
        got, wanted = (end.join(sorted(part.split(end))) for part in (got, wanted))
    cases.counts["selected"] += got_status == 0
    if got == wanted and got_status == status:
        return
    found.expect(status, wanted)
    shown, pipe = {path: text[:300] for path, text in texts.items()}, "a pipe" if "data" in give else ""
    said = "LC_ALL=%s GREP_COLORS=%s %r\n  strings %r, groups %r, texts %r, %s"
    said = said % (case.locale, case.palette, command[1:], case.strings, case.groups, shown, pipe)
    pytest.fail("%s\n  status %d, expected %d; %s" % (said, got_status, status, cases.differences(wanted, got)))


PRINTED = [["--color=always"], ["-o"], ["-o", "--column"], ["--replace=<$0>"], ["--column"], ["--vimgrep"], ["--json"],
           ["--passthru"], ["--trim"], ["-M4"], ["-M4", "--max-columns-preview"], ["-nbT"], ["--pattern-number"],
           ["--mismatches=0", "--distance"], ["-C1"]]  # fmt: skip
SELECTED = [["foo"], ["--crlf", "-x", "  foo bär foo"], ["-P", "o+"], ["-v", "none"]]


def test_long_lines(trawl, folder):
    """Compare the output for lines longer than a chunk, which the command reads again, with the output for the same lines
    in a long chunk, for each option alone. (In a case with many options, another option may read the line first.)"""
    # a NUL discards the lines already found in its block
    for name, end in ("long", b""), ("null", b"  foo\n\0foo\n"):
        write(os.path.join(folder, name), "  foo bär foo\r\nnone of these\r\n".encode() * 2 + end)
    rows = [(selected, "long") for selected in SELECTED] + [(selected, "null") for selected in SELECTED[:2]]
    for (selected, name), printed in cases.some(itertools.product(rows, PRINTED)):
        options = [*selected, *printed, name]
        wanted, got = (cases.execute([trawl, *chunk, *options], folder)[1:] for chunk in ([], ["--chunk-bytes=5"]))
        same = [[re.sub(rb'"elapsed.*', b"", part) for part in parts] for parts in (wanted, got)]
        assert same[0] == same[1], "%r: %s" % (options, cases.differences(wanted[0], got[0]))


def test_much_before_null(trawl, folder):
    """Check the messages of --json for a block with more output before its NUL than the command can discard."""
    write(os.path.join(folder, "much"), b"a\n" * 40000 + b"\0" + b"a\n" * 2000)
    long = 900 * "y"
    for own in ["--chunk-bytes=4096"], ["--chunk-bytes=4096", "-j1", "none"], []:
        lines = cases.execute([trawl, "--json", "--replace=" + long, *own, "-e", "a", "much"], folder)[1].splitlines()
        made = [json.loads(line) for line in lines]
        printed = [message["type"] for message in made]
        assert printed == ["begin"] + ["match"] * (len(made) - 3) + ["end", "summary"]
        assert made[-1]["data"]["stats"]["matched_lines"] == len(made) - 3
    command = [trawl, "-I", "-C1", "--chunk-bytes=4096", "--replace=" + long, "a", "much", "much"]
    lines = cases.execute(command, folder)[1].splitlines()
    assert lines.count(b"--") == 1 and {*lines} - {b"--"} == {b"much:" + long.encode()}
