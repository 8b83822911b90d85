"""Searches random archives with --search-zip, and compares with a search of the files that were put into them, with ugrep
-z (tar and zip), and with `bsdtar -xOf ARCHIVE | trawl`, the latter also for archives that are truncated or changed.

An archive has a format (tar in four variants, cpio, zip, 7z), perhaps a compression, and members with names of letters,
blanks and signs. TRAWL_TEST_SEED chooses the cases.
"""

import ctypes
import os
import re
import shutil

import cases
import pytest
from harness import NOT_JUDGED, execute, has_judge, write

CASES, ONE_IN = 240, 4
FORMATS = ["ustar", "pax", "gnutar", "v7tar", "newc", "odc", "zip", "7zip"]
FILTERS = {"": [], ".gz": ["-z"], ".bz2": ["-j"], ".xz": ["-J"], ".zst": ["--zstd"], ".lz4": ["--lz4"]}
DECODERS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd", ".lz4": "lz4"}
TOKENS = ["foo", "Foo", "bar", "o", "x", "é", "漢", " ", "\t", "foobar", "."]
NAMES = ["a.c", "b.c", "B.txt", "x y", "é.txt", "(z)", "a.txt", "sub/a.c", "sub/d/e.c", "[q]", "n.h"]
OPTIONS = [["-n"], ["-c"], ["-l"], ["-o"], ["-v"], ["-i"], ["-w"], ["-q"], ["-b", "-o"], ["-n", "-i"], ["-v", "-c"],
           ["-m1"], ["-m2", "-n"], ["-x"]]  # fmt: skip
OWN = [["-A1"], ["-C1"], ["-L"], ["--json"], ["--count-matches"], ["--vimgrep"], ["--column"], ["-U"], ["--around=2"],
       ["--and=o"], ["-g*.c"], ["-tc"], ["--replace=<$0>"], ["--heading"]]  # fmt: skip
PATTERNS = ["foo", "o", "bar", "é", "nothing"]


def content(rng):
    """Return a text; some are longer than what is read of a member at once."""
    lines = ["".join(rng.choices(TOKENS, k=rng.choice([0, 1, 3, 9]))) for _ in range(rng.choice([0, 1, 2, 5, 30, 600]))]
    return "".join(line + "\n" for line in lines)


def make(rng, folder):
    """Make a folder with files and an archive of them. Return the folder, the archive and the names in their order."""
    here = os.path.join(folder, "files")
    shutil.rmtree(here, ignore_errors=True)
    os.makedirs(here)
    kind, packed = rng.choice(FORMATS), rng.choice([*FILTERS])
    if kind in ("zip", "7zip"):
        packed = ""
    names = rng.sample(NAMES, rng.choice([1, 2, 4, 8]))
    for name in names:
        os.makedirs(os.path.dirname(os.path.join(here, name)), exist_ok=True)
        write(os.path.join(here, name), content(rng))
    archive = "t-%s.%s%s" % (kind, {"newc": "cpio", "odc": "cpio", "zip": "zip", "7zip": "7z"}.get(kind, "tar"), packed)
    options = ["--format", kind, *FILTERS[packed]] + ["--options", "zip:compression=store"] * (
        kind == "zip" and rng.random() < 0.3
    )
    made = execute(["bsdtar", "-cf", archive, *options, "--", *names], here)
    assert made[0] == 0, made
    listed = execute(["bsdtar", "-tf", archive], here)[1].decode().splitlines()
    assert sorted(listed) == sorted(names)
    return here, archive, listed  # 7z has empty members last


def commands(rng, trawl, folder):
    """Return the command as tg or as trawl, with what makes both print alike."""
    if rng.random() < 0.5:
        return [cases.link(trawl, folder), "--include-zero"]
    return [trawl, "-P", "--encoding=auto", "-I"]


def renamed(output, archive, names):
    """Return the output of a search of files with the names of members."""
    heads = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)).encode()
    output = re.sub(rb'("path":\{"text":")(%s)"' % heads, rb'\1%s{\2}"' % archive.encode(), output)
    return re.sub(rb"(?m)^(%s)(?=[:\-\n])" % heads, rb"%s{\1}" % archive.encode(), output)


def settled(output):
    output = re.sub(rb'"elapsed(_total)?":\{[^}]*\}|"bytes_printed":\d+', b"", output)
    return re.sub(rb'.*"summary".*\n', b"", output)


@pytest.fixture(autouse=True, scope="module")
def tools():
    if not shutil.which("bsdtar"):
        pytest.skip(NOT_JUDGED + "bsdtar")
    try:
        ctypes.CDLL("libarchive.so.13")
    except OSError:
        pytest.skip(NOT_JUDGED + "libarchive")


def test_archives(rng, folder, trawl):
    """Compares with the files themselves, and with ugrep for what it has, too."""
    here, archive, names = make(rng, folder)
    pattern, options = rng.choice(PATTERNS), rng.choice(OPTIONS + OWN)
    command = commands(rng, trawl, folder)
    more = rng.choice([[], [], ["-j1"], ["-j3"], ["--chunk-bytes=7"]])
    as_search = [*command, "-H", *options, *more, "-e", pattern]
    searched = names
    if options[0] in ("-g*.c", "-tc"):  # the files must be chosen here: operands are not filtered
        searched = [name for name in names if re.search(r"\.[ch]$" if options[0] == "-tc" else r"\.c$", name)]
    got = execute([*as_search, "--search-zip", archive], here)
    expected = execute([*as_search, "--", *searched], here) if searched else (1, b"", b"")
    cases.counts["selected"] += got[0] == 0
    assert cases.undoubted(got[2]) == b"", (here, as_search)
    assert (got[0], settled(got[1])) == (expected[0], settled(renamed(expected[1], archive, names))), (here, as_search)
    is_common = options in OPTIONS and options != ["-w"] and archive.startswith(("t-ustar", "t-gnutar", "t-zip"))
    if is_common and has_judge("ugrep"):
        judge = ["ugrep", "-z", "-H", "--sort=name", "-P", *options, "-e", pattern, archive]
        judged = execute(judge, here)
        found = re.sub(
            rb"(?m)^(t-[^}\n]*\})\+(\d+\+)?",
            lambda one: one[1] + b":" + (one[2] or b"")[:-1] + b":" * bool(one[2]),
            judged[1],
        )
        if judged[2]:  # it lacks zip's stored members
            return
        assert (got[0], sorted(got[1].splitlines())) == (judged[0], sorted(found.splitlines())), (
            here,
            judge,
            judged[2],
        )


def test_nested(rng, folder, trawl):
    """An archive inside an archive is searched as it is outside."""
    here, archive, _ = make(rng, folder)
    outer = "outer." + rng.choice(["tar", "tar.gz", "tar.xz", "zip", "7z", "cpio"])
    assert execute(["bsdtar", "-acf", outer, archive], here)[0] == 0
    command = [*commands(rng, trawl, folder), "--search-zip", *rng.choice(OPTIONS), rng.choice(PATTERNS)]
    status, output, errors = execute([*command, archive], here)
    wanted = status, output.replace(archive.encode(), b"%s{%s}" % (outer.encode(), archive.encode())), errors
    found = execute([*command, outer], here)
    cases.counts["selected"] += found[0] == 0
    assert found == wanted, (here, command)
    if found[1]:
        assert execute([*command, "--archive-depth=1", outer], here)[0] == 2


def test_streams(rng, folder, trawl):
    """Compares with bsdtar's output; every second archive is truncated or changed."""
    here, archive, _ = make(rng, folder)
    path = os.path.join(here, archive)
    is_damaged = rng.random() < 0.7
    if is_damaged:
        data = bytearray(open(path, "rb").read())
        kept = min(len(data) - 1, 40 if archive.endswith(tuple(FILTERS)[1:]) else 110)  # else it is no archive
        if rng.random() < 0.4:
            del data[rng.randrange(kept, len(data)) :]
        else:
            for _ in range(rng.choice([1, 1, 3, 20])):
                data[rng.randrange(kept, len(data))] = rng.randrange(256)
        write(path, bytes(data))
    pattern = rng.choice(PATTERNS)
    command = commands(rng, trawl, folder)
    command += ["-o"] * is_damaged  # without the end of its last line, bsdtar joins a member with the next one
    got = execute(
        [*command, "-h" if command[0].endswith("trawl") else "-I", "-a", "--search-zip", pattern, archive], here
    )
    output = execute(["bsdtar", "-xOf", archive], here)
    expected = execute([*command, "-a", pattern], here, data=output[1])
    assert got[0] in (0, 1, 2), (here, command)
    if not is_damaged:
        assert got == expected, (here, command)
    elif output[0] == 0 and got[1] != expected[1]:  # the first header is damaged: the file is searched as it is
        assert archive.startswith(("t-newc", "t-odc", "t-v7tar")), (here, command)
        tool = DECODERS.get(os.path.splitext(archive)[1], "cat")
        plain = execute([tool, *["-dc"] * (tool != "cat"), archive], here)[1]
        assert got[1] == execute([*command, "-a", pattern], here, data=plain)[1], (here, command)
    elif output[0] == 0:
        pass
    elif b"unreadable filename" in output[2]:
        pass  # bsdtar leaves out a member without a name
    elif got[2] == b"" and archive.startswith(("t-newc", "t-odc", "t-v7tar")) or b"Unrecognized" in output[2]:
        pass  # the first header is damaged: the file is searched as it is
    else:
        assert got[0] == 2 and got[2] != b"", (here, command, output, got)
