"""What the tests share: the oracle, the amounts, and seeded inputs."""

import os
import random

import hypothesis
import pytest

SCALE = float(os.environ.get("TRAWL_TEST_SCALE") or 1)
SEED = int(os.environ.get("TRAWL_TEST_SEED") or 1)

DIVISOR = int(os.environ.get("TRAWL_TEST_DIVISOR") or 1)


def amount(count):
    """Return an amount for random tests: `amount` by default, more in long runs, at least 1."""
    return max(1, int(count * SCALE) // DIVISOR)


hypothesis.settings.register_profile(
    "trawl",
    max_examples=amount(40),
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.load_profile("trawl")


def naive(patterns, text):
    """All occurrences as (begin, end, pattern), by bytes.find."""
    found = []
    for index, pattern in enumerate(patterns):
        at = text.find(pattern)
        while at >= 0:
            found.append((at, at + len(pattern), index))
            at = text.find(pattern, at + 1)
    return sorted(found, key=lambda match: (match[0], match[2]))


@pytest.fixture
def rng():
    print(f"TRAWL_TEST_SEED={SEED}")
    return random.Random(SEED)


def pytest_report_header():
    return f"trawl: TRAWL_TEST_SEED={SEED} TRAWL_TEST_SCALE={SCALE}"
