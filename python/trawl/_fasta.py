"""Reads FASTA: a search of the lines as they are would miss occurrences that cross a line end."""

from __future__ import annotations

import gzip
import io
import os
import re
from collections.abc import Iterator
from typing import Any

_NAME = re.compile(b"[^\\0- ]*")

def fasta(source: Any) -> Iterator[tuple[str, bytes]]:
    """Yield (name, sequence) for each sequence of a FASTA text, with the sequence's lines joined.

    source: a path (os.PathLike; unpacked if the name ends in .gz), a file opened in binary mode, bytes or a str.
    A line that begins with > names the next sequence, up to the first blank. Lines that begin with ; are left
    out. Offsets in a sequence are those of `trawl --fasta`.

    >>> plan = Plan("GATTACA", alphabet="dna", reverse_complement=True)
    >>> for name, sequence in fasta(b">one first\\nGATT\\nACA\\n>two\\nTGTA\\nATC\\n"):
    ...     print(name, list(plan.matches(sequence)))
    one [(0, 7, 0, 0, '+')]
    two [(0, 7, 0, 0, '-')]
    """
    if hasattr(source, "__fspath__"):
        with (gzip.open if os.fsencode(source).endswith(b".gz") else open)(source, "rb") as file:
            yield from fasta(file)
        return
    if not hasattr(source, "read"):
        if isinstance(source, str) and not source.startswith((">", ";")):
            raise ValueError(f"fasta: a text begins with >, not {source[:40]!r}; a path is pathlib.Path({source[:40]!r})")
        source = io.BytesIO(source.encode() if isinstance(source, str) else source)
    name = ""
    lines: list[bytes] = []
    for line in source:
        if line.startswith(b">"):
            if name or any(lines):
                yield name, b"".join(lines)
            name, lines = _NAME.match(line, 1)[0].decode(errors="surrogateescape"), []  # type: ignore[index]
        elif not line.startswith(b";"):
            lines.append(line[:-2] if line.endswith(b"\r\n") else line[:-1] if line.endswith(b"\n") else line)
    if name or any(lines):
        yield name, b"".join(lines)
