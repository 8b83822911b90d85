"""serve: compares a server's answers with the search alone, and with rg and trawl on the same tree.

The tree consists of pieces of this machine's source files. A rare word is planted in 16 files and occurs nowhere else;
the other queries are a word that occurs in no file, two letters, and a frequent word. The server keeps the tree in
memory. "The search alone" counts in a single text of the same bytes, in memory or loaded onto devices, and the server
must count as many."""

import os
import random
import shutil
import signal
import string
import subprocess
import time

import texts as recipes
from report import machine_line, median, result, table
from runner import command, die

RARE = "Vq7planted_here"
FREQUENT = "include"
TWO = "zq"
CLIENTS = 64
PLANTED = 16
COMMAND_RUNS = 7
RUNS, ORACLE = 256, "16M"  # most queries of a client; how much of the text the oracle searches
FEW, MANY = 16, 1024  # different absent words of one client, and of all
ALONE, SERVER, FIRST, RATE = "search alone", "server", "first bytes of lines", "absent words, all different"
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


def start(options, directory, address):
    """Start the server. Return the process, and the seconds until all files are loaded, which it says on standard error."""
    begin = time.perf_counter()
    words = [f"--listen=unix:{address}", f"--engine={options.engine}", f"--max-queries={4 * CLIENTS}",
             f"--host-memory={2 * options.bytes}", f"tree={directory}"]  # fmt: skip
    program = os.path.join(os.path.dirname(options.runner), "trawl-serve")
    server = subprocess.Popen([program, *words], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = []
    while not said or (said[-1] and "loaded in" not in said[-1]):
        said.append(server.stderr.readline())
    if not said[-1]:
        die(f"the server did not start: {''.join(said)}")
    return server, time.perf_counter() - begin


def rows(options, texts):
    """Yield a row for each kind of query, and rows of whole commands. The server runs until the last has been measured."""
    directory, address, tape = texts.path("tree"), texts.path("socket"), texts.path("tape")
    paths = make_tree(options, directory)
    with open(tape, "wb") as out:
        for name in paths:
            with open(name, "rb") as file:
                out.write(file.read() + b"\n")
    words = absent_words(MANY, options.seed)
    alone = {"name": ALONE, "engine": options.engine, "loaded": True, "plan": "once", "ours": True}
    served = {"name": SERVER, "kind": "server", "address": address, "threads": 1, "ours": True}
    server, load_seconds = start(options, directory, address)
    facts = {"files": len(paths), "engine": options.engine, "threads": options.threads, "load_seconds": load_seconds}
    try:
        for kind, word in (("absent", words[0]), ("rare", RARE), ("two letters", TWO), ("frequent", FREQUENT)):
            ask = {"text": f"file:{tape}", "patterns": f"literal:{word}", "oracle": ORACLE}
            asks = [(ask, [{**alone, "threads": options.threads}, served])]
            yield {"name": f"one client, {kind}", "rounds": RUNS, "asks": asks, **facts}
        asks = [({"patterns": f"literal:{FREQUENT}"}, [{**served, "target": "/v1/search", "first": True}])]
        yield {"name": FIRST, "rounds": RUNS, "asks": asks}
        asks = [
            ({"patterns": f"file:{texts.patterns(f'absent-{n}', [it.encode() for it in words[:n]])}"},
             [{**served, "name": f"{clients}", "threads": clients}])
            for clients, n in ((1, FEW), (CLIENTS, MANY))
        ]  # fmt: skip
        yield {"name": RATE, "asks": asks}
        who = {
            "trawl --server": [options.command, f"--server=unix:{address}", "-rl"],
            "trawl": [options.command, "-rl"],
        }
        who |= {"rg": ["rg", "--no-config", "-uuu", "-F", "-l"]} if shutil.which("rg") else {}
        for kind, word in (("absent", words[1]), ("rare", RARE)):
            programs = [
                {"name": name, "ours": name != "rg", **command(*argv, word, directory)} for name, argv in who.items()
            ]
            yield {"name": f"-rl, {kind}", "rounds": COMMAND_RUNS, "asks": [({"bag": True}, programs)]}
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


def section(data):
    """Make the section as lines of Markdown."""
    rows_of, cells = {row["name"]: row for row in data["rows"]}, []

    def of_rank(row, name, rank):
        times = sorted(result(row, name)["seconds"])
        return 1e3 * times[len(times) * rank // 100]

    for row in (row for row in data["rows"] if row["name"].startswith("one client")):
        cells.append([row["name"], f"{row['found']:,}"])
        for rank in (50, 99):
            alone, told = (of_rank(row, it, rank) for it in (ALONE, SERVER))
            cells[-1] += [f"{alone:.2f}", f"{told:.2f}", f"{told / alone:.2f}"]
    heads = ["count, ms", "found", "p50: search alone", "server", "ratio", "p99: search alone", "server", "ratio"]
    lines = [f"- {machine_line(data, on_gpu=True)}", "", *table(heads, cells), ""]
    if RATE in rows_of:
        one, many = FEW / median(result(rows_of[RATE], "1")), MANY / median(result(rows_of[RATE], f"{CLIENTS}"))
        lines.append(f"{RATE}: one client {one:,.0f} queries/s, {CLIENTS} clients {many:,.0f} ({many / one:.1f} x).")
    if FIRST in rows_of:
        p50, p99 = (of_rank(rows_of[FIRST], SERVER, rank) for rank in (50, 99))
        lines.append(f'First bytes of the lines with "{FREQUENT}": p50 {p50:.2f} ms, p99 {p99:.2f} ms.')
    processes = [row for row in data["rows"] if row["name"].startswith("-rl")]
    for row in processes:
        times = ", ".join(f"{it['name']} {1e3 * median(it):.1f}" for it in row["results"] if it.get("seconds"))
        lines.append(f"Whole process, {row['name']}, ms: {times}.")
    it = data["rows"][0]
    if "files" in it:
        lines.append(
            f"{it['text_bytes'] / 1e9:.2f} GB in {it['files']:,} files, on {it['threads']} threads, engine {it['engine']}; "
            f"loaded in {it['load_seconds']:.1f} s."
        )
    return lines
