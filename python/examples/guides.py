#!/usr/bin/env python3
"""Counts the places in a genome where CRISPR guides could bind, by distance.

guides.py GUIDES GENOME.fa[.gz] [--pam NGG] [--mismatches 4] [--any-base] [--sites FILE]

GUIDES: a guide of DNA in each line. Both strands of each sequence are searched for places that differ
from a guide in up to --mismatches letters and are followed by the motif `--pam` (N: any base), which must
match exactly. Prints a row for each guide: the number of places with 0, 1, 2, ... mismatches.
--sites: write all places to a file, in lines of BED: sequence, begin, end, guide, mismatches, strand.
--any-base: N and other ambiguous letters of the genome match each base that they represent.
"""

import argparse
import collections
import pathlib
import sys

import trawl


def plan_of(guides, pam, options):
    """Build a plan of guide + motif. The guides need equal lengths, because the plan's exact part is the
    same for all patterns."""
    sizes = {len(guide) for guide in guides}
    if len(sizes) != 1:
        sys.exit(f"guides.py: guides of one length are needed, not of {sorted(sizes)}")
    (size,) = sizes
    return trawl.Plan(
        [guide + pam for guide in guides],
        mismatches=options.mismatches,
        alphabet="dna",
        exact=[(size, size + len(pam))] if pam else [],
        reverse_complement=True,
        any_base=options.any_base,
    )


def search(plan, guides, sequences, sites):
    """{guide's number: {mismatches: places}}"""
    table = collections.defaultdict(collections.Counter)
    for name, bases in sequences:
        for batch in plan.batches(bases):
            for begin, end, guide, distance, strand in batch:
                table[guide][distance] += 1
                if sites is not None:
                    print(name, begin, end, guides[guide], distance, strand, sep="\t", file=sites)
    return table


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[2])
    parser.add_argument("guides")
    parser.add_argument("genome")
    parser.add_argument("--pam", default="NGG")
    parser.add_argument("--mismatches", type=int, default=4)
    parser.add_argument("--any-base", action="store_true")
    parser.add_argument("--sites", type=argparse.FileType("w"))
    options = parser.parse_args()
    with open(options.guides) as file:
        guides = [line.strip().upper() for line in file if line.strip()]
    plan = plan_of(guides, options.pam.upper(), options)
    table = search(plan, guides, trawl.fasta(pathlib.Path(options.genome)), options.sites)
    distances = range(options.mismatches + 1)
    print("guide", *distances, sep="\t")
    for number, guide in enumerate(guides):
        print(guide, *(table[number][distance] for distance in distances), sep="\t")
    sums = [sum(row[distance] for row in table.values()) for distance in distances]
    print("all", *sums, sep="\t")


if __name__ == "__main__":
    main()
