/* sampled: builds the tables of the "sampled" method, which reads only every stride-th position of
 * a text (struct plan_sampled). Also measures how many offsets of the literal have the same bytes
 * as a sample of the text. */
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "plan/sampler.h"
#include "plan/prices.def"

#define SAMPLED_Q 8u
#define SAMPLED_LENGTH_MIN 16u
/* With longer strides, loading the table takes more time than is saved by skipping text. */
#define SAMPLED_STRIDE_MAX 8192u
/* The bitmap has 32 to 64 bits for each offset of the literal. So of the samples that equal no
 * offset of the literal, 1 in 32 to 64 passes. */
#define SAMPLED_BITMAP_LOG2 5u
/* strides of this many bytes or more are multiples of it, so that no sample crosses a cache line */
#define SAMPLED_STRIDE_UNIT 8u

uint64_t sampled_stride(uint64_t length)
{
    uint64_t stride;

    if (length < SAMPLED_LENGTH_MIN)
        return 0;
    stride = min_u64(length - SAMPLED_Q + 1, SAMPLED_STRIDE_MAX);
    if (stride >= SAMPLED_STRIDE_UNIT)
        stride -= stride % SAMPLED_STRIDE_UNIT;
    TRAWL_ASSERT(stride > 0 && stride + SAMPLED_Q - 1 <= length);
    return stride;
}

struct plan_sampled sampled_layout(const struct trawl_plan *plan)
{
    uint64_t stride = sampled_stride(plan->length_min);
    struct plan_sampled layout = {.stride = stride, .q = SAMPLED_Q};

    TRAWL_ASSERT(stride > 0 && plan_is_one_literal(plan));
    /* the hash table has more than 2 and up to 4 entries for each offset */
    layout.hash_bits = 65u - (uint32_t)__builtin_clzll(stride);
    layout.bitmap_bits = 64u - (uint32_t)__builtin_clzll(stride) + SAMPLED_BITMAP_LOG2;
    layout.fold = (plan->flags & TRAWL_IGNORE_CASE) != 0 ? 0x2020202020202020ull : 0;
    return layout;
}

static void tables_free(void *object)
{
    struct sampled_tables *tables = (struct sampled_tables *)object;

    if (tables == NULL)
        return;
    memory_release(tables->bitmap, (1ull << tables->layout.bitmap_bits) / 64,
                   sizeof *tables->bitmap);
    memory_release(tables->heads, 1ull << tables->layout.hash_bits, sizeof *tables->heads);
    memory_release(tables->next, tables->layout.stride, sizeof *tables->next);
    memory_release(tables, 1, sizeof *tables);
}

static void sampled_fill(const uint8_t *bytes, struct sampled_tables *tables)
{
    const struct plan_sampled layout = tables->layout;
    uint32_t *heads = tables->heads, *next = tables->next;
    uint64_t *bitmap = tables->bitmap;

    memset(heads, 0xff, sizeof *heads << layout.hash_bits);
    /* each offset goes to the front of its chain, so that offsets descend along chains */
    for (uint32_t offset = 0; offset < layout.stride; offset++) {
        uint64_t gram;
        uint32_t hash, bit;

        memcpy(&gram, bytes + offset, sizeof gram);
        bit = plan_hash64(gram | layout.fold, layout.bitmap_bits);
        bitmap[bit / 64] |= 1ull << bit % 64;
        hash = plan_hash64(gram | layout.fold, layout.hash_bits);
        next[offset] = heads[hash];
        heads[hash] = offset;
    }
}

static enum trawl_status sampled_make(const void *from, void **object, struct trawl_error *error)
{
    const struct trawl_plan *plan = (const struct trawl_plan *)from;
    enum trawl_status status = TRAWL_OK;
    struct sampled_tables *tables;

    TRAWL_TRY(MEMORY_ZEROED(tables, 1, error));
    tables->layout = sampled_layout(plan);
    TRAWL_TRY_DONE(MEMORY_NEW(tables->heads, 1ull << tables->layout.hash_bits, error));
    TRAWL_TRY_DONE(MEMORY_ZEROED(tables->bitmap, (1ull << tables->layout.bitmap_bits) / 64, error));
    TRAWL_TRY_DONE(MEMORY_NEW(tables->next, tables->layout.stride, error));
    sampled_fill(plan_literal_bytes(plan, 0), tables);
    *object = tables;
    tables = NULL;
done:
    tables_free(tables);
    return status;
}

enum trawl_status sampled_want(const struct trawl_plan *plan, const struct sampled_tables **tables,
                               struct trawl_error *error)
{
    const void *object;

    TRAWL_TRY(attachment_want(&plan->attached[PLAN_SAMPLED], plan, sampled_make, tables_free,
                              &object, error));
    *tables = (const struct sampled_tables *)object;
    return TRAWL_OK;
}

struct sampled_rates sampled_seen(const struct trawl_plan *plan, const uint8_t *text,
                                  uint64_t text_bytes)
{
    const struct plan_sampled layout = sampled_layout(plan);
    const uint8_t *bytes = plan_literal_bytes(plan, 0);
    uint64_t places = text_bytes - (layout.q - 1), named = 0, naming = 0,
             max = max_u64(min_u64(places / SEEN_SHARE, SEEN_SAMPLES), SEEN_SAMPLES_MIN),
             step = places / max;
    struct sampler sampler;

    TRAWL_ASSERT(places >= max);
    sampler_reset(&sampler, max, layout.q, layout.fold);
    for (uint64_t part = 0; part < max; part++) {
        uint64_t at = part * step + plan_sample_at(part, step, 1);

        (void)sampler_add(&sampler, sampler_key(&sampler, text + at, text_bytes - at),
                          (uint16_t)part);
    }
    for (uint64_t offset = 0; offset < layout.stride; offset++) {
        uint64_t key = sampler_key(&sampler, bytes + offset, plan->length_min - offset);
        uint32_t slot = sampler_slot(&sampler, key), equal = sampler.count[slot];

        if (equal == 0)
            continue;
        named += equal;
        naming += sampler.owner[slot] == UINT16_MAX ? 0 : equal;
        sampler.owner[slot] = UINT16_MAX; /* these samples are counted in `naming` now */
    }
    return (struct sampled_rates){(double)named / (double)max, (double)naming / (double)max};
}

double sampled_repeats(const struct trawl_plan *plan, uint32_t q)
{
    const uint8_t *bytes = plan_literal_bytes(plan, 0);
    uint64_t stride = sampled_stride(plan->length_min), pairs = 0, offsets = 0;
    uint64_t step = (stride - 1) / REPEATS_OFFSETS + 1;
    struct sampler sampler;

    TRAWL_ASSERT(stride > 0);
    sampler_reset(&sampler, REPEATS_OFFSETS, q, 0);
    for (uint64_t o = 0; o < stride && o + q <= plan->length_min; o += step, offsets++)
        pairs += sampler_add(&sampler, sampler_key(&sampler, bytes + o, plan->length_min - o),
                             (uint16_t)o);
    return 1 + 2 * (double)pairs / (double)offsets * (double)step;
}
