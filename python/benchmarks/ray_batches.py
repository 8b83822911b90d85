#!/usr/bin/env python3
"""What does Ray cost on top of a search of batches of 64 MiB?

ray_batches.py [--batches 8] [--mebibytes 64] [--nodes 4] [--patterns 1000] [--rounds 3]

The same batches are filtered by trawl.ray in a cluster of simulated nodes on this machine, and by a
Stage in this process. Both have to keep the same records. Prints, for each round, the seconds of both,
and the seconds that the stages inside Ray's workers searched for: their sum is what direct speed is
compared with, since all nodes share this machine's cores with all else that Ray does.
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
    """A worker that adds a column: how long its search took, by processor time and by the wall."""

    def __call__(self, table):
        wall, cpu = time.perf_counter(), time.process_time()
        kept = super().__call__(table)
        spent = [time.perf_counter() - wall, time.process_time() - cpu]
        return pyarrow.table(
            {"kept": [kept.num_rows], "bytes": [table.nbytes], "wall": spent[:1], "cpu": spent[1:]}
        )


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
    parser.add_argument("--batches", type=int, default=8)
    parser.add_argument("--mebibytes", type=int, default=64)
    parser.add_argument("--nodes", type=int, default=4)
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
            compute=ray.data.ActorPoolStrategy(size=2),
            fn_constructor_args=([ray.put(plan)], "text", "filter", arguments),
        ).take_all()
        whole = time.perf_counter() - begin
        assert sum(row["kept"] for row in rows) == kept
        inside = sum(row["cpu"] for row in rows)
        print(
            f"direct {cpu:.2f} s of processor time ({wall:.2f} s by the wall), inside Ray's workers "
            f"{inside:.2f} s: {cpu / inside:.2f} of direct speed; Ray as a whole {whole:.2f} s"
        )
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
