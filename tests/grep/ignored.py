"""ignored: makes random trees with ignore files, for the tests that compare which files are searched.

Names come from a short list, so that globs often match; every file contains a few of some words.
"""

import os

NAMES = ["a", "b", "ab", "foo", "bar", "build", "a.c", "b.c", "a.o", "x.tar.gz", "Makefile", "A.C", "README.md",
         "foo.py", "a b", ".hid", ".x.c", "lib.so.1", "#x", "!y", "[z]", "a-b", "q~", "Foo", "é.c", "deep.h"]  # fmt: skip
FOLDERS = ["a", "b", "build", "src", "lib", ".hid", "foo", "deep", "x.c", "ab"]
WORDS = ["foo", "bar", "the", "Foo", "x", ""]


def piece(rng, braces):
    """Return a glob for a single name."""
    kind = rng.randrange(14 if braces else 12)
    name = rng.choice(NAMES + FOLDERS)
    if kind < 4:
        return name.replace("[", "\\[").replace("#", "\\#").replace("!", "\\!")
    if kind == 4:
        return "*" + name[rng.randrange(len(name)) :].replace("[", "\\[")
    if kind == 5:
        return name[: rng.randrange(1, len(name) + 1)].replace("[", "\\[").replace("#", "\\#").replace("!", "\\!") + "*"
    if kind == 6:
        return rng.choice(["*.c", "*.o", "*.py", "*.[co]", "*.[!c]", "*.h", ".*", "*.*", "*", "?", "??", "*~"])
    if kind == 7:
        return rng.choice(["[ab]", "[!ab]*", "[a-f]*", "[^x]", "[]x]", "[a-]*", "*[.]c", "[A-Z]*"])
    if kind == 8:
        return "?" * rng.randrange(1, 4) + rng.choice(["", "*", ".c"])
    if kind == 9:
        return "".join(rng.choice("ab*?.cof") for _ in range(rng.randrange(1, 6)))
    if kind == 10:
        return rng.choice(["\\a", "a\\*", "\\*", "a\\.c", "a\\ b"])
    if kind == 11:
        return rng.choice(["*a*b*", "*o*o*", "*.*.*", "f?o*", "*a", "a*c"])
    if kind == 12:
        return rng.choice(["*.{c,o}", "{a,b}", "{foo,bar}*", "*.{py,[ch]}", "a{,b}", "{*.c,build}", "{a,b}{.c,.o,}"])
    return rng.choice(["{a,src}/*.c", "{a/b,foo}", "**/{a,b}", "{**/a,b/*}/*.c"]) if rng.random() < 0.5 else "{a,b,ab}"


def glob(rng, braces=False):
    """Return a random glob with slashes, as .gitignore may have."""
    parts = [piece(rng, braces) for _ in range(rng.choice([1, 1, 1, 1, 2, 2, 3]))]
    for i in range(len(parts)):
        if len(parts) > 1 and rng.random() < 0.25:
            parts[i] = "**"
    text = "/".join(parts)
    while "**/**" in text:
        text = text.replace("**/**", "**")
    if rng.random() < 0.2:
        text = "/" + text
    if rng.random() < 0.12:
        text = "**/" + text if not text.startswith(("**", "/")) else text
    if rng.random() < 0.08 and not text.endswith("**"):
        text += "/**"
    elif rng.random() < 0.2 and not text.endswith("**"):
        text += "/"
    return text


def cut(rng, path):
    """Return a path as a glob; in half of the cases with a wildcard in place of some bytes."""
    begin = rng.randrange(len(path) + 1)
    end = rng.choice([begin, len(path), begin + rng.randrange(4)])
    parts = [path[:begin], path[end:]] if rng.random() < 0.5 else [path]
    parts = [part.replace("[", "\\[").replace("!", "\\!").replace("#", "\\#") for part in parts]
    return rng.choice(["*", "*", "?", "**", "*?", "[-.a-z]", "?*"]).join(parts)


def rules(rng, braces=False, folder="", tree=()):
    """Return the text of an ignore file. If `tree` is given, some rules name paths of the tree."""
    lines = []
    for _ in range(rng.choice([0, 1, 1, 2, 3, 5, 9])):
        text = glob(rng, braces)
        if tree and rng.random() < 0.35:
            text = rng.choice(tree).replace("[", "\\[")
            if rng.random() < 0.5:
                text = text[text.rfind("/") + 1 :]
            text = text.replace("#", "\\#").replace("!", "\\!") if text[:1] in "#!" else text
        if lines and rng.random() < 0.2:  # the same glob again; one of the two rules is only for directories
            text = lines[-1].strip().lstrip("!")
            text = text[:-1] if text.endswith("/") else text + "/"
        if rng.random() < 0.08:
            text = text.swapcase()
        if text and rng.random() < 0.25:
            text = "!" + text
        if rng.random() < 0.05:
            text += "  "
        lines.append(text)
    if rng.random() < 0.15:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(["# a comment", "", "   "]))
    end = "\r\n" if rng.random() < 0.05 else "\n"
    return end.join(lines) + (end if rng.random() < 0.9 else "")


def put(top, name, text):
    path = os.path.join(top, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


def lines(rng):
    """Return a small text, sometimes binary or not UTF-8."""
    return rng.choice([""] * 12 + ["foo\0", "\0", "\udce9 foo\n", "x\udcff\n"]) + "".join(
        " ".join(rng.choice(WORDS) for _ in range(rng.randrange(4))) + "\n" for _ in range(rng.randrange(1, 6))
    )


def make_files(rng, top):
    """Make files and folders below `top`. Return the folders, '' first, and the files."""
    folders, files = [""], []
    for _ in range(rng.randrange(2, 9)):
        parent = rng.choice(folders)
        if parent.count("/") < 4:
            name = parent + rng.choice(FOLDERS)
            if name not in files and name + "/" not in folders:
                folders.append(name + "/")
    for _ in range(rng.randrange(5, 40)):
        name = rng.choice(folders) + rng.choice(NAMES)
        if name not in files and name + "/" not in folders:
            files.append(name)
    for name in files:
        put(top, name, lines(rng))
    for name in folders:
        os.makedirs(os.path.join(top, name), exist_ok=True)
    return folders, files
