#!/usr/bin/env python3
"""Finds documents that hold near-copies of a benchmark's questions, with typing errors or changed words.

near_copies.py QUESTIONS DOCUMENTS [EDITS]

QUESTIONS: a text file, a question in each line. DOCUMENTS: JSON lines with the fields id and text.
Questions and documents are brought to the normal form of trawl.decontaminate. Then each whole question is
searched with up to EDITS (8) characters inserted, deleted or replaced. Prints a line for each document
and question: the document's id, the question's number, the edits of the nearest copy, the share of the
question's runs of 13 words that the document holds exactly, and the copy. Questions shorter than 4 * EDITS
characters are left out; standard error says how many.
"""

import json
import sys

import trawl
from trawl.decontaminate import Form, Questions

def near_copies(questions, texts, most):
    """Yield (document, question, edits, copy) for each pair; copy is the first nearest copy."""
    form = Form(punctuation="keep")
    normal = [form(question).decode() for question in questions]
    long = [number for number, question in enumerate(normal) if len(question) >= 4 * most]
    if len(long) < len(questions):
        print(f"questions left out, too short: {len(questions) - len(long)}", file=sys.stderr)
    plan = trawl.Plan([normal[number] for number in long], edits=most)
    for document, text in enumerate(texts):
        data = form(text).decode()
        best = {}
        for begin, end, pattern, distance in plan.matches(data):
            if pattern not in best or distance < best[pattern][0]:
                best[pattern] = distance, data[begin:end]
        for pattern in sorted(best):
            yield document, long[pattern], *best[pattern]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        questions = [line for line in file if line.strip()]
    with open(sys.argv[2], encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    texts = [row["text"] for row in rows]
    runs = Questions(questions, words=13, short="whole").overlaps(texts)
    shares = {(one.document, one.question): one.ratio for one in runs}
    for document, question, distance, copy in near_copies(questions, texts, most):
        share = shares.get((document, question), 0)
        print(rows[document]["id"], question, distance, f"{share:.2f}", copy, sep="\t")


if __name__ == "__main__":
    main()
