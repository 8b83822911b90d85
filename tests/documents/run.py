#!/usr/bin/env python3
"""run: the commands that documents show are run, and must print what the documents say.

run.py [--update] [--stories] [--path FOLDER]... [--link NAME=PATH]... [--programs FOLDER] DOCUMENT...

A Markdown document's commands are in blocks marked ```console, those of a C file indented in its first comment. A line
that begins with `$ ` is a command, `> ` goes on with it, and the lines after are what it prints, standard error too.
`...` stands for any text. A status is 0, or what a comment at the command's end says: `# status 1`. A document's
commands run in order, in one shell, in an empty folder; with --stories, each heading `## ` begins a new shell and
folder. Before a block of commands that are not run (```sh), a comment must say the reason: <!-- not run: REASON -->

--stories          each heading `## ` begins a story, which knows the functions of tests/stories/server.sh
--path FOLDER      put it before PATH; programs of the system stay reachable
--link NAME=PATH   the empty folder holds a link NAME to PATH
--programs FOLDER  a C file's program has the file's name in FOLDER; the empty folder gets a link to it
--update           write what the commands print into Markdown documents, instead of comparing

Exit status 0: as the documents say; 1: not; 77: nothing could run here, with the line SKIPPED: why.
"""

import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile

MARK = '\x01'


class Wrong(Exception):
    """Raised if the document's commands and output cannot be told apart; the message says where."""


def shown_lines(path, lines):
    """Yield the lines of commands and output: (number in the document, line), with a None
    between blocks of Markdown."""
    if path.endswith('.c'):
        for number, line in enumerate(lines):
            if line.startswith(' */'):
                return
            if line.startswith(' *     '):
                yield number, line[len(' *     ') :]
        return
    kind = None
    excused = False
    for number, line in enumerate(lines):
        if line.startswith('```'):
            kind = line[3:].strip() if kind is None else None
            if kind == 'sh' and not excused:
                raise Wrong(f'{path}:{number + 1}: a block of commands that nobody runs')
            yield None
        elif kind == 'console':
            yield number, line
        elif line.strip():
            excused = kind is None and line.startswith('<!-- not run: ')


def steps_of(path, lines):
    """Return the steps of a document: [{command, line, begin, end, status, story, shown}]. Lines [begin, end) of
    the document are the output, `shown`."""
    steps, inside = [], False
    for shown in shown_lines(path, lines):
        if shown is None:
            inside = False
            continue
        number, line = shown
        if line.startswith('$ '):
            steps.append({'line': number + 1, 'command': line[2:], 'begin': number + 1})
            inside = True
        elif inside and line.startswith('> ') and steps[-1]['begin'] == number:
            steps[-1]['command'] += '\n' + line[2:]
            steps[-1]['begin'] = number + 1
        elif not inside:
            raise Wrong(f'{path}:{number + 1}: output without a command')
        steps[-1]['end'] = number + 1
        steps[-1]['story'] = sum(line.startswith('## ') for line in lines[:number])
        steps[-1].setdefault('shown', [])
        if steps[-1]['begin'] <= number:
            steps[-1]['shown'].append(line)
    for step in steps:
        status = re.search(r'# status (\d+)$', step['command'])
        step['status'] = int(status.group(1)) if status else 0
    return steps


def run(steps, arguments, links):
    """Return (output lines, status) of each step that ran."""
    functions = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../stories/server.sh')
    script = f'. {functions}\n' if arguments.stories else ''
    script += ''.join(
        '{ ' + step['command'] + '\n} 2>&1 </dev/null\n' + f"printf '{MARK}%d{MARK}' $?\n"
        for step in steps
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, target in links.items():
            os.symlink(os.path.abspath(target), os.path.join(folder, name))
        path = os.pathsep.join([os.path.abspath(p) for p in arguments.path] + [os.environ['PATH']])
        environment = dict(os.environ, PATH=path, HOME=folder, LC_ALL='C.UTF-8', TRAWL_CONFIG_PATH='')
        # GCC's LeakSanitizer fails if a thread ends while LeakSanitizer looks for leaks. The tests of grep and cli look
        # for leaks.
        environment.setdefault('LSAN_OPTIONS', 'detect_leaks=0')
        result = subprocess.run(
            ['bash', '-c', script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )
    parts = result.stdout.decode(errors='backslashreplace').split(MARK)
    return [
        (output[:-1].split('\n') if output.endswith('\n') else output.split('\n') if output else [],
         int(status))
        for output, status in zip(parts[::2], parts[1::2])
    ]


def fits(shown, printed):
    """Return True if the printed lines are those that the document shows."""
    pattern = re.escape('\n'.join(shown)).replace(re.escape('...'), '.*')
    return re.fullmatch(pattern, '\n'.join(printed), re.DOTALL) is not None


def update(path, lines, steps, results):
    """Write what the steps printed into the document."""
    for step, (printed, status) in reversed(list(zip(steps, results))):
        if status != step['status']:
            print(f"{path}:{step['line']}: status {status}: $ {step['command']}")
        if not fits(step['shown'], printed):
            lines[step['begin'] : step['end']] = printed
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines))


def judge(path, steps, results):
    """Compare what a document shows with what its steps printed. Return 'right', 'wrong' or
    'skipped'; print what is wrong."""
    for step, result in zip(steps, results):
        printed, status = result
        reason = [line for line in printed if line.startswith('SKIPPED: ')]
        if status == 77 and reason:
            print(f'{path}: {reason[-1]}')
            return 'skipped'
        if status != step['status'] or not fits(step['shown'], printed):
            print(f"{path}:{step['line']}: $ {step['command']}")
            print(f"expected, with status {step['status']}:", *step['shown'], sep='\n    ')
            print(f'printed, with status {status}:', *printed, sep='\n    ')
            return 'wrong'
    return 'right'


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument('--update', action='store_true')
    parser.add_argument('--stories', action='store_true')
    parser.add_argument('--path', action='append', default=[])
    parser.add_argument('--link', action='append', default=[])
    parser.add_argument('--programs')
    parser.add_argument('documents', nargs='+')
    arguments = parser.parse_args()
    verdicts, commands = [], 0
    for path in arguments.documents:
        with open(path, encoding='utf-8') as file:
            lines = file.read().split('\n')
        steps = steps_of(path, lines)
        if not steps:
            raise Wrong(f'{path}: shows no command')
        commands += len(steps)
        links = dict(link.split('=', 1) for link in arguments.link)
        if arguments.programs and path.endswith('.c'):
            name = os.path.basename(path)[:-2]
            links[name] = os.path.join(arguments.programs, name)
        stories = [steps]
        if arguments.stories:
            stories = [list(group) for _, group in itertools.groupby(steps, lambda step: step['story'])]
        results = []
        for story in stories:
            printed = run(story, arguments, links)
            results += printed + [([], None)] * (len(story) - len(printed))
        if arguments.update and path.endswith('.md'):
            update(path, lines, steps, results)
        verdicts.append('right' if arguments.update else judge(path, steps, results))
    print(f'{commands} commands; documents: ' + ', '.join(
        f'{verdicts.count(verdict)} {verdict}' for verdict in ('right', 'wrong', 'skipped')))
    if 'wrong' in verdicts:
        return 1
    return 77 if 'right' not in verdicts else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except Wrong as wrong:
        print(wrong)
        sys.exit(1)
