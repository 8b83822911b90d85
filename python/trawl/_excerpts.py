"""The occurrences of a text with what is around them: see Plan.excerpts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ._sources import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._trawl import Match


class Excerpt(NamedTuple):
    """A part [begin, end) of a text: occurrences, and what is around them in their lines. `text` is str for a str, otherwise
    bytes."""

    begin: int
    end: int
    text: str | bytes
    matches: list[Match]


def excerpts(found: Iterator[Match], line_end: bytes, before: Any, after: Any) -> Iterator[Excerpt]:
    """Make the excerpts of occurrences in ascending order. Takes time linear in the text, whatever `before` and `after` are."""
    wide = number("before", before), number("after", before if after is None else after)
    return joined(found, line_end, *wide)


def joined(found: Iterator[Match], line_end: bytes, before: int, after: int) -> Iterator[Excerpt]:
    text: Any = None
    mark: Any = line_end
    begin = end = line = 0  # the excerpt, and where the line begins
    stop = -1  # where the line ends in which the last match ends
    matches: list[Match] = []

    for match in found:
        here, there = match.span()
        if text is None:
            text = match.string if hasattr(match.string, "rfind") else bytes(match.string)
            mark = line_end.decode("latin-1") if isinstance(text, str) else line_end
        if here > stop:
            line = text.rfind(mark, max(stop, 0), here) + 1
            stop = text.find(mark, here) % (len(text) + 1)
        low = max(here - before, line)
        if there > stop:  # the match goes on in other lines
            line = text.rfind(mark, here, there) + 1
            stop = text.find(mark, there) % (len(text) + 1)
        if matches and (low < end or here < end):
            end = max(end, min(there + after, stop))
        else:
            if matches:
                yield Excerpt(begin, end, cut(text, begin, end), matches)
            begin, end, matches = low, min(there + after, stop), []
        matches.append(match)
    if matches:
        yield Excerpt(begin, end, cut(text, begin, end), matches)


def cut(text: Any, begin: int, end: int) -> str | bytes:
    part = text[begin:end]
    return part if isinstance(part, str) else bytes(part)
