"""What the extension module asks of Python: patterns of all kinds, file objects, saved forms."""

from __future__ import annotations

import io
import os
import pickle
import socket
import tempfile
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._trawl import Array, Column


def gather(patterns: Any) -> tuple[Any, ...]:
    """The patterns as a tuple of str and buffers."""
    if isinstance(patterns, (str, bytes, bytearray, memoryview)):
        return (patterns,)
    if hasattr(patterns, "__fspath__"):
        with open(patterns, "rb") as file:
            found = file.read().split(b"\n")
        return tuple(found if found[-1] else found[:-1])
    if hasattr(patterns, "__arrow_c_stream__") or hasattr(patterns, "__arrow_c_array__"):
        from ._trawl import strings

        patterns = strings(patterns)
    return tuple(patterns)


# ---- Results -----------------------------------------------------------------------------------


class Cells:
    """Pairs of a record and a pattern that occurs in it, in order, as three columns.

    cells[i] is (record, pattern, begin): where in the record the pattern first begins.
    pyarrow.record_batch(cells) makes no copy.

    >>> cells = Plan(["an", "p"]).cells(["banana", None, "apple pan"])
    >>> list(cells)
    [(0, 0, 1), (2, 0, 7), (2, 1, 1)]
    """

    __slots__ = ("records", "patterns", "begins")

    def __init__(self, records: Column, patterns: Column, begins: Column) -> None:
        self.records = records
        self.patterns = patterns
        self.begins = begins

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: int) -> tuple[int, int, int]:
        return self.records[index], self.patterns[index], self.begins[index]

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        return zip(self.records, self.patterns, self.begins)

    def __repr__(self) -> str:
        return f"<trawl.Cells: {len(self)}>"

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        from ._trawl import struct_capsules

        names = ("record", "pattern", "begin")
        return struct_capsules(names, (self.records, self.patterns, self.begins))


class Lines:
    """Lines of a text in which an occurrence begins, in order, as columns.

    lines[i] is (number, begin, bytes): counted from 0, where it begins in the text, and what it holds
    without its end. `numbers` and `begins` are Columns, `texts` an Array of bytes.

    >>> lines = Plan("an").lines("pear\\nbanana\\nmango")
    >>> list(lines)
    [(1, 5, b'banana'), (2, 12, b'mango')]
    >>> lines.numbers.tolist()
    [1, 2]
    """

    __slots__ = ("numbers", "begins", "texts")

    def __init__(self, numbers: Column, begins: Column, texts: Array) -> None:
        self.numbers = numbers
        self.begins = begins
        self.texts = texts

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: int) -> tuple[int, int, bytes]:
        return self.numbers[index], self.begins[index], self.texts[index]

    def __iter__(self) -> Iterator[tuple[int, int, bytes]]:
        return zip(self.numbers, self.begins, self.texts)

    def __repr__(self) -> str:
        return f"<trawl.Lines: {len(self)}>"


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
    return restore, (pickle.PickleBuffer(form) if protocol >= 5 else form,)


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
