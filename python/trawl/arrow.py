"""Searches of pyarrow's columns, also as functions of pyarrow.compute.

trawl.polars, trawl.pandas and trawl.duckdb build on this module.

>>> import pyarrow
>>> column = pyarrow.array(["banana", None, "pear"])
>>> register("has_an", Plan("an"))
>>> pyarrow.compute.call_function("has_an_which", [column]).to_pylist()
[0, None, None]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow
import pyarrow.compute as compute

from ._sources import plan_of
from ._trawl import Plan

NUMBER = pyarrow.uint64()
FIELDS = {"begin": NUMBER, "end": NUMBER, "pattern": NUMBER}


def kind_of_match(plan: Plan, value: bool = False) -> Any:
    """Return the Arrow type of an occurrence: a struct of begin, end and pattern. A plan with errors adds the distance,
    the alphabet 'dna' the distance and the strand, `value` the occurring string."""
    fields = dict(FIELDS)
    if plan.mismatches or plan.edits or plan.alphabet == "dna":
        fields["distance"] = NUMBER
    if plan.alphabet == "dna":
        fields["strand"] = pyarrow.large_string()
    if value:
        fields["value"] = pyarrow.large_string()
    return pyarrow.struct(list(fields.items()))


def kind_of_groups(plan: Plan) -> Any:
    """Return the Arrow type of a row of groups: a struct with a string for each group of the plan's expressions."""
    return pyarrow.struct([(name, pyarrow.large_string()) for name in plan.group_names])


class Searches:
    """The searches of a column. A subclass for each library implements how a search runs. A null record has a null result.

    contains(plan): does any pattern occur?
    which(plan): the lowest index of the patterns that occur, or null.
    count(plan): the number of occurrences.
    pattern_counts(plan), pattern_lists(plan): the number, and the indices, of the patterns that occur.
    matches(plan): the list of occurrences, ordered by (begin, pattern), with begin, end and pattern. A plan
      with errors adds the distance; alphabet='dna' adds the distance and the strand; value=True, the occurring string.
    find_first(plan): the first occurrence, or null.
    groups(plan): a struct of the groups of the first occurrence. Fields are named after the groups, or numbered if a
      group has no name, and are null if no expression occurs. In pandas, a DataFrame with a column for each group.
    group_lists(plan): the list of the groups of all occurrences.
    replace(plan, values), mask(plan, "*"), split(plan): see Plan.replace, Plan.mask, Plan.split.

    Instead of a plan, you may pass what Plan accepts: one string or several. Other keywords are those of Plan: `match`
    everywhere, and `offsets` for matches and find_first."""

    def _run(self, name: str, search: Callable[[Any], Any], kind: Any) -> Any:
        """Apply `search`, which maps a column to a column of the type `kind`."""
        raise NotImplementedError

    def contains(self, plan: Any) -> Any:
        plan = plan_of(plan)
        return self._run("contains", plan.contains, pyarrow.bool_())

    def which(self, plan: Any) -> Any:
        plan = plan_of(plan)
        return self._run("which", plan.which, pyarrow.int64())

    def count(self, plan: Any, **options: Any) -> Any:
        plan = plan_of(plan)
        return self._run("count", lambda column: plan.match_counts(column, **options), NUMBER)

    def pattern_counts(self, plan: Any) -> Any:
        plan = plan_of(plan)
        return self._run("pattern_counts", plan.pattern_counts, NUMBER)

    def pattern_lists(self, plan: Any) -> Any:
        plan = plan_of(plan)
        return self._run("pattern_lists", plan.pattern_lists, pyarrow.large_list(NUMBER))

    def matches(self, plan: Any, *, value: bool = False, **options: Any) -> Any:
        plan = plan_of(plan)
        kind = pyarrow.large_list(kind_of_match(plan, value))
        return self._run("matches", lambda column: plan.match_lists(column, value=value, **options), kind)

    def find_first(self, plan: Any, *, value: bool = False, **options: Any) -> Any:
        plan = plan_of(plan)

        def search(column: Any) -> Any:
            return plan.match_lists(column, value=value, first=True, **options)

        return self._run("find_first", search, kind_of_match(plan, value))

    def groups(self, plan: Any) -> Any:
        plan = plan_of(plan)
        return self._run("groups", plan.groups, kind_of_groups(plan))

    def group_lists(self, plan: Any, **options: Any) -> Any:
        plan = plan_of(plan)
        kind = pyarrow.large_list(kind_of_groups(plan))
        return self._run("group_lists", lambda column: plan.group_lists(column, **options), kind)

    def mask(self, plan: Any, mask: str = "*", **options: Any) -> Any:
        plan = plan_of(plan)
        return self._run("mask", lambda column: plan.mask(column, mask, **options), pyarrow.large_string())

    def split(self, plan: Any, **options: Any) -> Any:
        plan = plan_of(plan)
        kind = pyarrow.large_list(pyarrow.large_string())
        return self._run("split", lambda column: plan.split(column, answer="array", **options), kind)

    def replace(self, plan: Any, values: Any = None, **options: Any) -> Any:
        plan = plan_of(plan)
        return self._run("replace", lambda column: plan.replace(column, values, **options), pyarrow.large_string())


NAMES = ("contains", "which", "count", "pattern_counts", "pattern_lists", "matches", "find_first", "mask", "split")
GROUP_NAMES = ("groups", "group_lists")  # the searches for a plan whose expressions have groups


def names_for(plan: Plan) -> tuple[str, ...]:
    """Return the names of the searches that are registered as functions."""
    return NAMES + (GROUP_NAMES if plan.group_names else ())


class Functions(Searches):
    def __init__(self, name: str, plan: Plan, kind: Any) -> None:
        self._name, self._about, self._kind = name, repr(plan), kind

    def _run(self, name: str, search: Callable[[Any], Any], kind: Any) -> None:
        def function(_: Any, column: Any) -> Any:
            return pyarrow.array(search(column)).cast(kind)

        doc = {"summary": f"trawl: {name}", "description": self._about}
        compute.register_scalar_function(function, f"{self._name}_{name}", doc, {"text": self._kind}, kind)


def register(name: str, plan: Any, *, kind: Any = None) -> None:
    """Register the functions NAME_contains, NAME_which and so on with pyarrow.compute, for columns of
    the type `kind` (default: string). Expressions of datasets and Acero can call the functions."""
    plan = plan_of(plan)
    for search in names_for(plan):
        getattr(Functions(name, plan, kind or pyarrow.string()), search)(plan)
