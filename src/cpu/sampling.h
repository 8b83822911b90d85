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
    uint64_t line_words; /* the tile's, if it is looked at by lines; else 0 */
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
/* To the worker's positions: those that pairs (of this many words) or samples name, of begins below
 * `end`; returns how many. */
uint32_t stem_places(const struct sampling *sampling, uint64_t end, uint64_t words);
/* To the worker's positions: those that samples name, of begins in the spans. */
uint32_t stem_span_places(const struct sampling *sampling, const struct set_span *spans,
                          uint32_t span_count);
/* How many of the tile's words pairs may look at. */
uint64_t stem_pair_words(const struct sampling *sampling, uint64_t end);
/* Of begins below `end`, up to stride - 1 before each of the positions, those where a
 * literal may stand: where they are, and how many. */
uint32_t stem_begins_at(const struct sampling *sampling, uint64_t end, uint32_t stride,
                        const uint32_t *places, uint32_t place_count, const uint32_t **begins);
/* To the worker's stems: those of the first SET_STEM_BATCH begins; returns how many. */
uint32_t stem_stems_at(const struct sampling *sampling, const uint32_t *begins, uint32_t count);
/* Gather what begins in [sampling->begin, end) up to stride - 1 before each of the positions. */
enum trawl_status stem_verify(const struct sampling *sampling, uint64_t end, uint32_t stride,
                              const uint32_t *places, uint32_t place_count);

/* ---- scan_stem_lines.c: the same where a line needs one hit ---- */
/* How many words of the tile may be searched this way, 0 if none. */
uint64_t stem_line_words(const struct sampling *sampling);
enum trawl_status sample_stem_lines(const struct sampling *sampling);
/* The tile's hits, of which there are some, if it has no NUL and each line has one, in order. */
void emit_stem_lines(struct scan *scan);

/* ---- scan_verify.c ---- */
/* Find the literals of samples, or of stems, that passed the tables; compare these literals with
 * the text; and gather the occurrences in the worker. Errors: MEMORY.
 */
enum trawl_status stems_verify(const struct sampling *sampling, const uint32_t *stems,
                               uint32_t count);
enum trawl_status sample_verify(const struct sampling *sampling, const struct set_passed *passed,
                                uint32_t count);

#endif
