"""ray_by_hand: replaces Ray, in this process. An actor is an object, and a task runs when it is sent. So the tests check
without Ray what trawl does with answers, with lost actors and with tables; Ray itself is tested in long runs."""

import asyncio
import collections
import functools
import http.server
import inspect
import itertools
import operator
import pickle
import sys
import threading
import types


class RayError(Exception):
    pass


class RayActorError(RayError):
    """The exception for a request to a lost actor, which is being restarted."""


class ActorDiedError(RayActorError):
    """An actor cannot be restarted."""


class GetTimeoutError(RayError):
    pass


class Reference:
    """The reference that a task returns: to a value, a coroutine, or the task's exception."""

    def __init__(self, value=None, fault=None):
        self.value, self.fault = value, fault

    def __await__(self):
        yield from ()
        return (yield from self.value.__await__()) if inspect.iscoroutine(self.value) else get(self)


class Handle:
    """An actor. After a loss, the next request fails and starts the actor again. _parts: how many parts of streams come
    before the actor is lost; None: all parts."""

    def __init__(self, kind, arguments):
        self._kind, self._start, self._lock = kind, lambda: kind(*map(resolved, arguments)), threading.Lock()
        self._made, self._dead, self._lost, self._parts = self._start(), "", False, None

    def _method(self, name):
        with self._lock:
            if self._lost and not self._dead:
                self._lost = False
                try:
                    self._made = self._start()
                except Exception as fault:
                    self._dead = str(fault)
                    raise ActorDiedError(str(fault)) from fault
                raise RayActorError("lost")
            if self._dead:
                raise ActorDiedError(self._dead)
            return getattr(self._made, name)

    def _count_part(self):
        if self._parts is not None:
            self._parts -= 1
            if self._parts < 0:
                self._parts = None
                raise RayActorError("lost")

    def _task(self, name, *arguments, retries=0):
        try:
            return Reference(self._method(name)(*map(resolved, arguments)))
        except RayActorError as fault:
            if retries and not self._dead:
                return self._task(name, *arguments)
            return Reference(fault=fault)
        except Exception as fault:
            return Reference(fault=fault)

    async def _answers(self, name, *arguments):
        try:
            async for part in self._method(name)(*map(resolved, arguments)):
                self._count_part()
                yield Reference(part)
        except Exception as fault:
            yield Reference(fault=fault)

    def __getattr__(self, name):
        is_async = inspect.isasyncgenfunction(getattr(self._kind, name))

        def options(max_task_retries=0, **_):
            call = self._answers if is_async else functools.partial(self._task, retries=max_task_retries)
            return types.SimpleNamespace(remote=functools.partial(call, name))

        return types.SimpleNamespace(remote=options().remote, options=options)


def resolved(one):
    return get(one) if isinstance(one, Reference) else one


def get(one, timeout=None):
    if isinstance(one, list):
        return [get(each, timeout) for each in one]
    if timeout == 0:
        raise GetTimeoutError
    if one.fault is not None:
        raise one.fault
    return asyncio.run(one.value) if inspect.iscoroutine(one.value) else one.value


def kill(actor, no_restart=True):
    with actor._lock:
        if process := getattr(actor._made, "process", None):
            process.kill()
        actor._dead, actor._lost, actor._made = "killed" * no_restart, True, None


class Dataset:
    """Replaces a Ray Data dataset: tables, on which each stage runs at once."""

    def __init__(self, tables):
        self.tables = tables
        self.context = types.SimpleNamespace(execution_options=types.SimpleNamespace(preserve_order=False))

    def schema(self, fetch_if_missing):
        return types.SimpleNamespace(base_schema=self.tables[0].schema) if self.tables else None

    def map_batches(self, kind, *, fn_constructor_args, batch_size, **options):
        worker = kind(*pickle.loads(pickle.dumps(fn_constructor_args)))  # as for a worker in another process
        parts = (part for one in self.tables for part in slices(one, batch_size or max(1, one.num_rows)))
        made = Dataset(list(map(worker, parts)))
        made.options, made.worker = options, worker
        return made

    def iter_rows(self):
        return itertools.chain.from_iterable(table.to_pylist() for table in self.tables)


def slices(table, rows):
    return [table.slice(at, rows) for at in range(0, max(1, table.num_rows), rows)]


class Counter:
    """Replaces a Ray metric, a counter. sums: the value of each metric, by name and tags."""

    sums: dict = {}

    def __init__(self, name, description, tag_keys):
        self.name = name

    def inc(self, value, tags):
        assert value > 0
        key = (self.name, *tags.values())
        self.sums[key] = self.sums.get(key, 0) + value


class Bridge(http.server.BaseHTTPRequestHandler):
    """Answers HTTP requests with a callable of Ray Serve, as Ray Serve does."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        asyncio.run(self.answer())

    do_POST = do_GET

    async def answer(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path, _, query = self.path.partition("?")

        async def whole():
            return body

        request = types.SimpleNamespace(
            method=self.command, url=types.SimpleNamespace(path=path, query=query), body=whole,
            headers={key.lower(): value for key, value in self.headers.items()},
        )  # fmt: skip
        content, status, headers = await self.server.front(request)
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        is_whole = isinstance(content, bytes)
        self.send_header(*(("Content-Length", str(len(content))) if is_whole else ("Transfer-Encoding", "chunked")))
        self.end_headers()
        if is_whole:
            self.wfile.write(content)
            return
        try:
            async for part in content:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")
        finally:
            await content.aclose()

    def log_message(self, *_):
        pass


def install(monkeypatch, nodes):
    """Replace the package ray with this one. nodes: the resources of each node."""
    names, actors, ray = {}, [], types.ModuleType("ray")

    def remote(kind, **options):
        def make(*arguments):
            made = Handle(kind, arguments)
            actors.append(made)
            names[options.get("name")] = made
            return made

        return types.SimpleNamespace(options=lambda **more: remote(kind, **options, **more), remote=make)

    def get_actor(name, namespace):
        if name not in names or names[name]._dead:
            raise ValueError(f"no actor {name}")
        return names[name]

    def shutdown():
        serve.server.shutdown()
        serve.server.server_close()
        for actor in actors:
            kill(actor)
            actor._task = lambda *_: Reference(asyncio.sleep(1 << 20))  # no answer

    def run(front, **_):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bridge)
        server.daemon_threads, server.front = True, front
        threading.Thread(target=server.serve_forever, daemon=True).start()
        serve.server = server

    exceptions = types.SimpleNamespace(
        RayActorError=RayActorError, ActorDiedError=ActorDiedError, GetTimeoutError=GetTimeoutError,
        RayTaskError=type("RayTaskError", (RayError,), {}), RayError=RayError,
    )  # fmt: skip
    serve = types.SimpleNamespace(
        start=lambda **_: None, run=run,
        deployment=lambda **_: lambda kind: types.SimpleNamespace(bind=kind),
    )  # fmt: skip
    node = types.SimpleNamespace(get_node_id=lambda: "node", was_current_actor_reconstructed=False)
    data = types.SimpleNamespace(ActorPoolStrategy=lambda **sizes: sizes)
    vars(ray).update(
        is_initialized=lambda: True, cluster_resources=lambda: functools.reduce(operator.add, map(collections.Counter, nodes)), put=Reference, get=get, kill=kill, remote=remote, get_actor=get_actor,
        wait=lambda answers, num_returns, timeout: (answers, []), cancel=lambda _: None, exceptions=exceptions,
        nodes=lambda: [{"Alive": True, "Resources": one} for one in nodes] + [{"Alive": False}], actors=actors, serve=serve, data=data,
        get_runtime_context=lambda: node, shutdown=shutdown,
    )  # fmt: skip
    response = types.SimpleNamespace(
        Response=lambda content, status, headers: (content, status, headers),
        StreamingResponse=lambda content, status, headers: (content, status, headers),
    )  # fmt: skip
    stands = {"ray": ray, "ray.util.metrics": types.SimpleNamespace(Counter=Counter), "starlette.responses": response}
    for name, module in stands.items():
        monkeypatch.setitem(sys.modules, name, module)
    return ray
