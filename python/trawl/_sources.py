"""Parts of the extension module that are written in Python: patterns, results, arrays and files."""

from __future__ import annotations

import bisect
import codecs
import contextlib
import copy
import functools
import importlib
import io
import itertools
import numbers
import operator
import os
import re
import threading
import warnings
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, TypeVar, overload

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._trawl import Array, Column

Item = TypeVar("Item")


def several(value: Any) -> Any:
    """Return the items of an argument that accepts one item or several: a str, bytes, a path or a number is one item."""
    return [value] if isinstance(value, (str, bytes, bytearray, int, os.PathLike)) else value


def gather(patterns: Any) -> tuple[Any, ...]:
    """Return the patterns as a tuple of str and buffers."""
    if isinstance(patterns, (str, bytes, bytearray, memoryview)):
        return (patterns,)
    if hasattr(patterns, "__fspath__"):
        with open(patterns, "rb") as file:
            return gather(file)
    if hasattr(patterns, "read"):
        content = joined(patterns)
        content = content.encode() if isinstance(content, str) else content
        content = content.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n")
        try:
            lines: list[Any] = content.decode().split("\n")
        except UnicodeDecodeError:
            lines = list(content.split(b"\n"))
        return tuple(lines if lines[-1] else lines[:-1])
    if hasattr(patterns, "__arrow_c_stream__") or hasattr(patterns, "__arrow_c_array__"):
        from ._trawl import strings

        return tuple(strings(patterns))
    if isinstance(patterns, re.Pattern) or not (hasattr(patterns, "__iter__") or hasattr(patterns, "__getitem__")):
        raise no_pattern(patterns)
    try:
        each = iter(patterns)
    except TypeError:  # a scalar of numpy
        raise no_pattern(patterns) from None
    items = tuple(each)
    for i, item in enumerate(items):
        if not isinstance(item, (str, bytes)):
            try:
                bytes_view(item)
            except TypeError as fault:
                found = no_pattern(item) if isinstance(item, re.Pattern) else fault
                raise TypeError(f"patterns: pattern {i}: {str(found).removeprefix('patterns: ')}") from None
        if isinstance(item, str) != isinstance(items[0], str):
            raise TypeError(
                f"patterns: pattern {i} is {type(item).__name__}, but pattern 0 is {type(items[0]).__name__}"
            )
    return items


def no_pattern(given: Any) -> TypeError:
    if isinstance(given, re.Pattern):
        return TypeError("patterns: a compiled expression of re: give its text, Plan(compiled.pattern, regex=True)")
    return TypeError(f"patterns: a str, bytes, a path, a file or an iterable of strings is needed, not {given!r:.80}")


def name_of(option: str, value: Any) -> str | None:
    """Return the value of an option that is a str or None."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{option}: a str is needed, not {value!r:.80}")
    return value


def ranges(exact: Any) -> tuple[tuple[int, int], ...]:
    """Return the ranges of the option `exact`."""
    try:
        pairs = [(begin, end) for begin, end in exact]
    except (TypeError, ValueError):
        raise TypeError(f"exact: a list of pairs (begin, end) is needed, not {exact!r:.80}") from None
    found = tuple((number("exact", begin), number("exact", end)) for begin, end in pairs)
    for begin, end in found:
        if begin >= end:
            raise ValueError(f"exact: (begin, end) with begin < end, not ({begin}, {end})")
    return found


# ---- Names of other packages --------------------------------------------------------------------

# For methods of re, str, polars, ahocorasick_rs and flashtext: what to call.
_FIRST = "first(text) finds the first occurrence, and finditer(text) each with its groups"
_HINTS = {
    _FIRST: "search find index",
    f"{_FIRST}; an expression that begins with \\A matches only at the begin of a line": "match",
    f"{_FIRST}, in a plan with whole_lines=True": "fullmatch",
    "first(text) is not None": "is_match",
    "find_all(text) lists (begin, end, pattern) of each occurrence, matches(text, value=True) also its text": (
        "findall find_iter find_matches_as_indexes find_matches_as_strings extract_keywords"
    ),
    "replace(text, values)": "sub subn replace_all replace_many replace_keywords",
    "contains(column), which(column) and match_lists(column) search each record": "contains_any find_many extract_many",
    "list(plan) has the patterns": "pattern patterns",
    "group_names": "groupindex",
}
INSTEAD = {name: hint for hint, names in _HINTS.items() for name in names.split()}


def own_names(made: object) -> list[str]:
    """Return the names for dir(): all but those that only raise an exception."""
    return [name for name in object.__dir__(made) if name not in INSTEAD]


class Instead:
    """An attribute of Plan and Searcher that raises AttributeError, and says what to call."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, made: object, kind: type) -> Any:
        if made is None:
            return self  # for help() and others that read what a class has
        raise AttributeError(
            f"trawl.{kind.__name__} has no {self.name!r}: {INSTEAD[self.name]}", name=self.name, obj=made
        )

    def __repr__(self) -> str:
        return f"<not here: {INSTEAD[self.name]}>"


# ---- Options ------------------------------------------------------------------------------------


def number(name: str, value: Any, most: int = 2**64 - 1) -> int:
    """Return a whole number from 0 to `most`. A bool or a float is rejected, even if it equals an integer."""
    try:
        if isinstance(value, bool):
            raise TypeError
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: a whole number is needed, not {value!r:.80}") from None
    if not 0 <= found <= most:
        raise ValueError(f"{name}: 0 to {most}, not {found}")
    return found


def choice(name: str, value: Any, choices: Iterable[Any]) -> Any:
    """Return the choice that `value` equals: True for 1, and for numpy's True."""
    for one in choices if isinstance(value, Hashable) else ():
        if one == value:
            return one
    *names, last = [repr(one) for one in choices if one is not None]
    raise ValueError(f"{name}: {', '.join(names)} or {last}, not {value!r:.80}")


def progress_bar(total: int | None) -> Callable[[int], None] | None:
    """Return the function for progress=True, to be called with the number of searched bytes: tqdm's bar, which closes with
    its last reference."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        warnings.warn("progress=True needs tqdm (pip install tqdm); the search shows no progress", stacklevel=2)
        return None
    bar = tqdm(total=total, unit="B", unit_scale=True)
    return lambda done: bar.update(done - bar.n)


# ---- Expressions --------------------------------------------------------------------------------

SYNTAXES = (None, "perl", "extended", "basic")  # SYNTAXES[i] is number i of enum trawl_syntax
_GROUP = re.compile(rb"\$(?:\{([^}]+)\}|(\w+)|\$)")
_FOREIGN = re.compile(rb"\\(?:([0-9])|g<(\w+)>)")  # a group as in Python's re


def template(value: str | bytes) -> tuple[str | bytes, list[bytes | tuple[bytes]] | None]:
    """Split an expression's value at its groups. Return the value and the parts: bytes, or a group's name as a tuple. If
    the value has no group, return it with a $ for each $$, and None."""
    data = value.encode() if isinstance(value, str) else value
    if foreign := _FOREIGN.search(data):
        shown, name = foreign[0].decode(), (foreign[1] or foreign[2]).decode()
        warnings.warn(
            f"values: {shown} is no group, but inserted as it stands; ${{{name}}} is the group's text", stacklevel=2
        )
    parts: list[bytes | tuple[bytes]] = []
    at = 0
    for found in _GROUP.finditer(data):
        name = found[1] or found[2]
        parts += [data[at : found.start()], (name,) if name else b"$"]
        at = found.end()
    parts.append(data[at:])
    if any(isinstance(part, tuple) for part in parts):
        return value, parts
    return (value.replace("$$", "$") if isinstance(value, str) else value.replace(b"$$", b"$")), None


# ---- Plans --------------------------------------------------------------------------------------

ALPHABETS = ("bytes", "utf8", "dna")  # ALPHABETS[i] is number i of enum trawl_alphabet
ERRORS_MAX = 31
LETTERS = (False, True, "ascii", "unicode")


def Plan(  # noqa: N802  (Python names this function in errors about arguments)
    patterns: Any,
    *,
    values: Any = None,
    ignore_case: Any = False,
    whole_words: Any = False,
    whole_lines: Any = False,
    line_end: Any = b"\n",
    method: Any = "auto",
    algorithm: Any = None,
    sample: Any = None,
    mismatches: Any = 0,
    edits: Any = 0,
    alphabet: Any = None,
    exact: Any = (),
    every_end: Any = False,
    within_lines: Any = False,
    reverse_complement: Any = False,
    any_base: Any = False,
    regex: Any = False,
    unicode: Any = False,
    pcre: Any = False,
    multiline: Any = False,
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Check the arguments of trawl.Plan. Return the patterns, and the options in their normal form."""
    if values is None and isinstance(patterns, dict):
        values = patterns.values()
    try:
        values = values if values is None else iter(values)
    except TypeError:
        raise TypeError(f"values: a sequence with a value for each pattern is needed, not {values!r:.80}") from None
    items = gather(patterns)
    is_text = len(items) > 0 and isinstance(items[0], str)
    regex = choice("regex", regex, (*SYNTAXES, True, False))
    options = {
        "values": None if values is None else tuple(values),
        "line_end": line_end,
        "method": method,
        "algorithm": name_of("algorithm", algorithm),
        "sample": None if sample is None else bytes(bytes_view(sample)),
        "mismatches": number("mismatches", mismatches, ERRORS_MAX),
        "edits": number("edits", edits, ERRORS_MAX),
        "regex": "perl" if regex is True else regex or None,
    }
    if options["values"] is not None and len(options["values"]) != len(items):
        raise ValueError(f"values: {len(options['values'])} values for {len(items)} patterns")
    if not isinstance(line_end, bytes) or len(line_end) != 1:
        raise ValueError(f"line_end: one byte is needed, not {line_end!r:.80}")
    if alphabet is None:
        is_needed = options["mismatches"] or options["edits"] or options["regex"]
        alphabet = "utf8" if is_text and is_needed else "bytes"
    options["alphabet"] = choice("alphabet", alphabet, ALPHABETS)
    has_letters = alphabet == "utf8" or (alphabet == "bytes" and not regex)
    letters = "unicode" if is_text and has_letters else "ascii"
    for name, value in (("ignore_case", ignore_case), ("whole_words", whole_words)):
        found = choice(name, value, LETTERS)
        options[name] = letters if found is True else found
    if {options["ignore_case"], options["whole_words"]} == {"ascii", "unicode"}:
        raise ValueError("ignore_case, whole_words: 'ascii' or 'unicode', the same for both")
    switches = {"within_lines": within_lines, "reverse_complement": reverse_complement}
    switches |= {"any_base": any_base, "every_end": every_end, "whole_lines": whole_lines}
    switches |= {"unicode": unicode, "pcre": pcre, "multiline": multiline}
    for name, value in switches.items():
        options[name] = choice(name, value, (False, True))
    if options["multiline"] and not regex:
        raise ValueError("multiline: only with regex")
    if options["mismatches"] and options["edits"]:
        raise ValueError("mismatches, edits: a plan has only one of them")
    if every_end and not options["edits"]:
        raise ValueError("every_end: only with edits")
    if within_lines and not (mismatches or edits or alphabet == "dna"):
        raise ValueError("within_lines: only with mismatches, edits or alphabet='dna'")
    for name in ("reverse_complement", "any_base"):
        if options[name] and alphabet != "dna":
            raise ValueError(f"{name}: only with alphabet='dna'")
    if (options["unicode"] or options["pcre"]) and options["regex"] != "perl":
        raise ValueError("unicode, pcre: only with regex=True")
    if options["unicode"] and (alphabet != "utf8" or "ascii" in (options["ignore_case"], options["whole_words"])):
        raise ValueError("unicode: only with the alphabet 'utf8' (of str patterns), and without 'ascii'")
    options["exact"] = ranges(exact)
    return items, options


def Searcher(  # noqa: N802
    engine: Any = "auto",
    threads: Any = 0,
    *,
    instruction_set: Any = None,
    device_memory: Any = 0,
    host_memory: Any = 0,
    chunk_bytes: Any = 0,
) -> tuple[Any, ...]:
    """Check the arguments of trawl.Searcher, and return what the extension module stores."""
    engines = ("auto", "cpu", "cuda")  # engines[i] is number i of enum trawl_engine
    return (
        engines.index(choice("engine", engine, engines)),
        number("threads", threads, 2**32 - 1),
        number("device_memory", device_memory),
        number("host_memory", host_memory),
        number("chunk_bytes", chunk_bytes),
        None if name_of("instruction_set", instruction_set) is None else instruction_set.encode(),
    )


def plan_of(given: Any) -> Any:
    """Return a plan as it is, or build one from patterns in any form that Plan accepts."""
    from . import Plan

    return given if isinstance(given, Plan) else Plan(given)


PLAIN = Plan(())[1]  # the options of a plan made without any


def show_plan(count: int, first: list[bytes], options: dict[str, Any]) -> str:
    """Return the repr() of a plan: the first patterns, and the options that differ from the default."""
    few = [str(one[:40], "utf-8", "backslashreplace") for one in first]
    more = ", ..." if count > len(first) else ""
    given = "".join(
        f", {name}={value!r}"
        for name, value in options.items()
        if value != PLAIN[name] and name not in ("values", "sample")
    )
    return f"<trawl.Plan of {count} pattern{'s' * (count != 1)}: {str(few)[1:-1]}{more}{given}>"


def bytes_view(given: Any) -> memoryview:
    """Return the memory of an object whose items are single bytes. Raise TypeError for other items, whose bytes would be
    treated as text, and for a number or date of numpy."""
    if isinstance(given, bytes):
        return memoryview(given)
    kind: Any = getattr(given, "dtype", None) if hasattr(given, "__array_interface__") else None
    if kind is None or (kind.itemsize == 1 and given.ndim > 0):
        try:
            view = memoryview(given)
        except TypeError:
            raise TypeError(f"str or bytes are needed, not {given!r:.80}") from None
        if view.format.lstrip("@=<>!") in ("B", "b", "c", "s", "1s"):
            return view
        kind = f"format {view.format!r}"
    raise TypeError(
        f"str or bytes are needed, not {type(given).__name__} of {kind}: pass its strings one by one, or its bytes "
        "as memoryview(...).cast('B')"
    )


def is_bytes(given: Any) -> bool:
    """Return True if an object's items are single bytes, so that it is one text, not a column."""
    try:
        memoryview(given)  # raises TypeError for a list, whose items bytes_view() would all put into its message
        return bytes_view(given).format.lstrip("@=<>!") in ("B", "b", "c")
    except (TypeError, ValueError, BufferError):
        return False


def is_missing(item: Any) -> bool:
    """Return True for what pandas takes for a missing value: NaN, pandas.NA and NaT."""
    if isinstance(item, numbers.Real):  # numpy's numbers, too
        return item != item
    return type(item).__name__ in ("NAType", "NaTType")


def polars_lazy_hint(given: Any) -> str:
    """Return what to call for a LazyFrame or an expression of polars, which have no strings yet; "" for anything else."""
    if type(given).__module__.split(".")[0] != "polars" or type(given).__name__ not in ("LazyFrame", "Expr"):
        return ""
    return (
        f"a column or a text is needed, not polars' {type(given).__name__}; after `import trawl.polars`, expressions "
        "search: frame.filter(polars.col(NAME).trawl.contains(plan)), and .trawl.count, .trawl.replace and others"
    )


def array_items(given: Any) -> list[Any] | None:
    """Return the items of a numpy array of str, bytes, or other Python objects; None: `given` is something else. Masked
    items become None. Raise TypeError for an array of other items."""
    if (
        isinstance(given, str)
        or not (hasattr(given, "__array_interface__") and hasattr(given, "dtype"))
        or is_bytes(given)
    ):
        return None
    if given.dtype.kind not in "OUTS" or given.ndim == 0:
        raise TypeError(f"str or bytes are needed, not {type(given).__name__} of {given.dtype}")
    items: list[Any] = given.tolist()
    return items


def warn_of_packing(name: str, packed: str) -> None:
    warnings.warn(
        f"{name}: {packed} data are searched as they are; trawl.Text(path, decompress=True) decompresses them",
        stacklevel=2,
    )


def warn_of_fasta() -> None:
    warnings.warn(
        "the text is FASTA: occurrences that cross its line ends are not found; trawl.fasta(text) joins the lines",
        stacklevel=2,
    )


# without a name: zstd, lz4 and pzstd, for which Python has no module
_PACKED = {
    "gzip": b"\x1f\x8b\x08", "bz2": b"BZh", "lzma": b"\xfd7zXZ\0", "": b"\x28\xb5\x2f\xfd", " ": b"\x04\x22\x4d\x18",
    "  ": b"P*M\x18\x04\0\0\0",
}  # fmt: skip
PACKED_BEGINS = tuple(_PACKED.values())


@contextlib.contextmanager
def unpacked(path: Any) -> Iterator[Any]:
    """Open a path for reading lines. A file compressed by gzip, bzip2 or xz is decompressed, whatever its name."""
    with open(path, "rb") as file:
        head = file.peek(8)
        module = next((name for name, magic in _PACKED.items() if head.startswith(magic)), None)
        if module is not None and not module.strip():
            raise ValueError(f"{os.fsdecode(path)}: zstd or lz4 data: decompress the file first")
        yield file if module is None else importlib.import_module(module).open(file)


# ---- Results -----------------------------------------------------------------------------------


_ITEM_TYPES: dict[tuple[str, ...], Any] = {}


def item_type(fields: tuple[str, ...]) -> Any:
    """Return a type of tuples whose `_fields` become the column names of a DataFrame made from them."""
    if fields not in _ITEM_TYPES:
        reduce = {"__reduce__": lambda self: (tuple, (tuple(self),))}
        _ITEM_TYPES[fields] = type("Item", (tuple,), {"__slots__": (), "_fields": fields} | reduce)
    return _ITEM_TYPES[fields]


class Columns(Generic[Item]):
    """Columns of equal length. Item i is a tuple of value i of each column. pyarrow.record_batch and
    polars.DataFrame use the columns without a copy."""

    __slots__: tuple[str, ...] = ()
    _names: tuple[str, ...]  # names of the columns; a column may be None
    _fields: tuple[str, ...]  # the name of one value of each column

    def _items(self) -> dict[str, Any]:
        """Return the columns that items have."""
        columns = zip(self._fields, (getattr(self, name) for name in self._names))
        return {field: column for field, column in columns if column is not None}

    def _named(self) -> dict[str, Any]:
        """Return the columns that tables have."""
        return self._items()

    def __len__(self) -> int:
        return len(getattr(self, self._names[0]))

    @overload
    def __getitem__(self, index: SupportsIndex) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, slice):
            return tuple([column[index] for column in self._items().values()])
        made = copy.copy(self)
        for name in self.__slots__:
            if hasattr(column := getattr(self, name), "to_arrow"):
                setattr(made, name, column[index])
        return made

    def __iter__(self) -> Iterator[Item]:
        # pandas.DataFrame takes the column names from the first item. Named tuples for all items would take five times
        # as long.
        columns = self._items()
        items: Iterator[Any] = zip(*columns.values())
        first = map(item_type(tuple(columns)), itertools.islice(items, 1))
        return itertools.chain(first, items)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        more = "..." if len(self) > 3 else ""
        few = list(itertools.islice(self, 3))
        return f"<trawl.{type(self).__name__} of {len(self)}: {few}{more}>"

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        from ._trawl import struct_capsules

        return struct_capsules(self._named())

    def to_arrow(self) -> Any:
        """Return a pyarrow.RecordBatch over the same memory."""
        import pyarrow

        return pyarrow.record_batch(self)

    def to_polars(self) -> Any:
        """Return a polars.DataFrame over the same memory."""
        import polars

        return polars.DataFrame(self)

    def to_numpy(self) -> Any:
        """Copy the columns to a numpy array of records."""
        import numpy

        named = self._named()
        made: Any = numpy.rec.fromarrays  # Any: numpy's annotations want `names` to be a str
        return made([one.to_numpy() for one in named.values()], names=list(named))

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame of the columns."""
        import pandas

        columns = self._named().items()
        return pandas.DataFrame({name: getattr(column, "to_numpy", column.tolist)() for name, column in columns})


class Matches(Columns["tuple[Any, ...]"]):
    """Occurrences in a part of a text, ordered by (begin, pattern), as columns.

    matches[i] is (begin, end, pattern). With errors or 'dna', the distance follows, with 'dna' also the strand.
    pyarrow.record_batch(matches) makes no copy.

    begins, ends: the offset of each occurrence's first byte or character, and of the end after the last.
    patterns: the index of each occurrence's pattern.
    lines: the 0-based line in which each occurrence begins; None unless requested.
    text_begin, text_end: the part of the text in which the occurrences begin, rounded to whole characters.
    distances: the number of mismatches or edits; None without errors and 'dna'.
    strands: an Array of '+' and '-' ('-': the reverse complement occurs); None except with 'dna'.
    values: an Array of the occurring strings, if they were requested with value=True; else None. With
      values, matches[i] ends with the string.
    A slice, matches[begin:end], is a Matches, too.

    >>> matches = Plan(["an", "nan"]).matches("banana")
    >>> list(matches)
    [(1, 3, 0), (2, 5, 1), (3, 5, 0)]
    >>> matches.ends.tolist()
    [3, 5, 5]
    """

    __slots__ = ("begins", "ends", "patterns", "lines", "text_begin", "text_end", "distances", "strands", "values")
    _names = ("begins", "ends", "patterns", "distances", "strands", "values")
    _fields = ("begin", "end", "pattern", "distance", "strand", "value")

    def __init__(
        self,
        begins: Column,
        ends: Column,
        patterns: Column,
        lines: Column | None,
        text_begin: int,
        text_end: int,
        distances: Column | None = None,
        strands: Array | None = None,
        values: Array | None = None,
    ) -> None:
        self.begins, self.ends, self.patterns, self.lines = begins, ends, patterns, lines
        self.text_begin, self.text_end = text_begin, text_end
        self.distances, self.strands, self.values = distances, strands, values

    def _named(self) -> dict[str, Any]:
        return super()._named() | ({} if self.lines is None else {"line": self.lines})


class Cells(Columns[tuple[int, int, int]]):
    """Pairs of a record and a pattern that occurs there, in order, as three columns.

    cells[i] is (record, pattern, begin). begin: the pattern's first begin in the record.
    pyarrow.record_batch(cells) makes no copy.

    >>> cells = Plan(["an", "p"]).cells(["banana", None, "apple pan"])
    >>> list(cells)
    [(0, 0, 1), (2, 0, 7), (2, 1, 1)]
    """

    __slots__ = _names = ("records", "patterns", "begins")
    _fields = ("record", "pattern", "begin")

    def __init__(self, records: Column, patterns: Column, begins: Column) -> None:
        self.records, self.patterns, self.begins = records, patterns, begins


class Lines(Columns["tuple[Any, ...]"]):
    """Lines of a text in which an occurrence begins, in order, as columns.

    lines[i] is (number, begin, text): the line's 0-based number, its offset in the text, and the line without the
    line end, a str if the searched text is a str, otherwise bytes. A plan with errors adds the smallest distance of the
    occurrences that begin in the line. `numbers`, `begins` and `distances` are Columns (distances: None without
    errors), `texts` is an Array. pyarrow.record_batch(lines) makes no copy.

    >>> lines = Plan("an").lines("pear\\nbanana\\nmango")
    >>> list(lines)
    [(1, 5, 'banana'), (2, 12, 'mango')]
    >>> lines.numbers.tolist()
    [1, 2]
    """

    __slots__ = _names = ("numbers", "begins", "texts", "distances")
    _fields = ("number", "begin", "text", "distance")

    def __init__(self, numbers: Column, begins: Column, texts: Array, distances: Column | None = None) -> None:
        self.numbers, self.begins, self.texts, self.distances = numbers, begins, texts, distances


def show_array(few: list[Any], length: int, form: str, items: Any) -> str:
    """Return the repr() of an Array. items: of lists, the form of the items, or their columns; None for numbers."""
    kinds = {"b": "bool", "l": "int64", "L": "uint64", "+L": "lists of uint64", "U": "str", "+s": "groups"}
    if form == "+L" and items is not None:
        kinds[form] = f"lists of {'matches' if isinstance(items, dict) else kinds.get(items, 'bytes')}"
    return f"<trawl.Array of {length} {kinds.get(form, 'bytes')}: {few}{'...' if length > len(few) else ''}>"


def pandas_array(values: list[Any], form: str) -> Any:
    """Return an Array's values as a pandas array; None becomes NA."""
    import pandas

    kinds: dict[str, Any] = {"b": "boolean", "l": "Int64", "L": "UInt64"}
    return pandas.array(values, dtype=kinds.get(form, object))


def names_of(plan: Any, answer: str) -> Any:
    """Return what stands for each pattern in an answer: its text or its value; None: its index."""
    if choice("answer", answer, ("index", "pattern", "value")) == "index":
        return None
    return values_of(plan, None) if answer == "value" else plan


def as_answers(plan: Any, found: Any, answer: str) -> Any:
    """Replace the pattern indices in `found`, of numbers, None, lists of numbers, or of occurrences in tuples."""
    names = names_of(plan, answer)
    if names is None:
        return found
    named = functools.cache(names.__getitem__)

    def of(item: Any) -> Any:
        if isinstance(item, tuple):
            return *item[:2], named(item[2]), *item[3:]
        return None if item is None else [named(i) for i in item] if isinstance(item, list) else named(item)

    return [of(item) for item in (found if isinstance(found, list) else found.tolist())]


def as_counts(plan: Any, counts: Any, answer: str) -> Any:
    """Convert a number per pattern into a dict of names and numbers; those of equal names add up."""
    names = names_of(plan, answer)
    if names is None:
        return counts
    sums: dict[Any, int] = {}
    for name, count in zip(names, counts):
        sums[name] = sums.get(name, 0) + count
    return sums


def truth(i: int, item: Any) -> bool | None:
    """Return item i of a mask that is not a bool, as a bool or None."""
    if type(item).__module__ == "numpy" and type(item).__name__ in ("bool", "bool_"):
        return bool(item)
    if item is not None and not is_missing(item):
        raise TypeError(f"a mask has booleans; item {i} is {item!r:.80}")
    return None


def combined(array: Any, other: Any, name: str) -> Any:
    """Combine an Array of bool with a mask of another kind, by the operator `name`."""
    operate = getattr(operator, name)
    package = type(other).__module__.partition(".")[0]
    if package == "pandas":
        return operate(array.to_pandas(), other)
    if package == "polars" and type(other).__name__ == "Expr":
        return operate(importlib.import_module("polars").lit(array.to_polars()), other)
    if hasattr(other, "__arrow_c_array__") or hasattr(other, "__arrow_c_stream__"):
        other = getattr(other, "to_pylist", getattr(other, "to_list", lambda: None))()
    if not isinstance(other, (list, tuple)):
        return NotImplemented
    from ._trawl import booleans

    return operate(array, booleans(other))


def values_of(plan: Any, values: Any) -> Any:
    """Return the values that replace occurrences: those that were given, or else the plan's."""
    if values is None and plan.values is None:
        raise ValueError("values: the plan has no values; pass them, or make the plan of a dict")
    return plan.values if values is None else values


def values_by_pattern(plan: Any, given: dict[Any, Any]) -> list[Any]:
    """Return the values of a dict in the order of the plan's patterns."""
    values = {key.encode() if isinstance(key, str) else key: value for key, value in given.items()}
    patterns = plan._encoded()
    for one, other in ((patterns, values), (values, plan)):
        for pattern in one:
            if pattern not in other:
                raise ValueError(f"values: {pattern!r:.80} is not both a pattern and a key of the dict")
    return [values[pattern] for pattern in patterns]


def replace_file(path: Any, text: Any, rewrite: Callable[[Any], int]) -> int:
    """Let `rewrite` write the file `path`. If the text has no occurrence, an existing file with the same bytes is kept."""
    from ._files import NewFile

    with NewFile(path, text) as file:
        count = rewrite(file.write)
        file.may_stay = count == 0
    return count


def iterate(plan: Any, batches: Any) -> Iterator[tuple[int, Any]]:
    """Yield (index of the last character or byte, value) of each occurrence, ordered by that index, the longest
    occurrence first."""
    values = range(len(plan)) if plan.values is None else plan.values
    waiting: list[tuple[int, ...]] = []
    for batch in batches:
        waiting.extend(zip(batch.ends, batch.begins, batch.patterns))
        waiting.sort()
        # Occurrences of later batches begin at text_end or after, so they end after text_end.
        sure = bisect.bisect_left(waiting, (batch.text_end + 1,))
        for end, _, pattern in waiting[:sure]:
            yield end - 1, values[pattern]
        del waiting[:sure]
    for end, _, pattern in waiting:
        yield end - 1, values[pattern]


def without_later(patterns: list[bytes], ignore_case: bool) -> list[bytes] | None:
    """Replace each pattern that has a prefix earlier in the list with that prefix. None: there is none."""
    made, known = patterns.copy(), [one.lower() for one in patterns] if ignore_case else patterns
    above: list[int] = []  # patterns that are prefixes of the present one, each earlier than the shorter ones
    for i in sorted(range(len(known)), key=known.__getitem__):
        while above and not known[i].startswith(known[above[-1]]):
            above.pop()
        if above and above[-1] < i:
            made[i] = patterns[above[-1]]
        else:
            above.append(i)
    return made if made != patterns else None


# ---- Pickles -----------------------------------------------------------------------------------


def str_flags(items: tuple[Any, ...]) -> bytes:
    """Return a byte for each pattern that says whether it is a str, or nothing if none is."""
    kinds = bytes(map(isinstance, items, itertools.repeat(str)))
    return kinds if any(kinds) else b""


def text_of(pattern: str | bytes) -> str:
    return pattern if isinstance(pattern, str) else pattern.decode("utf-8", "surrogatepass")


def stored(patterns: list[bytes], kinds: bytes, options: dict[str, Any]) -> Any:
    """Return what pickle stores for a plan: the patterns' bytes, their sizes and kinds, and the options."""
    return restore, (b"".join(patterns), array("Q", map(len, patterns)).tobytes(), kinds, options)


def restore(patterns: bytes, sizes: bytes, *more: Any) -> Any:
    """Return the plan in a pickle. A process keeps the last few restored plans, so that tasks, stages and requests with the
    same plan build it only once. A plan whose values could change is not kept."""
    build: Any = _built
    kinds, options = more if len(more) > 1 else (b"", *more)  # 1.1 stored no kinds
    if not {str, bytes, type(None)}.issuperset(map(type, options["values"] or ())):
        build = _built.__wrapped__
    return build(patterns, sizes, kinds, tuple(options.items()))


@functools.lru_cache(maxsize=8)
def _built(patterns: bytes, sizes: bytes, kinds: bytes, options: tuple[tuple[str, Any], ...]) -> Any:
    from . import Plan

    ends = itertools.accumulate(array("Q", sizes), initial=0)
    items: list[Any] = [patterns[begin:end] for begin, end in itertools.pairwise(ends)]
    for i, is_str in enumerate(kinds):
        items[i] = items[i].decode() if is_str else items[i]
    return Plan(items, **dict(options))


def out_of_band(form: Any, protocol: int) -> Any:
    """Return a buffer for pickle. From protocol 5 on, pickle can keep the buffer out of band."""
    import pickle

    return pickle.PickleBuffer(form) if protocol >= 5 else bytes(form)


# ---- File objects ------------------------------------------------------------------------------


def parts_of(file: Any) -> Iterator[Any]:
    """Yield what each file.read() returns, up to the file's end. As in every generator, a StopIteration from read() becomes
    a RuntimeError. None, which a stream that does not block returns before its end, is an error."""
    while part := file.read(1 << 20):
        yield part
    if part is None:
        raise BlockingIOError("read() returned None: a stream that does not block cannot be searched")


def joined(file: Any) -> str | bytes:
    """Return everything that a file object returns."""
    parts = list(parts_of(file))
    if parts and isinstance(parts[0], str):
        return "".join(parts)
    return b"".join([memoryview(part).cast("B") for part in parts])


def in_memory(text: Any) -> Any:
    """Return a str or a buffer as it is, and the contents of an object with read(); None for a text that the library must
    read: a path, a file with a descriptor, a Text. A file's position does not change."""
    try:
        return text if isinstance(text, str) else memoryview(text)
    except TypeError:
        pass
    if not hasattr(text, "read") or isinstance(getattr(text, "raw", text), io.FileIO):
        return None
    return unmoved(text, lambda: joined(text))


def unmoved(file: Any, read: Callable[[], Any]) -> Any:
    """Call a function that reads the file, and move the file back, if that is possible and the function has read text."""
    place = file.tell() if hasattr(file, "seekable") and file.seekable() else None
    found = read()
    if place is not None and isinstance(found, (str, bytes)):
        file.seek(place)
    return found


def no_text(given: Any) -> TypeError:
    if hint := polars_lazy_hint(given):
        return TypeError(f"text: {hint}")
    shown = repr(given)
    if len(shown) > 80 or "\n" in shown:
        shown = f"a {type(given).__module__}.{type(given).__qualname__}"
    return TypeError(
        f"text: bytes, str, a path or an object with read() or fileno() is needed, not {shown}; contains(), "
        "record_counts(), match_lists() and others search each record of a column"
    )


def descriptor(file: Any) -> tuple[int, str, Any, bool]:
    """Return (descriptor, name, object that keeps the descriptor open, must the caller close?).

    A regular file is reopened, so that the position of the caller's object does not change. If an object has no
    descriptor for its bytes (GzipFile, an HTTP response), a thread reads the object and writes to a pipe. If its read()
    returns str, the object is the text, and the descriptor -1. A number is rejected: most numbers are mistakes.
    """
    if not hasattr(file, "read") and not hasattr(file, "fileno"):
        raise no_text(file)
    name = getattr(file, "name", type(file).__name__)
    name = os.fsdecode(name) if isinstance(name, bytes) else str(name)
    if not hasattr(file, "read"):
        return file.fileno(), name, file, False
    raw = getattr(file, "raw", file)
    if not isinstance(raw, io.FileIO):
        found = unmoved(file, lambda: text_or_parts(file))
        if isinstance(found, str):
            return -1, name, found, False
        pump = Pump(found)
        return pump.reading, name, pump, True
    if file.seekable():
        fresh = os.open(f"/proc/self/fd/{file.fileno()}", os.O_RDONLY | os.O_CLOEXEC)
        os.lseek(fresh, file.tell(), os.SEEK_SET)
        return fresh, name, file, True
    return file.fileno(), name, file, False


def text_or_parts(file: Any) -> str | Iterator[Any]:
    """Return everything that read() returns if that is str, otherwise an iterator over the parts."""
    parts = parts_of(file)
    first = next(parts, b"")
    return "".join([first, *parts]) if isinstance(first, str) else itertools.chain([first], parts)


class Pump:
    """A thread that copies what file.read() returns to a pipe. `reading`: the pipe's end for the search. `fault`: the
    exception that file.read() raised."""

    def __init__(self, parts: Iterator[Any]) -> None:
        self.parts = parts
        self.fault: BaseException | None = None
        self.reading, self.writing = os.pipe()
        threading.Thread(target=self.run, name="trawl-pump", daemon=True).start()

    def run(self) -> None:
        try:
            for part in self.parts:
                if not self.write(memoryview(part).cast("B")):
                    break
        except BaseException as fault:
            self.fault = fault  # set before the pipe closes, so that check() sees the exception
        finally:
            os.close(self.writing)

    def write(self, view: memoryview) -> bool:
        """Write to the pipe; false: the search has closed the reading end."""
        try:
            while view:
                view = view[os.write(self.writing, view) :]
        except BrokenPipeError:
            return False
        return True


def check(owner: Any) -> None:
    """Raise the exception of file.read(), after a text of descriptor() was read to the end."""
    if isinstance(owner, Pump) and owner.fault is not None:
        raise owner.fault


def arrow_kind(format: str) -> str:
    """Return what a column of this format of Arrow's C data interface consists of, for messages."""
    kinds = {"b": "booleans", "t": "dates or times", "w": "binary values of a fixed size: cast them to binary",
             "+": "nested values", "+s": "structs; of a table, give one column",
             "+r": "run-end encoded values: decode them"}  # fmt: skip
    return kinds.get(format[:2]) or kinds.get(format[:1], "numbers")
