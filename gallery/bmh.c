/* bmh: Boyer-Moore-Horspool, the window compared from right to left
 *
 * Published  Y. Han, "Accelerate String Searching Algorithm with GPU Using CUDA", algorithm 1, and
 *            the table of bad characters of section III. Differs from hp in the order of
 *            comparisons, and in the step of a single byte after an occurrence.
 * Fixed      The published listing writes N for both lengths and fills the table with N - i. If i
 *            counts from 0, such shifts pass over occurrences; if from 1, the last byte's shift is
 *            0. Here byte i of the pattern (counted from 0, without the last) shifts by m - 1 - i,
 *            and a byte that is not in the pattern by m.
 * Memory     256 shifts, filled in 256 + m steps.
 * Cost       n / m comparisons at best, n * m at worst (n: the text's length, m: the pattern's).
 */
#include "gallery/gallery_host.h"

void gallery_bmh_prepare(struct gallery_search *search)
{
    gallery_hp_prepare(search); /* the same shifts */
}

uint64_t gallery_bmh_next(struct gallery_search *search, const uint8_t *text, uint64_t limit)
{
    const uint8_t *bytes = search->bytes;
    uint64_t count = search->count, x = search->at;

    while (x < limit) {
        uint64_t j = count;

        while (j > 0 && text[x + j - 1] == bytes[j - 1])
            j--;
        if (j == 0) {
            search->at = x + 1;
            return x;
        }
        x += search->shift[text[x + count - 1]];
    }
    search->at = limit;
    return UINT64_MAX;
}
