"""Tests stages as the function of Spark's mapInArrow."""

import os
import shutil
import sys

import pytest
import trawl
from conftest import SCALE

pyarrow = pytest.importorskip("pyarrow")
sql = pytest.importorskip("pyspark.sql")
if SCALE < 20 or "ASAN_OPTIONS" in os.environ:
    pytest.skip("Spark is for long runs", allow_module_level=True)
if shutil.which("java") is None:
    pytest.skip("no Java here", allow_module_level=True)

import trawl.spark  # noqa: E402
from trawl.decontaminate import Questions  # noqa: E402
from trawl.stages import KINDS, SparkCounters, stage_of  # noqa: E402  (needs pyarrow)

os.environ["PYSPARK_PYTHON"] = sys.executable  # without this setting, Spark uses the first python3 in PATH


@pytest.fixture(scope="module")
def spark():
    session = (
        sql.SparkSession.builder.master("local[2]") .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1") .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100") .getOrCreate()
    )  # fmt: skip
    yield session
    session.stop()


def test_every_kind(spark):
    """Check that Spark returns the rows of a single process for every kind of stage. (Spark has no uint64, but most kinds
    return numbers.)"""
    plan = trawl.Plan(["abab", "cdcd", "aaaa"], values=["x", "y", "z"])
    table = pyarrow.table({"id": range(4), "text": ["ababcdcd", None, "b", "aaaaa"]})
    frame = spark.createDataFrame(table.to_pylist(), "id long, text string").coalesce(1)
    questions = Questions(["a b c"], words=2)
    for plan, kinds in ((plan, KINDS), (questions, questions.stage("text").kinds)):
        for kind in kinds:
            options = {"keep": ["id"]} if kind in ("cells", "matches", "overlaps") else {}
            made = trawl.spark.run(frame, plan, "text", kind, **options).collect()
            expected = stage_of(plan, "text", kind, **options).reader(table).read_all().to_pylist()
            rows = [row.asDict() for row in made]
            for row in (*rows, *expected):
                row.pop("bytes", None)  # depends on Arrow's buffers
            assert rows == expected, kind


def test_counters_reach_the_driver(spark):
    """Check that a stage of decontamination returns the same rows as a single process, and that its counters reach the
    driver."""
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
