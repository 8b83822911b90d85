"""Serves trees from the memory of a Ray cluster.

Each shard of a tree is held by a `trawl-serve` on some node, which serves the files between two paths. A Ray Serve
deployment, the front, passes each request to all shards, and joins the answers in the order of --sort=path. So
`trawl --server=http://...`, the page and trawl.Client use a cluster in the same way as a single server. The tree must
be the same on all nodes. docs/server.md of trawl describes the protocol.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import collections
import contextlib
import ctypes
import functools
import ipaddress
import itertools
import json
import operator
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from . import Client, ServerError
from .__main__ import scripts
from ._answers import PARTS
from ._shards import ACTOR_BYTES, NAMESPACE, deal, found_below, nodes_for

PASSED_ON = ("host", "origin", "authorization", "content-type", "if-none-match")
RETURNED = ("content-type", "cache-control", "etag", "x-content-type-options", "content-security-policy")
PARTS_AHEAD = 16  # limit for the parts of a shard's answer that wait until earlier shards have answered
READ_BYTES = 1 << 16  # limit for a part of an answer
GROUPS, NOTHING = 0x80, 0x40  # bits of the exit status: groups of lines were printed; no file was searched
ANSWER_BYTES_MAX = 1 << 30  # limit for an answer that the front reads as a whole
ENDING = b"the server is ending"  # in the rejections and messages of a server that is shutting down
LEFT_OUT = b"no files were searched"  # begins a message that is true for the cluster only if no shard searched a file
DOUBT = b": nothing was found; "  # in a message that is true for the cluster only if all shards send it
EVERY_SECONDS = 0.5  # between two checks of a server
SILENT_SECONDS = (
    2.0  # a server that is silent for longer is ended, with its actor; an actor that is silent is not counted
)
# A request is sent up to ATTEMPTS times, to the copies of a shard in turn, with pauses of FIRST_PAUSE and twice the last
# one: in all a minute, in which Ray starts lost actors again. The limit also ends a request that makes servers crash.
ATTEMPTS, FIRST_PAUSE = 12, 0.03
PARENT_ENDS = 1  # prctl's option for the signal that a process gets when its parent ends
NOT_SERVED = ("--sortr", "--count-by-pattern")


def program() -> str:
    """Return the path of the server's program."""
    found = os.environ.get("TRAWL_SERVE") or shutil.which("trawl-serve", path=scripts())
    if not found:
        raise FileNotFoundError(
            "trawl-serve: neither in TRAWL_SERVE nor among Python's scripts nor in PATH. pip builds trawl-serve if the headers of "
            "libmicrohttpd and jansson are there (Debian: libmicrohttpd-dev, libjansson-dev)"
        )
    return found


class Shard:
    """A Ray actor with a server, which holds the files between two paths. Ray starts it again when it ends: with its
    server, or because the server is silent."""

    def __init__(self, arguments: list[str]) -> None:
        import ray

        self.folder, self.loaded = tempfile.TemporaryDirectory(prefix="trawl"), threading.Event()
        self.process: Any = None
        self.path = f"{self.folder.name}/socket"
        files = [one.partition("=")[2] for one in arguments if one.startswith("--token-file=")]
        self.token = (
            pathlib.Path(files[-1]).read_text().strip().partition("\n")[0].rpartition("\t")[2] if files else None
        )
        self.is_restarted = ray.get_runtime_context().was_current_actor_reconstructed
        command = [program(), f"--listen=unix:{self.path}", *arguments]
        thread = threading.Thread(target=self.watch, args=(command,), daemon=True)
        thread.start()
        while not self.loaded.wait(0.02):
            if not thread.is_alive():
                raise RuntimeError(f"trawl-serve ended with status {self.process and self.process.wait()}: "
                                   "see the actor's messages in Ray's logs")  # fmt: skip

    def watch(self, command: list[str]) -> None:
        """Run the server, which ends with this thread, even if the actor is killed."""
        ends = functools.partial(ctypes.CDLL(None).prctl, PARENT_ENDS, signal.SIGKILL)
        self.process = subprocess.Popen(command, preexec_fn=ends)
        answered = time.monotonic()
        # Before it listens, a server may take a while on a busy machine.
        while self.process.poll() is None and time.monotonic() - answered < SILENT_SECONDS * (
            1 if self.loaded.is_set() else 10
        ):
            is_loading = None
            try:
                with Client(f"unix:{self.path}", token=self.token, timeout=SILENT_SECONDS / 2) as client:
                    is_loading = any(one["loading"] for one in client.collections())
            except ServerError as fault:  # a rejection is an answer, too
                is_loading = False if 0 < fault.status < 500 else None
            except Exception:  # an answer that cannot be read
                pass
            if is_loading is not None:
                answered = time.monotonic()
            if is_loading is False:
                self.loaded.set()
            time.sleep(EVERY_SECONDS if self.loaded.is_set() else 0.01)
        self.process.kill()
        if self.loaded.is_set() or self.is_restarted:
            self.give_up()

    def give_up(self) -> None:
        os._exit(1)

    def server(self) -> int:
        """Return the server's process number."""
        return int(self.process.pid)

    async def ask(self, verb: str, path: str, headers: dict[str, str], body: bytes) -> AsyncIterator[Any]:
        """Pass a request on. Yield (status, headers), and then the parts of the answer. If the front cancels this task,
        the connection is closed, and the server stops the search."""
        lines = [f"{verb} {path} HTTP/1.1", *(f"{key}: {value}" for key, value in headers.items())]
        head = "\r\n".join([*lines, f"content-length: {len(body)}", "", ""]).encode("latin-1")
        writer: Any = None
        try:
            reader, writer = await asyncio.open_unix_connection(self.path)
            writer.write(head + body)
            with contextlib.suppress(ConnectionError):  # a server may answer before it has read all
                await writer.drain()
            first, *fields = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").splitlines()
            given = {key.lower(): value.strip() for key, _, value in (one.partition(":") for one in fields)}
            yield int(first.split()[1]), {key: given[key] for key in RETURNED if key in given}
            left, is_chunked = int(given.get("content-length", 0)), "transfer-encoding" in given
            while is_chunked or left > 0:
                if left == 0 and (left := int((await reader.readline()).partition(b";")[0], 16)) == 0:
                    return
                part = await reader.read(min(left, READ_BYTES))
                if not part:
                    raise ServerError("trawl-serve: the connection ended early")
                left -= len(part)
                yield part
                if is_chunked and left == 0:
                    await reader.readline()
        except (OSError, EOFError, ValueError, IndexError) as fault:
            raise ServerError(f"trawl-serve: {fault}") from fault
        finally:
            if writer is not None:
                writer.transport.abort()


# ---- Answers that become one ---------------------------------------------------------------------


class Refused(Exception):
    """A request is rejected: status, headers, body."""


def refusal(status: int, message: str) -> Refused:
    content = json.dumps({"error": {"status": status, "message": message}}).encode() + b"\n"
    return Refused(status, {"content-type": "application/json"}, content)


class Units:
    """The answer of a shard, in units: b"o" with bytes of output, b"m" with a message, b"x" with an exit status; or b"l"
    with a line of JSON. All copies of a shard produce the same output, so a second actor can continue where a lost one
    ended. copies: the actors, in the order in which they get requests."""

    def __init__(self, send: Callable[[int], Any], is_framed: bool, is_json: bool = False) -> None:
        self.send, self.is_framed, self.is_json, self.stream = send, is_framed, is_json, send(0)
        self.status: Any = None

    async def again(self, fault: Exception, attempt: int) -> None:
        """After a fault of a copy, send the request to the next one."""
        self.close()
        if attempt == ATTEMPTS:
            raise refusal(503, f"no copy of a shard answers: {words(fault)}") from fault
        await asyncio.sleep(FIRST_PAUSE * 2 ** (attempt - 1))
        self.stream = self.send(attempt)

    async def raw(self) -> AsyncIterator[bytes]:
        self.status, content = None, b""
        async for reference in self.stream:
            part = await reference
            if self.status is None:
                self.status = part
            elif self.status[0] == 200:
                yield part
            else:
                content += part
        if self.status is None or ENDING in content:
            raise ServerError(ENDING.decode())
        if self.status[0] != 200:
            refused = Refused(*self.status, content)
            try:
                message_of(refused)
            except (ValueError, KeyError, TypeError) as fault:
                raise ServerError(f"trawl-serve: the answer cannot be read: {fault!r}") from fault
            raise refused

    async def units(self) -> AsyncIterator[tuple[bytes, bytes]]:
        rest, line = b"", b""
        async for part in self.raw():
            rest += part
            if not self.is_framed:
                *lines, rest = rest.split(b"\n")
                for one in lines:
                    if ENDING in one and kind_of(one) == b"message":
                        raise ServerError(ENDING.decode())
                    yield b"l", one + b"\n"
                continue
            while len(rest) >= 5 and len(rest) >= (end := 5 + int.from_bytes(rest[1:5], "little")):
                if rest[:1] == b"m" and ENDING in rest[:end]:
                    raise ServerError(ENDING.decode())
                kind, content, rest = rest[:1], rest[5:end], rest[end:]
                if self.is_json:  # whole lines, whose times differ from copy to copy, also in length
                    *lines, line = (line + content).split(b"\n") if kind == b"o" else [line]
                    for one in lines:
                        yield b"o", one + b"\n"
                    if kind == b"x" and line:
                        yield b"o", line
                if kind != b"o" or not self.is_json:
                    yield kind, content
        if rest:
            raise ServerError("trawl-serve: the answer ended early")

    async def all(self) -> AsyncIterator[tuple[bytes, bytes]]:
        """Yield the units, even if actors are lost meanwhile."""
        import ray

        came: dict[bytes, int] = collections.defaultdict(int)
        for attempt in itertools.count(1):
            left = came.copy()
            try:
                async for kind, content in self.units():
                    size = len(content) if kind == b"o" and not self.is_json else 1
                    skipped = min(left[kind], size)
                    left[kind] -= skipped
                    if skipped < size:
                        came[kind] += size - skipped
                        yield kind, content[skipped:] if kind == b"o" else content
                return
            except (ray.exceptions.RayError, ServerError) as fault:
                await self.again(fault, attempt)

    async def whole(self) -> bytes:
        """Return an answer that is not a stream of units."""
        import ray

        attempt = 0
        while True:
            attempt += 1
            try:
                content = bytearray()
                async for part in self.raw():
                    content += part
                    if len(content) > ANSWER_BYTES_MAX:
                        raise refusal(413, "the answer of a shard is too long for the front")
                return bytes(content)
            except (ray.exceptions.RayError, ServerError) as fault:
                await self.again(fault, attempt)

    def close(self) -> None:
        import ray

        with contextlib.suppress(Exception):
            ray.cancel(self.stream)


def words(fault: Exception) -> str:
    """Return the last line of a Ray exception's text: this line names the cause."""
    return str(fault).strip().rpartition("\n")[2] or type(fault).__name__


def text_of(value: Any) -> bytes:
    """Return the bytes of a string: JSON text, {"text": JSON text} or {"bytes": base64}; b"" for anything else."""
    given: dict[str, Any] = value if isinstance(value, dict) else {"text": value}
    with contextlib.suppress(ValueError, TypeError, AttributeError):
        return base64.b64decode(given["bytes"]) if "bytes" in given else bytes(given["text"].encode())
    return b""


def runs_of(body: dict[str, Any], is_ordered: bool = True) -> list[dict[str, Any]]:
    """Return requests whose answers, joined in this order, are the answer to `body`. Each has operands in the order of
    --sort=path, none of which is inside another. A request whose answer has no order is not divided."""
    options = [text_of(one).decode("latin-1") for one in body.get("options") or ()]
    for one in options:
        if one.startswith(NOT_SERVED):
            raise refusal(422, f"{one}: a cluster does not serve this option")
    paths = body.get("paths") or []
    base = text_of(body.get("directory", ""))
    runs: list[list[Any]] = [[]]
    last: list[bytes] | None = None
    for path in paths:
        parts = [one for one in os.path.join(base, text_of(path)).split(b"/") if one not in (b"", b".")]
        if b".." in parts:  # rejected here, before a request for some of the operands is sent to the shards
            raise refusal(
                409, f'{text_of(path).decode(errors="replace")}: the server does not take "..": use a path without ".."'
            )
        if is_ordered and last is not None and (parts <= last or parts[: len(last)] == last):
            runs.append([])
        runs[-1].append(path)
        last = parts
    named = len(runs) > 1 and body.get("format") == "frames"  # other formats always name the files
    shared = ["--sort=path", *(["--with-filename"] if named else [])]
    asked = {**body, "options": [*shared, *(body.get("options") or ())]}
    return [{**asked, "paths": run} if run else asked for run in runs]


def each(values: list[list[int]]) -> list[int]:
    return [sum(ones) for ones in zip(*values)]


def times(values: list[dict[str, int]]) -> dict[str, Any]:
    total = sum(one["secs"] * 10**9 + one["nanos"] for one in values)
    return {"human": f"{total / 1e9:.6f}s", "nanos": total % 10**9, "secs": total // 10**9}


# How a member of the shards' answers becomes one value: through a function of the shards' values or, if these are
# objects, by a dict with such a rule for each of their members.
first = operator.itemgetter(0)
SUMS = dict.fromkeys(
    ("bytes_printed", "bytes_searched", "matched_lines", "matches", "searches", "searches_with_match"), sum
)
SUMMARY = {"type": first, "data": {"elapsed_total": times, "stats": {"elapsed": times, **SUMS}}}
COPIES = (
    "# TYPE trawl_copies gauge\ntrawl_copies {wanted}\n# TYPE trawl_copies_ready gauge\ntrawl_copies_ready {ready}\n"
)
HOW: dict[str, Any] = {"sum": sum, "each": each, "most": max, "first": first}
# These rules skip the members that the front itself makes ("joined").
RULES = {answer: {name: HOW[how] for name, how in members.items() if how in HOW} for answer, members in PARTS.items()}


def joined(values: list[Any], rule: Any) -> Any:
    """Join a member's values. A member without a rule, which a later server may send, is skipped."""
    if not isinstance(rule, dict):
        return rule(values)
    known = [key for key in values[0] if key in rule and all(key in one for one in values)]
    return {key: joined([one[key] for one in values], rule[key]) for key in known}


def counts(answers: list[bytes]) -> bytes:
    return json.dumps(joined([json.loads(one) for one in answers], RULES["count"])).encode() + b"\n"


def columns(answers: list[bytes], body: dict[str, Any]) -> bytes:
    """Join consecutive columns, renumbering files. A file that an earlier operand has named is skipped."""
    heads, begins, files, patterns = [], b"", b"", b""
    names: dict[bytes, tuple[int, Any]] = {}  # path -> index, name
    for answer in answers:
        line, _, numbers = answer.partition(b"\n")
        head = json.loads(line)
        count = head["count"]
        own = [(os.path.normpath(text_of(one)), one) for one in head.pop("files")]
        new = [path not in names for path, _ in own]
        index = [names.setdefault(path, (len(names), one))[0].to_bytes(4, "little") for path, one in own]
        parts = numbers[: 8 * count], memoryview(numbers[8 * count : 12 * count]).cast("I"), numbers[12 * count :]
        rows = [row for row, file in enumerate(parts[1]) if new[file]]
        begins += parts[0] if all(new) else b"".join(parts[0][8 * row : 8 * row + 8] for row in rows)
        files += b"".join(index[parts[1][row]] for row in rows)
        patterns += parts[2] if all(new) else b"".join(parts[2][4 * row : 4 * row + 4] for row in rows)
        heads.append(head | {"count": len(rows), "total": head["total"] - count + len(rows)})
    total = joined(heads, RULES["columns"])
    total |= {"columns": ["begin", "file", "pattern"], "files": [one for _, one in names.values()]}
    most = total["count"] = min(total["count"], body.get("max_results", total["count"]))
    return json.dumps(total).encode() + b"\n" + begins[: 8 * most] + files[: 4 * most] + patterns[: 4 * most]


def metrics(answers: list[bytes]) -> bytes:
    lines: dict[bytes, float | None] = {}
    for line in itertools.chain(*(one.splitlines() for one in answers)):
        key, _, value = line.rpartition(b" ")
        if line.startswith(b"#"):
            lines[line] = None
        else:
            lines[key] = (lines.get(key) or 0) + float(value)
    return b"".join(key + (b"\n" if value is None else b" %.17g\n" % value) for key, value in lines.items())


def collections_of(answers: list[bytes], **more: Any) -> bytes:
    found = [json.loads(one)["collections"] for one in answers]
    return (
        json.dumps({"collections": [joined(list(ones), RULES["collection"]) for ones in zip(*found)], **more}).encode()
        + b"\n"
    )


def kind_of(line: bytes) -> bytes:
    """Return the type of a line of JSON, which is nearly always at the line's start."""
    return line[9 : line.index(b'"', 9)] if line.startswith(b'{"type":"') else str(json.loads(line)["type"]).encode()


class Front:
    """The deployment that answers requests: a callable of Ray Serve."""

    def __init__(self, shards: list[list[Any]], host: str) -> None:
        self.shards, self.host, self.turns = shards, host, itertools.count()

    async def state(self) -> dict[str, Any]:
        """Return how many copies there are, and which ones do not answer."""

        async def lost(i: int, j: int) -> list[dict[str, Any]]:
            try:
                await asyncio.wait_for(self.shards[i][j].server.remote(), SILENT_SECONDS)
            except Exception as fault:
                return [{"shard": i, "copy": j, "fault": words(fault)}]
            return []

        asked = [lost(i, j) for i, own in enumerate(self.shards) for j in range(len(own))]
        faults = list(itertools.chain(*await asyncio.gather(*asked)))
        return {"wanted": len(asked), "ready": len(asked) - len(faults), "lost": faults}

    def asked(self, request: Any, body: bytes, i: int, is_framed: bool = False, is_json: bool = False) -> Units:
        """Send a request to a shard."""
        headers = {key: request.headers[key] for key in PASSED_ON if key in request.headers}
        path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        copies, turn = self.shards[i], next(self.turns)

        def send(attempt: int) -> Any:
            ask = copies[(turn + attempt) % len(copies)].ask
            streamed = ask.options(num_returns="streaming", _generator_backpressure_num_objects=PARTS_AHEAD)
            return aiter(streamed.remote(request.method, path, headers, body))

        return Units(send, is_framed, is_json)

    async def __call__(self, request: Any) -> Any:
        from starlette.responses import Response, StreamingResponse

        body, path = await request.body(), request.url.path
        asked: list[list[Units]] = []
        try:
            if not self.is_our_host(request.headers.get("host", "")):
                raise refusal(403, "the Host or Origin header names a different site")
            given: Any = {}
            with contextlib.suppress(ValueError):
                given = json.loads(body or b"{}")
            if path == "/healthz":
                lost = collections.Counter(one["shard"] for one in (await self.state())["lost"])
                for i, copies in enumerate(self.shards):
                    if lost[i] == len(copies):
                        raise refusal(503, f"no copy of shard {i} answers")
                return Response(b"ok\n", 200, {"content-type": "text/plain", "cache-control": "no-store"})
            is_read = isinstance(given, dict) and all(
                isinstance(given.get(key) or [], list) for key in ("options", "paths")
            )
            if path == "/" or (path[1:2] != "v" and path != "/metrics") or not is_read:  # shard 0's server answers
                first = self.asked(request, body, 0)
                content = await first.whole()
                return Response(content, *first.status)
            framed = given.get("format") == "frames"
            streams = path == "/v1/search" and given.get("format") != "columns"
            runs = runs_of(given, path != "/v1/count") if request.method == "POST" else [given]
            if len(runs) > 1 and not streams:  # request all positions, as columns() drops those of files named twice
                runs = [{key: value for key, value in run.items() if key != "max_results"} for run in runs]
            for run in runs:
                parts: list[Any] = [
                    {**run, "part": True, "continued": i + len(asked) > 0} if framed else run
                    for i in range(len(self.shards))
                ]
                sent = [json.dumps(part).encode() if body else body for part in parts]
                is_json = framed and b"--json" in map(text_of, given.get("options") or ())
                asked.append([self.asked(request, sent[i], i, framed, is_json) for i in range(len(self.shards))])
            if streams:
                merged = joined_stream(list(itertools.chain(*asked)), given, framed)
                begin = await anext(merged)  # raises Refused if a shard rejects
                headers = asked[0][0].status[1]

                async def answer() -> AsyncIterator[bytes]:
                    try:
                        yield begin
                        async for part in merged:
                            yield part
                    finally:
                        close(asked)

                return StreamingResponse(answer(), 200, headers)
            answers = [await one.whole() for one in itertools.chain(*asked)]
            if path == "/v1/count":
                content = counts(answers)
            elif path == "/v1/search":
                content = columns(answers, given)
            elif path == "/v1/collections":
                content = collections_of(answers, copies=await self.state())
            elif path == "/metrics":
                content = metrics([*answers, COPIES.format(**await self.state()).encode()])
            else:
                content = b"".join(answers)
            return Response(content, 200, asked[0][0].status[1])
        except BaseException as fault:
            close(asked)
            if not isinstance(fault, Exception):
                raise
            said = fault if isinstance(fault, Refused) else refusal(500, f"{type(fault).__name__}: {fault}")
            status, headers, content = said.args
            return Response(content, status, headers)

    def is_our_host(self, host: str) -> bool:
        """Return True if the Host header is an IP address, localhost, the host of --listen, or empty. A page of another
        site sends that site's name."""
        name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
        with contextlib.suppress(ValueError):
            return bool(ipaddress.ip_address(name))
        return name.lower() in ("", "localhost", self.host.lower())


KINDS = {b"x": b"status", b"m": b"message", b"o": b"output"}
FAILED = {"exit": 2, "truncated": False, "searched": True, "seconds": 0, "shared": 1}  # the status of a lost shard


async def joined_stream(asked: list[Units], body: dict[str, Any], is_framed: bool) -> AsyncIterator[bytes]:
    """Join the answers of shards, in frames or in lines of JSON."""
    options = [text_of(one) for one in body.get("options") or ()]
    is_json, quiet = is_framed and b"--json" in options, is_framed and b"--quiet" in options
    named = tuple(text_of(one) + b": " for one in body.get("paths") or ())
    # tg without operands fails if no file is searched. A single shard that searches none then fails, but not the request.
    fails = bool(body.get("tg") and not body.get("paths"))
    left, separator, printed, nothing = body.get("max_results", sys.maxsize), b"", False, b""
    said: set[bytes] = set()  # messages of the first shard; other shards repeat those without an operand
    ends: list[dict[str, Any]] = []
    summaries: list[Any] = []
    doubts: list[bytes] = []

    for number, shard in enumerate(asked):
        begins, held, faults, groups, end, began = True, b"", False, 0, dict(FAILED), number > 0
        try:
            async for unit, content in shard.all():
                began = True
                kind = KINDS.get(unit) or kind_of(content)
                if kind == b"match":
                    left -= 1
                    if left < 0:
                        end |= {"exit": 0, "truncated": True}
                        break
                if kind == b"status":
                    end = json.loads(content)["data"] if not is_framed else {"searched": not content[0] & NOTHING}
                    if is_framed:
                        end["exit"], groups, separator = (
                            content[0] & ~(GROUPS | NOTHING),
                            content[0] & GROUPS,
                            content[1:],
                        )
                    if fails and not end["searched"] and not faults:
                        end["exit"] = 1
                elif kind == b"summary":
                    summaries.append(json.loads(content))
                elif kind == b"output" and is_json:
                    if held:
                        yield frame(b"o", held)
                    held = content  # the last line may be the summary
                elif kind == b"message" and (content.startswith(LEFT_OUT) if is_framed else LEFT_OUT in content):
                    nothing = max(nothing, content, key=len)
                elif kind == b"message" and DOUBT in content:
                    doubts.append(content)
                elif kind == b"message" and content in said and not content.startswith(named):
                    continue
                else:
                    faults |= kind == b"message"
                    if is_framed and kind == b"message" and number == 0:
                        said.add(content)
                    # A later shard's output begins with the line that separates groups, which is removed if no group
                    # was printed before. The message about a binary file counts as a group, as in grep.
                    if begins and not printed and number > 0 and is_framed:
                        content = content.removeprefix(separator if kind == b"output" else b"")
                    begins = begins and kind != b"output" and not content.endswith(b": binary file matches")
                    yield frame(unit, content) if is_framed else content
        except Refused as refused:
            if not began:
                raise
            text = b"--server: shard %d: %s" % (number, message_of(refused))
            line = {"type": "message", "data": {"text": text.decode()}}
            yield frame(b"m", text) if is_framed else json.dumps(line).encode() + b"\n"
            end = dict(FAILED)
        printed |= groups > 0
        ends.append(end)
        if quiet and end["exit"] == 0:
            ends = [end]
        if left < 0 or (quiet and end["exit"] == 0):
            break
        if held.endswith(b',"type":"summary"}\n'):  # with -l and others, --json prints no JSON
            summaries.append(json.loads(held))
        elif held:
            yield frame(b"o", held)
    found = any(one["searched"] for one in ends)
    last = [(b"o", dumped(joined(summaries, SUMMARY), sort_keys=True))] if summaries else []
    last += [(b"m", nothing)] if nothing and not found else []
    last += [(b"m", doubts[0])] if doubts and len(doubts) == len(ends) else []
    for unit, content in last:
        yield frame(unit, content) if is_framed else content
    exits = [one["exit"] for one in ends]
    status = 2 if 2 in exits or (fails and not found) else min(exits)
    data = {} if is_framed else {"exit": status, **joined(ends, RULES["status"])}
    yield frame(b"x", bytes([status])) if is_framed else dumped({"type": "status", "data": data})


def dumped(value: Any, **options: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), **options).encode() + b"\n"


def frame(kind: bytes, content: bytes) -> bytes:
    return kind + len(content).to_bytes(4, "little") + content


def message_of(refused: Refused) -> bytes:
    return b"" if refused.args[0] < 400 else text_of(json.loads(refused.args[2])["error"]["message"])


def close(asked: list[list[Units]]) -> None:
    for one in itertools.chain(*asked):
        one.close()


# ---- Starting ------------------------------------------------------------------------------------


def ranges_of(root: str, shards: int) -> list[tuple[bytes, int]]:
    """Divide a tree's files, in the order of --sort=path, into shards of about equal size. Return for each shard the path
    of its first file below the root (b"" for the first shard) and the shard's bytes."""
    files = [
        (os.path.relpath(os.fsencode(one), os.fsencode(root)), os.stat(one).st_size) for one in found_below([root])
    ]
    files.sort(key=lambda file: file[0].split(b"/"))
    cuts = deal([size for _, size in files], shards)
    pairs = [(begin, end) for begin, end in itertools.pairwise(cuts) if begin < end] or [(0, 0)]
    return [
        (files[begin][0] if number else b"", sum(size + 1 for _, size in files[begin:end]))
        for number, (begin, end) in enumerate(pairs)
    ]


def start(
    path: str,
    options: list[str],
    *,
    name: str = "trawl",
    shards: int | None = None,
    replicas: int = 1,
    cpus: float = 1,
    gpus: float = 0,
    host: str = "127.0.0.1",
    port: int = 8722,
    timeout: float = 600.0,
) -> list[list[Any]]:
    """Start the shards and the front, and return the shards' actors. path: [NAME=]PATH. options: those of trawl-serve.
    Ray restarts a lost actor, on any node with free cores and memory, and the actor reloads its files."""
    import ray
    from ray import serve

    path = os.fsdecode(path)
    root = os.path.realpath(path.partition("=")[2] or path)
    ranges = ranges_of(root, shards or max(1, nodes_for(cpus, gpus) // replicas))
    bounds = [first for first, _ in ranges] + [b""]
    actors: list[list[Any]] = []
    for i, (first, size) in enumerate(ranges):
        own = [b"--from=" + first] * (i > 0) + [b"--until=" + bounds[i + 1]] * (i + 1 < len(ranges))
        memory = size + (size >> 3) + 1  # an eighth more, for copies of changed files
        arguments = ["--max-queries=65536", f"--host-memory={memory}", *options, *map(os.fsdecode, own)]
        given = path if "=" in path else f"{os.path.basename(root)}={root}"
        made = functools.partial(
            ray.remote(Shard).options, num_cpus=cpus, num_gpus=gpus, memory=memory + ACTOR_BYTES, max_restarts=-1, max_concurrency=1000,
            lifetime="detached", namespace=NAMESPACE, scheduling_strategy="SPREAD",
        )  # fmt: skip
        actors.append([made(name=f"{name}/{i}/{copy}").remote([*arguments, given]) for copy in range(replicas)])
    try:
        ray.get([one.server.remote() for one in itertools.chain(*actors)], timeout=timeout)
        serve.start(http_options={"host": host, "port": port})
        deployment = serve.deployment(
            name=name,
            max_ongoing_requests=1000,
            ray_actor_options={"num_cpus": 0, "resources": {"node:__internal_head__": 0.001}},  # where Serve's proxy is
        )(Front)
        serve.run(deployment.bind(actors, host), name=name, route_prefix="/")
    except BaseException as fault:
        end(actors, name)
        if isinstance(fault, ray.exceptions.GetTimeoutError):
            raise TimeoutError(f"shards did not answer in {timeout:g} s: they load, or wait for a node with their memory, "
                               "cores or GPUs") from None  # fmt: skip
        raise
    return actors


def end(actors: list[list[Any]], name: str) -> None:
    import ray
    from ray import serve

    with contextlib.suppress(Exception):  # the front may not have started
        serve.delete(name)
    for one in itertools.chain(*actors):
        ray.kill(one)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m trawl.cluster", description=__doc__, epilog="Other options are those of trawl-serve."
    )
    parser.add_argument("path", metavar="[NAME=]PATH", help="the tree, the same on all nodes")
    parser.add_argument("--address", default="auto", help="the Ray cluster; local: a new one on this machine")
    parser.add_argument("--listen", default="127.0.0.1:8722", metavar="HOST:PORT", help="where the front listens")
    parser.add_argument("--shards", type=int, help="the number of shards; default: one for each node")
    parser.add_argument("--replicas", type=int, default=1, help="this many servers hold each shard")
    parser.add_argument("--cpus", type=float, default=1, help="the cores of each server")
    parser.add_argument("--gpus", type=float, default=0, help="the GPUs of each server")
    parser.add_argument("--name", default="trawl", help="the name of the deployment")
    parser.add_argument("--timeout", type=float, default=600, help="seconds to load the files")
    given, options = parser.parse_known_args(arguments)
    host, _, port = given.listen.rpartition(":")
    host = host.strip("[]")
    if not host or not (port.isascii() and port.isdecimal() and int(port) < 1 << 16):
        parser.error(f"--listen: HOST:PORT is needed, with a PORT up to 65535, not {given.listen!r}")
    if given.replicas < 1 or (given.shards is not None and given.shards < 1):
        parser.error("--shards, --replicas: a number of at least 1 is needed")
    tokens = [one for one in options if one.startswith("--token-file=")]
    if not (host == "localhost" or ipaddress.ip_address(host).is_loopback) and not tokens:
        parser.error("--listen: other machines reach this address, so --token-file=FILE is needed")
    threads = [] if any(one.startswith("--threads") for one in options) else [f"--threads={max(1, int(given.cpus))}"]
    try:
        os.stat(given.path.partition("=")[2] or given.path)  # a missing path is reported before Ray starts
        program()
        import ray

        ray.init(given.address, namespace=NAMESPACE, log_to_driver=False)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        actors = start(
            given.path, [*options, *threads], name=given.name, shards=given.shards, replicas=given.replicas,
            cpus=given.cpus, gpus=given.gpus, host=host, port=int(port), timeout=given.timeout,
        )  # fmt: skip
    except KeyboardInterrupt:
        return 130
    except Exception as fault:  # including Ray's
        hint = "; pip install 'pytrawl[cluster]' brings Ray" if isinstance(fault, ImportError) else ""
        print(f"trawl: {words(fault)}{hint}", file=sys.stderr)
        return 2
    print(f"trawl: {len(actors)} shards serve at http://{given.listen}", file=sys.stderr, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            time.sleep(3600)
    end(actors, given.name)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
