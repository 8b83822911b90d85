/* dense: the dense fallback of method set: time linear in text and occurrences.
 *
 * Where candidates are dense, an automaton searches the text (plan/automaton.h). It is made in
 * whole when a text first needs it, once for all threads, and does not change afterwards.
 */
#ifndef TRAWL_CPU_DENSE_H
#define TRAWL_CPU_DENSE_H

#include "plan/automaton.h"

struct fold; /* dense_fold.c: which characters are alike */

/* What all threads share. For plans without tails the strings are the plan's literals. Tails are
 * characters with variants: there the strings are whole patterns with each character replaced by
 * the one that stands for all its variants, and the text is rewritten the same way. */
struct dense_set {
    struct plan_automaton automaton;
    bool unfit; /* a pattern is not UTF-8, so the text cannot be rewritten for it; or there would
                   be too many nodes */
    struct fold *fold;                /* NULL: texts are taken as they are */
    struct plan_literal *own_strings; /* as many as the automaton's; NULL: the plan's serve */
    uint8_t *own_bytes;
    uint64_t own_bytes_count;
};

/* One thread's part. */
struct dense_worker {
    uint64_t serial;             /* of the plan that the set is of; 0: none */
    const struct dense_set *set; /* of that plan, which may be gone once there is another; NULL:
                                    no text was dense yet, and all that follows is empty */
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
/* The plan's set, made at first need; any thread. Stays the plan's. Errors: MEMORY; *set is then
 * as it was. */
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

/* ---- dense_read.c ---- */
/* The longest strings that begin at [0, begins) of a text, of which [0, count) is readable; as many
 * bytes beyond the begins as the longest string needs are read. */
void dense_read(const struct plan_automaton *set, const uint8_t *text, uint64_t begins,
                uint64_t count, uint32_t *ends);

/* ---- scan_dense.c ---- */
void dense_worker_end(struct dense_worker *worker);

#endif
