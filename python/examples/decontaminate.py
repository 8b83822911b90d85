#!/usr/bin/env python3
"""Which documents hold a run of words of a benchmark's questions?

decontaminate.py QUESTIONS DOCUMENTS [--words 13] [--column text] [--id id]

QUESTIONS: a text file, a question in each line. DOCUMENTS: a Parquet file, or JSON lines.
Every run of that many words of a question is searched in every document. Words are letters, digits
and _ (what `re` calls \\w) without case (str.casefold), in both; what stands between them does not
count. Prints one line for each document that holds a run: its id, how many runs, the first question
they come from, and where each begins, in bytes, in the document's words with one blank between them.
Questions of fewer words are not searched, and are told.
"""

import argparse
import re
import sys

import pyarrow
import pyarrow.json
import pyarrow.parquet
import trawl
from trawl.stages import Stage

WORD = re.compile(r"\w+")


def words_of(text):
    """The same for questions and documents: a run of one is then a run of the other."""
    return WORD.findall(text.casefold())


def runs_of(questions, words):
    """({run of words: number of the first question that has it}, the questions that are too short)."""
    found, short = {}, []
    for number, question in enumerate(questions):
        split = words_of(question)
        if len(split) < words:
            short.append(number)
        for at in range(len(split) - words + 1):
            # It begins and ends where words do.
            found.setdefault(f" {' '.join(split[at : at + words])} ", number)
    return found, short


def batches_of(path, columns):
    if path.endswith(".parquet"):
        yield from pyarrow.parquet.ParquetFile(path).iter_batches(columns=columns)
    else:
        yield from pyarrow.json.read_json(path).select(columns).to_batches()


def normalized(batches, column):
    """The documents' words, with a blank before and after each."""
    for batch in batches:
        texts = [
            text and f" {' '.join(words_of(text))} " for text in batch.column(column).to_pylist()
        ]
        texts = pyarrow.array(texts, pyarrow.large_string())
        yield batch.set_column(batch.schema.get_field_index(column), column, texts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("questions")
    parser.add_argument("documents")
    parser.add_argument("--words", type=int, default=13)
    parser.add_argument("--column", default="text")
    parser.add_argument("--id", default="id")
    options = parser.parse_args()
    with open(options.questions, encoding="utf-8") as file:
        runs, short = runs_of(file, options.words)
    if short:
        numbers = ", ".join(map(str, short))
        print(f"fewer than {options.words} words, not searched: {numbers}", file=sys.stderr)
    questions = list(runs.values())
    plan = trawl.Plan(runs)
    stage = Stage(plan, options.column, "cells", keep=[options.id])
    batches = batches_of(options.documents, [options.id, options.column])
    for cells in stage(normalized(batches, options.column)):
        documents = {}
        for row in cells.to_pylist():
            documents.setdefault((row["record"], row[options.id]), []).append(row)
        for (_, name), rows in documents.items():
            first = min(questions[row["pattern"]] for row in rows)
            places = ",".join(str(begin) for begin in sorted(row["begin"] for row in rows))
            print(f"{name}\t{len(rows)}\t{first}\t{places}")
    counters = stage.counters
    print(f"{counters['found']} of {counters['records']} documents", file=sys.stderr)


if __name__ == "__main__":
    main()
