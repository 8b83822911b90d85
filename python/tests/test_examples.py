"""The worked examples, on small data with known answers."""

import json
import pathlib
import subprocess
import sys

import pytest

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


def decontaminated(tmp_path, questions, documents):
    """What the example prints: {number of the document: (runs, first question)}, and its messages."""
    (tmp_path / "questions").write_text("".join(f"{one}\n" for one in questions))
    path = tmp_path / "documents.jsonl"
    rows = [{"id": number, "text": text} for number, text in enumerate(documents)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines, result = run("decontaminate.py", tmp_path / "questions", path)
    fields = [line.split("\t") for line in lines]
    return {int(name): (int(runs), int(first)) for name, runs, first, _ in fields}, lines, result


def test_decontaminate(tmp_path):
    pytest.importorskip("pyarrow")
    words = [f"word{number}" for number in range(20)]
    documents = [
        "nothing here",
        "before\n" + "  ".join(words[3:16]).upper() + " after",
        " ".join(words[:14]),
        "x" + " ".join(words[:13]),
        None,
        "",
    ]
    _, lines, result = decontaminated(tmp_path, ["too short", " ".join(words)], documents)
    assert lines == ["1\t1\t1\t7", "2\t2\t1\t0,6"]
    assert "not searched: 0\n" in result.stderr and "2 of 6 documents" in result.stderr


def plain_words(text):
    """Letters, digits and _ that follow each other, without case, by a loop."""
    words, word = [], ""
    for character in text.casefold() + " ":
        if character.isalnum() or character == "_":
            word += character
        elif word:
            words.append(word)
            word = ""
    return words


def plain_runs(words):
    return [tuple(words[at : at + 13]) for at in range(len(words) - 12)]


def test_decontaminate_finds_every_copy(tmp_path, rng):
    """1,000 documents with a copy and 1,000 with almost one, against plain loops. (The suite had
    words of ASCII alone, blanks that all agree about, and no mark beside a run.)"""
    pytest.importorskip("pyarrow")
    letters = "abcxyz\u00e9\u00df\u0130\u03c3\u03a3\u0416\u01c5\u00b2\u4e2d"
    blanks = " \u00a0\u2003\t\x1c\u3000"
    vocabulary = ["".join(rng.choices(letters, k=rng.randint(2, 6))) for _ in range(3000)]
    questions = [" ".join(rng.choices(vocabulary, k=rng.randint(9, 20))) for _ in range(300)]
    long = [question.split() for question in questions if len(question.split()) >= 13]
    documents = []
    for number in range(2000):
        copy = list(rng.choice(long))
        if number % 2:  # no 13 words in a row are left
            for at in range(3, len(copy), 4):
                copy[at] += "q"
        copy = "".join(word + rng.choice(blanks) * rng.randint(1, 2) for word in copy).strip()
        copy = rng.choice([str, str.upper, str.casefold, str.title])(copy)
        before, after = (" ".join(rng.choices(vocabulary, k=5)) for _ in range(2))
        before += rng.choice([" ", ' "', "\n("])
        documents.append(before + copy + rng.choice([" ", '." ']) + after)
    first = {}
    for number, question in enumerate(questions):
        for one in plain_runs(plain_words(question)):
            first.setdefault(one, number)
    expected = {}
    for number, document in enumerate(documents):
        found = {one for one in plain_runs(plain_words(document)) if one in first}
        if found:
            expected[number] = (len(found), min(first[one] for one in found))
    found, _, result = decontaminated(tmp_path, questions, documents)
    assert found == expected
    assert set(range(0, 2000, 2)) <= set(found) and len(found) == 1000
    short = [str(number) for number, one in enumerate(questions) if len(plain_words(one)) < 13]
    assert f"not searched: {', '.join(short)}\n" in result.stderr
