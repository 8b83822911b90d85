"""Tests how much memory and time a request may take.

The section LIMITS of trawl-serve(1) says what each request here may use. The tests read the server's memory from
/proc, except under sanitizers, which keep freed memory. Under these, requests of more than a MiB are skipped, since
they are slow.
"""

import contextlib
import json
import os
import threading
import time

import pytest
from harness import IS_SANITIZED, SERVE, write
from server import Server, frames_of

LEVEL = not IS_SANITIZED
MIB = 1 << 20
REQUEST_MEMORY = 384 * MIB  # --request-memory
# bytes: the memory of a server without requests, and freed memory that the allocator keeps for each core
SPARED = (256 + 8 * (os.cpu_count() or 1)) * MIB
MAX_SECONDS = 1 if LEVEL else 5  # --max-seconds; sanitizers take longer
# limit for the time of a request; the machine may be busy, and ThreadSanitizer reads all of a text at each memmem
SECONDS = 60 if LEVEL else 600


def check_memory(server, what):
    """Checks that the server's peak memory so far is within the limit."""
    with open("/proc/%d/status" % server.process.pid) as file:
        peak = next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))
    assert not LEVEL or peak < REQUEST_MEMORY + SPARED


def check(server, what, statuses, path, body):
    begin = time.monotonic()
    status, _, answer = server.ask("POST", path, body)
    seconds = time.monotonic() - begin
    late = status == 503 and seconds >= MAX_SECONDS  # any request may be late on a busy machine
    assert status in statuses or late
    assert seconds < SECONDS
    check_memory(server, what)
    if status >= 400:
        assert json.loads(answer)["error"]["status"] == status
    return answer


def rows(root):
    """Returns requests: a description, the allowed statuses, the path, the body."""
    globs = ["--glob=*%dx*y" % i for i in range(100000)]
    lists = {"patterns": ["needle"], "format": "frames", "directory": root}
    search, count = "/v1/search", "/v1/count"
    yield "paths", [413], search, {**lists, "options": ["-r"], "paths": ["."] * 1000000}
    yield "paths within the list's limit", [200, 413], search, {**lists, "options": ["-r"], "paths": ["."] * 65536}
    paths = ["./" * (i % 1000) + "." for i in range(8000)]
    yield "different paths", [200, 503], search, {**lists, "options": ["-r", "-q"], "paths": paths}
    yield "globs", [413], search, {**lists, "options": globs}
    yield "globs within the list's limit", [200, 503], search, {**lists, "options": globs[:4000]}
    braces = ["--glob=" + "{a,b}" * 12 + glob for glob in globs[:4000]]
    yield "globs in braces", [413, 503], search, {**lists, "options": braces}
    yield "a long glob", [413], search, {**lists, "options": ["--glob=" + "{a}" * 60 + "x" * 4000000]}
    included = ["--include=" + "*a" * 8 + "%d" % i for i in range(4000)]
    yield "included", [200, 503], search, {**lists, "options": included}
    yield "options", [413], search, {**lists, "options": ["-n"] * 1000000}
    yield "strings", [200, 413], count, {"patterns": ["w%d" % i for i in range(300000)]}
    yield "more strings", [413], count, {"patterns": ["w%d" % i for i in range(900000)]}
    yield "strings of a file", [413], count, {"patterns": [{"name": "f", "text": "a\n" * 900000}]}
    yield "a long string", [200], count, {"patterns": ["x" * 8000000]}
    yield "columns", [413], search, {"patterns": ["a"], "format": "columns"}
    yield "an expression", [200], count, {"patterns": ["l[a-z]*e \\d+"], "options": ["-P"]}
    yield "a long expression", [413], count, {"patterns": ["\\pL" * 8000], "options": ["-P"]}
    yield "many expressions", [413], count, {"patterns": ["w%d.x" % i for i in range(8000)], "options": ["-P"]}
    yield "expressions", [200], count, {"patterns": ["[a-k]%d[a-z]+" % i for i in range(200)], "options": ["-P"]}
    yield "a mistake in an expression", [400], count, {"patterns": ["a", "b(c"], "options": ["-P"]}
    yield "occurrences for ever", [503], count, {"patterns": ["a(.*z)?"], "options": ["-P"]}
    replace = {"patterns": ["a"], "options": ["--replace=" + "b" * 8000000]}
    colored = {"options": [*replace["options"], "--color=always"], "paths": ["few.txt"]}
    yield "replacements", [200], search, {**lists, **replace, "options": [*replace["options"], "-h"]}
    # These answers have at most 80 MB: only the previous row's answer must last until its time is over.
    yield "replacements in colour", [200], search, {**lists, **replace, **colored}
    yield "replacements in JSON", [200], search, {**replace, "max_results": 200}


def output_of(answer):
    return b"".join(content for kind, content in frames_of(answer) if kind == b"o")


@pytest.mark.skipif(not LEVEL, reason="sanitizers keep freed memory")
def test_line(folder):
    """Checks that the server counts the occurrences in one long line in parts, with bounded memory, and that an answer which
    needs all of the line's occurrences at once says that they do not fit."""
    long = os.path.join(folder, "long")
    os.mkdir(long)
    write(os.path.join(long, "line"), "ab " * 800000)
    with Server(
        [SERVE], "--listen=unix:" + os.path.join(folder, "line"), "--max-memory=160M", "--threads=64", long
    ) as server:
        server.loaded()
        for options, pattern in ([], "a"), (["-P"], "a[ab]|b"):
            answer = check(
                server, "counts in a long line", [200], "/v1/count", {"patterns": [pattern], "options": options}
            )
            assert b'"occurrences":800000,' in answer or b"error" in answer, "counts in a long line"
        for option in "--replace=x", "--json", "--color=always":
            body = {"patterns": ["[ab ]"], "options": ["-P", option], "directory": long}
            answer = check(server, "a long line", [200], "/v1/search", body)
            assert b"see --max-memory" in answer or b'"truncated"' in answer, "a long line"


@pytest.mark.skipif(not LEVEL, reason="sanitizers keep freed memory")
def test_small_memory(folder):
    """Checks that a search frees a file's memory before the next file, and that expressions use less memory if little is
    left. (All other requests that succeed need far less than their limits.)"""
    several = os.path.join(folder, "several")
    os.mkdir(several)
    for i in range(16):  # a search of one of the files takes 9 MiB
        write(os.path.join(several, "f%d" % i), "ab " * 80000)
    with Server(
        [SERVE], "--listen=unix:" + os.path.join(folder, "several.socket"), "--max-memory=72M", "--threads=1", several
    ) as server:
        server.loaded()
        for options in ["-r", "--column", "-M9"], ["-r", "--column", "-M9", "-P"]:
            body = {"patterns": ["a[bc]" if "-P" in options else "a"], "options": options, "format": "frames"}
            answer = check(server, "little memory", [200], "/v1/search", {**body, "directory": several})
            assert output_of(answer).count(b"[Omitted long line with 80000 matches]") == 16, "little memory"


def check_bodies(server):
    """Checks that bodies which have not ended count against the memory limit, too."""
    body = b"[" + b" " * (12 * MIB)
    head = b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    ends = [server.connect() for _ in range(60)]
    try:
        for end in ends:
            end.sendall(head + b"%x\r\n" % len(body) + body)
        check_memory(server, "bodies")
        status = server.ask("GET", "/healthz")[0]
        assert status == 200, "healthz beside bodies"
    finally:
        for end in ends:
            end.close()


def test_slow_bodies(folder, root):
    """Checks that bodies which come slowly leave memory to other requests, and that the server closes their
    connections."""
    head = b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
    with Server(
        [SERVE], "--listen=unix:" + os.path.join(folder, "slow"), "--request-memory=10M", "--idle-seconds=2", root
    ) as server:
        server.loaded()
        ends = [server.connect() for _ in range(14)]
        for number, end in enumerate(ends):
            end.sendall(head + b" " * (100 if number < 2 else 900000))
        begin = time.monotonic()
        while ends and time.monotonic() - begin < SECONDS:
            status, _, answer = server.ask("POST", "/v1/count", {"patterns": ["needle"]})
            assert status == 200, "a small request beside slow bodies"
            time.sleep(0.3)
            for end in ends[:]:
                with contextlib.suppress(OSError):
                    end.sendall(b" ")
                    continue
                ends.remove(end)
        assert not ends, "bodies that come slowly are given up"
        assert time.monotonic() - begin > 4, "a long body gets more time than a short one"
        assert server.ask("POST", "/v1/count", b'{"patterns":["needle"]}'.ljust(1900000))[0] == 200


def check_many(server):
    """Sends several requests at the same time: a request for which memory does not suffice gets an error. All requests of a
    round may fail, since each holds a part of the memory or is late. So each client tries again, after a longer pause
    than the previous client, until some client has an answer."""
    body = json.dumps({"patterns": ["w%d" % i for i in range(100000)]}).encode()
    got, end = [], time.monotonic() + SECONDS

    def ask(number):
        while time.monotonic() < end:
            got.append(server.ask("POST", "/v1/count", body)[0])
            if 200 in got:
                break
            time.sleep(0.5 * (number + 1))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(got) <= {200, 503} and 200 in got, "many strings at once"
    check_memory(server, "many strings at once")


def resident(server):
    """Returns the bytes of memory that the server has."""
    with open("/proc/%d/statm" % server.process.pid) as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not LEVEL, reason="sanitizers keep freed memory")
def test_growth(folder):
    """Checks that no kind of request leaves memory behind, lost or kept. (A sanitizer shows only lost memory, and
    test_day.py only growth by megabytes.)"""
    tree = os.path.join(folder, "growth")
    os.mkdir(tree)
    write(os.path.join(tree, "file"), "a needle\nno\n")
    asked = {"patterns": ["needle"], "options": ["-n", "-i"]}
    requests = [
        ("GET", path, None)
        for path in ("/healthz", "/metrics", "/v1/collections", "/v1/files", "/", "/none", "/v1/files?collection=none")
    ]
    requests += [
        ("POST", path, {**asked, **more})
        for path, more in (
            ("/v1/count", {"options": []}),
            ("/v1/count", {"options": ["-P"], "patterns": ["n.e"]}),
            ("/v1/count", {"patterns": [""]}),
            ("/v1/count", {"more": 1}),
            ("/v1/search", {}),
            ("/v1/search", {"format": "frames", "directory": tree, "paths": ["file", "none"]}),
            ("/v1/search", {"format": "columns", "options": []}),
            ("/v1/search", {"max_results": 1, "patterns": ["n", {"name": "f", "text": "o\nd"}]}),
            ("/v1/search", {"directory": "/none"}),
            ("/v1/search", {"options": ["-P"], "patterns": ["("]}),
            ("/v1/search", {"options": ["-g!x", "--include=f*", "--replace=x"], "directory": tree}),
        )
    ]
    with Server(
        [SERVE],
        "--listen=unix:" + os.path.join(folder, "growth.socket"),
        "--threads=1",
        tree,
        env={**os.environ, "GLIBC_TUNABLES": "glibc.malloc.arena_max=1"},
    ) as server:
        server.loaded()
        for method, path, body in requests:
            client, grown = server.connection(), []
            # only what is lost or kept grows each time
            while len(grown) < 5 and not any(bytes_more < 16 << 10 for bytes_more in grown[1:]):
                before = resident(server)
                for _ in range(200):
                    client.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
                    answer = client.getresponse()
                    answer.read()
                    if client.sock is None:
                        client.sock = server.connect()
                grown.append(resident(server) - before)
            client.close()
            assert min(grown[1:]) < 16 << 10, "memory grows"


@pytest.fixture
def root(folder):
    root = os.path.join(folder, "tree")
    os.makedirs(os.path.join(root, "sub"))
    for i in range(100):
        write(
            os.path.join(root, "sub" if i % 10 == 0 else "", "f%03d.txt" % i),
            "".join("line %d, a needle\n" % j for j in range(50)),
        )
    write(os.path.join(root, "a.txt"), ("a" * 3000 + "\n") * 5000)
    write(os.path.join(root, "few.txt"), "a" * 10)
    return root


def test_requests(folder, root):
    with Server(
        [SERVE],
        "--listen=unix:" + os.path.join(folder, "socket"),
        "--max-seconds=%d" % MAX_SECONDS,
        "--max-memory=256M",
        "--request-memory=%d" % REQUEST_MEMORY,
        "--host-memory=64M",
        root,
    ) as server:
        server.loaded()
        answer = check(
            server, "a large program", [413], "/v1/count", {"patterns": ["a", "x\\pL{300}"], "options": ["-P"]}
        )
        assert b"expression 2 of 2" in answer and b"KiB, the limit" in answer
        for row in rows(root):
            if not LEVEL and len(json.dumps(row[-1])) > MIB:
                continue
            check(server, *row)
            check(server, "after: " + row[0], [200], "/v1/count", {"patterns": ["needle"]})
        if LEVEL:
            check_many(server)
        check_bodies(server)
