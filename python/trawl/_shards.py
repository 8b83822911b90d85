"""trawl.ray.Collection, a collection of texts in the memory of Ray actors, and the actors."""

from __future__ import annotations

import bisect
import functools
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from ._errors import Error, OutOfMemoryError, ReadError
from ._sources import several
from ._trawl import Column, Plan, Searcher, Text, numbers
from .client import Positions

if TYPE_CHECKING:
    from typing_extensions import Self

ACTOR_BYTES = 256 << 20  # an actor's memory, in addition to the texts
ASKS_MAX = 16  # requests that an actor answers at the same time
NAMESPACE = "trawl"


class File(NamedTuple):
    """A file, or a text. name: a path, or the name of a text. changed_ns: when the file changed; 0 for a text. text: None
    for a file."""

    name: str
    size: int
    changed_ns: int
    text: bytes | None


class Line(NamedTuple):
    """A line with an occurrence or, if is_context, a line near one. number: the first line of a file is 1. begin: the
    line's offset in the file. line: without the line end."""

    name: str
    number: int
    begin: int
    line: bytes
    is_context: bool


class Shard:
    """A tape in memory: files or texts, each followed by a line end. A Ray actor holds it in its own process."""

    def __init__(self, files: list[File], threads: int, engine: str) -> None:
        import numpy

        self.sizes = [file.size for file in files]
        self.begins = numpy.cumsum([0, *(size + 1 for size in self.sizes)])
        self.tape = numpy.full(self.begins[-1], ord("\n"), numpy.uint8)
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(self.fill, range(len(files)), files))
        self.searcher = Searcher(engine, threads)  # type: ignore[arg-type]
        self.text = Text(self.tape)
        if engine == "cuda":
            try:
                self.text = self.searcher.load(self.tape)
            except OutOfMemoryError:  # the device reads the texts from the host's memory
                pass

    def loaded(self) -> None:
        """Answer, after the constructor has loaded the texts."""

    def part(self, i: int) -> Any:
        return self.tape[self.begins[i] : self.begins[i] + self.sizes[i]]

    def fill(self, i: int, file: File) -> None:
        part = memoryview(self.part(i))
        if file.text is not None:
            part[:] = file.text
            return
        with open(file.name, "rb", buffering=0) as opened:
            found, at = os.fstat(opened.fileno()), 0
            while at < len(part) and (got := opened.readinto(part[at:])):
                at += got
        if at < file.size or (found.st_size, found.st_mtime_ns) != (file.size, file.changed_ns):
            raise ReadError(f"{file.name}: the file changed since the collection was made")

    def searches(self, plan: Plan, call: Callable[[Plan, Any], Any]) -> Iterator[tuple[int, Any]]:
        """Yield (begin, result of a search) for texts that make up the tape."""
        if can_search_whole(plan):
            yield 0, call(plan, self.text)
        else:
            for i in range(len(self.sizes)):
                yield int(self.begins[i]), call(plan, self.part(i))

    def place(self, begins: Any) -> Any:
        """Return for each begin the index of the file that contains it."""
        return self.begins.searchsorted(begins, "right") - 1

    def count(self, plan: Plan) -> int:
        return sum(count for _, count in self.searches(plan, self.searcher.count))

    def count_by_pattern(self, plan: Plan) -> Any:
        import numpy

        total = numpy.zeros(len(plan), numpy.uint64)
        for _, counts in self.searches(plan, self.searcher.count_by_pattern):
            total += numpy.asarray(counts).astype(numpy.uint64)
        return total

    def first(self, plan: Plan) -> tuple[int, int, int, int] | None:
        for base, found in self.searches(plan, self.searcher.first):
            if found is not None:
                file = int(self.place(base + found[0]))
                begin = base + found[0] - int(self.begins[file])
                return file, begin, begin + found[1] - found[0], found[2]
        return None

    def positions(self, plan: Plan) -> tuple[Any, Any, Any]:
        import numpy

        parts: Any = [(numpy.zeros(0, numpy.int64),) * 2]
        for base, found in self.searches(plan, self.searcher.matches):
            begins = numpy.asarray(found.begins).astype(numpy.int64) + base
            parts.append((begins, numpy.asarray(found.patterns).astype(numpy.int64)))
        begins, patterns = (numpy.concatenate(column) for column in zip(*parts))
        files = self.place(begins)
        return begins - self.begins[files], files, patterns

    def files(self, plan: Plan) -> Any:
        import numpy
        import pyarrow

        # Records alternate: file, line end, file, line end.
        ends = numpy.stack([self.begins[1:] - 1, self.begins[1:]], 1).reshape(-1)
        offsets = pyarrow.py_buffer(numpy.concatenate([self.begins[:1], ends]))
        buffers = [None, offsets, pyarrow.py_buffer(self.tape)]
        column = pyarrow.LargeBinaryArray.from_buffers(pyarrow.large_binary(), 2 * len(self.sizes), buffers)
        return numpy.asarray(self.searcher.match_counts(plan, column))[::2].nonzero()[0]

    def lines(self, plan: Plan, before: int, after: int) -> list[tuple[Any, ...]]:
        """Return (file, line ends before the line, begin, line, is_context) for each line."""
        begins, files, _ = self.positions(plan)
        found: list[Any] = []
        for file in dict.fromkeys(files.tolist()):
            text = self.part(file).tobytes()
            lines = text.removesuffix(b"\n").split(b"\n")
            starts = list(itertools.accumulate((len(line) + 1 for line in lines), initial=0))
            hits = {bisect.bisect(starts, at, hi=len(lines)) - 1 for at in begins[files == file].tolist()}
            shown = {at for hit in hits for at in range(max(0, hit - before), min(len(lines), hit + after + 1))}
            found += [(file, at, starts[at], lines[at], at not in hits) for at in sorted(shown)]
        return found


@functools.lru_cache(maxsize=8)
def can_search_whole(plan: Plan) -> bool:
    """Return True if a tape is searched as a whole. It is searched file by file if an occurrence could cross a file's end
    or depends on the plan's own line end."""
    errors = plan.mismatches or plan.edits
    plain = plan.alphabet == "bytes" and not (errors or plan.whole_lines or plan.regex)
    return plain and not any(b"\n" in pattern for pattern in plan._encoded())


def found_below(paths: Iterable[Any]) -> Iterator[str]:
    """Yield the files of `paths` and of directories in `paths`, by name. A symbolic link is followed
    only if `paths` contains the link."""
    for path in map(os.fsdecode, several(paths)):
        if not os.path.isdir(path):
            yield path
            continue
        for folder, folders, files in os.walk(path, onerror=fail):
            folders.sort()
            for name in sorted(files):
                file = os.path.join(folder, name)
                if os.path.isfile(file) and not os.path.islink(file):
                    yield file


def paths_of(sources: Any) -> list[str]:
    return [os.path.abspath(os.fsdecode(one)) for one in several(sources)]


def fail(fault: OSError) -> None:
    raise fault


def files_of(sources: Any) -> Iterator[File]:
    """Yield the files below paths, or the texts of a dict."""
    if isinstance(sources, Mapping):
        for name, one in sources.items():
            text = one.encode() if isinstance(one, str) else bytes(one)
            yield File(name, len(text), 0, text)
        return
    for path in found_below(sources):
        found = os.stat(path)
        yield File(path, found.st_size, found.st_mtime_ns, None)


def deal(sizes: list[int], shards: int) -> list[int]:
    """Divide files of these sizes into shards of about equal size. Return the index of each shard's first
    file, and the number of files."""
    begins = list(itertools.accumulate((size + 1 for size in sizes), initial=0))
    middles = [(begin + end + 1) // 2 for begin, end in itertools.pairwise(begins)]
    count = max(1, min(shards, len(sizes)))
    return [bisect.bisect(middles, begins[-1] * i // count) for i in range(count + 1)]


def _ray() -> Any:
    """Return Ray. As Ray Data does, join a cluster or start one, unless the process has done so."""
    import ray

    if not ray.is_initialized():
        ray.init()
    return ray


def nodes_for(cpus: float, gpus: float) -> int:
    """Return the number of nodes that have these cores and GPUs."""
    has = [node["Resources"] for node in _ray().nodes() if node["Alive"]]
    return sum(one.get("CPU", 0) >= cpus and one.get("GPU", 0) >= gpus for one in has)


class Held(NamedTuple):
    """A shard: the parts of files, the actors that hold copies, and the parts in the object store, from
    which Ray starts a lost actor again."""

    files: list[File]
    actors: list[Any]
    kept: Any


class Keeper:
    """An actor that starts the actors of a collection, and knows what each one holds. They end with it, so it is on the
    head node, without which the cluster starts and ends no actors either."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options, self.lock = options, threading.Lock()
        self.roots: list[str] = []
        self.held: list[Held] = []

    def shards(self) -> list[Held]:
        """Return the shards, without the texts of a dict."""
        return [one._replace(files=[file._replace(text=None) for file in one.files], kept=None) for one in self.held]

    def start(self, files: list[File], shards: int | None) -> list[Held]:
        """Start actors for files, and wait until the actors have loaded the files."""
        ray, options = _ray(), self.options
        copies, cpus, gpus = (options[name] for name in ("replicas", "cpus", "gpus"))
        count = shards or max(1, nodes_for(cpus, gpus) // copies)
        sizes = [file.size for file in files]
        held = []
        for begin, end in itertools.pairwise(deal(sizes, count)):
            memory = ACTOR_BYTES + sum(sizes[begin:end]) + end - begin
            kept = ray.put(files[begin:end])
            made = ray.remote(Shard).options(
                num_cpus=cpus, num_gpus=gpus, memory=memory, max_restarts=options["restarts"],
                max_task_retries=0, max_concurrency=ASKS_MAX, scheduling_strategy="SPREAD",
            )  # fmt: skip
            actors = [made.remote(kept, cpus, "cuda" if gpus else "cpu") for _ in range(copies)]
            held.append(Held(files[begin:end], actors, kept))
        try:
            answers, timeout = [[actor.loaded.remote() for actor in one.actors] for one in held], options["timeout"]
            until = None if timeout is None else time.monotonic() + timeout
            for i, loaded in enumerate(answers):
                answer_of(loaded, f"shards [{i}] of {len(held)}", timeout, until)
        except BaseException:
            end_actors(held)
            raise
        return held

    def add(self, sources: Any, shards: int | None) -> None:
        with self.lock:
            self.held += self.start(list(files_of(sources)), shards)
            self.roots += [] if isinstance(sources, Mapping) else sources

    def refresh(self) -> list[str]:
        with self.lock:
            now = {file.name: file for file in files_of(self.roots)}
            old = {file.name: file for one in self.held for file in one.files if file.text is None}
            changed = {name for name in now.keys() | old.keys() if now.get(name) != old.get(name)}
            stale = [one for one in self.held if any(file.name in changed for file in one.files)]
            again = changed.union(file.name for one in stale for file in one.files)
            texts = [file for one in stale for file in one.files if file.text is not None]
            files = [*texts, *(file for name, file in now.items() if name in again)]
            made = self.start(files, max(1, len(stale))) if files else []
            at = min((self.held.index(one) for one in stale), default=len(self.held))
            left = [one for one in self.held if one not in stale]
            self.held = [*left[:at], *made, *left[at:]]
            end_actors(stale)
            return sorted(changed)

    def close(self) -> None:
        end_actors(self.held)
        self.held = []


def end_actors(held: list[Held]) -> None:
    for one in held:
        for actor in one.actors:
            _ray().kill(actor)


class Lost(Error):
    """An actor does not answer, and is not started again."""


def answer_of(answer: Any, whose: str, timeout: float | None, end: float | None) -> Any:
    """Return the value of a reference. end: when the timeout is over."""
    ray = _ray()
    try:
        return ray.get(answer, timeout=None if end is None else max(0, end - time.monotonic()))
    except ray.exceptions.RayActorError as fault:
        raise Lost(f"a shard cannot be loaded, or was lost too often: {fault}") from fault
    except ray.exceptions.GetTimeoutError:
        raise TimeoutError(f"{whose} did not answer in {timeout} s: they search, load, or wait for a node with their "
                           "memory, cores or GPU") from None  # fmt: skip


class Collection:
    """Collection(sources, shards=None, *, name=None, replicas=1, cpus=1, gpus=0, restarts=4, timeout=600.0)

    Texts in the memory of a Ray cluster. Each actor gets consecutive texts of about the same total
    size. All actors search at the same time; results are combined in text order.
    Threads may share a collection.

    sources: a path, or paths, of files and directories, which must be the same on all nodes and here; or a dict
      of names and texts (bytes or str), which also stay in Ray's object store.
    shards: the number of shards. The default is a shard for each node with enough cores and GPUs.
    name: the collection outlives this process. Collection.open(name) finds the collection, in any process
      of the cluster, and close() ends it.
    replicas: this many actors hold each shard, on different nodes if possible. If one is lost, another one
      answers while Ray loads the shard again.
    cpus, gpus: the cores with which each actor searches; gpus=1: a GPU also holds the actor's texts.
    restarts: how often a lost actor is restarted, on any node with free cores and memory. It then
      loads its texts again. Meanwhile requests go to other copies.
    timeout: seconds for loading or for an answer. Afterwards a TimeoutError names the missing shards, for example those
      for which no node has the memory, the cores or the GPU.

    Each search accepts missing=LIST. It appends to the list the shards without an answer, as (number, name of
    the first file, name of the last file), and returns the answer of the other shards. Without a list, a
    shard without an answer is an error.

    ReadError: a file changed before a shard was loaded or loaded again; see refresh()."""

    def __init__(
        self,
        sources: str | bytes | os.PathLike[str] | Iterable[Any] | Mapping[str, bytes | str],
        shards: int | None = None,
        *,
        name: str | None = None,
        replicas: int = 1,
        cpus: int = 1,
        gpus: int = 0,
        restarts: int = 4,
        timeout: float | None = 600.0,
    ) -> None:
        options = {"replicas": replicas, "cpus": cpus, "gpus": gpus, "restarts": restarts, "timeout": timeout}
        named = {} if name is None else {"name": name, "namespace": NAMESPACE, "lifetime": "detached"}
        self.keeper = _ray().remote(Keeper).options(
            num_cpus=0, max_concurrency=ASKS_MAX, resources={"node:__internal_head__": 0.001}, **named
        ).remote(options)  # fmt: skip
        try:
            self._keep("add", sources if isinstance(sources, Mapping) else paths_of(sources), shards)
        except BaseException:
            _ray().kill(self.keeper)
            raise
        self._open(self.keeper, timeout)

    @classmethod
    def open(cls, name: str, *, timeout: float | None = 600.0) -> Self:
        """Find the collection of this name. ValueError: there is none."""
        found = cls.__new__(cls)
        found._open(_ray().get_actor(name, namespace=NAMESPACE), timeout)
        return found

    def _open(self, keeper: Any, timeout: float | None) -> None:
        self.keeper, self.timeout = keeper, timeout
        self.sent: tuple[Plan, Any] | None = None  # the last plan, and a reference to it in Ray's object store
        self.turns = itertools.count()
        self.reload()

    def _keep(self, what: str, *arguments: Any) -> Any:
        try:
            return _ray().get(getattr(self.keeper, what).remote(*arguments))
        except _ray().exceptions.RayActorError as fault:
            raise Error(f"the collection has ended: {fault}") from fault

    def reload(self) -> None:
        """Update the list of shards, after another process called add() or refresh()."""
        self.held: list[Held] = self._keep("shards")
        self.names = [file.name for one in self.held for file in one.files]
        self.begins = list(itertools.accumulate((len(one.files) for one in self.held), initial=0))

    @property
    def shards(self) -> list[Any]:
        """The first actor of each shard."""
        return [one.actors[0] for one in self.held]

    def add(self, sources: Any, shards: int | None = None) -> None:
        """Load more files or texts, into new shards (1 by default). Other searches continue meanwhile."""
        self._keep("add", sources if isinstance(sources, Mapping) else paths_of(sources), shards or 1)
        self.reload()

    def refresh(self) -> list[str]:
        """Check all files and directories again, reload the shards with changed files, and return the names of files that
        changed, appeared or disappeared. Other searches continue meanwhile, with the old contents of the files."""
        changed: list[str] = self._keep("refresh")
        self.reload()
        return changed

    def _plan(self, plan: Plan) -> Any:
        sent = self.sent
        if sent is None or sent[0] is not plan:
            sent = self.sent = (plan, _ray().put(plan))
        return sent[1]

    def _ask(self, what: str, plan: Plan, *more: Any, missing: list[Any] | None = None) -> Iterator[tuple[int, Any]]:
        """Send a request to all shards, and yield (shard, answer) in the shards' order."""
        arguments, turn = (self._plan(plan), *more), next(self.turns)
        end = None if self.timeout is None else time.monotonic() + self.timeout

        def send(i: int, number: int, **retries: int) -> Any:
            actors = self.held[i].actors
            return getattr(actors[(turn + number) % len(actors)], what).options(**retries).remote(*arguments)

        asked = [send(i, 0) for i in range(len(self.held))]
        for i, answer in enumerate(asked):
            try:
                yield i, self._answer(i, answer, functools.partial(send, i), end)
            except (Error, TimeoutError):
                if missing is None:
                    raise
                files = self.held[i].files
                missing.append((i, files[0].name, files[-1].name))

    def _answer(self, i: int, answer: Any, send: Any, end: float | None) -> Any:
        """Return a shard's answer. If an actor is lost, the next one is asked. Of the last one, Ray repeats the request
        after a restart."""
        last = len(self.held[i].actors)
        for number in itertools.count(1):
            try:
                return answer_of(answer, f"shards [{i}] of {len(self.held)}", self.timeout, end)
            except Lost:
                if number > last:
                    raise
                answer = send(number, max_task_retries=-(number == last))

    def count(self, plan: Plan, *, missing: list[Any] | None = None) -> int:
        """Count the occurrences."""
        return sum(count for _, count in self._ask("count", plan, missing=missing))

    def count_by_pattern(self, plan: Plan, *, missing: list[Any] | None = None) -> Column:
        """Count the occurrences of each pattern."""
        import numpy

        counts = [count for _, count in self._ask("count_by_pattern", plan, missing=missing)]
        total: Any = numpy.sum([numpy.zeros(len(plan), numpy.uint64), *counts], 0, numpy.uint64)
        return numbers(total)

    def first(self, plan: Plan, *, missing: list[Any] | None = None) -> tuple[str, int, int, int] | None:
        """Return (name, begin, end, pattern) of the first occurrence in the first file with an
        occurrence, or None."""
        for i, found in self._ask("first", plan, missing=missing):
            if found is not None:
                file, begin, end, pattern = found
                return self.names[self.begins[i] + file], begin, end, pattern
        return None

    def files(self, plan: Plan, *, missing: list[Any] | None = None) -> list[str]:
        """Return the names of the files with an occurrence, in order."""
        found = self._ask("files", plan, missing=missing)
        return [self.names[self.begins[i] + file] for i, files in found for file in files]

    def positions(self, plan: Plan, *, missing: list[Any] | None = None) -> Positions:
        """Find where all occurrences begin: columns of begin, file (an index in `names`), pattern."""
        import numpy

        parts: Any = [(numpy.zeros(0, numpy.int64),) * 3]
        for i, (begins, files, patterns) in self._ask("positions", plan, missing=missing):
            parts.append((begins, files + self.begins[i], patterns))
        columns: Any = [numbers(numpy.concatenate(column).data) for column in zip(*parts)]
        begins, files, found = columns
        return Positions(begins, files, found, self.names, len(begins))

    def lines(self, plan: Plan, *, before: int = 0, after: int = 0, missing: list[Any] | None = None) -> Iterator[Line]:
        """Yield the lines with an occurrence, and `before` and `after` lines around it, in file order, while other
        shards still search."""
        for i, lines in self._ask("lines", plan, before, after, missing=missing):
            for file, number, *rest in lines:
                yield Line(self.names[self.begins[i] + file], number + 1, *rest)

    def close(self) -> None:
        """End the actors."""
        self._keep("close")
        _ray().kill(self.keeper)
        self.held = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()
