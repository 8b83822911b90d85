"""Compares --and, --andnot and --in-file with a model: each line, or file, beside re, group by group.

Cases have one to three groups of strings or expressions, from --and, --andnot and following -e, with -i, -w, -x, -v, -n, -c,
-l, -o, --count-matches, -m, -A, CRLF, several files and workers, pipes, small chunks, characters beyond ASCII. What the
model leaves out: binary files, -z, --edits, and expressions that match nothing.
"""

import os
import re

import cases
import pytest
from harness import TRAWL, execute, write

CASES, ONE_IN = 900, 4
WORDS = ["foo", "Foo", "bar", "ba", "b", "o", "é", "É", "漢", "x1"]
EXPRESSIONS = ["fo+", "b[ar]+", "^foo", "o$", "[a-f]a", "é|x", "ba?r", "(o)(o)", r"\bba\b"]


class Case:
    def __init__(self, rng):
        self.tg = rng.random() < 0.6
        self.expressions = rng.random() < 0.5
        kinds = EXPRESSIONS if self.expressions else WORDS
        self.groups = [(kind, [rng.choice(kinds) for _ in range(rng.choice([1, 1, 2]))])
                       for kind in ["", *(rng.choice(["and", "and", "andnot"]) for _ in range(rng.choice([1, 1, 2])))]]  # fmt: skip
        self.report = rng.choice(
            ["", "", "-n", "-c", "-l", "-o", "-o", "--count-matches", "-A1", "--column", "--color=always"]
        )
        self.ignore_case, self.words, self.whole = (rng.random() < chance for chance in (0.2, 0.2, 0.1))
        self.in_file = rng.random() < 0.2
        self.invert = not self.in_file and self.report in ("", "-n", "-c", "-l") and rng.random() < 0.25
        self.limit = rng.choice([None, None, None, 1, 2]) if self.report in ("", "-n", "-c") else None
        self.jobs, self.chunk = rng.choice([1, 1, 2, 4]), rng.choice([None, None, 1, 8, 50])
        self.crlf = rng.random() < 0.15
        self.end = "\r\n" if self.crlf else "\n"
        self.piped = not self.in_file and rng.random() < 0.3
        self.texts = []
        for _ in range(1 if self.piped else rng.choice([1, 1, 3])):
            words = [*WORDS, " ", " ", " ", "_"]
            lines = [
                "".join(rng.choice(words) for _ in range(rng.choice([0, 1, 2, 5, 9, 30])))
                for _ in range(rng.randint(1, 12))
            ]
            self.texts.append(self.end.join(lines) + self.end * rng.randint(0, 1))

    def arguments(self):
        yield from (
            f"-{letter}"
            for letter, on in (("i", self.ignore_case), ("w", self.words), ("x", self.whole), ("v", self.invert))
            if on
        )
        yield from (["-N"] if self.tg and self.report != "-n" else []) if self.report != "--column" else []
        yield from ([self.report] if self.report else [])
        yield from ([f"-m{self.limit}"] if self.limit else [])
        yield from (["--crlf"] if self.crlf else [])
        yield from (["--in-file"] if self.in_file else [])
        yield from (
            ["--no-heading", "--colors=line:none", "--colors=column:none", "--colors=path:none"] if self.tg else []
        )
        yield f"-j{self.jobs}"
        yield from ([f"--chunk-bytes={self.chunk}"] if self.chunk else [])
        yield "-P" if self.expressions else "-F"
        yield from (["--include-zero"] if self.report in ("-c", "--count-matches") else [])
        for kind, patterns in self.groups:
            first = "-e" if kind == "" else f"--{kind}"
            yield from (first, patterns[0])
            for other in patterns[1:]:
                yield from ("-e", other)

    def compiled(self, patterns):
        """Return the expression that finds the patterns. Of strings that begin at one place tg takes the first, trawl the
        longest, as they do of expressions."""
        patterns = [one if self.expressions else re.escape(one) for one in patterns]
        if self.words and self.expressions:
            patterns = [rf"(?<!\w)(?:{one})(?!\w)" for one in patterns]
        elif self.words:
            patterns = [rf"(?<!\w){one}(?!\w)" for one in patterns]
        joined = "|".join(f"(?:{one})" for one in patterns)
        return re.compile(rf"^(?:{joined})$" if self.whole else joined, re.I if self.ignore_case else 0)

    def meets(self, line, kinds):
        return all((self.compiled(patterns).search(line) is not None) != (kind == "andnot")
                   for kind, patterns in self.groups if kind in kinds)  # fmt: skip

    def answer(self, text):
        """Return the (number, line) selected, or None if the file is left out."""
        lines = text.split(self.end)
        lines = list(enumerate(lines if lines[-1] else lines[:-1], 1))
        if self.in_file:
            for kind, patterns in self.groups[1:]:
                if any(self.compiled(patterns).search(line) for _, line in lines) == (kind == "andnot"):
                    return []
        kinds = ("",) if self.in_file else ("", "and", "andnot")
        found = [(number, line) for number, line in lines if self.meets(line, kinds) != self.invert]
        return found[: self.limit]

    def shown(self):
        return [
            one
            for kind, patterns in self.groups
            if kind == "" or (kind == "and" and not self.in_file)
            for one in patterns
        ]

    def is_simple(self):
        """The model of what -o shows takes the first alternative; so the alternatives must not begin at one place. Python's
        and trawl's letters differ for -i beyond ASCII only in letters that are not here."""
        if self.report in ("-o", "--count-matches", "--column", "--color=always"):
            first = [self.compiled([one]) for one in self.shown()]
            for text in self.texts:
                for line in text.split(self.end):
                    begins = [m.start() for one in first for m in re.finditer(f"(?=({one.pattern}))", line, one.flags)]
                    if len(begins) != len(set(begins)):
                        return False
        if not self.tg and any("\\b" in one for _, patterns in self.groups for one in patterns):
            return False  # trawl -P: only letters of ASCII are parts of words
        return not (self.words and self.expressions) and not (self.crlf and self.expressions and self.whole)

    def printed(self, name):
        expression = self.compiled(self.shown())
        for text, file in zip(self.texts, self.names()):
            found, head = self.answer(text), f"{file}:" if name else ""
            matches = [(number, line, m) for number, line in found for m in expression.finditer(line)]
            if self.report == "-c":
                yield f"{head}{len(found)}\n"
            elif self.report == "--count-matches":
                yield f"{head}{len(matches)}\n"
            elif self.report == "-l":
                yield f"{file}\n" * bool(found)
            elif self.report == "-o":
                yield from (f"{head}{m.group()}{self.end if self.tg else chr(10)}" for _, _, m in matches)
            else:
                for number, line in found:
                    column = (
                        f"{number}:{len(line[: expression.search(line).start()].encode()) + 1}:"
                        if self.report == "--column"
                        else ""
                    )
                    yield head + f"{number}:" * (self.report == "-n") + column + line + "\n"

    def names(self):
        return ["-"] if self.piped else [f"f{i}" for i in range(len(self.texts))]


def test_conditions(rng, folder, trawl):
    case = Case(rng)
    while not case.is_simple():
        case = Case(rng)
    program = cases.link(trawl, folder) if case.tg else trawl
    for file, text in zip(case.names(), case.texts):
        write(os.path.join(folder, file), text.encode())
    named = len(case.texts) > 1
    arguments = [program, *case.arguments(), *(["-H"] if named else ["-h"] if not case.tg else ["--no-filename"])]
    status, output, errors = execute(
        [*arguments, *case.names()], folder, data=case.texts[0].encode() if case.piped else None
    )
    selected = any(case.answer(text) for text in case.texts)
    cases.counts["selected"] += selected
    assert (errors, status) == (b"", 0 if selected else 1), (arguments, case.texts)
    if case.report in ("-A1", "--color=always") or (case.piped and case.report == "-l"):
        return  # only the status, and that nothing fails
    expected = "".join(case.printed(named))
    printed = output.decode()
    if case.crlf and case.report != "-o":
        printed = printed.replace("\r\n", "\n")
    assert printed == expected, (arguments, case.texts)


@pytest.mark.parametrize(("arguments", "told"), [
    (["--and=a", "--multiline", "b"], "--and or --andnot cannot be combined with --multiline"),
    (["--andnot=a", "--positions", "b"], "--and or --andnot cannot be combined with --positions"),
    (["--in-file", "b"], "--in-file needs --and or --andnot"),
    (["--server=unix:none", "--and=a", "b"], "--server: --and is not served"),
    (["--in-file", "-v", "--and=a", "b"], "--in-file cannot be combined with -v (--invert-match)"),
    (["-e", "b", "--and=a", "-f", "-"], "-f - is not possible with --write, --and and --andnot"),
    (["-P", "-e", "b", "--and=("], "missing )"),
])  # fmt: skip
def test_errors(folder, arguments, told):
    write(os.path.join(folder, "f"), b"ab\n")
    status, output, errors = execute([TRAWL, *arguments, "f"], folder)
    assert (status, output) == (2, b"") and told in errors.decode(), errors


def test_pipe_in_file(folder):
    """A pipe cannot be read twice; that is said."""
    status, output, errors = execute([TRAWL, "--in-file", "--and=a", "b"], folder, data=b"ab\n")
    assert (status, output) == (2, b"") and b"--in-file needs a file that can be read twice" in errors
