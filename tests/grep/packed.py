"""packed: compresses texts in each format that the command unpacks, with the formats' programs."""

import functools
import shutil
import subprocess

import cases

FORMATS = {
    "gzip": ["gzip", "-n"],
    "xz": ["xz", "-0"],
    "bzip2": ["bzip2"],
    "zstd": ["zstd", "-q"],
    "lz4": ["lz4", "-q", "-B4"],
}
# Other programs that make pieces, with their options; a program that is not installed is skipped.
PIECES = {
    "gzip": [["gzip", "-1"], ["bgzip"], ["bgzip", "-l1"]],
    "xz": [["xz", "-0", "--block-size=3000"], ["xz", "-T2", "-0"]],
    "bzip2": [["bzip2", "-1"], ["lbzip2", "-n2"]],
    "zstd": [["pzstd", "-q", "-p2"], ["zstd", "-q", "--no-check"]],
    "lz4": [["lz4", "-q", "-B4", "-BD"], ["lz4", "-q", "-B7", "--content-size"]],
}


def pack(name, text):
    return subprocess.run(FORMATS[name] + ["-c"], input=text, stdout=subprocess.PIPE, check=True).stdout


def pack_pieces(rng, name, text):
    """Return the text compressed as one member or several, perhaps with empty members and with NULs between them."""
    ways = [FORMATS[name]] + [way for way in PIECES[name] if shutil.which(way[0])]
    packed, at = b"", 0
    cuts = sorted(rng.randrange(len(text) + 1) for _ in range(rng.choice([0, 0, 1, 3, 9])))
    for cut in cuts + [len(text)]:
        way = rng.choice(ways)
        done = subprocess.run(way + ["-c"], input=text[at:cut], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        # lz4 1.9.4 fails for a few texts (dstMaxSize_tooSmall), unless its blocks are of the largest size (-B7)
        if done.returncode != 0:
            done = subprocess.run([way[0], "-q", "-B7", "-c"], input=text[at:cut], stdout=subprocess.PIPE, check=True)
        packed += done.stdout + b"\0" * rng.choice([0, 0, 0, 0, 5])
        at = cut
    return packed


@functools.cache
def formats_here(trawl):
    """Return the formats of which this machine has the program and the command has the library."""
    found = []
    for name in FORMATS:
        if not shutil.which(FORMATS[name][0]):
            print("left out: %s is not installed" % FORMATS[name][0])
            continue
        status, _, message = cases.execute([trawl, "--search-zip", "-c", "foo"], None, "C", pack(name, b"foo\n"))
        if b"without" in message or b"cannot be loaded" in message:
            print("left out: %s" % message.decode().strip())
        else:
            assert status == 0, message
            found.append(name)
    return found
