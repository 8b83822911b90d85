"""Runs stages (trawl.stages) in Ray Data, over datasets that are spread over a cluster.

A stage goes into Ray's object store once, with the plan's patterns and options; each worker compiles the
plan. A worker is an actor with `cpus` cores or, with engine="cuda", a GPU.

    import ray, trawl, trawl.ray
    texts = ray.data.read_parquet("s3://bucket/documents")
    plan = trawl.Plan(open_list_of_patterns)
    found = trawl.ray.filter(texts, plan, "text")
    trawl.ray.count(texts, plan, "text")

A Collection holds files in the memory of a cluster, for many searches:

    with trawl.ray.Collection(["/shared/tree"]) as collection:
        collection.count(plan)
"""

from __future__ import annotations

import codecs
import copy
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._shards import Collection as Collection
from ._shards import nodes_for
from ._trawl import Plan
from .stages import COUNTERS, ERROR_COLUMN, Stage, json_text

if TYPE_CHECKING:
    import pyarrow


class Metrics:
    """Ray metrics for the counters of a stage, tagged with the stage's kind and column: trawl_records,
    trawl_nulls, trawl_found, trawl_bad and trawl_bytes."""

    def __init__(self, stage: Stage) -> None:
        from ray.util.metrics import Counter

        self.tags = {"kind": stage.kind, "column": stage.column}
        self.counters = {
            name: Counter(f"trawl_{name}", f"trawl: {name}", tuple(self.tags)) for name in COUNTERS
        }

    def __call__(self, added: dict[str, int]) -> None:
        for name, value in added.items():
            if value > 0:  # Ray refuses to add 0
                self.counters[name].inc(value, self.tags)


class Worker:
    """An actor of Ray Data, which runs a stage on a table at a time."""

    def __init__(self, stage: Any) -> None:
        import ray

        self.stage = ray.get(stage[0])
        if self.stage.tell is None:
            self.stage.tell = Metrics(self.stage)
        self.stage.warm()

    def __call__(self, table: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        if self.stage.kind == "count":
            self.stage.clear()  # the row counts this table alone
        parts: list[pyarrow.RecordBatch] = []
        for batch in table.combine_chunks().to_batches():
            parts += self.stage.take(batch)
        if self.stage.kind == "count":
            parts = [self.stage.summary()]
        if not parts:  # every record was bad
            parts = self.stage.empty(table.schema)
        return pyarrow.Table.from_batches(parts)


def run(
    dataset: Any,
    plan: Plan,
    column: str,
    kind: str,
    *,
    workers: int | tuple[int, int] | None = None,
    cpus: int = 1,
    batch_rows: int | None = None,
    keep_order: bool = False,
    **options: Any,
) -> Any:
    """Run Stage(plan, column, kind, **options) over a dataset; see run_stage for the options."""
    stage = Stage(plan, column, kind, **options)
    return run_stage(
        dataset, stage, workers=workers, cpus=cpus, batch_rows=batch_rows, keep_order=keep_order
    )


def run_stage(
    dataset: Any,
    stage: Stage,
    *,
    workers: int | tuple[int, int] | None = None,
    cpus: int = 1,
    batch_rows: int | None = None,
    keep_order: bool = False,
) -> Any:
    """Run a stage over a dataset, and return the resulting dataset.

    workers: the number of actors, or a range of numbers. The default is a range: Ray starts an actor,
    and more actors while tables wait, up to the cores (or GPUs) of the cluster.
    cpus: the cores of each actor, and the number of threads unless the stage sets threads. Reading runs
    in tasks of its own, for which the actors leave a core (see claim_of).
    ValueError: the nodes have no room for so many actors.
    batch_rows: how many records a worker gets at a time; None: whole blocks of the dataset.
    keep_order: keep the dataset's order. The setting is stored in the dataset's context, which the
    dataset shares with its sources and with datasets derived from it.
    The workers' counters become Ray metrics (see Metrics), unless the stage has its own `tell`.
    """
    import ray

    if keep_order:
        if not hasattr(dataset, "context"):
            raise RuntimeError("keep_order: datasets of this version of Ray have no context")
        dataset.context.execution_options.preserve_order = True
    gpus = int(stage.engine == "cuda")
    least, most = workers if isinstance(workers, tuple) else (workers or 1, workers)
    nodes = nodes_for(least, 0 if gpus else cpus, gpus)
    if most is None:
        most = max(1, sum(node["actors"] for node in nodes) - 1 + gpus)
    if gpus:
        resources: dict[str, Any] = {"num_gpus": 1, "num_cpus": 0}
    else:
        resources = {"num_cpus": claim_of(least, cpus, [node.get("CPU", 0) for node in nodes])}
        stage = copy.copy(stage)
        stage.engine, stage.threads = "cpu", stage.threads or cpus
    # Ray passes on a reference inside a list; a bare reference would be replaced by the object.
    return dataset.map_batches(
        Worker,
        batch_size=batch_rows,
        batch_format="pyarrow",
        zero_copy_batch=True,
        compute=ray.data.ActorPoolStrategy(min_size=least, max_size=most),
        fn_constructor_args=([ray.put(stage)],),
        **resources,
    )


def claim_of(actors: int, cpus: int, cores: list[float]) -> float:
    """Return how many cores each actor claims from Ray: nearly `cpus`, or less. On one of the nodes with
    these cores a core has to stay free for reading, wherever Ray puts the actors: Ray would start the
    actors first, and wait without end for a core that can read. Ray moves the reading into actors that
    claim a whole core, as tasks that read do; no claim is a whole core."""
    for part in (1, 2, 4, 8):
        claim = round((cpus - 0.001) / part, 3)
        if actors < sum((has - 1) // claim + 1 for has in cores):
            return claim
    return 0


def contains(dataset: Any, plan: Plan, column: str, **options: Any) -> Any:
    """Add a column `contains`: does any pattern occur in the record?"""
    return run(dataset, plan, column, "contains", **options)


def filter(dataset: Any, plan: Plan, column: str, **options: Any) -> Any:
    """Keep the records in which a pattern occurs or, with invert=True, no pattern occurs."""
    return run(dataset, plan, column, "filter", **options)


def matrix(
    dataset: Any, plan: Plan, column: str, *, keep: Iterable[str] = (), **options: Any
) -> Any:
    """Return a row for each pair of a record and a pattern that occurs there: the record's columns
    `keep`, record, pattern, begin. The column `record` counts only the records of one worker, so keep a
    column that identifies the record."""
    return run(dataset, plan, column, "cells", keep=list(keep), **options)


def count(dataset: Any, plan: Plan, column: str, **options: Any) -> dict[str, Any]:
    """Count the records: all (records), null (nulls), with a pattern (found), not searchable (bad), the
    bytes, and for each pattern the records that contain the pattern (pattern_records)."""
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
    """Read a text field of JSON lines, and return two datasets, (records, bad).

    Lines that are no JSON object with that field, or whose text is not UTF-8, go to `bad`, with the
    reason in `trawl_error`. Both datasets have the columns `path` and `line`, the line's bytes. Options
    are those of ray.data.read_binary_files.
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
    """Turn files' paths and bytes into the columns path, line and text or, for bad lines, into path, line
    and the reason."""
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
