/* borders: whole words and lines begin at few positions, and the byte before a position rules out
 * most of the others.
 *
 * Where candidates are dense, vectors clear the bits of ruled-out positions before the scan
 * verifies any candidate. Without this step, each position of a text of a's would be a candidate
 * for the word `a`. If the plan has a single literal, the byte after an occurrence is at a known
 * offset, and the same test rules out bytes that may not follow.
 */
#include <string.h>

#include "cpu/worker.h"

/* Adds a byte value to nibble tables of a single byte. The two groups have 8 classes each, and each
 * high half of a byte has a class of its own, so that the tables tell exactly which values they
 * hold. */
static void nibbles_add(struct plan_nibbles *nibbles, uint32_t value)
{
    uint32_t group = value >> 7;
    uint8_t bit = (uint8_t)(1u << (value >> 4 & 7));

    nibbles->low[group][0][value & 15] |= bit;
    nibbles->high[group][0][value >> 4] |= bit;
}

void borders_begin(struct engine_worker *worker, const struct trawl_plan *plan)
{
    memset(&worker->inside, 0, sizeof worker->inside);
    worker->inside.bytes = 1;
    worker->inside.groups = 2;
    for (uint32_t value = 0; value < 256; value++)
        if (!plan_may_follow(plan, (uint8_t)value))
            nibbles_add(&worker->inside, value);
}

void borders_apply(struct scan *scan, uint64_t words)
{
    struct engine_worker *worker = scan->worker;
    struct find_tile *tile = &worker->tile;
    const uint8_t *text = scan->chunk->bytes + scan->at;
    const struct trawl_plan *plan = scan->plan;
    /* at least the number of words that have a candidate */
    uint64_t candidates = tile->hot_count, after = 0;

    TRAWL_ASSERT(words > 0 && words <= FIND_TILE_WORDS);
    if (tile->is_dense)
        candidates = worker->find->count_bits(tile, words);
    if (candidates < words / cpu_sizes.border_share ||
        scan->loadable - scan->at < 64 * words + FIND_LOAD_SLACK)
        return;
    worker->find->nibbles(text, words, &worker->inside, &worker->after);
    if (scan->at + scan->chunk->before > 0)
        after = !plan_may_follow(plan, text[-1]);
    for (uint64_t w = 0; w < words; w++) {
        uint64_t bits = worker->after.mask[w];

        tile->mask[w] &= ~(bits << 1 | after);
        after = bits >> 63;
    }
    if (plan->literal_count > 1 || plan->element_count > 0 ||
        scan->available - scan->at < 64 * words + plan->length_max + FIND_LOAD_SLACK)
        return;
    worker->find->nibbles(text + plan->length_max, words, &worker->inside, &worker->after);
    for (uint64_t w = 0; w < words; w++)
        tile->mask[w] &= ~worker->after.mask[w];
}
