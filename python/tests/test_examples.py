"""The worked examples, on small data with known answers."""

import json
import pathlib
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def run(name, *arguments):
    result = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *map(str, arguments)], capture_output=True, text=True
    )
    assert result.returncode in (0, 1), result.stderr
    return result.stdout.splitlines(), result


def test_secrets(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "clean.py").write_text("AKIA is a prefix\n")
    (tmp_path / "deep" / "b.py").write_text("\nx = 1\nkey = 'AKIA" + "A1" * 8 + "'\n")
    (tmp_path / "a.pem").write_text("-----BEGIN RSA PRIVATE KEY-----\n")
    lines, result = run("secrets.py", tmp_path)
    assert lines == [
        f"{tmp_path}/a.pem:1: private key",
        f"{tmp_path}/deep/b.py:3: access key of AWS",
    ]
    assert result.returncode == 1
    (tmp_path / "empty").mkdir()
    assert run("secrets.py", tmp_path / "empty")[0] == []


def test_guides(tmp_path):
    guide = "ACGTACGTACGTACGTACGT"
    other = "TTTTTTTTTTGGGGGGGGGG"
    reverse = other.translate(str.maketrans("ACGT", "TGCA"))[::-1]
    forward = "aa" + guide + "tgg" + "c" * 10  # a motif behind it
    backward = "cct" + "CCA" + reverse + "a"  # the motif's other strand before it
    without = guide + "aca"
    genome = tmp_path / "genome.fa"
    text = f">one first\n{forward[:15]}\n{forward[15:]}\n>two\n{backward}{without}\n"
    genome.write_text(text)
    (tmp_path / "guides").write_text(f"{guide}\n{other}\n")
    lines, _ = run("guides.py", tmp_path / "guides", genome)
    assert lines == [f"one\t2\t+\t{guide}", f"two\t6\t-\t{other}"]


def test_decontaminate(tmp_path):
    (tmp_path / "questions").write_text("too short\none two, three four\n")
    texts = ["x ONE\u00a0two three y", None, "one two", "one two three FOUR"]
    rows = [json.dumps({"id": number, "text": text}) + "\n" for number, text in enumerate(texts)]
    (tmp_path / "documents").write_text("".join(rows))
    lines, result = run("decontaminate.py", tmp_path / "questions", tmp_path / "documents", 3)
    assert lines == ["0\t1\t0.50\tone two three", "3\t1\t1.00\tone two three"]
    assert "not searched: 0\n" in result.stderr
