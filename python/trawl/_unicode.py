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


def tables() -> tuple[bytes, bytes, bytes]:
    """Return three tables: the number of each code point's group of equal characters (0: no group), the
    code points of each group, and a bit for each code point that is a word character (\\w of `re`)."""
    everything = array("I", range(sys.maxunicode + 1)).tobytes().decode(_UTF32, "surrogatepass")
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
    groups = array("I", bytes(4 * _VARIANTS_MAX))
    for number, members in enumerate(alike.values(), 1):
        assert len(members) <= _VARIANTS_MAX
        for code in members:
            group_of[code] = number
        groups.extend(sorted(members) + [0] * (_VARIANTS_MAX - len(members)))
    words = 0
    for run in re.finditer(r"\w+", everything):
        words |= ((1 << (run.end() - run.start())) - 1) << run.start()
    return group_of.tobytes(), groups.tobytes(), words.to_bytes(len(everything) // 8, "little")
