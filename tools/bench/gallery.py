"""gallery: measures published algorithms by the conventions of smart (S. Faro and others): patterns of each length drawn
from the text, each algorithm in turn for each pattern, preparation apart, means with standard deviations, and how often
the patterns occur. On the simulated device (LD_LIBRARY_PATH=build/release/tests/sim/driver) there are no times, but
counts, the same on every machine: reads of the table of shifts, one for each window that does not match; reads of the
pattern, one for each comparison; bytes read from the text, tables and flags; launches; and child grids."""

import csv
import io
import re
import statistics

import plots
import texts as recipes
from report import digits, machine_line, result, table
from runner import die

ENGINES = {"cpu": 1, "cuda": 2}  # numbers of enum trawl_engine
WORDS = ["mean, ms", "deviation, ms", "GB/s", "preparation, µs", "occurrences"]
COUNTS = ["launches", "child grids", "windows", "comparisons", "bytes read"]
PREPARING = ", preparing"
CONTESTANTS_MAX = 62


def lengths_of(words):
    """Return the lengths of "8,100" or "4..4096", the powers of two times 4 up to 4,096."""
    found = [int(it) for it in re.split(r",|\.\.", words) if it.isdecimal()]
    if not found or min(found) < 1 or len(found) != len(re.split(r",|\.\.", words)):
        die(f"--lengths: 8,100 or 4..4096, not {words}")
    return [found[0] << i for i in range(32) if found[0] << i <= found[-1]] if ".." in words else found


def algorithms_of(options):
    """Return the algorithms that are asked for, or all of texts that the engine runs; one name may have options."""
    known = [name for name, engines in options.facts["algorithms"].items()
             if engines >> ENGINES[options.engine] & 1 and not name.startswith("rabin-karp-matrix")]  # fmt: skip
    names = options.algorithms.split(",") if options.algorithms else known
    for name in names:
        if name.partition(":")[0] not in [*known, "trawl"]:
            die(f"gallery: {name} is no algorithm for texts with --engine={options.engine}: {', '.join(known)}")
    return names[:CONTESTANTS_MAX]


def rows(options, texts):
    """Yield a row for each pattern. A text as long as the pattern says how long preparing takes."""
    if options.text:
        try:
            with open(options.text, "rb") as file:
                content = file.read(options.bytes)
        except OSError as error:
            die(f"--text: {error}")
    else:
        content = texts.source("english")[0][: options.bytes]
    content = content.replace(b"\n", b" ")  # patterns are given as lines
    path, names = texts.write("gallery-text", content), algorithms_of(options)
    common = {
        "threads": 1,
        "engine": options.engine,
        "plan": "once",
        "clock": "cpu" if options.engine == "cpu" else None,
    }
    who = [{"name": name, "algorithm": None if name == "trawl" else name, **common} for name in names]
    brief = [{**it, "name": it["name"] + PREPARING} for it in who] if options.engine == "cpu" else []
    for m in (m for m in lengths_of(options.lengths) if m < len(content)):
        for i, pattern in enumerate(recipes.pieces(content, options.patterns, m, m)):
            alone = texts.patterns(f"gallery-{m}-{i}", [pattern])
            asks = [({"text": f"file:{path}", "patterns": f"file:{alone}"}, who)]
            asks += [({"text": f"file:{alone}", "patterns": f"file:{alone}"}, brief)] if brief else []
            yield {"name": f"m = {m} #{i}", "m": m, "parts": True, "asks": asks}


def seconds_of(it):
    """Return the median of a result's runs: on a device, of its kernels."""
    return statistics.median(it.get("kernel") or it["seconds"])


def lines_of(data):
    """Return the heads of a table, and a row for each length and algorithm."""
    found, counted = {}, False
    for row in data["rows"]:
        for it in (it for it in row["results"] if PREPARING not in it["name"]):
            mine = found.setdefault((row["m"], it["name"]), {"times": [], "apart": [], "found": 0, "counts": []})
            if not result(row, it["name"]):
                continue
            brief = result(row, it["name"] + PREPARING)
            mine["bytes"], mine["found"] = row["text_bytes"], mine["found"] + row["found"]
            mine["apart"].append(seconds_of(brief) if brief else 0)
            mine["times"].append(max(seconds_of(it) - mine["apart"][-1], 1e-9))
            mine["counts"] += [it["counts"]] if "counts" in it else []
            counted = counted or "counts" in it
    lines = []
    for (m, name), it in found.items():
        cells = ["-"] * len(COUNTS if counted else WORDS)
        if it["times"] and not counted:
            mean = statistics.mean(it["times"])
            cells = [digits(1e3 * mean), digits(1e3 * statistics.pstdev(it["times"])), digits(it["bytes"] / mean / 1e9),
                     digits(1e6 * statistics.mean(it["apart"])) if any(it["apart"]) else "-", f"{it['found']:,}"]  # fmt: skip
        elif it["counts"]:  # launches and child grids of a search; the others per byte of text
            each = [statistics.mean(column) for column in zip(*it["counts"])]
            cells = [f"{value:g}" for value in each[:2]] + [digits(value / it["bytes"]) for value in each[2:]]
        lines.append([m, name, *cells])
    return ["m", "algorithm", *(COUNTS if counted else WORDS)], lines


def section(data):
    heads, lines = lines_of(data)
    per = "; windows, comparisons and bytes are per byte of text" if heads[2:] == COUNTS else ""
    patterns = max(int(row["name"].partition("#")[2]) for row in data["rows"]) + 1
    said = f"- {machine_line(data, on_gpu=True)}; {patterns} patterns of each length, {data['rows'][0]['text_bytes']:,} bytes{per}"
    made = [said]
    for m in dict.fromkeys(line[0] for line in lines):
        made += ["", f"**m = {m}**", "", *table(heads[1:], [line[1:] for line in lines if line[0] == m])]
    why = {f"- {it['name']}: {it['why']}" for row in data["rows"] for it in row["results"] if it.get("why")}
    return made + [""] * bool(why) + sorted(why)


def files(data, options):
    """Yield (path, text) of the report's other forms: --csv, --tex and --svg."""
    heads, lines = lines_of(data)
    if options.csv:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([heads, *lines])
        yield options.csv, out.getvalue()
    if options.tex:
        cells = [
            " & ".join(map(str, line)).replace("%", r"\%").replace("_", r"\_") + r" \\" for line in [heads, *lines]
        ]
        columns = "rl" + "r" * (len(heads) - 2)
        yield options.tex, "\n".join([rf"\begin{{tabular}}{{{columns}}}", *cells, r"\end{tabular}", ""])
    if options.svg:
        at = heads.index("comparisons" if heads[2:] == COUNTS else "GB/s")
        points, lengths = {}, sorted({line[0] for line in lines})
        for line in (line for line in lines if line[at] != "-" and float(line[at]) > 0):
            points.setdefault(line[1], []).append((line[0], float(line[at])))
        across = ("bytes of the pattern", [(m, f"{m:,}") for m in lengths])
        series = [(name, it, "line") for name, it in points.items()]
        said = f"{data['machine']['date']}, {data['rows'][0]['text_bytes']:,} bytes of text"
        height = max(420, 80 + 18 * len(series))
        yield options.svg, plots.curves("Published algorithms", said, across, heads[at], series, height)
