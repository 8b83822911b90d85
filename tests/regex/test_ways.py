"""Compares the ways that --stats says have searched for an expression with those that --explain lists, with the bytes of
the text, each of which one way has searched, and with the libraries that were loaded."""

import re

import pytest
from harness import BUILD, execute, random_of, write

TG = str(BUILD / "tg")
EXPRESSIONS = r"""
\d+  \w+\d  \p{L}\p{M}  \S+\s\S+\s\S+\s  (a|e|i|o|u){3}  \b\w+\b.\b\w{2}\b  \b\w{1,3}\b  \b(\w)\w*\s\w*\b  \w\b\W\b\w
\s+$  [A-Z]{3,}_[A-Z]{3,}  \b4\d{15}\b  \b[\w.]+@[\w.]+\b  \w{12,}  [a-f]{9}  [A-Z]{4,}[0-9]+  \d{4}-\d\d-\d\d  \d+\.\d+
\b[A-Z]\w+\b  \b\p{Lu}\w+\b  [^aeiou\s]{6}  (?i)[aeiou]{4}  \w+::\w+  ^\s*(pub.)?fn.\w+<  \b(\w+ing|\w+ed).\w+ly\b
\b(?:\d{1,3}\.){3}\d{1,3}\b  [0-9a-f]{8}-?[0-9a-f]{4}\b  \p{Han}{3}  [а-я]{6,}  \w+-\w+  \p{Lu}{3,}  [А-Я]\w+.[А-Я]\w+
\S{20,}  [a-zA-Z]+  \p{P}\p{P}  \p{Latin}+  \w+,.\w+  [b-df-hj-np-tv-z]{5}  ^\w+.\w+.\w+$  worker  worker-1[0-5]  fn
status=(404|500)  ERROR.*404  ERROR|WARN  \w+.of.the  worker|\d{6}  x*  ^  $  \bid\b  \Bd\B  .{200}  \w{0,1200}\b  \S{8,64}$
[\x80-\xff]  (?i)é  \p{Greek}+  слово  \w+слово\b  x\b{end}  ﬀ|ß
""".split()
OPTIONS = ["-c", "-c", "-o", "-n", "-cw", "-ci", "-cv", "-cP", "--count-matches", "-c --crlf"]


def text_of(rng):
    words = (
        "the of and worker status fn pub straße слово Привет 漢字は naïve x@y.org 2026-11-30 10.0.0.1 Self::new".split()
    )
    lines = [" ".join(rng.choices(words, k=rng.randint(0, 12))).encode() for _ in range(1000)]
    lines += [
        b"2026-11-30 ERROR id=%016x status=%d" % (rng.getrandbits(64), rng.choice([200, 404])) for _ in range(1000)
    ]
    lines += [rng.randbytes(rng.randint(0, 80)).replace(b"\n", b"") for _ in range(200)]
    rng.shuffle(lines)
    return b"\n".join(lines)


@pytest.mark.parametrize("number", range(len(EXPRESSIONS)), ids=EXPRESSIONS)
def test_ways(number, folder):
    rng = random_of("ways", number)
    text = text_of(rng)
    write(folder + "/text", text)
    options = rng.choice(OPTIONS).split() + ["-j1", "-e", EXPRESSIONS[number]]
    status, plan, _ = execute([TG, "--explain", *options], folder)
    assert status == 0
    plan = plan.decode()
    if "method: expressions" not in plan:  # a string
        return
    listed = re.findall("^expected ns per byte of text, ([^:]+):", plan, re.M)
    asked = re.search("^may be asked about a line: (.*)", plan, re.M)[1].split(", ")
    behind = re.search("^other ways read lines with: (.*)", plan, re.M)

    status, _, told = execute([TG, "--stats", "-a", *options, "text"], folder)
    assert status < 2
    told = told.decode(errors="replace")
    ways = re.findall(
        r"^  ([\w ]+?)(?: (\".*?\"|in lines with .*?))?: (\d+) bytes(.*)$", told.partition("\nways:\n")[2], re.M
    )
    for name, what, count, more in ways:
        assert name in (listed if int(count) else asked) and ("asked" in more or int(count))
        assert what[:1] in ("", '"') or what == "in lines with " + behind[1]
        assert what[:1] != '"' or name == "atoms"
    assert sum(int(count) for _, _, count, _ in ways) == int(re.search(r"^bytes: (\d+)", told, re.M)[1]) == len(text)
