/* raita: Horspool, which compares the last, the first and the middle byte before the others
 *
 * Published  T. Raita, "Tuning the Boyer-Moore-Horspool String Searching Algorithm", Software:
 *            Practice and Experience 22 (1992); SWIFT, section II, names it.
 * Fixed      nothing.
 * Memory     256 shifts.
 * Cost       n / m comparisons at best, n * m at worst (n: the text's length, m: the pattern's).
 */
#include "gallery/gallery_host.h"

void gallery_raita_prepare(struct gallery_search *search)
{
    gallery_hp_prepare(search);
}

uint64_t gallery_raita_next(struct gallery_search *search, const uint8_t *text, uint64_t limit)
{
    const uint8_t *bytes = search->bytes;
    uint64_t last = search->count - 1, middle = search->count / 2, x = search->at;

    while (x < limit) {
        uint64_t next = x + search->shift[text[x + last]], j = 1;

        if (text[x + last] == bytes[last] && text[x] == bytes[0] &&
            text[x + middle] == bytes[middle]) {
            while (j < last && text[x + j] == bytes[j])
                j++;
            if (j >= last) {
                search->at = next;
                return x;
            }
        }
        x = next;
    }
    search->at = limit;
    return UINT64_MAX;
}
