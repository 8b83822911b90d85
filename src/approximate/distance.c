/* distance: counts mismatches, and computes edits by diagonals (Landau, Vishkin 1989) or by rows.
 *
 * On each diagonal of the table text × literal, paths with e errors reach a furthest row. The
 * search computes this row for e = 0 to k, with k + 1 comparisons per diagonal, whatever the
 * literal's length. Each comparison ends at the first difference: in a text unlike the literal, it
 * takes a few nanoseconds. With exact parts, the furthest path need not be the best one, so
 * rows of costs are computed instead, for many ends or spans at once.
 */
#include "approximate/distance.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "approximate/prices.def"

#define NOWHERE (INT32_MIN / 2) /* no path reaches the diagonal */
#define ROWS_MAX (DISTANCE_ENDS_MAX + 2 * TRAWL_ERRORS_MAX + 2)

void pair_begin(struct approx_pair *pair, const struct approximate *approximate)
{
    *pair = (struct approx_pair){.approximate = approximate};
}

void pair_literal(struct approx_pair *pair, uint32_t literal)
{
    const struct approximate *approximate = pair->approximate;
    const struct trawl_plan *plan = approximate->plan;
    uint64_t begin = approximate->symbol_begin[literal];

    TRAWL_ASSERT(literal < plan->literal_count);
    pair->literal = literal;
    pair->count = (int64_t)(approximate->symbol_begin[literal + 1] - begin);
    pair->symbols = approximate->symbols + begin;
    pair->exact = plan->errors.exact_count > 0 ? approximate->exact + begin : NULL;
    pair->bytes = plan->errors.alphabet != TRAWL_DNA && (plan->flags & TRAWL_IGNORE_CASE) == 0 &&
                          (int64_t)plan_literal_at(plan, literal).bytes_count == pair->count
                      ? plan_literal_bytes(plan, literal)
                      : NULL;
}

void pair_set_text(struct approx_pair *pair, const uint8_t *text, const uint32_t *characters,
                   int64_t begin, int64_t end)
{
    pair->text = text;
    pair->characters = characters;
    pair->plain = characters == NULL ? pair->bytes : NULL;
    pair->begin = begin;
    pair->end = end;
}

static uint32_t fold(uint32_t character)
{
    return character < 0x80 ? fold_byte((uint8_t)character) : character;
}

bool pair_equals_character(struct approx_pair *pair, uint32_t symbol, uint32_t character)
{
    const struct trawl_plan *plan = pair->approximate->plan;
    uint32_t variants[TRAWL_UTF8_VARIANTS_MAX], count;
    uint64_t key = ((uint64_t)symbol << 32 | character) << 1, *asked;
    bool equal = false;

    if (symbol == character)
        return true;
    if ((plan->flags & TRAWL_IGNORE_CASE) == 0)
        return false;
    if (fold(symbol) == fold(character))
        return true;
    if (!plan->utf8_is_set || symbol >= PLAN_NO_CHARACTER)
        return false;
    asked = &pair->asked[(symbol * 31 + character) % DISTANCE_ASKED];
    if ((*asked & ~UINT64_C(1)) == key)
        return (*asked & 1) != 0;
    count = plan->utf8.variants(plan->utf8.context, symbol, variants);
    for (uint32_t i = 0; i < count && i < TRAWL_UTF8_VARIANTS_MAX; i++)
        equal = equal || fold(variants[i]) == fold(character);
    *asked = key | equal;
    return equal;
}

static inline bool equals(struct approx_pair *pair, int64_t row, int64_t place)
{
    uint32_t symbol = pair->symbols[row];
    uint8_t byte;

    TRAWL_ASSERT(row >= 0 && row < pair->count && place >= pair->begin && place < pair->end);
    if (pair->characters != NULL)
        return pair_equals_character(pair, symbol, pair->characters[place]);
    byte = pair->text[place];
    if (pair->approximate->plan->errors.alphabet == TRAWL_CHARACTERS)
        return pair_equals_character(pair, symbol, byte);
    return (pair->approximate->classes[symbol][byte / 64] >> byte % 64 & 1) != 0;
}

/* Returns how many bytes of `difference`, the exclusive or of two 8-byte words, are not 0. */
static uint32_t different(uint64_t difference)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7full;
    uint64_t high_bits = ((((difference & low) + low) | difference) & ~low) >> 7;

    return (uint32_t)(high_bits * 0x0101010101010101ull >> 56);
}

uint32_t pair_mismatches(struct approx_pair *pair, int64_t begin)
{
    const uint32_t max = pair->approximate->errors_max;
    uint32_t mismatches = 0;
    int64_t i = 0;

    TRAWL_ASSERT(begin >= pair->begin && begin + pair->count <= pair->end);
    if (pair->plain != NULL && pair->exact == NULL)
        for (; i + 8 <= pair->count && mismatches <= max; i += 8)
            mismatches +=
                different(bytes_load64(pair->plain + i) ^ bytes_load64(pair->text + begin + i));
    for (; i < pair->count && mismatches <= max; i++)
        if (!equals(pair, i, begin + i))
            mismatches +=
                pair->exact != NULL && (pair->exact[i] & APPROX_EXACT_SYMBOL) != 0 ? max + 1 : 1;
    return mismatches <= max ? mismatches : max + 1;
}

/* Returns how many of the literal's symbols, beginning at `row`, equal the text's symbols beginning
 * at `place`. */
static int64_t equal_run(struct approx_pair *pair, int64_t row, int64_t place)
{
    int64_t max = min_i64(pair->count - row, pair->end - place), i = 0;

    if (pair->plain != NULL)
        return (int64_t)plan_mismatch(pair->approximate->plan, pair->plain + row,
                                      pair->text + place, (uint64_t)max);
    while (i < max && equals(pair, row + i, place + i))
        i++;
    return i;
}

/* Returns the furthest row that a path reaches on a diagonal with one more error, given the
 * furthest rows with one error less on this diagonal and its neighbours. The error replaces a
 * symbol (from `same`), inserts a symbol of the text (from `left`), or deletes a symbol (from
 * `right`). No path goes beyond row `last`, where the text ends. */
static int64_t next_row(const struct approx_pair *pair, int64_t last, int64_t left, int64_t same,
                        int64_t right)
{
    int64_t row = max_i64(max_i64(left, same + 1), right + 1);

    row = min_i64(row, min_i64(last, pair->count));
    return row < 0 ? NOWHERE : row;
}

/* rows[x] is the furthest row that a path has reached on diagonal first + x: the diagonal of paths
 * that begin at place first + x and neither insert nor delete symbols. Each error may move a path
 * to an adjacent diagonal. With fewer errors, more distant diagonals are also computed, because the
 * remaining errors may lead from there to an end in [from, to]. */
static void by_diagonals(struct approx_pair *pair, int64_t from, int64_t to, uint8_t *distances)
{
    const int64_t k = pair->approximate->errors_max, ends = to - from + 1, width = ends + 2 * k;
    const int64_t first = from - pair->count - k - 1;
    int32_t rows[ROWS_MAX];

    TRAWL_ASSERT(from >= pair->begin && to <= pair->end && ends <= (int64_t)DISTANCE_ENDS_MAX);
    memset(distances, (int)(k + 1), (size_t)ends);
    for (int64_t x = 0; x <= width + 1; x++)
        rows[x] = NOWHERE;
    for (int64_t errors = 0; errors <= k; errors++) {
        int64_t left = rows[errors];

        for (int64_t x = 1 + errors; x <= width - errors; x++) {
            int64_t same = rows[x], diagonal = first + x, row;

            if (errors == 0) /* a span (substring of the text) may begin anywhere */
                row = diagonal < pair->begin || diagonal > pair->end ? NOWHERE : 0;
            else
                row = next_row(pair, pair->end - diagonal, left, same, rows[x + 1]);
            if (row >= 0)
                row += equal_run(pair, row, diagonal + row);
            rows[x] = (int32_t)row;
            left = same;
            if (rows[x] == pair->count && x > k && x <= width - k && distances[x - k - 1] > errors)
                distances[x - k - 1] = (uint8_t)errors;
        }
    }
}

#define TABLE_WIDTH (DISTANCE_ENDS_MAX + 2 * TRAWL_ERRORS_MAX + 1)
#define TABLE_SYMBOLS 3
#define TABLE_BEFORE 16 /* how many symbols one step of row_insert inserts at most */
/* Begins a row: replaces the row's symbol (cell x follows from cell x of the row `before`), or
 * deletes it (from cell x + 1). Each costs `error`, and cells are at most `max`. Returns the
 * lowest cell. */
static uint8_t row_begin(const uint8_t *restrict before, const uint8_t *restrict differs,
                         int64_t width, uint8_t error, uint8_t max, uint8_t *restrict cells)
{
    uint8_t min = max;

    for (int64_t x = 0; x < width; x++) {
        uint8_t cell = (uint8_t)(before[x] + (differs[x] & error));
        uint8_t other = (uint8_t)(before[x + 1] + error);

        cell = cell < other ? cell : other;
        cells[x] = cell < max ? cell : max;
        min = cells[x] < min ? cells[x] : min;
    }
    return min;
}

/* Inserts `step` symbols of the text: cell x follows from cell x - step. */
static void row_insert(const uint8_t *restrict row, int64_t width, uint8_t step,
                       uint8_t *restrict cells)
{
    for (int64_t x = 0; x < width; x++) {
        uint8_t other = (uint8_t)(row[x - step] + step);

        cells[x] = row[x] < other ? row[x] : other;
    }
}

static void swap_rows(uint8_t **first, uint8_t **second)
{
    uint8_t *was = *first;

    *first = *second;
    *second = was;
}

/* Row r is for the literal's first r symbols. Its cell x is the lowest cost of a span that ends at
 * place first + x, or k + 1: as in by_diagonals, x is a diagonal. Cells before `low` are for places
 * before the text, and those from `high` on for places after `to`. A row is complete after
 * insertions of 1, 2, 4, ... symbols, whose sums include all numbers up to k. */
static void by_table(struct approx_pair *pair, int64_t from, int64_t to, uint8_t *distances)
{
    const int64_t k = pair->approximate->errors_max, width = to - from + 1 + 2 * k;
    const uint8_t none = (uint8_t)(k + 1);
    uint8_t room[3][TABLE_BEFORE + TABLE_WIDTH + 1], *before = room[0] + TABLE_BEFORE,
                                                     *cells = room[1] + TABLE_BEFORE,
                                                     *other = room[2] + TABLE_BEFORE;
    uint8_t differs[TABLE_WIDTH];

    TRAWL_ASSERT(from >= pair->begin && to <= pair->end && width <= TABLE_WIDTH);
    memset(distances, none, (size_t)(to - from + 1));
    memset(room, none, sizeof room);
    for (int64_t row = 0; row <= pair->count; row++, swap_rows(&before, &cells)) {
        const int64_t first = from - k - pair->count + row;
        const int64_t low = min_i64(max_i64(pair->begin - first, 0), width);
        const int64_t high = max_i64(min_i64(to + 1 - first, width), low);
        const bool is_exact =
            row > 0 && pair->exact != NULL && (pair->exact[row - 1] & APPROX_EXACT_SYMBOL) != 0;
        const bool inserts = row > 0 && (row == pair->count || pair->exact == NULL ||
                                         (pair->exact[row] & APPROX_EXACT_BEFORE) == 0);

        /* the place before the text has any value */
        for (int64_t x = low; row > 0 && x < high; x++)
            differs[x] = first + x > pair->begin && equals(pair, row - 1, first + x - 1) ? 0 : 0xff;
        if (row == 0)
            memset(cells + low, 0, (size_t)(high - low));
        else if (row_begin(before + low, differs + low, high - low, is_exact ? none : 1, none,
                           cells + low) == none)
            return;
        memset(cells + high, none, (size_t)(width - high));
        for (int64_t step = 1; inserts && step <= k; step *= 2, swap_rows(&cells, &other)) {
            row_insert(cells + low, high - low, (uint8_t)step, other + low);
            memset(other + high, none, (size_t)(width - high));
        }
    }
    memcpy(distances, before + k, (size_t)(to - from + 1));
}

/* Diagonals take a time for each error, a table for each symbol. */
void pair_distances(struct approx_pair *pair, int64_t from, int64_t to, uint8_t *distances)
{
    const int64_t k = pair->approximate->errors_max, begin = from;

    if (to - from >= TABLE_ENDS_MIN && pair->count <= TABLE_SYMBOLS * (k + 1)) {
        by_table(pair, from, to, distances);
        return;
    }
    by_diagonals(pair, from, to, distances);
    if (pair->exact == NULL)
        return;
    /* the distances are too small at most, so only these ends are left */
    while (from <= to && distances[from - begin] > k)
        from++;
    while (from < to && distances[to - begin] > k)
        to--;
    if (from <= to)
        by_table(pair, from, to, distances + (from - begin));
}

/* Computes the costs of spans row by row, from the literal's end back, for all spans at once (Wu,
 * Manber 1992): bit most + x of levels[e] is set if the span with x symbols more than the row has
 * costs at most e. */
void pair_spans(struct approx_pair *pair, int64_t end, uint32_t max, uint8_t costs[DISTANCE_SPANS])
{
    const int64_t available = end - pair->begin;
    uint64_t levels[TRAWL_ERRORS_MAX + 1], before, old;

    TRAWL_ASSERT(max <= TRAWL_ERRORS_MAX && available >= 0 && end <= pair->end);
    memset(costs, (int)(max + 1), 2 * max + 1);
    for (uint32_t e = 0; e <= max; e++)
        levels[e] = ((UINT64_C(2) << min_i64(e, available)) - 1) << max;
    for (int64_t row = pair->count - 1; row >= 0 && levels[max] != 0; row--) {
        const int64_t symbols = pair->count - row; /* left of the literal from this row on */
        const int64_t low = max_i64(max - symbols, 0), high = available - symbols + max;
        const uint64_t spans =
            high < low ? 0
                       : (UINT64_C(2) << min_i64(high, 2 * (int64_t)max)) - (UINT64_C(1) << low);
        const uint8_t exact = pair->exact == NULL ? 0 : pair->exact[row];
        const uint64_t change = (exact & APPROX_EXACT_SYMBOL) != 0 ? 0 : spans;
        const uint64_t insert = (exact & APPROX_EXACT_BEFORE) != 0 ? 0 : spans;
        uint64_t equal = 0;

        for (uint64_t left = levels[max] & spans; left != 0; left &= left - 1) {
            int64_t x = __builtin_ctzll(left), place = end - symbols - x + max;

            equal |= (uint64_t)(place < end && equals(pair, row, place)) << x;
        }
        before = levels[0];
        levels[0] &= equal;
        for (uint32_t e = 1; e <= max; e++) {
            old = levels[e];
            levels[e] =
                (old & equal) | ((before | before >> 1) & change) | (levels[e - 1] << 1 & insert);
            before = old;
        }
    }
    for (uint32_t e = 0; e <= max; e++)
        for (uint64_t left = levels[e] & ~(e > 0 ? levels[e - 1] : 0); left != 0; left &= left - 1)
            costs[__builtin_ctzll(left)] = (uint8_t)e;
}
