/* dense: the dense fallback of method set: time linear in text and occurrences.
 *
 * Where candidates are dense, an automaton (Aho and Corasick 1975) searches the text. It reads the
 * text from its end: after the byte at x, its state is the longest string that stands at x and ends
 * some literal, so the state knows all literals that begin at x. Each thread makes its own states
 * when the text first needs them, from orders of the literals that all threads share.
 */
#ifndef TRAWL_CPU_DENSE_H
#define TRAWL_CPU_DENSE_H

#include "match/hits.h"
#include "plan/plan.h"

struct fold; /* dense_fold.c: which characters are alike */

/* A string in the order of bytes. Strings with the same bytes follow each other, and the first of
 * them stands for all. */
struct dense_string {
    uint64_t head; /* its first 8 bytes, the first most significant; 0 beyond its end */
    uint32_t string;
    uint32_t alike;   /* strings with these bytes; 0: the first of them is at `shorter` */
    uint32_t shorter; /* of the first: the longest proper prefix that is a string, or PLAN_NONE */
    uint32_t outputs; /* of the first: strings that are a prefix, and those alike */
};

/* What all threads share. For plans without tails the strings are the plan's literals. Tails are
 * characters with variants: there the strings are whole patterns with each character replaced by
 * the one that stands for all its variants, and the text is rewritten the same way. */
struct dense_set {
    const struct plan_literal *strings; /* count: the plan's, or own_strings */
    const uint8_t *bytes;               /* theirs: the plan's, or own_bytes */
    uint32_t count;
    uint32_t *sorted; /* strings, ascending by their reversed bytes, then by index */
    uint32_t sorted_count;
    uint64_t *tails; /* of each in that order: its last 8 bytes, the last most significant */
    struct dense_string *nested; /* sorted_count: the same, ascending by their bytes */
    uint32_t *nested_at;         /* count: where in nested each of them is */
    uint32_t *lengthy;           /* strings too long for the automaton, ascending */
    uint32_t lengthy_count;
    uint64_t length_max;   /* of the sorted ones */
    uint32_t classes;      /* of bytes */
    uint32_t class_first;  /* 1: class 0 is that of bytes in no string; 0: there is none */
    uint32_t class_bits;   /* a row has 1 << class_bits transitions; 1 or more */
    uint8_t class_of[256]; /* by byte */
    uint8_t byte_of[256];  /* by class: its byte, in lower case where case is ignored */
    bool unfit;            /* a pattern is not UTF-8, so the text cannot be rewritten for it */
    struct fold *fold;     /* NULL: texts are taken as they are */
    struct plan_literal *own_strings; /* count; NULL: the plan's serve */
    uint8_t *own_bytes;
    uint64_t own_bytes_count;
};

/* A state. Its string is the first `depth` bytes of the reversed strings sorted[lo, hi). */
struct dense_node {
    uint32_t lo; /* 0 <= lo < hi <= sorted_count, but in an empty set */
    uint32_t hi;
    uint32_t ends; /* how many of them end here, the first ones */
    uint32_t depth;
    uint32_t fail;    /* not sparse: the longest proper suffix that is a state's */
    uint32_t longest; /* in nested: the longest string that begins here, PLAN_NONE if none does */
};

#define DENSE_LIST_FEW 3u    /* for lists of so many strings there is always room */
#define DENSE_LIST_MAX 512u  /* states with more have no list */
#define DENSE_LIST_SLACK 16u /* strings beyond a list that may be read, and hits written */
#define DENSE_PLACES 64u     /* whose lists are taken at once */

/* The strings that begin where a state is, ascending, at `at` in the pool; PLAN_NONE: not made. */
struct dense_list {
    uint32_t at;
    uint32_t count; /* right even so */
};

/* The lists as find_ops takes them. The pool is readable for DENSE_LIST_SLACK beyond a list. */
struct dense_lists {
    const struct dense_list *items; /* by state */
    const uint32_t *pool;
    uint32_t class_bits;
};

/* States in the order of a text's places, each where it was first met. */
struct dense_trace {
    uint32_t *states;   /* as transitions */
    uint32_t *first;    /* from this place of the trace on, all followed each other in the text */
    uint32_t *hits_end; /* where its own hits end in hits: those of the next begin there */
    uint8_t *bytes;     /* the text's */
    struct hit *hits;   /* offset: the place in the trace */
    uint32_t count;     /* of places */
};

/* Runs of places that follow the trace pay if they are so long in the mean, but for a few. */
#define DENSE_RUN_PAYS 16u
#define DENSE_RUNS_FREE 64u
#define DENSE_RUNS_FEW 8u /* the same where they did not pay in the step before */

#define DENSE_STEP 32768u
/* Of strings of at most so many bytes, what a state fails to is looked up among them. Else it is
 * looked up in states made for that alone while there is room for them: more bytes would be
 * compared than there are. */
#define DENSE_SPARSE_BYTES_MAX 1024u

/* A transition is the next node << class_bits, and this where strings begin there; PLAN_NONE: not
 * known yet. */
#define DENSE_BEGINS 1u

/* One thread's part. */
struct dense_worker {
    uint64_t serial;             /* of the plan it is for; 0: none */
    const struct dense_set *set; /* of that plan, which may be gone once there is another */
    uint32_t class_bits;
    bool sparse;  /* only states that texts visit are made */
    bool refused; /* a step needs more states than there is room for, or the set is unfit */
    struct dense_node *nodes;
    uint32_t *next;  /* transitions: node << class_bits | class */
    uint32_t *path;  /* not sparse; scratch: states whose transition is needed */
    uint32_t *table; /* sparse: states by a hash of lo and depth; PLAN_NONE: none */
    uint32_t table_bits;
    struct dense_list *lists; /* of each state */
    uint32_t *pool;
    uint32_t pool_count;
    uint32_t pool_room;
    struct dense_trace trace;
    uint32_t *traced; /* where in the trace each state is; PLAN_NONE: nowhere */
    uint32_t node_count;
    uint32_t node_capacity;
    uint32_t node_max;
    uint64_t nodes_made; /* ever: tests ask whether it worked */
    uint64_t followed;   /* ever: bytes read along the trace; for tests too */
    uint64_t work;       /* ever, in about nanoseconds */
    uint64_t read_bytes; /* ever */
    uint32_t *states;    /* of each begin of a step, as transitions */
    uint64_t state_capacity;
    uint64_t runs;       /* of a step: that were taken from the trace, */
    uint64_t run_places; /* of so many places */
    bool runs_paid;      /* in the step before */
    struct hits lengthy; /* of the step */
    uint8_t *folded;     /* the step's text, rewritten, and where each byte comes from */
    uint32_t *origin;
    uint64_t folded_capacity;
};

/* The plan's set, made at first need; any thread. Stays the plan's. */
enum trawl_status dense_want(const struct trawl_plan *plan, const struct dense_set **set,
                             struct trawl_error *error);
/* So many states are kept at most. */
uint32_t dense_nodes_max(const struct dense_set *set);

/* ---- dense_fold.c ---- */
/* Patterns with each character replaced: the set's strings. */
enum trawl_status dense_fold_strings(const struct trawl_plan *plan, struct dense_set *set,
                                     struct trawl_error *error);
/* Rewrite text; origin[i] is where byte i of the result comes from, with one beyond the last.
 * Returns how many bytes it has become, never more than there were. */
uint64_t dense_fold_text(const struct fold *fold, const uint8_t *text, uint64_t count,
                         uint8_t *folded, uint32_t *origin);
/* Are all variants of a variant those of the character itself? Else what is found is to be compared
 * once more. */
bool dense_fold_is_exact(const struct fold *fold);
void dense_fold_free(struct fold *fold);

/* ---- dense_automaton.c, dense_states.c ---- */
enum trawl_status dense_worker_begin(struct dense_worker *worker, const struct trawl_plan *plan,
                                     const struct dense_set *set, struct trawl_error *error);
void dense_worker_end(struct dense_worker *worker);
/* The states of begins [0, begins) of a text, of which [0, count) is readable: into states, or,
 * with states NULL, the sum of their outputs. States stay valid until the next call. Nothing is
 * written if worker->refused is set then. */
enum trawl_status dense_read(struct dense_worker *worker, const uint8_t *text, uint64_t begins,
                             uint64_t count, uint32_t *states, uint64_t *outputs,
                             struct trawl_error *error);
/* The transition from `state` by a byte of the class, where that is not known; PLAN_NONE: no room
 * for it. */
uint32_t dense_learn(struct dense_worker *worker, uint32_t state, uint32_t class);
/* Sparse: the state after all of the bytes from their end; no state is made but that. PLAN_NONE: no
 * room for it. */
uint32_t dense_state_before(struct dense_worker *worker, const uint8_t *bytes, uint64_t count);
/* Put the state, which is there, into the table. */
void dense_table_add(struct dense_worker *worker, uint32_t state);
/* The list of a state, of so many strings as it has. */
void dense_list_strings(const struct dense_worker *worker, uint32_t state, uint32_t *strings);
/* Make the state's list in the pool; *there false: it is too long, or the pool is full. Errors:
 * MEMORY. */
enum trawl_status dense_make_list(struct dense_worker *worker, uint32_t state, bool *there,
                                  struct trawl_error *error);

/* ---- dense_trace.c ---- */
/* So many runs are free in this step. */
static inline uint64_t dense_runs_free(const struct dense_worker *worker)
{
    return worker->runs_paid ? DENSE_RUNS_FREE : DENSE_RUNS_FEW;
}
/* Is the text one that repeats itself? */
static inline bool dense_runs_pay(const struct dense_worker *worker)
{
    return worker->runs * DENSE_RUN_PAYS <=
           worker->run_places + dense_runs_free(worker) * DENSE_RUN_PAYS;
}
/* Where the hits of a place of the trace, or of the next one, begin. */
static inline uint32_t dense_trace_begin(const struct dense_trace *trace, uint32_t place)
{
    TRAWL_ASSERT(place <= trace->count);
    return place == 0 ? 0 : trace->hits_end[place - 1];
}
/* Put a state, which is not in the trace, at its end, and the text's byte there; `follows`: the
 * last one of the trace is the state of the byte before. *there false: there is no room, or it has
 * no list. Errors: MEMORY. */
enum trawl_status dense_trace_add(struct dense_worker *worker, uint32_t transition, uint8_t byte,
                                  bool follows, bool *there, struct trawl_error *error);
/* From the state behind begins [0, at) of a text, their states from the last one on, as long as
 * runs that follow the trace pay. Returns how many are left. */
uint64_t dense_trace_read(struct dense_worker *worker, const uint8_t *text, uint64_t at,
                          uint32_t state, uint32_t *states);
void dense_trace_release(struct dense_trace *trace);

#endif
