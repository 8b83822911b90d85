#!/usr/bin/env python3
"""Run random command lines with GNU grep -F and with trawl, and compare all that can be seen.

usage: compare.py TRAWL [--first CASE] [--cases COUNT] [--keep]

Compared are standard output, exit status, standard error (with the program's name exchanged) and,
where standard input is a file, the offset it is left at. TRAWL_TEST_SEED steers the cases (default
1), TRAWL_TEST_SCALE how many there are (default 1: 1,500). A failure prints the case's number and
its command; `--first N --cases 1 --keep` repeats it alone and keeps its files.

Left out, because there grep's answer is luck or its own two engines differ:
  - a NUL in a pipe beyond the first read: grep's first buffer is what read(2) happened to give;
  - a NUL beyond the first 96 KiB of a file with leading context: the lines that grep keeps move the
    borders of its buffers, and so do lines of a page;
  - strings that are not UTF-8 together with -i or -w in a UTF-8 locale: grep then changes to
    another engine, which does not find them inside a character;
  - where -m 0 leaves standard input;
  - -o, --color or -x together with -i and letters that only grep's regex engine folds
    (U+1C80 to U+1C88);
  - -o or --color together with -x and -w: grep 3.8 prints an empty line after each match in C;
  - -o or --color with -w and a string that begins with no word character: right after a match
    grep forgets what stands before it;
  - trailing context in a UTF-8 locale where a file is not UTF-8: after a line that it does not
    print grep takes up lines far before as context, depending on where its buffer begins;
  - -v with a negative -m and context: grep prints context of lines that it does not select;
  - usage errors: there trawl says in one line what grep says in several (tests/cli has them).
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

CASES = 1500
CASES_PER_TREE = 20
BLOCK = 98304

WORDS = ["foo", "bar", "Foo", "FOO", "foobar", "a", "b", "ab", "aba", "the", "_", "x1", "foo-bar", "-", ".",
         "*", "\\", "oo", "o", " ", "\t"]
UTF8_WORDS = ["é", "É", "straße", "Σίσυφος", "ΣΊΣΥΦΟΣ", "σ", "ς", "K", "k", "ſ", "s", "S", "ı", "i", "I",
              "İ", "я", "Я", "привет", "ПРИВЕТ", "漢字", "漢", "😀", "Dž", "dž", "DŽ", "fooé", "éfoo", "µ", "μ"]


class Case:
    """One command line, its environment and its standard input."""

    def __init__(self):
        self.arguments = []
        self.patterns = []
        self.own = []           # options only trawl gets
        self.locale = "C"
        self.stdin = None       # None: /dev/null; ("file", path, offset); ("pipe", bytes)
        self.environment = {}


def random_line(rng, kind):
    if kind == "ab":
        return "".join(rng.choice("aab") for _ in range(rng.randrange(0, 8))).encode()
    if kind == "words":
        return "".join(rng.choice(WORDS) + rng.choice(["", " ", "-"]) for _ in range(rng.randrange(0, 7))).encode()
    if kind == "utf8":
        return "".join(rng.choice(UTF8_WORDS + WORDS) + rng.choice(["", " "]) for _ in range(rng.randrange(0, 6))).encode()
    if kind == "bytes":
        return bytes(rng.choice(b"ab\xff\xc3\xa9\x80 fo") for _ in range(rng.randrange(0, 9)))
    if kind == "nul":
        return bytes(rng.choice(b"ab\0 fo\0") for _ in range(rng.randrange(0, 9)))
    if kind == "crlf":
        return random_line(rng, "words") + b"\r"
    raise ValueError(kind)


KINDS = ["ab", "words", "utf8", "bytes", "nul", "crlf"]


def random_text(rng):
    kind = rng.choices(KINDS, [3, 5, 4, 2, 2, 1])[0]
    lines = [random_line(rng, kind) for _ in range(rng.choice([0, 1, 2, 3, 5, 9, 20, 60]))]
    if rng.random() < 0.1:
        rng.shuffle(lines)
    end = b"\0" if rng.random() < 0.12 else b"\n"
    text = end.join(lines)
    if lines and rng.random() < 0.75:
        text += end
    return text


def random_big_text(rng):
    """Crosses the borders of buffers: 32 KiB, 96 KiB, 256 KiB, with something rare in it."""
    kind = rng.choice(["words", "utf8", "ab", "words"])
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
            text[place:place + len(what)] = what
    return bytes(text)


def make_tree(rng, top):
    """A small tree; returns {path: bytes} of its regular files."""
    files = {}
    names = ["a.txt", "b.c", "c.h", "d", "e e", "f.txt"]
    folders = [""] + rng.sample(["sub", "sub/deep", "other.d"], rng.randrange(0, 3))
    for folder in folders:
        os.makedirs(os.path.join(top, folder), exist_ok=True)
        for name in rng.sample(names, rng.randrange(1, 4)):
            path = os.path.join(folder, name)
            files[path] = random_text(rng)
    if rng.random() < 0.35:
        files["big"] = random_big_text(rng)
    files.setdefault("a.txt", random_text(rng))
    for path, text in files.items():
        with open(os.path.join(top, path), "wb") as file:
            file.write(text)
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
            piece = text[begin:begin + rng.choice([1, 2, 3, 4, 8, 17, 40])]
            if rng.random() < 0.3:
                piece = piece.swapcase()
            return piece.replace(b"\0", b"")
    if choice < 0.6:
        return b"needle"
    return rng.choice(WORDS + (UTF8_WORDS if rng.random() < 0.6 else [])).encode()


def is_utf8(pattern):
    try:
        pattern.decode("utf-8")
        return True
    except UnicodeDecodeError:
        return False


FLAGS = ["-n", "-b", "-H", "-h", "-c", "-l", "-L", "-q", "-s", "-v", "-w", "-x", "-i", "-y", "-o", "-a", "-I",
         "-T", "-Z", "-z", "-U", "--line-buffered", "--no-ignore-case", "--no-group-separator"]
WEIGHTS = [10, 6, 4, 4, 6, 3, 2, 2, 3, 8, 8, 6, 9, 1, 8, 5, 2, 3, 2, 4, 1, 1, 1, 1]


def random_options(rng):
    options = []
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4])):
        options.append([rng.choices(FLAGS, WEIGHTS)[0]])
    if rng.random() < 0.25:
        options.append(rng.choice([["-m", "0"], ["-m1"], ["-m", "2"], ["--max-count=3"], ["-m", "-1"]]))
    if rng.random() < 0.3:
        number = str(rng.choice([0, 1, 1, 2, 3, 10]))
        options.append(rng.choice([["-A", number], ["-B" + number], ["-C", number], ["-" + number],
                                   ["--context=" + number], ["--before=" + number]]))
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
    """Operands, or standard input."""
    names = sorted(files)
    choice = rng.random()
    if recursive:
        operands = rng.choice([[], ["."], ["sub"], ["a.txt"], ["./"], ["sub", "a.txt"]])
        for name in ["--include=*.txt", "--exclude=*.c", "--exclude-dir=deep", "--include=d", "--exclude-dir=sub/",
                     "--exclude=a*", "--include=*.[ch]"]:
            if rng.random() < 0.12:
                case.arguments.append(name)
        return operands
    if choice < 0.16:
        path = rng.choice(names)
        offset = rng.choice([0, 0, 0, rng.randrange(len(files[path]) + 1)])
        case.stdin = ("file", path, offset)
        return rng.choice([[], [], ["-"], ["-", "a.txt"]])
    if choice < 0.30:
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


def make_case(rng, top, files):
    case = Case()
    case.locale = rng.choice(["C", "C.UTF-8"])
    options = random_options(rng)
    flat = [word for option in options for word in option]
    ignores_case = "-i" in flat or "-y" in flat
    patterns = [random_pattern(rng, files, case.locale != "C") for _ in range(rng.choice([1, 1, 1, 2, 3]))]
    if (ignores_case or "-w" in flat) and case.locale != "C":
        patterns = [p if all(is_utf8(line) for line in p.split(b"\n")) else b"foo" for p in patterns]
    case.patterns = patterns
    recursive = rng.random() < 0.12
    if recursive:
        options.append([rng.choice(["-r", "-R", "--recursive", "-drecurse", "--directories=recurse"])])
        if os.path.exists(os.path.join(top, "fifo")):
            options[-1] = ["-r"]  # with -R grep waits for a writer
    elif rng.random() < 0.06:
        options.append([rng.choice(["-dskip", "-Dskip", "-Dread", "-dread"])])
    operands = choose_input(rng, case, files, recursive)
    if rng.random() < 0.15:
        with open(os.path.join(top, "patterns"), "wb") as file:
            file.write(b"\n".join(patterns) + (b"\n" if rng.random() < 0.7 else b""))
        if rng.random() < 0.1:
            open(os.path.join(top, "patterns"), "wb").close()
        options.append(rng.choice([["-f", "patterns"], ["--file=patterns"]]))
        if rng.random() < 0.3:
            options.append(["-e", patterns[0]])
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
    case.arguments = case.arguments + words
    if rng.random() < 0.05:
        case.environment["GREP_COLORS"] = rng.choice(["mt=1;32", "sl=1:cx=2", "ms=01;32:mc=3:fn=:ln=33", "rv:sl=1:cx=2",
                                                      "ne", "mt=", "se=:bn=4"])
    piped_null = case.stdin is not None and case.stdin[0] == "pipe" and b"\0" in case.stdin[1]
    if rng.random() < 0.6 and not piped_null:
        case.own.append("--chunk-bytes=%d" % rng.choice([1, 7, 16, 64, 100, 1000, 4096, 40000]))
    if rng.random() < 0.5:
        case.own.append("-j%d" % rng.choice([1, 2, 3]))
    return case


def is_left_out(case, files):
    """See the top of this file."""
    words = set(case.arguments)
    shows_matches = any(str(w).startswith("--col") or w == "-o" for w in words)
    lines = b"\n".join(case.patterns).split(b"\n")
    if "-w" in words and shows_matches:
        if "-x" in words or any(line and not (line[:1].isalnum() or line[:1] in b"_" or line[0] >= 128) for line in lines):
            return True
    after = any(isinstance(w, str) and (w[:2] in ("-A", "-C") or w.startswith("--context=") or w[1:].isdigit())
                for w in words)
    before = after or any(isinstance(w, str) and (w[:2] == "-B" or w.startswith("--before")) for w in words)
    if "-v" in words and "-1" in words and "-m" in words and before:
        return True
    for text in files.values():
        if b"\0" in text[BLOCK:] and (before or max(map(len, text.split(b"\n"))) > 1000):
            return True
    if "0" in words and "-m" in words and case.stdin and case.stdin[0] == "file":
        return True
    if after and case.locale != "C":
        texts = list(files.values()) + case.patterns
        texts += [case.stdin[1]] if case.stdin and case.stdin[0] == "pipe" else []
        return not all(is_utf8(text) for text in texts)
    return False


def run(program, case, top):
    """(status, stdout, stderr, offset of standard input)"""
    environment = {"PATH": os.environ["PATH"], "LC_ALL": case.locale, "TERM": "xterm"}
    environment.update(case.environment)
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
        if name in os.environ:
            environment[name] = os.environ[name]
    arguments = program + case.arguments
    offset = None
    try:
        if case.stdin is None:
            done = subprocess.run(arguments, cwd=top, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=60)
        elif case.stdin[0] == "pipe":
            done = subprocess.run(arguments, cwd=top, env=environment, input=case.stdin[1],
                                  capture_output=True, timeout=60)
        else:
            descriptor = os.open(os.path.join(top, case.stdin[1]), os.O_RDONLY)
            os.lseek(descriptor, case.stdin[2], os.SEEK_SET)
            done = subprocess.run(arguments, cwd=top, env=environment, stdin=descriptor,
                                  capture_output=True, timeout=60)
            offset = os.lseek(descriptor, 0, os.SEEK_CUR)
            os.close(descriptor)
    except subprocess.TimeoutExpired:
        return ("timeout", b"", b"", None)
    return (done.returncode, done.stdout, done.stderr, offset)


def rename(stderr):
    return b"".join(b"trawl: " + line[6:] if line.startswith(b"grep: ") else line
                    for line in stderr.splitlines(keepends=True))


def show(name, result):
    status, out, err, offset = result
    print("  %s: status %s, stdin at %s" % (name, status, offset))
    print("    stdout %d bytes: %r" % (len(out), out[:400]))
    print("    stderr: %r" % err[:400])


def first_difference(a, b):
    for i in range(min(len(a), len(b))):
        if a[i] != b[i]:
            return i
    return min(len(a), len(b))


def main():
    trawl = os.path.abspath(sys.argv[1])
    options = sys.argv[2:]
    seed = int(os.environ.get("TRAWL_TEST_SEED") or 1)
    count = int(CASES * float(os.environ.get("TRAWL_TEST_SCALE") or 1))
    count = max(count // int(os.environ.get("TRAWL_TEST_DIVISOR") or 1), 1)
    first = int(options[options.index("--first") + 1]) if "--first" in options else 0
    if "--cases" in options:
        count = int(options[options.index("--cases") + 1])
    grep = shutil.which("grep")
    version = subprocess.run([grep, "--version"], capture_output=True).stdout if grep else b""
    if b"GNU grep" not in version:
        print("SKIPPED: there is no GNU grep here")
        return 77
    if subprocess.run([grep, "-cF", "é", "-"], input="É".encode(), env={"LC_ALL": "C.UTF-8"},
                      capture_output=True).returncode > 1:
        print("SKIPPED: grep does not run in the locale C.UTF-8")
        return 77
    failures = 0
    selected = left_out = 0
    base = tempfile.mkdtemp(prefix="trawl-grep-")
    tree_number, files, top = -1, {}, ""
    for number in range(first, first + count):
        if number // CASES_PER_TREE != tree_number:
            if top and "--keep" not in options:
                shutil.rmtree(top)
            tree_number = number // CASES_PER_TREE
            top = os.path.join(base, "tree%d" % tree_number)
            os.makedirs(top)
            files = make_tree(random.Random("%d tree %d" % (seed, tree_number)), top)
        case = make_case(random.Random("%d case %d" % (seed, number)), top, files)
        if is_left_out(case, files):
            left_out += 1
            continue
        expected = run(["grep", "-F"], case, top)
        got = run([trawl] + case.own, case, top)
        expected = (expected[0], expected[1], rename(expected[2]), expected[3])
        if expected[2] or any(w in ("-q", "-l", "-L", "-I") or str(w).startswith("--bin") for w in case.arguments):
            # grep may stop early and leave the offset where its last read(2) ended.
            expected, got = expected[:3] + (None,), got[:3] + (None,)
        selected += expected[0] == 0
        if expected != got:
            failures += 1
            if failures <= 20:
                print("case %d (seed %d), LC_ALL=%s, %s, stdin %r" %
                      (number, seed, case.locale, case.environment, case.stdin and (case.stdin[0], case.stdin[1][:60], case.stdin[2:])))
                print("  arguments: %r, and for trawl %r" % (case.arguments, case.own))
                if expected[1] != got[1]:
                    print("  stdout differs at byte %d" % first_difference(expected[1], got[1]))
                if "--verbose" in options:
                    for name in case.arguments:
                        path = os.path.join(top, os.fsdecode(name))
                        if os.path.isfile(path) and os.path.getsize(path) < 2000:
                            print("    %s: %r" % (name, open(path, "rb").read()))
                show("grep ", expected)
                show("trawl", got)
    if "--keep" in options:
        print("files are in %s" % top)
    else:
        shutil.rmtree(base)
    count -= left_out
    print("%d command lines, %d selected something, %d differ (%d left out)" % (count, selected, failures, left_out))
    if selected * 4 < count and count >= 100:
        print("too few of them select anything: the generator is broken")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
