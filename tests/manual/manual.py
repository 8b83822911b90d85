"""manual: compares the generated man pages with the headers.

manual.py pages|lint SOURCE_FOLDER GENERATED_FOLDER

pages  every public function has a page that names it, its parameters and its result's type
lint   groff, mandoc and man have no warning
"""

import os
import re
import shutil
import subprocess
import sys


def functions_of(source):
    """Return {name: (result, [parameter names])} of the headers, found without the generator's code."""
    sys.path.insert(0, os.path.join(source, 'tests', 'tidy'))
    import c_source

    found = {}
    folder = os.path.join(source, 'include')
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            code = ' '.join(c_source.code_only(file.read()).split())
        for match in re.finditer(r'TRAWL_API ([^;]*?)\b(trawl_\w+) ?\(([^;]*)\);', code):
            result = match.group(1).replace('TRAWL_CHECKED', '').strip()
            parameters = re.findall(r'(\w+)(?=,|$)', match.group(3))
            found[match.group(2)] = (result, [] if parameters == ['void'] else parameters)
    return found


def plain(page):
    """Return a page's text without the commands of man."""
    text = re.sub(r'\\f[BIPR]|\\%|\\&', '', page).replace('\\-', '-').replace('\\(aq', "'")
    return re.sub(r'^\.\w+ ?', '', text, flags=re.MULTILINE)


def section(page, title):
    match = re.search(rf'^\.SH {title}\n(.*?)(?=^\.SH |\Z)', page, re.MULTILINE | re.DOTALL)
    return match.group(1) if match else ''


def check_pages(functions, generated):
    for name, (result, parameters) in functions.items():
        path = os.path.join(generated, 'man3', f'{name}.3')
        if not os.path.exists(path):
            yield f'{name} has no page'
            continue
        with open(path, encoding='utf-8') as file:
            page = file.read()
        if not re.search(rf'\b{name}\b.* \\- \S', section(page, 'NAME')):
            yield f'{name}: NAME does not have it, or does not say what it does'
        synopsis = ' '.join(plain(section(page, 'SYNOPSIS')).split())
        declared = re.search(rf'{re.escape(result)} ?{name}\(([^;]*)\);', synopsis)
        if not declared:
            yield f'{name}: SYNOPSIS does not declare it'
        elif (re.findall(r'(\w+)(?=,|$)', declared.group(1)) or ['void']) != (parameters or ['void']):
            yield f'{name}: SYNOPSIS does not have the parameters {", ".join(parameters)}'
        if len(plain(section(page, 'DESCRIPTION')).split()) < 3:
            yield f'{name}: DESCRIPTION is empty'


def pages_in(generated):
    found = [os.path.join(generated, 'trawl.1')]
    folder = os.path.join(generated, 'man3')
    found += [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    return [path for path in found if os.path.isfile(path) and not os.path.islink(path)]


def check_lint(generated):
    """Return the warnings of the programs about the pages, and the names of the programs that ran."""
    pages, said, asked = pages_in(generated), [], []
    commands = [
        ['groff', '-man', '-ww', '-z', '-Tutf8', *pages],
        ['mandoc', '-Tlint', '-W', 'warning', *pages],
        # man takes a single page at a time and runs groff, so a page of each section is enough.
        *(['man', '--warnings=w', '-E', 'UTF-8', '-l', '-Tutf8', '-Z', page] for page in pages[:2]),
    ]
    for command in commands:
        if not shutil.which(command[0]):
            continue
        result = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        lines = result.stderr.splitlines()
        if command[0] == 'mandoc':
            # mandoc warns of a missing date, because pages have the version in place of a date.
            lines += [line for line in result.stdout.splitlines() if 'missing date' not in line]
        asked.append(command[0])
        said += [f'{command[0]}: {line}' for line in lines]
    return said, asked


def main():
    part, source, generated = sys.argv[1:]
    functions = functions_of(source)
    assert len(functions) > 30, functions
    if part == 'pages':
        said = list(check_pages(functions, generated))
        print(f'{len(functions)} functions')
    else:
        said, asked = check_lint(generated)
        if not asked:
            print('SKIPPED: neither groff nor mandoc nor man is here')
            return 77
        print(f'{len(pages_in(generated))} pages, asked: {", ".join(sorted(set(asked)))}')
    print(*said, sep='\n')
    return 1 if said else 0


sys.exit(main())
