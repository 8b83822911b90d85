/* sizes: sizes and thresholds of the engine on the host's cores. In a look, a worker takes a sample
 * of the text and chooses its method again. A tile is the part of a text that is searched at a
 * time. */
#ifndef TRAWL_CPU_SIZES_H
#define TRAWL_CPU_SIZES_H

#include <stdint.h>

/* These values affect how long a search takes, never its result. Tests set smaller ones, so that
 * short texts cross every boundary. */
struct cpu_sizes {
    /* in a search for a set, shorter chunks are copied to a buffer with room after them */
    uint64_t short_set;
    /* bytes of text before a worker's first look, after which it may change its method */
    uint64_t look_after;
    uint64_t look_again; /* minimum number of bytes of text between two looks */
    /* A look is due once the method has wasted this many ns against the best possible one, or will
     * have after the next chunk; the look itself takes about as long. If 0, a look is due as often
     * as look_again allows, and methods are compared by expected costs instead of the clock. */
    double look_lost_ns;
    /* sizes of the first two parts of a text: in the first, the method adapts to the text; the
     * second is timed */
    uint64_t look_first;
    uint64_t tile_positions; /* positions of a tile; a multiple of 64, ≤ 64 * FIND_TILE_WORDS */
    /* positions of a tile that is searched with classes of literals, ≤ SET_TILE_POSITIONS */
    uint64_t class_positions;
    /* positions whose stems (first bytes of literals) are looked up together, ≤ SET_STEM_BATCH */
    uint64_t stem_batch;
    uint64_t named; /* literals that are compared with the text together, ≤ SET_NAMED_MAX */
    /* in a trial, which compares strategies: bytes of text in which a strategy is timed */
    uint64_t trial_bytes;
    uint64_t trial_advance; /* a trial may begin this many ns early; for tests */
    /* verify_linear searches this many positions for one literal, then for the next */
    uint64_t verify_step;
    /* once this many bytes per literal and per byte of the chunk have been compared, a search in
     * linear time (two_way) takes over */
    uint64_t work_factor;
    /* positions that the automaton searches the first time that a text has too many candidates */
    uint64_t dense_bytes;
    uint64_t dense_step; /* positions that the automaton reads in a step */
    /* the automaton reads parts of the text in parallel, in lanes: minimum number of positions of a
     * step per lane */
    uint64_t lane_bytes;
    /* an automaton whose table of rows has up to this many words (< 2^32) is stored as rows; a
     * larger one as cells, which take less memory and are then faster */
    uint64_t row_words;
    /* borders_apply skips tiles with less than one candidate per this many words of 64 positions */
    uint64_t border_share;
    /* For each group of equal strings that the automaton finds, a worker keeps a list of the
     * strings that occur at the same position: the group, and all prefixes in the set. These lists
     * have about this many entries in all. If another one does not fit, the worker drops them
     * all. */
    uint64_t pool;
    uint64_t hits; /* number of hits after which a scan stops; another task continues there */
};
extern struct cpu_sizes cpu_sizes; /* tests replace the sizes */
extern const struct cpu_sizes cpu_sizes_default;

#endif
