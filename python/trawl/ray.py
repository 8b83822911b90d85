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

import codecs
import collections
import copy
import functools
import inspect
import os
import time
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ._shards import Collection as Collection
from ._shards import nodes_for
from ._sources import plan_of, several
from ._trawl import Plan
from .stages import COUNTERS, ERROR_COLUMN, Stage, json_text, stage_of, taken

if TYPE_CHECKING:
    import pyarrow

LOOKS = 10  # how often warn_if_held() checks for free cores before it warns
STAGES_MAX = 8  # this many stages can run at the same time and leave a core for reading (see claim_of)


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
    more while tables wait, up to the cores (or GPUs) of the cluster. A range that exceeds the cluster ends
    there, with a warning. Another warning reports cores (or GPUs) that others hold, such as a Collection:
    the stage waits for these.
    cpus: the cores of each actor, and the number of threads unless the stage sets threads. Reading runs in separate
    tasks, for which the actors leave a core (see claim_of). ValueError: the nodes have no room for this many actors.
    KeyError, TypeError: the dataset's schema is known, and the stage cannot search it.
    batch_rows: how many records a worker gets at a time; None: whole blocks of the dataset.
    keep_order: keep the dataset's order. The setting is stored in the dataset's context, which its sources and the
    datasets derived from it share.
    The workers' counters become Ray metrics (see Metrics), unless the stage has its own `tell`."""
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
    if most is not None and least > most:
        raise ValueError(f"workers: at least {least}, and at most {most}")
    nodes = nodes_for(least, 0 if gpus else cpus, gpus)
    fit = sum(node["actors"] for node in nodes)
    if most is None:
        most = max(1, fit - 1 + gpus)
    try:
        nodes_for(most, 0 if gpus else cpus, gpus)
    except ValueError as fault:
        warnings.warn(f"workers: {fault}; {fit} are started", stacklevel=3)
        most = fit
    if gpus:
        resources: dict[str, Any] = {"num_gpus": 1, "num_cpus": 0}
        warn_if_held("GPU", least)
    else:
        resources = {"num_cpus": claim_of(least, cpus, [node.get("CPU", 0) for node in nodes])}
        warn_if_held("CPU", least * resources["num_cpus"] + 1)  # a core is for reading
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
            **resources,
        )
        for bad in (False, True)
    )
    return (found, apart) if stage.errors == "apart" else found


def warn_if_held(kind: str, needed: float) -> None:
    """Warn if a stage would wait because others hold too many cores or GPUs."""
    import ray

    available: Any = ray.available_resources
    for _ in range(LOOKS):  # Ray notices only after a while what an earlier run has freed
        if (free := available().get(kind, 0)) >= needed:
            return
        time.sleep(0.2)
    warnings.warn(
        f"{kind}: {free:g} are free and {needed:g} are needed, so the stage waits until others set some free",
        stacklevel=4,
    )


def claim_of(actors: int, cpus: int, cores: list[float]) -> float:
    """Return how many cores each actor claims from Ray: nearly `cpus`, or less if the actors of STAGES_MAX stages could
    otherwise claim all cores of the nodes. Ray starts the actors of all stages first, and a task that reads, which
    needs another core, would wait forever if none were left. No claim is a whole number of cores, because Ray moves the
    reading into actors that claim as much as a reading task, a whole core."""
    for part in (1, 2, 4, 8, 16, 32, 64):
        claim = round(cpus / part - 0.001, 3)
        if actors * STAGES_MAX < sum((has - 1) // claim + 1 for has in cores):
            return claim
    return 0


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


matrix = cells  # the earlier name


def count(dataset: Any, plan: Plan, column: str, **options: Any) -> Any:
    """Count the records: all (records), null (nulls), with a pattern (found), not searchable (bad), the bytes, and for
    each pattern the records that contain it (pattern_records). With errors="apart" the result is (counts, dataset of
    the bad records)."""
    plan = plan_of(plan)
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
      If reading a file fails, `unread` has the first record that is not delivered, without a line.
      A file that was read for `records` is not read again for `unread`.
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
    actor: Any = ray.remote(Apart)
    apart = actor.options(num_cpus=0, max_restarts=-1, max_task_retries=-1).remote()
    listed = ray.data.from_items(files, override_num_blocks=max(1, min(len(files), 1000)))
    read_parts: Any = read_files  # Any: Ray's annotations lack further arguments of a function
    good, unread = (
        listed.map_batches(read_parts, batch_size=1, batch_format="numpy", fn_args=(parts, apart, wanted))
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


class Apart:
    """An actor that keeps unread records, indexed by file and part. If a file is read again, for example after a node is
    lost, its parts are the same."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[int, Any]] = {}
        self.ended: set[str] = set()

    def add(self, path: str, part: int, table: pyarrow.Table) -> None:
        import ray

        self.tables.setdefault(path, {})[part] = ray.put(table)

    def end(self, path: str) -> None:
        self.ended.add(path)

    def of(self, path: str) -> list[Any] | None:
        """Return references to the tables of a file. None: the file was not read to the end."""
        return list(self.tables.get(path, {}).values()) if path in self.ended else None


def read_files(files: Any, parts: Any, apart: Any, unread: bool) -> Iterator[pyarrow.Table]:
    """Yield the records of files, or the unread records alone."""
    import ray

    for path, system in zip(files["path"], files["system"]):
        while not unread or (kept := ray.get(apart.of.remote(path))) is None:
            for i, (records, rows) in enumerate(parts_and_end(parts(system, path))):
                if rows:
                    apart.add.remote(path, i, unread_table(path, rows))
                if records is not None and not unread:
                    yield records
            ray.get(apart.end.remote(path))
            if not unread:
                break
        else:
            yield from (unread_table(path, []), *ray.get(kept))


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


def lines_of(stream: Any) -> Iterator[list[bytes]]:
    pieces: list[bytes] = []
    mark = codecs.BOM_UTF8
    while part := stream.read(4 << 20):
        head, line_end, tail = part.rpartition(b"\n")
        if line_end:
            yield b"".join([*pieces, head]).removeprefix(mark).split(b"\n")
            pieces, mark = [], b""
        pieces.append(tail)
    if last := b"".join(pieces).removeprefix(mark):
        yield [last]


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
