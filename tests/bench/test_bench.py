#!/usr/bin/env python3
"""The measuring program on small texts. test_bench.py TRAWL-BENCH TRAWL PART"""
import contextlib
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tools', 'bench'))

import bench  # noqa: E402
import calibrate  # noqa: E402
import claims  # noqa: E402
import docs  # noqa: E402
import floods  # noqa: E402
import grid  # noqa: E402
import gpu  # noqa: E402
import losses  # noqa: E402
import papers  # noqa: E402
import papers_check  # noqa: E402
import regret  # noqa: E402
import report  # noqa: E402
import runner as rows_of  # noqa: E402
import sets  # noqa: E402
import texts  # noqa: E402

PROGRAM, COMMAND = sys.argv[1:3]
IS_LONG = os.environ.get('TRAWL_TEST_SCALE', '1') != '1'
SMALL = {'text': 'letters:abcdef', 'bytes': 60000, 'lines': 80, 'patterns': 'pieces:40:1:5'}
CALLS = ('count', 'build', 'first', 'lines', 'by-pattern', 'positions', 'sink', 'batches', 'begins')
SHAPES = ('rows', 'cells', 'records', 'patterns')


def run_rows(rows, environment=None):
    """Exit status, results, what was complained about."""
    text = ''.join(rows_of.lines_of(row) for row in rows)
    done = subprocess.run([PROGRAM], input=text.encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False,
                          env={**os.environ, **(environment or {})})
    return (done.returncode, [json.loads(line) for line in done.stdout.splitlines()],
            done.stderr.decode())


def made_results(*results, **facts):
    return {'name': 'row', 'results': [dict(zip(('name', 'seconds'), it)) for it in results], **facts}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def bench(self, *words, status=0):
        """./dev bench: its results, and its report."""
        files = [os.path.join(self.folder, name) for name in ('out.json', 'out.md')]
        with contextlib.redirect_stdout(io.StringIO()):
            options = bench.parse([*words, f'--runner={PROGRAM}', '--data=/nothing',
                                   f'--directory={self.folder}', f'--json={files[0]}',
                                   f'--markdown={files[1]}']
                                  + ([] if any(w.startswith('--command') for w in words)
                                     else [f'--command={COMMAND}']))
            self.assertEqual(bench.one(options, options.name), status)
        self.assertFalse([name for name in os.listdir(self.folder)
                          if name.startswith('trawl-bench.')], 'files were left behind')
        if status:
            self.assertFalse(os.path.exists(files[0]), 'results of a wrong answer were written')
            return None, ''
        with open(files[1], encoding='utf-8') as file:
            return rows_of.read_results(files[0]), file.read()

    def all_right(self, row, *missing):
        for it in row['results']:
            if it['name'] in missing:
                self.assertIn('why', it)
            else:
                self.assertNotIn('wrong', it, row['name'])
                self.assertGreater(min(it.get('seconds') or [0]), 0, (row['name'], it))


class Rows(Case):
    """What the program does with a row."""

    def test_calls(self):
        ask = {**SMALL, 'flags': None}
        status, results, _ = run_rows([{'name': call, 'rounds': 2, 'asks': [({**ask, 'call': call}, [
            {'name': 'one', 'threads': 1, 'ours': True}, {'name': 'all', 'ours': True},
            {'name': 'once', 'plan': 'once', 'clock': 'cpu'}])]} for call in CALLS])
        self.assertEqual((status, len(results)), (0, len(CALLS)))
        for row in results:
            self.all_right(row)
            self.assertEqual([len(it['seconds']) for it in row['results']], [2, 2, 2])

    def test_counts_by_hand(self):
        text = os.path.join(self.folder, 'text')
        with open(text, 'w', encoding='ascii') as file:
            file.write('aaaa\nthe The\nother\n')
        hand = {('aa', None): 3, ('the', None): 2, ('the', 'ignore-case'): 3,
                ('the', 'ignore-case,word'): 2, ('zz', None): 0}
        status, results, _ = run_rows(
            {'name': f'{word}', 'rounds': 1, 'asks': [({
                'text': f'file:{text}', 'patterns': f'literal:{word}', 'flags': flags},
                [{'name': 'trawl', 'ours': True}])]} for word, flags in hand)
        self.assertEqual(status, 0)
        self.assertEqual([row['found'] for row in results], list(hand.values()))

    def test_rivals(self):
        hs = [] if b'"hyperscan": ""' in subprocess.run(
            [PROGRAM, 'describe'], stdout=subprocess.PIPE, check=True).stdout else ['hyperscan']
        who = [{'name': kind, 'kind': kind} for kind in ('memmem', 'read', *hs)]
        who += [{'name': 'callers', 'callers': 3, 'threads': 2},
                {'name': 'share', 'kind': 'memmem', 'limit': 1e-9}]
        status, results, _ = run_rows([{'name': 'rivals', 'rounds': 1, 'asks': [(SMALL, who)]}])
        self.assertEqual(status, 0)
        self.all_right(results[0])
        self.assertLess(results[0]['results'][-1]['share'], 1)

    def test_records(self):
        tape = os.path.join(self.folder, 'tape')
        with open(tape, 'wb') as file:
            file.write(b''.join(b'%09d\0' % i for i in range(3000)))
        patterns = os.path.join(self.folder, 'patterns')  # without NUL, which strstr ends at
        with open(patterns, 'wb') as file:
            file.write(b'0\n12\n999\n123\n7\n')
        ask = {'text': f'file:{tape}', 'record': 10, 'patterns': f'file:{patterns}', 'call': 'cells'}
        who = [{'name': shape, 'call': shape, 'ours': True} for shape in SHAPES]
        who += [{'name': kind, 'kind': kind, 'call': 'rows'} for kind in ('memmem', 'strstr')]
        status, results, _ = run_rows([{'name': 'records', 'rounds': 1, 'memory': True,
                                        'asks': [(ask, who)]}])
        self.assertEqual(status, 0)
        self.all_right(results[0])
        self.assertGreater(results[0]['results'][0]['memory_bytes'], 0)

    def test_texts(self):
        texts = ('letters', 'letters:ab', 'fibonacci', 'thue-morse', 'repeat:ab', 'piece:31')
        status, results, _ = run_rows(
            {'name': text, 'rounds': 1, 'asks': [({
                'text': text, 'bytes': 3000, 'patterns': f'at:{at}:4', **change},
                [{'name': 'trawl', 'ours': True}])]}
            for text in texts for at, change in ((100, {}), (7, {'absent': True}),
                                                 (0, {'change': 'last', 'to': '#'})))
        self.assertEqual(status, 0)
        self.assertEqual([bool(row['found']) for row in results], [True, False, False] * len(texts))


    def test_bytes_of_the_text(self):
        """Patterns that are made of the text's bytes, and an exchanged byte that is one of them."""
        hand = {('drawn:1:1:1', 'repeat:ab', None): 1500, ('drawn:4:2:2', 'repeat:a', None): 4000,
                ('at:0:1', 'repeat:ab', 'middle'): 1500, ('at:0:2', 'repeat:ab', 'last'): 0,
                ('at:0:1', 'repeat:a', 'first'): 0}
        status, results, _ = run_rows(
            {'name': recipe, 'rounds': 1, 'asks': [({
                'text': text, 'bytes': 3000, 'lines': 3 if recipe == 'drawn:4:2:2' else None,
                'patterns': recipe, 'change': change}, [{'name': 'trawl', 'ours': True}])]}
            for recipe, text, change in hand)
        self.assertEqual(status, 0)
        self.assertEqual([row['found'] for row in results], list(hand.values()))


class Wrong(Case):
    """A contestant that lies is caught, whatever is asked."""

    def test_lies(self):
        for call in CALLS:
            if call == 'build':
                continue
            status, results, said = run_rows([{'name': 'lie', 'rounds': 1, 'asks': [(
                {**SMALL, 'call': call}, [{'name': 'honest', 'ours': True},
                                          {'name': 'liar', 'lie': True, 'ours': True}])]}])
            self.assertEqual(status, 1, call)
            self.assertIn('WRONG: lie: liar finds', said)
            self.assertEqual([it.get('wrong', False) for it in results[0]['results']], [False, True])
            self.assertFalse(results[0]['results'][1]['seconds'])

    def test_lies_of_others_only_leave_them_out(self):
        status, results, _ = run_rows([{'name': 'lie', 'rounds': 1, 'asks': [(
            SMALL, [{'name': 'memmem', 'kind': 'memmem', 'lie': True}])]}])
        self.assertEqual((status, results[0]['results'][0]['wrong']), (0, True))

    def test_commands(self):
        echo = [rows_of.command('echo', 'hi'), rows_of.command('echo', 'ho'),
                rows_of.command('sh', '-c', 'echo hi | cat'),
                rows_of.command('sh', '-c', 'echo hi; exit 1')]
        status, results, _ = run_rows([{'name': 'commands', 'rounds': 1, 'asks': [(
            {}, [{'name': str(i), 'ours': i == 1, **it} for i, it in enumerate(echo)])]}])
        self.assertEqual([it.get('wrong', False) for it in results[0]['results']],
                         [False, True, False, True])
        self.assertEqual(status, 1)

    def test_a_lying_command(self):
        liar = os.path.join(self.folder, 'liar')
        with open(liar, 'w', encoding='ascii') as file:
            file.write('#!/bin/sh\necho 7\n')
        os.chmod(liar, 0o755)
        self.bench('commands', '--bytes=64K', '--rounds=1', '--filter=rare word -c -i',
                   f'--command={liar}', status=1)


class Suites(Case):
    def test_cpu(self):
        data, text = self.bench('cpu', '--bytes=64K', '--rounds=1', '--filter=m=64')
        self.assertEqual(len(data['rows']), 15)
        for row in data['rows']:
            self.all_right(row)
        # A row for each alphabet, present beside absent, and one for each kind of worst case.
        self.assertEqual(text.count('\n| m=64'), 4)
        self.assertEqual(sum(line.startswith('| ') and '**' in line for line in text.split('\n')), 4 + 7)


class Commands(Case):
    def test_all(self):
        data, text = self.bench('commands', '--bytes=256K', '--rounds=1', '--small-runs=1')
        self.assertEqual(len(data['rows']), 46)
        self.assertEqual(text.count('\n| ') - 1, 46)
        for row in data['rows']:
            self.assertIsNotNone(report.result(row, 'trawl'), row['name'])


    @unittest.skipUnless(os.path.exists(os.path.join(os.path.dirname(PROGRAM), 'trawl-serve')), 'no server')
    def test_serve(self):
        """A server's answers, beside the search alone: what was planted is found by all."""
        data, text = self.bench('serve', os.path.join(ROOT, 'src'), '--bytes=1M', '--cell-seconds=0.02')
        row, = data['rows']
        self.assertEqual([it['alone']['count'] for it in row['one client'].values()][:3], [0, 16, 0])
        self.assertGreater(row['many']['answered'], 0)
        self.assertIn('\n| one client, frequent | ', text)


class Sets(Case):
    def test_sets(self):
        data, text = self.bench('sets', '--bytes=64K', '--rounds=2', '--filter=dna, 10 p',
                                '--cell-seconds=0.01')
        row, = data['rows']
        self.assertGreater(row['found'], 0)
        for name in (sets.ONE, sets.ALL, sets.MEMMEM, 'trawl -c -f'):
            self.assertIsNotNone(report.result(row, name), name)
        self.assertIn('against memmem' if 'against memmem' in text else ' -f against grep', text)

    def test_matrix(self):
        data, text = self.bench('matrix', '--bytes=20000', '--rounds=1', '--filter=letters, 4',
                                '--cell-seconds=0.01')
        row, = data['rows']
        self.assertGreater(row['found'], 0)
        self.assertIn('trawl, cells, all cores against memmem, all cores: ', text)


class Floods(Case):
    def test_wants(self):
        name = '1,000 substrings; 4,000 letters repeated, in lines'
        data, text = self.bench('floods', '--bytes=16K', '--rounds=1', f'--filter={name}')
        self.assertEqual([row['wanted'] for row in data['rows']],
                         ['count', 'count by pattern', 'positions', 'in batches', 'lines'])
        for row in data['rows']:
            self.all_right(row)
        self.assertEqual(text.count(' ns exceeded in '), 5)


class Grid(Case):
    def test_all(self):
        words = 4 if IS_LONG else 1  # in a normal run each corpus and mode with one word
        data, text = self.bench('grid', '--bytes=20K', '--rounds=1', f'--against={COMMAND}',
                                *([] if IS_LONG else ['--filter=rare']))
        self.assertEqual(len(data['rows']), 5 * words * 11)
        for row in data['rows']:
            self.assertIsNotNone(report.result(row, grid.TRAWL), row['name'])
            self.assertIsNotNone(report.result(row, grid.OLD), row['name'])
        self.assertIn('against the old binary: ', text)

    def test_busy(self):
        data, text = self.bench('grid', '--bytes=20K', '--rounds=1', '--busy', '--filter=log, rare, -c')
        self.assertTrue(data['busy'])
        self.assertIn('every core busy: ', text)


class Regret(Case):
    def all_methods(self, row, engine):
        """Each method that is not refused is right; of one pattern every one is measured."""
        for it in row['results']:
            self.assertNotIn('wrong', it, row['name'])
            if it['name'] not in regret.READS:  # for the simulated driver, which reads nothing
                self.assertTrue(it.get('seconds') or 'takes' in it.get('why', ''), (row['name'], it))
        for name in (regret.CHOICE, regret.SHOWN, 'set'):
            self.assertIsNotNone(report.result(row, name), (engine, row['name']))
        if row.get('m', 0) >= 16:
            methods = {'every', 'grams', 'sampled', 'set'} | set(regret.SET_WAYS if engine == 'cpu' else ())
            if row['flags'] == 'word':
                methods.discard('classes')  # which they do not take
            self.assertEqual(set(regret.methods_of(row)), methods)
        self.assertEqual(regret.SINGLY in regret.methods_of(row), row.get('n') == 10)
        self.assertGreaterEqual(regret.regret(row), 1)

    def test_rows(self):
        for name, count in (('ab, m = 1', 19), ('log, programs, DNA, m = 16, taken', 3), ('C, 10 strings', 3),
                            ('English, 1,000 strings, made up', 3)):
            data, text = self.bench('regret', '--bytes=64K', '--rounds=1', f'--filter={name}')
            self.assertEqual(len(data['rows']), count, name)
            for row in data['rows']:
                self.all_methods(row, 'cpu')
            self.assertIn(f"\n| all | {len(data['rows'])} | ", text)

    def names(self, *words):
        options = bench.parse(['regret', '--bytes=16M', '--filter=ACGT, ', f'--command={COMMAND}',
                               '--rounds=1', *words])
        options.facts, options.bytes = {'methods': ['auto', 'every']}, 1 << 24
        return [row['name'] for row in regret.rows(options, None)]

    def test_share(self):
        every, some, others = self.names(), self.names('--share=0.3'), self.names('--share=0.3', '--seed=2')
        self.assertEqual(len(every), len(set(every)))
        self.assertGreater(len(every) * len(regret.MADE + regret.FILES), 2000)
        self.assertTrue(0 < len(some) < len(every) and set(some) <= set(every))
        self.assertNotEqual(set(some), set(others))

    def test_no_such_files(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            options = bench.parse(['regret', '--filter=JavaScript', f'--command={COMMAND}'])
            options.facts, options.bytes, options.directory = {'methods': []}, 65536, self.folder
            made, saved = texts.Texts(options), texts.OWN['javascript']
            texts.OWN['javascript'] = ((os.path.join(self.folder, 'none'),), '.js')
            self.assertEqual(list(regret.rows(options, made)), [])
            texts.OWN['javascript'] = saved
        self.assertEqual(out.getvalue(), 'SKIPPED: JavaScript: this machine has no such files\n')


class Papers(Case):
    def test_small(self):
        data, text = self.bench('papers', '--largest=8K', '--rounds=1', '--cell-seconds=0.01')
        self.assertEqual({row['paper'] for row in data['rows']}, set(papers.NAMES))
        measured = [it['name'] for row in data['rows'] for it in row['results'] if it.get('seconds')]
        self.assertIn('strstr, one core', measured)
        self.assertIn('wordSearchCPU (naive, one core)', measured)
        self.assertFalse([it for row in data['rows'] for it in row['results'] if it.get('wrong')])
        self.assertIn('|verdict|what the figures say|', text)
        self.assertEqual([row['runs'] for row in data['rows'] if '#' in row['name']], [])

    def test_definitions(self):
        """Each cell and each case refers to a contestant of its row."""
        for name, facts in papers.definitions().items():
            known = {(on, one[0]) for it in facts['who'] for on in it['on'] for one in it['who']}
            refs = list(facts['published'])
            for made in facts['tables']:
                refs += [f'{key}|{row[1]}' if made['across'] == 'on' else row[1] + key
                         for _, key in made['columns'] for row in made['rows']]
            refs += [ref for claim in facts['claims'] for case in claims.cases_of(claim)
                     for ref in case[1:]]
            for ref in refs:
                self.assertIn(tuple(ref.split('|')[:2]), known, name)

    @staticmethod
    def drawn(seed):
        """A report on figures drawn at random: orderings turn from seed to seed."""
        draw = random.Random(seed)
        rows = []
        for paper, facts in papers.definitions().items():
            for group in facts['who']:
                for on in group['on']:
                    count = papers.PATTERNS if paper == 'swift' and 'several' not in on else 10
                    results = []
                    for name, host, side in group['who']:
                        level = 10 ** draw.uniform(-4, -2) if seed % 2 else 1e-3
                        it = {'name': name, 'host': host, 'side': side, 'plan': [1e-6] * count}
                        for part in ('seconds', 'kernel', 'shifts', 'copy_in', 'copy_out', 'search'):
                            size = level * (0.1 if part == 'shifts' else 1)
                            it[part] = [size * draw.uniform(0.9, 1.2) for _ in range(count)]
                        if '-swift' in name and count == papers.PATTERNS:
                            it['children'] = [[draw.randrange(9), 1, i % 2] for i in range(count)]
                        results.append(it)
                    rows.append({'paper': paper, 'name': on, 'runs': count, 'answers': 1,
                                 'results': results, **({'patterns': count} if count != 10 else {})})
        machine = {'processor': 'p', 'cores': 2, 'gpu': 'g', 'memory_bytes': 1, 'system': 's', 'trawl': '0',
                   'commit': 'c', 'instruction_set': 'i', 'compiler': 'cc', 'date': 'd', 'command': 'x'}
        data = {'machine': machine, 'gpu': 'g', 'grep': 'grep', 'texts': {}, 'rows': rows}
        page = '<!-- begin overview -->\n<!-- end overview -->\n'
        page += ''.join(f'<!-- begin {name} -->\n<!-- end {name} -->\n' for name in papers.NAMES)
        page = report.put_section(page, 'overview', papers.overview(data))
        for name in papers.NAMES:
            page = report.put_section(page, name, papers.part(data, name))
        return page, data

    def test_recomputed(self):
        """Other code finds the same cells, numbers, verdicts and losses, whichever way they turn."""
        verdicts = set()
        for seed in range(8 if IS_LONG else 4):
            page, data = self.drawn(7 - seed)
            self.assertEqual(papers_check.faults(page, data, papers.definitions()), [])
            verdicts |= {word for word in claims.VERDICTS if f'\n|{word}|' in page}
        self.assertEqual(verdicts, set(claims.VERDICTS))
        for old, new in ((r'\|undecided\|', '|reproduced|'), (r'(\d) × here', r'\g<1>1 × here'),
                         (r'in (\d+) of', r'in 9\1 of'), (r'trawl takes (\d)', r'trawl takes 7\1'),
                         (r'\|(\d\.\d\d)\|', r'|9\1|'), (r'\d+ undecided', '0 undecided'),
                         (r'\*\*(\w+)\*\*: ', '**un\\1**: '), (r'by medians in ', 'by medians in 9'),
                         (r'\*: trawl takes', ': trawl takes')):
            changed = re.sub(old, new, page, count=1)
            self.assertNotEqual(changed, page, old)
            self.assertTrue(papers_check.faults(changed, data, papers.definitions()), old)

    def test_merged(self):
        """A cell of many patterns keeps the mean of each; what one has not, none has."""
        rows = [{'paper': 'swift', 'name': f'c #{i}', 'answers': 1, 'runs': 2, 'results': [
            {'name': 'a', 'host': 'GPU', 'side': '', 'seconds': [i, i + 2], 'kernel': [i],
             'note': f'child grids {i}, refused 0, withheld 1'},
            {'name': 'b', 'host': 'GPU', 'side': '', **({'why': 'no time'} if i else {'seconds': [1]})}]}
            for i in range(3)]
        row = papers.merged(rows)[0]
        self.assertEqual((row['name'], row['patterns'], row['answers']), ('c', 3, 3))
        self.assertEqual(row['results'][0]['seconds'], [1, 2, 3])
        self.assertEqual(row['results'][0]['kernel'], [0, 1, 2])
        self.assertEqual(row['results'][0]['children'], [[0, 0, 1], [1, 0, 1], [2, 0, 1]])
        self.assertEqual(row['results'][1]['why'], 'no time')


class Gpu(Case):
    """The rows for devices, with a simulated one. Its driver takes no kernel that it does not know,
    so nothing is known of the read speed there."""

    def test_groups(self):
        words = ['lists', 'first', 'small', 'pairs', 'callers', 'devices']
        data, text = self.bench('gpu', *words, '--bytes=8K', '--rounds=1', '--cell-seconds=0.001')
        self.assertEqual({row['group'] for row in data['rows']}, set(words))
        for row in data['rows']:
            for it in row['results']:
                self.assertNotIn('wrong', it, row['name'])
                if it['name'] != gpu.READ:
                    self.assertTrue(it.get('seconds'), (row['name'], it))
        self.assertIn('with 2 devices', text)

    def test_rows(self):
        for name in ('a-z, m = 16', 'Fibonacci, m = 64', 'ACGT, 10 of 16 bytes', 'ACGT, m = 8', '1 patterns',
                     '1 of 40: 3 edits'):
            data, text = self.bench('gpu', 'counts', 'worst', 'sets', 'approximate', 'gallery', 'host',
                                    '--bytes=16K', '--rounds=1', '--cell-seconds=0.001', f'--filter={name}')
            self.assertTrue(data['rows'], name)
            if data['rows'][0]['group'] in gpu.CROSSED:
                head, _, tail = data['rows'][0]['name'].rpartition(', ')
                self.assertIn(f' {head} |', text)
                self.assertIn(f'\n| {tail} |', text)
            for row in data['rows']:
                self.assertIsNotNone(report.result(row, gpu.ALL), row['name'])

    def test_corpora(self):
        """Every algorithm lists what is right, on each engine; one may refuse, no other."""
        data, _ = self.bench('gpu', 'corpora', '--bytes=4K', '--rounds=1', '--cell-seconds=0.001',
                             *([] if IS_LONG else ['--filter=, m = 17']))
        self.assertEqual(len(data['rows']), 66 if IS_LONG else 6)
        for row in data['rows']:
            self.assertIsNotNone(report.result(row, 'bf-swift, GPU'))
            self.assertIsNotNone(report.result(row, 'bmh, CPU'))
            self.assertTrue(('absent' in row['name']) != bool(row['found']), row['name'])
        data['rows'][0]['results'][0] = {'name': 'bmh, CPU', 'why': 'it failed'}
        with self.assertRaises(SystemExit), contextlib.redirect_stdout(io.StringIO()):
            gpu.show(data['rows'][0])

    def test_regret(self):
        data, _ = self.bench('regret', '--engine=cuda', '--bytes=8K', '--rounds=1', '--filter=ACGT, m = 64')
        self.assertEqual(len(data['rows']), 7)
        for row in data['rows']:
            Regret.all_methods(self, row, 'cuda')

    def test_loaded_texts(self):
        """Contestants share what is loaded: never another text, nor another part of it."""
        who = [{'name': str(i), 'engine': 'cuda', 'loaded': True, 'ours': True} for i in range(2)]
        asks = [({'text': f'repeat:{part}', 'bytes': count, 'oracle': 5000, 'patterns': 'literal:a'}, who)
                for part, count in (('a', 8000), ('ab', 8000), ('ab', 6000))]
        status, results, _ = run_rows(
            [{'name': 'loaded', 'rounds': 2, 'asks': [ask]} for ask in asks + asks]
            + [{'name': 'together', 'rounds': 2, 'asks': asks}])
        self.assertEqual(status, 0)
        self.assertEqual([[it['count'] for it in row['results']] for row in results],
                         [[8000] * 2, [4000] * 2, [3000] * 2] * 2
                         + [[8000] * 2 + [4000] * 2 + [3000] * 2])

    def test_loaded_is_apart(self):
        """What one has loaded another does not find on the device: it copies in chunks. They shared a
        searcher, and no test had both kinds in one row."""
        who = [{'name': name, 'engine': 'cuda', 'loaded': name == 'loaded', 'ours': True}
               for name in ('loaded', 'not')]
        ask = {'text': 'repeat:ab', 'bytes': 1200000, 'oracle': 5000, 'patterns': 'literal:ba'}
        status, (row,), _ = run_rows([{'name': 'r', 'rounds': 1, 'parts': True, 'asks': [(ask, who)]}])
        self.assertEqual(status, 0)
        self.assertEqual([it['chunks'] > 1 for it in row['results']], [False, True])


class Reports(Case):
    """Sentences and verdicts turn with the figures."""

    def test_statistics(self):
        self.assertEqual([report.digits(v) for v in (0, 123.4, 12.34, 1.234, 0.1234, 0.01234)],
                         ['0', '123', '12.3', '1.23', '0.123', '0.0123'])
        self.assertEqual(report.median(report.result(made_results(('a', [3, 1, 2])), 'a')), 2)
        self.assertIsNone(report.result({'results': [{'name': 'a', 'seconds': [1], 'wrong': True}]}, 'a'))
        self.assertEqual(report.put_section('x\n<!-- begin a -->\nold\n<!-- end a -->\n', 'a', ['new']),
                         'x\n<!-- begin a -->\n\nnew\n\n<!-- end a -->\n')

    def figures(self, *seconds):
        results = [{'name': name, 'host': 'one core', 'side': side, 'seconds': [value]}
                   for name, side, value in seconds]
        rows = [{'paper': 'p', 'name': 'on', 'answers': 1, 'runs': 1, 'results': results}]
        return claims.Figures({'machine': {}}, rows, {'on|a': 1, 'on|b': 2}), rows

    def test_claims(self):
        """Figures turned round, and close to the bound: each verdict; the means of runs count."""
        claim = {'say': 'a is faster than b', 'on': ['on'], 'who': [['a', 'b']], 'why': 'So it is.'}

        def judged(a, b, **fields):
            return claims.judge(self.figures(('a', 'published', a), ('b', 'published', b))[0],
                                {**claim, **fields})

        self.assertEqual(judged(1, 2), ('reproduced', ': 2.00 × here, 2.00 × there.', ''))
        self.assertEqual(judged(2, 1), ('not reproduced', ': 0.500 × here, 2.00 × there.', 'So it is.'))
        self.assertEqual([judged(1, b)[0] for b in (0.94, 0.97, 1.04, 1.06)],
                         ['not reproduced', 'undecided', 'undecided', 'reproduced'])
        self.assertEqual([judged(1, b, bound=3)[0] for b in (2.8, 3.1, 3.2)],
                         ['not reproduced', 'undecided', 'reproduced'])
        self.assertEqual([judged(1, b, kind='most', bound=3)[0] for b in (2.8, 3.1, 3.2)],
                         ['reproduced', 'undecided', 'not reproduced'])
        self.assertEqual([judged(1, b, kind='no slower')[0] for b in (0.9, 0.97, 2)],
                         ['not reproduced', 'reproduced', 'reproduced'])
        self.assertEqual([judged(1, b, kind='equal')[0] for b in (0.9, 0.97, 2)],
                         ['not reproduced', 'reproduced', 'not reproduced'])
        self.assertEqual(judged(1, 4, kind='reach', bound=3),
                         ('reproduced', ': at best 4.00 × here (on), at worst 4.00 ×.', ''))
        self.assertEqual(judged(1, 2, who=[['a', 'b'], ['b', 'a'], ['a', 'a']], cells='pairs'),
                         ('partly', ': in 1 of 3 pairs, not in 1 (on, b), undecided in 1; 0.500 to 2.00 × '
                                    'here, 0.500 to 2.00 × there.', ''))
        self.assertIsNone(claims.judge(self.figures(('a', 'published', 4))[0], claim))
        figures, rows = self.figures(('a', 'published', 1), ('b', 'published', 1))
        rows[0]['results'][1]['seconds'] = [1, 1, 4]
        self.assertEqual(claims.judge(figures, claim)[1], ': 2.00 × here, 2.00 × there.')

    def test_quartiles(self):
        """Of many patterns the quartiles decide, not the mean and not the median."""
        claim = {'say': 'a is faster than b', 'on': ['on'], 'who': [['a', 'b']]}
        for b, word in (((2, 2, 2, 2), 'reproduced'), ((0.5, 2, 2, 900), 'undecided'),
                        ((0.5, 0.5, 0.6, 0.7), 'not reproduced')):
            figures, rows = self.figures(('a', 'published', 1), ('b', 'published', 1))
            rows[0]['patterns'] = 4
            rows[0]['results'][0]['seconds'], rows[0]['results'][1]['seconds'] = [1] * 4, list(b)
            self.assertEqual(claims.judge(figures, claim)[0], word)

    def test_crossings(self):
        claim = {'say': 'a overtakes b', 'kind': 'cross', 'bound': 100, 'unit': 'bytes',
                 'cases': [['10', 'on|a', 'on|b'], ['1000', 'on|b', 'on|a']]}
        figures, _ = self.figures(('a', 'published', 2), ('b', 'published', 1))
        self.assertEqual(claims.judge(figures, claim),
                         ('reproduced', ': here from 100 bytes on (0.500 to 2.00 ×).', ''))
        self.assertEqual(claims.judge(figures, {**claim, 'bound': 202})[0], 'undecided')
        self.assertEqual(claims.judge(figures, {**claim, 'bound': 300})[0], 'not reproduced')
        figures, _ = self.figures(('a', 'published', 1), ('b', 'published', 2))
        self.assertEqual(claims.judge(figures, claim),
                         ('not reproduced', ': back and forth between 10 and 1000 bytes (0.500 to 2.00 ×).', ''))
        for left, word in (('a', ': everywhere between '), ('b', ': nowhere between ')):
            same = ['on|a', 'on|b'] if left == 'a' else ['on|b', 'on|a']
            found = claims.judge(figures, {**claim, 'cases': [['10', *same], ['1000', *same]]})
            self.assertTrue(found[1].startswith(word), found)

    def test_losses(self):
        for own, words in (([2, 2, 2], 'behind in 1 (by medians in 1); in 1 of them (*)'),
                           ([0.5, 0.5, 9], 'behind in 1 (by medians in 0); in 1 of them (*)'),
                           ([0, 1.2, 1.2], 'behind in 0 (by medians in 1)'), ([0.5] * 3, 'ahead in all.')):
            rows = self.figures(('x', 'published', 1), ('y', 'published', 3), ('trawl, one core', 'own', 1))[1]
            rows[0]['results'][2]['seconds'] = own
            found = losses.find({'rows': rows})
            self.assertIn(words, losses.lines(found)[0])
        self.assertEqual(losses.beside(found, 'p'), 'ahead in 1 of 1 (2.00 to 2.00 ×)')

    def test_grid(self):
        rows = [made_results((grid.GREP, [0.02]), (grid.RG, [0.01]), (grid.TRAWL, [seconds]),
                             (grid.OLD, [0.01]), pattern='w') for seconds in (0.02, 0.01, 0.001)]
        lines = list(grid.conclusions({'rows': rows}))
        self.assertIn('1 of 2 rows of 5 ms and more are below 1.0 x', lines[0])
        self.assertTrue(lines[1].startswith('- LOW 0.50: row (`w`): 20.0 ms, rg -F 10.0 ms'))
        self.assertIn('- SLOWER 2.00 x: row (`w`)', lines)

    def test_floods(self):
        rows = [{**made_results(('dense', [seconds])), 'wanted': 'count', 'text_bytes': 10 ** 9}
                for seconds in (4, 40)]
        for row in rows:
            row['results'][0].update(first=3, count=10 ** 9)
        lined = {**made_results(('dense', [8])), 'wanted': 'lines', 'text_bytes': 10 ** 9,
                 'patterns': 'p', 'text': 't'}
        lined['results'][0].update(first=9, count=5)
        data = {'rows': [{**rows[0], 'patterns': 'p', 'text': 't'}, lined]}
        floods.tell_occurrences(data)
        self.assertEqual(floods.price(lined), 4)
        lines = list(floods.conclusions({'rows': rows}))
        self.assertIn('- count: 2.000 to 20.000 ns in 2 rows; 8 ns exceeded in 1; most: row', lines[0])
        self.assertEqual(lines[-1], '- MISSED: row: 20.00 ns')

    def test_sets(self):
        row = {**made_results((sets.ONE, [1.5]), (sets.HYPERSCAN, [2])),
               'bars': [[sets.ONE, sets.HYPERSCAN, 2, False]]}
        row['results'][0]['plan'] = [0.5]
        self.assertEqual(list(sets.conclusions({'rows': [row]})),
                         [f'- {sets.ONE} against {sets.HYPERSCAN}: 2 to 2 times as fast in 1 row, '
                          'slower in none; 0 of 1 bars missed'])


    def test_regret(self):
        """Read contestants and refused methods do not count; times of both measurements do."""
        rows = [{**made_results((regret.CHOICE, [choice]), (regret.SHOWN, [2]), ('every', [2, 1]),
                                ('grams', [5]), ('read', [0.1])), 'text': 'a-z', 'm': 4,
                 'text_bytes': 10 ** 9, 'found': 5, 'name': str(choice)} for choice in (1, 3)]
        for row in rows:
            row['results'][0]['method'] = 'grams'
            row['results'].append({'name': 'sampled', 'why': 'refused'})
        self.assertEqual([regret.regret(row) for row in rows], [1, 3])
        self.assertEqual([regret.regret(row, regret.SHOWN) for row in rows], [2, 2])
        self.assertEqual(regret.kind_table(rows)[2:],
                         [f'| {kind} | 2 | 1 | 2.000 | 3.0 | 2 | 2.000 | 2.0 | 0.333 | 0.333 |'
                          for kind in ('a-z', 'all')])
        self.assertIn('- grams: chosen in 2 rows, clearly the best in 0', list(regret.method_lines(rows)))
        self.assertEqual(regret.clear_winner(rows[0]), 'every')
        self.assertTrue(regret.worst_table(rows)[2].startswith(
            '| 3 | 5 | grams | 0.333 | 3.0 | 2.0 | every | 1.00 |'))
        better = made_results((regret.CHOICE, [1.5]), ('every', [4]), name='3')
        self.assertEqual(regret.doubtful({'rows': rows}), rows[1:])
        self.assertEqual(regret.doubtful({'rows': rows, 'engine': 'cuda'}), [])
        with contextlib.redirect_stdout(io.StringIO()):
            bench.add_times(rows, [better])
        self.assertEqual([regret.regret(row) for row in rows], [1, 1.5])


class Calibrate(Case):
    def test_rows(self):
        """Each question is asked of each instruction set, and its table names what is built in."""
        data, text = self.bench('calibrate', '--bytes=64K', '--rounds=1')
        sets_here = [it['name'] for it in data['rows'][0]['results']]
        self.assertEqual(len(data['rows']), calibrate.PASSES * len(list(calibrate.questions())))
        for row in data['rows']:
            for it in row['results']:
                self.assertTrue(it.get('seconds') and not it.get('wrong'), (row['name'], it))
        for name in sets_here:
            self.assertIn(f'| {name}, built in | ', text)
            self.assertIn(f'    COSTS({name}, ', text)
            self.assertEqual(len(calibrate.built_in()[name]), len(calibrate.WORDS))

    def test_costs(self):
        """Times that follow the model give back what it was made of; the least of all passes counts."""
        each, probe, strides, sample, compared, candidate = 0.01, 0.02, (0.8, 0.4, 0.2, 0.1), 2, 12, 40
        known = {f'every, {n} probes': each + n * probe for n in calibrate.PROBES}
        known.update({f'grams, stride {n}': value for n, value in zip(calibrate.STRIDES, strides)})
        known.update({f'sampled, m = {m}': sample / stride
                      for m, stride in ((64, 56), (128, 120), (200, 192), (300, 288), (500, 488))})
        known.update({'compared, m = 8': 0.3, 'compared, m = 40': 0.3 + compared / 256})
        for method in ('grams', 'sampled'):
            known.update({f'{method}, not found': 0.1, f'{method}, found': 0.1 + candidate / 1000})
        rows = [{**made_results(('avx2', [value * passes / 1000])), 'name': name, 'text_bytes': 10 ** 6}
                for name, value in known.items() for passes in (1, 2)]
        for made, expected in zip(calibrate.costs(rows, 'avx2'),
                                  (each, probe, *strides, sample, compared, candidate)):
            self.assertAlmostEqual(made, expected)


class Docs(Case):
    def test_pages(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = docs.main(True)
        self.assertEqual((status, out.getvalue()), (0, ''))

    def test_a_changed_page_is_seen(self):
        for name in ('docs/measurements',):
            shutil.copytree(os.path.join(ROOT, name), os.path.join(self.folder, name))
        for page in {path for path, *_ in docs.SECTIONS}:
            shutil.copy(os.path.join(ROOT, page), os.path.join(self.folder, page))
        with open(os.path.join(self.folder, 'docs/papers.md'), encoding='utf-8') as file:
            text = file.read()
        with open(os.path.join(self.folder, 'docs/papers.md'), 'w', encoding='utf-8') as file:
            file.write(text.replace('ahead in ', 'ahead nearly in ', 1))
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(docs.main(True, root=self.folder), 1)
        self.assertIn('docs/papers.md is not', out.getvalue())

    def test_papers_recomputed(self):
        with open(os.path.join(ROOT, 'docs/papers.md'), encoding='utf-8') as file:
            page = file.read()
        data = rows_of.read_results(os.path.join(ROOT, 'docs/measurements/papers.json'))
        self.assertEqual(papers_check.faults(page, data, papers.definitions()), [])
        self.assertLessEqual(len(page.split()), 4500)

    def test_hybrid_thresholds(self):
        """The gallery's hybrids change over from the length on at which the longer form was faster."""
        data = rows_of.read_results(os.path.join(ROOT, 'docs/measurements/papers.json'))
        sweep = [row for row in data['rows'] if row['name'].startswith('sweep, ')]
        with open(os.path.join(ROOT, 'gallery/kernels.def'), encoding='utf-8') as file:
            kernels = ' '.join(file.read().split())
        for name in ('bf', 'qs', 'hp'):
            first = 'NEVER'
            for row in reversed(sweep):
                shared, chunking = (report.median({'seconds': report.result(row, name + form)['kernel']})
                                    for form in ('-shared', '-swift-chunking'))
                if chunking >= shared:
                    break
                first = row['name'].split()[-1]
            named = re.findall(rf'MEASURED\("([^"]+)", {name.upper()}_HYBRID, {first}\)', kernels)
            self.assertTrue([device for device in named if device in data['gpu']], (name, first))


class Options(Case):
    def test_mistakes(self):
        for words in ((), ('no-such',), ('cpu', '--bytes=x'), ('cpu', '--bytes=7'),
                      ('cpu', '--rounds=-1'), ('cpu', '--no-such'), ('commands', '--command=/no/such'),
                      ('cpu', '--bytes=64K', '--filter=no-such-row')):
            done = subprocess.run([sys.executable, os.path.join(ROOT, 'tools/bench/bench.py'), *words,
                                   f'--runner={PROGRAM}', f'--directory={self.folder}'],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertTrue(done.stderr, words)

    def test_a_signal_leaves_no_files(self):
        with subprocess.Popen([sys.executable, os.path.join(ROOT, 'tools/bench/bench.py'), 'cpu',
                               f'--runner={PROGRAM}', f'--directory={self.folder}', '--bytes=1M'],
                              stdout=subprocess.PIPE) as process:
            process.stdout.readline()  # the first row is done
            process.terminate()
            process.stdout.read()
        self.assertEqual((process.returncode, os.listdir(self.folder)), (143, []))

    def test_input(self):
        for line in ('no\tname=x', 'row\tname', 'as\tname=x', 'row\tname=x\nask\ttext=no-such:1\tbytes=9\nas\tname=y',
                     'row\tname=x\nask\tcall=no-such\nas\tname=y', 'row\tname=x\nask\tx=1\nas\tkind=no-such'):
            done = subprocess.run([PROGRAM], input=(line + '\n').encode(), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 2, line)
            self.assertIn(b'trawl-bench: ', done.stderr)


PARTS = {'rows': (Rows, Suites), 'wrong': (Wrong,), 'commands': (Commands,), 'sets': (Sets,),
         'floods': (Floods,), 'regret': (Regret,), 'grid': (Grid,), 'papers': (Papers,), 'gpu': (Gpu,),
         'reports': (Reports,), 'calibrate': (Calibrate,), 'docs': (Docs,), 'options': (Options,)}


def main():
    if sys.argv[3] == 'grid' and not (shutil.which('grep') or shutil.which('rg')):
        print('SKIPPED: neither grep nor rg is installed')
        return 77
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case)
                               for case in PARTS[sys.argv[3]])
    return 0 if unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful() else 1


if __name__ == '__main__':
    sys.exit(main())
