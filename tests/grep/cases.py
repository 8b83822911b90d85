"""cases: what the tests of random command lines share: how many, of which seed, their programs, their loop.

TRAWL_TEST_SEED, TRAWL_TEST_SCALE and TRAWL_TEST_DIVISOR as for every test (tests/test.h). A script takes
--first CASE, --cases COUNT and --keep, which leaves its files.
"""

import collections
import os
import random
import subprocess
import sys
import tempfile

FAILURES_SHOWN_MAX = 10
TELLING = 80  # so many cases must select something now and then
PASSED_ON = ("PATH", "LOCPATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "TRAWL_MUTANT", "TRAWL_TOKEN_FILE")

counts = collections.Counter()  # what run_case counts is printed in the end: "selected", why some are left out


def seed():
    return int(os.environ.get("TRAWL_TEST_SEED") or 1)


def amount(normal):
    """Return how many cases there are where a normal run has `normal` cases: at least one case."""
    scaled = int(normal * float(os.environ.get("TRAWL_TEST_SCALE") or 1))
    return max(1, scaled // int(os.environ.get("TRAWL_TEST_DIVISOR") or 1))


def chosen(normal):
    """The first case's number and how many: as said by --first N and --cases N, else all."""
    options = sys.argv[2:]
    first = int(options[options.index("--first") + 1]) if "--first" in options else 0
    count = int(options[options.index("--cases") + 1]) if "--cases" in options else amount(normal)
    return first, count


def environment(locale="C.UTF-8", **more):
    """A program's, of which little is this one's."""
    return {**{name: os.environ[name] for name in PASSED_ON if name in os.environ}, "LC_ALL": locale, **more}


def execute(command, folder=None, locale="C.UTF-8", data=None, **more):
    """(status, standard output, standard error). data comes through a pipe; None: the null device."""
    given = {"stdin": subprocess.DEVNULL} if data is None else {"input": data}
    done = subprocess.run(command, cwd=folder, timeout=120,
                          **{"env": environment(locale), "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                             **given, **more})
    return done.returncode, done.stdout, done.stderr


def random_of(name, number):
    return random.Random("%d %s %d" % (seed(), name, number))


def run(name, normal, what, run_case, more=(), one_in=0):
    """Run run_case(rng, trawl, folder) for each case, then each of `more`(trawl, folder). Both
    return None, or what is wrong; rng.number is the case's number. Of many cases, 1 in
    `one_in` has to be counted as selected. Return the exit status."""
    trawl = os.path.abspath(sys.argv[1])
    first, count = chosen(normal)
    failures = 0
    folder = tempfile.mkdtemp(prefix="trawl-%s-" % name)
    try:
        for number in range(first, first + count):
            rng = random_of(name, number)
            rng.number = number
            wrong = run_case(rng, trawl, folder)
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
        else:  # of any depth, and what may not be read
            subprocess.run(["chmod", "-R", "u+rwX", folder], stderr=subprocess.DEVNULL)
            subprocess.run(["rm", "-rf", folder], check=True)
    print("%d %s, %d differ%s" % (count, what, failures, "".join("; %s: %d" % row for row in sorted(counts.items()))))
    if one_in and count >= TELLING and counts["selected"] * one_in < count:
        print("too few of them select anything: the generator is broken")
        return 1
    return 1 if failures else 0


def differences(expected, got):
    """Both outputs around the first byte that differs."""
    at = next((i for i, (one, other) in enumerate(zip(expected, got)) if one != other), min(len(expected), len(got)))
    return "%d and %d bytes, from %d on\n  %r\n  %r" % (
        len(expected), len(got), at, expected[max(0, at - 80):at + 80], got[max(0, at - 80):at + 80])
