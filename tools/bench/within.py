"""within: measures searches with errors from Python beside other programs, in turns.

The texts are random DNA with guides of 23 bases, searched on both strands, and made-up words with a single
pattern. Both texts contain copies of the patterns with some errors. On each contestant's share of the text,
the answer is compared with trawl's answer to the same question:

  sassy      edits: the ends of all spans within k (search_all). The timed call is search, which gives one
             end of each run of ends, as trawl's best ends do
  edlib      edits: the least distance, and the number of ends with that distance
  Hyperscan  mismatches: the occurrences; edits: the ends of all spans
  regex      mismatches: the occurrences, overlapping occurrences too
  tre-agrep, ugrep   the lines with an occurrence; ugrep allows no mismatch in a pattern's first byte

Contestants that are not installed, cannot answer, or would take too long are left out. Guides are measured
in 10^9 positions x patterns a second, where both strands count once; texts in GB/s. "exact" is trawl's
exact search for the pattern's k + 1 pieces."""
import collections
import os
import random
import re
import resource
import shutil
import subprocess
import time

import packages
from packages import TRAWL, Turns, package, parts_of
from report import digits
from runner import die

PAIRS = bytes.maketrans(b'ACGT', b'TGCA')
EXACT = 'exact'


def processor_time():
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


CLOCKS = {'wall': time.perf_counter, 'cpu': processor_time}


class Question:
    """A question: the patterns, the kind and number of errors, and the text."""

    def __init__(self, name, part, kind, k, patterns, is_dna):
        self.name, self.part, self.kind, self.k = name, part, kind, k
        self.patterns, self.is_dna, self.edits = patterns, is_dna, kind == 'edits'

    @property
    def both(self):
        """Return the patterns and, for DNA, the reverse complements."""
        more = [one.translate(PAIRS)[::-1] for one in self.patterns] if self.is_dna else []
        return [*self.patterns, *more]

    def plan(self, **options):
        if self.is_dna:
            options |= {'alphabet': 'dna', 'reverse_complement': True}
        return package().Plan(self.patterns, **{self.kind: self.k}, **options)

    def truth(self, meaning, text):
        """Return trawl's answer."""
        if meaning == 'occurrences':
            return self.plan().count(text)
        if meaning == 'ends':
            return self.plan(every_end=True).count(text)
        if meaning.startswith('lines'):
            exact = [(0, 1)] if 'first' in meaning else []
            return self.plan(within_lines=True, exact=exact).count_lines(text)
        matches = self.plan(every_end=True).matches(text)
        strands = matches.strands or ['+'] * len(matches)
        nearest = collections.defaultdict(collections.Counter)
        for key, distance in zip(zip(matches.patterns, strands), matches.distances):
            nearest[key][distance] += 1
        return sorted(min(counts.items()) for counts in nearest.values())


# ---- Texts ----------------------------------------------------------------------------------


def with_errors(draw, pattern, letters, errors):
    """Return a copy of the pattern with random errors: two thirds are replacements, the others
    insertions and deletions."""
    copy = bytearray(pattern)
    for _ in range(errors):
        at, change = draw.randrange(len(copy)), draw.randrange(6)
        if change < 4:
            copy[at] = draw.choice(letters)
        elif change == 4:
            del copy[at]
        else:
            copy.insert(at, draw.choice(letters))
    return bytes(copy)


def planted(draw, text, patterns, letters, copies):
    """Plant `copies` copies of each pattern in the text, most of them in the first 256th."""
    text = bytearray(text)
    for pattern in patterns:
        for number in range(copies):
            one = with_errors(draw, pattern, letters, number % 6)
            at = draw.randrange(max(1, len(text) // (256 if number % 2 else 1) - 2 * len(one)))
            text[at:at + len(one)] = one
    return bytes(text)


def questions(draw, size):
    """Yield the questions: guides in DNA, and patterns of 40 and 100 bytes in made-up words."""
    patterns = [bytes(draw.choices(b'ACGT', k=23)) for _ in range(1000)]
    dna = planted(draw, bytes(draw.choices(b'ACGT', k=size)), patterns[:40], b'ACGT', 12)
    part = parts_of(dna, bytes)
    for kind, k in (('mismatches', 3), ('mismatches', 4), ('edits', 3)):
        for count in (1, 20, 312, 1000):
            name = f"{count:,} guide{'s' * (count > 1)}, {k} {kind}"
            yield Question(name, part, kind, k, patterns[:count], True)
    text = packages.make_text(draw, size)
    for length in (40, 100):
        pattern = text[len(text) // 2:][:length].replace(b'\n', b' ')
        part = parts_of(planted(draw, text, [pattern], b'etaoin shr', 24), bytes)
        for kind in ('mismatches', 'edits'):
            for k in (1, 2, 3):
                yield Question(f'{length} bytes, {k} {kind}', part, kind, k, [pattern], False)


# ---- Contestants: (timed call, compared call, meaning of the answer), or None ------------------


def trawl_exact(asked, searcher, _):
    """Return the contestant that counts the k + 1 pieces of each pattern exactly, as a bound; None:
    several patterns."""
    if len(asked.patterns) > 1:
        return None
    parts = asked.k + 1
    pieces = [one[len(one) * i // parts:len(one) * (i + 1) // parts]
              for one in asked.both for i in range(parts)]
    plan = package().Plan(list(dict.fromkeys(pieces)))
    return lambda text: searcher.count(plan, text), None, None


def sassy(asked, _, options):
    """Return sassy as a contestant, or None for questions with mismatches, which sassy cannot
    answer."""
    if not asked.edits:
        return None
    import sassy as module
    one = module.Searcher('iupac' if asked.is_dna else 'ascii', rc=False)

    def count(text):
        # sassy searches several DNA patterns of equal length side by side.
        if asked.is_dna and len(asked.patterns) > 1:
            return len(one.search_many(asked.both, [text], asked.k, options.threads, 'batch_patterns'))
        return sum(len(one.search(pattern, text, asked.k)) for pattern in asked.both)

    return count, lambda text: sum(len(one.search_all(pattern, text, asked.k))
                                   for pattern in asked.both), 'ends'


def edlib(asked, *_):
    """Return edlib as a contestant, or None for mismatches and for more than 20 patterns."""
    if not asked.edits or len(asked.patterns) > 20:
        return None
    import edlib as module

    def count(text):
        found = [module.align(one, text, mode='HW', task='distance', k=asked.k) for one in asked.both]
        return sorted((it['editDistance'], len(it['locations'])) for it in found
                      if it['editDistance'] >= 0)

    return count, count, 'nearest'


def hyperscan(asked, *_):
    """Return Hyperscan as a contestant, or None for several patterns."""
    if len(asked.patterns) > 1:  # compiling 40 guides takes 30 s
        return None
    import hyperscan as module
    flag = module.HS_EXT_FLAG_EDIT_DISTANCE if asked.edits else module.HS_EXT_FLAG_HAMMING_DISTANCE
    extra = module.ExpressionExt(flags=flag, min_offset=0, max_offset=0, min_length=0,
                                 edit_distance=asked.k if asked.edits else 0,
                                 hamming_distance=0 if asked.edits else asked.k)
    made = packages.Hyperscan.__new__(packages.Hyperscan)
    made.database, count = module.Database(), len(asked.both)
    try:
        made.database.compile(expressions=[re.escape(one) for one in asked.both], ids=list(range(count)),
                              elements=count, flags=[module.HS_FLAG_DOTALL] * count, ext=[extra] * count)
    except module.error:  # Hyperscan refuses the pattern
        return None
    return made.count, made.count, 'ends' if asked.edits else 'occurrences'


def regex(asked, *_):
    """Return the package regex as a contestant, or None for edits and for several patterns."""
    # With edits, regex reports only a single match for each begin.
    if asked.edits or len(asked.patterns) > 1:
        return None
    import regex as module
    errors = b'{s<=%d}' % asked.k
    made = [module.compile(b'(?:%b)%b' % (re.escape(one), errors)) for one in asked.both]

    def count(text):
        return sum(1 for one in made for _ in one.finditer(text, overlapped=True))

    return count, count, 'occurrences'


def command(asked, words, texts, meaning):
    """Make a contestant that runs a command to count lines. Each share of the text is a file."""
    if asked.is_dna or shutil.which(words[0]) is None:
        return None

    def count(text):
        path = texts.path(f'{asked.name}-{len(text)}')
        texts.write(os.path.basename(path), text)
        done = subprocess.run([*words, '-e', asked.patterns[0], path], check=False,
                              stdout=subprocess.PIPE, env={**os.environ, 'LC_ALL': 'C'})
        return int(done.stdout)

    return count, count, meaning


def contestants_for(asked, searcher, options, texts):
    """Yield (name, function that counts, function that checks, meaning of the checked answer) of
    each installed program that can answer."""
    costs = [] if asked.edits else ['-I99', '-D99']
    plan = asked.plan()
    makers = {
        TRAWL: lambda *_: (lambda text: searcher.count(plan, text), None, None),
        'sassy': sassy, 'edlib': edlib, 'Hyperscan': hyperscan, 'regex': regex,
        'tre-agrep': lambda *_: command(asked, ['tre-agrep', '-c', '-k', *costs, f'-E{asked.k}'], texts, 'lines'),
        'ugrep': lambda *_: command(asked, ['ugrep', '-c', '-F', '-U', f"-Z{'' if asked.edits else '~'}{asked.k}"],
                                    texts, 'lines, the first byte exact'),
        EXACT: trawl_exact}
    for name, make in makers.items():
        try:
            made = make(asked, searcher, options)
        except ImportError:
            continue
        if made:
            yield name, *made


def measure(options, _, texts):
    """Measure all questions; the programs take turns, and their answers are compared."""
    turns = Turns(options, CLOCKS[options.clock])
    searcher, rows = package().Searcher('cpu', options.threads), []
    for asked in questions(random.Random(options.seed), options.bytes):
        if (options.filter or '') not in asked.name:
            continue
        who = {}
        for name, count, check, meaning in contestants_for(asked, searcher, options, texts):
            part = asked.part(turns.share(count, asked.part))
            if check is not None and check(part) != asked.truth(meaning, part):
                die(f'{asked.name}: {name} has another answer than trawl')
            who[name] = count
        # Contestants give different kinds of answers. So later answers of a contestant are compared with
        # that contestant's first answer.
        rows.append({'name': asked.name, 'table': 'guides of 23' if asked.is_dna else 'one pattern',
                     'text_bytes': len(asked.part(1)), 'units': len(asked.patterns) if asked.is_dna else 1,
                     'results': turns.results(asked.name, who, asked.part,
                                              lambda name, part, who=who: who[name](part))})
        print(f'{asked.name}: ' + ', '.join(f"{it['name']} {digits(packages.rate(rows[-1], it['name']))}"
                                            for it in rows[-1]['results']), flush=True)
    return rows


def section(data):
    return packages.section(data, left_out=(EXACT,))
