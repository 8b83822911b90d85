"""Runs random command lines with GNU grep -F and with trawl, and compares everything that can be observed.

Compared are standard output, exit status, standard error (with the program's name exchanged) and, if standard input is a
file, its offset after the run. In some cases standard output is the null device, or standard input is a text whose end
cannot be read.

Skipped are cases in which grep's answer depends on luck, grep's engines differ among themselves, or grep is wrong.
docs/differences.md lists these cases, and tests/grep/test_odd.py has an example of each. They are counted by name:

- "a NUL late": a NUL beyond the first 96 KiB of a file with leading context or long lines: where grep's buffers begin is
  luck. For the same reason choose_input puts no NUL into a pipe beyond the first read.
- "-m 0": where grep leaves standard input, and whether grep meets an error there.
- The function is_left_out has the other names.

Also skipped are usage errors, of which each program has its own words (tests/cli has usage errors), and -NUM of
two digits after an operand.
"""

import copy
import ctypes
import itertools
import mmap
import os
import random
import re
import shutil
import subprocess

import cases
import locales
import pytest
from harness import NOT_JUDGED, write

CASES, ONE_IN = 3200, 5
CASES_PER_TREE = 20
BLOCK = 98304

UTF8_WORDS = ["é", "É", "straße", "Σίσυφος", "ΣΊΣΥΦΟΣ", "σ", "ς", "K", "k", "ſ", "s", "S", "ı", "i", "I", "İ", "я", "Я",
              "привет", "ПРИВЕТ", "漢字", "漢", "😀", "Dž", "dž", "DŽ", "fooé", "éfoo", "µ", "μ"]  # fmt: skip


ASCII_WORDS = [word.encode() for word in cases.WORDS] + [b"0", b"s", b"i", b"I", b"A"]


class Case:
    """A case: a command line, its environment and its standard input."""

    def __init__(self):
        self.arguments = []
        self.patterns = []
        self.own = []  # options that only trawl gets
        self.locale = "C"
        self.stdin = None  # None: /dev/null; ("file", path, offset); ("pipe", bytes); ("broken", bytes)
        self.nowhere = False  # standard output is the null device
        self.smart = False  # trawl gets -S, which must decide whether case is ignored
        self.environment = {}


def random_line(rng, kind):
    if kind in locales.KNOWN:
        words = locales.letters(kind)
        line = b"".join(
            rng.choice(words if rng.random() < 0.6 else ASCII_WORDS) + rng.choice([b"", b"", b" "])
            for _ in range(rng.randrange(0, 6))
        )
        if line and rng.random() < 0.1:
            place = rng.randrange(len(line))
            line = line[:place] + rng.choice([b"\xff", b"\x80", b"\xa1", b""]) + line[place + 1 :]
        return line
    if kind == "ab":
        return "".join(rng.choice("aab") for _ in range(rng.randrange(0, 8))).encode()
    if kind == "words":
        return "".join(
            rng.choice(cases.WORDS) + rng.choice(["", " ", "-"]) for _ in range(rng.randrange(0, 7))
        ).encode()
    if kind == "utf8":
        return "".join(
            rng.choice(UTF8_WORDS + cases.WORDS) + rng.choice(["", " "]) for _ in range(rng.randrange(0, 6))
        ).encode()
    if kind == "bytes":
        return bytes(rng.choice(b"ab\xff\xc3\xa9\x80 fo") for _ in range(rng.randrange(0, 9)))
    if kind == "nul":
        return bytes(rng.choice(b"ab\0 fo\0") for _ in range(rng.randrange(0, 9)))
    if kind == "crlf":
        return random_line(rng, "words") + b"\r"
    raise ValueError(kind)


KINDS = ["ab", "words", "utf8", "bytes", "nul", "crlf"]


def random_text(rng, charset=None):
    kind = charset if charset and rng.random() < 0.7 else rng.choices(KINDS, [3, 5, 4, 2, 2, 1])[0]
    lines = [random_line(rng, kind) for _ in range(rng.choice([0, 1, 2, 3, 5, 9, 20, 60]))]
    if rng.random() < 0.1:
        rng.shuffle(lines)
    end = b"\0" if rng.random() < 0.12 else b"\n"
    text = end.join(lines)
    if lines and rng.random() < 0.75:
        text += end
    return text


def random_big_text(rng, charset=None):
    """Return a text that crosses the boundaries of buffers (32 KiB, 96 KiB, 256 KiB), with something
    rare inside."""
    kind = charset if charset and rng.random() < 0.7 else rng.choice(["words", "utf8", "ab", "words"])
    lines = [random_line(rng, kind) for _ in range(50)]
    size = rng.choice([32768, 65536, BLOCK, BLOCK * 2, 262144, 300000]) + rng.randrange(-40, 40)
    parts, used = [], 0
    while used < size:
        line = rng.choice(lines)
        if rng.random() < 0.003:
            line = b"long " * rng.randrange(1, 700)
        parts.append(line)
        used += len(line) + 1
    text = bytearray(b"\n".join(parts))
    if rng.random() < 0.8:
        text += b"\n"
    for _ in range(rng.randrange(0, 3)):
        place = rng.choice([32768, BLOCK, BLOCK * 2, 262144, rng.randrange(len(text))]) + rng.randrange(-12, 12)
        what = rng.choice([b"\0", b"\xff", b"needle", b"needle", b"\nneedle\n", b"foo\0foo"])
        if 0 <= place < len(text) - len(what):
            text[place : place + len(what)] = what
    return bytes(text)


class Files(dict):
    """A tree of files. files is {path: bytes} of the regular files. locale: the locale of the letters in most of the
    files; None: no particular locale."""

    locale = None


def make_tree(rng, top, known=()):
    """Make a small tree, and return its regular files."""
    files = Files()
    if known and rng.random() < 0.6:
        files.locale = rng.choice(known)
    names = ["a.txt", "b.c", "c.h", "d", "e e", "f.txt"]
    folders = [""] + rng.sample(["sub", "sub/deep", "other.d"], rng.randrange(0, 3))
    for folder in folders:
        os.makedirs(os.path.join(top, folder), exist_ok=True)
        for name in rng.sample(names, rng.randrange(1, 4)):
            path = os.path.join(folder, name)
            files[path] = random_text(rng, files.locale)
    if rng.random() < 0.35:
        files["big"] = random_big_text(rng, files.locale)
    files.setdefault("a.txt", random_text(rng, files.locale))
    files["nul"] = b"\n".join(random_line(rng, "nul") for _ in range(6))
    for path, text in files.items():
        write(os.path.join(top, path), text)
    if rng.random() < 0.3:
        os.symlink("a.txt", os.path.join(top, "link"))
        os.symlink("nowhere", os.path.join(top, "broken"))
    if rng.random() < 0.1:
        os.mkfifo(os.path.join(top, "fifo"))
    return files


def random_pattern(rng, files, utf8):
    choice = rng.random()
    if choice < 0.08:
        return b""
    if choice < 0.5 and files:
        text = files[rng.choice(sorted(files))]
        if text:
            begin = rng.randrange(len(text))
            piece = text[begin : begin + rng.choice([1, 2, 3, 4, 8, 17, 40])]
            if rng.random() < 0.3:
                piece = piece.swapcase()
            return piece.replace(b"\0", b"")
    if choice < 0.6:
        return b"needle"
    if choice < 0.85 and getattr(files, "locale", None):
        letters = rng.choice(locales.letters(files.locale))
        return letters + rng.choice(ASCII_WORDS) if rng.random() < 0.3 else letters
    if choice < 0.62:
        return rng.choice(BROKEN)
    return rng.choice(cases.WORDS + (UTF8_WORDS if rng.random() < 0.6 else [])).encode()


BROKEN = [b"\xff", b"\x80", b"\xc3", b"\xa9", b"\x9f\x98\x80", b"\xce", b"\xc3\xa9\xff", b"a\xff", b"\xffa",
          b"\xf0\x9f", b"\x80o", b"\xed\xa0\x80"]  # fmt: skip


def is_valid(text, codec):
    try:
        text.decode(codec)
        return True
    except UnicodeDecodeError:
        return False


def is_utf8(text):
    return is_valid(text, "utf-8")


# Letters whose capital letter has a different number of bytes in UTF-8.
SHRINKING = re.compile(
    b"|".join(chr(c).encode() for c in range(0x80, 0x3000) if len(chr(c).upper().encode()) != len(chr(c).encode()))
    + b"|\xc4\xb1|\xc4\xb0"
)


def ends_open(pattern):
    """Return True if the pattern ends inside a UTF-8 character."""
    return any(
        is_utf8(pattern[-length:] + rest) and not is_utf8(pattern[-length:])
        for length in (1, 2, 3)
        if len(pattern) >= length and pattern[-length] >= 0xC0
        for rest in (b"\x80", b"\x80\x80", b"\x80\x80\x80", b"\xa0\x80", b"\x90\x80\x80")
    )


FLAGS = ["-n", "-b", "-H", "-h", "-c", "-l", "-L", "-q", "-s", "-v", "-w", "-x", "-i", "-y", "-o", "-a", "-I", "-T",
         "-Z", "-z", "-U", "--line-buffered", "--no-ignore-case", "--no-group-separator"]  # fmt: skip
WEIGHTS = [10, 6, 4, 4, 6, 3, 2, 2, 3, 8, 8, 6, 9, 1, 8, 5, 2, 3, 2, 4, 1, 1, 1, 1]

# The cases take each way to select with each report, in turn; every second case has a text with NULs.
PAIRS = [
    (way, report)
    for way in ("-x", "-w", "-v", "-i", "-a", "-I", "-z")
    for report in ("-l", "-L", "-q", "-c", "-o", "-n", "-m1", "-A1")
]


def random_options(rng):
    options = []
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4])):
        options.append([rng.choices(FLAGS, WEIGHTS)[0]])
    if rng.random() < 0.25:
        options.append(rng.choice([["-m", "0"], ["-m1"], ["-m", "2"], ["--max-count=3"], ["-m", "-1"]]))
    if rng.random() < 0.3:
        number = str(rng.choice([0, 1, 1, 2, 3, 10]))
        forms = ["-A ", "-B", "-C ", "-", "--context=", "--before="]
        options.append((rng.choice(forms) + number).split())
        if rng.random() < 0.2:
            options.append(["--group-separator=" + rng.choice(["", "##"])])
    if rng.random() < 0.12:
        options.append([rng.choice(["--color=always", "--colour=always", "--color=auto"])])
    if rng.random() < 0.05:
        options.append(["--binary-files=" + rng.choice(["text", "binary", "without-match"])])
    if rng.random() < 0.04:
        options.append(["--label=in put"])
    return options


def choose_input(rng, case, files, recursive):
    """Choose the operands and return them; without operands, choose the standard input."""
    names = sorted(files)
    choice = rng.random()
    if recursive:
        operands = rng.choice([[], ["."], ["sub"], ["a.txt"], ["./"], ["sub", "a.txt"]])
        names = "--include=*.txt --exclude=*.c --exclude-dir=deep --include=d --exclude-dir=sub// --exclude=a*"
        for name in [*names.split(), "--include=*.[ch]"]:
            if rng.random() < 0.12:
                case.arguments.append(name)
        return operands
    if choice < 0.22:
        path = rng.choice(names)
        offset = rng.choice([0, 0, 0, rng.randrange(len(files[path]) + 1)])
        case.stdin = ("file", path, offset)
        return rng.choice([[], [], ["-"], ["-", "a.txt"]])
    if choice < 0.42:
        text = files[rng.choice(names)]
        if len(text) < 4096 or b"\0" not in text:
            case.stdin = ("pipe", text)
            return rng.choice([[], [], ["-"], ["a.txt", "-"]])
    operands = [rng.choice(names) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
    if rng.random() < 0.05:
        operands.insert(rng.randrange(len(operands) + 1), rng.choice(["missing", ".", "broken"]))
    if rng.random() < 0.05:
        case.arguments.append(rng.choice(["--include=*.txt", "--exclude=*.c", "--exclude=b*"]))
    return operands


def make_case(rng, top, files, known=()):
    case = Case()
    case.locale = rng.choice(["C", "C.UTF-8"] + list(known))
    if getattr(files, "locale", None) and rng.random() < 0.7:
        case.locale = files.locale
    turn, other = divmod(rng.number, 4)
    pair = PAIRS[turn % len(PAIRS)] if other == 0 else None
    options = [[word] for word in pair] if pair else random_options(rng)
    flat = [word for option in options for word in option]
    patterns = [random_pattern(rng, files, case.locale != "C") for _ in range(rng.choice([1, 1, 1, 2, 3]))]
    if "-x" in flat and rng.random() < 0.6:
        patterns[0] = rng.choice(re.split(b"[\n\0]", files[rng.choice(sorted(files))]))
    case.patterns = patterns
    recursive = not pair and rng.random() < 0.16
    if recursive:
        options.append([rng.choice(["-r", "-R", "--recursive", "-drecurse", "--directories=recurse"])])
        if os.path.exists(os.path.join(top, "fifo")):
            options[-1] = ["-r"]  # -R opens a named pipe, where grep waits for a writer
    elif rng.random() < 0.06:
        options.append([rng.choice(["-dskip", "-Dskip", "-Dread", "-dread"])])
    operands = choose_input(rng, case, files, recursive)
    if pair and (turn + turn // len(PAIRS)) % 2:
        operands, case.stdin = ["nul"], None
        patterns[0] = rng.choice(re.split(b"[\n\0]", files["nul"]))
    if rng.random() < 0.15:
        if rng.random() < 0.2 and "-z" not in flat:
            patterns[-1] = patterns[-1][:2] + b"\0" + patterns[-1][2:]
        write(os.path.join(top, "patterns"), b"\n".join(patterns) + (b"\n" if rng.random() < 0.7 else b""))
        if rng.random() < 0.1:
            write(os.path.join(top, "patterns"), "")
            case.patterns = []
        options.append(rng.choice([["-f", "patterns"], ["--file=patterns"]]))
        if rng.random() < 0.3:
            options.append(["-e", patterns[0].replace(b"\0", b"")])
            case.patterns = case.patterns or patterns[:1]
    elif len(patterns) > 1 or rng.random() < 0.3 or patterns[0].startswith(b"-"):
        if rng.random() < 0.3:
            options.append(["-e", b"\n".join(patterns)])
        else:
            options += [["-e", pattern] for pattern in patterns]
    else:
        operands = [patterns[0]] + operands
    rng.shuffle(options)
    words = [word for option in options for word in option]
    if operands and rng.random() < 0.15 and not case.environment:
        place = rng.randrange(len(operands) + 1)
        words = operands[:place] + words + operands[place:]
    elif rng.random() < 0.1:
        words = words + ["--"] + operands
    else:
        words = words + operands
    case.arguments = case.arguments + [word if word != "-10" else "-5" for word in words]
    if rng.random() < 0.08:
        case.arguments.insert(0, "--color=always")
        case.environment["GREP_COLOR"] = rng.choice(["1;34", "", "red", "7"])
    if rng.random() < 0.05:
        case.environment["GREP_COLORS"] = rng.choice(
            ["mt=1;32", "sl=1:cx=2", "ms=01;32:mc=3:fn=:ln=33", "rv:sl=1:cx=2", "ne", "mt=", "se=:bn=4"]
        )
    piped_null = case.stdin is not None and case.stdin[0] == "pipe" and b"\0" in case.stdin[1]
    if rng.random() < 0.6 and not piped_null:
        case.own.append("--chunk-bytes=%d" % rng.choice([1, 7, 16, 64, 100, 1000, 4096, 40000]))
    if rng.random() < 0.5:
        case.own.append("-j%d" % rng.choice([1, 2, 3]))
    letters = b"".join(case.patterns).decode("ascii" if case.locale == "C" else locales.codec(case.locale), "ignore")
    has_capitals = letters.lower() != letters
    case.smart = not has_capitals if {"-i", "-y"} & set(flat) else has_capitals and "--no-ignore-case" not in flat
    case.smart = case.smart and rng.random() < 0.5
    if case.stdin is not None:
        case.nowhere = case.stdin[0] == "file" and rng.random() < 0.15
        whole = case.stdin[0] == "pipe" and case.stdin[1].endswith(b"\n") and b"\0" not in case.stdin[1]
        if whole and "-z" not in case.arguments and rng.random() < 0.3:  # the read fails after whole lines
            case.stdin = ("broken", case.stdin[1])
    return case


def takes_context(case, letters):
    """Return True if an argument sets context: an option of these (-A, -B, -C, or its long form), or -NUM."""
    names = tuple("--" + {"-A": "after", "-B": "before", "-C": "context"}[letter] for letter in letters)
    return any(
        isinstance(word, str) and (word.startswith(letters + names) or word[1:].isdigit()) for word in case.arguments
    )


def is_left_out(case, files):
    """Return the reason why a case is skipped (see the top of this file); None: it is not skipped."""
    words = {"-m" if str(word).startswith("--max-count") else word for word in case.arguments}
    codec = locales.codec(case.locale)
    shows_matches = any(str(w).startswith("--col") or w == "-o" for w in words)
    lines = b"\n".join(case.patterns).split(b"\n")
    if "-w" in words and shows_matches:
        # from this byte on, a byte may belong to a letter beyond ASCII; in the locale C none does
        is_letter = 256 if case.locale == "C" else 128
        if "-x" in words or any(
            line and not (line[:1].isalnum() or line[:1] in b"_" or line[0] >= is_letter) for line in lines
        ):
            return "-wo"
    before = takes_context(case, ("-A", "-B", "-C"))
    if "-v" in words and "-1" in words and "-m" in words and before:
        return "-v -m -1"
    for text in files.values():
        if b"\0" in text[BLOCK:] and (before or max(map(len, text.split(b"\n"))) > 1000):
            return "a NUL late"
    if "-v" in words and "-m" in words and case.stdin and case.stdin[0] == "file":
        return "-v -m and standard input"
    if "0" in words and "-m" in words and case.stdin and case.stdin[0] != "pipe":
        return "-m 0"
    broken = case.locale != "C" and not all(is_valid(line, codec) for line in lines)
    ignores_case = bool({"-i", "-y"} & words)
    if ignores_case and broken and codec == "utf-8":
        if any(ends_open(line) for line in lines):
            return "-i and a part of a character"
        if any(SHRINKING.search(text) for text in [*files.values(), *case.patterns]):
            return "-i, bad characters and capitals of other lengths"
    all_lines = (line for text in files.values() for line in re.split(b"[\n\0]", text))
    folds = ignores_case and shows_matches and codec == "utf-8" and case.locale != "C"
    if folds and any(SHRINKING.search(line) and not is_utf8(line) for line in all_lines):
        return "-i, bad characters and capitals of other lengths"
    if "-w" in words and b"" in lines and (broken or ignores_case) and codec == "utf-8" and case.locale != "C":
        return "-w and the empty string in grep's regular expressions"
    return None


BROKEN_AT = 0x200000000000  # an address far from all mappings of the process


def broken_text(text):
    """Return a descriptor that returns the text and then fails: this process's memory, up to an
    unmapped page."""
    system = ctypes.CDLL(None, use_errno=True)
    system.mmap.restype = ctypes.c_void_p
    system.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    room = -(-len(text) // mmap.PAGESIZE) * mmap.PAGESIZE
    fixed = 0x10
    place = system.mmap(
        BROKEN_AT, room, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | fixed, -1, 0
    )
    if place != BROKEN_AT:
        raise OSError("no memory at 0x%x" % BROKEN_AT)
    ctypes.memmove(place + room - len(text), text, len(text))
    descriptor = os.open("/proc/self/mem", os.O_RDONLY)
    os.lseek(descriptor, place + room - len(text), os.SEEK_SET)
    return descriptor, lambda: system.munmap(ctypes.c_void_p(place), ctypes.c_size_t(room))


def run(program, case, top):
    """Run a program; return (status, stdout, stderr, offset of standard input afterwards)."""
    environment = cases.environment(LC_CTYPE=case.locale, TERM="xterm", **case.environment)
    if "LC_ALL" not in case.environment:
        del environment["LC_ALL"]  # messages in English
    arguments = program + case.arguments
    offset = None
    try:
        if case.stdin is None:
            done = subprocess.run(
                arguments, cwd=top, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60
            )
        elif case.stdin[0] == "broken":  # the offset afterwards depends on luck, so it stays None
            descriptor, end = broken_text(case.stdin[1])
            done = subprocess.run(
                arguments, cwd=top, env=environment, stdin=descriptor, capture_output=True, timeout=60
            )
            os.close(descriptor)
            end()
        elif case.stdin[0] == "pipe":
            done = subprocess.run(
                arguments, cwd=top, env=environment, input=case.stdin[1], capture_output=True, timeout=60
            )
        else:
            descriptor = os.open(os.path.join(top, case.stdin[1]), os.O_RDONLY)
            os.lseek(descriptor, case.stdin[2], os.SEEK_SET)
            done = subprocess.run(
                arguments,
                cwd=top,
                env=environment,
                stdin=descriptor,
                stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL if case.nowhere else subprocess.PIPE,
                timeout=60,
            )
            offset = os.lseek(descriptor, 0, os.SEEK_CUR)
            os.close(descriptor)
    except subprocess.TimeoutExpired:
        return ("timeout", b"", b"", None)
    return (done.returncode, done.stdout or b"", cases.undoubted(done.stderr), offset)


def rename(stderr):
    return b"".join(
        b"trawl: " + line[6:] if line.startswith(b"grep: ") else line for line in stderr.splitlines(keepends=True)
    )


def show(name, result):
    status, out, err, offset = result
    form = "\n  %s: status %s, stdin at %s, stdout %d bytes: %r, stderr: %r"
    return form % (name, status, offset, len(out), out[:400], err[:400])


class Tree:
    """The last tree of files, which CASES_PER_TREE cases share."""

    number, top, files, known = -1, "", {}, ()


def prepare_tree(number, trawl, folder):
    if Tree.number == -1:
        known = locales.prepare(trawl, cases.amount(CASES) > 10 * CASES)
        Tree.known = [name for name in known if locales.letters(name)]  # test_odd.py has the cases of EUC-JP
    if number != Tree.number:
        if Tree.top:
            shutil.rmtree(Tree.top)
        Tree.number, Tree.top = number, os.path.join(folder, "tree%d" % number)
        os.makedirs(Tree.top)
        Tree.files = make_tree(random.Random("%d tree %d" % (cases.SEED, number)), Tree.top, Tree.known)


def compare(case, top, files, trawl):
    """Return (why the case is skipped, or None; whether the case selects something; what grep does; what trawl
    does)."""
    why = is_left_out(case, files)
    if why is not None:
        return why, False, None, None
    expected = run(["grep", "-F"], case, top)
    if b"unbalanced (" in expected[2]:
        return "-x or -w and a part of a character", False, None, None
    hides = b"binary file" in expected[2] or {"-I", "--binary-files=without-match"} & set(case.arguments)
    long = any(len(text) > BLOCK for text in files.values())
    if hides and case.locale != "C" and takes_context(case, ("-A", "-C") + ("-B",) * long):
        return "-A after a line that is not printed", False, None, None
    ours = copy.copy(case)
    ours.arguments = ["-S"] * case.smart + [
        word if not case.smart or word not in ("-i", "-y") else "-S" for word in case.arguments
    ]
    got = run([trawl] + case.own, ours, top)
    expected = (expected[0], expected[1], rename(expected[2]), expected[3])
    stops = any(w in ("-q", "-l", "-L") for w in case.arguments)
    if stops and max(len(line) for text in files.values() for line in text.split(b"\n")) >= 4095:
        stops = None  # grep then fills its buffers differently, so -q, -l and -L end at a different offset
    if (
        stops is None
        or b"binary file" in expected[2]
        or any(w == "-I" or str(w).startswith("--bin") for w in case.arguments)
    ):
        # If grep stops early, it may leave the offset where its last read(2) ended.
        expected, got = expected[:3] + (None,), got[:3] + (None,)
    return None, expected[0] == 0, expected, got


def features(rng, trawl, folder):
    """Return the set of a case's options and kind of input."""
    prepare_tree(rng.number // CASES_PER_TREE, trawl, folder)
    case = make_case(rng, Tree.top, Tree.files, Tree.known)
    names = {
        re.match("--[a-z-]+|-[A-Za-z]|", word).group() for word in case.arguments + case.own if isinstance(word, str)
    }
    text = (
        case.stdin[1] if case.stdin and case.stdin[0] != "file" else Tree.files[case.stdin[1]] if case.stdin else b"\n"
    )
    names |= {case.locale, "input %s" % (case.stdin or [None])[0], "input ends with %r" % text[-1:]}
    return names | {"%d strings" % len(case.patterns)}


@pytest.fixture(autouse=True, scope="module")
def grep():
    version = subprocess.run(["grep", "--version"], capture_output=True).stdout if shutil.which("grep") else b""
    if b"GNU grep" not in version:
        pytest.skip(NOT_JUDGED + "GNU grep")
    if tuple(map(int, re.findall(rb"\d+", version)[:2])) < (3, 8):  # trawl has the rules of 3.8 for -s and GREP_COLOR
        pytest.skip(NOT_JUDGED + "GNU grep 3.8")
    if cases.execute(["grep", "-cF", "é", "-"], data="É".encode())[0] > 1:
        pytest.skip("grep does not run in the locale C.UTF-8")


def test_case(rng, trawl, folder):
    prepare_tree(rng.number // CASES_PER_TREE, trawl, folder)
    case = make_case(rng, Tree.top, Tree.files, Tree.known)
    why, selects, expected, got = compare(case, Tree.top, Tree.files, trawl)
    cases.counts["left out: %s" % why if why else "in %s" % case.locale] += 1
    cases.counts["selected"] += selects
    if expected == got:
        return
    stdin = case.stdin and (case.stdin[0], case.stdin[1][:60], case.stdin[2:])
    own = repr(case.own + ["-S"] * case.smart) + "; to the null device" * case.nowhere
    said = "LC_ALL=%s, %s, stdin %r in %s\n  arguments: %r, and for trawl %s; stdout: %s%s%s"
    differences = cases.differences(expected[1], got[1]), show("grep", expected), show("trawl", got)
    pytest.fail(said % (case.locale, case.environment, stdin, Tree.top, case.arguments, own, *differences))


# A row: string, whether standard output is the null device, options. The last row is only for texts without a NUL: after
# a late NUL, grep's buffers decide which lines of context it prints.
BORDER_ROWS = [("needle", False, options) for options in (["-q"], ["-l"], ["-L"], ["-c"], ["-m1"], ["-n", "-m2"], ["-xl"],
                                                          ["-o", "-b", "-m1"], ["-a", "-m1"])] + \
              [("x", True, ["-vm1"]), ("x", False, ["-vm1"]), ("x", False, ["-vq"]), ("none", False, ["-lI"]), ("none", False, ["-LI"]), ("needle", False, ["-A1", "-m1"])]  # fmt: skip


def test_borders(trawl, folder):
    """Compare texts in which a selected line or the next line ends near the end of a buffer of grep. A NUL may be on
    either side of this end, or a buffer later. Compare also the offset at which both programs leave standard input."""
    for ends, begin in ((-17, 0), (-16, 0), (-15, 0), (-1, 0), (0, 0), (1, 0), (0, 1), (-16, 1000), (1, BLOCK)):
        for null in (None, -1, 0, BLOCK):
            text = bytearray(b"x" * 15 + b"\n") * (BLOCK // 16 - 3)
            text += b"x" * (BLOCK + ends - len(text) - 8) + b"\nneedle\n" + (b"y" * 15 + b"\n") * (BLOCK // 16 + 9)
            if null is not None and null != ends - 1:
                text[BLOCK + null] = 0
            write(os.path.join(folder, "border"), b"z" * begin + text)
            for string, nowhere, options in BORDER_ROWS[: None if null is None else -1]:
                case = Case()
                case.arguments, case.stdin, case.nowhere = options + [string], ("file", "border", begin), nowhere
                expected, got = run(["grep", "-F"], case, folder), run([trawl], case, folder)
                if (expected[0], expected[1], rename(expected[2]), expected[3]) != got:
                    pytest.fail(
                        "from %d on, line end at %d, NUL at %s of the border, %r%s%s"
                        % (begin, ends, null, options, show("grep", expected), show("trawl", got))
                    )


def test_short_lines(trawl, folder):
    """Compare, with each mix of options, which lines contain a word, an empty word, a letter, or a byte outside of
    characters. The lines are all short lines over eight letters, or over six letters some of which have several
    bytes."""
    letters = [b"a", b"B", b"-", b"_", "©".encode(), "é".encode(), "†".encode(), b"\xa9"]
    long_letters = [b"a", b"-", "漢".encode(), "𝒳".encode(), b"\xa2", b"\xb3"]
    rows = [(pattern, "short") for pattern in ("", "a", "b", "©", "É", "a-", "†é", b"\xa9", "©\n".encode() + b"\xa9")]
    rows += [(pattern, "long") for pattern in (b"\xa2", b"\x9d", b"\xb3a")]
    for letters, name in ((letters, "short"), (long_letters, "long")):
        with open(os.path.join(folder, name), "wb") as file:
            for count in range(5):
                for line in itertools.product(letters, repeat=count):
                    file.write(b"".join(line) + b"\n")
    for pattern, name in rows:
        for options in ("-n", "-nw", "-nx", "-nwi", "-nwx", "-nwv", "-ob", "-obi", "-cwz"):
            for locale, chunk in (("C.UTF-8", "2"), ("C", "3"), ("C.UTF-8", "65536")):
                command = [options, "-a", "-e", pattern, name]
                expected, got = (
                    cases.execute(program + command, folder, locale)[:2]
                    for program in (["grep", "-F"], [trawl, "--chunk-bytes=" + chunk])
                )
                if expected != got:
                    pytest.fail("LC_ALL=%s %r: %s" % (locale, command, cases.differences(expected[1], got[1])))


def test_short_files(trawl, folder):
    """Compare all files of up to four short lines, searched together in any order: context between selected lines, lines
    that are not text, and NULs. (The random cases skip such context: "-A after a line that is not printed".)"""
    rng, small, names = cases.random_of("short files", 0), os.environ.get("TRAWL_SMALL", trawl), []
    lines = [b"foo", b"b", b"\xff", "foo é".encode(), b"\0"]
    for count in range(1, 5):
        for line_numbers in itertools.product(range(len(lines)), repeat=count):
            names.append("s" + "".join(map(str, line_numbers)))
            write(
                os.path.join(folder, names[-1]),
                b"\n".join(lines[i] for i in line_numbers) + b"\n" * (line_numbers[-1] != 1),
            )
    for number in range(cases.amount(8 * 30)):
        options = rng.choice(["", "-A1", "-A2", "-A3", "-B1", "-C1", "-C2"]).split()
        options += rng.choice(["", "", "-I", "-a", "-o", "-m1", "-m2", "-c", "-l", "-L"]).split()
        words = "-h -n -b -Tnb -x -i -w --color=always --no-group-separator --group-separator=#"
        options += rng.choice(["", *words.split()]).split()
        if not any(word[:2] in ("-A", "-B", "-C") for word in options):
            options += rng.choice(["", "", "-v", "-z", "-vz"]).split()
        command = options + ["foo"] + rng.sample(names, rng.choice([3, 30, len(names)]))
        own = [
            (trawl, small)[number % 2],
            "-j%d" % rng.choice([1, 2, 3]),
            "--chunk-bytes=%d" % rng.choice([1, 2, 4, 8, 999]),
        ]
        locale = rng.choice(["C", "C.UTF-8", "C.UTF-8"])
        expected, got = (
            cases.execute(program + command, folder, locale, stderr=subprocess.STDOUT)[:2]
            for program in (["grep", "-F"], own)
        )
        expected = expected[0], expected[1].replace(b"grep: ", b"trawl: ")
        if expected != got:
            pytest.fail("LC_ALL=%s %r %r: %s" % (locale, own, command[:20], cases.differences(expected[1], got[1])))


def test_capitals(trawl, folder):
    """Check that -S ignores case exactly if no letter is a capital, even among invalid bytes and long characters."""
    rng = random.Random("capitals %d" % cases.SEED)
    lower, upper = ([piece.encode() for piece in pieces] for pieces in ("aéя漢😀b", "AÉЯZ"))
    for number in range(cases.amount(400)):
        broken = rng.choices([b"\xff", b"\x80", b"\xa9"], k=rng.choice([0, 1, 1, 2]))
        string = rng.choices(lower, k=2) + broken + [rng.choice((lower, upper)[number % 2])] + rng.choices(lower, k=2)
        other = b"".join(piece.decode().swapcase().encode() if is_utf8(piece) else piece for piece in string)
        wanted = other == b"".join(string) or not any(is_utf8(piece) and piece.decode().isupper() for piece in string)
        got = cases.execute([trawl, "-acS", "-e", b"".join(string)], folder, data=other + b"\n")[1]
        if got != b"%d\n" % wanted:
            pytest.fail("-S %r: %r lines of %r" % (string, got, other))


def test_unread(trawl, folder):
    """Compare what is said of operands that cannot be read, before and after others, with each report; -s removes only the
    messages. Of reports that grep lacks, only the status and the messages are compared."""
    top, turn = os.path.join(folder, "unread"), cases.SEED
    os.makedirs(os.path.join(top, "tree"))
    for link, target in (("tree/gone", "nowhere"), ("loop", "loop")):
        os.symlink(target, os.path.join(top, link))
    for name, text in (("hit", "zzz\n"), ("none", "x\n"), ("locked", "")):
        write(os.path.join(top, name), text)
    os.chmod(os.path.join(top, "locked"), 0)
    same = {word: [word] for word in "-c -n -l -L -q -o -v -m1 -B1 --color=always".split()}
    lacking = {word: [] for word in "--json --count-matches --count-by-pattern --vimgrep -P --mismatches=1".split()}
    reports = [*same.items(), *lacking.items(), ("--files", ["-l"]), ("--files -q", ["-q"])]
    absent = ["missing", "loop", "hit/x", "n" * 256]  # --files opens no file
    kinds = [*absent, "tree", "/proc/self/mem", "-R tree", "locked", "-"]
    for number, (kind, (report, theirs)) in enumerate(itertools.product(kinds, reports)):
        lists, (*more, bad) = "--files" in report, kind.split()
        if kind not in absent if lists else (number + number // len(reports) + turn) % 6:
            continue
        closed = ["sh", "-c", 'exec "$@" <&-', "sh"] * (bad == "-")
        for quiet, operands in itertools.product(([], ["-s"]), ([bad], ["hit", bad], [bad, "none", "hit"])):
            grep = ["grep", "-F", "-H", *theirs, *quiet, *more, "-e", "" if lists else "zzz", *operands]
            ours = [trawl, "-H", *report.split(), *quiet, *more, *([] if lists else ["-e", "zzz"]), *operands]
            expected, got = (cases.execute(closed + command, top) for command in (grep, ours))
            expected = (expected[0], expected[1] if theirs else got[1], rename(expected[2]))
            assert expected == got or b"cannot be loaded" in got[2], (grep, ours)
