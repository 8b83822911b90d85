"""Tests that texts of all kinds give the same results as their bytes."""

import array
import bz2
import contextlib
import gzip
import io
import mmap
import os
import pathlib
import random
import socket
import subprocess
import tempfile
import threading
import time
from functools import partial
from multiprocessing import shared_memory
from types import SimpleNamespace

import pytest
import trawl

PLAN = trawl.Plan(["tea", "eat", "\n"])
TEXT = b"eating\nteapots and teaching" * 50
EXPECTED = list(PLAN.matches(TEXT))


def same(text):
    return list(PLAN.matches(text)) == EXPECTED


def test_memory():
    assert len(EXPECTED) == 200
    mapped = mmap.mmap(-1, len(TEXT))
    mapped.write(TEXT)
    shared = shared_memory.SharedMemory(create=True, size=len(TEXT))
    shared.buf[: len(TEXT)] = TEXT
    view = memoryview(b"x" + TEXT)[1:]
    for text in (TEXT, bytearray(TEXT), view, mapped, array.array("B", TEXT), TEXT.decode()):
        assert same(text)
    assert same(shared.buf[: len(TEXT)])
    shared.unlink()
    grown = bytearray(TEXT)
    trawl.Plan("a").count(grown)
    grown.append(0)  # the search has released the buffer


class Descriptor:
    """An object whose only method is fileno()."""

    def __init__(self, file):
        self.fileno = file.fileno


def test_numbers_are_no_texts():
    """Check that numbers are rejected as texts. A number is not a descriptor: plan.count(0) must not read
    standard input."""
    for number in (0, 5, True, 10**20):
        with pytest.raises(TypeError, match="read\\(\\) or fileno\\(\\) is needed"):
            PLAN.count(number)
        with pytest.raises(TypeError):
            trawl.Text(number)


def test_files(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(TEXT)
    assert same(path)
    with open(path, "rb") as file, open(path, "rb", buffering=0) as raw:
        assert same(file) and same(raw) and same(Descriptor(file))
        for kept in [trawl.Text(one(open(path, "rb"))) for one in (lambda file: file, Descriptor)]:
            assert same(kept)  # only the Text keeps the file open
        assert file.tell() == 0 and file.read(3) == TEXT[:3]
        assert PLAN.count(file) == PLAN.count(TEXT[3:])
        assert file.read() == TEXT[3:]
    with open(path) as text:
        assert same(text) and same(text)
    with pytest.raises(trawl.MissingFileError):
        PLAN.count(tmp_path / "none")
    with pytest.raises(trawl.Error):
        PLAN.count(tmp_path)
    folder = SimpleNamespace(fileno=partial(os.open, tmp_path, os.O_RDONLY), name="a folder")
    with pytest.raises(trawl.Error, match="a folder"):
        PLAN.count(folder)
    (tmp_path / "empty").touch()
    assert PLAN.count(tmp_path / "empty") == 0


def test_names_that_are_not_utf8(tmp_path):
    path = tmp_path / os.fsdecode(b"t\xff")
    path.write_bytes(TEXT)
    for name in (path, os.fsencode(path)):
        with open(name, "rb") as file:
            assert same(file) and same(trawl.Text(file, decompress=True)) and same(open(file.fileno(), closefd=False))
            path.write_bytes(gzip.compress(TEXT)[:-9])
            with pytest.raises(trawl.ReadError, match="t\ufffd: gzip data"):
                same(trawl.Text(file, decompress=True))
            path.write_bytes(TEXT)


def test_streams():
    reading, writing = os.pipe()
    writer = threading.Thread(target=lambda: (os.write(writing, TEXT), os.close(writing)))
    writer.start()
    with open(reading, "rb") as pipe:
        assert same(pipe)
    writer.join()
    child = subprocess.Popen(["printf", "tea for two"], stdout=subprocess.PIPE)
    with child:
        assert PLAN.positions(child.stdout).tolist() == [0]
    one, two = socket.socketpair()
    one.sendall(TEXT)
    one.close()
    assert same(two)
    two.close()


def test_objects_without_a_descriptor(tmp_path):
    packed = tmp_path / "text.gz"
    packed.write_bytes(gzip.compress(TEXT))
    assert same(io.BytesIO(TEXT))
    with gzip.open(packed) as file:
        assert same(file)
    assert same(bz2.open(io.BytesIO(bz2.compress(TEXT))))


class Failing:
    """A file whose read() returns the given parts, and raises parts that are exceptions."""

    def __init__(self, *parts):
        self.parts = list(parts)

    def read(self, size):
        part = self.parts.pop(0) if self.parts else b""
        if isinstance(part, BaseException):
            raise part
        return part


def test_read_returns_str():
    """Objects of other classes than io's whose read() returns str are texts, too; it was an error about memoryview."""
    plan, text = trawl.Plan("\u00e9"), "a\u00e9\nb\u00e9"
    for parts in ([text], list(text), ["", text], [text[:2], text[2:]]):
        found = text if parts[0] else ""
        for call in (plan.count, plan.first, plan.count_lines, lambda file: list(plan.scan(file)),
                     lambda file: list(plan.matches(file, value=True)), lambda file: list(plan.lines(file)),
                     lambda file: [one.span() for one in plan.finditer(file)]):  # fmt: skip
            assert call(Failing(*parts)) == call(found), parts
    for name, mode in (("NamedTemporaryFile", "w+"), ("SpooledTemporaryFile", "w+")):
        with getattr(tempfile, name)(mode=mode, encoding="utf-8") as file:
            file.write(text)
            file.seek(0)
            assert file.read(1) == "a"
            assert list(plan.positions(file)) == list(plan.positions(file)) == [0, 3] and file.read(1) == "\u00e9"
    with pytest.raises(TypeError, match="expected str instance, bytes found"):
        plan.count(Failing("a", b"a"))


def test_file_objects_that_fail(tmp_path):
    searches = [
        PLAN.count, PLAN.count_lines, PLAN.count_by_pattern, PLAN.positions, PLAN.matches, PLAN.lines,
        lambda text: list(PLAN.batches(text)), lambda text: list(PLAN.line_batches(text)),
        lambda text: trawl.Plan("absent").first(text), lambda text: PLAN.count(trawl.Text(text)),
        lambda text: PLAN.count(trawl.Text(text, decompress=True)),
    ]  # fmt: skip
    for search in searches:
        for fault in (OSError("gone"), BrokenPipeError("theirs")):
            with pytest.raises(type(fault), match=str(fault)):
                search(Failing(TEXT, TEXT, fault))
        with pytest.raises(TypeError):
            search(Failing(TEXT, "str"))
        with pytest.raises(BlockingIOError):  # once, the text ended here without an error
            search(Failing(TEXT, None, TEXT))
    for name in ("batches", "line_batches"):
        with trawl.Searcher("cpu", 1) as searcher:  # an iterator that has failed no longer holds the Searcher
            iterator = getattr(searcher, name)(PLAN, Failing(TEXT, OSError("gone")))
            with pytest.raises(OSError, match="gone"):
                list(iterator)
            assert list(iterator) == []
    with pytest.raises(OSError, match="gone"):
        PLAN.count(trawl.Text(Failing(gzip.compress(TEXT)[:40], OSError("gone")), decompress=True))
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(os.urandom(5000))[:4000])
    with gzip.open(cut) as file, pytest.raises(EOFError):
        PLAN.count(file)
    assert PLAN.first(Failing(TEXT, b"")) == EXPECTED[0]
    assert PLAN.count_lines(Failing(TEXT), limit=2) == 2
    many = b"teateatea..." * 9000  # more than fits into a pipe
    assert PLAN.count(Failing(array.array("I", many))) == PLAN.count(many)
    endless = SimpleNamespace(read=lambda size: TEXT)
    assert PLAN.first(endless) == EXPECTED[0]
    for _ in range(500):  # the thread that reads ends soon after the search
        if not any(one.name == "trawl-pump" for one in threading.enumerate()):
            break
        time.sleep(0.01)
    else:
        raise AssertionError(threading.enumerate())


def test_read_raises_stopiteration():
    """Check that a StopIteration raised by read() does not look like the end of an iterator over results."""
    for call in (
        PLAN.count, PLAN.scan, PLAN.iter, PLAN.batches, PLAN.line_batches, PLAN.finditer, PLAN.lines, trawl.Plan,
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match="StopIteration"):
            list(call(Failing(TEXT, StopIteration())))


def test_groups_of_all_texts(tmp_path):
    """Check that finditer() and groups() read what the other calls read."""
    plan = trawl.Plan(r"(t)ea", regex=True)
    found = [{"1": b"t"}] * TEXT.count(b"tea")
    (tmp_path / "text").write_bytes(TEXT)
    (tmp_path / "packed").write_bytes(gzip.compress(TEXT))
    with open(tmp_path / "text", "rb") as file, open(tmp_path / "text", "rb", buffering=0) as raw:
        texts = [tmp_path / "text", file, raw, Descriptor(file), Failing(TEXT, b""), array.array("B", TEXT)]
        texts += [trawl.Text(one) for one in (TEXT, bytearray(TEXT), file)] + [
            trawl.Text(tmp_path / "packed", decompress=True)
        ]
        for text in texts:
            assert plan.groups(text).tolist() == found, text
        for text in texts[:-1]:
            if not isinstance(text, Failing):
                assert [one[1] for one in plan.finditer(text)] == [b"t"] * len(found), text
    for call in (plan.groups, plan.finditer, plan.count):
        with pytest.warns(UserWarning, match="packed: gzip data are searched as they are"):
            call(tmp_path / "packed")


def test_files_without_a_true_size():
    """Check that a system file that states a wrong size is searched for what it contains."""
    for path in map(pathlib.Path, ("/sys/kernel/mm/transparent_hugepage/enabled", "/sys/devices/system/cpu/possible")):
        if path.exists():
            data, plan = path.read_bytes(), trawl.Plan(["a", "0", "\n"])
            assert plan.count(path) == plan.count(data) > 0
            assert list(plan.matches(path, value=True)) == list(plan.matches(data, value=True))
            assert list(plan.lines(path)) == list(plan.lines(data)) and list(plan.scan(path)) == list(plan.scan(data))
            assert [one.span() for one in plan.finditer(path)] == [one.span() for one in plan.finditer(data)]


def test_a_file_becomes_shorter(tmp_path):
    """Check that a search of a file that becomes shorter fails, instead of answering for what is left of it."""
    path = tmp_path / "text"
    calls = ["count", "count_by_pattern", "count_lines", "positions", "matches", "lines"]
    calls += ["batches", "line_batches"]
    for name in calls:
        path.write_bytes(TEXT)
        with open(path, "rb") as file:
            file.seek(3)
            for source in (path, file):
                path.write_bytes(TEXT)
                text = trawl.Text(source)
                assert len(list(PLAN.batches(text))) == 1
                os.truncate(path, 100)
                with pytest.raises(trawl.ReadError, match=f"{path}: .*shorter"):
                    found = getattr(PLAN, name)(text)
                    list(found)
                assert PLAN.first(text) is not None  # first() stops at the first occurrence
    assert PLAN.count(path) == PLAN.count(TEXT[:100])
    path.write_bytes(b"")
    assert PLAN.count(path) == 0


def test_text_objects(tmp_path):
    (tmp_path / "text.gz").write_bytes(gzip.compress(TEXT))
    text = trawl.Text(TEXT)
    assert text.nbytes == len(TEXT) and not text.is_stream
    assert same(text) and same(text) and trawl.Text(text) is text
    assert repr(text) == f"<trawl.Text: {len(TEXT)} bytes>"
    try:
        unpacked = trawl.Text(tmp_path / "text.gz", decompress=True)
        assert unpacked.is_stream and unpacked.nbytes is None
        assert repr(unpacked) == f"<trawl.Text: a stream of {str(tmp_path / 'text.gz')!r}>"
        for _ in range(3):  # a file is decompressed by each search
            assert same(unpacked) and PLAN.positions(unpacked).tolist() == PLAN.positions(TEXT).tolist()
            assert PLAN.count_lines(unpacked) == PLAN.count_lines(TEXT) and PLAN.first(unpacked) == PLAN.first(TEXT)
            next(PLAN.scan(unpacked))
            running = PLAN.batches(unpacked)
            with pytest.raises(trawl.BusyError, match="text.gz"):
                PLAN.count(unpacked)
            running.close()
    except trawl.UnsupportedError:
        pytest.skip("no zlib here")
    with pytest.raises(TypeError):
        trawl.Text()
    with pytest.raises(TypeError):
        trawl.Text(3.5)


def test_packed_bytes_in_memory():
    """Check that decompress=True rejects compressed bytes in memory."""
    packed = gzip.compress(b"needle" * 100)
    for source in (packed, bytearray(packed), "text"):
        with pytest.raises(ValueError, match="decompress"):
            trawl.Text(source, decompress=True)
    assert trawl.Plan("needle").count(trawl.Text(io.BytesIO(packed), decompress=True)) == 100
    for name in ("/proc/version", "/sys/devices/system/cpu/online"):  # files whose size is not known, or wrong
        with contextlib.suppress(FileNotFoundError), open(name, "rb") as file:
            assert trawl.Plan("\n").count(trawl.Text(pathlib.Path(name), decompress=True)) == file.read().count(b"\n")


def test_filter():
    rng = random.Random(7)
    given = bytearray(b"\n".join(rng.randbytes(20).hex().encode() for _ in range(1 << 17)))
    given[3 << 20 : (3 << 20) + 17] = b"one rare word or "
    plans = [trawl.Plan("one rare word"), trawl.Plan("rare [a-z]+ or", regex=True), trawl.Plan("absent words")]
    with trawl.Searcher("cpu") as searcher:
        text = searcher.load(given, filter=True)
        assert [searcher.count(plan, text) for plan in plans] == [1, 1, 0]
        assert searcher.stats()["page_count"] == 82 and searcher.stats()["page_left_count"] < 5
        assert searcher.first(plans[0], text) == (3 << 20, (3 << 20) + 13, 0)
        assert searcher.count_lines(plans[1], text) == 1
        searcher.unload(text)
        assert searcher.count(plans[0], text) == 1 and searcher.stats()["page_count"] == 0


def test_no_filter(tmp_path):
    (tmp_path / "a").write_bytes(b"text")
    with pytest.raises(ValueError, match="bytes in the host"):
        trawl.Text(tmp_path / "a", filter=True)
    with pytest.raises(ValueError, match="exists already"):
        trawl.Text(trawl.Text(b"text"), filter=True)


def test_loaded_texts(tmp_path):
    searcher, plan = trawl.Searcher("cpu", 1), trawl.Plan("an")
    text = searcher.load(bytearray(b"banana" * 100))
    assert searcher.count(plan, text) == 200 and text.nbytes == 600
    searcher.unload(text)
    with pytest.raises(ValueError):
        searcher.unload(text)
    with pytest.raises(ValueError):
        searcher.unload(TEXT)
    (tmp_path / "file").write_bytes(TEXT)
    with pytest.raises(trawl.ArgumentError):
        searcher.load(tmp_path / "file")
    searcher.load(TEXT)
    searcher.close()
