/* sampling: the state of a large set's search in a tile, class by class. */
#ifndef TRAWL_CPU_SAMPLING_H
#define TRAWL_CPU_SAMPLING_H

#include <string.h>

#include "base/checked.h"
#include "cpu/worker.h"

/* The tile's begins are [begin, end). */
struct sampling {
    struct scan *scan;
    const struct set_matcher *matcher;
    const struct set_class *class;
    uint64_t begin;
    uint64_t end;
};

static inline uint64_t load64(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Returns the 8 bytes at position i; bytes that are not readable are 0. */
static inline uint64_t load_readable(const struct scan *scan, uint64_t i)
{
    uint64_t low = 0;

    TRAWL_ASSERT(i < scan->loadable);
    memcpy(&low, scan->chunk->bytes + i, (size_t)min_u64(sizeof low, scan->loadable - i));
    return low;
}

/* ---- scan_stems.c: a class that goes by stems ---- */
enum trawl_status sample_stems(const struct sampling *sampling);

/* ---- scan_verify.c ---- */
/* Find the literals of samples, or of stems, that passed the tables; compare these literals with
 * the text; and gather the occurrences in the worker. Errors: MEMORY.
 */
enum trawl_status stems_verify(const struct sampling *sampling, const uint32_t *stems,
                               uint32_t count);
enum trawl_status sample_verify(const struct sampling *sampling, const struct set_passed *passed,
                                uint32_t count);

#endif
