"""Searches for random expressions with trawl and tg, and compares the occurrences with those of independent programs.

The judges are google-re2 and ripgrep of scripts/judges.sh, Python's re, Perl, `grep -P` and `grep -E`. Those whose
names end in -P check the syntax that RE2 lacks. Occurrences must be equal, except for empty ones and for what
docs/regex.md lists. trawl may reject an expression only if it (a) contains -[, (b) is judged by grep -E, or (c)
contains (?< and is judged by re, rg-P or perl-P.
"""

import os
import re
import subprocess

import pytest
from expressions import DIALECTS, LETTERS, PLAIN, expression, lines_of
from harness import TRAWL, judges, numbers, random_of, ripgrep, write

PIECES = ["a", "A", "b", "c", "n", "N", "k", "K", "s", "S", "0", "ab", "-", " ", "x", "_", "&", "]", "."]
WIDE = ["ſ", "\u212a", "é", "É", "€", "💩", "я", "не", "中", "\u0301", "\u0903", "\u200d", "‿", "٣", "\u00a0"]
# Bytes that are not UTF-8: only ripgrep and grep, among the judges, read them.
BROKEN = ["\udcff", "\udced\udca0\udc80", "\udce0\udc80\udc80", "\udcf0\udc80\udc80\udc80", "\udcc3"]


def listed(command, environment):
    """Return the status and the occurrences that a program lists with -nob, without empty ones."""
    done = subprocess.run(command, capture_output=True, env=environment, check=False, timeout=300)
    return done.returncode, [line for line in done.stdout.split(b"\n") if not re.fullmatch(rb"(\d+:\d+:)?", line)]


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


JUDGES = "re2 . re2 (?i) . re . re (?=) . grep . rg . rg edges . grep-E . grep-P . perl-P . rg-P".split(" . ")


def matcher_of(kind):
    """Return the function of Python's re or of google-re2 that compiles an expression, and the error that it raises."""
    if kind == "re":
        return lambda made: re.compile(made, re.ASCII), re.error
    judges()
    re2 = pytest.importorskip("re2")
    quiet = re2.Options()
    quiet.log_errors = False
    # In all versions of RE2, an alternative [kK] also matches the Kelvin sign. The empty group prevents this.
    return lambda made: re2.compile(re.sub(r"(\[(?:kK|sS)\])", r"(?:)\1", made), options=quiet), re2.error


@pytest.mark.parametrize("dialect", JUDGES)
@pytest.mark.parametrize("number", numbers(240))
def test_judges(dialect, number, folder):
    judge = dialect.split()[0]
    draw, environment = (
        random_of(dialect, number),
        {**os.environ, "LC_ALL": "C.UTF-8", "TRAWL_CONFIG_PATH": "/dev/null", "RIPGREP_CONFIG_PATH": ""},
    )
    name, tg = folder + "/text", folder + "/tg"
    os.symlink(TRAWL, tg)
    made, sample = expression(draw, DIALECTS[dialect])
    pieces = PIECES + WIDE + sorted(set(made) & set(PLAIN)) * 2
    if judge == "re" and "(?i:" in made:  # re.ASCII ignores the case of ASCII letters alone
        pieces, sample = [piece for piece in pieces if piece.isascii()], sample * sample.isascii()
    # listed in docs/differences.md
    if judge in ("rg", "grep", "grep-P", "rg-P") and draw.random() < 0.3 and "\\B" not in made and "-half" not in made:
        # ripgrep's PCRE2 takes .* for the begin of a line, which it does not see after invalid bytes
        pieces += BROKEN * (re.match(r"[(?:a-z)-]*\.\*", made) is None)
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
    text = [line.encode(errors="surrogateescape") for line in lines_of(draw, pieces, [sample, sample + "a"], 5, [40])]
    if judge.endswith("-P") and (pieces[-1] == BROKEN[-1] or judge == "perl-P" or draw.random() < 0.3):
        made = f"(?:{made})[a-cA-C]"  # so that no match is empty
        options += ["-r", "<$1|$n>"] * (judge == "rg-P")
    if draw.random() < 0.02:  # longer than a window
        text *= 98304 // (sum(map(len, text)) + len(text)) + 2
    patterns = ["-e", made]
    if judge == "rg" and draw.random() < 0.01:
        many = [
            rf"\b{''.join(draw.choices(LETTERS[:9], k=draw.randint(1, 4)))}\b"
            for _ in range(draw.choice([10, 100, 400, 1000]))
        ]
        options = [draw.choice(["-anob", "-ac", "-an"])]
        patterns = ["-f", name + "-list"]
        write(patterns[1], "\n".join([*many, made]) + "\n")
    write(name, b"\n".join(text) + b"\n")
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
    elif judge not in ("re", "re2"):
        program = ["grep", judge.removeprefix("grep")]
        if judge.startswith("rg"):
            program = [ripgrep(), "-j1", *["-P"] * (judge == "rg-P")]
        refused, wanted = listed([*program, *options, *patterns, name], environment)
    else:
        compile_it, error = matcher_of(judge)
        try:
            refused, wanted = 0, by_matcher(compile_it(made), text)
        except error:
            refused, wanted = 2, []
    command = (
        [tg] + ["-P"] * (judge == "rg-P") if judge.startswith("rg") else [TRAWL, "-E" if judge == "grep-E" else "-P"]
    )
    command += options
    status, got = listed([*command, *patterns, name], environment)
    if status == 2 and judge in ("re", "rg-P", "perl-P") and re.search(r"\(\?P?[<']|\(\*[pn]lb:", made):
        return  # newer libraries, Perl and Python allow more in (?<= ), or two groups of one name
    if judge == "re2" and "(?i:" in made and r"\p{Lu}" in made:
        return  # listed in docs/differences.md: newer versions of RE2 ignore the case of \p{Lu}, as tg does
    if refused == 2 or (status == 2 and ("-[" in made or judge == "grep-E")) or (status != 2 and wanted == got):
        return
    more = [one for one in got if one not in wanted]
    broken = [line.decode(errors="ignore").encode() != line for line in text]
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
