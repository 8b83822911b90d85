#!/usr/bin/env python3
"""tidy: checks that the tree follows the project's rules.

tidy.py [--root FOLDER] CHECK...   names of checks.py, or `all`
Prints `path:line: what is wrong`, sorted. Exit status 0: nothing is wrong; 1: something is; 77: the
only CHECK needs a program that is not here.
"""

import argparse
import sys

import checks
from tree import Skip, Tree


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--root', default='.')
    parser.add_argument('checks', nargs='+', choices=[*checks.ALL, 'all'])
    arguments = parser.parse_args()
    tree = Tree(arguments.root)
    names = list(checks.ALL) if 'all' in arguments.checks else arguments.checks
    findings, skips = [], []
    for name in names:
        try:
            findings += list(checks.ALL[name](tree))
        except Skip as skip:
            skips.append(f'SKIPPED: {name}: {skip}')
    for path, line, message in sorted(set(findings)):
        print(f'{path}:{line}: {message}')
    for line in skips:
        print(line)
    if findings:
        return 1
    return 77 if skips and len(names) == 1 else 0


sys.exit(main())
