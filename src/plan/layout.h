/* layout: the plain structs of a plan that all engines read.
 *
 * The structs have no pointers, so an engine can copy the bytes to a GPU's memory unchanged. All
 * numbers are in the machine's byte order, which is little-endian on every machine that trawl
 * supports.
 */
#ifndef TRAWL_PLAN_LAYOUT_H
#define TRAWL_PLAN_LAYOUT_H

#include <stdint.h>

#define PLAN_PROBES_MAX 16u
#define PLAN_PROBE_SPAN_BYTES 64u /* all probes of a literal lie within this many bytes */
#define PLAN_NONE UINT32_MAX

/* A probe, a test of a single byte of a literal: (text[x + offset] | fold) == value. fold is 0x20
 * for letters if case is ignored, else 0. With fold 0x20, only the two cases of the letter `value`
 * (a to z) pass, so the probe is exact. */
struct plan_probe {
    uint64_t offset;
    uint8_t value;
    uint8_t fold;
    uint8_t reserved[6];
};

/* Method "grams": the search loads q bytes at every stride-th position, and compares them with
 * gram[o], the literal's q bytes at offset + o, for 0 ≤ o < stride. If the bytes at position i
 * equal gram[o], an occurrence may begin at i - offset - o.
 *
 * The vector code tests 8 bytes at once. It replaces each byte by its residue, the byte's low three
 * bits: the two cases of a letter have the same residue, and A, C, G, T have four residues. An
 * aligned word of 8 bytes holds 8 / stride grams, or parts of grams. Bit b stands for the gram that
 * begins at byte b - b % stride of a word, with o = stride - 1 - b % stride. Bit b of residues[8 *
 * j + r] is clear if that gram allows byte j of the word to have the residue r. In byte b of
 * `begun`, bit 7 - j is set if byte j belongs to a gram that began in this word; in byte b of
 * `carried`, if byte j belongs to a gram that began in the word before. Here a gram has 8 bytes
 * even if q is less; byte j may then have any residue where the gram has ended.
 */
#define PLAN_GRAM_STRIDE_MAX 8u
#define PLAN_GRAM_BYTES 8u

struct plan_grams {
    uint64_t offset; /* where gram[0] begins in the literal */
    uint32_t stride; /* distance of the positions that are loaded: 8, 4, 2 or 1 */
    uint32_t q;      /* bytes of a gram: 4 to 8 */
    uint64_t fold;   /* or-ed into the 8 bytes at a position: 0 or 0x2020... */
    uint64_t keep;   /* mask that keeps the first q of 8 bytes */
    uint64_t gram[PLAN_GRAM_STRIDE_MAX]; /* gram[o]: the literal's q bytes at offset + o */
    uint64_t begun;       /* byte b: bytes of a word in b's gram, if the gram begins in that word */
    uint64_t carried;     /* byte b: bytes of a word in b's gram, if it began in the word before */
    uint8_t residues[64]; /* [8 * j + r]: the bits b whose grams exclude residue r in byte j */
};

/* Method "sampled": the search loads q bytes (a sample) at every stride-th position of the text,
 * hashes them, and looks up the offsets of the literal whose q bytes have the same hash. These
 * offsets form a chain: heads[hash] is the first, next[offset] the one after `offset`, and
 * PLAN_NONE ends the chain. Offsets descend along a chain, so that possible occurrences ascend.
 * Most samples have no offset, as a bitmap of hashes tells without reading heads. */
struct plan_sampled {
    uint64_t stride;      /* distance of the samples in bytes */
    uint32_t q;           /* bytes of a sample: always 8 */
    uint32_t hash_bits;   /* log2 of the number of entries of `heads` */
    uint32_t bitmap_bits; /* log2 of the bitmap's size in bits */
    uint32_t reserved;
    uint64_t fold; /* or-ed into the 8 bytes before hashing: 0 or 0x2020... */
};

/* Method "set" by buckets, on the CPU or a GPU: at each position the search hashes the
 * first q bytes and tests a bit of a bitmap. If wide_mask is not 0, the CPU uses a second bitmap
 * instead (plan_hash_wide). If the bit is set, the search hashes the first min(length_min, 8)
 * bytes. This hash chooses a bucket, which lists all literals whose first bytes have the hash. The
 * bucket depends on eight bytes because many literals may begin alike: by four bytes, 10,000
 * literals "key-0000" would share a bucket, and 16-mers of DNA would fill only 256 buckets. */
struct plan_set {
    uint32_t q;           /* bytes that the bitmap's hash takes: 1 to 4 */
    uint32_t bitmap_bits; /* log2 of the bitmap's size in bits */
    uint32_t bucket_bits; /* log2 of the number of buckets */
    uint32_t fold;        /* or-ed into the q bytes before hashing, to ignore case */
    uint32_t gram_mask;   /* mask that keeps q bytes of a load of 32 bits */
    /* mask for bytes 4 to 7 of a position: keeps the bytes that all literals have; 0 if
     * length_min < 5 */
    uint32_t wide_mask;
    uint32_t reserved;
    uint64_t head_fold; /* or-ed into the bytes that choose the bucket, to ignore case */
    uint64_t head_mask; /* mask that keeps these bytes of a load of 64 bits */
};

#define PLAN_HASH32_FACTOR 0x9e3779b1u

/* plan_hash32 and plan_hash64 hash by multiplication (Knuth 1973, section 6.4). */
static inline uint32_t plan_hash32(uint32_t gram, uint32_t bits)
{
    return (gram * PLAN_HASH32_FACTOR) >> (32u - bits);
}

/* Hashes min(length_min, 8) bytes at a position, for the second bitmap of the method "set". In a
 * text of few byte values, the first four bytes rule out little: 1,000 16-mers of DNA contain every
 * sequence of four bases. Both halves of the 8 bytes are or-ed with set->fold, which covers four
 * bytes whenever wide_mask is not 0. */
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
