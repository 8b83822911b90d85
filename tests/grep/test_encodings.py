"""Compares the answers of --encoding on random texts with the answers on the same texts in UTF-8.

The script converts the texts itself: UTF-16 with a loop over its units, other encodings with Python. The texts may have
lone surrogates, bytes outside of characters, NULs, and end in the middle of a character. If ripgrep is installed, its
answers are compared, too: by default it treats byte order marks as --encoding=auto does.
"""

import itertools
import os
import re
import select
import shutil
import subprocess
import time

import cases
import pytest
import test_compare as compare
from harness import TRAWL, execute, write

CASES = 640
LETTERS = "ab \n\n\tfoo\r" + "é漢字😀Σя\u2028\ufeff\ufffd"
OPTIONS = [["-n"], ["-c"], ["-o", "-b"], ["-v"], ["-i"], ["-C1"], ["--column"], ["--json"], ["-l"], ["-q"], ["-w"],
           ["-m1"], ["-I"], ["--positions"], ["--count-matches"], ["-x"]]  # fmt: skip
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


def from_units(data, big):
    """Decode UTF-16 in a loop: an unpaired unit becomes U+FFFD, and so does a byte without a
    second byte."""
    units = [data[at + (not big)] << 8 | data[at + big] for at in range(0, len(data) - 1, 2)]
    text, at = [], 0
    while at < len(units):
        unit = units[at]
        if 0xD800 <= unit < 0xDC00 and at + 1 < len(units) and 0xDC00 <= units[at + 1] < 0xE000:
            text.append(chr(0x10000 + ((unit - 0xD800) << 10) + (units[at + 1] - 0xDC00)))
            at += 2
            continue
        text.append(REPLACED if 0xD800 <= unit < 0xE000 else chr(unit))
        at += 1
    return "".join(text) + (REPLACED if len(data) % 2 else "")


def random_data(rng, codec):
    pieces = []
    for _ in range(rng.choice([0, 1, 3, 20, 200, 20000])):
        if rng.random() < 0.02:
            pieces.append(
                rng.choice([b"\0\xd8", b"\xd8\0", b"\0\xdc", b"\xdc\0", b"a\0", b"\0a"])
                if codec.startswith("utf-16")
                else b""
            )
        else:
            pieces.append(rng.choice(LETTERS).encode(codec, "ignore"))
    for _ in range(rng.choice([0, 0, 1, 2])):
        pieces.insert(rng.randrange(len(pieces) + 1), "\0".encode(codec))
    data = b"".join(pieces)
    return data[: len(data) - 1] if rng.random() < 0.2 else data


def draw(rng):
    """Return the name of the encoding, the file's bytes, and the text."""
    kind = rng.choice(
        ["mark", "mark", "mark", "by name", "utf-8 mark", "none", "latin", "latin", "other", "other", "other"]
    )
    big = rng.random() < 0.5
    codec = "utf-16-be" if big else "utf-16-le"
    if kind == "mark":
        data = random_data(rng, codec)
        return rng.choice(["auto", "auto", "utf-16"]), ("\ufeff".encode(codec)) + data, from_units(data, big)
    if kind == "by name":
        data = random_data(rng, codec)
        text = from_units(data, big)
        return codec.replace("16-", "16"), data, text[1:] if text.startswith("\ufeff") else text
    if kind == "utf-8 mark":
        text = random_data(rng, "utf-8").decode("utf-8", "ignore")
        return "auto", b"\xef\xbb\xbf" + text.encode(), text
    if kind == "none":
        text = "x" + random_data(rng, "utf-8").decode("utf-8", "ignore")
        return rng.choice(["auto", "none"]), text.encode(), text
    if kind == "latin":
        data = random_data(rng, "latin-1") + bytes(rng.randrange(1, 256) for _ in range(20))
        # as the Encoding Standard requires
        text = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in data)
        return "ISO-8859-1", rng.choice([b"", b"", MARKS[2]]) + data, text
    name, codec, letters = rng.choice(OTHERS)
    text = "".join(rng.choice("ab \nfoo" + letters) for _ in range(rng.choice([1, 2, 30, 50000])))
    return (
        name,
        text.encode(codec, "surrogatepass" if "\ud800" in letters else "strict"),
        text.replace("\ud800", REPLACED),
    )


def without_times(output):
    return [line.split(b',"stats"')[0] for line in output.split(b"\n") if not line.startswith(b'{"data"')]


def test_case(rng, trawl, folder):
    """Return None, or what is wrong."""
    name, data, text = draw(rng)
    here, there = os.path.join(folder, "here"), os.path.join(folder, "there")
    for place, content in ((here, data), (there, text.encode())):
        os.makedirs(place, exist_ok=True)
        write(os.path.join(place, "file"), content)
    text_options = ["-a"] * (rng.random() < 0.6)
    options = text_options + [word for chosen in rng.sample(OPTIONS, rng.choice([0, 1, 2])) for word in chosen]
    if "--positions" in options or "--count-matches" in options:
        options = text_options + ["--positions" if "--positions" in options else "--count-matches"]
    if "--json" in options:
        options = text_options + ["--json"]
    pattern = rng.choice(["", "", "", "foo", "a", "é", "漢字", REPLACED, "b \n", "ab"])
    own = options + ["-j%d" % rng.choice([1, 2]), "-e", pattern]
    wanted = cases.execute([trawl] + own + ["file"], there)
    encoding = ["--encoding=" + name]
    got = cases.execute([trawl] + encoding + own + ["file"], here)
    same = without_times(got[1]) == without_times(wanted[1]) if "--json" in options else got[1] == wanted[1]
    if got[0] != wanted[0] or got[2] != wanted[2] or not same:
        pytest.fail("%r with %s on %r: %r, on the text in UTF-8 %r" % (own, name, data[:60], got, wanted))
    if rng.random() < 0.3 and "-a" in options:  # through a pipe
        wanted = cases.execute([trawl] + own + ["--label=x"], there, data=text.encode())
        got = cases.execute([trawl] + encoding + own + ["--label=x"], here, data=data)
        if "--json" not in options and got != wanted:
            pytest.fail(
                "%r with %s through a pipe of %r: %r, on the text in UTF-8 %r" % (own, name, data[:60], got, wanted)
            )
    # After a lone surrogate, ripgrep treats half a unit (one byte at the end) as part of the same invalid character, trawl
    # as one more. And of two byte order marks ripgrep removes both.
    differs = len(data) % 2 == 1 or text.startswith("\ufeff")
    if name == "auto" and options == ["-a"] and not differs and shutil.which("rg"):
        theirs = cases.execute(["rg", "-F", "--no-config", "-a", "-e", pattern.rstrip("\n"), "file"], here)
        ours = cases.execute([trawl] + encoding + ["-a", "-e", pattern.rstrip("\n"), "file"], here)
        if ours[:2] != theirs[:2]:
            pytest.fail("%r on %r: %r, ripgrep %r" % (pattern, data[:60], ours, theirs))


def test_nulls(trawl, folder):
    """Check that a NUL makes a converted file binary just as a UTF-8 file, wherever the NUL is. The other texts here are
    short, or searched with -a."""
    for turn, at in enumerate((0, 5000, 98303, 98304, 150000, 196608, 200000)):
        text = ("foo é\n" * 30000)[:at] + "\0" + "foo é\n" * 20000
        for place, content in (("here", text.encode("utf-16")), ("there", text.encode())):
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
    unknown = b"trawl: --encoding: 'utf-17' is not auto, none, or an encoding that this system knows\n"
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
    rg = cases.ripgrep() or ""
    version = cases.execute([rg, "--version"])[1] if rg else b""
    if not re.match(rb"ripgrep (1[5-9]|[2-9]\d)", version):
        print("left out: there is no ripgrep 15 to compare labels with")
        return
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
