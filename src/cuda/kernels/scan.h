/* scan: what the host and the scan kernels agree on.
 *
 * A scan searches for begins x in [begin, limit) of a text in device memory. The text is cut into
 * tiles; a tile has a bitmap in shared memory, one bit per begin. A method's filter sets bits,
 * verification clears them, and what is left is counted, listed or compared with the first found.
 * docs/kernels.md tells the whole story.
 */
#ifndef TRAWL_CUDA_KERNELS_SCAN_H
#define TRAWL_CUDA_KERNELS_SCAN_H

#include <stdint.h>

#include "cuda/kernels/samples.h"
#include "plan/layout.h"
#include "want.h"

#define SCAN_THREADS_MAX 256u     /* per block; any multiple of 32 up to this */
#define SCAN_TILE_WORDS_MAX 2048u /* bitmap words of a tile: 64 Ki begins */
#define SCAN_SAMPLE_STEP 128u     /* samples of a warp's step, a group */
#define SCAN_SAMPLE_BYTES 16u     /* sampled: looked at of each stride */
#define SCAN_SAMPLE_WORDS_MAX 13u /* sampled: log2 of the words in sample_words */
#define SCAN_SORTED_MAX 32768u    /* sampled: hits that are put in order, in 0.2 ms at most */
/* Loadable and initialised bytes beyond the text's end. */
#define SCAN_PADDING_BYTES 64u
/* Of a set, at one begin: hits of a tile of SCAN_THREADS_MAX words stay below 2^32. */
#define SCAN_ALIKE_MAX 524287u
#define SCAN_LITERALS_PADDING_BYTES 32u /* after all literals of a set */
#define SCAN_PATTERN_PADDING_BYTES 64u  /* before and after the pattern in device memory */
/* A pattern longer than this is not for the device: offsets inside one are 32-bit. */
#define SCAN_PATTERN_BYTES_MAX (1u << 30)

/* What 8 bytes are compared by (filter_sum): low times this, plus high. */
#define SCAN_SUM_FACTOR 0x9e3779b1u

/* Planes (plane.h): no window longer than this, probes of up to 64 bits, and the words that lie
 * after a tile's and the window's. */
#define SCAN_PLANE_WINDOW_MAX 32768u
#define SCAN_PLANE_PROBE_MAX 64u
#define SCAN_PLANE_WORDS_MORE 6u
#define SCAN_PLANE_WORDS_MAX \
    (SCAN_TILE_WORDS_MAX + SCAN_PLANE_WINDOW_MAX / 32u + SCAN_PLANE_WORDS_MORE)

/* stream.h: rows of 512 bytes that a warp has in flight. */
#define STREAM_ROWS 4u
/* stream_hits.cu: steps of a warp in a tile; one warp more than others have. */
#define SCAN_HITS_STEPS 4u
#define SCAN_HITS_THREADS_MAX (SCAN_THREADS_MAX + 32u)

/* stream_set: entries of a warp's two queues, threads of a block, and what verification may cost.
 * Where little passes the bitmap, both queues have SCAN_SETS_RARE entries, and the first one
 * SCAN_SETS_AROUND words of 64 bits of the text for each. */
#define SCAN_SETS_FIRST 192u
#define SCAN_SETS_SECOND 96u
#define SCAN_SETS_RARE 64u
#define SCAN_SETS_AROUND 4u
/* What is used of a warp's struct sets_warp in shared memory: all of it where little passes. */
#define SCAN_SETS_WARP_BYTES 2336u
#define SCAN_SETS_RARE_WARP_BYTES \
    (SCAN_SETS_WARP_BYTES + 8u * (SCAN_SETS_AROUND * SCAN_SETS_RARE - SCAN_SETS_FIRST))
#define SCAN_SETS_RECORD_BYTES 16u
#define SCAN_SETS_STRIDE_MAX 1024u
#define SCAN_SETS_LENGTH_MIN 4u
#define SCAN_SETS_ROWS 8u
#define SCAN_SETS_DENSE_ROWS 4u
#define SCAN_SETS_THREADS 512u
#define SCAN_SETS_DENSE_THREADS 512u
#define SCAN_WARPS_MAX 16u
#define SCAN_SETS_BUDGET_MIN 65536u
/* Where little passes and few samples are taken, a gram has one bit more in its word: its hash's
 * lowest bits say which. */
#define SCAN_SETS_MORE_STRIDE 4u
/* A hash shifted right by one of these: which bit of a word of the bitmap. */
#define SCAN_SETS_SHIFT 6u
#define SCAN_SETS_SHIFT_SECOND 11u
#define SCAN_SETS_END UINT64_MAX
/* items_max is this at most; one more stands for all more. */
#define SCAN_SETS_ITEMS_MAX ((1u << 20) - 2u)
/* A run begins at most so far into a literal. */
#define SCAN_SETS_RUN_MAX 64u
#define SCAN_SETS_RARITY 12u
/* A kernel each: strides, 16 for it and its multiples; bytes of a gram; how many grams of a sample,
 * at consecutive bytes, there are to choose from. With one choice grams may be shorter, down to 4
 * or 9 bytes. */
#define SCAN_SETS_FORMS(X) \
    X(1, 8, 1)             \
    X(2, 8, 1)             \
    X(4, 8, 1)             \
    X(4, 16, 1)            \
    X(8, 8, 1)             \
    X(8, 16, 1)            \
    X(16, 8, 1)            \
    X(16, 16, 1)           \
    X(8, 7, 3)             \
    X(8, 8, 4)             \
    X(16, 8, 9)

/* Which comparisons decide at each position of method every (scan_arguments.gram_kind). */
enum scan_gram_kind {
    SCAN_GRAM_BYTE,   /* one byte, no fold; exact */
    SCAN_GRAM_SHORT,  /* 2 and 3 bytes, no fold: one word under gram_mask[0]; exact */
    SCAN_GRAM_WORD,   /* 4 bytes, no fold: one word; exact */
    SCAN_GRAM_LONG,   /* 8 bytes and more, no fold: two words */
    SCAN_GRAM_MASKED, /* two words, both or-ed with a fold and masked */
    /* 4 to 8 bytes at every so-many-th position only, compared with as many grams: */
    SCAN_GRAM_STRIDE_2,
    SCAN_GRAM_STRIDE_4,
    SCAN_GRAM_STRIDE_8
};

/* What a grid adds up. All zero before a launch. The last block hands it to the host and leaves
 * zeros for the next launch: for counts the first three words, each separately (tile_hand_over),
 * for others all at once (tile_sign). */
struct scan_result {
    uint64_t count;
    uint64_t candidates;  /* bits set by the filter */
    uint64_t dense_count; /* dense tiles; of streams, tiles given up */
    uint64_t ticket;      /* the next tile or group */
    uint64_t listed;      /* tiles that a stream has put into the list so far, or gave up */
    uint64_t nearest;     /* SCAN_NONE - ((x - begin) << 32 | literal) of the first; 0: none */
    uint64_t blocks;      /* that are done; to the host, the launch's number, written last */
};
#define SCAN_RESULT_WORDS 7u
#define SCAN_SUMS 3u /* the words that blocks add up for all their threads */
/* A count's word: above its bits, the blocks that have added to it; to the host, SCAN_THERE. The
 * most there can be, 65,535 literals at each of 2^32 begins, is less than 2^48. */
#define SCAN_SUM_BITS 48u
#define SCAN_BLOCKS_MAX 65535u
#define SCAN_THERE (1ull << 63)
#define SCAN_NONE UINT64_MAX

/* log2 of the partitions whose hits are summed up together (order.h). */
#define SCAN_PARTITION_GROUP_LOG2_MAX 6u

/* The plane of the pattern's window: bit `bit` of each of its bytes. */
struct scan_plane {
    const uint32_t *words; /* of 32 bits, the lowest first */
    uint32_t window_at;    /* of the pattern; a multiple of 8 */
    uint32_t window_bytes;
    uint32_t has_rest; /* the pattern's bytes outside of the window are to be compared */
    uint32_t bit;
    uint32_t probe_bits;  /* 8 to 64; 0: no planes, the pattern has fewer bytes */
    uint32_t probe_at;    /* where in the window the probe begins */
    uint32_t period;      /* of the plane: at most half the window, else the window's length */
    uint32_t byte_period; /* of the window's bytes: at most half the window, else 0; then: */
    uint32_t byte_run;    /* so many bytes have to be equal to those a period on */
    uint32_t has_letters; /* the pattern has one letter with the bit at most, and one without */
    uint32_t letters;     /* that without, four times, and what is added for the other */
    uint32_t letter_step;
    uint32_t flip[SCAN_PLANE_PROBE_MAX]; /* ~0 where the probe's bit is 0, else 0 */
    uint32_t flip_last[8];               /* of its last eight bits */
};

/* The tables of stream_set. */
struct scan_sets {
    uint32_t *filter;       /* filter_words: the bitmap that goes to shared memory */
    uint64_t *table;        /* table_words */
    uint64_t *heads;        /* head_count pairs, a list each: its first entry, SCAN_SETS_END: none;
                               of the others where in `entries` they end, how many there are, and a
                               filter (sets.h) */
    uint64_t *entries;      /* each its gram's key << 32 and number */
    uint64_t *taken;        /* how many of these there are */
    uint32_t *literals;     /* of each literal 4 words: where its bytes begin, in words of
                               literal_bytes; how many; its run of grams; its number in the plan */
    const uint32_t *rarity; /* of each byte: what makes a run rare, in bits << SCAN_SETS_RARITY */
    uint32_t literal_count; /* entry / stride is the literal, the rest its gram */
    uint32_t filter_words;  /* a multiple of 4 */
    uint32_t bit_shifts[2]; /* the two bits of a hash begin there; equal: there is one */
    uint32_t one_more;      /* and its lowest ones, besides */
    uint32_t table_words;
    uint32_t head_count;
    uint32_t stride, stride_log2;
    uint32_t choices;
    uint32_t tagged;       /* an entry's key tells the bytes beside its gram */
    uint32_t beside_shift; /* 24: one of them is in a list's filter; 16: two */
    uint32_t gram_bytes;
    uint32_t words;      /* of a gram */
    uint32_t factors[4]; /* of the words: the last one's takes out the bytes that do not count */
    uint32_t fold;       /* or-ed into the words */
    uint32_t offset_max;
    uint32_t budget; /* of verification: per step of a warp */
    uint32_t shared_bytes;
    uint32_t items_max; /* entries of a list but its first: more are too many in any text */
};

/* The automaton of a set (automaton.cu). A state is where its row begins in `rows`: a transition
 * for each class of bytes, SCAN_STATE_ENDS above it if literals end there, and SCAN_STATE_WORDS
 * more: how many literals end there or at a shorter state of its chain, where its own begin in
 * `ends`, how many those are, and the next state of its chain, 0 for none. */
struct scan_automaton {
    uint32_t *rows;
    const uint32_t *ends;    /* literals, each state's ascending */
    const uint32_t *classes; /* of the 256 bytes, four to a word */
    const uint32_t *levels;  /* for each number of bytes: the first state that so many lead to */
    uint32_t *nodes;         /* of each state a struct scan_node; then of each state the row of the
                                state that is tried where no child is (automaton_rows) */
    uint32_t node_count;
    uint32_t class_count;
    uint32_t reach;      /* bytes after a begin that say what begins there */
    uint32_t part_bytes; /* of a thread: a multiple of 16 */
};
#define SCAN_STATE_ENDS (1u << 31)
#define SCAN_STATE_WORDS 4u

/* A state as the host describes the state to automaton_rows. The children of a state are the states
 * to which one byte more leads; the children's numbers follow each other. */
struct scan_node {
    uint32_t children;    /* the first child */
    uint32_t count_class; /* how many children, and << 16 the class of the byte that leads here */
    uint32_t ends;        /* where the literals that end here begin in scan_automaton.ends */
    uint32_t end_count;   /* how many literals end here */
};

struct scan_arguments {
    const uint8_t *text; /* 256-byte aligned */
    uint64_t begin;
    uint64_t limit;    /* no begin at or beyond it; > begin */
    uint64_t text_end; /* text bytes; SCAN_PADDING_BYTES more are loadable */
    struct scan_result *result;
    struct scan_result *answer; /* in the host's memory */
    uint64_t launch;            /* its number, not 0 */
    uint64_t *hits; /* ascending: hits_base + x - begin, of method set + hits_literal * literal */
    uint64_t hits_base;
    uint64_t hits_literal;
    uint64_t capacity;             /* of hits: those beyond are counted, not written */
    uint64_t *order;               /* order.h: a word per partition and two per group, zeroed; or
                                      a zero, and room for partition_count hits in any order */
    uint32_t partition_group_log2; /* up to SCAN_PARTITION_GROUP_LOG2_MAX */
    uint64_t partition_count;      /* tiles */
    uint64_t position;             /* of the first tile: a multiple of 16, at most begin + shift */
    uint32_t is_dense;             /* a block treats its first tile as dense */
    uint64_t listed_max;           /* streams stop where more tiles than these are listed */
    uint32_t *tile_list;           /* streams write it; tile kernels take these tiles, NULL: all */
    uint32_t want;                 /* enum want */
    uint32_t tile_count;           /* tiles, or groups of method sampled */
    uint32_t tile_words;           /* bitmap words: the block's threads times 1 to 8 */
    uint32_t tile_steps;           /* hits_stream: of a warp, in a tile */
    uint32_t step_bytes;           /* what those warps that look take in a step */
    uint32_t whole_from;           /* tiles with all positions wanted and all bytes there: from */
    uint32_t whole_upto;           /* to below this */
    uint32_t one;                  /* 1, which the compiler does not know */
    uint32_t fold;                 /* compare letters without case: patterns are in lower case */

    /* One pattern: */
    const uint64_t *pattern; /* its bytes, between SCAN_PATTERN_PADDING_BYTES of zeros */
    uint32_t pattern_bytes;
    uint32_t shift;         /* the filter looks at x + shift */
    uint32_t verify_budget; /* warp steps of 256 bytes, per warp and tile, until it is dense */
    uint32_t dense_lanes; /* if this many of a warp's have a candidate, the tile is dense at once */
    uint32_t is_exact;    /* a candidate of the filter is an occurrence */
    uint32_t gram_kind;
    uint32_t gram[3]; /* two words, then the last one of a pattern of 5 to 8 bytes */
    uint32_t gram_fold[2];
    uint32_t gram_mask[2];

    /* Strides: the sums (filter_sum) of the grams at offset o, o below the stride; what is or-ed
     * into the text's words, and which bytes of a gram's second word count. */
    uint32_t stride_sums[8];
    uint32_t stride_fold;
    uint32_t stride_keep;

    struct scan_plane plane;

    /* Method sampled: */
    const uint32_t *heads;          /* scan_list or scan_entry: the offsets with such a hash */
    const uint32_t *sample_entries; /* those of lists of several */
    const uint32_t *sample_words;   /* two bits of one word are set where a gram has this hash */
    uint64_t sample_base; /* where the first sample lies: a multiple of the stride, at most begin */
    uint32_t sample_first;  /* at or beyond begin: those below are not read */
    uint32_t sample_count;  /* less than 2^32 - 2^9; scan_sample_position says where they are */
    uint32_t ticket_groups; /* of a stream */
    uint32_t sample_fold;   /* or-ed into the text's words */
    uint32_t sample_words_log2;
    uint32_t sample_budget; /* of a stream's group: steps through lists, warp steps of 256 bytes */
    uint32_t stride;        /* a multiple of SCAN_SAMPLE_BYTES, and of 32 if they come in pairs */
    uint32_t sample_pair;   /* 1: two samples at each stride, 0: one */
    uint32_t hash_bits;     /* log2 of the heads */
    uint32_t group_tiles; /* tile_list has groups, which have up to so many tiles each; 0: tiles */

    /* Method set: */
    struct plan_set set;
    const uint32_t *set_bitmap;
    const uint32_t *set_buckets;
    const uint32_t *set_entries;
    const uint64_t *literal_bytes; /* each literal begins at a multiple of 8, zero padded */
    const uint64_t *literal_begin; /* in words of literal_bytes */
    const uint32_t *literal_bytes_count;
    uint32_t set_budget; /* of verification: per word of a tile's bitmap; UINT32_MAX: none */
    uint32_t *marks;     /* NULL, or a bit per begin from begin & ~15 on: stream_set sets those of
                            occurrences, hits_set looks at no others */

    /* stream_set: */
    struct scan_sets sets;
    uint64_t tile_bytes;

    struct scan_automaton automaton;
};

#endif
