/* pages: the filter of a text that stays, which says in which pages a string cannot begin.
 *
 * A page is PLAN_PAGE_BYTES bytes of the text. Its bitmap has a bit for the hash of each gram (5
 * bytes, with A-Z as a-z) that begins in the page or in the next bytes: an occurrence that begins
 * in the page has its first 64 bytes there, so the page's bitmap has the bits of all their grams.
 * The bitmaps are stored by gram, as in BitFunnel (Goodwin et al. 2017): a *row* has a bit for each
 * page, and the rows of a string's grams, and-ed together, are the pages where the string may
 * begin. Rows of PLAN_SLICE_PAGES pages lie together, a *slice*, of which a row is a cache line:
 *
 *     slice 0: row 0 | row 1 | ... | row 65535    slice 1: row 0 | ...
 *
 * A bit a byte: the rows take an eighth of the text.
 */
#ifndef TRAWL_PLAN_PAGES_H
#define TRAWL_PLAN_PAGES_H

#include "plan/plan.h"

#define PLAN_PAGE_BYTES (1u << 16)
/* More patterns are searched for without the filter: each takes about 100 ns per slice, in which a
 * search of the slice's 32 MiB with all cores takes a third of a millisecond. */
#define PLAN_PAGES_PATTERNS_MAX 1024u
/* a shorter text is searched sooner than its filter could be asked */
#define PLAN_PAGES_TEXT_MIN (4u << 20)
#define PLAN_SLICE_PAGES 512u
#define PLAN_GROUP_PAGES                                                    \
    64u /* pages whose bitmaps are built, and then stored by gram, together \
         */
#define PLAN_PAGE_ROWS_MAX (PLAN_PAGE_COVER - PLAN_PAGE_GRAM + 1u)

/* The sizes in use, which tests change. */
struct plan_pages_sizes {
    uint64_t page;
    uint64_t text_min;
    /* A text gets no filter if a page's grams are in another page with at least this probability,
     * in a sample. DNA: 1.00; English, code, logs: 0.3 to 0.6. */
    double alike_max;
    /* A search of more than this share of the text reads all of it: with every second page left, in
     * pieces, it takes 0.6 to 0.9 of the time. */
    double kept_max;
    /* On a device, which copies what is left before it searches that: as kept_max. */
    double device_max;
};
extern const struct plan_pages_sizes plan_pages_sizes_default;
extern struct plan_pages_sizes plan_pages_sizes;

struct plan_pages {
    const uint8_t *bytes; /* the text; borrowed */
    uint64_t bytes_count;
    uint64_t page_bytes;
    uint64_t count; /* number of pages; the last one may be shorter */
    uint8_t *rows;  /* owned; NULL: a device has them */
    uint64_t rows_bytes;
};

/* The bitmaps of a group, page by page. The rows' length is no power of two, so that a column's
 * words are in different sets of a cache. */
struct plan_pages_scratch {
    uint64_t bits[PLAN_GROUP_PAGES][PLAN_PAGE_ROWS / 64 + 8];
};

/* Describes the text's pages, without rows. Returns false if the text is too short, or if a filter
 * would rule out little, judging by a sample of the text. */
bool plan_pages_open(struct plan_pages *pages, const uint8_t *bytes, uint64_t bytes_count,
                     struct plan_pages_scratch *scratch);
/* Allocates the rows, which plan_pages_build fills group by group. Returns false without memory. */
bool plan_pages_reserve(struct plan_pages *pages);
void plan_pages_close(struct plan_pages *pages);
/* Fills the rows of the pages of a group. Groups may be filled at the same time. */
void plan_pages_build(struct plan_pages *pages, uint64_t group, struct plan_pages_scratch *scratch);
/* Lists the rows of a pattern's grams, up to PLAN_PAGE_ROWS_MAX. Returns how many there are; 0: the
 * pattern may begin in any page. */
uint32_t plan_pages_rows(const struct trawl_plan *plan, uint64_t pattern, uint16_t *rows);
/* Sets bit i of kept[i / 64] for each page i of [first, end) in which a pattern of the plan may
 * begin, and *count to their number; `kept` is zeroed first, from the word of page `first` on.
 * Returns false if there are more than `max`, or if the patterns are too many. */
bool plan_pages_keep(const struct plan_pages *pages, const struct trawl_plan *plan, uint64_t first,
                     uint64_t end, uint64_t max, uint64_t *kept, uint64_t *count);
/* Clears the bits of pages outside of [first, end) in their words, and returns how many are set. */
uint64_t plan_pages_trim(uint64_t *kept, uint64_t first, uint64_t end);

#endif
