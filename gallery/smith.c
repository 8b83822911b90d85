/* smith: moves the window by the larger of Horspool's shift and Quick Search's
 *
 * Published  P. D. Smith, "Experiments with a Very Fast Substring Search Algorithm", Software:
 *            Practice and Experience 21 (1991); SWIFT, section II, names it.
 * Fixed      The byte after the last window is not read. Quick Search's shift of a byte is one more
 *            than Horspool's, except for the pattern's last byte, where it is 1: no second table.
 * Memory     256 shifts.
 * Cost       n / (m + 1) comparisons at best, n * m at worst (n: the text's length, m: the
 *            pattern's).
 */
#include "gallery/gallery_host.h"

void gallery_smith_prepare(struct gallery_search *search)
{
    gallery_hp_prepare(search);
}

uint64_t gallery_smith_next(struct gallery_search *search, const uint8_t *text, uint64_t limit)
{
    const uint8_t *bytes = search->bytes;
    uint64_t m = search->count, x = search->at;

    while (x < limit) {
        uint64_t next = search->shift[text[x + m - 1]], quick = 1, j = 0, here = x;

        if (x + 1 < limit && text[x + m] != bytes[m - 1])
            quick = search->shift[text[x + m]] + 1;
        x += next > quick ? next : quick;
        while (j < m && text[here + j] == bytes[j])
            j++;
        if (j == m) {
            search->at = x;
            return here;
        }
    }
    search->at = limit;
    return UINT64_MAX;
}
