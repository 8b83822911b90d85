"""Runs stages (trawl.stages) in Ray Data, over datasets spread over a cluster.

A stage is put into Ray's object store once, with the plan's patterns and options; each worker compiles the plan. A
worker is an actor with `cpus` cores or, with engine="cuda", a GPU.

    import ray, trawl, trawl.ray
    texts = ray.data.read_parquet("s3://bucket/documents")
    plan = trawl.Plan(open_list_of_patterns)
    found = trawl.ray.filter(texts, plan, "text")
    trawl.ray.count(texts, plan, "text")

A Collection keeps files in the memory of a cluster, for many searches:

    with trawl.ray.Collection(["/shared/tree"]) as collection:
        collection.count(plan)
"""

from __future__ import annotations

import collections
import copy
import functools
import inspect
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from . import Plan
from ._shards import Collection as Collection
from ._sources import several
from .stages import COUNTERS, ERROR_COLUMN, Stage, json_text, lines_of, stage_of, taken

if TYPE_CHECKING:
    import pyarrow


class Metrics:
    """Ray metrics for the counters of a stage, tagged with the stage's kind and column: trawl_records,
    trawl_nulls, trawl_found, trawl_bad and trawl_bytes."""

    def __init__(self, stage: Stage) -> None:
        from ray.util.metrics import Counter

        self.tags = {"kind": stage.kind, "column": stage.column}
        self.counters = {name: Counter(f"trawl_{name}", f"trawl: {name}", tuple(self.tags)) for name in COUNTERS}

    def __call__(self, added: dict[str, int]) -> None:
        for name, value in added.items():
            if value > 0:  # Ray rejects 0
                self.counters[name].inc(value, self.tags)


class Worker:
    """A Ray Data actor that runs a stage on one table at a time. bad: the result is the records that cannot be searched,
    with the reasons."""

    def __init__(self, stage: Any, bad: bool) -> None:
        import ray

        self.stage, self.bad = ray.get(stage[0]), bad
        if self.stage.tell is None and not bad:
            self.stage.tell = Metrics(self.stage)
        self.stage.warm()

    def __call__(self, table: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        batches = table.to_batches()
        if table.nbytes < len(batches) << 20:  # small batches: one copy costs less than many searches
            batches = table.combine_chunks().to_batches()
        if self.bad:
            return pyarrow.Table.from_batches(map(self.unsearchable, batches))
        if self.stage.kind == "count":
            self.stage.clear()  # the row counts this table alone
        parts = [part for batch in batches for part in self.stage.take(batch)]
        if self.stage.kind == "count":
            parts = [self.stage.summary()]
        if not parts:  # every record was bad
            parts = self.stage.empty(table.schema)
        return pyarrow.Table.from_batches(parts)

    def unsearchable(self, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        import pyarrow

        self.stage.clear()
        collections.deque(self.stage.take(batch), 0)
        rows = pyarrow.array([row for row, _ in self.stage.bad], "int64")
        columns = [taken(column, rows) for column in batch.columns]
        columns.append(pyarrow.array([reason for _, reason in self.stage.bad], "string"))
        return pyarrow.record_batch(columns, names=[*batch.schema.names, ERROR_COLUMN])


def run(dataset: Any, plan: Any, column: str, kind: str, **options: Any) -> Any:
    """Run Stage(plan, column, kind, **options) over a dataset; workers, cpus, batch_rows and keep_order are options of
    run_stage. The plan may be decontaminate.Questions, with the kinds of decontaminate.Stage."""
    own = {key: options.pop(key) for key in inspect.signature(run_stage).parameters if key in options}
    return run_stage(dataset, stage_of(plan, column, kind, **options), **own)


def run_stage(
    dataset: Any,
    stage: Stage,
    *,
    workers: int | tuple[int, int] | None = None,
    cpus: int = 1,
    batch_rows: int | None = None,
    keep_order: bool = False,
) -> Any:
    """Run a stage over a dataset, and return the resulting dataset. A stage with errors="apart" returns two
    datasets, (result, bad): `bad` has the records that cannot be searched, with the reason in `trawl_error`.
    Reading `bad` runs the search again.

    workers: the number of actors, or a range of numbers. The default is a range: Ray starts one actor, and
    more while tables wait, up to the cores (or GPUs) of the cluster.
    cpus: the number of threads of each actor, unless the stage sets threads. The actors claim no cores from Ray, so
    other tasks, such as those that read, never wait for the search to end.
    batch_rows: how many records a worker gets at a time; None: whole blocks of the dataset.
    keep_order: keep the dataset's order. The setting is stored in the dataset's context, which its sources and the
    datasets derived from it share.
    The workers' counters become Ray metrics (see Metrics), unless the stage has its own `tell`.
    KeyError, TypeError: the dataset's schema is known, and the stage cannot search it."""
    import pyarrow
    import ray

    if keep_order:
        if not hasattr(dataset, "context"):
            raise RuntimeError("keep_order: datasets of this version of Ray have no context")
        dataset.context.execution_options.preserve_order = True
    if known := dataset.schema(fetch_if_missing=False):
        stage.schema(pyarrow.schema(known.base_schema))
    gpus = int(stage.engine == "cuda")
    least, most = workers if isinstance(workers, tuple) else (1 if workers is None else workers, workers)
    if cpus < 1 or least < 1 or (most is not None and least > most):
        raise ValueError(f"workers, cpus: {least} to {most} actors with {cpus} threads each")
    if most is None:
        resources: Any = ray.cluster_resources
        has = resources()
        most = max(1, int(has.get("GPU", 0) if gpus else has.get("CPU", 0) // cpus))
    if not gpus:
        stage = copy.copy(stage)
        stage.engine, stage.threads = "cpu", stage.threads or cpus
    # Ray passes a reference inside a list on; a bare reference would be replaced with the object.
    sent = [ray.put(stage)]
    found, apart = (
        dataset.map_batches(
            Worker,
            batch_size=batch_rows,
            batch_format="pyarrow",
            zero_copy_batch=True,
            compute=ray.data.ActorPoolStrategy(min_size=least, max_size=most),
            fn_constructor_args=(sent, bad),
            num_cpus=0,
            num_gpus=gpus,
        )
        for bad in (False, True)
    )
    return (found, apart) if stage.errors == "apart" else found


def contains(dataset: Any, plan: Plan, column: str, **options: Any) -> Any:
    """Add a column `contains`: does any pattern occur in the record?"""
    return run(dataset, plan, column, "contains", **options)


def filter(dataset: Any, plan: Plan, column: str, **options: Any) -> Any:
    """Keep the records in which a pattern occurs or, with invert=True, no pattern occurs. Nulls are dropped in both
    cases."""
    return run(dataset, plan, column, "filter", **options)


def cells(dataset: Any, plan: Plan, column: str, *, keep: str | Iterable[str] = (), **options: Any) -> Any:
    """Return a row for each pair of a record and a pattern that occurs in it: the record's columns `keep`, record,
    pattern, begin. The `record` column counts only the records of one worker, so keep a column that identifies the
    record."""
    return run(dataset, plan, column, "cells", keep=keep, **options)


def count(dataset: Any, plan: Plan, column: str, **options: Any) -> Any:
    """Count the records: all (records), null (nulls), with a pattern (found), not searchable (bad), the bytes, and for
    each pattern the records that contain it (pattern_records). With errors="apart" the result is (counts, dataset of
    the bad records)."""
    plan = plan if isinstance(plan, Plan) else Plan(plan)
    total: dict[str, Any] = dict.fromkeys(COUNTERS, 0) | {"pattern_records": [0] * len(plan)}
    made = run(dataset, plan, column, "count", **options)
    rows, *bad = made if isinstance(made, tuple) else (made,)
    for row in rows.iter_rows():
        for key, value in row.items():
            if key == "pattern_records":
                total[key] = [a + b for a, b in zip(total[key], value)]
            else:
                total[key] += value
    return (total, *bad) if bad else total


# ---- Reading ----


def read_json_lines(paths: Any, field: str, *, filesystem: Any = None) -> tuple[Any, Any]:
    """Read a text field of JSON lines, and return two datasets, (records, unread).

    paths: files and directories, as paths or URIs that pyarrow.fs knows, or as paths of `filesystem`. Files whose
    name ends in .gz, .bz2, .zst or .lz4 are decompressed. In directories, names that begin with . or _ are skipped.
    records: the columns path, line (the line's bytes) and the field.
    unread: the lines that are not a JSON object with that field, or whose text is not UTF-8, and files that cannot be
      read: path, record (counted from 0 in the file), line, and the reason as `trawl_error`.
      If reading a file fails, `unread` has the first record that is not delivered, without a line. The files are read
      again for `unread`.
    """
    return read(paths, functools.partial(json_parts, field=field), filesystem)


def read_parquet(paths: Any, *, columns: Any = None, filesystem: Any = None) -> tuple[Any, Any]:
    """Read Parquet files, or some columns, and return two datasets, (records, unread); see read_json_lines.
    If a row group cannot be read, the records before the error and all other row groups are delivered."""
    return read(paths, functools.partial(parquet_parts, columns=columns), filesystem)


def read(paths: Any, parts: Any, filesystem: Any) -> tuple[Any, Any]:
    """Read files by `parts`, a function from a filesystem and a path to an iterator of (table of
    records, list of unread records). An unread record is (its number in the file, line, reason)."""
    import ray

    files = list(files_of(paths, filesystem))
    listed = ray.data.from_items(files, override_num_blocks=max(1, min(len(files), 1000)))
    read_parts: Any = read_files  # Any: Ray's annotations lack further arguments of a function
    good, unread = (
        listed.map_batches(read_parts, batch_size=1, batch_format="numpy", fn_args=(parts, wanted))
        for wanted in (False, True)
    )
    return good, unread


def files_of(paths: Any, filesystem: Any) -> Iterator[dict[str, Any]]:
    """Yield the files of `paths` and below, with the filesystem of each."""
    from pyarrow import fs

    for path in several(paths):
        system, at = filesystem, os.fsdecode(path)
        if system is None:
            system, at = fs.FileSystem.from_uri(at if "://" in at else os.path.abspath(at))
        (found,) = system.get_file_info([at])
        if found.type == fs.FileType.NotFound:
            raise FileNotFoundError(f"{path}: no such file or directory")
        files = [at]
        if found.type == fs.FileType.Directory:
            below = system.get_file_info(fs.FileSelector(at, recursive=True))
            files = sorted(one.path for one in below if one.is_file and one.base_name[0] not in "._")
        for file in files:
            yield {"path": file, "system": system}


def read_files(files: Any, parts: Any, unread: bool) -> Iterator[pyarrow.Table]:
    """Yield the records of files, or the unread records alone."""
    for path, system in zip(files["path"], files["system"]):
        for records, rows in parts_and_end(parts(system, path)):
            if unread:
                yield unread_table(path, rows)
            elif records is not None:
                yield records


def unread_table(path: str, rows: list[Any]) -> pyarrow.Table:
    import pyarrow

    kinds = {"record": "int64", "line": "large_binary", ERROR_COLUMN: "string"}
    columns = {"path": pyarrow.array([path] * len(rows), "string")}
    for i, (name, kind) in enumerate(kinds.items()):
        columns[name] = pyarrow.array([row[i] for row in rows], kind)
    return pyarrow.table(columns)


def parts_and_end(parts: Iterable[tuple[Any, list[Any]]]) -> Iterator[tuple[Any, list[Any]]]:
    """Yield the parts of a file, and the error that ended the reading as an unread record."""
    first = 0
    try:
        for records, unread in parts:
            yield records, unread
            first += (0 if records is None else records.num_rows) + len(unread)
    except Exception as fault:
        yield None, [(first, None, f"{type(fault).__name__}: {fault}")]


def json_parts(system: Any, path: str, field: str) -> Iterator[tuple[Any, list[Any]]]:
    """Yield the records, and the unread records, of a file of JSON lines, a few MiB at a time."""
    import pyarrow

    first = 0
    with system.open_input_stream(path) as stream:
        for lines in lines_of(stream):
            parsed = [(line, *json_text(line, field)) for line in lines]
            good = [(line, text) for line, text, fault in parsed if fault is None]
            columns = {
                "path": pyarrow.array([path] * len(good), "string"),
                "line": pyarrow.array([line for line, _ in good], "large_binary"),
                field: pyarrow.array([text for _, text in good], "large_string"),
            }
            unread = [(first + i, line, fault) for i, (line, _, fault) in enumerate(parsed) if fault]
            yield pyarrow.table(columns), unread
            first += len(lines)


def parquet_parts(system: Any, path: str, columns: Any) -> Iterator[tuple[Any, list[Any]]]:
    """Yield the records of a Parquet file. If a row group cannot be read to its end, yield an entry that names its
    remaining records as unread."""
    import pyarrow
    from pyarrow import parquet

    with system.open_input_file(path) as opened:
        file = parquet.ParquetFile(opened, page_checksum_verification=True)
        columns = None if columns is None else list(several(columns))
        first = 0
        for group in range(file.num_row_groups):
            at, first = first, first + file.metadata.row_group(group).num_rows
            try:
                for batch in file.iter_batches(row_groups=[group], columns=columns):
                    yield pyarrow.Table.from_batches([batch]), []
                    at += batch.num_rows
            except Exception as fault:
                reason = f"records {at} to {first - 1}: {type(fault).__name__}: {fault}"
                yield None, [(at, None, reason)]
