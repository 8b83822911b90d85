"""grid: five corpora, four words each, eleven modes, against the faster of grep and ripgrep, with
the output read from a pipe; and one binary of trawl against another (--against)."""
import math
import os
import re
import statistics

import commands
from report import least, median, opening, result, table
from runner import command, die

CORPORA = (('log', 'log'), ('English', 'english'), ('source', 'code'), ('JSON lines', 'json'),
           ('Cyrillic', 'cyrillic'))
WORDS = (('absent', 0), ('rare', 0), ('1 in 50', 0.02), ('most lines', 0.7))
MODES = ('-c', '-n', '-o', '-l', '-b -o', '-C3 -n', '-v', '-i', '-w', '-m1', '')
TRAWL, OLD, GREP, RG = 'trawl', 'old trawl', 'grep -F', 'rg -F'
LEAST_SECONDS = 0.005
BAR, BAR_BUSY = 1.0, 0.8
REGRESSION = 1.03
AGAIN = 4  # times the rounds, of rows that fall
PIECE = 1 << 20  # of a corpus, in which words are counted
ENVIRONMENT = {'LC_ALL': 'C.UTF-8'}


def label_of(mode):
    return mode or 'plain'


def words_of(content):
    """For each of WORDS a word of the text: the one whose share of lines is nearest."""
    text = content[:PIECE].decode('utf-8', 'ignore')
    lines = text.splitlines()
    share = {}
    for line in lines:
        for word in set(re.findall(r'\w{3,}', line)):
            share[word] = share.get(word, 0) + 1
    common = sorted(share, key=share.get)[-400:]
    share.update({word: sum(word in line for line in lines) for word in common})
    alike = sorted(share, key=lambda word: (share[word], word))
    found = {'absent': 'Qxzjvkwq', 'rare': next(word for word in alike if len(word) >= 6)}
    for label, wanted in WORDS[2:]:
        found[label] = min(common, key=lambda word, wanted=wanted:
                           abs(share[word] / len(lines) - wanted))
    return found


def rows(options, texts):
    installed, trawl = commands.versions(options), commands.install(options, texts)
    if GREP not in installed and RG not in installed:
        die('neither grep nor rg is installed: there is nothing to compare with')
    for title, kind in CORPORA:
        if options.filter and not any(options.filter in f'{title}, {label}, {label_of(mode)}'
                                      for label, _ in WORDS for mode in MODES):
            continue
        path = texts.corpus(kind, options.bytes)
        words = words_of(texts.source(kind)[0][:options.bytes or PIECE])
        for label, _ in WORDS:
            for mode in MODES:
                name = f'{title}, {label}, {label_of(mode)}'
                if options.filter and options.filter not in name:
                    continue
                tail = mode.split() + ['-e', words[label], path]
                programs = [(GREP, ['grep', '-F']), (RG, ['rg', '-F', '--no-config', '--include-zero']),
                            (TRAWL, [trawl]), (OLD, [options.against])]
                who = [{'name': program, 'ours': program == TRAWL, **command(*head, *tail)}
                       for program, head in programs
                       if program in installed or program == OLD and options.against]
                yield {'name': name, 'corpus': title, 'word': label, 'mode': label_of(mode),
                       'pattern': words[label], 'bytes': os.path.getsize(path),
                       'rounds': options.rounds, 'asks': [({}, who)]}


# ---- Reports --------------------------------------------------------------------------------


def best_peer(row):
    peers = {name: median(result(row, name)) for name in (GREP, RG)}
    peers = {name: seconds for name, seconds in peers.items() if seconds}
    name = min(peers, key=peers.get, default=None)
    return name, peers.get(name)


def ratio_of(row):
    """The faster peer's time / trawl's; None: one of them was not measured."""
    _, peer = best_peer(row)
    trawl = median(result(row, TRAWL))
    return peer / trawl if peer and trawl else None


def bar_of(data):
    return BAR_BUSY if data.get('busy') else BAR


def counts(row):
    """Has the row a bar? Below 5 ms a process's start decides."""
    trawl = median(result(row, TRAWL))
    return trawl is not None and trawl >= LEAST_SECONDS


def below(data):
    """Rows below their bar, the worst first."""
    found = [row for row in data['rows'] if counts(row) and ratio_of(row)
             and ratio_of(row) < bar_of(data)]
    return sorted(found, key=ratio_of)


def regressions(data):
    """(row, new / old), by the least times, the worst first."""
    both = [(row, least(result(row, TRAWL)), least(result(row, OLD))) for row in data['rows']]
    found = [(row, new / old) for row, new, old in both if new and old and new / old >= REGRESSION
             and new >= LEAST_SECONDS]
    return sorted(found, key=lambda it: -it[1])


def doubtful(data):
    """Rows that fall: their times, with more rounds, count too. Noise seldom falls twice."""
    return below(data) + [row for row, _ in regressions(data)]


def conclusions(data):
    """Unfavourable rows first."""
    bar, low = bar_of(data), below(data)
    with_bar = [row for row in data['rows'] if counts(row) and ratio_of(row)]
    yield (f"- {'every core busy' if data.get('busy') else 'quiet'}: {len(low)} of {len(with_bar)} rows "
           f'of {LEAST_SECONDS * 1000:.0f} ms and more are below {bar} x of the faster of grep and '
           f"ripgrep{':' if low else ''}")
    for row in low:
        name, peer = best_peer(row)
        yield (f"- LOW {ratio_of(row):.2f}: {row['name']} (`{row['pattern']}`): "
               f"{1000 * median(result(row, TRAWL)):.1f} ms, {name} {1000 * peer:.1f} ms")
    wrong = [(row, it) for row in data['rows'] for it in row['results'] if it.get('wrong')]
    for row, it in wrong:
        yield f"- another answer than {row['results'][0]['name']}'s: {row['name']}: {it['name']}"
    if any(result(row, OLD) for row in data['rows']):
        found = regressions(data)
        yield f'- against the old binary: {len(found)} rows are 3 % slower or more' + (
            ':' if found else '')
        for row, value in found:
            yield f"- SLOWER {value:.2f} x: {row['name']} (`{row['pattern']}`)"
    ratios = [ratio_of(row) for row in with_bar]
    if ratios:
        yield (f'- geometric mean of {len(ratios)} rows: '
               f'{math.exp(statistics.mean(map(math.log, ratios))):.2f} x; least {min(ratios):.2f}')


def section(data):
    lines = opening(data) + ['', *conclusions(data), '']
    lines += ['The faster of grep and ripgrep, divided by trawl\'s time; in parentheses what takes '
              'less than 5 ms.', '']
    cells = []
    rows = {row['name']: row for row in data['rows']}
    for title, _ in CORPORA:
        for label, _ in WORDS:
            found = [rows.get(f'{title}, {label}, {label_of(mode)}') for mode in MODES]
            texts = [f'{ratio_of(row):.2f}' if row and ratio_of(row) else '-' for row in found]
            if any(found):
                cells.append([title, label] + [text if row and counts(row) else f'({text})'
                                               for row, text in zip(found, texts)])
    return lines + table(['corpus', 'word'] + [f'`{mode}`' if mode else 'plain' for mode in MODES],
                         cells, left=2)


def show(row):
    value = ratio_of(row)
    print(f"{row['name']:36} {1000 * (median(result(row, TRAWL)) or 0):8.1f} ms  x "
          f"{f'{value:.2f}' if value else '-'} of {best_peer(row)[0]}", flush=True)
