/* bench: the benchmarks. Each returns an exit status: 1 if an answer was wrong. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "bench/options.h"

int bench_cpu(const struct options *options);
int bench_commands(const struct options *options);
int bench_floods(const struct options *options);
int bench_matrix(const struct options *options);
int bench_papers(const struct options *options);
int bench_roofline(const struct options *options);
int bench_sets(const struct options *options);

#endif
