"""Compares the searches of records by polars, pandas, duckdb, datasets and pyarrow's functions with plain loops over
each record."""

import re

import pytest
import trawl

pyarrow = pytest.importorskip("pyarrow")
numpy = pytest.importorskip("numpy")
from conftest import amount, naive, parts, spans  # noqa: E402
from trawl import stages  # noqa: E402
from trawl.arrow import NAMES  # noqa: E402

PATTERNS = [b"ab", b"b", b"a b", b"ba\n", b"\xc3\xa9"]
WORDS = [pattern.decode() for pattern in PATTERNS]


def column_of(rng, rows):
    letters = ["a", "b", "b", " ", "\n", "\u00e9"]
    return [None if rng.random() < 0.15 else "".join(rng.choices(letters, k=rng.randint(0, 9))) for _ in range(rows)]


def plain(texts, **options):
    """Return {search: expected result} for PATTERNS, from naive()."""
    return answers_of(texts, [None if text is None else naive(WORDS if isinstance(text, str) else PATTERNS, text, **options)
                              for text in texts])  # fmt: skip


def answers_of(texts, rows, kinds=None, chosen=None):
    """Return {search: expected result}. rows: the occurrences in each text. kinds: for each text, the patterns that
    occur in the text as a record. chosen: the occurrences that do not overlap."""
    chosen = chosen or [None if row is None else spans(row) for row in rows]
    kinds = kinds or [None if row is None else sorted({one[2] for one in row}) for row in rows]
    on_kinds = {"contains": bool, "which": lambda kind: kind[0] if kind else None,
                "pattern_counts": len, "pattern_lists": list}  # fmt: skip
    answers = {name: [None if kind is None else of(kind) for kind in kinds] for name, of in on_kinds.items()}
    answers["count"] = [None if row is None else len(row) for row in rows]
    answers["matches"] = [None if row is None else [dict(zip(("begin", "end", "pattern"), one))
                                                    for one in row] for row in rows]  # fmt: skip
    answers["find_first"] = [row[0] if row else None for row in answers["matches"]]
    answers["split"] = [None if row is None else parts(text, row) for text, row in zip(texts, chosen)]
    answers["mask"] = [None if row is None else stars(text, row) for text, row in zip(texts, chosen)]
    assert set(answers) == set(NAMES)
    return answers


def stars(text, found):
    star = "*" if isinstance(text, str) else b"*"
    for begin, end, *_ in found:
        text = text[:begin] + star * (end - begin) + text[end:]
    return text


@pytest.fixture(params=["strings", "expressions"])
def questions(request, rng):
    """Return a function of a number of rows that yields (plan, texts, expected). For expressions, `re` finds the expected
    answers. In searches for patterns that occur in a record, the record counts as a line."""

    def ask(rows):
        if request.param == "strings":
            texts = column_of(rng, rows)
            yield trawl.Plan(PATTERNS), texts, plain(texts)
            return
        from test_regex import apart, cases, flags_of, occurrences

        for options, expressions, *_ in cases(rng, amount(24)):
            letters = rng.choice(["aabbAB\u00e91 .", "aabbAB\u00e91 .\n"])
            texts = [None if rng.random() < 0.15 else "".join(rng.choices(letters, k=rng.randint(0, 24)))
                     for _ in range(min(rows, 40))]  # fmt: skip
            found = [None if text is None else occurrences(expressions, text, options) for text in texts]
            ends = [re.sub(r"\$$", r"\\Z", one) for one in expressions]
            flags = flags_of(options)
            kinds = [None if text is None else [index for index, one in enumerate(ends) if re.search(one, text, flags)]
                     for text in texts]  # fmt: skip
            chosen = [None if text is None else apart(expressions, text, options, True) for text in texts]
            yield trawl.Plan(expressions, **{"regex": True, **options}), texts, answers_of(texts, found, kinds, chosen)

    return ask


def test_columns_of_arrow():
    plan = trawl.Plan(PATTERNS)
    # Columns may contain bytes that are not UTF-8, but not numbers.
    for kind in (pyarrow.binary(), pyarrow.binary_view()):
        column = pyarrow.array([b"\xffb", None], kind)
        assert trawl.Plan("b").match_counts(column).tolist() == [1, None]
    fixed = pyarrow.array([b"a"], pyarrow.binary(1))
    for column, kind in ((pyarrow.array([1]), "numbers"), (pyarrow.array([["a"]]), "nested values"),
                         (fixed, "binary values of a fixed size"), (pyarrow.array([True]), "booleans")):  # fmt: skip
        with pytest.raises(TypeError, match=f"not {kind}.* \\(Arrow's format"):
            plan.match_counts(column)


def test_patterns_instead_of_a_plan():
    """Check that a function for columns that takes a plan also accepts patterns in any form that Plan accepts."""
    from trawl.arrow import Searches

    class Now(Searches):
        def _run(self, name, search, kind):
            return [str(one) for one in search(pyarrow.array(["banana", "pear", None]))]

    plan = trawl.Plan(["an", "ea"])
    for given in (["an", "ea"], (b"an", b"ea"), {"an": 1, "ea": 2}, iter(["an", "ea"]), pyarrow.array(["an", "ea"])):
        assert Now().which(given) == Now().which(plan)
    for name in (*NAMES, "replace"):
        more = ("x",) if name == "replace" else ()
        assert getattr(Now(), name)("an", *more) == getattr(Now(), name)(trawl.Plan("an"), *more), name
    table = pyarrow.table({"text": ["banana", "pear"]})
    assert stages.Stage("an", "text", "filter").reader(table).read_all().to_pydict() == {"text": ["banana"]}
    with pytest.raises(TypeError):
        Now().contains(None)


def test_functions_of_arrow(questions):
    dataset = pytest.importorskip("pyarrow.dataset")
    for number, (plan, texts, expected) in enumerate(questions(200)):
        function = f"test_{plan.regex}_{number}"
        trawl.arrow.register(function, plan)
        column = pyarrow.chunked_array([texts[:15], texts[15:]], pyarrow.string())
        table = pyarrow.table({"text": column})
        for name in NAMES:
            found = pyarrow.compute.call_function(f"{function}_{name}", [column]).to_pylist()
            assert found == expected[name], (plan, texts, name)
        has = pyarrow.compute.Expression._call(f"{function}_contains", [pyarrow.compute.field("text")])
        rows = dataset.dataset(table).to_table(filter=has)["text"].to_pylist()
        assert rows == [text for text, one in zip(texts, expected["contains"]) if one]


PLANS = [{}, {"mismatches": 1}, {"edits": 1}, {"alphabet": "dna"},
         {"alphabet": "dna", "reverse_complement": True, "edits": 1}, {"regex": True}]  # fmt: skip


@pytest.mark.parametrize("options", PLANS)
def test_fields_of_occurrences(options):
    """Check that a search's type has all fields of the plan's occurrences."""
    plan, column = trawl.Plan(["GAT", "TTA"], **options), pyarrow.array(["GATTACA ATC", None, "", "GAGTT"])
    for value in (True, False):
        found = pyarrow.array(plan.match_lists(column, value=value))
        assert found.type == pyarrow.large_list(trawl.arrow.kind_of_match(plan, value))
    name = f"fields_{PLANS.index(options)}"
    trawl.arrow.register(name, plan)
    first = pyarrow.array([one[0] if one else None for one in found.to_pylist()], found.type.value_type)
    for call, expected in (("matches", found), ("find_first", first)):
        assert pyarrow.compute.call_function(f"{name}_{call}", [column]).equals(expected)


def test_polars(questions):
    polars = pytest.importorskip("polars")
    pytest.importorskip("trawl.polars")
    for plan, texts, expected in questions(300):
        frame = polars.DataFrame(
            {"text": texts, "key": [at % 3 for at in range(len(texts))]}, schema_overrides={"text": polars.String}
        )
        chunks = frame["text"][:7].append(frame["text"][7:])
        for name in NAMES:
            asked = getattr(polars.col("text").trawl, name)(plan).alias("new")
            assert frame.select(asked)["new"].to_list() == expected[name], (plan, texts, name)
            for column, answer in ((chunks, expected[name]), (frame["text"][3:], expected[name][3:])):
                assert getattr(column.trawl, name)(plan).to_list() == answer
            lazy = frame.lazy().with_columns(asked)
            for engine in ("in-memory", "streaming"):
                made = lazy.collect(engine=engine)
                assert made.schema == lazy.collect_schema() and made["new"].to_list() == expected[name]
        empty = frame.clear().select(polars.col("text").trawl.matches(plan))
        assert empty.schema == frame.select(polars.col("text").trawl.matches(plan)).schema
        held = frame.filter(polars.col("text").trawl.contains(plan), polars.col("key") == 1)
        assert held["text"].to_list() == [
            text for at, text in enumerate(texts) if at % 3 == 1 and expected["contains"][at]
        ]


def test_pandas(questions):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("trawl.pandas")
    kinds = [None, object, "category", pandas.ArrowDtype(pyarrow.large_string())]
    for plan, texts, expected in questions(100):
        index = range(500, 500 + len(texts))
        for kind in kinds:
            series = pandas.Series(texts, index, dtype=kind, name="text")
            if kind is object:
                series = series.where(series.notna(), float("nan"))
            for name in NAMES:
                found = getattr(series.trawl, name)(plan)
                assert list(found.index) == list(index) and found.name == "text"
                values = [None if pandas.api.types.is_scalar(one) and pandas.isna(one) else one for one in found]
                if name in ("pattern_lists", "matches", "split"):
                    values = [None if one is None else list(one) for one in values]
                assert values == expected[name], (kind, name, plan, texts)
            kept = series[series.trawl.contains(plan)]
            assert list(kept.index) == [at for at, one in zip(index, expected["contains"]) if one]


def test_duckdb(questions):
    duckdb = pytest.importorskip("duckdb")
    register = pytest.importorskip("trawl.duckdb").register
    for number, (plan, texts, expected) in enumerate(questions(3000)):
        connection = duckdb.connect()
        register(connection, "some", plan)
        table = pyarrow.table({"id": list(range(len(texts))), "text": pyarrow.array(texts, pyarrow.string())})
        connection.register("texts", table)
        for name in NAMES:
            rows = connection.sql(f"SELECT some_{name}(text) FROM texts ORDER BY id").fetchall()
            assert [row[0] for row in rows] == expected[name], name
        if number == amount(4):
            break


def test_groups(rng):
    """Check groups() and group_lists() in polars, pandas and duckdb, also against what polars and pandas extract. If a text's
    first match is empty, trawl takes the next match."""
    polars, pandas, duckdb = map(pytest.importorskip, ("polars", "pandas", "duckdb"))
    for name in ("polars", "pandas", "duckdb"):
        pytest.importorskip(f"trawl.{name}")
    from test_regex import cases_of_groups, flags_of, struct_of

    connection = duckdb.connect()
    for options, expressions, lines, found in cases_of_groups(rng, amount(90)):
        plan, texts = trawl.Plan(expressions, regex=True, **options), [*lines, None]
        trawl.duckdb.register(connection, "some", plan)
        if not plan.group_names:
            with pytest.raises(duckdb.Error, match="some_groups"):
                connection.sql("SELECT some_groups('a')")
            continue
        lists = [*[[struct_of(plan, one) for _, one in row] for row in found], None]
        nothing = dict.fromkeys(plan.group_names)
        firsts = [row[0] if row else nothing for row in lists[:-1]]
        series = polars.Series("t", texts, polars.String)
        assert series.trawl.groups(plan).to_list() == [*firsts, None]
        assert series.trawl.group_lists(plan).to_list() == lists
        lazy = series.to_frame().lazy().select(polars.col("t").trawl.groups(plan))
        assert lazy.collect().schema == lazy.collect_schema() and lazy.collect()["t"].to_list() == [*firsts, None]
        frame = pandas.Series(texts, range(5, 5 + len(texts))).trawl.groups(plan)
        assert list(frame.columns) == list(plan.group_names) and list(frame.index) == list(range(5, 5 + len(texts)))
        mine = [
            {name: None if pandas.isna(one) else one for name, one in row.items()} for row in frame.to_dict("records")
        ]
        assert mine == [*firsts, nothing]
        listed = pandas.Series(texts).trawl.group_lists(plan)
        assert [None if one is pandas.NA else list(one) for one in listed] == lists
        connection.register(
            "texts", pyarrow.table({"id": range(len(texts)), "text": pyarrow.array(texts, pyarrow.string())})
        )
        rows = connection.sql("SELECT some_groups(text), some_group_lists(text) FROM texts ORDER BY id").fetchall()
        assert rows == list(zip([*firsts, None], lists)), (expressions, texts)
        if len(expressions) == 1:
            same = [at for at, line in enumerate(lines) if re.search(expressions[0], line, flags_of(options)) is None or
                    re.search(expressions[0], line, flags_of(options))[0]]  # fmt: skip
            theirs = pandas.Series(lines).str.extract(expressions[0], flags_of(options))
            assert [[None if pandas.isna(one) else one for one in theirs.iloc[at]] for at in same] == [
                list(firsts[at].values()) for at in same]  # fmt: skip
            theirs = series.str.extract_groups(expressions[0]).to_list() if "unicode" in options else firsts
            assert [theirs[at] for at in same] == [firsts[at] for at in same], (expressions, lines)


def test_arrays_of_numpy():
    """Check that arrays of strings are columns: of objects, of strings of the same size, and of the strings of numpy 2."""
    texts, plan = ["a pear", "", "peach"], trawl.Plan(["pea", "ear"])
    for kind in (object, str, *([numpy.dtypes.StringDType()] if hasattr(numpy.dtypes, "StringDType") else [])):
        column = numpy.array(texts, kind)
        assert list(plan.replace(column, ["P", "E"])) == ["a Pr", "", "Pch"] and list(plan.contains(column)) == [
            True,
            False,
            True,
        ]
    assert plan.split(numpy.array(["x", None, "peax"], object)) == [["x"], None, ["", "x"]]


def test_replace(rng):
    """Compare the results with Plan.replace, which other tests compare with a loop."""
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("trawl.polars")
    pytest.importorskip("trawl.pandas")
    texts, plan, values = ["a pear", None, "peach"], trawl.Plan(["pea", "ear"]), ["P", "E"]
    expected = ["a Pr", None, "Pch"]
    assert polars.Series(texts).trawl.replace(plan, values).to_list() == expected
    frame = polars.LazyFrame({"text": texts})
    asked = frame.select(polars.col("text").trawl.replace(plan, values))
    assert asked.collect().rows() == [(one,) for one in expected]
    assert asked.collect().schema == asked.collect_schema()
    found = pandas.Series(texts, [4, 5, 6]).trawl.replace(plan, values)
    assert found[[4, 6]].to_dict() == {4: "a Pr", 6: "Pch"} and found.isna().tolist() == [0, 1, 0]
    for series in polars.Series(["pears"]), pandas.Series(["pears"]):
        assert list(series.trawl.replace(trawl.Plan(["pe", "pear"]), ["E", "P"], match="leftmost-first")) == ["Ears"]


def test_datasets(rng):
    """Check the call on a dataset that docs/python.md shows."""
    datasets = pytest.importorskip("datasets")
    texts = column_of(rng, 100)
    expected, plan = plain(texts), trawl.Plan(PATTERNS)
    rows = datasets.Dataset.from_dict({"text": texts}).with_format("arrow")
    marked = rows.map(
        lambda table: table.append_column("bad", pyarrow.array(plan.contains(table["text"]))),
        batched=True, load_from_cache_file=False,
    )  # fmt: skip
    assert marked.with_format(None)["bad"][:] == expected["contains"]
