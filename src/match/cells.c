/* cells: makes the cells of a record from its matches, in the thread that searched. A cell is a
 * pattern that occurs in the record, with the place where it first begins there.
 *
 * If a record has few matches, they are sorted by insertion, which also drops the later matches of
 * a pattern. If it has many, the caller marks them from last to first: each match sets the bit of
 * its pattern, and overwrites the pattern's offset in a table, so the first match remains. The bits
 * then yield the record's patterns in order. If that table would be too large, a radix sort by
 * pattern number is used instead. So the time is linear in the matches, even for long records.
 */
#include "match/cells.h"

#include <string.h>

#include "base/checked.h"

#define CELLS_CAPACITY_MIN 256u
#define ROW_ROOM_MIN 64u
#define INSERTION_MAX 16u /* a record of at most this many matches is sorted by insertion */

uint64_t cells_marks_max = CELLS_MARKS_MAX;

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

enum trawl_status cells_row_grow(struct cell_scratch *scratch, struct trawl_error *error)
{
    uint64_t room = max_u64(2 * scratch->row_room, ROW_ROOM_MIN);
    void *memory;

    TRAWL_TRY(memory_allocate(2 * room, sizeof *scratch->row, &memory, error));
    if (scratch->row_count > 0)
        memcpy(memory, scratch->row, (size_t)scratch->row_count * sizeof *scratch->row);
    memory_release(scratch->row, 2 * scratch->row_room, sizeof *scratch->row);
    scratch->row = (struct cell *)memory;
    scratch->row_room = room;
    return TRAWL_OK;
}

/* Sorts the row by pattern, and keeps the first cell of each pattern. Returns how many cells it
 * keeps. count ≤ INSERTION_MAX. */
static uint64_t sort_few(struct cell *row, uint64_t count)
{
    uint64_t left = 0;

    TRAWL_ASSERT(count <= INSERTION_MAX);
    for (uint64_t i = 0; i < count; i++) {
        struct cell cell = row[i];
        uint64_t at = left;

        while (at > 0 && row[at - 1].pattern > cell.pattern)
            at--;
        if (at > 0 && row[at - 1].pattern == cell.pattern)
            continue;
        memmove(row + at + 1, row + at, (size_t)(left - at) * sizeof *row);
        row[at] = cell;
        left++;
    }
    return left;
}

/* Like sort_few, for long rows: a stable radix sort by pattern number, lowest byte first, which
 * moves the cells back and forth between `row` and `room`. *sorted is set to the one with the
 * result. */
static uint64_t sort_many(struct cell *row, struct cell *room, uint64_t count,
                          const struct cell **sorted)
{
    uint64_t bits = 0, left = 0;

    TRAWL_ASSERT(count > 0 && count <= UINT32_MAX);
    for (uint64_t i = 0; i < count; i++)
        bits |= row[i].pattern;
    for (unsigned shift = 0; bits >> shift != 0; shift += 8) {
        uint32_t places[257] = {0};
        struct cell *from = row;

        for (uint64_t i = 0; i < count; i++)
            places[(from[i].pattern >> shift & 255) + 1]++;
        for (unsigned i = 1; i < 256; i++)
            places[i] += places[i - 1];
        for (uint64_t i = 0; i < count; i++)
            room[places[from[i].pattern >> shift & 255]++] = from[i];
        row = room;
        room = from;
    }
    for (uint64_t i = 0; i < count; i++)
        if (left == 0 || row[left - 1].pattern != row[i].pattern)
            row[left++] = row[i];
    *sorted = row;
    return left;
}

enum trawl_status cells_keep(struct cells *cells, struct cell_scratch *scratch, uint64_t record,
                             struct trawl_error *error)
{
    uint64_t count = scratch->row_count;
    const struct cell *row = scratch->row;

    TRAWL_ASSERT(count <= scratch->row_room);
    scratch->row_count = 0;
    if (count <= INSERTION_MAX)
        count = sort_few(scratch->row, count);
    else
        count = sort_many(scratch->row, scratch->row + scratch->row_room, count, &row);
    TRAWL_TRY(cells_reserve(cells, count, error));
    for (uint64_t i = 0; i < count; i++)
        cells_append(cells, record, row[i].pattern, row[i].begin);
    return TRAWL_OK;
}

/* ---- By marks ------------------------------------------------------------------------------ */

static uint64_t mark_words(uint64_t patterns)
{
    uint64_t words = (patterns + 63) / 64;

    return words + (words + 63) / 64;
}

enum trawl_status cells_marks_open(struct cell_scratch *scratch, uint64_t patterns,
                                   struct trawl_error *error)
{
    TRAWL_ASSERT(patterns > 0 && patterns <= CELLS_MARKS_MAX);
    if (scratch->offsets == NULL) {
        TRAWL_TRY(MEMORY_NEW(scratch->offsets, patterns, error));
        scratch->patterns = patterns;
    }
    if (scratch->marks == NULL) {
        TRAWL_TRY(MEMORY_ZEROED(scratch->marks, mark_words(patterns), error));
    }
    TRAWL_ASSERT(scratch->patterns == patterns);
    return TRAWL_OK;
}

/* Appends a cell for each set bit of marks[word], and clears these bits. */
static inline void keep_word(struct cells *cells, struct cell_scratch *scratch, uint64_t word,
                             uint64_t record, uint64_t base)
{
    uint64_t bits = scratch->marks[word], count = cells->count;
    uint64_t *records = cells->records, *patterns = cells->patterns, *begins = cells->begins;

    scratch->marks[word] = 0;
    for (; bits != 0; bits &= bits - 1) {
        uint64_t pattern = 64 * word + (uint64_t)__builtin_ctzll(bits);

        TRAWL_ASSERT(count < cells->capacity);
        records[count] = record;
        patterns[count] = pattern;
        begins[count++] = base + scratch->offsets[pattern];
    }
    cells->count = count;
}

void cells_keep_marked(struct cells *cells, struct cell_scratch *scratch, uint64_t record,
                       uint64_t base)
{
    uint64_t words = (scratch->patterns + 63) / 64;

    if (scratch->patterns <= CELLS_MARKS_FEW) {
        for (uint64_t word = 0; word < words; word++)
            keep_word(cells, scratch, word, record, base);
        return;
    }
    for (uint64_t upper = 0; upper < (words + 63) / 64; upper++) {
        uint64_t bits = scratch->marks[words + upper];

        scratch->marks[words + upper] = 0;
        for (; bits != 0; bits &= bits - 1)
            keep_word(cells, scratch, 64 * upper + (uint64_t)__builtin_ctzll(bits), record, base);
    }
}

void cells_scratch_release(struct cell_scratch *scratch)
{
    memory_release(scratch->row, 2 * scratch->row_room, sizeof *scratch->row);
    memory_release(scratch->offsets, scratch->patterns, sizeof *scratch->offsets);
    if (scratch->marks != NULL)
        memory_release(scratch->marks, mark_words(scratch->patterns), sizeof *scratch->marks);
    memory_release(scratch, 1, sizeof *scratch);
}
