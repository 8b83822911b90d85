/* rabin_karp: a rolling hash of the window; if it equals the pattern's, the bytes are compared
 *
 * Published  R. M. Karp, M. O. Rabin, "Efficient randomized pattern-matching algorithms", IBM
 *            Journal of Research and Development 31 (1987): bytes as digits, modulo a prime.
 * Fixed      The paper draws the prime at random, so that a false match is unlikely. Here it is
 *            2^32 - 5, and equal hashes are followed by a comparison byte by byte.
 * Memory     three numbers.
 * Cost       two remainders per position; up to m comparisons per position with an equal hash
 *            (m: the pattern's length).
 */
#include "gallery/rabin_karp.h"

#include <string.h>

#include "gallery/gallery_host.h"

void gallery_rabin_karp_prepare(struct gallery_search *search)
{
    search->hash = 0;
    for (uint64_t i = 0; i < search->count; i++)
        search->hash = rabin_karp_push(search->hash, search->bytes[i]);
    search->power = rabin_karp_power(search->count);
}

uint64_t gallery_rabin_karp_next(struct gallery_search *search, const uint8_t *text, uint64_t limit)
{
    uint64_t count = search->count, x = search->at;
    uint32_t rolling = search->rolling;

    if (x >= limit)
        return UINT64_MAX;
    if (!search->rolling_known) {
        rolling = 0;
        for (uint64_t i = 0; i < count; i++)
            rolling = rabin_karp_push(rolling, text[x + i]);
        search->rolling_known = true;
    }
    while (x < limit) {
        bool found = rolling == search->hash && memcmp(text + x, search->bytes, (size_t)count) == 0;

        if (x + 1 < limit) /* the byte after the last window may lie after the text */
            rolling = rabin_karp_roll(rolling, search->power, text[x], text[x + count]);
        x++;
        if (found) {
            search->at = x;
            search->rolling = rolling;
            return x - 1;
        }
    }
    search->at = limit;
    return UINT64_MAX;
}
