/* sampling: the state of a search for a large set in a tile (a stretch of text), shared by
 * scan_classes, scan_stems, scan_stem_lines and scan_verify. The literals are divided into classes
 * by length (set_class.h), and the tile is searched for one class after the other. */
#ifndef TRAWL_CPU_SAMPLING_H
#define TRAWL_CPU_SAMPLING_H

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "cpu/worker.h"

/* The tile's positions are [begin, end). */
struct sampling {
    struct scan *scan;
    const struct set_matcher *matcher;
    const struct set_class *class;
    uint64_t begin;
    uint64_t end;
    /* how many words of the tile (64 positions each) are searched line by line; 0: none */
    uint64_t line_words;
};

/* Returns the 8 bytes at position i. Bytes that are not readable count as 0. */
static inline uint64_t load_readable(const struct scan *scan, uint64_t i)
{
    TRAWL_ASSERT(i < scan->loadable);
    return class_load_head(scan->chunk->bytes + i, scan->loadable - i);
}

/* ---- scan_stems.c: a class that is searched with stems, the first 8 bytes of its literals ---- */
enum trawl_status sample_stems(const struct sampling *sampling);
/* Finds positions below `end` near which a literal of the class may begin. Writes them to
 * scratch->positions, and returns how many there are. If words > 0, tests all positions in that
 * many words of the tile with pairs of bytes or trigrams; otherwise, tests samples of four bytes at
 * every stride-th position. */
uint32_t stem_positions(const struct sampling *sampling, uint64_t end, uint64_t words);
/* Like stem_positions with samples, but for literals that begin in the spans. */
uint32_t stem_span_positions(const struct sampling *sampling, const struct set_span *spans,
                             uint32_t span_count);
/* Returns the number of the tile's words whose positions stem_positions can all test; 0 if there
 * are no tables for that, or if the text's end is near. */
uint64_t stem_pair_words(const struct sampling *sampling, uint64_t end);
/* Gathers the occurrences in [sampling->begin, end) that begin at one of the first `count`
 * positions of scratch->positions, or up to stride - 1 before one. */
enum trawl_status stem_verify(const struct sampling *sampling, uint64_t end, uint32_t stride,
                              uint32_t count);

/* ---- scan_stem_lines.c: a class that is searched with stems, for WANT_LINES ---- */
/* Returns how many words of the tile can be searched line by line; 0 if the tile must be searched
 * as a whole. */
uint64_t stem_line_words(const struct sampling *sampling);
enum trawl_status sample_stem_lines(const struct sampling *sampling);
/* Emits the gathered hits, of which there is at least one: one hit per line, in ascending order.
 * The tile must not contain a NUL, which ends lines only for some callers. */
void emit_stem_lines(struct scan *scan);

/* ---- scan_verify.c ---- */
/* Both functions take what passed the tables (stems, or samples), compare the literals with the
 * text, and gather the occurrences in the worker. Errors: MEMORY. */
enum trawl_status stems_verify(const struct sampling *sampling, const uint32_t *stems,
                               uint32_t count);
enum trawl_status sample_verify(const struct sampling *sampling, const struct set_passed *passed,
                                uint32_t count);

#endif
