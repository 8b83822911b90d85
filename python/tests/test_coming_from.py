"""Compares the calls to other packages in docs/comparison.md with trawl's calls, on the same texts."""

import re

import pytest
import trawl

WORDS = ["he", "she", "hers", "his", "new york", "york", "e", "\u00e9t\u00e9"]


def text_of(rng):
    parts = [*WORDS, "x", "  ", "s", ", ", "Y", "\u00fc"]
    return "".join(rng.choice(parts) + rng.choice(["", "", " "]) for _ in range(60))


def spans(plan, text):
    return [(pattern, begin, end) for begin, end, pattern in plan.matches(text, match="leftmost-longest")]


def test_pyahocorasick(rng):
    ahocorasick = pytest.importorskip("ahocorasick")
    automaton = ahocorasick.Automaton()
    for number, word in enumerate(WORDS):
        automaton.add_word(word, (number, word))
    automaton.make_automaton()
    plan = trawl.Plan({word: (number, word) for number, word in enumerate(WORDS)})
    for _ in range(50):
        text = text_of(rng)
        assert list(plan.iter(text)) == list(automaton.iter(text))
        found = [(end - 1, plan.values[pattern]) for pattern, _, end in spans(plan, text)]
        assert found == list(automaton.iter_long(text))
    # docs/comparison.md says how `in` and `iter_long` of pyahocorasick differ from trawl.
    assert "he" in automaton and "he" in plan and b"he" in plan
    automaton = ahocorasick.Automaton()
    automaton.add_word("c", 0)
    automaton.add_word("acab", 1)
    automaton.make_automaton()
    assert list(automaton.iter_long("ac")) == []
    assert spans(trawl.Plan(["c", "acab"]), "ac") == [(0, 1, 2)]


def test_ahocorasick_rs(rng):
    rs = pytest.importorskip("ahocorasick_rs")
    plan = trawl.Plan(WORDS)
    every, longest = rs.AhoCorasick(WORDS), rs.AhoCorasick(WORDS, matchkind=rs.MatchKind.LeftmostLongest)
    first = rs.AhoCorasick(WORDS, matchkind=rs.MatchKind.LeftmostFirst)
    for _ in range(50):
        text = text_of(rng)
        found = [(pattern, begin, end) for begin, end, pattern in plan.matches(text)]
        assert sorted(found) == sorted(every.find_matches_as_indexes(text, overlapping=True))
        assert spans(plan, text) == longest.find_matches_as_indexes(text)
        strings = [WORDS[pattern] for pattern in plan.matches(text, match="leftmost-first").patterns]
        assert strings == first.find_matches_as_strings(text)
    # docs/comparison.md says that trawl cannot choose the occurrence that ends first, as rs.AhoCorasick does by default.
    assert rs.AhoCorasick(["abcd", "b"]).find_matches_as_indexes("abcd") == [(1, 1, 2)]
    assert spans(trawl.Plan(["abcd", "b"]), "abcd") == [(0, 0, 4)]
    text = b"xa\xff"
    found = spans(trawl.Plan([b"a\xff"]), text)
    assert found == rs.BytesAhoCorasick([b"a\xff"]).find_matches_as_indexes(text)


def test_hyperscan(rng):
    hyperscan = pytest.importorskip("hyperscan")
    words = [word.encode() for word in WORDS]
    try:
        database = hyperscan.Database()
        database.compile(
            expressions=[re.escape(word) for word in words],
            ids=list(range(len(words))),
            elements=len(words),
            flags=[hyperscan.HS_FLAG_SOM_LEFTMOST] * len(words),
        )
    except hyperscan.error as error:
        pytest.skip(f"hyperscan: {error}")
    plan = trawl.Plan(words)
    for _ in range(50):
        text, events = text_of(rng).encode(), []
        database.scan(text, lambda *event: events.append(event[:3]) and None)
        found = [(pattern, begin, end) for begin, end, pattern in plan.matches(text)]
        assert sorted(found) == sorted(events)
    with pytest.raises(hyperscan.ScanTerminated):
        database.scan(b"hers", lambda *event: True)


def test_re(rng):
    """Compare with re, which tries alternatives in order, as match="leftmost-first" does."""
    pattern = re.compile("|".join(map(re.escape, WORDS)))
    plan, values = trawl.Plan(WORDS), [f"<{number}>" for number in range(len(WORDS))]
    for _ in range(50):
        text = text_of(rng)
        matches = plan.matches(text, match="leftmost-first")
        assert [one.span() for one in pattern.finditer(text)] == list(zip(matches.begins, matches.ends))
        new = pattern.sub(lambda one: values[WORDS.index(one[0])], text)
        assert plan.replace(text, values, match="leftmost-first") == new
        assert plan.split(text, match="leftmost-first") == pattern.split(text)
        assert (plan.first(text) is None) == (pattern.search(text) is None)
        assert len(pattern.findall(text)) == len(matches) <= plan.count(text)
        for flags, letters in ((0, "unicode"), (re.ASCII, "ascii")):
            whole = re.compile(rf"\b(?:{pattern.pattern})\b", flags | re.IGNORECASE)
            words = trawl.Plan(WORDS, whole_words=letters, ignore_case=letters)
            found = words.matches(text.upper(), match="leftmost-first").begins.tolist()
            assert found == [one.start() for one in whole.finditer(text.upper())]
        ahead = [one.start() for one in re.finditer(f"(?={pattern.pattern})", text)]
        assert sorted(set(plan.positions(text))) == ahead
    # docs/comparison.md says that trawl differs from the package in these points.
    assert re.search(r"\b\.net\b", "use .net x.net").start() == 10
    assert list(trawl.Plan(".net", whole_words=True).positions("use .net x.net")) == [4]
    assert re.findall("i", "\u0130\u0131", re.IGNORECASE) == ["\u0130", "\u0131"]
    assert trawl.Plan("i", ignore_case=True).count("\u0130\u0131") == 0


def test_flashtext(rng):
    """Compare with flashtext, whose keywords are whole words of ASCII, without case."""
    flashtext = pytest.importorskip("flashtext")
    words = [word for word in WORDS if word.isascii()]
    processor = flashtext.KeywordProcessor()
    for number, word in enumerate(words):
        processor.add_keyword(word, f"<{number}>")
    plan = trawl.Plan({word: f"<{number}>" for number, word in enumerate(words)},
                      whole_words="ascii", ignore_case="ascii")  # fmt: skip
    for _ in range(50):
        text = text_of(rng).encode("ascii", "ignore").decode()
        found = [(plan.values[pattern], begin, end) for pattern, begin, end in spans(plan, text)]
        assert found == processor.extract_keywords(text, span_info=True)
        assert plan.replace(text) == processor.replace_keywords(text)
    # docs/comparison.md says how flashtext and trawl differ in letters beyond ASCII.
    words = {"\u00e9t\u00e9": "summer", "york": "city"}
    processor = flashtext.KeywordProcessor()
    processor.add_keywords_from_dict({name: [word] for word, name in words.items()})
    text = "\u00c9T\u00c9, York\u00e9"
    assert processor.extract_keywords(text) == ["summer", "city"]
    assert trawl.Plan(words, whole_words="ascii", ignore_case="ascii").replace(text) == "\u00c9T\u00c9, city\u00e9"
    options = {"whole_words": True, "ignore_case": True}
    assert trawl.Plan(words, **options).replace(text) == "summer, York\u00e9"
