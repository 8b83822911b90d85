"""packed: compressed files over cores: the table and the plot of docs/measurements/packed.json, which has the best times that
packed.sh printed."""

import plots
from report import least, table

SEARCHERS = ("trawl", "ripgrep", "ugrep")


def seconds(row):
    """Return {program: seconds} of a row, with the decoders under one name: names that no searcher has."""
    return {it["name"]: least(it) for it in row["results"]}


def section(data):
    cells = []
    for row in data["rows"]:
        known = seconds(row)
        decoders = [name for name in known if name not in SEARCHERS]
        cells.append(
            [
                row["name"],
                row["cores"],
                f"{known['trawl']:g}",
                ", ".join(f"{name} {known[name]:g}" for name in decoders),
                f"{known['ripgrep']:g}",
                f"{known['ugrep']:g}",
            ]
        )
    return table(["files", "cores", "trawl", "one decoder per core", "ripgrep", "ugrep"], cells)


def plot(data):
    """Draw GB/s of decompressed text. Of several decoders the fastest is shown."""
    rows = []
    for row in data["rows"]:
        known = seconds(row)
        decoder = min(value for name, value in known.items() if name not in SEARCHERS)
        rows.append(
            (
                f"{row['name']}, {row['cores']} cores",
                [row["text_bytes"] / it / 1e9 for it in (known["trawl"], decoder, known["ripgrep"], known["ugrep"])],
            )
        )
    return plots.dots(
        "Searching compressed files",
        f"an absent string; whole commands, {data['machine']['date']}; the fastest "
        "decoder only decompresses, a file per core",
        "GB/s of decompressed text",
        ["trawl", "decoder", "ripgrep", "ugrep"],
        rows,
    )
