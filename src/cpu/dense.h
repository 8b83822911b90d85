/* dense: the dense fallback of method set: time linear in text and occurrences.
 *
 * Where candidates are dense, an automaton (Aho and Corasick 1975) searches the text. It reads the
 * text from its end: after the byte at x it is at the node of the longest string that stands at x
 * and ends some literal, and so knows all literals that begin at x. The automaton is made in
 * whole when a text first needs it, once for all threads, and does not change afterwards.
 */
#ifndef TRAWL_CPU_DENSE_H
#define TRAWL_CPU_DENSE_H

#include "plan/plan.h"

struct fold; /* dense_fold.c: which characters are alike */

/* The strings with the same bytes. */
struct dense_end {
    uint32_t first; /* they are sorted[first, first + alike), ascending */
    uint32_t alike;
    uint32_t shorter; /* of their longest proper prefix that is a string; PLAN_NONE: none is */
    uint32_t outputs; /* strings that begin wherever these do: these and all that are a prefix */
};

/* A test of the automaton: see dense_automaton.c. */
struct dense_cell {
    uint32_t to[2]; /* the state after a byte of another class, or of this one */
    uint32_t class;
    uint32_t end; /* the longest string that begins where this test is passed; PLAN_NONE: none */
};

/* What all threads share. For plans without tails the strings are the plan's literals. Tails are
 * characters with variants: there the strings are whole patterns with each character replaced by
 * the one that stands for all its variants, and the text is rewritten the same way. */
struct dense_set {
    const struct plan_literal *strings; /* count: the plan's, or own_strings */
    const uint8_t *bytes;               /* theirs: the plan's, or own_bytes */
    uint32_t count;
    uint32_t *sorted;       /* strings, ascending by their reversed bytes, then by index */
    struct dense_end *ends; /* end_count of room for `count`, in the same order */
    uint32_t end_count;
    struct dense_cell *cells; /* the automaton: nodes, then rows */
    uint64_t cell_count;
    uint32_t node_count;
    uint32_t start;      /* the state before any byte */
    uint64_t length_max; /* of the strings */
    uint32_t classes;    /* of bytes: 0 is that of bytes in no string, if there are such */
    uint8_t class_of[256];
    bool unfit; /* a pattern is not UTF-8, so the text cannot be rewritten for it; or there would
                   be too many nodes */
    struct fold *fold;                /* NULL: texts are taken as they are */
    struct plan_literal *own_strings; /* count; NULL: the plan's serve */
    uint8_t *own_bytes;
    uint64_t own_bytes_count;
};

/* One thread's part. */
struct dense_worker {
    uint64_t serial;             /* of the plan that the set is of; 0: none */
    const struct dense_set *set; /* of that plan, which may be gone once there is another */
    uint64_t read_bytes;         /* ever: tests ask whether it worked */
    uint32_t *ends; /* of each begin of a step: the longest string there, or PLAN_NONE */
    uint64_t end_room;
    uint8_t *folded; /* the step's text, rewritten, and where each byte comes from */
    uint32_t *origin;
    uint64_t folded_room;
    uint32_t *list_at; /* by end: where its list is in the pool; PLAN_NONE: nowhere */
    uint64_t list_room;
    uint32_t *pool;
    uint64_t pool_count;
    uint64_t pool_room;
};

/* ---- dense_set.c ---- */
/* The plan's set, made at first need; any thread. Stays the plan's. Errors: MEMORY. */
enum trawl_status dense_want(const struct trawl_plan *plan, const struct dense_set **set,
                             struct trawl_error *error);
/* Is it made? */
bool dense_is_there(const struct trawl_plan *plan);

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

/* ---- dense_automaton.c ---- */
/* Make the automaton of a set whose strings are sorted; the set is unfit if it would be too large.
 * Errors: MEMORY. */
enum trawl_status dense_automaton_make(struct dense_set *set, struct trawl_error *error);
/* The longest strings that begin at [0, begins) of a text, of which [0, count) is readable; as many
 * bytes beyond the begins as the longest string needs are read. */
void dense_read(const struct dense_set *set, const uint8_t *text, uint64_t begins, uint64_t count,
                uint32_t *ends);

/* ---- scan_dense.c ---- */
void dense_worker_end(struct dense_worker *worker);

#endif
