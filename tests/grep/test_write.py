"""Compares what --write makes of files with re.sub, line by line, and tries what must not harm a file."""

import os
import re
import resource
import signal
import stat
import subprocess
import time

import cases
import pytest
from harness import TRAWL, environment, execute, write

CASES, ONE_IN = 500, 4
TOKENS = [*(word.encode() for word in "foo Foo ba o é 漢 x1 $ \\".split()), b" ", b" ", b"\t", b"\r", b"\xff"]
EXPRESSIONS = [rb"fo+", rb"(o)(o)?", rb"b[ao]", rb"^f", rb"o$", rb"x(\d)", rb" +"]
TEXTS = [b"", b"X", b"<$0>", b"$1-", b"${1}$$", b"a\nb", "漢".encode()]


class Case:
    def __init__(self, rng):
        self.expression = rng.random() < 0.6
        self.pattern = rng.choice(EXPRESSIONS if self.expression else [b"foo", b"o", b"ba", b"x1", b"$"])
        self.text = rng.choice(TEXTS)
        self.ignore_case, self.first, self.across = (rng.random() < chance for chance in (0.2, 0.2, 0.1))
        self.across = self.across and self.expression and not self.first
        self.also = rng.choice([None, None, None, b"x", b"ba"]) if not self.across else None
        self.chunk, self.jobs = rng.choice([None, None, 1, 7, 60]), rng.choice([1, 2, 4])
        self.backup = rng.random() < 0.2
        self.files = {f"f{i}": self.content(rng) for i in range(rng.choice([1, 2, 5]))}

    @staticmethod
    def content(rng):
        end = rng.choice([b"\n", b"\n", b"\r\n"])
        lines = [
            b"".join(rng.choice(TOKENS) for _ in range(rng.choice([0, 1, 4, 10, 60]))) for _ in range(rng.randint(0, 9))
        ]
        return end.join(lines) + end * rng.randint(0, 1)

    def arguments(self):
        yield from (
            "--write",
            b"--replace=" + self.text,
            f"-j{self.jobs}",
            "-P" if self.expression else "-F",
            "--no-unicode",
        )
        yield from ["-i"] * self.ignore_case + ["--only-first"] * self.first + ["-U"] * self.across
        yield from ([f"--chunk-bytes={self.chunk}"] if self.chunk else []) + ["--backup=.old"] * self.backup
        yield from ("-e", self.pattern)
        yield from ([b"--and=" + self.also] if self.also else [])

    def made(self, text):
        return self.replaced(text)[0]

    def replaced(self, text):
        """Return the new content, and how many matches were replaced. With --and, matches of its string are, too."""
        pattern = self.pattern if self.expression else re.escape(self.pattern)
        flags = re.I if self.ignore_case else 0
        expression = re.compile(b"(?:%s)|(?:%s)" % (pattern, self.also) if self.also else pattern, flags)

        def value(match):
            groups = [match.group(), *(one or b"" for one in match.groups())]
            known = {b"0": groups[0], b"1": groups[1] if self.expression and len(groups) > 1 else b"", b"$": b"$"}
            return re.sub(rb"\$(\$)|\$\{?(\d)\}?", lambda one: known[one.group(1) or one.group(2)], self.text)

        lines, count = [], 0
        for line in text.split(b"\n"):
            passes = self.also is None or (re.search(pattern, line, flags) and re.search(self.also, line, flags))
            line, matches = expression.subn(value, line, count=int(self.first)) if passes else (line, 0)
            lines.append(line)
            count += matches
        return b"\n".join(lines), count

    def is_simple(self):
        """Matches of the pattern and of --and must not begin at one place, and an empty last line has no match."""
        if self.also and (self.pattern in (b"ba", rb"b[ao]", b"x1", rb"x(\d)") or self.expression):
            return False
        return not (self.pattern in (b"^f", b"o$") and self.across)


def patched(old, changes):
    """Apply the hunks of a unified diff, which must fit exactly and have at most three lines of context."""
    lines, made, at = re.findall(rb"[^\n]*\n|[^\n]+", old), [], 0
    for hunk in re.split(rb"^@@ ", changes, flags=re.M)[1:]:
        head, body = hunk.split(b"\n", 1)
        from_line, from_count, to_line, to_count = map(
            int, re.fullmatch(rb"-(\d+),(\d+) \+(\d+),(\d+) @@", head).groups()
        )
        body = body.replace(b"\n\\ No newline at end of file\n", b"\0")
        rows = [(row[:1], row[1:].replace(b"\0", b"")) for row in re.findall(rb"[ +-][^\n\0]*[\n\0]", body)]
        assert b"".join(sign + row + b"\0" * (not row.endswith(b"\n")) for sign, row in rows) == body, body
        start = from_line - (from_count > 0)
        made += lines[at:start]
        assert len(made) == to_line - (to_count > 0)
        before = [row for sign, row in rows if sign in b" -"]
        assert lines[start : start + from_count] == before and len(before) == from_count
        after = [row for sign, row in rows if sign in b" +"]
        assert len(after) == to_count
        shown = b"".join(sign for sign, _ in rows)
        assert not re.search(rb"^ {4}| {4}$| {7}", shown) and shown.strip(b" ")
        made, at = made + after, start + from_count
    return b"".join(made + lines[at:])


def differences(output):
    """Return {name: hunks} of the output of --diff."""
    parts = re.split(rb"^--- (.*)\n\+\+\+ \1\n", output, flags=re.M)
    assert parts[0] == b""
    return dict(zip([name.decode() for name in parts[1::2]], parts[2::2]))


def test_write(rng, folder, trawl):
    case = Case(rng)
    while not case.is_simple():
        case = Case(rng)
    tg, before = cases.link(trawl, folder), {}
    for name in [name for name in os.listdir(folder) if name.startswith("f")]:
        os.unlink(os.path.join(folder, name))
    for name, text in case.files.items():
        path = os.path.join(folder, name)
        write(path, text)
        os.chmod(path, rng.choice([0o600, 0o644, 0o755, 0o444]))
        before[name] = os.stat(path)
    arguments = [{"--write": "--diff"}.get(one, one) for one in case.arguments() if one != "--backup=.old"]
    status, output, errors = execute([tg, *arguments, *case.files], folder)
    made = differences(output)
    assert errors == b"" and {name for name, text in case.files.items() if case.made(text) != text} == set(made), (
        arguments
    )
    for name, text in case.files.items():
        assert name not in made or patched(text, made[name]) == case.made(text), (arguments, text, made[name])
        assert os.stat(os.path.join(folder, name)).st_ino == before[name].st_ino
    status, output, errors = execute([tg, *case.arguments(), *case.files], folder)
    selected = 0
    for name, text in case.files.items():
        path = os.path.join(folder, name)
        expected, now = case.made(text), os.stat(path)
        with open(path, "rb") as file:
            assert file.read() == expected, (list(case.arguments()), text)
        assert stat.S_IMODE(now.st_mode) == stat.S_IMODE(before[name].st_mode)
        is_new = now.st_ino != before[name].st_ino
        assert is_new == (expected != text) and (is_new or now.st_mtime_ns == before[name].st_mtime_ns)
        assert ((name + "\n").encode() in output) == is_new
        assert os.path.exists(path + ".old") == (case.backup and is_new)
        if os.path.exists(path + ".old"):
            with open(path + ".old", "rb") as file:
                assert file.read() == text
        selected += case.replaced(text)[1]
    cases.counts["selected"] += selected > 0
    assert (errors, status) == (b"", 0 if selected else 1), list(case.arguments())
    assert not [name for name in os.listdir(folder) if name.startswith(".trawl")]


@pytest.fixture
def place(folder, request):
    made = os.path.join(folder, request.node.name)
    os.makedirs(made)
    return made


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


@pytest.mark.parametrize(("more", "told"), [
    (["-v"], "-v (--invert-match)"), (["-o"], "-o (--only-matching)"), (["-c"], "-c (--count)"), (["-m1"], "-m (--max-count)"),
    (["-C1"], "-A, -B or -C"), (["--json"], "--json"), (["--encoding=latin1"], "--encoding"), (["--around=3"], "--around"),
    (["--search-zip"], "--search-zip"), (["-l"], "-l or -L"),
])  # fmt: skip
def test_contradictions(place, more, told):
    write(os.path.join(place, "f"), b"foo\n")
    status, output, errors = execute([TRAWL, "--write", "--replace=x", *more, "foo", "f"], place)
    assert (status, output) == (2, b"") and f"--write cannot be combined with {told}" in errors.decode()
    assert read(place, "f") == b"foo\n"


def test_needs(place):
    write(os.path.join(place, "f"), b"foo\n")
    for arguments, told in (
        (["--write"], "--write needs --replace"),
        (["--backup=x", "--replace=y"], "--backup needs --write"),
    ):
        status, output, errors = execute([TRAWL, *arguments, "foo", "f"], place)
        assert (status, output) == (2, b"") and told in errors.decode()
    status, output, errors = execute([TRAWL, "--write", "--replace=x", "foo"], place, data=b"foo\n")
    assert (status, output) == (2, b"") and b"--write needs a file that can be read twice" in errors
    write(os.path.join(place, "options"), b"--write\n--replace=x\n")
    status, output, errors = execute(
        [TRAWL, "foo", "f"], place, env=environment(TRAWL_CONFIG_PATH=os.path.join(place, "options"))
    )
    assert (status, output) == (2, b"") and b"--write and --diff cannot stand in a file of options" in errors
    assert read(place, "f") == b"foo\n"


def test_binary_and_links(place):
    write(os.path.join(place, "binary"), b"foo\0foo\n" + b"x" * 200000 + b"\nfoo\n")
    write(os.path.join(place, "late"), b"foo\n" + b"x\n" * 200000 + b"\0foo\n")
    for name in ("binary", "late"):
        status, output, errors = execute([TRAWL, "--write", "--replace=x", "foo", name], place)
        assert (status, output) == (2, b"") and b"not written without -a" in errors
        assert read(place, name).count(b"foo") in (2, 3)
    status, output, errors = execute([TRAWL, "-a", "--write", "--replace=x", "foo", "binary"], place)
    assert (status, output, errors) == (0, b"binary\n", b"")
    assert read(place, "binary") == b"x\0x\n" + b"x" * 200000 + b"\nx\n"
    write(os.path.join(place, "to"), b"foo\n")
    os.symlink("to", os.path.join(place, "link"))
    status, output, errors = execute([TRAWL, "--write", "--replace=x", "foo", "link"], place)
    assert (status, output, errors) == (0, b"link\n", b"")
    assert os.readlink(os.path.join(place, "link")) == "to" and read(place, "to") == b"x\n"


def test_backup(place):
    """An empty suffix once deleted the file. The name of the backup must be another one; a backup that is there stays if the
    new one cannot be made."""
    write(os.path.join(place, "f"), b"foo\n")
    for suffix in ("", "/", "/../g"):
        status, output, errors = execute([TRAWL, "--write", "--replace=x", f"--backup={suffix}", "foo", "f"], place)
        assert (status, output) == (2, b"") and b"is not the end of another name" in errors
        assert read(place, "f") == b"foo\n" and os.listdir(place) == ["f"]
    os.makedirs(os.path.join(place, "f.dir"))
    status, output, errors = execute([TRAWL, "--write", "--replace=x", "--backup=.dir", "foo", "f"], place)
    assert (status, output) == (2, b"") and b"f: cannot make the backup" in errors
    status, output, errors = execute([TRAWL, "--write", "--replace=x", "--backup=" + "n" * 300, "foo", "f"], place)
    assert (status, output) == (2, b"") and b"f: cannot make the backup: File name too long" in errors
    assert read(place, "f") == b"foo\n" and sorted(os.listdir(place)) == ["f", "f.dir"]
    os.link(os.path.join(place, "f"), os.path.join(place, "f.old"))  # the backup's name leads to the file itself
    assert execute([TRAWL, "--write", "--replace=x", "--backup=.old", "foo", "f"], place) == (0, b"f\n", b"")
    assert (read(place, "f"), read(place, "f.old")) == (b"x\n", b"foo\n")
    assert execute([TRAWL, "--write", "--replace=y", "--backup=.old", "x", "f"], place) == (0, b"f\n", b"")
    assert (read(place, "f"), read(place, "f.old")) == (b"y\n", b"x\n")
    assert sorted(os.listdir(place)) == ["f", "f.dir", "f.old"]


def test_utf16(place):
    """tg searches UTF-16, but --write does not decode: it says so."""
    os.symlink(TRAWL, os.path.join(place, "tg"))
    for codec in ("utf-16-le", "utf-16-be"):
        text = "\ufefffoo\n".encode(codec)
        write(os.path.join(place, "f"), text)
        assert execute(["./tg", "foo", "f"], place)[0] == 0
        for option in ("--write", "--diff"):
            expected = (2, b"", b"tg: f: UTF-16: not written without -a\n")
            assert execute(["./tg", option, "--replace=x", "foo", "f"], place) == expected
        assert read(place, "f") == text
    assert execute(["./tg", "--in-file", "--and=foo", "foo", "f"], place) == (
        2, b"", b"tg: f: --in-file needs a file that can be read twice: Illegal seek\n")  # fmt: skip


def test_same_content(place):
    """A file whose matches are replaced by themselves is not written."""
    write(os.path.join(place, "f"), b"foo\n" * 5000)
    before = os.stat(os.path.join(place, "f"))
    assert execute([TRAWL, "--write", "--replace=$0", "--backup=.old", "foo", "f"], place) == (0, b"", b"")
    after = os.stat(os.path.join(place, "f"))
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns) and os.listdir(place) == ["f"]


def test_null_data_and_null_device(place):
    """With -z lines end in NUL, which is then no sign of a binary file; /dev/null as output does not mean -q."""
    write(os.path.join(place, "nul"), b"foo\0bar\0foo")
    assert execute([TRAWL, "-z", "--write", "--replace=x", "foo", "nul"], place) == (0, b"nul\n", b"")
    assert read(place, "nul") == b"x\0bar\0x"
    with open(os.devnull, "wb") as null:
        assert (
            subprocess.run([TRAWL, "-z", "--write", "--replace=y", "x", "nul"], cwd=place, stdout=null).returncode == 0
        )
    assert read(place, "nul") == b"y\0bar\0y"


def test_no_room(place):
    """A file that cannot be written whole stays as it was."""
    text = b"foo bar\n" * 50000
    write(os.path.join(place, "f"), text)

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

    status, output, errors = execute([TRAWL, "--write", "--replace=x", "foo", "f"], place, preexec_fn=limit)
    assert (status, output) == (2, b"") and b"f: write error: File too large" in errors
    assert read(place, "f") == text and os.listdir(place) == ["f"]


def test_killed(place):
    """Whenever the command is killed, each file has its old or its new content."""
    old, new = b"foo bar\n" * 2000, b"longer bar\n" * 2000
    for at in range(12):
        for i in range(60):
            write(os.path.join(place, f"f{i}"), old)
        process = subprocess.Popen(
            [TRAWL, "-r", "--write", "--replace=longer", "foo", "."], cwd=place, stdout=subprocess.DEVNULL
        )
        time.sleep(at * 0.002)
        process.kill()
        process.wait()
        assert {read(place, f"f{i}") for i in range(60)} <= {old, new}
