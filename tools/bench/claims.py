"""claims: what a source says and what a run adds, as sentences made from the figures.

A sentence never says more than its cases do: how many are so, how many are not, which ones, and
from which ratio to which."""
import math
import statistics

from report import digits

ALIKE = 0.05  # ratios this close to 1 are counted once more
NAMED_MAX = 4  # cases of the smaller side that are named
CROSSING_NEAR = 2.0  # a crossing within this factor of the source's counts as the same


class Figures:
    """The results of one report, by "ROW|CONTESTANT|PART"."""

    def __init__(self, data, rows):
        self.has_gpu = bool(data.get('gpu') or data['machine'].get('gpu'))
        self.rows = {row['name']: row for row in rows}
        self.results = {(row['name'], it['name']): it for row in rows for it in row['results']}

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
    def runs(it, part):
        if part == 'whole':
            return it['seconds']
        if part == 'copies':
            return [a + b for a, b in zip(it.get('copy_in', []), it.get('copy_out', []))] \
                or it.get('copy_in', [])
        if part == 'other':
            named = [it[key] for key in ('plan', 'memory', 'copy_in', 'kernel', 'copy_out', 'host_work')
                     if key in it]
            return [whole - sum(values) for whole, *values in zip(it['seconds'], *named)]
        return it.get(part, [])

    def seconds(self, ref):
        """The median; None: not measured."""
        it, parts = self.find(ref), ref.split('|')
        runs = self.runs(it, parts[2] if len(parts) > 2 else 'whole') if self.good(it) else []
        return statistics.median(runs) if runs else None


def ratio_of(figures, left, right):
    a, b = figures.seconds(left), figures.seconds(right)
    return a / b if a and b else None


def value_of(figures, claim, case):
    value = ratio_of(figures, case[1], case[2])
    if value is None or claim['kind'] != 'gain':
        return 1 / value if value and claim['kind'] == 'best' else value
    base = ratio_of(figures, *case[5:7])
    return value / base if base else None


def is_so(claim, value):
    return value >= claim['bound'] if claim.get('at_least') else value < claim['bound']


def span(least, most):
    return digits(least) if digits(least) == digits(most) else f'{digits(least)} to {digits(most)}'


def published_of(claim, cases, word):
    """What the source says, and in how many cells that holds."""
    if claim.get('ours'):
        return ''
    numbers = [case[3] for case, _ in cases if len(case) > 3 and case[3]]
    text = f" Published: {claim.get('published') or word}"
    if numbers:
        text += f' ({span(min(numbers), max(numbers))})'
    return f'{text}; holds in {sum(is_so(claim, v) for _, v in cases)} of {len(cases)}.'


def few(claim, cases, so, not_so):
    """Which cases are the few: those that are so, or those that are not."""
    yes = [case[0] for case, value in cases if is_so(claim, value)]
    no = [case[0] for case, value in cases if not is_so(claim, value)]
    names, word = (yes, so) if len(yes) < len(no) else (no, not_so)
    return f" {word}: {'; '.join(names)}." if 0 < len(names) <= NAMED_MAX else ''


def ratio_sentence(claim, cases):
    values = [value for _, value in cases]
    holds, least = sum(is_so(claim, value) for value in values), claim.get('at_least')
    text = f"{claim['left']}: {span(min(values), max(values))} times the time of {claim['right']}; "
    if claim['bound'] != 1:
        word = f"at {'least' if least else 'most'} {claim['bound']:.3g} times"
        return (text + f'{word} in {holds} of {len(cases)} cells.' + few(claim, cases, 'So', 'Not so')
                + published_of(claim, cases, word))
    faster = len(cases) - holds if least else holds
    alike = sum(abs(value - 1) <= ALIKE for value in values)
    text += f'faster in {faster} of {len(cases)} cells, slower in {len(cases) - faster}'
    text += (f', within 5 % in {alike}' if alike else '') + '.'
    words = ('Slower', 'Faster') if least else ('Faster', 'Slower')
    return text + few(claim, cases, *words) + published_of(claim, cases, words[0].lower())


def gain_sentence(claim, cases):
    values = [value for _, value in cases]
    holds, least = sum(is_so(claim, value) for value in values), claim.get('at_least')
    words = ('Larger', 'Smaller') if least else ('Smaller', 'Larger')
    return (f"{claim['left']} is {span(min(values), max(values))} times {claim['right']}: smaller in "
            f'{len(cases) - holds if least else holds} of {len(cases)} cells.'
            + few(claim, cases, *words) + published_of(claim, cases, words[0].lower()))


def best_sentence(claim, cases):
    values = [value for _, value in cases]
    name = next(case[0] for case, value in cases if value == max(values))
    text = (f"{claim['left']} is at best {digits(max(values))} times as fast as {claim['right']} "
            f'({name}), at worst {digits(min(values))} times.')
    if claim.get('ours'):
        return text
    return text + (f" Published: up to {claim['bound']:g} times; reached in "
                   f'{sum(is_so(claim, value) for value in values)} of {len(cases)} cells.')


def crossings(cases):
    """(where, faster from there on), on straight lines between the logarithms of both."""
    found = []
    for (before, a), (after, b) in zip(cases, cases[1:]):
        if (a < 1) != (b < 1):
            part = math.log(a) / (math.log(a) - math.log(b))
            found.append((before[4] * math.exp(math.log(after[4] / before[4]) * part), b < 1))
    return found


def nearest_crossing(claim, cases):
    places = [at for at, _ in crossings(cases)]
    return min(places, key=lambda at: abs(math.log(at / claim['bound'])), default=None)


def is_near(claim, at):
    return at is not None and 1 / CROSSING_NEAR <= at / claim['bound'] <= CROSSING_NEAR


def crossing_sentence(claim, cases):
    values, found = [value for _, value in cases], crossings(cases)
    text = (f"{claim['left']} compared with {claim['right']}: "
            f"{'faster' if values[0] < 1 else 'slower'} at {cases[0][0][4]:.0f}")
    text += ''.join(f", {'faster' if faster else 'slower'} from {at:.0f}" for at, faster in found)
    text += (f"; {len(found)} crossing{'' if len(found) == 1 else 's'} between {cases[0][0][4]:.0f} "
             f"and {cases[-1][0][4]:.0f}{' ' if claim.get('unit') else ''}{claim.get('unit', '')} "
             f'(ratios {span(min(values), max(values))}).')
    if not claim['bound']:
        return text
    at = nearest_crossing(claim, cases)
    return text + f" Published: {claim.get('published', '')}" + (
        f"; the nearest here is {at / claim['bound']:.2f} times that: "
        + ('holds within a factor of 2.' if is_near(claim, at) else 'does not hold.')
        if at else '; there is none here: does not hold.')


SENTENCES = {'ratio': ratio_sentence, 'gain': gain_sentence, 'best': best_sentence,
             'crossings': crossing_sentence}


def judge(figures, claim):
    """The sentence (None: nothing of it was measured), cells that are known, cells where it holds."""
    cases = [(case, value_of(figures, claim, case)) for case in claim['cases']]
    cases = [(case, value) for case, value in cases if value]
    if not cases:
        return None, 0, 0
    text = ('Ours: ' if claim.get('ours') else '') + SENTENCES[claim['kind']](claim, cases)
    if claim['kind'] == 'crossings':
        known = 1 if claim['bound'] else 0
        return text, known, int(known and is_near(claim, nearest_crossing(claim, cases)))
    return text, len(cases), sum(is_so(claim, value) for _, value in cases)


def claim_lines(figures, claims):
    judged = [(claim, *judge(figures, claim)) for claim in claims]
    theirs = [it for it in judged if it[1] and not it[0].get('ours')]
    unknown = sum(it[1] is None for it in judged)
    lines = ['', '**What the figures say.** '
             + (f"The source's orderings: {len(theirs)}, over {sum(it[2] for it in theirs)} cells; they "
                f'hold in {sum(it[3] for it in theirs)} cells here. ' if theirs else '')
             + 'Times are medians; "Published" is what the source has.', '']
    lines += [f'- {it[1]}' for it in theirs]
    lines += [f'- {it[1]}' for it in judged if it[1] and it[0].get('ours')]
    return lines + ([f'- {unknown} more: not measured.'] if unknown else [])
