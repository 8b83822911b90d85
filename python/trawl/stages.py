"""Searches of tables, batch by batch: Iterator[RecordBatch] -> Iterator[RecordBatch].

A Stage is such a function. It can be pickled, so Spark's mapInArrow takes it as it is, trawl.ray runs
it in a cluster, and a loop over a Parquet file needs nothing else. It needs pyarrow.

>>> pyarrow = __import__("pytest").importorskip("pyarrow")
>>> table = pyarrow.table({"id": [1, 2, 3], "text": ["a secret", None, "nothing"]})
>>> stage = Stage(Plan("secret"), "text", "filter")
>>> [batch.to_pydict() for batch in stage(table.to_batches())]
[{'id': [1], 'text': ['a secret']}]
>>> stage.counters["records"], stage.counters["found"]
(3, 1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ._trawl import Plan, Searcher

if TYPE_CHECKING:
    import pyarrow

KINDS = ("contains", "which", "pattern_counts", "pattern_lists", "filter", "cells", "count")
ERROR_COLUMN = "trawl_error"


class Stage:
    """A search of one column of a table, batch by batch.

    kind: what comes out.
      contains, which, pattern_counts, pattern_lists   the table, and a column of that name after it
      filter     the records in which a pattern occurs; with invert=True, in which none does
      cells      a row for each pair of a record and a pattern that occurs in it: the columns `keep`
                 of the record, then record (counted from 0 in what this stage was given), pattern,
                 begin
      count      one row in the end: records, nulls, found, bytes, bad, and pattern_records, a list
                 of how many records each pattern occurs in
    name: of the new column, if not that of the kind.
    engine, threads: as in Searcher.
    errors: "raise", or "apart": where a batch cannot be searched, those of its records that cannot
      be searched alone are left out, and what was wrong with them goes to `bad`, which is a list of
      (record, message), and to `report` if that is a function.
    signed: whole numbers come as int64, and lists as Arrow's list, since Spark has no others; else as
      uint64 and large_list.
    counters: how many records were seen, were null, held a pattern, were bad; and their bytes.
    """

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
    ) -> None:
        if kind not in KINDS:
            raise ValueError(f"kind: one of {', '.join(KINDS)} is needed, not {kind!r}")
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
        self._searcher: Searcher | None = None
        self.clear()

    def clear(self) -> None:
        """Count from 0 again."""
        self.counters = {"records": 0, "nulls": 0, "found": 0, "bad": 0, "bytes": 0}
        self.pattern_records = [0] * (len(self.plan) if self.kind == "count" else 0)
        self.bad: list[tuple[int, str]] = []

    def warm(self) -> None:
        """Do now what the first batch would wait for: open the searcher, read the plan's memory."""
        import pyarrow
        import pyarrow.compute  # noqa: F401  (a second)

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
        """What comes of one batch; of `count` that is nothing before summary()."""
        first = self.counters["records"]
        for part, begin in self._sound_parts(batch, first):
            yield from self._answer(part, begin)

    def empty(self, schema: pyarrow.Schema) -> list[pyarrow.RecordBatch]:
        """What comes of a batch without records, also where those of this schema cannot be searched."""
        import pyarrow

        found = self._search(self._kind(), pyarrow.array([], pyarrow.string()))
        return list(self._answer((pyarrow.RecordBatch.from_pylist([], schema), found), 0))

    def summary(self) -> pyarrow.RecordBatch:
        """The row of `count`, of all batches that were taken."""
        import pyarrow

        row: dict[str, Any] = {key: [value] for key, value in self.counters.items()}
        row["pattern_records"] = pyarrow.array(
            [self.pattern_records], pyarrow.list_(pyarrow.uint64())
        )
        return self._typed(pyarrow.record_batch(row))

    # ---- One batch ----

    def _kind(self) -> str:
        """The search that it takes."""
        return {"filter": "contains", "count": "cells"}.get(self.kind, self.kind)

    def _search(self, kind: str, column: Any) -> Any:
        if self._searcher is None:
            self._searcher = Searcher(self.engine, self.threads)  # type: ignore[arg-type]
        return getattr(self._searcher, kind)(self.plan, column)

    def _sound_parts(
        self, batch: pyarrow.RecordBatch, first: int
    ) -> Iterator[tuple[tuple[pyarrow.RecordBatch, Any], int]]:
        """Slices of the batch that can be searched, with what was found."""
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
        self.counters["bad"] += 1
        self.counters["records"] += 1
        self.bad.append((record, message))
        if self.report is not None:
            self.report(record, message)

    def _answer(
        self, part: tuple[pyarrow.RecordBatch, Any], first: int
    ) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow
        import pyarrow.compute as compute

        batch, found = part
        column = batch.column(self.column)
        self.counters["records"] += batch.num_rows
        self.counters["nulls"] += column.null_count
        self.counters["bytes"] += column.nbytes
        if self.kind in ("cells", "count"):
            cells = pyarrow.record_batch(found)
            self.counters["found"] += compute.count_distinct(cells.column("record")).as_py()
            if self.kind == "cells":
                yield self._typed(self._cells(batch, cells, first))
            else:
                for row in compute.value_counts(cells.column("pattern")).to_pylist():
                    self.pattern_records[row["values"]] += row["counts"]
            return
        answer = pyarrow.array(found)
        self.counters["found"] += self._hits(answer)
        if self.kind == "filter":
            yield batch.filter(compute.invert(answer) if self.invert else answer)
        else:
            names = [*batch.schema.names, self.name]
            yield self._typed(pyarrow.record_batch([*batch.columns, answer], names=names))

    def _typed(self, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        """The batch with the types that `signed` asks for."""
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

    def _cells(
        self, batch: pyarrow.RecordBatch, cells: pyarrow.RecordBatch, first: int
    ) -> pyarrow.RecordBatch:
        import pyarrow
        import pyarrow.compute as compute

        rows = cells.column("record")
        kept = [batch.column(name).take(rows) for name in self.keep]
        records = compute.add(rows, pyarrow.scalar(first, pyarrow.uint64()))
        columns = [*kept, records, cells.column("pattern"), cells.column("begin")]
        return pyarrow.record_batch(columns, names=[*self.keep, "record", "pattern", "begin"])

    def _hits(self, answer: Any) -> int:
        import pyarrow.compute as compute

        if self.kind in ("contains", "filter"):
            return int(compute.sum(answer).as_py() or 0)
        if self.kind == "which":
            return int(len(answer) - answer.null_count)
        sizes = compute.list_value_length(answer) if self.kind == "pattern_lists" else answer
        return int(compute.sum(compute.greater(sizes, 0)).as_py() or 0)
