#!/usr/bin/env python3
"""overview: draw the rooms of layers.txt and the includes between them as docs/overview.svg.

overview.py [--root FOLDER] [--check]   --check: say where the drawing differs from the includes
An arrow goes from a room to one that it includes. Those that follow from two others are left out:
a room that includes another may also include what that one includes. A room stands above all it
includes. Exit status 0: drawn, or as drawn; 1: not as drawn, or the rooms include each other in a
circle.
"""

import argparse
import os
import sys
from xml.sax.saxutils import escape

import c_source
import checks
from tree import C_SUFFIXES, Tree

DRAWING = 'docs/overview.svg'
# What a room is for, as in the table of docs/architecture.md; rooms that are not here are not drawn.
JOBS = {
    'public': ('include/trawl.h', 'all an outsider sees'),
    'base': ('src/base', 'status, memory, arithmetic'),
    'layout': ('plan/layout.h', 'structs that kernels read'),
    'want': ('src/want.h', 'count, hits, first, ...'),
    'plan': ('src/plan', 'patterns in, plan out'),
    'text': ('src/text', 'memory, file, stream'),
    'match': ('src/match', 'sinks, order'),
    'engine': ('src/engine.h', 'the table of an engine'),
    'cpu': ('src/cpu', 'the search on host cores'),
    'cuda': ('src/cuda', 'driver, devices, workers'),
    'kernels': ('cuda/kernels', 'one family per file'),
    'seam': ('kernels/simt.h', 'nvcc or a host compiler'),
    'gallery': ('gallery', 'published algorithms'),
    'shown': ('gallery/kernels', 'their kernels'),
    'runtime': ('src/runtime', 'workers, tasks, searches'),
    'list': ('runtime/engines.c', 'names every engine'),
    'tools': ('tools', 'command and bench'),
    'python': ('python', 'the Python package'),
}
BOX_WIDTH, BOX_HEIGHT, GAP_X, GAP_Y, MARGIN = 170, 46, 24, 44, 16


def arrows_of(tree):
    """{room: rooms it includes}, of those that are drawn."""
    rooms, _ = checks.rooms_and_rights(tree.layers_path)
    arrows = {room: set() for room in JOBS}
    for path in tree.files(C_SUFFIXES):
        room = checks.room_of(rooms, path)
        if room not in JOBS:
            continue
        for _, name, _ in c_source.includes(tree.read(path)):
            target = checks.resolve(tree, path, name)
            other = checks.room_of(rooms, target) if target is not None else None
            if other in JOBS and other != room:
                arrows[room].add(other)
    return arrows


def ranks_of(arrows):
    """How far each room stands above what includes nothing; None: there is a circle."""
    ranks = {}

    def rank(room, above):
        if room in above:
            return None
        if room not in ranks:
            below = [rank(other, above | {room}) for other in sorted(arrows[room])]
            if None in below:
                return None
            ranks[room] = 1 + max(below) if below else 0
        return ranks[room]

    return None if any(rank(room, frozenset()) is None for room in arrows) else ranks


def reached(arrows, room):
    found = set()
    rest = list(arrows[room])
    while rest:
        other = rest.pop()
        if other not in found:
            found.add(other)
            rest += arrows[other]
    return found


def reduced(arrows):
    """Without arrows that follow from two others."""
    return {
        room: {
            other
            for other in others
            if not any(other in reached(arrows, third) for third in others if third != other)
        }
        for room, others in arrows.items()
    }


def places_of(ranks):
    """{room: (x, y)} of the boxes' upper left corners, and the drawing's size."""
    rows = {}
    for room in JOBS:
        rows.setdefault(ranks[room], []).append(room)
    widest = max(len(row) for row in rows.values())
    width = 2 * MARGIN + widest * BOX_WIDTH + (widest - 1) * GAP_X
    top = max(rows)
    places = {}
    for rank, row in rows.items():
        used = len(row) * BOX_WIDTH + (len(row) - 1) * GAP_X
        for i, room in enumerate(row):
            x = (width - used) // 2 + i * (BOX_WIDTH + GAP_X)
            places[room] = (x, MARGIN + (top - rank) * (BOX_HEIGHT + GAP_Y))
    return places, width, 2 * MARGIN + (top + 1) * BOX_HEIGHT + top * GAP_Y


def draw(arrows, ranks):
    places, width, height = places_of(ranks)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" text-anchor="middle">',
        '<!-- Made by tests/tidy/overview.py from the includes of the sources. -->',
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#666"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for room, others in reduced(arrows).items():
        for other in sorted(others):
            (x1, y1), (x2, y2) = places[room], places[other]
            lines.append(
                f'<path d="M{x1 + BOX_WIDTH // 2} {y1 + BOX_HEIGHT}'
                f'L{x2 + BOX_WIDTH // 2} {y2}" stroke="#666" fill="none" '
                'marker-end="url(#head)"/>'
            )
    for room, (name, job) in JOBS.items():
        x, y = places[room]
        middle = x + BOX_WIDTH // 2
        lines += [
            f'<rect x="{x}" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="5" '
            'fill="#eef3f8" stroke="#345"/>',
            f'<text x="{middle}" y="{y + 19}" font-size="14">{escape(name)}</text>',
            f'<text x="{middle}" y="{y + 36}" font-size="11" fill="#444">{escape(job)}</text>',
        ]
    return '\n'.join([*lines, '</svg>', ''])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--root', default='.')
    parser.add_argument('--check', action='store_true')
    arguments = parser.parse_args()
    tree = Tree(arguments.root, 3 << 19)
    arrows = arrows_of(tree)
    ranks = ranks_of(arrows)
    if ranks is None:
        print('the rooms include each other in a circle')
        return 1
    drawing = draw(arrows, ranks)
    path = os.path.join(arguments.root, DRAWING)
    if not arguments.check:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(drawing)
        return 0
    with open(path, encoding='utf-8') as file:
        if file.read() == drawing:
            print(f'{sum(len(others) for others in arrows.values())} arrows, as drawn')
            return 0
    print(f'{DRAWING} is not what the includes say: run tests/tidy/overview.py')
    return 1


sys.exit(main())
