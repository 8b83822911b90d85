"""abi: compares the binary interface that the headers declare with the interface of the last release.

abi.py check|write SOURCE_FOLDER REFERENCE C_COMPILER
abi.py library SOURCE_FOLDER REFERENCE LIBRARY

The script compiles the headers' declarations with debug information, each function with an empty body, and abidw writes
the facts on which a program that includes the headers relies: symbols, types, sizes, offsets. REFERENCE has these facts,
one per line. (The compiler and the test install.symbols check that the library defines these functions with these
types.)

check    fails if something in REFERENCE is gone or different. New functions, new enumerators, and new members at the end
of a struct whose first member is `size` are allowed.
write    writes what the headers declare now to REFERENCE, for a release (docs/packaging.md)
library  like check, for a library that was built with debug information
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree


def abi_of(source, headers, compiler, work):
    """Return the interface that these headers declare, as abidw's XML."""
    sys.path.insert(0, os.path.join(source, "scripts", "api"))
    import header

    api = header.read(headers)
    major = api.version.split(".", maxsplit=1)[0]
    code, library = os.path.join(work, "abi.c"), os.path.join(work, "abi.so")
    script, out = os.path.join(work, "abi.map"), os.path.join(work, "abi.xml")
    with open(code, "w", encoding="utf-8") as file:
        file.write("#include <trawl.h>\n")
        for function in api.functions:
            parameters = ", ".join(function.parameters) or "void"
            file.write(f"{function.result} {function.name}({parameters}) {{ __builtin_trap(); }}\n")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"TRAWL_{major} {{ global: trawl_*; local: *; }};\n")
    subprocess.run(
        [compiler, '-std=c11', '-g', '-fno-eliminate-unused-debug-types', '-fPIC', '-shared', '-w',
         f'-I{headers}', f'-Wl,-soname,libtrawl.so.{major}', f'-Wl,--version-script={script}', code,
         '-o', library],
        check=True,
    )  # fmt: skip
    return abi_of_library(library, out)


def abi_of_library(library, out):
    subprocess.run(
        ['abidw', '--no-architecture', '--no-corpus-path', '--no-comp-dir-path', '--no-show-locs',
         '--load-all-types', '--out-file', out, library],
        check=True,
    )  # fmt: skip
    with open(out, encoding="utf-8") as file:
        return file.read()


class Interface:
    """The interface, read from abidw's XML, with types spelled out."""

    KINDS = ("symbols", "functions", "structs", "enums", "typedefs")

    def __init__(self, text):
        root = xml.etree.ElementTree.fromstring(text)
        self.by_id = {element.get("id"): element for element in root.iter() if element.get("id")}
        self.soname = root.get("soname")
        self.symbols, self.functions, self.structs, self.enums, self.typedefs = {}, {}, {}, {}, {}
        for element in root.iter("elf-symbol"):
            self.symbols[element.get("name")] = element.get("version")
        for element in root.iter("function-decl"):
            inputs = [self.spelled(child.get("type-id")) for child in element.iter("parameter")]
            result = self.spelled(element.find("return").get("type-id"))
            self.functions[element.get("name")] = f"{result} ({', '.join(inputs)})"
        for element in root.iter("class-decl"):
            if element.get("is-declaration-only") != "yes" and element.get("name").startswith("trawl_"):
                self.structs[element.get("name")] = self.members_of(element)
        for element in root.iter("enum-decl"):
            self.enums[element.get("name")] = {
                child.get("name"): child.get("value") for child in element.iter("enumerator")
            }
        for element in root.iter("typedef-decl"):
            if element.get("name").startswith("trawl_"):
                self.typedefs[element.get("name")] = self.spelled(element.get("type-id"))

    def members_of(self, element):
        found = [
            [child.find('var-decl').get('name'), child.get('layout-offset-in-bits'),
             self.spelled(child.find('var-decl').get('type-id'))]
            for child in element.findall('data-member')
        ]  # fmt: skip
        return {"size": int(element.get("size-in-bits")), "members": found}

    def spelled(self, type_id):
        if type_id is None:
            return "..."
        element = self.by_id[type_id]
        tag, inner = element.tag, element.get("type-id")
        if tag == "pointer-type-def":
            return self.spelled(inner) + " *"
        if tag == "qualified-type-def":
            return self.spelled(inner) + (" const" if element.get("const") else " volatile")
        if tag == "array-type-def":
            sizes = "".join(f"[{child.get('length')}]" for child in element.iter("subrange"))
            return self.spelled(inner) + sizes
        if tag == "function-type":
            inputs = [self.spelled(child.get("type-id")) for child in element.iter("parameter")]
            return f"{self.spelled(element.find('return').get('type-id'))} ({', '.join(inputs)})"
        return element.get("name")

    def lines(self):
        """Yield the interface in the reference's form: a kind, a name and a fact in each line."""
        yield f"{self.soname}\n"
        for kind in self.KINDS:
            for name, fact in sorted(getattr(self, kind).items()):
                yield f"{kind} {name} {json.dumps(fact)}\n"


class Reference:
    """The interface that the lines of a reference file describe."""

    def __init__(self, path):
        for kind in Interface.KINDS:
            setattr(self, kind, {})
        with open(path, encoding="utf-8") as file:
            self.soname = next(file).strip()
            for line in file:
                kind, name, fact = line.split(" ", 2)
                getattr(self, kind)[name] = json.loads(fact)


def breaks(old, new):
    """Yield what a program that was compiled for the interface `old` would miss in `new`."""
    if old.soname != new.soname:
        yield f"the soname is {new.soname}, was {old.soname}"
    for name, version in sorted(old.symbols.items()):
        if new.symbols.get(name) != version:
            yield f"{name}@{version} is gone"
    for kind in ("functions", "typedefs"):
        before, now = getattr(old, kind), getattr(new, kind)
        for name in sorted(set(before) & set(now)):
            if before[name] != now[name]:
                yield f"{name}: {now[name]}, was {before[name]}"
    for name, before in sorted(old.structs.items()):
        now = new.structs.get(name)
        if now is None:
            yield f"struct {name} is gone"
            continue
        count = len(before["members"])
        if now["members"][:count] != before["members"]:
            yield f"struct {name}: a member has changed, moved or gone"
        may_grow = before["members"][0][0] == "size"
        if not may_grow and (now["size"], len(now["members"])) != (before["size"], count):
            yield f"struct {name} has grown, and does not begin with `size`"
    for name, before in sorted(old.enums.items()):
        now = new.enums.get(name, {})
        for label in sorted(before):
            if now.get(label) != before[label]:
                yield f"{label} is {now.get(label)}, was {before[label]}"


def main():
    part, source, reference, compiler = sys.argv[1:]
    if not shutil.which("abidw"):
        print("SKIPPED: abidw (libabigail) is not here")
        return 77
    with tempfile.TemporaryDirectory() as work:
        if part == "library":
            text = abi_of_library(compiler, os.path.join(work, "abi.xml"))
        else:
            text = abi_of(source, os.path.join(source, "include"), compiler, work)
    new = Interface(text)
    if part == "write":
        with open(reference, "w", encoding="utf-8") as file:
            file.writelines(new.lines())
        return 0
    said = list(breaks(Reference(reference), new))
    if said:
        print(*said, sep="\n")
        return 1
    print(f"{len(new.functions)} functions, {len(new.structs)} structs, {len(new.enums)} enums: compatible")
    return 0


sys.exit(main())
