/* set_stems: the tables of a class that is searched by stems. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cpu/find.h"
#include "cpu/set_matcher.h"

#define QUAD_BITS_MIN 13u
#define QUAD_BITS_CACHED 20u /* 128 KiB; words have few different grams of four bytes */
#define QUAD_BITS_MAX 24u
#define STEM_BITS_MIN 13u
#define STEM_BITS_MAX 28u
#define PAIRS_LITERALS_MAX 1536u /* beyond, too many positions pass */
#define PAIRS_OF_ONE_GROUP 128u
#define PAIRS_OF_TWO_GROUPS 256u

static uint32_t log2_ceiling(uint64_t value)
{
    return value <= 1 ? 0 : 64u - (uint32_t)__builtin_clzll(value - 1);
}

void set_stems_begin(struct set_class *class)
{
    class->by_stems = true;
    class->q = SET_STEM_Q;
    class->stem_min = set_stem_bytes(class->length_min);
    class->stride = (uint32_t)min_u64(class->length_min - SET_STEM_Q + 1, SET_STEM_STRIDE_MAX);
}

uint32_t set_quad_word_bits(uint64_t entries)
{
    uint32_t log = log2_ceiling(entries);

    return (uint32_t)max_u64(max_u64(min_u64(log + 6, QUAD_BITS_CACHED), QUAD_BITS_MIN),
                             min_u64(log + 2, QUAD_BITS_MAX)) -
           6;
}

uint32_t set_stem_word_bits(uint64_t literal_count)
{
    return (uint32_t)min_u64(max_u64(log2_ceiling(literal_count) + 5, STEM_BITS_MIN),
                             STEM_BITS_MAX) -
           6;
}

void set_stems_add(struct set_class *class, const uint8_t *bytes, uint64_t fold)
{
    uint32_t *bitmap = (uint32_t *)(void *)class->bitmap;

    for (uint32_t offset = 0; offset < class->stride; offset++) {
        uint32_t quad, product;

        memcpy(&quad, bytes + offset, sizeof quad);
        product = set_quad(quad, (uint32_t)fold);
        bitmap[product >> set_quad_shift(class)] |= 1u << (product >> 8 & 31);
    }
}

static int compare_keys(const void *a, const void *b)
{
    uint32_t first, second;

    memcpy(&first, a, sizeof first);
    memcpy(&second, b, sizeof second);
    return (first > second) - (first < second);
}

/* A literal's pairs, the first most significant. */
static uint32_t pairs_key(const struct find_pairs *pairs, const uint8_t *bytes)
{
    uint32_t key = 0;

    for (uint32_t j = 0; j < pairs->count; j++)
        key = key << 7 | find_pair(bytes[j] | pairs->fold, bytes[j + 1] | pairs->fold);
    return key;
}

/* Deal the sorted keys to the groups' classes: those that begin alike share one. */
static void deal(struct find_pairs *pairs, const uint32_t *keys, uint64_t count)
{
    uint32_t classes = 8 * pairs->groups;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t class = (uint32_t)(i * classes / count);

        for (uint32_t j = 0; j < pairs->count; j++)
            pairs->classes[class / 8][j][keys[i] >> 7 * (pairs->count - 1 - j) & 127] |=
                (uint8_t)(1u << class % 8);
    }
}

enum trawl_status set_stems_pair(const struct trawl_plan *plan, struct set_class *class,
                                 uint64_t fold, struct trawl_error *error)
{
    uint32_t *keys;
    uint64_t count = 0, distinct = 0;
    void *memory;

    if (class->literal_count > PAIRS_LITERALS_MAX)
        return TRAWL_OK;
    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *class->pairs, &memory, error));
    class->pairs = (struct find_pairs *)memory;
    class->pairs->groups = class->literal_count <= PAIRS_OF_ONE_GROUP    ? 1
                           : class->literal_count <= PAIRS_OF_TWO_GROUPS ? 2
                                                                         : FIND_PAIR_GROUPS_MAX;
    class->pairs->count = (uint32_t)min_u64(class->stem_min - 1, FIND_PAIRS_MAX);
    class->pairs->fold = (uint8_t)fold;
    TRAWL_TRY(memory_allocate(class->entry_count, sizeof *keys, &memory, error));
    keys = (uint32_t *)memory;
    for (uint64_t e = 0; e < class->entry_count; e++) {
        uint32_t literal = class->entries[e].literal;

        if (plan_literal_at(plan, literal).bytes_count > class->pairs->count)
            keys[count++] = pairs_key(class->pairs, plan_literal_bytes(plan, literal));
    }
    if (count > 1)
        qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || keys[i] != keys[distinct - 1])
            keys[distinct++] = keys[i];
    deal(class->pairs, keys, distinct);
    memory_release(keys, class->entry_count, sizeof *keys);
    return TRAWL_OK;
}

void set_stems_free(struct set_class *class)
{
    memory_release(class->pairs, 1, sizeof *class->pairs);
    class->pairs = NULL;
}
