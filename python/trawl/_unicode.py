"""A table of Unicode for the extension module: word characters."""

from __future__ import annotations

import re
import sys
from array import array

_UTF32 = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"


def words() -> bytes:
    """Return a bit for each code point that is a word character (\\w of `re`)."""
    everything = array("I", range(sys.maxunicode + 1)).tobytes().decode(_UTF32, "surrogatepass")
    # A digit of 0 or 1 for each code point; reversed below, so that bit 0 is that of code point 0.
    digits = re.sub(r"\W+", lambda run: "0" * len(run[0]), re.sub(r"\w+", lambda run: "1" * len(run[0]), everything))
    return int(digits[::-1], 2).to_bytes(len(everything) // 8, "little")
