"""papers_check: does the JSON of `trawl-bench papers` hold what it must? papers_check.py JSON CSV
no-gpu|gpu [STATE...]: the device's cells are of these states (measured, unless more are named)."""

import csv
import json
import sys

PAPERS = {'pss': 3, 'bmh': 1, 'swift': 4, 'word': 1, 'records': 4}  # tables of each


def cells_of(table):
    cells = table['cells']
    assert len(cells) == len(table['rows']), table['title']
    for row in cells:
        assert len(row) == len(table['columns']), table['title']
        yield from row


def mean(figure, part):
    samples = figure[part + '_seconds']
    return sum(samples) / len(samples) * figure['factor']


def is_near(a, b):
    return abs(a - b) <= 1e-3 * abs(b)


def check_cell(cell, figures, states):
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
    if cell['kind'] in ('child grids', 'refused launches'):
        assert cell['value'] >= 0, cell
    elif cell['kind'] == 'speed-up':
        assert is_near(cell['value'], mean(figures[cell['base']], part) / mean(figure, part)), cell
    elif figure[part + '_seconds']:
        scale = cell['value'] / mean(figure, part)
        assert is_near(scale, 1e3) or is_near(scale, 1e5), cell  # ms, or ms for 100 runs
    else:
        assert 'value' not in cell, cell


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
        assert paper['orderings'] and paper['notes'] and paper['source'], name
        for table in paper['tables']:
            for cell in cells_of(table):
                check_cell(cell, paper['figures'], states)
                seen.add(cell.get('state', cell['kind']))
                cell_count += cell['kind'] != 'empty'
        if has_gpu and name == 'swift':
            assert sum(figure['child_grids'] for figure in paper['figures']) > 0
        known = [ordering for ordering in paper['orderings'] if ordering['state'] != 'not measured']
        assert known and all(ordering['value'] >= 0 for ordering in known), name
    assert {'measured', 'published'} <= seen, seen
    assert ('no GPU' in seen) != has_gpu, seen
    with open(sys.argv[2], encoding='utf-8', newline='') as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == cell_count, (len(rows), cell_count)
    assert all(row['value'] for row in rows if row['state'] == 'published')
    print(cell_count, 'cells', sorted(seen))


main()
