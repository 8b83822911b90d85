"""Tests that many searches leave neither references nor memory behind, and that a search without memory fails."""

import ctypes
import gc
import io
import itertools
import os
import pickle
import resource
import sys
import time
from functools import partial

import pytest
import trawl
from arrow_by_hand import Column
from conftest import SCALE

VALUES = [b"banana" * 4, None, b"x" * 20, b"na"]
COLUMNS = [Column(VALUES, "Z"), Column(VALUES, "vz"), Column(VALUES[2:], "Z", keys=[0, None, 1, 0])]
KEYS = trawl.Plan("(n)(?P<more>\u00e4)?", regex=True)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def failing(plan):
    for wrong in (lambda: plan.count(3.5), lambda: plan.first(b"a", nothing=1)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(trawl.ArgumentError):
        trawl.Plan("")
    assert plan.count(io.BytesIO(b"banana")) == 4  # a thread reads
    for value in (["x"], [1, 2], "\ud800"):
        with pytest.raises((TypeError, ValueError)):
            plan.replace(["an"], value)


def calls_of(plan, text, path, columns):
    """Return calls of each kind."""
    lists, characters = ["banana", None, b"nan"], "ban\u00e4na"
    near = trawl.Plan("TAT", edits=1), trawl.Plan("TAT", mismatches=1, alphabet="dna", reverse_complement=True)
    calls = [
        *(partial(plan.count, given) for given in (text, path)),
        *(partial(search, text) for search in (plan.first, plan.positions, plan.count_by_pattern, plan.find_all)),
        lambda: plan.count(io.BytesIO(text)), lambda: [one.span() for one in plan.finditer(text)],
        lambda: list(plan.iter(text)),
        lambda: [one for batch in plan.batches(text, line_numbers=True) for one in batch],
        lambda: [one for lines in plan.line_batches(text) for one in lines], partial(plan.lines, path),
        partial(plan.matches, characters * 9, line_numbers=True, value=True),
        partial(plan.matches, text, match="leftmost-longest", line_numbers=True, value=True),
        partial(plan.replace, text, lambda string, number: string + b"y"),
        partial(plan.replace_file, text, os.devnull, "y" * 20), lambda: trawl.Text(text).nbytes,
        lambda: trawl.Plan([b"other", b"patterns"]).explain(), *(partial(one.matches, b"TATA" * 1000) for one in near),
        partial(near[0].match_lists, [b"TATA"]),
    ]  # fmt: skip
    for given in (characters, bytearray(text), lists, *columns):
        calls += [partial(plan.replace, given, ["y" * 20, "x"]), partial(plan.mask, given), partial(plan.split, given)]
    for given in (lists, [], *columns):
        for name in ("contains", "which", "pattern_counts", "pattern_lists", "cells", "record_counts", "match_counts"):
            calls.append(partial(getattr(plan, name), given))
        calls.append(partial(plan.match_lists, given, first=True))
        calls.append(partial(plan.match_lists, given, match="leftmost-longest", value=True))
    calls += [partial(KEYS.groups, given) for given in ("\u00e4n\u00e4n", ["n", None, "x"])]
    calls += [partial(KEYS.group_lists, columns[0]), partial(KEYS.replace, "\u00e4n\u00e4n", "<${more}>")]
    calls.append(lambda: [one.groups() for one in KEYS.finditer("\u00e4n\u00e4n")])
    return calls


def result_of(call):
    """Call, hand the result to another library and to another process, and return Python's own values."""
    result = call()
    if hasattr(result, "__arrow_c_array__"):
        result.__arrow_c_array__()
    result = pickle.loads(pickle.dumps(result))
    if hasattr(result, "tolist"):
        return result.tolist()
    return list(result) if hasattr(result, "__len__") else result


def test_no_leak(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"banana" * 20)
    plan, text = trawl.Plan(["an", "na"]), b"banana" * 20
    rounds = 300 if SCALE < 20 else 3000
    calls = calls_of(plan, text, path, [trawl.Plan("q").mask(column) for column in COLUMNS[:2]])
    for _ in range(100):
        for call in calls:
            result_of(call)
        failing(plan)
    gc.collect()
    objects = (plan, text, path, trawl.Plan, trawl.Column, trawl.Matches, trawl.Text, None)
    before = [sys.getrefcount(thing) for thing in objects[:-1]]
    descriptors = os.listdir("/proc/self/fd")
    for _ in range(3):  # a leak grows each time; an allocator's caches do not
        begin = resident()
        for _ in range(rounds):
            for call in calls:
                result_of(call)
        for _ in range(rounds // 10):
            failing(plan)
        gc.collect()
        grown = resident() - begin
        if grown < 1 << 20:
            break
    assert [sys.getrefcount(thing) for thing in objects[:-1]] == before
    for _ in range(100):  # a thread closes its pipe a little later
        if len(os.listdir("/proc/self/fd")) <= len(descriptors):
            break
        time.sleep(0.05)
    else:
        raise AssertionError(os.listdir("/proc/self/fd"))
    if "ASAN_OPTIONS" not in os.environ:  # ASan keeps freed memory for a while
        assert grown < 1 << 20


def test_short_memory(tmp_path):
    """Let each allocation of each call fail, alone and with all later ones: the call fails, or the result is right.
    Before this test, replace() and split() of a list returned an empty list then."""
    if not hasattr(trawl_functions := ctypes.CDLL(trawl._trawl.__file__), "short_memory"):
        pytest.skip("the package was linked without tests/serve/short_memory.c")
    path = tmp_path / "text"
    path.write_bytes(b"banana" * 20)
    for call in calls_of(trawl.Plan(["an", "na"]), b"banana\n" * 20, path, COLUMNS):
        expected = result_of(call)
        for after, failures in itertools.product(range(1000), (1, 1000)):
            trawl_functions.short_memory(ctypes.c_long(after), ctypes.c_long(failures))
            try:
                result = result_of(call)
            except MemoryError:
                result = None
            has_failed = trawl_functions.short_memory_ends()
            assert result == expected or (has_failed and result is None), (call, after, failures)
            if not has_failed:
                break
