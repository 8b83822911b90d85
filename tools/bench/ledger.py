"""ledger: keeps the last figures of each machine in docs/measurements/ledger.json, and reports rows that became slower.

A figure is a speed in GB/s, from the fastest run. If a row also measures the machine's read speed, the other figures of
the row are multiples of that speed, so that a slower clock does not count as a fall. Only trawl's own figures are
kept."""

import json
import os

from runner import ROOT, die

PATH = os.path.join(ROOT, "docs/measurements/ledger.json")
FALLEN = 0.97  # a smaller share of the last figure is a fall
FIRST = ", first"  # suffix of contestants of which only first calls are timed; such times vary from run to run
OTHERS = ('grep', 'rg', 'ugrep', 'memmem', 'Hyperscan', 'aho-corasick', 'read', 'device-', 'polars', 'copy',
          'trawl, CPU')  # fmt: skip


def machine_of(data):
    """Return the name under which a machine's figures are listed: the GPU, or the processor and its instruction set."""
    it = data["machine"]
    if data["benchmark"] == "gpu":
        if not it.get("gpu"):
            die("--ledger: no GPU is named here")
        return it["gpu"].partition(",")[0]
    return f"{it['processor']}, {it['cores']} cores, {it['instruction_set']}"


def key(row):
    return f"{row['name']} [{row['text_bytes']}]"


def is_timed(it):
    return it.get("seconds") and not it.get("wrong")


def figures(data):
    """Return {row, with the bytes of its text: {contestant: figure}}."""
    made = {}
    for row in data["rows"]:
        known = {it["name"]: it for it in row["results"]}
        for name, it in known.items():
            read = known.get(f"read, {name.partition(', ')[2]}", known.get("device-read"))
            if name.startswith(OTHERS) or name.endswith(FIRST) or not is_timed(it):
                continue
            if read is None or name == row["results"][0]["name"]:
                value = row["text_bytes"] / min(it["seconds"]) / 1e9
            elif is_timed(read):
                value = min(read["seconds"]) / min(it["seconds"])
            else:
                continue
            made.setdefault(key(row), {})[name] = float(f"{value:.4g}")
    return made


def read():
    try:
        with open(PATH, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


def last_figures(data):
    """Return the last figures of data's machine and benchmark, in the form that `figures` returns."""
    return read().get(machine_of(data), {}).get(data["benchmark"], {})


def fallen(data):
    """Yield (row, contestant, last figure, figure) for each figure that fell. Rows without a last figure do not fall.
    A contestant of which no time is known has the figure 0."""
    last, now = last_figures(data), figures(data)
    for row in data["rows"]:
        for it in row["results"]:
            before = last.get(key(row), {}).get(it["name"])
            value = now.get(key(row), {}).get(it["name"], 0)
            if before is not None and value < FALLEN * before:
                yield key(row), it["name"], before, value


def write(data):
    """Keep the figures as the machine's last figures, with the commit and the date of each command's last measurement.
    The figures of rows that were not measured stay."""
    kept = read()
    mine = kept.setdefault(machine_of(data), {})
    rows = mine.setdefault(data["benchmark"], {})
    head = data["machine"]
    mine.setdefault("measured", {})[head["command"]] = {it: head[it] for it in ("commit", "date")}
    for row, now in figures(data).items():
        rows.setdefault(row, {}).update(now)
    with open(PATH, "w", encoding="utf-8") as file:
        file.write(
            "{\n"
            + ",\n".join(
                f"{json.dumps(machine)}: {{\n"
                + ",\n".join(
                    f"{json.dumps(name)}: {{\n"
                    + ",\n".join(
                        f"{json.dumps(row)}: {json.dumps(figures_of)}" for row, figures_of in sorted(found.items())
                    )
                    + "}"
                    for name, found in sorted(benchmarks.items())
                )
                + "}"
                for machine, benchmarks in sorted(kept.items())
            )
            + "}\n"
        )


def report(data):
    """Print the falls, the greatest first. Return the exit status."""
    falls = sorted(fallen(data), key=lambda it: it[3] / it[2])
    last = last_figures(data)
    compared = sum(key(row) in last for row in data["rows"])
    print(
        f"{machine_of(data)}: {compared} of {len(data['rows'])} rows have a last figure; "
        f"{len(falls)} figures fell below {FALLEN}"
    )
    for row, name, before, value in falls:
        print(f"fell: {value / before:.2f} x: {row}: {name}: {before:g} -> {value:g}")
    return 1 if falls else 0
