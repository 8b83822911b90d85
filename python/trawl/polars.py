"""Searches of polars' columns: after import trawl.polars, polars.col("text").trawl.contains("an") and others.

The methods, of Expr and Series, are those of trawl.arrow.Searches.

>>> import polars, trawl.polars
>>> frame = polars.LazyFrame({"text": ["banana", None, "pear"]})
>>> frame.filter(polars.col("text").trawl.contains("an")).collect().rows()
[('banana',)]
>>> frame.select(polars.col("text").trawl.count(trawl.Plan("a"))).collect(engine="streaming").rows()
[(3,), (None,), (1,)]
>>> polars.Series(["pear", "banana"]).trawl.which(trawl.Plan(["an", "ea"])).to_list()
[1, 0]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars
import pyarrow

from .arrow import Searches


@polars.api.register_series_namespace("trawl")
class SeriesSearches(Searches):
    def __init__(self, series: polars.Series) -> None:
        self._series = series

    def _run(self, name: str, search: Callable[[Any], Any], kind: Any) -> polars.Series:
        column = self._series
        found = search(column)
        return polars.Series(column.name, found, dtype=_type_of(kind))


@polars.api.register_expr_namespace("trawl")
class ExprSearches(Searches):
    def __init__(self, expression: polars.Expr) -> None:
        self._expression = expression

    def _run(self, name: str, search: Callable[[Any], Any], kind: Any) -> polars.Expr:
        return self._expression.map_batches(
            lambda series: SeriesSearches(series)._run(name, search, kind),
            return_dtype=_type_of(kind),
            is_elementwise=True,
        )


def _type_of(kind: Any) -> Any:
    return polars.Series(pyarrow.array([], kind)).dtype
