/* trial: finds out which of two programs takes less time on the text at hand.
 *
 * The faster program depends on the text, the strings and the caches, and cannot be predicted. A
 * search begins with either program. Once the other program could save more time than a trial
 * costs, a trial begins: both programs search some steps of text in turn. The faster program then
 * goes on until the next trial.
 */
#ifndef TRAWL_CPU_TRIAL_H
#define TRAWL_CPU_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#define TRIAL_TURN 3u /* steps by the same program, before the other program has its turn */
#define TRIAL_STEPS (4 * TRIAL_TURN)

struct trial {
    uint32_t now;  /* number of the program that searches: 0 or 1 */
    uint32_t step; /* number of the current trial's step, from 1 on; 0: no trial is going on */
    uint64_t short_texts; /* number of short texts between trials */
    /* bytes of text until the step ends; if step is 0, until a trial may begin */
    uint64_t left;
    uint64_t interval; /* bytes of text from the last trial to the next */
    uint64_t spent;    /* ns that the search took since the last trial */
    uint64_t searched; /* bytes of text that were searched in `spent` */
    bool is_warm;      /* the tables of the program that searches are in the caches */
    uint64_t advance;  /* ns by which the first trial may begin sooner */
    uint64_t ns[2];    /* by program: time of this trial's steps */
    uint64_t bytes[2]; /* by program: bytes that these steps searched */
};

/* Two programs that find the same occurrences. */
struct trial_pair {
    /* Searches the begins in [from, to) by program number `which`. Returns where the search goes
     * on; a position before `to` means that the search ends, because it has its answer, is full, or
     * has failed. */
    uint64_t (*run)(void *state, uint32_t which, uint64_t from, uint64_t to);
    void *state;
    uint64_t text_end; /* the text is known to go on until this position */
    uint64_t once_ns;  /* time to make tables that only the other program needs */
    double price_ns;   /* ns per byte that the other program may take; 0: unknown */
    double least_ns;   /* ns per byte that program 1 takes at least; 0: unknown */
    /* bytes of text that program 1 searches before its first timed step, if trials inside the
     * program have to end first; 0: a step */
    uint64_t warm_bytes;
    const struct trial *inner[2]; /* no trial begins while these trials go on; NULL: no trial */
};

/* Searches the begins in [from, to) by the trial's programs. */
void trial_run(struct trial *trial, const struct trial_pair *pair, uint64_t from, uint64_t to);

#endif
