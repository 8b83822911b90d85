"""HTTP/1.1 for the clients of a server, over asyncio (Wire) or over a blocking socket (SocketWire).

Both clients share coroutines. SocketWire's coroutines block in the socket and never suspend, so `run`
gets a coroutine's result with a single send().
"""

from __future__ import annotations

import base64
import contextlib
import errno
import json
import os
import socket
from collections.abc import Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from ._errors import ServerError

if TYPE_CHECKING:
    import ssl

READ_BYTES = LINE_BYTES_MAX = 1 << 16  # the limit of a line before the body
IDLE_MAX = 32  # connections that are kept open for later requests
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError)
Answer = TypeVar("Answer")


def data(value: Any) -> bytes:
    """Return the bytes of a string in an answer: JSON text, or {"bytes": base64}."""
    if isinstance(value, str):
        return value.encode()
    if "bytes" in value:
        return base64.b64decode(value["bytes"], validate=True)
    return bytes(value["text"].encode())


def name(value: Any) -> str:
    return os.fsdecode(data(value))


@contextlib.contextmanager
def understood(close: Callable[[], object] = bool) -> Iterator[None]:
    """Call `close` after any exception in the body, and turn exceptions about unreadable answers into
    ServerError."""
    try:
        yield
    except BaseException as fault:
        close()
        if isinstance(fault, UNREADABLE):
            raise ServerError(f"the server's answer cannot be read: {fault!r}") from fault
        raise


def run(coroutine: Coroutine[Any, Any, Answer]) -> Answer:
    """Return the result of a coroutine of Client, which never suspends."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    raise AssertionError("a socket that blocks made somebody wait")


class Wire:
    """An asyncio connection, and the received bytes rest[at:] that were not consumed yet."""

    def __init__(self, server: Server) -> None:
        self.server, self.timeout = server, server.timeout
        self.owner = self.owner_now()
        self.rest, self.at = b"", 0

    @staticmethod
    def owner_now() -> Any:
        """Say who may use a connection that is made now: the tasks of this process and event loop."""
        import asyncio

        return os.getpid(), asyncio.get_running_loop()

    async def open(self) -> None:
        import asyncio

        server = self.server
        if server.path is None:
            streams = await asyncio.open_connection(*server.host, ssl=server.tls)
        else:
            streams = await asyncio.open_unix_connection(server.path)
        self.reader, self.writer = streams

    async def receive(self) -> bytes:
        return await self.reader.read(READ_BYTES)

    async def send(self, content: bytes) -> None:
        self.writer.write(content)
        with contextlib.suppress(ConnectionError):  # a server may answer before it has read all
            await self.writer.drain()

    def close(self) -> None:
        with contextlib.suppress(AttributeError, RuntimeError):  # never opened; the loop is closed
            self.writer.transport.abort()

    async def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Await open(), send() or receive(). An exception, or the task's cancellation, closes the
        connection."""
        import asyncio

        try:
            return await (work if self.timeout is None else asyncio.wait_for(work, self.timeout))
        except BaseException as fault:
            self.close()
            place = self.server.address
            if isinstance(fault, (TimeoutError, asyncio.TimeoutError)):
                raise ServerError(f"{place}: no answer in time", 0, errno.ETIMEDOUT) from fault
            if isinstance(fault, OSError):
                raise ServerError(f"{place}: {fault}", 0, fault.errno or 0) from fault
            raise

    async def fill(self) -> None:
        """Receive more bytes if rest[at:] is empty."""
        if self.at == len(self.rest):
            self.rest, self.at = await self.do(self.receive()), 0
            if not self.rest:
                raise ServerError(f"{self.server.address}: the connection ended early")

    async def some(self, most: int) -> bytes:
        await self.fill()
        taken = self.rest[self.at : self.at + most]
        self.at += len(taken)
        return taken

    async def line(self) -> bytes:
        got = b""
        while not got.endswith(b"\n"):
            if len(got) > LINE_BYTES_MAX:
                raise ValueError("a line of HTTP has no end")
            await self.fill()
            end = self.rest.find(b"\n", self.at) + 1 or len(self.rest)
            got += self.rest[self.at : end]
            self.at = end
        return got.strip()


class SocketWire(Wire):
    """A connection over a blocking socket. The coroutines never suspend; the socket has the timeout."""

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self.timeout = None

    @staticmethod
    def owner_now() -> Any:
        return os.getpid()  # a forked child must not use the parent's connections

    async def open(self) -> None:
        server = self.server
        if server.path is None:
            self.socket = socket.create_connection(server.host, server.timeout)
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(server.timeout)
            self.socket.connect(server.path)
        if server.tls is not None:
            self.socket = server.tls.wrap_socket(self.socket, server_hostname=server.host[0])

    async def receive(self) -> bytes:
        return self.socket.recv(READ_BYTES)

    async def send(self, content: bytes) -> None:
        with contextlib.suppress(ConnectionError):
            self.socket.sendall(content)

    def close(self) -> None:
        with contextlib.suppress(AttributeError):
            self.socket.close()


class Reply:
    """An HTTP/1.1 answer. Once the answer is read to the end, the connection is kept for later."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.left = 0  # unread bytes of the body, or of the body's current chunk
        self.chunked = self.keep = self.ended = self.closed = False

    async def begin(self, content: bytes, kept: bool) -> None:
        """Send a request, and read the answer's head."""
        if not kept:
            await self.wire.do(self.wire.open())
        await self.wire.do(self.wire.send(content))
        self.status = 0
        while self.status < 200:  # an interim answer (1xx) precedes the final answer
            version, status, *_ = (await self.wire.line()).split(b" ", 2)
            fields: dict[bytes, bytes] = {}
            while len(fields) <= 100 and (line := await self.wire.line()):
                key, _, value = line.partition(b":")
                fields[key.lower()] = value.strip()
            if not version.startswith(b"HTTP/1.") or len(fields) > 100:
                raise ValueError("no answer of HTTP/1.1")
            self.status = int(status)
        self.chunked = fields.get(b"transfer-encoding", b"").lower() == b"chunked"
        self.keep = version == b"HTTP/1.1" and fields.get(b"connection", b"").lower() != b"close"
        if not self.chunked:
            self.left = self.number(fields[b"content-length"], 10)
            self.ended = self.left == 0

    @staticmethod
    def number(digits: bytes, base: int) -> int:
        if not digits.isalnum():  # int() would accept signs, blanks and underscores
            raise ValueError(f"{digits!r} is not the length of a chunk")
        return int(digits, base)

    async def part(self) -> bytes:
        """Return the next bytes of the body, b"" at the end."""
        with understood(self.close):
            if self.chunked and self.left == 0 and not self.ended:
                self.left = self.number((await self.wire.line()).partition(b";")[0].strip(), 16)
                self.ended = self.left == 0
                while self.ended and await self.wire.line():  # trailer fields may follow the chunks
                    pass
            if self.ended:
                self.close()
                return b""
            got = await self.wire.some(self.left)
            self.left -= len(got)
            self.ended = self.left == 0 and not self.chunked
            if self.left == 0 and self.chunked and await self.wire.line():
                raise ValueError("a chunk is longer than it says")
            return got

    async def all(self) -> bytes:
        parts = []
        while got := await self.part():
            parts.append(got)
        return b"".join(parts)

    def close(self) -> None:
        """Keep the connection for later if the answer was read whole; else close the connection."""
        idle = self.wire.server.idle
        whole = self.ended and self.keep and self.wire.at == len(self.wire.rest)
        if not self.closed and whole and len(idle) < IDLE_MAX:
            idle.append(self.wire)
        elif not self.closed:
            self.wire.close()
        self.closed = True

class Server:
    """A server's address, and idle connections to the server for later requests."""

    def __init__(
        self,
        wire: type[Wire],
        address: str | None,
        token: str | None,
        timeout: float | None,
        tls: ssl.SSLContext | None,
    ) -> None:
        if address is None:
            folder = os.environ.get("XDG_RUNTIME_DIR")
            default = f"unix:{folder}/trawl.sock" if folder else ""
            address = os.environ.get("TRAWL_SERVER") or default
        if token is None and (file := os.environ.get("TRAWL_TOKEN_FILE")):
            with open(file) as opened:
                token = opened.read()
        self.wire, self.address, self.timeout, self.tls = wire, address, timeout, tls
        self.idle: list[Wire] = []
        self.path = address[5:] if address.startswith("unix:") else None
        self.host, host = ("localhost", 0), "localhost"
        if self.path is None:
            parts = urlsplit(address)
            secure, host = parts.scheme == "https", parts.netloc
            if parts.scheme not in ("http", "https") or not parts.hostname or len(parts.path) > 1:
                raise ValueError(f"address: unix:PATH or http[s]://HOST:PORT, not {address!r}")
            self.host = parts.hostname, parts.port or (443 if secure else 80)
            if secure and tls is None:
                import ssl

                self.tls = ssl.create_default_context()
        self.head = f"Host: {host}\r\nContent-Type: application/json\r\n"
        if token is not None:
            if not (token := token.strip()).isascii() or not token.isprintable():
                raise ValueError("token: ASCII characters that can be printed are needed")
            self.head += f"Authorization: Bearer {token}\r\n"

    async def ask(self, path: str, body: dict[str, Any] | None = None) -> Reply:
        """Send a request, and return the Reply after its head. If the server has closed an idle
        connection, try the next connection."""
        content = b"" if body is None else json.dumps(body).encode()
        verb = "GET" if body is None else "POST"
        head = f"{verb} {path} HTTP/1.1\r\n{self.head}Content-Length: {len(content)}\r\n\r\n"
        while True:
            wire, kept = self.wire(self), False
            with contextlib.suppress(IndexError):
                wire, kept = self.idle.pop(), True
            if kept and wire.owner != wire.owner_now():
                wire.close()
                continue
            reply = Reply(wire)
            try:
                with understood(reply.close):
                    await reply.begin(head.encode() + content, kept)
                break
            except ServerError as fault:
                if not kept or fault.os_code == errno.ETIMEDOUT:
                    raise
        if reply.status == 200:
            return reply
        message = f"{self.address}: status {reply.status}"
        said = await reply.all()
        with contextlib.suppress(*UNREADABLE):
            message = name(json.loads(said)["error"]["message"])
        raise ServerError(message, reply.status)

    def close(self) -> None:
        while self.idle:
            self.idle.pop().close()
