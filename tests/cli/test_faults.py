"""Runs the command while its N-th call to a system function fails, for each N: once as a single fault, once as a
lasting one, after which all calls fail, too. (The command is linked with fault_wrap.c.)

First, for each command line below and each function that the run calls, one of the function's first calls fails. Then
calls fail at each place (a call with its callers), in the command line that reaches the place first. With a
TRAWL_TEST_DIVISOR of at most 2, N then goes up from 1 until a run has no fault: a normal run tries each N up to
FIRST, then one N in SHARE, by TRAWL_TEST_SEED; with a TRAWL_TEST_SCALE of 20 or more each N is tried. Every run must
end with a status, not by a signal or a sanitizer's report. If the fault did not matter, output and status must be
right. Otherwise the status must be 2, standard error must have a line that begins with "trawl: " and, after a single
fault, gives the reason, and standard output must have no byte that the right output lacks.
"""

import collections
import gzip
import io
import os
import re
import subprocess
import tarfile

import pytest
from harness import BUILD, DIVISOR, SCALE, SEED, write

PROGRAM = str(BUILD / "tests/cli/cli_faulty")

NTH_MAX = 3000
FIRST = 8
SHARE = 8

# A row: the arguments, and the standard input: None, a file name, or bytes for a pipe.
SCENES = [
    (["foo", "small"], None),
    (["-n", "-C1", "foo", "small", "big"], None),
    (["-c", "foo", "big"], None),
    (["-j3", "--chunk-bytes=5000", "-o", "-b", "foo", "big"], None),
    (["-v", "-c", "-x", "foo", "binary", "big"], None),
    (["foo", "line"], None),
    (["-f", "patterns", "-w", "-i", "big"], None),
    (["-r", "--include=*", "--exclude-from=globs", "foo", "tree"], None),
    (["-R", "-j3", "-C1", "foo", "wide"], None),
    (["-r", "--ignore", "-g", "!{c,d}*", "--type-not", "py", "--ignore-file", "globs", "foo", "ruled"], None),
    (["-r", "--exclude-dir=none", "foo", "deep"], None),
    (["-r", "--type-add=own:include:py", "--type=own", "foo", "ruled"], None),
    (["--files", "--ignore", "--no-require-git", "--sort=modified", "ruled/sub"], None),
    (["--files", "--ignore", "--debug", "-j1", "--sortr=path", "ruled"], None),
    (["-r", "-c", "-j1", "foo", "wide"], None),
    (["-r", "-l", "-j2", "--search-zip", "yyz", "wide", "zips"], None),
    (["--color=always", "foo"], "small"),
    (["-l", "foo", "small", "big"], None),
    (["--positions", "foo", "small"], None),
    (["--count-matches", "-e", "foo", "-e", "oof", "big"], None),
    (["--pattern-number", "-e", "foo", "-e", "bar", "-e", "foo", "small"], None),
    (["--pattern-number", "-n", "-e", "foo", "-e", "yy", "wide/sub/line"], None),
    (["-o", "--pattern-number", "-e", "foo", "-e", "bar", "-e", "foo", "small"], None),
    (["-r", "-j3", "-H", "--count-by-pattern", "-e", "foo", "-e", "x", "-e", "foo", "tree"], None),
    (["--hex", "66 6f"], b"foo\nbar\n"),
    (["--explain", "foo"], None),
    (["--search-zip", "-n", "foo", "packed", "small"], None),
    (["--search-zip", "-r", "-j2", "-c", "foo", "zips"], None),
    (["--search-zip", "-c", "foo", "tar", "tar.gz"], None),
    (["--diff", "--replace=<$0>", "foo", "small", "big"], None),
    (["-o", "--around=3", "--and=bar", "foo", "small", "big"], None),
    (["-r", "-j3", "--in-file", "--and=bar", "--andnot=qux", "foo", "tree"], None),
    (["-P", "--and=b.r", "--and=x*", "-v", "-c", "fo+", "small", "big"], None),
    (["--stats", "-c", "foo", "small"], None),
    (["--json", "-C1", "foo", "small"], None),
    (["--vimgrep", "--replace=<$0>", "--field-match-separator=\\t", "foo", "small"], None),
    (["-S", "--color=always", "--colors=path:fg:blue", "--hyperlink-format=vscode", "foo", "small", "none"], None),
    (["--encoding=auto", "foo", "wide16", "small"], None),
    (["--search-zip", "--encoding=auto", "foo", "wide16", "packed"], None),
    (["--edits=1", "-i", "--distance", "-o", "foq", "small"], None),
    (["--mismatches=1", "-n", "foo"], b"fob\nbar\nfoo bar\n"),
    (["--fasta", "--alphabet=dna", "--reverse-complement", "--edits=1", "ACGTTA", "sequences", "small"], None),
    (["--fasta", "--amplicon=1-99", "-e", "ACG", "-e", "GTA", "sequences"], None),
    (["--fastq", "-v", "-E", "--reverse-complement", "--paired=reads", "AC+G", "reads"], None),
    (["--help"], None),
    (["--generate=man"], None),
]

IO_ERROR = [b"Input/output error"]
MEMORY, FILES = [b"memory exhausted", b"out of memory", b"Cannot allocate memory"], [b"Too many open files"]
# what a message must say after a single fault
REASONS = {
    **dict.fromkeys(("malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "strdup"), MEMORY),
    **dict.fromkeys(("fopen64", "open64", "openat64", "__openat64_2"), FILES),
    "pthread_create": [b"Resource temporarily unavailable"],
}


def make_files(top):
    def put(name, data):
        write(os.path.join(top, name), data)

    put("small", b"foo\nbar\nfoo bar\n")
    put("big", b"".join(b"line %d %s\n" % (i, b"foo" if i % 50 == 0 else b"bar") for i in range(40000)))
    put("binary", b"foo\n" + b"x" * 200000 + b"\n\0foo\0\n")
    put("packed", gzip.compress(b"".join(b"line %d foo\n" % i for i in range(9000))) + gzip.compress(b"foo"))
    os.mkdir(os.path.join(top, "zips"))
    for i in range(5):
        put("zips/%d" % i, gzip.compress(b"foo\n" * 100 * i))
    put("line", b"foo " + b"x" * 3000000 + b"\nfoo")
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for name in ("small", "big", "line"):
            archive.add(os.path.join(top, name), name)
    put("tar", held.getvalue())
    put("tar.gz", gzip.compress(held.getvalue()))
    put("wide16", "foo\nbar foo\n".encode("utf-16"))
    put("options", b"--heading\n-n\n")
    put("sequences", b">one\nACGT\nTAC\n" * 300)
    put("reads", b"@one\nACGT\n+\nIIII\n@two\nAC\nTA\n+\n@@@@\n" * 200)
    put("patterns", b"foo\noof\nzzz\n")
    put("globs", b"*.skip\n")
    os.makedirs(os.path.join(top, "tree", "sub"))
    put("tree/a", b"foo\n")
    put("tree/sub/b", b"foo\n")
    put("tree/c.skip", b"foo\n")
    os.makedirs(os.path.join(top, "ruled", "sub"))
    put("ruled/.git", b"gitdir: ../linked\n")
    os.makedirs(os.path.join(top, "linked", "info"))
    put("linked/info/exclude", b"excluded\n")
    put(".gitconfig", b"[core]\n  excludesFile = ~/globs\n")
    put("ruled/.gitignore", b"*.o\n/sub/b\n[\n")
    put("ruled/sub/.ignore", b"*.{x,y}\n")
    for name in ("a", "a.o", "c", "excluded", "e.py", "sub/a.x", "sub/b", "sub/keep", "sub/n.skip"):
        put("ruled/" + name, b"foo\n")
    os.makedirs(os.path.join(top, "wide", "sub"))
    for i in range(12):
        put("wide/%d" % i, b"foo %d\n" % i)
    put("wide/sub/line", b"x\nfoo " + b"y" * 1100000 + b"\n" + b"z\n" * 3)
    put("wide/sub/middle", b"foo\n" + b"z" * 150000 + b"\nfoo\n")
    os.symlink("..", os.path.join(top, "wide", "sub", "up"))
    deep = "deep"  # more directories than stay open
    for i in range(36):
        deep += "/%d" % i
        os.makedirs(os.path.join(top, deep))
        put(deep + "/a", b"foo\n")


def run(scene, top, nth, persistent, function=None, places=False):
    """Run the command. places: the first call at a new place fails. Return status, output, messages, the function that
    failed first, and the functions that were called."""
    report = os.path.join(top, "report")
    environment = dict(
        os.environ,
        LC_ALL="C.UTF-8",
        HOME=top,
        TRAWL_FAULT_NTH=str(nth),
        TRAWL_FAULT_REPORT=report,
        GREP_COLORS="mt=01;32",
    )
    environment.pop("TRAWL_FAULT_ON", None)
    if function is not None:
        environment["TRAWL_FAULT_OF"] = function
    if places:
        environment["TRAWL_FAULT_PLACES"] = os.path.join(top, "places")
    if persistent:
        environment["TRAWL_FAULT_ON"] = "1"
    arguments, source = scene
    if "-S" in arguments:
        environment["TRAWL_CONFIG_PATH"] = "options"
    options = {"stdin": subprocess.DEVNULL}
    if isinstance(source, bytes):
        options = {"input": source}
    elif source:
        options = {"stdin": open(os.path.join(top, source), "rb")}
    if os.path.exists(report):
        os.remove(report)
    done = subprocess.run([PROGRAM, *arguments], cwd=top, env=environment, capture_output=True, timeout=120, **options)
    if "stdin" in options and options["stdin"] != subprocess.DEVNULL:
        options["stdin"].close()
    failed, called = "unknown", []  # the command died before it wrote the report
    if os.path.exists(report):
        with open(report) as file:
            _, failed, *called = file.read().split()
    output = re.sub(rb'"elapsed(_total)?":{[^}]*}', b"", done.stdout)
    return done.returncode, output, done.stderr, failed, called


def judge(arguments, right, got, top, persistent=False):
    """Return what is wrong with a run, or None."""
    status, out, err, function, _ = got
    unread = re.search(rb"^trawl: (.*): Input/output error$", err, re.MULTILINE)
    if status < 0 or status > 2 or b"Sanitizer" in err or b"runtime error" in err:
        return "died"
    if status == right[0] and out == right[1]:
        return None
    if status != 2:
        return "neither the right answer nor status 2"
    if function != "write" and not any(line.startswith(b"trawl: ") for line in err.splitlines()):
        return "no message"
    if not persistent and not any(reason in err for reason in REASONS.get(function, IO_ERROR)):
        return "no message says why"
    if (
        function == "getdents64"
        and not persistent
        and not os.path.isdir(os.path.join(os.fsencode(top), unread[1] if unread else b"none"))
    ):
        return "no message names the directory"
    if {"--json", "-c", "--count-matches", "--count-by-pattern"} & set(arguments):
        return None  # trawl prints what was counted before the fault, as grep does
    lines = iter(right[1].splitlines(keepends=True))
    for line in out.splitlines(keepends=True):
        # Lines may be missing (of a file that could not be read), and the last line may be truncated, but no other line
        # may be printed.
        if not any(whole == line or (not line.endswith(b"\n") and whole.startswith(line)) for whole in lines):
            return "wrong line %r" % line[:80]
    return None


SHARED = 1 if SCALE >= 20 else SHARE if DIVISOR <= 2 else 0
points = collections.Counter()  # how often each function failed


@pytest.fixture(scope="module")
def top(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("faults"))
    make_files(path)
    return path


@pytest.mark.parametrize("row", range(len(SCENES)), ids=[" ".join(scene[0]) for scene in SCENES])
def test_faults(top, row):
    scene, turn = SCENES[row], SEED + row
    right = run(scene, top, 0, False)
    assert judge(scene[0], right, right, top) is None, "without a fault"  # a sanitizer may report a leak

    def check(which, got, persistent):
        points[got[3]] += 1
        assert judge(scene[0], right, got, top, persistent) is None, "%s of %s: %r" % (which, got[3], got[2][-600:])

    for function in right[4]:  # function by function, since most of the few hundred calls are malloc and realloc
        turn += 1
        # after entries were read; when units begin after a hole was looked for; while a line of 3 MB is printed
        late = {"getdents64": 2, "lseek64": 4, "pread64": 90}
        for nth in (late.get(function, turn % 7 + 1), turn % 7 + 1, 1):
            got = run(scene, top, nth, turn % 2, function)
            if got[3] != "none":
                break
        check("call %d" % nth, got, turn % 2)
    for persistent in (False, True):
        for _ in range(NTH_MAX):
            got = run(scene, top, 0, persistent, places=True)
            if got[3] != "none":
                check("a place", got, persistent)
            if got[3] in ("none", "unknown"):
                break
        turn += 1
        for nth in range(1, NTH_MAX) if SHARED else ():
            if nth > FIRST and (nth + turn) % SHARED != 0:
                continue
            got = run(scene, top, nth, persistent)
            if got[3] == "none":
                break
            check("call %d" % nth, got, persistent)
        else:
            assert not SHARED, "more than %d calls" % NTH_MAX


def test_version(top):
    said = {
        run((["--version"], None), top, nth, False, "posix_memalign")[1].count(b"does not unpack") for nth in range(20)
    }
    assert said == {0, 1}


def test_enough_faults(request):
    if len(request.session.items) > len(SCENES):
        assert points.total() >= 100 and len(points) >= 5
