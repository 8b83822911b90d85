"""Tests that offsets in a str count characters. The oracle is str.find."""

import io
import subprocess
import sys

import pytest
import trawl
from conftest import naive

LETTERS = ["a", "b", "\n", "\u00e9", "\u20ac", "\U0001f600"]  # letters of 1 to 4 bytes


def check(plan, patterns, text, searcher):
    expected = naive(patterns, text)
    assert list(searcher.matches(plan, text)) == expected
    assert searcher.positions(plan, text).tolist() == [begin for begin, _, _ in expected]
    batches = list(searcher.batches(plan, trawl.Text(text)))
    assert [match for batch in batches for match in batch] == expected
    numbers = sorted({text.count("\n", 0, begin) for begin, _, _ in expected})
    lines = text.split("\n")
    assert searcher.lines(plan, text).begins.tolist() == [
        sum(len(line) + 1 for line in lines[:number]) for number in numbers
    ]


def test_long(rng):
    """Compare with str.find where occurrences are far apart: the library counts characters in small counters in a machine
    word, which would overflow here. With long and short patterns, ends are in a different order than begins."""
    with trawl.Searcher("cpu", 2, chunk_bytes=4096) as searcher:
        for letter in LETTERS:
            text = "x\u00e9" + "y".join(letter * rng.randint(1, 9000) for _ in range(5)) + "xy"
            patterns = ["x", "y" + letter, letter + "y", letter * 700 + "y"]
            at = max(0, text.index("y") - 300)  # a long occurrence inside a long occurrence
            patterns += [text[at : at + 900], text[at + 5 : at + 405]]
            check(trawl.Plan(patterns), patterns, text, searcher)
        # Runs of ASCII of every length up to 300, which the library skips in blocks.
        text = "".join("x" * (i * 37 % 301) + "\u00e9a" for i in range(301))
        check(trawl.Plan(["a", "xa"]), ["a", "xa"], text, searcher)


def test_files(tmp_path):
    text = "caf\u00e9 tea, \U0001f600tea" * 9
    plan, path = trawl.Plan(["tea", "\u00e9"]), tmp_path / "text"
    path.write_text(text, encoding="utf-8")
    with open(path, encoding="utf-8") as file:
        assert plan.matches(file, value=True) == plan.matches(text, value=True) and file.read() == text
    with pytest.raises(trawl.UnsupportedError, match="cannot be read again"):
        plan.matches(io.BytesIO(b"tea"), value=True)
    with pytest.raises(ValueError, match="offsets: characters can be counted in memory"):
        plan.matches(trawl.Text(path), offsets="characters")


def test_words_after_case():
    """Check that a process whose first plan needs only the table of case can later make the table of words."""
    lines = ["import trawl", "assert trawl.Plan('\u00e9', ignore_case=True).count('\u00c9\u00e9 \u00e9') == 3",
             "assert trawl.Plan('\u00e9', whole_words=True).count('\u00c9\u00e9 \u00e9') == 1"]  # fmt: skip
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True)


def test_refused():
    plan = trawl.Plan("b")
    for call in (plan.positions, plan.matches, plan.first, plan.lines, plan.batches):
        with pytest.raises(ValueError, match="offsets: 'characters' or 'bytes', not 'letters'"):
            call("ab", offsets="letters")
        with pytest.raises(UnicodeEncodeError):
            call("b\ud800")


def test_batches_that_end_inside_a_character():
    """Each batch covers one byte. A batch must not begin after its only occurrence."""
    with trawl.Searcher("cpu", 1, chunk_bytes=1) as searcher:
        batches = searcher.batches(trawl.Plan([b"\xa9"]), "aéé")
        assert [(list(one), one.text_begin, one.text_end) for one in batches] == [
            ([(1, 2, 0)], 1, 2),
            ([(2, 3, 0)], 2, 3),
        ]
