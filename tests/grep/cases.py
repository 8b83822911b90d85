"""cases: what the tests of random command lines share. A test named test_case(rng, trawl, folder) runs once for each
case, with random numbers that depend only on the case's number: `-k 'case and 17'` repeats case 17. Every second case
runs the command with small buffers. The module's CASES is the number of cases; if it has ONE_IN, at least one case in
that many must select something; for features(rng, trawl, folder) and a class Case see Pairs. (conftest.py has the fixtures.)
"""

import collections
import itertools
import os
import re

from harness import DIVISOR, IS_SANITIZED, SCALE, SEED, TRAWL, amount, environment, execute, random_of, ripgrep  # noqa: F401

WORDS = ["foo", "bar", "Foo", "FOO", "foobar", "a", "b", "ab", "aba", "the", "_", "x1", "foo-bar", "-", ".", "*", "\\",
         "oo", "o", " ", "  ", "\t"]  # fmt: skip
TELLING = 70  # from this number of cases on, conftest.py checks how many cases select something

# how many cases ran, how many of them selected something, and how many were skipped, by reason
counts = collections.Counter()


def some(rows):
    """Return the rows of a check to try: all rows, or a quarter in a short run under sanitizers."""
    rows = list(rows)
    return rows[SEED % 4 :: 4] if IS_SANITIZED and amount(TELLING) < TELLING else rows


def undoubted(said):
    """Return trawl's standard error, without the messages about lists of -f that grep does not have: that the strings do
    not occur, or that one is empty."""
    return re.sub(
        rb"^(?:trawl|tg): (?:.*: nothing was found; |warning: .* has an empty line: |warning: .* is the pattern: ).*\n",
        b"",
        said,
        flags=re.MULTILINE,
    )


def link(trawl, path):
    """Return a link named tg to the command."""
    path = os.path.join(path, str(abs(hash(trawl))), "tg")
    if not os.path.lexists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(trawl, path)
    return path


def stats_wrong(said, jobs=0, size=None, none=False):
    """Return which numbers of --stats contradict each other, -j, or the bytes of the files; None: all agree. none: some
    texts may be searched without a method."""
    found = dict(re.findall(rb"^([a-zA-Z/ ]+): (.*)$", said, re.MULTILINE))
    number = {name.decode(): float(value.split()[0]) for name, value in found.items() if value[:1].isdigit()}
    size, seconds = number["bytes"] if size is None else size, number["seconds"]
    methods = sum(map(int, re.findall(rb" (\d+)", found.get(b"methods", b""))))
    least, most = (
        number["bytes"] / 1e9 / max(seconds + shift, 1e-9) + 0.0051 * sign for shift, sign in ((6e-7, -1), (-6e-7, 1))
    )
    wrong = [
        name
        for name, good in (
            ("bytes", number["bytes"] == size),
            ("GB/s", least <= number["GB/s"] <= most or number["GB/s"] == seconds == 0),
            ("elapsed", seconds <= number["elapsed"] * number["workers"] + 1e-6),
            # a thread that worked for another file in between counts again
            ("threads", number["threads"] <= (jobs or 1024) or number["files"] > 1),
            ("workers", 1 <= number["workers"] <= (jobs or 1024)),
            ("methods", none or methods == 0 or methods >= number["bytes"]),
            ("chunks", found[b"chunks"] == b"%d (0 by devices)" % number["chunks"]),
            ("engine", found[b"engine"] == b"cpu" * (number["chunks"] > 0)),
        )
        if not good
    ]
    return "--stats: %s: %r" % (wrong, said) if wrong else None


def features_of(module):
    """Return a module's function features(rng, trawl, folder), or one for its Case(rng); None: cases are independent."""
    if hasattr(getattr(module, "Case", None), "features"):
        return lambda rng, *_: module.Case(rng).features()
    return getattr(module, "features", None)


class Pairs:
    """Chooses the random numbers of each case so that the cases cover pairs of features evenly: two options, or an
    option and a kind of input. (Of test_layout.py's 4,370 pairs, 250 independent cases cover 3,940.)

    Without features, each case has its own. features(rng) draws a case as test_case will, and returns the set of the
    case's features. A case is drawn CANDIDATES times, and the draw is run that has the most pairs (per feature) that
    were rare in its block so far."""

    CANDIDATES = 4
    BLOCK = 400  # to repeat a case, only the cases before it in its block are drawn

    def __init__(self, name, features):
        self.name, self.features = name, features
        self.next, self.had, self.drawn = 0, collections.Counter(), set()

    def choose(self, number):
        """Return the random numbers of a case."""
        if not self.features:
            self.chosen = number, 0
            return self.again()
        if not number - number % self.BLOCK <= self.next <= number:
            self.next = number - number % self.BLOCK
        while self.next <= number:
            if self.next % self.BLOCK == 0:
                self.had.clear()
            best, most = (), -1
            for turn in range(self.CANDIDATES):
                features = sorted(self.features(self.random(self.next, turn)))
                pairs = list(itertools.combinations(features, 2))
                self.drawn.update(pairs)
                new = sum(0.25 ** self.had[pair] for pair in pairs) / max(1, len(features))
                if new > most:
                    best, most, chosen = pairs, new, turn
            self.had.update(best)
            self.next += 1
        self.chosen = number, chosen
        return self.again()

    def again(self):
        """Return the random numbers of the last case once more."""
        return self.random(*self.chosen)

    def random(self, number, turn):
        rng = random_of(self.name, number * self.CANDIDATES + turn)
        rng.number = number
        return rng


def differences(expected, got):
    """Return both outputs around the first byte that differs."""
    at = next((i for i, (one, other) in enumerate(zip(expected, got)) if one != other), min(len(expected), len(got)))
    shown = (text[max(0, at - 80) : at + 80] for text in (expected, got))
    return "%d and %d bytes, from %d on\n  %r\n  %r" % (len(expected), len(got), at, *shown)
