#!/usr/bin/env python3
"""test_check: a check names exactly what is wrong in its bad sample.

test_check.py NAME [ROOM...]   runs check NAME on bad/NAME/tree and compares with bad/NAME/expected.txt.
                               The sample of lengths is made here; those of NAME.py, which looks at
                               object files, are compiled, and with rooms it also gets a list of them,
                               without those of sources named gone.c.
"""

import glob
import os
import subprocess
import sys
import tempfile

from tree import HERE

BRACES = [f'    count += {i}; /* {{ a brace in a comment */' for i in range(66)]
LENGTHS = {
    'huge.c': ['/* huge: one line too many. */', *['int x;'] * 800],
    'full.c': ['/* full: as long as allowed. */', *['int x;'] * 799],
    'table.def': ['row(1)'] * 900,
    'long.c': ['/* long: one function too long, one as long as allowed. */', '',
               'static const char *brace = "{";', '',
               'int too_long(int count,', '             int more)', '{', *BRACES,
               '    return count;', '}', '',
               'int just_right(int count)', '{', *BRACES, '    return count;', '}', '',
               '#define TOO_MUCH(count) \\', *['    count += 1; \\'] * 69, '    count', '',
               'int wide = ' + 89 * '1' + ';', 'int fits = ' + 88 * '1' + ';'],
}


def write_lengths(folder):
    os.makedirs(os.path.join(folder, 'src', 'base'))
    for name, lines in LENGTHS.items():
        with open(os.path.join(folder, 'src', 'base', name), 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines) + '\n')


def compiled(source, made, name, rooms):
    """The command that looks at the objects of the sources."""
    targets = []
    for path in glob.glob(os.path.join(source, 'src', '*', '*.c')):
        target = os.path.join(made, os.path.relpath(path, os.path.join(source, 'src')) + '.o')
        os.makedirs(os.path.dirname(target), exist_ok=True)
        subprocess.run([os.environ.get('CC', 'cc'), '-c', path, '-o', target], check=True)
        targets += [] if path.endswith('/gone.c') else [target]
    with open(os.path.join(made, 'list'), 'w', encoding='utf-8') as file:
        file.write('\n'.join(targets))
    command = [sys.executable, os.path.join(HERE, f'{name}.py'), made]
    return command + [os.path.join(made, 'list'), *rooms] if rooms else command


def command_of(name, rooms, made):
    folder = os.path.join(HERE, 'bad', name)
    tree = os.path.join(folder, 'tree')
    if os.path.exists(os.path.join(HERE, f'{name}.py')):
        return compiled(tree, made, name, rooms)
    if name == 'lengths':
        write_lengths(made)
        tree = made
    return [sys.executable, os.path.join(HERE, 'tidy.py'), '--root', tree, name]


def main():
    name, *rooms = sys.argv[1:]
    with tempfile.TemporaryDirectory() as made:
        result = subprocess.run(command_of(name, rooms, made), capture_output=True, text=True, check=False)
    if result.returncode == 77:
        print(result.stdout, end='')
        return 77
    with open(os.path.join(HERE, 'bad', name, 'expected.txt'), encoding='utf-8') as file:
        expected = file.read()
    if result.returncode == 1 and result.stdout == expected:
        print(f'{expected.count(chr(10))} findings, as expected')
        return 0
    print(f'exit status {result.returncode}, expected 1')
    print('--- got\n' + result.stdout + '--- expected\n' + expected + result.stderr)
    return 1


sys.exit(main())
