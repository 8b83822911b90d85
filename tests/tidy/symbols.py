#!/usr/bin/env python3
"""symbols: the layer law of layers.txt again, as the linker sees it.

symbols.py OBJECT_FOLDER [LIST]   objects of the library, in the folders of src/; those that the file
                                  LIST names, where others may be left of sources that are gone:
                                  in OBJECT_FOLDER/TARGET.dir

An object may use what its own room, or a room it may include, defines, and whatever the library
does not define at all. base and plan together must need nothing but the C library. An `extern`
written by hand gets past the includes, not past this.
"""

import glob
import os
import re
import subprocess
import sys

import checks
from tree import HERE, source_of

# Given by the compiler or the linker, not by a library.
LINKER_NAMES = {'_GLOBAL_OFFSET_TABLE_'}
CLOSED_ROOMS = ('base', 'plan')


def nm(paths, *arguments):
    """By path the names printed by nm, versions cut off."""
    command = ['nm', '-A', '-P', *arguments, *paths]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    names = {path: set() for path in paths}
    for line in result.stdout.splitlines():
        path, name = line.split(': ', 1)
        names[path].add(name.split()[0].split('@')[0])
    return names


def c_library_names():
    compiler = os.environ.get('CC', 'cc')
    command = [compiler, '-print-file-name=libc.so.6']
    path = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return nm([path], '-D', '--defined-only')[path]


def main():
    folder = sys.argv[1]
    rooms, rights = checks.rooms_and_rights(os.path.join(HERE, 'layers.txt'))
    objects = {}
    paths = sorted(glob.glob(os.path.join(folder, '**', '*.o'), recursive=True))
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding='utf-8') as listed:
            paths = listed.read().split('\n')
    for path in paths:
        name = re.sub(r'^\w+\.dir/', '', os.path.relpath(path, folder))
        source = source_of('src/' + name)
        objects[path] = (name, checks.room_of(rooms, source))
    if not objects:
        print(f'{folder}: no objects')
        return 1
    owner = {}
    for path, symbols in nm(objects, '-g', '--defined-only').items():
        for symbol in symbols:
            owner[symbol] = objects[path][1]
    library = c_library_names()
    undefined = nm(objects, '-u')
    findings = []
    for path, (name, room) in objects.items():
        for symbol in sorted(undefined[path] - LINKER_NAMES):
            if symbol in owner:
                if owner[symbol] != room and owner[symbol] not in rights.get(room, []):
                    findings.append(f'{name}: {room} may not use {symbol} ({owner[symbol]})')
            elif room in CLOSED_ROOMS and symbol not in library:
                findings.append(f'{name}: {room} needs {symbol}, which is not in the C library')
    print('\n'.join(findings) if findings else f'{len(objects)} objects, {len(owner)} symbols')
    return 1 if findings else 0


sys.exit(main())
