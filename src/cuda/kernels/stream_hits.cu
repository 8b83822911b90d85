/* hits_stream: where one pattern occurs, in order, by streams.
 *
 * Method     the filters of every, by the loads of stream.h. All warps of a block but the last go
 *            through a tile as streams do and note in shared memory which places hold the pattern
 *            or may hold it. The last warp meanwhile verifies and counts what they noted in
 *            the tile before, and keeps its hits until other blocks have told how many come before
 *            them (order.h). Nobody who loads text waits for a place in the result.
 * Grid       any; blocks draw tiles from a ticket. 64 to 288 threads.
 * Shared     static, 42.7 KiB: what two tiles have noted, and the hits that are kept.
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

/* A cell: what one warp notes in one step, at most so many places; a tile with a fuller one is
 * dense. Two more, so that lanes that each go through a cell of their own read from different
 * banks.
 */
#define HITS_CELL 256u
#define HITS_CELL_ROOM (HITS_CELL + 2u)
#define HITS_CELLS_MAX (SCAN_THREADS_MAX / SIMT_WARP_THREADS * SCAN_HITS_STEPS)
#define HITS_AHEAD 4u /* places that a lane of the last warp reads together */

/* Hits of earlier tiles that wait for what comes before them, and of how many tiles. A tile with
 * more than half as many is dense, too, or with so many that had to be verified: one warp takes
 * longer for them than the others for the next tile. It waits for its turn, and with many of them
 * the launch is in vain. */
#define HITS_QUEUE 4096u
#define HITS_QUEUE_TILES 8u
#define HITS_DENSE (HITS_QUEUE / 2u)
#define HITS_DENSE_VERIFIED 256u

/* What a tile's warps have noted: places that hold the pattern or may hold it, by their distance
 * from the tile's begin. The cells are in the text's order, and so is what is in them. */
struct hits_noted {
    uint16_t places[HITS_CELLS_MAX * HITS_CELL_ROOM];
    uint32_t filled[HITS_CELLS_MAX]; /* more than HITS_CELL: none of the last row's is noted */
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

/* The sum over the lanes below, and *total that over all, of numbers of up to 16. All lanes of the
 * warp. */
SIMT_FUNCTION uint32_t hits_count_below(uint32_t count, uint32_t *total)
{
    uint32_t below = (1u << simt_lane()) - 1u, some = simt_ballot(count != 0);
    uint32_t sum = simt_popcount(some & below);

    *total = simt_popcount(some);
    if (simt_ballot(count > 1u) == 0)
        return sum;
    sum = *total = 0;
    SIMT_UNROLL
    for (uint32_t bit = 0; bit < 5u; bit++) {
        uint32_t lanes = simt_ballot(count >> bit & 1u);

        sum += simt_popcount(lanes & below) << bit;
        *total += simt_popcount(lanes) << bit;
    }
    return sum;
}

/* Note a row's places: `at` is the lane's first. All lanes of the warp. */
SIMT_FUNCTION void hits_note(uint16_t *cell, uint32_t *filled, uint32_t at, uint32_t mask)
{
    uint32_t slot, total;

    if (simt_ballot(mask != 0) == 0)
        return;
    slot = *filled + hits_count_below(simt_popcount(mask), &total);
    *filled += total;
    if (!SIMT_BOUND(*filled <= HITS_CELL))
        return;
    for (; mask != 0; mask &= mask - 1u)
        cell[slot++] = (uint16_t)(at + simt_lowest_bit(mask));
}

/* A whole step. Returns how many places it has. */
SIMT_FUNCTION uint32_t hits_step(const struct scan_arguments *a, const struct stream_rows *step,
                                 uint32_t at, int kind, uint16_t *cell)
{
    uint32_t filled = 0;

    SIMT_UNROLL
    for (uint32_t k = 0; k < STREAM_ROWS; k++) {
        struct filter_words words = stream_words_of(step, k, kind);

        hits_note(cell, &filled, at + k * STREAM_ROW_BYTES, hits_places(a, &words, kind));
    }
    return filled;
}

/* The places of row k of a step that is not whole, or may not be. All lanes of the warp. */
SIMT_FUNCTION uint32_t hits_edge_row(const struct scan_arguments *a, uint64_t position, uint32_t k,
                                     int kind)
{
    struct filter_range range = {position, a->begin + a->shift, stream_last(a)};
    uint64_t place = position + k * STREAM_ROW_BYTES + 16u * simt_lane();
    struct filter_words words = stream_edge_words(a, place, kind);

    return filter_lane(a, &range, &words, place, stream_filter_kind(kind));
}

SIMT_FUNCTION uint32_t hits_edge(const struct scan_arguments *a, uint64_t position, uint32_t at,
                                 int kind, uint16_t *cell)
{
    uint32_t filled = 0;

    for (uint32_t k = 0; k < STREAM_ROWS; k++)
        hits_note(cell, &filled, at + k * STREAM_ROW_BYTES, hits_edge_row(a, position, k, kind));
    return filled;
}

/* Go through a tile; *next is the tile that the block takes then: read when it is needed, since a
 * register that is spilled waits for what is being loaded. */
SIMT_FUNCTION void hits_look(const struct scan_arguments *a, uint32_t tile, const uint32_t *next,
                             struct stream_rows *step, int kind, struct hits_noted *noted)
{
    uint32_t steps_bytes = hits_warps() * STREAM_STEP_BYTES;
    uint32_t steps = a->tile_words * 32u / steps_bytes;
    uint64_t position = stream_begin(a, tile);

    for (uint32_t s = 0; s < steps; s++) {
        uint64_t following = s + 1u < steps ? position + steps_bytes : stream_begin(a, *next);
        uint32_t cell = s * hits_warps() + simt_warp(), filled = 0;
        uint32_t at = cell * STREAM_STEP_BYTES + 16u * simt_lane();
        struct stream_rows ahead = {{0}, {0, 0}};

        stream_load(a, stream_is_whole(a, following) ? following : a->position, &ahead, kind);
        if (stream_is_whole(a, position))
            filled = hits_step(a, step, at, kind, noted->places + cell * HITS_CELL_ROOM);
        else if (position < stream_last(a))
            filled = hits_edge(a, position, at, kind, noted->places + cell * HITS_CELL_ROOM);
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

/* Strike out places that are no occurrences, each lane in a cell of its own, of which *filled are
 * left. Returns whether the tile is given up. */
SIMT_FUNCTION int hits_verify(const struct scan_arguments *a, struct hits_noted *noted,
                              uint32_t *filled)
{
    uint16_t *cell = noted->places + simt_lane() * HITS_CELL_ROOM;
    uint64_t begin = hits_tile_begin(a, noted->number);
    uint32_t kept = 0, steps = 0;

    if (simt_ballot(*filled > HITS_CELL) != 0)
        return 1;
    for (uint32_t i = 0; simt_ballot(i < *filled) != 0; i++) {
        uint32_t place = 0, found;

        if (stream_is_brief(a) && a->plane.window_bits != 0 && steps > a->verify_budget)
            return 1;
        if (SIMT_BOUND(i < *filled))
            place = cell[i];
        if (stream_verify_one(a, begin + place, i < *filled, &steps, &found))
            return 1;
        if ((found >> simt_lane() & 1u) != 0)
            cell[kept++] = (uint16_t)place;
    }
    *filled = kept;
    if (SIMT_BOUND(simt_lane() < hits_cells(a)))
        noted->filled[simt_lane()] = kept;
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
SIMT_FUNCTION void hits_keep(const struct hits_noted *noted, uint32_t own, uint32_t count,
                             struct hits_queue *queue)
{
    const uint16_t *cell = noted->places + simt_lane() * HITS_CELL_ROOM;
    uint32_t at = queue->begin + queue->filled + order_sum_upto(own) - own;

    for (uint32_t i = 0; i < own; i += HITS_AHEAD) {
        uint16_t places[HITS_AHEAD];

        SIMT_UNROLL
        for (uint32_t k = 0; k < HITS_AHEAD; k++)
            places[k] = i + k < own ? cell[i + k] : 0;
        SIMT_UNROLL
        for (uint32_t k = 0; k < HITS_AHEAD; k++)
            if (SIMT_BOUND(i + k < own))
                queue->hits[(at + i + k) % HITS_QUEUE] = places[k];
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

/* Write a dense tile's hits cell by cell; what a cell had no room for is looked for again. */
SIMT_FUNCTION void hits_write_dense(const struct scan_arguments *a, int kind,
                                    const struct hits_noted *noted, uint64_t slot)
{
    uint64_t begin = hits_tile_begin(a, noted->number), base = a->hits_base + begin - a->begin;
    uint32_t cells = hits_cells(a);

    for (uint32_t c = 0; c < cells; c++) {
        const uint16_t *cell = noted->places + c * HITS_CELL_ROOM;
        uint32_t filled = noted->filled[c];

        for (uint32_t i = simt_lane(); filled <= HITS_CELL && i < filled; i += SIMT_WARP_THREADS)
            if (SIMT_BOUND(slot + i < a->capacity))
                simt_store_u64(&a->hits[slot + i], base + cell[i]);
        for (uint32_t k = 0; filled > HITS_CELL && k < STREAM_ROWS; k++) {
            uint32_t at = c * STREAM_STEP_BYTES, total;
            uint32_t left = hits_edge_row(a, begin + a->shift + at, k, kind);
            uint64_t own = slot + hits_count_below(simt_popcount(left), &total);

            at += k * STREAM_ROW_BYTES + 16u * simt_lane();
            for (; left != 0; left &= left - 1u, own++)
                if (SIMT_BOUND(own < a->capacity))
                    simt_store_u64(&a->hits[own], base + at + simt_lowest_bit(left));
            slot += total;
        }
        slot += filled <= HITS_CELL ? filled : 0;
    }
}

/* The last warp's turn: the tile that was gone through last is verified, noted and put into the
 * queue; HITS_NONE: there is no such tile any more, and the queue is emptied. A function of its
 * own, so that it takes no registers from those who load, with its arguments in shared memory:
 * where a kernel finds them, they are far away for what is not inlined. */
SIMT_FUNCTION_LARGE void hits_turn(const struct scan_arguments *a, int kind,
                                   struct hits_noted *noted, struct hits_queue *queue)
{
    uint32_t own = 0, candidates, count;
    int gives_up, dense;

    if (noted->number == HITS_NONE) {
        hits_flush(a, queue, 0, 0);
        return;
    }
    if (SIMT_BOUND(simt_lane() < hits_cells(a)))
        own = noted->filled[simt_lane()];
    candidates = stream_decides(kind) ? 0 : (uint32_t)order_warp_sum(own);
    gives_up = !stream_decides(kind) && hits_verify(a, noted, &own);
    count = gives_up ? 0 : (uint32_t)order_warp_sum(own);
    dense = !gives_up && (count > HITS_DENSE || candidates > HITS_DENSE_VERIFIED ||
                          simt_ballot(own > HITS_CELL) != 0);
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
        simt_warp_sync(); /* what is left of cells is written before others read */
        hits_flush(a, queue, 0, 0);
        hits_write_dense(a, kind, noted, order_before(a, noted->number, count));
        return;
    }
    hits_flush(a, queue, HITS_QUEUE_TILES - 1u, HITS_QUEUE - count);
    if (count != 0 || order_ends_bundle(a, noted->number))
        hits_keep(noted, gives_up ? 0 : own, count, queue);
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

/* The tiles of a turn and the next two: who writes one knows that all have read what was there. */
#define HITS_TICKETS 4u

/* What a block shares. */
struct hits_shared {
    struct hits_noted noted[2]; /* in turn */
    struct hits_queue queue;
    uint32_t tickets[HITS_TICKETS];
    struct scan_arguments arguments;
};

/* The named barriers, two of each in turn, so that nobody is at one twice. 1 and 2: all others have
 * filled what is noted in this turn; 3 and 4: the last warp is done with what was noted in the turn
 * before. Both together part one turn from the next. */
SIMT_FUNCTION void hits_turn_over(uint32_t turn, int is_last)
{
    if (is_last && turn % 2u == 0) {
        simt_arrive(3);
        simt_wait(1);
    } else if (is_last) {
        simt_arrive(4);
        simt_wait(2);
    } else if (turn % 2u == 0) {
        simt_arrive(1);
        simt_wait(3);
    } else {
        simt_arrive(2);
        simt_wait(4);
    }
}

/* The last warp's way: a turn behind the others, and one more. */
SIMT_FUNCTION void hits_last(int kind, struct hits_shared *shared)
{
    uint32_t turn = 0;

    do {
        if (turn > 0)
            hits_turn(&shared->arguments, kind, &shared->noted[(turn + 1u) % 2u], &shared->queue);
        hits_turn_over(turn, 1);
        turn++;
    } while (shared->noted[(turn + 1u) % 2u].number != HITS_NONE);
    hits_turn(&shared->arguments, kind, &shared->noted[(turn + 1u) % 2u], &shared->queue);
}

/* The way of the others. Thread 0 asks for the tiles, and leaves what it asked for last in *ahead.
 */
SIMT_FUNCTION void hits_others(const struct scan_arguments *a, int kind, struct hits_shared *shared,
                               uint32_t *ahead)
{
    uint32_t tile = shared->tickets[0], turn = 0;
    struct stream_rows step = {{0}, {0, 0}};
    int goes_on = 1;

    stream_load(a, stream_is_whole(a, stream_begin(a, tile)) ? stream_begin(a, tile) : a->position,
                &step, kind);
    while (goes_on) {
        const uint32_t *next = &shared->tickets[(turn + 1u) % HITS_TICKETS];

        goes_on = SIMT_BOUND(tile < a->tile_count);
        if (simt_thread() == 0) {
            shared->tickets[(turn + 2u) % HITS_TICKETS] = *ahead;
            *ahead = goes_on ? hits_ask(a, turn + 1u) : *ahead;
            shared->noted[turn % 2u].number = goes_on ? tile : HITS_NONE;
        }
        if (goes_on)
            hits_look(a, tile, next, &step, kind, &shared->noted[turn % 2u]);
        hits_turn_over(turn, 0);
        tile = *next;
        turn++;
    }
}

SIMT_FUNCTION void hits_tiles(const struct scan_arguments *a, int kind)
{
    SIMT_SHARED(struct hits_shared, hits_block, 1);
    struct tile_totals totals = {0, 0, 0};
    uint32_t ahead = 0;

    if (simt_thread() == 0) {
        hits_block->tickets[0] = hits_ask(a, 1);
        hits_block->tickets[1] = hits_ask(a, 1);
        ahead = hits_ask(a, 1);
        hits_queue_begin(&hits_block->queue);
    }
    for (uint32_t i = simt_thread(); i < sizeof *a / sizeof(uint64_t); i += simt_threads())
        ((uint64_t *)(void *)&hits_block->arguments)[i] = ((const uint64_t *)(const void *)a)[i];
    simt_barrier();
    if (simt_warp() == hits_warps())
        hits_last(kind, hits_block);
    else
        hits_others(a, kind, hits_block, &ahead);
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
