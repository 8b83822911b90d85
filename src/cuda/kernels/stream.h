/* stream: counting without tiles: each warp streams through the text by itself.
 *
 * A warp takes a unit of the text (what is a tile to the other kernels), then the one as many units
 * on as there are warps. A step is `rows` times 512 bytes: all loads of the step that comes next
 * are issued before this one is looked at. (To load row by row, each as soon as its registers are
 * free, was 0.69 of the read speed for products: the loads of a loop share one scoreboard, so that
 * a use waits for the newest of them [H200].) No barrier, no bitmap. What the filter decides is
 * counted in a register; what it only proposes goes to a queue of the warp in shared memory, from
 * which 32 candidates at a time are verified, one by each lane.
 *
 * A unit whose candidates cost more than the budget is given up: its count is forgotten and its
 * number listed; the host then runs the method's tile kernel over the listed tiles, which takes
 * them for flooded. With a pattern of more than TILE_LANE_BYTES the queue is emptied at a unit's
 * end; with a shorter one it goes on to the next unit, which then forgets its own part alone. Where
 * too many units are listed all warps stop: the host then runs the tile kernel over all.
 */
#ifndef TRAWL_CUDA_KERNELS_STREAM_H
#define TRAWL_CUDA_KERNELS_STREAM_H

#include "product.h"

#define STREAM_ROWS_MAX 8u
#define STREAM_ROW_BYTES (16u * SIMT_WARP_THREADS)
#define STREAM_QUEUE_MAX (2u * SIMT_WARP_THREADS) /* less than 32 left over, and 32 new */
#define STREAM_BEYOND_BYTES 16u                   /* loaded behind the last place */

/* Beside filter.h's kinds. Pairs: patterns of 5 to 8 bytes, decided by the word that begins at a
 * place and the one that ends with the pattern. */
enum {
    STREAM_PRODUCT = FILTER_SET + 1,
    STREAM_PRODUCT_FOLD, /* without case */
    STREAM_PAIR_5,
    STREAM_PAIR_6,
    STREAM_PAIR_7,
    STREAM_PAIR_8
};

/* A warp's queue and what its unit has come to; count and candidates are each lane's. */
struct stream {
    uint32_t *queue; /* begins, from a->begin on */
    uint32_t queued;
    uint32_t earlier; /* of those, the lowest: queued by earlier units */
    uint32_t steps;   /* of verification */
    uint32_t count;   /* verified */
    uint32_t count_earlier;
    uint64_t candidates;
};

/* The rows of a step as the lane holds them, and what it needs of the bytes behind the step. Rows
 * of products: two words of each of two blocks; else 16 neighbouring bytes. */
struct stream_rows {
    uint32_t w[4u * STREAM_ROWS_MAX];
    uint32_t behind[2];
};

SIMT_FUNCTION int stream_multiplies(int kind)
{
    return kind == STREAM_PRODUCT || kind == STREAM_PRODUCT_FOLD;
}

SIMT_FUNCTION int stream_decides(int kind)
{
    return kind == FILTER_BYTE || kind == FILTER_SHORT || kind == FILTER_WORD ||
           kind >= STREAM_PAIR_5;
}

/* ---- The queue -------------------------------------------------------------------------- */

/* Is the pattern so short that its queue goes on from unit to unit? */
SIMT_FUNCTION int stream_goes_on(const struct scan_arguments *a)
{
    return a->pattern_bytes <= TILE_LANE_BYTES;
}

/* Verify the last `count` <= 32 of the queue; returns whether the warp gives up. */
SIMT_FUNCTION int stream_verify(const struct scan_arguments *a, struct stream *s, uint32_t count)
{
    uint32_t bytes = a->pattern_bytes < TILE_LANE_BYTES ? a->pattern_bytes : TILE_LANE_BYTES;
    uint32_t lanes;
    uint64_t x = a->begin;
    int equal = 0, early;

    if (stream_goes_on(a) && a->plane.window_bits != 0 && s->steps++ > a->verify_budget / 4u)
        return 1;
    s->queued -= count;
    if (SIMT_BOUND(simt_lane() < count)) {
        x += s->queue[s->queued + simt_lane()];
        equal = tile_equal(a, x, a->pattern, bytes);
    }
    early = s->queued + simt_lane() < s->earlier;
    s->earlier = s->earlier < s->queued ? s->earlier : s->queued;
    simt_warp_sync(); /* read by all before the next are written */
    lanes = simt_ballot(equal);
    if (stream_goes_on(a)) {
        s->count_earlier += equal && early ? 1u : 0u;
        s->count += equal && !early ? 1u : 0u;
        return 0;
    }
    for (; lanes != 0; lanes &= lanes - 1u) {
        uint32_t source = simt_lowest_bit(lanes);
        uint64_t other = simt_shuffle_u64(x, source);

        if (s->steps >= a->verify_budget)
            return 1;
        if (!tile_equal_rest(a, other, &s->steps) && simt_lane() == source)
            equal = 0;
    }
    s->count += equal ? 1u : 0u;
    return 0;
}

/* Both blocks' masks of a row of products in one: they have bits 0 and 1 beyond multiples of 8. */
SIMT_FUNCTION uint32_t stream_join(uint32_t first, uint32_t second)
{
    return first | second << 2;
}

/* Where the place of a mask's bit lies beyond the lane's lowest. */
SIMT_FUNCTION uint32_t stream_bit_place(uint32_t bit, int kind)
{
    if (!stream_multiplies(kind))
        return bit;
    return (bit & ~2u) + (bit >> 1) % 2u * PRODUCT_BLOCK_BYTES;
}

/* Queue the begins of a mask's bits; `place` is that of bit 0, counted from the first begin's.
 * Returns whether the warp gives up. All lanes of the warp. */
SIMT_FUNCTION_LARGE int stream_push(const struct scan_arguments *a, struct stream *s,
                                    uint64_t place, uint32_t mask, int kind)
{
    uint32_t lanes = simt_ballot(mask != 0);

    s->candidates += simt_popcount(mask);
    while (lanes != 0) {
        uint32_t below = simt_popcount(lanes & ((1u << simt_lane()) - 1u));

        if (mask != 0)
            s->queue[s->queued + below] =
                (uint32_t)(place + stream_bit_place(simt_lowest_bit(mask), kind));
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

/* Bit 7 of each byte of x that is zero. */
SIMT_FUNCTION uint32_t stream_zero_bytes(uint32_t x)
{
    return ~(((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x | 0x7f7f7f7fu);
}

/* How many of 16 places hold the one byte, the two or the three: the bytes that are zero in
 * (w ^ first) | (w one byte on ^ second) | ... */
SIMT_FUNCTION uint32_t stream_count_bytes(const struct scan_arguments *a,
                                          const struct filter_words *words, uint32_t bytes)
{
    uint32_t first = a->gram[0] % 256u * 0x01010101u, zeros = 0;
    uint32_t second = (a->gram[0] >> 8) % 256u * 0x01010101u;
    uint32_t third = (a->gram[0] >> 16) % 256u * 0x01010101u;

    SIMT_UNROLL
    for (uint32_t k = 0; k < 4u; k++) {
        uint32_t x = words->w[k] ^ first;

        if (bytes > 1u)
            x |= filter_word(words, 4u * k + 1u) ^ second;
        if (bytes > 2u)
            x |= filter_word(words, 4u * k + 2u) ^ third;
        zeros |= stream_zero_bytes(x) >> k;
    }
    return simt_popcount(zeros);
}

/* How many of 16 places hold the 4 bytes. */
SIMT_FUNCTION uint32_t stream_count_word(const struct scan_arguments *a,
                                         const struct filter_words *words)
{
    uint32_t gram = a->gram[0], count = 0, one = simt_opaque_u32(1);

    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j++)
        simt_count_equal(&count, filter_word(words, j), gram, one);
    return count;
}

/* How many of 16 places hold the 5 to 8 bytes, whose last word begins `distance` bytes on. */
SIMT_FUNCTION uint32_t stream_count_pair(const struct scan_arguments *a,
                                         const struct filter_words *words, uint32_t distance)
{
    uint32_t gram = a->gram[0], less = 0u - a->gram[2], count = 0, one = simt_opaque_u32(1);

    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j++) {
        uint32_t last =
            filter_word(words, j + distance) * one + less; /* zero: it is the last word */

        simt_count_equal(&count, (filter_word(words, j) ^ gram) | last, 0, one);
    }
    return count;
}

/* How many of 16 places hold the pattern: kinds that decide. */
SIMT_FUNCTION uint32_t stream_count(const struct scan_arguments *a,
                                    const struct filter_words *words, int kind)
{
    if (kind == FILTER_BYTE)
        return stream_count_bytes(a, words, 1);
    if (kind == FILTER_SHORT)
        return (a->gram_mask[0] >> 16) != 0 ? stream_count_bytes(a, words, 3)
                                            : stream_count_bytes(a, words, 2);
    if (kind == FILTER_WORD)
        return stream_count_word(a, words);
    return stream_count_pair(a, words, (uint32_t)(kind - STREAM_PAIR_5) + 1u);
}

/* The kind of filter.h that does the same place by place. */
SIMT_FUNCTION int stream_filter_kind(int kind)
{
    if (kind == STREAM_PAIR_8)
        return FILTER_LONG;
    return kind >= STREAM_PAIR_5 ? FILTER_MASKED : kind;
}

/* May one of the 16 places, or with method words one of the four words, be a candidate? */
SIMT_FUNCTION int stream_look(const struct scan_arguments *a, const struct filter_words *words,
                              int kind)
{
    uint32_t fold = a->fold != 0 ? 0x20202020u : 0;
    int hit = 0;

    if (kind == FILTER_LONG)
        return filter_fingerprint(a, words);
    if (kind == FILTER_STRIDE_2 || kind == FILTER_STRIDE_4 || kind == FILTER_STRIDE_8)
        return filter_strides_any(a, words, filter_stride(kind));
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

/* ---- Loads ------------------------------------------------------------------------------ */

/* The last place, and one more. */
SIMT_FUNCTION uint64_t stream_last(const struct scan_arguments *a)
{
    return a->limit + a->shift;
}

/* Issue the loads of `rows` rows from `position` on, and of the bytes behind them that the last one
 * needs. `room` is what may be loaded from the lane's first bytes on. */
SIMT_FUNCTION void stream_load_within(const uint8_t *at, uint32_t room, struct stream_rows *to,
                                      uint32_t rows, int kind)
{
    uint32_t behind = rows * STREAM_ROW_BYTES;

    if (stream_multiplies(kind)) {
        SIMT_UNROLL
        for (uint32_t i = 0; i < 4u * rows; i++)
            if (SIMT_BOUND(i / 2u * PRODUCT_BLOCK_BYTES + i % 2u * 16u < room))
                to->w[i] = simt_load_u32(
                    (const uint32_t *)(const void *)(at + i / 2u * PRODUCT_BLOCK_BYTES +
                                                     i % 2u * 16u));
        if (simt_lane() < 4u && SIMT_BOUND(behind < room))
            to->behind[0] = simt_load_u32((const uint32_t *)(const void *)(at + behind));
        return;
    }
    SIMT_UNROLL
    for (uint32_t k = 0; k < rows; k++) {
        if (SIMT_BOUND(k * STREAM_ROW_BYTES < room)) {
            struct simt_u32x4 own =
                simt_load_u32x4((const uint32_t *)(const void *)(at + k * STREAM_ROW_BYTES));

            SIMT_UNROLL
            for (uint32_t i = 0; i < 4u; i++)
                to->w[4u * k + i] = own.w[i];
        }
    }
    if (kind < STREAM_PRODUCT && filter_words_behind(kind) == 0)
        return;
    behind -= 16u * (SIMT_WARP_THREADS - 1u); /* from the last lane's first bytes */
    if (simt_lane() == SIMT_WARP_THREADS - 1u && SIMT_BOUND(behind < room)) {
        uint64_t more = simt_load_u64((const uint64_t *)(const void *)(at + behind));

        to->behind[0] = (uint32_t)more;
        to->behind[1] = (uint32_t)(more >> 32);
    }
}

SIMT_FUNCTION uint32_t stream_lane_bytes(int kind)
{
    return stream_multiplies(kind) ? product_lane_bytes() : 16u * simt_lane();
}

/* The step at `position`, all of which is there. */
SIMT_FUNCTION void stream_load(const struct scan_arguments *a, uint64_t position,
                               struct stream_rows *to, uint32_t rows, int kind)
{
    stream_load_within(a->text + position + stream_lane_bytes(kind), UINT32_MAX, to, rows, kind);
}

/* Are all places of the step at `position` wanted, and all of its bytes there? */
SIMT_FUNCTION int stream_is_whole(const struct scan_arguments *a, uint64_t position, uint32_t rows)
{
    return position >= a->begin + a->shift &&
           SIMT_BOUND(position + rows * STREAM_ROW_BYTES <= stream_last(a));
}

SIMT_FUNCTION uint32_t stream_words_behind(int kind)
{
    return kind >= STREAM_PAIR_5 ? (kind == STREAM_PAIR_5 ? 1u : 2u) : filter_words_behind(kind);
}

/* Row k and the 8 bytes behind each lane's 16. All lanes of the warp. */
SIMT_FUNCTION struct filter_words stream_words_of(const struct stream_rows *from, uint32_t k,
                                                  uint32_t rows, int kind)
{
    struct filter_words words;

    SIMT_UNROLL
    for (uint32_t i = 0; i < 4u; i++)
        words.w[i] = from->w[4u * k + i];
    words.w[4] = words.w[5] = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < stream_words_behind(kind); i++) {
        uint32_t above = (simt_lane() + 1u) % SIMT_WARP_THREADS;
        /* The last lane's neighbour is lane 0 of the row that follows. */
        uint32_t given =
            k + 1u < rows && simt_lane() == 0 ? from->w[4u * (k + 1u) + i] : from->w[4u * k + i];
        uint32_t got = simt_shuffle_u32(given, above);

        words.w[4u + i] =
            k + 1u == rows && simt_lane() == SIMT_WARP_THREADS - 1u ? from->behind[i] : got;
    }
    return words;
}

/* ---- Steps ------------------------------------------------------------------------------ */

/* The first look at row k of a whole step: may it hold candidates? Then they are queued. What is
 * decided here is added to *count. Returns whether the warp gives up. */
SIMT_FUNCTION int stream_row(const struct scan_arguments *a, const struct stream_rows *step,
                             const struct product *product, uint64_t position, uint32_t k,
                             uint32_t rows, int kind, struct stream *s, uint32_t *count)
{
    uint64_t place = position + k * STREAM_ROW_BYTES - a->begin - a->shift;

    if (stream_multiplies(kind)) {
        const uint32_t *own = &step->w[4u * k];
        struct product_sums first = product_block(product, own, own[2]);
        struct product_sums second =
            product_block(product, own + 2, k + 1u < rows ? own[4] : step->behind[0]);

        if (simt_ballot(product_hit(&first) | product_hit(&second)) == 0)
            return 0;
        return stream_push(a, s, place + product_lane_place(),
                           stream_join(product_mask(&first), product_mask(&second)), kind);
    } else {
        struct filter_words words = stream_words_of(step, k, rows, kind);
        int hit;

        if (stream_decides(kind)) {
            *count += stream_count(a, &words, kind);
            return 0;
        }
        hit = stream_look(a, &words, kind);
        if (simt_ballot(hit) == 0)
            return 0;
        return stream_push(a, s, place + 16u * simt_lane(),
                           hit ? filter_places(a, &words, kind) : 0, kind);
    }
}

/* A row of a step that is not whole: the text's first or last. */
SIMT_FUNCTION_LARGE int stream_edge(const struct scan_arguments *a, struct stream *s,
                                    uint64_t position, int kind)
{
    struct filter_range range = {position, a->begin + a->shift, stream_last(a)};
    uint64_t begin = position + stream_lane_bytes(kind), end = range.last + STREAM_BEYOND_BYTES;
    struct stream_rows row = {{0}, {0, 0}};

    if (SIMT_BOUND(begin < end))
        stream_load_within(a->text + begin,
                           end - begin < UINT32_MAX ? (uint32_t)(end - begin) : UINT32_MAX - 1u,
                           &row, 1, kind);
    if (stream_multiplies(kind)) {
        struct product product = product_of(a);
        struct product_sums first = product_block(&product, row.w, row.w[2]);
        struct product_sums second = product_block(&product, row.w + 2, row.behind[0]);
        uint64_t place = position + product_lane_place();
        uint32_t low = product_wanted(&range, place, product_mask(&first));
        uint32_t high = product_wanted(&range, place + PRODUCT_BLOCK_BYTES, product_mask(&second));

        return stream_push(a, s, place - range.first, stream_join(low, high), kind);
    } else {
        struct filter_words words = stream_words_of(&row, 0, 1, kind);
        uint64_t place = position + 16u * simt_lane();
        uint32_t mask = filter_lane(a, &range, &words, place, stream_filter_kind(kind));

        if (!stream_decides(kind))
            return stream_push(a, s, place - range.first, mask, kind);
        s->count += simt_popcount(mask);
        return 0;
    }
}

SIMT_FUNCTION int stream_edges(const struct scan_arguments *a, struct stream *s, uint64_t position,
                               uint32_t rows, int kind)
{
    for (uint32_t k = 0; k < rows; k++)
        if (stream_edge(a, s, position + k * STREAM_ROW_BYTES, kind))
            return 1;
    return 0;
}

/* Look at a whole step. Returns whether the warp gives up. */
SIMT_FUNCTION int stream_step(const struct scan_arguments *a, const struct stream_rows *step,
                              const struct product *product, uint64_t position, uint32_t rows,
                              int kind, struct stream *s, uint32_t *count)
{
    SIMT_UNROLL
    for (uint32_t k = 0; k < rows; k++)
        if (stream_row(a, step, product, position, k, rows, kind, s, count))
            return 1;
    return 0;
}

/* ---- Units ------------------------------------------------------------------------------ */

/* Note the unit of a step whose candidates cost too much. */
SIMT_FUNCTION void stream_list(const struct scan_arguments *a, uint64_t position)
{
    if (simt_lane() == 0) {
        uint64_t slot = simt_atomic_add_u64(&a->result->listed, 1);

        simt_store_u32(a->tile_list + slot,
                       (uint32_t)((position - a->position) / (a->tile_words * 32u)));
    }
}

/* Where a warp is: at the step at `position` of a unit that has `left` steps from there on. */
struct stream_walk {
    uint64_t position;
    uint64_t jump; /* from a unit's begin to that of the warp's next */
    uint32_t left;
    uint32_t unit_bytes;
};

SIMT_FUNCTION uint64_t stream_next(const struct stream_walk *walk, uint32_t step_bytes)
{
    return walk->position + step_bytes + (walk->left == 1u ? walk->jump - walk->unit_bytes : 0);
}

/* The end of the unit that `position` lies in: what it has come to is added to the total, or it is
 * given up. Returns whether it was. */
SIMT_FUNCTION int stream_end(const struct scan_arguments *a, struct stream *s, uint64_t position,
                             int flooded, uint64_t *total)
{
    if (!stream_goes_on(a))
        flooded = flooded || stream_drain(a, s);
    if (flooded) {
        stream_list(a, position);
        s->count = 0;
        s->queued = s->earlier;
    }
    if (!stream_goes_on(a))
        s->queued = 0;
    *total += s->count + s->count_earlier;
    s->count = s->count_earlier = 0;
    s->earlier = s->queued;
    s->steps = 0;
    return flooded;
}

/* Go on to the next step, or from a unit that is given up to the next unit. Returns whether it was
 * given up. */
SIMT_FUNCTION int stream_advance(const struct scan_arguments *a, struct stream *s,
                                 struct stream_walk *walk, uint32_t step_bytes, int flooded,
                                 uint64_t *total)
{
    if (!flooded && walk->left > 1u) {
        walk->position += step_bytes;
        walk->left--;
        return 0;
    }
    flooded = stream_end(a, s, walk->position, flooded, total);
    walk->position += walk->jump - walk->unit_bytes + walk->left * step_bytes;
    walk->left = walk->unit_bytes / step_bytes;
    return flooded;
}

/* Are so many units listed that this launch is in vain? A hint, that costs what a look into the
 * nearest cache costs. The same answer for all lanes. */
SIMT_FUNCTION int stream_is_flooded(const struct scan_arguments *a, int kind)
{
    return !stream_decides(kind) &&
           simt_shuffle_u64(simt_hint_u64(&a->result->listed), 0) > a->listed_max;
}

/* A unit has as many whole steps. The inner loop keeps little but its own step's rows and the next
 * one's: registers bound the warps on a multiprocessor. */
SIMT_FUNCTION void stream_units(const struct scan_arguments *a, int kind, uint32_t rows)
{
    SIMT_SHARED(uint32_t, stream_queues, SCAN_THREADS_MAX / SIMT_WARP_THREADS * STREAM_QUEUE_MAX);
    uint32_t unit_bytes = a->tile_words * 32u, step_bytes = rows * STREAM_ROW_BYTES;
    uint64_t warp = (uint64_t)simt_block() * (simt_threads() / SIMT_WARP_THREADS) + simt_warp();
    struct stream_walk walk = {a->position + warp * unit_bytes,
                               (uint64_t)simt_blocks() * (simt_threads() / SIMT_WARP_THREADS) *
                                   unit_bytes,
                               unit_bytes / step_bytes, unit_bytes};
    struct stream s = {stream_queues + simt_warp() * STREAM_QUEUE_MAX, 0, 0, 0, 0, 0, 0};
    struct tile_totals totals = {0, 0, 0};
    struct product product = {{0, 0, 0, 0}, {{0, 0, 0, 0}}, 0};
    uint64_t decided = 0;

    if (stream_multiplies(kind))
        product = product_of(a);
    if (kind == STREAM_PRODUCT)
        product.fold = 0; /* which the compiler then knows */
    while (SIMT_BOUND(walk.position < stream_last(a)) && !stream_is_flooded(a, kind)) {
        struct stream_rows step = {{0}, {0, 0}}, ahead = {{0}, {0, 0}};
        int more = stream_is_whole(a, walk.position, rows);

        if (!more) { /* the text's first step, or its last */
            int flooded = stream_edges(a, &s, walk.position, rows, kind);

            (void)stream_advance(a, &s, &walk, step_bytes, flooded, &totals.count);
            continue;
        }
        stream_load(a, walk.position, &step, rows, kind);
        while (more) {
            uint64_t next = stream_next(&walk, step_bytes);
            uint32_t count = 0;
            int flooded;

            more = stream_is_whole(a, next, rows);
            stream_load(a, more ? next : walk.position, &ahead, rows, kind);
            flooded = stream_step(a, &step, &product, walk.position, rows, kind, &s, &count);
            decided += count;
            flooded = stream_advance(a, &s, &walk, step_bytes, flooded, &totals.count);
            more = more && !flooded;
            step = ahead;
        }
    }
    if (walk.left < unit_bytes / step_bytes) /* the text ends within a unit */
        (void)stream_end(a, &s, walk.position, 0, &totals.count);
    if (stream_goes_on(a))
        (void)stream_drain(a, &s);
    totals.count += decided + s.count + s.count_earlier;
    totals.candidates = s.candidates;
    tile_finish(a, &totals);
}

#endif
