#!/usr/bin/env python3
"""test_objects: a check of object files names what is wrong in its bad sample, compiled here.

test_objects.py NAME [ROOM...]   NAME.py on bad/NAME; with rooms it also gets a list of the objects,
                                 without those of sources named gone.c
"""

import glob
import os
import subprocess
import sys
import tempfile

from tree import HERE


def main():
    check, *rooms = sys.argv[1:]
    source = os.path.join(HERE, 'bad', check, 'tree', 'src')
    targets = []
    with tempfile.TemporaryDirectory() as folder:
        for path in glob.glob(os.path.join(source, '*', '*.c')):
            target = os.path.join(folder, os.path.relpath(path, source) + '.o')
            os.makedirs(os.path.dirname(target), exist_ok=True)
            subprocess.run([os.environ.get('CC', 'cc'), '-c', path, '-o', target], check=True)
            targets += [] if path.endswith('/gone.c') else [target]
        command = [sys.executable, os.path.join(HERE, f'{check}.py'), folder]
        if rooms:
            command += [os.path.join(folder, 'list'), *rooms]
            with open(command[3], 'w', encoding='utf-8') as file:
                file.write('\n'.join(targets))
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    with open(os.path.join(HERE, 'bad', check, 'expected.txt'), encoding='utf-8') as file:
        expected = file.read()
    print(result.stdout + result.stderr)
    return 0 if result.returncode == 1 and result.stdout == expected else 1


sys.exit(main())
