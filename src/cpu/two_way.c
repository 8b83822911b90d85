/* two_way: searches for a single literal in linear time, using its critical factorization: the
 * literal is split at a position where each mismatch allows a long shift (two_way.h). */
#include "cpu/two_way.h"

#include "base/checked.h"

void two_way_begin(struct two_way *search, const uint8_t *bytes, uint64_t count, uint64_t critical,
                   uint64_t period, bool fold, uint64_t from)
{
    TRAWL_ASSERT(critical < count && period <= count);
    search->bytes = bytes;
    search->count = count;
    search->critical = critical;
    search->period = period;
    search->fold = fold;
    search->at = from;
    search->memory = 0;
}

static inline bool equal_at(const struct two_way *search, const uint8_t *text, uint64_t i)
{
    uint8_t byte = text[search->at + i];

    TRAWL_ASSERT(i < search->count);
    return search->bytes[i] == (search->fold ? fold_byte(byte) : byte);
}

uint64_t two_way_next(struct two_way *search, const uint8_t *text, uint64_t limit)
{
    uint64_t critical = search->critical, count = search->count;

    while (search->at < limit) {
        uint64_t i = max_u64(critical, search->memory), begin = search->at;

        TRAWL_ASSERT(search->memory < count);
        while (i < count && equal_at(search, text, i))
            i++;
        /* The right part differs: move the literal's split past the mismatch. */
        if (i < count) {
            search->at += i - critical + 1;
            search->memory = 0;
            continue;
        }
        i = critical;
        while (i > search->memory && equal_at(search, text, i - 1))
            i--;
        if (search->period > 0) {
            bool found = i <= search->memory;

            search->at += search->period;
            search->memory = count - search->period;
            TRAWL_ASSERT(search->at > begin && search->period <= count);
            if (found)
                return begin;
        } else {
            search->at += max_u64(critical, count - critical) + 1;
            if (i == 0)
                return begin;
        }
    }
    return UINT64_MAX;
}
