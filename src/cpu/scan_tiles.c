/* scan_tiles: methods every and words: a candidate bitmap per tile, then its bits. */
#include "base/checked.h"
#include "cpu/lane.h"

#define PASSED_SHARE_MAX 8u   /* more than 1 word in 8 past the first probes: test one more */
#define PASSED_SHARE_MIN 256u /* fewer than 1 in 256: test one less */
#define FAILED_SHARE_MAX 512u /* words fails more than once per 512 places: every takes over */
#define FIRST_PROBES_MIN 2u

/* Places to do next: up to the next cache line of what is loaded, then whole tiles. `lead`: where
 * the loads of the place scan->at begin, from there on. */
static uint64_t tile_places(const struct scan *scan, uint64_t lead)
{
    uint64_t skew = (uint64_t)(uintptr_t)(scan->chunk->bytes + scan->at + lead) % 64;

    return min_u64(skew > 0 ? 64 - skew : 64 * TILE_WORDS, scan->limit - scan->at);
}

/* The words of a tile that can be loaded when a word at place 0 loads bytes up to `reach`. */
static uint64_t tile_words(const struct scan *scan, uint64_t places, uint64_t reach)
{
    uint64_t room = scan->loadable - scan->at;

    return room < reach + 64 ? 0 : min_u64((places + 63) / 64, (room - reach) / 64);
}

static bool probes_match(const struct scan *scan, uint64_t x)
{
    for (uint32_t p = 0; p < scan->plan->probe_count; p++) {
        const struct plan_probe *probe = &scan->plan->probes[p];

        if ((scan->chunk->bytes[x + probe->offset] | probe->fold) != probe->value)
            return false;
    }
    return true;
}

/* At the text's end, where a vector would reach beyond it: place by place. */
static uint64_t fill_last(struct scan *scan, uint64_t places)
{
    uint64_t bits = 0;

    TRAWL_ASSERT(places <= 64);
    for (uint64_t i = 0; i < places; i++)
        bits |= (uint64_t)probes_match(scan, scan->at + i) << i;
    scan->lane->mask[0] = bits;
    return bits;
}

static uint64_t probes_reach(const struct trawl_plan *plan)
{
    uint64_t reach = 0;

    for (uint32_t p = 0; p < plan->probe_count; p++)
        reach = max_u64(reach, plan->probes[p].offset);
    return reach;
}

/* The lane learns how many probes this text needs at every place. */
static void first_probes_adapt(struct engine_lane *lane, uint64_t words, uint64_t passed)
{
    uint32_t most = (uint32_t)min_u64(lane->plan->probe_count, FIND_FIRST_MAX);

    if (words < TILE_WORDS)
        return;
    if (passed > words / PASSED_SHARE_MAX && lane->first_probes < most)
        lane->first_probes++;
    else if (passed <= words / PASSED_SHARE_MIN && lane->first_probes > FIRST_PROBES_MIN &&
             lane->first_probes < lane->plan->probe_count)
        lane->first_probes--;
}

/* Fill the lane's mask for the next places; *places and *words: how many. Returns their OR. */
static uint64_t fill_every(struct scan *scan, uint64_t reach, uint64_t *places, uint64_t *words)
{
    struct engine_lane *lane = scan->lane;
    const struct trawl_plan *plan = scan->plan;
    uint64_t passed = 0, any;
    const uint8_t *text = scan->chunk->bytes + scan->at;

    *places = tile_places(scan, plan->probes[0].offset);
    *words = tile_words(scan, *places, reach);
    if (*words == 0) {
        *places = min_u64(*places, 64);
        *words = 1;
        return fill_last(scan, *places);
    }
    *places = min_u64(*places, 64 * *words);
    any = ((plan->flags & TRAWL_IGNORE_CASE) != 0 ? lane->find->every_fold : lane->find->every)(
        text, *words, plan->probes, lane->first_probes, plan->probe_count, lane->mask, &passed);
    first_probes_adapt(lane, *words, passed);
    return any;
}

static uint64_t fill_words(struct scan *scan, uint64_t *places, uint64_t *words)
{
    uint64_t lead = scan->plan->words.offset + 3; /* place x + 3 - o begins the word of offset o */

    *places = tile_places(scan, lead);
    *words = tile_words(scan, *places, lead);
    if (*words == 0) {
        *places = min_u64(*places, 64);
        *words = 1;
        return fill_last(scan, *places);
    }
    *places = min_u64(*places, 64 * *words);
    return scan->lane->find->words(scan->chunk->bytes + scan->at + lead, *words, &scan->plan->words,
                                   scan->lane->mask);
}

/* All bits of the tile are occurrences: count or keep them without looking again. */
static void settle_exact(struct scan *scan, uint64_t words)
{
    const uint64_t *mask = scan->lane->mask;
    struct hits *hits = &scan->result->hits;
    uint64_t found = scan->lane->find->count_bits(mask, words), x = scan->at;

    if (scan->want == ENGINE_WANT_COUNT) {
        scan->result->count += found;
        return;
    }
    scan->status = hits_reserve(hits, found, scan->error);
    if (scan->status != TRAWL_OK) {
        scan->over = true;
        return;
    }
    scan->result->count += found;
    for (uint64_t w = 0; w < words; w++, x += 64)
        for (uint64_t bits = mask[w]; bits != 0; bits &= bits - 1) {
            hits->items[hits->count].offset = (uint32_t)(x + (uint64_t)__builtin_ctzll(bits));
            hits->items[hits->count++].literal = 0;
        }
    scan->over = scan->want == ENGINE_WANT_FIRST && hits->count > 0;
}

static void settle_mask(struct scan *scan, uint64_t words)
{
    uint64_t tile = scan->at;

    for (uint64_t w = 0; w < words; w++)
        for (uint64_t bits = scan->lane->mask[w]; bits != 0; bits &= bits - 1) {
            settle_one(scan, tile + 64 * w + (uint64_t)__builtin_ctzll(bits));
            if (scan->over)
                return;
        }
}

void scan_tiles(struct scan *scan)
{
    struct engine_lane *lane = scan->lane;
    bool exact = scan->plan->probes_exact && !plan_has_conditions(scan->plan);
    uint64_t reach = probes_reach(scan->plan);

    while (scan->at < scan->limit && !scan_is_full(scan)) {
        bool by_words = lane->method == TRAWL_METHOD_WORDS;
        uint64_t places, words, any, failed = scan->failed;

        any = by_words ? fill_words(scan, &places, &words)
                       : fill_every(scan, reach, &places, &words);
        if (any != 0) {
            mask_cut(lane->mask, words, places);
            if (exact && !by_words)
                settle_exact(scan, words);
            else
                settle_mask(scan, words);
            if (scan->over)
                return;
        }
        if (by_words && scan->failed - failed > places / FAILED_SHARE_MAX + 1)
            lane->method = TRAWL_METHOD_EVERY;
        scan->at = max_u64(scan->at + places, scan->run_until);
    }
}
