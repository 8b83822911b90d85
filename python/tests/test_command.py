"""Tests that python -m trawl runs the command."""

import gzip
import io
import lzma
import os
import re
import shutil
import subprocess
import sys

import pytest
import trawl
from conftest import amount


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "trawl", *arguments], input=b"banana\n", capture_output=True)


def test_command():
    version = run("--version")
    if version.returncode == 2 and b"not installed" in version.stderr:
        pytest.skip("the package was built without the command")
    assert trawl.__version__.encode() in version.stdout
    found = run("-c", "an", "-")
    assert (found.returncode, found.stdout) == (0, b"1\n")
    assert run("xyz", "-").returncode == 1


def test_script(tmp_path):
    """Check that python -m trawl runs the command next to Python's scripts, and says so if there is none."""
    script = shutil.which("trawl", path=os.path.dirname(sys.executable))
    if script is None:
        pytest.skip("the package was built without the command")
    assert subprocess.run([script, "--version"], capture_output=True).stdout == run("--version").stdout
    (tmp_path / "trawl").mkdir()
    (tmp_path / "trawl" / "__init__.py").touch()
    shutil.copy(os.path.join(os.path.dirname(trawl.__file__), "__main__.py"), tmp_path / "trawl")
    environment = dict(os.environ, PATH=str(tmp_path), PYTHONPATH=str(tmp_path))
    made = subprocess.run([sys.executable, "-m", "trawl"], capture_output=True, env=environment, timeout=60)
    assert (made.returncode, made.stderr) == (2, b"trawl: the command is not installed\n")


def test_the_other_package(tmp_path):
    """Check that the package says so if the files of PyPI's package `trawl`, a build tool, are in its folder, installed
    before it or after it."""
    folder = tmp_path / "trawl"
    shutil.copytree(os.path.dirname(trawl.__file__), folder)
    (folder / "application.py").touch()

    def said(code):
        environment = dict(os.environ, PYTHONPATH=str(tmp_path))
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment).stderr

    assert "UserWarning" in said("import trawl") and "another project's" in said("import trawl")
    (folder / "__init__.py").write_text('"""A build tool."""\n')
    for code in ("import trawl.client", "from trawl._trawl import Plan", "import trawl.decontaminate"):
        assert "ImportError" in said(code) and "pip install pytrawl" in said(code), code


def test_fasta(tmp_path, rng):
    """Compare the sites that the example finds, on both strands of a file with lines of 70 bases, with those that the
    command finds with --fasta. (A plain search of the file misses occurrences across line ends.)"""
    lines = [b"AC;\r\n", b"\n"]
    for name in (b">one first", b">\xffwo", b">", b">last"):
        bases = bytes(rng.choices(b"ACGTN", k=rng.randint(2000, 5000)))
        lines += [name + b"\r\n", b";GATT\n", b">none\n"] if name == b">one first" else [name + b"\n"]
        lines += [bases[at : at + 70] + b"\n" for at in range(0, len(bases), 70)]
    text = b"".join(lines)[:-1] + b"\r"
    patterns, path = ["GATTA", "ACGNT"], tmp_path / "genome.fa"
    path.write_bytes(text)
    plan = trawl.Plan(patterns, mismatches=1, alphabet="dna", reverse_complement=True)
    found = [
        (name.encode(errors="surrogateescape"), b"%d" % begin, strand.encode(), b"%d" % distance, sequence[begin:end])
        for name, sequence in trawl.fasta(path)
        for begin, end, _, distance, strand in plan.matches(sequence)
    ]
    said = run("--fasta", "--mismatches=1", "--reverse-complement", "-h", *(f"-e{one}" for one in patterns), str(path))
    if said.returncode == 2:
        pytest.skip("the package was built without the command")
    assert [tuple(line.split(b":")) for line in said.stdout.splitlines()] == found
    with pytest.warns(UserWarning, match="FASTA"):
        assert plan.count(text[text.index(b">") :]) < len(found)
    with pytest.raises(ValueError, match="a path is"):
        list(trawl.fasta("genome.fa"))
    (tmp_path / "genome.fa.gz").write_bytes(gzip.compress(text))
    (tmp_path / "genome.fa").write_bytes(lzma.compress(text))  # xz data whose name does not end in .xz
    for source in (text, io.BytesIO(text), tmp_path / "genome.fa.gz", tmp_path / "genome.fa"):
        assert [one[1] for one in trawl.fasta(source)] == [one[1] for one in trawl.fasta(path)]


def sequences_of(text):
    """Return the sequences of a FASTA text as [name, sequence] following the rules in docs/approximate.md, or what is
    wrong."""
    found = []
    for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        line = line.removesuffix(b"\r")
        if line[:1] == b"@" or (line[:1] in (b">", b";") and b"\r" in line):
            return "begins with @" if line[:1] == b"@" else "carriage return"
        if line[:1] == b">":
            found.append([re.split(rb"[\0- ]", line[1:])[0].decode(), b""])
        elif line and line[:1] != b";":
            found = found or [["", b""]]
            found[-1][1] += line
    return found


def test_lines_of_fasta(tmp_path, rng):
    """Compare what the package and the command read in random lines of FASTA. Some lines have empty names,
    empty sequences, a byte order mark or FASTQ."""
    lines, path = [">", ">x", ">y d", "> z", "", "", "ACGT", "acgt", "A", ";c", ";"], tmp_path / "f.fa"
    for number in range(amount(300)):
        drawn = rng.choices(lines + ["@r", ">x\ry", ";\ra", "\r"] * (rng.random() < 0.2), k=rng.randint(0, 8))
        end = rng.choice(["\n", "\r\n"])
        text = (rng.choice(["", "\ufeff"]) + end.join(drawn) + rng.choice(["", end, "\r"])).encode()
        said = (text, expected := sequences_of(text))
        try:
            assert list(map(list, trawl.fasta(text))) == expected, said
        except ValueError as error:
            assert isinstance(expected, str) and expected in str(error), said
        path.write_bytes(text)
        found = (
            run("--fasta", "-h", *rng.choice([[], ["--chunk-bytes=1"]]), "A", str(path)) if number % 10 == 0 else None
        )
        if found is None or b"not installed" in found.stderr:
            continue
        if isinstance(expected, str):
            assert expected.encode() in found.stderr and found.returncode == 2, said
        else:
            hits = [
                f"{name}:{at}:+:0:A" for name, one in expected for at in range(len(one)) if one[at : at + 1] == b"A"
            ]
            assert found.stdout.decode().splitlines() == hits, said
