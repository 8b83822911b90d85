"""Compares what --write makes of files with the lines of test_layout's model, replaced, and tries what must not harm a file."""

import contextlib
import os
import re
import resource
import shutil
import signal
import stat
import struct
import subprocess
import tempfile
import time

import cases
import pytest
import test_layout as layout
from harness import TRAWL, environment, execute, until, write

CASES, ONE_IN = 500, 4


class Case(layout.Case):
    """A case of which the lines are replaced in their files. Options about what is printed mean nothing."""

    REPORTS = ["lines"]

    def __init__(self, rng):
        super().__init__(rng)
        self.encoding, self.binary = None, self.binary and bool(self.on & {"a", "z"})
        self.jobs, self.backup = rng.choice([1, 2, 4]), rng.random() < 0.2
        # no expression crosses lines, so this must change nothing
        multiline = (
            self.expressions
            and not self.on & {"x", "crlf", "z", "only-first"}
            and not {*b"^$*"} & {*b"".join(self.expressions)}
        )
        self.arguments += ["--multiline"] * bool(multiline and not self.groups and rng.random() < 0.4)

    def clean(self):
        self.on -= {"v", "o", "overlapping", "vimgrep", "passthru", "stats", "search-zip", "I"}
        self.arguments, self.before, self.after, self.limit, self.around = [], -1, -1, None, None
        self.replace = "<$0>" if self.replace is None else self.replace
        super().clean()

    def made(self, text):
        """Return a file's new text, and whether a line is selected."""
        lines = text.split(self.end)
        found = [self.spans(line) for line in lines[: -1 if not lines[-1] else None]] if self.lets_in(lines) else []
        made = [self.rewritten(line, spans)[0] for line, (_, spans) in zip(lines, found)] + lines[len(found) :]
        return self.end.join(made), any(selected for selected, _ in found)


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


ACCESS, DEFAULT = "system.posix_acl_access", "system.posix_acl_default"


def attributes(path):
    return {name: os.getxattr(path, name) for name in os.listxattr(path)}


def access_list(user, group, mask, other=0):
    """Return a list that gives user 12 the rights 7, and its owner 6."""
    entries = [(1, 6, -1), (2, user, 12), (4, group, -1), (16, mask, -1), (32, other, -1)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)


def set_attribute(path, name, value):
    try:
        os.setxattr(path, name, value)
    except OSError as fault:
        pytest.skip(f"{path}: {name}: {fault.strerror}")


def test_access_lists(place):
    """A new file has the old one's access list, and none that its directory gives to new files."""
    for name, listed in (("listed", access_list(7, 0, 4)), ("plain", None)):
        path = os.path.join(place, name)
        write(path, b"foo\n")
        os.chmod(path, 0o464)
        set_attribute(path, "user.a", b"1") if listed else None
        set_attribute(path, ACCESS, listed) if listed else None
    before = [
        (os.stat(os.path.join(place, name)).st_mode, attributes(os.path.join(place, name)))
        for name in ("listed", "plain")
    ]
    assert ACCESS in before[0][1] and ACCESS not in before[1][1]
    set_attribute(place, DEFAULT, access_list(7, 7, 7))
    assert execute([TRAWL, "--write", "--replace=x", "foo", "listed", "plain"], place) == (0, b"listed\nplain\n", b"")
    assert before == [
        (os.stat(os.path.join(place, name)).st_mode, attributes(os.path.join(place, name)))
        for name in ("listed", "plain")
    ]
    assert read(place, "listed") == read(place, "plain") == b"x\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize(("mode", "after"), [(0o6674, 0o644), (0o604, 0o604), (0o640, 0o600), (0o666, 0o666)])
def test_denied(mode, after):
    """A user who owns the directory alone may replace a file of others, and hears what of it is lost. Another group gets no
    more rights than all others have."""

    def become():
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)

    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "f")
        os.chown(place, 1000, 1000)
        write(path, b"foo\n")
        set_attribute(path, "user.a", b"1")
        os.chown(path, 12, 34)
        set_attribute(path, "security.capability", struct.pack("<5I", 0x02000000, 1 << 13, 0, 0, 0))
        os.chmod(path, mode)
        status, output, errors = execute([TRAWL, "--write", "--replace=x", "foo", "f"], place, preexec_fn=become)
        if b"Permission denied" in errors:
            assert mode & 4 == 0 and read(place, "f") == b"foo\n"
            return
        assert (status, output) == (0, b"f\n")
        assert errors.endswith(b": f: the new file lacks the old file's owner, group, security.capability\n")
        now = os.stat(path)
        assert (read(place, "f"), now.st_mode & 0o7777, now.st_uid, now.st_gid) == (b"x\n", after, 1000, 1000)
        assert attributes(path) == {"user.a": b"1"} and os.listdir(place) == ["f"]


def test_write(rng, folder, trawl):
    case, before, kept = Case(rng), {}, {}
    texts = {f"f{i}": layout.random_text(rng, case) for i in range(rng.choice([1, 2, 5]))}
    layout.choose_strings(rng, case, texts)
    for name, text in texts.items():
        path = os.path.join(folder, name)
        write(path, text)
        os.chmod(path, rng.choice([0o600, 0o644, 0o755, 0o444]))
        if os.geteuid() == 0:
            os.chown(path, rng.choice([0, 0, 12]), rng.choice([0, 0, 34]))
        with contextlib.suppress(OSError):  # not all file systems have attributes
            os.setxattr(path, "user.a", rng.choice([b"", b"x", b"y" * 999]))
        before[name] = os.stat(path)
        kept[name] = attributes(path)
    command = case.words(folder, folder, trawl)
    what = (command[1:], case.strings, texts)
    expected = {name: case.made(text) for name, text in texts.items()}
    changes = {name for name, text in texts.items() if expected[name][0] != text}

    def run(*options):
        status, output, errors = execute([*command, *options, "--", *texts], folder, case.locale)
        return status, output, cases.undoubted(errors)

    has_null = "z" in case.on or b"\0" in b"".join(texts.values())
    status, output, errors = run("--diff") if not has_null else (0, b"", b"")
    made = differences(output)
    assert errors == b"" and (has_null or changes == set(made)), (errors, changes, what)
    for name in texts:
        assert name not in made or patched(texts[name], made[name]) == expected[name][0], (made[name], what)
        assert os.stat(os.path.join(folder, name)).st_ino == before[name].st_ino
    status, output, errors = run("--write", *["--backup=.old"] * case.backup)
    for name, text in texts.items():
        path = os.path.join(folder, name)
        now, is_new = os.stat(path), name in changes
        assert read(folder, name) == expected[name][0], (name, what)
        facts = [(stat.S_IMODE(one.st_mode), one.st_uid, one.st_gid) for one in (now, before[name])]
        assert facts[0] == facts[1] and attributes(path) == kept[name]
        assert (now.st_ino != before[name].st_ino) == is_new
        assert is_new or now.st_mtime_ns == before[name].st_mtime_ns
        assert ((name + "\n").encode() in output) == is_new
        assert os.path.exists(path + ".old") == (case.backup and is_new)
        if os.path.exists(path + ".old"):
            assert read(folder, name + ".old") == text
            os.unlink(path + ".old")
        os.unlink(path)
    selects = any(selected for _, selected in expected.values())
    cases.counts["selected"] += selects
    assert (errors, status) == (b"", 0 if selects else 1), what
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
    assert (status, output) == (2, b"") and b"(standard input): --write and --diff take regular files only" in errors
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
    os.link(os.path.join(place, "f"), os.path.join(place, "f.old"))
    os.symlink("nowhere", os.path.join(place, "f.link"))
    for suffix in (".dir", ".old", ".link"):
        status, output, errors = execute([TRAWL, "--write", "--replace=x", f"--backup={suffix}", "foo", "f"], place)
        assert (status, output) == (2, b"") and b"f: cannot make the backup: File exists" in errors
    os.unlink(os.path.join(place, "f.old"))
    os.unlink(os.path.join(place, "f.link"))
    status, output, errors = execute([TRAWL, "--write", "--replace=x", "--backup=" + "n" * 300, "foo", "f"], place)
    assert (status, output) == (2, b"") and b"f: cannot make the backup: File name too long" in errors
    assert read(place, "f") == b"foo\n" and sorted(os.listdir(place)) == ["f", "f.dir"]
    assert execute([TRAWL, "--write", "--replace=x", "--backup=.old", "foo", "f"], place) == (0, b"f\n", b"")
    assert (read(place, "f"), read(place, "f.old")) == (b"x\n", b"foo\n")


def test_ways(rng, folder, trawl):
    """Replaces in trees that are reached in several ways, with files that are there already under the names of backups:
    each file is replaced once, and no backup is changed."""
    root = os.path.join(folder, f"{rng.number}-ways")
    names = rng.sample(
        ["a", "b", "s/a", "s/b", "s/t/a", "s/t/c", "s/a.bak", "a.bak", "s/t/.bak", "c.bak/a"], rng.choice([1, 3, 6])
    )
    texts = {name: rng.choice([b"foo\n", b"a foo foo\n" * 9, b"none\n"]) for name in names}
    for name, text in texts.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        write(os.path.join(root, name), text)
    for i in range(rng.choice([0, 1, 3])):  # links to files, directories, links, and to nothing
        to = os.path.join(root, rng.choice([*names, *filter(None, map(os.path.dirname, names)), "l0"]))
        os.symlink(rng.choice([to, os.path.relpath(to, root)]), os.path.join(root, f"l{i}"))
    links = [name for name in os.listdir(root) if name.startswith("l")]
    ways = [
        ".",
        "./",
        root,
        *names,
        *("./" + name for name in names),
        *filter(None, map(os.path.dirname, names)),
        *links,
    ]
    operands = [rng.choice(ways) for _ in range(rng.choice([1, 2, 4, 9]))]
    follows, backup, jobs = rng.random() < 0.4, rng.random() < 0.6, rng.choice([1, 2, 4])
    words = [cases.link(trawl, folder), "-uu", f"-j{jobs}", *["-L"] * follows, "--replace=<foofoo>", "foo", *operands]
    reached = set()
    for operand in operands:
        top = os.path.join(root, operand)
        inside = [os.path.join(at, name) for at, _, files in os.walk(top, followlinks=follows) for name in files]
        reached |= {
            one for one in [top] * (not os.path.isdir(top)) + inside if one == top or follows or not os.path.islink(one)
        }
    is_backup = lambda name: backup and os.path.basename(name).endswith(".bak") and os.path.basename(name) != ".bak"
    reached = {os.path.realpath(path) for path in reached if not is_backup(path)}
    reached = {os.path.relpath(path, root) for path in reached if not is_backup(path)} & set(names)
    asked = {name for name in reached if b"foo" in texts[name]}
    refused = {name for name in asked if backup and os.path.lexists(os.path.join(root, name + ".bak"))}
    status, output, errors = execute([*words, "--diff"], root)
    shown = {os.path.relpath(os.path.realpath(os.path.join(root, name)), root) for name in differences(output)}
    assert backup or shown == asked, (operands, output)
    status, output, errors = execute([*words, "--write", *["--backup=.bak"] * backup], root)
    what = (words, texts, status, output, errors)
    cases.counts["selected"] += bool(asked)
    assert errors.count(b"cannot make the backup: File exists\n") == len(refused), what
    assert len(output.splitlines()) == len(asked - refused) and (status == 2 or not refused), what
    for name, text in texts.items():
        is_new = name in asked - refused
        assert read(root, name) == (text.replace(b"foo", b"<foofoo>") if is_new else text), (name, what)
        kept = os.path.join(root, name + ".bak")
        assert is_backup(name) or name + ".bak" in names or os.path.exists(kept) == (backup and is_new), (name, what)
        assert not (is_new and backup) or read(kept) == text, (name, what)
    assert not [name for at, _, files in os.walk(root) for name in files if name.startswith(".trawl")]


def places_of(expression, text, has_end, words):
    """Return the matches of ripgrep: leftmost, an empty one not where another ends, none after the end of the last line."""
    compiled = re.compile(rf"(?<!\w)(?:{expression})(?!\w)" if words else expression, re.M)
    found, last, match = [], -1, compiled.search(text)
    while match and match.start() < len(text) + has_end:
        is_empty = match.start() == match.end()
        found += [match.span()] * (not is_empty or match.start() != last)
        last = match.end()
        match = compiled.search(text, last + is_empty) if last + is_empty <= len(text) else None
    return found


EMPTY = [
    "",
    " *",
    "o*",
    "é*",
    "漢?",
    "[éo ]*",
    "(?:o|)",
    "a?",
    "x*|b",
    "(?:ab)*",
    "^",
    "$",
    "(?:)",
    "𠀀{0,2}",
    "(?=é)",
    "(?<=漢)",
]


def test_empty(rng, folder, trawl):
    """Replaces empty matches, beside re: they are found between characters, also of invalid text."""
    expression = rng.choice(EMPTY)
    options = ["-P"] * (rng.random() < 0.3 or "(?=" in expression or "(?<" in expression)
    many, words, invalid = rng.random() < 0.3, rng.random() < 0.15, rng.random() < 0.4
    invalid = invalid and "(?<" not in expression  # PCRE2 finds no empty match before an invalid byte
    options += (
        ["-U"] * many + ["-w"] * words + ["--no-unicode"] * (rng.random() < 0.1 and expression.isascii() and not words)
    )
    tokens = ["é", "漢", "𠀀", "o", "a", "ab", "b", " ", "  ", "x", "\r", "\n", "\n", "\r\n"]
    tokens += [token.decode(errors="surrogateescape") for token in layout.BROKEN] * (invalid and not words)
    text = "".join(rng.choice(tokens) for _ in range(rng.choice([0, 1, 3, 8, 30, 200])))
    text = text.encode(errors="surrogateescape").decode(errors="surrogateescape")  # parts may have made a character
    made = ""
    for line in [text] if many else re.findall("[^\n]*\n|[^\n]+", text):
        content = line if many else line.removesuffix("\n")
        at = 0
        for begin, end in places_of(expression, content, content != line, words):
            made, at = made + content[at:begin] + "<>", end
        made += line[at:]
    write(os.path.join(folder, "empty"), text.encode(errors="surrogateescape"))
    words = [cases.link(trawl, folder), *options, "--write", "--replace=<>", "-e", expression, "empty"]
    status, output, errors = execute(words, folder)
    got = read(folder, "empty").decode(errors="surrogateescape")
    assert (errors, got) == (b"", made), (words, ascii(text), ascii(made), ascii(got))


NAME_PARTS = [
    "a",
    "b",
    " ",
    "\t",
    "\n",
    '"',
    "\\",
    "\r",
    "\x01",
    "\x1b",
    "\x7f",
    "é",
    ".",
    "-",
    "2020-01-01",
    "'",
    "+",
    "~",
    "漢",
]


def test_names(rng, folder):
    """patch and git apply find the files of --diff, whatever their names are."""
    root = os.path.join(folder, f"{rng.number} names")
    drawn = ["".join(rng.choices(NAME_PARTS, k=rng.choice([1, 2, 3, 6]))) for _ in range(rng.choice([1, 2, 3]))]
    names = sorted({rng.choice(["", "", "s ub/"]) + name for name in drawn if name not in (".", "..", "-")} or {"x"})
    for name in names:
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        write(os.path.join(root, name), b"foo\nbar\n" * 3)
    status, output, errors = execute([TRAWL, "--diff", "--replace=x", "-e", "foo", "--", *names], root)
    assert (status, errors) == (0, b""), names
    cases.counts["selected"] += 1
    for tool in (["patch", "-p0", "-s"], ["git", "apply", "-p0"]):
        if shutil.which(tool[0]) is None:
            continue
        for name in names:
            write(os.path.join(root, name), b"foo\nbar\n" * 3)
        told = execute(tool, root, data=output, env=environment(GIT_CEILING_DIRECTORIES=folder))
        assert told[0] == 0, (tool, names, told)
        assert {read(root, name) for name in names} == {b"x\nbar\n" * 3}, (tool, names)


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


def test_changed_meanwhile(place):
    """A file that changes during the search, if only by a nanosecond, is left as it is."""
    path = os.path.join(place, "f")
    for _ in range(10):  # on a busy machine, the file may be replaced before it is changed
        write(path, b"foo bar\n" * (2 << 20))
        with subprocess.Popen([TRAWL, "-j1", "--write", "--replace=x", "foo", path], stderr=subprocess.PIPE) as process:
            descriptors = f"/proc/{process.pid}/fd"
            is_open = lambda: any(os.path.realpath(f"{descriptors}/{one}") == path for one in os.listdir(descriptors))
            until(lambda: process.poll() is not None or is_open(), "the file is open")
            os.utime(path, ns=(0, os.stat(path).st_mtime_ns ^ 1))
            errors = process.communicate()[1]
        if process.returncode != 0:
            break
    assert process.returncode == 2 and b"the file was changed during the search" in errors
    assert read(place, "f")[:4] == b"foo "


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
