"""Searches arrays of PyTorch, CuPy, JAX and columns of cuDF on a real GPU; checks the answers, and prints rates.

gpu_real.py [GIB]: with 1 GiB of text unless GIB says otherwise; 0: a short run without rates, for compute-sanitizer.
Parts whose package is missing are named and skipped. Exits with 1 if an answer is wrong."""

import ctypes
import gc
import importlib
import os
import pathlib
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

import trawl

WRONG = []
GIB = float(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1][0] != "-" else 1.0
OLD_NAMES = """
import numpy
for old, new in {"row_stack": "vstack", "in1d": "isin", "trapz": "trapezoid"}.items():
    hasattr(numpy, old) or setattr(numpy, old, getattr(numpy, new))
"""  # of numpy, which what cuDF imports may still use
WORDS = [f"id={number:06d}" for number in range(0, 1_000_000, 97)][:10_000]


def package(name):
    try:
        return importlib.import_module(name)
    except Exception as error:  # a package without its GPU raises its own errors
        print(f"{name:9} skipped: {error!r:.100}")
        return None


def check(what, right):
    if not right:
        WRONG.append(what)
    print(f"{what:60} {'ok' if right else 'WRONG'}", flush=True)


def refused(what, call, kinds, why):
    """Check that a call raises one of `kinds`, with `why` in the message."""
    try:
        call()
    except kinds as error:
        print(f"{what}: {type(error).__name__}: {error!s:.150}")
        check(f"{what} is refused by name", re.search(why, str(error)) is not None)
    else:
        check(f"{what} is refused", False)


def timed(call, count=5):
    """The median time of `count` calls in seconds, or of fewer calls in two seconds, after one call."""
    call()
    times = []
    while len(times) < count and sum(times) < 2:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def records():
    """Log records of 100 bytes; a thousandth of them say ERROR."""
    draw = random.Random(1)
    rows = []
    for number in range(100_000):
        row = f"2026-11-27 {'ERROR' if number % 1000 == 0 else 'INFO '} id={draw.randrange(1_000_000):06d} request "
        rows.append(row.ljust(99, "abcdefghij"[number % 10]) + "\n")
    return rows


def arrays(torch, rows):
    """Counts and positions in arrays of each package."""
    text = "".join(rows).encode()
    plan, found = trawl.Plan("ERROR"), [match.start() for match in re.finditer(b"ERROR", text)]
    makers = {"torch": lambda: torch.frombuffer(bytearray(text), dtype=torch.uint8).cuda()}
    if cupy := package("cupy"):
        makers["cupy"] = lambda: cupy.frombuffer(text, dtype=cupy.uint8)
    if jax := package("jax"):
        import numpy

        jax.config.update("jax_enable_x64", True)
        makers["jax"] = lambda: jax.device_put(numpy.frombuffer(text, dtype=numpy.uint8), jax.devices("gpu")[0])
    for name, make in makers.items():
        try:
            array = make()
        except Exception as error:
            print(f"{name:9} skipped: {error!r:.100}")
            continue
        check(f"{name}: count", plan.count(array) == len(found))
        at = plan.positions(array)
        check(f"{name}: positions", at.tolist() == found)
        check(f"{name}: positions by DLPack in torch", torch.from_dlpack(at).tolist() == found)
        check(f"{name}: positions by the interface in torch", torch.as_tensor(at, device="cuda").tolist() == found)
        if name == "cupy":
            check("cupy.asarray, cupy.from_dlpack", cupy.asarray(at).tolist() == cupy.from_dlpack(at).tolist() == found)
        if name == "jax":
            check("jax.dlpack.from_dlpack", jax.dlpack.from_dlpack(at).tolist() == found)


class Interface:
    """4096 bytes at an address, by the CUDA array interface."""

    def __init__(self, address):
        self.address = address
        self.__cuda_array_interface__ = {
            "shape": (4096,), "typestr": "|u1", "data": (address, False), "version": 3, "stream": None,
        }  # fmt: skip


def memory(torch, rows):
    """Memory of kinds other than a plain allocation: searched, or rejected by name."""
    text = "".join(rows[:10_000]).encode()
    plan, count, cuda = trawl.Plan("ERROR"), text.count(b"ERROR"), ctypes.CDLL("libcuda.so.1")
    given = torch.frombuffer(bytearray(text), dtype=torch.uint8)
    check("pinned memory of the host", plan.count(given.pin_memory()) == count)
    given = given.cuda()
    if cupy := package("cupy"):
        for name, allocate in {
            "managed": cupy.cuda.malloc_managed,
            "cudaMallocAsync": cupy.cuda.MemoryAsyncPool().malloc,
        }.items():
            array = cupy.ndarray(len(text), dtype=cupy.uint8, memptr=allocate(len(text)))
            array[:] = cupy.frombuffer(text, dtype=cupy.uint8)
            check(f"{name} memory", plan.count(array) == count and len(plan.positions(array)) == count)
        freed = Interface(cupy.cuda.runtime.malloc(1 << 20))
        cupy.cuda.runtime.free(freed.address)
        refused("a freed buffer", lambda: plan.count(freed), ValueError, "was freed")
    posing = ctypes.create_string_buffer(4096)
    refused(
        "the host's memory, posing",
        lambda: plan.count(Interface(ctypes.addressof(posing))),
        ValueError,
        "is the host's",
    )
    refused("strided", lambda: plan.count(given[::2]), ValueError, "contiguous")
    refused("float", lambda: plan.count(given.float()), TypeError, "float32")
    refused(
        "gradient",
        lambda: plan.count(torch.zeros(9, device="cuda", requires_grad=True)),
        (BufferError, RuntimeError),
        "grad",
    )
    refused("matrix", lambda: plan.count(given[:9].reshape(3, 3)), ValueError, "reshape")

    context, address, owner = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p()
    text = text[:4096]
    if cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0:
        codes = [cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(1 << 20)),
                 cuda.cuMemcpyHtoD_v2(address, text, ctypes.c_size_t(len(text))),
                 cuda.cuCtxSynchronize(),  # the copy returns once the text is staged
                 cuda.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))]  # fmt: skip
        codes += [cuda.cuPointerGetAttribute(ctypes.byref(owner), number, address) for number in (3, 1)]
        print(f"another context: {context.value:#x}, the memory's owner {owner.value or 0:#x}, codes {codes}")
        try:  # on some drivers the contexts of a process read each other's memory
            check("another context is searched", plan.count(Interface(address.value)) == text.count(b"ERROR"))
        except ValueError as error:
            check("another context is refused by name", "primary CUDA context" in str(error))
        cuda.cuCtxDestroy_v2(context)
    check("the GPU still answers", plan.count(given) == count)
    if GIB == 0:
        return

    many, hog = torch.full((64 << 20,), 97, dtype=torch.uint8, device="cuda"), []
    plan.count(many)
    torch.cuda.empty_cache()
    hog.append(torch.empty(torch.cuda.mem_get_info()[0] - (256 << 20), dtype=torch.uint8, device="cuda"))
    refused("no room for 512 MiB", lambda: trawl.Plan("a").positions(many), trawl.OutOfMemoryError, "bytes")
    hog.clear()
    torch.cuda.empty_cache()
    check("positions with room again", len(trawl.Plan("a").positions(many)) == 64 << 20)


def interrupted(torch):
    """Ctrl-C within half a second, in one long search and among short ones."""
    text = torch.randint(97, 123, (1 << 28,), dtype=torch.uint8, device="cuda")
    offsets = torch.arange(0, text.numel() + 1, 64, dtype=torch.int64, device="cuda")
    plan, came = trawl.Plan([chr(letter) for letter in range(97, 123)]), []

    def fail(number, frame):
        raise InterruptedError

    signal.signal(signal.SIGALRM, fail)
    with trawl.Searcher() as searcher:
        column = searcher.load((text, offsets))
        for name, call in {"one search": lambda: searcher.cells(plan, column),
                           "short searches": lambda: [searcher.contains(plan, column) for _ in range(100_000)]}.items():  # fmt: skip
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            begin = time.perf_counter()
            try:
                call()
                signal.pause()
            except InterruptedError:
                came.append(time.perf_counter() - begin - 0.1)
            print(f"Ctrl-C in {name}: after {came[-1] * 1e3:.0f} ms")
            check(f"Ctrl-C in {name} within 0.5 s", came[-1] < 0.5)


def rates(torch, rows):
    """Print the rates of count and contains, and compare the number of answers with the host's."""
    repeats = max(1, round(GIB * 2**30 / (100 * len(rows))))
    text = torch.frombuffer(bytearray("".join(rows).encode()), dtype=torch.uint8).cuda().repeat(repeats)
    offsets = torch.arange(0, text.numel() + 1, 100, dtype=torch.int64, device="cuda")
    with trawl.Searcher() as searcher:
        kept = searcher.load(text)
        plan = trawl.Plan("ERROR")
        read = timed(lambda: (text.view(torch.int64).sum(), torch.cuda.synchronize()))
        count = timed(lambda: searcher.count(plan, kept))
        print(f"count: {text.numel() / count / 1e9:7.0f} GB/s; torch's sum reads {text.numel() / read / 1e9:7.0f} GB/s")
        column = searcher.load((text, offsets))
        print(f"column of {len(column)} records, {text.numel() / 2**30:.2f} GiB")
        for words in (["ERROR"], WORDS[:3], WORDS[:10], WORDS[:100], WORDS):
            plan = trawl.Plan(words)
            host = sum(plan.contains(rows).tolist()) * repeats
            answer = torch.from_dlpack(searcher.contains(plan, column))
            check(f"contains any of {len(words)} in {host} records", int(answer.sum()) == host)
            counts = torch.from_dlpack(searcher.match_counts(plan, column))
            check(f"match_counts of {len(words)}", int(counts.sum()) == searcher.count(plan, kept))
            seconds = timed(lambda: searcher.contains(plan, column))
            print(f"contains any of {len(words):6}: {text.numel() / seconds / 1e9:7.0f} GB/s")
        out = torch.zeros(len(column), dtype=torch.bool, device="cuda")
        check("out= is filled", searcher.contains(trawl.Plan("ERROR"), column, out=out) is out and int(out.sum()) > 0)
        small = searcher.load((text[:100_000], offsets[:1001]))
        plan = trawl.Plan("ERROR")
        print(f"contains in 1,000 records: loaded {timed(lambda: searcher.contains(plan, small), 200) * 1e6:.0f} us, "
              f"not loaded {timed(lambda: searcher.contains(plan, (text[:100_000], offsets[:1001])), 200) * 1e6:.0f} us")  # fmt: skip
    free = torch.cuda.mem_get_info()[0]
    for _ in range(10_000):
        plan.contains((text[:10_000], offsets[:101]))
    gc.collect()
    check("memory is flat over 10,000 calls", free - torch.cuda.mem_get_info()[0] < 64 << 20)


def columns(rows):
    """Series of cuDF; the example with cuDF and PyTorch. gpu_cudf.py tests more of pylibcudf."""
    exec(OLD_NAMES)
    if not (cudf := package("cudf")):
        return
    plan, values = trawl.Plan(WORDS), [row if number % 7 else None for number, row in enumerate(rows)]
    series, host = cudf.Series(values), [bool(one) for one in plan.contains(values).tolist()]
    for name, given, want in (
        ("cudf.Series", series, host), ("pylibcudf", series.to_pylibcudf()[0], host), ("a slice", series[3:], host[3:]),
        ("a slice of a slice", series[3:][5:900], host[8:903]), ("a slice without a begin", series[:900], host[:900]),
    ):  # fmt: skip
        check(f"{name}: contains", plan.contains(given).tolist() == want)
    check("cudf.Series of the answer", cudf.Series(plan.contains(series)).to_pandas().tolist() == host)
    refused("a categorical column", lambda: plan.contains(series.astype("category")), Exception, "dictionary|strings")
    refused("a column of numbers", lambda: plan.contains(cudf.Series([1, 2])), TypeError, "strings or binary")
    with tempfile.TemporaryDirectory() as folder:
        words, text = pathlib.Path(folder, "words"), pathlib.Path(folder, "text")
        words.write_text("\n".join([*WORDS, "not there"]))
        text.write_text("".join(rows))
        example = pathlib.Path(__file__).parents[1] / "examples" / "gpu_columns.py"
        code = f"{OLD_NAMES}\nimport runpy\nrunpy.run_path({str(example)!r}, run_name='__main__')"
        ran = subprocess.run([sys.executable, "-c", code, str(words), str(text)], capture_output=True, text=True)
        found = [row[:-1] for row, one in zip(rows, plan.contains(rows).tolist()) if one]
        stand = ", ".join(word for word in WORDS if word in "".join(rows))
        print(ran.stderr.strip()[-300:])
        check("gpu_columns.py", ran.stdout.splitlines() == found and ran.stderr.strip().endswith(stand))


def allocators():
    """Memory of PyTorch's other allocators, each in its own process."""
    code = """
import torch, trawl
text = torch.zeros(200_000_000, dtype=torch.uint8, device="cuda")
text[::1000] = 97
try:
    print("count", trawl.Plan("a").count(text) == 200_000)
except Exception as error:
    print(type(error).__name__, error)
"""
    jax = """
import jax, numpy, trawl
jax.config.update("jax_enable_x64", True)
text = numpy.zeros(200_000_000, dtype=numpy.uint8)
text[::1000] = 97
text, offsets = jax.device_put(text), jax.device_put(numpy.arange(0, 200_000_001, 100))
print("count", trawl.Plan("a").count(text) == sum(trawl.Plan("a").contains((text, offsets)).tolist()) == 200_000)
"""
    for name, value in (("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"), ("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.75"),
                        ("PYTORCH_CUDA_ALLOC_CONF", "backend:cudaMallocAsync")):  # fmt: skip
        environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "true", name: value}
        ran = subprocess.run(
            [sys.executable, "-c", jax if name.startswith("XLA") else code],
            env=environment,
            capture_output=True,
            text=True,
        )
        print(f"{name}={value}: {(ran.stdout + ran.stderr).strip()[-200:]}")
        check(f"memory of {value}", "count True" in ran.stdout or "No module named" in ran.stderr)


def main():
    torch = package("torch")
    if torch is None or not torch.cuda.is_available():
        print("SKIPPED: PyTorch with a GPU is needed")
        return
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "trawl", trawl.__version__)
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX shares the GPU with the others here
    rows = records()
    parts = [lambda: arrays(torch, rows), lambda: memory(torch, rows), lambda: columns(rows)]
    if GIB > 0:
        parts += [lambda: interrupted(torch), lambda: rates(torch, rows), allocators]
    for part in parts:
        try:
            part()
        except Exception:
            traceback.print_exc()
            WRONG.append("an exception")
    print(f"{len(WRONG)} wrong: {WRONG}")
    sys.exit(bool(WRONG))


if __name__ == "__main__":
    main()
