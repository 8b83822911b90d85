/* spawner: a small process that runs commands for a large one. */
#ifndef BENCH_SPAWNER_H
#define BENCH_SPAWNER_H

#include <stdbool.h>

#include "bench/process.h"

/* The kernel's account of a program's memory begins with what the process held that started it, and
 * starting one beside an open device takes longer. So a child made at the very beginning starts
 * programs in its parent's place. */
struct spawner {
    int request, reply; /* pipes */
    int child;
};

void spawner_open(struct spawner *spawner);
void spawner_close(struct spawner *spawner);

/* process_run, in the child. */
void spawner_run(const struct spawner *spawner, const struct command *command, bool hash_all,
                 struct outcome *outcome);

#endif
