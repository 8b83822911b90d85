/* dense: searches method set in time linear in text and occurrences, where candidates are dense.
 *
 * The search uses an automaton (plan/automaton.h). The first search that needs the automaton makes
 * all of it, for all threads; afterwards the automaton does not change.
 */
#ifndef TRAWL_CPU_DENSE_H
#define TRAWL_CPU_DENSE_H

#include "plan/automaton.h"

struct fold; /* dense_fold.c: which characters are variants of each other */

/* The automaton of a plan, which all threads share. For plans without tails, the strings are the
 * plan's literals. In plans with tails, characters have variants. There the strings are whole
 * patterns in which a representative replaces each character and its variants, and a text is
 * rewritten in the same way before the automaton reads it. */
struct dense_set {
    struct plan_automaton automaton;
    /* The automaton cannot search: a pattern is not UTF-8, so that texts cannot be rewritten, or
     * there would be too many nodes. */
    bool unfit;
    struct fold *fold; /* NULL: texts are searched without rewriting */
    /* automaton.count strings, owned; NULL: the plan's literals are the strings */
    struct plan_literal *own_strings;
    uint8_t *own_bytes;
    uint64_t own_bytes_count;
};

/* The state of one thread's searches by the automaton. */
struct dense_worker {
    uint64_t serial; /* serial of the plan that `set` belongs to; 0: no plan */
    /* Owned by that plan, and invalid once the plan is freed. NULL: no text was dense yet, and all
     * members below are empty. */
    const struct dense_set *set;
    uint64_t read_bytes; /* bytes that the automaton ever searched; tests read this count */
    /* for each begin of a step, the end of the longest string there; PLAN_NONE: none */
    uint32_t *ends;
    uint64_t end_room;
    /* the step's rewritten text, and the offset in the text from which each byte comes */
    uint8_t *folded;
    uint32_t *origin;
    uint64_t folded_room;
    /* for each end: where the list of its strings begins in `pool`; PLAN_NONE: no list was made */
    uint32_t *list_at;
    uint64_t list_room;
    uint32_t *pool;
    uint64_t pool_count;
    uint64_t pool_room;
};

/* ---- dense_set.c ---- */
/* Returns the plan's set, which the first call makes and the plan owns. Any thread may call.
 * Errors: MEMORY; *set then stays as it was. */
enum trawl_status dense_want(const struct trawl_plan *plan, const struct dense_set **set,
                             struct trawl_error *error);
/* Returns whether the set was made. */
bool dense_is_there(const struct trawl_plan *plan);

/* ---- dense_fold.c ---- */
/* Makes the set's strings: the plan's patterns, with representatives of characters. Errors:
 * MEMORY. */
enum trawl_status dense_fold_strings(const struct trawl_plan *plan, struct dense_set *set,
                                     struct trawl_error *error);
/* Rewrites the text. origin[i] is the offset in `text` from which byte i of the result comes;
 * origin[result] is `count`. Returns the bytes of the result, which are at most `count`. */
uint64_t dense_fold_text(const struct fold *fold, const uint8_t *text, uint64_t count,
                         uint8_t *folded, uint32_t *origin);
/* Returns whether variants are mutual: whether all members of a group have the same variants. If
 * not, the scan must compare each string that the automaton finds with the pattern. */
bool dense_fold_is_exact(const struct fold *fold);
void dense_fold_free(struct fold *fold);

/* ---- dense_read.c ---- */
/* Finds the longest string that begins at each of the offsets [0, begins) of the text, of which [0,
 * count) is readable. Reads length_max - 1 bytes beyond `begins`, if readable. ends = NULL, which
 * needs rows: returns the number of strings that begin at these offsets. */
uint64_t dense_read(const struct plan_automaton *set, const uint8_t *text, uint64_t begins,
                    uint64_t count, uint32_t *ends);

/* ---- scan_dense.c ---- */
void dense_worker_end(struct dense_worker *worker);

#endif
