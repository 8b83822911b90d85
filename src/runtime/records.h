/* records: the search for cells in the records of a tape.
 *
 * matrix.c has the calls, cells.c makes cells of a chunk's matches, rows.c makes rows of cells, and
 * matrix_algorithm.c runs the gallery's algorithm that takes records one by one.
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

/* Records [record_begin, record_end), complete, and their cells. */
struct span {
    uint64_t record_begin;
    uint64_t record_end;
    struct cells cells; /* borrowed */
    bool last;
    /* NULL, or what makes the rows instead: cells of these records, all -1, are filled in any
     * thread; returns how many were. rows, with room for *rows_count: gets the rows that hold such;
     * *rows_count, how many there are, also beyond the room. */
    uint64_t (*fill)(const void *context, uint64_t begin, uint64_t end, int64_t *cells,
                     uint32_t *rows, uint64_t *rows_count);
    const void *context;
};

/* ---- rows.c ---- */

/* Rows of one kind, made in blocks by all workers. */
struct rows {
    struct job job; /* first: its serve gets this */
    enum trawl_matrix_shape shape;
    uint64_t columns;
    uint64_t row_bytes;     /* of FIRST */
    uint64_t rows_max;      /* of a block */
    struct row_store store; /* of the searcher, which gets it back */
    struct trawl_searcher *searcher;
    uint32_t helpers; /* workers worth waking; 0: the caller makes all */
    bool shared;      /* they were */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t ready; /* to the caller */
    struct span span;
    uint64_t span_blocks; /* that the span takes */
    uint64_t taken;       /* of them: being made, or made */
    uint64_t delivered;   /* the caller is at this one, or done with those before it */
    bool holds;           /* the caller is at one */
};

/* One block as the caller sees it. */
struct rows_view {
    uint64_t record_begin;
    uint64_t record_end;
    uint64_t cell_count;
    const int64_t *first;   /* FIRST */
    const uint64_t *counts; /* RECORDS */
    const int64_t *which;
    const uint8_t *any;
    bool last;
};

/* In that many blocks at least, where there are as many records. Errors: MEMORY; LIMIT: a row
 * exceeds 2^32 bytes. rows_close is to follow, also on failure. */
enum trawl_status rows_open(struct rows *rows, struct trawl_searcher *searcher,
                            enum trawl_matrix_shape shape, uint64_t columns, uint64_t record_count,
                            uint64_t blocks_min, struct trawl_error *error);
void rows_close(struct rows *rows);
/* Begin with a span, whose cells stay until its last block is done with. */
void rows_begin(struct rows *rows, const struct span *span);
/* The span's next block, valid until the next call; false: there is none. */
bool rows_next(struct rows *rows, struct rows_view *view);

/* ---- matrix_algorithm.c ---- */

/* trawl_matrix under a plan whose algorithm takes records, of offsets of 8 bytes. Inside a call. */
enum trawl_status matrix_by_algorithm(struct trawl_searcher *searcher,
                                      const struct trawl_plan *plan,
                                      const struct trawl_record_array *records, trawl_row_sink sink,
                                      void *context, struct trawl_error *error);

#endif
