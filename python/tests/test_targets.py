"""Begins into arrays of the caller's, and texts that devices keep."""

import array
import ctypes
import os
import pathlib
import subprocess
import sys

import pytest
import trawl
from conftest import amount

PLAN, TEXT = trawl.Plan("an"), b"banana" * 100
EXPECTED = PLAN.positions(TEXT).tolist()


class OnDevice:
    """An object that claims to be an array on a device; no test writes to it."""

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
    swapped = "__ctype_be__" if sys.byteorder == "little" else "__ctype_le__"
    other_order = (getattr(ctypes.c_uint64, swapped) * 300)()
    for wrong in (bytearray(80), array.array("I", [0]), array.array("d", [0.0]), other_order):
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
        with pytest.raises(trawl.UnsupportedError):
            searcher.count(PLAN, OnDevice(typestr="|u1"))
        with pytest.raises(trawl.Error):
            PLAN.count(OnDevice(typestr="|u1"))
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


def run_on_device(**environment):
    """Run on_device.py in a separate process."""
    script = pathlib.Path(__file__).with_name("on_device.py")
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_on_a_simulated_device():
    """Texts and positions in the memory of the tests' simulated driver."""
    folder = os.environ.get("TRAWL_SIM_DRIVER")
    if not folder:
        pytest.skip("TRAWL_SIM_DRIVER does not name the folder of the simulated driver")
    for devices in "21"[: amount(2)]:
        assert "checked on" in run_on_device(LD_LIBRARY_PATH=folder, TRAWL_SIM_DEVICES=devices)


def test_on_this_device():
    """The same on the machine's own."""
    said = run_on_device()
    if "no device" in said:
        pytest.skip(said.strip())
    assert "checked on" in said
