/* matrix: searches records, which lie one after another in memory (the tape). A *cell* is a record,
 * a pattern that occurs in it, and where the first occurrence begins.
 *
 * matrix.c joins the cells of all chunks; matrix_cells.c turns a chunk's hits into cells.
 */
#ifndef TRAWL_RUNTIME_MATRIX_H
#define TRAWL_RUNTIME_MATRIX_H

#include "match/records.h"
#include "runtime/search.h"

/* ---- matrix.c ---- */

/* Takes the cells of the records [cells->record_begin, cells->record_end), which are borrowed.
 * Returns false to end the search. */
typedef bool (*matrix_function)(void *context, const struct trawl_cells *cells);

/* Searches records that were checked, for a searcher that is inside a call. Calls the function with
 * all records in ascending order. any: find only whether any pattern occurs in a record, so cells
 * of further patterns may be missing. all: each occurrence is a cell, ordered by (record, begin,
 * pattern), but an empty match is none; its pattern has the length added, << 32. counts: NULL, or
 * with `any`, where the occurrences in each record are added to its count; the cells are then those
 * of empty matches. Returns STOPPED if the function has returned false. */
enum trawl_status matrix_search(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                const struct records *records, bool any, bool all, uint32_t *counts,
                                matrix_function function, void *context, struct trawl_error *error);

/* ---- matrix_cells.c ---- */

/* What workers need to make cells: the records, and the plan, whose conditions must hold in each
 * record. */
struct cell_maker {
    const struct records *records;
    const struct trawl_plan *plan;
    bool checks; /* the maker checks the plan's conditions */
    bool any;    /* at most one cell for each record, whatever the pattern */
    bool all;    /* a cell for each occurrence that is not empty */
    /* if not NULL: count here the occurrences in each record, and make cells only of empty matches
     */
    uint32_t *counts;
};

/* Makes a chunk's cells. Called as sink.digest(), with a cell_maker as the sink's context. */
enum trawl_status cells_digest(const struct sink *sink, const struct sink_chunk *chunk,
                               struct sink_digest *digest, struct trawl_error *error);

#endif
