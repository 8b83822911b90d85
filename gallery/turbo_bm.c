/* turbo-bm: Boyer-Moore, which remembers the part of the window that matched before the last shift
 *
 * Published  M. Crochemore et al., "Speeding Up Two String-Matching Algorithms", Algorithmica 12
 *            (1994); SWIFT, section II, names it.
 * Fixed      nothing. After an occurrence, the part that the pattern's period leaves is remembered.
 * Memory     as bm.
 * Cost       n / m comparisons at best, 2 n at worst (n: the text's length, m: the pattern's).
 */
#include "gallery/gallery_host.h"

void gallery_turbo_bm_prepare(struct gallery_search *search)
{
    gallery_bm_prepare(search);
}

/* search->known: how many bytes of the window at search->at have matched; 0 for a new text. */
uint64_t gallery_turbo_bm_next(struct gallery_search *search, const uint8_t *text, uint64_t limit)
{
    const int64_t *good = search->table, m = (int64_t)search->count;
    int64_t known = (int64_t)search->known, shift = known > 0 ? good[0] : m;
    uint64_t x = search->at;

    while (x < limit) {
        int64_t i = m, bad, turbo; /* bytes [i, m) of the window match */

        while (i > 0 && text[x + (uint64_t)i - 1] == search->bytes[i - 1]) {
            i--;
            if (known > 0 && i == m - shift)
                i -= known;
        }
        if (i <= 0) {
            search->known = (uint64_t)(m - good[0]);
            search->at = x + (uint64_t)good[0];
            return x;
        }
        turbo = known - (m - i);
        bad = (int64_t)search->shift[text[x + (uint64_t)i - 1]] - (m - i);
        shift = bad > turbo ? bad : turbo;
        if (good[i] >= shift) {
            shift = good[i];
            known = m - shift < m - i ? m - shift : m - i;
        } else {
            if (turbo < bad && shift <= known)
                shift = known + 1;
            known = 0;
        }
        x += (uint64_t)shift;
    }
    search->at = limit;
    return UINT64_MAX;
}
