"""Compares which files ripgrep and trawl search, in random trees with ignore files, and their types of files.

The script compares the lists of --files (which it sorts if --sort=path is not given), the output of a search of these
files, and the status. The command runs as tg, or as trawl with --ignore. TRAWL_TEST_SEED (default 1) chooses the cases,
TRAWL_TEST_SCALE sets their number (default 1: 1600).

Only the cases of ROWS are skipped, each of which is in docs/differences.md; `rows` shows that each row still differs.
"""

import fcntl
import itertools
import os
import random
import re
import shutil
import subprocess
import time

import cases
import ignored
import pytest
from harness import BUILD

CASES = 1600
CASES_PER_TREE = 5

FILTERS = [[], [], [], ["--no-ignore"], ["--no-ignore-dot"], ["--no-ignore-vcs"], ["--no-ignore-parent"],
           ["--no-ignore-exclude"], ["--no-ignore-global"], ["--no-ignore-files"], ["--no-require-git"], ["--hidden"],
           ["--no-hidden"], ["--unrestricted"], ["--unrestricted", "--unrestricted"], ["--hidden", "--no-hidden"],
           ["--max-depth=0"], ["--max-depth=1"], ["--max-depth=2"], ["--max-depth", "3"], ["--max-filesize=10"],
           ["--max-filesize=1K"], ["--max-filesize=20"], ["--one-file-system"], ["--follow"],
           *[["--follow", "--max-filesize=10"]] * 3, ["--ignore-file-case-insensitive"], ["--glob-case-insensitive"],
           ["--ignore-file=../more"], ["--ignore-file=../more", "--ignore-file=../other"],
           ["--ignore-file=../other", "--ignore-file=../more"]]  # fmt: skip
# What differs on purpose: (texts of files of rules, paths of other files, folder of the search, options, what ripgrep lists,
# what tg lists). HOME is the user's folder, TREE2 a folder next to the tree.
ROWS = [
    ({".git/HEAD": "", ".gitignore": "{a,b}\n"}, "a b {a,b}", "", [], "{a,b}", "a b"),
    ({".ignore": "a[!b]c\n"}, "a/c axc abc", "", [], "abc", "a/c abc"),
    ({".git/HEAD": "", ".gitignore": "a\n!\n"}, "a b", "", [], ".git/HEAD .gitignore a b", "b"),
    ({".git/HEAD": "", "HOME/.config/git/ignore": "/a\n"}, "a sub/a sub/b", "sub", [], "b", "a b"),
    ({}, "TREE2/a TREE2/b", "", ["-g!/2/a", "TREE2"], "TREE2/b", "TREE2/a TREE2/b"),
]
TYPES = ["c", "py", "md", "make", "all", "sh", "h", "own", "new"]
TYPES_MIN = 120


def for_names(text):
    """Return rules without slashes: rules of core.excludesFile begin at a different directory in
    ripgrep."""
    names = [line.strip().rstrip("/").split("/")[-1].lstrip("!") for line in text.splitlines()]
    return "".join(
        ("!" if line[:1] == "!" else "") + name + "\n" for line, name in zip(text.splitlines(), names) if name
    )


def make_tree(rng, top, home):
    folders, files = ignored.make_files(rng, top)
    for name in (".gitignore", ".ignore", ".rgignore"):
        for folder in folders:
            if rng.random() < (0.5 if folder == "" else 0.15):
                ignored.put(top, folder + name, ignored.rules(rng, name != ".gitignore", folder, files))
    inner = rng.choice(folders[1:]) if len(folders) > 2 and rng.random() < 0.4 else ""
    for folder in ["", inner][: 1 + bool(inner)]:
        if folder or rng.random() < 0.8:
            os.makedirs(os.path.join(top, folder, ".git/info"))
            if rng.random() < 0.6:  # rules of an outer repository, often about files of the inner one
                there = [name for name in files if name.startswith(inner)] or files
                ignored.put(top, folder + ".git/info/exclude", ignored.rules(rng, False, "", there))
    shutil.rmtree(home, ignore_errors=True)
    os.makedirs(home)
    if rng.random() < 0.3:
        ignored.put(home, ".config/git/ignore", for_names(ignored.rules(rng, False, "", files)))
    elif rng.random() < 0.3:
        ignored.put(home, ".gitconfig", "[user]\n\tname = x\n[core]\n\texcludesFile = ~/mine\n")
        ignored.put(home, "mine", for_names(ignored.rules(rng, False, "", files)))
    text = ignored.rules(rng, True, "", files)
    ignored.put(os.path.dirname(top), "more", text)  # two files with opposite rules: the file given last decides
    ignored.put(
        os.path.dirname(top),
        "other",
        "".join(line[1:] if line[0] == "!" else "!" + line for line in text.splitlines(True) if line.strip()),
    )
    for name in rng.sample(["link", "link.c", ".link"], rng.choice([0, 1, 1, 2, 3])) if files else ():
        place = rng.choice(folders)  # a link to an existing path that is not above: ripgrep ends loops with an error
        target = rng.choice(
            rng.choices(files, k=2)
            + [folder for folder in folders[1:] if name == "link" and not place.startswith(folder)]
        )
        os.symlink(os.path.relpath(os.path.join(top, target), os.path.join(top, place)), os.path.join(top, place, name))
    # a folder next to the tree, whose name begins with the tree's
    for name in ("a", "b", "a.c", "src/a.c", "foo/b", "build/a"):
        ignored.put(top + "2", name, "foo\n")
    for i, name in enumerate(files):
        when = 1500000000 + rng.randrange(10000) * 100 + i
        os.utime(os.path.join(top, name), (when, when - 7))
    return folders, files


def make_case(rng, top, folders, files):
    """Return (options for both programs, operands, working directory, string to search for)."""
    options = [word for _ in range(rng.choice([0, 1, 1, 2, 3])) for word in rng.choice(FILTERS)]
    while options.count("--unrestricted") > 3:  # ripgrep rejects a fourth
        options.remove("--unrestricted")
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        classes = r"[!a]* [^fb]* [!a-m]?* [A-C]* [!A-F]*.? [[:alpha:]]* [a-c-f]* [\]a]* *** ***/a* {,}".split()
        text = ignored.glob(rng, True) if rng.random() < 0.8 else rng.choice(classes)
        if rng.random() < 0.4:  # a glob made from a path of the tree
            text = rng.choice(["", "/", "**/"]) + ignored.cut(rng, rng.choice([*files, *folders[1:], "a"]))
        if text[0] == "#":
            continue
        option = rng.choice(["-g", "-g", "--iglob"])
        if (option == "--iglob" or "--glob-case-insensitive" in options) and rng.random() < 0.5:
            text = text.swapcase()
        options += [option, rng.choice(["", "!"]) + text]
    typed, lists = rng.random() < 0.3, rng.random() < 0.4
    for _ in range(
        rng.choice([0, 1, 2, 3, 5, 8]) if typed else 0
    ):  # changes come first: ripgrep's "all" has only earlier types
        name = rng.choice(["c", "py", "own", "new", "zzz"])  # zzz is last in the alphabet
        others = ",".join(rng.choices(["c", "py", name], k=rng.randrange(1, 4)))
        globs = ["*.zz", "*.zz", "*.c", "x", "a*", "*.{py,h}", "*.{c,o}", "include:" + others, "include:" + others]
        options += rng.choice([["--type-clear", name], *([["--type-add", name + ":" + rng.choice(globs)]] * 3)])
    for _ in range(rng.choice([1, 1, 2, 3]) if typed and not lists else 0):
        options += [rng.choice(["-t", "--type", "--type-not"]), rng.choice(TYPES)]
    if rng.random() < 0.25 and "--sort=none" not in options:
        options += [rng.choice(["--sort=path", "--sortr=path", "--sort=modified", "--sortr=modified"])]
    operands, folder = [], ""
    choice = rng.random()
    if choice < 0.2:
        absolute = [[top], [top + "/"], [top, top + "/"], [top + "2"], [top + "2"]]
        absolute += [[top + "/", top + "2"]] * (not any("/" in word for word in options))
        operands = rng.choice([["."], ["./"]] + absolute)
        if operands == [top + "2"]:
            text = os.path.basename(top) + "2/" + rng.choice(["a", "src/a.c", "foo/b"])
            options += ["-g", rng.choice(["", "!"]) + "**/" + ignored.cut(rng, text)]
    elif choice < 0.3 and files:
        operands = [rng.choice(files)]
    elif choice < 0.34:  # in the root directory, with globs that begin there
        operands, folder = [rng.choice([top, top[1:]])], "/"
        for i, word in enumerate(options):
            if options[i - 1] in ("-g", "--iglob") and rng.random() < 0.7:
                options[i] = word[: word[0] == "!"] + rng.choice([top, top[1:]]) + "/" + word.lstrip("!/")
    elif choice < 0.44 and len(folders) > 1:  # a directory with rules above it
        operands = [rng.choice(["", "./"]) + rng.choice(folders[1:])]
    elif choice < 0.7:  # some rules are above the root
        folder = rng.choice(folders)
        names = ("ignore-parent", "ignore-exclude", "ignore-dot", "ignore-vcs", "require-git")
        options += rng.choice([[], [], *(["--no-" + name] for name in names)])
    search = rng.choice(
        [["--files"], ["--files"], ["-l", "-e", "foo"], ["-H", "-n", "-e", "foo"], ["-H", "-e", "x", "-e", "bar"]]
    )
    search = ["--type-list"] if typed and lists else search
    return options, operands, folder, search


def run(command, folder, home, data=None):
    return cases.execute(command, folder, data=data, env=cases.environment(HOME=home))


def as_trawl(rng, trawl, tg, options):
    """Return a command line of tg or trawl that turns ripgrep's rules on."""
    if rng.random() < 0.45:
        return [tg] + options
    where = rng.randrange(2)
    ways = ["--ignore", "-r", "-I"]
    return [trawl] + (
        ways + options if where or "--no-ignore" in options or "--unrestricted" in options else options + ways
    )


# A note about a binary file, which ripgrep and tg print on standard output.
BINARY_NOTE = re.compile(
    rb"^(?:(.*): )?((?:WARNING: )?(?:binary file matches|stopped searching binary file after match) \(.*\))\n",
    re.MULTILINE,
)


def names_binary(place, operands):
    for name in operands:
        if os.path.isfile(os.path.join(place, name)):
            with open(os.path.join(place, name), "rb") as file:
                return b"\0" in file.read()
    return False


def binary_notes(own, expected, got):
    """Return the notes that differ between tg and ripgrep; None: all notes are equal."""
    wanted = sorted(text.replace(b"WARNING: ", b"") for _, text in BINARY_NOTE.findall(expected[1]))
    said = sorted(text.replace(b"WARNING: ", b"") for _, text in BINARY_NOTE.findall(got[1]))
    return None if wanted == said else "%r: of binary files ripgrep says %r, tg %r" % (own, wanted, said)


def compare(rng, trawl, tg, tree, home):
    """Return what is wrong, or None."""
    top, folders, files = tree
    options, operands, folder, search = make_case(rng, top, folders, files)
    place = os.path.join(top, folder)
    if folder or operands:
        options = [word.replace("=../", "=" + os.path.dirname(top) + "/") for word in options]
    if any("--sort=path" in word for word in options):  # the row about --sort and --sortr of docs/differences.md
        shown = lambda text: text
    else:
        shown = lambda text: b"".join(sorted(text.splitlines(keepends=True)))
    if search == ["--type-list"]:  # ripgrep prints a glob twice that a type has twice
        shown = lambda text: [(line.split(b": ")[0], {*re.split(b": |, ", line)}) for line in text.splitlines()]
    rg = [cases.ripgrep(), "--no-config", "--no-heading", "--color=never", "-F", *["-N"] * ("-n" not in search)]
    rg += [*options, *search, "--", *operands]
    own = as_trawl(rng, trawl, tg, ["-F"] + options + search) + ["--"] + operands
    # standard input is a pipe in about half of these cases, and both programs must leave the pipe alone
    data = b"foo\n" if rng.random() < 0.5 and (operands or search == ["--files"]) else None
    expected, got = run(rg, home if operands == [top + "2"] else place, home, data), run(own, place, home, data)
    # called trawl, the command does not print lines that are not UTF-8, and prints other notes on binary files
    if own[0] == tg:
        wrong = binary_notes(own, expected, got)
        if wrong:
            return wrong
        got = (got[0], BINARY_NOTE.sub(b"", got[1]), got[2])
    elif (
        BINARY_NOTE.search(expected[1])
        or names_binary(place, operands)
        or any(b"\xff" in line or b"\xe9" in line for line in expected[1].splitlines())
        or b": binary" in got[2]
    ):
        return None
    expected = (expected[0], BINARY_NOTE.sub(b"", expected[1]), expected[2])
    if b"No files were searched" in expected[2] and own[0] != tg:
        expected = (1, b"", b"")
    if expected[0] == 2:
        # a difference on purpose: the row `-t all` of docs/differences.md
        if b"unrecognized file type: c" in expected[2] and "all" in options:
            return None
        return None if got[0] == 2 else "%r: ripgrep refuses it: %r" % (own, expected[2])
    if (expected[0], shown(expected[1])) != (got[0], shown(got[1])):
        one, other = set(expected[1].splitlines()), set(got[1].splitlines())
        said = "in %s, HOME=%s\n  %s\n  %s\n  " % (place, home, " ".join(rg), " ".join(own))
        lists = sorted(one - other)[:8], sorted(other - one)[:8], got[2][:300]
        return said + "status %d and %d; only ripgrep: %r; only trawl: %r; %r" % (expected[0], got[0], *lists)
    return None


TREES = {}  # {number: tree}; only the last tree is kept


def tree_of(number, folder):
    number //= CASES_PER_TREE
    if number not in TREES:
        top = os.path.join(folder, "tree")
        TREES.clear()
        shutil.rmtree(top, ignore_errors=True)
        TREES[number] = (top,) + make_tree(
            random.Random("%d tree %d" % (cases.SEED, number)), top, os.path.join(folder, "home")
        )
    return TREES[number]


def features(rng, _, folder):
    """Return the set of a case's options and kind of input."""
    top, folders, files = tree_of(rng.number, folder)
    options, operands, place, search = make_case(rng, top, folders, files)
    kind = "none" if not operands else "a file" if operands[0] in files else operands[0].replace(top[1:], "top")
    return {word for word in options if word.startswith("-")} | {
        " ".join(search),
        "in a folder" * bool(place),
        "in the root" * (place == "/"),
        "operand " + kind,
    }


@pytest.fixture(autouse=True, scope="module")
def ripgrep():
    return cases.ripgrep()  # without it, all tests of this file are skipped


def test_case(rng, trawl, folder):
    tree, home = tree_of(rng.number, folder), os.path.join(folder, "home")
    wrong = compare(rng, trawl, cases.link(trawl, folder), tree, home)
    assert not wrong, wrong


def test_every_glob(trawl, folder):
    """Compare -g and --iglob for many short globs, each alone, on names that differ by a letter or a slash; and files and
    links of several sizes and times. (A glob of a random case hardly matches anything.)"""
    top, home, tg = os.path.join(folder, "globs"), os.path.join(folder, "home-globs"), cases.link(trawl, folder)
    ignored.put(home, ".config/git/ignore", "/a/ab*\n[ab]c\n")  # rules for repositories, but there is no repository
    for path in itertools.product(("", "a/", "ab/", "b/"), ("", "a/", "b/"), ("ba", "ac", "c", "aab", ".a")):
        ignored.put(top, "".join(path), "")
    begins, names = (
        ("", "/", "**/", "a/", "/a/", "*/", "/a*/", "/**/", "a/**/"),
        ("a*", "*a", "ab", "?b", "[ab]*", "a*b", "a**", "*", "b", "*a*", ".*"),
    )
    globs = ["".join(parts) for parts in itertools.product(begins, names, ("", "", "/", "/**", "/*", "/**/c"))]
    plain = ["".join(parts) for parts in itertools.product(("/", "a/", ""), ("a*", "*a", "ab", "*a*"))]
    commands = [
        [option, sign + glob]
        for glob in plain + cases.random_of("globs", 0).sample(globs, min(len(globs), cases.amount(8 * 60)))
        for option, sign in random.Random(glob).sample([("-g", ""), ("-g", "!"), ("--iglob", "")], 1 + (glob[0] == "/"))
    ]
    commands += [["--iglob", glob] for glob in ("ZZ", "[Z]?", "[A-Y]z", "?[z]", "z*", "*Z")]
    ignored.put(top, "a/zZ", "")
    for number, size in enumerate(("0", "9", "10", "11", "1024", "1025")):
        ignored.put(top, "sizes/" + size, "x" * int(size))
        os.utime(os.path.join(top, "sizes", size), (number, 1000 * (number ^ 5)))
        os.symlink(size, os.path.join(top, "sizes/l" + size))
        os.symlink("../sizes/./././" + size, os.path.join(top, "sizes/m" + size))
    commands += [
        [*follow, "--max-filesize=" + limit, *operands]
        for follow in ([], ["-L"])
        for limit in ("0", "9", "10", "1K", "1M")
        for operands in ([], ["sizes", "sizes/l11", "sizes/10"])
    ]
    commands += [
        [],
        ["--no-require-git"],
        ["--no-require-git", "--no-ignore-global"],
        ["--no-require-git", "b"],
        ["--no-require-git", top],
    ]
    commands += [[*follow, sort + "=modified", "sizes"] for follow in ([], ["-L"]) for sort in ("--sort", "--sortr")]
    places = [(top, command) for command in commands]
    places += [
        (place, [option, glob, operand])
        for place, operand in (("/", top), ("/", top[1:]), (top, top), (top, "."))
        for option in ("-g", "--iglob")
        for glob in (top + "/a/*", "!" + top[1:] + "/a/*", "/a/a*", "!/a/a*")
    ]
    for place, command in cases.some(places):
        expected, got = (
            run([*program, "--files", *command], place, home) for program in ([cases.ripgrep(), "--no-config"], [tg])
        )
        one, other = (sorted(done[1].splitlines()) for done in (expected, got))
        if one != other or expected[0] != got[0]:
            pytest.fail(
                "in %s, %r: only ripgrep %r, only tg %r; %r"
                % (place, command, sorted({*one} - {*other}), sorted({*other} - {*one}), got[2])
            )


def test_slow_messages(folder):
    """Check that files count as searched if a worker searches them all while another one waits to print a message. With
    --debug, tg then said that no files were searched."""
    small, top = BUILD / "tests/grep/small/trawl", os.path.join(folder, "slow")
    for name in (".a", ".b", ".c", *"uvwxyz"):
        ignored.put(top, name, "a\n")
    ours, theirs = os.pipe()
    fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
    os.write(theirs, b"x" * 4036)  # there is room for the first message
    command = [
        cases.link(str(small) if small.exists() else cases.TRAWL, folder),
        "--debug",
        "--sort=path",
        "-j4",
        "none",
    ]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": theirs}
    with subprocess.Popen(command, cwd=top, env=cases.environment(), **streams) as process, open(ours, "rb") as said:
        os.close(theirs)
        time.sleep(0.3)
        assert b"no files" not in said.read() and process.wait() == 1


def test_rows(trawl, folder):
    """Show that each of ROWS still differs as docs/differences.md says."""
    tg = cases.link(trawl, folder)
    for number, (rules, paths, place, options, *listed) in enumerate(ROWS):
        top = os.path.join(folder, "row%d" % number, "tree")
        os.makedirs(top)
        full = lambda text: text.replace("HOME", top + "-home").replace("TREE2", top + "2")
        for name, text in [*rules.items(), *((name, "foo\n") for name in paths.split())]:
            ignored.put(top, full(name), text)
        for program, wanted in zip(([cases.ripgrep(), "--no-config"], [tg]), listed):
            got = run([*program, "--files", *map(full, options)], os.path.join(top, place), top + "-home")[1].decode()
            if sorted(got.split()) != full(wanted).split():
                pytest.fail("row %d: %s lists %r" % (number, program[0], got))


@pytest.mark.parametrize(
    "changes",
    [[], ["--type-clear", "c", "--type-add", "c:*.{zz,c}", "--type-add", "own:include:c,py", "--type-add", "own:x"]],
)
def test_types(changes):
    own, other = (cases.execute([program, *changes, "--type-list"])[1] for program in (cases.TRAWL, cases.ripgrep()))
    assert len(own.splitlines()) >= TYPES_MIN and own == other
