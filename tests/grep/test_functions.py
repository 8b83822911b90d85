"""Compares --show-function and -W with git grep, whose default rule for headings they follow. A pipe gets the same."""

import os
import shutil

import cases
import found
from harness import execute, has_judge, write

CASES = 400
LINES = ["int a(void)", "{", "}", "  x foo", "\tfoo bar", "", "", "  ", "/* foo */", "# c", "$v = foo;", "_s foo", "1 foo",
         "label:", "struct s {", "  y", "foo", "\u00e9 foo", "bar(foo)"]  # fmt: skip


def test_case(rng, trawl, folder):
    """Return None, or what is wrong."""
    if not has_judge("git"):
        return
    shutil.rmtree(os.path.join(folder, "g"), ignore_errors=True)
    os.makedirs(os.path.join(folder, "g"))
    names = ["one.txt", "two"][: rng.choice([1, 1, 2])]
    whole = rng.random() < 0.5
    for name in names:
        lines = [rng.choice(LINES) for _ in range(rng.choice([0, 1, 3, 8, 20, 60]))]
        while whole and lines and not lines[-1].strip():
            lines.pop()  # with -W, git grep reads on beyond a text that ends in empty lines, and may never end
        write(os.path.join(folder, "g", name), "\n".join(lines) + rng.choice(["\n"] * 9 + [""]) * bool(lines))
    context = [] if whole else rng.choice([[], [], ["-A1"], ["-B1"], ["-B3"], ["-C2"], ["-A2", "-B1"]])
    options = [
        *context,
        *rng.choice([[], ["-n"]]),
        *rng.choice([[], [], ["-v"]]),
        *rng.choice([[], [], ["-i"], ["-w"]]),
    ]
    limit = (
        rng.choice([None] * 4 + [1, 2]) if whole or not any(one.startswith(("-A", "-C")) for one in context) else None
    )
    options += [f"-m{limit}"] * (limit is not None)
    word = rng.choice(["foo", "bar", "int", "y", "}", "x", "c"])
    status, wanted, _ = execute(["git", "grep", "--no-index", "-F", "-W" if whole else "-p", *options, word, "--", *names],
                                os.path.join(folder, "g"))  # fmt: skip
    own = [trawl, "-F", "-H", "-W" if whole else "--show-function", *options]
    own += ["--chunk-bytes=%d" % rng.choice([1, 16, 4096])] * (rng.random() < 0.4) + ["-j%d" % rng.choice([1, 2])]
    got = execute([*own, word, *names], os.path.join(folder, "g"))
    cases.counts["selected"] += status == 0
    found.expect(status, wanted)
    assert got[:2] == (status, wanted), (own, word, cases.differences(wanted, got[1]))
    if len(names) == 1:
        with open(os.path.join(folder, "g", names[0]), "rb") as text:
            got = execute([*own, "--label=" + names[0], word], folder, data=text.read())
        assert got[:2] == (status, wanted), (own, word, "a pipe", cases.differences(wanted, got[1]))
