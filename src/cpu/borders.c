/* borders: in searches for whole words or whole lines, drops candidates because of the byte before
 * them.
 *
 * A candidate is a position where a pattern may occur. Whole words and lines begin at few
 * positions, and the preceding byte rules out most of the others: without this step, each position
 * of "aaaa..." would be a candidate for the word "a". Where candidates are dense, vectors clear the
 * bits of such positions before the scan compares any. If the plan has a single literal, the byte
 * after an occurrence is at a known offset, and testing that byte, too, rules out more positions.
 */
#include "cpu/worker.h"

void borders_begin(struct cpu_worker *worker, const struct trawl_plan *plan)
{
    bytes_empty(&worker->inside);
    for (uint32_t value = 0; value < 256; value++)
        if (!plan_may_follow(plan, (uint8_t)value))
            bytes_add(&worker->inside, (uint8_t)value);
}

void borders_apply(struct scan *scan, uint64_t words)
{
    struct cpu_worker *worker = scan->worker;
    struct find_tile *tile = &worker->tile;
    const uint8_t *text = scan->chunk->bytes + scan->at;
    const struct trawl_plan *plan = scan->plan;
    /* at least this many candidates, since each of the hot_count words has one */
    uint64_t candidates = tile->hot_count, after = 0;

    TRAWL_ASSERT(words > 0 && words <= FIND_TILE_WORDS);
    if (tile->is_dense)
        candidates = worker->find->count_bits(tile, words);
    if (candidates < words / cpu_sizes.border_share ||
        scan->loadable - scan->at < 64 * words + FIND_LOAD_SLACK)
        return;
    bytes_find(worker->find, text, words, &worker->inside, &worker->after);
    if (scan->at + scan->chunk->before > 0)
        after = worker->inside.has[text[-1]];
    for (uint64_t w = 0; w < words; w++) {
        uint64_t bits = worker->after.mask[w];

        tile->mask[w] &= ~(bits << 1 | after);
        after = bits >> 63;
    }
    if (plan->literal_count > 1 || plan->element_count > 0 ||
        scan->available - scan->at < 64 * words + plan->length_max + FIND_LOAD_SLACK)
        return;
    bytes_find(worker->find, text + plan->length_max, words, &worker->inside, &worker->after);
    for (uint64_t w = 0; w < words; w++)
        tile->mask[w] &= ~worker->after.mask[w];
}
