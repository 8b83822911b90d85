"""cases: what the tests of random command lines share: how many, of which seed, and their loop.

TRAWL_TEST_SEED, TRAWL_TEST_SCALE and TRAWL_TEST_DIVISOR as for every test (tests/test.h).
"""

import os
import random
import sys
import tempfile

FAILURES_SHOWN_MAX = 10


def seed():
    return int(os.environ.get("TRAWL_TEST_SEED") or 1)


def amount(normal):
    """How many cases there are where a normal run has `normal`: at least one."""
    scaled = int(normal * float(os.environ.get("TRAWL_TEST_SCALE") or 1))
    return max(1, scaled // int(os.environ.get("TRAWL_TEST_DIVISOR") or 1))


def chosen(normal):
    """The first case's number and how many: as said by --first N and --cases N, else all."""
    options = sys.argv[2:]
    first = int(options[options.index("--first") + 1]) if "--first" in options else 0
    count = int(options[options.index("--cases") + 1]) if "--cases" in options else amount(normal)
    return first, count


def run(name, normal, what, run_case, more=()):
    """run_case(rng, trawl, folder) for each case, then each of `more`(trawl, folder): None, or what
    is wrong. The exit status."""
    trawl = os.path.abspath(sys.argv[1])
    count = amount(normal)
    failures = 0
    with tempfile.TemporaryDirectory(prefix="trawl-%s-" % name) as folder:
        for number in range(count):
            wrong = run_case(random.Random("%d %s %d" % (seed(), name, number)), trawl, folder)
            if wrong:
                failures += 1
                if failures <= FAILURES_SHOWN_MAX:
                    print("case %d (seed %d): %s" % (number, seed(), wrong))
        for case in more:
            wrong = case(trawl, folder)
            if wrong:
                failures += 1
                print(wrong)
    print("%d %s, %d differ" % (count, what, failures))
    return 1 if failures else 0
