"""packages: compares Python's trawl with other packages: all occurrences in one text, and which records contain a pattern.

The texts are made-up words, and half of the patterns come from the text. Each package first answers untimed, and the
answer is compared with trawl's; then the packages take turns. Times are of the processor, without compiling the
patterns. A package that is not installed is left out."""

import importlib
import importlib.metadata
import random
import re
import time

from report import digits, median, result, table
from runner import die

COUNTS = [10**i for i in range(6)]
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
        yield "re", lambda: [it.start() for it in ahead.finditer(raw)], list  # it says only where occurrences begin


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


def row_of(options, name, text_bytes, competitors):
    """Compare the answers, and return a row."""
    kept, expected = [], None
    for package, ask, comparable in competitors:
        answer = comparable(ask())
        expected = answer if expected is None else expected
        if answer != (sorted({begin for begin, *_ in expected}) if package == "re" else expected):
            die(f"{name}: {package}'s answer differs from trawl's")
        kept.append((package, ask, []))
    for turn in range(options.rounds):
        for _, ask, seconds in kept[turn % len(kept) :] + kept[: turn % len(kept)]:
            if sum(seconds) < options.cell_seconds:
                for _ in range(WARM if seconds and seconds[-1] < BRIEF else 0):
                    ask()
                begin = time.process_time()
                ask()
                seconds.append(time.process_time() - begin)
    print(name, *(f"{package} {digits(text_bytes / min(seconds) / 1e9)}" for package, _, seconds in kept), flush=True)
    results = [{"name": package, "seconds": [round(it, 6) for it in seconds]} for package, _, seconds in kept]
    return {"name": name, "text_bytes": text_bytes, "results": results}


def measure(options, runner, texts_):
    """Return the rows of texts, then those of records of 20 to 180 bytes."""
    chance, rows = random.Random(1), []
    text, whole, at = text_of(chance, options.bytes), text_of(chance, options.bytes), 0
    while len(rows) < options.bytes * 160_000 >> 24:
        cut = chance.randrange(20, 181)
        rows.append(whole[at : at + cut])
        at += cut
    made = []
    for name, patterns in ((f"text {n:,}", patterns_of(chance, text, n)) for n in COUNTS):
        if (options.filter or "") in name:
            made.append(row_of(options, name, len(text), texts(text, patterns)))
    for name, patterns in ((f"records {n:,}", patterns_of(chance, whole, n)) for n in COUNTS):
        if (options.filter or "") in name:
            made.append(row_of(options, name, at, ((*it, list) for it in records(rows, patterns))))
    return made


def head(options):
    """Return the versions of the packages that are installed."""
    names = ("ahocorasick_rs", "pyahocorasick", "hyperscan", "StringZilla", "google-re2", "pyarrow", "polars")
    known = {it.metadata["Name"]: it.version for it in importlib.metadata.distributions()}
    known = {name.lower().replace("-", "_"): version for name, version in known.items()}
    found = {name: known.get(name.lower().replace("-", "_")) for name in names}
    return {"versions": {name: version for name, version in found.items() if version}}


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
