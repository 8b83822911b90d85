"""Compares the command's approximate searches, and its searches of FASTA files, with loops over the symbols.

Cases have --mismatches or --edits, and print lines, or have -o, -c, -v, --distance or --positions. FASTA files are wrapped
at lines of any length and searched on both strands; the input is a file or a pipe, with small chunks.
TRAWL_TEST_SEED and TRAWL_TEST_SCALE work as in every test. docs/approximate.md defines an occurrence.
"""

import gzip
import json
import os
import re

import cases
import locales
import pytest
from harness import write

CASES, ONE_IN = 1280, 3
COMPLEMENT = {"A": "T", "C": "G", "G": "C", "T": "A", "U": "A", "N": "N", "R": "Y", "Y": "R"}
BASES = {"A": "A", "C": "C", "G": "G", "T": "T", "U": "T", "N": "ACGT", "R": "AG", "Y": "CT"}
EXCHANGED = {0: 10, 10: 0}


class Case:
    """The options of a command line."""

    def __init__(self, rng):
        self.fasta = rng.random() < 0.5
        self.most, self.by_edits = rng.choice([1, 1, 2, 3]), rng.random() < 0.5
        self.dna = self.fasta and rng.random() < 0.7
        self.both = self.dna and rng.random() < 0.5
        self.first = self.fasta and rng.random() < 0.15
        self.fold = (self.dna or not self.fasta) and rng.random() < 0.25
        self.ends = rng.choice(["", "", "-w", "-x"]) if not self.fasta else ""
        self.every_end = self.by_edits and rng.random() < 0.2
        first = rng.randrange(self.most + 1)
        self.exact = range(first, rng.randrange(first, self.most + 1) + 1) if rng.random() < 0.25 else range(0)
        reports = ["", "", "-c", "-l", "--json", "--bed", "--bed"]
        if not self.fasta:
            reports = ["", "--json", "--json", "-c", "-v", "-o", "-o", "--overlapping -o", "--positions",
                       "--count-matches", "-vc"]  # fmt: skip
        self.report = rng.choice(reports)
        self.distance = not self.fasta and not self.report.startswith("-v") and rng.random() < 0.3
        # the option -n, or --pattern-number for FASTA files
        self.number = rng.random() < 0.3 and self.report != ("--json" if self.fasta else "--positions")
        self.null = not self.fasta and self.report != "--json" and rng.random() < 0.25  # -z
        # the option --hex; its patterns may contain line ends, too
        self.hex = self.report in ("--positions", "--count-matches") and not self.ends and rng.random() < 0.6
        # With codec latin-1, symbols are bytes, which this test treats as characters of Latin-1.
        is_wild = self.fasta and not self.dna and self.report != "--json" and rng.random() < 0.4
        self.codec = "latin-1" if self.hex or is_wild else "utf-8"
        self.name, self.limit = rng.random() < 0.25, rng.choice([None, None, None, 1, 3])
        if self.limit and self.report in ("--positions", "--count-matches"):
            self.limit = None
        self.input, self.jobs = rng.choice(["pipe", "file", "file"]), rng.choice([1, 2])
        self.chunk = rng.choice([0, 0, 1, 3, 16, 100, 1000])

    def features(self):
        """Return the set of the options and the kind of input."""
        return {"%s %s" % row for row in vars(self).items()}

    def arguments(self):
        options = [("-i", self.fold), ("--every-end", self.every_end), ("--fasta", self.fasta),
                   ("--alphabet=dna", self.dna), ("--distance", self.distance), ("--reverse-complement", self.both),
                   ("--pattern-number" if self.fasta else "-n", self.number), ("-H", self.name), ("-z", self.null),
                   ("--hex", self.hex), (self.ends, self.ends), ("--only-first", self.first),
                   ("--exact=%d-%d" % (self.exact.start + 1, self.exact.stop), self.exact),
                   ("-m%s" % self.limit, self.limit), ("--chunk-bytes=%d" % self.chunk, self.chunk),
                   ("-j%d" % self.jobs, True)]  # fmt: skip
        return (
            ["--%s=%d" % ("edits" if self.by_edits else "mismatches", self.most)]
            + [option for option, given in options if given]
            + self.report.split()
        )

    def takes(self, text, begin, end):
        """Return True if a span may occur under -w or -x."""
        if self.ends == "-x":
            return begin == 0 and end == len(text)
        return not self.ends or not re.search(r"\w$", text[:begin]) and not re.match(r"\w", text[end:])

    def equal(self, pattern, text):
        """Return True if the pattern's symbol equals the text's symbol."""
        if not self.dna:
            return pattern == text or self.fold and pattern.lower() == text.lower()
        return text.upper() in BASES and set(BASES[text.upper()]) <= set(BASES[pattern])


def hamming(case, pattern, exact, text):
    for begin in range(len(text) - len(pattern) + 1):
        wrong = [i for i, (p, t) in enumerate(zip(pattern, text[begin:])) if not case.equal(p, t)]
        if len(wrong) <= case.most and not set(wrong) & set(exact) and case.takes(text, begin, begin + len(pattern)):
            yield begin, begin + len(pattern), len(wrong)


def levenshtein(case, pattern, exact, text):
    """Return the edit distances of all prefixes of the text from the whole pattern; the empty prefix comes first."""
    never = 99
    row = [0]
    for j in range(len(pattern)):
        row.append(never if j in exact else row[j] + 1)
    rows = [row[-1]]
    for symbol in text:
        above, row = row, [row[0] + 1]
        for j, p in enumerate(pattern):
            fixed = j in exact
            changed = above[j] if case.equal(p, symbol) else never if fixed else above[j] + 1
            removed, added = never if fixed and j + 1 in exact else above[j + 1] + 1, never if fixed else row[j] + 1
            row.append(min(removed, added, changed))
        rows.append(row[-1])
    return rows


def edits(case, pattern, exact, text):
    reach = len(pattern) + case.most
    # maps the end of a span to the key of the best span with this end; the key's last part is the span's start
    spans = {}
    for begin in range(len(text)):
        for length, distance in enumerate(levenshtein(case, pattern, exact, text[begin : begin + reach])):
            if distance <= case.most and case.takes(text, begin, begin + length):
                found = (distance, abs(length - len(pattern)), -length, begin)
                spans[begin + length] = min(spans.get(begin + length, found), found)
    for end, (distance, _, _, begin) in spans.items():
        after = [spans.get(e, (case.most + 1,))[0] for e in range(end + 1, end + reach + 1)]
        others = [other for other in after if other != distance]
        if (
            case.every_end
            or spans.get(end - 1, (case.most + 1,))[0] > distance
            and (not others or others[0] > distance)
        ):
            yield begin, end, distance


def occurrences(case, patterns, text):
    """Return the sorted list of (begin, pattern, reversed, end, distance) in a text of a single
    line."""
    found = []
    for number, pattern in enumerate(patterns):
        for strand in range(2 if case.both else 1):
            exact = case.exact
            if strand:
                pattern = "".join(COMPLEMENT[base] for base in reversed(pattern))
                exact = [len(pattern) - 1 - i for i in exact]
            for begin, end, distance in (edits if case.by_edits else hamming)(case, pattern, exact, text):
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


def expected_lines(case, patterns, text):
    if any("\n" in pattern for pattern in patterns):  # then an occurrence may cross lines
        lines = [text]
    else:
        lines = text.split("\n")[:-1] if text.endswith("\n") else text.split("\n") if text else []
    output, offset, count = [], 0, 0
    for index, line in enumerate(lines):
        matches = occurrences(case, patterns, line)
        head = "PATH:" * case.name + "%d:" % (index + 1) * case.number
        distance = "%d:" % min(f[4] for f in matches) if matches and case.distance else ""
        if bool(matches) != case.report.startswith("-v") and count != case.limit:
            count += len(leftmost_longest(matches)) if case.report == "--count-matches" else 1
            if case.report == "--positions":
                output += [
                    "PATH:" * case.name
                    + "%d%s\n" % (offset + len(line[: f[0]].encode(case.codec)), ":%d" % f[4] if case.distance else "")
                    for f in matches
                ]
            elif case.report == "--json":
                output += [
                    "%d:%d:%d:%s\n" % (len(line[:b].encode()), len(line[:e].encode()), d, line[b:e])
                    for b, e, d in leftmost_longest(matches)
                ]
            elif "-o" in case.report:
                found = leftmost_longest(matches) if case.report == "-o" else [(f[0], f[3], f[4]) for f in matches]
                output += [head + ("%d:" % d if case.distance else "") + line[b:e] + "\n" for b, e, d in found]
            else:
                output.append(head + distance + line + "\n")
        offset += len(line.encode(case.codec)) + 1
    return "PATH:" * case.name + "%d\n" % count if case.report in ("-c", "-vc", "--count-matches") else "".join(
        output
    ), count > 0


def choose_patterns(rng, text, alphabet, most):
    patterns = []
    for _ in range(rng.choice([1, 1, 2, 4])):
        length = most + rng.choice([1, 2, 5, 9])
        begin = rng.randrange(len(text) + 1)
        pattern = "".join(s for s in text[begin : begin + length].upper() if s in alphabet)
        pattern += "".join(rng.choice(alphabet) for _ in range(length - len(pattern)))
        patterns.append(pattern)
    return sorted(set(patterns))


def lines_case(rng, case):
    kinds = ["AB\n", "ABÉ", "ABÉ\n", "A😀\n", "AB- \n", "ABÉ_ \n", "ABCDEFGH\n", 10 * "AB" + "\n"]
    letters = rng.choice([*kinds, 16 * "AB" + "AÉ\n"])
    letters += "\0" * (case.null and rng.random() < 0.6)
    text = "".join(rng.choice(letters) for _ in range(rng.choice([0, 5, 40, 150])))
    if case.fold:
        text = "".join(rng.choice([letter, letter.lower()]) for letter in text)
    text = text.encode().decode(case.codec)
    patterns = choose_patterns(
        rng, text, "AB\n\xc3\x89" if case.hex else "A😀" if "😀" in letters else "ABÉ", case.most
    )
    if case.ends == "-x" and rng.random() < 0.7:
        line = rng.choice(text.split("\n"))
        fits = len(line) > case.most and line.strip("- _") == line and "\0" not in line
        patterns = sorted({*patterns, *[line] * fits})
    expected, found = expected_lines(case, patterns, text)
    if case.null:  # NUL and newline are swapped
        patterns, text = [pattern.translate(EXCHANGED) for pattern in patterns], text.translate(EXCHANGED)
        if case.report not in ("-c", "-vc", "--positions", "--count-matches"):
            expected = expected.translate(EXCHANGED)
    return patterns, text, (expected, found)


def fasta_case(rng, case):
    """Make a search of a FASTA file; return the patterns, the text, the expected output, and whether anything is found.
    The files have names of any length, wrapped lines, carriage returns, blank lines and lines to ignore. Symbols are
    bytes or bases. The report is occurrences (as lines, BED or JSON), a count, or the file's name; with -m only the
    first occurrences count."""
    text, output = [], []
    lengths = [rng.choice([0, 3, 50, 150]) for _ in range(rng.choice([1, 3, 9]))]
    # longer than the smallest block in which the command reads a sequence: 32 times a pattern's bytes and errors
    if rng.random() < 0.3:
        lengths = rng.choice([[400], [600], [300, 9, 60, 250]]) + [
            rng.choice([20, 90]) for _ in range(rng.choice([0, 6, 12]))
        ]
    letters = (
        "ACG\xc3\xa9" if case.codec != "utf-8" else rng.choice(["ACGTacgtN", "ACGTUNacgtu", "ACGU", "ACGT\rT", "AAAC"])
    )
    sequences = ["".join(rng.choice(letters) for _ in range(length)) for length in lengths]
    patterns = choose_patterns(
        rng,
        rng.choice(sequences),
        ("ACGTUNRY" if case.dna else "ACGTNRY") + letters[3:] * (case.codec != "utf-8"),
        case.most,
    )[: 1 if len(sequences[0]) > 150 else 4]
    for number, sequence in enumerate(sequences):
        name = rng.choice(["s%d" % number, "HLA:A*%d:01" % number, "", "n" * rng.choice([300, 4095, 4096, 4097, 9000])])
        if number > 0 or rng.random() < 0.8:  # letters before the first name are a sequence without a name
            text.append(">" + name + rng.choice([" it is\n", "\n", "\r\n", "\tACG\r\n"]))
        else:
            name = ""
        width = rng.choice([1, 7, 60, 1000])
        if "\r" in sequence:  # inside a line, a carriage return is a letter that equals no base
            width, sequence = 1000, sequence.rstrip("\r")
        for at in range(0, len(sequence), width):
            text.append(
                rng.choice(["", "", "", "\n", "\r\n", ";>no\n"])
                + sequence[at : at + width]
                + rng.choice(["\n", "\n", "\r\n", "\n;no\n"])
            )
        for begin, index, strand, end, distance in occurrences(case, patterns, sequence)[: 1 if case.first else None]:
            which = "%d:" % (index + 1) if case.number or case.report == "--json" else ""
            path = "PATH:" * (case.name and case.report != "--json")
            if case.report == "--bed":
                string = re.sub(r"[\0- ]", "_", which[:-1] or patterns[index])
                output.append(
                    "\t".join([name[:4096] or ".", "%d\t%d" % (begin, end), string, "%d" % distance, "+-"[strand]])
                    + "\n"
                )
            else:
                output.append(
                    path
                    + "%s:%d:%s:%s%d:%s\n" % (name[:4096], begin, "+-"[strand], which, distance, sequence[begin:end])
                )
    output = output[: case.limit]
    expected = "PATH\n" * bool(output) if case.report == "-l" else "".join(output)
    expected = "PATH:" * case.name + "%d\n" % len(output) if case.report == "-c" else expected
    text = "".join(text)
    return patterns, text[:-1] if rng.random() < 0.2 and text[-2:-1] not in "\r" else text, (expected, bool(output))


def json_lines(output):
    """Return the matches of --json in the form of expected_lines and fasta_case."""
    found = [message["data"] for message in map(json.loads, output.splitlines()) if message["type"] == "match"]
    lines = [
        (match["start"], match["end"], match["distance"], match["match"]["text"])
        for data in found
        for match in data.get("submatches", [])
    ]
    lines += [
        tuple(data[name] for name in ("offset", "strand", "pattern", "distance")) + (data["match"]["text"],)
        for data in found
        if "sequence" in data
    ]
    names = (
        [data["sequence"]["text"] + ":" if "sequence" in data else "" for data in found]
        if lines and "sequence" in found[0]
        else [""] * len(lines)
    )
    return "".join(name + ":".join(map(str, line)) + "\n" for name, line in zip(names, lines)).encode()


def test_case(rng, trawl, folder):
    """Return None, or what is wrong."""
    case = Case(rng)
    patterns, text, (expected, found) = (fasta_case if case.fasta else lines_case)(rng, case)
    path = os.path.join(folder, "text")
    write(path, text.encode(case.codec))
    arguments = [trawl] + case.arguments()
    for pattern in patterns:
        pattern = pattern.encode(case.codec)
        arguments += ["-e", pattern.hex() if case.hex else pattern]
    piped = case.input == "pipe"
    expected = expected.replace("PATH", "(standard input)" if piped else path)
    got = cases.execute(arguments + [path] * (not piped), None, "C.UTF-8", text.encode(case.codec) if piped else None)
    cases.counts["selected"] += found
    if case.report == "--json":
        got = got[0], json_lines(got[1]), got[2]
    # the order of occurrences with the same start is not compared
    if case.report in ("--overlapping -o", "--positions"):
        expected, got = (
            "".join(sorted(expected.splitlines(True))),
            (got[0], b"".join(sorted(got[1].splitlines(True))), got[2]),
        )
    if got == (0 if found else 1, expected.encode(case.codec), b""):
        return
    pytest.fail(
        "%r on %r: status %d; %r, expected %r; %r"
        % (arguments[1:], text[:300], got[0], got[1][:200].decode(case.codec), expected[:200], got[2][:300])
    )


# A row: locale, text, arguments, output.
LOCALES = [
    ("ja_JP.eucJP", "abxd\n", ["--edits=1", "abcd"], "abxd\n"),
    ("ja_JP.eucJP", "accd\n", ["--mismatches=1", "--any-base", "ACGD"], "accd\n"),
    ("de_DE.ISO-8859-1", "ABXD\n", ["-i", "--edits=1", "abcd"], "ABXD\n"),
    ("tr_TR.UTF-8", "DİRX\nDIRX\n", ["-i", "--mismatches=1", "dir."], "DİRX\nDIRX\n"),
]


def test_in_locales(trawl, folder):
    found = locales.prepare(trawl, False)
    for locale, text, arguments, expected in LOCALES:
        if locale not in found:
            continue
        got = cases.execute([trawl] + arguments, None, locale, text.encode())
        if (got[0], got[1].decode()) != (0, expected):
            pytest.fail("%s: %r: %r, expected %r" % (locale, arguments, got, expected))


def test_damaged(trawl, folder):
    """Check that --fasta searches the sequences before the place where a compressed file is damaged."""
    packed = gzip.compress(b">s\nACG\nTTT\n" + b">t\nCCC\n" * 50000)
    write(os.path.join(folder, "damaged.gz"), packed[: len(packed) - 30])
    got = cases.execute([trawl, "--fasta", "--search-zip", "CGT", "damaged.gz"], folder)
    assert got[:2] == (2, b"s:1:+:0:CGT\n") and got[2].startswith(b"trawl: damaged.gz: "), "a damaged file: %r" % (got,)


def test_binary(trawl, folder):
    """Check that a file with a NUL byte and a pipe with the same bytes are searched alike."""
    for text, found in (
        (b"int\0needle\nno\n", 1),
        (b"a\n" * 40000 + b"neadle\n\0needl\n", 2),
        (b"needle\nxxneedle\0", 1),
        (b"\0int\n", 0),
    ):
        write(os.path.join(folder, "binary"), text)
        for options in ["-x"], ["-xn"], ["-xl"], ["-xc"], ["-xo"], ["-xq"], ["-xm1"], ["-xi"], ["-x", "--json"]:
            command = [trawl, *options, "--edits=1", "needle"]
            alone, piped = cases.execute(command + ["binary"], folder), cases.execute(command, None, "C.UTF-8", text)
            alone = (alone[0], *(re.sub(rb"binary(?=[:\n])", b"(standard input)", part) for part in alone[1:]))
            told = alone[0] == (found == 0) and (options != ["-xc"] or alone[1] == b"%d\n" % found)
            if not told or "--json" not in options and piped != alone or piped[::2] != alone[::2]:
                pytest.fail("%s on %r...: %r, and %r in a pipe" % (options, text[:20], alone, piped))
