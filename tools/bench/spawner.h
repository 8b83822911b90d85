/* spawner: a small process that runs commands for a large one. */
#ifndef BENCH_SPAWNER_H
#define BENCH_SPAWNER_H

#include <stdbool.h>

#include "bench/process.h"

/* Forking a process with much memory, or with a device open, takes longer than forking a small
 * one, and that would be counted as the command's time. So a child made at the very beginning
 * forks in its parent's place. */
struct spawner {
    int request, reply; /* pipes */
    int child;
};

void spawner_open(struct spawner *spawner);
void spawner_close(struct spawner *spawner);

/* process_run without a feeder, in the child. */
void spawner_run(const struct spawner *spawner, const char *const *program, bool hash_all,
                 struct outcome *outcome);

#endif
