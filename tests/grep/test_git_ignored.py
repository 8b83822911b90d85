"""Compares which files of random trees trawl and git skip because of .gitignore.

Each tree is a repository with random .gitignore files, .git/info/exclude and core.excludesFile. `trawl --files --ignore`
must list the files that `git ls-files --others --exclude-standard` lists, and for each other path `git check-ignore` must
name a rule. A tree is a case. TRAWL_TEST_SEED (default 1) chooses the cases, TRAWL_TEST_SCALE sets their number
(default 1: 320).
"""

import os
import shutil
import subprocess

import cases
import ignored
import pytest
from harness import NOT_JUDGED

CASES = 320

# Where the user's settings are, below the folder of the tree; "" is an empty variable, None an unset one.
PLACES = [{"HOME": home, "XDG_CONFIG_HOME": config} for home in ("home", "", None) for config in ("home/xdg", "", None)]
variables = dict(PLACES[2])
# Where git's settings are, in addition to these places: a file in place of the user's, or the system's.
SETTINGS_FILES = [
    {},
    {},
    {"GIT_CONFIG_GLOBAL": "home/given"},
    {"GIT_CONFIG_GLOBAL": ""},
    {"GIT_CONFIG_NOSYSTEM": "", "GIT_CONFIG_SYSTEM": "home/given"},
]


def environment(home):
    folders = {name: value and os.path.join(os.path.dirname(home), value) for name, value in variables.items()}
    return {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        **{name: value for name, value in folders.items() if value is not None},
    }


def git(top, home, *arguments, **more):
    return subprocess.run(["git"] + list(arguments), cwd=top, env=environment(home), capture_output=True, **more)


# Rules at the limits of .gitignore's syntax.
ODD_RULES = ["/", "//", "!", "!/", "**", "**/", "/**", "***", "a**", "**a", "[", "[a", "[[:alpha:]]", "[[:digit:]x]*",
             "a[", "\\", "a\\", "{a,b}", "*.{c,o}", "[a\\]b]", "[\\a]", "[!\\]]", "a ", "a\\ ", "\\ ", "#", "\\#x",
             "\\!y", "!\\!y", "/a/", "a//b", "b/", "*/", "/*", "!/*", "[b-a]", "[a-]", "[]a]", "?", "a/*", "a/**",
             "**/a", "a/**/b", "foo*/**", "*a/b", "[[:foo:]]", "\ta", "a\t", "a\r", "a \\ ", "x/../a", "./a", "b/**/b",
             "**/b/a*c", "**/a*b/c", "**b", "a*/*/c", "/b/*/", "[^a]", "[!a-", "[a-c-e]", "[--z]", "[[:upper:]]*",
             "[[:space:]]", "[[:punct:]]", "é", "[é]", "?.c", "*.c/", "b/*/a.c", "*[0-9]", "A.C", "\\\\", "*\\",
             "a[/]b", "b?a", "/x[!z]a", "/x[.-0]a", "/x?a", "c/*/", "/e/b/", "d/**/f/", "**/a.c/", "/c/a*/", "d/e/",
             "*.gz", "*.tar.gz", "*.so.1", "g?b/x", "g*b/x", "[!x]b/x", "g[!x]b/x"]  # fmt: skip
# Texts of several rules, of which the last rule that matches decides. Some skip all files except those that a single glob
# matches.
ODD_TEXTS = ["x\n!x", "x/\n!x", "x\n!x/", "!x\nx", "*\n!*/\n!/a*", "*\n!*/\n!*a", "*.c\n!*.c", "a.c\n!*.c", "*.c\n!a.*",
             "!*.c\na.c", "*\n!*/\n!?[!a]*"]  # fmt: skip
NAMES = ["a", "b", "ab", "-", "z", "]", "[", "\\", "a\\", "a ", "a\r", " ", "#", "#x", "!y", "\ta", "a\t", "{a,b}", "é",
         "a.c", "A.C", "x/a", "e/b/a", "ae/b", "axb/c", "e/axbxb/c", "c/a.c/x", "d/e/f/a.c", "ac/d/c", "k/b/ac",
         "k/b/axc/d", "foo1/x", "x.tar.gz", "x.gz", "lib.so.1", "gcb/x", "g/b/x", "gb/x"]  # fmt: skip
# Texts of ~/.gitconfig, which name the file ~/mine in many ways, or do not name it.
SETTINGS = ["[core]\nexcludesFile = ~/mine\n", "[core]\n\tEXCLUDESFILE=~/mine", "[core] excludesfile = ~/mine\n",
            "[core]\nexcludesfile = \"~/mine\"  \r\n", "[core]\n[other]\nexcludesfile = ~/mine\n",
            "[core]\nexcludesfile = ~/none\n[CORE]\n# x\nexcludesfile = ~/mine\n", "[user]\nname = x\n",
            "[core]\nexcludesfile = ~/mine\n[core \"x\"]\nexcludesfile = ~/none\n", "[core]\nexcludesfilex = ~/mine\n",
            "[core]\n;excludesfile = ~/mine\n",
            *["[core]\nexcludesfile = %s\n" % text for text in ("~/mine # x", "~/mine;x", "\"~/mine\" ; \"x", "\"~/mi\"ne", "~/mi\\\\ne", "\"~/mi\\\\ne\"x", "# ~/mine", "~/mine \\\"")],
            "[core]\nexcludesfile =\n", "[core]\nexcludesfile = \"\"\n",
            "[core]\nexcludesfile = ~/mine\nexcludesfile=\n"]  # fmt: skip


def make_tree(rng, top, home):
    for folder in (top, home):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    folders, files = ignored.make_files(rng, top)
    variables.clear()
    variables.update({**(PLACES[2] if rng.random() < 0.5 else rng.choice(PLACES)), **rng.choice(SETTINGS_FILES)})
    git(top, home, "init", "-q")
    for folder in folders:
        if rng.random() < (0.7 if folder == "" else 0.25):
            text = ignored.rules(rng, rng.random() < 0.2, folder, files)
            for _ in range(rng.randrange(4)):
                text = rng.choice(ODD_RULES) + "\n" + text
            ignored.put(top, folder + ".gitignore", ("\ufeff" if rng.random() < 0.03 else "") + text)
    if rng.random() < 0.4:
        os.makedirs(os.path.join(top, ".git/info"), exist_ok=True)
        ignored.put(top, ".git/info/exclude", ignored.rules(rng, False, "", files))
    if rng.random() < 0.3:
        ignored.put(home, ".config/git/ignore", ignored.rules(rng, False, "", files))
    elif rng.random() < 0.3:
        ignored.put(home, ".gitconfig", '[core]\n\texcludesFile = "~/mine"\n[user]\n\tname = x\n')
        ignored.put(home, "mine", ignored.rules(rng, False, "", files))
    if rng.random() < 0.5:
        ignored.put(home, "given", "[core]\n\texcludesFile = %s/theirs\n" % home)
        ignored.put(home, "theirs", ignored.rules(rng, False, "", files))
    if rng.random() < 0.5:
        ignored.put(home, "xdg/git/ignore", ignored.rules(rng, False, "", files))
    return folders, files


def paths_of(text):
    return set(name for name in text.split(b"\0") if name)


@pytest.fixture(autouse=True, scope="module")
def is_git_there():
    if not shutil.which("git"):
        pytest.skip(NOT_JUDGED + "git")


def test_case(rng, trawl, folder):
    """Return None, or what is wrong."""
    top, home = os.path.join(folder, "tree"), os.path.join(folder, "home")
    folders, _ = make_tree(rng, top, home)
    listed = git(top, home, "ls-files", "-z", "--others", "--exclude-standard")
    if listed.returncode != 0:
        pytest.fail("git: %r" % listed.stderr)
    inside = rng.choice(folders) if rng.random() < 0.3 else ""
    if inside and git(top, home, "check-ignore", "-q", "--no-index", inside[:-1]).returncode == 0:
        inside = ""  # trawl searches an ignored directory that the command line names
    expected = set(name[len(inside) :] for name in map(os.fsdecode, paths_of(listed.stdout)) if name.startswith(inside))
    own = [trawl, "--files", "-Z", "--ignore", "--hidden", "--no-ignore-dot", "-g", "!.git"]
    place, operand = os.path.join(top, inside), ""
    if inside and rng.random() < 0.6:  # name the folder from a different working directory
        place = os.path.join(top, rng.choice(folders))
        operand = rng.choice([os.path.join(top, inside), os.path.relpath(os.path.join(top, inside), place) + "/"])
        own += ["--", operand]
    got = subprocess.run(own, cwd=place, env=environment(home), capture_output=True)
    taken = set(os.fsdecode(name)[len(operand) :] for name in paths_of(got.stdout))
    everything = set()
    for place, _, names in os.walk(os.path.join(top, inside)):
        if "/.git" not in place:
            everything.update(os.path.relpath(os.path.join(place, name), os.path.join(top, inside)) for name in names)
    if taken != expected:
        wrong = sorted(taken ^ expected)[0]
        why = git(os.path.join(top, inside), home, "check-ignore", "-v", "--no-index", "-n", wrong).stdout
        lists = sorted(expected - taken)[:6], sorted(taken - expected)[:6], wrong, why, got.stderr[:200]
        said = "in %s, HOME=%s, %r: only git takes %r, only trawl %r; of %r git says %r; %r"
        pytest.fail(said % (os.path.join(top, inside), home, variables, *lists))
    left = "\0".join(sorted(everything - taken)).encode()
    named = git(os.path.join(top, inside), home, "check-ignore", "-z", "--stdin", "--no-index", input=left)
    if left and paths_of(named.stdout) != set(map(os.fsencode, everything - taken)):
        pytest.fail(
            "in %s: git check-ignore does not name %r"
            % (top, sorted(everything - taken - set(map(os.fsdecode, paths_of(named.stdout))))[:6])
        )
    cases.counts["paths"] += len(everything)


def test_every_rule(trawl, folder):
    """Compare odd rules, each in its own directory, on the same names, with several ends of the rule's file. Then, in
    repositories inside another, compare the forms in which git's settings name a file of rules, and each of PLACES, in
    which HOME and XDG_CONFIG_HOME are set, empty or not set. Last, compare a linked worktree, and a directory whose
    repository is outside of it."""
    variables.clear()
    variables.update(PLACES[2])
    top, home = os.path.join(folder, "rules"), os.path.join(folder, "home")
    shutil.rmtree(home)
    os.makedirs(home)
    git(folder, home, "init", "-q", top)
    for number, rule in enumerate(ODD_RULES + ODD_TEXTS):
        end = ["\n", "", "\r\n", "\r", "  \n"][number % 5]
        for name in NAMES:
            ignored.put(top, "%d/%s" % (number, name), "")
        ignored.put(top, "%d/.gitignore" % number, rule + end + ("!ab\n" if end.endswith("\n") else ""))
    check(trawl, top, home)
    git(top, home, "init", "-q", "inner/most")
    for name in ("x", "inner/x", "inner/most/x", "inner/most/sub/x", "inner/most/sub/y"):
        ignored.put(top, name, "")
    ignored.put(top, ".git/info/exclude", "x\n")  # has no effect in the inner repositories
    ignored.put(home, "mine", "/x\ninner/x\nsub/y\n")
    ignored.put(home, ".config/git/ignore", "y\n")
    for text in SETTINGS:
        ignored.put(home, ".gitconfig", text)
        for place in ("inner", "inner/most"):
            check(trawl, os.path.join(top, place), home)
    os.remove(os.path.join(home, ".gitconfig"))
    ignored.put(home, "xdg/git/ignore", "/inner/most/x\n")
    for text in ("[core]\nexcludesfile=\n", "[user]\nname = x\n"):
        ignored.put(home, "xdg/git/config", text)
        for row in PLACES:
            variables.update(row)
            check(trawl, os.path.join(top, "inner"), home)
    variables.update(PLACES[2])
    git(top, home, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "x")
    git(top, home, "worktree", "add", "-q", "linked")
    git(top, home, "init", "-q", "--separate-git-dir", "apart.git", "apart")
    for place, rules in (("linked", ".git/info/exclude"), ("apart", "apart.git/info/exclude")):  # .git is a file there
        ignored.put(top, rules, "/x\n")
        for name in ("x", "y", "sub/x"):
            ignored.put(top, place + "/" + name, "")
        check(trawl, os.path.join(top, place), home)


def check(trawl, place, home):
    """Check that git and trawl list the same files below a folder. "most" may be a repository inside the folder's
    repository, so git is asked separately for it."""
    expected, settings = set(), ""
    for folder in ("", "most/"):
        if not folder or os.path.isdir(os.path.join(place, folder)):
            listed = git(os.path.join(place, folder), home, "ls-files", "-z", "--others", "--exclude-standard").stdout
            expected |= set(folder.encode() + name for name in paths_of(listed) if not name.endswith(b"/"))
    got = subprocess.run(
        [trawl, "--files", "-Z", "--ignore", "--hidden", "--no-ignore-dot", "-g", "!.git"],
        cwd=place,
        env=environment(home),
        stdout=subprocess.PIPE,
    )
    differing = sorted(paths_of(got.stdout) ^ expected)
    if os.path.exists(os.path.join(home, ".gitconfig")):
        settings = open(os.path.join(home, ".gitconfig")).read()
    rules = [(ODD_RULES + ODD_TEXTS)[int(name.split(b"/")[0])] for name in differing if name[:1].isdigit()]
    assert not differing, "in %s, %r, with the settings %r: git and trawl differ in %r; rules %r" % (
        place,
        variables,
        settings,
        differing[:9],
        sorted(set(rules)),
    )
