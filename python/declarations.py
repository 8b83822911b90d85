"""declarations.py OUT HEADER...: writes Cython's declarations of the library from the library's headers.

Names stay as they are. An enum's type becomes int, because C converts between enum and int implicitly."""

import pathlib
import re
import sys

HEAD = """\
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "<stdbool.h>" nogil:
    ctypedef unsigned char flag "bool"

cdef extern from "trawl.h" nogil:
"""


def translated(declaration):
    """Translates a C declaration into Cython's syntax."""
    words = re.sub(r"TRAWL_API|TRAWL_CHECKED|\bstruct\b", "", declaration)
    words = re.sub(r"\benum \w+", "int", words)
    words = re.sub(r"\bbool\b", "flag", words).replace("(void)", "()").replace("typedef", "ctypedef")
    if "(" in words:  # a parameter that is an array is a pointer
        words = re.sub(r"(\w+)\[\w+\]", r"*\1", words)
    if "(*" in words:
        words += " noexcept nogil"
    return " ".join(words.split()).replace("( ", "(")


def declarations(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S).replace("TRAWL_CALL ", "TRAWL_API enum trawl_status ")
    constants = re.findall(r"#define (TRAWL_\w+) \d+\s*\n", text)
    (statuses,) = re.findall(r"TRAWL_STATUS_LIST\(X\)(.*?)\n\n", text, re.S)
    constants += ["TRAWL_" + name for name in re.findall(r"X\((\w+)", statuses)]
    text = re.sub(r"#.*?[^\\]\n", "\n", text, flags=re.S)
    made = {}
    for kind, name, body, other in re.findall(
        r"(enum|struct) (\w+) \{(.*?)\};|((?:TRAWL_API|typedef|struct)\s[^;{}]*);", text, re.S
    ):
        if kind == "enum":
            constants += re.findall(r"(TRAWL_\w+) =", body)
        elif kind == "struct":
            made[f"struct {name}"] = [translated(field) for field in body.split(";") if field.strip()]
        elif re.fullmatch(r"struct \w+", other):
            made.setdefault(other, [])
        else:
            made[translated(other)] = None
    yield "enum:"
    yield from ("    " + name for name in constants)
    for head, fields in made.items():
        yield head if fields is None else head + ":"
        yield from ("    " + field for field in ([] if fields is None else fields or ["pass"]))


if __name__ == "__main__":
    headers = "".join(pathlib.Path(name).read_text() for name in sys.argv[2:])
    lines = "".join(f"    {line}\n" for line in declarations(headers))
    pathlib.Path(sys.argv[1]).write_text(HEAD + lines)
