/* empty: finds where expressions match the empty string, by searching short test lines. */
#include "trawl/options/patterns.h"
#include "trawl/text/calls.h"

#include <string.h>

enum neighbour patterns_neighbour(const uint8_t *bytes, uint64_t count, uint64_t at)
{
    if (at >= count) /* UINT64_MAX is before the first byte */
        return NEIGHBOUR_NONE;
    if ((bytes[at] >= '0' && bytes[at] <= '9') || bytes[at] == '_' ||
        ((bytes[at] | 0x20) >= 'a' && (bytes[at] | 0x20) <= 'z'))
        return NEIGHBOUR_WORD;
    return bytes[at] < 0x80 && bytes[at] != '\n' && bytes[at] != '\r' ? NEIGHBOUR_OTHER
                                                                      : NEIGHBOUR_ASKS;
}

uint32_t patterns_empty_between(const struct trawl_plan *plan, uint64_t expression)
{
    static const char *const lines[] = {"", "a", " ", "aa", "  ", "a ", " a"};
    uint32_t between = 0;
    struct trawl_range group;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (uint64_t at = 0, count = strlen(lines[i]); at <= count; at++) {
            const uint8_t *line = (const uint8_t *)lines[i];
            struct trawl_range none = {at, at};

            if (groups_of_match(plan, expression, line, count, none, &group, 1, NULL) == TRAWL_OK &&
                group.begin != UINT64_MAX)
                between |= 1u << (NEIGHBOURS * patterns_neighbour(line, count, at - 1) +
                                  patterns_neighbour(line, count, at));
        }
    return between;
}

void patterns_find_empty(struct patterns *patterns, const struct trawl_plan *plan)
{
    const uint32_t all = (1u << NEIGHBOURS * NEIGHBOURS) - 1;
    struct trawl_plan_told told = {.size = sizeof told};
    struct trawl_range group;

    if (trawl_plan_tell(plan, &told, NULL) != TRAWL_OK)
        return;
    patterns->empty_between = 0;
    patterns->empty_everywhere = false;
    for (uint64_t i = 0; i < told.pattern_count; i++) {
        const uint32_t between = patterns_empty_between(plan, i);

        patterns->empty_from = patterns->empty_between == 0 ? i : patterns->empty_from;
        patterns->empty_to = between != 0 ? i + 1 : patterns->empty_to;
        patterns->empty_between |= between;
        /* \B does not match inside a character */
        patterns->empty_everywhere |=
            told.pcre == 0 && between == all &&
            groups_of_match(plan, i, "\xc3\xa9", 2, (struct trawl_range){1, 1}, &group, 1, NULL) ==
                TRAWL_OK &&
            group.begin != UINT64_MAX;
    }
    patterns->finds_empty = told.pcre > 1 || patterns->empty_between != 0;
}
