#!/usr/bin/env python3
"""test_symbols: symbols.py names the wrong uses of bad/symbols, compiled here."""

import glob
import os
import subprocess
import sys
import tempfile

from tree import HERE


def main():
    source = os.path.join(HERE, 'bad', 'symbols', 'tree', 'src')
    with tempfile.TemporaryDirectory() as folder:
        for path in glob.glob(os.path.join(source, '*', '*.c')):
            target = os.path.join(folder, os.path.relpath(path, source) + '.o')
            os.makedirs(os.path.dirname(target), exist_ok=True)
            subprocess.run([os.environ.get('CC', 'cc'), '-c', path, '-o', target], check=True)
        command = [sys.executable, os.path.join(HERE, 'symbols.py'), folder]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    with open(os.path.join(HERE, 'bad', 'symbols', 'expected.txt'), encoding='utf-8') as file:
        expected = file.read()
    print(result.stdout + result.stderr)
    return 0 if result.returncode == 1 and result.stdout == expected else 1


sys.exit(main())
