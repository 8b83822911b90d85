"""The groups of expressions: their names, and the type Match."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

_NAMED = re.compile(rb"\(\?(?:P?<|')([^<>'()=!][^<>'()]*)[>']")


def names_in(expression: bytes) -> list[bytes]:
    """Return the names that groups of the expression may have. Some of these may stand in escaped text or in classes;
    the library says which names are groups."""
    return _NAMED.findall(expression)


def labels(facts: list[tuple[int, dict[str, int]]]) -> tuple[str, ...]:
    """Return what the groups of a plan's expressions are called in columns: their names, and the numbers of groups without
    a name. facts: for each expression the number of groups, and the named groups' numbers."""
    found: dict[str, None] = {}
    for count, names in facts:
        of = {number: name for name, number in names.items()}
        own = [of.get(number, str(number)) for number in range(1, count + 1)]
        if len(set(own)) < count:
            raise ValueError("groups: the name of a group is the number of another group")
        found |= dict.fromkeys(own)
    return tuple(found)


class Match:
    """An occurrence with its groups, as finditer() gives it. The methods are those of re.Match.

    string: the text. pattern: the index of the pattern that occurs.
    A group that took no part in the occurrence is None; its begin and its end are -1.

    >>> match = next(Plan(r"(?P<name>\\w+)=(\\d+)?", regex=True).finditer("size= 3"))
    >>> match["name"], match[2], match.group(1, 2), match.span("name"), match.pattern
    ('size', None, ('size', None), (0, 4), 0)
    >>> match.groups(""), match.groupdict()
    (('size', ''), {'name': 'size'})
    """

    __slots__ = ("string", "pattern", "_spans", "_names")

    def __init__(self, string: Any, pattern: int, spans: tuple[tuple[int, int], ...], names: dict[str, int]) -> None:
        self.string, self.pattern, self._spans, self._names = string, pattern, spans, names

    def span(self, group: int | str = 0, /) -> tuple[int, int]:
        """Return where a group begins and ends."""
        number: Any = self._names.get(group, -1) if isinstance(group, str) else group
        try:
            if number < 0:
                raise IndexError
            return self._spans[number]
        except IndexError:
            raise IndexError(f"no such group: {group!r}") from None

    def start(self, group: int | str = 0, /) -> int:
        """Return where a group begins."""
        return self.span(group)[0]

    def end(self, group: int | str = 0, /) -> int:
        """Return where a group ends."""
        return self.span(group)[1]

    def __getitem__(self, group: int | str, /) -> Any:
        return self._part(self.span(group), None)

    def _part(self, span: tuple[int, int], default: Any) -> Any:
        if span[0] < 0:
            return default
        part = self.string[span[0] : span[1]]
        return part if isinstance(part, str) else bytes(part)

    def group(self, *groups: int | str) -> Any:
        """Return a group, by number or name, or several groups as a tuple. Group 0 is the occurrence."""
        found = tuple([self[group] for group in groups or (0,)])
        return found if len(found) > 1 else found[0]

    def groups(self, default: Any = None) -> tuple[Any, ...]:
        """Return all groups from 1 on. default: what stands for a group that took no part."""
        return tuple([self._part(span, default) for span in self._spans[1:]])

    def groupdict(self, default: Any = None) -> dict[str, Any]:
        """Return the groups that have a name, by name."""
        found = self.groups(default)
        return {name: found[number - 1] for name, number in self._names.items()}

    def __repr__(self) -> str:
        return f"<trawl.Match span={self.span()}, match={self[0]!r:.60}>"


def matches(
    string: Any, spans: Callable[..., Any], facts: list[tuple[int, dict[str, int]]], occurrences: Iterable[Any]
) -> Iterator[Match]:
    for begin, end, pattern, *_ in occurrences:
        yield Match(string, pattern, spans(begin, end, pattern), facts[pattern][1])
