"""conftest: the oracle, the number of repetitions, and seeded random inputs for all tests."""

import importlib.util
import os
import pathlib
import random
import re
import sys

import hypothesis
import pytest

# In the environment that tests/python/python_run.sh makes, the package must be that of the sources, and the programs are
# those of the build.
ROOT, BUILD = pathlib.Path(__file__).resolve().parents[2], pathlib.Path(sys.prefix).parents[1]
PACKAGE = pathlib.Path(importlib.util.find_spec("trawl").origin).parent
if pathlib.Path(sys.prefix) in PACKAGE.parents and BUILD.parent == ROOT / "build":
    made = max((path.stat().st_mtime for path in PACKAGE.glob("_trawl.*.so")), default=0)
    sources = [
        *ROOT.glob("python/src/*"), *ROOT.glob("include/*"), ROOT / "tools/serve/answers.def", BUILD / "src/libtrawl.a",
    ]  # fmt: skip
    modules = {path: PACKAGE / path.relative_to(ROOT / "python/trawl") for path in ROOT.glob("python/trawl/**/*.py")}
    old = [path for path in sources if path.stat().st_mtime > made]
    old += [path for path, copy in modules.items() if not copy.exists() or copy.read_bytes() != path.read_bytes()]
    if old:
        pytest.exit(
            f"{old[0].relative_to(ROOT)} is newer than the package in {sys.prefix}: ./dev test '^python$' renews it", 2
        )
    if (BUILD / "trawl-serve").exists():
        os.environ.setdefault("TRAWL_SERVE", str(BUILD / "trawl-serve"))
    if (BUILD / "tests/sim/driver/libcuda.so.1").exists():
        os.environ.setdefault("TRAWL_SIM_DRIVER", str(BUILD / "tests/sim/driver"))

SCALE = float(os.environ.get("TRAWL_TEST_SCALE") or 1)
SEED = int(os.environ.get("TRAWL_TEST_SEED") or 1)

DIVISOR = int(os.environ.get("TRAWL_TEST_DIVISOR") or 1)

# Ray replaces a worker that does not start within a minute. On a busy machine all workers can take longer, and Ray
# would start more and more of them. So Ray waits 15 minutes here.
os.environ.setdefault("RAY_worker_register_timeout_seconds", "900")


def amount(count):
    """Return the number of repetitions in a random test: `count` by default, more in long runs, at least 1."""
    return max(1, int(count * SCALE) // DIVISOR)


hypothesis.settings.register_profile(
    "trawl", max_examples=amount(40), deadline=None, database=None, derandomize=True,
    suppress_health_check=list(hypothesis.HealthCheck),
)  # fmt: skip
hypothesis.settings.load_profile("trawl")


def naive(patterns, text, whole_words=False, whole_lines=False, line_end=b"\n"):
    """Return all occurrences as (begin, end, pattern), by find(). Words consist of ASCII's letters, digits and _."""

    def fits(begin, end):
        around = [text[max(begin - 1, 0) : begin], text[end : end + 1]]
        around = [one.encode() if isinstance(one, str) else one for one in around]
        return not (whole_words and any(re.match(rb"\w", one) for one in around)) and not (
            whole_lines and any(one not in (b"", line_end) for one in around)
        )

    found = []
    for index, pattern in enumerate(patterns):
        at = text.find(pattern)
        while at >= 0:
            if fits(at, at + len(pattern)):
                found.append((at, at + len(pattern), index))
            at = text.find(pattern, at + 1)
    return sorted(found, key=lambda match: (match[0], match[2]))


def spans(found, longest=True):
    """Choose occurrences that do not overlap. Of the occurrences that begin first, take the longest (of equal lengths,
    the one with the smallest distance) or, without `longest`, the first in the list. Then continue after its end."""
    chosen, end = [], 0
    while rest := [one for one in found if one[0] >= end]:
        here = [one for one in rest if one[0] == rest[0][0]]
        chosen.append(min(here, key=lambda one: (-one[1], *one[3:4])) if longest else here[0])
        end = chosen[-1][1]
    return chosen


def rewritten(text, found, values):
    """Put the pattern's value in place of each occurrence."""
    made, at = text[:0], 0
    for begin, end, index, *_ in found:
        made += text[at:begin] + values[index]
        at = end
    return made + text[at:]


def parts(text, found):
    """Return the parts of the text between the occurrences."""
    ends = [0] + [one[1] for one in found]
    return [text[at:to] for at, to in zip(ends, [one[0] for one in found] + [len(text)])]


@pytest.fixture
def rng():
    print(f"TRAWL_TEST_SEED={SEED}")
    return random.Random(SEED)


def pytest_report_header():
    return f"trawl: TRAWL_TEST_SEED={SEED} TRAWL_TEST_SCALE={SCALE}"
