"""HTTP/1.1 for trawl.client: a server's address, and connections that are kept for later requests."""

from __future__ import annotations

import base64
import contextlib
import errno
import http.client
import json
import os
import re
import socket
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ._errors import ServerError

if TYPE_CHECKING:
    import ssl

READ_BYTES = 1 << 16
IDLE_MAX = 32  # connections that are kept open for later requests
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, http.client.HTTPException)


def data(value: Any) -> bytes:
    """Return the bytes of a string in an answer: JSON text, {"text": JSON text} or {"bytes": base64}."""
    if isinstance(value, str):
        return value.encode()
    if "bytes" in value:
        return base64.b64decode(value["bytes"], validate=True)
    return bytes(value["text"].encode())


def name(value: Any) -> str:
    return os.fsdecode(data(value))


@contextlib.contextmanager
def understood(close: Callable[[], object] = bool) -> Iterator[None]:
    """Call `close` after any exception in the body, and turn exceptions about unreadable answers into ServerError."""
    try:
        yield
    except BaseException as fault:
        close()
        if isinstance(fault, UNREADABLE) and not isinstance(fault, OSError):
            raise ServerError(f"the server's answer cannot be read: {fault!r}") from fault
        raise


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float | None) -> None:
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Reply:
    """The answer to a request. Once it is read to the end, the connection is kept for later."""

    response: http.client.HTTPResponse

    def __init__(self, server: Server, connection: http.client.HTTPConnection) -> None:
        self.server, self.connection = server, connection
        self.closed = False

    @contextlib.contextmanager
    def talking(self) -> Iterator[None]:
        """Close the connection after an exception in the body, and turn system errors and exceptions about unreadable
        answers into ServerError."""
        try:
            with understood(self.close):
                yield
        except TimeoutError as fault:
            raise ServerError(f"{self.server.address}: no answer in time", 0, errno.ETIMEDOUT) from fault
        except OSError as fault:
            raise ServerError(f"{self.server.address}: {fault}", 0, fault.errno or 0) from fault

    def part(self) -> bytes:
        """Return the next bytes of the body, b"" at the end."""
        with self.talking():
            # read1() returns what has arrived. Python 3.11 does not notice there that an unchunked answer has ended.
            read = self.response.read1 if self.response.chunked else self.response.read
            got = b"" if self.closed else read(READ_BYTES)
        if not got:
            self.close()
        return got

    def all(self) -> bytes:
        return b"".join(iter(self.part, b""))

    def close(self) -> None:
        """Keep the connection for later if the answer was read completely; otherwise close it."""
        response, idle = getattr(self, "response", None), self.server.idle
        whole = response is not None and response.isclosed() and self.connection.sock is not None
        if not self.closed and whole and len(idle) < IDLE_MAX:
            idle.append((os.getpid(), self.connection))
        elif not self.closed:
            if response is not None:
                response.close()
            self.connection.close()
        self.closed = True


class Server:
    """A server's address, and idle connections to it for later requests."""

    def __init__(
        self, address: str | None, token: str | None, timeout: float | None, tls: ssl.SSLContext | None
    ) -> None:
        folder = os.environ.get("XDG_RUNTIME_DIR")
        default = f"unix:{folder}/trawl.sock" if folder else ""
        if address is None:
            address = os.environ.get("TRAWL_SERVER") or default
        if token is None and (file := os.environ.get("TRAWL_TOKEN_FILE")):
            with open(file) as opened:
                token = opened.read()
        for name, value in (("address", address), ("token", token)):
            if not isinstance(value, (str, type(None))):
                raise TypeError(f"{name}: a str is needed, not {value!r:.80}")
        if address == "unix:":
            address = default
        elif re.match(r"(?!unix:)[^/]+:\d", address):  # HOST:PORT, as the command has it
            address = f"http://{address}"
        self.address, self.timeout, self.tls = address, timeout, tls
        self.idle: list[tuple[int, http.client.HTTPConnection]] = []  # with the process that opened each
        try:
            self.parts = urlsplit(address)
            self.port = None if self.parts.scheme == "unix" else self.parts.port
        except ValueError as fault:
            raise ValueError(f"address: {address!r}: {fault}") from None
        if address[:5] != "unix:" and (
            self.parts.scheme not in ("http", "https") or not self.parts.hostname or len(self.parts.path) > 1
        ):
            raise ValueError(f"address: unix:PATH, HOST:PORT or http[s]://HOST:PORT, not {address!r}")
        self.head = {"Content-Type": "application/json"}
        if token is not None:
            if not (token := token.strip()).isascii() or not token.isprintable():
                raise ValueError("token: ASCII characters that can be printed are needed")
            self.head["Authorization"] = f"Bearer {token}"

    def new_connection(self) -> http.client.HTTPConnection:
        if self.address.startswith("unix:"):
            return UnixConnection(self.address[5:], self.timeout)
        host = self.parts.hostname or ""
        if self.parts.scheme == "http":
            return http.client.HTTPConnection(host, self.port, timeout=self.timeout)
        return http.client.HTTPSConnection(host, self.port, timeout=self.timeout, context=self.tls)

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Reply:
        """Send a request, and return the Reply after its head. If the server has closed an idle connection, try the next
        one."""
        content = None if body is None else json.dumps(body).encode()
        while True:
            owner, connection = 0, None
            with contextlib.suppress(IndexError):
                owner, connection = self.idle.pop()
            if connection is not None and owner != os.getpid():
                connection.close()  # a forked child must not use the parent's connections
                continue
            reply = Reply(self, connection or self.new_connection())
            try:
                with reply.talking():
                    if connection is None:
                        reply.connection.connect()
                    with contextlib.suppress(ConnectionError):  # a server may answer before it has read all
                        reply.connection.request("GET" if body is None else "POST", path, content, self.head)
                    reply.response = reply.connection.getresponse()
                break
            except ServerError as fault:
                if connection is None or fault.os_code == errno.ETIMEDOUT:
                    raise
        if reply.response.status == 200:
            return reply
        message = f"{self.address}: status {reply.response.status}"
        said = reply.all()
        with contextlib.suppress(*UNREADABLE):
            message = name(json.loads(said)["error"]["message"])
        raise ServerError(message, reply.response.status)

    def close(self) -> None:
        while self.idle:
            self.idle.pop()[1].close()
