"""Compares searches of columns, in all layouts, with a naive search of each record."""

import array
import importlib.util
import io
import itertools
import pickle
import re
import sys

import arrow_by_hand
import pytest
import trawl
from conftest import amount, naive

KINDS = ["u", "U", "z", "Z", "vu", "vz"]


def answers(patterns, records):
    """Return the right answer of each call, by a naive search."""
    cells = [
        (row, index, min(begins))
        for row, value in enumerate(records)
        for index in range(len(patterns))
        if (begins := [one[0] for one in naive(patterns, value or b"") if one[2] == index])
    ]
    lists = [None if value is None else [] for value in records]
    for row, index, _ in cells:
        lists[row].append(index)
    return {
        "contains": [None if found is None else bool(found) for found in lists],
        "which": [found[0] if found else None for found in lists],
        "pattern_counts": [None if found is None else len(found) for found in lists],
        "pattern_lists": lists,
        "cells": cells,
        "record_counts": [sum(index == cell[1] for cell in cells) for index in range(len(patterns))],
    }


def same(plan, column, expected):
    for name, answer in expected.items():
        assert list(getattr(plan, name)(column)) == answer, name


@pytest.mark.parametrize("kind", KINDS)
def test_every_slice(kind):
    """Search every slice of a column, and of the keys into a dictionary. Nulls and long values are before and after each
    slice's begin, and the validity bits need a second byte. Random columns have too few slices of each layout to check
    this."""
    long = b"ab and more than twelve bytes"
    values = [b"ab", None, b"", long, None, None, b"b", b"c" * 13, None, b"ab", long, None, b"bab"]
    keys = [3, 0, None, 1, 6, None, 12, 0, None, 4, 3]
    plan = trawl.Plan([b"ab", b"b"])
    for begin in range(len(values) + 1):
        for end in range(begin, len(values) + 1):
            column = arrow_by_hand.Column(values, kind, begin, end)
            expected = answers([b"ab", b"b"], values[begin:end])
            assert list(plan.contains(column)) == expected["contains"], (begin, end)
            assert list(plan.which(column)) == expected["which"], (begin, end)
            assert list(plan.cells(column)) == expected["cells"], (begin, end)
    for begin in range(len(keys) + 1):
        for end in range(begin, len(keys) + 1):
            column = arrow_by_hand.Column(values, kind, begin, end, keys=keys)
            found = answers([b"ab", b"b"], [None if k is None else values[k] for k in keys[begin:end]])
            assert list(plan.contains(column)) == found["contains"], (begin, end)
            assert list(plan.cells(column)) == found["cells"], (begin, end)


def test_exports():
    plan = trawl.Plan(["an", "p"])
    column = ["banana", "pear", None, "", "apple pan"]
    assert arrow_by_hand.read(plan.contains(column)) == ("b", [True, True, None, False, True])
    assert arrow_by_hand.read(plan.which(column)) == ("l", [0, 1, None, None, 0])
    assert arrow_by_hand.read(plan.pattern_counts(column)) == ("L", [1, 1, None, 0, 2])
    assert arrow_by_hand.read(plan.pattern_lists(column)) == ("+L", [[0], [1], None, [], [0, 1]])
    cells = {"record": [0, 1, 4, 4], "pattern": [0, 1, 0, 1], "begin": [1, 0, 7, 1]}
    assert arrow_by_hand.read(plan.cells(column)) == ("+s", cells)
    assert arrow_by_hand.read(plan.positions("span")) == ("L", [1, 2])
    matches = {"begin": [1, 2], "end": [2, 4], "pattern": [1, 0]}
    assert arrow_by_hand.read(plan.matches("span")) == ("+s", matches)
    assert arrow_by_hand.read(plan.contains([])) == ("b", [])
    assert plan.contains(column).null_count == 1 and len(plan.cells(column)) == 4


def results():
    """Return results of each kind, no two of which are equal."""
    plan, text, column = trawl.Plan(["an", "<b>"]), b"banana\n<b>\nx an an", ["banana", None, "<b>"]
    column += ["x", None, "an", "x", "<b>", "y", "an", "x", None]
    return [
        plan.positions(text), plan.positions(text)[1:], plan.positions(b""), plan.count_by_pattern(text),
        plan.record_counts(column), plan.contains(column), plan.contains([]), plan.contains(["x"] * 20),
        plan.which(column), plan.pattern_counts(column), plan.pattern_lists(column), plan.cells(column),
        plan.matches(text), plan.matches(text, line_numbers=True), plan.matches(b""), plan.lines(text),
        plan.lines(text).texts, plan.lines(b""),
    ]  # fmt: skip


def test_results_are_compared_copied_and_shown():
    for result in results():
        same_values = [result == other for other in results()]
        assert same_values.count(True) == 1 and not result == 3
        assert (result == list(result)) == isinstance(result, (trawl.Column, trawl.Array))
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            copy = pickle.loads(pickle.dumps(result, protocol))
            assert copy == result and list(copy) == list(result) and type(copy) is type(result)
            assert arrow_by_hand.read(copy)[0] == arrow_by_hand.read(result)[0]
        assert str(list(result)[:3])[1:-1] in repr(result)
        if isinstance(result, (trawl.Column, trawl.Array)):
            part = result[1:][1:-1]
            assert list(part) == list(result)[2:-1]
            assert arrow_by_hand.read(part)[1] == arrow_by_hand.read(result)[1][2:-1]
            assert getattr(part, "null_count", 0) == list(part).count(None)
    buffers = []
    data = pickle.dumps(results()[0], 5, buffer_callback=buffers.append)
    assert pickle.loads(data, buffers=buffers) == results()[0] and len(data) < 100
    plan = trawl.Plan("p")
    assert plan.contains(["x"]) != plan.contains(["p"]) and plan.contains(["p"]) != plan.which(["p"])


def test_patterns_from_a_column():
    assert list(trawl.Plan(arrow_by_hand.Column([b"a", b"b" * 20], "vu"))) == ["a", "b" * 20]
    column = arrow_by_hand.Column([b"a", b"b"], "u", keys=[1, 0])
    assert list(trawl.Plan(column)) == ["b", "a"]
    assert list(trawl.Plan(arrow_by_hand.Stream([column, column]))) == ["b", "a"] * 2
    with pytest.raises(ValueError, match="null"):
        trawl.Plan(arrow_by_hand.Column([b"a", None], "U"))


def test_refused():
    plan = trawl.Plan("a")
    one = [
        bytearray(b"ab"), memoryview(b"ab"), array.array("B", b"ab"), array.array("b", b"ab"),
        memoryview(b"ab").cast("c"),
    ]  # fmt: skip
    for wrong in ("one string", b"bytes", *one, 3, [3], [["a"]], io.StringIO("a")):
        with pytest.raises(TypeError):
            plan.contains(wrong)
    with pytest.raises(TypeError, match="format"):
        plan.contains(plan.positions("a"))
    with pytest.raises(TypeError, match="of a table, give one column"):
        plan.contains(trawl.Plan("(a)", regex=True).groups("a"))
    with pytest.raises(ValueError, match="key"):
        plan.contains(arrow_by_hand.Column([b"a"], "u", keys=[5]))

    column = arrow_by_hand.Column([b"a"], "U")
    for calls in plan.contains, plan.match_lists, plan.split:
        stream = arrow_by_hand.Stream([column, column], "no third batch")
        with pytest.raises(RuntimeError, match="records: no third batch"):
            calls(stream)
        assert stream.schemas == 0 and column.released == column.exported

    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            raise LookupError("no stream")

    with pytest.raises(LookupError):
        plan.cells(Broken())
    with pytest.raises(ValueError, match="capsule|PyCapsule"):
        Broken.__arrow_c_stream__ = lambda self, requested_schema=None: 3
        plan.cells(Broken())


def test_batches_without_bytes():
    columns = [arrow_by_hand.Column(values, "vu") for values in ([b"a"], [b"", b""], [b"", None])]
    assert trawl.Plan("$", regex=True).contains(arrow_by_hand.Stream(columns)).tolist() == [True] * 4 + [None]


def test_characters_of_an_occurrence_that_ends_after_the_last_one():
    plan = trawl.Plan(["bé", "b"])
    for column in (["abé"], [None, "ab", "abé"], ["", "abé", "x"]):
        found = plan.match_lists(column).tolist()[column.index("abé")]
        assert [tuple(one) for one in found] == [(1, 3, 0), (1, 2, 1)]


def test_pyarrow():
    pyarrow = pytest.importorskip("pyarrow")
    records = [b"banana", None, b"pear", b"", b"a long record with a pan in it", b"p"] * 5
    patterns = [b"an", b"p", b"pan"]
    plan, expected = trawl.Plan(patterns), answers(patterns, records)
    whole = pyarrow.array(records)
    layouts = [
        whole, whole.cast(pyarrow.large_binary()), whole.cast(pyarrow.string()), whole.cast(pyarrow.large_string()),
        pyarrow.array(records, pyarrow.binary_view()), whole.cast(pyarrow.string()).cast(pyarrow.string_view()),
        whole.dictionary_encode(), pyarrow.chunked_array([whole.slice(0, 7), whole.slice(7, 0), whole.slice(7)]),
        pyarrow.chunked_array([whole.slice(0, 7), whole.slice(7)]).dictionary_encode(),
    ]  # fmt: skip
    assert plan.contains(pyarrow.nulls(3)).tolist() == [None, None, None]
    for column in layouts:
        same(plan, column, expected)
    mask = pyarrow.array(plan.contains(whole))
    mask.validate(full=True)
    table = pyarrow.table({"text": whole})
    assert table.filter(mask).num_rows == expected["contains"].count(True)
    lists = pyarrow.array(plan.pattern_lists(whole))
    lists.validate(full=True)
    assert lists.to_pylist() == expected["pattern_lists"]
    for column in layouts:
        for search in plan.match_counts, plan.match_lists:
            pyarrow.array(search(column)).validate(full=True)
    batch = pyarrow.record_batch(plan.cells(whole))
    batch.validate(full=True)
    assert batch.column("record").to_pylist() == [cell[0] for cell in expected["cells"]]


def test_polars():
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    records = ["banana", None, "pear", "", "a long record with a pan in it", "p"] * 5
    expected = answers([b"an", b"p"], [v if v is None else v.encode() for v in records])
    plan = trawl.Plan(["an", "p"])
    series = polars.Series(records)
    for column in (series, series.cast(polars.Categorical), series.cast(polars.Binary)):
        same(plan, column, expected)
    frame = polars.DataFrame({"text": series})
    assert len(frame.filter(polars.Series(plan.contains(series)))) == expected["contains"].count(True)


def test_frames_keep_names():
    """Check that tables of Matches and Lines have the names of the fields as column names. (Other tests make tables of
    Cells.)"""
    pyarrow = pytest.importorskip("pyarrow")
    plan, text = trawl.Plan(["an", "p"]), b"banana\npan"
    matches, lines = plan.matches(text, line_numbers=True), plan.lines(text)
    batch = pyarrow.record_batch(lines)
    batch.validate(full=True)
    assert batch.to_pylist() == [
        {"number": 0, "begin": 0, "text": b"banana"},
        {"number": 1, "begin": 7, "text": b"pan"},
    ]
    names = {
        "begin end pattern line": matches,
        "number begin text": lines,
        "record pattern begin": plan.cells(["banana"]),
    }
    for expected, result in names.items():
        assert pyarrow.record_batch(result).schema.names == expected.split()
    polars = pytest.importorskip("polars")
    for expected, result in names.items():
        assert polars.DataFrame(result).columns == expected.split()
    pandas = pytest.importorskip("pandas")
    for expected, result in names.items():
        assert list(result.to_pandas()) == expected.split()
        assert list(pandas.DataFrame(result)) == expected.split()[:3]
        assert pandas.DataFrame(result).values.tolist() == [list(row) for row in result]
    assert lines.to_pandas()["text"].tolist() == [b"banana", b"pan"]
    assert list(plan.matches("x").to_pandas()) == ["begin", "end", "pattern"]


def test_index_of_pandas():
    """Check that a result of contains() is an index of a pandas series."""
    pandas = pytest.importorskip("pandas")
    plan, texts = trawl.Plan(["an", "p"]), ["banana", "x", None, "pan"]
    # pandas 2 cannot export a Series of objects as an Arrow column, but such a Series is searched, too.
    for series in (
        pandas.Series(texts, dtype="string"),
        pandas.Series([*texts[:2], float("nan"), "pan"], dtype=object),
    ):
        assert plan.contains(series).tolist() == [True, False, None, True]
    series = pandas.Series(texts)
    found = plan.contains(series)
    assert series[found].tolist() == ["banana", "pan"] == series.loc[found].tolist()
    assert series.to_frame("text")[found].index.tolist() == [0, 3]
    assert found.to_pandas().tolist() == [True, False, pandas.NA, True]
    kinds = [plan.which, plan.pattern_counts, plan.pattern_lists]
    assert [str(kind(series).to_pandas().dtype) for kind in kinds] == ["Int64", "UInt64", "object"]


def test_every_result_goes_everywhere():
    """Check that numpy, pyarrow, pandas and polars accept each kind of result."""
    rows = [[(*row, line) for row, line in zip(result, result.lines)]
            if isinstance(result, trawl.Matches) and result.lines is not None else
            [tuple(one) if isinstance(one, (list, tuple)) else one for one in result]
            for result in results()]  # fmt: skip
    for package, of in (
        ("numpy", lambda result: result.to_numpy().tolist()),
        ("pyarrow", lambda result: result.to_arrow().to_pylist()),
        ("polars", lambda result: result.to_polars().to_arrow().to_pylist()),
        ("pandas", lambda result: result.to_pandas()),
    ):
        if importlib.util.find_spec(package) is None:
            continue
        for result, expected in zip(results(), rows):
            found = of(result)
            if package == "pandas":
                found = found.values.tolist() if found.ndim > 1 else found.tolist()
                found = [None if one is pandas_na() else one for one in found]
            found = [tuple(one.values()) if isinstance(one, dict) else one for one in found]
            found = [tuple(one) if isinstance(one, (list, tuple)) else one for one in found]
            assert found == expected, (package, result)


def pandas_na():
    import pandas

    return pandas.NA


def test_runs_of_views(rng):
    """Check columns of views. The library searches adjacent long values of a buffer in place, as one part of the column.
    A part ends at a short value, at a change of buffers, and at an array's end, but not at a null or an empty value."""
    plan = trawl.Plan(["ab", "cab"])
    for round in range(3):
        records = [bytes(rng.choices(b"abc", k=rng.randint(13, 20))) for _ in range(9500)]
        for at in rng.sample(range(len(records)), 900 if round % 2 else 0):
            records[at] = None if at % 3 else b""
        for at in rng.sample(range(9000, len(records)), round):
            records[at] = b"cabab"
        begin = rng.randrange(200)
        expected = answers([b"ab", b"cab"], records[begin:])
        for turn in (20000, 4300, 400, 100)[round % 2 :: 2]:
            middle = rng.randrange(begin, len(records))
            column = arrow_by_hand.Stream(
                [
                    arrow_by_hand.Column(records, "vz", begin, middle, turn=turn),
                    arrow_by_hand.Column(records, "vz", middle, turn=turn),
                ]
            )
            same(plan, column, expected)
            made = plan.replace(column, b"<>").tolist()
            assert made == [each if each is None else re.sub(b"cab|ab", b"<>", each) for each in records[begin:]]


def test_missing_values():
    """Check that what pandas takes for missing is a null record, in lists and arrays of objects, and stays in new lists."""
    missing = [None, float("nan"), -float("nan")]
    for name, values in (("pandas", "NA NaT"), ("numpy", "nan")):
        if importlib.util.find_spec(name) is not None:
            package = importlib.import_module(name)
            missing += [getattr(package, value) for value in values.split()]
            missing += [] if name == "pandas" else [package.float32("nan"), package.float64("nan")]
    plan, groups = trawl.Plan("a"), trawl.Plan("(a)(x)?", regex=True)
    for kind, one in ((str, "banana"), (bytes, b"banana")):
        records = [one, *missing, one[:1]]
        nulls = [None] * len(missing)
        for column in (records, tuple(records)):
            assert plan.contains(column).tolist() == [True, *nulls, False]
            assert plan.match_counts(column).tolist() == [3, *nulls, 0]
            assert plan.which(column).tolist() == [0, *nulls, None]
            assert plan.match_lists(column, value=True, first=True).tolist()[0]["value"] == one[1:2]
            assert plan.cells(column)[0] == (0, 0, 1) and len(plan.cells(column)) == 1
            assert groups.groups(column).tolist()[1:] == [*nulls, {"1": None, "2": None}]
            for made in (plan.replace(column, "b"), plan.split(column), plan.mask(column)):
                assert type(made) is list and all(a is b for a, b in zip(made[1:], missing))
            assert plan.split(column)[0] == one.split(one[1:2])
        if "numpy" in sys.modules:
            array = importlib.import_module("numpy").array(records, dtype=object)
            assert plan.contains(array).tolist() == [True, *nulls, False]
        assert plan.contains(missing).tolist() == nulls
    for wrong in (3.5, 0, True, 1 + 2j, [], object()):
        with pytest.raises(TypeError, match="record 1: str or bytes are needed"):
            plan.contains(["a", wrong])


def test_categories():
    """Check dictionary columns whose values have another type, because there is none."""
    for keys in ([], [None], [None, None]):
        column = arrow_by_hand.Column([], "g", keys=keys)
        nulls = [None] * len(keys)
        plan = trawl.Plan("a")
        assert plan.contains(column).tolist() == nulls == plan.match_lists(column, value=True).tolist()
        assert plan.split(column) == nulls == plan.replace(column, "b").tolist()
    pandas = pytest.importorskip("pandas")
    for values in ([None, None], [], ["a", None]):
        for column in (pandas.Categorical(values), pandas.Series(values, dtype="category")):
            assert trawl.Plan("a").contains(column).tolist() == [one and True for one in values]


def test_views_in_several_copies(rng):
    """Views that are not adjacent are copied some at a time: compare several copies with the same strings in a row."""
    arrow = pytest.importorskip("pyarrow")
    plan = trawl.Plan(["an", "na", "zz"])
    for count, size in ((9000, 500), (3, 3 << 20)):
        rows = [rng.choice([None, "na", "x" * rng.randint(0, size) + "an" + "y" * 20]) for _ in range(count)]
        views, plain = arrow.array(rows, "string_view"), arrow.array(rows, "large_string")
        with trawl.Searcher("cpu", 1) as searcher:
            for call in ("contains", "which", "pattern_counts", "pattern_lists", "record_counts"):
                search = getattr(searcher, call)
                assert search(plan, views[1:]).tolist() == search(plan, plain[1:]).tolist()
            assert list(searcher.cells(plan, views)) == list(searcher.cells(plan, plain))


def test_runs(rng):
    """Compare columns of runs (run-end encoded), which were rejected, with the same values one by one."""
    arrow = pytest.importorskip("pyarrow")
    strings = [arrow.string(), arrow.large_string(), arrow.string_view(), arrow.binary(), arrow.large_binary()]
    strings += [arrow.dictionary(arrow.int8(), arrow.string()), arrow.dictionary(arrow.uint32(), arrow.large_string())]
    plan = trawl.Plan(["a(n)?", "(p)"], regex=True)
    for _ in range(amount(200)):
        values = [rng.choice(["banana", "p", "", None, "\u00e9 an", "x" * 20]) for _ in range(rng.randint(0, 6))]
        sizes, kind = [rng.randint(1, 4) for _ in values], rng.choice(strings)
        ends = arrow.array(itertools.accumulate(sizes), rng.choice([arrow.int16(), arrow.int32(), arrow.int64()]))
        records = [value for value, size in zip(values, sizes) for _ in range(size)]
        begin = rng.randint(0, len(records))
        end = rng.randint(begin, len(records))
        runs = arrow.RunEndEncodedArray.from_arrays(ends, arrow.array(values, kind))[begin:end]
        plain = arrow.array(records[begin:end], "binary" if kind in strings[3:5] else "string")
        for column in (runs, arrow.chunked_array([runs, runs])):
            same = plain if column is runs else arrow.chunked_array([plain, plain])
            for call in (
                "contains", "which", "match_counts", "match_lists", "pattern_lists", "groups", "mask", "group_lists",
            ):  # fmt: skip
                assert getattr(plan, call)(column).tolist() == getattr(plan, call)(same).tolist(), (call, runs)
            assert plan.split(column) == plan.split(same) and list(plan.cells(column)) == list(plan.cells(same))
            assert plan.replace(column, "<$1>").tolist() == plan.replace(same, "<$1>").tolist()
            assert trawl.contains_each(column, same).tolist() == trawl.contains_each(same, same).tolist()
    assert list(trawl.Plan(arrow.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"]))) == ["a", "a", "b"]
    with pytest.raises(TypeError, match="not numbers"):
        plan.contains(arrow.RunEndEncodedArray.from_arrays([2], [5]))


def test_lazy_frames():
    """Check that the error about a LazyFrame or expression of polars names what searches it."""
    polars, plan = pytest.importorskip("polars"), trawl.Plan("a")
    for given in (polars.LazyFrame({"text": ["a"]}), polars.col("text")):
        calls = [
            plan.contains, plan.cells, plan.match_lists, plan.groups, plan.split, plan.mask, plan.count, plan.first,
        ]  # fmt: skip
        for call in [*calls, lambda given: plan.replace(given, "b"), lambda given: list(plan.finditer(given))]:
            with pytest.raises(TypeError, match=r"\.trawl\.contains\(plan\)"):
                call(given)
