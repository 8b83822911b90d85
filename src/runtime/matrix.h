/* matrix: searches records, which lie one after another in memory (the tape). A *cell* is a record,
 * a pattern that occurs in it, and where the first occurrence begins.
 */
#ifndef TRAWL_RUNTIME_MATRIX_H
#define TRAWL_RUNTIME_MATRIX_H

#include "match/records.h"
#include "runtime/search.h"

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

#endif
