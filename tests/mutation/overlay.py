"""overlay: a build once more, from a changed copy of some sources.

What depends on these (by ninja's record) is compiled and linked again in a folder of its own; all
else is taken from the build, which stays as it is. Commands that are no compiler's or linker's,
such as those of nvcc, are left out.
"""

import json
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
RULE = re.compile(r'(C|CXX)_(COMPILER|\w+_LINKER)__|CMAKE_SYMLINK_LIBRARY')


class Overlay:
    def __init__(self, build, root, folder):
        self.build, self.root, self.folder = build, root, folder
        self.tree, self.out = os.path.join(folder, 'tree'), os.path.join(folder, 'out')
        rules = [rule for rule in self.ninja('-t', 'rules').split() if RULE.match(rule)]
        self.edges = json.loads(self.ninja('-t', 'compdb', *rules))
        self.needs = {}  # object -> the files it is compiled from
        target = None
        for line in self.ninja('-t', 'deps').split('\n'):
            if line.startswith(' '):
                path = os.path.normpath(os.path.join(build, line.strip()))
                self.needs[target].add(os.path.relpath(path, root))
            elif ': ' in line:
                target = line.split(': ')[0]
                self.needs[target] = set()
        for edge in self.edges:
            if ' -c ' in edge['command']:
                file = os.path.normpath(os.path.join(build, edge['file']))
                self.needs.setdefault(edge['output'], set()).add(os.path.relpath(file, root))
        self.changed, self.again = set(), set()
        self.compiled = self.compiled_here()

    def ninja(self, *arguments):
        done = subprocess.run(['ninja', '-C', self.build, *arguments], capture_output=True, text=True)
        lines = done.stdout.split('\n')
        return '\n'.join(line for line in lines if not line.startswith('ninja: Entering'))

    def compiled_here(self):
        """The files compiled for instruction sets that this machine's processor has."""
        done = subprocess.run(
            ['cc', '-march=native', '-dM', '-E', '-x', 'c', '/dev/null'], capture_output=True, text=True
        )
        result = set()
        for edge in self.edges:
            sets = re.findall(r' -m([a-z0-9]+)(?= )', edge['command'])
            if all(f'#define __{each.upper()}__ ' in done.stdout for each in sets):
                result |= self.needs.get(edge['output'], set())
        return result

    def users(self, file):
        """How many objects are compiled from a file."""
        return sum(file in files for files in self.needs.values())

    def plan(self, changed):
        """Find what depends on the files `changed`, which are to lie in the tree."""
        self.changed = changed
        self.again = {output for output, files in self.needs.items() if files & changed}
        before = -1
        while before != len(self.again):
            before = len(self.again)
            for edge in self.edges:
                if ' -c ' not in edge['command'] and self.again & set(edge['command'].split()):
                    self.again.add(edge['output'])

    def make(self, outputs, jobs, switches):
        """Build these outputs of the plan. What the compilers said if they failed, or None."""
        mutant = os.path.join(self.folder, 'mutant.o')
        cc = ['cc', '-O1', '-fPIC', f'-DTRAWL_MUTANTS={switches}', '-c', '-o', mutant]
        subprocess.run(cc + [os.path.join(HERE, 'mutant.c')], check=True)
        lines = [f'builddir = {self.out}', 'rule again', '  command = $again']
        for edge in self.edges:
            output, command = edge['output'], edge['command']
            if output not in self.again:
                continue
            words = set(command.split())
            command = re.sub(r'\S+', lambda word: self.moved(word.group()), command)
            if ' -c ' in command:
                command += f' -O1 -w -Wno-error -include {HERE}/mutant.h'
                inputs = [os.path.join(self.tree, each) for each in self.needs[output] & self.changed]
            else:
                inputs = [os.path.join(self.out, each) for each in self.again & words - {output}]
                if ' -o ' in command:
                    command = command.replace(' -o ', f' {mutant} -o ', 1)
                    inputs.append(mutant)
            lines.append(f'build {self.out}/{output}: again {" ".join(sorted(inputs))}')
            lines.append('  again = ' + command.replace('$', '$$'))
        file = os.path.join(self.folder, 'build.ninja')
        with open(file, 'w', encoding='utf-8') as stream:
            stream.write('\n'.join(lines) + '\n')
        done = subprocess.run(
            ['ninja', '-C', self.build, '-f', file, '-k', '0', '-j', str(jobs)]
            + sorted(os.path.join(self.out, each) for each in outputs),
            capture_output=True, text=True,
        )  # fmt: skip
        return None if done.returncode == 0 else done.stdout + done.stderr

    def moved(self, word):
        """A word of a command of the build, as the overlay's command has it."""
        if word in self.again or (word.endswith('.d') and word[:-2] in self.again):
            return os.path.join(self.out, word)
        word = re.sub(re.escape(str(self.root)) + r'(/src(?=/|$)|/gallery(?=/|$)|$)',
                      lambda path: self.tree + path.group(1), word)  # fmt: skip
        if word.startswith('-Wl,-rpath,'):
            word = '-Wl,-rpath,' + ':'.join(self.path(each) for each in word[11:].split(':'))
        return word

    def outputs(self, path):
        """What the plan makes of a path of the build: a program, or all of a folder's libraries."""
        if not path.startswith(self.build + '/'):
            return set()
        inside = os.path.relpath(path, self.build)
        if inside in self.again or not os.path.isdir(path):
            return {inside} & self.again
        linked = {each for each in self.again if not each.endswith('.o')}
        return {each for each in linked if each.startswith(inside + '/')}

    def path(self, path):
        """The same path in the overlay, if the plan makes it; otherwise as it is."""
        inside = os.path.relpath(path, self.build)
        return os.path.join(self.out, inside) if self.outputs(path) else path
