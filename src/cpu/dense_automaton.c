/* dense_automaton: one thread's states, made when its text needs them. */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/dense.h"

#define ROOM_BYTES (16u << 20) /* of states and transitions; beyond, all are forgotten */
#define NODES_FIRST 1024u
#define POOL_MAX (1u << 19) /* strings in lists */
#define POOL_FIRST 4096u
#define CHAINS 4u            /* parts of a text that are read at once */
#define CHAIN_BYTES_MIN 512u /* of each of them, */
#define CHAIN_WARM_SHARE 8u  /* and more than this many times what it reads before */

/* What steps cost, in about nanoseconds. */
#define BYTE_WORK 3u
#define FAR_BYTE_WORK 16u /* where the states do not fit a core's caches */
#define CACHED_BYTES (2u << 20)
#define NODE_WORK 100u
#define LEARN_WORK 30u /* of a transition */

static uint64_t node_bytes(const struct dense_set *set)
{
    TRAWL_ASSERT(set->class_bits <= 8); /* of 256 values at most */
    return sizeof(struct dense_node) + sizeof(struct dense_list) + sizeof(uint32_t) +
           (sizeof(uint32_t) << set->class_bits);
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
    memory_release(worker->next, (uint64_t)worker->node_capacity << worker->class_bits,
                   sizeof *worker->next);
    worker->nodes = NULL;
    worker->path = NULL;
    worker->lists = NULL;
    worker->next = NULL;
    worker->node_capacity = worker->node_count = 0;
}

void dense_worker_end(struct dense_worker *worker)
{
    worker_release(worker);
    memory_release(worker->pool, worker->pool_room, sizeof *worker->pool);
    memory_release(worker->states, worker->state_capacity, sizeof *worker->states);
    memory_release(worker->folded, worker->folded_capacity, 1);
    memory_release(worker->origin, worker->folded_capacity, sizeof *worker->origin);
    hits_release(&worker->lengthy);
    memset(worker, 0, sizeof *worker);
}

/* Room for `capacity` states; all four arrays grow, or none counts as grown. */
static enum trawl_status worker_grow(struct dense_worker *worker, uint32_t capacity,
                                     struct trawl_error *error)
{
    uint32_t bits = worker->set->class_bits, old = worker->node_capacity;
    enum trawl_status status = TRAWL_OK;
    void *nodes = NULL, *path = NULL, *lists = NULL, *next = NULL;

    TRAWL_ASSERT(capacity > old && capacity <= worker->node_max);
    TRAWL_ASSERT(worker->node_count <= old);
    TRAWL_TRY_DONE(memory_allocate(capacity, sizeof *worker->nodes, &nodes, error));
    TRAWL_TRY_DONE(memory_allocate(capacity, sizeof *worker->path, &path, error));
    TRAWL_TRY_DONE(memory_allocate(capacity, sizeof *worker->lists, &lists, error));
    TRAWL_TRY_DONE(memory_allocate((uint64_t)capacity << bits, sizeof *worker->next, &next, error));
    if (worker->node_count > 0) {
        memcpy(nodes, worker->nodes, worker->node_count * sizeof *worker->nodes);
        memcpy(next, worker->next, ((size_t)worker->node_count << bits) * sizeof *worker->next);
        memcpy(path, worker->path, old * sizeof *worker->path);
        memcpy(lists, worker->lists, worker->node_count * sizeof *worker->lists);
    }
    memory_release(worker->nodes, old, sizeof *worker->nodes);
    memory_release(worker->path, old, sizeof *worker->path);
    memory_release(worker->lists, old, sizeof *worker->lists);
    memory_release(worker->next, (uint64_t)old << bits, sizeof *worker->next);
    worker->nodes = (struct dense_node *)nodes;
    worker->path = (uint32_t *)path;
    worker->lists = (struct dense_list *)lists;
    worker->next = (uint32_t *)next;
    worker->node_capacity = capacity;
    return TRAWL_OK;
done:
    memory_release(nodes, capacity, sizeof *worker->nodes);
    memory_release(path, capacity, sizeof *worker->path);
    memory_release(lists, capacity, sizeof *worker->lists);
    return status;
}

/* Room in the pool for a list; false: there is none. */
static enum trawl_status pool_reserve(struct dense_worker *worker, uint32_t count, bool *there,
                                      struct trawl_error *error)
{
    uint32_t needed = worker->pool_count + count + DENSE_LIST_SPARE;
    uint32_t room = (uint32_t)max_u64(2ull * worker->pool_room, POOL_FIRST);
    void *pool = worker->pool;

    TRAWL_ASSERT(worker->pool_count <= worker->pool_room && needed > count);
    *there = needed <= POOL_MAX;
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
    struct dense_node root = {0, worker->set->sorted_count, 0, 0, 0, 0, 0};

    TRAWL_ASSERT(worker->node_capacity > 0);
    worker->nodes[0] = root;
    worker->lists[0] = (struct dense_list){0, 0};
    worker->pool_count = 0;
    worker->node_count = 1;
    memset(worker->next, 0xff, sizeof *worker->next << worker->set->class_bits);
}

enum trawl_status dense_worker_begin(struct dense_worker *worker, const struct trawl_plan *plan,
                                     const struct dense_set *set, struct trawl_error *error)
{
    enum trawl_status status;
    bool there;

    if (worker->serial == plan->serial)
        return TRAWL_OK;
    worker_release(worker);
    worker->serial = 0;
    worker->set = set;
    worker->class_bits = set->class_bits;
    worker->refused = set->unfit;
    if (!set->unfit) {
        worker->node_max = dense_nodes_max(set);
        status = worker_grow(worker, (uint32_t)min_u64(NODES_FIRST, worker->node_max), error);
        if (status == TRAWL_OK) /* what is behind a list that is empty may be read */
            status = pool_reserve(worker, 0, &there, error);
        if (status != TRAWL_OK)
            return status;
        worker_empty(worker);
    }
    worker->serial = plan->serial;
    return TRAWL_OK;
}

/* Byte number `depth` of the string's reversed bytes. */
static inline uint8_t reversed_byte(const struct dense_set *set, uint32_t place, uint32_t depth)
{
    const struct plan_literal *string = &set->strings[set->sorted[place]];

    TRAWL_ASSERT(place < set->sorted_count && depth < string->bytes_count);
    return set->bytes[string->bytes_begin + string->bytes_count - 1 - depth];
}

/* The first of [lo, hi) whose byte at that depth is at least `byte` (up to 256). */
static uint32_t bound(const struct dense_set *set, uint32_t lo, uint32_t hi, uint32_t depth,
                      uint32_t byte)
{
    TRAWL_ASSERT(lo <= hi && hi <= set->sorted_count);
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;

        if (reversed_byte(set, middle, depth) < byte)
            lo = middle + 1;
        else
            hi = middle;
    }
    TRAWL_ASSERT(lo <= set->sorted_count);
    return lo;
}

/* How many of [lo, hi) end at this depth: they come first. */
static uint32_t count_ends(const struct dense_set *set, uint32_t lo, uint32_t hi, uint32_t depth)
{
    uint32_t first = lo;

    TRAWL_ASSERT(lo < hi && hi <= set->sorted_count);
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;

        if (set->strings[set->sorted[middle]].bytes_count == depth)
            lo = middle + 1;
        else
            hi = middle;
    }
    TRAWL_ASSERT(lo >= first && lo <= set->sorted_count);
    return lo - first;
}

/* Make the state after `from` by a byte of the class, if strings go on so; PLAN_NONE if not, or if
 * there is no room for one more. fail: where it goes on when it fails. */
static uint32_t make_child(struct dense_worker *worker, uint32_t from, uint32_t class,
                           uint32_t fail)
{
    const struct dense_set *set = worker->set;
    const struct dense_node *parent = &worker->nodes[from];
    const struct dense_node *behind = &worker->nodes[fail];
    uint32_t lo, hi, byte = set->byte_of[class];
    struct dense_node node;

    TRAWL_ASSERT(parent->lo + parent->ends <= parent->hi);
    TRAWL_ASSERT(worker->node_count < worker->node_capacity);
    if (class < set->class_first || parent->lo + parent->ends == parent->hi)
        return PLAN_NONE;
    lo = bound(set, parent->lo + parent->ends, parent->hi, parent->depth, byte);
    hi = bound(set, lo, parent->hi, parent->depth, byte + 1);
    if (lo == hi)
        return PLAN_NONE;
    node.lo = lo;
    node.hi = hi;
    node.depth = parent->depth + 1;
    node.ends = count_ends(set, lo, hi, node.depth);
    node.fail = fail;
    node.shorter = behind->ends > 0 ? fail : behind->shorter;
    node.outputs = node.ends + behind->outputs;
    TRAWL_ASSERT(behind->depth < node.depth);
    TRAWL_ASSERT(node.lo >= parent->lo && node.hi <= parent->hi && node.ends <= hi - lo);
    worker->nodes[worker->node_count] = node;
    worker->lists[worker->node_count].begin = node.outputs > 0 ? PLAN_NONE : 0;
    worker->lists[worker->node_count].count = (uint32_t)min_u64(node.outputs, UINT32_MAX);
    memset(worker->next + ((uint64_t)worker->node_count << set->class_bits), 0xff,
           sizeof *worker->next << set->class_bits);
    worker->nodes_made++;
    worker->work += NODE_WORK;
    return worker->node_count++;
}

/* The unknown transition: the longest suffix of the state's string that goes on so. All states on
 * the way learn theirs. PLAN_NONE: no room for that. */
static uint32_t learn(struct dense_worker *worker, uint32_t state, uint32_t class)
{
    uint32_t bits = worker->set->class_bits, count = 0, target;

    while (worker->next[((uint64_t)state << bits) + class] == PLAN_NONE) {
        TRAWL_ASSERT(count < worker->node_count);
        worker->path[count++] = state;
        if (state == 0)
            break;
        TRAWL_ASSERT(worker->nodes[worker->nodes[state].fail].depth < worker->nodes[state].depth);
        state = worker->nodes[state].fail;
    }
    if (count > worker->node_capacity - worker->node_count)
        return PLAN_NONE;
    worker->work += count * LEARN_WORK;
    target = worker->next[((uint64_t)state << bits) + class];
    if (target == PLAN_NONE)
        target = 0;
    while (count > 0) {
        uint32_t child = make_child(worker, worker->path[--count], class, target);

        if (child != PLAN_NONE)
            target = child;
        worker->next[((uint64_t)worker->path[count] << bits) + class] = target;
    }
    TRAWL_ASSERT(target < worker->node_count);
    return target;
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

/* The state after `state` by a byte of the class, where that is not known. */
static enum trawl_status learn_next(struct dense_worker *worker, uint32_t state, uint32_t class,
                                    uint32_t *next, struct trawl_error *error)
{
    while ((*next = learn(worker, state, class)) == PLAN_NONE) {
        TRAWL_TRY(make_room(worker, error));
        if (worker->refused)
            return TRAWL_OK;
    }
    TRAWL_ASSERT(*next < worker->node_count);
    return TRAWL_OK;
}

/* Read parts of a text from their ends, each of so many bytes, the next byte of one part after
 * that of another: each waits for the transition before it. */
static inline __attribute__((always_inline)) enum trawl_status read_parts(
    struct dense_worker *worker, const uint8_t *text, const uint64_t *begins, uint64_t count,
    uint32_t parts, uint32_t *state_out, uint32_t *states, uint64_t *outputs,
    struct trawl_error *error)
{
    const struct dense_set *set = worker->set;
    uint32_t bits = set->class_bits, state[CHAINS];
    const uint32_t *rows = worker->next;
    uint64_t sum = 0;

    TRAWL_ASSERT(parts > 0 && parts <= CHAINS);
    for (uint32_t part = 0; part < parts; part++)
        state[part] = state_out[part];
    for (uint64_t i = count; i-- > 0;)
        for (uint32_t part = 0; part < parts; part++) {
            uint32_t class = set->class_of[text[begins[part] + i]];
            uint32_t next = rows[((uint64_t)state[part] << bits) + class];

            if (__builtin_expect(next == PLAN_NONE, 0)) {
                uint32_t learnt;

                TRAWL_TRY(learn_next(worker, state[part], class, &learnt, error));
                if (worker->refused)
                    return TRAWL_OK;
                rows = worker->next;
                next = learnt;
            }
            state[part] = next;
            if (states != NULL)
                states[begins[part] + i] = next;
            else if (outputs != NULL)
                sum += worker->nodes[next].outputs;
        }
    if (outputs != NULL)
        *outputs += sum;
    for (uint32_t part = 0; part < parts; part++) {
        TRAWL_ASSERT(state[part] < worker->node_count);
        state_out[part] = state[part];
    }
    return TRAWL_OK;
}

/* Read bytes [from, to) from their end. */
static enum trawl_status read_bytes(struct dense_worker *worker, const uint8_t *text, uint64_t from,
                                    uint64_t to, uint32_t *state, uint32_t *states,
                                    uint64_t *outputs, struct trawl_error *error)
{
    TRAWL_ASSERT(from <= to && *state < worker->node_count);
    if (states == NULL && outputs == NULL)
        return read_parts(worker, text, &from, to - from, 1, state, NULL, NULL, error);
    return read_parts(worker, text, &from, to - from, 1, state, states, outputs, error);
}

/* Read all begins but the last few in parts. What a state is depends on the bytes of the longest
 * string, so that many are read before each part. */
static enum trawl_status read_chains(struct dense_worker *worker, const uint8_t *text,
                                     uint64_t begins, uint64_t count, uint32_t *states,
                                     uint64_t *outputs, struct trawl_error *error)
{
    uint64_t bytes = begins / CHAINS, warm = max_u64(worker->set->length_max, 1) - 1, from[CHAINS];
    uint32_t state[CHAINS] = {0};

    TRAWL_ASSERT(bytes > 0 && CHAINS * bytes <= begins);
    for (uint32_t part = 0; part < CHAINS; part++) {
        uint64_t end = (part + 1) * bytes;

        from[part] = end - bytes;
        if (part + 1 == CHAINS) {
            TRAWL_TRY(read_bytes(worker, text, begins, count, &state[part], NULL, NULL, error));
            if (!worker->refused)
                TRAWL_TRY(
                    read_bytes(worker, text, end, begins, &state[part], states, outputs, error));
        } else {
            TRAWL_TRY(read_bytes(worker, text, end, min_u64(end + warm, count), &state[part], NULL,
                                 NULL, error));
        }
        if (worker->refused)
            return TRAWL_OK;
        TRAWL_ASSERT(state[part] < worker->node_count);
    }
    if (states != NULL)
        return read_parts(worker, text, from, bytes, CHAINS, state, states, NULL, error);
    return read_parts(worker, text, from, bytes, CHAINS, state, NULL, outputs, error);
}

/* Read the text from its end: first what is behind the begins. */
static enum trawl_status read_text(struct dense_worker *worker, const uint8_t *text,
                                   uint64_t begins, uint64_t count, uint32_t *states,
                                   uint64_t *outputs, struct trawl_error *error)
{
    uint32_t state = 0;

    TRAWL_ASSERT(begins <= count);
    TRAWL_ASSERT(states == NULL || outputs == NULL);
    if (outputs != NULL)
        *outputs = 0;
    worker->work +=
        count *
        (worker->node_count * node_bytes(worker->set) > CACHED_BYTES ? FAR_BYTE_WORK : BYTE_WORK);
    if (begins / CHAINS >= max_u64(CHAIN_BYTES_MIN, CHAIN_WARM_SHARE * worker->set->length_max))
        return read_chains(worker, text, begins, count, states, outputs, error);
    TRAWL_TRY(read_bytes(worker, text, begins, count, &state, NULL, NULL, error));
    if (worker->refused)
        return TRAWL_OK;
    return read_bytes(worker, text, 0, begins, &state, states, outputs, error);
}

enum trawl_status dense_read(struct dense_worker *worker, const uint8_t *text, uint64_t begins,
                             uint64_t count, uint32_t *states, uint64_t *outputs,
                             struct trawl_error *error)
{
    bool is_empty = worker->node_count == 1;

    TRAWL_ASSERT(!worker->refused && worker->node_count > 0);
    TRAWL_TRY(read_text(worker, text, begins, count, states, outputs, error));
    if (!worker->refused || is_empty)
        return TRAWL_OK;
    worker->refused = false; /* the states of other texts left no room */
    worker_empty(worker);
    return read_text(worker, text, begins, count, states, outputs, error);
}

enum trawl_status dense_make_list(struct dense_worker *worker, uint32_t state,
                                  struct trawl_error *error)
{
    struct dense_list *list = &worker->lists[state];
    uint32_t *strings, count = 0;
    bool there;

    TRAWL_ASSERT(state < worker->node_count && list->begin == PLAN_NONE);
    if (list->count > DENSE_LIST_MAX)
        return TRAWL_OK;
    TRAWL_TRY(pool_reserve(worker, list->count, &there, error));
    if (!there)
        return TRAWL_OK;
    strings = worker->pool + worker->pool_count;
    for (; state != 0; state = worker->nodes[state].shorter)
        for (uint32_t i = 0; i < worker->nodes[state].ends; i++) {
            uint32_t string = worker->set->sorted[worker->nodes[state].lo + i], at = count++;

            for (; at > 0 && strings[at - 1] > string; at--)
                strings[at] = strings[at - 1];
            strings[at] = string;
        }
    TRAWL_ASSERT(count == list->count);
    list->begin = worker->pool_count;
    worker->pool_count += count;
    return TRAWL_OK;
}
