/* zhu-takaoka: Boyer-Moore, whose shifts of bad characters are those of the window's last two bytes
 *
 * Published  R. F. Zhu, T. Takaoka, "On Improving the Average Case of the Boyer-Moore String
 * Matching Algorithm", Journal of Information Processing 10 (1987); SWIFT, section II, names it.
 * Fixed      A pattern of one byte has no pairs, and moves by 1.
 * Memory     that of bm, and a shift for each pair of bytes, 512 KiB.
 * Cost       n / m comparisons at best, n * m at worst (n: the text's length, m: the pattern's);
 * the pairs take 65,536 + m steps to prepare.
 */
#include "gallery/gallery_host.h"

void gallery_zhu_takaoka_prepare(struct gallery_search *search)
{
    int64_t m = (int64_t)search->count, *pairs = search->table + 2 * (m + 1);

    gallery_bm_prepare(search);
    gallery_pairs_fill(pairs, m, search->bytes[0], m - 1);
    for (int64_t i = 1; i + 1 < m; i++)
        pairs[search->bytes[i - 1] * 256 + search->bytes[i]] = m - 1 - i;
}

uint64_t gallery_zhu_takaoka_next(struct gallery_search *search, const uint8_t *text,
                                  uint64_t limit)
{
    const int64_t *good = search->table, *pairs = good + 2 * (search->count + 1);
    uint64_t m = search->count, x = search->at;

    while (x < limit) {
        int64_t pair = m > 1 ? pairs[text[x + m - 2] * 256 + text[x + m - 1]] : 1;
        uint64_t j = m;

        while (j > 0 && text[x + j - 1] == search->bytes[j - 1])
            j--;
        if (j == 0) {
            search->at = x + (uint64_t)good[0];
            return x;
        }
        x += (uint64_t)(pair > good[j] ? pair : good[j]);
    }
    search->at = limit;
    return UINT64_MAX;
}
