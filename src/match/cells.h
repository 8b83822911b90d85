/* cells: which pattern occurs in which record, and where it first begins. */
#ifndef TRAWL_MATCH_CELLS_H
#define TRAWL_MATCH_CELLS_H

#include "base/memory.h"
#include "base/status.h"

/* In columns, in order of records. Begins count from the record's first byte. */
struct cells {
    uint64_t *records;
    uint64_t *patterns;
    uint64_t *begins;
    uint64_t count;
    uint64_t capacity;
};

/* Of a record's cells: all occurrences as they come; each pattern once; and in order of patterns.
 */
enum cells_order { CELLS_ANY, CELLS_ONCE, CELLS_SORTED };

struct cell {
    uint64_t pattern;
    uint64_t begin;
};

/* The cells of one piece of the text, and what making them takes; kept from piece to piece. */
struct cell_digest {
    struct cells cells;
    struct cell *row; /* of the record at hand; row_room, and as many to sort them with */
    uint64_t row_count;
    uint64_t row_room;
    uint64_t *seen; /* its patterns, if they are many: a table of stamp << 32 | pattern */
    uint64_t seen_slots;
    uint32_t seen_stamp;
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

/* Forget what was made; make room for the cells of this many matches. */
enum trawl_status cells_begin(struct cell_digest *digest, uint64_t match_count,
                              struct trawl_error *error);
/* One more occurrence in the record at hand, in order of begins. Errors: MEMORY. */
enum trawl_status cells_row_grow(struct cell_digest *digest, struct trawl_error *error);
static inline enum trawl_status cells_push(struct cell_digest *digest, uint64_t pattern,
                                           uint64_t begin, struct trawl_error *error)
{
    if (digest->row_count == digest->row_room)
        TRAWL_TRY(cells_row_grow(digest, error));
    digest->row[digest->row_count++] = (struct cell){pattern, begin};
    return TRAWL_OK;
}
/* The record at hand ends: keep its cells. */
enum trawl_status cells_keep(struct cell_digest *digest, enum cells_order order, uint64_t record,
                             struct trawl_error *error);
void cells_release(struct cell_digest *digest);

#endif
