"""Searches texts in other encodings than UTF-8: labels, NULs, byte order marks, pipes that deliver a text in pieces, and
errors. (test_layout.py compares with the same texts in UTF-8.)
"""

import itertools
import os
import re
import select
import subprocess
import time

import cases
import pytest
import test_compare as compare
from harness import TRAWL, execute, write

REPLACED = "\ufffd"
MARKS = [b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"]
# A row: the encoding's label, its name in Python, letters.
OTHERS = [
    ("GB18030", "gb18030", "漢字"),
    ("ISO-2022-JP", "iso2022_jp", "漢字"),
    ("BIG5-HKSCS", "big5hkscs", "漢Ê"),
    ("CP1258", "cp1258", "AêA"),
    ("UTF-32LE", "utf-32-le", "漢😀\ud800"),
    ("UTF-32BE", "utf-32-be", "é\ud800"),
]


def without_times(output):
    return [line.split(b',"stats"')[0] for line in output.split(b"\n") if not line.startswith(b'{"data"')]


def test_nulls(trawl, folder):
    """Check that a NUL makes a converted file binary just as a UTF-8 file, wherever the NUL is. The other texts here are
    short, or searched with -a."""
    for turn, at in enumerate((0, 5000, 98303, 98304, 150000, 196608, 200000)):
        text = ("foo é\n" * 30000)[:at] + "\0" + "foo é\n" * 20000
        for place, content in (("here", text.encode("utf-16")), ("there", text.encode())):
            os.makedirs(os.path.join(folder, place), exist_ok=True)
            write(os.path.join(folder, place, "file"), content)
        rows = "-n,-o,-c,-m1,-m9999 -A1,-B1,-v,-l -I,-c -I,-I,-x -v,-z,--json"
        for options in [row.split() for row in rows.split(",")][turn % 2 :: 2]:
            wanted = cases.execute([trawl] + options + ["foo", "file"], os.path.join(folder, "there"))
            got = cases.execute([trawl, "--encoding=auto"] + options + ["foo", "file"], os.path.join(folder, "here"))
            if got[0] != wanted[0] or without_times(got[1]) != without_times(wanted[1]) or got[2] != wanted[2]:
                pytest.fail(
                    "%r, a NUL at %d: %s" % (options, at, cases.differences(wanted[1] + wanted[2], got[1] + got[2]))
                )


def test_at_once(trawl, folder):
    """Check that trawl searches the bytes of a pipe before more bytes come. (Only a file is converted in whole blocks.)"""
    with subprocess.Popen(
        [trawl, "--encoding=utf-16le", "foo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=cases.environment()
    ) as process:
        process.stdin.write("foo\n".encode("utf-16-le"))
        process.stdin.flush()
        came = select.select([process.stdout], [], [], 60)[0]
    assert came, "nothing came of a pipe that did not end, in %s" % folder


def test_in_pieces(trawl, folder):
    """Check that trawl finds a byte order mark that a pipe delivers in two pieces."""
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        data = "\ufefffoo\n".encode(encoding)
        for cut in range(1, 4):
            with subprocess.Popen(
                [trawl, "--encoding=auto", "-cx", "foo"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=folder,
                env=cases.environment(),
            ) as process:
                process.stdin.write(data[:cut])
                process.stdin.flush()
                time.sleep(0.05)  # by then trawl has read the first piece
                got = process.communicate(data[cut:])[0]
            if got != b"1\n":
                pytest.fail("%s, cut at %d: %r lines" % (encoding, cut, got))


def test_refused(trawl, folder):
    """Check the messages for a folder, for an unknown encoding, and for two contradicting options."""
    os.makedirs(os.path.join(folder, "here", "sub"), exist_ok=True)
    write(os.path.join(folder, "here", "file"), "x\nfoo\n".encode("utf-16"))
    here = os.path.join(folder, "here")
    unknown = b"trawl: --encoding: 'utf-17' is not auto, guess, none, or an encoding that this system knows\n"
    unknown += b"Try 'trawl --help' for more information.\n"
    excluded = b"trawl: --encoding and --search-zip exclude each other: unpack the files first\n"
    for arguments, wanted in (
        (["--encoding=utf-17", "x"], (2, b"", unknown)),
        (["--encoding=latin1", "--search-zip", "x"], (2, b"", excluded)),
        (["--encoding=auto", "x", "sub"], (2, b"", b"trawl: sub: Is a directory\n")),
        (["--encoding=auto", "-rc", "foo"], (0, b"file:1\n", b"")),
        (["--encoding=auto", "-q", "foo", "file", "nofile"], (0, b"", b"")),
    ):
        got = cases.execute([trawl] + arguments, here)
        if got != wanted:
            pytest.fail("%r: %r, expected %r" % (arguments, got, wanted))


def test_whole(trawl, folder):
    """Check whole texts in other encodings: characters are at the boundaries of reads, and the last line has no end."""
    for name, codec, letters in OTHERS:
        for shift in range(4):
            for text in ("a" * shift + letters, ("a" * shift + letters * 50000)[:70000] + letters):
                data = text.encode(codec, "surrogatepass" if "\ud800" in letters else "strict")
                got = cases.execute([trawl, "--encoding=" + name, "-a", ""], folder, data=data)[1].decode()
                if got != text.replace("\ud800", REPLACED) + "\n":
                    pytest.fail(
                        "%s: %d characters, %r at the end, became %d, %r"
                        % (name, len(text), text[-9:], len(got) - 1, got[-10:])
                    )
    for mark, text, wanted in zip(MARKS, (b"\xe9\0", b"\0\xe9", b"\xe9"), ("é",) * 3):
        got = cases.execute([trawl, "--encoding=latin1", "-a", ""], folder, data=mark + text)[1]
        if got != (wanted + "\n").encode():
            pytest.fail("behind a mark, %r, latin1 is %r" % (mark, got))


def test_labels(trawl, folder):
    """Check that each label of the Encoding Standard decodes each byte, and each pair of bytes, as in ripgrep 15, even where
    a letter or a line end cuts a character."""
    rg = cases.ripgrep()
    with open(
        os.path.join(os.path.dirname(__file__), "../../tools/trawl/options/encodings.def"), encoding="ascii"
    ) as file:
        found = re.findall(r'ENCODING\((\w+), "(\S*)",\s+("[^)]*")\)', file.read())
    rows = [(label, form, name) for form, name, labels in found for label in re.sub(r'"\s*"|"', "", labels).split()]
    singles = [bytes([byte, 59]) for byte in range(256)]
    pairs = [bytes([first, second, 59]) for first in range(128, 256) for second in range(256)]
    threes = [b"\x8f%c%c;" % (first, second) for first in range(128, 256) for second in range(128, 256)]
    fours = [
        b"%c%c%c%c;" % each
        for each in itertools.product(
            (129, 130, 131, 132, 144, 227, 254), range(48, 58), (*range(128, 256, 3), 255, 65), (48, 53, 57, 65)
        )
    ]
    escapes = [
        b"\x1b" + middle + bytes([first, second]) + end
        for middle in (b"$B", b"$@", b"(I", b"(J", b"(B", b"$", b"(", b"(B\x1b(J", b"$B\x1b$B")
        for first in range(0, 256, 1 if middle == b"$B" else 17)
        for second in range(256)
        for end in (b"\x1b(B;", b";")
    ]
    seen = set()
    wide = {"SINGLE": [], "USER_DEFINED": [], "ICONV": [], "ISO_2022_JP": escapes}
    wide |= {"UTF_8": pairs + threes + fours, "GBK": pairs + fours, "EUC_JP": pairs + threes}
    for label, form, name in rows:
        data = b"".join(piece + b"\n" for piece in singles + ([] if (form, name) in seen else wide.get(form, pairs)))
        seen.add((form, name))
        wanted, got = (
            cases.execute([name, "--no-config", "-a", "-N", "-E", label, ""], folder, data=data, executable=program)[:2]
            for name, program in (("rg", rg), ("tg", trawl))
        )
        if wanted != got:
            lines = zip(wanted[1].split(b"\n"), got[1].split(b"\n"))
            pytest.fail("%s: %r" % (label, [both for both in lines if both[0] != both[1]][:3] or (wanted[0], got[0])))
    for label in ("hz-gb-2312", "utf-17", "x-mac-greek"):
        if cases.execute([rg, "--no-config", "-E", label, "x"], folder, data=b"x")[0] != 2:
            pytest.fail("%s is a label" % label)


def test_broken(trawl, folder):
    """Check that an error of reading is reported, after the text before the error."""
    for encoding, codec in (("auto", "utf-8"), ("auto", "utf-16"), ("latin1", "latin-1"), ("utf-32le", "utf-32-le")):
        descriptor, end = compare.broken_text("foo\nbar\n".encode(codec) * 9)
        got = cases.execute([trawl, "--encoding=" + encoding, "-c", "foo"], folder, stdin=descriptor)
        os.close(descriptor)
        end()
        if got[0] != 2 or got[2] != b"trawl: (standard input): Input/output error\n":
            pytest.fail("%s: a text that cannot be read to its end: %r" % (encoding, got))


def test_sequences(trawl, folder):
    """Check short sequences of bytes between letters: --json prints a line as text exactly if the
    line is UTF-8."""
    edges = b"a\x80\x8f\x90\x9f\xa0\xbf\xc0"
    rests = [bytes(rest) for count in range(3) for rest in itertools.product(edges, repeat=count)]
    rests += [rest + b"\x80" for rest in rests if len(rest) == 2]
    lines = [b"x" * 40 + bytes([lead]) + rest + b"y" * 30 for lead in range(0x80, 0x100) for rest in rests]
    write(os.path.join(folder, "sequences"), b"\n".join(lines))
    output = cases.execute([trawl, "--json", "x", "sequences"], folder)[1]
    found = [b'"lines":{"text":' in line for line in output.split(b"\n") if line.startswith(b'{"type":"match"')]
    wanted = [line == line.decode(errors="ignore").encode() for line in lines]
    if found != wanted:
        pytest.fail(
            "a sequence counts as UTF-8 or not: %r" % [line for line, a, b in zip(lines, found, wanted) if a != b][:3]
        )


def test_other_names(folder):
    """Names that neither WHATWG nor iconv has mean what Python's codecs or Windows' code pages of that number do."""
    names = {"936": "gbk", "932": "cp932", "949": "cp949", "950": "cp950", "65001": "utf-8", "cp65001": "utf-8", "utf_8": "utf-8",
             "euc_jp": "euc_jp", "latin-1": "latin-1", "macroman": "mac_roman", "mac-roman": "mac_roman", "win1251": "cp1251"}  # fmt: skip
    names |= {f"windows{page}": f"cp{page}" for page in range(1250, 1259)} | {
        str(page): f"cp{page}" for page in range(1250, 1259)
    }
    letters = "é我ж한日ğא"
    for name, codec in names.items():
        # WHATWG's Big5 has no letters of Cyrillic where code page 950 has them
        known = [
            one for one in ("我a" if name == "950" else letters) if one == one.encode(codec, "replace").decode(codec)
        ]
        assert known or name.endswith(("53", "56")), name
        for letter in known:
            write(os.path.join(folder, "other"), f"a{letter}b\n".encode(codec))
            status, output, errors = execute([TRAWL, f"--encoding={name}", f"a{letter}b", "other"], folder)
            assert (status, output, errors) == (0, f"a{letter}b\n".encode(), b""), (name, letter)
