#!/usr/bin/env python3
"""Finds documents that hold a run of words of a benchmark's questions.

decontaminate.py QUESTIONS DOCUMENTS [WORDS]

QUESTIONS: a text file, a question in each line. DOCUMENTS: JSON lines with the fields id and text.
Prints a line for each document and each question with a common run of WORDS (13) words: the document's
id, the question's number, the share of the question's runs that the document holds, and the first run.
`python -m trawl.decontaminate` also reads Parquet, uses several processes, and has more options.
"""

import json
import sys

from trawl.decontaminate import Questions


def main():
    questions, documents, *words = sys.argv[1:]
    with open(questions, encoding="utf-8") as file:
        wanted = Questions(file, words=int(words[0]) if words else 13)
    with open(documents, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for overlap in wanted.overlaps(row["text"] for row in rows):
        name = rows[overlap.document]["id"]
        print(f"{name}\t{overlap.question}\t{overlap.ratio:.2f}\t{overlap.ngram}")


if __name__ == "__main__":
    main()
