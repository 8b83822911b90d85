"""Searches for lists of rules with the shapes of public rules for secrets: counted repetitions of Unicode's classes, a
name between optional parts, alternatives that have no string in common. Each rule has a line that it matches. A list
must find what its rules find alone, and `re` says what that is."""

import os
import re
import string

import pytest
from harness import TRAWL, amount, execute, random_of, write

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
    # trawl -P and --engine=auto leave to PCRE2 what RE2 finds too large; tg has RE2 alone
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
