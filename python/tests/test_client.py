"""Tests clients of a server with scripted answers: requests, answers, and bytes that are not an answer."""

import json
import os

import pytest
import trawl
from serving import Fake, chunked, grown, lines, plain

END = {"type": "status", "data": {"exit": 0, "truncated": False, "seconds": 0.1, "shared": 1}}
SUMMARY = {"type": "summary", "data": {}}
COUNT = b'{"occurrences":3,"files":2,"patterns":[1,2],"unread":0,"bytes":9,"seconds":0.5,"shared":4}'


def found(line, path="a", number=1, offset=0, kind="match", **more):
    data = {"path": {"text": path}, "lines": {"text": line}, "line_number": number}
    data |= {"absolute_offset": offset, "submatches": []}
    return {"type": kind, "data": data | more}


def searched(fake, **options):
    with trawl.Client(fake.address) as client:
        return list(client.search("x", **options))


@pytest.mark.parametrize("step, size", [(1, 1 << 20), (1, 50), (1 << 20, 1), (7, 5)])
def test_borders_of_chunks_and_reads(tmp_path, step, size):
    answer = lines(*[found(f"{'é' * i}\n", number=i) for i in range(3)], END)
    for content in (chunked(answer, size, b"; name=value"), plain(answer)):
        with Fake(tmp_path, content, step=step) as fake:
            got = searched(fake)
        assert [match.line.decode() for match in got] == ["\n", "é\n", "éé\n"]
        assert [match.line_number for match in got] == [0, 1, 2]


def test_request(tmp_path):
    """Check the members of a request: the command's options, and strings, in base64 if a string is not UTF-8. Check
    also what is rejected without a request."""
    with Fake(tmp_path, *[plain(COUNT)] * 17, plain(b"")) as fake, trawl.Client(fake.address, token="t0\n") as client:
        counted = client.count(
            [b"a", b"\xff"], collection="c", ignore_case=True, whole_words=True, whole_lines=True,
            invert=False, text=True, glob="*.c", type=["c", "py"], mismatches=1, edits=None,
            context=0, max_count=3, options=["--hidden"], tg=True, max_results=5, max_seconds=7,
            directory="/d", paths=["x", b"\xfe"],
        )  # fmt: skip
        assert counted == (3, 2, (1, 2), 0, 9, 0.5, 4) and counted.patterns == (1, 2)
        head, body = fake.requests[0]
        assert head.startswith(b"POST /v1/count HTTP/1.1\r\n") and b"\r\nHost: localhost\r\n" in head
        assert b"\r\nAuthorization: Bearer t0\r\n" in head
        assert body == {
            "patterns": ["a", {"bytes": "/w=="}],
            "collection": "c",
            "options": [
                "--ignore-case", "--word-regexp", "--line-regexp", "--text", "--glob=*.c",
                "--type=c", "--type=py", "--mismatches=1", "--context=0", "--max-count=3", "--hidden",
                "--alphabet=bytes",
            ],
            "tg": True, "max_results": 5, "max_seconds": 7,
            "directory": "/d", "paths": ["x", {"bytes": "/g=="}],
        }  # fmt: skip
        client.count(["a\nb", "c"])
        assert fake.requests[1][1] == {"patterns": ["610a62", "63"], "options": ["--hex"]}
        client.count([b"\0", b"c"])
        assert fake.requests[2][1]["patterns"] == ["00", "63"]
        assert fake.connections == 1  # the client has kept the connection
        given = {"alphabet": "dna", "exact": [(1, 3), (4, 5)], "any_base": True, "within_lines": True, "mismatches": 1}
        client.count(trawl.Plan(["GATTA", "GATTC"], **given), options="--hidden", glob="*.c")
        body = fake.requests.pop()[1]
        own = ["--any-base", "--alphabet=dna", "--exact=2-3", "--exact=5-5", "--mismatches=1"]
        assert sorted(body["options"]) == sorted([*own, "--hidden", "--glob=*.c"])
        client.count(trawl.Plan(["a", "b"], line_end=b"\0"))
        assert fake.requests.pop()[1]["options"] == ["--null-data"]
        words = {"regex": True, "whole_words": "ascii"}
        for plan, why in (
            (trawl.Plan(["a", "b", "a"]), "equal patterns"),
            (trawl.Plan("a", **words), "regex: "),
            (trawl.Plan("a", line_end=b"x"), "line_end"),
            (trawl.Plan("a", whole_words=True), "whole_words: .* give 'ascii' to the plan, or the patterns"),
            (trawl.Plan("abc", edits=1), "within_lines: .* give within_lines=True to the plan, or the patterns"),
        ):
            with pytest.raises(trawl.UnsupportedError, match=why):
                client.count(plan)
        for regex, name in ((True, "perl"), ("perl", "perl"), ("extended", "extended"), ("basic", "basic")):
            client.count(["a", "b"], regex=regex)
            assert fake.requests.pop()[1]["options"] == [f"--{name}-regexp"]
        for regex in ("pcre", 7):
            with pytest.raises(ValueError, match="regex"):
                client.count("a", regex=regex)
        with pytest.raises(ValueError, match="line end"):
            client.count("a\nb", regex=True)
        for name in ("glob", "type", "paths", "options", "directory", "collection"):
            for wrong in (5, True, [["x"]]):
                with pytest.raises(TypeError, match=f"{name}: a str, bytes or a path is needed"):
                    client.count("a", **{name: wrong})
        for errors in ({"edits": 1}, {"mismatches": 1}):  # symbols are those of a plan, not of the server's locale
            for patterns, kind in ((["abc", "d"], "utf8"), ([b"abc", b"d"], "bytes"), (iter(["abc", "d"]), "utf8")):
                client.count(patterns, **errors)
                assert fake.requests.pop()[1]["options"][1:] == [f"--alphabet={kind}"]
            client.count(["GAT", "C"], options="--alphabet=dna", **errors)
            assert [one for one in fake.requests.pop()[1]["options"] if "alphabet" in one] == ["--alphabet=dna"]
        with pytest.raises(TypeError, match="'ignorecase' is no option"):
            client.count("a", ignorecase=True)
        with pytest.raises(ValueError, match="pattern 1 is empty"):
            client.count(["a", ""])
        with pytest.raises(TypeError, match="ignore_case: options of the plan"):
            client.count(trawl.Plan("a"), ignore_case=True)
        with pytest.raises(ValueError, match="'ascii' for both"):
            client.count("a", ignore_case="ascii", whole_words=True)
        assert client.files("a/b&\udcff") == [] and fake.requests.pop()[0].startswith(
            b"GET /v1/files?collection=a%2Fb%26%FF HTTP/1.1\r\n"
        )


def test_names_and_lines_that_are_not_utf8(tmp_path):
    one = {"match": {"bytes": "/w=="}, "start": 0, "end": 1}
    first = found("", lines={"bytes": "/woK"}, submatches=[one])
    first["data"]["path"] = {"bytes": "YfxiLw=="}
    events = lines(first, found("b", kind="context"), SUMMARY, END)
    fasta = {
        "path": {"text": "a"}, "sequence": {"text": "chr"}, "offset": 7, "match": {"text": "GAT"}, "distance": 1,
        "strand": "-",
    }  # fmt: skip
    with Fake(tmp_path, chunked(events), chunked(lines({"type": "match", "data": fasta}, SUMMARY, END))) as fake:
        first, second = searched(fake)
        assert searched(fake) == [("a", None, 7, b"GAT", ((0, 3, b"GAT", 1, "-"),), False, b"chr")]
    assert first == ("a\udcfcb/", 1, 0, b"\xff\n\n", ((0, 1, b"\xff", None, None),), False, None)
    assert second.context and second.line == b"b"


def test_members_that_a_later_server_adds(tmp_path):
    """Check that members and events unknown to the client change no answer."""
    head = {"count": 0, "total": 0, "unread": 0, "columns": ["begin", "file", "pattern"], "files": [{"text": "a"}]}
    events = [found("x\n", submatches=[{"start": 0, "end": 1, "match": {"text": "x"}}]), SUMMARY, END]
    for answer, call in (
        ([json.loads(COUNT)], lambda client: client.count(["a", "b"])),
        ([head], lambda client: client.positions("a")),
        ([{"collections": [{"name": "c"}]}], lambda client: client.collections()[0]["name"]),
        ([{"path": {"text": "a"}}], lambda client: client.files()),
        (events, lambda client: list(client.search("x"))),
    ):
        later = [{"type": "news"}] * (answer is events) + grown(answer, {"text": 1, "data": None})
        with Fake(tmp_path, plain(lines(*answer)), plain(lines(*later))) as fake, trawl.Client(fake.address) as client:
            assert call(client) == call(client)


def test_what_is_said_of_files(tmp_path):
    """Check that messages become warnings, that the client names binary files, and that an answer which the server cut is
    an error unless the request has limits."""
    said = {"type": "message", "data": {"text": "a/b: Permission denied"}}
    binary = {"type": "end", "data": {"path": {"text": "bin"}, "binary_offset": 7}}
    status = {"type": "status", "data": {"exit": 2, "truncated": True}}
    answer = chunked(lines(found("x"), said, binary, SUMMARY, status))
    with Fake(tmp_path, answer, answer) as fake, trawl.Client(fake.address) as client:
        search = client.search("x", max_results=1)
        with pytest.warns(RuntimeWarning, match="a/b: Permission denied"):
            assert len(list(search)) == 1
        assert search.truncated and search.binary == ["bin"] and len(search.messages) == 1
        search = client.search("x")
        assert next(search).line == b"x"
        with pytest.warns(RuntimeWarning), pytest.raises(trawl.ServerError, match="max_results"):
            next(search)
        assert list(search) == []


HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
LIES = {"nothing": b"", "no HTTP": b"SSH-2.0-OpenSSH\r\n\r\n", "no status": b"HTTP/1.1\r\n\r\n",
        "no number": b"HTTP/1.1 two OK\r\n\r\n", "no length": b"HTTP/1.1 200 OK\r\n\r\n",
        "a signed length": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "too long a length": plain(lines(SUMMARY, END))[:-2], "a signed chunk": HEAD + b"-5\r\nhello\r\n0\r\n\r\n",
        "a chunk without a length": HEAD + b"\r\n",
        "a chunk in hexadecimal of another kind": HEAD + b"0x5\r\nhello\r\n0\r\n\r\n",
        "too short a chunk": HEAD + b"5\r\nhello world\r\n0\r\n\r\n", "an end in a chunk": HEAD + b"50\r\nhello",
        "no last chunk": HEAD + b"%x\r\n%s\r\n" % (len(lines(SUMMARY, END)), lines(SUMMARY, END)),
        "no status line": chunked(lines(SUMMARY)), "half a status line": chunked(lines(SUMMARY, END)[:-9]),
        "no JSON": chunked(b"hello\n"), "another JSON": chunked(b"[1]\n"),
        "a deep one": chunked(b"[" * 100_000 + b"\n"),
        "no such member": chunked(lines({"type": "match", "data": {"path": {"text": "a"}}})),
        "no base64": chunked(lines(found("", lines={"bytes": "!"}), END)),
        "endless head": b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 1000, "endless line": b"HTTP/1.1 200 " + b"x" * 200_000}  # fmt: skip


@pytest.mark.parametrize("what", LIES)
def test_lies(tmp_path, what):
    with Fake(tmp_path, LIES[what], hang=False) as fake:
        with pytest.raises(trawl.ServerError) as caught:
            searched(fake)
    assert caught.value.status == 0


def test_lies_about_counts_and_columns(tmp_path):
    head = b'{"count":2,"total":2,"unread":0,"columns":["begin","file","pattern"],"files":["a"]}\n'
    wrong = [head + bytes(31), head + bytes(33), b"{}\n", head.replace(b"begin", b"end") + bytes(32)]
    with Fake(tmp_path, plain(COUNT), *map(plain, wrong)) as fake, trawl.Client(fake.address) as client:
        with pytest.raises(trawl.ServerError, match="1 patterns and 2 counts"):
            client.count("a")
        for _ in wrong:
            with pytest.raises(trawl.ServerError, match="cannot be read"):
                client.positions("a")


def test_columns(tmp_path):
    head = b'{"count":2,"total":3,"unread":5,"columns":["begin","file","pattern"],"files":["a",{"bytes":"/w=="}]}\n'
    numbers = (5, 2**40), (0, 1), (7, 2**31)
    body = b"".join(number.to_bytes(size, "little") for size, column in zip((8, 4, 4), numbers) for number in column)
    with Fake(tmp_path, *[chunked(head + body)] * 3) as fake:
        with trawl.Client(fake.address) as client:
            with pytest.warns(RuntimeWarning, match="5 files could not be read"):
                got = client.positions("a", max_results=2)
            assert list(got) == [(5, 0, 7), (2**40, 1, 2**31)] and got.names == ["a", "\udcff"]
            assert got.begins.tolist() == [5, 2**40] and got.total == 3 and len(got) == 2
            cut = pytest.raises(trawl.ServerError, match="longer than the server's limits")
            with pytest.warns(RuntimeWarning), cut:
                client.positions("a")
            with pytest.warns(RuntimeWarning):
                assert len(client.positions("a", max_seconds=1)) == 2


def test_errors_of_the_server(tmp_path):
    said = plain(b'{"error":{"status":404,"message":"no such collection: c"}}', b"404 Not Found")
    others = [
        b"<html>", b"", b"[]", b"7", b'{"error":"no"}', b'{"error":{"message":5}}',
        b'{"error":{"message":{"bytes":"?"}}}',
    ]  # fmt: skip
    with Fake(tmp_path, said, *(plain(one, b"502 Bad Gateway") for one in others)) as fake:
        with pytest.raises(trawl.ServerError, match="^no such collection: c$") as caught:
            searched(fake)
        assert caught.value.status == 404
        for _ in others:
            with pytest.raises(trawl.ServerError, match="status 502") as caught:
                searched(fake)
            assert caught.value.status == 502


def test_nobody_is_there(tmp_path):
    with pytest.raises(trawl.ServerError, match="No such file") as caught:
        next(trawl.Client(f"unix:{tmp_path}/none").search("x"))
    assert caught.value.status == 0 and caught.value.os_code == 2


@pytest.mark.parametrize("said", [HEAD, b""])
def test_silence(tmp_path, said):
    """Check that a request without an answer is not sent again, even if an earlier request had an answer."""
    with Fake(tmp_path, plain(COUNT), said, plain(COUNT)) as fake, trawl.Client(fake.address, timeout=0.5) as client:
        client.count(["a", "b"])
        with pytest.raises(trawl.ServerError):
            client.count(["a", "b"])
        assert len(fake.requests) == 2


@pytest.mark.parametrize("hang, said, says", [
    (False, b"", b""), (True, b"Type: x", b"Type: x\r\nconnection: Close"), (True, b"/1.1", b"/1.0"),
])  # fmt: skip
def test_a_connection_that_ends(tmp_path, hang, said, says):
    """Check that the next request opens a new connection if an answer says that the connection will close. (No earlier test
    had a server that says so and leaves the connection open.)"""
    with Fake(tmp_path, *[plain(COUNT).replace(said, says, 1)] * 3, hang=hang) as fake:
        with trawl.Client(fake.address) as client:
            for _ in range(3):
                assert client.count(["a", "b"]).files == 2
        assert fake.connections == 3


def test_a_fork_has_connections_of_its_own(tmp_path):
    with Fake(tmp_path, plain(COUNT), plain(COUNT)) as fake, trawl.Client(fake.address) as client:
        client.count(["a", "b"])
        child = os.fork()
        if child == 0:
            os._exit(0 if client.count(["a", "b"]).files == 2 else 1)
        assert os.waitpid(child, 0)[1] == 0 and fake.connections == 2


@pytest.mark.parametrize("leave", ["close", "del", "with"])
def test_a_search_that_is_left(tmp_path, leave):
    with Fake(tmp_path, HEAD + b"%x\r\n%s" % (1000, lines(found("x\n")))) as fake:
        search = trawl.Client(fake.address).search("x")
        assert next(search).line == b"x\n"
        if leave == "with":
            with search:
                pass
        elif leave == "close":
            search.close()
            assert list(search) == []
        del search
        assert fake.closed.wait(60)


def test_addresses(monkeypatch, tmp_path):
    monkeypatch.delenv("TRAWL_SERVER", raising=False)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    for wrong in (
        None, "", "unix", "ftp://a", "http://", "http://a/b", "http://a:x", "http://a:99999", "a:99999", "a:1/b", "a:",
        ":1", "unix:",
    ):  # fmt: skip
        with pytest.raises(ValueError, match="^address: "):
            trawl.Client(wrong)
    with pytest.raises(ValueError, match="token"):
        trawl.Client("unix:/a", token="a\r\nb")
    with Fake(tmp_path, *[plain(COUNT)] * 10) as fake:
        monkeypatch.setenv("TRAWL_SERVER", fake.address)
        (tmp_path / "token").write_text("secret\n")
        monkeypatch.setenv("TRAWL_TOKEN_FILE", str(tmp_path / "token"))
        assert trawl.Client().count(["a", "b"]).files == 2
        assert b"\r\nAuthorization: Bearer secret\r\n" in fake.requests[0][0]
        monkeypatch.delenv("TRAWL_SERVER")
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
        os.rename(fake.address[5:], tmp_path / "trawl.sock")
        assert trawl.Client().count(["a", "b"]).files == 2
