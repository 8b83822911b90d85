"""Tests plans: sources of patterns, pickles, rejected arguments."""

import copy
import importlib.metadata
import inspect
import io
import pathlib
import pickle

import pytest
import trawl
from conftest import SCALE
from trawl import _sources, client


def test_patterns_of_all_kinds(tmp_path):
    listed = tmp_path / "patterns"
    listed.write_bytes(b"he\nshe\nhers\n")
    for patterns in (
        ["he", "she", "hers"], (b"he", bytearray(b"she"), memoryview(b"hers")), iter(["he", "she", "hers"]), listed,
    ):  # fmt: skip
        plan = trawl.Plan(patterns)
        words = [one.encode() if isinstance(one, str) else one for one in plan]
        assert words == [b"he", b"she", b"hers"] and len(plan) == 3
        assert plan == trawl.Plan(words) and hash(plan) == hash(trawl.Plan(words))
        assert plan.count("ushers") == 3
    # What was given as a str, or as a line of a UTF-8 file, is a str again.
    for given in (["é", "b"], ["é".encode(), bytearray(b"b")]):
        for plan in (made := trawl.Plan(given), pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
            assert list(plan) == given and plan[-2] == given[0]
            assert "é" in plan and "é".encode() in plan and "b" in plan and "\xe9\xe9" not in plan
    assert list(trawl.Plan(listed)) == ["he", "she", "hers"] == list(trawl.Plan(iter(["he", "she", "hers"])))
    assert trawl.Plan([]).count("abc") == 0
    with pytest.raises(IndexError):
        plan[3]


def test_patterns_of_a_file(tmp_path):
    """Check that patterns may come from a path or an open file, even with Windows line ends."""
    path = tmp_path / "patterns"
    for content in (b"he\nshe", b"\xef\xbb\xbfhe\r\nshe\r\n", b"he\nshe\r\n"):
        path.write_bytes(content)
        with open(path, "rb") as file, open(path, encoding="utf-8") as text:
            for patterns in (path, file, text, io.BytesIO(content)):
                assert list(trawl.Plan(patterns)) == ["he", "she"]
    path.write_bytes(b"a\rb\n")
    assert list(trawl.Plan(path)) == ["a\rb"]
    for content, index in (
        (b"\n", 0), (b"he\n\nshe\n", 1), (b"he\r\n\r\n", 1), (b"\xef\xbb\xbf\nhe", 0), (b"\xff\n\n", 1),
    ):  # fmt: skip
        path.write_bytes(content)
        with pytest.raises(trawl.ArgumentError, match=f"pattern {index} is empty"):
            trawl.Plan(path)


def test_options():
    plan = trawl.Plan("ab", ignore_case=True, whole_words=True)
    assert plan.ignore_case and plan.whole_words and not plan.whole_lines
    assert plan.positions("AB xab ab").tolist() == [0, 7]
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


def test_pickles_build_a_plan_once():
    """Check that equal pickles become the same plan object in a process, so that tasks in one process build a plan only
    once."""
    once, other = trawl.Plan(["one", "two"]), trawl.Plan(["onet", "wo"])
    copies = [pickle.loads(pickle.dumps(plan)) for plan in (once, other, trawl.Plan(["one", "two"]))]
    assert copies[0] is copies[2] and copies == [once, other, once]
    for values in ([1], [True], [[]]):  # equal values of different types, and a value that can change
        pair = [pickle.loads(pickle.dumps(trawl.Plan("a", values=values))) for _ in range(2)]
        assert pair[0] is not pair[1] and repr(pair[0].values) == repr(tuple(values))


def test_pickled_options():
    """Check that a pickle keeps a plan's options."""
    texts = (b"ab xab AB\nab\0ab\0", "\u00c9t\u00e9 ab".encode())
    algorithms = [{"algorithm": "naive"}] if trawl.algorithms() else []  # a build may have no gallery
    for options in (
        {"whole_words": True}, {"whole_lines": True}, {"whole_lines": True, "line_end": b"\0"}, {"method": "every"},
        {"ignore_case": "ascii", "whole_words": "ascii"}, {"whole_words": "unicode"}, {"sample": bytearray(b"some text")},
        {"values": [[1], None]}, {"mismatches": 1, "exact": iter([(0, 1)])}, *algorithms,
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


def test_numbers():
    """Check that only whole numbers are accepted: edits=0.2, threads=1.7 and True are rejected."""

    class Two:
        def __index__(self):
            return 2

    def limited(limit):
        return trawl.Plan("a").count_lines("a\na\na", limit=limit)

    optional, takers = [limited], []  # optional: None is allowed
    for name in ("threads", "device_memory", "host_memory", "chunk_bytes"):
        takers.append(lambda number, name=name: trawl.Searcher("cpu", **{name: number}))
    for name in ("mismatches", "edits"):
        takers.append(lambda number, name=name: trawl.Plan("abcd", **{name: number}))
    takers.append(lambda number: trawl.Plan("abcd", edits=1, exact=[(number, 3)]))
    for name in client.NUMBERS:
        optional.append(lambda number, name=name: client.request("abcd", {name: number}))
    for name in ("words", "characters"):
        optional.append(lambda number, name=name: trawl.decontaminate(["a b c"], [], **{name: number}))
    for take in optional + takers:
        take(Two())
        for wrong in (0.2, 1.9, 2.0, True, "2", None, b"2"):
            if take in takers or wrong is not None:
                with pytest.raises(TypeError, match="a whole number is needed, not"):
                    take(wrong)
        for wrong in (-1, 1 << 64):
            with pytest.raises(ValueError, match=f"0 to [0-9]+, not {wrong}|1 or more is needed|none of 1 has"):
                take(wrong)
    assert limited(Two()) == 2


def test_switches():
    """Check that a value that equals True means the same as True, and that words such as 'no' are rejected."""
    for name in ("ignore_case", "whole_words", "whole_lines", "regex"):
        assert trawl.Plan("\u00e9", **{name: 1}) == trawl.Plan("\u00e9", **{name: True})
        assert trawl.Plan("\u00e9", **{name: 0}) == trawl.Plan("\u00e9")
        assert client.request("a", {name: 1}) == client.request("a", {name: True})
        for make in (trawl.Plan, client.request):
            with pytest.raises(ValueError, match=f"{name}: .* or .*, not 'no'"):
                make("a", **{name: "no"}) if make is trawl.Plan else make("a", {name: "no"})
    for name in ("invert", "text", "tg"):
        with pytest.raises(ValueError, match=f"{name}: False or True, not 'no'"):
            client.request("a", {name: "no"})
    assert trawl.Plan("\u00e9", ignore_case=1).count("\u00c9") == 1


def test_in():
    """Check `in`: whether a plan has a pattern."""
    plan = trawl.Plan([b"he", b"\xff", "\u00e9".encode()], ignore_case="unicode")
    assert "he" in plan and b"he" in plan and bytearray(b"\xff") in plan and "\u00e9" in plan
    assert "HE" not in plan and "h" not in plan and "" not in plan
    for wrong in (3, None, ["he"]):
        with pytest.raises(TypeError, match="in: str or bytes is needed, not"):
            wrong in plan


def test_equality():
    plan = trawl.Plan(["a", "b"], whole_words=True)
    same = trawl.Plan(iter(["a", "b"]), whole_words="unicode")
    assert plan == same and hash(plan) == hash(same) and {plan: 1}[same] == 1
    assert plan != trawl.Plan(["b", "a"], whole_words=True) and plan != trawl.Plan(["a", "b"])
    assert plan != trawl.Plan({"a": 1, "b": 2}, whole_words=True) and plan != "a"
    assert copy.copy(plan) is plan and copy.deepcopy(plan) == plan
    assert repr(plan) == "<trawl.Plan of 2 patterns: 'a', 'b', whole_words='unicode'>"
    assert repr(trawl.Plan("a", sample=b"a", values=["b"], edits=0)) == "<trawl.Plan of 1 pattern: 'a'>"
    assert repr(trawl.Plan(b"\xff")) == "<trawl.Plan of 1 pattern: '\\\\xff'>"


def test_signatures():
    """Check that help() and inspect show all arguments, and that errors name the method that the user called."""
    for made, of in ((trawl.Plan, _sources.Plan), (trawl.Searcher, _sources.Searcher)):
        shown = inspect.signature(made).parameters.values()
        assert [(one.name, one.kind, one.default) for one in shown] == [
            (one.name, one.kind, one.default) for one in inspect.signature(of).parameters.values()
        ]
    with pytest.raises(TypeError, match=r"^Plan\(\) got an unexpected keyword argument 'words'"):
        trawl.Plan("a", words=True)
    with pytest.raises(TypeError, match=r"^Plan\(\) missing 1 required positional argument: 'patterns'"):
        trawl.Plan()
    with pytest.raises(TypeError, match="pattern 1: .* not None"):
        trawl.Plan(["a", None])


def test_patterns_are_text(tmp_path):
    """Check that patterns from a file in UTF-8 are equal to the same patterns in a list of str, and that other bytes
    stay bytes."""
    path = tmp_path / "patterns"
    path.write_text("\u00e9t\u00e9\n", encoding="utf-8")
    assert trawl.Plan(path, ignore_case=True) == trawl.Plan(["\u00e9t\u00e9"], ignore_case=True)
    path.write_bytes(b"\xff\n\xe9")
    assert list(trawl.Plan(path, ignore_case=True)) == [b"\xff", b"\xe9"]


def test_characters_beyond_ascii():
    plan = trawl.Plan("\u00c9", ignore_case=True)
    assert plan.unicode and plan.count("\u00e9\u00c9e") == 2
    for plain in (trawl.Plan("\u00c9", ignore_case="ascii"), trawl.Plan("\u00c9".encode(), ignore_case=True)):
        assert not plain.unicode and plain.count("\u00e9\u00c9e") == 1
    assert pickle.loads(pickle.dumps(plan)).count("\u00e9\u00c9e") == 2
    assert not trawl.Plan("gat", alphabet="dna", ignore_case=True, whole_words=True).unicode


def test_case_is_that_of_unicode():
    """Check that a letter matches the letters with the same simple folding, as a string and as an expression. The expected
    letters come from str's methods. For three pairs, str has only the full folding, which is two letters or more."""
    pairs = {"\u1fd3": "\u0390", "\u1fe3": "\u03b0", "\ufb05": "\ufb06"}
    groups = {}
    for letter in map(chr, [*range(0x41, 0xD800), *range(0xE000, 0x20000)]):
        folded = next((one for one in (letter.casefold(), letter.lower()) if len(one) == 1), letter)
        groups.setdefault(pairs.get(letter, folded), set()).add(letter)
    groups = [group for group in groups.values() if len(group) > 1]
    text = "\n".join(letter for group in groups for letter in sorted(group))
    pairs = [(letter, group) for group in groups for letter in group]
    for letter, group in (
        pairs if SCALE >= 20 else [*pairs[::7], *((one, group) for one, group in pairs if len(group) > 2)]
    ):
        for pattern, regex in ((letter, False), (f"[{letter}]", True), (f"({letter}|\\d)", True)):
            found = trawl.Plan(pattern, ignore_case=True, regex=regex).matches(text, value=True)
            assert {one[3] for one in found} == group, (pattern, group)
    for ignored, expected in (("ascii", 2), (True, 3)):
        assert trawl.Plan("[k]", ignore_case=ignored, regex=True).count("kK\u212a") == expected


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
    with pytest.raises(trawl.ArgumentError if trawl.algorithms() else trawl.UnsupportedError):
        trawl.Plan("a", algorithm="guess")
    for wrong in (3, [3], [None], None):
        with pytest.raises(TypeError):
            trawl.Plan(wrong)
    with pytest.raises(TypeError):
        trawl.Plan("a", True)
    for wrong, message in (
        ({"line_end": b""}, "one byte"), ({"line_end": b"ab"}, "one byte"), ({"line_end": "\n"}, "one byte"), ({"values": [1, 2]}, "2 values for 1"),
        ({"ignore_case": "ascii", "whole_words": "unicode"}, "the same for both"), ({"ignore_case": "unicode", "whole_words": "ascii"}, "the same for both"),
        *(({name: True}, f"{name}: only with .*alphabet='dna'") for name in ("within_lines", "reverse_complement", "any_base")),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            trawl.Plan("abc", **wrong)
    with pytest.raises(UnicodeEncodeError):
        trawl.Plan("\ud800")


def test_one_version():
    header = pathlib.Path(__file__).parents[2] / "include" / "trawl.h"
    assert f'TRAWL_VERSION "{trawl.__version__}"' in header.read_text()
    for distribution in importlib.metadata.Distribution.discover(name="pytrawl"):  # none if the modules are links
        assert distribution.version == trawl.__version__


@pytest.mark.parametrize("both", [["\u00c9y", b"xy"], [b"xy", "\u00c9y"], ["a", "b", bytearray(b"c")]])
def test_str_and_bytes_together(both):
    """Check that patterns are all str or all bytes: their letters and characters differ."""
    with pytest.raises(TypeError, match=f"pattern {len(both) - 1} is .*, but pattern 0 is "):
        trawl.Plan(both)


def test_names_of_other_packages():
    """Check that attributes that other packages have say what to call, and are not listed."""
    plan, searcher = trawl.Plan("a"), trawl.Searcher()
    for name, call in (("search", "first"), ("match", "first"), ("fullmatch", "whole_lines"), ("findall", "find_all"),
                       ("sub", "replace"), ("subn", "replace"), ("pattern", "list"), ("groupindex", "group_names"),
                       ("contains_any", "contains"), ("find_matches_as_indexes", "find_all")):  # fmt: skip
        for made in (plan, searcher):
            with pytest.raises(AttributeError, match=rf"trawl\.(Plan|Searcher) has no '{name}': .*\b{call}"):
                getattr(made, name)
        assert "not here: " in repr(getattr(trawl.Plan, name))
        assert not hasattr(plan, name) and name not in dir(plan) and name not in dir(searcher)
        with pytest.raises(AttributeError, match=r"module 'trawl' has no attribute .*Plan\(patterns, regex=True\)"):
            getattr(trawl, name)
    with pytest.raises(AttributeError, match=r"^'trawl\.Plan' object has no attribute 'other'$"):
        plan.other
    with pytest.raises(AttributeError, match="^module 'trawl' has no attribute 'other'$"):
        trawl.other
    assert {"count", "finditer", "__len__"} <= set(dir(plan)) and "close" in dir(searcher)
    kinds = (trawl.Plan, trawl.Searcher, trawl.Text, trawl.Column, trawl.Array, trawl.Records, trawl.Match)
    assert all(kind.__module__ == "trawl" for kind in kinds)


def test_what_is_no_sequence():
    """Check that errors about what cannot be iterated name the argument."""
    numpy = pytest.importorskip("numpy")
    for given in (numpy.float32(3), numpy.datetime64("2020-01-01"), 3, object()):
        with pytest.raises(TypeError, match="^patterns: "):
            trawl.Plan(given)
        with pytest.raises(TypeError, match="^values: "):
            trawl.Plan("a", values=given)
        with pytest.raises(TypeError, match="^records: |^str or bytes are needed"):
            trawl.Plan("a").contains(given)


def test_long_values_in_errors():
    """Check that an exception shows a part of what it complains about. Of an expression, it is the part with the
    mistake."""
    long = 1 << 20
    for patterns, shown in (
        ("(" + "a" * long, "'(aa"),
        ("\u00e9" * long + "(", "\u00e9('"),
        (b"\xff" * long + b"[b", "xff[b'"),
        (["a", "b" * long + r"\p{Nope}" + "b" * long], r"bb\\p{Nope}bb"),
    ):
        with pytest.raises(trawl.ArgumentError) as caught:
            trawl.Plan(patterns, regex=True)
        assert len(str(caught.value)) < 1500 and shown in str(caught.value), str(caught.value)
        assert caught.value.pattern_index == (1 if isinstance(patterns, list) else 0)
    name = "n" * long
    for call in (
        lambda: trawl.Plan("a", method=name),
        lambda: trawl.Plan("a", mismatches=name),
        lambda: trawl.Plan("a", line_end=name),
        lambda: trawl.Plan("a").matches("a", match=name),
        lambda: trawl.Plan("a").replace("a", {name: "b"}),
        lambda: trawl.Plan("(a)", regex=True).replace("a", "${" + name + "}"),
        lambda: trawl.Plan("(a)", regex=True).groups(["a"], name),
        lambda: next(trawl.Plan("(a)", regex=True).finditer("a")).group(name),
    ):
        with pytest.raises((ValueError, TypeError, IndexError)) as caught:
            call()
        assert len(str(caught.value)) < 400
