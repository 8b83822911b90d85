# shellcheck shell=bash
# server: what stories use to start a server, to send requests, to limit work and to say what they need
# (tests/documents/run.py --stories).

# cpu SECONDS COMMAND...: run a command that may use this much processor time, four times as much under a sanitizer; a
# busy machine may take longer.
cpu() (
    ulimit -t $(($1 * (${#TRAWL_TEST_SANITIZED} > 0 ? 4 : 1)))
    shift
    exec "$@"
)

# needs LIBRARY: skip the story if the library cannot be loaded.
needs() {
    python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$1" 2> /dev/null && return
    echo "SKIPPED: $1 is not installed"
    return 77
}

# serve OPTION...: start trawl-serve for the folder `tree` on a free port, and wait until the folder is loaded. Sets
# $port; the server's messages are in server.log. If the file `token` exists, its contents are the server's token.
serve() {
    token=$(cat token 2> /dev/null)
    : > server.log
    trawl-serve --listen=127.0.0.1:0 "$@" tree > /dev/null 2> server.log &
    server=$!
    trap 'kill $server 2> /dev/null; wait $server' EXIT
    until port=$(sed -n 's/.* serves at .*:\([0-9]*\)$/\1/p' server.log) && [ -n "$port" ] &&
        grep -q '; loaded in ' server.log; do
        kill -0 $server 2> /dev/null || { cat server.log; return 1; }
        sleep 0.01
    done
}

# raw BYTES: send BYTES (with the escapes of printf) over one connection. Prints the status line of each answer, then
# `closed` if the server closes the connection, or `open` if nothing more arrives within half a second.
raw() {
    printf '%b' "$1" | python3 -c '
import re, socket, sys
end = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
end.settimeout(0.5)
got, state = b"", "closed"
try:
    end.sendall(sys.stdin.buffer.read())
    while piece := end.recv(1 << 16):
        got += piece
except TimeoutError:
    state = "open"
except OSError:
    pass
print(*re.findall(r"^(HTTP/1\.1 .*?)\r?$", got.decode("latin-1"), re.M), state, sep="\n")
' "$port"
}

# ask METHOD TARGET [BODY]: send one request. Prints the status code, then the answer's body.
ask() {
    python3 -c '
import http.client, sys
port, token, method, target, *body = sys.argv[1:]
client = http.client.HTTPConnection("127.0.0.1", int(port))
headers = {"Content-Type": "application/json"} if body else {}
if token:
    headers["Authorization"] = "Bearer " + token
client.request(method, target, body[0].encode() if body else None, headers)
answer = client.getresponse()
print(answer.status)
sys.stdout.write(answer.read().decode())
' "$port" "$token" "$@"
}
