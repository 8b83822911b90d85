"""Fixtures of all tests in Python, the stories as tests, and what CTest needs."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile

import harness
import pytest

sys.path.append(str(harness.ROOT / "tests/documents"))
import run  # noqa: E402

os.environ["TRAWL_CONFIG_PATH"] = ""  # tests do not read the tester's own file of options


def pytest_addoption(parser):
    parser.addoption("--ctest", action="store_true", help="status 77 if a test was skipped, with a line that says why")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    """Exit with status 77, which CTest counts as skipped, so that no test that cannot run counts as passed."""
    report = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = {one.longrepr[2].removeprefix("Skipped: ") for one in report.stats.get("skipped", ())}
    if session.config.option.ctest and (skipped and exitstatus == 0 or exitstatus == 5):
        count = len(report.stats.get("skipped", ()))
        print(f"\nSKIPPED: {count} of {report._numcollected}: {'; '.join(sorted(skipped)) or 'no test is chosen'}")
        session.exitstatus = 77


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
    """Fails a test in which a search is slow, compared with the slowest search of a judge."""
    run, longest = subprocess.run, {}

    def clocked(command, *given, **more):
        words, spent = [os.fsdecode(word) for word in command], []
        name, is_small = os.path.basename(words[0]), "/small/" in os.path.realpath(words[0])
        kind = "judge" if name in ("grep", "rg", "perl") else name.replace("tg", "trawl")
        if is_small or any(word.startswith("--chunk-bytes") for word in words):  # as many steps as a large text has
            kind += " small"

        def timed():
            before = harness.children_s()
            try:
                return run(command, *given, **more)
            finally:
                spent.append(harness.children_s() - before)

        try:
            result = timed()
            if kind == "trawl" and spent[0] > harness.FREE_S and "--write" not in words:
                timed()  # a busy machine may have slowed the first run down
            return result
        finally:
            longest[kind] = max(longest.get(kind, (0, "")), (min(spent), repr(command)))

    monkeypatch.setattr(subprocess, "run", clocked)
    yield
    if {"judge", "trawl"} <= set(longest) and not harness.IS_SANITIZED:
        (theirs, _), (ours, command) = longest["judge"], longest["trawl"]
        assert ours <= max(harness.FREE_S, harness.SLOWER * theirs), (
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
