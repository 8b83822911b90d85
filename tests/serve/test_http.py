"""Tests the server over HTTP: answers, rejections, start and end. Every test starts a server."""

import base64
import bz2
import contextlib
import ctypes
import errno
import fcntl
import http.client
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import ssl
import stat
import struct
import subprocess
import time

import pytest
from harness import ROOT, SEED, SERVE, TRAWL, WAIT_S, amount, execute, respect_modes, until, write
from server import Server, frames_of

LOOPBACK = "--listen=127.0.0.1:0"
LAST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
ARE_CLOSED = respect_modes()  # programs cannot read files whose mode is 0


@pytest.fixture
def root(folder):
    """A folder with files, so that each test knows the answers."""
    root = os.path.join(folder, "tree")
    os.makedirs(os.path.join(root, "sub"))
    for name, text in {
        b"a.txt": b"one needle\nno\nneedle needle\n",
        b"sub/b.c": b"int needle;\n",
        b"sub/none.c": b"nothing\n",
        b"\xff.txt": b"a needle in \xff\n",
        b"large.txt": b"".join(b"%07d straw of the haystack\n" % i for i in range(200000)),
    }.items():
        write(os.path.join(os.fsencode(root), name), text)
    return root


@pytest.fixture
def serve(folder, root):
    """A function that starts a server of the tree, or of `roots`, and waits until all is loaded. Servers that the test does
    not stop are ended after it."""
    made = []

    def start(*options, roots=None, **more):
        listen = (
            [] if options and options[0].startswith("--listen=") else ["--listen=unix:" + os.path.join(folder, "at")]
        )
        roots = [root] if roots is None else roots
        made.append(Server([SERVE], *listen, *options, *roots, **more))
        return made[-1].loaded(len(roots))

    yield start
    for one in made:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


NEEDLES = 5  # occurrences, in three files
# the answer is larger than the buffers of pipes and sockets
LARGE = {"patterns": ["straw"], "format": "frames", "options": ["-h"]}


def asked(server, method, path, status, body=None, **headers):
    """Sends a request, compares the answer's status with the expected status, and returns the body."""
    got, got_headers, answer = server.ask(method, path, body, **headers)
    assert got == status
    assert got_headers.get("X-Content-Type-Options") == "nosniff"
    if method != "HEAD" and got >= 400:
        assert list(json.loads(answer)) == ["error"] and json.loads(answer)["error"]["status"] == got
    return answer


def post_of(path, body):
    head = b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % (path, len(body)) + body


def output_of(answer):
    """Returns the command's output in an answer of frames."""
    return b"".join(text for kind, text in frames_of(answer) if kind == b"o")


def lines_of(body):
    return [json.loads(line) for line in body.splitlines()]


def collections_of(server):
    return json.loads(asked(server, "GET", "/v1/collections", 200))["collections"]


def check_facts(server):
    """Checks /healthz, and that each line of /metrics is in the form of Prometheus. (test_exchanges.py compares facts.)"""
    assert asked(server, "GET", "/healthz", 200) == b"ok\n"
    text = asked(server, "GET", "/metrics", 200).decode()
    for line in text.splitlines():
        assert re.fullmatch(
            r'# (HELP \w+ .*|TYPE \w+ (counter|gauge|histogram))|\w+(\{\w+="[^"\\\n]*"\})? \d+(\.\d+)?', line
        )
        name = re.match(r"\w*", line).group(0)
        assert any("# TYPE %s " % one in text for one in (name, re.sub(r"_(bucket|sum|count)$", "", name))) or not name


def check_page(server):
    policy = {name: "'self'" for name in ("script-src", "style-src", "connect-src")}
    policy |= {name: "'none'" for name in ("default-src", "base-uri", "form-action", "frame-ancestors")}
    kinds = {"/": "text/html", "/style.css": "text/css"}
    for path, kind in (kinds | {f"/{name}.js": "text/javascript" for name in ("app", "colours", "prism")}).items():
        status, headers, body = server.ask("GET", path)
        assert (status, headers["Content-Type"].split(";")[0]) == (200, kind)
        rules = dict(rule.split(" ", 1) for rule in headers["Content-Security-Policy"].split("; "))
        assert rules == policy | {"img-src": "'self' data:"}
        assert (headers["Cache-Control"], headers["X-Content-Type-Options"]) == ("no-cache", "nosniff")
        status, known, nothing = server.ask("GET", path, If_None_Match=headers["ETag"])
        assert (status, known["ETag"], nothing) == (304, headers["ETag"], b"")
        assert server.ask("GET", path, If_None_Match='"other"')[0] == 200
        assert len(body) > 100


def check_names(server):
    """Checks the `names` member: which files are listed, and in which a string is found."""

    def printed(*options, **more):
        body = {"patterns": ["e"], "options": [*options], "format": "frames", **more}
        return output_of(asked(server, "POST", "/v1/search", 200, body))

    def listed(names, *options, **more):
        return printed("--files", *options, names=names, **more).replace(b"\0", b"\n").decode("latin-1").split()

    files = ["a.txt", "large.txt", "sub/b.c", "sub/none.c", "\xff.txt"]
    for wanted, *rows in [
        (files, [], [""], ["*"]),
        ([], ["!"], ["B"], ["b.C"], ["u*/*.c"], ["LARGE*"], ["Large"], ["["]),
        (files[2:4], ["b"], ["sub/"], ["*.c"], ["su*/*.c"], ["b"] * 64),
        (files[:2] + files[4:], ["!b"]),
        (files[2:3], ["sub/?.*"]),
        (files[1:2], ["la", "!.c", "*.t?t"]),
        (files[4:], [{"bytes": "/w=="}]),
    ]:
        for names in rows:
            assert sorted(listed(names)) == wanted
    assert listed(["b"], "--glob=n*") == ["sub/none.c"]
    for report in "--files", "-l", "-c", "--positions", "--count-matches", "--count-by-pattern":
        for options in [], ["--null"], ["-z"], ["-z", "--null"]:
            text = printed(report, "-H", *options, max_results=2)
            end = b"\0" if "--null" in options and report in ("--files", "-l") else b"\n"
            assert (text.count(end), text[-1:]) == (2, end)
    for names, status in (["[*"], 400), (["a\0"], 400), ("a", 400), ([1], 400), (["b"] * 65, 413):
        asked(server, "POST", "/v1/count", status, {"patterns": ["needle"], "names": names})
    found = server.count("n", names=["sub/"])
    assert (found["files"], found["patterns"]) == (2, [found["occurrences"]])
    lines = lines_of(asked(server, "POST", "/v1/search", 200, {"patterns": ["n"], "names": ["sub/"]}))
    assert {line["data"]["path"]["text"] for line in lines if line["type"] == "begin"} == set(files[2:4])


def check_refusals(server):
    query = {"patterns": ["needle"]}
    for method, path, status, body, headers in [
        ("GET", "/nothing", 404, None, {}),
        ("GET", "/v1/../healthz", 404, None, {}),
        ("POST", "/v1/nothing", 404, query, {}),
        ("GET", "/v1/search", 405, None, {}),
        ("PUT", "/v1/count", 405, query, {}),
        ("POST", "/v1/collections", 405, query, {}),
        ("DELETE", "/", 405, None, {}),
        ("OPTIONS", "/healthz", 405, None, {}),
        ("POST", "/v1/search", 415, query, {"Content-Type": "application/jsonp"}),
        ("POST", "/v1/search", 200, query, {"Content-Type": "Application/JSON; charset=utf-8"}),
        ("POST", "/v1/count", 400, {"patterns": ["q"], "options": ["--hex"]}, {}),
        ("POST", "/v1/search", 422, {**query, "format": "frames", "part": True, "options": ["--count-by-pattern"]}, {}),
        ("POST", "/v1/search", 403, query, {"Origin": "http://elsewhere.example"}),
        ("POST", "/v1/search", 403, query, {"Origin": "null"}),
        ("POST", "/v1/search", 200, query, {"Origin": "http://localhost"}),
        ("POST", "/v1/search", 200, query, {"Origin": "https://127.0.0.1:7", "Host": "127.0.0.1:7"}),
        ("POST", "/v1/search", 403, query, {"Origin": "http://127.0.0.1:8", "Host": "127.0.0.1:7"}),
        ("POST", "/v1/search", 403, query, {"Origin": "localhost"}),
        ("POST", "/v1/search", 403, query, {"Origin": "http://localhostx"}),
        ("GET", "/v1/collections", 200, None, {"Origin": "http://elsewhere.example"}),
        ("POST", "/v1/nothing", 403, query, {"Origin": "null"}),
        ("POST", "/v1/files", 405, query, {"Content-Type": "text/plain"}),
        ("POST", "/v1/search", 200, query, {"Content-Type": "application/json\tx"}),
        ("POST", "/v1/search", 415, query, {"Content-Type": "application/jso"}),
        ("POST", "/v1/search", 415, query, {"Content-Type": ""}),
        ("GET", "/healthz", 413, b"x" * 10, {}),
    ]:
        asked(server, method, path, status, body, **headers)
    for path, status in (
        ("/metrics", 200),
        ("/v1/files", 200),
        ("/v1/files?collection=other", 404),
        ("/v1/collections", 200),
        ("/", 200),
        ("/v1/count", 405),
    ):
        heads = []
        for method in ("HEAD", "GET"):
            got, headers, body = server.ask(method, path)
            assert (got, body == b"") == (status, method == "HEAD")
            heads.append({name: headers[name] for name in headers.keys() - {"Date", "Connection", "Transfer-Encoding"}})
        assert heads[0] == heads[1] or path == "/metrics"  # whose length changes


def test_unix(serve):
    """Tests all answers, on a Unix socket that only the socket's owner can open."""
    with serve() as server:
        path = server.address.removeprefix("unix:")
        assert os.readlink("/proc/%d/fd/0" % server.process.pid) == "/dev/null"
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600 | 0o100 & os.stat(path).st_mode
        check_facts(server)
        check_page(server)
        check_names(server)
        check_refusals(server)
        assert server.stop() == 0
        assert not os.path.exists(path), "the socket is removed"


def test_loopback(serve):
    """Tests all answers over TCP. Host names other than this machine's are rejected: a page of another site, whose name
    was made to resolve to this machine, would send such a name."""
    with serve(LOOPBACK) as server:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", server.address), "the address"
        check_refusals(server)
        port = server.address.rsplit(":", 1)[1]
        for host, status in [("localhost", 200), ("127.0.0.1:" + port, 200), ("[::1]:" + port, 200),
            ("LOCALHOST:1", 200), ("elsewhere.example", 403), ("elsewhere.example:" + port, 403),
            ("127.0.0.1.example", 403), ("[::1].example", 403), ("x" * 5000, 403), ("x" * 255, 403), ("x" * 256, 403),
            ("", 403), ("[localhost]", 403), ("1.2.3", 403), ("[::1]", 200), ("[::1", 403), ("::1", 403),
            ("localhost:", 200), ("localhost:80.evil.example", 403), ("localhost:80:80", 403), ("localhost:80x", 403),
            ("localhost:80@evil.example", 400), ("localhost.", 403), ("localhost.evil.example", 403),
            ("127.0.0.1:-1", 403), ("[127.0.0.1]", 403), ("[::1]80", 403)]:  # fmt: skip
            assert server.ask("GET", "/v1/collections", Host=host)[0] == status
        assert server.ask("GET", "/healthz", Host="elsewhere.example")[0] == 403
        # A target with a host (RFC 9112, 3.2.2) is that of the path, if the host is the server's.
        for target, host, status in (
            ("http://localhost/healthz", "localhost", 200), ("HTTP://LocalHost:%s/healthz" % port, "localhost:%s" % port, 200),
            ("http://localhost/v1/files?collection=tree", "localhost", 200), ("http://[::1]/healthz", "[::1]", 200),
            ("https://127.0.0.1/healthz", "127.0.0.1", 200), ("http://localhost", "localhost", 200),
            ("http://localhost?a=http://b/", "localhost", 200), ("http://localhost/http://localhost/healthz", "localhost", 404),
            ("http://evil.example/healthz", "localhost", 400), ("http://localhost/healthz", "evil.example", 400),
            ("http://evil.example/healthz", "evil.example", 403), ("http://127.0.0.1/healthz", "localhost", 400),
            ("http://localhost.evil.example/healthz", "localhost", 400), ("http://me@localhost/healthz", "localhost", 404),
            ("http://evil.example@localhost/healthz", "localhost", 404), ("http:///healthz", "localhost", 404),
            ("http://localhost\\@evil.example/healthz", "localhost", 404), ("ftp://localhost/healthz", "localhost", 404),
            ("http:/healthz", "localhost", 404), ("//localhost/healthz", "localhost", 404), ("localhost/healthz", "localhost", 404),
            ("http://%s/healthz" % ("x" * 300), "localhost", 404)):  # fmt: skip
            got = server.raw(
                b"GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (target.encode(), host.encode())
            )
            assert got.startswith(b"HTTP/1.1 %d " % status), target
        for blanks in " ", "\t", " \t ":  # blanks behind a value are not part of it
            headers = {"Host": "localhost" + blanks, "Origin": "http://localhost" + blanks}
            headers["Content-Type"] = "application/json" + blanks
            assert server.ask("POST", "/v1/count", {"patterns": ["needle"]}, **headers)[0] == 200, blanks
        for method in b"GET", b"HEAD", b"POST", b"BREW":
            got = server.raw(method + b" /healthz HTTP/1.1\r\nContent-Length: 1\r\n\r\nx")
            assert got.startswith(b"HTTP/1.1 400") and got.count(b"HTTP/1.1") == 1, "no Host"
        assert server.stop(signal.SIGINT) == 0
    # Behind a proxy: its name counts as the server's, with any port.
    with serve(LOOPBACK, "--host=Search.example") as server:
        for host, origin, status in (
            ("search.example", "https://search.example", 200), ("search.example:8443", "https://SEARCH.example:8443", 200),
            ("search.example", "https://search.example:8443", 403), ("search.example", "https://evil.example", 403),
            ("localhost", "https://search.example", 403), ("localhost", "http://localhost", 200),
            ("search.example.evil.example", "https://search.example", 403), ("evil.search.example", None, 403),
            ("search.example", None, 200)):  # fmt: skip
            headers = {"Host": host, **({"Origin": origin} if origin else {})}
            assert server.ask("POST", "/v1/count", {"patterns": ["needle"]}, **headers)[0] == status, (host, origin)
    # A server can start immediately on a port where an earlier server has closed connections.
    with serve("--listen=127.3.2.9:0") as server, server.connect() as end:
        end.sendall(LAST)
        assert end.recv(100).startswith(b"HTTP/1.1 200"), "a connection that is kept"
        server.stop()
    with serve("--listen=" + server.address[7:]) as server:
        assert server.ask("GET", "/healthz")[0] == 200


def test_token(folder, serve):
    """Checks that every path that reveals something about the files needs the whole token."""
    path = os.path.join(folder, "token")
    write(path, "the token of this test \t\r\n\n")
    right = "the token of this test"
    with serve(LOOPBACK, "--token-file=" + path) as server:
        for status, *rows in (
            (200, "Bearer " + right, "bearer " + right, "Bearer " + right + " \t"),
            (401, None, "Bearer " + right[:-1], "Bearer " + right + "1", "Bearer ", right, "Basic dG9rZW4="),
        ):
            for headers in ({"Authorization": given} if given else {} for given in rows):
                for path in "/metrics", "/v1/collections", "/v1/files", "/v1/count":
                    ask = ("POST", path, {"patterns": ["a"]}) if path == "/v1/count" else ("GET", path)
                    got = server.ask(*ask, **headers)
                    assert (got[0], got[1].get("WWW-Authenticate")) == (status, "Bearer" if status == 401 else None)
        for open_path in "/healthz", "/":
            assert server.ask("GET", open_path)[0] == 200


def has_ipv6():
    try:
        socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True).close()
        return True
    except (OSError, ValueError):
        return False


def certified(folder, name):
    """Makes a certificate of localhost that signs itself; returns its file and that of its key."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl")
    certificate, key = (os.path.join(folder, name + end) for end in (".pem", ".key"))
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -days 2"
    command += " -addext subjectAltName=DNS:localhost -keyout %s -out %s" % (key, certificate)
    subprocess.run(command.split(), check=True, stderr=subprocess.DEVNULL)
    return certificate, key


def test_tls(folder, serve):
    """Tests TLS. Addresses beyond loopback need TLS and a token."""
    (certificate, key), path = certified(folder, "tls"), os.path.join(folder, "tls_token")
    write(path, "secret")
    context = ssl.create_default_context(cafile=certificate)
    safely = ["--token-file=" + path, "--certificate=" + certificate, "--key=" + key]

    def ask(socket, what, body, host="localhost"):
        client = http.client.HTTPConnection("localhost", timeout=WAIT_S)
        client.sock = context.wrap_socket(socket, server_hostname="localhost")
        headers = {"Content-Type": "application/json", "Authorization": "Bearer secret", "Host": host}
        client.request("POST", "/v1/" + what, json.dumps(body), headers)
        return client, client.getresponse()

    with serve("--listen=0.0.0.0:0", *safely) as server:
        assert re.fullmatch(r"https://0\.0\.0\.0:\d+", server.address), "the address"
        for host in "localhost", "any.example":  # with the token, any host name is allowed
            client, answer = ask(server.connect(), "count", {"patterns": ["needle"]}, host)
            assert (answer.status, json.loads(answer.read())["occurrences"]) == (200, NEEDLES)
            client.close()
        at = server.address.rsplit(":", 1)[1]
        for version, accepted in ("1", False), ("1_1", False), ("1_2", True), ("1_3", True):
            ask_by = "openssl s_client -tls%s -cipher ALL:@SECLEVEL=0 -connect localhost:%s" % (version, at)
            assert (b"BEGIN CERTIFICATE" in execute(ask_by.split())[1]) == accepted, version
        assert not server.raw(LAST).startswith(b"HTTP/1.1 200"), "no plain HTTP there"
        check_shapes(lambda: context.wrap_socket(server.connect(), server_hostname="localhost"))
        assert server.stop() == 0
    # A server that listens for both IPv6 and IPv4 counts two IPv4 addresses as two clients.
    if not has_ipv6():
        pytest.skip("no IPv6")
    count, clients = {"patterns": ["a"]}, []
    with serve("--listen=[::]:0", "--max-queries=1", *safely) as server:
        port = int(server.address.rsplit(":", 1)[1])
        for client, what, body, status in (
            ("127.0.0.1", "search", LARGE, 200),
            ("127.0.0.1", "count", count, 429),
            ("127.0.0.2", "count", count, 200),
        ):
            clients.append(ask(socket.create_connection(("127.0.0.1", port), WAIT_S, (client, 0)), what, body))
            assert clients[-1][1].status == status


def test_tls_command(folder, root, serve):
    """The command trusts the system's authorities, or those of SSL_CERT_FILE, and says what is wrong."""
    certificate, key = certified(folder, "command")
    other, _ = certified(folder, "other")

    def count(address, status, words, **more):
        got = execute(
            [TRAWL, "-c", "needle", os.path.join(root, "a.txt")], env={**os.environ, "TRAWL_SERVER": address, **more}
        )
        assert (got[0], got[1]) == (status, b"" if status else b"2\n") and words.encode() in got[2], got

    trust = {"SSL_CERT_FILE": certificate}
    with serve(LOOPBACK, "--certificate=" + certificate, "--key=" + key) as server:
        port = server.address.rsplit(":", 1)[1]
        at = "https://localhost:" + port
        if b"libgnutls" in execute([TRAWL, "--server=" + at, "-c", "needle", root])[2]:
            pytest.skip("no libgnutls.so.30")
        count(at, 0, "", **trust)
        count(at + "/", 0, "", **trust)
        assert execute([TRAWL, "--server=" + at, "-rc", "needle", root], env={**os.environ, **trust})[2] == b""
        count(at, 2, "TLS: The certificate is NOT trusted. The certificate issuer is unknown\n")
        count(at, 2, "TLS: The certificate is NOT trusted.", SSL_CERT_FILE=other)
        count(at, 2, "SSL_CERT_FILE: %s: no certificates in PEM\n" % key, SSL_CERT_FILE=key)
        count(
            at.replace("localhost", "127.0.0.1"),
            2,
            "The name in the certificate does not match the expected\n",
            **trust,
        )
        count("http://localhost:" + port, 2, "does the server speak TLS (https://)?\n")
    with serve(LOOPBACK) as server:
        at = server.address.replace("http", "https")
        count(at, 2, "does the server speak plain HTTP (http://)?\n", **trust)
    assert execute([TRAWL, "--server=" + at, "x", root])[2].endswith(b": Connection refused\n")


def test_secrets_again(folder, serve):
    """SIGHUP takes the tokens and the certificate at once; what is wrong is not taken. The log has the tokens' names."""
    pairs = [certified(folder, name) for name in ("first", "second")]
    files = [os.path.join(folder, "now" + end) for end in (".token", ".pem", ".key")]
    tokens = b"ann\tone\nbob smith\ttwo"

    def hang_up(token, certificate, key):
        for file, content in zip(files, (token, certificate, key), strict=True):
            write(file, content if isinstance(content, bytes) else open(content, "rb").read())
            os.chmod(file, 0o600)

    def shown():
        return ssl.get_server_certificate(("localhost", int(server.address.rsplit(":", 1)[1])))

    def status(token):
        client = http.client.HTTPSConnection(server.address[8:], context=ssl._create_unverified_context())
        client.request("GET", "/metrics", headers={"Authorization": "Bearer " + token})
        return client.getresponse().status

    hang_up(b"one\n", *pairs[0])
    options = [name + file for name, file in zip(("--token-file=", "--certificate=", "--key="), files, strict=True)]
    with serve(LOOPBACK, "--log=json", *options) as server:
        first = shown()
        assert (first, status("one"), status("two")) == (open(pairs[0][0]).read(), 200, 401)
        kept = lambda: [line for line in server.messages if line.endswith("; the old secrets stay")]
        for count, (wrong, words) in enumerate({
            (b"x\ty\n\tz", *pairs[0]): "now.token:2: a line is a name of up to 63 characters",
            (b"x\ty\na\tz\xe4", *pairs[0]): "now.token:2: a line",
            (b"y\tz\nx\t\n", *pairs[0]): "now.token:2: a line",
            (b"", *pairs[0]): "now.token: a token is one line",
            (tokens, pairs[1][0], pairs[0][1]): "now.key: The certificate and the given key do not match; ",
            (tokens, pairs[1][0], b"x"): "now.pem, ",
            (tokens, b"half", pairs[1][1]): "now.key: ",
        }.items(), 1):  # fmt: skip
            hang_up(*wrong)
            server.process.send_signal(signal.SIGHUP)
            until(lambda: len(kept()) == count, "it is rejected")  # noqa: B023
            assert words in kept()[-1]
            assert (shown(), status("one"), status("two")) == (first, 200, 401)
        hang_up(tokens, *pairs[1])
        server.process.send_signal(signal.SIGHUP)
        until(lambda: shown() == open(pairs[1][0]).read(), "the new certificate")
        assert (status("one"), status("two"), status("bob smith\ttwo"), status("")) == (200, 200, 401, 401)
        users = lambda: [json.loads(line)["user"] for line in server.messages if line.startswith("{")]
        until(lambda: sorted(map(str, users()[-4:])) == ["None", "None", "ann", "bob smith"], "the names")


def refused(what, *arguments, **more):
    """Checks that a server does not start: status 2, a line that says why and, for an option, one that names --help."""
    got = subprocess.run([SERVE, *arguments], capture_output=True, timeout=WAIT_S, **more)
    text = got.stderr.decode()
    assert (
        got.returncode == 2
        and what in text
        and re.fullmatch(r"trawl-serve: .*\n(Try 'trawl-serve --help' for more information\.\n)?", text)
        and got.stdout == b""
    )


def test_options(folder, root):
    """Checks that the server prints an error and does not start if the command line is wrong."""
    empty, wrong, half = (os.path.join(folder, name) for name in ("empty", "wrong.pem", "half.pem"))
    pem = "-----BEGIN %s-----\nx\n-----END %s-----\n"
    write(empty, "")
    unfit = [os.path.join(folder, "unfit%d" % i) for i in range(9)]
    for path, text in zip(
        unfit,
        (b" \nx\n", b"two\nlines\n", b"x\0y", b"\0", b"\nx", b"x\ry", b"\xc3\xa4", b"a\vb", b"x" * 4097),
        strict=True,
    ):
        write(path, text)
    write(half, pem % (("CERTIFICATE",) * 2))
    write(wrong, pem % (("CERTIFICATE",) * 2) + pem % (("PRIVATE KEY",) * 2))
    at_socket, loopback, any_host = "--listen=unix:" + os.path.join(folder, "options"), LOOPBACK, "--listen=0.0.0.0:0"
    pair = lambda name: ["--certificate=" + name, "--key=" + name]  # noqa: E731
    refused("there are no files to serve", at_socket)
    refused("neither a directory nor a regular file", at_socket, "/dev/null")
    for words, *rows in (
        ("neither unix:PATH nor HOST:PORT", ["--listen=8080"]),
        *(("neither unix:PATH nor HOST:PORT", ["--listen=" + it]) for it in (":80", "127.0.0.1:", "", "[]", "x" * 256 + ":0")),
        ("must have 1 to 107 bytes", ["--listen=unix:"], ["--listen=unix:/" + "x" * 200]),
        ("No such file or directory", ["--listen=unix:" + folder + "/none/x"]),
        ("each of the two options needs the other", [loopback, "--certificate=" + empty], [loopback, "--key=" + empty]),
        *(("a token is one line of 1 to 4096 printable", [at_socket, "--token-file=" + it]) for it in (empty, *unfit)),
        *(("is not the name of a host", ["--host=" + it]) for it in ("", "a:80", "http://a", "a/", "a b", "x" * 256)),
        ("nowhere: No such file", *([loopback, it + "=nowhere"] for it in ("--token-file", "--certificate", "--key"))),
        *((it + ", " + it + ": ", [loopback, *pair(it)]) for it in (empty, half, wrong)),
        ("a Unix socket has no TLS", [at_socket, *pair(wrong)]),
        ("other machines can reach this address", [any_host], [any_host, *pair(wrong)]),
        ("other machines can reach this address", [any_host, "--token-file=" + os.path.join(root, "sub/b.c")]),
        ("other machines can reach this address" if has_ipv6() else "--listen: ", ["--listen=[::]:0"],
         ["--listen=[::ffff:0.0.0.0]:0"])):  # fmt: skip
        for options in rows:
            refused(words, *options, root)
    for port in ("x", "65536", "99999", "-1", "+80", " 80", "80 ", "0x50", "4294967376", "18446744073709551696",
                 "000080", "8 0", "\uff11", "1e3", "0.5", "http"):  # fmt: skip
        refused("127.0.0.1:%s: the port is not a number" % port, "--listen=127.0.0.1:" + port, root)
    for name, words in ("run", "no socket is named"), ("", "no socket is named"), ("/" + "x" * 100, "is too long"):
        refused(words, root, env={**os.environ, "XDG_RUNTIME_DIR": name})
    refused("XDG_RUNTIME_DIR", root, env={key: value for key, value in os.environ.items() if key != "XDG_RUNTIME_DIR"})


def test_collections(folder, root, serve):
    """Tests several collections with names; the command's options choose the served files."""
    other = os.path.join(folder, "p=q")  # an equals sign after a slash does not end a name
    os.mkdir(other)
    roots = ["all=" + root, os.path.join(root, "sub"), 'b\\"=' + root, other]
    with serve("--include=*.c", "-g", "!none*", roots=roots) as server:
        wanted = [("all", 1), ("sub", 1), ('b\\"', 1), ("p=q", 0)]
        assert [(item["name"], item["files"]) for item in collections_of(server)] == wanted
        assert asked(server, "GET", "/v1/files", 200).count(b"/sub/b.c") == 2
        assert lines_of(asked(server, "GET", "/v1/files?collection=all", 200))[0]["path"] == "sub/b.c"
        assert server.count("needle", collection="sub")["occurrences"] == 1
        assert server.count("needle", directory=roots[1], paths=["b.c"])["occurrences"] == 1
        for paths, words in (
            (["a.txt"], "a.txt: the collection all leaves it out"),
            (["a.txt", "large.txt", "sub/none.c"], "a.txt and 2 more files: the collection all leaves them out"),
        ):
            error = server.count("needle", collection="all", directory=root, paths=paths)["error"]
            assert error == {"status": 409, "message": words}, "files that are not served"
    # The first collection takes longer to load than the last one. (Two small collections would be loaded at the same
    # time.)
    write(os.path.join(other, "x.bz2"), bz2.compress(os.urandom(900000)) * 6)
    with serve("--search-zip", roots=[other, root]):
        pass
    # Collections share the memory for files.
    for most in 100, 1:
        with serve("--host-memory=%d" % most, roots=[root, "b=" + root]) as server:
            held = [item["held_bytes"] for item in collections_of(server)]
            assert all(0 < count <= 50 if most > 1 else count == 0 for count in held)


def test_bounds(root, serve):
    """Tests servers that each serve the files between two paths: together they answer as one server."""
    for name in ("sub.d", "z"):
        os.mkdir(os.path.join(root, name))
    for name in ("sub.d/x", "z/y", "sub-a", "m"):
        write(os.path.join(root, name), "needle\nno\n")
    os.mkdir(os.path.join(root, "closed"), 0)
    options = ["--recursive", "--sort=path", "--context=0", "--include=[!l\xff]*"]
    body = {"patterns": ["needle"], "format": "frames", "options": options, "directory": root}
    body["paths"] = [".", "nosuch", "m"]
    search = lambda **more: frames_of(asked(server, "POST", "/v1/search", 200, {**body, **more}))  # noqa: E731
    said_by = lambda frames: [text for kind, text in frames if kind == b"m"]  # noqa: E731
    printed_by = lambda frames: b"".join(text for kind, text in frames if kind == b"o")  # noqa: E731
    answers, own_parts = (
        [],
        ["--until=m", "--from=m --until=sub/b.c", "--from=sub/b.c --until=sub.d/x", "--from=sub.d/x"],
    )
    for number, own in enumerate(["", *own_parts]):
        with serve(*own.split()) as server:
            write(os.path.join(root, "sub/added%d" % number), "needle\n")
            os.unlink(os.path.join(root, "sub/added%d" % number))
            frames = search(continued=number > 1, part=True)
            assert frames[-1][1][1:] == b"--\n"
            lines = lines_of(asked(server, "GET", "/v1/files", 200))
            files = sorted(str(line["path"]).split("/") for line in lines if line["path"] != {"bytes": "/y50eHQ="})
            none = search(paths=[], tg=True, options=["-g*.c", "--no-ignore"])
            says = [text for text in said_by(none) if b"closed" not in text]
            # what cannot be read is the reason, and no rule is blamed
            lacks = number > 0 and not any(kind == b"o" or b"closed" in text for kind, text in none)
            assert len(says) == lacks and (not lacks or none[-1][1][0] == 2)
            output = printed_by(frames)
            assert printed_by(search(continued=False)) == output.removeprefix(b"--\n" if number > 1 else b"")
            answers.append((said_by(frames), output, frames[-1][1][0], files))
    whole, parts_of = answers[0], answers[1:]
    assert sorted(text for one in parts_of for text in one[0]) == sorted(whole[0])
    assert [any(b"closed" in text for text in one[0]) for one in answers] == [ARE_CLOSED] * 2 + [False] * 3
    assert sum((one[3] for one in parts_of), []) == whole[3]
    groups = lambda output: sorted(output.replace(b"--\n", b"").splitlines())  # noqa: E731
    assert groups(b"".join(one[1] for one in parts_of)) == groups(whole[1])
    assert all(one[1].startswith(b"--\n") for one in parts_of[1:] if one[1]), "a separator is before the first group"
    assert {one[2] & 0x80 for one in parts_of[1:] if one[1]} == {0x80}


def test_sockets(folder, root, serve):
    """Checks that a server does not touch the socket of a running server, replaces the socket of a dead one, and never
    replaces any other file."""
    path = os.path.join(folder, "live")
    option = "--listen=unix:" + path
    with serve(option) as server:
        refused("a server listens there already", option, root)
        assert server.ask("GET", "/healthz")[0] == 200
        server.stop(signal.SIGKILL)
    assert os.path.exists(path), "what a killed server leaves"
    with serve(option) as server:
        assert server.ask("GET", "/healthz")[0] == 200
        # If a second server has taken the name, the first server does not remove that socket when it ends.
        os.unlink(path)
        other = socket.socket(socket.AF_UNIX)
        other.bind(path)
        assert server.stop() == 0
        assert os.path.exists(path), "another one's socket stays"
        other.close()
    os.unlink(path)
    # A server that accepts nothing for a while is not dead.
    busy, first, second = (socket.socket(socket.AF_UNIX) for _ in range(3))
    with busy, first, second:
        busy.bind(path)
        busy.listen(0)
        first.connect(path)
        second.setblocking(False)
        assert second.connect_ex(path) == errno.EAGAIN
        refused("a server listens there already", option, root)
    os.unlink(path)
    write(path, "")
    refused("is no socket", option, root)
    assert os.path.isfile(path), "the file stays"
    os.unlink(path)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(path + ".dead")
    os.symlink(path + ".dead", path)
    refused("is no socket", option, root)
    assert os.path.islink(path) and os.path.exists(path), "a link to a dead server's socket stays"
    longest = os.path.join(folder, "x" * (106 - len(folder)))
    refused("must have 1 to 107 bytes", "--listen=unix:" + longest + "x", root)
    for path in longest, "plain":  # a path without a folder, too
        with serve("--listen=unix:" + path, cwd=folder) as server:
            until(lambda: os.path.exists(os.path.join(folder, path)), "the socket is there")
            server.messages = [line.replace("plain", os.path.join(folder, "plain")) for line in server.messages]
            assert (server.ask("GET", "/healthz")[0], server.stop()) == (200, 0)
            assert not os.path.exists(os.path.join(folder, path))
    # The server starts without open descriptors. The environment says that systemd passed a socket, but to another
    # process.
    path = os.path.join(folder, "closed")
    closing = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", SERVE, "--listen=unix:" + path, root]
    with subprocess.Popen(closing, env={**os.environ, "LISTEN_PID": "1", "LISTEN_FDS": "1"}) as process:
        until(lambda: os.path.exists(path), "the socket is there")
        assert [os.readlink("/proc/%d/fd/%d" % (process.pid, i)) for i in range(3)] == ["/dev/null"] * 3
        process.terminate()
    assert process.returncode == 0
    with Server([SERVE], root, env={**os.environ, "XDG_RUNTIME_DIR": folder}) as server:
        assert server.address == "unix:" + os.path.join(folder, "trawl.sock")


def test_starters(folder, root):
    """Checks that a single server stays if several start at the same time where a killed server left a socket. Servers
    check a folder's sockets one at a time, so that no second server takes the name of the first server's socket."""
    path = os.path.join(folder, "raced")
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(path)
    lock = os.open(folder, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    quiet = dict.fromkeys(("stdin", "stderr"), subprocess.DEVNULL)
    started = [subprocess.Popen([SERVE, "--listen=unix:" + path, root], **quiet) for _ in range(8)]
    try:
        time.sleep(0.3)
        with socket.socket(socket.AF_UNIX) as client:
            assert client.connect_ex(path) == errno.ECONNREFUSED
        os.close(lock)
        until(lambda: sum(it.poll() is None for it in started) <= 1, "all but one end")
        assert [it.returncode for it in started if it.poll() is not None] == 7 * [2]
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
    finally:
        for it in started:
            it.terminate()
        for it in started:
            it.wait()
    assert not os.path.exists(path), "the one that stayed removes its socket"


def test_activation(folder, root):
    """Tests a socket that systemd passes, and the notifications to systemd."""
    path = os.path.join(folder, "passed")
    # A socket's name in the abstract namespace begins with a NUL byte; NOTIFY_SOCKET has @ instead.
    for family, address, name in (
        (socket.AF_UNIX, path, os.path.join(folder, "notices")),
        (socket.AF_INET, ("127.0.0.1", 0), "\0" + folder),
    ):
        notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notices.bind(name)
        notices.settimeout(WAIT_S)
        with socket.socket(family) as passed:
            passed.bind(address)
            passed.listen(5)
            number, told = passed.fileno(), {**os.environ, "NOTIFY_SOCKET": name.replace("\0", "@")}
            script = 'exec 3<&%d; LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" --listen=unix:unused "$1"' % number
            with Server(["bash", "-c", script, SERVE, root], pass_fds=[number], env=told) as server:
                assert notices.recv(100) == b"READY=1"
                assert server.ask("GET", "/healthz")[0] == 200
                assert server.stop() == 0
                assert notices.recv(100) == b"STOPPING=1"
    assert os.path.exists(path), "systemd's socket stays"
    assert not os.path.exists("unused"), "--listen is not used"
    for count, words in ("2", b"one socket"), ("1", b"not a listening socket"):
        script = 'LISTEN_PID=$$ LISTEN_FDS=%s exec "$0" "$1" 3</dev/null' % count
        status, _, said = execute(["sh", "-c", script, SERVE, root])
        assert status == 2 and words in said


def test_systemd(folder, root):
    """Runs systemd's own programs, which pass the socket and read the units."""
    missing = [name for name in ("systemd-socket-activate", "systemd-analyze") if not shutil.which(name)]
    if missing:
        pytest.skip("no " + " and no ".join(missing))
    path = os.path.join(folder, "activated")
    command = ["systemd-socket-activate", "-E", "LC_ALL=C.UTF-8", "-l", path, SERVE, root]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, bufsize=0)
    try:
        # The socket's file exists before the program listens.
        assert b"Listening on" in process.stderr.readline(), "systemd listens"
        counted = execute([TRAWL, "--server=unix:" + path, "-c", "needle", os.path.join(root, "a.txt")])
        assert counted == (0, b"2\n", b"")
        process.send_signal(signal.SIGTERM)
        messages = process.communicate(timeout=WAIT_S)[1]
        assert process.returncode == 0
        assert b"trawl-serve: serves at unix:" + os.fsencode(path) in messages, "it serves there"
    finally:
        process.kill()
    units = ROOT / "packaging/systemd"
    os.mkdir(os.path.join(folder, "trawl-serve.service.d"))
    for unit in units.iterdir():
        place = os.path.join(folder, "trawl-serve.service.d" if unit.suffix == ".conf" else "", unit.name)
        write(place, unit.read_text().replace("ExecStart=trawl-serve ", "ExecStart=%s " % SERVE))
    service = os.path.join(folder, "trawl-serve.service")
    verify = ["systemd-analyze", "--man=no", "verify", service, os.path.join(folder, "trawl-serve.socket")]
    assert execute(verify, stderr=subprocess.STDOUT)[:2] == (0, b"")
    # systemd-analyze scores what a hijacked server could do, from 0 to 100.
    for threshold, path in ("55", str(units / "trawl-serve.service")), ("15", service):
        score = ["systemd-analyze", "--no-pager", "security", "--offline=true", "--threshold=" + threshold, path]
        assert execute(score)[0] == 0


def begin_large(server, client=None, status=b"200", **more):
    """Returns a connection whose answer waits for its reader, and the bytes received so far. client: the client's address."""
    port = client and int(server.address.rsplit(":", 1)[1])
    for _ in range(500):
        end = socket.create_connection(("127.0.0.1", port), WAIT_S, (client, 0)) if client else server.connect()
        end.sendall(post_of(b"/v1/search", json.dumps({**LARGE, **more}).encode()))
        got = end.recv(100)
        if status != b"200" or got[9:12] != b"429":
            break
        end.close()  # a query still counts for a moment after its end
        time.sleep(0.005)
    assert got.startswith(b"HTTP/1.1 " + status), "it begins"
    return end, got


def read_all(end, got):
    while not got.endswith(b"\r\n0\r\n\r\n"):
        piece = end.recv(1 << 20)
        if not piece:
            break
        got += piece
    return got


def unchunked(answer):
    body, rest = b"", answer.split(b"\r\n\r\n", 1)[1]
    while rest:
        size, rest = rest.split(b"\r\n", 1)
        body += rest[: int(size, 16)]
        rest = rest[int(size, 16) + 2 :]
        if int(size, 16) == 0:
            return body
    return None  # the answer was truncated


@pytest.mark.waits
def test_ending(root, serve):
    """Checks that after a SIGTERM the server answers running requests and rejects new ones, and that it exits
    immediately after a second SIGTERM."""
    with open(os.path.join(root, "large.txt"), "rb") as file:
        expected = file.read()
    with serve() as server:
        kept = server.connection()
        kept.request("GET", "/healthz")
        assert kept.getresponse().read() == b"ok\n"
        end, got = begin_large(server)
        server.process.send_signal(signal.SIGTERM)
        until(lambda: not os.path.exists(server.address[5:]), "the socket is removed")
        kept.request("POST", "/v1/count", json.dumps({"patterns": ["a"]}), {"Content-Type": "application/json"})
        answer = kept.getresponse()
        assert (answer.status, json.loads(answer.read())["error"]["status"]) == (503, 503)
        assert server.process.poll() is None, "it waits for the answer"
        assert output_of(unchunked(read_all(end, got))) == expected, "the answer is whole"
        assert server.wait() == 0
        end.close()
        kept.close()
    # A second SIGTERM truncates the answer; so does the deadline if the client does not read.
    for options, status in ([], 2), (["--drain-seconds=1"], 0):
        with serve(*options) as server:
            end, got = begin_large(server)
            if status == 2:
                server.process.send_signal(signal.SIGTERM)
                until(lambda: not os.path.exists(server.address[5:]), "the socket is removed")
            assert server.stop() == status
            assert unchunked(read_all(end, got)) is None, "a cut answer can be seen to be cut"
            end.close()


@pytest.mark.waits
def test_ends(root, serve):
    """Checks that an answer which has begun ends with a status, whatever ends the answer: a limit, between lines,
    inside a line or long after the limit, or the end of the server."""
    write(os.path.join(root, "line"), "straw" + "x" * 12000000)
    with serve(LOOPBACK, "--drain-seconds=1") as server:
        ways = {
            b"1 s": {"max_seconds": 1},
            b"1 s,": {"max_seconds": 1},
            b"1 s, by": {"max_seconds": 1, "paths": ["line"]},
            b"3 lines": {"max_results": 3},
            b"ending": {},
        }
        rows = [(words, name, more) for words, more in ways.items() for name in ("json", "frames")]
        begun = [(words, name, *begin_large(server, format=name, **more)) for words, name, more in rows]
        for number, (words, name, end, got) in enumerate(begun):
            if words == b"ending" and name == "json":
                server.process.send_signal(signal.SIGTERM)
            time.sleep({0: 1.01, 2: 1.2, 8: 1.5}.get(number, 0))  # in time, late, and after --drain-seconds
            got = unchunked(read_all(end, got))
            end.close()
            assert got, "an answer ends with its status"
            if name == "json":
                assert json.loads(got.splitlines()[-1])["data"]["truncated"]
                continue
            lines, frames = output_of(got).splitlines(keepends=True), frames_of(got)
            assert words == b"1 s, by" or lines == [b"%07d straw of the haystack\n" % i for i in range(len(lines))]
            assert frames[-1] == (b"x", b"\2") and frames[-2][0] == b"m" and words in frames[-2][1]
        assert server.wait() == 0


def test_reloading(serve):
    """Checks that the server loads all files again after a SIGHUP, and answers meanwhile; and that, when it ends, it does
    not wait for queries that are over."""
    with serve("--drain-seconds=3600") as server:
        for count in 2, 3:
            server.process.send_signal(signal.SIGHUP)
            assert server.count("needle")["occurrences"] == NEEDLES
            server.loaded(count)
        assert server.stop() == 0


def test_leaving(serve):
    """Checks that clients which disconnect or read slowly do not disturb other clients."""
    with serve(LOOPBACK) as server:
        counts = None
        for reset in [False, True] * 4:
            ends = [begin_large(server)[0] for _ in range(5)]
            assert server.metric("trawl_running") == 5
            assert server.count("needle")["occurrences"] == NEEDLES
            before = server.metric("trawl_cancelled_total")
            for end in ends:
                if reset:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.close()
            until(lambda: server.metric("trawl_running") == 0, "their searches end")
            assert server.metric("trawl_cancelled_total") == before + 5
            counts = counts or server.open_counts()
            until(lambda: server.has_no_more_than(counts), "threads and descriptors are those of before")
        assert server.stop() == 0


EACH = [
    ("POST", "/v1/count", {"patterns": ["needle"]}),
    ("GET", "/v1/files", None),
    *(("POST", "/v1/search", {"patterns": ["needle"], "format": name}) for name in ("json", "frames", "columns")),
]


def test_memory(serve):
    """Checks which of the two memory limits rejects a request of each kind, and that requests free their memory."""
    own = "the request needs more memory than one request may take: see --max-memory"
    others = "other requests take all the memory that requests may take: see --request-memory"
    # A request's memory counts against both limits. A request that by itself exceeds one of them is rejected with 413,
    # even if its body fits.
    for most, all_most, bytes_count in (
        ("1M", "64M", 100),
        ("64M", "1M", 100),
        ("64M", "100K", 200000),
        ("64M", "1M", 209700),
    ):
        with serve("--max-memory=" + most, "--request-memory=" + all_most) as server:
            for method, path, body in EACH:
                got = asked(server, method, path, 413, body and json.dumps(body).encode().ljust(bytes_count))
                assert json.loads(got)["error"]["message"] == own
            asked(server, "POST", "/v1/count", 413, EACH[0][2])  # a rejected body does not use up the limits
    with serve(LOOPBACK, "--request-memory=5M", "--max-request=300K") as server:
        ends = [begin_large(server, "127.0.0.%d" % client)[0] for client in (2, 3)]
        for method, path, body in EACH:
            assert json.loads(asked(server, method, path, 503, body))["error"]["message"] == others
        for end in ends:
            end.close()
        for method, path, body in EACH * 3:  # an answer frees its memory a moment after its last byte
            until(lambda: server.ask(method, path, body)[0] == 200, path + " is answered afterwards")
        right = {"patterns": ["needle"]}
        for body, status in (
            ("{", 400),
            ({**right, "more": 1}, 400),
            ({**right, "collection": "x"}, 404),
            ({**right, "options": ["-j2"]}, 422),
            (right, 200),
            (right, 413),
        ):
            body = (body if body == "{" else json.dumps(body)).encode().ljust(250000)
            for _ in range(24):
                for _ in range(100):
                    time.sleep(0.001)
                    got = server.ask("POST", "/v1/count", iter([body, body]) if status == 413 else body)[0]
                    if got != 503:
                        break
                assert got == status


def test_method_changes(root, serve):
    """Checks that /metrics counts changes of the method: in a text of a set's strings, the first program takes twice as
    long as others."""
    patterns = [str(number) for number in range(10000000, 10011100, 37)]
    write(os.path.join(root, "dense.txt"), "\n".join(patterns * 1400).encode())
    with serve("--threads=1") as server:
        assert server.count("banana")["occurrences"] == 0
        assert server.metric("trawl_method_changes_total") == 0
        assert server.count(*patterns)["occurrences"] == 1400 * len(patterns)
        assert server.metric("trawl_method_changes_total") >= 1


@pytest.mark.waits
def test_limits(root, serve):
    """Checks that a request beyond a limit (bytes, queries of a client) gets the limit's status, and that other requests
    are answered. (Bodies, strings and results at their limits: test_exchanges.py.)"""
    with serve("--max-request=2K") as server:
        asked(server, "POST", "/v1/count", 413, b"x" * (4 << 20))
        assert server.ask("POST", "/v1/count", iter([b"x" * 1024] * 100))[0] == 413
        head = b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        # The server reads 16 MiB of a rejected body, so that the client sees the rejection, and then closes the connection.
        chunks = b"100000\r\n%s\r\n" % (b" " * (1 << 20))
        for count, answered in (15, True), (40, False):
            got = server.raw(head + b"Transfer-Encoding: chunked\r\n\r\n", *[chunks] * count, b"0\r\n\r\n")
            assert got.startswith(b"HTTP/1.1 413") == answered
        assert server.raw(head + b"Content-Length: 99999999999\r\n\r\n").startswith(b"HTTP/1.1 413")
    with serve("--max-queries=2") as server:
        # With each of these names, a buffer of the server becomes full within the first bytes of a line, which the server
        # must count, too.
        for count in 48, 99:
            name = b"\xff" + b"x" * count
            write(os.path.join(os.fsencode(root), name), b"\xe9\n" * 36000)
            body = {"patterns": [{"bytes": "6Q=="}], "paths": [{"bytes": base64.b64encode(name).decode()}]}
            answer = asked(server, "POST", "/v1/search", 200, {**body, "max_results": 35900})
            assert answer.count(b'{"type":"match"') == 35900
        ends = [begin_large(server) for _ in range(2)]
        asked(server, "POST", "/v1/count", 429, {"patterns": ["a"]})
        assert server.ask("GET", "/healthz")[0] == 200
        counted = execute([TRAWL, "--server=" + server.address, "-c", "needle", os.path.join(root, "a.txt")])
        assert counted == (0, b"2\n", b""), "a different process is a different client"
        end, got = ends.pop()
        assert unchunked(read_all(end, got)) is not None, "an answer is whole"
        end.close()
        until(lambda: server.metric("trawl_running") == 1, "it is over")
        until(lambda: server.ask("POST", "/v1/count", {"patterns": ["a"]})[0] == 200, "the client may ask again")
        until(lambda: server.metric("trawl_running") == 1, "the count is over")
        ends.append(begin_large(server))
        asked(server, "POST", "/v1/count", 429, {"patterns": ["a"]})
        for end, _ in ends:
            end.close()
    # Queries of several addresses begin and end in any order.
    draw, running = random.Random(1), {"127.0.0.%d" % i: [] for i in range(1, 5)}
    with serve(LOOPBACK, "--max-queries=1") as server:
        for _ in range(40):
            client = draw.choice(list(running))
            if running[client] and draw.random() < 0.5:
                running[client].pop().close()
                continue
            end, _ = begin_large(server, client, b"429" if running[client] else b"200")
            if running[client]:
                end.close()
            else:
                running[client].append(end)
        for end in sum(running.values(), []):
            end.close()


def idle_connections(server, most):
    """Opens up to `most` connections. Returns how many of these the server keeps open."""
    ends = []
    try:
        for _ in range(most):
            ends.append(server.connect())
            ends[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            if ends[-1].recv(1 << 16) == b"":
                return len(ends) - 1
        return most
    except ConnectionError:
        return len(ends) - 1
    finally:
        for end in ends:
            end.close()


def runs_nothing(server):
    """Returns True if no request runs; False also if the server closed the connection, so that the caller tries again. On a
    busy machine the request may be delayed for a second, and then the server closes the connection as idle."""
    try:
        return server.metric("trawl_running") == 0
    except ConnectionError:
        return False


@pytest.mark.waits
def test_idle(serve):
    """Checks that the server closes connections that send or read nothing, and keeps the limit of connections."""
    with serve(LOOPBACK, "--idle-seconds=1", "--max-connections=3") as server:
        for words in b"", b"GET /hea", post_of(b"/v1/count", b"{        ")[:-8]:
            end = server.connect()
            end.sendall(words)
            assert b" 200 " not in end.recv(1 << 16), "who says nothing"
            end.close()
        end, got = begin_large(server)
        until(lambda: runs_nothing(server), "who does not read")
        assert unchunked(read_all(end, got)) is None, "its answer is cut off"
        end.close()
        assert server.stop() == 0
    # A connection needs 6 descriptors.
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (30, 63))  # noqa: E731
    with serve(LOOPBACK, preexec_fn=few) as server:
        assert idle_connections(server, 20) == 11
    with serve(LOOPBACK, "--max-connections=3") as server:
        ends = [begin_large(server)[0] for _ in range(3)]
        assert server.raw(b"GET /healthz HTTP/1.0\r\n\r\n") == b"", "one connection too many"
        ends.pop().close()
        until(lambda: server.raw(b"GET /healthz HTTP/1.0\r\n\r\n"), "another client is served when one goes")
        for end in ends:
            end.close()


def shapes():
    """Yields requests that a proxy may pass on but read differently than the server. A row has the bytes, the statuses after
    which the server closes the connection, and words of its message. If the words are None, a newer HTTP library may
    answer instead of the server, or each for some of the requests."""
    body = b'{"patterns":["needle"]}'
    get, post = (
        LAST[:-2],
        b"POST /v1/count HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\nContent-Type: application/json\r\n",
    )
    length, chunked = b"Content-Length: %d" % len(body), b"Transfer-Encoding: chunked"
    for status, words, heads in [(400, b"folded",
         [b"Content-Length:\r\n 42", b"Content-Length:\r\n\t42", b"Content-Length: 4\r\n 2", length + b"\r\n ",
          length + b"\r\n\t\r\nX: y", chunked + b"\r\n ", b"Transfer-Encoding:\r\n chunked",
          length + b"\r\nTransfer-Encoding:\r\n chunked", b"Transfer-Encoding:\r\n chunked\r\n" + length,
          length + b"\r\nX: y\r\n z", b"X: y\r\n " + length, b"X:\r\n \r\n y\r\n" + length, length + b"\r\nX: y\0z",
          b"Content-Length: 4\0002", length + b"\0", b"\0\r\n" + length, length + b"\r\nX:\0 y", length + b"\nX: y",
          length + b"\r\nX: y\n" + chunked, length + b"\r\n\nX: y", length + b"\r\nX: y\n\nX: z"]),
        (400, b"name",
         [length.replace(b":", b" :"), length.replace(b":", b"\t:"), chunked.replace(b":", b" :"),
          length.replace(b":", b"\x0b:"), length + b"\r\nTransfer Encoding: chunked",
          length + b"\r\nTransfer-Encoding\xa0: chunked"]),
        (400, b"value",
         [length + b"\r\nX: a\r" + chunked, length + b"\r\nX: \x0b", length + b"\r\nX: a\x7f",
          chunked.replace(b" ", b" \x0b")]),
        (400, b"comes twice",
         [length + b"\r\n" + length, length + b"\r\nContent-Length: 5", length + b"\r\nHost: elsewhere",
          chunked + b"\r\nTransfer-Encoding: x"]),
        (400, b"beside", [length + b"\r\n" + chunked, chunked + b"\r\n" + length]),
        (400, b"not chunked",
         [
                chunked.replace(b"chunked", text)
                for text in (b"gzip, chunked", b"chunked, x", b"xchunked", b"chunked ", b",chunked", b"", b'"chunked"')
            ]),
        (400, None,
         [b"Content-Length:" + text for text in (b"", b" 5 ", b" -1", b" +5", b" 5x", b" 5, 5", b" 0x5")]
            + [b"X", b" " + length, length + b"\r\n: x", length + b"\r"]),
        (413, None, [b"Content-Length: 18446744073709551616"]),
        (411, b"Content-Length", [b"X: y", length.replace(b"-", b"_"), length.replace(b":", b"s:")]),
        (415, b"Content-Encoding", [length + b"\r\nContent-Encoding: gzip", length + b"\r\ncontent-encoding:"])]:  # fmt: skip
        yield from ((post + head + b"\r\n\r\n" + body, {status}, words) for head in heads)
    chunks = [
        b"17\r\n%s\r\n0\r\n\r\n" % body,
        b"17;a=b\r\n%s\r\n0\r\n\r\n" % body,
        b"17\r\n%s\r\n0\r\nContent-Length: 5\r\n\r\n" % body,
    ]
    yield from ((post + chunked + b"\r\n\r\n" + text, {200}, b"occurrences") for text in chunks[::2])
    yield from (
        (post + chunked + b"\r\n\r\n" + text.replace(old, new, 1), {200, 400, 413}, None)
        for text in chunks[:2]
        for old, new in [
            (b"", b""),
            (b"\r\n", b"\n"),
            (b"17", b"+17"),
            (b"17", b"0x17"),
            (b"17", b"17 "),
            (b"17", b"100000000000000017"),
            (b"}\r\n", b"}\n"),
            (b"}\r\n", b"}x\r\n"),
            (b"0\r\n", b"0\n"),
            (b"0\r\n", b"0\r\nX:\r\n y\r\n"),
        ]
    )
    yield (post + chunked + b"\r\n\r\n" + chunks[0]).replace(b"/1.1", b"/1.0"), {400}, b"not HTTP/1.1"
    for old, new, status, words in [(b"healthz", b"healthz%00x", 400, b"NUL"), (b"healthz", b"healthz\0x", 400, None),
        (b"healthz", b"v1/files?collection=tree%00x", 400, b"NUL"), (b"healthz", b"health\rz", 400, b"control"),
        (b"GET", b"GET\0", 400, b"method"), (b"GET", b"GET ", 400, b"method"), (b" HTTP/1.1", b"", 400, None),
        (b"1.1\r\n", b"1.1\n", 400, b"folded"), (b"/healthz", b"http://elsewhere/healthz", 400, b"target"),
        (b"GET", b"PUT", 405, b"method"), (b"GET", b"get", 405, b"method"), (b"HTTP/1", b"HTTP/2", 505, None),
        (b"localhost", b"localhost:80@evil.example", 400, b"value"), (b"localhost", b"localhost/x", 400, b"value"),
        (b"localhost", b"localhost, evil.example", 400, b"value"), (b"Host", b"Hos", 400, b"needs a Host"),
        (b"\r\n\r\n", b"\r\nContent-Length: %d\r\n\r\n" % len(LAST), 413, b"bytes"),
        (b"GET", b"POST", 411, b"Content-Length"), (b"healthz", b"x" * 300000, 414, None),
        (b"Host", b"X: " + b"x" * 300000 + b"\r\nHost", 431, None),
        (b"Host", b"X: y\r\n" * 30000 + b"Host", 431, None)]:  # fmt: skip
        yield LAST.replace(old, new), {status}, words
    yield from (
        (get + head + b"\r\n", {0}, b"ok\n")
        for head in (
            b"",
            b"Content-Length: 0\r\n",
            b"X: \xe9\r\n",
            b"X: y \r\nY:\t\r\nZ:\r\n",
            b"Cookie: a=b; c\r\nX: y\r\n",
            b"X: " + b"y" * 60000 + b"\r\n",
        )
    )
    yield post + length + b"\r\n\r\n" + body, {0}, b"occurrences"


def check_shapes(connect):
    """Sends each request of `shapes`, followed by a second request. If the first one is wrong, the server closes the
    connection, and the second one does not run."""
    library = ctypes.CDLL("libmicrohttpd.so.12")
    library.MHD_get_version.restype = ctypes.c_char_p
    refuses = not library.MHD_get_version().startswith(b"0.")  # version 1 itself rejects many shapes
    for sent, statuses, words in shapes():
        end, got, is_open = connect(), b"", statuses == {0}
        end.settimeout(20)
        with contextlib.suppress(OSError):
            end.sendall(sent + LAST)
            while not (is_open and got.count(b"HTTP/1.1 ") == 2) and (piece := end.recv(1 << 16)):
                got += piece
        end.close()
        answers = [int(text) for text in re.findall(rb"HTTP/1\.[01] (\d+)", got)]
        if is_open:
            assert answers == [200, 200] and words in got, "two answers"
        elif refuses and statuses != {200}:
            assert len(answers) <= 1 and set(answers) <= {*statuses, 400} and b"\r\n\r\nok\n" not in got
        else:
            # version 0.9.75 sends the head of some answers twice
            by_library = words is None and answers == answers[:1] * 2
            assert (
                set(answers) <= statuses
                and (len(answers) == 1 or by_library)
                and b"\r\n\r\nok\n" not in got
                and (words or b"") in got
            ), "refused and closed"
            assert words is None or b"Connection: close" in got, "an answer that says so"


def test_smuggling(serve):
    """Checks that the server never runs bytes as a second request that a proxy may treat as part of the first one. Some of
    the bytes, such as a folded header, are dropped by the HTTP library."""
    with serve() as server:
        check_shapes(server.connect)
        assert re.match(rb"HTTP/1\.[01] 200", server.raw(b"GET /healthz HTTP/1.0\r\n\r\n"))


def test_unread(root, serve):
    """Checks that a count reports how many files, operands and directories could not be read."""
    closed = os.path.join(root, "closed")
    os.mkdir(closed, 0)
    with serve() as server:
        for paths, count in (["."], int(ARE_CLOSED)), (["a.txt", "nothing"], 1):
            query = {"patterns": ["needle"], "directory": root, "paths": paths}
            columns = server.ask("POST", "/v1/search", {**query, "format": "columns"})[2].split(b"\n")[0]
            for got in server.ask("POST", "/v1/count", query)[2], columns:
                assert json.loads(got)["unread"] == count
    os.rmdir(closed)


def test_across_lines(folder, serve):
    """Compares counts and columns of expressions across lines with Python's re, file by file: 40 files for each request."""
    rng, tree, texts = random.Random(SEED), os.path.join(folder, "lines"), {}
    os.mkdir(tree)
    for i in range(40):
        texts["%02d" % i] = "".join(rng.choice("ab\n") for _ in range(rng.choice([0, 1, 2, 5, 30, 200])))
        write(os.path.join(tree, "%02d" % i), texts["%02d" % i].encode())
    parts = ["a", "b", "b?", "^", r"\n", "[ab]", r"\s", r"\s+", "a+", "(?:b|\\n)", "^b", "a$", "[^a]"]
    with serve(roots=[tree]) as server:
        for _ in range(amount(130)):
            expression = "".join(rng.choice(parts) for _ in range(rng.randint(1, 4)))
            places = [(name, found.start()) for name, text in sorted(texts.items())
                      for found in re.finditer("(?m)" + expression, text) if found[0]]  # fmt: skip
            query = {"patterns": [expression], "options": ["--perl-regexp", "--multiline"], "directory": tree}
            got = json.loads(server.ask("POST", "/v1/count", query)[2])
            assert (got["occurrences"], got["files"], got["unread"]) == (
                len(places),
                len({name for name, _ in places}),
                0,
            ), expression
            line, _, rest = server.ask("POST", "/v1/search", {**query, "format": "columns"})[2].partition(b"\n")
            names, count = json.loads(line)["files"], json.loads(line)["count"]
            begins, files = (
                struct.unpack("<%dQ" % count, rest[: 8 * count]),
                struct.unpack("<%dI" % count, rest[8 * count : 12 * count]),
            )
            assert [(names[file], begin) for file, begin in zip(files, begins)] == places, expression


def test_deep(root, serve):
    """Checks that files are held even if their paths are too long for a system call, and that no descriptor of a folder stays open."""
    directory = os.open(root, os.O_RDONLY)
    for _ in range(25):
        os.mkdir("d" * 200, dir_fd=directory)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=directory)
        os.close(directory)
        directory = below
    for number in range(20):
        with open(os.open("f%d" % number, os.O_WRONLY | os.O_CREAT, dir_fd=directory), "w") as file:
            file.write("depth %d\n" % number)
    os.close(directory)
    with serve() as server:
        got = server.count("depth")
        assert (got["occurrences"], got["unread"]) == (20, 0)
        assert collections_of(server)[0]["unheld_files"] == 0
        opened = len(os.listdir("/proc/%d/fd" % server.process.pid))
        assert opened < 40, "descriptors after files at long paths"


REQUESTS = [
    LAST,
    b"HEAD /v1/files?collection=tree HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: *\r\n\r\n",
    b"GET /metrics HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    post_of(b"/v1/count", b'{"patterns":["needle"]}'),
    post_of(b"/v1/search", b'{"patterns":["needle",{"bytes":"/w=="}],"options":["-i","--context=1"],"max_results":3}'),
    post_of(b"/v1/search", b'{"patterns":["needle"],"format":"frames","tg":true,"environment":{"terminal":true,"color":true},"directory":"/tmp","paths":["."]}'),
    post_of(b"/v1/search", b'{"patterns":[{"name":"","text":"straw\\nno"}],"format":"columns","max_results":9,"max_seconds":9}'),
    b"POST /v1/count HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"pat\r\nC\r\nterns\":[\"a\"]\r\n1\r\n}\r\n0\r\n\r\n"]  # fmt: skip
PLAIN = rb"(GET|HEAD|POST|PUT) /(?!v1/files)[!-~]* HTTP/1\.[01]\r\n(?!.*(content-length|transfer-encoding|expect))"


def spoil(request):
    """Returns the request with some bytes changed, removed, inserted or repeated."""
    garbage = bytearray(request)
    for _ in range(random.randrange(1, 6)):
        at = random.randrange(len(garbage) + 1)
        end = at + random.choice([0, 0, 1, 1, 2, 20])
        few = bytes(random.choices(b'\r\n\0 :/{}[]",-19\xff', k=random.randrange(3)))
        garbage[at:end] = random.choice([b"", few, os.urandom(2), bytes(garbage[at:end]) * 2, b"9" * 25])
    return bytes(garbage)


def test_garbage(serve):
    """Sends damaged requests. Each request gets a status, or the server closes the connection, and no thread or descriptor
    is left."""
    random.seed(SEED)
    with serve() as server:
        for request in REQUESTS:
            end = server.connect()
            end.sendall(request)
            got = end.recv(12)
            assert re.fullmatch(rb"HTTP/1\.1 (200|404)", got), "a request as it is"
            end.close()
        until(lambda: server.metric("trawl_running") == 0, "nothing runs")
        before = server.open_counts()
        for _ in range(amount(600)):
            request = spoil(random.choice(REQUESTS)) if random.randrange(20) else os.urandom(random.randrange(200))
            cut = random.randrange(len(request) + 1)
            got = server.raw(request[:cut], request[cut:])
            is_plain = re.match(PLAIN, request, re.IGNORECASE | re.DOTALL) and b"\r\n\r\n" in request
            assert re.match(rb"HTTP/1\.[01] [1-5]\d\d ", got) if got else not is_plain, "no status"
        until(lambda: server.metric("trawl_running") == 0, "nothing is left running")
        until(lambda: server.has_no_more_than(before), "threads and descriptors are those of before")
        assert server.count("needle")["occurrences"] == NEEDLES
        assert server.stop() == 0


@pytest.mark.parametrize("listen", ["unix", LOOPBACK])
def test_log(serve, folder, listen):
    """--log=json writes a line for each request, which says nothing of the strings."""
    token = os.path.join(folder, "token")
    write(token, b"secret\n")
    os.chmod(token, 0o600)
    server = serve(*[LOOPBACK] * (listen == LOOPBACK), "--log=json", "--token-file=" + token)
    told = {"Authorization": "Bearer secret"}
    asks = [
        ("POST", "/v1/count", 200, {"patterns": ["needle"]}, told),
        ("POST", "/v1/search", 200, {"patterns": ["needle"]}, told),
        ("POST", "/v1/search", 400, {"patterns": ["("], "options": ["-E"]}, told),
        ("POST", "/v1/count", 401, {"patterns": ["needle"]}, {}),
        ("GET", "/healthz", 200, None, {}),
        ("HEAD", "/healthz", 200, None, {}),
        ("GET", "/needle?needle", 404, None, told),
        ("GET", "/?needle", 200, None, {}),
    ]
    bodies = [asked(server, method, path, status, body, **more) for method, path, status, body, more in asks]
    lines = lambda: [json.loads(line) for line in server.messages if line.startswith("{")]
    until(lambda: len(lines()) == len(asks), "all requests are logged")
    logged = []
    for line in lines():
        assert list(line) == ["time", "client", "user", "method", "path", "status", "bytes", "seconds", "whole"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
        assert line["client"] == ("127.0.0.1" if listen == LOOPBACK else "uid %d" % os.getuid())
        assert line["whole"] or line["status"] >= 400  # then the server ends the connection, maybe before its client
        assert 0 <= line["seconds"] < WAIT_S
        logged.append([line["method"], str(line["path"]), line["status"], line["bytes"]])
    # A line comes when the answer was sent, so the client may be faster.
    assert sorted(logged) == sorted(
        [method, "None" if path.startswith("/needle") else path.partition("?")[0], status, len(body)]
        for (method, path, status, _, _), body in zip(asks, bodies)
    )
    assert "needle" not in "".join(line for line in server.messages if line.startswith("{"))
    # of a client that goes away before the answer's end
    end = server.connect()
    end.sendall(
        post_of(b"/v1/search", json.dumps(LARGE).encode()).replace(
            b"\r\n\r\n", b"\r\nAuthorization: Bearer secret\r\n\r\n", 1
        )
    )
    assert end.recv(1000).startswith(b"HTTP/1.1 200")
    end.close()
    until(lambda: len(lines()) == len(asks) + 1, "the request that was broken off is logged")
    assert lines()[-1]["status"] == 200 and not lines()[-1]["whole"]
    end = server.connect()  # a method that is no UTF-8
    end.sendall(b"\xff / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert end.recv(1000).startswith(b"HTTP/1.1 405")
    end.close()
    until(lambda: len(lines()) == len(asks) + 2, "so is a method without a name")
    assert lines()[-1]["method"] is None and lines()[-1]["status"] == 405
    assert execute([SERVE, "--log=xml", folder])[0] == 2
