/* default_sizes: the sizes and thresholds of the engine on the host's cores, as they are outside of
 * tests. */
#include "cpu/worker.h"

/* positions that the automaton reads in a step, and bytes of a trial: such that the lanes of
 * dense_read, parts of the text that are read in parallel, are not multiples of 4 KiB apart. At
 * such distances, they would compete for the same sets of the L1 cache. */
#define DENSE_STEP 34304u
#define SIZES                                                                                   \
    {                                                                                           \
        .short_set = WORKER_SHORT_BYTES, .look_after = 512u << 10, .look_again = 16u << 20,     \
        .look_lost_ns = 30000, .look_first = 64u << 10, .tile_positions = 64 * FIND_TILE_WORDS, \
        .class_positions = SET_TILE_POSITIONS, .stem_batch = SET_STEM_BATCH,                    \
        .named = SET_NAMED_MAX, .trial_bytes = DENSE_STEP, .verify_step = VERIFY_STEP,          \
        .work_factor = 4, .dense_bytes = 1u << 15, .dense_step = DENSE_STEP, .lane_bytes = 256, \
        .row_words = PLAN_AUTOMATON_ROW_WORDS, .border_share = 8, .pool = 4u << 20,             \
        .hits = ENGINE_HITS_MAX                                                                 \
    }
const struct cpu_sizes cpu_sizes_default = SIZES;
struct cpu_sizes cpu_sizes = SIZES;
#undef SIZES
