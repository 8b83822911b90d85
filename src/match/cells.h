/* cells: lists which pattern occurs in which record. A cell is such a pair of record and pattern,
 * with the place in the record where the pattern first begins. */
#ifndef TRAWL_MATCH_CELLS_H
#define TRAWL_MATCH_CELLS_H

#include "base/memory.h"
#include "base/status.h"

/* Cells in columns, in ascending order of records, then of patterns. begins[i] counts from the
 * first byte of record number records[i]. */
struct cells {
    uint64_t *records; /* three arrays with room for capacity[0] to capacity[2], owned */
    uint64_t *patterns;
    uint64_t *begins;
    uint64_t count;
    uint64_t capacity[3];
};

/* The patterns of a record's matches. */
struct cell_marks {
    uint64_t patterns; /* the number of patterns for which the two arrays were allocated */
    /* A bit for each pattern, in words of 64 bits. Then a bit for each of these words, set if the
     * word is not 0. Between records, all are 0. */
    uint64_t *bits;
    uint32_t *offsets;    /* first offset of each marked pattern */
    uint64_t first, last; /* words of the second kind that are not 0 lie between these */
};

static inline void cells_append(struct cells *cells, uint64_t record, uint64_t pattern,
                                uint64_t begin)
{
    TRAWL_ASSERT(cells->count < cells->capacity[2]);
    cells->records[cells->count] = record;
    cells->patterns[cells->count] = pattern;
    cells->begins[cells->count] = begin;
    cells->count++;
}

/* Makes room for `more` additional cells. Errors: MEMORY. */
enum trawl_status cells_reserve(struct cells *cells, uint64_t more, struct trawl_error *error);
/* Merges the cells of two parts of the same record: `cells` has those of the earlier part, and the
 * first cells of `others`, whose number becomes *count, are those of the later part. A pattern in
 * both parts keeps its earlier start. `room` is used as a buffer. Errors: MEMORY. */
enum trawl_status cells_merge(struct cells *cells, struct cells *room, const struct cells *others,
                              uint64_t *count, struct trawl_error *error);
void cells_clear(struct cells *cells);

/* Begins with no marks. After a failure, too, cells_marks_close must be called. Errors: MEMORY. */
enum trawl_status cells_marks_open(struct cell_marks *marks, uint64_t patterns,
                                   struct trawl_error *error);
/* Marks the pattern of an occurrence. Within a record, offsets must descend from call to call. */
static inline void cells_mark(struct cell_marks *marks, uint64_t pattern, uint32_t offset)
{
    uint64_t word = pattern / 64, upper = word / 64;

    TRAWL_ASSERT(pattern < marks->patterns);
    TRAWL_ASSERT((marks->bits[word] >> pattern % 64 & 1) == 0 || marks->offsets[pattern] >= offset);
    marks->offsets[pattern] = offset;
    marks->bits[word] |= UINT64_C(1) << pattern % 64;
    marks->bits[(marks->patterns + 63) / 64 + upper] |= UINT64_C(1) << word % 64;
    marks->first = upper < marks->first ? upper : marks->first;
    marks->last = upper > marks->last ? upper : marks->last;
}
/* Ends the current record: appends a cell for each marked pattern, in ascending order of patterns,
 * and clears the marks. A cell's start is base + the pattern's entry in marks->offsets. The caller
 * has reserved room for the cells. */
void cells_keep_marked(struct cells *cells, struct cell_marks *marks, uint64_t record,
                       uint64_t base);
void cells_marks_close(struct cell_marks *marks);

#endif
