"""papers_check: docs/papers.md, recomputed from the results by code that shares nothing with its maker.

Each cell of each table, the numbers and the verdict of each sentence, the counts of the overview, and
the times of each loss. Only the names of rows, contestants and claims come from tools/bench/papers.json."""
import functools
import json
import math
import re
from decimal import ROUND_HALF_EVEN, Decimal

NUMBER = r'\d+(?:\.\d+)?'


@functools.lru_cache(None)
def three(value):
    """Three figures, four places at most."""
    places = 0 if value == 0 or abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 \
        else 3 if abs(value) >= 0.1 else 4
    return str(Decimal(value).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN))


def at_share(values, share):
    """The value at (n + 1) * share of the sorted ones, on a straight line between two."""
    values = sorted(values)
    place = max(min((len(values) + 1) * share, len(values)), 1) - 1
    low = min(int(place), max(len(values) - 2, 0))
    rest = values[min(low + 1, len(values) - 1)] - values[low]
    return values[low] + rest * (place - low)


class Check:
    def __init__(self, page, data, definitions):
        self.page, self.definitions, self.faults = page, definitions, []
        self.rows = {(row['paper'], row['name']): row for row in data['rows']}
        self.counts = {}
        for paper in definitions:
            part = re.search(f'<!-- begin {paper} -->(.*?)<!-- end {paper} -->', page, re.S)
            if part and any(key[0] == paper for key in self.rows):
                self.paper(paper, part.group(1))

    def expect(self, condition, what):
        if not condition:
            self.faults.append(what)

    # ---- results

    def result(self, paper, ref):
        row = self.rows.get((paper, ref.split('|')[0]), {'results': []})
        return next((it for it in row['results'] if it['name'] == ref.split('|')[1]
                     and it.get('seconds') and 'why' not in it and 'wrong' not in it), None)

    def series(self, paper, ref):
        it, part = self.result(paper, ref), (ref.split('|') + ['seconds'])[2]
        if it is None:
            return []
        if part == 'copies':
            return [sum(pair) for pair in zip(it['copy_in'], it.get('copy_out', [0] * 999))] \
                if it.get('copy_in') else []
        if part == 'search kernel':
            return [a - b for a, b in zip(it.get('kernel', []), it.get('shifts', [0] * 999))]
        return it.get(part, [])

    def patterns(self, paper, ref):
        return 'patterns' in self.rows[(paper, ref.split('|')[0])]

    def speeds(self, paper, left, right):
        a, b = self.series(paper, left), self.series(paper, right)
        if not any(a) or not any(b):
            return []
        if self.patterns(paper, left):
            return [y / x for x, y in zip(a, b)]
        return [(sum(b) / len(b)) / (sum(a) / len(a))]

    # ---- one publication

    def paper(self, paper, text):
        facts = self.definitions[paper]
        blocks = re.findall(r'((?:^\|.*\n)+)', text, re.M)
        tables = [[[cell.strip() for cell in line[1:-1].split('|')]
                   for line in block.splitlines()] for block in blocks]
        self.expect(len(tables) == len(facts['tables']) + 1, f'{paper}: {len(tables)} tables')
        for made, shown in zip(facts['tables'], tables):
            self.table(paper, made, shown)
        grids = [one for (of, _), row in self.rows.items() if of == paper for it in row['results']
                 for one in it.get('children', [])]
        if grids:
            said = re.search('A search started (.*)', re.sub(r'\(.*?\)', '', text))
            self.expect(said and [int(it) for it in re.findall(NUMBER, said.group(1))] == [
                min(it[0] for it in grids), max(it[0] for it in grids), sum(it[1] for it in grids),
                sum(it[2] for it in grids), sum(map(sum, grids))], f'{paper}: child grids')
        claims = {claim['say'].lower(): claim for claim in facts['claims']}
        words = []
        for verdict, sentence in tables[-1][2:]:
            say = next((key for key in sorted(claims, key=len, reverse=True)
                        if sentence.lower().startswith(key + ':')), None)
            self.expect(say is not None, f'{paper}: no such claim: {sentence}')
            if say is not None:
                word = self.claim(paper, claims[say], sentence[len(say):])
                self.expect(verdict == ('ours' if claims[say].get('ours') else word),
                            f'{paper}: {verdict}, expected {word}: {sentence}')
                words += [] if claims[say].get('ours') else [word]
        self.counts[paper] = {word: words.count(word) for word in words}

    def table(self, paper, made, shown):
        head, lines = shown[0], shown[2:]
        for row in lines:
            of = next((it for it in made['rows'] if it[0] == row[0]), None)
            self.expect(of is not None, f'{paper}: no row {row[0]}')
            for title, key in made['columns']:
                ref = f'{key}|{of[1]}' if made['across'] == 'on' else of[1] + key
                ref = re.sub(r'\|whole$', '', ref)
                here = row[head.index(title if title in head else title + ': here')]
                self.expect(here == self.cell(paper, ref) or not re.search(r'\d', here),
                            f'{paper}: {ref}: {here}, expected {self.cell(paper, ref)}')
                if title + ': there' in head and self.definitions[paper]['published'].get(ref):
                    there = row[head.index(title + ': there')]
                    self.expect(float(there) == self.definitions[paper]['published'][ref], f'{ref}: {there}')

    def cell(self, paper, ref):
        runs = [1000 * value for value in self.series(paper, ref)]
        if not any(runs):
            return '-'
        middle, mean = at_share(runs, 0.5), sum(runs) / len(runs)
        if self.patterns(paper, ref):
            low, high = at_share(runs, 0.25), at_share(runs, 0.75)
            return three(middle) + (f' ({three(low)}–{three(high)})' if high > low else '')
        return three(mean) + (f' ({three(middle)})' if abs(middle - mean) / mean > 0.05 else '')

    def there(self, paper, *refs):
        known = self.definitions[paper]['published']
        found = [known.get(ref, known.get(ref.rsplit('|', 1)[0] if ref.count('|') == 2 else ref))
                 for ref in refs]
        if None in found:
            return []
        return [found[1] / found[0] * (found[2] / found[3] if len(found) > 2 else 1)]

    def claim(self, paper, claim, rest):
        """Its numbers in the sentence; the verdict that they give."""
        cases = claim.get('cases') or [('', f'{on}|{a}', f'{on}|{b}') for on in claim['on']
                                       for a, b in claim['who']]
        lows, middles, highs, printed, at = [], [], [], [], []
        for case in cases:
            values = self.speeds(paper, *case[1:3])
            if len(case) > 3:
                values = [a / b for a, b in zip(values, self.speeds(paper, *case[3:5]))]
            if values:
                lows.append(at_share(values, 0.25))
                middles.append(at_share(values, 0.5))
                highs.append(at_share(values, 0.75))
                printed += self.there(paper, *case[1:])
                at.append(case[0])
        kind, bound = claim.get('kind'), claim.get('bound', 1)
        if kind == 'cross':
            return self.cross(claim, [float(it) for it in at], middles, rest)
        if kind == 'reach':
            best = middles.index(max(middles))
            self.numbers(rest, [three(middles[best]), three(min(middles))])
            return self.word([self.answer(kind, bound, lows[best], highs[best])])
        answers = [self.answer(kind, bound, low, high) for low, high in zip(lows, highs)]
        counts = []
        if len(answers) > 1:
            yes, no, open_ = (sum(it is want for it in answers) for want in (True, False, None))
            counts = [len(answers)] if yes == len(answers) else ([yes] if yes else []) + [len(answers)]
            counts += [no] if no and yes else []
            counts += [open_] if open_ else []
        said = re.findall(NUMBER, claim['there']) if 'there' in claim else self.span(printed)
        self.numbers(rest, [str(it) for it in counts] + self.span(middles) + said)
        return self.word(answers)

    @staticmethod
    def span(values):
        return sorted({three(v) for v in (values and [min(values), max(values)])}, key=float)

    def numbers(self, rest, expected):
        plain = re.split(r'\.(?: |$)', re.sub(r'\([^()]*\)', '', rest))[0]
        found = re.findall(NUMBER, plain)
        self.expect(found == expected, f'{found}, expected {expected}: {rest}')

    def cross(self, claim, at, values, rest):
        found = None
        for i in range(1, len(values)):
            if found is None and values[i - 1] < 1 <= values[i]:
                share = math.log(1 / values[i - 1], values[i] / values[i - 1])
                found = at[i - 1] * (at[i] / at[i - 1]) ** share
        self.numbers(rest, [str(int(float(three(found))))] if found
                     else [str(int(at[0])), str(int(at[-1]))])
        if 'bound' not in claim:
            return 'ours'
        away = max(found / claim['bound'], claim['bound'] / found) / 2 if found else 99
        return self.word([True if away <= 1 / 1.05 else False if away >= 1.05 else None])

    @staticmethod
    def answer(kind, bound, low, high):
        if kind == 'most':
            return True if high * 1.05 <= bound else False if low >= bound * 1.05 else None
        if kind == 'equal':
            return True if 1 / 1.05 <= low and high <= 1.05 else None if low <= 1 <= high else False
        if kind == 'no slower':
            return True if low * 1.05 >= 1 else False if high * 1.05 < 1 else None
        return True if low / bound >= 1.05 else False if high / bound <= 1 / 1.05 else None

    @staticmethod
    def word(answers):
        yes, no, open_ = (sum(it is want for it in answers) for want in (True, False, None))
        if yes and no:
            return 'partly'
        if (yes or no) < open_ or not (yes or no):
            return 'undecided'
        return 'reproduced' if yes else 'not reproduced'

    # ---- the overview

    def overview(self):
        part = re.search(r'<!-- begin overview -->(.*?)<!-- end overview -->', self.page, re.S).group(1)
        shown = [line for line in part.splitlines() if line.startswith('|[')]
        for (paper, counts), line in zip(sorted(self.counts.items(), key=lambda it: self.at(part, it[0])),
                                         shown):
            cells = [cell.strip() for cell in line[1:-1].split('|')]
            found = dict((word, int(count)) for count, word in re.findall(
                r'(\d+) (reproduced|partly|not reproduced|undecided)', cells[3]))
            self.expect(self.page.count(f'|{cells[2]}') == 2, f'not among the sentences: {cells[2]}')
            self.expect(found == counts, f'{paper}: {found}, expected {counts}')
            word = next(iter(counts)) if len(counts) == 1 else 'partly'
            self.expect(cells[3].startswith(f'**{word}**: '), f'{paper}: {cells[3]}, expected {word}')
            ratios = [rival / own for own, rival, *_ in self.compared(paper)]
            ahead = [str(sum(it >= 1 for it in ratios)), str(len(ratios)), three(min(ratios)),
                     three(max(ratios))] if ratios else []
            self.expect(re.findall(NUMBER, cells[4]) == ahead, f'{paper}: {cells[4]}, expected {ahead}')
        every = [it for paper in self.counts for it in self.compared(paper)]
        lost, medians = [it for it in every if it[0] > it[1]], sum(it[3] for it in every)
        said = re.search(r'"trawl beside it" compares.*', part).group(0)
        self.expect([int(it) for it in re.findall(NUMBER, said)] == [len(every)] + ([
            len(lost), medians, sum(it[4] for it in lost)] if lost or medians else []), said)
        lines = [line for line in part.splitlines() if line.startswith('- ') and 'Why: ' in line]
        self.expect(len(lines) == len(lost), f'{len(lines)} losses, expected {len(lost)}')
        for own, rival, (paper, row, place), _, everywhere in lost:
            line = next((line for line in lines if re.match(
                re.escape(f"- {paper}, {place}, {row}{'*' * everywhere}") + ': trawl takes ' + three(1000 * own)
                + ' ms, .* ' + three(1000 * rival) + r' ms\. Why: ', line)), '')
            self.expect(line, f'{paper}, {row}, {place}: {own}, {rival}')
            known = self.reasons(paper, row)
            for number in re.findall(NUMBER, line.partition('Why: ')[2]):
                self.expect(number in known, f'{number} in {line}')

    def reasons(self, paper, name):
        """All that a reason may say of a row, or of the same one with few occurrences."""
        found, other = set(), self.rows.get((paper, name.replace('dense', 'sparse')))
        few = [1000 * sum(it['seconds']) / len(it['seconds'])
               for it in (other or {'results': []})['results'] if it.get('seconds')]
        for row in (self.rows[(paper, name)], other):
            levels, each = [], []
            for it in row['results'] if row else []:
                if self.result(paper, f"{row['name']}|{it['name']}") is it:
                    mean = {key: 1000 * sum(value) / len(value) for key, value in it.items()
                            if key != 'children' and isinstance(value, list)}
                    rest = mean['seconds'] - mean.get('plan', 0)
                    levels += [*mean.values(), rest, rest - mean.get('search', 0), 1000 * min(it['seconds']),
                               mean['seconds'] - mean.get('copy_in', 0) - mean.get('kernel', 0)]
                    found |= {str(it.get('chunks')), str(it.get('occurrences')), str(row['answers'])}
                    each.append((mean['seconds'], it.get('occurrences')))
            found |= {three(abs(level)) for level in levels}
            found |= {three((a - b) * 1e6 / count) for a, count in each if count for b in few if b < a}
        return found

    def at(self, part, paper):
        return part.find('[' + self.definitions[paper]['title'].split(':')[0])

    def compared(self, paper):
        """The best mean of trawl and of the source, by row and kind of processor; is trawl's median the longer
        one; is the source's mean less than all of trawl's but a command's?"""
        found = []
        for (of, name), row in self.rows.items():
            own = [sum(it['seconds']) / len(it['seconds']) for it in row['results']
                   if it['side'] == 'own' and it['host'] != 'command'
                   and self.result(of, f"{name}|{it['name']}") is it]
            for place, hosts in (('one core', ['one core']), ('all cores', ['all cores']),
                                 ('GPU', ['GPU', 'GPU, own']), ('whole process', ['command'])):
                best, middle = {}, {}
                for it in row['results'] if of == paper else []:
                    if it['host'] in hosts and self.result(paper, f"{name}|{it['name']}") is it:
                        mean = sum(it['seconds']) / len(it['seconds'])
                        best[it['side']] = min(best.get(it['side'], mean), mean)
                        median = at_share(it['seconds'], 0.5)
                        middle[it['side']] = min(middle.get(it['side'], median), median)
                if 'own' in best and 'published' in best:
                    found.append((best['own'], best['published'], (paper, name, place),
                                  middle['own'] > middle['published'],
                                  place != 'whole process' and min(own) > best['published']))
        return found


def faults(page, data, definitions):
    check = Check(page, data, definitions)
    check.overview()
    return check.faults


def read(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)
