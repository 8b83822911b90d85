/* tables: makes the bitmaps and buckets of method set. */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/build.h"

#define SET_BITMAP_BITS_MIN 12u
#define SET_BITMAP_BITS_MAX 24u
/* log2 of the bitmap's bits per literal: with 128 bits, 1 % of the grams outside the set pass */
#define SET_BITMAP_BITS_PER_LITERAL 7u
#define SET_BUCKET_BITS_MAX 24u
#define LETTER_BITS_MIN 3.0
#define LETTER_BITS_MAX 6.5

/* Returns the literal's first `count` ≤ 8 bytes; the result's upper bytes are 0. */
static inline uint64_t literal_load(const struct trawl_plan *plan, uint32_t literal, uint64_t count)
{
    const uint8_t *bytes = plan_literal_bytes(plan, literal);
    uint64_t head = 0;

    TRAWL_ASSERT(count <= sizeof head && count <= plan_literal_at(plan, literal).bytes_count);
    if (plan->literal_bytes_total - plan_literal_at(plan, literal).bytes_begin < sizeof head) {
        memcpy(&head, bytes, (size_t)count);
        return head;
    }
    memcpy(&head, bytes, sizeof head);
    return count == 0 ? 0 : head & UINT64_MAX >> (64 - 8 * count);
}

/* Returns the literal's first q bytes as the search loads q bytes of the text. */
static uint32_t literal_gram(const struct trawl_plan *plan, uint32_t literal)
{
    uint32_t gram = (uint32_t)literal_load(plan, literal, plan->set.q);

    return (gram | plan->set.fold) & plan->set.gram_mask;
}

/* Returns the literal's bit in the wide bitmap. */
static uint32_t literal_wide(const struct trawl_plan *plan, uint32_t literal)
{
    uint64_t head = literal_load(plan, literal, min_u64(plan->length_min, sizeof head));

    return plan_hash_wide(&plan->set, head);
}

static uint32_t literal_bucket(const struct trawl_plan *plan, uint32_t literal)
{
    uint64_t head = literal_load(plan, literal, min_u64(plan->length_min, sizeof head));

    return plan_hash64((head | plan->set.head_fold) & plan->set.head_mask, plan->set.bucket_bits);
}

static void set_parameters(struct trawl_plan *plan)
{
    struct plan_set *set = &plan->set;

    set->q = (uint32_t)min_u64(max_u64(plan->length_min, 1), 4);
    set->gram_mask = set->q == 4 ? UINT32_MAX : (1u << 8 * set->q) - 1;
    set->fold = (plan->flags & TRAWL_IGNORE_CASE) != 0 ? 0x20202020u & set->gram_mask : 0;
    set->bitmap_bits =
        (uint32_t)min_u64(max_u64(log2_ceiling(plan->literal_count) + SET_BITMAP_BITS_PER_LITERAL,
                                  SET_BITMAP_BITS_MIN),
                          SET_BITMAP_BITS_MAX);
    set->bucket_bits =
        (uint32_t)min_u64(log2_ceiling(plan->literal_count) + 2, SET_BUCKET_BITS_MAX);
    set->wide_mask = plan->length_min >= 8   ? UINT32_MAX
                     : plan->length_min >= 5 ? UINT32_MAX >> (64 - 8 * plan->length_min)
                                             : 0;
    set->head_mask =
        plan->length_min >= 8 ? UINT64_MAX : (1ull << 8 * max_u64(plan->length_min, 1)) - 1;
    set->head_fold =
        (plan->flags & TRAWL_IGNORE_CASE) != 0 ? 0x2020202020202020ull & set->head_mask : 0;
    TRAWL_ASSERT(set->q > 0 && set->q <= 4 && set->bitmap_bits < 32 && set->bucket_bits < 32);
}

static struct plan_head literal_head(const struct trawl_plan *plan, uint32_t literal)
{
    uint64_t count = min_u64(plan_literal_at(plan, literal).bytes_count, sizeof(uint64_t));
    struct plan_head head = {literal_load(plan, literal, count),
                             count == 0 ? 0 : UINT64_MAX >> (64 - 8 * count)};

    if ((plan->flags & TRAWL_IGNORE_CASE) != 0)
        head.bytes |= 0x2020202020202020ull & head.mask;
    return head;
}

bool plan_has_letters(const struct trawl_plan *plan)
{
    return plan->byte_bits >= LETTER_BITS_MIN && plan->byte_bits < LETTER_BITS_MAX;
}

/* fill_set prefetches a literal's bucket and entry this many literals ahead, since the tables of
 * large sets exceed the caches. */
#define FETCH_AHEAD 24u

static void fetch_bucket(const struct trawl_plan *plan, uint64_t literal)
{
    if (literal < plan->literal_count)
        __builtin_prefetch(&plan->set_buckets[literal_bucket(plan, (uint32_t)literal)], 1);
}

/* Prefetches a literal's entry. The literal's bucket was prefetched before. */
static void fetch_entry(const struct trawl_plan *plan, uint64_t literal)
{
    uint32_t entry;

    if (literal >= plan->literal_count)
        return;
    entry = plan->set_buckets[literal_bucket(plan, (uint32_t)literal)] - 1;
    TRAWL_ASSERT(entry < plan->literal_count);
    __builtin_prefetch(&plan->set_entries[entry], 1);
    if (plan->set_heads != NULL)
        __builtin_prefetch(&plan->set_heads[entry], 1);
}

/* Fills the bitmaps, and sorts the literals by bucket (a counting sort): set_buckets first holds
 * sizes, then ends. Then each literal, from the last to the first, moves its bucket's end back by
 * an entry and takes that entry, so that ends become begins. */
static void fill_set(struct trawl_plan *plan)
{
    for (uint32_t literal = 0; literal < plan->literal_count; literal++) {
        uint32_t bit = plan_hash32(literal_gram(plan, literal), plan->set.bitmap_bits);

        fetch_bucket(plan, (uint64_t)literal + FETCH_AHEAD);
        TRAWL_ASSERT(bit >> plan->set.bitmap_bits == 0);
        plan->set_bitmap[bit / 64] |= 1ull << bit % 64;
        if (plan->set_wide != NULL) {
            bit = literal_wide(plan, literal);
            TRAWL_ASSERT(bit >> plan->set.bitmap_bits == 0);
            plan->set_wide[bit / 64] |= 1ull << bit % 64;
        }
        plan->set_buckets[literal_bucket(plan, literal)]++;
    }
    for (uint64_t bucket = 1; bucket <= 1ull << plan->set.bucket_bits; bucket++)
        plan->set_buckets[bucket] += plan->set_buckets[bucket - 1];
    TRAWL_ASSERT(plan->set_buckets[1ull << plan->set.bucket_bits] == plan->literal_count);
    for (uint32_t literal = plan->literal_count; literal-- > 0;) {
        uint32_t entry = --plan->set_buckets[literal_bucket(plan, literal)];

        /* wraps beyond literal_count below 0 */
        fetch_bucket(plan, (uint64_t)literal - 2 * FETCH_AHEAD);
        fetch_entry(plan, (uint64_t)literal - FETCH_AHEAD);
        TRAWL_ASSERT(entry < plan->literal_count);
        plan->set_entries[entry] = literal;
        if (plan->set_heads != NULL)
            plan->set_heads[entry] = literal_head(plan, literal);
    }
    TRAWL_ASSERT(plan->set_buckets[0] == 0); /* each literal took its entry */
}

enum trawl_status build_set(struct trawl_plan *plan, struct trawl_error *error)
{
    uint64_t bucket_count;

    set_parameters(plan);
    plan->byte_bits = analyse_byte_bits(plan->literal_bytes, plan->literal_bytes_total);
    bucket_count = 1ull << plan->set.bucket_bits;
    TRAWL_TRY(MEMORY_ZEROED(plan->set_bitmap, (1ull << plan->set.bitmap_bits) / 64, error));
    if (plan->set.wide_mask != 0) {
        TRAWL_TRY(MEMORY_ZEROED(plan->set_wide, (1ull << plan->set.bitmap_bits) / 64, error));
    }
    TRAWL_TRY(MEMORY_TABLE(plan->set_buckets, bucket_count + 1, true, error));
    TRAWL_TRY(MEMORY_TABLE(plan->set_entries, plan->literal_count, false, error));
    if (!plan->has_classes || plan->has_either) {
        TRAWL_TRY(MEMORY_TABLE(plan->set_heads, plan->literal_count, false, error));
    }
    fill_set(plan);
    return TRAWL_OK;
}
