"""Compares which strings the command finds, where, and how often, with loops over the bytes. (test_layout.py compares the
printed lines.)

Cases print -o, --overlapping or --positions, with and without --pattern-number, or counts of -c, --count-matches or
--count-by-pattern, all but --overlapping also with --only-first. Cases have -i, -w, -x, any bytes, duplicates, empty
strings, strings inside other strings, several files, trees and pipes. Strings come from -e, from files of lines, or in
hexadecimal. TRAWL_TEST_SEED and TRAWL_TEST_SCALE work as in every test.
"""

import bisect
import itertools
import os
import random
import re

import cases
import pytest
from harness import write

CASES = 2400
WORD = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
LETTERS = "aAsS\u017fb \n"


class Case(cases.Options):
    """The options of a command line, and what the options mean."""

    def __init__(self, rng):
        reports = 2 * ["-o"] + ["overlapping", "--positions", "-c", "--count-matches"]
        reports += ["--count-matches --overlapping", "--count-by-pattern", "--count-by-pattern -H"]
        self.report = rng.choice(reports)
        self.numbered = rng.random() < 0.6
        self.first = "overlapping" not in self.report and rng.random() < 0.25
        self.form = rng.choice(["-e", "lines", "crlf", "hex"])
        self.ignore_case = rng.random() < 0.3
        self.words = rng.random() < 0.2
        self.whole_lines = rng.random() < 0.25
        self.stats = rng.random() < 0.5 and self.report.startswith("--count") and not self.first
        piped = self.whole_lines and self.numbered and rng.random() < 0.5
        if piped:  # in a pipe a NUL may end lines, so the command itself compares whole lines
            self.report, self.form, self.stats = "-o", "-e", False
        self.utf8 = rng.random() < 0.4
        self.letters = self.utf8 and self.ignore_case and not self.words and rng.random() < 0.6
        self.any_byte = self.form == "hex" and not self.letters
        self.is_binary = not self.utf8 and rng.random() < 0.3
        self.input = "pipe" if piped else rng.choice(["pipe", "file", "file"])
        self.chunk, self.jobs = rng.choice([0, 0, 1, 3, 16, 100, 1000]), rng.choice([1, 2, 3])
        sums = self.report in ("-c", "--count-matches", "--count-matches --overlapping")
        numbers = self.report.startswith("--count-by") or self.numbered and not sums
        returns = rng.random() < (0.9 if self.whole_lines else 0.2)
        self.returns = returns and self.form != "crlf" and not (self.whole_lines and numbers)
        if self.returns and self.whole_lines and rng.random() < 0.5:
            self.report, self.numbered, self.stats = "-o", False, False

    def fold(self, data):
        """Return the bytes in a form in which strings that are equal under the case's options are equal. The form has the
        same length, except for some letters of LETTERS."""
        if not self.ignore_case:
            return data
        if not self.letters:
            return data.lower()
        return data.decode().replace("\u017f", "s").lower().encode()


def occurrences(case, pattern, text):
    """Return every (begin, end) of the pattern that the case's options accept."""
    found = []
    if not pattern:
        return found
    if case.letters:
        chars, wanted = text.decode(), case.fold(pattern).decode()
        offsets = [0]
        for char in chars:
            offsets.append(offsets[-1] + len(char.encode()))
        folded = case.fold(text).decode()
        begins = (i for i in range(len(folded) - len(wanted) + 1) if folded.startswith(wanted, i))
        spans = [(offsets[i], offsets[i + len(wanted)]) for i in begins]
    else:
        folded, wanted = case.fold(text), case.fold(pattern)
        spans, at = [], folded.find(wanted)
        while at >= 0:
            spans.append((at, at + len(wanted)))
            at = folded.find(wanted, at + 1)
    for begin, end in spans:
        before, after = text[begin - 1 : begin] if begin else b"", text[end : end + 1]
        if case.whole_lines:
            if case.returns and after == b"\r":
                after = text[end + 1 : end + 2]
            if before not in (b"", b"\n") or after not in (b"", b"\n"):
                continue
        elif case.words and ((before and before[0] in WORD) or (after and after[0] in WORD)):
            continue
        found.append((begin, end))
    return found


def lines_of(text):
    begin = 0
    while begin < len(text):
        end = text.find(b"\n", begin)
        end = len(text) if end < 0 else end + 1
        yield begin, end
        begin = end


def holds_empty(case, line):
    if case.whole_lines:
        return not line or case.returns and line == b"\r"
    if not case.words:
        return True
    return any(
        (i == 0 or line[i - 1] not in WORD) and (i == len(line) or line[i] not in WORD) for i in range(len(line) + 1)
    )


def spans_at(case, patterns, text):
    """Return {(begin, end): numbers of the strings}; with --only-first, only for the longest of the first spans in each line."""
    numbers_at, best, ends = {}, {}, [end for _, end in lines_of(text)]
    for number, pattern in enumerate(patterns):
        for span in occurrences(case, pattern, text):
            numbers_at.setdefault(span, []).append(number + 1)
    for begin, end in sorted(numbers_at, key=lambda span: (span[0], -span[1])) if case.first else ():
        best.setdefault(bisect.bisect_right(ends, begin), (begin, end))
    return {span: numbers_at[span] for span in best.values()} if case.first else numbers_at


def count_lines(case, patterns, text):
    """Return how many lines have an occurrence, or are selected by the empty string."""
    begins = [begin for begin, _ in spans_at(case, patterns, text)]
    return sum(
        any(begin <= at < end for at in begins) or b"" in patterns and holds_empty(case, text[begin:end].rstrip(b"\n"))
        for begin, end in lines_of(text)
    )


def spans_taken(case, patterns, text):
    """Return the sorted {(begin, end): numbers of the strings} of all spans, or of the spans for -o."""
    numbers_at = spans_at(case, patterns, text)
    if case.report != "-o" and case.report != "--count-matches":
        taken = sorted(numbers_at)
    else:
        longest, taken, last = {}, [], 0
        for begin, end in numbers_at:
            longest[begin] = max(end, longest.get(begin, 0))
        for begin in sorted(longest):
            if begin >= last:
                last = longest[begin]
                taken.append((begin, last))
    return {span: numbers_at[span] for span in taken}


def expected(case, patterns, texts):
    """Return the right output and status for files that are searched one after the other."""
    if case.report.startswith("--count-by"):
        spans = [spans_at(case, patterns, text).values() for _, text in texts]
        counts = [
            [sum(number + 1 in numbers for numbers in found) for number in range(len(patterns))] for found in spans
        ]
        sums = [sum(column) for column in zip(*counts)] if texts else [0] * len(patterns)
        shown = [pattern.hex().encode() if case.form == "hex" else pattern for pattern in patterns]
        status = 0 if any(sums) else 1
        if case.report == "--count-by-pattern":
            return b"".join(b"%d:%d:%s\n" % (i + 1, sums[i], shown[i]) for i in range(len(patterns))), status
        return b"".join(
            b"%s:%d:%d:%s\n" % (texts[t][0].encode(), i + 1, counts[t][i], shown[i])
            for t in range(len(texts))
            for i in range(len(patterns))
            if counts[t][i]
        ), status
    text = texts[0][1]
    lines = count_lines(case, patterns, text)
    if case.report == "-c":
        return b"%d\n" % lines, 0 if lines else 1
    taken = spans_taken(case, patterns, text)
    if case.report in ("-o", "overlapping"):
        # A line that only the empty string selects prints nothing, but sets the status to 0.
        return b"".join(
            b"%d:%s%s\n" % (span[0], b"%d:" % number if case.numbered else b"", text[span[0] : span[1]])
            for span in taken
            for number in taken[span][: None if case.numbered else 1]
        ), 0 if lines else 1
    if case.report.startswith("--count-matches"):
        return b"%d\n" % len(taken), 0 if taken else 1
    found = sorted(
        (begin, number) for begin, end in taken for number in taken[begin, end][: None if case.numbered else 1]
    )
    return b"".join(b"%d:%d\n" % pair if case.numbered else b"%d\n" % pair[0] for pair in found), 0 if found else 1


def in_order(case, out):
    """Sort the output if the order of strings at the same place is not defined, so that any order is right."""
    if case.report not in ("overlapping", "--positions"):
        return out
    lines = [line + b"\n" for line in out.split(b"\n")[:-1]]
    offsets = [int(line.split(b":")[0]) for line in lines]
    return b"not in order" if offsets != sorted(offsets) else b"".join(sorted(lines))


def make_text(rng, case):
    if case.letters:
        return "".join(rng.choice(LETTERS) for _ in range(rng.choice([0, 1, 8, 60, 400]))).encode()
    alphabet = rng.choice(
        [b"ab\r\n"] if case.returns else [b"ab", b"ab\n", b"aAb_ \n", b"a\nb ", b"ab\r\n", b"acgt\n", b"a"]
    )
    # the first and last letters, and letters that equal others beyond ASCII
    letter = bytes([rng.choice(b"aaikszzABZ")])
    alphabet = alphabet.replace(b"a", letter).replace(b"A", letter.swapcase())
    if case.is_binary and not case.returns:
        alphabet = rng.choice([bytes(range(256)), b"a\nb\0"])
    text = bytes(
        rng.choice(alphabet)
        for _ in range(rng.choice([60, 300] if case.returns and case.whole_lines else [0, 1, 5, 40, 300, 2000]))
    )
    at = rng.randrange(len(text) + 1)
    # more line ends in a row than a byte can count
    return text[:at] + b"\n" * rng.choice([0, 0, 0, 0, 0, 0, 300, 700]) + text[at:]


def make_patterns(rng, case, texts):
    whole = b"".join(text for _, text in texts)
    patterns = []
    count = rng.choice([1, 2, 5, 12, 40])
    nested = rng.random() < 0.2
    for i in range(count):
        if nested:
            patterns.append(b"a" * (1 + i % 20))
            continue
        if patterns and rng.random() < 0.2:
            again = rng.choice(patterns)
            patterns.append(again.swapcase() if case.ignore_case and not case.letters and rng.random() < 0.5 else again)
            continue
        if case.letters:
            pattern = "".join(rng.choice(LETTERS[:-1]) for _ in range(rng.choice([1, 1, 2, 3]))).encode()
        else:
            begin = rng.randrange(len(whole) + 1)
            pattern = whole[begin : begin + rng.choice([1, 1, 2, 3, 5, 9])] or rng.choice([b"zz", b"a"])
            if not case.any_byte:
                pattern = pattern.replace(b"\0", b"") or b"b"
            if case.whole_lines and rng.random() < 0.5:
                pattern = rng.choice(whole.replace(b"\0", b"\n").split(b"\n"))[:200] or pattern
        by_lines = case.report in ("-o", "overlapping") or case.whole_lines or case.first
        if by_lines or not case.any_byte:
            pattern = pattern.replace(b"\n", b"") or b"b"
        if case.ignore_case and not case.letters and rng.random() < 0.3:
            pattern = pattern.swapcase()
        if case.returns and (case.whole_lines or case.form == "lines"):  # the carriage return belongs to the line end
            ends = [line for line in whole.split(b"\n") if line.endswith(b"\r") and b"\0" not in line]
            pattern = rng.choice([pattern, *ends]).rstrip(b"\r") or b"b"
        if case.form == "crlf":
            pattern += b"\r"  # for grep, the carriage return is a part of the string
        patterns.append(pattern)
    if rng.random() < (0.4 if case.returns and case.whole_lines else 0.15):
        patterns = rng.choice([patterns, patterns, patterns[:1], []])
        for _ in range(rng.choice([1, 2, 5])):
            patterns.insert(rng.randrange(len(patterns) + 1), b"")
    return patterns


def pattern_arguments(rng, case, patterns, folder):
    path = os.path.join(folder, "patterns")
    if case.form == "-e":
        return [argument for pattern in patterns for argument in ("-e", pattern)]
    if case.form == "hex":
        data = b"".join(b"%s\n" % pattern.hex(rng.choice("  :")).replace(":", "").encode() for pattern in patterns)
    else:
        data = b"".join(pattern + b"\n" for pattern in patterns)
    write(path, data)
    return ["-f", path] + ["--hex"] * (case.form == "hex")


def report_arguments(case):
    numbers = ["--pattern-number"] * case.numbered + ["--only-first"] * (
        case.first and not case.report.startswith("--count")
    )
    if case.report in ("-o", "overlapping"):
        return ["-o", "-b"] + numbers + (["--overlapping"] if case.report == "overlapping" else [])
    if case.report == "--positions":
        return [case.report] + numbers
    return [*case.report.split(), *["--only-first"] * case.first]


def run(trawl, arguments, utf8=False, folder=None, data=None, **more):
    """Return (status, standard output, standard error)."""
    return cases.execute([trawl, *arguments], folder, "C.UTF-8" if utf8 else "C", data, **more)


def test_case(rng, trawl, folder):
    """Return None, or what is wrong."""
    case = Case(rng)
    totals = case.report.startswith("--count-by")
    texts = [("t%d" % i, make_text(rng, case)) for i in range(rng.choice([1, 1, 3, 9]) if totals else 1)]
    patterns = make_patterns(rng, case, texts)
    for name, text in texts:
        write(os.path.join(folder, name), text)
    arguments = report_arguments(case) + pattern_arguments(rng, case, patterns, folder)
    arguments += ["-a"] * case.is_binary + ["-i"] * case.ignore_case + ["-w"] * case.words + ["-x"] * case.whole_lines
    if not totals or case.report == "--count-by-pattern" and rng.random() < 0.5:
        arguments.append("-h")
    if case.chunk:
        arguments.append("--chunk-bytes=%d" % case.chunk)
    arguments += ["-j%d" % case.jobs] + ["--stats"] * case.stats + ["--crlf"] * case.returns
    wanted, status = expected(case, patterns, texts)
    said = b""
    if case.stats:  # strings that are equal count once
        different = {case.fold(pattern): pattern for pattern in patterns}.values()
        selected = (
            sum(len(occurrences(case, pattern, text)) for pattern in different for _, text in texts)
            if totals
            else int(wanted)
        )
        said = b"files: %d\nselected: %d\n" % (len(texts), selected)
    if len(texts) == 1 and not case.report.endswith("-H") and case.input == "pipe":
        got, out, err = run(trawl, arguments, case.utf8, folder, texts[0][1])
    else:
        got, out, err = run(trawl, arguments + [name for name, _ in texts], case.utf8, folder)
    if (
        got == status
        and in_order(case, out) == in_order(case, wanted)
        and (err.startswith(said) if said else not cases.undoubted(err))
    ):
        # only short texts are searched for the empty string with a method
        size, none = sum(len(text) for _, text in texts), not any(patterns)
        wrong = case.stats and cases.stats_wrong(err, case.jobs, size, none)
        assert not wrong, wrong
        return
    case_of = (arguments, patterns, [text[:80] for _, text in texts])
    both = (got, status, out[:300], wanted[:300], err[:300])
    pytest.fail("%r, strings %r, on %r: status %d, expected %d; %r, expected %r; %r" % (*case_of, *both))


def test_long_line(trawl, folder):
    """Check the numbers of a line that is too long to be kept in memory, and of very many matches; and such a long line as
    context, before more lines of context."""
    text = b"x\nfoo " + b"=" * 1500000 + b" bar foo\nlast baz\n"
    patterns = [b"bar", b"none", b"baz", b"foo", b"bar"] + [b"=" * i for i in range(1, 9)]
    path = os.path.join(folder, "long")
    write(path, text)
    arguments = ["-n", "--pattern-number"] + [word for pattern in patterns for word in ("-e", pattern)]
    wanted = b""
    for index, line in enumerate(text.splitlines(keepends=True)):
        numbers = [b"%d" % (number + 1) for number, pattern in enumerate(patterns) if pattern in line]
        wanted += b"%d:%s:%s" % (index + 1, b",".join(numbers), line) if numbers else b""
    for more in (["-h", path], ["-h", "-j1", "--chunk-bytes=100000", path], ["-h", "-C3", path]):
        got = run(trawl, arguments + more)[1]
        got = got.replace(b"1--x\n", b"") if "-C3" in more else got
        if got != wanted:
            pytest.fail("a long line: %r..., expected %r..." % (got[:60], wanted[:60]))
    got = run(trawl, ["-n", "-A2", "-h", "--chunk-bytes=100000", "x", path])[1]
    if got != b"".join(
        b"%d%s%s" % (i + 1, b"-" if i else b":", line) for i, line in enumerate(text.splitlines(keepends=True))
    ):
        pytest.fail("a long line as context: %r" % got[-60:])
    got = run(trawl, arguments, data=text)[1]
    assert got == wanted, "a long line of a pipe: %r" % got[:60]


def test_line_ends(trawl, folder):
    """Check the numbers of lines after many consecutive line ends, in each way in which the command counts lines. Some
    texts have more consecutive line ends than a byte can count."""
    for number, count in enumerate((254, 255, 256, 257, 511, 512, 9000, 70000)):
        text = (b"\n" * count + b"x\n") * 2
        for options in ([], ["-B2"], ["-A3"], ["-o"], ["-v"], ["-P"], ["-i"], ["-w"], ["-x", "--chunk-bytes=100"],
                        ["-z"], ["--mismatches=0"], ["-m1"], ["--column"], ["--no-mmap", "-e", "y"]):  # fmt: skip
            data = text.replace(b"\n", b"\0") if "-z" in options else text
            write(os.path.join(folder, "ends"), data)
            operand, given = (("ends", None), ("-", data))[number % 2]
            _, out, err = run(
                trawl, ["-nh", *options, "-e", "x+"[: 1 + ("-P" in options)], operand], folder=folder, data=given
            )
            found = [int(line.split(b":")[0]) for line in out.replace(b"\0", b"\n").splitlines() if b":" in line]
            places, inverts = (count + 1, 2 * count + 2), "-v" in options
            wanted = [at for at in range(1, 2 * count + 3) if (at in places) != inverts]
            wanted = wanted[:1] if "-m1" in options else wanted
            if found != wanted and b"cannot be loaded" not in err:
                pytest.fail("%d line ends in a row, %r, %s: %r" % (count, options, operand, found[:3]))


def test_both_cases(trawl, folder):
    """Check that with -i both cases of a letter are a single string, whose occurrences count once, and that two
    different letters are two strings."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for utf8, more in ((False, "@[`{"), (True, "@[`{éÀ")):
        strings = letters + letters.lower() + more
        words = [word for letter in strings + "É" * utf8 + "à" * utf8 for word in ("-e", letter)]
        out = run(trawl, ["-i", "--count-matches", "--overlapping", *words], utf8, folder, strings.encode())[1]
        if out != b"%d\n" % len(strings):
            pytest.fail("%r occurrences of the letters %s" % (out, strings))
    # The string ᲀ also matches the letter в, but the string в does not match ᲀ. So the two strings are different, and
    # both occur at 0.
    out = run(trawl, ["-iob", "--pattern-number", "-e", "в", "-e", "ᲀ"], True, folder, "вᲀ".encode())[1]
    assert out == "0:1:в\n0:2:в\n2:2:ᲀ\n".encode(), "two letters at the same place: %r" % out


def test_short_strings(trawl, folder):
    """Check --count-matches for each string of up to three letters, which may overlap with itself, mostly with -i."""
    text = b"aaaa aAaAAaaab\nabab aBab-abA\nBABA_bAbB bbb\naab\naA\n"
    for letters in (letters for count in (1, 2, 3) for letters in itertools.product(b"aAb", repeat=count)):
        for options in (["-i"], ["-i", "--overlapping"], *([["-iw"], [], ["-ix"]] if len(letters) < 3 else [])):
            case = Case(random.Random(1))
            case.report, case.ignore_case = "--count-matches", "i" in "".join(options)
            case.words, case.whole_lines = "-iw" in options, "-ix" in options
            case.report += " --overlapping" * ("--overlapping" in options)
            case.letters = case.any_byte = False
            wanted = expected(case, [bytes(letters)], [("t", text)])
            status, out, _ = run(trawl, [*options, "--count-matches", bytes(letters)], False, folder, text)
            if (out, status) != wanted:
                pytest.fail("%r of %r: %r, expected %r" % (options, bytes(letters), out, wanted))


def test_trees(trawl, folder):
    """Check the counts of many files, searched by many workers."""
    top = os.path.join(folder, "tree")
    patterns, sums = [b"a", b"aa", b"ab", b"none", b"a"], [0] * 5
    rng = random.Random(5)
    case = Case(rng)
    case.ignore_case = case.words = case.whole_lines = case.letters = False
    for i in range(200):
        os.makedirs(os.path.join(top, "d%d" % (i % 7)), exist_ok=True)
        text = bytes(rng.choice(b"ab\n\0") for _ in range(rng.choice([0, 3, 2000])))
        write(os.path.join(top, "d%d" % (i % 7), "f%d" % i), text)
        for number, pattern in enumerate(patterns):
            sums[number] += len(occurrences(case, pattern, text))
    wanted = b"".join(b"%d:%d:%s\n" % (i + 1, sums[i], patterns[i]) for i in range(5))
    words = [word for pattern in patterns for word in ("-e", pattern)]
    for threads in ("-j1", "-j4"):
        _, out, err = run(trawl, ["-r", threads, "--count-by-pattern", *words, top])
        if out != wanted or err:
            pytest.fail("a tree: %r, expected %r; %r" % (out, wanted, err))
    each = [run(trawl, ["-r", threads, "-H", "--count-by-pattern", *words, top])[1] for threads in ("-j1", "-j4")]
    assert each[0] == each[1] != b"", "-H: threads change what is printed"


def test_statistics(trawl, folder):
    """Check the numbers of --stats after searches that take a measurable time. They must not count a search of a small file
    twice."""
    path = os.path.join(folder, "many")
    write(path, b"".join(b"%d foo\n" % i for i in range(300000)))
    for options in (["-c", "foo"], ["-c", "none"], ["-j1", "-c", "77"], ["-co", "7"], ["-ci", "-e", "FOO 7", "-e", "x"],
                    ["-l", "299999"], ["-c", "--edits=1", "99x99"], ["-c", "--mismatches=1", "99x99"],
                    ["--count-by-pattern", "-e", "1", "-e", "2"], ["-v", "foo"], ["-n", "77"]):  # fmt: skip
        jobs = 1 if "-j1" in options else 0
        for operands in ([path], [path, path], ["-"], ["-r", folder] if "-c" in options else ["-"]):
            with open(path, "rb") as file:
                said = run(trawl, ["--stats", *options, *operands], stdin=file)[2]
            wrong = cases.stats_wrong(said, jobs, None if "-r" in operands else os.path.getsize(path) * len(operands))
            if wrong:
                pytest.fail("%r: %s" % (options + operands, wrong))
    small = os.path.join(folder, "small")
    write(small, b"bar foo\n" * 100)
    for count in range(1, 10):  # the command searches several small files together
        command = ["-j1", "-c", "--stats", "none", *[small] * count, folder, path, folder]
        said = run(trawl, command)[2]
        size = 800 * count + os.path.getsize(path)
        searched = sum(map(int, re.findall(rb" (\d+)", re.search(rb"^methods: .*", said, re.MULTILINE)[0])))
        wrong = cases.stats_wrong(said[said.find(b"files:") :], 1, size)
        if wrong or not size <= searched <= size + 64 * count:
            pytest.fail("%d small files, which hold nothing, not searched once: %s; %r" % (count, wrong, said))
