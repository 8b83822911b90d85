/* sampling: holds the state of a large set's search in a tile, for one class after the other. */
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
    uint64_t line_words; /* words of the tile if the tile is searched by lines; else 0 */
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

/* ---- scan_stems.c: a class that is searched by stems ---- */
enum trawl_status sample_stems(const struct sampling *sampling);
/* Writes to scratch->positions the positions where a literal with a begin below `end` may lie, and
 * returns their number. If words > 0, pairs name the positions in that many words; else samples. */
uint32_t stem_positions(const struct sampling *sampling, uint64_t end, uint64_t words);
/* As stem_positions by samples, for begins in the spans. */
uint32_t stem_span_positions(const struct sampling *sampling, const struct set_span *spans,
                             uint32_t span_count);
/* Returns how many words of the tile pairs may test; 0 if the class has no pairs. */
uint64_t stem_pair_words(const struct sampling *sampling, uint64_t end);
/* Finds the begins below `end` where a literal may stand: among each of the positions and the
 * stride - 1 positions before. Returns the number of begins; *begins is their array. */
uint32_t stem_begins_at(const struct sampling *sampling, uint64_t end, uint32_t stride,
                        const uint32_t *positions, uint32_t position_count,
                        const uint32_t **begins);
/* Looks up the stems of all lengths at the first SET_STEM_BATCH begins. Writes the stems that pass
 * to scratch->stems, as set_stem_code, and returns their number. */
uint32_t stem_stems_at(const struct sampling *sampling, const uint32_t *begins, uint32_t count);
/* Gathers the occurrences whose begin is in [sampling->begin, end) and up to stride - 1 before a
 * position of `positions`. */
enum trawl_status stem_verify(const struct sampling *sampling, uint64_t end, uint32_t stride,
                              const uint32_t *positions, uint32_t position_count);

/* ---- scan_stem_lines.c: a class that is searched by stems, for LINES ---- */
/* Returns how many words of the tile can be searched by lines; 0 if the plan does not allow it. */
uint64_t stem_line_words(const struct sampling *sampling);
enum trawl_status sample_stem_lines(const struct sampling *sampling);
/* Emits the gathered hits, at least one: one hit for each line, ascending. The tile has no NUL. */
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
