"""Tests calls on occurrences that do not overlap: replace, mask and split."""

import gc
import os
import pathlib
import pickle
import shutil
import struct
import tempfile

import pytest
import trawl
from arrow_by_hand import Column, read, views
from conftest import SCALE, amount, rewritten

LETTERS = ["a", "b", " ", "\u00e9", "\u20ac", "\U0001f600"]  # of 1 to 4 bytes
MATCHES = ("leftmost-longest", "leftmost-first")


def cases(rng, rounds, letters=LETTERS):
    for round in range(amount(rounds)):
        few = rng.sample(letters, rng.randint(1, len(letters)))
        patterns = ["".join(rng.choices(few, k=rng.randint(1, 4))) for _ in range(1 + round % 5)]
        values = ["".join(rng.choices("xy\u00e9" if round % 3 else "xy", k=rng.randint(0, 3))) for _ in patterns]
        yield round, few, patterns, values


def strings(records, kind="u", begin=0, keys=None):
    encoded = [text if text is None else text.encode() for text in records]
    return Column(encoded, kind, begin, keys=keys)


def arrow(records):
    for kind in ("u", "U", "vu"):
        yield strings(["xa", *records], kind, 1)
    values = list(dict.fromkeys(records))
    yield strings(values, "U", keys=[values.index(text) for text in records])


def test_pieces(rng):
    """Rewrite a column so long that it is searched in several pieces. (Occurrences use memory until their records are
    rewritten, so pieces have 512 KiB at first, and where occurrences are dense.)"""
    texts = [None, "", "a", "ab" * 100, "a string without it".replace("a", "o"), "x" * 700, "ba" * 200]
    sparse, dense = texts[4:6], texts
    records = [rng.choice(dense) for _ in range(6000)] + [rng.choice(sparse) for _ in range(3000)]
    records += [rng.choice(dense) for _ in range(3000)]
    expected = [text and text.replace("a", "<>") for text in records]
    plan, done = trawl.Plan("a"), []
    total = sum(len(text or "") for text in records)
    assert plan.replace(records, "<>", progress=done.append) == expected and done[-1] == total
    for column in arrow(records):
        assert plan.replace(column, "<>").tolist() == expected
    assert plan.split(records) == [text if text is None else text.split("a") for text in records]


def test_large_results(rng):
    """Results of many sizes, some of which live on: memory of freed results is reused. A block larger than requested once
    lost its last bytes when it grew, and in a copy by pickle."""
    plan, held = trawl.Plan(";"), []
    for _ in range(amount(24)):
        records = [";".join(rng.choices(["", "one", "a longer part"], k=rng.randint(1, 30)))] * rng.randint(1, 20000)
        made = plan.split(strings(records), answer="array"), plan.replace(strings(records), "<>")
        held.append((records, made, pickle.loads(pickle.dumps(made))))
        for records, *results in held:
            for parts, replaced in results:
                for i in (0, len(records) // 2, len(records) - 1):
                    assert parts[i] == records[i].split(";") and replaced[i] == records[i].replace(";", "<>")
        del held[: rng.randint(0, 2)]


def test_views_share():
    """Check that unchanged strings of a result share the old column's memory, which is freed with the last column that
    uses it."""
    for kind in ("vu", "vz"):
        stays = [b"a string that stays", b"another one that stays", b"short", b"", b"twelve bytes"]
        values = [stays[0], b"banana", stays[1], None, b"a band of thirteen", stays[2], b"ban", *stays[3:]]
        column = Column([b"before", *values], kind, 1)
        made = trawl.Plan("ban").replace(column, b"<a longer value>" if kind == "vz" else "<a longer value>")
        form, found = read(made)
        assert form == kind and found[3] is None
        expected = [v if v is None else v.replace(b"ban", b"<a longer value>") for v in values]
        assert [one if one is None else one[0] for one in found] == expected
        assert made.tolist() == [v if v is None or kind == "vz" else v.decode() for v in expected]
        source = views(column.array)
        assert [found[i][1] == source[i][1] for i in (0, 2)] == [True, True]
        assert found[1][1] not in (None, source[1][1])
        # A rewritten string of at most 12 bytes is in the view itself.
        short = trawl.Plan("a string that ").replace(column, b"" if kind == "vz" else "")
        assert read(short)[1][0] == (b"stays", None)
        again = pickle.loads(pickle.dumps(made))
        assert again == made and made != short and read(again)[0] == ("Z" if kind == "vz" else "U")
        assert column.released == 0
        del short
        assert column.released == 1
        exported = made.__arrow_c_array__()
        del made
        assert column.released == 1
        del exported
        assert column.released == 2


def test_views_too_long():
    """Check that a record of more than 2 GiB, which a view cannot have, is rejected before any byte is written."""
    column = strings(["b", "a" * 2048])
    with pytest.raises(ValueError, match="record 1 would have more than 2 GiB"):
        trawl.Plan("a").replace(strings(["b", "a" * 2048], "vu"), "x" * (1 << 20))
    assert trawl.Plan("a").replace(column, "x").tolist() == ["b", "x" * 2048]


@pytest.mark.skipif(SCALE < 20, reason="2 GiB are made in long runs")
def test_views_of_two_buffers():
    """Check that a result's long strings are in several buffers, each of less than 2 GiB."""
    size = 700 << 20
    made = trawl.Plan("a").replace(strings(["a", "bab", None, "a", "a"], "vu"), "x" * size)
    sizes = [size, size + 2, None, size, size]
    assert [text and len(text) for text in made] == sizes
    assert made[1][:3] + made[1][-3:] == "bxxxxb"
    _, found = read(made)
    assert len({one[1] for one in found if one}) == 4


def test_functions_and_dicts(rng):
    for round, letters, patterns, values in cases(rng, 40):
        text = "".join(rng.choices(letters, k=rng.randint(0, 120)))
        plan = trawl.Plan(patterns, ignore_case=round % 2 == 1)
        seen = []

        def value(string, pattern):
            seen.append((string, pattern))
            return string[::-1] + values[pattern]

        found = list(plan.matches(text, match=MATCHES[0], value=True))
        expected = rewritten(text, [(a, b, i) for i, (a, b, *_) in enumerate(found)],
                             [one[3][::-1] + values[one[2]] for one in found])  # fmt: skip
        assert plan.replace(text, value) == expected and seen == [(one[3], one[2]) for one in found]
        assert plan.replace([text, None], value) == [expected, None]
        assert plan.replace(text.encode(), lambda string, _: string) == text.encode()
        by_dict = dict(zip(patterns[::-1], values[::-1]))  # the order differs from the plan's
        if len(by_dict) == len(patterns):
            assert plan.replace(text, by_dict) == plan.replace(text, values)
    plan = trawl.Plan([b"a", b"b"])
    assert plan.replace("abc", {b"a": "x", "b": b"y"}) == "xyc"
    for wrong in ({"a": "x"}, {"a": "x", "b": "y", "c": "z"}):
        with pytest.raises(ValueError, match="is not both a pattern and a key"):
            plan.replace("abc", wrong)
    with pytest.raises(TypeError, match="the function has to return str or bytes, not None"):
        plan.replace("abc", lambda string, pattern: None)
    with pytest.raises(ZeroDivisionError):
        plan.replace("abc", lambda string, pattern: 1 // 0)
    with pytest.raises(TypeError, match="of pattern 1: 3"):
        plan.replace("abc", ["x", 3])


def test_files(rng, tmp_path, monkeypatch):
    """Check that a file is rewritten part by part, and that the new file appears only when it is complete."""
    old, new = tmp_path / "old", tmp_path / "new"
    for round, letters, patterns, _ in cases(rng, 40):
        text = "".join(rng.choices(letters, k=rng.randint(0, 3000))).encode()
        old.write_bytes(text)
        plan = trawl.Plan(patterns)
        with trawl.Searcher("cpu", 1 + round % 2, chunk_bytes=20 + round % 50) as searcher:
            searcher.replace_file(plan, old, new, lambda string, _: string + b"!")
            assert new.read_bytes() == plan.replace(text, lambda string, _: string + b"!")
            lines = trawl.Plan(r"(a+)(b?)", regex=True)
            searcher.replace_file(lines, old, new, "$2$1$1")
            assert new.read_bytes() == lines.replace(text, "$2$1$1")
    old.write_bytes(b"b" + b"a" * 2500)
    with trawl.Searcher("cpu", 1, chunk_bytes=64) as searcher:  # a match spans many windows
        assert searcher.replace_file(trawl.Plan("a" * 1000), old, new, "x") == 2
    assert new.read_bytes() == b"bxx" + b"a" * 500
    old.chmod(0o640)
    old.write_bytes(b"a cat")
    assert trawl.Plan({"cat": "dog"}).replace_file(old, old) == 1
    assert old.read_bytes() == b"a dog" and old.stat().st_mode & 0o777 == 0o640
    kept = old.stat().st_ino
    assert trawl.Plan("cat").replace_file(old, old, "x") == 0 and old.stat().st_ino == kept
    # If the path is a link, it stays, and the file that it names is written, even if that did not exist. The file's mode
    # is that of the old file, else of the text's file, else 644.
    (folder := tmp_path / "folder").mkdir()
    (folder / "link").symlink_to("file")
    (folder / "wide").symlink_to("../folder/made")
    monkeypatch.chdir(folder)
    for path, made, text, mode in (
        ("link", "file", b"a cat", 0o604), ("link", "file", old, 0o604), ("wide", "made", b"a cat", 0o644), (b"bytes", "bytes", old, 0o640),
        (folder / "path", "path", b"a cat", 0o644), ("file", "file", old, 0o604), (os.fsdecode(b"\xff"), os.fsdecode(b"\xff"), b"a cat", 0o644),
    ):  # fmt: skip
        (folder / "file").write_bytes(b"before")
        (folder / "file").chmod(0o604)
        assert trawl.Plan(["cat", "dog"]).replace_file(text, path, "cow") == 1
        assert (folder / made).read_bytes() == b"a cow" and (folder / made).stat().st_mode & 0o777 == mode
    assert [os.readlink(folder / one) for one in ("link", "wide")] == ["file", "../folder/made"]
    monkeypatch.undo()
    shutil.rmtree(folder)
    for source, value in ((old, lambda string, _: 1 // 0), (tmp_path / "none", "x")):
        with pytest.raises((ZeroDivisionError, FileNotFoundError)):
            trawl.Plan("dog").replace_file(source, old, value)
    assert old.read_bytes() == b"a dog" and sorted(one.name for one in tmp_path.iterdir()) == ["new", "old"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_facts_of_files():
    """A new file has the old one's owner, mode, attributes and access list, not its directory's list; if the system denies
    some, a warning names them, and the group may do no more than others. tests/grep/test_write.py has the command's test."""
    access, default, plan = "system.posix_acl_access", "system.posix_acl_default", trawl.Plan("cat")
    listed = struct.pack("<I", 2) + b"".join(
        struct.pack("<HHi", *one) for one in ((1, 4, -1), (2, 7, 12), (4, 0, -1), (16, 4, -1), (32, 0, -1))
    )

    def facts(path):
        now = path.stat()
        return (
            now.st_mode & 0o7777,
            now.st_uid,
            now.st_gid,
            {name: os.getxattr(path, name) for name in os.listxattr(path)},
        )

    with tempfile.TemporaryDirectory() as name:  # tmp_path is closed to other users
        folder = pathlib.Path(name)
        old, plain = folder / "old", folder / "plain"
        for path in (old, plain):
            path.write_bytes(b"a cat")
            os.chown(path, 12, 34)
            path.chmod(0o464)
        try:
            os.setxattr(old, "user.a", b"1")
            os.setxattr(old, access, listed)
            before = facts(old), facts(plain)
            os.setxattr(folder, default, listed)
        except OSError as fault:
            pytest.skip(f"{fault}")
        assert [plan.replace_file(path, path, "dog") for path in (old, plain)] == [1, 1]
        assert (facts(old), facts(plain)) == before and old.read_bytes() == plain.read_bytes() == b"a dog"
        os.removexattr(folder, default)
        os.chown(folder, 1000, 1000)
        plain.chmod(0o6674)
        os.setegid(1000)
        os.seteuid(1000)
        try:
            with pytest.warns(UserWarning, match="the new file lacks the old file's owner, group$"):
                assert plan.replace_file(b"a cat", plain, "cow") == 1
        finally:
            os.seteuid(0)
            os.setegid(0)
        assert facts(plain) == (0o644, 1000, 1000, {})


def test_chunks_of_columns():
    pyarrow = pytest.importorskip("pyarrow")
    for kind in ("string", "string_view"):
        column = pyarrow.chunked_array([["ba", None], [], ["a", "cab" * 9, "b" * 20]], getattr(pyarrow, kind)())
        made = pyarrow.array(trawl.Plan("a").replace(column, "<>"))
        assert made.type == (pyarrow.large_string() if kind == "string" else column.type)
        assert made.to_pylist() == ["b<>", None, "<>", "c<>b" * 9, "b" * 20]
        made.validate(full=True)
    # A column without chunks yields a column of strings, too: its schema says that it has strings.
    for kind in (pyarrow.string(), pyarrow.dictionary(pyarrow.int8(), pyarrow.string())):
        made = trawl.Plan("a").replace(pyarrow.chunked_array([], kind), "<>")
        assert pyarrow.array(made).type == pyarrow.large_string()


def test_lists_of_parts():
    """Check that split() of a column returns the parts that str.split() returns, as a list or as an Array."""
    texts = ["banana", None, "", "a", "xaé", "no", "aa" * 40]
    parts = [text if text is None else text.split("a") for text in texts]
    for kind in ("u", "U", "vu"):
        assert trawl.Plan("a").split(strings(texts, kind)) == parts
        made = trawl.Plan("a").split(strings(texts, kind), answer="array")
        assert made.tolist() == parts and made.null_count == 1 and made[4] == ["x", "é"]
        assert pickle.loads(pickle.dumps(made)) == made
    assert repr(made[:2]) == "<trawl.Array of 2 lists of str: [['b', 'n', 'n', ''], None]>"
    made = trawl.Plan("a").split(strings(["ba", "c", ""], keys=[2, 0, None, 0, 1]))
    assert made == [[""], ["b", ""], None, ["b", ""], ["c"]]
    assert trawl.Plan("a").split(texts) == parts
    assert trawl.Plan("a").split(strings([])) == []
    for text in (texts, "ba", b"ba"):
        with pytest.raises(ValueError, match="answer='array'"):
            trawl.Plan("a").split(text, answer="array")
    with pytest.raises(ValueError, match="answer"):
        trawl.Plan("a").split("ba", answer="index")
    with pytest.raises(ValueError, match="UTF-8"):
        trawl.Plan(b"\xa9").split(strings(["é"]))


def test_lengths_are_real():
    """Check that the library uses the real length of bytes, whatever __len__ of a subclass returns."""

    class Long(bytes):
        def __len__(self):
            return 1 << 20

    assert trawl.Plan("b").replace(Long(b"abc"), "x") == b"axc"
    assert trawl.Plan("b").split(Long(b"abc")) == [b"a", b"c"]


def test_columns_by_hand():
    plan = trawl.Plan(["an", "b"])
    made = plan.replace(strings(["banana", None, "", "pear"]), ["<>", ""])
    assert made.tolist() == ["<><>a", None, "", "pear"]
    assert repr(made) == "<trawl.Array of 4 str: ['<><>a', None, '', 'pear']>"
    assert plan.replace(["b", "a", "n"], "x") == ["x", "a", "n"]  # "an" across two records is not an occurrence
    same = "pear"
    assert plan.replace([same, b"ban", None], "x")[0] is same
    assert plan.replace([same, b"ban", None], "x") == ["pear", b"xx", None]


def test_faults(tmp_path):
    plan = trawl.Plan([b"a", b"\xa9"])
    with pytest.raises(ValueError, match="values: 1 values for 2 patterns"):
        plan.replace("a", ["x"])
    with pytest.raises(ValueError, match="values: the plan has no values"):
        plan.replace("a")
    with pytest.raises(TypeError, match="values: str or bytes are needed; of pattern 0: 1"):
        plan.replace("a", [1, 2])
    with pytest.raises(ValueError, match="match: .* or .*, not 'shortest'"):
        plan.split("a", match="shortest")
    assert trawl.Plan(["a", "ab"]).matches("\nab", match=MATCHES[0], line_numbers=True).lines.tolist() == [1]
    for mask in ("", "**"):
        with pytest.raises(ValueError, match="mask: one character is needed"):
            plan.mask("a", mask)
    # The error's message says how to get the bytes.
    for text in (tmp_path, trawl.Text(b"a")):
        for call in (plan.split, plan.mask, lambda text: plan.replace(text, "x")):
            with pytest.raises(TypeError, match=r"not (PosixPath|Text); .* path\.read_bytes\(\)"):
                call(text)
    with pytest.raises(UnicodeDecodeError):  # the result would begin or end inside a character
        plan.replace("\u00e9", "x")
    for column, value in ((["\u00e9"], "x"), (["a"], b"\xff"), (["a"], lambda string, pattern: b"\xff")):
        with pytest.raises(UnicodeDecodeError):
            plan.replace(column, value)
        with pytest.raises(ValueError, match="not be UTF-8"):
            plan.replace(strings(column), value)
    assert plan.replace("\u00e9".encode(), b"\xff") == b"\xc3\xff"
    with pytest.raises(UnicodeEncodeError):
        plan.replace("a", "\ud800")
    kept = "nothing"
    assert trawl.Plan("x").replace(kept, "y") is kept


def test_large(rng):
    """Rewrite a text so long that two threads search, and that the search releases the interpreter's lock."""
    text = "".join(rng.choices(["abc", " ", "de", "\u00e9"], k=300_000))
    plan = trawl.Plan(["abc", "abcabc", "e"])
    expected = text.replace("abcabc", "<2>").replace("abc", "<1>").replace("e", "E")
    assert plan.replace(text, ["<1>", "<2>", "E"]) == expected
    ascii = text.replace("\u00e9", "_")
    expected = expected.replace("\u00e9", "_")
    done = []
    assert plan.replace(ascii, ["<1>", "<2>", "E"], progress=done.append) == expected
    assert done[-1] == len(ascii)


def test_values():
    plan = trawl.Plan({"he": 1, "she": [2], "hers": "three"})
    assert plan.values == (1, [2], "three") and trawl.Plan("a").values is None
    assert list(plan.iter("u\u00e9shers")) == [(4, [2]), (4, 1), (6, "three")]
    assert list(plan.iter("u\u00e9shers", offsets="bytes")) == [(5, [2]), (5, 1), (7, "three")]
    assert list(trawl.Plan(["a", "ba"]).iter(b"ba")) == [(1, 1), (1, 0)]
    column = ["hers", None, "", "she"]
    assert plan.which(column).tolist() == [0, None, None, 0]
    assert plan.which(column, answer="pattern") == ["he", None, None, "he"]
    assert plan.which(column, answer="value") == [1, None, None, 1]
    assert trawl.Plan([b"\xff", b"a"]).which([b"a\xff", b"a", None], answer="pattern") == [b"\xff", b"a", None]
    assert pickle.loads(pickle.dumps(plan)).values == plan.values
    assert trawl.Plan({"cat": "dog"}).replace("a cat") == "a dog"
    assert trawl.Plan(["a", "b"], values="xy").replace("abc") == "xyc"
    with pytest.raises(ValueError, match="values: 1 values for 2 patterns"):
        trawl.Plan(["a", "b"], values=[1])
    with pytest.raises(ValueError, match="answer: 'index', 'pattern' or 'value', not 'text'"):
        plan.which(column, answer="text")
    with pytest.raises(ValueError, match="values: the plan has no values"):
        trawl.Plan("a").which(column, answer="value")


def test_names(rng):
    """A plan's values, here names of rules, stand where the patterns' indices do."""
    rules = {r"k[0-9]+": "key", r"k[a-z]+": "word", r"[0-9]+": "number", r"0x[0-9a-f]+": "number"}
    plan = trawl.Plan(rules, regex=True)
    with trawl.Searcher(threads=1) as searcher:
        for length in (0, 30, 30, 30000):  # a long text has more occurrences than find_all() keeps at first
            text = "".join(rng.choices("k07xab \n", k=length))
            found = plan.find_all(text)
            named = [(begin, end, plan.values[pattern]) for begin, end, pattern in found]
            assert plan.find_all(text, answer="value") == searcher.find_all(plan, text, answer="value") == named
            assert plan.find_all(text, answer="pattern") == [(b, e, plan[pattern]) for b, e, pattern in found]
            counts = {name: sum(one[2] == name for one in named) for name in ("key", "word", "number")}
            assert plan.count_by_pattern(text, answer="value") == counts
            column = [*text.split("\n"), None]
            lists = plan.pattern_lists(column).tolist()
            expected = [None if of is None else [plan.values[i] for i in of] for of in lists]
            assert plan.pattern_lists(column, answer="value") == expected
            records = [sum(i in (of or ()) for of in lists) for i in range(4)]
            assert plan.record_counts(column, answer="pattern") == dict(zip(rules, records))
            assert plan.record_counts(column, answer="value")["number"] == records[2] + records[3]
    assert trawl.Plan({"kitten": "cat"}, edits=1).find_all("kiten", answer="value") == [(0, 5, "cat", 1)]
    for call in (plan.find_all, plan.count_by_pattern):
        with pytest.raises(ValueError, match="answer: 'index', 'pattern' or 'value', not 'name'"):
            call("k0", answer="name")
        with pytest.raises(ValueError, match="values: the plan has no values"):
            getattr(trawl.Plan("k"), call.__name__)("k0", answer="value")
    with pytest.raises(TypeError, match="unhashable"):
        trawl.Plan({"a": []}).count_by_pattern("a", answer="value")


def test_iter_order(rng):
    """Check that iter() yields occurrences ordered by their ends, although the search finds them ordered by their
    starts."""
    for _, letters, patterns, _ in cases(rng, 60):
        patterns = list(dict.fromkeys(patterns))
        text = "".join(rng.choices(letters, k=200))
        expected = [
            (end, index)
            for end in range(len(text))
            for index in sorted(range(len(patterns)), key=lambda i: -len(patterns[i]))
            if text.endswith(patterns[index], 0, end + 1)
        ]
        with trawl.Searcher("cpu", 1, chunk_bytes=40) as searcher:
            assert list(searcher.iter(trawl.Plan(patterns), text)) == expected


def test_values_in_a_circle():
    """Check that a plan and a value that refers to the plan are both freed."""

    class Token:
        alive = 0

        def __init__(self):
            Token.alive += 1

        def __del__(self):
            Token.alive -= 1

    token = Token()
    token.plan = trawl.Plan({"a": token})
    del token
    gc.collect()
    assert Token.alive == 0


@pytest.mark.parametrize("order", [1, -1])
def test_nested_strings_in_records(order):
    """So many occurrences overlap that the records are copied for the search."""
    plan = trawl.Plan(["-" * n for n in range(1, 301)][::order])
    records = ["x-", "-" * 700, "", "--\n-" + "-" * 299 + "y", None, "-"]
    longest = [[1], [300, 300, 100], [], [2, 300], [], [1]]
    for match in MATCHES:
        runs = longest if match == MATCHES[0] or order < 0 else [[1] * sum(lengths) for lengths in longest]
        found = plan.match_lists(records, match=match).tolist()
        assert [[end - begin for begin, end, _ in one or ()] for one in found] == runs
        assert all(len(plan[pattern]) == end - begin for one in found for begin, end, pattern in one or ())
        assert [count or 0 for count in plan.match_counts(records, match=match).tolist()] == [
            len(lengths) for lengths in runs
        ]
        assert plan.mask(records[:4], "*", match=match) == [one.replace("-", "*") for one in records[:4]]
        assert list(plan.matches(records[1], match=match)) == plan.find_all(records[1], match=match) == found[1]
        assert [len(one) for one in plan.batches(records[1], match=match)] == [len(runs[1])]
