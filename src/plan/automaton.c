/* automaton: builds the automaton of a set of strings (automaton.h), as a table of rows or as a
 * table of cells.
 *
 * The text is read backwards, so a node stands for a suffix of a string of the set, and its
 * children's suffixes are one byte longer. A table of rows has the next node for each node and
 * class of bytes: one load per byte of text. Large automatons get a table of cells, which is
 * smaller.
 *
 * Nodes are numbered in the order in which the sorted strings reach them, so that a node's first
 * child has the next number. A node's cell tests whether the next byte of text has the node's
 * class. If so, the automaton is now at this node, and reads the next byte. If not, it tests the
 * same byte for the next child of the same parent. After the last child come the children of the
 * node to which the parent fails: the longest proper prefix of the parent that is a node. (A
 * prefix, because it must begin at the same place in the text.) A node with many children has a row
 * of cells, one for each class, instead of a chain of tests.
 *
 * Each byte passes exactly one test. A failed test goes to a sibling, or to a node of less depth.
 * So on average over a text, a byte costs at most 2 × row_children tests (struct automaton_build).
 */
#include "plan/automaton.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/backwards.h"
#include "plan/prices.def"

#define CLASS_NONE UINT32_MAX

/* Divides the bytes into classes. Class 0 has all bytes that are in no string, if any. Each other
 * byte has its own class; if case is ignored, both cases of a letter share one. */
static void automaton_classes(struct plan_automaton *set, bool fold)
{
    uint64_t held[256] = {0};
    uint8_t order[256]; /* the bytes of the strings, ordered by frequency */
    uint32_t count = 0;

    for (uint32_t i = 0; i < set->count; i++) {
        struct plan_literal string = plan_automaton_string(set, i);

        for (uint64_t j = 0; j < string.bytes_count; j++)
            held[set->bytes[string.bytes_begin + j]]++;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t at = count;

        if (held[byte] == 0)
            continue;
        for (; at > 0 && held[order[at - 1]] < held[byte]; at--)
            order[at] = order[at - 1];
        order[at] = (uint8_t)byte;
        count++;
    }
    set->classes = count < 256;
    for (uint32_t i = 0; i < count; i++)
        set->class_of[order[i]] = (uint8_t)set->classes++;
    for (uint32_t byte = 'A'; byte <= 'Z' && fold; byte++)
        set->class_of[byte] = set->class_of[byte | 0x20];
}

/* Which nodes a string shares with the string sorted before it: those up to `depth`. Its deeper
 * nodes are its own. */
struct branch {
    uint32_t length;
    uint32_t depth;
    uint32_t parent; /* the last shared node, at `depth` */
    uint32_t node;   /* the first node of its own, at depth + 1 */
};

struct automaton_build {
    struct plan_automaton *set;
    struct branch *branches; /* a branch for each end, [set->count] */
    uint64_t node_count;     /* UINT64_MAX: some string is longer than 2^32 - 1 bytes */
    /* For each node, the node to which it fails (its longest proper prefix that is a node). Before
     * finish_nodes runs, the node's number of children. */
    uint32_t *fail;
    uint32_t *path; /* nodes of the current string, indexed by depth */
    /* indices of ends, sorted by the depth at which their strings branch off. finish_nodes keeps in
     * front those that have their own node at the current depth. */
    uint32_t *order;
    /* a node with at least this many children has a row; the root always has a row */
    uint32_t row_children;
    uint64_t row_count;
};

static inline struct plan_literal string_of(const struct plan_automaton *set, uint32_t end)
{
    TRAWL_ASSERT(end < set->end_count);
    return plan_automaton_string(set, set->sorted[set->ends[end].first]);
}

/* Returns the address after the last byte of an end's strings (which are equal). */
static inline const uint8_t *bytes_end(const struct plan_automaton *set, uint32_t end)
{
    struct plan_literal string = string_of(set, end);

    return set->bytes + string.bytes_begin + string.bytes_count;
}

/* Sorts the strings by their reversed bytes. Equal strings share an accepting state (an *end*) of
 * the automaton. `strings` is scratch for set->count elements. */
static void find_branches(struct automaton_build *making, struct backwards *strings)
{
    struct plan_automaton *set = making->set;

    for (uint32_t i = 0; i < set->count; i++) {
        struct plan_literal string = plan_automaton_string(set, i);

        set->length_max = max_u64(set->length_max, string.bytes_count);
        strings[i] = (struct backwards){set->bytes + string.bytes_begin + string.bytes_count,
                                        (uint32_t)string.bytes_count, i, 0};
    }
    making->node_count = UINT64_MAX;
    if (set->length_max > UINT32_MAX)
        return;
    backwards_sort(strings, set->count);
    making->node_count = 1;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct backwards *string = &strings[i];

        set->sorted[i] = string->number;
        if (string->common == string->bytes_count) {
            set->ends[set->end_count - 1].alike++;
            continue;
        }
        making->branches[set->end_count] =
            (struct branch){string->bytes_count, string->common, 0, 0};
        set->ends[set->end_count++] = (struct plan_automaton_end){i, 1, PLAN_NONE, 0};
        making->node_count += string->bytes_count - string->common;
    }
}

/* Numbers the nodes, and counts the children of each. */
static void number_nodes(struct automaton_build *making)
{
    const struct plan_automaton *set = making->set;
    uint32_t next = 1;

    memset(making->fail, 0, set->node_count * sizeof *making->fail);
    making->path[0] = 0;
    for (uint32_t end = 0; end < set->end_count; end++) {
        struct branch *branch = &making->branches[end];

        branch->parent = making->path[branch->depth];
        branch->node = next;
        for (uint64_t depth = branch->depth; depth < branch->length; depth++) {
            making->fail[making->path[depth]]++;
            making->path[depth + 1] = next++;
        }
    }
    TRAWL_ASSERT(next == set->node_count);
}

/* Lowers row_children as far as ROW_CELLS_FREE allows. */
static void plan_rows(struct automaton_build *making)
{
    const struct plan_automaton *set = making->set;
    uint64_t nodes_of[258] = {0}, max = max_u64(ROW_CELLS_FREE, set->node_count);

    for (uint32_t node = 1; node < set->node_count; node++)
        nodes_of[making->fail[node]]++;
    making->row_children = 257;
    for (making->row_count = 1; making->row_children > ROW_CHILDREN_MIN; making->row_children--) {
        uint64_t more = making->row_count + nodes_of[making->row_children - 1];

        if (more * set->classes > max)
            break;
        making->row_count = more;
    }
}

/* Initialises the node's cell, with the link to the first child, and its row, if it has one, as
 * empty. Returns the index of the cell at which the next node's row begins. */
static uint64_t make_node(const struct automaton_build *making, uint32_t node, uint32_t class,
                          uint64_t rows)
{
    const struct plan_automaton *set = making->set;
    struct plan_automaton_cell *cell = &set->cells[node];
    uint32_t children = making->fail[node];

    TRAWL_ASSERT(node < set->node_count && class != set->classes);
    *cell = (struct plan_automaton_cell){{PLAN_NONE, PLAN_NONE}, class, PLAN_NONE};
    if (node > 0 && children < making->row_children) {
        cell->to[1] = children > 0 ? (node + 1) << 1 : PLAN_NONE;
        return rows;
    }
    cell->to[1] = (uint32_t)rows << 1 | 1;
    TRAWL_ASSERT(rows + set->classes <= set->cell_count);
    for (uint32_t i = 0; i < set->classes; i++)
        set->cells[rows + i].class = CLASS_NONE;
    return rows + set->classes;
}

/* Initialises all nodes, and links the children of each parent. */
static void make_nodes(struct automaton_build *making)
{
    struct plan_automaton *set = making->set;
    uint64_t rows = make_node(making, 0, CLASS_NONE, set->node_count);

    for (uint32_t end = 0; end < set->end_count; end++) {
        const struct branch *branch = &making->branches[end];
        const uint8_t *bytes = bytes_end(set, end);
        uint32_t node = branch->node;

        TRAWL_ASSERT(branch->parent < node);
        if (node != branch->parent + 1)
            set->cells[making->path[branch->depth + 1]].to[0] = node << 1;
        for (uint64_t depth = branch->depth; depth < branch->length; depth++) {
            rows = make_node(making, node, set->class_of[*(bytes - 1 - depth)], rows);
            making->path[depth + 1] = node++;
        }
    }
    TRAWL_ASSERT(rows == set->cell_count);
}

/* Returns the number of the branch's node at `depth`, and sets *parent to the node before it. */
static uint32_t node_at(const struct branch *branch, uint32_t depth, uint32_t *parent)
{
    uint32_t node = branch->node + (depth - 1 - branch->depth);

    TRAWL_ASSERT(depth > branch->depth && depth <= branch->length);
    *parent = depth - 1 == branch->depth ? branch->parent : node - 1;
    return node;
}

/* Finds the node to which this node fails, and sets what depends on that: in this node's cell, in
 * its end, and in its parent's row. All nodes of less depth must be finished. */
static void finish_node(struct automaton_build *making, uint32_t end, uint32_t depth)
{
    struct plan_automaton *set = making->set;
    const struct branch *branch = &making->branches[end];
    uint32_t parent, node = node_at(branch, depth, &parent), fail = 0;
    struct plan_automaton_cell *cells = set->cells, *cell = &cells[node];

    if (depth > 1)
        fail = plan_automaton_node(set, cells[making->fail[parent]].to[1], cell->class);
    TRAWL_ASSERT(fail < set->node_count && fail != node);
    making->fail[node] = fail;
    cell->end = cells[fail].end;
    if (depth == branch->length) {
        struct plan_automaton_end *own = &set->ends[end];

        own->shorter = cell->end;
        own->outputs = own->alike + (cell->end == PLAN_NONE ? 0 : set->ends[cell->end].outputs);
        cell->end = end;
        if (cell->to[1] == PLAN_NONE) /* the node has no child */
            cell->to[1] = cells[fail].to[1];
    }
    if (plan_automaton_is_row(cells[parent].to[1])) {
        cells[(cells[parent].to[1] >> 1) + cell->class] =
            (struct plan_automaton_cell){{node, cell->to[1]}, cell->class, cell->end};
    } else if (cell->to[0] == PLAN_NONE) { /* the last child of its parent */
        uint32_t state = cells[making->fail[parent]].to[1];

        if (!plan_automaton_is_row(state) && cells[state >> 1].class == cell->class)
            /* skip a test of the class for which this byte has just failed */
            state = cells[state >> 1].to[0];
        cell->to[0] = state;
    }
}

/* Fills the cells of the node's row that belong to no child of its own: such a cell gets the state
 * after a byte of its class. That is the state to which the node's fail node goes, so it is taken
 * from the chain of tests there, or from the row at the chain's end. In the root's row, it is the
 * root. */
static void finish_row(struct automaton_build *making, uint32_t node)
{
    struct plan_automaton_cell *cells = making->set->cells, *row = &cells[cells[node].to[1] >> 1];
    uint32_t start = cells[0].to[1], state = cells[making->fail[node]].to[1];

    TRAWL_ASSERT(plan_automaton_is_row(cells[node].to[1]) && plan_automaton_is_row(start));
    for (; !plan_automaton_is_row(state); state = cells[state >> 1].to[0]) {
        const struct plan_automaton_cell *test = &cells[state >> 1];

        if (row[test->class].class == CLASS_NONE)
            row[test->class] =
                (struct plan_automaton_cell){{state >> 1, test->to[1]}, test->class, test->end};
    }
    for (uint32_t class = 0; class < making->set->classes; class ++)
        if (node == 0)
            row[class] = (struct plan_automaton_cell){{0, start}, class, PLAN_NONE};
        else if (row[class].class == CLASS_NONE)
            row[class] = cells[(state >> 1) + class];
}

/* Links the node at this depth to its parent, and finds the node to which it fails. The rows of all
 * nodes of less depth must be complete. */
static void link_row(struct automaton_build *making, uint32_t end, uint32_t depth)
{
    const struct plan_automaton *set = making->set;
    uint32_t parent, node = node_at(&making->branches[end], depth, &parent);
    uint32_t at = PLAN_AUTOMATON_ROW_HEAD + set->class_of[*(bytes_end(set, end) - depth)];

    making->fail[node] =
        depth == 1 ? 0 : set->rows[(uint64_t)making->fail[parent] * set->row_words + at];
    making->fail[node] /= set->row_words;
    set->rows[(uint64_t)parent * set->row_words + at] = node * set->row_words;
    TRAWL_ASSERT(making->fail[node] < set->node_count && making->fail[node] != node);
}

/* Fills the node's row with a copy of the row of the node to which it fails. Records the end in the
 * row if the end's strings are complete at this depth. Links to the node's own children are added
 * later, by link_row. */
static void fill_row(struct automaton_build *making, uint32_t end, uint32_t depth)
{
    struct plan_automaton *set = making->set;
    uint32_t parent, node = node_at(&making->branches[end], depth, &parent);
    uint32_t *row = set->rows + (uint64_t)node * set->row_words;

    memcpy(row, set->rows + (uint64_t)making->fail[node] * set->row_words,
           set->row_words * sizeof *row);
    if (depth < making->branches[end].length)
        return;
    set->ends[end].shorter = row[1];
    row[0] += set->ends[end].alike;
    set->ends[end].outputs = row[0];
    row[1] = end;
}

/* Sorts the ends by the depth at which their branches begin (a counting sort). */
static void order_ends(struct automaton_build *making)
{
    const struct plan_automaton *set = making->set;
    uint32_t *at = making->path;

    memset(at, 0, (set->length_max + 1) * sizeof *at);
    for (uint32_t end = 0; end < set->end_count; end++)
        at[making->branches[end].depth + 1]++;
    for (uint64_t depth = 1; depth <= set->length_max; depth++)
        at[depth] += at[depth - 1];
    for (uint32_t end = 0; end < set->end_count; end++)
        making->order[at[making->branches[end].depth]++] = end;
}

/* Finishes all nodes, in ascending order of depth. */
static void finish_nodes(struct automaton_build *making)
{
    struct plan_automaton *set = making->set;
    uint32_t *order = making->order, from = 0, live = 0;

    order_ends(making);
    making->fail[0] = 0;
    if (set->rows != NULL) {
        memset(set->rows, 0, set->row_words * sizeof *set->rows);
        set->rows[1] = PLAN_NONE;
    } else {
        set->start = set->cells[0].to[1];
        finish_row(making, 0);
    }
    for (uint32_t depth = 1; depth <= set->length_max; depth++) {
        uint32_t kept = 0;

        while (from < set->end_count && making->branches[order[from]].depth < depth)
            order[live++] = order[from++];
        TRAWL_ASSERT(live > 0 && live <= from);
        for (uint32_t i = 0; i < live; i++)
            (set->rows != NULL ? link_row : finish_node)(making, order[i], depth);
        for (uint32_t i = 0; i < live; i++) {
            const struct branch *branch = &making->branches[order[i]];
            uint32_t parent, node = node_at(branch, depth, &parent);
            uint32_t state = set->rows != NULL ? 0 : set->cells[node].to[1];

            if (set->rows != NULL)
                fill_row(making, order[i], depth);
            else if (plan_automaton_is_row(state) && set->cells[state >> 1].class == CLASS_NONE)
                finish_row(making, node);
            order[kept] = order[i];
            kept += depth < branch->length;
        }
        live = kept;
    }
}

enum trawl_status plan_automaton_make(struct plan_automaton *set, bool fold, uint32_t nodes_max,
                                      bool *fits, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct automaton_build making = {.set = set};
    struct backwards *strings = NULL;
    uint64_t count;

    TRAWL_ASSERT(set->count > 0 && set->end_count == 0 && set->node_count == 0);
    TRAWL_ASSERT(nodes_max <= PLAN_AUTOMATON_NODES_MAX);
    automaton_classes(set, fold);
    TRAWL_TRY_DONE(MEMORY_NEW(set->sorted, set->count, error));
    TRAWL_TRY_DONE(MEMORY_NEW(set->ends, set->count, error));
    TRAWL_TRY_DONE(MEMORY_NEW(strings, set->count, error));
    TRAWL_TRY_DONE(MEMORY_NEW(making.branches, set->count, error));
    find_branches(&making, strings);
    count = making.node_count;
    *fits = count <= nodes_max;
    if (!*fits)
        goto done;
    set->node_count = (uint32_t)count;
    TRAWL_TRY_DONE(MEMORY_NEW(making.path, set->length_max + 1, error));
    TRAWL_TRY_DONE(MEMORY_NEW(making.order, set->end_count, error));
    TRAWL_TRY_DONE(MEMORY_TABLE(making.fail, count, error));
    number_nodes(&making);
    set->row_words = PLAN_AUTOMATON_ROW_HEAD + set->classes;
    if (count * set->row_words <= set->row_words_max) {
        TRAWL_TRY_DONE(MEMORY_TABLE(set->rows, count * set->row_words, error));
    } else {
        plan_rows(&making);
        count += making.row_count * set->classes;
        TRAWL_TRY_DONE(MEMORY_TABLE(set->cells, count, error));
        set->cell_count = count;
        make_nodes(&making);
    }
    finish_nodes(&making);
done:
    memory_release(strings, set->count, sizeof *strings);
    memory_release(making.branches, set->count, sizeof *making.branches);
    memory_release(making.fail, set->node_count, sizeof *making.fail);
    memory_release(making.path, set->length_max + 1, sizeof *making.path);
    memory_release(making.order, set->end_count, sizeof *making.order);
    return status;
}

void plan_automaton_free(struct plan_automaton *set)
{
    if (set->rows != NULL)
        memory_release(set->rows, (uint64_t)set->node_count * set->row_words, sizeof *set->rows);
    memory_release(set->cells, set->cell_count, sizeof *set->cells);
    memory_release(set->sorted, set->count, sizeof *set->sorted);
    memory_release(set->ends, set->count, sizeof *set->ends);
}
