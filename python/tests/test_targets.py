"""Tests texts in the memory of devices."""

import os
import subprocess
import sys

import pytest
import trawl

PLAN, TEXT = trawl.Plan("an"), b"banana" * 100


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


LOADED = """
import trawl
plan, text = trawl.Plan("an"), b"banana" * 1000
with trawl.Searcher("cuda", 2) as searcher:
    kept = searcher.load(text)
    assert searcher.count(plan, kept) == 2000 and searcher.stats()["engine"] == "cuda"
    assert searcher.positions(plan, kept) == plan.positions(text)
    searcher.unload(kept)
"""


def test_on_a_simulated_device():
    """Check searches of a text that Searcher.load has copied to a device, on the tests' simulated driver."""
    folder = os.environ.get("TRAWL_SIM_DRIVER")
    if not folder:
        pytest.skip("TRAWL_SIM_DRIVER does not name the folder of the simulated driver")
    environment = {**os.environ, "LD_LIBRARY_PATH": folder, "TRAWL_SIM_DEVICES": "2"}
    subprocess.run([sys.executable, "-c", LOADED], env=environment, check=True)
