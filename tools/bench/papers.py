"""papers: the tables and figures of the gallery's sources, measured again.

What a source printed, who takes part in which row, and what it claims is data: papers.json. A cell
or a case refers to a result as "ROW|CONTESTANT" or "ROW|CONTESTANT|PART"; [A, B] is B's time / A's.
No sentence about a figure is written by hand: claims become sentences with the figures of the run,
whichever way they turn out."""
import json
import os
import random
import statistics

import commands
import texts as recipes
from claims import Figures, claim_lines
from report import digits, machine_lines, spread, table
from runner import HERE, command

NAMES = ('pss', 'bmh', 'swift', 'word', 'records')
GPU_CHUNK = 256 << 20  # the sources copied a text whole and launched one kernel on it
ALIASES = {'wordSearchCPU (naive, one core)': 'naive'}
PAIR = '\x01'  # no text holds it: stands for the line end where grep could not match across it


def definitions():
    with open(os.path.join(HERE, 'papers.json'), encoding='utf-8') as file:
        return json.load(file)


# ---- Rows -----------------------------------------------------------------------------------


def contestant(who, host, side, options):
    """A library's contestant: its name is an algorithm with options, and where it runs."""
    name = ALIASES.get(who) or who.split(',')[0] if not who.startswith('pss-') else who
    fields = {'name': who, 'ours': side == 'own', 'threads': options.threads,
              'isa': options.instruction_set}
    if name == 'strstr':
        return {**fields, 'kind': 'strstr', 'threads': 1 if host == 'one core' else options.threads}
    if name != 'trawl':
        fields['algorithm'] = name.replace(' ', ':').replace('*', 'x')
    if host == 'one core':
        fields['threads'] = 1
    elif host == 'GPU':
        fields.update(engine='cuda', threads=1, chunk=GPU_CHUNK)
    elif host == 'GPU, own':
        fields.update(engine='cuda')
    return fields


def row_of(paper, on, who, ask, programs, options, runs=10):
    names = dict.fromkeys(name for name, _, _ in who)
    asks = [(ask, [contestant(*it, options) for it in who if it[1] not in ('command', 'function')])]
    asks += [({}, [it for it in programs if it['name'] in names])] if programs else []
    return {'paper': paper, 'name': on, 'runs': runs, 'hosts': {it[0]: it[1:] for it in who},
            'asks': asks, 'rounds': min(runs, options.rounds or runs), 'warm': True, 'parts': True,
            'seconds': options.cell_seconds}


def pss_asks(texts, trawl):
    book = bytearray(recipes_cut(texts.source('english')[0], 513717))
    draw = random.Random(17)
    for i, at in enumerate(range(1000, len(book) - 1000, len(book) // 570)):
        key = b'METU' if i % 57 == 0 else b'Bilbo'
        at += draw.randrange(300)
        book[at:at + len(key)] = key
    paths = {'book': texts.write('pss-book', bytes(book)),
             '20 books': texts.write('pss-books', bytes(book) * 20)}
    for on, key, text in (('I: METU, book', 'METU', 'book'), ('II: Bilbo, book', 'Bilbo', 'book'),
                          ('III: METU, 20 books', 'METU', '20 books'),
                          ('IV: Bilbo, 20 books', 'Bilbo', '20 books'),
                          ('blocks, Bilbo, 20 books', 'Bilbo', '20 books')):
        path = paths[text]
        yield on, {'text': f'file:{path}', 'patterns': f'literal:{key}', 'call': 'positions'}, [
            {'name': 'grep -F', **command('grep', '-F', '-e', key, path)},
            {'name': 'trawl, command', **command(trawl, '-e', key, path)},
            {'name': 'trawl pss-gm, command',
             **command(trawl, '--engine=cuda', '--algorithm=pss-gm', '-e', key, path)}], 10


def recipes_cut(content, count):
    return (content * (count // len(content) + 1))[:count]


def piece_asks(content, name, on, lengths, texts):
    """Pieces of a text, which all begin at one place."""
    path = texts.write(f'paper-{name}', content)
    at = random.Random(29).randrange(len(content) - len(content) // 8)
    flat = texts.write(f'paper-{name}-flat', content.replace(b'\n', PAIR.encode()))
    for length in lengths:
        length = min(length, len(content) // 8)
        pattern = content[at:at + length].replace(b'\n', PAIR.encode()).decode('latin-1')
        yield on.format(length), {'text': f'file:{path}', 'patterns': f'at:{at}:{length}',
                                  'call': 'positions'}, [
            {'name': 'grep -F -o -b',
             **command('grep', '-F', '-a', '-o', '-b', '-e', pattern, flat)}], 10


def bmh_asks(texts, options):
    content = recipes_cut(texts.source('english')[0], min(34873628, options.largest))
    content = content.replace(b'\n', b' ').replace(b'\r', b' ')
    yield from piece_asks(content, 'bmh', 'm = {}', (1751, 3, 3999), texts)


def swift_asks(texts, options):
    bible = texts.source('english')[0]
    contents = (('bible', bible), ('world192', texts.source('world')[0]),
                ('E. coli', texts.source('dna')[0][:4638690]),
                ('Sample-Text', recipes.letters(1 << 20, 1)))
    for name, content in contents:
        content = content[:options.largest]
        yield from piece_asks(content, name, name + ', m = {}', (500, 1500), texts)
    sweep = (50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1200, 1500, 2000, 3000)
    yield from piece_asks(bible[:options.largest], 'bible', 'sweep, m = {}', sweep, texts)


def word_asks(texts, options):
    keys = texts.patterns('word-keys', [recipes.letters(4, 31 + i) for i in range(100)])
    for kib in (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536):
        if kib << 10 <= max(options.largest, 1024):
            yield f'{kib} KiB', {'text': 'letters', 'seed': 37, 'bytes': kib << 10, 'call': 'first',
                                 'patterns': f'file:{keys}', 'each': True}, [], 5


def records_asks(texts, options):
    """Records of 200 bytes with a NUL after each, as the sample lays them out for strstr."""
    sizes = [(m, 4096, 'M = {0}, N = {1}') for m in (16, 64, 256, 1024, 4095)]
    sizes += [(256, n, 'M = {0}, N = {1}') for n in (256, 1024)]
    sizes += [(256, 4096, 'N = {1}, M = {0}')]
    sizes += [(256, n, 'M = {0}, N = {1}') for n in (16384, 65536)]
    for dense in (False, True):
        for m, n, form in sizes:
            if n * 201 > max(options.largest, 256 * 201):
                continue
            draw = random.Random(41 + dense)
            patterns = [recipes.letters(8, draw.getrandbits(32)) for _ in range(m)]
            letters, made = recipes.letters(n * 200, 43), []
            for i in range(n):
                record = bytearray(letters[i * 200:i * 200 + 200])
                if dense:
                    record[:] = b''.join(draw.choices(patterns, k=25))
                elif i % 100 == 0:
                    at = draw.randrange(192)
                    record[at:at + 8] = draw.choice(patterns)
                made.append(bytes(record))
            key = f'records-{dense}-{m}-{n}'
            path = texts.patterns(f'{key}-patterns', patterns)
            lines = texts.write(f'{key}-lines', b'\n'.join(made) + b'\n')
            tape = texts.write(f'{key}-tape', b'\0'.join(made) + b'\0')
            on = ('dense, ' if dense else 'sparse, ') + form.format(m, n)
            yield on, {'text': f'file:{tape}', 'record': 201, 'patterns': f'file:{path}',
                       'call': 'rows'}, [{'name': 'grep -F -c -f',
                                          **command('grep', '-F', '-c', '-f', path, lines)}], 10


def rows(options, texts):
    trawl = commands.install(options, texts)
    asks = {'pss': lambda: pss_asks(texts, trawl), 'bmh': lambda: bmh_asks(texts, options),
            'swift': lambda: swift_asks(texts, options), 'word': lambda: word_asks(texts, options),
            'records': lambda: records_asks(texts, options)}
    for paper, facts in definitions().items():
        if options.words and paper not in options.words:
            continue
        who = {on: it['who'] for it in facts['who'] for on in it['on']}
        for on, ask, programs, runs in asks[paper]():
            if on not in who:  # a text too short for the source's pattern: the longest there is
                continue
            yield row_of(paper, on, who[on], ask, programs, options, runs)


def finish(row):
    """Where each contestant ran, and on whose side, beside what it took."""
    hosts = row.pop('hosts')
    for it in row['results']:
        it['host'], it['side'] = hosts[it['name']]
    row['answers'] = row.pop('found', 0)
    return row


# ---- Tables ---------------------------------------------------------------------------------


def cell(figures, ref, made, decimals):
    """The text of a cell."""
    if ref is None:
        return '-'
    if not isinstance(ref, (str, list)):
        return f'{ref:.{decimals}f}'
    if isinstance(ref, list):
        a, b = (figures.find(it) for it in ref)
        return digits(figures.seconds(ref[1]) / figures.seconds(ref[0])) if figures.good(a) and \
            figures.good(b) else figures.state(a if not figures.good(a) else b)
    name = ref.split('|')[2] if ref.count('|') == 2 else 'whole'
    it = figures.find(ref)
    if not figures.good(it):
        return figures.state(it)
    if name in ('child grids', 'refused launches', 'withheld launches'):
        words = dict(zip(('child grids', 'refused launches', 'withheld launches'),
                         (part.split()[-1] for part in it.get('note', '0, 0, 0').split(', '))))
        return words.get(name, '0')
    runs = figures.runs(it, name)
    if not any(runs):
        return '0'
    middle, mean = statistics.median(runs), statistics.mean(runs)
    text = digits(middle * made['per_second'])
    if abs(mean - middle) > 0.05 * middle:
        text += f" ({digits(mean * made['per_second'])})"
    if spread(runs) > 0.5:
        text += ' ~'
    wanted = figures.rows[ref.split('|')[0]]['runs']
    return text + (f' [{len(runs)}]' if len(runs) < wanted else '')


def decimals_of(made):
    numbers = [it for row in made['rows'] for it in row[1:] if isinstance(it, (int, float))]
    return max((next((d for d in range(4) if abs(it * 10 ** d - round(it * 10 ** d)) < 1e-6), 3)
                for it in numbers), default=0)


def table_lines(figures, made):
    rows_of = [[row[0]] + [cell(figures, ref, made, decimals_of(made)) for ref in row[1:]]
               for row in made['rows']]
    head = f"{made['title']} ({made['unit']})"
    lines = ['', f'**{head}**', '']
    lines += [made['caption'], ''] if made['caption'] else []
    return lines + table([made['corner']] + made['columns'], rows_of)


def section(data, paper):
    facts = definitions()[paper]
    rows_of = [row for row in data['rows'] if row['paper'] == paper]
    if not rows_of:
        return ['Not measured.']
    figures = Figures(data, rows_of)
    lines = [f'![{paper}: the plots](measurements/papers-{paper}.svg)', '',
             'Every run, and the parts of its time: [papers.json](measurements/papers.json).', '',
             f"- source: {facts['source']}; there: {facts['hardware']}"]
    lines += machine_lines(data)
    loads = data.get('load_after', {}).get(paper)
    if loads is not None:
        lines.append(f"- load of the system: {data['load_before']:.1f} when the run began, "
                     f'{loads:.1f} after this report, its own included')
    lines += [f"- {name}: {data[name] or 'none'}" for name in ('gpu', 'grep') if name in data]
    lines += [f'- {note}' for note in data.get('notes', {}).get(paper, [])]
    lines += sorted({f"- {it['name']}: {it['why']}" for row in rows_of for it in row['results']
                     if it.get('why') and figures.state(it) != 'no GPU'})
    spreads = [spread(it['seconds']) for row in rows_of for it in row['results'] if figures.good(it)]
    lines += [f'- spread, (slowest - fastest) / median of the runs: {100 * statistics.median(spreads):.0f} '
              f'% is the median of all figures, {100 * max(spreads):.0f} % the largest',
              '- a cell holds the median; (the mean) if it differs by more than 5 %; ~ if the spread '
              'is more than half of the median; [n] if only n runs fitted into --cell-seconds']
    for made in facts['tables']:
        lines += table_lines(figures, made)
    return lines + claim_lines(figures, facts['claims'])


def show(row):
    good = [it for it in row['results'] if it.get('seconds')]
    print(f"{row['paper']}: {row['name']}: {len(good)} of {len(row['results'])} measured", flush=True)
