"""The names of the groups of expressions."""

from __future__ import annotations

import re

_NAMED = re.compile(rb"\(\?(?:P?<|')([^<>'()=!][^<>'()]*)[>']")


def names_in(expression: bytes) -> list[bytes]:
    """Return the names that groups of the expression may have. Some may be in escaped text or in classes: the library
    knows which names are groups."""
    return _NAMED.findall(expression)


def labels(facts: list[tuple[int, dict[str, int]]]) -> tuple[str, ...]:
    """Return the column names of the groups of a plan's expressions: their names, or the numbers of groups without a name.
    facts: for each expression the number of groups, and the named groups' numbers."""
    found: dict[str, None] = {}
    for count, names in facts:
        of = {number: name for name, number in names.items()}
        own = [of.get(number, str(number)) for number in range(1, count + 1)]
        if len(set(own)) < count:
            raise ValueError("groups: the name of a group is the number of another group")
        found |= dict.fromkeys(own)
    return tuple(found)
