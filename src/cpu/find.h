/* find: candidate bitmaps, one implementation per instruction set.
 *
 * A tile is up to FIND_TILE_WORDS * 64 positions of text. The functions fill its mask: bit i of
 * word w belongs to position 64 * w + i. Where candidates are rare they also list the words that
 * are not 0, so that the caller need not look for them. They load whole vectors: the text must be
 * readable for FIND_LOAD_SLACK bytes beyond the last byte that the answer depends on.
 * find_portable.c is the reference; every other variant is tested against it.
 */
#ifndef TRAWL_CPU_FIND_H
#define TRAWL_CPU_FIND_H

#include "plan/plan.h"

#define FIND_LOAD_SLACK 64u
#define FIND_FIRST_MAX 8u

#define GRAM_MIX_SHIFT 3 /* how vectors bring the halves of a gram together: find_grams.h */

#define FIND_TILE_WORDS 256u /* 16 KiB of text: with its mask it stays in the first-level cache */

struct find_tile {
    bool is_dense;      /* hot is not filled: any word may have bits */
    uint32_t hot_count; /* dense: 0 says that no word has a bit */
    uint64_t passed;    /* every: words in which a position passed the first probes */
    uint64_t mask[FIND_TILE_WORDS];
    uint16_t hot[FIND_TILE_WORDS]; /* ascending indexes of the words that are not 0 */
};

struct set_class;
struct set_passed;

struct find_ops {
    const char *name;
    /* Bit x: probes 0 to probe_count - 1 all match at text + x. Depends on text bytes up to
     * 64 * word_count - 1 + the greatest probe offset. The first `first` probes (1 to
     * FIND_FIRST_MAX, at most probe_count) are tested everywhere, the others only in words where a
     * position passed those. Dense if first is probe_count, or if the variant tests all of them
     * everywhere since that costs no more. */
    void (*every)(const uint8_t *text, uint64_t word_count, const struct plan_probe *probes,
                  uint32_t first, uint32_t probe_count, struct find_tile *tile);
    /* Grams at text - 8, text - 8 + stride, ...: number i sets bit stride * i + stride - 1 - o at
     * least where it equals grams->gram[o]. Depends on text bytes -8 to 64 * word_count - 1. */
    void (*grams)(const uint8_t *text, uint64_t word_count, const struct plan_grams *grams,
                  struct find_tile *tile);
    /* Bit x is set at least where the gram at text + x is a literal's, by the bitmap, which is the
     * wide one if set->wide_mask is not 0. Depends on text bytes up to 64 * word_count + 6. */
    void (*set)(const uint8_t *text, uint64_t word_count, const struct plan_set *set,
                const uint64_t *bitmap, struct find_tile *tile);
    /* Bit x: what is at text + x passes the tables. Depends on text bytes up to
     * 64 * word_count + PLAN_NIBBLE_REACH - 2. Without vectors for that, `set` is quicker. */
    bool has_quick_nibbles;
    void (*nibbles)(const uint8_t *text, uint64_t word_count, const struct plan_nibbles *nibbles,
                    struct find_tile *tile);
    /* The first position where a and b differ, `count` if none. */
    uint64_t (*mismatch)(const uint8_t *a, const uint8_t *b, uint64_t count);
    /* How many bits the tile's words have. */
    uint64_t (*count_bits)(const struct find_tile *tile, uint64_t word_count);
    /* A class whose stride is more than 1: samples at first, first + stride, ... below `last` whose
     * grams pass, and how many. Depends on the grams, and on 8 bytes where they are shorter. */
    uint32_t (*gram_samples)(const uint8_t *text, uint64_t first, uint64_t last,
                             const struct set_class *class, uint64_t fold,
                             struct set_passed *passed);
    /* Steps of a class that goes by stems; each may write SET_ROOM more than it counts, and returns
     * how many positions that is. Positions are below 2^32.
     * stem_samples: of samples that tell of begins in [begin, end), those whose four bytes pass;
     * text is readable up to `readable`.
     * stem_begins: of positions and up to stride - 1 before each, those in [begin, end) whose first
     * stem_min bytes pass; it depends on 8 bytes from each of them on. */
    uint32_t (*stem_samples)(const uint8_t *text, uint64_t begin, uint64_t end, uint64_t readable,
                             const struct set_class *class, uint64_t fold, uint32_t *places);
    uint32_t (*stem_begins)(const uint8_t *text, const uint32_t *places, uint32_t place_count,
                            uint64_t begin, uint64_t end, const struct set_class *class,
                            uint64_t fold, uint32_t *begins);
};

extern const struct find_ops find_portable;
#if defined(__x86_64__)
extern const struct find_ops find_avx2;
extern const struct find_ops find_avx512;
extern const struct find_ops find_avx512vbmi;
#elif defined(__aarch64__)
extern const struct find_ops find_neon;
#endif

/* By name; NULL name: the best. NULL: no such variant here. */
const struct find_ops *find_by_name(const char *name);

#endif
