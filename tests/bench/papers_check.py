"""papers_check: does the JSON of `trawl-bench papers` hold what it must? papers_check.py JSON CSV
no-gpu|gpu [STATE...]: the device's cells are of these states (measured, unless more are named)."""

import csv
import json
import statistics
import sys

PAPERS = {'pss': 5, 'bmh': 3, 'swift': 6, 'word': 3, 'records': 6}  # tables of each


def cells_of(table):
    cells = table['cells']
    assert len(cells) == len(table['rows']), table['title']
    for row in cells:
        assert len(row) == len(table['columns']), table['title']
        yield from row


def time_of(figure, part, means):
    average = statistics.mean if means else statistics.median
    return average(figure[part + '_seconds']) * figure['factor']


def is_near(a, b):
    return abs(a - b) <= 1e-3 * abs(b)


def check_cell(cell, figures, states, means):
    """The cell is of a state it may be of, and its number is that of its runs."""
    if cell['kind'] in ('empty', 'published'):
        assert cell['kind'] == 'empty' or cell['value'] > 0, cell
        return
    figure, part = figures[cell['figure']], cell['part']
    assert cell['state'] in states and cell['state'] == figure['state'], cell
    if cell['state'] != 'measured':
        assert 'value' not in cell and figure['note'], cell
        return
    assert figure['whole_seconds'] and min(figure['whole_seconds']) > 0, figure
    if cell['kind'] in ('child grids', 'refused launches', 'withheld launches'):
        assert cell['value'] >= 0, cell
    elif cell['kind'] == 'speed-up':
        base = time_of(figures[cell['base']], part, means)
        assert is_near(cell['value'], base / time_of(figure, part, means)), cell
    elif part + '_seconds' in figure:
        assert is_near(cell['value'] * 1e-3, time_of(figure, part, means)), cell
    else:
        assert 'value' not in cell, cell


def check_parts(table):
    """Means, which add up to the total."""
    for name, row in zip(table['rows'], table['cells']):
        if 'value' not in row[-1]:
            continue
        parts = sum(cell['value'] for cell in row[:-1])
        assert abs(parts - row[-1]['value']) <= 1e-5 * row[-1]['value'] + 1e-5, name


def check_claim(claim, figures):
    """The number of cases that are so, worked out once more."""
    if claim['kind'] != 'ratio':
        return
    known = holds = 0
    for case in claim['cases']:
        sides = [(figures[case[side]], case[side + '_part']) for side in ('left', 'right')]
        if any(f['state'] != 'measured' or part + '_seconds' not in f for f, part in sides):
            continue
        left, right = (time_of(f, part, False) for f, part in sides)
        if left <= 0 or right <= 0:
            continue
        known += 1
        value = left / right
        holds += value >= claim['bound'] if claim['at_least'] else value < claim['bound']
    assert (known, holds) == (claim['known'], claim['holds']), claim
    assert (known > 0) == bool(claim['sentence']), claim
    assert claim['sentence'].startswith('Ours: ') == bool(claim['ours'] and known), claim


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        results = json.load(file)
    has_gpu = sys.argv[3] == 'gpu'
    states = {'measured', *sys.argv[4:]} if has_gpu else {'measured', 'no GPU'}
    papers = {paper['paper']: paper for paper in results['papers']}
    assert set(papers) == set(PAPERS), set(papers)
    assert results['wrong'] == 0 and results['failed'] == 0 and results['answers_compared'] > 0
    assert (results['gpu'] == 'none') != has_gpu and bool(results['no_gpu_because']) != has_gpu
    seen, cell_count = set(), 0
    for name, paper in papers.items():
        assert len(paper['tables']) == PAPERS[name], name
        assert paper['claims'] and paper['notes'] and paper['source'], name
        for claim in paper['claims']:
            check_claim(claim, paper['figures'])
        for table in paper['tables']:
            if table['means']:
                check_parts(table)
            for cell in cells_of(table):
                check_cell(cell, paper['figures'], states, table['means'])
                seen.add(cell.get('state', cell['kind']))
                cell_count += cell['kind'] != 'empty'
        if has_gpu and name == 'swift':
            assert sum(figure['child_grids'] for figure in paper['figures']) > 0
        assert any(claim['sentence'] for claim in paper['claims']), name
    assert {'measured', 'published'} <= seen, seen
    assert ('no GPU' in seen) != has_gpu, seen
    with open(sys.argv[2], encoding='utf-8', newline='') as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == cell_count, (len(rows), cell_count)
    assert all(row['value'] for row in rows if row['state'] == 'published')
    print(cell_count, 'cells', sorted(seen))


main()
