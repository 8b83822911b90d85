"""Runs the commands in documents and examples, which must print what the documents say. (README.md: tests/install. run.py
describes how commands are written.)"""

import os

import pytest
import run
from harness import BUILD, ROOT

PROGRAMS = BUILD / "tests/documents/examples"
DRIVER = BUILD / "tests/sim/driver"  # the simulated device
EXAMPLES = sorted(path for path in ROOT.glob("examples/*.c") if not path.name.startswith("gpu_"))
GPU_EXAMPLES = sorted(ROOT.glob("examples/gpu_*.c"))


def check(document, **more):
    reason = run.check(str(document), **more)
    if reason:
        pytest.skip(reason)


@pytest.fixture
def device(monkeypatch):
    """A simulated device, except under ThreadSanitizer, which cannot follow the device's fibers."""
    if DRIVER.exists() and "thread" not in os.environ.get("TRAWL_TEST_SANITIZED", ""):
        monkeypatch.setenv("LD_LIBRARY_PATH", f"{DRIVER}:{os.environ.get('LD_LIBRARY_PATH', '')}")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example(path):
    if path.name.startswith("expression_") and not (BUILD / "libtrawl_regex.so.2").exists():
        pytest.skip("this build has no regular expressions")
    check(path, programs=str(PROGRAMS))


@pytest.mark.parametrize("path", GPU_EXAMPLES, ids=lambda path: path.name)
def test_gpu_example(path, device):
    check(path, programs=str(PROGRAMS))


@pytest.mark.parametrize("name", ["guide", "approximate", "genomes", "regex", "faq"])
def test_guide(name, device):
    """guide.md also decompresses a file."""
    check(ROOT / f"docs/{name}.md", path=[str(BUILD)], link=[f"trawl={ROOT}"])


@pytest.mark.parametrize("path", ["docs/papers.md", "gallery/README.md"])
def test_gallery(path, device):
    check(ROOT / path, path=[str(BUILD)])


def test_server():
    check(ROOT / "docs/server.md", path=[str(BUILD)], stories=True)
