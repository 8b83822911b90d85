/* automaton: the automaton of a set (Aho and Corasick 1975), which reads a text from its end: after
 * the byte at x it is at the node of the longest string that stands at x and ends some string of
 * the set, and so knows all strings that begin at x. Engines read its table, or make theirs of it.
 */
#ifndef TRAWL_PLAN_AUTOMATON_H
#define TRAWL_PLAN_AUTOMATON_H

#include "plan/plan.h"

#define PLAN_AUTOMATON_NODES_MAX (1u << 25) /* 512 MiB of cells */

/* The strings with the same bytes. */
struct plan_automaton_end {
    uint32_t first; /* they are sorted[first, first + alike), ascending */
    uint32_t alike;
    uint32_t shorter; /* of their longest proper prefix that is a string; PLAN_NONE: none is */
    uint32_t outputs; /* strings that begin wherever these do: these and all that are a prefix */
};

/* A test. A state is a cell's index, doubled, and 1 if a row begins there: a cell for each class.
 */
struct plan_automaton_cell {
    uint32_t to[2]; /* the state after a byte of another class, or of this one */
    uint32_t class;
    uint32_t end; /* the longest string that begins where this test is passed; PLAN_NONE: none */
};

/* A node below the first one, and the nodes that belong to it. */
struct plan_automaton_link {
    uint32_t node;
    uint32_t depth; /* bytes that lead to the node */
    uint32_t parent;
    uint32_t fail; /* the node of the longest proper suffix that has one */
};

struct plan_automaton {
    const struct trawl_plan *plan;      /* while it is made */
    const struct plan_literal *strings; /* count; NULL: the plan's literals */
    const uint8_t *bytes;               /* theirs */
    uint32_t count;
    uint32_t *sorted;                /* strings, ascending by their reversed bytes, then by index */
    struct plan_automaton_end *ends; /* end_count of room for `count`, in the same order */
    uint32_t end_count;
    struct plan_automaton_cell *cells; /* nodes, then rows */
    uint64_t cell_count;
    uint32_t node_count;
    bool keeps_links;                  /* set by the caller: links are wanted */
    struct plan_automaton_link *links; /* [node_count - 1], ascending by depth; or NULL */
    uint32_t start;                    /* the state before any byte */
    uint64_t length_max;               /* of the strings */
    uint32_t classes; /* of bytes: 0 is that of bytes in no string, if there are such */
    uint8_t class_of[256];
};

/* Make the automaton of strings that are named; all else is zeros. With `fold` capital letters are
 * of the class of small ones, which the strings hold. *fits: it has at most nodes_max nodes; else
 * there is none. Time and memory grow with the strings' bytes. Errors: MEMORY; what is there then
 * is to be freed, too. */
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

/* The node that a byte of the class leads to from a state. */
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
