/* stream: counts, or finds the first occurrence, without bitmaps: the warps read the text once, in
 * order, and load the next rows while they search the rows before.
 *
 * A block draws tiles from a ticket. Its warps go through a tile side by side; a step of a warp is
 * STREAM_ROWS rows of 512 bytes:
 *
 *     tile   | warp 0 | warp 1 | ... | warp 7 | warp 0 | warp 1 | ... |  next tile ...
 *              step 1   step 1         step 1   step 2   step 2         loaded in the last step
 *
 *     a warp:  issue the loads of step i + 1  ->  look at step i in registers
 *                 exact filter: add to a count in a register
 *                 other filters: candidates -> queue in shared memory -> 32 at a time: verify
 *
 * Patterns of 2 bytes are counted at the GPU's memory bandwidth. They ran at 0.69 of it when each
 * row was loaded right after the row before was used: the loads of a loop share one scoreboard, so
 * a use waits for the newest load [H200].
 *
 * A tile whose candidates cost more than the budget is given up: the block drops its count and
 * lists the tile's number. The host then runs scan_planes (planes.cu) over the listed tiles. For a
 * pattern of more than TILE_LANE_BYTES (64 bytes), all candidates of the queue are verified at a
 * tile's end. For a shorter pattern the candidates stay in the queue for the next tile, and a tile
 * that is given up drops only its own candidates. If too many tiles are listed, all blocks stop and
 * the host runs scan_planes over all tiles.
 *
 * A search for the first occurrence verifies all candidates at a tile's end, and a block searches
 * no tile that lies after an occurrence found so far.
 *
 * Kernels with bitmaps of a tile's candidates counted at 0.4 to 0.7 of the speed at which the GPU
 * only reads, streams count at 0.98 (16 GiB, 1 to 32 bytes, three alphabets), because the warps of
 * a block search adjacent parts of a tile (0.91 with a range for each warp), the loop spills no
 * register (0.67 with one spilled), and the filter does few comparisons: the ALU is the
 * bottleneck.
 */
#ifndef TRAWL_CUDA_KERNELS_STREAM_H
#define TRAWL_CUDA_KERNELS_STREAM_H

#include "filter.h"

/* room for up to 31 entries of earlier steps and for those of a step */
#define STREAM_QUEUE_MAX ((STREAM_ROWS + 1u) * SIMT_WARP_THREADS)
#define STREAM_MASK_UNIT (1ull << 48)
/* at the ends of the text, a lane loads 16 bytes only if they begin before stream_limit() plus
 * this */
#define STREAM_BEYOND_BYTES 16u
#define STREAM_HINT_TURNS 8u

/* Kinds of comparison in addition to those of filter.h. FOLDED compares patterns of up to 4 bytes
 * without case. PAIR_n compares patterns of n bytes by their first and last 4 bytes. */
enum { STREAM_FOLDED = FILTER_KINDS, STREAM_PAIR_5, STREAM_PAIR_6, STREAM_PAIR_7, STREAM_PAIR_8 };

#define STREAM_KIND_LIST(X) \
    X(FILTER_BYTE)          \
    X(FILTER_SHORT)         \
    X(FILTER_WORD)          \
    X(FILTER_LONG)          \
    X(FILTER_MASKED)        \
    X(FILTER_STRIDE_2)      \
    X(FILTER_STRIDE_4)      \
    X(FILTER_STRIDE_8)      \
    X(STREAM_FOLDED)        \
    X(STREAM_PAIR_5)        \
    X(STREAM_PAIR_6)        \
    X(STREAM_PAIR_7)        \
    X(STREAM_PAIR_8)

/* The state of a warp in shared memory. An entry of the queue describes 16 positions of a lane: the
 * first one / 16, plus STREAM_MASK_UNIT times a mask of the candidates. */
struct stream_warp {
    uint64_t queue[STREAM_QUEUE_MAX];
    uint32_t earlier;       /* entries of earlier tiles, which come first in the queue */
    uint32_t steps;         /* steps of verification in this tile */
    uint32_t count;         /* verified occurrences of this tile */
    uint32_t count_earlier; /* occurrences in earlier tiles that were verified during this one */
    uint64_t total;         /* occurrences of the earlier tiles */
    uint32_t listed;        /* in the first warp: tiles that the block has given up */
    uint64_t candidates;
};

/* The state of a warp in registers. */
struct stream_state {
    struct stream_warp *warp;
    uint32_t queued;
};

/* The rows of a step in a lane's registers: 16 neighbouring bytes of each row. Only the last lane
 * uses `behind`: the 8 bytes after the step. */
struct stream_rows {
    uint32_t w[4u * STREAM_ROWS];
    uint32_t behind[2];
};

/* Returns true if the filter of this kind finds occurrences, not just candidates. */
SIMT_FUNCTION int stream_decides(int kind)
{
    return kind == FILTER_BYTE || kind == FILTER_SHORT || kind == FILTER_WORD ||
           kind >= STREAM_FOLDED;
}

/* Returns the kind of a search, from STREAM_KIND_LIST. */
SIMT_FUNCTION int stream_kind(const struct pattern_arguments *a)
{
    if (a->gram_kind == SCAN_GRAM_STRIDE_8)
        return FILTER_STRIDE_8;
    if (a->gram_kind == SCAN_GRAM_STRIDE_4)
        return FILTER_STRIDE_4;
    if (a->gram_kind == SCAN_GRAM_STRIDE_2)
        return FILTER_STRIDE_2;
    if (a->is_exact != 0 && a->pattern_bytes <= 4u && a->gram_fold[0] != 0)
        return STREAM_FOLDED;
    if (a->is_exact != 0 && a->pattern_bytes > 4u && (a->gram_fold[0] | a->gram_fold[1]) == 0)
        return STREAM_PAIR_5 + (int)(a->pattern_bytes - 5u);
    if (a->gram_kind == SCAN_GRAM_BYTE)
        return FILTER_BYTE;
    if (a->gram_kind == SCAN_GRAM_SHORT)
        return FILTER_SHORT;
    if (a->gram_kind == SCAN_GRAM_WORD)
        return FILTER_WORD;
    return a->gram_kind == SCAN_GRAM_LONG ? FILTER_LONG : FILTER_MASKED;
}

/* ---- The queue -------------------------------------------------------------------------- */

/* Returns true if a single lane compares the whole pattern. */
SIMT_FUNCTION int stream_lane_compares_all(const struct pattern_arguments *a)
{
    return a->pattern_bytes <= TILE_LANE_BYTES;
}

/* Verifies the candidate x of each lane whose `wanted` is not 0, and sets *found to the lanes
 * with an occurrence. Returns true if the warp gives the tile up. */
SIMT_FUNCTION int stream_verify_one(const struct pattern_arguments *a, uint64_t x, int wanted,
                                    uint32_t *steps, uint32_t *found)
{
    uint32_t bytes = a->pattern_bytes < TILE_LANE_BYTES ? a->pattern_bytes : TILE_LANE_BYTES;
    int equal = 0;

    if (wanted)
        equal = tile_equal(&a->scan, x, a->pattern, bytes);
    *found = simt_ballot(equal);
    if (stream_lane_compares_all(a)) {
        (*steps)++;
        return 0;
    }
    if (a->plane.probe_bits != 0 && (*steps)++ >= a->verify_budget)
        /* too many comparisons make the warp give the tile up, even if each ends early */
        return 1;
    for (uint32_t lanes = *found; lanes != 0; lanes &= lanes - 1u) {
        uint32_t source = simt_lowest_bit(lanes);

        if (*steps >= a->verify_budget)
            return 1;
        if (!tile_equal_rest(a, simt_shuffle_u64(x, source), TILE_LANE_BYTES, a->pattern_bytes,
                             steps))
            *found &= ~(1u << source);
    }
    return 0;
}

/* Verifies the last `count` ≤ 32 entries of the queue, starting at `first`. Returns true if the
 * warp gives the tile up. If some entries belong to earlier tiles, the warp gives up only before
 * the first verification, so that these entries stay in the queue. */
SIMT_FUNCTION_LARGE int stream_verify(const struct pattern_arguments *a, struct stream_warp *warp,
                                      uint32_t first, uint32_t count)
{
    uint32_t earlier = warp->earlier > first ? warp->earlier - first : 0;
    uint32_t early_lanes = earlier < SIMT_WARP_THREADS ? (1u << earlier) - 1u : UINT32_MAX;
    uint32_t steps = warp->steps, own_sum = 0, early_sum = 0, looked = 0, mask;
    uint64_t entry = 0;
    int gives_up = 0;

    if (stream_lane_compares_all(a) && a->plane.probe_bits != 0 && steps > a->verify_budget / 4u)
        return 1;
    if (SIMT_BOUND(simt_lane() < count))
        entry = warp->queue[first + simt_lane()];
    for (mask = (uint32_t)(entry / STREAM_MASK_UNIT); !gives_up && simt_ballot(mask != 0) != 0;
         mask &= mask - 1u) {
        uint32_t bit = mask != 0 ? simt_lowest_bit(mask) : 0, found = 0;
        uint64_t x = (entry % STREAM_MASK_UNIT) * 16u + bit - a->shift;

        gives_up = stream_verify_one(a, x, mask != 0, &steps, &found);
        if (a->scan.hits != 0 && !gives_up)
            tile_append(&a->scan, (found >> simt_lane() & 1u) != 0, x, 0);
        looked += simt_popcount(simt_ballot(mask != 0));
        own_sum += simt_popcount(found & ~early_lanes);
        early_sum += simt_popcount(found & early_lanes);
    }
    simt_warp_sync(); /* all lanes have read before lane 0 writes */
    if (simt_lane() == 0) {
        warp->steps = steps;
        warp->count += own_sum;
        warp->count_earlier += early_sum;
        warp->candidates += looked;
        warp->earlier = warp->earlier < first ? warp->earlier : first;
    }
    simt_warp_sync(); /* lane 0 has written before other lanes read */
    return gives_up;
}

/* Queues the candidates of a mask of 16 bits. `place` is the position of bit 0, a multiple of
 * 16. Called by all lanes of the warp. */
SIMT_FUNCTION void stream_push(struct stream_state *s, uint64_t place, uint32_t mask)
{
    uint32_t lanes = simt_ballot(mask != 0);

    if (mask != 0)
        s->warp->queue[s->queued + simt_popcount(lanes & ((1u << simt_lane()) - 1u))] =
            place / 16u + mask * STREAM_MASK_UNIT;
    s->queued += simt_popcount(lanes);
}

/* Verifies entries while the queue has one for each lane. Returns true if the warp gives the tile
 * up. */
SIMT_FUNCTION int stream_verify_full(const struct pattern_arguments *a, struct stream_state *s)
{
    if (s->queued < SIMT_WARP_THREADS)
        return 0;
    simt_warp_sync(); /* all lanes have written their entries before other lanes read */
    do {
        s->queued -= SIMT_WARP_THREADS;
        if (stream_verify(a, s->warp, s->queued, SIMT_WARP_THREADS))
            return 1;
    } while (s->queued >= SIMT_WARP_THREADS);
    return 0;
}

/* Verifies all entries that are left in the queue. Returns true if the warp gives the tile up. */
SIMT_FUNCTION int stream_drain(const struct pattern_arguments *a, struct stream_state *s)
{
    uint32_t count = s->queued;

    s->queued = 0;
    simt_warp_sync(); /* all lanes have written their entries before other lanes read */
    return count > 0 && stream_verify(a, s->warp, 0, count);
}

/* ---- Rows of 16 bytes per lane ---------------------------------------------------------- */

/* Returns at how many of 16 positions the pattern of 1 to 3 bytes occurs: the zero bytes of (w ^
 * first) | (w shifted by a byte ^ second) | (w shifted by two bytes ^ third). */
SIMT_FUNCTION uint32_t stream_count_bytes(const struct pattern_arguments *a,
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
        zeros |= filter_zero_bytes(x) >> k;
    }
    return simt_popcount(zeros);
}

/* Returns at how many of 16 positions the pattern of 4 bytes occurs. */
SIMT_FUNCTION uint32_t stream_count_4_bytes(const struct pattern_arguments *a,
                                            const struct filter_words *words)
{
    uint32_t gram = a->gram[0], count = 0, one = a->one;

    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j++)
        simt_add_equal(&count, filter_word(words, j), gram, one, one);
    return count;
}

/* Returns at how many of 16 positions the pattern of 5 to 8 bytes occurs. Its last word begins
 * `distance` bytes after its first. */
SIMT_FUNCTION uint32_t stream_count_pair(const struct pattern_arguments *a,
                                         const struct filter_words *words, uint32_t distance)
{
    uint32_t gram = a->gram[0], less = 0u - a->gram[2], count = 0, one = a->one;

    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j++) {
        uint32_t last =
            filter_word(words, j + distance) * one + less; /* 0: the last word is equal */

        simt_add_equal(&count, (filter_word(words, j) ^ gram) | last, 0, one, one);
    }
    return count;
}

/* Returns at how many of 16 positions the pattern of up to 4 bytes occurs, ignoring case. */
SIMT_FUNCTION uint32_t stream_count_folded(const struct pattern_arguments *a,
                                           const struct filter_words *words)
{
    uint32_t count = 0, one = a->one;

    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j++)
        simt_add_equal(&count, filter_folded(a, words, j), 0, one, one);
    return count;
}

/* Returns at how many of 16 positions the pattern occurs. stream_decides is true for this kind. */
SIMT_FUNCTION uint32_t stream_count(const struct pattern_arguments *a,
                                    const struct filter_words *words, int kind)
{
    if (kind == FILTER_BYTE)
        return stream_count_bytes(a, words, 1);
    if (kind == FILTER_SHORT)
        return (a->gram_mask[0] >> 16) != 0 ? stream_count_bytes(a, words, 3)
                                            : stream_count_bytes(a, words, 2);
    if (kind == FILTER_WORD)
        return stream_count_4_bytes(a, words);
    if (kind == STREAM_FOLDED)
        return stream_count_folded(a, words);
    return stream_count_pair(a, words, (uint32_t)(kind - STREAM_PAIR_5) + 1u);
}

/* Returns the kind of comparison in filter.h that accepts the same positions as this kind. */
SIMT_FUNCTION int stream_filter_kind(int kind)
{
    if (kind == STREAM_PAIR_8)
        return FILTER_LONG;
    return kind >= STREAM_FOLDED ? FILTER_MASKED : kind;
}

/* Returns nonzero if one of the 16 positions may be a candidate. */
SIMT_FUNCTION int stream_look(const struct pattern_arguments *a, const struct filter_words *words,
                              int kind)
{
    int hit = 0;

    if (kind == FILTER_LONG)
        return filter_fingerprint(a, words);
    if (kind != FILTER_MASKED)
        return filter_strides_any(a, words, filter_stride(kind));
    SIMT_UNROLL
    for (uint32_t j = 0; j < 16u; j++)
        hit |= filter_folded(a, words, j) == 0;
    return hit;
}

/* Returns the candidates among the 16 positions, as bits. simt_opaque_u32 hides from the compiler
 * that stream_look has used the same words; otherwise it keeps the intermediate results and runs
 * out of registers. */
SIMT_FUNCTION uint32_t stream_places(const struct pattern_arguments *a,
                                     const struct filter_words *words, int kind)
{
    struct filter_words again;

    SIMT_UNROLL
    for (uint32_t i = 0; i < 6u; i++)
        again.w[i] = simt_opaque_u32(words->w[i]);
    return filter_places(a, &again, kind);
}

/* ---- Loads ------------------------------------------------------------------------------ */

/* Returns the end of the positions that are searched. */
SIMT_FUNCTION uint64_t stream_limit(const struct pattern_arguments *a)
{
    return a->scan.limit + a->shift;
}

/* Returns how many words after a lane's 16 bytes this kind reads. */
SIMT_FUNCTION uint32_t stream_words_behind(int kind)
{
    if (kind == STREAM_FOLDED || kind == STREAM_PAIR_5)
        return 1u;
    return kind > STREAM_PAIR_5 ? 2u : filter_words_behind(kind);
}

SIMT_FUNCTION struct simt_u32x4 stream_load_row(const uint8_t *at)
{
    return simt_load_u32x4((const uint32_t *)(const void *)at);
}

/* Loads the 8 bytes at `at`: those after a lane's 16 bytes, or the last lane's in a whole step. */
SIMT_FUNCTION void stream_load_behind(const uint8_t *at, uint32_t *to)
{
    uint64_t more = simt_load_u64((const uint64_t *)(const void *)at);

    to[0] = (uint32_t)more;
    to[1] = (uint32_t)(more >> 32);
}

/* Returns true if all positions of this step are searched and all its bytes can be loaded. */
SIMT_FUNCTION int stream_is_whole(const struct pattern_arguments *a, uint64_t position)
{
    return position >= a->scan.begin + a->shift &&
           SIMT_BOUND(position + STREAM_STEP_BYTES <= stream_limit(a));
}

/* Issues the loads of the step at `position`; if it is not whole or lies after the text, loads
 * other bytes, so that no load needs a branch. */
SIMT_FUNCTION void stream_load(const struct pattern_arguments *a, uint64_t position,
                               struct stream_rows *to, int kind)
{
    const uint8_t *at =
        (stream_is_whole(a, position) ? a->scan.text + position : a->spare) + 16u * simt_lane();

    SIMT_UNROLL
    for (uint32_t k = 0; k < STREAM_ROWS; k++) {
        struct simt_u32x4 own = stream_load_row(at + k * STREAM_ROW_BYTES);

        SIMT_UNROLL
        for (uint32_t i = 0; i < 4u; i++)
            to->w[4u * k + i] = own.w[i];
    }
    if (stream_words_behind(kind) != 0 && simt_lane() == SIMT_WARP_THREADS - 1u)
        stream_load_behind(at + (STREAM_ROWS - 1u) * STREAM_ROW_BYTES + 16u, to->behind);
}

/* Returns row k, with the words after each lane's 16 bytes that this kind reads. Called by all
 * lanes of the warp. */
SIMT_FUNCTION struct filter_words stream_words_of(const struct stream_rows *from, uint32_t k,
                                                  int kind)
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
        uint32_t given = k + 1u < STREAM_ROWS && simt_lane() == 0 ? from->w[4u * (k + 1u) + i]
                                                                  : from->w[4u * k + i];
        uint32_t got = simt_shuffle_u32(given, above);

        words.w[4u + i] =
            k + 1u == STREAM_ROWS && simt_lane() == SIMT_WARP_THREADS - 1u ? from->behind[i] : got;
    }
    return words;
}

/* ---- Steps ------------------------------------------------------------------------------ */

/* Searches a whole step: adds the occurrences to *count if the filter of this kind finds them
 * (stream_decides), otherwise queues the candidates. */
SIMT_FUNCTION void stream_step(const struct pattern_arguments *a, const struct stream_rows *step,
                               uint64_t position, int kind, struct stream_state *s, uint64_t *count)
{
    uint64_t place = position + 16u * simt_lane();
    uint32_t decided = 0;

    SIMT_UNROLL
    for (uint32_t k = 0; k < STREAM_ROWS; k++) {
        struct filter_words words = stream_words_of(step, k, kind);
        int hit;

        if (stream_decides(kind)) {
            decided += stream_count(a, &words, kind);
            continue;
        }
        hit = stream_look(a, &words, kind);
        if (simt_ballot(hit) != 0)
            stream_push(s, place + k * STREAM_ROW_BYTES, hit ? stream_places(a, &words, kind) : 0);
    }
    *count += decided;
}

/* Returns the words of a lane starting at `place`, in a step that need not be whole. */
SIMT_FUNCTION struct filter_words stream_edge_words(const struct pattern_arguments *a,
                                                    uint64_t place, int kind)
{
    struct filter_words words = {{0, 0, 0, 0, 0, 0}};
    uint64_t end = stream_limit(a) + STREAM_BEYOND_BYTES;

    if (SIMT_BOUND(place < end)) {
        struct simt_u32x4 own = stream_load_row(a->scan.text + place);

        SIMT_UNROLL
        for (uint32_t i = 0; i < 4u; i++)
            words.w[i] = own.w[i];
    }
    if (stream_words_behind(kind) != 0 && SIMT_BOUND(place + 16u < end))
        stream_load_behind(a->scan.text + place + 16u, words.w + 4);
    return words;
}

/* Like stream_step, for a step that need not be whole. */
SIMT_FUNCTION void stream_edge(const struct pattern_arguments *a, uint64_t position, int kind,
                               struct stream_state *s, uint64_t *count)
{
    struct filter_range range = {position, a->scan.begin + a->shift, stream_limit(a)};

    for (uint32_t k = 0; k < STREAM_ROWS; k++, position += STREAM_ROW_BYTES) {
        uint64_t place = position + 16u * simt_lane();
        struct filter_words words = stream_edge_words(a, place, kind);
        uint32_t mask = filter_lane(a, &range, &words, place, stream_filter_kind(kind));

        if (stream_decides(kind))
            *count += simt_popcount(mask);
        else
            stream_push(s, place, mask);
    }
}

/* ---- Tiles ------------------------------------------------------------------------------ */

/* Returns the position of the warp's first step in a tile. */
SIMT_FUNCTION uint64_t stream_begin(const struct pattern_arguments *a, uint32_t tile)
{
    return a->scan.position + (uint64_t)tile * (a->tile_words * 32u) +
           simt_warp() * STREAM_STEP_BYTES;
}

/* A block's way from tile to tile. */
struct stream_cursor {
    /* Two tile numbers, used in turn: when thread 0 writes one, all threads have read its earlier
     * value. */
    uint32_t *tickets;
    uint32_t ahead;   /* thread 0: a ticket that was drawn long before the block needs it */
    uint32_t is_vain; /* thread 0: too many tiles are listed, so the block takes no further tiles */
    uint32_t turn;
};

/* Draws another ticket for this block, but does not use it yet, since any use waits for the atomic
 * operation. stream_end uses it, and adds the number of blocks to it, since the blocks' first tiles
 * need no ticket. Every STREAM_HINT_TURNS turns, and in each once the block has listed a tile,
 * updates cursor->is_vain. Called by thread 0. */
SIMT_FUNCTION void stream_draw_ticket(const struct pattern_arguments *a,
                                      struct stream_cursor *cursor, uint32_t listed, int kind)
{
    if (!stream_decides(kind) && (listed != 0 || cursor->turn % STREAM_HINT_TURNS == 0))
        cursor->is_vain = simt_hint_u64(&a->scan.result->listed) > a->scan.listed_max;
    cursor->ahead = tile_ticket(&a->scan);
}

/* Adds the warp's counts of a tile to the warp's totals. If the tile is dense, adds only the
 * occurrences of earlier tiles, and drops the tile's entries from the queue. */
SIMT_FUNCTION void stream_sum(struct stream_state *s, int dense)
{
    uint32_t earlier = s->warp->earlier;

    if (dense)
        s->queued = earlier;
    simt_warp_sync(); /* all lanes have read before lane 0 writes */
    if (simt_lane() == 0) {
        s->warp->total += s->warp->count_earlier + (dense ? 0 : s->warp->count);
        s->warp->count = s->warp->count_earlier = s->warp->steps = 0;
        s->warp->earlier = s->queued;
    }
    simt_warp_sync(); /* lane 0 has written before other lanes read */
}

/* Ends a tile: the block adds its counts, or gives it up and lists it. Thread 0 chooses *third, the
 * tile after the next, and draws another ticket. Called by all threads of the block. */
SIMT_FUNCTION void stream_end(const struct pattern_arguments *a, struct stream_state *s,
                              struct stream_cursor *cursor, uint32_t tile, int kind, int dense,
                              uint32_t *third)
{
    uint32_t *ticket = &cursor->tickets[cursor->turn++ % 2u];

    if (simt_thread() == 0) {
        *ticket = cursor->is_vain ? a->scan.tile_count : cursor->ahead + simt_blocks();
        stream_draw_ticket(a, cursor, s->warp->listed, kind);
    }
    if (stream_decides(kind)) {
        simt_barrier();
    } else {
        /* candidates that a lane compares stay in the queue, for those of the next tile */
        if (!stream_lane_compares_all(a))
            dense = dense || stream_drain(a, s);
        dense = simt_barrier_or(dense);
        stream_sum(s, dense);
        if (dense && simt_thread() == 0) {
            uint64_t slot = simt_atomic_add_u64(&a->scan.result->listed, 1);

            simt_store_u32(a->tile_list + slot, tile);
            s->warp->listed++;
        }
    }
    *third = *ticket;
}

/* Searches a tile, without the work of stream_end, and loads the first step of the block's next
 * tile. Returns true if the warp gives the tile up. */
SIMT_FUNCTION int stream_tile(const struct pattern_arguments *a, uint32_t tile, uint32_t next,
                              struct stream_rows *step, int kind, struct stream_state *s,
                              uint64_t *count)
{
    uint32_t warps_bytes = simt_threads() / SIMT_WARP_THREADS * STREAM_STEP_BYTES;
    uint32_t left = a->tile_words * 32u / warps_bytes;
    uint64_t position = stream_begin(a, tile);
    int dense = 0;

    for (; left != 0; left--) {
        uint64_t following = left > 1u ? position + warps_bytes : stream_begin(a, next);
        struct stream_rows ahead = {{0}, {0, 0}};

        stream_load(a, following, &ahead, kind);
        if (!dense && stream_is_whole(a, position))
            stream_step(a, step, position, kind, s, count);
        else if (!dense && position < stream_limit(a))
            stream_edge(a, position, kind, s, count);
        if (!stream_decides(kind))
            dense = dense || stream_verify_full(a, s);
        if (!stream_decides(kind) && dense && left > 2u)
            left = 2u; /* load the next tile's first step, and nothing more of this one */
        *step = ahead;
        position = following;
    }
    return dense;
}

/* The body of the kernel: searches the block's tiles. */
SIMT_FUNCTION void stream_tiles(const struct pattern_arguments *a, int kind)
{
    SIMT_SHARED(struct stream_warp, stream_warps, SCAN_THREADS_MAX / SIMT_WARP_THREADS);
    SIMT_SHARED(uint32_t, stream_tickets, 2);
    struct stream_state s = {stream_warps + simt_warp(), 0};
    struct stream_cursor cursor = {stream_tickets, 0, 0, 0};
    struct tile_totals totals = {0, 0, 0};
    struct stream_rows step = {{0}, {0, 0}};
    uint32_t tile = simt_block(), next;

    stream_load(a, stream_begin(a, tile), &step, kind);
    if (simt_lane() == 0) {
        s.warp->earlier = s.warp->steps = s.warp->count = s.warp->count_earlier = 0;
        s.warp->total = s.warp->candidates = s.warp->listed = 0;
    }
    if (simt_thread() == 0) {
        stream_tickets[1] = tile_ticket(&a->scan) + simt_blocks();
        cursor.ahead = tile_ticket(&a->scan);
    }
    simt_barrier();
    next = stream_tickets[1];
    while (SIMT_BOUND(tile < a->scan.tile_count)) {
        int dense = stream_tile(a, tile, next, &step, kind, &s, &totals.count);
        uint32_t third;

        stream_end(a, &s, &cursor, tile, kind, dense, &third);
        tile = next;
        next = third;
    }
    if (!stream_decides(kind)) {
        (void)stream_drain(a, &s);
        stream_sum(&s, 0);
        totals.count = simt_lane() == 0 ? s.warp->total : 0;
        totals.candidates = simt_lane() == 0 ? s.warp->candidates : 0;
    }
    totals.dense_count = simt_lane() == 0 ? s.warp->listed : 0;
    tile_finish(&a->scan, &totals, cursor.ahead == UINT32_MAX ? UINT64_MAX : 0);
}

#endif
