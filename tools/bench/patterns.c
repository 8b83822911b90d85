/* patterns: see patterns.h. */
#include <stdlib.h>
#include <string.h>

#include "bench/patterns.h"
#include "bench/util.h"

struct trawl_pattern *patterns_pieces(const uint8_t *text, uint64_t text_bytes, uint64_t count,
                                      uint64_t least, uint64_t most)
{
    struct trawl_pattern *patterns = (struct trawl_pattern *)allocate(count * sizeof *patterns);
    struct seeded seeded = {5};

    for (uint64_t i = 0; i < count;) {
        uint64_t bytes = least + (most > least ? seeded_below(&seeded, most - least + 1) : 0);
        uint64_t at = seeded_below(&seeded, text_bytes - bytes);

        if (memchr(text + at, '\n', (size_t)bytes) == NULL)
            patterns[i++] = (struct trawl_pattern){text + at, bytes};
    }
    return patterns;
}

struct trawl_pattern *patterns_words(const struct source *source, uint64_t least, uint64_t *count)
{
    struct trawl_pattern *patterns =
        (struct trawl_pattern *)allocate((source->bytes_count / 2 + 2) * sizeof *patterns);
    uint64_t begin = 0;

    *count = 0;
    for (uint64_t at = 0; at <= source->bytes_count; at++) {
        uint8_t byte = at < source->bytes_count ? source->bytes[at] : '\n';

        if ((byte | 32) >= 'a' && (byte | 32) <= 'z')
            continue;
        if (at - begin >= least)
            patterns[(*count)++] = (struct trawl_pattern){source->bytes + begin, at - begin};
        begin = at + 1;
    }
    return patterns;
}

static int compare(const void *a, const void *b)
{
    const struct trawl_pattern *one = (const struct trawl_pattern *)a;
    const struct trawl_pattern *other = (const struct trawl_pattern *)b;
    uint64_t least = one->bytes_count < other->bytes_count ? one->bytes_count : other->bytes_count;
    int order = memcmp(one->bytes, other->bytes, (size_t)least);

    return order != 0
               ? order
               : (one->bytes_count > other->bytes_count) - (one->bytes_count < other->bytes_count);
}

uint64_t patterns_distinct(struct trawl_pattern *patterns, uint64_t count, uint64_t most)
{
    struct seeded seeded = {7};
    uint64_t left = 0;

    qsort(patterns, (size_t)count, sizeof *patterns, compare);
    for (uint64_t i = 0; i < count; i++)
        if (left == 0 || compare(&patterns[left - 1], &patterns[i]) != 0)
            patterns[left++] = patterns[i];
    for (uint64_t i = left; i > 1; i--) {
        uint64_t at = seeded_below(&seeded, i);
        struct trawl_pattern pattern = patterns[i - 1];

        patterns[i - 1] = patterns[at];
        patterns[at] = pattern;
    }
    return left < most ? left : most;
}
