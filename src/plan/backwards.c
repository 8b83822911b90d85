/* backwards: sorts strings by their bytes, from the last to the first. Takes the next KEY_BYTES
 * bytes of each string as a number (a key), and sorts the keys. Strings with equal keys and more
 * bytes are then sorted by their next keys. */
#include "plan/backwards.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

#define KEY_BYTES 7u
#define INSERTED_MAX 32u /* up to this many keys are sorted by insertion, more by counting */

struct key {
    /* The next KEY_BYTES bytes of the string, the first as the most significant; the lowest byte
     * says how many bytes the string has left, at most KEY_BYTES + 1. */
    uint64_t bytes;
    uint32_t string; /* index in the unsorted strings */
    uint32_t common; /* number of last bytes in common with the string before */
};

/* Keys `begin` to `end` - 1. Their strings agree in the last `depth` bytes, and are longer. */
struct range {
    uint32_t begin, end, depth;
};

static uint64_t key_bytes(const struct backwards *string, uint32_t depth)
{
    uint32_t left = string->bytes_count - depth;
    const uint8_t *end = string->end - depth;
    uint64_t bytes = 0;

    TRAWL_ASSERT(left > 0 && left <= string->bytes_count);
    if (left > KEY_BYTES) {
        memcpy(&bytes, end - sizeof bytes, sizeof bytes);
        return (bytes & ~0xffull) | (KEY_BYTES + 1);
    }
    for (uint32_t i = 1; i <= left; i++)
        bytes |= (uint64_t)end[-(int32_t)i] << (64 - 8 * i);
    return bytes | left;
}

/* Sorts keys by insertion. */
static void insert_keys(struct key *keys, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct key key = keys[i];
        uint32_t k = i;

        for (; k > 0 && keys[k - 1].bytes > key.bytes; k--)
            keys[k] = keys[k - 1];
        keys[k] = key;
    }
}

/* Sorts keys by counting, with one pass for each byte in which they differ. `other` is a buffer of
 * the same size as `keys`. */
static void count_keys(struct key *keys, struct key *other, uint32_t count)
{
    uint32_t counts[8][256] = {{0}};
    struct key *from = keys;

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t digit = 0; digit < 8; digit++)
            counts[digit][keys[i].bytes >> 8 * digit & 0xff]++;
    for (uint32_t digit = 0; digit < 8; digit++) {
        struct key *to = from == keys ? other : keys;
        uint32_t *at = counts[digit], sum = 0;

        if (at[from->bytes >> 8 * digit & 0xff] == count)
            continue;
        for (uint32_t value = 0; value < 256; value++) {
            uint32_t values = at[value];

            at[value] = sum;
            sum += values;
        }
        for (uint32_t i = 0; i < count; i++)
            to[at[from[i].bytes >> 8 * digit & 0xff]++] = from[i];
        from = to;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
}

/* Returns how many of their most significant bytes two different keys have in common. */
static uint32_t common_bytes(uint64_t a, uint64_t b)
{
    uint64_t least = min_u64(a & 0xff, b & 0xff);

    return (uint32_t)min_u64((uint64_t)__builtin_clzll(a ^ b) / 8, least);
}

/* Sorts the keys of a range. Writes to `left` the ranges of equal keys whose strings have more
 * bytes and so are still to be sorted. Returns the number of these ranges. */
static uint32_t sort_range(const struct backwards *strings, struct range range, struct key *keys,
                           struct key *other, struct range *left)
{
    uint32_t common = keys[range.begin].common, count = 0, first = range.begin;

    for (uint32_t i = range.begin; i < range.end; i++)
        keys[i].bytes = key_bytes(&strings[keys[i].string], range.depth);
    if (range.end - range.begin <= INSERTED_MAX)
        insert_keys(keys + range.begin, range.end - range.begin);
    else
        count_keys(keys + range.begin, other, range.end - range.begin);
    keys[range.begin].common = common;
    for (uint32_t i = range.begin + 1; i <= range.end; i++) {
        uint64_t bytes = keys[first].bytes;

        if (i < range.end && keys[i].bytes == bytes) {
            keys[i].common = range.depth + (uint32_t)(bytes & 0xff);
            continue;
        }
        if (i - first > 1 && (bytes & 0xff) > KEY_BYTES)
            left[count++] = (struct range){first, i, range.depth + KEY_BYTES};
        if (i < range.end)
            keys[i].common = range.depth + common_bytes(bytes, keys[i].bytes);
        first = i;
    }
    return count;
}

enum trawl_status backwards_sort(struct backwards *strings, uint32_t count,
                                 struct trawl_error *error)
{
    struct backwards *unsorted = NULL;
    struct key *keys = NULL;
    /* a stack of ranges, which do not overlap and have at least two keys each */
    struct range *ranges = NULL;
    enum trawl_status status = TRAWL_OK;
    uint32_t left = count > 0;

    TRAWL_TRY_DONE(MEMORY_NEW(unsorted, count, error));
    TRAWL_TRY_DONE(MEMORY_NEW(keys, 2ull * count, error));
    TRAWL_TRY_DONE(MEMORY_NEW(ranges, count, error));
    for (uint32_t i = 0; i < count; i++) {
        TRAWL_ASSERT(strings[i].bytes_count > 0);
        unsorted[i] = strings[i];
        keys[i] = (struct key){0, i, 0};
    }
    if (left > 0)
        ranges[0] = (struct range){0, count, 0};
    while (left > 0) {
        left--;
        left += sort_range(unsorted, ranges[left], keys, keys + count, ranges + left);
    }
    for (uint32_t i = 0; i < count; i++) {
        strings[i] = unsorted[keys[i].string];
        strings[i].common = keys[i].common;
    }
done:
    memory_release(unsorted, count, sizeof *unsorted);
    memory_release(keys, 2ull * count, sizeof *keys);
    memory_release(ranges, count, sizeof *ranges);
    return status;
}
