/* kmp: Knuth-Morris-Pratt: after a mismatch, the bytes that matched say where the window can go
 *
 * Published  D. E. Knuth, J. H. Morris, V. R. Pratt, "Fast Pattern Matching in Strings", SIAM
 *            Journal on Computing 6 (1977), with the improved table of section 2; named in
 *            Han's introduction and in SWIFT, section II.C.
 * Fixed      nothing. The paper counts from 1 and writes 0 where this table has -1.
 * Memory     table[j], 8 bytes each: if byte j differs, byte table[j] is compared next, at the same
 *            place; -1: byte 0, one place on. table[m] is for an occurrence.
 * Cost       at most 2 n comparisons (n: the text's length), and m steps for the table.
 */
#include "gallery/gallery_host.h"

void gallery_kmp_prepare(struct gallery_search *search)
{
    const uint8_t *bytes = search->bytes;
    int64_t *table = search->table, count = (int64_t)search->count, border = -1;

    for (int64_t j = 0; j < count; j++) { /* bytes [0, border) are the longest border of [0, j) */
        table[j] = border >= 0 && bytes[j] == bytes[border] ? table[border] : border;
        while (border >= 0 && bytes[j] != bytes[border])
            border = table[border];
        border++;
    }
    table[count] = border;
}

/* search->known: how many bytes of the window at search->at are known to match. */
uint64_t gallery_kmp_next(struct gallery_search *search, const uint8_t *text, uint64_t limit)
{
    uint64_t x = search->at, j = search->known;

    while (x < limit) {
        int64_t next;
        uint64_t found = x;

        while (j < search->count && text[x + j] == search->bytes[j])
            j++;
        next = search->table[j];
        x += (uint64_t)((int64_t)j - next);
        if (j == search->count) {
            search->at = x;
            search->known = (uint64_t)next;
            return found;
        }
        j = next < 0 ? 0 : (uint64_t)next;
    }
    search->at = limit;
    return UINT64_MAX;
}
