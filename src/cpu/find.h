/* find: functions that find candidates, the positions where a pattern may occur, with vectors. Each
 * instruction set has its own implementation of them (a variant).
 *
 * The text is searched in tiles of up to 64 * FIND_TILE_WORDS positions. Bit i of word w of a
 * tile's mask is set if position 64 * w + i is a candidate. Where candidates are rare, the
 * functions also list the words that are not 0, so that the caller need not look for them. A probe
 * tests one byte of the pattern; a gram is a sequence of q bytes of a pattern.
 *
 * Most functions load whole vectors, so the text must be readable for FIND_LOAD_SLACK bytes after
 * the last byte on which the result depends. find_portable.c is the variant in plain C, which any
 * machine can run.
 */
#ifndef TRAWL_CPU_FIND_H
#define TRAWL_CPU_FIND_H

#include "base/checked.h"
#include "plan/nibbles.h"
#include "plan/plan.h"

#define FIND_LOAD_SLACK 64u
/* bytes that a set's filters may read at a position: the tested bytes, then a whole vector */
#define FIND_SET_KEPT (PLAN_NIBBLE_REACH - 1u + FIND_LOAD_SLACK)
/* Distance from the bytes that a loop tests to those that it prefetches. With hardware prefetching
 * alone, rare words were searched at 0.78 x the memory bandwidth (EPYC, family 26); with 1 KiB at
 * 0.74, 2 KiB at 0.83, 4 KiB at 0.91. Sets that are searched by samples took 1.2 to 2.1 x the time
 * (Xeon, family 6, model 207, 1,000 to 30,000 strings of 12 to 100 bytes). A prefetch never faults,
 * so addresses beyond the text are harmless. */
#define FIND_AHEAD_BYTES 4096u
#define FIND_PAIR_ROOM 256u

/* shift with which vectors combine the two halves of a gram (find_grams.h) */
#define GRAM_MIX_SHIFT 3

/* 16 KiB of text, so that the text and its mask fit the L1 cache together */
#define FIND_TILE_WORDS 256u

struct find_tile {
    bool is_dense; /* many words may have bits, so `hot` is not filled */
    /* number of entries of `hot`; if is_dense: 0 if the mask has no bit, otherwise not 0 */
    uint32_t hot_count;
    /* set by `every`: number of words in which a position passed the first probes; 0 if is_dense */
    uint64_t passed;
    uint64_t mask[FIND_TILE_WORDS];
    uint16_t hot[FIND_TILE_WORDS]; /* indexes of the words that are not 0, ascending */
};

/* The words that may have bits: word number tile_word(tile, i) for each i < tile_words(tile, all),
 * where the tile has `all` words. */
static inline uint64_t tile_words(const struct find_tile *tile, uint64_t all)
{
    TRAWL_ASSERT(all <= FIND_TILE_WORDS && (tile->is_dense || tile->hot_count <= all));
    return tile->is_dense ? all : tile->hot_count;
}

static inline uint64_t tile_word(const struct find_tile *tile, uint64_t i)
{
    return tile->is_dense ? i : tile->hot[i];
}

/* Clears the tile's bits at `positions` and after, which must all be in the last word. */
static inline void tile_cut(struct find_tile *tile, uint64_t word_count, uint64_t positions)
{
    TRAWL_ASSERT(word_count > 0 && word_count <= FIND_TILE_WORDS);
    TRAWL_ASSERT(positions > 64 * (word_count - 1));
    if (positions < 64 * word_count)
        tile->mask[word_count - 1] &= (1ull << positions % 64) - 1;
}

/* A set of byte values. */
struct find_bytes {
    bool has[256];
    /* the same set as nibble tables for one byte; exact, because each high half has its own slot */
    struct plan_nibbles nibbles;
};

/* The first bytes of some literals, as five pairs of adjacent bytes. A pair is mapped to one of 128
 * values. The literals are divided into 8 slots; bit c of slots[j][v] is set if pair j of a literal
 * in slot c has the value v, or if a literal in the slot is too short for pair j. A position is a
 * candidate if some slot has the values of all its pairs. */
#define FIND_PAIRS 5u

struct find_pair_table {
    /* aligned to cache lines, so that no load touches two */
    _Alignas(64) uint8_t slots[FIND_PAIRS][128];
    uint8_t fold; /* or-ed into each byte of the text, to ignore the case of letters */
};

static inline uint32_t find_pair(uint32_t first, uint32_t second)
{
    return (first ^ second << 2) & 127;
}

/* The first six bytes of some literals, as trigrams. The search looks up samples: the trigrams at
 * every second byte of the text. The literals are divided into 8 slots. The four bytes of a
 * trigram's entry are sets of slots: those of the literals that have the trigram at
 *
 *   byte 0 (the lowest)   offset 1
 *   byte 1                offset 0
 *   byte 2                offset 3
 *   byte 3                offset 2
 *
 * 1 comes before 0, and 3 before 2, so that the bytes are in the order of the starts: literals of
 * byte 0 begin one byte before the sample, those of byte 1 at it. If a literal ends inside a
 * trigram at offset 1, it is in the entry of every trigram that may continue it; if it ends inside
 * or before one at offset 2 or 3, it is in all entries. A start contains two samples: the first at
 * its position or a byte later, the second two bytes after the first. It is a candidate if some
 * slot allows both:
 *
 *   text       s t o r m .     slot 0 has "form", slot 1 has "storm"
 *   samples    s t o           start s: "sto" at offset 0: slot 1; "orm" at 2: slots 0 and 1, since
 *                  o r m       "form" ends there: a candidate
 *                              start t: "orm" at 1: slot 0; "m.." at 3: slots 0 and 1: a candidate,
 *                              although "torm" is not a literal
 */
#define FIND_TRIGRAM_BITS 13u
/* factors of a trigram's hash; the lowest 5 bits of _THIRD are 0, so that a fourth byte in the same
 * load does not change the hash */
#define FIND_TRIGRAM_FIRST 0x41f3u
#define FIND_TRIGRAM_THIRD 0x5f60u
#define FIND_TRIGRAMS_MIN 3u /* bytes of the shortest literal that trigrams can find */

struct find_trigrams {
    _Alignas(64) uint32_t slots[1u << FIND_TRIGRAM_BITS];
    uint8_t fold; /* or-ed into each byte of the text, to ignore the case of letters */
};

static inline uint32_t find_trigram(uint8_t first, uint8_t second, uint8_t third)
{
    return ((first | (uint32_t)second << 8) * FIND_TRIGRAM_FIRST + third * FIND_TRIGRAM_THIRD) &
           ((1u << FIND_TRIGRAM_BITS) - 1);
}

struct set_class;
struct set_span;
struct set_passed;

struct find_ops {
    const char *name;
    /* the variant's nibble tables are indexed by six low bits of a byte instead of four
     * (plan_nibbles_want) */
    bool looks_six;
    /* Sets bit x if probes 0 to probe_count - 1 all match at text + x. Depends on text bytes up to
     * 64 * word_count - 1 + the greatest probe offset. Tests the first `first` probes at every
     * position, 1 ≤ first ≤ min(PLAN_FIRST_PROBES_MAX, probe_count), and the others only in words
     * where a position passed these; a variant may also test them everywhere. The tile is dense if
     * all probes were tested at every position. */
    void (*every)(const uint8_t *text, uint64_t word_count, const struct plan_probe *probes,
                  uint32_t first, uint32_t probe_count, struct find_tile *tile);
    /* Tests the grams at text - 8, text - 8 + stride, ... Sets bit stride * i + stride - 1 - o if
     * gram number i of the text equals grams->gram[o], the literal's gram at grams->offset + o. May
     * have false positives, which the caller rejects. Depends on text bytes -8 to 64 * word_count -
     * 1. */
    void (*grams)(const uint8_t *text, uint64_t word_count, const struct plan_grams *grams,
                  struct find_tile *tile);
    /* Sets bit x, for x < positions, if the 8 bytes at text + x begin with a gram of the set
     * according to the bitmap, which has false positives. Uses the wide bitmap if set->wide_mask is
     * not 0. Depends on text bytes up to positions + 6. */
    void (*set)(const uint8_t *text, uint64_t positions, const struct plan_set *set,
                const uint64_t *bitmap, struct find_tile *tile);
    /* Sets bit x if the bytes at text + x pass the nibble tables (plan/nibbles.h). Depends on text
     * bytes up to 64 * word_count + PLAN_NIBBLE_REACH - 2. The tile is dense if the tables are for
     * a single byte. NULL if the function `set` is faster with this instruction set. */
    void (*nibbles)(const uint8_t *text, uint64_t word_count, const struct plan_nibbles *nibbles,
                    struct find_tile *tile);
    /* Compares the first `count` bytes of `literal`, 1 ≤ count ≤ 64, with the text at each set bit
     * of the tile, and clears the bit if they differ. Returns how many bits it cleared; *position
     * is the position of one of them. 64 bytes of `literal` are readable. Depends on text bytes up
     * to 64 * word_count + 62. */
    uint64_t (*sieve)(const uint8_t *text, uint64_t word_count, const uint8_t *literal,
                      uint32_t count, struct find_tile *tile, uint64_t *position);
    /* Returns the first offset at which a and b differ; `count` if the bytes are equal. */
    uint64_t (*mismatch)(const uint8_t *a, const uint8_t *b, uint64_t count);
    /* Returns the first offset at which the text has one of two bytes; `count` if there is none.
     * The text must be readable for FIND_LOAD_SLACK bytes after `count`. */
    uint64_t (*either)(const uint8_t *text, uint64_t count, uint8_t value, uint8_t other);
    /* Returns the number of bits that are set in the tile's words. */
    uint64_t (*count_bits)(const struct find_tile *tile, uint64_t word_count);
    /* Writes the positions x in [*from, to) at which the first two probes match at text + x, in
     * ascending order, and returns their number. May drop positions at which the third probe does
     * not match. Stops before the positions might exceed `room`, which is at least FIND_PAIR_ROOM,
     * and sets *from to where the next call continues. Loads no byte after those that the probes
     * test at to - 1, and so none after the text. */
    uint32_t (*pair)(const uint8_t *text, uint64_t *from, uint64_t to,
                     const struct plan_probe probes[3], uint32_t *positions, uint32_t room);
    /* Searches for a class of literals (cpu/set_class.h) with grams, at a stride > 1. Tests the
     * samples (q bytes each) of the text at first, first + stride, ... below `last`. Stores the
     * samples that pass the class's bitmap in *passed, and returns their number. Depends on max(q,
     * 8) bytes at each sample. */
    uint32_t (*gram_samples)(const uint8_t *text, uint64_t first, uint64_t last,
                             const struct set_class *class, uint64_t fold,
                             struct set_passed *passed);
    /* Three functions for a class that is searched with stems: a stem is the first (up to) 8 bytes
     * of a literal. Each returns how many entries it wrote, and may overwrite up to SET_ROOM
     * entries after them. Positions are less than 2^32.
     *
     * `stem_samples` writes the positions of the samples whose four bytes pass the class's bitmap,
     * among those that can lie in a literal that starts in a span. The spans ascend; text is
     * readable up to `readable`. `stem_begins` examines each position in `positions` and the stride
     * - 1 positions before it, and writes the starts in [begin, end) whose first stem_min bytes
     * pass the stem map. `stems` writes the stems at the starts that pass the stem map, as
     * class_stem_code of (start - base). The last two depend on 8 bytes at each start. */
    uint32_t (*stem_samples)(const uint8_t *text, const struct set_span *spans, uint32_t span_count,
                             uint64_t readable, const struct set_class *class, uint64_t fold,
                             uint32_t *positions);
    uint32_t (*stem_begins)(const uint8_t *text, const uint32_t *positions, uint32_t position_count,
                            uint64_t begin, uint64_t end, uint32_t stride,
                            const struct set_class *class, uint64_t fold, uint32_t *begins);
    uint32_t (*stems)(const uint8_t *text, const uint32_t *begins, uint32_t begin_count,
                      uint32_t base, const struct set_class *class, uint64_t fold, uint32_t *codes);
    /* Writes base + x for each set bit x of the tile if the four bytes at text + base + x pass the
     * class's bitmap. Returns how many positions it wrote. May overwrite up to SET_ROOM entries
     * after them. */
    uint32_t (*positions)(const uint8_t *text, const struct find_tile *tile, uint32_t base,
                          const struct set_class *class, uint64_t fold, uint32_t *positions);
    /* Sets bit x if all pairs of bytes at text + x share a slot (struct find_pair_table). Depends
     * on text bytes up to 64 * word_count + 5. NULL if the instruction set has no fast test of
     * pairs. */
    void (*pairs)(const uint8_t *text, uint64_t word_count, const struct find_pair_table *pairs,
                  struct find_tile *tile);
    /* Sets bit x if both samples of start text + x share a slot (struct find_trigrams). Depends on
     * text bytes up to 64 * word_count + 5. NULL if the instruction set has no gather. */
    void (*trigrams)(const uint8_t *text, uint64_t word_count, const struct find_trigrams *trigrams,
                     struct find_tile *tile);
};

struct engine;

/* The host's engine is no more than its search functions, which never change. */
static inline const struct find_ops *find_of(const struct engine *engine)
{
    return (const struct find_ops *)(const void *)engine;
}

extern const struct find_ops find_portable;
#if defined(__x86_64__)
extern const struct find_ops find_avx2;
extern const struct find_ops find_avx512;
extern const struct find_ops find_avx512vbmi;
#elif defined(__aarch64__)
extern const struct find_ops find_neon;
#endif

#endif
