/* sizes: sizes and thresholds of the host's engine. */
#ifndef TRAWL_CPU_SIZES_H
#define TRAWL_CPU_SIZES_H

#include <stdint.h>

/* These values change the time of a search, never its result. Tests set smaller values, so that
 * borders come close to each other. */
struct cpu_sizes {
    /* one literal: shorter chunks are copied to a buffer with room behind the text */
    uint64_t short_one;
    uint64_t short_set; /* sets: shorter chunks are copied, too */
    /* When a look is due, in bytes of text that the worker searches: */
    uint64_t look_after; /* before the first look */
    uint64_t look_again; /* the least distance between a look and the next look */
    /* A look is due if the method has lost this many ns or will have after the next chunk, because
     * a look takes as long. 0: a look is always due, and the prices count instead of the clock. */
    double look_lost_ns;
    /* bytes of the first two parts of a text: in the first the method adapts, the second is
     * timed */
    uint64_t look_first;
    uint64_t tile_positions; /* begins of a tile; a multiple of 64, ≤ 64 * FIND_TILE_WORDS */
    uint64_t
        class_positions;  /* begins of a tile that is searched by classes, ≤ SET_TILE_POSITIONS */
    uint64_t stem_batch;  /* begins whose stems are looked up together, ≤ SET_STEM_BATCH */
    uint64_t named;       /* literals that are verified together, ≤ SET_NAMED_MAX */
    uint64_t trial_bytes; /* bytes of a piece in a tournament */
    uint64_t trial_advance; /* ns by which tournaments may begin sooner */
    /* begins that verify_linear searches for a literal before the next literal */
    uint64_t verify_step;
    /* compared bytes per byte of chunk and literal, above which two_way takes over */
    uint64_t work_factor;
    /* begins that the automaton searches in the first dense part of a text */
    uint64_t dense_bytes;
    uint64_t dense_step; /* begins that the automaton reads in a step */
    uint64_t lane_bytes; /* each lane reads at least this many begins of a step */
    /* words of the automaton's table up to which the table has rows: larger tables are faster as
     * cells. < 2^32 */
    uint64_t row_words;
    /* borders_apply works only on tiles with at least words / border_share candidates */
    uint64_t border_share;
    uint64_t pool; /* strings in the automaton's lists; beyond, all lists are dropped */
    uint64_t hits; /* hits of a result, after which the scan stops; the next task goes on */
};
extern struct cpu_sizes cpu_sizes; /* tests replace the sizes */
extern const struct cpu_sizes cpu_sizes_default;

#endif
