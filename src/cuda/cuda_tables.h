/* cuda_tables: puts the tables that kernels need for a plan into device memory. A *literal* is a
 * string for which kernels search: a pattern, or a variant of one. */
#ifndef TRAWL_CUDA_CUDA_TABLES_H
#define TRAWL_CUDA_CUDA_TABLES_H

#include "cuda/device.h"
#include "cuda/kernels/scan.h"
#include "plan/contest.h"
#include "plan/plan.h"

struct cuda_worker;

/* The "every" method compares up to this many bytes at each position, which decides about a shorter
 * pattern unless case is ignored. */
#define CUDA_GRAM_BYTES 8u

/* Does the device have the set's automaton? NOT_ASKED: no search has needed it yet. NONE: it
 * exceeds a limit or the memory, or the limits forbid all automata. */
enum cuda_automaton { CUDA_AUTOMATON_NOT_ASKED, CUDA_AUTOMATON_READY, CUDA_AUTOMATON_NONE };

/* What a count in a loaded text costs with each method, for a plan with a single literal, in units
 * of the time in which the device reads the text once. Indexed by method; entry 0,
 * TRAWL_METHOD_AUTO, is not used. */
struct cuda_prices {
    /* the expected price, or the lowest measured one. PRICE_MAX: the method cannot search for the
     * pattern, or there was no memory for its tables */
    double price[TRAWL_METHOD_SAMPLED + 1];
    uint32_t counts[TRAWL_METHOD_SAMPLED + 1]; /* how many counts have been timed */
    /* All expected prices come from the sample. If false, those of methods that could hardly beat
     * the chosen one are only lower bounds. */
    bool is_rated;
    bool is_open;  /* "every" searches until the methods are rated (cuda_choose_meanwhile) */
    bool is_dense; /* most positions have a pattern for which there are no planes */
};

/* How a worker searches for a plan: the method, the kernels, the tables in device memory, and the
 * members of the kernels' arguments that do not depend on the text. */
/* The contestants (plan/contest.h): ways to search for a set. */
enum { BY_FILTER, BY_AUTOMATON };

struct cuda_tables {
    enum trawl_method method;
    bool ready; /* the device has the tables for plan_serial, a plan's serial number */
    uint64_t plan_serial;
    /* serial number of the sample from which `tuning` was made; 0: none */
    uint64_t sample_serial;
    /* for which bytes of a single literal the methods look: the plan's tuning, or `own` */
    const struct plan_tuning *tuning;
    struct plan_tuning own;
    uint64_t look_offset; /* cuda_choose_look */
    struct cuda_prices prices;
    /* Lists may come from a kernel whose bins can be full; false after that has failed for this
     * plan. */
    bool appends;
    bool wide_bins;    /* some bin was full although the share of hits was known */
    bool lists_begins; /* the last list needed no literals */
    bool is_nested;    /* the automaton found two literals that begin at one place */
    /* How many of the next scans use no stream kernel, because a scan had too many candidates. In
     * these scans, the automaton searches for a set, and the tile kernel (scan_planes,
     * append_planes) for a single pattern. */
    uint32_t dense_left;
    /* for counts of a single pattern in dense text: what planes took, in units of reading the text,
     * whether the automaton counts instead, and whether it was slower */
    double planes_price;
    bool dense_automaton, automaton_lost;
    /* For each step (the bytes that a warp loads together), stream_set has a budget of comparisons.
     * The kernel gives up a scan when a warp's comparisons exceed 2^budget_log2 times the budget of
     * its steps so far. */
    uint32_t budget_log2;
    /* how many positions a scan for hits covers, so that the hits will probably fit */
    uint64_t reach_bytes;
    double list_share; /* hits per position in the last search; below 0: none yet */
    /* between the filter (stream_set) and the automaton: of counts, and of lists */
    struct contest contests[2];
    bool by_automaton; /* the automaton has the turn, or has won */
    bool is_dear;      /* the filter is expected to be slow, so its first range is short */
    /* an upper bound for the number of literals that occur at the same start */
    uint32_t alike_max;
    /* the device has the set's literals */
    bool literals_there;
    struct scan_sets sets; /* what stream_set reads; stride 0: it cannot search for the set */
    bool has_sets;         /* stream_set can search for the set; false if there was no memory */
    bool sets_there;       /* the device has the tables of stream_set */
    enum cuda_kernel sets_kernel;
    double sets_price; /* expected cost of sets_kernel, in units of reading the text once */
    enum cuda_automaton automaton;
    /* size of the automaton's rows in words, an estimate until it is made; 0: not computed */
    double automaton_words;
    struct cuda_memory memory;
    struct cuda_memory sets_memory, entries_memory;
    uint64_t entries; /* how many entries fit into entries_memory */
    struct cuda_memory automaton_memory;
    struct pattern_arguments pattern;
    struct set_arguments set;
    struct automaton_arguments of_automaton;
};

/* Returns UNSUPPORTED if the plan exceeds a limit of the device. */
enum trawl_status cuda_tables_check(const struct trawl_plan *plan, struct trawl_error *error);
/* Chooses how to search for worker->plan in worker->chunk; for a single literal, also builds its
 * tables on the device. Does nothing if an earlier call has done so for this plan and text. */
enum trawl_status cuda_tables_want(struct cuda_worker *worker, struct trawl_error *error);
/* Notes how many hits per position the worker's plan had: the next list needs as much room. */
void cuda_tables_note_share(struct cuda_worker *worker, uint64_t hits, uint64_t positions);
/* Builds the tables that this kernel needs for the worker's set, unless the device has them.
 * If there is no memory for the tables of stream_set, sets has_sets to false. */
enum trawl_status cuda_tables_want_set(struct cuda_worker *worker, enum cuda_kernel kernel,
                                       struct trawl_error *error);
#endif
