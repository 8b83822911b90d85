/* strstr: the C library's function, called again a byte after each occurrence
 *
 * Published  the installed C library; the baseline of the C++ AMP string search sample, which calls
 *            strstr for each record and pattern.
 * Fixed      A string ends at the first NUL, a text does not: after each NUL, the search continues.
 *            A text need not end in a NUL, so strstr searches copies of its parts that do.
 *            plan_build rejects patterns that contain a NUL.
 * Memory     a copy of a part of the text, and of the pattern: strstr needs a NUL after both.
 * Cost       a call for each occurrence and for each NUL; the C library decides the cost of a
 *            byte. strlen finds the NUL, so the bytes from a string's last occurrence to the NUL
 *            are read twice.
 */
#include "gallery/gallery_host.h"

#include <string.h>

void gallery_strstr_prepare(struct gallery_search *search)
{
    (void)search;
}

uint64_t gallery_strstr_next(struct gallery_search *search, const uint8_t *text, uint64_t limit)
{
    while (search->at < limit) {
        const char *from = (const char *)text + search->at;
        const char *found = strstr(from, (const char *)search->bytes);

        if (found != NULL) {
            uint64_t x = search->at + (uint64_t)(found - from);

            search->at = x + 1;
            return x < limit ? x : UINT64_MAX;
        }
        search->at += strlen(from) + 1;
    }
    return UINT64_MAX;
}
