"""Stages for Ray Data: the same searches over datasets that are spread over a cluster.

The patterns and options of a plan go into Ray's object store once, and each worker compiles them from
there. A worker is an actor with `cpus` cores, or with one GPU where engine="cuda".

    import ray, trawl, trawl.ray
    texts = ray.data.read_parquet("s3://bucket/documents")
    plan = trawl.Plan(open_list_of_patterns)
    found = trawl.ray.filter(texts, plan, "text")
    trawl.ray.count(texts, plan, "text")
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._trawl import Plan
from .stages import ERROR_COLUMN, Stage

if TYPE_CHECKING:
    import pyarrow


class Worker:
    """An actor of Ray Data: a stage that is given a table at a time."""

    def __init__(self, plan: Any, column: str, kind: str, options: dict[str, Any]) -> None:
        import ray

        self.stage = Stage(ray.get(plan[0]), column, kind, **options)
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
    """The dataset that a stage makes of a dataset; options are those of Stage.

    workers: how many actors, or between which numbers; cpus: cores of each, which search together.
    batch_rows: records that a worker is given at a time; None: as the dataset's blocks are.
    keep_order: the records come in the dataset's order. It is set in the dataset's own context, which
    datasets that it was made of, or is made into, share.
    """
    import ray

    least, most = workers if isinstance(workers, tuple) else (workers, workers)
    if keep_order:
        if not hasattr(dataset, "context"):
            raise RuntimeError("keep_order: datasets of this version of Ray have no context")
        dataset.context.execution_options.preserve_order = True
    if options.get("engine") == "cuda":
        resources: dict[str, Any] = {"num_gpus": 1}
    else:
        resources = {"num_cpus": cpus}
        options.setdefault("engine", "cpu")
        options.setdefault("threads", cpus)
    # In a list, the reference is passed on as it is.
    return dataset.map_batches(
        Worker,
        batch_size=batch_rows,
        batch_format="pyarrow",
        zero_copy_batch=True,
        compute=ray.data.ActorPoolStrategy(min_size=least, max_size=most),
        fn_constructor_args=([ray.put(plan)], column, kind, options),
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
    texts: list[str | None] = []
    errors: list[str | None] = []
    for _, line in places:
        text, error = None, None
        try:
            text = json.loads(line.decode())[field]
            if isinstance(text, str):
                text.encode()  # no half of a character
            elif text is not None:
                text, error = None, f"{field} is no string"
        except (ValueError, KeyError, TypeError, RecursionError) as fault:
            text, error = None, f"{type(fault).__name__}: {fault}"
        texts.append(text)
        errors.append(error)
    what = pyarrow.array(errors, pyarrow.string())
    columns = {
        "path": pyarrow.array([path for path, _ in places], pyarrow.string()),
        "line": pyarrow.array([line for _, line in places], pyarrow.large_binary()),
    }
    if bad:
        columns[ERROR_COLUMN] = what
    else:
        columns[field] = pyarrow.array(texts, pyarrow.large_string())
    return pyarrow.table(columns).filter(compute.is_valid(what) if bad else compute.is_null(what))
