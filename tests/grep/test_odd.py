"""Checks an example of each point in docs/differences.md where trawl differs from GNU grep 3.8 on purpose: what trawl
prints, and what grep prints (only trawl, if grep is not 3.8).
"""

import os
import shutil
import subprocess

import cases
import locales
import pytest
from harness import write

BLOCK = 98304

# A row: the words of the document, locale, arguments, text, what trawl does, what grep does. A number is an exit
# status, bytes are standard output, and None allows anything.
ODD = [("-wo right after a match", "C.UTF-8", ["-wo", "-e", "bar", "-e", " "], b"bar \n", (0, b"bar\n"),
        (0, b"bar\n \n")),
       ("-wo right after a match", "C", ["-wo", "-e", b"\xa3m", "-e", "x"], b" \xa3m\xa3m\n", (0, b"\xa3m\n"),
        (0, b"\xa3m\n\xa3m\n")),
       ("-wo right after a match", "C", ["-wo", "-e", "bar", "-e", " "], b"bar \n", (0, b"bar\n"), (0, b"bar\n \n")),
       ("-xwo of one string", "C", ["-xwo", "bar"], b"bar\n", (0, b"bar\n"), (0, b"bar\n\n")),
       ("-v -m -1 with context", "C", ["-v", "-m", "-1", "-C1", "b"], b"a\nb\n", (1, b""), (1, b"a\n")),
       ("-A up to a block with a NUL", "C", ["-A3", "b"], b"x\n" * (BLOCK // 2 - 1) + b"b\ny\nz\0w\n", (0, b"b\n"),
        (0, b"b\ny\nz\nw\n")),
       ("-A up to a block with a NUL", "C", ["-A3", "b"], b"x\n" * (BLOCK // 2 - 1) + b"b\ny\nz\0b\n", (0, b"b\n"),
        (0, b"b\n")),
       ("-A after a line that is not printed", "C.UTF-8", ["-A1", "a"], b"x\n\xff a\n", (0, b""), (0, b"x\n")),
       ("bytes in multibyte charsets other than UTF-8", "ja_JP.eucJP", ["-ci", b"\xa3\xc1"], b"\xa3\xe1\n", (1, b"0\n"),
        (0, b"1\n")),
       ("bytes in multibyte charsets other than UTF-8", "ja_JP.eucJP", ["-c", b"\xe1\xa3"], b"\xa3\xe1\xa3\xe1\n",
        (0, b"1\n"), (1, b"0\n")),
       ("-i and a part of a character", "C.UTF-8", ["-ci", b"\xce"], "ώ\n".encode(), (1, b"0\n"), (0, b"1\n")),
       ("-i and a part of a character", "C.UTF-8", ["-ci", b"\xcf"], "ώ\n".encode(), (0, b"1\n"), (1, b"0\n")),
       ("-i and a part of a character", "C.UTF-8", ["-oi", "-f", b"\xd0\n\xd0\xb8\xd0\xb2"], "рив\n".encode(),
        (0, "ив\n".encode()), (0, b"")),
       ("-i does not look inside a character", "C.UTF-8", ["-ci", b"\x9f\x98\x80"], "😀\n".encode(), (1, b"0\n"),
        (1, b"0\n")),
       ("-i, bad characters and capitals of other lengths", "tr_TR.UTF-8", ["-aoi", b"\xb1"], "ıı\n".encode(), (1, b""),
        None),
       ("-i, bad characters and capitals of other lengths", "C.UTF-8", ["-oi", "ksσis"], "ıksσis".encode() + b"\xe2\n",
        (0, "ksσis\n".encode()), (0, b"")),
       ("-w and the empty string in grep's regular expressions", "C.UTF-8", ["-cwi", "-e", "", "-e", b"\xa1"],
        b"\xa1he\n", (0, b"1\n"), (1, b"0\n")),
       ("-i and U+1C80 to U+1C88", "C.UTF-8", ["-ci", "ᲀ"], "в\n".encode(), (0, b"1\n"), None),
       ("-NUM of two digits after an operand", "C", ["b", "-10"], b"a\nb\nc\n", (0, b"a\nb\nc\n"), (0, b"b\n")),
       ("-z and a NUL in a string", "C", ["-cz", "-f", b"a\0"], b"a\0b\0", (1, b"0\n"), (0, b"1\n")),
       ("a hole, and offsets after it", "C", ["-abz", "-o", "b"], None, (0, b"%d:b\0" % (4 * BLOCK)), None),
       ("a warning in the locale's language", "tr_TR.UTF-8", ["-c", "b", "-", "missing"], b"b\n",
        (2, b"(standard input):1\n"), None)]  # fmt: skip


def run(program, locale, arguments, path, folder):
    with open(path, "rb") as stdin:
        return cases.execute(program + arguments, folder, locale, stdin=stdin)[:2]


@pytest.fixture(scope="module")
def known():
    """The available locales. Only long runs make the last two."""
    folder = os.path.join(os.path.dirname(cases.TRAWL), "locales")
    others = [name for name in ("zh_CN.GB18030", "zh_TW.Big5") if os.path.isdir(os.path.join(folder, name))]
    return ["C", "C.UTF-8", *locales.prepare(cases.TRAWL, False), *others]


@pytest.fixture(scope="module")
def grep_is_known():
    version = subprocess.run(["grep", "--version"], capture_output=True).stdout if shutil.which("grep") else b""
    return version.startswith(b"grep (GNU grep) 3.8")


@pytest.mark.parametrize("what, locale, arguments, text, ours, theirs", ODD, ids=[row[0] for row in ODD])
def test_odd(what, locale, arguments, text, ours, theirs, known, grep_is_known, folder):
    if locale not in known:
        pytest.skip("there is no locale " + locale)
    path = os.path.join(folder, "text")
    with open(path, "wb") as file:
        if text is None:
            file.seek(4 * BLOCK)
        file.write(text if text is not None else b"b")
    if "-f" in arguments:
        at = arguments.index("-f") + 1
        write(os.path.join(folder, "strings"), arguments[at])
        arguments = arguments[:at] + ["strings"] + arguments[at + 1 :]
    assert run([cases.TRAWL], locale, arguments, path, folder) == ours
    if grep_is_known and theirs:
        assert run(["grep", "-F"], locale, arguments, path, folder) == theirs
