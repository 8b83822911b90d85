"""Searches the same records on the same GPU by pylibcudf and by trawl, and compares the answers and the rates.

gpu_cudf.py [GIB] [JSON]: 1 GiB of log records of 100 bytes, unless GIB says otherwise. pylibcudf allocates from a pool
of rmm, and its fastest call counts. Both answers stay on the GPU. Also writes the table to the file JSON, after each row.
Then passes columns and answers between the two. Exits with 1 if an answer differs."""

import functools
import importlib.metadata
import json
import sys
import traceback

import cupy
import pylibcudf
import rmm
import trawl
from gpu_real import WORDS, records, timed
from pylibcudf import DataType, TypeId, strings

GIB = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
PATTERNS = {1: ["ERROR"], **{count: WORDS[:count] for count in (3, 10, 100, 10_000)}}
WRONG = []


def column(texts, repeats):
    """A column of pylibcudf: the texts, `repeats` times."""
    tape = cupy.tile(cupy.frombuffer("".join(texts).encode(), dtype=cupy.uint8), repeats)
    lengths = cupy.tile(cupy.array([len(text.encode()) for text in texts], dtype=cupy.int64), repeats)
    large = tape.size >= 2**31
    ends = cupy.zeros(lengths.size + 1, dtype=cupy.int64 if large else cupy.int32)
    ends[1:] = cupy.cumsum(lengths)
    offsets = pylibcudf.Column(DataType(TypeId.INT64 if large else TypeId.INT32), ends.size,
                               pylibcudf.gpumemoryview(ends), None, 0, 0, [])  # fmt: skip
    return pylibcudf.Column(DataType(TypeId.STRING), lengths.size, pylibcudf.gpumemoryview(tape), None, 0, 0, [offsets])


def booleans(found):
    """The bytes of a column of booleans, as CuPy's array."""
    return cupy.asarray(found.data()).view(cupy.bool_)[: found.size()]


def any_of(calls):
    """Join the answers of several calls with OR, as callers of many contains() do."""
    either = pylibcudf.binaryop.BinaryOperator.LOGICAL_OR
    return functools.reduce(
        lambda one, two: pylibcudf.binaryop.binary_operation(one, two, either, DataType(TypeId.BOOL8)), calls
    )


def their_calls(given, words):
    """{name of a way to search with pylibcudf: (the call, the function that turns its answer into booleans)}."""
    scalars = [pylibcudf.Scalar.from_py(word) for word in words[:100]]
    calls = {}
    if len(words) == 1:
        calls["contains"] = lambda: strings.find.contains(given, scalars[0]), booleans
    elif len(words) <= 100:
        targets = pylibcudf.Column.from_iterable_of_py(words)
        calls["contains and or"] = lambda: any_of(strings.find.contains(given, one) for one in scalars), booleans
        calls["contains_multiple"] = (lambda: strings.find_multiple.contains_multiple(given, targets),
                                      lambda table: functools.reduce(cupy.logical_or, map(booleans, table.columns())))  # fmt: skip
        if len(words) <= 10:
            calls["find_multiple"] = (
                lambda: strings.find_multiple.find_multiple(given, targets),
                lambda lists: (cupy.asarray(lists.child(1).data()).view(cupy.int32).reshape(-1, len(words)) >= 0).any(axis=1))  # fmt: skip
    if len(words) <= 100:
        program = strings.regex_program.RegexProgram.create("|".join(words), strings.regex_flags.RegexFlags.DEFAULT)
        calls["contains_re"] = lambda: strings.contains.contains_re(given, program), booleans
    return calls


def done(call):
    made = call()
    cupy.cuda.Device().synchronize()
    return made


def rate(call, total):
    return total / timed(lambda: done(call)) / 1e9


def check(what, ask):
    """Record whether ask() returns true; an exception counts as false, and the program continues."""
    try:
        right = ask()
    except Exception:
        traceback.print_exc()
        right = False
    if not right:
        WRONG.append(what)
        print("WRONG:", what)


def compare(searcher, given, kept, texts, count, patterns):
    """Return the row of one set of strings: the rates in GB/s."""
    total = 100 * given.size()
    plan = trawl.Plan(patterns)
    answer = cupy.asarray(done(lambda: searcher.contains(plan, kept)))
    host = plan.contains(texts).tolist()
    check(f"{count}: the host",
          lambda: answer[: len(texts)].tolist() == host and int(answer.sum()) * len(texts) == sum(host) * len(answer))  # fmt: skip
    row = {"strings": count, "found": int(answer.sum()), "trawl": rate(lambda: searcher.contains(plan, kept), total),
           "trawl, not loaded": rate(lambda: searcher.contains(plan, given), total), "pylibcudf": {}}  # fmt: skip
    for name, (call, to_booleans) in their_calls(given, patterns).items():
        try:
            same = bool((to_booleans(done(call)) == answer).all())
            row["pylibcudf"][name] = rate(call, total)
        except Exception as fault:  # no room, or a set that it refuses
            print(f"{count} strings, {name}: {fault!r:.200}")
        else:
            check(f"{count}: {name}", lambda: same)
    best = max(row["pylibcudf"].items(), key=lambda item: item[1], default=("none", 0.0))
    row["best"], row["ratio"] = best[0], row["trawl"] / best[1] if best[1] else None
    plan_again, text = trawl.Plan(patterns), searcher.load(cupy.asarray(given.data()).view(cupy.uint8))
    searcher.count(plan_again, text)
    row["trawl, after a count"] = rate(lambda: searcher.contains(plan_again, kept), total)
    searcher.unload(text)
    print(f"{count:6} strings: trawl {row['trawl']:7.1f} GB/s (not loaded {row['trawl, not loaded']:.0f}, after a count "
          f"{row['trawl, after a count']:.0f}), pylibcudf {best[1]:7.1f} ({best[0]}), ratio {row['ratio'] or 0:.1f}; "
          + ", ".join(f"{name} {one:.1f}" for name, one in row["pylibcudf"].items()), flush=True)  # fmt: skip
    return row


def small_us(searcher, given):
    """Time, in microseconds, that contains() takes on 1,000 records, and the share of the producer's export alone."""
    small = pylibcudf.copying.slice(given, [0, 1000])[0]
    loaded, plan = searcher.load(small), trawl.Plan("ERROR")
    calls = {"loaded": lambda: searcher.contains(plan, loaded), "not loaded": lambda: searcher.contains(plan, small),
             "load and unload": lambda: searcher.unload(searcher.load(small)), "export": small.__arrow_c_device_array__}  # fmt: skip
    found = {name: round(1e6 * timed(call, 200), 1) for name, call in calls.items()}
    print("1,000 records, us:", found, flush=True)
    return found


def protocols(texts, plan):
    """Check that trawl accepts columns and slices of pylibcudf, and pylibcudf accepts trawl's answers."""
    values = [text if number % 7 else None for number, text in enumerate(texts[:5000])]
    valid = cupy.packbits(cupy.array([value is not None for value in values]), bitorder="little")
    mask = pylibcudf.gpumemoryview(cupy.pad(valid, (0, -valid.size % 64)))
    given = pylibcudf.Column.from_iterable_of_py([value or "" for value in values]).with_mask(mask, values.count(None))
    want = [bool(one) for one in plan.contains(values).tolist()]
    counts = [count or 0 for count in plan.match_counts(values).tolist()]
    nulls = [None if value is None else one for value, one in zip(values, want)]

    def bits():
        return pylibcudf.Column.from_arrow(plan.contains(given, bits=True))

    def filtered(answer):
        return pylibcudf.stream_compaction.apply_boolean_mask(pylibcudf.Table([given]), answer).columns()[0].to_pylist()

    kept = [value for value, one in zip(values, nulls) if one]
    check("a column with nulls", lambda: plan.contains(given).tolist() == want)
    check("bits by Arrow", lambda: bits().to_pylist() == nulls)
    check("nulls of bits", lambda: bits().null_count() == nulls.count(None))
    for begin, end in ((0, 999), (3, 1000), (8, 1000), (35, 4999), (7, 5000)):
        part = pylibcudf.copying.slice(given, [begin, end])[0]
        check(f"slice {begin}:{end}", lambda: plan.contains(part).tolist() == want[begin:end])
        check(f"bits of slice {begin}:{end}",
              lambda: pylibcudf.Column.from_arrow(plan.contains(part, bits=True)).to_pylist() == nulls[begin:end])  # fmt: skip
    check("counts by Arrow", lambda: pylibcudf.Column.from_arrow(plan.match_counts(given)).to_pylist() == counts)
    check("booleans by the CUDA array interface",
          lambda: pylibcudf.Column.from_cuda_array_interface(plan.contains(given)).to_pylist() == want)  # fmt: skip
    check("filtered by bits", lambda: filtered(bits()) == kept)
    check(
        "filtered by booleans",
        lambda: filtered(pylibcudf.Column.from_cuda_array_interface(plan.contains(given))) == kept,
    )


def main():
    pool = rmm.mr.PoolMemoryResource(rmm.mr.CudaMemoryResource(), initial_pool_size=24 << 30)
    rmm.mr.set_current_device_resource(pool)
    texts, found = records(), {"wrong": WRONG}
    given = column(texts, max(1, round(GIB * 2**30 / (100 * len(texts)))))
    total = found["bytes"] = 100 * given.size()
    print(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(), "pylibcudf",
          importlib.metadata.version("pylibcudf-cu13"), "trawl", trawl.__version__)  # fmt: skip
    words = cupy.zeros(total // 8, dtype=cupy.uint64)
    print(
        f"{given.size()} records, {total / 2**30:.2f} GiB; CuPy's sum reads {rate(words.sum, total):.0f} GB/s",
        flush=True,
    )

    def part(name, ask):
        """Keep what ask() returns, and write what is known so far."""
        check(name, lambda: found.update({name: ask()}) is None)
        if len(sys.argv) > 2:
            with open(sys.argv[2], "w") as file:
                json.dump(found, file, indent=1)

    with trawl.Searcher() as searcher:
        kept = searcher.load(given)
        for count, patterns in PATTERNS.items():
            part(f"contains any of {count}", lambda: compare(searcher, given, kept, texts, count, patterns))
        part("small_us", lambda: small_us(searcher, given))
    part("protocols", lambda: protocols(texts, trawl.Plan(WORDS + ["ERROR"])))
    print(f"{len(WRONG)} wrong: {WRONG}")
    sys.exit(bool(WRONG))


if __name__ == "__main__":
    main()
