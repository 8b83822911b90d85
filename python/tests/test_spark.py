"""Spark's mapInArrow takes a stage directly."""

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

from trawl.decontaminate import Questions  # noqa: E402
from trawl.stages import SparkCounters, Stage  # noqa: E402  (needs pyarrow)

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


def test_numbers_that_spark_has(spark):
    """Spark takes the numbers of every kind of stage. (Spark has no uint64; the tests once had only the
    kinds filter and contains, which return no numbers.)"""
    plan = trawl.Plan(["abab", "cdcd", "aaaa"])
    texts = ["ababcdcd", None, "b", "aaaaa"]
    frame = spark.createDataFrame(list(enumerate(texts)), "id long, text string").coalesce(1)
    table = "id long, text string"
    schemas = {
        "contains": (f"{table}, new boolean", [True, None, False, True]),
        "which": (f"{table}, new long", [0, None, None, 2]),
        "pattern_counts": (f"{table}, new long", [2, None, 0, 1]),
        "pattern_lists": (f"{table}, new array<long>", [[0, 1], None, [], [2]]),
    }
    for kind, (schema, expected) in schemas.items():
        stage = Stage(plan, "text", kind, name="new", signed=True)
        assert [row.new for row in frame.mapInArrow(stage, schema).collect()] == expected
    stage = Stage(plan, "text", "cells", keep=["id"], signed=True)
    cells = frame.mapInArrow(stage, "id long, record long, pattern long, begin long").collect()
    assert sorted(map(tuple, cells)) == [(0, 0, 0, 0), (0, 0, 1, 4), (3, 3, 2, 0)]
    schema = "records long, nulls long, found long, bad long, bytes long, pattern_records array<long>"
    (row,) = frame.mapInArrow(Stage(plan, "text", "count", signed=True), schema).collect()
    assert (row.records, row.nulls, row.found, row.pattern_records) == (4, 1, 2, [1, 1, 1])


def test_counters_reach_the_driver(spark):
    """A stage of decontamination gives a single process's rows."""
    texts = ["a b c", None, "x", "A  b, c d"] * 50
    frame = spark.createDataFrame(list(enumerate(texts)), "id long, text string").repartition(4)
    questions = Questions(["a b c d"], words=3)
    counters = SparkCounters(spark.sparkContext)
    stage = questions.stage("text", keep=["id"], tell=counters)
    schema = "id long, document long, question long, found long, total long, ratio double, ngram string"
    rows = frame.mapInArrow(stage, schema).collect()
    expected = [(one.document, one.found, one.ngram) for one in questions.overlaps(texts)]
    assert sorted((row.id, row.found, row.ngram) for row in rows) == expected
    values = counters.values()
    assert values.pop("bytes") > 0
    assert values == {"records": 200, "nulls": 50, "found": 100, "bad": 0}
