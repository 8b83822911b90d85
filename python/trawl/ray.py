"""Stages for Ray Data: the same searches over datasets that are spread over a cluster.

A stage, with its plan's patterns and options, goes into Ray's object store once, and each worker compiles
the plan from there. A worker is an actor with `cpus` cores, or with one GPU where engine="cuda".

    import ray, trawl, trawl.ray
    texts = ray.data.read_parquet("s3://bucket/documents")
    plan = trawl.Plan(open_list_of_patterns)
    found = trawl.ray.filter(texts, plan, "text")
    trawl.ray.count(texts, plan, "text")

A Collection holds files in the memory of a cluster, for many searches of them:

    with trawl.ray.Collection(["/shared/tree"], shards=8, cpus=16) as collection:
        collection.count(plan)
"""

from __future__ import annotations

import codecs
import copy
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._shards import Collection as Collection
from ._trawl import Plan
from .stages import COUNTERS, ERROR_COLUMN, Stage, json_text

if TYPE_CHECKING:
    import pyarrow


class Metrics:
    """Counters of Ray, one for each counter of a stage, by the stage's kind and column: trawl_records,
    trawl_nulls, trawl_found, trawl_bad, trawl_bytes."""

    def __init__(self, stage: Stage) -> None:
        from ray.util.metrics import Counter

        self.tags = {"kind": stage.kind, "column": stage.column}
        self.counters = {
            name: Counter(f"trawl_{name}", f"trawl: {name}", tuple(self.tags)) for name in COUNTERS
        }

    def __call__(self, added: dict[str, int]) -> None:
        for name, value in added.items():
            if value > 0:  # Ray refuses others
                self.counters[name].inc(value, self.tags)


class Worker:
    """An actor of Ray Data: a stage that is given a table at a time."""

    def __init__(self, stage: Any) -> None:
        import ray

        self.stage = ray.get(stage[0])
        if self.stage.tell is None:
            self.stage.tell = Metrics(self.stage)
        self.stage.warm()

    def __call__(self, table: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        if self.stage.kind == "count":
            self.stage.clear()  # the row is of this table alone
        parts: list[pyarrow.RecordBatch] = []
        for batch in table.combine_chunks().to_batches():
            parts += self.stage.take(batch)
        if self.stage.kind == "count":
            parts = [self.stage.summary()]
        if not parts:  # all were bad
            parts = self.stage.empty(table.schema)
        return pyarrow.Table.from_batches(parts)


def run(
    dataset: Any,
    plan: Plan,
    column: str,
    kind: str,
    *,
    workers: int | tuple[int, int] = 1,
    cpus: int = 1,
    batch_rows: int | None = None,
    keep_order: bool = False,
    **options: Any,
) -> Any:
    """The dataset that Stage(plan, column, kind, **options) makes of a dataset: see run_stage."""
    stage = Stage(plan, column, kind, **options)
    return run_stage(
        dataset, stage, workers=workers, cpus=cpus, batch_rows=batch_rows, keep_order=keep_order
    )


def run_stage(
    dataset: Any,
    stage: Stage,
    *,
    workers: int | tuple[int, int] = 1,
    cpus: int = 1,
    batch_rows: int | None = None,
    keep_order: bool = False,
) -> Any:
    """The dataset that a stage makes of a dataset. The stage goes into Ray's object store once.

    workers: how many actors, or between which numbers; cpus: cores of each, which search together,
    where the stage does not say how many threads do.
    batch_rows: records that a worker is given at a time; None: as the dataset's blocks are.
    keep_order: the records come in the dataset's order. It is set in the dataset's own context, which
    datasets that it was made of, or is made into, share.
    What the workers count are metrics of Ray (see Metrics), unless the stage has a `tell` of its own.
    """
    import ray

    least, most = workers if isinstance(workers, tuple) else (workers, workers)
    if keep_order:
        if not hasattr(dataset, "context"):
            raise RuntimeError("keep_order: datasets of this version of Ray have no context")
        dataset.context.execution_options.preserve_order = True
    if stage.engine == "cuda":
        resources: dict[str, Any] = {"num_gpus": 1}
    else:
        resources = {"num_cpus": cpus}
        stage = copy.copy(stage)
        stage.engine, stage.threads = "cpu", stage.threads or cpus
    # In a list, the reference is passed on as it is.
    return dataset.map_batches(
        Worker,
        batch_size=batch_rows,
        batch_format="pyarrow",
        zero_copy_batch=True,
        compute=ray.data.ActorPoolStrategy(min_size=least, max_size=most),
        fn_constructor_args=([ray.put(stage)],),
        **resources,
    )


def contains(dataset: Any, plan: Plan, column: str, **options: Any) -> Any:
    """The dataset with a column `contains`: does any pattern occur in the record?"""
    return run(dataset, plan, column, "contains", **options)


def filter(dataset: Any, plan: Plan, column: str, **options: Any) -> Any:
    """The records in which a pattern occurs; with invert=True, in which none does."""
    return run(dataset, plan, column, "filter", **options)


def matrix(
    dataset: Any, plan: Plan, column: str, *, keep: Iterable[str] = (), **options: Any
) -> Any:
    """A row for each pair of a record and a pattern that occurs in it: the record's columns `keep`,
    pattern, begin. (The column `record` counts in what one worker was given: keep a key.)"""
    return run(dataset, plan, column, "cells", keep=list(keep), **options)


def count(dataset: Any, plan: Plan, column: str, **options: Any) -> dict[str, Any]:
    """How many records there are, were null, held a pattern, were bad; their bytes; and in
    `pattern_records` in how many records each pattern occurs."""
    total: dict[str, Any] = {}
    for row in run(dataset, plan, column, "count", **options).iter_rows():
        for key, value in row.items():
            if key == "pattern_records":
                before = total.get(key, [0] * len(value))
                total[key] = [a + b for a, b in zip(before, value)]
            else:
                total[key] = total.get(key, 0) + value
    return total


def read_json_lines(paths: Any, field: str, **options: Any) -> tuple[Any, Any]:
    """(records, bad): the texts of a field of JSON objects, one in each line, as datasets. Lines that
    are no such object, or whose text is not UTF-8, are set apart with the reason in `trawl_error`.
    Both have the columns `path` and `line`, the line's bytes. Options are those of read_binary_files.
    """
    import ray

    read: Any = ray.data.read_binary_files(paths, include_paths=True, **options)
    good, bad = (
        read.map_batches(
            parse_lines, batch_size=1, batch_format="pyarrow", fn_args=(field, wanted)
        )
        for wanted in (False, True)
    )
    return good, bad


def parse_lines(table: pyarrow.Table, field: str, bad: bool) -> pyarrow.Table:
    """Of files' paths and bytes, columns path, line, and the field's text; or, of bad lines, what is
    wrong with each."""
    import pyarrow
    import pyarrow.compute as compute

    places: list[tuple[str, bytes]] = []
    for file in table.to_pylist():
        lines = file["bytes"].removeprefix(codecs.BOM_UTF8).split(b"\n")
        places += [(file["path"], line) for line in (lines if lines[-1] else lines[:-1])]
    parsed = [json_text(line, field) for _, line in places]
    what = pyarrow.array([error for _, error in parsed], pyarrow.string())
    columns = {
        "path": pyarrow.array([path for path, _ in places], pyarrow.string()),
        "line": pyarrow.array([line for _, line in places], pyarrow.large_binary()),
    }
    if bad:
        columns[ERROR_COLUMN] = what
    else:
        columns[field] = pyarrow.array([text for text, _ in parsed], pyarrow.large_string())
    return pyarrow.table(columns).filter(compute.is_valid(what) if bad else compute.is_null(what))
