"""Tests collections in a Ray cluster: each shard's answers, which files a shard gets, and answers after an actor or a
node is lost."""

import itertools
import os
import subprocess
import sys
import threading
import types
from functools import partial

import pytest
import ray_by_hand
import trawl
import trawl.ray
from conftest import SCALE, amount, naive
from trawl import _shards


def test_files_are_dealt_out_by_size_and_in_order():
    assert _shards.deal([], 3) == [0, 0]
    assert _shards.deal([5], 3) == [0, 1]
    assert _shards.deal([9] * 8, 4) == [0, 2, 4, 6, 8]
    assert _shards.deal([0, 0, 0], 8) == [0, 1, 2, 3]
    # A file that is much larger than all other files gets a shard for itself.
    assert _shards.deal([5, 10 << 30], 2) == [0, 1, 2]
    assert _shards.deal([1, 1, 1000, 1, 1], 3) == [0, 2, 3, 5]
    for sizes, shards in (([1, 1, 1000, 1, 1], 3), (list(range(100)), 7), ([10**12, 0, 0], 2)):
        cuts = _shards.deal(sizes, shards)
        assert cuts == sorted(cuts) and cuts[0] == 0 and cuts[-1] == len(sizes)
        assert len(cuts) == shards + 1


def test_which_files(tmp_path):
    (tmp_path / "b/c").mkdir(parents=True)
    for name in "hcgdfaeb":
        (tmp_path / "d" / name).mkdir(parents=True)
        (tmp_path / "d" / name / "x").touch()
    assert list(_shards.found_below([tmp_path / "d"])) == [f"{tmp_path}/d/{name}/x" for name in "abcdefgh"]
    for name in ("b/z", "b/c/y", "a", b"b/\xff"):
        (tmp_path / os.fsdecode(name)).write_text("text")
    (tmp_path / "b/link").symlink_to(tmp_path / "a")
    os.mkfifo(tmp_path / "b/pipe")
    found = list(_shards.found_below([tmp_path / "b", str(tmp_path / "a")]))
    assert found == [f"{tmp_path}/{name}" for name in ("b/z", "b/\udcff", "b/c/y", "a")]
    with pytest.raises(FileNotFoundError):
        list(_shards.files_of([tmp_path / "none"]))


def texts_of(rng):
    """Return {name: bytes}. Some texts are empty, some end in a line end; a pattern would occur across many boundaries of
    texts."""
    texts = ["ab", "", "ab\n", "\n", "", "abab\nab cab"]
    texts += ["".join(rng.choice("abc \n") for _ in range(rng.randrange(60))) for _ in range(40)]
    return {f"{i:03}": text.encode() for i, text in enumerate(texts)}


def one_mismatch(patterns, text):
    return [
        (begin, begin + len(pattern), index)
        for begin in range(len(text))
        for index, pattern in enumerate(patterns)
        if begin + len(pattern) <= len(text) and sum(a != b for a, b in zip(pattern, text[begin:])) <= 1
    ]


CASES = [
    ([b"ab", b"b", b"abab"], {}, naive),
    ([b"no such"], {}, naive),
    ([b"\n", b"b\na"], {}, naive),
    ([b"ab", b"c"], {"whole_words": True}, partial(naive, whole_words=True)),
    ([b"ab", b"c"], {"whole_lines": True}, partial(naive, whole_lines=True)),
    ([b"abc", b"cab"], {"mismatches": 1}, one_mismatch),
    ([b"b[^x]a", b"b$"], {"regex": True}, lambda patterns, text: list(trawl.Plan(patterns, regex=True).matches(text))),
]


def check(collection, texts, patterns, options, oracle):
    """Compare all answers of a collection with those of the oracle on each text."""
    plan = trawl.Plan(patterns, **options)
    expected = [(file, *one) for file, text in enumerate(texts.values()) for one in oracle(patterns, text)]
    names = list(texts)
    assert collection.count(plan) == len(expected)
    counts = [sum(one[3] == index for one in expected) for index in range(len(patterns))]
    assert list(collection.count_by_pattern(plan)) == counts
    begins = [(begin, file, index) for file, begin, _, index in expected]
    if isinstance(collection, _shards.Shard):
        assert list(zip(*(column.tolist() for column in collection.positions(plan)))) == begins
        files, first = collection.files(plan).tolist(), expected[0] if expected else None
    else:
        found = collection.positions(plan)
        assert list(found) == begins and found.names == names and found.total == len(begins)
        files = [names.index(name) for name in collection.files(plan)]
        first = (names[expected[0][0]], *expected[0][1:]) if expected else None
    assert files == sorted({one[0] for one in expected})
    assert collection.first(plan) == first


@pytest.mark.parametrize("case", CASES)
def test_a_shard(case, rng):
    pytest.importorskip("pyarrow")
    for texts in (texts_of(rng), {}, {"a": b""}):
        check(_shards.Shard(list(_shards.files_of(texts)), 2, "cpu"), texts, *case)


def lines_by_hand(texts, patterns, before, after):
    found = []
    for name, text in texts.items():
        lines = text.removesuffix(b"\n").split(b"\n") if text else []
        begins = list(itertools.accumulate((len(line) + 1 for line in lines), initial=0))
        hits = {i for i, line in enumerate(lines) if any(one in line for one in patterns)}
        shown = {j for i in hits for j in range(max(0, i - before), min(len(lines), i + after + 1))}
        found += [(name, i + 1, begins[i], lines[i], i not in hits) for i in sorted(shown)]
    return found


def test_a_file_that_changed(tmp_path):
    pytest.importorskip("numpy")
    path = tmp_path / "file"
    path.write_bytes(b"before")
    size, changed = path.stat().st_size, path.stat().st_mtime_ns
    file = _shards.File(str(path), size, changed, None)
    assert _shards.Shard([file], 1, "cpu").count(trawl.Plan("e")) == 2
    for other in (b"befor", b"before it", b"after!"):
        path.write_bytes(other)
        os.utime(path, ns=(0, changed if len(other) != size else changed + 1))
        with pytest.raises(trawl.ReadError, match="file: the file changed since"):
            _shards.Shard([file], 1, "cpu")


@pytest.fixture(scope="module")
def cluster():
    """Yield a cluster of eight nodes, each with room for two actors, and the nodes; None without Ray."""
    if SCALE < 20 or "ASAN_OPTIONS" in os.environ:
        yield None  # Ray is tested in long runs only
        return
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "memory": 1 << 30})
    nodes = [cluster.add_node(num_cpus=2, memory=2 << 30) for _ in range(8)]
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster, nodes
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def by_hand(monkeypatch):
    """Replace Ray with a stand-in, even in long runs: real actors would take seconds for each case."""
    pytest.importorskip("pyarrow")
    room = [{"CPU": 0.0}, *[{"CPU": 2.0, "memory": 400 << 20}] * 8]
    ray = ray_by_hand.install(monkeypatch, room)
    lose = types.SimpleNamespace(remove_node=lambda i, **_: ray.kill(shards_of(ray)[i], no_restart=False))
    return lose, list(range(8))


def shards_of(ray):
    return [one for one in ray.actors if one._kind is _shards.Shard]


@pytest.fixture
def nodes(cluster, request):
    """Return the cluster, or a stand-in without Ray."""
    return request.getfixturevalue("by_hand") if cluster is None else cluster


def test_eight_nodes(nodes, rng, tmp_path):
    """Check that a cluster returns the answers of a single process, in the same order, even if an actor or a node is
    lost."""
    import ray

    texts = texts_of(rng)
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text)
    texts = {f"{tmp_path}/{name}": text for name, text in texts.items()}
    with trawl.ray.Collection([tmp_path], 8, timeout=300) as collection:
        assert len(collection.shards) == 8
        for case in CASES:
            check(collection, texts, *case)
        plan = trawl.Plan(["ab", "b"])
        expected = sum(len(naive([b"ab", b"b"], text)) for text in texts.values())
        counts = []
        asking = [threading.Thread(target=lambda: counts.append(collection.count(plan))) for _ in range(8)]
        for thread in asking:
            thread.start()
        ray.kill(collection.shards[3], no_restart=False)
        for thread in asking:
            thread.join()
        assert counts == [expected] * 8
        nodes[0].remove_node(nodes[1].pop(), allow_graceful=False)
        check(collection, texts, *CASES[0])
        (tmp_path / "000").write_bytes(b"another")
        ray.kill(collection.shards[0], no_restart=False)
        with pytest.raises(trawl.Error, match="000: the file changed since"):
            collection.count(plan)
        missing = []
        first = len(collection.held[0].files)
        rest = sum(len(naive([b"ab", b"b"], text)) for text in list(texts.values())[first:])
        assert collection.count(plan, missing=missing) == rest
        assert missing == [(0, f"{tmp_path}/000", list(texts)[first - 1])]
        texts[f"{tmp_path}/000"], texts[f"{tmp_path}/new"] = b"another", b"ab\nc\n"
        (tmp_path / "new").write_bytes(b"ab\nc\n")
        assert collection.refresh() == [f"{tmp_path}/000", f"{tmp_path}/new"]
        order = {name: texts[name] for name in collection.names}
        assert sorted(order) == sorted(texts)
        check(collection, order, *CASES[0])


def test_named_and_copied(nodes, rng, tmp_path, monkeypatch):
    """Check that a collection outlives the process that made it, and that a copy of a shard answers for a lost one."""
    import ray

    (tmp_path / "large").write_bytes(b"".join(b"%d ab\n" % i for i in range(5000)))
    (tmp_path / "small").write_bytes(b"x\nab b\ny\nz")
    made = "trawl.ray.Collection([sys.argv[1]], 3, name='corpus', replicas=2)"
    if hasattr(nodes[0], "address"):
        made = f"import sys, ray, trawl, trawl.ray; ray.init({nodes[0].address!r}); {made}"
        subprocess.run([sys.executable, "-c", made, tmp_path], check=True)
    else:
        trawl.ray.Collection([tmp_path], 3, name="corpus", replicas=2)
    with trawl.ray.Collection.open("corpus", timeout=120) as collection:
        assert len(collection.held) == 2 and len(collection.names) == 2
        assert collection.timeout == 120
        texts = {name: open(name, "rb").read() for name in collection.names}
        check(collection, texts, [b"ab", b"b"], {}, naive)
        for one in collection.held:
            ray.kill(one.actors[0], no_restart=False)
            check(collection, texts, [b"ab", b"4"], {}, naive)
            check(collection, texts, [b"4999 ab"], {}, naive)
        for before, after in ((0, 0), (2, 1)):
            for patterns in ([b"99 a"], [b"b b", b"x"]):
                found = list(map(tuple, collection.lines(trawl.Plan(patterns), before=before, after=after)))
                assert found == lines_by_hand(texts, patterns, before, after)
        (other := tmp_path.with_name("other")).mkdir(exist_ok=True)
        for name in ("a", "file"):
            (other / name).write_bytes(b"ab")
        monkeypatch.chdir(other)
        collection.add(["."])
        assert collection.names[-1] == f"{other}/file" and len(collection.held) == 3
        (other / "file").write_bytes(b"abab")
        assert collection.refresh() == [f"{other}/file"] and len(collection.held) == 3
        collection.add({"more": "ab\nab"})
        assert collection.files(trawl.Plan("ab"))[-1] == "more" and collection.refresh() == []
    with pytest.raises(ValueError):
        trawl.ray.Collection.open("corpus")


def change(rng, folder, names):
    """Change some files: other bytes of the same or another size, a file that appears or disappears, or only a search of
    the same file. Return the names of the files that changed."""
    changed = set()
    for name in rng.sample(names, rng.randint(0, 2)):
        path, what = folder / name, rng.randrange(5)
        before = path.read_bytes() if path.exists() else b""
        if what == 0 and path.exists():
            path.unlink()
            changed ^= {str(path)}
            continue
        text = bytes(rng.choice(b"ab\n") for _ in range(len(before) if what < 3 else rng.randrange(80)))
        stat = path.stat() if path.exists() else None
        path.write_bytes(text)
        os.utime(path, ns=(0, (stat.st_mtime_ns if stat else 0) + (what != 3 or len(text) == len(before))))
        changed.add(str(path))
    return changed


def test_refresh(by_hand, rng, tmp_path):
    """Check that refresh() names what changed, that each answer is that of the present files, and that loaded
    texts stay."""
    import ray

    names = ["a", "b/c", "b/d", "b.c", "z"]
    (tmp_path / "b").mkdir()
    for _ in range(amount(64)):
        for name in names:
            (tmp_path / name).write_bytes(bytes(rng.choice(b"ab\n") for _ in range(rng.randrange(80))))
        with trawl.ray.Collection([tmp_path], rng.randint(1, 8), replicas=rng.randint(1, 2)) as collection:
            texts = {"text": b"ab\nb"} if rng.random() < 0.5 else {}
            if texts:
                collection.add(texts)
            for _ in range(4):
                before, held = collection.names, [one.actors for one in collection.held]
                changed = change(rng, tmp_path, names)
                assert collection.refresh() == sorted(changed)
                assert changed or [one.actors for one in collection.held] == held
                now = {str(path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} | texts
                assert sorted(collection.names) == sorted(now)
                if len(changed) < 2 and set(before) == set(now):
                    assert collection.names == before
                now = {name: now[name] for name in collection.names}
                check(collection, now, [b"ab", b"b"], {}, naive)
                around = {"before": rng.randrange(3), "after": rng.randrange(3)}
                found = list(map(tuple, collection.lines(trawl.Plan("ab"), **around)))
                assert found == lines_by_hand(now, [b"ab"], **around)
                alive = [one for one in shards_of(ray) if not one._dead]
                assert set(alive) == {actor for one in collection.held for actor in one.actors} and len(alive) > 0
        assert all(one._dead for one in ray.actors)


def test_copies(by_hand):
    """Check that a replica answers for one that is lost, and how many shards there are by default."""
    import ray

    texts = {str(i): "ab" for i in range(20)}
    with trawl.ray.Collection(texts, replicas=2) as collection:
        assert len(collection.held) == 4
        for _ in range(4):
            assert collection.count(trawl.Plan("ab")) == 20
        for one in collection.held:
            ray.kill(one.actors[1])
        for _ in range(9):
            assert collection.count(trawl.Plan("ab")) == 20
        ray.kill(collection.held[0].actors[0])
        with pytest.raises(trawl.Error, match="lost too often"):
            collection.count(trawl.Plan("ab"))
    with trawl.ray.Collection(texts) as collection:
        assert len(collection.held) == 8


def test_all_copies_are_lost(by_hand, rng):
    import ray

    for _ in range(amount(60)):
        texts = {str(i): bytes(rng.choice(b"ab\n\n") for _ in range(rng.randrange(200))) for i in range(3)}
        with trawl.ray.Collection(texts, rng.randint(1, 6), replicas=rng.randint(1, 2)) as collection:
            for patterns in ([b"ab"], [b"b"]):
                check(collection, texts, patterns, {}, naive)
                around = rng.randrange(3), rng.randrange(3)
                for actor in (actor for one in collection.held for actor in one.actors):
                    if rng.random() < 0.6:
                        ray.kill(actor, no_restart=False)
                found = collection.lines(trawl.Plan(patterns), before=around[0], after=around[1])
                assert list(map(tuple, found)) == lines_by_hand(texts, patterns, *around)


def test_what_comes_too_late(nodes):
    with trawl.ray.Collection({"a": "text"}, 1) as collection:
        collection.timeout = 0
        with pytest.raises(TimeoutError, match=r"shards \[0\] of 1 did not answer in 0 s"):
            collection.count(trawl.Plan("a"))
