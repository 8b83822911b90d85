/* samples: positions and hashes of the samples of the "sampled" method, and its table's lists.
 *
 * The method searches for one long pattern. A *sample* is 16 bytes of the text, at a multiple of a
 * stride or 16 bytes after it. A *gram* is 16 bytes of the pattern. The method looks up a sample's
 * hash in a table of the hashes of the pattern's grams, and finds the offsets of grams with this
 * hash. */
#ifndef TRAWL_CUDA_KERNELS_SAMPLES_H
#define TRAWL_CUDA_KERNELS_SAMPLES_H

#include <stdint.h>

/* Returns the hash of a sample's four words. The products have 32 bits, since a device needs many
 * instructions for products of 64. The last step mixes the high bits into the low ones, because a
 * product's low bits depend only on the words' low bits. */
static inline uint32_t scan_sample_hash(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint32_t hash = a * 0x9e3779b1u + b * 0x85ebca77u + c * 0xc2b2ae3du + d * 0x27d4eb2fu;

    return hash ^ hash >> 15;
}

/* Returns the position of a sample. With pair = 0, one sample lies at each multiple of the stride;
 * with pair = 1 two, there and 16 bytes later. An occurrence is found by the first sample at or
 * after its start: sample i stands for the starts after sample i - 1 up to its own position. So a
 * sample can equal the pattern's bytes only at offsets below scan_sample_starts. */
static inline uint64_t scan_sample_position(uint32_t sample, uint32_t stride, uint32_t pair)
{
    return (uint64_t)(sample >> pair) * stride + (sample & pair) * 16u;
}

/* Returns how many starts a sample stands for: the distance from the sample before. */
static inline uint32_t scan_sample_starts(uint32_t sample, uint32_t stride, uint32_t pair)
{
    return (sample & pair) != 0 ? 16u : stride - 16u * pair;
}

/* A list has the offsets of the pattern's grams that share the hash bits by which the table is
 * indexed. An entry of a list is an offset, plus the hash's low SCAN_ENTRY_HASH_BITS bits <<
 * SCAN_ENTRY_OFFSET_BITS. The table contains, for a list of one entry, this entry; for a longer
 * list, SCAN_LIST plus the number of entries, plus the index of the first <<
 * SCAN_ENTRY_OFFSET_BITS; and for an empty list PLAN_NONE. */
#define SCAN_ENTRY_OFFSET_BITS 15u
#define SCAN_ENTRY_HASH_BITS 16u
/* set in the table for a list of more than one entry */
#define SCAN_LIST (1u << (SCAN_ENTRY_OFFSET_BITS + SCAN_ENTRY_HASH_BITS))

static inline uint32_t scan_entry(uint32_t offset, uint32_t hash)
{
    return (hash & ((1u << SCAN_ENTRY_HASH_BITS) - 1u)) << SCAN_ENTRY_OFFSET_BITS | offset;
}

/* Returns true if the entry may belong to a gram with this hash: its bits of the hash agree. */
static inline uint32_t scan_entry_is(uint32_t entry, uint32_t hash)
{
    return (entry ^ scan_entry(0, hash)) >> SCAN_ENTRY_OFFSET_BITS == 0;
}

static inline uint32_t scan_entry_offset(uint32_t entry)
{
    return entry & ((1u << SCAN_ENTRY_OFFSET_BITS) - 1u);
}

static inline uint32_t scan_list(uint32_t first, uint32_t count)
{
    return SCAN_LIST | first << SCAN_ENTRY_OFFSET_BITS | count;
}

static inline uint32_t scan_list_first(uint32_t list)
{
    return (list & (SCAN_LIST - 1u)) >> SCAN_ENTRY_OFFSET_BITS;
}

static inline uint32_t scan_list_count(uint32_t list)
{
    return list == UINT32_MAX ? 0 : (list & SCAN_LIST) == 0 ? 1u : scan_entry_offset(list);
}

#endif
