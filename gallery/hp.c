/* hp: Horspool: compares the window's last byte, then the others from left to right. The last byte
 * says how far the window moves.
 *
 * Published  R. N. Horspool, "Practical fast searching in strings", Software: Practice and
 *            Experience 10 (1980); the HP of S. Shenoy, S. Nayak U., B. Neelima, "SWIFT", section
 *            II.C, and the multi-core CPU bars of its figures. bmh is the same algorithm as Han's
 *            paper has it: it compares the whole window from right to left, and moves the window by
 *            a single byte after an occurrence.
 * Fixed      nothing. Compares byte by byte, as bf and qs do, so that their times are comparable.
 * Memory     256 shifts.
 * Cost       n / m comparisons at best, n * m at worst (n: the text's length, m: the pattern's).
 */
#include "gallery/gallery_host.h"

void gallery_hp_prepare(struct gallery_search *search)
{
    for (uint32_t i = 0; i < 256; i++)
        search->shift[i] = search->count;
    for (uint64_t i = 0; i + 1 < search->count; i++)
        search->shift[search->bytes[i]] = search->count - 1 - i;
}

uint64_t gallery_hp_next(struct gallery_search *search, const uint8_t *text, uint64_t limit)
{
    const uint8_t *bytes = search->bytes;
    uint64_t last = search->count - 1, x = search->at;

    while (x < limit) {
        uint8_t byte = text[x + last];
        uint64_t next = x + search->shift[byte], j = byte == bytes[last] ? 0 : last + 1;

        while (j < last && text[x + j] == bytes[j])
            j++;
        if (j == last) {
            search->at = next;
            return x;
        }
        x = next;
    }
    search->at = limit;
    return UINT64_MAX;
}
