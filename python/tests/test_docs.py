"""Tests that the examples in docstrings and in the user's guide run, and print what the text says."""

import contextlib
import doctest
import functools
import importlib
import inspect
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import pytest
import trawl
from serving import real

NAMES = [name for name in trawl.__all__ if not name.startswith("_")]


@pytest.fixture
def served(tmp_path, monkeypatch):
    """Run a server for the examples of clients."""
    (tmp_path / "tree/barn").mkdir(parents=True)
    (tmp_path / "tree/barn/hay.txt").write_text("\nhay, hay, needle\n")
    with real(f"--listen=unix:{tmp_path}/socket", tmp_path / "tree") as address:
        monkeypatch.setenv("TRAWL_SERVER", address)
        yield


@pytest.mark.parametrize("name", NAMES)
def test_docstrings(name, request):
    if name == "Client":
        request.getfixturevalue("served")
    thing = getattr(trawl, name)
    assert thing.__doc__
    globs = {one: getattr(trawl, one) for one in NAMES} | {"os": os, "pathlib": pathlib, "tempfile": tempfile}
    for test in doctest.DocTestFinder().find(thing, name, module=False, globs=globs):
        assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


def stories():
    """Return the stories in which Python is typed: (name of the document: heading, text)."""
    folder = pathlib.Path(__file__).parents[2] / "tests/stories"
    parts = [(path.stem, part) for path in sorted(folder.glob("*.md")) for part in path.read_text().split("\n## ")[1:]]
    return [(f"{name}: {part.splitlines()[0]}", part) for name, part in parts if "```pycon" in part]


@pytest.mark.parametrize("title, text", stories())
def test_story(title, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "pty.openpty" in text:
        try:
            for end in os.openpty():
                os.close(end)
        except OSError:
            pytest.skip("no pseudo-terminal")
    typed = "\n".join(re.findall(r"^```pycon\n(.*?)^```$", text, re.M | re.S))
    test = doctest.DocTestParser().get_doctest(typed, {"trawl": trawl, "os": os}, title, None, 0)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


@pytest.mark.skipif(not trawl.algorithms(), reason="this build has no gallery")
def test_gallery_recipe(capsys):
    """Check that the Python of gallery/README.md prints what its comment says."""
    pytest.importorskip("pyarrow")
    page = (pathlib.Path(__file__).parents[2] / "gallery/README.md").read_text()
    (typed,) = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    exec(typed, {})
    assert capsys.readouterr().out == re.search(r"each cell: (.*)\n", typed)[1] + "\n"


def test_every_option_of_clients_is_documented():
    from trawl import client

    options = [*client.SWITCHES, *client.NUMBERS, "collection", "directory", "paths", "options", "tg"]
    options += ["regex", "requires", "glob", "type", "address", "token", "timeout", "tls"]
    # Before CPython 3.13, the lines of __doc__ are indented.
    said = re.findall(r"^([a-z_, ]+):", inspect.getdoc(trawl.Client), re.M)
    assert sorted(", ".join(said[said.index("address") :]).split(", ")) == sorted(options)


@pytest.mark.parametrize("name", ["Plan", "Searcher", "Text"])
def test_every_option_is_documented(name):
    """Check that help() of trawl.Plan and other classes describes each option."""
    kind = getattr(trawl, name)
    stub = pathlib.Path(trawl.__file__).with_name("_trawl.pyi").read_text()
    (made,) = re.findall(rf"^class {name}[:(].*?def __new__\((.*?)\) -> ", stub, re.M | re.S)
    options = re.findall(r"^ *(\w+):", made.replace(", ", ",\n"), re.M)
    assert options and [one for one in options if f"{one}:" not in kind.__doc__.replace(", ", ": ")] == []


def test_module():
    (test,) = (one for one in doctest.DocTestFinder().find(trawl) if one.name == "trawl")
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("name", ["decontaminate", "stages", "arrow", "polars", "pandas", "duckdb"])
def test_modules(name):
    pytest.importorskip("pyarrow")
    if name in ("polars", "pandas", "duckdb"):
        pytest.importorskip(name)
    module = importlib.import_module("trawl." + name)
    for test in doctest.DocTestFinder().find(module):
        doctest.DebugRunner().run(test)


@pytest.mark.parametrize("name", ["python.md", "comparison.md", "faq.md"])
def test_guide(name):
    guide = pathlib.Path(__file__).parents[2] / "docs" / name
    result = doctest.testfile(str(guide), module_relative=False)
    assert result.attempted > 0 and result.failed == 0


def forms(folder):
    """Yield (name, function that makes a text or column) for the forms of docs/python.md's table."""
    text, path = "b\u00e9b", folder / "text"
    path.write_text(text, "utf-8")
    yield "bytes", text.encode
    yield "`str`", lambda: text
    yield "list of `str`", lambda: [text, None]
    yield "list of bytes", lambda: [text.encode(), None]
    yield "path", lambda: path
    yield "file, binary", lambda: open(path, "rb")
    yield "file, text", lambda: open(path, encoding="utf-8")
    for name, module, make in (
        ("numpy array of bytes", "numpy", lambda numpy: numpy.frombuffer(text.encode(), "uint8")),
        ("numpy array of `str`", "numpy", lambda numpy: numpy.array([text, "x"])),
        ("pyarrow array", "pyarrow", lambda pyarrow: pyarrow.array([text, None])),
        ("pyarrow array of binary", "pyarrow", lambda pyarrow: pyarrow.array([text.encode(), None])),
        ("pyarrow dictionary", "pyarrow", lambda pyarrow: pyarrow.array([text, None]).dictionary_encode()),
        ("polars Series", "polars", lambda polars: polars.Series([text, None])),
        ("pandas Series", "pandas", lambda pandas: pandas.Series([text, None])),
    ):
        with contextlib.suppress(ImportError):
            yield name, functools.partial(make, importlib.import_module(module))


def answer(call, *arguments):
    try:
        return call(*arguments)
    except Exception as error:
        return type(error).__name__


def test_table_of_forms(tmp_path):
    """Check the table in docs/python.md of the forms of texts and of what each form returns."""
    guide = pathlib.Path(__file__).parents[2].joinpath("docs/python.md").read_text("utf-8")
    lines = (line[1:].partition("|") for line in guide.partition("\n|form|")[2].splitlines())
    rows = {name: rest for names, _, rest in lines for name in names.split("; ")}
    plans = [trawl.Plan("b"), trawl.Plan("bb", edits=1), trawl.Plan(r"\wb$|^b", regex=True, alphabet="utf8")]
    for name, form in forms(tmp_path):
        counts = [answer(plan.count, form()) for plan in plans]
        records = [answer(plan.match_counts, form()) for plan in plans]
        lists = answer(plans[0].match_lists, form())
        found = answer(plans[0].matches, form()) if isinstance(lists, str) else lists.tolist()[0]
        unit = "" if isinstance(found, str) else {2: "characters", 3: "bytes"}[found[1][0]]
        made = answer(plans[0].replace, form(), "")
        made = made if isinstance(made, str) and made.endswith("Error") else type(made).__name__
        records = [one if isinstance(one, str) else str(one.tolist()) for one in records]
        said = [str(of[0]) if len(set(of)) == 1 else ", ".join(map(str, of)) for of in (counts, records)]
        assert rows[name] == "|".join([*said, unit, made, ""]), name


def test_the_package_itself():
    """Check that importing trawl imports only the modules that most programs need, that the function decontaminate hides
    the module of this name."""
    code = """if True:
        import sys, trawl
        assert not {"trawl.client", "trawl.decontaminate", "http.client", "ssl", "html", "socket", "gzip"} & sys.modules.keys()
        assert trawl.Client.__name__ == "Client" and set(dir(trawl)) == {*trawl.__all__}
        import trawl.decontaminate
        from trawl import decontaminate
        assert list(trawl.decontaminate(["a b"], ["A, b"], words=2)) and decontaminate is trawl.decontaminate
    """
    subprocess.run([sys.executable, "-c", code], check=True)
