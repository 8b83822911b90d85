"""checks: one function per rule. Each function yields (path, line, message) for each breach of its rule. If a rule
cannot be checked here, the function raises Skip, which says why."""

import bisect
import os
import re
import shutil
import subprocess

import c_source
from tree import C_SUFFIXES, Skip

FILE_LINES_MAX = 800
FUNCTION_LINES_MAX = 70
LINE_CHARACTERS_MAX = 100
CLANG_FORMAT_MAJOR = "14"
PAGES_WORDS_MAX = 36000
# Names of the system that comments mention, but no code.
FOREIGN = ("available_idle_cpu", "fts_close", "fts_read", "gnutls_certificate_retrieve_function3", "pthread_cond_clockwait",
           "vcpu_is_preempted")  # fmt: skip
# Pages that do not count: those that are measured, or made from the code, and one with a limit of its own.
UNCOUNTED = ("docs/papers.md", "docs/papers/", "docs/python-reference.md", "CHANGELOG.md")


def modules_and_rights(path):
    """Read layers.txt; return ([(prefix, module)], {module: [modules that it may include]})."""
    modules, rights = [], {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words and words[0] == "module":
                modules.append((words[2], words[1]))
            elif words and words[0] == "may":
                rights[words[1]] = words[2:]
    modules.sort(key=lambda row: -len(row[0]))
    return modules, rights


def module_of(modules, path):
    for prefix, module in modules:
        if path == prefix or (prefix.endswith("/") and path.startswith(prefix)):
            return module
    return None


def resolve(tree, path, name):
    """Return the file of the project that an include names, or None."""
    folders = [os.path.dirname(path), "src", "include", "gallery", "tools", "tests", ""]
    for folder in folders:
        candidate = os.path.normpath(os.path.join(folder, name))
        if tree.has(candidate):
            return candidate
    return None


def layers(tree):
    """Check that every include follows layers.txt."""
    modules, rights = modules_and_rights(tree.layers_path)
    for path in tree.files(C_SUFFIXES):
        module = module_of(modules, path)
        if module is None:
            continue
        allowed = rights.get(module, [])
        for line, name, is_system in c_source.includes(tree.read(path)):
            target = resolve(tree, path, name)
            if target is None and not is_system:
                yield path, line, f'"{name}" is no file of the project'
            elif target is None:
                if f"!<{name}>" in allowed or not {"<>", f"<{name}>"} & set(allowed):
                    yield path, line, f"{module} may not include <{name}>"
            elif module_of(modules, target) not in allowed:
                where = module_of(modules, target) or "no module"
                yield path, line, f"{module} may not include {name} ({where})"


def lengths(tree):
    """Check that files, functions, macros and lines of C are short."""
    for path in tree.files(C_SUFFIXES):
        text = tree.read(path)
        lines = text.split("\n")
        count = len(lines) - (lines[-1] == "")
        if count > FILE_LINES_MAX:
            yield path, count, f"{count} lines, at most {FILE_LINES_MAX}"
        for number, line in enumerate(lines, 1):
            if len(line) > LINE_CHARACTERS_MAX:
                yield path, number, f"{len(line)} characters, at most {LINE_CHARACTERS_MAX}"
        for what, found in (("", c_source.functions(text)), ("macro ", c_source.macros(text))):
            for begin, end, name in found:
                count = end - begin + 1
                if count > FUNCTION_LINES_MAX:
                    yield path, begin, f"{what}{name}: {count} lines, at most {FUNCTION_LINES_MAX}"


def public(tree):
    """Check that every public function has a comment, and that a test names it."""
    tests = "\n".join(
        tree.read(test)
        for test in tree.files((".c", ".h", ".cc", ".cpp", ".py", ".sh"))
        if test.startswith(("tests/", "gallery/tests/")) and not test.startswith("tests/tidy/")
    )
    found = 0
    for path in tree.files((".h",)):
        if not path.startswith("include/"):
            continue
        text = tree.read(path)
        lines = text.split("\n")
        code = c_source.code_only(text).split("\n")
        for number, line in enumerate(code):
            if not re.match(r"\s*TRAWL_(API|CALL)\b", line):
                continue
            found += 1
            declaration = " ".join(code[number : number + 4])
            name = re.search(r"\b(trawl_\w+)\s*\(", declaration).group(1)
            if not is_documented(lines, code, number):
                yield path, number + 1, f"{name} has no comment"
            if not re.search(rf"\b{name}\b", tests):
                yield path, number + 1, f"{name} is named by no test"
    if found == 0:
        yield "include/trawl.h", 1, "declares no function"


def is_documented(lines, code, number):
    """Return whether a comment directly precedes the declaration, or the group of declarations that it is in."""
    while number > 0 and lines[number - 1].strip():
        number -= 1
        if lines[number].strip() and not code[number].strip():
            return True
    return False


def names(tree):
    """Check that each name in a comment of C, such as `scan_tile`, is in the code, or begins a name there. FOREIGN names
    are the system's."""
    comment = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
    known, comments = {*FOREIGN}, []
    for path in tree.files((*C_SUFFIXES, ".def", ".py", ".txt")):
        text = tree.read(path)
        known |= {os.path.splitext(os.path.basename(path))[0]}
        if not path.endswith((".py", ".txt")):
            comments += [(path, text.count("\n", 0, it.start()) + 1, it.group()) for it in comment.finditer(text)]
            text = comment.sub("", text)
        known.update(word.lower() for word in re.findall(r"\w*_\w*", text))
    known = sorted(known)
    for path, line, text in comments:
        for name in re.findall(r"(?<![\w./-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+", text):
            at = bisect.bisect_left(known, name)
            if at == len(known) or not known[at].startswith(name):
                yield path, line, f"{name} is no name in the code"


def words(tree):
    """Check that no file contains a word that words.txt forbids."""
    rules = []
    with open(tree.words_path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                word, scope, instead = line.split(None, 2)
                flags = re.IGNORECASE if word.islower() else 0
                pattern = re.compile(rf"\b{word}s?\b", flags)
                rules.append((pattern, word, scope, instead.strip()))
    for path in tree.files(None):
        if path.startswith("tests/tidy/") or not tree.is_text(path):
            continue
        in_library = path.startswith(("src/", "gallery/", "include/"))
        text = tree.read(path)
        if path.endswith(C_SUFFIXES):
            text = c_source.without_strings(text)
            text = re.sub(r'"[^"\n]*"', '""', text)  # a comment may quote such a word
        lowered = text.lower()
        some = [  # the rules whose letters occur in the file: plain letters are found ten times as fast
            rule for rule in rules if rule[1].lower().split("\\s")[0] in lowered and (rule[2] == "all" or in_library)
        ]
        for number, line in enumerate(text.split("\n") if some else [], 1):
            for pattern, word, scope, instead in some:
                if pattern.search(line):
                    yield path, number, f"the word {word}: {instead}"


def links(tree):
    """Check that each relative link in a document leads to a file of the tree."""
    for path in tree.files((".md",)):
        for number, line in enumerate(tree.read(path).split("\n"), 1):
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", line):
                if re.match(r"[a-z]+:", target):
                    continue
                name = os.path.normpath(os.path.join(os.path.dirname(path), target))
                if not os.path.exists(os.path.join(tree.root, name)):
                    yield path, number, f"the link {target} leads nowhere"


def changes(tree):
    """Check that the written pages are short together, and CHANGELOG.md by itself: in all, and the words and numbers
    (outside of code) of each item."""
    paths = [path for path in tree.files((".md",)) if path.startswith("docs/") or "/" not in path]
    count = sum(len(tree.read(path).split()) for path in paths if not path.startswith(UNCOUNTED))
    if count > PAGES_WORDS_MAX:
        yield "docs", 1, f"{count:,} words in all pages, at most {PAGES_WORDS_MAX:,}"
    text = tree.read("CHANGELOG.md")
    if len(text.split()) > 2500:
        yield "CHANGELOG.md", 1, "more than 2,500 words"
    for item in re.finditer(r"^- .*(?:\n  .*)*", text, re.MULTILINE):
        bare = re.sub(r"`[^`]*`", "code", item.group())
        words, numbers = len(bare.split()) - 1, len(re.findall(r"(?<![\w.])\d[\d.,:]*", bare))
        if words > 25 or numbers > 2:
            yield "CHANGELOG.md", text.count("\n", 0, item.start()) + 1, f"{words} words, {numbers} numbers"


def run(tree, command):
    return subprocess.run(command, cwd=tree.root, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def format_(tree):
    """Check that clang-format has nothing to change. Only one version is used, because versions disagree."""
    for name in ("clang-format-" + CLANG_FORMAT_MAJOR, "clang-format"):
        program = shutil.which(name)
        version = run(tree, [program, "--version"]).stdout if program else ""
        if f"version {CLANG_FORMAT_MAJOR}." in version:
            break
    else:
        raise Skip(f"clang-format {CLANG_FORMAT_MAJOR} is not here")
    paths = list(tree.files(C_SUFFIXES))
    if not paths:
        return
    result = run(tree, [program, "--dry-run", "--ferror-limit=0", *paths])
    seen = set()
    for match in re.finditer(r"^(.+?):(\d+):\d+: (?:warning|error): ", result.stderr, re.M):
        if match.groups() not in seen:
            seen.add(match.groups())
            yield match.group(1), int(match.group(2)), "not formatted (./dev format)"
    if result.returncode != 0 and not seen:
        yield paths[0], 1, "clang-format failed: " + result.stderr.strip()


def python(tree):
    """Check that ruff finds nothing to format or to report in Python files (pyproject.toml)."""
    script = os.path.join(tree.root, "scripts/judges.sh")
    place = run(tree, ["bash", script, "tools"])
    if place.returncode != 0:
        raise Skip("ruff cannot be installed")
    program = os.path.join(place.stdout.strip(), "bin/ruff")
    said = run(tree, [program, "format", "--check"]).stdout
    for path in re.findall(r"^(?:Would reformat: | +--> )(.*?)(?::\d+:\d+)?$", said, re.M):  # of older and newer ruff
        yield path, 1, "not formatted (./dev format)"
    said = run(tree, [program, "check", "--output-format=concise", "--no-fix"]).stdout
    for path, line, what in re.findall(r"^(.*?):(\d+):\d+: (.*)$", said, re.M):
        yield path, int(line), what


ALL = {
    "layers": layers,
    "lengths": lengths,
    "public": public,
    "names": names,
    "words": words,
    "links": links,
    "changes": changes,
    "format": format_,
    "python": python,
}
