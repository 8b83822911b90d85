"""cases: what the tests of random command lines share: the number of cases, the seed, the programs that they run, and
the loop over the cases.

TRAWL_TEST_SEED, TRAWL_TEST_SCALE and TRAWL_TEST_DIVISOR as for every test (tests/test.h). A script takes
--first CASE, --cases COUNT and --keep, which leaves its files.
"""

import collections
import functools
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

FAILURES_SHOWN_MAX = 10
TELLING = 80  # from this number of cases on, run() checks how many cases select something
PASSED_ON = ("PATH", "LOCPATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "TRAWL_MUTANT", "TRAWL_TOKEN_FILE")

numbers = itertools.count()  # numbers for the environments: see environment()
# how many cases selected something, and how many were left out, by reason; run() prints the numbers
counts = collections.Counter()


def seed():
    return int(os.environ.get("TRAWL_TEST_SEED") or 1)


def amount(normal):
    """Return how many cases there are where a normal run has `normal` cases: at least one case."""
    scaled = int(normal * float(os.environ.get("TRAWL_TEST_SCALE") or 1))
    return max(1, scaled // int(os.environ.get("TRAWL_TEST_DIVISOR") or 1))


def some(rows):
    """Return the rows of a check to try: all rows, or a fourth in a short run under sanitizers."""
    rows = list(rows)
    return rows[seed() % 4::4] if os.environ.get("TRAWL_TEST_SANITIZED") and amount(TELLING) < TELLING else rows


def chosen(normal):
    """Return the number of the first case and the number of cases: those of --first N and --cases N, else all cases."""
    options = sys.argv[2:]
    first = int(options[options.index("--first") + 1]) if "--first" in options else 0
    count = int(options[options.index("--cases") + 1]) if "--cases" in options else amount(normal)
    return first, count


def undoubted(said):
    """Return what trawl said on standard error, without the message about a list of -f whose strings do not occur."""
    return re.sub(rb"^trawl: .*: nothing was found; .*\n", b"", said, flags=re.MULTILINE)


def environment(locale="C.UTF-8", **more):
    """Return the environment of a program, with few of this process's variables. Looking for leaks takes a third of a
    short run under sanitizers, so there only each fourth program looks for leaks."""
    if os.environ.get("TRAWL_TEST_SANITIZED") and int(os.environ.get("TRAWL_TEST_DIVISOR") or 1) > 1 and next(numbers) % 4:
        more.setdefault("LSAN_OPTIONS", "detect_leaks=0")
    return {**{name: os.environ[name] for name in PASSED_ON if name in os.environ}, "LC_ALL": locale, **more}


def execute(command, folder=None, locale="C.UTF-8", data=None, **more):
    """Run a program; return (status, standard output, standard error). data is standard input, through a pipe; None:
    the null device."""
    given = {"stdin": subprocess.DEVNULL} if data is None else {"input": data}
    done = subprocess.run(command, cwd=folder, timeout=120,
                          **{"env": environment(locale), "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                             **given, **more})
    return done.returncode, done.stdout, done.stderr


@functools.cache
def ripgrep():
    """Return the program of ripgrep 15.2, which scripts/judges.sh installs; None: ripgrep could not be installed."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "judges.sh")
    done = subprocess.run(["bash", script], capture_output=True)
    return os.path.join(os.fsdecode(done.stdout.strip()), "bin", "rg") if done.returncode == 0 else None


def link(trawl, path):
    """Return a link to the command, by which the command is called tg."""
    path = os.path.join(path, str(abs(hash(trawl))), "tg")
    if not os.path.lexists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(trawl, path)
    return path


def shrink(parts, fails):
    """Reduce a failing case: parts are lists, and fails(parts) says whether the case still fails with shorter lists. Return the
    shortest lists found."""
    shorter = True
    while shorter:
        shorter = False
        for at, part in enumerate(parts):
            size = max(1, len(part) // 2)
            while size:
                begin = 0
                while begin < len(part):
                    fewer = parts[:at] + [part[:begin] + part[begin + size:]] + parts[at + 1:]
                    if fails(fewer):
                        parts, part, shorter = fewer, fewer[at], True
                    else:
                        begin += size
                size //= 2
    return parts


def stats_wrong(said, jobs=0, size=None):
    """Return which numbers of --stats disagree with each other, with -j, or with the bytes of the files; None: all
    agree."""
    found = dict(re.findall(rb"^([a-zA-Z/ ]+): (.*)$", said, re.MULTILINE))
    number = {name.decode(): float(value.split()[0]) for name, value in found.items() if value[:1].isdigit()}
    size, seconds, methods = number["bytes"] if size is None else size, number["seconds"], sum(map(int, re.findall(rb" (\d+)", found.get(b"methods", b""))))
    least, most = (number["bytes"] / 1e9 / max(seconds + shift, 1e-9) + 0.0051 * sign for shift, sign in ((6e-7, -1), (-6e-7, 1)))
    wrong = [name for name, good in (
        ("bytes", number["bytes"] == size), ("GB/s", least <= number["GB/s"] <= most or number["GB/s"] == seconds == 0),
        ("elapsed", seconds <= number["elapsed"] * number["workers"] + 1e-6), ("threads", number["threads"] <= (jobs or 1024)),
        ("workers", 1 <= number["workers"] <= (jobs or 1024)), ("methods", methods == 0 or methods >= number["bytes"]),
        ("chunks", found[b"chunks"] == b"%d (0 by devices)" % number["chunks"]), ("engine", found[b"engine"] == b"cpu" * (number["chunks"] > 0))) if not good]
    return "--stats: %s: %r" % (wrong, said) if wrong else None


def random_of(name, number):
    return random.Random("%d %s %d" % (seed(), name, number))


class Pairs:
    """Chooses the random numbers of each case so that the cases cover pairs of features evenly: two options, or an
    option and a kind of input. (Of layout.py's 4,370 pairs, 250 independent cases cover 3,940.)

    features(rng) draws a case as run_case will, and returns the set of the case's features. A case is
    drawn CANDIDATES times. The draw is run that has the most pairs (per feature) of which the block had few before."""
    CANDIDATES = 4
    BLOCK = 400  # to repeat a case, only the cases before it in its block are drawn

    def __init__(self, name, features):
        self.name, self.features = name, features
        self.next, self.had, self.drawn = 0, collections.Counter(), set()

    def choose(self, number):
        """Return the random numbers of a case."""
        if not number - number % self.BLOCK <= self.next <= number:
            self.next = number - number % self.BLOCK
        while self.next <= number:
            if self.next % self.BLOCK == 0:
                self.had.clear()
            best, most = (), -1
            for turn in range(self.CANDIDATES):
                features = sorted(self.features(self.random(self.next, turn)))
                pairs = list(itertools.combinations(features, 2))
                self.drawn.update(pairs)
                new = sum(0.25 ** self.had[pair] for pair in pairs) / max(1, len(features))
                if new > most:
                    best, most, chosen = pairs, new, turn
            self.had.update(best)
            self.next += 1
        return self.random(number, chosen)

    def random(self, number, turn):
        rng = random_of(self.name, number * self.CANDIDATES + turn)
        rng.number = number
        return rng


def run(name, normal, what, run_case, more=(), one_in=0, features=None):
    """Run run_case(rng, trawl, folder) for each case, then each of `more`(trawl, folder). Both return what is wrong, or
    None; rng.number is the case's number. If there are many cases, at least 1 in `one_in` has to count as one that
    selects something. features(rng, trawl, folder): see Pairs. Return the exit status."""
    trawl = os.path.abspath(sys.argv[1])
    small = os.environ.get("TRAWL_SMALL", trawl)  # the command with small buffers
    first, count = chosen(normal)
    failures = 0
    folder = tempfile.mkdtemp(prefix="trawl-%s-" % name)
    pairs = Pairs(name, lambda rng: features(rng, trawl, folder)) if features else None
    # The test of the server's clients runs this module with --cases. If that run is a short one, `more` is left out:
    # the module's own test makes those checks, without a server.
    if "--cases" in sys.argv and amount(TELLING) < TELLING:
        more = ()
    try:
        for number in range(first, first + count):
            rng = pairs.choose(number) if pairs else random_of(name, number)
            rng.number = number
            wrong = run_case(rng, (trawl, small)[number % 2], folder)
            if wrong:
                failures += 1
                if failures <= FAILURES_SHOWN_MAX:
                    print("case %d (seed %d): %s" % (number, seed(), wrong))
        for case in more:
            wrong = case(trawl, folder)
            if wrong:
                failures += 1
                print(wrong)
    finally:
        if "--keep" in sys.argv:
            print("files are in %s" % folder)
        else:  # chmod and rm, because folders may be very deep, or may forbid to read them
            subprocess.run(["chmod", "-R", "u+rwX", folder], stderr=subprocess.DEVNULL)
            subprocess.run(["rm", "-rf", folder], check=True)
    print("%d %s, %d differ%s" % (count, what, failures, "".join("; %s: %d" % row for row in sorted(counts.items()))))
    if pairs:
        print("of %d pairs of options and kinds of input, the last %d cases had %d" % (
            len(pairs.drawn), (pairs.next - 1) % pairs.BLOCK + 1, len(pairs.had)))
    if one_in and count >= TELLING and counts["selected"] * one_in < count:
        print("too few of them select anything: the generator is broken")
        return 1
    return 1 if failures else 0


def differences(expected, got):
    """Return both outputs around the first byte that differs."""
    at = next((i for i, (one, other) in enumerate(zip(expected, got)) if one != other), min(len(expected), len(got)))
    return "%d and %d bytes, from %d on\n  %r\n  %r" % (
        len(expected), len(got), at, expected[max(0, at - 80):at + 80], got[max(0, at - 80):at + 80])
