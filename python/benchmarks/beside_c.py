#!/usr/bin/env python3
"""Searches from Python beside the same ones from C, in one process, by turns.

beside_c.py LIBTRAWL.a [--threads 2] [--rounds 15] [--clock wall]

The C side is beside_c.c, linked with the same library. Prints the best of each and their ratio: bytes
or positions per second from Python by those from C. --clock cpu: per second of processor time, summed
over threads, for machines that do other things too.
"""

import argparse
import ctypes
import os
import pathlib
import random
import subprocess
import tempfile
import time

import trawl

CLOCKS = {"wall": time.perf_counter_ns, "cpu": time.process_time_ns}
clock = CLOCKS["wall"]
HERE = pathlib.Path(__file__).parent


def load(library):
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "beside_c.so")
        subprocess.run(
            ["cc", "-O2", "-shared", "-fPIC", f"-I{HERE.parents[1] / 'include'}", "-o", made]
            + [str(HERE / "beside_c.c"), library, "-lpthread", "-ldl"],
            check=True,
        )
        loaded = ctypes.CDLL(made)
    loaded.bench_open.restype = ctypes.c_void_p
    loaded.bench_open.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint32]
    for name in ("bench_count", "bench_begins"):
        function = getattr(loaded, name)
        function.restype = ctypes.c_uint64
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
        function.argtypes += [ctypes.POINTER(ctypes.c_uint64)]
    return loaded


def address(text):
    return ctypes.addressof((ctypes.c_char * len(text)).from_buffer(text))


def by_turns(one, other, rounds):
    """The least nanoseconds of both, and the median of their ratios."""
    pairs = []
    for turn in range(rounds):
        first, second = (one, other) if turn % 2 else (other, one)
        a, b = first(), second()
        pairs.append((a, b) if turn % 2 else (b, a))
    ratios = sorted(b / a for a, b in pairs)
    return min(a for a, _ in pairs), min(b for _, b in pairs), ratios[len(ratios) // 2]


def report(what, python, c, ratio, unit, amount):
    best = c / python
    print(
        f"{what:28} python {amount / python:8.3f} {unit}  C {amount / c:8.3f} {unit}  "
        f"best {best:5.3f}  median {ratio:5.3f}"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    options = parser.parse_args()
    global clock
    clock = CLOCKS[options.clock]
    c = load(options.library)
    c.bench_clock(options.clock == "cpu")
    searcher = trawl.Searcher("cpu", options.threads)
    rng = random.Random(1)
    pattern = b"pattern"
    plan = trawl.Plan(pattern)
    bench = c.bench_open(pattern, len(pattern), options.threads)
    found = ctypes.c_uint64()

    def from_c(text, rounds):
        return lambda: c.bench_count(bench, address(text), len(text), rounds, found)

    def from_python(text, rounds):
        def run():
            begin = clock()
            for _ in range(rounds):
                count = searcher.count(plan, text)
            spent = clock() - begin
            assert count == found.value or found.value == 0
            return spent

        return run

    small = bytearray(b"a text of sixty-four bytes with one pattern in it, and the rest.")
    many = 20000
    python, own, _ = by_turns(from_python(small, many), from_c(small, many), options.rounds)
    print(
        f"64 bytes: python {python / many:.0f} ns, C {own / many:.0f} ns, over C "
        f"{(python - own) / many:.0f} ns"
    )
    for mebibytes in (1, 4, 16, 64, 256):
        text = bytearray(rng.randbytes(1 << 20).replace(b"\n", b" ") * mebibytes)
        text[-7:] = pattern
        rounds = max(1, 256 // mebibytes)
        times = by_turns(from_python(text, rounds), from_c(text, rounds), options.rounds)
        report(f"count, {mebibytes} MiB", *times, "GB/s", rounds * len(text))
        del text
    text = bytearray(b"ab" * 100_000_000)
    plan, bench = trawl.Plan(b"a"), c.bench_open(b"a", 1, options.threads)

    def positions():
        begin = clock()
        column = searcher.positions(plan, text)
        spent = clock() - begin
        assert len(column) == 100_000_000 and column[-1] == len(text) - 2
        return spent

    room = 100_000_000
    own = lambda: c.bench_begins(bench, address(text), len(text), room, found)  # noqa: E731
    times = by_turns(positions, own, max(3, options.rounds // 3))
    assert found.value == room
    report("10^8 positions", *times, "G/s", room)


if __name__ == "__main__":
    main()
