#!/usr/bin/env python3
"""trawl beside other packages, in one process, by turns, with equal answers.

others.py [--mebibytes 64] [--records 1000000] [--rounds 3] [--seconds 4] [--seed 1] [--clock wall]
          [--table WORD]

Four questions, for 1 to 100,000 patterns: how many occurrences are in one long text, which of many
records hold any, and what are a text and a column of records with a value in the place of each. Half of
the patterns are taken from the text, half are not in it. Contenders take turns in each round, and each
row's first place moves on. The time to compile patterns is not counted.
Who would need more than --seconds for a row is given the text's or the records' first part only, as
much as takes about that long, at least 1/256; the answer is compared on that part. Prints a table in
Markdown: GB/s of text, and how many times as fast as the best other trawl is. A wrong answer ends the
run. Packages that are not installed are left out. --clock cpu divides by processor time, summed over
threads, instead: what to take on a machine that does other things too. --table: those alone in
whose names a word is.
"""

import argparse
import importlib
import itertools
import random
import re
import sys
import time

import trawl

COUNTS = (1, 10, 100, 1000, 10000, 100000)


def make_text(rng, count):
    """Words of a made-up language, frequent ones short and often."""
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    weights = [1 / (rank + 2) for rank in range(len(letters))]
    words = [
        "".join(rng.choices(letters, weights, k=rng.randint(1 + (rank > 50), 6 + rank % 9)))
        for rank in range(30000)
    ]
    sums = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(words))))
    text = bytearray()
    while len(text) < count:
        text += " ".join(rng.choices(words, cum_weights=sums, k=12)).encode() + b"\n"
    return bytes(text[:count])


def make_patterns(rng, text, count):
    """None begins with another, so that at each place one at most occurs: all count the same."""
    found, begun = set(), set()
    while len(found) < count:
        size = rng.randint(8, 20)
        begin = rng.randrange(len(text) - size)
        pattern = text[begin : begin + size].replace(b"\n", b" ")
        if len(found) % 2:
            at = rng.randrange(size)
            pattern = pattern[:at] + bytes([rng.choice(b"QXZ0123")]) + pattern[at + 1 :]
        begins = [pattern[:length] for length in range(8, len(pattern) + 1)]
        if pattern not in begun and not found.intersection(begins):
            found.add(pattern)
            begun.update(begins)
    return sorted(found, key=lambda _: rng.random())


# ---- Contenders: build(patterns) -> (count(text), mask(records)) or None where it does not apply ----


class Trawl:
    name, largest = "trawl", 10**9

    def __init__(self, patterns, threads=0):
        self.plan = trawl.Plan(patterns)
        self.values = values_of(patterns)

    def count(self, text):
        return self.plan.count(text)

    def mask(self, records):
        import pyarrow.compute as compute

        return compute.sum(pyarrow_of(self.plan.contains(records.arrow))).as_py()

    def replace(self, text):
        return self.plan.replace(text, self.values)

    def column(self, records):
        polars = importlib.import_module("polars")
        made = polars.Series(self.plan.replace(records.polars, self.values))
        return made.str.len_bytes().sum()


def values_of(patterns):
    return [f"<{index}>" for index in range(len(patterns))]


def pyarrow_of(array):
    import pyarrow

    return pyarrow.array(array)


class AhocorasickRs:
    name, largest = "ahocorasick_rs", 10**9

    def __init__(self, patterns):
        module = importlib.import_module("ahocorasick_rs")
        self.automaton = module.BytesAhoCorasick(patterns)
        self.words = module.AhoCorasick(
            [pattern.decode() for pattern in patterns],
            matchkind=module.MatchKind.LeftmostLongest,
        )
        self.values = values_of(patterns)

    def count(self, text):
        return len(self.automaton.find_matches_as_indexes(text, overlapping=True))

    def mask(self, records):
        find = self.words.find_matches_as_indexes
        return sum(1 for record in records.strings if find(record))

    def replace(self, text):
        parts, at = [], 0
        for index, begin, end in self.words.find_matches_as_indexes(text):
            parts += text[at:begin], self.values[index]
            at = end
        return "".join(parts) + text[at:]

    def column(self, records):
        return sum(len(self.replace(record)) for record in records.strings)


class Pyahocorasick:
    name, largest = "pyahocorasick", 10**9

    def __init__(self, patterns):
        self.automaton = importlib.import_module("ahocorasick").Automaton()
        for index, pattern in enumerate(patterns):
            self.automaton.add_word(pattern.decode(), index)
        self.automaton.make_automaton()

    def count(self, text):
        return sum(1 for _ in self.automaton.iter(text.decode("latin-1")))

    def mask(self, records):
        search = self.automaton.iter
        return sum(1 for record in records.strings if next(search(record), None) is not None)


class Hyperscan:
    name, largest = "hyperscan", 10000

    def __init__(self, patterns):
        module = importlib.import_module("hyperscan")
        self.database = module.Database()
        self.database.compile(
            expressions=[re.escape(pattern) for pattern in patterns],
            ids=list(range(len(patterns))),
            elements=len(patterns),
            flags=[0] * len(patterns),
        )
        self.once = self.database

    def count(self, text):
        found = [0]

        def on_match(index, begin, end, flags, context):
            found[0] += 1

        self.database.scan(text, match_event_handler=on_match)
        return found[0]

    def mask(self, records):
        found = [0]

        def on_match(index, begin, end, flags, context):
            found[0] = 1
            return True

        total = 0
        for record in records.bytes:
            found[0] = 0
            try:
                self.database.scan(record, match_event_handler=on_match)
            except Exception:  # stopped by its callback
                pass
            total += found[0]
        return total


class StringZilla:
    name, largest = "StringZilla", 1000

    def __init__(self, patterns):
        self.module = importlib.import_module("stringzilla")
        self.patterns = patterns

    def count(self, text):
        view = self.module.Str(text)
        return sum(view.count(pattern, allowoverlap=True) for pattern in self.patterns)

    def mask(self, records):
        find = self.module.find
        return sum(
            1 for record in records.bytes if any(find(record, one) >= 0 for one in self.patterns)
        )


class Re:
    name, largest = "re", 1000

    def __init__(self, patterns):
        joined = b"|".join(re.escape(pattern) for pattern in patterns)
        self.several = re.compile(b"(?=(?:" + joined + b"))")
        self.any = re.compile(joined.decode())
        self.values = dict(zip([pattern.decode() for pattern in patterns], values_of(patterns)))

    def count(self, text):
        return sum(1 for _ in self.several.finditer(text))

    def mask(self, records):
        search = self.any.search
        return sum(1 for record in records.strings if search(record))

    def replace(self, text):
        return self.any.sub(lambda match: self.values[match[0]], text)

    def column(self, records):
        return sum(len(self.replace(record)) for record in records.strings)


class Find:
    name, largest = "bytes.find", 100

    def __init__(self, patterns):
        self.patterns = patterns

    def count(self, text):
        total = 0
        for pattern in self.patterns:
            at = text.find(pattern)
            while at >= 0:
                total += 1
                at = text.find(pattern, at + 1)
        return total

    def mask(self, records):
        patterns = [pattern.decode() for pattern in self.patterns]
        return sum(1 for record in records.strings if any(one in record for one in patterns))


class Pyarrow:
    name, largest = "pyarrow.compute", 100

    def __init__(self, patterns):
        self.compute = importlib.import_module("pyarrow.compute")
        self.patterns = patterns

    count = None

    def mask(self, records):
        found = None
        for pattern in self.patterns:
            one = self.compute.match_substring(records.arrow, pattern.decode())
            found = one if found is None else self.compute.or_(found, one)
        return self.compute.sum(found).as_py()


class Polars:
    name, largest = "polars", 10**9

    def __init__(self, patterns):
        self.polars = importlib.import_module("polars")
        self.patterns = [pattern.decode() for pattern in patterns]

    count = None

    def mask(self, records):
        if len(self.patterns) == 1:
            return records.polars.str.contains(self.patterns[0], literal=True).sum()
        return records.polars.str.contains_any(self.patterns).sum()

    def replace(self, text):
        return self.replaced(self.polars.Series([text]))[0]

    def column(self, records):
        return self.replaced(records.polars).str.len_bytes().sum()

    def replaced(self, series):
        values = values_of(self.patterns)
        return series.str.replace_many(self.patterns, values, leftmost=True)


CONTENDERS = [
    Trawl, AhocorasickRs, Pyahocorasick, Hyperscan, StringZilla, Re, Find, Pyarrow, Polars
]  # fmt: skip


class Records:
    """The same records as each contender likes them; made before the clock runs."""

    def __init__(self, lines):
        import pyarrow

        self.bytes = lines
        self.strings = [line.decode() for line in lines]
        self.arrow = pyarrow.array(self.strings, pyarrow.large_string())
        self.size = sum(map(len, lines))
        try:
            self.polars = importlib.import_module("polars").Series(self.strings)
        except ImportError:
            self.polars = None


# ---- Measuring ----


def parts_of(whole, make):
    """part(share): the first 1/share of it, made once."""
    made = {}

    def part(share):
        if share not in made:
            made[share] = make(whole[: max(len(whole) // share, 1)])
        return made[share]

    return part


CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
clock = CLOCKS["wall"]


def timed(function, argument):
    begin = clock()
    answer = function(argument)
    return max(clock() - begin, 1e-9), answer


def share_for(function, part, seconds):
    """How small a part takes about so long: tried on the smallest first."""
    share = 256
    while share > 1:
        spent, _ = timed(function, part(share))
        if spent * 4 > seconds:
            return share
        share //= 4
    return 1


def measure(contenders, method, part, size_of, options):
    """{name: GB/s}, best of the rounds; answers are compared with trawl's on the same part."""
    truth, speeds, shares = {}, {}, {}
    for contender in contenders:
        shares[contender.name] = share_for(getattr(contender, method), part, options.seconds)
    reference = next(one for one in contenders if one.name == "trawl")
    for turn in range(options.rounds):
        at = turn % len(contenders)
        for contender in contenders[at:] + contenders[:at]:
            share = shares[contender.name]
            if share not in truth:
                truth[share] = getattr(reference, method)(part(share))
            spent, answer = timed(getattr(contender, method), part(share))
            if answer != truth[share]:
                sys.exit(f"{contender.name}: {answer!r:.60} where trawl has {truth[share]!r:.60}")
            speed = size_of(part(share)) / spent / 1e9
            speeds[contender.name] = max(speed, speeds.get(contender.name, 0))
    return speeds


def contenders_for(patterns, method):
    made = []
    for kind in CONTENDERS:
        if len(patterns) > kind.largest or getattr(kind, method, None) is None:
            continue
        try:
            made.append(kind(patterns))
        except ImportError:
            continue
    return made


def number(value):
    return f"{value:.4f}" if value < 0.01 else f"{value:.3f}" if value < 1 else f"{value:.1f}"


def table(title, method, text, part, size_of, rng, options):
    if options.table not in title:
        return
    names = [kind.name for kind in CONTENDERS if getattr(kind, method, None) is not None]
    print(f"\n| {title} | {' | '.join(names)} | by the best other |")
    print("|---" * (len(names) + 2) + "|")
    for count in COUNTS:
        patterns = make_patterns(rng, text, count)
        speeds = measure(contenders_for(patterns, method), method, part, size_of, options)
        best = max((speed for name, speed in speeds.items() if name != "trawl"), default=0)
        cells = [number(speeds[name]) if name in speeds else "" for name in names]
        times = f"{speeds['trawl'] / best:.1f}" if best else ""
        print(f"| {count:,} | {' | '.join(cells)} | {times} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mebibytes", type=int, default=64)
    parser.add_argument("--records", type=int, default=1000000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--table", default="")
    options = parser.parse_args()
    global clock
    clock = CLOCKS[options.clock]
    rng = random.Random(options.seed)
    text = make_text(rng, options.mebibytes << 20)
    table("patterns, one text", "count", text, parts_of(text, bytes), len, rng, options)
    lines, at = [], 0
    while len(lines) < options.records:
        size = rng.randint(20, 180)
        lines.append(text[at : at + size])
        at = (at + size) % (len(text) - 200)
    part = parts_of(lines, Records)
    table("patterns, records", "mask", text, part, lambda r: r.size, rng, options)
    string = parts_of(text.decode(), str)
    table("replaced in one text", "replace", text, string, len, rng, options)
    table("replaced in records", "column", text, part, lambda r: r.size, rng, options)


if __name__ == "__main__":
    main()
