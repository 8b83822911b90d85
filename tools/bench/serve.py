"""serve: compares a server's answers with the search alone, and with rg and trawl on the same tree.

The tree consists of pieces of this machine's source files. A rare word is planted in 16 files and occurs nowhere else;
the other queries are a word that occurs in no file, two letters, and a frequent word. The server keeps the tree in
memory. "The search alone" counts in a single text of the same bytes, in memory or loaded onto devices. The counts of an
answer are compared with those of the search alone."""

import json
import os
import random
import shutil
import signal
import socket
import string
import subprocess
import time

import texts as recipes
from report import machine_line, median, table
from runner import command, die, line_of

RARE = "Vq7planted_here"
FREQUENT = "include"
TWO = "zq"
CLIENTS = 64
PLANTED = 16
START_SECONDS, COMMAND_RUNS = 300, 7
RUNS, ORACLE = 256, "16M"  # runs of each search alone; how much of the text the oracle searches
FOLDERS, ENDINGS = ("/usr/include", "/usr/lib/python3"), (".h", ".hpp", ".c", ".py", ".rs")


def make_tree(options, directory):
    """Make the tree, and return the paths of its files."""
    folders = options.words or FOLDERS
    content = recipes.own_files(folders, ENDINGS)
    if not content:
        die(f"no source files in {' '.join(folders)}")
    recipes.write_tree(directory, options.bytes, content)
    paths = [
        os.path.join(parent, name)
        for parent, _, names in os.walk(directory)
        for name in sorted(names)
        if name != ".ignore"
    ]
    for path in paths[:: len(paths) // PLANTED][:PLANTED]:
        with open(path, "ab") as file:
            file.write(f"{RARE} {os.path.relpath(path, directory)}\n".encode())
    return paths


def absent_words(count, seed):
    """Make words of 16 random small letters, which almost certainly no text contains."""
    chance = random.Random(seed)
    return ["".join(chance.choices(string.ascii_lowercase, k=16)) for _ in range(count)]


def query(pattern, expected, target="/v1/count", first=False):
    return line_of(
        "query", {"expected": expected, "target": target, "first": first, "body": json.dumps({"patterns": [pattern]})}
    )


def load(bench, address, clients, seconds, queries):
    done = subprocess.run(
        [bench, "load", address, str(clients), str(seconds)],
        check=False,
        input="".join(queries).encode(),
        stdout=subprocess.PIPE,
    )
    if done.returncode != 0:
        die("the server gave a wrong answer")
    return json.loads(done.stdout)


def search_alone(options, runner, paths, path, kinds):
    """Count each word in the concatenated files, each followed by a line end. Yield for each
    word a dict of the count, the number of runs, and percentiles of their times."""
    with open(path, "wb") as out:
        for name in paths:
            with open(name, "rb") as file:
                out.write(file.read() + b"\n")
    who = {"engine": options.engine, "threads": options.threads, "loaded": True, "plan": "once", "ours": True}
    common = {"rounds": RUNS, "seconds": options.cell_seconds}
    asks = {kind: {"text": f"file:{path}", "patterns": f"literal:{word}", "oracle": ORACLE} for kind, word in kinds}
    rows = runner.run({"name": it, **common, "asks": [(ask, [{"name": it, **who}])]} for it, ask in asks.items())
    os.remove(path)
    if runner.wrong:
        die("the search alone gave a wrong answer")
    for row in rows:
        (it,) = row["results"]
        times = sorted(it["seconds"])
        yield {
            "count": it["count"],
            "runs": len(times),
            **{f"us_p{rank}": 1e6 * times[len(times) * rank // 100] for rank in (50, 90, 99)},
        }


def get(address, target):
    """Send a request, and return the answer's body; None: the server does not listen yet."""
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(address)
        except OSError:
            return None
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        with connection.makefile("rb") as file:
            return file.read().partition(b"\r\n\r\n")[2].decode()


def start(options, directory, address):
    """Start the server. Return the process, the seconds until all files are loaded, and the server's
    facts about the collection."""
    begin = time.perf_counter()
    server = subprocess.Popen(
        [
            os.path.join(os.path.dirname(options.runner), "trawl-serve"),
            f"--listen=unix:{address}",
            f"--engine={options.engine}",
            f"--max-queries={4 * CLIENTS}",
            f"--host-memory={2 * options.bytes}",
            f"tree={directory}",
        ],
        stdin=subprocess.DEVNULL,
    )
    facts = {"loading": True}
    while facts["loading"]:
        time.sleep(0.05)
        told = get(address, "/v1/collections")
        if told is not None:
            facts = json.loads(told)["collections"][0]
        elif time.perf_counter() - begin > START_SECONDS or server.poll() is not None:
            server.kill()
            die("the server did not start")
    return server, time.perf_counter() - begin, facts


def measure(options, runner, texts):
    """Measure everything, and return a row with all figures."""
    bench, seconds = options.runner, options.cell_seconds
    directory, address = texts.path("tree"), texts.path("socket")
    paths = make_tree(options, directory)
    result = {
        "name": "serve",
        "bytes": sum(map(os.path.getsize, paths)),
        "threads": options.threads,
        "engine": options.engine,
        "files": len(paths),
    }
    words = absent_words(4096, options.seed)
    kinds = [("absent", words[0]), ("rare", RARE), ("two letters", TWO), ("frequent", FREQUENT)]
    alone = list(search_alone(options, runner, paths, texts.path("tape"), kinds))
    server, result["load_seconds"], result["facts"] = start(options, directory, address)
    try:
        result["one client"] = {}
        for (kind, word), row in zip(kinds, alone):
            expected = f'"occurrences":{row["count"]},'
            told = load(bench, address, 1, seconds, [query(word, expected)])
            result["one client"][kind] = {"alone": row, "server": told}
        absent = [query(word, '"occurrences":0,') for word in words]
        result["one by one"] = load(bench, address, 1, seconds, absent)
        result["many"] = load(bench, address, CLIENTS, seconds, absent)
        result["first line"] = load(bench, address, 1, seconds, [query(FREQUENT, '"match"', "/v1/search", first=True)])
        result["processes"] = processes(options, runner, directory, address, words[1])
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
    return [result]


def processes(options, runner, directory, address, absent):
    """Run whole commands on the tree, in turns, and return the medians."""
    who = {"trawl --server": [options.command, f"--server=unix:{address}", "-rl"], "trawl": [options.command, "-rl"]}
    if shutil.which("rg"):
        who["rg"] = ["rg", "--no-config", "-uuu", "-F", "-l"]
    rows = runner.run(
        {"name": kind, "rounds": COMMAND_RUNS, "asks": [({"bag": True}, [
            {"name": name, "ours": True, **command(*argv, word, directory)} for name, argv in who.items()])]}
        for kind, word in (("absent", absent), ("rare", RARE))
    )  # fmt: skip
    if runner.wrong:
        die("answers differ")
    return {row["name"]: {it["name"]: median(it) for it in row["results"]} for row in rows}


def section(data):
    """Make the section as lines of Markdown."""
    result, rows = data["rows"][0], []
    for kind, row in result["one client"].items():
        cells = [f"one client, {kind}"]
        for rank in ("us_p50", "us_p99"):
            alone, told = row["alone"][rank], row["server"][rank]
            cells += [f"{alone / 1e3:.2f}", f"{told / 1e3:.2f}", f"{told / alone:.2f}"]
        rows.append(cells)
    lines = [f"- {machine_line(data, on_gpu=True)}", ""] + table(
        ["count, ms", "p50: search alone", "server", "ratio", "p99: search alone", "server", "ratio"], rows
    )
    one, many = result["one by one"]["per_second"], result["many"]["per_second"]
    lines += [
        "",
        f"Absent words, all different: one client {one:,.0f} queries/s, {CLIENTS} clients "
        f'{many:,.0f} ({many / one:.1f} x). First bytes of the lines with "{FREQUENT}": p50 '
        f"{result['first line']['first_us_p50'] / 1e3:.2f} ms, p99 "
        f"{result['first line']['first_us_p99'] / 1e3:.2f} ms.",
        "",
    ]
    names = list(next(iter(result["processes"].values())))
    lines += table(
        ["whole process, ms", *names],
        [[kind, *(f"{found[name] * 1e3:.1f}" for name in names)] for kind, found in result["processes"].items()],
    )
    return lines + [
        "",
        f"{result['bytes'] / 1e9:.2f} GB in {result['files']:,} files, on "
        f"{result['threads']} threads, engine {result['engine']}; loaded in "
        f"{result['load_seconds']:.1f} s.",
    ]
