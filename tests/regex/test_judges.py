"""Searches for random expressions with trawl and tg, and compares the occurrences with those of independent programs.

The judges are google-re2 and ripgrep of scripts/judges.sh, Python's re, Perl, `grep -P` and `grep -E`. Those whose
names end in -P check the syntax that RE2 lacks. Occurrences must be equal, except for empty ones and for what
docs/regex.md lists. trawl may reject an expression only if it (a) contains -[, (b) is judged by grep -E, or (c)
contains (?< and is judged by rg-P or perl-P.
"""

import os
import re
import subprocess

import pytest
from harness import TRAWL, amount, judges, opened, random_of, write

LETTERS = ["a", "A", "b", "c", "n", "N", "k", "K", "s", "é", "É", "0", "-", " ", "_"]
COMMON = ['[aA]', '[nN]', '[kK]', '[ab]', '[a-c]', '[^a]', '[^nN]', '[a-cA]', '.', r'\x61', r'[\x61A]', '[éÉ]', '[]a]', '[^-a]', 'ab', 'cab', 'ко', 'a.c',
          '[éx]', '[é€]', '.*', '.+', 'x(ab){1,2}', '[ab]?y', '(ab)?', 'c(?:ka )?', '.*c$', '[а-я]', '[А-яk]', '[^ -ÿ]', '( |$)', '(^|-)', '^', '$']  # fmt: skip
ASCII = [r"\d", r"\D", r"\W", r"[\Wa]", r"[k\D]", r"\w", r"\s", r"\S", "[[:alpha:]]", "[[:^alpha:]]"]
PERL = [r'\pL', r'\PL', r'\p{Lu}', r'\x{212a}', r'[\x{80}-\x{10ffff}]', r'(?i)k', r'\Qa.\E', '.*?', r'\A', r'\z',
        '(?U:a+)', '(?i-s:a.)']  # fmt: skip
RIPGREP = [r'\pL', r'\PL', '[:=]', '(?<a.b[0]>b)', r'\p{Lu}', r'\u{212a}', r'[\W_]', r'[^\W\d]', r'[^\Wa]', r'[^\S]', 'a**', 'a{ 1,2 }', r'(?u:\w)', r'[\p{L}--[a-z]]',
           r'\p{Uppercase_Letter}', r'\P{gc:Ll}', r'\p{sc!=Greek}', r'[^\pC]', r'[\p{Cased_Letter}\d]', r'\P{Cn}', '(?x: a [ b c ] )', '(?x:(?-x: )k)']  # fmt: skip
EDGES = [r"\<", r"\>", r"\b{start}", r"\b{end}", r"\b", r"\b", r"\B", r"\b{start-half}", r"\b{end-half}", "н", "中"]
# What RE2 lacks.
BEYOND = ['(?=a)', '(?!b)', '(?<=a)', '(?<!k)', '(?=.*c)', '(?<=é)', '(?<=ab|c)', r'(a|b)\1', r'(?<n>[ab])\k<n>', 'a++', '[ab]*+', '.?+', '(?>a|ab)',
          r'\K', r'\X', r'\h', r'\R', r'\N', '(?|(a)b|(c))', '(-)?(?(1)a|b)', '(a(?1)?b)', '(?#x)', '(?i)k', '(?i:s)é', '(?s-i:a.)', r'\Qa.\E+',
          '(?=a|b(?!c))', '[a-c]{2}', 'a{1,3}?b', r'\x{e9}', '(?<!^)b', '(?<=^a)b', r'(?=\Qa)\Eb?)', '[]-a]', r'[\]a]', '(?P<m>a)(?P=m)', '(?:a|(?=b))+']  # fmt: skip
ITEMS = ['a', 'b', 'k', 'K', 's', 'é', '0', '-', '&', '[:alpha:]', '[:^alpha:]', r'\w', r'\W', r'\d', r'\PL', 'a-c',
         'A-Z', 'é-ü', r'\]', '.']  # fmt: skip
REPEATS = ["*", "+", "?", "{2}", "{1,2}", "??", "*?", "+?"]
PIECES = ["a", "A", "b", "c", "n", "N", "k", "K", "s", "S", "0", "ab", "-", " ", "x", "_", "&", "]", "."]
WIDE = ["ſ", "\u212a", "é", "É", "€", "💩", "я", "не", "中", "\u0301", "\u0903", "\u200d", "‿", "٣", "\u00a0"]
# A command that takes more processor time than FREE_S and SLOWER times its judge's time counts as exploding.
FREE_S, SLOWER = 10, 20
# Bytes that are not UTF-8: only ripgrep and grep, among the judges, read them.
PLAIN = "=!<>:#'%@,;~/PRC})("
BROKEN = [b"\xff", b"\xed\xa0\x80", b"\xe0\x80\x80", b"\xf0\x80\x80\x80", b"\xc3"]


def ripgrep_class(draw, depth=2):
    made = "[" + "^" * (draw.random() < 0.25)
    for _ in range(draw.randint(1, 3)):
        for _ in range(draw.randint(1, 2)):
            made += ripgrep_class(draw, depth - 1) if depth and draw.random() < 0.35 else draw.choice(ITEMS)
        made += draw.choice(["&&", "--", "~~", "", "", ""])
    return made + "]"


def expression(draw, parts, groups, depth=2):
    alternatives = []
    for _ in range(draw.choice([1, 2, 2, 3])):
        made = ""
        for _ in range(draw.choice([1, 1, 2, 2, 3])):
            kind = draw.random()
            if kind < 0.75 or depth == 0:
                part = draw.choice(LETTERS if kind < 0.4 else parts)
                part = part if isinstance(part, str) else part(draw)
            else:
                part = draw.choice(groups) + opened(draw) + expression(draw, parts, groups, depth - 1) + ")"
            if (
                draw.random() < 0.15
                and (part[-1] not in "*}^$>" or part in EDGES)
                and part not in ["(?#x)", r"\K", r"\A", r"\z"]
            ):
                part += draw.choice(REPEATS)
            made += part
        alternatives.append(made)
    made = "|".join(alternatives)
    return draw.choice(["^(?:%s)$", "%s", "%s"]) % made


def listed(command, environment):
    """Return the status, the occurrences that a program lists with -nob, without empty ones, and the processor time."""
    before = os.times()
    done = subprocess.run(command, capture_output=True, env=environment, check=False, timeout=300)
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    lines = [line for line in done.stdout.split(b"\n") if not re.fullmatch(rb"(\d+:\d+:)?", line)]
    return done.returncode, lines, spent


def by_matcher(matcher, lines):
    """Return the result in the form of `listed`, for a compiled expression of Python's re or of google-re2."""
    found, at = [], 0
    for number, line in enumerate(lines):
        text, place = line.decode(), 0
        while place <= len(text) and (match := matcher.search(text, place)):
            if match.end() > match.start():
                found.append(
                    b"%d:%d:%s" % (number + 1, at + len(text[: match.start()].encode()), match.group().encode())
                )
            place = max(match.end(), match.start() + (match.end() == match.start()))
        at += len(line) + 1
    return found


PERL_PROGRAM = r"""
use open qw(:std :utf8); use utf8; no warnings; my $at = 0; my $made = qr/$ARGV[0]/a;
while (<STDIN>) { my $size = length Encode::encode_utf8($_); chomp; my $line = $_;
  while ($line =~ /$made/ga) {
    print "$.:", $at + length Encode::encode_utf8(substr $line, 0, $-[0]), ":$&\n" if $+[0] > $-[0]; }
  $at += $size; }
"""


SCOPED = ["(?i:", "(?:", "(", "(?-i:", "(?s:"]
JUDGES = [
    # In trawl \w and [[:alpha:]] mean ASCII even if case is ignored, so the row with these classes has no (?i.
    ('re2', COMMON + ASCII + [part for part in PERL if part != '(?i)k'], ['(?:', '(', '(?-i:', '(?s:'], "re2"),
    ('re2', COMMON + PERL, SCOPED, "re2"),
    ('re', COMMON + [r'[^\s]', r'\d', r'\w', r'\S'], ['(', '(?:', '(?s:'], "re"),
    ('re', COMMON + [r'\d', r'\w', '(?=a)', '(?!b)', '(?<=a)', '(?<!k)', 'a++', '(?=.*c)', '(?#=)'],
     ['(?=', '(?!', '(?=', '(?!', '(?>', '(?<=', '(?<!', '(?:', '(?i:', '(?-i:'], "re"),
    ('grep', COMMON, ['(', '(?:'], None),
    ('rg', COMMON + ASCII + RIPGREP + [ripgrep_class] * 12, [*SCOPED, '(?u:'], None),
    ('rg', COMMON + RIPGREP + EDGES * 2, SCOPED, None),
    ('grep-E', COMMON[:-7] + [r'(a|b)\1', r'([ab])c?\1', r'(.)\1', r'\w', '(k?)(.)\\2', '[[:alpha:]]', '[^[:alnum:]_]', r'\W', r'(\w)a?\3', r'\bx'], ['('], None),
    ('grep-P', COMMON + [r'\d', r'\w', r'\s', '[[:alpha:]]', '[[:^alpha:]]', r'[^\d]', r'[^\w]'] + BEYOND * 2, [*SCOPED, '(?>', '(?=', '(?!', '(?<=', '(?<!', '(?|', '(*pla:', '(*nla:', '(*plb:', '(*nlb:', '(*atomic:'], None),
    ('perl-P', COMMON + [r'\d', r'\w', r'\W', r'\S', '[[:alpha:]]'] + BEYOND * 2, [*SCOPED, '(?>', '(?=', '(?!', '(?|', "(?'q'", '(*pla:', '(*nla:'], None),
    ('rg-P', COMMON + BEYOND * 2, [*SCOPED, '(?>', '(?=', '(?!', '(?<=', '(?<!', '(?|', '(?P<q>', "(?'q'", '(?(?=a)', '(*pla:', '(*nla:', '(*plb:'], None),
]  # fmt: skip


def matcher_of(kind):
    """Return the function of Python's re or of google-re2 that compiles an expression, and the error that it raises."""
    if kind == "re":
        return lambda made: re.compile(made, re.ASCII), re.error
    if not judges():
        pytest.skip("scripts/judges.sh could not install google-re2")
    re2 = pytest.importorskip("re2")
    quiet = re2.Options()
    quiet.log_errors = False
    # In all versions of RE2, an alternative [kK] also matches the Kelvin sign. The empty group prevents this.
    return lambda made: re2.compile(re.sub(r"(\[(?:kK|sS)\])", r"(?:)\1", made), options=quiet), re2.error


@pytest.mark.parametrize("number", range(amount(240)))
@pytest.mark.parametrize("row", range(len(JUDGES)), ids=[row[0] for row in JUDGES])
def test_judges(row, number, folder):
    judge, parts, groups, compiled = JUDGES[row]
    draw, environment = (
        random_of(f"{judge} {row}", number),
        {**os.environ, "LC_ALL": "C.UTF-8", "TRAWL_CONFIG_PATH": "/dev/null", "RIPGREP_CONFIG_PATH": ""},
    )
    if judge.startswith("rg") and not judges():
        pytest.skip("scripts/judges.sh could not install ripgrep 15.2")
    name, tg = folder + "/text", folder + "/tg"
    os.symlink(TRAWL, tg)
    made = expression(draw, parts, groups)
    pieces = [piece.encode() for piece in PIECES + WIDE + sorted(set(made) & set(PLAIN)) * 2]
    if judge == "re" and "(?i:" in made:  # re.ASCII ignores the case of ASCII letters alone
        pieces = [piece for piece in pieces if piece.isascii()]
    # listed in docs/differences.md
    if judge in ("rg", "grep", "grep-P", "rg-P") and draw.random() < 0.3 and "\\B" not in made and "-half" not in made:
        pieces += BROKEN
    options = ["-anob"]
    if judge == "grep-E":
        made = r"([a-c])x?\1|" + re.sub(r"\\x61|(?<=[*+?])\?", "", made.replace("(?:", "("))
        options = ["-an" + draw.choice(["", "v", "x", "w"])] + ["-i"] * (
            draw.random() < 0.3 and re.search(r"[kKsS]|\\3", made) is None
        )
        if re.search(r"\(\)|\(\||\|\)|\|\||\|$|[(|][+*?]", made):
            return  # an empty alternative
        if (
            "w" in options[0]
            and subprocess.run(
                ["grep", "-Eqxe", made], input=b"\n", env=environment, capture_output=True, check=False
            ).returncode
            == 0
        ):
            return  # listed in docs/differences.md: grep shortens no match to an empty match
        empty = [
            subprocess.run(
                ["grep", "-Eqe", one], input=b"\n", env=environment, capture_output=True, check=False
            ).returncode
            for one in (made, made.split("|", 1)[1])
        ]
        if empty == [1, 0]:
            return  # listed in docs/differences.md: next to a backreference, grep overlooks empty matches of ((b*)*|k)*
    if judge == "rg-P":
        made = made.replace(r"\X", ".")  # listed in docs/differences.md; grep has the same library
    if judge.endswith("-P"):
        made += draw.choice(["(?!Z)", "(?<!Z)", "(?#)(?=)"])
        options = [
            "-a" + draw.choice(["nob", "nob", "n", "c", "nv", "nx", "obx"] if judge != "perl-P" else ["nob"])
        ] + ["-i"] * (judge != "perl-P" and draw.random() < 0.3)
        options += ["-w"] * (judge == "grep-P" and draw.random() < 0.2)
        if judge == "grep-P" and re.search(r"\(\?<[=!][^)]*\^", made):
            return  # where grep has found an empty match before, its (?<=^) fails
    lines = [b"".join(draw.choice(pieces) for _ in range(draw.randint(0, 5))) for _ in range(40)]
    if judge.endswith("-P") and (pieces[-1] == BROKEN[-1] or judge == "perl-P" or draw.random() < 0.3):
        made = f"(?:{made})[a-cA-C]"  # so that no match is empty
        options += ["-r", "<$1|$n>"] * (judge == "rg-P")
    if draw.random() < 0.02:  # longer than a window
        lines *= 98304 // (sum(map(len, lines)) + len(lines)) + 2
    patterns = ["-e", made]
    if judge == "rg" and draw.random() < 0.01:
        many = [
            rf"\b{''.join(draw.choices(LETTERS[:9], k=draw.randint(1, 4)))}\b"
            for _ in range(draw.choice([10, 100, 400, 1000]))
        ]
        options = [draw.choice(["-anob", "-ac", "-an"])]
        patterns = ["-f", name + "-list"]
        write(patterns[1], "\n".join([*many, made]) + "\n")
    write(name, b"\n".join(lines) + b"\n")
    allowed = FREE_S
    if judge == "perl-P":
        with open(name, "rb") as file:
            done = subprocess.run(
                ["perl", "-MEncode", "-CA", "-e", PERL_PROGRAM, made],
                stdin=file,
                capture_output=True,
                check=False,
                timeout=60,
            )
        refused, wanted = 2 if done.returncode else 0, done.stdout.split(b"\n")[:-1]
    elif compiled is None:
        program = ["grep", judge.removeprefix("grep")]
        if judge.startswith("rg"):
            program = [os.path.join(judges(), "rg"), "-j1", *["-P"] * (judge == "rg-P")]
        refused, wanted, spent = listed([*program, *options, *patterns, name], environment)
        allowed += SLOWER * spent
    else:
        compile_it, error = matcher_of(compiled)
        try:
            refused, wanted = 0, by_matcher(compile_it(made), lines)
        except error:
            refused, wanted = 2, []
    command = (
        [tg] + ["-P"] * (judge == "rg-P") if judge.startswith("rg") else [TRAWL, "-E" if judge == "grep-E" else "-P"]
    )
    command += options
    status, got, spent = listed([*command, *patterns, name], environment)
    assert spent <= allowed, f"{' '.join(command)} {made!r} is slow"
    if status == 2 and judge in ("rg-P", "perl-P") and re.search(r"\(\?P?[<']|\(\*[pn]lb:", made):
        return  # newer libraries and Perl allow more in (?<= ), and two groups of one name
    if judge == "re2" and "(?i:" in made and r"\p{Lu}" in made:
        return  # listed in docs/differences.md: newer versions of RE2 ignore the case of \p{Lu}, as tg does
    if refused == 2 or (status == 2 and ("-[" in made or judge == "grep-E")) or (status != 2 and wanted == got):
        return
    more = [one for one in got if one not in wanted]
    broken = [line.decode(errors="ignore").encode() != line for line in lines]
    if (
        judge.startswith("grep")
        and wanted == [one for one in got if one in wanted]
        and all(broken[int(one.split(b":")[0]) - 1] for one in more)
    ):
        return  # listed in docs/differences.md: grep -P overlooks matches after a byte outside of a character
    if judge == "grep-P":
        # Before version 10.43 or so, what PCRE2 knows of a match's first letter loses matches: (?=aa-|[aA])[A-C] in A.
        patterns = [one.replace(made, "(*NO_START_OPT)" + made) for one in patterns]
        if listed(["grep", "-P", *options, *patterns, name], environment)[1] == got:
            return
    pytest.fail(
        f"{' '.join(command)} {made!r}: status {status}; missing {[one for one in wanted if one not in got][:3]}, too many {more[:3]}"
    )
