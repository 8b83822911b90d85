"""Spark's mapInArrow takes a stage as it is."""

import os
import shutil
import sys

import pytest
import trawl
from conftest import SCALE

pytest.importorskip("pyarrow")
sql = pytest.importorskip("pyspark.sql")
if SCALE < 20 or "ASAN_OPTIONS" in os.environ:
    pytest.skip("Spark is for long runs", allow_module_level=True)
if shutil.which("java") is None:
    pytest.skip("no Java here", allow_module_level=True)

from trawl.stages import Stage  # noqa: E402  (needs pyarrow)

os.environ["PYSPARK_PYTHON"] = sys.executable  # else the first python3 that there is


@pytest.fixture(scope="module")
def spark():
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100")
        .getOrCreate()
    )
    yield session
    session.stop()


def test_map_in_arrow(spark, rng):
    plan = trawl.Plan(["abab", "cdcd", "aaaa"])
    rows = [
        (number, None if rng.random() < 0.1 else "".join(rng.choice("abcd") for _ in range(30)))
        for number in range(3000)
    ]
    expected = plan.contains([text for _, text in rows]).tolist()
    frame = spark.createDataFrame(rows, "id long, text string").repartition(4)
    kept = frame.mapInArrow(Stage(plan, "text", "filter"), frame.schema).collect()
    assert sorted(row.id for row in kept) == [i for i, value in enumerate(expected) if value]
    marked = frame.mapInArrow(Stage(plan, "text"), "id long, text string, contains boolean")
    assert {row.id: row.contains for row in marked.collect()} == dict(enumerate(expected))
