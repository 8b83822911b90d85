"""Compares the command's searches of FASTA and FASTQ files, of occurrences and of whole records, with a reader of a few
lines, and with seqkit and cutadapt where these are installed.

Sequences and qualities are wrapped at any length, lines end in newline or in carriage return and newline, names have any
length, some files are damaged or end too early, and some are packed by gzip, in one member or several, and may be cut.
Patterns are strings, with mismatches or edits (docs/approximate.md), or expressions, on both strands. Reports are
occurrences, BED, JSON, counts and whole records, of one file or of two in step.
"""

import base64
import gzip
import json
import os
import re
import zlib

import cases
import found
import pytest
from distance import Distance
from harness import execute, has_judge, numbers, random_of, write

CASES, ONE_IN = 1500, 3
CODES = {"A": "A", "C": "C", "G": "G", "T": "T", "U": "T", "R": "AG", "Y": "CT", "S": "CG", "W": "AT", "K": "GT",
         "M": "AC", "B": "CGT", "D": "AGT", "H": "ACT", "V": "ACG", "N": "ACGT"}  # fmt: skip
COMPLEMENT = str.maketrans("ACGTURYSWKMBDHVNacgturyswkmbdhvn", "TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn")


class Case:
    """The options of a command line."""

    def __init__(self, rng):
        self.fastq = rng.random() < 0.5
        self.dna = rng.random() < 0.65
        self.both = self.dna and rng.random() < 0.6
        self.syntax = rng.choice(["", "", "", "", "", "-P", "-E"])
        self.fold = not self.dna and rng.random() < 0.3 or rng.random() < 0.1
        self.any = self.dna and rng.random() < 0.2
        self.distance = Distance(rng, rng.choice([0, 1, 1, 1, 2, 3]) if not self.syntax else 0)
        self.amplicon = rng.choice(["", "1-1000", "5-20", "12"]) if self.both and not self.syntax else ""
        self.table = self.amplicon != "" and rng.random() < 0.5
        self.records = rng.random() < 0.4
        self.invert = self.records and rng.random() < 0.4
        self.pair = self.fastq and self.records and rng.random() < 0.5
        reports = ["", "", "-c", "-l"] if self.records else ["", "", "--bed", "--bed", "--json", "--json", "-c", "-l"]
        self.report = rng.choice(reports)
        self.report = "--bed" if self.amplicon and self.report == "--json" else self.report
        self.number = (
            self.table >= (self.amplicon != "") and not self.records and self.report != "--json" and rng.random() < 0.3
        )
        self.name, self.first = rng.random() < 0.2, rng.random() < 0.15
        self.limit = rng.choice([None, None, None, 1, 2])
        self.packed = rng.choice(["", "", "", "gzip", "members", "cut"])
        self.damage = rng.choice(["", "", "", "cut", "byte", "line"]) if self.fastq else ""
        self.input, self.jobs = rng.choice(["pipe", "file"]), rng.choice([1, 2])
        self.chunk = rng.choice([0, 0, 1, 3, 16, 100, 1000])

    def features(self):
        return {"%s %s" % row for row in {**vars(self), **vars(self.distance)}.items() if row[0] != "distance"}

    def arguments(self):
        options = [("--fastq", self.fastq), ("--fasta", not self.fastq), ("--alphabet=dna", self.dna),
                   ("--reverse-complement", self.both), (self.syntax, self.syntax), ("-i", self.fold),
                   ("--amplicon=" + self.amplicon, self.amplicon), ("--any-base", self.any),
                   ("--pattern-number", self.number), ("-H", self.name), ("--only-first", self.first),
                   ("--records", self.records), ("-v", self.invert), (self.report, self.report),
                   ("-m%s" % self.limit, self.limit), ("--search-zip", self.packed),
                   ("--chunk-bytes=%d" % self.chunk, self.chunk), ("-j%d" % self.jobs, True)]  # fmt: skip
        return [option for option, given in options if given] + [*self.distance.arguments()]


def features(rng, *_):
    return Case(rng).features()


def wrapped(rng, text, end, among=("",)):
    """Return the lines of a sequence, at least one, with other lines among them."""
    width = rng.choice([1000, 1000, 1, 3, 7, 60])
    lines = (text[at : at + width] + end for at in range(0, max(len(text), 1), width))
    return "".join(rng.choice(among) + line for line in lines)


def made(rng, case, names):
    """Return a text of FASTQ or FASTA. Without --alphabet=dna, symbols are bytes, which here are characters of Latin-1."""
    letters = rng.choice(
        ["ACGT", "ACGT", "ACGTN", "ACGTUNacgtun", "ACGU", "AAC", "AAC\r", *["ACG\xc3\xa9"] * (not case.dna)]
    )
    end, parts = rng.choice(["\n", "\n", "\r\n"]), []
    # longer than the smallest block in which the command reads a sequence: 32 times a pattern's bytes and errors
    lengths = rng.choice([[0, 1, 9, 30, 100]] * 6 + [[20, 600]])
    for number, name in enumerate(names):
        sequence = "".join(rng.choices(letters, k=rng.choice(lengths)))
        if case.fastq:
            sequence = sequence.replace("\r", "")
            qualities = "".join(rng.choices("@+I>#~", k=len(sequence)))
            parts.append("@" + name + rng.choice(["", " a b", "\tx"]) + end + wrapped(rng, sequence, end))
            parts.append("+" + rng.choice(["", name]) + end + wrapped(rng, qualities, end))
            parts.append(rng.choice(["", "", "", end]))
        else:  # letters before the first name are a sequence without a name
            head = ">" + rng.choice([name] * 9 + ["", "n" * rng.choice([300, 4095, 4096, 4097, 9000])])
            parts += [head + rng.choice(["", " a b", "\tACG"]) + end] * (number > 0 or rng.random() < 0.8)
            parts.append(wrapped(rng, sequence, end, rng.choice([[""], ["", "", "\n", "\r\n", ";>no\n"]])))
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
    """Return the records as (name, sequence, record). Letters before the first name are a sequence without a name, whose
    record begins at the first line that is more than a newline."""
    records, before = [], ""
    for line, bare in zip(*lines_of(text)):
        if bare.startswith(">"):
            records.append([re.match(r"[^\0- ]*", bare[1:])[0], "", ""])
        elif bare and not bare.startswith(";"):
            records += [["", "", before]] * (not records)
            records[-1][1] += bare
        before += line * (line != "\n" or before != "")
        if records:
            records[-1][2] += line if line.endswith("\n") else line + "\n"
    return records


def codes_of(case, letters):
    """Return the letters of a text that equal one of these letters."""
    if not case.dna:
        return letters + letters.swapcase() * case.fold
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


def occurrences(case, patterns, sequence):
    """Return the sorted list of (begin, pattern's number, reversed, end, distance)."""
    if case.syntax:
        return found_by_re(case, patterns, sequence)
    if case.amplicon:
        return amplicons(case, patterns, sequence)
    return places(case, patterns, sequence)


def amplicons(case, patterns, sequence):
    """Return the list of (begin, pair's number, reversed, end, distance) of what pairs of primers amplify."""
    least, most = (case.amplicon.split("-") * 2)[:2] if "-" not in case.amplicon else case.amplicon.split("-")
    found, every = [], places(case, patterns, sequence)
    for begin, one, strand, end, distance in every:
        for first, other, reverse, last, more in every if not strand else []:
            if reverse and first >= begin and last >= end and int(least) <= last - begin <= int(most):
                for number, (forward, backward) in enumerate(case.pairs):
                    if {one, other} == {forward, backward}:
                        found.append((begin, number, int(one != forward), last, distance + more))
    return found


def places(case, patterns, sequence):
    found, fits = [], {letter: codes_of(case, letter) for pattern in patterns for letter in pattern}
    fits |= {letter.translate(COMPLEMENT): codes_of(case, letter.translate(COMPLEMENT)) for letter in fits}
    for number, pattern in enumerate(patterns):
        for strand in range(1 + case.both):
            wanted = pattern.translate(COMPLEMENT)[::-1] if strand else pattern
            spans = case.distance.spans(wanted, sequence, lambda p, t: t in fits[p], is_reversed=strand)
            found += [(begin, number, strand, end, distance) for begin, end, distance in spans]
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
        told = [re.search(r"(/[1-9]|[._][12])\Z", name) is not None for name in (one[0], other[0])]
        if one[0] != other[0] and not (all(told) and one[0][:-1] == other[0][:-1]):
            return pairs, False
        pairs.append((one, other))
    return pairs, len(first) == len(second)


def expected(case, patterns, units):
    """Return what is printed of records, or pairs of records."""
    output = []
    for unit in units:
        each = [(name[:4096], row, sequence) for name, sequence, _ in unit
                for row in occurrences(case, patterns, sequence)[: 1 if case.first else None]]  # fmt: skip
        if case.records:
            output += ["".join(record for _, _, record in unit)] * (bool(each) != case.invert)
            continue
        for name, (begin, number, strand, end, distance), sequence in each:
            pattern = "/".join(patterns[one] for one in case.pairs[number]) if case.amplicon else patterns[number]
            number = "p" * case.table + "%d" % (number + 1) * (case.number or case.report == "--json")
            number, strand = number * (number != "p"), "+-"[strand]
            if case.report == "--bed":
                row = [name or ".", begin, end, number or re.sub(r"[\0- ]", "_", pattern), distance, strand]
                output.append("\t".join(map(str, row)) + "\n")
            else:
                row = [name, begin, strand, *[number] * bool(number), distance, sequence[begin:end]]
                output.append("PATH:" * (case.name and case.report != "--json") + ":".join(map(str, row)) + "\n")
    output = output[: case.limit]
    if case.report == "-c":
        return "PATH:" * case.name + "%d\n" % len(output), bool(output)
    return "PATH\n" * bool(output) if case.report == "-l" else "".join(output), bool(output)


def json_lines(output):
    """Return the matches of --json in the form of expected()."""
    text = lambda part: part["text"].encode() if "text" in part else base64.b64decode(part["bytes"])
    found = [message["data"] for message in map(json.loads, output.splitlines()) if message["type"] == "match"]
    rows = (
        [one["sequence"], *map(one.get, ("offset", "strand", "pattern", "distance")), one["match"]] for one in found
    )
    return b"".join(b"%s:%d:%s:%d:%d:%s\n" % (text(n), b, s.encode(), p, d, text(m)) for n, b, s, p, d, m in rows)


def choose_patterns(rng, case, text):
    """Return different patterns, mostly parts of a sequence."""
    if case.syntax:
        case.means = dict(draw_expression(rng, case) for _ in range(rng.choice([1, 1, 2])))
        return list(case.means)
    patterns, alphabet = [], "ACGTURYN" if case.dna else "ACGTNacg\xc3\xa9"
    for _ in range(rng.choice([1, 1, 2, 4]) if len(text) < 150 else 1):
        length, begin = case.distance.most + rng.choice([1, 2, 5, 9]), rng.randrange(len(text) + 1)
        source = text[begin : begin + length]
        pattern = "".join(letter for letter in (source.upper() if case.dna else source) if letter in alphabet)
        patterns.append(pattern + "".join(rng.choices(alphabet, k=length - len(pattern))))
    patterns = sorted({*patterns[: 2 if case.amplicon and not case.table else None]})
    case.pairs = [(0, len(patterns) - 1)]
    if case.table:
        case.pairs = [tuple(rng.choices(range(len(patterns)), k=2)) for _ in range(rng.choice([1, 2, 5]))]
        used = [*dict.fromkeys(one for pair in case.pairs for one in pair)]  # in the order of their first use
        case.pairs = [(used.index(one), used.index(other)) for one, other in case.pairs]
        patterns = [patterns[one] for one in used]
    return patterns


def test_case(rng, trawl, folder):
    case = Case(rng)
    names = [rng.choice(["r%d", "HLA:%d", "%d.x"]) % at for at in range(rng.choice([1, 2, 5, 12]))]
    texts = [made(rng, case, [name + "/1" * case.pair for name in names])]
    if case.pair:
        more = [*names, "more"] if rng.random() < 0.1 else names[:-1] if rng.random() < 0.1 else names
        if rng.random() < 0.1:
            more = [name if rng.randrange(5) else "other" for name in more]
        texts.append(
            made(rng, case, [name + rng.choice([*["/1", "/2", "/3"] * 40, "/X", "31", ".1"]) for name in more])
        )
    which = rng.randrange(len(texts))
    if case.damage:
        texts[which] = damaged(rng, case, texts[which])
    paths, contents, cut = [], [], [False, False]
    for number, text in enumerate(texts):
        bytes_, readable, cut[number] = pack(rng, case, text.encode("latin-1"))
        paths.append(os.path.join(folder, "reads%d" % number))
        write(paths[-1], bytes_)
        contents.append((bytes_, readable.decode("latin-1")))
    sequences = [record[1] for record in (read_fastq(texts[0])[0] if case.fastq else read_fasta(texts[0]))]
    patterns = choose_patterns(rng, case, rng.choice(sequences or [""]))
    read = [(*read_fastq(text),) if case.fastq else (read_fasta(text), None) for _, text in contents]
    whole, faults = True, [fault for _, fault in read]
    if case.pair:
        units, whole = paired(read[0][0], read[1][0])
    else:
        units = [(record,) for record in read[0][0]]
    output, finds = expected(case, patterns, units)
    piped = case.input == "pipe"
    command = [trawl, *case.arguments()] + ["--paired=" + paths[-1]] * case.pair
    if case.table:
        rows = [[f"p{at}", *(patterns[one] for one in dict.fromkeys(pair))] for at, pair in enumerate(case.pairs, 1)]
        write(os.path.join(folder, "primers"), "# pairs\n" + "".join("\t".join(row) + "\n" for row in rows))
        command += ["--rules=" + os.path.join(folder, "primers"), *[paths[0]] * (not piped)]
    else:
        command += [b"-e" + pattern.encode("latin-1") for pattern in patterns] + [paths[0]] * (not piped)
    status, said, errors = execute(command, None, data=contents[0][0] if piped else None)
    cases.counts["selected"] += finds
    output = output.replace("PATH", "(standard input)" if piped else paths[0])
    said = json_lines(said) if case.report == "--json" else said
    found.expect(0 if finds else 1, output.encode("latin-1"))
    assert said.decode("latin-1") == output, (command, cases.differences(output.encode("latin-1"), said))
    limited = finds and (case.report == "-l" or case.limit and len(expected(case, patterns, units)[0]) > 0)
    faulty = not whole or any(faults) or any(cut)
    if limited and faulty:  # whether the fault comes after the end of the search depends on the blocks
        assert status in (0, 2)
        return
    assert (status, bool(errors)) == (2 if faulty else 0 if finds else 1, faulty), (command, errors)
    if errors and not case.pair and not cut[0]:
        assert b": record %d, line %d " % faults[0] in errors, (command, errors)


def columns(output):
    return sorted(tuple(line.split("\t")[:6]) for line in output.decode().splitlines())


def overlap(one, other):
    return int(one[1]) < int(other[2]) and int(other[1]) < int(one[2])


@pytest.mark.parametrize("number", numbers(60))
def test_other_programs(number, trawl, folder):
    """seqkit and cutadapt select the same records, and seqkit finds the same places."""
    rng = random_of("judges", number)
    tool = ["seqkit", "cutadapt"][number % 2]
    if not has_judge(tool):
        return
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
        table = os.path.join(folder, "pairs")
        write(table, "one\t" + "\t".join(primers) + "\nother\t" + "\t".join(reversed(primers)) + "\n")
        both = execute([trawl, "--bed", "--fastq", "--amplicon=6-1000", "--rules=" + table, "--pattern-number", path])
        rows = [line.split("\t") for line in both[1].decode().splitlines()]
        assert {(*row[:3], row[5]) for row in rows if row[3] == "one"} == {row[:3] + row[5:] for row in columns(got[1])}
        judged = execute(["seqkit", "amplicon", "--bed", "-p", table, path])  # both pairs amplify in the same records
        names = {(row[0], row[3]) for row in columns(judged[1])}
        assert primers[0] == primers[1] or {(row[0], row[3]) for row in rows} <= names
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
