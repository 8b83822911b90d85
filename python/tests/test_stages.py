"""Stages: Iterator[RecordBatch] -> Iterator[RecordBatch]."""

import pickle
import sys
import types

import pytest
import trawl
from conftest import amount

pyarrow = pytest.importorskip("pyarrow")
from trawl.stages import KINDS, Stage  # noqa: E402  (needs pyarrow)


def table_of(rng, rows):
    texts = [
        None
        if rng.random() < 0.1
        else "".join(rng.choice("abc ") for _ in range(rng.randint(0, 40)))
        for _ in range(rows)
    ]
    return pyarrow.table({"id": list(range(rows)), "text": texts})


def test_kinds(rng):
    for _ in range(amount(2)):
        table = table_of(rng, 500)
        column = table.column("text").combine_chunks()
        plan = trawl.Plan(["ab", "ca", "bbb", "cccccccc"])
        batches = table.to_batches(max_chunksize=64)
        for kind in ("contains", "which", "pattern_counts", "pattern_lists"):
            stage = pickle.loads(pickle.dumps(Stage(plan, "text", kind, name="new")))
            whole = pyarrow.Table.from_batches(list(stage(iter(batches))))
            expected = getattr(plan, kind)(column).tolist()
            assert whole.column("new").to_pylist() == expected
            assert whole.column("id").to_pylist() == list(range(500))
            hits = sum(1 for value in expected if value not in (None, [], 0, False))
            if kind == "which":
                hits = sum(value is not None for value in expected)
            assert stage.counters["found"] == hits and stage.counters["records"] == 500
            assert stage.counters["nulls"] == column.null_count
        found = plan.contains(column).tolist()
        for invert in (False, True):
            stage = Stage(plan, "text", "filter", invert=invert)
            ids = [i for batch in stage(batches) for i in batch.column("id").to_pylist()]
            assert ids == [i for i, value in enumerate(found) if value is (not invert)]
        rows = [
            (row["id"], row["record"], row["pattern"], row["begin"])
            for batch in Stage(plan, "text", "cells", keep=["id"])(batches)
            for row in batch.to_pylist()
        ]
        assert rows == [(cell[0], *cell) for cell in plan.cells(column)]
        (summary,) = Stage(plan, "text", "count")(batches)
        assert summary.to_pylist() == [
            {
                "records": 500,
                "nulls": column.null_count,
                "found": found.count(True),
                "bad": 0,
                "bytes": summary.to_pylist()[0]["bytes"],
                "pattern_records": plan.record_counts(column).tolist(),
            }
        ]


def test_columns_of_views(rng):
    """A searched column of views, and columns beside it, give what large strings give. (pyarrow takes no
    rows of views: filter and keep raised ArrowNotImplementedError.)"""
    plan, text = trawl.Plan(["ab", "ca", "bbb"]), table_of(rng, 300).column("text").combine_chunks()
    columns = {"ids": pyarrow.array(range(300)), "null": pyarrow.nulls(300)}
    columns |= {"dictionary": text.dictionary_encode(), "text": text, "bytes": text.cast("binary")}
    plain = pyarrow.table(columns)
    views = {"text": pyarrow.string_view(), "bytes": pyarrow.binary_view()}
    viewed = pyarrow.table(columns | {name: columns[name].cast(kind) for name, kind in views.items()})
    for kind in (*KINDS, "inverted"):
        options = {"keep": list(columns)} if kind in ("cells", "matches") else {}
        if kind == "inverted":
            kind, options = "filter", {"invert": True}
        found = [
            [row for batch in Stage(plan, "text", kind, **options)(table.slice(7).to_batches(64))
             for row in batch.to_pylist()] for table in (plain, viewed)
        ]  # fmt: skip
        if kind == "count":
            assert found[0][0].pop("bytes") < found[1][0].pop("bytes")
        assert found[0] == found[1] and found[0], kind


def test_threads_of_a_spark_task(monkeypatch):
    """A stage of 0 threads takes the cores of its task. (Each task took all cores of the machine.)"""
    task = types.SimpleNamespace(cpus=lambda: 3)
    spark = types.SimpleNamespace(TaskContext=types.SimpleNamespace(get=lambda: task))
    monkeypatch.setitem(sys.modules, "pyspark", spark)
    made = []
    monkeypatch.setattr("trawl.stages.Searcher", lambda engine, threads: made.append(threads))
    for threads in (0, 2):
        Stage(trawl.Plan("a"), "text", threads=threads)._opened()
    task = None
    Stage(trawl.Plan("a"), "text")._opened()
    assert made == [3, 2, 0]


def test_bad_records_are_set_apart(rng, monkeypatch):
    """A stage finds records that cannot be searched by halving the batch, and answers all other records
    as usual."""
    table = table_of(rng, 300)
    column = table.column("text").combine_chunks()
    plan, poison = trawl.Plan(["ab", "ca"]), {17, 18, 250}
    original = Stage._search

    def search(self, kind, part):
        ids = range(part.offset, part.offset + len(part))
        if poison & set(ids):
            raise ValueError("poison")
        return original(self, kind, part)

    monkeypatch.setattr(Stage, "_search", search)
    batches = table.combine_chunks().to_batches()
    with pytest.raises(ValueError, match="poison"):
        list(Stage(plan, "text", "contains")(batches))
    told = []
    stage = Stage(plan, "text", "contains", errors="apart", report=lambda *bad: told.append(bad))
    rows = [row for batch in stage(batches) for row in batch.to_pylist()]
    assert [row["id"] for row in rows] == [i for i in range(300) if i not in poison]
    found = plan.contains(column).tolist()
    assert all(row["contains"] is found[row["id"]] for row in rows)
    assert told == stage.bad == [(i, "ValueError: poison") for i in sorted(poison)]
    assert stage.counters["bad"] == 3 and stage.counters["records"] == 300


def test_what_is_told():
    """All that the counters count is told, batch by batch."""
    table = pyarrow.table({"text": ["an", None, "b", "banana"]})
    for kind in KINDS:
        told = []
        stage = Stage(trawl.Plan("an"), "text", kind, tell=told.append)
        list(stage(table.to_batches(2)))
        assert [one["records"] for one in told] == [2, 2] and [one["found"] for one in told] == [1, 1]
        assert {key: sum(one[key] for one in told) for key in told[0]} | {"bad": 0} == stage.counters
    told = []
    list(Stage(trawl.Plan("an"), "n", errors="apart", tell=told.append)(
        pyarrow.table({"n": [1]}).to_batches()))  # fmt: skip
    assert told == [{"records": 1, "bad": 1}]


def test_all_records_are_bad():
    """A stage's output has all columns even if every record is bad. (Other tests have good records, too.)"""
    plan, schema = trawl.Plan("a"), pyarrow.schema({"id": pyarrow.int64(), "text": pyarrow.int64()})
    new = {
        "cells": ["id", "record", "pattern", "begin"], "filter": schema.names, "count": None,
        "matches": ["id", "record", "begin", "end", "pattern"],
    }  # fmt: skip
    batch = pyarrow.RecordBatch.from_pylist([{"id": 1, "text": 1}], schema)
    for kind in KINDS:
        stage = Stage(plan, "text", kind, keep=["id"], errors="apart")
        assert list(stage.take(batch)) == list(stage.take(batch.slice(0, 0))) == []
        assert stage.counters["bad"] == stage.counters["records"] == 1
        found = [(made.schema.names, made.num_rows) for made in stage.empty(schema)]
        names = new.get(kind, [*schema.names, kind])
        assert found == ([(names, 0)] if names else []), kind


def test_signed():
    """No uint64 and no large_list is left, and the numbers are the same."""
    table = pyarrow.table({"id": [1, 2, 3], "text": ["a secret", None, "nothing"]})
    plan = trawl.Plan(["secret", "thing"])
    for kind in KINDS:
        (plain,), (signed,) = (
            list(Stage(plan, "text", kind, signed=ask)(table.to_batches())) for ask in (False, True)
        )
        assert plain.to_pylist() == signed.to_pylist()
        for column in signed.columns:
            assert "uint64" not in str(column.type) and "large_list" not in str(column.type)


def test_json_lines():
    """Bytes that are not UTF-8, lone surrogates and deep lists are set apart as bad lines; a line ends
    only at a newline. (Once such a line failed the whole dataset: the tests' bad lines were ASCII.)"""
    parse_lines = pytest.importorskip("trawl.ray").parse_lines
    good = [b'{"text": "a"}', '{"text": "x\u2028\x85y"}'.encode(), b'{"text": null}\r']
    bad = [b'{"text": "\\ud800"}', b'{"text": "\xff"}', b"[" * 100000, b'{"text": 5}', b"", b"{}"]
    files = [b"\xef\xbb\xbf" + b"\n".join(good + bad) + b"\n", b"", good[0]]
    table = pyarrow.table({"bytes": files, "path": ["one", "two", "three"]})
    rows = parse_lines(table, "text", False).to_pylist()
    texts = ["a", "x\u2028\x85y", None, "a"]
    paths = ["one", "one", "one", "three"]
    lines = [*good, good[0]]
    assert [tuple(row.values()) for row in rows] == list(zip(paths, lines, texts))
    apart = parse_lines(table, "text", True).to_pylist()
    assert [(row["path"], row["line"]) for row in apart] == [("one", line) for line in bad]
    errors = [row["trawl_error"].split(":")[0] for row in apart]
    assert errors == ["UnicodeEncodeError", "UnicodeDecodeError", "RecursionError",
                      "text is no string", "JSONDecodeError", "KeyError"]  # fmt: skip


def test_refused():
    plan = trawl.Plan("a")
    batch = pyarrow.record_batch({"number": [1]})
    for wrong in ({"kind": "guess"}, {"errors": "guess"}):
        with pytest.raises(ValueError):
            Stage(plan, "text", **wrong)
    with pytest.raises(KeyError):
        list(Stage(plan, "text", errors="apart")([batch]))
    with pytest.raises(TypeError):
        list(Stage(plan, "number")([batch]))
    assert set(KINDS) >= {"contains", "filter", "cells", "count"}
