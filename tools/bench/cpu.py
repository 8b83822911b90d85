"""cpu: measures a single pattern in texts in memory: the read loop, memmem and trawl in turn."""

import itertools
import math
import random
import statistics

from report import median, number, opening, ratio, result, spread_line, table
from runner import die

LENGTHS = (1, 2, 4, 8, 16, 64, 256, 1024, 4096)
WORST_LENGTHS = (8, 64, 1024, 16384)
ALPHABETS = ("az", "english", "dna", "periodic")
MEMMEM_SECONDS = 2  # memmem searches a share of the text that takes it at least an eighth of these seconds
READ_ONE, ONE, MEMMEM = "read, one thread", "trawl, one thread", "memmem"
READ_ALL, ALL = "read, all threads", "trawl, all threads"
RANDOM_ONE = "random, one thread"
WORST = (  # (text, name of text and pattern, how the pattern differs from the text's beginning)
    ("repeat:a", "a^n, a^m", {}),
    ("repeat:a", "a^n, a^(m-1)b", {"change": "last", "to": "b"}),
    ("repeat:a", "a^n, ba^(m-1)", {"change": "first", "to": "b"}),
    ("repeat:ab", "(ab)^n, (ab)^m", {}),
    ("fibonacci", "Fibonacci", {}),
    ("thue-morse", "Thue-Morse", {}),
    ("piece:{m}", "P^n, P", {}),
)


def own(options):
    return {"isa": options.instruction_set, "ours": True}


def competitors(options):
    """Return the competitors of each row: trawl, memmem, and loops that only read the text."""
    every = {"threads": options.threads, **own(options)}
    return [
        {"name": READ_ONE, "kind": "read", "threads": 1},
        {"name": ONE, **every, "threads": 1},
        {"name": MEMMEM, "kind": "memmem", "threads": 1, "limit": MEMMEM_SECONDS},
        {"name": READ_ALL, "kind": "read", "threads": options.threads},
        {"name": ALL, **every},
    ]


def place_of(name, count, length):
    return random.Random(name).randrange(max(1, count - length))


def alphabet_rows(alphabet, text, options):
    """Yield rows for patterns of each length from the text, and for absent patterns."""
    for length in (length for length in LENGTHS if length * 2 <= options.bytes):
        for kind in ("present", "absent"):
            name = f"{alphabet} m={length} {kind}"
            patterns = f"at:{place_of(name, options.bytes, length)}:{length}"
            ask = {**text, "patterns": patterns, "absent": kind == "absent"}
            yield {"name": name, "kind": kind, "alphabet": alphabet, "asks": [(ask, competitors(options))]}


def word_rows(text, content, options):
    """Yield rows for English words, from frequent to absent, and for a long line."""
    lines = (it for it in content.splitlines() if len(it) >= 100 and it.isascii() and b"\t" not in it)
    words = [(word, word) for word in ("the", "Moab", "Habakkuk", "Qxzjvkw")]
    words += [("line of 100", line[:100].decode("ascii")) for line in itertools.islice(lines, 1)]
    for label, word in words:
        asks = [({**text, "patterns": f"literal:{word}"}, competitors(options))]
        yield {"name": f"english word {label}", "kind": "word", "alphabet": "english", "asks": asks}


def worst_rows(options, texts):
    """Yield rows with texts and patterns that are worst cases of some algorithm. Each row also counts a random pattern
    in random letters, for comparison."""
    for text, kind, change in WORST:
        for length in (length for length in WORST_LENGTHS if length * 2 <= options.bytes):
            common = {"bytes": options.bytes, "patterns": f"at:0:{length}"}
            ask = {"text": texts.recipe(text.format(m=length), options.bytes), **common, **change}
            plain = {"text": "letters", "seed": 2, **common}
            plain["patterns"] = f"at:{place_of('plain', options.bytes, length)}:{length}"
            asks = [(ask, competitors(options)), (plain, [{"name": RANDOM_ONE, "threads": 1, **own(options)}])]
            yield {"name": f"worst m={length} {kind}", "kind": kind, "alphabet": "worst", "asks": asks}


def rows(options, texts):
    """Yield all rows, alphabet by alphabet."""
    facts = {
        "az": ({"text": "letters"}, "random letters a-z, even odds"),
        "periodic": ({"text": texts.recipe("piece:31", options.bytes)}, "31 random letters, repeated"),
    }
    for alphabet in ALPHABETS:
        if alphabet in ("english", "dna"):
            content, name = texts.source(alphabet)
            path = texts.write(alphabet, content)
            facts[alphabet] = ({"text": f"file:{path}"}, f"{name}, repeated")
        text, name = facts[alphabet]
        text = {**text, "bytes": options.bytes}
        made = list(alphabet_rows(alphabet, text, options))
        if alphabet == "english":
            made += word_rows(text, content, options)
        for row in made:
            yield {**row, "text": name}
    yield from worst_rows(options, texts)


# ---- The report -----------------------------------------------------------------------------


def speed(row, name):
    seconds = median(result(row, name))
    return row["text_bytes"] / seconds / 1e9 if seconds else None


def figures(row):
    """Return the ratios of a row."""
    one, memmem = speed(row, ONE), speed(row, MEMMEM)
    return {
        "one": one,
        "memmem": memmem,
        "to_memmem": ratio(one, memmem),
        "to_random": ratio(one, speed(row, RANDOM_ONE)),
    }


def letters_cell(row):
    """Format a row's speeds with one thread: GB/s, times memmem."""
    if row is None:
        return "-"
    it = figures(row)
    return f"{number(it['one'])}/**{number(it['to_memmem'], '.1f')}**"


def letters_tables(data):
    """Make tables with a row for each pattern and a column for each text: patterns that are present,
    then absent patterns."""
    cells, about = {}, {}
    for row in data["rows"]:
        if row["alphabet"] not in ALPHABETS:
            continue
        name = row["name"][len(row["alphabet"]) + 1 :].removesuffix(" present").removesuffix(" absent")
        of_kind = cells.setdefault("absent" if row["kind"] == "absent" else "present", {})
        of_kind.setdefault(name, {})[row["alphabet"]] = row
        about[row["alphabet"]] = row["text"]
    lines = [f"- {alphabet}: {text}" for alphabet, text in about.items()]
    for kind, rows_of in cells.items():
        lines += ["", f"### Patterns that are {kind}", ""] + table(
            ["", *about],
            [[name] + [letters_cell(of.get(alphabet)) for alphabet in about] for name, of in rows_of.items()],
        )
    return lines


def worst_table(data):
    """Return the table of the worst cases: speed, and the speed relative to random letters."""
    rows = {(row["kind"], row["pattern_bytes"]): row for row in data["rows"] if row["alphabet"] == "worst"}

    def cell(at):
        it = figures(rows[at]) if at in rows else None
        return f"{number(it['one'])}/**{number(it['to_random'])}**" if it else "-"

    cells = [[kind, *(cell((kind, m)) for m in WORST_LENGTHS)] for kind in dict.fromkeys(kind for kind, _ in rows)]
    said = "Cells show GB/s with 1 thread, and **multiples of the speed on random letters**."
    heads = ["text and pattern", *(f"m={length}" for length in WORST_LENGTHS)]
    return ["", "### Worst cases", "", said, "", *table(heads, cells)] if rows else []


def summary(data):
    """Return the lines that sum up all rows."""
    rows = data["rows"]
    reads = [
        statistics.median(value)
        for value in ([speed(row, name) for row in rows if speed(row, name)] for name in (READ_ONE, READ_ALL))
        if value
    ]
    over = [math.log(value) for value in (figures(row)["to_memmem"] for row in rows) if value]
    if len(reads) < 2 or not over:
        die("no row was measured")
    return [
        f"- memory read speed: {reads[0]:.1f} GB/s with 1 thread, {reads[1]:.1f} GB/s "
        f"with {data['machine']['cores']} (median over the rows)",
        f"- {len(rows)} rows, every count as expected; 1 thread is "
        f"{math.exp(statistics.mean(over)):.1f} times as fast as memmem (geometric mean)",
    ]


def section(data):
    lines = [
        *opening(data),
        *summary(data),
        spread_line(data),
        "",
        "Cells show GB/s with 1 thread, and **multiples of memmem's speed**. The texts are:",
        "",
    ]
    return lines + letters_tables(data) + worst_table(data)
