/* tables: a plan as the kernels read it, in one block of device memory. */
#ifndef TRAWL_CUDA_TABLES_H
#define TRAWL_CUDA_TABLES_H

#include "cuda/device.h"
#include "cuda/kernels/scan.h"
#include "plan/plan.h"

struct engine_worker;

/* Of the plan's set: not yet needed, on the device, or too large. */
enum cuda_automaton { CUDA_AUTOMATON_NOT_ASKED, CUDA_AUTOMATON_READY, CUDA_AUTOMATON_NONE };

#define CUDA_TURNS_MAX 4u

/* Methods of one pattern that are expected to cost about as much as the cheapest in a loaded text.
 * A sample and prices do not know everything: each has some counts, and the quickest goes on. */
struct cuda_turns {
    enum trawl_method methods[CUDA_TURNS_MAX]; /* the cheapest first */
    double begin_ns[CUDA_TURNS_MAX];           /* the least time for a begin */
    uint32_t count;                            /* of methods; 0: it is settled */
    uint32_t turn;                             /* whose it is; in it so many */
    uint32_t counts;
    double price;  /* that the first is expected to take, in units of reading; 0: none is */
    bool comes;    /* of this turn there are no tables yet */
    bool is_quick; /* chosen by a first look, */
    bool in_full;  /* which counts did not bear out: the next look is at everything, */
    bool is_slow;  /* and if one took too long, all methods have their turn */
};

/* What the device side of a plan looks like: the parts of struct scan_arguments that do not depend
 * on the text. */
struct cuda_tables {
    enum trawl_method method;
    bool ready; /* in the worker's memory, for the plan with the serial number */
    uint64_t plan_serial;
    uint64_t sample_serial;           /* of the text's sample that the tuning knows; 0: none */
    const struct plan_tuning *tuning; /* of one literal: the plan's, or `own` */
    struct plan_tuning own;
    struct cuda_turns turns;
    enum cuda_kernel kernel;
    enum cuda_kernel count_kernel; /* where only counts are wanted; a stream, or kernel again */
    bool sorts;                    /* hits are found by samples and put in order */
    uint32_t dense_left;   /* scans for which streams are not tried: the last one was dense */
    uint32_t budget_log2;  /* of a set: times the usual work for a tile */
    bool is_tried;         /* of a set: the text's first range did not ask for the automaton */
    double lost_ns;        /* of a set: what the automaton would have saved since then */
    uint32_t alike_max;    /* a set's literals that may occur at one begin, at most */
    struct scan_sets sets; /* stride 0: stream_set does not take the set */
    bool sets_ready;       /* its tables are there too */
    enum cuda_kernel sets_kernel;
    double sets_price; /* what that kernel is expected to take, in times of reading the text */
    enum cuda_automaton automaton;
    struct cuda_memory memory;
    struct cuda_memory sets_memory, entries_memory;
    uint64_t entries; /* that the latter has room for */
    struct cuda_memory automaton_memory;
    struct scan_arguments arguments;
};

/* UNSUPPORTED: the plan is not for a device. */
enum trawl_status cuda_tables_check(const struct trawl_plan *plan, struct trawl_error *error);
/* Those of worker->plan, on the device, for the text that is about to be searched:
 * worker->searched.
 */
enum trawl_status cuda_tables_want(struct engine_worker *worker, struct trawl_error *error);
/* A count of so many begins took so long; a stream looked at so many candidates and gave up so many
 * tiles. */
void cuda_tables_told(struct engine_worker *worker, uint64_t begins, uint64_t ns,
                      uint64_t candidates, uint64_t given_up);

#endif
