"""Runs a small version of a server's day: many clients query while files change, and some clients misbehave.

Every answer must be that of a search of some state of the tree between the request and the answer.
A thread makes one change of files after another and records each state; the oracle is plain Python. Other
threads send garbage, disconnect, or read slowly. At the end the server must have no more threads and descriptors
than at the beginning, and end with status 0. Its memory must not have grown since the first third, either
(except under sanitizers, which keep freed memory).
"""

import base64
import collections
import json
import os
import random
import re
import subprocess
import threading
import time

import pytest
from harness import BUILD, IS_SANITIZED, SEED, SERVE, TRAWL, write
from server import Server, seconds

WORDS = ["alpha", "beta", "gamma", "needle", "Needle", "e", "ab", "abab", "Zürich", "x_1", "\t", "zz"]
FILES = 60
FILLER_BYTES = 1200000  # texts of 1 MiB and more are loaded onto a device


class Failure(Exception):
    """Raised if an answer matches no state, or if the server breaks a rule."""


# ---- The tree and its states ----------------------------------------------------------------------


class Tree:
    """The tree of files, with all its states: states[i] is the tree after i changes."""

    def __init__(self, root, seed, filler=0):
        self.root, self.random = root, random.Random(seed)
        self.lock = threading.Lock()
        self.files = {}
        self.states = collections.OrderedDict()
        self.begun = self.done = 0
        self.outside = root + ".new"
        os.makedirs(self.outside, exist_ok=True)
        for number in range(FILES):
            self.write(f"d{number % 7}/f{number}.txt", self.text())
        if filler > 0:  # make the text long enough for a device
            self.write("filler.txt", b"0123456789 ~~~~\n" * (filler // 16))
        self.states[0] = dict(self.files)

    def text(self):
        chance = self.random
        lines = []
        for _ in range(chance.choice((0, 1, 3, 20, 200))):
            words = [
                chance.choice(WORDS)
                if chance.random() < 0.2
                else "".join(chance.choices("abcdnle", k=chance.randrange(1, 9)))
                for _ in range(chance.randrange(1, 12))
            ]
            lines.append(" ".join(words))
        return "\n".join(lines).encode() + (b"\n" if chance.random() < 0.8 else b"")

    def write(self, name, content):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, content)
        self.files[name] = content

    def change(self):
        """Makes a change with a single system call, so that other processes see the change as a whole."""
        chance = self.random
        kind = chance.choice(("create", "replace", "append", "truncate", "delete", "rename", "move"))
        names = sorted(self.files)
        names = [name for name in names if name != "filler.txt"]
        name = chance.choice(names) if names else None
        after = dict(self.files)
        fresh = f"d{chance.randrange(9)}/n{chance.randrange(200)}.txt"
        os.makedirs(os.path.dirname(os.path.join(self.root, fresh)), exist_ok=True)
        if name is None or (kind == "create" and len(names) < 2 * FILES):
            kind, name, content = "replace", fresh, self.text()
        elif kind == "replace":
            content = self.text()
        if kind == "replace":
            made = os.path.join(self.outside, "file")
            write(made, content)
            after[name] = content

            def act():
                os.rename(made, os.path.join(self.root, name))
        elif kind == "append":
            more = self.text()[:4000] or b"beta"
            after[name] += more

            def act():
                with open(os.path.join(self.root, name), "ab", buffering=0) as file:
                    file.write(more)
        elif kind == "truncate":
            size = chance.randrange(len(after[name]) + 1)
            after[name] = after[name][:size]

            def act():
                os.truncate(os.path.join(self.root, name), size)
        elif kind == "delete" and len(names) > FILES // 2:
            del after[name]

            def act():
                os.unlink(os.path.join(self.root, name))
        else:
            after[fresh] = after.pop(name)

            def act():
                os.rename(os.path.join(self.root, name), os.path.join(self.root, fresh))

        with self.lock:
            self.states[self.begun + 1] = after
            self.begun += 1
        act()
        self.files = after
        with self.lock:
            self.done = self.begun
            while len(self.states) > 3000:
                self.states.popitem(last=False)

    def now(self):
        with self.lock:
            return self.done

    def between(self, first):
        """Returns the states from number `first` on that a search may have seen so far."""
        with self.lock:
            if first not in self.states:
                raise Failure(f"state {first} is forgotten: an answer took too long")
            return [self.states[number] for number in range(first, self.begun + 1)]


# ---- The oracle -----------------------------------------------------------------------------------


def occurrences(text, pattern, fold):
    if fold:
        text, pattern = text.lower(), pattern.lower()
    count, at = 0, text.find(pattern)
    while at >= 0:
        count += 1
        at = text.find(pattern, at + 1)
    return count


def counts(state, patterns, fold):
    """Returns what /v1/count must answer: the occurrences of all strings, of which equal ones count once; the number of
    files with an occurrence; the occurrences of each string."""
    each = [sum(occurrences(text, pattern, fold) for text in state.values()) for pattern in patterns]
    files = sum(any(occurrences(text, pattern, fold) for pattern in patterns) for text in state.values())
    distinct = dict(zip((pattern.lower() if fold else pattern for pattern in patterns), each))
    return sum(distinct.values()), files, each


def lines(state, patterns, fold):
    """Returns each selected line: name, number, bytes."""
    found = set()
    for name, text in state.items():
        rows = text.split(b"\n")
        if rows and rows[-1] == b"":
            rows.pop()
        for number, row in enumerate(rows, 1):
            shown = row.lower() if fold else row
            if any((pattern.lower() if fold else pattern) in shown for pattern in patterns):
                found.add((name, number, row))
    return found


# ---- Clients --------------------------------------------------------------------------------------


def text_of(value):
    return value["text"].encode() if "text" in value else base64.b64decode(value["bytes"])


def check_some_state(tree, first, right, what, got):
    """Raises Failure unless the answer is right for a state since `first`. Many states have the same answer, so the
    loop soon finds one that matches."""
    states = tree.between(first)
    if not any(right(state) for state in states):
        raise Failure(f"{what}: {got} is right in none of {len(states)} states")


class Clients:
    """The clients of the server; each client runs in a separate thread."""

    def __init__(self, server, tree, trawl, end):
        self.server, self.tree, self.trawl, self.end = server, tree, trawl, end
        self.answers = collections.Counter()
        self.failures = []

    def ask(self, target, body, slowly=False):
        """Returns status and body. Each question has a separate connection."""
        client = self.server.connection()
        try:
            client.request("POST", target, json.dumps(body), {"Content-Type": "application/json"})
            answer = client.getresponse()
            parts = []
            while part := answer.read(100 if slowly else 65536):
                parts.append(part)
                if slowly:
                    time.sleep(0.002)
            return answer.status, b"".join(parts)
        finally:
            client.close()

    def guard(self, work, *arguments):
        try:
            work(*arguments)
        except Exception as failure:  # pylint: disable=broad-except
            self.failures.append(failure)
            self.end = 0

    def question(self, chance):
        patterns = chance.sample(WORDS, chance.choice((1, 1, 1, 2, 5)))
        if chance.random() < 0.3:
            patterns[0] = "".join(chance.choices("abcdnle", k=chance.randrange(2, 7)))
        fold = chance.random() < 0.2 and all(word.isascii() for word in patterns)
        return patterns, fold, ["--ignore-case"] if fold else []

    def count(self, chance):
        patterns, fold, options = self.question(chance)
        first = self.tree.now()
        status, body = self.ask("/v1/count", {"patterns": patterns, "options": options})
        if status != 200:
            raise Failure(f"count {patterns}: {status} {body!r}")
        answer = json.loads(body)
        got = answer["occurrences"], answer["files"], answer["patterns"]
        sought = [word.encode() for word in patterns]
        check_some_state(
            self.tree, first, lambda state: counts(state, sought, fold) == got, f"count {patterns} {options}", got
        )

    def check_lines(self, first, patterns, fold, got, what):
        sought = [word.encode() for word in patterns]
        right = lambda state: lines(state, sought, fold) == got  # noqa: E731
        check_some_state(self.tree, first, right, what, f"{len(got)} lines")

    def search(self, chance, slowly=False):
        patterns, fold, options = self.question(chance)
        first = self.tree.now()
        status, body = self.ask("/v1/search", {"patterns": patterns, "options": [*options, "--text"]}, slowly)
        if status != 200:
            raise Failure(f"search {patterns}: {status} {body!r}")
        got, last = set(), None
        for line in body.splitlines():
            last = json.loads(line)
            if last["type"] == "match":
                data = last["data"]
                got.add(
                    (text_of(data["path"]).decode(), data["line_number"], text_of(data["lines"]).removesuffix(b"\n"))
                )
        if last is None or last["type"] != "status" or last["data"]["truncated"]:
            raise Failure(f"search {patterns}: the last line is {last}")
        self.check_lines(first, patterns, fold, got, f"search {patterns} {options}")

    def command(self, chance):
        patterns, fold, options = self.question(chance)
        arguments = [argument for word in patterns for argument in ("-e", word)]
        first = self.tree.now()
        done = subprocess.run(
            [self.trawl, f"--server={self.server.address}", "-rna", "--null", *options, *arguments],
            cwd=self.tree.root,
            capture_output=True,
            check=False,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
        if done.returncode > 1 or done.stderr:
            raise Failure(f"trawl {arguments}: {done.returncode} {done.stderr!r}")
        got = set()
        for line in done.stdout.split(b"\n")[:-1]:
            name, _, rest = line.partition(b"\0")
            number, _, row = rest.partition(b":")
            got.add((name.decode(), int(number), row))
        self.check_lines(first, patterns, fold, got, f"trawl {arguments} {options}")

    def good(self, number, seed):
        chance = random.Random(seed * 1000 + number)
        while time.monotonic() < self.end:
            kind = chance.choice(("count", "count", "search", "command"))
            getattr(self, kind)(chance)
            self.answers[kind] += 1

    def slow(self, seed):
        chance = random.Random(seed + 1)
        while time.monotonic() < self.end:
            self.search(chance, slowly=True)
            self.answers["slow"] += 1

    def bad(self, seed):
        """Sends garbage, and disconnects early."""
        chance = random.Random(seed + 2)
        asks = b'{"patterns": ["e"]}'
        while time.monotonic() < self.end:
            request = (
                b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(asks)
            ) + asks
            with self.server.connect() as connection:
                kind = chance.randrange(5)
                try:
                    if kind == 0:
                        connection.sendall(chance.randbytes(chance.randrange(2000)))
                    elif kind == 1:
                        connection.sendall(request[: chance.randrange(len(request))])
                    elif kind == 2:
                        connection.sendall(request)
                    elif kind == 3:
                        connection.sendall(request)
                        connection.recv(chance.randrange(1, 500))
                    else:
                        place = chance.randrange(len(request))
                        connection.sendall(request[:place] + chance.randbytes(3) + request[place + 3 :])
                        connection.settimeout(0.05)
                        connection.recv(1000)
                except (BrokenPipeError, ConnectionResetError, TimeoutError):
                    pass
            self.answers["bad"] += 1
            time.sleep(0.002)

    def change(self):
        while time.monotonic() < self.end:
            self.tree.change()
            self.answers["change"] += 1
            time.sleep(self.tree.random.choice((0, 0.001, 0.01, 0.05)))


def memory(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) << 10


SECONDS = seconds()


def run(folder, engine="cpu", count=64 if SECONDS > 60 else 16, duration=SECONDS):
    if not os.access(SERVE, os.X_OK):
        pytest.skip("there is no server in this build")
    root = os.path.join(folder, "tree")
    tree = Tree(root, SEED, 0 if engine == "cpu" else FILLER_BYTES)
    level = []
    # The server notices a slow reader's progress only when the socket's buffer is half empty. So the limit for idle
    # connections is high: otherwise the server would close the connections of slow readers.
    with Server(
        [SERVE],
        f"--listen=unix:{folder}/socket",
        f"--engine={engine}",
        "--idle-seconds=900",
        "--max-queries=1000",
        f"tree={root}",
        stdin=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    ) as server:
        clients = Clients(server.loaded(), tree, TRAWL, time.monotonic() + duration)
        clients.ask("/v1/count", {"patterns": ["alpha"]})
        facts = json.loads(server.ask("GET", "/v1/collections")[2])["collections"][0]
        if engine != "cpu" and facts["device_bytes"] == 0:
            raise Failure(f"nothing is on a device: {facts}")
        work = [(clients.good, number, SEED) for number in range(count)]
        work += [(clients.slow, SEED), (clients.bad, SEED), (clients.change,)]
        threads = [threading.Thread(target=clients.guard, args=job) for job in work]
        begin = time.monotonic()
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.2)
            if server.process.poll() is not None:
                raise Failure(f"the server ended: {server.process.returncode}: {server.messages[-20:]}")
            if time.monotonic() - begin > duration / 3:
                level.append(memory(server))
        level.append(memory(server))
        if clients.failures:
            raise clients.failures[0]
        settle(server, count)
        if not IS_SANITIZED and max(level[-5:]) > 1.3 * max(level[:5]) + (32 << 20):
            raise Failure(f"memory grew: {level[:5]} to {level[-5:]}")
        if server.stop() != 0:
            raise Failure(f"the server ended with {server.process.returncode}: {server.messages[-20:]}")


def settle(server, clients):
    """Checks that ended connections have freed their threads and descriptors. Searches keep memory between queries, in
    proportion to the number of cores, not of queries."""
    limit = 24 + 4 * (os.cpu_count() or 1)
    end = time.monotonic() + 40
    while True:
        threads, descriptors = server.open_counts()
        if threads <= limit and descriptors <= limit + clients:
            return
        if time.monotonic() > end:
            raise Failure(f"{threads} threads and {descriptors} descriptors are left")
        time.sleep(0.1)


def test_day(folder):
    run(folder)


def test_day_on_a_device(folder, monkeypatch):
    """Like test_day, with the texts on the simulated device, which fails after a while."""
    driver = BUILD / "tests/sim/driver"
    if not driver.exists():
        pytest.skip("this build has no simulated device")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(driver))
    monkeypatch.setenv("TRAWL_SIM_FAIL_CALL", "300")
    run(folder, engine="auto", count=4, duration=min(5, SECONDS))
