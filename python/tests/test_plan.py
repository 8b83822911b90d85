"""Plans: sources of patterns, pickles, refused arguments."""

import io
import pathlib
import pickle
import re
import sys

import pytest
import trawl
from conftest import SCALE
from trawl import _unicode


def test_patterns_of_all_kinds(tmp_path):
    listed = tmp_path / "patterns"
    listed.write_bytes(b"he\nshe\nhers\n")
    for patterns in (
        ["he", "she", "hers"],
        (b"he", bytearray(b"she"), memoryview(b"hers")),
        iter(["he", "she", "hers"]),
        listed,
    ):
        plan = trawl.Plan(patterns)
        assert list(plan) == [b"he", b"she", b"hers"] and len(plan) == 3
        assert plan.count("ushers") == 3
    assert trawl.Plan("é")[0] == "é".encode()
    assert trawl.Plan([]).count("abc") == 0
    with pytest.raises(IndexError):
        plan[3]


def test_patterns_of_a_file(tmp_path):
    """However it is opened and wherever it was written. (The suite had one file, with a path, and
    written by Unix: others' patterns kept line ends, so that none was found.)"""
    path = tmp_path / "patterns"
    for content in (b"he\nshe", b"\xef\xbb\xbfhe\r\nshe\r\n", b"he\nshe\r\n"):
        path.write_bytes(content)
        with open(path, "rb") as file, open(path, encoding="utf-8") as text:
            for patterns in (path, file, text, io.BytesIO(content)):
                assert list(trawl.Plan(patterns)) == [b"he", b"she"]
    path.write_bytes(b"a\rb\n")
    assert list(trawl.Plan(path)) == [b"a\rb"]


def test_arrow_patterns():
    pyarrow = pytest.importorskip("pyarrow")
    assert list(trawl.Plan(pyarrow.array(["a", "bc"]))) == [b"a", b"bc"]
    assert list(trawl.Plan(pyarrow.chunked_array([["a"], ["bc"]]))) == [b"a", b"bc"]


def test_options():
    plan = trawl.Plan("ab", ignore_case=True, words=True)
    assert plan.ignore_case and plan.whole_words and not plan.whole_lines
    assert plan.positions("AB xab ab").tolist() == [0, 7]
    assert trawl.Plan("b", lines=True, line_end=b"\0").positions("b\0ab\0b").tolist() == [0, 5]
    assert trawl.Plan("abc", method="every").count("abcabc") == 2
    assert trawl.Plan("abc", sample=b"some text").count("abcabc") == 2
    assert "cpu" in plan.engines
    for name, _ in trawl.algorithms()[:3]:
        assert trawl.Plan("abc", algorithm=name).count("abcabc") == 2


@pytest.mark.parametrize("patterns", [["a", "b"], [bytes([c, c]) for c in range(256)]])
def test_pickles(patterns):
    plan = trawl.Plan(patterns, ignore_case=True)
    text = bytes(range(256)) * 3 + b"aabbAABB"
    expected = list(plan.matches(text))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        copy = pickle.loads(pickle.dumps(plan, protocol))
        assert list(copy.matches(text)) == expected and list(copy) == list(plan)


def test_pickled_options():
    """Each option is kept. (Saved plans kept values apart, and those of an algorithm could not be pickled.)"""
    texts = (b"ab xab AB\nab\0ab\0", "\u00c9t\u00e9 ab".encode())
    for options in (
        {"words": True}, {"lines": True}, {"lines": True, "line_end": b"\0"}, {"method": "every"},
        {"unicode": True, "ignore_case": True, "words": True}, {"sample": bytearray(b"some text")},
        {"values": [[1], None]}, {"algorithm": "naive"}, {"mismatches": 1, "exact": iter([(0, 1)])},
        {"edits": 1, "every_end": True, "within_lines": True}, {"edits": 1, "alphabet": "bytes"},
    ):  # fmt: skip
        patterns = "ab" if {"algorithm", "method"} & set(options) else ["ab", "\u00e9t"]
        plan = trawl.Plan(patterns, **options)
        copy = pickle.loads(pickle.dumps(plan))
        assert copy.values == plan.values and copy.explain() == plan.explain()
        for name in ("mismatches", "edits", "alphabet"):
            assert getattr(copy, name) == getattr(plan, name)
        for text in texts:
            assert list(copy.matches(text)) == list(plan.matches(text))


def test_characters_beyond_ascii():
    plan = trawl.Plan("\u00c9", ignore_case=True, unicode=True)
    assert plan.unicode and plan.count("\u00e9\u00c9e") == 2
    assert not trawl.Plan("\u00c9", ignore_case=True).unicode
    assert pickle.loads(pickle.dumps(plan)).count("\u00e9\u00c9e") == 2


def test_case_is_that_of_unicode():
    """Characters are equal if `re` says so, except for the two Turkish letters i."""
    groups = {}
    for code in range(sys.maxunicode + 1 if SCALE >= 20 else 0x500):
        if not 0xD800 <= code < 0xE000:
            groups.setdefault(_unicode.fold(chr(code)), []).append(chr(code))
    for folded, group in groups.items():
        if len(group) > 1:
            assert len(group) <= 8 and re.fullmatch(f"{re.escape(folded)}+", "".join(group), re.I)
        for other in (group[0].lower(), group[0].upper()):
            if len(other) == 1 and ord(other) <= code and group[0] not in "\u0130\u0131" and len(group[0].upper()) == 1:
                assert other in group


def test_refused(tmp_path):
    with pytest.raises(trawl.ArgumentError) as caught:
        trawl.Plan(["a", ""])
    assert caught.value.pattern_index == 1 and caught.value.text_offset is None
    assert caught.value.status == 10 and isinstance(caught.value, ValueError)
    with pytest.raises(FileNotFoundError) as missing:
        trawl.Plan("a").count(tmp_path / "none")
    assert missing.value.errno == missing.value.os_code == 2
    assert isinstance(missing.value, trawl.Error)
    with pytest.raises(ValueError):
        trawl.Plan("a", method="guess")
    with pytest.raises(trawl.ArgumentError):
        trawl.Plan("a", algorithm="guess")
    for wrong in (3, [3], [None], None):
        with pytest.raises(TypeError):
            trawl.Plan(wrong)
    with pytest.raises(TypeError):
        trawl.Plan("a", True)
    with pytest.raises(TypeError):
        trawl.Plan()
    with pytest.raises(ValueError):
        trawl.Plan("a", line_end=b"")
    with pytest.raises(UnicodeEncodeError):
        trawl.Plan("\ud800")


def test_one_version():
    header = pathlib.Path(__file__).parents[2] / "include" / "trawl.h"
    assert f'TRAWL_VERSION "{trawl.__version__}"' in header.read_text()
    metadata = pytest.importorskip("importlib.metadata")
    assert metadata.version("trawl") == trawl.__version__
