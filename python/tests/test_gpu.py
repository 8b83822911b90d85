"""Tests arrays and columns on GPUs, with the tests' simulated driver. The driver's folder must be in LD_LIBRARY_PATH
when the interpreter starts, so one test runs the others in another interpreter."""

import os
import pathlib
import random
import subprocess
import sys

import pytest
import trawl
from conftest import SCALE, SEED, amount

INSIDE = os.environ.get("TRAWL_TEST_GPU") == "simulated"
if INSIDE:
    import gpu_by_hand as gpu

simulated = pytest.mark.skipif(not INSIDE, reason="runs in test_on_a_simulated_gpu")
PLAN = trawl.Plan(["an", "na"])
VALUES = [b"banana", None, b"", b"nan", b"x" * 40, b"an"]


@pytest.mark.skipif(INSIDE, reason="this is the other interpreter")
def test_on_a_simulated_gpu():
    folder = os.environ.get("TRAWL_SIM_DRIVER")
    if not folder:
        pytest.skip("TRAWL_SIM_DRIVER does not name the folder of the simulated driver")
    environment = {**os.environ, "LD_LIBRARY_PATH": folder, "TRAWL_SIM_DEVICES": "2", "TRAWL_TEST_GPU": "simulated",
                   "TRAWL_SIM_MEMORY_BYTES": str(256 << 20)}  # fmt: skip
    ran = subprocess.run([sys.executable, "-m", "pytest", "-qxs", "-p", "no:cacheprovider", __file__],
                         capture_output=True, text=True, env=environment, cwd=pathlib.Path(__file__).parent)  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.skipif(INSIDE, reason="the simulated driver is there")
def test_without_a_driver():
    """Check that without a driver, a GPU's array is rejected with a message, and that nothing is imported."""
    code = """
import sys, trawl
class There:
    __cuda_array_interface__ = {"shape": (3,), "typestr": "|u1", "data": (4096, False), "version": 3}
class Tensor:
    __dlpack_device__ = lambda self: (2, 0)
for given in (There(), Tensor()):
    try:
        trawl.Plan("a").count(given)
    except trawl.EngineError as error:
        assert "no NVIDIA driver" in str(error), error
    else:
        raise AssertionError(given)
assert not {"torch", "cupy", "jax", "cudf", "numpy", "pyarrow"} & sys.modules.keys()
"""
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


@simulated
@pytest.mark.parametrize("device", (0, 1))
def test_text(device):
    text = b"banana" * 300 + b"xan"
    for given in (
        gpu.Shared(text, device=device), gpu.Shared(text, device=device, old=True), gpu.Shared(text, code=0, device=device),
        gpu.Shared(b"an" + text, begin=2, device=device), gpu.Shared(text, device=device, strides=(1,)),
        gpu.Shared(text, device=device, flags=1), gpu.Interfaced(text, device=device),
        gpu.Interfaced(text, "|i1", device=device, version=2, stream=...),
        *(gpu.Interfaced(text, device=device, stream=stream, strides=(1,)) for stream in (None, 1, 2)),
    ):  # fmt: skip
        assert PLAN.count(given) == PLAN.count(text)
        assert PLAN.count_by_pattern(given) == PLAN.count_by_pattern(text)
        found = PLAN.positions(given)
        assert (
            found.device == device and gpu.read_tensor(found) == gpu.read_arrow(found) == PLAN.positions(text).tolist()
        )
        assert found.to_host() == PLAN.positions(text) and len(found) == len(found.tolist())
        kept = trawl.Text(given)
        assert kept.nbytes == len(text) and PLAN.count(kept) == PLAN.count(kept) == PLAN.count(text)
        with trawl.Searcher() as searcher:
            kept = searcher.load(given)
            assert searcher.count(PLAN, kept) == searcher.count(PLAN, kept) == PLAN.count(text)
            assert searcher.stats()["engine"] == "cuda"
            searcher.unload(kept)
    shared = gpu.Shared(text)
    PLAN.count(shared)
    assert shared.streams == [1]
    empty = gpu.Shared(b"", data=None), gpu.Interfaced(b"", data=(None, False)), gpu.Interfaced(b"", data=(0, False))
    for given in empty:
        assert PLAN.count(given) == 0 and list(PLAN.positions(given)) == []
    many = b"a" * 70000
    assert trawl.Plan("a").positions(gpu.Shared(many)).tolist() == list(range(70000))


@simulated
def test_loaded_text_of_the_host():
    text, plan = b"banana" * 1000, trawl.Plan("an")
    with trawl.Searcher("cuda", 2) as searcher:
        kept = searcher.load(text)
        assert searcher.count(plan, kept) == 2000 and searcher.stats()["engine"] == "cuda"
        assert searcher.positions(plan, kept) == plan.positions(text)
        searcher.unload(kept)


@simulated
def test_memory_of_the_host():
    """Check that tensors in the host's memory, even pinned, are searched there."""
    import ctypes

    text = ctypes.create_string_buffer(b"banana" * 50)
    for kind in (1, 3):
        given = gpu.Shared(b"banana" * 50, kind=kind, data=ctypes.addressof(text), device=0)
        assert PLAN.count(given) == 200 and PLAN.find_all(given)[:2] == [(1, 3, 0), (2, 4, 1)]
        assert PLAN.first(given) == (1, 3, 0) and given.streams == [None, None, None]


QUESTIONS = {
    "matches": lambda given: PLAN.matches(given, value=True),
    "first": lambda given: trawl.Plan("banana", edits=1).first(given),
    "count": lambda given: trawl.Plan("banana", mismatches=1).count(given),
    "lines": lambda given: PLAN.lines(given),
    "batches": lambda given: [list(one) for one in trawl.Plan("an an", edits=1).batches(given)],
    "finditer": lambda given: list(PLAN.finditer(given)),
}
OF_COLUMNS = {
    "which": lambda given: PLAN.which(given),
    "group_lists": lambda given: trawl.Plan("(a)n", regex=True).group_lists(given),
    "pattern_counts": lambda given: PLAN.pattern_counts(given),
    "pattern_lists": lambda given: PLAN.pattern_lists(given),
    "record_counts": lambda given: PLAN.record_counts(given),
    "match_lists": lambda given: PLAN.match_lists(given, value=True),
    "replace": lambda given: PLAN.replace(given, lambda found, pattern: b"x"),
    "split": lambda given: trawl.Plan(["an", "n."], regex=True).split(given),
    "match_counts": lambda given: PLAN.match_counts(given, match="leftmost-longest"),
    "contains": lambda given: trawl.Plan("banana", edits=1).contains(given),
}


def plain(answer):
    if isinstance(answer, list):
        return [plain(one) for one in answer]
    return getattr(answer, "tolist", lambda: tuple(map(plain, answer)) if isinstance(answer, tuple) else
                   list(answer) if hasattr(answer, "__iter__") else answer)()  # fmt: skip


@simulated
@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_for_the_host(name):
    text = b"banana\nan\n" * 30
    ask = QUESTIONS[name]
    with pytest.raises(trawl.UnsupportedError, match=f"^{name}: only the host"):
        ask(gpu.Shared(text))
    with pytest.raises(trawl.UnsupportedError, match="only the host"):
        ask(trawl.Text(gpu.Shared(text)))
    assert list(PLAN.matches(gpu.Shared(text))) == list(PLAN.matches(text))  # matches go to the host, not the text
    if name != "finditer":
        assert plain(ask(trawl.Text(gpu.Shared(text), copy=True))) == plain(ask(text))
        assert plain(ask(trawl.Searcher().load(gpu.Shared(text), copy=True))) == plain(ask(text))


@simulated
@pytest.mark.parametrize("name", OF_COLUMNS)
def test_questions_about_columns_for_the_host(name):
    ask = OF_COLUMNS[name]
    with pytest.raises(trawl.UnsupportedError, match=f"^{name}: only the host"):
        ask(gpu.Column(VALUES))
    searcher = trawl.Searcher()
    with pytest.raises(trawl.UnsupportedError, match=f"^{name}: only the host"):
        ask(searcher.load(gpu.Column(VALUES)))
    for chunks in (None, [2, 2, 5]):
        kept = searcher.load(gpu.Column(VALUES, "z", chunks=chunks), copy=True)
        assert list(ask(kept)) == list(ask(VALUES)) == list(ask(kept))


def expected(plan, values):
    found = plan.contains(values).tolist(), plan.match_counts(values).tolist()
    return [bool(one) for one in found[0]], [one or 0 for one in found[1]], plan.cells(values)


def check_column(plan, values, given):
    contains, counts, cells = expected(plan, values)
    found = plan.contains(given)
    assert gpu.read_tensor(found) == contains == found.tolist()
    assert not hasattr(found, "__arrow_c_device_array__")
    packed = plan.contains(given, bits=True)
    want = [None if value is None else one for value, one in zip(values, contains)]
    assert gpu.read_arrow(packed) in (want, contains) and packed.tolist() == contains
    found = plan.match_counts(given)
    assert gpu.read_tensor(found) == gpu.read_arrow(found) == counts
    records, patterns = plan.cells(given)
    assert gpu.read_tensor(records) == cells.records.tolist() and patterns.tolist() == cells.patterns.tolist()
    check_matches(plan, values, given)


def check_matches(plan, values, given):
    lists = plan.match_lists(given, offsets="bytes")
    want = plan.match_lists(values, offsets="bytes").tolist()
    assert gpu.read_arrow(lists) in (want, [one or [] for one in want]), values  # a pair has no nulls
    assert lists.tolist() == [one or [] for one in want] and len(lists) == len(values)
    assert gpu.read_tensor(lists.begins) == lists.begins.tolist() == [one[0] for row in want for one in row or ()]
    firsts = plan.match_lists(given, first=True, offsets="bytes")
    want = plan.match_lists(values, first=True, offsets="bytes").tolist()
    assert firsts.tolist() == want and len(firsts) == len(values) and firsts.offsets is None
    assert gpu.read_tensor(firsts.ends) == [-1 if one is None else one["end"] for one in want]
    assert not hasattr(firsts, "__arrow_c_device_array__")


@simulated
@pytest.mark.parametrize("kind", ("u", "U", "z", "Z"))
def test_columns(kind):
    for device in (0, 1):
        check_column(PLAN, VALUES, gpu.Column(VALUES, kind, device=device))
    check_column(PLAN, VALUES[1:4], gpu.Column(VALUES, kind, begin=1, end=4))
    check_column(PLAN, VALUES, gpu.Column(VALUES, kind, chunks=[2, 2, 5]))
    check_column(PLAN, [], gpu.Column(VALUES, kind, begin=2, end=2))
    check_column(PLAN, [], gpu.Column([], kind))
    check_column(PLAN, [b"", None, b""], gpu.Column([b"", None, b""], kind))
    check_column(PLAN, VALUES, gpu.DataFrameSeries(gpu.Column(VALUES, kind), True))
    check_column(PLAN, VALUES, gpu.DataFrameSeries(gpu.Column(VALUES, kind), False))
    with trawl.Searcher() as searcher:
        kept = searcher.load(gpu.Column(VALUES, kind, chunks=[1]))
        assert len(kept) == len(VALUES) and kept.device == 0
        for _ in range(3):
            check_column(PLAN, VALUES, kept)
        assert searcher.contains(PLAN, kept).tolist() == expected(PLAN, VALUES)[0]
        searcher.unload(kept)
        with pytest.raises(ValueError, match="unloaded"):
            PLAN.contains(kept)
    with pytest.raises(ValueError, match="unload"):
        trawl.Searcher().unload(kept)


@simulated
def test_matches_count_bytes():
    """Check that characters are not counted on a GPU, and that a copy may answer instead."""
    column, values = gpu.Column(["caf\u00e9 tea".encode()]), ["caf\u00e9 tea"]
    plan = trawl.Plan("tea")
    for offsets in (None, "characters"):
        with pytest.raises(trawl.UnsupportedError, match="offsets='bytes'"):
            plan.match_lists(column, offsets=offsets)
    assert plan.match_lists(column, offsets="bytes").tolist() == [[(6, 9, 0)]]
    assert plan.match_lists(gpu.Column([values[0].encode()], "z")).tolist() == [[(6, 9, 0)]]
    kept = trawl.Searcher().load(column, copy=True)
    assert plan.match_lists(kept).tolist() == [[(5, 8, 0)]] == plan.match_lists(values).tolist()
    with pytest.raises(ValueError, match="offsets"):
        plan.match_lists(column, offsets="words")
    single = trawl.Plan("a+", regex=True)  # its occurrences never overlap
    for match in ("all", "leftmost-longest", "leftmost-first"):
        assert single.match_lists(gpu.Column([b"baab"], "z"), match=match).tolist() == [[(1, 3, 0)]]
    with pytest.raises(trawl.UnsupportedError, match="^match_lists: only the host"):
        PLAN.match_lists(gpu.Column(VALUES, "z"), match="leftmost-longest")
    many = trawl.Plan("a").match_lists(gpu.Column([b"a" * 9000, b"", b"a"], "z"))  # more than there was room for
    assert many.offsets.tolist() == [0, 9000, 9000, 9001] and many.begins.tolist() == [*range(9000), 0]


@simulated
@pytest.mark.parametrize("expressions", ("b?an", ["an+a", "n.n", "^ba"], "[a-c]+", r"na\b", "(?s)n.*?a"))
def test_matches_of_expressions(expressions):
    """Check the answers about matches, which a GPU finds in lines and records, beside the host's."""
    plan = trawl.Plan(expressions, regex=True)
    values = [*VALUES, b"bananana nan", b"an an ban"] * 9
    text = b"\n".join(value or b"" for value in values)
    check_column(plan, values, gpu.Column(values))
    with trawl.Searcher() as searcher:
        check_column(plan, values, searcher.load(gpu.Column(values, chunks=[5])))
        # match_counts and match_lists search each line of a record, which the GPU does not
        lines = searcher.load(gpu.Column([b"an\nan ban", b"n\na"]), copy=True)
        assert plan.match_counts(lines).tolist() == plan.match_counts([b"an\nan ban", b"n\na"]).tolist()
        with pytest.raises(trawl.UnsupportedError, match="^match_counts: only the host"):
            plan.match_counts(gpu.Column([b"an\nan ban", b"n\na"]))
    check_matches(plan, [b"", b""], gpu.Column([b"", b""]))  # 2026-11-30: refused, as only the host's
    for given in (gpu.Shared(text), trawl.Text(gpu.Shared(text))):
        assert plan.count(given) == plan.count(text)
        assert plan.count_by_pattern(given) == plan.count_by_pattern(text)
        assert plan.positions(given).tolist() == plan.positions(text).tolist()
        assert plan.first(given) == plan.first(text)
        assert plan.find_all(given) == plan.find_all(text)


def check_rewritten(plan, values, given, insert, form=bytes):
    """Check replace(), mask() and split() beside the host's answers."""
    host = [value if value is None else form(value, *["utf-8"] * (form is str)) for value in values]
    for match in ("leftmost-longest", "leftmost-first"):
        for found, want in (
            (plan.replace(given, insert, match=match), plan.replace(host, insert, match=match)),
            (plan.mask(given, match=match), plan.mask(host, match=match)),
            (plan.mask(given, "\u00e9", match=match), plan.mask(host, "\u00e9", match=match)),
            (plan.split(given, match=match), plan.split(host, match=match)),
        ):
            read = gpu.read_arrow(found)
            if isinstance(given, tuple):  # a pair has no nulls
                want = [([form()] if isinstance(want[0], list) else form()) if one is None else one for one in want]
            assert read == want == found.tolist() and len(found) == len(values), (values, insert, match)


@simulated
def test_rewritten_columns():
    """Check replace, mask and split: kinds of columns, nulls, slices, results longer than there was room for."""
    import struct

    texts = [b"banana", None, b"", "na\u00efan \u00e9".encode(), b"x" * 40, b"an", b"nan" * 30]
    many = ["an", "na", "nan", "a", "\u00e9"]
    for kind in ("u", "U", "z", "Z"):
        form = str if kind in "uU" else bytes
        for insert in ("<long>" * 9, "", ["1", "", "333", "4444", "\u00e9\u00e9"]):
            plan = trawl.Plan(many, whole_words="ascii" if insert == "" else False)
            check_rewritten(plan, texts, gpu.Column(texts, kind), insert, form)
            check_rewritten(plan, texts[1:5], gpu.Column(texts, kind, begin=1, end=5, device=1), insert, form)
            check_rewritten(plan, texts, gpu.Column(texts, kind, chunks=[2, 2, 5]), insert, form)
        check_rewritten(trawl.Plan("zebra"), texts, gpu.Column(texts, kind), "-", form)
        for empty in ([], [b"", None], [None]):
            check_rewritten(PLAN, empty, gpu.Column(empty, kind), "-", form)
    values = [b"banana", b"", b"xan"]
    pair = gpu.Shared(b"banana" + b"xan"), gpu.Shared(struct.pack("4q", 0, 6, 6, 9), code=0, unit=8)
    check_rewritten(PLAN, values, pair, b"--")
    kept = trawl.Searcher().load(gpu.Column(texts, "z"))
    check_rewritten(PLAN, texts, kept, b"--")
    masked = PLAN.mask(gpu.Column(texts))
    assert masked.offsets.device == 0 and masked.nbytes == sum(len(b"??" if one is None else one) for one in texts)
    assert PLAN.contains(masked).tolist() == [False] * len(texts)  # a result may be searched
    assert masked.lists is None and "7 strings" in repr(masked) and "7 lists" in repr(PLAN.split(kept))
    with pytest.raises(ValueError, match="match"):
        PLAN.replace(kept, b"x", match="all")
    dense = [b"a" * 90000, b"", b"ba" * 41200]  # more matches than a launch of rewrite_scan has threads
    assert trawl.Plan("a").replace(gpu.Column(dense, "z"), b"cd").tolist() == [
        one.replace(b"a", b"cd") for one in dense
    ]
    if SCALE >= 20:  # the same scan
        assert trawl.Plan("a").split(gpu.Column(dense, "z")).tolist() == [one.split(b"a") for one in dense]


@simulated
def test_rewritten_by_the_host():
    """Check which rewritings a GPU leaves to the host, which may do them from a copy."""
    column = [b"banana", b"an\nan", b"\xc3\xa9"]
    asks = (
        lambda given: trawl.Plan(["an|b", "na"], regex=True).replace(given, ["x", "y"]),
        lambda given: trawl.Plan("(a)n", regex=True).replace(given, "$1"),
        lambda given: PLAN.replace(given, lambda found, pattern: found),
        lambda given: trawl.Plan("a[^b]", regex=True).mask(given),  # of one line each
        lambda given: trawl.Plan("banana", edits=1).split(given),
    )
    for ask in asks:
        with pytest.raises(trawl.UnsupportedError, match="only the host"):
            ask(gpu.Column(column, "z"))
        kept = trawl.Searcher().load(gpu.Column(column, "z"), copy=True)
        assert list(ask(kept)) == ask(column)
    with pytest.raises(trawl.UnsupportedError, match="^mask: only the host"):
        trawl.Plan(b"\xa9").mask(gpu.Column(column))  # would cut a character
    with pytest.raises(trawl.UnsupportedError, match="^replace: only the host"):
        PLAN.replace(gpu.Column(column), b"\xff")


@simulated
def test_groups():
    """Check the groups of each record's first occurrence beside the host's answer."""
    texts = ["size=12, b=3", None, "", "=", "n\u00efl=7 x", "word=", "a=1" * 200, "\u00e9=2"]
    for kind in ("u", "U", "z", "Z"):
        form = bytes if kind in "zZ" else str
        host = [one if one is None or form is str else one.encode() for one in texts]
        given = gpu.Column([one if one is None else one.encode() for one in texts], kind)
        for regex in (
            r"(?P<key>\w+)=(\d+)?", r"^(.)(?:(\d.)|=)", r"(\w)(=)(?:(\d)|(x?))$", r"([^=]*)=(((1)|([2-9]))*)",
            r".*(=)(\d)", r"(\w+)=.* (\w+)", r"(?:(1)|(2)|3)*$",
        ):  # fmt: skip
            plan = trawl.Plan(regex, regex=True, alphabet="utf8")
            found = plan.groups(given)
            assert list(found) == list(plan.group_names)
            want = plan.groups(host).tolist()
            for name, one in found.items():
                right = [None if row is None else row[name] for row in want]
                assert gpu.read_arrow(one) == right == one.tolist(), (regex, name)
    many = [b"a=1", None] * 50 + [b"key=123456789" * 9] * 2
    assert trawl.Plan("(=.*)", regex=True).groups(gpu.Column(many, "z"))["1"].tolist() == [
        one and one[one.index(b"=") :] for one in many]  # longer than there was room for  # fmt: skip
    for given in (gpu.Column([], "z"), gpu.Column([b"", None], "z"), gpu.Column([b"", b""], "z")):
        assert trawl.Plan("(a)", regex=True).groups(given)["1"].tolist() == [None] * len(trawl.Searcher().load(given))
    # not one-pass; POSIX's; whole words; several
    for plan in (trawl.Plan("(a+)(a*)", regex=True), trawl.Plan("(a)b", regex="extended"),
                 trawl.Plan("(a)b", regex=True, whole_words=True), trawl.Plan(["(a)b", "(c)"], regex=True)):  # fmt: skip
        column = [b"aab", b"x ab"]
        with pytest.raises(trawl.UnsupportedError, match="^groups: only the host"):
            plan.groups(gpu.Column(column, "z"))
        kept = trawl.Searcher().load(gpu.Column(column, "z"), copy=True)
        assert plan.groups(kept).tolist() == plan.groups(column).tolist()


@simulated
def test_random_groups():
    """Check groups of random one-pass expressions beside Python's re."""
    import re

    draw, done = random.Random(SEED), 0

    def part(depth):
        kind = draw.randrange(9 if depth < 3 else 4)
        if kind < 3:
            return draw.choice(("a", "b", "c", "[ab]", "[^a]", r"\d", r"\b", "1"))
        if kind < 4:
            return draw.choice(("a", "b", "c", r"\d")) + draw.choice(("*", "+", "?", "+?", "{1,2}"))
        if kind < 6:
            return part(depth + 1) + part(depth + 1)
        if kind < 7:
            return f"(?:{part(depth + 1)}|{part(depth + 1)})"
        return f"({part(depth + 1)})" + draw.choice(("", "", "?", "*"))

    for _ in range(max(40, amount(1000))):
        regex = f"{part(0)}({part(0)}){part(0)}"
        values = ["".join(draw.choices("abc1 ", k=draw.randrange(12))).encode() for _ in range(20)]
        plan = trawl.Plan(regex, regex=True, alphabet="bytes")
        try:
            found = plan.groups(gpu.Column(values, "z"))
        except trawl.UnsupportedError:
            continue
        done += 1
        judge = re.compile(regex.encode())
        # The first match that is not empty: re would look for another one at the place of an empty match.
        firsts = [next(filter(lambda match: match and match[0], (judge.match(value, at) for at in range(len(value)))), None)
                  for value in values]  # fmt: skip
        for i, one in enumerate(found.values()):
            assert one.tolist() == [match and match[i + 1] for match in firsts], (SEED, regex, values)
    assert done > 5


@simulated
def test_random_rewritten_columns():
    """Check rewritten columns beside Python's re: matches dense and far apart, texts of several tiles."""
    import re

    draw = random.Random(SEED)
    for _ in range(max(12, amount(200))):
        longest = draw.choice((5, 40, 3000))
        values = [
            None
            if draw.random() < 0.1
            else bytes(draw.choices(b"ab ", (1, draw.choice((1, 30)), 1), k=draw.randrange(longest)))
            for _ in range(draw.randrange(60))
        ]
        regex = draw.choice((None, "a+b", "[ab]{2,7}", r"\ba", "b|a+ ", "(?:ab?)+$", "^b*a"))
        words = list({bytes(draw.choices(b"ab", k=draw.randrange(1, 5))) for _ in range(draw.choice((1, 3, 12)))})
        plan = trawl.Plan(words) if regex is None else trawl.Plan(regex, regex=True, alphabet="bytes")
        judge = re.compile(b"|".join(sorted(words, key=len, reverse=True)) if regex is None else regex.encode())
        insert = [bytes(draw.choices(b"-+", k=draw.choice((0, 1, 3, 50)))) for _ in range(len(plan))]
        by = dict(zip(words, insert)) if regex is None else None
        begin = draw.randrange(len(values) + 1)
        end = draw.randrange(begin, len(values) + 1)
        chunks = sorted(draw.choices(range(begin, end + 1), k=2)) if draw.random() < 0.3 else None
        given = gpu.Column(values, draw.choice("zZ"), begin, end, draw.randrange(2), chunks=chunks)
        for found, rewritten in (
            (
                plan.replace(given, insert),
                lambda text: judge.sub(lambda match: by[match[0]] if by else insert[0], text),
            ),
            (plan.mask(given, "\u00e9"), lambda text: judge.sub(lambda match: b"\xc3\xa9" * len(match[0]), text)),
            (plan.split(given), judge.split),
        ):
            assert found.tolist() == [one if one is None else rewritten(one) for one in values[begin:end]], SEED


@simulated
@pytest.mark.parametrize("words", ([], ["longer than all of the records together, " * 5], ["an", "b" * 300], [b"\0"]))
def test_nothing_occurs(words):
    """Check that values are 0 where there is nothing to search for, in memory that had other values."""
    plan = trawl.Plan(words)
    for values in (VALUES, [b"x"], [b"", b""]):
        for given in (gpu.Column(values), trawl.Searcher().load(gpu.Column(values))):
            out = gpu.Shared(b"\xff" * 8)
            PLAN.contains(gpu.Column([b"an"] * 9))
            check_column(plan, values, given)
            plan.contains(given, out=out)
            assert out.memory.read(len(values)) == bytes(expected(plan, values)[0])


@simulated
@pytest.mark.parametrize("kind", ("u", "U"))
def test_slices_of_libcudf(kind):
    """2026-11-28: contains() of a sliced cuDF Series answered for the first records of the whole column."""
    values = [b"ban", None, b"", b"nan", b"x" * 40, b"an", b"nanana"] * 12
    slices = (
        (0, 84), (0, 9), (1, 84), (2, 8), (3, 70), (7, 8), (8, 40), (31, 33), (32, 84), (35, 83), (64, 65), (5, 5),
    )  # fmt: skip
    for begin, end in slices if SCALE >= 20 else slices[kind == "U" :: 2]:
        part = values[begin:end]
        for right in (None, "offset", "copy"):
            given = gpu.LibcudfColumn(values, kind, begin, end, right)
            for one in (given, gpu.DataFrameSeries(given, True), trawl.Searcher().load(given)):
                check_column(PLAN, part, one)
            found = gpu.read_arrow(PLAN.contains(given, bits=True))
            assert found == [None if value is None else one for value, one in zip(part, expected(PLAN, part)[0])]


@simulated
def test_bytes_and_offsets():
    import struct

    values = [value or b"" for value in VALUES]
    tape = b"".join(values)
    ends = [sum(map(len, values[:i])) for i in range(len(values) + 1)]
    for form, code in (("i", 0), ("q", 0), ("Q", 1)):
        packed = struct.pack(f"{len(ends)}{form}", *ends)
        for pair in (
            (gpu.Shared(tape), gpu.Shared(packed, code=code, unit=struct.calcsize(form))),
            (gpu.Interfaced(tape), gpu.Interfaced(packed, f"<{'u' if code else 'i'}{struct.calcsize(form)}")),
        ):
            check_column(PLAN, values, pair)
            check_column(PLAN, values, trawl.Searcher().load(pair))
    short = gpu.Shared(tape[:-1]), gpu.Shared(struct.pack(f"{len(ends)}q", *ends), code=0, unit=8)
    with pytest.raises(ValueError, match="beyond"):
        PLAN.contains(short)
    for wrong, kind in (
        ((gpu.Shared(tape), gpu.Shared(b"")), TypeError), ((gpu.Shared(tape), gpu.Shared(tape)), TypeError),
        ((gpu.Shared(tape), gpu.Shared(packed, code=1, unit=4)), TypeError), ((short[1], short[1]), TypeError),
        ((gpu.Shared(tape), gpu.Shared(struct.pack("3q", 0, 5, 3), code=0, unit=8)), trawl.ArgumentError),
        ((gpu.Shared(tape), gpu.Shared(packed, code=0, unit=8, device=1)), ValueError),
        (gpu.Shared(tape), TypeError),
    ):  # fmt: skip
        with pytest.raises(kind):
            PLAN.contains(wrong)


@simulated
def test_out():
    column = gpu.Column(VALUES)
    contains, counts, _ = expected(PLAN, VALUES)
    for make in (
        lambda n: gpu.Shared(bytes(n)),
        lambda n: gpu.Interfaced(bytes(n), "|b1"),
        lambda n: gpu.Shared(bytes(n), code=6),
    ):
        out = make(8)
        assert PLAN.contains(column, out=out) is out
        assert out.memory.read(8) == bytes(contains) + b"\0\0"
    out = gpu.Shared(bytes(9), begin=1)
    assert PLAN.contains(column, out=out) is out and out.memory.read(7) == b"\0" + bytes(contains)
    with pytest.raises(ValueError, match="multiple of 4"):
        PLAN.match_counts(column, out=gpu.Shared(bytes(26), code=0, unit=4, begin=2))
    out = gpu.Shared(bytes(4 * len(VALUES)), code=0, unit=4)
    assert PLAN.match_counts(column, out=out) is out
    assert out.memory.read(4) == counts[0].to_bytes(4, "little")
    for wrong, kind, why in (
        (gpu.Shared(bytes(5)), ValueError, "6 items"), (gpu.Shared(bytes(48), code=0, unit=8), TypeError, "1 bytes"),
        (bytearray(8), TypeError, "device"), (gpu.Shared(bytes(8), flags=1), ValueError, "read-only"),
        (gpu.Shared(bytes(8), device=1), ValueError, "device 1"), (gpu.Shared(bytes(5)), ValueError, "6 items"),
        ([1], TypeError, "device"),
    ):  # fmt: skip
        with pytest.raises(kind, match=why):
            PLAN.contains(column, out=wrong)
    with pytest.raises(ValueError, match="bits"):
        PLAN.contains(column, out=out, bits=True)
    with pytest.raises(ValueError, match="columns on a GPU"):
        PLAN.contains(VALUES, out=out)
    for given in (column, VALUES):
        with pytest.raises(ValueError, match="match='all'"):
            PLAN.match_counts(given, match="leftmost-longest", out=out)


@simulated
def test_malformed_arrays():
    """Try each malformed member of both protocols: a message, and no leak."""
    import ctypes

    text, host = b"banana" * 10, ctypes.create_string_buffer(100)
    tensors = [
        ({"ndim": 0}, "one dimension"), ({"ndim": 2, "shape": (10, 6)}, "reshape"), ({"ndim": -1}, "dimensions"),
        ({"shape": None}, "no shape"), ({"shape": (-1,)}, "-1 items"), ({"shape": (1 << 62,)}, "no address space"),
        ({"strides": (2,)}, "contiguous"), ({"strides": (-1,)}, "contiguous"), ({"lanes": 4}, "4 x"), ({"code": 2, "bits": 32}, "float32"),
        ({"code": 4, "bits": 16}, "bfloat16"), ({"code": 6}, "uint8"), ({"code": 99}, "code 99"), ({"bits": 4}, "uint4"),
        ({"data": None}, "no address"), ({"data": ctypes.addressof(host)}, "no memory of a GPU"), ({"kind": 10}, "kind 10"),
        ({"code": 0, "bits": 32}, "uint8"), ({"claims": 99}, "no GPU"), ({"claims": -1}, "no GPU"),
        ({"version": (2, 0)}, "DLPack 2.0"), ({"data": 4096}, "no memory of a GPU"),
    ]  # fmt: skip
    for changes, why in tensors:
        for old in (False, True):
            if old and "version" in changes:
                continue
            gpu.sweep()
            kept = len(gpu.kept)
            with pytest.raises((TypeError, ValueError, BufferError, MemoryError), match=why):
                PLAN.count(gpu.Shared(text, old=old, **changes))
            gpu.sweep()
            assert len(gpu.kept) == kept, changes
    interfaces = [
        ({"shape": ...}, "malformed"), ({"data": ...}, "malformed"), ({"typestr": ...}, "malformed"), ({"version": ...}, "malformed"),
        ({"version": 1}, "version 1"), ({"data": 5}, "malformed"), ({"data": (None, False)}, "malformed"),
        ({"data": (-5, False)}, "malformed"), ({"data": ("x", False)}, "malformed"), ({"shape": ("x",)}, "malformed"),
        ({"shape": (10, 6)}, "reshape"), ({"shape": ()}, "dimension"), ({"strides": (2,)}, "contiguous"),
        ({"typestr": "<f4"}, "float32"), ({"typestr": "x"}, "malformed"), ({"typestr": "|b1"}, "uint8"), ({"typestr": "<i8"}, "uint8"),
        ({"typestr": ">i4"}, "big-endian"), ({"stream": 0}, "stream 0"), ({"stream": "x"}, "malformed"), ({"mask": 1}, "mask"),
        ({"data": (ctypes.addressof(host), False)}, "no memory of a GPU"), ({"data": (4096, False)}, "no memory of a GPU"),
    ]  # fmt: skip
    for changes, why in interfaces:
        with pytest.raises((TypeError, ValueError), match=why):
            PLAN.count(gpu.Interfaced(text, **changes))

    class Wrong:
        def __dlpack_device__(self):
            return 2, 0

        def __dlpack__(self, **named):
            return named

    with pytest.raises(TypeError, match="no capsule"):
        PLAN.count(Wrong())

    class Gradient(Wrong):
        def __dlpack__(self, **named):
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")

    with pytest.raises(BufferError, match="detach"):
        PLAN.count(Gradient())
    capsule = (shared := gpu.Shared(text)).__dlpack__(max_version=(1, 1))
    Wrong.__dlpack__ = lambda self, **named: capsule
    assert PLAN.count(Wrong()) == 40 and shared is not None
    with pytest.raises(TypeError, match="unused"):
        PLAN.count(Wrong())


@simulated
def test_malformed_columns():
    import ctypes

    host = ctypes.create_string_buffer(100)
    for changes, why in (
        ({"kind": "vu"}, "string_view"), ({"kind": "vz"}, "string_view"), ({"dictionary": True}, "dictionary"),
        ({"kind": "i"}, "format 'i'"), ({"length": -1}, "length -1"), ({"offset": -1}, "offset -1"), ({"n_buffers": 2}, "offsets"),
        ({"buffers": (ctypes.c_void_p * 3)()}, "offsets"), ({"release": None}, "released"), ({"claims": 99}, "no GPU"),
        ({"buffers": (ctypes.c_void_p * 3)(None, ctypes.addressof(host), ctypes.addressof(host))}, "no memory of a GPU"),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError), match=why):
            PLAN.contains(gpu.Column(VALUES, **changes))
    for fails, why in (("schema", "no schema"), ("next", "no next batch")):
        with pytest.raises(RuntimeError, match=why):
            PLAN.contains(gpu.Column(VALUES, chunks=[2], fails=fails))
    for changes in ({"kind": "vu"}, {"dictionary": True}, {"length": -1}, {"n_buffers": 2}):
        with pytest.raises((TypeError, ValueError)):
            PLAN.contains(gpu.Column(VALUES, chunks=[2], **changes))
    mixed = gpu.Column(VALUES, chunks=[2, 4])
    mixed.devices = [0, 1, 0]
    with pytest.raises(ValueError, match="different devices"):
        PLAN.contains(mixed)
    broken = gpu.Column(VALUES)
    broken.changes = {"event": None}
    check_column(PLAN, VALUES, broken)
    with pytest.raises(ValueError, match="engine 'cpu'"):
        trawl.Searcher("cpu").contains(PLAN, gpu.Column(VALUES))
    with pytest.raises(ValueError, match="engine 'cpu'"):
        trawl.Searcher("cpu").count(PLAN, gpu.Shared(b"banana"))
    event = ctypes.c_void_p()
    gpu.call("cuCtxPushCurrent_v2", gpu.contexts[0])
    gpu.call("cuEventCreate", ctypes.byref(event), 2)
    gpu.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
    check_column(PLAN, VALUES, gpu.Column(VALUES, **{"event": ctypes.addressof(event)}))


@simulated
def test_results_outlive_the_searcher():
    import gc

    with trawl.Searcher() as searcher:
        kept = searcher.load(gpu.Column(VALUES))
        found = searcher.contains(PLAN, kept)
        capsule = found.__dlpack__(max_version=(1, 0))
        arrow = searcher.contains(PLAN, kept, bits=True).__arrow_c_device_array__()
    assert gpu.read_tensor(found) == expected(PLAN, VALUES)[0]
    del found, searcher, kept
    gc.collect()
    made = gpu.Versioned.from_address(gpu.capsule_pointer(capsule, b"dltensor_versioned"))
    assert gpu.read(made.tensor.data, 6) == bytes(expected(PLAN, VALUES)[0])
    del capsule, arrow
    for wrong in ({"copy": True}, {"dl_device": (1, 0)}, {"dl_device": (2, 1)}):
        with pytest.raises(BufferError):
            PLAN.contains(gpu.Column(VALUES)).__dlpack__(**wrong)


@simulated
def test_threads_and_forks():
    """Check that threads can share texts and records, and that a forked child does not touch the parent's GPU."""
    import threading

    searcher, wrong = trawl.Searcher(), []
    given, column = trawl.Text(gpu.Shared(b"banana" * 100)), gpu.Column(VALUES * 9)
    text, kept = searcher.load(gpu.Shared(b"banana" * 100)), searcher.load(column)
    counts = expected(PLAN, VALUES * 9)[1]

    def search():
        for _ in range(20):
            if (PLAN.count(given), searcher.count(PLAN, text)) != (400, 400) or PLAN.match_counts(
                kept
            ).tolist() != counts:
                wrong.append(threading.current_thread())

    threads = [threading.Thread(target=search) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    answer = PLAN.contains(kept)
    child = os.fork()
    if child == 0:
        try:
            PLAN.contains(kept)
        except ValueError as error:
            del answer, kept, text
            os._exit(0 if "forked" in str(error) else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert answer.tolist() == [count > 0 for count in counts]


@simulated
@pytest.mark.parametrize("progress", (None, lambda done: None))
def test_interrupted(progress):
    """Check that an exception raised by a signal handler ends a search on the device, which remains usable."""
    import signal

    text = b"an a man\n" * (1 << 20)
    lines = trawl.Plan(["a", "n", "zz"])

    def fail(number, frame):
        raise InterruptedError("no more")

    with trawl.Searcher("cuda", 1, chunk_bytes=1 << 18) as searcher:
        kept = searcher.load(gpu.Shared(text))
        before = signal.signal(signal.SIGALRM, fail)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            with pytest.raises(InterruptedError, match="no more"):
                searcher.count_lines(lines, kept, progress=progress)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        assert searcher.stats()["text_bytes"] < len(text)
        assert searcher.count(trawl.Plan("man"), kept) == 1 << 20


@simulated
def test_no_leak():
    """Check that device memory, exported structs and the process do not grow over many calls."""
    import gc

    from test_leaks import resident

    def calls():
        column = gpu.Column(VALUES, chunks=[2])
        for answer in (
            PLAN.contains(column), PLAN.contains(column, bits=True), PLAN.match_counts(column), *PLAN.cells(column),
        ):  # fmt: skip
            answer.to_host()
            gpu.read_arrow(PLAN.match_lists(column, offsets="bytes"))
            PLAN.match_lists(column, first=True, offsets="bytes").tolist()
            gpu.read_arrow(PLAN.replace(column, "more than there was"))
            gpu.read_arrow(PLAN.split(column))
            if len(answer) and answer.tolist and "bits" not in repr(answer):
                gpu.read_tensor(answer)
            if hasattr(answer, "__arrow_c_device_array__"):
                answer.__arrow_c_device_array__()
        for make in (gpu.Shared, gpu.Interfaced):
            PLAN.positions(make(b"banana" * 9))
            PLAN.count(make(b"banana" * 9))
            trawl.Text(make(b"banana"), copy=True).nbytes
        with pytest.raises(BufferError):
            PLAN.count(gpu.Shared(b"banana", version=(3, 0)))

    for _ in range(8):
        calls()
    gc.collect()
    gpu.sweep()
    before, begin = (len(gpu.kept), gpu.live), resident()
    for _ in range(max(24, amount(100))):
        calls()
    gc.collect()
    gpu.sweep()
    assert (len(gpu.kept), gpu.live) == before
    assert resident() - begin < 4 << 20


@simulated
def test_no_room():
    """Check that the error for a result without room says how much is needed, and that later searches work."""
    many, plan = gpu.Shared(b"a" * (1 << 18)), trawl.Plan("a")
    held = [gpu.Shared(bytes(gpu.free_bytes() - (8 << 20)))]  # earlier tests' searchers hold different amounts
    with pytest.raises(trawl.OutOfMemoryError, match="bytes"):
        for _ in range(100):
            held.append(plan.positions(many))
    held.clear()
    assert len(plan.positions(many)) == 1 << 18


@simulated
def test_random_columns():
    draw = random.Random(SEED)
    for _ in range(max(12, amount(200))):
        values = [
            None if draw.random() < 0.1 else bytes(draw.choices(b"ab\n", k=draw.choice((0, 1, 5, 40))))
            for _ in range(draw.randrange(60))
        ]
        words = list({bytes(draw.choices(b"ab", k=draw.randrange(1, 5))) for _ in range(draw.choice((1, 3, 12)))})
        begin = draw.randrange(len(values) + 1)
        end = draw.randrange(begin, len(values) + 1)
        chunks = sorted(draw.choices(range(begin, end + 1), k=2)) if draw.random() < 0.3 else None
        column = gpu.Column(values, draw.choice("uUzZ"), begin, end, draw.randrange(2), chunks=chunks)
        plan = trawl.Plan(words)
        contains, counts = [], []
        for value in values[begin:end]:
            value = b"" if value is None else value
            hits = [sum(value.startswith(word, at) for at in range(len(value))) for word in words]
            contains.append(any(hits))
            counts.append(sum(hits))
        assert plan.contains(column).tolist() == contains, SEED
        assert plan.match_counts(column).tolist() == counts, SEED
        check_matches(plan, values[begin:end], column)
        nulls = gpu.read_arrow(plan.contains(column, bits=True))
        assert nulls == [None if value is None else one for value, one in zip(values[begin:end], contains)], SEED
        text = b"".join(value or b"" for value in values)
        given = draw.choice((gpu.Shared, gpu.Interfaced))(text)
        found = sorted(at for word in words for at in range(len(text)) if text.startswith(word, at))
        assert list(plan.positions(given)) == found if not text else plan.positions(given).tolist() == found, SEED
        assert plan.count(given) == len(found), SEED
