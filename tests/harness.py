"""harness: what the Python tests share: where the build is, how many random cases there are, and how programs are run.

TRAWL_BUILD names the folder of the build to test, by default build/release. TRAWL_TEST_SEED, TRAWL_TEST_SCALE and
TRAWL_TEST_DIVISOR work as in every test (tests/test.h). Of a test with the parameter `number`, the cases are 0, 1, 2, ...
until TRAWL_TEST_BUDGET seconds of processor time have gone (tests/conftest.py), or as many as amount() says.
"""

import collections
import contextlib
import ctypes
import functools
import itertools
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("TRAWL_BUILD") or ROOT / "build/release").resolve()
TRAWL, SERVE = str(BUILD / "trawl"), str(BUILD / "trawl-serve")
SEED = int(os.environ.get("TRAWL_TEST_SEED") or 1)
SCALE, DIVISOR = (float(os.environ.get(f"TRAWL_TEST_{name}") or 1) for name in ("SCALE", "DIVISOR"))
BUDGET, CASE = (os.environ.get(f"TRAWL_TEST_{name}") for name in ("BUDGET", "CASE"))
CASES_A_SECOND = 300  # more than any random test runs
IS_SANITIZED = bool(os.environ.get("TRAWL_TEST_SANITIZED"))
FREE_S, SLOWER = 0.3, 5  # a search is slow that takes more processor time than FREE_S, and SLOWER times its judge's
WAIT_S = 120  # for what must come soon; no test depends on a shorter time
PASSED_ON = ("PATH", "LOCPATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "TRAWL_MUTANT",
             "TRAWL_TOKEN_FILE")  # fmt: skip
NOT_JUDGED = "not judged: no "  # and a judge's name: why a case is skipped
environments = itertools.count()  # numbers for the environments: see environment()
unjudged = collections.Counter()  # cases that ran without a judge, by its name


def amount(normal):
    """Return the number of cases where a normal run has `normal` of them: at least one."""
    return max(1, int(normal * SCALE) // int(DIVISOR))


def numbers(normal):
    """Return the numbers of a random test's cases."""
    return [int(CASE)] if CASE else range(int(float(BUDGET) * CASES_A_SECOND) if BUDGET else amount(normal))


def random_of(name, number=0):
    return random.Random("%d %s %d" % (SEED, name, number))


def environment(locale="C.UTF-8", **more):
    """Return the environment of a program, with few of this process's variables. The check for leaks takes a third of a
    short run under sanitizers, so there only every fourth program checks for leaks."""
    if IS_SANITIZED and DIVISOR > 1 and next(environments) % 4:
        more.setdefault("LSAN_OPTIONS", "detect_leaks=0")
    return {**{name: os.environ[name] for name in PASSED_ON if name in os.environ}, "LC_ALL": locale, **more}


def execute(command, folder=None, locale="C.UTF-8", data=None, **more):
    """Run a program; return (status, standard output, standard error). data is standard input, through a pipe; None:
    the null device."""
    given = {"stdin": subprocess.DEVNULL} if data is None else {"input": data}
    more = {"env": environment(locale), "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **given, **more}
    done = subprocess.run(command, cwd=folder, timeout=WAIT_S, **more)
    return done.returncode, done.stdout, done.stderr


def children_s():
    """Return the processor time of all programs that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write(path, content):
    """Write a file, from bytes or text."""
    with open(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)


def until(condition, what):
    """Wait until a condition holds; fail after WAIT_S seconds."""
    end = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < end, "gave up waiting until " + what
        time.sleep(0.004)


def terminal():
    """Return the two ends of a pseudo-terminal; the test is skipped where /dev/ptmx or /dev/pts is missing."""
    try:
        return os.openpty()
    except OSError:
        pytest.skip("no pseudo-terminal")


def respect_modes():
    """Drop root's right to ignore file permissions for every program this process starts; otherwise no file would be
    unreadable in tests run as root. Return True if unreadable files are really unreadable to them."""
    drop = functools.partial(ctypes.CDLL(None).prctl, 24)  # PR_CAPBSET_DROP: CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    return all(drop(right, 0, 0, 0) == 0 for right in (1, 2)) or os.geteuid() != 0


@functools.cache
def judges():
    """Return the folder of the programs that scripts/judges.sh installs; without them, the test is skipped."""
    done = subprocess.run(["bash", ROOT / "scripts/judges.sh"], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(NOT_JUDGED + "ripgrep 15.2 or google-re2")
    return os.path.join(done.stdout.strip(), "bin")


def ripgrep():
    """Return the program of ripgrep 15.2; without it, the test is skipped."""
    return os.path.join(judges(), "rg")


def has_judge(name):
    """Return whether a program is there that judges a case; if not, the case counts as not judged."""
    found = shutil.which(name) is not None
    unjudged[name] += not found
    return found


def end_children():
    """End the processes that tests have left, also those whose parents have ended: see conftest.py. Return their names."""
    ended = []
    while left := pathlib.Path("/proc/self/task/%d/children" % os.getpid()).read_text().split():
        for process in map(int, left):
            with contextlib.suppress(OSError):
                name = pathlib.Path(f"/proc/{process}/comm").read_text().strip()
                if os.waitpid(process, os.WNOHANG) == (0, 0):  # it has not ended by itself
                    ended.append(name)
                    os.kill(process, signal.SIGKILL)
                    os.waitpid(process, 0)
    return ended
