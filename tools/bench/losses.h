/* losses: a cell in which a published program takes less time than trawl, and why that is so. */
#ifndef BENCH_LOSSES_H
#define BENCH_LOSSES_H

#include "bench/papers.h"

#define REASON_VALUES 6u

/* A published figure that took less time than trawl's on the same place. */
struct loss {
    const struct paper *paper;
    const struct figure *rival, *own;
    const char *place;
    double rival_seconds, own_seconds;
    bool all;                    /* no form of trawl takes less */
    const struct reason *reason; /* the first that the figures bear out; NULL: none */
    double value[REASON_VALUES]; /* what it says */
};

/* trawl's fastest on a question: on one place, or anywhere but as a process (place NULL). */
const struct figure *losses_own(const struct paper *paper, const char *on, const char *place,
                                double *seconds);

/* Choose loss->reason, and its values; from the figures alone. */
void losses_explain(struct loss *loss);
/* What a reason says of all these cells. */
void losses_say(const struct loss *losses, uint32_t count, FILE *file);

#endif
