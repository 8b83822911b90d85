"""Tests the measuring program on small texts."""

import contextlib
import csv
import io
import json
import os
import random
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from harness import BUILD, ROOT, TRAWL

sys.path.insert(0, str(ROOT / "tools/bench"))

import against  # noqa: E402
import bench  # noqa: E402
import claims  # noqa: E402
import gpu  # noqa: E402
import papers  # noqa: E402
import plots  # noqa: E402
import regret  # noqa: E402
import report  # noqa: E402
import runner as rows_of  # noqa: E402
import sets  # noqa: E402

import docs  # noqa: E402

PROGRAM, COMMAND = str(BUILD / "trawl-bench"), TRAWL
SMALL = {"text": "letters:abcdef", "bytes": 60000, "patterns": "pieces:40:1:5"}
CALLS = ("count", "first", "positions", "batches", "begins", "count-by-pattern", "count-lines", "count-lines-inverted")


def run_rows(rows):
    """Return exit status, results, and messages."""
    done = subprocess.run(
        [PROGRAM], input="".join(map(rows_of.lines_of, rows)).encode(), capture_output=True, check=False
    )
    return (done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode())


def run_row(ask, who, **more):
    """Return exit status, the row's results, and messages."""
    status, rows, said = run_rows([{"name": "row", "rounds": 1, "asks": [(ask, who)], **more}])
    return status, rows[0]["results"], said


OURS = {"name": "honest", "ours": True}
LIAR = {"name": "liar", "lie": True, "ours": True}


class Case:
    @pytest.fixture(autouse=True)
    def place(self, folder):
        self.folder = folder

    def bench(self, *words, status=0, command=COMMAND):
        """Run ./dev bench. Return its rows; None: the expected `status` is not 0."""
        out = os.path.join(self.folder, "out.json")
        with contextlib.redirect_stdout(io.StringIO()):
            given = {"runner": PROGRAM, "command": command, "data": "/nothing", "directory": self.folder}
            given |= {"json": out, "rounds": 1, "markdown": f"{self.folder}/out.md"}
            options = bench.parse([*words, *(f"--{name}={value}" for name, value in given.items())])
            assert bench.one(options, options.name) == status
        assert not [name for name in os.listdir(self.folder) if name.startswith("trawl-bench.")], "files are left"
        assert os.path.exists(out) == (status == 0), "results of a wrong answer are not written"
        return rows_of.read_results(out)["rows"] if status == 0 else None

    def right(self, row):
        for it in row["results"]:
            assert "wrong" not in it, row["name"]
            assert it.get("seconds") or it.get("why"), (row["name"], it)


class TestWrong(Case):
    """Checks that a wrong answer fails the measurement, and that no result is written then."""

    def test_lies(self):
        for call in CALLS:
            status, results, said = run_row({**SMALL, "call": call}, [OURS, LIAR])
            assert status == 1, call
            assert "WRONG: row: liar finds" in said
            assert [it.get("wrong", False) for it in results] == [False, True]
            assert not results[1]["seconds"]

    def test_lies_of_others_only_leave_them_out(self):
        status, results, _ = run_row(SMALL, [{"name": "memmem", "kind": "memmem", "lie": True}])
        assert (status, results[0]["wrong"]) == (0, True)

    def test_records(self):
        tape = os.path.join(self.folder, "tape")
        with open(tape, "wb") as file:
            file.write(b"".join(b"%09d\0" % i for i in range(3000)))
        patterns = os.path.join(self.folder, "patterns")  # without a NUL, at which strstr would end the pattern
        with open(patterns, "wb") as file:
            file.write(b"0\n12\n999\n123\n7\n")
        ask = {"text": f"file:{tape}", "record": 10, "patterns": f"file:{patterns}", "call": "cells"}
        who = [{"name": "cells", "ours": True}]
        who += [{"name": kind, "kind": kind} for kind in ("memmem", "strstr")]
        for status, everyone in ((0, who), (1, [*who, LIAR])):
            got, results, _ = run_row(ask, everyone)
            assert got == status
            self.right({"name": "records", "results": results[: len(who)]})

    def test_lines_as_records(self):
        """Check that the lines of a text and the records of a tape, even empty ones, have the answers of two loops."""
        draw = random.Random(4)
        lines = [
            b" ".join(draw.choices((b"a", b"ab", b"A", b"ba", b"_a"), k=draw.choice((0, 1, 1, 4))))
            for _ in range(12000)
        ] + [b"a"]
        patterns = [b"ab", b"a", b"a", b"ba ab"]
        text, path = (os.path.join(self.folder, name) for name in ("text", "patterns"))
        for name, content in ((text, b"\n".join(lines)), (path, b"".join(it + b"\n" for it in patterns))):
            with open(name, "wb") as file:
                file.write(content)
        for flags, form in (
            ("", b"%s"),
            ("ignore-case", b"(?i:%s)"),
            ("whole-word", rb"(?<![0-9A-Za-z_])%s(?![0-9A-Za-z_])"),
            ("whole-line", rb"\A%s\Z"),
        ):
            hits = [[len(re.findall(b"(?=" + form % it + b")", line)) for it in patterns] for line in lines]
            any_of = sum(any(it) for it in hits)
            for call, record, right in (
                ("count", None, sum(map(sum, hits))),
                ("count-by-pattern", None, sum(map(sum, hits))),
                ("begins", None, sum(map(sum, hits))),
                ("count-lines", None, any_of),
                ("count-lines-inverted", None, len(lines) - any_of),
                ("records-any", "line", any_of),
                ("records-cells", "line", sum(it > 0 for line in hits for it in line)),
                ("cells", "line", sum(it > 0 for line in hits for it in line)),
            ):
                ask = {"text": f"file:{text}", "patterns": f"file:{path}", "record": record, "flags": flags}
                share = {"name": "a share", "ours": True, "limit": 1e-9}
                status, results, said = run_row({**ask, "call": call}, [OURS, share, LIAR])
                assert (status, results[0].get("count")) == (1, right), (call, flags, said)
                assert [it.get("wrong", False) for it in results] == [False, False, True], (call, flags, said)

    def test_a_lying_command(self):
        liar = os.path.join(self.folder, "liar")
        with open(liar, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\necho 7\n")
        os.chmod(liar, 0o755)
        self.bench("commands", "--bytes=64K", "--filter=rare word -c -i", command=liar, status=1)

    def test_commands_differ(self):
        """Check that different output, lines in a different order without `bag`, or a different exit status is wrong, and
        that one wrong answer of ours fails the row. A status above 1 is a failure."""
        lines, zeros = "echo a; echo b", "head -c 300000 /dev/zero"  # the second is too long to be hashed again
        for first, other, alike, alike_in_a_bag in (
            (lines, lines, True, True),
            (lines, "echo b; echo a", False, True),
            (zeros, zeros, True, True),
            (lines, "echo a; echo c", False, False),
            ("printf a", "printf b", False, False),
            (lines, lines + "; exit 1", False, False),
        ):
            for bag, right in ((None, alike), ("1", alike_in_a_bag)):
                who = [
                    {"ours": name < 2, **rows_of.command("sh", "-c", it, name=str(name))}
                    for name, it in enumerate((first, other, other))
                ]
                status, results, _ = run_row({"bag": bag}, who, rounds=2)
                wrong = [it.get("wrong", False) for it in results]
                assert (status, wrong) == (not right, [False, not right, not right]), (other, bag)
        for end, number in (("exit 2", 2), ("kill $$", 143)):
            _, results, _ = run_row({}, [rows_of.command("sh", "-c", end, name="")])
            assert results == [{"name": "", "why": f"it ended with status {number}"}]

    def test_new_plans(self):
        """Check that each timed count has a new plan, built before the time begins."""
        who = [{"name": "new", "plan": "new", "ours": True}]
        status, results, _ = run_row(SMALL, who, rounds=4, parts=True)
        assert status == 0
        for it in results:
            assert len(it["seconds"]) == 4
            assert "plan" not in it


class TestSuites(Case):
    """Checks that each benchmark runs, and that every answer is right."""

    def test_all(self):
        for words, count in (
            (("cpu", "--bytes=64K", "--filter=m=64"), 15),
            (("commands", "--bytes=64K", "--small-runs=1", "--filter=-c -i"), 4),
            (("expressions", "--bytes=64K", "--filter=items", "--rounds=1"), 1),
            (("sets", "--bytes=64K", "--filter=dna, 10 p", "--cell-seconds=0.01"), 1),
            (("rules", "--bytes=64K", "--filter=30 secrets"), 1),
            (("matrix", "--bytes=20000", "--filter=letters, 4", "--cell-seconds=0.01"), 1),
            (("calibrate", "--bytes=4K"), 105),
            (("filter", "--bytes=5M", "--filter=UUID", "--threads=1"), 8),
            (("packed", "--bytes=8K", "--filter=32 gz", "--threads=2"), 1),
            (("gallery", "--bytes=64K", "--lengths=4,2048", "--patterns=2", "--algorithms=trawl,bm,kmp"), 4),
            (("regret", "--bytes=64K", "--filter=Rust, 10 strings"), 3),
        ):
            rows = self.bench(*words)
            assert len(rows) == count, words
            for row in rows:
                self.right(row)
                if words[0] == "regret":
                    assert regret.regret(row) >= 1

    def test_cores(self):
        """Under taskset, the threads and the cores of the results are those that may be used."""
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(cores)})
        try:
            options = bench.parse(["cpu"])
            made = rows_of.machine(options, dict.fromkeys(("compiler", "instruction_set", "trawl"), ""))
        finally:
            os.sched_setaffinity(0, cores)
        assert (options.threads, made["cores"]) == (1, 1)

    @pytest.mark.skipif(not (BUILD / "trawl-serve").exists(), reason="no server")
    def test_serve(self):
        rows = self.bench("serve", os.path.join(ROOT, "src"), "--bytes=1M", "--cell-seconds=0.02")
        assert [row.get("found") for row in rows[:3]] == [0, 16, 0] and len(rows) == 8
        for row in rows:
            self.right(row)

    def test_slow_competitors_have_enough_runs(self):
        """Check that a competitor that takes longer than the row's seconds still has `least` runs."""
        slow = rows_of.command("sh", "-c", "sleep 0.02", name="slow")
        for least, runs in ((None, 1), (3, 3)):
            _, results, _ = run_row({}, [slow], rounds=5, seconds=0.001, least=least)
            assert len(results[0]["seconds"]) == runs


@pytest.fixture
def device(monkeypatch):
    for name, value in (
        ("LD_LIBRARY_PATH", BUILD / "tests/sim/driver"),
        ("TRAWL_SIM_MEMORY_BYTES", 1 << 26),
        ("TRAWL_SIM_DEVICES", 2),
    ):
        monkeypatch.setenv(name, str(value))


@pytest.mark.usefixtures("device")
class TestGpu(Case):
    """Runs the rows for devices on a simulated device. The simulated driver runs only the library's kernels, so the speed
    of a plain read is unknown."""

    def test_rows(self):
        for words in (
            ("lists",),
            ("pairs",),
            ("forms",),
            ("devices", "--filter=count, 8 "),
            ("counts", "--filter=a-z, m = 16"),
            ("sets", "--filter=ACGT, 10 of 16"),
            ("approximate", "--filter=1 of 40: 3 edits"),
        ):
            rows = self.bench("gpu", *words, "--bytes=8K", "--cell-seconds=0.001")
            assert rows, words
            for row in rows:
                self.right(row)
        for row in self.bench("regret", "--engine=cuda", "--bytes=8K", "--filter=ACGT, m = 64, taken"):
            self.right(row)

    def test_papers(self):
        """Check that each form of the publications is measured, and the programs around their kernels."""
        for words in (
            ("pss", "bmh", "word", "records", "together"),
            ("swift", "--filter=Sample-Text, m = 1500 #0"),
            ("swift", "--filter=sweep, m = 1200 #0"),
        ):
            for row in self.bench("papers", *words, "--largest=8K", "--cell-seconds=0.001"):
                self.right(row)
                done = [it.get("seconds") for it in row["results"] if it["name"] != "reading"]
                assert done and all(done), row["name"]

    def test_records_that_fill_whole_steps(self):
        """Check a tape whose length is a multiple of 1024, the step of the device's table of records."""
        text, path = (os.path.join(self.folder, name) for name in ("text", "patterns"))
        for name, content in ((text, b"aaaa\n" * 768), (path, b"a\n")):
            with open(name, "wb") as file:
                file.write(content)
        who = [
            {"name": call, "call": call, "engine": "cuda", "loaded": True, "ours": True}
            for call in ("records-any", "records-cells")
        ]
        ask = {"text": f"file:{text}", "record": "line", "patterns": f"file:{path}"}
        status, results, said = run_row(ask, who)
        assert (status, [it.get("count") for it in results]) == (0, [768, 768]), said


@pytest.mark.usefixtures("device")
class TestTheorems(Case):
    """Counts on the simulated device what theorems about published algorithms say."""

    def counts(self, algorithm, text, pattern):
        """Return how many windows, comparisons and child grids a search takes, and how many occurrences it finds."""
        paths = [os.path.join(self.folder, name) for name in ("text", "pattern")]
        for path, content in zip(paths, (text, pattern + b"\n")):
            with open(path, "wb") as file:
                file.write(content)
        ask = {"text": f"file:{paths[0]}", "patterns": f"file:{paths[1]}"}
        status, (it,), said = run_row(
            ask, [{"name": "", "engine": "cuda", "threads": 1, "algorithm": algorithm, "ours": True}]
        )
        assert status == 0, said
        _, grids, windows, comparisons, _ = it["counts"]
        return windows, comparisons, grids, it["count"]

    def test_boyer_moore_horspool(self):
        """In n letters a, m letters b have n / m windows at best, and b with m - 1 letters a takes m comparisons in each of
        n - m + 1 windows at worst. Several threads have a few windows more."""
        for m in (4, 16, 64):
            n = 4096
            assert self.counts("bmh:1x1", b"a" * n, b"b" * m) == (n // m, n // m, 0, 0)
            assert self.counts("bmh:1x1", b"a" * n, b"b" + b"a" * (m - 1)) == (n - m + 1, m * (n - m + 1), 0, 0)
            windows, comparisons, *_ = self.counts("bmh:4x8", b"a" * n, b"b" * m)
            assert n // m <= windows == comparisons <= n // m + 4 * 8

    def test_quick_search_and_horspool(self):
        """At best, qs skips m + 1 bytes at each window, hp m. The last window of a thread's 512 offsets reads no shift."""
        for m in (3, 20):
            n = 512 + m - 1
            for name, step in (("qs", m + 1), ("hp", m)):
                windows, comparisons, *_ = self.counts(name, b"a" * n, b"b" * m)
                assert comparisons == -(-512 // step) and 0 <= comparisons - windows <= 1, (name, m)

    def test_brute_force(self):
        """bf makes one comparison at each offset at best, and m at worst, in any blocks."""
        n = 3000
        for name in ("bf", "bf:32", "bf-shared", "bf-tay", "bf-tay-shared"):
            for m in (2, 30):
                assert self.counts(name, b"a" * n, b"b" * m)[1] == n - m + 1
                assert self.counts(name, b"a" * n, b"a" * (m - 1) + b"b")[1] == m * (n - m + 1)

    def test_child_grids(self):
        """SWIFT starts a grid for each window whose ends match, and no other."""
        text = bytes(random.Random(5).choices(b"ab", k=2000))
        for m in (9, 40):
            pattern = text[300 : 300 + m]
            ends = sum(text[x] == pattern[0] and text[x + m - 1] == pattern[-1] for x in range(len(text) - m + 1))
            for name in ("bf-swift", "bf-swift-binning", "bf-swift-chunking"):
                assert self.counts(name, text, pattern)[2] == ends, (name, m)


class TestDocs(Case):
    """Checks that the pages agree with the results in docs/measurements."""

    def test_pages(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = docs.main(True)
        assert (status, out.getvalue()) == (0, "")

    def test_from(self):
        """Check that a report on a file of results needs no build, and prints the publications that are named."""

        def run(word):
            words = ["papers", word, f"--from={ROOT}/docs/measurements/papers.json", "--runner=/nowhere/trawl-bench"]
            program = [sys.executable, os.path.join(ROOT, "tools/bench/bench.py"), *words]
            return subprocess.run(program, capture_output=True, text=True, check=False)

        made = run("word").stdout
        assert "overtakes one core" in made and "100 searches" in made and "Boyer-Moore" not in made
        made = run("horspool")
        assert made.returncode == 1 and "there is no horspool; there are pss, bmh" in made.stderr

    def test_items(self):
        """Check the list of what the publications contain: of 199 items at most 20 are there only in part, and at most one
        not at all; each points to an algorithm, a file, words in a file (PATH, "WORDS") or a claim; all that it points to
        exists; and an item whose claim is not measured says so."""
        items = list(csv.DictReader(io.StringIO((ROOT / "docs/papers-items.csv").read_text(encoding="utf-8"))))
        data, verdicts = rows_of.read_results(os.path.join(ROOT, "docs/measurements/papers.json")), {}
        for paper, facts in papers.definitions().items():
            judged = claims.judged(papers.figures_of(data, paper), facts["claims"])
            for claim, order, factor, *_ in judged:
                verdicts[facts["title"].split(":")[0], claims.capital(claim["say"])] = (order, factor)
        listed = subprocess.run([COMMAND, "--list-algorithms"], capture_output=True, text=True, check=False).stdout
        states = [it["state"] for it in items]
        assert [int(it["number"]) for it in items] == list(range(1, 200))
        assert set(states) <= {"there", "partly", "missing", "not measured"}
        assert states.count("partly") <= 20 and states.count("missing") <= 1
        for it in items:
            where = it["where, and what differs"]
            paths = re.findall(
                r'((?:docs|gallery|include)/[\w./-]+\.(?:cu|c|h|md|csv|svg|def)\b)(?:, "([^"]*)")?', where
            )
            sources = "".join((ROOT / path).read_text(encoding="utf-8") for path, _ in paths)
            names = re.findall("`([a-z_-]+)[^`]*`", where) if listed else ()
            assert it["claims"] or paths or names or it["state"] == "missing", it
            for name in names:
                assert (
                    re.search(f"^{name} ", listed, re.M) or name == "trawl-serve" or re.search(rf"\b{name}\b", sources)
                ), it
            for path, words in paths:
                text = " ".join((ROOT / path).read_text(encoding="utf-8").replace("\n *", "\n").split())
                assert words in text, (it, words)
            judged = [verdicts[it["publication"], claim] for claim in it["claims"].split(" // ") if claim]
            late = any("not measured" in verdict for verdict in judged)
            assert not judged or late == (it["state"] == "not measured"), it

    def test_names(self):
        """Check the pages' tables of names: what a row calls the name here is in the file of the row."""
        for page in sorted((ROOT / "docs/papers").glob("*.md")):
            rows = re.findall(
                r"^\|[^|\n]*\|([^|\n]*`[^|\n]*)\|((?:gallery|include)/[^|\n]*)\|$", page.read_text("utf-8"), re.M
            )
            assert len(rows) >= 6 or page.name in ("method.md", "together.md"), page
            for names, path in rows:
                text = (ROOT / path).read_text(encoding="utf-8")
                for name in re.findall("`([^`]*)`", names):
                    assert name in text, (page, name, path)

    def test_plots(self):
        """Check that a figure is well-formed, that its text is 12 px or more and inside, and that names do not overlap."""
        axis = ("across", plots.decades(0.02, 300))
        lines = enumerate(("line", "dots", "rule"))
        lines = [(kind, [(1, 1), (9, 9 + i / 99)], kind) for i, kind in lines]
        for made in (
            plots.curves("a < b", "said", axis, "up", lines),
            plots.ranges("a < b", "said", "across", [("claim", 5, 0.02, 1, 300)]),
        ):
            root = ElementTree.fromstring(made)
            words = [it for it in root.iter() if it.tag.endswith("}text")]
            assert min(map(int, re.findall(r"(\d+)px", made))) >= 12
            assert all(0 <= float(it.get("x")) <= plots.WIDTH for it in words)
            heights = sorted(float(it.get("y")) for it in words if (it.get("class") or "").startswith("name"))
            assert all(b - a > 16 for a, b in zip(heights, heights[1:])), heights

    def test_hybrid_thresholds(self):
        """Check that each hybrid of the gallery uses chunking from the pattern length at which chunking was faster in each
        text of papers.json."""
        data = rows_of.read_results(os.path.join(ROOT, "docs/measurements/papers.json"))
        swift = sorted(
            (row for row in data["rows"] if row["paper"] == "swift" and ", m = " in row["name"]),
            key=lambda row: int(row["name"].split()[-1]),
        )
        with open(os.path.join(ROOT, "gallery/kernels.def"), encoding="utf-8") as file:
            kernels = " ".join(file.read().split())
        for name in ("bf", "qs", "hp"):
            first, forms = "NEVER", (name + "-shared", name + "-swift-chunking")
            rows = [row for row in swift if {it["name"] for it in row["results"] if it.get("kernel")} >= set(forms)]
            assert rows, name
            for row in reversed(rows):
                shared, chunking = (report.median({"seconds": report.result(row, form)["kernel"]}) for form in forms)
                if chunking >= shared:
                    break
                first = row["name"].split()[-1]
            named = re.findall(rf'MEASURED\("([^"]+)", {name.upper()}_HYBRID, {first}\)', kernels)
            assert [device for device in named if device in data["gpu"]], (name, first)

    def test_figures_by_hand(self):
        """Check rules that no page shows: what is compared with what, and which times count."""

        def row_of(name, *results, **facts):
            results = [
                {"name": one, "host": "", "side": "", "why" if isinstance(it, str) else "seconds": it}
                for one, it in results
            ]
            return {"name": name, "paper": "", "answers": 1, **facts, "results": results}

        results = [(regret.CHOICE, [4]), (regret.CHOICE, [3, 2]), ("b", [2.5]), ("a", [1, 5])]
        row = row_of("", *results, ("c", "refused"), text="T", text_bytes=8e9)
        best = row_of("", (regret.CHOICE, [1]), ("b", [1.05]), ("a", [2]), text="U", text_bytes=8e9, found=8e9)
        assert regret.kind_table([row, best])[-1] == "|all|2|1|1.500|2.0|"

        rows = [
            row_of("a #0", ("x", [1, 3]), ("y", [1])),
            row_of("b", ("x", [7, 9])),
            row_of("a #1", ("x", [5]), ("y", [1])),
        ]
        rows[2]["results"][1]["wrong"] = True
        rows = papers.merged(rows)
        assert [(row["name"], row["answers"], [it.get("seconds") for it in row["results"]]) for row in rows] == [
            ("a", 2, [[2, 5], None]),
            ("b", 1, [[7, 9]]),
        ]
        rows = sets.merged([row_of("a", ("x", [1])), row_of("b", ("x", [1])), row_of("a", ("y", [1]), merge=True)])
        assert rows == [row_of("a", ("x", [1]), ("y", [1])), row_of("b", ("x", [1]))]

        figures = claims.Figures(
            [row_of("a", ("x", [1, 1, 1]), ("y", [2, 2, 9]), ("z", [0.5, 1.2, 1.3]))], {}, True, set()
        )
        claim = {"on": ["a"], "who": [["x", "y"]], "bound": 3}
        assert claims.judge(figures, claim) == ("reproduced", "undecided", "", "2.00", "")  # by the mean 4.33
        assert claims.judge(figures, {"on": ["a"], "who": [["x", "z"]]})[0] == "undecided"  # by the minimum, 0.5
        several = [row_of("a", ("x", [1, 1, 1]), ("y", [2, 2, 9]), ("z", [0.5, 1.2, 1.3]), patterns=3)]
        several = claims.Figures(several, {}, True, set())
        assert claims.judge(several, claim)[1] == "undecided"  # the mean contradicts, of patterns as of runs
        assert claims.judge(several, {"on": ["a"], "who": [["x", "z"]]})[0] == "reproduced"  # 0.5: another pattern
        assert papers.cell(figures, "a|y") == "2000(2000–9000)"
        assert report.spread_line({"rows": [row_of("", ("x", [2, 3, 2])), row_of("", ("x", [1, 9]), patterns=2)]}) == (
            "- spread of runs: median 50 %, at most 50 %"
        )

        few = claims.Figures([row_of("a", ("x", [1, 1]), ("y", [9, 9, 9]))], {}, True, set())
        assert claims.judge(few, {"on": ["a"], "who": [["x", "y"]]})[0] == "undecided"  # two runs of x
        crossing = {"kind": "cross", "bound": 2, "unit": "", "cases": [["1", "a|y", "a|x"], ["2", "a|x", "a|y"]]}
        assert claims.judge(few, crossing)[:2] == ("undecided", "undecided")

        rows = [row_of("a", ("x", [1]), ("y", "refused")), row_of("b", ("x", [1]))]
        with contextlib.redirect_stdout(io.StringIO()):
            bench.add_times(rows, [row_of("a", ("x", [3]), ("y", [1]))])
        assert rows == [row_of("a", ("x", [1, 3]), ("y", "refused")), row_of("b", ("x", [1]))]

        rows = [
            row_of("C: text", (gpu.READ, [1]), (f"{gpu.CPU}, lines", [20]), ("lines", [4]), ("lines, first", [5])),
            row_of("C: records", (gpu.READ, [1]), ("records, any", [2]), ("records, cells", "refused"), count=7),
        ]
        rows[1]["results"][1]["count"] = 7
        results = [
            {"column": "C", "call": "contains", "seconds": [20], "count": 7},
            {"column": "C", "call": "contains_re", "seconds": [20], "count": 8},
            {"column": "C", "call": "find_multiple", "why": "no memory"},
        ]
        beside = {"version": "26", "bytes": 8e9, "results": results}
        lines = gpu.form_lines({"cudf, forms": beside}, "forms", "", rows)
        for line in (
            "|lines|**0.250**/1.25/0.050|",
            "|records, any|**0.500**/-/-|",
            "- records, cells: refused",
            "|contains|0.400 **10.0**|",
            "|contains_re|other answer|",
            "- find_multiple, C: no memory",
        ):
            assert line in lines
        assert gpu.form_lines({}, "forms", "", rows)[-1] == "pylibcudf: not measured."
        data = {"machine": {"gpu": "G, 1", "date": "d"}, "rows": rows, "cudf, forms": beside}
        assert "pylibcudf 26" in gpu.plot_cudf(data)
        assert gpu.plot_cudf({**data, "cudf, forms": {"why": "not measured"}}) is None

        clock = bench.Clock(bench.parse(["cpu", f"--command={COMMAND}", "--filter=a", "--seconds=1000"]))
        begun = clock.rows([{"name": "b"}, {"name": "a"}, {"name": "ab"}])
        assert (next(begun)["name"], clock.late) == ("a", False)
        clock.end = 1  # long ago
        assert (list(begun), list(clock.rest(rows)), clock.late) == ([], [], True)

    def test_a_row_that_fell(self):
        """A figure below 0.97 of the earlier one is a fall, unless the machine's read speed fell as much."""

        def measured(read, own, cpu, name="a"):
            results = {"trawl, CPU": [cpu], "device-read": [read], "trawl, GPU": [own, 9]}
            row = {"name": name, "text_bytes": 10}
            row["results"] = [{"name": name, "seconds": seconds} for name, seconds in results.items()]
            return {"benchmark": "gpu", "machine": {"gpu": "G, 1"}, "rows": [row]}

        before = measured(1, 2, 1)
        for same in (measured(1, 2.05, 9), measured(2, 4, 1), measured(1, 9, 1, "b")):
            assert list(against.fallen(same, before)) == []
        assert list(against.fallen(measured(1, 2.5, 1), before)) == [("a [10]", "trawl, GPU", 0.5, 0.4)]
        for number in (1, 2):  # the read, or trawl, could not run and has no time
            refused = measured(1, 2, 1)
            result = refused["rows"][0]["results"][number]
            result["why"] = "refused"
            del result["seconds"]
            assert list(against.fallen(refused, before)) == [("a [10]", "trawl, GPU", 0.5, 0)]
        with contextlib.redirect_stdout(io.StringIO()):
            assert [against.report(measured(1, it, 1), before) for it in (2, 2.5)] == [0, 1]
