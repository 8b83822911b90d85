/* pages: builds and reads the filter of a text */
#include "plan/pages.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"

#define SAMPLE_PAGES 16u /* pages compared with each other, for plan_pages_sizes.alike_max */

#define ROWS_USUAL 8u     /* after so many rows, a slice usually has no page left */
#define BLOCK_GRAMS 1024u /* hashed together */
#define BLOCK_BYTES (BLOCK_GRAMS + 8u)

#define WORDS (PLAN_PAGE_ROWS / 64)
#define SLICE_WORDS (PLAN_SLICE_PAGES / 64)

#define SIZES                                                                       \
    {                                                                               \
        .page = PLAN_PAGE_BYTES, .text_min = PLAN_PAGES_TEXT_MIN, .alike_max = 0.9, \
        .kept_max = 0.6, .device_max = 0.2                                          \
    }
const struct plan_pages_sizes plan_pages_sizes_default = SIZES;
struct plan_pages_sizes plan_pages_sizes = SIZES;
#undef SIZES

/* ---- Build -------------------------------------------------------------------------------- */

static uint64_t count_bits(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    return ((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56;
}

/* Returns the bytes of a row of the slice: 64, or fewer in the last slice. */
static uint64_t row_bytes(const struct plan_pages *pages, uint64_t slice)
{
    return (min_u64(pages->count - slice * PLAN_SLICE_PAGES, PLAN_SLICE_PAGES) + 7) / 8;
}

static uint8_t *slice_rows(const struct plan_pages *pages, uint64_t slice)
{
    return pages->rows + slice * (PLAN_SLICE_PAGES / 8) * PLAN_PAGE_ROWS;
}

static inline uint16_t load16(const uint8_t *bytes)
{
    uint16_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Sets the bits of the first `count` grams of BLOCK_BYTES bytes, which are lower-case. The compiler
 * makes vectors of the first loop. */
static void set_rows(const uint8_t *bytes, uint64_t count, uint64_t bits[WORDS])
{
    uint16_t rows[2][BLOCK_GRAMS / 2]; /* by even and odd offsets */

    for (uint32_t odd = 0; odd < 2; odd++)
        for (uint32_t i = 0; i < BLOCK_GRAMS / 2; i++) {
            const uint8_t *gram = bytes + 2 * i + odd;

            rows[odd][i] = plan_page_row(load16(gram), load16(gram + 2), load16(gram + 4) & 0xff);
        }
    for (uint64_t i = 0; i < count / 2; i++) {
        bits[rows[0][i] / 64] |= UINT64_C(1) << rows[0][i] % 64;
        bits[rows[1][i] / 64] |= UINT64_C(1) << rows[1][i] % 64;
    }
    if (count % 2 == 1)
        bits[rows[0][count / 2] / 64] |= UINT64_C(1) << rows[0][count / 2] % 64;
}

/* Makes the bitmap of a page's grams. */
static void page_bits(const struct plan_pages *pages, uint64_t page, uint64_t bits[WORDS])
{
    const uint64_t from = page * pages->page_bytes, left = pages->bytes_count - from;
    const uint64_t readable = min_u64(pages->page_bytes + PLAN_PAGE_COVER - 1, left);
    const uint8_t *bytes = pages->bytes + from;
    uint8_t folded[BLOCK_BYTES];

    memset(bits, 0, WORDS * sizeof *bits);
    memset(folded, 0, sizeof folded);
    for (uint64_t i = 0; i + PLAN_PAGE_GRAM <= readable; i += BLOCK_GRAMS) {
        const uint64_t count = min_u64(readable - i - PLAN_PAGE_GRAM + 1, BLOCK_GRAMS);

        memcpy(folded, bytes + i, (size_t)(count + PLAN_PAGE_GRAM - 1));
        for (uint32_t k = 0; k < BLOCK_BYTES; k++)
            folded[k] = fold_byte(folded[k]);
        set_rows(folded, count, bits);
    }
}

/* Returns true if pages far from each other have mostly the same grams. */
static bool are_alike(const struct plan_pages *pages, struct plan_pages_scratch *scratch)
{
    const uint64_t sample = min_u64(pages->count, SAMPLE_PAGES);
    uint64_t own = 0, common = 0;

    for (uint64_t i = 0; i < sample; i++) {
        page_bits(pages, i * pages->count / sample, scratch->bits[i]);
        for (uint64_t w = 0; i > 0 && w < WORDS; w++) {
            own += count_bits(scratch->bits[i][w]);
            common += count_bits(scratch->bits[i][w] & scratch->bits[i - 1][w]);
        }
    }
    return sample > 1 && (double)common >= plan_pages_sizes.alike_max * (double)own;
}

bool plan_pages_open(struct plan_pages *pages, const uint8_t *bytes, uint64_t bytes_count,
                     struct plan_pages_scratch *scratch)
{
    *pages = (struct plan_pages){
        .bytes = bytes, .bytes_count = bytes_count, .page_bytes = plan_pages_sizes.page};
    if (bytes_count < plan_pages_sizes.text_min || bytes_count == 0)
        return false;
    pages->count = (bytes_count - 1) / pages->page_bytes + 1;
    return !are_alike(pages, scratch);
}

bool plan_pages_reserve(struct plan_pages *pages)
{
    uint64_t full, rest;

    full = pages->count / PLAN_SLICE_PAGES;
    rest = pages->count % PLAN_SLICE_PAGES;
    pages->rows_bytes = PLAN_PAGE_ROWS * (full * (PLAN_SLICE_PAGES / 8) + (rest + 7) / 8);
    return MEMORY_TABLE(pages->rows, pages->rows_bytes, NULL) == TRAWL_OK;
}

void plan_pages_close(struct plan_pages *pages)
{
    memory_release(pages->rows, pages->rows_bytes, 1);
    pages->rows = NULL;
}

/* Turns columns of a matrix of 64 x 64 bits into rows (Warren, Hacker's Delight, 7-3). */
static void transpose(uint64_t matrix[64])
{
    uint64_t mask = 0x00000000ffffffffull;

    for (uint32_t j = 32; j > 0; j /= 2, mask ^= mask << j)
        for (uint32_t k = 0; k < 64; k = ((k | j) + 1) & ~j) {
            const uint64_t swapped = (matrix[k] >> j ^ matrix[k | j]) & mask;

            matrix[k] ^= swapped << j;
            matrix[k | j] ^= swapped;
        }
}

void plan_pages_build(struct plan_pages *pages, uint64_t group, struct plan_pages_scratch *scratch)
{
    const uint64_t first = group * PLAN_GROUP_PAGES, slice = first / PLAN_SLICE_PAGES;
    const uint64_t width = row_bytes(pages, slice), at = first % PLAN_SLICE_PAGES / 8;
    const uint64_t count = min_u64(pages->count - first, PLAN_GROUP_PAGES);
    uint8_t *rows = slice_rows(pages, slice) + at;
    uint64_t matrix[64] = {0};

    for (uint64_t i = 0; i < count; i++)
        page_bits(pages, first + i, scratch->bits[i]);
    for (uint64_t w = 0; w < WORDS; w++) {
        for (uint64_t i = 0; i < 64; i++)
            matrix[i] = i < count ? scratch->bits[i][w] : 0;
        transpose(matrix);
        for (uint64_t i = 0; i < 64; i++)
            memcpy(rows + (w * 64 + i) * width, &matrix[i], (size_t)min_u64(8, width - at));
    }
}

/* ---- Search ------------------------------------------------------------------------------- */

uint32_t plan_pages_rows(const struct trawl_plan *plan, uint64_t pattern, uint16_t *rows)
{
    const bool varies = plan->utf8_is_set && (plan->flags & TRAWL_IGNORE_CASE) != 0;
    const uint8_t *bytes = plan->pattern_bytes + plan->pattern_begin[pattern];
    uint64_t left = plan->pattern_begin[pattern + 1] - plan->pattern_begin[pattern];
    uint64_t run = 0, end = 0; /* the last `run` bytes of the pattern never vary */
    uint8_t recent[PLAN_PAGE_GRAM] = {0};
    uint32_t count = 0;

    if ((plan->flags & TRAWL_WIDE) != 0)
        return 0; /* no bytes are in all occurrences */
    while (left > 0) {
        struct plan_element element = {.alternative_count = 1, .alternative_bytes_count = {1}};
        uint64_t taken = 1, widest = 1;

        element.alternative[0][0] = fold_byte(bytes[0]);
        if (varies)
            taken = plan_element_read(plan, bytes, left, &element);
        for (uint32_t i = 0; i < element.alternative_count; i++)
            widest = max_u64(widest, element.alternative_bytes_count[i]);
        bytes += taken;
        left -= taken;
        end += widest;
        if (end > PLAN_PAGE_COVER)
            break;
        run = element.alternative_count == 1 ? run : 0;
        for (uint64_t i = 0; i < widest && element.alternative_count == 1; i++) {
            memmove(recent, recent + 1, sizeof recent - 1);
            recent[sizeof recent - 1] = element.alternative[0][i];
            if (++run >= PLAN_PAGE_GRAM)
                rows[count++] = plan_page_row(load16(recent), load16(recent + 2), recent[4]);
        }
    }
    TRAWL_ASSERT(count <= PLAN_PAGE_ROWS_MAX);
    return count;
}

/* Sets *pages to those of the slice's pages that have all these rows. */
static void and_rows(const struct plan_pages *pages, uint64_t slice, const uint16_t *rows,
                     uint32_t count, uint64_t all[SLICE_WORDS])
{
    const uint64_t width = row_bytes(pages, slice);
    const uint8_t *begin = slice_rows(pages, slice);

    memset(all, 0xff, SLICE_WORDS * sizeof *all);
    for (uint32_t r = 0; r < count; r++) {
        uint64_t row[SLICE_WORDS] = {0}, any = 0;

        if (width == sizeof row)
            memcpy(row, begin + rows[r] * sizeof row, sizeof row);
        else
            memcpy(row, begin + rows[r] * width, (size_t)width);
        for (uint32_t w = 0; w < SLICE_WORDS; w++)
            any |= all[w] &= row[w];
        if (any == 0)
            return;
    }
}

/* Prefetches the rows that and_rows will probably read. */
static void fetch_rows(const struct plan_pages *pages, uint64_t slice, const uint16_t *rows,
                       uint32_t count)
{
    for (uint32_t r = 0; r < count && r < ROWS_USUAL; r++)
        __builtin_prefetch(slice_rows(pages, slice) + rows[r] * row_bytes(pages, slice));
}

/* Adds the pages of [first, end) in which the pattern may begin. Returns how many were not in
 * `kept`. */
static uint64_t keep_pattern(const struct plan_pages *pages, const uint16_t *rows, uint32_t count,
                             uint64_t first, uint64_t end, uint64_t *kept)
{
    uint64_t added = 0;

    for (uint64_t slice = first / PLAN_SLICE_PAGES; slice * PLAN_SLICE_PAGES < end; slice++) {
        uint64_t all[SLICE_WORDS];

        if ((slice + 1) * PLAN_SLICE_PAGES < end)
            fetch_rows(pages, slice + 1, rows, count);
        and_rows(pages, slice, rows, count, all);
        for (uint64_t w = 0, at = slice * PLAN_SLICE_PAGES; w < SLICE_WORDS && at < end;
             w++, at += 64) {
            if (all[w] == 0 || at + 64 <= first)
                continue;
            if (at < first)
                all[w] &= UINT64_MAX << (first - at);
            if (end - at < 64)
                all[w] &= (UINT64_C(1) << (end - at)) - 1;
            added += count_bits(all[w] & ~kept[at / 64]);
            kept[at / 64] |= all[w];
        }
    }
    return added;
}

bool plan_pages_keep(const struct plan_pages *pages, const struct trawl_plan *plan, uint64_t first,
                     uint64_t end, uint64_t max, uint64_t *kept, uint64_t *count)
{
    uint16_t rows[PLAN_PAGE_ROWS_MAX];

    TRAWL_ASSERT(first < end && end <= pages->count);
    *count = 0;
    if (plan->pattern_count > PLAN_PAGES_PATTERNS_MAX)
        return false;
    memset(kept + first / 64, 0, (size_t)((end - 1) / 64 - first / 64 + 1) * sizeof *kept);
    for (uint64_t i = 0; i < plan->pattern_count && *count <= max; i++) {
        const uint32_t row_count = plan_pages_rows(plan, i, rows);

        if (row_count == 0)
            return false;
        *count += keep_pattern(pages, rows, row_count, first, end, kept);
    }
    return *count <= max;
}

uint64_t plan_pages_trim(uint64_t *kept, uint64_t first, uint64_t end)
{
    uint64_t count = 0;

    kept[first / 64] &= UINT64_MAX << first % 64;
    if (end % 64 != 0)
        kept[end / 64] &= (UINT64_C(1) << end % 64) - 1;
    for (uint64_t w = first / 64; w * 64 < end; w++)
        count += count_bits(kept[w]);
    return count;
}
