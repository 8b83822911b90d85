"""claims: compares what a source claims with the figures of a run, and gives a verdict for each
claim.

A claim has cells. A cell compares two results, "ROW|CONTESTANT" or "ROW|CONTESTANT|PART": its value says how many times
as fast the first result is. A case [NAME, A, B] is such a cell; [NAME, A, B, C, D] divides the value of A and B by the
value of C and D. Values are ratios of medians. A value within 5 % of a claim's least factor decides nothing, and
neither does a value of fewer than RUNS_LEAST runs, or one that would decide differently if minima or means of the runs
were compared.

A claim with a bound, such as "at least 1.2 x as fast", has two verdicts: for the order ("faster") and for the
factor. `beside` lists the pairs that compare the same forms with our own baseline."""

import math
import statistics

from report import digits

NEAR = 1.05
RUNS_LEAST = 3
HOWS = (statistics.median, min, statistics.mean)  # how the runs of a figure are summed up; the first is shown
CROSSING_NEAR = 2.0  # a crossing within this factor of the source's counts as the same
VERDICTS = ("reproduced", "partly", "not reproduced", "undecided", "not measured")


class Figures:
    """The results of one source's rows, by "ROW|CONTESTANT|PART"."""

    def __init__(self, rows, published, has_gpu, asked):
        self.has_gpu = bool(has_gpu)
        self.rows = {row["name"]: row for row in rows}
        self.results = {(row["name"], it["name"]): it for row in rows for it in row["results"]}
        self.published, self.asked = published, asked

    def find(self, ref):
        return self.results.get(tuple(ref.split("|")[:2]))

    @staticmethod
    def good(it):
        return bool(it and it.get("seconds") and not it.get("wrong") and not it.get("why"))

    def state(self, it, ref):
        """Return the words to show instead of a number; '-' if nobody asked for the number."""
        if it is None:
            return "not measured" if tuple(ref.split("|")[:2]) in self.asked else "-"
        if it.get("wrong"):
            return "wrong"
        if it["host"].startswith("GPU") and not self.has_gpu:
            return "no GPU"
        why = it.get("why", "not measured").split(":")[0]
        return why if why in ("missing", "failed", "not measured") else "refused"

    @staticmethod
    def runs(it, part="seconds"):
        """Return a result's durations in seconds, a duration per run: of the whole call, or of a
        part of it."""
        if part == "copies":
            return [a + b for a, b in zip(it.get("copy_in", []), it.get("copy_out", []))] or it.get("copy_in", [])
        if part == "resident":
            return [a - b for a, b in zip(it["seconds"], it.get("copy_in", []))]
        if part == "sorting":
            return it.get("host_work", [])
        if part == "unsorted":
            return [a - b for a, b in zip(it["seconds"], it.get("host_work", [0] * len(it["seconds"])))]
        if part == "unshifted":
            return [a - b for a, b in zip(it["kernel"], it["shifts"])]
        return it.get(part, [])

    def time(self, ref, how=statistics.median):
        """Return the median of the runs, or how(runs); for a row of many patterns, of the patterns' medians. The least
        of these would be another pattern's time, so there the median stands for it. None: not measured."""
        it, parts = self.find(ref), ref.split("|")
        runs = self.runs(it, *parts[2:]) if self.good(it) else []
        if not any(runs):
            return None
        return (statistics.median if how is min and "patterns" in self.rows[parts[0]] else how)(runs)

    def has_runs(self, refs):
        """Return true if each of the results has enough runs, or patterns, to decide something."""
        return all(len(self.find(ref)["seconds"]) >= RUNS_LEAST for ref in refs if self.good(self.find(ref)))

    def there(self, ref):
        """Return the number that the source printed. The source's times of whole searches include
        no sorting."""
        return self.published.get(ref.replace("|unsorted", ""))


def quartiles(values):
    """Return the three quartiles, clamped to the least and the greatest value: for two values,
    statistics.quantiles returns numbers outside of them."""
    if len(set(values)) == 1:
        return values[:1] * 3
    return [min(max(it, min(values)), max(values)) for it in statistics.quantiles(values, n=4)]


def cases_of(claim, who="who"):
    if "cases" in claim:
        return claim["cases"]
    return [[on, *(f"{on}|{name}" for name in pair)] for on in claim["on"] for pair in claim[who]]


def value_of(times):
    if None in times:
        return None
    a, b, *base = times
    return b / a / (base[1] / base[0] if base else 1)


def holds(claim, value, bound=None):
    """Return true if the claim holds for the value; None: undecided."""
    kind = claim.get("kind")
    bound = claim.get("bound", 1) if bound is None else bound
    if kind == "equal":
        return 1 / NEAR <= value <= NEAR
    if kind == "at most":
        return value <= bound
    if kind == "no slower":
        return value >= 1 / NEAR
    return True if value >= bound * NEAR else False if value <= bound / NEAR else None


def crossing(cells):
    """Return where the value reaches 1, on a straight line between logarithms; None: nowhere."""
    for (x, a), (y, b) in zip(cells, cells[1:]):
        if a < 1 <= b:
            return float(x) * (float(y) / float(x)) ** (math.log(a) / (math.log(a) - math.log(b)))
    return None


def span(values):
    least, most = digits(min(values)), digits(max(values))
    return least if least == most else f"{least}–{most}"


def word_for(answers):
    """Return the verdict for the answers of a claim's cells: True, False, or None for an undecided
    cell."""
    yes, no, open_ = (answers.count(it) for it in (True, False, None))
    if yes:
        return "partly" if no or open_ else "reproduced"
    return "not reproduced" if no and no >= open_ else "undecided"


def agreed(answers, enough=True):
    """Return the first answer, which is about the medians; None if another one contradicts it, or without `enough`."""
    return None if not enough or {True, False} <= set(answers) else answers[0]


def cross(claim, cells, enough):
    """Return the answers for the order and for the factor, and words."""
    ats, bound = [crossing([(x, values[i]) for x, values in cells]) for i in range(len(HOWS))], claim["bound"]
    offs = [max(at / bound, bound / at) / CROSSING_NEAR if at else math.inf for at in ats]
    here = (
        f"at {ats[0]:.0f} {claim['unit']}"
        if ats[0]
        else f"nowhere from {cells[0][0]} to {cells[-1][0]} {claim['unit']}"
    )
    return (
        [agreed([at is not None for at in ats], enough)],
        [agreed([True if off <= 1 / NEAR else False if off >= NEAR else None for off in offs], enough)],
        here,
    )


def judge(figures, claim, who="who"):
    """Return (verdict for the order, verdict for the factor, in how many cells the claim holds, the ratios here,
    the ratios that the source printed). '-' stands for a verdict that the claim does not have: for the factor without
    a bound, for the order if the claim is "equal" or "at most"."""
    cases = [
        (
            name,
            [value_of([figures.time(ref, how) for ref in refs]) for how in HOWS],
            value_of([figures.there(ref) for ref in refs]),
            figures.has_runs(refs),
        )
        for name, *refs in cases_of(claim, who)
    ]
    cells = [(name, values, enough) for name, values, _, enough in cases if values[0]]
    every, printed = [it[1:] for it in cells], [there for _, _, there, _ in cases if there]
    values = [it[0] for it, _ in every]
    there = claim.get("there") or (span(printed) if printed else "")
    if not cells:
        return "not measured", "-", "", "", there
    kind, held = claim.get("kind"), ""
    if kind == "cross":
        order, factor, here = cross(claim, [it[:2] for it in cells], all(enough for _, enough in every))
    else:
        order, factor = (
            [agreed([holds(claim, value, bound) for value in it], enough) for it, enough in every]
            for bound in (1, None)
        )
        here = f"at best {digits(max(values))}" if kind == "reach" else span(values)
        held = f"{factor.count(True)} of {len(cells)}" if len(cells) > 1 else ""
        held += f", {factor.count(None)} undecided" if held and None in factor else ""
        held += f", {len(cases) - len(cells)} open" if held and len(cases) > len(cells) else ""
        if kind == "reach":
            best = [max(it[i] for it, _ in every) for i in range(len(HOWS))]
            enough = all(it for _, it in every)
            order, factor = ([agreed([holds(claim, value, bound) for value in best], enough)] for bound in (1, None))
    if kind in ("equal", "at most"):
        return "-", word_for(factor), held, here, there
    return word_for(order), word_for(factor) if "bound" in claim else "-", held, here, there


def judged(figures, claims, main_first=False):
    """Return (claim, order, factor, held, here, there, beside) for each claim: what `judge` returns, then words about
    the same claim against our baseline."""
    found = []
    for claim in sorted(claims, key=lambda it: not it.get("main")) if main_first else claims:
        order, factor, *said = judge(figures, claim)
        _, _, held, here, _ = judge(figures, claim, "beside") if "beside" in claim else [""] * 5
        found.append((claim, order, factor, *said, f"{held}: {here}" if held else here))
    return found


def capital(text):
    """Return the text as the start of a sentence: capitalized, unless it begins with a name."""
    return (
        text
        if text.split()[0].split("'")[0] in ("trawl", "qs", "bf", "hp", "memmem", "atomicMin")
        else text[0].upper() + text[1:]
    )
