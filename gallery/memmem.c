/* memmem: the C library's function, called again one place after each occurrence.
 *
 * Published  as the C library at hand has it.
 * Fixed      nothing: it finds one occurrence, the loop finds the rest.
 * Memory     the C library's own; each call makes its tables anew.
 * Cost       one call for each occurrence and one more; what a byte costs is the C library's.
 */
#include "gallery/host.h"

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
