"""Tests collections in a Ray cluster: each shard's answers, which files a shard gets, and answers after an actor or a
node is lost."""

import itertools
import os
import subprocess
import sys
import threading
import time
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
        trawl.ray.Collection([tmp_path / "none"])


def test_actors_that_do_not_fit(monkeypatch):
    """Check that a request for actors that Ray could never start is rejected, unless the cluster starts nodes by itself,
    and that a core is left for reading: Ray would wait for such actors forever."""
    nodes = [{"CPU": 1.0}, {"CPU": 2.0}, {"CPU": 2.0}, {"CPU": 2.0, "GPU": 4.0}]
    ray = ray_by_hand.install(monkeypatch, nodes)
    assert [node["actors"] for node in _shards.nodes_for(7, 1, 0)] == [1, 2, 2, 2]
    assert [node["actors"] for node in _shards.nodes_for(4, 0, 1)] == [4]
    kinds = "1 with 1 cores and 0 GPUs, 2 with 2 cores and 0 GPUs, 1 with 2 cores and 4 GPUs"
    for actors, cpus, gpus in ((8, 1, 0), (1, 4, 0), (5, 0, 1), (3, 1, 1)):
        asked = f"{actors} actors with {cpus} cores and {gpus} GPUs each"
        with pytest.raises(ValueError, match=f"{asked}: the nodes are {kinds}"):
            _shards.nodes_for(actors, cpus, gpus)
    ray._private.state.state = types.SimpleNamespace(get_max_resources_from_cluster_config=lambda: {"CPU": 64})
    assert _shards.nodes_for(1, 4, 0) == []
    for actors, cpus, cores, claim in (
        (1, 1, [1], 0), (1, 1, [2], 0.124), (2, 1, [2], 0.062), (2, 2, [2, 2], 0.124), (4, 1, [1] * 4, 0),
        (1, 1, [16], 0.999), (16, 1, [16], 0.061), (100, 8, [64] * 16, 0.999), (1, 1, [1] * 9, 0.999), (1, 4, [], 0),
        # nodes of different sizes, of equal size, and a node with so few cores that the claim is the lowest above 0
        (1, 1, [2, 3], 0.249), (2, 2, [8, 8], 0.499), (3, 1, [1.5], 0.015),
    ):  # fmt: skip
        assert trawl.ray.claim_of(actors, cpus, cores) == pytest.approx(claim, abs=0.002)


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


@pytest.mark.parametrize("listed", [_shards.LISTED_MAX, 0])
@pytest.mark.parametrize("case", CASES)
def test_a_shard(case, listed, rng, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_shards, "LISTED_MAX", listed)
    for texts in (texts_of(rng), {}, {"a": b""}):
        check(_shards.Shard(list(_shards.files_of(texts)), 2, "cpu"), texts, *case)


def test_files_are_cut_at_line_ends(rng, tmp_path):
    pytest.importorskip("numpy")
    for number in range(amount(50)):
        text = "".join(rng.choice("ab\n") for _ in range(rng.randrange(60))).encode()
        if number < 2:  # a line that is too long for one read
            text += b"a" * (5 << 19) + b"\nb" * (1 - number)
        (tmp_path / "file").write_bytes(text)
        for sources in ({"file": text}, [tmp_path / "file"]):
            (file,) = _shards.files_of(sources)
            most = rng.randrange(1, 40)
            parts = list(_shards.cut(file, most))
            pieces = [text[part.begin : part.begin + part.size] for part in parts]
            assert b"".join(pieces) == text and all(piece.endswith(b"\n") for piece in pieces[:-1])
            assert all(len(piece) > most and b"\n" not in piece[most:-1] for piece in pieces[:-1])
            shard = _shards.Shard(parts, 1, "cpu")
            assert [bytes(shard.part(i)) for i in range(len(parts))] == pieces


def test_which_plans_stay_in_lines(rng):
    """Check, for plans of each kind, that stays_in_lines says whether cuts at line ends leave the counts unchanged. It
    may also say no for a pattern with a line end that such cuts would not affect."""
    searcher, texts = trawl.Searcher(threads=1), [b"ab\nab", b"a\nb", b"a\n\nb", b"\n"]
    texts += [bytes(rng.choice(b"ab\n\n") for _ in range(30)) for _ in range(30)]
    for patterns in ([b"ab"], [b"ab", b"b\na"]):
        for options in (
            {}, {"whole_words": True}, {"whole_lines": True}, {"whole_lines": True, "line_end": b"\0"}, {"mismatches": 1},
            {"mismatches": 1, "within_lines": True}, {"edits": 1}, {"edits": 1, "within_lines": True},
        ):  # fmt: skip
            plan = trawl.Plan(patterns, **options)
            parts = [[line + b"\n" for line in text.split(b"\n")[:-1]] + [text.split(b"\n")[-1]] for text in texts]
            counts = [sum(searcher.count(plan, part) for part in some) for some in parts]
            differs = counts != [searcher.count(plan, text) for text in texts]
            stays = _shards.stays_in_lines(plan)
            assert not (stays and differs) and (stays or differs or len(patterns) > 1), (patterns, options)


def lines_by_hand(texts, patterns, before, after):
    found = []
    for name, text in texts.items():
        lines = text.removesuffix(b"\n").split(b"\n") if text else []
        begins = list(itertools.accumulate((len(line) + 1 for line in lines), initial=0))
        hits = {i for i, line in enumerate(lines) if any(one in line for one in patterns)}
        shown = {j for i in hits for j in range(max(0, i - before), min(len(lines), i + after + 1))}
        found += [(name, i + 1, begins[i], lines[i], i not in hits) for i in sorted(shown)]
    return found


def test_counts_that_share_a_search(monkeypatch):
    """Check that requests which wait at the same time share a search if their options are equal, and that each gets its
    own counts."""
    pytest.importorskip("numpy")
    shard = _shards.Shard(list(_shards.files_of({"a": "ab AB abab \u00e9ab"})), 1, "cpu")
    many = [f"ab{i}" for i in range(_shards.SHARED_MAX)]
    asks = [(["ab"], {}), (["b", *many], {}), (["ab"], {"ignore_case": True}), (["ab", "ab"], {}), (["b", "ab"], {}), (["ab"], {"whole_words": True}),
            (["ab", "b"], {"whole_words": "ascii"}), (["ab"], {"whole_words": True, "ignore_case": True})]  # fmt: skip
    plans = [trawl.Plan(patterns, **options) for patterns, options in asks]
    counts, searches, original = {}, [], shard.count_for

    def count_for(some):
        searches.append(len(some))
        if len(searches) == 1:  # all further requests come during the first search
            for thread in threads[1:]:
                thread.start()
            while len(shard.waiting) < len(threads) - 1:
                time.sleep(0.01)
        original(some)

    monkeypatch.setattr(shard, "count_for", count_for)
    threads = [
        threading.Thread(target=lambda i=i, one=one: counts.update({i: shard.count_by_pattern(one).tolist()}))
        for i, one in enumerate(plans)
    ]
    threads += [threading.Thread(target=lambda i=i: counts.update({-i: shard.count(plans[i])})) for i in (1, 4)]
    threads[0].start()
    for thread in threads:
        thread.join()
    assert counts == {
        0: [4],
        4: [4, 4],
        2: [5],
        3: [4, 4],
        1: [4] + [0] * 1000,
        5: [1],
        6: [2, 0],
        7: [2],
        -4: 8,
        -1: 4,
    }
    assert sorted(searches) == [1, 1, 1, 1, 1, 2, 3]
    assert shard.count(plans[4]) == 8 and shard.count(plans[2]) == 5 and searches[-2:] == [1, 1]
    assert shard.count(trawl.Plan(b"a+b", regex=True)) == 4 and len(searches) == 9  # an expression shares no search


def test_counts_for_several(rng):
    """Check the counts of requests that share a search: requests for the sum and by pattern, of equal and of other plans."""
    pytest.importorskip("numpy")
    text = "ab AB abab cab"
    shard = _shards.Shard(list(_shards.files_of({"a": text})), 1, "cpu")
    plans = [trawl.Plan(patterns) for patterns in (["ab"], ["b", "ab"], ["c", "a", "c"])]
    for _ in range(amount(200)):
        asks = [_shards.Waiting(rng.choice(plans), rng.random() < 0.7) for _ in range(rng.randint(1, 3))]
        shard.count_for(asks)
        for ask in asks:
            expected = ask.plan.count_by_pattern(text).tolist()
            assert sum(ask.counts) == sum(expected) and (ask.in_all or list(ask.counts) == expected)
    shard.searcher = types.SimpleNamespace(count=lambda plan, text: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        shard.count(plans[0])


def test_a_file_that_changed(tmp_path):
    pytest.importorskip("numpy")
    path = tmp_path / "file"
    path.write_bytes(b"before")
    size, changed = path.stat().st_size, path.stat().st_mtime_ns
    file = _shards.File(str(path), 0, size, size, changed, None)
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
    lose = types.SimpleNamespace(remove_node=lambda i, **_: ray.kill(ray.actors[i], no_restart=False))
    return lose, list(range(8))


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
        assert [one["copies"][0] is None for one in collection.status()] == [True] + [False] * 7
        texts[f"{tmp_path}/000"], texts[f"{tmp_path}/new"] = b"another", b"ab\nc\n"
        (tmp_path / "new").write_bytes(b"ab\nc\n")
        assert collection.refresh() == [f"{tmp_path}/000", f"{tmp_path}/new"]
        order = {name: texts[name] for name in collection.names}
        assert sorted(order) == sorted(texts)
        check(collection, order, *CASES[0])


def test_named_and_cut_and_copied(nodes, rng, tmp_path, monkeypatch):
    """Check that a collection outlives the process that made it, that large files are split, and that a copy of a shard
    answers for a lost one."""
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
        assert len(collection.held) == 3 and len(collection.names) == 2 and collection.is_cut
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
        with pytest.raises(trawl.UnsupportedError, match="could cross"):
            collection.count(trawl.Plan("b\n"))
        (other := tmp_path.with_name("other")).mkdir(exist_ok=True)
        for name in ("a", "file"):
            (other / name).write_bytes(b"ab")
        monkeypatch.chdir(other)
        collection.add(["."])
        assert collection.names[-1] == f"{other}/file" and len(collection.held) == 4
        (other / "file").write_bytes(b"abab")
        assert collection.refresh() == [f"{other}/file"] and len(collection.held) == 4
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


def test_refresh(by_hand, rng, tmp_path, monkeypatch):
    """Check that refresh() names what changed, that each answer is that of the present files, and that loaded
    texts stay."""
    import ray

    # with this size an actor claims little memory, so the old and the new copies fit at the same time
    monkeypatch.setattr(_shards, "ACTOR_BYTES", 1 << 20)
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
                if collection.is_cut:
                    around = {"before": 0, "after": 0}
                found = list(map(tuple, collection.lines(trawl.Plan("ab"), **around)))
                assert found == lines_by_hand(now, [b"ab"], **around)
                alive = [one for one in ray.actors if not one._dead]
                assert set(alive) == {actor for one in collection.held for actor in one.actors} and len(alive) > 0
        assert all(one._dead for one in ray.actors)


def test_copies(by_hand, monkeypatch):
    """Check that requests go to all copies of a shard in turn, that a copy answers for one that is lost forever, and how
    many shards there are by default."""
    import ray

    texts = {str(i): "ab" for i in range(20)}
    with trawl.ray.Collection(texts, replicas=2) as collection:
        assert len(collection.held) == 4
        for _ in range(4):
            assert collection.count(trawl.Plan("ab")) == 20
        assert [[copy["asks"] for copy in one["copies"]] for one in collection.status()] == [[2, 2]] * 4
        for one in collection.held:
            ray.kill(one.actors[1])
        tried = []
        monkeypatch.setattr(
            _shards.Collection,
            "_lose",
            lambda self, *copy, own=_shards.Collection._lose: (tried.append(copy), own(self, *copy)),
        )
        for _ in range(9):
            assert collection.count(trawl.Plan("ab")) == 20
        assert sorted(set(tried)) == [(i, 1) for i in range(4)]  # only the killed copies count as lost
        assert [one.actors[0]._made.facts["asks"] for one in collection.held] == [11] * 4
        ray.kill(collection.held[0].actors[0])
        with pytest.raises(trawl.Error, match="lost too often"):
            collection.count(trawl.Plan("ab"))
    with trawl.ray.Collection(texts) as collection:
        assert len(collection.held) == 8
    with pytest.raises(trawl.OutOfMemoryError, match="7 shards need .* and the nodes have"):
        trawl.ray.Collection(texts, 7, replicas=2)


def test_an_actor_is_lost_within_an_answer(by_hand, rng, monkeypatch):
    """Check lines of texts that are cut, even if actors are lost after some parts of an answer."""
    monkeypatch.setattr(_shards, "LINES_SENT", 2)
    for _ in range(amount(60)):
        texts = {str(i): bytes(rng.choice(b"ab\n\n") for _ in range(rng.randrange(200))) for i in range(3)}
        with trawl.ray.Collection(texts, rng.randint(1, 6), replicas=rng.randint(1, 2)) as collection:
            for patterns in ([b"ab"], [b"b"]):
                check(collection, texts, patterns, {}, naive)
                around = (0, 0) if collection.is_cut else (rng.randrange(3), rng.randrange(3))
                for actor in (actor for one in collection.held for actor in one.actors):
                    actor._parts = rng.choice([None, 0, 1, 3])
                found = collection.lines(trawl.Plan(patterns), before=around[0], after=around[1])
                assert list(map(tuple, found)) == lines_by_hand(texts, patterns, *around)


def test_too_large_a_shard(nodes, tmp_path):
    with (tmp_path / "large").open("wb") as file:
        file.truncate(200 << 20 if not hasattr(nodes[0], "address") else 10 << 30)  # without a line end
    with pytest.raises(trawl.OutOfMemoryError, match="shard 1 of 2 needs .* no node has more than"):
        (tmp_path / "a").write_bytes(b"small")
        trawl.ray.Collection([tmp_path / "a", tmp_path / "large"], 2)


def test_what_no_node_has_and_what_comes_too_late(nodes):
    with pytest.raises(ValueError, match="1 actors with 64 cores and 0 GPUs each: the nodes are .*1 with 0 cores"):
        trawl.ray.Collection({"a": "text"}, 1, cpus=64)
    with trawl.ray.Collection({"a": "text"}, 1) as collection:
        collection.timeout = 0
        with pytest.raises(TimeoutError, match=r"shards \[0\] of 1 did not answer in 0 s"):
            collection.count(trawl.Plan("a"))
