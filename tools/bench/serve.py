"""serve: a server's answers beside the search alone, and beside rg and trawl on the same tree.

A tree of sources is made of files that are here (--seeds), repeated with changes until it is --bytes
long. A word that is nowhere else stands in 16 of its files. The server holds the tree; the search
alone counts in one text of the same bytes, in memory, loaded onto devices. Answers are compared:
with what was planted, and with the search alone."""
import json
import multiprocessing
import os
import random
import shutil
import signal
import socket
import statistics
import string
import subprocess
import time

from report import machine_lines, table
from runner import die

RARE = 'Vq7planted_here'
FREQUENT = 'include'
TWO = 'zq'
CLIENTS = 64
SEED_BYTES_MAX = 256 << 10


def seed_files(folders, limit):
    """Text files below the folders, as bytes, in a fixed order."""
    found, total = [], 0
    for folder in folders:
        for root, directories, names in os.walk(folder):
            directories.sort()
            for name in sorted(names):
                path = os.path.join(root, name)
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                with open(path, 'rb') as file:
                    text = file.read(SEED_BYTES_MAX + 1)
                if text and len(text) <= SEED_BYTES_MAX and b'\0' not in text:
                    found.append((os.path.relpath(path, folder), text))
                    total += len(text)
                if total >= limit:
                    return found
    return found


SEEDS = []


def make_copy(job):
    """One copy of all seeds, with another number in each; returns its bytes."""
    directory, copy, stop = job
    total = 0
    for number, (name, text) in enumerate(SEEDS):
        if total >= stop:
            break
        changed = text.replace(b'the', b'the%d' % copy, 3) + b'/* %d %d */\n' % (copy, number)
        if copy < 16 and number == copy:
            changed += f'{RARE} {copy}\n'.encode()
        path = os.path.join(directory, f'copy{copy:04}', name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(changed)
        total += len(changed)
    return total


def make_tree(directory, seeds, wanted):
    global SEEDS
    SEEDS = seed_files(seeds, 64 << 20)
    each = sum(len(text) for _, text in SEEDS)
    if each == 0:
        die(f'no text files in {" ".join(seeds)}')
    jobs, total = [], 0
    while total < wanted:
        jobs.append((directory, len(jobs), wanted - total))
        total += each
    with multiprocessing.Pool() as pool:
        return sum(pool.imap_unordered(make_copy, jobs)), len(jobs)


def tape(directory, path):
    """All files one after the other, each with a line end behind it, as the server holds them."""
    with open(path, 'wb') as out:
        for root, directories, names in os.walk(directory):
            directories.sort()
            for name in sorted(names):
                with open(os.path.join(root, name), 'rb') as file:
                    out.write(file.read() + b'\n')


def absent_words(count, seed):
    """Words of small letters that no text holds, with a high certainty: 16 letters by chance."""
    chance = random.Random(seed)
    return [''.join(chance.choices(string.ascii_lowercase, k=16)) for _ in range(count)]


def query(pattern, expected, target='/v1/count', **more):
    return f'{expected}\t{target}\t{json.dumps({"patterns": [pattern], **more})}\n'


def load(bench, address, clients, seconds, queries):
    done = subprocess.run([bench, 'load', address, str(clients), str(seconds)], check=False,
                          input=''.join(queries).encode(), stdout=subprocess.PIPE)
    if done.returncode != 0:
        die('the server gave a wrong answer')
    return json.loads(done.stdout)


def scan(bench, path, threads, engine, seconds, patterns):
    done = subprocess.run([bench, 'scan', path, str(threads), engine, str(seconds)], check=True,
                          input='\n'.join(patterns).encode() + b'\n', stdout=subprocess.PIPE)
    return [json.loads(line) for line in done.stdout.splitlines()]


def get(address, target):
    """The body of an answer; None: nobody listens yet."""
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(address.removeprefix('unix:'))
        except OSError:
            return None
        connection.sendall(f'GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'.encode())
        with connection.makefile('rb') as file:
            return file.read().partition(b'\r\n\r\n')[2].decode()


def timed(argv, rounds, environment=None):
    """Median seconds of a whole process, its output and its status."""
    times, said = [], None
    for _ in range(rounds):
        begin = time.perf_counter()
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              env={**os.environ, **(environment or {})})
        times.append(time.perf_counter() - begin)
        said = (done.returncode, b''.join(sorted(done.stdout.splitlines(True))))
    return statistics.median(times), said


def start(options, directory, address):
    program = os.path.join(os.path.dirname(options.runner), 'trawl-serve')
    argv = [program, f'--listen={address}', f'--engine={options.engine}', f'--max-queries={4 * CLIENTS}',
            f'--host-memory={2 * options.bytes}',
            f'tree={directory}']
    begin = time.perf_counter()
    server = subprocess.Popen(argv, stdin=subprocess.DEVNULL)
    return server, begin


def wait_loaded(address, begin):
    """Until all is loaded: seconds, and what the server says of the collection."""
    while True:
        time.sleep(0.05)
        told = get(address, '/v1/collections')
        if told is None:
            if time.perf_counter() - begin > 300:
                die('the server did not start')
            continue
        facts = json.loads(told)['collections'][0]
        if not facts['loading']:
            return time.perf_counter() - begin, facts


def figures(options, directory, made):
    """A dict of all that is measured on the tree."""
    bench, seconds = options.runner, options.cell_seconds
    address = f'unix:{directory}.sock'
    threads = options.threads
    result = {'name': 'serve', 'bytes': made, 'threads': threads, 'engine': options.engine,
              'files': sum(len(names) for _, _, names in os.walk(directory))}
    words = absent_words(4096, options.seed)
    path = f'{directory}.tape'
    tape(directory, path)
    kinds = [('absent', words[0]), ('rare', RARE), ('two letters', TWO), ('frequent', FREQUENT)]
    alone = scan(bench, path, threads, options.engine, seconds, [word for _, word in kinds])
    os.remove(path)
    server, begin = start(options, directory, address)
    try:
        result['load_seconds'], result['facts'] = wait_loaded(address, begin)
        result['one client'] = {}
        for (kind, word), row in zip(kinds, alone):
            expected = f'"occurrences":{row["count"]},'
            told = load(bench, address, 1, seconds, [query(word, expected)])
            result['one client'][kind] = {'alone': row, 'server': told}
        absent = [query(word, '"occurrences":0,') for word in words]
        result['one by one'] = load(bench, address, 1, seconds, absent)
        result['many'] = load(bench, address, CLIENTS, seconds, absent)
        result['first line'] = load(bench, address, 1, seconds,
                                    [query(FREQUENT, '"match"', '!/v1/search')])
        result['processes'] = processes(options, directory, address, words[1])
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
    return result


def processes(options, directory, address, absent):
    """Whole commands on the tree, by turns."""
    rg, found = shutil.which('rg'), {}
    for kind, word in (('absent', absent), ('rare', RARE)):
        rows = {'trawl --server': [options.command, f'--server={address}', '-rl', word, directory],
                'trawl': [options.command, '-rl', word, directory]}
        if rg:
            rows['rg'] = [rg, '-uuu', '-F', '-l', word, directory]
        said = {}
        found[kind] = {}
        for name, argv in rows.items():
            timed(argv, 1)
            found[kind][name], said[name] = timed(argv, 3 if name == 'rg' else 7)
        if len(set(said.values())) != 1:
            die(f'answers differ: {said}')
    return found


def section(data):
    """Lines of Markdown."""
    result, rows = data['rows'][0], []
    for kind, row in result['one client'].items():
        cells = [f'one client, {kind}']
        for rank in ('us_p50', 'us_p99'):
            alone, told = row['alone'][rank], row['server'][rank]
            cells += [f'{alone / 1e3:.2f}', f'{told / 1e3:.2f}', f'{told / alone:.2f}']
        rows.append(cells)
    lines = machine_lines(data) + [''] + table(
        ['count, ms', 'p50: search alone', 'server', 'ratio', 'p99: search alone', 'server',
         'ratio'], rows)
    one, many = result['one by one']['per_second'], result['many']['per_second']
    lines += ['', f'Absent words, all different: one client {one:,.0f} queries/s, {CLIENTS} clients '
              f'{many:,.0f} ({many / one:.1f} x). First bytes of the lines with "{FREQUENT}": p50 '
              f'{result["first line"]["first_us_p50"] / 1e3:.2f} ms, p99 '
              f'{result["first line"]["first_us_p99"] / 1e3:.2f} ms.', '']
    names = list(next(iter(result['processes'].values())))
    lines += table(['whole process, ms', *names],
                   [[kind, *(f'{found[name] * 1e3:.1f}' for name in names)]
                    for kind, found in result['processes'].items()])
    return lines + ['', f'{result["bytes"] / 1e9:.2f} GB in {result["files"]:,} files, on '
                    f'{result["threads"]} threads, engine {result["engine"]}; loaded in '
                    f'{result["load_seconds"]:.1f} s.']


def measure(options):
    """The one row, with all figures."""
    directory = os.path.join(options.directory, 'serve-tree')
    seeds = options.words or ['/usr/include', '/usr/lib/python3', '/usr/share/doc']
    shutil.rmtree(directory, ignore_errors=True)
    try:
        made, _ = make_tree(directory, seeds, options.bytes)
        return figures(options, directory, made)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
