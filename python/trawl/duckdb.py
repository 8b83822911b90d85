"""Searches of duckdb's columns, as SQL functions: those of trawl.arrow.Searches.

>>> import duckdb
>>> connection = duckdb.connect()
>>> register(connection, "an", Plan("an"))
>>> texts = "(VALUES ('banana'), ('pear'), (NULL)) t(x)"
>>> connection.sql(f"SELECT an_contains(x), an_count(x) FROM {texts}").fetchall()
[(True, 2), (False, 0), (None, None)]
>>> register(connection, "an", Plan("ear"))
>>> connection.sql(f"SELECT an_contains(x) FROM {texts}").fetchall()
[(False,), (True,), (None,)]
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pyarrow

from ._sources import plan_of
from ._trawl import Plan  # noqa: F401  (for the examples)
from .arrow import GROUP_NAMES, NAMES, NUMBER, Searches, names_for

_TYPES = {pyarrow.bool_(): "BOOLEAN", pyarrow.int64(): "BIGINT", NUMBER: "UBIGINT"}


def _type(kind: Any) -> str:
    """Return the SQL type of an Arrow type."""
    if pyarrow.types.is_large_list(kind):
        return _type(kind.value_type) + "[]"
    if pyarrow.types.is_struct(kind):
        return f"""STRUCT({", ".join(f'"{one.name}" {_type(one.type)}' for one in kind)})"""
    return _TYPES.get(kind, "VARCHAR")


class Functions(Searches):
    def __init__(self, connection: Any, name: str) -> None:
        self._connection, self._name = connection, name

    def _run(self, name: str, search: Callable[[Any], Any], kind: Any) -> None:
        def function(column: Any) -> Any:
            return pyarrow.array(search(column))

        self._connection.create_function(
            f"{self._name}_{name}", function, ["VARCHAR"], _type(kind), type="arrow", null_handling="special",
        )  # fmt: skip


def register(connection: Any, name: str, plan: Any) -> None:
    """Create SQL functions of a text: NAME_contains, NAME_which, NAME_count, NAME_pattern_counts, NAME_pattern_lists,
    NAME_matches, NAME_find_first, NAME_mask and NAME_split; NAME_groups and NAME_group_lists if the plan's expressions have
    groups. They replace functions of the same names from an earlier call for the connection."""
    plan = plan_of(plan)
    for search in NAMES + GROUP_NAMES:
        with contextlib.suppress(Exception):  # there is no function of that name
            connection.remove_function(f"{name}_{search}")
    for search in names_for(plan):
        getattr(Functions(connection, name), search)(plan)
