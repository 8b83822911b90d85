"""python -m trawl is the command."""

import subprocess
import sys

import pytest
import trawl


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "trawl", *arguments], input=b"banana\n", capture_output=True
    )


def test_command():
    version = run("--version")
    if version.returncode == 2 and b"not installed" in version.stderr:
        pytest.skip("the package was built without the command")
    assert trawl.__version__.encode() in version.stdout
    found = run("-c", "an", "-")
    assert (found.returncode, found.stdout) == (0, b"1\n")
    assert run("xyz", "-").returncode == 1
