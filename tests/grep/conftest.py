"""The cases of random command lines, as tests: see cases.py."""

import cases
import found
import pytest
import shrunk
from harness import BUILD, SEED, TRAWL, numbers

SMALL = BUILD / "tests/grep/small/trawl"  # the command with small buffers
REDUCED_MAX = 2  # failing cases that are reduced; each takes a while


def pytest_generate_tests(metafunc):
    if "rng" in metafunc.fixturenames:
        metafunc.parametrize("number", numbers(metafunc.module.CASES))


@pytest.fixture(scope="module")
def folder(module_folder):
    return module_folder


@pytest.fixture
def trawl(request):
    number = request.node.callspec.params["number"] if "number" in request.fixturenames else 0
    return str(SMALL) if number % 2 and SMALL.exists() else TRAWL


@pytest.fixture(scope="module")
def pairs(request, folder):
    """Chooses the random numbers of each case, if the module says which features a case has."""
    module = request.module
    draw = cases.features_of(module)
    cases.counts.clear()
    cases.counts["one in"] = getattr(module, "ONE_IN", 0)
    return cases.Pairs(module.__name__.removeprefix("test_"), draw and (lambda rng: draw(rng, TRAWL, folder)))


@pytest.fixture
def rng(number, pairs):
    return pairs.choose(number)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """Report a failing case as the smallest one that fails in the same way, and write a story about it."""
    given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    try:
        result = yield
        cases.counts["cases"] += "rng" in given
        return result
    except (AssertionError, pytest.fail.Exception) as failure:
        if "rng" not in given or cases.counts["failed"] == REDUCED_MAX:
            raise
        cases.counts["failed"] += 1
        found.tell(failure)
        again, kind = pyfuncitem.funcargs["pairs"].again(), type(failure)

        def run(rng):
            try:
                pyfuncitem.obj(**{**given, "rng": rng})
            except kind as smaller:
                found.tell(smaller)
                raise

        smallest = shrunk.reduced(run, again, again.number, kind) or failure
        found.write(smallest, pyfuncitem.module.__name__.removeprefix("test_"), SEED, again.number)
        raise smallest from None


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    ran, selected, one_in = (cases.counts[name] for name in ("cases", "selected", "one in"))
    if ran and not session.testsfailed:
        print("\n%d cases, of which %d select something" % (ran, selected))
    if one_in and ran >= cases.TELLING and not session.testsfailed and selected * one_in < ran:
        print("the generator is broken")
        session.exitstatus = 1
