/* shift-or: Shift-Or: bit j is 0 if the text's last j + 1 bytes are the pattern's first
 *
 * Published  R. Baeza-Yates, G. H. Gonnet, "A New Approach to Text Searching", Communications of
 *            the ACM 35 (1992); SWIFT, section II.C, names it.
 * Fixed      A word has 64 bits. The bits stand for a longer pattern's first 64 bytes, and where
 *            these occur, the others are compared.
 * Memory     256 words of 64 bits: for each byte value, the bits of the places that differ.
 * Cost       n steps for patterns of up to 64 bytes, n * m at worst for longer ones (n: the text's
 *            length, m: the pattern's).
 */
#include <string.h>

#include "gallery/gallery_host.h"

static uint64_t bits(const struct gallery_search *search)
{
    return search->count < 64 ? search->count : 64;
}

void gallery_shift_or_prepare(struct gallery_search *search)
{
    memset(search->shift, 0xff, sizeof search->shift);
    for (uint64_t j = 0; j < bits(search); j++)
        search->shift[search->bytes[j]] &= ~(1ull << j);
}

/* search->known keeps the bits between calls, inverted: so it is 0 at the start of a text. They are
 * those after the byte before search->at + bits - 1. */
uint64_t gallery_shift_or_next(struct gallery_search *search, const uint8_t *text, uint64_t limit)
{
    uint64_t rest = bits(search) - 1, state = ~search->known;

    for (uint64_t x = search->at, i = x == 0 ? 0 : x + rest; i < limit + rest; i++) {
        state = state << 1 | search->shift[text[i]];
        if ((state >> rest & 1) != 0)
            continue;
        x = i - rest;
        if (memcmp(text + i + 1, search->bytes + rest + 1, (size_t)(search->count - rest - 1)) ==
            0) {
            search->at = x + 1;
            search->known = ~state;
            return x;
        }
    }
    search->at = limit;
    return UINT64_MAX;
}
