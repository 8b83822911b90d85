"""--rules prints names where -f prints numbers, and the programs of examples/ read and write what they say."""

import json
import subprocess
import sys

from harness import ROOT, TRAWL, random_of, write

TOML = r"""[[rules]]
id = "aws"
regex = '''AKIA[0-9A-Z]{4}'''
[[rules]]
id = "path alone"
path = '''x'''
[[rules]]
id = "any"
regex = '''\w+[0-9]'''
"""


def run(*arguments, data=None):
    return subprocess.run(arguments, input=data, capture_output=True, check=False)


def test_names(here):
    """Compare with -f, whose numbers the names replace."""
    rng = random_of("rules")
    for _ in range(40):
        strings = ["".join(rng.choices("ab.", k=rng.randrange(1, 4))) for _ in range(rng.randrange(1, 6))]
        names = ["".join(rng.choices("xyz -é", k=rng.randrange(1, 5))).strip() or "n" for _ in strings]
        write("list", "".join(string + "\n" for string in strings).encode())
        lines = [f"{name}\t{string}\n" for name, string in zip(names, strings)]
        write("rules", "".join(rng.choice(("", "# x\n", "\n")) + line for line in lines).encode())
        write("text", "".join(rng.choices("ab\n", k=rng.randrange(60))).encode())
        more = rng.choice(([], ["-o"], ["-o", "--overlapping"], ["-F"], ["--positions"], ["--and", "a"], ["-i"]))
        got = run(TRAWL, "-P", "--pattern-number", "--rules=rules", *more, "text")
        wanted = run(TRAWL, "-P", "--pattern-number", "-flist", *more, "text")
        expected = []
        for line in wanted.stdout.decode().splitlines():
            head, colon, rest = line.partition(":")
            if "--positions" in more:
                expected.append(head + colon + names[int(rest) - 1])
            else:
                expected.append(",".join(names[int(number) - 1] for number in head.split(",")) + colon + rest)
        assert (got.returncode, got.stdout.decode().splitlines()) == (wanted.returncode, expected), (strings, more)
        found = run(TRAWL, "-P", "--json", "--overlapping", "--rules=rules", "text").stdout
        data = [json.loads(line)["data"] for line in found.splitlines() if line.startswith(b'{"type":"match"')]
        for match in (match for line in data for match in line["submatches"]):
            for name in match.get("patterns", [match["pattern"]]):
                assert name in names


def test_wrong(here):
    write("rules", b"# one\na\tb\nno tab\n")
    got = run(TRAWL, "--rules=rules", "x", "rules")
    assert (got.returncode, got.stderr) == (2, b"trawl: rules:3: not a name, a tab and a pattern\n")


def test_examples(here):
    write("scanner.toml", TOML.encode())
    made = run(sys.executable, str(ROOT / "examples/rules_of_toml.py"), "scanner.toml")
    assert made.stdout == b"aws\tAKIA[0-9A-Z]{4}\nany\t\\w+[0-9]\n"
    assert made.stderr == b"scanner.toml: left out: path alone\n"
    write("rules", made.stdout)
    write("text", "é AKIA1234\nx1\n".encode())

    def sarif(*baseline):
        found = run(TRAWL, "-P", "--json", "--overlapping", "--rules=rules", "text").stdout
        ended = run(sys.executable, str(ROOT / "examples/sarif.py"), *baseline, data=found)
        write("found.sarif", ended.stdout)
        results = json.loads(ended.stdout)["runs"][0]["results"]
        places = [result["locations"][0]["physicalLocation"]["region"] for result in results]
        rows = [(result["ruleId"], place["startLine"], place["startColumn"], result.get("baselineState"))
                for result, place in zip(results, places)]  # fmt: skip
        return ended.returncode, sorted(rows)

    assert sarif() == (1, [("any", 1, 3, None), ("any", 2, 1, None), ("aws", 1, 3, None)])
    assert sarif("found.sarif")[0] == 0
    write("text", b"\nAKIA1234\ny1\n")
    assert sarif("found.sarif") == (1, [("any", 2, 1, "absent"), ("any", 2, 1, "unchanged"), ("any", 3, 1, "new"),
                                        ("aws", 2, 1, "unchanged")])  # fmt: skip
