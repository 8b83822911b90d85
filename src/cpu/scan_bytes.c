/* scan_bytes: searches for sets of one-byte literals. Each bit of a tile's mask is then an
 * occurrence, and nothing has to be compared.
 *
 * A search for lines (WANT_LINES) needs only one hit in each line. If hits are rare, the scan looks
 * for the line's end after each hit. Otherwise it marks "events": bytes of the set, and line ends.
 * A line has a hit if its first event is a byte of the set. One addition finds the first events in
 * 64 positions: it carries a bit from the start of each line through the positions without an event
 * up to the first one.
 */
#include <string.h>

#include "base/checked.h"
#include "cpu/worker.h"

void bytes_empty(struct find_bytes *bytes)
{
    memset(bytes, 0, sizeof *bytes);
    bytes->nibbles.whole = true;
    bytes->nibbles.bytes = bytes->nibbles.groups = 1;
}

void bytes_add(struct find_bytes *bytes, uint8_t value)
{
    struct plan_nibbles *nibbles = &bytes->nibbles;
    uint32_t group = value >> 7;
    uint8_t bit = (uint8_t)(1u << (value >> 4 & 7));

    bytes->has[value] = true;
    for (uint32_t low = value & 15; low < PLAN_NIBBLE_LOWS; low += 16)
        nibbles->low[group][0][low] |= bit;
    nibbles->high[group][0][value >> 4] |= bit;
    nibbles->groups = nibbles->groups > group + 1 ? nibbles->groups : group + 1;
    TRAWL_ASSERT(nibbles->groups <= 2);
}

/* Fills the tile in plain C. */
static void find_plain(const uint8_t *text, uint64_t positions, const struct find_bytes *bytes,
                       struct find_tile *tile)
{
    uint64_t any = 0;

    TRAWL_ASSERT(positions > 0 && positions <= 64 * FIND_TILE_WORDS);
    memset(tile->mask, 0, (positions + 63) / 64 * sizeof *tile->mask);
    for (uint64_t i = 0; i < positions; i++)
        any |= tile->mask[i / 64] |= (uint64_t)bytes->has[text[i]] << i % 64;
    tile->is_dense = true;
    tile->hot_count = any != 0;
}

void bytes_find(const struct find_ops *find, const uint8_t *text, uint64_t words,
                const struct find_bytes *bytes, struct find_tile *tile)
{
    if (find->nibbles == NULL)
        find_plain(text, 64 * words, bytes, tile);
    else
        find->nibbles(text, words, &bytes->nibbles, tile);
}

bool bytes_begin(struct byte_set *set, const struct trawl_plan *plan)
{
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;

    memset(set, 0, sizeof *set);
    if (plan->literal_count == 0 || plan->element_count > 0 || plan->length_max > 1 ||
        plan_has_conditions(plan) || plan->algorithm.name != NULL)
        return false;
    bytes_empty(&set->bytes);
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        uint8_t value = plan_literal_bytes(plan, i)[0];

        TRAWL_ASSERT(plan_literal_at(plan, i).bytes_count == 1);
        for (uint32_t cases = 0; cases < 2; cases++) {
            uint8_t other = cases == 1 ? (uint8_t)(value ^ 0x20) : value;

            if (cases == 1 && !(fold && value >= 'a' && value <= 'z'))
                continue;
            if (set->bytes.has[other])
                set->repeats = true;
            else
                set->literal[other] = i;
            bytes_add(&set->bytes, other);
        }
    }
    return true;
}

bool scan_bytes_fits(const struct cpu_worker *worker, enum want want)
{
    if (want == WANT_LINES)
        return true;
    return worker->method == TRAWL_METHOD_SET && (!worker->bytes.repeats || want == WANT_SPANS);
}

/* Fills the worker's tile for the next positions, and returns the number of its words. Sets
 * *positions to the number of positions. Sets *vectors to false if plain C filled the tile, because
 * the text's end is near. */
static uint64_t bytes_tile_fill(const struct scan *scan, uint64_t *positions, bool *vectors)
{
    struct cpu_worker *worker = scan->worker;
    const uint8_t *text = scan->chunk->bytes + scan->at;
    uint64_t words;

    TRAWL_ASSERT(scan->at < scan->limit && scan->limit <= scan->loadable);
    *positions = min_u64(scan->limit - scan->at, 64 * FIND_TILE_WORDS);
    words = scan_words(scan, scan->at, *positions, FIND_LOAD_SLACK);
    *vectors = words > 0;
    if (!*vectors) {
        *positions = min_u64(*positions, 64);
        find_plain(text, *positions, &worker->bytes.bytes, &worker->tile);
        return 1;
    }
    *positions = min_u64(*positions, 64 * words);
    bytes_find(worker->find, text, words, &worker->bytes.bytes, &worker->tile);
    tile_cut(&worker->tile, words, *positions);
    TRAWL_ASSERT(words <= FIND_TILE_WORDS && *positions <= 64 * words);
    return words;
}

void scan_bytes(struct scan *scan)
{
    struct cpu_worker *worker = scan->worker;

    while (scan->at < scan->limit && !scan->over && !scan_is_full(scan)) {
        bool vectors;
        uint64_t positions, words = bytes_tile_fill(scan, &positions, &vectors);

        TRAWL_ASSERT(positions > 0 && scan->at + positions <= scan->limit);
        if (scan->want == WANT_LINES && worker->tile.hot_count > 0)
            verify_lines(scan, words, positions, vectors);
        if (worker->tile.hot_count > 0)
            verify_bits(scan, words, worker->find->count_bits(&worker->tile, words),
                        worker->bytes.literal);
        scan->at = max_u64(scan->at + positions, scan->line_until);
    }
    scan->result->candidate_count = scan->result->count;
}
