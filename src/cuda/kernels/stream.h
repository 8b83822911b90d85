/* stream: counting without tiles: each warp streams through the text by itself.
 *
 * A warp takes a unit of the text (what is a tile to the other kernels), then the one as many units
 * on as there are warps. It keeps a ring of `rows` times 512 bytes on their way: a row that was
 * looked at is loaded again at once, from the step that comes next. No barrier, no bitmap. What the
 * filter decides is counted in a register; what it only proposes goes to a queue of the warp in
 * shared memory, from which 32 candidates at a time are verified, one by each lane.
 *
 * A pattern of up to TILE_LANE_BYTES is verified in bounded time. With a longer one the queue is
 * emptied at a unit's end, and a unit whose candidates cost more than the budget is given up: its
 * count is forgotten and its number listed; the host then runs the method's tile kernel over the
 * listed tiles, duels included.
 */
#ifndef TRAWL_CUDA_KERNELS_STREAM_H
#define TRAWL_CUDA_KERNELS_STREAM_H

#include "product.h"

#define STREAM_ROWS_MAX 8u
#define STREAM_ROW_BYTES (16u * SIMT_WARP_THREADS)
#define STREAM_QUEUE_MAX (2u * SIMT_WARP_THREADS) /* less than 32 left over, and 32 new */
#define STREAM_BEYOND_BYTES 16u                   /* loaded behind the last place */

enum { STREAM_PRODUCT = FILTER_SET + 1 }; /* beside filter.h's kinds */

/* A warp's queue and sums; count and candidates are each lane's. */
struct stream {
    uint32_t *queue; /* begins, from a->begin on */
    uint32_t queued;
    uint32_t steps; /* of the verification of this unit */
    uint64_t count;
    uint64_t candidates;
};

/* The rows of a step as the lane holds them, and what it needs of the bytes behind the step. Rows
 * of products: the words `lane` of four times 128 bytes; else 16 neighbouring bytes. */
struct stream_ring {
    uint32_t w[4u * STREAM_ROWS_MAX];
    uint32_t behind[2];
};

/* ---- The queue -------------------------------------------------------------------------- */

/* Verify the last `count` <= 32 of the queue; returns whether the warp gives up. */
SIMT_FUNCTION int stream_verify(const struct scan_arguments *a, struct stream *s, uint32_t count)
{
    uint32_t bytes = a->pattern_bytes < TILE_LANE_BYTES ? a->pattern_bytes : TILE_LANE_BYTES;
    uint32_t lanes;
    uint64_t x = a->begin;
    int equal = 0;

    s->queued -= count;
    if (SIMT_BOUND(simt_lane() < count)) {
        x += s->queue[s->queued + simt_lane()];
        equal = tile_equal(a, x, a->pattern, bytes);
    }
    simt_warp_sync(); /* read by all before the next are written */
    lanes = simt_ballot(equal);
    if (a->pattern_bytes <= TILE_LANE_BYTES)
        lanes = 0;
    for (; lanes != 0; lanes &= lanes - 1u) {
        uint32_t source = simt_lowest_bit(lanes);
        uint64_t other = simt_shuffle_u64(x, source);

        if (s->steps >= a->verify_budget)
            return 1;
        if (!tile_equal_rest(a, other, &s->steps) && simt_lane() == source)
            equal = 0;
    }
    s->count += equal ? 1u : 0;
    return 0;
}

/* Queue the begins of a mask's bits; `place` is that of bit 0, counted from the first begin's.
 * Returns whether the warp gives up. All lanes of the warp. */
SIMT_FUNCTION_LARGE int stream_push(const struct scan_arguments *a, struct stream *s,
                                    uint64_t place, uint32_t mask)
{
    uint32_t lanes = simt_ballot(mask != 0);

    s->candidates += simt_popcount(mask);
    while (lanes != 0) {
        uint32_t below = simt_popcount(lanes & ((1u << simt_lane()) - 1u));

        if (mask != 0)
            s->queue[s->queued + below] =
                (uint32_t)(place + product_bit_place(simt_lowest_bit(mask)));
        mask &= mask - 1u;
        s->queued += simt_popcount(lanes);
        lanes = simt_ballot(mask != 0);
        simt_warp_sync(); /* written before others read */
        if (s->queued >= SIMT_WARP_THREADS && stream_verify(a, s, SIMT_WARP_THREADS))
            return 1;
    }
    return 0;
}

/* Verify what is left. */
SIMT_FUNCTION_LARGE int stream_drain(const struct scan_arguments *a, struct stream *s)
{
    return s->queued > 0 && stream_verify(a, s, s->queued);
}

/* ---- Rows of 16 bytes per lane ---------------------------------------------------------- */

/* How many of 16 places hold the one byte: one bit per byte that is zero in w ^ byte, as in
 * filter_byte, counted at once for all four words. */
SIMT_FUNCTION uint32_t stream_count_bytes(const struct scan_arguments *a,
                                          const struct filter_words *words)
{
    uint32_t repeated = a->gram[0] * 0x01010101u, zeros = 0;

    SIMT_UNROLL
    for (uint32_t k = 0; k < 4u; k++) {
        uint32_t x = words->w[k] ^ repeated;

        zeros |= ~(((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x | 0x7f7f7f7fu) >> k;
    }
    return simt_popcount(zeros);
}

/* How many of 16 places hold the 2, 3 or 4 bytes. */
SIMT_FUNCTION uint32_t stream_count_short(const struct scan_arguments *a,
                                          const struct filter_words *words, int kind)
{
    uint32_t gram = a->gram[0], mask = a->gram_mask[0], count = 0;

    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j++) {
        uint32_t word = filter_word(words, j);

        count += (kind == FILTER_WORD ? word : word & mask) == gram;
    }
    return count;
}

/* May one of the 16 places, or with method words one of the four words, be a candidate? */
SIMT_FUNCTION int stream_look(const struct scan_arguments *a, const struct filter_words *words,
                              int kind)
{
    uint32_t fold = a->fold != 0 ? 0x20202020u : 0;
    int hit = 0;

    if (kind == FILTER_LONG)
        return filter_fingerprint(a, words);
    if (kind == FILTER_MASKED) {
        SIMT_UNROLL
        for (uint32_t j = 0; j < 16u; j++)
            hit |= ((filter_word(words, j) | a->gram_fold[0]) & a->gram_mask[0]) == a->gram[0];
        return hit;
    }
    /* With all bytes folded, to have one look for both; the grams' own folds decide later. */
    SIMT_UNROLL
    for (uint32_t k = 0; k < 4u; k++) {
        SIMT_UNROLL
        for (uint32_t o = 0; o < 4u; o++)
            hit |= (words->w[k] | fold) == (a->gram[o] | fold);
    }
    return hit;
}

/* Look at the lane's 16 bytes at `position`. Returns whether the warp gives up; what is decided
 * here is added to *count. */
SIMT_FUNCTION int stream_row(const struct scan_arguments *a, const struct filter_range *range,
                             const struct filter_words *words, uint64_t position, int whole,
                             int kind, struct stream *s, uint32_t *count)
{
    int hit;

    if (kind == FILTER_BYTE || kind == FILTER_SHORT || kind == FILTER_WORD) {
        if (!whole)
            *count += simt_popcount(filter_lane(a, range, words, position, kind));
        else
            *count += kind == FILTER_BYTE ? stream_count_bytes(a, words)
                                          : stream_count_short(a, words, kind);
        return 0;
    }
    hit = stream_look(a, words, kind);
    if (kind != FILTER_WORDS && a->is_exact != 0) {
        if (hit)
            *count += simt_popcount(filter_lane(a, range, words, position, kind));
        return 0;
    }
    if (simt_ballot(hit) == 0)
        return 0;
    return stream_push(a, s, position - a->shift - a->begin,
                       hit ? filter_lane(a, range, words, position, kind) : 0);
}

/* ---- The ring --------------------------------------------------------------------------- */

/* Where a lane loads a step from: its first bytes, and how many from there on are loadable. */
struct stream_source {
    const uint8_t *at;
    uint32_t room;
};

SIMT_FUNCTION struct stream_source stream_source_of(const struct scan_arguments *a,
                                                    uint64_t position, uint64_t last, int kind)
{
    uint64_t begin = position + (kind == STREAM_PRODUCT ? 4u : 16u) * simt_lane();
    uint64_t end = last + STREAM_BEYOND_BYTES;
    struct stream_source source = {a->text, 0};

    if (begin < end) {
        source.at += begin;
        source.room = end - begin < UINT32_MAX ? (uint32_t)(end - begin) : UINT32_MAX;
    }
    return source;
}

SIMT_FUNCTION void stream_load_row(const struct stream_source *source, struct stream_ring *ring,
                                   uint32_t k, int kind)
{
    uint32_t row = k * STREAM_ROW_BYTES;

    if (kind == STREAM_PRODUCT) {
        SIMT_UNROLL
        for (uint32_t i = 0; i < 4u; i++)
            if (SIMT_BOUND(row + i * 128u < source->room))
                ring->w[4u * k + i] =
                    simt_load_u32((const uint32_t *)(const void *)(source->at + row + i * 128u));
    } else if (SIMT_BOUND(row < source->room)) {
        struct simt_u32x4 own = simt_load_u32x4((const uint32_t *)(const void *)(source->at + row));

        SIMT_UNROLL
        for (uint32_t i = 0; i < 4u; i++)
            ring->w[4u * k + i] = own.w[i];
    }
}

/* Load what the last row needs of the bytes behind its step. */
SIMT_FUNCTION void stream_load_behind(const struct stream_source *source, struct stream_ring *ring,
                                      uint32_t rows, int kind)
{
    uint32_t behind = rows * STREAM_ROW_BYTES;

    if (kind == STREAM_PRODUCT) {
        if (simt_lane() < 4u && SIMT_BOUND(behind < source->room))
            ring->behind[0] = simt_load_u32((const uint32_t *)(const void *)(source->at + behind));
    } else if (kind != FILTER_WORDS && kind != FILTER_BYTE) {
        behind -= 16u * (SIMT_WARP_THREADS - 1u); /* from the last lane's first bytes */
        if (simt_lane() == SIMT_WARP_THREADS - 1u && SIMT_BOUND(behind < source->room)) {
            uint64_t more = simt_load_u64((const uint64_t *)(const void *)(source->at + behind));

            ring->behind[0] = (uint32_t)more;
            ring->behind[1] = (uint32_t)(more >> 32);
        }
    }
}

/* Row k and the 8 bytes behind each lane's 16. All lanes of the warp. */
SIMT_FUNCTION struct filter_words stream_words_of(const struct stream_ring *ring, uint32_t k,
                                                  uint32_t rows, int kind)
{
    struct filter_words words;

    SIMT_UNROLL
    for (uint32_t i = 0; i < 4u; i++)
        words.w[i] = ring->w[4u * k + i];
    words.w[4] = words.w[5] = 0;
    if (kind == FILTER_WORDS || kind == FILTER_BYTE)
        return words;
    SIMT_UNROLL
    for (uint32_t i = 0; i < (kind == FILTER_LONG || kind == FILTER_MASKED ? 2u : 1u); i++) {
        uint32_t above = (simt_lane() + 1u) % SIMT_WARP_THREADS;
        /* The last lane's neighbour is lane 0 of the row that follows. */
        uint32_t given =
            k + 1u < rows && simt_lane() == 0 ? ring->w[4u * (k + 1u) + i] : ring->w[4u * k + i];
        uint32_t got = simt_shuffle_u32(given, above);

        words.w[4u + i] =
            k + 1u == rows && simt_lane() == SIMT_WARP_THREADS - 1u ? ring->behind[i] : got;
    }
    return words;
}

/* ---- Units ------------------------------------------------------------------------------ */

/* Look at row k of the step at `position`. */
SIMT_FUNCTION int stream_look_row(const struct scan_arguments *a, const struct filter_range *range,
                                  const struct stream_ring *ring, const struct product *product,
                                  uint64_t position, uint32_t k, uint32_t rows, int whole, int kind,
                                  struct stream *s, uint32_t *count)
{
    uint64_t row = position + k * STREAM_ROW_BYTES;

    if (kind == STREAM_PRODUCT) {
        SIMT_UNROLL
        for (uint32_t i = 0; i < 2u; i++) {
            uint32_t at = 4u * k + 2u * i;
            uint32_t next = at + 2u < 4u * rows ? ring->w[at + 2u] : ring->behind[0];
            struct product_sums sums = product_block(product, &ring->w[at], next);
            uint64_t place = row + i * PRODUCT_BLOCK_BYTES + product_lane_place();

            if (simt_ballot(product_hit(&sums)) == 0)
                continue;
            if (stream_push(a, s, place - a->shift - a->begin,
                            product_wanted(range, place, product_mask(&sums))))
                return 1;
        }
        return 0;
    } else {
        struct filter_words words = stream_words_of(ring, k, rows, kind);

        return stream_row(a, range, &words, row + 16u * simt_lane(), whole, kind, s, count);
    }
}

/* Look at the step at `position` in the ring, and load the one at `next` in its place. Returns
 * whether the warp gives up. */
SIMT_FUNCTION int stream_step(const struct scan_arguments *a, const struct filter_range *range,
                              struct stream_ring *ring, const struct product *product,
                              uint64_t position, const struct stream_source *next, uint32_t rows,
                              int kind, struct stream *s, uint32_t *count)
{
    int whole = position >= range->first && position + rows * STREAM_ROW_BYTES <= range->last;

    SIMT_UNROLL
    for (uint32_t k = 0; k < rows; k++) {
        if (stream_look_row(a, range, ring, product, position, k, rows, whole, kind, s, count))
            return 1;
        stream_load_row(next, ring, k, kind);
    }
    stream_load_behind(next, ring, rows, kind);
    return 0;
}

/* Note a unit whose candidates cost too much. */
SIMT_FUNCTION void stream_list(const struct scan_arguments *a, uint64_t unit)
{
    if (simt_lane() == 0) {
        uint64_t slot = simt_atomic_add_u64(&a->result->listed, 1);

        simt_store_u32(a->tile_list + slot, (uint32_t)unit);
    }
}

SIMT_FUNCTION void stream_units(const struct scan_arguments *a, int kind, uint32_t rows)
{
    SIMT_SHARED(uint32_t, stream_queues, SCAN_THREADS_MAX / SIMT_WARP_THREADS * STREAM_QUEUE_MAX);
    uint32_t block_warps = simt_threads() / SIMT_WARP_THREADS, step_bytes = rows * STREAM_ROW_BYTES;
    uint32_t unit_bytes = a->tile_words * 32u;
    uint64_t warps = (uint64_t)simt_blocks() * block_warps, last = a->limit + a->shift;
    struct stream s = {stream_queues + simt_warp() * STREAM_QUEUE_MAX, 0, 0, 0, 0};
    uint64_t unit = (uint64_t)simt_block() * block_warps + simt_warp();
    struct tile_totals totals = {0, 0, 0};
    struct product product = {{0, 0, 0, 0}, {{0, 0, 0, 0}}, 0};
    struct stream_ring ring = {{0}, {0, 0}};
    struct stream_source source;
    struct filter_range range;
    int reload = 1;

    range.first = a->begin + a->shift;
    if (kind == STREAM_PRODUCT)
        product = product_of(a);
    for (; SIMT_BOUND(unit < a->tile_count); unit += warps) {
        uint64_t count_before = s.count, unit_end, position, next;
        uint32_t count = 0;
        int flooded = 0;

        range.position = a->position + unit * unit_bytes;
        unit_end = range.position + unit_bytes;
        range.last = unit_end < last ? unit_end : last;
        s.steps = 0;
        if (reload) {
            source = stream_source_of(a, range.position, last, kind);
            SIMT_UNROLL
            for (uint32_t k = 0; k < rows; k++)
                stream_load_row(&source, &ring, k, kind);
            stream_load_behind(&source, &ring, rows, kind);
            reload = 0;
        }
        for (position = range.position; position < range.last && !flooded; position = next) {
            next = position + step_bytes;
            source = stream_source_of(
                a, next < unit_end ? next : range.position + warps * unit_bytes, last, kind);
            flooded =
                stream_step(a, &range, &ring, &product, position, &source, rows, kind, &s, &count);
        }
        if (!flooded && a->pattern_bytes > TILE_LANE_BYTES)
            flooded = stream_drain(a, &s);
        s.count += count;
        if (flooded) {
            stream_list(a, unit);
            s.count = count_before;
            s.queued = 0;
            reload = 1;
        }
    }
    (void)stream_drain(a, &s);
    totals.count = s.count;
    totals.candidates = s.candidates;
    tile_finish(a, &totals);
}

#endif
