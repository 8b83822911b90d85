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


def test_lines_of_fastq(tmp_path, rng):
    """Compare what the package and the command read in random lines of FASTQ, and where each finds a mistake."""
    lines, path = ["@x", "@y d", "", "ACGT", "AC", "+", "+x", "IIII", "@I", "II"], tmp_path / "r.fq"
    for number in range(amount(300)):
        drawn = []
        for _ in range(rng.randint(0, 4)):
            sequence = rng.choice(["ACGT", "AC", "A", ""])
            drawn += [rng.choice(["@x", "@y d"]), sequence, "+", "".join(rng.choices("I@+", k=len(sequence)))]
        for _ in range(rng.choice([0, 0, 1, 2]) if drawn else 0):
            drawn[rng.randrange(len(drawn))] = rng.choice([*lines, "+\rx", ">x"])
        end = rng.choice(["\n", "\r\n"])
        text = (rng.choice(["", "\ufeff"]) + end.join(drawn) + rng.choice(["", end, end])).encode()
        found, fault = [], ""
        try:
            for batch in trawl.fastq(text, records=rng.choice([1, 2, 100])):
                assert [*batch] == ["name", "sequence", "quality"]
                found += zip(*batch.values())
        except ValueError as error:
            fault = re.search(r"record \d+, line \d+", str(error))[0]
        assert all(len(sequence) == len(quality) for _, sequence, quality in found), text
        if number % 5:
            continue
        path.write_bytes(text)
        said = run("--fastq", "-h", "A", str(path))
        if b"not installed" in said.stderr:
            continue
        expected = [
            f"{name}:{match.start()}:+:0:A" for name, sequence, _ in found for match in re.finditer(b"A", sequence)
        ]
        assert said.stdout.decode().splitlines() == expected, text
        assert fault.encode() in said.stderr and (said.returncode == 2) == bool(fault), (text, said.stderr)


def test_fastq(tmp_path):
    """Reads are columns for polars and pyarrow, and come before an error."""
    text = b"@a b\nACGU\n+\nIIII\n\n@c\nAC\nNN\n+\n@+\nII\n"
    (batch,) = trawl.fastq(text)
    assert batch == {"name": ["a", "c"], "sequence": [b"ACGU", b"ACNN"], "quality": [b"IIII", b"@+II"]}
    plan = trawl.Plan("CG?T", regex=True, alphabet="dna")
    assert [list(plan.matches(one)) for one in batch["sequence"]] == [[(1, 4, 0)], []]
    any_base = trawl.Plan("C[^T]", regex=True, alphabet="dna", any_base=True)
    assert list(any_base.matches(b"CNcuca")) == [(1, 3, 0), (4, 6, 0)]  # N may be C, and T
    with pytest.raises(trawl.ArgumentError, match="no reverse complement"):
        trawl.Plan("A+", regex=True, alphabet="dna", reverse_complement=True)
    many = b"".join(b"@r%d\nACGT\n+\nIIII\n" % at for at in range(20000))
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(many)[:-20000])
    names = []
    with pytest.raises(EOFError):
        for part in trawl.fastq(path, records=1000):
            names += part["name"]
    assert len(names) > 1000 and names == [f"r{at}" for at in range(len(names))]
    with pytest.raises(ValueError, match="compressed data"):
        list(trawl.fastq(gzip.compress(text)))
    with pytest.raises(ValueError, match="a path is"):
        list(trawl.fastq("reads.fq"))
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    assert polars.DataFrame(batch).columns == pyarrow.table(batch).column_names == ["name", "sequence", "quality"]


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
