"""Tests that offsets in a str count characters. The oracle is str.find."""

import io
import re
import subprocess
import sys

import pytest
import trawl
from conftest import amount, naive

LETTERS = ["a", "b", "\n", "\u00e9", "\u20ac", "\U0001f600"]  # letters of 1 to 4 bytes


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
    numbers = sorted({text.count("\n", 0, begin) for begin in begins})
    lines = text.split("\n")
    expected = [sum(len(line) + 1 for line in lines[:number]) for number in numbers]
    assert searcher.lines(plan, text).begins.tolist() == expected
    batches = searcher.line_batches(plan, text)
    assert [begin for batch in batches for begin in batch.begins] == expected


def test_like_find(rng):
    """Compare with str.find, with characters at every alignment to machine words and chunks, and with texts of up to 90
    characters, or nine times as long."""
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
    """Compare with str.find where occurrences are far apart. The library counts characters in small counters in a machine
    word, which here overflow. As there are long and short patterns, the ends have a different order than the begins."""
    with trawl.Searcher("cpu", 2, chunk_bytes=4096) as searcher:
        for letter in LETTERS:
            text = "x\u00e9" + "y".join(letter * rng.randint(1, 9000) for _ in range(5)) + "xy"
            patterns = ["x", "y" + letter, letter + "y", letter * 700 + "y"]
            at = max(0, text.index("y") - 300)  # a long occurrence that holds a long occurrence
            patterns += [text[at : at + 900], text[at + 5 : at + 405]]
            check(trawl.Plan(patterns), patterns, text, searcher)


def test_files_and_slices(tmp_path):
    text = "caf\u00e9 tea, \U0001f600tea" * 9
    plan, path = trawl.Plan(["tea", "\u00e9"]), tmp_path / "text"
    path.write_text(text, encoding="utf-8")
    expected = plan.matches(text, value=True)
    with open(path, encoding="utf-8") as file, open(path, "rb") as raw:
        for given in (file, path, raw, io.BytesIO(text.encode()), text.encode(), trawl.Text(text)):
            assert plan.positions(given, offsets="characters") == expected.begins
            assert plan.first(given, offsets="characters") == (3, 4, 1)
            found = plan.matches(given, offsets="characters", value=True)
            assert [one[:3] for one in found] == [one[:3] for one in expected]
            batches = plan.batches(given, offsets="characters", value=True)
            assert [one for batch in batches for one in batch] == list(found)
        assert list(plan.matches(file, value=True)) == list(expected) and file.read() == text
        assert plan.matches(raw, value=True).values[0] == "\u00e9".encode()
    with pytest.raises(trawl.UnsupportedError, match="cannot be read again"):
        plan.matches(io.BytesIO(b"tea"), value=True)
    with pytest.raises(ValueError, match="offsets: characters can be counted in memory"):
        plan.matches(trawl.Text(path), offsets="characters")
    part = expected[2:-1]
    assert type(part) is trawl.Matches and list(part) == list(expected)[2:-1]
    assert part.values.tolist() == expected.values.tolist()[2:-1] and len(expected[:0]) == 0
    assert type(plan.cells([text, text])[1:]) is trawl.Cells
    assert list(plan.lines(text)[:1])[0][2] == text


def test_parts_of_characters():
    """Check patterns of bytes that begin and end inside of characters: each touched character belongs to the occurrence."""
    text = "a\u00e9\u20acb"  # 61 c3 a9 e2 82 ac 62
    plan = trawl.Plan([b"\xa9\xe2", b"\xc3", b"\x82", b"\xacb"])
    assert list(plan.matches(text)) == [(1, 2, 1), (1, 3, 0), (2, 3, 2), (2, 4, 3)]
    assert plan.positions(text).tolist() == [1, 1, 2, 2]
    assert plan.first(text) == (1, 2, 1)


def test_words_after_case():
    """Check that a process whose first plan needs the table of case alone later makes the table of words."""
    lines = ["import trawl", "assert trawl.Plan('\u00e9', ignore_case=True).count('\u00c9\u00e9 \u00e9') == 3",
             "assert trawl.Plan('\u00e9', whole_words=True).count('\u00c9\u00e9 \u00e9') == 1"]  # fmt: skip
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True)


def test_letters_without_case():
    """Check that letters of which more than two are equal when case is ignored, and capital sharp s, find the letters
    that they find with `re`."""
    letters = (
        "sS\u017fkK\u212a\u03c3\u03c2\u03a3\u00b5\u03bc\u039c\u03b2\u03d0\u0392\u00df\u1e9e\u00e5\u00c5\u212b"
        "\u03b8\u03d1\u0398\u03f4\u1e9b\u1e61\u1e60\u0432\u1c80\u0412\U00010400\U00010428"
    )
    for one in letters:
        found = trawl.Plan(one, ignore_case=True).positions(letters).tolist()
        assert found == [at for at, other in enumerate(letters) if re.fullmatch(one, other, re.I)]


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


def test_batches_that_end_inside_a_character():
    """Each batch holds one byte. (Earlier tests missed that a batch began after its only occurrence.)"""
    with trawl.Searcher("cpu", 1, chunk_bytes=1) as searcher:
        batches = searcher.batches(trawl.Plan([b"\xa9"]), "aéé")
        assert [(list(one), one.text_begin, one.text_end) for one in batches] == [([(1, 2, 0)], 1, 2), ([(2, 3, 0)], 2, 3)]
