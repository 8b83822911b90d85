/* cells: lists which pattern occurs in which record. A cell is such a pair of record and pattern,
 * with the place in the record where the pattern first begins. */
#ifndef TRAWL_MATCH_CELLS_H
#define TRAWL_MATCH_CELLS_H

#include "base/memory.h"
#include "base/status.h"

/* Cells in columns, in ascending order of records, then of patterns. begins[i] counts from the
 * first byte of record number records[i]. */
struct cells {
    uint64_t *records; /* three arrays of `capacity` entries, owned */
    uint64_t *patterns;
    uint64_t *begins;
    uint64_t count;
    uint64_t capacity;
};

struct cell {
    uint64_t pattern;
    uint64_t begin;
};

/* A thread's memory for making cells. */
struct cell_scratch {
    struct cell_scratch *next; /* the next one in a list of free scratches */
    /* cells of the current record; 2 * row_room entries, of which the second half is for sorting */
    struct cell *row;
    uint64_t row_count;
    uint64_t row_room;
    /* The number of patterns for which `marks` and `offsets` were allocated, at most
     * CELLS_MARKS_MAX. Between records, all marks are 0. */
    uint64_t patterns;
    /* A bit for each pattern, in words of 64 bits. Then a bit for each of these words, set if the
     * word is not 0; these are used only with more than CELLS_MARKS_FEW patterns. */
    uint64_t *marks;
    uint32_t *offsets; /* first offset of each marked pattern */
};

static inline void cells_append(struct cells *cells, uint64_t record, uint64_t pattern,
                                uint64_t begin)
{
    TRAWL_ASSERT(cells->count < cells->capacity);
    cells->records[cells->count] = record;
    cells->patterns[cells->count] = pattern;
    cells->begins[cells->count] = begin;
    cells->count++;
}

/* Makes room for `more` additional cells. Errors: MEMORY. */
enum trawl_status cells_reserve(struct cells *cells, uint64_t more, struct trawl_error *error);
/* Replaces the cells with a copy of cells [from, to) of `other`, another struct. Errors: MEMORY. */
enum trawl_status cells_copy(struct cells *cells, const struct cells *other, uint64_t from,
                             uint64_t to, struct trawl_error *error);
/* Merges the cells of two parts of the same record: `cells` has those of the earlier part, and the
 * first `count` cells of `others` are those of the later part. A pattern in both parts keeps its
 * earlier start. `room` is used as a buffer. Errors: MEMORY. */
enum trawl_status cells_merge(struct cells *cells, struct cells *room, const struct cells *others,
                              uint64_t count, struct trawl_error *error);
void cells_clear(struct cells *cells);

/* cells_push adds an occurrence to the current record; starts must ascend from call to call.
 * cells_row_grow makes room for more. Errors: MEMORY. */
enum trawl_status cells_row_grow(struct cell_scratch *scratch, struct trawl_error *error);
static inline enum trawl_status cells_push(struct cell_scratch *scratch, uint64_t pattern,
                                           uint64_t begin, struct trawl_error *error)
{
    if (scratch->row_count == scratch->row_room)
        TRAWL_TRY(cells_row_grow(scratch, error));
    scratch->row[scratch->row_count++] = (struct cell){pattern, begin};
    return TRAWL_OK;
}
/* Ends the current record: appends its cells in ascending order of patterns. Errors: MEMORY. */
enum trawl_status cells_keep(struct cells *cells, struct cell_scratch *scratch, uint64_t record,
                             struct trawl_error *error);

/* Marks (cells_mark) are faster than sorting if the record has at least CELLS_MARKED_MIN
 * occurrences and the plan at most CELLS_MARKS_MAX patterns. Tests replace cells_marks_max. */
#define CELLS_MARKED_MIN 17u
#define CELLS_MARKS_MAX (1u << 18)
extern uint64_t cells_marks_max;
/* with at most this many patterns, cells_keep_marked reads all words of marks, even those of 0 */
#define CELLS_MARKS_FEW 4096u
enum trawl_status cells_marks_open(struct cell_scratch *scratch, uint64_t patterns,
                                   struct trawl_error *error);
/* Marks the pattern of an occurrence. Within a record, offsets must descend from call to call. */
static inline void cells_mark(struct cell_scratch *scratch, uint64_t pattern, uint32_t offset)
{
    uint64_t word = pattern / 64;

    TRAWL_ASSERT(pattern < scratch->patterns);
    TRAWL_ASSERT((scratch->marks[word] >> pattern % 64 & 1) == 0 ||
                 scratch->offsets[pattern] >= offset);
    scratch->offsets[pattern] = offset;
    scratch->marks[word] |= UINT64_C(1) << pattern % 64;
    if (scratch->patterns > CELLS_MARKS_FEW)
        scratch->marks[(scratch->patterns + 63) / 64 + word / 64] |= UINT64_C(1) << word % 64;
}
/* Ends the current record: appends a cell for each marked pattern, in ascending order of patterns,
 * and clears the marks. A cell's start is base + the pattern's entry in scratch->offsets. The
 * caller has reserved room for the cells. */
void cells_keep_marked(struct cells *cells, struct cell_scratch *scratch, uint64_t record,
                       uint64_t base);
void cells_scratch_release(struct cell_scratch *scratch);

#endif
