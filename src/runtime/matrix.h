/* matrix: searches records, which lie one after another in memory (the tape). A cell is a record, a
 * pattern, and the offset at which the pattern first begins in the record.
 *
 * matrix.c has the public calls, and matrix_cells.c makes cells of a chunk's hits. A published
 * algorithm may take records one by one and make rows instead, with a column for each pattern
 * (rows.c); matrix_algorithm.c makes cells of these rows.
 */
#ifndef TRAWL_RUNTIME_MATRIX_H
#define TRAWL_RUNTIME_MATRIX_H

#include "match/records.h"
#include "runtime/search.h"

/* ---- matrix_cells.c ---- */

/* What workers need to make cells: the records, and the plan with the conditions that hold inside
 * each record. */
struct cell_maker {
    const struct records *records;
    const struct trawl_plan *plan;
    bool any; /* a single cell tells about a record: not a cell for each pattern */
    pthread_mutex_t lock;
    struct cell_scratch *scratches; /* list of scratches that no worker uses; under the lock */
};

void cell_maker_open(struct cell_maker *maker, const struct records *records,
                     const struct trawl_plan *plan, bool any);
void cell_maker_close(struct cell_maker *maker);

/* Makes a chunk's cells. A sink's digest; the sink's context is a cell_maker. */
enum trawl_status cells_digest(const struct sink *sink, const struct sink_chunk *chunk,
                               struct sink_digest *digest, struct trawl_error *error);

struct by_algorithm;

/* The records [record_begin, record_end), which are complete, and the records' cells. */
struct span {
    uint64_t record_begin;
    uint64_t record_end;
    struct cells cells; /* borrowed */
    bool last;
};

/* ---- rows.c ---- */

/* Fills the rows of the records [begin, end) in `cells`, which are all -1 before. Any thread may
 * call. Returns the number of filled cells. `rows` has room for *rows_count numbers; stores the
 * numbers of the rows that hold a cell in `rows`, and their count, at most end - begin, in
 * *rows_count. */
typedef uint64_t (*rows_fill)(const void *context, uint64_t begin, uint64_t end, int64_t *cells,
                              uint32_t *rows, uint64_t *rows_count);

/* The rows of a matrix, which all workers make, block by block. */
struct rows {
    struct job job; /* first member: the job's serve gets a pointer to this job */
    rows_fill fill;
    const void *context;
    uint64_t row_bytes;
    uint64_t rows_max; /* rows of a block */
    struct rows_block *blocks;
    uint32_t block_count;
    struct trawl_searcher *searcher;
    uint32_t helpers; /* number of workers worth waking; 0: the caller makes all blocks */
    bool shared;      /* the helpers were woken, so workers may be inside the job */

    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t ready; /* wakes the caller */
    uint64_t begin;       /* the current records are [begin, end) */
    uint64_t end;
    uint64_t blocks_wanted; /* number of blocks of the current records */
    uint64_t taken;         /* blocks that are made or being made */
    uint64_t delivered;     /* index of the block that the caller holds, or gets next */
    bool holds;             /* the caller holds block `delivered` */
};

/* A block, as the caller sees it. */
struct rows_view {
    uint64_t record_begin;
    uint64_t record_end;
    uint64_t cell_count;
    /* The first of the rows, which have pattern_count cells each. A cell is -1 if the pattern does
     * not occur. */
    const int64_t *first;
    const uint32_t *filled; /* numbers of the rows that hold a cell, ascending */
    uint64_t filled_count;
};

/* Sets up *rows. The caller must call rows_close, also after a failure. Errors: MEMORY; LIMIT: a
 * row exceeds 2^32 bytes. */
enum trawl_status rows_open(struct rows *rows, struct trawl_searcher *searcher, uint64_t columns,
                            uint64_t record_count, rows_fill fill, const void *context,
                            struct trawl_error *error);
void rows_close(struct rows *rows);
/* Begins with the rows of the records [begin, end). */
void rows_begin(struct rows *rows, uint64_t begin, uint64_t end);
/* Fills *view with the next block, which stays valid until the next call. Returns false if there is
 * no further block. */
bool rows_next(struct rows *rows, struct rows_view *view);

/* ---- matrix_algorithm.c ---- */

/* Opens a matrix search by the plan's algorithm, inside a call. Errors: ARGUMENT: the algorithm
 * does not take records of this form; MEMORY. */
enum trawl_status by_algorithm_open(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    const struct trawl_record_array *records,
                                    struct by_algorithm **by, struct trawl_error *error);
/* Fills *span with the next span. The span's cells are valid until the next call. */
enum trawl_status by_algorithm_next(struct by_algorithm *by, struct span *span,
                                    struct trawl_error *error);
void by_algorithm_close(struct by_algorithm *by);

#endif
