/* hits_stream: where one pattern occurs, in order, by streams.
 *
 * Method     the filters of every, by the loads of stream.h. All warps of a block but the last go
 *            through a tile as streams do and note in shared memory which of 16 places hold the
 *            pattern or may hold it. The last warp meanwhile verifies and counts what they noted in
 *            the tile before, and keeps its hits until other blocks have told how many come before
 *            them (order.h). Nobody who loads text waits for a place in the result.
 * Grid       any; blocks draw tiles from a ticket. 64 to 288 threads.
 * Shared     static, 42.6 KiB: what two tiles have noted, and the hits that are kept.
 * Traffic    per text byte: reads 1, as stream. Per candidate: 16 to 72 text bytes. Per hit: writes
 *            8. Per tile: writes 8 bytes, and where it has hits reads up to 2 KiB.
 * Progress   the last warp waits for those of blocks with lower tiles (order.h).
 * Order      ascending.
 * Limits     want is SCAN_HITS; as stream otherwise. Where a tile costs more than its budget, or
 *            more than listed_max tiles are dense, the launch is in vain: result->listed is more
 *            than listed_max then, and the host runs the tile kernel.
 * Source     the filters' own. One warp that writes what others find: after Bauer, Cook, Khailany,
 *            "CudaDMA", 2011, where some warps load for others.
 */
#include "stream.h"

/* A cell: what one warp notes in one step. One word more, so that lanes that each read from a cell
 * of their own read from different banks. */
#define HITS_CELL (STREAM_ROWS * SIMT_WARP_THREADS)
#define HITS_CELL_WORDS (HITS_CELL + 1u)
#define HITS_CELLS_MAX (SCAN_THREADS_MAX / SIMT_WARP_THREADS * SCAN_HITS_STEPS)
#define HITS_AHEAD 4u /* entries, or hits, that a lane of the last warp reads together */
/* Hits of earlier tiles that wait for what comes before them, and of how many tiles. A tile with
 * more than half as many is dense: it waits for its turn, and with many of them the launch is in
 * vain. */
#define HITS_QUEUE 4096u
#define HITS_QUEUE_TILES 8u
#define HITS_DENSE (HITS_QUEUE / 2u)

/* What a tile's warps have noted. An entry: 16 places, the first one's distance from the tile's
 * begin divided by 16, and from bit 16 on which of them. */
struct hits_noted {
    uint32_t entries[HITS_CELLS_MAX * HITS_CELL_WORDS];
    uint32_t filled[HITS_CELLS_MAX]; /* entries of each cell, which are in the text's order */
    uint32_t number;                 /* of the tile */
};

/* What the last warp keeps: hits by their distance from their tile's begin, the oldest first, and
 * what it adds up. */
struct hits_queue {
    uint16_t hits[HITS_QUEUE];
    uint32_t number[HITS_QUEUE_TILES], count[HITS_QUEUE_TILES];
    uint32_t oldest, tiles; /* of the tiles: the oldest one's number, and how many there are */
    uint32_t begin, filled; /* the same of the hits */
    uint64_t count_all, candidates, floods;
};

#define HITS_NONE UINT32_MAX

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
            filled = hits_step(a, step, at, kind, noted->entries + cell * HITS_CELL_WORDS);
        else if (position < stream_last(a))
            filled = hits_edge(a, position, at, kind, noted->entries + cell * HITS_CELL_WORDS);
        if (simt_lane() == 0)
            noted->filled[cell] = filled;
        *step = ahead;
        position = following;
    }
}

/* ---- The last warp ---------------------------------------------------------------------- */

SIMT_FUNCTION uint64_t hits_tile_begin(const struct scan_arguments *a, uint32_t number)
{
    return a->position + (uint64_t)number * (a->tile_words * 32u) - a->shift;
}

SIMT_FUNCTION uint32_t hits_cells(const struct scan_arguments *a)
{
    return a->tile_words * 32u / STREAM_STEP_BYTES;
}

/* Strike out of the lane's entry what is no occurrence. Returns whether the tile is given up. */
SIMT_FUNCTION int hits_verify(const struct scan_arguments *a, uint64_t begin, uint32_t *entry,
                              uint32_t *steps)
{
    uint32_t left = *entry >> 16;

    if (stream_is_brief(a) && a->plane.window_bits != 0 && *steps > a->verify_budget)
        return 1;
    for (; simt_ballot(left != 0) != 0; left &= left - 1u) {
        uint32_t bit = left != 0 ? simt_lowest_bit(left) : 0, found;
        uint64_t x = begin + (*entry & 0xffffu) * 16u + bit;

        if (stream_verify_one(a, x, left != 0, steps, &found))
            return 1;
        if (left != 0 && (found >> simt_lane() & 1u) == 0)
            *entry &= ~(0x10000u << bit);
    }
    return 0;
}

/* Verify what is to be, and sum up: *own is the lane's cell's. Returns whether the tile is given
 * up. */
SIMT_FUNCTION int hits_settle(const struct scan_arguments *a, int kind, struct hits_noted *noted,
                              uint32_t *own, uint32_t *candidates)
{
    uint32_t *cell = noted->entries + simt_lane() * HITS_CELL_WORDS, filled = 0, steps = 0;
    uint64_t begin = hits_tile_begin(a, noted->number);

    if (SIMT_BOUND(simt_lane() < hits_cells(a)))
        filled = noted->filled[simt_lane()];
    if (stream_decides(kind)) {
        for (uint32_t i = 0; i < filled; i += HITS_AHEAD) {
            SIMT_UNROLL
            for (uint32_t k = 0; k < HITS_AHEAD; k++)
                *own += SIMT_BOUND(i + k < filled) ? simt_popcount(cell[i + k] >> 16) : 0;
        }
        return 0;
    }
    for (uint32_t i = 0; simt_ballot(i < filled) != 0; i++) {
        uint32_t entry = 0;

        if (SIMT_BOUND(i < filled))
            entry = cell[i];
        *candidates += simt_popcount(entry >> 16);
        if (hits_verify(a, begin, &entry, &steps))
            return 1;
        if (SIMT_BOUND(i < filled))
            cell[i] = entry;
        *own += simt_popcount(entry >> 16);
    }
    return 0;
}

/* Write the oldest tile's hits, `before` of which are others. */
SIMT_FUNCTION void hits_write_oldest(const struct scan_arguments *a, struct hits_queue *queue,
                                     uint64_t before)
{
    uint32_t tile = queue->oldest % HITS_QUEUE_TILES, count = queue->count[tile];
    uint64_t base = a->hits_base + hits_tile_begin(a, queue->number[tile]) - a->begin;

    for (uint32_t i = simt_lane(); i < count; i += HITS_AHEAD * SIMT_WARP_THREADS) {
        uint32_t hits[HITS_AHEAD];

        SIMT_UNROLL
        for (uint32_t k = 0; k < HITS_AHEAD; k++)
            hits[k] = queue->hits[(queue->begin + i + k * SIMT_WARP_THREADS) % HITS_QUEUE];
        SIMT_UNROLL
        for (uint32_t k = 0; k < HITS_AHEAD; k++) {
            uint32_t at = i + k * SIMT_WARP_THREADS;

            if (at < count && SIMT_BOUND(before + at < a->capacity))
                simt_store_u64(&a->hits[before + at], base + hits[k]);
        }
    }
    simt_warp_sync(); /* read by all before it is changed */
    if (simt_lane() == 0) {
        queue->oldest++;
        queue->tiles--;
        queue->begin += count;
        queue->filled -= count;
    }
    simt_warp_sync(); /* written before others read */
}

/* Write the oldest tiles until at most so many tiles and hits are left; those that may be written
 * without waiting are in any case. */
SIMT_FUNCTION void hits_flush(const struct scan_arguments *a, struct hits_queue *queue,
                              uint32_t tiles, uint32_t hits)
{
    while (queue->tiles > 0) {
        uint32_t tile = queue->oldest % HITS_QUEUE_TILES, count = queue->count[tile];
        uint64_t before;

        if (queue->tiles > tiles || queue->filled > hits)
            before = order_before(a, queue->number[tile], count);
        else if (!order_try(a, queue->number[tile], count, &before))
            return;
        hits_write_oldest(a, queue, before);
    }
}

/* Put a tile's hits into the queue, each lane those of its cell. */
SIMT_FUNCTION void hits_queue(const struct hits_noted *noted, uint32_t cells, uint32_t own,
                              uint32_t count, struct hits_queue *queue)
{
    const uint32_t *cell = noted->entries + simt_lane() * HITS_CELL_WORDS;
    uint32_t at = queue->begin + queue->filled + hits_sum_below(own) - own, filled = 0;

    if (SIMT_BOUND(simt_lane() < cells))
        filled = noted->filled[simt_lane()];
    for (uint32_t i = 0; i < filled; i += HITS_AHEAD) {
        uint32_t entries[HITS_AHEAD];

        SIMT_UNROLL
        for (uint32_t k = 0; k < HITS_AHEAD; k++)
            entries[k] = SIMT_BOUND(i + k < filled) ? cell[i + k] : 0;
        SIMT_UNROLL
        for (uint32_t k = 0; k < HITS_AHEAD; k++)
            for (uint32_t left = entries[k] >> 16; left != 0; left &= left - 1u, at++)
                queue->hits[at % HITS_QUEUE] =
                    (uint16_t)((entries[k] & 0xffffu) * 16u + simt_lowest_bit(left));
    }
    simt_warp_sync(); /* read by all before it is changed */
    if (simt_lane() == 0) {
        queue->number[(queue->oldest + queue->tiles) % HITS_QUEUE_TILES] = noted->number;
        queue->count[(queue->oldest + queue->tiles) % HITS_QUEUE_TILES] = count;
        queue->tiles++;
        queue->filled += count;
    }
    simt_warp_sync(); /* written before others read */
}

/* Write a dense tile's hits: cell by cell, 16 lanes for an entry. */
SIMT_FUNCTION void hits_write_dense(const struct scan_arguments *a, const struct hits_noted *noted,
                                    uint64_t slot)
{
    uint64_t base = a->hits_base + hits_tile_begin(a, noted->number) - a->begin;
    uint32_t cells = hits_cells(a), bit = simt_lane() % 16u;

    for (uint32_t c = 0; c < cells; c++) {
        const uint32_t *cell = noted->entries + c * HITS_CELL_WORDS;
        uint32_t filled = noted->filled[c];

        for (uint32_t i = 0; i < filled; i += 2u) {
            uint32_t entry = 0, lanes;
            uint64_t at;

            if (SIMT_BOUND(i + simt_lane() / 16u < filled))
                entry = cell[i + simt_lane() / 16u];
            lanes = simt_ballot(entry >> 16 >> bit & 1u);
            at = slot + simt_popcount(lanes & ((1u << simt_lane()) - 1u));
            if ((lanes >> simt_lane() & 1u) != 0 && SIMT_BOUND(at < a->capacity))
                simt_store_u64(&a->hits[at], base + (entry & 0xffffu) * 16u + bit);
            slot += simt_popcount(lanes);
        }
    }
}

/* The last warp's turn: the tile that was gone through last is verified, noted and put into the
 * queue; HITS_NONE: there is no such tile any more, and the queue is emptied. A function of its
 * own, so that it takes no registers from those who load, with its arguments in shared memory:
 * where a kernel finds them, they are far away for what is not inlined. */
SIMT_FUNCTION_LARGE void hits_turn(const struct scan_arguments *a, int kind,
                                   struct hits_noted *noted, struct hits_queue *queue)
{
    uint32_t own = 0, candidates = 0, count = 0;
    int gives_up, dense;

    if (noted->number == HITS_NONE) {
        hits_flush(a, queue, 0, 0);
        return;
    }
    gives_up = hits_settle(a, kind, noted, &own, &candidates);
    if (!gives_up)
        count = (uint32_t)order_warp_sum(own);
    candidates = (uint32_t)order_warp_sum(candidates);
    dense = count > HITS_DENSE;
    if (simt_lane() == 0) {
        uint64_t floods = gives_up ? a->listed_max + 1u : (uint64_t)dense;

        order_note(a, noted->number, count);
        queue->count_all += count;
        queue->candidates += candidates;
        queue->floods += floods;
        if (floods != 0)
            (void)simt_atomic_add_u64(&a->result->listed, floods);
    }
    if (dense) {
        hits_flush(a, queue, 0, 0);
        hits_write_dense(a, noted, order_before(a, noted->number, count));
    } else if (count != 0 || order_ends_bundle(a, noted->number)) {
        hits_flush(a, queue, HITS_QUEUE_TILES - 1u, HITS_QUEUE - count);
        hits_queue(noted, hits_cells(a), own, count, queue);
    }
    hits_flush(a, queue, HITS_QUEUE_TILES, HITS_QUEUE);
}

/* ---- The block -------------------------------------------------------------------------- */

/* One more tile; none where the launch is in vain, which is looked at now and then. */
SIMT_FUNCTION uint32_t hits_ask(const struct scan_arguments *a, uint32_t turn)
{
    if (turn % STREAM_HINT_TURNS == 0 && simt_hint_u64(&a->result->listed) > a->listed_max)
        return a->tile_count;
    return (uint32_t)simt_atomic_add_u64(&a->result->ticket, 1);
}

/* One thread, a barrier before all else. */
SIMT_FUNCTION void hits_queue_begin(struct hits_queue *queue)
{
    queue->oldest = queue->tiles = queue->begin = queue->filled = 0;
    queue->count_all = queue->candidates = queue->floods = 0;
}

/* What a block shares. */
struct hits_shared {
    struct hits_noted noted[2]; /* in turn */
    struct hits_queue queue;
    uint32_t tickets[4];
    struct scan_arguments arguments;
};

/* The last warp's way: a turn behind the others, and one more. */
SIMT_FUNCTION void hits_last(int kind, struct hits_shared *shared)
{
    uint32_t turn = 0;

    do {
        if (turn > 0)
            hits_turn(&shared->arguments, kind, &shared->noted[(turn + 1u) % 2u], &shared->queue);
        simt_meet();
        turn++;
    } while (shared->noted[(turn + 1u) % 2u].number != HITS_NONE);
    hits_turn(&shared->arguments, kind, &shared->noted[(turn + 1u) % 2u], &shared->queue);
}

/* The way of the others: `tile`, `next`, and what the tickets say. Thread 0 asks for them. */
SIMT_FUNCTION void hits_others(const struct scan_arguments *a, int kind, struct hits_shared *shared,
                               uint32_t tile, uint32_t next, uint32_t *ahead)
{
    struct stream_rows step = {{0}, {0, 0}};
    uint32_t turn = 0;
    int goes_on = 1;

    stream_load(a, stream_is_whole(a, stream_begin(a, tile)) ? stream_begin(a, tile) : a->position,
                &step, kind);
    while (goes_on) {
        goes_on = SIMT_BOUND(tile < a->tile_count);
        if (simt_thread() == 0) {
            shared->tickets[turn % 2u] = *ahead;
            *ahead = goes_on ? hits_ask(a, turn + 1u) : *ahead;
            shared->noted[turn % 2u].number = goes_on ? tile : HITS_NONE;
        }
        if (goes_on)
            hits_look(a, tile, next, &step, kind, &shared->noted[turn % 2u]);
        simt_meet();
        tile = next;
        next = shared->tickets[turn % 2u];
        turn++;
    }
}

SIMT_FUNCTION void hits_tiles(const struct scan_arguments *a, int kind)
{
    SIMT_SHARED(struct hits_shared, hits_block, 1);
    struct tile_totals totals = {0, 0, 0};
    uint32_t ahead = 0;

    if (simt_thread() == 0) {
        hits_block->tickets[2] = hits_ask(a, 1);
        hits_block->tickets[3] = hits_ask(a, 1);
        ahead = hits_ask(a, 1);
        hits_queue_begin(&hits_block->queue);
    }
    for (uint32_t i = simt_thread(); i < sizeof *a / sizeof(uint64_t); i += simt_threads())
        ((uint64_t *)(void *)&hits_block->arguments)[i] = ((const uint64_t *)(const void *)a)[i];
    simt_barrier();
    if (simt_warp() == hits_warps())
        hits_last(kind, hits_block);
    else
        hits_others(a, kind, hits_block, hits_block->tickets[2], hits_block->tickets[3], &ahead);
    if (simt_warp() == hits_warps() && simt_lane() == 0) {
        totals.count = hits_block->queue.count_all;
        totals.candidates = hits_block->queue.candidates;
        totals.floods = hits_block->queue.floods;
    }
    tile_finish(a, &totals, ahead == UINT32_MAX ? UINT64_MAX : 0);
}

#define HITS_KIND(kind)          \
    case kind:                   \
        hits_tiles(&args, kind); \
        break;

SIMT_KERNEL(hits_stream, scan_arguments, SCAN_HITS_THREADS_MAX, 3)
{
    switch (stream_kind(&args)) {
        STREAM_KIND_LIST(HITS_KIND)
    }
}
