/* cuda_automaton: builds the transition table with which kernels search for a set in text that has
 * too many candidates for a filter (kernels/automaton.cu). A *literal* is a string of the set.
 *
 * The automaton reads the text backwards, so its state says which literals start at the byte that
 * was read last. The host makes the states, a trie of the reversed literals; the device fills the
 * table, which has one transition for each state and byte class. That takes time and memory
 * proportional to the table's size, once for each worker and plan, when the worker first needs the
 * table.
 */
#include "cuda/cuda_automaton.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/backwards.h"
#include "plan/analyse.h"
#include "plan/parts.h"
#include "cuda/prices.def"

#define ROW_BLOCKS 8u /* maximum blocks of automaton_rows per multiprocessor */
#define BLOCKS 3u     /* maximum blocks of the kernels that search, per multiprocessor */

/* The trie of the reversed literals, from which the automaton is built. class_of and the arrays
 * after it lie in this order in `block`, which is copied to the device as a whole. */
struct trie {
    struct cuda_worker *worker;
    const struct trawl_plan *plan;
    struct backwards *literals; /* literal_count literals, sorted */
    /* length_max + 2 numbers: the number of each level's next state */
    uint32_t *next;
    uint8_t *block;
    uint64_t block_bytes;
    uint8_t *class_of; /* the class of each byte value */
    uint32_t *ends;    /* the literals' numbers, in sorted order; ascending among equal literals */
    uint32_t *levels;  /* length_max + 2 numbers: each level's first state */
    struct scan_node *nodes; /* node_count nodes */
    uint32_t classes, level_count, node_count;
    uint32_t is_range, low; /* become the members of struct scan_automaton with these names */
};

/* Assigns byte classes: 0 to all bytes that occur in no literal, if there are any, and a separate
 * class to every other byte. If the plan ignores case, both cases of a letter share a class. Looks
 * at only one in `step` of the literals' bytes. */
static void make_classes(struct trie *trie, uint64_t step, uint8_t class_of[256])
{
    const struct trawl_plan *plan = trie->plan;
    bool held[256] = {false};
    uint32_t count = 0;

    for (uint64_t i = 0; i < plan->literal_bytes_total; i += step)
        held[plan->literal_bytes[i]] = true;
    for (uint32_t byte = 0; byte < 256; byte++)
        count += held[byte];
    memset(class_of, 0, 256);
    trie->classes = count < 256;
    for (uint32_t byte = 0; byte < 256; byte++)
        if (held[byte])
            class_of[byte] = (uint8_t)trie->classes++;
    for (uint32_t byte = 'A'; byte <= 'Z' && (plan->flags & TRAWL_IGNORE_CASE) != 0; byte++)
        class_of[byte] = class_of[byte | 0x20];
    TRAWL_ASSERT(trie->classes > 0 && trie->classes <= 256);
}

/* Sorts the literals by their reversed bytes. Sets *states to the number of states: one for the
 * root, and one for each byte of each literal that is not in its common suffix with the literal
 * before it. */
static enum trawl_status sort_literals(struct trie *trie, uint64_t *states,
                                       struct trawl_error *error)
{
    const struct trawl_plan *plan = trie->plan;

    TRAWL_TRY(MEMORY_NEW(trie->literals, plan->literal_count, error));
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        uint64_t count = plan_literal_at(plan, i).bytes_count;

        TRAWL_ASSERT(count > 0 && count <= UINT32_MAX);
        trie->literals[i] =
            (struct backwards){plan_literal_bytes(plan, i) + count, (uint32_t)count, i, 0};
    }
    backwards_sort(trie->literals, plan->literal_count);
    *states = 1;
    for (uint32_t i = 0; i < plan->literal_count; i++)
        *states += trie->literals[i].bytes_count - trie->literals[i].common;
    return TRAWL_OK;
}

/* Computes the number of each level's first state. */
static void number_levels(struct trie *trie)
{
    uint32_t *next = trie->next, begun = 0;

    trie->level_count = (uint32_t)trie->plan->length_max + 1;
    memset(next, 0, (trie->level_count + 1) * sizeof *next);
    for (uint32_t i = 0; i < trie->plan->literal_count; i++) {
        /* single entries may wrap below 0, but their sums up to each level do not */
        next[trie->literals[i].common + 1]++;
        next[trie->literals[i].bytes_count + 1]--;
    }
    trie->levels[0] = 0;
    trie->levels[1] = 1;
    for (uint32_t level = 1; level < trie->level_count; level++) {
        begun += next[level];
        trie->levels[level + 1] = trie->levels[level] + begun;
    }
    TRAWL_ASSERT(trie->levels[trie->level_count] == trie->node_count);
    memcpy(next, trie->levels, (trie->level_count + 1) * sizeof *next);
}

/* Makes all states. Because the literals are sorted, the states of each level, and the children of
 * each state, come in ascending order. */
static void make_states(struct trie *trie)
{
    struct scan_node *nodes = trie->nodes;
    const uint8_t *class_of = trie->class_of;
    uint32_t *next = trie->next;

    number_levels(trie);
    nodes[next[0]++] = (struct scan_node){1, 0, 0, 0};
    for (uint32_t i = 0; i < trie->plan->literal_count; i++) {
        const struct backwards literal = trie->literals[i];
        const uint8_t *bytes = literal.end - literal.common;

        trie->ends[i] = literal.number;
        if (literal.common == literal.bytes_count) { /* equal to the last literal */
            nodes[next[literal.common] - 1].end_count++;
            continue;
        }
        nodes[next[literal.common] - 1].count_class++;
        for (uint32_t level = literal.common + 1; level <= literal.bytes_count; level++)
            nodes[next[level]++] =
                (struct scan_node){next[level + 1], (uint32_t)class_of[*--bytes] << 16 | 1, i, 0};
        /* the last state has no child yet */
        nodes[next[literal.bytes_count] - 1].count_class--;
        nodes[next[literal.bytes_count] - 1].end_count = 1;
    }
}

/* Allocates the trie, whose number of states is known. */
static enum trawl_status reserve_trie(struct trie *trie, struct trawl_error *error)
{
    const struct trawl_plan *plan = trie->plan;
    uint64_t ends_bytes = plan->literal_count * sizeof *trie->ends;
    uint64_t levels_bytes = (plan->length_max + 2) * sizeof *trie->levels;
    uint64_t nodes_at = (256 + ends_bytes + levels_bytes + 15) & ~15ull;
    void *memory;

    trie->block_bytes = nodes_at + trie->node_count * sizeof *trie->nodes;
    TRAWL_TRY(cuda_worker_stage(trie->worker, trie->block_bytes, &memory, error));
    trie->block = (uint8_t *)memory;
    trie->class_of = trie->block;
    trie->ends = (uint32_t *)(void *)(trie->block + 256);
    trie->levels = (uint32_t *)(void *)(trie->block + 256 + ends_bytes);
    trie->nodes = (struct scan_node *)(void *)(trie->block + nodes_at);
    return MEMORY_NEW(trie->next, plan->length_max + 2, error);
}

/* If the rows still fit into words_max words, numbers the classes by byte value, from the literals'
 * lowest byte to their highest; one last class has all other bytes. The kernel can then compute a
 * byte's class instead of loading it. Not for plans that ignore case, where both cases of a letter
 * share a class. */
static void number_by_value(struct trie *trie, uint64_t words_max)
{
    uint8_t byte_of[256] = {0};
    uint32_t low = 256, high = 0, classes;

    for (uint32_t byte = 0; byte < 256; byte++)
        if (trie->class_of[byte] > 0 || trie->classes == 256) {
            byte_of[trie->class_of[byte]] = (uint8_t)byte;
            low = byte < low ? byte : low;
            high = byte;
        }
    classes = high - low + 1 + (low > 0 || high < 255);
    if ((trie->plan->flags & TRAWL_IGNORE_CASE) != 0 ||
        (uint64_t)trie->node_count * (classes + SCAN_STATE_WORDS) > words_max)
        return;
    for (uint32_t state = 1; state < trie->node_count; state++) {
        struct scan_node *node = &trie->nodes[state];
        uint32_t byte = byte_of[node->count_class >> 16];

        node->count_class = (node->count_class & 0xffff) | (byte - low) << 16;
    }
    for (uint32_t byte = 0; byte < 256; byte++)
        trie->class_of[byte] = (uint8_t)min_u64(byte - low, classes - 1);
    trie->classes = classes;
    trie->low = low;
    trie->is_range = 1;
}

static enum trawl_status make_trie(struct trie *trie, uint64_t words_max, bool *fits,
                                   struct trawl_error *error)
{
    const struct trawl_plan *plan = trie->plan;
    uint64_t states_max, states;
    uint8_t class_of[256];

    make_classes(trie, 1, class_of);
    states_max = words_max / (trie->classes + SCAN_STATE_WORDS);
    *fits = plan->length_max < states_max;
    if (!*fits)
        return TRAWL_OK;
    TRAWL_TRY(sort_literals(trie, &states, error));
    *fits = states <= states_max;
    if (!*fits)
        return TRAWL_OK;
    trie->node_count = (uint32_t)states;
    TRAWL_TRY(reserve_trie(trie, error));
    memcpy(trie->class_of, class_of, sizeof class_of);
    make_states(trie);
    return TRAWL_OK;
}

static void free_trie(struct trie *trie)
{
    cuda_worker_unstage(trie->worker, trie->block, trie->block_bytes);
    memory_release(trie->literals, trie->plan->literal_count, sizeof *trie->literals);
    memory_release(trie->next, trie->plan->length_max + 2, sizeof *trie->next);
}

/* Returns how many threads a block has. */
static uint32_t block_threads(const struct cuda_worker *worker)
{
    return worker->limits.threads == SCAN_THREADS_MAX ? SCAN_COUNT_THREADS : worker->limits.threads;
}

/* Returns how many bytes of rows fit into a block's shared memory. */
static uint64_t kept_bytes(const struct cuda_worker *worker)
{
    uint64_t room = worker->device->shared_max;
    uint64_t used = CUDA_STATIC_SHARED_BYTES + (uint64_t)SCAN_STAGE_BYTES * block_threads(worker);

    return min_u64(worker->limits.automaton_kept_bytes, room > used ? room - used : 0);
}

/* Returns the size of the automaton's rows in words; an estimate until the automaton is built. */
static double rows_words(struct cuda_worker *worker)
{
    const struct trawl_plan *plan = worker->plan;
    struct trie trie = {.plan = plan};
    uint64_t states = plan->literal_bytes_total;
    uint8_t class_of[256];

    if (worker->tables->automaton_words > 0)
        return worker->tables->automaton_words;
    make_classes(&trie, 1 + states / (ANALYSE_SUFFIXES_BYTES + 1), class_of);
    if (states <= ANALYSE_SUFFIXES_BYTES) {
        struct analyse_suffixes seen = {{0}};

        states = 0;
        for (uint32_t i = 0; i < plan->literal_count; i++)
            states += analyse_add_suffixes(&seen, plan_literal_bytes(plan, i),
                                           plan_literal_at(plan, i).bytes_count, 0);
    }
    worker->tables->automaton_words =
        ((double)states + 1) * (double)(trie.classes + SCAN_STATE_WORDS);
    return worker->tables->automaton_words;
}

bool cuda_automaton_is_kept(struct cuda_worker *worker)
{
    return 4 * rows_words(worker) <= (double)kept_bytes(worker);
}

double cuda_automaton_price(struct cuda_worker *worker)
{
    return cuda_automaton_is_kept(worker)
               ? plan_part_costs_device.dense
               : plan_automaton_cost(&plan_part_costs_device, rows_words(worker));
}

/* Copies the trie to the device, and reserves memory for the rows. */
static enum trawl_status upload(struct cuda_worker *worker, const struct trie *trie,
                                struct trawl_error *error)
{
    struct cuda_memory *memory = &worker->tables->automaton_memory;
    struct scan_automaton *to = &worker->tables->of_automaton.automaton;
    uint64_t row_words = trie->classes + SCAN_STATE_WORDS;
    uint64_t nodes_at = (uint64_t)((const uint8_t *)trie->nodes - trie->block);
    uint64_t rows_at = (trie->block_bytes + trie->node_count * sizeof(uint32_t) + 15) & ~15ull;
    uint64_t rows_bytes = trie->node_count * row_words * sizeof(uint32_t);
    uint64_t bytes = rows_at + rows_bytes;

    TRAWL_TRY(cuda_worker_reserve(worker, memory, bytes, error));
    TRAWL_TRY(cuda_worker_upload(worker, memory->address, trie->block, trie->block_bytes, error));
    to->classes = (const uint32_t *)(uintptr_t)memory->address;
    to->ends = to->classes + 64;
    to->levels = to->ends + trie->plan->literal_count;
    to->nodes = (uint32_t *)(uintptr_t)(memory->address + nodes_at);
    to->rows = (uint32_t *)(uintptr_t)(memory->address + rows_at);
    worker->tables->automaton_words = (double)rows_bytes / sizeof(uint32_t);
    to->node_count = trie->node_count;
    to->class_count = trie->classes;
    to->is_range = trie->is_range;
    to->low = trie->low;
    to->reach = (uint32_t)(trie->plan->length_max - 1);
    /* Shared memory gets all rows or none. With some of them there, fewer threads fit on a
     * multiprocessor: 1,000 and 10,000 English words took 1.9 and 1.5 times as long as with none
     * [H200]. */
    to->kept_words = cuda_automaton_is_kept(worker) ? (uint32_t)(rows_bytes / 16) * 4 : 0;
    return TRAWL_OK;
}

/* Lets the device write the rows of the table, with one launch per level, or per run of narrow
 * levels. Each row is derived from that of a state in a lower level, which must have been written
 * before. */
static enum trawl_status write_rows(struct cuda_worker *worker, const struct trie *trie,
                                    struct trawl_error *error)
{
    struct automaton_arguments arguments = worker->tables->of_automaton;
    uint32_t warps = worker->limits.threads / 32, upto = 0;

    for (uint32_t from = 0; from < trie->level_count; from = upto) {
        uint32_t states = trie->levels[from + 1] - trie->levels[from];
        uint64_t blocks = states <= NARROW_STATES
                              ? 1
                              : min_u64((states + warps - 1) / warps,
                                        (uint64_t)worker->device->multiprocessors * ROW_BLOCKS);

        for (upto = from + 1; states <= NARROW_STATES && upto < trie->level_count; upto++)
            if (trie->levels[upto + 1] - trie->levels[upto] > NARROW_STATES)
                break;
        arguments.scan.begin = from;
        arguments.scan.limit = upto;
        TRAWL_TRY(cuda_worker_launch(worker, CUDA_KERNEL_AUTOMATON_ROWS, blocks,
                                     worker->limits.threads, 0, &arguments, error));
    }
    return TRAWL_OK;
}

/* Builds the automaton on the device. Sets *fits to false if it exceeds a limit. */
static enum trawl_status make(struct cuda_worker *worker, bool *fits, struct trawl_error *error)
{
    uint64_t words_max = min_u64(worker->limits.automaton_words_max, SCAN_STATE_NUMBER);
    struct trie trie = {.worker = worker, .plan = worker->plan};
    enum trawl_status status = TRAWL_OK;

    TRAWL_TRY_DONE(make_trie(&trie, words_max, fits, error));
    if (*fits) {
        number_by_value(&trie, kept_bytes(worker) / 4);
        TRAWL_TRY_DONE(upload(worker, &trie, error));
        TRAWL_TRY_DONE(write_rows(worker, &trie, error));
    }
done:
    free_trie(&trie);
    return status;
}

enum trawl_status cuda_automaton_want(struct cuda_worker *worker, struct trawl_error *error)
{
    enum trawl_status status;
    bool fits = false;

    if (worker->tables->automaton != CUDA_AUTOMATON_NOT_ASKED)
        return TRAWL_OK;
    worker->tables->automaton = CUDA_AUTOMATON_NONE;
    if (!worker->limits.automaton || worker->plan->literal_count == 0)
        return TRAWL_OK;
    status = make(worker, &fits, error);
    if (status == TRAWL_OK && fits)
        worker->tables->automaton = CUDA_AUTOMATON_READY;
    return status;
}

/* Cuts the range into tiles, each with one part for every thread of a block. The length of the
 * parts is chosen so that all blocks get the same number of tiles, give or take one, and end at
 * about the same time. */
void cuda_automaton_prepare(const struct cuda_worker *worker, const struct cuda_tables *tables,
                            uint32_t *blocks, struct cuda_launch *launch)
{
    struct automaton_arguments *a = &launch->arguments.automaton;
    uint64_t places = a->scan.limit - a->scan.position, unit = SCAN_COUNT_BYTES;
    uint64_t threads, part, tile_bytes;
    uint64_t max = max_u64(PART_MAX, 4ull * a->automaton.reach);

    launch->threads = block_threads(worker);
    launch->shared_bytes =
        a->automaton.kept_words * (uint32_t)sizeof(uint32_t) + SCAN_STAGE_BYTES * launch->threads;
    if (worker->limits.blocks_max == 0)
        *blocks *= (uint32_t)min_u64(BLOCKS, worker->device->shared_max /
                                                 (launch->shared_bytes + CUDA_STATIC_SHARED_BYTES));
    /* a thread counts its part's hits in 32 bits */
    max = min_u64(max, UINT32_MAX / tables->alike_max) & ~(unit - 1);
    threads = (uint64_t)*blocks * launch->threads;
    part = (places + threads - 1) / threads;
    if (part > max) {
        uint64_t turns = (part + max - 1) / max; /* number of parts for each thread */

        part = (part + turns - 1) / turns;
    }
    part = min_u64((part + unit - 1) & ~(unit - 1), max);
    TRAWL_ASSERT(part > 0 && part <= UINT32_MAX / tables->alike_max);
    a->automaton.part_bytes = (uint32_t)part;
    tile_bytes = part * launch->threads;
    a->scan.tile_count = (uint32_t)((places + tile_bytes - 1) / tile_bytes);
    TRAWL_ASSERT(a->scan.tile_count * tile_bytes >= places);
}
