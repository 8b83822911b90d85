/* tables: builds the bitmaps and buckets of a set of literals (struct plan_set in layout.h). */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/analyse.h"
#include "plan/parts.h"
#include "plan/steps.h"
#include "plan/prices.def"

#define SET_BITMAP_BITS_MIN 12u
#define SET_BITMAP_BITS_MAX 24u
#define SET_BUCKET_BITS_MAX 24u
/* log2 of the number of counters in plan_alike_bound, which fit the L1 cache */
#define ALIKE_BITS 12u

/* Returns the literal's first `count` ≤ 8 bytes as a number. */
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

/* Returns a hash of the literal's first min(length_min, 8) bytes; `bits` bits long. */
static uint32_t literal_hash(const struct trawl_plan *plan, uint32_t literal, uint32_t bits)
{
    uint64_t head = literal_load(plan, literal, min_u64(plan->length_min, sizeof head));

    return plan_hash64((head | plan->set.head_fold) & plan->set.head_mask, bits);
}

static uint32_t literal_bucket(const struct trawl_plan *plan, uint32_t literal)
{
    return literal_hash(plan, literal, plan->set.bucket_bits);
}

/* Literals that occur at the same position have equal first bytes, and so the same hash. The bound
 * is the largest number of literals with the same hash. */
uint32_t plan_alike_bound(const struct trawl_plan *plan)
{
    uint32_t counts[1u << ALIKE_BITS] = {0}, max = 0;

    for (uint32_t literal = 0; literal < plan->literal_count; literal++) {
        uint32_t *count = &counts[literal_hash(plan, literal, ALIKE_BITS)];

        *count += 1;
        if (*count > max)
            max = *count;
    }
    return max;
}

void build_set(struct trawl_plan *plan)
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
    plan->byte_bits =
        analyse_byte_bits(plan->literal_bytes, plan->literal_bytes_total, &plan->byte_values);
    TRAWL_ASSERT(set->q > 0 && set->q <= 4 && set->bitmap_bits < 32 && set->bucket_bits < 32);
}

/* Of the tail's characters, a head has the bits that all variants of a character share. */
static struct plan_head literal_head(const struct trawl_plan *plan, uint32_t index)
{
    const struct plan_literal literal = plan_literal_at(plan, index);
    const uint64_t skipped = plan_head_at(plan), end = skipped + sizeof(uint64_t);
    uint64_t at = min_u64(literal.bytes_count, end), of_literal = at - min_u64(at, skipped);
    uint8_t bytes[sizeof(uint64_t)] = {0}, masks[sizeof(uint64_t)] = {0};
    struct plan_head head;

    memcpy(bytes, plan_literal_bytes(plan, index) + at - of_literal, (size_t)of_literal);
    memset(masks, 0xff, (size_t)of_literal);
    for (uint32_t i = 0; at < end && i < literal.tail_count; i++) {
        const struct plan_element *element = &plan->elements[literal.tail_begin + i];
        const uint32_t count = element->alternative_bytes_count[0];
        uint32_t a = 1;

        while (a < element->alternative_count && element->alternative_bytes_count[a] == count)
            a++;
        if (a < element->alternative_count)
            break; /* the next character may begin at several places */
        for (uint32_t j = 0; j < count; j++, at++) {
            uint8_t all = 0xff, any = 0;

            for (a = 0; a < element->alternative_count; a++) {
                all &= element->alternative[a][j];
                any |= element->alternative[a][j];
            }
            if (at < skipped || at >= end)
                continue;
            bytes[at - skipped] = all;
            masks[at - skipped] = (uint8_t) ~(all ^ any);
        }
    }
    memcpy(&head.bytes, bytes, sizeof bytes);
    memcpy(&head.mask, masks, sizeof masks);
    if ((plan->flags & TRAWL_IGNORE_CASE) != 0)
        head.mask &= ~0x2020202020202020ull;
    head.bytes &= head.mask;
    return head;
}

bool plan_has_letters(const struct trawl_plan *plan)
{
    return plan->byte_bits >= FEW_BITS && plan->byte_bits < LETTER_BITS_MAX;
}

/* Prefetch distance, in literals: fill_set prefetches a literal's bucket and entry, because the
 * tables of large sets exceed the caches. */
#define FETCH_AHEAD 24u

static void fetch_bucket(const struct trawl_plan *plan, const struct plan_set_tables *tables,
                         uint64_t literal)
{
    if (literal < plan->literal_count)
        __builtin_prefetch(&tables->buckets[literal_bucket(plan, (uint32_t)literal)], 1);
}

/* Prefetches the entry where a literal will be stored. Reads the literal's bucket, which has been
 * prefetched earlier. */
static void fetch_entry(const struct trawl_plan *plan, const struct plan_set_tables *tables,
                        uint64_t literal)
{
    uint32_t entry;

    if (literal >= plan->literal_count)
        return;
    entry = tables->buckets[literal_bucket(plan, (uint32_t)literal)] - 1;
    TRAWL_ASSERT(entry < plan->literal_count);
    __builtin_prefetch(&tables->entries[entry], 1);
    if (tables->heads != NULL)
        __builtin_prefetch(&tables->heads[entry], 1);
}

/* Fills the bitmaps, and sorts the literals by bucket (a counting sort). `buckets` first holds the
 * sizes of the buckets, then their ends. Each literal, from the last to the first, then moves the
 * end of its bucket down by one and is stored there, so that the ends become starts. */
static void fill_set(const struct trawl_plan *plan, struct plan_set_tables *tables)
{
    for (uint32_t literal = 0; literal < plan->literal_count; literal++) {
        uint64_t head = literal_load(plan, literal, min_u64(plan->length_min, sizeof head));
        uint32_t bit = plan_hash32(((uint32_t)head | plan->set.fold) & plan->set.gram_mask,
                                   plan->set.bitmap_bits);

        fetch_bucket(plan, tables, (uint64_t)literal + FETCH_AHEAD);
        tables->bitmap[bit / 64] |= 1ull << bit % 64;
        if (tables->wide != NULL) {
            bit = plan_hash_wide(&plan->set, head);
            tables->wide[bit / 64] |= 1ull << bit % 64;
        }
        tables->buckets[literal_bucket(plan, literal)]++;
    }
    for (uint64_t bucket = 1; bucket <= 1ull << plan->set.bucket_bits; bucket++)
        tables->buckets[bucket] += tables->buckets[bucket - 1];
    TRAWL_ASSERT(tables->buckets[1ull << plan->set.bucket_bits] == plan->literal_count);
    for (uint32_t literal = plan->literal_count; literal-- > 0;) {
        uint32_t entry = --tables->buckets[literal_bucket(plan, literal)];

        /* numbers below 0 wrap around to values above literal_count, which are ignored */
        fetch_bucket(plan, tables, (uint64_t)literal - 2 * FETCH_AHEAD);
        fetch_entry(plan, tables, (uint64_t)literal - FETCH_AHEAD);
        TRAWL_ASSERT(entry < plan->literal_count);
        tables->entries[entry] = literal;
        if (tables->heads != NULL)
            tables->heads[entry] = literal_head(plan, literal);
    }
    TRAWL_ASSERT(tables->buckets[0] == 0); /* every entry is taken */
}

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
}

static void tables_free(void *object)
{
    memory_release(object, ((struct plan_set_tables *)object)->bytes / MEMORY_ALIGNMENT,
                   MEMORY_ALIGNMENT);
}

/* Builds the tables and their arrays in a single block of memory. */
static enum trawl_status set_tables_make(const void *from, void **object, struct trawl_error *error)
{
    const struct trawl_plan *plan = (const struct trawl_plan *)from;
    uint64_t bitmap_bytes = (1ull << plan->set.bitmap_bits) / 8, count = plan->literal_count;
    struct plan_set_tables tables = {.bytes = 0};
    const uint64_t bytes[] = {
        sizeof tables,
        bitmap_bytes,
        plan->set.wide_mask != 0 ? bitmap_bytes : 0,
        ((1ull << plan->set.bucket_bits) + 1) * sizeof *tables.buckets,
        count * sizeof *tables.entries,
        plan_has_strategy(plan, STRATEGY_BUCKETS) ? count * sizeof *tables.heads : 0};
    void *arrays[sizeof bytes / sizeof *bytes], *at;

    for (uint32_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        tables.bytes += aligned(bytes[i]);
    TRAWL_TRY(
        memory_allocate_zeroed(tables.bytes / MEMORY_ALIGNMENT, MEMORY_ALIGNMENT, object, error));
    at = *object;
    for (uint32_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        arrays[i] = bytes[i] > 0 ? at : NULL;
        at = (uint8_t *)at + aligned(bytes[i]);
    }
    tables.bitmap = (uint64_t *)arrays[1];
    tables.wide = (uint64_t *)arrays[2];
    tables.buckets = (uint32_t *)arrays[3];
    tables.entries = (uint32_t *)arrays[4];
    tables.heads = (struct plan_head *)arrays[5];
    fill_set(plan, &tables);
    *(struct plan_set_tables *)*object = tables;
    return TRAWL_OK;
}

enum trawl_status plan_set_want(const struct trawl_plan *plan,
                                const struct plan_set_tables **tables, struct trawl_error *error)
{
    const void *object;

    TRAWL_TRY(attachment_want(&plan->attached[PLAN_SET_TABLES], plan, set_tables_make, tables_free,
                              &object, error));
    *tables = (const struct plan_set_tables *)object;
    return TRAWL_OK;
}
