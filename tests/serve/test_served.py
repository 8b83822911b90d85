"""Compares the command as a client of a real server with the command alone, on the command lines of the comparisons with
grep and ripgrep (tests/grep).

Each module of tests/grep runs unchanged, but each command line of trawl runs twice: with --sort=path, and with --server.
Standard output, standard error and the exit status must be equal, or the client must report that something is not
supported. A request for files by the rules of ignore files goes to a server with --ignore. grep and ripgrep do not run.

TRAWL_FRONT=ADDRESS,FOLDER: instead of these servers, a front of trawl.cluster runs at ADDRESS and serves FOLDER/served,
with the environment HOME=FOLDER/home and the option --search-zip. The trees of the modules are made in
FOLDER/served/tree, so that the bounds of the shards can be inside the trees.
"""

import collections
import contextlib
import gzip
import importlib
import inspect
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

import pytest
import server as servers
from harness import ROOT, SERVE, TRAWL, respect_modes, terminal, write

sys.path[:0] = [str(ROOT / "tests/grep"), str(ROOT / "tests/regex")]
import cases  # noqa: E402

FRONT = os.environ.get("TRAWL_FRONT", "").split(",") if os.environ.get("TRAWL_FRONT") else None
# The number of command lines that each module makes. A command line takes four processes.
MODULES = {"compare": 700, "wild": 200, "sequences": 60, "layout": 250, "compressed": 40,
           "rg_output": 200, "rg_files": 200}  # fmt: skip
OTHERS = "locale localedef rm chmod rmdir git gzip bgzip xz bzip2 lbzip2 zstd pzstd lz4".split()  # programs that run
NOT_FOR_ANSWERS = re.compile(r"-j *\d+$|--threads=\d+$|--chunk-bytes=\d+$|--engine=|--method=|--instruction-set=")
REFUSED = re.compile(rb"\A(trawl|tg): --server: (.*)\n\Z")
WAIT_S = 60
counts, reasons, failures = collections.Counter(), collections.Counter(), []
run_alone = subprocess.run
addresses, ignoring = [], []  # of servers without --ignore, and with it
folder, HOME = None, None  # see the fixture `places`
answers = None  # answers of the command alone, while no file changes; else None


def locale_of(environment):
    environment = os.environ if environment is None else environment
    return next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "C")


# Times, and the number of searched bytes, which differs: between runs for a converted binary file, where it depends on how
# far a thread has read; for a search with --fasta that -m ends, which depends on --chunk-bytes; and for files without an
# occurrence, for which a server also counts the bytes after a NUL.
TIMES = re.compile(rb'"(secs|nanos|bytes_searched)":\d+|"human":"[^"]*"|"elapsed(_total)?":\{[^}]*\}')

MORE_WAYS = b", TRAWL_PCRE, trawl-serve --allow-pcre"  # a server's words about -P


def text(stream):
    return stream if isinstance(stream, bytes) else stream.encode() if stream else b""


def alone_of(command):
    return [command[0], "--sort=path", *command[1:]]


def run_both(command, **more):
    """Replaces subprocess.run: runs TRAWL without and with a server, and compares. Of other programs,
    only those listed run."""
    if os.path.realpath(command[0]) != os.path.realpath(TRAWL):  # TRAWL or the link tg
        asks = command[0] in OTHERS or {"--version", "-cF"} & {*command}
        return run_alone(command, **more) if asks else subprocess.CompletedProcess(command, 1, b"", b"")
    home = (more.get("env") or {}).get("HOME", "/nowhere")
    if os.readlink(HOME) != home:  # the server must have the command's HOME
        os.symlink(home, HOME + ".new")
        os.replace(HOME + ".new", HOME)
    with_server = None
    if locale_of(more.get("env")) in ("C", "C.UTF-8"):
        options = [word for word in command[1:] if not (isinstance(word, str) and NOT_FOR_ANSWERS.match(word))]
        for address in (addresses[counts.total() % len(addresses)], *ignoring * (home == "/nowhere")):
            with_server = run_alone([command[0], "--server=" + address] + options, **more)
            if b"heeds no ignore files" not in text(with_server.stderr) + text(with_server.stdout):
                break
    known = repr((command, more.get("cwd")))
    alone = run_alone(alone_of(command), **more) if answers is None or known not in answers else answers[known]
    if answers is not None:
        answers[known] = alone
    if with_server is None or "--no-sort-files" in command:  # then the command lists files in any order
        counts["in another locale" if with_server is None else "in any order"] += 1
        return alone
    got, wanted = (
        (done.returncode, TIMES.sub(b"", text(done.stdout)), text(done.stderr).replace(MORE_WAYS, b""))
        for done in (with_server, alone)
    )
    refusal = REFUSED.match(got[2] or got[1]) if got[0] == 2 else None
    if refusal and wanted != got:
        counts["refused"] += 1
        counts["left out"] += address in ignoring and b": the collection served leaves" in refusal[2]
        reasons[re.sub(rb"'.*'|/\S*", b"...", refusal[2])] += 1
    elif wanted == got:
        counts["served"] += 1
        counts["selected"] += got[0] == 0
    else:
        failures.append(command)
        print("%r in %s differ" % (command[1:], more.get("cwd")))
        for name, one, other in zip(("status", "output", "messages"), wanted, got):
            if one != other:
                print("  %s: %s" % (name, cases.differences(one, other) if name != "status" else (one, other)))
    return alone


def in_terminal(command, tree):
    """Returns what the command writes to a terminal, and the exit status."""
    ours, theirs = terminal()
    given = {"stdin": subprocess.DEVNULL, "env": cases.environment("C.UTF-8", TERM="xterm")}
    process = subprocess.Popen(command, cwd=tree, stdout=theirs, stderr=theirs, **given)
    os.close(theirs)
    written = b""
    with contextlib.suppress(OSError):  # an OSError is the end of the output
        while True:
            written += os.read(ours, 65536)
    os.close(ours)
    return process.wait(timeout=WAIT_S), written


def to_own_file(command, tree):
    """Runs the command with a file of the tree as its output. Returns exit status, output and messages."""
    path = os.path.join(tree, "out")
    with open(path, "wb") as out:
        out.write(b"foo\n")
        out.flush()
        done = run_alone(
            command, cwd=tree, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, env=cases.environment()
        )
    return done.returncode, open(path, "rb").read(), done.stderr


def start(name, options, root):
    given = {"stdin": subprocess.DEVNULL, "env": cases.environment("C.UTF-8", HOME=HOME)}
    return servers.Server([SERVE], "--listen=unix:" + os.path.join(folder, name), *options, root, **given)


@pytest.fixture(scope="module")
def places(module_folder):
    """Starts the servers of a folder, in which the tests make their trees: the second keeps only some of the files in
    memory, the third obeys ignore files."""
    global folder, HOME
    respect_modes()
    cases.ripgrep()  # before programs other than trawl stop running
    folder = FRONT[1] if FRONT else module_folder
    HOME = os.path.join(folder, "home")
    if not FRONT:
        os.mkdir(os.path.join(folder, "served"))
        os.symlink("/nowhere", HOME)
    tempfile.tempdir = os.path.join(folder, "served")
    os.symlink(TRAWL, os.path.join(module_folder, "tg"))
    rows = {"socket": ["--search-zip"], "few": ["--host-memory=8192"], "rules": ["--search-zip", "--ignore"]}
    running = [start(name, options, tempfile.tempdir) for name, options in rows.items() if not FRONT]
    addresses[:] = FRONT[:1] if FRONT else [server.address for server in running[:2]]
    ignoring[:] = [server.address for server in running[2:]]
    yield module_folder
    for server in running:
        assert server.process.poll() is None, "the server ended: %s" % server.messages
        server.process.terminate()
        server.process.wait(timeout=WAIT_S)
    tempfile.tempdir = None
    print("; ".join("%s: %d" % row for row in sorted(counts.items())))
    for reason, count in reasons.most_common():
        print("  %d refused: %s" % (count, reason.decode(errors="replace")))
    assert counts["served"] * 2 > counts["refused"] and counts["selected"] * 5 > counts["served"]


@pytest.fixture(autouse=True)
def compared(places, monkeypatch):
    """Each command line that a test runs is compared."""
    global answers
    failures.clear()
    monkeypatch.setattr(subprocess, "run", run_both)
    yield
    answers = None
    assert failures == []


def test_surroundings(places):
    """Tests outputs of different kinds: the client tells the server whether its output is a terminal or a file. (The
    modules of tests/grep use only pipes.)"""
    tree = os.path.join(tempfile.tempdir, "surroundings")
    os.makedirs(os.path.join(tree, "sub"))
    for name, content in (
        ("a.c", b"foo\nbar foo\33[31m\n\n"),
        ("sub/b.h", b"a foo foo\nx\ny\nfoo"),
        ("nul", b"foo\0foo\n"),
    ):
        write(os.path.join(tree, name), content)
    tg = os.path.join(places, "tg")
    for command in ([tg, "foo", "."], [tg, "foo", "a.c"], [tg, "-l", "foo", "."], [tg, "--json", "nothing", "."],
                    [tg, "-F", "a.*b", "."], [tg, "--no-heading", "-c", "foo", "."],
                    [TRAWL, "--color=auto", "-rn", "foo"], [TRAWL, "a.*b", "a.c"], [TRAWL, "foo", "\33[1m"],
                    [TRAWL, "--color", "-o", "foo", "nul", "a.c"], [TRAWL, "-r", "foo", "."],
                    [TRAWL, "-rc", "foo", "."], [TRAWL, "-rl", "foo", "."], [TRAWL, "-rl", "absent", "."],
                    [TRAWL, "-r", "absent"], [TRAWL, "foo", "a.c", "out"], [TRAWL, "-m1", "foo", "out"]):  # fmt: skip
        address = (addresses if command[0] == TRAWL or command[2:] == ["a.c"] else ignoring or [""])[0]
        with_server = command[:1] + ["--server=" + address] + command[1:]
        for way in (in_terminal, to_own_file) if address else ():  # a front ignores ignore files
            wanted, got = way(alone_of(command), tree), way(with_server, tree)
            counts["surroundings"] += 1
            if TIMES.sub(b"", wanted[1]) != TIMES.sub(b"", got[1]) or wanted[::2] != got[::2]:
                failures.append((way.__name__, command, got, wanted))


def test_large(places):
    """Tests files with more output than a thread keeps until its turn to print. The modules of tests/grep have smaller
    files."""
    tree = os.path.join(tempfile.tempdir, "large")
    os.mkdir(tree)
    for number in range(60):
        write(os.path.join(tree, "f%03d" % number), b"foo bar\n" * (number * 1100))
    for options in (["-rC1", ""], ["-rz", "foo"]):
        cases.execute([TRAWL, *options], tree)


def test_passes(places):
    """Tests trees in which most files do not contain the string, so that a pass finds those that do. Each option, alone and
    with another one, decides what the answer says about files without the string. (The modules of tests/grep have small
    trees.)"""
    global answers
    tree = os.path.join(tempfile.tempdir, "passes")
    os.makedirs(os.path.join(tree, "sub"))
    words = [b"foo bar\n", b"x\n\n", b"needle\n", b"a needle in\r\nfoo\n", b"Needle foo", b"n\0foo\n"]
    words += [b"foo\0needle\0x", b"", b"needle"]
    for number in range(160):
        with open(os.path.join(tree, "sub" if number % 3 else "", "f%d.%s" % (number, "ch"[number % 2])), "wb") as file:
            # the string stays rare, and occurs in files that the second server does not have in memory
            kind = number % 40
            file.write(words[kind] if kind < len(words) else words[number % 2] * 40)
    with gzip.open(os.path.join(tree, "zip.gz"), "wb") as file:
        file.write(b"a needle\n")
    write(os.path.join(tree, "wide"), "a needle\n".encode("utf-16"))
    write(os.path.join(tree, ".ignore"), b"*.h\n")
    answers, draw = {}, cases.random_of("passes", 0)
    every = (
        "-c -n -l -L -v -o -x -w -i -z -xz -zx -s -a -I -h -q -m1 -C1 -cH -lZ --json --count-matches --search-zip --sort=path "
        "--encoding=auto --ignore --debug --passthru --include=*.c -g*.h --count-by-pattern --positions --files --max-depth=1 "
        "--max-filesize=20 --include-zero --hex --edits=1 -g*.none"
    ).split()
    for option in every:
        for command in ([TRAWL, "-r"], [os.path.join(places, "tg"), "-F"]):
            for number, word in enumerate(("needle", "absent")):
                options = [option] if number == (command[0] == TRAWL) else draw.sample([option, draw.choice(every)], 2)
                word = word if "--hex" not in options else ("6e656564", "00")[number]
                for _ in addresses:
                    cases.execute([*command, *options, word], tree, "C.UTF-8")
    answers = None


RULES = [(place, name) for place in ("", "d") for name in (".ignore", ".rgignore", ".gitignore")]


def change(draw, tree, names):
    """Change a file, a folder or an ignore file."""
    path, other = (os.path.join(tree, draw.choice(names)) for _ in range(2))
    text = draw.choice([b"foo\n", b"bar\n", b"foo foo\nx\n", b"f\0foo", b"", b"x\n" * 9, b"foo"])
    kinds = "over over same append append append truncate truncate folder remove move link rules rules rules"
    kind = draw.choice(kinds.split())
    if kind in ("over", "folder", "remove") and os.path.isdir(path):
        shutil.rmtree(path)
    if kind == "folder":
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)
        os.makedirs(path)
    elif kind == "over":
        times = os.stat(path).st_mtime_ns if os.path.exists(path) else 0
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(os.path.join(folder, "new"), "wb") as file:
            file.write(text)
        os.utime(file.name, ns=(times, times))  # so that a file of the same size has the same times, too
        os.replace(file.name, path)
    elif kind == "same":
        status = os.stat(path)
        with open(path, "r+b") as file:
            file.write(bytes(draw.choices(b"fo\n", k=status.st_size)))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    elif kind == "append":
        with open(path, "ab") as file:
            file.write(text)
    elif kind == "truncate":
        os.truncate(path, draw.randrange(2, 9))
    elif kind == "remove":
        os.remove(path)
    elif kind == "move":
        os.replace(path, other)
    elif kind == "link":
        os.link(path, other)
    else:
        write(os.path.join(tree, *draw.choice(RULES)), draw.choice((b"a\n", b"b\ne\n", b"")))


def test_changes(places):
    """Tests the same command lines repeatedly while files change, so that a cached view or a held file may be out of
    date. The trees of tests/grep do not change between two command lines."""
    global answers
    draw, tree = cases.random_of("changes", 0), os.path.join(tempfile.tempdir, "changes")
    os.makedirs(os.path.join(tree, "d", "e"))
    os.mkdir(os.path.join(tree, "g"))
    for place, name in RULES:
        write(os.path.join(tree, place, name), "")
    deep = os.open(tree, os.O_RDONLY)
    for _ in range(17):  # a path of more than 4096 bytes
        os.mkdir("n" * 250, dir_fd=deep)
        above, deep = deep, os.open("n" * 250, os.O_RDONLY, dir_fd=deep)
        os.close(above)
    names = ("a", "a", "b", "d/a", "d/a", "d/e/b", "d", "d/e", "f")
    # Several options and operands decide which files are searched (the view). Each command differs from its neighbour in
    # one of them.
    commands = [["-rc", "--ignore"], ["-r", "--ignore", "-g!A"], ["-r", "--ignore", "--iglob=!A"], ["-rL", "--ignore"],
                ["--files", "-r", "--ignore"], ["-rlZ", "--max-filesize=4"], ["-rc", "--max-filesize=8"],
                ["-d", "skip"], ["-d", "read"], ["-r", "--include=a"], ["-r", "--exclude=a"], ["-r", "--exclude-dir=e"],
                ["-r", "--max-depth=1"], ["-r", "--max-depth=2"]]  # fmt: skip
    commands = [one for one in commands if not FRONT or "--ignore" not in one]  # a front ignores ignore files
    operands = [it.split() for it in (".", "d a d", "a/ a", "a/. d/.", "./d//e b ./d//e", "g g nothing f")]
    refused = counts["refused"] - counts["left out"]
    for number in range(cases.amount(600)):
        if number % 6 == 0:  # few command lines, so that their views are still kept
            lines = [
                *([*commands[(number // 6 + i) % len(commands)], "foo", "."] for i in range(2)),
                [*draw.choice(commands), "foo", *operands[number // 6 % 6]],
            ]
            with open(
                os.open("deep%d" % draw.randrange(2), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600, dir_fd=deep), "wb"
            ) as file:
                file.write(b"foo\n")
            for name in ("a", "b", "d/a", "d/e/b"):
                with contextlib.suppress(OSError):
                    os.makedirs(os.path.dirname(os.path.join(tree, name)), exist_ok=True)
                    write(os.path.join(tree, name), b"foo")
        for _ in range(draw.choice((1, 1, 2))):
            with contextlib.suppress(OSError):
                change(draw, tree, names)
        answers = {}
        for line in lines:
            for _ in addresses:
                cases.execute([TRAWL, *line], tree)
        answers = None
    os.close(deep)
    if counts["refused"] - counts["left out"] != refused:  # the servers have no other reason to reject
        failures.append("changes: %s" % reasons)


ABOUT_FILES = (
    "--ignore --ignore --hidden --no-hidden --no-ignore-vcs --no-ignore-dot --no-ignore-parent --no-ignore-exclude --no-require-git "
    "-g*.c -g!*.h -gsub/** -g!sub -g/a.c -g!/sub/deep --iglob=*.C -tc -tmake --type-not=h --type-add=o:*.o -to --max-depth=1 --max-depth=2 "
    "--max-filesize=4 --max-filesize=9 --exclude=*.h --include=*.[co] --exclude-dir=deep --exclude-dir=.git --one-file-system"
).split()


@pytest.mark.skipif(bool(FRONT), reason="a front heeds no ignore files")
def test_rules(places):
    """Tests servers with random options about files, on trees whose files of rules change. Requests come from several
    folders, with the server's options or others. An answer must be that of the command, or a rejection."""
    draw, tree = cases.random_of("rules", 0), os.path.join(tempfile.tempdir, "rules")
    plain, tg, before = addresses[:] + ignoring, os.path.join(places, "tg"), collections.Counter(counts)
    places = ("", "sub", "sub/deep", "sub/empty", ".dot", "out", ".git", ".git/info")
    names = ("a.c", "b.h", "x.o", ".h.c", "Makefile", "long.c")
    globs = ("*.o", "*.h", "/a.c", "!a.c", "deep/", "out", "sub/*.c", "!*.h", ".h*", "!.h.c", "!.dot/")
    lists = ".ignore .rgignore .gitignore sub/.ignore sub/.gitignore .git/info/exclude sub/deep/.ignore".split()
    ignoring.clear()
    for number in range(cases.amount(20)):
        shutil.rmtree(tree, ignore_errors=True)
        for place in draw.sample(places, 6):
            os.makedirs(os.path.join(tree, place), exist_ok=True)
        os.mknod(os.path.join(tree, "socket"), stat.S_IFSOCK | 0o600)
        os.mkfifo(os.path.join(tree, "pipe"))
        own = draw.sample(ABOUT_FILES, draw.choice((0, 1, 1, 2, 3)))
        with start("rules%d" % number, own, tree) as server:
            addresses[:] = [server.address]
            for _ in range(6):
                for _ in range(draw.randint(1, 12)):
                    path = os.path.join(tree, draw.choice(places), draw.choice(names))
                    if draw.random() < 0.2:
                        path = os.path.join(tree, draw.choice(lists))
                    with contextlib.suppress(OSError):
                        if draw.random() < 0.15:
                            (shutil.rmtree if draw.random() < 0.2 and not path.endswith("rules/") else os.remove)(path)
                        elif draw.random() < 0.1:
                            place = draw.choice(places[1:])
                            # clients' folders, and those in them, never get 0444
                            modes = (0, 0o755, 0o444)[: 2 if place in ("sub", "sub/deep") else 3]
                            os.chmod(os.path.join(tree, place), draw.choice(modes))
                        elif draw.random() < 0.1:
                            os.replace(path, os.path.join(tree, draw.choice(places), draw.choice(names)))
                        else:
                            os.makedirs(os.path.dirname(path), exist_ok=True)
                            rules = "\n".join(draw.sample(globs, 2)) + "\n"
                            is_list = path.endswith(("ignore", "exclude"))
                            write(path, rules if is_list else "foo\n" * draw.randint(0, 3))
                for _ in range(4):
                    options = own * (draw.random() < 0.7) + draw.sample(ABOUT_FILES, draw.choice((0, 0, 1, 2)))
                    options += [draw.choice(("-c", "-l", "-L", "--files", "--sortr=path", "-h", "-dskip", "-q"))] * (
                        draw.random() < 0.5
                    )
                    cwd = os.path.join(tree, draw.choice(("", "", "sub")))
                    operands = ". sub ./sub/ sub//deep a.c sub/b.h .git out/x.o nothing .dot socket sub/deep/.".split()
                    operands = draw.choices([*operands, tree, tree + "/sub/"], k=draw.choice((0, 0, 1, 2, 3)))
                    heeds = ("--ignore" in own) != (draw.random() < 0.1)
                    heeding, others = (
                        ([tg], [TRAWL, "-r", "--ignore"]),
                        ([TRAWL, "-r"], [TRAWL, "-r"], [tg, "-u"], [TRAWL]),
                    )
                    command = draw.choice(heeding if heeds else others)
                    command = [*command, *options, *["foo"] * ("--files" not in options), *operands]
                    command += ["-Dskip", "pipe"] * (draw.random() < 0.1)
                    if os.path.isdir(cwd) and (operands or command[0] == tg or "-r" in command or "--files" in options):
                        cases.execute(command, cwd, "C.UTF-8")
    addresses[:], ignoring[:] = plain[:2], plain[2:]
    served, refused = (counts[name] - before[name] for name in ("served", "refused"))
    if served < refused and served + refused >= cases.TELLING:
        failures.append("rules: too few are served: %s, %s" % (counts - before, reasons))


def test_expressions(places):
    """Tests the command lines of tests/regex: expressions, invalid expressions, and counts."""
    import test_expressions as differential

    tree = os.path.join(tempfile.tempdir, "expressions")
    os.mkdir(tree)
    tg, name = os.path.join(places, "tg"), os.path.join(tree, "text")
    draw = cases.random_of("expressions", 0)
    fixed = (
        ["-E", "x+", "text"],
        ["-P", "a(b", "text"],
        ["-E", "x{99999}", "text"],  # with -P, only the command without a server asks PCRE2
        ["-zoP", r"a\s*b", "text"],
        ["-rclP", "z*"],
    )
    for number in range(cases.amount(120)):
        samples = []
        made = (differential.rg_case if number % 2 else differential.grep_case)(
            draw, "text", False, number % 3 == 0, samples
        )[1]
        if number % 20 == 0:
            write(name, b"x\n" + differential.text(draw, True, False, number % 40 == 0, False, samples))
        options = fixed[number] if number < len(fixed) else made[1:]
        cases.execute([TRAWL if made[0] == "trawl" else tg, *options], tree)


@pytest.mark.parametrize("name", MODULES)
def test_module(name, places, request):
    """Runs a part of a module's cases and, in a long run, its other tests."""
    module = importlib.import_module("test_" + name)
    module.ONLY_MADE = True
    if name == "compressed":
        module.FORMATS_HERE[:] = module.formats_here(TRAWL)
    tree = os.path.join(tempfile.tempdir, "tree")
    os.mkdir(tree)
    request.addfinalizer(lambda: run_alone("chmod -R u+rwX %s && rm -rf %s" % (tree, tree), shell=True, check=True))
    features = cases.features_of(module)
    pairs = cases.Pairs(name, features and (lambda rng: features(rng, TRAWL, tree)))
    count = cases.amount(1 if FRONT else MODULES[name])
    tests = [lambda number=number: module.test_case(pairs.choose(number), TRAWL, tree) for number in range(count)]
    if cases.amount(cases.TELLING) >= cases.TELLING:
        others = [
            test
            for test in vars(module).values()
            if inspect.isfunction(test) and [*inspect.signature(test).parameters] == ["trawl", "folder"]
        ]
        # A server knows that a held file is binary before it prints the lines before the NUL, however many.
        left_out = ("test_much_before_null",)
        tests += [
            lambda test=test: test(TRAWL, tree)
            for test in others
            if test.__name__.startswith("test_") and test.__name__ not in left_out
        ]
    for test in tests:
        with contextlib.suppress(AssertionError, pytest.fail.Exception):  # grep and ripgrep have found nothing
            test()
