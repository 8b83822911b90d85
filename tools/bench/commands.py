"""commands: measures whole processes on files and trees: trawl, grep -F, rg -F, ugrep -F."""

import os
import shlex
import shutil

import plots
import rivals
import texts as recipes
from report import median, number, opening, result, spread_line, table
from rivals import GREP, RG, RG_READ, TRAWL, UGREP
from runner import command

head = rivals.head
MIB = 1 << 20
MOVERS = ("cat", "wc -c")
BOTH = (GREP, RG)  # in rows where mapping the file makes no difference
ALL = (GREP, RG, RG_READ)
RGS = (RG, RG_READ)
# A row: name, file, pattern (or how many bytes of the file are the pattern), options, threads (0: all), programs of the
# baseline, kind of tree or "fed": through a pipe.
ROWS = [(f"{name} -c, {n} thread{'s' * (n > 1)}", file, pattern, "-c", n, ALL, "") for name, file, pattern in (
        ("rare word", "english", "Habakkuk"), ("absent word", "english", "Qxzjvkw"), ("letters m=16", "letters", 16))
        for n in (1, 2)]  # fmt: skip
ROWS += [
    ("frequent word -c, 1 thread", "english", "the", "-c", 1, ALL, ""),
    ("frequent word -c", "english", "the", "-c", 0, ALL, ""),
    ("frequent word -n", "english", "the", "-n", 0, ALL, ""),
    ("frequent word -o", "english", "the", "-o", 0, ALL, ""),
    ("rare word -c -i", "english", "habakkuk", "-c -i", 0, RGS, ""),
    ("frequent word -c -i", "english", "the", "-c -i", 0, RGS, ""),
    ("DNA lines m=8 -c", "dna70", 8, "-c", 0, RGS, ""),
    ("DNA lines m=16 -c", "dna70", 16, "-c", 0, RGS, ""),
    ("one line m=16 -c", "dna", 16, "-c", 0, ALL, ""),
    ("one line m=16 -o -b", "dna", 16, "-o -b", 0, ALL, ""),
    ("pipe, rare word -c", "english", "Habakkuk", "-c", 0, ("cat",), "fed"),
]
ROWS += [(f"1 KiB file {mode}", "small", "the", mode, 0, BOTH, "")
         for mode in ("-c", "-n", "-o", "-c -i", "-v", "-c -w", "-l")]  # fmt: skip
ROWS += [(f"10 MB file {mode}", "medium", word, mode, 0, ALL, "") for word, mode in (
         ("Habakkuk", "-c"), ("the", "-n"), ("the", "-o"), ("habakkuk", "-c -i"), ("the", "-v"), ("the", "-c -w"),
         ("Habakkuk", "-l"))]  # fmt: skip
ROWS += [(f"1 GiB file {mode}", "english", word, mode, 0, ALL, "")
         for word, mode in (("the", "-v"), ("the", "-c -w"), ("Qxzjvkw", "-l"))]  # fmt: skip
ROWS += [(f"tree {mode}", "tree", word, mode.removesuffix(" absent"), 0, BOTH, "tree") for word, mode in (
         ("Qxzjvkw", "-l absent"), ("unsafe", "-l"), ("unsafe", "-c"), ("unsafe", "-n"), ("unsafe", "-o"),
         ("Unsafe", "-n -i"), ("unsafe", "-c -v"), ("unsafe", "-n -w"), ("Qxzjvkw", "-n absent"))]  # fmt: skip
ROWS += [(f"tree, ignore rules {mode}", "tree", word, mode.split()[0], 0, (RG,), "ignores")
         for word, mode in (("Qxzjvkw", "-l absent"), ("unsafe", "-c"), ("unsafe", "-n"))]  # fmt: skip
# (name of a row, label) of the table in README.md, in order. Rows that trawl loses are not skipped.
README_ROWS = (
    ("frequent word -c, 1 thread", 'count lines with "the"'),
    ("frequent word -c", "the same"),
    ("frequent word -c -i", "ignoring case"),
    ("frequent word -n", "print these lines, numbered"),
    ("1 GiB file -v", 'print lines without "the"'),
    ("tree -n", "print lines in a source tree, numbered"),
    ("DNA lines m=16 -c", "count 16 bases of DNA, in lines of 70"),
)


def install(options, texts, name="trawl"):
    """Copy the command to a contiguous file, as an installation does: the file that the linker writes piecewise takes
    4 % longer to start."""
    path = texts.path(name)
    if not os.path.exists(path):
        shutil.copy(options.command, path)
        os.chmod(path, 0o755)
    return path


def file_of(kind, options, texts):
    """Return the path of the file or tree that a row searches; make the file if it does not
    exist."""
    if kind == "tree":
        path = texts.path("tree")
        if not os.path.exists(path):
            recipes.write_tree(path, options.bytes, texts.source("code")[0])
        return path
    if kind == "letters":
        path = texts.path("letters")
        if not os.path.exists(path):
            content = recipes.letters(4 << 20, 3)
            recipes.repeat_into(
                path, b"".join(content[i : i + 79] + b"\n" for i in range(0, len(content), 79)), options.bytes
            )
        return path
    if kind in ("dna", "dna70"):
        return texts.corpus("dna", options.bytes, 70 if kind == "dna70" else -1)
    return texts.corpus("english", {"small": 1024, "medium": min(options.bytes, 10**7)}.get(kind, options.bytes))


def competitors(row, path, pattern, trawl, installed):
    """Return the row's competitors. The first gives the right answer: grep, or ripgrep with ignore
    files."""
    _, _, _, options, threads, baseline, kind = row
    fed, ignores = kind == "fed", kind == "ignores"
    names = [RG if ignores else GREP, TRAWL, *(name for name in RGS if name in baseline or name == RG and not fed)]
    names += [UGREP] if threads == 0 and not fed and not ignores else []
    found = []
    for name in dict.fromkeys([*names, *MOVERS * fed]):
        if name not in installed:
            continue
        words = rivals.argv(name, trawl, "" if fed else kind)
        if name not in MOVERS:
            words += [f"-j{threads}"] * (name == TRAWL and threads > 0) + options.split()
            words += ["-e", pattern, "-" if fed else path]
        if fed:
            words = ["sh", "-c", f"cat {shlex.quote(path)} | {shlex.join(words)}"]
        found.append({"name": name, "ours": name == TRAWL, **command(*words)})
    return found


def rows(options, texts):
    """Yield the rows of ROWS, with all competitors that are installed."""
    installed, trawl = rivals.versions(options), install(options, texts)
    for row in ROWS:
        name, file, pattern, flags, threads, baseline, kind = row
        if options.filter and options.filter not in name:
            continue
        path = file_of(file, options, texts)
        if isinstance(pattern, int):
            with open(path, "rb") as read:
                pattern = recipes.pieces(read.read(4 << 20), 1, pattern, pattern)[0].decode()
        who = competitors(row, path, pattern, trawl, installed)
        movers = [it for it in who if it["name"] in MOVERS]
        asks = [({"bag": file == "tree"}, [it for it in who if it not in movers])]
        facts = {"pattern": pattern, "options": flags, "threads": threads or "all", "baseline": list(baseline)}
        facts |= {"rounds": options.small_runs} if file == "small" else {}
        bytes_count = tree_bytes(path) if file == "tree" else os.path.getsize(path)
        yield {"name": name, **facts, "asks": asks + [({}, [it]) for it in movers], "text_bytes": bytes_count}


def tree_bytes(path):
    return sum(os.path.getsize(os.path.join(parent, name)) for parent, _, names in os.walk(path) for name in names)


# ---- Reports --------------------------------------------------------------------------------


def best(row):
    """Return the fastest program of the row's baseline, and that program's time / trawl's time."""
    known = {name: median(result(row, name)) for name in row["baseline"]}
    known = {name: seconds for name, seconds in known.items() if seconds}
    trawl = median(result(row, TRAWL))
    if not known or not trawl:
        return None, None
    name = min(known, key=known.get)
    return name, known[name] / trawl


def versions_line(data, names):
    known = [data["versions"][name].split(" x86")[0] for name in names if name in data["versions"]]
    return "- " + ", ".join(dict.fromkeys(known))


def section(data):
    """Make the table of docs/benchmarks.md."""
    names = (TRAWL, *ALL, UGREP)
    lines = [*opening(data), versions_line(data, (*names, *MOVERS)), spread_line(data)]
    cells, behind, ratios = [], [], {True: [], False: []}  # is it a row with one thread?
    for row in data["rows"]:
        trawl, (name, value) = result(row, TRAWL), best(row)
        ratios[row["name"].endswith("1 thread")] += [value] if value else []
        behind += [f"{row['name']} ({value:.2f})"] if value and value < 1 else []
        cells.append(
            [row["name"], f"`{row['pattern']}`"]
            + [number(median(result(row, it)), ".5f") for it in names]
            + [
                f"{trawl.get('memory_bytes', 0) / MIB:.1f}",
                "-" if not name else f"**{value:.2f}**" + f" of {name}" * (name not in names),
            ]
        )
    lines += [
        f"- trawl is the fastest program in {len(cells) - len(behind)} of {len(cells)} rows"
        + (f"; speed ratio in the others: {', '.join(behind)}" if behind else ""),
        "- ratio "
        + "; ".join(
            f"{said} {min(it):.2f} to {max(it):.2f} in {len(it)} rows, {median({'seconds': it}):.2f} in the median"
            for said, it in (("with one thread", ratios[True]), ("in other rows", ratios[False]))
            if it
        ),
        "",
        "Medians in seconds; a dash: the program did not run, or gave a different answer.",
        "",
    ]
    return lines + table(["row", "pattern", *names, "MiB", "ratio"], cells, left=2)


def speeds(data):
    """Yield (label, GB/s of trawl, ripgrep and grep) of README_ROWS."""
    rows_of = {row["name"]: row for row in data["rows"]}
    for name, label in README_ROWS:
        row = rows_of.get(name)
        if row:
            trawl, *rg, grep = (median(result(row, it)) for it in (TRAWL, RG, RG_READ, GREP))
            known = trawl, min(filter(None, rg), default=None), grep
            yield label, [row["text_bytes"] / it / 1e9 if it else None for it in known]


def programs(data):
    versions = data["versions"]
    return ["trawl", " ".join(versions[RG].split()[:2]), f"GNU grep {versions[GREP].split()[-1]}"]


def readme(data):
    """Make the table of README.md: GB/s of trawl, ripgrep and grep."""
    machine, of = data["machine"], dict((label, name) for name, label in README_ROWS)
    cells = [
        [label, "1" if of[label].endswith("1 thread") else str(machine["cores"])] + [number(it, ".1f") for it in found]
        for label, found in speeds(data)
    ]
    return table(["GB/s", "threads of trawl", *programs(data)], cells) + [
        "",
        f"Whole processes, {machine['text_bytes'] / 2**30:g} GiB in the page cache; ripgrep uses all cores in the tree alone. "
        f"{machine['processor']}, {machine['date']}, commit {machine['commit']}.",
    ]


def plot(data):
    """Draw the figures of README.md."""
    said = (
        f"whole processes on {data['machine']['cores']} cores, text in the page cache, "
        f"{data['machine']['date']}; trawl uses all cores, ripgrep only in the tree"
    )
    return plots.dots("How fast a command searches", said, "GB/s", programs(data), list(speeds(data)))
