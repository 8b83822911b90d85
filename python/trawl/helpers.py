"""Plans in the words of pyarrow, polars and duckdb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._trawl import Plan

if TYPE_CHECKING:
    import polars


def filter_table(table: Any, plan: Plan, column: str, *, invert: bool = False) -> Any:
    """The rows of a pyarrow Table or RecordBatch in whose column a pattern occurs; with invert, in
    which none does. Rows whose value is null are in neither.

    >>> pyarrow = __import__("pytest").importorskip("pyarrow")
    >>> table = pyarrow.table({"text": ["banana", None, "pear"]})
    >>> filter_table(table, Plan("an"), "text").to_pydict()
    {'text': ['banana']}
    >>> filter_table(table, Plan("an"), "text", invert=True).to_pydict()
    {'text': ['pear']}
    """
    import pyarrow
    import pyarrow.compute as compute

    mask = pyarrow.array(plan.contains(table.column(column)))
    return table.filter(compute.invert(mask) if invert else mask)


def polars_contains(plan: Plan, column: str | polars.Expr) -> polars.Expr:
    """An expression of polars: does any pattern occur in the column's value?

    >>> polars = __import__("pytest").importorskip("polars")
    >>> frame = polars.LazyFrame({"text": ["banana", None, "pear"]})
    >>> frame.filter(polars_contains(Plan("an"), "text")).collect().rows()
    [('banana',)]
    """
    import polars

    def search(series: polars.Series) -> polars.Series:
        return polars.Series(series.name, plan.contains(series))

    expression = polars.col(column) if isinstance(column, str) else column
    return expression.map_batches(search, return_dtype=polars.Boolean, is_elementwise=True)


def duckdb_function(connection: Any, name: str, plan: Plan) -> None:
    """Make a function of SQL: name(text) says whether any pattern occurs in it. It needs pyarrow.

    >>> pytest = __import__("pytest")
    >>> duckdb, _ = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    >>> connection = duckdb.connect()
    >>> duckdb_function(connection, "has_an", Plan("an"))
    >>> connection.sql("SELECT has_an(x) FROM (VALUES ('banana'), ('pear'), (NULL)) t(x)").fetchall()
    [(True,), (False,), (None,)]
    """
    import pyarrow

    def search(column: Any) -> Any:
        return pyarrow.array(plan.contains(column))

    connection.create_function(
        name, search, ["VARCHAR"], "BOOLEAN", type="arrow", null_handling="special"
    )
