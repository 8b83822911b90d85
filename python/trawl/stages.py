"""Searches of tables, batch by batch: Iterator[RecordBatch] -> Iterator[RecordBatch].

A Stage is a function from record batches to record batches. A Stage can be pickled, so Spark's mapInArrow
takes a Stage directly, and trawl.ray runs a Stage in a cluster. This module needs pyarrow.

>>> pyarrow = __import__("pytest").importorskip("pyarrow")
>>> table = pyarrow.table({"id": [1, 2, 3], "text": ["a secret", None, "nothing"]})
>>> stage = Stage(Plan("secret"), "text", "filter")
>>> [batch.to_pydict() for batch in stage(table.to_batches())]
[{'id': [1], 'text': ['a secret']}]
>>> stage.counters["records"], stage.counters["found"]
(3, 1)
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ._trawl import Plan, Searcher

if TYPE_CHECKING:
    import pyarrow

COUNTERS = ("records", "nulls", "found", "bad", "bytes")
KINDS = (
    "contains", "which", "pattern_counts", "pattern_lists", "filter", "cells", "matches", "count"
)  # fmt: skip
ERROR_COLUMN = "trawl_error"


class SparkCounters:
    """Collects the counters of all tasks in Spark's driver: Stage(..., tell=SparkCounters(context)).

    values() returns the sums. If Spark runs a task again, the task's records count again.
    """

    def __init__(self, context: Any) -> None:
        self._sums = {name: context.accumulator(0) for name in COUNTERS}

    def __call__(self, added: dict[str, int]) -> None:
        for name, value in added.items():
            self._sums[name].add(value)

    def values(self) -> dict[str, int]:
        return {name: total.value for name, total in self._sums.items()}


class Stage:
    """A search of a column of a table, batch by batch.

    kind: the output.
      contains, which, pattern_counts, pattern_lists   the table, with a new last column of that name
      filter     the records in which a pattern occurs or, with invert=True, no pattern occurs
      cells      a row for each pair of a record and a pattern that occurs there: the record's columns
                 `keep`, then record (counted from 0 in this stage's input), pattern, begin
      matches    a row for each occurrence: the columns `keep`, then record, begin, end, pattern; with
                 errors also distance, with the alphabet 'dna' also strand
      count      a single row at the end: records, nulls, found, bytes, bad, and pattern_records, a list
                 with the number of records for each pattern
    name: the new column's name, instead of the kind.
    engine, threads: see Searcher. threads=0 in a Spark task: the task's cores (spark.task.cpus).
    errors: "raise", or "apart", which leaves out records that cannot be searched. Each (record, message)
      then goes to the list `bad`, and to the function `report` if given.
    signed: use int64 and Arrow's list, as Spark needs, instead of uint64 and large_list.
    tell: a function that gets each batch's increments of the counters, in the searching process.
    counters: the numbers of records, of nulls, of records with a pattern (found), of records that could
      not be searched (bad), and the number of bytes.
    """

    kinds: tuple[str, ...] = KINDS

    def __init__(
        self,
        plan: Plan,
        column: str,
        kind: str = "contains",
        *,
        name: str | None = None,
        keep: Iterable[str] = (),
        invert: bool = False,
        engine: str = "auto",
        threads: int = 0,
        errors: str = "raise",
        report: Callable[[int, str], object] | None = None,
        signed: bool = False,
        tell: Callable[[dict[str, int]], object] | None = None,
    ) -> None:
        if kind not in self.kinds:
            raise ValueError(f"kind: one of {', '.join(self.kinds)} is needed, not {kind!r}")
        if errors not in ("raise", "apart"):
            raise ValueError(f"errors: 'raise' or 'apart' is needed, not {errors!r}")
        self.plan = plan
        self.column = column
        self.kind = kind
        self.name = name or kind
        self.keep = list(keep)
        self.invert = invert
        self.engine = engine
        self.threads = threads
        self.errors = errors
        self.report = report
        self.signed = signed
        self.tell = tell
        self._searcher: Searcher | None = None
        self.clear()

    def clear(self) -> None:
        """Reset the counters to 0."""
        self.counters = dict.fromkeys(COUNTERS, 0)
        self.pattern_records = [0] * (len(self.plan) if self.kind == "count" else 0)
        self.bad: list[tuple[int, str]] = []

    def warm(self) -> None:
        """Open the searcher and read the plan's memory, so that the first batch need not wait."""
        import pyarrow
        import pyarrow.compute  # noqa: F401  (importing takes a second)

        self._search("contains", pyarrow.array(["a" * 4096] * 256))

    def __getstate__(self) -> dict[str, Any]:
        own = ("counters", "pattern_records", "bad", "_searcher")
        return {key: value for key, value in self.__dict__.items() if key not in own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._searcher = None
        self.clear()

    def __call__(self, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            yield from self.take(batch)
        if self.kind == "count":
            yield self.summary()

    def take(self, batch: pyarrow.RecordBatch) -> Iterator[pyarrow.RecordBatch]:
        """Yield the output for a batch. `count` has no output before summary()."""
        first = self.counters["records"]
        for part, begin in self._sound_parts(batch, first):
            yield from self._answer(part, begin)

    def empty(self, schema: pyarrow.Schema) -> list[pyarrow.RecordBatch]:
        """Return the output for an empty batch, even if records of this schema cannot be searched."""
        import pyarrow

        found = self._search(self._kind(), pyarrow.array([], pyarrow.string()))
        return list(self._answer((pyarrow.RecordBatch.from_pylist([], schema), found), 0))

    def summary(self) -> pyarrow.RecordBatch:
        """Return the row of `count`, for all batches since clear()."""
        import pyarrow

        row: dict[str, Any] = {key: [value] for key, value in self.counters.items()}
        row["pattern_records"] = pyarrow.array(
            [self.pattern_records], pyarrow.list_(pyarrow.uint64())
        )
        return self._typed(pyarrow.record_batch(row))

    # ---- One batch ----

    def _kind(self) -> str:
        """Return the name of the search that this kind of stage runs."""
        return {"filter": "contains", "count": "cells"}.get(self.kind, self.kind)

    def _opened(self) -> Searcher:
        if self._searcher is None:
            # In a Spark task, 0 threads means the cores of the task.
            spark: Any = sys.modules.get("pyspark")
            task = spark and spark.TaskContext.get()
            threads = self.threads or (task.cpus() if task else 0)
            self._searcher = Searcher(self.engine, threads)  # type: ignore[arg-type]
        return self._searcher

    def _search(self, kind: str, column: Any) -> Any:
        name = {"matches": "match_lists"}.get(kind, kind)
        return getattr(self._opened(), name)(self.plan, column)

    def _sound_parts(
        self, batch: pyarrow.RecordBatch, first: int
    ) -> Iterator[tuple[tuple[pyarrow.RecordBatch, Any], int]]:
        """Yield slices of the batch that can be searched, with the results."""
        try:
            found = self._search(self._kind(), batch.column(self.column))
        except Exception as error:
            if self.errors == "raise" or self.column not in batch.schema.names:
                raise
            if batch.num_rows == 1:
                self._set_apart(first, error)
            if batch.num_rows <= 1:
                return
            half = batch.num_rows // 2
            yield from self._sound_parts(batch.slice(0, half), first)
            yield from self._sound_parts(batch.slice(half), first + half)
            return
        yield (batch, found), first

    def _set_apart(self, record: int, error: Exception) -> None:
        message = f"{type(error).__name__}: {error}"
        self._add(records=1, bad=1)
        self.bad.append((record, message))
        if self.report is not None:
            self.report(record, message)

    def _add(self, **more: int) -> None:
        for key, value in more.items():
            self.counters[key] += value
        if self.tell is not None:
            self.tell(more)

    def _add_batch(self, batch: pyarrow.RecordBatch, found: int) -> None:
        column = batch.column(self.column)
        self._add(
            records=batch.num_rows, nulls=column.null_count, found=found, bytes=column.nbytes
        )

    def _answer(
        self, part: tuple[pyarrow.RecordBatch, Any], first: int
    ) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow
        import pyarrow.compute as compute

        batch, found = part
        if self.kind in ("cells", "count"):
            cells = pyarrow.record_batch(found)
            self._add_batch(batch, compute.count_distinct(cells.column("record")).as_py())
            if self.kind == "cells":
                named = {name: cells.column(name) for name in ("pattern", "begin")}
                yield self._typed(self._rows(batch, cells.column("record"), first, named))
            else:
                for row in compute.value_counts(cells.column("pattern")).to_pylist():
                    self.pattern_records[row["values"]] += row["counts"]
            return
        answer = pyarrow.array(found)
        if self.kind == "matches":
            rows, flat = compute.list_parent_indices(answer), compute.list_flatten(answer)
            self._add_batch(batch, compute.count_distinct(rows).as_py())
            named = dict(zip([one.name for one in flat.type], flat.flatten()))
            if "strand" in named:
                named["strand"] = named["strand"].cast(pyarrow.string())
            yield self._typed(self._rows(batch, rows.cast("uint64"), first, named))
            return
        self._add_batch(batch, self._hits(answer))
        if self.kind == "filter":
            yield chosen(batch, compute.invert(answer) if self.invert else answer)
        else:
            names = [*batch.schema.names, self.name]
            yield self._typed(pyarrow.record_batch([*batch.columns, answer], names=names))

    def _typed(self, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        """Return the batch with the types that `signed` asks for."""
        import pyarrow

        number, signed = pyarrow.uint64(), pyarrow.int64()
        types = {
            number: signed,
            pyarrow.list_(number): pyarrow.list_(signed),
            pyarrow.large_list(number): pyarrow.list_(signed),
        }
        if not self.signed:
            return batch
        columns = [column.cast(types.get(column.type, column.type)) for column in batch.columns]
        return pyarrow.record_batch(columns, names=batch.schema.names)

    def _rows(
        self, batch: pyarrow.RecordBatch, rows: Any, first: int, named: dict[str, Any]
    ) -> pyarrow.RecordBatch:
        """Return the columns `keep` of these rows' records, and the results in each row."""
        import pyarrow
        import pyarrow.compute as compute

        kept = [taken(batch.column(name), rows) for name in self.keep]
        records = compute.add(rows, pyarrow.scalar(first, pyarrow.uint64()))
        columns = [*kept, records, *named.values()]
        return pyarrow.record_batch(columns, names=[*self.keep, "record", *named])

    def _hits(self, answer: Any) -> int:
        import pyarrow.compute as compute

        if self.kind in ("contains", "filter"):
            return int(compute.sum(answer).as_py() or 0)
        if self.kind == "which":
            return int(len(answer) - answer.null_count)
        sizes = compute.list_value_length(answer) if self.kind == "pattern_lists" else answer
        return int(compute.sum(compute.greater(sizes, 0)).as_py() or 0)


def taken(column: Any, rows: Any) -> Any:
    """Return these rows of a column. pyarrow takes no rows of a column of views: then this function
    takes the rows' views, 16 bytes each, and the strings stay where they are."""
    import pyarrow

    if not str(column.type).endswith("_view"):
        return column.take(rows)
    _, views, *strings = column.buffers()
    fixed = pyarrow.Array.from_buffers(
        pyarrow.binary(16), len(column), [None, views], offset=column.offset
    )
    buffers = [column.is_valid().take(rows).buffers()[1], fixed.take(rows).buffers()[1], *strings]
    return pyarrow.Array.from_buffers(column.type, len(rows), buffers)


def chosen(batch: pyarrow.RecordBatch, answer: Any) -> pyarrow.RecordBatch:
    """Return the records of a batch whose answer is true."""
    import pyarrow
    import pyarrow.compute as compute

    rows = compute.indices_nonzero(answer)
    columns = [taken(column, rows) for column in batch.columns]
    return pyarrow.record_batch(columns, schema=batch.schema)


def json_text(line: bytes, field: str) -> tuple[str | None, str | None]:
    """Return (text, None) for a JSON object with the field, or (None, the fault) for another line."""
    try:
        text = json.loads(line.decode())[field]
        if isinstance(text, str):
            text.encode()  # raises an error for a lone surrogate
        elif text is not None:
            return None, f"{field} is no string"
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        return None, f"{type(fault).__name__}: {fault}"
    return text, None
