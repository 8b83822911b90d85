/* naive: two loops, byte by byte, each place until one byte differs.
 *
 * Published  "wordSearchCPU" of the tutorial on wordSearchSimple (a word search in CUDA), the CPU
 *            side of its figure of search time against text length.
 * Fixed      There the last place is not looked at (i < n - m), and only the first occurrence is
 *            returned; here every place is, and every occurrence.
 * Memory     none beside the text and the pattern.
 * Cost       up to m comparisons per place.
 */
#include "gallery/host.h"

void gallery_naive_prepare(struct gallery_search *search)
{
    (void)search;
}

uint64_t gallery_naive_next(struct gallery_search *search, const uint8_t *text, uint64_t limit)
{
    for (uint64_t i = search->at; i < limit; i++) {
        bool match = true;

        for (uint64_t j = 0; j < search->count && match; j++)
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
