/* sampler: a hash table that counts pieces (sequences of q bytes) of a sample of a text, or of
 * strings. It estimates how often pieces of the strings occur in the text, and how often pieces are
 * equal. Pieces with equal hashes of 24 to 29 bits count as equal, which is good enough for
 * estimates. The table takes 48 KiB, so that it fits on the stack. */
#ifndef TRAWL_PLAN_SAMPLER_H
#define TRAWL_PLAN_SAMPLER_H

#include <string.h>

#include "base/checked.h"
#include "plan/layout.h"

#define SAMPLER_PIECES_MAX 4096u
#define SAMPLER_SLOTS_LOG2 13u
#define SAMPLER_Q_MAX 16u

struct sampler {
    uint64_t fold, keep[2]; /* or-ed into each 8 bytes of a piece; masks that keep its q bytes */
    uint32_t bits;          /* log2 of the number of slots in use */
    uint32_t pieces;        /* number of different pieces */
    uint16_t count[1u << SAMPLER_SLOTS_LOG2]; /* pieces in each slot; 0: the slot is free */
    uint16_t tag[1u << SAMPLER_SLOTS_LOG2];   /* more bits of the piece's hash */
    uint16_t owner[1u << SAMPLER_SLOTS_LOG2]; /* the owner that added the piece last */
};

/* Empties the sampler, and makes room for up to `pieces` different pieces of q bytes. */
static inline void sampler_reset(struct sampler *sampler, uint64_t pieces, uint64_t q,
                                 uint64_t fold)
{
    TRAWL_ASSERT(pieces > 0 && q > 0 && q <= SAMPLER_Q_MAX);
    sampler->fold = fold;
    sampler->keep[0] = UINT64_MAX >> (q < 8 ? 64 - 8 * q : 0);
    sampler->keep[1] = q <= 8 ? 0 : UINT64_MAX >> (128 - 8 * q);
    /* use few slots, so that the processor can predict that a slot is free */
    sampler->bits =
        (uint32_t)min_u64(67u - (uint64_t)__builtin_clzll(pieces | 32u), SAMPLER_SLOTS_LOG2);
    sampler->pieces = 0;
    memset(sampler->count, 0, sizeof *sampler->count << sampler->bits);
}

/* Returns the key of the piece that begins at `at`, where `room` ≥ q bytes are readable. */
static inline uint64_t sampler_key(const struct sampler *sampler, const uint8_t *at, uint64_t room)
{
    uint64_t words[2] = {0, 0};

    if (room >= sizeof words)
        memcpy(words, at, sizeof words);
    else
        memcpy(words, at, (size_t)room);
    words[0] = (words[0] | sampler->fold) & sampler->keep[0];
    if (sampler->keep[1] == 0)
        return words[0];
    return words[0] ^ ((words[1] | sampler->fold) & sampler->keep[1]) * 0xc2b2ae3d27d4eb4full;
}

static inline uint16_t sampler_tag(uint64_t key)
{
    return (uint16_t)(key * 0x9e3779b97f4a7c15ull >> 35);
}

/* Returns the key's slot, or the free slot where it belongs. */
static inline uint32_t sampler_slot(const struct sampler *sampler, uint64_t key)
{
    uint32_t slot = plan_hash64(key, sampler->bits), last = (1u << sampler->bits) - 1;

    while (sampler->count[slot] > 0 && sampler->tag[slot] != sampler_tag(key))
        slot = (slot + 1) & last;
    return slot;
}

/* Adds a piece for `owner`. Returns how often the piece was added before. If `owner` also added it
 * last, does not count it again, and returns 0. A full sampler drops new pieces. */
static inline uint32_t sampler_add(struct sampler *sampler, uint64_t key, uint16_t owner)
{
    uint32_t slot = sampler_slot(sampler, key), before = sampler->count[slot];

    if ((before == 0 && sampler->pieces == SAMPLER_PIECES_MAX) || before == UINT16_MAX ||
        (before > 0 && sampler->owner[slot] == owner))
        return 0;
    sampler->pieces += before == 0;
    sampler->count[slot] = (uint16_t)(before + 1);
    sampler->tag[slot] = sampler_tag(key);
    sampler->owner[slot] = owner;
    return before;
}

#endif
