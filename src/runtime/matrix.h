/* matrix: searches records, which lie one after another in memory (the tape). A cell is a record, a
 * pattern, and the offset at which the pattern first begins in it.
 *
 * matrix.c has the public calls; matrix_cells.c makes cells of a chunk's hits.
 */
#ifndef TRAWL_RUNTIME_MATRIX_H
#define TRAWL_RUNTIME_MATRIX_H

#include "match/records.h"
#include "runtime/search.h"

/* ---- matrix.c ---- */

/* trawl_matrix_open, _next and _close, for a searcher that is inside a call and records that were
 * checked. The struct is copied. */
enum trawl_status matrix_begin(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                               const struct records *records, enum trawl_matrix_shape shape,
                               struct trawl_matrix_search **matrix, struct trawl_error *error);
enum trawl_status matrix_next(struct trawl_matrix_search *matrix, struct trawl_matrix_batch *batch,
                              struct trawl_error *error);
void matrix_end(struct trawl_matrix_search *matrix);

/* ---- matrix_cells.c ---- */

/* What workers need to make cells: the records, and the plan with the conditions that must hold in
 * each record. */
struct cell_maker {
    const struct records *records;
    const struct trawl_plan *plan;
    bool checks; /* the maker checks the plan's conditions */
    bool any;    /* a record gets one cell instead of one for each pattern */
    /* NULL: make cells. Otherwise occurrences are only counted, for each record */
    uint32_t *counts;
    pthread_mutex_t lock;
    struct cell_scratch *scratches; /* scratches that no worker uses; under the lock */
};

void cell_maker_open(struct cell_maker *maker, const struct records *records,
                     const struct trawl_plan *plan, bool any);
/* Returns the plan under which the occurrences are found: *bare, a copy without the conditions,
 * which the maker checks in each record; or, if the plan's engine checks them, the plan itself. The
 * engine must then know the records, and the sink gets them. */
const struct trawl_plan *cell_maker_plan(const struct cell_maker *maker, struct trawl_plan *bare,
                                         struct sink *sink);
void cell_maker_close(struct cell_maker *maker);

/* Makes a chunk's cells. This is sink.digest(); the sink's context is a cell_maker. */
enum trawl_status cells_digest(const struct sink *sink, const struct sink_chunk *chunk,
                               struct sink_digest *digest, struct trawl_error *error);

#endif
