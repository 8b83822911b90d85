"""filter: counts, matches, lines and the first match in a loaded text, without and with a filter (docs/filter.md)."""

import random

from report import digits, least, machine_line, result, table

LINES_BYTES = 64 << 20  # a longer text repeats its lines: ids that are there are in each repetition
WITHOUT, WITH = "without", "with a filter"
CALLS = {"count": "count", "matches": "positions", "lines": "count-lines", "first": "first"}


def id_line(draw):
    """Return a line of a log, or a JSON object, with a decimal or hexadecimal id of its own."""
    identity, more, kind = draw.getrandbits(64), draw.getrandbits(32), draw.randrange(3)
    if kind == 2:
        word = f"{identity:016x}"
        return (
            f'{{"ts":17{more % 10**9:09},"user":"{word[:8]}-{word[8:12]}-4{more & 0xFFF:03x}-{word[12:]}-'
            f'{draw.getrandbits(48):012x}","ok":true}}\n'
        )
    level = "INFO" if more % 32 else "ERROR"
    named = f"no={identity % 10**16:016}" if kind == 0 else f"id={identity:016x}"
    return (
        f"2026-11-{more % 30:02} 12:{(more >> 8) % 60:02} {level} [worker-{(more >> 20) % 16}] request {named} "
        f"path=/api/v1/items/{more >> 22}\n"
    )


def rows(options, texts):
    """Yield a row for each kind of patterns and call."""
    draw, path, done = random.Random(1), texts.path("ids"), 0
    with open(path, "w", encoding="ascii") as file:
        while done < min(options.bytes, LINES_BYTES):
            lines = [id_line(draw) for _ in range(1000)]
            done += file.write("".join(lines))
    here = "".join(lines)
    known, user = here.partition("id=")[2][:16], here.partition('"user":"')[2][:36]
    absent = [f"{draw.getrandbits(64):016x}" for _ in range(10000)]
    who = [
        {"name": name, "engine": options.engine, "threads": options.threads, "loaded": loaded, "plan": "once",
         "clock": "cpu" if options.threads == 1 and options.engine == "cpu" else None, "ours": True}
        for name, loaded in ((WITHOUT, True), (WITH, "filter"))
    ]  # fmt: skip
    for name, patterns, more in (
        ("absent decimal id of 16", ["7777711111222229"], {}),
        ("absent hexadecimal id of 16", ["deadbeefcafe4242"], {}),
        ("hexadecimal id of 12", [known[:12]], {}),
        ("hexadecimal id of 16", [known], {}),
        ("UUID", [user], {}),
        ("UUID, -i", [user.upper()], {"flags": "ignore-case"}),
        ("absent word of 12", ["quinquagesim"], {}),
        ("in most pages", ["ERROR [worker-3]"], {}),
        ("in each line", [" request "], {}),
        ("expression, rare atom", ["[a-z]+ id=deadbeefcafe[0-9]+ path"], {"syntax": "perl", "alike": True}),
        ("expression, known id", ["[a-z]+ id=" + known[:12] + "[0-9a-f]+ path"], {"syntax": "perl", "alike": True}),
        ("100 absent ids of 16", absent[:100], {}),
        ("10,000 absent ids of 16", absent, {}),
    ):
        if (options.filter or "") in name:
            made = texts.patterns(f"filter-{name.replace(' ', '-')}", [it.encode() for it in patterns])
            for label, call in CALLS.items():
                ask = {"text": f"file:{path}", "bytes": options.bytes, "oracle": "16M", **more}
                ask |= {"patterns": f"file:{made}", "call": call}
                yield {"name": f"{name}: {label}", "asks": [(ask, who)]}


def section(data):
    """Make a table: least ms without → with a filter."""
    rows_of, cells = {row["name"]: row for row in data["rows"]}, []
    notes = [it.get("note", "") for row in data["rows"] for it in row["results"]]
    for name in dict.fromkeys(name.rpartition(": ")[0] for name in rows_of):
        count = rows_of.get(f"{name}: count", {"results": []})
        note = (result(count, WITH) or {}).get("note", "all").partition(",")[0].removeprefix("pages left ")
        cells.append([name, count.get("found", "-"), note])
        for label in CALLS:
            row = rows_of.get(f"{name}: {label}", {"results": []})
            times = [least(result(row, it)) for it in (WITHOUT, WITH)]
            cells[-1].append(" → ".join(digits(it * 1e3) for it in times) if all(times) else "-")
    said = f"- {machine_line(data, on_gpu=True)}; the filter: {max(notes).partition(', ')[2]}"
    return [said, "", *table(["ms without → with a filter", "found", "pages left", *CALLS], cells)]
