"""Tests many threads, signals, cancelled searches, forked children, and closed searchers."""

import os
import random
import signal
import threading
import time

import arrow_by_hand
import pytest
import trawl
from conftest import SEED, amount, naive


def test_sixteen_threads_share_a_plan():
    rng = random.Random(SEED)
    patterns = [bytes(rng.choice(b"abc") for _ in range(5)) for _ in range(20)]
    texts = [bytes(rng.choice(b"abc") for _ in range(10000)) for _ in range(16)]
    expected = [naive(patterns, text) for text in texts]
    plan, wrong = trawl.Plan(patterns), []

    with trawl.Searcher("cpu", 2) as searcher:

        def work(index):
            for turn in range(amount(8)):
                way = plan.matches if turn % 2 else lambda text: searcher.matches(plan, text)
                if list(way(texts[index])) != expected[index]:
                    wrong.append(index)
                if plan.count(texts[index]) != len(expected[index]):
                    wrong.append(index)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def interrupt_soon():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores SIGINT
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()


@pytest.mark.parametrize("way", ["count", "first", "matches", "batches", "lines", "line_batches"])
def test_interrupt_stops_a_search(way):
    """Check that SIGINT ends a search of a pipe to which nothing is written."""
    plan = trawl.Plan("a")
    reading, writing = os.pipe()
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        found = getattr(plan, way)(open(reading, "rb"))
        next(iter(found))
    os.close(writing)
    assert plan.count("banana") == 3


def test_cancel():
    plan, searcher = trawl.Plan("a"), trawl.Searcher("cpu", 1)
    reading, writing = os.pipe()
    pipe = open(reading, "rb")
    seen = []

    def work():
        try:
            searcher.count(plan, pipe)
        except trawl.CancelledError as error:
            seen.append(error.status)

    thread = threading.Thread(target=work)
    thread.start()
    while not seen:
        searcher.cancel()
        time.sleep(0.01)
    thread.join()
    os.close(writing)
    pipe.close()
    assert seen == [1] and searcher.count(plan, "banana") == 3


def test_the_interpreter_goes_on():
    """Check that a search releases the interpreter's lock, so that a second thread can write to the pipe meanwhile."""
    plan = trawl.Plan("a")
    reading, writing = os.pipe()
    thread = threading.Thread(target=lambda: (os.write(writing, b"banana"), os.close(writing)))
    threading.Timer(0.05, thread.start).start()
    assert plan.count(open(reading, "rb")) == 3
    thread.join()


def test_close():
    plan, searcher = trawl.Plan("a"), trawl.Searcher(threads=1)
    batches = searcher.batches(plan, b"banana")
    with pytest.raises(trawl.BusyError):
        searcher.close()
    del batches
    searcher.close()
    searcher.close()
    with pytest.raises(ValueError, match="closed"):
        searcher.count(plan, b"banana")
    with pytest.raises(ValueError):
        trawl.Searcher("fast")
    with pytest.raises(trawl.ArgumentError):
        trawl.Searcher(threads=5000)
    with pytest.raises(trawl.Error):
        trawl.Searcher(instruction_set="none")


def test_stats():
    with trawl.Searcher("cpu", 1) as searcher:
        assert searcher.count(trawl.Plan("a"), b"banana") == 3
        stats = searcher.stats()
    assert "size" not in stats and stats["match_count"] == 3 and stats["text_bytes"] == 6 and stats["engine"] == "cpu"
    assert stats["ways"] == []
    with trawl.Searcher("cpu", 1) as searcher:
        assert searcher.count(trawl.Plan(r"é\d{3}", regex=True), "é123 " * 9000) == 9000
        (way,) = searcher.stats()["ways"]
    assert way["name"] == "atoms" and way["what"] == '"é"' and way["bytes"] == way["read_bytes"] == 54000


def test_changes_of_the_method():
    """Which program for a set is fastest depends on the text: here, the first takes about twice as long as two others."""
    patterns = [str(number) for number in range(10000000, 10011100, 37)]
    text = "\n".join(patterns * 700).encode()
    with trawl.Searcher("cpu", 1) as searcher:
        assert searcher.count(trawl.Plan(patterns), text) == 700 * len(patterns)
        stats = searcher.stats()
        first = stats["changes"][0]
        assert stats["change_count"] == len(stats["changes"]) >= 1
        assert 0 < first["offset"] < len(text) and first["before"] == "classes" != first["after"]
        assert first["before_ns"] > first["after_ns"] > 0
        assert first["why"] in ("faster in a trial", "the text has changed")
        assert searcher.count(trawl.Plan("banana"), b"banana") == 1
        assert searcher.stats()["changes"] == []


def test_batches_are_left_in_the_middle():
    plan, text = trawl.Plan("a"), b"a" * 100000
    with trawl.Searcher("cpu", 2, chunk_bytes=1000) as searcher:
        for batch in searcher.batches(plan, text):
            assert batch[0] == (0, 1, 0)
            break
        del batch
        assert searcher.count(plan, text) == 100000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_child_searches():
    plan = trawl.Plan("ab")
    searcher = trawl.Searcher("cpu", 2)
    text, count = b"ab" * (4 << 20), 4 << 20
    for progress in None, lambda done: None:  # with `progress`, a thread of the Searcher searches
        assert plan.count(text, progress=progress) == searcher.count(plan, text, progress=progress) == count
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            right = plan.count(text) == searcher.count(plan, text, progress=progress) == count
            os._exit(0 if right else 1)
        assert os.waitpid(child, 0)[1] == 0


def test_signals_while_expressions_are_compiled():
    """Check that a signal's handler runs while a plan is built, and that its exception ends the build."""
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals need the main thread")
    expressions = [f"[a-z]+foo{i}[0-9]*" for i in range(200000)]

    def fail(number, frame):
        raise InterruptedError("no more")

    for build in (
        lambda: trawl.Plan(expressions, regex=True),
        lambda: [trawl.Plan(" ").split(["a b " * 5000] * 50) for _ in range(100000)],
    ):
        before = signal.signal(signal.SIGALRM, fail)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            with pytest.raises(InterruptedError, match="no more"):
                build()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    assert trawl.Plan(expressions[:2], regex=True).count("afoo1") == 1


def test_signals_while_objects_are_made():
    """Check that handlers run while results become objects. With Ctrl-C, one waited until a split of 600,000 strings had
    become a list of lists: 2.4 seconds (2026-11-29)."""
    records = [f"some words, and others, {i}" for i in range(60000)]
    column = arrow_by_hand.Column([record.encode() for record in records], "U")
    plan, many = trawl.Plan(", "), trawl.Plan(["w", "words", "o"])
    groups = trawl.Plan(r"(\w+), (?P<last>\w+)", regex=True)
    calls = [
        lambda: plan.split(column), lambda: plan.split(records), lambda: many.match_lists(column).tolist(),
        lambda: many.match_lists(column, value=True).tolist(), lambda: many.pattern_lists(column).tolist(),
        lambda: groups.groups(column).tolist(), lambda: groups.group_lists(column).tolist(),
        lambda: groups.replace(column, "$last").tolist(),
    ]  # fmt: skip
    handled = []
    before = signal.signal(signal.SIGALRM, lambda *_: handled.append(1))
    try:
        for i, call in enumerate(calls):
            expected = call()
            handled.clear()
            signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
            found = call()
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert found == expected and len(handled) > 5, i
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
