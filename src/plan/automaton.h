/* automaton: builds the automaton of a set of strings (Aho and Corasick 1975), which reads a text
 * backwards.
 *
 * After reading the byte at position x, the automaton is at the node of the longest string that
 * begins at x in the text and is a suffix of a string of the set. So the node determines which
 * strings of the set begin at x. That of he, she and hers reads the text "ushers":
 *
 *   byte read       s     r     e     h     s     u
 *   node            s     rs    ers   hers  she   -
 *   strings begin   -     -     -     hers  she   -    the node's string, and he: the next in the
 *                                     he               chain of hers
 *
 * An automaton is stored as a table of rows if these fit the caches, and otherwise as a table of
 * cells, which is smaller.
 */
#ifndef TRAWL_PLAN_AUTOMATON_H
#define TRAWL_PLAN_AUTOMATON_H

#include "plan/plan.h"

#define PLAN_AUTOMATON_NODES_MAX (1u << 25) /* 512 MiB of cells */
/* On the host, an automaton whose rows have at most this many words (24 MiB) is stored as rows. A
 * larger one has cells, which take less memory and are then faster. */
#define PLAN_AUTOMATON_ROW_WORDS (6u << 20)
/* A node's row begins with two words: how many strings begin at the byte that led to the node, and
 * the longest of these strings, as an index in `ends` (or PLAN_NONE). Then comes, for each class of
 * bytes, the index in `rows` of the next node's row. */
#define PLAN_AUTOMATON_ROW_HEAD 2u

/* An end: a group of equal strings of the set. */
struct plan_automaton_end {
    /* the group is sorted[first .. first + alike), in ascending order of string numbers */
    uint32_t first;
    uint32_t alike;
    /* index of the end of the longest proper prefix that is in the set; PLAN_NONE if none is */
    uint32_t shorter;
    /* number of strings in the group, plus that of all its prefixes in the set: all of them begin
     * where this string begins in a text */
    uint32_t outputs;
};

/* A test whether the next byte of text is in a class: a set of byte values that no string
 * distinguishes. A state is 2 × (index of a cell), plus 1 if a row begins at that cell. A row has a
 * cell for each class. */
struct plan_automaton_cell {
    /* to[1]: the state after a byte of `class`. to[0]: the state in which another byte is tested
     * again. In a row, which has a cell for each class, to[0] is the node after a byte of
     * `class`. */
    uint32_t to[2];
    uint32_t class;
    /* index in `ends` of the longest string that begins where this test succeeds, or PLAN_NONE */
    uint32_t end;
};

struct plan_automaton {
    const struct trawl_plan *plan; /* used only while the automaton is built */
    /* the strings, `count` of them; NULL: the strings are the plan's literals */
    const struct plan_literal *strings;
    const uint8_t *bytes; /* the bytes to which the strings' offsets refer */
    uint32_t count;
    /* maximum number of words in a table of rows; a larger automaton gets cells */
    uint64_t row_words_max;
    /* numbers of the strings, sorted by reversed bytes, then by number */
    uint32_t *sorted;
    /* end_count groups, ordered as in `sorted`; there is room for `count` */
    struct plan_automaton_end *ends;
    uint32_t end_count;
    /* a row of row_words words for each node, the root's row first; NULL: the table has cells */
    uint32_t *rows;
    uint32_t row_words;
    struct plan_automaton_cell *cells; /* a cell for each of node_count nodes, and then the rows */
    uint64_t cell_count;
    uint32_t node_count;
    uint32_t start;      /* state before the first byte */
    uint64_t length_max; /* bytes of the longest string */
    /* Number of classes. Class 0 has the bytes that are in no string, if there are any. Classes of
     * frequent bytes come first, so that the words of a row that are used share cache lines. */
    uint32_t classes;
    uint8_t class_of[256];
};

/* Builds the automaton of the strings. The caller has set the members of *set from `plan` to
 * `row_words_max`; all others must be 0. With `fold`, A-Z in the text count as a-z, and the strings
 * must not contain A-Z. Sets *fits to true if the automaton has at most nodes_max nodes; if not,
 * builds no table. Time and memory are proportional to the strings' bytes. Errors: MEMORY. The
 * caller always frees *set. */
enum trawl_status plan_automaton_make(struct plan_automaton *set, bool fold, uint32_t nodes_max,
                                      bool *fits, struct trawl_error *error);
void plan_automaton_free(struct plan_automaton *set);

static inline struct plan_literal plan_automaton_string(const struct plan_automaton *set,
                                                        uint32_t string)
{
    TRAWL_ASSERT(string < set->count);
    return set->strings != NULL ? set->strings[string] : plan_literal_at(set->plan, string);
}

static inline bool plan_automaton_is_row(uint32_t state)
{
    return (state & 1) != 0;
}

/* Returns the node after a byte of this class, from this state. */
static inline uint32_t plan_automaton_node(const struct plan_automaton *set, uint32_t state,
                                           uint32_t class)
{
    const struct plan_automaton_cell *cell;

    for (;; state = cell->to[0]) {
        TRAWL_ASSERT(state != PLAN_NONE && state >> 1 < set->cell_count);
        cell = &set->cells[(state >> 1) + (plan_automaton_is_row(state) ? class : 0)];
        if (cell->class == class)
            return plan_automaton_is_row(state) ? cell->to[0] : state >> 1;
    }
}

#endif
