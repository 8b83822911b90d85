"""Compares the generated man pages with the headers."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from harness import BUILD, ROOT

sys.path.append(str(ROOT / "tests/tidy"))
import c_source  # noqa: E402

GENERATED = str(BUILD / "generated")


def functions():
    """Return {name: (result, [parameter names])} of the headers, found without the generator's code."""
    found = {}
    folder = ROOT / "include"
    for name in sorted(os.listdir(folder)):
        with open(folder / name, encoding="utf-8") as file:
            code = " ".join(c_source.code_only(file.read()).split())
        for match in re.finditer(r"TRAWL_(API|CALL) ([^;]*?)\b(trawl_\w+) ?\(([^;]*)\);", code):
            result = "enum trawl_status" if match.group(1) == "CALL" else match.group(2).strip()
            parameters = re.findall(r"(\w+)(?=,|$)", match.group(4))
            found[match.group(3)] = (result, [] if parameters == ["void"] else parameters)
    return found


def plain(page):
    """Return a page's text without man's macros."""
    text = re.sub(r"\\f[BIPR]|\\%|\\&", "", page).replace("\\-", "-").replace("\\(aq", "'")
    return re.sub(r"^\.\w+ ?", "", text, flags=re.MULTILINE)


def section(page, title):
    match = re.search(rf"^\.SH {title}\n(.*?)(?=^\.SH |\Z)", page, re.MULTILINE | re.DOTALL)
    return match.group(1) if match else ""


FUNCTIONS = functions()


def test_functions_are_found():
    assert len(FUNCTIONS) > 30


@pytest.mark.parametrize("name", FUNCTIONS)
def test_page(name):
    """Check that a page names the function, its parameters and its result's type."""
    result, parameters = FUNCTIONS[name]
    with open(os.path.join(GENERATED, "man3", f"{name}.3"), encoding="utf-8") as file:
        page = file.read()
    assert re.search(rf"\b{name}\b.* \\- \S", section(page, "NAME"))
    synopsis = " ".join(plain(section(page, "SYNOPSIS")).split())
    declared = re.search(rf"{re.escape(result)} ?{name}\(([^;]*)\);", synopsis)
    assert declared
    assert (re.findall(r"(\w+)(?=,|$)", declared.group(1)) or ["void"]) == (parameters or ["void"])
    assert len(plain(section(page, "DESCRIPTION")).split()) >= 3


def pages():
    folder = os.path.join(GENERATED, "man3")
    found = [os.path.join(GENERATED, "trawl.1"), *(os.path.join(folder, name) for name in sorted(os.listdir(folder)))]
    found.append(os.path.join(GENERATED, "trawl-serve.1"))
    return [path for path in found if os.path.isfile(path) and not os.path.islink(path)]


COMMANDS = ["groff -man -ww -z -Tutf8", "mandoc -Tlint -W warning"] + ["man --warnings=w -E UTF-8 -l -Tutf8 -Z"] * bool(
    shutil.which("man")
)


@pytest.mark.parametrize("command", COMMANDS)
def test_lint(command):
    """Check that the programs that show the pages print no warnings about them."""
    command = command.split()
    if not shutil.which(command[0]):
        pytest.skip(f"no {command[0]}")
    # man takes a single page at a time and runs groff, so a page of each section is enough.
    for given in [[page] for page in pages()[:2]] if command[0] == "man" else [pages()]:
        done = subprocess.run([*command, *given], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        said = done.stderr.splitlines()
        if command[0] == "mandoc":  # the pages have the version in place of a date
            said += [line for line in done.stdout.splitlines() if "missing date" not in line]
        assert said == []
