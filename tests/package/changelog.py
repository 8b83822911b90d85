"""changelog: CHANGELOG.md begins with the version that the header has, and is in order.

changelog.py SOURCE_FOLDER
"""

import os
import re
import sys

HEADING = re.compile(r'^## (\d+)\.(\d+)\.(\d+)(?: \(\d{4}-\d\d-\d\d\)|, not yet released)$')


def faults(text, version):
    found = []
    for line in text.splitlines():
        if line.startswith('## '):
            match = HEADING.match(line)
            if not match:
                yield f'not a version with its date: {line}'
                continue
            found.append(tuple(map(int, match.groups())))
            if len(found) > 1 and line.endswith('not yet released'):
                yield f'only the newest may be unreleased: {line}'
    if not found or found[0] != version:
        yield f'it begins with {found[:1]}, the header has {version}'
    if found != sorted(set(found), reverse=True):
        yield f'not in order: {found}'


def main():
    source = sys.argv[1]
    with open(os.path.join(source, 'include', 'trawl.h'), encoding='utf-8') as file:
        version = re.search(r'#define TRAWL_VERSION "(\d+)\.(\d+)\.(\d+)"', file.read())
    version = tuple(map(int, version.groups()))
    with open(os.path.join(source, 'CHANGELOG.md'), encoding='utf-8') as file:
        said = list(faults(file.read(), version))
    for text in ('', '## 1.0.0', '## 1.2.3 (2030-01-02)', '## 0.0.1, not yet released',
                 '## 1.2.4 (2030-01-02)\n## 1.2.4 (2030-01-01)',
                 '## 1.2.4 (2030-01-02)\n## 1.2.3, not yet released'):  # fmt: skip
        assert list(faults(text, (1, 2, 4))), text
    assert not list(faults('## 1.2.4, not yet released\n\n## 1.2.3 (2030-01-02)', (1, 2, 4)))
    print(*said, 'CHANGELOG.md: ' + ('wrong' if said else 'right'), sep='\n')
    return 1 if said else 0


sys.exit(main())
