"""Begins into arrays of the caller's, and texts that devices keep."""

import array
import ctypes

import pytest
import trawl

PLAN, TEXT = trawl.Plan("an"), b"banana" * 100
EXPECTED = PLAN.positions(TEXT).tolist()


class OnDevice:
    """What says that it is an array on a device; nothing is ever written to it."""

    def __init__(self, **changes):
        fields = {"shape": (10,), "typestr": "<u8", "data": (0x1000, False), "version": 3}
        self.__cuda_array_interface__ = {**fields, **changes}


def test_host_arrays():
    for kind in "QqLl":
        out = array.array(kind, [0]) * 300
        assert PLAN.positions_into(TEXT, out) == 200
        assert out[:200].tolist() == EXPECTED and out[200:].tolist() == [0] * 100
    few = array.array("Q", [0]) * 5
    with trawl.Searcher("cpu", 1) as searcher:
        assert searcher.positions_into(PLAN, TEXT, few) == 200 and few.tolist() == EXPECTED[:5]
    assert PLAN.positions_into(TEXT, (ctypes.c_uint64 * 3)()) == 200
    numpy = pytest.importorskip("numpy")
    out = numpy.zeros(300, numpy.uint64)
    assert PLAN.positions_into(TEXT, out[100:]) == 200 and out[100:].tolist() == EXPECTED


def test_refused_arrays():
    for wrong in (bytearray(80), array.array("I", [0]), array.array("d", [0.0])):
        with pytest.raises(ValueError):
            PLAN.positions_into(TEXT, wrong)
    for wrong in (bytes(80), 3, None, []):
        with pytest.raises((TypeError, BufferError)):
            PLAN.positions_into(TEXT, wrong)
    for changes in (
        {"typestr": "<u4"},
        {"typestr": 8},
        {"shape": (2, 5)},
        {"shape": 3},
        {"strides": (16,)},
        {"data": (0x1000, True)},
        {"data": None},
    ):
        with pytest.raises((ValueError, TypeError)):
            PLAN.positions_into(TEXT, OnDevice(**changes))


def test_a_device_is_needed_for_its_arrays():
    with trawl.Searcher("cpu", 1) as searcher:
        for out in (OnDevice(), OnDevice(strides=(8,)), OnDevice(strides=None)):
            with pytest.raises(trawl.Error):
                searcher.positions_into(PLAN, searcher.load(TEXT), out)


def test_loaded_texts(tmp_path):
    searcher = trawl.Searcher("cpu", 1)
    text = searcher.load(bytearray(TEXT))
    assert searcher.count(PLAN, text) == 200 and text.nbytes == len(TEXT)
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


def test_on_a_device():
    """Positions stay on the device, and are those of the host."""
    cupy = pytest.importorskip("cupy")
    with trawl.Searcher("cuda") as searcher:
        text = searcher.load(TEXT)
        out = cupy.zeros(300, cupy.uint64)
        cupy.cuda.Device().synchronize()
        assert searcher.positions_into(PLAN, text, out) == 200
        assert out[:200].get().tolist() == EXPECTED
