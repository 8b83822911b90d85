"""Finds documents that contain parts of a benchmark's questions: a function, a stage and a command.

python -m trawl.decontaminate --help describes the command.

Questions and documents are brought into the same normal form. The questions are divided into n-grams (runs of n
words, or of n characters), and each document is searched for all n-grams of all questions in one pass.

>>> questions = ["Who wrote the book of love?", "Too short"]
>>> documents = ["... who WROTE\\u00a0the  book, of love; and why", "nothing", None]
>>> [overlap] = decontaminate(questions, documents, words=4, short="ignore")
>>> overlap
Overlap(document=0, question=0, found=3, total=3, ngram='who wrote the book')
>>> overlap.ratio
1.0
"""

from __future__ import annotations

import functools
import html
import itertools
import operator
import re
import unicodedata
import warnings
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import Plan, Searcher, stages

if TYPE_CHECKING:
    import pyarrow

_BATCH = 256  # documents that are normalized before they are searched
# ASCII is translated by a table; letters and digits (\w) stay as they are. Only other characters are looked up.
_OTHERS = re.compile("[^\\0-\\x7f\\w]")
# Characters that every normal form skips: format characters (Cf), enclosing marks (Me), variation
# selectors and fillers.
_NOTHING = re.compile(
    "[\u00ad\u034f\u0488\u0489\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u1abe\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u20dd-\u20e0\u20e2-\u20e4"
    "\u3164\ua670-\ua672\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]"
)
_NOTHING_HIGH = re.compile(
    "[\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001"
    "\U000e0020-\U000e007f\U000e0100-\U000e01ef]"
)
# Apostrophes and quotes that Unicode counts as letters, and accents to which NFKC would add a blank.
_QUOTES = re.compile(
    "[\u02b9-\u02bf\u02ee\u07f4\u07f5\ua78b\ua78c\u00a8\u00af\u00b4\u00b8\u02d8-\u02dd\u037a\u0384\u0385"
    "\u1fbd\u1fbf-\u1fc1\u1fcd-\u1fcf\u1fdd-\u1fdf\u1fed\u1fee\u1ffd\u1ffe\u2017\u203e\u309b\u309c"
    "\ufc5e-\ufc63\ufe49-\ufe4c\ufe70\ufe72\ufe74\ufe76\ufe78\ufe7a\ufe7c\ufe7e\uffe3]"
)
_ENTITY = re.compile("&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# HTML tags, the target of a Markdown link, and LaTeX font commands. The names of tags that may be inside a word
# are a group.
_MARKUP = re.compile(
    "</?(?:(a|abbr|b|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup"
    "|tt|u|var|wbr)|[bh]r|article|aside|blockquote|body|caption|center|dd|div|dl|dt|figure|footer|h[1-6]"
    "|head|header|html|img|li|main|nav|ol|p|pre|section|table|tbody|td|tfoot|th|thead|title|tr|ul)"
    "(?:\\s+[\\w:-]+\\s*=\\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\\s\"'<>=]+))*\\s*/?>"
    '|\\]\\([^()\\s]*(?: +"[^"\\n]*")?\\)'
    r"|\\(?:emph|underline|text(?:bf|it|rm|sc|sf|sl|tt)|math(?:bf|cal|it|rm|sf|tt)) *\{",
    re.IGNORECASE,
)
# The number of a list item, at the start of a line; and a hyphen at the end of a line.
_ITEM = (
    r"([ \t>*#\u2022\u00b7\u2013-]{0,8})(?:[\u2460-\u24ff\u2776-\u2793]|\d\ufe0f?\u20e3"
    r"|\d{1,3}(?:\.\d{1,3}){1,4}[.):\]]?(?=\s)|[(\[]?(?:\d{1,3}|[A-Za-z]|[IVXLivxl]{2,6})[.):\]]+(?=\s))"
)
_FIRST_ITEM, _LATER_ITEM = re.compile(_ITEM), re.compile(r"\n(?![A-Za-z](?![.):\]]|[IVXLivxl]{1,5}[.):\]]))" + _ITEM)
_HYPHEN = re.compile("[-\u00ad\u2010\u2011][ \\t]{0,8}\r?\n\\s*")
_PART = r"[^\s\0-/:-@\[-`{-\x7f]+"  # part of a word, without ASCII's punctuation
_AFTER, _BEFORE = re.compile(_PART), re.compile(_PART + r"\Z")


class Overlap(NamedTuple):
    """A question with n-grams that a document contains.

    document, question: 0-based numbers. total: how many different n-grams the question has. found: how many of them the
    document contains. ratio: found / total. ngram: the question's n-gram that comes first in the document, in normal
    form."""

    document: int
    question: int
    found: int
    total: int
    ngram: str

    @property
    def ratio(self) -> float:
        return self.found / self.total


class Form:
    """A normal form of texts: form(text) is the normal form as UTF-8.

    By default, a text's words are runs of the characters in the second row, separated by the characters in the
    third row; what the first row names is ignored:

    nothing     format characters (Cf: zero-width characters, the soft hyphen), enclosing marks (Me),
                variation selectors, fillers; HTML tags that may be inside a word
    words       letters (L), marks (M), numbers (N), in Unicode's form NFKC, case folded
    separators  white space (Z and tabs, line ends), punctuation (P: also _ and dashes), symbols (S), controls
                (Cc), unassigned characters (C), apostrophes that are letters, stand-alone accents;
                other tags, a link's target, LaTeX font commands

    nfkc: characters that Unicode calls compatible are equal (NFKC), for example e + accent and the accented
      letter, full-width letters, ligatures.
    ignore_case: letters that differ only in case are equal (str.casefold).
    punctuation: how characters other than letters, marks and numbers count. "split": they separate words, as a
      blank does. "delete": they are removed, so that "don't" becomes "dont". "keep": they are part of words.
    spaces: "fold": a run of white space becomes one blank, and leading and trailing white space is
      removed. "delete": white space is removed. "keep": white space stays.
    markup: HTML entities are characters, and tags, the targets of links and font commands are not part of the
      text. False: all of them are text.

    >>> Form()("\\u201cDon\\u2019t\\u201d,\\u3000she  <i>s\\u200baid</i> _so_")
    b'don t she said so'
    """

    def __init__(
        self,
        *,
        nfkc: bool = True,
        ignore_case: bool = True,
        punctuation: str = "split",
        spaces: str = "fold",
        markup: bool = True,
    ) -> None:
        for name, value, known in (
            ("punctuation", punctuation, ("split", "delete", "keep")),
            ("spaces", spaces, ("fold", "delete", "keep")),
        ):
            if value not in known:
                raise ValueError(f"{name}: one of {', '.join(known)} is needed, not {value!r}")
        self.punctuation, self.spaces, self.markup = punctuation, spaces, markup
        # Normalize before and after folding case: the folded letter and a mark may compose, even if the original letter
        # and the mark do not.
        normal: list[Any] = [functools.partial(unicodedata.normalize, "NFKC")] if nfkc else []
        self._steps = [*normal, str.casefold, *normal] if ignore_case else normal
        ascii = [self._character(chr(code)) for code in range(128)]
        self._deleted = bytes(code for code in range(128) if not ascii[code])
        letters = "".join(one or " " for one in ascii)
        self._table = (letters.lower() if ignore_case else letters).encode() + bytes(range(128, 256))
        self._characters = _Characters(self)

    def _character(self, one: str) -> str:
        """Return the replacement of a character, ignoring case."""
        kind = unicodedata.category(one)
        if one.isspace() and self.spaces == "keep":
            return one
        blank = "" if self.spaces == "delete" else " "
        if one.isspace():
            return blank
        if _NOTHING_HIGH.match(one):
            return ""
        if kind[0] in "LMN" or self.punctuation == "keep":
            return one
        return blank if self.punctuation == "split" else ""

    def __call__(self, text: str) -> bytes:
        if self.markup:
            if "&" in text:
                text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
            if "<" in text or "[" in text or "\\" in text:
                text = _MARKUP.sub(lambda found: "" if found[1] else " ", text)
        # ASCII characters are translated as bytes, which takes a third of the time.
        if not text.isascii():
            text = _NOTHING.sub("", text)
            if self.punctuation != "keep":
                text = _QUOTES.sub("'", text)
            for step in self._steps:
                text = step(text)
            text = _OTHERS.sub(lambda found: self._characters[found[0]], text)
        data = text.encode("utf-8", "surrogatepass").translate(self._table, self._deleted)
        return b" ".join(data.split()) if self.spaces == "fold" else data

    def unlisted(self, text: str, words: Collection[bytes] | None) -> str:
        """Return the text without the numbers of list items, and with words joined that a hyphen and a line end divide, if
        `words` (None: all words) has the joined word."""

        def joined(found: re.Match[str]) -> str:
            before = _BEFORE.search(text, max(0, found.start() - 40), found.start())
            after = _AFTER.match(text, found.end())
            whole = before and after and (words is None or self(before[0] + after[0]) in words)
            return "" if whole else found[0]

        text = _LATER_ITEM.sub(r"\n\1", _FIRST_ITEM.sub(r"\1", text, 1) if _FIRST_ITEM.match(text) else text)
        if "-\n" in text or "-\r" in text or "- \n" in text or not text.isascii():
            text = _HYPHEN.sub(joined, text)
        return text


class _Characters(dict[str, str]):
    """The replacement of each character, computed when the character first occurs."""

    def __init__(self, form: Form) -> None:
        self.form = form

    def __missing__(self, one: str) -> str:
        self[one] = self.form._character(one)
        return self[one]

    def __reduce__(self) -> Any:
        return _Characters, (self.form,)


def texts_of(given: Any, name: str) -> Iterator[str | None]:
    """Yield the texts of an iterable or a column."""
    if isinstance(given, (str, bytes, bytearray)):
        kind = type(given).__name__
        raise TypeError(f"{name}: a list or a column of str is needed, not one {kind}")
    if hasattr(given, "isna"):  # pandas: NaN and NA are nulls
        given = given.astype(object).where(given.notna(), None)
    to_list = getattr(given, "to_pylist", None)  # of pyarrow
    for number, text in enumerate(given if to_list is None else to_list()):
        if not isinstance(text, (str, type(None))):
            raise TypeError(f"{name}: str is needed, not {type(text).__name__} (number {number})")
        yield text


class Questions:
    """The questions of a benchmark, prepared for searches of any number of documents. Threads may share a
    Questions object, and pickle can store it.

    words, characters: the length of an n-gram, in words or in characters; the default is 13 words.
    short: what to do with a question that is shorter than an n-gram. "warn": skip the question, with a
      warning. "ignore": skip the question. "whole": search for the whole question. The attribute `short`
      lists the numbers of short questions, `unsearched` the numbers of skipped questions.
    least: skip overlaps with a smaller ratio.
    nfkc, ignore_case, punctuation, spaces, markup: the normal form, see Form. Words need spaces="fold".
    ValueError: no question is left to search for.

    questions, documents: iterables of str and None, or columns of pyarrow, polars or pandas. Each text is read twice:
    with all of its words; and without the numbers at the starts of lines ("2.", "(b)"), joining the parts of a word that
    a hyphen and a line end divide, if the questions have the whole word.

    >>> questions = Questions(["abc def", "x"], characters=4, short="whole")
    >>> questions.short, questions.unsearched, questions.totals
    ([1], [], [4, 1])
    >>> list(questions.overlaps(["ABC  DEF"]))
    [Overlap(document=0, question=0, found=4, total=4, ngram='abc ')]
    """

    def __init__(
        self,
        questions: Iterable[str | None],
        *,
        words: int | None = None,
        characters: int | None = None,
        short: str = "warn",
        least: float = 0.0,
        **form: Any,
    ) -> None:
        if words is not None and characters is not None:
            raise ValueError("words, characters: give only one of the two")
        if short not in ("warn", "ignore", "whole"):
            raise ValueError(f"short: 'warn', 'ignore' or 'whole', not {short!r:.80}")
        given = characters if words is None else words
        try:
            if isinstance(given, bool):
                raise TypeError
            size = 13 if given is None else operator.index(given)
        except TypeError:
            raise TypeError(f"words, characters: a whole number is needed, not {given!r:.80}") from None
        if size < 1:
            raise ValueError("words, characters: 1 or more is needed")
        self.form = Form(**form)
        if characters is None and self.form.spaces != "fold":
            raise ValueError("spaces: n-grams of words need 'fold'")
        self.size, self.of_words, self.least = size, characters is None, least
        self.short: list[int] = []
        self.unsearched: list[int] = []
        self.totals: list[int] = []
        # A question that can be read in two ways has two readings. _question[reading] is the reading's question, and
        # _owners[n-gram] are the readings that contain the n-gram.
        self._question: list[int] = []
        self._totals: list[int] = []
        self._owners: list[list[int]] = []
        texts = [text or "" for text in texts_of(questions, "questions")]
        units = [self._units(text) for text in texts]
        self._words = frozenset(itertools.chain(*units)) if self.of_words else None
        ngrams: dict[bytes, int] = {}
        for number, own in enumerate(units):
            self.totals.append(0)
            if len(own) < size:
                self.short.append(number)
            if not own or (len(own) < size and short != "whole"):
                self.unsearched.append(number)
                continue
            self.totals[number] = self._add(own, number, ngrams)
            other = self.form.unlisted(texts[number], self._words)
            if other != texts[number] and len(own := self._units(other)) >= size:
                self._add(own, number, ngrams)
        unit = "words" if self.of_words else "characters"
        if not ngrams:
            raise ValueError(f"questions: none of {len(self.totals)} has {size} {unit}")
        if self.unsearched and short != "ignore":
            few = ", ".join(map(str, self.unsearched[:20]))
            more = ", ..." if len(self.unsearched) > 20 else ""
            warnings.warn(
                f"{len(self.unsearched)} of {len(self.totals)} questions have too few {unit} and are "
                f"not searched: {few}{more}",
                stacklevel=2,
            )
        self.plan = Plan(ngrams)

    def _units(self, text: str) -> Any:
        data = self.form(text)
        return data.split() if self.of_words else data.decode("utf-8", "surrogatepass")

    def _add(self, units: Any, question: int, ngrams: dict[bytes, int]) -> int:
        """Add a reading of a question, and return the number of its different n-grams."""
        size = min(self.size, len(units))
        parts: Any = (units[at : at + size] for at in range(len(units) - size + 1))
        if self.of_words:
            parts = (b" %b " % b" ".join(part) for part in parts)
        else:
            parts = (part.encode("utf-8", "surrogatepass") for part in parts)
        own = dict.fromkeys(parts)
        for ngram in own:
            if ngrams.setdefault(ngram, len(ngrams)) == len(self._owners):
                self._owners.append([])
            self._owners[ngrams[ngram]].append(len(self._question))
        self._question.append(question)
        self._totals.append(len(own))
        return len(own)

    def normalized(self, document: str | None) -> bytes | None:
        """Return the document in normal form. If it can be read in a second way, a byte that no normal form has and the
        second normal form follow. If n-grams are words, blanks are added at the ends, so that an n-gram between blanks
        matches whole words."""
        if document is None:
            return None
        whole = b" %b " if self.of_words else b"%b"
        data = whole % self.form(document)
        other = self.form.unlisted(document, self._words)
        return data if other == document else data + b"\xff" + whole % self.form(other)

    def overlaps(self, documents: Iterable[str | None], *, searcher: Searcher | None = None) -> Iterator[Overlap]:
        """Yield the overlaps, ordered by (document, question). Documents are read on demand."""
        rest = texts_of(documents, "documents")
        find: Any = self.plan.cells
        if searcher is not None:
            find = lambda texts: searcher.cells(self.plan, texts)  # noqa: E731
        for first in itertools.count(0, _BATCH):
            texts = [self.normalized(text) for text in itertools.islice(rest, _BATCH)]
            if not texts:
                return
            for record, cells in itertools.groupby(find(texts), lambda cell: cell[0]):
                yield from self._of_document(first + record, cells)

    def _of_document(self, document: int, cells: Iterable[tuple[int, int, int]]) -> Iterator[Overlap]:
        found: dict[int, int] = {}
        firsts: dict[int, tuple[int, int]] = {}  # reading -> (begin, n-gram) of its first n-gram
        for _, pattern, begin in cells:
            for reading in self._owners[pattern]:
                found[reading] = found.get(reading, 0) + 1
                firsts[reading] = min(firsts.get(reading, (begin, pattern)), (begin, pattern))
        for question, readings in itertools.groupby(sorted(found), self._question.__getitem__):
            best = max(readings, key=lambda reading: found[reading] / self._totals[reading])
            ngram = str(self.plan[firsts[best][1]], "utf-8", "surrogatepass")  # type: ignore[arg-type]
            overlap = Overlap(
                document, question, found[best], self._totals[best], ngram[1:-1] if self.of_words else ngram
            )
            if overlap.ratio >= self.least:
                yield overlap

    def stage(self, column: str, kind: str = "overlaps", **options: Any) -> Stage:
        """Make a Stage that searches a table's column for these questions."""
        return Stage(self, column, kind, **options)


def decontaminate(
    questions: Iterable[str | None],
    documents: Iterable[str | None],
    *,
    words: int | None = None,
    characters: int | None = None,
    short: str = "warn",
    least: float = 0.0,
    **form: Any,
) -> Iterator[Overlap]:
    """Yield the overlaps of documents with questions, ordered by (document, question).
    help(trawl.decontaminate.Questions) explains the options.

    >>> list(decontaminate(["one two three"], ["zero ONE two", "none"], words=2))
    [Overlap(document=0, question=0, found=1, total=2, ngram='one two')]
    """
    made = Questions(questions, words=words, characters=characters, short=short, least=least, **form)
    return made.overlaps(documents)


class Stage(stages.Stage):
    """A trawl.stages.Stage that searches a table's column for questions, with the options of Stage.
    Spark's mapInArrow and trawl.ray.run_stage run this stage too.

    kind: the output.
      overlaps   a row for each Overlap: the document's columns `keep`, then document (counted from 0 in
                 this stage's input), question, found, total, ratio, ngram
      clean      the documents without an overlap, null documents included
      contains   the table, with a new last column: has the document an overlap?
    """

    kinds = ("overlaps", "clean", "contains")

    def __init__(self, questions: Questions, column: str, kind: str, **options: Any) -> None:
        super().__init__(questions.plan, column, kind, **options)
        self.questions = questions

    def _search(self, kind: str, column: Any) -> list[Overlap]:
        return list(self.questions.overlaps(column, searcher=self._opened()))

    def _answer(self, part: tuple[pyarrow.RecordBatch, Any], first: int) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        batch, overlaps = part
        rows = [overlap.document for overlap in overlaps]
        held = set(rows)
        self._add_batch(batch, len(held))
        if self.kind == "overlaps":
            taken, indices = stages.taken, pyarrow.array(rows, "int64")
            columns = [taken(batch.column(name), indices) for name in self.keep]
            columns.append(pyarrow.array([first + row for row in rows], "int64"))
            columns += [
                pyarrow.array([getattr(overlap, name) for overlap in overlaps], kind) for name, kind in _COLUMNS.items()
            ]
            yield pyarrow.record_batch(columns, names=[*self.keep, "document", *_COLUMNS])
            return
        answer = [row in held for row in range(batch.num_rows)]
        if self.kind == "clean":
            yield stages.chosen(batch, pyarrow.array([not one for one in answer], "bool"))
            return
        null = batch.column(self.column).is_null().to_pylist()
        mask = [None if none else one for none, one in zip(null, answer)]
        names = [*batch.schema.names, self.name]
        yield pyarrow.record_batch([*batch.columns, pyarrow.array(mask, "bool")], names=names)


# In the package, `trawl.decontaminate` is the function, which hides this module.
vars(decontaminate).update(Form=Form, Overlap=Overlap, Questions=Questions, Stage=Stage)
_COLUMNS = {"question": "int64", "found": "int64", "total": "int64", "ratio": "float64", "ngram": "string"}
