"""Checks that a failing random case is reported as the smallest one that fails."""

import random

import shrunk


def test_smallest_case():
    def case(rng):
        options = [option for option in ("-i", "-v", "-w", "-x") if rng.random() < 0.7]
        text = "".join(rng.choice("abc") for _ in range(rng.randrange(50)))
        assert "-w" not in options or "cb" not in text, (options, text)
        assert rng.number == 7 and rng.getrandbits(9) < 512 and text[:1] in rng.sample("abc", 3) + [""]

    def fails(seed):
        rng = random.Random(seed)
        rng.number = 7
        try:
            case(rng)
        except AssertionError:
            return True

    seed = next(filter(fails, range(100)))
    smallest = str(shrunk.reduced(case, random.Random(seed), 7, AssertionError))
    assert smallest.startswith("(['-w'], '") and len(smallest.splitlines()[0]) < len("(['-w'], 'aaaaaaaacb')")
    assert shrunk.reduced(lambda rng: rng.random(), random.Random(seed), 7, AssertionError) is None
