"""Runs the worked examples on small data with known answers."""

import pathlib
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def run(name, *arguments, statuses=(0, 1)):
    result = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *map(str, arguments)], capture_output=True, text=True
    )
    assert result.returncode in statuses, result.stderr
    return result.stdout.splitlines(), result


def test_names():
    """Check that no example has the name of a Python module: programs in its folder would import it."""
    assert not {path.stem for path in EXAMPLES.iterdir()} & sys.stdlib_module_names


def test_secrets(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "clean.py").write_text("AKIA is a prefix\n")
    (tmp_path / "deep" / "b.py").write_text("\nx = 1\nkey = 'AKIA" + "A1" * 8 + "'\n")
    (tmp_path / "a.pem").write_text("-----BEGIN RSA PRIVATE KEY-----\n")
    lines, result = run("find_secrets.py", tmp_path)
    assert lines == [f"{tmp_path}/a.pem:1: private key", f"{tmp_path}/deep/b.py:3: access key of AWS"]
    assert result.returncode == 1
    (tmp_path / "empty").mkdir()
    assert run("find_secrets.py", tmp_path / "empty")[0] == []
    missing = run("find_secrets.py", tmp_path / "missing", statuses=[2])[1]  # os.walk skips it silently
    assert "missing" in missing.stderr


def test_guides(tmp_path):
    guide = "ACGTACGTACGTACGTACGT"
    other = "TTCAGTTTGTGGCAGGTGAG"
    reverse = other.translate(str.maketrans("ACGT", "TGCA"))[::-1]
    forward = "aa" + guide + "tgg" + "c" * 10  # the motif NGG follows the guide
    backward = "cct" + "CCA" + reverse + "a"  # the motif on the opposite strand, before the guide
    without = guide + "aca"
    genome = tmp_path / "genome.fa"
    text = f">one first\n{forward[:15]}\n{forward[15:]}\n>two\n{backward}{without}\n"
    genome.write_text(text)
    (tmp_path / "guides").write_text(f"{guide}\n{other}\n")
    lines, _ = run("guides.py", tmp_path / "guides", genome, "--sites", tmp_path / "sites")
    assert lines == ["guide\t0\t1\t2\t3\t4", f"{guide}\t1\t0\t0\t0\t0", f"{other}\t1\t0\t0\t0\t0", "all\t2\t0\t0\t0\t0"]
    sites = (tmp_path / "sites").read_text().splitlines()
    assert sites == [f"one\t2\t25\t{guide}\t0\t+", f"two\t3\t26\t{other}\t0\t-"]
    # In the sequence x, two letters differ and one is unknown. In y, the motif differs, which is not allowed.
    genome.write_text(f">x\n{guide[:-3]}NCCAGG\n>y\n{guide[:-2]}CCAGA\n")
    assert run("guides.py", tmp_path / "guides", genome)[0][-1] == "all\t0\t0\t0\t1\t0"
    found = run("guides.py", tmp_path / "guides", genome, "--any-base", "--mismatches", 2)
    assert found[0][-1] == "all\t0\t0\t1"
