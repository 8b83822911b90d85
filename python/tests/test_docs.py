"""The examples of the docstrings and of the user's guide run and say what they print."""

import doctest
import importlib
import pathlib

import pytest
import trawl

NAMES = [name for name in trawl.__all__ if not name.startswith("_")]


@pytest.mark.parametrize("name", NAMES)
def test_docstrings(name):
    thing = getattr(trawl, name)
    assert thing.__doc__
    globs = dict(vars(trawl), trawl=trawl)
    for test in doctest.DocTestFinder().find(thing, name, module=False, globs=globs):
        assert doctest.DocTestRunner().run(test).failed == 0


def test_module():
    assert doctest.testmod(trawl).failed == 0


@pytest.mark.parametrize("name", ["decontaminate", "stages", "arrow", "polars", "pandas", "duckdb"])
def test_modules(name):
    pytest.importorskip("pyarrow")
    if name in ("polars", "pandas", "duckdb"):
        pytest.importorskip(name)
    module = importlib.import_module("trawl." + name)
    for test in doctest.DocTestFinder().find(module):
        try:
            doctest.DebugRunner().run(test)
        except doctest.UnexpectedException as error:
            raise error.exc_info[1] from None  # it may be "skipped"


def test_guide():
    guide = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
    result = doctest.testfile(str(guide), module_relative=False)
    assert result.attempted > 0 and result.failed == 0
