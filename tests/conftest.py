"""Fixtures of all tests in Python, the stories as tests, and what CTest needs."""

import collections
import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time

import found
import harness
import pytest

sys.path.append(str(harness.ROOT / "tests/documents"))
import run  # noqa: E402

ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: processes that tests leave become this one's children
os.environ["TRAWL_CONFIG_PATH"] = ""  # tests do not read the tester's own file of options


spent, last = collections.Counter(), [None, 0]  # processor time of each test function; the last one, and when it began


def pytest_addoption(parser):
    parser.addoption("--ctest", action="store_true", help="status 77 if no test could run, with a line that says why")


def is_case(item):
    return "number" in getattr(getattr(item, "callspec", None), "params", ())


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    """Leave out the cases for which there is no time."""
    now, function = time.process_time() + harness.children_s(), getattr(item, "function", None)
    spent[last[0]] += now - last[1]
    last[:] = function, now
    return True if is_case(item) and harness.BUDGET and spent[function] >= float(harness.BUDGET) else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    try:
        return (yield)
    except (Exception, pytest.fail.Exception) as failure:
        if is_case(item) and not isinstance(failure, pytest.skip.Exception):
            print("\nTO REPEAT: TRAWL_TEST_SEED=%d TRAWL_TEST_CASE=%d" % (harness.SEED, item.callspec.params["number"]))
        raise


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    """Say which cases had no judge; end what tests have left running, which is a failure; exit with status 77, which CTest
    counts as skipped, if no test could run."""
    report = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = [one.longrepr[2].removeprefix("Skipped: ") for one in report.stats.get("skipped", ())]
    judges = (reason for reason in skipped if reason.startswith(harness.NOT_JUDGED))
    harness.unjudged.update(reason.removeprefix(harness.NOT_JUDGED) for reason in judges)
    for name, count in sorted((+harness.unjudged).items()):
        print(f"\nNOT JUDGED: {count} cases (no {name})", end="")
    if left := harness.end_children():
        print("\nleft running by a test:", *left)
        session.exitstatus = exitstatus or 1
    elif session.config.option.ctest and (skipped and exitstatus == 0 or exitstatus == 5):
        counted = f"{len(skipped)} of {len(skipped) + len(report.stats.get('passed', ()))}"
        print(f"\nSKIPPED: {counted}: {'; '.join(sorted(set(skipped))) or 'no test is chosen'}")
        session.exitstatus = 0 if report.stats.get("passed") else 77


@contextlib.contextmanager
def empty_folder(session):
    """The path of an empty folder, short enough for sockets. It is kept if a test fails."""
    failed, path = session.testsfailed, tempfile.mkdtemp(prefix="trawl-")
    yield path
    if session.testsfailed > failed:
        print("files are in", path)
        return
    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(path)
    if os.path.lexists(path):  # folders that are very deep, or that forbid to read them
        subprocess.run(["chmod", "-R", "u+rwX", path], stderr=subprocess.DEVNULL)
        subprocess.run(["rm", "-rf", path], check=True)


@pytest.fixture
def folder(request):
    with empty_folder(request.session) as path:
        yield path


@pytest.fixture(scope="module")
def module_folder(request):
    with empty_folder(request.session) as path:
        yield path


@pytest.fixture
def here(folder, monkeypatch):
    """An empty current folder, with links to the command under its two names."""
    monkeypatch.chdir(folder)
    for name in ("trawl", "tg"):
        os.symlink(harness.TRAWL, name)
    return folder


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Fails a test in which a search is slow, compared with the slowest search of grep, rg or another judge."""
    run, longest = subprocess.run, {}

    def clocked(command, *given, **more):
        words, spent = [os.fsdecode(word) for word in command], []
        name, is_small = os.path.basename(words[0]), "/small/" in os.path.realpath(words[0])
        kind = "judge" if name in ("grep", "rg", "perl") else name.replace("tg", "trawl")
        if is_small or any(word.startswith("--chunk-bytes") for word in words):  # as many steps as a large text has
            kind += " small"
        found.last.pop("expected", None)

        def timed():
            before = harness.children_s()
            try:
                return run(command, *given, **more)
            finally:
                spent.append(harness.children_s() - before)

        try:
            result = timed()
            found.last[kind.removesuffix(" small")] = words, more, result
            if kind == "trawl" and spent[0] > 3 * harness.FREE_S and "--write" not in words:
                timed()  # a busy machine may have slowed the first run down
            return result
        finally:
            longest[kind] = max(longest.get(kind, (0, "")), (min(spent), repr(command)))

    monkeypatch.setattr(subprocess, "run", clocked)
    yield
    if {"judge", "trawl"} <= set(longest) and not harness.IS_SANITIZED:
        (theirs, _), (ours, command) = longest["judge"], longest["trawl"]
        assert ours <= max(3 * harness.FREE_S, harness.SLOWER * theirs), (
            f"{command[:3000]}: {ours:.2f} s, the judge {theirs:.2f} s"
        )


class Stories(pytest.File):
    """A document of tests/stories: each heading is a test."""

    def collect(self):
        every, turn = harness.DIVISOR == 1, harness.SEED + harness.IS_SANITIZED
        for name, steps, options in run.stories_of(str(self.path), every, turn, harness.IS_SANITIZED):
            yield Story.from_parent(self, name=name, steps=steps, options=options)


class Story(pytest.Item):
    def __init__(self, *, steps, options, **more):
        super().__init__(**more)
        self.steps, self.options = steps, options

    def runtest(self):
        with tempfile.TemporaryDirectory() as names:
            os.symlink(harness.TRAWL, os.path.join(names, "tg"))
            results = run.run(self.steps, [str(harness.BUILD), names], stories=True, options=self.options)
        reason = run.judge(self.path, self.steps, results)
        if reason:
            pytest.skip(reason)

    def repr_failure(self, failure):
        return str(failure.value) if isinstance(failure.value, run.Wrong) else super().repr_failure(failure)

    def reportinfo(self):
        return self.path, self.steps[0]["line"], self.name


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".md" and file_path.parent.name == "stories":
        return Stories.from_parent(parent, path=file_path)
    return None
