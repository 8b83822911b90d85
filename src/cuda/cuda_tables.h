/* cuda_tables: puts the tables that kernels need for a plan into device memory. A *literal* is a
 * string that kernels search for: a pattern, or a variant of a pattern. */
#ifndef TRAWL_CUDA_CUDA_TABLES_H
#define TRAWL_CUDA_CUDA_TABLES_H

#include "cuda/device.h"
#include "cuda/kernels/scan.h"
#include "plan/plan.h"

struct engine_worker;

/* Says if the device has the set's automaton. NOT_ASKED: no search has needed it yet. NONE: it
 * is too large for a limit or for memory, or the limits forbid all automata. */
enum cuda_automaton { CUDA_AUTOMATON_NOT_ASKED, CUDA_AUTOMATON_READY, CUDA_AUTOMATON_NONE };

/* What a count in a loaded text costs by each method, for a plan with a single literal, in units of
 * the time in which the device reads the text once. Indexes are methods; entry 0, of
 * TRAWL_METHOD_AUTO, is not used. */
struct cuda_prices {
    /* the expected price, or the least measured one. PRICE_MAX: the method cannot search, or there
     * was no memory for its tables */
    double price[TRAWL_METHOD_SAMPLED + 1];
    uint32_t counts[TRAWL_METHOD_SAMPLED + 1]; /* counts that were measured */
    /* True: all expected prices follow from the sample. False: those of methods that could hardly
     * be cheaper than the chosen one are lower bounds. */
    bool is_rated;
};

/* How a worker searches for a plan: the method, the kernels, the tables in device memory, and the
 * members of struct scan_arguments that do not depend on the text. */
struct cuda_tables {
    enum trawl_method method;
    bool ready; /* the device has the tables of the plan whose serial number is plan_serial */
    uint64_t plan_serial;
    /* serial number of the sample from which `tuning` was made; 0: no sample was used */
    uint64_t sample_serial;
    /* the bytes for which the methods for a single literal search: the plan's tuning, or `own` */
    const struct plan_tuning *tuning;
    struct plan_tuning own;
    uint64_t look_offset; /* cuda_choose_look */
    struct cuda_prices prices;
    enum cuda_kernel kernel;
    /* the kernel that counts a single pattern: a stream kernel or `kernel`. For a set: `kernel`,
     * but sets_kernel or the automaton may count instead */
    enum cuda_kernel count_kernel;
    /* false: a search for hits in any order failed, so kernels list this plan's hits in order */
    bool appends;
    /* How many of the next scans use no stream kernel, since a scan had too many candidates or a
     * set's automaton took over. In these, the automaton (or else the kernels of set.cu) searches
     * for a set, and the tile kernel (scan_every, hits_every) for a single pattern. */
    uint32_t dense_left;
    bool dense_lists; /* dense_left holds for lists of hits, too, not only for counts */
    /* stream_set searches step by step (a step is the bytes that a warp loads together), and
     * each step has a budget of comparisons. The kernel gives up a scan when a warp's
     * comparisons cost more than 2^budget_log2 × the budget of the steps so far. */
    uint32_t budget_log2;
    /* positions that a scan for hits covers, so that the hits are likely to fit */
    uint64_t reach_bytes;
    bool lists_few;      /* the last scan with this plan found few hits */
    bool is_tried;       /* the set's filter was timed on enough of the text */
    uint32_t tried_log2; /* the next trial has 2^tried_log2 times limits.tried_bytes */
    double lost_ns; /* the time that the automaton would have saved the set's searches so far */
    /* the host's tables of the set, from which alike_max follows; NULL: not needed yet */
    const struct plan_set_tables *set;
    /* an upper bound of the number of literals that may occur at the same start */
    uint32_t alike_max;
    /* the device has the set's literals (literals_there) and the tables of set.cu
     * (buckets_there) */
    bool literals_there, buckets_there;
    struct scan_sets sets; /* what stream_set reads; stride 0: stream_set does not take the set */
    bool has_sets;         /* stream_set takes the set; false if there was no memory */
    bool sets_there;       /* the tables of stream_set are on the device */
    enum cuda_kernel sets_kernel;
    double sets_price; /* expected cost of sets_kernel, in units of reading the text once */
    enum cuda_automaton automaton;
    /* words of the automaton's rows, an estimate until it is made; 0: not computed */
    double automaton_words;
    /* last measured cost of a count by the automaton and by the set's filter, in units of reading
     * the text once; 0: not measured */
    double automaton_price, filter_price;
    struct cuda_memory memory, buckets_memory;
    struct cuda_memory sets_memory, entries_memory;
    uint64_t entries; /* number of entries for which entries_memory has room */
    struct cuda_memory automaton_memory;
    struct scan_arguments arguments;
};

/* Returns UNSUPPORTED if the plan exceeds a limit of the device. */
enum trawl_status cuda_tables_check(const struct trawl_plan *plan, struct trawl_error *error);
/* Chooses how to search for worker->plan in worker->searched, and makes the tables of a single
 * literal on the device. Does nothing if an earlier call has done so for this plan and text. */
enum trawl_status cuda_tables_want(struct engine_worker *worker, struct trawl_error *error);
/* Makes the tables of the worker's set that this kernel reads, unless the device has them. Measures
 * alike_max if the kernel's launch depends on it. If there is no memory for the tables of
 * stream_set, sets has_sets to false, and makes those for the kernels of set.cu instead. */
enum trawl_status cuda_tables_want_set(struct engine_worker *worker, enum cuda_kernel kernel,
                                       struct trawl_error *error);
/* Records that a count over `begins` positions of a sampled text took `ns` ns; ignores a short
 * text. If another method should be clearly faster, the next count chooses anew. */
void cuda_tables_told(struct engine_worker *worker, uint64_t begins, uint64_t ns);

#endif
