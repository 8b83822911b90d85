/* bf: brute force: compares the first byte, then the others
 *
 * Published  S. Shenoy, S. Nayak U., B. Neelima, "SWIFT - A Performance Accelerated Optimized
 *            String Matching Algorithm for Nvidia GPUs", section II.C; the multi-core CPU bars of
 *            the figures.
 * Fixed      nothing.
 * Memory     only the text and the pattern.
 * Cost       up to m comparisons per position (m: the pattern's length).
 */
#include "gallery/gallery_host.h"

void gallery_bf_prepare(struct gallery_search *search)
{
    (void)search;
}

uint64_t gallery_bf_next(struct gallery_search *search, const uint8_t *text, uint64_t limit)
{
    const uint8_t *bytes = search->bytes;
    uint64_t count = search->count, x = search->at;

    for (; x < limit; x++) {
        uint64_t j = 1;

        if (text[x] != bytes[0])
            continue;
        while (j < count && text[x + j] == bytes[j])
            j++;
        if (j == count) {
            search->at = x + 1;
            return x;
        }
    }
    search->at = limit;
    return UINT64_MAX;
}
