#!/usr/bin/env python3
"""Sends random sequences of requests, and compares statuses, answers and totals with plain Python.

usage: exchanges_test.py TRAWL_SERVE

A sequence goes over one connection, all requests at once or one after the other. Each request has a random kind, stays
within a limit or exceeds a limit by one, and has a body of declared length or in chunks, sent in pieces. At the end of a
sequence the client may send a part of a request and disconnect. The server may hold only a few bodies in memory, and a
client may have only a few queries, so the server refuses later requests if an earlier request keeps what it took.
TRAWL_TEST_SCALE=N: N times as many sequences.
"""
import http.client
import io
import json
import os
import random
import re
import struct
import sys
import tempfile

from server import Server, until

FILES = {"a.txt": b"one needle\nno\nneedle needle\n", "sub/b.c": b"int needle;\n", "sub/none.c": b"nothing\n", "none": b"",
         "many": b"".join(b"%d straw\nno\n" % i for i in range(200)), "quoted": b'a "[[[[[[[[[[ b\\\n'}
WORDS = ["needle", "no", "int", "nothing", "straw", "absent", '"[[[[[[[[[[ b', "b\\"]
BODY, PATTERNS, RESULTS = 256 << 10, 3, 4  # --max-request, --max-patterns, --max-results
KINDS = ["json", "frames", "columns", "count", "files"]
SUMS = ["trawl_refused_total", "trawl_cancelled_total", "trawl_answer_seconds_count", "trawl_answer_bytes_total",
        *('trawl_requests_total{kind="%s"}' % kind for kind in KINDS)]
SEED = int(os.environ.get("TRAWL_TEST_SEED") or "1")
draw = random.Random(SEED)


class Kept(io.BufferedReader):
    """The received bytes of a connection. An answer closes its file, which has to stay open for the next answer."""

    def close(self):
        pass

    def makefile(self, *_):
        return self


def strings(count):
    """Returns the member `patterns` for `count` strings, as list items, lines of items and files; and the strings."""
    words, items = draw.choices(WORDS, k=count), []
    for begin, end in zip((cuts := [0, *sorted(draw.sample(range(1, count), draw.randrange(count))), count]), cuts[1:]):
        text = "\n".join(words[begin:end])
        items.append(text if draw.random() < 0.7 else {"name": "f", "text": text})
    return items, words


def query(kind):
    """Returns a path, a body, the status, and a function that checks the answer."""
    count = draw.randrange(1, PATTERNS + 2)
    items, words = strings(count)
    most = draw.randrange(1, 2 * RESULTS)
    body = {"patterns": items, "max_results": most, "options": []}
    found = [word.encode() for word in set(words)]
    total = sum(text.count(word) for text in FILES.values() for word in found)
    files = sum(any(word in text for word in found) for text in FILES.values())
    lines = sum(any(word in line for word in found) for text in FILES.values() for line in text.splitlines())
    most, status = min(most, RESULTS), 413 if count > PATTERNS else 200
    if kind == "count":
        each = [sum(text.count(word.encode()) for text in FILES.values()) for word in words]
        return "/v1/count", body, status, lambda got: [json.loads(got)[name] for name in ("occurrences", "files", "patterns")] == [total, files, each]
    body["format"] = kind
    if kind == "columns":
        return "/v1/search", body, status, lambda got: (head := json.loads(got.split(b"\n")[0]))["count"] == min(most, total) and head["total"] == total
    if kind == "frames":
        body["options"] = draw.choice((["-h"], ["-h", "-n"], ["-l", "-Z"], ["-h", "-z"]))
        if body["options"] != ["-h"] and "-n" not in body["options"]:
            lines = files  # an answer's line is a name, or a file without NUL bytes
        cut = lambda got: b"cut off after %d lines" % most in got  # noqa: E731
        return "/v1/search", body, status, lambda got: got[:1] in b"omx" and cut(got) == (lines > most) and got[-1] == (2 if lines > most else lines == 0)
    return "/v1/search", body, status, lambda got: got.count(b'{"type":"match"') == min(most, lines) and \
        json.loads(got.splitlines()[-1])["data"]["truncated"] == (lines > most)


def make(sums):
    """Returns the bytes of a request, its method, the status, and a function that checks the answer; adds to the sums."""
    method, path, body, status, is_right, kind = "GET", "/healthz", None, 200, lambda got: got == b"ok\n", None
    headers, chance = {}, draw.random()
    if chance < 0.7:
        kind = draw.choice(KINDS[:4])
        method, (path, body, status, is_right) = "POST", query(kind)
        wrong = draw.choice(["JSON", "type", "option", "string", "collection", *[None] * 8]) if status == 200 else None
        status = {None: status, "JSON": 400, "type": 415, "option": 422, "string": 400, "collection": 404}[wrong]
        if wrong == "string":  # the job finds this mistake, after the server has begun the answer
            body.update(patterns=["q"], options=["--hex"])
            status = 200 if kind == "frames" else 400
            is_right = lambda got: got[-1] == 2 and got[:1] == b"m"  # noqa: E731
        elif wrong == "collection":
            body["collection"] = "other"
        elif wrong == "option":
            body["options"].append("-n" if kind in ("count", "columns") else "-j2")
        body = b'{"patterns":' if wrong == "JSON" else json.dumps(body).encode()
        headers["Content-Type"] = "application/json" if wrong != "type" else draw.choice(["application/jsonx", "text/plain"])
        size = draw.choice([len(body)] * 12 + [BODY, BODY + 1, 2 * BODY] * 4 + [32 * BODY])
        body += b" " * (size - len(body))
        begun = size <= BODY and (status == 200 or wrong == "string")
        status = 413 if size > BODY and wrong != "type" else status
        kind = kind if begun else None
    elif chance < 0.8:
        method, path, kind, is_right = draw.choice(["GET", "HEAD"]), "/v1/files", "files", lambda got: got.count(b"\n") in (0, len(FILES))
    elif chance < 0.9:
        method, path, status = draw.choice([("GET", "/none", 404), ("GET", "/v1/count", 405), ("PUT", "/metrics", 405), ("GET", "/healthz", 413)])
        body = b"x" * draw.randrange(1, 99) if method == "PUT" or status == 413 else None
    if kind is not None:
        sums['trawl_requests_total{kind="%s"}' % kind] += 1
        sums["trawl_answer_seconds_count"] += 1
    sums["trawl_refused_total"] += status >= 400
    if body is not None and draw.random() < 0.5:
        headers["Transfer-Encoding"] = "chunked"
        cuts = [0, *sorted(draw.sample(range(1, len(body)), min(len(body) - 1, draw.randrange(4)))), len(body)]
        body = b"".join(b"%x\r\n%s\r\n" % (end - begin, body[begin:end]) for begin, end in zip(cuts, cuts[1:])) + b"0\r\n\r\n"
    elif body is not None:
        headers["Content-Length"] = len(body)
    head = "".join("%s: %s\r\n" % row for row in headers.items())
    return b"%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n%s" % (method.encode(), path.encode(), head.encode(), body or b""), method, status, is_right, kind


def send(end, sent):
    for begin, last in zip((cuts := [0, *sorted(draw.sample(range(1, len(sent)), draw.randrange(5))), len(sent)]), cuts[1:]):
        end.sendall(sent[begin:last])


def sequence(server, sums):
    """Sends a sequence of requests over a connection. Returns what is wrong."""
    made, wrong, at_once = [make(sums)], [], draw.random() < 0.5
    while made[-1][1] != "HEAD" and len(made) < 8 and draw.random() < 0.8:  # an answer to HEAD may end the connection
        made.append(make(sums))
    with server.connect() as end:
        answers = Kept(end.makefile("rb", buffering=0))
        if at_once:
            send(end, b"".join(request[0] for request in made))
        for sent, method, status, is_right, kind in made:
            if not at_once:
                send(end, sent)
            answer = http.client.HTTPResponse(answers, method=method)
            answer.begin()
            got = answer.read()
            if kind is not None and status == 200:
                sums["trawl_answer_bytes_total"] += len(got)
            if answer.status != status or (is_right(got) if status == 200 and method != "HEAD" else False) != (status == 200 and method != "HEAD"):
                wrong.append("%r: %d, expected %d: %r" % (sent[:400], answer.status, status, got[:200]))
        if method == "HEAD" and answer.will_close:
            if answers.read() != b"":
                wrong.append("bytes after an answer to HEAD")
        elif draw.random() < 0.3:  # a request that never ends
            send(end, b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % BODY + b" " * draw.randrange(1, BODY))
    return wrong


def main():
    scale, divisor = (int(os.environ.get(name) or "1") for name in ("TRAWL_TEST_SCALE", "TRAWL_TEST_DIVISOR"))
    count, failures = max(60, 120 * scale // divisor), []
    print("TRAWL_TEST_SEED=%d, %d sequences" % (SEED, count))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            path = os.path.join(folder, "tree", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(text)
        with Server([sys.argv[1]], "--listen=unix:" + os.path.join(folder, "socket"), "--max-request=%d" % BODY, "--max-patterns=%d" % PATTERNS,
                    "--max-results=%d" % RESULTS, "--max-queries=4", "--request-memory=16M", os.path.join(folder, "tree")) as server:
            server.loaded()
            sums = dict.fromkeys(SUMS, 0)
            for _ in range(count):
                failures += sequence(server, sums)
                until(lambda: server.metric("trawl_running") == 0, "nothing runs")
            got = {name: server.metric(name) for name in SUMS}
            if got != sums:
                failures.append("sums: %r, expected %r" % (got, sums))
            if server.stop() != 0:
                failures.append("the server's end")
    print("%d failures" % len(failures), *failures[:10], sep="\n")
    return 1 if failures else 0


sys.exit(main())
