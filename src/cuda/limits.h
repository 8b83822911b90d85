/* limits: sizes that tests make small, so that every border lies inside a small text. */
#ifndef TRAWL_CUDA_LIMITS_H
#define TRAWL_CUDA_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "trawl.h"

/* The kernels of stream_set: for sets of which little passes the bitmap, or much does. */
enum cuda_sets_variant { CUDA_SETS_RARE, CUDA_SETS_DENSE, CUDA_SETS_VARIANTS };

struct cuda_limits {
    uint64_t text_bytes_max; /* device memory of a worker for its chunk of a text */
    uint32_t sorted_max;     /* hits of samples that are put in order; where there are more, all
                                positions are looked at */
    uint64_t
        resident_room_left;  /* device memory that a loaded text leaves free, where there is much */
    uint64_t seen_bytes_min; /* of a loaded text, for a sample of it to be kept */
    enum trawl_method seen_method; /* of one pattern there, if it may choose; AUTO: by the sample */
    double turn_price_max;         /* times the choice's: a method of so little is tried, too */
    uint64_t split_bytes_min;      /* of a loaded text, to be split over devices, */
    uint64_t stripe_bytes;         /* in parts of about this size or less */
    uint64_t split_overlap;        /* that a part shares with the next */
    uint64_t launch_begins_max;    /* if a launch could have more */
    uint64_t staging_bytes;        /* of each of a worker's two pinned buffers */
    uint64_t room_step_bytes;   /* memory is taken in multiples of this, so that it seldom grows */
    uint64_t hits_room_min;     /* hits a worker begins with room for */
    uint64_t hits_max;          /* a scan stops between two tiles rather than hold more */
    uint64_t begins_room;       /* begins, of which a list has room for some times as many */
    uint64_t begins_piece;      /* begins that come to the host at a time through memory of ours, */
    uint64_t begins_piece_most; /* or so many, where there are many */
    uint32_t threads;           /* per block */
    uint32_t tile_words_max;
    uint32_t blocks_max;           /* per launch; 0: what is resident */
    uint32_t partition_group_log2; /* of partitions summed up together, up to
                                      SCAN_PARTITION_GROUP_LOG2_MAX */
    bool dense_always;             /* treat every tile with a candidate as dense, and every group */
    uint32_t plane_window_max;     /* up to SCAN_PLANE_WINDOW_MAX */

    /* Which kernels run, where several give the same answer: */
    bool streams;                    /* counts of one pattern by scan_stream */
    bool sets;                       /* stream_set, with: */
    uint32_t sets_variant;           /* enum cuda_sets_variant; CUDA_SETS_VARIANTS: chosen */
    uint32_t sets_stride, sets_gram; /* if they can be; 0: chosen */
    uint32_t sets_choices;           /* likewise */
    uint32_t sets_bits;              /* of the bitmap for a gram, 1 or 2; 0: chosen */
    uint32_t sets_filter_words;      /* of the sizes there are; 0: chosen */
    uint32_t sets_filter_words_max, sets_table_words_max;
    uint64_t sets_entries_max;
    uint64_t sets_counted_min; /* entries: with room for no more than these they are not counted */
    uint32_t sets_items_max;   /* of a list but the first, or the set is too dense */
    bool automaton;        /* search dense sets by the automaton, if its table has no more than: */
    bool automaton_always; /* and all others */
    uint64_t automaton_words_max;
    uint64_t patient_bytes; /* of a set's strings: for more, a tile may take more work first */
    uint64_t tried_bytes;   /* of a set's text: they tell whether the automaton is to go on */
    uint32_t listed_min;    /* tiles that a stream may give up in any case */
    uint64_t
        before_bytes;   /* a multiple of 4096: positions are as if so much came before the text */
    bool kernels_timed; /* worker->kernel_ns */
};

extern const struct cuda_limits cuda_limits_default;

/* The limits that workers opened from now on use; NULL: the default. Copied. Not thread-safe. */
void cuda_limits_replace(const struct cuda_limits *limits);
struct cuda_limits cuda_limits_now(void);

#endif
