"""Compares every call on texts and columns, with random options, with a naive search. A kind of plan, of text or of column
is one row of a table, and every call is tested with every row."""

import contextlib
import gzip
import io
import itertools
import pathlib
import pickle
import sys
import tempfile
from types import SimpleNamespace

import conftest
import pytest
import trawl
from arrow_by_hand import Column, Stream, read
from conftest import amount, naive, parts, rewritten

# (letters of the texts, options of the plan, options of naive() for the same search). None: naive() cannot do this
# search, so the expected answer is what plan.matches() finds in each text alone; the C library's tests check such
# plans.
PLANS = [
    ("ab \u00e9\u20ac\n", {}, {}), ("ab\n", {}, {}), ("abA\u00e9\U0001f600", {"line_end": b"\xa9"}, {}),
    ("ab \u00e9\n", {"whole_words": "ascii"}, {"whole_words": True}),
    ("ab\n\n\u00e9", {"whole_lines": True}, {"whole_lines": True}),
    ("ab;;\u00e9\n", {"whole_lines": True, "line_end": b";"}, {"whole_lines": True, "line_end": b";"}),
    ("abAB\u00e9\u00c9", {"ignore_case": "unicode"}, None),
    ("aA \u00e9\n", {"ignore_case": "ascii"}, None),
    ("ab\u00e9\n", {"mismatches": 1, "alphabet": "utf8"}, None),
    ("ab\u00e9\n", {"mismatches": 1, "alphabet": "bytes"}, None),
    ("ab\u20ac\n", {"edits": 1, "alphabet": "utf8"}, None),
    ("acgt", {"mismatches": 1, "alphabet": "dna", "reverse_complement": True}, None),
    ("ab\u00e9\n", {"regex": True}, None),
    ("ab\u00e9\n", {"regex": True, "alphabet": "bytes"}, None),
]  # fmt: skip
MATCHES = ("all", "leftmost-longest", "leftmost-first")


class Parts(io.BytesIO):
    """A stream whose read() returns a few bytes at a time."""

    def read(self, size):
        return super().read(min(size, 7))


TEXTS = {
    "str": bytes.decode, "bytes": bytes, "bytearray": bytearray, "view": lambda data: memoryview(b"x" + data)[1:],
    "path": lambda data: file_of(data), "file": lambda data: opened(b"xyz" + data, 3), "stream": Parts,
    "lines": lambda data: io.StringIO(data.decode(), newline=""), "Text of str": lambda data: trawl.Text(data.decode()),
    "Text of bytes": trawl.Text, "Text of path": lambda data: trawl.Text(file_of(data)),
    "Text of stream": lambda data: trawl.Text(io.BytesIO(gzip.compress(data)), decompress=True),
    "Text of file": lambda data: trawl.Text(opened(b"xy" + gzip.compress(data), 2), decompress=True),
}  # fmt: skip
LISTS = ("str", "bytes", "mixed", "isna")
KINDS = ("u", "U", "z", "Z", "vu", "vz")


FOLDER = tempfile.TemporaryDirectory()


def file_of(data):
    path = pathlib.Path(FOLDER.name, "text")
    path.write_bytes(data)
    return path


def opened(data, place):
    file = open(file_of(data), "rb")
    file.seek(place)
    return file


def cut(rng, text, size, often=0.1):
    """Return a random part of the text's UTF-8, which sometimes begins or ends inside a character."""
    begin = rng.randint(0, len(text))
    part = text[begin : begin + size].encode()
    return part[rng.randrange(2) :][: rng.randint(0, 2 * size)] if rng.random() < often else part


def case(rng, number):
    """Return a plan, its patterns as bytes, and a function that returns a text's occurrences with offsets in bytes."""
    letters, options, oracle = PLANS[number % len(PLANS)]
    text = "".join(rng.choices(letters, k=400))
    patterns = [cut(rng, text, 3) for _ in range(rng.choice([1, 2, 6]))]
    if rng.random() < 0.3:
        patterns += patterns[:1]
    if oracle is None:
        patterns = [text[at : at + rng.randint(2, 4)].replace("\n", "a").encode() for at in range(len(patterns))]
    if "regex" in options:
        patterns[0] = rng.choice([b"(a+)(b?)", b"(b)(.)", b"([^a])a*"])
    patterns = [one or b"a" for one in patterns]
    with_str = options.get("alphabet") == "utf8" or "unicode" in options.values() or rng.random() < 0.5
    with contextlib.suppress(UnicodeDecodeError):
        patterns = [one.decode() if with_str else one for one in patterns]
    plan = trawl.Plan(patterns, **options)

    def search(data):
        found = Found(naive(plan._encoded(), data, **oracle) if oracle is not None else plan.matches(data))
        if "regex" in options:
            found.apart = {match: list(plan.matches(data, match=match)) for match in MATCHES[1:]}
        return found

    return SimpleNamespace(
        plan=plan, letters=letters, search=search, text=text, line_end=options.get("line_end", b"\n")
    )


def starts(data):
    """Count the characters that begin in the bytes."""
    return len(data.translate(None, bytes(range(0x80, 0xC0))))


def shown(data, found, characters, value=False, as_str=False):
    """Return an occurrence in the form in which calls report it: offsets in characters if `characters`, else in bytes;
    with its text if `value`. An occurrence that begins or ends inside a character is reported with the whole
    character."""
    begin, end, *more = found
    if not characters:
        return (begin, end, *more, *([data[begin:end]] if value else []))
    while data[begin:] and data[begin] & 0xC0 == 0x80 and begin > 0:
        begin -= 1
    while data[end:] and data[end] & 0xC0 == 0x80:
        end += 1
    part = data[begin:end]
    return (starts(data[:begin]), starts(data[:end]), *more, *([part.decode() if as_str else part] if value else []))


class Found(list):
    """Occurrences. apart: for each value of `match`, those without overlap, if they are not chosen among all, as for
    expressions, which have their own tests."""

    apart = None


def chosen(found, match):
    if match == "all" or found.apart:
        return found if match == "all" else found.apart[match]
    return conftest.spans(found, match == "leftmost-longest")


def cuts(data, found):
    return any(data[at : at + 1] and data[at] & 0xC0 == 0x80 for one in found for at in one[:2])


def values_for(rng, plan):
    """Return values that replace() accepts, and the value of each pattern as bytes; None if the value is a function of
    the occurring string."""
    values = ["".join(rng.choices("xy\u20ac", k=rng.choice([0, 1, 3, 20]))) for _ in plan]
    if rng.random() < 0.1:
        return rng.choice([[b"\xff"] * len(plan), lambda string, pattern: b"\xff"]), [b"\xff"] * len(plan)
    if rng.random() < 0.3:
        return lambda string, pattern: string + string[:0], None
    if rng.random() < 0.3:
        return values[0], [values[0].encode()] * len(plan)
    return [one.encode() if rng.random() < 0.3 else one for one in values], [one.encode() for one in values]


def replaced(data, found, values):
    return rewritten(data, found, values) if values else data


def masked(data, found, mask, characters):
    """Put the mask in place of each character, or each byte, of an occurrence."""
    texts = [mask * (starts(data[one[0] : one[1]]) if characters else one[1] - one[0]) for one in found]
    return rewritten(data, [(*one[:2], i) for i, one in enumerate(found)], texts)


def text_calls(rng, plan, line_end, data, found, kind):
    """Yield (name, arguments, options, how the answer is shown, expected), for calls with one text."""
    offsets = rng.choice([None, "bytes", "characters"])
    is_str = kind in ("str", "lines", "Text of str")
    if offsets == "characters" and kind in ("Text of path", "Text of stream", "Text of file"):
        offsets = None
    characters = offsets == "characters" or (is_str and offsets is None)
    as_str = is_str and offsets != "bytes"
    place = {} if offsets is None and rng.random() < 0.5 else {"offsets": offsets}
    match = rng.choice(MATCHES)
    numbers = rng.random() < 0.5
    value = rng.random() < 0.5 and (
        kind not in ("stream", "Text of stream", "Text of file") or (kind == "stream" and characters)
    )
    spans = chosen(found, match)
    line = [data.count(line_end, 0, one[0]) for one in found]
    every = [shown(data, one, characters) for one in found]
    some = [shown(data, one, characters, value, as_str) for one in spans]
    yield "count", (), {}, int, len(found)
    yield "count_by_pattern", (), {}, list, [sum(one[2] == i for one in found) for i in range(len(plan))]
    yield "first", (), place, lambda one: one, every[0] if every else None
    yield "positions", (), place, list, [one[0] for one in every]
    wanted = {"match": match, "line_numbers": numbers, "value": value, **place}
    some = [(row, *([data.count(line_end, 0, one[0])] if numbers else [])) for row, one in zip(some, spans)]
    size = starts(data) if characters else len(data)

    def joined(batches):
        places, rows = [0], []
        for one in batches:
            rows += rows_of(rng, one)
            # a character that the boundary of two parts of the text divides belongs to both
            # (a text that is a part of a character has no end)
            assert places[-1] - characters <= one.text_begin <= one.begins[0] <= one.begins[-1]
            assert one.begins[-1] - characters < one.text_end <= size
            places.append(one.text_end)
        return rows

    yield "matches", (), wanted, lambda made: (rows_of(rng, made), made.text_begin, made.text_end), (some, 0, size)
    yield "batches", (), wanted, joined, some
    yield "find_all", (), {"match": match, **place}, list, [shown(data, one, characters) for one in spans]
    yield "scan", (), place, list, every
    yield (
        "finditer", (), {"match": match}, lambda made: [(*one.span(), one.pattern) for one in made],
        [shown(data, one, is_str)[:3] for one in spans],
    )  # fmt: skip
    values = plan.values or range(len(plan))
    yield "iter", (), place, sorted, sorted((one[1] - 1, values[one[2]]) for one in every)
    whole = data.split(line_end)
    begins = [sum(len(one) + 1 for one in whole[:i]) for i in range(len(whole))]
    rows = [((i, shown(data, (begins[i], begins[i]), characters)[0],
              whole[i].decode() if as_str and line_end < b"\x80" else whole[i],
              *([min(one[3] for one, at in zip(found, line) if at == i)] if found[0][3:] else [])),)
            for i in sorted(set(line))]  # fmt: skip
    yield "lines", (), place, lambda made: rows_of(rng, made), rows
    yield "line_batches", (), place, lambda made: [row for one in made for row in rows_of(rng, one) or ["none"]], rows
    invert, limit = rng.random() < 0.5, rng.choice([None, 0, 1, 3])
    total = len(whole) - (not whole[-1]) - len(rows) if invert else len(rows)
    yield "count_lines", (), {"invert": invert, "limit": limit}, int, total if limit is None else min(total, limit)
    match = rng.choice(MATCHES[1:])
    spans = chosen(found, match)
    given, values = values_for(rng, plan)
    target = file_of(b"").with_name("new")
    yield (
        "replace_file", (target, given), {"match": match}, lambda count: (count, target.read_bytes()),
        (len(spans), replaced(data, spans, values)),
    )  # fmt: skip
    if kind in ("str", "bytes", "bytearray", "view"):
        form = bytes.decode if kind == "str" else bytes
        fails = kind == "str" and cuts(data, spans)
        wrong = kind == "str" and len(spans) > 0
        yield from rewriting(
            rng, match, fails, wrong, given, lambda made: made, lambda do: form(do(data, spans, is_str)), values,
            lambda: [form(one) for one in parts(data, spans)],
        )  # fmt: skip


def rewriting(rng, match, fails, wrong, given, show, each, values, split):
    """Yield the calls that rewrite a text or column. fails: an occurrence is a part of a character, so rewriting a str
    fails. wrong: a value that is not UTF-8 is an error. each: applies a function to one text or to all records."""
    mask = rng.choice(["*", "\u20ac"])
    options = {"match": match}
    yield (
        "replace", (given,), options, show,
        ValueError
        if fails or wrong and values and b"\xff" in values
        else each(lambda data, spans, _: replaced(data, spans, values)),
    )  # fmt: skip
    yield (
        "mask", (mask,), options, show,
        ValueError
        if fails
        else each(lambda data, spans, by_characters: masked(data, spans, mask.encode(), by_characters)),
    )  # fmt: skip
    yield "split", (), options, show, ValueError if fails else split()


def ask(rng, searcher, plan, kind, name, given, arguments, options, show, expected, total=None):
    """Call a method of the plan or of the searcher, and compare the answer."""
    done = []
    if rng.random() < 0.1 and "progress" in getattr(trawl.Plan, name).__text_signature__:
        options = {**options, "progress": done.append}
    about = plan, kind, name, arguments, options
    call = getattr(searcher, name) if searcher else getattr(plan, name)
    arguments = [plan] * (searcher is not None) + [given, *arguments]
    references = sys.getrefcount(given)
    if expected is ValueError:
        # An occurrence is a part of a character. A column that is not a list is then always rejected. A str or a list
        # need not fail: the result is valid if the rest of the character is also replaced.
        arrow = name != "split" and not isinstance(given, (str, list))
        with pytest.raises(ValueError) if arrow else contextlib.suppress(ValueError):
            call(*arguments, **options)
    else:
        assert show(call(*arguments, **options)) == expected, about
        assert not total or "progress" not in options or done[-1] == total, about
        # A thread may hold a reference to a stream for a while, and the functions of a column made by hand refer to the
        # column. There is one b"" and one "", to which the code of each module refers that a call imports.
        counted = (
            kind != "stream" and kind[-1] not in "uUzZ" and not (isinstance(given, bytes | str | tuple) and not given)
        )
        assert not counted or sys.getrefcount(given) == references, about


def test_texts(rng):
    for number in range(amount(320)):
        made = case(rng, number)
        data = cut(rng, made.text, rng.choice([0, 1, 20, 90, 400]))
        kind = list(TEXTS)[number * 5 % len(TEXTS)]
        if kind in ("str", "lines", "Text of str"):
            data = data.decode(errors="replace").encode()
        with trawl.Searcher("cpu", 1 + number % 2, chunk_bytes=rng.choice([0, 1, 30])) as searcher:
            found = made.search(data)
            calls = [text_calls(rng, made.plan, made.line_end, data, found, kind) for _ in range(3)]
            for name, *call in itertools.chain(*calls):
                given = TEXTS[kind](data)
                known = kind in ("str", "bytes", "bytearray", "view", "path") and name not in ("first", "count_lines")
                of = rng, searcher if number % 3 else None, made.plan, kind
                ask(*of, name, given, *call, total=len(data) if known else None)
                if name in ("batches", "line_batches"):
                    # the iterator is dropped, perhaps in the middle of its search
                    next(getattr(searcher, name)(made.plan, data), None)
                if kind == "bytearray":
                    given.append(0)  # no search still has the buffer
                if kind == "file":
                    given.close()


class Series:
    """Has the methods of a pandas 2 Series of objects that trawl uses."""

    def __init__(self, texts):
        self.texts = texts

    def __iter__(self):
        return iter([float("nan") if one is None else one for one in self.texts])

    def isna(self):
        return [one is None for one in self.texts]


def layout(rng, records, kind):
    """Return the records as a column, and whether the column is of text."""
    if kind == "bytes":
        return tuple(one if one is None else rng.choice([bytes, bytearray, memoryview])(one) for one in records), False
    if kind in LISTS:
        texts = [one if one is None else one.decode() for one in records]
        if kind == "isna":
            return Series(texts), True
        texts += [b""] * (kind == "mixed")
        return texts, kind == "str"
    keyed = "of" in kind
    value_kind = kind.split()[-1]
    borders = sorted(rng.choices(range(len(records) + 1), k=rng.choice([0, 0, 1, 3])))
    chunks = []
    for begin, end in zip([0, *borders], [*borders, len(records)]):
        part, counted = records[begin:end], rng.random() < 0.5
        before, after = (rng.choices([None, b"", *records], k=rng.choice([0, 1, 9])) for _ in range(2))
        first = len(before)
        if not keyed:
            chunks.append(Column([*before, *part, *after], value_kind, first, first + len(part), counted=counted))
            continue
        many = {"c": 80, "C": 200, "s": 32000, "S": 65000}.get(kind[0], 300)  # keys of 8 and 16 bits then need all bits
        values = [*[b""] * rng.choice([0, many]), *rng.sample(distinct := list(dict.fromkeys(part)), len(distinct))]
        keys = [
            None if one is None and rng.random() < 0.5 else len(values) - 1 - values[::-1].index(one) for one in part
        ]
        shift = rng.randint(1, 9)
        keys = [*[None] * shift, *keys, *[0] * len(after)]
        chunks.append(
            Column(
                [*before, *values],
                value_kind,
                shift,
                shift + len(part),
                keys,
                first=first,
                key_kind=kind[0],
                counted=counted,
            )
        )
    return Stream(chunks) if len(chunks) > 1 or rng.random() < 0.5 else chunks[0], value_kind[-1] in "uU"


def column_calls(rng, plan, records, found, column, is_text, kind):
    whole = all(one is None or one.decode(errors="replace").encode() == one for one in records)
    offsets = rng.choice([None, "bytes", "characters"])
    characters = offsets == "characters" or (is_text and offsets is None)
    place = {} if offsets is None and rng.random() < 0.5 else {"offsets": offsets}
    match, value = rng.choice(MATCHES), rng.random() < 0.5 and (whole or not characters)
    kinds = [one if one is None else sorted({item[2] for item in one}) for one in found]
    least = [one[0] if one else None for one in kinds]
    some = [None if one is None else [shown(data, item, characters, value, characters) for item in chosen(one, match)]
            for data, one in zip(records, found)]  # fmt: skip
    check = lambda made: checked(rng, made)  # noqa: E731
    yield "contains", (), {}, check, [one if one is None else bool(one) for one in kinds]
    yield "which", (), {}, check, least
    yield (
        "which", (), {"answer": "pattern"}, list, [one if one is None else plan[one] for one in least],
    )  # fmt: skip
    yield "pattern_counts", (), {}, check, [one if one is None else len(one) for one in kinds]
    yield "pattern_lists", (), {}, check, kinds
    yield "record_counts", (), {}, list, [sum(i in (one or []) for one in kinds) for i in range(len(plan))]
    yield "cells", (), place, lambda made: rows_of(rng, made), [
        ((row, i, shown(data, min(item for item in one if item[2] == i), characters)[0]),)
        for row, (data, one) in enumerate(zip(records, found)) if one for i in sorted({item[2] for item in one})]  # fmt: skip
    yield "match_counts", (), {"match": match}, check, [one if one is None else len(one) for one in some]
    yield "match_lists", (), {"match": match, "value": value, **place}, check, some
    match = rng.choice(MATCHES[1:])
    spans = [one if one is None else chosen(one, match) for one in found]
    form = (lambda one: one if one is None else one.decode()) if is_text else lambda one: one
    given, values = values_for(rng, plan)
    if kind == "mixed":  # "mixed" has str and bytes: compare the bytes, in which offsets agree
        return
    show = (lambda made: [bytes(one) if isinstance(one, bytearray | memoryview) else one for one in made]) \
        if isinstance(column, tuple) else list if kind == "str" else check  # fmt: skip
    fails = is_text and any(cuts(data, one) for data, one in zip(records, spans) if one)

    def each(do):
        return [one if one is None else form(do(data, one, is_text)) for data, one in zip(records, spans)]

    def split():
        return [one if one is None else [form(part) for part in parts(data, one)] for data, one in zip(records, spans)]

    wrong = is_text and any(spans)
    for name, *call in rewriting(rng, match, fails, wrong, given, show, each, values, split):
        if name == "split" and not isinstance(column, tuple) and kind != "str" and rng.random() < 0.5:
            yield name, call[0], {**call[1], "answer": "array"}, check, call[3]
        else:
            yield name, *(call if name != "split" else [*call[:2], list, call[3]])


def rows_of(rng, made):
    """Check a part, a copy and an export of a result that consists of columns. Return for each row a tuple of the row and,
    if the result has line numbers, the row's number."""
    rows = list(made)
    begin, end = sorted(rng.choices(range(len(rows) + 1), k=2))
    part = made[begin:][: end - begin]
    lines = getattr(made, "lines", None)
    for one in (part, pickle.loads(pickle.dumps(part))):
        exported = read(one)[1]
        numbers = exported.pop("line", None)
        assert list(one) == rows[begin:end] == list(zip(*exported.values()))
        assert lines is None or one.lines.tolist() == numbers == lines.tolist()[begin:end]
    return [(row, *more) for row, *more in zip(rows, *([] if lines is None else [lines]))]


def checked(rng, made):
    """Check parts, copies and exports of an Array, and return its values."""
    values = made.tolist()
    assert list(made) == values and len(made) == len(values) and made.null_count == values.count(None)
    begin, end = sorted(rng.choices(range(len(values) + 1), k=2))
    part = made[begin:][: end - begin]
    for one in (part, pickle.loads(pickle.dumps(part))):
        assert one.tolist() == values[begin:end] and one.null_count == one.tolist().count(None)
        form, exported = read(one)
        if form[0] == "v":
            exported = [one and (one[0].decode() if form == "vu" else one[0]) for one in exported]
        assert exported == values[begin:end], form
    return values


def test_columns(rng):
    kinds = [*LISTS, *KINDS, *(f"{key} of {value}" for key in "cCsSiIlL" for value in rng.sample(KINDS, 2))]
    for number in range(amount(320)):
        made, kind = case(rng, number), kinds[number * 5 % len(kinds)]
        # contains() and similar calls treat a record as a single line; match_lists() and similar calls search each line
        # of a record.
        text = "".join(rng.choices(made.letters.replace("\n", " " if made.plan.regex else "\n"), k=60))
        records = [rng.choice([None, *made.plan._encoded()]) if rng.random() < 0.3 else cut(rng, text, rng.choice([0, 1, 5, 30]), 0.3)
                   for _ in range(rng.choice([0, 1, 8, 40]))]  # fmt: skip
        if kind in ("str", "mixed", "isna") or kind[-1] in "uU":
            records = [one and one.decode(errors="replace").encode() for one in records]
        with trawl.Searcher("cpu", 1 + number % 2, chunk_bytes=rng.choice([0, 64])) as searcher:
            column, is_text = layout(rng, records, kind)
            records += [b""] * (kind == "mixed")
            found = [one if one is None else made.search(one) for one in records]
            calls = [column_calls(rng, made.plan, records, found, column, is_text, kind) for _ in range(2)]
            for name, *call in itertools.chain(*calls):
                of = rng, searcher if number % 3 else None, made.plan, kind
                total = sum(len(one or b"") for one in records) if kind in LISTS else None
                ask(*of, name, column, *call, total=total)
            if isinstance(column, Stream):
                del call, calls
                assert column.schemas == 0 and all(one.released == one.exported for one in column.columns)
