"""trawl.ray.Collection, a collection of texts in the memory of Ray actors, and the actors."""

from __future__ import annotations

import bisect
import functools
import itertools
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ._errors import Error, OutOfMemoryError, ReadError, UnsupportedError
from ._sources import several
from ._trawl import Column, Plan, Searcher, Text, numbers
from .client import Positions

if TYPE_CHECKING:
    from typing_extensions import Self

Answer = TypeVar("Answer")
LISTED_MAX = 1 << 20  # with more occurrences, the files that have one are found without listing all
ACTOR_BYTES = 256 << 20  # an actor's memory, in addition to the texts
ASKS_MAX = 16  # requests that an actor answers at the same time
SHARED_MAX = 1000  # maximum number of patterns in a request that shares a search with requests for other patterns
LINES_SENT = 1000  # lines of an actor's answer that are sent together
NAMESPACE = "trawl"


class File(NamedTuple):
    """Bytes of a file, or of a text: `size` bytes from `begin` on. whole: the size of the whole file or text. Cuts are at
    line ends. name: a path, or the name of a text. changed_ns: when the file changed; 0 for a text. text: None for a
    file."""

    name: str
    begin: int
    size: int
    whole: int
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
    """A tape in memory: files or texts, each followed by a line end."""

    def __init__(self, files: list[File], threads: int, engine: str) -> None:
        import numpy

        self.files_held, self.sizes = files, [file.size for file in files]
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
        self.lock, self.searching = threading.Lock(), False
        self.waiting: list[Waiting] = []

    def part(self, i: int) -> Any:
        return self.tape[self.begins[i] : self.begins[i] + self.sizes[i]]

    def fill(self, i: int, file: File) -> None:
        part = memoryview(self.part(i))
        if file.text is not None:
            part[:] = file.text
            return
        with open(file.name, "rb", buffering=0) as opened:
            found = os.fstat(opened.fileno())
            opened.seek(file.begin)
            at = 0
            while at < len(part) and (got := opened.readinto(part[at:])):
                at += got
        if at < file.size or (found.st_size, found.st_mtime_ns) != (file.whole, file.changed_ns):
            raise ReadError(f"{file.name}: the file changed since the collection was made")

    def searches(self, plan: Plan, call: Callable[[Plan, Any], Answer]) -> Iterator[tuple[int, Answer]]:
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
        if can_search_whole(plan):
            return int(self.counted_together(plan, True).sum())
        return sum(count for _, count in self.searches(plan, self.searcher.count))

    def count_by_pattern(self, plan: Plan) -> Any:
        import numpy

        if can_search_whole(plan):
            return self.counted_together(plan, False)
        total = numpy.zeros(len(plan), numpy.uint64)
        for _, counts in self.searches(plan, self.searcher.count_by_pattern):
            total += numpy.asarray(counts)
        return total

    def counted_together(self, plan: Plan, in_all: bool) -> Any:
        """Count by pattern, or all occurrences (an array of a single number). One search answers all requests that came
        during the previous search, if they have the same plan, or few patterns and the same options. A thread that finds
        no search running searches for all."""
        own = Waiting(plan, in_all)
        with self.lock:
            self.waiting.append(own)
            leads, self.searching = not self.searching, True
        while leads:
            with self.lock:
                first = self.waiting[0]
                some = [
                    one for one in self.waiting
                    if one.plan is first.plan
                    or (one.options == first.options and max(len(one.plan), len(first.plan)) <= SHARED_MAX)
                ]  # fmt: skip
                self.waiting = [one for one in self.waiting if one not in some]
            self.count_for(some)
            with self.lock:
                leads = self.searching = len(self.waiting) > 0
        own.done.wait()
        if own.fault is not None:
            raise own.fault
        return own.counts

    def count_for(self, asks: list[Waiting]) -> None:
        import numpy

        try:
            plan, found = asks[0].plan, {}
            if any(ask.plan is not plan for ask in asks):
                patterns = list(dict.fromkeys(itertools.chain(*(ask.plan for ask in asks))))
                plan = Plan(patterns, **asks[0].options)
            if all(ask.in_all and ask.plan is plan for ask in asks):
                counts = numpy.array([self.searcher.count(plan, self.text)], "uint64")
            else:
                counts = numpy.asarray(self.searcher.count_by_pattern(plan, self.text)).astype("uint64")
                found = dict(zip(plan, counts)) if plan is not asks[0].plan else {}
            for ask in asks:
                ask.counts = counts if ask.plan is plan else numpy.array([found[one] for one in ask.plan])
        except BaseException as fault:
            for ask in asks:
                ask.fault = fault
        for ask in asks:
            ask.done.set()

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

        if plan.regex or self.count(plan) <= LISTED_MAX:
            return numpy.unique(self.positions(plan)[1])
        # Records alternate: file, line end, file, line end.
        ends = numpy.stack([self.begins[1:] - 1, self.begins[1:]], 1).reshape(-1)
        offsets = pyarrow.py_buffer(numpy.concatenate([self.begins[:1], ends]))
        buffers = [None, offsets, pyarrow.py_buffer(self.tape)]
        column = pyarrow.LargeBinaryArray.from_buffers(pyarrow.large_binary(), 2 * len(self.sizes), buffers)
        return self.searcher.contains(plan, column).to_numpy()[::2].nonzero()[0]

    def line_ends(self, plan: Plan) -> list[int]:
        """Count the line ends of each file. The plan is not used."""
        return [int((self.part(i) == ord("\n")).sum()) for i in range(len(self.sizes))]

    def lines(self, plan: Plan, before: int, after: int) -> Iterator[list[tuple[int, ...]]]:
        """Yield lists of (file, line ends before the line, begin, line, is_context)."""
        begins, files, _ = self.positions(plan)
        sent: list[Any] = []
        for file in dict.fromkeys(files.tolist()):
            text = self.part(file).tobytes()
            starts = [0, *(at + 1 for at in (self.part(file) == ord("\n")).nonzero()[0].tolist())]
            if starts[-1] == len(text):
                starts.pop()  # the text ends with a line end
            hits = [bisect.bisect(starts, at) - 1 for at in begins[files == file].tolist()]
            shown = {line: False for line in hits}
            for line in hits:
                for beside in range(max(0, line - before), min(len(starts), line + after + 1)):
                    shown.setdefault(beside, True)
            for line in sorted(shown):
                end = starts[line + 1] - 1 if line + 1 < len(starts) else len(text)
                line_text = text[starts[line] : end].removesuffix(b"\n")
                sent.append((file, line, starts[line], line_text, shown[line]))
                if len(sent) == LINES_SENT:
                    yield sent
                    sent = []
        yield sent


class Waiting:
    """A request for counts that waits for a search."""

    def __init__(self, plan: Plan, in_all: bool) -> None:
        given: Any = plan.__reduce__()[1][-1]
        self.in_all = in_all  # only the sum of the counts is needed
        self.options = {key: given[key] for key in ("ignore_case", "whole_words")}
        self.plan, self.done = plan, threading.Event()
        self.counts: Any = None
        self.fault: BaseException | None = None


@functools.lru_cache(maxsize=8)
def can_search_whole(plan: Plan) -> bool:
    """Return True if a tape is searched as a whole. It is searched file by file if an occurrence could cross a file's end
    or depends on the plan's own line end."""
    errors = plan.mismatches or plan.edits
    plain = plan.alphabet == "bytes" and not (errors or plan.whole_lines or plan.regex)
    return plain and not any(b"\n" in pattern for pattern in plan._encoded())


def stays_in_lines(plan: Plan) -> bool:
    """Return True if no occurrence can cross a line end, so that a file may be cut there."""
    given: Any = plan.__reduce__()[1][-1]
    errors = plan.mismatches or plan.edits or plan.alphabet == "dna"
    ends = given["line_end"] == b"\n" and not any(b"\n" in pattern for pattern in plan._encoded())
    return can_search_whole(plan) or (ends and (not errors or given["within_lines"]))


class Actor:
    """A Ray actor that holds a shard, in its own process."""

    def __init__(self, files: list[Any], threads: int, engine: str) -> None:
        begin = time.monotonic()
        self.shard = Shard(_ray().get(files[0]), threads, engine)
        node = _ray().get_runtime_context().get_node_id()
        self.facts = {"node": node, "load_seconds": time.monotonic() - begin, "asks": 0}

    def ask(self, what: str, *arguments: Any) -> Any:
        self.facts["asks"] += 1
        return getattr(self.shard, what)(*arguments)

    def stream(self, what: str, *arguments: Any) -> Iterator[Any]:
        yield from self.ask(what, *arguments)

    def status(self) -> dict[str, Any]:
        return self.facts


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


def paths_of(sources: Any, absolute: bool = False) -> list[str]:
    paths = [os.fsdecode(one) for one in several(sources)]
    return [os.path.abspath(one) for one in paths] if absolute else paths


def fail(fault: OSError) -> None:
    raise fault


def files_of(sources: Any) -> Iterator[File]:
    """Yield the files below paths, or the texts of a dict."""
    if isinstance(sources, Mapping):
        for name, one in sources.items():
            text = one.encode() if isinstance(one, str) else bytes(one)
            yield File(name, 0, len(text), len(text), 0, text)
        return
    for path in found_below(sources):
        found = os.stat(path)
        yield File(path, 0, found.st_size, found.st_size, found.st_mtime_ns, None)


def cut(file: File, most: int) -> Iterator[File]:
    """Cut a file after line ends into parts of about `most` bytes."""
    begin = 0
    while begin < file.size or begin == 0:
        end = file.size
        if begin + most < file.size:
            end = line_begin(file, begin + most)
        text = file.text and file.text[begin:end]
        yield file._replace(begin=begin, size=end - begin, text=text)
        begin = max(end, 1)


def line_begin(file: File, at: int) -> int:
    """Return where the next line after the byte `at` begins, or the file's end."""
    if file.text is not None:
        return file.text.find(b"\n", at) + 1 or file.size
    with open(file.name, "rb") as opened:
        opened.seek(at)
        while part := opened.read(1 << 20):
            if (found := part.find(b"\n")) >= 0:
                return at + found + 1
            at += len(part)
    return file.size


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


def nodes_for(actors: int, cpus: float, gpus: float) -> list[dict[str, Any]]:
    """Return the resources of each node that can run an actor, and the number of actors that fit there as "actors".

    ValueError: the nodes have no room for so many actors, and Ray would wait forever. A cluster that starts nodes on
    demand is not rejected."""
    if actors < 1 or cpus < 0 or gpus < 0 or cpus + gpus == 0:
        raise ValueError(f"{actors} actors with {cpus} cores and {gpus} GPUs each: 1 or more is needed")
    ray = _ray()
    nodes = [dict(node["Resources"]) for node in ray.nodes() if node["Alive"]]
    for node in nodes:
        kinds = [(node.get("CPU", 0), cpus), (node.get("GPU", 0), gpus)]
        node["actors"] = int(min([has // each for has, each in kinds if each], default=actors))
    most_of: Any = getattr(ray._private.state.state, "get_max_resources_from_cluster_config", dict)
    if not most_of() and sum(node["actors"] for node in nodes) < actors:
        counts = Counter(f"{node.get('CPU', 0):g} cores and {node.get('GPU', 0):g} GPUs" for node in nodes)
        has = ", ".join(f"{count} with {kind}" for kind, count in counts.items())
        raise ValueError(
            f"too few nodes for {actors} actors with {cpus} cores and {gpus} GPUs each: the nodes are {has}"
        )
    return [node for node in nodes if node["actors"] > 0]


class Held(NamedTuple):
    """A shard: the parts of files, the actors that hold copies, and the parts in the object store, from
    which Ray starts a lost actor again."""

    files: list[File]
    actors: list[Any]
    kept: Any


class Keeper:
    """Starts the actors of a collection and knows what each one holds. The keeper of a named collection is an actor
    on the head node, without which the cluster starts and ends no actors either."""

    def __init__(self, sources: Any, shards: int | None, options: dict[str, Any]) -> None:
        self.options, self.lock = options, threading.Lock()
        self.roots = [] if isinstance(sources, Mapping) else list(sources)
        self.held: list[Held] = []
        try:
            self.held = self.start(list(files_of(sources)), shards)
        except BaseException:
            self.close()
            raise

    def shards(self) -> list[Held]:
        """Return the shards, without the texts of a dict."""
        return [one._replace(files=[file._replace(text=None) for file in one.files], kept=None) for one in self.held]

    def start(self, files: list[File], shards: int | None) -> list[Held]:
        """Start actors for files, and wait until the actors have loaded the files."""
        ray, options = _ray(), self.options
        copies, cpus, gpus = (options[name] for name in ("replicas", "cpus", "gpus"))
        nodes = nodes_for(max(1, min(shards or 1, len(files))) * copies, cpus, gpus)
        free = [int(node.get("memory", 0)) for node in nodes]
        count = shards or max(1, len(free) // copies)
        most = sum(file.size for file in files) // count + 1
        files = [part for file in files for part in cut(file, most)]
        sizes = [file.size for file in files]
        ranges = list(itertools.pairwise(deal(sizes, count)))
        needed = [ACTOR_BYTES + sum(sizes[begin:end]) + end - begin for begin, end in ranges]
        if max(needed) > max(free):
            raise OutOfMemoryError(
                f"shard {needed.index(max(needed))} of {len(needed)} needs {max(needed)} bytes, and no "
                f"node has more than {max(free)} for actors: more shards are needed"
            )
        if copies * sum(needed) > sum(free):
            raise OutOfMemoryError(
                f"{len(needed)} shards need {copies * sum(needed)} bytes, and the nodes have {sum(free)} for actors"
            )
        held = []
        for (begin, end), memory in zip(ranges, needed):
            kept = ray.put(files[begin:end])
            made = ray.remote(Actor).options(
                num_cpus=cpus, num_gpus=gpus, memory=memory, max_restarts=options["restarts"],
                max_concurrency=ASKS_MAX, scheduling_strategy="SPREAD",
            )  # fmt: skip
            actors = [made.remote([kept], cpus, "cuda" if gpus else "cpu") for _ in range(copies)]
            held.append(Held(files[begin:end], actors, kept))
        try:
            loading = [actor.status.remote() for one in held for actor in one.actors]
            wait(loading, options["timeout"], [i for i, one in enumerate(held) for _ in one.actors])
        except BaseException:
            end_actors(held)
            raise
        return held

    def add(self, sources: Any, shards: int | None) -> None:
        with self.lock:
            self.held += self.start(list(files_of(sources)), shards or 1)
            self.roots += [] if isinstance(sources, Mapping) else sources

    def refresh(self) -> list[str]:
        with self.lock:
            now = {file.name: file for file in files_of(self.roots)}
            old = {file.name: file for one in self.held for file in one.files if file.text is None}
            changed = {
                name
                for name in now.keys() | old.keys()
                if (name in now) != (name in old) or now[name][3:5] != old[name][3:5]
            }
            stale: list[Held] = []
            again = set(changed)
            # The other files of a shard with a changed file, and all parts of these files, are loaded again, too.
            while more := [
                one for one in self.held if one not in stale and any(file.name in again for file in one.files)
            ]:
                stale += more
                again |= {file.name for one in more for file in one.files}
            texts = [file for one in stale for file in one.files if file.text is not None]
            files = [*texts, *(file for name, file in now.items() if name in again)]
            made = self.start(files, max(1, len(stale))) if files else []
            at = min((self.held.index(one) for one in stale), default=len(self.held))
            left = [one for one in self.held if one not in stale]
            self.held = [*left[:at], *made, *left[at:]]
            end_actors(stale)
            return sorted(changed)

    def status(self) -> list[dict[str, Any]]:
        ray, rows = _ray(), []
        asked = [[actor.status.remote() for actor in one.actors] for one in self.held]
        waited = list(itertools.chain(*asked))
        came = set(ray.wait(waited, num_returns=len(waited), timeout=2)[0]) if waited else set()
        for one, answers in zip(self.held, asked):
            copies = []
            for answer in answers:
                try:
                    copies.append(ray.get(answer) if answer in came else None)
                except ray.exceptions.RayActorError:
                    copies.append(None)
            size = sum(file.size for file in one.files)
            names = [one.files[0].name, one.files[-1].name] if one.files else []
            rows.append({"files": len(one.files), "bytes": size, "names": names, "copies": copies})
        return rows

    def close(self) -> None:
        end_actors(self.held)
        self.held = []


def end_actors(held: list[Held]) -> None:
    for one in held:
        for actor in one.actors:
            _ray().kill(actor)


def wait(answers: list[Any], timeout: float | None, shards: list[int]) -> list[Any]:
    """Return the answers. shards: the number of each answer's shard, for the message of an error."""
    ray = _ray()
    try:
        return list(ray.get(answers, timeout=timeout))
    except ray.exceptions.RayActorError as fault:
        raise Error(f"a shard cannot be loaded, or was lost too often: {fault}") from fault
    except ray.exceptions.GetTimeoutError:
        came = set(ray.wait(answers, num_returns=len(answers), timeout=0)[0])
        late = sorted({shard for shard, answer in zip(shards, answers) if answer not in came})
        raise too_late(late, max(shards) + 1, timeout) from None


def too_late(shards: list[int], count: int, timeout: float | None) -> TimeoutError:
    return TimeoutError(f"shards {shards} of {count} did not answer in {timeout} s: they search, "
                        "load, or wait for a node with their memory, cores or GPU")  # fmt: skip


class Collection:
    """Collection(sources, shards=None, *, name=None, replicas=1, cpus=1, gpus=0, restarts=4, timeout=600.0)

    Texts in the memory of a Ray cluster. Each actor gets consecutive texts of about the same total
    size; a larger file is split at line ends. All actors search at the same time; results are combined in text order.
    Threads may share a collection, and requests for counts that wait for an actor share a search if they have the same
    plan, or few patterns and the same options.

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
    timeout: seconds for loading or for an answer. Afterwards a TimeoutError names the missing shards.

    Each search accepts missing=LIST. It appends to the list the shards without an answer, as (number, name of
    the first file, name of the last file), and returns the answer of the other shards. Without a list, a
    shard without an answer is an error.

    OutOfMemoryError: no node has the memory for a shard. ReadError: a file changed before a shard was loaded or
    loaded again; see refresh(). UnsupportedError: a file is split at line ends, and an occurrence of the plan could
    cross a line end."""

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
        if not isinstance(sources, Mapping):
            sources = paths_of(sources, absolute=name is not None)
        if name is None:
            self._open(Keeper(sources, shards, options), timeout)
            return
        made = _ray().remote(Keeper).options(
            name=name, namespace=NAMESPACE, lifetime="detached", num_cpus=0, max_concurrency=ASKS_MAX,
            resources={"node:__internal_head__": 0.001},
        )  # fmt: skip
        self._open(made.remote(sources, shards, options), timeout)

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
        self.lost: dict[tuple[int, int], Any] = {}  # (shard, copy) -> reference to the awaited status of the copy
        self.reload()

    def _keep(self, what: str, *arguments: Any) -> Any:
        if isinstance(self.keeper, Keeper):
            return getattr(self.keeper, what)(*arguments)
        ray = _ray()
        try:
            return ray.get(getattr(self.keeper, what).remote(*arguments))
        except ray.exceptions.RayTaskError as fault:
            raise fault.as_instanceof_cause() from None
        except ray.exceptions.RayActorError as fault:
            raise Error(f"the collection cannot be loaded, or has ended: {fault}") from fault

    def reload(self) -> None:
        """Update the list of shards, after another process called add() or refresh()."""
        self.held: list[Held] = self._keep("shards")
        self.lost.clear()
        files = [file for one in self.held for file in one.files]
        index = {name: i for i, name in enumerate(dict.fromkeys(file.name for file in files))}
        self.names = list(index)
        self.files_of = [[index[file.name] for file in one.files] for one in self.held]
        self.is_cut = len(index) < len(files)
        self.counts: dict[int, list[int]] | None = None  # number of line ends in each shard's files

    @property
    def shards(self) -> list[Any]:
        """The first actor of each shard."""
        return [one.actors[0] for one in self.held]

    def add(self, sources: Any, shards: int | None = None) -> None:
        """Load more files or texts, into new shards (1 by default). Other searches continue meanwhile."""
        self._keep("add", sources if isinstance(sources, Mapping) else paths_of(sources, True), shards)
        self.reload()

    def refresh(self) -> list[str]:
        """Check all files and directories again, reload the shards with changed files, and return the names of files that
        changed, appeared or disappeared. Other searches continue meanwhile, with the old contents of the files."""
        changed: list[str] = self._keep("refresh")
        self.reload()
        return changed

    def status(self) -> list[dict[str, Any]]:
        """Return for each shard its number of files and bytes, the names of its first and last file, and for each
        copy the node, the seconds to load and the number of requests, or None for a copy that does not answer."""
        return list(self._keep("status"))

    def _plan(self, plan: Plan) -> Any:
        if self.is_cut and not stays_in_lines(plan):
            raise UnsupportedError(
                "a file of the collection is cut at line ends, and an occurrence of this plan could cross one: "
                "fewer shards are needed"
            )
        sent = self.sent
        if sent is None or sent[0] is not plan:
            sent = self.sent = (plan, _ray().put(plan))
        return sent[1]

    def _ask(
        self, what: str, plan: Plan, *more: Any, missing: list[Any] | None = None, stream: bool = False
    ) -> Iterator[tuple[int, Any]]:
        """Send a request to all shards, and yield (shard, answer) in the shards' order, or with `stream`
        (shard, part of the answer)."""
        arguments, turn = (what, self._plan(plan), *more), next(self.turns)
        end = None if self.timeout is None else time.monotonic() + self.timeout

        def send(i: int, number: int) -> Any:
            actors = self.held[i].actors
            copies = [(turn + number + i) % len(actors) for i in range(len(actors))]
            copy = next((one for one in copies if self._answers(i, one)), copies[0])
            actor = actors[copy]
            return copy, actor.stream.options(num_returns="streaming").remote(
                *arguments
            ) if stream else actor.ask.remote(*arguments)

        asked = [send(i, 0) for i in range(len(self.held))]
        for i, answer in enumerate(asked):
            try:
                for part in self._parts(i, answer, send, end, stream):
                    yield i, part
            except (Error, TimeoutError):
                if missing is None:
                    raise
                files = self.held[i].files
                missing.append((i, files[0].name, files[-1].name))

    def _answers(self, i: int, copy: int) -> bool:
        """Return True if a copy answered when it was last asked. A lost copy is repeatedly asked for its status, and
        gets no requests until it has answered."""
        asked, ray = self.lost.get((i, copy)), _ray()
        if asked is None:
            return True
        if not ray.wait([asked], num_returns=1, timeout=0)[0]:
            return False
        try:
            ray.get(asked)
        except ray.exceptions.RayActorError:
            self._lose(i, copy)
            return False
        self.lost.pop((i, copy), None)
        return True

    def _lose(self, i: int, copy: int) -> None:
        self.lost[i, copy] = self.held[i].actors[copy].status.remote()

    def _parts(self, i: int, sent: Any, send: Any, end: float | None, stream: bool) -> Iterator[Any]:
        """Yield the parts of a shard's answer. If an actor is lost, ask the next one, and skip the parts that the lost
        one has already sent."""
        ray, came, copies = _ray(), 0, len(self.held[i].actors)
        dead: set[int] = set()
        for number in itertools.count(1):
            copy, answer = sent
            try:
                left = None if end is None else max(0, end - time.monotonic())
                if not stream:
                    yield ray.get(answer, timeout=left)
                    return
                for at, reference in enumerate(answer):
                    part = ray.get(reference, timeout=left)  # even for a skipped part: this actor may be lost, too
                    if at == came:
                        came += 1
                        yield part
                return
            except ray.exceptions.GetTimeoutError:
                raise too_late([i], len(self.held), self.timeout) from None
            except ray.exceptions.RayActorError as fault:
                self._lose(i, copy)
                dead |= {copy} if isinstance(fault, ray.exceptions.ActorDiedError) else set()
                if len(dead) == copies:
                    raise Error(f"a shard cannot be loaded, or was lost too often: {fault}") from fault
                if end is not None and time.monotonic() > end:
                    raise TimeoutError(f"shards [{i}] of {len(self.held)} are loading again") from None
                time.sleep(0 if number < copies else 0.1)  # time for Ray to restart the actor
            sent = send(i, number)

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
                base = self.held[i].files[file].begin
                return self.names[self.files_of[i][file]], base + begin, base + end, pattern
        return None

    def files(self, plan: Plan, *, missing: list[Any] | None = None) -> list[str]:
        """Return the names of the files with an occurrence, in order."""
        found = self._ask("files", plan, missing=missing)
        return [
            self.names[one] for one in dict.fromkeys(self.files_of[i][file] for i, files in found for file in files)
        ]

    def positions(self, plan: Plan, *, missing: list[Any] | None = None) -> Positions:
        """Find where all occurrences begin: columns of begin, file (an index in `names`), pattern."""
        import numpy

        parts: Any = [(numpy.zeros(0, numpy.int64),) * 3]
        for i, (begins, files, patterns) in self._ask("positions", plan, missing=missing):
            bases = numpy.array([file.begin for file in self.held[i].files], numpy.int64)
            indices = numpy.array(self.files_of[i], numpy.int64)
            parts.append((begins + bases[files], indices[files], patterns))
        columns: Any = [numbers(numpy.concatenate(column).data) for column in zip(*parts)]
        begins, files, found = columns
        return Positions(begins, files, found, self.names, len(begins))

    def lines(self, plan: Plan, *, before: int = 0, after: int = 0, missing: list[Any] | None = None) -> Iterator[Line]:
        """Yield the lines with an occurrence, and `before` and `after` lines around it, in file order, while other
        shards still search. Where a file is split, context does not extend into the other part."""
        ends: dict[int, int] = {}  # file -> number of line ends in the file's parts so far
        if self.is_cut and self.counts is None:
            self.counts = dict(self._ask("line_ends", plan))
        counts = self.counts or {}
        bases: list[dict[int, int]] = []
        for i, indices in enumerate(self.files_of):
            bases.append({})
            for file, index in enumerate(indices):
                bases[i][file] = ends.get(index, 0)
                ends[index] = bases[i][file] + (counts[i][file] if self.is_cut else 0)
        for i, part in self._ask("lines", plan, before, after, missing=missing, stream=True):
            for file, number, begin, line, is_context in part:
                name = self.names[self.files_of[i][file]]
                yield Line(name, bases[i][file] + number + 1, self.held[i].files[file].begin + begin, line, is_context)

    def close(self) -> None:
        """End the actors."""
        self._keep("close")
        if not isinstance(self.keeper, Keeper):
            _ray().kill(self.keeper)
        self.held = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()
