"""docs: writes the parts of documents that are made from docs/measurements."""

import csv
import io
import os

import calibrate
import commands
import expressions
import gpu
import packages
import packed
import papers
import rules
import sets
from report import put_section
from runner import ROOT, die, read_results

import cpu
import gallery

MEASUREMENTS = "docs/measurements"
NOT_YET = ["Not measured yet."]
# (page, section, function that makes the lines). The section's name is the name of the file of results,
# except for papers.md and the pages in docs/papers. A page may lack a section without results.
SECTIONS = [('docs/benchmarks.md', name, module.section) for name, module in (
    ('cpu', cpu), ('commands', commands), ('expressions', expressions), ('sets', sets), ('matrix', sets),
    ('calibrate', calibrate), ('packed', packed))]  # fmt: skip
SECTIONS += [
    ("docs/benchmarks-gpu.md", "gpu", gpu.section),
    ("docs/benchmarks.md", "rules", rules.section),
    ("docs/python.md", "packages", packages.section),
    ("docs/benchmarks-gpu.md", "forms", gpu.section),
    ("README.md", "commands", commands.readme),
    ("docs/papers.md", "overview", papers.overview),
    ("docs/papers/together.md", "counts", gallery.section),
]
SECTIONS += [(f"docs/papers/{name}.md", name, lambda data, name=name: papers.part(data, name)) for name in papers.NAMES]

# How many tables a section keeps; the others are in docs/measurements/NAME.csv, a row for each figure.
KEPT = {"commands": 0, "rules": 4, "sets": 1, "matrix": 1}

# (file, file of results, function that makes its text; None: not measured)
FILES = [
    ("docs/papers-fastest.csv", "papers", papers.fastest_file),
    ("docs/plots/commands.svg", "commands", commands.plot),
    ("docs/plots/gpu-counts.svg", "gpu", gpu.plot),
    ("docs/plots/gpu-sets.svg", "forms", gpu.plot_sets),
    ("docs/plots/gpu-cudf.svg", "forms", gpu.plot_cudf),
    ("docs/plots/packed.svg", "packed", packed.plot),
    ("docs/plots/papers.svg", "papers", papers.plot_factors),
    ("docs/plots/papers-swift.svg", "papers", papers.plot_swift),
    ("docs/plots/papers-word.svg", "papers", papers.plot_word),
    ("docs/plots/papers-records.svg", "papers", papers.plot_records),
    ("docs/plots/papers-together.svg", "papers", papers.plot_together),
]


def results(root, name):
    path = os.path.join(root, MEASUREMENTS, f"{name}.json")
    return read_results(path) if os.path.exists(path) else None


def apart(name, lines):
    """Return a section's lines without the tables that it does not keep, and these tables as CSV."""
    page, out, kept, title, heads = [], io.StringIO(), KEPT[name], "", None
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("table", "row", "column", "figure"))
    for line in lines:
        if not line.startswith("|"):
            kept -= heads is not None  # a table has ended
            heads = None
            page.append(line)
        elif kept > 0:
            heads = []
            page.append(line)
        elif heads is None:
            heads = line.replace("\\|", "\0")[1:-1].split("|")
            while page and not page[-1]:
                page.pop()
            title = page.pop() if page and not page[-1].startswith(("-", "|")) else name
        elif not line.startswith(("|---", "|--:")):
            row, *cells = (it.replace("\0", "|").strip("*`") for it in line.replace("\\|", "\0")[1:-1].split("|"))
            writer.writerows((title, row, *it) for it in zip(heads[1:], cells))
    while page and not page[-1]:
        page.pop()
    link = f"[All figures](measurements/{name}.csv): a row for each figure of a table."
    return [*page, "", link], out.getvalue()


def pages(root):
    """Return {page or file: text}, made from the measurements."""
    known, made = {}, {}
    for path, name, lines in SECTIONS:
        file = "papers" if path.startswith("docs/papers") and name != "counts" else name
        if file not in known:
            known[file] = results(root, file)
        if path not in made:
            with open(os.path.join(root, path), encoding="utf-8") as page:
                made[path] = page.read()
        data = known[file]
        new = lines(data) if data else NOT_YET
        if data and path == "docs/benchmarks.md" and name in KEPT:
            new, made[f"{MEASUREMENTS}/{name}.csv"] = apart(name, new)
        text = put_section(made[path], name, new)
        if text is None and data:
            die(f"{path} has no markers for {name}")
        made[path] = text or made[path]
    files = {path: make(known[file]) for path, file, make in FILES if known.get(file)}
    made.update((path, text) for path, text in files.items() if text)
    return made


def main(check, root=ROOT):
    """Write all sections or, with check, say which pages differ. Return the exit status."""
    wrong = 0
    for path, text in pages(root).items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "a+", encoding="utf-8") as file:
            file.seek(0)
            if file.read() == text:
                continue
        if check:
            print(f"{path} is not what the measurements say (./dev bench docs --from-json)")
            wrong = 1
            continue
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"written: {path}")
    return wrong
