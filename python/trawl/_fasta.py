"""Reads FASTA and FASTQ: a search of the lines as they are would miss occurrences that cross a line end."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from ._sources import PACKED_BEGINS, bytes_view, unpacked

_NAME = re.compile(b"[^\\0- ]*")


def _opened(source: Any, function: str, begin: str) -> Any:
    """Return a text as a file."""
    if hasattr(source, "read"):
        return source
    if isinstance(source, str) and not source.startswith((">", ";", "@", "\ufeff")):
        raise ValueError(
            f"{function}: a text begins with {begin}, not {source[:40]!r}; a path is pathlib.Path({source[:40]!r})"
        )
    return io.BytesIO(source.encode() if isinstance(source, str) else bytes_view(source))


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
    source = _opened(source, "fasta", ">")
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


def fastq(source: Any, *, records: int = 65536) -> Iterator[dict[str, list[Any]]]:
    """Yield the reads of a FASTQ text in batches of up to `records`: columns of equal length, in a dict that
    polars.DataFrame and pyarrow.table take.

    source: as for fasta(). Columns: "name" (str, up to the first blank), "sequence" and "quality" (bytes), whose lines
    are joined. ValueError: a record without + or with another number of qualities than of letters, or the end of the
    text within a record; the message names the record and the line. The reads before are yielded first, as they are
    where compressed data are damaged. The rules are those of `trawl --fastq`.

    >>> for batch in fastq(b"@one first\\nGATT\\nACA\\n+\\nIIII\\nIII\\n@two\\nGG\\n+\\n@+\\n"):
    ...     print(batch)
    ...     print(Plan("GA+T|GG", regex=True, alphabet="dna").contains(batch["sequence"]).tolist())
    {'name': ['one', 'two'], 'sequence': [b'GATTACA', b'GG'], 'quality': [b'IIIIIII', b'@+']}
    [True, True]
    """
    if records < 1:
        raise ValueError("fastq: records: at least 1 is needed")
    if hasattr(source, "__fspath__"):
        with unpacked(source) as file:
            yield from fastq(file, records=records)
        return
    names: list[str] = []
    sequences: list[bytes] = []
    qualities: list[bytes] = []
    try:
        for name, sequence, quality in _reads(_opened(source, "fastq", "@")):
            names.append(name)
            sequences.append(sequence)
            qualities.append(quality)
            if len(names) == records:
                yield {"name": names, "sequence": sequences, "quality": qualities}
                names, sequences, qualities = [], [], []
    except Exception:  # also of gzip, bz2 and lzma
        if names:
            yield {"name": names, "sequence": sequences, "quality": qualities}
        raise
    if names:
        yield {"name": names, "sequence": sequences, "quality": qualities}


def _reads(source: Any) -> Iterator[tuple[str, bytes, bytes]]:
    """Yield (name, sequence, quality) for each record of FASTQ."""
    name, sequence, quality, part = b"", b"", b"", "@"  # part: how the next line begins, or "" for qualities
    record, number, where = 0, 0, getattr(source, "name", "the text")
    for line in source:
        if not isinstance(line, bytes):
            raise TypeError("fastq: a file opened in binary mode is needed")
        line = line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line
        content = line.removesuffix(b"\n").removesuffix(b"\r")
        number += 1
        why = ""
        if not part:
            quality += content
            if len(quality) > len(sequence):
                why = f"ends {len(quality)} qualities, but the sequence has {len(sequence)} letters"
            elif len(quality) == len(sequence):
                yield name.decode(errors="surrogateescape"), sequence, quality
                part = "@"
        elif part == "@" and content:
            record += 1
            name, sequence, quality, part = _NAME.match(content, 1)[0], b"", b"", "+"  # type: ignore[index]
            if number == 1 and line.startswith(PACKED_BEGINS):
                why = "holds compressed data (a pathlib.Path is decompressed)"
            elif content[:1] != b"@":
                why = "does not begin with @, as a record of FASTQ does"
        elif content[:1] == b"+":
            part = ""
        elif content[:1] == b"@":
            why = "begins with @, but the record before has no + and no qualities"
        else:
            sequence += content
        if not why and b"\r" in content and content[:1] in (b"@", b"+") and not quality:
            why = "has a carriage return before its end"
        if why:
            raise ValueError(f"fastq: {where}: record {record}, line {number} {why}")
    if not part and not sequence:  # the empty line of qualities is missing
        yield name.decode(errors="surrogateescape"), b"", b""
    elif part != "@":
        raise ValueError(
            f"fastq: {where}: record {record}, line {number + 1} is missing: the text ends within the record"
        )
