/* qs: Quick Search: the byte after the window says how far the window moves
 *
 * Published  D. M. Sunday, "A Very Fast Substring Search Algorithm", Communications of the ACM 33
 *            (1990); the QS of S. Shenoy, S. Nayak U., B. Neelima, "SWIFT", section II.C, compared
 *            from right to left as in the example there.
 * Fixed      The byte after the last window lies after the text, and is not read.
 * Memory     256 shifts.
 * Cost       n / (m + 1) comparisons at best, n * m at worst (n: the text's length, m: the
 *            pattern's).
 */
#include "gallery/gallery_host.h"

void gallery_qs_prepare(struct gallery_search *search)
{
    for (uint32_t i = 0; i < 256; i++)
        search->shift[i] = search->count + 1;
    for (uint64_t i = 0; i < search->count; i++)
        search->shift[search->bytes[i]] = search->count - i;
}

uint64_t gallery_qs_next(struct gallery_search *search, const uint8_t *text, uint64_t limit)
{
    const uint8_t *bytes = search->bytes;
    uint64_t count = search->count, x = search->at;

    while (x < limit) {
        uint64_t j = count, next = limit;

        while (j > 0 && text[x + j - 1] == bytes[j - 1])
            j--;
        if (x + 1 < limit)
            next = x + search->shift[text[x + count]];
        if (j == 0) {
            search->at = next;
            return x;
        }
        x = next;
    }
    search->at = limit;
    return UINT64_MAX;
}
