"""Sends random sequences of requests over connections, and compares whole answers. Each answer of the server, its
headers, and the sums that the server reports must be those of a model and of the command without a server.

Servers differ in address, memory, collections, token and limits. Requests have the members and options of queries, chunked
or not, alone, together, or cut at random places; some are wrong. Options, kinds of answers and servers are drawn so
that each pair of values occurs (class Pairs). Each request must get its own answer, whatever came before: bodies of
rejected requests are kept in memory, and a client may have only a few queries, so the server rejects later requests if
an earlier one does not release its memory and its place.
"""

import base64
import contextlib
import gzip
import http.client
import io
import itertools
import json
import operator
import os
import random
import re
import socket
import struct
import threading
import time

from harness import DIVISOR, SCALE, SEED, SERVE, TRAWL, execute, until, write
from server import Server, frames_of

FILES = {b"a.txt": b"one needle\nno\nneedle needle\n", b"sub/b.c": b"int needle;\n", b"sub/none.c": b"nothing\n",
         b"none": b"", b"x\xff": b"straw\n\xff needle", b"many": b"".join(b"%d straw\nno\n" % i for i in range(200)),
         b"quoted": b'a "[[[[[[[[[[ b\\\n', b"nul.c": b"int\0needle\nno\0\n", b".hidden": b"no Needle\n",
         b"sub/x.o": b"int needle\n", b"sub/deep/c.h": b"needlenee\nNO no\nint\n",
         b"wide": "\ufeffone needle\nstraw\n".encode("utf-16le"), b"utf": "\u00c9 needle\u00e9\nno\u00e9\n".encode(),
         b"packed.gz": gzip.compress(b"one packed needle\nno\n", mtime=0),
         b"sub/p.gz": gzip.compress(b"nee packed int\n", mtime=0),
         b"broken.gz": gzip.compress(b"one needle\n" * 9, mtime=0)[:-9]}  # fmt: skip
UNPACKED = {b"packed.gz": 21, b"sub/p.gz": 15}  # bytes of the compressed files, decompressed
WORDS = ["needle", "no", "int", "nothing", "straw", "absent", "a needle", '"[[[[[[[[[[ b', "b\\", "nee", "n", "\u00e9",
         "\u00c9 need", "\udcff", "n.e", "^no"]  # fmt: skip
BODY, PATTERNS = 256 << 10, 3  # --max-request, --max-patterns
KINDS = ["json", "frames", "columns", "count", "files"]
TYPES = {
    "json": "application/x-ndjson",
    "frames": "application/octet-stream",
    "columns": "application/octet-stream",
    "count": "application/json",
    "files": "application/x-ndjson",
}
ANSWERED = ["trawl_answer_seconds_count", 'trawl_answer_seconds_bucket{le="+Inf"}']
SUMS = ["trawl_refused_total", "trawl_cancelled_total", *ANSWERED, "trawl_answer_bytes_total"]
SUMS += ['trawl_requests_total{kind="%s"}' % kind for kind in KINDS]
TIMES = re.compile(rb'"(secs|nanos)":\d+|"human":"[^"]*"|"elapsed(_total)?":\{[^}]*\}')
# for a binary file, the number depends on how far a thread has read
READ = re.compile(TIMES.pattern + rb'|"bytes_searched":\d+')
draw = random.Random(SEED)
own_passes = [0]  # passes for one request alone, as counted by the servers, in total


class Pairs:
    """Draws a value for each factor, so that each pair of values of two factors comes up soon."""

    def __init__(self, factors):
        self.factors = factors
        numbered = {name: [(name, i) for i in range(len(values))] for name, values in factors.items()}
        self.left = {
            pair
            for one, other in itertools.combinations(factors, 2)
            for pair in itertools.product(numbered[one], numbered[other])
        }

    def draw(self):
        rows = [{name: draw.randrange(len(values)) for name, values in self.factors.items()} for _ in range(12)]
        best = max(rows, key=lambda row: len(self.left.intersection(itertools.combinations(row.items(), 2))))
        self.left.difference_update(itertools.combinations(best.items(), 2))
        return {name: values[best[name]] for name, values in self.factors.items()}


ADDRESSES = ["unix", "127.0.0.1:0", "[::1]:0", "127.3.2.1:0", "[::ffff:127.0.0.1]:0", "127.1:0"]
servers = Pairs({"listen": ADDRESSES, "memory": [None, None, 1500, 1], "zip": [False, True], "inner": [None, "inner", 'i\\n"n\ne'], "token": [None, "a secret"],
                 "results": [4, None], "all": ["16M", "256M"], "kept": [[], ["--exclude=quoted"], ["--ignore", "-g!none.c"]]})  # fmt: skip
queries = Pairs({
    "kind": [*KINDS[:4], "columns"], "case": [[], ["-i"], ["--smart-case"]], "whole": [[], ["-w"], ["-x"]], "end": [[], [], ["-z"]],
    "syntax": [[], [], ["--hex"], ["-P"], ["--mismatches=1"]], "sort": [[], ["--sort=path"], ["--sortr=path"]],
    "files": [[], [], ["--include=*.c"], ["-g!sub"], ["--max-filesize=20"], ["--max-depth=1"], ["--exclude-dir=deep"], ["-tc", "--hidden"]],
    "place": [(None, []), ("", []), ("", ["."]), ("", ["sub", "nothing", "sub"]), ("sub", ["b.c", "./deep"]), ("", ["a.txt", "many", "x\udcff"]),
              ("sub/", [".//"]), ("", ["sub/../a.txt"]),
              (None, ["a.txt", "many"]), (None, ["ROOT/a.txt", "ROOT/nul.c"]), (None, ["ROOT/sub/b.c"]), ("sub", ["ROOT/utf", "deep/c.h", "deep/c.h", "ROOT/utf"])],
    "most": [None, None, 1, 2, 8], "charset": [None, None, "utf-8", "c"], "joint": [{}, {}, {"part": True}, {"continued": True}, {"continued": True, "part": True}], "named": [False, True], "tg": [False, False, True],
    "layout": [[], [], ["-v"], ["-c"], ["-l"], ["-L", "-Z"], ["-l", "-Z"], ["-Z", "-n"], ["-c", "-Z"], ["--encoding=auto"], ["--encoding=latin1", "-n"],
               ["-o", "-b"], ["-C1", "-n"], ["-A1"], ["-m1", "-H"], ["--count-matches"], ["-h", "-z"], ["--passthru"],
               ["-q"], ["--column", "-a"]]})  # fmt: skip
# options that --json takes only with a different meaning, or not at all
NO_JSON = (["-c"], ["-l"], ["-L"], ["-q"], ["--count-matches"])
SEPARATED = ("-C1", "-A1")  # options that print groups of lines
# letters that mean something else to tg
LONG = {"-L": "--files-without-match", "-Z": "--null", "-h": "--no-filename", "-z": "--null-data"}


class Kept(io.BufferedReader):
    """The received bytes of a connection, as a file. Python's answer object closes its file, but this file must stay open
    for the connection's next answer."""

    def close(self):
        pass

    def makefile(self, *_):
        return self


class Model:
    """A server, the files that it serves, and the sums that it should report."""

    def __init__(self, folder, number):
        self.row = servers.draw()
        self.root = os.path.join(folder, "tree")
        self.sums, self.known = dict.fromkeys(SUMS, 0), {}
        self.begun, self.seconds = time.monotonic(), 0  # when the server starts, and the sum of times in answers
        row = self.row
        listen = "unix:" + os.path.join(folder, "socket%d" % number) if row["listen"] == "unix" else row["listen"]
        token = os.path.join(folder, "token")
        write(token, "a secret\n")
        self.options = [*row["kept"], *(["--search-zip"] if row["zip"] else [])]
        self.headers = {"Authorization": "Bearer " + row["token"]} if row["token"] else {}
        given = {"max-results": row["results"], "host-memory": row["memory"], "token-file": row["token"] and token}
        given |= {"max-request": BODY, "max-patterns": PATTERNS, "max-queries": 4, "request-memory": row["all"]}
        options = ["--%s=%s" % (name, value) for name, value in given.items() if value]
        roots = [self.root, *([row["inner"] + "=" + self.root + "/sub"] if row["inner"] else [])]
        self.server = Server([SERVE], "--listen=" + listen, *options, *self.options, *roots)
        listed = self.run(["--files", "-r", *row["kept"]], [], self.root)[1].split(b"\n")[:-1]
        self.files = {name: FILES[name] for name in listed}

    def metric(self, name):
        text = self.server.ask("GET", "/metrics", **self.headers)[2].decode()
        return float(re.search(r"^%s (\S+)$" % re.escape(name), text, re.MULTILINE)[1])

    def run(self, options, words, folder, paths=(), tg=False, charset=None):
        """Returns the exit status, the output and the messages of the command without a server."""
        key = repr((options, words, folder, paths, tg, charset == "c"))
        if key not in self.known:
            command = ["tg" if tg else "trawl", "--sort=path", *options, *("-e" + word for word in words), "--", *paths]
            locale = {**os.environ, "LC_ALL": "C" if charset == "c" else "C.UTF-8"}
            status, output, said = execute(command, folder, executable=TRAWL, env=locale)
            self.known[key] = status, output, re.split(rb"(?:\A|\n)(?:trawl|tg): ", said.rstrip(b"\n"))[1:]
        return self.known[key]

    def served(self):
        """Checks /v1/files, /v1/collections and the sizes in /metrics, and stores what other checks need. Returns what is wrong."""
        row, unplain = self.row, self.row["zip"]
        sizes = {name: UNPACKED.get(name, len(text)) if unplain else len(text) for name, text in self.files.items()}
        lines = self.server.ask("GET", "/v1/files?collection=tree", **self.headers)[2].splitlines()
        got = {text_of(line["path"]): (line["bytes"], line["held"]) for line in map(json.loads, lines)}
        self.sums['trawl_requests_total{kind="files"}'] += 1
        for name in ANSWERED:
            self.sums[name] += 1
        self.sums["trawl_answer_bytes_total"] = self.metric("trawl_answer_bytes_total")
        held = [name for name, (_, is_held) in got.items() if is_held]
        self.block_bytes = sum(sizes[name] + 1 for name in held)
        listed = {name: size for name, (size, _) in got.items()}
        wrong = [got] if listed != {name: len(text) for name, text in self.files.items()} else []
        if row["memory"] is None:
            good = set(held) == {name for name in got if name != b"broken.gz" or not row["zip"]}
        elif row["memory"] == 1:
            good = not any(sizes[name] for name in held)
        else:
            good = 0 < self.block_bytes < row["memory"]
        if not good:
            wrong.append("held: %r" % held)
        facts = json.loads(self.server.ask("GET", "/v1/collections", **self.headers)[2])["collections"]
        inner = {name[4:]: len(text) for name, text in self.files.items() if name.startswith(b"sub/")}
        expected = {
            "name": "tree",
            "root": self.root,
            "link": "",
            "files": len(got),
            "bytes": sum(map(len, self.files.values())),
            "held_bytes": sum(sizes[name] for name in held),
            "device_bytes": 0,
            "unheld_files": len(got) - len(held),
            "loading": False,
        }
        others = [(item["name"], item["root"], item["files"], item["bytes"]) for item in facts[1:]]
        expected_others = [(row["inner"], self.root + "/sub", len(inner), sum(inner.values()))] * bool(row["inner"])
        times = {name: facts[0].pop(name) for name in ("state", "load_seconds")}
        if facts[0] != expected or others != expected_others:
            wrong.append("collections: %r, expected %r" % (facts, expected))
        facts[0].update(times)
        if not 0 < times["load_seconds"] < time.monotonic() - self.begun or times["state"] < 1:
            wrong.append("collections: %r" % facts)
        told = "trawl-serve: tree: %(files)d files, %(bytes)d bytes: %(held_bytes)d in memory, %(device_bytes)d on devices; "
        told = (told + "loaded in %(load_seconds).3f s") % facts[0]
        if told not in self.server.messages:
            wrong.append("messages: %r, expected %r" % (self.server.messages, told))
        shown = "unix:" if row["listen"] == "unix" else "http://" + row["listen"][:-1].replace("127.1:", "127.0.0.1:")
        if not self.server.address.startswith(shown):
            wrong.append("the address: %r, expected %r" % (self.server.address, shown))
        shown = ("files", "bytes", "held_bytes", "device_bytes", "unheld_files", "state")
        for name, one in itertools.product(shown, facts):
            label = one["name"].replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            if self.metric('trawl_collection_%s{collection="%s"}' % (name, label)) != one[name]:
                wrong.append("metrics: %s of %s" % (name, label))
        pages = self.metric("process_resident_memory_bytes") / os.sysconf("SC_PAGE_SIZE")
        with open("/proc/%d/statm" % self.server.process.pid) as file:
            mapped, resident = map(int, file.read().split()[:2])
        if not resident / 2 < pages < min(2 * resident, mapped):
            wrong.append("resident memory: %r pages of %d" % (pages, resident))
        return wrong

    def totals(self):
        """Returns what is wrong in the sums."""
        got = {name: self.metric(name) for name in SUMS}
        passes, own, asked, shared = (
            self.metric("trawl_%s_total" % name)
            for name in ("passes", "own_passes", "pass_requests", "shared_requests")
        )
        waiting, searched = self.metric("trawl_waiting"), self.metric("trawl_searched_bytes_total")
        took, own_passes[0] = self.metric("trawl_search_seconds_total"), own_passes[0] + own
        text = self.server.ask("GET", "/metrics", **self.headers)[2].decode()
        rows = re.findall(r'^trawl_answer_seconds_bucket\{le="([^"]*)"\} (\d+)$', text, re.MULTILINE)
        counts = [int(count) for _, count in rows]
        # Each answer between two bounds of the histogram took at least the lower and at most the upper bound. The server
        # counts whole microseconds.
        spent, bounds = self.metric("trawl_answer_seconds_sum"), [2**i / 1e6 for i in range(31)]
        each = [now - was for now, was in zip(counts, [0, *counts])]
        spends = sum(map(operator.mul, each, [0, *bounds])) <= spent + 1e-6 and (
            each[-1] or spent <= sum((bound + 1e-6) * count for bound, count in zip(bounds, each))
        )
        good = (
            passes == asked >= own
            and shared == waiting == 0
            and searched == passes * self.block_bytes
            and (took > 0) == (passes > 0)
        )
        latency = (
            [le for le, _ in rows] == ["%.6f" % (2**i / 1e6) for i in range(31)] + ["+Inf"]
            and counts == sorted(counts)
            and counts[0] == 0
        )
        kinds = sum(map(float, re.findall(r"^trawl_kind_seconds_total\{.*\} (\S+)$", text, re.MULTILINE)))
        good = (
            good
            and latency
            and spends
            and abs(kinds - spent) < 1e-6
            and self.seconds < spent + 1e-6 < time.monotonic() - self.begun
            and took <= spent
        )
        facts = passes, own, asked, shared, waiting, searched, self.block_bytes, took, spent, each
        wrong = [] if good else ["passes: %r" % (facts,)]
        return wrong if got == self.sums else [*wrong, "sums: %r, expected %r" % (got, self.sums)]


def text_of(value):
    return value.encode() if isinstance(value, str) else base64.b64decode(value["bytes"])


def value_of(text):
    """Returns a path as a value of JSON."""
    if text.isascii() or draw.random() < 0.5 and "\udcff" not in text:
        return text
    return {"bytes": base64.b64encode(os.fsencode(text)).decode()}


def strings(words, tg):
    """Returns the `patterns` member for the words, as list items, lines of items and files."""
    items, count = [], len(words)
    for begin, end in zip((cuts := [0, *sorted(draw.sample(range(1, count), draw.randrange(count))), count]), cuts[1:]):
        text = "\n".join(words[begin:end])
        kind = draw.random()
        coded = {"bytes": base64.b64encode(os.fsencode(text)).decode()}
        text = {"text": text} if "\udcff" not in text else coded
        if tg and end > begin + 1:  # for tg, a line end separates strings only in files
            kind = 1
        items.append(coded if kind < 0.1 else text.get("text", coded) if kind < 0.7 else {"name": "f", **text})
    return items


def parts_of(got):
    """Returns the output, the messages, the status and the bytes after the status of an answer
    of frames; None: the frames are wrong."""
    *frames, (last, end) = frames_of(got)
    if last != b"x" or not {kind for kind, _ in frames} <= {b"o", b"m"}:
        return None
    output = b"".join(text for kind, text in frames if kind == b"o")
    return output, [text for kind, text in frames if kind == b"m"], end[0], end[1:]


def occurrences(model, row, words, options, folder, paths):
    """Returns the command's exit status, its occurrences [(file, begin, string)] in its walk order, and its
    messages."""
    more = ["--search-zip"] if row["zip"] else []
    more += ["--encoding=none"] if row["tg"] else []
    more += ["--positions", "--pattern-number", "--with-filename"]
    status, output, messages = model.run([*options, *more], words, folder, paths, row["tg"], row["charset"])
    rows = [line.rsplit(b":", 2) for line in output.splitlines()]
    firsts = {os.path.normpath(name): name for name, _, _ in reversed(rows)}  # a file that is listed twice counts once
    found = dict.fromkeys(
        (name, int(begin), int(number) - 1) for name, begin, number in rows if firsts[os.path.normpath(name)] == name
    )
    return status, [one for one in found if words.index(words[one[2]]) == one[2]], messages


def query(model):
    """Returns a path, a body, the status, a part of the message, whether a search begins, and a function that checks the answer."""
    row = {**queries.draw(), "zip": model.row["zip"]}
    passes = row["tg"] and row["kind"] in ("json", "frames") and draw.random() < 0.4
    if passes:  # a rare string in all files: a pass finds the files
        row.update(files=[], syntax=[], whole=[], end=[], place=(None, []), named=True)
    row["charset"] = None if row["tg"] else row["charset"]  # tg has UTF-8 in every locale
    count = 1 if passes else draw.choice([1, 1, 2, 2, 3] * 4 + [PATTERNS + 1])
    words = ["needle"] if passes else draw.choices(WORDS, k=count)
    if draw.random() < 0.8:  # most queries are searches, not mistakes
        if "--mismatches=1" in row["syntax"]:
            words = [word * 3 if len(word) < 2 else word for word in words]
        if "-P" in row["syntax"] or row["tg"]:
            words = [word.replace("[", "") for word in words]
        row["layout"] = [] if row["kind"] == "json" and row["layout"][:1] in NO_JSON else row["layout"]
    plain = words
    if "--hex" in row["syntax"] and draw.random() < 0.9:
        words = [os.fsencode(word + draw.choice(["", "\n"])).hex() for word in words]
    options = [*row["case"], *row["whole"], *row["end"], *row["syntax"], *row["files"], *row["sort"]]
    lists, kind = row["kind"] in ("count", "columns"), row["kind"]
    # expressions need more than 16 MB, and counts with -z do not accept expressions
    if model.row["all"] == "16M" or row["end"] and (not lists or draw.random() < 0.7):
        options = [word for word in options if word != "-P"]
        options += ["--fixed-strings"] * (row["tg"] and "--hex" not in options)
    elif row["tg"] and "--hex" not in options and "-P" not in options and (passes or draw.random() < 0.5):
        options.append("--fixed-strings")
    layout = [] if lists else row["layout"]
    if row["tg"]:
        options, layout = ([LONG.get(word, word) for word in each] for each in (options, layout))
    folder, paths = row["place"][0], [path.replace("ROOT", model.root) for path in row["place"][1]]
    asks = [*options, *layout]
    draw.shuffle(asks)
    kept = model.row["kept"]
    if not row["tg"]:
        asks.append("--recursive")
    elif "--ignore" not in kept:
        asks.append("--no-ignore")
    if "--ignore" in kept and folder is not None:  # the rules about ignored files must be the server's
        asks += kept
    body = {"patterns": strings(words, row["tg"]), "options": asks, "tg": row["tg"]}
    most = min(row["most"] or 1 << 40, model.row["results"] or 1 << 40)
    if row["most"]:
        body["max_results"] = row["most"]
    if folder is not None:
        body["directory"] = os.path.join(model.root, folder) if folder else model.root
    if paths:
        body["paths"] = [value_of(path) for path in paths]
    if row["named"] or not (paths or folder is not None):
        body["collection"] = "tree"
    if row["charset"]:
        body["environment"] = {"charset": row["charset"]}
    body.update(row["joint"] if kind == "frames" else {})
    if kind != "count":
        body["format"] = kind
    path = "/v1/count" if kind == "count" else "/v1/search"
    cwd = os.path.join(model.root, folder or "")
    mine = [*asks, *(kept if folder is None else [])]

    def refused(status, message, begins=True):
        return path, body, status, message, begins, None

    if count > PATTERNS:
        return refused(413, "there are more than %d strings to be searched for" % PATTERNS, False)
    is_inner = all(path.startswith(model.root + "/sub/") or path[0] != "/" for path in paths)
    if folder is None and paths and model.row["inner"] and not row["named"] and is_inner:
        return refused(400, "collection: the request has to name one of the 2 collections", False)
    if lists:
        status, found, messages = occurrences(model, row, words, mine, cwd, paths)
    else:
        asked = mine + ["--json"] * (kind == "json")
        status, output, messages = model.run(asked, words, cwd, paths, row["tg"], row["charset"])
        output = READ.sub(b"", output)
    about_files = rb": No such file|Is a directory|broken\.gz"
    if status == 2 and (b"cannot" in messages[0] or not any(re.search(about_files, it) for it in messages)):
        # the command asks PCRE2, which this server may not use
        said = re.sub(rb"missing terminating \].*", b"the bracket is not closed\n    ", messages[0], flags=re.DOTALL)
        if kind == "frames":
            return path, body, 200, None, True, lambda got: is_mistake(parts_of(got), said)
        return refused(400, os.fsdecode(said))
    folds = "-i" in asks or "--smart-case" in asks and not any(char.isupper() for word in plain for char in word)
    invalid = any("\udcff" in word for word in plain)
    reads_text = row["charset"] != "c" and not {"-x", "--mismatches=1"} & set(asks) and (folds or "-w" in asks)
    if lists and reads_text and invalid:
        return refused(422, "a string is not valid text in the server's charset, so it cannot be counted")
    reads = "-P" in asks or row["tg"] and not {"--fixed-strings", "--hex", "--mismatches=1"} & set(asks)
    if lists and row["end"] and ("-x" in asks or reads):
        return refused(422, "counts and columns are not served with -z beside -x or regular expressions")
    if any(".." in path for path in paths):
        return refused(409, 'sub/../a.txt: the server does not take "..": use a path without ".."')
    walks = not paths or any(os.path.isdir(os.path.join(cwd, path)) for path in paths)
    chooses = any(option[:2] in ("-g", "-t") for option in row["files"])
    if walks and folder is not None and "--ignore" in kept and chooses:
        other = "the collection tree was loaded with other options about which files are left out: "
        return refused(422, other + "search with the server's options")
    about_files = [it for it in mine if it in options or it == "--recursive" or it in model.row["kept"]]
    reached = model.run([*about_files, "--files"], [], cwd, paths, row["tg"])[1].splitlines()
    reached = [os.path.relpath(os.path.join(cwd, os.fsdecode(line)), model.root) for line in reached]
    missing = list(dict.fromkeys(name for name in reached if os.fsencode(name) not in model.files))
    if folder is not None and missing:
        others = "%s and %d more files: the collection tree leaves them out" % (missing[0], len(missing) - 1)
        return refused(409, others if len(missing) > 1 else missing[0] + ": the collection tree leaves it out")
    if lists:
        return path, body, 200, None, True, lambda got: is_counted(model, row, words, found, len(messages), most, got)
    # As in grep, the separator is printed before a line even if a NUL later shows that the line is not text. Then it is
    # discarded together with the lines before the NUL.
    is_group = output or any(
        b"\0" not in FILES.get(os.path.basename(message.removesuffix(b": binary file matches")), b"\0")
        for message in messages
    )
    separator = b"--\0" if row["tg"] and "--null-data" in asks else b"--\n"
    if kind == "frames" and is_group and row["joint"].get("continued") and any(option in asks for option in SEPARATED):
        output = separator + output
    lines = (
        output.splitlines(keepends=True)
        if kind == "json"
        else re.findall(rb"[^\0]*\0|[^\0]+$" if is_null(asks) else rb"[^\n]*\n|[^\n]+$", output)
    )
    counted = [i for i, line in enumerate(lines) if kind == "frames" or line.startswith(b'{"type":"match"')]
    cut = len(counted) > most
    kept = lines[: counted[most]] if cut else lines
    files = [line for line in kept if line.startswith((b'{"type":"begin"', b'{"type":"end"'))]
    if kind == "json" and files and b'"begin"' in files[-1][:15]:  # the file that was truncated
        kept.append(files[-1].replace(b"begin", b"end", 1)[:-3] + b',"binary_offset":null}}\n')
    output = b"".join(kept)
    if kind == "frames":
        part, has_groups = row["joint"].get("part", False), any(option in asks for option in SEPARATED)
        marks = part and has_groups
        end = (2 if cut else status, marks and output != b"", part, separator if marks else b"")
        said = [b"--server: the answer was cut off after %d lines, by --max-results or max_results" % most] * cut
        return path, body, 200, None, True, lambda got: is_printed(parts_of(got), output, messages, said, end)
    return path, body, 200, None, True, lambda got: is_json(model, got, output, messages, 0 if cut else status, cut)


def placeless(messages):
    """Returns the messages without the place of a string, which in a request may be a file."""
    return [re.sub(rb"\A(f:\d+|(string|expression) \d of \d): ", b"", message) for message in messages]


def is_said(shown, said):
    """Returns True if the message shown is `said`, or if it begins with `said` and that ends in a blank."""
    shown, said = placeless([shown, said])
    return shown == said or (said[-1:] == b" " and shown.startswith(said))


def is_mistake(frames, said):
    """Returns True if the frames contain only this message about an invalid expression or option."""
    return frames[0] == b"" and frames[2] & 0x3F == 2 and is_said(frames[1][0], said)


def is_error(answer, status, said):
    """Returns True if the answer is this error."""
    message = answer.get("error", {}).get("message", "")
    text = os.fsencode(message if isinstance(message, str) else text_of(message))
    return answer == {"error": {"status": status, "message": message}} and is_said(text, os.fsencode(said))


def is_null(asks):
    """Returns True if lines of the output end in a NUL byte."""
    if {"-l", "-L", "--files-without-match"} & {*asks}:
        return bool({"-Z", "--null"} & {*asks})
    return bool({"-z", "--null-data"} & {*asks} and not {"-c", "--count-matches"} & {*asks})


def is_printed(frames, output, messages, said, end):
    """Returns True if frames have this output, the command's messages, and this end. An end is the status, whether groups of
    lines must and may be marked, and the separator. A truncated answer may lack some messages."""
    told = frames[1] == messages if not said else frames[1][-1:] == said and set(frames[1][:-1]) <= set(messages)
    return (
        TIMES.sub(b"", frames[0]) == output
        and told
        and frames[2] & 0x3F == end[0]
        and (end[2] or frames[2] < 0x40)
        and end[1] <= frames[2] >> 7 <= end[2]
        and frames[3] == end[3]
    )


def is_json(model, got, output, messages, status, cut):
    lines = got.splitlines(keepends=True)
    said = [line for line in lines if line.startswith(b'{"type":"message"')]
    rest = b"".join(READ.sub(b"", line) for line in lines[:-1] if line not in said)
    last = json.loads(lines[-1])
    seconds = last["data"].pop("seconds")
    model.seconds += seconds
    searched = cut or b'"searches":0,' not in rest[rest.rfind(b'"stats"') :]
    facts = {"exit": status, "truncated": cut, "searched": searched, "shared": 1}
    told = cut or [json.loads(line)["data"]["text"].encode() for line in said] == messages
    return rest == output and told and 0 < seconds < 60 and last == {"type": "status", "data": facts}


def is_counted(model, row, words, found, unread, most, got):
    """Returns True if an answer of counts or columns has the occurrences."""
    if row["kind"] == "count":
        answer = json.loads(got)
        seconds = answer.pop("seconds")
        model.seconds += seconds
        opened = answer.pop("bytes") - model.block_bytes  # of the files that are not held
        each = [sum(number == words.index(word) for _, _, number in found) for word in words]
        wanted = {"occurrences": len(found), "files": len({name for name, _, _ in found}), "patterns": each}
        return 0 < seconds < 60 and opened >= 0 and answer == {**wanted, "unread": unread, "shared": 1}
    head, numbers = got.split(b"\n", 1)
    answer = json.loads(head)
    count = min(most, len(found))
    names = [text_of(name) for name in answer.pop("files")]
    wanted = {"count": count, "total": len(found), "unread": unread, "columns": ["begin", "file", "pattern"]}
    if answer != wanted or len(numbers) != 16 * count:
        return False
    columns = struct.unpack("<%dQ%dI" % (count, 2 * count), numbers)
    rows = zip(columns[:count], columns[count : 2 * count], columns[2 * count :])
    same = [(names[file], begin, number) for begin, file, number in rows] == found[:count]
    return same and names == list(dict.fromkeys(name for name, _, _ in found[:count]))


# Ways to make a query wrong: members that replace the query's, the status, and the message.
WRONG = [
    ({"collection": "other"}, 404, "there is no collection 'other'"),
    ({"pattern": "a"}, 400, "the member 'pattern' is not known"),
    ({"patterns": []}, 400, "patterns: there is no string to search for"),
    ({"patterns": "a"}, 400, "patterns: an array is expected"),
    ({"directory": "a"}, 400, "directory: an absolute path is expected"),
    ({"max_seconds": 0}, 400, "max_seconds: a whole number of at least 1 is expected"),
    ({"max_results": "1"}, 400, "max_results: a whole number of at least 1 is expected"),
    ({"paths": ["-"]}, 422, "paths: '-' is the client's standard input, which a server cannot read"),
    ({"environment": {"charset": "x"}}, 422, "the charset 'x' is not served: the server's is 'utf-8'"),
    ({"options": ["-j2"]}, 422, "-j2 is not served: "),
    ({"tg": 1}, 400, "tg: true or false is expected"),
    ({"options": ["--text=1"]}, 400, "options: option '--text' doesn't allow an argument: "),
    ({"directory": "/", "paths": []}, 404, "no collection contains '/'"),
    ({"directory": "/\u00e9", "paths": [{"bytes": "YQD/"}]}, 400, "paths: a NUL byte is not allowed here"),
    ({"directory": "/", "paths": [{"bytes": "L//+"}]}, 404, "no collection contains '/\udcff\udcfe'"),
    ({"collection": {"bytes": "/w=="}}, 404, "there is no collection '\udcff'"),
]
# Bodies that are rejected whatever the files are: the status, a part of the message, and the bodies. A dictionary has the
# members beside {"patterns": ["a"]}; None removes a member.
NESTED, LONG_NAME, LONG_OPTION = [[[[[[["a"]]]]]]], "0123456789" * 6, "x" + "123456789" * 6 + "12345"
REFUSED = [
    (400, "not valid JSON", b"", b'{"patterns":["a"]} x', b'{"patterns":["a"],"patterns":["b"]}', b'{"patterns":["\xff"]}',
     b"]]]]]]]]]}}}}}}}[[[[[[[[", b"," * 69872),
    (400, "not a JSON object", b"[]"),
    (413, "the request has too many bytes", b"[" * 2000001),
    (400, "nested more than 8 levels deep", {"patterns": [NESTED]}, {"patterns": [{"a": {"a": {"a": [{"a": [[]]}]}}}]}, b"[" * 2000000),
    (400, "patterns: there is no string to search for", {"patterns": None}, {"patterns": []}),
    (400, "patterns: an array is expected", {"patterns": "a"}),
    (400, "patterns: a string", {"patterns": [1]}, {"patterns": NESTED}, {"patterns": [{"bytes": "YWJj", "x": 1}]}, {"patterns": [{"text": "b"}]}),
    (400, "base64", *({"patterns": [{"bytes": it}]} for it in ("a", "a===", "ab=c")), {"patterns": [{"name": "a", "bytes": "a"}]}),
    (400, "as a file", {"patterns": ["a\0b"]}),
    (400, "name and contents", {"patterns": [{"name": "a"}]}, {"patterns": [{"name": "a", "text": "b", "bytes": ""}]}),
    (400, "a string", {"patterns": [{"name": 1, "text": "b"}]}, {"patterns": [{"name": "a", "who": "b"}]}),
    (400, "a NUL", {"patterns": [{"name": "a\0", "text": "b"}]}, {"paths": ["a\0b"]}, {"environment": {"grep_color": "\0"}}),
    (400, "paths: an array", {"paths": {}}),
    (422, "standard input", {"paths": ["-"]}),
    (400, "'who' is not known", {"who": 1}),
    (400, "'pattern_files' is not known", {"pattern_files": ["b"]}),
    (400, "'%s' is not known" % LONG_NAME, {LONG_NAME + "0": 1}),
    (400, "format", {"format": "xml"}, {"format": 3}),
    (400, "tg: true or false", {"tg": 1}),
    (400, "directory: an absolute", {"directory": "d"}, {"directory": ""}),
    (400, "max_results: a whole number", {"max_results": 0}, {"max_results": 1.5}),
    (400, "max_seconds: a whole number", {"max_seconds": -1}, {"max_seconds": "1"}),
    (400, "options: an array", {"options": {}}),
    (400, "is not an option", *({"options": [it]} for it in ("--ignore-cas", "ignore-case", "", "-", "--"))),
    (400, "'%s' is not an option" % LONG_OPTION[:60], {"options": [LONG_OPTION]}),
    (400, "lists:2: the group is not closed", {"patterns": ["b", {"name": "lists", "text": "a\n("}], "options": ["-E"]}),
    (400, "\udcfe:1: the group is not closed", {"patterns": [{"bytes": "KA==", "name": {"bytes": "/g=="}}], "options": ["-E"]}),
    (400, "more than one option", {"options": ["-in"]}),
    (400, "requires an argument", {"options": ["-A", "3"]}, {"options": ["--context"]}, {"options": ["-A1", "--max-count", "-1"]}),
    (400, "doesn't allow an argument", {"options": ["--quiet=1"]}),
    (400, "'x' is not a number", {"options": ["--max-count=x"]}),
    (400, "options: a NUL", {"options": ["a\0"]}, {"options": ["--\0"]}),
    (422, "only the command itself", {"options": ["--pre=x"]}),
    (422, "is not served", *({"options": it} for it in (["-fx"], ["--regexp=x"], ["--ignore-file=/etc/passwd"], ["--exclude-from=/etc/passwd"],
     ["-j4"], ["--and=b"], ["--replace=b", "--write"], ["--engine=cuda"]))),
    (422, "follows no links", {"options": ["-R"]}, {"tg": True, "options": ["-L"]}),
    (422, "a document", {"options": ["--version"]}),
    (422, "--files prints no JSON", {"patterns": None, "options": ["--files"]}),
    # --colour is rejected as --color is: both are names of one option
    (422, "changes lines or layout", *({"format": "columns", "options": [it]} for it in ("-n", "--colour", "--encoding=utf-16le"))),
    (422, "the server's is 'utf-8'", {"environment": {"charset": "other"}}),
    (422, "the charset '' is not served", {"environment": {"charset": ""}}),
    (400, "charset", {"environment": {"charset": 1}}),
    (400, "'home' is not known", {"environment": {"home": "x"}}),
    (400, "null: true or false", {"environment": {"null": "x"}}),
    (400, "[DEVICE, INODE]", *({"environment": {"file": it}} for it in ([1], [1, "2"], ["1", 2], [1, 2, 3]))),
    (413, "more than 80 strings", {"patterns": ["1"] * 81}, {"patterns": ["1\n" * 80 + "1"]}, {"patterns": [{"name": "", "text": "1\n" * 80 + "1"}]}),
    # limits: 80 strings, 64 files of strings, 65,536 paths, 4,096 options, 65,536 bytes of an option
    (400, "environment: an object", *({**it, "environment": []} for it in ({}, {"patterns": ["1"] * 80}, {"paths": ["b"] * 65536},
     {"patterns": [{"name": "f", "text": "b"}] * 64}, {"options": ["-n"] * 4096}, {"options": ["--glob=" + "0" * 65529]}))),
    (413, "more than", {"patterns": [{"name": "f", "text": "b"}] * 65}, {"paths": ["b"] * 65537}, {"options": ["-n"] * 4097}, {"options": ["--glob=" + "0" * 65530]}, b"," * 69873,
     b"[" + b"[]," * 600000),
]  # fmt: skip


def test_refused(folder):
    """Checks the status and the message with which the server rejects each body of REFUSED."""
    os.mkdir(os.path.join(folder, "tree"))
    options = ["--listen=unix:" + os.path.join(folder, "socket"), "--max-patterns=80", "--max-request=2000000"]
    with Server([SERVE], *options, os.path.join(folder, "tree")) as server:
        server.loaded()
        for status, said, *bodies in REFUSED:
            for body in bodies:
                if isinstance(body, dict):
                    members = {"patterns": ["a"], **body}.items()
                    body = json.dumps({name: value for name, value in members if value is not None}).encode()
                got, _, answer = server.ask("POST", "/v1/search", body)
                assert got == status, (body[:200], answer[:200])
                error = json.loads(answer)["error"]
                assert error["status"] == status and os.fsencode(said) in text_of(error["message"]), (body[:200], error)


# Members of accepted bodies beside format and directory, the command's words that mean the same, and its environment.
ACCEPTED = [
    ({"patterns": ["needle", "-b", ""]}, ["-eneedle", "-e-b", "--regexp="], {}),
    ({"patterns": ["needle"], "tg": True, "options": ["-0", "-rX"]}, ["tg", "-0", "-rX", "-eneedle"], {}),
    ({"patterns": [{"bytes": "/w=="}, {"bytes": "bm8="}, {"bytes": ""}], "options": ["-o"]}, ["-o", b"-e\xff", "-eno", "--regexp="], {}),
    ({"patterns": ["b\\", "[[[[[[[[[[", '"[[[[[[[[[[', '\\"{{{{{']}, ["-eb\\", "-e[[[[[[[[[[", '-e"[[[[[[[[[[', '-e\\"{{{{{'], {}),
    ({"patterns": ["int", "x\nno", "1", "2"]}, ["-eint", "-ex\nno", "-e1", "-e2"], {}),
    ({"patterns": ["no"], "options": ["--ignore-case", "-n", "-A2", "--context=1", "-1", "--colour=always", "--passthrough"]},
     ["--ignore-case", "-n", "-A2", "--context=1", "-1", "--colour=always", "--passthrough", "-eno"], {}),
    ({"patterns": ["int", {"name": "n", "text": FILES[b"a.txt"].decode()}, "nee", {"name": "w", "text": ""},
                   {"bytes": base64.b64encode(FILES[b"nul.c"]).decode(), "name": {"bytes": "/g=="}}], "options": ["--pattern-number", "-o", "-a"]},
     ["--pattern-number", "-o", "-a", "-eint", "-fa.txt", "-enee", "-fnone", "-fnul.c"], {}),
    ({"options": ["--files"]}, ["--files"], {}),
    ({"options": ["--files"], "paths": ["sub"]}, ["--files", "sub"], {}),
    ({"patterns": ["n"], "paths": [{"bytes": "YS50eHQ="}, {"bytes": "eP8="}]}, ["-en", "a.txt", b"x\xff"], {}),
    ({"patterns": ["NO"], "options": ["-y", "-x", "--iglob=*.TXT"]}, ["-y", "-x", "--iglob=*.TXT", "-eNO"], {}),
    ({"patterns": ["n"], "paths": ["sub"], "options": ["-dread"]}, ["-dread", "-en", "sub"], {}),
    ({"patterns": ["\u00e9"], "options": ["-i"], "environment": {"charset": "c"}}, ["-i", "-e\u00e9"], {"LC_ALL": "C"}),
    ({"patterns": ["\u00c9"], "options": ["-i"], "environment": {"charset": "utf-8"}}, ["-i", "-e\u00c9"], {}),
    ({"patterns": ["\u00c9"], "options": ["-i"]}, ["-i", "-e\u00c9"], {}),
    ({"patterns": ["no"], "options": ["--color=auto"], "environment": {"terminal": True, "color": True}}, ["--color=always", "-eno"], {}),
    ({"patterns": ["no"], "options": ["--color=auto"], "environment": {"terminal": True}}, ["-eno"], {}),
    ({"patterns": ["no"], "options": ["--color=auto"], "environment": {"color": True}}, ["-eno"], {}),
    ({"patterns": ["no"], "tg": True, "environment": {"terminal": True, "color": True}}, ["tg", "-p", "-eno"], {}),
    ({"patterns": ["no"], "options": ["--color=always"], "environment": {"grep_colors": "mt=1"}}, ["--color=always", "-eno"], {"GREP_COLORS": "mt=1"}),
    ({"patterns": ["no"], "options": ["--color=always"], "environment": {"grep_color": "2"}}, ["--color=always", "-eno"], {"GREP_COLOR": "2"}),
]  # fmt: skip


def test_accepted(folder):
    """Checks that each body of ACCEPTED is answered as the command answers its words, and with --json if there is no
    format."""
    root = os.path.join(folder, "tree")
    for name, text in FILES.items():
        os.makedirs(os.path.dirname(os.path.join(os.fsencode(root), name)), exist_ok=True)
        write(os.path.join(os.fsencode(root), name), text)
    with Server([SERVE], "--listen=unix:" + os.path.join(folder, "socket"), "--max-seconds=60", root) as server:
        server.loaded()
        for members, words, more in ACCEPTED:
            name, words = (words[0], words[1:]) if words[0] == "tg" else ("trawl", words)
            walks = ["--no-ignore"] if name == "tg" else ["-r"] if "-dread" not in words else []
            for json_too in range(1 if {"--files", "--pattern-number"} & {*words} or "environment" in members else 2):
                form = {} if json_too else {"format": "frames"}
                body = {**members, **form, "directory": root, "options": [*walks, *members.get("options", [])]}
                status, _, got = server.ask("POST", "/v1/search", json.dumps(body).encode())
                # only the format frames, the command's, reports a folder instead of searching it
                command = [
                    name,
                    "--sort=path",
                    *walks,
                    *["--json"] * json_too,
                    *words,
                    *["-r"] * (json_too and not walks),
                ]
                env = {**os.environ, "LC_ALL": "C.UTF-8", **more}
                wanted = execute(command, root, executable=TRAWL, env=env)
                output = (
                    parts_of(got)[0]
                    if not json_too
                    else b"".join(
                        line for line in got.splitlines(True) if line[:14] not in (b'{"type":"statu', b'{"type":"messa')
                    )
                )
                assert (status, READ.sub(b"", output)) == (200, READ.sub(b"", wanted[1])), (members, got[:300])
                assert json_too or parts_of(got)[2] & 0x3F == wanted[0], members
        body = {
            "patterns": ["no"],
            "options": ["-C1"],
            "continued": True,
            "format": "frames",
            "directory": root,
            "paths": ["a.txt"],
        }
        assert parts_of(server.ask("POST", "/v1/search", json.dumps(body).encode())[2])[0].startswith(
            b"--\none needle\n"
        )
        # the offsets of columns are those of the file's bytes, so that not even tg converts it
        body = {"patterns": ["needle"], "tg": True, "format": "columns", "directory": root, "paths": ["wide"]}
        assert b'"total":0,' in server.ask("POST", "/v1/search", json.dumps(body).encode())[2]


# Requests without a query: method, path, status, the answer or the message, the header Allow.
PLAIN = [
    ("GET", "/healthz", 200, "ok\n", None),
    ("GET", "/none", 404, "the server has nothing at this path", None),
    ("GET", "/v1/count", 405, "this path needs a different method: see the header Allow", "POST"),
    ("PUT", "/metrics", 405, "this path needs a different method: see the header Allow", "GET, HEAD"),
    ("GET", "/healthz", 413, "the request has too many bytes", None),
    ("HEAD", "/v1/collections", 200, None, None),
    ("GET", "/v1/files?collection=other", 404, "there is no collection 'other'", None),
    ("HEAD", "/v1/files?collection=tree", 200, None, None),
    ("GET", "/v1/files?collection=tree", 200, None, None),
    ("GET", "/v1/files", 200, None, None),
]


def make(model):
    """Returns a request: its bytes, its method, the status, a function that checks the answer, its kind, and headers
    of the answer. Adds the request to the server's sums."""
    headers, answered, token, begins = {**model.headers}, {}, model.row["token"], False
    kind = body = is_right = None
    if draw.random() < 0.75:
        method, (path, body, status, said, begins, is_right) = "POST", query(model)
        kind = "count" if path == "/v1/count" else body["format"]
        answered = {"Content-Type": TYPES[kind]}
        headers["Content-Type"] = draw.choice(["application/json", "Application/JSON; charset=utf-8"])
        if begins and draw.random() < 0.15:
            members, status, said = draw.choice(WRONG)
            if members.get("directory") == "/":
                body.pop("collection", None)
            body.update(members)
            begins = False
        elif begins and kind in ("count", "columns") and draw.random() < 0.1:
            begins, status, said = False, 422, "-n changes lines or layout, and this format has neither"
            body["options"].append("-n")
        body = json.dumps(body).encode()
        if begins and draw.random() < 0.1:
            begins, body, status, said = False, body[:-1], 400, "the body is not valid JSON: "
        size = draw.choice([len(body)] * 40 + [BODY, BODY + 1, 2 * BODY] * 2 + [32 * BODY])
        body += b" " * (size - len(body))
        if size > BODY:
            begins, status, said = False, 413, "the request has too many bytes"
        if draw.random() < 0.05:
            headers["Content-Type"] = draw.choice(["application/jsonx", "text/plain"])
            begins, status, said = False, 415, "the body must be declared as JSON: Content-Type: application/json"
    else:
        method, path, status, said, allowed = draw.choice(PLAIN)
        prefixes = {"": model.files}
        if path == "/v1/files" and model.row["inner"]:
            inner = [name[4:] for name in model.files if name.startswith(b"sub/")]
            prefixes = {"tree/": model.files, model.row["inner"] + "/": inner}
        answered = {"Allow": allowed} if allowed else {}
        begins = "/v1/files" in path and status == 200
        kind = "files" if begins else None
        body = b"x" * draw.randrange(1, 99) if method == "PUT" or status == 413 else None
        if kind:
            wanted = sorted(os.fsencode(prefix) + name for prefix, names in prefixes.items() for name in names)
            is_right = lambda got: sorted(text_of(json.loads(it)["path"]) for it in got.splitlines()) == wanted  # noqa: E731
        elif status == 200:
            is_right = lambda got: said is None or got == said.encode()  # noqa: E731
    if token and path != "/healthz" and status not in (404, 405) or token and "/v1/files" in path:
        if draw.random() < 0.1:
            headers["Authorization"] = draw.choice(["Bearer a secreT", "Bearer a secret1", "Basic a secret", "Bearer "])
            begins, status, said = False, 401, "the server's token is needed: Authorization: Bearer TOKEN"
            answered = {"WWW-Authenticate": "Bearer"}
    headers["Host"] = draw.choice(["localhost"] * 20 + ["127.0.0.1:1", "[::1]:9", "elsewhere.example", "127.1:7"])
    listens = ("unix", headers["Host"].replace(":7", ":0"))
    if headers["Host"] in ("elsewhere.example", "127.1:7") and model.row["listen"] not in listens:
        begins, status, said = False, 403, "the Host or Origin header names a different site"
    if status >= 400:
        kept = {405: "Allow", 401: "WWW-Authenticate"}.get(status)
        answered = {"Content-Type": "application/json", **({kept: answered[kept]} if kept else {})}
        is_right = lambda got: is_error(json.loads(got), status, said)  # noqa: E731
    if begins:
        model.sums['trawl_requests_total{kind="%s"}' % kind] += 1
        for name in ANSWERED:
            model.sums[name] += 1
    model.sums["trawl_refused_total"] += status >= 400
    if body is not None and draw.random() < 0.25:
        headers["Transfer-Encoding"] = "chunked"
        cuts = [0, *sorted(draw.sample(range(1, len(body)), min(len(body) - 1, draw.randrange(4)))), len(body)]
        chunks = (b"%x\r\n%s\r\n" % (end - begin, body[begin:end]) for begin, end in zip(cuts, cuts[1:]))
        body = b"".join(chunks) + b"0\r\n\r\n"
    elif body is not None:
        headers["Content-Length"] = len(body)
    head = "".join("%s: %s\r\n" % row for row in headers.items())
    sent = b"%s %s HTTP/1.1\r\n%s\r\n%s" % (method.encode(), path.encode(), head.encode(), body or b"")
    return sent, method, status, is_right, kind, answered


def send(end, sent):
    with contextlib.suppress(OSError):  # the server may close the connection before all bytes are sent
        for begin, last in zip(
            (cuts := [0, *sorted(draw.sample(range(1, len(sent)), draw.randrange(5))), len(sent)]), cuts[1:]
        ):
            end.sendall(sent[begin:last])


def ends_connection(request):
    """Returns True if the server closes the connection after its answer to this request; after an answer to HEAD it may."""
    return request[1] == "HEAD" or 400 <= request[2] < 500 or b"\r\nTransfer-Encoding: chunked\r\n" in request[0]


def sequence(model):
    """Sends a sequence of requests over a connection. Returns what is wrong."""
    made, wrong, at_once = [make(model)], [], draw.random() < 0.5
    while not ends_connection(made[-1]) and len(made) < 8 and draw.random() < 0.8:
        made.append(make(model))
    more = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * draw.randrange(2) if ends_connection(made[-1]) else b""
    with model.server.connect() as end:
        answers = Kept(end.makefile("rb", buffering=0))
        if at_once:  # in a thread, because the server stops reading while nobody reads its answers
            sender = threading.Thread(target=send, args=(end, b"".join(request[0] for request in made) + more))
            sender.start()
        for sent, method, status, is_right, kind, headers in made:
            if not at_once:
                send(end, sent)
            answer = http.client.HTTPResponse(answers, method=method)
            answer.begin()
            got = answer.read()
            if kind is not None and status == 200:
                model.sums["trawl_answer_bytes_total"] += len(got)
            always = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
            headers = {**always, "Allow": None, "WWW-Authenticate": None, **headers}
            try:
                good = got == b"" if method == "HEAD" else is_right(got)
            except (ValueError, KeyError, TypeError):  # an answer of a different kind
                good = False
            if answer.status != status or {name: answer.getheader(name) for name in headers} != headers or not good:
                row = (model.row, sent[:900].strip(), answer.status, status, got[:2000])
                wrong.append("%r: %r: %d, expected %d: %r" % row)
        if ends_connection(made[-1]) and (method != "HEAD" or answer.will_close):
            with contextlib.suppress(ConnectionError):  # the server may have closed the connection before `more` came
                if not answer.will_close or answers.read() != b"":
                    wrong.append("the connection goes on after %r" % sent[:900])
        elif draw.random() < 0.3:  # a request that never ends
            if at_once:  # the thread may still send `more` after HEAD
                sender.join()
            head = b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            send(end, head + b"Content-Length: %d\r\n\r\n" % BODY + b" " * draw.randrange(1, BODY))
    return wrong


def test_exchanges(folder):
    count = max(18, int(36 * SCALE // DIVISOR))
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        ADDRESSES[:] = [address for address in ADDRESSES if "::" not in address]
    for name, text in FILES.items():
        path = os.path.join(os.fsencode(folder), b"tree", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, text)
    write(os.path.join(folder, "tree/.ignore"), "*.o\n")
    FILES[b".ignore"] = b"*.o\n"
    for number in range(count):
        model = Model(folder, number)
        with model.server as server:
            server.loaded(1 + bool(model.row["inner"]))
            assert model.served() == []
            for _ in range(int((32 if model.row["all"] == "16M" else 20) * 8 // max(DIVISOR, 8))):
                assert sequence(model) == []
                until(lambda: model.metric("trawl_running") == 0, "nothing runs")
            assert model.totals() == []
            assert server.stop() == 0
    assert own_passes[0] > 0 or DIVISOR > 8, "no expression or string within errors had a pass alone"
    print("%d pairs of servers and %d of queries were not drawn" % (len(servers.left), len(queries.left)))
