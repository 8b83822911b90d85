"""Tests searches of texts, and the form of their results. Some searches are compared with bytes.find or re."""

import array
import ctypes
import io
import os
import re
import resource
import sys
from functools import partial
from types import SimpleNamespace

import pytest
import trawl
from conftest import naive
from hypothesis import given
from hypothesis import strategies as st

small = st.binary(min_size=1, max_size=4).map(lambda b: bytes(97 + c % 3 for c in b))
texts = st.binary(max_size=200).map(lambda b: bytes(97 + c % 3 if c % 16 else 10 for c in b))


def test_lines(rng, tmp_path):
    text = b"one\n" * 1000 + b"tw" + b"x" * 5000 + b"o an\n" + b"last an"
    (tmp_path / "text").write_bytes(text)
    plan = trawl.Plan(["an", "wx"])
    expected = [(1000, 4000, text[4000:9006]), (1001, 9007, b"last an")]
    with trawl.Searcher("cpu", 2, chunk_bytes=512) as searcher:
        for source in (text, tmp_path / "text", io.BytesIO(text)):
            assert list(searcher.lines(plan, source)) == expected
        batches = searcher.line_batches(trawl.Plan("one"), text)
        assert next(batches)[0] == (0, 0, b"one")
        with pytest.raises(trawl.BusyError):
            searcher.close()
        del batches  # in the middle of the search; the searcher must be free again
        assert searcher.count(plan, text) == 3
    with trawl.Searcher("cpu", 1, chunk_bytes=64) as searcher:  # a stream's lines over several windows
        for _ in range(40):
            made = b"\n".join(bytes(rng.choices(b"xxxxan", k=rng.choice([3, 60, 150]))) for _ in range(12))
            assert list(searcher.lines(plan, io.BytesIO(made))) == list(plan.lines(made))
    lines = trawl.Plan("b", line_end=b"\0").lines("a\0b\0")
    assert list(lines) == [(1, 2, "b")] and len(lines) == 1 and "1" in repr(lines)
    assert len(plan.lines(b"")) == 0 and list(plan.line_batches(b"no")) == []
    with pytest.raises(trawl.MissingFileError):
        plan.lines(tmp_path / "none")
    assert plan.lines(text, progress=lambda done: None)[1] == expected[1]


CHARACTERS = "kK\u212asS\u017f\u00e9\u00c9\u00df\u1e9e\u03c3\u03c2\u03a3x \u0436\u0416_"


@given(st.text(CHARACTERS, min_size=1, max_size=3), st.text(CHARACTERS, max_size=40))
def test_unicode_like_re(pattern, text):
    def found(expression):
        return [m.start() for m in re.finditer(expression, text, re.I)]

    plan = trawl.Plan(pattern, ignore_case=True)
    assert plan.positions(text).tolist() == found(f"(?={re.escape(pattern)})")
    plan = trawl.Plan(pattern, ignore_case=True, whole_words=True)
    word = rf"(?<!\w)(?={re.escape(pattern)}(?!\w))"
    assert plan.positions(text).tolist() == found(word)


@given(small, texts)
def test_case_of_bytes(pattern, text):
    assert list(trawl.Plan(pattern.upper(), ignore_case=True).matches(text)) == naive([pattern], text)


def test_more_positions_than_guessed():
    """Search for many equal patterns, which have more begins than the library first makes room for."""
    plan = trawl.Plan([b"a"] * 9)
    assert plan.positions(b"a" * 1000).tolist() == [at for at in range(1000) for _ in range(9)]


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="asan needs address space of its own")
def test_positions_where_address_space_is_scarce():
    """Check a search where the address space has no room for a position at each byte of the text, but for the positions
    that occur."""
    plan, text = trawl.Plan("b"), b"a" * (16 << 20) + b"b"
    with trawl.Searcher("cpu", 1) as searcher, open("/proc/self/statm") as file:
        assert searcher.positions(plan, b"ab").tolist() == [1]
        size = int(file.read().split()[0]) * resource.getpagesize()
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (size + (64 << 20), before[1]))
        try:
            assert searcher.positions(plan, text).tolist() == [16 << 20]
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)


def test_column_is_a_sequence():
    column = trawl.Plan("a").positions("banana")
    assert list(column) == [1, 3, 5] and column[-1] == 5 and column[1:].tolist() == [3, 5]
    assert "[1, 3, 5]" in repr(column)
    view = memoryview(column)
    assert (view.format, view.itemsize, view.readonly) == ("Q", 8, True)
    with pytest.raises(IndexError):
        column[3]
    with pytest.raises(ValueError):
        column[::2]
    with pytest.raises(TypeError):
        type(column)()


def test_numpy():
    numpy = pytest.importorskip("numpy")
    column = trawl.Plan("a").positions("banana")
    array = numpy.asarray(column)
    assert array.dtype == numpy.uint64 and array.tolist() == [1, 3, 5]
    assert column.to_numpy()[0] == 1
    text = numpy.frombuffer(b"banana", dtype=numpy.uint8)
    assert trawl.Plan("an").count(text) == 2
    with pytest.raises((BufferError, ValueError)):
        trawl.Plan("an").count(numpy.zeros((4, 4), numpy.uint8)[:, ::2])


def test_arrays_without_bytes_are_refused():
    """Check that arrays of objects are rejected as texts. (Their memory has pointers, which an earlier version
    searched.)"""
    plan = trawl.Plan("ab")
    wrong = [(ctypes.py_object * 2)("ab", "ab"), (ctypes.c_wchar * 2)("a", "b")]
    numbers = [
        array.array("i", [0x6261]), memoryview(b"ab").cast("H"), (ctypes.c_int * 2)(1, 2), memoryview(b"ab").cast("?"),
    ]  # fmt: skip
    try:
        import numpy

        wrong += [numpy.array(["ab"], dtype=object), numpy.array(["ab"])]
        numbers += [numpy.zeros(2, kind) for kind in ("i8", "f8", "?", "c16", "M8[s]", "m8[s]", "V2", "i2,u1", "S2")]
        numbers += [numpy.int64(0x6261), numpy.uint8(0x61), numpy.float64(1), numpy.datetime64(0, "s")]
        for column in [*numbers[4:12], *numbers[13:]]:
            for call in (plan.contains, plan.mask, plan.match_lists):
                with pytest.raises(TypeError, match="str or bytes are needed"):
                    call(column)
        assert plan.contains(numpy.ma.array(["ab", "ab"], mask=[0, 1])).tolist() == [True, None]
        assert plan.count(numpy.array([0x61, 0x62], "u1")) == plan.count(numpy.array([b"a", b"b"], "S1")) == 1
        assert plan.replace(numpy.str_("xab"), "y") == "xy" and plan.contains([numpy.bytes_(b"ab")]).tolist() == [True]
        assert list(trawl.Plan(wrong[2])) == list(trawl.Plan(wrong[3])) == ["ab"]
    except ImportError:
        pass
    calls = (plan.count, trawl.Text, lambda one: plan.contains([one]), lambda one: trawl.Plan([one]))
    for one in wrong + numbers:
        for call in calls:
            with pytest.raises(TypeError, match="one by one"):
                call(one)
    assert plan.count(memoryview(array.array("i", [0x6261])).cast("B")) == 1


def test_progress_is_told(tmp_path):
    """Check that the last call to `progress` gets the number of all bytes, in searches of records, too."""
    calls, plan, expression = [], trawl.Plan(b"ab"), trawl.Plan("(a)b", regex=True)
    assert plan.count(bytes(64 << 20), progress=calls.append) == 0
    assert calls == sorted(calls) and calls[-1] == 64 << 20
    column = ["ab", None, "cabs"] * 1000
    columns = {
        "contains", "which", "pattern_counts", "pattern_lists", "cells", "record_counts", "match_counts", "match_lists",
    }  # fmt: skip
    columns |= {"groups", "group_lists"}
    arguments = {"replace": ("x",), "replace_file": (tmp_path / "new", "x")}
    for name in dir(trawl.Plan):
        if "progress" in (getattr(getattr(trawl.Plan, name), "__text_signature__", None) or ""):
            used = expression if "group" in name else plan
            for call in (getattr(used, name), partial(getattr(trawl.Searcher(threads=1), name), used)):
                calls.clear()
                given = (column if name in columns else b" " * 5998 + b"ab", *arguments.get(name, ()))
                assert call(*given, progress=calls.append) == call(*given) and calls[-1] == 6000, name
    calls.clear()
    assert plan.first(b"ab" + bytes(8 << 20), progress=calls.append) == (0, 2, 0) and calls[-1] < 8 << 20
    assert plan.count_lines(b"ab\n" + bytes(8 << 20), limit=1, progress=calls.append) == 1 and calls[-1] < 8 << 20
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None:
        chunked = pyarrow.chunked_array([column, column]).dictionary_encode()
        calls.clear()
        plan.contains(chunked, progress=calls.append)
        assert calls[-1] == 12

    def fail(done):
        raise LookupError("enough")

    class Slow:
        def read(self, count):
            import time

            time.sleep(0.1)
            return b"x"

    with pytest.raises(LookupError):
        plan.count(Slow(), progress=fail)
    assert plan.count(b"xab") == 1


def test_progress_bar(monkeypatch, capsys):
    """Check that progress=True shows the whole text's bytes on one bar of tqdm, or warns if there is no tqdm."""
    bars = []

    class Bar:
        def __init__(self, total, unit, unit_scale):
            self.n, self.total, self.open = 0, total, True
            bars.append(self)

        def update(self, more):
            self.n += more

    plan = trawl.Plan(b"ab")
    monkeypatch.setitem(sys.modules, "tqdm", SimpleNamespace(auto=SimpleNamespace(tqdm=Bar)))
    monkeypatch.setitem(sys.modules, "tqdm.auto", SimpleNamespace(tqdm=Bar))
    assert plan.count(b"ab" * 5000, progress=True) == plan.count(b"ab" * 5000, progress=False) == 5000
    assert plan.contains(["ab", "x"], progress=True).tolist() == [True, False]
    assert plan.replace(b"ab" * 5000, b"x", progress=True) == b"x" * 5000
    assert trawl.Searcher(threads=1).first(plan, io.BytesIO(b"cab"), progress=True) == (1, 3, 0)
    assert [(bar.n, bar.total) for bar in bars] == [(10000, 10000), (3, 3), (10000, 10000), (bars[3].n, None)]
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.warns(UserWarning, match="pip install tqdm"):
        assert plan.count(b"ab", progress=True) == 1


@pytest.mark.parametrize("method", ["count", "first", "positions", "matches", "batches", "lines", "line_batches"])
def test_wrong_arguments(method):
    plan = trawl.Plan("a")
    call = getattr(plan, method)
    for wrong in [(), ("a", "b"), (3.5,), (None,), ([b"a"],)]:
        with pytest.raises(TypeError):
            call(*wrong)
    with pytest.raises(TypeError):
        call("a", sideways=True)
    with pytest.raises(TypeError):
        getattr(trawl.Searcher(threads=1), method)("a", "b")
