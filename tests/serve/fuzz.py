#!/usr/bin/env python3
"""Sends requests that are nearly right: the server must not end or hang, and must always send a status.

fuzz.py TRAWL-SERVE [--seconds NUM] [--seed N] [--threads 4]

The test builds a request of valid parts (targets, options, members, values), and then changes, removes,
doubles or exchanges bytes of the request; in some requests the JSON stays valid and members change. A request
with a valid head must get a complete answer with a status; the server may refuse any other request by closing
the connection."""
import argparse
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from server import Server, seconds

SKIP = 77
TARGETS = ['/v1/search', '/v1/count', '/v1/collections', '/v1/files?collection=tree', '/metrics',
           '/healthz', '/', '/app.js', '/style.css', '/v1/openapi.json', '/v1', '//', '/v1/search?',
           '/v1/files', '/v1/files?collection=', '/v1/files?collection=../etc', '/%2e%2e/%00', '*']
METHODS = ['GET', 'POST', 'POST', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'BREW']
OPTIONS = ['--ignore-case', '-i', '--word-regexp', '--line-number', '--count', '--context=2', '-C1', '-l',
           '-L', '-v', '-o', '--max-count=3', '--glob=*.txt', '-g', '--type=c', '--color=always',
           '--json', '--replace=X', '--sort=path', '--hex', '--mismatches=1', '--edits=2', '--text',
           '--null', '--heading', '--files', '--positions', '--first', '--count-matches', '-z', '-x',
           '--file=/etc/passwd', '-f/etc/passwd', '--ignore-file=/etc/passwd',
           '--engine=cuda', '--threads=99999', '--stats', '--explain', '--generate=man',
           '--pre=sh', '--follow', '-R', '--max-columns=5', '--encoding=utf-16', '--search-zip',
           '--fasta', '--passthru', '--no-such', '-', '--', '', 'word', '-e', '--regexp=x', '--help']
VALUES = [None, True, False, 0, -1, 1, 3, 1e300, 2**63, 2**64, '', 'a', 'tree', 'e\nab', '\0', '\ud800',
          [], {}, ['e'], [{'name': 'f', 'text': 'e\0\nab'}], [[]], [None], {'bytes': '/w=='}, {'bytes': '!'}, {'bytes': 5}, [{'bytes': 'AAEC'}],
          'x' * 5000, ['y'] * 3000, '/', '/etc', '..', ['../..'], ['/etc/passwd'], ['d0'], ['-'], ['.']]
MEMBERS = ['patterns', 'collection', 'directory', 'paths', 'options', 'tg', 'environment',
           'format', 'max_results', 'max_seconds', 'unknown', '']


def body(chance):
    asked = {'patterns': [chance.choice(['e', 'needle', 'ab', 'zz', {'bytes': 'YWI='}])]}
    if chance.random() < 0.5:
        asked['options'] = chance.sample(OPTIONS, chance.randrange(4))
    if chance.random() < 0.3:
        asked['format'] = chance.choice(['json', 'frames', 'columns', 'xml'])
    for _ in range(chance.choice((0, 0, 1, 2))):
        asked[chance.choice(MEMBERS)] = chance.choice(VALUES)
    made = json.dumps(asked).encode()
    if chance.random() < 0.02:
        made = b'[' * 100000 if chance.random() < 0.5 else b'{"a":' * 50000
    return made


def spoilt(chance, made):
    made = bytearray(made)
    for _ in range(chance.choice((0, 0, 1, 2, 8))):
        if not made:
            break
        at = chance.randrange(len(made))
        kind = chance.randrange(4)
        if kind == 0:
            made[at] = chance.randrange(256)
        elif kind == 1:
            del made[at:at + chance.randrange(1, 9)]
        elif kind == 2:
            made[at:at] = made[at:at + 20]
        else:
            made[at:at] = chance.choice((b'\r\n', b'\0', b'"', b'\\', b'\xff', b'}', b'-', b'9' * 30))
    return bytes(made)


def request(chance):
    """Returns the bytes of a request, and whether the head is valid and the body has the declared length."""
    sent = body(chance)
    if chance.random() < 0.5:
        sent = spoilt(chance, sent)
    head = [f'{chance.choice(METHODS)} {chance.choice(TARGETS)} HTTP/1.1', 'Host: localhost',
            'Connection: close', f'Content-Length: {len(sent)}']
    if chance.random() < 0.9:
        head.append('Content-Type: application/json')
    if chance.random() < 0.1:
        head.append(chance.choice(['Origin: http://evil.example', 'Authorization: Bearer x',
                                   'X: ' + 'y' * chance.choice((10, 5000, 60000)), 'Expect: 100-continue',
                                   'Accept-Encoding: gzip', 'Range: bytes=0-1', 'If-None-Match: "a"']))
    made = '\r\n'.join(head).encode() + b'\r\n\r\n'
    if chance.random() < 0.8:
        return made + sent, True
    return spoilt(chance, made) + sent, False


def exchange(server, sent, ends):
    with server.connect() as connection:
        try:
            connection.sendall(sent)
            if ends:
                connection.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError, OSError):
            pass
        got = bytearray()
        try:
            while part := connection.recv(65536):
                got += part
        except ConnectionResetError:
            pass
        return bytes(got)


def work(server, seed, end, failures, counts):
    chance = random.Random(seed)
    while time.monotonic() < end and not failures:
        sent, sound = request(chance)
        try:
            got = exchange(server, sent, not sound)
        except OSError as error:
            failures.append(f'{error} after {sent[:300]!r}')
            return
        status = got[9:12] if got.startswith(b'HTTP/1.1 ') else b'none'
        if (sound and status == b'none') or (status != b'none' and not 100 <= int(status) <= 599):
            failures.append(f'{got[:100]!r} for {sent[:300]!r}')
        if status[:1] == b'5' and status not in (b'501', b'505'):
            failures.append(f'{got[:300]!r} for {sent[:300]!r}')
        counts[status] = counts.get(status, 0) + 1


def run(options, folder):
    root = os.path.join(folder, 'tree')
    os.makedirs(os.path.join(root, 'd0'))
    for number in range(8):
        with open(os.path.join(root, f'd0/f{number}.txt'), 'w', encoding='utf-8') as file:
            file.write('a needle, e, abab zz\n' * number)
    failures, counts = [], {}
    with Server([options.server], f'--listen=unix:{folder}/socket', '--engine=cpu', '--max-request=1M',
                f'tree={root}', stdin=subprocess.DEVNULL) as server:
        end = time.monotonic() + options.seconds
        threads = [threading.Thread(target=work, args=(server, options.seed * 100 + i, end, failures,
                                                       counts)) for i in range(options.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if not failures and server.process.poll() is None and server.ask('GET', '/healthz')[0] != 200:
            failures.append('/healthz does not answer')
        if server.stop() != 0:
            failures.insert(0, f'the server ended with {server.process.returncode}: {server.messages[-20:]}')
    print({status.decode(): count for status, count in sorted(counts.items())})
    return failures[0] if failures else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('server')
    parser.add_argument('--seconds', type=float, default=seconds())
    parser.add_argument('--seed', type=int, default=int(os.environ.get('TRAWL_TEST_SEED', '1')))
    parser.add_argument('--threads', type=int, default=4)
    options = parser.parse_args()
    if not os.access(options.server, os.X_OK):
        print('SKIPPED: there is no server in this build')
        return SKIP
    folder = tempfile.mkdtemp(prefix='trawl-fuzz-')
    try:
        failure = run(options, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if failure:
        print(f'FAILED (seed {options.seed}): {failure}')
    return 1 if failure else 0


if __name__ == '__main__':
    sys.exit(main())
