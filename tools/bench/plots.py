"""plots: draws figures of the documents as SVG, for light and dark pages.

An axis is (label, [(value, its words), ...]): it is logarithmic, from the first value to the last. `curves` draws
series over two such axes, `ranges` a line of values for each of some names, `dots` values of several programs. A label
is next to what it names, in the same colour; text is at least 12 px high."""

import math
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT, TOP, ROW = 760, 64, 190, 64, 26
STYLE = """<style>
text{font:13px system-ui,sans-serif;fill:#24292f}.small{font-size:12px;fill:#57606a}.title{font-size:15px;font-weight:600}
.page{fill:#fff}.grid{stroke:#d8dee4}.rule{stroke-dasharray:6 4}.line{fill:none;stroke-width:2}
.c0{--c:#0969da}.c1{--c:#bc4c00}.c2{--c:#1a7f37}.c3{--c:#8250df}.c4{--c:#bf3989}.c5{--c:#57606a}
.line{stroke:var(--c)}.dot{fill:var(--c)}.name{fill:var(--c)}.claim{fill:none;stroke:var(--c);stroke-width:2}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9ea7b3}.page{fill:#0d1117}.grid{stroke:#30363d}
.c0{--c:#58a6ff}.c1{--c:#f0883e}.c2{--c:#3fb950}.c3{--c:#bc8cff}.c4{--c:#f778ba}.c5{--c:#9ea7b3}.name{fill:var(--c)}}
</style>"""


def decades(least, most):
    """Return ticks at the powers of ten from the one below `least` to the one above `most`."""
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(most))
    return [(10.0**i, f"{10.0**i:,.{max(0, -i)}f}") for i in range(first, last + 1)]


def decades_of(values):
    values = list(values)
    return decades(min(values), max(values))


def text(x, y, words, kind="", anchor="start"):
    kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{escape(words)}</text>'


def line(x, y, to_x, to_y, kind):
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" class="{kind}"/>'


def scale(ticks, begin, end):
    """Return a function from a value to its place between begin and end."""
    low, high = math.log(ticks[0][0]), math.log(ticks[-1][0])
    return lambda value: begin + (end - begin) * (math.log(value) - low) / (high - low)


def page(title, said, height, parts):
    """Return the file. `said` is a line below the title."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
            f"<title>{escape(title)}</title>",
            STYLE,
            f'<rect class="page" width="{WIDTH}" height="{height}"/>',
            text(12, 24, title, "title"),
            text(12, 44, said, "small"),
            *parts,
            "</svg>\n",
        ]
    )


def bottom(ticks, label, to_x, top, base):
    """Return the lines and words of a horizontal axis."""
    parts = [line(to_x(at), top, to_x(at), base, "grid") for at, _ in ticks]
    parts += [text(to_x(at), base + 17, words, "small", "middle") for at, words in ticks]
    return parts + [text((to_x(ticks[0][0]) + to_x(ticks[-1][0])) / 2, base + 36, label, "small", "middle")]


def apart(places, gap, least, most):
    """Return the places in order, moved apart until neighbours have a gap."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved, last = {}, least - gap
    for i in order:
        moved[i] = last = max(places[i], last + gap)
    for i in reversed(order):
        moved[i] = most = min(moved[i], most)
        most -= gap
    return [moved[i] for i in range(len(places))]


def curves(title, said, across, up_label, series, height=420):
    """Draw series (name, points, kind): kind 'line', 'dots', or 'rule', a level line at the first point's height."""
    (label, ticks), base = across, height - 50
    up_ticks = decades_of(y for _, points, _ in series for _, y in points)
    to_x, to_y = scale(ticks, LEFT, WIDTH - RIGHT), scale(up_ticks, base, TOP + 24)
    parts = bottom(ticks, label, to_x, TOP + 24, base) + [text(12, TOP + 8, up_label, "small")]
    for at, words in up_ticks:
        parts += [
            line(LEFT, to_y(at), WIDTH - RIGHT, to_y(at), "grid"),
            text(LEFT - 6, to_y(at) + 4, words, "small", "end"),
        ]
    ends = []
    for i, (_, points, kind) in enumerate(series):
        points = [(to_x(x), to_y(y)) for x, y in sorted(points)]
        ends.append(points[-1][1])
        if kind == "rule":
            parts.append(line(LEFT, points[0][1], WIDTH - RIGHT, points[0][1], f"line rule c{i}"))
        elif kind == "line":
            parts.append(
                f'<polyline class="line c{i}" points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) + '"/>'
            )
        parts.append(
            "".join(f'<circle class="dot c{i}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in points if kind != "rule")
        )
    places = apart(ends, 17, TOP + 30, base)
    parts += [
        text(WIDTH - RIGHT + 10, y + 4, name, f"name c{i}") for i, ((name, _, _), y) in enumerate(zip(series, places))
    ]
    return page(title, said, height, parts)


def ranges(title, said, label, rows):
    """Draw a row (name, claimed, least, middle, most) for each claim: a line from least to most, a dot in the middle and
    a ring at what is claimed."""
    ticks, left, base = decades_of(value for row in rows for value in row[1:]), 340, TOP + 10 + ROW * len(rows)
    to_x = scale(ticks, left, WIDTH - 24)
    parts = bottom(ticks, label, to_x, TOP, base)
    for i, (name, claimed, least, middle, most) in enumerate(rows):
        y = TOP + 4 + ROW * (i + 0.5)
        parts += [
            text(left - 12, y + 4, name, "", "end"),
            line(to_x(least), y, to_x(most), y, "line c0"),
            f'<circle class="dot c0" cx="{to_x(middle):.1f}" cy="{y:.1f}" r="4"/>',
            f'<circle class="claim c1" cx="{to_x(claimed):.1f}" cy="{y:.1f}" r="6"/>',
        ]
    return page(title, said, base + 50, parts)


def dots(title, said, label, names, rows):
    """Draw a row (name, [value of each of names]) as dots on a horizontal line; None: no value. The names go at the
    top."""
    ticks, left, base = decades_of(value for _, it in rows for value in it if value), 340, TOP + 34 + ROW * len(rows)
    to_x, at = scale(ticks, left, WIDTH - 24), left
    parts = bottom(ticks, label, to_x, TOP + 24, base)
    for i, name in enumerate(names):
        parts += [
            f'<circle class="dot c{i}" cx="{at}" cy="{TOP + 4}" r="5"/>',
            text(at + 10, TOP + 8, name, f"name c{i}"),
        ]
        at += 34 + 8 * len(name)
    for i, (name, values) in enumerate(rows):
        y = TOP + 28 + ROW * (i + 0.5)
        known = [(to_x(value), k) for k, value in enumerate(values) if value]
        parts += [text(left - 12, y + 4, name, "", "end"), line(min(known)[0], y, max(known)[0], y, "grid")]
        parts += [f'<circle class="dot c{k}" cx="{x:.1f}" cy="{y:.1f}" r="5"/>' for x, k in reversed(known)]
    return page(title, said, base + 50, parts)
