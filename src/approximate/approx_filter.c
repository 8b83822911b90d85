/* approx_filter: makes the literals' rows, and searches for the literals in one thread.
 *
 * A row has a bit for each offset. With mismatches, the bit is set if the symbol at offset + shift
 * is not in the row's class. With edits, the shift is 0, and the bit is set if the symbol is in the
 * class. Literals share rows. With edits, the stretch (the part of the text that is searched at a
 * time) is divided into windows, which are searched in parallel, one in each lane of a vector. The
 * search of a window starts a few words before it, because its first results depend on these
 * (struct filter_windows).
 */
#include "approximate/approx_filter.h"

#include <string.h>

#include "approximate/approx_compile.h"
#include "approximate/filter_ops.h"
#include "base/checked.h"
#include "base/memory.h"

/* zero words before a plane, which the first windows read. A plane has a bit for each offset, set
 * if the byte there is in the plane's class. */
#define WORDS_BEFORE 2u
/* words after a plane that are loaded, but do not affect the result */
#define WORDS_AFTER (2u * FILTER_WINDOWS_MAX)
/* With edits, the 64-bit words of a row in addition to those of the stretch: for the windows that
 * begin before it, and for those that end after it. */
#define WINDOWS_WORDS (4u * FILTER_WINDOWS_MAX)

/* With mismatches, a stretch has fewer bytes, because more rows are in use at a time. */
#define STRETCH_MISMATCHES 4096u

/* The class and the shift of a row. With mismatches, row 0 has no bit set. */
struct row {
    uint16_t class_number;
    uint8_t shift;
};

/* A literal's rows: first those of exact symbols, which allow no error, then all others. With
 * mismatches, the number of these is padded with row 0 to a multiple of four. */
struct literal {
    uint64_t first;
    uint8_t symbols;
    uint8_t exact_count;
    uint8_t count; /* number of rows of symbols that are not exact, including the padding */
};

struct approx_filter {
    struct filter_class *classes;
    struct literal *literals;
    /* For each row of each literal: while rows are made, its number; afterwards, the index in
     * filter_rows.words at which it begins. */
    uint32_t *begins;
    uint64_t begins_count;
    uint64_t begins_room;
    uint64_t row_words;
    struct row rows[APPROX_CLASSES_MAX * FILTER_SYMBOLS_MAX + 1];
    uint32_t row_count;
    uint32_t class_count;
    uint32_t literal_count;
    uint32_t errors_max;
    uint32_t symbols_max;
    uint32_t bytes_max;
    bool edits;
};

struct approx_scan {
    /* the filter may be freed before approx_scan_close, which must not use it */
    const struct approx_filter *filter;
    const struct filter_ops *ops;
    uint64_t plane_words;
    uint64_t planes_words; /* words of all planes */
    uint64_t rows_words;   /* words of all rows */
    uint64_t *planes;
    struct filter_rows rows; /* row_count rows */
    uint32_t bytes;
    struct filter_windows windows;
    struct filter_vote vote;
};

/* ---- The literals -------------------------------------------------------------------------- */

void filter_class_make(const uint64_t has[4], struct filter_class *made)
{
    memset(made, 0, sizeof *made);
    memcpy(made->has, has, sizeof made->has);
    for (uint32_t b = 0; b < 256; b++)
        if ((has[b / 64] >> b % 64 & 1) != 0)
            made->nibbles[b / 128][b % 16] |= (uint8_t)(1u << b / 16 % 8);
}

/* Returns the number of the row with this class and shift. Makes the row if it is new. */
static uint16_t row_number(struct approx_filter *filter, uint16_t *known, uint32_t class_number,
                           uint32_t shift)
{
    uint16_t *number = &known[class_number * FILTER_SYMBOLS_MAX + shift];

    if (*number == UINT16_MAX) {
        *number = (uint16_t)filter->row_count;
        filter->rows[filter->row_count++] = (struct row){(uint16_t)class_number, (uint8_t)shift};
    }
    return *number;
}

static void add_literal(struct approx_filter *filter, const struct approximate *approximate,
                        uint32_t index, uint16_t *known)
{
    const uint64_t *begin = approximate->symbol_begin + index;
    struct literal *literal = &filter->literals[index];
    uint32_t symbols = (uint32_t)min_u64(begin[1] - begin[0], FILTER_SYMBOLS_MAX);
    uint64_t first = filter->edits ? begin[1] - symbols : begin[0];
    uint32_t *begins = filter->begins + filter->begins_count;
    uint32_t count = 0;

    TRAWL_ASSERT(begin[1] - begin[0] > filter->errors_max);
    *literal = (struct literal){.first = filter->begins_count};
    literal->symbols = (uint8_t)symbols;
    filter->symbols_max = (uint32_t)max_u64(filter->symbols_max, symbols);
    /* first the exact symbols, then the others */
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t j = 0; j < symbols; j++) {
            bool exact =
                !filter->edits && (approximate->exact[first + j] & APPROX_EXACT_SYMBOL) != 0;

            if (exact != (pass == 0))
                continue;
            begins[count++] =
                row_number(filter, known, approximate->class_of[first + j], filter->edits ? 0 : j);
        }
        if (pass == 0)
            literal->exact_count = (uint8_t)count;
    }
    while (!filter->edits && (count - literal->exact_count) % 4 != 0)
        begins[count++] = 0;
    literal->count = (uint8_t)(count - literal->exact_count);
    filter->begins_count += count;
}

/* Returns an upper bound on the rows of all literals: one for each compared symbol, and up to three
 * of padding per literal. */
static uint64_t begins_room(const struct approximate *approximate)
{
    const uint64_t *begin = approximate->symbol_begin;
    uint64_t room = 0;

    for (uint32_t i = 0; i < approximate->plan->literal_count; i++)
        room += min_u64(begin[i + 1] - begin[i], FILTER_SYMBOLS_MAX) + 3;
    return room;
}

static enum trawl_status make_literals(struct approx_filter *filter,
                                       const struct approximate *approximate,
                                       struct trawl_error *error)
{
    const uint64_t known_count = APPROX_CLASSES_MAX * FILTER_SYMBOLS_MAX;
    void *known;

    TRAWL_TRY(memory_allocate(known_count, sizeof(uint16_t), &known, error));
    memset(known, 0xff, known_count * sizeof(uint16_t));
    if (!filter->edits)
        filter->row_count = 1;
    for (uint32_t i = 0; i < filter->literal_count; i++)
        add_literal(filter, approximate, i, (uint16_t *)known);
    memory_release(known, known_count, sizeof(uint16_t));
    filter->bytes_max = filter->edits ? FILTER_BYTES_MAX : STRETCH_MISMATCHES;
    filter->row_words = filter->bytes_max / 64 + (filter->edits ? WINDOWS_WORDS : 0);
    for (uint64_t i = 0; i < filter->begins_count; i++)
        filter->begins[i] *= (uint32_t)filter->row_words;
    return TRAWL_OK;
}

enum trawl_status approx_filter_open(const struct approximate *approximate,
                                     struct approx_filter **filter_out, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct approx_filter *filter;

    TRAWL_ASSERT(approximate->class_count > 0 && approximate->errors_max < 32);
    TRAWL_TRY(MEMORY_ZEROED(filter, 1, error));
    filter->class_count = approximate->class_count;
    filter->literal_count = approximate->plan->literal_count;
    filter->errors_max = approximate->errors_max;
    filter->edits = approximate->edits;
    filter->begins_room = begins_room(approximate);
    TRAWL_TRY_DONE(MEMORY_NEW(filter->classes, filter->class_count, error));
    TRAWL_TRY_DONE(MEMORY_NEW(filter->literals, filter->literal_count, error));
    TRAWL_TRY_DONE(MEMORY_NEW(filter->begins, filter->begins_room, error));
    for (uint32_t c = 0; c < filter->class_count; c++)
        filter_class_make(approximate->classes[c], &filter->classes[c]);
    TRAWL_TRY_DONE(make_literals(filter, approximate, error));
    *filter_out = filter;
    filter = NULL;
done:
    approx_filter_close(filter);
    return status;
}

void approx_filter_close(struct approx_filter *filter)
{
    if (filter == NULL)
        return;
    memory_release(filter->classes, filter->class_count, sizeof *filter->classes);
    memory_release(filter->literals, filter->literal_count, sizeof *filter->literals);
    memory_release(filter->begins, filter->begins_room, sizeof *filter->begins);
    memory_release(filter, 1, sizeof *filter);
}

uint32_t approx_filter_bytes_max(const struct approx_filter *filter)
{
    return filter->bytes_max;
}

/* ---- A scan -------------------------------------------------------------------------------- */

const struct filter_ops *filter_ops_by_name(const char *name)
{
#if defined(__x86_64__) && !defined(TRAWL_ONLY_PORTABLE)
    if (name != NULL && strncmp(name, "avx512", 6) == 0)
        return &approx_filter_avx512;
    if (name != NULL && strcmp(name, "avx2") == 0)
        return &approx_filter_avx2;
#elif defined(__aarch64__) && !defined(TRAWL_ONLY_PORTABLE)
    if (name != NULL && strcmp(name, "neon") == 0)
        return &approx_filter_neon;
#endif
    (void)name;
    return &approx_filter_portable;
}

enum trawl_status approx_scan_open(const struct approx_filter *filter, const struct filter_ops *ops,
                                   struct approx_scan **scan_out, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct approx_scan *scan;

    TRAWL_TRY(MEMORY_ZEROED(scan, 1, error));
    scan->filter = filter;
    scan->ops = ops;
    scan->plane_words = WORDS_BEFORE + filter->bytes_max / 64 + WORDS_AFTER;
    scan->planes_words = filter->class_count * scan->plane_words;
    scan->rows_words = filter->row_count * filter->row_words;
    TRAWL_TRY_DONE(MEMORY_ZEROED(scan->planes, scan->planes_words, error));
    TRAWL_TRY_DONE(MEMORY_ZEROED(scan->rows.words, scan->rows_words, error));
    *scan_out = scan;
    scan = NULL;
done:
    approx_scan_close(scan);
    return status;
}

void approx_scan_close(struct approx_scan *scan)
{
    if (scan == NULL)
        return;
    memory_release(scan->planes, scan->planes_words, sizeof *scan->planes);
    memory_release(scan->rows.words, scan->rows_words, sizeof *scan->rows.words);
    memory_release(scan, 1, sizeof *scan);
}

/* Copies a plane's words to a row, in search-step order: each step has one word of each window. The
 * first `warm` steps have the words before the windows, the later steps those of the windows
 * themselves. */
static void make_windows(const uint64_t *plane, uint32_t window_count,
                         const struct filter_windows *windows, uint64_t *row)
{
    for (uint32_t l = 0; l < window_count; l++)
        for (uint64_t t = 0; t < windows->warm + windows->words; t++)
            row[t * window_count + l] = plane[l * windows->words + t];
}

void approx_scan_set_text(struct approx_scan *scan, const uint8_t *text, uint32_t bytes)
{
    const struct approx_filter *filter = scan->filter;
    const uint64_t words = (bytes + 63) / 64;
    const uint32_t lanes = scan->ops->windows;

    TRAWL_ASSERT(bytes <= filter->bytes_max);
    scan->bytes = bytes;
    scan->ops->planes(filter->classes, filter->class_count, text, bytes,
                      scan->planes + WORDS_BEFORE, scan->plane_words);
    if (filter->edits) {
        scan->windows.words = (words + lanes - 1) / lanes;
        scan->windows.warm = (filter->symbols_max + filter->errors_max + 63) / 64;
    } else {
        scan->rows.words_used = (words + lanes - 1) / lanes * lanes;
    }
    for (uint32_t r = filter->edits ? 0 : 1; r < filter->row_count; r++) {
        const uint64_t *plane =
            scan->planes + filter->rows[r].class_number * scan->plane_words + WORDS_BEFORE;
        uint64_t *row = scan->rows.words + r * filter->row_words;

        if (filter->edits)
            make_windows(plane - scan->windows.warm, lanes, &scan->windows, row);
        else
            scan->ops->shift(plane, filter->rows[r].shift, scan->rows.words_used, row);
    }
}

/* Clears the bits at `count` and after. Returns the number of bits that are still set. */
static uint32_t keep_bits(uint64_t *found, uint64_t words, uint64_t count)
{
    uint32_t kept = 0;

    for (uint64_t w = 0; w < words; w++) {
        if (64 * w >= count)
            found[w] = 0;
        else if (count - 64 * w < 64)
            found[w] &= (UINT64_C(1) << (count - 64 * w)) - 1;
        kept += (uint32_t)__builtin_popcountll(found[w]);
    }
    return kept;
}

uint32_t approx_scan_find(struct approx_scan *scan, uint32_t number, uint64_t *found)
{
    const struct approx_filter *filter = scan->filter;
    const struct literal *literal = &filter->literals[number];
    const uint32_t *begins = filter->begins + literal->first;
    const uint64_t words = (scan->bytes + 63) / 64;
    uint64_t offsets = scan->bytes;
    bool any;

    if (filter->edits) {
        any = scan->ops->edits(&scan->rows, begins, literal->count, filter->errors_max,
                               &scan->windows, words, &scan->vote, found);
    } else {
        any = offsets >= literal->symbols &&
              scan->ops->mismatches(&scan->rows, begins, literal->exact_count, literal->count,
                                    filter->errors_max, &scan->vote, found);
        offsets -= literal->symbols - 1;
    }
    return any ? keep_bits(found, words, offsets) : 0;
}
