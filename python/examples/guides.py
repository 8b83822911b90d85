#!/usr/bin/env python3
"""Where in a genome do CRISPR guides bind?

guides.py GUIDES GENOME.fa[.gz] [--pam NGG]

GUIDES: a guide of DNA in each line. Both strands of each sequence are searched for exact copies that
stand before the motif `--pam` (N: any base). Prints sequence, begin, strand, guide.
"""

import argparse
import gzip

import trawl

COMPLEMENT = bytes.maketrans(b"ACGTNacgtn", b"TGCANtgcan")


def reverse(dna):
    return dna.translate(COMPLEMENT)[::-1]


def sequences_of(path):
    """(name, bases) of each sequence, line ends taken out."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        name, lines = None, []
        for line in file:
            if line.startswith(b">"):
                if name is not None:
                    yield name, b"".join(lines)
                name, lines = line[1:].split()[0].decode(), []
            else:
                lines.append(line.strip())
        if name is not None:
            yield name, b"".join(lines)


def fits(bases, motif):
    return len(bases) == len(motif) and all(
        wanted == ord("N") or base == wanted for base, wanted in zip(bases.upper(), motif)
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("guides")
    parser.add_argument("genome")
    parser.add_argument("--pam", default="NGG")
    options = parser.parse_args()
    with open(options.guides, "rb") as file:
        guides = [line.strip().upper() for line in file if line.strip()]
    pam = options.pam.upper().encode()
    # Pattern i is guide i; pattern i + len(guides) is its other strand.
    plan = trawl.Plan(guides + [reverse(guide) for guide in guides], ignore_case=True)
    for name, bases in sequences_of(options.genome):
        for batch in plan.batches(bases):
            for begin, end, pattern in batch:
                if pattern < len(guides):
                    strand, motif = "+", bases[end : end + len(pam)]
                else:
                    strand, motif = "-", reverse(bases[max(begin - len(pam), 0) : begin])
                if fits(motif, pam):
                    guide = guides[pattern % len(guides)].decode()
                    print(f"{name}\t{begin}\t{strand}\t{guide}")


if __name__ == "__main__":
    main()
