"""floods: sets of patterns in texts where they are dense, and on random letters, by one thread."""
import random

import texts as recipes
from report import machine_lines, median, number, ratio, result, spread_line, table, times

BAR = 20
MIB = 1 << 20
LINE = 80
COUNTED, DELIVERED = ('count', 'count by pattern'), ('positions', 'in batches')
CALLS = {'count': 'count', 'lines': 'lines', 'positions': 'sink', 'in batches': 'batches',
         'count by pattern': 'by-pattern'}
DENSE, RANDOM = 'dense', 'random'


def letters_part(period, lines, texts, name):
    content = recipes.letters(period, 3)
    plain = bytearray(content)
    if lines:
        for at in range(LINE - 1, len(plain), LINE):
            plain[at] = ord('\n')
    return content, texts.write(name, bytes(plain))


def any_case(content):
    draw = random.Random(9)
    return bytes(byte & 0xdf if 97 <= byte <= 122 and draw.random() < 0.5 else byte
                 for byte in content)


def letter_sets():
    """Substrings of letters that repeat: (how many, period, in lines, any case)."""
    for case in (False, True):
        for count in (1000, 3000, 10000):
            yield count, 4000, False, case
            yield count, 4000, True, case
        if not case:
            yield 28000, 4000, False, False
            yield 10000, 100000, False, False
            yield 10000, 100000, True, False


def letter_floods(texts):
    for count, period, lines, case in letter_sets():
        on = f"{period:,} letters repeated{', in lines' if lines else ''}"
        content, path = letters_part(period, lines, texts, f'flood-{period}-{lines}')
        if case:
            with open(path, 'rb') as file:
                path = texts.write(f'flood-{period}-{lines}-case', any_case(file.read()))
        patterns = recipes.pieces(content, count, 16, 64)
        yield (f"{count:,} substrings{', any case' if case else ''}", on, patterns,
               {'text': f'file:{path}', 'lines': None}, lines, case,
               COUNTED + DELIVERED + (('lines',) if lines else ()))


def runs(byte, most, after=b'', least_count=1):
    return [byte * k + after for k in range(least_count, most + 1)]


def word_factors(content, least_bytes, most):
    return sorted({content[at:at + k] for at in range(400) for k in range(least_bytes, most + 1)})


def fibonacci(count):
    before, last = b'a', b'ab'
    while len(last) < count:
        before, last = last, last + before
    return last[:count]


def thue_morse(count):
    text = b'a'
    while len(text) < count:
        text += text.translate(bytes.maketrans(b'ab', b'ba'))
    return text[:count]


def run_floods(texts):
    for byte, most in (('=', 80), ('0', 10)):
        line = texts.write(f'flood-line-{ord(byte)}', byte.encode() * (LINE - 1) + b'\n')
        yield (f'{byte} to {most} x {byte}', f'lines of {byte}', runs(byte.encode(), most),
               {'text': f'file:{line}'}, True, False, COUNTED + ('lines',))
    run = {'text': 'repeat:a'}
    yield 'a^k, k to 2,999', 'a^n', runs(b'a', 2999), run, False, False, COUNTED
    yield 'a^k, k to 10,000', 'a^n', runs(b'a', 10000), run, False, False, COUNTED
    yield 'a^k b, k to 10,000', 'a^n', runs(b'a', 10000, b'b'), run, False, False, COUNTED
    mixed = texts.write('flood-run-case', any_case(b'a' * 4096))
    yield ('a^k b, k to 10,000, any case', 'a^n', runs(b'a', 10000, b'b'),
           {'text': f'file:{mixed}'}, False, True, COUNTED)
    tails = recipes.letters(80000, 4)
    yield ('10,000 that begin with the same 8 bytes', 'a^n',
           [b'a' * 8 + tails[i:i + 8] for i in range(0, 80000, 8)], run, False, False, COUNTED)


def word_floods(texts):
    for on, kind, make in (('the Fibonacci word', 'fibonacci', fibonacci),
                           ('the Thue-Morse word', 'thue-morse', thue_morse)):
        yield ('factors of 16 to 64 bytes', on, word_factors(make(1 << 16), 16, 64),
               {'text': kind}, False, False, COUNTED)
    content = fibonacci(2000)
    yield ('its prefixes of 8 to 1,999 bytes', 'the Fibonacci word',
           [content[:k] for k in range(8, 2000)], {'text': 'fibonacci'}, False, False, COUNTED)
    english, _ = texts.source('english')
    path = texts.write('english', english)
    yield ('10,000 substrings of 4 to 9 bytes', 'English', recipes.pieces(english, 10000, 4, 9),
           {'text': f'file:{path}'}, True, False, COUNTED + DELIVERED + ('lines',))
    many = recipes.distinct(recipes.words(texts.source('words')[0], 5), 10 ** 6)
    for word in ('#', 'th', 'the', 'that'):
        yield (f'words of 5 letters and more, and {word}', 'English', many + [word.encode()],
               {'text': f'file:{path}'}, True, False, ('count', 'lines'))


def random_text(count, on, lines, case, texts):
    """Letters to hold against: with spaces where the other is English, in lines where it has
    them."""
    made = bytearray(recipes.letters(min(count, 4 << 20), 2))
    if on == 'English':
        for at in random.Random(13).sample(range(len(made)), len(made) // 6):
            made[at] = ord(' ')
    if lines:
        for at in range(LINE - 1, len(made), LINE):
            made[at] = ord('\n')
    return texts.write(f'flood-random-{on == "English"}-{lines}-{case}',
                       any_case(made) if case else bytes(made))


def rows(options, texts):
    count = min(options.bytes, 32 * MIB)
    number_of = 0
    for make in (letter_floods, run_floods, word_floods):
        for patterns, on, made, text, lines, case, wants in make(texts):
            number_of += 1
            if on == 'English' and not texts.is_real('english'):
                continue  # what is generated repeats a few words: nothing like English
            names = [f'{patterns}; {on}; {want}' for want in wants]
            if options.filter and not any(options.filter in name for name in names):
                continue
            path = texts.patterns(f'flood-patterns-{number_of}', made)
            other = random_text(count, on, lines, case, texts)
            for want, name in zip(wants, names):
                if options.filter and options.filter not in name:
                    continue
                ask = {'patterns': f'file:{path}', 'bytes': count, 'call': CALLS[want],
                       'flags': 'ignore-case' if case else None}
                own = {'threads': 1, 'clock': 'cpu', 'plan': 'once', 'ours': True,
                       'isa': options.instruction_set}
                yield {'name': name, 'patterns': patterns, 'text': on, 'wanted': want,
                       'rounds': options.rounds,
                       'asks': [({**ask, **text}, [{**own, 'name': DENSE}]),
                                ({**ask, 'text': f'file:{other}'}, [{**own, 'name': RANDOM}])]}


# ---- The report -----------------------------------------------------------------------------


def ratio_of(row):
    return ratio(median(result(row, DENSE)), median(result(row, RANDOM)))


def each(row):
    """Nanoseconds for each occurrence where all of them are delivered and they are many."""
    it = result(row, DENSE)
    many = row['wanted'] in DELIVERED and it['count'] > row['text_bytes'] / 2
    return median(it) / it['count'] * 1e9 if many else None


def conclusions(data):
    for want in CALLS:
        rows_of = [row for row in data['rows'] if row['wanted'] == want]
        if not rows_of:
            continue
        worst = max(rows_of, key=ratio_of)
        missed = sum(ratio_of(row) > BAR for row in rows_of)
        ns = [value for value in map(each, rows_of) if value]
        yield (f'- {want}: ' + (f'{times(min(map(ratio_of, rows_of)))} to ' if len(rows_of) > 1 else '')
               + f"{times(ratio_of(worst))} times as long as on random letters in {len(rows_of)} "
               f"row{'' if len(rows_of) == 1 else 's'}; {missed} of {len(rows_of)} bars missed"
               + (f'; {min(ns):.2f} to {max(ns):.2f} ns for each occurrence' if ns else '')
               + f"; longest: {worst['name']}")
    firsts = [(ratio(result(row, DENSE)['first'], median(result(row, DENSE))), row['name'])
              for row in data['rows']]
    most, name = max(firsts)
    yield (f'- the first search with a plan: at most {times(most)} times as long as the later ones '
           f'({name}); more than twice as long in {sum(value > 2 for value, _ in firsts)} of '
           f'{len(firsts)} rows')
    for row in data['rows']:
        if ratio_of(row) > BAR:
            yield f"- MISSED: {row['name']}: {times(ratio_of(row))} times as long"


def section(data):
    """A row for each set and text: how many times as long as on random letters."""
    lines = ['Every single time is in [measurements/floods.json](measurements/floods.json).', '']
    lines += machine_lines(data)
    lines += [f"- texts of {data['rows'][0]['text_bytes'] / MIB:.0f} MiB",
              spread_line([it['seconds'] for row in data['rows'] for it in row['results']]), '',
              'What the rows come to, by the program:', '', *conclusions(data), '',
              f'Times the time on random letters, by what is wanted; **low**: more than {BAR}.', '']
    cells = {}
    for row in data['rows']:
        value = times(ratio_of(row)) + ('' if ratio_of(row) <= BAR else ' **low**')
        cells.setdefault((f"{row['patterns']} ({row['pattern_count']:,})", row['text']),
                         {})[row['wanted']] = value
        if row['wanted'] == 'count':
            seconds = median(result(row, DENSE))
            cells[list(cells)[-1]]['seconds'] = f'{seconds:.4f}'
            cells[list(cells)[-1]]['found'] = f"{result(row, DENSE)['count']:,}"
    return lines + table(
        ['patterns (how many)', 'text', 'found', 'count, s', *(f'{want}, ×' for want in CALLS)],
        [[*head, found.get('found', '-'), found.get('seconds', '-')]
         + [found.get(want, '-') for want in CALLS] for head, found in cells.items()], left=2)


def show(row):
    dense = result(row, DENSE)
    print(f"{row['name']:90} {number(median(dense), '.4f')} s  x {times(ratio_of(row))}", flush=True)
