/* limits: sizes, and choices among kernels, that tests change. With small sizes, even a short text
 * has every kind of boundary between tiles, ranges and chunks */
#ifndef TRAWL_CUDA_LIMITS_H
#define TRAWL_CUDA_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "trawl.h"

/* The variants of stream_set's kernels: RARE for sets for which few samples of the text pass the
 * bitmap, DENSE for sets for which many do. */
enum cuda_sets_variant { CUDA_SETS_RARE, CUDA_SETS_DENSE, CUDA_SETS_VARIANTS };

/* the longest range: offsets in a range have 32 bits */
#define CUDA_RANGE_BYTES_MAX ((1ull << 32) - (1ull << 24))

struct cuda_limits {
    /* maximum number of bytes of a chunk in a worker's device memory at a time */
    uint64_t text_bytes_max;
    /* smallest and largest capacity, in hits, of lists in any order (cuda_lists.h) */
    uint64_t lists_min, lists_max;
    uint64_t ranked_max; /* longest list that sort_rank sorts */
    /* longest gap between two hits, in bytes, that is read by a lane, by a warp, and by a single
     * block (kernels/answer.cu) */
    uint64_t gap_near, gap_warp, gap_block;
    /* a device leaves a search for a regular expression to the host if a line or a record extends
     * farther than this from a hit; at most LINE_BYTES_MAX */
    uint64_t decide_bytes;
    /* device memory, in bytes, that a loaded text must leave free for searches; a quarter of the
     * device's memory if that is less */
    uint64_t resident_room_left;
    /* bytes that a loaded text must have to be sampled, and for counts in it to be timed */
    uint64_t seen_bytes_min;
    /* method for a single pattern in a text with a sample; AUTO: chosen from the sample */
    enum trawl_method seen_method;
    /* shortest loaded text, in bytes, that is split over devices */
    uint64_t split_bytes_min;
    /* a stripe of a split text has at most about stripe_bytes, unless that would make more than
     * STRIPES_MAX stripes (cuda_load.c) */
    uint64_t stripe_bytes;
    uint64_t split_overlap; /* bytes that a stripe shares with the next one */
    uint64_t tail_bytes;    /* length of the copy of a borrowed text's end (cuda_resident.tail) */
    /* maximum number of starts in a launch; up to `stride` times as many for kernels that number
     * samples */
    uint64_t launch_begins_max;
    uint64_t staging_bytes; /* length of each of a worker's two staging buffers */
    /* memory is reserved in multiples of this, so that buffers seldom grow */
    uint64_t room_step_bytes;
    uint64_t hits_room_min; /* a worker's initial room for hits */
    uint64_t hits_max;      /* a scan with this many hits stops at the end of the range */
    /* how many start offsets a worker's list for the caller's array has room for, and each half of
     * the buffer through which they are copied */
    uint64_t begins_room, piece_words;
    uint32_t threads; /* threads per block */
    uint32_t tile_words_max;
    uint32_t blocks_max; /* maximum number of blocks in a launch; 0: as many as run at a time */
    bool dense_always;   /* treat each tile or group with a candidate as dense */
    /* maximum number of bytes of a pattern in its bit plane; ≤ SCAN_PLANE_WINDOW_MAX */
    uint32_t plane_window_max;

    /* All members below, except before_bytes, choose among kernels and tables with the same
     * results. */
    bool sets;                       /* search for sets with stream_set, as follows */
    uint32_t sets_variant;           /* enum cuda_sets_variant; CUDA_SETS_VARIANTS: by price */
    uint32_t sets_stride, sets_gram; /* used if the set allows them; 0: by price */
    uint32_t sets_choices;           /* like sets_stride and sets_gram */
    /* bits that a gram sets in a word of the bitmap, 1 or 2; 0: by price */
    uint32_t sets_bits;
    uint32_t sets_filter_words_max, sets_table_words_max;
    uint64_t sets_entries_max;
    /* if the lists of a set's grams (cuda_sets.c) cannot have more entries than this, memory for
     * all is reserved; otherwise, the host waits until the device has counted them */
    uint64_t sets_counted_min;
    /* maximum number of entries in a list after its first; a search that meets a longer list is
     * given up */
    uint32_t sets_items_max;
    /* search dense texts with the automaton, if its table has at most automaton_words_max words */
    bool automaton;
    bool automaton_always; /* search all texts with the automaton */
    uint64_t automaton_words_max;
    /* blocks keep the automaton's rows in shared memory if the rows are no longer than this */
    uint32_t automaton_kept_bytes;
    /* if a set's literals have more bytes than this in total, a search may do more than the usual
     * work before the automaton takes over (PATIENT_LONG_LOG2 in prices.def) */
    uint64_t patient_bytes;
    /* Shorter ranges are searched without trials between the filter and the automaton. */
    uint64_t tried_bytes;
    /* number of tiles that a stream kernel may always leave to the tile kernel, however short the
     * range */
    uint32_t listed_min;
    /* number positions as if this many bytes (a multiple of 4096) preceded the text */
    uint64_t before_bytes;
};

extern const struct cuda_limits cuda_limits_default;

/* Copies the limits for workers that are opened from now on; NULL restores the default. Not
 * thread-safe. */
void cuda_limits_replace(const struct cuda_limits *limits);
struct cuda_limits cuda_limits_now(void);

#endif
