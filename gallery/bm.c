/* bm: Boyer-Moore: windows from right to left, moved by the larger of two shifts
 *
 * Published  R. S. Boyer, J. S. Moore, "A Fast String Searching Algorithm", Communications of the
 *            ACM 20 (1977), with the shifts of good suffixes of D. E. Knuth, J. H. Morris,
 *            V. R. Pratt (1977); Han's report and SWIFT, section II.C, describe it.
 * Fixed      nothing. After an occurrence the window moves by the pattern's period.
 * Memory     256 shifts of bad characters; 16 bytes for each byte of the pattern: table[j], how far
 *            the window moves if bytes [j, m) match and byte j - 1 does not; then the borders,
 *            from which these are made.
 * Cost       n / m comparisons at best, n * m at worst (n: the text's length, m: the pattern's).
 */
#include "gallery/gallery_host.h"

void gallery_bm_prepare(struct gallery_search *search)
{
    int64_t m = (int64_t)search->count, *good = search->table, *border = good + m + 1;
    int64_t i = m, j = m + 1;

    gallery_hp_prepare(search); /* the shifts of bad characters at the window's end */
    for (int64_t k = 0; k <= m; k++)
        good[k] = 0;
    for (border[i] = j; i > 0; border[--i] = --j) /* bytes [j, m) are the border of [i, m) */
        for (; j <= m && search->bytes[i - 1] != search->bytes[j - 1]; j = border[j])
            if (good[j] == 0)
                good[j] = j - i;
    j = border[0];
    for (i = 0; i <= m; i++) {
        if (good[i] == 0)
            good[i] = j;
        if (i == j)
            j = border[j];
    }
}

uint64_t gallery_bm_next(struct gallery_search *search, const uint8_t *text, uint64_t limit)
{
    uint64_t m = search->count, x = search->at;

    while (x < limit) {
        uint64_t j = m, good, bad;

        while (j > 0 && text[x + j - 1] == search->bytes[j - 1])
            j--;
        good = (uint64_t)search->table[j];
        if (j == 0) {
            search->at = x + good;
            return x;
        }
        bad = search->shift[text[x + j - 1]]; /* of the end; this byte is m - j before it */
        x += bad > m - j + good ? bad - (m - j) : good;
    }
    search->at = limit;
    return UINT64_MAX;
}
