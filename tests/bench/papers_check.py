"""papers_check: recomputes docs/papers.md from the results, by code that shares nothing with the program that
made the page: each cell of each table, each verdict with its figures, the number of child grids, and where
trawl is ahead and behind. tools/bench/papers_facts.json has the names of rows and contestants, and the claims."""
import functools
import math
import re
from decimal import ROUND_HALF_EVEN, Decimal

NUMBER = r'\d+(?:\.\d+)?'


@functools.lru_cache(None)
def three(value):
    """Return the value with three significant digits, and four decimal places at most."""
    places = 0 if value == 0 or abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 \
        else 3 if abs(value) >= 0.1 else 4
    return str(Decimal(value).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN))


def at_share(values, share):
    """Return the value at place (n + 1) * share of the sorted values, interpolated between two neighbours."""
    values = sorted(values)
    place = max(min((len(values) + 1) * share, len(values)), 1) - 1
    low = min(int(place), max(len(values) - 2, 0))
    rest = values[min(low + 1, len(values) - 1)] - values[low]
    return values[low] + rest * (place - low)


class Check:
    def __init__(self, page, data, definitions):
        self.page, self.definitions, self.faults = page, definitions, []
        known = {(paper, on, name): side for paper, facts in definitions.items() for it in facts['who']
                 for on in it['on'] for name, _, side in it['who']}
        self.rows = {}
        for row in data['rows']:
            key = (row['paper'], row['name'])
            kept = [{**it, 'side': known[(*key, it['name'])]} for it in row['results'] if (*key, it['name']) in known]
            if kept:
                self.rows[key] = {**row, 'results': kept}
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
        work = it.get('host_work', [0] * len(it['seconds']))
        if part == 'unsorted':
            return [whole - part for whole, part in zip(it['seconds'], work)]
        return work if part == 'sorting' else it.get(part, [])

    def patterns(self, paper, ref):
        return 'patterns' in self.rows[(paper, ref.split('|')[0])]

    # ---- one publication

    def paper(self, paper, text):
        facts = self.definitions[paper]
        blocks = [it for it in re.findall(r'((?:^\|.*\n)+)', text, re.M) if not it.startswith('|claim|')]
        tables = [[[cell.strip() for cell in line[1:-1].split('|')]
                   for line in block.splitlines()] for block in blocks]
        self.expect(len(tables) == len(facts['tables']), f'{paper}: {len(tables)} tables')
        for made, shown in zip(sorted(facts['tables'], key=lambda it: bool(it.get('fold'))), tables):
            self.table(paper, made, shown)
            self.runs_said(paper, made, text)
        keys = [self.rows[paper, on]['answers'] for on in ('I: METU, book', 'II: Bilbo, book') if (paper, on) in self.rows]
        said = re.search(r'METU occurs (\d+) times in the book here, Bilbo (\d+) times', text)
        self.expect(len(keys) < 2 or (said and [int(it) for it in said.groups()] == keys), f'{paper}: keys {keys}')
        self.claims(paper, facts, text)
        grids = [one for (of, _), row in self.rows.items() if of == paper for it in row['results']
                 for one in it.get('children', [])]
        if grids:
            said = re.search('A search launched (.*)', re.sub(r'\(.*?\)', '', text))
            self.expect(said and [int(it) for it in re.findall(NUMBER, said.group(1))] == [
                min(it[0] for it in grids), max(it[0] for it in grids), sum(it[1] for it in grids),
                sum(it[2] for it in grids), sum(map(sum, grids))], f'{paper}: child grids')

    def table(self, paper, made, shown):
        head, lines = shown[0], shown[2:]
        for row in lines:
            of = next((it for it in made['rows'] if it[0] == row[0]), None)
            self.expect(of is not None, f'{paper}: no row {row[0]}')
            for title, key, *part in made['columns']:
                ref = f'{key}|{of[1]}' if made['across'] == 'on' else of[1] + key
                if part:
                    ref = '|'.join(ref.split('|')[:2]) + part[0]
                here = row[head.index(title if title in head else title + ': here')]
                expected = self.cell(paper, ref)
                self.expect(here == expected or (expected == '-' and not re.search(r'\d', here)),
                            f'{paper}: {ref}: {here}, expected {expected}')
                printed = self.printed(paper, ref)
                if title + ': there' in head and printed:
                    there = row[head.index(title + ': there')]
                    self.expect(float(there) == printed, f'{ref}: {there}')

    def runs_said(self, paper, made, text):
        """Check the number of runs, or of patterns, that the head of a table names."""
        counts = set()
        for row in made['rows']:
            for _, key, *part in made['columns']:
                ref = f'{key}|{row[1]}' if made['across'] == 'on' else row[1] + key
                it = self.result(paper, '|'.join(ref.split('|')[:2]))
                counts.update([len(it['seconds'])] if it else [])
        said = re.search(re.escape(made['title']) + r' \((.*?runs?|.*?patterns)\)', text)
        said = [int(it) for it in re.findall(r'\d+', re.sub('.*;', '', said.group(1)))] if said else []
        self.expect(said == sorted({min(counts), max(counts)} if counts else []), f'{paper}: {made["title"]}: {said} runs')

    # ---- claims

    def printed(self, paper, ref):
        return self.definitions[paper]['published'].get(re.sub(r'\|unsorted$', '', ref))

    def seconds(self, paper, ref):
        runs = self.series(paper, ref)
        if not any(runs):
            return 0
        return at_share(runs, 0.5) if self.patterns(paper, ref) else sum(runs) / len(runs)

    def quotients(self, claim, seconds):
        """Yield (case, how many times as fast) for the cases whose times are known."""
        cases = claim.get('cases') or [(on, f'{on}|{a}', f'{on}|{b}') for on in claim['on'] for a, b in claim['who']]
        for case, *refs in cases:
            times = [seconds(ref) or 0 for ref in refs]
            if all(times):
                yield case, times[1] / times[0] * (times[2] / times[3] if len(times) > 2 else 1)

    @staticmethod
    def answers(claim, found):
        """Return in how many cells the claim holds, fails and stays undecided, and where a crossing lies."""
        bound, kind, values = claim.get('bound', 1), claim.get('kind', ''), [value for _, value in found]
        if kind == 'cross':
            over = [i for i in range(1, len(found)) if values[i - 1] < 1 <= values[i]]
            if not over:
                return 0, 1, 0, ''
            (x, a), (y, b) = [(math.log(float(case)), math.log(value))
                              for case, value in found[over[0] - 1:over[0] + 1]]
            at = math.exp(x + (y - x) * a / (a - b))
            far = abs(math.log(at / bound)) - math.log(2)
            near = math.log(1.05)
            return far <= -near, far >= near, -near < far < near, f'{at:.0f}'
        if kind == 'reach':
            values = [max(values)]
        low, high = (1 / 1.05, 1 / 1.05) if kind in ('equal', 'no slower') else (bound / 1.05, bound * 1.05)
        yes = [value >= high and (kind != 'equal' or value <= 1.05) for value in values]
        no = [not it and (value <= low or kind in ('equal', 'no slower')) for it, value in zip(yes, values)]
        return sum(yes), sum(no), len(values) - sum(yes) - sum(no), ''

    def judge(self, paper, claim):
        """Return the verdict, and the numbers that the claim's row has to show."""
        found = list(self.quotients(claim, lambda ref: self.seconds(paper, ref)))
        if not found:
            return 'not measured', []
        yes, no, open_, at = self.answers(claim, found)
        word = 'partly' if yes and no else 'reproduced' if yes and yes >= open_ else \
            'not reproduced' if no and no >= open_ else 'undecided'
        values = [value for _, value in found]
        if claim.get('kind') == 'cross':
            return word, [at] if at else [found[0][0], found[-1][0]]
        if claim.get('kind') == 'reach':
            return word, [three(max(values))]
        cells = [] if len(values) == 1 else [str(yes), str(len(values))]
        cells += [str(open_)] if open_ and len(values) > 1 else []
        return word, cells + list(dict.fromkeys([three(min(values)), three(max(values))]))

    def claims(self, paper, facts, text):
        for claim in facts['claims']:
            word, numbers = self.judge(paper, claim)
            if claim.get('ours') and word != 'not measured':
                word = 'ours'
            line = re.search(rf'^\|{re.escape(claim["say"])}\|(.*)\|$', text, re.M | re.I)
            verdict, held, here, there = line.group(1).split('|') if line else [''] * 4
            shown = re.findall(NUMBER, f'{held} {here}') if verdict == word else None
            self.expect(shown == numbers, f'{paper}: {claim["say"]}: {word}: {shown}, expected {numbers}')
            if not claim.get('cases') and not claim.get('there'):
                printed = [value for _, value in self.quotients(claim, lambda ref: self.printed(paper, ref))]
                there = re.findall(NUMBER, there)
                self.expect(not printed or there == list(dict.fromkeys([three(min(printed)), three(max(printed))]))
                            or word == 'not measured', f'{paper}: {claim["say"]}: there {there}')

    def cell(self, paper, ref):
        runs = [1000 * value for value in self.series(paper, ref)]
        if not any(runs):
            return '-'
        middle, mean = at_share(runs, 0.5), sum(runs) / len(runs)
        if self.patterns(paper, ref):
            low, high = at_share(runs, 0.25), at_share(runs, 0.75)
            return three(middle) + (f' ({three(low)}–{three(high)})' if high > low else '')
        return three(mean) + (f' ({three(middle)})' if abs(middle - mean) / mean > 0.05 else '')

    # ---- the overview

    def overview(self):
        part = re.search(r'<!-- begin overview -->(.*?)<!-- end overview -->', self.page, re.S).group(1)
        count, behind = 0, []
        for paper, facts in self.definitions.items():
            line = next(line for line in part.splitlines()
                        if line.startswith('|[' + facts['title'].split(':')[0]))
            found = self.compared(paper)
            ratios = [ratio for _, ratio in found]
            self.headline(paper, facts, part, line)
            expected = [str(sum(it >= 1 for it in ratios)), str(len(ratios)), three(min(ratios)),
                        three(max(ratios))] if ratios else []
            shown = re.findall(NUMBER, line[:-1].rpartition('|')[2])
            self.expect(shown == expected, f'{paper}: {shown}, expected {expected}')
            count += len(ratios)
            behind += [f'{name} ({three(ratio)} ×)' for name, ratio in found if ratio < 1]
        said = re.search(r'slower in (\d+) of (\d+) comparisons(?:: (.*))?\.', part)
        self.expect(said and sorted((said.group(3) or '').split('; ')) == sorted(behind or [''])
                    and said.group(1, 2) == (str(len(behind)), str(count)), f'behind: {behind}')

    def headline(self, paper, facts, part, line):
        """Check the sentence of the main claim, and how many of the other claims have each verdict."""
        words = [self.judge(paper, claim) for claim in facts['claims'] if not claim.get('ours')]
        main = next(it for claim, it in zip([claim for claim in facts['claims'] if not claim.get('ours')], words)
                    if claim.get('main'))
        said = re.search(rf'\*\*\[{re.escape(facts["title"].split(":")[0])}\].*?\*\* (.*)', part).group(1)
        rest = said[len('Claim: ' + facts['says']):].split(', because')[0]
        self.expect(rest.lower().startswith(f'. {main[0]}') and re.findall(NUMBER, rest) == main[1]
                    and len(said.replace('×', '').split()) <= 40, f'{paper}: {said}, expected {main}')
        words.remove(main)
        others = ', '.join(f'{sum(it[0] == word for it in words)} {word}' for word in (
            'reproduced', 'partly', 'not reproduced', 'undecided', 'not measured') if word in [it[0] for it in words])
        cells = line.split('|')
        self.expect(cells[2:4] == [main[0], others], f'{paper}: {cells[2:4]}, expected {others}')

    def compared(self, paper):
        """Return, by row and kind of processor, the least mean time of the source's forms divided by trawl's."""
        found = []
        for (of, name), row in self.rows.items():
            for place, hosts in (('one core', ['one core']), ('all cores', ['all cores']),
                                 ('GPU', ['GPU', 'GPU, own']), ('whole process', ['command'])):
                best = {}
                for it in row['results'] if of == paper else []:
                    if it['host'] in hosts and self.result(paper, f"{name}|{it['name']}") is it:
                        mean = sum(it['seconds']) / len(it['seconds'])
                        side = {'suggested': 'published'}.get(it['side'], it['side'])
                        best[side] = min(best.get(side, mean), mean)
                if 'own' in best and 'published' in best:
                    found.append((f"{self.definitions[paper]['title'].split(':')[0]}, {name}, {place}", best['published'] / best['own']))
        return found


def faults(page, data, definitions):
    check = Check(page, data, definitions)
    check.overview()
    return check.faults
