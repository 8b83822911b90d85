/* lines: digests of chunks and their sum. */
#include "match/lines.h"

#include <string.h>

#include "base/bytes.h"

/* The first line end at or after `from`, `owned` if there is none. */
static uint64_t line_end_from(const struct line_input *input, uint64_t from)
{
    if (from >= input->owned)
        return input->owned;
    return from + bytes_find_either(input->bytes + from, input->owned - from, input->line_end,
                                    input->line_end_also);
}

/* Lines with a hit that end in this chunk, the one the chunk begins in not counted; *open_hit: has
 * the line after the last line end one? */
static uint64_t count_ended(const struct line_input *input, uint64_t i, bool *open_hit)
{
    uint64_t ended = 0;

    while (i < input->hit_count) {
        uint64_t end = line_end_from(input, input->hits[i].offset - input->hits_base);

        TRAWL_ASSERT(input->hits[i].offset >= input->hits_base);
        TRAWL_ASSERT(end <= input->owned);
        if (end == input->owned) {
            *open_hit = true;
            return ended;
        }
        ended++;
        while (i < input->hit_count && input->hits[i].offset - input->hits_base <= end)
            i++;
    }
    return ended;
}

/* The same where no two hits are in one line. */
static uint64_t count_ended_apart(const struct line_input *input, uint64_t i, bool *open_hit)
{
    uint64_t last = input->owned;

    TRAWL_ASSERT(input->one_per_line && i <= input->hit_count);
    while (last > 0 && input->bytes[last - 1] != input->line_end &&
           input->bytes[last - 1] != input->line_end_also)
        last--;
    *open_hit = /* in a mapped file that changes, the last hit may now lie in the first line */
        i < input->hit_count && input->hits[input->hit_count - 1].offset - input->hits_base >= last;
    TRAWL_ASSERT(i + *open_hit <= input->hit_count);
    return input->hit_count - i - *open_hit;
}

uint64_t lines_count_ends(const uint8_t *bytes, uint64_t count, uint8_t line_end,
                          uint8_t line_end_also)
{
    uint64_t ends = bytes_count_value(bytes, count, line_end);

    TRAWL_ASSERT(ends <= count);
    return line_end == line_end_also ? ends : ends + bytes_count_value(bytes, count, line_end_also);
}

void lines_digest(const struct line_input *input, bool count_line_ends, struct line_digest *digest)
{
    uint64_t first = line_end_from(input, 0), i = 0;

    TRAWL_ASSERT(first <= input->owned);
    memset(digest, 0, sizeof *digest);
    digest->has_bytes = input->owned > 0;
    if (first == input->owned) {
        digest->tail_hit = input->hit_count > 0;
        digest->tail_has_bytes = digest->has_bytes;
        return;
    }
    digest->has_line_end = true;
    digest->tail_has_bytes = input->bytes[input->owned - 1] != input->line_end &&
                             input->bytes[input->owned - 1] != input->line_end_also;
    TRAWL_ASSERT(input->hit_count == 0 || input->hits[0].offset >= input->hits_base);
    TRAWL_ASSERT(input->hit_count == 0 ||
                 input->hits[input->hit_count - 1].offset - input->hits_base < input->owned);
    while (i < input->hit_count && input->hits[i].offset - input->hits_base <= first)
        i++;
    digest->head_hit = i > 0;
    digest->inside_hit = input->one_per_line ? count_ended_apart(input, i, &digest->tail_hit)
                                             : count_ended(input, i, &digest->tail_hit);
    if (count_line_ends)
        digest->line_end_count =
            lines_count_ends(input->bytes, input->owned, input->line_end, input->line_end_also);
}

void lines_merge(struct line_count *count, const struct line_digest *digest)
{
    TRAWL_ASSERT(digest->has_line_end || digest->inside_hit + digest->line_end_count == 0);
    TRAWL_ASSERT(digest->has_bytes || !digest->tail_has_bytes);
    if (!digest->has_line_end) {
        count->open_hit |= digest->tail_hit;
        count->open_has_bytes |= digest->tail_has_bytes;
        return;
    }
    TRAWL_ASSERT(!count->invert || digest->line_end_count > digest->inside_hit);
    if (count->invert)
        count->count +=
            digest->line_end_count - digest->inside_hit - (count->open_hit || digest->head_hit);
    else
        count->count += digest->inside_hit + (count->open_hit || digest->head_hit);
    count->open_hit = digest->tail_hit;
    count->open_has_bytes = digest->tail_has_bytes;
}

void lines_end(struct line_count *count)
{
    if (count->open_has_bytes && count->open_hit != count->invert)
        count->count++;
    count->open_has_bytes = false;
    count->open_hit = false;
}
