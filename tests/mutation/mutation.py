"""mutation: would the tests notice? Small faults are put into the sources, one at a time, and some
test must fail.

    mutation.py BUILD... [--count N] [--tests REGEX] [--seconds S] [--least SHARE] [--renew]
    mutation.py BUILD --known [--count N] [--least SHARE]

All faults are compiled at once, each behind a switch (sites.py), and only what depends on the
sources that hold them (overlay.py). One run of all tests says which switches each of them comes
to; then each fault is tried with these tests alone until one fails, first with those that are quick
and have noticed other faults of the file. A crash, a sanitizer's report and a test that takes much longer than before are failures, too. --seconds bounds
the tests for one fault, by what they usually take. What the tests of the first build do not notice
is tried with those of the next.

TRAWL_TEST_SEED draws the faults. `survivors` beside this file lists those that nothing can notice,
with the reason: they are not tried. The run fails if the tests notice less than --least percent of
the others. What the list names and the sources no longer have is printed.

--known draws from `noticed`, a list of faults and of the quick tests that notice them; a test that
does not come to its fault any more is no failure, but few such faults are. Some are noticed by most
schedules of threads only. --renew writes the list.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import overlay
import sites

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
IN_PROGRAM, REACHED = 1, 2  # mutant.h
USUAL_S = 300  # a test that takes longer is not used,
COST_MAX = 60  # nor one that tells ctest that it costs so much: these build, or mutate themselves
PATIENCE, PATIENCE_S = 4, 8  # a test hangs after so many times its usual time, and so long
MEMORY_BYTES = 8 << 30  # for a process; sanitizers need more
LONG_SCALE = 20
KNOWN, KNOWN_FILES, KNOWN_LEAST, KNOWN_S = 60, 15, 10, 2  # the list's size; the tests' time
USERS_FEW = 3  # the list has files that so few objects are compiled from
ERROR = re.compile(r'tree/((?:src|gallery)/[^:\s]+):(\d+):\d+: error')


class Test:
    """A test of ctest's that runs programs of the overlay."""

    def __init__(self, test, made):
        properties = {each['name']: each['value'] for each in test['properties']}
        programs = re.compile(re.escape(made.build) + r'/[^\s:=,]*')
        given = test.get('command', [])
        self.name = test['name']
        self.command = [programs.sub(lambda m: made.path(m.group()), each) for each in given]
        paths = programs.findall(' '.join(given))
        self.outputs = set().union(*(made.outputs(path) for path in paths))
        self.is_wanted = bool(self.outputs) and properties.get('COST', 0) < COST_MAX
        self.settings = dict(each.split('=', 1) for each in properties.get('ENVIRONMENT', []))
        self.usual_s, self.reached, self.ended = 0, set(), ''

    def run(self, folder, mutant, limit_s, limited):
        """How it ended: 'passed', 'skipped', or how it failed. `mutant` is no other run's."""
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        own = {'TMPDIR': folder, 'TRAWL_MUTANT': mutant}
        own.update(TRAWL_TEST_SEED='1', TRAWL_TEST_SCALE='1')  # as in the list of --known
        usual = {'TRAWL_TEST_DIVISOR': '1'}

        def limits():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if limited:
                resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))

        child = subprocess.Popen(
            self.command, cwd=folder, env={**os.environ, **usual, **self.settings, **own}, preexec_fn=limits,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        try:
            status = child.wait(limit_s)
        except subprocess.TimeoutExpired:
            status = None
        end_all(child.pid, mutant)
        child.wait()
        if status is None:
            return 'hangs'
        return {0: 'passed', 77: 'skipped'}.get(status, 'crashes' if status < 0 else 'fails')


def end_all(group, mutant):
    """End what a test has started: its process group, and what has left that with its setting."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass
    setting = b'TRAWL_MUTANT=' + mutant.encode()
    for process in pathlib.Path('/proc').glob('[0-9]*'):
        try:
            if setting in (process / 'environ').read_bytes().split(b'\0'):
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:
            pass  # it has ended, or is another user's


class Run:
    """The faults in one build."""

    def __init__(self, build, arguments, name):
        self.arguments = arguments
        self.made = overlay.Overlay(build, ROOT, os.path.join(build, name))
        with open(os.path.join(build, 'CMakeCache.txt'), encoding='utf-8') as cache:
            self.limited = not re.search(r'^TRAWL_SANITIZE:\w+=.', cache.read(), re.MULTILINE)
        self.tests, self.local = [], threading.local()
        self.noticed = collections.Counter()  # by test and file
        self.temporary = tempfile.mkdtemp(prefix='trawl-mutation-')
        os.chmod(self.temporary, 0o755)  # some tests become another user

    def folder(self):
        """One for each thread."""
        if not hasattr(self.local, 'folder'):
            self.local.folder = os.path.join(tempfile.mkdtemp(dir=self.temporary), 'run')
        return self.local.folder

    def map(self, function, items):
        with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool:
            return list(pool.map(function, items))

    def write_tree(self, texts):
        """A copy of the sources with these texts; a file that is the same keeps its time."""
        for path in [*(ROOT / 'src').rglob('*'), *(ROOT / 'gallery').rglob('*')]:
            copy = pathlib.Path(self.made.tree) / path.relative_to(ROOT)
            if path.is_file():
                name = str(path.relative_to(ROOT))
                text = texts[name].encode() if name in texts else path.read_bytes()
                copy.parent.mkdir(parents=True, exist_ok=True)
                if not copy.exists() or copy.read_bytes() != text:
                    copy.write_bytes(text)

    def make(self, sources, faults):
        """Build the overlay. Faults in lines that the compiler refuses leave the list."""
        while True:
            by_file = collections.defaultdict(list)
            for fault in faults:
                by_file[fault.file].append(fault)
            self.write_tree({name: sources[name].rendered(of) for name, of in by_file.items()})
            self.made.plan(set(by_file))
            self.tests = [Test(each, self.made) for each in ctest_tests(self.made.build)]
            wanted = self.arguments.tests
            self.tests = [t for t in self.tests if t.is_wanted and re.search(wanted, t.name)]
            outputs = set().union(*(test.outputs for test in self.tests))
            said = self.made.make(outputs, self.arguments.jobs, max(f.number for f in faults))
            if said is None:
                return
            wrong = {(name, int(line)) for name, line in ERROR.findall(said)}
            left = [
                fault for fault in faults
                if not any((fault.file, line) in wrong for line in fault.lines)
            ]  # fmt: skip
            if len(left) == len(faults):
                sys.exit(f'mutation: the build fails:\n{said[-4000:]}')
            faults[:] = left

    def cover(self, faults):
        """Run every test once: which switches does it come to? The faults that are in a program."""
        in_program = set()

        def cover(test):
            with tempfile.NamedTemporaryFile(dir=self.temporary) as seen:
                seen.write(bytes(max(fault.number for fault in faults) + 1))
                seen.flush()
                os.chmod(seen.name, 0o666)
                began = time.monotonic()
                test.ended = test.run(self.folder(), seen.name, USUAL_S, self.limited)
                test.usual_s = time.monotonic() - began
                flags = pathlib.Path(seen.name).read_bytes()
            test.reached = {i for i, flag in enumerate(flags) if flag & REACHED}
            in_program.update(i for i, flag in enumerate(flags) if flag & IN_PROGRAM)

        self.map(cover, self.tests)
        for test in self.tests:
            if test.ended not in ('passed', 'skipped'):
                print(f'not used: {test.name} {test.ended} without a fault', flush=True)
        self.tests = [each for each in self.tests if each.ended == 'passed' and each.reached]
        self.tests.sort(key=lambda test: test.usual_s)
        usual_s = sum(test.usual_s for test in self.tests)
        print(f'{len(self.tests)} tests come to switches, in {usual_s:.0f} s', flush=True)
        return [fault for fault in faults if fault.number in in_program]

    def attempt(self, fault):
        """Try one fault: does a test notice it? Which and how, or how many did not."""
        tests = [test for test in self.tests if fault.number in test.reached]
        tests.sort(key=lambda test: test.usual_s / (1 + self.noticed[test.name, fault.file]))
        fault.is_noticed, fault.ended, spent_s = False, 'no test comes to it', 0
        fault.is_reached = bool(tests)
        for i, test in enumerate(tests):
            spent_s += test.usual_s
            if spent_s > self.arguments.seconds:
                break
            limit_s, folder = PATIENCE * test.usual_s + PATIENCE_S, self.folder()
            ended = test.run(folder, f'{fault.number} {folder}', limit_s, self.limited)
            fault.is_noticed, fault.usual_s = ended not in ('passed', 'skipped'), test.usual_s
            if fault.is_noticed:
                fault.ended = f'{test.name} {ended}'
                self.noticed[test.name, fault.file] += 1
                break
            fault.ended = f'{i + 1} of the {len(tests)} tests that come to it'
        word = 'noticed' if fault.is_noticed else 'survives'
        print(f'{word}: {fault.file}:{fault.line}: {fault.operator}: {fault.ended}', flush=True)


def ctest_tests(build):
    """Asked from another folder: ctest begins its log anew, and this may be a test of that build."""
    with tempfile.TemporaryDirectory(prefix='trawl-mutation-') as top:
        pathlib.Path(top, 'CTestTestfile.cmake').write_text(f'subdirs("{build}")\n', encoding='utf-8')
        command = ['ctest', '--test-dir', top, '--show-only=json-v1']
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)['tests']


def read_list(name):
    """{key: what is said of it}: lines with a fault's key, and indented ones below it."""
    listed, key = {}, None
    for line in (HERE / name).read_text(encoding='utf-8').splitlines():
        if line.startswith(' ') and key:
            listed[key] = (listed[key] + ' ' + line.strip()).strip()
        elif line and not line.startswith('#'):
            key = line
            listed[key] = ''
    return listed


def write_known(made, noticed):
    """The list of --known: of some files, for each has to be compiled."""
    files = collections.defaultdict(list)
    for fault in noticed:
        if fault.usual_s <= KNOWN_S and made.users(fault.file) <= USERS_FEW:
            files[fault.file].append(f'{fault.key}\n    {fault.ended.split()[0]}\n')
    of_each = sorted(files, key=lambda name: -len(files[name]))[:KNOWN_FILES]
    known = [line for name in of_each for line in files[name][: KNOWN // KNOWN_FILES]]
    path = HERE / 'noticed'
    head = [line for line in path.read_text(encoding='utf-8').splitlines(True) if line[0] == '#']
    path.write_text(''.join(head + sorted(known)), encoding='utf-8')


def try_all(builds, arguments, sources, faults):
    """(noticed, not noticed) in these builds; faults that are in no program are in neither."""
    noticed = []
    for build in builds:
        run = Run(build, arguments, 'mutation-known' if arguments.known else 'mutation')
        try:
            began = time.monotonic()
            run.make(sources, faults)
            print(f'{build}: built in {time.monotonic() - began:.0f} s', flush=True)
            known = run.cover(faults)
            if build == builds[0]:
                print(f'{len(faults) - len(known)} faults are in no program of this build')
                faults = known
            run.map(run.attempt, known)
        finally:
            shutil.rmtree(run.temporary, ignore_errors=True)
        noticed += [fault for fault in faults if fault.is_noticed]
        faults = [fault for fault in faults if not fault.is_noticed]
        if not faults:
            break
    return noticed, faults


def report(noticed, new, stale):
    """The share that is noticed, in percent."""
    for group, count in sorted(collections.Counter(f.group for f in noticed + new).items()):
        print(f'  {group}: {count}, of them unnoticed {sum(each.group == group for each in new)}')
    for fault in new:
        print(f'unnoticed, {fault.file}:{fault.line}, {fault.ended}:\n{fault.key}')
    for key in stale:
        print(f'in the list, but not in the sources: {key}')
    share = 100 * len(noticed) / max(1, len(noticed) + len(new))
    print(f'{len(noticed)} noticed, {len(new)} not: {share:.1f} %')
    return share


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('builds', nargs='+', type=os.path.abspath)
    parser.add_argument('--count', type=int, default=400)
    parser.add_argument('--tests', default='')
    parser.add_argument('--least', type=float, default=95)
    parser.add_argument('--seconds', type=float, default=600)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--known', action='store_true')
    parser.add_argument('--renew', action='store_true')
    arguments = parser.parse_args()
    scale = os.environ.get('TRAWL_TEST_SCALE') or '1'
    if arguments.known and scale != 'long' and int(scale) < LONG_SCALE:
        print('SKIPPED: faults are put into the sources in long runs')
        return 77
    if not os.path.exists(os.path.join(arguments.builds[0], 'build.ninja')):
        print('SKIPPED: the build was not made with ninja')
        return 77
    seed = int(os.environ.get('TRAWL_TEST_SEED') or 1)
    print(f'mutation: TRAWL_TEST_SEED={seed}', flush=True)
    made = overlay.Overlay(arguments.builds[0], ROOT, '')
    sources = {
        name: sites.Source(name, (ROOT / name).read_text(encoding='utf-8'))
        for name in sorted(made.compiled) if name.startswith(('src/', 'gallery/')) and not name.startswith('gallery/tests/')
    }  # fmt: skip
    places = [place for source in sources.values() for place in source.sites()]
    keys = {site.key for place in places for site in place}
    listed = read_list('noticed' if arguments.known else 'survivors')
    stale = [key for key in listed if key not in keys]
    if arguments.known:
        places = [[site] for place in places for site in place if site.key in listed]
    faults = sites.draw(places, arguments.count, seed)
    if arguments.known:
        names = {re.escape(listed[fault.key]) for fault in faults}
        arguments.tests = '^(' + '|'.join(names) + ')$'
    else:
        drawn = len(faults)
        faults = [fault for fault in faults if fault.key not in listed]
        print(f'{len(places)} places; of {drawn} faults nothing can notice {drawn - len(faults)}')
    noticed, new = try_all(arguments.builds, arguments, sources, faults)
    if arguments.known:  # a test may have changed: what it no longer comes to, another notices
        new, stale = [fault for fault in new if fault.is_reached], []
    share = report(noticed, new, stale)
    if arguments.known and len(noticed) < KNOWN_LEAST:
        print('few faults of the list are noticed: a run with --renew writes it anew')
        return 1
    if arguments.renew:
        write_known(made, noticed)
    return 0 if share >= arguments.least else 1


if __name__ == '__main__':
    sys.exit(main())
