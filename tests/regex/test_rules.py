"""Searches for lists of rules with the shapes of public rules for secrets: counted repetitions of Unicode's classes, a
name between optional parts, alternatives that have no string in common. Each rule has a line that it matches. A list
must find what its rules find alone, and `re` says what that is."""

import os
import re
import string

import pytest
from harness import TRAWL, amount, execute, numbers, random_of, write

NAMES = "acme borealis cobalt drumlin ember fjord garnet heron isotope juniper kestrel lumen mistral nimbus pylon quartz".split()
HEX, LETTERS = "0123456789abcdef", string.ascii_letters + string.digits
KEY = r"""(?i)[\w.-]{0,50}?(?:NAME)(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}"""
# A row: the rule, the line, in which {7} are seven letters and <7> seven hexadecimal digits.
SHAPES = [
    (KEY + r"""([a-z0-9]{32})(?:[\x60'"\s;]|\\[nr]|$)""", "my_NAME_key = '{32}'"),
    (KEY + r"""([a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{12})(?:[\x60'"\s;]|$)""", "NAME: <8>-<4>-<12>"),
    (r"\b(NAME_[A-Za-z0-9]{36})\b", "x=NAME_{36};"),
    (r"\bNAME-[\w-]{50,1000}\b", "NAME-{990}"),
    (r"(?:NAME)[.][\w-]{20,200}[.][\w-]{50,1000}={0,2}", "NAME.{50}.{700}="),
    (r"-----BEGIN[ A-Z0-9_-]{0,100}NAME KEY-----[\s\S-]{64,}?KEY(?: BLOCK)?-----", "-----BEGIN NAME KEY-----{90}-----END NAME KEY-----"),
    (r"[\w-]{900,1000}!NAME", "{950}!NAME"),
    (r"(?i)\b[a-z0-9]{240}NAME\b", "{240}NAME"),
    (r"https://[\w-]{1,63}\.NAME\.(?:com|io|dev)/(?:[\w/-]{1,200})", "see https://h-<5>.NAME.io/{30}!"),
    (r"(?:^|[^\w-])NAME[\d]{4}[\w]{10,40}(?:$|[^\w-])", "NAME2026{20}"),
    (r"\w{1000}|NAME\d{30}", "NAME" + "7" * 30),
    (r"\w{60}\W{1,5}\w{300}(?:NAME)?", "{60}--{300}NAME"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(max(1, int(amount(10) // 100))))
def test_rules(number, folder):
    rng = random_of("rules", number)
    count = 12 if number == 0 else 200
    rules, lines = [], ["nothing of note"] * 20
    for turn in range(count):
        name = rng.choice(NAMES)
        rule, line = (part.replace("NAME", name) for part in SHAPES[(turn + number) % len(SHAPES)])
        line = re.sub(r"\{(\d+)\}", lambda found: "".join(rng.choices(LETTERS, k=int(found[1]))), line)
        line = re.sub(r"<(\d+)>", lambda found: "".join(rng.choices(HEX, k=int(found[1]))), line)
        assert re.search(rule, line), (rule, line)
        rules.append(rule)
        lines += [line, line[:-9]]
    rng.shuffle(lines)
    write(folder + "/rules", "\n".join(rules) + "\n")
    write(folder + "/text", "\n".join(lines) + "\n")
    wanted = "".join(line + "\n" for line in lines if any(re.search(rule, line) for rule in rules)).encode()
    os.symlink(TRAWL, folder + "/tg")
    # trawl -P and --engine=auto leave to PCRE2 what trawl finds too large; tg does not
    for command in ([TRAWL, "-P"], [TRAWL, "-P", "-i"], ["./tg"], ["./tg", "--engine=auto"]):
        options = command[1:]
        found = execute([*command, "-f", "rules", "text"], folder)
        expected = wanted
        if "-i" in options:
            expected = "".join(
                line + "\n" for line in lines if any(re.search(rule, line, re.I) for rule in rules)
            ).encode()
        assert found == (0, expected, b""), (command, rules)
    for rule in rules[:4]:
        expected = sum(re.search(rule, line) is not None for line in lines)
        found = execute([TRAWL, "-P", "-c", "-e", rule, "text"], folder)
        assert found[:2] == (0, b"%d\n" % expected), rule


# Rules of a book: S stands for one of a few strings, with which many rules begin or which many contain.
FORMS = [r"S\d+ (?:foo|bar)N", r"S-?[a-f]{2,4}", r"S\s*[:=]\s*\w{2,}", r"\bS\w*[ \t]+\w+", r"[a-m]+S\d?[xy]", r"[a-m]+s\d?[xy]e",
         r"\d{2,3}[a-c]\b", r"(?i)S[ -]N", r"(?i)[\w.-]{0,5}?S[ :=]{1,3}\w{2}", r"(?i)x?(?-i:S)N", r"^S",
         r"S.*N$", r"(?:S|N[a-f])x?é", r"\w{3,9}N", r"[^a-z]S", r"N\b"]  # fmt: skip


@pytest.mark.parametrize("number", numbers(12))
def test_books(number, folder):
    """A book of rules finds what each rule finds alone: `re` searches for one after the other."""
    rng = random_of("books", number)
    stems = rng.sample(["user", "use", "session", "éa", "tok", "token", "k", "ab", "worker"], rng.randint(1, 4))
    pieces = [*stems, *"foo bar 12 7 x xe dse ab é - = USER Tok жe".split(), " ", " ", ": "]
    book = {
        rng.choice(FORMS).replace("S", rng.choice(stems)).replace("N", rng.choice(["1", "2", "12", "x", "7"]))
        for _ in range(rng.choice([4, 17, 40, 300]))
    }
    book, lines = sorted(book), ["".join(rng.choices(pieces, k=rng.randint(0, 9))) for _ in range(rng.randint(1, 200))]
    rng.shuffle(book)
    write(folder + "/rules", "\n".join(book) + "\n")
    write(folder + "/text", "\n".join(lines) + "\n")
    os.symlink(TRAWL, folder + "/tg")
    for options, form, flags in ([], "{}", 0), (["-i"], "{}", re.I), (["-w"], r"(?<!\w)(?:{})(?!\w)", 0):
        rules = [
            re.compile(form.format(rule.replace("(?i)", "")), flags | (re.I if "(?i)" in rule else 0)) for rule in book
        ]
        # an expression's matches in a line do not overlap; of matches of several, the first expression's wins
        spans, counts, selected = [], [0] * len(book), []
        for number_of_line, line in enumerate(lines, 1):
            alone = [list(rule.finditer(line)) for rule in rules]
            counts = [count + len(found) for count, found in zip(counts, alone)]
            selected += [line] if any(alone) else []
            at = 0
            while found := min(
                ((match.start(), index, match) for index, rule in enumerate(rules) if (match := rule.search(line, at))),
                key=lambda one: one[:2],
                default=None,
            ):
                spans.append("%d:%s" % (number_of_line, found[2][0]))
                at = found[2].end()
        for report, wanted in (
            (["-o", "-n"], spans),
            ([], selected),
            (["-c"], ["%d" % len(selected)] if selected else []),
            (["--count-matches"], ["%d" % len(spans)] if spans else []),
            (["--count-by-pattern"], ["%d:%d:%s" % one for one in zip(range(1, len(book) + 1), counts, book)]),
        ):
            for more in ([], ["-j2", "--chunk-bytes=40"]):
                found = execute(["./tg", "-N", *options, *report, *more, "-f", "rules", "text"], folder)
                assert found[1:] == ("".join(line + "\n" for line in wanted).encode(), b""), (
                    options,
                    report,
                    more,
                    book,
                )
