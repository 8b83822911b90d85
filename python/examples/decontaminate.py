#!/usr/bin/env python3
"""Which documents hold a run of words of a benchmark's questions?

decontaminate.py QUESTIONS DOCUMENTS [--words 13] [--column text] [--id id]

QUESTIONS: a text file, a question in each line. DOCUMENTS: a Parquet file, or JSON lines.
Every run of that many words of a question is searched in every document, without case; runs of blanks
are one blank in both. Prints one line for each document that holds a run: its id, how many runs, the
first question they come from, and where in the normalized document each begins.
"""

import argparse
import sys

import pyarrow
import pyarrow.compute as compute
import pyarrow.json
import pyarrow.parquet
import trawl
from trawl.stages import Stage


def runs_of(questions, words):
    """{run of words: number of the first question that has it}."""
    found = {}
    for number, question in enumerate(questions):
        split = question.split()
        for at in range(len(split) - words + 1):
            found.setdefault(" ".join(split[at : at + words]).lower(), number)
    return found


def batches_of(path, columns):
    if path.endswith(".parquet"):
        yield from pyarrow.parquet.ParquetFile(path).iter_batches(columns=columns)
    else:
        yield from pyarrow.json.read_json(path).select(columns).to_batches()


def normalized(batches, column):
    """Runs of blanks become one blank."""
    for batch in batches:
        text = compute.replace_substring_regex(batch.column(column), r"\s+", " ")
        yield batch.set_column(batch.schema.get_field_index(column), column, text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("questions")
    parser.add_argument("documents")
    parser.add_argument("--words", type=int, default=13)
    parser.add_argument("--column", default="text")
    parser.add_argument("--id", default="id")
    options = parser.parse_args()
    with open(options.questions, encoding="utf-8") as file:
        runs = runs_of(file, options.words)
    questions = list(runs.values())
    # A run begins and ends where words do.
    plan = trawl.Plan(runs, ignore_case=True, words=True)
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
