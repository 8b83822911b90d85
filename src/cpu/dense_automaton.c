/* dense_automaton: the automaton of a set's strings as one table of cells, made in whole.
 *
 * Nodes are numbered in the order in which the sorted strings reach them, so that a node's first
 * child is the next one. A node's cell is a test: does the next byte have its class? If so the
 * automaton is at this node and reads on, as its cell says; if not it goes on, at the same byte,
 * with the test of the next child of the same parent, or behind the last one with what is tested
 * after the node that the parent fails to (that of its longest proper suffix that has one). A node
 * with many children has a row instead: a cell for each class, which says where that leads to.
 *
 * A state is a cell's index, doubled, and 1 if a row begins there. Each byte passes one test. A
 * test that fails makes the node less deep, or goes to a sibling, so there are at most
 * ROW_CHILDREN_MIN tests for each byte, and as many again.
 * Traffic: 16 bytes for each test. Nodes without a branch in between share lines of a cache.
 */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/dense.h"

#define CLASS_NONE UINT32_MAX
#define NODES_MAX (1u << 25)        /* 512 MiB */
#define ROW_CHILDREN_MIN 3u         /* of a node with a row, */
#define ROW_CELLS_FREE (1ull << 20) /* or more, if rows had more cells than this and the nodes */

#define LANES 8u /* parts of a text that are read at once: each waits for the cell before it */
#define LANES_FEW 2u
#define LANE_MIN 256u /* bytes of each of them, and no less than it reads before */

/* A sorted string: its nodes are those of the one before up to some depth, then its own. */
struct branch {
    uint32_t length;
    uint32_t depth;
    uint32_t parent; /* the node at that depth */
    uint32_t node;   /* the first one of its own */
};

struct making {
    struct dense_set *set;
    struct branch *branches; /* of each end */
    uint32_t *fail;          /* of each node; before that, how many children it has */
    uint32_t *path;          /* of the string at hand: its nodes, by depth */
    uint32_t *order;         /* ends by the depth of their branches; those in work come first */
    uint32_t row_children;   /* nodes with so many have rows, as the first one has */
    uint64_t row_count;
};

static inline bool is_row(uint32_t state)
{
    return (state & 1) != 0;
}

static inline const struct plan_literal *string_of(const struct dense_set *set, uint32_t end)
{
    TRAWL_ASSERT(end < set->end_count);
    return &set->strings[set->sorted[set->ends[end].first]];
}

/* Behind the last byte of an end's strings. */
static inline const uint8_t *bytes_end(const struct dense_set *set, uint32_t end)
{
    return set->bytes + string_of(set, end)->bytes_begin + string_of(set, end)->bytes_count;
}

/* Where each string leaves the one before; returns how many nodes there are. */
static uint64_t find_branches(struct making *making)
{
    const struct dense_set *set = making->set;
    uint64_t count = 1;

    for (uint32_t end = 0; end < set->end_count; end++) {
        struct branch *branch = &making->branches[end];
        const uint8_t *own = bytes_end(set, end), *other = end == 0 ? own : bytes_end(set, end - 1);
        uint64_t most;

        if (string_of(set, end)->bytes_count > NODES_MAX)
            return UINT64_MAX;
        branch->length = (uint32_t)string_of(set, end)->bytes_count;
        most = end == 0 ? 0 : min_u64(branch->length, branch[-1].length);
        branch->depth = 0;
        while (branch->depth < most && *(own - 1 - branch->depth) == *(other - 1 - branch->depth))
            branch->depth++;
        TRAWL_ASSERT(branch->depth < branch->length);
        count += branch->length - branch->depth;
    }
    return count;
}

/* How many children nodes have, and from how many on they have rows. */
static void plan_rows(struct making *making)
{
    const struct dense_set *set = making->set;
    uint64_t nodes_of[258] = {0}, most = max_u64(ROW_CELLS_FREE, set->node_count);
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
    for (uint32_t node = 1; node < set->node_count; node++)
        nodes_of[making->fail[node]]++;
    making->row_children = 257;
    for (making->row_count = 1; making->row_children > ROW_CHILDREN_MIN; making->row_children--) {
        uint64_t more = making->row_count + nodes_of[making->row_children - 1];

        if (more * set->classes > most)
            break;
        making->row_count = more;
    }
}

/* The node's cell and its row, which know nothing of other nodes yet but its first child. Returns
 * where the next row begins. */
static uint64_t make_node(const struct making *making, uint32_t node, uint32_t class, uint64_t rows)
{
    const struct dense_set *set = making->set;
    struct dense_cell *cell = &set->cells[node];
    uint32_t children = making->fail[node];

    *cell = (struct dense_cell){{PLAN_NONE, PLAN_NONE}, class, PLAN_NONE};
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

/* All nodes; children of one parent are linked. */
static void make_nodes(struct making *making)
{
    struct dense_set *set = making->set;
    uint64_t rows = make_node(making, 0, CLASS_NONE, set->node_count);

    for (uint32_t end = 0; end < set->end_count; end++) {
        const struct branch *branch = &making->branches[end];
        const uint8_t *bytes = bytes_end(set, end);
        uint32_t node = branch->node;

        if (node != branch->parent + 1)
            set->cells[making->path[branch->depth + 1]].to[0] = node << 1;
        for (uint64_t depth = branch->depth; depth < branch->length; depth++) {
            rows = make_node(making, node, set->class_of[*(bytes - 1 - depth)], rows);
            making->path[depth + 1] = node++;
        }
    }
    TRAWL_ASSERT(rows == set->cell_count);
}

/* The node that a byte of the class leads to from a state. */
static inline uint32_t node_after(const struct dense_set *set, uint32_t state, uint32_t class)
{
    const struct dense_cell *cell;

    for (;; state = cell->to[0]) {
        TRAWL_ASSERT(state != PLAN_NONE);
        cell = &set->cells[(state >> 1) + (is_row(state) ? class : 0)];
        if (cell->class == class)
            return is_row(state) ? cell->to[0] : state >> 1;
    }
}

/* What a node fails to, and all that follows for it; of less deep nodes all is known. */
static void finish_node(struct making *making, uint32_t end, uint32_t depth)
{
    struct dense_set *set = making->set;
    const struct branch *branch = &making->branches[end];
    uint32_t node = branch->node + (depth - 1 - branch->depth), fail = 0;
    uint32_t parent = depth - 1 == branch->depth ? branch->parent : node - 1;
    struct dense_cell *cells = set->cells, *cell = &cells[node];

    if (depth > 1)
        fail = node_after(set, cells[making->fail[parent]].to[1], cell->class);
    TRAWL_ASSERT(fail < set->node_count && fail != node);
    making->fail[node] = fail;
    cell->end = cells[fail].end;
    if (depth == branch->length) {
        struct dense_end *own = &set->ends[end];

        own->shorter = cell->end;
        own->outputs = own->alike + (cell->end == PLAN_NONE ? 0 : set->ends[cell->end].outputs);
        cell->end = end;
        if (cell->to[1] == PLAN_NONE) /* no child */
            cell->to[1] = cells[fail].to[1];
    }
    if (is_row(cells[parent].to[1])) {
        cells[(cells[parent].to[1] >> 1) + cell->class] =
            (struct dense_cell){{node, cell->to[1]}, cell->class, cell->end};
    } else if (cell->to[0] == PLAN_NONE) { /* the last child */
        uint32_t state = cells[making->fail[parent]].to[1];

        if (!is_row(state) && cells[state >> 1].class == cell->class)
            state = cells[state >> 1].to[0]; /* it would fail there, too */
        cell->to[0] = state;
    }
}

/* A node's row, but for its own children: what the tests behind what it fails to say. */
static void finish_row(struct making *making, uint32_t node)
{
    struct dense_cell *cells = making->set->cells, *row = &cells[cells[node].to[1] >> 1];
    uint32_t start = cells[0].to[1], state = cells[making->fail[node]].to[1];

    for (; !is_row(state); state = cells[state >> 1].to[0]) {
        const struct dense_cell *test = &cells[state >> 1];

        if (row[test->class].class == CLASS_NONE)
            row[test->class] =
                (struct dense_cell){{state >> 1, test->to[1]}, test->class, test->end};
    }
    for (uint32_t class = 0; class < making->set->classes; class ++)
        if (node == 0)
            row[class] = (struct dense_cell){{0, start}, class, PLAN_NONE};
        else if (row[class].class == CLASS_NONE)
            row[class] = cells[(state >> 1) + class];
}

/* The ends by the depth of their branches. */
static void order_ends(struct making *making)
{
    const struct dense_set *set = making->set;
    uint32_t *at = making->path;

    memset(at, 0, (set->length_max + 1) * sizeof *at);
    for (uint32_t end = 0; end < set->end_count; end++)
        at[making->branches[end].depth + 1]++;
    for (uint64_t depth = 1; depth <= set->length_max; depth++)
        at[depth] += at[depth - 1];
    for (uint32_t end = 0; end < set->end_count; end++)
        making->order[at[making->branches[end].depth]++] = end;
}

/* All nodes, the least deep ones first. */
static void finish_nodes(struct making *making)
{
    struct dense_set *set = making->set;
    uint32_t *order = making->order, from = 0, live = 0;

    order_ends(making);
    making->fail[0] = 0;
    set->start = set->cells[0].to[1];
    finish_row(making, 0);
    for (uint32_t depth = 1; depth <= set->length_max; depth++) {
        uint32_t kept = 0;

        while (from < set->end_count && making->branches[order[from]].depth < depth)
            order[live++] = order[from++];
        TRAWL_ASSERT(live > 0 && live <= from);
        for (uint32_t i = 0; i < live; i++)
            finish_node(making, order[i], depth);
        for (uint32_t i = 0; i < live; i++) {
            const struct branch *branch = &making->branches[order[i]];
            uint32_t node = branch->node + (depth - 1 - branch->depth);
            uint32_t state = set->cells[node].to[1];

            if (is_row(state) && set->cells[state >> 1].class == CLASS_NONE)
                finish_row(making, node);
            order[kept] = order[i];
            kept += depth < branch->length;
        }
        live = kept;
    }
}

enum trawl_status dense_automaton_make(struct dense_set *set, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct making making = {.set = set};
    uint64_t count;
    void *memory;

    TRAWL_ASSERT(set->end_count > 0 && set->node_count == 0);
    TRAWL_TRY(memory_allocate(set->end_count, sizeof *making.branches, &memory, error));
    making.branches = (struct branch *)memory;
    count = find_branches(&making);
    set->unfit = count > NODES_MAX;
    if (set->unfit)
        goto done;
    set->node_count = (uint32_t)count;
    TRAWL_TRY_DONE(memory_allocate(set->length_max + 1, sizeof *making.path, &memory, error));
    making.path = (uint32_t *)memory;
    TRAWL_TRY_DONE(memory_allocate(set->end_count, sizeof *making.order, &memory, error));
    making.order = (uint32_t *)memory;
    TRAWL_TRY_DONE(memory_allocate_table(count, sizeof *making.fail, false, &memory, error));
    making.fail = (uint32_t *)memory;
    plan_rows(&making);
    count += making.row_count * set->classes;
    TRAWL_TRY_DONE(memory_allocate_table(count, sizeof *set->cells, false, &memory, error));
    set->cells = (struct dense_cell *)memory;
    set->cell_count = count;
    make_nodes(&making);
    finish_nodes(&making);
done:
    memory_release(making.branches, set->end_count, sizeof *making.branches);
    memory_release(making.fail, set->node_count, sizeof *making.fail);
    memory_release(making.path, set->length_max + 1, sizeof *making.path);
    memory_release(making.order, set->end_count, sizeof *making.order);
    return status;
}

/* ---- Reading ---- */

struct lanes {
    uint32_t state[LANES];
    uint32_t owner[LANES]; /* whose part it reads: lanes at the end of theirs join others */
    uint64_t at[LANES];    /* bytes before this one are to be read, */
    uint64_t from[LANES];  /* from here on */
};

/* One test. What is stored at a byte that failed is stored again. No branch on the text. */
static inline __attribute__((always_inline)) void read_cell(const struct dense_cell *cells,
                                                            const uint8_t *class_of,
                                                            const uint8_t *text, uint32_t *state,
                                                            uint64_t *at, uint32_t *ends)
{
    uint32_t class = class_of[text[*at - 1]];
    const struct dense_cell *cell = &cells[(*state >> 1) + (class & (0 - (*state & 1)))];
    uint32_t passes = cell->class == class;

    if (ends != NULL)
        ends[*at - 1] = cell->end;
    *state = cell->to[passes];
    *at -= passes;
}

static inline __attribute__((always_inline)) void read_all(const struct dense_cell *cells,
                                                           const uint8_t *class_of,
                                                           const uint8_t *text, struct lanes *lanes,
                                                           uint64_t count, uint32_t *ends)
{
    struct lanes read = *lanes; /* in registers */

#define READ(i) read_cell(cells, class_of, text, &read.state[i], &read.at[i], ends)
    for (; count > 0; count--) {
        READ(0);
        READ(1);
        READ(2);
        READ(3);
        READ(4);
        READ(5);
        READ(6);
        READ(7);
    }
#undef READ
    *lanes = read;
}

/* Read each lane's text from its end; state[i] becomes that at its begin. */
static inline __attribute__((always_inline)) void read_lanes(const struct dense_set *set,
                                                             const uint8_t *text,
                                                             struct lanes *lanes, uint32_t *ends)
{
    struct lanes read = *lanes;

    for (uint32_t lane = 0; lane < LANES; lane++)
        read.owner[lane] = lane;
    for (;;) {
        uint64_t least = UINT64_MAX;
        uint32_t slowest = 0, left = 0;

        for (uint32_t lane = 0; lane < LANES; lane++) {
            lanes->state[read.owner[lane]] = read.state[lane];
            left += read.owner[lane] == lane && read.at[lane] > read.from[lane];
            if (read.at[lane] - read.from[lane] > read.at[slowest] - read.from[slowest])
                slowest = lane;
        }
        if (left <= LANES_FEW)
            break;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            if (read.at[lane] == read.from[lane]) {
                read.state[lane] = read.state[slowest];
                read.owner[lane] = read.owner[slowest];
                read.at[lane] = read.at[slowest];
                read.from[lane] = read.from[slowest];
            }
            least = min_u64(least, read.at[lane] - read.from[lane]);
        }
        read_all(set->cells, set->class_of, text, &read, least, ends);
    }
    for (uint32_t lane = 0; lane < LANES; lane++) { /* one after the other */
        while (read.owner[lane] == lane && read.at[lane] > read.from[lane])
            read_cell(set->cells, set->class_of, text, &read.state[lane], &read.at[lane], ends);
        if (read.owner[lane] == lane)
            lanes->state[lane] = read.state[lane];
    }
}

void dense_read(const struct dense_set *set, const uint8_t *text, uint64_t begins, uint64_t count,
                uint32_t *ends)
{
    uint64_t before = set->length_max - 1; /* bytes that a lane reads before its own */
    uint64_t bytes = max_u64(max_u64((begins + LANES - 1) / LANES, LANE_MIN), before);
    struct lanes lanes;

    TRAWL_ASSERT(begins > 0 && begins <= count && !set->unfit);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint64_t end = min_u64((lane + 1) * bytes, begins);

        lanes.state[lane] = set->start;
        lanes.from[lane] = end;
        lanes.at[lane] = end > lane * bytes ? min_u64(end + before, count) : end;
    }
    read_lanes(set, text, &lanes, NULL);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        lanes.at[lane] = lanes.from[lane];
        lanes.from[lane] = min_u64(lane * bytes, begins);
    }
    read_lanes(set, text, &lanes, ends);
}
