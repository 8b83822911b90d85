/* cells: which pattern occurs in which record, and where it first begins. */
#ifndef TRAWL_MATCH_CELLS_H
#define TRAWL_MATCH_CELLS_H

#include "base/memory.h"
#include "base/status.h"

/* In columns, in order of records. Begins count from the record's first byte. */
struct cells {
    uint64_t *records; /* all three owned, of `capacity` */
    uint64_t *patterns;
    uint64_t *begins;
    uint64_t count;
    uint64_t capacity;
};

/* Of a record's cells: all occurrences as they come; or each pattern once, in order of patterns. */
enum cells_order { CELLS_ANY, CELLS_SORTED };

struct cell {
    uint64_t pattern;
    uint64_t begin;
};

/* What a thread makes cells with. */
struct cell_scratch {
    struct cell_scratch *next; /* of those that nobody uses */
    struct cell *row;          /* of the record at hand; row_room, and as many to sort them with */
    uint64_t row_count;
    uint64_t row_room;
    /* Of the record's patterns, if the plan's are not too many. Between records all marks are 0. */
    uint64_t patterns;
    uint64_t *marks;   /* a bit for each pattern, then one for each of these words that has any */
    uint32_t *offsets; /* of patterns that are marked */
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

/* Room for `more` further cells. */
enum trawl_status cells_reserve(struct cells *cells, uint64_t more, struct trawl_error *error);
/* Take over cells [from, to) of another one, which may not be this one. */
enum trawl_status cells_copy(struct cells *cells, const struct cells *other, uint64_t from,
                             uint64_t to, struct trawl_error *error);
/* Merge the record's cells of a later part of it, others[0, count), into those of its beginning. */
enum trawl_status cells_merge(struct cells *cells, struct cells *room, const struct cells *others,
                              uint64_t count, struct trawl_error *error);
void cells_clear(struct cells *cells);

/* One more occurrence in the record at hand, in order of begins. Errors: MEMORY. */
enum trawl_status cells_row_grow(struct cell_scratch *scratch, struct trawl_error *error);
static inline enum trawl_status cells_push(struct cell_scratch *scratch, uint64_t pattern,
                                           uint64_t begin, struct trawl_error *error)
{
    if (scratch->row_count == scratch->row_room)
        TRAWL_TRY(cells_row_grow(scratch, error));
    scratch->row[scratch->row_count++] = (struct cell){pattern, begin};
    return TRAWL_OK;
}
/* The record at hand ends: keep its cells, in order of patterns. */
enum trawl_status cells_keep(struct cells *cells, struct cell_scratch *scratch, uint64_t record,
                             struct trawl_error *error);

/* Another way, for records with CELLS_MARKED_MIN occurrences and more, of few patterns: */
#define CELLS_MARKED_MIN 17u
#define CELLS_MARKS_MAX (1u << 18) /* patterns */
#define CELLS_MARKS_FEW 4096u      /* patterns whose words of marks are all looked at */
enum trawl_status cells_marks_open(struct cell_scratch *scratch, uint64_t patterns,
                                   struct trawl_error *error);
/* Mark the pattern of an occurrence, in order of falling offsets. */
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
/* The record ends: keep its cells, in order of patterns, and clear the marks. There is room.
 * Begins are offsets + base. */
void cells_keep_marked(struct cells *cells, struct cell_scratch *scratch, uint64_t record,
                       uint64_t base);
void cells_scratch_release(struct cell_scratch *scratch);

#endif
