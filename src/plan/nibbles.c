/* nibbles: fills the nibble tables of a small set (nibbles.h): chooses which half bytes (nibbles)
 * are tested, and which literals share a slot (a bit of the tables). */
#include "plan/nibbles.h"

#include <string.h>

#include "base/memory.h"
#include "plan/analyse.h"
#include "plan/plan.h"
#include "plan/prices.def"

#define GROUP_SLOTS 8u
#define SLOTS_MAX (GROUP_SLOTS * PLAN_NIBBLE_GROUPS_MAX)
#define LOOKUPS_MAX PLAN_NIBBLE_BYTES_MAX
/* how many times every literal is assigned to a slot */
#define PASSES 2u
#define NONE UINT8_MAX
/* If tables test six low bits of each byte, six bytes are enough if a seventh would still let more
 * than 1/8 of the positions pass that the six let pass. This happens if many literals, such as
 * short words, have no seventh byte. */
#define SIX_BYTES 6u
/* below MANY_BITS, both halves are tested of at most this many bytes */
#define WHOLE_FEW 3u
/* This many half bytes are enough if there are at most as many literals as slots (GROUP_SLOTS), and
 * if at most HALVES_PASS of the positions of typical texts pass. Testing two more costs as much as
 * comparing literals at 1/1000 to 1/400 of all positions. */
#define HALVES_FEW 4u
_Static_assert(GROUP_SLOTS == 8, "a byte of a table has a bit for each slot");
_Static_assert(SIX_BYTES == 6 && HALVES_FEW == 4 && WHOLE_FEW <= PLAN_NIBBLE_WHOLE_MAX,
               "find->nibbles has loops for these numbers of bytes");
/* HALVES_PASS for tables of six low bits: lower because the bytes of words are not independent */
#define SIX_PASS (HALVES_PASS / 64)

/* Maximum number of literals for which six tested bytes, one group or two groups are enough. The
 * limits are lower for literals with few different bytes, because then each byte rules out less. */
static const struct limits {
    uint32_t six_bytes, one_group, two_groups;
} limits_of_many = {64, 40, 128}, limits_of_few = {10, 10, 28};

/* What one table tests: the high half, or low bits, of a byte of the literals. */
struct lookup {
    uint32_t byte;
    bool high;
};

/* The state while literals are assigned to slots. */
struct dealing {
    const struct trawl_plan *plan;
    uint32_t lookup_count, slots;
    uint8_t low; /* mask of the low bits that are tested: 15 or 63 */
    struct lookup lookups[LOOKUPS_MAX];
    uint8_t of[PLAN_NIBBLE_LITERALS_MAX]; /* the slot of each literal; NONE: no slot yet */
    /* for each table, value and slot: how many literals of the slot allow the value */
    uint16_t uses[LOOKUPS_MAX][PLAN_NIBBLE_LOWS][SLOTS_MAX];
    /* for each table and slot: how many values the slot's literals allow */
    float values[LOOKUPS_MAX][SLOTS_MAX];
    /* for each slot: the product of `values` over all tables, which is proportional to the fraction
     * of positions that pass the slot */
    float products[SLOTS_MAX];
};

/* Returns the set of values that the literal allows in this table, as a bit mask. */
static uint64_t lookup_values(const struct dealing *dealing, uint32_t literal, struct lookup lookup)
{
    const struct trawl_plan *plan = dealing->plan;
    const uint8_t max = lookup.high ? 15 : dealing->low;
    uint8_t byte, other;

    if (lookup.byte >= plan_literal_at(plan, literal).bytes_count)
        return UINT64_MAX >> (63 - max);
    byte = other = plan_literal_bytes(plan, literal)[lookup.byte];
    if ((plan->flags & TRAWL_IGNORE_CASE) != 0 && byte >= 'a' && byte <= 'z')
        other &= (uint8_t)~0x20;
    return 1ull << (lookup.high ? byte >> 4 : byte & max) |
           1ull << (lookup.high ? other >> 4 : other & max);
}

/* Adds a literal with these values to the slot (`in`), or removes it (not `in`). */
static void deal_count(struct dealing *dealing, const uint64_t values[LOOKUPS_MAX], uint32_t slot,
                       bool in)
{
    TRAWL_ASSERT(slot < dealing->slots);
    dealing->products[slot] = 1.0f;
    for (uint32_t j = 0; j < dealing->lookup_count; j++) {
        for (uint64_t bits = values[j]; bits != 0; bits &= bits - 1) {
            uint16_t *uses = &dealing->uses[j][__builtin_ctzll(bits)][slot];

            TRAWL_ASSERT(in || *uses > 0);
            dealing->values[j][slot] += in ? *uses == 0 : *uses == 1 ? -1.0f : 0.0f;
            *uses = (uint16_t)(*uses + (in ? 1 : -1));
        }
        dealing->products[slot] *= dealing->values[j][slot];
    }
}

/* Returns the best slot for a literal with these values: the one whose product (dealing->products)
 * grows least, so that few additional positions pass. */
static uint8_t deal_best(const struct dealing *dealing, const uint64_t values[LOOKUPS_MAX])
{
    const uint32_t slots = dealing->slots;
    float with[SLOTS_MAX], of_lookup[SLOTS_MAX];
    uint32_t best = 0;

    for (uint32_t c = 0; c < slots; c++)
        with[c] = 1.0f;
    for (uint32_t j = 0; j < dealing->lookup_count; j++) {
        memcpy(of_lookup, dealing->values[j], sizeof of_lookup);
        for (uint64_t bits = values[j]; bits != 0; bits &= bits - 1) {
            const uint16_t *uses = dealing->uses[j][__builtin_ctzll(bits)];

            for (uint32_t c = 0; c < slots; c++)
                of_lookup[c] += uses[c] == 0 ? 1.0f : 0.0f;
        }
        for (uint32_t c = 0; c < slots; c++)
            with[c] *= of_lookup[c];
    }
    for (uint32_t c = 1; c < slots; c++)
        if (with[c] - dealing->products[c] < with[best] - dealing->products[best])
            best = c;
    return (uint8_t)best;
}

/* Assigns each literal to a slot. Later passes assign each literal again, to the slot that now
 * suits it best. */
static void deal(struct dealing *dealing)
{
    uint32_t count = dealing->plan->literal_count;

    TRAWL_ASSERT(count <= PLAN_NIBBLE_LITERALS_MAX && dealing->slots <= SLOTS_MAX);
    memset(dealing->of, NONE, sizeof dealing->of);
    for (uint32_t i = 0; i < PASSES * count; i++) {
        uint32_t literal = i % count;
        uint64_t values[LOOKUPS_MAX];
        uint8_t *of = &dealing->of[literal];

        for (uint32_t j = 0; j < dealing->lookup_count; j++)
            values[j] = lookup_values(dealing, literal, dealing->lookups[j]);
        if (*of != NONE)
            deal_count(dealing, values, *of, false);
        *of = deal_best(dealing, values);
        deal_count(dealing, values, *of, true);
    }
}

/* Returns how many bytes are tested in both halves: so few that more than half of the literals have
 * no further bytes. Returns 0 if that is not possible; then only low halves are tested. */
static uint32_t whole_bytes(const struct trawl_plan *plan)
{
    const bool many = plan->byte_bits >= MANY_BITS;
    const uint32_t max = many ? PLAN_NIBBLE_WHOLE_MAX : WHOLE_FEW;

    for (uint32_t bytes = many ? max : 2; bytes <= max; bytes++) {
        uint32_t shorter = 0;

        for (uint32_t i = 0; i < plan->literal_count; i++)
            shorter += plan_literal_at(plan, i).bytes_count <= bytes;
        if (shorter > plan->literal_count / 2)
            return bytes;
    }
    return 0;
}

/* Returns the fraction of positions in typical texts whose byte agrees in the low bits with the
 * literal's byte at this offset; 1 if the literal has no such byte. */
static float low_left(const struct dealing *dealing, uint32_t literal, uint32_t at,
                      const float of_low[PLAN_NIBBLE_LOWS])
{
    const struct trawl_plan *plan = dealing->plan;

    return at < plan_literal_at(plan, literal).bytes_count
               ? of_low[plan_literal_bytes(plan, literal)[at] & dealing->low]
               : 1.0f;
}

/* Chooses at most nibbles->bytes offsets whose bytes' low bits are tested. Adds one offset at a
 * time: the one with which the fewest positions of typical texts pass, summed over the literals. */
static void choose_bytes(const struct dealing *dealing, struct plan_nibbles *nibbles)
{
    const struct trawl_plan *plan = dealing->plan;
    const bool six = dealing->low == PLAN_NIBBLE_LOWS - 1;
    float of_low[PLAN_NIBBLE_LOWS] = {0}, left[PLAN_NIBBLE_LITERALS_MAX];
    struct byte_rates rates;
    uint32_t taken = 0, max = nibbles->bytes;
    float sum_left = (float)plan->literal_count;

    analyse_rates(NULL, 0, plan->literal_bytes, plan->literal_bytes_total, false, &rates);
    for (uint32_t byte = 0; byte < 256; byte++)
        of_low[byte & dealing->low] += (float)rates.rate[byte];
    for (uint32_t i = 0; i < plan->literal_count; i++)
        left[i] = 1.0f;
    nibbles->bytes = 0;
    while (nibbles->bytes < max &&
           !(nibbles->bytes == HALVES_FEW && plan->literal_count <= GROUP_SLOTS &&
             sum_left <= (six ? SIX_PASS : HALVES_PASS))) {
        float min = 2.0f * PLAN_NIBBLE_LITERALS_MAX;
        uint32_t best = 0;

        for (uint32_t at = 0; at < PLAN_NIBBLE_REACH; at++) {
            float sum = 0;

            for (uint32_t i = 0; (taken >> at & 1) == 0 && i < plan->literal_count; i++)
                sum += left[i] * low_left(dealing, i, at, of_low);
            if ((taken >> at & 1) == 0 && sum < min) {
                best = at;
                min = sum;
            }
        }
        if (six && nibbles->groups <= 2 && nibbles->bytes == SIX_BYTES && min > sum_left / 8)
            return;
        nibbles->at[nibbles->bytes++] = (uint8_t)best;
        taken |= 1u << best;
        sum_left = min;
        for (uint32_t i = 0; i < plan->literal_count; i++)
            left[i] *= low_left(dealing, i, best, of_low);
    }
}

/* Chooses the number of groups, and which half bytes the tables test. */
static void choose_looks(const struct trawl_plan *plan, struct dealing *dealing,
                         struct plan_nibbles *nibbles)
{
    const struct limits *limits = plan->byte_bits < FEW_BITS ? &limits_of_few : &limits_of_many;
    uint32_t count = plan->literal_count, whole = whole_bytes(plan);

    nibbles->groups = count <= limits->one_group ? 1 : count <= limits->two_groups ? 2 : 4;
    nibbles->bytes = whole > 0 ? whole : count <= limits->six_bytes ? 6 : 8;
    if (dealing->low == PLAN_NIBBLE_LOWS - 1 && whole == 0 && limits == &limits_of_many)
        nibbles->groups = nibbles->groups < 2 ? nibbles->groups : 2;
    nibbles->whole = whole > 0;
    for (uint32_t j = 0; j < nibbles->bytes; j++)
        nibbles->at[j] = (uint8_t)j;
    if (!nibbles->whole)
        choose_bytes(dealing, nibbles);
    dealing->slots = GROUP_SLOTS * nibbles->groups;
    dealing->lookup_count = nibbles->whole ? 2 * nibbles->bytes : nibbles->bytes;
    TRAWL_ASSERT(dealing->lookup_count <= LOOKUPS_MAX);
    for (uint32_t j = 0; j < dealing->lookup_count; j++)
        dealing->lookups[j] = (struct lookup){nibbles->at[j % nibbles->bytes], j >= nibbles->bytes};
}

static void nibbles_build(const struct trawl_plan *plan, uint8_t low, struct plan_nibbles *nibbles)
{
    struct dealing dealing;

    memset(&dealing, 0, sizeof dealing);
    dealing.plan = plan;
    dealing.low = low;
    choose_looks(plan, &dealing, nibbles);
    deal(&dealing);
    for (uint32_t i = 0; i < plan->literal_count; i++)
        for (uint32_t j = 0; j < dealing.lookup_count; j++) {
            struct lookup lookup = dealing.lookups[j];
            uint32_t group = dealing.of[i] / GROUP_SLOTS;
            uint8_t *table =
                lookup.high ? nibbles->high[group][j - nibbles->bytes] : nibbles->low[group][j];

            for (uint64_t bits = lookup_values(&dealing, i, lookup); bits != 0; bits &= bits - 1)
                table[__builtin_ctzll(bits)] |= (uint8_t)(1u << dealing.of[i] % GROUP_SLOTS);
        }
    for (uint32_t g = 0; g < nibbles->groups; g++)
        for (uint32_t j = 0; j < nibbles->bytes; j++)
            for (uint32_t value = low + 1u; value < PLAN_NIBBLE_LOWS; value++)
                nibbles->low[g][j][value] = nibbles->low[g][j][value & low];
}

static void nibbles_free(void *object)
{
    memory_release(object, 1, sizeof(struct plan_nibbles));
}

/* What to build: the tables of a plan. `low` is the mask of the low bits that are tested. */
struct nibbles_asked {
    const struct trawl_plan *plan;
    uint8_t low;
};

static enum trawl_status nibbles_make(const void *from, void **object, struct trawl_error *error)
{
    const struct nibbles_asked *asked = (const struct nibbles_asked *)from;

    TRAWL_TRY(memory_allocate_zeroed(1, sizeof(struct plan_nibbles), object, error));
    nibbles_build(asked->plan, asked->low, (struct plan_nibbles *)*object);
    return TRAWL_OK;
}

enum trawl_status plan_nibbles_want(const struct trawl_plan *plan, bool six,
                                    const struct plan_nibbles **nibbles, struct trawl_error *error)
{
    const struct nibbles_asked asked = {plan, six ? PLAN_NIBBLE_LOWS - 1 : 15};
    const void *object = NULL;

    if (plan->literal_count <= PLAN_NIBBLE_LITERALS_MAX)
        TRAWL_TRY(attachment_want(&plan->attached[six ? PLAN_NIBBLES_SIX : PLAN_NIBBLES], &asked,
                                  nibbles_make, nibbles_free, &object, error));
    *nibbles = (const struct plan_nibbles *)object;
    return TRAWL_OK;
}
