/* layout: the plain structs of a plan that all engines read.
 *
 * The structs contain no pointers, so an engine can copy their bytes to a GPU's memory unchanged.
 * All numbers are in the machine's byte order, which is little-endian on every machine that trawl
 * supports.
 */
#ifndef TRAWL_PLAN_LAYOUT_H
#define TRAWL_PLAN_LAYOUT_H

#include <stdint.h>

#define PLAN_PROBES_MAX 16u
/* at most this many probes are tested at every position: cpu/find_impl.h has a loop for each number
 */
#define PLAN_FIRST_PROBES_MAX 8u
#define PLAN_PROBE_SPAN_BYTES 64u /* all probes of a literal lie within this many bytes */
#define PLAN_NONE UINT32_MAX

/* A probe tests a single byte of a literal: (text[x + offset] | fold) == value. fold is 0x20 for
 * letters if case is ignored, else 0. With fold 0x20, only the two cases of the letter `value` (a
 * to z) pass, so the probe is exact. */
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
 * The vector code tests a word of 8 bytes at once. It looks only at each byte's residue, its low
 * three bits: the two cases of a letter have the same residue, and A, C, G, T have four different
 * ones. A word has grams at 8 / stride positions; the last ones continue in the next word. Bit b of
 * a result stands for one of the gram[o] at one of these positions: the position is byte b - b %
 * stride of the word, and o = stride - 1 - b % stride. With stride 4:
 *
 *     bit b             0  1  2  3   4  5  6  7
 *     begins at byte    0  0  0  0   4  4  4  4
 *     is gram[o], o =   3  2  1  0   3  2  1  0
 *
 * Bit b of residues[8 * j + r] is clear if that gram may have the residue r in byte j of the word.
 * In byte b of `begun`, bit 7 - j is set if byte j belongs to a gram that begins in this word; in
 * byte b of `carried`, if it belongs to a gram that began in the word before. All grams have 8
 * bytes here, and if q is less, the bytes after q may have any residue.
 */
#define PLAN_GRAM_STRIDE_MAX 8u
#define PLAN_GRAM_BYTES 8u

struct plan_grams {
    uint64_t offset; /* where gram[0] begins in the literal */
    uint32_t stride; /* distance of the positions at which the text is loaded: 8, 4, 2 or 1 */
    uint32_t q;      /* bytes of a gram: 4 to 8 */
    uint64_t fold;   /* or-ed into the 8 bytes at a position: 0 or 0x2020... */
    uint64_t keep;   /* mask that keeps the first q of 8 bytes */
    uint64_t gram[PLAN_GRAM_STRIDE_MAX]; /* gram[o]: the literal's q bytes at offset + o */
    uint64_t begun;   /* byte b: mask of the word's bytes in b's gram, if it begins in this word */
    uint64_t carried; /* byte b: the same, if the gram began in the word before */
    uint8_t residues[64]; /* [8 * j + r]: the bits b whose grams exclude residue r in byte j */
};

/* Method "sampled": the search loads q bytes (a sample) at every stride-th position of the text,
 * hashes them, and looks up the offsets of the literal whose q bytes have the same hash. These
 * offsets form a chain: heads[hash] is the first, next[offset] the one after `offset`, and
 * PLAN_NONE ends the chain. Offsets descend along a chain, so that the possible occurrences ascend.
 * Most samples have no such offset, and are ruled out with a bitmap of hashes before `heads` is
 * read. */
struct plan_sampled {
    uint64_t stride;      /* distance of the samples in bytes */
    uint32_t q;           /* bytes of a sample: always 8 */
    uint32_t hash_bits;   /* log2 of the number of entries of `heads` */
    uint32_t bitmap_bits; /* log2 of the bitmap's size in bits */
    uint32_t reserved;
    uint64_t fold; /* or-ed into the 8 bytes before hashing: 0 or 0x2020... */
};

/* Method "set" with buckets, on the CPU or a GPU. At each position, the search hashes the first q
 * bytes and tests a bit of a bitmap. If wide_mask is not 0, the CPU uses a second bitmap instead
 * (plan_hash_wide). If the bit is set, the search hashes the first min(length_min, 8) bytes, which
 * selects a bucket: a list of all literals whose first bytes have this hash. Buckets need up to
 * eight bytes because many literals may begin alike. By four bytes, 10,000 literals "key-0000"
 * would share one bucket, and 16-mers of DNA would fill only 256 buckets. */
struct plan_set {
    uint32_t q;           /* bytes that are hashed for the bitmap: 1 to 4 */
    uint32_t bitmap_bits; /* log2 of the bitmap's size in bits */
    uint32_t bucket_bits; /* log2 of the number of buckets */
    uint32_t fold;        /* or-ed into the q bytes before hashing, to ignore case */
    uint32_t gram_mask;   /* mask that keeps q bytes of a load of 32 bits */
    /* mask for bytes 4 to 7 of a position: keeps those that every literal has; 0 if length_min <
     * 5 */
    uint32_t wide_mask;
    uint32_t reserved;
    uint64_t head_fold; /* or-ed into the bytes that select the bucket, to ignore case */
    uint64_t head_mask; /* mask that keeps those bytes of a load of 64 bits */
};

#define PLAN_HASH32_FACTOR 0x9e3779b1u

/* plan_hash32 and plan_hash64 hash by multiplication (Knuth 1973, section 6.4). */
static inline uint32_t plan_hash32(uint32_t gram, uint32_t bits)
{
    return (gram * PLAN_HASH32_FACTOR) >> (32u - bits);
}

/* Hashes min(length_min, 8) bytes at a position, for the second bitmap of the "set" method. In a
 * text with few byte values, four bytes rule out little: 1,000 16-mers of DNA contain every
 * sequence of four bases. Each half of the 8 bytes is or-ed with set->fold, which is for four bytes
 * whenever wide_mask is not 0. If wide_mask is 0, the hash is that of the first q bytes, for the
 * first bitmap. */
#define PLAN_WIDE_SHIFT 3

static inline uint32_t plan_hash_wide(const struct plan_set *set, uint64_t head)
{
    uint32_t low = ((uint32_t)head | set->fold) & set->gram_mask;
    uint32_t high = ((uint32_t)(head >> 32) | set->fold) & set->wide_mask;

    return plan_hash32(low ^ high << PLAN_WIDE_SHIFT, set->bitmap_bits);
}

static inline uint32_t plan_hash64(uint64_t gram, uint32_t bits)
{
    return (uint32_t)((gram * 0x9e3779b97f4a7c15ull) >> (64u - bits));
}

/* The filter of a text (plan/pages.h): for each page, a bitmap of the grams of PLAN_PAGE_GRAM bytes
 * that begin in the page, or in the bytes after it up to PLAN_PAGE_COVER. */
#define PLAN_PAGE_GRAM 5u
#define PLAN_PAGE_ROW_BITS 16u
#define PLAN_PAGE_ROWS (1u << PLAN_PAGE_ROW_BITS)
#define PLAN_PAGE_COVER 64u

/* Returns the bit of a gram whose ASCII letters are lower-case: its bytes are the first two, the
 * next two, and the last one. 16 bits suffice at each step, so that a vector has many. */
static inline uint16_t plan_page_row(uint16_t first, uint16_t second, uint16_t last)
{
    uint16_t row = (uint16_t)(first * 0x9e37u + second * 0x79b9u + last * 0x7f4bu);

    row = (uint16_t)((row ^ row >> 8) * 0x6b2du);
    return (uint16_t)(row ^ row >> 7);
}

/* The same in the upper half of a word, whose products need no masks, of the lower halves of these
 * words. */
static inline uint32_t plan_page_row_upper(uint32_t first, uint32_t second, uint32_t last)
{
    uint32_t row = first * 0x9e370000u + second * 0x79b90000u + last * 0x7f4b0000u;

    row = ((row ^ row >> 8) & 0xffff0000u) * 0x6b2du;
    return row ^ row >> 7;
}

#endif
