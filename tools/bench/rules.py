"""rules: times searches for many expressions at once, the lines in which any of them matches, against Hyperscan, ripgrep
and RE2::Set."""

import random
import re
import subprocess

import commands
import rivals
import runner
from report import opening, result, spread_line, table, times
from rivals import RE2_SET
from runner import command
from sets import compile_seconds, working

head = rivals.head
COUNTS = (1, 10, 30, 100, 300, 1000, 3000)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
FIRST, LATER, HYPERSCAN = "trawl, first search", "trawl, later searches", "Hyperscan"
TG, RG = "tg -j1 -c -f", "rg -j1 -c -f"
RG_RULES_MAX = 300  # ripgrep takes a minute and more for some longer lists


def secret(draw, words):
    return draw.choice(("{}_?[0-9a-f]{{16,32}}", "{}[ \\t]*[:=][ \\t]*[\"'][^\"'\\n]{{8,}}",
                        "{}[-_][A-Za-z0-9]{{20,40}}")).format(draw.choice(words))  # fmt: skip


def pair(draw, words):
    return rf"(?i)\b{draw.choice(words)}\w*[ \t]+(\w+[ \t]+)?{draw.choice(words)}"


def classes(draw, words):
    del words
    low, high = sorted(draw.sample("abcdefghijklm", 2))
    one, two = draw.sample("aeiouxy", 2)
    return (
        f"{draw.choice(LETTERS)}[{low}-{high}]+{draw.choice('bcdfglmnprstvwxyz')}\\d?[{one}{two}]{draw.choice(LETTERS)}"
    )


NEAR = r"""(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}"""
COMMON = ("token", "secret", "password", "client", "access")
AFTER = r"""(?:[\x60'"\s;]|\\[nr]|$)"""


def scanner(draw, words):
    """A rule like those of public scanners for secrets, of which about half are generic assignments."""
    name = draw.choice(words if draw.random() < 0.75 else COMMON)
    letters, count = draw.choice(("a-z0-9", "a-f0-9", "a-z0-9=_\\-", "A-Za-z0-9")), draw.choice((20, 32, 40, 64))
    other = draw.choice(words)
    uuid = "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
    return draw.choice((
        *3 * [rf"(?i)[\w.-]{{0,50}}?(?:{name}){NEAR}([{letters}]{{{count}}}){AFTER}"],
        rf"(?i)[\w.-]{{0,50}}?(?:{name}|{other}){NEAR}({uuid}){AFTER}",
        rf"\b({name[:4]}_[{letters}]{{{count}}}){AFTER}",
        rf"\b({name[:3].upper()}[A-Z0-9]{{16}})\b",
        rf"{name[:4]}-(?i)[{letters}]{{{count}}}",
        rf"\b(?:{name}|{other})://[^\s:@/]{{1,64}}:[^\s:@/]{{3,64}}@[\w.-]+",
    ))  # fmt: skip


# name: function that draws a rule
KINDS = {"secrets": secret, "-i words": pair, "classes": classes, "a scanner's": scanner}


def text_of(count, texts):
    """Return the path of a text of code and prose: pieces of 1 MiB at most, in a random order."""
    draw, pieces, made = random.Random(3), [], []
    for kind in ("code", "english", "world"):
        content = texts.source(kind)[0]
        while content:
            end = content.find(b"\n", min(1 << 20, len(content) - 1)) + 1 or len(content)
            pieces.append(content[:end])
            content = content[end:]
    while sum(map(len, made)) < count:
        made.append(draw.choice(pieces))
    whole = b"".join(made)[:count]
    return texts.write("rules-text", whole[: whole.rfind(b"\n") + 1])


def history_of(count, texts):
    """Return the path of this repository's changes; without a repository, of code and prose."""
    log = ["git", "-C", runner.ROOT, "log", "-p"]
    with subprocess.Popen(log, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as git:
        made = git.stdout.read(count)
        git.kill()
    return texts.write("rules-history", made[: made.rfind(b"\n") + 1]) if made else text_of(count, texts)


def rows(options, texts):
    """Yield a row for each kind and number of rules, then one of whole commands."""
    tg = commands.install(options, texts, "tg")
    known = sorted(it for it in set(texts.source("words")[0].decode("utf-8", "replace").split())
                   if it.isascii() and it.isalpha() and it.islower() and 5 <= len(it) <= 10)  # fmt: skip
    for kind, draws in KINDS.items():
        path = (history_of if draws is scanner else text_of)(options.bytes, texts)
        for count in COUNTS:
            name, draw = f"{count} {kind}", random.Random(count)
            if options.filter and options.filter not in name:
                continue
            made = [draws(draw, known).encode() for _ in range(count)]
            rules = texts.patterns(f"rules-{re.sub('[^a-z]+', '-', kind)}-{count}", made)
            ask = {"text": f"file:{path}", "patterns": f"file:{rules}", "syntax": "perl", "alike": True}
            own = {"isa": options.instruction_set, "ours": True, "threads": 1, "clock": "cpu"}
            who = [{"name": FIRST, **own}, {"name": LATER, **own, "plan": "once"},
                   {"name": HYPERSCAN, "kind": "hyperscan", "clock": "cpu"}]  # fmt: skip
            facts = {"kind": kind, "rules": count}
            yield {"name": name, **facts, "scripted": (RE2_SET, rules, path),
                   "asks": [({**ask, "call": "count-lines"}, who)]}  # fmt: skip
            programs = [
                {"name": label, "ours": label == TG, "clock": "cpu", "runs": 1 if label == RG else None,
                 **command(program, "--no-config", "--no-unicode", "-j1", "-c", "--include-zero", "-f", rules, path)}
                for label, program in ((TG, tg), (RG, "rg"))
                if label == TG or count <= RG_RULES_MAX
            ]  # fmt: skip
            yield {"name": name, **facts, "merge": True, "asks": [({}, programs)]}


# ---- Reports --------------------------------------------------------------------------------


def ratios(data, name, other, of):
    """Return a table: the other's time / ours for each kind and number of rules."""
    cells = []
    for kind in KINDS:
        known = {row["rules"]: row for row in data["rows"] if row["kind"] == kind}
        if known:
            pairs = [
                (result(known[it], name), result(known[it], other)) if it in known else (None, None) for it in COUNTS
            ]
            cells.append([kind] + [times(of(b) / of(a)) if a and b and of(a) else "-" for a, b in pairs])
    return table(["", *map(str, COUNTS)], cells)


def section(data):
    """Make the tables of docs/benchmarks.md. What has no figure is left out."""
    lines = [*opening(data), spread_line(data), ""]
    for what, name, other, of in (
        (f"{HYPERSCAN}'s time / trawl's, a search with a new plan, without building it:", FIRST, HYPERSCAN, working),
        (f"{HYPERSCAN}'s time / trawl's, later searches:", LATER, HYPERSCAN, working),
        (f"{HYPERSCAN}'s time / trawl's, compiling the rules:", FIRST, HYPERSCAN, compile_seconds),
        (f"{RE2_SET}, its time / trawl's, a search with a new plan:", FIRST, RE2_SET, working),
        ("`rg -f`'s time / `tg -f`'s, whole processes on one thread:", TG, RG, working),
    ):
        if any(result(row, name) and result(row, other) for row in data["rows"]):
            lines += [what, "", *ratios(data, name, other, of), ""]
    names = [name for name in (FIRST, LATER, HYPERSCAN, RE2_SET, TG, RG)
             if any(result(row, name) for row in data["rows"])]  # fmt: skip
    seconds = [[row["name"], f"{row['found']:,}"] + [f"{1000 * working(it):.1f}" if (it := result(row, name)) else "-"
               for name in names] for row in data["rows"]]  # fmt: skip
    return lines + ["Milliseconds:", "", *table(["rules", "lines", *names], seconds)]
