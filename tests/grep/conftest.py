"""The cases of random command lines, as tests: see cases.py."""

import cases
import pytest
import shrunk
from harness import BUILD, SEED, TRAWL

SMALL = BUILD / "tests/grep/small/trawl"  # the command with small buffers


def pytest_generate_tests(metafunc):
    if "rng" in metafunc.fixturenames:
        metafunc.parametrize("number", range(cases.amount(metafunc.module.CASES)))


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
    name = module.__name__.removeprefix("test_")
    draw = cases.features_of(module)
    cases.counts.clear()
    yield cases.Pairs(name, draw and (lambda rng: draw(rng, TRAWL, folder)))
    one_in = getattr(module, "ONE_IN", 0)
    if one_in and cases.counts["cases"] >= cases.TELLING and not request.session.testsfailed:
        assert cases.counts["selected"] * one_in >= cases.counts["cases"], "the generator is broken"


@pytest.fixture
def rng(number, pairs):
    cases.counts["cases"] += 1
    print(f"TRAWL_TEST_SEED={SEED}")
    return pairs.choose(number)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """Report a failing case as the smallest one that fails in the same way."""
    try:
        return (yield)
    except (AssertionError, pytest.fail.Exception) as failure:
        given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        if "rng" not in given:
            raise
        again = pyfuncitem.funcargs["pairs"].again()
        smaller = shrunk.reduced(
            lambda rng: pyfuncitem.obj(**{**given, "rng": rng}), again, again.number, type(failure)
        )
        raise smaller or failure from None
