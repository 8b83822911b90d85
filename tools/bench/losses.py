"""losses: where a published program answers a whole question in less time than trawl does on the
same kind of processor, and why, as far as the figures of the same run say it.

A reason has a condition on the figures and a sentence with their values in it; the first that holds
is taken."""
import statistics

from claims import Figures
from report import digits

PLACES = {'one core': 'one core', 'all cores': 'all cores', 'GPU': 'device', 'GPU, own': 'device',
          'command': 'whole process'}
NEAR = 1.1  # of the other's time, at most, where runs that overlap say why


def ms(it, part='whole'):
    runs = Figures.runs(it, part)
    return 1e3 * statistics.median(runs) if runs else 0


def own_best(rows, on, place):
    """trawl's fastest way there; place None: of all but commands."""
    own = [it for it in rows.get(on, {'results': []})['results']
           if it['side'] == 'own' and Figures.good(it)
           and (PLACES.get(it['host']) == place if place else it['host'] != 'command')]
    return min(own, key=ms, default=None)


# Each takes (rows, row, rival, own) and returns values for its sentence, or None.


def plan(_, __, rival, own):
    values = ms(own, 'plan'), ms(rival, 'plan'), ms(own) - ms(own, 'plan'), ms(rival) - ms(rival, 'plan')
    return values if values[0] > 0 and values[2] <= values[3] else None


def dense(rows, row, rival, own):
    if not row['name'].startswith('dense, ') or not own.get('occurrences'):
        return None
    on = 'sparse, ' + row['name'][len('dense, '):]
    other = next((it for it in rows.get(on, {'results': []})['results']
                  if it['name'] == rival['name'] and Figures.good(it)), None)
    best = own_best(rows, on, PLACES[rival['host']])
    if not other or not best or ms(best) > ms(other) or ms(best) > ms(own):
        return None
    return (ms(best), ms(other), own['occurrences'], row['answers'],
            (ms(own) - ms(best)) * 1e6 / own['occurrences'])


def process(rows, row, rival, _):
    best = own_best(rows, row['name'], None)
    return (ms(best),) if rival['host'] == 'command' and best and ms(best) < ms(rival) else None


def chunks(_, __, rival, own):
    if own['host'] != 'GPU, own' or own.get('chunks', 0) <= 1 or not rival.get('kernel'):
        return None
    return own['chunks'], ms(own, 'ready'), ms(own, 'search'), ms(rival, 'copy_in'), ms(rival, 'kernel')


def near(_, __, rival, own):
    best = 1e3 * min(own['seconds'])
    return (best, ms(rival), ms(own)) if best < ms(rival) and ms(own) <= NEAR * ms(rival) else None


def round_trip(_, __, rival, own):
    if own['host'] != 'GPU, own' or own.get('chunks', 0) > 1 or not rival.get('kernel'):
        return None
    copy, kernel = ms(rival, 'copy_in'), ms(rival, 'kernel')
    return ms(own, 'plan'), ms(own, 'search'), copy, kernel, ms(rival) - copy - kernel


def call(_, __, rival, own):
    around = ms(own) - ms(own, 'plan') - ms(own, 'search')
    if own['host'] != 'one core' or not own.get('search') or around < 0:
        return None
    return ms(own, 'plan'), ms(own, 'search'), around, ms(rival, 'plan'), ms(rival) - ms(rival, 'plan')


REASONS = (
    (plan, 'the plan: trawl chooses a method and builds its tables in {0} ms, the other\'s takes {1} '
           'ms; without them trawl takes {2} ms, the other {3} ms'),
    (dense, 'the occurrences: where they are few, trawl takes {0} ms for as many cells, the other {1} '
            'ms; here trawl finds {2}, of which {3} are the first of a cell, and each adds {4} ns'),
    (process, 'the process: inside a running one, trawl\'s search takes {0} ms; the rest is starting '
              'process and threads, reading the file, and ending'),
    (chunks, 'the chunks: trawl copies {0} of them to pinned memory in {1} ms, summed over its '
             'threads, and searches them in {2} ms, summed over the device\'s workers; the other makes '
             'one copy in {3} ms and runs one kernel of {4} ms'),
    (near, 'the runs overlap: trawl\'s quickest takes {0} ms, its median {2} ms, the other\'s median '
           '{1} ms'),
    (round_trip, 'one round trip each: trawl\'s plan takes {0} ms, and tables, copies, kernels and '
                 'answer {1} ms; the other\'s copy to the device {2} ms, its kernel {3} ms, and all '
                 'else {4} ms'),
    (call, 'the time around the search: trawl\'s plan takes {0} ms, its search {1} ms, and the call '
           'with both {2} ms; the other\'s plan takes {3} ms, its search and the call {4} ms'),
)


def explain(rows, row, rival, own):
    for number, (reason, _) in enumerate(REASONS):
        values = reason(rows, row, rival, own)
        if values is not None:
            return number, values
    return None, ()


def words(number, many):
    """The reason's sentence, with each value from the least to the most over the cells."""
    if number is None:
        return 'not explained'
    texts = []
    for values in zip(*many):
        least, most = (str(v) if isinstance(v, int) else digits(v) for v in (min(values), max(values)))
        texts.append(least if least == most else f'{least} to {most}')
    return REASONS[number][1].format(*texts)


def losses(data):
    compared = lost = everywhere = 0
    lines = {}
    for paper in dict.fromkeys(row['paper'] for row in data['rows']):
        rows = {row['name']: row for row in data['rows'] if row['paper'] == paper}
        for row in rows.values():
            for rival in row['results']:
                place = PLACES.get(rival['host'])
                if rival['side'] != 'published' or not place or not Figures.good(rival):
                    continue
                own = own_best(rows, row['name'], place)
                if own is None:
                    continue
                compared += 1
                if ms(own) <= ms(rival):
                    continue
                best = own_best(rows, row['name'], None)
                all_of_them = rival['host'] != 'command' and best and ms(best) > ms(rival)
                lost += 1
                everywhere += bool(all_of_them)
                number, values = explain(rows, row, rival, own)
                line = lines.setdefault((paper, place, row['name'], number), (own, [], []))
                line[1].append(f"{rival['name']} ({digits(ms(rival))} ms){'*' if all_of_them else ''}")
                line[2].append(values)
    text = ['## Where we lose, and why', '',
            f'In {compared} cells trawl does the same whole job as an algorithm of the gallery, or as '
            f"the command in a source's table, on the same kind of processor. It takes longer in {lost} "
            f'of them; in {everywhere} of those (*) no form of trawl on any processor is faster.', '']
    return text + [f'- {paper}, {place}, {on}: trawl takes {digits(ms(own))} ms, longer than '
                   f"{', '.join(rivals)}. Why: {words(number, values)}."
                   for (paper, place, on, number), (own, rivals, values) in lines.items()]
