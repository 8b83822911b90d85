/* set_look: counts how often the grams (sequences of q bytes) of a large set occur in a sample of
 * the text, so that the set's stride can be chosen for this text. */
#include "base/checked.h"
#include "base/memory.h"
#include "cpu/set_look.h"
#include "cpu/prices.def"

/* A hash table of the sample's grams, and how often each occurs. A slot with count 0 is free. At
 * most half of the slots are used. */
struct grams {
    uint64_t slot_count;
    uint64_t *hashes;
    uint32_t *counts;
};

static uint64_t slot_of(const struct grams *grams, uint64_t hash)
{
    uint64_t slot = hash & (grams->slot_count - 1);

    while (grams->counts[slot] > 0 && grams->hashes[slot] != hash)
        slot = (slot + 1) & (grams->slot_count - 1);
    return slot;
}

/* Counts grams of the sample at random distances of 1 to 8 bytes; a fixed distance could hit a
 * period of the text. Returns the number of counted grams. */
static uint64_t take_sample(const struct set_sample *sample, const struct set_matcher *matcher,
                            const struct set_class *class, struct grams *grams)
{
    const uint8_t *end = sample->bytes + sample->bytes_count;
    uint64_t count = 0, chance = 1;

    TRAWL_ASSERT(sample->bytes_count > SET_Q_MAX && 2 * sample->bytes_count <= grams->slot_count);
    for (uint64_t at = 0; at + class->q <= sample->bytes_count; at += 1 + (chance >> 61), count++) {
        uint64_t hash = set_gram_hash(matcher, class, sample->bytes + at, end);
        uint64_t slot = slot_of(grams, hash);

        grams->hashes[slot] = hash;
        grams->counts[slot]++;
        chance = chance * SET_HASH_LOW + SET_HASH_HIGH;
    }
    return count;
}

enum trawl_status set_named(const struct set_sample *sample, const struct set_matcher *matcher,
                            const uint32_t *of, uint32_t index, const struct set_class *class,
                            double *named, struct trawl_error *error)
{
    const struct trawl_plan *plan = sample->plan;
    const uint8_t *end = plan->literal_bytes + plan->literal_bytes_total;
    uint32_t step = (class->literal_count + LOOKED_LITERALS - 1) / LOOKED_LITERALS, looked = 0;
    struct grams grams = {.slot_count = 1ull << log2_ceiling(2 * sample->bytes_count)};
    enum trawl_status status = TRAWL_OK;
    uint64_t pairs = 0, in_class = 0, taken;

    TRAWL_ASSERT(step > 0 && class->stride > 0);
    TRAWL_TRY_DONE(MEMORY_NEW(grams.hashes, grams.slot_count, error));
    TRAWL_TRY_DONE(MEMORY_ZEROED(grams.counts, grams.slot_count, error));
    taken = take_sample(sample, matcher, class, &grams);
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        uint64_t length = plan_literal_at(plan, i).bytes_count;

        if (of[set_class_of_length(length)] != index || in_class++ % step > 0)
            continue;
        looked++;
        for (uint32_t offset = 0; offset < class->stride; offset++) {
            uint64_t hash =
                set_gram_hash(matcher, class, plan_literal_bytes(plan, i) + offset, end);

            pairs += grams.counts[slot_of(&grams, hash)];
        }
    }
    TRAWL_ASSERT(looked > 0);
    *named = (double)pairs * class->literal_count / looked / (double)taken;
done:
    memory_release(grams.hashes, grams.slot_count, sizeof *grams.hashes);
    memory_release(grams.counts, grams.slot_count, sizeof *grams.counts);
    return status;
}
