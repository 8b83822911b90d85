/* naive: two loops compare each window of the text byte by byte, until a byte differs. naive-whole
 * (ours) compares all bytes of each window: the tutorial says that stopping "reduces search time
 * greatly".
 *
 * Published  "wordSearchCPU" of the tutorial on wordSearchSimple (a word search in CUDA), the CPU
 *            side of its plot of search times against text length.
 * Fixed      The tutorial skips the last position (i < n - m) and returns only the first
 *            occurrence; naive looks at every position and returns every occurrence.
 * Memory     only the text and the pattern.
 * Cost       up to m comparisons per position (m: the pattern's length).
 */
#include "gallery/gallery_host.h"

void gallery_naive_prepare(struct gallery_search *search)
{
    (void)search;
}

void gallery_naive_whole_prepare(struct gallery_search *search)
{
    (void)search;
}

static inline uint64_t naive(struct gallery_search *search, const uint8_t *text, uint64_t limit,
                             bool whole)
{
    for (uint64_t i = search->at; i < limit; i++) {
        bool match = true;

        for (uint64_t j = 0; j < search->count && (whole || match); j++)
            if (text[i + j] != search->bytes[j])
                match = false;
        if (match) {
            search->at = i + 1;
            return i;
        }
    }
    search->at = limit;
    return UINT64_MAX;
}

uint64_t gallery_naive_next(struct gallery_search *search, const uint8_t *text, uint64_t limit)
{
    return naive(search, text, limit, false);
}

uint64_t gallery_naive_whole_next(struct gallery_search *search, const uint8_t *text,
                                  uint64_t limit)
{
    return naive(search, text, limit, true);
}
