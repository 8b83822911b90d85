/* strstr: the C library's function, called again one place after each occurrence.
 *
 * Published  as the C library has it; the baseline of the C++ AMP string search sample, which calls
 *            it for each record and pattern.
 * Fixed      A string ends at its first NUL, a text does not: after each NUL the search goes on.
 *            A text need not end in a NUL: it is searched in copied steps that do. Patterns that
 *            hold a NUL are refused when the plan is built.
 * Memory     a copy of a step of the text, and of the pattern: strstr wants a NUL after both.
 * Cost       one call for each occurrence and for each NUL; what a byte costs is the C library's.
 *            The bytes from a string's last occurrence to its NUL are read twice: strlen finds it.
 */
#include "gallery/host.h"

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
