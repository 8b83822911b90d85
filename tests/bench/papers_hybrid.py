"""papers_hybrid: do the hybrids' thresholds in kernels.def follow from the sweep that was measured?
papers_hybrid.py JSON KERNELS.DEF"""

import json
import re
import sys


def threshold(table, name):
    """The length from which on the longer form was faster, as kernels.def has it."""
    shared = table['columns'].index(name + '-shared')
    chunking = table['columns'].index(name + '-swift-chunking')
    first = 'NEVER'
    for length, row in reversed(list(zip(table['rows'], table['cells']))):
        if row[chunking]['value'] >= row[shared]['value']:
            break
        first = length
    return first


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        results = json.load(file)
    with open(sys.argv[2], encoding='utf-8') as file:
        kernels = file.read()
    swift = next(paper for paper in results['papers'] if paper['paper'] == 'swift')
    table = next(table for table in swift['tables'] if 'threshold' in table['title'])
    device = results['gpu'].split(',')[0]
    for name in 'bf', 'qs', 'hp':
        row = f'MEASURED("{device}", {name.upper()}_HYBRID, {threshold(table, name)})'
        assert row in re.sub(r'\s+', ' ', kernels), f'kernels.def has no row {row}'


main()
