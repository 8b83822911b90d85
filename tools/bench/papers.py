"""papers: measures the tables and figures of the gallery's sources again.

papers_facts.json lists what a source printed and claims, which competitors take part in which row, and how the tables
look. A competitor's side: `published` (the source measured it), `suggested` (the source names it), `ours` (a variant in
the gallery that no source has), `own` (trawl's methods), or none (it takes part in no comparison)."""

import csv
import io
import json
import os
import random
import re
import statistics

import claims
import commands
import plots
import rivals
import texts as recipes
from claims import Figures, quartiles
from report import digits, machine_line, opening, spread_line, table
from runner import HERE, command, first_line

NAMES = ("pss", "bmh", "swift", "word", "records", "together")  # the last is not a publication, and has no claims
GPU_CHUNK = 256 << 20  # the sources copied the whole text and launched a single kernel
PART = 8 << 20  # what a stream of several copies and searches at a time
PATTERNS = 9  # patterns for each cell of swift: a pattern's ends decide how many child grids start
PATTERNS_FEW = 5  # for rows sweep and letters, and for E. coli: there a search starts a hundred thousand child grids
SIDES = {"published": "published", "suggested": "published", "own": "own"}  # the two sides that `compared` compares
PARTS = ("plan", "copy_in", "shifts", "kernel", "copy_out", "host_work", "search")
PLACES = {"one core": "one core", "all cores": "all cores", "GPU": "GPU", "GPU, own": "GPU", "command": "whole process"}
PATTERN_SECONDS = 0.1  # a run that takes longer is not repeated with the same pattern
ALIASES = {"wordSearchCPU (naive, one core)": "naive"}


def definitions():
    """Read papers_facts.json. The name of a set of rows is replaced with the rows. A row template with several labels
    becomes a row for each label, whose parts are put into the row's field `is`."""
    with open(os.path.join(HERE, "papers_facts.json"), encoding="utf-8") as file:
        found = json.load(file)
    for facts in found.values():
        for it in facts["who"] + facts["claims"]:
            if isinstance(it.get("on"), str):
                it["on"] = facts["sets"][it["on"]]
    for made in (made for facts in found.values() for made in facts["tables"]):
        made["rows"] = [
            row
            for it in made["rows"]
            for row in (
                [[label, it["is"].format(*re.split(r", |[*×]", label)), ""] for label in it["each"]]
                if isinstance(it, dict)
                else [it]
            )
        ]
    return found


# ---- Rows -----------------------------------------------------------------------------------


def competitor(who, host, side, options, on=""):
    """Make a competitor of a row. Its name begins with the algorithm and its options; `host` says where it runs
    (PLACES). `program`: what PSS's program does around its kernel, with room for as many results as in the source, or
    what Han's does, with a result for each byte."""
    name = ALIASES.get(who) or who.split(", ")[0]
    fields = {"name": who, "ours": side == "own", "threads": options.threads, "isa": options.instruction_set}
    if name in ("pinned", "pageable"):
        return {"kind": "device-copy", "name": who, "pageable": name == "pageable"}
    if name == "reading":
        return {"kind": "device-read", "name": who}
    if name == "program":
        room = 1 << 20 if on.startswith("V:") else 12000 if "20 books" in on else 600
        return {"kind": "device-copy", "name": who, **({"program": room} if "book" in on else {"ints": True})}
    if name == "strstr":
        return {**fields, "kind": "strstr", "threads": 1 if host == "one core" else options.threads}
    if name != "trawl":
        fields["algorithm"] = name.replace(" ", ":").replace("*", "x")
    places = {
        "one core": {"threads": 1},
        "GPU": {"engine": "cuda", "threads": 1, "chunk": GPU_CHUNK},
        "GPU, 1 stream": {"engine": "cuda", "threads": 1, "chunk": PART},
        "GPU, 3 streams": {"engine": "cuda", "threads": 4, "chunk": PART},
        "GPU, own": {"engine": "cuda", "loaded": "loaded" in who},
    }
    return {**fields, **places.get(host, {})}


def row_of(paper, on, who, ask, programs, options, runs=10):
    """Return a row of a publication: the library's competitors, and whole programs."""
    names = {name for name, _, _ in who}
    asks = [(ask, [competitor(*it, options, on) for it in who if it[1] not in ("command", "function")])]
    asks += [({}, [it for it in programs if it["name"] in names])] if programs else []
    facts = {"paper": paper, "name": on, "runs": runs, "hosts": {it[0]: it[1:] for it in who}, "asks": asks}
    return facts | {"rounds": min(runs, options.rounds or runs), "seconds": options.cell_seconds,
                    "warm": True, "parts": True, "least": claims.RUNS_LEAST}  # fmt: skip


def pss_asks(texts, options):
    trawl = commands.install(options, texts)
    book = bytearray(repeat_to(texts.source("english")[0], min(513717, options.largest)))
    draw = random.Random(17)
    step = (len(book) - 2000) // 566  # as often as in the paper's book: METU 10 times, Bilbo 556 times
    for i in range(566):
        key = b"METU" if i % 57 == 0 else b"Bilbo"
        at = 1000 + i * step + draw.randrange(step - len(b"Bilbo"))
        book[at : at + len(key)] = key
    paths = {"book": texts.write("pss-book", bytes(book)), "20 books": texts.write("pss-books", bytes(book) * 20)}
    for on, key in (
        ("I: METU, book", "METU"),
        ("II: Bilbo, book", "Bilbo"),
        ("III: METU, 20 books", "METU"),
        ("IV: Bilbo, 20 books", "Bilbo"),
        ("blocks, Bilbo, 20 books", "Bilbo"),
        ("V: e, 20 books", "e"),
        ("alarms: the_, 20 books", "the_"),
        ("no alarms: _the, 20 books", "_the"),
    ):
        path = paths[on.split(", ")[-1]]
        words = {"grep -F": ("grep", "-F"), "trawl, command": (trawl,),
                 "trawl pss-gm, command": (trawl, "--engine=cuda", "--algorithm=pss-gm")}  # fmt: skip
        programs = [{"name": name, **command(*it, "-e", key, path)} for name, it in words.items()]
        yield (
            on,
            {"text": f"file:{path}", "patterns": f"literal:{key}", "call": "positions"},
            programs * ("_" not in key and key != "e"),
            10,
        )
    many = texts.write("pss-many", bytes(book) * max(1, min(256, options.largest // len(book))))
    yield "streams: Bilbo, 256 books", {"text": f"file:{many}", "patterns": "literal:Bilbo", "call": "count"}, [], 10


def repeat_to(content, count):
    return (content * (count // len(content) + 1))[:count]


def pieces_of(content, path, length, places):
    """Yield questions with pieces of a text as patterns; the pieces begin at these offsets."""
    length = min(length, len(content) // 8)
    for at in places:
        yield {"text": f"file:{path}", "patterns": f"at:{at}:{length}", "call": "positions"}


def places_in(content, count):
    draw = random.Random(29)
    return [draw.randrange(len(content) - len(content) // 8) for _ in range(count)]


def bmh_asks(texts, options):
    """Yield the questions of the publication on bmh: patterns of three lengths in a text of English, and two texts of
    runs of a letter, as the public inputs of its program: input6, made longer, and input5."""
    trawl, most = commands.install(options, texts), min(34873628, options.largest)
    content = repeat_to(texts.source("english")[0], most).replace(b"\n", b" ").replace(b"\r", b" ")
    runs = repeat_to(b"".join(bytes([it]) * 3995 for it in b"ab"), most)
    letters = repeat_to(b"".join(bytes([it]) * 3999 for it in range(97, 123)), min(27 * 3999, options.largest))
    searches = [(f"m = {m}", content, places_in(content, 1)[0], min(m, len(content) // 8)) for m in (1751, 3, 3999)]
    searches += [("runs of 3995, m = 3997", runs, 3994, 3997), ("runs of 3999, m = 3998", letters, 0, 3998)]
    first = command(
        trawl, "--engine=cuda", "--algorithm=bmh:256x16,debug", "-ce", "a", texts.write("paper-bmh-first", b"ab\n")
    )
    for on, text, at, length in searches:
        path = texts.write(f"paper-bmh-{on if text is not content else 'english'}", text)
        ask = {"text": f"file:{path}", "patterns": f"at:{at}:{length}", "call": "positions"}
        yield on, ask, [{"name": "first call, command", **first}], 10
    for on, key, count in (
        ("best, m = 64", b"b" * 64, most),
        ("best, m = 1024", b"b" * 1024, most),
        ("worst, m = 16", b"b" + b"a" * 15, min(most, 4 << 20)),
        ("worst, m = 64", b"b" + b"a" * 63, min(most, 4 << 20)),
    ):
        text = f"file:{texts.write(f'paper-a-{count}', b'a' * count)}"
        yield on, {"text": text, "patterns": f"file:{texts.patterns(on, [key])}", "call": "positions"}, [], 10


def swift_asks(texts, options):
    """Yield rows named "CELL #PATTERN", which `merged` joins, and a row with 25 patterns at once."""
    bible = texts.source("english")[0]
    contents = (
        ("bible", bible),
        ("world192", texts.source("world")[0]),
        ("E. coli", texts.source("coli" if texts.has("coli") else "dna")[0][:4638690]),
        ("Sample-Text", recipes.letters(4 << 20, 1)),
    )
    cells = [(name, m, content, 3) for name, content in contents for m in (500, 1500)]
    cells += [("sweep", m, bible, 1) for m in (100, 400, 800, 1200, 3000)]
    cells = [("letters", m, contents[3][1], 1) for m in (100, 500, 800, 1500, 3000)] + cells
    for name, m, content, runs in cells:
        content = content[: options.largest]
        path = texts.write(f"paper-{len(content)}-{name}", content)
        few = name in ("E. coli", "sweep", "letters")
        asks = pieces_of(content, path, m, places_in(content, PATTERNS_FEW if few else PATTERNS))
        for i, ask in enumerate(asks):
            yield f"{name}, m = {m} #{i}", ask, [], runs
    flat = bible[: options.largest].replace(b"\n", b" ")
    patterns = texts.patterns("several", [flat[at : at + 500] for at in places_in(flat, 25)])
    ask = {"text": f"file:{texts.write('paper-several', flat)}", "patterns": f"file:{patterns}", "call": "positions"}
    yield "several: 25 patterns", ask, [], 10


def word_asks(texts, options):
    keys = texts.patterns("word-keys", [recipes.letters(4, 31 + i) for i in range(100)])
    for kib in (1, 4, 8, 16, 32, 64, 256, 1024, 4096, 16384, 65536):
        if kib << 10 <= max(options.largest, 1024):
            ask = {"text": "letters", "seed": 37, "bytes": kib << 10}
            yield f"{kib} KiB", {**ask, "call": "first", "patterns": f"file:{keys}", "each": True}, [], 5


def records_asks(texts, options):
    """Yield rows over records of `length` letters, each followed by a NUL, as Microsoft's C++ AMP sample stores records
    for strstr. First come sizes of our choice, then the sample's. One row measures only the copying of a tape."""
    sizes = [
        (kind, m, 8, 200, n)
        for kind in ("sparse", "dense")
        for m, n in ((16, 4096), (256, 4096), (4095, 4096), (256, 256), (256, 65536))
    ]
    sizes += [("the sample's", 128, 60, 1020, n << 10) for n in (16, 32, 64, 128)]
    for kind, m, count, length, n in sizes:
        if n * (length + 1) > max(options.largest, 256 * 201):
            continue
        draw = random.Random(41 + (kind == "dense"))
        patterns = [recipes.letters(count, draw.getrandbits(32)) for _ in range(m)]
        letters, made = recipes.letters(n * length, 43), []
        for i in range(n):
            record = bytearray(letters[i * length : i * length + length])
            if kind == "dense":
                record[:] = b"".join(draw.choices(patterns, k=25))
            elif i % 100 == 0:
                at = draw.randrange(length - count)
                record[at : at + count] = draw.choice(patterns)
            made.append(bytes(record))
        key = f"records-{kind[:5]}-{m}-{n}"
        path = texts.patterns(f"{key}-patterns", patterns)
        tape = texts.write(f"{key}-tape", b"\0".join(made) + b"\0")
        if (m, n) == (128, 16 << 10):
            yield f"naive, N = {n}", {"text": f"file:{tape}", "patterns": f"file:{path}", "call": "count"}, [], 3
        if (kind, m, n) == ("sparse", 256, 65536):
            yield f"copy, N = {n}", {"text": f"file:{tape}"}, [], 10
        ask = {"text": f"file:{tape}", "record": length + 1, "patterns": f"file:{path}", "call": "cells"}
        yield f"{kind}, M = {m}, N = {n}", ask, [], 10


def together_asks(texts, options):
    """Yield counts in a text of English, for forms of all publications but records."""
    content = repeat_to(texts.source("english")[0].replace(b"\n", b" "), min(128 << 20, options.largest))
    ask = {"text": f"file:{texts.write('paper-together', content)}", "call": "count"}
    places = places_in(content, 128)
    for m in (4, 60, 1500):
        yield f"one text, m = {m}", {**ask, "patterns": f"at:{places[0]}:{m}"}, [], 5
    keys = texts.patterns("together", [content[at : at + 60] for at in places])
    yield "one text, 128 patterns", {**ask, "patterns": f"file:{keys}"}, [], 5
    records = b"".join(content[at : at + 1020] + b"\0" for at in range(0, len(content) - 1019, 1020))
    text = texts.write("paper-records", records)
    ask = {"text": f"file:{text}", "record": 1021, "patterns": f"file:{keys}", "call": "cells"}
    yield "one text, records", ask, [], 5


def rows(options, texts):
    """Yield all rows, publication by publication."""
    # swift comes last, because its rows take most of the time, which may run out before the last row
    for paper, facts in sorted(definitions().items(), key=lambda it: it[0] == "swift"):
        if options.words and paper not in options.words:
            continue
        who = {on: it["who"] for it in facts["who"] for on in it["on"]}
        for on, ask, programs, runs in globals()[f"{paper}_asks"](texts, options):
            row = row_of(paper, on, who[on.split(" #")[0]], ask, programs, options, runs)
            if "#" in on:
                row.update(seconds=min(row["seconds"], PATTERN_SECONDS), least=1)
            yield row


def head(options):
    gpu = first_line("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    return {"gpu": gpu, "grep": rivals.versions(options).get("grep -F"), "load_before": os.getloadavg()[0]}


def finish(row):
    """Add to each result where the competitor ran, and the competitor's side."""
    hosts = row.pop("hosts")
    for it in row["results"]:
        it["host"], it["side"] = hosts[it["name"]]
    row["answers"] = row.pop("found", 0)
    return row


def merged(rows):
    """Join the rows "CELL #PATTERN" of each cell to a row with the median of each pattern's runs, in the
    order of the patterns."""
    cells = {}
    for row in rows:
        cells.setdefault((row["paper"], row["name"].split(" #")[0]), []).append(row)
    return [rows[0] if "#" not in rows[0]["name"] else joined(name, rows) for (_, name), rows in cells.items()]


def joined(name, rows):
    """Return a row with a duration for each of the rows: the median of that row's runs."""
    results = []
    for several in zip(*(row["results"] for row in rows)):
        it = {key: several[0][key] for key in ("name", "host", "side")}
        bad = next((one for one in several if not one.get("seconds") or one.get("wrong")), None)
        if bad:
            it.update({key: bad[key] for key in ("why", "wrong") if key in bad})
        else:
            it["runs"] = [len(one["seconds"]) for one in several]
            for key in ("seconds", *PARTS):
                if any(key in one for one in several):
                    it[key] = [round(statistics.median(one.get(key, [0])), 9) for one in several]
            notes = [one.get("note", "") for one in several]
            if any(note.startswith("child grids") for note in notes) and "uncounted" not in it["name"]:
                numbers = [[int(it.split()[-1]) for it in (note or "0, 0, 0, 0").split(", ")] for note in notes]
                it["children"], it["parts"] = [one[:3] for one in numbers], max(one[3] for one in numbers)
        results.append(it)
    counts = {"runs": len(rows), "patterns": len(rows), "answers": sum(row["answers"] for row in rows)}
    return {**rows[0], "name": name, **counts, "results": results}


# ---- The page -------------------------------------------------------------------------------


def figures_of(data, paper):
    """Return a paper's rows with the results of the competitors named in papers_facts.json, each with its side
    (published, ...). `sums` defines further results: a kernel's time plus those of other competitors."""
    facts, rows = definitions()[paper], []
    sides = {(on, name): side for it in facts["who"] for on in it["on"] for name, _, side in it["who"]}
    for row in (row for row in data["rows"] if row["paper"] == paper):
        results = [it for it in row["results"] if (row["name"], it["name"]) in sides]
        results = [{**it, "side": sides[row["name"], it["name"]]} for it in results]
        found = {it["name"]: it for it in results if Figures.good(it)}
        for name, (kernel, *rest) in facts.get("sums", {}).items():
            if {kernel, *rest} <= set(found):
                seconds = [sum(it) for it in zip(found[kernel]["kernel"], *(found[one]["seconds"] for one in rest))]
                made = {"name": name, "side": "published", "host": "GPU, with file", "seconds": seconds}
                results.append({**found[kernel], **made})
        rows += [{**row, "results": results}] if results else []
    return Figures(rows, facts["published"], data.get("gpu") or data["machine"].get("gpu"), set(sides))


def cell(figures, ref):
    """Return the text of a cell, in ms: the median and, if the quartiles differ by more than half of the median, the
    quartiles; words if there is no number."""
    it, parts = figures.find(ref), ref.split("|")
    if not figures.good(it):
        return figures.state(it, ref)
    if parts[2:] == ["parts"]:
        return str(it.get("parts", "-"))
    runs = [1e3 * run for run in figures.runs(it, *parts[2:])]
    if not any(runs):
        return "-"
    low, middle, high = quartiles(runs)
    return digits(middle) + (f"({digits(low)}–{digits(high)})" if high - low > middle / 2 else "")


def runs_said(figures, refs):
    """Return how many runs or patterns the figures of the table are medians of."""
    found = [(figures.rows[ref.split("|")[0]], figures.find(ref)) for ref in refs if figures.good(figures.find(ref))]
    counts = sorted({len(it["seconds"]) for _, it in found})
    if not counts:
        return ""
    many = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    if "patterns" in found[0][0]:
        return f"; {many} patterns"
    return f"; {many} run{'s' if counts[-1] > 1 else ''}"


def table_lines(figures, made):
    """Make a table as lines of Markdown. Numbers that the source printed have their own column, before ours. The caption
    names the rows in which nothing was measured."""
    marked = any(row[2] for row in made["rows"])
    heads, columns, all_refs = [made["corner"]] + (["whose"] if marked else []), [], []
    for head, key, *suffix in made["columns"]:
        names = [row[1].split("|")[0] + suffix[0] if suffix else row[1] for row in made["rows"]]
        refs = [f"{key}|{name}" if suffix or made["across"] == "on" else name + key for name in names]
        there = [None if suffix == ["|sorting"] else figures.there(ref) for ref in refs]
        all_refs += refs
        if any(there):
            heads.append(f"{head}: there")
            columns.append([f"{it:g}" if it else "-" for it in there])
            head += ": here"
        heads.append(head)
        columns.append([cell(figures, ref) for ref in refs])
    lines, bare = [], []
    for row, *values in zip(made["rows"], *columns):
        if set(values) <= {"not measured", "-"}:
            bare.append(row[0])
        else:
            lines.append([row[0]] + ([row[2] or "published"] if marked else []) + values)
    caption = made["caption"] + (f" Not measured: {'; '.join(bare)}." if bare else "")
    title = f"{made['title']} ({made['unit']}{runs_said(figures, all_refs)})"
    table_of = [""] + narrow(heads, lines, left=1 + marked) if lines else []
    return ["", f"**{title}.** {caption.strip()}".rstrip(), *table_of]


def part(data, paper):
    """Return the generated lines of a publication's page: how its figures are made, verdicts, tables, proposals."""
    figures, facts = figures_of(data, paper), definitions()[paper]
    if not figures.rows:
        return ["Not measured."]
    lines = []
    if facts["claims"]:
        lines = [f"Source: {facts['source']}; measured on {facts['hardware']}." + keys_said(figures), ""]
    lines.append(
        f"`./dev bench papers {paper} --from=docs/measurements/papers.json` prints what follows. "
        f"Measured on {machine_line(data, on_gpu=True)}."
    )
    lines += sorted(
        {
            f"- {it['name']}: {it['why']}"
            for row in figures.rows.values()
            for it in row["results"]
            if it.get("why") and figures.state(it, "") != "no GPU"
        }
    )
    if facts["claims"]:
        judged = claims.judged(figures, facts["claims"], main_first=True)
        because = facts["because"].get(judged[0][1])
        lines += ["", "## Verdicts", "", *narrow(CLAIM_HEADS, claim_rows(judged), left=7)]
        lines += ["", f"Our explanation of the main verdict, not measured: {because}."] if because else []
        lines += pairs_line(figures)
    lines += ["", "## Tables"] if facts["claims"] else []
    for made in facts["tables"]:
        lines += table_lines(figures, made)
    lines += children_line(figures) + flags_line(figures)
    lines += ["", f"![{facts['plot']}](../plots/papers-{paper}.svg)"] if facts.get("plot") else []
    if "future" in facts:
        heads = ("proposal", "where it is here", "measured (ms, if no unit is named)")
        lines += ["", "## Proposals", "", *narrow(heads, proposal_rows(figures, facts["future"]), left=3)]
    return lines


CLAIM_HEADS = ("claim", "order", "factor", "holds in", "times as fast: here", "there", "against our baseline")


def claim_rows(judged):
    """Return a row for each claim of a publication, by verdicts; the main claims come first."""
    found = sorted(
        judged, key=lambda it: (not it[0].get("main"), claims.VERDICTS.index(it[1] if it[1] != "-" else it[2]))
    )
    return [
        [
            ("**{}**" if claim.get("main") else "{}").format(claims.capital(claim["say"])),
            *(it.replace(" of ", "/") or "-" for it in said),
        ]
        for claim, *said in found
    ]


def proposal_rows(figures, proposals):
    """Say which of a source's proposals trawl adopted, with figures in ms."""
    rows = []
    for item, where, words, *refs in proposals:
        times = [figures.time(ref) for ref in refs]
        rows.append([item, where, words.format(*(digits(1e3 * it) for it in times)) if all(times) else "not measured"])
    return rows


def keys_said(figures):
    """Say how often the keys of PSS occur in a book."""
    counts = [figures.rows[on]["answers"] for on in ("I: METU, book", "II: Bilbo, book") if on in figures.rows]
    return " METU occurs {} times in the book here, Bilbo {} times.".format(*counts) if len(counts) == 2 else ""


def children_line(figures):
    """Say how many child grids ran. If many windows were skipped, a row did not run the source's algorithm."""
    counts = [
        (row, one)
        for row in figures.rows.values()
        for it in row["results"]
        if figures.good(it)
        for one in it.get("children", [])
    ]
    if not counts:
        return []
    ran, refused, left_out = zip(*(one for _, one in counts))
    texts = dict.fromkeys(row["name"].split(", ")[0] for row, one in counts if one[2])
    share = max((one[0] + one[2]) / row["text_bytes"] / row["pattern_count"] for row, one in counts)
    said = (
        f"A search launched {min(ran)} to {max(ran)} child grids, for {100 * share:.1f} % of the positions at most. The "
        f"device rejected {sum(refused)} launches. The kernels left out {sum(left_out)} of "
        f"{sum(map(sum, zip(ran, refused, left_out)))} windows that needed a grid"
    )
    return ["", said + (f" (only in {', '.join(texts)})" if texts else "") + "."]


def flags_line(figures):
    """Say which share of the records each hash flagged that have no pattern. A record here has one pattern at most."""
    shares = {}
    for on, row in figures.rows.items():
        for it in row["results"]:
            if on.startswith("the sample") and it.get("note", "").startswith("flagged"):
                false = int(it["note"].split()[-1]) - row["answers"]
                shares.setdefault(it["name"], []).append(100 * false / (row["text_bytes"] / 1021))
    said = [f"{name.split(', ')[0]} {min(it):.4f} to {max(it):.4f}" for name, it in shares.items()]
    return ["", f"False positives (counted), % of records: {', '.join(said)}."] if said else []


def pairs(figures):
    """Yield for each pattern and algorithm of SWIFT (its kernel's speed / the generic kernel's speed, child grids)."""
    for row in figures.rows.values():
        by = {it["name"]: it for it in row["results"] if figures.good(it)}
        for name in ("bf", "qs", "hp"):
            generic, swift = by.get(name), by.get(f"{name}-swift")
            if generic and swift and swift.get("children"):
                yield from (
                    (a / b, c[0] + c[2], b, name)
                    for a, b, c in zip(generic["kernel"], swift["kernel"], swift["children"])
                )


def pairs_line(figures):
    """Say in how many pairs of a pattern and an algorithm SWIFT was faster."""
    found = list(pairs(figures))
    if not found:
        return []
    said = (
        f"In {sum(it[0] > 1 for it in found)} of {len(found)} pairs of a pattern and an algorithm, SWIFT's kernel was "
        "faster than the generic kernel (ours); the best speed ratio was {}, with {} child grids."
    )
    best = max(found)
    return ["", said.format(digits(best[0]), best[1])]


def narrow(*made, **fields):
    """Return the table's lines without the spaces around the bars."""
    return [line.replace(" | ", "|").replace("| ", "|").replace(" |", "|") for line in table(*made, **fields)]


def compared(figures):
    """Yield (row, kind of processor, the source's best / trawl's best), by medians, for rows in
    which both took part."""
    for row in figures.rows.values():
        for place in dict.fromkeys(PLACES.values()):
            times = {"own": [], "published": []}
            for it in row["results"]:
                if SIDES.get(it["side"]) and PLACES.get(it["host"]) == place and figures.good(it):
                    times[SIDES[it["side"]]].append(statistics.median(it["seconds"]))
            if all(times.values()):
                yield row["name"], place, min(times["published"]) / min(times["own"])


def verdict_in_words(claim, order, factor, held, here):
    """Return a verdict with what was measured, in words."""
    word = order if factor in ("-", order) else f"the order is {order}, the factor is {factor}"
    word = "partly reproduced" if word == "partly" else word
    first, *more = held.split(", ")
    cells = ", ".join([f"in {first} {claim.get('cells', 'cells')}", *more]) if held else ""
    ratio = here and (f"here {here}" if claim.get("kind") == "cross" else f"ratio {here}")
    found = "; ".join(filter(None, (cells, ratio)))
    return f"{word}: {found}" if found else word


def overview(data):
    """Make a row for each main claim, and a list of the rows in which trawl is behind."""
    lines, count, behind = [], 0, []
    for paper in NAMES:
        figures, facts = figures_of(data, paper), definitions()[paper]
        if not figures.rows or not facts["claims"]:
            continue
        name, found = facts["title"].split(":")[0], claims.judged(figures, facts["claims"], main_first=True)
        ratios = list(compared(figures))
        count += len(ratios)
        behind += [f"{name}, {row}, {place} ({digits(ratio)} ×)" for row, place, ratio in ratios if ratio < 1]
        others = [it for it in found if not it[0].get("main")]
        more = [
            ", ".join(f"{one.count(it)} {it}" for it in claims.VERDICTS if it in one) or "-"
            for one in zip(*(it[1:3] for it in others))
        ] + [f"ahead in {sum(it[2] >= 1 for it in ratios)} of {len(ratios)}"]
        for claim, order, factor, held, here, there, _ in found[: len(found) - len(others)]:
            said = claims.capital(claim["say"]) + (f"; there {there}" if there else "")
            verdict = claims.capital(verdict_in_words(claim, order, factor, held, here))
            lines.append([f"[{name}](papers/{paper}.md)", said, verdict, *more])
            more = ["", "", ""]
    simulated = not data.get("gpu") and any(it.get("kernel") for row in data["rows"] for it in row["results"])
    origins = {name: recipes.ORIGINS.get(name) for name, _ in data.get("texts", {}).values()}
    kinds = ", ".join(f"[{name}]({origin[0]})" if origin else name for name, origin in origins.items())
    heads = ["publication", "main claim", "here", "other claims: order", "factor", "trawl against the source"]
    return [
        *narrow(heads, lines, left=6),
        "",
        "The last column compares whole searches, with copies and sorting, on the same kind of processor: the best of the "
        f"published and suggested forms against the best of trawl's. trawl is slower in {len(behind)} of {count} "
        f"comparisons{': ' * bool(behind)}{'; '.join(behind)}.",
        "",
        *["**The GPU is simulated: its times, and the verdicts about them, mean nothing.**", ""] * simulated,
        *opening(data, on_gpu=True),
        f"- {data['grep']}; texts, checked by SHA-256: {kinds or 'generated'}",
        f"{spread_line(data)}; {load_said(data)}",
    ]


def load_said(data):
    """Say how many programs wanted to run on the machine, on average of a minute, and how many runs a figure has."""
    loads = [data["load_before"], *data.get("load_after", {}).values()]
    runs = [len(it["seconds"]) for row in data["rows"] for it in row["results"] if it.get("seconds")]
    return f"load {min(loads):.1f} to {max(loads):.1f}; {min(runs)} to {max(runs)} runs or patterns" if runs else ""


def section(data):
    """Return the report: the overview, then the page of each publication that was measured."""
    measured = {row["paper"] for row in data["rows"]}
    return overview(data) + [it for paper in NAMES if paper in measured for it in ["", *part(data, paper)]]


def fastest_file(data):
    """Make docs/papers-fastest.csv: the rows in which an algorithm was the gallery's fastest. CPU rows compare times of whole
    searches; GPU rows compare times of kernels in release code, except the word search and records, which compare
    whole searches."""
    won, measured = {}, set()
    for paper in NAMES:
        figures = figures_of(data, paper)
        by = {"GPU": "" if paper in ("word", "records") else "|kernel", "one core": "", "all cores": ""}
        for on, row in figures.rows.items():
            times = {}
            for it in row["results"]:
                place = PLACES.get(it["host"])
                time = place in by and figures.time(f"{on}|{it['name']}{by[place]}")
                if time and it["side"] not in ("own", "") and "debug" not in it["name"]:
                    name = re.split("[:, ]", ALIASES.get(it["name"], it["name"]))[0]
                    measured.add(name)
                    times.setdefault(place, {})[time] = name
            for place, several in times.items():
                if len(set(several.values())) > 1:
                    won.setdefault(several[min(several)], {}).setdefault(place, []).append(on.replace(" = ", " "))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("algorithm", "where", "rows of papers.json in which it was the fastest"))
    for name in sorted(measured):
        writer.writerows((name, place, "; ".join(it)) for place, it in won.get(name, {"nowhere": []}).items())
    return out.getvalue()


# ---- Plots -----------------------------------------------------


def plot_factors(data):
    """Draw each claim with a factor: what is claimed, and the speed ratios here."""
    rows = []
    for paper in NAMES:
        figures, facts = figures_of(data, paper), definitions()[paper]
        for claim in (it for it in facts["claims"] if "bound" in it and it.get("kind") in (None, "reach")):
            values = [claims.value_of([figures.time(ref) for ref in refs]) for _, *refs in claims.cases_of(claim)]
            if values := [value for value in values if value]:
                name = f"{facts['title'].split(':')[0]}: {claim['short']}"
                rows.append((name, claim["bound"], min(values), statistics.median(values), max(values)))
    said = "ring: the claimed factor; line and dot: least, median and greatest speed ratio of the cells"
    return plots.ranges("Factors: claimed, and measured here", said, "speed ratio", rows)


def plot_swift(data):
    found = [it for it in pairs(figures_of(data, "swift")) if it[1] > 0]
    series = [
        (f"{name} by SWIFT", [(grids, 1e3 * time) for _, grids, time, one in found if one == name], "dots")
        for name in ("bf", "qs", "hp")
    ]
    generic = statistics.median(1e3 * ratio * time for ratio, _, time, _ in found)
    return plots.curves(
        "SWIFT: time grows with the child grids",
        "a dot: a pattern in a text; the windows that a grid was wanted for",
        ("child grids", plots.decades(1, max(it[1] for it in found))),
        "kernels, ms",
        [*series, ("median, generic kernel", [(1, generic)], "rule")],
    )


def plot_word(data):
    figures, series = figures_of(data, "word"), []
    for label, name in (
        ("CPU, one core", "wordSearchCPU (naive, one core)"),
        ("GPU", "word-simple"),
        ("GPU, 256 KiB at a time", "word-chunked"),
        ("trawl, one core", "trawl, one core"),
    ):
        times = [(int(on.split()[0]) << 10, figures.time(f"{on}|{name}")) for on in figures.rows]
        if points := [(size, 1e3 * time) for size, time in times if time]:
            series.append((label, points, "line"))
    names = ("1 KiB", "16 KiB", "256 KiB", "4 MiB", "64 MiB")
    return plots.curves(
        "Word search: a growing text",
        "100 searches for a word of 4 letters; the source saw the lines of CPU "
        "and GPU cross at about 30,000 characters",
        ("text", [(1024 * 16**i, it) for i, it in enumerate(names)]),
        "ms",
        series,
    )


def plot_records(data):
    """Draw how many times as fast as strstr on one core the forms are, over patterns x records."""
    figures, points = figures_of(data, "records"), {}
    for on in figures.rows:
        numbers = [int(it) for it in re.findall(r"= (\d+)", on)]
        base, own = figures.time(f"{on}|strstr, one core"), on.startswith("the sample")
        labels = {"rabin-karp-matrix-amp, GPU|resident": "the sample", "trawl, GPU": "trawl, GPU, its sizes"}
        if not own:
            labels = {"rabin-karp-matrix-sample, GPU": f"cheap hash, {on.split(',')[0]}"}
        for name, label in labels.items():
            if base and (time := figures.time(f"{on}|{name}")):
                points.setdefault(label, []).append((numbers[0] * numbers[1], base / time))
    series = [(name, it, "dots" if name.startswith("cheap") else "line") for name, it in points.items()]
    return plots.curves(
        "Records: speed beside strstr on one core",
        "each pair of a pattern and a record is searched; a line: the sample's sizes (the sample without its copy)",
        ("patterns × records", plots.decades_of(x for it in points.values() for x, _ in it)),
        "times as fast",
        [*series, ("claimed: up to 35 ×", [(1, 35)], "rule")],
    )


def plot_together(data):
    """Draw what share of the memory's speed each form reaches in one text."""
    figures, rows = figures_of(data, "together"), []
    for name, ref, _ in definitions()["together"]["tables"][0]["rows"][1:]:
        shares = [figures.time(f"{on}|reading") / time for on in figures.rows if (time := figures.time(f"{on}|{ref}"))]
        if shares:
            rows.append((name, 1, min(shares), statistics.median(shares), max(shares)))
    said = "ring: reading the text once; line and dot: least, median and greatest share, over the patterns"
    return plots.ranges("One text: the share of the memory's speed", said, "share", rows)
