"""Searches of pyarrow columns. trawl.polars, trawl.pandas and trawl.duckdb build on this module.

>>> pyarrow = __import__("pytest").importorskip("pyarrow")
>>> column = pyarrow.array(["banana", None, "pear"])
>>> count(Plan("an"), column).to_pylist()
[2, None, 0]
>>> matches(Plan(["nan", "an"]), column).to_pylist()[0][:2]
[{'begin': 1, 'end': 3, 'pattern': 1}, {'begin': 2, 'end': 5, 'pattern': 0}]
>>> register("has_an", Plan("an"))
>>> pyarrow.compute.call_function("has_an_which", [column]).to_pylist()
[0, None, None]
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pyarrow
import pyarrow.compute as compute

from ._sources import alone
from ._trawl import Plan, Searcher

NUMBER = pyarrow.uint64()
FIELDS = {"begin": NUMBER, "end": NUMBER, "pattern": NUMBER}


def kind_of_match(plan: Plan) -> Any:
    """Return the Arrow type of an occurrence: a struct of begin, end and pattern. A plan with errors
    adds the distance, and the alphabet 'dna' the strand."""
    fields = dict(FIELDS)
    if plan.mismatches or plan.edits or plan.alphabet == "dna":
        fields["distance"] = NUMBER
    if plan.alphabet == "dna":
        fields["strand"] = pyarrow.large_string()
    return pyarrow.struct(list(fields.items()))


class Searches:
    """The searches of a column. A subclass for each library says how a search runs there. A null gives
    a null.

    contains(plan): does any pattern occur?
    which(plan): the least index of the patterns that occur, or null.
    count(plan): the number of occurrences.
    pattern_counts(plan), pattern_lists(plan): the number, and the indices, of the patterns that occur.
    matches(plan): the list of occurrences in order of (begin, pattern), with begin, end (in bytes of
      UTF-8) and pattern. A plan with errors adds the distance, the alphabet 'dna' the strand.
    replace(plan, values): the texts with values in place of occurrences, see Plan.replace.
    """

    def _run(self, name: str, search: Callable[[Any], Any], kind: Any) -> Any:
        """Apply `search`, which maps a column to a column of the type `kind`."""
        raise NotImplementedError

    def contains(self, plan: Plan) -> Any:
        return self._run("contains", plan.contains, pyarrow.bool_())

    def which(self, plan: Plan) -> Any:
        return self._run("which", plan.which, pyarrow.int64())

    def count(self, plan: Plan) -> Any:
        return self._run("count", lambda column: count(plan, column), NUMBER)

    def pattern_counts(self, plan: Plan) -> Any:
        return self._run("pattern_counts", plan.pattern_counts, NUMBER)

    def pattern_lists(self, plan: Plan) -> Any:
        return self._run("pattern_lists", plan.pattern_lists, pyarrow.large_list(NUMBER))

    def matches(self, plan: Plan) -> Any:
        kind = pyarrow.large_list(kind_of_match(plan))
        return self._run("matches", lambda column: matches(plan, column), kind)

    def replace(self, plan: Plan, values: Any = None, **options: Any) -> Any:
        return self._run(
            "replace", lambda column: plan.replace(column, values, **options), pyarrow.large_string()
        )


NAMES = ("contains", "which", "count", "pattern_counts", "pattern_lists", "matches")


class Functions(Searches):
    def __init__(self, name: str, plan: Plan, kind: Any) -> None:
        self._name, self._about, self._kind = name, repr(plan), kind

    def _run(self, name: str, search: Callable[[Any], Any], kind: Any) -> None:
        def function(_: Any, column: Any) -> Any:
            return pyarrow.array(search(column)).cast(kind)

        doc = {"summary": f"trawl: {name}", "description": self._about}
        compute.register_scalar_function(
            function, f"{self._name}_{name}", doc, {"text": self._kind}, kind
        )


def register(name: str, plan: Plan, *, kind: Any = None) -> None:
    """Register the functions NAME_contains, NAME_which and so on with pyarrow.compute, for columns of
    the type `kind` (default: string). Expressions of datasets and Acero can call the functions."""
    for search in NAMES:
        getattr(Functions(name, plan, kind or pyarrow.string()), search)(plan)


# ---- Occurrences, by record ----


def count(plan: Plan, column: Any) -> Any:
    """Count the occurrences in each record. Needs numpy."""
    return _by_record(plan, column, NUMBER, lambda sizes, mask, _: pyarrow.array(sizes, mask=mask))


def matches(plan: Plan, column: Any, *, searcher: Searcher | None = None) -> Any:
    """Find the occurrences in each record, see Searches. Needs numpy."""
    return _by_record(plan, column, pyarrow.large_list(kind_of_match(plan)), _lists, searcher)


def _lists(sizes: Any, mask: Any, found: dict[str, Any]) -> Any:
    import numpy

    offsets = pyarrow.array(numpy.concatenate([[0], numpy.cumsum(sizes, dtype="int64")]))
    values = pyarrow.StructArray.from_arrays(list(found.values()), names=list(found))
    mask = None if mask is None else pyarrow.array(mask)
    return pyarrow.LargeListArray.from_arrays(offsets, values, mask=mask)


def _by_record(
    plan: Plan,
    column: Any,
    kind: Any,
    make: Callable[[Any, Any, Any], Any],
    searcher: Searcher | None = None,
) -> Any:
    """Find each chunk's occurrences, and return what `make` makes of the results.

    make(sizes, mask, found): sizes[i] is the number of occurrences in record i, mask[i] whether the
    record is null (mask None: no record is), found the columns of a Matches by name. A column in chunks
    gives a chunked array."""
    import numpy

    if hasattr(column, "__arrow_c_stream__"):
        chunks = pyarrow.chunked_array(column).chunks
        made = [_by_record(plan, one, kind, make, searcher) for one in chunks]
        return pyarrow.chunked_array(made, kind)
    column = pyarrow.array(column)
    if pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    column = column.cast(pyarrow.large_binary())
    _, places, data = column.buffers()
    starts = numpy.zeros(1, "int64")
    if len(column) > 0:
        starts = numpy.frombuffer(places, "int64", len(column) + 1, 8 * column.offset)
    text = memoryview(data or b"")[starts[0] : starts[-1]]
    starts = starts - starts[0]
    mask = numpy.asarray(column.is_null()) if column.null_count > 0 else None
    find: Any = plan.matches if searcher is None else functools.partial(searcher.matches, plan)
    if alone(plan):
        contains: Any = plan.contains
        if searcher is not None:
            contains = functools.partial(searcher.contains, plan)
        held = numpy.arange(len(column))
        if plan.regex is None:  # contains() takes a record for a line, and find() takes each line
            held = numpy.flatnonzero(pyarrow.array(contains(column)).fill_null(False))
        parts = [find(text[starts[at] : starts[at + 1]]) for at in held]
        shifts = starts[held].repeat([len(part) for part in parts])
    else:
        parts, shifts = [find(text)], 0
    named = [part._named() for part in parts or [plan.matches(b"")]]
    found = {
        name: pyarrow.concat_arrays([pyarrow.array(one[name]) for one in named]) for name in named[0]
    }
    begins, ends = (found[name].to_numpy().astype("int64") + shifts for name in ("begin", "end"))
    records = starts.searchsorted(begins, "right") - 1
    inside = ends <= starts[1:][records]
    if mask is not None:
        inside &= ~mask[records]
    own = starts[records[inside]]
    found = {name: one.filter(pyarrow.array(inside)) for name, one in found.items()}
    for name, places in (("begin", begins), ("end", ends)):
        found[name] = pyarrow.array((places[inside] - own).astype("uint64"))
    sizes = numpy.bincount(records[inside], minlength=len(column)).astype("uint64")
    return make(sizes, mask, found)
