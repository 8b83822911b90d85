"""Exact search for any number of strings, at the speed of the memory.

>>> import trawl
>>> plan = trawl.Plan(["tea", "eat"])
>>> plan.count("eating teapots")
2
>>> plan.first("eating teapots")
(0, 3, 1)
>>> plan.positions(b"eating teapots").tolist()
[0, 7]

A Plan is compiled once and searches any text: bytes and other objects with the buffer protocol, str (as
UTF-8), paths, file objects and pipes. Offsets in a str count characters; offsets in other texts count
bytes. A Searcher says which threads and devices search. A plan's own methods use a default Searcher,
which the first search opens.

Where to look:

a text              Plan.count, first, find_all, matches, positions, lines; scan and batches while the text is read;
                    finditer with the groups of expressions; excerpts with what is around them
its new form        Plan.replace, mask, split; replace_file for a text that is too large for memory
a column of texts   Plan.contains, which, match_lists, record_counts, ...: of a list, numpy, Arrow, polars, pandas
a pattern a row     contains_each(column, patterns)
frames, tables      the modules trawl.polars, pandas, duckdb, arrow and stages; spark and ray for clusters
a GPU               the same searches of tensors (count, positions) and of columns of cuDF (contains, match_counts, cells)
DNA                 Plan(..., alphabet="dna", reverse_complement=True), fasta() and fastq() for files
benchmarks          decontaminate(): which documents contain parts of a benchmark's questions
a server            Client
"""

import importlib
import sys
import types
from typing import TYPE_CHECKING, Any

_DISTRIBUTION = "pytrawl"  # _errors.py recognizes this file by it

from ._errors import (  # noqa: E402
    ArgumentError, BusyError, CancelledError, DeviceError, EngineError, Error, FileError,
    LimitError, MissingFileError, OpenError, OutOfMemoryError, ReadError, ServerError, ThreadError,
    UnsupportedError,
)  # fmt: skip
from ._excerpts import Excerpt
from ._fasta import fasta, fastq
from ._sources import Cells, Lines, Matches
from ._trawl import (
    Array, Batches, Column, DeviceArray, DeviceMatches, DeviceStrings, LineBatches, Match, Plan, Records, Searcher, Text,
    __version__,
    algorithms, contains_each, instruction_sets,
)  # fmt: skip

if TYPE_CHECKING:
    from .client import Client
    from .decontaminate import decontaminate

__all__ = [
    "ArgumentError", "Array", "Batches", "BusyError", "CancelledError", "Cells", "Client",
    "Column", "DeviceArray", "DeviceError", "DeviceMatches", "DeviceStrings", "EngineError", "Error", "Excerpt", "FileError", "LimitError",
    "LineBatches", "Lines", "Match", "Matches", "MissingFileError", "OpenError", "OutOfMemoryError", "Plan", "ReadError",
    "Records", "Searcher", "ServerError", "Text", "ThreadError", "UnsupportedError", "__version__",
    "algorithms", "contains_each", "decontaminate", "fasta", "fastq", "instruction_sets",
]  # fmt: skip


class _Package(types.ModuleType):
    """The package. It imports rarely needed modules when they are first used."""

    if not TYPE_CHECKING:
        Client = property(lambda _: importlib.import_module("trawl.client").Client)
        # The function hides the module of this name, which Python would set here.
        decontaminate = property(
            lambda _: importlib.import_module("trawl.decontaminate").decontaminate, lambda *_: None
        )


def __getattr__(name: str) -> Any:
    from ._sources import INSTEAD

    known = name in INSTEAD or name in ("compile", "split", "finditer", "escape", "Pattern")
    hint = ": Plan(patterns, regex=True) compiles expressions, and its methods search" if known else ""
    raise AttributeError(f"module 'trawl' has no attribute {name!r}{hint}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return __all__


sys.modules[__name__].__class__ = _Package
