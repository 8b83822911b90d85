#!/usr/bin/env python3
"""packages: compares Python's trawl with other packages: all occurrences in one text, and which records contain a pattern.

packages.py FILE writes FILE as docs/measurements/packages.json. The texts are made-up words, and half of the patterns
come from the text. Each package first answers untimed, and the answer is compared with trawl's; then the packages take
turns. Times are of the processor, without compiling the patterns. A package that is not installed is left out."""

import datetime
import importlib
import importlib.metadata
import os
import random
import re
import sys
import time

from report import digits, median, result, table
from runner import die, processor, this_commit, write_results

TEXT_BYTES, RECORDS, SEED = 16 << 20, 160_000, 1
COUNTS = [10**i for i in range(6)]
ROUNDS, SECONDS = 5, 4  # runs of each; none after so many seconds
BRIEF, WARM = 0.1, 4  # calls of fewer seconds are timed right after so many others: the text is cached


def word(chance):
    return "".join(chance.choices("aaabcdeeeefghiiijklmnnooopqrrssstttuuvwxyz", k=chance.randrange(2, 11)))


def text_of(chance, bytes_count):
    words = [word(chance) for _ in range(30_000)]
    return " ".join(chance.choices(words, k=bytes_count // 4))[:bytes_count]


def patterns_of(chance, text, count):
    """Return different patterns of 8 to 20 bytes. The text contains every second."""
    patterns = {}
    while len(patterns) < count:
        length, at = chance.randrange(8, 21), chance.randrange(len(text) - 20)
        other = " ".join(word(chance) for _ in range(9))
        patterns[text[at : at + length] if len(patterns) % 2 == 0 else other[:length]] = None
    return list(patterns)


def installed(name):
    """Import a package; None: it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def texts(text, patterns):
    """Yield (package, function that returns all occurrences, function that makes the answer comparable: sorted tuples of
    begin, end and pattern, or begins alone)."""
    import trawl

    raw, needles, count = text.encode(), [it.encode() for it in patterns], len(patterns)
    plan = trawl.Plan(patterns)
    yield "trawl", lambda: plan.matches(raw), lambda got: sorted(got)
    if ahocorasick_rs := installed("ahocorasick_rs"):
        rust = ahocorasick_rs.BytesAhoCorasick(needles)
        yield (
            "ahocorasick_rs",
            lambda: rust.find_matches_as_indexes(raw, overlapping=True),
            lambda got: sorted((begin, end, pattern) for pattern, begin, end in got),
        )
    if ahocorasick := installed("ahocorasick"):
        automaton = ahocorasick.Automaton()
        for i, pattern in enumerate(patterns):
            automaton.add_word(pattern, i)
        automaton.make_automaton()
        yield (
            "pyahocorasick",
            lambda: list(automaton.iter(text)),
            lambda got: sorted((end + 1 - len(patterns[i]), end + 1, i) for end, i in got),
        )
    if count <= 10_000 and (database := hyperscan_of(needles)):

        def scan():
            found = []
            database.scan(raw, match_event_handler=lambda i, begin, end, flags, context: found.append((end, i)))
            return found

        yield "hyperscan", scan, lambda got: sorted((end - len(patterns[i]), end, i) for end, i in got)
    if count <= 1000 and (stringzilla := installed("stringzilla")):

        def find():
            whole, found = stringzilla.Str(text), []
            for i, pattern in enumerate(patterns):
                at = whole.find(pattern)
                while at >= 0:
                    found.append((at, at + len(pattern), i))
                    at = whole.find(pattern, at + 1)
            return found

        yield "StringZilla", find, sorted
    if count <= 1000:
        ahead = re.compile(b"(?=%s)" % b"|".join(map(re.escape, needles)))
        yield "re", lambda: [it.start() for it in ahead.finditer(raw)], list


def hyperscan_of(needles):
    if not (hyperscan := installed("hyperscan")):
        return None
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(expressions=needles, ids=list(range(len(needles))), literal=True)
    return database


def records(rows, patterns):
    """Yield (package, function that says of each record whether it contains a pattern)."""
    import pyarrow
    import pyarrow.compute
    import trawl

    column, count = pyarrow.array(rows), len(patterns)
    plan = trawl.Plan(patterns)
    yield "trawl", lambda: plan.contains(column)
    if ahocorasick_rs := installed("ahocorasick_rs"):
        rust = ahocorasick_rs.AhoCorasick(patterns)
        yield "ahocorasick_rs", lambda: [bool(rust.find_matches_as_indexes(row)) for row in rows]
    if count <= 10_000 and (database := hyperscan_of([it.encode() for it in patterns])):
        raw = [row.encode() for row in rows]

        def scan():
            found = [False] * len(raw)
            for i, row in enumerate(raw):
                database.scan(row, match_event_handler=lambda *_, i=i: found.__setitem__(i, True))
            return found

        yield "hyperscan", scan
    if count <= 1000 and (re2 := installed("re2")):
        either = re2.compile("|".join(map(re2.escape, patterns)))
        yield "google-re2", lambda: [either.search(row) is not None for row in rows]
    if count <= 100:

        def match():
            found = pyarrow.compute.match_substring(column, patterns[0])
            for pattern in patterns[1:]:
                found = pyarrow.compute.or_(found, pyarrow.compute.match_substring(column, pattern))
            return found.to_pylist()

        yield "pyarrow.compute", match
    if count <= 10_000 and (polars := installed("polars")):
        series = polars.Series(column)
        one = lambda: series.str.contains(patterns[0], literal=True)  # noqa: E731
        several = lambda: series.to_frame("a").select(polars.col("a").str.contains_any(patterns))["a"]  # noqa: E731
        yield "polars", one if count == 1 else several


def measure(name, text_bytes, contestants):
    """Compare the answers, and return a row."""
    kept, expected = [], None
    for package, ask, comparable in contestants:
        answer = comparable(ask())
        if expected is None:
            expected = answer
        # re says only where occurrences begin
        if answer != (sorted({begin for begin, *_ in expected}) if package == "re" else expected):
            die(f"{name}: {package}'s answer differs from trawl's")
        kept.append((package, ask, []))
    for turn in range(ROUNDS):
        for _, ask, seconds in kept[turn % len(kept) :] + kept[: turn % len(kept)]:
            if sum(seconds) < SECONDS:
                for _ in range(WARM if seconds and seconds[-1] < BRIEF else 0):
                    ask()
                begin = time.process_time()
                ask()
                seconds.append(time.process_time() - begin)
    print(name, *(f"{package} {digits(text_bytes / min(seconds) / 1e9)}" for package, _, seconds in kept), flush=True)
    results = [{"name": package, "seconds": [round(it, 6) for it in seconds]} for package, _, seconds in kept]
    return {"name": name, "text_bytes": text_bytes, "results": results}


def section(data):
    """Return the tables' lines."""
    machine, lines = data["machine"], []
    versions = ", ".join(f"{name} {version}" for name, version in data["versions"].items())
    where = f"{machine['cores']} cores, {machine['processor']}, commit {machine['commit']}, {machine['date']}"
    lines += [f"Medians; [all times](measurements/packages.json): {where}; {versions}."]
    for kind, words in ("text", "patterns, one text"), ("records", "patterns, records"):
        rows = [row for row in data["rows"] if row["name"].startswith(kind)]
        names = list(dict.fromkeys(it["name"] for row in rows for it in row["results"]))
        cells = [[row["name"].split()[1]] for row in rows]
        for row, line in zip(rows, cells):
            found = [median(result(row, name)) for name in names]
            line += [digits(row["text_bytes"] / it / 1e9) if it else "" for it in found]
        lines += ["", *table([words, *names], cells)]
    return lines


def main(path):
    chance = random.Random(SEED)
    text = text_of(chance, TEXT_BYTES)
    cuts = [chance.randrange(20, 181) for _ in range(RECORDS)]
    whole, rows, at = text_of(chance, sum(cuts)), [], 0
    for cut in cuts:
        rows.append(whole[at : at + cut])
        at += cut
    made = []
    for count in COUNTS:
        made.append(measure(f"text {count:,}", TEXT_BYTES, texts(text, patterns_of(chance, text, count))))
    for count in COUNTS:
        asks = ((package, ask, list) for package, ask in records(rows, patterns_of(chance, whole, count)))
        made.append(measure(f"records {count:,}", sum(cuts), asks))
    machine = {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "commit": this_commit(),
        "date": datetime.date.today().isoformat(),
        "command": "python3 tools/bench/packages.py docs/measurements/packages.json",
    }
    names = list(dict.fromkeys(it["name"] for row in made for it in row["results"]))
    packages = {name: name.split(".")[0] for name in names if name not in ("trawl", "re")}
    versions = {name: importlib.metadata.version(package) for name, package in packages.items()}
    write_results(path, {"benchmark": "packages", "machine": machine, "versions": versions}, made)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        die("usage: packages.py FILE")
    main(sys.argv[1])
