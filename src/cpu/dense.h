/* dense: searches for a set of strings with an automaton, in time linear in the text and the
 * occurrences.
 *
 * The other ways to search for a set compare candidates, which is slow where candidates are dense.
 * The automaton (plan/automaton.h) reads each byte a bounded number of times. The first search that
 * needs the automaton builds it for all threads; afterwards, it is immutable.
 *
 * The text is read from its end, because the state then shows which patterns begin at the byte: a
 * count adds one number per byte, the longest match needs one lookup. A table of up to 24 MiB has
 * a row for each node of the patterns' trie, 4 bytes for each class of bytes; 1,000 words of
 * English take 1.0 ns per byte. Building it, once dense candidates have cost as much, takes 0.1 to
 * 0.4 us per node. Eight segments of the text are read at once: 14.6 -> 4.9 ns per byte (10,000
 * substrings of English). A set with more than 33,554,432 nodes has no automaton.
 */
#ifndef TRAWL_CPU_DENSE_H
#define TRAWL_CPU_DENSE_H

#include "plan/automaton.h"

/* Which characters are variants of each other, and so match each other (dense_fold.c). */
struct fold;

/* The automaton of a plan, shared by all threads. Its strings are usually the plan's literals. In a
 * plan with tails (parts of patterns that are compared after a literal was found), characters have
 * variants, like the two cases of a letter outside ASCII. Then the strings are whole patterns, in
 * which one representative replaces all variants of a character. Each text is rewritten in the same
 * way before the automaton reads it. */
struct dense_set {
    struct plan_automaton automaton;
    /* The automaton cannot be used: it would be too large, or texts cannot be rewritten because a
     * pattern is not UTF-8 or TRAWL_SINGLE_BYTE is set. */
    bool unfit;
    struct fold *fold; /* NULL: texts are searched without rewriting */
    /* if `fold`: automaton.count strings, owned; NULL: the strings are the plan's literals */
    struct plan_literal *own_strings;
    uint8_t *own_bytes;
    uint64_t own_bytes_count;
};

/* A thread's state for searches with the automaton. */
struct dense_worker {
    uint64_t serial; /* serial number of the plan that `set` belongs to; 0: no plan */
    /* Owned by the plan with that serial number, and invalid once the plan is freed. NULL: the
     * automaton has not been needed yet, and all members below are empty. */
    const struct dense_set *set;
    uint64_t read_bytes; /* how many bytes the automaton has searched in all, for tests */
    /* The automaton searches in steps. For each position of a step: the longest string that begins
     * there, as an index in automaton.ends, or PLAN_NONE. */
    uint32_t *ends;
    uint64_t end_room;
    /* the rewritten text of a step, and for each of its bytes, the offset in the original text */
    uint8_t *folded;
    uint32_t *origin;
    uint64_t folded_room;
    uint64_t origin_room;
    /* for each entry of automaton.ends: where the list of its strings begins in `pool`; PLAN_NONE
     * if the list has not been made */
    uint32_t *list_at;
    uint64_t list_room;
    uint32_t *pool;
    uint64_t pool_count;
    uint64_t pool_room;
};

/* ---- dense_set.c ---- */
/* Gets the plan's automaton. The first call builds it, and the plan owns it. Any thread may call.
 * Errors: MEMORY; then *set is unchanged. */
enum trawl_status dense_want(const struct trawl_plan *plan, const struct dense_set **set,
                             struct trawl_error *error);
/* Returns true if dense_want has built the plan's automaton. */
bool dense_is_there(const struct trawl_plan *plan);

/* ---- dense_fold.c ---- */
/* Builds the automaton's strings: the patterns, with each character replaced with its
 * representative. Errors: MEMORY. */
enum trawl_status dense_fold_strings(const struct trawl_plan *plan, struct dense_set *set,
                                     struct trawl_error *error);
/* Rewrites the text, with each character replaced with its representative. Byte i of the result
 * comes from offset origin[i] of `text`, and origin[bytes of the result] is `count`. Returns the
 * bytes of the result, at most `count`. */
uint64_t dense_fold_text(const struct fold *fold, const uint8_t *text, uint64_t count,
                         uint8_t *folded, uint32_t *origin);
/* Returns true if all characters with the same representative are variants of each other. If not,
 * the scan must compare each pattern that the automaton finds with the text. */
bool dense_fold_is_exact(const struct fold *fold);
void dense_fold_free(struct fold *fold);

/* ---- dense_read.c ---- */
/* For each offset in [0, begins) of the text, finds the longest string that begins there, and
 * writes its index in set->ends to `ends`. The text has `count` bytes; up to length_max - 1 of them
 * after `begins` are also read. If `ends` is NULL, only counts: returns the number of strings that
 * begin at these offsets. Only an automaton that is stored as rows can count. */
uint64_t dense_read(const struct plan_automaton *set, const uint8_t *text, uint64_t begins,
                    uint64_t count, uint32_t *ends);

/* ---- scan_dense.c ---- */
void dense_worker_end(struct dense_worker *worker);

#endif
