"""Unicode tables for the extension module: characters that differ in case alone, and word characters."""

from __future__ import annotations

import re
import sys
from array import array

_CASED_END = 0x20000  # every character with case lies below
_VARIANTS_MAX = 8
_BLOCK = 128
_UTF32 = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"


def fold(character: str) -> str:
    """Return the simple case folding of a character, which is always a single character."""
    folded = character.casefold()
    if len(folded) > 1:
        folded = character.lower()
    return folded if len(folded) == 1 else character


def characters(count: int) -> str:
    """Return the first characters of Unicode, in order."""
    return array("I", range(count)).tobytes().decode(_UTF32, "surrogatepass")


def groups() -> tuple[bytes, bytes]:
    """Return two tables: the number of each code point's group of equal characters (0: no group), and the
    code points of each group."""
    everything = characters(_CASED_END)
    alike: dict[str, list[int]] = {}
    for begin in range(0, _CASED_END, _BLOCK):
        block = everything[begin : begin + _BLOCK]
        if block.casefold() == block.lower() == block:
            continue
        for code, character in enumerate(block, begin):
            folded = fold(character)
            if folded != character:
                alike.setdefault(folded, [ord(folded)]).append(code)
    group_of = array("H", bytes(2 * _CASED_END))
    made = array("I", bytes(4 * _VARIANTS_MAX))
    for number, members in enumerate(alike.values(), 1):
        assert len(members) <= _VARIANTS_MAX
        for code in members:
            group_of[code] = number
        made.extend(sorted(members) + [0] * (_VARIANTS_MAX - len(members)))
    return group_of.tobytes(), made.tobytes()


def words() -> bytes:
    """Return a bit for each code point that is a word character (\\w of `re`)."""
    everything = characters(sys.maxunicode + 1)
    # A digit of 0 or 1 for each code point, the last code point first.
    digits = re.sub(r"\W+", lambda run: "0" * len(run[0]), re.sub(r"\w+", lambda run: "1" * len(run[0]), everything))
    return int(digits[::-1], 2).to_bytes(len(everything) // 8, "little")
