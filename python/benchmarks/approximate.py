#!/usr/bin/env python3
"""Searches with errors beside other programs, by turns, with answers compared.

approximate.py [--mebibytes 16] [--rounds 3] [--seconds 2] [--seed 1] [--threads 1] [--clock wall]
               [--rows WORD] [--json FILE]

Guides of 23 bases in random DNA, on both strands, and one pattern in text of made-up words; with copies
of the patterns in both that have some errors. Who would need more than --seconds for a row is given the
text's first part, as others.py does it. Before it is timed each one's answer on that part is compared
with trawl's for the same question:

  sassy      edits: the ends of all spans within k (search_all). What is timed is its search, which
             gives one of each run of them, as trawl's best ends
  edlib      edits: the least distance, and at how many ends it is
  Hyperscan  mismatches: the occurrences; edits: the ends of all spans
  regex      mismatches: the occurrences, overlapping ones too
  tre-agrep, ugrep   the lines with an occurrence; ugrep has no mismatch in a pattern's first byte

Packages and commands that are missing, and rows that one cannot or would take too long for, are left
out, and the reason is told. Prints tables in Markdown: of guides 10^9 positions x patterns per second,
both strands counted once; of text GB/s; "exact" is trawl's exact search of the pattern's k + 1 pieces.
--rows: those alone whose names hold a word. --clock cpu: processor time instead.
"""

import argparse
import collections
import datetime
import importlib
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import others
import trawl

PAIRS = bytes.maketrans(b"ACGT", b"TGCA")


def processor_time():
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


CLOCKS = {"wall": time.perf_counter, "cpu": processor_time}


class Row:
    """A question: patterns, how many errors of a kind, the text."""

    def __init__(self, name, texts, kind, k, patterns, is_dna):
        self.name, self.texts, self.kind, self.k = name, texts, kind, k
        self.patterns, self.is_dna = patterns, is_dna

    @property
    def both(self):
        """The patterns, and of DNA their reverse complements."""
        more = [one.translate(PAIRS)[::-1] for one in self.patterns] if self.is_dna else []
        return [*self.patterns, *more]


class Skip(Exception):
    """Why a contender is not in a row."""


# ---- Texts -------------------------------------------------------------------------------------


def with_errors(rng, pattern, letters, errors):
    copy = bytearray(pattern)
    for _ in range(errors):
        at = rng.randrange(len(copy))
        change = rng.randrange(6)
        if change < 4:
            copy[at] = rng.choice(letters)
        elif change == 4:
            del copy[at]
        else:
            copy.insert(at, rng.choice(letters))
    return bytes(copy)


def planted(rng, text, patterns, letters, copies):
    """The text with so many copies of each pattern, most of them in its first 256th."""
    text = bytearray(text)
    for pattern in patterns:
        for number in range(copies):
            one = with_errors(rng, pattern, letters, number % 6)
            at = rng.randrange(len(text) // (256 if number % 2 else 1) - 2 * len(one))
            text[at : at + len(one)] = one
    return bytes(text)


def guides(rng, size):
    """Rows of 1 to 1,000 guides."""
    patterns = [bytes(rng.choices(b"ACGT", k=23)) for _ in range(1000)]
    text = planted(rng, bytes(rng.choices(b"ACGT", k=size)), patterns[:40], b"ACGT", 12)
    texts = others.parts_of(text, bytes)
    for kind, k in (("mismatches", 3), ("mismatches", 4), ("edits", 3)):
        for count in (1, 20, 312, 1000):
            name = f"{count:,} guide{'s' * (count > 1)}, {k} {kind}"
            yield Row(name, texts, kind, k, patterns[:count], True)


def english(rng, size):
    """Rows of one pattern of 40 and 100 bytes."""
    text = others.make_text(rng, size)
    for length in (40, 100):
        at = len(text) // 2
        pattern = text[at : at + length].replace(b"\n", b" ")
        texts = others.parts_of(planted(rng, text, [pattern], b"etaoin shr", 24), bytes)
        for kind in ("mismatches", "edits"):
            for k in (1, 2, 3):
                yield Row(f"{length} bytes, {k} {kind}", texts, kind, k, [pattern], False)


# ---- Contenders ----------------------------------------------------------------------------------
# count(text) is what is timed; check(text) answers the question `meaning`, which truths has.


class Trawl:
    name, meaning = "trawl", "occurrences"

    def __init__(self, row, threads):
        self.searcher = trawl.Searcher("cpu", threads)
        self.plan = plan_of(row)

    def count(self, text):
        return self.searcher.count(self.plan, text)

    check = count


class Exact(Trawl):
    name, meaning = "exact", None

    def __init__(self, row, threads):
        if len(row.patterns) > 1:
            raise Skip("rows of one pattern alone")
        self.searcher = trawl.Searcher("cpu", threads)
        parts = row.k + 1
        pieces = [
            one[len(one) * i // parts : len(one) * (i + 1) // parts]
            for one in row.both
            for i in range(parts)
        ]
        self.plan = trawl.Plan(list(dict.fromkeys(pieces)))


class Sassy:
    name, meaning = "sassy", "ends"

    def __init__(self, row, threads):
        if row.kind != "edits":
            raise Skip("edits alone")
        made = importlib.import_module("sassy").Searcher
        self.one = made("iupac" if row.is_dna else "ascii", rc=False)
        self.row, self.threads = row, threads

    def count(self, text):
        # Of patterns of one length it searches several side by side, of DNA alone.
        if self.row.is_dna and len(self.row.patterns) > 1:
            mode = "batch_patterns"
            return len(self.one.search_many(self.row.both, [text], self.row.k, self.threads, mode))
        return sum(len(self.one.search(one, text, self.row.k)) for one in self.row.both)

    def check(self, text):
        return sum(len(self.one.search_all(one, text, self.row.k)) for one in self.row.both)


class Edlib:
    name, meaning = "edlib", "nearest"

    def __init__(self, row, threads):
        if row.kind != "edits":
            raise Skip("edits alone")
        if len(row.patterns) > 20:
            raise Skip("up to 20 patterns")
        self.align, self.row = importlib.import_module("edlib").align, row

    def count(self, text):
        found = []
        for one in self.row.both:
            aligned = self.align(one, text, mode="HW", task="distance", k=self.row.k)
            if aligned["editDistance"] >= 0:
                found.append((aligned["editDistance"], len(aligned["locations"])))
        return sorted(found)

    check = count


class Hyperscan:
    name = "Hyperscan"

    def __init__(self, row, threads):
        if len(row.patterns) > 1:
            raise Skip("one pattern: it compiles 40 guides in 30 s")
        module = importlib.import_module("hyperscan")
        self.meaning = "ends" if row.kind == "edits" else "occurrences"
        edits = row.kind == "edits"
        flag = module.HS_EXT_FLAG_EDIT_DISTANCE if edits else module.HS_EXT_FLAG_HAMMING_DISTANCE
        extra = module.ExpressionExt(
            flags=flag, min_offset=0, max_offset=0, min_length=0,
            edit_distance=row.k if edits else 0, hamming_distance=0 if edits else row.k,
        )  # fmt: skip
        self.database = module.Database()
        count = len(row.both)
        try:
            self.database.compile(
                expressions=[re.escape(one) for one in row.both], ids=list(range(count)),
                elements=count, flags=[module.HS_FLAG_DOTALL] * count, ext=[extra] * count,
            )  # fmt: skip
        except module.error as fault:
            raise Skip(f"it refuses the pattern: {fault}") from None

    check = count = others.Hyperscan.count


class Regex:
    name, meaning = "regex", "occurrences"

    def __init__(self, row, threads):
        if row.kind != "mismatches":
            raise Skip("its matches within edits begin once at each place: not comparable")
        if len(row.patterns) > 1:
            raise Skip("one pattern")
        compile = importlib.import_module("regex").compile
        errors = b"{s<=%d}" % row.k
        self.expressions = [compile(b"(?:%b)%b" % (re.escape(one), errors)) for one in row.both]

    def count(self, text):
        return sum(
            1 for one in self.expressions for _ in one.finditer(text, overlapped=True)
        )  # fmt: skip

    check = count


class Command:
    """A command that counts lines of a file; each part of the text has one."""

    def __init__(self, row, threads):
        if row.is_dna:
            raise Skip("lines of text alone")
        if shutil.which(self.name) is None:
            raise Skip("not installed")
        self.arguments = [self.name, *self.options(row)]
        self.folder = tempfile.TemporaryDirectory()
        self.files = {}

    def count(self, text):
        if len(text) not in self.files:
            path = os.path.join(self.folder.name, str(len(text)))
            with open(path, "wb") as file:
                file.write(text)
            self.files[len(text)] = path
        result = subprocess.run(
            [*self.arguments, self.files[len(text)]],
            stdout=subprocess.PIPE, env=dict(os.environ, LC_ALL="C"),
        )  # fmt: skip
        return int(result.stdout)

    def check(self, text):
        return self.count(text)


class TreAgrep(Command):
    name, meaning = "tre-agrep", "lines"

    def options(self, row):
        costs = ["-I99", "-D99"] if row.kind == "mismatches" else []
        return ["-c", "-k", *costs, f"-E{row.k}", "-e", row.patterns[0]]


class Ugrep(Command):
    name = "ugrep"

    def options(self, row):
        self.meaning = "lines, the first byte exact"
        sign = "~" if row.kind == "mismatches" else ""
        return ["-c", "-F", "-U", f"-Z{sign}{row.k}", "-e", row.patterns[0]]


CONTENDERS = [Trawl, Sassy, Edlib, Hyperscan, Regex, TreAgrep, Ugrep, Exact]
COMPARED = [kind.name for kind in CONTENDERS if kind not in (Trawl, Exact)]
LEFT_OUT = {"cas-offinder": "not in Debian or PyPI"}


# ---- Answers -------------------------------------------------------------------------------------


def plan_of(row, **options):
    if row.is_dna:
        options |= {"alphabet": "dna", "reverse_complement": True}
    return trawl.Plan(row.patterns, **{row.kind: row.k}, **options)


def truth(row, meaning, text):
    """trawl's answer to a question."""
    if meaning == "occurrences":
        return plan_of(row).count(text)
    if meaning == "ends":
        return plan_of(row, every_end=True).count(text)
    if meaning.startswith("lines"):
        exact = [(0, 1)] if "first" in meaning else []
        return plan_of(row, within_lines=True, exact=exact).count_lines(text)
    matches = plan_of(row, every_end=True).matches(text)
    strands = matches.strands or ["+"] * len(matches)
    least = collections.defaultdict(collections.Counter)
    for key, distance in zip(zip(matches.patterns, strands), matches.distances):
        least[key][distance] += 1
    return sorted(min(counts.items()) for counts in least.values())


def contenders_for(row, threads, skipped):
    made = []
    for kind in CONTENDERS:
        try:
            made.append(kind(row, threads))
        except ImportError:
            skipped[kind.name] = "not installed"
        except Skip as reason:
            skipped.setdefault(kind.name, str(reason))
    return made


def measure(row, options, skipped):
    """{name: seconds per byte of the text}, best of the rounds."""
    contenders = contenders_for(row, options.threads, skipped)
    shares, first, speeds = {}, {}, {}
    for one in contenders:
        shares[one] = others.share_for(one.count, row.texts, options.seconds)
        part = row.texts(shares[one])
        if one.meaning is not None:
            answer, expected = one.check(part), truth(row, one.meaning, part)
            if answer != expected:
                sys.exit(f"{row.name}: {one.name} has {answer!r:.60}, trawl {expected!r:.60}")
        first[one] = one.count(part)
    for turn in range(options.rounds):
        at = turn % len(contenders)
        for one in contenders[at:] + contenders[:at]:
            part = row.texts(shares[one])
            spent, answer = others.timed(one.count, part)
            if answer != first[one]:
                sys.exit(f"{row.name}: {one.name} has {answer!r:.60}, before {first[one]!r:.60}")
            speeds[one.name] = min(spent / len(part), speeds.get(one.name, spent))
    return speeds, {one.name: shares[one] for one in contenders}


# ---- Output --------------------------------------------------------------------------------------


def line_of(row, seconds):
    units = len(row.patterns) if row.is_dna else 1
    rates = {name: units / one / 1e9 for name, one in seconds.items()}
    best = max((rates[name] for name in COMPARED if name in rates), default=0)
    cells = [others.number(rates[kind.name]) if kind.name in rates else "" for kind in CONTENDERS]
    ahead = f"{rates['trawl'] / best:.1f}" if best else ""
    return f"| {row.name} | {' | '.join(cells)} | {ahead} |"


def table(title, rows, options, results):
    skipped = {}
    print(f"\n| {title} | {' | '.join(kind.name for kind in CONTENDERS)} | by the best other |")
    print("|---" * (len(CONTENDERS) + 2) + "|")
    for row in rows:
        if options.rows in row.name:
            seconds, shares = measure(row, options, skipped)
            print(line_of(row, seconds), flush=True)
            results.append({"row": row.name, "seconds_per_byte": seconds, "shares": shares})
    for name, reason in (skipped | LEFT_OUT).items():
        print(f"{name}: {reason}", file=sys.stderr)


def machine():
    with open("/proc/cpuinfo") as file:
        names = re.findall(r"model name\s*: (.*)", file.read())
    return {
        "processor": names[0] if names else "unknown",
        "cores": os.cpu_count(),
        "instruction_sets": trawl.instruction_sets(),
        "load": os.getloadavg()[0],
        "date": datetime.date.today().isoformat(),
        "python": sys.version.split()[0],
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mebibytes", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--rows", default="")
    parser.add_argument("--json")
    options = parser.parse_args()
    others.clock = CLOCKS[options.clock]
    results = []
    for title, make in (("guides of 23", guides), ("one pattern", english)):
        rng = random.Random(options.seed)
        table(title, make(rng, options.mebibytes << 20), options, results)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(machine() | {"options": vars(options), "rows": results}, file, indent=1)


if __name__ == "__main__":
    main()
