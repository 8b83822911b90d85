"""run: runs the commands in documents, which must print what the documents say.

run.py [--update] [--stories] [--path FOLDER]... [--link NAME=PATH]... [--programs FOLDER] DOCUMENT...

A Markdown document's commands are in blocks marked ```console, those of a C file indented in its first comment. A line
that begins with `$ ` is a command, `> ` continues it, and the lines after it are what it prints, including standard error.
`...` means any text. The status must be 0, or what a comment at the command's end says: `# status 1`. A document's
commands run in order, in one shell, in an empty folder; with --stories, each heading `## ` begins a new shell and
folder. Before a block of commands that are not run (```sh), a comment must give the reason: <!-- not run: REASON -->

--stories          each heading `## ` begins a story, which can use the functions of tests/stories/server.sh
--path FOLDER      put FOLDER before PATH; the system's programs stay reachable
--link NAME=PATH   the empty folder has a link NAME to PATH
--programs FOLDER  a C file's program has the file's name in FOLDER; the empty folder gets a link to it
--shell COMMAND    run a script with COMMAND SCRIPT instead of `bash -c`, for example in another root
--update           write what the commands print into Markdown documents, instead of comparing

Exit status 0: as the documents say; 1: not; 77: nothing could run here, with the line SKIPPED: reason. The tests call this
file's functions; tests/install runs it on systems without pytest.
"""

import argparse
import itertools
import os
import re
import shlex
import subprocess
import sys
import tempfile

MARK = "\x01"
# How the commands of a document with the line THREE_WAYS are run: options that must not change the output.
THREE_WAYS = "<!-- in three ways -->"
WAYS = "", "--engine=cpu --mmap", "--chunk-bytes=5 -j3"
# A story with the first line takes so long that only long runs run it; one with the second, so long under sanitizers.
LONG, LONG_SANITIZED = "<!-- long -->", "<!-- long under sanitizers -->"


class Wrong(Exception):
    """Raised if a document's commands and output cannot be told apart; the message says where."""


def shown_lines(path, lines):
    """Yield the lines of commands and output: (number in the document, line), with a None
    between blocks of Markdown."""
    if path.endswith(".c"):
        for number, line in enumerate(lines):
            if line.startswith(" */"):
                return
            if line.startswith(" *     "):
                yield number, line[len(" *     ") :]
        return
    kind = None
    excused = False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            kind = line[3:].strip() if kind is None else None
            if kind == "sh" and not excused:
                raise Wrong(f"{path}:{number + 1}: a block of commands that nobody runs")
            yield None
        elif kind == "console":
            yield number, line
        elif line.strip():
            excused = kind is None and line.startswith("<!-- not run: ")


def steps_of(path, lines):
    """Return the steps of a document: [{command, line, begin, end, status, story, shown}]. Lines [begin, end) of
    the document are the output, `shown`."""
    steps, inside = [], False
    for shown in shown_lines(path, lines):
        if shown is None:
            inside = False
            continue
        number, line = shown
        if line.startswith("$ "):
            steps.append({"line": number + 1, "command": line[2:], "begin": number + 1})
            inside = True
        elif inside and line.startswith("> ") and steps[-1]["begin"] == number:
            steps[-1]["command"] += "\n" + line[2:]
            steps[-1]["begin"] = number + 1
        elif not inside:
            raise Wrong(f"{path}:{number + 1}: output without a command")
        steps[-1]["end"] = number + 1
        steps[-1]["story"] = sum(line.startswith("## ") for line in lines[:number])
        steps[-1].setdefault("shown", [])
        if steps[-1]["begin"] <= number:
            steps[-1]["shown"].append(line)
    for step in steps:
        status = re.search(r"# status (\d+)$", step["command"])
        step["status"] = int(status.group(1)) if status else 0
    return steps


def stories_of(path, every=True, turn=0, is_sanitized=False):
    """Yield the stories of a document: (name, steps, options of the command). Without `every`, each story that can be
    run in three ways is run in one, and those marked LONG are left out, under sanitizers also those marked LONG_SANITIZED."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    titles = [line[3:] for line in lines if line.startswith("## ")]
    sections = "\n".join(lines).split("\n## ")[1:]
    ways = WAYS if THREE_WAYS in lines else (None,)
    for number, group in itertools.groupby(steps_of(path, lines), lambda step: step["story"]):
        steps, turn = list(group), turn + 1
        if not every and (LONG in sections[number - 1] or is_sanitized and LONG_SANITIZED in sections[number - 1]):
            continue
        for way in ways if every else [ways[turn % len(ways)]]:
            yield titles[number - 1] + (f" [{way}]" if way else ""), steps, way


def run(steps, path=(), links=None, stories=False, options=None, shell="bash -c"):
    """Return (output lines, status) of each step that ran. options: the contents of the file of options; if not None,
    leaks are checked, too."""
    script = 'cd "$(mktemp -d)" && export HOME=$PWD && trap "rm -rf $PWD" EXIT\n' if shell != "bash -c" else ""
    if stories:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../stories/server.sh")) as file:
            script += file.read()
    script += "".join(
        "{ " + step["command"] + "\n} 2>&1 </dev/null\n" + f"printf '{MARK}%d{MARK}' $?\n" for step in steps
    )
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile("w+") as config:
        for name, target in (links or {}).items():
            os.symlink(os.path.abspath(target), os.path.join(folder, name))
        path = os.pathsep.join([*map(os.path.abspath, path), os.environ["PATH"]])
        config.write((options or "").replace(" ", "\n"))
        config.flush()
        environment = dict(
            os.environ,
            PATH=path,
            HOME=folder,
            LC_ALL="C.UTF-8",
            TERM="xterm",
            TRAWL_CONFIG_PATH=config.name if options else "",
        )
        if options is None:  # GCC's LeakSanitizer fails if a thread ends during its check
            environment.setdefault("LSAN_OPTIONS", "detect_leaks=0")
        result = subprocess.run(
            [*shlex.split(shell), script],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    parts = result.stdout.decode(errors="backslashreplace").split(MARK)
    results = [
        (output[:-1].split("\n") if output.endswith("\n") else output.split("\n") if output else [], int(status))
        for output, status in zip(parts[::2], parts[1::2])
    ]
    return results + [([], None)] * (len(steps) - len(results))


def fits(shown, printed):
    """Return True if the printed lines are those that the document shows."""
    pattern = re.escape("\n".join(shown)).replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, "\n".join(printed), re.DOTALL) is not None


def rewrite(path, lines, steps, results):
    """Write what the steps printed into the document."""
    for step, (printed, status) in reversed(list(zip(steps, results))):
        if status != step["status"]:
            print(f"{path}:{step['line']}: status {status}: $ {step['command']}")
        if not fits(step["shown"], printed):
            lines[step["begin"] : step["end"]] = printed
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def judge(path, steps, results):
    """Compare what a document shows with what its steps printed; raise Wrong if they differ. Return None, or why the
    commands cannot run here."""
    for step, (printed, status) in zip(steps, results):
        reason = [line for line in printed if line.startswith("SKIPPED: ")]
        if status == 77 and reason:
            return reason[-1].removeprefix("SKIPPED: ")
        if status != step["status"] or not fits(step["shown"], printed):
            expected = "\n    ".join([f"expected, with status {step['status']}:", *step["shown"]])
            got = "\n    ".join([f"printed, with status {status}:", *printed])
            raise Wrong(f"{path}:{step['line']}: $ {step['command']}\n{expected}\n{got}")
    return None


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--stories", action="store_true")
    parser.add_argument("--path", action="append", default=[])
    parser.add_argument("--link", action="append", default=[])
    parser.add_argument("--programs")
    parser.add_argument("--shell", default="bash -c")
    parser.add_argument("documents", nargs="+")
    arguments = parser.parse_args()
    reasons = [check(path, **vars(arguments)) for path in arguments.documents]
    print(*(f"SKIPPED: {reason}" for reason in reasons if reason), sep="\n", end="")
    print(f"{len(reasons)} documents")
    return 77 if all(reasons) else 0


def check(document, path=(), link=(), programs=None, stories=False, update=False, shell="bash -c", **_):
    """Run a document. Return None, or why its commands cannot run here; raise Wrong if they print something else."""
    with open(document, encoding="utf-8") as file:
        lines = file.read().split("\n")
    steps = steps_of(document, lines)
    if not steps:
        raise Wrong(f"{document}: shows no command")
    links = dict(one.split("=", 1) for one in link)
    if programs and document.endswith(".c"):
        name = os.path.basename(document)[:-2]
        links[name] = os.path.join(programs, name)
    groups = itertools.groupby(steps, lambda step: step["story"] if stories else 0)
    results = [result for _, group in groups for result in run(list(group), path, links, stories, shell=shell)]
    if not update:
        return judge(document, steps, results)
    if document.endswith(".md"):
        rewrite(document, lines, steps, results)
    return None


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Wrong as wrong:
        print(wrong)
        sys.exit(1)
