"""server: starts a server for tests, and sends requests over HTTP, whole or byte by byte.

No function measures times. An answer that does not come within WAIT_S seconds is a failure.
"""

import http.client
import json
import os
import re
import select
import socket
import struct
import subprocess
import threading

from harness import DIVISOR, SCALE, WAIT_S, until


def frames_of(body):
    """Returns frames as [(kind, bytes)]; the last frame must be complete."""
    frames, at = [], 0
    while at < len(body):
        kind, count = struct.unpack_from("<cI", body, at)
        frames.append((kind, body[at + 5 : at + 5 + count]))
        assert len(frames[-1][1]) == count
        at += 5 + count
    return frames


def seconds():
    """Returns how long a test of fixed duration runs: ten minutes in long runs, a fraction of its normal time in short runs."""
    return min(600, max(3, 24 * SCALE / DIVISOR))


class Server:
    """A running server; the constructor waits until the server has printed 'serves at'. `command` is the program with its
    first arguments."""

    def __init__(self, command, *arguments, **more):
        self.process = subprocess.Popen(list(command) + list(arguments), stderr=subprocess.PIPE, **more)
        self.messages = []
        self.reader = threading.Thread(target=self.read_messages, daemon=True)
        self.reader.start()
        until(lambda: self.address or self.process.poll() is not None, "the server serves")
        if not self.address:
            self.reader.join(WAIT_S)
            raise RuntimeError("no server: %r" % self.messages)

    def read_messages(self):
        for line in self.process.stderr:
            self.messages.append(line.decode(errors="replace").rstrip("\n"))

    @property
    def address(self):
        """Returns unix:PATH or http://HOST:PORT; None: the server has not said where it serves."""
        return next((line.split()[-1] for line in self.messages if " serves at " in line), None)

    def loaded(self, count=1):
        until(lambda: sum("; loaded in " in line for line in self.messages) >= count, "all is loaded")
        return self

    def connect(self):
        if self.address.startswith("unix:"):
            end = socket.socket(socket.AF_UNIX)
            end.settimeout(WAIT_S)
            end.connect(self.address[5:])
            return end
        host, port = re.match(r"https?://\[?(.*?)\]?:(\d+)$", self.address).groups()
        end = socket.create_connection((host, int(port)), WAIT_S)
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # otherwise a request in pieces takes 40 ms
        return end

    def connection(self):
        """Returns an http.client connection."""
        client = http.client.HTTPConnection("localhost", timeout=WAIT_S)
        client.sock = self.connect()
        return client

    def ask(self, method, path, body=None, **headers):
        """Sends a request and returns (status, headers, body)."""
        client = self.connection()
        try:
            if isinstance(body, (dict, list)):
                body = json.dumps(body).encode()
            if body is not None:
                headers.setdefault("Content-Type", "application/json")
            client.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = client.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            client.close()

    def count(self, *patterns, **more):
        """Returns the answer of /v1/count."""
        return json.loads(self.ask("POST", "/v1/count", {"patterns": patterns, **more})[2])

    def raw(self, *pieces):
        """Sends bytes and returns all bytes until the server closes the connection. Closes the sending side once the
        server answers, or after a moment."""
        end = self.connect()
        try:
            for piece in pieces:
                end.sendall(piece)
            select.select([end], [], [], 0.02)
            end.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the server closed the connection first
        got = b""
        try:
            while True:
                piece = end.recv(1 << 16)
                if not piece:
                    return got
                got += piece
        except ConnectionResetError:
            return got
        finally:
            end.close()

    def metric(self, name):
        text = self.ask("GET", "/metrics")[2].decode()
        return float(re.search(r"^%s (\S+)$" % re.escape(name), text, re.MULTILINE).group(1))

    def open_counts(self):
        """Returns the numbers of threads and descriptors."""
        return tuple(len(os.listdir("/proc/%d/%s" % (self.process.pid, what))) for what in ("task", "fd"))

    def has_no_more_than(self, counts):
        """Returns True if the server has no more threads and descriptors than `counts` says, except for a worker per core,
        which starts when first needed, and a closing connection."""
        return all(now < before + 1 + os.cpu_count() for now, before in zip(self.open_counts(), counts))

    def stop(self, number=15):
        """Ends the server and returns the exit status."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self):
        status = self.process.wait(timeout=WAIT_S)
        self.reader.join(WAIT_S)
        return status

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.reader.join(WAIT_S)
        self.process.stderr.close()
