/* memmem: the C library's function, called again a byte after each occurrence
 *
 * Published  the installed C library.
 * Fixed      nothing: memmem finds one occurrence, the loop all of them.
 * Memory     the C library's; each call builds tables anew.
 * Cost       a call for each occurrence and a last one; the C library decides the cost of a byte.
 */
#include "gallery/gallery_host.h"

#include <string.h>

void gallery_memmem_prepare(struct gallery_search *search)
{
    (void)search;
}

uint64_t gallery_memmem_next(struct gallery_search *search, const uint8_t *text, uint64_t limit)
{
    const uint8_t *found = NULL;

    if (search->at < limit)
        found = (const uint8_t *)memmem(text + search->at,
                                        (size_t)(limit - search->at - 1 + search->count),
                                        search->bytes, (size_t)search->count);
    search->at = found == NULL ? limit : (uint64_t)(found - text) + 1;
    return found == NULL ? UINT64_MAX : (uint64_t)(found - text);
}
