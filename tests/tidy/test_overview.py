#!/usr/bin/env python3
"""test_overview: the drawing of the rooms follows the includes, and a circle is found."""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def write(root, path, text):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def run(root, *arguments):
    command = [sys.executable, os.path.join(HERE, 'overview.py'), '--root', root, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).returncode


def main():
    with tempfile.TemporaryDirectory() as root:
        write(root, 'docs/overview.svg', '')
        write(root, 'src/base/a.h', '')
        write(root, 'src/plan/b.h', '#include "base/a.h"\n')
        results = [run(root, '--check'), run(root), run(root, '--check')]
        write(root, 'src/text/c.h', '#include "base/a.h"\n')
        results.append(run(root, '--check'))
        write(root, 'src/base/a.h', '#include "plan/b.h"\n')
        results.append(run(root))
    if results != [1, 0, 0, 1, 1]:
        print(f'exit statuses {results}, expected [1, 0, 0, 1, 1]')
        return 1
    print('5 runs, as expected')
    return 0


sys.exit(main())
