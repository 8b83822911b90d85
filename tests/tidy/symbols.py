#!/usr/bin/env python3
"""symbols: checks the layers of layers.txt by the symbols of object files. (A declaration `extern` written by
hand escapes the check of includes, but not this check.)

symbols.py OBJECT_FOLDER [LIST]   OBJECT_FOLDER: the library's object files, in the folders of src/; LIST: a
file with the paths of the object files below OBJECT_FOLDER/TARGET.dir, so
that object files of removed sources are ignored

An object may use symbols that its own room defines, or a room that it may include, and symbols that the library
does not define at all. The rooms base and plan together must need nothing but the C library.
"""

import glob
import os
import re
import subprocess
import sys

import checks
from tree import HERE, source_of

# Symbols that the linker defines, not a library.
LINKER_NAMES = {'_GLOBAL_OFFSET_TABLE_', '__tls_get_addr'}  # the second finds thread-local variables
CLOSED_ROOMS = ('base', 'plan')


def nm(paths, *arguments):
    """Return {path: names of symbols that nm prints}, with the versions cut off."""
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
