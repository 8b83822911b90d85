"""answers.py OUT TABLE: writes the module trawl._answers from the table of the server's answers (tools/serve/answers.def).

PARTS says how the values of several servers become one, for each member of each answer. The class Count holds the
members of a `count` answer as a tuple."""

import pathlib
import re
import sys

TYPES = {"NUMBER": "int", "SECONDS": "float", "FLAG": "bool", "JSON": "tuple[int, ...]"}


def module(table):
    table = re.sub(r"/\*.*?\*/", "", table, flags=re.S)
    rows = re.findall(r'MEMBER\((\w+), (\w+), (\w+), "(\w+)",\s*"([^"]*)"\)', table)
    if len(rows) != table.count("MEMBER("):
        sys.exit("answers.py: the table has rows that are not understood")
    parts = {answer: {row[1]: row[3] for row in rows if row[0] == answer} for answer, *_ in rows}
    members = [row for row in rows if row[0] == "count"]
    return "\n".join([
        '"""The members of the server\'s answers. Made by answers.py."""\n', "from typing import NamedTuple\n",
        f"PARTS = {parts!r}\n\n", "class Count(NamedTuple):", '    """Numbers of occurrences.\n',
        *[f"    {name}: {meaning}" for _, name, _, _, meaning in members], '    """\n',
        *[f"    {name}: {TYPES[kind]}" for _, name, kind, _, _ in members], ""])  # fmt: skip


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(module(pathlib.Path(sys.argv[2]).read_text()))
