"""Finds documents that hold parts of a benchmark's questions: a function, a stage and a command
(python -m trawl.decontaminate --help).

Questions and documents are brought to the same normal form. The questions are cut into n-grams (runs of n
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
# Letters and digits (\w) keep their normal form. Only runs of other characters are looked up.
_OTHERS = re.compile("[^\\0-\\x7f\\w]+")


class Overlap(NamedTuple):
    """A question of which a document holds n-grams.

    document, question: 0-based numbers. total: how many different n-grams the question has. found: how
    many of the question's n-grams the document holds. ratio: found / total. ngram: the question's
    n-gram that comes first in the document, in normal form.
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
    """A normal form of texts: form(text) is the normal form as UTF-8.

    nfkc: characters that Unicode calls compatible are equal (NFKC). Examples are e + accent and the
      accented letter, full-width letters, ligatures.
    ignore_case: letters that differ in case alone are equal (str.casefold).
    punctuation: what happens to characters that are no letter, mark, digit or _. "split": they separate
      words, as a blank does. "delete": they are removed, so that "don't" becomes "dont". "keep": they
      are part of words. Formatting characters (soft hyphen, zero-width space) are removed except with
      "keep".
    spaces: "fold": a run of white space becomes one blank, and leading and trailing white space is
      removed. "delete": white space is removed. "keep": white space stays.

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
        # Normalize before and after folding case: the folded letter and a mark may compose to a
        # character although the original letter and the mark do not.
        normal: list[Any] = [functools.partial(unicodedata.normalize, "NFKC")] if nfkc else []
        self._steps = [*normal, str.casefold, *normal] if ignore_case else normal
        ascii = [self._character(chr(code)) for code in range(128)]
        self._deleted = bytes(code for code in range(128) if not ascii[code])
        letters = "".join(one or " " for one in ascii)
        self._table = (letters.lower() if ignore_case else letters).encode() + bytes(range(128, 256))
        self._characters = _Characters(self)

    def _character(self, one: str) -> str:
        """Return what replaces a character, case aside."""
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
        # ASCII characters are translated as bytes, which takes a third of the time.
        if not text.isascii():
            for step in self._steps:
                text = step(text)
            text = _OTHERS.sub(lambda run: run[0].translate(self._characters), text)
        data = text.encode("utf-8", "surrogatepass").translate(self._table, self._deleted)
        return b" ".join(data.split()) if self.spaces == "fold" else data


class _Characters(dict[int, str]):
    """A table for str.translate, which computes an entry when a character first occurs."""

    def __init__(self, form: Form) -> None:
        self.form = form

    def __missing__(self, code: int) -> str:
        self[code] = self.form._character(chr(code))
        return self[code]

    def __reduce__(self) -> Any:
        return _Characters, (self.form,)


class Questions:
    """The questions of a benchmark, prepared for searches of any number of documents. Threads may share a
    Questions object, and pickle can store it.

    words, characters: the length of an n-gram, in words or in characters; the default is 13 words.
    short: what to do with a question that is shorter than an n-gram. "warn": skip the question, with a
      warning. "ignore": skip the question. "whole": search for the whole question. The attribute `short`
      lists the numbers of short questions, `unsearched` the numbers of skipped questions.
    least: leave out overlaps with a smaller ratio.
    nfkc, ignore_case, punctuation, spaces: the normal form, see Form. Words need spaces="fold".
    ValueError: no question is left to search for.

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
            raise ValueError("words, characters: give only one of the two")
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
        self._owners: list[list[int]] = []  # for each n-gram, the questions that contain the n-gram
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
        """Return the question's different n-grams, in order."""
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
        """Return the document in normal form. If n-grams are words, add a blank at both ends, so that an
        n-gram between blanks matches whole words."""
        if document is None:
            return None
        if not isinstance(document, str):
            raise TypeError(f"documents: str is needed, not {type(document).__name__}")
        return b" %b " % self.form(document) if self.of_words else self.form(document)

    def overlaps(
        self, documents: Iterable[str | None], *, searcher: Searcher | None = None
    ) -> Iterator[Overlap]:
        """Yield the overlaps, in order of (document, question). documents: an iterable of str and None,
        for example an Arrow column, which is read on demand."""
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
        firsts: dict[int, tuple[int, int]] = {}  # question -> (begin, n-gram) of its first n-gram
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
        """Make a Stage that searches a table's column for these questions."""
        return Stage(self, column, kind, **options)


def decontaminate(
    questions: Iterable[str], documents: Iterable[str | None], **options: Any
) -> Iterator[Overlap]:
    """Yield the overlaps of documents with questions, in order of (document, question). Options are
    those of Questions."""
    return Questions(questions, **options).overlaps(documents)


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
