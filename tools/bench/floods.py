"""floods: sets of patterns in texts where they are dense, by one thread."""
import random

import texts as recipes
from report import median, number, opening, ratio, result, spread_line, table, times

MIB = 1 << 20
LINE = 80
COUNTED, DELIVERED = ('count', 'count by pattern'), ('positions', 'in batches')
CALLS = {'count': 'count', 'lines': 'lines', 'positions': 'sink', 'in batches': 'batches',
         'count by pattern': 'by-pattern'}
DENSE = 'dense'
BARS = {**dict.fromkeys(CALLS, 8), **dict.fromkeys(DELIVERED, 12)}  # ns for a byte or an occurrence


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
        content = recipes.letters(period, 3)
        path = texts.write(f'flood-{period}-{case}', any_case(content) if case else content)
        patterns = recipes.pieces(content, count, 16, 64)
        yield (f"{count:,} substrings{', any case' if case else ''}", on, patterns,
               {'text': f'file:{path}', 'lines': LINE if lines else None}, lines, case,
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
        yield (f'{byte} to {most} x {byte}', f'lines of {byte}', runs(byte.encode(), most),
               {'text': f'repeat:{byte}', 'lines': LINE}, True, False, COUNTED + ('lines',))
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
            for want, name in zip(wants, names):
                if options.filter and options.filter not in name:
                    continue
                ask = {'patterns': f'file:{path}', 'bytes': count, 'call': CALLS[want],
                       'flags': 'ignore-case' if case else None}
                own = {'threads': 1, 'clock': 'cpu', 'plan': 'once', 'ours': True,
                       'isa': options.instruction_set}
                yield {'name': name, 'patterns': patterns, 'text': on, 'wanted': want,
                       'rounds': options.rounds,
                       'asks': [({**ask, **text}, [{**own, 'name': DENSE}])]}


# ---- The report -----------------------------------------------------------------------------


def price(row):
    """Nanoseconds for each byte of the text and each occurrence there."""
    it = result(row, DENSE)
    return median(it) / (row['text_bytes'] + row.get('occurrences', it['count'])) * 1e9


def is_missed(row):
    return price(row) > BARS[row['wanted']]


def tell_occurrences(data):
    """The rows that want lines, how many occurrences there are: what the row that counts them found."""
    counted = {(row['patterns'], row['text']): result(row, DENSE)['count']
               for row in data['rows'] if row['wanted'] == 'count'}
    for row in data['rows']:
        found = counted.get((row['patterns'], row['text']))
        if row['wanted'] == 'lines' and found:
            row['occurrences'] = found


def conclusions(data):
    for want, bar in BARS.items():
        rows_of = [row for row in data['rows'] if row['wanted'] == want]
        if rows_of:
            yield (f'- {want}: {min(map(price, rows_of)):.3f} to {max(map(price, rows_of)):.3f} ns in '
                   f"{len(rows_of)} row{'' if len(rows_of) == 1 else 's'}; {bar} ns exceeded in "
                   f"{sum(map(is_missed, rows_of))}; most: {max(rows_of, key=price)['name']}")
    firsts = [(ratio(result(row, DENSE)['first'], median(result(row, DENSE))), row['name'])
              for row in data['rows']]
    most, name = max(firsts)
    yield (f'- the first search with a plan: at most {times(most)} times as long as the later ones '
           f'({name}); more than twice as long in {sum(value > 2 for value, _ in firsts)} of '
           f'{len(firsts)} rows')
    for row in filter(is_missed, data['rows']):
        yield f"- MISSED: {row['name']}: {price(row):.2f} ns"


def section(data):
    """A row for each set and text: what it takes by what is wanted."""
    tell_occurrences(data)
    lines = opening(data)
    lines += [f"- texts of {data['rows'][0]['text_bytes'] / MIB:.0f} MiB",
              spread_line(data), '',
              'What the rows come to, by the program, in ns for each byte of the text and each occurrence '
              'there:', '', *conclusions(data), '']
    cells = {}
    for row in data['rows']:
        head = (f"{row['patterns']} ({row['pattern_count']:,})", row['text'])
        cells.setdefault(head, {})[row['wanted']] = f'{price(row):.3f}' + ' **missed**' * is_missed(row)
        if row['wanted'] == 'count':
            cells[head].update(seconds=f'{median(result(row, DENSE)):.4f}',
                               found=f"{result(row, DENSE)['count']:,}")
    return lines + table(
        ['patterns (how many)', 'text', 'found', 'count, s', *(f'{want}, ns' for want in CALLS)],
        [[*head, found.get('found', '-'), found.get('seconds', '-')]
         + [found.get(want, '-') for want in CALLS] for head, found in cells.items()], left=2)


def show(row):
    print(f"{row['name']:90} {number(median(result(row, DENSE)), '.4f')} s, {price(row):.3f} ns", flush=True)
