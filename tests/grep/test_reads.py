"""Compares the command's searches of FASTQ files, and of whole records, with a reader of a few lines, and with seqkit
and cutadapt where these are installed.

Sequences and qualities are wrapped at any length, lines end in newline or in carriage return and newline, some files
are damaged or end too early, and some are packed by gzip, in one member or several, and may be cut. Patterns are strings,
with mismatches, or expressions, on both strands. Reports are occurrences, BED, counts and whole records, of one file or of two in step.
"""

import gzip
import os
import re
import shutil
import zlib

import cases
import pytest
from harness import execute, random_of, write

CASES, ONE_IN = 1200, 3
CODES = {"A": "A", "C": "C", "G": "G", "T": "T", "U": "T", "R": "AG", "Y": "CT", "S": "CG", "W": "AT", "K": "GT",
         "M": "AC", "B": "CGT", "D": "AGT", "H": "ACT", "V": "ACG", "N": "ACGT"}  # fmt: skip
COMPLEMENT = str.maketrans("ACGTURYSWKMBDHVNacgturyswkmbdhvn", "TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn")


class Case:
    """The options of a command line."""

    def __init__(self, rng):
        self.fastq = rng.random() < 0.75
        self.dna = rng.random() < 0.6
        self.both = self.dna and rng.random() < 0.6
        self.syntax = rng.choice(["", "", "-P", "-E"])
        self.fold = self.syntax and not self.dna and rng.random() < 0.3
        self.any = self.dna and rng.random() < 0.2
        self.most = rng.choice([0, 0, 1, 2]) if not self.syntax else 0
        self.amplicon = rng.choice(["", "1-1000", "5-20", "12"]) if self.both and not self.syntax else ""
        self.records = rng.random() < 0.5
        self.invert = self.records and rng.random() < 0.4
        self.pair = self.fastq and self.records and rng.random() < 0.5
        self.report = rng.choice(["", "", "-c", "-l"] if self.records else ["", "--bed", "--bed", "-c"])
        self.limit = rng.choice([None, None, None, 1, 2])
        self.packed = rng.choice(["", "", "gzip", "members", "cut"]) if self.fastq else ""
        self.damage = rng.choice(["", "", "", "cut", "byte", "line"]) if self.fastq else ""
        self.input, self.jobs = rng.choice(["pipe", "file"]), rng.choice([1, 2])
        self.chunk = rng.choice([0, 0, 1, 3, 16, 100, 1000])

    def features(self):
        return {"%s %s" % row for row in vars(self).items()}

    def arguments(self):
        options = [("--fastq", self.fastq), ("--fasta", not self.fastq), ("--alphabet=dna", self.dna),
                   ("--reverse-complement", self.both), (self.syntax, self.syntax), ("-i", self.fold),
                   ("--amplicon=" + self.amplicon, self.amplicon),
                   ("--any-base", self.any), ("--mismatches=%d" % self.most, self.most),
                   ("--records", self.records), ("-v", self.invert), (self.report, self.report),
                   ("-m%s" % self.limit, self.limit), ("--search-zip", self.packed),
                   ("--chunk-bytes=%d" % self.chunk, self.chunk), ("-j%d" % self.jobs, True)]  # fmt: skip
        return [option for option, given in options if given]


def features(rng, *_):
    return Case(rng).features()


def wrapped(rng, text, end, most=1000):
    """Return the lines of a sequence, at least one."""
    width = rng.choice([1000, 1000, 3, 7, 60])
    return "".join(text[at : at + width] + end for at in range(0, max(len(text), 1), width))


def made(rng, case, names):
    """Return a text of FASTQ or FASTA."""
    letters = rng.choice(["ACGT", "ACGT", "ACGTN", "ACGTUacgtn", "AAC"])
    end, parts = rng.choice(["\n", "\n", "\r\n"]), []
    for name in names:
        sequence = "".join(rng.choices(letters, k=rng.choice([0, 1, 9, 30, 100])))
        if case.fastq:
            qualities = "".join(rng.choices("@+I>#~", k=len(sequence)))
            parts.append("@" + name + rng.choice(["", " a b", "\tx"]) + end + wrapped(rng, sequence, end))
            parts.append("+" + rng.choice(["", name]) + end + wrapped(rng, qualities, end))
            parts.append(rng.choice(["", "", "", end]))
        else:
            parts.append(">" + name + rng.choice(["", " a b"]) + end + wrapped(rng, sequence, end))
            parts.append(rng.choice(["", "", "", ";no" + end, end]))
    text = "".join(parts)
    return text if rng.random() < 0.8 else text.rstrip("\r\n") if text[-3:].strip("\r\n") else text


def damaged(rng, case, text):
    at = rng.randrange(len(text) + 1)
    if case.damage == "cut":
        return text[:at]
    if case.damage == "byte":
        return text[:at] + rng.choice(["", "\n", "@", "+", "\r", "x"]) + text[at + 1 :]
    if case.damage == "line":
        lines = text.splitlines(True)
        del lines[at * len(lines) // (len(text) + 1) : at * len(lines) // (len(text) + 1) + 1]
        return "".join(lines)
    return text


def lines_of(text):
    """Return the lines with their ends, and those without."""
    lines = re.findall("[^\n]*\n|[^\n]+", text)
    return lines, [line.removesuffix("\n").removesuffix("\r") for line in lines]


def read_fastq(text):
    """Return the records as (name, sequence, record), and where the text is not FASTQ: (record, line) or None."""
    records, at = [], 0
    lines, bare = lines_of(text)
    while True:
        while at < len(lines) and not bare[at]:
            at += 1
        number = len(records) + 1
        if at >= len(lines):
            return records, None
        begin, sequence, qualities = at, "", ""
        if not bare[at].startswith("@") or "\r" in bare[at]:
            return records, (number, at + 1)
        at += 1
        while at < len(lines) and bare[at][:1] not in ("+", "@"):
            sequence += bare[at]
            at += 1
        if at == len(lines) or bare[at][0] == "@" or "\r" in bare[at]:
            return records, (number, at + 1)
        at += 1
        first = True
        while first or len(qualities) < len(sequence):
            if at == len(lines) and sequence:
                return records, (number, at + 1)
            qualities += bare[at] if at < len(lines) else ""
            if len(qualities) > len(sequence):
                return records, (number, at + 1)
            at, first = at + 1, False
        name = re.match(r"[^\0- ]*", bare[begin][1:])[0]
        whole = "".join(lines[begin:at])
        whole += "\n" * (not whole.endswith("\n")) + "\n" * (at > len(lines))
        records.append((name, sequence, whole))


def read_fasta(text):
    """Return the records as (name, sequence, record)."""
    records = []
    for line, bare in zip(*lines_of(text)):
        if bare.startswith(">"):
            records.append([re.match(r"[^\0- ]*", bare[1:])[0], "", ""])
        elif not bare.startswith(";"):
            records[-1][1] += bare
        records[-1][2] += line if line.endswith("\n") else line + "\n"
    return records


def codes_of(case, letters):
    """Return the letters of a text that equal one of these letters."""
    if not case.dna:
        return letters
    wanted = [set(CODES[letter.upper()]) for letter in letters]
    test = set.__and__ if case.any else set.__ge__
    return "".join(code + code.lower() for code in CODES if any(test(one, set(CODES[code])) for one in wanted))


def draw_expression(rng, case, depth=0):
    """Return an expression, and what it means for Python's re."""
    ours, theirs = "", ""
    for _ in range(rng.choice([1, 2, 3])):
        letters = "".join(rng.sample("ACGTNRU" if case.dna else "ACGTNacg", rng.choice([1, 1, 2, 3])))
        kind = rng.randrange(8 if depth < 2 else 5)
        if kind < 2:
            atom = letters[0], "[%s]" % codes_of(case, letters[0])
        elif kind < 4:
            atom = "[%s]" % letters, "[%s]" % codes_of(case, letters)
        elif kind == 4:
            atom = "[^%s]" % letters, "[^%s]" % codes_of(case, letters)
        else:
            one, other = draw_expression(rng, case, depth + 1), draw_expression(rng, case, depth + 1)
            atom = (
                tuple("(%s|%s)" % pair for pair in zip(one, other))
                if case.syntax == "-P"
                else ("(%s)" % one[0], "(%s)" % one[1])
            )
        # without alternatives and what is optional, the first match of Perl's syntax is the longest; endless repetitions
        # in groups may take Python exponential time
        more = ["", "", "", "{1,2}", "{2}"] + ["+"] * (depth == 0) + ["?"] * (case.syntax == "-P")
        more += ["*", "+?"] * (case.syntax == "-P" and depth == 0)
        if kind > 4:  # programs differ in repetitions of what may be empty
            more = ["", "", "{1,2}"] * (case.syntax == "-P" and not re.fullmatch(atom[1], "")) or [""]
        count = rng.choice(more)
        ours, theirs = ours + atom[0] + count, theirs + atom[1] + count
    if depth == 0 and re.fullmatch(theirs, ""):  # Python's re then also finds longer matches where an empty one is
        return draw_expression(rng, case)
    if depth == 0 and rng.random() < 0.1:
        ours, theirs = rng.choice([("^" + ours, "^" + theirs), (ours + "$", theirs + r"\Z")])
    return ours, theirs


def found_by_re(case, patterns, sequence):
    """Return the sorted list of (begin, pattern's number, reversed, end, distance) of expressions."""
    found = []
    for number, pattern in enumerate(patterns):
        expression = re.compile(case.means[pattern], re.IGNORECASE if case.fold else 0)
        for strand in range(1 + case.both):
            text = sequence.translate(COMPLEMENT)[::-1] if strand else sequence
            for match in expression.finditer(text):
                begin, end = match.span() if not strand else (len(text) - match.end(), len(text) - match.start())
                if begin < end:
                    found.append((begin, number, strand, end, 0))
    return sorted(found)


def equals(case, one, other):
    """Return True if a pattern's letter equals a text's."""
    if not case.dna:
        return one == other
    one, other = set(CODES[one.upper()]), set(CODES.get(other.upper(), ""))
    return bool(other & one) if case.any else bool(other) and other <= one


def occurrences(case, patterns, sequence):
    """Return the sorted list of (begin, pattern's number, reversed, end, distance)."""
    if case.syntax:
        return found_by_re(case, patterns, sequence)
    if case.amplicon:
        return amplicons(case, patterns, sequence)
    return places(case, patterns, sequence)


def amplicons(case, patterns, sequence):
    """Return the sorted list of (begin, 0, reversed, end, distance) of what two primers, or a single one, amplify."""
    least, most = (case.amplicon.split("-") * 2)[:2] if "-" not in case.amplicon else case.amplicon.split("-")
    found = []
    for begin, one, strand, end, distance in places(case, patterns, sequence):
        for first, other, reverse, last, more in places(case, patterns, sequence) if not strand else []:
            is_pair = reverse and (one != other or len(patterns) == 1) and first >= begin and last >= end
            if is_pair and int(least) <= last - begin <= int(most):
                found.append((begin, 0, one, last, distance + more))
    return sorted(found, key=lambda row: (row[0], row[2]))


def places(case, patterns, sequence):
    found = []
    for number, pattern in enumerate(patterns):
        for strand in range(1 + case.both):
            wanted = pattern.translate(COMPLEMENT)[::-1] if strand else pattern
            for begin in range(len(sequence) - len(wanted) + 1):
                pairs = zip(wanted, sequence[begin : begin + len(wanted)])
                distance = sum(not equals(case, *pair) for pair in pairs)
                if distance <= case.most:
                    found.append((begin, number, strand, begin + len(wanted), distance))
    return sorted(found)


def pack(rng, case, text):
    """Return a packed text, and the text that can be unpacked from it."""
    if not case.packed:
        return text, text, False
    parts = [text[at : at + 97] for at in range(0, len(text), 97)] if case.packed == "members" else [text]
    packed = b"".join(map(gzip.compress, parts))
    if case.packed != "cut":
        return packed, text, False
    packed = packed[: rng.randrange(min(18, len(packed) - 1), len(packed))]
    return packed, zlib.decompressobj(31).decompress(packed), True


def paired(first, second):
    """Return the pairs of records, and whether all records of both files are in pairs."""
    pairs = []
    for one, other in zip(first, second):
        if one[0] != other[0] and (one[0][:-1] != other[0][:-1] or not {one[0][-1:], other[0][-1:]} <= {"1", "2"}):
            return pairs, False
        pairs.append((one, other))
    return pairs, len(first) == len(second)


def expected(case, patterns, units):
    """Return what is printed of records, or pairs of records."""
    output = []
    for unit in units:
        found = [(name, row, sequence) for name, sequence, _ in unit for row in occurrences(case, patterns, sequence)]
        if case.records:
            output += ["".join(record for _, _, record in unit)] * (bool(found) != case.invert)
            continue
        for name, (begin, number, strand, end, distance), sequence in found:
            if case.report == "--bed":
                string = "%s/%s" % (patterns[0], patterns[-1]) if case.amplicon else patterns[number]
                row = [name or ".", begin, end, string, distance, "+-"[strand]]
                output.append("\t".join(map(str, row)) + "\n")
            else:
                output.append("%s:%d:%s:%d:%s\n" % (name, begin, "+-"[strand], distance, sequence[begin:end]))
    output = output[: case.limit]
    if case.report == "-c":
        return "%d\n" % len(output), bool(output)
    return "PATH\n" * bool(output) if case.report == "-l" else "".join(output), bool(output)


def test_case(rng, trawl, folder):
    case = Case(rng)
    names = [rng.choice(["r%d", "HLA:%d", "%d.x"]) % at for at in range(rng.choice([1, 2, 5, 12]))]
    texts = [made(rng, case, [name + "/1" * case.pair for name in names])]
    if case.pair:
        more = [*names, "more"] if rng.random() < 0.1 else names[:-1] if rng.random() < 0.1 else names
        if rng.random() < 0.1:
            more = [name if rng.randrange(5) else "other" for name in more]
        texts.append(made(rng, case, [name + rng.choice(["/1", "/2"]) for name in more]))
    which = rng.randrange(len(texts))
    if case.damage:
        texts[which] = damaged(rng, case, texts[which])
    paths, contents, cut = [], [], [False, False]
    for number, text in enumerate(texts):
        bytes_, readable, cut[number] = pack(rng, case, text.encode())
        paths.append(os.path.join(folder, "reads%d" % number))
        write(paths[-1], bytes_)
        contents.append((bytes_, readable.decode()))
    sequences = [record[1] for record in (read_fastq(texts[0])[0] if case.fastq else read_fasta(texts[0]))]
    at = rng.randrange(50)
    source = rng.choice(sequences or [""])[at:]
    patterns = [(source or "ACG")[: rng.choice([2, 5, 9])]] + ["CGT", "NAC", "GTT"][: rng.choice([0, 0, 1, 3])]
    patterns = [pattern if len(pattern) > case.most else "ACGACG" for pattern in patterns]
    if case.dna:
        patterns = [re.sub("[^ACGTURYN]", "N", pattern.upper()) for pattern in patterns]
    patterns = list(dict.fromkeys(patterns))
    if case.both:  # each pattern occurs once on each strand, also if U differs from T
        patterns = patterns[: 1 + (case.amplicon != "")]
    if case.syntax:
        case.means = dict(draw_expression(rng, case) for _ in range(rng.choice([1, 1, 2])))
        patterns = list(case.means)
    read = [(*read_fastq(text),) if case.fastq else (read_fasta(text), None) for _, text in contents]
    whole, faults = True, [fault for _, fault in read]
    if case.pair:
        units, whole = paired(read[0][0], read[1][0])
    else:
        units = [(record,) for record in read[0][0]]
    output, found = expected(case, patterns, units)
    piped = case.input == "pipe"
    command = [trawl, *case.arguments()] + ["--paired=" + paths[-1]] * case.pair
    command += ["-e" + pattern for pattern in patterns] + [paths[0]] * (not piped)
    status, said, errors = execute(command, None, data=contents[0][0] if piped else None)
    cases.counts["selected"] += found
    output = output.replace("PATH", "(standard input)" if piped else paths[0])
    assert said.decode() == output, command
    limited = found and (case.report == "-l" or case.limit and len(expected(case, patterns, units)[0]) > 0)
    faulty = not whole or any(faults) or any(cut)
    if limited and faulty:  # whether the fault comes after the end of the search depends on the blocks
        assert status in (0, 2)
        return
    assert (status, bool(errors)) == (2 if faulty else 0 if found else 1, faulty), (command, errors)
    if errors and not case.pair and not cut[0]:
        assert b": record %d, line %d " % faults[0] in errors, (command, errors)


def columns(output):
    return sorted(tuple(line.split("\t")[:6]) for line in output.decode().splitlines())


def overlap(one, other):
    return int(one[1]) < int(other[2]) and int(other[1]) < int(one[2])


@pytest.mark.parametrize("turn", range(cases.amount(60)))
def test_other_programs(turn, trawl, folder):
    """seqkit and cutadapt select the same records, and seqkit finds the same places."""
    rng = random_of("judges", turn)
    tools = [tool for tool in ("seqkit", "cutadapt") if shutil.which(tool)]
    tool = tools[turn % len(tools)] if tools else pytest.skip("there are neither seqkit nor cutadapt here")
    text = "".join(
        "@r%d\n%s\n+\n%s\n" % (at, sequence, "I" * len(sequence))
        for at, sequence in enumerate("".join(rng.choices("ACGT", k=rng.choice([20, 60]))) for _ in range(40))
    )
    path, pattern = os.path.join(folder, "reads.fq"), "".join(rng.choices("ACGT", k=rng.choice([3, 4])))
    write(path, text)
    if tool == "seqkit":
        for ours, theirs in ((["--records"], ["grep", "-s"]), (["--records", "-v"], ["grep", "-s", "-v"])):
            got = execute([trawl, "--fastq", "--reverse-complement", *ours, pattern, path])
            assert got[1] == execute(["seqkit", *theirs, "-p", pattern, path])[1]
        got = execute([trawl, "--bed", "--fastq", "--reverse-complement", pattern, path])
        other = execute(["seqkit", "locate", "--bed", "-p", pattern, path])
        assert [row[:3] + row[5:] for row in columns(got[1])] == [row[:3] + row[5:] for row in columns(other[1])]
        # of amplicons, seqkit finds one in each sequence and strand; on -, positions are those in the other strand
        primers = ["".join(rng.choices("ACGT", k=3)) for _ in range(2)]
        got = execute([trawl, "--bed", "--fastq", "--amplicon=6-1000", "-e" + primers[0], "-e" + primers[1], path])
        other = execute(["seqkit", "amplicon", "--bed", "-F", primers[0], "-R", primers[1], path])
        lengths = {name: len(sequence) for name, sequence, _ in read_fastq(text)[0]}
        theirs = set()
        for name, begin, end, _, _, strand in columns(other[1]):
            place = (int(begin), int(end)) if strand == "+" else (lengths[name] - int(end), lengths[name] - int(begin))
            theirs |= {(name, *map(str, place), strand)} if place[1] - place[0] >= 6 else set()
        ours = {row[:3] + row[5:] for row in columns(got[1])}
        if primers[0] != primers[1]:
            assert theirs <= ours and {row[0] for row in ours} <= {row[0] for row in columns(other[1])}
        # of an expression, seqkit finds a match for each begin, and trawl the first where matches overlap
        expression = rng.choice(["A[CG]T", "TA{2,}C", "G(?:C|TT)+A", "C[^C]{3}G"])
        got = execute([trawl, "--bed", "--fastq", "--reverse-complement", "-P", expression, path])
        other = execute(["seqkit", "locate", "--bed", "-r", "-p", '"%s"' % expression, path])
        theirs = {row[:3] + row[5:] for row in columns(other[1])}
        ours = {row[:3] + row[5:] for row in columns(got[1])}
        assert ours <= theirs and all(
            any(row[0] == mine[0] and row[3] == mine[3] and overlap(row, mine) for mine in ours) for row in theirs
        )
        return
    # an adapter anywhere in a read, in full
    rule = ["--no-indels", "-e", "0", "-O", str(len(pattern)), "--action=none", "--quiet", "-b", pattern]
    got = execute([trawl, "--fastq", "--records", pattern, path])
    assert got[1] == execute(["cutadapt", *rule, "--discard-untrimmed", path])[1]
    got = execute([trawl, "--fastq", "--records", "-v", pattern, path])
    assert got[1] == execute(["cutadapt", *rule, "--discard-trimmed", path])[1]
    # pairs of which either read has the adapter
    rule += ["-B", pattern, "--interleaved", "--pair-filter=both", "--discard-untrimmed"]
    write(path + "2", "".join(re.findall("@.*\n.*\n.*\n.*\n", text)).replace("ACG", "CGT"))
    got = execute([trawl, "--fastq", "--paired", path + "2", pattern, path])
    assert got[1] == execute(["cutadapt", *rule, path, path + "2"])[1]
