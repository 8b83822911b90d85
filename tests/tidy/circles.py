#!/usr/bin/env python3
"""circles: checks that no files of a room need each other in a circle, directly or through other files of the
room. A file needs a file that defines a symbol which the first file uses.

circles.py OBJECT_FOLDER LIST ROOM...   LIST: a file with the paths of object files, one a line; ROOM: a
folder of object files, relative to OBJECT_FOLDER

Object files that LIST does not name are ignored, since their sources may no longer exist. Prints the files of
each circle; the exit status is 1 if there is a circle.
"""

import os
import re
import subprocess
import sys

from tree import source_of


def needs_of_objects(paths, folder):
    """Return for each file the files that define its undefined symbols; names are relative to the
    folder."""
    name_of = {
        path: source_of(re.sub(r'CMakeFiles/\w+\.dir/', '', os.path.relpath(path, folder)))
        for path in paths
    }
    symbols = {'-u': [], '--defined-only': []}
    for option, found in symbols.items():
        command = ['nm', '-A', '-P', '-g', option, *paths]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        for line in result.stdout.splitlines():
            path, name = line.split(': ', 1)
            found.append((name_of[path], name.split()[0]))
    owner = {symbol: name for name, symbol in symbols['--defined-only']}
    needs = {name: set() for name in name_of.values()}
    for name, symbol in symbols['-u']:
        needs[name].add(owner.get(symbol, name))
    return needs


def reached(needs, start):
    """Return the files that a file needs, directly and through other files."""
    seen, rest = set(), [start]
    while rest:
        for name in needs.get(rest.pop(), ()):
            if name not in seen:
                seen.add(name)
                rest.append(name)
    return seen


def circles(needs):
    """Return lists of files in which each file needs all other files."""
    needs = {name: used - {name} for name, used in needs.items()}
    reach = {name: reached(needs, name) for name in needs}
    return sorted(
        {
            tuple(sorted(other for other in reach[name] if name in reach[other]))
            for name in needs
            if name in reach[name]
        }
    )


def main():
    folder, path, *rooms = sys.argv[1:]
    with open(path, encoding='utf-8') as file:
        objects = [line for line in file.read().split('\n') if line.endswith('.c.o')]
    needs = needs_of_objects(objects, folder)
    findings = []
    for room in rooms:
        inside = {name for name in needs if name.startswith(room + '/')}
        if not inside:
            findings.append(f'{room}: no objects')
        for circle in circles({name: needs[name] & inside for name in inside}):
            findings.append(f'{room}: a circle: {" ".join(map(os.path.basename, circle))}')
    print('\n'.join(findings) if findings else f'{len(needs)} files')
    return 1 if findings else 0


sys.exit(main())
