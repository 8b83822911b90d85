/* samples: what method sampled reads of a text, and the lists of its table. */
#ifndef TRAWL_CUDA_KERNELS_SAMPLES_H
#define TRAWL_CUDA_KERNELS_SAMPLES_H

#include <stdint.h>

/* Of a sample's four words: a device multiplies 64 bits in many steps. The last step is for the low
 * bits, which a product has of the words' low bits alone. */
static inline uint32_t scan_sample_hash(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint32_t hash = a * 0x9e3779b1u + b * 0x85ebca77u + c * 0xc2b2ae3du + d * 0x27d4eb2fu;

    return hash ^ hash >> 15;
}

/* Where a sample lies: at multiples of the stride, or with `pair` 1 two neighbours of 16 bytes
 * there. Sample i stands for the begins beyond sample i - 1 and up to its own position, so for the
 * pattern's offsets below scan_sample_reach. */
static inline uint64_t scan_sample_position(uint32_t sample, uint32_t stride, uint32_t pair)
{
    return (uint64_t)(sample >> pair) * stride + (sample & pair) * 16u;
}

static inline uint32_t scan_sample_reach(uint32_t sample, uint32_t stride, uint32_t pair)
{
    return (sample & pair) != 0 ? 16u : stride - 16u * pair;
}

/* The pattern's offsets are listed by their grams' hashes. An entry is one offset, and bits of the
 * hash beside those that chose the list. A list of one entry is that entry; of several, where they
 * lie and how many they are; PLAN_NONE has none. */
#define SCAN_ENTRY_OFFSET_BITS 15u
#define SCAN_ENTRY_HASH_BITS 16u
#define SCAN_LIST (1u << (SCAN_ENTRY_OFFSET_BITS + SCAN_ENTRY_HASH_BITS)) /* of several */

static inline uint32_t scan_entry(uint32_t offset, uint32_t hash)
{
    return (hash & ((1u << SCAN_ENTRY_HASH_BITS) - 1u)) << SCAN_ENTRY_OFFSET_BITS | offset;
}

/* Of a gram with this hash, as far as the entry tells? */
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
