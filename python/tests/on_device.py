"""Texts and positions in a device's memory, by __cuda_array_interface__, against the same
searches on the host. A script: it needs libcuda.so.1, a device's or the tests' simulated one, and
nothing else. It says on how many devices it checked, or that there is none."""

import ctypes
import random
import sys
import threading

import trawl

PADDING = 79  # after a text that is searched in place


class Driver:
    """Allocates device memory through the driver."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        count = ctypes.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGetCount", ctypes.byref(count))
        self.contexts = []
        for device in range(count.value):
            context = ctypes.c_void_p()
            self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
            self.contexts.append(context)

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            raise OSError(f"{name}: {code}")

    def inside(self, device, name, *arguments):
        self.call("cuCtxPushCurrent_v2", self.contexts[device])
        try:
            self.call(name, *arguments)
        finally:
            self.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))


class Memory:
    """Put `before` unused bytes, the content and `after` unused bytes on a device."""

    def __init__(self, driver, device, content, before=0, after=0):
        self.driver, self.device, self.count = driver, device, len(content)
        self.base = ctypes.c_uint64()
        whole = b"a" * before + content + b"a" * after
        driver.inside(
            device, "cuMemAlloc_v2", ctypes.byref(self.base), ctypes.c_size_t(len(whole))
        )
        self.address = self.base.value + before
        size = ctypes.c_size_t(len(whole))
        driver.inside(device, "cuMemcpyHtoD_v2", self.base, whole, size)

    def read(self):
        content = ctypes.create_string_buffer(self.count)
        size = ctypes.c_size_t(self.count)
        self.driver.inside(
            self.device, "cuMemcpyDtoH_v2", content, ctypes.c_uint64(self.address), size
        )
        return content.raw

    def free(self):
        self.driver.inside(self.device, "cuMemFree_v2", self.base)

    def by_interface(self, typestr="|u1", **changes):
        shape = (self.count // int(typestr[2:]),)
        fields = {"shape": shape, "typestr": typestr, "data": (self.address, False), **changes}
        return type("Array", (), {"__cuda_array_interface__": {"version": 3, **fields}})()


def check_searches(searcher, plan, text, memory):
    with trawl.Searcher("cpu", 1) as host:
        for array in (memory.by_interface(), memory.by_interface(strides=(1,)),
                      trawl.Text(memory.by_interface())):  # fmt: skip
            assert searcher.count(plan, array) == host.count(plan, text)
            assert searcher.first(plan, array) == host.first(plan, text)
            assert searcher.positions(plan, array).tolist() == host.positions(plan, text).tolist()
            assert list(searcher.matches(plan, array)) == list(host.matches(plan, text))
            assert list(searcher.lines(plan, array)) == list(host.lines(plan, text))
            assert searcher.count_lines(plan, array) == host.count_lines(plan, text)
            found = [match for batch in searcher.batches(plan, array) for match in batch]
            assert found == list(host.matches(plan, text))
            numbered = searcher.matches(plan, array, line_numbers=True).lines
            assert numbered.tolist() == host.matches(plan, text, line_numbers=True).lines.tolist()


def check_positions(driver, searcher, plan, text, memory):
    expected = trawl.Searcher("cpu", 1).positions(plan, text).tolist()
    room = len(expected) + 3
    out = Memory(driver, memory.device, b"\xff" * 8 * room)
    shown = out.by_interface("<u8")
    assert searcher.positions_into(plan, memory.by_interface(), shown) == len(expected)
    assert memoryview(out.read()).cast("Q").tolist()[: len(expected)] == expected
    out.free()


def check_kept(searcher, plan, text, memory):
    """Test load() and unload() with many threads and a text; at the end the array is released."""
    array = memory.by_interface()
    held = sys.getrefcount(array)
    kept = searcher.load(array)
    expected = searcher.count(plan, kept)
    answers = []

    def search():
        answers.extend(searcher.count(plan, kept) for _ in range(20))

    for again in (False, True):
        threads = [threading.Thread(target=search) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answers == [expected] * 80, again
        answers.clear()
        if again:
            break
        searcher.unload(kept)
    del kept
    assert searcher.count(plan, array) == expected == plan.count(text)
    assert sys.getrefcount(array) == held


def check_refused(driver, searcher, memory):
    plan, host = trawl.Plan("a"), ctypes.create_string_buffer(64)
    wrong = type("Array", (), {})()
    wrong.__cuda_array_interface__ = {
        "shape": (64,), "typestr": "|u1", "data": (ctypes.addressof(host), False), "version": 3,
    }  # fmt: skip
    try:
        searcher.count(plan, wrong)
        raise AssertionError("host memory passed for a device's")
    except trawl.ArgumentError:
        pass
    with trawl.Searcher("cpu", 1) as cpu:
        try:
            cpu.count(plan, memory.by_interface())
        except trawl.UnsupportedError:
            return
    raise AssertionError("the CPU searched a device's memory")


def main():
    try:
        driver = Driver()
    except OSError as error:
        print(f"no device: {error}")
        return
    rng = random.Random(1)
    text = bytes(rng.choice(b"abn \n") for _ in range(3000))
    plans = [
        trawl.Plan("an"),
        trawl.Plan(["ba", "nab", "anna"]),
        trawl.Plan("an", whole_words=True),
        trawl.Plan("AN", ignore_case=True),
        trawl.Plan("absent"),
    ]
    last = len(driver.contexts) - 1
    for engine in ("cuda", "auto"):
        with trawl.Searcher(engine, 2) as searcher:
            for before, after in ((0, PADDING), (3, PADDING), (256, 0), (5, 7)):
                memory = Memory(driver, last, text, before, after)
                for plan in plans:
                    check_searches(searcher, plan, text, memory)
                for plan in plans[:2]:
                    check_positions(driver, searcher, plan, text, memory)
                check_kept(searcher, plans[0], text, memory)
                check_refused(driver, searcher, memory)
                memory.free()
    print(f"checked on {len(driver.contexts)} devices")


if __name__ == "__main__":
    main()
