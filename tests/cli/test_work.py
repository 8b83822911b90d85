"""Checks that the command's work is linear in the text and the output. The program counts its work (work_count.c), so a
row's figure is the same in every run, and nearly the same if the text comes from a pipe.

Each row runs on a text and on a text eight times as long. The longer text may take up to 32 times the work: quadratic
work would be 64 times, and linear work may be 20 times, since trawl may choose a different algorithm for it, and
algorithms differ by a factor of 2.5. If grep has the options, the answers are compared with grep's. With
`-m expressions`, only the rows of expressions run, and the program may count only in src/regex.
"""

import base64
import json
import os
import resource
import subprocess

import pytest
from harness import BUILD, write

PROGRAM = str(BUILD / "tests/cli/cli_counted")
TIMES, RATIO_MAX = 8, 32.0


def lines_of(bytes_count):
    line = b"2026-11-22 a line of a log that has no news %08d\n"
    return b"".join(line % i for i in range(bytes_count // len(line % 0)))


def nulls(bytes_count):
    return bytes(bytes_count - 7) + b"needle\n"


def not_utf8(bytes_count):
    return b"\xff\x01\xfe" * ((bytes_count - 6) // 3) + b"needle"


def line_of(part):
    """Return a function that makes a text of a given size, of lines of about 100,000 bytes that repeat a part."""
    line = part * (100000 // len(part)) + b"\n"
    return lambda bytes_count: line * (bytes_count // len(line))


def one_line(before, part, after):
    """Return a function that makes a single line of a given size, which repeats a part."""
    return lambda bytes_count: before + part * (bytes_count // len(part)) + after


def fibonacci(bytes_count):
    last, word = b"a", b"ab"
    while len(word) < bytes_count:
        last, word = word, word + last
    return word[: bytes_count - 1] + b"\n"


def nested_words():
    """Return the arguments for 200 patterns, which are parts of a Fibonacci word."""
    word = fibonacci(1000)
    return [each for i in range(200) for each in ("-e", word[3 * i : 3 * i + 1 + i % 40].decode())]


# A row: name, arguments, function that makes the text, maximum work per byte of text, whether the text comes from a
# pipe, whether grep has the options.
ROWS = [
    ("context without end, absent word", ["-B1000000000", "absent"], lines_of, 1, True, True),
    ("context without end, numbers", ["-n", "-B1000000000", "99"], lines_of, 5, True, True),
    ("context of many lines", ["-B5000", "absent"], lines_of, 1, True, True),
    ("context of three lines, file", ["-C3", "-n", "999"], lines_of, 1, False, True),
    ("--json of a line of NUL", ["-a", "--json", "needle"], nulls, 10, False, False),
    ("--json of a line of bytes", ["-a", "--json", "needle"], not_utf8, 4, False, False),
    # Texts without word boundaries. A search must not treat each position of such a text as a candidate.
    ("word, a line of it", ["-cw", "a"], line_of(b"a"), 3, False, True),
    ("word of two, a line of it", ["-cw", "aa"], line_of(b"a"), 3, False, True),
    ("word, a line of words that begin so", ["-cw", "a"], line_of(b"ab "), 4, False, True),
    ("word a_a", ["-cw", "a_a"], line_of(b"a_"), 3, False, True),
    ("word, case ignored", ["-cwi", "a"], line_of(b"aA"), 3, False, True),
    ("words of one byte", ["-cw", "-e", "A", "-e", "C", "-e", "G"], line_of(b"GATTACA"), 3, False, True),
    ("words, Fibonacci", ["-cw"] + nested_words(), fibonacci, 4, False, True),
    ("words, Fibonacci, -o", ["-ow"] + nested_words(), fibonacci, 4, False, True),
    ("whole lines", ["-cx", "a"], line_of(b"a"), 3, False, True),
    # Expressions between word boundaries. A search must not shorten each match byte by byte.
    ("word of letters, a single line", ["-E", "-cw", "a+"], one_line(b" ", b"a", b"x\n"), 8, False, False),
    ("word, two alternatives", ["-E", "-cw", "foo|el.*at"], one_line(b"", b"fel,iat;xfoox", b"\n"), 25, False, False),
    ("word, anything", ["-P", "-ow", ".*"], one_line(b"", b"ab ", b".\n"), 21, False, False),
    ("words, a lazy operator", ["-P", "-ow", "<b>.*?</b>"], one_line(b"", b"<b>x</b> ", b"\n"), 46, False, False),
    ("matches across lines, one block", ["-P", "--multiline", "-c", r"\s"], lines_of, 70, False, False),
    ("context under -v", ["-v", "-B100000", "-n", "news 0"], lines_of, 5, True, True),
]


def run(command, text, folder, is_pipe):
    path, counted = os.path.join(folder, "text"), os.path.join(folder, "work")
    write(path, text)
    environment = dict(
        os.environ, LC_ALL="C", TRAWL_CONFIG_PATH="", TRAWL_TEST_WORK=counted, LD_LIBRARY_PATH=str(BUILD)
    )
    if is_pipe:
        with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
            done = subprocess.run(command, stdin=cat.stdout, stdout=subprocess.PIPE, env=environment)
    else:
        done = subprocess.run(command + [path], stdout=subprocess.PIPE, env=environment)
    work = 0
    if os.path.exists(counted):
        with open(counted) as file:
            work = int(file.read())
    return done.stdout, done.returncode, work


def json_line(output):
    """Return the line of the only match that --json prints, and the text and place of the only
    submatch."""
    data = json.loads(output.splitlines()[1])["data"]
    lines, found = data["lines"], data["submatches"]
    line = lines["text"].encode() if "text" in lines else base64.b64decode(lines["bytes"])
    return line, [(each["match"]["text"], each["start"]) for each in found]


def printed_within(folder, arguments, text):
    """Search a file with the text, within 32 MiB of memory. Return the output."""
    path, data_max = os.path.join(folder, "long"), 32 << 20
    write(path, text)
    done = subprocess.run(
        [PROGRAM, "-j1", *arguments, path],
        stdout=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (data_max, data_max)),
    )
    return done.stdout


def test_lines_not_held(folder):
    """Search a line of 48 MiB, and a line that is replaced with 60 MB, in several layouts."""
    before, replacement = b"x" * (48 << 20), b"r" * 100000
    line, place = before + b"needle\n", 48 << 20
    replaced = ["--replace=" + replacement.decode(), "a"]
    rows = [
        (["--replace=<$0>", "needle"], line, before + b"<needle>\n"),
        (["--color=always", "needle"], line, before + b"\x1b[01;31m\x1b[Kneedle\x1b[m\x1b[K\n"),
        (["--column", "needle"], line, b"1:%d:" % (place + 1) + line),
        (["-o", "-b", "-C0", "needle"], line, b"%d:needle\n" % place),
        (replaced, b"ba" * 600 + b"\n", (b"b" + replacement) * 600 + b"\n"),
        (["-o"] + replaced, b"ba" * 600 + b"\n", (replacement + b"\n") * 600),
        (["-M3", "--max-columns-preview"] + replaced, b"ba" * 600 + b"\n", b"brr [... 599 more matches]\n"),
    ]
    for arguments, text, expected in rows:
        printed = printed_within(folder, arguments, text)
        assert (printed == expected) is True  # not shown: 48 MiB
    found = json_line(printed_within(folder, ["--json", "needle"], line))
    assert (found == (line, [("needle", place)])) is True


# A row: arguments, maximum work per file, for a directory of small files. The command searches files without a match
# together, but each file alone if matches are frequent. No other rows show this.
FILES = [
    (["absent"], 250),
    (["-l", "absent"], 250),
    (["-c", "absent"], 250),
    (["-L", "log"], 800),
    (["--ignore", "--glob=!*9", "--sort=path", "absent"], 400),
]


@pytest.mark.parametrize("arguments, most", FILES, ids=[" ".join(row[0]) for row in FILES])
def test_work_of_files(arguments, most, folder):
    """Search many small files."""
    many = os.path.join(folder, "many")
    os.mkdir(many)
    for i in range(1000):
        write(os.path.join(many, str(i)), "a line of a log %d\n" % i)
    output, _, work = run([PROGRAM, "-j1", "-r", *arguments, many], b"", folder, True)
    assert 0 < work / 1000 <= most, "blocks per file"
    assert output.count(b"\n") == 1000 * ("-c" in arguments)


@pytest.mark.parametrize(
    "name, arguments, make, per_byte_max, is_pipe, as_grep",
    [pytest.param(*row, id=row[0], marks=[pytest.mark.expressions] * bool({"-E", "-P"} & set(row[1]))) for row in ROWS],
)
def test_work(name, arguments, make, per_byte_max, is_pipe, as_grep, folder, request):
    works, small = [], 1 << (18 if request.config.option.markexpr else 20)
    for size in (small, small * TIMES):
        text = make(size)
        found = run([PROGRAM, "-j1", *arguments], text, folder, is_pipe)
        works.append(found[2] / len(text))
        if "--json" in arguments:
            assert (json_line(found[0]) == (text, [("needle", text.index(b"needle"))])) is True
        if as_grep:
            assert (found[:2] == run(["grep", "-F", *arguments], text, folder, is_pipe)[:2]) is True
    assert works[0] > 0 and TIMES * works[1] / works[0] <= RATIO_MAX, "the work grows faster than the text"
    assert works[1] <= per_byte_max, "blocks per byte"
