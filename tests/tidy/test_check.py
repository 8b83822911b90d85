#!/usr/bin/env python3
"""test_check: a check names exactly what is wrong in its bad sample.

test_check.py NAME   runs check NAME on bad/NAME/tree and compares with bad/NAME/expected.txt
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    name = sys.argv[1]
    folder = os.path.join(HERE, 'bad', name)
    command = [sys.executable, os.path.join(HERE, 'tidy.py'), '--root', os.path.join(folder, 'tree')]
    arguments = os.path.join(folder, 'arguments.txt')
    if os.path.exists(arguments):
        with open(arguments, encoding='utf-8') as file:
            command += file.read().split()
    result = subprocess.run([*command, name], capture_output=True, text=True, check=False)
    if result.returncode == 77:
        print(result.stdout, end='')
        return 77
    with open(os.path.join(folder, 'expected.txt'), encoding='utf-8') as file:
        expected = file.read()
    if result.returncode == 1 and result.stdout == expected:
        print(f'{expected.count(chr(10))} findings, as expected')
        return 0
    print(f'exit status {result.returncode}, expected 1')
    print('--- got\n' + result.stdout + '--- expected\n' + expected + result.stderr)
    return 1


sys.exit(main())
