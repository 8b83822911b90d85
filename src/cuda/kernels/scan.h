/* scan: constants and structures that the host and the scan kernels share
 *
 * A scan searches for occurrences that start at x in [begin, limit) of a text in device memory.
 * Most kernels cut the text into tiles. docs/kernels.md describes all kernels.
 */
#ifndef TRAWL_CUDA_KERNELS_SCAN_H
#define TRAWL_CUDA_KERNELS_SCAN_H

#include <stdint.h>

#include "cuda/kernels/samples.h"
#include "plan/layout.h"
#include "want.h"

/* maximum number of threads in a block, a multiple of 32; some kernels have another, below */
#define SCAN_THREADS_MAX 256u
#define SCAN_TILE_WORDS_MAX 2048u /* bitmap words of a tile: 64 Ki starts */
#define SCAN_SAMPLE_STEP 128u     /* method "sampled": samples of a warp's step, a *group* */
#define SCAN_SAMPLE_BYTES 16u     /* method "sampled": bytes of a sample */
#define SCAN_SAMPLE_WORDS_MAX \
    13u /* method "sampled": log2 of the maximum number of words of sample_words */
/* bytes after the text's end that kernels may load; they must be initialised */
#define SCAN_PADDING_BYTES 64u
/* maximum number of bytes after the last byte of a range that kernels load */
#define SCAN_AROUND_BYTES (15u + SCAN_PADDING_BYTES)
/* Maximum number of literals in a set that may occur at one position: with this bound, a thread of
 * the automaton counts its part's hits in 32 bits. */
#define SCAN_ALIKE_MAX (1u << 25)
#define SCAN_LITERALS_PADDING_BYTES 32u /* zeros after the last literal of a set */
#define SCAN_PATTERN_PADDING_BYTES 64u  /* zeros before and after the pattern in device memory */
/* the longest pattern for a device: offsets in a pattern have 32 bits */
#define SCAN_PATTERN_BYTES_MAX (1u << 30)

/* Eight bytes are compared by a sum (filter_sum): the low word times this, plus the high word. */
#define SCAN_SUM_FACTOR 0x9e3779b1u

/* A plane is the same bit of each byte of a text (plane.h). The longest window of a pattern that is
 * compared by planes, the maximum number of its bits that are compared first (the probe), and the
 * words in shared memory after those of a tile and of the window. */
#define SCAN_PLANE_WINDOW_MAX 32768u
#define SCAN_PLANE_PROBE_MAX 64u
#define SCAN_PLANE_WORDS_MORE 6u
#define SCAN_PLANE_WORDS_MAX \
    (SCAN_TILE_WORDS_MAX + SCAN_PLANE_WINDOW_MAX / 32u + SCAN_PLANE_WORDS_MORE)

/* stream.h: rows of 512 bytes that a warp loads together, as a step */
#define STREAM_ROWS 4u
#define STREAM_ROW_BYTES 512u
#define STREAM_STEP_BYTES (STREAM_ROWS * STREAM_ROW_BYTES)
/* tile_append_step leaves a step's hits in BINS_RUN_BYTES: up to BINS_RUN_MAX offsets, or a bit for
 * each position */
#define BINS_RUN_BYTES (STREAM_STEP_BYTES / 8u)
#define BINS_RUN_MAX (BINS_RUN_BYTES / 2u)
/* automaton.cu: a block has at most SCAN_COUNT_THREADS threads. Each loads SCAN_COUNT_BYTES of
 * its part of the text at a time, into SCAN_STAGE_BYTES of shared memory. These lie 80 bytes apart,
 * so lanes that read 16 bytes each meet different banks. */
#define SCAN_COUNT_THREADS 512u
#define SCAN_COUNT_BYTES 64u
#define SCAN_STAGE_BYTES 80u

/* stream_set: maximum number of entries of a warp's two queues. In the variant for texts where few
 * samples pass the bitmap, both have SCAN_SETS_RARE entries, and each entry of the first has
 * SCAN_SETS_AROUND words of 64 bits of the text. */
#define SCAN_SETS_FIRST 192u
#define SCAN_SETS_SECOND 96u
#define SCAN_SETS_RARE 64u
#define SCAN_SETS_AROUND 4u
/* bytes of a warp's struct sets_warp in shared memory that a variant uses */
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
/* With at least this stride, the variant for texts where few samples pass the bitmap sets one more
 * bit for a gram in its word of the bitmap, chosen by the lowest bits of its hash. */
#define SCAN_SETS_MORE_STRIDE 4u
/* If a gram's hash is shifted right by one of these, its lowest five bits are the number of one of
 * the gram's bits in its word of the bitmap. */
#define SCAN_SETS_SHIFT 6u
#define SCAN_SETS_SHIFT_SECOND 11u
#define SCAN_SETS_END UINT64_MAX
/* The largest value of scan_sets.items_max, the maximum number of entries of a list after its
 * first. In a list's head, SCAN_SETS_ITEMS_MAX + 1 stands for any larger number. */
#define SCAN_SETS_ITEMS_MAX ((1u << 20) - 2u)
/* The largest offset in a literal at which its run begins; a run is those of the literal's grams
 * that are in the tables. */
#define SCAN_SETS_RUN_MAX 64u
#define SCAN_SETS_RARITY 12u
/* Each form X(s, q, c) is two kernels of stream_set, one of each variant:
 *
 *   s   the stride; 16 is also used for multiples of 16
 *   q   bytes of a gram. With c = 1, the form is also used for shorter grams: q = 8 for 4 to 8
 *       bytes, q = 16 for 9 to 16
 *   c   of so many grams at consecutive bytes, the one with the lowest hash is the sample */
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

/* How "every" and "grams" compare (scan_arguments.gram_kind). After an exact comparison, candidates
 * need not be verified. */
enum scan_gram_kind {
    SCAN_GRAM_BYTE,  /* a byte, no fold; exact */
    SCAN_GRAM_SHORT, /* 2 and 3 bytes, no fold: a word, of which gram_mask[0] counts; exact */
    SCAN_GRAM_WORD,  /* 4 bytes, no fold: a word; exact */
    SCAN_GRAM_LONG,  /* 8 bytes and more, no fold: two words; exact for a pattern of 8 bytes */
    /* two words, both or-ed with a fold and masked; exact for patterns of up to 8 bytes */
    SCAN_GRAM_MASKED,
    /* method "grams": at every s-th position, 4 to 8 bytes are compared with s grams; s: 2, 4, 8 */
    SCAN_GRAM_STRIDE_2,
    SCAN_GRAM_STRIDE_4,
    SCAN_GRAM_STRIDE_8
};

/* The sums of a grid. All words are zero before a launch; its last block passes the first three to
 * the host, one by one (tile_report_count), and resets all for the next one. */
struct scan_result {
    uint64_t count;
    uint64_t candidates; /* positions that pass the filter */
    /* dense tiles; in stream kernels, tiles or groups that were given up; for sets, above 0 if the
     * budget was used up */
    uint64_t dense_count;
    uint64_t ticket; /* the next tile or group */
    /* tiles or groups that a stream kernel has listed or given up; a kernel for sets raises this
     * above listed_max if the budget is used up */
    uint64_t listed;
};
/* the first words, to which each block adds the sums of its threads */
#define SCAN_SUMS 3u
/* The low SCAN_SUM_BITS of a count's word are the count. The bits above count the blocks that have
 * added to it; for the host the top bit, SCAN_THERE, says that the count is complete. The host
 * bounds the starts of a launch so that the count fits (cuda_choose_begins_max). */
#define SCAN_SUM_BITS 48u
#define SCAN_BLOCKS_MAX 65535u
#define SCAN_THERE (1ull << 63)

/* The plane of the pattern's window: bit `bit` of each byte of the window. */
struct scan_plane {
    const uint32_t *words; /* words of 32 bits, the lowest bit first */
    uint32_t window_at;    /* offset in the pattern at which the window begins; a multiple of 8 */
    uint32_t window_bytes;
    uint32_t has_rest; /* 1: the pattern's bytes outside of the window must be compared, too */
    uint32_t bit;
    uint32_t probe_bits; /* 8 to 64; 0: the pattern is too short for planes */
    uint32_t probe_at;   /* offset in the window at which the probe begins */
    uint32_t period; /* the plane's smallest period if ≤ window_bytes / 2, else window_bytes */
    uint32_t byte_period; /* the bytes' smallest period if ≤ window_bytes / 2, else 0 */
    /* if byte_period > 0: this many bytes of an occurrence must equal the bytes one period later */
    uint32_t byte_run;
    uint32_t flip[SCAN_PLANE_PROBE_MAX]; /* ~0 where the probe's bit is 0, else 0 */
    uint32_t flip_last[8];               /* `flip` of the probe's last eight bits */
};

/* The tables of stream_set (sets.h explains gram, run, list and key). */
struct scan_sets {
    uint32_t *filter; /* filter_words words: the bitmap that is copied to shared memory */
    uint64_t *table;  /* table_words words: the bitmap in L2 */
    /* head_count pairs, one for each list. The first word is the list's first entry, or
     * SCAN_SETS_END if the list is empty. The second word has the end of the later entries in
     * `entries`, their number, and a filter (sets.h) */
    uint64_t *heads;
    uint64_t *entries;  /* an entry is its gram's key << 32, plus the gram's place and number
                           (SETS_INDEX_BITS in sets.h) */
    uint64_t *taken;    /* words of `entries` that are given to lists */
    uint32_t *literals; /* 4 words for each literal: where its bytes begin, in words of
                           literal_bytes; its number of bytes; where its run of grams begins;
                           its number in the plan */
    /* the rarity of each byte value: -log2 of the value's expected fraction of the bytes, times
     * 2^SCAN_SETS_RARITY */
    const uint32_t *rarity;
    /* a gram's number is literal * stride + the offset of its sample in the literal's run */
    uint32_t literal_count;
    uint32_t filter_words;  /* a multiple of 4 */
    uint32_t bit_shifts[2]; /* shifts of a hash that give a gram's two bits; equal: a single bit */
    /* 1: each gram sets an additional bit, which the hash's lowest bits choose */
    uint32_t one_more;
    uint32_t table_words;
    uint32_t head_count;
    uint32_t stride, stride_log2;
    uint32_t choices;
    uint32_t tagged; /* 1: an entry's key also depends on the bytes next to its gram */
    /* 24: the filter of a list uses one byte next to a gram; 16: two. Four bytes are loaded; a
     * shift by this many bits drops the others. */
    uint32_t beside_shift;
    uint32_t gram_bytes;
    uint32_t words; /* number of words of a gram */
    /* factors of a gram's words; the last factor drops bytes beyond the gram */
    uint32_t factors[4];
    uint32_t fold; /* or-ed into the words */
    uint32_t offset_max;
    uint32_t budget; /* budget of verification for each step of a warp */
    uint32_t shared_bytes;
    /* maximum number of entries in a list after its first; a longer list ends the search */
    uint32_t items_max;
};

/* The automaton of a set (automaton.cu). A state's number is the index of its row in `rows`. Its
 * *chain* has the states of all literals with which its string begins, from the longest literal to
 * the shortest. A row has a transition for each class of bytes: the next state's number, and above
 * it (SCAN_STATE_BITS) how many literals end at the next state or at a later one of its chain, at
 * most SCAN_COUNT_MANY. Then SCAN_STATE_WORDS words follow: how many literals end at the state or
 * at a later one of its chain; where those that end at the state itself begin in `ends`; their
 * number; and the next state of the chain, 0 at its end. */
struct scan_automaton {
    uint32_t *rows;
    const uint32_t *ends;    /* literal numbers, ascending for each state */
    const uint32_t *classes; /* the classes of the 256 bytes, four to a word */
    const uint32_t *levels;  /* levels[n]: the first state to which n bytes lead */
    /* a struct scan_node for each state; then for each state the row of the state to which it
     * fails (automaton_rows) */
    uint32_t *nodes;
    uint32_t node_count;
    uint32_t class_count;
    uint32_t is_range; /* 1: the class of a byte is min(byte - low, class_count - 1) */
    uint32_t low;
    uint32_t reach;      /* the longest literal's number of bytes, minus 1 */
    uint32_t part_bytes; /* bytes of a thread's part: a multiple of SCAN_COUNT_BYTES */
    uint32_t kept_words; /* words of `rows` in shared memory: a multiple of 4, and all words but up
                            to 3 of the last SCAN_STATE_WORDS; 0: none */
};
#define SCAN_STATE_BITS 28u
#define SCAN_STATE_NUMBER ((1u << SCAN_STATE_BITS) - 1u)
/* stands for itself and any larger number, which the row then has */
#define SCAN_COUNT_MANY 15u
#define SCAN_STATE_WORDS 4u

/* A state as the host describes it to automaton_rows. Its children are the states to which one byte
 * more leads; their numbers follow each other. */
struct scan_node {
    uint32_t children;    /* the first child's number */
    uint32_t count_class; /* number of children, plus the class of the byte that leads here << 16 */
    uint32_t ends;        /* where the literals that end here begin in scan_automaton.ends */
    uint32_t end_count;   /* number of literals that end here */
};

/* What the arguments of all kernels that search begin with. */
struct scan_arguments {
    const uint8_t *text; /* 256-byte aligned */
    uint64_t begin;
    uint64_t limit;    /* starts at or beyond `limit` are not searched; limit > begin */
    uint64_t text_end; /* end of the text; SCAN_PADDING_BYTES further bytes can be loaded */
    struct scan_result *result;
    struct scan_result *answer; /* in the host's memory */
    /* Kernels that count, unless NULL: `capacity` slots for each bin (bins.cu), for hits in any
     * order (tile_append), each literal << 32 | x - begin; or what tile_append_step leaves.
     * mark_automaton: a bit for each position from `position` on, as bins_marks reads them.
     * write_automaton: the hits, ascending, each hits_base + x - begin, plus hits_literal *
     * literal. */
    uint64_t *hits;
    /* slots of a bin; write_automaton: of all of `hits`. Hits without a slot are only counted */
    uint64_t capacity;
    /* the number of hits of each bin; count_automaton, unless NULL, and mark_automaton: of each
     * thread's part */
    uint32_t *bin_counts;
    uint32_t bin_shift;  /* a hit at x is in bin (x - begin) >> bin_shift */
    uint64_t position;   /* where the first tile begins: a multiple of 16, at most begin + shift */
    uint64_t listed_max; /* a kernel abandons the launch once result->listed is above this */
    /* number of tiles; for stream_sampled, of groups of SCAN_SAMPLE_STEP samples */
    uint32_t tile_count;
    uint32_t fold; /* 1: compare letters without case; patterns are in lower case */
};

/* The arguments of the kernels for a single pattern. */
struct pattern_arguments {
    struct scan_arguments scan;
    /* STREAM_STEP_BYTES + 8 bytes that a stream loads in place of a step that is not whole */
    const uint8_t *spare;
    /* Stream kernels write the numbers of dense tiles here, and tile kernels then search these.
     * NULL: tile kernels search all tiles. */
    uint32_t *tile_list;
    /* words of a tile's bitmap; for tile kernels a multiple of the block's threads */
    uint32_t tile_words;
    /* the number 1, in an argument so that the compiler does not know it (simt_add_equal) */
    uint32_t one;
    const uint64_t *pattern; /* the pattern's bytes, between SCAN_PATTERN_PADDING_BYTES of zeros */
    uint32_t pattern_bytes;
    uint32_t shift; /* for an occurrence at x, the filter compares the text at x + shift */
    /* a tile is dense, or given up, after this many verifying steps of a warp, 256 bytes each. If a
     * single lane compares the whole pattern, scan_stream gives a tile up after a
     * quarter of them. */
    uint32_t verify_budget;
    uint32_t is_exact; /* 1: a candidate of the filter is an occurrence */
    uint32_t gram_kind;
    uint32_t gram[3]; /* two words, then the last word of a pattern of 5 to 8 bytes */
    uint32_t gram_fold[2];
    uint32_t gram_mask[2];
    /* "grams" compares every s-th position with s grams. stride_sums: their fingerprints
     * (filter_sum). stride_fold: bits that are or-ed into the text's words. stride_keep: a mask of
     * the bytes that a gram has in its second word. */
    uint32_t stride_sums[8];
    uint32_t stride_fold;
    uint32_t stride_keep;
    struct scan_plane plane;
    /* Method "sampled": */
    const uint32_t *heads; /* for each hash, the list (samples.h) of the offsets whose gram has the
                              hash */
    const uint32_t *sample_entries; /* the entries of lists with two or more entries */
    const uint32_t *sample_words;   /* a gram's hash sets two bits of one word */
    /* position of the first sample: a multiple of the stride, at most begin */
    uint64_t sample_base;
    uint32_t sample_first;  /* the first sample at or after `begin`; earlier ones are not read */
    uint32_t sample_count;  /* samples, fewer than 2^32 - 2^9; see scan_sample_position */
    uint32_t ticket_groups; /* stream_sampled: groups that a ticket stands for */
    uint32_t sample_fold;   /* or-ed into the text's words */
    uint32_t sample_words_log2;
    /* stream_sampled: maximum work for the samples that a warp has queued: steps through lists,
     * plus verifying steps of a warp, 256 bytes each */
    uint32_t sample_budget;
    uint32_t stride;      /* a multiple of SCAN_SAMPLE_BYTES; of 32 if sample_pair is 1 */
    uint32_t sample_pair; /* 1: two samples at each stride, 0: a single sample */
    uint32_t hash_bits;   /* log2 of the number of heads */
    /* above 0: tile_list has groups, each of up to group_tiles tiles; 0: tile_list has tiles */
    uint32_t group_tiles;
};

/* The arguments of the kernels of stream_set.cu. */
struct set_arguments {
    struct scan_arguments scan;
    const uint64_t *literal_bytes; /* each literal begins at a multiple of 8, zero padded */
    struct scan_sets sets;
    uint64_t tile_bytes;
    uint32_t tile_steps; /* stream_set: steps of a warp in a tile */
};

/* The arguments of the kernels of automaton.cu. */
struct automaton_arguments {
    struct scan_arguments scan;
    uint64_t hits_base;
    uint64_t hits_literal;
    const uint64_t *part_ends; /* write_automaton: how many hits are in each part and all before */
    struct scan_automaton automaton;
};

#endif
