"""losses: where a published program answers a whole question in less time than trawl does on the
same kind of processor, and why, as far as the figures of the same run say it.

A reason has a condition on the figures and a sentence with their values in it; the first that holds
is taken."""
import statistics

from claims import Figures
from report import digits

PLACES = {'one core': 'one core', 'all cores': 'all cores', 'GPU': 'GPU', 'GPU, own': 'GPU',
          'command': 'whole process'}
NEAR = 1.1  # of the other's time, at most, where runs that overlap say why


def ms(it, part='whole'):
    """The mean."""
    runs = Figures.runs(it, part)
    return 1e3 * statistics.mean(runs) if runs else 0


def median(it):
    return statistics.median(it['seconds'])


def own_best(rows, on, place, key=ms):
    """trawl's fastest way there; place None: of all but commands."""
    own = [it for it in rows.get(on, {'results': []})['results']
           if it['side'] == 'own' and Figures.good(it)
           and (PLACES.get(it['host']) == place if place else it['host'] != 'command')]
    return min(own, key=key, default=None)


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


def near(_, __, rival, own):
    best = 1e3 * min(own['seconds'])
    return (best, ms(rival), ms(own)) if best < ms(rival) and ms(own) <= NEAR * ms(rival) else None


def call(_, __, rival, own):
    around = ms(own) - ms(own, 'plan') - ms(own, 'search')
    if own['host'] != 'one core' or not own.get('search') or around < 0:
        return None
    return ms(own, 'plan'), ms(own, 'search'), around, ms(rival, 'plan'), ms(rival) - ms(rival, 'plan')


REASONS = (
    (plan, 'the plan: trawl\'s takes {0} ms, the other\'s {1}; without them {2} and {3} ms'),
    (dense, 'the occurrences: with few, trawl takes {0} ms, the other {1}; here it finds {2} ({3} of '
            'them a cell\'s first), {4} ns each'),
    (process, 'start and end of the process: inside a running one trawl takes {0} ms'),
    (near, 'the runs overlap: trawl\'s quickest takes {0} ms, its mean {2} ms, the other\'s {1} ms'),
    (call, 'the time around the search: trawl\'s plan takes {0} ms, its search {1} ms, the call {2} ms; '
           'the other\'s plan {3} ms, its search and call {4} ms'),
)


def explain(rows, row, rival, own):
    for number, (reason, _) in enumerate(REASONS):
        values = reason(rows, row, rival, own)
        if values is not None:
            return number, values
    return None, ()


def words(number, values):
    """The reason's sentence."""
    if number is None:
        return 'not explained'
    return REASONS[number][1].format(*(str(v) if isinstance(v, int) else digits(v) for v in values))


def find(data):
    """Each row and place where both take part: trawl's best there beside the best of the source's."""
    found = []
    for paper in dict.fromkeys(row['paper'] for row in data['rows']):
        rows = {row['name']: row for row in data['rows'] if row['paper'] == paper}
        for row in rows.values():
            for place in dict.fromkeys(PLACES.values()):
                rivals = [it for it in row['results'] if it['side'] == 'published'
                          and PLACES.get(it['host']) == place and Figures.good(it)]
                own = own_best(rows, row['name'], place)
                if rivals and own:
                    rival = min(rivals, key=ms)
                    best = own_best(rows, row['name'], None)
                    why = words(*explain(rows, row, rival, own)) if ms(own) > ms(rival) else None
                    found.append({'paper': paper, 'row': row['name'], 'place': place, 'rival': rival,
                                  'own': own, 'why': why, 'everywhere': place != 'whole process'
                                  and ms(best) > ms(rival), 'by_median': median(own_best(
                                      rows, row['name'], place, median)) > min(map(median, rivals))})
    return found


def beside(found, paper):
    ratios = [ms(it['rival']) / ms(it['own']) for it in found if it['paper'] == paper]
    if not ratios:
        return '-'
    return (f'ahead in {sum(ratio >= 1 for ratio in ratios)} of {len(ratios)} '
            f'({digits(min(ratios))} to {digits(max(ratios))} ×)')


def lines(found):
    lost, medians = [it for it in found if it['why']], sum(it['by_median'] for it in found)
    text = [f'"trawl beside it" compares means of whole searches, copies included, on the same kind of '
            f'processor: trawl\'s best with the source\'s best, {len(found)} comparisons. trawl is '
            + (f'behind in {len(lost)} (by medians in {medians}); in '
               f'{sum(it["everywhere"] for it in lost)} of them (*) on every processor:' if lost or medians else 'ahead in all.')]
    return text + [''] * bool(lost) + [
        f"- {it['paper']}, {it['place']}, {it['row']}{'*' if it['everywhere'] else ''}: trawl takes "
        f"{digits(ms(it['own']))} ms, {it['rival']['name']} {digits(ms(it['rival']))} ms. Why: {it['why']}."
        for it in lost]
