"""serving: starts servers for tests of clients: the real server over a small tree, or a server with scripted answers."""

import contextlib
import itertools
import json
import os
import pathlib
import socket
import sys
import threading
import time

import pytest

sys.path.append(str(pathlib.Path(__file__).parents[2] / "tests/serve"))
from server import Server  # noqa: E402

PROGRAM = os.environ.get("TRAWL_SERVE", "")


@contextlib.contextmanager
def real(*arguments):
    """Run `trawl-serve` during the block, and yield the address for trawl.Client."""
    if not os.access(PROGRAM, os.X_OK):
        pytest.skip("this build has no trawl-serve")
    with Server([PROGRAM], *map(str, arguments)) as server:
        yield server.loaded().address


class Fake:
    """A server on a Unix socket, where each request gets the next of the given answers. An answer is bytes, which are
    sent `step` bytes at a time. hang: the connection stays open after the answer. requests: the requests so far."""

    def __init__(self, folder, *answers, step=1 << 20, hang=True):
        self.answers, self.step, self.hang = list(answers), step, hang
        self.requests, self.closed = [], threading.Event()
        self.socket = socket.socket(socket.AF_UNIX)
        path = pathlib.Path(folder, f"fake{time.monotonic_ns()}")
        self.socket.bind(str(path))
        self.socket.listen()
        self.address = f"unix:{path}"
        self.connections = 0
        threading.Thread(target=self.run, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                connection = self.socket.accept()[0]
                self.connections += 1
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, contextlib.suppress(OSError), connection.makefile("rb") as reading:
            while head := b"".join(itertools.takewhile(b"\r\n".__ne__, reading)):
                length = int([*head.lower().split(b"content-length: "), b"0"][1].split()[0])
                self.requests.append((head, json.loads(reading.read(length) or b"null")))
                answer = self.answers.pop(0)
                for at in range(0, len(answer), self.step):
                    connection.sendall(answer[at : at + self.step])
                if not self.hang:
                    return
        self.closed.set()


def grown(value, more):
    """Return an answer with the member "new" before the members of each object."""
    if isinstance(value, dict):
        return {"new": more, **{key: grown(one, more) for key, one in value.items()}}
    return [grown(one, more) for one in value] if isinstance(value, list) else value


def chunked(content, size=1 << 20, extra=b""):
    """Return an HTTP answer in chunks of `size` bytes."""
    parts = [content[at : at + size] for at in range(0, len(content), size)]
    body = b"".join(b"%x%s\r\n%s\r\n" % (len(part), extra, part) for part in parts)
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body + b"0\r\n\r\n"


def plain(content, status=b"200 OK"):
    """Return an HTTP answer with a Content-Length."""
    head = b"HTTP/1.1 %s\r\nContent-Type: x\r\nContent-Length: %d\r\n\r\n" % (status, len(content))
    return head + content


def lines(*events):
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)
