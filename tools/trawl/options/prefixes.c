/* prefixes: removes strings that never are the leftmost-first match. */
#include "trawl/options/prefixes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct entry {
    struct trawl_pattern pattern;
    uint64_t index; /* in the order in which the strings were given */
    int (*compare)(const void *left, const void *right, size_t bytes_count);
};

/* Compares as memcmp does, but ignores the case of ASCII letters. */
static int compare_folded(const void *left, const void *right, size_t bytes_count)
{
    const uint8_t *a = left, *b = right;

    for (size_t i = 0; i < bytes_count; i++) {
        const int x = a[i] >= 'A' && a[i] <= 'Z' ? a[i] + ('a' - 'A') : a[i];
        const int y = b[i] >= 'A' && b[i] <= 'Z' ? b[i] + ('a' - 'A') : b[i];

        if (x != y)
            return x - y;
    }
    return 0;
}

/* Orders strings by their bytes, so a string comes after its prefixes. */
static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    const uint64_t a_bytes = a->pattern.bytes_count, b_bytes = b->pattern.bytes_count;
    const int order = a->compare(a->pattern.bytes, b->pattern.bytes,
                                 (size_t)(a_bytes < b_bytes ? a_bytes : b_bytes));

    return order != 0 ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

static bool is_prefix(const struct entry *prefix, const struct entry *entry)
{
    return prefix->pattern.bytes_count <= entry->pattern.bytes_count &&
           entry->compare(prefix->pattern.bytes, entry->pattern.bytes,
                          (size_t)prefix->pattern.bytes_count) == 0;
}

bool prefixes_remove(struct patterns *patterns, bool ignore_ascii_case)
{
    const uint64_t count = patterns->count;
    struct entry *entries = malloc((size_t)count * sizeof *entries);
    uint64_t depth = 0, kept = 0;

    if (entries == NULL)
        return false;
    for (uint64_t i = 0; i < count; i++)
        entries[i] =
            (struct entry){patterns->items[i], i, ignore_ascii_case ? compare_folded : memcmp};
    qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    /* entries[0 .. depth) are the prefixes of the string before, each given before the shorter */
    for (uint64_t i = 0; i < count; i++) {
        const struct entry entry = entries[i];

        while (depth > 0 && !is_prefix(&entries[depth - 1], &entry))
            depth--;
        if (depth > 0 && entries[depth - 1].index < entry.index)
            patterns->items[entry.index].bytes = NULL;
        else
            entries[depth++] = entry;
    }
    for (uint64_t i = 0; i < count; i++)
        if (patterns->items[i].bytes != NULL)
            patterns->items[kept++] = patterns->items[i];
    patterns->count = kept;
    free(entries);
    return true;
}
