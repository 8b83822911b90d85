/* backwards: sorts strings by their bytes, from the last to the first: quicksort into three ranges
 * by the next bytes [Bentley and Sedgewick, "Fast algorithms for sorting and searching strings",
 * 1997], which are kept in `common` meanwhile. */
#include "plan/backwards.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/status.h"

#define KEY_BYTES 3u
#define BAD_PIVOTS 40u

/* Returns the KEY_BYTES bytes before the last `depth`, then how many bytes the string has left, at
 * most KEY_BYTES + 1, as a number; of a string without more bytes, its number. */
static uint32_t key_of(const struct backwards *string, uint32_t depth)
{
    const uint32_t left = depth < string->bytes_count ? string->bytes_count - depth : 0;
    uint32_t key = (uint32_t)min_u64(left, KEY_BYTES + 1);

    for (uint32_t i = 1; i <= KEY_BYTES && i <= left; i++)
        key |= (uint32_t)string->end[-(int64_t)(depth + i)] << (32 - 8 * i);
    return left == 0 ? string->number : key;
}

static void swap(struct backwards *a, struct backwards *b)
{
    const struct backwards other = *a;

    *a = *b;
    *b = other;
}

static int compare_keys(const void *one, const void *other)
{
    const uint32_t a = ((const struct backwards *)one)->common,
                   b = ((const struct backwards *)other)->common;

    return (a > b) - (a < b);
}

/* Returns a key by which to divide the strings: one of them or, with `exact`, the median. */
static uint32_t pivot_of(struct backwards *strings, uint32_t count, bool exact)
{
    if (!exact)
        return strings[(uint32_t)(count * 0x9e3779b97f4a7c15ull >> 32) % count].common;
    qsort(strings, count, sizeof *strings, compare_keys);
    return strings[count / 2].common;
}

/* Sorts strings that agree in the last `depth` bytes, and whose keys are those of that depth. After
 * `bad` pivots that left nearly all strings on one side, takes medians: no list takes quadratic
 * time, or more than about 100 calls within each other. */
static void sort(struct backwards *strings, uint32_t count, uint32_t depth, uint32_t bad)
{
    while (count > 1) {
        const uint32_t key = pivot_of(strings, count, bad == 0);
        uint32_t less = 0, more = count, at = 0;

        while (at < more)
            if (strings[at].common < key)
                swap(&strings[less++], &strings[at++]);
            else if (strings[at].common > key)
                swap(&strings[at], &strings[--more]);
            else
                at++;
        bad -= bad > 0 && (less > count - count / 8 || more < count / 8);
        sort(strings, less, depth, bad);
        sort(strings + more, count - more, depth, bad);
        strings += less;
        count = more - less;
        depth += KEY_BYTES;
        for (uint32_t i = 0; count > 1 && i < count; i++)
            strings[i].common = key_of(&strings[i], depth);
    }
}

void backwards_sort(struct backwards *strings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        TRAWL_ASSERT(strings[i].bytes_count > 0);
        strings[i].common = key_of(&strings[i], 0);
    }
    sort(strings, count, 0, BAD_PIVOTS);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t max = i == 0
                           ? 0
                           : (uint32_t)min_u64(strings[i - 1].bytes_count, strings[i].bytes_count),
                 common = 0;

        while (common < max &&
               strings[i - 1].end[-1 - (int64_t)common] == strings[i].end[-1 - (int64_t)common])
            common++;
        strings[i].common = common;
    }
}
