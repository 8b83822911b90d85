"""trawl.ray.Collection, a collection of texts in the memory of Ray actors, and the actors."""

from __future__ import annotations

import bisect
import functools
import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ._errors import Error, OutOfMemoryError, ReadError
from ._trawl import Column, Plan, Searcher, Text, numbers
from .client import Positions

if TYPE_CHECKING:
    from typing_extensions import Self

Answer = TypeVar("Answer")
LISTED_MAX = 1 << 20  # with more occurrences, a search for records finds the files instead
ACTOR_BYTES = 256 << 20  # an actor's memory besides the texts


class File(NamedTuple):
    path: bytes
    size: int
    changed_ns: int


class Shard:
    """A tape in memory: files or texts, each followed by a line end."""

    def __init__(self, files: list[Any], threads: int, engine: str) -> None:
        import numpy

        self.sizes = [file.size if isinstance(file, File) else len(file) for file in files]
        self.begins = numpy.cumsum([0, *(size + 1 for size in self.sizes)])
        self.tape = numpy.full(self.begins[-1], ord("\n"), numpy.uint8)
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(self.fill, range(len(files)), files))
        self.searcher = Searcher(engine, threads)  # type: ignore[arg-type]
        self.text = self.searcher.load(self.tape) if engine == "cuda" else Text(self.tape)

    def part(self, i: int) -> Any:
        return self.tape[self.begins[i] : self.begins[i] + self.sizes[i]]

    def fill(self, i: int, file: Any) -> None:
        part = memoryview(self.part(i))
        if not isinstance(file, File):
            part[:] = file
            return
        with open(file.path, "rb", buffering=0) as opened:
            found = os.fstat(opened.fileno())
            at = 0
            while at < len(part) and (got := opened.readinto(part[at:])):
                at += got
        if at < file.size or (found.st_size, found.st_mtime_ns) != file[1:]:
            raise ReadError(f"{os.fsdecode(file.path)}: the file changed since the collection was made")

    def searches(
        self, plan: Plan, call: Callable[[Plan, Any], Answer]
    ) -> Iterator[tuple[int, Answer]]:
        """Yield (begin, result of a search) for texts that make up the tape."""
        if as_a_whole(plan):
            yield 0, call(plan, self.text)
        else:
            for i in range(len(self.sizes)):
                yield int(self.begins[i]), call(plan, self.part(i))

    def place(self, begins: Any) -> Any:
        """Return for each begin the index of the file that contains the begin."""
        return self.begins.searchsorted(begins, "right") - 1

    def count(self, plan: Plan) -> int:
        return sum(count for _, count in self.searches(plan, self.searcher.count))

    def count_by_pattern(self, plan: Plan) -> Any:
        import numpy

        total = numpy.zeros(len(plan), numpy.uint64)
        for _, counts in self.searches(plan, self.searcher.count_by_pattern):
            total += numpy.asarray(counts)
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

        if plan.regex or self.count(plan) <= LISTED_MAX:
            return numpy.unique(self.positions(plan)[1])
        # Records alternate: a file, a line end, a file, a line end.
        ends = numpy.stack([self.begins[1:] - 1, self.begins[1:]], 1).reshape(-1)
        offsets = pyarrow.py_buffer(numpy.concatenate([self.begins[:1], ends]))
        buffers = [None, offsets, pyarrow.py_buffer(self.tape)]
        column = pyarrow.LargeBinaryArray.from_buffers(
            pyarrow.large_binary(), 2 * len(self.sizes), buffers
        )
        return self.searcher.contains(plan, column).to_numpy()[::2].nonzero()[0]


@functools.lru_cache(maxsize=8)
def as_a_whole(plan: Plan) -> bool:
    """Say whether a tape is searched as a whole. The tape is searched file by file if an occurrence could
    cross a file's end or depends on the plan's own line end."""
    errors = plan.mismatches or plan.edits
    plain = plan.alphabet == "bytes" and not (errors or plan.whole_lines or plan.regex)
    return plain and not any(b"\n" in pattern for pattern in plan)


class Actor:
    """A Ray actor, which holds a shard in a process of the actor's own."""

    def __init__(self, files: list[Any], threads: int, engine: str) -> None:
        import ray

        self.shard = Shard(ray.get(files[0]), threads, engine)

    def ask(self, what: str, plan: Plan) -> Any:
        return getattr(self.shard, what)(plan)


def found_below(paths: Iterable[Any]) -> Iterator[str]:
    """Yield the files of `paths` and of directories in `paths`, by name. A symbolic link is followed
    only if `paths` contains the link."""
    for path in map(os.fsdecode, paths):
        if not os.path.isdir(path):
            yield path
            continue
        for folder, folders, files in os.walk(path, onerror=fail):
            folders.sort()
            for name in sorted(files):
                file = os.path.join(folder, name)
                if os.path.isfile(file) and not os.path.islink(file):
                    yield file


def fail(fault: OSError) -> None:
    raise fault


def _ray() -> Any:
    import ray

    return ray


def nodes_for(actors: int, cpus: float, gpus: int) -> list[dict[str, Any]]:
    """Return the resources of each node with room for an actor, and the number of actors that fit there
    as "actors".

    ValueError: the nodes have no room for so many actors, and Ray would wait without end. A cluster that
    starts nodes when nodes are needed is not refused.
    """
    ray = _ray()
    nodes = [dict(node["Resources"]) for node in ray.nodes() if node["Alive"]]
    for node in nodes:
        rooms = [(node.get("CPU", 0), cpus), (node.get("GPU", 0), gpus)]
        node["actors"] = int(min([has // each for has, each in rooms if each], default=actors))
    most_of: Any = getattr(ray._private.state.state, "get_max_resources_from_cluster_config", dict)
    if not most_of() and sum(node["actors"] for node in nodes) < actors:
        kinds = Counter(f"{node.get('CPU', 0):g} cores and {node.get('GPU', 0):g} GPUs" for node in nodes)
        has = ", ".join(f"{count} with {kind}" for kind, count in kinds.items())
        raise ValueError(
            f"no room for actors, {actors} with {cpus} cores and {gpus} GPUs each: the nodes are {has}"
        )
    return [node for node in nodes if node["actors"] > 0]


class Collection:
    """Collection(sources, shards=None, *, cpus=1, gpus=0, restarts=4, timeout=600.0)

    Texts in the memory of a Ray cluster. Each actor gets consecutive texts of about the same total
    size. All actors search at the same time; results are combined in the order of the texts.

    sources: paths of files and directories, which have to be the same on all nodes and here; or a dict
      of names and texts (bytes or str), which also stay in Ray's object store.
    shards: the number of actors. The default is an actor for each node with enough cores and GPUs.
    cpus, gpus: the cores with which each actor searches; gpus=1: a GPU also holds the actor's texts.
    restarts: how often a lost actor is started again, on any node with room. The new actor loads the
      texts again and answers the open request.
    timeout: seconds for loading or for an answer. Afterwards a TimeoutError names the missing shards.

    OutOfMemoryError: no node has the memory for a shard. ReadError: a file changed before a shard was
    loaded or loaded again.
    """

    def __init__(
        self,
        sources: Iterable[Any] | Mapping[str, bytes | str],
        shards: int | None = None,
        *,
        cpus: int = 1,
        gpus: int = 0,
        restarts: int = 4,
        timeout: float | None = 600.0,
    ) -> None:
        files: list[Any]
        if isinstance(sources, Mapping):
            self.names = list(sources)
            files = [one.encode() if isinstance(one, str) else one for one in sources.values()]
            sizes = [len(one) for one in files]
        else:
            self.names = list(found_below(sources))
            stats = [(os.fsencode(name), os.stat(name)) for name in self.names]
            files = [File(path, found.st_size, found.st_mtime_ns) for path, found in stats]
            sizes = [file.size for file in files]
        self.timeout = timeout
        self.sent: tuple[Plan, Any] | None = None  # the last plan, and the plan in the object store
        ray = _ray()
        nodes = nodes_for(max(1, min(shards or 1, len(sizes))), cpus, gpus)
        room = [int(node.get("memory", 0)) for node in nodes]
        self.first_files = deal(sizes, shards or len(room))
        ranges = list(itertools.pairwise(self.first_files))
        needed = [ACTOR_BYTES + sum(sizes[begin:end]) + end - begin for begin, end in ranges]
        if max(needed) > max(room):
            raise OutOfMemoryError(
                f"shard {needed.index(max(needed))} of {len(needed)} needs {max(needed)} bytes, and no "
                f"node has more than {max(room)} for actors: more shards, or smaller files, are needed"
            )
        if sum(needed) > sum(room):
            raise OutOfMemoryError(
                f"{len(needed)} shards need {sum(needed)} bytes, and the nodes have {sum(room)} for actors"
            )
        options = {"num_cpus": cpus, "num_gpus": gpus}
        options |= {"max_restarts": restarts, "max_task_retries": -1}
        # The object store keeps each actor's files, so that Ray can start a lost actor again.
        self.kept = [ray.put(files[begin:end]) for begin, end in ranges]
        self.shards = [
            ray.remote(Actor)
            .options(memory=memory, **options)
            .remote([part], cpus, "cuda" if gpus else "cpu")
            for part, memory in zip(self.kept, needed)
        ]
        try:
            self._ask("count", Plan("\n"))  # waits until all shards are loaded
        except BaseException:
            self.close()
            raise

    def _ask(self, what: str, plan: Plan) -> list[Any]:
        """Send a request to all shards, and return the answers in the shards' order."""
        ray = _ray()
        sent = self.sent
        if sent is None or sent[0] is not plan:
            sent = self.sent = (plan, ray.put(plan))
        answers = [shard.ask.remote(what, sent[1]) for shard in self.shards]
        try:
            return list(ray.get(answers, timeout=self.timeout))
        except ray.exceptions.RayActorError as fault:
            raise Error(f"a shard cannot be loaded, or was lost too often: {fault}") from fault
        except ray.exceptions.GetTimeoutError:
            came = set(ray.wait(answers, num_returns=len(answers), timeout=0)[0])
            late = [i for i, answer in enumerate(answers) if answer not in came]
            raise TimeoutError(
                f"shards {late} of {len(answers)} did not answer in {self.timeout} s: they search, "
                "load, or wait for a node with their memory, cores or GPU"
            ) from None

    def count(self, plan: Plan) -> int:
        """Count the occurrences."""
        return sum(self._ask("count", plan))

    def count_by_pattern(self, plan: Plan) -> Column:
        """Count the occurrences of each pattern."""
        return numbers(sum(self._ask("count_by_pattern", plan)))

    def first(self, plan: Plan) -> tuple[str, int, int, int] | None:
        """Return (name, begin, end, pattern) of the first occurrence in the first file with an
        occurrence, or None."""
        for base, found in zip(self.first_files, self._ask("first", plan)):
            if found is not None:
                return self.names[base + found[0]], *found[1:]
        return None

    def files(self, plan: Plan) -> list[str]:
        """Return the names of the files with an occurrence, in order."""
        found = zip(self.first_files, self._ask("files", plan))
        return [self.names[base + file] for base, files in found for file in files.tolist()]

    def positions(self, plan: Plan) -> Positions:
        """Find where all occurrences begin: columns of begin, file (an index in `names`), pattern."""
        import numpy

        parts: Any = [
            (begins, files + base, patterns)
            for base, (begins, files, patterns) in zip(
                self.first_files, self._ask("positions", plan)
            )
        ]
        columns: Any = [numbers(numpy.concatenate(column).data) for column in zip(*parts)]
        begins, files, found = columns
        return Positions(begins, files, found, self.names, len(begins))

    def close(self) -> None:
        """End the actors."""
        ray = _ray()
        for shard in self.shards:
            ray.kill(shard)
        self.shards = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()


def deal(sizes: list[int], shards: int) -> list[int]:
    """Cut files of these sizes into shards of about equal size. Return the index of each shard's first
    file, and the number of files."""
    begins = list(itertools.accumulate((size + 1 for size in sizes), initial=0))
    middles = [(begin + end + 1) // 2 for begin, end in itertools.pairwise(begins)]
    count = max(1, min(shards, len(sizes)))
    return [bisect.bisect(middles, begins[-1] * i // count) for i in range(count + 1)]
