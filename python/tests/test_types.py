"""Tests the stubs: type checkers find the package typed, and the stubs agree with the extension."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import SCALE

pytestmark = pytest.mark.skipif(
    SCALE < 20 or "ASAN_OPTIONS" in os.environ or importlib.util.find_spec("mypy") is None,
    reason="mypy is for long runs",
)


def run(folder, *arguments):
    settings = folder / "mypy.ini"
    settings.write_text("[mypy]\nstrict = True\nignore_missing_imports = True\n")
    flag = "--mypy-config-file" if "stubtest" in arguments[0] else "--config-file"
    arguments = [*arguments, flag, str(settings)]
    environment = dict(os.environ, MYPY_CACHE_DIR=os.devnull)
    # The type checkers run in an empty folder, because the shared folder for temporary files may contain modules.
    return subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, env=environment, cwd=folder
    )


def test_package_is_strictly_typed(tmp_path):
    example = pathlib.Path(__file__).parents[1] / "examples" / "gpu_columns.py"
    for arguments in (["-p", "trawl"], [str(example)]):
        result = run(tmp_path, "mypy", *arguments)
        assert result.returncode == 0, result.stdout


def test_stubs_are_what_the_extension_has(tmp_path):
    # Interpreters before 3.12 have the buffer protocol without __buffer__.
    allowed = tmp_path / "allowed"
    allowed.write_text(
        "trawl._trawl.Column.__buffer__\ntrawl.Column.__buffer__\n"
        "trawl\\.[a-z.]+\\.(pyarrow|compute|polars|pandas)\n"
        "trawl._shards.can_search_whole\ntrawl._sources._built\n"  # functions with a cache
    )
    ignored = [f"--ignore-{one}" for one in ("missing-stub", "unused-allowlist", "disjoint-bases")]
    result = run(tmp_path, "mypy.stubtest", "trawl", *ignored, "--allowlist", str(allowed))
    assert result.returncode == 0, result.stdout


USE = """
import trawl
plan = trawl.Plan([b"a", bytearray(b"b")], ignore_case="ascii")
count: int = plan.count(b"text")
at: int = plan.positions(b"text")[0]
first: tuple[int, int, int] | None = plan.first("text")
begins: list[trawl.Column] = [batch.begins for batch in plan.batches(b"text")]
for lines in plan.line_batches(b"text"):
    number, begin, line = lines[0]
    whole: bytes = line
with trawl.Searcher("cpu", threads=2) as searcher:
    matches: trawl.Matches = searcher.matches(plan, b"text")
with trawl.Client() as client:
    counts: tuple[int, ...] = client.count(["a", b"b"], glob="*.c", ignore_case=True).patterns
    paths: list[str] = [match.path for match in client.search("a", context=2)]
plan.count(3.5)  # a type checker must reject this line
client.count("a", ignorecase=True)  # and this line
"""


def test_uses(tmp_path):
    """Check that mypy reports exactly the two wrong lines."""
    path = tmp_path / "use.py"
    path.write_text(USE.lstrip())
    lines = run(tmp_path, "mypy", str(path)).stdout.splitlines()
    errors = [line.split(":")[1] for line in lines if ": error: " in line]
    assert errors == ["15", "16"], lines


def test_texts_of_numpy(tmp_path):
    """Check that mypy accepts arrays of numpy as texts. (Before Python 3.12, there was no method for the buffer protocol
    in types, and numpy declares it only from 3.12 on.)"""
    pytest.importorskip("numpy")
    path = tmp_path / "arrays.py"
    path.write_text(
        "import numpy\nimport trawl\ntext = numpy.zeros(3, numpy.uint8)\n"
        "plan = trawl.Plan('a', sample=text)\n"
        "count: int = plan.count(text)\n"
    )
    for version in ("3.11", "3.13"):
        result = run(tmp_path, "mypy", "--python-version", version, str(path))
        assert result.returncode == 0, result.stdout


def test_columns(tmp_path):
    """Check what mypy finds of columns: it rejected a Series of polars, and took numpy's strings for one text."""
    for package in ("numpy", "polars"):
        pytest.importorskip(package)
    path = tmp_path / "columns.py"
    path.write_text(
        "import numpy\nimport polars\nimport trawl\nplan = trawl.Plan('a')\nseries = polars.Series(['a'])\n"
        "strings, byte = numpy.array(['a']), numpy.zeros(3, numpy.uint8)\n"
        "replaced: trawl.Array = plan.replace(series, 'b')\nmasked: trawl.Array = plan.mask(series)\n"
        "parts: list[object] = plan.split(series)\narray: trawl.Array = plan.split(series, answer='array')\n"
        "items: list[object] = plan.replace(strings, 'b')\nitems = plan.mask(strings)\nitems = plan.split(strings)\n"
        "one: bytes = plan.replace(byte, b'b')\nitems = plan.replace(['a', None], 'b')\n"
        "sums: dict[str, int] = plan.count_by_pattern(byte, answer='value')\n"
        "found: trawl.Array = plan.contains(strings)\nfound = plan.contains(series) & [True]\n"
    )
    for version in ("3.11", "3.13"):
        result = run(tmp_path, "mypy", "--python-version", version, str(path))
        assert result.returncode == 0, result.stdout


def test_pyright(tmp_path):
    """Check that pyright, a second type checker, reports the same two lines."""
    pytest.importorskip("pyright")
    (tmp_path / "use.py").write_text(USE.lstrip())
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    result = subprocess.run([*command, str(tmp_path / "use.py")], capture_output=True, text=True)
    if not result.stdout.startswith("{"):
        pytest.skip("pyright cannot get what it runs on")
    found = json.loads(result.stdout)["generalDiagnostics"]
    errors = [item["range"]["start"]["line"] + 1 for item in found if item["severity"] == "error"]
    assert errors == [15, 16], found
