"""Searches random files for random expressions, with trawl and tg, and with grep and ripgrep.

Output and exit status must be equal if the syntaxes mean the same (docs/regex.md). The drawn expressions have no parts
in which the programs differ by design.
"""

import itertools
import os
import re
import shutil
import subprocess
import sys

import pytest
from harness import ROOT, TRAWL, amount, judges, opened, random_of, write

sys.path.append(str(ROOT / "tests/grep"))
import locales  # noqa: E402

PIECES = ["a", "b", "c", "A", "B", "ab", "abc", "k", " ", "_", "-", "1", "22", "é", "É", "ко", "x", *"=!<:#"]
CLASSES = [".", "[ab]", "[^a]", "[a-c]", "[[:digit:]]", "[[:space:]]", "[^[:space:]]", "[b_-]"]
# Letters beyond ASCII, and classes that mean Unicode's in ripgrep and tg.
WIDE_PIECES = ['é', 'ñ', '中', 'ⅷ', '²', '٣', '‿', 'ⓐ', '🄰', '\u0301', '👍', '\u200d', '\u00a0', '\u2003', '\u2028', 'ª']  # fmt: skip
WIDE_CLASSES = [r'\w', r'\W', r'\d', r'\D', r'\s', r'\S', r'[\w-]', r'[^\w]', r'[\W_]', r'[^\W_]', r'[^\W\d_]', r'[^\W]',
                r'[\W\d]', r'[^\S]', r'[^\d\s]', r'[a\W]', r'[а-яé]', r'[^\Sa]', r'[\S\d]', r'[^a\w]']  # fmt: skip
REPEATS = ["*", "+", "?", "{2}", "{1,2}", "{0,2}", "{2,}"]
NAMES = ["alpha", "alnum", "upper", "lower", "punct", "space", "digit", "print", "graph", "cntrl", "blank", "xdigit"]
GREP_PIECES = [r'\.', '[]a]', '[^]a]', '[a\\]', '[^b-]', r'\w', r'\W', r'\s', r'\S', *(f'[[:{name}:]]' for name in NAMES),
               *(f'[^[:{name}:]_[:{other}:]-]' for name, other in zip(NAMES, ['digit', 'blank', 'punct'] * 4))]  # fmt: skip
# Pieces for pure ASCII texts: GNU grep 3.8 overlooks word boundaries in repeated groups, and next to bytes outside of
# characters.
WORD_PIECES = [r"\<a", r"b\>", r"\bx", r"\Bx"] * 4
RG_PIECES = ['(?i:aB)', '(?:ab|c)', r'\x61', r'[^\x61]', r'\.', '[a-b-]', '(?s:.)', r'x\<*a', r'\b{start}?b', r'a\>{0,2}', r'b\b*?',
             r'(?:\<)*a', r'c\b{end}{1,2}']  # fmt: skip

WORDS = []  # has an item if ripgrep is version 15, whose -w means the same as tg's

# An expression that consists only of these parts is a string, except that '.' and '*' may be operators.
QUOTED_PIECES = [r"\\", r"\\", r"\*", r"\.", "a", "b", "a*", r"\\*", "."]


# What GNU grep reads as itself or as nothing at the start of an alternative.
LEADING = ["+", "?", "*", "{x", "{", "{1"]


def leading(draw, more):
    """Return what may come first in an alternative."""
    return opened(draw) if more is RG_PIECES or draw.random() < 0.9 else draw.choice(LEADING)


def expression(draw, depth=2, wide=False, more=GREP_PIECES):
    parts = []
    for _ in range(draw.randint(1, 4)):
        kind = draw.random()
        if wide and kind < 0.5:
            part = draw.choice(WIDE_CLASSES if kind < 0.35 else WIDE_PIECES)
        elif kind < 0.5:
            part = draw.choice(PIECES)
        elif kind < 0.58:
            part = draw.choice(more)
            part = "(" + part + ")" if "|" in part else part
        elif kind < 0.75 or depth == 0:
            part = draw.choice(CLASSES)
        else:
            part = (
                draw.choice(["(?:", "(?i:", "("] if more is RG_PIECES else ["("])
                + leading(draw, more)
                + expression(draw, depth - 1, wide, more)
                + ")"
            )
        if draw.random() < 0.25 and re.search(r"\\[<>bB]", part) is None:
            if len(part) > 1 and part[0] not in "([\\":
                part = "(" + part + ")"
            part += draw.choice(REPEATS)
        parts.append(part)
    made = leading(draw, more) * (depth == 2) + "".join(parts)
    if draw.random() < 0.15:
        made += "|" + leading(draw, more) + expression(draw, 0, more=more)
    # GNU grep 3.8 misses lines if an anchor is in a repeated group.
    if depth == 2 and draw.random() < 0.15:
        made = "^" + made
    if depth == 2 and draw.random() < 0.15:
        made += "$"
    return made


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


def text(draw, wide, ascii):
    lines = []
    pieces = PIECES + WIDE_PIECES if wide or draw.random() < 0.5 else PIECES
    pieces = [piece for piece in pieces if piece.isascii() or not ascii]
    for _ in range(draw.choice([0, 1, 3, 30, 300])):
        lines.append("".join(draw.choice(pieces) for _ in range(draw.randint(0, 12))))
    made = "\n".join(lines).encode()
    if draw.random() < 0.8:
        made += b"\n"
    if draw.random() < 0.1:
        made = made.replace(b"x", b"\xff")
    if draw.random() < 0.2:
        made = made.replace(b"\n", b"\r\n")
    if made.endswith(b"\n") and draw.random() < 0.1:  # beyond the first step, which decides how the next ones are read
        made *= 150000 // len(made)
    return made


def run(command, environment):
    done = subprocess.run(command, capture_output=True, env=environment, check=False, timeout=60)
    return done.stdout, done.returncode


def grep_case(draw, name, ascii, crlf):
    words = "-i -v -w -x -n -b -c -o -l -a -z -A1 -B2 --color=always"
    options = [word for word in words.split() if draw.random() < 0.15]
    if draw.random() < 0.1:
        options += ["-m", "2"]
    more = GREP_PIECES + WORD_PIECES * ascii
    made = expression(draw, more=more)
    syntax = "-E"
    if draw.random() < 0.2:
        syntax, made = "-G", basic(made)
    patterns = ["-e", made]
    if draw.random() < 0.15:
        other = expression(draw, more=more)
        patterns += ["-e", basic(other) if syntax == "-G" else other]
    return ["grep", syntax, *options, *patterns, name], ["trawl", syntax, *options, *patterns, name]


def rg_case(draw, name, ascii, crlf):
    options = ["-w"] * len(WORDS) + "-i -v -x -n -b -c -o --column --vimgrep -S --passthru -C1".split()
    options = [o for o in options if draw.random() < 0.1] + ["--crlf"] * (draw.random() < (0.6 if crlf else 0.05))
    made = expression(draw, wide=draw.random() < 0.5, more=RG_PIECES)
    if draw.random() < 0.2:
        made = re.sub(r"([*+?}])", r"\1?", made, count=1)
    if "--crlf" in options and "|" not in made and draw.random() < 0.5:
        made = made.rstrip("$") + "$"
    if draw.random() < (0.5 if crlf else 0.2):
        options += ["-r", draw.choice(["<$0>", "[$1]", "<$1>", "${1}x", "$2$1", "n"])]
    patterns = ["-e", made]
    if draw.random() < 0.15:
        patterns += ["-e", expression(draw, more=RG_PIECES)]
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
    if leads and "-E" in wanted and re.search(r"-o |--color|\[\^?\[:|\\[<>bBwWsS]|[^!-~ ]", " ".join(wanted)):
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
    return {"grep": "grep", "rg": judges() + "/rg" if judges() else shutil.which("rg") or "", "trawl": TRAWL, "tg": tg}


@pytest.fixture(scope="module")
def has_rg(programs):
    version = subprocess.check_output([programs["rg"], "--version"]) if programs["rg"] else b""
    WORDS.extend([True] * (b"ripgrep 15." in version))
    return b"ripgrep 13." in version or b"ripgrep 15." in version


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


def test_fixed(programs, has_rg, folder):
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
        if has_rg or wanted[0] == "grep":
            check(wanted, got, programs)


@pytest.mark.parametrize("number", range(max(10, amount(600))))
def test_texts(number, programs, has_rg, found, folder):
    """Search a text for four expressions."""
    draw, name = random_of("expressions", number), os.path.join(folder, "text")
    wide = has_rg and draw.random() < 0.3
    ascii = not wide and draw.random() < 0.5
    with open(name, "wb") as file:
        made = text(draw, wide, ascii)
        file.write(made)
    broken, crlf = b"\xff" in made, b"\r\n" in made
    for _ in range(4):
        case = rg_case if wide or (has_rg and draw.random() < 0.4) else grep_case
        wanted, got = case(draw, name, ascii and not broken, crlf)
        locale = draw.choice(found) if case is grep_case else "C.UTF-8"
        if not differs_by_design(wanted):
            check(wanted, got, programs, broken, locale)
