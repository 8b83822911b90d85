"""report: computes medians, formats tables, and writes the generated parts of documents."""

import re
import statistics


def result(row, name):
    """Return a row's result for a competitor; None: the competitor was not measured, or was wrong."""
    for it in row["results"]:
        if it["name"] == name:
            return it if it.get("seconds") and not it.get("wrong") else None
    return None


def median(it):
    return statistics.median(it["seconds"]) if it else None


def least(it):
    return min(it["seconds"]) if it else None


def work(it):
    """Return the seconds of each run, without the time for building the plan if that is known."""
    plan = it.get("plan", [])
    return (
        [whole - part for whole, part in zip(it["seconds"], plan)] if len(plan) == len(it["seconds"]) else it["seconds"]
    )


def spread(seconds):
    """Return (slowest - fastest) / median."""
    return (max(seconds) - min(seconds)) / statistics.median(seconds)


def ratio(a, b):
    """Return a / b; None if a or b is not known."""
    return a / b if a and b else None


def number(value, form=".2f"):
    return "-" if value is None else format(value, form)


def digits(value):
    """Format a number; from 0.01 to 999, with three significant digits."""
    size = abs(value)
    places = 0 if size >= 100 or size == 0 else 1 if size >= 10 else 2 if size >= 1 else 3 if size >= 0.1 else 4
    return f"{value:.{places}f}"


def times(value):
    """Format a ratio: "0.53", "17.1" or "112"."""
    return number(value, ".2f" if value is None or value < 1 else ".1f" if value < 100 else ".0f")


def table(columns, rows, left=1):
    """Return a table as lines of Markdown. The first `left` columns are words, the others numbers."""
    lines = ["|" + "|".join(columns) + "|", "|" + "".join("---|" if i < left else "--:|" for i in range(len(columns)))]
    return lines + ["|" + "|".join(str(cell) for cell in row) + "|" for row in rows]


def machine_line(data, on_gpu=False):
    """Return a line that names the machine, the commit and the command of a measurement, without options that name
    files. docs/measurements has the rest: memory, driver, system, compiler."""
    machine = data["machine"]
    gpu = on_gpu and (machine.get("gpu") or "").partition(", ")[0]
    name = machine["processor"].replace("(R)", "").replace(" Processor", "")
    command = re.sub(r" --(json|svg|markdown|data|runner|directory)=[^ ]+", "", machine["command"])
    return (
        f"{name}, {machine['cores']} cores, {machine['instruction_set']}"
        f"{f', {gpu}' * bool(gpu)}; commit {machine['commit']}, {machine['date']}, `{command}`"
    )


def opening(data, on_gpu=False):
    """Return the lines that name the file of results and the machine."""
    return [f"- [All times](measurements/{data['benchmark']}.json): {machine_line(data, on_gpu)}"]


def spread_line(data):
    """Return a line that says how much the runs of a figure differ, in the median and at most. A row of many patterns
    has a duration per pattern instead of runs."""
    rows = (row for row in data["rows"] if "patterns" not in row)
    runs = [it["seconds"] for row in rows for it in row["results"] if it.get("seconds")]
    spreads = [spread(run) for run in runs if len(run) > 1]
    if not spreads:
        return "- one run of each"
    return f"- spread of runs: median {100 * statistics.median(spreads):.0f} %, at most {100 * max(spreads):.0f} %"


def put_section(page, name, lines):
    """Put lines between the page's markers of that name; None: the page lacks the markers."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    before, found, rest = page.partition(begin + "\n")
    _, closed, after = rest.partition(end)
    if not found or not closed:
        return None
    return before + begin + "\n\n" + "\n".join(lines).strip("\n") + "\n\n" + end + after
