/* stream_append: finds the occurrences of a pattern of up to 8 bytes (4, if case is ignored) as
 * scan_stream counts them, and leaves them, step by step, for bins_gather (bins.cu).
 *
 * Without case, patterns of 5 to 8 bytes are listed so where bins cannot hold their hits.
 *
 * Method     a step's number is its distance from the first step. counts[number] is how many hits
 *            begin in the step; the step's BINS_RUN_BYTES have their offsets in the step,
 *            ascending, 16 bits each, if there are at most BINS_RUN_MAX, and otherwise the lanes'
 *            masks. So no step has too many hits for its room, and no warp waits for a slot.
 * Traffic    per text byte: reads 1. Per step: writes 4 bytes. Per hit: writes 2 bytes.
 */
#include "stream.h"

/* Returns which of 16 positions have the pattern of two or three bytes. (stream_count_bytes
 * compares in the same way, but only counts.) */
SIMT_FUNCTION uint32_t append_bytes(const struct pattern_arguments *a,
                                    const struct filter_words *words, uint32_t bytes)
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
SIMT_FUNCTION uint32_t append_words(const struct pattern_arguments *a,
                                    const struct filter_words *words, uint32_t distance)
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
SIMT_FUNCTION uint32_t append_folded(const struct pattern_arguments *a,
                                     const struct filter_words *words)
{
    uint32_t mask = 0, one = a->one;

    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j++)
        simt_add_equal(&mask, filter_folded(a, words, j), 0, one, 1u << j);
    return mask;
}

/* Returns which of a lane's 16 positions have the pattern. */
SIMT_FUNCTION uint32_t append_places(const struct pattern_arguments *a,
                                     const struct filter_words *words, int kind)
{
    if (kind == FILTER_MASKED)
        return filter_places(a, words, kind);
    if (kind == FILTER_BYTE)
        return filter_byte(a, words);
    if (kind == FILTER_SHORT)
        return (a->gram_mask[0] >> 16) != 0 ? append_bytes(a, words, 3) : append_bytes(a, words, 2);
    if (kind == FILTER_WORD)
        return append_words(a, words, 0);
    if (kind == STREAM_FOLDED)
        return append_folded(a, words);
    return append_words(a, words, (uint32_t)(kind - STREAM_PAIR_5) + 1u);
}

/* Returns the masks of a lane's hits in a whole step. Called by all lanes of the warp. */
SIMT_FUNCTION struct tile_masks append_step(const struct pattern_arguments *a,
                                            const struct stream_rows *step, int kind)
{
    struct tile_masks masks = {{0}};

    SIMT_UNROLL
    for (uint32_t k = 0; k < STREAM_ROWS; k++) {
        struct filter_words words = stream_words_of(step, k, kind);

        masks.rows[k / 2u] |= append_places(a, &words, kind) << k % 2u * 16u;
    }
    return masks;
}

/* Like append_step, for a step in which some positions may not be searched, or some bytes may not
 * be loadable. */
SIMT_FUNCTION struct tile_masks append_edge(const struct pattern_arguments *a, uint64_t position,
                                            int kind)
{
    struct filter_range range = {position, a->scan.begin + a->shift, stream_limit(a)};
    struct tile_masks masks = {{0}};

    for (uint32_t k = 0; k < STREAM_ROWS; k++) {
        uint64_t place = position + k * STREAM_ROW_BYTES + 16u * simt_lane();
        struct filter_words words = stream_edge_words(a, place, kind);
        uint32_t mask = filter_lane(a, &range, &words, place, stream_filter_kind(kind));

        SIMT_UNROLL
        for (uint32_t i = 0; i < STREAM_ROWS / 2u; i++)
            /* compared rather than indexed by k: registers cannot be indexed at run time */
            masks.rows[i] |= k / 2u == i ? mask << k % 2u * 16u : 0;
    }
    return masks;
}

SIMT_FUNCTION void append_tile(const struct pattern_arguments *a, uint32_t tile, uint32_t next,
                               struct stream_rows *step, int kind, uint64_t *count)
{
    uint32_t warps_bytes = simt_threads() / SIMT_WARP_THREADS * STREAM_STEP_BYTES;
    uint64_t position = stream_begin(a, tile);

    for (uint32_t left = a->tile_words * 32u / warps_bytes; left != 0; left--) {
        uint64_t following = left > 1u ? position + warps_bytes : stream_begin(a, next);
        struct stream_rows ahead = {{0}, {0, 0}};
        struct tile_masks masks = {{0}};

        stream_load(a, following, &ahead, kind);
        if (stream_is_whole(a, position))
            masks = append_step(a, step, kind);
        else if (position < stream_limit(a))
            masks = append_edge(a, position, kind);
        *count += tile_append_step(&a->scan, position, &masks);
        *step = ahead;
        position = following;
    }
}

SIMT_FUNCTION void append_tiles(const struct pattern_arguments *a, int kind)
{
    SIMT_SHARED(uint32_t, append_tickets, 2);
    struct stream_state s = {0, 0};
    struct stream_cursor cursor = {append_tickets, 0, 0, 0};
    struct tile_totals totals = {0, 0, 0};
    struct stream_rows step = {{0}, {0, 0}};
    uint32_t tile = simt_block(), next;

    stream_load(a, stream_begin(a, tile), &step, kind);
    if (simt_thread() == 0) {
        append_tickets[1] = tile_ticket(&a->scan) + simt_blocks();
        cursor.ahead = tile_ticket(&a->scan);
    }
    simt_barrier();
    next = append_tickets[1];
    while (SIMT_BOUND(tile < a->scan.tile_count)) {
        uint32_t third;

        append_tile(a, tile, next, &step, kind, &totals.count);
        /* whatever the kind, there is nothing to verify */
        stream_end(a, &s, &cursor, tile, FILTER_BYTE, 0, &third);
        tile = next;
        next = third;
    }
    tile_finish(&a->scan, &totals, cursor.ahead == UINT32_MAX ? UINT64_MAX : 0);
}

/* a pattern of up to 8 bytes, which a->is_exact says, is compared whole by FILTER_MASKED, too */
#define STREAM_APPEND_KIND(kind)                                       \
    case kind:                                                         \
        if (stream_decides(kind) || (int)(kind) == (int)FILTER_MASKED) \
            append_tiles(&args, kind);                                 \
        break;

SIMT_KERNEL(append_stream, pattern_arguments, SCAN_THREADS_MAX, 3)
{
    switch (stream_kind(&args)) {
        STREAM_KIND_LIST(STREAM_APPEND_KIND)
    }
}
