"""Compares the results of Ray on simulated nodes, one of which is killed, with the results of a single process."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.request

import pytest
import trawl
from conftest import SCALE

ray = pytest.importorskip("ray")
pyarrow = pytest.importorskip("pyarrow")
if SCALE < 20 or "ASAN_OPTIONS" in os.environ:
    pytest.skip("Ray is for long runs", allow_module_level=True)

import pyarrow.parquet  # noqa: E402, F811
import trawl.ray  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402
from trawl.decontaminate import Questions  # noqa: E402


@pytest.fixture(scope="module")
def cluster():
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(3)]
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster, nodes
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def table(rng):
    texts = [None if rng.random() < 0.1 else "".join(rng.choice("abcd") for _ in range(40)) for _ in range(8000)]
    return pyarrow.table({"id": list(range(8000)), "text": texts})


def dataset_of(table):
    return ray.data.from_arrow([table.slice(begin, 500) for begin in range(0, 8000, 500)])


PLAN = trawl.Plan(["abab", "cdcd", "aaaa", "bcda"])


def test_as_in_one_process(cluster, table):
    column = table.column("text")
    expected = PLAN.contains(column).tolist()
    found = trawl.ray.filter(dataset_of(table), PLAN, "text", keep_order=True, workers=(1, 3))
    ids = [row["id"] for row in found.take_all()]
    assert ids == [i for i, value in enumerate(expected) if value]
    # The dataset's own context keeps the order, not only the process's.
    assert found.context.execution_options.preserve_order
    cells = trawl.ray.cells(dataset_of(table), PLAN, "text", keep=["id"], workers=2).take_all()
    assert sorted((c["id"], c["pattern"], c["begin"]) for c in cells) == list(PLAN.cells(column))
    counters = trawl.ray.count(dataset_of(table), PLAN, "text")
    assert counters["records"] == 8000 and counters["found"] == expected.count(True)
    assert counters["pattern_records"] == PLAN.record_counts(column).tolist()
    marked = trawl.ray.contains(dataset_of(table), PLAN, "text", batch_rows=300).take_all()
    assert {row["id"]: row["contains"] for row in marked} == dict(enumerate(expected))
    masked = trawl.ray.run(dataset_of(table), PLAN, "text", "mask", workers=1).take_all()
    assert {row["id"]: row["text"] for row in masked} == dict(enumerate(PLAN.mask(column.to_pylist())))


def test_bad_lines_are_set_apart(cluster, tmp_path):
    lines = [json.dumps({"text": text}) for text in ("abab", "none", None)]
    (tmp_path / "a.jsonl").write_text("\n".join([*lines, "{broken", '{"text": 5}', "[]"]) + "\n")
    (tmp_path / "b.jsonl.gz").write_bytes(b"no gzip")
    good, bad = trawl.ray.read_json_lines(str(tmp_path), "text")
    for datasets in ((good, bad), (bad,)):  # the fault shows before or after some records were read
        assert len(datasets) == 1 or trawl.ray.count(good, PLAN, "text")["found"] == 1
        rows = sorted((row["record"], row["line"]) for row in bad.take_all())
        assert rows == [(0, None), (3, b"{broken"), (4, b'{"text": 5}'), (5, b"[]")]
        good, bad = trawl.ray.read_json_lines([tmp_path], "text")
    assert good.count() == 3
    parquet = pyarrow.parquet
    parquet.write_table(pyarrow.table({"text": ["abab", "b"]}), tmp_path / "c")
    good, bad = trawl.ray.read_parquet([tmp_path / "c", tmp_path / "a.jsonl"])
    assert trawl.ray.filter(good, PLAN, "text").take_all() == [{"text": "abab"}]
    assert [row["path"] for row in bad.take_all()] == [str(tmp_path / "a.jsonl")]


def test_decontamination_and_metrics(cluster):
    """Check that the rows are those of a single process, and that the workers' counters are Ray metrics."""
    texts = ["a b c", None, "x", "A  b, c d"] * 50
    questions = Questions(["a b c d"], words=3)
    dataset = ray.data.from_arrow(pyarrow.table({"id": list(range(200)), "text": texts}))
    rows = trawl.ray.run(dataset, questions, "text", "overlaps", keep=["id"]).take_all()
    expected = [(one.document, one.found) for one in questions.overlaps(texts)]
    assert sorted((row["id"], row["found"]) for row in rows) == expected
    ports = {(node["NodeManagerAddress"], node["MetricsExportPort"]) for node in ray.nodes()}
    wanted = re.compile(r'ray_trawl_(\w+?)(?:_total)?\{.*kind="overlaps".* ([0-9.e+]+)$', re.M)
    found = {}
    for _ in range(60):  # Ray sends its metrics every few seconds
        for address, port in ports:
            with contextlib.suppress(OSError):
                with urllib.request.urlopen(f"http://{address}:{port}/metrics", timeout=5) as page:
                    found.update(wanted.findall(page.read().decode()))
        if "records" in found:
            break
        time.sleep(1)
    else:
        pytest.skip("this Ray has no agent that exports metrics")
    assert float(found["records"]) == 200 and float(found["found"]) == 100


def test_no_record_can_be_searched(cluster):
    """Check that the result is empty and has the right columns even if no record can be searched."""
    numbers = ray.data.from_arrow(pyarrow.table({"text": [1, 2, 3]}))
    found, bad = trawl.ray.contains(numbers, PLAN, "text", errors="apart")
    found = found.materialize()
    assert found.count() == 0 and found.schema().names == ["text", "contains"]
    rows = bad.take_all()
    assert [row["text"] for row in rows] == [1, 2, 3] and "TypeError" in rows[0]["trawl_error"]


def test_all_cores_and_more(cluster, table, tmp_path):
    """Check that reading and stages go on if there are as many workers as cores, or more. (Ray used to wait forever.)"""
    pyarrow.parquet.write_table(table, tmp_path / "table.parquet")
    expected = PLAN.contains(table.column("text")).tolist().count(True)
    for workers in (4, None, (1, 9)):
        read = ray.data.read_parquet(str(tmp_path))
        assert trawl.ray.filter(read, PLAN, "text", workers=workers).count() == expected
    # Check a dataset with several stages.
    read = ray.data.read_parquet(str(tmp_path))
    for kind in ("contains", "mask", "which", "match_counts"):
        read = trawl.ray.run(read, PLAN, "text", kind, workers=2)
    assert read.count() == 8000
    for column, fault in (("none", KeyError), ("id", TypeError)):  # the fault is found before any task starts
        with pytest.raises(fault, match="the columns id, text|strings or binary"):
            trawl.ray.filter(dataset_of(table), PLAN, column)


def test_the_manual(cluster, tmp_path):
    """Check that the manual's examples run as printed, each part in a new process."""
    for folder in ("documents", "lines"):
        (tmp_path / folder).mkdir()
    table = pyarrow.table({"id": [1, 2, 3], "text": ["a needle", None, "thread needle"]})
    pyarrow.parquet.write_table(table, tmp_path / "documents/a.parquet")
    (tmp_path / "lines/a").write_text('{"text": "a needle"}\n{broken\n')
    guide = pathlib.Path(__file__).parents[2].joinpath("docs/python.md").read_text("utf-8")
    examples = [
        one
        for one in re.findall("```python\n(.*?)```", guide, re.S)
        if "import trawl.ray" in one or ", trawl.ray" in one
    ]
    ends = ["print(unread.count(), read.count())", "print(collection.names, line.begin)"]
    assert len(examples) == len(ends)
    said = []
    for example, end in zip(examples, ends):
        for path in ("documents", "lines"):  # the workers run in a different directory
            example = example.replace(f'"{path}"', repr(str(tmp_path / path)))
        example = example.replace("/shared/tree", str(tmp_path / "lines")) + end
        done = subprocess.run(
            [sys.executable, "-c", example], cwd=tmp_path, env={**os.environ, "RAY_ADDRESS": cluster[0].address},
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.splitlines()[-1])
    assert said == ["0 3", f"['{tmp_path}/lines/a'] 0"]


def test_order_that_cannot_be_kept():
    with pytest.raises(RuntimeError, match="keep_order"):
        trawl.ray.filter(object(), PLAN, "text", keep_order=True)


def test_a_node_is_killed(cluster, table):
    """Check that other nodes repeat a killed node's work, and that each record is delivered once."""
    nodes = cluster[1]
    expected = [i for i, value in enumerate(PLAN.contains(table.column("text"))) if value]
    found = trawl.ray.filter(dataset_of(table), PLAN, "text", workers=(1, 3), batch_rows=100)
    ids = []
    for row in found.iter_rows():
        ids.append(row["id"])
        if len(ids) == 10:
            cluster[0].remove_node(nodes.pop(), allow_graceful=False)
    assert sorted(ids) == expected
