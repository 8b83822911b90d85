"""Tests the server's protocol over a Ray cluster: the command, the page and the clients must get the same answers as from
a single machine."""

import asyncio
import contextlib
import ctypes
import functools
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
import warnings

import pytest
import ray_by_hand
import trawl
from conftest import SCALE, amount
from serving import Fake, grown, plain, real
from trawl import cluster

PROGRAM = os.environ.get("TRAWL_SERVE", "")
ADDRESS = "http://127.0.0.1:8733"
# bytes_searched: how far a thread had read a binary file
TIMES = re.compile(rb'"(secs|nanos|bytes_searched)":\d+|"human":"[^"]*"|"elapsed(_total)?":\{[^}]*\}')
WORDS = ["needle", "thread", "hay", "Needle", "x", "ab", "\u00e9"]


def test_runs():
    """Check how operands become requests: operands in the order of --sort=path are one request; in a different order they
    are several requests, which show names."""

    def runs(*paths, options=()):
        body = {"directory": "/d", "paths": list(paths), "options": list(options)}
        return [one["paths"] for one in cluster.runs_of(body)]

    assert runs("a", "b/c", "./d") == [["a", "b/c", "./d"]] and runs() == [[]]
    assert runs("b", "a", "c") == [["b"], ["a", "c"]] and runs("a", "a/b") == [["a"], ["a/b"]]
    assert runs("a.b", "a/c") == [["a.b"], ["a/c"]] and runs("a", "a") == [["a"], ["a"]]
    for form, names in (("frames", ["--with-filename"]), ("columns", [])):
        assert cluster.runs_of({"paths": ["b", "a"], "format": form})[0]["options"] == ["--sort=path", *names]
    for option in ("--sortr=path", "--count-by-pattern"):
        with pytest.raises(cluster.Refused):
            runs("a", options=[option])


def test_answers_that_become_one():
    def count(n):
        return json.dumps({"occurrences": n, "files": 1, "patterns": [n, 1], "seconds": n, "shared": 2}).encode()

    assert json.loads(cluster.counts([count(1), count(3)])) == {
        "occurrences": 4, "files": 2, "patterns": [4, 2], "seconds": 3, "shared": 2
    }  # fmt: skip

    said = b'# HELP a b\na_total{x="y"} 3\nb 0.5\n'
    assert cluster.metrics([said, said]) == b'# HELP a b\na_total{x="y"} 6\nb 1\n'
    times = [{"secs": 1, "nanos": 600_000_000}, {"secs": 2, "nanos": 500_000_001}]
    assert cluster.times(times) == {"human": "4.100000s", "nanos": 100_000_001, "secs": 4}


def test_unknown_members():
    """Check that members which a later server may add, of each kind and in each object of an answer, change
    nothing."""
    elapsed = {"human": "", "nanos": 1, "secs": 0}
    stats = {"elapsed": elapsed, **dict.fromkeys(cluster.SUMS, 2)}
    for join, answer in (
        (cluster.counts, {"occurrences": 3, "files": 1, "patterns": [3], "unread": 0, "bytes": 9, "seconds": 1, "shared": 1}),
        (lambda ones: cluster.columns(ones, {}), {"count": 0, "total": 0, "unread": 0, "columns": [], "files": []}),
        (cluster.collections_of, {"collections": [{"name": "c", "root": "/", "files": 1, "loading": False, "load_seconds": 1.0}]}),
        (lambda ones: cluster.joined([json.loads(one) for one in ones], cluster.SUMMARY),
         {"type": "summary", "data": {"elapsed_total": elapsed, "stats": stats}}),
        (lambda ones: cluster.kind_of(ones[0]), {"type": "match", "data": {}}),
    ):  # fmt: skip
        old = json.dumps(answer).encode() + b"\n"
        for more in (1, "x", None, [1], {"a": {"b": 2}}, True):
            later = json.dumps(grown(answer, more)).encode() + b"\n"
            assert join([later, later]) == join([old, later]) == join([old, old])


def test_an_answer_goes_on(rng, monkeypatch):
    """Check the units of an answer that another actor continues. Each actor cuts the same output into different units."""
    ray_by_hand.install(monkeypatch, [])
    monkeypatch.setattr(cluster, "FIRST_PAUSE", 0)

    async def sent(content, lost):
        pieces = [(200, {})]
        while content:
            kind, whole = content[0]
            size = rng.randint(1, len(whole)) if kind == b"o" else len(whole)
            pieces.append(cluster.frame(kind, whole[:size]))
            content = [(kind, whole[size:])] * (size < len(whole)) + content[1:]
        for piece in pieces[: rng.randint(0, len(pieces)) if lost else None]:
            yield ray_by_hand.Reference(piece)
        if lost:
            yield ray_by_hand.Reference(fault=ray_by_hand.RayActorError())

    async def came(content):
        found, losses = [], rng.randint(0, 4)
        units = cluster.Units(lambda attempt: sent(content, attempt < losses), True)
        async for kind, part in units.all():
            together = kind == b"o" and found and found[-1][0] == b"o"
            found[-1:] = [(b"o", found[-1][1] + part)] if together else [*found[-1:], (kind, part)]
        return found

    for _ in range(amount(200)):
        content = [(kind, kind + rng.randbytes(rng.randint(0, 9))) for _ in range(3) for kind in (b"o", b"m")]
        content = [one for one in content[rng.randint(0, 2) :]] + [(b"x", b"\0")]
        assert asyncio.run(came(content)) == content


def test_times_in_an_answer_that_goes_on(rng, monkeypatch):
    """Check that lines of JSON stay whole if the times in them differ from copy to copy, also in length."""
    ray_by_hand.install(monkeypatch, [])
    monkeypatch.setattr(cluster, "FIRST_PAUSE", 0)

    async def sent(is_lost):
        lines = [b'{"line":%d,"nanos":%d}\n' % (i, rng.randrange(10 ** rng.randint(1, 9))) for i in range(9)]
        text, pieces = b"".join(lines), [(200, {})]
        while text:
            size = rng.randint(1, 40)
            pieces.append(cluster.frame(b"o", text[:size]))
            text = text[size:]
        for piece in pieces[: rng.randint(1, len(pieces))] if is_lost else [*pieces, cluster.frame(b"x", b"\0")]:
            yield ray_by_hand.Reference(piece)
        if is_lost:
            yield ray_by_hand.Reference(fault=ray_by_hand.RayActorError())

    async def came():
        units = cluster.Units(lambda attempt: sent(attempt < 3), True, True)
        return [content async for kind, content in units.all() if kind == b"o"]

    for _ in range(amount(100)):
        assert [json.loads(one)["line"] for one in asyncio.run(came())] == list(range(9))


def test_ranges(tmp_path):
    """Check the order of a range's paths, which is that of --sort=path: paths are compared name by name, and a name comes
    before longer names that begin with it."""
    for name in ("a/x", "a.b", "a.d/z", "b/c/1", "b.c", "z"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"1234567")
    assert cluster.ranges_of(str(tmp_path), 3) == [(b"", 16), (b"a.d/z", 16), (b"b.c", 16)]
    assert cluster.ranges_of(str(tmp_path), 99) == [
        (name, 8) for name in (b"", b"a.b", b"a.d/z", b"b/c/1", b"b.c", b"z")
    ]


def test_refused_commands(tmp_path, capsys, monkeypatch):
    """Check that a command line that cannot succeed ends with a message of one sentence."""
    ray_by_hand.install(monkeypatch, [])
    assert cluster.main([f"x={tmp_path}/none"]) == 2
    assert capsys.readouterr().err == f"trawl: [Errno 2] No such file or directory: '{tmp_path}/none'\n"
    with pytest.raises(SystemExit):
        cluster.main(["--listen=0.0.0.0:8799", str(tmp_path)])
    assert "--token-file=FILE is needed" in capsys.readouterr().err
    monkeypatch.setattr(cluster, "program", str)
    # SIGTERM ends the command as Ctrl-C does
    monkeypatch.setattr(cluster, "start", lambda *_, **__: os.kill(os.getpid(), signal.SIGTERM))
    monkeypatch.setattr(sys.modules["ray"], "init", lambda *_, **__: None, raising=False)
    assert cluster.main([str(tmp_path)]) == 130 and signal.signal(signal.SIGTERM, signal.SIG_DFL)
    monkeypatch.setitem(sys.modules, "ray", None)
    assert cluster.main([str(tmp_path)]) == 2 and "pip install 'pytrawl[cluster]'" in capsys.readouterr().err


def make_tree(rng, root):
    for folder in ("a", "a.d", "b/c", "b/.hidden", "e", "z"):
        (root / folder).mkdir(parents=True)
        for number in range(8):
            lines = [" ".join(rng.choice(WORDS) for _ in range(rng.randint(0, 6))) for _ in range(rng.randint(0, 12))]
            text = rng.choice(["\n", "\n", "\r\n", "\n\n"]).join(lines) + rng.choice(["", "\n"])
            data = text.encode() + rng.choice([b"", b"", b"", b"\0needle\n", b"\xff needle"])
            (root / folder / f"{rng.choice('xyz')}{number}.{rng.choice('ch')}").write_bytes(data)
    (root / "e" / ".ignore").write_text("*.h\n")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A tree in four shards with two copies of each shard. Short runs use a stand-in for Ray."""
    is_long = SCALE >= 20 and "ASAN_OPTIONS" not in os.environ
    patched = pytest.MonkeyPatch()
    if is_long:
        ray = pytest.importorskip("ray")
        pytest.importorskip("ray.serve")
    else:
        ray = ray_by_hand.install(patched, [{"CPU": 6.0}])
        patched.setattr(cluster, "EVERY_SECONDS", 0.05)
        patched.setattr(cluster, "FIRST_PAUSE", 0.001)

        def give_up(shard):
            for one in ray.actors:
                if one._made is shard:
                    ray.kill(one, no_restart=False)

        cluster.Shard.give_up = give_up  # for good: threads may call this after the tests
    if not os.access(PROGRAM, os.X_OK):
        pytest.skip("this build has no trawl-serve")
    import random

    folder = tmp_path_factory.mktemp("front")
    (folder / "home").symlink_to("/nowhere")
    root, token, program = folder / "served", folder / "token", folder / "serve"
    make_tree(random.Random(1), root)
    token.write_text("secret\n")
    program.write_text(f'#!/bin/sh\nHOME={folder}/home exec {PROGRAM} "$@"\n')
    program.chmod(0o755)
    bounds = ["a/x", "tree/f1", "tree/files/lines", "tree/tree0/c.h"]  # in the trees of tests/serve/test_served.py
    for name in bounds:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(bytes(1 << 16))
    patched.setenv("TRAWL_SERVE", str(program))
    for right in 1, 2:  # servers of root must not read what the tests make unreadable
        ctypes.CDLL(None).prctl(24, right, 0, 0, 0)  # PR_CAPBSET_DROP: CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    if is_long:
        ray.init("local", num_cpus=6, namespace="trawl", object_store_memory=200 << 20, log_to_driver=False)
    options = [f"--token-file={token}", "--search-zip"]
    actors = cluster.start(
        f"t={root}", options, shards=4, replicas=2, cpus=0.5, port=8733 if is_long else 0, timeout=120
    )
    if not is_long:
        global ADDRESS
        ADDRESS = "http://127.0.0.1:%d" % ray.serve.server.server_address[1]
    assert len(actors) == 4
    shutil.rmtree(root / "tree")
    (root / "a/x").unlink()
    yield root, actors, {**os.environ, "TRAWL_TOKEN_FILE": str(token), "LC_ALL": "C.UTF-8"}
    ray.shutdown()
    patched.undo()


def several(rng, choices, share=0.2):
    return [one for one in choices if rng.random() < share]


def answers(client, patterns, shared, own, lose):
    """Return what a client gets of each kind of answer. lose: called before each request."""
    lose()
    counted = client.count(patterns, **shared)
    lose()
    found = client.positions(patterns, **shared)
    lose()
    with warnings.catch_warnings(record=True):
        search = client.search(patterns, **shared, **own)
        lines = list(search)
    places = [(begin, found.names[file], pattern) for begin, file, pattern in found]
    return counted[:4], places, found.total, lines, search.binary, search.messages, search.truncated


def test_as_a_single_server(served, rng, monkeypatch):
    """Check that the cluster answers requests as a server of the whole tree does, even if actors are lost after some parts
    of an answer, and that the command prints the same with both."""
    monkeypatch.setattr(cluster, "READ_BYTES", 99)
    root, actors, environment = served
    names = sorted(str(one.relative_to(root)) for one in root.glob("*/*.?"))[:9] + "a a.d b b/c e z .".split()
    home, command = {"HOME": f"{root.parent}/home"}, PROGRAM.removesuffix("-serve")
    with contextlib.ExitStack() as stack:
        token = f"--token-file={root.parent}/token"
        stack.enter_context(pytest.MonkeyPatch.context()).setenv("HOME", home["HOME"])
        single = stack.enter_context(real(f"--listen=unix:{root.parent}/single", token, "--search-zip", f"t={root}"))
        clients = [stack.enter_context(trawl.Client(one, token="secret")) for one in (single, ADDRESS)]

        def lose():
            for one in itertools.chain(*actors):
                if hasattr(one, "_parts"):  # a stand-in (ray_by_hand.py), lost after this many parts of its answers
                    one._parts = rng.choice([None, None, None, 1, 2, 3, 7])

        for _ in range(amount(100)):
            patterns = rng.sample(WORDS, rng.randint(1, 3))
            paths = {"paths": rng.sample(names, rng.randint(1, 3))} if rng.random() < 0.5 else {}
            shared = dict.fromkeys(several(rng, ["ignore_case", "whole_words", "text"]), True) | paths
            shared |= {"glob": rng.choice(["*.c", "!*.h", "x*"])} if rng.random() < 0.2 else {}
            own = {name: rng.randint(1, 3) for name in several(rng, ["context", "max_count"])}
            own |= {"invert": True} if rng.random() < 0.2 else {}
            said = []
            for client, more in zip(clients, (lambda: None, lose)):
                options = shared | {"options": ["--sort=path"]}
                said.append(answers(client, patterns, options, own, more))
            assert said[0] == said[1], (patterns, shared, own)
            for most in (1, rng.randint(2, 9)):
                lines = [one for one in said[0][3] if not one.context][:most]
                cut = clients[1].search(patterns, **shared, **own, max_results=most)
                assert [one for one in cut if not one.context] == lines
                found = clients[1].positions(patterns, **shared, max_results=most)
                places = [(begin, found.names[file], pattern) for begin, file, pattern in found]
                assert (places, found.total) == (said[0][1][:most], said[0][2])
            flags = several(rng, "-n -i -v -w -a -b -m2 --json -A1 -C2 -z --include=x* -gnone -g!*.* -gz*".split())
            flags += several(rng, [rng.choice(["-c", "-l", "--files-without-match", "-o", "-q", "-h", "-H"])], 0.7)
            name = rng.choice(["trawl -r", "tg --no-ignore -F", "tg --no-ignore -F --no-messages"]).split()
            asked = [*name, "--sort=path", *flags, *(f"-e{one}" for one in patterns)]
            if rng.random() < 0.2:
                (root.parent / "list").write_text(f"{rng.choice(WORDS)}x\r\n")
                asked.append(f"-f{root.parent}/list")
            asked += paths.get("paths", []) + several(rng, ["none"], 0.1)
            lose()
            run = functools.partial(
                subprocess.run, executable=command, cwd=root, env=environment | home, capture_output=True
            )
            done = [run([*asked, *more]) for more in ([], [f"--server={ADDRESS}"])]
            # the servers do not tell whether rules left out all files that each has
            none = re.compile(rb"(?m)^\w+: no files were searched: .*\n")
            printed = [(one.returncode, TIMES.sub(b"", one.stdout), none.sub(b"", one.stderr)) for one in done]
            assert printed[0] == printed[1], (" ".join(asked), printed)


def test_the_command(served):
    """Check that the command prints the same bytes and messages, with the same status, with the cluster as server and
    without a server."""
    if SCALE < 20:
        pytest.skip("test_as_a_single_server has fewer command lines")
    root, _, environment = served
    program = pathlib.Path(__file__).parents[2] / "tests/serve/test_served.py"
    before = set(root.iterdir())
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rP", program],
        env={**environment, "TRAWL_BUILD": os.path.dirname(PROGRAM), "TRAWL_FRONT": f"{ADDRESS},{root.parent}"},
        capture_output=True, text=True,
    )  # fmt: skip
    for one in set(root.iterdir()) - before:
        shutil.rmtree(one)
    print(done.stdout, done.stderr)
    assert done.returncode == 0 and int(re.search(r"served: (\d+)", done.stdout)[1]) > 300


def test_the_clients_and_the_page(served):
    root, _, environment = served
    count = sum(path.is_file() for path in root.rglob("*"))
    with trawl.Client(ADDRESS, token="secret") as client:
        for _ in range(600):  # a server notices only after a while that test_the_command's files are gone
            (facts,) = client.collections()
            if facts["files"] == count:
                break
            time.sleep(0.1)
        assert (facts["name"], facts["files"]) == ("t", count) and not facts["loading"]
        with pytest.raises(trawl.ServerError) as refusal:
            client.count("x", options=["--engine=cuda"])
        assert refusal.value.status == 422
    with trawl.Client(ADDRESS, token="wrong") as client, pytest.raises(trawl.ServerError) as refusal:
        client.count("x")
    assert refusal.value.status == 401
    page = urllib.request.urlopen(ADDRESS)
    assert b"<!doctype html>" in page.read() and "default-src 'none'" in page.headers["Content-Security-Policy"]
    asked = urllib.request.Request(ADDRESS, headers={"Host": "foreign.example"})
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(asked)


def copies_of(client):
    return json.loads(client._server.ask("/v1/collections").all())["copies"]


def test_requests_that_cannot_be_read(served):
    """Check that the answer to a malformed request is an error in the form of the protocol."""
    for body in (b"", b"{", b"5", b"[]", b"null", b'"a"', b"{}", b'{"patterns":5}', b'{"patterns":["a"],"options":5}', b'{"options":[5]}',
                 b'{"patterns":["a"],"paths":"ab"}', b'{"patterns":["a"],"paths":5}', b'{"patterns":["a"],"paths":[5]}', b'{"patterns":["a"],"directory":5}', b"\xff",
                 b'{"patterns":["a"],"max_results":"x","format":"columns"}', b'{"patterns":["a"],"options":{"a":1}}'):  # fmt: skip
        for target in ("/v1/count", "/v1/search", "/v1/none", "/none"):
            headers = {"Authorization": "Bearer secret", "Content-Type": "application/json"}
            asked = urllib.request.Request(ADDRESS + target, headers=headers, data=body)
            with pytest.raises(urllib.error.HTTPError) as refusal:
                urllib.request.urlopen(asked)
            said = json.loads(refusal.value.read())["error"]
            assert said["status"] == refusal.value.code < 500 and said["message"], (body, target)


def lose(actor, how):
    """End an actor, remove its server's socket or replace it with a server that answers nonsense, or signal its
    server."""
    import ray

    if how == "actor":
        return ray.kill(actor, no_restart=False)
    pid = ray.get(actor.server.remote())
    if isinstance(how, signal.Signals):
        return os.kill(pid, how)
    path = re.search("--listen=unix:([^\0]*)", pathlib.Path(f"/proc/{pid}/cmdline").read_text())[1]
    os.unlink(path)
    if how == "nonsense":
        fake = Fake(os.path.dirname(path), *[plain(b"{}", b"500 Nonsense")] * 9999)
        os.rename(fake.address.removeprefix("unix:"), path)


LOSSES = ["actor", "socket", "nonsense", signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP]


def test_copies_answer_for_lost_actors(served):
    """Check that no request fails while actors, servers and sockets are lost and servers are silent, and that each copy
    recovers."""
    import random

    root, actors, environment = served
    draw, faults, answers, ended = random.Random(7), [], [], threading.Event()
    with trawl.Client(ADDRESS, token="secret") as client:
        expected = client.count("needle").occurrences
        positions = len(client.positions("needle"))

        def ask():
            while not ended.is_set():
                try:
                    answers.append((client.count("needle").occurrences, len(client.positions("needle"))))
                except Exception as fault:
                    faults.append(fault)

        threads = [threading.Thread(target=ask) for _ in range(3 if SCALE >= 20 else 1)]
        for thread in threads:
            thread.start()
        for how in LOSSES * (amount(20) // 100 or 1):
            while copies_of(client)["ready"] < 2 * len(actors) and not faults:  # until the last one is ready again
                time.sleep(0.05)
            before = len(answers)
            lose(draw.choice(draw.choice(actors)), how)
            while len(answers) < before + 10 and not faults:
                time.sleep(0.05)
        ended.set()
        for thread in threads:
            thread.join()
    assert faults == [] and set(answers) == {(expected, positions)}


def test_a_search_that_is_left(served):
    """Check that the shards end a search when its client disconnects."""
    root, actors, environment = served
    with trawl.Client(ADDRESS, token="secret") as client:
        search = client.search(["needle", "x", "a"], text=True)
        next(search)
        search.close()
    asked = urllib.request.Request(f"{ADDRESS}/metrics", headers={"Authorization": "Bearer secret"})
    for _ in range(50):
        said = urllib.request.urlopen(asked).read().decode()
        running = re.search(r"^trawl_running (\d+)", said, re.M)[1]
        if running == "0":
            break
        time.sleep(0.2)
    assert running == "0"
