/* rows: records' cells to rows of numbers, block by block.
 *
 * A ring of blocks: workers and the caller take the span's next one and make it; the caller
 * delivers them in order. Most rows hold little, so a block remembers where it was written, and
 * those places alone are cleared when it is made anew: what is empty is written once.
 */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "runtime/job.h"
#include "runtime/records.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/threads.h"
#include "runtime/workers.h"

#define BLOCK_BYTES (1u << 20)
#define RING_BYTES_MAX (64u << 20) /* of blocks whose rows are long */
#define ROW_BYTES_MAX UINT32_MAX
#define UNDO_SHARE 64u       /* bytes of a block per place that it remembers */
#define SHARED_BLOCKS_MIN 4u /* fewer are made sooner than a worker wakes */

struct rows_block {
    uint8_t *bytes; /* block_bytes; NULL until it is needed */
    uint32_t *undo; /* FIRST: cells that were written, or rows; undo_room */
    uint64_t undo_count;
    uint64_t undo_row_bytes; /* rows: of each; else 0 */
    bool undo_all;           /* more than it remembers */
    bool made;               /* under the lock */
    struct rows_view view;
};

/* ---- One block ---------------------------------------------------------------------------- */

static uint64_t undo_room(const struct row_store *store)
{
    return store->block_bytes / UNDO_SHARE + 1;
}

/* The first of the span's cells that is of this record or a later one. */
static uint64_t cells_from(const struct cells *cells, uint64_t record)
{
    uint64_t low = 0, high = cells->count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (cells->records[middle] < record)
            low = middle + 1;
        else
            high = middle;
    }
    TRAWL_ASSERT(low == cells->count || cells->records[low] >= record);
    TRAWL_ASSERT(low == 0 || cells->records[low - 1] < record);
    return low;
}

static void clear(const struct rows *rows, struct rows_block *block)
{
    if (block->undo_all) {
        memset(block->bytes, 0xff, (size_t)rows->store.block_bytes);
    } else if (block->undo_row_bytes > 0) {
        for (uint64_t i = 0; i < block->undo_count; i++)
            memset(block->bytes + block->undo[i] * block->undo_row_bytes, 0xff,
                   (size_t)block->undo_row_bytes);
    } else {
        for (uint64_t i = 0; i < block->undo_count; i++)
            ((int64_t *)(void *)block->bytes)[block->undo[i]] = -1;
    }
    block->undo_count = block->undo_row_bytes = 0;
    block->undo_all = false;
}

/* Cells [from, to) of the span into rows of first positions. Of a record's occurrences the first
 * came first. */
static void fill_first(const struct rows *rows, struct rows_block *block, uint64_t from,
                       uint64_t to)
{
    const struct cells cells = rows->span.cells;
    bool remember = to - from <= undo_room(&rows->store);
    uint64_t columns = rows->columns, begin = block->view.record_begin, count = 0;
    int64_t *first = (int64_t *)(void *)block->bytes;

    for (uint64_t i = from; i < to; i++) {
        uint64_t place = (cells.records[i] - begin) * columns + cells.patterns[i];

        TRAWL_ASSERT(cells.records[i] >= begin && cells.patterns[i] < columns);
        TRAWL_ASSERT(place < rows->store.block_bytes / sizeof *first && place <= UINT32_MAX);
        if (first[place] >= 0)
            continue;
        first[place] = (int64_t)cells.begins[i];
        if (remember)
            block->undo[count] = (uint32_t)place;
        count++;
    }
    TRAWL_ASSERT(count <= to - from);
    block->view.cell_count = count;
    block->undo_count = remember ? count : 0;
    block->undo_all = !remember;
}

/* ANY: the block is bits. */
static void fill_any(const struct rows *rows, struct rows_block *block, uint64_t from, uint64_t to)
{
    const uint64_t *records = rows->span.cells.records;
    uint64_t count = block->view.record_end - block->view.record_begin;

    TRAWL_ASSERT(count <= rows->rows_max && from <= to && to <= rows->span.cells.count);
    memset(block->bytes, 0, (size_t)((count + 7) / 8));
    for (uint64_t i = from; i < to; i++) {
        uint64_t row = records[i] - block->view.record_begin;

        TRAWL_ASSERT(row < count);
        block->view.cell_count += (block->bytes[row >> 3] >> (row & 7) & 1) == 0;
        block->bytes[row >> 3] |= (uint8_t)(1u << (row & 7));
    }
    block->view.any = block->bytes;
}

/* RECORDS: the block is a column of counts, one of indices, and bits. */
static void fill_records(const struct rows *rows, struct rows_block *block, uint64_t from,
                         uint64_t to)
{
    const struct cells *cells = &rows->span.cells;
    uint64_t *counts = (uint64_t *)(void *)block->bytes;
    int64_t *which = (int64_t *)(void *)(counts + rows->rows_max);
    uint8_t *any = (uint8_t *)(void *)(which + rows->rows_max);
    uint64_t count = block->view.record_end - block->view.record_begin;

    TRAWL_ASSERT(count <= rows->rows_max && from <= to && to <= cells->count);
    TRAWL_ASSERT(rows->rows_max * rows->row_bytes <= rows->store.block_bytes);
    memset(counts, 0, (size_t)(count * sizeof *counts));
    memset(which, 0xff, (size_t)(count * sizeof *which));
    memset(any, 0, (size_t)((count + 7) / 8));
    for (uint64_t i = from; i < to; i++) {
        uint64_t row = cells->records[i] - block->view.record_begin;

        TRAWL_ASSERT(row < count);
        if (counts[row]++ == 0 || which[row] > (int64_t)cells->patterns[i])
            which[row] = (int64_t)cells->patterns[i];
        any[row >> 3] |= (uint8_t)(1u << (row & 7));
    }
    block->view.cell_count = to - from;
    block->view.counts = counts;
    block->view.which = which;
    block->view.any = any;
}

static void make(const struct rows *rows, uint64_t index)
{
    struct rows_block *block = &rows->store.blocks[index % rows->store.count];
    uint64_t begin = rows->span.record_begin + index * rows->rows_max;
    uint64_t end = min_u64(begin + rows->rows_max, rows->span.record_end);
    uint64_t from = cells_from(&rows->span.cells, begin), to = cells_from(&rows->span.cells, end);

    block->view = (struct rows_view){.record_begin = begin,
                                     .record_end = end,
                                     .last = rows->span.last && end == rows->span.record_end};
    TRAWL_ASSERT(begin < end && from <= to);
    TRAWL_ASSERT(from == to || rows->span.cells.records[from] >= begin);
    if (rows->shape == TRAWL_MATRIX_RECORDS || rows->shape == TRAWL_MATRIX_ANY) {
        (rows->shape == TRAWL_MATRIX_ANY ? fill_any : fill_records)(rows, block, from, to);
        return;
    }
    block->view.first = (const int64_t *)(const void *)block->bytes;
    if (rows->row_bytes == 0)
        return; /* no patterns: the block stays as the call before left it */
    clear(rows, block);
    if (rows->span.fill == NULL) {
        fill_first(rows, block, from, to);
        return;
    }
    block->undo_row_bytes = rows->row_bytes;
    block->undo_count = undo_room(&rows->store);
    block->view.cell_count =
        rows->span.fill(rows->span.context, begin, end, (int64_t *)(void *)block->bytes,
                        block->undo, &block->undo_count);
    block->undo_all = block->undo_count > undo_room(&rows->store);
}

/* ---- The ring ----------------------------------------------------------------------------- */

/* Take the next block to make; false: there is none, or no room for it. With the lock held. */
static bool take(struct rows *rows, uint64_t *index)
{
    if (rows->taken == rows->span_blocks || rows->taken - rows->delivered >= rows->store.count) {
        atomic_store(&rows->job.has_work, false);
        return false;
    }
    TRAWL_ASSERT(rows->taken >= rows->delivered && rows->taken < rows->span_blocks);
    TRAWL_ASSERT(!rows->store.blocks[rows->taken % rows->store.count].made);
    *index = rows->taken++;
    return true;
}

static void make_taken(struct rows *rows, struct worker *worker, uint64_t index)
{
    (void)pthread_mutex_unlock(&rows->lock);
    (void)worker_takes_part(worker, &rows->job);
    make(rows, index);
    (void)pthread_mutex_lock(&rows->lock);
    rows->store.blocks[index % rows->store.count].made = true;
}

/* A worker makes blocks until there are none. */
static void serve(struct job *job, struct worker *worker)
{
    struct rows *rows = (struct rows *)job;
    uint64_t index;

    (void)pthread_mutex_lock(&rows->lock);
    while (take(rows, &index)) {
        make_taken(rows, worker, index);
        (void)pthread_cond_signal(&rows->ready);
    }
    (void)pthread_mutex_unlock(&rows->lock);
}

static uint64_t bytes_of_row(enum trawl_matrix_shape shape, uint64_t columns)
{
    switch (shape) {
    case TRAWL_MATRIX_FIRST:
        return saturating_multiply(columns, sizeof(int64_t));
    case TRAWL_MATRIX_RECORDS:
        return sizeof(uint64_t) + sizeof(int64_t) + 1; /* eight times the bits there are */
    case TRAWL_MATRIX_ANY:
        return 1; /* the same */
    case TRAWL_MATRIX_CELLS:
    case TRAWL_MATRIX_PATTERNS:
        break;
    }
    return 0;
}

void rows_release(struct row_store *store)
{
    for (uint32_t i = 0; i < store->count; i++) {
        memory_release(store->blocks[i].bytes, store->block_bytes, 1);
        memory_release(store->blocks[i].undo, undo_room(store), sizeof *store->blocks[i].undo);
    }
    memory_release(store->blocks, store->count, sizeof *store->blocks);
    memset(store, 0, sizeof *store);
}

static enum trawl_status block_open(const struct row_store *store, struct rows_block *block,
                                    struct trawl_error *error)
{
    void *memory;

    block->undo_all = true;
    TRAWL_TRY(memory_allocate(store->block_bytes, 1, &memory, error));
    block->bytes = (uint8_t *)memory;
    TRAWL_TRY(memory_allocate(undo_room(store), sizeof *block->undo, &memory, error));
    block->undo = (uint32_t *)memory;
    return TRAWL_OK;
}

/* Room for `count` blocks of this many bytes: those of the searcher's last call, if they are large
 * enough. */
static enum trawl_status store_open(struct rows *rows, uint32_t count, uint64_t bytes,
                                    struct trawl_error *error)
{
    struct row_store *store = &rows->store;
    void *memory;

    *store = rows->searcher->rows;
    memset(&rows->searcher->rows, 0, sizeof rows->searcher->rows);
    for (uint32_t i = 0; i < store->count && store->shape != rows->shape; i++)
        store->blocks[i].undo_all = true;
    if (store->count < count || store->block_bytes < bytes) {
        rows_release(store);
        TRAWL_TRY(memory_allocate_zeroed(count, sizeof *store->blocks, &memory, error));
        store->blocks = (struct rows_block *)memory;
        store->count = count;
        store->block_bytes = bytes;
        for (uint32_t i = 0; i < count; i++)
            TRAWL_TRY(block_open(store, &store->blocks[i], error));
    }
    store->shape = rows->shape;
    return TRAWL_OK;
}

enum trawl_status rows_open(struct rows *rows, struct trawl_searcher *searcher,
                            enum trawl_matrix_shape shape, uint64_t columns, uint64_t record_count,
                            uint64_t blocks_min, struct trawl_error *error)
{
    struct trawl_runtime *runtime = searcher->runtime;
    uint64_t row_bytes = bytes_of_row(shape, columns), bytes;
    uint64_t blocks = runtime->threads_max == 1 ? 1 : runtime->threads_max + 2;

    memset(rows, 0, sizeof *rows);
    job_begin(&rows->job, runtime, NULL, serve);
    (void)pthread_mutex_init(&rows->lock, NULL);
    (void)pthread_cond_init(&rows->ready, NULL);
    if (row_bytes > ROW_BYTES_MAX)
        return TRAWL_FAIL(error, LIMIT, "a row of %" PRIu64 " patterns exceeds 2^32 bytes",
                          columns);
    rows->searcher = searcher;
    rows->shape = shape;
    rows->columns = columns;
    rows->row_bytes = row_bytes;
    rows->rows_max = row_bytes == 0 ? BLOCK_BYTES : max_u64(BLOCK_BYTES / row_bytes, 1);
    rows->rows_max = min_u64(rows->rows_max, max_u64(record_count / blocks_min, 1));
    bytes = rows->rows_max * row_bytes;
    blocks = min_u64(blocks, max_u64(RING_BYTES_MAX / max_u64(bytes, 1), 1));
    blocks = min_u64(blocks, max_u64(record_count / rows->rows_max, 1));
    TRAWL_ASSERT(runtime->threads_max > 0);
    rows->helpers = blocks < SHARED_BLOCKS_MIN ? 0 : runtime->threads_max - 1;
    TRAWL_ASSERT(blocks > 0 && blocks <= UINT32_MAX);
    return store_open(rows, (uint32_t)blocks, bytes, error);
}

/* What is small enough is kept for the searcher's next call. */
void rows_close(struct rows *rows)
{
    struct row_store *store = &rows->store;
    bool whole = store->count > 0 && store->blocks[store->count - 1].undo != NULL;

    (void)pthread_mutex_lock(&rows->lock);
    TRAWL_ASSERT(rows->delivered <= rows->taken && rows->taken <= rows->span_blocks);
    rows->span_blocks = rows->taken; /* take no more */
    (void)pthread_mutex_unlock(&rows->lock);
    job_end(&rows->job);
    TRAWL_ASSERT(!whole || rows->searcher->rows.blocks == NULL);
    if (whole && store->count * store->block_bytes <= RING_BYTES_MAX)
        rows->searcher->rows = *store;
    else
        rows_release(store);
    (void)pthread_cond_destroy(&rows->ready);
    (void)pthread_mutex_destroy(&rows->lock);
}

/* Can enough blocks be taken to make waking workers worthwhile? With the lock held. */
static bool wants_helpers(const struct rows *rows)
{
    return rows->helpers > 0 && rows->span_blocks - rows->taken >= SHARED_BLOCKS_MIN &&
           !(rows->shared && atomic_load(&rows->job.has_work));
}

/* Without locks. */
static void call_helpers(struct rows *rows)
{
    if (rows->shared) {
        job_wake(&rows->job);
        return;
    }
    rows->shared = true;
    job_share(&rows->job, rows->helpers);
}

void rows_begin(struct rows *rows, const struct span *span)
{
    uint64_t records = span->record_end - span->record_begin;
    bool wants;

    TRAWL_ASSERT(span->record_begin <= span->record_end && rows->rows_max > 0);
    (void)pthread_mutex_lock(&rows->lock);
    TRAWL_ASSERT(rows->taken == rows->span_blocks && rows->delivered == rows->span_blocks);
    rows->span = *span;
    rows->span_blocks = records / rows->rows_max + (records % rows->rows_max != 0);
    rows->taken = 0;
    rows->delivered = 0;
    rows->holds = false;
    for (uint32_t i = 0; i < rows->store.count; i++)
        rows->store.blocks[i].made = false;
    wants = wants_helpers(rows);
    (void)pthread_mutex_unlock(&rows->lock);
    if (wants)
        call_helpers(rows);
}

bool rows_next(struct rows *rows, struct rows_view *view)
{
    struct rows_block *block;
    uint64_t index;

    (void)pthread_mutex_lock(&rows->lock);
    if (rows->holds) {
        TRAWL_ASSERT(rows->delivered < rows->taken);
        rows->store.blocks[rows->delivered % rows->store.count].made = false;
        rows->delivered++;
        if (wants_helpers(rows)) {
            (void)pthread_mutex_unlock(&rows->lock);
            call_helpers(rows);
            (void)pthread_mutex_lock(&rows->lock);
        }
    }
    block = &rows->store.blocks[rows->delivered % rows->store.count];
    rows->holds = rows->delivered < rows->span_blocks;
    while (rows->holds && !block->made) {
        if (take(rows, &index))
            make_taken(rows, &rows->searcher->caller, index);
        else
            (void)pthread_cond_wait(&rows->ready, &rows->lock);
    }
    TRAWL_ASSERT(rows->delivered <= rows->taken && rows->taken <= rows->span_blocks);
    if (rows->holds)
        *view = block->view;
    (void)pthread_mutex_unlock(&rows->lock);
    return rows->holds;
}
