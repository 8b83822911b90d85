"""papers: measures the tables and figures of the gallery's sources again.

papers.json has the sources' figures, the contestants of each row, and the form of the tables."""
import json
import os
import random
import re
import statistics

import commands
import texts as recipes
from report import digits, machine_lines, table
from runner import HERE, command

NAMES = ('pss', 'bmh', 'swift', 'word', 'records')
GPU_CHUNK = 256 << 20  # the sources copied the whole text and launched a single kernel
STREAM_CHUNK = 512 << 10  # with several streams, the sources copied pieces of the text
PATTERNS = 25  # patterns for each cell of swift: a pattern's ends decide how many child grids start
PARTS = ('plan', 'copy_in', 'shifts', 'kernel', 'copy_out', 'search')
PLACES = {'one core': 'one core', 'all cores': 'all cores', 'GPU': 'GPU', 'GPU, own': 'GPU',
          'command': 'whole process'}
PATTERN_SECONDS = 0.1  # a run that takes longer is not repeated with the same pattern
ALIASES = {'wordSearchCPU (naive, one core)': 'naive'}


def definitions():
    """Read papers.json. A row template with several labels becomes a row for each label, whose parts are
    put into the row's field `is`."""
    with open(os.path.join(HERE, 'papers.json'), encoding='utf-8') as file:
        found = json.load(file)
    for made in (made for facts in found.values() for made in facts['tables']):
        made['rows'] = [row for it in made['rows'] for row in (
            [[label, it['is'].format(*re.split(r', |[*×]', label)), ''] for label in it['each']]
            if isinstance(it, dict) else [it])]
    return found


# ---- Rows -----------------------------------------------------------------------------------


def contestant(who, host, side, options):
    """Make a contestant of kind trawl. The name says the algorithm with options, and where it runs."""
    name = ALIASES.get(who) or who.split(',')[0] if not who.startswith('pss-') else who
    fields = {'method': 'automaton' if 'automaton' in who else None,
              'name': who, 'ours': side == 'own', 'threads': options.threads,
              'isa': options.instruction_set}
    if name == 'strstr':
        return {**fields, 'kind': 'strstr', 'threads': 1 if host == 'one core' else options.threads}
    if name != 'trawl':
        fields['algorithm'] = name.replace(' ', ':').replace('*', 'x')
    if host == 'one core':
        fields['threads'] = 1
    elif host == 'GPU':
        fields.update(engine='cuda', threads=1, chunk=GPU_CHUNK)
    elif host.startswith('GPU, '):
        fields.update(engine='cuda', loaded=host == 'GPU, loaded',
                      chunk=STREAM_CHUNK if host == 'GPU, streams' else None)
    return fields


def row_of(paper, on, who, ask, programs, options, runs=10):
    names = dict.fromkeys(name for name, _, _ in who)
    asks = [(ask, [contestant(*it, options) for it in who if it[1] not in ('command', 'function')])]
    asks += [({}, [it for it in programs if it['name'] in names])] if programs else []
    return {'paper': paper, 'name': on, 'runs': runs, 'hosts': {it[0]: it[1:] for it in who},
            'asks': asks, 'rounds': min(runs, options.rounds or runs), 'warm': True, 'parts': True,
            'seconds': options.cell_seconds}


def pss_asks(texts, options):
    trawl = commands.install(options, texts)
    book = bytearray(recipes_cut(texts.source('english')[0], min(513717, options.largest)))
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


def pieces_of(content, path, length, places):
    """Yield questions with pieces of a text as patterns; the pieces begin at these offsets."""
    length = min(length, len(content) // 8)
    for at in places:
        yield {'text': f'file:{path}', 'patterns': f'at:{at}:{length}', 'call': 'positions'}


def places_in(content, count):
    draw = random.Random(29)
    return [draw.randrange(len(content) - len(content) // 8) for _ in range(count)]


def bmh_asks(texts, options):
    content = recipes_cut(texts.source('english')[0], min(34873628, options.largest))
    content = content.replace(b'\n', b' ').replace(b'\r', b' ')
    path = texts.write('paper-bmh', content)
    for length in (1751, 3, 3999):
        for ask in pieces_of(content, path, length, places_in(content, 1)):
            yield f'm = {length}', ask, [], 10


def swift_asks(texts, options):
    """Yield rows named "CELL #PATTERN", which `merged` joins."""
    bible = texts.source('english')[0]
    contents = (('bible', bible), ('world192', texts.source('world')[0]),
                ('E. coli', texts.source('dna')[0][:4638690]),
                ('Sample-Text', recipes.letters(4 << 20, 1)))
    cells = [(name, m, content, 3) for name, content in contents for m in (500, 1500)]
    cells += [('sweep', m, bible, 1) for m in (100, 200, 400, 800, 1200, 2000, 3000)]
    for name, m, content, runs in cells:
        content = content[:options.largest]
        path = texts.write(f'paper-{len(content)}-{name}', content)
        asks = pieces_of(content, path, m, places_in(content, PATTERNS))
        for i, ask in enumerate(asks):
            yield f'{name}, m = {m} #{i}', ask, [], runs
    flat = bible[:options.largest].replace(b'\n', b' ')
    patterns = [flat[at:at + 500] for at in places_in(flat, PATTERNS)]
    yield f'several: {PATTERNS} patterns', {
        'text': f"file:{texts.write('paper-several', flat)}",
        'patterns': f"file:{texts.patterns('several', patterns)}", 'call': 'positions'}, [], 10


def word_asks(texts, options):
    keys = texts.patterns('word-keys', [recipes.letters(4, 31 + i) for i in range(100)])
    for kib in (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536):
        if kib << 10 <= max(options.largest, 1024):
            yield f'{kib} KiB', {'text': 'letters', 'seed': 37, 'bytes': kib << 10, 'call': 'first',
                                 'patterns': f'file:{keys}', 'each': True}, [], 5


def records_asks(texts, options):
    """Yield rows over records of 200 bytes, each followed by a NUL, as the sample stores records for
    strstr."""
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
                       'call': 'cells'}, [{'name': 'grep -F -c -f',
                                          **command('grep', '-F', '-c', '-f', path, lines)}], 10


def rows(options, texts):
    asks = {'pss': pss_asks, 'bmh': bmh_asks, 'swift': swift_asks, 'word': word_asks, 'records': records_asks}
    for paper, facts in definitions().items():
        if options.words and paper not in options.words:
            continue
        who = {on: it['who'] for it in facts['who'] for on in it['on']}
        for on, ask, programs, runs in asks[paper](texts, options):
            row = row_of(paper, on, who[on.split(' #')[0]], ask, programs, options, runs)
            if '#' in on:
                row['seconds'] = min(row['seconds'], PATTERN_SECONDS)
            yield row


def finish(row):
    """Add to each result where the contestant ran, and whether it is the source's or trawl's."""
    hosts = row.pop('hosts')
    for it in row['results']:
        it['host'], it['side'] = hosts[it['name']]
    row['answers'] = row.pop('found', 0)
    return row


def merged(rows):
    """Join the rows "CELL #PATTERN" of each cell to a row with the mean of each pattern's runs, in the
    order of the patterns."""
    cells = {}
    for row in rows:
        cells.setdefault((row['paper'], row['name'].split(' #')[0]), []).append(row)
    return [rows[0] if '#' not in rows[0]['name'] else joined(name, rows)
            for (_, name), rows in cells.items()]


def joined(name, rows):
    results = []
    for several in zip(*(row['results'] for row in rows)):
        it = {key: several[0][key] for key in ('name', 'host', 'side')}
        bad = next((one for one in several if not one.get('seconds') or one.get('wrong')), None)
        if bad:
            it.update({key: bad[key] for key in ('why', 'wrong') if key in bad})
        else:
            for key in ('seconds', *PARTS):
                if any(key in one for one in several):
                    it[key] = [round(statistics.mean(one.get(key, [0])), 9) for one in several]
            notes = [one.get('note', '') for one in several]
            if any(note.startswith('child grids') for note in notes):
                it['children'] = [[int(part.split()[-1]) for part in note.split(', ')] if note
                                  else [0, 0, 0] for note in notes]
        results.append(it)
    return {**rows[0], 'name': name, 'runs': len(rows), 'patterns': len(rows),
            'answers': sum(row['answers'] for row in rows), 'results': results}


# ---- The page -------------------------------------------------------------------------------


class Figures:
    """The results of a source's rows, by "ROW|CONTESTANT|PART"."""

    def __init__(self, data, paper):
        rows_of = [row for row in data['rows'] if row['paper'] == paper]
        self.has_gpu = bool(data.get('gpu') or data['machine'].get('gpu'))
        self.rows = {row['name']: row for row in rows_of}
        self.results = {(row['name'], it['name']): it for row in rows_of for it in row['results']}
        self.published = definitions()[paper]['published']

    def find(self, ref):
        return self.results.get(tuple(ref.split('|')[:2]))

    @staticmethod
    def good(it):
        return bool(it and it.get('seconds') and not it.get('wrong') and not it.get('why'))

    def state(self, it):
        """Return the word that replaces a missing number."""
        if it is None:
            return 'no time'
        if it.get('wrong'):
            return 'wrong'
        if it['host'].startswith('GPU') and not self.has_gpu:
            return 'no GPU'
        why = it.get('why', 'no time').split(':')[0]
        return why if why in ('missing', 'failed', 'no time') else 'refused'

    @staticmethod
    def runs(it, part='seconds'):
        if part == 'copies':
            return [a + b for a, b in zip(it.get('copy_in', []), it.get('copy_out', []))] \
                or it.get('copy_in', [])
        return it.get(part, [])


def quartiles(values):
    if len(set(values)) == 1:
        return values[:1] * 3
    return statistics.quantiles(values, n=4)


def cell(figures, ref):
    """Format a cell in ms: the mean, with the median if that differs by 5 %, or the median and quartiles
    of many patterns. A cell without a number gets a word."""
    it, parts = figures.find(ref), ref.split('|')
    if not figures.good(it):
        return figures.state(it)
    runs = [1e3 * run for run in figures.runs(it, *parts[2:])]
    if not any(runs):
        return '-'
    low, middle, high = quartiles(sorted(runs))
    if 'patterns' in figures.rows[parts[0]]:
        return digits(middle) + (f' ({digits(low)}–{digits(high)})' if low < high else '')
    mean = statistics.mean(runs)
    return digits(mean) + (f' ({digits(middle)})' if abs(mean - middle) > 0.05 * mean else '')


def table_lines(figures, made):
    """Make the lines of a table. If the source has numbers, they are the column before ours."""
    marked = any(row[2] for row in made['rows'])
    heads, columns = [made['corner']] + (['whose'] if marked else []), []
    for head, key in made['columns']:
        refs = [f'{key}|{row[1]}' if made['across'] == 'on' else row[1] + key for row in made['rows']]
        there = [figures.published.get(ref) for ref in refs]
        if any(there):
            heads.append(f'{head}: there')
            columns.append([f'{it:g}' if it else '-' for it in there])
            head += ': here'
        heads.append(head)
        columns.append([cell(figures, ref) for ref in refs])
    lines = [[row[0]] + ([row[2] or 'published'] if marked else []) + [column[i] for column in columns]
             for i, row in enumerate(made['rows'])
             if any(column[i] not in ('no time', '-') for column in columns)]
    caption = f" {made['caption']}" if made['caption'] else ''
    title = f"**{made['title']}** ({made['unit']}).{caption}"
    return ['', title, ''] + narrow(heads, lines, left=1 + marked)


def part(data, paper):
    figures, facts = Figures(data, paper), definitions()[paper]
    if not figures.rows:
        return ['Not measured.']
    lines = [f"Source: {facts['source']}; measured there on {facts['hardware']}."]
    lines += sorted({f"- {it['name']}: {it['why']}" for row in figures.rows.values()
                     for it in row['results'] if it.get('why') and figures.state(it) != 'no GPU'})
    for made in facts['tables']:
        lines += table_lines(figures, made)
    return lines + children_line(figures)


def children_line(figures):
    """Say how many child grids were started. If many were not, the source's algorithm did not run."""
    counts = [(row, one) for row in figures.rows.values() for it in row['results']
              if figures.good(it) for one in it.get('children', [])]
    if not counts:
        return []
    ran, refused, left_out = zip(*(one for _, one in counts))
    texts = dict.fromkeys(row['name'].split(', ')[0] for row, one in counts if one[2])
    return ['', f'A search started {min(ran)} to {max(ran)} child grids. The device refused {sum(refused)}. '
            f'{sum(left_out)} of {sum(map(sum, zip(ran, refused, left_out)))} were left out, since it takes only '
            'so many at a time' + (f" ({', '.join(texts)})" if texts else '') + '.']


def narrow(*made, **fields):
    """Make a table without padding blanks."""
    return [line.replace(' | ', '|').replace('| ', '|').replace(' |', '|')
            for line in table(*made, **fields)]


def compared(figures):
    """Yield (row, kind of processor, mean of the source's best / mean of trawl's best)."""
    for row in figures.rows.values():
        for place in dict.fromkeys(PLACES.values()):
            best = {side: min((statistics.mean(it['seconds']) for it in row['results']
                               if it['side'] == side and PLACES.get(it['host']) == place
                               and figures.good(it)), default=None) for side in ('own', 'published')}
            if all(best.values()):
                yield row['name'], place, best['published'] / best['own']


def overview(data):
    """Make a table with a row for each publication, then the list of rows in which trawl is slower."""
    lines, count, behind = [], 0, []
    for paper in NAMES:
        found, facts = list(compared(Figures(data, paper))), definitions()[paper]
        if not found:
            continue
        ratios = [ratio for _, _, ratio in found]
        count += len(found)
        behind += [f'{paper}, {name}, {place} ({digits(ratio)} ×)' for name, place, ratio in found
                   if ratio < 1]
        lines.append([f"[{facts['title'].split(':')[0]}](#{anchor(facts['title'])})", facts['says'],
                      f'ahead in {sum(ratio >= 1 for ratio in ratios)} of {len(ratios)} '
                      f'({digits(min(ratios))} to {digits(max(ratios))} ×)'])
    kinds = ', '.join(f'{name} ({size} bytes)' for name, size in data.get('texts', {}).values())
    return narrow(['publication', 'it claims', 'trawl beside it'], lines, left=3) + [
        '', f'"trawl beside it" compares means of whole searches, copies included, on the same kind of '
        f"processor: trawl's best with the source's best, {count} comparisons. trawl is behind in "
        f"{len(behind)}{': ' if behind else ''}{'; '.join(behind)}.", ''] + machine_lines(data) + [
        f"- gpu: {data['gpu'] or 'none'}; {data['grep']}; texts: {kinds or 'generated'}"]


def section(data):
    lines = overview(data)
    for paper in NAMES:
        if any(row['paper'] == paper for row in data['rows']):
            lines += [''] + part(data, paper)
    return lines


def anchor(title):
    return ''.join(it for it in title.lower() if it.isalnum() or it in ' -').replace(' ', '-')


def show(row):
    good = [it for it in row['results'] if it.get('seconds')]
    print(f"{row['paper']}: {row['name']}: {len(good)} of {len(row['results'])} measured", flush=True)
