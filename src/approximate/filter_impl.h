/* filter_impl: the functions of struct filter_ops, except `grams` (grams_impl.h), for vectors of
 * any width.
 *
 * A file defines VECTOR_BYTES before it includes this one. If the instruction set allows it, it
 * also defines TERNARY(a, b, c, table), which is any bitwise operation on three vectors, and
 * includes the look-ups of cpu/lookups.h. All other vector operations are plain C.
 *
 * Mismatches: a row belongs to a symbol of literals, and has a bit for each offset of the text, set
 * if the symbol differs there. Each offset has a counter of two to five bits. One vector holds one
 * bit of many counters, and another vector marks the counters that have overflowed. A counter
 * starts so high that mismatch number k + 1 overflows it. Carry-save adders add four rows at a
 * time.
 *
 * Edits: Myers, A fast bit-vector algorithm for approximate string matching based on dynamic
 * programming, 1999, for blocks as in Hyyro, A bit-vector algorithm for computing Levenshtein and
 * Damerau edit distances, 2003. A word holds 64 offsets of the text, not of the pattern, as in
 * sassy (Beeloo and Groot Koerkamp, 2025): all literals share the bits of the text, and once a row
 * of Sellers' table has no cell within k errors, the rows below are not needed.
 */
#ifndef TRAWL_APPROXIMATE_FILTER_IMPL_H
#define TRAWL_APPROXIMATE_FILTER_IMPL_H

#include <string.h>

#include "approximate/filter_ops.h"

#define VECTOR_WORDS (VECTOR_BYTES / 8u)
#define BLOCK_VECTORS (64u / VECTOR_BYTES) /* number of vectors for the bytes of 64 offsets */
#define WINDOWS (2 * VECTOR_WORDS)

#define INLINE static inline __attribute__((always_inline))

typedef uint64_t vector __attribute__((vector_size(VECTOR_BYTES)));
typedef int8_t signed_vector __attribute__((vector_size(VECTOR_BYTES)));

/* Functions of three bits. */
#define SUM(a, b, c) ((a) ^ (b) ^ (c))
#define CARRY(a, b, c) (((a) & (b)) | ((c) & ((a) ^ (b))))
#define OR_BOTH(a, b, c) ((a) | ((b) & (c)))
#define OR_NEITHER(a, b, c) ((a) | ~((b) | (c)))
#define XOR_THEN_OR(a, b, c) (((a) ^ (b)) | (c))
#ifdef TERNARY
/* A truth table in a byte: the function's result for each of the eight combinations of bits. */
#define THREE(what, a, b, c) TERNARY(a, b, c, (what(0xf0, 0xcc, 0xaa)) & 255)
#else
#define THREE(what, a, b, c) what(a, b, c)
#endif

INLINE vector vector_load(const uint64_t *words)
{
    vector loaded;

    memcpy(&loaded, words, sizeof loaded);
    return loaded;
}

INLINE void vector_store(uint64_t *words, vector stored)
{
    memcpy(words, &stored, sizeof stored);
}

INLINE vector vector_every(uint64_t word)
{
    return (vector){0} + word;
}

/* Returns true if any bit is set. */
INLINE bool vector_any(vector a)
{
#ifdef HAS_LOOKUP
    return bytes_any((bytes_vector)a);
#else
    uint64_t any = 0;

    for (uint32_t i = 0; i < VECTOR_WORDS; i++)
        any |= a[i];
    return any != 0;
#endif
}

/* Adapts vote->from: after this many groups of four rows, the search of a block first tests whether
 * some offset can still have an occurrence. The last block was tested `votes` times; `passed` means
 * that the last test found no such offset. In the long run, one block in nine is tested more than
 * once. */
INLINE void vote_move(struct filter_vote *vote, uint32_t votes, bool passed)
{
    if (votes > 1)
        vote->from++;
    else if (passed && vote->from > 0 && ++vote->passed % 8 == 0)
        vote->from--;
}

/* ---- Planes and rows ----------------------------------------------------------------------- */

#ifdef HAS_LOOKUP
static void make_planes(const struct filter_class *classes, uint32_t class_count,
                        const uint8_t *text, uint32_t bytes, uint64_t *planes, uint64_t plane_words)
{
    static const uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const bytes_vector bit_of = bytes_table(bits);

    for (uint32_t w = 0; w < (bytes + 63) / 64; w++) {
        bytes_vector low[BLOCK_VECTORS], high[BLOCK_VECTORS], bit[BLOCK_VECTORS];

        /* A lookup with an index above 127 returns 0. So a byte below 128 finds its bits in the
         * first table, and 0 in the second; for other bytes it is the reverse. */
        for (uint32_t v = 0; v < BLOCK_VECTORS; v++) {
            bytes_vector loaded;

            memcpy(&loaded, text + 64 * (uint64_t)w + v * VECTOR_BYTES, sizeof loaded);
            low[v] = loaded & 0x8f;
            high[v] = low[v] ^ 0x80;
            bit[v] = bytes_lookup(bit_of, loaded >> 4);
        }
        for (uint32_t c = 0; c < class_count; c++) {
            const bytes_vector first = bytes_table(classes[c].nibbles[0]);
            const bytes_vector second = bytes_table(classes[c].nibbles[1]);
            bytes_vector has[BLOCK_VECTORS];

            for (uint32_t v = 0; v < BLOCK_VECTORS; v++)
                has[v] = (bytes_lookup(first, low[v]) | bytes_lookup(second, high[v])) & bit[v];
            planes[c * plane_words + w] = bytes_mask(has);
        }
    }
}
#else
/* Makes the planes of eight classes at a time. (A class's plane has a bit for each byte of the
 * text, set if the byte is in the class.) First makes a byte for each offset, with a bit for each
 * of the eight classes. The multiplication then gathers the same bit of eight such bytes. */
static void make_planes(const struct filter_class *classes, uint32_t class_count,
                        const uint8_t *text, uint32_t bytes, uint64_t *planes, uint64_t plane_words)
{
    for (uint32_t first = 0; first < class_count; first += 8) {
        const uint32_t count = class_count - first < 8 ? class_count - first : 8;
        uint8_t has[256] = {0};

        for (uint32_t b = 0; b < 256; b++)
            for (uint32_t c = 0; c < count; c++)
                has[b] |= (uint8_t)((classes[first + c].has[b / 64] >> b % 64 & 1) << c);
        for (uint32_t w = 0; w < (bytes + 63) / 64; w++) {
            uint64_t bits[8] = {0};

            for (uint32_t i = 0; i < 64; i += 8) {
                uint64_t eight = 0;

                for (uint32_t j = 0; j < 8; j++)
                    eight |= (uint64_t)has[text[64 * (uint64_t)w + i + j]] << 8 * j;
                for (uint32_t c = 0; c < count; c++)
                    bits[c] |= (eight >> c & 0x0101010101010101u) * 0x0102040810204080u >> 56 << i;
            }
            for (uint32_t c = 0; c < count; c++)
                planes[(first + c) * plane_words + w] = bits[c];
        }
    }
}
#endif

static void make_row(const uint64_t *plane, uint32_t shift, uint64_t words, uint64_t *row)
{
    for (uint64_t w = 0; w < words; w += VECTOR_WORDS)
        vector_store(row + w, ~(vector_load(plane + w) >> shift | vector_load(plane + w + 1)
                                                                      << 1 << (63 - shift)));
}

/* ---- Mismatches ---------------------------------------------------------------------------- */

/* Adds the bits a and b to *sum, and returns the carry. */
INLINE vector add_two(vector *sum, vector a, vector b)
{
    vector carry = THREE(CARRY, a, b, *sum);

    *sum = THREE(SUM, *sum, a, b);
    return carry;
}

/* Adds the bits of four rows at `offset` to the counters. *over marks counters that overflow. */
INLINE void add_rows(const struct filter_rows *rows, const uint32_t *begins, uint64_t offset,
                     vector *sums, vector *over, const uint32_t bits)
{
    vector row[4], carry;

    for (uint32_t i = 0; i < 4; i++)
        row[i] = vector_load(rows->words + begins[i] + offset);
    carry = add_two(&sums[0], row[0], row[1]);
    carry = add_two(&sums[1], carry, add_two(&sums[0], row[2], row[3]));
    for (uint32_t b = 2; b + 1 < bits; b++) {
        vector next = sums[b] & carry;

        sums[b] ^= carry;
        carry = next;
    }
    if (bits > 2) {
        *over = THREE(OR_BOTH, *over, sums[bits - 1], carry);
        sums[bits - 1] ^= carry;
    } else {
        *over |= carry;
    }
}

INLINE bool count_mismatches(const struct filter_rows *rows, const uint32_t *begins,
                             uint32_t exact_count, uint32_t count, uint32_t errors_max,
                             struct filter_vote *vote, uint64_t *found, const uint32_t bits)
{
    const uint32_t start = (1u << bits) - 1 - errors_max;
    bool any = false;

    for (uint64_t w = 0; w < rows->words_used; w += WINDOWS) {
        vector sums[2][5], over[2] = {{0}, {0}};
        uint32_t votes = 0;
        bool passed = false;

        for (uint32_t b = 0; b < bits; b++)
            sums[0][b] = sums[1][b] = vector_every((uint64_t)0 - (start >> b & 1));
        for (uint32_t i = 0; i < exact_count; i++)
            for (uint32_t v = 0; v < 2; v++)
                over[v] |= vector_load(rows->words + begins[i] + w + v * VECTOR_WORDS);
        for (uint32_t i = 0;; i += 4) {
            if (i >= 4 * vote->from || i == count) {
                votes++;
                passed = !vector_any(~(over[0] & over[1]));
                if (passed || i == count)
                    break;
            }
            for (uint32_t v = 0; v < 2; v++)
                add_rows(rows, begins + exact_count + i, w + v * VECTOR_WORDS, sums[v], &over[v],
                         bits);
        }
        vote_move(vote, votes, passed);
        any |= !passed;
        vector_store(found + w, ~over[0]);
        vector_store(found + w + VECTOR_WORDS, ~over[1]);
    }
    return any;
}

static bool find_mismatches(const struct filter_rows *rows, const uint32_t *begins,
                            uint32_t exact_count, uint32_t count, uint32_t errors_max,
                            struct filter_vote *vote, uint64_t *found)
{
    if (errors_max < 4)
        return count_mismatches(rows, begins, exact_count, count, errors_max, vote, found, 2);
    if (errors_max < 8)
        return count_mismatches(rows, begins, exact_count, count, errors_max, vote, found, 3);
    if (errors_max < 16)
        return count_mismatches(rows, begins, exact_count, count, errors_max, vote, found, 4);
    return count_mismatches(rows, begins, exact_count, count, errors_max, vote, found, 5);
}

/* ---- Edits --------------------------------------------------------------------------------- */

/* The cells of Sellers' table for 64 offsets of each window, in the row of the symbol that was
 * added last. Bit i of `more` is set if cell i is one more than cell i - 1, and bit i of `less` if
 * it is one less. `left` is the cell before cell 0. */
struct sellers_cells {
    vector more[2], less[2], left[2];
};

/* A step searches 64 offsets of each window. This is the difference, at the last of them, between
 * the cell in a symbol's row and the cell above it, in the row of the symbol before. For each
 * window, `more` is 1 if the cell is one more than the cell above, `less` is 1 if it is one less,
 * and otherwise both are 0. */
struct column_deltas {
    vector more[2], less[2];
};

/* Computes the next symbol's row. On entry, *border is the difference at the offset before the
 * step; on return, at the step's last offset. */
INLINE void cells_add(struct sellers_cells *cells, const uint64_t *row,
                      struct column_deltas *border)
{
    for (uint32_t v = 0; v < 2; v++) {
        const vector more = cells->more[v], less = cells->less[v];
        const vector left_more = border->more[v], left_less = border->less[v];
        vector equal = vector_load(row + v * VECTOR_WORDS), same = equal | less;
        vector down_more, down_less;

        cells->left[v] += left_more - left_less;
        equal |= left_less;
        equal = THREE(XOR_THEN_OR, (equal & more) + more, more, equal);
        down_more = THREE(OR_NEITHER, less, equal, more);
        down_less = more & equal;
        border->more[v] = down_more >> 63;
        border->less[v] = down_less >> 63;
        down_more = down_more << 1 | left_more;
        down_less = down_less << 1 | left_less;
        cells->more[v] = THREE(OR_NEITHER, down_less, same, down_more);
        cells->less[v] = down_more & same;
    }
}

/* Counts the bits in each half of each byte. */
INLINE void half_counts(vector bits, signed_vector *low, signed_vector *high)
{
    vector pairs = bits - (bits >> 1 & 0x5555555555555555u), halves;

    halves = (pairs & 0x3333333333333333u) + (pairs >> 2 & 0x3333333333333333u);
    *low = (signed_vector)(halves & 0x0f0f0f0f0f0f0f0fu);
    *high = (signed_vector)(halves >> 4 & 0x0f0f0f0f0f0f0f0fu);
}

/* Returns in each byte the sum of that byte and the lower bytes of the same word. */
INLINE signed_vector sums_before(signed_vector bytes)
{
    for (uint32_t shift = 8; shift < 64; shift *= 2)
        bytes += (signed_vector)((vector)bytes << shift);
    return bytes;
}

/* Returns a value that is not 0 in the lanes of windows in which a cell may be within errors_max.
 * Uses a lower bound on the lowest cell: in half a byte, cells fall at most as often as the half
 * has bits of `less`. */
INLINE vector cells_open(const struct sellers_cells *cells, uint32_t v, uint32_t errors_max)
{
    signed_vector more_low, more_high, less_low, less_high, middle, sum, min, other, smaller;
    vector left = (cells->left[v] - errors_max - 1) & 0xff;

    half_counts(cells->more[v], &more_low, &more_high);
    half_counts(cells->less[v], &less_low, &less_high);
    middle = more_low - less_low;
    sum = middle + more_high - less_high;
    min = -less_low;
    other = middle - less_high;
    smaller = other < min;
    min = (other & smaller) | (min & ~smaller);
    for (uint32_t shift = 8; shift < 64; shift *= 2)
        left |= left << shift;
    min += sums_before(sum) - sum + (signed_vector)left;
    return (vector)min & 0x8080808080808080u;
}

/* Returns a bit for each of 64 cells, set if the cell is at most errors_max. */
static uint64_t cells_within(uint64_t more, uint64_t less, uint64_t left, uint32_t errors_max)
{
    uint64_t within = 0;

    for (uint32_t i = 0; i < 64; i++) {
        left += (more >> i & 1) - (less >> i & 1);
        within |= (uint64_t)(left <= errors_max) << i;
    }
    return within;
}

/* Writes which cells of the last row are at most errors_max into word `step` of each window. */
static bool cells_take(const struct sellers_cells *cells, const vector open[2], uint32_t errors_max,
                       uint64_t step, const struct filter_windows *windows, uint64_t words_total,
                       uint64_t *found)
{
    uint64_t any = 0;

    for (uint32_t lane = 0; lane < WINDOWS; lane++) {
        uint32_t v = lane / VECTOR_WORDS, i = lane % VECTOR_WORDS;
        uint64_t word = lane * windows->words + step;

        if (step >= windows->words || word >= words_total)
            continue;
        found[word] = open[v][i] == 0 ? 0
                                      : cells_within(cells->more[v][i], cells->less[v][i],
                                                     cells->left[v][i], errors_max);
        any |= found[word];
    }
    return any != 0;
}

/* Finds the offsets at which a literal ends within errors_max edits. A step computes the rows of 64
 * offsets of each window. At the left edge of a step, no row at or after `rows_open` has a cell
 * within errors_max, so the step ends with the first such row in which all 64 cells exceed
 * errors_max. For the rows below, the next step assumes that each cell at its left edge is one more
 * than the cell above: these exceed errors_max, as the true cells do. */
static bool find_edits(const struct filter_rows *rows, const uint32_t *begins, uint32_t count,
                       uint32_t errors_max, const struct filter_windows *windows,
                       uint64_t words_total, struct filter_vote *vote, uint64_t *found)
{
    const vector none = {0}, one = vector_every(1);
    const struct column_deltas grows = {{one, one}, {none, none}};
    struct column_deltas borders[FILTER_SYMBOLS_MAX];
    uint32_t rows_open = 0, rows_set = 0;
    bool any = false;

    for (uint32_t i = 0; i < count; i++)
        borders[i] = grows;
    memset(found, 0, words_total * sizeof *found);
    for (uint64_t t = 0; t < windows->warm + windows->words; t++) {
        struct sellers_cells cells = {{none, none}, {none, none}, {none, none}};
        /* empty: the first row seen that has no cell within errors_max; UINT32_MAX: none yet */
        uint32_t i = 0, votes = 0, empty = UINT32_MAX;
        vector open[2];

        for (;;) {
            if (i == count || (i >= 4 * vote->from && (empty > count || i >= rows_open))) {
                bool is_open;

                votes += empty > count;
                open[0] = cells_open(&cells, 0, errors_max);
                open[1] = cells_open(&cells, 1, errors_max);
                is_open = vector_any(open[0] | open[1]);
                if (!is_open && empty > count)
                    empty = i;
                if (i == count || (!is_open && i >= rows_open))
                    break;
            }
            for (uint32_t end = i + 4 < count ? i + 4 : count; i < end; i++)
                cells_add(&cells, rows->words + begins[i] + t * WINDOWS, &borders[i]);
        }
        vote_move(vote, votes, empty <= count);
        if (i == count && t >= windows->warm)
            any |= cells_take(&cells, open, errors_max, t - windows->warm, windows, words_total,
                              found);
        for (uint32_t j = i; j < rows_set; j++)
            borders[j] = grows;
        rows_set = i;
        /* At the right edge, no row at or after `empty` has a cell within k = errors_max errors.
         * There are at most 64 rows, and `empty` > k, because row i has cells of at most i. So a
         * path that enters at the left edge in row `empty` or later has fewer than 64 - k symbols
         * left, but needs at least 64 - k to reach the right edge, which is 64 offsets away. */
        rows_open = empty < count ? empty : count;
    }
    return any;
}

#define FILTER_OPS                                                              \
    {                                                                           \
        WINDOWS, make_planes, make_row, find_mismatches, find_edits, grams_scan \
    }

#endif
