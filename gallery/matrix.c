/* matrix: rabin-karp-matrix's rows, dealt to the threads of one block after the other. */
#include "gallery/matrix.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/memory.h"
#include "gallery/host.h"

#define SLICE_ROWS_MAX 64u        /* that a thread takes at once, */
#define SLICES_PER_THREAD 8u      /* or less, so that none waits long for another */
#define FLAGGED_ROWS (1ull << 20) /* records that a device looks at for one or several blocks */

/* The rows of one block, taken by all threads in slices. With a device it says first which records
 * may hold anything; threads then look at those alone. */
struct gang {
    const struct engine_matrix *matrix;
    const struct gallery_matrix *gallery;
    int64_t *cells;       /* of the block */
    uint64_t block_begin; /* record of the block's first row */
    uint64_t rows_end;    /* record after the block's last row */
    uint64_t slice_rows;
    _Atomic uint64_t row_next;
    _Atomic uint64_t match_count;
    pthread_t *helpers;

    struct gallery_device *device; /* NULL: the host alone */
    uint8_t *flags;                /* of records [flags_begin, flags_end) */
    uint64_t flags_capacity;
    uint64_t flags_begin, flags_end;
};

static void *take_slices(void *argument)
{
    struct gang *gang = (struct gang *)argument;
    const struct engine_matrix *matrix = gang->matrix;
    const uint64_t *offsets = matrix->records->offsets;
    uint64_t found = 0, begin;

    while ((begin = atomic_fetch_add(&gang->row_next, gang->slice_rows)) < gang->rows_end)
        for (uint64_t i = begin; i < min_u64(begin + gang->slice_rows, gang->rows_end); i++)
            if (gang->device == NULL || gang->flags[i - gang->flags_begin] != 0)
                found += gallery_matrix_record(
                    gang->gallery, matrix->records->bytes + offsets[i], offsets[i + 1] - offsets[i],
                    gang->cells + (i - gang->block_begin) * matrix->columns);
    atomic_fetch_add(&gang->match_count, found);
    return NULL;
}

/* Returns how many helpers took part. */
static uint32_t fill_block(struct gang *gang)
{
    uint32_t helpers_max = gang->matrix->helpers_max, wanted, started = 0, helpers;
    uint64_t rows = gang->rows_end - gang->block_begin;
    uint64_t slice = rows / (SLICES_PER_THREAD * (1ull + helpers_max));

    atomic_store(&gang->row_next, gang->block_begin);
    gang->slice_rows = max_u64(min_u64(slice, SLICE_ROWS_MAX), 1);
    wanted = (uint32_t)min_u64(helpers_max, (rows - 1) / gang->slice_rows);
    while (started < wanted && !fault_hit(FAULT_THREAD) &&
           pthread_create(&gang->helpers[started], NULL, take_slices, gang) == 0)
        started++;
    helpers = started;
    (void)take_slices(gang);
    while (started > 0)
        (void)pthread_join(gang->helpers[--started], NULL);
    return helpers;
}

/* Flags for the block's records and, since a device wants many, for as many after as fit. */
static enum trawl_status reach_flags(struct gang *gang, struct engine_result *result,
                                     struct trawl_error *error)
{
    const struct engine_records *all = gang->matrix->records;
    struct engine_records records = {all->bytes, all->offsets + gang->block_begin, 0};

    if (gang->device == NULL || gang->rows_end <= gang->flags_end)
        return TRAWL_OK;
    records.record_count = min_u64(gang->flags_capacity, all->record_count - gang->block_begin);
    TRAWL_TRY(gallery_device_flag(gang->device, &records, gang->flags, result, error));
    gang->flags_begin = gang->block_begin;
    gang->flags_end = gang->block_begin + records.record_count;
    return TRAWL_OK;
}

static enum trawl_status fill_rows(struct gang *gang, struct engine_matrix *matrix,
                                   struct engine_result *result, struct trawl_error *error)
{
    uint64_t record_count = matrix->records->record_count;

    for (uint64_t begin = 0; begin < record_count; begin += matrix->rows_max) {
        uint64_t begin_ns;

        if (!matrix->block(matrix->context, begin, &gang->cells))
            return TRAWL_STOPPED;
        if (matrix->columns == 0)
            continue;
        gang->block_begin = begin;
        gang->rows_end = min_u64(begin + matrix->rows_max, record_count);
        TRAWL_TRY(reach_flags(gang, result, error));
        begin_ns = clock_now_ns();
        matrix->helper_count = (uint32_t)max_u64(matrix->helper_count, fill_block(gang));
        if (gang->device != NULL)
            result->device_host_ns += clock_now_ns() - begin_ns;
    }
    return TRAWL_OK;
}

enum trawl_status gallery_matrix_fill(const struct trawl_plan *plan, struct gallery_device *device,
                                      struct engine_matrix *matrix, struct engine_result *result,
                                      struct trawl_error *error)
{
    struct gang gang = {.matrix = matrix, .device = device};
    struct gallery_matrix *gallery = NULL;
    enum trawl_status status;
    void *memory;

    result->on_device = device != NULL;
    TRAWL_TRY(memory_allocate(matrix->helpers_max, sizeof *gang.helpers, &memory, error));
    gang.helpers = (pthread_t *)memory;
    if (device != NULL) {
        /* whole blocks, so that no block's flags come in two parts */
        gang.flags_capacity =
            min_u64((FLAGGED_ROWS + matrix->rows_max - 1) / matrix->rows_max * matrix->rows_max,
                    matrix->records->record_count);
        TRAWL_TRY_DONE(memory_allocate(gang.flags_capacity, 1, &memory, error));
        gang.flags = (uint8_t *)memory;
    }
    TRAWL_TRY_DONE(gallery_matrix_open(plan, &gallery, error));
    gang.gallery = gallery;
    status = fill_rows(&gang, matrix, result, error);
    matrix->match_count = atomic_load(&gang.match_count);
done:
    gallery_matrix_close(gallery);
    memory_release(gang.flags, gang.flags_capacity, 1);
    memory_release(gang.helpers, matrix->helpers_max, sizeof *gang.helpers);
    return status;
}
