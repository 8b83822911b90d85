"""Searches of pandas' Series: after import trawl.pandas, series.trawl.contains("an") and others.

The methods are those of trawl.arrow.Searches. Results keep the index. Numbers and booleans have pandas' nullable types,
matches and groups in lists Arrow's.

>>> import pandas, trawl.pandas
>>> series = pandas.Series(["banana", None, "pear"], [10, 11, 12])
>>> series.trawl.count(trawl.Plan("a")).tolist()
[3, <NA>, 1]
>>> series[series.trawl.contains(trawl.Plan("an"))].to_dict()
{10: 'banana'}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas
import pyarrow

from ._sources import plan_of
from .arrow import NUMBER, Searches

_TYPES = {pyarrow.bool_(): pandas.BooleanDtype(), pyarrow.int64(): pandas.Int64Dtype(), NUMBER: pandas.UInt64Dtype()}


def _type_of(kind: pyarrow.DataType) -> Any:
    # pandas would make a dict of each match, in twenty times the time of the search
    is_list = pyarrow.types.is_large_list(kind) and pyarrow.types.is_struct(kind.value_type)
    return pandas.ArrowDtype(kind) if is_list else _TYPES.get(kind)


@pandas.api.extensions.register_series_accessor("trawl")
class SeriesSearches(Searches):
    def __init__(self, series: Any) -> None:
        self._series = series

    def groups(self, plan: Any) -> Any:
        plan = plan_of(plan)
        found = pyarrow.array(plan.groups(pyarrow.array(self._series, from_pandas=True)))
        made = pyarrow.record_batch(found.flatten(), plan.group_names).to_pandas()
        return made.set_index(self._series.index)

    def _run(self, name: str, search: Callable[[Any], Any], kind: Any) -> Any:
        # from_pandas: a NaN among objects is a null.
        found = search(pyarrow.array(self._series, from_pandas=True))
        made = pyarrow.array(found).to_pandas(types_mapper=_type_of)
        return pandas.Series(made.array, self._series.index, name=self._series.name)
