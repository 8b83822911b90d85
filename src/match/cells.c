/* cells: makes the cells of a record from its matches, in the thread that searched. A cell is a
 * pattern that occurs in the record, with the place where it first begins there.
 *
 * The caller marks a record's matches from last to first: each sets the bit of its pattern, and
 * overwrites the pattern's offset in a table, so the first match remains. The bits then yield the
 * record's patterns in order. So the time is linear in the matches, even for long records.
 */
#include "match/cells.h"

#include <string.h>

#include "base/checked.h"

#define CELLS_CAPACITY_MIN 256u

/* ---- Columns ------------------------------------------------------------------------------ */

void cells_clear(struct cells *cells)
{
    memory_release(cells->records, cells->capacity, sizeof *cells->records);
    memory_release(cells->patterns, cells->capacity, sizeof *cells->patterns);
    memory_release(cells->begins, cells->capacity, sizeof *cells->begins);
    memset(cells, 0, sizeof *cells);
}

enum trawl_status cells_reserve(struct cells *cells, uint64_t more, struct trawl_error *error)
{
    uint64_t capacity = max_u64(2 * cells->capacity, CELLS_CAPACITY_MIN);
    uint64_t **columns[3] = {&cells->records, &cells->patterns, &cells->begins};
    void *grown[3] = {NULL, NULL, NULL};
    enum trawl_status status = TRAWL_OK;

    TRAWL_ASSERT(cells->count <= cells->capacity);
    if (cells->count + more <= cells->capacity)
        return TRAWL_OK;
    capacity = max_u64(capacity, cells->count + more);
    for (int i = 0; i < 3 && status == TRAWL_OK; i++)
        status = memory_allocate(capacity, sizeof(uint64_t), &grown[i], error);
    if (status != TRAWL_OK) {
        for (int i = 0; i < 3; i++)
            memory_release(grown[i], capacity, sizeof(uint64_t));
        return status;
    }
    for (int i = 0; i < 3; i++) {
        if (cells->count > 0)
            memcpy(grown[i], *columns[i], (size_t)cells->count * sizeof(uint64_t));
        memory_release(*columns[i], cells->capacity, sizeof(uint64_t));
        *columns[i] = (uint64_t *)grown[i];
    }
    cells->capacity = capacity;
    return TRAWL_OK;
}

enum trawl_status cells_copy(struct cells *cells, const struct cells *other, uint64_t from,
                             uint64_t to, struct trawl_error *error)
{
    TRAWL_ASSERT(from <= to && to <= other->count);
    TRAWL_ASSERT(cells != other);
    cells->count = 0;
    TRAWL_TRY(cells_reserve(cells, to - from, error));
    for (uint64_t i = from; i < to; i++)
        cells_append(cells, other->records[i], other->patterns[i], other->begins[i]);
    return TRAWL_OK;
}

enum trawl_status cells_merge(struct cells *cells, struct cells *room, const struct cells *others,
                              uint64_t count, struct trawl_error *error)
{
    struct cells merged;
    uint64_t a = 0, b = 0;

    TRAWL_ASSERT(room != cells && others != cells && others != room);
    room->count = 0;
    TRAWL_TRY(cells_reserve(room, cells->count + count, error));
    while (a < cells->count || b < count) {
        bool first = b == count || (a < cells->count && cells->patterns[a] <= others->patterns[b]);
        const struct cells *from = first ? cells : others;
        uint64_t at = first ? a : b;

        b += !first || (b < count && cells->patterns[a] == others->patterns[b]);
        a += first;
        cells_append(room, from->records[at], from->patterns[at], from->begins[at]);
    }
    merged = *room;
    *room = *cells;
    *cells = merged;
    return TRAWL_OK;
}

/* ---- One record --------------------------------------------------------------------------- */

static uint64_t mark_words(uint64_t patterns)
{
    uint64_t words = (patterns + 63) / 64;

    return words + (words + 63) / 64;
}

enum trawl_status cells_marks_open(struct cell_marks *marks, uint64_t patterns,
                                   struct trawl_error *error)
{
    TRAWL_ASSERT(patterns > 0);
    *marks = (struct cell_marks){.patterns = patterns, .first = UINT64_MAX};
    TRAWL_TRY(MEMORY_NEW(marks->offsets, patterns, error));
    TRAWL_TRY(MEMORY_ZEROED(marks->bits, mark_words(patterns), error));
    return TRAWL_OK;
}

/* Appends a cell for each set bit of bits[word], and clears these bits. */
static inline void keep_word(struct cells *cells, struct cell_marks *marks, uint64_t word,
                             uint64_t record, uint64_t base)
{
    uint64_t bits = marks->bits[word];

    marks->bits[word] = 0;
    for (; bits != 0; bits &= bits - 1) {
        uint64_t pattern = 64 * word + (uint64_t)__builtin_ctzll(bits);

        cells_append(cells, record, pattern, base + marks->offsets[pattern]);
    }
}

void cells_keep_marked(struct cells *cells, struct cell_marks *marks, uint64_t record,
                       uint64_t base)
{
    const uint64_t words = (marks->patterns + 63) / 64;

    for (uint64_t upper = marks->first; upper <= marks->last && marks->first != UINT64_MAX;
         upper++) {
        uint64_t bits = marks->bits[words + upper];

        marks->bits[words + upper] = 0;
        for (; bits != 0; bits &= bits - 1)
            keep_word(cells, marks, 64 * upper + (uint64_t)__builtin_ctzll(bits), record, base);
    }
    marks->first = UINT64_MAX;
    marks->last = 0;
}

void cells_marks_close(struct cell_marks *marks)
{
    memory_release(marks->offsets, marks->patterns, sizeof *marks->offsets);
    if (marks->bits != NULL)
        memory_release(marks->bits, mark_words(marks->patterns), sizeof *marks->bits);
}
