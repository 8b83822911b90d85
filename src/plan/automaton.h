/* automaton: makes the automaton of a set (Aho and Corasick 1975), which reads a text backwards.
 *
 * After the byte at position x, the automaton is at the node of the longest string that stands at x
 * and is a suffix of some string of the set. The node therefore tells all strings that begin at x.
 * The CPU engine reads a table of rows if the rows fit the caches, and else a table of cells.
 */
#ifndef TRAWL_PLAN_AUTOMATON_H
#define TRAWL_PLAN_AUTOMATON_H

#include "plan/plan.h"

#define PLAN_AUTOMATON_NODES_MAX (1u << 25) /* 512 MiB of cells */
/* A row of a node: the number of strings that begin at the node, the longest string's end or
 * PLAN_NONE, and for each byte class the index in `rows` where the row of the next node begins. */
#define PLAN_AUTOMATON_ROW_HEAD 2u

/* A group of strings of the set that have equal bytes. */
struct plan_automaton_end {
    uint32_t first; /* the group is sorted[first .. first + alike), ascending by string number */
    uint32_t alike;
    /* the end of the group's longest proper prefix that is a string of the set; PLAN_NONE if no
     * prefix is */
    uint32_t shorter;
    /* number of strings that begin where this group begins: the group and all prefixes */
    uint32_t outputs;
};

/* A test of a byte's class. A byte class is a set of bytes that are equal for all strings. A state
 * is 2 × (index of a cell), plus 1 if a row begins at that cell. A row has a cell for each byte
 * class.
 */
struct plan_automaton_cell {
    /* to[0]: the state after a byte of any other class; to[1]: after a byte of `class` */
    uint32_t to[2];
    uint32_t class;
    /* the longest string that begins where this test is passed; PLAN_NONE: none */
    uint32_t end;
};

struct plan_automaton {
    const struct trawl_plan *plan; /* read only while the automaton is made */
    /* `count` strings; NULL: the plan's literals are the strings */
    const struct plan_literal *strings;
    const uint8_t *bytes; /* the bytes that the strings' offsets count in */
    uint32_t count;
    uint64_t row_words_max; /* a table of rows has at most so many words */
    /* string numbers, ascending by reversed bytes, then by number */
    uint32_t *sorted;
    /* end_count groups in the order of `sorted`; allocated for `count` */
    struct plan_automaton_end *ends;
    uint32_t end_count;
    /* a row of row_words words for each node; the root's row is the first. NULL: there are cells */
    uint32_t *rows;
    uint32_t row_words;
    struct plan_automaton_cell *cells; /* node_count cells of nodes, then the rows */
    uint64_t cell_count;
    uint32_t node_count;
    uint32_t start;      /* the state before the first byte */
    uint64_t length_max; /* bytes of the longest string */
    /* number of byte classes; class 0 has the bytes that no string holds, if such bytes exist. The
     * classes of frequent bytes come first, so that a row's words in use share cache lines. */
    uint32_t classes;
    uint8_t class_of[256];
};

/* Makes the automaton of the strings that the caller has named in *set; all other members are zero
 * at the call. With `fold`, capital letters are in the class of small letters, and the strings hold
 * small letters only. *fits: the automaton has at most nodes_max nodes; if not, no table is made.
 * Time and memory grow with the strings' bytes. Errors: MEMORY. The caller frees *set in every
 * case. */
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

/* Returns the node that the automaton enters from a state by a byte of the class. */
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
