"""Tests that many searches leave neither references nor memory behind."""

import gc
import io
import os
import pickle
import resource
import sys
import time

import pytest
import trawl
from arrow_by_hand import Column
from conftest import SCALE


LONG = b"TATA" * 1000
NEAR = [trawl.Plan("TAT", edits=1), trawl.Plan("TAT", mismatches=1, alphabet="dna", reverse_complement=True)]
try:
    KEYS = [trawl.Plan("(n)(?P<more>\u00e4)?", regex=True)]
except trawl.UnsupportedError:
    KEYS = []


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


def one_of_each(plan, text, path):
    plan.count(text)
    plan.first(text)
    plan.positions(text).tolist()
    matches = plan.matches(text, line_numbers=True)
    memoryview(matches.lines)
    matches.__arrow_c_array__()
    for batch in plan.batches(text):
        batch.begins.__arrow_c_array__()
    for lines in plan.line_batches(text):
        lines.texts.__arrow_c_array__()
    plan.lines(path)
    plan.count_by_pattern(text)
    list(plan.iter(text))
    for given in ("ban\u00e4na", text, ["banana", None, b"nan"]):
        plan.replace(given, ["\u00e9", "x"])
        plan.mask(given)
        plan.split(given)
    column = plan.lines(text).texts  # an Arrow array
    for one in column, Column([b"banana" * 4, b"na", b"x" * 20], "vz"):
        pickle.loads(pickle.dumps(plan.replace(one, "y" * 20))).tolist()
    plan.count(path)
    with open(path, "rb") as file:
        plan.count(file)
    trawl.Text(text)
    trawl.Plan(["other", b"patterns"])
    for near in NEAR:
        near.matches(LONG)
    for keys in KEYS:
        assert [one.groups() for one in keys.finditer("\u00e4n\u00e4n")] == [("n", "\u00e4"), ("n", None)]
        for one in keys.groups(["n", None, "x"]), keys.group_lists(Column([b"n" * 20, b"na", b"x"], "u")):
            pickle.loads(pickle.dumps(one))[1:].tolist()
            one.__arrow_c_array__()
            keys.match_counts(["n"])


def test_no_leak(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"banana" * 20)
    plan, text = trawl.Plan(["an", "na"]), bytearray(b"banana" * 20)
    rounds = 1000 if SCALE < 20 else 10000
    for _ in range(100):
        one_of_each(plan, text, path)
        failing(plan)
    gc.collect()
    objects = (plan, text, path, trawl.Plan, trawl.Column, trawl.Matches, trawl.Text, None)
    before = [sys.getrefcount(thing) for thing in objects[:-1]]
    descriptors, begin = os.listdir("/proc/self/fd"), resident()
    for _ in range(rounds):
        one_of_each(plan, text, path)
    for _ in range(rounds // 10):
        failing(plan)
    gc.collect()
    assert [sys.getrefcount(thing) for thing in objects[:-1]] == before
    for _ in range(100):  # a thread closes its pipe a little later
        if len(os.listdir("/proc/self/fd")) <= len(descriptors):
            break
        time.sleep(0.05)
    else:
        raise AssertionError(os.listdir("/proc/self/fd"))
    if "ASAN_OPTIONS" not in os.environ:  # ASan keeps freed memory for a while
        assert resident() - begin < 3 << 20
