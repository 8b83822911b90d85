#!/usr/bin/env python3
"""Runs a stage (trawl.stages.Stage) in dask, daft, polars and duckdb.

stages.py PACKAGE...

Each function takes a stage and an Arrow table, and returns the answers as a frame or table of its package.
"""

import sys

import pyarrow
import trawl
from trawl.stages import Stage


def run_dask(stage, documents):
    """Search each partition of a dask frame in the process that has it."""
    import dask.dataframe

    def searched(part):
        return stage.reader(pyarrow.Table.from_pandas(part, preserve_index=False)).read_all().to_pandas()

    frame = dask.dataframe.from_pandas(documents.to_pandas(), npartitions=4)
    return frame.map_partitions(searched, meta=frame._meta).compute()


def run_daft(stage, documents):
    import daft

    batches = daft.from_arrow(documents).to_arrow_iter()
    return daft.from_arrow(pyarrow.Table.from_batches(stage(batches)))


def run_polars(stage, documents):
    """Search the parts of a lazy frame as the streaming engine makes them."""
    import polars

    def searched(part):
        return polars.from_arrow(stage.reader(part.to_arrow()).read_all())

    frame = polars.from_arrow(documents).lazy()
    return frame.map_batches(searched, streamable=True).collect(engine="streaming")


def run_duckdb(stage, documents):
    """Let duckdb scan while the stage searches."""
    import duckdb

    searched = stage.reader(duckdb.connect().sql("SELECT * FROM documents").to_arrow_reader(10000))  # noqa: F841
    return duckdb.connect().sql("SELECT * FROM searched").to_arrow_table()


def main():
    stage = Stage(trawl.Plan(["secret", "thing"]), "text", "filter")
    documents = pyarrow.table({"id": [0, 1, 2], "text": ["a secret", "hay", "things"]})
    for package in sys.argv[1:]:
        print(globals()[f"run_{package}"](stage, documents))


if __name__ == "__main__":
    main()
