/* limits: sizes and choices of kernels that tests change: with small sizes, a small text has every
 * kind of boundary between tiles, ranges and chunks */
#ifndef TRAWL_CUDA_LIMITS_H
#define TRAWL_CUDA_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "trawl.h"

/* The variants of stream_set's kernels: RARE for sets for which few samples of the text pass the
 * bitmap, DENSE for sets for which many samples pass. */
enum cuda_sets_variant { CUDA_SETS_RARE, CUDA_SETS_DENSE, CUDA_SETS_VARIANTS };

/* the longest range that is searched at a time, since offsets in a range have 32 bits */
#define CUDA_RANGE_BYTES_MAX ((1ull << 32) - (1ull << 24))

struct cuda_limits {
    /* most bytes of a chunk that are in a worker's device memory at a time */
    uint64_t text_bytes_max;
    /* lists in any order (cuda_lists.h) have room for at least and at most this many hits */
    uint64_t lists_min, lists_max;
    uint64_t ranked_max; /* the longest list that sort_rank sorts */
    /* most bytes of a gap between two hits that are read by a lane, by its warp, and by a single
     * block (kernels/answer.cu) */
    uint64_t gap_near, gap_warp, gap_block;
    /* a device leaves an expression to the host if a line or a record reaches farther than this
     * from a string's occurrence; at most LINE_BYTES_MAX */
    uint64_t decide_bytes;
    /* bytes of device memory that a loaded text leaves free for searches; a quarter of the device's
     * memory if that is less */
    uint64_t resident_room_left;
    /* a loaded text of fewer bytes is not sampled, and counts in that text are not timed */
    uint64_t seen_bytes_min;
    /* the method for a single pattern in a text with a sample; AUTO: chosen by the sample */
    enum trawl_method seen_method;
    /* the shortest loaded text, in bytes, that is split over the devices */
    uint64_t split_bytes_min;
    /* the parts of a split text have about stripe_bytes or less, except for texts so long that they
     * would have more than STRIPES_MAX parts (cuda_load.c) */
    uint64_t stripe_bytes;
    uint64_t split_overlap; /* bytes that a part shares with the next part */
    uint64_t tail_bytes;    /* bytes of the copy of a borrowed text's end (cuda_resident.tail) */
    /* most starts of a launch; kernels that number samples instead take up to `stride` times as
     * many */
    uint64_t launch_begins_max;
    uint64_t staging_bytes; /* bytes of each of a worker's two pinned staging buffers */
    /* memory is reserved in multiples of this many bytes, so that a buffer seldom grows */
    uint64_t room_step_bytes;
    uint64_t hits_room_min; /* hits for which a worker has room at first */
    uint64_t hits_max;      /* a scan that has this many hits stops at the end of the range */
    /* a list of begins has room for a multiple of begins_room (LISTS_ROOM in cuda_begins.c) */
    uint64_t begins_room;
    /* begins of a list are copied to the host through the library's pinned memory in copies of at
     * least this many; a list's last copy may have fewer */
    uint64_t begins_piece;
    uint64_t begins_piece_most; /* most starts in such a copy */
    uint32_t threads;           /* threads of a block */
    uint32_t tile_words_max;
    uint32_t blocks_max; /* most blocks of a launch; 0: as many as run at a time */
    /* log2 of the number of tiles whose hits are summed together (kernels/order.h); at most
     * SCAN_PARTITION_GROUP_LOG2_MAX */
    uint32_t partition_group_log2;
    bool dense_always; /* treat every tile and every group with a candidate as dense */
    /* most bytes of a pattern from which its bit plane is made; ≤ SCAN_PLANE_WINDOW_MAX */
    uint32_t plane_window_max;

    /* all members below, except before_bytes, choose among kernels and tables that give the same
     * answer */
    bool streams;                    /* search for a single pattern by stream kernels */
    bool sets;                       /* search for sets by stream_set, with the values below */
    uint32_t sets_variant;           /* enum cuda_sets_variant; CUDA_SETS_VARIANTS: chosen by
                                        price */
    uint32_t sets_stride, sets_gram; /* used if the set allows the value; 0: chosen by price */
    uint32_t sets_choices;           /* like sets_stride and sets_gram */
    /* bits that a gram sets in a word of the bitmap, 1 or 2; 0: chosen by price */
    uint32_t sets_bits;
    uint32_t sets_filter_words_max, sets_table_words_max;
    uint64_t sets_entries_max;
    /* if the lists of a set's grams (cuda_sets.c) can have at most this many entries, there is room
     * for all; otherwise the host waits until the device has counted the entries */
    uint64_t sets_counted_min;
    /* most entries of a list after its first; a search that meets a longer one is given up */
    uint32_t sets_items_max;
    /* search dense texts by the automaton, if the table has at most automaton_words_max words */
    bool automaton;
    bool automaton_always; /* search all texts by the automaton */
    uint64_t automaton_words_max;
    /* blocks keep the automaton's rows in shared memory if the rows have at most this many bytes */
    uint32_t automaton_kept_bytes;
    /* if a set's literals have more bytes than this in total, a search may do more than the usual
     * work (PATIENT_LONG_LOG2 in cuda_scan.c) before the automaton takes over */
    uint64_t patient_bytes;
    /* bytes of text of a trial, which decides whether the automaton takes over */
    uint64_t tried_bytes;
    /* tiles that a stream kernel may give up to the tile kernel, however short the range */
    uint32_t listed_min;
    /* a multiple of 4096: positions are numbered as if this many bytes came before the text */
    uint64_t before_bytes;
};

extern const struct cuda_limits cuda_limits_default;

/* Sets the limits of workers opened from now on, by copy; NULL restores the default. Not
 * thread-safe. */
void cuda_limits_replace(const struct cuda_limits *limits);
struct cuda_limits cuda_limits_now(void);

#endif
