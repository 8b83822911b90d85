"""rivals: the programs and packages beside which trawl is measured: how each is found, which version it has, and with
which words it answers."""

import subprocess
import sys

from runner import first_line

TRAWL, GREP, RG, RG_READ, UGREP = "trawl", "grep -F", "rg -F", "rg --no-mmap", "ugrep -F"
RG_WORDS = "-F --no-config --include-zero"
# name: (program, options of a search for strings, further ones in a tree, in a tree with ignore rules; None: it has none)
PROGRAMS = {
    TRAWL: (None, "", "-r", "-r --ignore"),
    GREP: ("grep", "-F", "-r", None),
    RG: ("rg", RG_WORDS, "-uuu", ""),
    RG_READ: ("rg", f"{RG_WORDS} --no-mmap", "-uuu", ""),
    UGREP: ("ugrep", "-F", "-r", None),
    "cat": ("cat", "", None, None),
    "wc -c": ("wc", "-c", None, None),
}
AHO, RE2_SET = "aho-corasick (Rust), one core", "RE2::Set, a line at a time"
# name: (bytes of the text that it searches, script in Python). The script's arguments are the files of the patterns and of
# the text, and these bytes; `made` and `count` follow.
SCRIPTS = {
    AHO: (
        4 << 20,  # it makes an object for each match
        """import ahocorasick_rs
made = lambda patterns: ahocorasick_rs.BytesAhoCorasick(patterns)
count = lambda made, text: len(made.find_matches_as_indexes(text, overlapping=True))
""",
    ),
    RE2_SET: (
        1 << 20,
        """import re2
def made(patterns):
    options = re2.Options()
    options.encoding, options.max_mem = re2.Options.Encoding.LATIN1, 1 << 30
    rules = re2.Set.SearchSet(options)
    for pattern in patterns:
        rules.Add(pattern)
    rules.Compile()
    return rules
count = lambda made, text: sum(bool(made.Match(line)) for line in text.split(b'\\n'))
""",
    ),
}
CLOCK = """
import sys, time
patterns = open(sys.argv[1], 'rb').read().split(b'\\n')[:-1]
text = open(sys.argv[2], 'rb').read(int(sys.argv[3]))
begin = time.process_time()
it = made(patterns)
built = time.process_time()
found = count(it, text)
print(built - begin, time.process_time() - built, found)
"""


def versions(options):
    """Return {name: first line of its version} of the programs that are installed."""
    found = {name: first_line(it[0] or options.command, "--version") for name, it in PROGRAMS.items()}
    return {name: version for name, version in found.items() if version}


def head(options):
    return {"versions": versions(options)}


def argv(name, trawl, kind=""):
    """Return a program and the options with which all programs do the same, in a file, a "tree" or one with "ignores"."""
    program, *words = PROGRAMS[name]
    return [program or trawl, *words[0].split(), *(words[("tree", "ignores").index(kind) + 1] if kind else "").split()]


def scripted(name, patterns, path, rounds, text_bytes):
    """Measure a package of Python, each time in a new process, and return a result in the form of trawl-bench's. The
    time of a part of the text stands for that of the whole."""
    share, script = SCRIPTS[name]
    share, runs = min(text_bytes, share), []
    for _ in range(rounds):
        words = [sys.executable, "-c", script + CLOCK, patterns, path, str(share)]
        done = subprocess.run(words, capture_output=True, check=False)
        if done.returncode != 0:
            return {"name": name, "why": "not measured: Python lacks it here, or the patterns are too large for it"}
        runs.append([float(word) for word in done.stdout.split()])
    return {
        "name": name,
        "seconds": [built + search * text_bytes / share for built, search, _ in runs],
        "plan": [built for built, _, _ in runs],
        "share": share / text_bytes,
        "count": int(runs[0][2]),
    }
