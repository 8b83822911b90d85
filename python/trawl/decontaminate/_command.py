"""The command python -m trawl.decontaminate, which searches files of documents for questions."""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import contextlib
import itertools
import json
import lzma
import multiprocessing
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .. import Searcher
from .._files import NewFile, named
from ..stages import json_text, lines_of
from . import Questions

COLUMNS = {
    "file": "string", "document": "int64", "id": "string", "question": "int64", "found": "int64",
    "total": "int64", "ratio": "float64", "ngram": "string",
}  # fmt: skip

_ROWS = 4096  # a piece of a Parquet file has up to this many rows

EPILOG = """
QUESTIONS: a text file with a question in each line, JSON lines (.jsonl, .json, .ndjson) or Parquet
(.parquet). DOCUMENTS: JSON lines or Parquet. JSON lines may be compressed (.gz, .xz, .zst, .lz4, .bz2).
The output has a row for each document and each question of which the document holds n-grams: file,
document (0-based line or row), id, question (0-based number), found (n-grams of the question that the
document holds), total (n-grams of the question), ratio (found / total), ngram (the first in the document).
Exit status: 0, all documents were searched; 1, standard error names documents that could not be searched;
2, an error.
"""


def arguments_of(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m trawl.decontaminate",
        description="Which documents hold parts of a benchmark's questions?",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    option = parser.add_argument
    option("questions", metavar="QUESTIONS")
    option("documents", metavar="DOCUMENTS", nargs="+")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--words", type=int, help="an n-gram is this many words (13)")
    size.add_argument("--characters", type=int, help="an n-gram is this many characters")
    option("--least", type=float, default=0.0, help="leave out overlaps of a smaller ratio")
    option("--short", choices=("warn", "whole"), default="warn",
           help="a question of fewer words is skipped (warn), or searched as a whole")  # fmt: skip
    option("--case", action="store_true", help="letters that differ only in case are different")
    option("--no-nfkc", action="store_true", help="characters that are compatible differ")
    option("--punctuation", choices=("split", "delete", "keep"), default="split",
           help="punctuation separates words (split), is removed, or is part of words")  # fmt: skip
    option("--spaces", choices=("fold", "delete", "keep"), default="fold",
           help="white space becomes one blank (fold), is removed, or stays")  # fmt: skip
    option("--no-markup", action="store_true", help="tags, entities and links' targets are text")
    option("--question-column", default="text", help="where a question is (text)")
    option("--column", default="text", help="where a document's text is (text)")
    option("--id", default="id", help="what names a document, if there is such a column (id)")
    option("--output", help="where rows go: JSON lines, or Parquet (standard output)")
    option("--clean", metavar="FOLDER", help="write the documents without overlaps there")
    option("--workers", type=int, default=1, help="processes that search (1)")
    options = parser.parse_args(argv)
    if options.workers < 1:
        parser.error("argument --workers: 1 or more are needed")
    return options


# ---- Files ----


def compression_of(path: str) -> str | None:
    return "detect" if path.endswith((".gz", ".zst", ".bz2", ".lz4")) else None


def reader_of(path: str) -> Any:
    import pyarrow

    return lzma.open(path) if path.endswith(".xz") else pyarrow.input_stream(path, compression=compression_of(path))


def pieces_of(path: str, column: str, others: list[str] | None) -> Iterator[Any]:
    """Yield pieces of a file: record batches of a Parquet file, with `column` and the given other columns
    (None: all columns), or lists of lines. The first piece is empty. Errors name the file."""
    try:
        yield from _pieces_of(path, column, others)
    except (OSError, ValueError, EOFError, lzma.LZMAError) as error:
        if path in str(error):
            raise
        raise ValueError(f"{path}: {error}") from error


def _pieces_of(path: str, column: str, others: list[str] | None) -> Iterator[Any]:
    if path.endswith(".parquet"):
        import pyarrow.parquet

        file = pyarrow.parquet.ParquetFile(path)
        names = file.schema_arrow.names
        if column not in names:
            raise ValueError(f"{path}: there is no column {column}")
        names = [name for name in names if others is None or name in (column, *others)]
        columns = [file.schema_arrow.field(name) for name in names]
        yield pyarrow.RecordBatch.from_pylist([], pyarrow.schema(columns))
        yield from file.iter_batches(_ROWS, columns=names)
        return
    yield []
    with reader_of(path) as stream:
        yield from lines_of(stream)


def texts_of(piece: Any, column: str | None) -> list[tuple[str | None, str | None]]:
    """Return (text, None) or (None, the reason) for each record. column None: a line is a text."""
    if isinstance(piece, list):
        return [json_text(line, column) if column else plain_text(line) for line in piece]
    texts = piece.column(column).to_pylist()
    fine = (str, type(None))
    return [(text, None) if isinstance(text, fine) else (None, "no string") for text in texts]


def plain_text(line: bytes) -> tuple[str | None, str | None]:
    try:
        return line.decode().removesuffix("\r"), None
    except UnicodeDecodeError as fault:
        return None, str(fault)


def questions_of(path: str, column: str) -> Iterator[str]:
    named = re.search(r"\.(jsonl|json|ndjson|parquet)(\.gz|\.zst|\.bz2|\.lz4|\.xz)?$", path)
    number = 0
    for piece in pieces_of(path, column, []):
        for text, error in texts_of(piece, column if named else None):
            if text is None:
                raise ValueError(f"{path}: question {number}: {error or 'null'}")
            number += 1
            yield text


class Writer(contextlib.ExitStack):
    """Writes a file of lines, compressed if its name says so, or a Parquet file; None: standard output. At the end of a
    `with` block without an exception, the file gets its name."""

    def __init__(self, path: str | None) -> None:
        super().__init__()
        self.path = path or ""
        self.file: Any = None
        self.raw = self.enter_context(open(os.dup(1), "wb")) if path is None else self.enter_context(NewFile(path)).file

    def __exit__(self, *what: Any) -> Any:
        with named(self.path or "standard output"):
            return super().__exit__(*what)

    def put(self, piece: Any) -> None:
        with named(self.path or "standard output"):
            if self.file is None:
                self.file = self._opened(piece)
            if isinstance(piece, list):
                self.file.write(b"".join(line + b"\n" for line in piece))
            else:
                self.file.write_batch(piece)

    def _opened(self, piece: Any) -> Any:
        import pyarrow.parquet

        if not isinstance(piece, list):
            return self.enter_context(pyarrow.parquet.ParquetWriter(self.raw, piece.schema))
        if compression_of(self.path) is None and not self.path.endswith(".xz"):
            return self.raw
        packed = open(os.dup(self.raw.fileno()), "wb")  # the packer closes this file
        if self.path.endswith(".xz"):
            self.enter_context(packed)
            return self.enter_context(lzma.open(packed, "wb"))
        codec = pyarrow.Codec.detect(self.path).name
        return self.enter_context(pyarrow.CompressedOutputStream(packed, codec))


def rows_for(path: str | None, rows: list[dict[str, Any]]) -> Any:
    """Return the rows in the form that Writer(path) accepts."""
    if path is None or not path.endswith(".parquet"):
        return [json.dumps(row, ensure_ascii=False).encode() for row in rows]
    import pyarrow

    named = [row | {"id": None if row["id"] is None else str(row["id"])} for row in rows]
    schema = pyarrow.schema([(name, COLUMNS[name]) for name in COLUMNS])
    return pyarrow.RecordBatch.from_pylist(named, schema)


# ---- Searching ----


class Done(NamedTuple):
    records: int
    rows: list[dict[str, Any]]
    wrong: list[tuple[int, str]]
    clean: Any  # the piece's documents without an overlap or an error; None: not requested


class Work:
    """Searches a piece of a file, in a worker process if there are several workers. Numbers count from the start of the
    piece."""

    def __init__(self, questions: Questions, options: argparse.Namespace) -> None:
        self.questions, self.column, self.id = questions, options.column, options.id
        self.clean, self.alone = options.clean is not None, options.workers == 1
        self.searcher: Searcher | None = None

    def __call__(self, piece: Any) -> Done:
        if self.searcher is None:
            self.searcher = Searcher("auto", 0) if self.alone else Searcher("cpu", 1)
        texts = texts_of(piece, self.column)
        documents = [text for text, _ in texts]
        found = list(self.questions.overlaps(documents, searcher=self.searcher))
        rows = [
            dict(zip(COLUMNS, (None, one.document, self._id(piece, one.document), *one[1:4],
                               one.ratio, one.ngram)))
            for one in found
        ]  # fmt: skip
        wrong = [(number, error) for number, (_, error) in enumerate(texts) if error is not None]
        left = {one.document for one in found} | {number for number, _ in wrong}
        return Done(len(texts), rows, wrong, self._without(piece, left) if self.clean else None)

    def _id(self, piece: Any, number: int) -> Any:
        if isinstance(piece, list):
            return json.loads(piece[number]).get(self.id)
        return piece.column(self.id)[number].as_py() if self.id in piece.schema.names else None

    def _without(self, piece: Any, left: set[int]) -> Any:
        import pyarrow

        keep = [number not in left for number in range(len(piece))]
        if isinstance(piece, list):
            return list(itertools.compress(piece, keep))
        return piece.filter(pyarrow.array(keep, "bool"))


_worker: Work  # set by start() in a worker process


def start(work: Work) -> None:
    global _worker
    _worker = work


def do(piece: Any) -> Done:
    return _worker(piece)


def searched(work: Work, pieces: Iterable[Any], pool: Any, workers: int) -> Iterator[Done]:
    """Yield the result for each piece, in order. Up to 2 * workers pieces wait in the processes."""
    if pool is None:
        yield from map(work, pieces)
        return
    waiting: collections.deque[Any] = collections.deque()
    for piece in pieces:
        waiting.append(pool.submit(do, piece))
        if len(waiting) > 2 * workers:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def tell(message: str) -> None:
    print(f"trawl.decontaminate: {message}", file=sys.stderr)


def run(options: argparse.Namespace) -> int:
    names = [os.path.basename(path) for path in options.documents]
    if options.clean is not None:
        if len(set(names)) < len(names):
            raise ValueError("--clean: two files of documents have the same name")
        os.makedirs(options.clean, exist_ok=True)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        questions = Questions(
            questions_of(options.questions, options.question_column),
            words=options.words,
            characters=options.characters,
            short=options.short,
            least=options.least,
            ignore_case=not options.case,
            nfkc=not options.no_nfkc,
            punctuation=options.punctuation,
            spaces=options.spaces,
            markup=not options.no_markup,
        )
    for warning in told:
        tell(str(warning.message))
    work, totals = Work(questions, options), collections.Counter[str]()
    seen: set[int] = set()
    with contextlib.ExitStack() as stack:
        pool = None
        if options.workers > 1:
            pool = stack.enter_context(
                concurrent.futures.ProcessPoolExecutor(
                    options.workers, multiprocessing.get_context("spawn"), start, (work,)
                )
            )
        output = stack.enter_context(Writer(options.output))
        for path, name in zip(options.documents, names):
            clean = None
            if options.clean is not None:
                target = os.path.join(options.clean, name)
                if os.path.exists(target) and os.path.samefile(path, target):
                    raise ValueError(f"--clean: {target} would be written over itself")
                clean = stack.enter_context(Writer(target))
            first = 0
            pieces = pieces_of(path, options.column, None if clean else [options.id])
            for done in searched(work, pieces, pool, options.workers):
                for row in done.rows:
                    row["file"], row["document"] = path, first + row["document"]
                    seen.add(row["question"])
                output.put(rows_for(options.output, done.rows))
                for number, error in done.wrong:
                    tell(f"{path}: document {first + number}: {error}")
                if clean is not None:
                    clean.put(done.clean)
                first += done.records
                totals["bad"] += len(done.wrong)
                totals["held"] += len({row["document"] for row in done.rows})
            totals["documents"] += first
    tell(
        f"{totals['held']} of {totals['documents']} documents hold parts of {len(seen)} of "
        f"{len(questions.totals)} questions ({len(questions.unsearched)} too short to be searched); "
        f"{totals['bad']} documents could not be searched"
    )
    return 1 if totals["bad"] else 0


def main(argv: list[str] | None = None) -> int:
    try:
        return run(arguments_of(argv))
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        tell(str(error))
        return 2
