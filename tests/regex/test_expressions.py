"""Searches random files for random expressions, with trawl and tg, and with grep and ripgrep.

Output and exit status must be equal if the syntaxes mean the same (docs/regex.md). The drawn expressions have no parts
in which the programs differ by design.
"""

import itertools
import os
import re
import subprocess
import sys

import pytest
from expressions import DIALECTS, LETTERS, WIDE, WIDE_CLASSES, expression, lines_of
from harness import ROOT, TRAWL, numbers, random_of, ripgrep, write

sys.path.append(str(ROOT / "tests/grep"))
import locales  # noqa: E402

# An expression that consists only of these parts is a string, except that '.' and '*' may be operators.
QUOTED_PIECES = [r"\\", r"\\", r"\*", r"\.", "a", "b", "a*", r"\\*", "."]


def basic(text):
    """Return the expression, whose escapes mean the same in both syntaxes, in the basic syntax."""
    out = ""
    i = 0
    while i < len(text):
        if text[i] == "[":
            end = i + re.match(r"\[\^?\]?(?:\[:\w+:\]|[^\]])*\]", text[i:]).end()
            out += text[i:end]
            i = end
            continue
        if text[i] == "\\":
            out += text[i : i + 2]
            i += 2
            continue
        out += "\\" + text[i] if text[i] in "(){}|+?" else text[i]
        i += 1
    return out


def drawn(draw, dialect, samples):
    """Return an expression, and add its sample to the list."""
    made, sample = expression(draw, DIALECTS[dialect])
    samples.append(sample)
    return made


def text(draw, wide, ascii, broken, crlf, samples):
    pieces = LETTERS + WIDE if wide or draw.random() < 0.5 else LETTERS
    if ascii:
        pieces, samples = ([one for one in them if one.isascii()] for them in (pieces, samples + [""]))
    made = "\n".join(lines_of(draw, pieces, samples, 12, [0, 1, 3, 30, 300])).encode()
    if draw.random() < 0.8:
        made += b"\n"
    if broken:
        made = made.replace(b"x", b"\xff")
    if crlf:
        made = made.replace(b"\n", b"\r\n")
    if made.endswith(b"\n") and draw.random() < 0.1:  # beyond the first step, which decides how the next ones are read
        made *= 150000 // len(made)
    return made


def run(command, environment):
    done = subprocess.run(command, capture_output=True, env=environment, check=False, timeout=60)
    return done.stdout, done.returncode


def grep_case(draw, name, ascii, crlf, samples):
    words = "-i -v -w -x -n -b -c -o -l -a -z -A1 -B2 --color=always"
    options = [word for word in words.split() if draw.random() < 0.15]
    if draw.random() < 0.1:
        options += ["-m", "2"]
    dialect = "extended, words" if ascii else "extended"
    made = drawn(draw, dialect, samples)
    syntax = "-E"
    if draw.random() < 0.2:
        syntax, made = "-G", basic(made)
    patterns = ["-e", made]
    if draw.random() < 0.15:
        other = drawn(draw, dialect, samples)
        patterns += ["-e", basic(other) if syntax == "-G" else other]
    return ["grep", syntax, *options, *patterns, name], ["trawl", syntax, *options, *patterns, name]


def rg_case(draw, name, ascii, crlf, samples):
    options = "-w -i -v -x -n -b -c -o --column --vimgrep -S --passthru -C1".split()
    options = [o for o in options if draw.random() < 0.1] + ["--crlf"] * (draw.random() < (0.6 if crlf else 0.05))
    made = drawn(draw, draw.choice(["rust", "rust, wide"]), samples)
    if draw.random() < 0.2:
        made = re.sub(r"([*+?}])", r"\1?", made, count=1)
    if "--crlf" in options and "|" not in made and draw.random() < 0.5:
        made = made.rstrip("$") + "$"
    if draw.random() < (0.5 if crlf else 0.2):
        options += ["-r", draw.choice(["<$0>", "[$1]", "<$1>", "${1}x", "$2$1", "n"])]
    patterns = ["-e", made]
    if draw.random() < 0.15:
        patterns += ["-e", drawn(draw, "rust", samples)]
    common = ["-j1", "--no-config", *options, *patterns, name]
    return ["rg", *common], ["tg", *common]


def long_cases(name):
    """Yield pairs of commands for a line with more occurrences than the library stores at a time."""
    pattern = ["-e", "(A|b) ?", name]
    for options in [["-r", "<$1>"], ["-r", "<$1>", "-o"], ["-b", "-o"]]:
        yield ["rg", "-j1", "--no-config", *options, *pattern], ["tg", "-j1", "--no-config", *options, *pattern]
    for options in [["-c", "-w"], ["-c", "-x"], ["-v"]]:
        yield ["grep", "-aE", *options, *pattern], ["trawl", "-aE", *options, *pattern]


def quoted_cases(draw, name):
    """Yield pairs of commands for patterns of escaped and plain characters, which are strings, and for similar patterns
    with an operator '.' or '*', which are expressions."""
    with open(name, "w") as file:
        for count in range(5):
            for characters in itertools.product("ab\\*.", repeat=count):
                file.write("".join(characters) + "\n")
    for number in range(60):
        made = "".join(draw.choice(QUOTED_PIECES) for _ in range(draw.randint(1, 5)))
        program, options = draw.choice(
            [("grep", ["-E"]), ("grep", ["-G"]), ("grep", ["-Ex"]), ("grep", ["-P"]), ("rg", ["-j1", "--no-config"])]
        )
        yield (
            [program, *options, "-n", made, name],
            [{"grep": "trawl", "rg": "tg"}[program], *options, "-n", made, name],
        )


def empties(made):
    """Return True if an expression may match the empty string. ripgrep lists empty occurrences, and trawl does not."""
    made = re.sub(r"\[\^?\[:\w+:\]\]", "[0]", made)
    try:
        return re.search(made, "", re.M) is not None or re.search("\\A(?:%s)" % made, "zz") is not None
    except re.error:
        return True


def matches_nothing(wanted, pattern):
    """Return True if grep says that the expression matches the empty line."""
    syntax = "-G" if "-G" in wanted else "-E"
    done = subprocess.run(["grep", syntax, "-qxe", pattern], input=b"\n", check=False)
    return done.returncode == 0


def differs_by_design(wanted):
    """Return True if docs/differences.md says that the programs differ for this command."""
    patterns = [wanted[i + 1] for i, word in enumerate(wanted) if word == "-e"]
    if "-C1" in wanted and {"--passthru", "-o", "--vimgrep"} & set(wanted):  # ripgrep prints context
        return True
    if "-v" in wanted and ("-o" in wanted or "-r" in wanted):
        return True
    # grep treats the line end as a part of the occurrence
    if wanted[0] == "grep" and {"-w", "-x"} <= set(wanted) and {"-o", "--color=always"} & set(wanted):
        return True
    if wanted[0] == "grep" and "-w" in wanted and any(matches_nothing(wanted, p) for p in patterns):
        return True
    # grep's two matchers disagree about `{x` and `^*x`; one prints occurrences, and knows some classes alone
    leads = any(re.search(r"(?:^|[(|^])[+*?{]", pattern) for pattern in patterns)
    if leads and "-E" in wanted and re.search(r"-[ow] |--color|\[|\\[<>bBwWsS]|[^!-~ ]", " ".join(wanted)):
        return True
    if {"-w", "--crlf"} <= set(wanted) and any(empties(p) for p in patterns):
        return True
    if wanted[0] == "rg":
        return any(empties(p) or "|" in p and "$" in p or p.startswith("^") for p in patterns) and any(
            o in wanted for o in ("-o", "-r", "--vimgrep", "--column", "-c")
        )
    return False


def overlooks(wanted, got, programs, environment):
    """Return True if trawl finds all whole words that grep finds, and more: grep overlooks words that begin inside a longer
    match."""
    if wanted[0] != "grep" or "-w" not in wanted or not {"-o", "--color=always"} & set(wanted):
        return False
    kept = [
        [programs[one[0]], "-ob", *(word for word in one[1:] if word not in ("--color=always", "-c", "-l"))]
        for one in (wanted, got)
    ]
    first, second = (set(run(command, environment)[0].split(b"\0" if "-z" in wanted else b"\n")) for command in kept)
    return first < second


@pytest.fixture(scope="module")
def programs(module_folder):
    tg = os.path.join(module_folder, "tg")
    os.symlink(TRAWL, tg)
    return {"grep": "grep", "rg": ripgrep(), "trawl": TRAWL, "tg": tg}


@pytest.fixture(scope="module")
def found():
    return ["C.UTF-8", "C.UTF-8", "C", *(one for one in locales.prepare(TRAWL, False) if locales.letters(one))]


def check(wanted, got, programs, broken=False, locale="C.UTF-8"):
    environment = {**os.environ, "LC_ALL": locale, "TRAWL_CONFIG_PATH": "/dev/null"}
    if broken and {"-A1", "-B2"} & set(wanted):  # grep may print context of a line that it does not print
        return
    first = run([programs[wanted[0]], *wanted[1:]], environment)
    second = run([programs[got[0]], *got[1:]], environment)
    if "--crlf" in wanted:  # ripgrep also ends the lines that it adds with a carriage return
        first, second = ((out.replace(b"\r\n", b"\n"), status) for out, status in (first, second))
    if first != second and not overlooks(wanted, got, programs, environment):
        with open(wanted[-1], "rb") as file:
            pytest.fail(
                "%s %r on %r: %r, expected %r"
                % (locale, wanted, file.read(300), (second[0][:300], second[1]), (first[0][:300], first[1]))
            )


def test_fixed(programs, folder):
    name, every, unended = (os.path.join(folder, one) for one in ("text", "every", "unended"))
    write(name, b"no\n" + b"A\xffb b" * 400000 + b"\nb\n")
    with open(every, "wb") as file:  # blocks with letters, digits and blanks that did not change since ripgrep 13
        for block in (range(1, 0x80), range(0xA0, 0x530), range(0x1680, 0x1682), range(0x2000, 0x2070), range(0x2460, 0x2500),
                      range(0x2FF0, 0x3010), range(0xFE30, 0xFE50), range(0xFF00, 0xFF60), range(0x1F120, 0x1F1A0)):  # fmt: skip
            file.write(b"".join(chr(code).encode() + b"\n" for code in block if code != 10))
    write(unended, b"a\nb")
    fixed = [*long_cases(name), *quoted_cases(random_of("quoted"), os.path.join(folder, "quoted"))]
    for part in WIDE_CLASSES:
        fixed.append([[program, "-j1", "--no-config", "-n", f"^{part}$", every] for program in ("rg", "tg")])
    for options in map(str.split, ("-n", "-c", "-c -v", "-c -r n", "-c -v -r n", "-v -b", "-o -r n")):
        for made in ("x.y", "[a]", "[^a]"):
            fixed.append([[program, "-j1", "--no-config", *options, "-e", made, unended] for program in ("rg", "tg")])
    for wanted, got in fixed:
        check(wanted, got, programs)


@pytest.mark.parametrize("number", numbers(600))
def test_texts(number, programs, found, folder):
    """Search a text for four expressions."""
    draw, name = random_of("expressions", number), os.path.join(folder, "text")
    wide = draw.random() < 0.3
    ascii = not wide and draw.random() < 0.5
    broken, crlf = draw.random() < 0.1, draw.random() < 0.2
    rows, samples = [], []
    for _ in range(4):
        case = rg_case if wide or draw.random() < 0.4 else grep_case
        locale = draw.choice(found) if case is grep_case else "C.UTF-8"
        rows.append((*case(draw, name, ascii and not broken, crlf, samples), locale))
    write(name, text(draw, wide, ascii, broken, crlf, samples))
    for wanted, got, locale in rows:
        if not differs_by_design(wanted):
            check(wanted, got, programs, broken, locale)
