/* distance: counts mismatches, and computes edits by diagonals (Landau, Vishkin 1989) or by a
 * banded table.
 *
 * On each diagonal of the table text × literal, paths with e errors reach a furthest row. The
 * search computes this row for e = 0 to k, with k + 1 comparisons per diagonal, whatever the
 * literal's length. Each comparison ends at the first difference: in a text unlike the literal, it
 * takes a few nanoseconds. With exact parts, the furthest path need not be the best one, so
 * pair_spans computes a table of costs instead.
 */
#include "approximate/distance.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"

#define NOWHERE (INT32_MIN / 2) /* no path reaches the diagonal */
#define ROWS_MAX (DISTANCE_ENDS_MAX + 2 * TRAWL_ERRORS_MAX + 2)

void pair_open(struct approx_pair *pair, const struct approximate *approximate)
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

void pair_places(struct approx_pair *pair, const uint8_t *text, const uint32_t *characters,
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
    const uint32_t most = pair->approximate->errors_max;
    uint32_t mismatches = 0;
    int64_t i = 0;

    TRAWL_ASSERT(begin >= pair->begin && begin + pair->count <= pair->end);
    if (pair->plain != NULL && pair->exact == NULL)
        for (; i + 8 <= pair->count && mismatches <= most; i += 8)
            mismatches +=
                different(bytes_load64(pair->plain + i) ^ bytes_load64(pair->text + begin + i));
    for (; i < pair->count && mismatches <= most; i++)
        if (!equals(pair, i, begin + i))
            mismatches +=
                pair->exact != NULL && (pair->exact[i] & APPROX_EXACT_SYMBOL) != 0 ? most + 1 : 1;
    return mismatches <= most ? mismatches : most + 1;
}

/* Returns how many of the literal's symbols, beginning at `row`, equal the text's symbols beginning
 * at `place`. */
static int64_t equal_run(struct approx_pair *pair, int64_t row, int64_t place)
{
    int64_t most = min_i64(pair->count - row, pair->end - place), i = 0;

    if (pair->plain != NULL)
        return (int64_t)plan_mismatch(pair->approximate->plan, pair->plain + row,
                                      pair->text + place, (uint64_t)most);
    while (i < most && equals(pair, row + i, place + i))
        i++;
    return i;
}

/* Returns how many of the literal's symbols before `row`, counted backwards, equal the text's
 * symbols before `place`. */
static int64_t equal_run_before(struct approx_pair *pair, int64_t row, int64_t place)
{
    int64_t most = min_i64(row, place - pair->begin), i = 0;

    if (pair->plain != NULL)
        while (i + 8 <= most &&
               bytes_load64(pair->plain + row - i - 8) == bytes_load64(pair->text + place - i - 8))
            i += 8;
    while (i < most && equals(pair, row - i - 1, place - i - 1))
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
void pair_distances(struct approx_pair *pair, int64_t from, int64_t to, uint8_t *distances)
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

/* Adds symbol number `row` of the literal: computes the costs of the text's spans from the costs
 * `before` the symbol. A cost is the distance between a span and the part of the literal that has
 * been added. Returns the lowest cost. The band is the spans with up to `most` symbols more or
 * fewer than that part; costs[0] and costs[2 * most + 2] lie outside it. */
static uint32_t spans_step(struct approx_pair *pair, int64_t end, int64_t row, uint32_t most,
                           const uint8_t *before, uint8_t *costs)
{
    const uint8_t exact = pair->exact != NULL ? pair->exact[row] : 0;
    const int64_t available = end - pair->begin;
    uint32_t least = most + 1;

    costs[0] = costs[2 * most + 2] = (uint8_t)(most + 1);
    for (uint32_t x = 0; x <= 2 * most; x++) {
        int64_t symbols = pair->count - row + x - most; /* symbols of the span of the text */
        uint32_t cost = most + 1;

        if (before[x + 1] > most && before[x + 2] >= most && costs[x] >= most) {
            costs[x + 1] = (uint8_t)cost;
            continue;
        }
        if (symbols >= 0 && symbols <= available && (exact & APPROX_EXACT_SYMBOL) == 0)
            cost = before[x + 2] + 1u;
        if (symbols > 0 && symbols <= available) {
            if (cost > before[x + 1] && equals(pair, row, end - symbols))
                cost = before[x + 1];
            else if ((exact & APPROX_EXACT_SYMBOL) == 0 && cost > before[x + 1] + 1u)
                cost = before[x + 1] + 1u;
            if ((exact & APPROX_EXACT_BEFORE) == 0 && cost > costs[x] + 1u)
                cost = costs[x] + 1u;
        }
        costs[x + 1] = (uint8_t)(cost > most ? most + 1 : cost);
        least = cost < least ? cost : least;
    }
    return least;
}

static void spans_by_table(struct approx_pair *pair, int64_t end, uint32_t most, uint8_t *costs)
{
    uint8_t rows[2][DISTANCE_SPANS + 2];
    uint32_t least = 0;
    int64_t row = pair->count;

    memset(rows, (int)(most + 1), sizeof rows);
    for (uint32_t x = 0; x <= most && x <= end - pair->begin; x++)
        rows[row & 1][1 + most + x] = (uint8_t)x;
    while (row > 0 && least <= most) {
        row--;
        least = spans_step(pair, end, row, most, rows[(row + 1) & 1], rows[row & 1]);
    }
    if (least <= most)
        memcpy(costs, rows[0] + 1, 2 * most + 1);
}

/* Computes the costs of spans by diagonals, like pair_distances but backwards: rows are counted
 * from the literal's end, and diagonal x is for spans with x symbols more than the literal. */
static void spans_by_diagonals(struct approx_pair *pair, int64_t end, uint32_t most, uint8_t *costs)
{
    const int64_t width = most, available = end - pair->begin;
    int32_t rows[DISTANCE_SPANS + 2];

    for (int64_t i = 0; i < 2 * width + 3; i++)
        rows[i] = NOWHERE;
    for (int64_t errors = 0; errors <= width; errors++) {
        int64_t left = NOWHERE;

        for (int64_t x = -errors; x <= errors; x++) {
            int32_t *at = &rows[1 + width + x];
            int64_t same = *at, row = 0;

            if (errors > 0)
                row = next_row(pair, available - x, left, same, at[1]);
            if (row >= 0)
                row += equal_run_before(pair, pair->count - row, end - x - row);
            *at = (int32_t)row;
            left = same;
            if (row == pair->count && costs[width + x] > errors)
                costs[width + x] = (uint8_t)errors;
        }
    }
}

void pair_spans(struct approx_pair *pair, int64_t end, uint32_t most, uint8_t costs[DISTANCE_SPANS])
{
    TRAWL_ASSERT(most <= TRAWL_ERRORS_MAX && end >= pair->begin && end <= pair->end);
    memset(costs, (int)(most + 1), 2 * most + 1);
    (pair->exact != NULL ? spans_by_table : spans_by_diagonals)(pair, end, most, costs);
}
