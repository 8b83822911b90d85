/* oracle_naive: two loops over begins and patterns, with whose matches most tests compare the
 * library's answers. */
#include "oracle_naive.h"

uint8_t naive_fold(uint8_t byte, uint32_t flags)
{
    return (flags & NAIVE_IGNORE_CASE) && byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + 32) : byte;
}

bool naive_ends_line(const struct naive_query *query, uint8_t byte)
{
    return byte == query->line_end || (query->has_line_end_also && byte == query->line_end_also);
}

bool naive_blocks(const struct naive_query *query, uint8_t c)
{
    bool word = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_';

    if (query->flags & NAIVE_WHOLE_LINE) /* then WHOLE_WORD changes nothing */
        return !naive_ends_line(query, c);
    return (query->flags & NAIVE_WHOLE_WORD) && word;
}

static bool occurs(const struct naive_query *query, struct naive_bytes text, uint64_t begin,
                   struct naive_bytes pattern)
{
    uint64_t end = begin + pattern.bytes_count;

    if (end > text.bytes_count)
        return false;
    for (uint64_t i = 0; i < pattern.bytes_count; i++)
        if (naive_fold(text.bytes[begin + i], query->flags) !=
            naive_fold(pattern.bytes[i], query->flags))
            return false;
    return (begin == 0 || !naive_blocks(query, text.bytes[begin - 1])) &&
           (end == text.bytes_count || !naive_blocks(query, text.bytes[end]));
}

uint64_t naive_matches(const struct naive_query *query, struct naive_bytes text,
                       struct naive_match *matches, uint64_t matches_max)
{
    uint64_t count = 0;

    for (uint64_t begin = 0; begin < text.bytes_count; begin++)
        for (uint64_t j = 0; j < query->pattern_count; j++)
            if (occurs(query, text, begin, query->patterns[j]) && count++ < matches_max)
                matches[count - 1] =
                    (struct naive_match){begin, begin + query->patterns[j].bytes_count, j};
    return count;
}

uint64_t naive_lines(const struct naive_query *query, struct naive_bytes text,
                     const struct naive_match *matches, uint64_t match_count, bool invert)
{
    uint64_t count = 0;

    for (uint64_t begin = 0, end, m = 0; begin < text.bytes_count; begin = end) {
        uint64_t m_before = m;
        for (end = begin + 1;
             end < text.bytes_count && !naive_ends_line(query, text.bytes[end - 1]);)
            end++;
        while (m < match_count && matches[m].begin < end)
            m++;
        count += (m > m_before) != invert;
    }
    return count;
}
