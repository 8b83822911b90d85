"""Runs stages (trawl.stages) in Spark, over data frames.

For example:

    import trawl, trawl.spark
    frame = spark.read.parquet("documents")
    trawl.spark.run(frame, trawl.Plan(["needle", "thread"]), "text", "filter").show()
"""

from __future__ import annotations

from typing import Any

from .stages import Stage, stage_of


def run(frame: Any, plan: Any, column: str, kind: str, **options: Any) -> Any:
    """Run Stage(plan, column, kind, **options) over a data frame, and return the resulting data frame. The plan may be
    decontaminate.Questions, with the kinds of decontaminate.Stage. Numbers become long. The `count` kind returns a row
    for each task."""
    return run_stage(frame, stage_of(plan, column, kind, signed=True, **options))


def run_stage(frame: Any, stage: Stage) -> Any:
    """Run a stage, which needs signed=True, over a data frame."""
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    return frame.mapInArrow(stage, from_arrow_schema(stage.schema(to_arrow_schema(frame.schema))))
