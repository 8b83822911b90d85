/* superstrings: strings that contain others.
 *
 * Round by round, from the shortest on: the strings of one length go into a hash table, and a hash
 * that rolls over the longer ones is looked up there. Few rounds are enough: strings that are
 * nested by the thousand contain one of the shortest. A round ends early, and is the last, if it
 * leaves out too few. */
#include "trawl/superstrings.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX 4u
#define TRIED_MIN 256u   /* strings, before a round may end early */
#define USEFUL_SHARE 16u /* it goes on while one in so many is left out */
#define PROBES_MAX 16u   /* beyond them a string is taken for one that is not there */
#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

struct string_slot {
    uint64_t hash;
    const uint8_t *bytes; /* NULL: empty */
};

/* The strings of one length. */
struct round {
    uint64_t length;
    uint64_t power; /* HASH_FACTOR to the length */
    struct string_slot *slots;
    uint32_t slot_bits;
    uint8_t folded[256];
};

static uint64_t next_hash(const struct round *round, uint64_t hash, uint8_t byte)
{
    return hash * HASH_FACTOR + round->folded[byte] + 1;
}

static uint64_t first_slot(const struct round *round, uint64_t hash)
{
    return (hash ^ hash >> 32) * HASH_FACTOR >> (64 - round->slot_bits);
}

static bool is_same(const struct round *round, const uint8_t *a, const uint8_t *b)
{
    for (uint64_t i = 0; i < round->length; i++)
        if (round->folded[a[i]] != round->folded[b[i]])
            return false;
    return true;
}

/* Into the first free slot; one that finds none soon is left out of the table. */
static void add(struct round *round, const uint8_t *bytes)
{
    uint64_t mask = (UINT64_C(1) << round->slot_bits) - 1, hash = 0, slot;

    for (uint64_t i = 0; i < round->length; i++)
        hash = next_hash(round, hash, bytes[i]);
    slot = first_slot(round, hash);
    for (uint32_t i = 0; i < PROBES_MAX; i++, slot = (slot + 1) & mask)
        if (round->slots[slot].bytes == NULL) {
            round->slots[slot].hash = hash;
            round->slots[slot].bytes = bytes;
            return;
        }
}

static bool is_there(const struct round *round, uint64_t hash, const uint8_t *bytes)
{
    uint64_t mask = (UINT64_C(1) << round->slot_bits) - 1, slot = first_slot(round, hash);

    for (uint32_t i = 0; i < PROBES_MAX && round->slots[slot].bytes != NULL; i++) {
        /* Strings of one hash that differ are so rare that only the first is compared. */
        if (round->slots[slot].hash == hash)
            return is_same(round, round->slots[slot].bytes, bytes);
        slot = (slot + 1) & mask;
    }
    return false;
}

/* Does a longer string contain one of the round? */
static bool contains_one(const struct round *round, const struct trawl_pattern *pattern)
{
    const uint8_t *bytes = pattern->bytes;
    uint64_t hash = 0;

    for (uint64_t i = 0; i < pattern->bytes_count; i++) {
        hash = next_hash(round, hash, bytes[i]);
        if (i >= round->length)
            hash -= round->power * (round->folded[bytes[i - round->length]] + UINT64_C(1));
        if (i + 1 >= round->length && is_there(round, hash, bytes + i + 1 - round->length))
            return true;
    }
    return false;
}

/* Fills the table with the shortest strings that are longer than the last round's. False: no string
 * is longer than they are, or there is no memory. */
static bool begin_round(struct round *round, const struct trawl_pattern *patterns, uint64_t count)
{
    uint64_t length = UINT64_MAX, of_length = 0, longer = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes_count = patterns[i].bytes_count;

        if (bytes_count <= round->length)
            continue;
        if (bytes_count < length) {
            longer += of_length;
            length = bytes_count;
            of_length = 0;
        }
        of_length += bytes_count == length;
        longer += bytes_count > length;
    }
    if (longer == 0)
        return false;
    round->length = length;
    round->power = 1;
    for (uint64_t i = 0; i < length; i++)
        round->power *= HASH_FACTOR;
    round->slot_bits = 4;
    while (UINT64_C(1) << round->slot_bits < 2 * of_length)
        round->slot_bits++;
    round->slots = calloc((size_t)1 << round->slot_bits, sizeof *round->slots);
    if (round->slots == NULL)
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (patterns[i].bytes_count == length)
            add(round, patterns[i].bytes);
    return true;
}

/* Returns whether another round may be worth it. */
static bool finish_round(struct round *round, struct trawl_pattern *patterns, uint64_t *count)
{
    uint64_t kept = 0, tried = 0, left_out = 0;
    bool useful = true;

    for (uint64_t i = 0; i < *count; i++) {
        bool is_longer = patterns[i].bytes_count > round->length;

        useful = useful && (tried < TRIED_MIN || left_out >= tried / USEFUL_SHARE);
        tried += is_longer;
        if (useful && is_longer && contains_one(round, &patterns[i]))
            left_out++;
        else
            patterns[kept++] = patterns[i];
    }
    *count = kept;
    free(round->slots);
    round->slots = NULL;
    return useful;
}

void superstrings_leave_out(struct trawl_pattern *patterns, uint64_t *count, bool fold)
{
    struct round round = {.length = 0};

    for (uint32_t i = 0; i < 256; i++)
        round.folded[i] = (uint8_t)(fold && i >= 'A' && i <= 'Z' ? i | 0x20 : i);
    for (uint32_t i = 0; i < ROUNDS_MAX; i++)
        if (!begin_round(&round, patterns, *count) || !finish_round(&round, patterns, count))
            return;
}
