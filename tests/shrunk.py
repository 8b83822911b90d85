"""shrunk: reduces a failing random case, with hypothesis: the smallest case that fails in the same way has the fewest
and smallest draws. A test draws everything from a random.Random, so any generator can be reduced, without its help."""

import contextlib
import random
import time
import unittest

PATIENCE_S = 40  # how long a case is reduced
BITS = 53  # of a random float


class Drawn(random.Random):
    """Random numbers, each of which draw(least, most) makes. Small ones mean simple cases: the first of several choices,
    and no option that `random() < chance` adds."""

    def __init__(self, draw, number):
        self.draw, self.number = draw, number
        super().__init__(0)

    def seed(self, *_):
        pass

    def random(self):
        return (2**BITS - 1 - self.draw(0, 2**BITS - 1)) / 2**BITS

    def getrandbits(self, count):
        return self.draw(0, 2**count - 1)

    def _randbelow(self, count):
        return self.draw(0, count - 1)


def recorded(rng, made):
    """Return a function draw(least, most) that draws from rng as rng itself would, and appends to `made`."""

    def draw(_, most):
        if most == 2**BITS - 1:
            value = most - int(rng.random() * 2**BITS)
        else:
            value = rng.randrange(most + 1)
        made.append(value)
        return value

    return draw


def reduced(test, rng, number, kind):
    """Run test(rng), which fails with an exception of this kind, again and again; return the exception of the smallest
    case that was found; None: the case does not fail again, has too many draws, or there is no hypothesis."""
    try:
        import hypothesis
        from hypothesis.database import InMemoryExampleDatabase, choices_to_bytes
        from hypothesis.strategies import data, integers
    except ImportError:
        return None
    made, best, end = [], [], time.monotonic() + PATIENCE_S

    def failure(draw):
        try:
            test(Drawn(draw, number))
        except kind as one:
            return one
        except Exception:  # another failure than the one looked for
            pass
        return None

    def fails(given):
        if time.monotonic() > end:
            return False
        drawn = []

        def draw(least, most):
            drawn.append(given.draw(integers(least, most)))
            return drawn[-1]

        found = failure(draw)
        if found is not None and (not best or (len(drawn), drawn) <= best[0]):
            best[:] = (len(drawn), drawn), found
        return found is not None

    if failure(recorded(rng, made)) is None:
        return None
    database = InMemoryExampleDatabase()
    database.save(b"case", choices_to_bytes([*made, 0]))  # one more draw, or hypothesis takes the case for reduced
    phases = [hypothesis.Phase.reuse, hypothesis.Phase.shrink]
    settings = hypothesis.settings(database=database, phases=phases, deadline=None)
    # out of time, or too many draws
    with contextlib.suppress(hypothesis.errors.HypothesisException, unittest.SkipTest):
        hypothesis.find(data(), fails, settings=settings, database_key=b"case")
    return best[1] if best else None
