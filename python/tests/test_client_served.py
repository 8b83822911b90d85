"""Compares the answers of a real server to clients with a search of the tree in plain Python."""

import os
import re
import shutil
import ssl
import subprocess
import threading

import pytest
import trawl
from conftest import amount, naive
from serving import real

FILES = {
    b"a.c": b"needle in a\nhay\n\nNeedle needle needles\nno end: needle",
    b"empty.c": b"",
    b"sub/b.py": "n\u00e9edle\ncaf\u00e9 NEEDLE\n".encode() * 40,
    b"sub/\xff name.c": b"\xff\xfe needle\n\xffneedle\xff\n",
    b"sub/deep/long.txt": b"x" * 70_000 + b" needle " + b"y" * 70_000 + b"\nhay needle\n",
    b"zz.py": b"hay\nneedle\nhay\nhay\nneedle\n",
}
PATTERNS = [b"needle", b"e", b"\xff", "\u00e9".encode(), b"no such string"]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    root = os.fsencode(tmp_path_factory.mktemp("served") / "tree")
    for name, content in FILES.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        with open(os.path.join(root, name), "wb") as file:
            file.write(content)
    return os.fsdecode(root)


@pytest.fixture(scope="module")
def address(tree):
    with real(f"--listen=unix:{tree}.socket", tree) as address:
        yield address


def lines_by_hand(patterns, files=FILES, fold=bytes, wanted=True):
    """Return (path, line number, offset, line) of each line with a pattern (or without one, if not `wanted`)."""
    found = []
    for name, content in files.items():
        offset = 0
        for number, line in enumerate(content.splitlines(keepends=True), 1):
            if any(pattern in fold(line) for pattern in patterns) == wanted:
                found.append((os.fsdecode(name), number, offset, line))
            offset += len(line)
    return sorted(found)


def positions_by_hand(patterns, files=FILES):
    """Return (path, begin, pattern) of each occurrence, sorted. If patterns are equal, only the first is reported."""
    return sorted(
        (os.fsdecode(name), begin, patterns.index(pattern))
        for name, content in files.items()
        for pattern in set(patterns)
        for begin, _, _ in naive([pattern], content)
    )


def lines_of(matches):
    return sorted(match[:4] for match in matches)


def test_lines(address):
    with trawl.Client(address) as client:
        assert sorted(client.files()) == sorted(map(os.fsdecode, FILES))
        (about,) = client.collections()
        assert about["files"] == len(FILES) and about["name"] == "tree"
        for pattern in PATTERNS:
            assert lines_of(client.search(pattern)) == lines_by_hand([pattern])
        assert lines_of(client.search(PATTERNS)) == lines_by_hand(PATTERNS)
        assert lines_of(client.search("needle", invert=True)) == lines_by_hand([b"needle"], wanted=False)
        assert lines_of(client.search(b"nEEdle", ignore_case=True)) == lines_by_hand([b"needle"], fold=bytes.lower)
        some = {name: FILES[name] for name in FILES if name.endswith(b".c")}
        assert lines_of(client.search("needle", glob="*.c")) == lines_by_hand([b"needle"], some)
        assert lines_of(client.search("needle", type=["c"])) == lines_by_hand([b"needle"], some)
        found = list(client.search("n.*(e|x)d", regex=True, paths=["a.c"]))
        assert [(one.line_number, one.submatches[0][:2]) for one in found] == [(1, (0, 4)), (4, (7, 18)), (5, (0, 12))]
        counted = client.count(["[Nn]e+dle$", "^hay"], regex="extended")
        assert counted.patterns == (5, 5) and counted.occurrences == 10
        with pytest.raises(trawl.ServerError, match="missing"):
            client.count("a(b", regex=True)
        some = {b"zz.py": FILES[b"zz.py"]}
        assert lines_of(client.search("needle", paths=["zz.py"])) == lines_by_hand([b"needle"], some)
        for required in ([b"hay"], ["hay", "Needle"], ["\u00e9", "hay"], [b"\xff", b"\n"], ["no such string"]):
            some = {name: content for name, content in FILES.items()
                    if all((one.encode() if isinstance(one, str) else one) in content for one in required)}  # fmt: skip
            assert lines_of(client.search("needle", requires=required)) == lines_by_hand([b"needle"], some)
            assert client.count("e", requires=required).occurrences == sum(
                content.count(b"e") for content in some.values()
            )
        whole = [found for found in lines_by_hand([b"hay"]) if found[3] == b"hay\n"]
        assert lines_of(client.search("hay", whole_lines=True)) == whole
        assert len(list(client.search("needle", max_count=1))) == 4
        around = list(client.search("needle", paths=["zz.py"], context=1))
        assert [(one.line, one.context) for one in around] == [
            (b"hay\n", True), (b"needle\n", False), (b"hay\n", True), (b"hay\n", True), (b"needle\n", False)
        ]  # fmt: skip


def test_several_collections(tree):
    """Check that a request without a collection searches all, in name order."""
    files = {b"tree/" + name: content for name, content in FILES.items()}
    files |= {b"all/" + name[4:]: content for name, content in FILES.items() if name.startswith(b"sub/")}
    with real(f"--listen=unix:{tree}.several", tree, f"all={tree}/sub") as address, trawl.Client(address) as client:
        assert sorted(client.files()) == sorted(map(os.fsdecode, files))
        for patterns in (PATTERNS[:1], PATTERNS):
            lines = list(client.search(patterns))
            assert lines_of(lines) == lines_by_hand(patterns, files) and [one.path for one in lines] == sorted(
                one.path for one in lines
            )
            positions = client.positions(patterns)
            by_hand = positions_by_hand(patterns, files)
            assert [(positions.names[file], begin, pattern) for begin, file, pattern in positions] == by_hand
            counted = client.count(patterns, requires=["needle", "hay"])
            some = {name: content for name, content in files.items() if b"needle" in content and b"hay" in content}
            assert counted.occurrences == len(positions_by_hand(patterns, some)) and counted.files == len(some)
            for most in range(4):
                found = client.positions(patterns, max_results=most + 1)
                assert [(found.names[file], begin, pattern) for begin, file, pattern in found] == by_hand[: most + 1]


def test_submatches(address):
    with trawl.Client(address) as client:
        for match in client.search(["needle", "Needle"], whole_words=True):
            found = [m.span() for m in re.finditer(rb"\b[Nn]eedle\b", match.line)]
            assert [part[:2] for part in match.submatches] == found
            assert all(match.line[part.begin : part.end] == part.text for part in match.submatches)
        near = [part for match in client.search("neadle", mismatches=1, glob="zz.py") for part in match.submatches]
        assert [(part.text, part.distance) for part in near] == [(b"needle", 1)] * 2


PLAN_OPTIONS = {
    "ignore_case": [False, False, True, "ascii", "unicode"], "whole_words": [False, False, True, "ascii", "unicode"],
    "whole_lines": [False, False, True], "line_end": [b"\n"] * 6 + [b"\0", b"a"], "mismatches": [0, 0, 1, 2],
    "edits": [0, 0, 1, 2], "alphabet": [None, "bytes", "utf8", "dna"], "within_lines": [True, True, False],
    "exact": [(), (), [(0, 1)], [(1, 3)]], "every_end": [False, True], "reverse_complement": [False, True],
    "any_base": [False, True], "regex": [False, False, True, "extended"],
}  # fmt: skip
EXPRESSIONS = ["n.e", "^hay$", "[d-f]+l", "needle|hay", "\u00e9", "x{3}", "\\bN", "e*", b"\\xff"]
PIECES = ["ne", "edle", "needle", "hay", "ay\n", "N", "\u00e9e", "x", "GAT", "\0", "no", " s", b"\xff", b"\xff\xfe"]


def test_plans(rng, address):
    """Check that a client's answers to a plan are those of a search of the same files, or an error. Each option
    of the plan must reach the server."""
    said, answered = set(), 0
    with trawl.Client(address) as client:
        while answered < amount(80) or len(said) < 5:
            few = rng.sample(list(PLAN_OPTIONS), rng.randint(0, 4))
            options = {name: rng.choice(PLAN_OPTIONS[name]) for name in few}
            pieces = EXPRESSIONS if options.get("regex") else PIECES if rng.random() < 0.5 else PIECES[:-2]
            patterns = rng.sample(pieces, rng.randint(1, 3))
            try:
                plan = trawl.Plan(patterns, **options)
            except (TypeError, ValueError, trawl.Error):  # str and bytes are not mixed
                continue
            try:
                counted, found = client.count(plan), client.positions(plan)
            except (trawl.UnsupportedError, trawl.ServerError) as error:
                said.add(str(error)[:40])
                continue
            answered += 1
            expected = [(os.fsdecode(name), begin, pattern) for name, content in FILES.items()
                        for begin, _, pattern, *_ in plan.matches(content)]  # fmt: skip
            assert counted.occurrences == len(expected) == sum(counted.patterns), plan
            names = [found.names[file] for file in found.files]
            assert sorted(zip(names, found.begins, found.patterns)) == sorted(expected), plan


@pytest.mark.parametrize("call", ["count", "positions", "search"])
def test_paths_that_are_missing(address, call):
    with (
        trawl.Client(address) as client,
        pytest.raises(trawl.ServerError, match="paths: (1 files could|nope: No such)"),
    ):
        list(getattr(client, call)("needle", paths=["zz.py", "nope"]))


def test_counts_and_positions(address):
    with trawl.Client(address) as client:
        for patterns in ([b"needle"], PATTERNS, [b"e", b"needle", b"e"], [b"no such string"]):
            expected = positions_by_hand(patterns)
            counted = client.count(patterns)
            assert counted.occurrences == len(expected) and counted.unread == 0
            assert counted.files == len({path for path, _, _ in expected})
            counts = [sum(patterns[one[2]] == pattern for one in expected) for pattern in patterns]
            assert list(counted.patterns) == counts
            found = client.positions(patterns)
            names = [found.names[file] for file in found.files]
            assert sorted(zip(names, found.begins, found.patterns)) == expected
            assert found.total == len(expected)
        assert len(found := client.positions("e", max_results=3)) == 3
        assert found.total == len(positions_by_hand([b"e"]))


def test_line_ends_and_nul_in_patterns(tmp_path):
    """Check patterns with line ends. (The server cuts the protocol's strings at line ends, so the client sends such
    patterns in hexadecimal.)"""
    content = b"a\nb\0c\na\nb d\r\ne\n"
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/file").write_bytes(content)
    with real(f"--listen=unix:{tmp_path}/socket", tmp_path / "tree") as address:
        with trawl.Client(address) as client:
            for patterns in ([b"a\nb"], [b"b\0c", b"a"], [b"\n", b"a"], [b"d\r\ne"], [b"\r"]):
                expected = naive(patterns, content)
                counted = client.count(patterns)
                assert list(counted.patterns) == [sum(one[2] == i for one in expected) for i in range(len(patterns))]
                found = client.positions([one.decode() for one in patterns])
                assert list(zip(found.begins, found.patterns)) == [(one[0], one[2]) for one in expected]
            (file,) = client.search(b"e\n", text=True)
            assert file[1:4] == (5, 13, b"e\n")
            search = client.search("c")
            assert list(search) == [] and search.binary == ["file"]
            (tmp_path / "tree/file").write_bytes(b"\0c\n")
            search = client.search("c")
            assert list(search) == [] and search.binary == ["file"]


def test_errors(address):
    with trawl.Client(address) as client:
        for status, ask in (
            (404, lambda: client.count("a", collection="none")),
            (404, lambda: client.files("none")),
            (422, lambda: list(client.search("a", options=["--threads=2"]))),
            (422, lambda: client.count("a", context=1)),
            (400, lambda: client.count([])),
            (400, lambda: list(client.search("a", options=["--no-such-option"]))),
            (None, lambda: list(client.search("a", type="no such type"))),
        ):
            with pytest.raises(trawl.ServerError) as caught:
                ask()
            assert caught.value.status == status if status else "no such type" in str(caught.value)
        assert client.count("needle").occurrences == len(positions_by_hand([b"needle"]))


def test_results_that_end_early(address):
    with trawl.Client(address) as client:
        search = client.search("e", max_results=3)
        assert 1 <= len(list(search)) <= 3 and search.truncated
        search = client.search("needle")
        next(search)
        search.close()
        assert client.count("hay").occurrences == len(positions_by_hand([b"hay"]))


def test_16_threads(address):
    """Check that threads may share a client: each thread gets the answer to its own request."""
    faults = []

    def ask(pattern):
        try:
            for _ in range(10):
                assert client.count(pattern).occurrences == len(positions_by_hand([pattern]))
                assert lines_of(client.search(pattern)) == lines_by_hand([pattern])
        except BaseException as fault:
            faults.append(fault)

    with trawl.Client(address) as client:
        asking = [threading.Thread(target=ask, args=(PATTERNS[i % 5],)) for i in range(16)]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join()
    assert faults == []


def test_tcp_and_a_token(tree, tmp_path):
    (tmp_path / "token").write_text("secret-4711\n")
    with real("--listen=127.0.0.1:0", f"--token-file={tmp_path}/token", tree) as address:
        assert address.startswith("http://127.0.0.1:")
        with trawl.Client(address, token="secret-4711") as client:
            assert client.count("needle").occurrences == len(positions_by_hand([b"needle"]))
        with trawl.Client(address.removeprefix("http://"), token="secret-4711") as client:  # as for the command
            assert client.count("needle").occurrences == len(positions_by_hand([b"needle"]))
        for token in (None, "another"):
            with pytest.raises(trawl.ServerError) as caught:
                trawl.Client(address, token=token).count("needle")
            assert caught.value.status == 401


def test_tls(tree, tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes a certificate, is not here")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-keyout", key]
    made += ["-out", certificate, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(made, check=True, capture_output=True)
    files = f"--certificate={certificate}", f"--key={key}"
    with real("--listen=localhost:0", *files, tree) as address:
        address = "https://localhost:" + address.rpartition(":")[2]
        trusted = ssl.create_default_context(cafile=certificate)
        expected = len(positions_by_hand([b"needle"]))
        with trawl.Client(address, tls=trusted) as client:
            assert client.count("needle").occurrences == expected
        with pytest.raises(trawl.ServerError, match="(?i)certificate"):
            trawl.Client(address).count("needle")
