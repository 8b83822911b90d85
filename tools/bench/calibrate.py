"""calibrate: measures the costs in src/plan/methods.def: the time of each method for a single pattern, for
each instruction set.

Text and pattern are made so that a forced method repeats a single kind of work: a fixed number of probes (comparisons
of a byte) at each offset, look-ups of grams (short substrings) or of samples at a fixed stride, or a known number of
candidates (offsets that must be compared). A single thread searches a text that fits the second-level cache. The
least processor time of many rounds and several passes counts, because a processor's speed changes from second to
second."""

import math
import os
import re
import statistics

from report import least, opening, result, table
from runner import ROOT

COSTS = os.path.join(ROOT, "src", "plan", "methods.def")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SIXTY_FOUR = LETTERS + LETTERS.upper() + "0123456789+/"
# {number of probes: letters}. In a text of these equally frequent letters, this number of probes rejects all 64 offsets
# of most blocks. Without letters, the text repeats the digit 0.
PROBES = {1: "", 2: SIXTY_FOUR, 3: LETTERS, 4: "0123456789", 5: "abcde", 6: "ACGT"}
# {stride: (length of a pattern whose grams have this stride, letters of a text in which such grams
# are rare enough)}.
STRIDES = {1: (7, "ACGT"), 2: (7, LETTERS), 4: (9, LETTERS), 8: (12, LETTERS)}
PASSES = 5
SAMPLED = (64, 128, 200, 300, 500)  # pattern lengths; the stride is 7 less, rounded down to a multiple of 8
PIECE, LONG = 1000, 100  # the text repeats PIECE bytes; a pattern of LONG bytes is in each repetition
TWO = "ab"  # with two letters, 8 probes leave a candidate in 256 offsets
DECIDED, COMPARED = 8, 40  # pattern lengths: of 8 bytes, 8 probes test all; of 40 bytes, candidates are compared, too
WORDS = ("every", "every_probe", "grams 1", "grams 2", "grams 4", "grams 8", "sample", "compared", "candidate")


def questions():
    """Yield (name, method, text, pattern)."""
    for probes, letters in PROBES.items():
        text, pattern = (f"letters:{letters}", "drawn:1:16:16") if letters else ("repeat:0", f"literal:{LETTERS}")
        yield f"every, {probes} probes", "every", text, pattern
    for stride, (m, letters) in STRIDES.items():
        yield f"grams, stride {stride}", "grams", f"letters:{letters}", f"drawn:1:{m}:{m}"
    for m in SAMPLED:
        yield f"sampled, m = {m}", "sampled", f"letters:{LETTERS}", f"drawn:1:{m}:{m}"
    for m in (DECIDED, COMPARED):
        yield f"compared, m = {m}", "every", f"letters:{TWO}", f"drawn:1:{m}:{m}"
    for method in ("grams", "sampled"):
        yield f"{method}, found", method, f"piece:{PIECE}", f"at:{PIECE}:{LONG}"
        yield f"{method}, not found", method, f"piece:{PIECE}", f"literal:{LETTERS.upper() * 5}"[: 8 + LONG]


def rows(options, texts):
    """Yield PASSES rows for each question. The competitors are the instruction sets, with the question's method."""
    common = {"threads": 1, "plan": "once", "sample": True, "clock": "cpu", "ours": True}
    for name, method, text, pattern in PASSES * list(questions()):
        ask = {"text": texts.recipe(text, options.bytes), "bytes": options.bytes, "patterns": pattern, "oracle": "1M"}
        who = [{"name": isa, "isa": isa, "method": method, **common} for isa in options.facts["instruction_sets"]]
        yield {"name": name, "asks": [(ask, who)]}


# ---- The report -----------------------------------------------------------------------------


def line_of(points):
    """Fit a line to the points by least squares. Return the line's value at 0 and the slope."""
    mean_x, mean_y = (statistics.mean(it) for it in zip(*points))
    rise = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    return mean_y - rise * mean_x, rise


def costs(found, isa):
    """Make a row of methods.def, in ns, from the measured times."""

    def per_byte(name):
        return min(least(result(row, isa)) / row["text_bytes"] for row in found if row["name"] == name) * 1e9

    def candidate(method):
        return PIECE * (per_byte(f"{method}, found") - per_byte(f"{method}, not found"))

    every, probe = line_of([(probes, per_byte(f"every, {probes} probes")) for probes in PROBES])
    strides = [per_byte(f"grams, stride {stride}") for stride in STRIDES]
    sample = statistics.median(per_byte(f"sampled, m = {m}") * ((m - 7) // 8 * 8) for m in SAMPLED)
    compared = 256 * (per_byte(f"compared, m = {COMPARED}") - per_byte(f"compared, m = {DECIDED}"))
    return [max(every, 0), probe, *strides, sample, compared, max(candidate("grams"), candidate("sampled"))]


def built_in():
    """Return {instruction set: row of methods.def} from the source tree."""
    with open(COSTS, encoding="utf-8") as file:
        text = file.read().replace("\\\n", "")
    avx2 = re.search(r"^#define COSTS_AVX2\(times\)(.*)", text, re.M)[1]
    rows = {}
    for name, row in re.findall(r"^COSTS\((\w+), (.*)\)$", text, re.M):
        times = re.fullmatch(r"COSTS_AVX2\((\d+)\)", row)
        row = avx2.replace("times * ", f"{times[1]}*") if times else row
        rows[name] = [math.prod(map(float, word.split("*"))) for word in re.findall(r"[\d.]+(?:\*[\d.]+)?", row)]
    return rows


def section(data):
    """Return the lines of the page: for each instruction set, the measured costs and the costs
    built into trawl."""
    found, known = data["rows"], built_in()
    isas = [it["name"] for it in found[0]["results"]]
    lines = opening(data) + [
        f"- texts of {data['machine']['text_bytes']:,} bytes, 1 thread; nanoseconds for a byte, a sample or a "
        "candidate",
        "",
    ]
    cells = []
    for isa in isas:
        made = costs(found, isa)
        cells.append([f"{isa}, measured", *(f"{value:.4f}" for value in made)])
        if isa in known:
            cells.append([f"{isa}, built in", *(f"{value:.4f}" for value in known[isa])])
    return lines + table(["", *WORDS], cells)
