/* rivals: several programs at one piece of work, in turn and in changing order, every answer
 * checked: what `trawl-bench sets` and `matrix` measure and report.
 */
#ifndef BENCH_RIVALS_H
#define BENCH_RIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/machine.h"
#include "bench/options.h"
#include "bench/util.h"

#define RIVALS_MAX 12u
#define RIVALS_BARS_MAX 4u
#define RIVALS_ROWS_MAX 32u
#define RIVALS_NAME_BYTES 96u

/* What one run took and found. A run that does a share of the work says so. */
struct rival_run {
    double share;           /* of the work that was done, from 0 to 1; set to 1 before */
    double compile_seconds; /* 0: nothing to compile, or it was compiled before */
    double seconds;         /* without compiling */
    uint64_t count;         /* what was found in the share */
    uint64_t expected;      /* what is to be found there */
    bool others;            /* as many were found, but not the same ones: wrong */
    uint64_t table_bytes;   /* of what was compiled; 0: not known */
    uint64_t memory_bytes;  /* that it took at most, the library alone; 0: not known */
    char why[96];           /* why it was not measured; empty: it was */
};

/* One contestant. The first run is not timed: it warms up, and may find out what share fits. */
struct rival {
    const char *name;
    bool ours; /* a wrong count ends the benchmark */
    void (*run)(void *context, struct rival_run *run);
};

struct rival_result {
    const char *name;
    bool ours;
    struct rival_run last;
    bool right;
    struct samples compile, work; /* of all of the work: a share's time is divided by the share */
};

/* `faster` is to be so many times as fast as the other, in work or in compiling. */
struct rivals_bar {
    const char *faster, *than;
    double bar; /* 0: none, the ratio is told */
    bool compile;
};

struct rivals_row {
    char name[RIVALS_NAME_BYTES];
    char work[RIVALS_NAME_BYTES]; /* what is done */
    uint64_t text_bytes, pattern_count, found;
    struct rival_result result[RIVALS_MAX];
    uint32_t count;
    struct rivals_bar bars[RIVALS_BARS_MAX];
    uint32_t bar_count;
};

struct rivals {
    const char *benchmark; /* "sets", "matrix" */
    struct rivals_row row[RIVALS_ROWS_MAX];
    uint32_t count;
    bool wrong;
};

/* Measure a row whose name and bars are set. */
void rivals_measure(struct rivals *rivals, struct rivals_row *row, const struct rival *contestants,
                    uint32_t count, void *context, const struct options *options);
/* How many times as fast; 0: one of the two was not measured, or was wrong. */
double rivals_ratio(const struct rivals_row *row, const struct rivals_bar *bar);

/* ---- rivals_report.c ---- */

/* Say where this runs and with what. */
void rivals_begin(const struct options *options, struct machine *machine);
/* What the rows come to, and the files that the options ask for. Returns the exit status. */
int rivals_end(const struct rivals *rivals, const struct machine *machine,
               const struct options *options);

void rivals_report_row(const struct rivals_row *row);

#endif
