"""papers_check: docs/papers.md, recomputed from the results by code that shares nothing with its maker:
each cell of each table, the number of child grids, and where trawl is ahead and behind. Only the names
of rows and contestants come from tools/bench/papers.json."""
import functools
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
        return it.get(part, [])

    def patterns(self, paper, ref):
        return 'patterns' in self.rows[(paper, ref.split('|')[0])]

    # ---- one publication

    def paper(self, paper, text):
        facts = self.definitions[paper]
        blocks = re.findall(r'((?:^\|.*\n)+)', text, re.M)
        tables = [[[cell.strip() for cell in line[1:-1].split('|')]
                   for line in block.splitlines()] for block in blocks]
        self.expect(len(tables) == len(facts['tables']), f'{paper}: {len(tables)} tables')
        for made, shown in zip(facts['tables'], tables):
            self.table(paper, made, shown)
        grids = [one for (of, _), row in self.rows.items() if of == paper for it in row['results']
                 for one in it.get('children', [])]
        if grids:
            said = re.search('A search started (.*)', re.sub(r'\(.*?\)', '', text))
            self.expect(said and [int(it) for it in re.findall(NUMBER, said.group(1))] == [
                min(it[0] for it in grids), max(it[0] for it in grids), sum(it[1] for it in grids),
                sum(it[2] for it in grids), sum(map(sum, grids))], f'{paper}: child grids')

    def table(self, paper, made, shown):
        head, lines = shown[0], shown[2:]
        for row in lines:
            of = next((it for it in made['rows'] if it[0] == row[0]), None)
            self.expect(of is not None, f'{paper}: no row {row[0]}')
            for title, key in made['columns']:
                ref = f'{key}|{of[1]}' if made['across'] == 'on' else of[1] + key
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

    # ---- the overview

    def overview(self):
        part = re.search(r'<!-- begin overview -->(.*?)<!-- end overview -->', self.page, re.S).group(1)
        count, behind = 0, []
        for paper, facts in self.definitions.items():
            line = next(line for line in part.splitlines()
                        if line.startswith('|[' + facts['title'].split(':')[0]))
            found = self.compared(paper)
            ratios = [ratio for _, ratio in found]
            expected = [str(sum(it >= 1 for it in ratios)), str(len(ratios)), three(min(ratios)),
                        three(max(ratios))]
            shown = re.findall(NUMBER, line[:-1].rpartition('|')[2])
            self.expect(shown == expected, f'{paper}: {shown}, expected {expected}')
            count += len(ratios)
            behind += [f'{name} ({three(ratio)} ×)' for name, ratio in found if ratio < 1]
        said = re.search(r'(\d+) comparisons\. trawl is behind in (\d+): (.*)\.', part)
        self.expect(said and sorted(said.group(3).split('; ')) == sorted(behind)
                    and said.group(1, 2) == (str(count), str(len(behind))), f'behind: {behind}')

    def compared(self, paper):
        """By row and kind of processor, the best mean of the source divided by trawl's."""
        found = []
        for (of, name), row in self.rows.items():
            for place, hosts in (('one core', ['one core']), ('all cores', ['all cores']),
                                 ('GPU', ['GPU', 'GPU, own']), ('whole process', ['command'])):
                best = {}
                for it in row['results'] if of == paper else []:
                    if it['host'] in hosts and self.result(paper, f"{name}|{it['name']}") is it:
                        mean = sum(it['seconds']) / len(it['seconds'])
                        best[it['side']] = min(best.get(it['side'], mean), mean)
                if 'own' in best and 'published' in best:
                    found.append((f'{paper}, {name}, {place}', best['published'] / best['own']))
        return found


def faults(page, data, definitions):
    check = Check(page, data, definitions)
    check.overview()
    return check.faults
