"""Tests the command as a client of a server that this test simulates.

The tests check what the client sends (the members of the request, for a table of command lines), what it prints (frames
sent in pieces of every size), and how it reacts to a faulty server: answers that end at each byte, wrong lengths, a program
that is not a trawl server, random changes. After such a fault the command must print what came before it and end with an
error. The last tests check when the command may search by itself.
"""

import base64
import json
import os
import re
import signal
import socket
import subprocess
import threading

import pytest
from harness import ROOT, TRAWL, amount, environment, execute, random_of, write

ADDRESS = "unix:socket"
# in a background job of a shell, TRAWL would inherit the ignored signal
signal.signal(signal.SIGINT, signal.default_int_handler)


class Server:
    """Accepts connections one after the other, reads a request and sends `answer` in pieces of `piece` bytes (None: as a
    whole)."""

    def __init__(self, family, address):
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.bind(address)
        self.socket.listen(8)
        self.answer, self.piece, self.requests, self.heads = b"", None, [], []
        # reads: read the request before answering; holds: keep the connection open afterwards
        self.reads, self.holds = (True, False)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection = self.socket.accept()[0]
            try:
                self.take(connection)
            except OSError:  # the client is gone
                pass
            connection.close()

    def take(self, connection):
        got, count = b"", 0
        if self.reads:
            while b"\r\n\r\n" not in got:
                more = connection.recv(65536)
                if not more:
                    return
                got += more
            head, body = got.split(b"\r\n\r\n", 1)
            for line in head.split(b"\r\n"):
                if line.lower().startswith(b"content-length:"):
                    count = int(line.split(b":")[1])
            while len(body) < count:
                body += connection.recv(65536)
            self.heads.append(head)
            self.requests.append(body)
        step = self.piece or max(1, len(self.answer))
        for at in range(0, len(self.answer), step):
            connection.sendall(self.answer[at : at + step])
        if self.holds and connection.recv(1) != b"":
            raise RuntimeError("the client sends more")


@pytest.fixture(autouse=True)
def server(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return Server(socket.AF_UNIX, "socket")


def run(*arguments, address=ADDRESS, name=TRAWL, locale="C.UTF-8", stdin=subprocess.DEVNULL, **more):
    command = [name, *(["--server=" + address] if address is not None else []), *arguments]
    done = subprocess.run(command, env=environment(locale, **more), stdin=stdin, timeout=60, capture_output=True)
    assert b"Sanitizer" not in done.stderr and b"runtime error" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def frame(letter, content):
    return letter + len(content).to_bytes(4, "little") + content


def answer(body, headers=b"", status=b"200 OK"):
    return b"HTTP/1.1 " + status + b"\r\n" + headers + b"\r\n" + body


def chunked(body, step, end=b"0\r\n\r\n", name=b"Transfer-Encoding: chunked"):
    chunks = b"".join(
        b"%x\r\n%s\r\n" % (len(body[at : at + step]), body[at : at + step]) for at in range(0, len(body), step)
    )
    return answer(chunks + end, name + b"\r\n")


FRAMES = frame(b"o", b"a.c:one\n") + frame(b"m", b"b.c: Permission denied") + frame(b"o", b"")
FRAMES += frame(b"o", b"c.c:\0\xff\n") + frame(b"x", b"\0")
WANTED = (0, b"a.c:one\nc.c:\0\xff\n", b"trawl: b.c: Permission denied\n")
EARLY = b"trawl: --server: the connection ended early\n"
SILENT = EARLY[:-1] + b": does the server speak TLS (https://)?\n"
FOREIGN = b"trawl: --server: the program at this address is not trawl's server\n"


def test_forms(server):
    for piece in (1, 2, 3, 7, 64):
        server.answer, server.piece = answer(FRAMES), piece
        assert run("x", "f") == WANTED
    for step in (1, 5, 16, 1000):  # proxies may answer HTTP/1.0 in chunks
        for server.piece in (1, 3, None):
            for given in (
                chunked(FRAMES, step),
                chunked(FRAMES, step, b"", b"transfer-encoding:\tChunked"),
                chunked(FRAMES, step).replace(b"\r\n", b";name=value\r\n", 4).replace(b";name=value", b"", 3),
            ):
                server.answer = given
                assert run("x", "f") == WANTED
    server.piece = None
    for given in (
        answer(FRAMES),
        answer(FRAMES, b"X-Other: y\r\nDate:\r\n"),
        answer(FRAMES).replace(b"1.1", b"1.0"),
        answer(FRAMES + b"what comes behind the last frame"),
        answer(FRAMES).replace(b"\r\n", b"\n"),
    ):
        server.answer = given
        assert run("x", "f") == WANTED
    for status in (0, 1, 2):
        server.answer = answer(frame(b"x", bytes([status])))
        assert run("x", "f") == (status, b"", b"")
    large = bytes(range(256)) * 4000
    server.answer = answer(frame(b"o", large) + frame(b"x", b"\1"))
    assert run("x", "f")[:2] == (1, large), "a megabyte"
    server.answer = answer(frame(b"m", b"long" * 100000) + frame(b"x", b"\2"))
    assert run("x", "f")[2] == b"trawl: " + b"long" * 100000 + b"\n", "a long message"
    server.answer = answer(frame(b"m", b"a\33[31m") + frame(b"x", b"\2"))
    assert run("x", "f")[2] == b"trawl: a\33[31m\n", "a message"


def test_early_ends(server):
    for whole, end in (
        (whole, end) for whole in (answer(FRAMES), chunked(FRAMES, 6, b"")[:-2]) for end in range(len(whole) - 1)
    ):
        server.answer = whole[:end]
        status, output, said = run("x", "f")
        assert status == 2 and WANTED[1].startswith(output) and said.replace(WANTED[2], b"") in (EARLY, SILENT, FOREIGN)


def test_lies(server):
    head = b"HTTP/1.1 200 OK\r\n"
    for given in (b"", b"\0", b"\n\n", b"x" * 100000, b"HTTP/1.1\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n",
                  b"HTTP/2 200\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n", head + b"no colon\r\n\r\n",
                  head + b"A: " + b"x" * 9000 + b"\r\n\r\n" + FRAMES, head + b"A: b\r\n" * 2000 + b"\r\n" + FRAMES,
                  b"HTTP/1.1 100 Continue\r\n\r\n" + answer(FRAMES), answer(FRAMES)[:-3], answer(b"<html>hello</html>"),
                  answer(frame(b"x", b"\0\0")), answer(frame(b"x", b"")), answer(frame(b"x", b"\3")),
                  answer(frame(b"x", b"\xff")), answer(b"o\xff\xff\xff\xff" + b"a"),
                  answer(b"m\xff\xff\xff\xff" + b"a"), answer(b"q\0\0\0\0"), answer(b""), chunked(FRAMES[:-3], 9),
                  chunked(b"", 1), chunked(b"", 1, b"-5\r\nhello"), chunked(b"", 1, b"x\r\n" + FRAMES),
                  chunked(b"", 1, b"0x50\r\n" + FRAMES), chunked(b"", 1, b"f" * 17 + b"\r\n" + FRAMES),
                  chunked(b"", 1, b"\r\n\r\n" + FRAMES)):  # fmt: skip
        server.answer = given
        status, output, said = run("x", "f")
        assert status == 2 and said.endswith((EARLY, SILENT, FOREIGN))
        assert output == b"a" or WANTED[1].startswith(output)
    server.reads, server.answer = False, answer(FRAMES)  # the server answers and closes before it has read the request
    write("many", "string\n" * 3000000)
    status, output, said = run("-f", "many", "f")
    assert (status, output, said) in (WANTED, (2, b"", EARLY), (2, b"", SILENT))
    server.reads = True


def test_random(server):
    for number in range(amount(400)):
        rng = random_of("client", number)
        error = answer(b'{"error":{"status":400,"message":"\\u0041 \\"b\\" \\n"}}', status=b"400 Bad")
        given = bytearray(rng.choice([answer(FRAMES), chunked(FRAMES, 7), error]))
        for _ in range(rng.choice([1, 1, 2, 5])):
            place = rng.randrange(len(given))
            change = rng.randrange(3)
            given[place : place + (change != 0)] = b"" if change == 1 else bytes([rng.randrange(256)])
        server.answer = bytes(given)
        status, _, said = run("x", "f")
        assert status in (0, 1, 2)


def test_errors(server):
    def say(message, status=b"422 Unprocessable", text=None):
        error = json.dumps({"error": {"status": 422, "message": message}}, ensure_ascii=False).encode()
        server.answer = answer(error if text is None else text, status=status)
        return run("x", "f")

    for message in ("no such collection: 'a'", 'quotes " and \\ and \n', "été 漢", "x" * 300, "control \1"):
        assert say(message) == (2, b"", ("trawl: --server: %s\n" % message).encode())
    # Each JSON escape, even at the end of a message, which has at most 399 bytes.
    for given, wanted in (
        ("\\u007f|", "\x7f|"),
        ("\\u0080|", "?|"),
        ("\\u0000|", "?|"),
        ("\\uFFFF\\u00e9", "??"),
        ('\\n\\r\\t\\b\\f\\/\\\\\\"', '\n\r\t\b\f/\\"'),
        *[
            ("x" * count + end, "x" * count + end.replace("\\u0041", "A"))
            for count in range(396, 401)
            for end in ("", "yz", "\\u0041", "\\u0041\\u0041")
        ],
    ):
        got = say("", b"422 No", b'{"error":{"message":"%s"}}' % given.encode())
        assert got == (2, b"", ("trawl: --server: %s\n" % wanted[:399]).encode())
    # The server sends a message in base64 if the message has a file name that is not UTF-8.
    for message in (b"\xff: is not there", b"\xff" + b"x" * 900):
        said = b'{"error":{"status":404,"message":{"bytes":"%s"}}}' % base64.b64encode(message)
        got = say("", b"404 Not Found", said)
        assert got == (2, b"", b"trawl: --server: %s\n" % message[:399])
    for text in (b"", b"<html>", b"{", b'{"message":', b'{"message":"', b'{"message":3}', b"\0" * 9000,
                 b'{"message":{"bytes":"', b'{"message":{"bytes":"=x"}', b'{"message":{"bytes":""}'):  # fmt: skip
        assert say("", b"502 Bad", text) == (2, b"", b"trawl: --server: the server answers with the HTTP status 502\n")


def request_of(server, *arguments, **more):
    server.requests.clear()
    server.answer = answer(frame(b"x", b"\1"))
    got = run(*arguments, **more)
    assert got == (1, b"", b"")
    return json.loads(server.requests[0]) if server.requests else {}


def coded(given):
    """Returns the bytes as a request has them."""
    try:
        return given.decode()
    except UnicodeDecodeError:
        return {"bytes": base64.b64encode(given).decode()}


def random_bytes(rng):
    count = rng.choice([0, 1, 2, 3, 30, 3071, 3072, 3073, 6144, 6145, 9217, 70001])
    given = rng.choice([b'ab\0\n"\\\x1f\x7f\t/', "é漢😀".encode()]) * (count // 9 + 1)
    return given[:count] + rng.choice([b"", b"", b"\xff", b"\xc3", b"\xed\xa0\x80"])


# Values for the rows of flags.def, by the argument's name in the row, or else by the option's name.
VALUES = {"NUM": "3", "GLOB": "*.c", "TYPE": "c", "SEP": "a\tb", "TEXT": "$0", "LABEL": "é", "BY": "path",
          "NAME:GLOB": "own:*.z", "CHAR": "+", "FORMAT": "none", "SPEC": "match:none", "WHEN": "always",
          "binary-files": "text", "devices": "skip", "directories": "skip", "alphabet": "dna", "encoding": "latin1"}  # fmt: skip


def test_options(server):
    """Tests that each option of flags.def that the server accepts is sent by its long name, from every form."""
    path = ROOT / "tools/trawl/options/flags.def"
    rows = re.findall(
        r"^FLAG\(\w+, (?:0|'(.)'), (?:NULL|\"([^\"]+)\"), (\w+), (?:NULL|\"([^\"]+)\"), \w+, (\w+),",
        open(path, encoding="utf-8").read(),
        re.MULTILINE,
    )
    count = 0
    for letter, name, argument, value, served in rows:
        value = "" if argument == "NONE" else VALUES.get(name) or VALUES.get(value)
        is_other = name in ("files", "exact", "mismatches", "edits")
        if served not in ("LINES", "COUNTS", "START_LINES", "FILES") or is_other or value is None:
            continue
        long = ["--" + name + "=" * (argument != "NONE") + value] if name else ["-" + letter]
        for form in (
            [long] + [["--" + name, value]] * (argument == "REQUIRED") + [["-" + letter + value]] * bool(letter)
        ):
            got = request_of(server, *form, "x", "f").get("options")
            assert got == long
            count += 1
    assert count > 130


def test_requests(server):
    for name, text in (("words", b"one\ntwo\n"), ("bytes", b"\xff\0"), ("empty", b"")):
        write(name, text)
    plain = {
        "format": "frames",
        "tg": False,
        "directory": os.getcwd(),
        "paths": ["f"],
        "patterns": ["x"],
        "environment": {"terminal": False, "null": False, "color": False, "charset": "utf-8"},
    }

    def check(wanted, *arguments, **more):
        words = arguments[0].split() if len(arguments) == 1 else arguments
        assert request_of(server, *words, **more) == {**plain, **wanted}

    check({}, "x", "f")
    options = ["--line-number", "--ignore-case", "-I", "--context=2", "--color", "--after-context=3"]
    check({"options": options}, "-niI2 --color -A 3 x f")
    check({"options": ["--context=12", "--context=3"]}, "-12 --context=3 x f")
    options = ["--ignore-case", "--quiet", "--group-separator=", "--glob=*.c"]
    check({"options": options}, "-y --silent --group-sep= -g *.c x f")
    check({"patterns": ["a\nb", "-c"], "paths": ["-f", "f"]}, "-e", "a\nb", "-e", "-c", "--", "-f", "f")
    check({"patterns": ["z", {"name": "words", "text": "one\ntwo\n"}, "y"]}, "-e", "z", "-fwords", "-e", "y", "f")
    files = [{"name": "bytes", "bytes": base64.b64encode(b"\xff\0").decode()}, {"name": "empty", "text": ""}]
    check({"patterns": files}, "-fbytes -fempty f")
    check({"patterns": ['\1"\\/é漢😀']}, '\1"\\/é漢😀', "f")
    for count in range(1, 5):
        given = b"\xff\xfe\0f"[:count].replace(b"\0", b"\x80")
        check({"patterns": [{"bytes": base64.b64encode(given).decode()}]}, given, "f")
    check({"options": ["--files", "--recursive"], "patterns": [], "paths": []}, "--files", "-r")
    check({"options": ["--files"], "patterns": [], "paths": []}, "--files")
    check({"options": ["--recursive"], "paths": []}, "-r", "x")
    for number in range(amount(240)):  # strings, files of strings and paths of any bytes and any length
        rng = random_of("request", number)
        patterns, words = [], []
        for place in range(rng.choice([1, 1, 2, 4])):
            given, name = random_bytes(rng), b"strings%d" % place + rng.choice([b"", b"\xff", "é".encode(), b'"\n'])
            if rng.random() < 0.4:
                given = given.replace(b"\0", b"")
                patterns.append(coded(given))
                words += [b"-e", given]
                continue
            write(name, given)
            text = coded(given)
            patterns.append({"name": coded(name), **({"text": text} if isinstance(text, str) else text)})
            words.append(b"-f" + name)
        paths = [random_bytes(rng).replace(b"\0", b"")[:200] + b"x" for _ in range(rng.choice([1, 2, 9]))]
        check({"patterns": patterns, "paths": list(map(coded, paths))}, *words, "--", *paths)
    colored = {**plain["environment"], "charset": "c", "color": True, "grep_color": "7", "grep_colors": "mt=1"}
    check({"environment": colored}, "x f", locale="C", TERM="xterm", GREP_COLOR="7", GREP_COLORS="mt=1")
    check({"environment": {**plain["environment"]}}, "x", "f", TERM="xterm", NO_COLOR="")
    write("config", "--line-number\n# a comment\n-C1\n")
    check({"options": ["--line-number", "--context=1", "--count"]}, "-c", "x", "f", TRAWL_CONFIG_PATH="config")
    os.symlink(TRAWL, "tg")
    check({"options": ["--no-filename", "--replace=y"], "tg": True, "paths": ["."]}, "-I", "-ry", "x", ".", name="./tg")
    server.requests.clear()
    with open("out", "wb") as out:
        subprocess.run([TRAWL, "--server=" + ADDRESS, "x", "f"], env=environment(), stdout=out, check=False)
        status = os.fstat(out.fileno())
    assert json.loads(server.requests[0])["environment"].get("file") == [status.st_dev, status.st_ino]


def test_refused(server):
    count = len(server.requests)
    write("pipe-input", "x\n")
    options = ["-j2", "--stats", "-R", "--exclude-from=words", "--ignore-file=words", "--engine=cpu"]
    for words in (*(option + " x f" for option in options), "--explain x", "x", "x -", "x f -"):
        status, output, said = run(*words.split())
        assert (status, output, said.count(b"\n")) == (2, b"", 1)
        assert said.startswith(b"trawl: --server: ") and b" is not served: " in said
    assert run("-fnowhere", "f") == (2, b"", b"trawl: nowhere: No such file or directory\n")
    assert len(server.requests) == count, "something was sent"
    for arguments, said in (
        ([], b"trawl: no pattern"),
        (["--version"], b""),
        (["--color=x", "x", "f"], b"trawl: --color"),
    ):
        assert run(*arguments)[2].startswith(said)
    wrong = "foo http:// http://h:x http://[::1 http://h:123456 127.0.0.1:99999".split()
    for address in (*wrong, "unix:" + "x" * 108):
        status, output, said = run("x", "f", address=address)
        assert (status, output) == (2, b"") and said.startswith(b"trawl: --server: '") and said.count(b"\n") == 1
    said = b"trawl: --server: unix:nowhere: No such file or directory\n"
    assert run("x", "f", address="unix:nowhere") == (2, b"", said), "a server that is not there"


def test_variable(server):
    """Tests when the command searches by itself: it then prints the file's line, which the server would not send."""
    write("f", "x here\n")
    local, served = (0, b"x here\n", b""), (1, b"", b"")
    server.answer = answer(frame(b"x", b"\1"))

    def check(wanted, what, *arguments, **more):
        got = run(*arguments, address=None, **{"TRAWL_SERVER": ADDRESS, **more})
        assert got == wanted

    check(served, "a server", "x", "f")
    check(local, "none", "x", "f", TRAWL_SERVER="")
    check(local, "a socket that is not there", "x", "f", TRAWL_SERVER="unix:nowhere")
    closed = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    closed.bind("closed")
    closed.close()
    check(local, "a socket that nobody listens at", "x", "f", TRAWL_SERVER="unix:closed")
    check(local, "an option that is not served", "-j2", "x", "f")
    check(served, "a regular expression", "-E", "x+", "f")
    check(local, "another server by option", "--server=", "x", "f")
    with open("f") as stdin:
        check(local, "standard input", "x", stdin=stdin)
    write("p", "x\n")
    with open("p") as stdin:
        check(local, "strings from standard input", "-f-", "f", stdin=stdin)
    for status in (b"404 Not Found", b"409 Conflict", b"413 Large", b"422 No", b"429 Many", b"503 Ends"):
        server.answer = answer(b'{"error":{"message":"no"}}', status=status)
        check(local, status.decode(), "x", "f")
    for status in (b"400 Bad", b"401 Unauthorized"):
        server.answer = answer(b'{"error":{"message":"no"}}', status=status)
        check((2, b"", b"trawl: --server: no\n"), status.decode(), "x", "f")
    server.answer = answer(FRAMES)[:-1]
    check((2, WANTED[1], WANTED[2] + EARLY), "an end before the exit status", "x", "f")
    os.mkdir("run")
    other = Server(socket.AF_UNIX, "run/trawl.sock")
    other.answer = answer(frame(b"x", b"\1"))
    check(served, "the default", "x", "f", TRAWL_SERVER="unix:", XDG_RUNTIME_DIR="run")
    got = run("--server", "x", "f", address=None, XDG_RUNTIME_DIR="run")
    assert got == served
    got = run("--server", "x", "f", address=None)
    assert got[0] == 2 and b"XDG_RUNTIME_DIR is not set" in got[2]


def test_tcp_and_token(server):
    tcp = Server(socket.AF_INET, ("127.0.0.1", 0))
    tcp.answer = answer(FRAMES)
    address = "http://127.0.0.1:%d" % tcp.socket.getsockname()[1]
    write("token", "secret\n")
    for form in (address, address + "/", address[7:]):  # the last form is that of --listen
        assert run("x", "f", address=form, TRAWL_TOKEN_FILE="token") == WANTED
        head = tcp.heads[-1].split(b"\r\n")
        wanted = {b"Host: " + address[7:].encode(), b"Authorization: Bearer secret", b"Content-Type: application/json"}
        assert head[0] == b"POST /v1/search HTTP/1.0" and wanted <= {*head}
    for more in ({}, {"TRAWL_TOKEN_FILE": ""}):
        assert run("x", "f", address=address, **more) == WANTED and not any(
            b"Auth" in line for line in tcp.heads[-1].split(b"\r\n")
        ), "without a token"
    assert run("x", "f", address=address.replace("127.0.0.1", "localhost")) == WANTED
    closed = socket.socket()
    closed.bind(("127.0.0.1", 0))
    refused = "http://127.0.0.1:%d" % closed.getsockname()[1]  # bound, but nobody listens there
    write("f", "x here\n")
    for bad, why in ((refused, b"Connection refused"), (refused + "/", b"Connection refused"), ("http://a..b:1", b"")):
        status, output, said = run("x", "f", address=bad)
        assert (status, output, said.count(b"\n")) == (2, b"", 1)
        assert said.startswith(b"trawl: --server: %s: %s" % (bad.encode(), why))
        got = run("x", "f", address=None, TRAWL_SERVER=bad)
        assert got == (0, b"x here\n", b"")
    closed.close()
    for text in ("secret", "secret\r\n", "secret \t\n\r\n", "two words", "~!" * 2048):
        open("token", "w", newline="").write(text)
        got = run("x", "f", address=address, TRAWL_TOKEN_FILE="token")
        assert got == WANTED and b"Authorization: Bearer " + text.strip().encode() in tcp.heads[-1].split(b"\r\n")
    for text in ("", "\n", " two", "two\twords", "\xe4", "x" * 4097, "two\nlines", "x" * 5000, "\0"):
        write("token", text)
        said = b"trawl: TRAWL_TOKEN_FILE: token: a token is one line of 1 to 4096 printable characters of ASCII\n"
        assert run("x", "f", TRAWL_TOKEN_FILE="token") == (2, b"", said)
    assert (
        run("x", "f", TRAWL_TOKEN_FILE="nowhere")[2] == b"trawl: TRAWL_TOKEN_FILE: nowhere: No such file or directory\n"
    ), "no token"


def test_output(server):
    server.answer = answer(frame(b"o", b"x\n" * 100) + frame(b"x", b"\0"))
    with open("/dev/full", "wb") as full:
        got = execute([TRAWL, "--server=" + ADDRESS, "x", "f"], stdout=full)
    assert got == (2, None, b"trawl: write error: No space left on device\n")
    read, write = os.pipe()
    os.close(read)
    assert execute([TRAWL, "--server=" + ADDRESS, "x", "f"], stdout=write) == (-13, None, b"")
    os.close(write)


def test_interrupted(server):
    """Checks that SIGINT ends the client as a signal does, and that the server sees the end of the connection."""
    server.answer, server.holds = answer(FRAMES[:13]), True
    process = subprocess.Popen([TRAWL, "--server=" + ADDRESS, "x", "f"], env=environment(), stdout=subprocess.PIPE)
    got = process.stdout.read(8)
    process.send_signal(signal.SIGINT)
    assert (got, process.wait(timeout=60)) == (b"a.c:one\n", -signal.SIGINT)
    process.stdout.close()
    server.holds = False
