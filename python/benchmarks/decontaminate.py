#!/usr/bin/env python3
"""How fast are documents in memory searched for runs of 13 words of a benchmark's questions?

decontaminate.py [--documents 300000] [--questions 2000] [--engine auto] [--threads 0] [--rounds 5]
    [--clock wall] [--load]

Documents and questions are of made-up words; one question in ten is in some document. Every run of 13
words of a question is a pattern, whole words, without case, as examples/decontaminate.py has it. Prints
patterns, documents, GB/s of text for each kind of answer, and how many documents hold a run, which
each has to agree on. --load: the documents lie on the device before the clock starts. --clock cpu divides by processor time, summed over threads: what one core does.
"""

import argparse
import random
import time

import pyarrow
import trawl
from others import make_text

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def make_documents(rng, text, count, questions):
    documents, at = [], 0
    for _ in range(count):
        size = rng.randint(200, 2000)
        documents.append(text[at : at + size].replace(b"\n", b" "))
        at = (at + size) % (len(text) - 2000)
    for question in questions[::10]:
        place = rng.randrange(count)
        documents[place] += b" " + question + b" "
    return pyarrow.array(documents, pyarrow.large_binary())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=300000)
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--engine", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--load", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    options = parser.parse_args()
    rng, clock = random.Random(options.seed), CLOCKS[options.clock]
    text = make_text(rng, 32 << 20)
    words = make_text(random.Random(options.seed + 1), 4 << 20).split()
    questions = [
        b" ".join(rng.choices(words, k=rng.randint(20, 60))) for _ in range(options.questions)
    ]
    documents = make_documents(rng, text, options.documents, questions)
    runs = {}
    for question in questions:
        split = question.split()
        for at in range(len(split) - 12):
            runs.setdefault(b" ".join(split[at : at + 13]).lower())
    plan = trawl.Plan(runs, ignore_case=True, words=True)
    size = documents.nbytes
    print(f"{len(plan):,} patterns, {len(documents):,} documents, {size / 1e9:.2f} GB")
    with trawl.Searcher(options.engine, options.threads) as searcher:
        if options.load:
            searcher.load(memoryview(documents.buffers()[2]))
        answers = {
            "contains": lambda: sum(searcher.contains(plan, documents)),
            "which": lambda: sum(one is not None for one in searcher.which(plan, documents)),
            "cells": lambda: len(set(searcher.cells(plan, documents).records)),
        }
        found = set()
        for kind, answer in answers.items():
            found.add(answer())
            best = min(timed(getattr(searcher, kind), plan, documents, clock)
                       for _ in range(options.rounds))  # fmt: skip
            print(f"{kind}: {size / best / 1e9:.2f} GB/s")
        assert len(found) == 1, found
        print(f"{found.pop()} documents hold a run")


def timed(search, plan, documents, clock):
    begin = clock()
    search(plan, documents)
    return clock() - begin


if __name__ == "__main__":
    main()
