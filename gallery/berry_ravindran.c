/* berry-ravindran: the two bytes after the window say how far it moves
 *
 * Published  T. Berry, S. Ravindran, "A Fast String Matching Algorithm and Experimental Results",
 *            Prague Stringology Club Workshop 1999; SWIFT, section II, names it.
 * Fixed      Bytes after the last window are not read: the window then moves by 1.
 * Memory     a shift for each pair of bytes, 512 KiB.
 * Cost       n / (m + 2) comparisons at best, n * m at worst (n: the text's length, m: the
 *            pattern's); the pairs take 65,536 + m steps to prepare.
 */
#include "gallery/gallery_host.h"

void gallery_berry_ravindran_prepare(struct gallery_search *search)
{
    int64_t m = (int64_t)search->count, *pairs = search->table;

    gallery_pairs_fill(pairs, m + 2, search->bytes[0], m + 1);
    for (int64_t i = 0; i + 1 < m; i++)
        pairs[search->bytes[i] * 256 + search->bytes[i + 1]] = m - i;
    for (uint32_t i = 0; i < 256; i++)
        pairs[search->bytes[m - 1] * 256 + i] = 1;
}

uint64_t gallery_berry_ravindran_next(struct gallery_search *search, const uint8_t *text,
                                      uint64_t limit)
{
    uint64_t m = search->count, x = search->at;

    while (x < limit) {
        uint64_t j = 0, here = x;

        x += x + 2 < limit ? (uint64_t)search->table[text[x + m] * 256 + text[x + m + 1]] : 1;
        while (j < m && text[here + j] == search->bytes[j])
            j++;
        if (j == m) {
            search->at = x;
            return here;
        }
    }
    search->at = limit;
    return UINT64_MAX;
}
