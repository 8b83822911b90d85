"""stub.py FOLDER OUT: the stub of the extension module, made from its Cython source in FOLDER.

Names, order and defaults come from the source. Types come from here: a parameter has the same type in each function, so
a parameter or a method without a type fails the build. Each search of Plan is also one of Searcher, with the plan as its
first argument."""

import pathlib
import re
import sys

HEAD = '''\
"""The names that the extension module exports."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, Literal, NoReturn, Protocol, SupportsIndex, final, overload

from ._excerpts import Excerpt
from ._sources import Cells, Lines, Matches
from typing_extensions import Buffer, CapsuleType, Self, TypeAlias

class _ArrowArray(Protocol):
    def __arrow_c_array__(
        self, requested_schema: Any = None
    ) -> tuple[CapsuleType, CapsuleType]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> object: ...  # a capsule

class _OnDevice(Protocol):
    def __arrow_c_device_array__(
        self, requested_schema: Any = None, **kwargs: Any
    ) -> tuple[CapsuleType, CapsuleType]: ...

class _Series(Protocol):
    def to_pylibcudf(self) -> Any: ...

class _Tensor(Protocol):
    def __dlpack_device__(self) -> tuple[Any, Any]: ...

class _CudaArray(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

class _Reads(Protocol):
    def read(self, size: int, /) -> bytes: ...

# Arrays whose classes declare the buffer protocol only from Python 3.12 on.
class _NumpyArray(Protocol):
    @property
    def __array_interface__(self) -> dict[str, Any]: ...

# Arrays of numpy's str or bytes, which are columns.
class _StringType(Protocol):
    @property
    def type(self) -> type[str] | type[bytes]: ...

class _Strings(Protocol):
    @property
    def dtype(self) -> _StringType: ...

class _HasDescriptor(Protocol):
    def fileno(self) -> int: ...

class _Lines(Protocol):
    def read(self) -> str | bytes: ...

_Pattern: TypeAlias = str | Buffer
_Bytes: TypeAlias = _Tensor | _CudaArray
_There: TypeAlias = Records | _OnDevice | _Series | tuple[_Bytes, _Bytes]
_HostText: TypeAlias = Buffer | _NumpyArray | str | PathLike[str] | PathLike[bytes] | _Reads | _HasDescriptor
_TextSource: TypeAlias = Text | _Bytes | _HostText
_Records: TypeAlias = _ArrowArray | _ArrowStream | Iterable[str | Buffer | None]
_Offsets: TypeAlias = Literal["characters", "bytes"]
_Spans: TypeAlias = Literal["leftmost-longest", "leftmost-first"]
_Values: TypeAlias = (
    str | bytes | Sequence[str | bytes] | Mapping[Any, str | bytes] | Callable[[Any, int], str | bytes]
)
_Column: TypeAlias = _ArrowArray | _ArrowStream
_Progress: TypeAlias = Callable[[int], object] | bool | None
_Match: TypeAlias = tuple[Any, ...]
_Letters: TypeAlias = Literal["unicode", "ascii"]
_Alphabet: TypeAlias = Literal["bytes", "utf8", "dna"]
_Syntax: TypeAlias = Literal["perl", "extended", "basic"]
_Method: TypeAlias = Literal[METHODS]

__version__: str
'''


def of_names(table):
    """{name: type} of {type: names}."""
    return {name: kind for kind, names in table.items() for name in names.split()}


PARAMETERS = of_names({
    "bool": ("any_base bits copy decompress every_end filter invert first line_numbers multiline pcre reverse_complement unicode value "
             "whole_lines within_lines"),
    "SupportsIndex": "before chunk_bytes device_memory edits host_memory key mismatches threads",
    "(_Pattern | PathLike[str] | _Lines | Mapping[Any, Any] | Iterable[_Pattern] | _ArrowArray"
    " | _ArrowStream)": "patterns",
    "bool | _Letters": "ignore_case whole_words",
    "object": "out pattern",
    "Any": "default dtype frame other",
    'Literal["list"]': "answer",
    "str | None": "algorithm instruction_set",
    "_Alphabet | None": "alphabet",
    "_Records": "column",
    "dict[str, Column | Array]": "columns",
    'Literal["auto", "cpu", "cuda"]': "engine",
    "type[BaseException] | None": "kind",
    "BaseException | None": "error",
    "TracebackType | None": "traceback",
    "Iterable[tuple[int, int]]": "exact",
    "int | str": "group *groups",
    "SupportsIndex | None": "limit",
    "bytes": "line_end old",
    "int": "made mode owner",
    "str | bytes": "mask",
    "_Spans": "match",
    "_Method": "method",
    "bool | _Syntax": "regex",
    "Buffer": "saved",
    "_Offsets | None": "offsets",
    "str | PathLike[str]": "path",
    "Plan": "plan",
    "_Progress": "progress",
    "tuple[int, int] | None": "max_version",
    "tuple[Any, Any] | None": "dl_device",
    "int | None": "stream",
    "CapsuleType | None": "requested_schema",
    "Buffer | _NumpyArray | None": "sample",
    "_TextSource": "source text",
    "_Values | None": "values",
})  # fmt: skip
# Parameters whose type differs from that in PARAMETERS.
OTHERS = {
    ("Array.__array__", "copy"): "Any", ("Plan.__new__", "values"): "Iterable[Any] | None",
    ("find_all", "answer"): 'Literal["index", "pattern", "value"]', ("excerpts", "after"): "SupportsIndex | None",
    ("groups", "column"): "_TextSource | _Records", ("Searcher.unload", "text"): "Text | Records",
    ("DeviceArray.__dlpack__", "copy"): "bool | None", ("split", "text"): "_Column",
    ("booleans", "items"): "Iterable[Any]", ("contains_each", "patterns"): "_Records",
}  # fmt: skip
OTHERS |= {(name, "match"): 'Literal["all"] | _Spans' for name in
           "matches batches find_all match_counts match_lists finditer excerpts group_lists".split()}  # fmt: skip
# The type that functions, methods and properties of a name return. "CLASS.NAME" is for the members of one class only.
RETURNS = of_names({
    "bool": "__contains__ ignore_case is_stream unicode whole_lines whole_words",
    "int": "__len__ count count_lines device edits end replace_file mismatches null_count start Match.pattern",
    "None": "__exit__ cancel close unload",
    "str": "explain keep_facts",
    "str | bytes": "Plan.__getitem__",
    "list[bytes]": "_encoded",
    "DeviceArray": "DeviceMatches.begins DeviceMatches.ends DeviceMatches.patterns DeviceStrings.offsets",
    "DeviceArray | None": "DeviceMatches.offsets DeviceStrings.lists",
    "Any": "__and__ __array__ __arrow_c_device_array__ __call__ __getitem__ __or__ __rand__ __ror__ Match.group Match.string to_arrow to_numpy to_pandas to_polars",
    "Self": "__enter__ __new__ Batches.__iter__ LineBatches.__iter__",
    "tuple[CapsuleType, CapsuleType]": "__arrow_c_array__ device_capsules struct_capsules",
    "tuple[int, int]": "__dlpack_device__ span",
    "CapsuleType": "__dlpack__",
    "Array | Column": "to_host",
    "Iterator[Any]": "__iter__",
    "Iterator[int]": "Column.__iter__",
    "Iterator[str | bytes]": "Plan.__iter__",
    "list[Any]": "tolist",
    "list[int]": "Column.tolist",
    "list[tuple[str, str]]": "algorithms",
    "list[str]": "instruction_sets",
    "list[str] | list[bytes]": "strings",
    "list[tuple[Any, ...]]": "find_all",
    "_Alphabet": "alphabet",
    "_Syntax | None": "regex",
    "tuple[str, ...]": "engines group_names",
    "tuple[Any, ...]": "Match.groups",
    "tuple[Any, ...] | None": "values",
    "int | None": "nbytes",
    "dict[str, Any]": "__cuda_array_interface__ groupdict stats",
    "_Match | None": "first",
    "Iterator[_Match]": "scan",
    "Iterator[tuple[int, Any]]": "iter",
    "Iterator[Excerpt]": "excerpts",
    "Iterator[Match]": "finditer",
    "Matches": "matches Batches.__next__",
    "Lines": "lines LineBatches.__next__",
    "Batches": "batches",
    "LineBatches": "line_batches",
    "Column": "numbers",
    "NoReturn": "__bool__",
    "Array": "__invert__ booleans contains_each group_lists groups match_lists pattern_counts",
})  # fmt: skip
SEVERAL = "list[Any] | tuple[str | Buffer | None, ...]"
REWRITTEN = [("text", "str", "str"), ("text", "_Column", "Array"), ("text", "_Strings", "list[Any]"),
             ("text", "Buffer | _NumpyArray", "bytes"), ("text", "_There", "DeviceStrings"), ("text", SEVERAL, "list[Any]")]  # fmt: skip
# For a method: triples of a parameter, the parameter's type, and the type that the method returns for it.
ANSWERED = [("column", "_Records", "Array"), ("column", "_There", "DeviceArray")]
NAMED = [("answer", 'Literal["index"]', "Array"), ("answer", 'Literal["pattern", "value"]', "list[Any]")]
NAMED_COUNTS = [("answer", 'Literal["index"]', "Column"), ("answer", 'Literal["pattern", "value"]', "dict[Any, int]")]
OVERLOADS = {
    "contains": ANSWERED,
    "match_counts": ANSWERED,
    "match_lists": [("column", "_Records", "Array"), ("column", "_There", "DeviceMatches")],
    "cells": [("column", "_Records", "Cells"), ("column", "_There", "tuple[DeviceArray, DeviceArray]")],
    "positions": [("text", "_HostText", "Column"), ("text", "Text | _Bytes", "Any")],
    "load": [("text", "_TextSource", "Text"), ("text", "_There", "Records")],
    "groups": [("column", "_TextSource | _Records", "Array"), ("column", "_There", "dict[str, DeviceStrings]")],
    "replace": REWRITTEN,
    "mask": REWRITTEN,
    "split": [("text", "str", "list[str]"), ("text", f"{SEVERAL} | _Strings | _Column", "list[Any]"),
              ("text", "Buffer | _NumpyArray", "list[bytes]"), ("answer", 'Literal["array"]', "Array"),
              ("text", "_There", "DeviceStrings")],
    "which": NAMED,
    "pattern_lists": NAMED,
    "count_by_pattern": NAMED_COUNTS,
    "record_counts": NAMED_COUNTS,
    "Match.groups": [(None, None, None)],
    "Column.__getitem__": [("key", "SupportsIndex", "int"), ("key", "slice", "Column")],
}  # fmt: skip
CLASSES = ("Plan", "Searcher", "Text", "Records", "Column", "Array", "DeviceArray", "DeviceMatches", "DeviceStrings", "Batches", "LineBatches",
           "Match")  # fmt: skip
FUNCTIONS = "algorithms contains_each keep_facts instruction_sets strings struct_capsules numbers booleans".split()
LEFT_OUT = re.compile("__(dealloc|init|cinit|copy|dir|hash|repr|eq|reduce|reduce_ex|getbuffer)__$")


def parts_of(signature):
    """Yields (name, default or None) for each parameter."""
    parts = re.split(r",\s*(?![^()]*\))", signature.strip().rstrip(","))
    for part in filter(None, map(str.strip, parts)):
        head, _, default = part.partition("=")
        yield head.removesuffix(" not None").split()[-1], default or None


def typed(name, default, of, types):
    if name in ("*", "/", "self", "cls"):
        return name
    if name.startswith("**"):
        return f"{name}: Any"
    kind = types.get(name) or OTHERS.get((of, name)) or OTHERS.get((of.rpartition(".")[2], name)) or PARAMETERS[name]
    if default is None or ("Literal" in kind and "_Spans" not in kind and default.strip("\"'") not in kind):
        return f"{name}: {kind}"
    return f"{name}: {kind} = {default}"


def method_lines(of, signature, decorators):
    name = of.rpartition(".")[2]
    parts = list(parts_of(signature))
    if name in ("__getitem__", "__contains__"):  # the interpreter passes the argument by position
        parts.append(("/", None))
    overloads = OVERLOADS.get(of) or OVERLOADS.get(name) or [(None, None, None)]
    for parameter, kind, returned in overloads:
        types = {parameter: kind}
        returned = returned or RETURNS.get(of) or RETURNS[name]
        arguments = ", ".join(typed(*part, of, types) for part in parts)
        yield from ["@overload"] * bool(parameter) + decorators
        yield f"def {name}({arguments}) -> {returned}: ..."


def classes_of(source):
    """Returns {name: (base, body)} of the classes in a source."""
    found = re.findall(r"^(?:cdef )?class (\w+)(?:\((\w+)\))?:\n((?:(?:[ \t].*)?\n)+)", source, re.M)
    return {name: (base, body) for name, base, body in found}


def members_of(classes, name):
    """Returns {name: (signature or None, decorators)} of the members of a class and of its bases."""
    if name not in classes:
        return {}
    base, body = classes[name]
    found = members_of(classes, base)
    for signature in re.findall(rf'    """{name}\((.*?)\)\\n--', body, re.S):
        found["__new__"] = ("cls, " + signature.replace("'", '"').replace(r"\\", "\\"), [])
    for member in re.findall(r"^    cdef readonly \w+ (\w+)", body, re.M):
        found[member] = (None, [])
    for decorators, member, signature in re.findall(
        r"^((?:    @\w+\n)*)    def (\w+)\(((?:[^()]|\([^()]*\))*)\):", body, re.M
    ):
        if not LEFT_OUT.match(member):
            found[member] = (signature, decorators.split())
    return found


def class_lines(classes, name):
    yield from ["", "@final", f"class {name}:"]
    members = members_of(classes, name)
    if name == "Column":
        yield "    def __buffer__(self, flags: int, /) -> memoryview: ..."
    for member, (signature, decorators) in members.items():
        of = f"{name}.{member}"
        if signature is None:
            signature, decorators = "self", ["@property"]
        for line in method_lines(of, signature, decorators):
            yield "    " + line


def method_words():
    """The names of TRAWL_METHOD_LIST, quoted."""
    header = pathlib.Path(__file__).parent.with_name("include") / "trawl.h"
    rows = re.search(r"TRAWL_METHOD_LIST\(X\)((?:.*\\\n)+.*)", header.read_text())[1]
    return ", ".join(re.findall(r'"\w+"', rows))


def stub(folder):
    parts = [path.read_text() for path in sorted(pathlib.Path(folder).glob("*.p[yx][xi]"))]
    source = "\n".join(parts)
    classes = classes_of(source)
    lines = []
    for name in FUNCTIONS:
        signature = re.search(rf"^def {name}\((.*?)\):", source, re.M | re.S)[1]
        lines += method_lines(name, signature, [])
    for name in CLASSES:
        lines += class_lines(classes, name)
    return HEAD.replace("METHODS", method_words()) + "\n".join(lines) + "\n"


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_text(stub(sys.argv[1]))
