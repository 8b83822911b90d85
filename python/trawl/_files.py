"""Writes files. A regular file appears only when it is complete; a pipe, a character device or a socket is written in
place."""

from __future__ import annotations

import contextlib
import errno
import filecmp
import os
import re
import socket
import stat
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from ._trawl import keep_facts

NO_TMPFILE = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL)  # errors of open() where no file without a name can be made


def own_descriptor(path: str) -> int | None:
    """Return the descriptor of this process that a path like /dev/stdout leads to; None: it leads elsewhere."""
    for _ in range(40):  # maximum number of links that Linux follows
        folder = os.path.realpath(os.path.dirname(path))
        path = os.path.join(folder, os.path.basename(path))
        if found := re.fullmatch(rf"/proc/{os.getpid()}(?:/task/\d+)?/fd/(\d+)", path):
            return int(found[1])
        if not os.path.islink(path):
            break
        path = os.path.join(folder, os.readlink(path))
    return None


@contextlib.contextmanager
def named(path: str) -> Iterator[None]:
    """Make the system's errors name the path that the caller gave."""
    try:
        yield
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror or str(fault), path) from None


class NewFile:
    """A file that is being written. At the end of a `with` block without an exception, a regular file gets its name.

    path: a link is followed, and stays. like: a path whose file's mode a new file gets, within the umask.
    may_stay: an existing file with the same bytes is kept."""

    def __init__(self, path: Any, like: Any = None) -> None:
        self.path = os.fsdecode(path)
        self.may_stay = False
        self.old: os.stat_result | None = None  # status of the file that had the name
        self.place = ""  # where the new regular file appears; "": `path` is not a regular file, and is written in place
        self.hidden = ""  # the new file's name until it is complete; "": it has none
        with named(self.path):
            self.file = open(self._descriptor(like), "wb")  # noqa: SIM115

    def _descriptor(self, like: Any) -> int:
        own = own_descriptor(self.path)
        if own is not None:
            for stream in (sys.stdout, sys.stderr):  # what was printed before comes first
                with contextlib.suppress(AttributeError, OSError, ValueError):
                    stream.flush()
            return os.dup(own)
        with contextlib.suppress(FileNotFoundError):
            self.old = os.stat(self.path)
        kind = stat.S_IFREG if self.old is None else stat.S_IFMT(self.old.st_mode)
        if kind == stat.S_IFDIR or self.path.endswith("/"):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        if kind == stat.S_IFSOCK:
            with socket.socket(socket.AF_UNIX) as made:
                made.connect(self.path)
                return made.detach()
        if kind in (stat.S_IFIFO, stat.S_IFCHR):
            return os.open(self.path, os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
        if kind != stat.S_IFREG:
            raise OSError(errno.EINVAL, "a block device is not overwritten")
        mode = 0o666 if self.old is None else 0o600
        if self.old is None and hasattr(like, "__fspath__"):
            with contextlib.suppress(OSError):  # if the text is missing, the search reports that
                mode &= os.stat(like).st_mode
        return self._new(mode)

    def _new(self, mode: int) -> int:
        """Open a new file: without a name, so that a killed process leaves nothing behind, or with a hidden name."""
        self.place = os.path.realpath(self.path)
        folder, flags = os.path.dirname(self.place), os.O_WRONLY | os.O_CLOEXEC
        try:
            if os.path.exists("/proc/self/fd"):  # needed to give the file a name
                return os.open(folder, flags | os.O_TMPFILE, mode)
        except OSError as fault:
            if fault.errno not in NO_TMPFILE:
                raise
        number = os.open(hidden := self._hidden_name(), flags | os.O_CREAT | os.O_EXCL, mode)
        self.hidden = hidden
        return number

    def _hidden_name(self) -> str:
        return os.path.join(os.path.dirname(self.place), f".trawl-{os.urandom(8).hex()}")

    def write(self, content: Any) -> int:
        with named(self.path):
            return self.file.write(content)

    def __enter__(self) -> NewFile:
        return self

    def __exit__(self, kind: Any, *rest: object) -> None:
        try:
            with named(self.path) if kind is None else contextlib.suppress(OSError), self.file:
                self.file.flush()
                if kind is None and self.place and not self._stays():
                    self._keep_facts()
                    self._give_name()
        finally:
            if self.hidden:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self.hidden)

    def _source(self) -> str:
        return self.hidden or f"/proc/self/fd/{self.file.fileno()}"

    def _stays(self) -> bool:
        filecmp.clear_cache()
        with contextlib.suppress(OSError):  # the old file may not be readable
            return self.may_stay and self.old is not None and filecmp.cmp(self._source(), self.path, False)
        return False

    def _keep_facts(self) -> None:
        """Give the new file the old file's owner, group, extended attributes and mode, or say what the system denied."""
        if (old := self.old) is None:
            return
        mode = stat.S_IMODE(old.st_mode)
        if lost := keep_facts(os.fsencode(self.path), old.st_uid, old.st_gid, mode, self.file.fileno()):
            warnings.warn(f"{self.path}: the new file lacks the old file's {lost}", stacklevel=4)

    def _give_name(self) -> None:
        os.close(os.dup(self.file.fileno()))  # NFS writes, and reports errors of writing, when a descriptor is closed
        folder = os.open(os.path.dirname(self.place), os.O_PATH)  # with a folder, os.link() follows links
        try:
            if not self.hidden:
                hidden = self._hidden_name()
                os.link(self._source(), os.path.basename(hidden), dst_dir_fd=folder)
                self.hidden = hidden
            os.replace(self.hidden, self.place)
        finally:
            os.close(folder)
