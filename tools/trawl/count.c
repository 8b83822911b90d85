/* count: line ends and line numbers. */
#include "trawl/count.h"

typedef uint8_t byte_vector __attribute__((vector_size(16)));

#define VECTOR_BYTES 16
#define VECTOR_ROUNDS_MAX 255 /* a lane counts to 255 */

/* The halves' bytes are added in pairs, then all at once by a product. */
static uint64_t lanes_sum(byte_vector lanes)
{
    const uint64_t even = UINT64_C(0x00ff00ff00ff00ff), ones = UINT64_C(0x0001000100010001);
    uint64_t words[2], sums = 0;

    memcpy(words, &lanes, sizeof words);
    for (int i = 0; i < 2; i++)
        sums += (words[i] & even) + (words[i] >> 8 & even);
    return sums * ones >> 48;
}

uint64_t count_byte(const uint8_t *bytes, uint64_t bytes_count, uint8_t byte)
{
    const byte_vector order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    uint64_t total = 0, i = 0;
    byte_vector wanted, loaded;

    memset(&wanted, byte, sizeof wanted);
    while (bytes_count - i >= VECTOR_BYTES) {
        uint64_t rounds = (bytes_count - i) / VECTOR_BYTES;
        byte_vector lanes = {0};

        if (rounds > VECTOR_ROUNDS_MAX)
            rounds = VECTOR_ROUNDS_MAX;
        for (uint64_t round = 0; round < rounds; round++, i += VECTOR_BYTES) {
            memcpy(&loaded, bytes + i, sizeof loaded);
            lanes -= (byte_vector)(loaded == wanted);
        }
        total += lanes_sum(lanes);
    }
    if (i < bytes_count && i > 0) { /* what is left, and before it what was counted */
        memcpy(&loaded, bytes + bytes_count - VECTOR_BYTES, sizeof loaded);
        loaded = (byte_vector)(loaded == wanted) &
                 (byte_vector)(order >= (uint8_t)(VECTOR_BYTES - (bytes_count - i)));
        return total + lanes_sum(loaded & 1);
    }
    for (; i < bytes_count; i++)
        total += bytes[i] == byte;
    return total;
}

void count_window_begin(struct text_scan *scan, const struct trawl_window *window)
{
    scan->window = window;
    scan->window_match = 0;
    scan->window_base = scan->line_end_count;
}

/* Go on from a match near `at`: what lies before it was counted by the thread that searched. Of
 * bytes in the window alone. */
static void count_from_match(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_begin,
                             uint64_t at)
{
    const struct trawl_window *window = scan->window;
    uint64_t begin;

    if (scan->counts_line_ends || window == NULL || window->line_ends_before == NULL ||
        bytes_begin < window->begin || bytes != window->bytes + (bytes_begin - window->begin))
        return;
    while (scan->window_match < window->match_count &&
           window->matches[scan->window_match].begin < at)
        scan->window_match++;
    if (scan->window_match == window->match_count)
        return;
    begin = window->matches[scan->window_match].begin;
    if (begin - at >= at - scan->counted_end)
        return;
    scan->counted_end = begin;
    scan->line_end_count = scan->window_base + window->line_ends_before[scan->window_match];
}

uint64_t line_number_at(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_begin,
                        uint64_t at)
{
    if (at > scan->counted_end)
        count_from_match(scan, bytes, bytes_begin, at);
    if (at > scan->counted_end)
        /* Of a window's later part: what comes before its bytes is there, too. */
        scan->line_end_count += count_byte(bytes + (int64_t)(scan->counted_end - bytes_begin),
                                           at - scan->counted_end, scan->settings->line_end);
    else if (at < scan->counted_end) /* of leading context */
        scan->line_end_count -= count_byte(bytes + (int64_t)(at - bytes_begin),
                                           scan->counted_end - at, scan->settings->line_end);
    scan->counted_end = at;
    return scan->line_end_count + 1;
}

void count_lines(struct text_scan *scan, uint64_t end, uint64_t line_ends)
{
    scan->counted_end = end;
    scan->line_end_count += line_ends;
}

void count_line_ends(struct text_scan *scan, const struct trawl_window *window)
{
    uint64_t end = window->begin + window->bytes_count;

    if (!scan->counts_line_ends) {
        scan->line_end_count = scan->window_base + window->line_end_count;
        scan->counted_end = end;
    } else if (!window->last) {
        (void)line_number_at(scan, window->bytes, window->begin, end);
    }
}
