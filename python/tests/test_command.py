"""python -m trawl is the command."""

import os
import shutil
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


def test_script(tmp_path):
    """The script `trawl` is the command too, and does not take itself for it: where the command is not
    there, that is said. (It would have called itself without end.)"""
    script = shutil.which("trawl", path=os.path.dirname(sys.executable))
    if script is None:
        pytest.skip("the package was not installed with its script")
    version = subprocess.run([script, "--version"], capture_output=True)
    assert version.stdout == run("--version").stdout
    (tmp_path / "trawl").mkdir()
    (tmp_path / "trawl" / "__init__.py").touch()
    shutil.copy(os.path.join(os.path.dirname(trawl.__file__), "__main__.py"), tmp_path / "trawl")
    (tmp_path / "run").mkdir()
    alone = tmp_path / "run" / "trawl"
    call = "import sys; from trawl.__main__ import main; sys.exit(main())"
    alone.write_text(f"#!{sys.executable}\n{call}\n")
    alone.chmod(0o755)
    environment = dict(os.environ, PATH=str(tmp_path / "run"), PYTHONPATH=str(tmp_path))
    made = subprocess.run([alone], capture_output=True, env=environment, timeout=60)
    assert (made.returncode, made.stderr) == (2, b"trawl: the command is not installed\n")
