"""Compares decontamination with plain loops over words."""

import concurrent.futures
import contextlib
import gzip
import importlib
import io
import itertools
import json
import lzma
import os
import pickle
import re
import subprocess
import sys
import unicodedata
import warnings

import pytest
import trawl
from conftest import amount
from trawl.decontaminate import Form, Overlap, Questions, decontaminate
from trawl.decontaminate._command import main

with contextlib.suppress(ImportError):
    import pyarrow.parquet

FORMS = [
    {"nfkc": nfkc, "ignore_case": case, "punctuation": punctuation, "spaces": spaces}
    for nfkc, case in itertools.product((True, False), repeat=2)
    for punctuation, spaces in itertools.product(("split", "delete", "keep"), ("fold", "delete", "keep"))
]
PIECES = [*"abcXYZ09_ \t\n.,;-'\"", "\u00a0", "\u2003", "\x1c", "\u3000", "\x85"]  # fmt: skip
PIECES += ["\u00e9", "e\u0301", "\u00df", "\u0130", "\u03c3", "\u03a3", "\u03c2", "J\u030c", "\u01f0"]
PIECES += ["\u00ad", "\u200b", "\ufb01", "\uff21", "\u00b4", "\u2019", "\u2014", "=\u0338", "\u0345"]
PIECES += ["\u0939\u093f", "\u1100\u1161", "\u4e2d", "\U0001f600", "\U00010400", "\u24b6", "\u00b2"]


def is_nothing(one):
    name = unicodedata.name(one, "")
    return (
        unicodedata.category(one) in ("Cf", "Me")
        or "VARIATION SELECTOR" in name
        or ("HANGUL" in name and "FILLER" in name)
        or one in "\u034f\u17b4\u17b5"
        or "\U00013430" <= one <= "\U0001343f"
    )


def is_quote(one):
    spread = unicodedata.normalize("NFKC", one)
    return (
        one in "\u02ee\u07f4\u07f5\ua78b\ua78c" or "\u02b9" <= one <= "\u02bf" or (len(spread) > 1 and spread[0] == " ")
    )


def plain(text, nfkc=True, ignore_case=True, punctuation="split", spaces="fold"):
    """Return the normal form of a text, made character by character."""
    text = "".join(one for one in text if not is_nothing(one))
    if punctuation != "keep":
        text = "".join("'" if is_quote(one) else one for one in text)
    if nfkc:
        text = unicodedata.normalize("NFKC", text)
    if ignore_case:
        text = text.casefold()
    if nfkc:
        text = unicodedata.normalize("NFKC", text)
    out = ""
    for one in text:
        kind = unicodedata.category(one)
        if one.isspace():
            out += {"fold": " ", "delete": "", "keep": one}[spaces]
        elif kind[0] in "LMN" or punctuation == "keep":
            out += one
        elif punctuation == "split":
            out += "" if spaces == "delete" else " "
    return " ".join(out.split()) if spaces == "fold" else out


def plain_ngrams(text, size):
    words = plain(text).split()
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


def test_form(rng):
    for number in range(amount(4000)):
        text = "".join(rng.choices(PIECES, k=rng.randint(0, 12)))
        if number % 2:
            text += chr(rng.choice([rng.randrange(0x3400), rng.randrange(0xE000, 0x20000)]))
        for form in FORMS[number % 6 :: 6]:
            assert Form(**form)(text).decode() == plain(text, **form), (text, form)


def forms_of(rng, text):
    """Return the text with different case, blanks and punctuation."""
    wide = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)})
    other = [str, str.upper, str.title, lambda one: unicodedata.normalize("NFD", one)]
    other += [lambda one: one.translate(wide)]
    return rng.choice(other)(text)


def test_finds_every_copy(rng):
    """Compare with plain loops over documents, half of which contain a copy of a question, the others a near copy."""
    letters = "abcxyz\u00e9\u00df\u03c3\u03a3\u0416\u01c5\u00b2\u4e2d\u01f0\u0939\u093f"
    blanks = " \u00a0\u2003\t\x1c\u3000"
    vocabulary = ["".join(rng.choices(letters, k=rng.randint(2, 6))) for _ in range(1000)]
    questions = [" ".join(rng.choices(vocabulary, k=rng.randint(9, 20))) for _ in range(100)]
    questions[7] = questions[8] = max(questions, key=lambda one: len(one.split()))
    long = [question.split() for question in questions if len(question.split()) >= 13]
    documents = []
    for number in range(400):
        copy = list(rng.choice(long))
        if number % 2:  # in half of the cases, the copy shares no 13 consecutive words with a question
            for at in range(3, len(copy), 4):
                copy[at] += "q"
        copy = "".join(word + rng.choice(blanks) * rng.randint(1, 2) for word in copy).strip()
        before, after = (" ".join(rng.choices(vocabulary, k=5)) for _ in range(2))
        before += rng.choice([" ", ' "', "\n(", "\u201c"])
        documents.append(before + forms_of(rng, copy) + rng.choice([" ", '." ', "\u2026"]) + after)
    documents[1] = None
    of_questions = [plain_ngrams(question, 13) for question in questions]
    expected = {}
    for number, document in enumerate(documents):
        own = plain_ngrams(document or "", 13)
        for question, ngrams in enumerate(of_questions):
            if own & ngrams:
                expected[number, question] = (len(own & ngrams), len(ngrams))
    short = [number for number, one in enumerate(questions) if len(plain(one).split()) < 13]
    with pytest.warns(UserWarning, match=f"{len(short)} of 100 .* not searched: {short[0]}, "):
        made = Questions(questions)
    assert made.short == made.unsearched == short
    found = list(made.overlaps(documents))
    assert {(one.document, one.question): (one.found, one.total) for one in found} == expected
    assert [one[:2] for one in found] == sorted(expected)
    assert {one.document for one in found} == set(range(0, 400, 2))
    for one in found:
        assert tuple(one.ngram.split()) in of_questions[one.question]
    half = Questions(questions, short="ignore", least=0.5).overlaps(documents)
    assert list(half) == [one for one in found if one.found / one.total >= 0.5]


def each(words, change, glue=" "):
    return glue.join(map(change, words))


def spread(rng, words, glues):
    return "".join(word + rng.choice(glues) for word in words)


def broken(rng, word):
    """Return the word on two lines, cut at a hyphen or between letters."""
    if "-" in word:
        return word.replace("-", "-\n")
    at = rng.randint(1, len(word) - 1)
    if not (word[at - 1] + word[at]).isalpha():
        return word
    return word[:at] + rng.choice(["-\n", "-\r\n  ", "\u00ad\n", "\u2010 \n", "\u2011\n\n"]) + word[at:]


MARKUP = ["_%s_", "*%s*", "**%s**", "__%s__", "~~%s~~", "`%s`", "<b>%s</b>", "<em class='x y'>%s</em>",
          "<p id=a lang=\"a b\">%s</p>", "[%s](http://a.b/c_d?e=f)", "![%s](x \"y z\")",
          "\\textbf{%s}", "## %s", "> %s", "|%s|", "%s&nbsp;&mdash;", "%s<br/>", "==%s=="]  # fmt: skip
LIGATURES = {"ffi": "\ufb03", "ffl": "\ufb04", "ff": "\ufb00", "fi": "\ufb01", "fl": "\ufb02", "st": "\ufb06"}
LABELS = ["%d. ", "(%d) ", "%d) ", "[%d] ", "%d: ", "1.%d ", "2.%d.3. ", "> %d. ", "- ", "\u2022 ", "(b) ", "C. ", "iv) ",
          "\u2461 ", "3\ufe0f\u20e3 ", "\t%d.\t"]  # fmt: skip
# {kind of disguise: function of (rng, words) that returns the text in disguise}
DISGUISES = {
    "markup": lambda rng, words: each(words, lambda one: rng.choice(MARKUP) % one),
    "dashes": lambda rng, words: spread(rng, words, [*"-\u2010\u2011\u2013\u2014\u2212\ufe63~_/", " \u2014 ", " -- "]),
    "quotes": lambda rng, words: each(
        words,
        lambda one: rng.choice(["\u201c%s\u201d", "'%s'", '"%s"', "\u00ab%s\u00bb", "\u201e%s\u201f", "\u300c%s\u300d"])
        % one.replace("'", rng.choice("'\u2019\u02bc\u00b4`\u2032\uff07\u2018\u1fbd")),
    ),
    "NFKC": lambda rng, words: each(
        words,
        lambda one: rng.choice([
            one.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)}),
            one.translate({code: code - 97 + 0x1D41A for code in range(97, 123)}),
            unicodedata.normalize("NFD", one),
        ]),
        rng.choice(["\u3000", "\u2007", "\u2026 ", " \u00b7 "]),
    ),
    "ligatures": lambda rng, words: re.sub("|".join(LIGATURES), lambda one: LIGATURES[one[0]], " ".join(words)),
    "line ends": lambda rng, words: spread(
        rng, [broken(rng, word) if rng.random() < 0.3 else word for word in words], [" ", "\n", "\r\n", "\u2028", "\n\n"]
    ),
    "list numbers": lambda rng, words: "".join(
        (rng.choice(["\n", "\r\n", "\n\n  "]) + rng.choice(LABELS).replace("%d", str(rng.randint(1, 120)))) * (not at % 4)
        + word + " " for at, word in enumerate(words)
    ),
    "tabs": lambda rng, words: spread(rng, words, ["\t", "\v", "\f", "\u00a0", "\u2003", "\u202f", "\u3000", " \t "]),
    "zero width": lambda rng, words: each(
        " ".join(words), lambda one: one + rng.choice(["", "", *"\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\u034f"]), ""
    ),
    "case": lambda rng, words: each(words, lambda one: rng.choice([one.upper(), one.title(), one.swapcase()])),
}  # fmt: skip


def test_disguises(rng):
    """Check that 1,000 copies in ten kinds of disguise are found, and that 1,000 disguised texts which share only 12
    consecutive words with a question are not."""
    pieces = ["ffi", "fi", "st", "fl", "a", "b", "e\u0301", "\u00fc", "\u0436", "k", "on", "\u00df", "re", "0", "ff"]
    vocabulary = ["".join(rng.choices(pieces, k=rng.randint(3, 6))) for _ in range(2000)]
    vocabulary = [unicodedata.normalize("NFC", word) for word in vocabulary]
    vocabulary += [one + rng.choice("-'") + other for one, other in zip(vocabulary, vocabulary[200:400])]
    questions = [rng.choices(vocabulary, k=15) for _ in range(200)]
    copies, clean = [], []
    for number in range(1000):
        disguise = list(DISGUISES.values())[number % 10]
        copy = questions[number % 200]
        before, after = (" ".join(rng.choices(vocabulary, k=4)) for _ in range(2))
        copies.append(f"{before} {disguise(rng, copy)}\n{after}")
        changed = [word + "q" * (at % 6 == 5) for at, word in enumerate(copy)]
        clean.append(f"{before} {disguise(rng, changed)}\n{after}")
    made = Questions(" ".join(question) for question in questions)
    found = {one.document: one for one in made.overlaps(copies)}
    missed = [copies[number] for number in range(1000) if number not in found]
    assert not missed, missed[:3]
    assert all(one.ratio == 1 and one.question == number % 200 for number, one in found.items())
    assert list(made.overlaps(clean)) == []


def test_characters(rng):
    for _ in range(amount(60)):
        form = rng.choice(FORMS)
        size = rng.randint(1, 5)
        texts = ["".join(rng.choices(PIECES[:8] + PIECES[17:24], k=rng.randint(0, 12))) for _ in range(60)]
        normal = [plain(text, **form) for text in texts]
        parts = [{one[at : at + size] for at in range(len(one) - size + 1)} for one in normal]
        if not any(parts[:20]):
            continue
        expected = [
            (document, question, sum(one in normal[20 + document] for one in parts[question]))
            for document in range(40)
            for question in range(20)
            if parts[question] & parts[20 + document]
        ]
        found = trawl.decontaminate(texts[:20], texts[20:], characters=size, short="ignore", **form)
        assert [one[:3] for one in found] == expected


def test_two_readings(rng):
    """Check the overlaps of questions that are lists. Such a question is read with and without the items' numbers, and
    the reading that the document contains more of is reported."""
    for _ in range(amount(200)):
        items = [rng.choices("abc", k=rng.randint(1, 3)) for _ in range(rng.randint(2, 4))]
        text = "\n".join(f"{i}. {' '.join(item)}" for i, item in enumerate(items, 1))
        both = [word for i, item in enumerate(items, 1) for word in (str(i), *item)], list(itertools.chain(*items))
        readings = [dict.fromkeys(f"{one} {next}" for one, next in itertools.pairwise(words)) for words in both]
        document = " ".join(rng.choices("abc123x", k=rng.randint(0, 25)))
        pairs = [document[at : at + 3] for at in range(0, len(document) - 2, 2)]
        best = None
        for reading in filter(None, readings):
            held = [pair for pair in pairs if pair in reading]
            if held and (best is None or len(set(held)) / len(reading) > best[0] / best[1]):
                best = len(set(held)), len(reading), held[0]
        expected = [] if best is None else [Overlap(0, 0, *best)]
        assert list(decontaminate([text], [document], words=2)) == expected, (text, document)


def test_short_questions():
    questions = ["a b c", "A,  b", "", "?!"]
    with pytest.warns(UserWarning, match="2 of 4 questions .* not searched: 2, 3"):
        made = Questions(questions, words=3, short="whole")
    assert (made.short, made.unsearched, made.totals) == ([1, 2, 3], [2, 3], [1, 1, 0, 0])
    found = pickle.loads(pickle.dumps(made)).overlaps(["x a B y", "xa b", None])
    assert list(found) == [Overlap(0, 1, 1, 1, "a b")]
    whole = {"words": 2, "least": 1.0}  # document 1 reaches the minimum ratio, document 0 does not
    found = list(decontaminate(["one two three"], ["one two", "one two three"], **whole))
    assert [(one.document, one.ratio) for one in found] == [(1, 1.0)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Questions(questions, words=3, short="ignore").unsearched == [1, 2, 3]


@pytest.mark.parametrize(
    "wrong",
    [{"words": 0}, {"characters": 0}, {"words": 2, "characters": 2}, {"short": "drop"},
     {"punctuation": "none"}, {"spaces": "none"}, {"spaces": "delete"}, {"words": 9}],
)  # fmt: skip
def test_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong)) if wrong != {"words": 9} else "none of"):
        Questions(["a b c"], **{"words": None, **wrong})


def test_wrong_types():
    for wrong in ([5], [b"a b"], "a b", b"a b"):
        with pytest.raises(TypeError, match="questions: .* is needed, not"):
            Questions(wrong, words=2)
        with pytest.raises(TypeError, match="documents: .* is needed, not"):
            list(trawl.decontaminate(["a b c"], wrong, words=2))


def test_columns():
    """Check columns and nulls, in all forms that searches of records take."""
    questions, documents = ["x", None, "a b c"], [None, "z a  b y", "none"]
    forms = [list, tuple, iter]
    for name, form in (("pyarrow", "array"), ("pyarrow", "chunked_array"), ("polars", "Series"), ("pandas", "Series")):
        with contextlib.suppress(ImportError):
            made = getattr(importlib.import_module(name), form)
            forms.append(lambda texts, made=made, chunks=form == "chunked_array": made([texts] if chunks else texts))
    for form in forms:
        found = trawl.decontaminate(form(questions), form(documents), words=2, short="ignore")
        assert list(found) == [Overlap(1, 2, 1, 2, "a b")], form


def test_names():
    """Check that trawl.decontaminate has both classes. No function may hide a class of the same name."""
    assert trawl.decontaminate.Questions is Questions and trawl.decontaminate.Form is Form


TEXTS = ["x a  B, c y", None, "b c d", "nothing", "A b C d"]
OVERLAPS = [(0, 0, 1, 2, "a b c"), (2, 0, 1, 2, "b c d"), (4, 0, 2, 2, "a b c")]


def test_stage():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"id": [10, 11, 12, 13, 14], "text": TEXTS})
    made = Questions(["a b c d"], words=3)
    assert list(made.overlaps(table["text"])) == OVERLAPS
    for kind in ("overlaps", "clean", "contains"):
        stage = pickle.loads(pickle.dumps(made.stage("text", kind, keep=["id"])))
        rows = [row for batch in stage(table.to_batches(2)) for row in batch.to_pylist()]
        assert stage.counters["found"] == 3 and stage.counters["records"] == 5
        if kind == "overlaps":
            found = [tuple(row.values()) for row in rows]
            assert found == [(10 + one[0], *one[:4], one[2] / 2, one[4]) for one in OVERLAPS]
        elif kind == "clean":
            assert [row["id"] for row in rows] == [11, 13]
        else:
            assert [row["contains"] for row in rows] == [True, None, True, False, True]
    numbers = pyarrow.record_batch({"text": [1, 2]})
    stage = made.stage("text", errors="apart")
    assert list(stage.take(numbers)) == [] and stage.counters["bad"] == 2
    assert stage.empty(numbers.schema)[0].num_rows == 0


def command(folder, *arguments, own=False):
    """Run the command in this process, or in a separate process (own). Return status, output and messages."""
    arguments = [*map(str, arguments)]
    if own:
        made = subprocess.run(
            [sys.executable, "-m", "trawl.decontaminate", *arguments],
            capture_output=True, text=True, cwd=folder,
        )  # fmt: skip
        return made.returncode, made.stdout, made.stderr
    said, here = io.StringIO(), os.getcwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stderr(said):
            status = main(arguments)
    except SystemExit as end:
        status = end.code
    finally:
        os.chdir(here)
    return status, "", said.getvalue()


def test_command(tmp_path):
    """Check that the command works with two processes, and what it prints. (test_command_lines compares what it writes.)"""
    pytest.importorskip("pyarrow")
    (tmp_path / "questions.txt").write_bytes(b"\xef\xbb\xbfa b c d\r\nb c\n")
    lines = [json.dumps({"id": f"n{i}", "text": text}) for i, text in enumerate(TEXTS)]
    lines.insert(1, '{"text": "\\ud800"}')
    (tmp_path / "one.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    names = ("file", "document", "id", "question", "found", "total", "ratio", "ngram")
    expected = [
        dict(zip(names, ("one.jsonl.gz", at + (at > 0), f"n{at}", 0, found, 2, found / 2, ngram)))
        for at, _, found, _, ngram in OVERLAPS
    ]
    status, out, messages = command(tmp_path, "--workers", 2, "--words", 3, "questions.txt", "one.jsonl.gz", own=True)
    assert [json.loads(line) for line in out.splitlines()] == expected and status == 1
    assert "1 of 2 questions have too few words and are not searched: 1\n" in messages
    assert "one.jsonl.gz: document 1: UnicodeEncodeError" in messages
    assert "3 of 6 documents hold parts of 1 of 2 questions (1 too short" in messages
    (tmp_path / "same.jsonl").write_text('{"text": "a b c d"}')  # the output replaces the file that was read
    assert command(tmp_path, "--words=3", "--output=same.jsonl", "questions.txt", "same.jsonl")[0] == 0
    assert json.loads((tmp_path / "same.jsonl").read_text())["total"] == 2


FLAGS = {
    "--case": {"ignore_case": False}, "--no-nfkc": {"nfkc": False}, "--no-markup": {"markup": False},
    "--short=whole": {"short": "whole"}, "--least=0.6": {"least": 0.6}, "--punctuation=delete": {"punctuation": "delete"},
    "--punctuation=keep": {"punctuation": "keep"}, "--spaces=delete": {"spaces": "delete"}, "--spaces=keep": {"spaces": "keep"},
}  # fmt: skip
BAD = [b"{broken", b"", b"[1]", b'{"other": "a b c"}', b'{"%s": 5}', b'{"%s": "\\ud800"}', b'{"%s": "\xff"}']


def written(rng, path, column, ident, texts):
    """Write documents to a JSON lines or Parquet file; some of them are bad. Return for each (is bad, text, id, the line
    or row)."""
    ids = [rng.choice([None, f"n{i}", i]) for i in range(len(texts))]
    if path.suffix == ".parquet":
        bad = rng.random() < 0.1
        ids = [None if one is None else str(one) for one in ids] if rng.random() < 0.7 else None
        columns = {"more": list(range(len(texts))), column: list(map(len, texts)) if bad else texts}
        columns |= {} if ids is None else {ident: pyarrow.array(ids, "string")}
        table = pyarrow.table(columns) if bad else pyarrow.table(columns | {column: pyarrow.array(texts, "string")})
        pyarrow.parquet.write_table(table, path)
        return list(zip([bad] * len(texts), texts, ids or [None] * len(texts), table.to_pylist()))
    made = []
    for text, number in zip(texts, ids):
        line = json.dumps({column: text} | ({} if number is None else {ident: number})).encode()
        is_bad = rng.random() < 0.1
        made.append((is_bad, text, number, rng.choice(BAD).replace(b"%s", column.encode()) if is_bad else line))
    content = b"\xef\xbb\xbf" * (rng.random() < 0.3) + b"\n".join(line for *_, line in made)
    content += b"\n" * (made != [] and (rng.random() < 0.7 or made[-1][3] == b""))
    path.write_bytes(PACKERS[path.suffix].compress(content) if path.suffix in PACKERS else content)
    return made


def rows_in(path):
    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path).to_pylist()
    content = path.read_bytes()
    return (PACKERS[path.suffix].decompress(content) if path.suffix in PACKERS else content).split(b"\n")[:-1]


PACKERS = {".gz": gzip, ".xz": lzma}


def test_command_lines(tmp_path, rng, monkeypatch):
    """Check that random command lines, over files that are read in several pieces, write the rows of decontaminate()."""
    pytest.importorskip("pyarrow.parquet")
    made_by = importlib.import_module("trawl.decontaminate._command")
    monkeypatch.setattr("trawl.stages.PART_BYTES", 50)
    monkeypatch.setattr(made_by, "_ROWS", 2)
    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", concurrent.futures.ThreadPoolExecutor)
    pieces = ["a", "b", "c", "a", "b", "c", "A", "c.", "\uff41", "b-", "<b>c</b>", "d  e"]
    for round in range(amount(100)):
        (folder := tmp_path / str(round)).mkdir()

        def some(count):
            return [" ".join(rng.choices(pieces, k=rng.randint(0, 8))) for _ in range(count)]

        # if an option is given twice, the last value counts
        flags = [one for one in rng.sample(list(FLAGS), len(FLAGS)) if rng.random() < 0.2]
        size = rng.choice(["characters", "words"])
        flags = [one for one in flags if size == "characters" or not one.startswith("--spaces")]
        api = {size: 3} | {key: value for one in flags for key, value in FLAGS[one].items()}
        column, ident, asked = rng.choice(["text", "body"]), rng.choice(["id", "key"]), rng.choice(["text", "q"])
        questions = ["a b c", *some(rng.randint(0, 6))]
        about = folder / rng.choice(["q.txt", "q.jsonl", "q.parquet", "q.jsonl.gz", "q.jsonl.xz"])
        if about.suffix == ".parquet":
            pyarrow.parquet.write_table(pyarrow.table({asked: questions}), about)
        else:
            lines = questions if about.suffix == ".txt" else [json.dumps({asked: one}) for one in questions]
            content = "".join(line + rng.choice(["\n", "\r\n"]) for line in lines).encode()
            about.write_bytes(PACKERS[about.suffix].compress(content) if about.suffix in PACKERS else content)
        names = [f"{i}{rng.choice(['.jsonl', '.jsonl.gz', '.jsonl.xz', '.parquet'])}" for i in range(rng.randint(1, 3))]
        files = {}
        for name in names:
            texts = [None if rng.random() < 0.1 else one for one in some(rng.randint(0, 9))]
            files[name] = written(
                rng, folder / name, column, ident, ["" if one is None and name.endswith("t") else one for one in texts]
            )
        output = rng.choice(["rows.jsonl", "rows.parquet", "rows.jsonl.gz", "rows.jsonl.xz"])
        clean = ["--clean=clean"] if rng.random() < 0.5 else []
        given = [
            f"--{size}=3", f"--column={column}", f"--id={ident}", f"--question-column={asked}", f"--output={output}",
        ]  # fmt: skip
        given += [*flags, *clean, f"--workers={rng.randint(1, 3)}"]
        status, _, messages = command(folder, *given, about.name, *names)
        rows, total = [], {"held": 0, "bad": 0}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = Questions(questions, **api)
        for name, documents in files.items():
            found = list(made.overlaps([None if is_bad else text for is_bad, text, *_ in documents]))
            held = {one.document for one in found}
            for one in found:
                number = documents[one.document][2]
                number = str(number) if output.endswith("t") and number is not None else number
                rows.append(dict(zip(made_by.COLUMNS, (name, one[0], number, *one[1:4], one.ratio, one[4]))))
            bad = [i for i, (is_bad, *_) in enumerate(documents) if is_bad]
            assert re.findall(rf"{name}: document (\d+): ", messages) == list(map(str, bad))
            total["held"] += len(held)
            total["bad"] += len(bad)
            if clean:
                left = [one[3] for i, one in enumerate(documents) if i not in held and i not in bad]
                assert rows_in(folder / "clean" / name) == left
        written_rows = rows_in(folder / output)
        assert (written_rows if output.endswith("t") else list(map(json.loads, written_rows))) == rows, given
        assert status == (total["bad"] > 0)
        assert messages.endswith(
            f"{total['held']} of {sum(map(len, files.values()))} documents hold parts of {len({one['question'] for one in rows})} of "
            f"{len(questions)} questions ({len(made.unsearched)} too short to be searched); {total['bad']} documents could not be searched\n"
        )


def test_command_refuses(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "q").write_text("a b\n")
    (tmp_path / "bad").write_bytes(b"a b\n\xff\n")
    (tmp_path / "d.jsonl").write_text('{"text": "a b"}\n')
    parquet.write_table(pyarrow.table({"other": ["a"]}), tmp_path / "no.parquet")
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "no.parquet").read_bytes()[:90])
    (tmp_path / "cut.jsonl.gz").write_bytes(b"\x1f\x8b\x08bad")
    (tmp_path / "cut.jsonl.xz").write_bytes(lzma.compress(b"text" * 9)[:40])
    for wrong, message in (
        (("q", "d.jsonl"), "none of 1 has 13 words"),
        (("q", "none.jsonl", "--words=2"), "none.jsonl"),
        (("bad", "d.jsonl", "--words=2"), "bad: question 1: "),
        (("d.jsonl", "d.jsonl", "--question-column=x"), "d.jsonl: question 0: KeyError"),
        (("q", "no.parquet", "--words=2"), "no.parquet: there is no column text"),
        (("q", "cut.jsonl.xz", "--words=2"), "cut.jsonl.xz: "),
        (("q", "cut.jsonl.gz", "--words=2"), "cut.jsonl.gz: "),
        (("q", "cut.parquet", "--words=2"), "cut.parquet: "),
        (("q", "d.jsonl", "--words=2", "--workers=0"), "--workers: 1 or more"),
        (("q", "d.jsonl", "--words=2", "--clean=."), "written over itself"),
        (("q", "d.jsonl", "./d.jsonl", "--words=2", "--clean=x"), "the same name"),
    ):
        status, _, messages = command(tmp_path, *wrong)
        assert status == 2 and message in messages, (wrong, messages)
    assert (tmp_path / "d.jsonl").read_text() == '{"text": "a b"}\n'
    assert command(tmp_path, "q", "d.jsonl", "--words=2")[0] == 0
