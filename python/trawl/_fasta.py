"""Reads FASTA: a search of the lines as they are would miss occurrences that cross a line end."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from ._sources import PACKED_BEGINS, bytes_view, unpacked

_NAME = re.compile(b"[^\\0- ]*")


def fasta(source: Any) -> Iterator[tuple[str, bytes]]:
    """Yield (name, sequence) for each sequence of a FASTA text, with the sequence's lines joined.

    source: a path (os.PathLike; a file compressed by gzip, bzip2 or xz is decompressed), a file opened in binary mode,
    bytes or a str. A line that begins with > names the next sequence, up to the first blank. Lines that begin with ;
    are skipped, as are a UTF-8 byte order mark and the line ends \\n and \\r\\n. A name or a sequence may be empty.
    Letters before the first name are a sequence without a name. ValueError: a line begins with @, as in FASTQ, or
    the text is not FASTA for another reason. Offsets in a sequence are those of `trawl --fasta`.

    >>> plan = Plan("GATTACA", alphabet="dna", reverse_complement=True)
    >>> for name, sequence in fasta(b">one first\\nGATT\\nACA\\n>two\\nTGTA\\nATC\\n"):
    ...     print(name, list(plan.matches(sequence)))
    one [(0, 7, 0, 0, '+')]
    two [(0, 7, 0, 0, '-')]
    """
    if hasattr(source, "__fspath__"):
        with unpacked(source) as file:
            yield from fasta(file)
        return
    if not hasattr(source, "read"):
        if isinstance(source, str) and not source.startswith((">", ";", "@", "\ufeff")):
            raise ValueError(
                f"fasta: a text begins with >, not {source[:40]!r}; a path is pathlib.Path({source[:40]!r})"
            )
        source = io.BytesIO(source.encode() if isinstance(source, str) else bytes_view(source))
    name: bytes | None = None
    parts: list[bytes] = []
    for number, line in enumerate(source):
        if not isinstance(line, bytes):
            raise TypeError("fasta: a file opened in binary mode is needed")
        line = line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line
        first, content = line[:1], line.removesuffix(b"\n").removesuffix(b"\r")
        why = (
            "begins with @, as in FASTQ and SAM" if first == b"@"
            else "begins with a byte order mark of UTF-16" if number == 0 and first in (b"\xfe", b"\xff")
            else "holds compressed data (a pathlib.Path is decompressed)" if number == 0 and line.startswith(PACKED_BEGINS)
            else "has a carriage return before its end" if first in (b">", b";") and b"\r" in content
            else ""
        )  # fmt: skip
        if why:
            raise ValueError(
                f"fasta: {getattr(source, 'name', 'the text')}: line {number + 1} {why}, so it is not FASTA"
            )
        if first == b">":
            if name is not None or parts:
                yield (name or b"").decode(errors="surrogateescape"), b"".join(parts)
            name, parts = _NAME.match(content, 1)[0], []  # type: ignore[index]
        elif first != b";" and content:
            parts.append(content)
    if name is not None or parts:
        yield (name or b"").decode(errors="surrogateescape"), b"".join(parts)
