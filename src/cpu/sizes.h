/* sizes: sizes and thresholds of the engine on the host's cores. A look is a sample of the text, by
 * which a worker chooses its method again; a tile is the part of a text that is searched in one
 * go. */
#ifndef TRAWL_CPU_SIZES_H
#define TRAWL_CPU_SIZES_H

#include <stdint.h>

/* These values change how long a search takes, never its result. Tests set smaller ones, so that
 * short texts cross every boundary. */
struct cpu_sizes {
    /* in a search for a set, shorter chunks of text are copied to a buffer with room after them */
    uint64_t short_set;
    /* a worker looks at a sample of the text only after this many bytes, and may then change its
     * method */
    uint64_t look_after;
    uint64_t look_again; /* bytes of text between two looks, at least */
    /* A look is due once the method has lost this many ns against the best possible one, or will
     * have after the next chunk. The look itself takes about as long. With 0, a look is due as
     * often as look_again allows, and methods are compared by their prices instead of the clock. */
    double look_lost_ns;
    /* sizes of the first two parts of a text: in the first part the method adapts to the text, and
     * the second part is timed */
    uint64_t look_first;
    uint64_t tile_positions; /* positions of a tile; a multiple of 64, ≤ 64 * FIND_TILE_WORDS */
    /* positions of a tile that is searched by classes of literals, ≤ SET_TILE_POSITIONS */
    uint64_t class_positions;
    /* positions whose stems (first bytes of literals) are looked up together, ≤ SET_STEM_BATCH */
    uint64_t stem_batch;
    uint64_t named; /* literals that are compared with the text together, ≤ SET_NAMED_MAX */
    /* bytes of text that a program searches at a time in a tournament, a comparison of programs */
    uint64_t trial_bytes;
    uint64_t trial_advance; /* ns that a tournament may begin before it is due; for tests */
    /* verify_linear searches this many positions for one literal, then for the next */
    uint64_t verify_step;
    /* once more than this many bytes were compared for each literal and each byte of the chunk, a
     * search in linear time (two_way) takes over */
    uint64_t work_factor;
    /* positions that the automaton searches in the first dense part of a text, a part full of
     * candidates */
    uint64_t dense_bytes;
    uint64_t dense_step; /* positions that the automaton reads in a step */
    /* positions of a step that each lane reads at least; the automaton reads lanes, parts of the
     * text, side by side */
    uint64_t lane_bytes;
    /* an automaton whose table of rows has up to this many words (< 2^32) is stored as rows; a
     * larger one is stored as cells, which take less memory and then are faster */
    uint64_t row_words;
    /* borders_apply skips tiles with less than one candidate for this many words of 64 positions */
    uint64_t border_share;
    /* For each group of equal strings that the automaton found, a worker keeps a list of the
     * strings that occur at the same position: the group, and all prefixes in the set. These
     * lists have about this many entries in all; if another one does not fit, the worker drops
     * them all. */
    uint64_t pool;
    uint64_t hits; /* hits after which a scan stops; a further task continues there */
};
extern struct cpu_sizes cpu_sizes; /* tests replace the sizes */
extern const struct cpu_sizes cpu_sizes_default;

#endif
