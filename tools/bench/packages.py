"""packages (./dev bench python): measures the Python package beside other packages, in one process, in turns, with
equal answers.

Five questions, for 1 to 100,000 patterns: count the occurrences in a long text; say which of many records
contain a pattern; list the occurrences of each record, with a call for each; replace the occurrences in a
text; replace the occurrences in a column of records. Half
of the patterns are taken from the text, half do not occur. Compiling the patterns is not timed. Packages
that are not installed are skipped."""
import functools
import itertools
import random
import re
import time

from report import digits, least, machine_lines, result, table
from runner import die

COUNTS = (1, 10, 100, 1000, 10000, 100000)
CLOCKS = {'wall': time.perf_counter, 'cpu': time.process_time}
TRAWL = 'trawl'
SMALLEST = 256  # a slow contestant gets a share of the text, at least 1 / SMALLEST


def package():
    """Import the package trawl."""
    try:
        import trawl
    except ImportError:
        die('python3 has no package trawl (pip install .)')
    return trawl


# ---- Turns ----------------------------------------------------------------------------------


class Turns:
    """Runs a row's contestants in turns, as trawl-bench does, in this process."""

    def __init__(self, options, clock):
        self.clock, self.rounds, self.seconds = clock, options.rounds, options.cell_seconds

    def timed(self, function, argument):
        begin = self.clock()
        answer = function(argument)
        return max(self.clock() - begin, 1e-9), answer

    def share(self, function, part):
        """Return n such that 1 / n of the text takes about as long as there is time."""
        share = SMALLEST
        while share > 1 and self.timed(function, part(share))[0] * 4 <= self.seconds:
            share //= 4
        return share

    def results(self, row, who, part, truth):
        """Measure {name: function}, each called with a part of the text. truth(name, part) is the right
        answer. A wrong answer ends the run."""
        shares = {name: self.share(function, part) for name, function in who.items()}
        right = {name: truth(name, part(share)) for name, share in shares.items()}
        made = {name: {'name': name, 'seconds': []} for name in who}
        for turn in range(self.rounds):
            names = list(who)[turn % len(who):] + list(who)[:turn % len(who)]
            for name in names:
                share = shares[name]
                spent, answer = self.timed(who[name], part(share))
                if answer != right[name]:
                    die(f'{row}: {name} has {answer!r:.60} where {right[name]!r:.60} is right')
                made[name]['seconds'].append(spent * share)
                if share > 1:
                    made[name]['share'] = 1 / share
        return list(made.values())


def parts_of(whole, make):
    """Return a function part(share), which gives the first 1/share of the whole, made once."""
    made = {}

    def part(share):
        if share not in made:
            made[share] = make(whole[:max(len(whole) // share, 1)])
        return made[share]

    return part


# ---- Texts and patterns ---------------------------------------------------------------------


def make_text(draw, count):
    """Make a text of a made-up language, in which frequent words are short."""
    letters = 'etaoinshrdlucmfwypvbgkjqxz'
    weights = [1 / (rank + 2) for rank in range(len(letters))]
    words = [''.join(draw.choices(letters, weights, k=draw.randint(1 + (rank > 50), 6 + rank % 9)))
             for rank in range(30000)]
    sums = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(words))))
    text = bytearray()
    while len(text) < count:
        text += ' '.join(draw.choices(words, cum_weights=sums, k=12)).encode() + b'\n'
    return bytes(text[:count])


def make_patterns(draw, text, count):
    """Make patterns of which no pattern is a prefix of another. So at most one pattern occurs at each
    offset, and all packages count the same."""
    found, begun = set(), set()
    while len(found) < count:
        size = draw.randint(8, 20)
        begin = draw.randrange(len(text) - size)
        pattern = text[begin:begin + size].replace(b'\n', b' ')
        if len(found) % 2:
            at = draw.randrange(size)
            pattern = pattern[:at] + bytes([draw.choice(b'QXZ0123')]) + pattern[at + 1:]
        begins = [pattern[:length] for length in range(8, len(pattern) + 1)]
        if pattern not in begun and not found.intersection(begins):
            found.add(pattern)
            begun.update(begins)
    return sorted(found, key=lambda _: draw.random())


class Records:
    """The same records, in the form that each contestant takes."""

    def __init__(self, lines):
        import pyarrow

        self.bytes, self.strings = lines, [line.decode() for line in lines]
        self.arrow = pyarrow.array(self.strings, pyarrow.large_string())
        try:
            import polars
            self.polars = polars.Series(self.strings)
        except ImportError:
            self.polars = None


# ---- Contestants: methods count(text), mask, each and column(records), replace(text) ----------


def values_of(patterns):
    return [f'<{index}>' for index in range(len(patterns))]


class Trawl:
    name, largest = TRAWL, 10 ** 9

    def __init__(self, patterns):
        self.plan = package().Plan(patterns)
        self.values = values_of(patterns)

    def count(self, text):
        return self.plan.count(text)

    def mask(self, records):
        import pyarrow.compute as compute
        return compute.sum(self.plan.contains(records.arrow).to_arrow()).as_py()

    def each(self, records):
        return sum(map(len, map(self.plan.find_all, records.strings)))

    def replace(self, text):
        return self.plan.replace(text, self.values)

    def column(self, records):
        return self.plan.replace(records.polars, self.values).to_polars().str.len_bytes().sum()


class AhocorasickRs:
    name, largest = 'ahocorasick_rs', 10 ** 9

    def __init__(self, patterns):
        import ahocorasick_rs as module
        self.automaton = module.BytesAhoCorasick(patterns)
        self.words = module.AhoCorasick([pattern.decode() for pattern in patterns],
                                        matchkind=module.MatchKind.LeftmostLongest)
        self.all = module.AhoCorasick([pattern.decode() for pattern in patterns])
        self.values = values_of(patterns)

    def count(self, text):
        return len(self.automaton.find_matches_as_indexes(text, overlapping=True))

    def mask(self, records):
        return sum(1 for record in records.strings if self.words.find_matches_as_indexes(record))

    def each(self, records):
        find = functools.partial(self.all.find_matches_as_indexes, overlapping=True)
        return sum(map(len, map(find, records.strings)))

    def replace(self, text):
        parts, at = [], 0
        for index, begin, end in self.words.find_matches_as_indexes(text):
            parts += text[at:begin], self.values[index]
            at = end
        return ''.join(parts) + text[at:]

    def column(self, records):
        return sum(len(self.replace(record)) for record in records.strings)


class Pyahocorasick:
    name, largest = 'pyahocorasick', 10 ** 9

    def __init__(self, patterns):
        import ahocorasick
        self.automaton = ahocorasick.Automaton()
        for index, pattern in enumerate(patterns):
            self.automaton.add_word(pattern.decode(), index)
        self.automaton.make_automaton()

    def count(self, text):
        return sum(1 for _ in self.automaton.iter(text.decode('latin-1')))

    def mask(self, records):
        return sum(1 for record in records.strings
                   if next(self.automaton.iter(record), None) is not None)

    def each(self, records):
        return sum(map(len, map(list, map(self.automaton.iter, records.strings))))


class Hyperscan:
    name, largest = 'hyperscan', 10000

    def __init__(self, patterns):
        import hyperscan
        self.database = hyperscan.Database()
        self.database.compile(expressions=[re.escape(pattern) for pattern in patterns],
                              ids=list(range(len(patterns))), elements=len(patterns),
                              flags=[0] * len(patterns))

    def count(self, text):
        found = []
        self.database.scan(text, match_event_handler=lambda *_: found.append(1))
        return len(found)

    def mask(self, records):
        total, found = 0, []
        for record in records.bytes:
            try:
                self.database.scan(record, match_event_handler=lambda *_: found.append(1) or True)
            except Exception:  # the callback stopped the scan
                pass
            total += bool(found)
            found.clear()
        return total


class StringZilla:
    name, largest = 'StringZilla', 1000

    def __init__(self, patterns):
        import stringzilla
        self.module, self.patterns = stringzilla, patterns

    def count(self, text):
        view = self.module.Str(text)
        return sum(view.count(pattern, allowoverlap=True) for pattern in self.patterns)

    def mask(self, records):
        return sum(1 for record in records.bytes
                   if any(self.module.find(record, one) >= 0 for one in self.patterns))


class Re:
    name, largest = 're', 1000

    def __init__(self, patterns):
        joined = b'|'.join(re.escape(pattern) for pattern in patterns)
        self.several, self.any = re.compile(b'(?=(?:' + joined + b'))'), re.compile(joined.decode())
        self.values = dict(zip([pattern.decode() for pattern in patterns], values_of(patterns)))

    def count(self, text):
        return sum(1 for _ in self.several.finditer(text))

    def mask(self, records):
        return sum(1 for record in records.strings if self.any.search(record))

    def replace(self, text):
        return self.any.sub(lambda match: self.values[match[0]], text)

    def column(self, records):
        return sum(len(self.replace(record)) for record in records.strings)


class GoogleRe2:
    name, largest = 'google-re2', 1000

    def __init__(self, patterns):
        import re2
        words = [pattern.decode() for pattern in patterns]
        self.any = re2.compile('|'.join(map(re2.escape, words)))
        self.values = dict(zip(words, values_of(patterns)))

    mask, replace, column = Re.mask, Re.replace, Re.column


class Pyarrow:
    name, largest = 'pyarrow.compute', 100

    def __init__(self, patterns):
        import pyarrow.compute
        self.compute, self.patterns = pyarrow.compute, patterns

    def mask(self, records):
        found = None
        for pattern in self.patterns:
            one = self.compute.match_substring(records.arrow, pattern.decode())
            found = one if found is None else self.compute.or_(found, one)
        return self.compute.sum(found).as_py()


class Polars:
    name, largest = 'polars', 10 ** 9

    def __init__(self, patterns):
        import polars
        self.polars, self.patterns = polars, [pattern.decode() for pattern in patterns]

    def mask(self, records):
        if len(self.patterns) == 1:
            return records.polars.str.contains(self.patterns[0], literal=True).sum()
        return records.polars.str.contains_any(self.patterns).sum()

    def replace(self, text):
        return self.replaced(self.polars.Series([text]))[0]

    def column(self, records):
        return self.replaced(records.polars).str.len_bytes().sum()

    def replaced(self, series):
        return series.str.replace_many(self.patterns, values_of(self.patterns), leftmost=True)


CONTESTANTS = (Trawl, AhocorasickRs, Pyahocorasick, Hyperscan, StringZilla, Re, GoogleRe2, Pyarrow, Polars)
TABLES = (('patterns, one text', 'count'), ('patterns, records', 'mask'), ('patterns, a call for each record', 'each'),
          ('replaced in one text', 'replace'), ('replaced in records', 'column'))


# ---- Rows -----------------------------------------------------------------------------------


def contestants_for(patterns, method):
    """Yield a contestant of each installed package that has the method and takes this many
    patterns."""
    for kind in CONTESTANTS:
        if len(patterns) <= kind.largest and hasattr(kind, method):
            try:
                yield kind(patterns)
            except ImportError:
                continue


def records_of(draw, text):
    """Cut a text into records of 20 to 180 bytes."""
    lines, at = [], 0
    while at < len(text) - 200:
        size = draw.randint(20, 180)
        lines.append(text[at:at + size])
        at += size
    return lines


def set_rows(options, draw, text):
    """Yield the rows of TABLES: each call, with sets of COUNTS patterns."""
    turns = Turns(options, CLOCKS[options.clock])
    lines = records_of(draw, text)
    records = parts_of(lines, Records)
    parts = {'count': parts_of(text, bytes), 'mask': records, 'each': records, 'column': records,
             'replace': parts_of(text.decode(), str)}
    for title, method in TABLES:
        size = sum(map(len, lines)) if parts[method] is records else len(text)
        for count in (it for it in COUNTS if 40 * it < len(text)):
            name = f'{title}, {count:,}'
            if (options.filter or '') not in name:
                continue
            who = {it.name: getattr(it, method)
                   for it in contestants_for(make_patterns(draw, text, count), method)}
            yield {'name': name, 'table': title, 'count': count, 'text_bytes': size,
                   'results': turns.results(name, who, parts[method],
                                             lambda _, part, find=who[TRAWL]: find(part))}


def measure(options, _runner, _texts):
    """Measure all rows and print their speeds. Nothing of trawl-bench is used here."""
    draw = random.Random(options.seed)
    text = make_text(draw, options.bytes)
    rows = []
    for row in set_rows(options, draw, text):
        rows.append(row)
        print(f"{row['name']}: " + ', '.join(
            f"{it['name']} {digits(rate(row, it['name']))}" for it in row['results']), flush=True)
    return rows


# ---- The report -----------------------------------------------------------------------------


def rate(row, name):
    """Return GB/s."""
    it = result(row, name)
    return it and row['text_bytes'] / least(it) / 1e9


def section(data):
    """Make a table for each question. The last column is trawl's rate / the best other rate."""
    lines = machine_lines(data)
    for title in dict.fromkeys(row['table'] for row in data['rows']):
        rows = [row for row in data['rows'] if row['table'] == title]
        names = list(dict.fromkeys(it['name'] for row in rows for it in row['results']))
        cells = []
        for row in rows:
            rates = {name: rate(row, name) for name in names}
            best = max((value for name, value in rates.items() if value and name != TRAWL), default=None)
            cells.append([f"{row['count']:,}"]
                         + [digits(value) if value else '' for value in rates.values()]
                         + [f'{rates[TRAWL] / best:.1f}' if best else ''])
        lines += [''] + table([title, *names, 'by the best other'], cells)
    return lines
