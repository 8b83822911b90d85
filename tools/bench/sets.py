"""sets and matrix: time searches for many patterns, in one text and in many 200-byte records, against Hyperscan,
memmem, the gallery, aho-corasick, and commands with a file of patterns."""

import statistics

import commands
import rivals
import texts as recipes
from report import digits, number, opening, result, spread_line, table, work
from runner import command

MIB = 1 << 20
LINE = 80
RECORD = 200
GALLERY_PATTERNS_MAX = 100  # the gallery's algorithm reads the text once for each pattern
ONE, ALL, HYPERSCAN = "trawl, one core", "trawl, all cores", "Hyperscan, one core"
MEMMEM, GALLERY = "memmem, all cores", "rabin-karp of the gallery, one core"
SET_COMMANDS = {  # competitor: program, further option
    "grep -F -c -f": (rivals.GREP, ()),
    "trawl -c -f": (rivals.TRAWL, ()),
    "trawl -j1 -c -f": (rivals.TRAWL, ("-j1",)),
    "rg -F -c -f": (rivals.RG, ()),
}
# A row: kind, number of patterns, bytes of a pattern (0: the kind says the lengths).
MIXED = tuple(
    (kind, count, 0) for kind in ("words of 3 to 20 bytes", "pieces of 2 to 300 bytes") for count in (100, 1000, 10000)
)
SETS = MIXED + (('words', 10, 0), ('words', 1000, 0), ('words', 100000, 0), ('dna', 10, 16), ('dna', 1000, 16),
        ('dna', 100000, 16), ('letters', 1000, 16), ('letters', 100000, 16))  # fmt: skip
# A row: kind, number of patterns, bytes of a pattern, most records.
# The last row is dense: about 130 cells a record.
MATRICES = (("letters", 4096, 12, 1000000), ("letters", 100000, 12, 1000000), ("english", 1000, 4, 20000))
# The pairs that are compared: (competitor, other competitor, whether the times to compile are compared).
PAIRS = (
    (ONE, HYPERSCAN, False),
    (ONE, HYPERSCAN, True),
    ("trawl -j1 -c -f", "grep -F -c -f", False),
    ("trawl -j1 -c -f", "rg -F -c -f", False),
    ("trawl, cells, all cores", MEMMEM, False),
    ("trawl, cells, all cores", "rabin-karp-matrix of the gallery, all cores", False),
    ("trawl, cells, one core", "Hyperscan for each record, one core", False),
)


def set_text(kind, count, texts):
    """Return the path of a text of `count` bytes in lines of LINE bytes, of one of the kinds of
    SETS."""
    if kind == "letters":
        content = recipes.letters(count, 1)
        return texts.write(
            "set-letters", b"".join(content[i : i + LINE - 1] + b"\n" for i in range(0, len(content), LINE - 1))
        )
    return texts.corpus("dna" if kind == "dna" else "english", count, LINE - 1 if kind == "dna" else 0)


def set_patterns(kind, count, length, path, texts):
    """Return `count` different patterns for the text, as a row of SETS requires."""
    if kind == "words":
        return recipes.distinct(recipes.words(texts.source("words")[0], 4), count)
    with open(path, "rb") as file:
        content = file.read()
    if (kind, count, length) in MIXED:
        return recipes.mixed(content, kind, count)
    return recipes.distinct(recipes.pieces(content, count + count // 8 + 8, length, length), count)


def set_rows(options, texts):
    """Yield the rows of SETS: lists of strings, searched by whole programs and by the library."""
    installed, trawl = rivals.versions(options), commands.install(options, texts)
    for kind, count, length in SETS:
        name = f"{kind}, {count} patterns"
        if options.filter and options.filter not in name:
            continue
        bytes_count = min(options.bytes, 64 * MIB)
        path = set_text(kind, bytes_count, texts)
        made = set_patterns(kind, count, length, path, texts)
        patterns = texts.patterns(f"set-{kind.replace(' ', '-')}-{count}", made)
        own = {"isa": options.instruction_set, "ours": True}
        who = [
            {"name": ONE, "threads": 1, **own},
            {"name": ALL, "threads": options.threads, **own},
            {"name": HYPERSCAN, "kind": "hyperscan"},
            {"name": MEMMEM, "kind": "memmem", "limit": options.cell_seconds},
        ]
        if count <= GALLERY_PATTERNS_MAX:
            who.append({"name": GALLERY, "threads": 1, "algorithm": "rabin-karp", "limit": options.cell_seconds, **own})
        programs = [
            {"name": label, "ours": who == rivals.TRAWL,
             **command(*rivals.argv(who, trawl), *more, "-c", "-f", patterns, path)}
            for label, (who, more) in SET_COMMANDS.items() if who in installed
        ]  # fmt: skip
        ask = {"text": f"file:{path}", "patterns": f"file:{patterns}"}
        facts = {"work": f"{len(made)} patterns in {bytes_count >> 20} MiB"}
        yield {"name": name, **facts, "scripted": (rivals.AHO, patterns, path), "asks": [(ask, who)]}
        yield {"name": name, "merge": True, "asks": [({}, programs)]}


def matrix_rows(options, texts):
    """Yield the rows of MATRICES: which patterns occur in which records."""
    for kind, count, length, most in MATRICES:
        name = f"{kind}, {count} patterns"
        if options.filter and options.filter not in name:
            continue
        records = min(options.bytes // RECORD, most)
        ask = {
            "text": "letters" if kind == "letters" else f"file:{texts.write('english', texts.source('english')[0])}",
            "bytes": records * RECORD,
            "record": RECORD,
            "call": "cells",
            "pattern-seed": 11,
            "patterns": f"pieces:{count}:{length}:{length}",
        }
        own, slow = {"isa": options.instruction_set, "ours": True}, {"limit": options.cell_seconds}
        who = [
            {"name": "trawl, cells, all cores", "threads": options.threads, **own},
            {"name": "trawl, cells, one core", "threads": 1, **own},
            {"name": MEMMEM, "kind": "memmem", **slow},
            {
                "name": "rabin-karp-matrix of the gallery, all cores",
                "algorithm": "rabin-karp-matrix",
                **slow,
                "ours": True,
            },
            {"name": "Hyperscan for each record, one core", "kind": "hyperscan", **slow},
        ]
        facts = {"work": f"{count} patterns in {records} records of {RECORD} bytes"}
        yield {"name": name, **facts, "asks": [(ask, who)]}


def merged(rows):
    """Join the rows of commands, which are measured without a text in memory, to the rows before them."""
    for row in [row for row in rows if row.get("merge")]:
        before = next(it for it in rows if it["name"] == row["name"])
        before["results"] += row["results"]
    return [row for row in rows if not row.get("merge")]


# ---- Reports --------------------------------------------------------------------------------


def compile_seconds(it):
    runs = it.get("compile") or it.get("plan")
    return statistics.median(runs) if runs else None


def working(it):
    return statistics.median(work(it)) if it else None


def ratio_of(row, faster, than, compiles):
    a, b = result(row, faster), result(row, than)
    if not a or not b:
        return None
    a, b = (compile_seconds(a), compile_seconds(b)) if compiles else (working(a), working(b))
    return b / a if a and b else None


def fast(value):
    return format(value, ".3g" if value < 100 else ".0f")


def conclusions(data):
    """Yield a row of cells for each of PAIRS, which sums up all rows."""
    for faster, than, compiles in PAIRS:
        values = [ratio_of(row, faster, than, compiles) for row in data["rows"]]
        values = [value for value in values if value]
        if not values:
            continue
        slower = sum(value < 1 for value in values)
        yield [
            faster,
            than + (", compiling" if compiles else ""),
            f"{fast(min(values))} to {fast(max(values))}",
            str(len(values)),
            str(slower),
        ]


def cost_of(it):
    """Format the milliseconds to compile, and the MiB that the compiled patterns take."""
    made, held = (compile_seconds(it), it.get("memory_bytes")) if it else (None, None)
    return "/".join(digits(value) for value in (made and 1000 * made, held and held / MIB) if value)


def speed_cell(row, competitor):
    it = next((it for it in row["results"] if it["name"] == competitor), {})
    if it.get("wrong") or not it.get("seconds"):
        return "another count" if it.get("wrong") else "-"
    return number(row["text_bytes"] / working(it) / 1e9, ".3g") + " *" * ("share" in it)


def section(data):
    """Make the section: conclusions, a table of speeds, and a table of compile times and memory."""
    rows_of = data["rows"]
    names = list(dict.fromkeys(it["name"] for row in rows_of for it in row["results"]))
    works = [row["work"].partition(" in ")[2] for row in rows_of]
    same = len(set(works)) == 1
    heads = [""] + [
        row["name"].removesuffix(" patterns").replace(MIXED[0][0], "mixed words").replace(MIXED[-1][0], "pieces")
        for row in rows_of
    ]
    speeds = [[name, *(speed_cell(row, name) for row in rows_of)] for name in names]
    costs = [
        [name, *(cost_of(result(row, name)) or "-" for row in rows_of)]
        for name in names  # a command's time includes compiling; compiling uses one core
        if name not in SET_COMMANDS and "all cores" not in name and any(cost_of(result(row, name)) for row in rows_of)
    ]
    return [
        *opening(data),
        spread_line(data),
        "",
        *table(["", "compared with", "times as fast", "workloads", "slower in"], conclusions(data), left=2),
        "",
        f"Speeds are GB/s of text{f' ({works[0]})' * same}, without compiling the patterns; a column names their kind and "
        "number. A star means that only part of the work was measured, a dash that nothing was.",
        "",
        *table(
            heads, [["work"] + works] * (not same) + [["found"] + [f"{row['found']:,}" for row in rows_of]] + speeds
        ),
        "",
        "Compiling the patterns takes these milliseconds/MiB of compiled patterns (trawl's until 2026-11-30: the most that a "
        "search allocates):",
        "",
        *table(heads, costs),
    ]
