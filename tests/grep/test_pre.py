"""Compares --pre with ripgrep's: random files, options and commands that fail, say something, print much or nothing."""

import os
import re

import cases
from harness import execute, ripgrep, write

CASES, ONE_IN = 250, 3

# What the command does with a file, by the end of its name.
COMMAND = r"""#!/bin/sh
case $1 in
*.same|*.[c]) cat;;
*.upper) tr a-z A-Z;;
*.name) echo "$1 foo $#";;
*.bad) cat; exit 3;;
*.said) cat; echo oops >&2; echo "foo!" >&2; exit 1;;
*.warned) cat; echo careful >&2;;
*.none) ;;
*.killed) cat; kill -9 $$;;
*.much) i=0; while [ $i -lt 300 ]; do cat "$1"; i=$((i + 1)); done; exit 7;;
*.wide) printf '\377\376f\0o\0o\0\n\0';;
*.left) echo foo; exec <&-; exit 0;;
esac
"""
ENDS = "same c upper name bad said warned none killed much wide left".split()
FAILS = ("bad", "aid", "led", "uch")
TEXTS = ["foo", "Foo bar", "bar", "", "food\tfoo", "é foo", "\udcff foo"]
OPTIONS = ["-n", "-c", "-l", "-q", "-v", "-i", "-o", "--json", "--files-without-match", "-m1", "-m2", "-A1", "-C1", "-U",
           "--heading", "-H", "-I", "--count-matches", "-w", "-x", "-b", "--column", "--vimgrep", "--passthru", "-M9",
           "--include-zero", "-a", "--no-messages", "--trim", "-r$0!", "--stop-on-nonmatch", "-E=none", "-E=latin1", "-0",
           "--null-data", "--color=always"]  # fmt: skip
GLOBS = ["*.c", "!*.bad", "*.{c,upper}", "!a*", "sub/*", "/a*", "!sub/", "**/b*", "A*"]


def settled(output, is_json):
    """Return the output without times."""
    if is_json:
        output = re.sub(rb'"elapsed(_total)?":\{[^}]*\}', b"", output)
        output = re.sub(rb'.*"type":"summary".*\n', b"", output)  # ripgrep's counts only files without an error
        output = re.sub(rb'"bytes_(searched|printed)":\d+', b"", output)
    return output


def failed(said):
    """Return the files about which the messages are."""
    return sorted(set(re.findall(rb"^(?:tg|rg): ([^:]+): ", said, re.MULTILINE)))


def test_pre(rng, folder, trawl):
    rg, tg = ripgrep(), cases.link(trawl, folder)
    here = os.path.join(folder, "%d" % rng.randrange(10**9))
    os.makedirs(here + "/sub")
    write(folder + "/command", COMMAND)
    os.chmod(folder + "/command", 0o755)
    for _ in range(rng.choice([1, 1, 2, 4])):
        lines = [rng.choice(TEXTS) for _ in range(rng.choice([0, 1, 3, 6]))]
        name = rng.choice(["", "", "sub/"]) + rng.choice("ab") + "." + rng.choice(ENDS)
        write(
            os.path.join(here, name),
            "\n".join(lines).encode(errors="surrogateescape") + b" \n\n" * (name[-3:] in FAILS or rng.randint(0, 1)),
        )
    options = rng.sample(OPTIONS, rng.choice([0, 1, 1, 2, 3]))
    options += ["--pre-glob=" + glob for glob in rng.sample(GLOBS, rng.choice([0, 0, 1, 2]))]
    pre = rng.choice([folder + "/command"] * 9 + ["", "nothing-has-this-name"])
    options += rng.choice([["--pre", pre], ["--pre=" + pre], ["-z", "--pre=" + pre], ["--pre=x", "--pre", pre]])
    options += rng.choice([[]] * 8 + [["--no-pre"], ["-z"]])
    files = sorted(
        os.path.relpath(os.path.join(root, name), here) for root, _, names in os.walk(here) for name in names
    )
    operands = rng.choice([[], ["."], ["./"], files, files[:1], ["missing", *files]])
    arguments = ["--sort=path", *options, "foo", *operands]
    expected = execute([rg, "--no-config", *arguments], here)
    got = execute([tg, rng.choice(["-j1", "-j2", "-j4"]), *arguments], here)
    is_json = "--json" in options
    said = expected[2], got[2]
    cases.counts["selected"] += expected[0] == 0
    if is_other({*options}, b"failed:" in expected[2] or expected[0] == 2):
        return
    assert (got[0], settled(got[1], is_json)) == (expected[0], settled(expected[1], is_json)), (arguments, here, *said)
    assert failed(got[2]) == failed(expected[2]), (arguments, here, *said)


def is_other(options, failed):
    """Rows of docs/differences.md: of what a failing command printed, ripgrep loses what has no line end yet."""
    return (
        failed
        and {"-U", "--null-data", "--files-without-match"} & options
        or {"-z", "-E=latin1"} <= options
        or {"-q", "--json"} <= options
        or {"-x", "--null-data"} <= options
        or ("-v" in options and {"-m1", "-m2", "-q", "-l", "--stop-on-nonmatch"} & options)
        or ({"-m1", "-m2"} & options and {"-c", "--count-matches"} & options and {"-A1", "-C1"} & options)
        or "-E=none" in options  # NULs
    )
