"""Which documents hold parts of a benchmark's questions? As a function, a stage, and a command
(python -m trawl.decontaminate --help).

Questions and documents are brought to the same normal form, the questions are cut into n-grams (runs
of n words, or of n characters), and all n-grams of all questions are searched in each document at
once.

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
import itertools
import re
import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import stages
from .._trawl import Plan, Searcher

if TYPE_CHECKING:
    import pyarrow

_BATCH = 256  # documents that are normalized before they are searched
# Letters and digits (\w) stay what they are: only others are looked up.
_OTHERS = re.compile("[^\\0-\\x7f\\w]+")


class Overlap(NamedTuple):
    """A question of which a document holds n-grams.

    document, question: their numbers, from 0 on. total: how many different n-grams the question has;
    found: how many of them the document holds; ratio: found / total. ngram: the one of them that
    comes first in the document, in normal form.
    """

    document: int
    question: int
    found: int
    total: int
    ngram: str

    @property
    def ratio(self) -> float:
        return self.found / self.total


class Form:
    """A normal form of texts: form(text) is its UTF-8.

    nfkc: characters that Unicode calls compatible are equal (NFKC): e and an accent, the letter with
      it; full-width letters; ligatures.
    ignore_case: letters that differ in case alone are equal (str.casefold).
    punctuation: "split": what is no letter, mark, digit or _ stands between words, as a blank does;
      "delete": it is taken out, so that "don't" is "dont"; "keep": it is part of the words. Characters
      that only format (soft hyphens, zero-width spaces) are taken out but for "keep".
    spaces: "fold": any white space is one blank, at the ends none; "delete": it is taken out;
      "keep": it stays as it is.

    >>> Form()("\\u201cDon\\u2019t\\u201d,\\u3000she  said")
    b'don t she said'
    """

    def __init__(
        self,
        *,
        nfkc: bool = True,
        ignore_case: bool = True,
        punctuation: str = "split",
        spaces: str = "fold",
    ) -> None:
        for name, value, known in (
            ("punctuation", punctuation, ("split", "delete", "keep")),
            ("spaces", spaces, ("fold", "delete", "keep")),
        ):
            if value not in known:
                raise ValueError(f"{name}: one of {', '.join(known)} is needed, not {value!r}")
        self.punctuation, self.spaces = punctuation, spaces
        # The case of a letter may have a form with its mark that the letter has not.
        normal: list[Any] = [functools.partial(unicodedata.normalize, "NFKC")] if nfkc else []
        self._steps = [*normal, str.casefold, *normal] if ignore_case else normal
        ascii = [self._character(chr(code)) for code in range(128)]
        self._deleted = bytes(code for code in range(128) if not ascii[code])
        letters = "".join(one or " " for one in ascii)
        self._table = (letters.lower() if ignore_case else letters).encode() + bytes(range(128, 256))
        self._characters = _Characters(self)

    def _character(self, one: str) -> str:
        """What a character becomes, but for its case."""
        kind = unicodedata.category(one)
        if one.isspace() and self.spaces == "keep":
            return one
        blank = "" if self.spaces == "delete" else " "
        if one.isspace():
            return blank
        if kind[0] in "LMN" or one == "_" or self.punctuation == "keep":
            return one
        return blank if self.punctuation == "split" and kind != "Cf" else ""

    def __call__(self, text: str) -> bytes:
        # Characters of ASCII are translated as bytes, which takes a third of the time.
        if not text.isascii():
            for step in self._steps:
                text = step(text)
            text = _OTHERS.sub(lambda run: run[0].translate(self._characters), text)
        data = text.encode("utf-8", "surrogatepass").translate(self._table, self._deleted)
        return b" ".join(data.split()) if self.spaces == "fold" else data


class _Characters(dict[int, str]):
    """What str.translate asks, filled as characters come."""

    def __init__(self, form: Form) -> None:
        self.form = form

    def __missing__(self, code: int) -> str:
        self[code] = self.form._character(chr(code))
        return self[code]

    def __reduce__(self) -> Any:
        return _Characters, (self.form,)


class Questions:
    """The questions of a benchmark, ready to be searched: make it once, use it for any number of
    documents, from any thread. It can be pickled.

    words, characters: how many of them an n-gram has: one of the two; 13 words if neither is given.
    short: what is done with questions that have fewer: "warn": they are not searched, and a warning
      names them; "ignore": no warning; "whole": all that they have is searched. `short` lists their
      numbers in any case, `unsearched` those in which nothing is searched.
    least: overlaps of a smaller ratio are left out.
    nfkc, ignore_case, punctuation, spaces: the normal form, as Form takes them. Words need spaces="fold".
    ValueError: there is nothing to search for.

    >>> questions = Questions(["abc def", "x"], characters=4, short="whole")
    >>> questions.short, questions.unsearched, questions.totals
    ([1], [], [4, 1])
    >>> list(questions.overlaps(["ABC  DEF"]))
    [Overlap(document=0, question=0, found=4, total=4, ngram='abc ')]
    """

    def __init__(
        self,
        questions: Iterable[str],
        *,
        words: int | None = None,
        characters: int | None = None,
        short: str = "warn",
        least: float = 0.0,
        **form: Any,
    ) -> None:
        if words is not None and characters is not None:
            raise ValueError("words, characters: n-grams are of one or the other")
        if short not in ("warn", "ignore", "whole"):
            raise ValueError(f"short: 'warn', 'ignore' or 'whole' is needed, not {short!r}")
        size = characters or words or 13
        if min(size, 13 if words is None else words, 13 if characters is None else characters) < 1:
            raise ValueError("words, characters: 1 or more is needed")
        self.form = Form(**form)
        if characters is None and self.form.spaces != "fold":
            raise ValueError("spaces: n-grams of words need 'fold'")
        self.size, self.of_words, self.least = size, characters is None, least
        self.short: list[int] = []
        self.unsearched: list[int] = []
        self.totals: list[int] = []
        self._owners: list[list[int]] = []  # of each n-gram: the questions that have it
        ngrams: dict[bytes, int] = {}
        for number, question in enumerate(questions):
            if not isinstance(question, str):
                raise TypeError(f"question {number}: a str is needed, not {type(question).__name__}")
            own = self._ngrams(question, number, short == "whole")
            self.totals.append(len(own))
            for ngram in own:
                if ngrams.setdefault(ngram, len(ngrams)) == len(self._owners):
                    self._owners.append([])
                self._owners[ngrams[ngram]].append(number)
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

    def _ngrams(self, question: str, number: int, whole: bool) -> dict[bytes, None]:
        """Its different n-grams, in order."""
        data = self.form(question)
        units: Any = data.split() if self.of_words else data.decode("utf-8", "surrogatepass")
        size = self.size
        if len(units) < size:
            self.short.append(number)
            if not (whole and units):
                self.unsearched.append(number)
                return {}
            size = len(units)
        parts = (units[at : at + size] for at in range(len(units) - size + 1))
        if self.of_words:
            return dict.fromkeys(b" %b " % b" ".join(part) for part in parts)
        return dict.fromkeys(part.encode("utf-8", "surrogatepass") for part in parts)

    def normalized(self, document: str | None) -> bytes | None:
        """The document as it is searched: in normal form; where n-grams are of words, with a blank
        before and behind it."""
        if document is None:
            return None
        if not isinstance(document, str):
            raise TypeError(f"documents: str is needed, not {type(document).__name__}")
        return b" %b " % self.form(document) if self.of_words else self.form(document)

    def overlaps(
        self, documents: Iterable[str | None], *, searcher: Searcher | None = None
    ) -> Iterator[Overlap]:
        """The overlaps, in order of (document, question). documents: any iterable of str and None,
        an Arrow column too; it is read as the overlaps are."""
        to_list = getattr(documents, "to_pylist", None)
        rest = iter(to_list() if to_list is not None else documents)
        find: Any = self.plan.cells
        if searcher is not None:
            find = lambda texts: searcher.cells(self.plan, texts)  # noqa: E731
        for first in itertools.count(0, _BATCH):
            texts = [self.normalized(text) for text in itertools.islice(rest, _BATCH)]
            if not texts:
                return
            for record, cells in itertools.groupby(find(texts), lambda cell: cell[0]):
                yield from self._of_document(first + record, cells)

    def _of_document(
        self, document: int, cells: Iterable[tuple[int, int, int]]
    ) -> Iterator[Overlap]:
        found: dict[int, int] = {}
        firsts: dict[int, tuple[int, int]] = {}  # (where, n-gram) of the first of each question
        for _, pattern, begin in cells:
            for question in self._owners[pattern]:
                found[question] = found.get(question, 0) + 1
                firsts[question] = min(firsts.get(question, (begin, pattern)), (begin, pattern))
        for question in sorted(found):
            ngram = self.plan[firsts[question][1]].decode("utf-8", "surrogatepass")
            overlap = Overlap(
                document,
                question,
                found[question],
                self.totals[question],
                ngram[1:-1] if self.of_words else ngram,
            )
            if overlap.ratio >= self.least:
                yield overlap

    def stage(self, column: str, kind: str = "overlaps", **options: Any) -> Stage:
        """The Stage of these questions, for a column of a table."""
        return Stage(self, column, kind, **options)


def decontaminate(
    questions: Iterable[str], documents: Iterable[str | None], **options: Any
) -> Iterator[Overlap]:
    """Which questions does each document hold parts of? Overlaps, in order of (document, question).
    Options are those of Questions."""
    return Questions(questions, **options).overlaps(documents)


class Stage(stages.Stage):
    """Questions searched in a column of a table, batch by batch: see trawl.stages.Stage, whose options
    it takes. Spark's mapInArrow takes it as it is, trawl.ray.run_stage runs it in a cluster.

    kind: what comes out.
      overlaps   a row for each Overlap: the columns `keep` of the document, then document (counted
                 from 0 in what this stage was given), question, found, total, ratio, ngram
      clean      the documents without an overlap; null is one of them
      contains   the table, and a column after it: has the document an overlap?
    """

    kinds = ("overlaps", "clean", "contains")

    def __init__(self, questions: Questions, column: str, kind: str, **options: Any) -> None:
        super().__init__(questions.plan, column, kind, **options)
        self.questions = questions

    def _search(self, kind: str, column: Any) -> list[Overlap]:
        return list(self.questions.overlaps(column, searcher=self._opened()))

    def _answer(
        self, part: tuple[pyarrow.RecordBatch, Any], first: int
    ) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        batch, overlaps = part
        rows = [overlap.document for overlap in overlaps]
        held = set(rows)
        self._add_batch(batch, len(held))
        if self.kind == "overlaps":
            columns = [batch.column(name).take(pyarrow.array(rows, "int64")) for name in self.keep]
            columns.append(pyarrow.array([first + row for row in rows], "int64"))
            columns += [
                pyarrow.array([getattr(overlap, name) for overlap in overlaps], kind)
                for name, kind in _COLUMNS.items()
            ]
            yield pyarrow.record_batch(columns, names=[*self.keep, "document", *_COLUMNS])
            return
        answer = [row in held for row in range(batch.num_rows)]
        if self.kind == "clean":
            yield batch.filter(pyarrow.array([not one for one in answer]))
            return
        null = batch.column(self.column).is_null().to_pylist()
        mask = [None if none else one for none, one in zip(null, answer)]
        names = [*batch.schema.names, self.name]
        yield pyarrow.record_batch([*batch.columns, pyarrow.array(mask, "bool")], names=names)


_COLUMNS = {
    "question": "int64", "found": "int64", "total": "int64", "ratio": "float64", "ngram": "string"
}  # fmt: skip
