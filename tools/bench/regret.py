"""regret: measures what the plan's choice of a method costs beyond the best method.

In texts of many kinds, each row is searched with the method that the plan chooses, and with each method that
can be forced. The regret of the choice is the choice's time / the least time of the choice and all forced
methods. A time is that of the first count with a new plan, as in a program that asks each question once. The least time of several runs counts.
With a single thread on the host, processor time is measured, which other programs disturb less."""

import random
import statistics

from report import least, machine_line, table, times

CHOICE = "the choice"
LENGTHS = (1, 2, 3, 4, 8, 16, 24, 32, 40, 48, 64, 80, 128, 200, 300, 500, 768, 1000, 4000, 10000)
KINDS = (
    ("taken", "at:{at}:{m}", {}),
    ("one byte changed", "at:{at}:{m}", {"change": "middle"}),
    ("made up", "drawn:1:{m}:{m}", {}),
)
FLAGS = (("ignore-case", "-i"), ("word", "-w"))
FLAG_LENGTHS = (4, 8, 16, 64)
SETS = (10, 30, 100, 300, 1000, 10000, 100000)
SET_KINDS = (
    ("taken, 5 to 12 bytes", "pieces:{n}:5:12"),
    ("made up, 5 to 12 bytes", "drawn:{n}:5:12"),
    ("taken, 16 to 32 bytes", "pieces:{n}:16:32"),
)
SET_FLAGS_COUNT = 1000
MADE = (  # texts that trawl-bench makes, or Texts.recipe
    ("a-z", "letters"), ("ab", "letters:ab"), ("ACGT", "letters:ACGT"), ("16 letters", "letters:0123456789abcdef"),
    ("Thue-Morse", "thue-morse"), ("Fibonacci", "fibonacci"), ("(37 letters)^n", "piece:37"),
    ("(1,000 letters)^n", "piece:1000"), ("a^n", "repeat:a"), ("(ab)^n", "repeat:ab"))  # fmt: skip
FILES = (  # texts of texts.py
    ("DNA", "dna"), ("English", "english"), ("Russian", "cyrillic"), ("list of words", "words"), ("log", "requests"),
    ("machine code", "programs"), ("Rust", "code"), ("log, programs, DNA", None))  # fmt: skip
WITH_SETS = ("a-z", "ACGT", "DNA", "English", "log", "machine code", "Rust", "log, programs, DNA")
ROW_SECONDS = 0.2  # a competitor that has run this long is not run again
BAR = 1.25  # rows with a larger regret are counted in the report
# On the host, the choice runs TURNS times in a round: often three forced methods are equally fast, and the minimum of
# their many runs would be below the minimum of the choice's fewer runs.
TURNS = 3


# ---- Rows -----------------------------------------------------------------------------------


def competitors(options, is_set):
    """Return the competitors: the plan's own choice, on the host several times, and each method forced."""
    on_device = options.engine == "cuda"
    common = {
        "engine": options.engine,
        "threads": options.threads,
        "loaded": on_device,
        "plan": "new",
        "ours": True,
        "clock": "cpu" if options.threads == 1 and not on_device else None,
    }
    forced = [name for name in options.facts["methods"] if name != "auto"]
    first = {**common, "name": CHOICE}
    if on_device and not is_set:
        forced = forced[: forced.index("set") + 1]  # the later methods are only for the host
    turns = 1 if on_device else TURNS
    return turns * [first] + [{**common, "name": name, "method": name} for name in forced]


def questions(label, size):
    """Yield (name, facts, fields for patterns and flags) for the rows of a text."""
    for m in (m for m in LENGTHS if 4 * m <= size):
        for kind, recipe, more in KINDS:
            facts = {"m": m, "kind": kind}
            ask = {"patterns": recipe.format(m=m, at=size // 2), **more}
            yield f"{label}, m = {m}, {kind}", facts, ask
            for flags, option in FLAGS:
                if m in FLAG_LENGTHS and not more:
                    yield f"{label}, m = {m}, {kind}, {option}", facts, {**ask, "flags": flags}
    for n in SETS if label in WITH_SETS else ():
        for kind, recipe in SET_KINDS:
            facts = {"n": n, "kind": kind}
            ask = {"patterns": recipe.format(n=n)}
            yield f"{label}, {n:,} strings, {kind}", facts, ask
            for flags, option in FLAGS:
                if n == SET_FLAGS_COUNT:
                    yield f"{label}, {n:,} strings, {kind}, {option}", facts, {**ask, "flags": flags}


def recipe_of(texts, source):
    """Return the recipe of a text in a file; None: this machine lacks the text."""
    if source is None:  # a text that consists of three kinds
        parts = [texts.source(name)[0][: 1 << 21] for name in ("requests", "programs", "dna")]
        content = b"".join(parts) if all(parts) else b""
    else:
        content = texts.source(source)[0]
    return f"file:{texts.write(f'regret-{source}', content)}" if content else None


def rows(options, texts):
    """Yield the rows text by text. --share and the seed select the rows, and the seed their order."""
    for index, (label, source) in enumerate(MADE + FILES):
        made = [
            it
            for it in questions(label, options.bytes)
            if (options.filter or "") in it[0] and random.Random(f"{options.seed} {it[0]}").random() < options.share
        ]
        recipe = made and (texts.recipe(source, options.bytes) if index < len(MADE) else recipe_of(texts, source))
        if recipe is None:
            print(f"SKIPPED: {label}: this machine has no such files")
            continue
        random.Random(options.seed).shuffle(made)
        for name, facts, ask in made:
            ask = {"text": recipe, "bytes": options.bytes, "oracle": "1M", **ask}
            facts |= {"text": label, "flags": ask.get("flags", ""), "seconds": min(options.cell_seconds, ROW_SECONDS)}
            yield {"name": name, **facts, "asks": [(ask, competitors(options, "n" in facts))]}


def head(options):
    return {"engine": options.engine, "threads": options.threads}


# ---- The report -----------------------------------------------------------------------------


def regret(row):
    """Return the choice's least time divided by the least time of the choice and the forced methods;
    None: the choice was not measured."""
    times = [(it["name"], least(it)) for it in row["results"] if it.get("seconds") and not it.get("wrong")]
    own = min((value for name, value in times if name == CHOICE), default=None)
    return own / min(value for _, value in times) if own else None


def kind_of(row):
    return row["text"] + (", sets" if "n" in row else "")


def kind_table(found):
    """Return the table of regrets by kind of text: rows, those above BAR, mean, worst, and the slowest row's speed."""
    cells = []
    for kind in [*dict.fromkeys(map(kind_of, found)), "all"]:
        values = [regret(row) for row in found if kind in ("all", kind_of(row)) and regret(row)]
        if values:
            over = sum(value > BAR for value in values)
            mean = f"{statistics.mean(values):.3f}"
            cells.append([kind, len(values), over, mean, times(max(values))])
    return table(["text", "rows", "> 1.25", "mean", "worst"], cells)


def section(data):
    """Return the lines of the page."""
    found, machine = data["rows"], data["machine"]
    return [
        f"- {machine_line(data, on_gpu=True)}",
        f"- texts of {machine['text_bytes']:,} bytes, engine {data['engine']}, threads {data['threads']}; "
        f"{len(found)} rows, every answer alike",
        "",
        "### Regret by text",
        "",
        *kind_table(found),
    ]
