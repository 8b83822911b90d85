"""trawl: exact search for any number of strings, at the speed of the memory.

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
"""

from ._errors import (
    ArgumentError,
    BusyError,
    CancelledError,
    DeviceError,
    EngineError,
    Error,
    FileError,
    LimitError,
    MissingFileError,
    OpenError,
    OutOfMemoryError,
    ReadError,
    ServerError,
    ThreadError,
    UnsupportedError,
)
from ._fasta import fasta
from ._sources import Cells, Lines, Matches
from ._trawl import (
    Array,
    Batches,
    Column,
    LineBatches,
    Plan,
    Searcher,
    Text,
    __version__,
    algorithms,
    instruction_sets,
)
from .client import Client
from .decontaminate import decontaminate

__all__ = [
    "ArgumentError",
    "Array",
    "Batches",
    "BusyError",
    "CancelledError",
    "Cells",
    "Client",
    "Column",
    "DeviceError",
    "EngineError",
    "Error",
    "FileError",
    "LimitError",
    "LineBatches",
    "Lines",
    "Matches",
    "MissingFileError",
    "OpenError",
    "OutOfMemoryError",
    "Plan",
    "ReadError",
    "Searcher",
    "ServerError",
    "Text",
    "ThreadError",
    "UnsupportedError",
    "__version__",
    "algorithms",
    "decontaminate",
    "fasta",
    "instruction_sets",
]
