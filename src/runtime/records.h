/* records: the search for cells in the records of a tape.
 *
 * matrix.c has the calls, cells.c makes cells of a chunk's matches. matrix_algorithm.c runs the
 * gallery's algorithm that takes records one by one and makes rows (rows.c), and cells of these.
 */
#ifndef TRAWL_RUNTIME_RECORDS_H
#define TRAWL_RUNTIME_RECORDS_H

#include "match/records.h"
#include "runtime/search.h"

/* ---- cells.c ---- */

/* What workers need to make cells: records, and the plan whose conditions hold inside each. */
struct cell_maker {
    const struct records *records;
    const struct trawl_plan *plan;
    enum cells_order order; /* of records that lie in one chunk */
    pthread_mutex_t lock;
    struct cell_scratch *scratches; /* that no worker uses; under the lock */
};

void cell_maker_open(struct cell_maker *maker, const struct records *records,
                     const struct trawl_plan *plan, enum cells_order order);
void cell_maker_close(struct cell_maker *maker);

/* A sink's digest; its context is a cell_maker. */
enum trawl_status cells_digest(const struct sink *sink, const struct sink_chunk *chunk,
                               struct sink_digest *digest, struct trawl_error *error);

struct by_algorithm;

/* Records [record_begin, record_end), complete, and their cells. */
struct span {
    uint64_t record_begin;
    uint64_t record_end;
    struct cells cells; /* borrowed */
    bool last;
};

/* ---- rows.c ---- */

/* Fills rows of the records [begin, end) of cells that are all -1, in any thread. Returns how many
 * cells it filled. rows, with room for *rows_count of them, gets the rows that hold a cell, and
 * *rows_count their number, at most end - begin. */
typedef uint64_t (*rows_fill)(const void *context, uint64_t begin, uint64_t end, int64_t *cells,
                              uint32_t *rows, uint64_t *rows_count);

/* Rows that are made in blocks by all workers. */
struct rows {
    struct job job; /* first: its serve gets this */
    rows_fill fill;
    const void *context;
    uint64_t row_bytes;
    uint64_t rows_max; /* of a block */
    struct rows_block *blocks;
    uint32_t block_count;
    struct trawl_searcher *searcher;
    uint32_t helpers; /* workers worth waking; 0: the caller makes all */
    bool shared;      /* they were */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t ready; /* to the caller */
    uint64_t begin;       /* the records at hand are [begin, end) */
    uint64_t end;
    uint64_t blocks_wanted; /* of these records */
    uint64_t taken;         /* of them: being made, or made */
    uint64_t delivered;     /* the caller is at this one, or done with those before it */
    bool holds;             /* the caller is at one */
};

/* One block as the caller sees it. */
struct rows_view {
    uint64_t record_begin;
    uint64_t record_end;
    uint64_t cell_count;
    const int64_t *first;   /* a row of pattern_count for each record; -1: it does not occur */
    const uint32_t *filled; /* the rows that hold a cell, ascending */
    uint64_t filled_count;
};

/* Errors: MEMORY; LIMIT: a row exceeds 2^32 bytes. rows_close is to follow, also on failure. */
enum trawl_status rows_open(struct rows *rows, struct trawl_searcher *searcher, uint64_t columns,
                            uint64_t record_count, rows_fill fill, const void *context,
                            struct trawl_error *error);
void rows_close(struct rows *rows);
/* Begin with these records. */
void rows_begin(struct rows *rows, uint64_t begin, uint64_t end);
/* The next block, valid until the next call; false: there is none. */
bool rows_next(struct rows *rows, struct rows_view *view);

/* ---- matrix_algorithm.c ---- */

/* Spans under a plan whose algorithm takes records. Inside a call. Errors: ARGUMENT: the records
 * are not as the algorithm takes them. */
enum trawl_status by_algorithm_open(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    const struct trawl_record_array *records,
                                    struct by_algorithm **by, struct trawl_error *error);
/* The next span; its cells stay until the next call. */
enum trawl_status by_algorithm_next(struct by_algorithm *by, struct span *span,
                                    struct trawl_error *error);
void by_algorithm_close(struct by_algorithm *by);

#endif
