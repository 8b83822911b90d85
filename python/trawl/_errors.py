"""Exceptions: a class for each status of the library, with the fields of struct trawl_error."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from typing import Any

_NOWHERE = 2**64 - 1

# The distribution `trawl` on PyPI is another project (a build tool), whose files are in a folder of the same name.
# Whichever of the two was installed last has its __init__.py there.
if not hasattr(sys.modules[__package__], "_DISTRIBUTION"):
    raise ImportError(
        f"{os.path.dirname(__file__)} has files of two packages: of pytrawl, and of the package `trawl`, which is another "
        "project's. Remove both (pip uninstall trawl pytrawl), then: pip install pytrawl"
    )
if os.path.exists(os.path.join(os.path.dirname(__file__), "application.py")):
    warnings.warn(
        f"{os.path.dirname(__file__)} has files of the package `trawl`, which is another project's: that package does not "
        "work beside pytrawl",
        stacklevel=2,
    )


class Error(Exception):
    """The base class of trawl's exceptions.

    status: the number of the library's status. os_code: errno, or 0. driver_code: the GPU driver's
    code, or 0. pattern_index, text_offset: where the fault is, or None.

    >>> try:
    ...     Plan("a").count(pathlib.Path("/no/such/file"))
    ... except Error as error:
    ...     print(type(error).__name__, error.status, error.os_code, error.text_offset)
    MissingFileError 20 2 None
    """

    status = 0
    os_code = 0
    driver_code = 0
    pattern_index: int | None = None
    text_offset: int | None = None


class CancelledError(Error):
    """The search was cancelled: Searcher.cancel() was called while it ran.

    >>> searcher = Searcher("cpu", 1)
    >>> reading, writing = os.pipe()  # where nothing ever comes
    >>> searcher.count(Plan("b"), open(reading, "rb"), progress=lambda done: searcher.cancel())
    Traceback (most recent call last):
    trawl.CancelledError: the search was cancelled
    """


class ArgumentError(Error, ValueError):
    """An argument is not valid for this function; pattern_index says which pattern.

    >>> try:
    ...     Plan(["fine", ""])
    ... except ArgumentError as error:
    ...     print(error, error.pattern_index)
    pattern 1 is empty 1
    """


class BusyError(Error, RuntimeError):
    """The object is already in use. For example, two threads call next() of the same iterator."""


class OutOfMemoryError(Error, MemoryError):
    """Out of memory. The plan and the searcher can still be used."""


class ThreadError(Error, RuntimeError):
    """A thread could not be started, because the system's limit is reached. Use fewer threads."""


class LimitError(Error, OverflowError):
    """A size or a count is too large for this build or machine."""


class FileError(Error, OSError):
    """A file could not be opened, read or written; errno says why.

    >>> issubclass(FileError, OSError) and issubclass(ReadError, FileError)
    True
    """


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file.

    >>> try:
    ...     Plan("a").count(pathlib.Path("/no/such/file"))
    ... except FileNotFoundError as error:
    ...     print(error, error.errno)
    /no/such/file: No such file or directory 2
    """


class OpenError(FileError):
    """A file could not be opened. A missing file raises MissingFileError."""


class ReadError(FileError):
    """Reading the text failed, or the file shrank during the search; text_offset says where.

    >>> try:
    ...     Plan("a").count(pathlib.Path("/proc/self/mem"))
    ... except ReadError as error:
    ...     print(error, error.text_offset)
    /proc/self/mem: Input/output error 0
    """


class EngineError(Error, RuntimeError):
    """The requested engine is not available: there is no device, or no driver for it.

    >>> try:
    ...     searcher = Searcher("cuda")
    ... except EngineError:
    ...     searcher = Searcher("cpu")
    >>> searcher.count(Plan("an"), b"banana")
    2
    """


class DeviceError(Error, RuntimeError):
    """The device or its driver failed; driver_code says how. Close the searcher."""


class UnsupportedError(Error, NotImplementedError):
    """This engine or build does not support the request. For example, a searcher for the CPU cannot search an
    array on a device."""


class ServerError(Error):
    """A server rejected a request, broke off its answer, or could not be reached. status: the HTTP status,
    for example 404; 0 without an answer. os_code: errno, if the system reported an error.

    >>> try:
    ...     Client("unix:/no/such/socket").count("a")
    ... except ServerError as error:
    ...     print(error, error.status, error.os_code)
    unix:/no/such/socket: [Errno 2] No such file or directory 0 2
    """

    def __init__(self, message: str, status: int = 0, os_code: int = 0) -> None:
        super().__init__(message)
        self.status, self.os_code = status, os_code


for _class in list(globals().values()):
    if isinstance(_class, type) and issubclass(_class, Error):
        _class.__module__ = "trawl"  # so that a traceback shows the name that users write

_CLASSES: dict[int, type[Error]] = {
    1: CancelledError, 10: ArgumentError, 11: BusyError, 12: OutOfMemoryError, 13: ThreadError, 14: LimitError, 20: OpenError,
    21: ReadError, 30: EngineError, 31: DeviceError, 32: UnsupportedError,
}  # fmt: skip


def busy() -> Error:
    message = "another call is inside next() of this iterator: threads have to take turns"
    return make(11, message, 0, 0, _NOWHERE, _NOWHERE)


def no_truth(given: Any) -> ValueError:
    return ValueError(
        f"the truth of a {type(given).__module__}.{type(given).__name__} is ambiguous: any(...), all(...) or len(...) > 0 asks "
        "about its values"
    )


def no_pickle(made: object) -> TypeError:
    kind = type(made).__name__
    return TypeError(f"a {kind} belongs to its process and cannot be pickled; pickle the plan, and make a {kind} there")


EXCERPT_BYTES = 200  # longer expressions are shown in part
# the library's words, which name every kind of caller
_OF_ALL = "TRAWL_PCRE, trawl-serve --allow-pcre"


def name_expression(error: Error, expressions: tuple[Any, ...]) -> None:
    """Add to an error's message the expression, its number in a list, and the byte where the mistake begins."""
    if (index := error.pattern_index) is not None:
        place = "" if error.text_offset is None else f", at byte {error.text_offset}"
        said = str(error).replace("-P, " + _OF_ALL, "pcre=True").replace(_OF_ALL, "regex=True, pcre=True")
        number = f"pattern {index}: " if len(expressions) > 1 and f"pattern {index} " not in str(error) else ""
        error.args = (f"{number}{said}: {excerpt(expressions[index], error.text_offset or 0)}{place}",)


def excerpt(expression: Any, offset: int) -> str:
    """Return an expression as Python writes it; of a long one, only the part around a byte offset."""
    whole = expression.encode() if isinstance(expression, str) else bytes(expression)
    begin = max(0, min(offset, len(whole)) - EXCERPT_BYTES // 2)
    if len(whole) <= EXCERPT_BYTES:
        return repr(expression)
    part = whole[begin : begin + EXCERPT_BYTES]
    shown = repr(part.decode(errors="ignore") if isinstance(expression, str) else part)
    return f"{'...' if begin > 0 else ''}{shown}{'...' if begin + EXCERPT_BYTES < len(whole) else ''}"


def name_text(error: Error, name: str) -> None:
    """Put the name of the text, a path or a file, before an error's message, unless the message already has the name."""
    if name not in str(error):
        error.args = (f"{name}: {error}",)


def make(status: int, message: str, os_code: int, driver_code: int, pattern: int, offset: int) -> Error:
    """Return the exception for a failed call, for the extension module to raise."""
    kind = _CLASSES.get(status, Error)
    if kind is OpenError and os_code == errno.ENOENT:
        kind = MissingFileError
    if kind is CancelledError:  # the library's message mentions sinks, which Python lacks
        message = "the search was cancelled"
    error = kind(message)
    error.status = status
    error.os_code = os_code
    error.driver_code = driver_code
    error.pattern_index = None if pattern == _NOWHERE else pattern
    error.text_offset = None if offset == _NOWHERE else offset
    if isinstance(error, OSError):
        error.errno = os_code
    return error
