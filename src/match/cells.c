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
    memory_release(cells->records, cells->capacity[0], sizeof *cells->records);
    memory_release(cells->patterns, cells->capacity[1], sizeof *cells->patterns);
    memory_release(cells->begins, cells->capacity[2], sizeof *cells->begins);
    memset(cells, 0, sizeof *cells);
}

enum trawl_status cells_reserve(struct cells *cells, uint64_t more, struct trawl_error *error)
{
    const uint64_t wanted = max_u64(cells->count + more, CELLS_CAPACITY_MIN);

    TRAWL_TRY(MEMORY_ROOM(cells->records, cells->capacity[0], wanted, error));
    TRAWL_TRY(MEMORY_ROOM(cells->patterns, cells->capacity[1], wanted, error));
    return MEMORY_ROOM(cells->begins, cells->capacity[2], wanted, error);
}

enum trawl_status cells_merge(struct cells *cells, struct cells *room, const struct cells *others,
                              uint64_t *count, struct trawl_error *error)
{
    uint64_t a = 0, b = 0, end = 0;
    struct cells merged;

    TRAWL_ASSERT(room != cells && others != cells && others != room);
    room->count = 0;
    while (end < others->count && others->records[end] == cells->records[0])
        end++;
    *count = end;
    TRAWL_TRY(cells_reserve(room, cells->count + end, error));
    while (a < cells->count || b < end) {
        bool first = b == end || (a < cells->count && cells->patterns[a] <= others->patterns[b]);
        const struct cells *from = first ? cells : others;
        uint64_t at = first ? a : b;

        b += !first || (b < end && cells->patterns[a] == others->patterns[b]);
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
