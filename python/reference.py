"""reference.py [OUT]: docs/python-reference.md, the Python package by class and method, made from its docstrings.

It reads sources alone: those of the extension module (src) and the modules of `trawl`. Without OUT, it prints."""

import ast
import pathlib
import re
import sys
import textwrap

import stub

HERE = pathlib.Path(__file__).parent
HEAD = """\
# The Python package, by class and method

<!-- made by python/reference.py from the docstrings -->

[python.md](python.md) introduces the package. Types are in its stubs; `help()` prints the same text.
"""
# The module, and the names in it; those of the extension module stand for its classes and functions.
PAGES = (
    ("trawl: plans and texts", "_trawl", ("Plan", "Searcher", "Text")),
    ("trawl: results", "_sources", ("Columns", "Matches", "Cells", "Lines")),
    ("", "_trawl", ("Match", "Column", "Array", "Batches", "LineBatches")),
    ("", "_excerpts", ("Excerpt",)),
    ("trawl: on a GPU", "_trawl", ("Records", "DeviceArray", "DeviceMatches", "DeviceStrings")),
    ("trawl: functions", "_trawl", ("contains_each", "algorithms", "instruction_sets")),
    ("", "_fasta", ("fasta", "fastq")),
    ("trawl: clients of a server", "client", ("Client",)),
    ("trawl.arrow, polars, pandas, duckdb", "arrow", ("Searches", "register")),
    ("", "duckdb", ("register",)),
    ("trawl.stages, spark, ray", "stages", ("Stage", "SparkCounters")),
    ("", "spark", ("run",)),
    ("", "ray", ("run", "filter", "cells", "count", "read_json_lines", "read_parquet")),
    ("", "_shards", ("Collection",)),
    ("trawl.decontaminate", "decontaminate/__init__", ("decontaminate", "Form", "Questions", "Overlap")),
    ("Errors", "_errors", None),
)  # fmt: skip
# The line of a docstring that begins the description of an option, or of a method.
ITEM = re.compile(r"((?:[a-z_]+(?:\([^()]*\))?)(?:, [a-z_]+(?:\([^()]*\))?)*): ")
SHOWN_FROM = {"_shards": "ray.", "stages": "stages.", "spark": "spark.", "ray": "ray.", "arrow": "arrow.",
              "duckdb": "duckdb.", "decontaminate/__init__": ""}  # fmt: skip


def plain(signature):
    """Return the parameters on one line, without Cython's types, `self` and `cls`."""
    parts = re.split(r",\s*(?![^()\[\]]*[)\]])", " ".join(signature.split()).strip().rstrip(","))
    parts = [re.sub(r"^\w+ (?=\w+ not None|\w+$|\w+=)| not None", "", part) for part in parts]
    return ", ".join(part for part in parts if part and part not in ("self", "cls"))


def own_members(base):
    """Yield (name, parameters or None for a property, docstring) of the extension's class `base`."""
    for decorators, name, signature, text in re.findall(
        r'^((?:    @\w+\n)*)    def (\w+)\(((?:[^()]|\([^()]*\))*)\):\n        """(.*?)"""', base, re.M | re.S
    ):
        if not name.startswith("_"):
            yield name, None if "@property" in decorators else signature, said(text)


def said(text):
    """Return the docstring of a source's literal, as inspect.cleandoc does."""
    return ast.literal_eval(f'"""{text}"""')


def of_extension(names):
    """Yield (name, parameters, docstring, members) of classes and functions of the extension module."""
    source = "\n".join(path.read_text() for path in sorted((HERE / "src").glob("*.p[yx][xi]")))
    classes = stub.classes_of(source)
    for name in names:
        if name not in classes:
            signature, text = re.search(rf'^def {name}\((.*?)\):\n    """(.*?)"""', source, re.M | re.S).groups()
            yield name, signature, said(text), []
            continue
        text = said(re.search(r'^    """(.*?)"""', classes[name][1], re.M | re.S)[1])
        made = re.match(rf"{name}\((.*?)\)\n(?:--\n)?", text, re.S)
        members, base = [], name
        while base in classes:
            members += own_members(classes[base][1])
            base = classes[base][0]
        yield name, made[1] if made else None, text[made.end() :] if made else text, members


def parameters(function):
    """Return a function's parameters as text, without types."""
    given = function.args
    for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
        if one is not None:
            one.annotation = None
    return ast.unparse(given)


def of_module(module, names):
    """Yield the same as of_extension() of a module in Python; names: None means all public classes."""
    tree = ast.parse((HERE / "trawl" / (module + ".py")).read_text())
    kinds = (ast.ClassDef, ast.FunctionDef)
    found = {node.name: node for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")}
    for name in names or [one for one in found if isinstance(found[one], ast.ClassDef)]:
        node, members, made = found[name], [], None
        if isinstance(node, ast.FunctionDef):
            yield name, parameters(node), ast.get_docstring(node, clean=False), []
            continue
        for member in node.body:
            if isinstance(member, ast.FunctionDef) and member.name == "__init__":
                made = parameters(member)
            elif isinstance(member, ast.FunctionDef) and not member.name.startswith("_") and ast.get_docstring(member):
                is_property = any("property" in ast.unparse(one) for one in member.decorator_list)
                text = ast.get_docstring(member, clean=False)
                members.append((member.name, None if is_property else parameters(member), text))
        text = ast.get_docstring(node, clean=False) or ""
        yield name, made, re.sub(rf"^{name}\(.*?\)\n\s*\n", "", text, flags=re.S), members


def blocks(text):
    """Yield a docstring's blocks: ("code", lines), ("item", name, words) or ("text", words)."""
    lines = text.expandtabs().strip().split("\n")
    indents = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    lines = lines[:1] + [line[min(indents, default=0) :] for line in lines[1:]]
    at = 0
    while at < len(lines):
        end = at + 1
        item = ITEM.match(lines[at])
        if not lines[at]:
            pass
        elif lines[at].startswith(" "):  # drawn, or a table
            while end < len(lines) and lines[end].startswith(" "):
                end += 1
            yield "code", lines[at:end]
        elif lines[at].startswith(">>>"):
            while end < len(lines) and lines[end]:
                end += 1
            yield "code", lines[at:end]
        else:
            while (
                end < len(lines)
                and not re.match(r"$|>>>|\s+\S.*(\S  +\S|:$)", lines[end])
                and not ITEM.match(lines[end])
            ):
                end += 1
            if not item and any(re.search(r"\S  +\S", line) for line in lines[at:end]):  # a table
                yield "code", lines[at:end]
                at = end
                continue
            words = " ".join(" ".join(lines[at:end]).split())
            yield ("item", item[1], words[len(item[1]) + 2 :]) if item else ("text", words)
        at = end


def escaped(words):
    return re.sub(r"(?<!`)([*<|])(?!`)", r"\\\1", words)


def shown(text):
    """Yield the Markdown lines of a docstring."""
    before = None
    for kind, *block in blocks(text):
        if not (kind == before == "item"):
            yield ""
        before = kind
        if kind == "text":
            yield escaped(block[0])
        elif kind == "item":
            yield f"- `{block[0]}`: {escaped(block[1])}"
        else:
            yield from ["```pycon" if block[0][0].startswith(">>>") else "```text", *block[0], "```"]


def reference():
    lines = [HEAD.rstrip()]
    for title, module, names in PAGES:
        if title:
            lines += ["", f"## {title}"]
        for name, made, text, members in of_extension(names) if module == "_trawl" else of_module(module, names):
            name = SHOWN_FROM.get(module, "") + name
            lines += ["", f"### {name}"]
            if made is not None and module != "_sources":  # searches make those
                lines += [
                    "",
                    "```python",
                    *textwrap.wrap(f"{name}({plain(made)})", 100, subsequent_indent="    "),
                    "```",
                ]
            lines += shown(text)
            for member, given, about in members:
                call = "" if given is None else f"({plain(given)})"
                lines += ["", f"#### `{name.rpartition('.')[2]}.{member}{call}`", *shown(about)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(reference())
    else:
        print(reference(), end="")
