"""Plans with errors: every call against plain loops (approximate_by_hand), in every alphabet."""

import pickle

import pytest
import trawl
from approximate_by_hand import occurrences
from conftest import amount

LETTERS = {"bytes": "abcA\n", "utf8": "ab\u00e9\u00c9\u4e2dB\n\U0001f600", "dna": "ACGTacgtACGTNRY-"}


def cases(rng, count):
    """(patterns, options, text): of all alphabets and options, with copies of patterns in the texts."""
    for number in range(count):
        alphabet = ("bytes", "utf8", "dna")[number % 3]
        letters = LETTERS[alphabet]
        kind = ("mismatches", "edits")[number // 3 % 2]
        k = rng.choice((1, 1, 2, 3))
        options = {kind: k, "alphabet": alphabet}
        sound = letters[:4] * 2 + "RN" if alphabet == "dna" else letters
        patterns = [
            "".join(rng.choices(sound, k=rng.randint(k + 1, k + rng.choice((3, 3, 9, 24)))))
            for _ in range(rng.choice((1, 1, 2, 4)))
        ]
        if rng.random() < 0.4:
            options["exact"] = [(at, at + rng.randint(1, 3)) for at in rng.sample(range(9), 2)]
        if kind == "edits" and rng.random() < 0.4:
            options["every_end"] = True
        if alphabet == "dna":
            options["reverse_complement"] = rng.random() < 0.6
            options["any_base"] = rng.random() < 0.4
        else:
            options["within_lines"] = rng.random() < 0.3
            options["ignore_case"] = rng.random() < 0.3
        text = ""
        for _ in range(rng.randint(0, 5)):
            copy = list(rng.choice(patterns))
            for _ in range(rng.randint(0, k + 1)):
                at = rng.randrange(len(copy) + 1)
                copy[at : at + rng.randint(0, 1)] = rng.choices(letters, k=rng.randint(0, 1))
            text += "".join(copy) + "".join(rng.choices(letters, k=rng.randint(0, 6)))
        yield patterns, options, text


def made(patterns, options):
    """Return the plan and a function that encodes texts: characters as str, other symbols as bytes."""
    if options["alphabet"] == "utf8":
        return trawl.Plan(patterns, **options), lambda text: text
    return trawl.Plan([one.encode() for one in patterns], **options), str.encode


def test_all_shapes(rng):
    """All calls report distance and strand. (The suite had no plan with errors.)"""
    count, found = max(12, amount(240)), 0
    for patterns, options, text in cases(rng, count):
        plan, form = made(patterns, options)
        data, expected = form(text), occurrences(patterns, text, **options)
        found += len(expected)
        matches = plan.matches(data, line_numbers=True)
        assert list(matches) == expected, (patterns, options, text)
        assert matches.lines.tolist() == [text.count("\n", 0, one[0]) for one in expected]
        assert plan.count(data) == len(expected)
        assert plan.first(data) == (expected[0] if expected else None)
        assert plan.positions(data).tolist() == [one[0] for one in expected]
        assert [one for batch in plan.batches(data) for one in batch] == expected
        counts = [sum(one[2] == index for one in expected) for index in range(len(patterns))]
        assert plan.count_by_pattern(data).tolist() == counts
        least = {}
        for one in expected:
            line = text.count("\n", 0, one[0])
            least[line] = min(least.get(line, 99), one[3])
        lines = [(number, distance) for number, _, _, distance in plan.lines(data)]
        assert lines == sorted(least.items())
        assert plan.count_lines(data) == len(least)
        ends = sorted((end - 1, begin - end, index) for begin, end, index, *_ in expected)
        assert sorted(plan.iter(data)) == sorted((one[0], one[2]) for one in ends)
    assert found > count // 3


def spans(found):
    """The longest of those that begin first, of these the one with the least distance; and so on."""
    rest, end = [], 0
    for begin in sorted({one[0] for one in found}):
        if begin >= end:
            here = [one for one in found if one[0] == begin]
            rest.append(min(here, key=lambda one: (-one[1], one[3])))
            end = rest[-1][1]
    return rest


def test_spans_and_what_takes_their_place(rng):
    for patterns, options, text in cases(rng, amount(120)):
        plan, form = made(patterns, options)
        data, expected = form(text), spans(occurrences(patterns, text, **options))
        assert list(plan.matches(data, match="leftmost-longest")) == expected
        values = [f"<{index}>" for index in range(len(patterns))]
        rewritten, masked, at, parts = "", "", 0, []
        for begin, end, index, *_ in expected:
            rewritten += text[at:begin] + values[index]
            masked += text[at:begin] + "*" * (end - begin)
            parts.append(form(text[at:begin]))
            at = end
        parts.append(form(text[at:]))
        assert plan.replace(data, values) == form(rewritten + text[at:])
        assert plan.mask(data) == form(masked + text[at:])
        assert plan.split(data) == parts


def test_records(rng):
    """An occurrence within edits depends on what stands around it: each record is a text of its own.
    Records were searched where they lie, one after the other."""
    for patterns, options, text in cases(rng, amount(120)):
        plan, form = made(patterns, options)
        records = [text[at : at + size] for at, size in ((0, 9), (9, 30), (39, 0), (39, 500))]
        expected = [occurrences(patterns, record, **options) for record in records]
        column = [form(record) for record in records]
        column.insert(2, None)
        kinds = [sorted({one[2] for one in found}) for found in expected]
        kinds.insert(2, None)
        assert plan.pattern_lists(column).tolist() == kinds
        assert plan.contains(column).tolist() == [one if one is None else bool(one) for one in kinds]
        replaced = plan.replace(column, ["-"] * len(patterns))
        assert replaced == [one if one is None else plan.replace(one, "-") for one in column]


def fields(found):
    names = ("begin", "end", "pattern", "distance", "strand")
    return [dict(zip(names, one)) for one in found]


def test_frames(rng):
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("numpy")
    polars, pandas, duckdb = map(pytest.importorskip, ("polars", "pandas", "duckdb"))
    import trawl.arrow
    import trawl.duckdb
    import trawl.pandas
    import trawl.polars

    for patterns, options, text in cases(rng, amount(12)):
        options["alphabet"] = "dna" if options["alphabet"] == "dna" else "bytes"
        plan, texts = made(patterns, options)[0], [text[:20], None, text[20:], ""]
        patterns = [as_bytes(one) for one in patterns]
        expected = [one and occurrences(patterns, as_bytes(one), **options) for one in texts]
        expected = [None if one is None else fields(one or []) for one in expected]
        column = pyarrow.array(texts)
        assert trawl.arrow.matches(plan, column).to_pylist() == expected
        assert polars.Series(texts).trawl.matches(plan).to_list() == expected
        frame = polars.LazyFrame({"text": texts})
        asked = frame.select(polars.col("text").trawl.matches(plan))
        assert asked.collect().schema == asked.collect_schema()
        series = pandas.Series(texts).trawl.matches(plan)
        assert [None if one is None else list(one) for one in series] == expected
        connection = duckdb.connect()
        trawl.duckdb.register(connection, "near", plan)
        connection.register("texts", pyarrow.table({"id": [0, 1, 2, 3], "text": texts}))
        rows = connection.sql("SELECT near_matches(text) FROM texts ORDER BY id").fetchall()
        assert [row[0] for row in rows] == expected
        if text:
            found = trawl.Plan(list(plan), **options).matches(text.encode(), line_numbers=True)
            line = {"line": found.lines.tolist()}
            table = pyarrow.record_batch(found)
            whole = fields(occurrences(patterns, as_bytes(text), **options))
            assert table.drop_columns(["line"]).to_pylist() == whole
            assert table.column("line").to_pylist() == line["line"]
            assert polars.DataFrame(found).drop("line").to_dicts() == whole
            assert found.to_pandas().drop(columns="line").to_dict("records") == whole
            assert pandas.DataFrame(found).to_dict("records") == whole
            assert len(found.to_numpy()) == len(whole)


def as_bytes(text):
    return text.encode().decode("latin-1")


def test_results():
    plan = trawl.Plan(["GATTACA"], mismatches=1, alphabet="dna", reverse_complement=True)
    matches = plan.matches(b"GATTTCA\nTGTAATC")
    assert list(matches) == [(0, 7, 0, 1, "+"), (8, 15, 0, 0, "-")]
    assert matches.distances.tolist() == [1, 0] and matches.strands.tolist() == ["+", "-"]
    assert pickle.loads(pickle.dumps(matches)) == matches != plan.matches(b"GATTACA\nTGTAATC")
    assert "<th>strand</th>" in matches._repr_html_()
    assert list(plan.lines(b"GATTTCA\nTGTAATC")) == [(0, 0, b"GATTTCA", 1), (1, 8, b"TGTAATC", 0)]
    plain = trawl.Plan("GATTACA").matches(b"GATTACA")
    assert plain.distances is None and plain.strands is None and list(plain) == [(0, 7, 0)]
    near = trawl.Plan("GATTACA", edits=1).matches("GATACA")
    assert near.strands is None and list(near) == [(0, 6, 0, 1)]


def test_lines_that_span_batches():
    """A line's distance is the least of all occurrences in the line, wherever chunks cut the text."""
    searcher = trawl.Searcher("cpu", 2, chunk_bytes=4096)
    plan = trawl.Plan("needle", mismatches=2)
    text = "nXXdle" + "." * 20000 + "needle" + "." * 9000 + "neXdle" + "\n" + "neXdle\n"
    expected = [(0, 0), (1, 1)]
    assert [(one[0], one[3]) for one in searcher.lines(plan, text)] == expected
    batches = searcher.line_batches(plan, text.encode())
    assert [(one[0], one[3]) for batch in batches for one in batch] == expected


def test_symbols():
    """Errors are counted in characters of str, in bytes of bytes."""
    text = "caf\u00e9s"
    assert trawl.Plan("cafes", mismatches=1).alphabet == "utf8"
    assert list(trawl.Plan("cafes", mismatches=1).matches(text)) == [(0, 5, 0, 1)]
    assert trawl.Plan(b"cafes", mismatches=1).alphabet == "bytes"
    assert trawl.Plan([b"cafes", "cafes"], edits=1).alphabet == "bytes"
    assert trawl.Plan(b"cafes", edits=1).count(text) == 0
    assert list(trawl.Plan(b"cafes", edits=1, alphabet="utf8").matches(text)) == [(0, 5, 0, 1)]
    assert trawl.Plan("cafes").alphabet == trawl.Plan("cafes", alphabet="utf8").alphabet == "bytes"


def test_pickles(rng):
    for patterns, options, text in cases(rng, amount(60)):
        plan, form = made(patterns, options)
        data, expected = form(text), occurrences(patterns, text, **options)
        copy = pickle.loads(pickle.dumps(plan))
        assert list(copy.matches(data)) == expected and list(copy) == list(plan)
        for name in ("mismatches", "edits", "alphabet"):
            assert getattr(copy, name) == getattr(plan, name)


def test_stages():
    pyarrow = pytest.importorskip("pyarrow")
    from trawl.stages import Stage

    plan = trawl.Plan("needle", edits=1)
    batch = pyarrow.record_batch({"text": ["a neeedle", None, "nothing", "nedle"]})
    (kept,) = pickle.loads(pickle.dumps(Stage(plan, "text", "filter")))([batch])
    assert kept.column("text").to_pylist() == ["a neeedle", "nedle"]
    (cells,) = Stage(plan, "text", "cells")([batch])
    assert cells.to_pydict() == {"record": [0, 3], "pattern": [0, 0], "begin": [3, 0]}
    pytest.importorskip("numpy")
    plan = trawl.Plan(["GATTACA", "CCCC"], mismatches=1, alphabet="dna", reverse_complement=True)
    texts = ["aGATTACA", None, "", "TGTATTCCC", "a"]
    batch = pyarrow.record_batch({"text": texts, "id": [4, 5, 6, 7, 8]})
    stage = Stage(plan, "text", "matches", keep=["id"], engine="cpu", signed=True)
    found = list(stage([batch, batch.slice(3)]))
    assert [row for part in found for row in part.to_pylist()] == [
        {"id": key, "record": record, "begin": begin, "end": end, "pattern": pattern,
         "distance": distance, "strand": strand}
        for key, record, begin, end, pattern, distance, strand in [
            (4, 0, 1, 8, 0, 0, "+"), (7, 3, 0, 7, 0, 1, "-"), (7, 3, 5, 9, 1, 1, "+"),
            (7, 5, 0, 7, 0, 1, "-"), (7, 5, 5, 9, 1, 1, "+"),
        ]
    ]  # fmt: skip
    assert stage.counters["found"] == 3 and found[0].schema.field("distance").type == "int64"
    plain = Stage(trawl.Plan("an"), "text", "matches")
    (rows,) = plain([pyarrow.record_batch({"text": ["banana", None, "pear"]})])
    assert rows.to_pydict() == {"record": [0, 0], "begin": [1, 3], "end": [3, 5], "pattern": [0, 0]}
    assert plain.empty(pyarrow.schema({"text": pyarrow.string()}))[0].num_rows == 0


@pytest.mark.parametrize(
    "options, what",
    [
        ({"mismatches": 32}, "mismatches: 0 to 31, not 32"),
        ({"edits": -1}, "edits: 0 to 31, not -1"),
        ({"edits": 1, "alphabet": "letters"}, "alphabet: 'bytes', 'utf8' or 'dna', not 'letters'"),
        ({"edits": 1, "exact": [(2, 2)]}, r"exact: \(begin, end\) with 0 <= begin < end"),
        ({"edits": 1, "exact": [(-1, 2)]}, r"exact: \(begin, end\) with 0 <= begin < end"),
        ({"edits": 1, "mismatches": 1}, "mismatches_max and edits_max are both set"),
        ({"edits": 4}, "too few for 4 edits"),
        ({"mismatches": 1, "every_end": True}, "without edits_max"),
        ({"reverse_complement": True, "edits": 1}, "without alphabet DNA"),
        ({"alphabet": "dna"}, r"byte 3 \(0x45\) is no letter of DNA"),
        ({"edits": 1, "method": "every"}, "takes no method"),
    ],
)
def test_refused(options, what):
    with pytest.raises(ValueError, match=what):
        trawl.Plan("CAGE", **options)
