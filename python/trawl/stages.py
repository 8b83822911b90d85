"""Searches of tables batch by batch, in one process or in a cluster.

A Stage is a function from record batches to record batches, and can be pickled: trawl.ray and trawl.spark run stages in
a cluster. This module needs pyarrow.

>>> import pyarrow
>>> table = pyarrow.table({"id": [1, 2, 3], "text": ["a secret", None, "nothing"]})
>>> stage = Stage(Plan("secret"), "text", "filter")
>>> [batch.to_pydict() for batch in stage(table.to_batches())]
[{'id': [1], 'text': ['a secret']}]
>>> stage.counters["records"], stage.counters["found"]
(3, 1)
"""

from __future__ import annotations

import codecs
import copy
import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ._sources import plan_of, several
from ._trawl import Plan, Searcher  # noqa: F401  (Plan: for the examples)

if TYPE_CHECKING:
    import pyarrow

COUNTERS = ("records", "nulls", "found", "bad", "bytes")
PART_BYTES = 4 << 20  # of a file of lines that are read at a time


class Kind(NamedTuple):
    """A kind of stage. search: the method of Searcher that the stage calls. output: how the stage turns the answer into
    output, see Stage._answer. found: the name of the rule that says whether a record of the answer has an occurrence, see
    Stage._hits. options: the options of Stage that the method accepts."""

    search: str
    output: str
    found: str = ""
    options: tuple[str, ...] = ()


KINDS = {
    "contains": Kind("contains", "column", "true"), "which": Kind("which", "column", "valid"),
    "pattern_counts": Kind("pattern_counts", "column", "positive"),
    "match_counts": Kind("match_counts", "column", "positive", ("match",)),
    "pattern_lists": Kind("pattern_lists", "column", "some"), "split": Kind("split", "column", "several", ("match",)),
    "replace": Kind("replace", "text", "contained", ("values", "match")),
    "mask": Kind("mask", "text", "contained", ("mask", "match")), "filter": Kind("contains", "records", "true"),
    "cells": Kind("cells", "rows"), "matches": Kind("match_lists", "rows", options=("match",)),
    "count": Kind("cells", "summary"),
}  # fmt: skip
ERROR_COLUMN = "trawl_error"


class SparkCounters:
    """Collects the counters of all tasks in Spark's driver: Stage(..., tell=SparkCounters(context)).

    values() returns the sums. If Spark repeats a task, its records count again.
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
      contains, which, pattern_counts, match_counts, pattern_lists, split:
                      the table, with a new last column of that name
      replace, mask   the table with the rewritten texts in place of the column or, with name=, with a new last column
      filter          the records in which a pattern occurs or, with invert=True, no pattern occurs; without nulls
      cells           a row for each pair of a record and a pattern that occurs in it: the record's columns
                      `keep`, then record (counted from 0 in this stage's input), pattern, begin
      matches         a row for each occurrence: the columns `keep`, then record, begin, end, pattern; with
                      errors also distance, with the alphabet 'dna' also strand
      count           a single row at the end: records, nulls, found, bytes, bad, and pattern_records, a list
                      with the number of records for each pattern
    match: of match_counts, matches, replace, mask and split, see Plan.matches and Plan.replace.
    values, mask: see Plan.replace and Plan.mask.
    name: the new column's name, instead of the kind.
    engine, threads: see Searcher. threads=0 in a Spark task: the task's cores (spark.task.cpus).
    errors: "raise", or "apart", which skips records that cannot be searched. Each (record, message)
      then goes to the list `bad`, and to the function `report` if given.
    signed: use int64 and Arrow's list, as Spark needs, instead of uint64 and large_list.
    tell: a function called with each batch's increments of the counters, in the searching process.
    counters: the numbers of records, of nulls, of records with a pattern (found), of records that could
      not be searched (bad), and the number of bytes.
    """

    kinds: Collection[str] = KINDS

    def __init__(
        self,
        plan: Any,
        column: str,
        kind: str = "contains",
        *,
        name: str | None = None,
        keep: str | Iterable[str] = (),
        invert: bool = False,
        engine: str = "auto",
        threads: int = 0,
        errors: str = "raise",
        report: Callable[[int, str], object] | None = None,
        signed: bool = False,
        tell: Callable[[dict[str, int]], object] | None = None,
        **options: Any,
    ) -> None:
        if kind not in self.kinds:
            raise ValueError(f"kind: one of {', '.join(self.kinds)} is needed, not {kind!r}")
        if errors not in ("raise", "apart"):
            raise ValueError(f"errors: 'raise' or 'apart' is needed, not {errors!r}")
        known = KINDS[kind] if self.kinds is KINDS else Kind(kind, "")
        if others := sorted(options.keys() - set(known.options)):
            raise TypeError(f"{', '.join(others)}: no option of the kind {kind!r}")
        self.options = {key: value for key, value in options.items() if value is not None}
        self.plan = plan_of(plan)
        self.column = column
        self.kind = kind
        self.name = name or (column if known.output == "text" else kind)
        self.keep = list(several(keep))
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

        found = self._search(self._call(), pyarrow.array([], pyarrow.string()))
        return list(self._answer((pyarrow.RecordBatch.from_pylist([], schema), found), 0))

    def schema(self, schema: pyarrow.Schema) -> pyarrow.Schema:
        """Return the schema of the output for batches of this schema, or raise an error if such batches
        cannot be searched."""
        import pyarrow

        if self.column not in schema.names:
            raise KeyError(f"column {self.column!r}: the table has the columns {', '.join(schema.names)}")
        stage = copy.copy(self)  # a copy, so that the counters of `self` do not change
        stage.tell = stage._searcher = None
        stage.engine, stage.threads = "cpu", 1  # this machine may lack the workers' GPUs
        stage.clear()
        if self.errors == "raise":
            stage._search(self._call(), pyarrow.array([], schema.field(self.column).type))
        return stage.summary().schema if self.kind == "count" else stage.empty(schema)[0].schema

    def reader(self, source: Any) -> pyarrow.RecordBatchReader:
        """Run the stage over a table or a RecordBatchReader. The output is a RecordBatchReader, which other
        packages can scan, and whose read_all() is a table."""
        import pyarrow

        return pyarrow.RecordBatchReader.from_batches(
            self.schema(source.schema), self(source.to_reader() if hasattr(source, "to_reader") else source)
        )

    def summary(self) -> pyarrow.RecordBatch:
        """Return the row of `count`, for all batches since clear()."""
        import pyarrow

        row: dict[str, Any] = {key: [value] for key, value in self.counters.items()}
        row["pattern_records"] = pyarrow.array([self.pattern_records], pyarrow.list_(pyarrow.uint64()))
        return self._typed(pyarrow.record_batch(row))

    # ---- One batch ----

    def _call(self) -> str:
        """Return the name of the search that this kind of stage runs."""
        return KINDS[self.kind].search if self.kinds is KINDS else self.kind

    def _opened(self) -> Searcher:
        if self._searcher is None:
            # In a Spark task, 0 threads means the cores of the task.
            spark: Any = sys.modules.get("pyspark")
            task = spark and spark.TaskContext.get()
            threads = self.threads or (task.cpus() if task else 0)
            self._searcher = Searcher(self.engine, threads)  # type: ignore[arg-type]
        return self._searcher

    def _search(self, call: str, column: Any) -> Any:
        options = self.options if call == self._call() else {}
        if call == "split":
            options = {**options, "answer": "array"}
        return getattr(self._opened(), call)(self.plan, column, **options)

    def _sound_parts(
        self, batch: pyarrow.RecordBatch, first: int
    ) -> Iterator[tuple[tuple[pyarrow.RecordBatch, Any], int]]:
        """Yield ((slice, result), number of its first record) for slices of the batch that can be searched."""
        try:
            found = self._search(self._call(), batch.column(self.column))
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
        self._add(records=batch.num_rows, nulls=column.null_count, found=found, bytes=column.nbytes)

    def _answer(self, part: tuple[pyarrow.RecordBatch, Any], first: int) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow
        import pyarrow.compute as compute

        batch, found = part
        kind, text = KINDS[self.kind], batch.column(self.column)
        if kind.search == "cells":
            cells = pyarrow.record_batch(found)
            self._add_batch(batch, compute.count_distinct(cells.column("record")).as_py())
            if kind.output == "rows":
                named = {name: cells.column(name) for name in ("pattern", "begin")}
                yield self._typed(self._rows(batch, cells.column("record"), first, named))
            else:
                for row in compute.value_counts(cells.column("pattern")).to_pylist():
                    self.pattern_records[row["values"]] += row["counts"]
            return
        answer = pyarrow.array(found)
        if kind.search == "split":
            answer = answer.cast(pyarrow.list_(plain_type(text)))
        if kind.output == "rows":
            rows, flat = compute.list_parent_indices(answer), compute.list_flatten(answer)
            self._add_batch(batch, compute.count_distinct(rows).as_py())
            named = dict(zip([one.name for one in flat.type], flat.flatten()))
            if "strand" in named:
                named["strand"] = named["strand"].cast(pyarrow.string())
            yield self._typed(self._rows(batch, rows.cast("uint64"), first, named))
            return
        self._add_batch(batch, self._hits(kind.found, text, answer))
        if kind.output == "records":
            yield chosen(batch, compute.invert(answer) if self.invert else answer)
        elif kind.output == "text" and self.name == self.column:
            at = batch.schema.get_field_index(self.column)
            made = text if pyarrow.types.is_null(text.type) else answer.cast(text.type)
            yield self._typed(batch.set_column(at, batch.schema.field(at), made))
        else:
            if kind.output == "text":
                answer = answer.cast(plain_type(text))
            names = [*batch.schema.names, self.name]
            yield self._typed(pyarrow.record_batch([*batch.columns, answer], names=names))

    def _typed(self, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        """Return the batch with the types that `signed` requires."""
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

    def _rows(self, batch: pyarrow.RecordBatch, rows: Any, first: int, named: dict[str, Any]) -> pyarrow.RecordBatch:
        """Return the columns `keep` of these rows' records, and the results in each row."""
        import pyarrow
        import pyarrow.compute as compute

        kept = [taken(batch.column(name), rows) for name in self.keep]
        records = compute.add(rows, pyarrow.scalar(first, pyarrow.uint64()))
        columns = [*kept, records, *named.values()]
        return pyarrow.record_batch(columns, names=[*self.keep, "record", *named])

    def _hits(self, rule: str, text: Any, answer: Any) -> int:
        """Count the records with an occurrence."""
        import pyarrow
        import pyarrow.compute as compute

        if rule == "contained":  # `answer` has texts, which do not say whether a pattern occurs
            rule = "true"
            answer = pyarrow.array(self._search("contains", text) if len(text) else [], "bool")
        if rule in ("some", "several"):
            answer = compute.subtract(compute.list_value_length(answer), int(rule == "several"))
        if rule == "valid":
            return int(len(answer) - answer.null_count)
        return int(compute.sum(answer if rule == "true" else compute.greater(answer, 0)).as_py() or 0)


def stage_of(plan: Any, column: str, kind: str, **options: Any) -> Stage:
    """Make a stage from a plan or from decontaminate.Questions."""
    own = getattr(plan, "stage", None)
    return own(column, kind, **options) if own else Stage(plan, column, kind, **options)


def plain_type(column: Any) -> Any:
    """Return the type of a column's texts: of a dictionary, the type of its values; of a column
    of nulls, string."""
    import pyarrow

    if pyarrow.types.is_dictionary(column.type):
        return column.type.value_type
    return pyarrow.string() if pyarrow.types.is_null(column.type) else column.type


def taken(column: Any, rows: Any) -> Any:
    """Return these rows of a column. pyarrow cannot select rows of a column of string views, so this function selects the
    views, of 16 bytes each, and leaves the strings where they are."""
    import pyarrow

    if not str(column.type).endswith("_view"):
        return column.take(rows)
    _, views, *strings = column.buffers()
    fixed = pyarrow.Array.from_buffers(pyarrow.binary(16), len(column), [None, views], offset=column.offset)
    buffers = [column.is_valid().take(rows).buffers()[1], fixed.take(rows).buffers()[1], *strings]
    return pyarrow.Array.from_buffers(column.type, len(rows), buffers)


def chosen(batch: pyarrow.RecordBatch, answer: Any) -> pyarrow.RecordBatch:
    """Return the records of a batch whose answer is true."""
    import pyarrow
    import pyarrow.compute as compute

    rows = compute.indices_nonzero(answer)
    columns = [taken(column, rows) for column in batch.columns]
    return pyarrow.record_batch(columns, schema=batch.schema)


def lines_of(stream: Any) -> Iterator[list[bytes]]:
    """Yield the lines of a file without a byte order mark, a few MiB at a time."""
    pieces: list[bytes] = []
    mark = codecs.BOM_UTF8
    while part := stream.read(PART_BYTES):
        head, line_end, tail = part.rpartition(b"\n")
        if line_end:
            yield b"".join([*pieces, head]).removeprefix(mark).split(b"\n")
            pieces, mark = [], b""
        pieces.append(tail)
    if last := b"".join(pieces).removeprefix(mark):
        yield [last]


def json_text(line: bytes, field: str) -> tuple[str | None, str | None]:
    """Return (text, None) for a JSON object whose field is a string or null, or (None, the reason) for any other line."""
    try:
        text = json.loads(line.decode())[field]
        if isinstance(text, str):
            text.encode()  # raises an error for a lone surrogate
        elif text is not None:
            return None, f"{field} is no string"
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        return None, f"{type(fault).__name__}: {fault}"
    return text, None
