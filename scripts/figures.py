#!/usr/bin/env python3
"""figures: write what is made from docs/measurements: the tables of docs/comparison.md and the plot
of README.md.

figures.py [--root FOLDER] [--check]   --check: say what differs from the measurements, write nothing
Exit status 0: written, or as written; 1: not as written. `./dev bench docs` measures, and runs this.
"""

import argparse
import json
import os
import statistics
import sys
from xml.sax.saxutils import escape

MEASUREMENTS = 'docs/measurements'
PAGE = 'docs/comparison.md'
PLOT = 'docs/measurements/commands.svg'
PEERS = ('grep -F', 'rg -F', 'rg --no-mmap', 'ugrep -F')
# Rows of the plot: their name in commands.json, and what they are to a reader.
PLOTTED = (
    ('rare word -c, 2 threads', 'count lines with a rare word'),
    ('frequent word -c', 'count lines with "the"'),
    ('frequent word -n', 'print lines with "the", numbered'),
    ('frequent word -o', 'print every "the"'),
    ('frequent word -c -i', 'count, case ignored'),
    ('DNA lines m=16 -c', 'DNA, 16 bases, lines of 70'),
    ('one line m=16 -c', 'DNA, all in one line'),
    ('pipe, rare word -c', 'from a pipe'),
)
SETS = ('trawl, one core', 'Hyperscan, one core', 'aho-corasick (Rust), one core')
SET_COMMANDS = ('trawl -c -f', 'grep -F -c -f', 'rg -F -c -f')


def spread_line(runs):
    """(slowest - fastest) / median of a figure's runs: the median over all figures, and the largest."""
    spreads = [(max(run) - min(run)) / statistics.median(run) for run in runs if len(run) > 1]
    if not spreads:
        return '- one run of each'
    return (f'- spread of the runs of a figure: {100 * statistics.median(spreads):.0f} % is the median '
            f'of all figures, {100 * max(spreads):.0f} % the largest')


def machine_lines(data):
    machine = data['machine']
    return [
        f"- {machine['processor']}, {machine['cores']} cores, {machine['system']}",
        f"- texts of {machine['text_bytes'] / 2**20:.0f} MiB",
        f"- {machine['date']}, commit {machine['commit']}, `{machine['command']}`",
    ]


# ---- Tables -------------------------------------------------------------------------------------


def median(row, name):
    """Seconds; None: it did not run there, or gave another answer."""
    runner = row['runners'].get(name)
    return runner['median_seconds'] if runner and runner['same_answer'] else None


def times(seconds, trawl):
    return '-' if seconds is None else f'{seconds / trawl:.2f}'


def commands_section(data):
    rows = [row for row in data['rows'] if 'cat' not in row['runners']]
    lines = machine_lines(data)
    versions = ', '.join(data['versions'][name].split(' x86')[0] for name in PEERS[:1] + PEERS[1:2]
                         + PEERS[3:] if name in data['versions'])
    lines += [spread_line([runner['seconds'] for row in rows for runner in row['runners'].values()])]
    lines += [f'- {versions}', '']
    lines += ['| row | trawl, seconds | ' + ' | '.join(f'{name} x' for name in PEERS) + ' |']
    lines += ['|---|--:|' + '--:|' * len(PEERS)]
    behind = []
    for row in rows:
        trawl = median(row, 'trawl')
        peers = {name: median(row, name) for name in PEERS}
        lines.append(f"| {row['name']} | {trawl:.5f} | " +
                     ' | '.join(times(peers[name], trawl) for name in PEERS) + ' |')
        faster = {name: seconds for name, seconds in peers.items()
                  if seconds is not None and seconds < trawl}
        if faster:
            best = min(faster, key=faster.get)
            behind.append(f"{row['name']} ({best} {times(faster[best], trawl)})")
    lines += ['', f'trawl is the fastest in {len(rows) - len(behind)} of {len(rows)} rows.' +
              (' Another is faster in: ' + '; '.join(behind) + '.' if behind else '')]
    return lines


def set_cells(row, names):
    """Seconds to compile and GB/s of each contestant; None: not measured, or wrong."""
    for name in names:
        found = [it for it in row['results'] if it['contestant'] == name]
        if not found or not found[0]['seconds'] or not found[0]['right']:
            yield None, None
            continue
        compiling = found[0]['compile_seconds']
        yield (statistics.median(compiling) if compiling else None,
               row['text_bytes'] / statistics.median(found[0]['seconds']) / 1e9)


def sets_section(data):
    lines = machine_lines(data)
    lines += [spread_line([it['seconds'] for row in data['rows'] for it in row['results']]), '']
    lines += ['| set | ' + ' | '.join(f'{name}, GB/s | compile ms' for name in SETS) + ' | ' +
              ' | '.join(f'`{name}`, GB/s' for name in SET_COMMANDS) + ' |']
    lines += ['|---|' + '--:|' * (2 * len(SETS) + len(SET_COMMANDS))]
    behind = []
    for row in data['rows']:
        cells = list(set_cells(row, SETS))
        speeds = [speed for _, speed in cells]
        if any(speed is not None and speed > speeds[0] for speed in speeds[1:]):
            behind.append(row['name'])
        texts = ['-' if speed is None else f'{speed:.3g} | {1000 * seconds:.3g}'
                 for seconds, speed in cells]
        texts = [text if text != '-' else '- | -' for text in texts]
        texts += ['-' if speed is None else f'{speed:.3g}'
                  for _, speed in set_cells(row, SET_COMMANDS)]
        lines.append(f"| {row['name']} | " + ' | '.join(texts) + ' |')
    lines += ['', f"With one core, trawl is the fastest in {len(data['rows']) - len(behind)} of "
              f"{len(data['rows'])} rows." + (' Another is faster in: ' + '; '.join(behind) + '.' if behind else '')]
    return lines


def put_section(page, name, lines):
    """The page with these lines between the markers of that name."""
    begin, end = f'<!-- begin {name} -->', f'<!-- end {name} -->'
    before, _, rest = page.partition(begin + '\n')
    _, found, after = rest.partition(end)
    if not found:
        sys.exit(f"figures: {PAGE} has no markers for '{name}'")
    return before + begin + '\n\n' + '\n'.join(lines) + '\n\n' + end + after


# ---- The plot -----------------------------------------------------------------------------------

LABEL, BARS, BAR, GAP, TOP = 230, 400, 11, 12, 58
COLORS = (('trawl', '#1f6f8b'), ('ripgrep', '#d98e04'), ('GNU grep', '#9a9a9a'))


def bars_of(row):
    """GB/s of trawl, of ripgrep in its better way, and of grep."""
    best_rg = [s for s in (median(row, 'rg -F'), median(row, 'rg --no-mmap')) if s is not None]
    seconds = (median(row, 'trawl'), min(best_rg, default=None), median(row, 'grep -F'))
    return [row['text_bytes'] / s / 1e9 if s else 0 for s in seconds]


def plot(data):
    rows = {row['name']: row for row in data['rows']}
    machine = data['machine']
    bars = [(label, bars_of(rows[name])) for name, label in PLOTTED if name in rows]
    if not bars:
        sys.exit('figures: commands.json has none of the rows that are drawn')
    most = max(max(values) for _, values in bars)
    size = f"{machine['text_bytes'] / 2**30:g} GiB"
    height = TOP + len(bars) * (3 * BAR + GAP) + 8
    width = LABEL + BARS + 60
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<text x="12" y="18" font-size="13">Whole commands on a file of {size} in the page '
           f'cache, GB/s: longer is better</text>',
           f'<text x="12" y="33" fill="#666">{escape(machine["processor"])}, {machine["cores"]} '
           f'cores, which trawl uses for one file and the others do not; {machine["date"]}, '
           f'commit {machine["commit"]}</text>']
    x = LABEL
    for name, color in COLORS:
        out.append(f'<rect x="{x}" y="41" width="10" height="10" fill="{color}"/>')
        out.append(f'<text x="{x + 14}" y="50">{name}</text>')
        x += 90
    y = TOP
    for label, values in bars:
        out.append(f'<text x="{LABEL - 8}" y="{y + 2 * BAR - 1}" text-anchor="end">'
                   f'{escape(label)}</text>')
        for (_, color), value in zip(COLORS, values):
            length = value / most * BARS
            out.append(f'<rect x="{LABEL}" y="{y}" width="{length:.1f}" height="{BAR - 1}" '
                       f'fill="{color}"/>')
            out.append(f'<text x="{LABEL + length + 4:.1f}" y="{y + BAR - 2}" font-size="9">'
                       f'{value:.1f}</text>')
            y += BAR
        y += GAP
    return '\n'.join(out + ['</svg>', ''])


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument('--root', default='.')
    parser.add_argument('--check', action='store_true')
    arguments = parser.parse_args()

    def read(path):
        with open(os.path.join(arguments.root, path), encoding='utf-8') as file:
            return file.read()

    commands, sets = (json.loads(read(f'{MEASUREMENTS}/{name}.json')) for name in ('commands', 'sets'))
    page = put_section(read(PAGE), 'commands', commands_section(commands))
    page = put_section(page, 'sets', sets_section(sets))
    wrong = False
    for path, text in ((PAGE, page), (PLOT, plot(commands))):
        there = os.path.exists(os.path.join(arguments.root, path))
        if there and read(path) == text:
            continue
        if arguments.check:
            print(f'{path} is not what the measurements say (python3 scripts/figures.py)')
            wrong = True
        else:
            with open(os.path.join(arguments.root, path), 'w', encoding='utf-8') as file:
                file.write(text)
            print(f'written: {path}')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
