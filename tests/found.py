"""found: writes a failing random case as a story of tests/stories: the files, the command and what it must print, which is
what the test has said last (`expect`) or the judge's output, with a word that
tests/tidy refuses where a person has to say more."""

import os
import re
import shlex

from harness import BUILD

SHOWN_BYTES_MAX, FILES_MAX = 4000, 12
MEND = "FIX" + "ME"
last = {}  # of each kind of program, the last run: (words, keyword arguments of subprocess.run, its result)


def expect(status, output):
    """Say what the last run of the command must print."""
    last["expected"] = status, output


def quoted(content):
    """Return a command that prints these bytes."""
    parts = re.findall(r"[\udc80-\udcff]|[^\udc80-\udcff]", content.decode(errors="surrogateescape"))
    known = {"\n": r"\n", "\\": r"\\", "%": "%%", "'": r"\047"}
    octal = lambda part: "".join(r"\%03o" % byte for byte in part.encode(errors="surrogateescape"))
    shown = "".join(known.get(part) or (part if part.isprintable() else octal(part)) for part in parts)
    return "printf %s'%s'" % ("-- " * shown.startswith("-"), shown)


def files_of(place):
    """Yield the commands that make the files of a folder."""
    names = [os.path.join(at, name) for at, _, names in os.walk(place) for name in names]
    for path in sorted(names)[:FILES_MAX]:
        name = os.path.relpath(path, place)
        if os.path.dirname(name):
            yield "mkdir -p " + shlex.quote(os.path.dirname(name))
        if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > SHOWN_BYTES_MAX:
            yield f"{MEND}: make {shlex.quote(name)}"
            continue
        with open(path, "rb") as file:
            yield f"{quoted(file.read())} > {shlex.quote(name)}"


def tell(failure):
    """Keep the story of the last run of the command with a failure, as long as its files are there."""
    if "trawl" not in last:
        return
    words, given, result = last["trawl"]
    named = [os.path.dirname(word) for word in words[1:] if word.startswith("/") and os.path.exists(word)]
    place = os.fsdecode(given.get("cwd") or (named or ["/nowhere"])[0])
    words = [os.path.basename(words[0]), *(word.replace(place + "/", "") for word in words[1:])]
    locale = (given.get("env") or {}).get("LC_ALL", "C.UTF-8")
    command = f"LC_ALL={locale} " * (locale != "C.UTF-8") + shlex.join(words)
    if given.get("input") is not None:
        command = f"{quoted(bytes(given['input']))} | {command}"
    elif given.get("stdin", -3) != -3:  # subprocess.DEVNULL
        command += f" < {MEND}"
    _, _, judged = last.get("judge", (0, 0, None))
    said = judged and re.sub(rb"(?m)^(grep|rg): ", b"trawl: ", (judged.stderr or b"") + (judged.stdout or b""))
    status, output = last.get("expected") or (judged.returncode if judged else None, said or b"")
    text = output.decode(errors="surrogateescape")
    if not all(line.isprintable() for line in text.split("\n")):
        text = re.sub(r"[^\n -~]", lambda one: r"\x%02x" % ord(one[0]), output.decode("latin-1"))
        command += f" | cat -v  # {MEND}: its escapes"
    command += "" if not status else f" # status {status}"
    text += "" if status is not None else f"{MEND}: not {result.stdout!r}\n"
    rows = [*("$ " + row for row in files_of(place)), "$ " + command.replace("\n", "\n> "), text.rstrip("\n")]
    failure.story = "```console\n" + "\n".join(filter(None, rows)) + "\n```\n"


def write(failure, name, seed, number):
    """Write a failure's story into the folder `found` of the build."""
    if story := getattr(failure, "story", None):
        path = BUILD / "found" / f"{name}-{seed}-{number}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            f"## {MEND}: what is true ({name}, TRAWL_TEST_SEED={seed}, case {number})\n\n{story}",
            errors="surrogateescape",
        )
        print(f"a story: {path}")
