/* dense_automaton: one thread's states, made when its text needs them. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/dense.h"

#define ROOM_BYTES (16u << 20) /* of states and transitions; beyond, all are forgotten */
#define NODES_FIRST 1024u
#define TABLE_SHARE 4u      /* at most so many entries of the table for a state */
#define POOL_MAX (1u << 19) /* strings in lists, without those of a few strings */
#define POOL_FIRST 4096u
#define INSERTED_MAX 32u     /* strings of a list that are sorted one by one */
#define CHAINS 8u            /* parts of a text that are read at once: see read_parts */
#define CHAIN_BYTES_MIN 512u /* of each of them, */
#define CHAIN_WARM_SHARE 8u  /* and more than this many times what it reads before */
#define PART_NEAR 96u        /* a part ends at a byte that no string holds if one is so near, */
#define PART_SHIFT 64u       /* or several times this off */
#define PART_ALIASES 512u    /* parts so far apart share sets of caches */

/* What steps cost, in about nanoseconds. */
#define BYTE_WORK 3u
#define FAR_BYTE_WORK 16u /* where the states do not fit a core's caches */
#define CACHED_BYTES (2u << 20)

static uint64_t node_bytes(const struct dense_set *set)
{
    TRAWL_ASSERT(set->class_bits <= 8); /* of 256 values at most */
    return sizeof(struct dense_node) + sizeof(struct dense_list) +
           (TABLE_SHARE + 1) * sizeof(uint32_t) + (sizeof(uint32_t) << set->class_bits);
}

uint32_t dense_nodes_max(const struct dense_set *set)
{
    return (uint32_t)(ROOM_BYTES / node_bytes(set));
}

static void worker_release(struct dense_worker *worker)
{
    memory_release(worker->nodes, worker->node_capacity, sizeof *worker->nodes);
    memory_release(worker->path, worker->node_capacity, sizeof *worker->path);
    memory_release(worker->lists, worker->node_capacity, sizeof *worker->lists);
    memory_release(worker->traced, worker->node_capacity, sizeof *worker->traced);
    memory_release(worker->next, (uint64_t)worker->node_capacity << worker->class_bits,
                   sizeof *worker->next);
    memory_release(worker->table, 1ull << worker->table_bits, sizeof *worker->table);
    worker->table = NULL;
    worker->nodes = NULL;
    worker->path = NULL;
    worker->lists = NULL;
    worker->traced = NULL;
    worker->next = NULL;
    worker->node_capacity = worker->node_count = 0;
}

void dense_worker_end(struct dense_worker *worker)
{
    worker_release(worker);
    memory_release(worker->pool, worker->pool_room, sizeof *worker->pool);
    dense_trace_release(&worker->trace);
    memory_release(worker->states, worker->state_capacity, sizeof *worker->states);
    memory_release(worker->folded, worker->folded_capacity, 1);
    memory_release(worker->origin, worker->folded_capacity, sizeof *worker->origin);
    hits_release(&worker->lengthy);
    memset(worker, 0, sizeof *worker);
}

/* Of a table for so many states, at most half full. */
static uint32_t table_bits(uint32_t states)
{
    uint32_t bits = 1;

    while (1ull << bits < 2ull * states)
        bits++;
    TRAWL_ASSERT(bits <= 32);
    return bits;
}

static void table_fill(struct dense_worker *worker)
{
    memset(worker->table, 0xff, sizeof *worker->table << worker->table_bits);
    for (uint32_t state = 1; state < worker->node_count; state++)
        dense_table_add(worker, state);
}

/* Room for `capacity` states; all arrays grow, or none counts as grown. */
static enum trawl_status worker_grow(struct dense_worker *worker, uint32_t capacity,
                                     struct trawl_error *error)
{
    uint32_t bits = worker->set->class_bits;
    enum trawl_status status = TRAWL_OK;
    struct dense_worker grown = *worker;
    void *nodes = NULL, *path = NULL, *lists = NULL, *next = NULL, *table = NULL, *traced = NULL;

    TRAWL_ASSERT(capacity > worker->node_capacity && capacity <= worker->node_max);
    TRAWL_ASSERT(worker->node_count <= worker->node_capacity);
    grown.node_capacity = capacity;
    grown.table_bits = table_bits(capacity);
    TRAWL_TRY_DONE(memory_allocate(capacity, sizeof *worker->nodes, &nodes, error));
    TRAWL_TRY_DONE(memory_allocate(capacity, sizeof *worker->lists, &lists, error));
    TRAWL_TRY_DONE(memory_allocate(capacity, sizeof *worker->traced, &traced, error));
    TRAWL_TRY_DONE(memory_allocate((uint64_t)capacity << bits, sizeof *worker->next, &next, error));
    if (worker->sparse)
        TRAWL_TRY_DONE(
            memory_allocate(1ull << grown.table_bits, sizeof *worker->table, &table, error));
    else
        TRAWL_TRY_DONE(memory_allocate(capacity, sizeof *worker->path, &path, error));
    if (worker->node_count > 0) {
        memcpy(nodes, worker->nodes, worker->node_count * sizeof *worker->nodes);
        memcpy(next, worker->next, ((size_t)worker->node_count << bits) * sizeof *worker->next);
        memcpy(lists, worker->lists, worker->node_count * sizeof *worker->lists);
        memcpy(traced, worker->traced, worker->node_count * sizeof *worker->traced);
    }
    worker_release(worker);
    grown.nodes = (struct dense_node *)nodes;
    grown.lists = (struct dense_list *)lists;
    grown.traced = (uint32_t *)traced;
    grown.next = (uint32_t *)next;
    grown.path = (uint32_t *)path;
    grown.table = (uint32_t *)table;
    *worker = grown;
    if (table != NULL)
        table_fill(worker);
    return TRAWL_OK;
done:
    memory_release(nodes, capacity, sizeof *worker->nodes);
    memory_release(lists, capacity, sizeof *worker->lists);
    memory_release(traced, capacity, sizeof *worker->traced);
    memory_release(next, (uint64_t)capacity << bits, sizeof *worker->next);
    return status;
}

/* Room in the pool for a list; false: there is none. */
static enum trawl_status pool_reserve(struct dense_worker *worker, uint32_t count, bool *there,
                                      struct trawl_error *error)
{
    uint64_t few = count <= DENSE_LIST_FEW ? (uint64_t)DENSE_LIST_FEW * worker->node_max : 0;
    uint64_t needed = (uint64_t)worker->pool_count + count + DENSE_LIST_SLACK;
    uint32_t room = (uint32_t)max_u64(2ull * worker->pool_room, POOL_FIRST);
    void *pool = worker->pool;

    TRAWL_ASSERT(worker->pool_count <= worker->pool_room && needed >= count);
    *there = needed <= POOL_MAX + few;
    if (!*there || needed <= worker->pool_room)
        return TRAWL_OK;
    TRAWL_ASSERT(needed <= room);
    TRAWL_TRY(memory_grow(worker->pool_room, room, sizeof *worker->pool, &pool, error));
    worker->pool = (uint32_t *)pool;
    worker->pool_room = room;
    return TRAWL_OK;
}

/* The state without a byte, alone. */
static void worker_empty(struct dense_worker *worker)
{
    struct dense_node root = {0, worker->set->sorted_count, 0, 0, 0, PLAN_NONE};

    TRAWL_ASSERT(worker->node_capacity > 0);
    worker->nodes[0] = root;
    worker->lists[0] = (struct dense_list){PLAN_NONE, 0};
    worker->traced[0] = PLAN_NONE;
    worker->trace.count = 0;
    worker->pool_count = 0;
    worker->node_count = 1;
    memset(worker->next, 0xff, sizeof *worker->next << worker->set->class_bits);
    if (worker->table != NULL)
        table_fill(worker);
}

/* No states but the one without a byte. */
static enum trawl_status worker_restart(struct dense_worker *worker, bool sparse,
                                        struct trawl_error *error)
{
    worker_release(worker);
    worker->sparse = sparse;
    TRAWL_TRY(worker_grow(worker, (uint32_t)min_u64(NODES_FIRST, worker->node_max), error));
    worker_empty(worker);
    return TRAWL_OK;
}

enum trawl_status dense_worker_begin(struct dense_worker *worker, const struct trawl_plan *plan,
                                     const struct dense_set *set, struct trawl_error *error)
{
    if (worker->serial == plan->serial)
        return TRAWL_OK;
    worker_release(worker);
    worker->serial = 0;
    worker->set = set;
    worker->class_bits = set->class_bits;
    worker->refused = set->unfit;
    if (!set->unfit) {
        worker->node_max = dense_nodes_max(set);
        TRAWL_TRY(worker_restart(worker, set->length_max <= DENSE_SPARSE_BYTES_MAX, error));
    }
    worker->serial = plan->serial;
    return TRAWL_OK;
}

/* No room for the next byte's states. */
static enum trawl_status make_room(struct dense_worker *worker, struct trawl_error *error)
{
    TRAWL_ASSERT(worker->node_count <= worker->node_capacity &&
                 worker->node_capacity <= worker->node_max);
    if (worker->node_capacity < worker->node_max)
        return worker_grow(
            worker, (uint32_t)min_u64(2ull * worker->node_capacity, worker->node_max), error);
    worker->refused = true;
    return TRAWL_OK;
}

/* What a loop over bytes keeps in registers. */
struct reading {
    const uint8_t *text;
    const uint8_t *class_of;
    const uint32_t *rows;
    const struct dense_list *lists;
    uint32_t *states;
    uint64_t outputs;
    uint32_t bits;
};

/* The transition from `row` by a byte of the class, where that is not known. PLAN_NONE: there is no
 * room for it, or *status says more. */
static __attribute__((noinline)) uint32_t read_unknown(struct dense_worker *worker, uint32_t row,
                                                       uint32_t class, enum trawl_status *status,
                                                       struct trawl_error *error)
{
    uint32_t next;

    while ((next = dense_learn(worker, row >> worker->class_bits, class)) == PLAN_NONE) {
        *status = make_room(worker, error);
        if (*status != TRAWL_OK || worker->refused)
            return PLAN_NONE;
    }
    return next;
}

/* One byte more of a part. A function of its own for each part: a loop over parts kept their rows
 * in memory. false: as PLAN_NONE of read_unknown. */
static inline __attribute__((always_inline)) bool read_byte(struct dense_worker *worker,
                                                            struct reading *reading, uint64_t at,
                                                            uint64_t *row, bool counts,
                                                            enum trawl_status *status,
                                                            struct trawl_error *error)
{
    uint32_t class = reading->class_of[reading->text[at]];
    uint32_t next = reading->rows[*row + class];

    if (__builtin_expect(next == PLAN_NONE, 0)) {
        next = read_unknown(worker, (uint32_t)*row, class, status, error);
        if (next == PLAN_NONE)
            return false;
        reading->rows = worker->next;
        reading->lists = worker->lists;
    }
    *row = next & ~DENSE_BEGINS;
    if (counts)
        reading->outputs += reading->lists[next >> reading->bits].count;
    else if (reading->states != NULL)
        reading->states[at] = next;
    return true;
}

/* Read parts of a text from their ends, each of `count` bytes, the next byte of one part after that
 * of another: each waits for the transition before it. Part i begins at from[i]. */
static inline __attribute__((always_inline)) enum trawl_status read_parts(
    struct dense_worker *worker, const uint8_t *text, const uint64_t *from, uint64_t count,
    uint32_t parts, uint32_t *state, uint32_t *states, uint64_t *outputs, struct trawl_error *error)
{
    struct reading reading = {text, worker->set->class_of, worker->next, worker->lists, states,
                              0,    worker->class_bits};
    enum trawl_status status = TRAWL_OK;
    bool counts = outputs != NULL;
    uint64_t row[CHAINS] = {0}, begin[CHAINS] = {0};

    TRAWL_ASSERT(parts == 1 || parts == CHAINS);
    for (uint32_t part = 0; part < parts; part++) {
        row[part] = (uint64_t)state[part] << reading.bits;
        begin[part] = from[part];
    }
#define READ(part) read_byte(worker, &reading, begin[part] + at, &row[part], counts, &status, error)
    for (uint64_t at = count; at-- > 0;)
        if (!READ(0) || (parts == CHAINS && (!READ(1) || !READ(2) || !READ(3) || !READ(4) ||
                                             !READ(5) || !READ(6) || !READ(7))))
            return status;
#undef READ
    if (counts)
        *outputs += reading.outputs;
    for (uint32_t part = 0; part < parts; part++) {
        state[part] = (uint32_t)(row[part] >> reading.bits);
        TRAWL_ASSERT(state[part] < worker->node_count);
    }
    return TRAWL_OK;
}

/* Read bytes [from, to), from their end, for the state alone. Where the parts of a text begin and
 * end differs, so states that only this needs are not made if that can be. */
static enum trawl_status read_before(struct dense_worker *worker, const uint8_t *text,
                                     uint64_t from, uint64_t to, uint32_t *state,
                                     struct trawl_error *error)
{
    *state = 0;
    TRAWL_ASSERT(from <= to);
    if (!worker->sparse)
        return read_parts(worker, text, &from, to - from, 1, state, NULL, NULL, error);
    while ((*state = dense_state_before(worker, text + from, to - from)) == PLAN_NONE) {
        TRAWL_TRY(make_room(worker, error));
        if (worker->refused)
            return TRAWL_OK;
    }
    return TRAWL_OK;
}

/* Where the parts of [0, begins) end: ends[i], the last at `begins`. Each is of at most the bytes
 * that this returns, and the first of exactly so many. The text before its `begins`: a part need
 * not be read after what is behind it if it ends at a byte that no string holds, so a part ends at
 * such a byte if there is one near. Ends are apart so that the parts' bytes and states do not fall
 * into the same sets of the first-level cache. */
static uint64_t part_ends(const struct dense_set *set, const uint8_t *text, uint64_t begins,
                          uint64_t *ends)
{
    static const uint32_t shifts[CHAINS] = {0, 1, 2, 3, 3, 2, 1, 0};
    uint64_t bytes = begins / CHAINS, near = set->class_first > 0 ? PART_NEAR : 0;
    uint64_t count = (begins + CHAINS - 1) / CHAINS + PART_SHIFT + near;

    TRAWL_ASSERT(bytes > near + PART_SHIFT && count <= begins);
    ends[0] = count;
    for (uint32_t part = 1; part + 1 < CHAINS; part++) {
        uint64_t end = (part + 1) * bytes + shifts[part + 1] * PART_SHIFT, back = 0;

        while (back < near && set->class_of[text[end - back]] >= set->class_first)
            back++;
        ends[part] = back < near ? end - back : end;
    }
    ends[CHAINS - 1] = begins;
    return count;
}

/* The states of all begins, read in parts that overlap a little. What a state is depends on the
 * bytes of the longest string, so that many are read before each part. */
static enum trawl_status read_states(struct dense_worker *worker, const uint8_t *text,
                                     uint64_t begins, uint64_t count, uint32_t *states,
                                     struct trawl_error *error)
{
    uint64_t warm = max_u64(worker->set->length_max, 1) - 1, ends[CHAINS], from[CHAINS];
    uint64_t bytes = part_ends(worker->set, text, begins, ends);
    uint32_t state[CHAINS] = {0};

    for (uint32_t part = 0; part < CHAINS; part++) {
        uint64_t end = ends[part];

        TRAWL_TRY(read_before(worker, text, end, min_u64(end + warm, count), &state[part], error));
        if (worker->refused)
            return TRAWL_OK;
        TRAWL_ASSERT(state[part] < worker->node_count && end >= bytes);
        from[part] = end - bytes;
        TRAWL_ASSERT(part == 0 ? from[0] == 0 : from[part] <= ends[part - 1]);
    }
    return read_parts(worker, text, from, bytes, CHAINS, state, states, NULL, error);
}

/* The sum of the outputs of all begins: parts must not overlap. */
static enum trawl_status read_outputs(struct dense_worker *worker, const uint8_t *text,
                                      uint64_t begins, uint64_t count, uint64_t *outputs,
                                      struct trawl_error *error)
{
    uint64_t bytes = begins / CHAINS, warm = max_u64(worker->set->length_max, 1) - 1;
    uint64_t from[CHAINS], rest;
    uint32_t state[CHAINS] = {0};

    if (bytes % PART_ALIASES < PART_SHIFT) /* as in part_ends */
        bytes -= PART_SHIFT;
    rest = CHAINS * bytes;
    TRAWL_ASSERT(bytes > 0 && rest <= begins);
    for (uint32_t part = 0; part < CHAINS; part++) {
        uint64_t end = part + 1 == CHAINS ? begins : (part + 1) * bytes;

        from[part] = part * bytes;
        TRAWL_TRY(read_before(worker, text, end, min_u64(end + warm, count), &state[part], error));
        if (worker->refused)
            return TRAWL_OK;
        TRAWL_ASSERT(state[part] < worker->node_count);
    }
    TRAWL_TRY(read_parts(worker, text, &rest, begins - rest, 1, &state[CHAINS - 1], NULL, outputs,
                         error));
    if (worker->refused)
        return TRAWL_OK;
    return read_parts(worker, text, from, bytes, CHAINS, state, NULL, outputs, error);
}

/* Read the text from its end: first what is behind the begins. */
static enum trawl_status read_text(struct dense_worker *worker, const uint8_t *text,
                                   uint64_t begins, uint64_t count, uint32_t *states,
                                   uint64_t *outputs, struct trawl_error *error)
{
    const uint64_t from = 0;
    uint32_t state;

    TRAWL_ASSERT(begins <= count);
    TRAWL_ASSERT((states == NULL) != (outputs == NULL));
    if (outputs != NULL)
        *outputs = 0;
    worker->work +=
        count *
        (worker->node_count * node_bytes(worker->set) > CACHED_BYTES ? FAR_BYTE_WORK : BYTE_WORK);
    if (states != NULL && worker->trace.count > 0 && begins > 0) {
        TRAWL_TRY(read_before(worker, text, begins, count, &state, error));
        if (worker->refused)
            return TRAWL_OK;
        begins = dense_trace_read(worker, text, begins, state, states);
        if (begins == 0)
            return TRAWL_OK;
        count = min_u64(count, begins + max_u64(worker->set->length_max, 1) - 1);
    }
    if (begins / CHAINS >= max_u64(CHAIN_BYTES_MIN, CHAIN_WARM_SHARE * worker->set->length_max))
        return states != NULL ? read_states(worker, text, begins, count, states, error)
                              : read_outputs(worker, text, begins, count, outputs, error);
    TRAWL_TRY(read_before(worker, text, begins, count, &state, error));
    if (worker->refused)
        return TRAWL_OK;
    return read_parts(worker, text, &from, begins, 1, &state, states, outputs, error);
}

enum trawl_status dense_read(struct dense_worker *worker, const uint8_t *text, uint64_t begins,
                             uint64_t count, uint32_t *states, uint64_t *outputs,
                             struct trawl_error *error)
{
    bool is_empty = worker->node_count == 1;
    uint64_t serial;

    TRAWL_ASSERT(!worker->refused && worker->node_count > 0);
    worker->read_bytes += begins;
    TRAWL_TRY(read_text(worker, text, begins, count, states, outputs, error));
    if (worker->refused && !is_empty) { /* the states of other texts left no room */
        worker->refused = false;
        worker_empty(worker);
        TRAWL_TRY(read_text(worker, text, begins, count, states, outputs, error));
    }
    if (worker->refused && !worker->sparse) {
        serial = worker->serial;
        worker->serial = 0; /* in case that memory fails */
        TRAWL_TRY(worker_restart(worker, true, error));
        worker->serial = serial;
        worker->refused = false;
        TRAWL_TRY(read_text(worker, text, begins, count, states, outputs, error));
    }
    return TRAWL_OK;
}

static int compare_strings(const void *a, const void *b)
{
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;

    return (first > second) - (first < second);
}

void dense_list_strings(const struct dense_worker *worker, uint32_t state, uint32_t *strings)
{
    const struct dense_string *nested = worker->set->nested;
    bool sorts = worker->lists[state].count > INSERTED_MAX;
    uint32_t count = 0;

    for (uint32_t i = worker->nodes[state].longest; i != PLAN_NONE; i = nested[i].shorter)
        for (uint32_t j = 0; j < nested[i].alike; j++) {
            uint32_t string = nested[i + j].string, at = count++;

            for (; !sorts && at > 0 && strings[at - 1] > string; at--)
                strings[at] = strings[at - 1];
            strings[at] = string;
        }
    TRAWL_ASSERT(count == worker->lists[state].count);
    if (sorts)
        qsort(strings, count, sizeof *strings, compare_strings);
}

enum trawl_status dense_make_list(struct dense_worker *worker, uint32_t state, bool *there,
                                  struct trawl_error *error)
{
    struct dense_list *list = &worker->lists[state];

    TRAWL_ASSERT(state < worker->node_count && list->at == PLAN_NONE);
    *there = list->count <= DENSE_LIST_MAX;
    if (*there)
        TRAWL_TRY(pool_reserve(worker, list->count, there, error));
    if (!*there)
        return TRAWL_OK;
    dense_list_strings(worker, state, worker->pool + worker->pool_count);
    list->at = worker->pool_count;
    worker->pool_count += list->count;
    return TRAWL_OK;
}
