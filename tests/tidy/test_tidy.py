"""Checks that the sources and the objects of the build follow the project's rules."""

import os
import re
import subprocess

import checks
import pytest
from harness import BUILD, ROOT
from tree import HERE, Skip, Tree, source_of

# Symbols that the linker defines, not a library.
LINKER_NAMES = {"_GLOBAL_OFFSET_TABLE_", "__tls_get_addr"}  # __tls_get_addr finds thread-local variables
CLOSED_MODULES = ("base", "plan")


def nm(paths, *arguments):
    """Return {path: names of symbols that nm prints}, without the symbols' versions."""
    command = ["nm", "-A", "-P", *arguments, *paths]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    names = {path: set() for path in paths}
    for line in result.stdout.splitlines():
        path, name = line.split(": ", 1)
        names[path].add(name.split()[0].split("@")[0])
    return names


def c_library_names():
    compiler = os.environ.get("CC", "cc")
    command = [compiler, "-print-file-name=libc.so.6"]
    path = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return nm([path], "-D", "--defined-only")[path]


@pytest.fixture(scope="session")
def tree():
    return Tree(ROOT)


@pytest.mark.parametrize("name", checks.ALL)
def test_tree(name, tree):
    try:
        found = sorted(set(checks.ALL[name](tree)))
    except Skip as skip:
        pytest.skip(str(skip))
    assert not found, "\n".join(["", *(f"{path}:{line}: {message}" for path, line, message in found)])


def listed(name):
    """Return the object files that CMake lists, so that objects of removed sources are ignored."""
    path = BUILD / "tests/tidy" / name
    if not path.exists():
        pytest.skip("no build")
    return path.read_text().split("\n")


def test_symbols():
    """Check the layers of layers.txt by the symbols of object files. (An `extern` declaration written by hand escapes
    the check of includes, but not this one.) An object may use symbols that its own module defines, or a module that it may
    include, and symbols that the library does not define at all. The modules base and plan together must need nothing but
    the C library."""
    folder = BUILD / "src/CMakeFiles"
    modules, rights = checks.modules_and_rights(os.path.join(HERE, "layers.txt"))
    objects = {}
    for path in listed("objects.txt"):
        name = re.sub(r"^\w+\.dir/", "", os.path.relpath(path, folder))
        objects[path] = (name, checks.module_of(modules, source_of("src/" + name)))
    owner = {}
    for path, symbols in nm(objects, "-g", "--defined-only").items():
        for symbol in symbols:
            owner[symbol] = objects[path][1]
    library, undefined = c_library_names(), nm(objects, "-u")
    findings = []
    for path, (name, module) in objects.items():
        for symbol in sorted(undefined[path] - LINKER_NAMES):
            if symbol in owner:
                if owner[symbol] != module and owner[symbol] not in rights.get(module, []):
                    findings.append(f"{name}: {module} may not use {symbol} ({owner[symbol]})")
            elif module in CLOSED_MODULES and symbol not in library:
                findings.append(f"{name}: {module} needs {symbol}, which is not in the C library")
    assert objects and owner and findings == []


def needs_of_objects(paths, folder):
    """Return for each file the files that define its undefined symbols; names are relative to the
    folder."""
    name_of = {path: source_of(re.sub(r"CMakeFiles/\w+\.dir/", "", os.path.relpath(path, folder))) for path in paths}
    symbols = {"-u": [], "--defined-only": []}
    for option, found in symbols.items():
        command = ["nm", "-A", "-P", "-g", option, *paths]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        for line in result.stdout.splitlines():
            path, name = line.split(": ", 1)
            found.append((name_of[path], name.split()[0]))
    owner = {symbol: name for name, symbol in symbols["--defined-only"]}
    needs = {name: set() for name in name_of.values()}
    for name, symbol in symbols["-u"]:
        needs[name].add(owner.get(symbol, name))
    return needs


def reached(needs, start):
    """Return the files that a file needs, directly and through other files."""
    seen, rest = set(), [start]
    while rest:
        for name in needs.get(rest.pop(), ()):
            if name not in seen:
                seen.add(name)
                rest.append(name)
    return seen


def circles(needs):
    """Return lists of files in which each file needs all other files."""
    needs = {name: used - {name} for name, used in needs.items()}
    reach = {name: reached(needs, name) for name in needs}
    return sorted(
        {tuple(sorted(other for other in reach[name] if name in reach[other])) for name in needs if name in reach[name]}
    )


def test_circles():
    """Check that no files of a module depend on each other in a cycle, directly or through other files of the module. A
    file needs a file that defines a symbol which the first file uses."""
    needs = needs_of_objects([line for line in listed("objects_all.txt") if line.endswith(".c.o")], BUILD)
    modules = listed("modules.txt")
    for module in modules:
        inside = {name for name in needs if name.startswith(module + "/")}
        assert inside and circles({name: needs[name] & inside for name in inside}) == [], module
    assert len(modules) > 5
