/* rows: makes rows of a matrix in blocks, by an algorithm that takes records one by one.
 *
 * The blocks are a ring. Workers and the caller take and make the next block, and the caller gets
 * the blocks in order. Most rows are empty, so a block lists the rows that were filled, and only
 * these rows are cleared before the block is made again.
 */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "runtime/job.h"
#include "runtime/matrix.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/threads.h"
#include "runtime/workers.h"

#define BLOCK_BYTES (1u << 20)
#define RING_BYTES_MAX (64u << 20) /* most bytes of all blocks, if rows are long */
#define ROW_BYTES_MAX UINT32_MAX
#define SHARED_BLOCKS_MIN 4u /* the caller alone makes fewer blocks before a worker would wake */
#define BLOCKS_PER_THREAD 8u /* The more blocks, the less threads wait for the last block. */

struct rows_block {
    /* rows_max rows of row_bytes bytes. All cells are -1, except in the rows that `filled`
     * lists. */
    uint8_t *bytes;
    uint32_t *filled; /* numbers of the block's rows that hold a cell; at most rows_max */
    uint64_t filled_count;
    bool made; /* the block is made; under the lock */
    struct rows_view view;
};

/* ---- One block ---------------------------------------------------------------------------- */

static void clear(const struct rows *rows, struct rows_block *block)
{
    for (uint64_t i = 0; i < block->filled_count; i++)
        memset(block->bytes + block->filled[i] * rows->row_bytes, 0xff, (size_t)rows->row_bytes);
    block->filled_count = 0;
}

static void make(const struct rows *rows, uint64_t index)
{
    struct rows_block *block = &rows->blocks[index % rows->block_count];
    uint64_t begin = rows->begin + index * rows->rows_max;
    uint64_t end = min_u64(begin + rows->rows_max, rows->end);

    TRAWL_ASSERT(begin < end);
    block->view = (struct rows_view){.record_begin = begin,
                                     .record_end = end,
                                     .first = (const int64_t *)(const void *)block->bytes};
    if (rows->row_bytes == 0)
        return; /* the plan has no patterns */
    clear(rows, block);
    block->filled_count = rows->rows_max;
    block->view.cell_count = rows->fill(rows->context, begin, end, (int64_t *)(void *)block->bytes,
                                        block->filled, &block->filled_count);
    TRAWL_ASSERT(block->filled_count <= rows->rows_max);
    block->view.filled = block->filled;
    block->view.filled_count = block->filled_count;
}

/* ---- The ring ----------------------------------------------------------------------------- */

/* Takes the next block to make. Returns false if all blocks are taken or the ring is full. The
 * caller holds the lock. */
static bool block_take(struct rows *rows, uint64_t *index)
{
    if (rows->taken == rows->blocks_wanted || rows->taken - rows->delivered >= rows->block_count) {
        atomic_store(&rows->job.has_work, false);
        return false;
    }
    TRAWL_ASSERT(rows->taken >= rows->delivered && rows->taken < rows->blocks_wanted);
    TRAWL_ASSERT(!rows->blocks[rows->taken % rows->block_count].made);
    *index = rows->taken++;
    return true;
}

static void make_taken(struct rows *rows, struct worker *worker, uint64_t index)
{
    (void)pthread_mutex_unlock(&rows->lock);
    (void)worker_takes_part(worker, &rows->job);
    make(rows, index);
    (void)pthread_mutex_lock(&rows->lock);
    rows->blocks[index % rows->block_count].made = true;
}

/* Makes blocks until no block can be taken. The job's serve. */
static void serve(struct job *job, struct worker *worker)
{
    struct rows *rows = (struct rows *)job;
    uint64_t index;

    (void)pthread_mutex_lock(&rows->lock);
    while (block_take(rows, &index)) {
        make_taken(rows, worker, index);
        (void)pthread_cond_signal(&rows->ready);
    }
    (void)pthread_mutex_unlock(&rows->lock);
}

static enum trawl_status block_open(const struct rows *rows, struct rows_block *block,
                                    struct trawl_error *error)
{
    void *memory;

    TRAWL_TRY(memory_allocate(rows->rows_max, rows->row_bytes, &memory, error));
    block->bytes = (uint8_t *)memory;
    if (rows->row_bytes > 0)
        memset(block->bytes, 0xff, (size_t)(rows->rows_max * rows->row_bytes));
    TRAWL_TRY(MEMORY_NEW(block->filled, rows->rows_max, error));
    return TRAWL_OK;
}

enum trawl_status rows_open(struct rows *rows, struct trawl_searcher *searcher, uint64_t columns,
                            uint64_t record_count, rows_fill fill, const void *context,
                            struct trawl_error *error)
{
    struct trawl_runtime *runtime = searcher->runtime;
    uint64_t row_bytes = saturating_multiply(columns, sizeof(int64_t));
    uint64_t blocks = runtime->threads_max == 1 ? 1 : runtime->threads_max + 2;
    uint64_t share = BLOCKS_PER_THREAD * (uint64_t)runtime->threads_max;

    memset(rows, 0, sizeof *rows);
    job_begin(&rows->job, runtime, NULL, serve);
    (void)pthread_mutex_init(&rows->lock, NULL);
    (void)pthread_cond_init(&rows->ready, NULL);
    if (row_bytes > ROW_BYTES_MAX)
        return TRAWL_FAIL(error, LIMIT, "a row of %" PRIu64 " patterns exceeds 2^32 bytes",
                          columns);
    rows->searcher = searcher;
    rows->fill = fill;
    rows->context = context;
    rows->row_bytes = row_bytes;
    rows->rows_max = row_bytes == 0 ? BLOCK_BYTES : max_u64(BLOCK_BYTES / row_bytes, 1);
    rows->rows_max = min_u64(rows->rows_max, max_u64(record_count / share, 1));
    blocks = min_u64(blocks, max_u64(RING_BYTES_MAX / max_u64(rows->rows_max * row_bytes, 1), 1));
    blocks = min_u64(blocks, max_u64(record_count / rows->rows_max, 1));
    rows->helpers = blocks < SHARED_BLOCKS_MIN ? 0 : runtime->threads_max - 1;
    TRAWL_ASSERT(blocks > 0 && blocks <= UINT32_MAX);
    TRAWL_TRY(MEMORY_ZEROED(rows->blocks, blocks, error));
    rows->block_count = (uint32_t)blocks;
    for (uint32_t i = 0; i < rows->block_count; i++)
        TRAWL_TRY(block_open(rows, &rows->blocks[i], error));
    return TRAWL_OK;
}

void rows_close(struct rows *rows)
{
    (void)pthread_mutex_lock(&rows->lock);
    TRAWL_ASSERT(rows->delivered <= rows->taken && rows->taken <= rows->blocks_wanted);
    rows->blocks_wanted = rows->taken; /* no further block is taken */
    (void)pthread_mutex_unlock(&rows->lock);
    job_end(&rows->job);
    for (uint32_t i = 0; i < rows->block_count; i++) {
        memory_release(rows->blocks[i].bytes, rows->rows_max, rows->row_bytes);
        memory_release(rows->blocks[i].filled, rows->rows_max, sizeof *rows->blocks[i].filled);
    }
    memory_release(rows->blocks, rows->block_count, sizeof *rows->blocks);
    (void)pthread_cond_destroy(&rows->ready);
    (void)pthread_mutex_destroy(&rows->lock);
}

/* Says whether so many blocks can be taken that waking workers is worthwhile. The caller holds the
 * lock. */
static bool wants_helpers(const struct rows *rows)
{
    return rows->helpers > 0 && rows->blocks_wanted - rows->taken >= SHARED_BLOCKS_MIN &&
           !(rows->shared && atomic_load(&rows->job.has_work));
}

/* Wakes workers, or lists the job the first time. The caller holds no lock. */
static void call_helpers(struct rows *rows)
{
    if (rows->shared) {
        job_wake(&rows->job);
        return;
    }
    rows->shared = true;
    job_share(&rows->job, rows->helpers);
}

void rows_begin(struct rows *rows, uint64_t begin, uint64_t end)
{
    uint64_t records = end - begin;
    bool wants;

    TRAWL_ASSERT(begin <= end && rows->rows_max > 0);
    (void)pthread_mutex_lock(&rows->lock);
    TRAWL_ASSERT(rows->taken == rows->blocks_wanted && rows->delivered == rows->blocks_wanted);
    rows->begin = begin;
    rows->end = end;
    rows->blocks_wanted = records / rows->rows_max + (records % rows->rows_max != 0);
    rows->taken = 0;
    rows->delivered = 0;
    rows->holds = false;
    for (uint32_t i = 0; i < rows->block_count; i++)
        rows->blocks[i].made = false;
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
        rows->blocks[rows->delivered % rows->block_count].made = false;
        rows->delivered++;
        if (wants_helpers(rows)) {
            (void)pthread_mutex_unlock(&rows->lock);
            call_helpers(rows);
            (void)pthread_mutex_lock(&rows->lock);
        }
    }
    block = &rows->blocks[rows->delivered % rows->block_count];
    rows->holds = rows->delivered < rows->blocks_wanted;
    while (rows->holds && !block->made) {
        if (block_take(rows, &index))
            make_taken(rows, &rows->searcher->caller, index);
        else
            (void)pthread_cond_wait(&rows->ready, &rows->lock);
    }
    TRAWL_ASSERT(rows->delivered <= rows->taken && rows->taken <= rows->blocks_wanted);
    if (rows->holds)
        *view = block->view;
    (void)pthread_mutex_unlock(&rows->lock);
    return rows->holds;
}
