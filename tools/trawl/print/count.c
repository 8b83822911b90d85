/* count: counts line ends and computes line numbers. */
#include "trawl/print/count.h"

/* A one-byte counter counts up to 255. With such counters, the compiler turns the loop into vector
 * instructions on bytes. */
#define PART_BYTES_MAX 255u

uint64_t count_byte(const uint8_t *bytes, uint64_t bytes_count, uint8_t byte)
{
    uint64_t total = 0;

    while (bytes_count > 0) {
        uint64_t part = bytes_count < PART_BYTES_MAX ? bytes_count : PART_BYTES_MAX;
        uint8_t sum = 0;

        for (uint64_t i = 0; i < part; i++)
            sum = (uint8_t)(sum + (bytes[i] == byte));
        total += sum;
        bytes += part;
        bytes_count -= part;
    }
    return total;
}

/* Moves counting.end, up to which line ends were counted, to the first match at or after `at`, if
 * `bytes` are in the window and the match is nearer to `at` than counting.end is: the library has
 * counted the line ends before each match. */
static void count_from_match(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_begin,
                             uint64_t at)
{
    const struct trawl_window *window = scan->window;
    uint64_t begin;

    if (scan->counting.counts || window == NULL || window->line_ends_before == NULL ||
        bytes_begin < window->begin || bytes != window->bytes + (bytes_begin - window->begin))
        return;
    while (scan->counting.match < window->match_count &&
           window->matches[scan->counting.match].begin < at)
        scan->counting.match++;
    if (scan->counting.match == window->match_count)
        return;
    begin = window->matches[scan->counting.match].begin;
    if (begin - at >= at - scan->counting.end)
        return;
    scan->counting.end = begin;
    scan->counting.line_ends = scan->counting.base + window->line_ends_before[scan->counting.match];
}

uint64_t line_number_at(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_begin,
                        uint64_t at)
{
    if (at > scan->counting.end)
        count_from_match(scan, bytes, bytes_begin, at);
    if (at > scan->counting.end)
        /* The bytes before `bytes` are in memory, too: `bytes` is a later part of a window. */
        scan->counting.line_ends += count_byte(bytes + (int64_t)(scan->counting.end - bytes_begin),
                                               at - scan->counting.end, scan->counting.line_end);
    else if (at < scan->counting.end) /* `at` is in leading context, which was counted already */
        scan->counting.line_ends -= count_byte(bytes + (int64_t)(at - bytes_begin),
                                               scan->counting.end - at, scan->counting.line_end);
    scan->counting.end = at;
    return scan->counting.line_ends + 1;
}

void count_add_line_ends(struct text_scan *scan, uint64_t end, uint64_t line_ends)
{
    scan->counting.end = end;
    scan->counting.line_ends += line_ends;
}

void count_end_window(struct text_scan *scan, const struct trawl_window *window)
{
    uint64_t end = window->begin + window->bytes_count;

    if (!scan->counting.counts) {
        scan->counting.line_ends = scan->counting.base + window->line_end_count;
        scan->counting.end = end;
    } else if (!window->last) {
        (void)line_number_at(scan, window->bytes, window->begin, end);
    }
}
