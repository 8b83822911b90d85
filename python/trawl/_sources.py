"""What the extension module asks of Python: patterns of all kinds, file objects, saved forms."""

from __future__ import annotations

import codecs
import io
import itertools
import os
import pickle
import socket
import tempfile
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, TypeVar, cast

if TYPE_CHECKING:
    from ._trawl import Array, Column

Item = TypeVar("Item")


def gather(patterns: Any) -> tuple[Any, ...]:
    """The patterns as a tuple of str and buffers."""
    if isinstance(patterns, (str, bytes, bytearray, memoryview)):
        return (patterns,)
    if hasattr(patterns, "__fspath__"):
        with open(patterns, "rb") as file:
            return gather(file)
    if hasattr(patterns, "read"):
        content = patterns.read()
        content = content.encode() if isinstance(content, str) else bytes(content)
        lines = content.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").split(b"\n")
        return tuple(lines if lines[-1] else lines[:-1])
    if hasattr(patterns, "__arrow_c_stream__") or hasattr(patterns, "__arrow_c_array__"):
        from ._trawl import strings

        patterns = strings(patterns)
    return tuple(patterns)


# ---- Results -----------------------------------------------------------------------------------


class MatchItem(tuple[int, int, int]):
    _fields = ("begin", "end", "pattern")


class CellItem(tuple[int, int, int]):
    _fields = ("record", "pattern", "begin")


class LineItem(tuple[int, int, bytes]):
    _fields = ("number", "begin", "text")


class Columns(Generic[Item]):
    """Columns of one length: item i is a tuple, value i of each of the first three. Equal if all
    their columns are. pyarrow.record_batch and polars.DataFrame take them without a copy."""

    __slots__: tuple[str, ...] = ()
    _item: Any  # the names of these columns, and a tuple

    def _columns(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__[:3])

    def _named(self) -> dict[str, Any]:
        return dict(zip(self._item._fields, self._columns()))

    def __len__(self) -> int:
        return len(self._columns()[0])

    def __getitem__(self, index: SupportsIndex) -> Item:
        return cast(Item, tuple(column[index] for column in self._columns()))

    def __iter__(self) -> Iterator[Item]:
        # The first one tells the names: pandas.DataFrame looks for them there. To make all of that
        # kind would take five times as long.
        items = zip(*self._columns())
        return cast(
            "Iterator[Item]",
            itertools.chain(map(self._item, itertools.islice(items, 1)), items),
        )

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        more = "..." if len(self) > 3 else ""
        few = list(itertools.islice(self, 3))
        return f"<trawl.{type(self).__name__} of {len(self)}: {few}{more}>"

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        from ._trawl import struct_capsules

        return struct_capsules(self._named())

    def to_pandas(self) -> Any:
        """The columns as a DataFrame of pandas."""
        import pandas

        columns = self._named().items()
        return pandas.DataFrame(
            {name: getattr(column, "to_numpy", column.tolist)() for name, column in columns}
        )


class Matches(Columns[tuple[int, int, int]]):
    """Occurrences in a part of a text, in order of (begin, pattern), as columns.

    matches[i] is (begin, end, pattern). pyarrow.record_batch(matches) makes no copy.

    begins, ends: where each begins, from the text's first byte, and one past its last byte.
    patterns: the index of each one's pattern.
    lines: the line each begins in, from 0 on; None unless requested.
    text_begin, text_end: where the part of the text begins and ends.

    >>> matches = Plan(["an", "nan"]).matches("banana")
    >>> list(matches)
    [(1, 3, 0), (2, 5, 1), (3, 5, 0)]
    >>> matches.ends.tolist()
    [3, 5, 5]
    """

    __slots__ = ("begins", "ends", "patterns", "lines", "text_begin", "text_end")
    _item = MatchItem

    def __init__(
        self,
        begins: Column,
        ends: Column,
        patterns: Column,
        lines: Column | None,
        text_begin: int,
        text_end: int,
    ) -> None:
        self.begins, self.ends, self.patterns, self.lines = begins, ends, patterns, lines
        self.text_begin, self.text_end = text_begin, text_end

    def _named(self) -> dict[str, Any]:
        return super()._named() | ({} if self.lines is None else {"line": self.lines})


class Cells(Columns[tuple[int, int, int]]):
    """Pairs of a record and a pattern that occurs in it, in order, as three columns.

    cells[i] is (record, pattern, begin): where in the record the pattern first begins.
    pyarrow.record_batch(cells) makes no copy.

    >>> cells = Plan(["an", "p"]).cells(["banana", None, "apple pan"])
    >>> list(cells)
    [(0, 0, 1), (2, 0, 7), (2, 1, 1)]
    """

    __slots__ = ("records", "patterns", "begins")
    _item = CellItem

    def __init__(self, records: Column, patterns: Column, begins: Column) -> None:
        self.records, self.patterns, self.begins = records, patterns, begins


class Lines(Columns[tuple[int, int, bytes]]):
    """Lines of a text in which an occurrence begins, in order, as columns.

    lines[i] is (number, begin, bytes): counted from 0, where it begins in the text, and what it holds
    without its end. `numbers` and `begins` are Columns, `texts` an Array of bytes.
    pyarrow.record_batch(lines) makes no copy.

    >>> lines = Plan("an").lines("pear\\nbanana\\nmango")
    >>> list(lines)
    [(1, 5, b'banana'), (2, 12, b'mango')]
    >>> lines.numbers.tolist()
    [1, 2]
    """

    __slots__ = ("numbers", "begins", "texts")
    _item = LineItem

    def __init__(self, numbers: Column, begins: Column, texts: Array) -> None:
        self.numbers, self.begins, self.texts = numbers, begins, texts


# ---- Saved forms -------------------------------------------------------------------------------


def to_bytes(saved: Any) -> bytes:
    """The saved form of a plan."""
    folder = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=folder, prefix="trawl-") as scratch:
        path = os.path.join(scratch, "plan")
        saved.save(path)
        with open(path, "rb") as file:
            return file.read()


def restore(saved: Any) -> Any:
    """The plan of a saved form, as pickle calls it."""
    from . import Plan

    return Plan.from_bytes(saved)


def reduce_plan(saved: Any, protocol: int) -> tuple[Any, tuple[Any]]:
    """How a plan is pickled: as its saved form, out of band where pickle can do that."""
    form = to_bytes(saved)
    return restore, (out_of_band(form, protocol),)


def out_of_band(form: Any, protocol: int) -> Any:
    """A buffer for pickle, which keeps it out of band where it can."""
    return pickle.PickleBuffer(form) if protocol >= 5 else bytes(form)


# ---- File objects ------------------------------------------------------------------------------


def descriptor(file: Any) -> tuple[int, str, Any, bool]:
    """(descriptor, name, what keeps it open, whose it is): the last true where the caller closes it.

    A regular file is opened anew, so that its position in the caller's object stays. What has no
    descriptor of its own bytes (GzipFile, a response) is read by a thread and comes through a pipe.
    """
    if isinstance(file, bool) or (
        not isinstance(file, int) and not hasattr(file, "read") and not hasattr(file, "recv")
    ):
        raise TypeError(
            "text: bytes, str, a path, a file object or a descriptor is needed, not "
            + type(file).__name__
        )
    if isinstance(file, int):
        return file, f"descriptor {file}", file, False
    if isinstance(file, io.TextIOBase):
        raise TypeError("text: open the file in binary mode, as open(path, 'rb') does")
    name = str(getattr(file, "name", type(file).__name__))
    if isinstance(file, socket.socket):
        return file.fileno(), name, file, False
    raw = getattr(file, "raw", file)
    if not isinstance(raw, io.FileIO):
        pump = Pump(file)
        return pump.reading, name, pump, True
    if file.seekable():
        fresh = os.open(f"/proc/self/fd/{file.fileno()}", os.O_RDONLY | os.O_CLOEXEC)
        os.lseek(fresh, file.tell(), os.SEEK_SET)
        return fresh, name, file, True
    return file.fileno(), name, file, False


class Pump:
    """A descriptor, `reading`, that gives what file.read gives, and what went wrong there."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.fault: BaseException | None = None
        self.reading, self.writing = os.pipe()
        threading.Thread(target=self.run, name="trawl-pump", daemon=True).start()

    def run(self) -> None:
        try:
            while part := self.file.read(1 << 20):
                if not self.write(memoryview(part).cast("B")):
                    break
        except BaseException as fault:
            self.fault = fault  # before the end is seen
        finally:
            os.close(self.writing)

    def write(self, view: memoryview) -> bool:
        """False: nobody reads any more."""
        try:
            while view:
                view = view[os.write(self.writing, view) :]
        except BrokenPipeError:
            return False
        return True


def check(owner: Any) -> None:
    """Raise what file.read raised, of a text that descriptor() made and that was read to its end."""
    if isinstance(owner, Pump) and owner.fault is not None:
        raise owner.fault
