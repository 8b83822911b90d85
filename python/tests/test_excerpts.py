"""Compares excerpts() with a loop over what finditer() finds."""

import pytest
import trawl
from conftest import amount

TOKENS = ["a", "b", "ab", "\u00e9", "\u6f22", " ", "\n", "\0"]
STRINGS = ["a", "b", "ab", "b\na", "\n", "\u00e9", "ba"]
WIDTHS = [0, 1, 3, 9, 10**9]


def model(text, spans, before, after, line_end):
    made = []
    for begin, end in spans:
        low = max(begin - before, text.rfind(line_end, 0, begin) + 1)
        stop = text.find(line_end, end)
        high = min(end + after, len(text) if stop < 0 else stop)
        if made and (low < made[-1][1] or begin < made[-1][1]):
            made[-1] = (made[-1][0], max(made[-1][1], high), [*made[-1][2], (begin, end)])
        else:
            made.append((low, high, [(begin, end)]))
    return made


def test_excerpts(rng):
    found = 0
    for case in range(amount(1500)):
        text = "".join(rng.choice(TOKENS) for _ in range(rng.choice([0, 3, 20, 200])))
        line_end = rng.choice(["\n", "\n", "\n", "\0"])
        if rng.random() < 0.5:
            plan = trawl.Plan(rng.sample(STRINGS, rng.randint(1, 3)), line_end=line_end.encode())
        else:
            plan = trawl.Plan(rng.choice(["a+", "a.b", "[ab]+", "\u00e9|b"]), regex=True, line_end=line_end.encode())
        if rng.random() < 0.5:
            text, line_end = text.encode(), line_end.encode()
        before, after = rng.choice(WIDTHS), rng.choice([None, *WIDTHS])
        match = rng.choice(["all", "leftmost-longest", "leftmost-first"])
        spans = [one.span() for one in plan.finditer(text, match=match)]
        expected = model(text, spans, before, before if after is None else after, line_end)
        made = list(plan.excerpts(text, before, after, match=match))
        assert [(one.begin, one.end, [it.span() for it in one.matches]) for one in made] == expected, (case, text)
        assert all(type(one.text) is type(text) and one.text == text[one.begin : one.end] for one in made)
        found += bool(made)
    assert found * 3 > amount(1500)


@pytest.mark.parametrize(
    ("given", "error"), [((-1,), ValueError), ((1, -1), ValueError), ((1.5,), TypeError), ((True,), TypeError)]
)
def test_bad_widths(given, error):
    with pytest.raises(error):
        trawl.Plan("a").excerpts("a", *given)


def test_other_texts(tmp_path):
    (tmp_path / "f").write_bytes(b"one two three")
    for text in (tmp_path / "f", bytearray(b"one two three"), memoryview(b"one two three")):
        assert [one.text for one in trawl.Plan("two").excerpts(text, 1, 2)] == [b" two t"]
    assert [one.text for one in trawl.Searcher().excerpts(trawl.Plan("two"), "one two three", 2)] == ["e two t"]
