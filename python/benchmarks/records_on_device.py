#!/usr/bin/env python3
"""Records in a GPU's memory: one search for all patterns, beside a scan of the column for each.

records_on_device.py [--records 1000000] [--patterns 1000] [--rounds 5]

The other way is that of data frames on GPUs: for each pattern a kernel looks at every record, here with
a thread or with a warp for each record, whichever is faster, and marks those in which it occurs. The
column's bytes and offsets lie on the device for both. Records have 20 to 180 bytes of made-up words;
half of the patterns, of 8 to 20 bytes, were cut from the text. Both mark the same records. Prints the
milliseconds of both: trawl's by the wall, with the answer on the host; the kernels' by the wall, too,
their launches being queued at once and waited for in the end, with the answer left on the device. It
needs CuPy and pyarrow.
"""

import argparse
import random
import time

import cupy
import numpy
import pyarrow
import trawl
from others import make_patterns, make_text

KERNELS = r"""
__device__ bool occurs(const char *at, const char *pattern, int length)
{
    for (int i = 0; i < length; i++)
        if (at[i] != pattern[i])
            return false;
    return true;
}

extern "C" __global__ void by_thread(const char *bytes, const long long *offsets, int count,
                                     const char *pattern, int length, unsigned char *found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count)
        return;
    for (long long at = offsets[i]; at + length <= offsets[i + 1]; at++)
        if (occurs(bytes + at, pattern, length)) {
            found[i] = 1;
            return;
        }
}

extern "C" __global__ void by_warp(const char *bytes, const long long *offsets, int count,
                                   const char *pattern, int length, unsigned char *found)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    long long at, end;

    if (i >= count)
        return;
    end = offsets[i + 1] - length;
    for (at = offsets[i] + lane; __any_sync(~0u, at <= end); at += 32)
        if (__any_sync(~0u, at <= end && occurs(bytes + at, pattern, length))) {
            if (lane == 0)
                found[i] = 1;
            return;
        }
}
"""


def make_column(rng, text, count):
    records = []
    for _ in range(count):
        size = rng.randint(20, 180)
        at = rng.randrange(len(text) - size)
        records.append(text[at : at + size])
    return pyarrow.array(records, pyarrow.large_binary())


def timed(call, rounds):
    """The answer, and the least seconds."""
    best, answer = float("inf"), None
    for _ in range(rounds):
        begin = time.perf_counter()
        answer = call()
        best = min(best, time.perf_counter() - begin)
    return answer, best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=1000000)
    parser.add_argument("--patterns", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rng = random.Random(1)
    text = make_text(rng, 32 << 20)
    patterns = make_patterns(rng, text, options.patterns)
    column = make_column(rng, text, options.records)
    _, offsets, tape = column.buffers()
    count = len(column)

    device_tape = cupy.asarray(numpy.frombuffer(tape, numpy.uint8))
    device_offsets = cupy.asarray(numpy.frombuffer(offsets, numpy.int64)[: count + 1])
    device_patterns = [
        (cupy.asarray(numpy.frombuffer(pattern, numpy.uint8)), len(pattern)) for pattern in patterns
    ]
    module = cupy.RawModule(code=KERNELS)
    found = cupy.zeros(count, cupy.uint8)

    def per_pattern(name, threads):
        kernel = module.get_function(name)
        blocks = (count * threads + 255) // 256

        def call():
            found.fill(0)
            for pattern, length in device_patterns:
                arguments = (device_tape, device_offsets, numpy.int32(count), pattern,
                             numpy.int32(length), found)  # fmt: skip
                kernel((blocks,), (256,), arguments)
            cupy.cuda.Device().synchronize()
            return int(found.sum())

        return call

    plan = trawl.Plan(patterns)
    size = len(tape)
    print(f"{count:,} records, {size / 1e6:.0f} MB, {len(patterns):,} patterns")
    marks = {}
    with trawl.Searcher("cuda") as searcher:
        searcher.load(memoryview(tape))
        searcher.contains(plan, column)
        answer, own = timed(lambda: searcher.contains(plan, column), options.rounds)
        marks["trawl"] = numpy.array(pyarrow.array(answer)).astype(bool)
        print(f"trawl, one search: {own * 1e3:.2f} ms, {size / own / 1e9:.1f} GB/s")
        best = float("inf")
        for name, threads in (("by_thread", 1), ("by_warp", 32)):
            call = per_pattern(name, threads)
            call()
            _, seconds = timed(call, 2)
            marks[name] = cupy.asnumpy(found).astype(bool)
            print(f"a kernel for each pattern, {name}: {seconds * 1e3:.1f} ms")
            best = min(best, seconds)
    assert all((mark == marks["trawl"]).all() for mark in marks.values()), "other records"
    print(f"{int(marks['trawl'].sum()):,} records hold a pattern; {best / own:.0f} times as fast")


if __name__ == "__main__":
    main()
