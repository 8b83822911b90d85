"""Runs random command lines over random trees with GNU grep -F and with trawl, and compares their output.

Most trees are drawn: names (with line ends, bytes that are not UTF-8, characters of globs, leading dashes), links (to
files, to directories, upwards, to nothing, to themselves), files and directories that may not be read, pipes without a
writer, empty directories, chains of directories. There may be several operands, repeated, missing, links, or "-". One tree
is made by hand: files around the sizes of reads and blocks, with holes, with late NULs; long paths, a wide directory, much
output. Standard output and standard error go to the same pipe; the script compares their bytes and the status. If root runs
the script, the programs run as a different user, who may not read everything. --made: only the hand-made tree, as this user.

Skipped are the cases that test_compare.py skips; in the hand-made tree, paths of more than 4,096 bytes under -R, which grep
does not open, and for files with holes, where grep skips NULs without counting, offsets with -b -z and empty lines with -x.
"""

import os
import random
import shutil
import subprocess
import tempfile

import cases
import pytest
import test_compare as compare
from harness import write

CASES, ONE_IN = 880, 10
ONLY_MADE = False  # test_served.py changes it
CASES_PER_TREE = 8
NOBODY = 65534
WIDE_ENTRIES = 10200  # grep sorts directories with more than 10,000 entries
DEEP_LEVELS = 25
DEEP_NAME = "d" * 200

NAMES = ["a.c", "b.c", "a.h", "x", "-n", "new\nline", "\udcff\udcfe", "é", "*.c", "[a]", " ", "..c", ".hidden", "b",
         "long" * 50, "\t", "a\\b", "sub"]  # fmt: skip
GLOBS = ["*.c", "a*", "sub", "*", "[ab].c", "?", "\\*.c", "sub/", "*/a.c", ".*", "[!a]*", "deep", "new*", "-n", "x/b",
         "./a.c", "[[]a]", "top", "top/", "t*", "\\", "[", "*\udcff*", "**"]  # fmt: skip
OPTIONS = [["-l"], ["-L"], ["-c"], ["-n"], ["-h"], ["-H"], ["-o"], ["-v"], ["-i"], ["-w"], ["-x"], ["-s"], ["-b"],
           ["-T"], ["-Z"], ["-a"], ["-I"], ["-z"], ["-q"], ["-q"], ["-q", "-s"], ["-m1"], ["-m2"], ["-m0"], ["-A1"],
           ["-B1"], ["-C2"], ["-A100"], ["--color=always"], ["--line-buffered"], ["--no-messages"], ["-D", "skip"],
           ["-U"], ["--null"], ["--null-data"], ["--group-separator=" + "%" * 40], ["--no-group-separator"],
           ["-l", "-v"], ["-c", "-v"], ["-m1", "-c"]]  # fmt: skip
# Operands in the hand-made tree.
TARGETS = [["mixed"], ["mixed/"], ["./mixed///"], ["lines"], ["mixed", "lines"], ["mixed/sub", "missing", "mixed"],
           ["lines/0", "lines/1", "missing", "mixed/a.c"], ["mixed/hole", "mixed/late", "mixed/early"], ["mixed/middle"], ["deep"],
           ["mixed/other", "deep"], ["edges"], ["edges"], ["edges", "mixed/sub"], ["sizes"], ["sizes"],
           ["sizes", "mixed"]]  # fmt: skip
OWN = [[], ["-j1"], ["-j2"], ["-j3"], ["-j8"], ["-j16"], ["-j3", "--chunk-bytes=5000"], ["-j2", "--chunk-bytes=100"],
       ["-j2", "--chunk-bytes=200000"], ["-j1", "--chunk-bytes=4096"]]  # fmt: skip


class Tree:
    def __init__(self, rng, top):
        self.top, self.rng = top, rng
        self.files = {}
        self.directories = ["top"]
        self.links = []
        os.mkdir(os.path.join(top, "top"))
        for what in rng.choice([[], ["chain"]]) + [None] * rng.choice([3, 10, 25, 60]):
            self.add_something(what)
        self.lock_some()
        os.mkdir(os.path.join(top, "locked"), 0)
        self.directories.append("locked")

    def place(self):
        directory = self.rng.choice(self.directories)
        return os.path.join(directory, self.rng.choice(NAMES + ["%d" % self.rng.randrange(100)]))

    def add_something(self, what):
        path, rng = self.place(), self.rng
        full = os.path.join(self.top, path)
        if os.path.lexists(full) or os.path.lexists(full + ".pipe"):
            return
        what = (
            what
            or rng.choices(["file", "big", "directory", "chain", "link", "fifo", "hard"], [60, 2, 12, 1, 12, 2, 3])[0]
        )
        if what == "file":
            self.files[path] = b"" if rng.random() < 0.1 else compare.random_text(rng)
        elif what == "big":
            self.files[path] = compare.random_big_text(rng)
        elif what == "directory":
            os.mkdir(full)
            self.directories.append(path)
        elif what == "chain":
            deep = os.path.join(full, *["d"] * rng.choice([3, 40, 70]))
            os.makedirs(deep)
            self.directories += [path, *(os.path.relpath(it, self.top) for it in (deep, os.path.dirname(deep)))]
            write(os.path.join(deep, "a.c"), b"foo\n")
            os.makedirs(full + ".d/e")  # a link down, and files to search after coming back
            os.symlink(full, full + ".d/e/b")
            for name in ("a", "c", "d"):
                os.link(os.path.join(deep, "a.c"), full + ".d/e/" + name)
            if not self.links or rng.random() < 0.2:  # -R follows the link down there
                os.symlink(os.path.join(self.top, rng.choice(self.directories[:3])), os.path.join(deep, "on"))
        elif what == "link":
            targets = ".. . nowhere ../.. a.c b sub a.c/x /dev/null".split()
            there = os.path.join(self.top, rng.choice(self.directories))
            target = rng.choice([*targets, os.path.basename(path), there])
            os.symlink(target, full)
            self.links.append(path)
        elif what == "fifo":
            # no operand has this name: a program that opened the pipe would wait for a writer
            os.mkfifo(full + ".pipe")
        elif self.files:
            os.link(os.path.join(self.top, rng.choice(sorted(self.files))), full)
        if what in ("file", "big"):
            write(full, self.files[path])
            os.chmod(full, 0o644)

    def lock_some(self):
        for path in self.rng.sample(sorted(self.files), min(len(self.files), self.rng.choice([0, 0, 1, 2]))):
            os.chmod(os.path.join(self.top, path), 0)
        for path in self.directories[1:]:
            if self.rng.random() < 0.08:
                os.chmod(os.path.join(self.top, path), self.rng.choice([0, 0o100, 0o400]))

    def unlock(self):
        for path in self.directories:
            os.chmod(os.path.join(self.top, path), 0o755)


def make_files(top, rng):
    def put(name, data):
        os.makedirs(os.path.dirname(os.path.join(top, name)), exist_ok=True)
        write(os.path.join(top, name), data)

    def text(lines):
        words = ["foo", "bar", "Foo", "foobar", "a", "é", ""]
        return "".join(
            " ".join(rng.choice(words) for _ in range(rng.randrange(4))) + "\n" for _ in range(lines)
        ).encode()

    for i in range(150):
        put(
            "mixed/%s%d.%s" % (rng.choice(["sub/", "", "sub/more/", "other/"]), i, rng.choice("ch")),
            text(rng.randrange(30)),
        )
    put("mixed/a.c", b"foo\nbar\nfoo")
    put("mixed/empty", b"")
    put("mixed/early", b"foo\n\0foo\n")
    put("mixed/late", b"foo\n" * 40000 + b"\0\nfoo\n")
    put("mixed/middle", b"foo\n" * 37500 + b"\0\n" + b"foo\n" * 170000)  # a chunk has a block before the NUL's
    put("mixed/encoding", b"foo \xff\nfoo\n")
    put("mixed/sub/encoding", b"\xff bar\nbar\nfoo\n")
    put("mixed/large", text(60000))
    with open(os.path.join(top, "mixed/hole"), "wb") as file:
        file.write(b"foo\n" * 1000)
        file.seek(1 << 20)
        file.write(b"foo\n")
    for i in range(60):  # sizes around a read, a block of grep, and the largest file that trawl reads as a whole
        at = rng.choice([1 << 16, 3 << 15, 1 << 19]) + rng.choice([-1, 0, 1, rng.randrange(-9000, 9000)])
        data = bytearray(text(40) + b"x y\n" * (at // 4 + 1))[:at]
        for _ in range(rng.choice([0, 0, 0, 1, 2])):
            place = rng.choice([at - 4, rng.randrange(at - 4)])
            data[place : place + 4] = rng.choice([b"foo\n", b"bar\n", b"\nfoo", b"\0bar"])
        put("sizes/%d" % i, bytes(data))
        if i % 10 == 0:
            os.truncate(os.path.join(top, "sizes/%d" % i), at + 9000)
    os.symlink("sub", os.path.join(top, "mixed/link"))
    os.symlink("..", os.path.join(top, "mixed/sub/up"))
    os.symlink("nowhere", os.path.join(top, "mixed/dangling"))
    os.symlink("itself", os.path.join(top, "mixed/itself"))
    put("mixed/locked", b"foo\n")
    os.chmod(os.path.join(top, "mixed/locked"), 0)
    for i in range(9):  # more output than a worker keeps
        put("lines/%d" % i, b"foo bar\n" * rng.randrange(1, 70000))
    here = os.getcwd()
    os.chdir(top)
    os.mkdir("deep")
    os.chdir("deep")
    for i in range(DEEP_LEVELS):
        write("f", b"foo %d\n" % i)
        os.mkdir(DEEP_NAME)
        os.chdir(DEEP_NAME)
    os.chdir(here)
    for i in range(200):  # trawl searches small files together; no match may cross from one file into the next
        put(
            "edges/%d" % i,
            rng.choice([b"", b"c", b"c\n", b"cc\n\n"] * 4 + [b"ab", b"ba", b"a", b"b\n", b"\na", b"a\0b", b"b\0"]),
        )
    put("source/0", b"foo\n")
    put("source/1", b"bar\n")
    os.mkdir(os.path.join(top, "wide"))
    for i in rng.sample(range(WIDE_ENTRIES), WIDE_ENTRIES):
        # all names together take more than 64 KiB
        name = ("%d" % i).ljust(255 if i % 99 == 0 else i % 256 * (i % 9 == 0), "w")
        os.link(os.path.join(top, "source/%d" % (i % 7 == 0)), os.path.join(top, "wide", name))


class Made:
    """The hand-made tree, which all its cases share."""

    def __init__(self, folder):
        self.top, self.files = os.path.join(folder, "made"), {}
        os.mkdir(self.top)
        os.chmod(self.top, 0o755)
        make_files(self.top, random.Random("%d files" % cases.SEED))

    def case(self, rng):
        case = compare.Case()
        case.locale, case.own = rng.choice(["C", "C.UTF-8"]), rng.choice(OWN)
        options = [option for chosen in rng.sample(OPTIONS, rng.randrange(4)) for option in chosen]
        options += rng.choice([[]] * 6 + [["--include=*.c"], ["--exclude=*1*"], ["--exclude-dir=sub//"]])
        targets = ["wide"] if rng.random() < 0.02 else rng.choice(TARGETS)
        if "-b" in options:
            options = [option for option in options if option not in ("-z", "--null-data")]
        patterns = rng.choice(
            [["foo"], ["bar"], ["nothing"], ["foo", "a"], ["foo bar"], [""] * ("-x" not in options) or ["foo"], ["é"]]
        )
        if "edges" in targets:
            patterns = rng.choice([["ab"], ["ba"], ["aa", "bb"], ["a"], ["b", "ca"], ["ac"], ["nothing"]])
        recurse = rng.choice(["-r", "-r", "-r", "-R"]) if "deep" not in targets else "-r"
        words = (word for pattern in patterns for word in ("-e", pattern))
        case.arguments = [recurse, *options, *words, "--", *targets]
        return case


def make_case(rng, tree):
    if isinstance(tree, Made):
        return tree.case(rng)
    case = compare.Case()
    case.locale = rng.choice(["C", "C", "C.UTF-8"])
    case.patterns = [
        compare.random_pattern(rng, tree.files, case.locale != "C")
        if rng.random() < 0.5
        else rng.choice([b"a", b"o", b"foo", b""])
        for _ in range(rng.choice([1, 1, 1, 2, 3]))
    ]
    options = [option for chosen in rng.sample(OPTIONS, rng.choice([0, 1, 1, 2, 2, 3])) for option in chosen]
    if case.locale != "C" and {"-i", "-w"} & set(options):
        case.patterns = [p if all(compare.is_utf8(line) for line in p.split(b"\n")) else b"foo" for p in case.patterns]
    recurse = rng.choice(["-r", "-r", "-r", "-R", "-R", "-drecurse", "-dskip", "-dread", None])
    if recurse is not None:
        options.append(recurse)
    if recurse == "-R":
        options += ["-Dskip"]  # else -R would wait for the writer of a pipe
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2, 3])):
        options.append(rng.choice(["--include=", "--exclude=", "--exclude-dir="]) + rng.choice(GLOBS))
    rng.shuffle(case.patterns)
    case.arguments = options
    for pattern in case.patterns:
        case.arguments += ["-e", pattern]
    operands = []
    plain = [path for path in sorted(tree.files)]
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 6])):
        made = [rng.choice(it or ["top"]) for it in (tree.directories, plain, tree.links)]
        operands.append(rng.choice([*"top top top top/ ./top top/sub missing . top// - /dev/null".split(), *made]))
    if rng.random() < 0.2:
        operands += operands[:1]
    if plain and rng.random() < 0.15:  # more files than a worker takes at once
        operands += rng.choices(plain + ["missing", "missing/x"], k=70)
    # the second - would read what is left in the pipe, which depends on the size of buffers
    operands = [it for at, it in enumerate(operands) if it != "-" or it not in operands[:at]]
    if operands.count("-") > 0 or (not operands and recurse not in ("-r", "-R", "-drecurse")):
        text = compare.random_text(rng)
        case.stdin = ("pipe", text if b"\0" not in text else b"foo\n")
    case.arguments += ["--"] + operands
    case.own = rng.choice(OWN)
    return case


def first_case():
    """Return a case that random cases rarely have: grep and trawl open an operand although an option skips it."""
    case = compare.Case()
    case.arguments = ["-r", "--exclude-dir=lock*", "-e", "foo", "--", "locked", "top"]
    return case


def run(command, case, top, user):
    def become():
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)

    environment = cases.environment(case.locale, TERM="xterm")
    try:
        done = subprocess.run(
            command + case.arguments,
            cwd=top,
            input=case.stdin[1] if case.stdin else b"",
            preexec_fn=become,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            timeout=60,
        )
    except subprocess.TimeoutExpired as late:
        return "timeout", late.output or b""
    return done.returncode, done.stdout


def other_user(trawl, base):
    """Return a user who may not read everything, if this process may switch to one that can run trawl."""
    if os.getuid() != 0:
        return None
    case = compare.Case()
    case.arguments = ["--version"]
    os.chmod(base, 0o755)
    try:
        return NOBODY if run([trawl], case, base, NOBODY)[0] == 0 else None
    except (OSError, subprocess.SubprocessError):
        return None


TREES = {}  # from a number to the last drawn tree; None leads to the hand-made tree
USERS = []  # at most one: the user who runs the programs


def tree_of(number, folder):
    number //= CASES_PER_TREE
    if number % 4 == 3 or ONLY_MADE:
        return TREES.get(None) or TREES.setdefault(None, Made(folder))
    if number not in TREES:
        for last in [last for last in TREES if last is not None]:
            tree = TREES.pop(last)
            tree.unlock()
            shutil.rmtree(tree.top, ignore_errors=True)  # a link upwards leads to other trees
        # from here no link upwards leads to the hand-made tree
        os.makedirs(os.path.join(folder, "drawn"), exist_ok=True)
        top = tempfile.mkdtemp(prefix="%d-" % number, dir=os.path.join(folder, "drawn"))
        os.chmod(top, 0o755)
        TREES[number] = Tree(random.Random("%d wild tree %d" % (cases.SEED, number)), top)
    return TREES[number]


def features(rng, _, folder):
    """Return the set of a case's options and kinds of operands."""
    case = make_case(rng, tree_of(rng.number, folder))
    at = case.arguments.index("--")
    options = [word for word in case.arguments[:at] if isinstance(word, str) and word.startswith("-")]
    names = {word.split("=")[0] if word.startswith("--") else word[:2] for word in options}
    return (
        names - {"-e"}
        | {"own %s" % case.own[:1], case.locale, "%d operands" % min(3, len(case.arguments) - at)}
        | {"operand " + word for word in case.arguments[at:] if word in ("-", "missing", "top", ".", "top/sub")}
    )


def test_case(rng, trawl, folder):
    if not USERS:
        USERS.append(None if ONLY_MADE else other_user(trawl, folder))
        print("as %s" % ("this user" if USERS[0] is None else "another user"))
    tree = tree_of(rng.number, folder)
    top = tree.top
    case = first_case() if rng.number == 0 and isinstance(tree, Tree) else make_case(rng, tree)
    if compare.is_left_out(case, tree.files):
        cases.counts["left out"] += 1
        return
    expected, got = (
        (status, output.replace(b"grep: ", b"trawl: "))
        for status, output in (run(["grep", "-F"], case, top, USERS[0]), run([trawl] + case.own, case, top, USERS[0]))
    )
    if (
        case.locale != "C"
        and compare.takes_context(case, ("-A", "-B", "-C"))
        and (b"binary file" in expected[1] or "-I" in case.arguments)
    ):
        cases.counts["left out"] += 1  # context after a line that is not printed
        return
    cases.counts["selected"] += expected[0] == 0 or expected[1].count(b"\n") > expected[1].count(b"trawl: ")
    if got == expected and expected[0] != "timeout":
        return
    pytest.fail(
        "LC_ALL=%s: %r, and for trawl %r: status %s and %s; %s"
        % (case.locale, case.arguments, case.own, expected[0], got[0], cases.differences(expected[1], got[1]))
    )


def test_lone_file(trawl, folder):
    """Check that a single file among 400 decides status and output, whichever worker searches it. The file has an error
    about which nothing is printed, or a match, after which -q reports no error. Runs differ in which worker has the
    turn."""
    names = ["none%d" % i for i in range(400)]
    for name in names + ["hit"]:
        write(os.path.join(folder, name), b"foo\n" if name == "hit" else b"bar\n")
    for at in cases.some(range(0, 400, 20)):
        for option, name, wanted in (
            ("-s", "missing", (2, b"")),
            ("-q", "hit", (0, b"")),
            ("-l", "hit", (0, b"hit\n")),
            ("-L", "hit", (0, None)),
            ("-q", "hit missing", (0, b"")),
            ("-rq", "hit missing missing", (0, b"")),
        ):
            *got, said = cases.execute(
                [trawl, option, "-j%d" % (2 + at % 3), "foo", *names[:at], *name.split(), *names[at:]], folder
            )
            if said or tuple(got) != wanted and (wanted[1] is not None or got[1].count(b"\n") != 400):
                pytest.fail("%s, one of 401 files is %s, number %d: %r %r" % (option, name, at, got, said))


def test_operand_globs(trawl, folder):
    """Compare which operands the globs of --include, --exclude and --exclude-dir skip, however an operand spells its path."""
    folder = os.path.join(folder, "operands/in")
    os.makedirs(os.path.join(folder, "sub/b.c.d"))
    for name in ("b.c", "sub.c", "sub/b.c", "sub/x", "sub/b.c.d/b.c"):
        write(os.path.join(folder, name), b"foo\n")
    paths = ["b.c", "sub.c", "sub", "sub/b.c", "sub/b.c.d", "sub/x"]
    operands = [
        before + path + after
        for path in paths
        for before in ("", "./", ".//", "sub/../", "../in/", folder + "/")
        for after in ("", "/", "/.", "//")[: 1 if path[-2:] in (".c", "/x") else 4]
    ] + [".", "..", "sub/.."]
    globs = "b.c sub *.c ./b.c sub/b.c sub/* */b.c */ ./* ../* ? /* in in/b.c . .. *.d sub/b.c.d/ x"
    for glob in cases.some(["", *globs.split()]):
        write(os.path.join(folder, "../globs"), "\n%s%s\n" % (glob, ("", " ", "\t\r", " \r ")[len(glob) % 4]))
        for option in ("--include=" + glob, "--exclude=" + glob, "--exclude-dir=" + glob, "--exclude-from=../globs"):
            for recurse in ("-r", "-dskip", "-Rh"):
                command = [recurse, "-c", option, "foo", *operands]
                expected, got = (
                    cases.execute(program + command, folder, stderr=subprocess.STDOUT)[:2]
                    for program in (["grep", "-F"], [trawl])
                )
                if (expected[0], expected[1].replace(b"grep: ", b"trawl: ")) != got:
                    pytest.fail(
                        "%r: %s" % (command[:4], cases.differences(expected[1].replace(b"grep: ", b"trawl: "), got[1]))
                    )
