#!/usr/bin/env python3
"""Compares the command's searches with errors, and its searches of FASTA files, with loops over the symbols.

usage: approximate.py TRAWL

Cases have --mismatches or --edits, and print lines, or have -o, -c, -v, --distance or --positions; FASTA files are cut
into lines of any length and are searched on both strands; the input is a file or a pipe, with small chunks.
TRAWL_TEST_SEED and TRAWL_TEST_SCALE work as in every test. docs/approximate.md says what an occurrence is.
"""
import gzip
import os
import sys

import cases
import locales

CASES = 640
COMPLEMENT = {"A": "T", "C": "G", "G": "C", "T": "A", "N": "N", "R": "Y", "Y": "R"}
BASES = {"A": "A", "C": "C", "G": "G", "T": "T", "N": "ACGT", "R": "AG", "Y": "CT"}


def equal(pattern, text, dna):
    """Return whether the pattern's symbol equals the text's symbol."""
    if not dna:
        return pattern == text
    return text.upper() in BASES and set(BASES[text.upper()]) <= set(BASES[pattern])


def hamming(pattern, text, most, dna):
    for begin in range(len(text) - len(pattern) + 1):
        distance = sum(not equal(p, t, dna) for p, t in zip(pattern, text[begin:]))
        if distance <= most:
            yield begin, begin + len(pattern), distance


def levenshtein(pattern, text, dna):
    """Return for each beginning of the text its edit distance from the whole pattern; first for the empty one."""
    row = list(range(len(pattern) + 1))
    rows = [row[-1]]
    for symbol in text:
        above, row = row, [row[0] + 1]
        for j, p in enumerate(pattern):
            row.append(min(above[j + 1] + 1, row[j] + 1, above[j] + (not equal(p, symbol, dna))))
        rows.append(row[-1])
    return rows


def edits(pattern, text, most, dna):
    reach = len(pattern) + most
    spans = {}  # end of a span: the key of the best span with this end, whose last part is the span's begin
    for begin in range(len(text)):
        for length, distance in enumerate(levenshtein(pattern, text[begin:begin + reach], dna)):
            if distance <= most:
                found = (distance, abs(length - len(pattern)), -length, begin)
                spans[begin + length] = min(spans.get(begin + length, found), found)
    for end, (distance, _, _, begin) in spans.items():
        after = [spans.get(e, (most + 1,))[0] for e in range(end + 1, end + reach + 1)]
        others = [other for other in after if other != distance]
        if spans.get(end - 1, (most + 1,))[0] > distance and (not others or others[0] > distance):
            yield begin, end, distance


def occurrences(patterns, text, most, by_edits, dna=False, both=False):
    """Return the sorted list of (begin, pattern, reversed, end, distance) in a text of a single
    line."""
    found = []
    for number, pattern in enumerate(patterns):
        for strand in range(2 if both else 1):
            if strand:
                pattern = "".join(COMPLEMENT[base] for base in reversed(pattern))
            for begin, end, distance in (edits(pattern, text, most, dna) if by_edits else
                                         hamming(pattern, text, most, dna)):
                found.append((begin, number, strand, end, distance))
    return sorted(found)


def leftmost_longest(found):
    best, last, taken = {}, 0, []
    for begin, _, _, end, distance in found:
        best[begin] = max(best.get(begin, (0, 0)), (end, -distance))
    for begin, (end, distance) in sorted(best.items()):
        if begin >= last:
            last = end
            taken.append((begin, end, -distance))
    return taken


def expected_lines(options, patterns, text, most, by_edits):
    lines = text.split("\n")[:-1] if text.endswith("\n") else text.split("\n") if text else []
    found = [occurrences(patterns, line, most, by_edits) for line in lines]
    output, offset = [], 0
    for number, (line, matches) in enumerate(zip(lines, found)):
        distance = "%d:" % min(f[4] for f in matches) if matches and "--distance" in options else ""
        if "--positions" in options:
            output += ["%d\n" % (offset + f[0]) for f in matches]
        elif "-o" in options:
            output += [("%d:" % d if distance else "") + line[b:e] + "\n" for b, e, d in leftmost_longest(matches)]
        elif bool(matches) != ("-v" in options):
            output.append(distance + line + "\n")
        offset += len(line) + 1
    return "%d\n" % len(output) if "-c" in options else "".join(output), bool(output)


def choose_patterns(rng, text, alphabet, most):
    patterns = []
    for _ in range(rng.choice([1, 1, 2, 4])):
        length = most + rng.choice([1, 2, 5, 9])
        begin = rng.randrange(len(text) + 1)
        pattern = "".join(s for s in text[begin:begin + length].upper() if s in alphabet)
        pattern += "".join(rng.choice(alphabet) for _ in range(length - len(pattern)))
        patterns.append(pattern)
    return sorted(set(patterns))


def lines_case(rng, most, by_edits):
    letters = rng.choice(["AB\n", "ABÉ", "ABÉ\n", "ABCDEFGH\n", "ABABABABABABABABABAB\n", "ABABABABABABABABABABABABABABABABAÉ\n"])
    text = "".join(rng.choice(letters) for _ in range(rng.choice([0, 5, 40, 150])))
    patterns = choose_patterns(rng, text, "ABÉ", most)
    options = rng.choice([[], ["-c"], ["-v"], ["-o"], ["--positions"], ["--distance"], ["--distance"], ["--distance", "-o"]])
    return options, patterns, text, expected_lines(options, patterns, text, most, by_edits)


def fasta_case(rng, most, by_edits):
    """Sequences with names of any length, wrapped lines, carriage returns, blank lines and lines that are not searched; in bytes
    or in bases, as lines, numbers, a count, or only the first occurrences."""
    text, output = [], []
    dna, both = rng.random() < 0.7, rng.random() < 0.5
    options = ["--fasta"] + ["--alphabet=dna"] * dna + rng.choice([[], [], ["-c"], ["-l"], ["-H"], ["--pattern-number"]]) + rng.choice([[], [], ["-m3"]])
    sequences = ["".join(rng.choice("ACGTacgtN") for _ in range(rng.choice([0, 3, 50, 150])))
                 for _ in range(rng.choice([1, 3, 9]))]
    patterns = choose_patterns(rng, rng.choice(sequences), "ACGTNRY", most)
    for number, sequence in enumerate(sequences):
        name = rng.choice(["s%d" % number, "s%d" % number, "", "n" * rng.choice([300, 4095, 4096, 4097, 9000])])
        if number > 0 or rng.random() < 0.8:  # letters before the first name are a sequence without a name
            text.append(">" + name + rng.choice([" it is\n", "\n", "\r\n", "\tACG\r\n"]))
        else:
            name = ""
        width = rng.choice([1, 7, 60, 1000])
        for at in range(0, len(sequence), width):
            text.append(rng.choice(["", "", "", "\n", "\r\n", ";>no\n"]) + sequence[at:at + width] + rng.choice(["\n", "\n", "\r\n", "\n;no\n"]))
        for begin, index, strand, end, distance in occurrences(patterns, sequence, most, by_edits, dna, both and dna):
            which = "%d:" % (index + 1) if "--pattern-number" in options else ""
            output.append("%s:%d:%s:%s%d:%s\n" % (name[:4096], begin, "+-"[strand], which, distance, sequence[begin:end]))
    if "-m3" in options:
        output = output[:3]
    expected = "%d\n" % len(output) if "-c" in options else "PATH\n" * bool(output) if "-l" in options else "".join(output)
    if "-H" in options:
        expected = "".join("PATH:" + line for line in output)
    text = "".join(text)
    return options + (both and dna) * ["--reverse-complement"], patterns, text[:-1] if rng.random() < 0.2 and text[-2:-1] not in "\r" else text, (expected, bool(output))


def run_case(rng, trawl, folder):
    """Return None, or what is wrong."""
    most, by_edits = rng.choice([1, 1, 2, 3]), rng.random() < 0.5
    options, patterns, text, (expected, found) = rng.choice([lines_case, fasta_case])(rng, most, by_edits)
    path = os.path.join(folder, "text")
    with open(path, "wb") as file:
        file.write(text.encode())
    if "--positions" in options:  # bytes, where the loops count characters
        begins = [len(text[:int(line)].encode()) for line in expected.split()]
        expected = "".join("%d\n" % begin for begin in begins)
    arguments = [trawl, "-j%d" % rng.choice([1, 2]), "--%s=%d" % ("edits" if by_edits else "mismatches", most)] + options
    if rng.random() < 0.7:
        arguments.append("--chunk-bytes=%d" % rng.choice([1, 3, 16, 100, 1000]))
    for pattern in patterns:
        arguments += ["-e", pattern]
    piped = rng.random() < 0.3
    expected = expected.replace("PATH", "(standard input)" if piped else path)
    got = cases.execute(arguments + [path] * (not piped), None, "C.UTF-8", text.encode() if piped else None)
    if got == (0 if found else 1, expected.encode(), b""):
        return None
    return "%r on %r: status %d; %r, expected %r; %r" % (
        arguments[1:], text[:300], got[0], got[1][:200].decode(), expected[:200], got[2][:300])


# (locale, text, arguments, what is printed)
LOCALES = [
    ("ja_JP.eucJP", "abxd\n", ["--edits=1", "abcd"], "abxd\n"),
    ("ja_JP.eucJP", "accd\n", ["--mismatches=1", "--any-base", "ACGD"], "accd\n"),
    ("de_DE.ISO-8859-1", "ABXD\n", ["-i", "--edits=1", "abcd"], "ABXD\n"),
    ("tr_TR.UTF-8", "DİRX\nDIRX\n", ["-i", "--mismatches=1", "dir."], "DİRX\nDIRX\n"),
]


def in_locales(trawl, folder):
    found = locales.prepare(trawl, False)
    for locale, text, arguments, expected in LOCALES:
        if locale not in found:
            continue
        got = cases.execute([trawl] + arguments, None, locale, text.encode())
        if (got[0], got[1].decode()) != (0, expected):
            return "%s: %r: %r, expected %r" % (locale, arguments, got, expected)
    return None


def damaged(trawl, folder):
    """Check that --fasta searches the sequences before the place where a compressed file is damaged."""
    packed = gzip.compress(b">s\nACG\nTTT\n" + b">t\nCCC\n" * 50000)
    with open(os.path.join(folder, "damaged.gz"), "wb") as file:
        file.write(packed[:len(packed) - 30])
    got = cases.execute([trawl, "--fasta", "--search-zip", "CGT", "damaged.gz"], folder)
    return None if got[:2] == (2, b"s:1:+:0:CGT\n") and got[2].startswith(b"trawl: damaged.gz: ") else "a damaged file: %r" % (got,)


def main():
    return cases.run("approximate", CASES, "command lines", run_case, [in_locales, damaged])


if __name__ == "__main__":
    sys.exit(main())
