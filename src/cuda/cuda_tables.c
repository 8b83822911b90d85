/* cuda_tables: puts the tables that kernels need for a plan into device memory. */
#include "cuda/cuda_tables.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "cuda/cuda_automaton.h"
#include "cuda/cuda_choose.h"
#include "cuda/cuda_plane.h"
#include "cuda/residents.h"
#include "cuda/cuda_sampled.h"
#include "cuda/cuda_sets.h"
#include "cuda/launch.h"
#include "plan/plan.h"
#include "cuda/prices.def"

#define TABLE_ALIGNMENT 256u
#define SET_BYTES_MAX (1ull << 34) /* literals begin at words whose indexes have 32 bits */
/* Up to this value, the number of literals that may start at the same position limits neither tiles
 * nor ranges, so their total number will do. */
#define ALIKE_UNCOUNTED_MAX 65535u
#define WARP_STEP_BYTES 256u
#define VERIFY_STEPS_MIN 8u

/* Device memory for consecutive tables. A first pass, with `bytes` NULL, computes the size; a
 * second one writes the contents. */
struct block {
    uint8_t *bytes; /* NULL: only compute the size */
    uint64_t count;
    uint64_t address; /* on the device */
};

/* Returns true if the "grams" method compares only at every s-th position, with a stride s > 1.
 * Patterns of up to 8 bytes, if case counts, are compared at each position instead, which costs
 * hardly more and does not depend on the text. */
static bool takes_strides(const struct trawl_plan *plan, const struct cuda_tables *tables)
{
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;

    return tables->method == TRAWL_METHOD_GRAMS && tables->tuning->grams.stride > 1 &&
           tables->tuning->grams.q >= sizeof(uint32_t) &&
           (fold || plan->length_min > CUDA_GRAM_BYTES);
}

/* Reserves the next `bytes` bytes of the block. Returns where to write them; NULL in the first
 * pass. */
static void *block_take(struct block *block, uint64_t bytes, uint64_t *address)
{
    uint64_t at = block->count;

    block->count = (at + bytes + TABLE_ALIGNMENT - 1) / TABLE_ALIGNMENT * TABLE_ALIGNMENT;
    TRAWL_ASSERT(at % TABLE_ALIGNMENT == 0 && block->count >= at + bytes);
    *address = block->address + at;
    return block->bytes == NULL ? NULL : block->bytes + at;
}

/* Puts an array into the block, and stores its device address in *pointer, a member of the
 * arguments. */
static void *block_put(struct block *block, const void *from, uint64_t bytes, void *pointer)
{
    uint64_t address;
    void *to = block_take(block, bytes, &address);

    memcpy(pointer, &address, sizeof address);
    if (to != NULL && from != NULL)
        memcpy(to, from, (size_t)bytes);
    return to;
}

enum trawl_status cuda_tables_check(const struct trawl_plan *plan, struct trawl_error *error)
{
    if (plan->length_max > SCAN_PATTERN_BYTES_MAX)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "the CUDA engine takes patterns of up to %u bytes, not %" PRIu64,
                          SCAN_PATTERN_BYTES_MAX, plan->length_max);
    if (plan->method == TRAWL_METHOD_SET && plan->literal_bytes_total > SET_BYTES_MAX)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "the CUDA engine takes sets of up to %llu bytes, not %" PRIu64,
                          SET_BYTES_MAX, plan->literal_bytes_total);
    return TRAWL_OK;
}

static void fill_gram(const uint8_t *bytes, uint32_t count, bool fold, uint32_t *gram,
                      uint32_t *gram_fold, uint32_t *mask)
{
    uint8_t value[4] = {0}, folds[4] = {0}, masks[4] = {0};

    for (uint32_t i = 0; i < count && i < 4; i++) {
        masks[i] = 0xff;
        folds[i] = fold && bytes[i] >= 'a' && bytes[i] <= 'z' ? 0x20 : 0;
        value[i] = bytes[i] | folds[i];
    }
    memcpy(gram, value, 4);
    memcpy(gram_fold, folds, 4);
    memcpy(mask, masks, 4);
}

/* Chooses which bytes of the pattern, at most 8, kernels compare at each position. For "grams",
 * choose_strides then overwrites the offset and the kind of comparison. */
static void choose_grams(const struct trawl_plan *plan, const struct cuda_tables *tables,
                         struct pattern_arguments *a)
{
    const uint8_t *bytes = plan_literal_bytes(plan, 0);
    uint32_t count = a->pattern_bytes, gram_bytes;
    bool fold = a->scan.fold != 0;

    a->shift = 0;
    if (count > CUDA_GRAM_BYTES)
        a->shift = (uint32_t)(fold ? tables->look_offset
                                   : min_u64(tables->tuning->rare_offset, count - CUDA_GRAM_BYTES));
    gram_bytes = (uint32_t)min_u64(count - a->shift, CUDA_GRAM_BYTES);
    TRAWL_ASSERT(a->shift + gram_bytes <= count);
    bytes += a->shift;
    fill_gram(bytes, gram_bytes, fold, &a->gram[0], &a->gram_fold[0], &a->gram_mask[0]);
    fill_gram(bytes + (gram_bytes > 4 ? 4 : 0), gram_bytes > 4 ? gram_bytes - 4 : 0, fold,
              &a->gram[1], &a->gram_fold[1], &a->gram_mask[1]);
    if (gram_bytes > 4)
        memcpy(&a->gram[2], bytes + gram_bytes - 4, 4);
    /* without letters, there is nothing to fold */
    fold = (a->gram_fold[0] | a->gram_fold[1]) != 0;
    if (fold || (gram_bytes < CUDA_GRAM_BYTES && (gram_bytes > 4 || gram_bytes < count)))
        a->gram_kind = SCAN_GRAM_MASKED;
    else
        a->gram_kind = gram_bytes == 1   ? SCAN_GRAM_BYTE
                       : gram_bytes < 4  ? SCAN_GRAM_SHORT
                       : gram_bytes == 4 ? SCAN_GRAM_WORD
                                         : SCAN_GRAM_LONG;
    /* only letters are folded, so only letters compare equal to letters */
    a->is_exact = count == gram_bytes;
}

/* Sets the arguments for "grams": a fingerprint of each of the plan's grams (filter_sum in
 * kernels/filter.h). */
static void choose_strides(const struct plan_grams *grams, struct pattern_arguments *a)
{
    a->shift = (uint32_t)grams->offset + grams->stride - 1;
    a->gram_kind = grams->stride == 8   ? SCAN_GRAM_STRIDE_8
                   : grams->stride == 4 ? SCAN_GRAM_STRIDE_4
                                        : SCAN_GRAM_STRIDE_2;
    a->is_exact = 0;
    TRAWL_ASSERT(grams->offset + grams->stride + grams->q - 1 <= a->pattern_bytes);
    a->stride_fold = (uint32_t)grams->fold;
    a->stride_keep = (uint32_t)(grams->keep >> 32);
    for (uint32_t o = 0; o < grams->stride; o++)
        a->stride_sums[o] =
            (uint32_t)grams->gram[o] * SCAN_SUM_FACTOR + (uint32_t)(grams->gram[o] >> 32);
}

static void put_sampled(const struct trawl_plan *plan, struct block *block,
                        struct pattern_arguments *a)
{
    struct cuda_sampled_tables to;

    cuda_sampled_sizes(a->pattern_bytes, a);
    a->sample_fold = a->scan.fold != 0 ? 0x20202020u : 0;
    to.heads = (uint32_t *)block_put(block, NULL, sizeof(uint32_t) << a->hash_bits, &a->heads);
    to.entries =
        (uint32_t *)block_put(block, NULL, a->stride * sizeof(uint32_t), &a->sample_entries);
    to.words = (uint32_t *)block_put(block, NULL, sizeof(uint32_t) << a->sample_words_log2,
                                     &a->sample_words);
    if (to.heads != NULL)
        cuda_sampled_fill(plan_literal_bytes(plan, 0), a, &to);
}

/* Puts the pattern into the block, and reserves space for its bit plane. */
static void put_pattern(const uint8_t *bytes, uint64_t count, struct block *block,
                        struct pattern_arguments *a)
{
    uint64_t address;
    uint8_t *to = (uint8_t *)block_take(block, count + 2 * SCAN_PATTERN_PADDING_BYTES, &address);

    TRAWL_ASSERT(count <= SCAN_PATTERN_BYTES_MAX);
    address += SCAN_PATTERN_PADDING_BYTES;
    memcpy(&a->pattern, &address, sizeof address);
    if (to != NULL)
        memcpy(to + SCAN_PATTERN_PADDING_BYTES, bytes, (size_t)count);
    (void)block_put(block, NULL, cuda_plane_words(count) * sizeof(uint32_t), &a->plane.words);
}

static void put_one(const struct trawl_plan *plan, struct block *block, struct cuda_tables *tables)
{
    struct pattern_arguments *a = &tables->pattern;
    const uint8_t *bytes = plan_literal_bytes(plan, 0);
    uint64_t count = plan_literal_at(plan, 0).bytes_count;

    a->pattern_bytes = (uint32_t)count;
    a->one = 1;
    a->verify_budget = VERIFY_STEPS_MIN + (uint32_t)(count / WARP_STEP_BYTES);
    put_pattern(bytes, count, block, a);
    choose_grams(plan, tables, a);
    if (takes_strides(plan, tables))
        choose_strides(&tables->tuning->grams, a);
    if (tables->method == TRAWL_METHOD_SAMPLED)
        put_sampled(plan, block, a);
}

/* Puts the literals of a set into the block, for stream_set. Word 2 of a literal's record, the
 * offset at which the literal's run of grams begins, will be written by the kernel set_runs. */
static void put_literals(const struct trawl_plan *plan, struct block *block,
                         struct cuda_tables *tables)
{
    struct set_arguments *a = &tables->set;
    uint64_t words = 0, count = plan->literal_count;
    uint32_t *rarity =
        (uint32_t *)block_put(block, NULL, 256 * sizeof(uint32_t), &tables->sets.rarity);
    uint32_t *records =
        (uint32_t *)block_put(block, NULL, SCAN_SETS_RECORD_BYTES * count, &tables->sets.literals);
    uint8_t *bytes;

    a->sets = tables->sets;
    bytes = block->bytes == NULL ? NULL : block->bytes + block->count;
    for (uint32_t i = 0; i < count; i++) {
        struct plan_literal literal = plan_literal_at(plan, i);
        uint64_t begin = words;

        words += (literal.bytes_count + 7) / 8;
        if (records == NULL)
            continue;
        memset(bytes + words * 8 - 8, 0, 8);
        memcpy(bytes + begin * 8, plan->literal_bytes + literal.bytes_begin,
               (size_t)literal.bytes_count);
        memcpy(records + SCAN_SETS_RECORD_BYTES / 4 * i,
               (uint32_t[]){(uint32_t)begin, (uint32_t)literal.bytes_count, 0, i},
               SCAN_SETS_RECORD_BYTES);
    }
    (void)block_put(block, NULL, words * 8 + SCAN_LITERALS_PADDING_BYTES, &a->literal_bytes);
    if (rarity == NULL)
        return;
    memset(bytes + words * 8, 0, SCAN_LITERALS_PADDING_BYTES);
    cuda_sets_rarity(plan, &tables->sets, rarity);
}

/* Begins the tables of a new plan: sets what does not depend on their addresses. */
static void begin(const struct cuda_worker *worker, const struct trawl_plan *plan,
                  struct cuda_tables *tables)
{

    memset(&tables->pattern, 0, sizeof tables->pattern);
    memset(&tables->set, 0, sizeof tables->set);
    memset(&tables->of_automaton, 0, sizeof tables->of_automaton);
    tables->pattern.scan.fold = tables->set.scan.fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    tables->dense_left = 0;
    tables->dense_automaton =
        worker->limits.automaton_always || (tables->prices.is_dense && worker->limits.automaton);
    tables->automaton_lost = false;
    tables->planes_price = tables->prices.is_dense ? PRICE_MAX : 0;
    tables->budget_log2 = 0;
    memset(tables->contests, 0, sizeof tables->contests);
    tables->by_automaton = false;
    tables->appends = true;
    tables->wide_bins = tables->is_nested = false;
    tables->list_share = -1;
    if (worker->shares[plan->serial % CUDA_SHARES].serial == plan->serial)
        tables->list_share = worker->shares[plan->serial % CUDA_SHARES].share;
    tables->literals_there = false;
    tables->has_sets = tables->sets_there = false;
    tables->plan_serial = worker->plan->serial;
}

/* Chooses the bit plane with which kernels search dense tiles for a single pattern, and writes its
 * words into the block of tables, which is at `host` now and will be copied to `address` on the
 * device. Patterns of up to 8 bytes need no plane: a lane compares them in one step. */
static enum trawl_status choose_plane(const struct cuda_worker *worker, uint8_t *host,
                                      uint64_t address, struct pattern_arguments *a,
                                      struct trawl_error *error)
{
    uint64_t at = (uint64_t)(uintptr_t)a->plane.words - address;

    if (worker->tables->method == TRAWL_METHOD_SET || a->pattern_bytes <= CUDA_GRAM_BYTES)
        return TRAWL_OK;
    return cuda_plane_choose(plan_literal_bytes(worker->plan, 0), a->pattern_bytes,
                             worker->limits.plane_window_max, (uint32_t *)(void *)(host + at),
                             &a->plane, error);
}

/* Returns true if the choice of the method depends on the text. */
static bool is_tuned(const struct trawl_plan *plan)
{
    return plan_is_one_literal(plan) && plan->method_asked == TRAWL_METHOD_AUTO &&
           !plan->tuning.is_seen;
}

/* Returns true if the tables, ready or not, were chosen for the current plan and text. */
static bool is_same(const struct cuda_worker *worker)
{
    const struct cuda_tables *tables = worker->tables;

    return tables->sample_serial != 0 && tables->plan_serial == worker->plan->serial &&
           tables->sample_serial ==
               cuda_worker_sample(worker, worker->chunk->bytes, worker->chunk->owned, NULL);
}

/* Chooses the method, from the sample of a loaded text if there is one. */
static void choose(const struct cuda_worker *worker, struct cuda_tables *tables)
{
    const struct trawl_plan *plan = worker->plan;
    enum trawl_method asked = plan->method_asked;
    struct cuda_sample sample = {.bytes_count = 0};

    if (!is_same(worker))
        tables->prices = (struct cuda_prices){.is_rated = false};
    tables->tuning = &plan->tuning;
    tables->sample_serial = 0;
    if (is_tuned(plan))
        tables->sample_serial =
            cuda_worker_sample(worker, worker->chunk->bytes, worker->chunk->owned, &sample);
    if (tables->sample_serial != 0) {
        tables->tuning = &tables->own;
        tables->method =
            cuda_choose_seen(plan, sample.bytes, sample.bytes_count,
                             (double)cuda_worker_left(worker) / worker->device->read_rate,
                             &tables->own, &tables->prices);
        asked = worker->limits.seen_method;
    }
    if (tables->sample_serial == 0 || asked != TRAWL_METHOD_AUTO)
        tables->method = cuda_choose_method(plan, asked);
    if (plan_is_one_literal(plan) && plan->length_min > CUDA_GRAM_BYTES &&
        (plan->flags & TRAWL_IGNORE_CASE) != 0)
        tables->look_offset =
            cuda_choose_look(plan, tables->tuning->rare_offset, sample.bytes,
                             tables->method == TRAWL_METHOD_EVERY ? sample.bytes_count : 0);
}

/* Lays out tables in host memory, and copies them to the device. */
static enum trawl_status put_on_device(struct cuda_worker *worker, const struct trawl_plan *plan,
                                       void (*put)(const struct trawl_plan *plan,
                                                   struct block *block, struct cuda_tables *tables),
                                       struct cuda_memory *memory, struct trawl_error *error)
{
    struct cuda_tables *tables = worker->tables;
    enum trawl_status status = TRAWL_OK;
    struct block block = {NULL, 0, 0};
    uint64_t bytes;
    void *host;

    put(plan, &block, tables);
    bytes = block.count;
    TRAWL_TRY(cuda_worker_reserve(worker, memory, bytes, error));
    TRAWL_TRY(cuda_worker_stage(worker, bytes, &host, error));
    block = (struct block){(uint8_t *)host, 0, memory->address};
    if (tables->method !=
        TRAWL_METHOD_SET) /* for a set, `put` writes all bytes that kernels read */
        memset(host, 0, (size_t)bytes);
    put(plan, &block, tables);
    TRAWL_ASSERT(block.count == bytes);
    TRAWL_TRY_DONE(choose_plane(worker, block.bytes, memory->address, &tables->pattern, error));
    TRAWL_TRY_DONE(cuda_worker_upload(worker, memory->address, block.bytes, bytes, error));
done:
    cuda_worker_unstage(worker, host, bytes);
    return status;
}

static enum trawl_status tables_build(struct cuda_worker *worker, struct trawl_error *error)
{
    struct cuda_tables *tables = worker->tables;
    const struct trawl_plan *plan = worker->plan;

    TRAWL_TRY(cuda_tables_check(plan, error));
    choose(worker, tables);
    memset(&tables->sets, 0, sizeof tables->sets);
    begin(worker, plan, tables);
    tables->alike_max = tables->method == TRAWL_METHOD_SET ? plan->literal_count : 1;
    if (tables->alike_max > ALIKE_UNCOUNTED_MAX)
        tables->alike_max = plan_alike_bound(plan);
    if (tables->alike_max > SCAN_ALIKE_MAX)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "the CUDA engine takes sets in which up to %u patterns begin with the "
                          "same bytes, not %" PRIu32,
                          SCAN_ALIKE_MAX, tables->alike_max);
    if (tables->method == TRAWL_METHOD_SET)
        cuda_sets_choose(worker, plan, tables);
    if (tables->has_sets)
        cuda_sets_derive(worker, plan, &tables->sets);
    if (tables->method != TRAWL_METHOD_SET)
        TRAWL_TRY(put_on_device(worker, plan, put_one, &tables->memory, error));
    if (worker->limits.dense_always)
        tables->pattern.verify_budget = 0;
    tables->automaton = CUDA_AUTOMATON_NOT_ASKED;
    tables->automaton_words = 0;
    if (worker->limits.automaton_always) {
        enum trawl_status status = cuda_automaton_want(worker, error);

        if (status != TRAWL_MEMORY)
            TRAWL_TRY(status);
    }
    tables->ready = true;
    return TRAWL_OK;
}

void cuda_tables_note_share(struct cuda_worker *worker, uint64_t hits, uint64_t positions)
{
    const uint64_t serial = worker->plan->serial;

    worker->tables->list_share = (double)hits / (double)positions;
    worker->shares[serial % CUDA_SHARES].serial = serial;
    worker->shares[serial % CUDA_SHARES].share = worker->tables->list_share;
}

enum trawl_status cuda_tables_want_set(struct cuda_worker *worker, enum cuda_kernel kernel,
                                       struct trawl_error *error)
{
    struct cuda_tables *tables = worker->tables;
    const struct trawl_plan *plan = worker->plan;

    if (tables->method != TRAWL_METHOD_SET || cuda_is_automaton(kernel))
        return TRAWL_OK;
    if (!tables->literals_there)
        TRAWL_TRY(put_on_device(worker, plan, put_literals, &tables->memory, error));
    tables->literals_there = true;
    return tables->sets_there ? TRAWL_OK : cuda_sets_build(worker, error);
}

enum trawl_status cuda_tables_want(struct cuda_worker *worker, struct trawl_error *error)
{
    enum trawl_status status;
    uint64_t serial;

    if (worker->tables->ready && is_tuned(worker->plan)) {
        serial = cuda_worker_sample(worker, worker->chunk->bytes, worker->chunk->owned, NULL);
        worker->tables->ready = serial == 0 || serial == worker->tables->sample_serial;
    }
    if (worker->tables->ready)
        return TRAWL_OK;
    do
        status = tables_build(worker, error);
    while (status == TRAWL_MEMORY && worker->tables->sample_serial != 0 &&
           worker->limits.seen_method == TRAWL_METHOD_AUTO &&
           cuda_choose_exclude(worker->tables->method, &worker->tables->prices));
    return status;
}
