"""Clients of a server (`trawl-serve`), which keeps the files of trees in memory and searches them.

    with trawl.Client() as client:
        client.count(["needle", "thread"], collection="src").patterns
        for match in client.search("needle", ignore_case=True, glob="*.c"):
            print(match.path, match.line_number, match.line)

docs/server.md of trawl describes the protocol.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict
from urllib.parse import quote

from ._answers import Count
from ._errors import ArgumentError, ServerError, UnsupportedError, busy
from ._http import Reply, Server, data, name, understood
from ._sources import LETTERS, SYNTAXES, Columns, choice, gather, number, several
from ._trawl import Plan

if TYPE_CHECKING:
    import ssl

    from typing_extensions import Self, Unpack

    from ._trawl import Column


class Options(TypedDict, total=False):
    """The options of a search. The docstring of Client explains each option."""

    collection: str
    directory: str | os.PathLike[str]
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
    ignore_case: bool | str
    whole_words: bool | str
    whole_lines: bool
    invert: bool
    text: bool
    requires: Any
    glob: str | Iterable[str]
    type: str | Iterable[str]
    regex: bool | str
    mismatches: int
    edits: int
    context: int
    max_count: int
    options: str | Iterable[str]
    tg: bool
    max_results: int
    max_seconds: int


SWITCHES = {
    "ignore_case": "--ignore-case", "whole_words": "--word-regexp", "whole_lines": "--line-regexp",
    "invert": "--invert-match", "text": "--text",
}  # fmt: skip
NUMBERS = ("mismatches", "edits", "context", "max_count", "max_results", "max_seconds")


class Submatch(NamedTuple):
    """An occurrence in a line: the line's bytes from `begin` to `end`. distance, strand: set if the
    search allowed errors or was for DNA."""

    begin: int
    end: int
    text: bytes
    distance: int | None = None
    strand: str | None = None


class Match(NamedTuple):
    """A line of a file, with the line end. The first line has line_number 1. offset is the offset of the line's first
    byte in the file. context is true if the line is context of a matching line. With --fasta, a Match is an
    occurrence in a sequence instead, and `sequence` is the sequence's name."""

    path: str
    line_number: int | None
    offset: int
    line: bytes
    submatches: tuple[Submatch, ...]
    context: bool = False
    sequence: bytes | None = None


class Positions(Columns[tuple[int, int, int]]):
    """Occurrences as three columns, file by file: the begin in the file, the file's index in `names`, and the pattern's
    index. total: the number of all occurrences, including those beyond max_results."""

    __slots__ = ("begins", "files", "patterns", "names", "total")
    _names = ("begins", "files", "patterns")
    _fields = ("begin", "file", "pattern")

    def __init__(self, begins: Column, files: Column, patterns: Column, names: list[str], total: int) -> None:
        self.begins, self.files, self.patterns = begins, files, patterns
        self.names, self.total = names, total


# ---- Requests and answers as JSON ----------------------------------------------------------------


def wire(value: bytes) -> Any:
    """Return a string's JSON form: text, or {"bytes": base64} if the string is not UTF-8."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"bytes": base64.b64encode(value).decode()}


def plan_options(plan: Plan) -> dict[str, Any]:
    """Return the options with which a server returns the plan's answers. Raise UnsupportedError if there are none."""
    given: Any = plan.__reduce__()[1][-1]
    encoded = plan._encoded()
    case, words, errors = given["ignore_case"], given["whole_words"], plan.mismatches or plan.edits
    refused = {
        "regex: not with whole_words": plan.regex and words,
        "multiline: a server searches within lines": given["multiline"],
        "line_end: a server takes b'\\n' or b'\\0'": given["line_end"] not in (b"\n", b"\0"),
        "whole_words: a server's letters are those of its C library: give 'ascii' to the plan, or the patterns and "
        "whole_words=True to the search": words == "unicode",
        "ignore_case: 'ascii' is not served for expressions of characters": case == "ascii"
        and plan.regex
        and given["alphabet"] == "utf8",
        "ignore_case and whole_words: 'ascii' for both is served": case == "unicode" and words,
        "within_lines: with errors, a server searches within lines unless a pattern holds a line end: give "
        "within_lines=True to the plan, or the patterns and the errors to the search": errors
        and given["within_lines"] == any(given["line_end"] in one for one in encoded),
        "patterns: equal patterns count once in a server": len(set(encoded)) < len(plan),
    }
    for why, wrong in refused.items():
        if wrong:
            raise UnsupportedError(why)
    named = ["null-data"] * (given["line_end"] == b"\0")
    if errors or plan.alphabet == "dna":
        named += [name.replace("_", "-") for name in ("every_end", "reverse_complement", "any_base") if given[name]]
        named += [f"alphabet={given['alphabet']}", *(f"exact={begin + 1}-{end}" for begin, end in given["exact"])]
    if plan.regex is not None:
        named.append(f"{plan.regex}-regexp")
    is_unicode = given["alphabet"] == "utf8" if plan.regex is not None else case == "unicode"
    options: dict[str, Any] = {name: given[name] for name in ("ignore_case", "whole_words", "whole_lines")}
    options |= {name: given[name] or None for name in ("mismatches", "edits")}
    return options | {"options": [f"--{name}" for name in named], "charset": None if is_unicode else "c"}


def texts(option: str, given: Iterable[Any]) -> list[Any]:
    """Return an option's strings or paths as a list."""
    found = list(given)
    for one in found:
        if not isinstance(one, (str, bytes, os.PathLike)):
            raise TypeError(f"{option}: a str, bytes or a path is needed, not {one!r:.80}")
    return found


def request(patterns: Any, options: Options) -> dict[str, Any]:
    """Build the body of a request."""
    asked = gather(patterns)
    strings = {
        key: [one.encode() if isinstance(one, str) else bytes(one) for one in ones]
        for key, ones in (("patterns", asked), ("requires", gather(options.get("requires") or ())))
    }
    flags: list[str] = []
    body: dict[str, Any] = {}
    items: dict[str, Any] = dict(options)
    alphabets = {items.get("ignore_case"), items.get("whole_words")} - {None, False}
    charset = "c" if "ascii" in alphabets else None
    if charset is not None and len(alphabets) > 1:
        raise ValueError("ignore_case, whole_words: 'ascii' for both is needed")
    if isinstance(patterns, Plan):
        own = plan_options(patterns)
        charset = own.pop("charset")
        if twice := sorted(own.keys() & items.keys() - {"options"}):
            raise TypeError(f"{', '.join(twice)}: options of the plan, not of the search")
        items = own | items | {"options": [*own["options"], *several(items.get("options", ()))]}
    if charset is not None:
        body["environment"] = {"charset": charset}
    for key, value in items.items():
        if key in (*SWITCHES, "tg") and value is not None:
            value = choice(key, value, LETTERS if key in ("ignore_case", "whole_words") else LETTERS[:2])
        elif key in NUMBERS and value is not None:
            value = number(key, value)
        if value is None or value is False:
            continue
        if key in SWITCHES:
            flags.append(SWITCHES[key])
        elif key == "regex":
            syntax = choice("regex", value, (*SYNTAXES, True))
            flags.append(f"--{'perl' if syntax is True else syntax}-regexp")
        elif key in ("tg", "max_results", "max_seconds"):
            body[key] = min(value, 2**63 - 1)  # the most that the server's JSON has
        elif key in NUMBERS:
            flags.append(f"--{key.replace('_', '-')}={value}")
        elif key in ("glob", "type"):
            flags += [f"--{key}={os.fsdecode(one)}" for one in texts(key, several(value))]
        elif key == "options":
            flags += texts(key, several(value))
        elif key == "requires":
            continue
        elif key == "paths":
            body[key] = [wire(os.fsencode(path)) for path in texts(key, several(value))]
        elif key in ("collection", "directory"):
            body[key] = wire(os.fsencode(texts(key, [value])[0]))
        else:
            raise TypeError(f"{key!r} is no option of a search")
    if items.get("mismatches") or items.get("edits"):  # symbols as in Plan, whatever the server's locale
        decided = any(os.fsdecode(one).startswith(("--alphabet", "--reverse", "--any-base")) for one in flags)
        is_text = any(isinstance(one, str) for one in asked)
        flags += [] if decided else [f"--alphabet={'utf8' if is_text else 'bytes'}"]
    given = [*strings["patterns"], *strings["requires"]]
    if b"" in given:
        raise ArgumentError(f"pattern {given.index(b'')} is empty")
    is_hex = any(b"\n" in one or b"\0" in one for one in given)  # the server would cut or reject such a string
    if is_hex and items.get("regex"):
        raise ValueError("an expression contains a line end or NUL")
    flags += ["--hex"] * is_hex
    for key, ones in strings.items():
        if ones or key == "patterns":
            body[key] = [wire(one.hex().encode() if is_hex else one) for one in ones]
    body["options"] = [wire(os.fsencode(flag)) for flag in flags]
    return body


def check_whole(cut: bool, body: dict[str, Any]) -> None:
    """Raise ServerError if the server cut the answer although the request set no limit."""
    if cut and "max_results" not in body and "max_seconds" not in body:
        raise ServerError(
            "the answer is longer than the server's limits allow; max_results or max_seconds gives "
            "the answer up to a limit"
        )


def tell_unread(said: list[str], body: dict[str, Any]) -> None:
    """Warn of files that could not be read. If the request named the path, that is an error."""
    if said and body.get("paths"):
        raise ServerError("paths: " + "; ".join(said))
    for message in said:
        warnings.warn(message, RuntimeWarning, stacklevel=2)


def unread(count: int) -> list[str]:
    return [f"{count} files could not be read"] if count > 0 else []


def match_of(kind: str, found: dict[str, Any]) -> Match:
    path = name(found["path"])
    if "sequence" in found:
        text = data(found["match"])
        whole = Submatch(0, len(text), text, found["distance"], found["strand"])
        return Match(path, None, found["offset"], text, (whole,), False, data(found["sequence"]))
    parts = tuple(
        Submatch(one["start"], one["end"], data(one["match"]), one.get("distance"), one.get("strand"))
        for one in found["submatches"]
    )
    number, offset = found["line_number"], found["absolute_offset"]
    return Match(path, number, offset, data(found["lines"]), parts, kind == "context")


def count_of(server: Server, body: dict[str, Any]) -> Count:
    content = server.ask("/v1/count", body).all()
    with understood():
        found = json.loads(content)
        counts = tuple(found["patterns"])
        if len(counts) != len(body["patterns"]):
            raise ValueError(f"{len(body['patterns'])} patterns and {len(counts)} counts")
        count = Count(**{key: found[key] for key in Count._fields} | {"patterns": counts})
    tell_unread(unread(count.unread), body)
    return count


def widened(numbers: bytes, size: int) -> Column:
    """Make a Column of little-endian numbers of `size` bytes each."""
    from ._trawl import numbers as column

    wide = bytearray(len(numbers) // size * 8)
    for place in range(size):
        wide[place if sys.byteorder == "little" else 7 - place :: 8] = numbers[place::size]
    return column(wide)


def positions_of(server: Server, body: dict[str, Any]) -> Positions:
    body["format"] = "columns"
    content = server.ask("/v1/search", body).all()
    with understood():
        line, _, columns = content.partition(b"\n")
        head = json.loads(line)
        count = head["count"]
        if head["columns"] != ["begin", "file", "pattern"] or len(columns) != 16 * count:
            raise ValueError(f"{count} positions in {len(columns)} bytes")
        parts = columns[: 8 * count], columns[8 * count : 12 * count], columns[12 * count :]
        begins, files, patterns = map(widened, parts, (8, 4, 4))
        names = [name(one) for one in head["files"]]
        found = Positions(begins, files, patterns, names, head["total"])
        said = unread(int(head["unread"]))
    tell_unread(said, body)
    check_whole(count < found.total, body)
    return found


# ---- The client ----------------------------------------------------------------------------------


class Search(Iterator[Match]):
    """An iterator over the lines with an occurrence, while the server searches. close() before the end
    also ends the search in the server.

    At the end, messages lists the errors of single files, which also become Python warnings. binary
    lists binary files with an occurrence, whose lines are not sent. truncated: max_results or
    max_seconds ended the search early. One thread at a time may be inside next() or close(); a second call
    raises BusyError.
    """

    def __init__(self, server: Server, body: dict[str, Any]) -> None:
        self._inside = threading.Lock()
        self._server, self._body = server, body
        self._reply: Reply | None = None
        self._line: list[bytes] = []  # parts of a line whose end has not been received yet
        self._ready: deque[Match] = deque()
        self._exit: int | None = None
        self._closed = self._ran = False
        self.messages: list[str] = []
        self.binary: list[str] = []
        self.truncated = False

    def close(self) -> None:
        self._alone(self._end)

    def _end(self) -> None:
        self._closed = True
        if self._reply is not None:
            self._reply.close()

    __del__ = _end

    def __next__(self) -> Match:
        found: Match = self._alone(self._next)
        return found

    def _alone(self, call: Callable[[], Any]) -> Any:
        if not self._inside.acquire(blocking=False):
            raise busy()
        try:
            return call()
        finally:
            self._inside.release()

    def _next(self) -> Match:
        while not self._ready and not self._closed:
            if self._reply is None:
                self._reply = self._server.ask("/v1/search", self._body)
            if content := self._reply.part():
                self._feed(content)
            else:
                self._end()
                self._finish()
        if not self._ready:
            raise StopIteration
        return self._ready.popleft()

    def _feed(self, content: bytes) -> None:
        first, *lines = content.split(b"\n")
        self._line.append(first)
        if lines:
            whole, self._line = b"".join(self._line), [lines.pop()]
            with understood(self._end):
                for line in (whole, *lines):
                    event = json.loads(line)
                    self._take(event["type"], event.get("data", {}))

    def _take(self, kind: str, found: dict[str, Any]) -> None:
        if kind in ("match", "context"):
            self._ready.append(match_of(kind, found))
        elif kind == "end" and found["binary_offset"] is not None:
            self.binary.append(name(found["path"]))
        elif kind == "message":
            self.messages.append(name(found))
        elif kind == "summary":
            self._ran = True
        elif kind == "status":
            self._exit, self.truncated = found["exit"], found["truncated"]

    def _finish(self) -> None:
        if self._exit is None:
            raise ServerError("the answer ended early: it has no status")
        if self._exit > 1 and not self._ran:  # nothing was searched
            raise ServerError("; ".join(self.messages) or f"exit status {self._exit}")
        tell_unread(self.messages, self._body)
        check_whole(self.truncated, self._body)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()


class Client:
    """Client(address=None, *, token=None, timeout=60.0, tls=None)

    A client of a server. Any number of threads may share a client. Each request has a connection to itself, which is
    kept for later requests.

    address: "unix:PATH", "HOST:PORT", "http://HOST:PORT" or "https://HOST:PORT". The default is the variable
      TRAWL_SERVER, then the socket trawl.sock in XDG_RUNTIME_DIR.
    token: the contents of the server's --token-file. The default is the contents of the file that
      TRAWL_TOKEN_FILE names.
    timeout: how many seconds the server may be silent; None: no limit.
    tls: an ssl.SSLContext; the default trusts the system's certificates.

    A search takes a Plan, and returns the plan's answers (UnsupportedError names options of a plan that a server does
    not have), or the same patterns as Plan. Without regex, patterns are literal, and may contain line ends and NUL.
    The options of a search:

    collection: the collection's name. Without it, all collections are searched, in name order, and paths
      begin with the collection's name.
    directory, paths: search only these files and directories of the collection. `paths` is a path or
      several, relative to `directory`, which is relative to the collection's root. A path that is missing, or
      cannot be read, is an error.
    ignore_case, whole_words, whole_lines, invert, mismatches, edits, text: the command's -i, -w, -x, -v, --mismatches,
      --edits, -a. ignore_case means Unicode's letters, whole_words all letters that the server's C library knows; with
      "ascii", both mean those of ASCII. Of str, errors are characters, of bytes, bytes.
    regex: the patterns are regular expressions: True or "perl", "extended" or "basic", as for Plan.
    glob, type: the command's -g and -t, which select files; one value or several.
    requires: one or several strings, all of which must occur in a file; other files are skipped.
    context: how many lines around each matching line are sent too.
    max_count: the maximum number of matching lines per file.
    options: more options of the command, in full: ["--no-hidden", "--encoding=utf-16"].
    tg: options mean what they mean for tg.
    max_results, max_seconds: limits after which the answer ends early, marked as truncated.

    Failures raise ServerError.

    >>> with Client() as client:
    ...     counted = client.count(["needle", "hay"])
    ...     found = list(client.search("needle", ignore_case=True))
    >>> counted.occurrences, counted.patterns, counted.files
    (3, (1, 2), 1)
    >>> found[0].path, found[0].line_number, found[0].line
    ('barn/hay.txt', 2, b'hay, hay, needle\\n')
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        token: str | None = None,
        timeout: float | None = 60.0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._server = Server(address, token, timeout, tls)

    def collections(self) -> list[dict[str, Any]]:
        """List the server's collections: for each the name, root, files, bytes and more."""
        content = self._server.ask("/v1/collections").all()
        with understood():
            return list(json.loads(content)["collections"])

    def files(self, collection: str | None = None) -> list[str]:
        """List the names of a collection's files, relative to its root; without a collection, of all collections, each name
        after its collection's if there are several."""
        wanted = "" if collection is None else "?collection=" + quote(os.fsencode(collection), "")
        content = self._server.ask("/v1/files" + wanted).all()
        with understood():
            return [name(json.loads(line)["path"]) for line in content.splitlines()]

    def count(self, patterns: Any, **options: Unpack[Options]) -> Count:
        """Count the occurrences of all patterns and of each pattern, overlapping occurrences too, and
        the files with an occurrence."""
        return count_of(self._server, request(patterns, options))

    def search(self, patterns: Any, **options: Unpack[Options]) -> Search:
        """Iterate over the lines with an occurrence, each a Match, while the server searches. help(type(search)) says
        what the iterator knows at the end, and how to end the search early."""
        return Search(self._server, request(patterns, options))

    def positions(self, patterns: Any, **options: Unpack[Options]) -> Positions:
        """Find where all occurrences begin: Positions, in columns."""
        return positions_of(self._server, request(patterns, options))

    def close(self) -> None:
        """Close the connections kept for later. The client can still be used."""
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()
