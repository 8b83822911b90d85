"""Exceptions: one class for each status of the library, with the fields of its error."""

from __future__ import annotations

import errno

_NOWHERE = 2**64 - 1


class Error(Exception):
    """What the library reports.

    status: the number of the status; os_code: errno, or 0; driver_code: the GPU driver's code, or
    0; pattern_index, text_offset: where the fault is, or None.
    """

    status = 0
    os_code = 0
    driver_code = 0
    pattern_index: int | None = None
    text_offset: int | None = None


class CancelledError(Error):
    """The search was cancelled."""


class ArgumentError(Error, ValueError):
    """An argument is not valid for this function."""


class BusyError(Error, RuntimeError):
    """What is needed is inside another call."""


class OutOfMemoryError(Error, MemoryError):
    """Out of memory."""


class ThreadError(Error, RuntimeError):
    """A thread could not be started."""


class LimitError(Error, OverflowError):
    """A size or a count is too large for this build or machine."""


class FileError(Error, OSError):
    """A file could not be opened, read or written; errno says why."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class OpenError(FileError):
    """A file could not be opened."""


class ReadError(FileError):
    """Reading the text failed; text_offset says where."""


class WriteError(FileError):
    """A file could not be written."""


class FormatError(Error, ValueError):
    """A saved plan is damaged, or of another version."""


class EngineError(Error, RuntimeError):
    """The requested engine is not available."""


class DeviceError(Error, RuntimeError):
    """The device or its driver failed."""


class UnsupportedError(Error, NotImplementedError):
    """This engine or build does not support the request."""


_CLASSES: dict[int, type[Error]] = {
    1: CancelledError,
    10: ArgumentError,
    11: BusyError,
    12: OutOfMemoryError,
    13: ThreadError,
    14: LimitError,
    20: OpenError,
    21: ReadError,
    22: WriteError,
    23: FormatError,
    30: EngineError,
    31: DeviceError,
    32: UnsupportedError,
}


def make(
    status: int, message: str, os_code: int, driver_code: int, pattern: int, offset: int
) -> Error:
    """The exception of a failed call; the extension module raises it."""
    kind = _CLASSES.get(status, Error)
    if kind is OpenError and os_code == errno.ENOENT:
        kind = MissingFileError
    error = kind(message)
    error.status = status
    error.os_code = os_code
    error.driver_code = driver_code
    error.pattern_index = None if pattern == _NOWHERE else pattern
    error.text_offset = None if offset == _NOWHERE else offset
    if isinstance(error, OSError):
        error.errno = os_code
    return error
