"""Tests plans with errors: each option and alphabet. (The C library's tests compare such plans with an oracle; here the
expected occurrences are those of docs/approximate.md, or are found by plain loops.)"""

import pickle

import pytest
import trawl

# A row: patterns, options of the plan, {text: expected occurrences}.
CASES = [
    (["needle", "eel"], {"mismatches": 1, "alphabet": "bytes"}, {
        "a nexdle feel": [(2, 8, 0, 1), (10, 13, 1, 0)],
        "NEEDLE\neelneedls": [(7, 10, 1, 0), (10, 16, 0, 1), (11, 14, 1, 1), (12, 15, 1, 1)],
        "": [], "ee": [],
    }),
    (["needle"], {"mismatches": 2, "alphabet": "bytes", "ignore_case": True, "within_lines": True, "exact": [(0, 2), (5, 6)]}, {
        "NEedLE nexxle xeedle": [(0, 6, 0, 0), (7, 13, 0, 2)],
        "nee\nle nEEDLE neXXlx": [(7, 13, 0, 0)],
    }),
    (["abc", "bca"], {"edits": 1, "alphabet": "bytes"}, {
        "xabcx abbc ac": [(1, 4, 0, 0), (2, 4, 1, 1), (6, 8, 0, 1), (8, 10, 1, 1), (11, 13, 0, 1)],
        "abca\nbc a": [(0, 3, 0, 0), (1, 4, 1, 0), (4, 7, 0, 1), (5, 7, 1, 1)],
        "b": [],
    }),
    (["abcd"], {"edits": 1, "alphabet": "bytes", "every_end": True, "within_lines": True, "ignore_case": True}, {
        "ABcd abd": [(0, 3, 0, 1), (0, 4, 0, 0), (0, 5, 0, 1), (5, 8, 0, 1)],
        "ab\ncd axbcd": [(7, 11, 0, 1)],
    }),
    (["caf\u00e9", "\u00e9t\u00e9"], {"mismatches": 1, "alphabet": "utf8"}, {
        "cafe, \u00e9t\u00c9, c\u4e2df\u00e9": [(0, 4, 0, 1), (6, 9, 1, 1), (11, 15, 0, 1)],
        "\U0001f600t\u00e9\n\u00e9t\u00e9": [(0, 3, 1, 1), (2, 5, 1, 1), (4, 7, 1, 0)],
        "\u00e9": [],
    }),
    (["na\u00efve"], {"edits": 2, "alphabet": "utf8", "exact": [(2, 3)]}, {
        "naive, n\u00efve na\u00ef\u00efve": [(7, 11, 0, 1), (12, 18, 0, 1)],
        "na\n\u00efv \u4e2da\u00efve": [(0, 5, 0, 2), (6, 11, 0, 1)],
        "\u00ef": [],
    }),
    (["GATTACA", "ACGT"], {"mismatches": 1, "alphabet": "dna", "reverse_complement": True}, {
        "GATTGCAttgtaatcacgg": [(0, 7, 0, 1, "+"), (8, 15, 0, 0, "-"), (15, 19, 1, 1, "+"), (15, 19, 1, 1, "-")],
        "acntNNNN": [(0, 4, 1, 1, "+"), (0, 4, 1, 1, "-")],
        "-ACG-": [(1, 5, 1, 1, "+"), (1, 5, 1, 1, "-")],
    }),
    (["GANTACR"], {"mismatches": 1, "alphabet": "dna", "reverse_complement": True, "any_base": True, "exact": [(0, 2), (5, 7)]}, {
        "gattacaNNTTACGytgtagtc": [(0, 7, 0, 0, "+"), (7, 14, 0, 0, "+"), (15, 22, 0, 0, "-")],
        "GANNNNN": [(0, 7, 0, 0, "+")],
    }),
    (["GATTACA"], {"edits": 1, "alphabet": "dna", "reverse_complement": True}, {
        "gatacaTGTAAATC": [(0, 6, 0, 1, "+"), (6, 14, 0, 1, "-")],
        "GATTACCA": [(0, 6, 0, 1, "+")],
        "": [],
    }),
    (["GATT"], {"edits": 1, "alphabet": "dna", "every_end": True, "any_base": True}, {
        "gantt-gat": [(0, 3, 0, 1, "+"), (0, 4, 0, 0, "+"), (1, 5, 0, 1, "+"), (6, 9, 0, 1, "+")],
        "GGATT": [(1, 4, 0, 1, "+"), (1, 5, 0, 0, "+")],
    }),
]  # fmt: skip


def cases():
    for patterns, options, texts in CASES:
        for text, expected in texts.items():
            yield patterns, options, text, expected


def made(patterns, options):
    """Return the plan and a function that encodes texts: characters as str, other symbols as bytes."""
    if options["alphabet"] == "utf8":
        return trawl.Plan(patterns, **options), lambda text: text
    return trawl.Plan([one.encode() for one in patterns], **options), str.encode


def test_occurrences():
    """Check the occurrences in a text. (test_calls.py compares all other calls with matches().)"""
    for patterns, options, text, expected in cases():
        plan, form = made(patterns, options)
        assert list(plan.matches(form(text))) == expected, (patterns, options, text)


def fields(found):
    """Return occurrences as dicts."""
    names = ("begin", "end", "pattern", "distance", "strand")
    return [dict(zip(names, one)) for one in found]


def test_frames():
    pyarrow = pytest.importorskip("pyarrow")
    polars, pandas, duckdb = map(pytest.importorskip, ("polars", "pandas", "duckdb"))
    import trawl.arrow
    import trawl.duckdb
    import trawl.pandas
    import trawl.polars

    for patterns, options, answers in CASES:
        plan, texts = made(patterns, options)[0], [*answers, None]
        expected = [*(fields(found) for found in answers.values()), None]
        assert pyarrow.array(plan.match_lists(pyarrow.array(texts))).to_pylist() == expected
        assert polars.Series(texts).trawl.matches(plan).to_list() == expected
        frame = polars.LazyFrame({"text": texts})
        asked = frame.select(polars.col("text").trawl.matches(plan))
        assert asked.collect().schema == asked.collect_schema()
        series = pandas.Series(texts).trawl.matches(plan)
        assert [None if one is pandas.NA else list(one) for one in series] == expected
        connection = duckdb.connect()
        trawl.duckdb.register(connection, "near", plan)
        connection.register("texts", pyarrow.table({"id": range(len(texts)), "text": texts}))
        rows = connection.sql("SELECT near_matches(text) FROM texts ORDER BY id").fetchall()
        assert [row[0] for row in rows] == expected
        text, whole = texts[0], expected[0]
        found = plan.matches(text, line_numbers=True)
        table = pyarrow.record_batch(found)
        assert table.drop_columns(["line"]).to_pylist() == whole
        assert table.column("line").to_pylist() == found.lines.tolist()
        assert polars.DataFrame(found).drop("line").to_dicts() == whole
        assert found.to_pandas().drop(columns="line").to_dict("records") == whole
        assert pandas.DataFrame(found).to_dict("records") == whole
        assert len(found.to_numpy()) == len(whole)


def test_results():
    plan = trawl.Plan(["GATTACA"], mismatches=1, alphabet="dna", reverse_complement=True)
    matches = plan.matches(b"GATTTCA\nTGTAATC")
    assert list(matches) == [(0, 7, 0, 1, "+"), (8, 15, 0, 0, "-")]
    assert matches.distances.tolist() == [1, 0] and matches.strands.tolist() == ["+", "-"]
    assert pickle.loads(pickle.dumps(matches)) == matches != plan.matches(b"GATTACA\nTGTAATC")
    assert list(plan.lines(b"GATTTCA\nTGTAATC")) == [(0, 0, b"GATTTCA", 1), (1, 8, b"TGTAATC", 0)]
    plain = trawl.Plan("GATTACA").matches(b"GATTACA")
    assert plain.distances is None and plain.strands is None and list(plain) == [(0, 7, 0)]
    near = trawl.Plan("GATTACA", edits=1).matches("GATACA")
    assert near.strands is None and list(near) == [(0, 6, 0, 1)]


def test_lines_that_span_batches():
    """Check that a line's distance is the smallest distance of all occurrences in the line, wherever chunks cut the
    text."""
    searcher = trawl.Searcher("cpu", 2, chunk_bytes=4096)
    plan = trawl.Plan("needle", mismatches=2)
    text = "nXXdle" + "." * 20000 + "needle" + "." * 9000 + "neXdle" + "\n" + "neXdle\n"
    expected = [(0, 0), (1, 1)]
    assert [(one[0], one[3]) for one in searcher.lines(plan, text)] == expected
    batches = searcher.line_batches(plan, text.encode())
    assert [(one[0], one[3]) for batch in batches for one in batch] == expected


def test_symbols():
    """Check that errors are counted in characters if the patterns are str, and in bytes if the patterns are bytes."""
    text = "caf\u00e9s"
    assert trawl.Plan("cafes", mismatches=1).alphabet == "utf8"
    assert list(trawl.Plan("cafes", mismatches=1).matches(text)) == [(0, 5, 0, 1)]
    assert trawl.Plan(b"cafes", mismatches=1).alphabet == "bytes"
    assert trawl.Plan(b"cafes", edits=1).count(text) == 0
    assert list(trawl.Plan(b"cafes", edits=1, alphabet="utf8").matches(text)) == [(0, 5, 0, 1)]
    assert trawl.Plan("cafes").alphabet == trawl.Plan("cafes", alphabet="utf8").alphabet == "bytes"


def test_exact_beyond_the_pattern():
    """Check that a range beyond every pattern is an error, and that a shorter pattern has the part that it can have."""
    for first, exact in (("CAGE", (4, 6)), ("CAGE", (2, 99)), ("\u00c4\u00c4GE", (3, 5)), (b"CAGE", (0, 5))):
        with pytest.raises(ValueError, match=f"exact: a range ends at {exact[1]}, but the longest pattern has 4 symb"):
            trawl.Plan([first, first[:3]], edits=1, exact=[(0, 1), exact])
    plan = trawl.Plan(["CAGE", "CAGEYS"], mismatches=1, exact=[(2, 6)])
    assert plan.count("CXGE CAGX CXGEYS CAGEYX") == 4


@pytest.mark.parametrize(
    "options, what",
    [
        ({"mismatches": 32}, "mismatches: 0 to 31, not 32"),
        ({"edits": -1}, "edits: 0 to 31, not -1"),
        ({"edits": 1, "alphabet": "letters"}, "alphabet: 'bytes', 'utf8' or 'dna', not 'letters'"),
        ({"edits": 1, "exact": [(2, 2)]}, r"exact: \(begin, end\) with begin < end"),
        ({"edits": 1, "exact": [(-1, 2)]}, r"exact: 0 to 18446744073709551615, not -1"),
        ({"edits": 1, "mismatches": 1}, "only one of them"),
        ({"edits": 4}, "too few for 4 edits"),
        ({"mismatches": 1, "every_end": True}, "only with edits"),
        ({"reverse_complement": True, "edits": 1}, "only with alphabet='dna'"),
        ({"alphabet": "dna"}, r"byte 3 \(0x45\) is no letter of DNA"),
        ({"edits": 1, "method": "every"}, "takes no method"),
    ],
)
def test_refused(options, what):
    with pytest.raises(ValueError, match=what):
        trawl.Plan("CAGE", **options)
