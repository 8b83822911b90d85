"""Compares contains_each and masks with Python's `in`, and with polars and pyarrow where they are installed."""

import ctypes
import importlib
import importlib.util
import mmap

import arrow_by_hand
import pytest
import trawl
from conftest import amount

KINDS = ["u", "U", "vu"]


def drawn(rng, letters="ab", longest=90):
    return "".join(rng.choice(letters) for _ in range(rng.choice([0, 1, 2, 5, 12, 13, 31, 32, 33, 47, 64, longest])))


def pairs(rng, count):
    """Return texts and patterns; about half of the patterns occur."""
    texts, patterns = [], []
    for _ in range(count):
        text = drawn(rng, rng.choice(["a", "ab", "abcdefgh", "a\u00e9"]))
        begin = rng.randrange(len(text) + 1)
        pattern = text[begin : begin + rng.choice([0, 1, 2, 3, 12, 13, 16, 40])]
        if rng.random() < 0.5:
            pattern += rng.choice("abz")
        texts.append(None if rng.random() < 0.1 else text)
        patterns.append(None if rng.random() < 0.1 else pattern)
    return texts, patterns


def right(texts, patterns):
    return [None if text is None or one is None else one in text for text, one in zip(texts, patterns)]


def test_each(rng):
    """Compare rows of columns in all layouts, each column with a layout, a begin and chunks of its own."""
    for _ in range(amount(250)):
        texts, patterns = pairs(rng, rng.choice([1, 8, 24, 60]))
        begin, columns = rng.randrange(len(texts)), []
        for values in (texts, patterns):
            form = rng.choice(["list", "dictionary", *KINDS])
            if form == "list":
                columns.append(values[begin:])
                continue
            data = [None if one is None else one.encode() for one in values]
            kind = rng.choice(KINDS) if form == "dictionary" else form
            keys = [*range(len(data))] if form == "dictionary" else None
            columns.append(arrow_by_hand.Column(data, kind, begin, len(data), keys=keys))
        expected = right(texts[begin:], patterns[begin:])
        found = trawl.contains_each(*columns)
        assert found == expected and found.null_count == expected.count(None)


def test_each_beside_polars(rng):
    polars = pytest.importorskip("polars")
    for _ in range(amount(20)):
        texts, patterns = pairs(rng, 500)
        frame = polars.DataFrame(
            {"text": texts, "pattern": patterns}, schema={"text": polars.String, "pattern": polars.String}
        )
        frame = polars.concat([frame[:137], frame[137:]], rechunk=False)
        expected = (
            frame.select(polars.col("text").str.contains(polars.col("pattern"), literal=True)).to_series().to_list()
        )
        assert trawl.contains_each(frame["text"], frame["pattern"][:]) == expected == right(texts, patterns)
        assert trawl.contains_each(frame["text"], patterns) == expected


def test_each_rejects():
    with pytest.raises(ValueError, match="the column has more than the 1 rows of the patterns"):
        trawl.contains_each(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="the patterns have more than the 0 rows of the column"):
        trawl.contains_each([], ["a"])
    with pytest.raises(TypeError, match="not one string"):
        trawl.contains_each(["a"], "a")
    assert trawl.contains_each([], []) == []


def test_each_in_linear_time():
    """Check that a pattern of which every place of the text has almost all is found or not in linear time: 10^12
    comparisons would take hours."""
    text = "a" * 2_000_000
    for pattern in ("a" * 500_000 + "b", "b" + "a" * 500_000, "a" * 250_000 + "b" + "a" * 250_000):
        assert trawl.contains_each([text], [pattern]) == [False]


def test_each_reads_no_byte_behind_the_column():
    """Check each length of text at the end of a page that another one follows, which cannot be read."""
    pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(address + mmap.PAGESIZE), mmap.PAGESIZE, 0) == 0
    pyarrow = pytest.importorskip("pyarrow")
    for size in range(1, 100):
        pages[mmap.PAGESIZE - size : mmap.PAGESIZE] = b"x" * (size - 1) + b"y"
        data = pyarrow.foreign_buffer(address + mmap.PAGESIZE - size, size, pages)
        ends = pyarrow.array([0, size], pyarrow.int32()).buffers()[1]
        column = pyarrow.StringArray.from_buffers(1, ends, data)
        for pattern in ("y", "xy", "xxxxxxxxxxxxxxy", "z", "xz", "zzzzzzzzzz"):
            assert trawl.contains_each(column, [pattern]) == [pattern in "x" * (size - 1) + "y"]


def test_masks(rng):
    """Compare &, | and ~ with Kleene's logic, also of slices."""

    def both(one, two):
        return False if one is False or two is False else None if one is None or two is None else True

    def other(one):
        return None if one is None else not one

    plan = trawl.Plan("a")
    for _ in range(amount(250)):
        count = rng.choice([0, 1, 7, 8, 9, 40])
        given = [[rng.choice(["a", "b", None][: rng.choice([2, 3])]) for _ in range(count)] for _ in range(2)]
        begin = rng.randrange(count + 1)
        one, two = [plan.contains(values)[begin:] for values in given]
        ones, twos = one.tolist(), two.tolist()
        assert one & two == [both(*each) for each in zip(ones, twos)]
        assert one | two == [other(both(other(a), other(b))) for a, b in zip(ones, twos)]
        assert ~one == [other(a) for a in ones] and (~one).null_count == ones.count(None)
        assert ones == one and one != [*ones, True]
    with pytest.raises(ValueError, match="masks of 1 and 2 values"):
        plan.contains(["a"]) & plan.contains(["a", "b"])
    for wrong in (True, plan.match_counts(["a"])):
        with pytest.raises(TypeError):
            plan.contains(["a"]) & wrong


def test_short_lists(rng):
    """The items of a short list are searched one by one, if they are short, too."""
    plans = trawl.Plan(["ab", "b\u00e9"]), trawl.Plan("Ab", ignore_case=True), trawl.Plan("ab", whole_lines=True)
    items = [None, "", "xaBx", "b\u00e9", "ab", "\nab\n", "a" * 900, b"\xffab"]
    for _ in range(amount(200)):
        column = rng.choices(items, k=rng.randint(0, 20))
        for plan in plans:
            for call in (plan.contains, plan.match_counts, plan.split, lambda given: plan.replace(given, "<>")):
                assert list(call(column)) == list(call([*column, *[None] * 99]))[: len(column)]
    found = plan.contains(["ab", float("nan"), bytearray(b"ab"), "x" * 9000 + "\nab"])
    assert found == [True, None, True, True] and repr(found[1:2]) == "<trawl.Array of 1 bool: [None]>"


def test_the_truth_of_an_array():
    """Check that `if plan.contains(column)`, once true for each column with a row, raises an exception."""
    plan = trawl.Plan("(a)", regex=True)
    for column in ([], ["b"], ["a", None]):
        for call in (plan.contains, plan.which, plan.match_counts, plan.match_lists, plan.groups, plan.pattern_lists):
            with pytest.raises(ValueError, match="trawl.Array is ambiguous"):
                bool(call(column))
    assert plan.positions("a") and not plan.positions("b") and plan.matches("a") and not plan.matches("b")


def masks(values):
    """Yield a mask in all forms that combine with an Array."""
    yield from (values, tuple(values))
    for package, make in (
        ("pyarrow", lambda made: [made.array(values, "bool"), made.chunked_array([values[:1], values[1:]], "bool")]),
        ("polars", lambda made: [made.Series(values, dtype=made.Boolean)]),
        ("pandas", lambda made: [made.array(values, "boolean"), made.Series(values, dtype="boolean")]),
        ("numpy", lambda made: [[None if one is None else made.bool_(one) for one in values]]),
    ):
        if importlib.util.find_spec(package) is not None:
            yield from make(importlib.import_module(package))


def test_masks_of_others():
    """Check & and | with masks of other packages, of which only Arrays were accepted."""
    plan = trawl.Plan("a")
    own, values = plan.contains(["a", "b", None] * 3), [True] * 3 + [False] * 3 + [None] * 3
    pairs = list(zip(own, values))
    both = [False if False in pair else None if None in pair else True for pair in pairs]
    either = [True if True in pair else None if None in pair else False for pair in pairs]
    for mask in masks(values):
        for found, wanted in ((own & mask, both), (own | mask, either)):
            assert [one if isinstance(one, bool) else None for one in found.tolist()] == wanted
        if type(mask).__module__.split(".")[0] in ("builtins", "pyarrow"):  # others decide about their left side
            assert (mask & own) == (own & mask) and (mask | own) == (own | mask)
    for wrong in ([1, 0], ["x", "y"], [True, 3.5]):
        with pytest.raises(TypeError, match="a mask has booleans; item"):
            plan.contains(["a", "b"]) & wrong
    for wrong in ([True], [], (True,) * 3):
        with pytest.raises(ValueError, match="masks of 2 and"):
            plan.contains(["a", "b"]) | wrong
    with pytest.raises(TypeError):
        plan.match_counts(["a"]) & [True]


def test_masks_and_numpy():
    """numpy's arrays of bool combine with masks without nulls; about nulls, numpy said only that NoneType lacks &."""
    numpy = pytest.importorskip("numpy")
    plan, values = trawl.Plan("a"), numpy.array([True, True])
    assert (
        (plan.contains(["a", "b"]) & values).tolist() == (values & plan.contains(["a", "b"])).tolist() == [True, False]
    )
    mask = plan.contains(["a", None])
    none = numpy.array([], dtype=bool)  # of no rows, numpy once took an Array for one of floats
    assert (plan.contains([]) & none).dtype == (none | plan.contains([])).dtype == bool
    for call in (lambda: mask & values, lambda: mask | values):
        with pytest.raises(TypeError, match="an Array with nulls"):
            call()
    assert (mask.to_numpy().astype(bool) & values).tolist() == [True, False]


def test_masks_in_frames():
    """Check that frames take masks as they are."""
    mask = trawl.Plan("an").contains(["banana", None, "pear"]) | trawl.Plan("e").contains(["banana", None, "pear"])
    assert repr(mask) == "<trawl.Array of 3 bool: [True, None, True]>"
    polars = pytest.importorskip("polars")
    assert polars.DataFrame({"mask": mask})["mask"].to_list() == [True, None, True]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": ["banana", None, "pear"], "mask": mask})
    assert frame["mask"].tolist() == [True, None, True]
    assert frame[mask]["text"].tolist() == ["banana", "pear"] == frame.loc[~~mask, "text"].tolist()
