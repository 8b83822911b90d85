/* hits_stream: lists the positions of one pattern in order, with the loads of stream.h.
 *
 * Method     the filters of every.cu, by the loads of stream.h. All warps of a block except the
 *            last are *filtering warps*. They go through a tile as the kernels of stream.h do, and
 *            set a bit in shared memory for each position that has the pattern or may have it. They
 *            also list the positions that may have it, but are not certain to. The *last warp*, up
 *            to two tiles behind, verifies the listed positions, 128 at a time, so that their loads
 *            overlap. It counts the bits, publishes the count, draws tickets, and finds out, by
 *            look-back (order.h), how many hits precede the tile. Once that number is known, each
 *            filtering warp writes its own hits, in the first step of a later tile, while loads are
 *            in flight.
 *
 *              turn              t            t + 1                         t + 2
 *              filtering warps   bits of t    bits of t + 1                 write hits of t;
 *                                   |                                     ^ bits of t + 2
 *                                   | barrier 1 or 2       barrier 3 or 4 |
 *              last warp            `-------> verify, count, publish t, --'
 *                                             look back
 *
 * Grid       any; blocks draw tiles from a ticket. 64 to 288 threads.
 * Shared     static, 48 KiB, most of it for the bits of the last HITS_TURNS tiles.
 * Traffic    per text byte: reads 1. Per candidate: 16 to 72 text bytes. Per hit: writes
 *            8. Per tile: writes 8 bytes, and reads up to 2 KiB if the tile has hits.
 * Bound      by instructions, if there are many hits: at 1 in 100 positions 96 per row of 512 bytes
 *            against 65 for the count, 70 % of the issue slots [H200, m = 4].
 * Progress   the last warp waits for the last warps of blocks with lower tiles (order.h). The
 *            filtering warps wait, at the end of a tile, until the last warp has finished the tile
 *            before.
 * Order      ascending.
 * Limits     want is WANT_HITS; otherwise as in stream.cu. If a tile costs more than its budget, or
 *            has more than HITS_LISTED_MAX positions to verify, the launch is abandoned:
 *            result->listed is then more than listed_max, and the host runs hits_every (every.cu).
 * Rejected   as fractions of the count's speed [H200]. Lists of positions instead of bits: 0.61 at
 *            1 hit in 100 positions, against 0.85 now. Two sets of registers for the rows of a
 *            step: fewer instructions, but longer code, 0.79 instead of 0.82. Each filtering warp
 *            verifies its own positions: 0.63 instead of 0.75 at 1 candidate in 1,000 positions.
 * Source     filters: see every.cu. A warp that serves the other warps: after Bauer, Cook,
 *            Khailany, "CudaDMA", 2011, where some warps load for other warps.
 */
#include "stream.h"

/* A *cell* has the bits of a warp's step. For every two rows of 512 bytes it has a word of each
 * lane; the word's low half is the first of the two rows. */
#define HITS_CELL_WORDS (STREAM_ROWS / 2u * SIMT_WARP_THREADS)
#define HITS_CELLS_MAX (SCAN_THREADS_MAX / SIMT_WARP_THREADS * SCAN_HITS_STEPS)
/* with at least this many hits in a step, the warp writes them word by word, a lane for each
 * bit, so that stores lie side by side */
#define HITS_DENSE 256u
#define HITS_SUM_BITS 8u /* number of bits that hold a number below HITS_DENSE */

/* maximum number of positions in a tile that are verified; with more, the launch is abandoned */
#define HITS_LISTED_MAX 1008u
#define HITS_TOGETHER 4u /* positions that a lane verifies together: their loads overlap */

/* A *turn* is the work on one tile of a block. At most HITS_TURNS turns have hits that are not
 * written yet. */
#define HITS_TURNS 5u
#define HITS_NONE UINT32_MAX

/* The positions of a tile that have the pattern, or may have it and are not verified yet. The cells
 * are in text order. */
struct hits_noted {
    uint32_t bits[HITS_CELLS_MAX * HITS_CELL_WORDS]; /* undefined for cells without a bit */
    uint32_t filled[HITS_CELLS_MAX];                 /* number of bits of each cell */
    /* written by the last warp: */
    uint32_t number; /* the tile's number */
    uint32_t count;
    uint32_t before_cell[HITS_CELLS_MAX]; /* hits of the tile before each cell */
    uint64_t base; /* offset of a hit that begins at the tile's first position */
    /* for each cell: 0 if the cell has no hits to write. Otherwise the index of the cell's first
     * hit, plus HITS_SLOT_ALL if the cell has fewer than HITS_DENSE hits and all of these fit, else
     * plus HITS_SLOT_ROOM times the number of hits that fit */
    uint64_t slots[HITS_CELLS_MAX];
}; /* the size is a multiple of 16 bytes, for simt_get_u32x4 */
#define HITS_SLOT_ROOM (1ull << 48)
#define HITS_SLOT_ALL (1ull << 63)

/* The last warp draws a turn's tile HITS_AHEAD turns earlier, so that the filtering warps know it
 * while they go through the tile before. */
#define HITS_AHEAD 3u
#define HITS_TICKETS 4u

/* The shared memory of a block. In turn t the filtering warps go through a tile. The last warp's
 * turn t begins when the filtering warps end turn t, and ends before the filtering warps begin turn
 * t + 2. */
struct hits_shared {
    struct hits_noted noted[HITS_TURNS]; /* noted[t % HITS_TURNS] has the positions of turn t */
    /* released[t % 2]: the turns whose hits may be written once the last warp has ended its turn
     * t */
    uint32_t released[2];
    uint32_t tickets[HITS_TICKETS]; /* the tile of turn t: tickets[t % HITS_TICKETS] */
    /* list[t % 2] has, in any order, up to HITS_LISTED_MAX of the positions of turn t that must be
     * verified; listed[t % 2] is how many there are */
    uint16_t list[2][HITS_LISTED_MAX];
    uint32_t listed[2];
    struct tile_totals totals; /* the last warp's sums */
    struct scan_arguments arguments;
};

/* Returns the number of cells of a tile. */
SIMT_FUNCTION uint32_t hits_cells(const struct scan_arguments *a)
{
    return a->tile_words * 32u / STREAM_STEP_BYTES;
}

/* ---- Bits of a step --------------------------------------------------------------------- */

/* Returns which of 16 positions have the pattern of two or three bytes. (stream_count_bytes
 * compares in the same way, but only counts.) */
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
        mask |= filter_gather(filter_zero_bytes(x), k);
    }
    return mask;
}

/* Returns which of 16 positions have the pattern: of 4 bytes if distance is 0, otherwise of 5 to 8
 * bytes, whose last word begins `distance` bytes after the first. */
SIMT_FUNCTION uint32_t hits_words(const struct scan_arguments *a, const struct filter_words *words,
                                  uint32_t distance)
{
    uint32_t gram = a->gram[0], less = 0u - a->gram[2], mask = 0, one = a->one;

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

/* Returns which of 16 positions have the pattern of up to 4 bytes, compared without case. */
SIMT_FUNCTION uint32_t hits_folded(const struct scan_arguments *a, const struct filter_words *words)
{
    uint32_t mask = 0, one = a->one;

    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j++)
        simt_add_equal(&mask, filter_folded(a, words, j), 0, one, 1u << j);
    return mask;
}

/* Returns which of a lane's 16 positions have the pattern or may have it. Called by all lanes of
 * the warp. */
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
    return simt_ballot(hit) != 0 && hit ? stream_places(a, words, kind) : 0;
}

/* The words of a cell that a lane has found in the rows of a step. */
struct hits_masks {
    uint32_t rows[STREAM_ROWS / 2u];
};

/* Returns a lane's words for a whole step. Called by all lanes of the warp. */
SIMT_FUNCTION struct hits_masks hits_step(const struct scan_arguments *a,
                                          const struct stream_rows *step, int kind)
{
    struct hits_masks masks = {{0}};

    SIMT_UNROLL
    for (uint32_t k = 0; k < STREAM_ROWS; k++) {
        struct filter_words words = stream_words_of(step, k, kind);

        masks.rows[k / 2u] |= hits_places(a, &words, kind) << k % 2u * 16u;
    }
    return masks;
}

/* Like hits_step, for a step in which some positions may not be searched, or some bytes may not
 * be loadable. */
SIMT_FUNCTION struct hits_masks hits_edge(const struct scan_arguments *a, uint64_t position,
                                          int kind)
{
    struct filter_range range = {position, a->begin + a->shift, stream_last(a)};
    struct hits_masks masks = {{0}};

    for (uint32_t k = 0; k < STREAM_ROWS; k++) {
        uint64_t place = position + k * STREAM_ROW_BYTES + 16u * simt_lane();
        struct filter_words words = stream_edge_words(a, place, kind);
        uint32_t mask = filter_lane(a, &range, &words, place, stream_filter_kind(kind));

        SIMT_UNROLL
        for (uint32_t i = 0; i < STREAM_ROWS / 2u; i++)
            /* compared rather than indexed by k, since registers have no index */
            masks.rows[i] |= k / 2u == i ? mask << k % 2u * 16u : 0;
    }
    return masks;
}

/* Writes the lanes' words and their number of bits into cell c. Called by all lanes of the warp. */
SIMT_FUNCTION void hits_note(struct hits_noted *noted, uint32_t c, const struct hits_masks *masks)
{
    uint32_t *bits = noted->bits + c * HITS_CELL_WORDS + simt_lane(), all = 0;

    if (simt_ballot((masks->rows[0] | masks->rows[1]) != 0) != 0) {
        bits[0] = masks->rows[0];
        bits[SIMT_WARP_THREADS] = masks->rows[1];
        all = simt_warp_sum_u32(simt_popcount(masks->rows[0]) + simt_popcount(masks->rows[1]));
    }
    if (simt_lane() == 0)
        noted->filled[c] = all;
}

/* Lists the positions of cell c that must be verified. Called by all lanes of the warp. */
SIMT_FUNCTION void hits_list(struct hits_shared *shared, uint32_t turn, uint32_t c,
                             const struct hits_masks *masks)
{
    uint32_t own = simt_popcount(masks->rows[0]) + simt_popcount(masks->rows[1]), upto, at = 0;

    if (simt_ballot(own != 0) == 0)
        return;
    upto = simt_warp_upto_u32(own);
    if (simt_lane() == SIMT_WARP_THREADS - 1u)
        at = simt_atomic_add_u32(&shared->listed[turn % 2u], upto);
    at = simt_shuffle_u32(at, SIMT_WARP_THREADS - 1u) + upto - own;
    SIMT_UNROLL
    for (uint32_t i = 0; i < STREAM_ROWS / 2u; i++)
        for (uint32_t left = masks->rows[i]; left != 0; left &= left - 1u, at++) {
            uint32_t bit = simt_lowest_bit(left), row = 2u * i + bit / 16u;

            if (SIMT_BOUND(at < HITS_LISTED_MAX))
                shared->list[turn % 2u][at] =
                    (uint16_t)(c * STREAM_STEP_BYTES + row * STREAM_ROW_BYTES + 16u * simt_lane() +
                               bit % 16u);
        }
}

/* ---- Hits ------------------------------------------------------------------------------- */

/* Returns the bits of cell c's 32 positions starting at 32 * i: halves of two neighbouring
 * words. */
SIMT_FUNCTION uint32_t hits_word(const struct hits_noted *noted, uint32_t c, uint32_t i)
{
    uint32_t row = i * 32u / STREAM_ROW_BYTES;
    const uint32_t *bits = noted->bits + c * HITS_CELL_WORDS + row / 2u * SIMT_WARP_THREADS +
                           i * 2u % SIMT_WARP_THREADS;

    return (bits[0] >> row % 2u * 16u & 0xffffu) | bits[1] >> row % 2u * 16u << 16;
}

/* The bits of 64 neighbouring positions. */
struct hits_bits {
    uint32_t low, high;
};

/* Returns the bits of the 64 positions of cell c that belong to the lane: halves of four
 * neighbouring words. */
SIMT_FUNCTION struct hits_bits hits_share(const struct hits_noted *noted, uint32_t c)
{
    uint32_t row = 64u * simt_lane() / STREAM_ROW_BYTES, shift_bits = row % 2u * 16u;
    struct simt_u32x4 four =
        simt_get_u32x4(noted->bits + c * HITS_CELL_WORDS + row / 2u * SIMT_WARP_THREADS +
                       4u * simt_lane() % SIMT_WARP_THREADS);
    struct hits_bits bits = {(four.w[0] >> shift_bits & 0xffffu) | four.w[1] >> shift_bits << 16,
                             (four.w[2] >> shift_bits & 0xffffu) | four.w[3] >> shift_bits << 16};

    return bits;
}

/* Writes the hits at the lane's 64 positions, starting at `to`. `first` is the hit at the lowest
 * of these positions. */
SIMT_FUNCTION void hits_write_few(struct hits_bits left, uint64_t first, uint64_t *to)
{
    for (; (left.low | left.high) != 0; to++) {
        uint32_t word = left.low != 0 ? left.low : left.high;

        simt_store_u64(to, first + (left.low != 0 ? 0 : 32u) + simt_lowest_bit(word));
        left.high &= left.low != 0 ? UINT32_MAX : left.high - 1u;
        left.low &= left.low - 1u;
    }
}

/* Writes the first `room` hits of cell c, word by word, a lane for each bit, so that stores lie
 * side by side. Called by all lanes of the warp. */
SIMT_FUNCTION void hits_write_many(const struct hits_noted *noted, uint32_t c, uint64_t *to,
                                   uint32_t room)
{
    uint64_t hit = noted->base + c * STREAM_STEP_BYTES + simt_lane();

    for (uint32_t i = 0, before = 0; i < STREAM_STEP_BYTES / 32u; i++) {
        uint32_t word = hits_word(noted, c, i);
        uint32_t at = before + simt_popcount(word & ((1u << simt_lane()) - 1u));

        if ((word >> simt_lane() & 1u) != 0 && SIMT_BOUND(at < room))
            simt_store_u64(to + at, hit + i * 32u);
        before += simt_popcount(word);
    }
}

/* Writes the hits of the cells that this warp filled earlier. For cells with few hits, those in
 * lower lanes are added up for all cells together, in HITS_SUM_BITS bits for each. Called by all
 * lanes of the warp. */
SIMT_FUNCTION void hits_write(const struct scan_arguments *a, const struct hits_noted *noted)
{
    uint32_t warps = a->step_bytes / STREAM_STEP_BYTES, own = 0, before;
    uint64_t first = noted->base + simt_warp() * STREAM_STEP_BYTES + 64u * simt_lane();
    const uint64_t *slots = noted->slots + simt_warp();
    struct hits_bits bits[SCAN_HITS_STEPS];

    SIMT_UNROLL
    for (uint32_t k = 0; k < SCAN_HITS_STEPS; k++) {
        bits[k].low = bits[k].high = 0;
        if (k < a->tile_steps && slots[k * warps] >= HITS_SLOT_ALL)
            bits[k] = hits_share(noted, k * warps + simt_warp());
        own += (simt_popcount(bits[k].low) + simt_popcount(bits[k].high)) << HITS_SUM_BITS * k;
    }
    before = simt_warp_upto_u32(own) - own;
    SIMT_UNROLL
    for (uint32_t k = 0; k < SCAN_HITS_STEPS; k++) {
        if ((bits[k].low | bits[k].high) != 0)
            hits_write_few(bits[k], first + k * a->step_bytes,
                           a->hits + slots[k * warps] % HITS_SLOT_ROOM +
                               (before >> HITS_SUM_BITS * k) % HITS_DENSE);
    }
    for (uint32_t k = 0; k < a->tile_steps; k++) {
        uint64_t slot = slots[k * warps];

        if (slot != 0 && slot < HITS_SLOT_ALL)
            hits_write_many(noted, k * warps + simt_warp(), a->hits + slot % HITS_SLOT_ROOM,
                            (uint32_t)(slot / HITS_SLOT_ROOM));
    }
}

/* ---- Filtering warps -------------------------------------------------------------------- */

/* Returns true if all positions of the tile are searched and all its bytes can be loaded. */
SIMT_FUNCTION int hits_is_whole(const struct scan_arguments *a, uint32_t tile)
{
    return tile >= a->whole_from && SIMT_BOUND(tile < a->whole_upto);
}

/* Loads a tile's first step. If the tile is not whole, loads the text's first step instead. */
SIMT_FUNCTION void hits_load(const struct scan_arguments *a, uint32_t tile,
                             struct stream_rows *step, int kind)
{
    stream_load(a, hits_is_whole(a, tile) ? stream_begin(a, tile) : a->position, step, kind);
}

/* Goes through a whole tile and fills the warp's cells. In the first step also writes the warp's
 * hits of turn `ready`, unless ready is HITS_NONE. *next is the tile that the block takes
 * afterwards. It is read only when needed: in a register it would be spilled, and a spilled
 * register waits for the loads in flight. */
SIMT_FUNCTION void hits_look(const struct scan_arguments *a, uint32_t tile, const uint32_t *next,
                             struct stream_rows *step, int kind, struct hits_shared *shared,
                             uint32_t turn, uint32_t ready)
{
    struct hits_noted *noted = &shared->noted[turn % HITS_TURNS];
    uint64_t position = stream_begin(a, tile);
    uint32_t cell = simt_warp();

    for (uint32_t left = a->tile_steps; left != 0; left--) {
        struct stream_rows ahead = {{0}, {0, 0}};
        struct hits_masks masks;

        if (left != 1u)
            stream_load(a, position + a->step_bytes, &ahead, kind);
        else
            hits_load(a, *next, &ahead, kind);
        masks = hits_step(a, step, kind);
        if (ready != HITS_NONE) /* while loads are in flight, and few registers are in use */
            hits_write(a, &shared->noted[ready % HITS_TURNS]);
        ready = HITS_NONE;
        hits_note(noted, cell, &masks);
        if (!stream_decides(kind))
            hits_list(shared, turn, cell, &masks);
        *step = ahead;
        position += a->step_bytes;
        cell += a->step_bytes / STREAM_STEP_BYTES;
    }
}

/* Like hits_look, for a tile that is not whole. */
SIMT_FUNCTION void hits_look_edge(const struct scan_arguments *a, uint32_t tile, uint32_t next,
                                  struct stream_rows *step, int kind, struct hits_shared *shared,
                                  uint32_t turn, uint32_t ready)
{
    uint64_t position = stream_begin(a, tile);
    uint32_t cell = simt_warp();

    if (ready != HITS_NONE)
        hits_write(a, &shared->noted[ready % HITS_TURNS]);
    for (uint32_t left = a->tile_steps; left != 0; left--) {
        struct hits_masks masks = hits_edge(a, position, kind);

        hits_note(&shared->noted[turn % HITS_TURNS], cell, &masks);
        if (!stream_decides(kind))
            hits_list(shared, turn, cell, &masks);
        position += a->step_bytes;
        cell += a->step_bytes / STREAM_STEP_BYTES;
    }
    hits_load(a, next, step, kind);
}

/* ---- The last warp ---------------------------------------------------------------------- */

/* Returns the start of an occurrence whose gram is at the tile's first position. */
SIMT_FUNCTION uint64_t hits_tile_begin(const struct scan_arguments *a, uint32_t number)
{
    return a->position + (uint64_t)number * (a->tile_words * 32u) - a->shift;
}

/* Verifies the listed positions of a tile, HITS_TOGETHER for each lane at a time, and clears the
 * bits of those that are no occurrences. Returns 1 if the comparisons cost more than the budget:
 * the launch is then abandoned. */
SIMT_FUNCTION int hits_verify(const struct scan_arguments *a, struct hits_noted *noted,
                              const uint16_t *list, uint32_t listed)
{
    uint32_t bytes = a->pattern_bytes < TILE_LANE_BYTES ? a->pattern_bytes : TILE_LANE_BYTES;
    uint64_t begin = hits_tile_begin(a, noted->number);
    uint32_t places[HITS_TOGETHER], steps = 0;

    for (uint32_t from = 0; from < listed; from += HITS_TOGETHER * SIMT_WARP_THREADS) {
        uint32_t wanted = 0, equal;

        SIMT_UNROLL
        for (uint32_t k = 0; k < HITS_TOGETHER; k++) {
            uint32_t at = from + k * SIMT_WARP_THREADS + simt_lane();

            wanted |= at < listed ? 1u << k : 0;
            places[k] = list[SIMT_BOUND(at < listed) ? at : from];
        }
        steps += HITS_TOGETHER;
        if (a->plane.probe_bits != 0 && steps > a->verify_budget)
            return 1;
        equal = wanted;
        for (uint32_t j = 0; j < bytes && equal != 0; j += 8u) {
            uint64_t word = simt_load_u64(a->pattern + j / 8u), text[HITS_TOGETHER];

            SIMT_UNROLL
            for (uint32_t k = 0; k < HITS_TOGETHER; k++)
                text[k] = tile_text_word(a, begin + places[k] + j);
            SIMT_UNROLL
            for (uint32_t k = 0; k < HITS_TOGETHER; k++)
                equal &= tile_difference(text[k], word, bytes - j) != 0 ? ~(1u << k) : UINT32_MAX;
        }
        SIMT_UNROLL
        for (uint32_t k = 0; k < HITS_TOGETHER; k++) {
            uint32_t found = simt_ballot((equal >> k & 1u) != 0);
            uint32_t cell = places[k] / STREAM_STEP_BYTES, row = places[k] / STREAM_ROW_BYTES;
            uint32_t word = row / 2u * SIMT_WARP_THREADS + places[k] % STREAM_ROW_BYTES / 16u;

            for (uint32_t lanes = stream_is_brief(a) ? 0 : found; lanes != 0; lanes &= lanes - 1u) {
                uint32_t source = simt_lowest_bit(lanes);
                uint64_t x = begin + simt_shuffle_u32(places[k], source);

                if (steps >= a->verify_budget)
                    return 1;
                if (!tile_equal_rest(a, x, TILE_LANE_BYTES, a->pattern_bytes, &steps))
                    found &= ~(1u << source);
            }
            if ((wanted >> k & 1u) == 0 || (found >> simt_lane() & 1u) != 0)
                continue;
            (void)simt_atomic_add_u32(&noted->bits[word],
                                      0u - (1u << (row % 2u * 16u + places[k] % 16u)));
            (void)simt_atomic_add_u32(&noted->filled[cell], UINT32_MAX);
        }
    }
    return 0;
}

/* Sets the slots and the base of a turn's hits. `before` is the number of hits before the turn's
 * tile. */
SIMT_FUNCTION void hits_place(const struct scan_arguments *a, struct hits_noted *noted,
                              uint64_t before)
{
    if (SIMT_BOUND(simt_lane() < hits_cells(a))) { /* no warp reads slots beyond these */
        uint64_t slot = before + noted->before_cell[simt_lane()];
        uint64_t own = noted->filled[simt_lane()];
        uint64_t room = slot < a->capacity ? a->capacity - slot : 0;

        if (SIMT_BOUND(own <= room) && own < HITS_DENSE)
            slot += HITS_SLOT_ALL;
        else
            slot += (own < room ? own : room) * HITS_SLOT_ROOM;
        noted->slots[simt_lane()] = own == 0 || room == 0 ? 0 : slot;
    }
    if (simt_lane() == 0)
        noted->base = a->hits_base - a->begin + hits_tile_begin(a, noted->number);
}

/* Lets the filtering warps write the hits of the block's turns below `turns`, the oldest first, and
 * counts these turns in *released. For a turn below `least`, waits until the number of hits before
 * its tile is known. Of the later turns, whose number must be known already, releases one, or more
 * while HITS_TURNS / 2 or more are not released. */
SIMT_FUNCTION void hits_release(const struct scan_arguments *a, struct hits_shared *shared,
                                uint32_t *released, uint32_t least, uint32_t turns)
{
    for (uint32_t from = *released; *released < turns; (*released)++) {
        struct hits_noted *noted = &shared->noted[*released % HITS_TURNS];
        uint64_t before = 0;

        if (noted->count != 0 || order_ends_group(a, noted->number)) {
            if (*released < least)
                before = order_before(a, noted->number, noted->count);
            else if ((*released > from && turns - *released < HITS_TURNS / 2u) ||
                     !order_try(a, noted->number, noted->count, &before))
                return;
        }
        hits_place(a, noted, before);
    }
}

/* Verifies and counts the bits of a turn, and publishes the tile's count. */
SIMT_FUNCTION void hits_count(const struct scan_arguments *a, int kind, struct hits_shared *shared,
                              uint32_t turn)
{
    struct hits_noted *noted = &shared->noted[turn % HITS_TURNS];
    uint32_t own = 0, candidates = 0, upto, count;
    int gives_up = 0;

    if (SIMT_BOUND(simt_lane() < hits_cells(a)))
        own = noted->filled[simt_lane()];
    if (!stream_decides(kind)) {
        candidates = simt_warp_sum_u32(own);
        gives_up = candidates > HITS_LISTED_MAX ||
                   hits_verify(a, noted, shared->list[turn % 2u], candidates);
        simt_warp_sync();
        if (simt_lane() == 0)
            shared->listed[turn % 2u] = 0; /* turn + 2 uses this list again */
    }
    if (SIMT_BOUND(simt_lane() < hits_cells(a))) {
        own = gives_up ? 0 : noted->filled[simt_lane()];
        noted->filled[simt_lane()] = own;
    }
    upto = simt_warp_upto_u32(own);
    count = simt_shuffle_u32(upto, SIMT_WARP_THREADS - 1u);
    if (SIMT_BOUND(simt_lane() < hits_cells(a))) /* no warp reads sums beyond these */
        noted->before_cell[simt_lane()] = upto - own;
    if (simt_lane() == 0) {
        uint64_t dense_count = gives_up ? a->listed_max + 1u : 0;

        order_publish(a, noted->number, count);
        noted->count = count;
        shared->totals.count += count;
        shared->totals.candidates += candidates;
        shared->totals.dense_count += dense_count;
        if (dense_count != 0)
            simt_add_u64(&a->result->listed, dense_count);
    }
    simt_warp_sync(); /* lane 0 has written before other lanes read */
}

/* Draws another tile. Returns a->tile_count (no tile) if the launch is abandoned, which only every
 * STREAM_HINT_TURNS-th turn checks. Called by a single thread. */
SIMT_FUNCTION uint32_t hits_ask(const struct scan_arguments *a, uint32_t turn)
{
    if (turn % STREAM_HINT_TURNS == 0 && simt_hint_u64(&a->result->listed) > a->listed_max)
        return a->tile_count;
    return tile_ticket(a);
}

/* Does a turn of the last warp: counts the bits that the filtering warps set in this turn, then
 * lets them write hits (hits_release). Returns true if another turn follows. Not inlined, so that
 * it takes no registers from the filtering warps. It reads the arguments from shared memory,
 * because it would read the kernel's own from slow memory. */
SIMT_FUNCTION_LARGE int hits_turn(int kind, struct hits_shared *shared, uint32_t turn)
{
    const struct scan_arguments *a = &shared->arguments;
    struct hits_noted *noted = &shared->noted[turn % HITS_TURNS];
    uint32_t released = turn > 0 ? shared->released[(turn - 1u) % 2u] : 0, asked = 0;
    uint32_t tile = shared->tickets[turn % HITS_TICKETS];
    int goes_on = SIMT_BOUND(tile < a->tile_count);

    if (goes_on) {
        if (simt_lane() == 0) {
            asked = hits_ask(a, turn);
            noted->number = tile;
        }
        simt_warp_sync(); /* lane 0 has written before other lanes read */
        hits_count(a, kind, shared, turn);
        /* In turn + 2 the filtering warps reuse the memory of turn + 2 - HITS_TURNS. */
        hits_release(a, shared, &released, turn + 3u > HITS_TURNS ? turn + 3u - HITS_TURNS : 0,
                     turn + 1u);
    } else {
        hits_release(a, shared, &released, turn, turn);
    }
    if (simt_lane() == 0) {
        shared->released[turn % 2u] = released;
        if (goes_on)
            shared->tickets[(turn + HITS_AHEAD) % HITS_TICKETS] = asked;
    }
    return goes_on;
}

/* ---- The block -------------------------------------------------------------------------- */

/* The named barriers. Even turns use 1 and 3, odd turns 2 and 4, so that no warp comes to a barrier
 * twice. At 1 and 2 the last warp waits until the filtering warps have filled their cells of the
 * turn. At 3 and 4 the filtering warps wait, at the end of the next turn, for each other and for
 * the end of the last warp's turn. */
SIMT_FUNCTION void hits_others_are_done(uint32_t turn, int is_last)
{
    if (is_last && turn % 2u == 0)
        simt_wait(1);
    else if (is_last)
        simt_wait(2);
    else if (turn % 2u == 0)
        simt_arrive(1);
    else
        simt_arrive(2);
}

SIMT_FUNCTION void hits_last_is_done(uint32_t turn, int is_last)
{
    if (is_last && turn % 2u == 0)
        simt_arrive(3);
    else if (is_last)
        simt_arrive(4);
    else if (turn % 2u == 0)
        simt_wait(3);
    else
        simt_wait(4);
}

/* The work of the last warp. */
SIMT_FUNCTION void hits_last(int kind, struct hits_shared *shared)
{
    uint32_t turn = 0;
    int goes_on;

    hits_last_is_done(turn - 1u, 1);
    do {
        hits_others_are_done(turn, 1);
        goes_on = hits_turn(kind, shared, turn);
        hits_last_is_done(turn++, 1);
    } while (goes_on);
}

/* The work of the filtering warps. */
SIMT_FUNCTION void hits_others(const struct scan_arguments *a, int kind, struct hits_shared *shared)
{
    uint32_t tile = shared->tickets[0], turn = 0, written = 0, ready = HITS_NONE;
    struct stream_rows step = {{0}, {0, 0}};

    hits_load(a, tile, &step, kind);
    for (;; turn++) {
        const uint32_t *next = &shared->tickets[(turn + 1u) % HITS_TICKETS];

        if (hits_is_whole(a, tile))
            hits_look(a, tile, next, &step, kind, shared, turn, ready);
        else if (SIMT_BOUND(tile < a->tile_count))
            hits_look_edge(a, tile, *next, &step, kind, shared, turn, ready);
        else
            break;
        written += ready != HITS_NONE;
        hits_others_are_done(turn, 0);
        hits_last_is_done(turn - 1u, 0);
        ready = HITS_NONE;
        if (turn > 0 && written < shared->released[(turn - 1u) % 2u])
            ready = written;
        tile = *next;
    }
    hits_others_are_done(turn, 0);
    hits_last_is_done(turn - 1u, 0);
    hits_last_is_done(turn, 0);
    for (; written < turn; written++)
        hits_write(a, &shared->noted[written % HITS_TURNS]);
}

SIMT_FUNCTION void hits_tiles(const struct scan_arguments *a, int kind)
{
    SIMT_SHARED(struct hits_shared, hits_block, 1);
    struct tile_totals totals = {0, 0, 0};

    if (simt_thread() == 0) {
        for (uint32_t i = 0; i < HITS_AHEAD; i++)
            hits_block->tickets[i] = hits_ask(a, 1);
        hits_block->totals = totals;
        hits_block->listed[0] = hits_block->listed[1] = 0;
    }
    for (uint32_t i = simt_thread(); i < sizeof *a / sizeof(uint64_t); i += simt_threads())
        ((uint64_t *)(void *)&hits_block->arguments)[i] = ((const uint64_t *)(const void *)a)[i];
    simt_barrier();
    if (simt_warp() == a->step_bytes / STREAM_STEP_BYTES)
        hits_last(kind, hits_block);
    else
        hits_others(a, kind, hits_block);
    if (simt_warp() == a->step_bytes / STREAM_STEP_BYTES && simt_lane() == 0)
        totals = hits_block->totals;
    tile_finish(a, &totals, 0);
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
