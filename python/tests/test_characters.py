"""Offsets in a str count characters. The oracle is str.find."""

import array

import pytest
import trawl
from conftest import amount, naive

LETTERS = ["a", "b", "\n", "\u00e9", "\u20ac", "\U0001f600"]  # of 1 to 4 bytes


def check(plan, patterns, text, searcher):
    expected = naive(patterns, text)
    begins = [begin for begin, _, _ in expected]
    assert list(searcher.matches(plan, text)) == expected
    assert searcher.positions(plan, text).tolist() == begins
    assert searcher.first(plan, text) == (expected[0] if expected else None)
    batches = list(searcher.batches(plan, trawl.Text(text)))
    assert [match for batch in batches for match in batch] == expected
    for batch in batches:
        assert all(batch.text_begin <= begin < batch.text_end for begin in batch.begins)
    out = array.array("Q", [7] * 5)
    assert searcher.positions_into(plan, text, out) == len(begins)
    assert out.tolist() == (begins + [7] * 5)[:5] if len(begins) < 5 else begins[:5]
    numbers = sorted({text.count("\n", 0, begin) for begin in begins})
    lines = text.split("\n")
    expected = [sum(len(line) + 1 for line in lines[:number]) for number in numbers]
    assert searcher.lines(plan, text).begins.tolist() == expected
    batches = searcher.line_batches(plan, text)
    assert [begin for batch in batches for begin in batch.begins] == expected


def test_like_find(rng):
    """Every alignment of characters to words and chunks, and every distance of an end."""
    for round in range(amount(150)):
        letters = rng.sample(LETTERS, rng.randint(2, len(LETTERS)))
        text = "".join(rng.choices(letters, k=rng.randint(0, 90)))
        patterns = ["".join(rng.choices(letters, k=rng.randint(1, 3))) for _ in range(3)]
        if round % 3 == 0 and text:
            text *= 9
            begins = (rng.randrange(len(text)) for _ in range(3))
            patterns += [text[begin : begin + rng.randint(1, 90)] for begin in begins]
            patterns = list(dict.fromkeys(patterns))
        plan = trawl.Plan(patterns)
        with trawl.Searcher("cpu", 1 + round % 2, chunk_bytes=round % 60) as searcher:
            check(plan, patterns, text, searcher)


def test_long(rng):
    """Gaps beyond what a word's lanes can count, and ends that go back."""
    with trawl.Searcher("cpu", 2, chunk_bytes=4096) as searcher:
        for letter in LETTERS:
            text = "x\u00e9" + "y".join(letter * rng.randint(1, 9000) for _ in range(5)) + "xy"
            patterns = ["x", "y" + letter, letter + "y", letter * 700 + "y"]
            check(trawl.Plan(patterns), patterns, text, searcher)


def test_parts_of_characters():
    """Bytes may begin and end inside of characters, which then belong to the occurrence."""
    text = "a\u00e9\u20acb"  # 61 c3 a9 e2 82 ac 62
    plan = trawl.Plan([b"\xa9\xe2", b"\xc3", b"\x82", b"\xacb"])
    assert list(plan.matches(text)) == [(1, 2, 1), (1, 3, 0), (2, 3, 2), (2, 4, 3)]
    assert plan.positions(text).tolist() == [1, 1, 2, 2]
    assert plan.first(text) == (1, 2, 1)


def test_options():
    text = "\u00e4b\nc\u00e4b"
    plan = trawl.Plan("b")
    assert plan.positions(text).tolist() == [1, 5]
    assert plan.positions(text, offsets="bytes").tolist() == [2, 7]
    assert plan.positions(text.encode()).tolist() == [2, 7]
    assert list(plan.matches(text, offsets="bytes")) == [(2, 3, 0), (7, 8, 0)]
    assert plan.lines(text, offsets="bytes").begins.tolist() == [0, 4]
    assert plan.first(text, offsets="bytes") == (2, 3, 0)
    (batch,) = plan.batches(text, offsets="bytes")
    assert list(batch) == [(2, 3, 0), (7, 8, 0)]
    for call in (plan.positions, plan.matches, plan.first, plan.lines, plan.batches):
        with pytest.raises(ValueError, match="offsets: 'characters' or 'bytes', not 'letters'"):
            call(text, offsets="letters")
        with pytest.raises(UnicodeEncodeError):
            call("b\ud800")
