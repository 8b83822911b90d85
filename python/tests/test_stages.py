"""Tests stages, which are functions Iterator[RecordBatch] -> Iterator[RecordBatch]."""

import functools
import gzip
import io
import json
import pathlib
import pickle
import re
import runpy
import sys
import types

import pytest
import ray_by_hand
import trawl
from conftest import amount, naive, parts, rewritten, spans

pyarrow = pytest.importorskip("pyarrow")
from trawl.stages import KINDS, Stage  # noqa: E402  (needs pyarrow)


def table_of(rng, rows):
    texts = [
        None if rng.random() < 0.1 else "".join(rng.choice("abc ") for _ in range(rng.randint(0, 40)))
        for _ in range(rows)
    ]
    return pyarrow.table({"id": list(range(rows)), "text": texts})


TYPES = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view", "dictionary", "null")


def column_of(rng, texts):
    """Make a column of these texts, or of nulls, of a random type."""
    kind = rng.choice(TYPES)
    if kind == "null":
        return pyarrow.nulls(len(texts))
    if kind == "dictionary":
        values = pyarrow.array(texts, "string").cast(
            rng.choice([pyarrow.large_string(), pyarrow.binary(), pyarrow.string()])
        )
        return values.dictionary_encode()
    return pyarrow.array(texts, "string").cast(getattr(pyarrow, kind)())


def cell_of(kind, text, patterns, values, longest):
    """Return what a kind of stage makes of a text, by a naive search."""
    if text is None:
        return None
    found = naive(patterns, text)
    different = sorted({index for _, _, index in found})
    chosen = spans(found, longest)
    star = text[:0] + ("*" if isinstance(text, str) else b"*")
    if kind in ("replace", "mask"):
        stars = [star * (end - begin) for begin, end, _ in chosen]
        numbered = [(begin, end, i) for i, (begin, end, _) in enumerate(chosen)]
        return rewritten(text, *((chosen, values) if kind == "replace" else (numbered, stars)))
    return {
        "contains": bool(found), "which": min(different, default=None), "pattern_counts": len(different),
        "match_counts": len(found), "pattern_lists": different, "split": parts(text, chosen),
        "filter": bool(found), "matches": found, "count": different,
        "cells": [(index, min(begin for begin, _, one in found if one == index)) for index in different],
    }[kind]  # fmt: skip


def rows_of(kind, cells, beside, invert):
    """Return the rows of a stage, made in plain Python from the cell of each record and the record's other columns."""
    kept = [dict(zip(beside, row)) for row in zip(*beside.values())]
    if kind == "filter":
        return [row for row, cell in zip(kept, cells) if cell is (not invert)]
    if kind in ("cells", "matches"):
        names = ("pattern", "begin") if kind == "cells" else ("begin", "end", "pattern")
        return [row | {"record": i} | dict(zip(names, one)) for i, row in enumerate(kept) for one in cells[i] or ()]
    return [row | {"new": cell} for row, cell in zip(kept, cells)]


def test_kinds(rng):
    """Check that each kind of stage, for strings and for expressions, returns the rows that plain Python makes of
    the texts. The columns of texts, and the other columns, have all types, and a column keeps its type."""
    letters = ["ab", "ca", "bbb", "a", "\u00e9b", "c \u00e9", "cccccccc", " "]
    for _ in range(amount(500)):
        texts = [
            None if rng.random() < 0.2 else "".join(rng.choice("abc \u00e9") for _ in range(rng.randint(0, 30)))
            for _ in range(rng.randint(1, 50))
        ]  # fmt: skip
        names = ["text", *rng.sample(["left", "right", "far"], rng.randint(1, 3))]
        rng.shuffle(names)
        others = {name: rng.sample(texts, len(texts)) for name in names} | {"text": texts}
        table = pyarrow.table({name: column_of(rng, others[name]) for name in names}, metadata={"a": "b"}).slice(
            rng.randint(0, 7)
        )
        batches = table.to_batches(rng.choice([1, 7, 64]))
        cells, beside = table.column("text").to_pylist(), {name: table.column(name).to_pylist() for name in names}
        plain = table.schema.field("text").type
        encode = str.encode if "binary" in str(plain) else str
        patterns = rng.sample(letters, rng.randint(1, 4))
        values = [rng.choice(["<>", "", "\u00fc"]) for _ in patterns]
        given = [[encode(one) for one in of] for of in (patterns, values)]
        longest, regex = rng.random() < 0.5, rng.random() < 0.3
        kind = rng.choice(["split", "replace", "mask"] if regex else [*KINDS, "filter", "cells", "matches"])
        regex = regex and not longest
        plan = trawl.Plan(patterns, **({"regex": True, "alphabet": "utf8"} if regex else {}))
        options = {"name": "new"}
        if kind in ("split", "replace", "mask"):
            options["match"] = "leftmost-longest" if longest else "leftmost-first"
        if kind == "replace":
            options["values"] = values
        if kind in ("cells", "matches"):
            options = {"keep": names}
        options |= {
            one: None for one in KINDS[kind].options if one not in options and (one, kind) != ("values", "replace")
        }
        invert = options["invert"] = kind == "filter" and rng.random() < 0.5
        stage = pickle.loads(pickle.dumps(Stage(plan, "text", kind, **options)))
        output = list(stage(batches))
        made = [row for batch in output for row in batch.to_pylist()]
        assert {batch.schema for batch in output} <= {stage.schema(table.schema)}
        assert kind != "filter" or all(batch.schema.equals(table.schema, check_metadata=True) for batch in output)
        assert pickle.loads(pickle.dumps(stage)).counters["records"] == 0 and stage.counters["bytes"] == sum(
            one["text"].nbytes for one in batches
        )
        wanted = [cell_of(kind, one, *given, longest) for one in cells]
        found = sum(one is not None and len(naive(given[0], one)) > 0 for one in cells)
        if kind == "count":
            (row,) = made
            counts = [sum(i in (one or ()) for one in wanted) for i in range(len(patterns))]
            assert row["pattern_records"] == counts and row["records"] == len(cells) and row["bad"] == 0
        else:
            assert made == rows_of(kind, wanted, beside, invert), (kind, patterns, table.schema)
            if kind in ("replace", "mask"):
                kept = (
                    plain.value_type
                    if pyarrow.types.is_dictionary(plain)
                    else pyarrow.string()
                    if pyarrow.types.is_null(plain)
                    else plain
                )
                assert stage.schema(table.schema).field("new").type == kept
        assert stage.counters["found"] == found and stage.counters["records"] == len(cells)
        assert stage.counters["nulls"] == cells.count(None)
        if kind in ("replace", "mask"):
            again = Stage(plan, "text", kind, **{key: one for key, one in options.items() if key != "name"})
            result = again.reader(rng.choice([table, table.to_reader()])).read_all()
            assert result.schema == table.schema and result.column("text").to_pylist() == wanted


@pytest.mark.parametrize("package", ["dask.dataframe", "daft", "polars", "duckdb"])
def test_other_packages(package):
    """Check that examples/stages.py keeps the records with an occurrence in each package."""
    pytest.importorskip(package)
    examples = runpy.run_path(str(pathlib.Path(__file__).parents[1] / "examples/stages.py"))
    texts = ["a secret", "hay", None, "things"] * 250
    stage = Stage(trawl.Plan(["secret", "thing"]), "text", "filter")
    run = examples["run_" + package.split(".")[0]]
    found = run(stage, pyarrow.table({"id": range(1000), "text": texts}))
    ids = found.to_pydict()["id"] if hasattr(found, "to_pydict") else list(found["id"])
    assert sorted(ids) == [i for i, text in enumerate(texts) if text in ("a secret", "things")]


def test_threads_of_a_spark_task(monkeypatch):
    """Check that a stage with 0 threads uses the cores of its Spark task."""
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
    """Check that a stage whose batch cannot be searched finds the bad records by halving the batch, and answers all other
    records as usual."""
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
    """Check that `tell` gets the numbers of each batch, whose sums are the stage's counters."""
    table = pyarrow.table({"text": ["an", None, "b", "banana"]})
    for kind in KINDS:
        told = []
        stage = Stage(trawl.Plan(["an"], values=["x"]), "text", kind, tell=told.append)
        list(stage(table.to_batches(2)))
        assert [one["records"] for one in told] == [2, 2] and [one["found"] for one in told] == [1, 1]
        assert {key: sum(one[key] for one in told) for key in told[0]} | {"bad": 0} == stage.counters
        again = Stage(trawl.Plan(["an"], values=["x"]), "text", kind, tell=told.clear, engine="cuda")
        again.schema(table.schema)  # schema() neither opens a GPU nor counts anything
    told = []
    list(Stage(trawl.Plan("an"), "n", errors="apart", tell=told.append)(pyarrow.table({"n": [1]}).to_batches()))
    assert told == [{"records": 1, "bad": 1}]


def test_all_records_are_bad():
    """Check that a stage's output has all columns even if every record is bad."""
    plan, schema = trawl.Plan(["a"], values=["x"]), pyarrow.schema({"id": pyarrow.int64(), "text": pyarrow.int64()})
    new = {
        "cells": ["id", "record", "pattern", "begin"], "filter": schema.names, "count": None,
        "matches": ["id", "record", "begin", "end", "pattern"], "replace": schema.names, "mask": schema.names,
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
    """Check that with `signed` the output has neither uint64 nor large_list, and the same numbers as without."""
    table = pyarrow.table({"id": [1, 2, 3], "text": ["a secret", None, "nothing"]})
    plan = trawl.Plan(["secret", "thing"], values="xy")
    for kind in KINDS:
        (plain,), (signed,) = (list(Stage(plan, "text", kind, signed=ask)(table.to_batches())) for ask in (False, True))
        assert plain.to_pylist() == signed.to_pylist()
        for column in signed.columns:
            assert "uint64" not in str(column.type) and "large_list" not in str(column.type)
    near = Stage(trawl.Plan("gat", alphabet="dna", mismatches=1), "text", "matches", signed=True)
    (batch,) = near(pyarrow.table({"text": ["gatta", None, "gcttagat"]}).to_batches())
    names = ["record", "begin", "end", "pattern", "distance", "strand"]
    assert batch.schema == pyarrow.schema([(name, "string" if name == "strand" else "int64") for name in names])
    assert [tuple(row.values()) for row in batch.to_pylist()] == [
        (0, 0, 3, 0, 0, "+"),
        (2, 0, 3, 0, 1, "+"),
        (2, 5, 8, 0, 0, "+"),
    ]


def test_datasets(rng, monkeypatch):
    """Check that trawl.ray joins the answers of several tables, with a stand-in for Ray Data."""
    import trawl.ray

    ray_by_hand.install(monkeypatch, [{"CPU": 4.0}])
    tables = [table_of(rng, 30) for _ in range(3)]
    texts = [one or "" for table in tables for one in table.column("text").to_pylist()]
    data, plan = ray_by_hand.Dataset(tables), trawl.Plan(["ab", "ca"])
    counted = trawl.ray.count(data, plan, "text", batch_rows=rng.choice([None, 7]))
    assert counted["pattern_records"] == [sum(one in text for text in texts) for one in ("ab", "ca")]
    assert counted["records"] == 90 and counted["found"] == sum("ab" in one or "ca" in one for one in texts)
    for invert in (False, True):
        rows = trawl.ray.filter(data, plan, "text", invert=invert).iter_rows()
        column = [one for table in tables for one in table.column("text").to_pylist() if one is not None]
        assert [row["text"] for row in rows] == [one for one in column if ("ab" in one or "ca" in one) is not invert]


def test_datasets_with_bad_records(rng, monkeypatch):
    """Check that each record goes to one of two datasets, is counted once, and where the stage runs."""
    import trawl.ray

    ray_by_hand.install(monkeypatch, [{"CPU": 4.0}, {"CPU": 2.0, "GPU": 1.0}])
    monkeypatch.setattr(ray_by_hand.Counter, "sums", sums := {})
    texts = [None if rng.random() < 0.1 else "".join(rng.choices("ab\u00e9", k=4)) for _ in range(60)]
    table = pyarrow.table({"id": range(60), "text": texts})
    numbers = pyarrow.table({"id": [60, 61], "text": [5, 6]})
    # \xa9 is half of a letter
    plan, all_bad = (trawl.Plan([b"a", b"\xa9"]), [one or "" for one in texts if "\u00e9" in (one or "")])
    data = ray_by_hand.Dataset([table.slice(0, 7), table.slice(7), numbers])
    found, bad = trawl.ray.run(
        data, plan, "text", "replace", values="<>", errors="apart", batch_rows=rng.choice([None, 5]), cpus=2,
        keep_order=True,
    )  # fmt: skip
    good = [(i, one and one.replace("a", "<>")) for i, one in enumerate(texts) if "\u00e9" not in (one or "")]
    assert [tuple(row.values()) for row in found.iter_rows()] == good and data.context.execution_options.preserve_order
    rows = list(bad.iter_rows())
    assert [row["text"] for row in rows] == [*all_bad, 5, 6] and [row["id"] for row in rows[-2:]] == [60, 61]
    assert all(re.match("ValueError: .*UTF-8|TypeError: ", row["trawl_error"]) for row in rows)
    assert sums["trawl_records", "replace", "text"] == 62 and sums["trawl_bad", "replace", "text"] == len(rows)
    assert (found.worker.stage.engine, found.worker.stage.threads) == ("cpu", 2)
    for workers, sizes in ((None, (1, 6)), (2, (2, 2)), ((1, 1), (1, 1)), ((2, 4), (2, 4))):
        found = trawl.ray.contains(data, plan, "text", errors="apart", workers=workers, threads=3)[0]
        assert (found.options["compute"]["min_size"], found.options["compute"]["max_size"]) == sizes
        assert found.worker.stage.threads == 3 and found.options["num_cpus"] == 0  # no core is taken from reading
    for wrong in ({"workers": (2, 1)}, {"workers": 0}, {"cpus": 0}):
        with pytest.raises(ValueError, match="workers, cpus: "):
            trawl.ray.contains(data, plan, "text", **wrong)
    nothing = ray_by_hand.Dataset([])
    nothing.map_batches = lambda *_, **__: nothing  # with no tables, Ray never calls a stage
    assert trawl.ray.count(nothing, plan, "text") == {
        **Stage(plan, "text", "count").counters,
        "pattern_records": [0, 0],
    }
    data.map_batches = None  # an unknown column is rejected before any task starts
    with pytest.raises(KeyError, match="the table has the columns id, text"):
        trawl.ray.contains(data, plan, "none")


def read(files, parts):
    """Read files as the tasks do. Return the records and the bad records."""
    from trawl.ray import files_of, read_files

    listed = list(files_of(files, None))
    listed = {key: [one[key] for one in listed] for key in ("path", "system")}
    return ([row for table in read_files(listed, parts, bad) for row in table.to_pylist()] for bad in (False, True))


def test_json_lines(tmp_path, monkeypatch):
    """Check that lines with invalid UTF-8, lone surrogates or deep lists are reported as bad records, and so is the
    rest of a truncated file; and that a line ends only at a newline."""
    from trawl.ray import json_parts

    good = [b'{"text": "a"}', '{"text": "x\u2028\x85y"}'.encode(), b'{"text": null}\r']
    bad = [b'{"text": "\\ud800"}', b'{"text": "\xff"}', b"[" * 100000, b'{"text": 5}', b"", b"{}"]
    long = b'{"text": "%s"}' % (b"b" * (9 << 20))
    random = b"".join(b'{"text": "%d"}\n' % (i * 7919 % 10**9) for i in range(100000))
    broken = gzip.compress(random)
    files = [b"\xef\xbb\xbf" + b"\n".join(good + bad) + b"\n", b"", good[0], b"\n".join([long, long])]
    for name, data in zip("abcd", files):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "e.gz").write_bytes(broken[: len(broken) // 2])
    (tmp_path / "_SUCCESS").write_bytes(b"left out")
    rows, apart = read(tmp_path, functools.partial(json_parts, field="text"))
    texts = ["a", "x\u2028\x85y", None, "a", *["b" * (9 << 20)] * 2]
    paths = [str(tmp_path / name) for name in "aaacdd"]
    assert [tuple(row.values()) for row in rows[:6]] == list(zip(paths, [*good, good[0], long, long], texts))
    assert b"".join(row["line"] + b"\n" for row in rows[6:]) == random[: sum(len(row["line"]) + 1 for row in rows[6:])]
    *lines, end = apart
    assert [(row["path"], row["record"], row["line"]) for row in lines] == [
        (str(tmp_path / "a"), i, line) for i, line in enumerate(bad, 3)
    ]
    errors = [row["trawl_error"].split(":")[0] for row in lines]
    assert errors == ["UnicodeEncodeError", "UnicodeDecodeError", "RecursionError",
                      "text is no string", "JSONDecodeError", "KeyError"]  # fmt: skip
    assert end["path"] == str(tmp_path / "e.gz") and end["record"] == len(rows) - 6 and end["line"] is None
    assert "OSError" in end["trawl_error"]
    with pytest.raises(FileNotFoundError, match="none"):
        read([tmp_path / "none"], json_parts)
    monkeypatch.chdir(tmp_path)
    system = pyarrow.fs.LocalFileSystem()
    assert [one["path"] for one in trawl.ray.files_of(f"file://{tmp_path}/a", None)] == paths[:1]
    assert list(trawl.ray.files_of("a", system)) == [{"path": "a", "system": system}]


def test_json_lines_in_pieces(rng):
    """Check the records and the numbers of bad records, wherever the stream cuts the lines, and wherever it fails."""
    from trawl.ray import json_parts, parts_and_end

    class Stream(io.BytesIO):
        def read(self, size):
            if not (part := super().read(rng.randint(1, 60))) and fails:
                raise OSError("gone")
            return part

    for _ in range(amount(300)):
        kinds = [b'{"text": "a\\u00e9"}', b'{"text": null}\r', b'{"text": "%s"}' % (b"b" * 90)]
        kinds += [b"{broken", b'{"text": 5}', b"", b"[1]", b"null", b"{}", b'\xef\xbb\xbf{"text": ""}']
        lines = rng.choices(kinds, k=rng.randint(0, 12))
        data, fails = b"".join(line + b"\n" for line in lines), rng.random() < 0.3
        whole, rest = rng.random() < 0.5, b'{"text": "end"}'
        mark = b"\xef\xbb\xbf" * (rng.randrange(2) or data[:1] == b"\xef")
        system = types.SimpleNamespace(open_input_stream=lambda path: Stream(mark + data + rest * whole))
        if whole and not fails:
            lines.append(rest)
        tables, bad = [], []
        for table, rows in parts_and_end(json_parts(system, "p", "text")):
            tables += table.to_pylist() if table is not None else []
            bad += rows
        good = [line for line in lines if line.startswith(b'{"text": ') and b"5" not in line]
        assert [(row["path"], row["line"]) for row in tables] == [("p", line) for line in good]
        assert [row["text"] for row in tables] == [json.loads(line)["text"] for line in good]
        numbers = [(i, line) for i, line in enumerate(lines) if line not in good]
        assert [one[:2] for one in bad] == numbers + [(len(lines), None)] * fails


def test_broken_parquet_files(tmp_path, monkeypatch):
    """Check that a file with a bad footer and a bad row group are reported separately, and that all other records are
    delivered."""
    parquet = pytest.importorskip("pyarrow.parquet")
    from trawl.ray import parquet_parts

    table = pyarrow.table({"id": range(300), "text": [str(i) for i in range(300)]})
    for name in "abc":
        parquet.write_table(table, tmp_path / name, row_group_size=100, write_page_checksum=True, use_dictionary=False)
    many = pyarrow.table({"text": list(map(str, range(70_000)))})  # a bad row in the second batch
    parquet.write_table(many, tmp_path / "many", write_page_checksum=True, use_dictionary=False, data_page_size=1 << 14)
    data = bytearray((tmp_path / "many").read_bytes())
    group = parquet.ParquetFile(tmp_path / "many").metadata.row_group(0).column(0)
    data[group.data_page_offset + group.total_compressed_size - 5] ^= 255
    (tmp_path / "many").write_bytes(data)
    rows, apart = read(tmp_path / "many", functools.partial(parquet_parts, columns=None))
    assert rows == many.to_pylist()[: len(rows)] and 0 < len(rows) == apart[0]["record"] < 70_000 and len(apart) == 1
    (tmp_path / "many").unlink()
    group = parquet.ParquetFile(tmp_path / "b").metadata.row_group(1).column(1)
    for name, at in (("a", -4), ("b", group.data_page_offset + group.total_compressed_size - 5)):
        data = bytearray((tmp_path / name).read_bytes())
        data[at] ^= 255
        (tmp_path / name).write_bytes(data)
    rows, apart = read(tmp_path, functools.partial(parquet_parts, columns=["id"]))
    rows, apart = read(tmp_path, functools.partial(parquet_parts, columns=None))
    assert rows == [row for row in table.to_pylist() if row["id"] // 100 != 1] + table.to_pylist()
    assert [(row["path"], row["record"]) for row in apart] == [(str(tmp_path / "a"), 0), (str(tmp_path / "b"), 100)]
    assert "records 100 to 199: OSError" in apart[1]["trawl_error"]


def test_refused():
    plan = trawl.Plan("a")
    batch = pyarrow.record_batch({"number": [1]})
    for wrong in ({"kind": "guess"}, {"errors": "guess"}):
        with pytest.raises(ValueError):
            Stage(plan, "text", **wrong)
    with pytest.raises(TypeError, match="mask: no option of the kind 'split'"):
        Stage(plan, "text", "split", mask="x")
    with pytest.raises(KeyError):
        list(Stage(plan, "text", errors="apart")([batch]))
    with pytest.raises(TypeError):
        list(Stage(plan, "number")([batch]))
    with pytest.raises(KeyError, match="column 'text': the table has the columns number"):
        Stage(plan, "text", errors="apart", engine="cuda").schema(batch.schema)
    with pytest.raises(TypeError, match="strings or binary values"):
        Stage(plan, "number").schema(batch.schema)
    assert Stage(plan, "number", errors="apart").schema(batch.schema).names == ["number", "contains"]
    assert set(KINDS) >= {"contains", "filter", "cells", "count"}
