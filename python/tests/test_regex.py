"""Compares regular expressions with Python's `re`, which searches each line alone."""

import io
import itertools
import pathlib
import pickle
import re
import sys

import pytest
import trawl
from arrow_by_hand import Column
from conftest import SCALE, amount, parts, rewritten

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tests"))
from expressions import GREEDY, Dialect, alternatives, lines_of  # noqa: E402

SHAPES = [{}, {"ignore_case": True}, {"regex": "extended"}, {"unicode": True}]


def flags_of(options):
    """Return the flags with which `re` means what a plan means."""
    return (0 if options.get("unicode") else re.ASCII) | (re.I if options.get("ignore_case") else 0)


def is_once(part):
    """Return True for a part that may match the empty string: `re` and RE2 differ if it is repeated."""
    try:
        return part.startswith(("(?=", "(?!", "(?<", "(?#")) or re.fullmatch(part, "") is not None
    except re.error:
        return True


PARTS = [".", "[ab]", "[^a]", r"\w", r"\d", r"\s", "[a-c1]", r"\."]
SYNTAX = Dialect(PARTS, ["("], GREEDY[:5], is_once, letters=["a", "b", "ab", "ba", "\u00e9", "1", " "], often=25)
# what opens a group in PCRE2's syntax and in that of `re`
OPENS = SYNTAX._replace(groups=["(", "(?:", "(?=", "(?!", "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?i:", "(?#"])


def draw(rng, options):
    """Return an expression and its sample. In Perl's syntax, it may have anchors and lazy repetitions."""
    text, sample = alternatives(rng, SYNTAX, 2)
    if "regex" in options:
        return re.sub(r"\\[wds]", "[b1]", text), sample
    text = re.sub(r"([*+?}])(?=[ab])", lambda found: found[1] + rng.choice(["", "?"]), text)
    before, after = rng.choice(["", "", "^", r"\b"]), rng.choice(["", "", "$", r"\b"])
    return f"{before}(?:{text}){after}" if before or after else text, sample


def draw_lines(rng, letters, samples, counts):
    """Return lines without capitals beyond ASCII: re.ASCII ignores the case of ASCII's letters alone."""
    return [line.replace("\u00c9", "\u00e9") for line in lines_of(rng, letters, samples, 12, counts)]


def by_re(text, line, options, at=0):
    """Yield the nonempty matches in a line from `at` on: at each begin the match of the first alternative in Perl's
    syntax, otherwise the longest match."""
    compiled = re.compile(text, flags_of(options))
    while at < len(line) and (found := compiled.search(line, at)):
        if "regex" in options:
            ends = range(len(line), found.start() - 1, -1)
            found = next(one for end in ends if (one := compiled.fullmatch(line, found.start(), end)))
        if found.end() > found.start():
            yield found
        at = found.end() + (found.end() == found.start())


def occurrences(expressions, text, options):
    """Return the occurrences in a text as (begin, end, expression), from `re` line by line."""
    found, at = [], 0
    for line in text.split("\n"):
        found += sorted(((at + one.start(), at + one.end(), index) for index, given in enumerate(expressions)
                         for one in by_re(given, line, options)), key=lambda one: one[::2])  # fmt: skip
        at += len(line) + 1
    return found


def apart(expressions, text, options, longest):
    """Return occurrences that do not overlap: after each end, all expressions continue. Without `longest`, an expression
    that is empty at a place hides those after it."""
    found, base = [], 0
    for line in text.split("\n"):
        at = 0
        while firsts := [(one.start(), -one.end() if longest else 0, index, one.end()) for index, given in enumerate(expressions)
                         if (one := next(by_re(given, line, options, at), None))]:  # fmt: skip
            begin, _, index, at = min(firsts)
            if not longest and any(
                re.compile(one, flags_of(options)).match(line, begin) for one in expressions[:index]
            ):
                at = begin + 1
                continue
            found.append((base + begin, base + at, index))
        base += len(line) + 1
    return found


def cases(rng, count):
    """Yield (options, expressions, lines, occurrences in the joined lines)."""
    for number in range(count):
        options = SHAPES[number % len(SHAPES)]
        expressions, samples = map(list, zip(*(draw(rng, options) for _ in range(rng.choice([1, 1, 2, 12])))))
        lines = draw_lines(rng, "aabbAB\u00e91 .", samples, range(1, 7))
        yield options, expressions, lines, occurrences(expressions, "\n".join(lines), options)


def test_groups_of_pcre2(rng):
    for _ in range(amount(900)):
        options = {"unicode": rng.random() < 0.5, "ignore_case": rng.random() < 0.3}
        made, sample = alternatives(rng, OPENS, 2)
        letters = "aabbAB\u00e91 " + "".join(set(made) & set("=!<>:-#'P])?"))
        text = "\n".join(draw_lines(rng, letters, [sample], [6]))
        if re.search(r"\(\?#[^)]*\\\)", made):  # where this comment ends, `re` and PCRE2 disagree
            continue
        try:
            expected = occurrences([made], text, options)
        except re.error:  # such as a look-behind of any length
            continue
        assert list(trawl.Plan(made, regex=True, pcre=True, **options).matches(text)) == expected, (made, options, text)


def test_searches(rng):
    for options, expressions, lines, expected in cases(rng, amount(600)):
        plan, text = trawl.Plan(expressions, **{"regex": True, **options}), "\n".join(lines)
        said = (expressions, options, text)
        assert list(plan.matches(text)) == expected, said
        assert plan.count(text) == len(expected) and plan.first(text) == (expected or [None])[0], said
        assert plan.positions(text).tolist() == [one[0] for one in expected], said
        assert [one for batch in plan.batches(text) for one in batch] == expected
        with trawl.Searcher("cpu", 2, chunk_bytes=16) as searcher:
            assert list(searcher.matches(plan, text.encode(), line_numbers=True).lines) == [
                text.count("\n", 0, one[0]) for one in expected]  # fmt: skip
        for match in ("leftmost-longest", "leftmost-first"):
            chosen = apart(expressions, text, options, match == "leftmost-longest")
            assert [one for batch in plan.batches(text, match=match) for one in batch] == chosen, said
            assert list(plan.matches(text, match=match)) == plan.find_all(text, match=match) == chosen, said
            counts = [sum(text.count("\n", 0, one[0]) == i for one in chosen) for i in range(len(lines))]
            assert plan.match_counts(lines, match=match).tolist() == counts, said
            masks = ["*" * (end - begin) for begin, end, _ in chosen]
            masked = rewritten(text, [(*one[:2], i) for i, one in enumerate(chosen)], masks)
            assert plan.mask(text, match=match) == "\n".join(plan.mask(lines, match=match)) == masked, said
            replaced = "".join(part + (f"<{text[one[0]:one[1]]}$>" if one else "") for part, one in
                               zip(parts(text, chosen), [*chosen, None]))  # fmt: skip
            assert plan.replace(text, "<$0$$>", match=match) == replaced, said
            assert plan.split(text, match=match) == parts(text, chosen), said


def test_records(rng):
    """Check searches of records, in which each record counts as a line. If all matches in a record are empty, the first
    of them counts."""
    for options, expressions, lines, _ in cases(rng, amount(300)):
        expressions += rng.sample(
            ["^$", "$", "x*", "(a|)$", "^|b", r"\ba*" if not options else "a*"], rng.randint(0, 2)
        )
        lines += [""] * rng.randint(0, 2)
        rng.shuffle(lines)
        plan = pickle.loads(pickle.dumps(trawl.Plan(expressions, **{"regex": True, **options})))
        found = [[next(by_re(text, line, options), None) or re.search(text, line, flags_of(options))
                  for text in expressions] for line in lines]  # fmt: skip
        lists = [[index for index, one in enumerate(row) if one] for row in found]
        assert plan.pattern_lists([*lines, None]).tolist() == [*lists, None], (expressions, options, lines)
        assert plan.which(lines).tolist() == [row[0] if row else None for row in lists]
        assert plan.contains(lines).tolist() == list(map(bool, lists))
        cells = [(at, index, found[at][index].start()) for at, line in enumerate(lines) for index in lists[at]]
        assert list(plan.cells(lines)) == cells
        assert plan.replace(lines, "") == [plan.replace(line, "") for line in lines]


FEW_IN_COLUMNS = r"(=)\s\w", "(é|ab)1"  # which are tried in short runs, too


@pytest.mark.parametrize("expression", [r"(\w+)=(\d)?", "(a)*", "^b(.)", *FEW_IN_COLUMNS])
def test_occurrences_in_long_columns(rng, expression):
    """A long column is searched piece by piece, and some pieces record by record: the first half of this column also has
    line ends, and the last quarter only ASCII."""
    if SCALE < 20 and expression not in FEW_IN_COLUMNS:
        pytest.skip("in long runs")
    plan, column = trawl.Plan(expression, regex=True), [None, ""]
    for part in ("aab=1 é\n", "aab=1 é", "aab=1 "):
        column += ["".join(rng.choices(part, k=rng.randint(0, 60))) for _ in range(12000)]
    column[100 : len(column) : 1000] = itertools.repeat(None, len(range(100, len(column), 1000)))
    found, firsts, counts, replaced = [], [], [], []
    for text in column:
        at, first, count, lines = 0, None, 0, []
        for line in (text or "").split("\n"):
            spans = [match for match in re.finditer(expression, line, re.ASCII) if match[0]]
            first = first or (spans and (at, spans[0]))
            at += len(line) + 1
            count += len(spans)
            lines.append(re.sub(expression, lambda match: match[0] and f"<{match[0]}>", line, flags=re.ASCII))
        found.append(text if text is None else re.search(expression, text, re.ASCII) is not None)
        firsts.append(first or None)
        counts.append(text if text is None else count)
        replaced.append(text if text is None else "\n".join(lines))
    assert plan.contains(column).tolist() == found
    assert plan.match_counts(column).tolist() == counts
    assert plan.replace(column, "<$0>") == replaced
    assert plan.match_lists(column, first=True).tolist() == [
        first and {"begin": first[0] + first[1].start(), "end": first[0] + first[1].end(), "pattern": 0}
        for first in firsts
    ]
    names = plan.group_names
    assert plan.groups(column).tolist() == [
        None if text is None else dict(zip(names, first[1].groups() if first else [None] * len(names)))
        for text, first in zip(column, firsts)
    ]


def test_fewer_records_than_before():
    """Search a column with fewer records than the previous one, with the same searcher. Records found in the longer
    column must not be looked up in the shorter one."""

    class Padded(Column):
        @staticmethod
        def offsets(values, kind):
            ends, tape = Column.offsets(values, kind)
            return [ends + bytes(8 << 12), tape]

    plan = trawl.Plan(["b+", *"acdefghijkl"], regex=True)
    with trawl.Searcher("cpu", 1) as searcher:
        for _ in range(2):
            assert searcher.which(plan, ["xb"] * 4000).tolist() == [0] * 4000
            assert searcher.which(plan, Padded([b"x", b"xb", b"c", b""], "Z")).tolist() == [None, 0, 2, None]


@pytest.mark.parametrize("given, value, text, expected", [
    (r"(\w+)@(?P<host>\w+)", "${host} $1", "\u00e9 me@home, you@work", "\u00e9 home me, work you"),
    (["a(b)?", "c"], ["[$1]", "$$1"], "ab a\nc", "[b] []\n$1"),
    (r"^(.*)$", "${1}1", "one\ntwo\n", "one1\ntwo1\n"),
    (r"(.)(.)", b"$2$1", b"\xff\x00ab", b"\x00\xffba"),
    ("a", "$", "banana", "b$n$n$"), ("a", b"$$", b"ban", b"b$n"),
])  # fmt: skip
def test_groups(given, value, text, expected):
    """Check that $1 and ${name} in a value mean the groups of the replaced occurrence."""
    given = [given.encode("latin-1")] if isinstance(text, bytes) else given
    plan = trawl.Plan(given, regex=True)
    assert plan.replace(text, value) == expected
    if isinstance(text, str):
        assert plan.replace([text, None, text * 2], value) == [expected, None, plan.replace(text * 2, value)]


def test_columns_of_groups():
    """A group is null where the occurrence's expression lacks the group, or the group took no part."""
    plan = trawl.Plan(["(?P<x>a)(b)?", "(?P<y>\u00e9)(d)"], regex=True)
    row = [{"x": "a", "2": "b", "y": None}, {"x": None, "2": "d", "y": "\u00e9"}, {"x": "a", "2": None, "y": None}]
    assert plan.groups("ab \u00e9d a").tolist() == row
    texts = Column(["ab \u00e9d a".encode(), b"n"], "u", keys=[0, 1, None, 0])
    for given in (texts, ["ab \u00e9d a", "n", None, "ab \u00e9d a"]):
        assert plan.group_lists(given).tolist() == [row, [], None, row]
        assert plan.groups(given).tolist() == [row[0], dict.fromkeys(row[0]), None, row[0]]


@pytest.mark.parametrize("given, options, kind, message, place", [
    (["a", "\u00e9(b"], {}, trawl.ArgumentError, r"missing \): .*'\u00e9\(b', at byte 2", (1, 2)),
    (r"(a)\1", {}, trawl.ArgumentError, "backreference", (0, 3)),
    ("a{1000}{1000}", {}, ValueError, "repetition", (0, 1)),
    (r"\d", {"regex": "extended"}, trawl.ArgumentError, r"\\\\d", (0, 0)),
    (["a", r"\pL{60000}" * 6], {}, trawl.LimitError, r"more than 65536 KiB.*: '\\\\pL\{60000\}", (1, None)),
    ("a", {"edits": 1}, trawl.ArgumentError, "errors", (None, None)),
    ("a", {"regex": "basic", "unicode": True}, ValueError, "unicode, pcre: only with regex=True", None),
    (b"a", {"unicode": True}, ValueError, "unicode: only with the alphabet 'utf8'", None),
    ("a", {"unicode": True, "whole_words": "ascii"}, ValueError, "without 'ascii'", None),
    ("a", {"unicode": 2}, ValueError, "unicode: False or True, not 2", None),
    ("a", {"regex": "pcre"}, ValueError, "regex: 'perl', 'extended', 'basic', True or False, not 'pcre'", None),
])  # fmt: skip
def test_refused(given, options, kind, message, place):
    with pytest.raises(kind, match=message) as caught:
        trawl.Plan(given, **{"regex": True, **options})
    assert place is None or (caught.value.pattern_index, caught.value.text_offset) == place


def test_edges_of_words_as_ripgrep():
    """With unicode=True, \\b knew the words of Python's re, in which a mark is no letter, although \\w found marks."""
    for expression, found in ((r"\boo", []), (r"\w+\b", [(0, 6, 0), (7, 8, 0)]), (r"\Bo\b", [(5, 6, 0)])):
        assert trawl.Plan(expression, regex=True, unicode=True).find_all("be\u0301ooo b") == found
    assert trawl.Plan("o", regex=True, unicode=True, whole_words=True).find_all("e\u0301o o") == [(4, 5, 0)]


def test_pcre():
    """Check expressions that only PCRE2 supports."""
    try:
        plan = trawl.Plan(r"(?<=\b)(\w)(?P<more>\1)?(?!\1)", regex=True, pcre=True, unicode=True)
        found = plan.find_all("a \u00e9\u00e9")
    except trawl.UnsupportedError as error:
        pytest.skip(str(error))
    assert found == [(0, 1, 0), (2, 4, 0)] and "pcre=True" in repr(plan)
    assert [one.groups() for one in plan.finditer("a \u00e9\u00e9")] == [("a", None), ("\u00e9", "\u00e9")]
    assert plan.groups(["bb", None]).tolist() == [{"1": "b", "more": "b"}, None]
    with pytest.raises(trawl.ArgumentError, match="look-around"):
        trawl.Plan("(?<=a)b", regex=True)


LETTERS = [None, "ascii", True]


def test_pcre2_finds_what_re2_finds(rng):
    """Compare expressions with the same ones behind (?>), so that PCRE2 decides, for all meanings of case and words."""
    parts = "a k s \u00c9 \u00e9 _ - 1 . x \u017f \u212a \u00b2 \u203f (?i:\u00c9) [a\u00e9]".split()
    parts += r"\w \W \b \B [k-m] [^k] [^s] (?i:k) (?-i:s) \x{e9} [\w-] [x!]".split()
    compared = 0
    for _ in range(amount(600)):
        made = "".join(rng.choice(parts) for _ in range(rng.randint(1, 4)))
        made += rng.choice(["", "", "*", "+", "?", "|" + rng.choice(parts)])
        case, words = rng.choice(LETTERS), rng.choice(LETTERS)
        if "ascii" in (case, words):
            case, words = case and "ascii", words and "ascii"
        options = {"regex": True, "pcre": True, "ignore_case": case or False, "whole_words": words or False}
        text = "\n".join(
            "".join(rng.choices("aAkKsS\u00c9\u00e9\u212a\u017fxX-_1 \u00b2\u0301\u203f", k=rng.randint(0, 12)))
            for _ in range(5)
        )
        try:
            expected = list(trawl.Plan(made, **options).matches(text))
            found = list(trawl.Plan(f"(?>)(?:{made})", **options).matches(text))
        except trawl.ArgumentError:  # such as \b*
            continue
        except trawl.UnsupportedError as error:
            assert "ascii" in (case, words) and "ASCII letters alone" in str(error), (made, options, error)
            continue
        assert found == expected, (made, options, text)
        compared += 1
    assert compared > amount(600) // 4
    for given, wanted in (
        ("(?>X)", [0, 1]), ("(?>\u00c9)", None), ("(?i)(?>k)", None), (r"(?>.)(x)\1", None), (r"(?=\w)[!-~]", None),
    ):  # fmt: skip
        try:
            assert [
                one[0] for one in trawl.Plan(given, regex=True, pcre=True, ignore_case="ascii").matches("xX")
            ] == wanted
        except trawl.UnsupportedError:
            assert wanted is None, given


def test_refused_values():
    for value in ("$2", "$name", "$1a", "${100}"):
        with pytest.raises(ValueError, match="values: expression 0 has no group"):
            trawl.Plan("(a)", regex=True).replace("a", value)
    assert trawl.Plan("(a)").replace("(a)", "$1") == "$1"  # a string has no groups
    many = trawl.Plan("(.)" * 101, regex=True)
    assert many.replace("a" * 98 + "bcd", "${99}") == "b"
    for value in ("${100}", "${101}"):
        with pytest.raises(ValueError, match="values: expression 0 has no group"):
            many.replace("a" * 101, value)


def test_frames():
    pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    import trawl.polars

    plan, texts = trawl.Plan(["^b", r"n(\w)"], regex=True), ["banana", None, "a\nb", "nb\n\nba"]
    series = polars.Series(texts).trawl
    assert series.count(plan).to_list() == [3, None, 1, 2]
    found = series.matches(plan).to_list()
    assert [one and [tuple(match.values()) for match in one] for one in found] == [
        [(0, 1, 0), (2, 4, 1), (4, 6, 1)], None, [(2, 3, 0)], [(0, 2, 1), (4, 5, 0)]]  # fmt: skip
    assert series.replace(plan, ["", "$1"]).to_list() == ["aaa", None, "a\n", "b\n\na"]
    assert polars.LazyFrame({"t": texts}).select(polars.col("t").trawl.which(plan)).collect()["t"].to_list() == [
        0, None, None, 1]  # fmt: skip
    with pytest.raises(ValueError, match="not be UTF-8"):
        polars.Series(["a"]).trawl.replace(trawl.Plan(b"(a)", regex=True), "$1")


def cases_of_groups(rng, count):
    """Yield (options, expressions, lines, for each line the matches of `re`). About half of the groups have a name; two
    expressions may share a name."""
    for number in range(count):
        options = [shape for shape in SHAPES if "regex" not in shape][number % 3]
        expressions, samples = [], []
        for _ in range(rng.choice([1, 1, 1, 2])):
            names = map("n{}".format, itertools.count())
            text, sample = draw(rng, options)
            text = text if rng.random() < 0.5 else f"({text})?(a|.b)"
            samples += [sample, sample + "a"]
            expressions.append(
                re.sub(r"\((?!\?)", lambda _: f"(?P<{next(names)}>" if rng.random() < 0.5 else "(", text)
            )
        lines = draw_lines(rng, "aabbAB\u00e91 .", samples, range(1, 7))
        found = [sorted(((index, one) for index, text in enumerate(expressions) for one in by_re(text, line, options)),
                        key=lambda pair: (pair[1].start(), pair[0])) for line in lines]  # fmt: skip
        yield options, expressions, lines, found


def test_groups_of_occurrences(rng):
    """Check finditer(), groups() and group_lists() against re.Match."""
    for options, expressions, lines, found in cases_of_groups(rng, amount(900)):
        plan, text, said = (
            trawl.Plan(expressions, regex=True, **options),
            "\n".join(lines),
            (expressions, options, lines),
        )
        matches, at = iter(plan.finditer(text)), 0
        for line, row in zip(lines, found):
            for index, one in row:
                mine = next(matches)
                groups = [*range(one.re.groups + 1), *one.re.groupindex]
                assert (mine.pattern, mine.groups(), mine.groupdict("-")) == (
                    index,
                    one.groups(),
                    one.groupdict("-"),
                ), said
                assert [mine[group] for group in groups] == [one[group] for group in groups], said
                assert [mine.span(group) for group in groups] == [
                    tuple(place + at if place >= 0 else -1 for place in one.span(group)) for group in groups], said  # fmt: skip
                assert text[mine.start() : mine.end()] == mine.group() == mine.group(0)
                assert mine.group(*groups) == one.group(*groups) and mine.string is text
            at += len(line) + 1
        assert next(matches, None) is None
        if not plan.group_names:
            continue
        rows = [[struct_of(plan, one) for _, one in row] for row in found]
        nothing = dict.fromkeys(plan.group_names)
        assert plan.groups(text).tolist() == sum(rows, []), said
        assert plan.groups([*lines, None]).tolist() == [*[row[0] if row else nothing for row in rows], None], said
        assert plan.group_lists(iter([*lines, None])).tolist() == [*rows, None], said
        assert plan.groups(iter(lines)) == plan.groups(lines) and plan.groups(io.StringIO(text)) == plan.groups(text)


def test_across_lines(rng):
    """Check occurrences and groups across lines, in texts and in records, against re. No occurrence crosses
    from one record to the next."""
    expressions = [
        r"a(\s+)b", r"(?s)(a.)b", r"(\n)", r"(x)\n?", "^(a)", "(b)$", "([^x]+)", r"(a)\n(b)", r"(b)\s*$", r"(x)|(\nb)",
        r"x*a(b)?", "(ab|ba)", r"\b(\w)\n", r"(x)(\n\w)?",
    ]  # fmt: skip
    for _ in range(amount(900)):
        expression, is_unicode = rng.choice(expressions), rng.random() < 0.3
        texts = ["".join(rng.choice("abé\nx ") for _ in range(rng.randrange(8))) for _ in range(rng.randrange(1, 6))]
        plan = trawl.Plan(expression, regex=True, multiline=True, unicode=is_unicode)
        found = [list(re.finditer(expression, text, re.MULTILINE | (0 if is_unicode else re.ASCII))) for text in texts]
        said = (expression, is_unicode, texts)
        assert [[(one.span(), one.groups()) for one in plan.finditer(text)] for text in texts] == [
            [(one.span(), one.groups()) for one in row] for row in found], said  # fmt: skip
        assert plan.match_counts([*texts, None]).tolist() == [*map(len, found), None], said
        assert plan.contains(texts).tolist() == [bool(row) for row in found], said
        assert [[tuple(one)[:2] for one in row] for row in plan.match_lists(texts, match="leftmost-first").tolist()] == [
            [one.span() for one in row] for row in found], said  # fmt: skip
        assert [[tuple(one.values()) for one in row] for row in plan.group_lists(texts).tolist()] == [
            [one.groups() for one in row] for row in found], said  # fmt: skip
        assert list(plan.replace(texts, "<$1>")) == [
            re.sub(expression, lambda one: "<%s>" % (one[1] or ""), text, flags=re.MULTILINE | (0 if is_unicode else re.ASCII))
            for text in texts], said  # fmt: skip


def struct_of(plan, match):
    """Return the struct of a match of `re`. In all expressions of the plan, a name must mean the same group as in this
    match's expression."""
    names = {number: name for name, number in match.re.groupindex.items()}
    own = {names.get(number, str(number)): match[number] for number in range(1, match.re.groups + 1)}
    return {name: own.get(name) for name in plan.group_names}


def test_groups_of_columns(rng):
    """Check groups in columns of Arrow, and against polars' extract_groups(), whose classes mean Unicode."""
    pyarrow = pytest.importorskip("pyarrow")
    for number, (options, expressions, lines, found) in enumerate(cases_of_groups(rng, amount(300))):
        plan = trawl.Plan(expressions, regex=True, **options)
        if not plan.group_names:
            continue
        rows = [None, *[[struct_of(plan, one) for _, one in row] for row in found]]
        first = [row[0] if row else None if row is None else dict.fromkeys(plan.group_names) for row in rows]
        texts = pyarrow.array(
            [None, *lines], [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()][number % 3]
        )
        picks = [rng.randrange(len(rows)) for _ in range(9)]
        keyed = pyarrow.DictionaryArray.from_arrays(pyarrow.array([None, *picks]), texts)
        for column, at in (
            (texts, range(len(rows))), (texts[1:], range(1, len(rows))), (keyed, [0, *picks]), (keyed[3:], picks[2:]),
        ):  # fmt: skip
            for made, expected in ((plan.groups(column), first), (plan.group_lists(column), rows)):
                assert made.tolist() == pyarrow.array(made).to_pylist() == [expected[one] for one in at], (
                    expressions,
                    lines,
                )
                assert made[1:].tolist() == made.tolist()[1:] and pickle.loads(pickle.dumps(made)) == made
                pyarrow.array(made).validate(full=True)
        binary = plan.groups([one.encode() for one in lines]).tolist()
        assert binary == [
            {name: None if part is None else part.encode() for name, part in one.items()} for one in first[1:]
        ]


def test_a_shard(rng):
    """Check that a shard, whose texts are consecutive in memory, has a line end at each text's end."""
    for package in ("numpy", "pyarrow"):
        pytest.importorskip(package)
    from test_shards import check, texts_of
    from trawl._shards import Shard, files_of

    def by_lines(patterns, text):
        begins = [0, *(found.end() for found in re.finditer(b"\n", text))]
        return sorted(((at + found.start(), at + found.end(), index) for at, line in zip(begins, text.split(b"\n"))
                       for index, one in enumerate(patterns) for found in by_re(one.decode(), line.decode(), {})),
                      key=lambda one: one[::2])  # fmt: skip

    texts = texts_of(rng)
    check(Shard(list(files_of(texts)), 1, "cpu"), texts, [b"^ab?", b"[bc] ?$"], {"regex": True}, by_lines)


def test_an_undecided_line_names_its_file(tmp_path):
    """2026-11-28: finditer and groups did not."""
    slow = tmp_path / "slow"
    slow.write_text("aa\n" + "a" * 40 + "!\n")
    plan = trawl.Plan(r"(a+)+$(?<!b)", regex=True, pcre=True)
    for call in (plan.count, plan.matches, lambda text: list(plan.finditer(text)), plan.groups):
        with pytest.raises(trawl.LimitError, match="slow: the line at byte 3 "):
            call(slow)
        with open(slow, "rb") as file, pytest.raises(trawl.LimitError, match="slow: "):
            call(file)
        with pytest.raises(trawl.LimitError, match="slow: "):
            call(trawl.Text(slow))
    with pytest.raises(ValueError, match="'all', 'leftmost-longest'"):
        plan.matches("a", match="longest")


def test_explain_names_who_decides():
    for patterns, pcre, which in (
        ("a+b", False, "none"), ("a+b", True, "none"), ("a(?=b)", True, "all"), (["a(?=b)", "a+b"], True, "some"),
        (["a", "a+b"], True, "none"),
    ):  # fmt: skip
        try:
            plan = trawl.Plan(patterns, regex=True, pcre=pcre)
        except trawl.UnsupportedError:
            continue  # PCRE2 is not installed
        assert f"decided by PCRE2: {which}\n" in plan.explain()


def test_which_records_match_across_lines(rng):
    """Check the calls that report which expressions match in which records, with expressions that may cross lines. The
    strings of a later record were once looked up at offsets of the first one (2026-11-29)."""
    for _ in range(amount(150)):
        expressions = [rng.choice([r"\s", r"[ab]\s", r"a\n+b", r"^\s", r"\sb", "b$", r"\n(?s:.)a", r"[^a]b", "ab"])
                       for _ in range(rng.randint(1, 3))]  # fmt: skip
        records = ["".join(rng.choices("aabx \n", k=rng.randint(0, 9))) for _ in range(rng.randint(1, 12))]
        plan = trawl.Plan(expressions, regex=True, multiline=True)
        compiled = [re.compile(one.replace("(?s:.)", "[^~]"), re.M) for one in expressions]
        rows = [[i for i, one in enumerate(compiled) if one.search(record)] for record in records]
        assert plan.pattern_lists(records).tolist() == rows, (expressions, records)
        assert plan.contains(records).tolist() == [row != [] for row in rows]
        assert plan.match_counts(records).tolist() == [
            sum(len(one.findall(record)) for one in compiled) for record in records
        ]
        begins = [(row, i, one.search(records[row]).start()) for row in range(len(records)) for i, one in enumerate(compiled)
                  if i in rows[row]]  # fmt: skip
        assert list(plan.cells(records)) == begins


def test_records_hold_line_ends():
    """Check that the part of a match before an atom may hold a line end of a record, also beside a long repetition."""
    plan = trawl.Plan("[^b](aq|..?(\u00e9ba|a|(ba){1,2}ba1)[^1])", regex=True)
    assert plan.which(["\n.aA", ".\naA"]).tolist() == [0, None]
