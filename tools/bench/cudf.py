#!/usr/bin/env python3
"""cudf: measures with pylibcudf which log records contain a string, for the groups `forms` and `expressions` of `./dev bench gpu`.

cudf.py TEXT BYTES [perl] reads the columns of gpu.py as JSON from standard input. The text is a file, repeated up to BYTES
bytes; the records are its lines without line ends, in the memory of the GPU. Prints JSON: times of each call, or why
there are none. gpu.py runs this program once trawl-bench has ended and left the GPU's memory."""

import importlib.metadata
import json
import re
import subprocess
import sys
import time

from report import digits, median, number, ratio, table

ROUNDS = 5
POOL_BYTES = 8 << 30  # allocated before the calls, as cuDF's users are told to
NOT_MEASURED = "not measured"


def calls_of(plc, strings, column, syntax, flags, patterns):
    """Yield (call, function) for the calls that answer a column. No call is made with more than 100 strings."""
    if len(patterns) == 1 and not flags and not syntax:
        yield "contains", lambda: plc.strings.find.contains(column, plc.Scalar.from_py(patterns[0]))
    if len(patterns) <= 10:
        before, after = {"whole-word": (r"\b", r"\b"), "whole-line": ("^", "$")}.get(flags, ("", ""))
        kind = plc.strings.regex_flags.RegexFlags
        program = plc.strings.regex_program.RegexProgram.create(
            before + "|".join(patterns if syntax else map(re.escape, patterns)) + after,
            kind.IGNORECASE if flags == "ignore-case" else kind.DEFAULT,
        )
        yield "contains_re", lambda: plc.strings.contains.contains_re(column, program)
    if 1 < len(patterns) <= 100:
        targets = strings([it.encode() for it in patterns])
        several = plc.strings.find_multiple
        yield "find_multiple", lambda: several.find_multiple(column, targets)
        yield "contains_multiple", lambda: several.contains_multiple(column, targets)


class Device:
    """The records on the GPU, and the clock."""

    def __init__(self, plc, cupy, numpy):
        self.plc, self.cupy, self.numpy, self.kept = plc, cupy, numpy, []

    def strings(self, tape, offsets):
        """Return a column of strings."""
        plc = self.plc
        wide = int(offsets[-1]) >= 1 << 31
        self.kept += [
            self.cupy.asarray(tape),
            self.cupy.asarray(offsets.astype(self.numpy.int64 if wide else self.numpy.int32)),
        ]
        count = len(offsets) - 1
        tape, offsets = map(plc.gpumemoryview, self.kept[-2:])
        number_type = plc.DataType(plc.TypeId.INT64 if wide else plc.TypeId.INT32)
        places = plc.Column(number_type, count + 1, offsets, None, 0, 0, [])
        return plc.Column(plc.DataType(plc.TypeId.STRING), count, tape, None, 0, 0, [places])

    def list_of(self, parts):
        np = self.numpy
        return self.strings(np.frombuffer(b"".join(parts), np.uint8), np.cumsum([0, *map(len, parts)]))

    def records(self, path, count):
        """Return the column of the text's lines, and the number of its bytes."""
        np = self.numpy
        with open(path, "rb") as file:
            content = file.read()
        text = np.frombuffer((content * (count // len(content) + 1))[:count], np.uint8)
        ends = np.flatnonzero(text == ord("\n"))
        offsets = np.concatenate(([0], ends - np.arange(len(ends))))
        tape = text[text != ord("\n")]
        if offsets[-1] < len(tape):  # the last line has no line end
            offsets = np.append(offsets, len(tape))
        return self.strings(tape, offsets), len(tape)

    def seconds(self, function):
        """Return the times of ROUNDS calls after a first."""
        found = []
        for _ in range(ROUNDS + 1):
            self.cupy.cuda.Device().synchronize()
            begin = time.perf_counter()
            kept = function()
            self.cupy.cuda.Device().synchronize()
            found.append(time.perf_counter() - begin)
            del kept
        return found[1:]

    def true_rows(self, function):
        """Return the number of records in which a pattern occurs, for the comparison with trawl."""
        plc = self.plc
        return plc.reduce.reduce(function(), plc.aggregation.sum(), plc.DataType(plc.TypeId.INT64)).to_py()


def measure(path, count, syntax, columns):
    """Return the results: version, bytes of the records, and a result for each column and call."""
    import cupy
    import numpy
    import pylibcudf as plc
    import rmm

    rmm.mr.set_current_device_resource(
        rmm.mr.PoolMemoryResource(rmm.mr.CudaMemoryResource(), initial_pool_size=POOL_BYTES)
    )
    device = Device(plc, cupy, numpy)
    column, tape_bytes = device.records(path, count)
    results = []
    for name, flags, patterns in columns:
        for call, function in calls_of(plc, device.list_of, column, syntax, flags, patterns):
            results.append({"column": name, "call": call})
            try:
                results[-1]["seconds"] = device.seconds(function)
                if call in ("contains", "contains_re"):
                    results[-1]["count"] = device.true_rows(function)
            except Exception as error:  # for example, out of memory: the other calls go on
                results[-1]["why"] = f"{type(error).__name__}: {error}"[:200]
    return {
        "version": importlib.metadata.version(importlib.metadata.packages_distributions()["pylibcudf"][0]),
        "bytes": tape_bytes,
        "results": results,
    }


def run(path, count, syntax, columns):
    """Run this program. Return its results, or the reason if pylibcudf is missing or fails."""
    asked = json.dumps([(name, flags, [it.decode() for it in patterns]) for name, flags, patterns in columns])
    done = subprocess.run(
        [sys.executable, __file__, path, str(count), syntax], input=asked.encode(), stdout=subprocess.PIPE, check=False
    )
    return json.loads(done.stdout) if done.returncode == 0 else {"why": NOT_MEASURED}


def lines(data, any_of):
    """Return the lines of the report. any_of(column): trawl's result for the same records, or None."""
    if not data or "why" in data:
        return ["", f"pylibcudf: {data['why'] if data else NOT_MEASURED}."]
    cells = {}
    for it in (it for it in data["results"] if "seconds" in it):
        own = any_of(it["column"])
        said = f"{digits(data['bytes'] / median(it) / 1e9)} **{number(ratio(median(it), median(own)), '.1f')}**"
        differs = own and "count" in it and it["count"] != own["count"]
        cells[it["call"], it["column"]] = "other answer" if differs else said
    names, heads = (list(dict.fromkeys(it[key] for it in data["results"])) for key in ("call", "column"))
    # cuDF's messages name a place in its source, which tells a reader nothing.
    why = [(it, re.sub(r"\S+ failure at: ?\S+ ", "", it["why"])) for it in data["results"] if "why" in it]
    said = (
        f"pylibcudf {data['version']} reaches these median GB/s for the same records on the same GPU"
        f"{' [' + data['date'] + ']' if 'date' in data else ''}; in bold, how many times as fast trawl is "
        "(*records, any*)."
    )
    rows = [[call] + [cells.get((call, head), "-") for head in heads] for call in names]
    made = ["", said, "", *table([""] + [head.replace("|", r"\|") for head in heads], rows), *[""] * bool(why)]
    return made + [f"- {it['call']}, {it['column']}: {words}" for it, words in why]


def main():
    try:
        results = measure(sys.argv[1], int(sys.argv[2]), sys.argv[3], json.load(sys.stdin))
    except ImportError:
        results = {"why": NOT_MEASURED}
    print(json.dumps(results))


if __name__ == "__main__":
    main()
