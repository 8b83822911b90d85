"""against: compares a run with the results of an earlier one (--against=FILE), and reports rows that became slower.

A figure is a speed in GB/s, from the fastest run. If a row also measures the machine's read speed, the other figures of
the row are multiples of that speed, so that a slower clock does not count as a fall. Only trawl's own figures count."""

FALLEN = 0.97  # a smaller share of the earlier figure is a fall
FIRST = ", first"  # suffix of competitors of which only first calls are timed; such times vary from run to run
OTHERS = ('grep', 'rg', 'ugrep', 'memmem', 'Hyperscan', 'aho-corasick', 'read', 'device-', 'polars', 'copy',
          'trawl, CPU')  # fmt: skip


def machine_of(data):
    """Return what the machine is called: its GPU, or the processor and its instruction set."""
    it = data["machine"]
    if data["benchmark"] in ("gpu", "forms"):
        return (it.get("gpu") or "no GPU").partition(",")[0]
    return f"{it['processor']}, {it['cores']} cores, {it['instruction_set']}"


def key(row):
    return f"{row['name']} [{row['text_bytes']}]"


def is_timed(it):
    return it.get("seconds") and not it.get("wrong")


def figures(data):
    """Return {(row with the bytes of its text, competitor): figure}."""
    made = {}
    for row in data["rows"]:
        known = {it["name"]: it for it in row["results"]}
        for name, it in known.items():
            read = known.get(f"read, {name.partition(', ')[2]}", known.get("device-read"))
            if name.startswith(OTHERS) or name.endswith(FIRST) or not is_timed(it):
                continue
            if read is None or name == row["results"][0]["name"]:
                made[key(row), name] = row["text_bytes"] / min(it["seconds"]) / 1e9
            elif is_timed(read):
                made[key(row), name] = min(read["seconds"]) / min(it["seconds"])
    return made


def fallen(data, before):
    """Yield (row, competitor, earlier figure, figure) for each figure that fell; 0: no time is known of it now. Rows and
    competitors that were not measured before, or not now, do not fall."""
    last, now = figures(before), figures(data)
    for row in data["rows"]:
        for it in row["results"]:
            at = key(row), it["name"]
            if at in last and now.get(at, 0) < FALLEN * last[at]:
                yield *at, last[at], now.get(at, 0)


def report(data, before):
    """Print the falls, the greatest first. Return the exit status."""
    falls = sorted(fallen(data, before), key=lambda it: it[3] / it[2])
    last = {row for row, _ in figures(before)}
    if machine_of(data) != machine_of(before):
        print(f"--against: other machines: {machine_of(data)}, before {machine_of(before)}")
    compared = sum(key(row) in last for row in data["rows"])
    print(f"{compared} of {len(data['rows'])} rows have an earlier figure; {len(falls)} figures fell below {FALLEN}")
    for row, name, earlier, value in falls:
        print(f"fell: {value / earlier:.2f} x: {row}: {name}: {earlier:.4g} -> {value:.4g}")
    return 1 if falls else 0
