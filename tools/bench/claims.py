"""claims: what a source says, held against the figures of a run: a verdict and a sentence.

A claim is about cells, and each cell has a value: how many times as fast, or as long, something is. The
claim holds in a cell where the value reaches the claim's bound; within 5 % of it the cell is undecided.
Times are means, as in the sources. Where a cell has many patterns, the value is their median, and it
is the nearer quartile that has to reach the bound.

A case refers to results as "ROW|CONTESTANT" or "ROW|CONTESTANT|PART"; [CASE, A, B] is B's time / A's,
and [CASE, A, B, C, D] that of A and B divided by that of C and D."""
import math
import statistics

from report import digits

NEAR = 1.05  # a value this close to the bound decides nothing
CROSSING_NEAR = 2.0  # a crossing within this factor of the source's counts as the same
NAMED_MAX = 3  # cells where a claim does not hold that are named
VERDICTS = ('reproduced', 'partly', 'not reproduced', 'undecided')


class Figures:
    """The results of one report, by "ROW|CONTESTANT|PART"."""

    def __init__(self, data, rows, published=None):
        self.has_gpu = bool(data.get('gpu') or data['machine'].get('gpu'))
        self.rows = {row['name']: row for row in rows}
        self.results = {(row['name'], it['name']): it for row in rows for it in row['results']}
        self.published = published or {}

    def find(self, ref):
        return self.results.get(tuple(ref.split('|')[:2]))

    @staticmethod
    def good(it):
        return bool(it and it.get('seconds') and not it.get('wrong') and not it.get('why'))

    def state(self, it):
        """The word in place of a number."""
        if it is None:
            return 'no time'
        if it.get('wrong'):
            return 'wrong'
        if it['host'].startswith('GPU') and not self.has_gpu:
            return 'no GPU'
        why = it.get('why', 'no time')
        return why.split(':')[0] if why.split(':')[0] in ('missing', 'failed', 'no time') else 'refused'

    @staticmethod
    def runs(it, part='whole'):
        if part == 'whole':
            return it['seconds']
        if part == 'copies':
            return [a + b for a, b in zip(it.get('copy_in', []), it.get('copy_out', []))] \
                or it.get('copy_in', [])
        if part == 'search kernel':
            kernel = it.get('kernel', [])
            return [a - b for a, b in zip(kernel, it.get('shifts', [0] * len(kernel)))]
        return it.get(part, [])

    def times(self, ref):
        """Of each pattern, if the row has several; else the mean of the runs; []: not measured."""
        it, parts = self.find(ref), ref.split('|')
        runs = self.runs(it, *parts[2:]) if self.good(it) else []
        if not any(runs):
            return []
        return runs if 'patterns' in self.rows[parts[0]] else [statistics.mean(runs)]

    def ratios(self, left, right):
        return [b / a for a, b in zip(self.times(left), self.times(right)) if a > 0]

    def there(self, ref):
        """What the source printed; of a part, if it printed no parts, the whole."""
        return self.published.get(ref) or self.published.get('|'.join(ref.split('|')[:2]))


def quartiles(values):
    if len(values) == 1:
        return values * 3
    return [values[0]] * 3 if len(set(values)) == 1 else statistics.quantiles(values, n=4)


def cases_of(claim):
    if 'cases' in claim:
        return claim['cases']
    side = int(len({pair[0] for pair in claim['who']}) == 1)  # of a pair: what differs names the case
    return [[on if len(claim['who']) == 1 else f"{on}, {pair[side].split('|')[0]}"]
            + [f'{on}|{name}' for name in pair] for on in claim['on'] for pair in claim['who']]


def cells_of(figures, claim):
    """(name, lower quartile, median, upper quartile, the source's value or None) of what was measured."""
    cells = []
    for name, left, right, *base in cases_of(claim):
        values = figures.ratios(left, right)
        refs = [figures.there(ref) for ref in (left, right, *base)]
        if base:
            below = figures.ratios(*base)
            values = [a / b for a, b in zip(values, below)]
        there = None
        if all(refs):
            there = refs[1] / refs[0] / (refs[3] / refs[2] if base else 1)
        if values:
            cells.append((name, *quartiles(values), there))
    return cells


def holds(claim, low, high):
    """True, False, or None: undecided."""
    kind, bound = claim.get('kind'), claim.get('bound', 1)
    if kind == 'most':
        low, high, bound = 1 / high, 1 / low, 1 / bound
    if kind == 'equal':
        return True if low >= 1 / NEAR and high <= NEAR else None if low <= 1 <= high else False
    if kind == 'no slower':
        return True if low >= 1 / NEAR else False if high < 1 / NEAR else None
    return True if low >= bound * NEAR else False if high <= bound / NEAR else None


def crossing(cells):
    """Where the value reaches 1, on a straight line between logarithms; None: nowhere."""
    for before, after in zip(cells, cells[1:]):
        a, b = before[2], after[2]
        if a < 1 <= b:
            part = math.log(a) / (math.log(a) - math.log(b))
            return float(before[0]) * (float(after[0]) / float(before[0])) ** part
    return None


def span(values):
    least, most = digits(min(values)), digits(max(values))
    return f'{least} ×' if least == most else f'{least} to {most} ×'


def word_for(answers):
    yes, no, open_ = (answers.count(it) for it in (True, False, None))
    if yes and no:
        return 'partly'
    if yes:
        return 'reproduced' if yes >= open_ else 'undecided'
    return 'not reproduced' if no and no >= open_ else 'undecided'


def where(claim, cells, answers):
    """In how many cells the claim holds, and where it does not."""
    if len(cells) == 1:
        return ''
    kind, yes = claim.get('cells', 'cells'), answers.count(True)
    no = [cell[0] for cell, it in zip(cells, answers) if it is False]
    text = f'in all {len(cells)} {kind}' if yes == len(cells) else \
        f"in {yes or 'none'} of {len(cells)} {kind}"
    if no and yes:
        text += f', not in {len(no)}' + (f" ({'; '.join(no)})" if len(no) <= NAMED_MAX else '')
    if yes and len(no) > NAMED_MAX >= yes:
        text += f" (it holds for {'; '.join(cell[0] for cell, it in zip(cells, answers) if it)})"
    return text + (f', undecided in {answers.count(None)}' if None in answers else '') + '; '


def cross(claim, cells):
    at, bound = crossing(cells), claim.get('bound')
    if at is None:
        found = {cell[2] >= 1 for cell in cells}
        text = ': back and forth' if len(found) > 1 else ': everywhere' if True in found else ': nowhere'
        text += f' between {cells[0][0]} and {cells[-1][0]} {claim["unit"]}'
    else:
        text = f': here from {float(digits(at)):.0f} {claim["unit"]} on'
    if bound is None:
        return text + f' ({span([cell[2] for cell in cells])})', at is not None
    off = max(at / bound, bound / at) / CROSSING_NEAR if at else NEAR
    return text + f' ({span([cell[2] for cell in cells])})', \
        True if off <= 1 / NEAR else False if off >= NEAR else None


def judge(figures, claim):
    """(verdict, what follows the claim's words, why); None: nothing of it was measured."""
    cells = cells_of(figures, claim)
    if not cells:
        return None
    values = [cell[2] for cell in cells]
    there = claim.get('there')
    printed = [cell[4] for cell in cells if cell[4]]
    if claim.get('kind') == 'cross':
        text, answer = cross(claim, cells)
        answers = [answer]
    elif claim.get('kind') == 'reach':
        best = max(cells, key=lambda cell: cell[2])
        answers = [holds(claim, best[1], best[3])]
        text = f': at best {digits(best[2])} × here ({best[0]}), at worst {digits(min(values))} ×'
    else:
        answers = [holds(claim, cell[1], cell[3]) for cell in cells]
        there = there or (span(printed) if printed else None)
        text = f': {where(claim, cells, answers)}{span(values)} here' \
            + (f', {there} there' if there else '')
    word = word_for(answers)
    losing = word == 'not reproduced' or (claim.get('ours') and answers.count(False) > answers.count(True))
    return word, text + '.', claim.get('why', '') if losing else ''


def judged(figures, claims):
    """(claim, verdict, the rest of the sentence, why) of those that were measured."""
    found = [(claim, judge(figures, claim)) for claim in claims]
    return [(claim, *it) for claim, it in found if it]


def sentence(claim, rest):
    """trawl's name keeps its small letter."""
    say = claim['say']
    return (say if say.startswith('trawl') else say[0].upper() + say[1:]) + rest
