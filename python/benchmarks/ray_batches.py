#!/usr/bin/env python3
"""What does Ray cost on top of a search of batches of 64 MiB?

ray_batches.py [--batches 16] [--mebibytes 64] [--nodes 4] [--workers 1] [--patterns 1000]
    [--rounds 3]

The same batches are filtered by trawl.ray in a cluster of simulated nodes on this machine, and by a
Stage in this process. Both have to keep the same records. Prints, for each round, the seconds of both,
and the seconds that Ray's workers were given tables for: their sum is what direct speed is compared
with, since all nodes share this machine's cores with all else that Ray does. With more than one worker
they share caches and memory, too, which the search in this process has alone. What workers need to
begin, before the first table comes, is told apart.
"""

import argparse
import random
import time

import pyarrow
import ray
import trawl
import trawl.ray
from others import make_patterns, make_text
from ray.cluster_utils import Cluster
from trawl.stages import Stage


class Timed(trawl.ray.Worker):
    """A worker that says how long each table took, by processor time and by the wall, and, with the
    first, how long it took to begin."""

    def __init__(self, *arguments):
        cpu = time.process_time()
        super().__init__(*arguments)
        self.begin = time.process_time() - cpu

    def __call__(self, table):
        wall, cpu = time.perf_counter(), time.process_time()
        kept = super().__call__(table)
        row = {
            "kept": kept.num_rows,
            "wall": time.perf_counter() - wall,
            "cpu": time.process_time() - cpu,
            "begin": self.begin,
        }
        self.begin = 0.0
        return pyarrow.Table.from_pylist([row])


def make_table(rng, text, size):
    lines, at, total = [], rng.randrange(len(text) // 2), 0
    while total < size:
        step = rng.randint(100, 1000)
        lines.append(text[at : at + step])
        at = (at + step) % (len(text) - 1000)
        total += step
    return pyarrow.table({"text": pyarrow.array(lines, pyarrow.large_binary())})


def direct(tables, plan):
    """Rows kept, and (wall, cpu) seconds of all of them."""
    stage, kept = Stage(plan, "text", "filter", engine="cpu", threads=1), 0
    wall, cpu = time.perf_counter(), time.process_time()
    for table in tables:
        for batch in stage(table.combine_chunks().to_batches()):
            kept += batch.num_rows
    return kept, time.perf_counter() - wall, time.process_time() - cpu


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batches", type=int, default=16)
    parser.add_argument("--mebibytes", type=int, default=64)
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--patterns", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rng = random.Random(1)
    text = make_text(rng, 32 << 20)
    plan = trawl.Plan(make_patterns(rng, text, options.patterns))
    tables = [make_table(rng, text, options.mebibytes << 20) for _ in range(options.batches)]
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    for _ in range(options.nodes - 1):
        cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    dataset = ray.data.from_arrow(tables)
    arguments = {"engine": "cpu", "threads": 1}
    for _ in range(options.rounds):
        kept, wall, cpu = direct(tables, plan)
        begin = time.perf_counter()
        rows = dataset.map_batches(
            Timed,
            batch_size=None,
            batch_format="pyarrow",
            zero_copy_batch=True,
            compute=ray.data.ActorPoolStrategy(size=options.workers),
            fn_constructor_args=([ray.put(plan)], "text", "filter", arguments),
        ).take_all()
        whole = time.perf_counter() - begin
        assert sum(row["kept"] for row in rows) == kept
        inside, begun = (sum(row[key] for row in rows) for key in ("cpu", "begin"))
        print(
            f"direct {cpu:.2f} s of processor time ({wall:.2f} s by the wall), inside Ray's workers "
            f"{inside:.2f} s: {cpu / inside:.2f} of direct speed; {begun:.2f} s more to begin; Ray as "
            f"a whole {whole:.2f} s"
        )
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
