"""texts: makes the files that competitors search, from recipes with a seed.

The folder of corpora (--data, TRAWL_DATA, ../shared/data) may contain bible.txt, world192.txt, ecoli-nc008253.txt,
rust-library.rs, words-100k.txt, subtitles-ru.txt. A generated text replaces a missing corpus. The corpus of programs
is made from files of this machine."""

import hashlib
import os
import random
import re
import shutil
import tempfile

import runner

GENERATED_BYTES, PLANTED_BYTES = 4 << 20, 1 << 26
WORDS = (
    "the and of to that in he shall unto for I his a they be is him not them it with all thou "
    "thy was which my me said but have as from when this out were are you by then there house "
    "came before king children land people water through mountain heavens brother "
    "wilderness"
).split()
NAMES = ("Habakkuk", "Moab", "Nebuchadnezzar")
CYRILLIC = (
    "и в не на я что он с как это по но они мы она так его все ты вы за бы меня только было "
    "сказал когда уже для вот кто если дом время человек дорога сегодня хорошо"
).split()
CODE = ('let mut', 'fn new(', 'self.', 'return', '&mut', 'impl', 'pub fn', 'match', 'Some(', 'Ok(())', '=> {', 'usize',
        'as u64', '// the', 'vec![', 'assert!(', 'u32', 'if x', '}', '{')  # fmt: skip
FILES = {
    "english": "bible.txt",
    "world": "world192.txt",
    "dna": "ecoli-nc008253.txt",
    "coli": "E.coli",  # the genome of SWIFT's paper, as it is in the archive
    "code": "rust-library.rs",
    "words": "words-100k.txt",
    "cyrillic": "subtitles-ru.txt",
}
CANTERBURY = "https://corpus.canterbury.ac.nz/resources/large.tar.gz"
GENOME = "https://www.ncbi.nlm.nih.gov/nuccore/NC_008253.1"  # as lower case, without the header and the line ends
ORIGINS = {  # file: (address, SHA-256)
    "bible.txt": (CANTERBURY, "4e0a7e8dff7d9c82dbded57305c0ca3cdd3c4ca014db27121782fe9710f4723f"),
    "world192.txt": (CANTERBURY, "1aebdc97d29904b25791da9aa32be90b69d7da6dc0ac9b95512ed27ed40d2112"),
    "E.coli": (CANTERBURY, "9125dfd87315961ef4286f3856098069e050cc3a2abe65735fe43e69d1996f40"),
    "ecoli-nc008253.txt": (GENOME, "54ed6842a13be15731185a6ae05efe07da0d0ca1be87da440ab932bb3e926766"),
}
OWN_BYTES, OWN_FOLDERS = 16 << 20, ("/usr/bin", "/usr/lib")


class Texts:
    """The files that a run searches, in a folder that is deleted at the end."""

    def __init__(self, options):
        self.data = (
            options.data or os.environ.get("TRAWL_DATA") or os.path.join(os.path.dirname(runner.ROOT), "shared", "data")
        )
        os.makedirs(options.directory, exist_ok=True)
        self.folder = tempfile.mkdtemp(prefix="trawl-bench.", dir=options.directory)
        self.sources = {}

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def has(self, kind):
        return os.path.isfile(os.path.join(self.data, FILES[kind]))

    def source(self, kind):
        """Return (bytes, name) of a corpus. A missing corpus is generated."""
        if kind in self.sources:
            return self.sources[kind]
        path = os.path.join(self.data, FILES.get(kind, ""))
        if kind in FILES and os.path.isfile(path):
            with open(path, "rb") as file:
                made = file.read(), FILES[kind]
            _, sum_known = ORIGINS.get(FILES[kind], ("", ""))
            if sum_known and hashlib.sha256(made[0]).hexdigest() != sum_known:
                made = made[0], f"another {FILES[kind]}"
                print(f"{path} is not the file with the SHA-256 {sum_known}")
        elif kind == "programs":
            made = own_files(OWN_FOLDERS, ""), "programs of this machine"
        elif kind == "words":
            made = self.source("english")
        else:
            made = generate(kind), f"generated {kind}, seed 1"
            if FILES.get(kind) in ORIGINS:
                print(f"{path} is missing ({ORIGINS[FILES[kind]][0]}): a generated text takes its place")
        self.sources[kind] = made
        return made

    def write(self, name, content):
        """Write a file unless it exists, and return the path."""
        path = self.path(name)
        if not os.path.exists(path):
            with open(path, "wb") as file:
                file.write(content)
        return path

    def corpus(self, kind, count, line=0):
        """Make a file of `count` bytes (0: the corpus's size) from a corpus, with a line end at the end.
        line: drop the corpus's line ends, and make lines of `line` bytes (-1: a single line)."""
        path = self.path(f"{kind}-{count}-{line}")
        if os.path.exists(path):
            return path
        content = self.source(kind)[0]
        if line:
            content = content.replace(b"\n", b"")
        if line > 0:
            content = b"".join(content[i : i + line] + b"\n" for i in range(0, len(content), line))
        repeat_into(path, content, count or len(content))
        return path

    def recipe(self, name, count):
        """Return the recipe for trawl-bench of a text of at least `count` bytes: "letters", "repeat:ab", "piece:31" (so many
        letters, repeated), a prefix of the infinite word "fibonacci" or "thue-morse", or "plant:PATTERN:1000": letters,
        with the pattern at each multiple of 1000."""
        kind, *parts = name.split(":")
        if kind == "letters":
            return name
        if kind == "plant":
            every = int(parts[1])
            made = bytearray(letters((PLANTED_BYTES // every or 1) * every, 1))
            for at in range(0, len(made), every):
                made[at : at + len(parts[0])] = parts[0].encode()
        elif kind in ("repeat", "piece"):
            made = parts[0].encode() if kind == "repeat" else letters(int(parts[0]), 1)
        else:
            made, before = b"ab", b"a"
            while len(made) < count:
                before, made = (
                    made,
                    made + (before if kind == "fibonacci" else made.translate(bytes.maketrans(b"ab", b"ba"))),
                )
        return f"file:{self.write(f'{name}-{count}', made)}"

    def patterns(self, name, patterns):
        return self.write(name, b"".join(pattern + b"\n" for pattern in patterns))


def repeat_into(path, content, count):
    """Write a file of `count` bytes that repeats the content and ends in a line end."""
    with open(path, "wb") as file:
        left = count - 1
        while left > 0:
            left -= file.write(content[:left])
        file.write(b"\n")
        file.flush()
        os.fdatasync(file.fileno())  # writing back later would disturb the competitors


def own_files(folders, endings):
    """Return the first OWN_BYTES bytes of the machine's files, in the order of names."""
    parts, left = [], OWN_BYTES
    for parent, inner, names in (it for folder in folders for it in os.walk(folder)):
        inner.sort()
        for path in (os.path.join(parent, name) for name in sorted(names) if name.endswith(endings)):
            if left > 0 and os.path.isfile(path) and not os.path.islink(path):
                try:
                    with open(path, "rb") as file:
                        parts.append(file.read(left))
                except OSError:  # this user may not read the file
                    continue
                left -= len(parts[-1])
        if left <= 0:
            break
    return b"".join(parts)


# ---- Generated texts ------------------------------------------------------------------------


LETTERS = b"abcdefghijklmnopqrstuvwxyz"


def letters(count, seed, alphabet=LETTERS):
    table = bytes(alphabet[i * len(alphabet) >> 8] for i in range(256))
    return random.Random(seed).randbytes(count).translate(table)


def words_text(draw, words, names):
    """Make lines of 8 to 37 words with falling frequencies; names are rare."""
    lines, total = [], 0
    while total < GENERATED_BYTES:
        line = [
            names[int(draw.random() * len(names))]
            if draw.random() < 0.0003
            else words[int(draw.random() ** 2 * len(words))]
            for _ in range(draw.randrange(8, 38))
        ]
        lines.append(" ".join(line))
        total += len(lines[-1])
    return "\n".join(lines).encode() + b"\n"


def log_line(draw, number):
    """Return a made-up line of a log."""
    level = draw.choices(("INFO", "DEBUG", "WARN", "ERROR"), (80, 15, 4, 1))[0]
    return (
        f"2026-11-{number % 28 + 1:02} {number % 24:02}:{number % 60:02}:{draw.randrange(60):02}"
        f".{draw.randrange(1000):03} {level} worker-{draw.randrange(64)} "
        f"request id={draw.getrandbits(64):016x} path=/api/v1/items/{draw.randrange(10**6)} "
        f"status={draw.choice((200, 200, 200, 204, 304, 404, 500))} "
        f"ms={draw.expovariate(1 / 20):.1f}"
    )


def request_line(draw, number):
    """Return a line of a log in which 2 % of the lines have status 500, and one in 22 is an error."""
    return (
        f"2026-11-{draw.randint(1, 28):02} {draw.randrange(24):02}:{draw.randrange(60):02}:{draw.randrange(60):02}"
        f".{draw.randrange(1000):03} {'ERROR' if draw.random() < 1 / 22 else 'INFO'} [worker-{draw.randrange(16)}] "
        f"request id={draw.getrandbits(64):016x} path=/api/v1/items/{draw.randrange(1000)} "
        f"status={500 if draw.random() < 0.02 else 200}"
    )


def code_line(draw, number):
    return "    " * draw.randrange(5) + " ".join(draw.choices(CODE, k=draw.randrange(1, 7)))


def generate(kind):
    """Return made-up text of a kind, for machines without a corpus of this kind. The text is the
    same on each machine."""
    draw = random.Random(1)
    if kind == "dna":
        return letters(GENERATED_BYTES, 1, b"acgt")
    if kind in ("english", "world"):
        return words_text(random.Random(1 if kind == "english" else 2), WORDS, NAMES)
    if kind == "cyrillic":
        return words_text(draw, CYRILLIC, ("Достоевский", "Аввакум"))
    line = {"log": log_line, "requests": request_line, "code": code_line}[kind]
    lines = [line(draw, number) for number in range(160000 if kind == "requests" else 40000)]
    return "\n".join(lines).encode() + b"\n"


# ---- Patterns -------------------------------------------------------------------------------


def pieces(text, count, least, most, seed=5):
    """Take pieces of the text's lines from random offsets."""
    draw, found = random.Random(seed), []
    while len(found) < count:
        length = draw.randint(least, most)
        at = draw.randrange(len(text) - length)
        if b"\n" not in text[at : at + length]:
            found.append(text[at : at + length])
    return found


def distinct(patterns, most):
    """Return at most `most` different patterns, shuffled."""
    left = sorted(set(patterns))
    random.Random(7).shuffle(left)
    return left[:most]


def words(text, least):
    return [word for word in re.findall(rb"[A-Za-z]+", text) if len(word) >= least]


def mixed(text, kind, count):
    """Return strings of the text of mixed lengths: whole words of 3 to 20 bytes, or pieces of lines of 2 to
    300 bytes."""
    if kind == "words of 3 to 20 bytes":
        return distinct((it for it in re.findall(rb"[A-Za-z0-9_\x80-\xff]+", text) if 3 <= len(it) <= 20), count)
    return distinct(pieces(text, count + count // 8 + 8, 2, 300), count)


# ---- Trees ----------------------------------------------------------------------------------


def write_tree(folder, count, content):
    """Make folders of small files with `count` bytes in all, and .ignore files that exclude a quarter.
    Return the number of files."""
    draw, done, number = random.Random(13), 0, 0
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, ".ignore"), "w", encoding="utf-8") as file:
        file.write("*.skip\n/nothing/\n")
    while done < count:
        parent = os.path.join(folder, f"top{number // 4000}", f"part{number // 50}")
        if number % 50 == 0:
            os.makedirs(parent, exist_ok=True)
            with open(os.path.join(parent, ".ignore"), "w", encoding="utf-8") as file:
                file.write("*3.txt\n*7.txt\n")
        length = min(draw.randrange(512, 42464), len(content))
        at = content.rfind(b"\n", 0, draw.randrange(len(content) - length + 1) + 1) + 1
        end = content.rfind(b"\n", at, at + length) + 1 or at + length
        name = f"file{number}.skip" if number % 20 == 0 else f"file{number}.txt"
        with open(os.path.join(parent, name), "wb") as file:
            done += file.write(content[at:end])
        number += 1
    os.sync()
    return number
