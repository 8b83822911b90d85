#!/usr/bin/env python3
"""./dev bench NAME [OPTION]...: runs a benchmark and writes the results. See tools/bench/README.md."""

import argparse
import copy
import itertools
import os
import signal
import sys
import time

import against
import calibrate
import commands
import expressions
import filters
import gpu
import packages
import packed
import papers
import regret
import rivals
import rules
import serve
import sets
from report import median, result
from runner import ROOT, Runner, TimeUp, die, machine, read_results, size, this_commit, time_up, write_results
from texts import Texts

import cpu
import docs
import gallery

# For each name: module, function that makes the rows, default bytes of a text, default rounds.
KINDS = {
    "cpu": (cpu, cpu.rows, "1G", 5),
    "commands": (commands, commands.rows, "1G", 5),
    "expressions": (expressions, expressions.rows, "256M", 5),
    "sets": (sets, sets.set_rows, "64M", 5),
    "rules": (rules, rules.rows, "64M", 5),
    "matrix": (sets, sets.matrix_rows, "200000000", 5),
    "gpu": (gpu, gpu.rows, "16G", 7),
    "papers": (papers, papers.rows, "1G", 10),
    "gallery": (gallery, gallery.rows, "1M", 1),
    "regret": (regret, regret.rows, "16M", 5),
    "packed": (packed, packed.rows, "64M", 5),
    "filter": (filters, filters.rows, "1G", 7),
    "packages": (packages, None, "16M", 5),
    "serve": (serve, serve.rows, "2G", 5),
    "calibrate": (calibrate, calibrate.rows, "512K", 60),
}
DOCS = ("cpu", "commands", "expressions", "sets", "matrix", "rules")


def parse(words):
    """Return the options of a command line of ./dev bench."""
    parser = argparse.ArgumentParser(prog="./dev bench", allow_abbrev=False, description=__doc__)
    parser.add_argument("name", choices=[*KINDS, "docs"])
    parser.add_argument(
        "words",
        nargs="*",
        help="papers: some of its reports; gpu: of its groups; serve: folders "
        "of sources to make its tree of; "
        "docs: what to measure again (all)",
    )
    parser.add_argument("--bytes", help="of each text; K, M and G are powers of 1024")
    parser.add_argument("--rounds", type=int, help="timed runs of each; the median counts")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--filter", help="only rows whose name contains this")
    parser.add_argument("--engine", choices=("auto", "cpu", "cuda"), default="cpu", help="regret, serve: who searches")
    parser.add_argument("--share", type=float, default=1, help="regret: of the rows, drawn by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--instruction-set", help="force an instruction set")
    parser.add_argument("--data", help="folder of texts (TRAWL_DATA, ../shared/data)")
    parser.add_argument("--directory", help="where files are made (build); deleted at the end")
    parser.add_argument("--runner", default=os.path.join(ROOT, "build/release/trawl-bench"))
    parser.add_argument("--command", help="the command to time (trawl beside the runner)")
    parser.add_argument("--seconds", type=float, help="begin no row after this many")
    parser.add_argument("--cell-seconds", type=float, default=5, help="fewer runs of what takes longer")
    parser.add_argument("--largest", default="64M", help="papers: no text is larger")
    parser.add_argument("--small-runs", type=int, default=200, help="commands: runs on 1 KiB")
    parser.add_argument("--text", help="gallery: the file to search, of which --bytes are read")
    parser.add_argument("--lengths", default="4..1024", help="gallery: of patterns: 8,100 or 4..4096")
    parser.add_argument("--algorithms", help="gallery: NAME[:OPTIONS],..., trawl among them; all")
    parser.add_argument("--patterns", type=int, default=100, help="gallery: of each length")
    for form in ("csv", "tex", "svg"):
        parser.add_argument(f"--{form}", help="gallery: write the table, or a plot, as this, too")
    parser.add_argument("--json", help="write every single time")
    parser.add_argument("--markdown", help="write the report as in the documents")
    parser.add_argument("--from", dest="source", help="measure nothing: report on this JSON")
    parser.add_argument("--from-json", action="store_true", help="docs: measure nothing")
    parser.add_argument("--uncommitted", action="store_true", help="docs: also of changed files")
    parser.add_argument("--check", action="store_true", help="docs: say what differs, write nothing")
    parser.add_argument(
        "--against",
        type=read_results,
        help="the JSON of an earlier run on this machine: measure again what fell, and fail if it did",
    )
    options = parser.parse_args(words)
    options.line = "./dev bench " + " ".join(words)
    if options.command is None:
        options.command = os.path.join(os.path.dirname(options.runner), "trawl")
    options.directory = options.directory or os.path.join(ROOT, "build")
    if options.name == "papers" and (unknown := set(options.words) - set(papers.NAMES)):
        die(f"papers: there is no {', '.join(sorted(unknown))}; there are {', '.join(papers.NAMES)}")
    if options.name not in ("docs", "gpu") and not options.source and not os.access(options.command, os.X_OK):
        die(f"{options.command} does not run")
    return options


def settle(options, name):
    """Set each option that the command line lacks to the benchmark's default."""
    _, _, count, rounds = KINDS[name]
    options.bytes = size(options.bytes or count)
    options.rounds = options.rounds or rounds
    options.largest = size(options.largest) if isinstance(options.largest, str) else options.largest
    if options.bytes < 4096 or options.rounds < 1:
        die("--bytes: at least 4096; --rounds: at least 1")


class Clock:
    """Passes on the rows to measure, until the time is up."""

    def __init__(self, options):
        self.wanted, self.late = options.filter or "", False
        self.common = {"rounds": options.rounds, "seconds": options.cell_seconds}
        self.end = options.seconds and time.monotonic() + options.seconds

    def rows(self, made):
        """Yield the wanted rows until the time is up."""
        for row in made:
            if self.wanted not in row["name"]:
                continue
            if self.end and time.monotonic() > self.end:
                self.late = True  # making the texts of later rows would take time, too
                return
            yield {**self.common, **row}

    def rest(self, again):
        """Yield the rows of `again` that there is time for."""
        return itertools.takewhile(lambda _: not self.end or time.monotonic() < self.end, again)


def add_times(rows, later):
    """Add the times of rows that were measured again. All times count, because noise seldom hits twice."""
    print(f"measured again: {len(later)} rows")
    again = {row["name"]: row for row in later}
    for row in (row for row in rows if row["name"] in again):
        for it in row["results"]:
            more = result(again[row["name"]], it["name"])
            if more and it.get("seconds"):
                it["seconds"] += more["seconds"]


def show(row):
    """Print a row that has been measured: milliseconds, or why there are none."""
    cells = [
        f"{it['name']} {1e3 * median(it):.4g}"
        if result(row, it["name"])
        else f"{it['name']}: {it.get('why', 'another answer')}"
        for it in row["results"]
    ]
    print(f"{row['name']}: {'; '.join(cells)} ms", flush=True)


def measure(options, name):
    """Run a benchmark. Return (head, rows) for a file of results; None: an answer was wrong."""
    module, make, _, _ = KINDS[name]
    settle(options, name)
    runner, texts, clock = Runner(options), Texts(options), Clock(options)
    options.facts = runner.facts
    head = {"benchmark": name, "machine": machine(options, runner.facts)}
    head |= module.head(options) if hasattr(module, "head") else {}

    def finished(row):
        """Complete and show a row that has been measured."""
        if module is papers:
            papers.finish(row)
            head.setdefault("load_after", {})[row["paper"]] = os.getloadavg()[0]
        if "scripted" in row:
            row["results"].append(rivals.scripted(*row.pop("scripted"), options.rounds, row["text_bytes"]))
        if all(it.get("seconds") or it.get("why") or it.get("wrong") for it in row["results"]) and name != "calibrate":
            show(row)

    made = {}

    def kept(rows):
        for row in rows:
            made[row["name"]] = row
            yield row

    try:
        if make is None:
            return head, module.measure(options, runner, texts)
        rows = runner.run(kept(clock.rows(make(options, texts))), show=finished)
        rows = papers.merged(rows) if module is papers else sets.merged(rows)
        if module is papers:
            head["texts"] = {kind: [name, len(content)] for kind, (content, name) in texts.sources.items()}
        if options.against:
            fell = {row for row, *_ in against.fallen({**head, "rows": rows}, options.against)}
            few = [made[row["name"]] for row in rows if against.key(row) in fell and row["name"] in made]
            add_times(rows, runner.run(clock.rest(few), show=finished))
        if module is gpu:
            head.update(gpu.beside(options, texts, rows))
            rows += gpu.by_device_count(options, texts, lambda few, env: runner.run(clock.rows(few), env))
    finally:
        texts.close()
    if not rows and not clock.late:
        die(f"no row has a name that contains '{options.filter}'")
    if clock.late:
        print("the time was up: the rows that are not in the report are left out")
    return None if runner.wrong else (head, rows)


def one(options, name):
    """Measure and report. Returns the exit status."""
    if options.source:
        data = read_results(options.source)
        if name == "papers" and options.words:
            data["rows"] = [row for row in data["rows"] if row["paper"] in options.words]
    else:
        made = measure(options, name)
        if made is None:
            print("an answer was wrong: nothing is written")
            return 1
        head, rows = made
        data = {**head, "rows": rows}
        if options.json:
            write_results(options.json, head, rows)
    module = KINDS[data["benchmark"]][0]
    lines = module.section(data)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join(lines).strip("\n") + "\n")
    else:
        print("\n" + "\n".join(lines))
    for path, text in module.files(data, options) if hasattr(module, "files") else ():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return against.report(data, options.against) if options.against else 0


def documents(options):
    """Measure again, and write the figures of the documents. A measurement of uncommitted changes cannot be
    repeated, so it requires --uncommitted."""
    names = options.words or list(DOCS)
    if options.check or options.from_json:
        return docs.main(options.check)
    commit = read_results(options.source)["machine"]["commit"] if options.source else this_commit()
    if not options.uncommitted and (commit.endswith("-dirty") or commit == "unknown"):
        die(f"these figures are of commit {commit} (--uncommitted takes them)")
    if options.source and len(names) != 1:
        die("docs NAME --from=FILE: one name")
    for name in names:
        if name not in KINDS and not (name == "forms" and options.source):  # a part of gpu, in a file of its own
            die(f"docs: there is no {name}")
        print(f"== {name}", flush=True)
        mine = copy.copy(options)
        mine.words, mine.line = [], options.line if options.words else f"./dev bench {name}"
        mine.json = os.path.join(ROOT, docs.MEASUREMENTS, f"{name}.json")
        if options.source:
            data = read_results(options.source)
            rows = data.pop("rows")
            data["benchmark"] = name
            write_results(mine.json, data, rows)
            continue
        if status := one(mine, name):
            return status
    return docs.main(False)


def main():
    """Run the command line; return the exit status."""
    signal.signal(signal.SIGTERM, time_up)
    options = parse(sys.argv[1:])
    try:
        return documents(options) if options.name == "docs" else one(options, options.name)
    except TimeUp:  # between two rows, or while a report is made
        return 143


if __name__ == "__main__":
    sys.exit(main())
