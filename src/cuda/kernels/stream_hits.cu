/* hits_stream: where one pattern occurs, in order, by streams.
 *
 * Method     the filters of every, by the loads of stream.h. All warps of a block but the last go
 *            through a tile as streams do and note in shared memory which of 16 places hold the
 *            pattern or may hold it. The last warp works on the tile before: it verifies, asks how
 *            many hits come before the tile (order.h), and writes the tile's. So nobody who loads
 *            text waits for a place in the result.
 * Grid       any; blocks draw tiles from a ticket. 64 to 256 threads.
 * Shared     static, 28.4 KiB: what two tiles have noted.
 * Traffic    per text byte: reads 1, as stream. Per candidate: 16 to 72 text bytes. Per hit: writes
 *            8. Per tile: writes 8 bytes, and where it has hits reads up to 2 KiB.
 * Progress   the last warp waits for those of blocks with lower tiles (order.h).
 * Order      ascending.
 * Limits     want is SCAN_HITS; as stream otherwise. Where a tile costs more than its budget the
 *            launch is in vain: result->listed is not 0 then, and the host runs the tile kernel.
 * Source     the filters' own. One warp that writes what others find: after Bauer, Cook, Khailany,
 *            "CudaDMA", 2011, where some warps load for others.
 */
#include "stream.h"

/* A cell: what one warp notes in one step. */
#define HITS_CELL (STREAM_ROWS * SIMT_WARP_THREADS)
#define HITS_STEPS_MAX SCAN_HITS_STEPS
#define HITS_CELLS_MAX ((SCAN_THREADS_MAX / SIMT_WARP_THREADS - 1u) * HITS_STEPS_MAX)
#define HITS_DENSE 96u /* hits of 32 entries from which on neighbours are written together */

/* What a tile's warps have noted. An entry: 16 places, the first one's distance from the tile's
 * begin divided by 16, and from bit 16 on which of them. */
struct hits_noted {
    uint32_t entries[HITS_CELLS_MAX * HITS_CELL];
    uint32_t filled[HITS_CELLS_MAX]; /* entries of each cell, which are in the text's order */
};

/* A tile that the last warp works on. */
struct hits_tile {
    uint64_t begin; /* the text position of its first place */
    uint32_t upto;  /* a lane's: entries of the cells up to that of its number */
    uint32_t entries;
};

SIMT_FUNCTION uint32_t hits_warps(void)
{
    return simt_threads() / SIMT_WARP_THREADS - 1u;
}

/* The sum over this lane and those below. All lanes of the warp. */
SIMT_FUNCTION uint32_t hits_sum_below(uint32_t own)
{
    for (uint32_t delta = 1; delta < SIMT_WARP_THREADS; delta *= 2u) {
        uint32_t lower = simt_shuffle_up_u32(own, delta);

        own += simt_lane() >= delta ? lower : 0;
    }
    return own;
}

/* ---- What is noted ---------------------------------------------------------------------- */

/* Which of 16 places hold the two bytes or the three: filter_byte's way, for x as in
 * stream_count_bytes. */
SIMT_FUNCTION uint32_t hits_bytes(const struct scan_arguments *a, const struct filter_words *words,
                                  uint32_t bytes)
{
    uint32_t first = a->gram[0] % 256u * 0x01010101u, mask = 0;
    uint32_t second = (a->gram[0] >> 8) % 256u * 0x01010101u;
    uint32_t third = (a->gram[0] >> 16) % 256u * 0x01010101u;

    SIMT_UNROLL
    for (uint32_t k = 0; k < 4u; k++) {
        uint32_t x = (words->w[k] ^ first) | (filter_word(words, 4u * k + 1u) ^ second);

        if (bytes > 2u)
            x |= filter_word(words, 4u * k + 2u) ^ third;
        mask |= (filter_zero_bytes(x) >> 7) * 0x10204080u >> 28 << 4u * k;
    }
    return mask;
}

/* Which of 16 places hold the 4 bytes, or with a distance the 5 to 8 whose last word begins so
 * many bytes on. */
SIMT_FUNCTION uint32_t hits_words(const struct scan_arguments *a, const struct filter_words *words,
                                  uint32_t distance)
{
    uint32_t gram = a->gram[0], less = 0u - a->gram[2], mask = 0, one = simt_opaque_u32(1);

    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j++) {
        uint32_t word = filter_word(words, j);

        if (distance == 0)
            simt_add_equal(&mask, word, gram, one, 1u << j);
        else
            simt_add_equal(&mask, (word ^ gram) | (filter_word(words, j + distance) * one + less),
                           0, one, 1u << j);
    }
    return mask;
}

/* Which of 16 places hold the pattern without case. */
SIMT_FUNCTION uint32_t hits_folded(const struct scan_arguments *a, const struct filter_words *words)
{
    uint32_t mask = 0, one = simt_opaque_u32(1);

    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j++)
        simt_add_equal(&mask, filter_folded(a, words, j), 0, one, 1u << j);
    return mask;
}

/* Which of a row's 16 places are to be noted. All lanes of the warp. */
SIMT_FUNCTION uint32_t hits_places(const struct scan_arguments *a, const struct filter_words *words,
                                   int kind)
{
    int hit;

    if (kind == FILTER_BYTE)
        return filter_byte(a, words);
    if (kind == FILTER_SHORT)
        return (a->gram_mask[0] >> 16) != 0 ? hits_bytes(a, words, 3) : hits_bytes(a, words, 2);
    if (kind == FILTER_WORD)
        return hits_words(a, words, 0);
    if (kind == STREAM_FOLDED)
        return hits_folded(a, words);
    if (stream_decides(kind))
        return hits_words(a, words, (uint32_t)(kind - STREAM_PAIR_5) + 1u);
    hit = stream_look(a, words, kind);
    return simt_ballot(hit) != 0 && hit ? filter_places(a, words, kind) : 0;
}

/* Note a row's places: `at` is the lane's, as an entry has it. All lanes of the warp. */
SIMT_FUNCTION void hits_note(uint32_t *cell, uint32_t *filled, uint32_t at, uint32_t mask)
{
    uint32_t lanes = simt_ballot(mask != 0);

    if (lanes == 0)
        return;
    if (mask != 0)
        cell[*filled + simt_popcount(lanes & ((1u << simt_lane()) - 1u))] = mask << 16 | at;
    *filled += simt_popcount(lanes);
}

/* A whole step. Returns how many entries it has. */
SIMT_FUNCTION uint32_t hits_step(const struct scan_arguments *a, const struct stream_rows *step,
                                 uint32_t at, int kind, uint32_t *cell)
{
    uint32_t filled = 0;

    SIMT_UNROLL
    for (uint32_t k = 0; k < STREAM_ROWS; k++) {
        struct filter_words words = stream_words_of(step, k, kind);

        hits_note(cell, &filled, at + k * SIMT_WARP_THREADS, hits_places(a, &words, kind));
    }
    return filled;
}

/* The same for a step that is not whole. */
SIMT_FUNCTION uint32_t hits_edge(const struct scan_arguments *a, uint64_t position, uint32_t at,
                                 int kind, uint32_t *cell)
{
    struct filter_range range = {position, a->begin + a->shift, stream_last(a)};
    uint32_t filled = 0;

    for (uint32_t k = 0; k < STREAM_ROWS; k++) {
        uint64_t place = position + k * STREAM_ROW_BYTES + 16u * simt_lane();
        struct filter_words words = stream_edge_words(a, place, kind);

        hits_note(cell, &filled, at + k * SIMT_WARP_THREADS,
                  filter_lane(a, &range, &words, place, stream_filter_kind(kind)));
    }
    return filled;
}

/* Go through a tile; `next` is the tile that the block takes then. */
SIMT_FUNCTION void hits_look(const struct scan_arguments *a, uint32_t tile, uint32_t next,
                             struct stream_rows *step, int kind, struct hits_noted *noted)
{
    uint32_t steps_bytes = hits_warps() * STREAM_STEP_BYTES;
    uint32_t steps = a->tile_words * 32u / steps_bytes;
    uint64_t position = stream_begin(a, tile);

    for (uint32_t s = 0; s < steps; s++) {
        uint64_t following = s + 1u < steps ? position + steps_bytes : stream_begin(a, next);
        uint32_t cell = s * hits_warps() + simt_warp(), filled = 0;
        uint32_t at = cell * (STREAM_STEP_BYTES / 16u) + simt_lane();
        struct stream_rows ahead = {{0}, {0, 0}};

        stream_load(a, stream_is_whole(a, following) ? following : a->position, &ahead, kind);
        if (stream_is_whole(a, position))
            filled = hits_step(a, step, at, kind, noted->entries + cell * HITS_CELL);
        else if (position < stream_last(a))
            filled = hits_edge(a, position, at, kind, noted->entries + cell * HITS_CELL);
        if (simt_lane() == 0)
            noted->filled[cell] = filled;
        *step = ahead;
        position = following;
    }
}

/* ---- The last warp ---------------------------------------------------------------------- */

/* Where the entry of this number is: its cell is the first of which so many are not before it. All
 * lanes of the warp. */
SIMT_FUNCTION uint32_t hits_where(const struct hits_tile *tile, uint32_t number)
{
    uint32_t cell = 0, before;

    for (uint32_t half = SIMT_WARP_THREADS / 2u; half != 0; half /= 2u)
        cell += simt_shuffle_u32(tile->upto, cell + half - 1u) <= number ? half : 0;
    before = simt_shuffle_u32(tile->upto, (cell - 1u) % SIMT_WARP_THREADS);
    return cell * HITS_CELL + number - (cell != 0 ? before : 0);
}

SIMT_FUNCTION uint64_t hits_begin(const struct scan_arguments *a, const struct hits_tile *tile,
                                  uint32_t entry)
{
    return tile->begin + (entry & 0xffffu) * 16u - a->shift;
}

/* Strike out of the lane's entry what is no occurrence. Returns whether the tile is given up. */
SIMT_FUNCTION int hits_verify(const struct scan_arguments *a, const struct hits_tile *tile,
                              uint32_t *entry, uint32_t *steps, struct tile_totals *totals)
{
    uint32_t left = *entry >> 16;

    totals->candidates += simt_popcount(left);
    if (stream_is_brief(a) && a->plane.window_bits != 0 && *steps > a->verify_budget)
        return 1;
    for (; simt_ballot(left != 0) != 0; left &= left - 1u) {
        uint32_t bit = left != 0 ? simt_lowest_bit(left) : 0, found;

        if (stream_verify_one(a, hits_begin(a, tile, *entry) + bit, left != 0, steps, &found))
            return 1;
        if (left != 0 && (found >> simt_lane() & 1u) == 0)
            *entry &= ~(0x10000u << bit);
    }
    return 0;
}

/* Verify what is to be, and sum up. Returns whether the tile is given up. */
SIMT_FUNCTION int hits_settle(const struct scan_arguments *a, const struct hits_tile *tile,
                              int kind, struct hits_noted *noted, uint64_t *count,
                              struct tile_totals *totals)
{
    uint32_t steps = 0, own = 0;

    for (uint32_t first = 0; first < tile->entries; first += SIMT_WARP_THREADS) {
        uint32_t where = hits_where(tile, first + simt_lane()), entry = 0;

        if (SIMT_BOUND(first + simt_lane() < tile->entries))
            entry = noted->entries[where];
        if (!stream_decides(kind)) {
            if (hits_verify(a, tile, &entry, &steps, totals))
                return 1;
            if (SIMT_BOUND(first + simt_lane() < tile->entries))
                noted->entries[where] = entry;
        }
        own += simt_popcount(entry >> 16);
    }
    totals->count += own;
    *count = order_warp_sum(own);
    return 0;
}

/* Where hits lie close to each other: 16 lanes for an entry, so that stores lie side by side. */
SIMT_FUNCTION void hits_write_dense(const struct scan_arguments *a, uint32_t entry, uint64_t base,
                                    uint64_t slot, uint32_t before)
{
    for (uint32_t k = 0; k < SIMT_WARP_THREADS; k += 2u) {
        uint32_t source = k + simt_lane() / 16u, bit = simt_lane() % 16u;
        uint32_t other = simt_shuffle_u32(entry, source), mask = other >> 16;
        uint64_t at =
            slot + simt_shuffle_u32(before, source) + simt_popcount(mask & ((1u << bit) - 1u));

        if ((mask >> bit & 1u) != 0 && SIMT_BOUND(at < a->capacity))
            simt_store_u64(&a->hits[at], base + (other & 0xffffu) * 16u + bit);
    }
}

/* Write the tile's hits from `slot` on. */
SIMT_FUNCTION void hits_write(const struct scan_arguments *a, const struct hits_tile *tile,
                              const struct hits_noted *noted, uint64_t slot)
{
    uint64_t base = a->hits_base + tile->begin - a->shift - a->begin;

    for (uint32_t first = 0; first < tile->entries; first += SIMT_WARP_THREADS) {
        uint32_t where = hits_where(tile, first + simt_lane()), entry = 0, count, upto, total;

        if (SIMT_BOUND(first + simt_lane() < tile->entries))
            entry = noted->entries[where];
        count = simt_popcount(entry >> 16);
        upto = hits_sum_below(count);
        total = simt_shuffle_u32(upto, SIMT_WARP_THREADS - 1u);
        if (total >= HITS_DENSE) {
            hits_write_dense(a, entry, base, slot, upto - count);
        } else {
            uint64_t at = slot + upto - count, begin = base + (entry & 0xffffu) * 16u;

            for (uint32_t left = entry >> 16; left != 0; left &= left - 1u, at++)
                if (SIMT_BOUND(at < a->capacity))
                    simt_store_u64(&a->hits[at], begin + simt_lowest_bit(left));
        }
        slot += total;
    }
}

/* All that is to be done with a tile that the others have gone through. */
SIMT_FUNCTION_LARGE void hits_finish(const struct scan_arguments *a, uint32_t number, int kind,
                                     struct hits_noted *noted, struct tile_totals *totals)
{
    uint32_t cells = a->tile_words * 32u / STREAM_STEP_BYTES;
    struct hits_tile tile = {a->position + (uint64_t)number * (a->tile_words * 32u), 0, 0};
    uint64_t count = 0, slot;

    tile.upto = hits_sum_below(SIMT_BOUND(simt_lane() < cells) ? noted->filled[simt_lane()] : 0);
    tile.entries = simt_shuffle_u32(tile.upto, SIMT_WARP_THREADS - 1u);
    if (hits_settle(a, &tile, kind, noted, &count, totals)) {
        count = 0;
        totals->floods += simt_lane() == 0;
        if (simt_lane() == 0)
            (void)simt_atomic_add_u64(&a->result->listed, 1);
    }
    slot = order_take(a, number, count);
    if (count != 0)
        hits_write(a, &tile, noted, slot);
}

/* ---- The block -------------------------------------------------------------------------- */

/* One more tile; none where the launch is in vain, which is looked at now and then. */
SIMT_FUNCTION uint32_t hits_ask(const struct scan_arguments *a, uint32_t turn)
{
    if (turn % STREAM_HINT_TURNS == 0 && simt_hint_u64(&a->result->listed) != 0)
        return a->tile_count;
    return (uint32_t)simt_atomic_add_u64(&a->result->ticket, 1);
}

SIMT_FUNCTION void hits_tiles(const struct scan_arguments *a, int kind)
{
    SIMT_SHARED(struct hits_noted, hits_two, 2);
    SIMT_SHARED(uint32_t, hits_tickets, 4);
    struct tile_totals totals = {0, 0, 0};
    struct stream_rows step = {{0}, {0, 0}};
    int is_last = simt_warp() == hits_warps();
    uint32_t tile, next, ahead = 0, before = UINT32_MAX, turn = 0;

    if (simt_thread() == 0) {
        hits_tickets[2] = hits_ask(a, 1);
        hits_tickets[3] = hits_ask(a, 1);
        ahead = hits_ask(a, 1);
    }
    simt_barrier();
    tile = hits_tickets[2];
    next = hits_tickets[3];
    if (!is_last)
        stream_load(a,
                    stream_is_whole(a, stream_begin(a, tile)) ? stream_begin(a, tile) : a->position,
                    &step, kind);
    while (SIMT_BOUND(tile < a->tile_count)) {
        uint32_t *ticket = &hits_tickets[turn % 2u], third;

        if (simt_thread() == 0) {
            *ticket = ahead;
            ahead = hits_ask(a, turn + 1u);
        }
        if (!is_last)
            hits_look(a, tile, next, &step, kind, &hits_two[turn % 2u]);
        else if (before != UINT32_MAX)
            hits_finish(a, before, kind, &hits_two[(turn + 1u) % 2u], &totals);
        simt_barrier();
        third = *ticket;
        before = tile;
        tile = next;
        next = third;
        turn++;
    }
    if (is_last && before != UINT32_MAX)
        hits_finish(a, before, kind, &hits_two[(turn + 1u) % 2u], &totals);
    tile_finish(a, &totals, ahead == UINT32_MAX ? UINT64_MAX : 0);
}

#define HITS_KIND(kind)          \
    case kind:                   \
        hits_tiles(&args, kind); \
        break;

SIMT_KERNEL(hits_stream, scan_arguments, SCAN_THREADS_MAX, 3)
{
    switch (stream_kind(&args)) {
        STREAM_KIND_LIST(HITS_KIND)
    }
}
