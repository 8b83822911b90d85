/* layout: the plain structs of a plan that all engines read.
 *
 * Nothing here has a pointer: an engine with memory of its own gets the same bytes. All numbers are
 * in the machine's byte order (little-endian on every machine trawl runs on).
 */
#ifndef TRAWL_PLAN_LAYOUT_H
#define TRAWL_PLAN_LAYOUT_H

#include <stdint.h>

#define PLAN_PROBES_MAX 16u
#define PLAN_PROBE_SPAN_BYTES 64u /* probes of one literal lie within this many bytes */
#define PLAN_NONE UINT32_MAX

/* One byte of a literal that is looked at: (text[x + offset] | fold) == value. fold is 0x20 for
 * letters when case is ignored, else 0. A value in a..z with fold 0x20 is met by that letter's two
 * cases alone, so a probe says exactly whether its byte matches. */
struct plan_probe {
    uint64_t offset;
    uint8_t value;
    uint8_t fold;
    uint8_t reserved[6];
};

/* Method "grams": looks at every stride-th position, and at q bytes there. The bytes at position
 * i that equal gram[o], o in [0, stride), propose the occurrence that begins offset + o bytes
 * before i.
 *
 * For vectors that test 8 bytes at once, a byte is its class, its low three bits: a letter's two
 * cases share one, and A, C, G, T have four. Aligned words of 8 bytes hold 8 / stride grams or
 * parts of such: bit b stands for the one that begins at byte b - b % stride of a word and for
 * o = stride - 1 - b % stride. Bit b of classes[8 * j + class] is clear if byte j of a word may be
 * of that class for it; byte b of begun, and of carried, has bit 7 - j set if byte j belongs to the
 * gram that began in this word, and in the one before. */
#define PLAN_GRAM_STRIDE_MAX 8u
#define PLAN_GRAM_BYTES 8u

struct plan_grams {
    uint64_t offset;
    uint32_t stride; /* 8, 4, 2 or 1 */
    uint32_t q;      /* 4 to 8 */
    uint64_t fold;   /* or-ed into the 8 bytes at a position: 0 or 0x2020... */
    uint64_t keep;   /* of the 8 bytes at a position, the q first */
    uint64_t gram[PLAN_GRAM_STRIDE_MAX];
    uint64_t begun;
    uint64_t carried;
    uint8_t classes[64];
};

/* Method "sampled": the q bytes at every stride-th position, hashed, name the pattern offsets whose
 * q bytes hash alike. chain heads: heads[hash], then next[offset], PLAN_NONE ends; offsets of a
 * chain descend, so that proposed begins ascend. Most samples name none: a bit of a bitmap says so.
 */
struct plan_sampled {
    uint64_t stride;
    uint32_t q; /* 8 */
    uint32_t hash_bits;
    uint32_t bitmap_bits; /* log2 of the bitmap's bits */
    uint32_t reserved;
    uint64_t fold; /* or-ed into the 8 bytes before hashing: 0 or 0x2020... */
};

/* Method "set": the first q bytes at each position, hashed, test a bit; a bucket then lists
 * literals whose first bytes, as many as all have but at most 8, hash alike. Four bytes are what
 * vectors hash at every position; eight tell literals apart that begin alike (10,000 of "key-0000"
 * would share one bucket, 16-mers of DNA 256).
 */
struct plan_set {
    uint32_t q;           /* 1 to 4 */
    uint32_t bitmap_bits; /* log2 of the bitmap's bits */
    uint32_t bucket_bits; /* log2 of the bucket count */
    uint32_t fold;        /* or-ed into the gram before hashing */
    uint32_t gram_mask;   /* keeps q bytes of a 32-bit load */
    uint32_t wide_mask;   /* keeps what literals of 5 to 8 bytes have of the next 4 bytes */
    uint32_t reserved;
    uint64_t head_fold; /* the same for the bytes that choose the bucket */
    uint64_t head_mask;
};

#define PLAN_HASH32_FACTOR 0x9e3779b1u

/* The hashes of the two table methods (multiplicative, Knuth 1973, section 6.4). */
static inline uint32_t plan_hash32(uint32_t gram, uint32_t bits)
{
    return (gram * PLAN_HASH32_FACTOR) >> (32u - bits);
}

/* Of a gram's four bytes and the next, as far as all literals have such: where the text has few
 * different bytes, four of them say little (1,000 16-mers of DNA hold every gram). The fold is of
 * four whole bytes here. */
#define PLAN_WIDE_SHIFT 3

static inline uint32_t plan_hash_wide(const struct plan_set *set, uint64_t head)
{
    uint32_t low = (uint32_t)head | set->fold;
    uint32_t high = ((uint32_t)(head >> 32) | set->fold) & set->wide_mask;

    return plan_hash32(low ^ high << PLAN_WIDE_SHIFT, set->bitmap_bits);
}

static inline uint32_t plan_hash64(uint64_t gram, uint32_t bits)
{
    return (uint32_t)((gram * 0x9e3779b97f4a7c15ull) >> (64u - bits));
}

#endif
