#!/usr/bin/env python3
"""--matrix against loops over the characters of each record.

usage: matrix.py TRAWL

Random records (empty, CRLF, far longer than a block, without a line end after the last) and strings
(in the records, duplicates, empty, longer than any record, more than 4096 of them), with -i, -w, -x,
-z, --hex, -f and published algorithms, through files and pipes, in each format. TRAWL_TEST_SEED and TRAWL_TEST_SCALE as elsewhere.
"""
import base64
import json
import os
import subprocess
import sys

import cases

CASES = 400
ALGORITHMS = ["rabin-karp-matrix", "rabin-karp-matrix", "naive", "bmh", "qs", "rabin-karp"]


def is_word(character, utf8):
    ascii_word = character.isascii() and (character.isalnum() or character == "_")
    return ascii_word or (utf8 and character.isalpha())


def same(a, b, fold, utf8):
    if a == b:
        return True
    return fold and (utf8 or (a.isascii() and b.isascii())) and a.upper() == b.upper()


def first_place(record, needle, query):
    """Index of the first occurrence in characters, -1 if none."""
    if query["whole"]:
        fits = len(record) == len(needle) and all(
            same(a, b, query["fold"], query["utf8"]) for a, b in zip(record, needle))
        return 0 if fits else -1
    for at in range(len(record) - len(needle) + 1):
        end = at + len(needle)
        if not all(same(record[at + i], needle[i], query["fold"], query["utf8"]) for i in range(len(needle))):
            continue
        if query["words"] and ((at > 0 and is_word(record[at - 1], query["utf8"])) or
                               (end < len(record) and is_word(record[end], query["utf8"]))):
            continue
        return at
    return -1


def make_query(rng):
    query = {"utf8": rng.random() < 0.4, "fold": rng.random() < 0.25, "words": rng.random() < 0.25,
             "whole": rng.random() < 0.1, "null": rng.random() < 0.2, "hex": rng.random() < 0.3}
    query["encoding"] = "utf-8" if query["utf8"] else "latin-1"
    query["end"] = "\0" if query["null"] else "\n"
    return query


def make_records(rng, query):
    alphabet = rng.choice(["ab", "abAB _", "ab \r", "xyz", "a", "acgt", "ab\n\0"])
    if rng.random() < 0.4:
        alphabet += "\u00e9\u00c9" if query["utf8"] else "\x80\xff"
    alphabet = alphabet.replace(query["end"], "")
    longest = rng.choice([0, 1, 3, 12, 40, 200])
    records = []
    for _ in range(rng.choice([0, 1, 2, 7, 30])):
        records.append("".join(rng.choice(alphabet) for _ in range(rng.randrange(longest + 1))))
    return records


def make_needles(rng, query, records):
    needles = []
    for _ in range(rng.choice([0, 1, 1, 2, 3, 8, 30])):
        record = rng.choice(records) if records else ""
        begin = rng.randrange(len(record) + 1)
        needle = record[begin:begin + rng.choice([0, 1, 1, 2, 3, 5, 9, 250])]
        if rng.random() < 0.1:
            needle += rng.choice(["a", "b", "q" * 300])
        if query["fold"] and rng.random() < 0.5:
            needle = "".join(c.swapcase() if query["utf8"] or c.isascii() else c for c in needle)
        if not query["hex"]:
            needle = needle.replace("\n", "").replace("\0", "")
        elif rng.random() < 0.1:
            needle += query["end"]
        needles.append(needle)
    if needles and rng.random() < 0.3:
        needles.append(rng.choice(needles))
    return needles


def expected_rows(records, needles, query):
    rows = []
    for record in records:
        row = []
        for needle in needles:
            at = first_place(record, needle, query)
            row.append(-1 if at < 0 else len(record[:at].encode(query["encoding"])))
        rows.append(row)
    return rows


def json_bytes(data):
    return data["text"].encode() if "text" in data else base64.b64decode(data["bytes"])


def read_jsonl(output, needles):
    """(record, string, offset) of each cell; each string is named as it was given."""
    cells = []
    for line in output.decode("ascii" if output.isascii() else "utf-8").split("\n")[:-1]:
        row = json.loads(line)
        for match in row["matches"]:
            if json_bytes(match["string"]) != needles[match["pattern"] - 1]:
                return "pattern %r" % match
            cells.append((row["record"], match["pattern"], match["offset"]))
    return cells


def check_output(output, form, rows, needles):
    filled = [(i + 1, j + 1, cell) for i, row in enumerate(rows) for j, cell in enumerate(row) if cell >= 0]
    if form == "jsonl":
        got = read_jsonl(output, needles)
        return None if got == filled else repr(got)[:300]
    if form == "sparse":
        text = "".join("%d\t%d\t%d\n" % cell for cell in filled).encode()
        return None if output == text else repr(output[:300])
    text = "".join("\t".join(str(cell) for cell in row) + "\n" for row in rows).encode()
    return None if output == text else repr(output[:300])


def needle_arguments(rng, query, needles, folder):
    written = []
    for needle in needles:
        data = needle.encode(query["encoding"])
        if query["hex"]:
            data = data.hex().encode()
        written.append(data)
    if not needles or len(needles) > 100 or rng.random() < 0.3:
        path = os.path.join(folder, "needles")
        with open(path, "wb") as file:
            file.write(b"".join(line + b"\n" for line in written))
        return [b"-f", path.encode()]
    return sum(([b"-e", data] for data in written), [])


def run(trawl, arguments, query, rng, data, paths, folder):
    """The output, status and messages, of files or a pipe to a file or a pipe."""
    environment = cases.environment("C.UTF-8" if query["utf8"] else "C")
    pipe_in = len(paths) == 1 and rng.random() < 0.3
    pipe_out = rng.random() < 0.6
    options = {"input": data} if pipe_in else {"stdin": subprocess.DEVNULL}
    command = [trawl.encode()] + arguments + ([] if pipe_in else [path.encode() for path in paths])
    if pipe_out:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, timeout=120,
                              **options)
        return command, done.returncode, done.stdout, done.stderr
    with open(os.path.join(folder, "output"), "wb") as file:
        done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, env=environment, timeout=120, **options)
    with open(os.path.join(folder, "output"), "rb") as file:
        return command, done.returncode, file.read(), done.stderr


def run_case(rng, trawl, folder, query, records, needles):
    """None, or what is wrong."""
    split = rng.randrange(len(records) + 1) if rng.random() < 0.3 else len(records)
    paths, data = [], b""
    for part in ([records] if split == len(records) else [records[:split], records[split:]]):
        data = "".join(record + query["end"] for record in part).encode(query["encoding"])
        if part and part[-1] and rng.random() < 0.5:
            data = data[:-1]  # the last record ends with the file
        paths.append(os.path.join(folder, "text%d" % len(paths)))
        with open(paths[-1], "wb") as file:
            file.write(data)
    form = rng.choice(["tsv", "tsv", "sparse", "sparse", "jsonl"])
    arguments = [b"--matrix=" + form.encode()]
    if form == "sparse" and rng.random() < 0.5:
        arguments = [b"--matrix"]
    for name, option in (("fold", b"-i"), ("words", b"-w"), ("whole", b"-x"), ("null", b"-z"), ("hex", b"--hex")):
        if query[name]:
            arguments.append(option)
    if rng.random() < 0.7:
        arguments.append(b"--chunk-bytes=%d" % rng.choice([1, 3, 16, 100, 1000]))
    if rng.random() < 0.4 and ALGORITHMS:
        arguments.append(b"--algorithm=" + rng.choice(ALGORITHMS).encode())
    arguments.append(b"-j%d" % rng.choice([1, 2, 3]))
    arguments.append(rng.choice([b"--engine=cpu", b"--engine=auto"]))
    arguments += needle_arguments(rng, query, needles, folder)
    command, status, output, messages = run(trawl, arguments, query, rng, data, paths, folder)
    rows = expected_rows(records, needles, query)
    wanted = 0 if any(cell >= 0 for row in rows for cell in row) else 1
    texts = [needle.encode(query["encoding"]) for needle in needles]
    wrong = check_output(output, form, rows, texts)
    if wrong is None and status == wanted and messages == b"":
        return None
    return "%r on %r, %r: status %d, expected %d; %s, expected %.300r; %r" % (
        command[1:12], records[:5], query, status, wanted, wrong, rows[:5], messages[:300])


def many_needles(rng):
    """More strings than the published algorithm takes at a time, of many lengths, many of them twice."""
    query = make_query(rng)
    query.update({"fold": False, "words": False, "whole": False, "null": False, "hex": False, "end": "\n"})
    records = ["".join(rng.choice("abc") for _ in range(rng.randrange(60))) for _ in range(6)]
    return query, records, ["".join(rng.choice("abc") for _ in range(1 + i % 9)) for i in range(5000)]


def random_case(rng, trawl, folder):
    if rng.number % 100 == 99:
        return run_case(rng, trawl, folder, *many_needles(rng))
    query = make_query(rng)
    records = make_records(rng, query)
    return run_case(rng, trawl, folder, query, records, make_needles(rng, query, records))


def main():
    if cases.execute([os.path.abspath(sys.argv[1]), "--list-algorithms"])[0] != 0:
        ALGORITHMS.clear()  # a build without the gallery
    return cases.run("matrix", CASES, "matrices", random_case)


if __name__ == "__main__":
    sys.exit(main())
