"""Searches damaged and long compressed files with --search-zip. (test_layout.py has short ones, with all options.)

A case has a text, a format, and pieces (members of any length, blocks, the pieces of bgzip and pzstd), most of which are
truncated or changed. The search must end (unless the format's tool accepts the change) with status 2 and a message that
names the file and a byte, and the output before it must be that of the undamaged text, up to the line that is cut. One
worker and several must print the same bytes, messages included. Other tests search long compressed texts.
"""

import gzip
import os
import random
import subprocess

import cases
import pytest
import test_compare as compare
from harness import write
from packed import FORMATS, formats_here, pack, pack_pieces

CASES = 400
OWN = [[], ["-j1"], ["-j2"], ["-j3", "--chunk-bytes=1000"], ["-j2", "--chunk-bytes=70000"], ["-j4", "--chunk-bytes=64"],
       ["-j3", "--chunk-bytes=300"]]  # fmt: skip
LARGE_BYTES = 200 << 20
LARGE_KIB_MAX = 64 << 10


def run(command, top, data=None, **more):
    return cases.execute(command, top, "C", data, **more)


def random_text(rng):
    text = compare.random_big_text(rng) if rng.random() < 0.4 else compare.random_text(rng)
    return text.replace(b"\0", b"") * rng.choice([1, 1, 3])


def check_damaged(trawl, top, rng):
    """Return None, or what is wrong."""
    name, own = rng.choice(FORMATS_HERE), rng.choice(OWN)
    text = b"".join(random_text(rng) for _ in range(rng.choice([1, 1, 2, 3]))) + b"foo bar\n" * 20
    several = rng.random() < 0.5
    packed = bytearray(pack_pieces(rng, name, text) if several else pack(name, text))
    way = rng.random()
    if way < 0.2:
        pass
    elif way < 0.5:
        del packed[rng.randrange(12, len(packed)) :]
    elif way < 0.9 or not several:
        packed[rng.randrange(12, len(packed))] ^= rng.randrange(1, 256)
    else:  # insert foreign bytes, at the end or inside a member
        at = rng.choice([len(packed), rng.randrange(12, len(packed))])
        packed[at:at] = rng.choice(
            [b"garbage", b"\x1f\x8b\x08\0garbage", pack(rng.choice(FORMATS_HERE), b"foo\n"), rng.randbytes(99)]
        )
    write(os.path.join(top, "damaged"), packed)
    expected = run(["grep", "-F", "-ab", "o"], top, text)  # -a: a NUL made by the damage would end the search
    got = run([trawl, "--search-zip", "-ab"] + own + ["o", "damaged"], top)
    for others in rng.sample(OWN, 2):
        found = run([trawl, "--search-zip", "-ab"] + others + ["o", "damaged"], top)
        if found != got:
            rows = (own, got[0], len(got[1]), got[2], others, found[0], len(found[1]), found[2])
            return "%r: status %d, %d bytes, %r; %r gives status %d, %d bytes, %r" % rows
    report = rng.choice("-c --json --count-matches --count-by-pattern --vimgrep -B1 -o -P -v".split())
    quiet = rng.choice(([], ["-s"]))
    command = [trawl, "--search-zip", "-a", report, *quiet, *own, "o", "damaged"]
    with open(os.path.join(top, "output"), "wb") as output:  # what --json prints may be long
        found = run(command, top, stdout=output)
    if got[0] == 2 and (found[0], found[2]) != (2, b"" if quiet else got[2]) and b"cannot be loaded" not in found[2]:
        return "%s %r: status %d, %r instead of %r" % (report, quiet, found[0], found[2], got[2])
    if way < 0.2:
        return None if got == (*expected[:2], b"") else "undamaged: status %d, %r" % (got[0], got[2])
    if several:  # tools differ in what they say of a file with several members
        return None
    tool = subprocess.run([FORMATS[name][0], "-dc"], input=bytes(packed), capture_output=True)
    # trawl found no error, so the tool must accept the file, too: the change must be in a byte without meaning, such as
    # the file name in a header
    if got[0] != 2:
        return (
            None if tool.returncode == 0 and tool.stdout == text and got[:2] == expected[:2] else "status %d" % got[0]
        )
    if not got[2].startswith(b"trawl: damaged: " + name.encode() + b" data ") or b" at byte " not in got[2]:
        return "message %r" % got[2]
    if tool.returncode == 0:
        return "what %s unpacks is refused: %r" % (name, got[2])
    lines = got[1].split(b"\n")
    if expected[1].startswith(b"\n".join(lines[:-2])) or "data is damaged" in str(got[2]) or way >= 0.5:
        # trawl may have searched a changed block before it compared the block's checksum or met the file's end
        return None
    return "stdout begins otherwise: %r" % got[1][-100:]


def check_large(trawl, top, name):
    line = b"foo and some more text\n"
    count = LARGE_BYTES // len(line)
    with open(os.path.join(top, "large"), "wb") as file:
        packer = subprocess.Popen(FORMATS[name] + ["-c"], stdin=subprocess.PIPE, stdout=file)
        for _ in range(count // 100000):
            packer.stdin.write(line * 100000)
        packer.stdin.close()
        packer.wait()
    got = subprocess.Popen([trawl, "--search-zip", "-c", "foo", "large"], cwd=top, stdout=subprocess.PIPE)
    out = got.stdout.read()
    _, status, usage = os.wait4(got.pid, 0)
    if status != 0 or int(out) != count // 100000 * 100000:
        return "status %d, %r" % (status, out)
    return None if usage.ru_maxrss < LARGE_KIB_MAX else "%d KiB of memory for %s" % (usage.ru_maxrss, name)


FORMATS_HERE = []


@pytest.fixture(autouse=True, scope="module")
def formats():
    FORMATS_HERE[:] = formats_here(cases.TRAWL)
    if not FORMATS_HERE:
        pytest.skip("no format can be unpacked here")


def test_case(rng, trawl, folder):
    wrong = check_damaged(trawl, folder, rng)
    assert not wrong, wrong


def test_large_text(trawl, folder):
    if os.environ.get("TRAWL_TEST_DIVISOR"):  # under a sanitizer the large text would take too much memory
        return
    wrong = check_large(trawl, folder, "zstd" if "zstd" in FORMATS_HERE else FORMATS_HERE[0])
    assert not wrong, "a large text: %s" % wrong


def test_damage(trawl, folder):
    """Check that each way to read a damaged file finds the same lines. The text is so long that a call to liblz4 or
    libzstd decodes several blocks: if the call fails, the blocks before the damage must not be lost."""
    text = b"".join(b"%d foo foo foo foo foo foo foo foo foo foo\n" % i for i in range(60000))
    for name, is_last in [(name, False) for name in FORMATS_HERE] + [("bzip2", True)] * ("bzip2" in FORMATS_HERE):
        packed = bytearray(pack(name, text))
        begin = len(packed) - 2 if is_last else len(packed) * 19 // 20  # is_last: only the stream's checksum is wrong
        for at in range(begin, min(begin + 30, len(packed) - 1)):
            packed[at] ^= 0x5A
        write(os.path.join(folder, "damaged"), packed)
        for options in (["foo"], ["--positions", "o"]):  # "o": a large chunk has more matches than a result holds
            found = [
                run([trawl, "--search-zip", *own, *options, "damaged"], folder)[:2]
                for own in (["--chunk-bytes=1000", "-j1"], ["--chunk-bytes=65536"], [], ["--chunk-bytes=5000000"])
            ]
            if found[0][0] != 2 or not found[0][1] or found != found[:1] * 4:
                pytest.fail(
                    "a damaged file: %s %r: %s" % (name, options, [(status, len(out)) for status, out in found])
                )


def test_damaged_byte(trawl, folder):
    """Check that the message names the same byte of a damaged member, whatever the number of threads. The member is longer
    than what a decoder reads at a time, so threads begin to read at different bytes."""
    rng = random.Random(1)
    words = [b"%x" % rng.randrange(1 << 24) for _ in range(3000)]
    for name in FORMATS_HERE:
        members = b"".join(pack(name, b" ".join(rng.choices(words, k=30000))) for _ in range(5))
        for _ in range(cases.amount(32)):
            packed = bytearray(members)
            packed[rng.randrange(len(packed) // 5, len(packed))] ^= 0x5A
            write(os.path.join(folder, "damaged"), packed)
            found = [run([trawl, "--search-zip", own, "-c", "foo", "damaged"], folder) for own in ("-j1", "-j2", "-j5")]
            if found != found[:1] * 3:
                pytest.fail("a damaged member: %s: %s" % (name, found))


def test_long_strings(trawl, folder):
    """Check that strings longer than a chunk are found in many short members, which several threads decompress."""
    rng = random.Random(3)
    members = [bytes(rng.choices(b"abcdefgh", k=rng.randrange(2000, 6000))) for _ in range(120)]
    text = b"".join(members)
    begins = [rng.randrange(len(text) - 1500) for _ in range(40)]
    for name, data in (
        ("members", b"".join(map(gzip.compress, members))),
        ("whole", text),
        ("strings", b"\n".join(text[begin : begin + 1500] for begin in begins)),
    ):
        write(os.path.join(folder, name), data)
    command = [trawl, "-j4", "--chunk-bytes=1000", "--positions", "--search-zip", "-F", "-f", "strings"]
    found = [run([*command, name], folder)[:2] for name in ("members", "whole")]
    assert "gzip" not in FORMATS_HERE or found[0] == found[1], "long strings in members"
