"""gpu: measures searches on 1, 2 or 4 devices: single patterns, lists, sets, pairs, approximate searches,
every question about log lines, and the gallery's kernels. Each answer is compared with the CPU engine's. Counts of
sets, and answers about the first part of each text, are also compared with the oracle.

A row is a line of a result table: searches whose times are compared with each other."""

import os
import random

import cudf
import plots
import texts as recipes
from against import FIRST
from report import median, number, opening, ratio, result, table
from runner import first_line

GIB = 1 << 30
LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 64, 80, 128, 256, 512, 1024, 2048, 4096, 16384, 65536)
WORST_LENGTHS = (8, 16, 64, 256, 1024, 4096, 16384)
SETS = ((8, 10000), (8, 100000), (8, 1000000), (16, 10), (16, 100), (16, 1000), (16, 10000), (16, 100000),
        (16, 1000000), (24, 10000), (32, 100000))  # fmt: skip
MIXED = tuple(
    (kind, count) for kind in ("words of 3 to 20 bytes", "pieces of 2 to 300 bytes") for count in (100, 1000, 10000)
)
WITHIN = (  # (patterns, bases of each, kind of errors, errors, strands, exact motif at the end)
    (1000, 23, 'mismatches', 3, '', ''), (1000, 23, 'mismatches', 4, '', ''),
    (1000, 23, 'mismatches', 4, 'both-strands', ''), (1000, 23, 'mismatches', 4, 'both-strands', 'NGG'),
    (1000, 23, 'mismatches', 6, '', ''), (1000, 23, 'mismatches', 6, 'both-strands', 'NGG'),
    (1000, 23, 'edits', 2, '', ''), (1000, 23, 'edits', 3, '', ''), (1000, 23, 'edits', 3, 'both-strands', ''),
    (1000, 23, 'edits', 4, '', ''), (1, 40, 'mismatches', 3, '', ''), (1, 40, 'edits', 3, '', ''),
    (100000, 80, 'mismatches', 2, '', ''), (100000, 80, 'edits', 2, '', ''))  # fmt: skip
READ, CPU, ALL = "device-read", "trawl, CPU", "trawl, GPU"
BOUND = {"name": READ, "kind": READ}
ORACLE = "16M"
GROUPS = (
    ("counts", "Counts in a loaded text"),
    ("worst", "Worst-case inputs"),
    ("lists", "Positions"),
    ("sets", "Sets of patterns"),
    ("approximate", "Within errors"),
    ("pairs", "Pairs of position and pattern"),
    ("forms", "Questions about log lines"),
    ("expressions", "Regular expressions"),
    ("devices", "Several devices"),
)
FORMS = (  # (question, call, where the answer is, for a search on the GPU); in the text, and in its lines as records
    (
        ("count", "count", None),
        ("lines", "count-lines", None),
        ("inverted", "count-lines-inverted", None),
        ("by pattern", "count-by-pattern", None),
        ("positions", "positions", None),
        ("begins", "begins", "device"),
    ),
    (("records, any", "records-any", "device"), ("records, cells", "records-cells", "device")),
)
EXPRESSION_FORMS = (FORMS[0][1:2], FORMS[1][:1])
EXPRESSIONS = ('ERROR .*status=500', r'\d+:\d+:59\.9', r'(ERROR|WARN) .*worker-1[0-5].*status=5\d\d',
               'status=(404|500)', 'id=[0-9a-f]*dead', '[a-f]{9}', '[A-Z]{4,}[0-9]+', r'-i error.*items/42\b')  # fmt: skip
CROSSED = ("counts", "worst", "sets")  # groups whose rows have names of two parts, for the columns and lines of a table


def letters(options, share=1, **more):
    return {"text": "letters", "bytes": max(4096, options.bytes // share), "oracle": ORACLE, **more}


def gpu(name=ALL, **more):
    """Return a competitor on the GPU. By default a plan is built, and used in a search, before the timed searches."""
    return {"name": name, "engine": "cuda", "loaded": True, "plan": "once", "ours": True, **more}


def cpu(**more):
    return {"name": CPU, "engine": "cpu", "ours": True, "sample": True, **more}


def row(group, name, ask, who):
    return {"group": group, "name": name, "asks": [(ask, who)]}


def texts_of(texts):
    english = texts.write("english", texts.source("english")[0])
    return ("a-z", {}), ("ACGT", {"text": "letters:ACGT"}), ("English", {"text": f"file:{english}"})


def count_rows(options, texts):
    """Yield rows that count the occurrences of a single pattern, for each of LENGTHS in each text."""
    for label, text in texts_of(texts):
        for length in LENGTHS:
            ask = letters(options, **text)
            if length * 4 <= ask["bytes"]:
                ask["patterns"] = f"at:{ask['bytes'] // 3}:{length}"
                yield row("counts", f"{label}, m = {length}", ask, [cpu(), BOUND, gpu()])


def worst_rows(options, texts):
    """Yield rows with texts and patterns that are worst cases of some algorithm."""
    kinds = (
        ("random", "letters", {}),
        ("a^n", "repeat:a", {}),
        ("a^n, b at the end", "repeat:a", {"change": "last", "to": "b"}),
        ("a^n, b at the start", "repeat:a", {"change": "first", "to": "b"}),
        ("(ab)^n", "repeat:ab", {}),
        ("Fibonacci", "fibonacci", {}),
        ("Thue-Morse", "thue-morse", {}),
        ("the pattern repeated", "piece:{m}", {}),
        ("period 1,000", "piece:1000", {}),
    )
    for label, text, change in kinds:
        for length in WORST_LENGTHS:
            ask = letters(options, 8, **change)
            if length * 32 <= ask["bytes"]:
                ask.update(text=texts.recipe(text.format(m=length), ask["bytes"]), patterns=f"at:0:{length}")
                yield row("worst", f"{label}, m = {length}", ask, [cpu(), BOUND, gpu()])


def list_rows(options, texts):
    """Yield rows that list occurrences, one at every 10,000th or 100th offset, in device memory."""
    for every in (10000, 100):
        for length in (1, 2, 4, 6, 8, 10, 16):
            pattern = "QWERTZUIOPASDFGH"[:length]
            text = texts.recipe(f"plant:{pattern}:{every}", options.bytes)
            ask = letters(options, text=text, patterns=f"literal:{pattern}")
            who = [gpu("count"), BOUND, gpu("begins on the device", call="begins", to="device")]
            yield row("lists", f"{100 / every:g} % of the places, m = {length}", ask, who)


def set_rows(options, texts):
    """Yield rows that count the occurrences of sets of patterns: sets of mixed lengths by a plan that has searched before,
    and by a new plan; then sets of a single length."""
    for label, source in (("English", "english"), ("sources", "code"), ("Russian", "cyrillic")):
        content = texts.source(source)[0]
        path = texts.write(source, content)
        for kind, count in MIXED:
            patterns = texts.patterns(f"mixed-{source}-{kind[:5]}-{count}", recipes.mixed(content, kind, count))
            ask = letters(options, 2, text=f"file:{path}", patterns=f"file:{patterns}")
            for more, plan in (("", "once"), (": plan and first count", None)):
                who = [cpu(plan="once"), BOUND, gpu(plan=plan)]
                yield row("sets", f"{label}, {count:,} {kind}{more}", ask, who)
    for label, text in texts_of(texts):
        for length, count in SETS:
            ask = letters(options, 2, **text, patterns=f"pieces:{count}:{length}:{length}")
            yield row("sets", f"{label}, {count:,} of {length} bytes", ask, [cpu(plan="once"), BOUND, gpu()])


def approximate_rows(options, texts):
    """Yield rows of approximate searches for CRISPR guides (DNA of 23 letters) and longer strings."""
    for count, length, kind, errors, strands, motif in WITHIN:
        bases = recipes.letters(count * length, length, b"ACGT")
        made = [bases[at : at + length - len(motif)] + motif.encode() for at in range(0, len(bases), length)]
        path = texts.patterns(f"within-{count}-{length}-{motif}", made)
        flags = f"{strands} {'every-end' * (kind == 'edits')}"
        ask = letters(options, text="letters:ACGT", patterns=f"file:{path}", alphabet="dna", alike=True, flags=flags)
        name = f"{count:,} of {length}: {errors} {kind} {strands} {motif}".strip()
        who = [cpu(limit=options.cell_seconds, plan="once"), BOUND, gpu()]
        yield row("approximate", name, {**ask, "exact": len(motif), kind: errors}, who)


def pair_rows(options, texts):
    """Yield a row whose text consists of words of the set."""
    draw = random.Random(7)
    count = min(100000, options.bytes // 80)  # a small text gets fewer words
    many = [recipes.letters(draw.randint(5, 12), i) for i in range(count)]
    path = texts.patterns("pair-words", many)
    text = texts.write("pair-text", b" ".join(draw.choices(many, k=min(options.bytes // 9, 10**6))))
    ask = {"text": f"file:{text}", "bytes": min(options.bytes, GIB), "patterns": f"file:{path}", "oracle": ORACLE}
    who = [cpu(), gpu("count"), gpu("matches", call="positions"), gpu("batches", call="batches"),
           gpu("begins", call="begins"), gpu("begins in pinned memory", call="begins", to="pinned"),
           gpu("begins on the device", call="begins", to="device")]  # fmt: skip
    yield row("pairs", f"{count:,} words", ask, who)


def columns(options, texts):
    """Return (name, flags, patterns) of each column of the group `forms`."""
    draw = random.Random(606)
    lines = texts.source("requests")[0][: options.bytes].splitlines()
    hexadecimal = [b"%07x" % draw.getrandbits(28) for _ in range(10000)]
    dense = b"status=500"
    return [
        ("rare", "", [b"id=00ab3"]),
        ("2 % of lines", "", [dense]),
        ("2 %, -i", "ignore-case", [dense]),
        ("-w", "whole-word", [b"500"]),
        ("-x", "whole-line", lines[len(lines) // 2 :][:1]),
        ("3, 12 % of lines", "", [b"ERROR", dense, b"worker-15"]),
    ] + [(f"{count:,} of 7 digits", "", hexadecimal[:count]) for count in (10, 100, 10000)]


def expression_columns(options, texts):
    """Return the columns of the group `expressions`."""
    return [(it, "ignore-case" if it[0] == "-" else "", [it.removeprefix("-i ").encode()]) for it in EXPRESSIONS]


def form_rows(options, texts, group="forms", forms_of=FORMS, columns_of=columns, **more):
    """Yield rows that ask every question about a loaded log: a row for each column about the text, then about its lines
    as records."""
    log = texts.write("requests", texts.source("requests")[0])
    for forms, record in zip(forms_of, (None, "line")):
        for i, (column, flags, patterns) in enumerate(columns_of(options, texts)):
            path = texts.patterns(f"{group}-{i}", patterns)
            ask = letters(options, text=f"file:{log}", patterns=f"file:{path}", flags=flags, record=record, **more)
            who = [BOUND]
            for name, call, to in forms:
                who += [
                    cpu(name=f"{CPU}, {name}", call=call, plan="once", runs=1),
                    gpu(name, call=call, to=to, warm=1),
                    gpu(name + FIRST, call=call, to=to, plan="new", loaded="new", runs=1),
                ]
            yield row(group, f"{column}: {'records' if record else 'text'}", ask, who)


def expression_rows(options, texts):
    """Yield rows that ask how many lines and which records match an expression. The first answer, from the CPU, is the expected one."""
    yield from form_rows(options, texts, "expressions", EXPRESSION_FORMS, expression_columns, syntax="perl", alike=True)


def device_rows(options, texts):
    """Yield rows that compare the devices with one device and with the host."""
    for length in (1, 8, 16, 47, 100, 272, 1040, 4112):
        ask = letters(options, patterns=f"at:{options.bytes // 3}:{length}")
        if length * 4 <= ask["bytes"]:
            yield row("devices", f"count, {length} bytes", ask, [cpu(), gpu()])
    for count in (10,) if options.bytes < 1 << 20 else (1000, 10000, 60000):  # a trial run, or a simulated device
        ask = letters(options, patterns=f"pieces:{count}:10:10")
        yield row("devices", f"count, {count:,} patterns of 10 bytes", ask, [cpu(), gpu()])
    for every in (460000, 17600):
        ask = letters(options, text=texts.recipe(f"plant:QWER:{every}", options.bytes), patterns="literal:QWER")
        who = [cpu(), gpu(), gpu("matches in order", call="positions"), gpu("begins in memory", call="begins")]
        yield row("devices", f"lists, one place in {every:,}", ask, who)


MAKERS = {'counts': count_rows, 'worst': worst_rows, 'lists': list_rows, 'sets': set_rows,
          'approximate': approximate_rows, 'pairs': pair_rows, 'forms': form_rows, 'expressions': expression_rows}  # fmt: skip
CUDF = {"forms": (columns, ""), "expressions": (expression_columns, "perl")}  # what cuDF is asked


def beside(options, texts, rows_of):
    """Return what the head of the results says about other programs: cuDF's times for the measured groups of CUDF."""
    log = texts.write("requests", texts.source("requests")[0])
    return {
        f"cudf, {group}": cudf.run(log, options.bytes, syntax, columns_of(options, texts))
        for group, (columns_of, syntax) in CUDF.items()
        if any(it["group"] == group for it in rows_of)
    }


def devices_here():
    try:
        return len(os.listdir("/proc/driver/nvidia/gpus"))
    except OSError:
        return 1 if first_line("nvidia-smi", "-L") else int(os.environ.get("TRAWL_SIM_DEVICES", 1))


def rows(options, texts):
    for group, make in MAKERS.items():
        if group in options.words or not options.words:
            yield from make(options, texts)


def by_device_count(options, texts, run):
    """Run the rows of `devices` with 1, 2 and 4 devices, twice in turn; once if there is one device."""
    if options.words and "devices" not in options.words:
        return []
    counts = [n for n in (1, 2, 4) if n <= devices_here()]
    merged = {}
    for n in counts * min(2, len(counts)):
        visible = {"CUDA_VISIBLE_DEVICES": ",".join(map(str, range(n))), "TRAWL_SIM_DEVICES": str(n)}
        for it in run(list(device_rows(options, texts)), visible):
            known = merged.setdefault(it["name"], {**it, "results": []})
            for one in it["results"]:
                one["name"] += f", {n} device{'' if n == 1 else 's'}"
                same = [old for old in known["results"] if old["name"] == one["name"]]
                if same and same[0].get("seconds") and one.get("seconds"):
                    same[0]["seconds"] += one["seconds"]
                elif not same:
                    known["results"].append(one)
    return list(merged.values())


# ---- The report -----------------------------------------------------------------------------


def speed(row_, it):
    return row_["text_bytes"] / median(it) / 1e9


def cell(row_, it, read):
    """Format the median speed of a search in GB/s and, except for the row's first search, the ratio of the search's speed
    to the read speed. A star marks a search of only a part of the text."""
    if it is None:
        return "-"
    text = f"{speed(row_, it):.0f}" if speed(row_, it) >= 100 else f"{speed(row_, it):.3g}"
    if read and it is not read and row_["results"][0] is not it:
        text += f" **{median(read) / median(it):.3f}**"
    return text + ("*" if "share" in it else "")


def crossed(rows_of, title):
    """Make a table of trawl's speed / the read speed. The first part of a row's name is the column, the second the row."""
    times = {it["name"]: ratio(median(result(it, READ)), median(result(it, ALL))) for it in rows_of}
    found = {name: f"{value:.3f}" for name, value in times.items() if value}
    heads, rows = (list(dict.fromkeys(name.rpartition(", ")[i] for name in found)) for i in (0, 2))
    said = "Speeds are medians on the host's clock, as multiples of the read speed."
    cells = [[name.replace(" = ", "=")] + [found.get(f"{head}, {name}", "-") for head in heads] for name in rows]
    return ["", f"### {title}", "", said, "", *table([""] + heads, cells)]


def of_name(data, name):
    return next((it for it in data["rows"] if it["name"] == name), {"results": []})


def plot(data):
    """Draw the counts in a loaded text over the length of the pattern."""
    rows_of = [it for it in data["rows"] if it["group"] == "counts"]
    series = []
    for text in dict.fromkeys(it["name"].partition(", ")[0] for it in rows_of):
        mine = [it for it in rows_of if it["name"].startswith(text + ", ")]
        series.append((text, [(it["pattern_bytes"], speed(it, result(it, ALL))) for it in mine], "line"))
    read = median({"seconds": [speed(it, result(it, READ)) for it in rows_of]})
    most = max(it["pattern_bytes"] for it in rows_of)
    ticks = [(2**i, f"{2**i:,}") for i in range(0, most.bit_length() + 1, 2)]
    return plots.curves(
        "Counting a string in GPU memory",
        f"{data['machine']['gpu']}, loaded text of {rows_of[0]['text_bytes'] >> 30} GiB, {data['machine']['date']}",
        ("bytes of the string", ticks),
        "GB/s",
        series + [("memory read speed", [(1, read), (most, read)], "rule")],
    )


def plot_sets(data):
    """Draw the speeds of questions about log lines over the number of (rare) strings."""
    rows_of = [it for it in data["rows"] if it["name"] == "rare: text" or it["name"].endswith(" of 7 digits: text")]

    def points(name):
        return [(it["pattern_count"], speed(it, result(it, name))) for it in rows_of if result(it, name)]

    names = {"count": "count", "lines": "lines", "start offsets": "begins", "count, host's cores": f"{CPU}, count"}
    series = [(label, points(name), "line") for label, name in names.items()]
    read = median({"seconds": [y for _, y in points(READ)]})
    ticks = [(10**i, f"{10**i:,}") for i in range(5)]
    return plots.curves(
        "Many strings in GPU memory",
        f"{data['machine']['gpu'].partition(', ')[0]}, {rows_of[0]['text_bytes'] >> 30} "
        f"GiB of log lines, {data['machine']['date']}; strings of 7 or 8 bytes, few of which occur",
        ("strings", ticks),
        "GB/s",
        series + [("memory read speed", [(1, read), (ticks[-1][0], read)], "rule")],
    )


def plot_cudf(data):
    """Draw which records hold a string: trawl, and cuDF's fastest call for each column; None if cuDF was not measured."""
    beside, rows = data.get("cudf, forms") or {}, []
    for column in dict.fromkeys(it["column"] for it in beside.get("results", [])):
        own = median(result(of_name(data, f"{column}: records"), FORMS[1][0][0]))
        others = [median(it) for it in beside["results"] if it["column"] == column and it.get("seconds")]
        if own and others:
            rows.append((column, [beside["bytes"] / own / 1e9, beside["bytes"] / min(others) / 1e9]))
    if not rows:
        return None
    said = (
        f"{data['machine']['gpu'].partition(', ')[0]}, {beside['bytes'] / 2**30:.0f} GiB of records in GPU memory, "
        f"{data['machine']['date']}; cuDF: the fastest of its calls"
    )
    names = ["trawl", f"pylibcudf {beside['version']}"]
    return plots.dots("Which log records hold a string", said, "GB/s", names, rows)


def why_lines(rows_of):
    """Return lines that say why searches have no times."""
    why = sorted({f"- {it['name']}: {it['why']}" for row_ in rows_of for it in row_["results"] if it.get("why")})
    return [""] + why if why else []


def code(name):
    """Return a row's name for a table; an expression as code."""
    return f"`{name}`".replace("|", r"\|") if name in EXPRESSIONS else name


FORMS_SAID = """Each cell has, in bold, the median speed on the GPU, as a multiple of the read speed; then the time of \
the first call with a new plan in a newly loaded text, as a multiple of the median; and last the speed of the host's \
cores, as a multiple of the read speed. Positions go to the host; begins, and answers about records, stay in GPU memory."""


def form_lines(data, group, title, rows_of):
    """Make the table of the group `forms` or `expressions`: questions by columns."""
    heads = list(dict.fromkeys(row_["name"].rpartition(": ")[0] for row_ in rows_of))
    names = [name for forms in FORMS for name, *_ in forms if any(result(row_, name) for row_ in rows_of)]
    known = {"rows": rows_of}

    def found(column, name):
        row_ = of_name(known, f"{column}: {'records' if name.startswith('records') else 'text'}")
        own, first, host, read = (median(result(row_, it)) for it in (name, name + FIRST, f"{CPU}, {name}", READ))
        return f"**{number(ratio(read, own), '.3f')}**/{number(ratio(first, own))}/{number(ratio(read, host), '.3f')}"

    if group == "expressions":  # they are too long for the head of a table
        cells = table([""] + names, [[code(it)] + [found(it, name) for name in names] for it in heads])
    else:
        cells = table([""] + heads, [[name] + [found(it, name) for it in heads] for name in names])
    said = FORMS_SAID if group == "forms" else "Cells are as above."
    return ["", f"### {title}", "", said, "", *cells, *why_lines(rows_of)] + cudf.lines(
        data.get(f"cudf, {group}"), lambda column: result(of_name(known, f"{column}: records"), FORMS[1][0][0])
    )


def group_lines(data, group, title):
    """Return the lines of the page for a group of rows: a title, and a table of speeds."""
    rows_of = [it for it in data["rows"] if it["group"] == group]
    if not rows_of:
        return []
    if group in CROSSED:
        return crossed(rows_of, title)
    if group in CUDF:
        return form_lines(data, group, title, rows_of)
    names = list(dict.fromkeys(it["name"] for row_ in rows_of for it in row_["results"]))
    more = "; in bold, multiples of the device's read speed." if READ in names else "."
    cells = [
        [row_["name"], row_.get("found", "-")] + [cell(row_, result(row_, name), result(row_, READ)) for name in names]
        for row_ in rows_of
    ]
    said = ["", f"### {title}", "", "Medians in GB/s, on the host's clock" + more, ""]
    return said + table(["", "found", *names], cells) + why_lines(rows_of)


def device_lines(data):
    """Return lines of Markdown: speed of 2 or 4 devices / speed of one device, the least speed
    per device first."""
    found = []
    for row_ in data["rows"]:
        for it in row_["results"]:
            head, _, count = it["name"].rpartition(", ")
            one = result(row_, f"{head}, 1 device")
            if count in ("2 devices", "4 devices") and head != CPU and one and it.get("seconds"):
                found.append((median(one) / median(it), int(count[0]), row_["name"], head))
    return [
        f"- {value:.2f} x with {n} devices: {name}: {head}"
        for value, n, name, head in sorted(found, key=lambda it: it[0] / it[1])
    ]


def section(data):
    lines = opening(data, on_gpu=True)
    for group, title in GROUPS:
        lines += group_lines(data, group, title)
    several_lines = device_lines(data)
    return lines + ([""] + several_lines if several_lines else [])
