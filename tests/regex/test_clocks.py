"""Searches texts of megabytes for what people search for, and compares answers and processor time with grep and ripgrep.

The texts are those on which searches were slow: millions of empty or short lines, lines of kilobytes, few different
letters, letters beyond ASCII, and texts that change their kind; they are searched with one thread or several. Patterns are
words, lists of words, letters around a word, repetitions and anchors, one or several, with rare pairs of options.
"""

import os
import re
import subprocess

import pytest
from harness import FREE_S, IS_SANITIZED, SLOWER, TRAWL, children_s, numbers, random_of, ripgrep, write

WORDS = (
    "the of and king kingdom wheel theta self fn struct return error needle x1 foo bar foobar ab aba int void".split()
)
WIDE = "é straße Σίσυφος привет 漢字 naïve 😀 ſ".split()
OPTIONS = "-c -n -o -v -w -x -i -b -l -m9 -A1 -H".split()
LIST_S = 1  # the time that a list of expressions may take
MOST_KIB = 100 << 10  # the memory that a list of expressions may take
EACH = 4  # searches of a text
SLOWER_KNOWN = 20  # the factor for what CHANGELOG.md names as slow: -o, -w and -x of lists, context of most lines
# The kinds of lines, each a function of the random numbers.
LINES = [
    lambda draw: draw.choice(["", "", "", "", "#", "# x", "a", " "]),
    lambda draw: draw.choice(WORDS),
    lambda draw: " ".join(draw.choices(WORDS, k=draw.choice([3, 9, 14]))),
    lambda draw: " ".join(draw.choices(WORDS, k=draw.choice([200, 3000, 40000]))),
    lambda draw: " " * draw.randrange(12) + "let %s = %s(%x);" % (*draw.choices(WORDS, k=2), draw.randrange(1 << 30)),
    lambda draw: " ".join(draw.choices(WORDS + WIDE, k=draw.randrange(12))),
    lambda draw: draw.choice(["a", "aaaa", " "]) * draw.choice([1, 30, 2000]),
    lambda draw: "".join(draw.choices("ACGT", k=draw.choice([60, 3000]))),
    lambda draw: draw.choice(["ab", "abb", "aab"]) * draw.choice([10, 1000, 20000]),
    lambda draw: "".join(draw.choices("ab \udcff\udcc3é\udc80x", k=draw.randrange(60))),
]
# Patterns: {w}, {v} are words, {n} a number, {l} a letter.
PATTERNS = ["{w}", "{w}|{v}", "^$", "^#", "^$|^#", "{w}s?", ".{{0,{n}}}{w}.{{0,{n}}}", ".{{0,{n}}}({w}|{v}).{{0,{n}}}",
            r"\b{w}\b", "[^ ]{{{n}}}", "({w}|{v})*x", "{w}.*{v}", "^.{{{n}}}", "[aeiou]{{3}}", "{l}+", r"\w+\s+{w}",
            r"^\s*{w}\b", r"\w{{{n}}}", "{w}$", "[a-z]+[0-9]+", "({l}.?){{3}}", r"\b\w*{w}\w*\b",
            r"[\w.-]{{0,{n}}}?{w}[ \t\w.-]{{0,20}}[=:]"]  # fmt: skip


def lines(draw, size):
    """Return about `size` bytes of lines of one kind, of which up to a thousand different ones come again and again."""
    kind, most, made = draw.choice(LINES), draw.choice([20, 1000]), []
    while len(made) < most and sum(map(len, made)) < 200000:
        made.append(kind(draw).encode(errors="surrogateescape"))
    block = b"".join(line + b"\n" for _ in range(4) for line in draw.sample(made, len(made)))
    return block * (size // len(block) + 1)


def pattern(draw):
    if draw.random() < 0.15:
        return "|".join(
            sorted({draw.choice(WORDS) + draw.choice(["", *WORDS]) for _ in range(draw.choice([5, 40, 200]))})
        )
    word, other = draw.choices([*WORDS, *WIDE, "zzz", "ACGT", "aaa", "#"], k=2)
    return draw.choice(PATTERNS).format(w=word, v=other, n=draw.choice([1, 5, 20, 60, 120, 200]), l=word[0])


def ran(command, timeout=10):
    """Return the status, the output and the processor time of a program; (None, b"", infinity) for a judge that is slow."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "TRAWL_CONFIG_PATH": "", "RIPGREP_CONFIG_PATH": ""}
    before = children_s()
    try:
        done = subprocess.run(command, capture_output=True, env=environment, check=False, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None, b"", float("inf")
    return done.returncode, done.stdout, children_s() - before


@pytest.mark.skipif(IS_SANITIZED, reason="sanitizers take most of the time")
@pytest.mark.parametrize("number", numbers(100))
def test_clocks(number, folder):
    draw, name, tg = random_of("clocks", number), folder + "/text", folder + "/tg"
    os.symlink(TRAWL, tg)
    size = draw.choice([1, 3, 9, 17]) << 20
    write(name, (lines(draw, size >> draw.randrange(3, 7)) if draw.random() < 0.5 else b"") + lines(draw, size))
    for _ in range(EACH):
        options = [option for option in OPTIONS if draw.random() < 0.14]
        made = [pattern(draw) for _ in range(draw.choice([1, 1, 1, 2, 3]))]
        if draw.random() < 0.1:  # a list in which a short match prevents a long one again and again
            made += ["ab", "b[ab]*x?", *(f"{word}q{n}" for n, word in enumerate(draw.choices(WORDS, k=20)))]
        words = ["-a", *options, *(word for one in made for word in ("-e", one)), name]
        theirs = ran(["grep", "-E", *words]), ran([ripgrep(), "-j1", *words])
        best = min(spent for _, _, spent in theirs)
        for program, judge in ([TRAWL, "-E"], theirs[0]), ([tg], theirs[1]):
            status, output, spent = ran([*program, draw.choice(["-j1", "-j4"]), *words], 300)
            factor = SLOWER_KNOWN if {"-o", "-w", "-x", "-A1"} & set(options) else SLOWER
            assert spent <= max(FREE_S, factor * best), f"{program} {options} {made}: {spent:.2f} s, {best:.2f} s"
            # what differs by design: see test_expressions.py and docs/differences.md
            differs = {"-o", "-w"} & set(options) or {"-c", "-m9", "-A1"} <= set(options) or "\\b" in "".join(made)
            if judge[0] is not None and not differs:
                assert (status, output) == judge[:2], f"{program} {options} {made}"


@pytest.mark.skipif(IS_SANITIZED, reason="sanitizers take most of the time")
def test_counted_beside(folder):
    """An expression with a long counted repetition does not slow down those beside it, which are found fast:
    as alternatives of one expression, all of them had the bitmaps of the long one, which took 100 times as long."""
    os.symlink(TRAWL, folder + "/tg")
    both = "|".join(first + second for first in WORDS[:7] for second in WORDS[7:13])
    write(folder + "/text", "needle\nkingdom\nthe\nx1\n\n" * (3 << 16) + "self needle king" * 99)
    for made in (
        [both, "^.{200}"],
        [r"\w{5}", ".{0,20}needle.{0,20}", "[aeiou]{3}"],
        ["ab|x1", r"\w{120}", "(漢字|theta)*x"],
    ):
        words = ["-o", *(word for one in made for word in ("-e", one)), folder + "/text"]
        theirs = ran([ripgrep(), "-j1", *words])
        status, output, spent = ran([folder + "/tg", "-j1", *words], 300)
        assert (status, output) == theirs[:2], made
        assert spent <= max(FREE_S, SLOWER * theirs[2]), f"{made}: {spent:.2f} s, {theirs[2]:.2f} s"


@pytest.mark.skipif(IS_SANITIZED, reason="sanitizers take most of the time and memory")
def test_lists(folder):
    """A list is compiled as far as a text needs it: a compiler like RE2 takes 0.5 s for each of the first rules, and trees
    and automata of all of the others take 160 MB."""
    os.symlink(TRAWL, folder + "/tg")
    line = "x k7." + "a" * 30 + "." + "b" * 80
    for rules in (
        [rf"k{n}[.][\w-]{{20,200}}[.][\w-]{{50,900}}={{0,2}}" for n in range(40)],
        [rf"(?i)\bk{n}_?(token|key)[ \t]*[:=][ \t]*[\w-]{{16,32}}" for n in range(4000)],
    ):
        write(folder + "/rules", "\n".join(rules) + "\n")
        write(folder + "/text", line + "\nK3999_key = 0123456789abcdef\n")
        found = [it for it in (line, "K3999_key = 0123456789abcdef") if any(re.search(rule, it) for rule in rules)]
        command = ["sh", "-c", f'ulimit -v {MOST_KIB}; exec "$@"', "sh", folder + "/tg", "-j1", "-f", folder + "/rules"]
        status, output, spent = ran([*command, folder + "/text"], 300)
        assert (status, output.decode().splitlines()) == (0, found), rules[0]
        assert spent < LIST_S, f"{rules[0]}: {spent:.2f} s"
