"""Checks, for each parameter of the package that accepts paths, patterns or names, that a single item means a list of
this item. (A str is also a sequence of letters, but Collection("/path") must not walk "/".)"""

import inspect
import pathlib
import re

import pytest
import ray_by_hand
import trawl
from trawl import _shards, cluster, stages
from trawl.client import request


def collection(sources, added=()):
    made = trawl.ray.Collection(sources, 1)
    made.add(added, 1)
    return made.names


def parquet(columns):
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table({"p": [1], "pp": [2]}), "table")
    return [table.column_names for table, _ in trawl.ray.parquet_parts(pyarrow.fs.LocalFileSystem(), "table", columns)]


# For each parameter, by its owner and name: the kinds of items, and a function that returns how the call reads the
# argument. Kinds: s a str, b bytes, f a path object.
TABLE = {
    "Plan patterns": ("sb", lambda given: list(trawl.Plan(given))),
    "request patterns": ("sb", lambda given: request(given, {})["patterns"]),
    "request options": ("sb", lambda given: request("x", {"options": given})["options"]),
    "request paths": ("sbf", lambda given: request("x", {"paths": given})["paths"]),
    "request glob": ("sb", lambda given: request("x", {"glob": given})["options"]),
    "request type": ("sb", lambda given: request("x", {"type": given})["options"]),
    "Stage keep": ("s", lambda given: stages.Stage(trawl.Plan("x"), "text", "cells", keep=given).keep),
    "Collection sources": ("sbf", collection),
    "add sources": ("sbf", lambda given: collection({}, given)),
    "read_json_lines paths": ("sbf", lambda given: list(trawl.ray.files_of(given, None))),
    "read_parquet paths": ("sbf", lambda given: list(trawl.ray.files_of(given, None))),
    "read_parquet columns": ("s", parquet),
    "found_below paths": ("sbf", lambda given: list(_shards.found_below(given))),
}
FORMS = {"s": str, "b": str.encode, "f": pathlib.Path}
# Parameters with names like those of TABLE that do not accept one or several items, but a column of texts, a single
# path, or one value for all patterns.
OTHERS = re.compile(
    "(questions|documents|parts) |(replace|replace_file|mask) values|cells keep|(Cells|Matches|Positions) "
)


@pytest.fixture
def by_hand(monkeypatch, tmp_path):
    pytest.importorskip("pyarrow")
    import trawl.ray  # noqa: F401

    ray_by_hand.install(monkeypatch, [{"CPU": 9.0, "memory": 4 << 30}])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p").write_text("text")
    return tmp_path


@pytest.mark.parametrize("row", TABLE)
def test_one_is_a_list_of_one(by_hand, row):
    kinds, call = TABLE[row]
    for kind in kinds:
        one = FORMS[kind]("p")
        expected = call([one])
        assert expected and call(one) == call((one,)) == call(iter([one])) == expected, (row, kind)


def test_the_table_is_whole(by_hand):
    """Check that the table has each parameter whose name or annotation says that it takes several items."""
    found = set()
    for module in (trawl, trawl.ray, stages, cluster, _shards):
        for name, one in vars(module).items():
            members = vars(one).items() if inspect.isclass(one) else [(name, one)]
            if name.startswith("_") or not getattr(one, "__module__", "").startswith("trawl"):
                continue
            for key, call in members:
                if not inspect.isfunction(call) or (key.startswith("_") and key != "__init__"):
                    continue
                for taken in inspect.signature(call).parameters.values():
                    listed = re.search("str.*Iterable", str(taken.annotation))
                    if listed or taken.name in ("paths", "sources", "keep", "columns"):
                        found.add(f"{name if key == '__init__' else key} {taken.name}")
    own = {"files_of paths", "files_of sources", "read paths", "paths_of sources", "parquet_parts columns"}
    assert {one for one in found if not OTHERS.match(one)} - own <= TABLE.keys()
