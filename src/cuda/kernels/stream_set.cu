/* stream_set: occurrences of a set of patterns, by a look at some bytes of each stride.
 *
 * Method     hashes the q bytes at every s-th position. Each pattern enters s grams, at the offsets
 *            from its window on, so that one sample proposes each occurrence (s <= m - q + 1).
 *            Three tables name the (pattern, offset) pairs with a sample's hash; each lets fewer
 *            pass:
 *
 *              text -> hash -> bitmap ---> first queue --> 64-bit words --> second queue --> chains
 *                              shared;     shared, per     L2; two bits     shared, per      heads,
 *                              1 or 2      warp; 64 at                      warp; 32 at      then
 *                              bits        a time                           a time           bytes
 *
 *            set_fill makes the tables on the device.
 * Grid       any; each warp begins with the tile of its number and draws the others from a ticket.
 *            One block per multiprocessor, so that the bitmap can be large.
 * Shared     dynamic: 2.3 KiB of queues per warp, and the bitmap.
 * Traffic    per text byte: reads 1 (with strides of 64 and more, a sector of 32 bytes per stride),
 *            and 1 / s words of shared memory. Per sample that passes the bitmap: 8 bytes of L2.
 *            Per sample that passes those: 8 bytes of heads, 16 of the literal, and bytes of both.
 * Bound      by the text's loads while few samples pass the bitmap, else by the lookups in L2.
 *            cost_of() in src/cuda/sets.c weighs stride, q and tables.
 * Progress   no block waits for another.
 * Order      none: a count, the first, or a bit per begin with an occurrence, from which hits_set
 *            lists.
 * Limits     want is SCAN_COUNT or SCAN_FIRST. A warp whose chains and comparisons cost more than
 *            the budget ends the launch; the host then runs automaton.
 * Lost       no bitmap, each sample looked up in L2: 0.15 instead of 0.21 of the read speed for
 *            1,000,000 patterns of 16 bytes. A bitmap no larger than the set needs, 16 words for
 *            four entries: 0.52 instead of 0.63 for 100 patterns at s = 4. Loads of the text at two
 *            positions of the code: they share a scoreboard [H200].
 * Source     the sampling rule in docs/kernels.md; two bits of one word: Putze, Sanders and
 *            Singler, "Cache-, hash- and space-efficient Bloom filters", 2009.
 */
#include "tile.h"

#define SETS_COST_BYTES 64u                /* that a lane compares for the cost of a chain's step */
#define SETS_TAKE (2u * SIMT_WARP_THREADS) /* of the first queue at a time */
#define SETS_LOADS 8u                      /* of a thread, of the bitmap, at a time */
#define SETS_SAMPLES 4u                    /* of a lane between two looks at the queue's length */

/* A warp's queues and sums, in shared memory. An entry: the sample's position from a->position on,
 * and above it the hash of its gram. */
struct sets_warp {
    uint64_t first[SCAN_SETS_FIRST];   /* passed the bitmap */
    uint64_t second[SCAN_SETS_SECOND]; /* passed the words too */
    uint64_t spent;                    /* on verification */
    uint64_t count;
    uint64_t candidates;
    uint32_t second_count;
    uint32_t gives_up;
};

/* What it has in registers. */
struct sets_lane {
    const uint32_t *filter;
    struct sets_warp *warp;
    uint32_t queued; /* in the first queue */
    uint32_t below;  /* the lanes below this one */
    uint32_t steps;  /* that were looked at */
};

struct sets_step {
    uint32_t w[4u * SCAN_SETS_ROWS];
    uint32_t behind[3];
};

/* ---- Tables ----------------------------------------------------------------------------- */

/* The words of a gram in a literal's bytes, byte `at` of them; there are 24 bytes more. */
SIMT_FUNCTION struct simt_u32x4 sets_literal_gram(const struct scan_arguments *a, uint64_t at)
{
    const uint64_t *from = a->literal_bytes + at / 8u;
    uint32_t shift_bits = (uint32_t)(at & 7u) * 8u;
    uint64_t low = simt_load_u64(from), mid = simt_load_u64(from + 1);
    struct simt_u32x4 gram;

    if (shift_bits != 0) {
        uint64_t high = simt_load_u64(from + 2);

        low = low >> shift_bits | mid << (64u - shift_bits);
        mid = mid >> shift_bits | high << (64u - shift_bits);
    }
    gram.w[0] = (uint32_t)low;
    gram.w[1] = (uint32_t)(low >> 32);
    gram.w[2] = (uint32_t)mid;
    gram.w[3] = (uint32_t)(mid >> 32);
    return gram;
}

/* The bitmap's word for a hash, and the two bits there, of which the lowest five bits count. */
SIMT_FUNCTION uint32_t sets_filter_word(const struct scan_arguments *a, uint32_t hash)
{
    return simt_high_u32(hash, a->sets.filter_words);
}

SIMT_FUNCTION uint32_t sets_bit(const struct scan_arguments *a, uint32_t hash, uint32_t which)
{
    return hash >> a->sets.bit_shifts[which];
}

SIMT_FUNCTION uint32_t sets_mix(uint32_t hash)
{
    hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
    return hash ^ hash >> 13;
}

SIMT_FUNCTION uint32_t sets_table_word(const struct scan_arguments *a, uint32_t mixed)
{
    return simt_high_u32(mixed, a->sets.table_words);
}

SIMT_FUNCTION uint64_t sets_table_bits(uint32_t mixed)
{
    uint32_t bits = mixed * 0x297a2d39u;

    return 1ull << (bits >> 26) | 1ull << (bits >> 20 & 63u);
}

SIMT_FUNCTION uint32_t sets_head(const struct scan_arguments *a, uint32_t mixed)
{
    return simt_high_u32(mixed * 0x85157af5u, a->sets.head_count);
}

/* The last four bytes of a gram of 4 to 8 in these words: as much as the first four they change all
 * bits of a hash that lie above their lowest. */
SIMT_FUNCTION uint32_t sets_last_word(const struct scan_arguments *a, uint32_t low, uint32_t high)
{
    return simt_funnel_clamp(low, high, 8u * a->sets.gram_bytes - 32u);
}

/* Enter each gram of each literal into the three tables. Bitmap and words are zeros, heads ones. */
SIMT_KERNEL(set_fill, scan_arguments, SCAN_THREADS_MAX, 1)
{
    uint64_t total = (uint64_t)args.sets.literal_count * args.sets.stride;
    uint64_t step = (uint64_t)simt_blocks() * simt_threads();
    uint64_t i = (uint64_t)simt_block() * simt_threads() + simt_thread();

    for (; SIMT_BOUND(i < total); i += step) {
        uint32_t literal = (uint32_t)(i / args.sets.stride), hash = 0, mixed;
        uint32_t *word;
        struct simt_u32x4 record = simt_load_u32x4(args.sets.literals + 4u * (uint64_t)literal);
        struct simt_u32x4 gram = sets_literal_gram(&args, (uint64_t)record.w[0] * 8u + record.w[2] +
                                                              i % args.sets.stride);
        uint64_t bits, old;

        for (uint32_t k = 0; k < 4u; k++)
            gram.w[k] |= args.sets.fold;
        if (args.sets.words == 2u)
            gram.w[1] = sets_last_word(&args, gram.w[0], gram.w[1]);
        for (uint32_t k = 0; k < args.sets.words; k++)
            hash += gram.w[k] * args.sets.factors[k];
        (void)simt_atomic_or_u32(args.sets.filter + sets_filter_word(&args, hash),
                                 1u << (sets_bit(&args, hash, 0) & 31u) |
                                     1u << (sets_bit(&args, hash, 1) & 31u));
        mixed = sets_mix(hash);
        bits = sets_table_bits(mixed);
        word = (uint32_t *)(void *)(args.sets.table + sets_table_word(&args, mixed));
        if ((uint32_t)bits != 0)
            (void)simt_atomic_or_u32(word, (uint32_t)bits);
        if ((uint32_t)(bits >> 32) != 0)
            (void)simt_atomic_or_u32(word + 1, (uint32_t)(bits >> 32));
        old = simt_atomic_exchange_u64(args.sets.heads + sets_head(&args, mixed),
                                       (uint64_t)hash << 32 | (uint32_t)i);
        simt_store_u64(args.sets.next + i, old);
    }
}

/* ---- Queues ----------------------------------------------------------------------------- */

/* Does the literal stand where the entry proposes it? */
SIMT_FUNCTION int sets_matches(const struct scan_arguments *a, uint64_t place, uint32_t entry,
                               uint64_t *x, uint32_t *literal, uint32_t *cost)
{
    uint32_t index = entry / a->sets.stride;
    struct simt_u32x4 record = simt_load_u32x4(a->sets.literals + 4u * (uint64_t)index);
    uint32_t offset = record.w[2] + (entry - index * a->sets.stride);

    *x = place - offset;
    *literal = record.w[3];
    if (place < a->begin + offset || !SIMT_BOUND(*x < a->limit) ||
        !SIMT_BOUND(record.w[1] <= a->text_end - *x))
        return 0;
    *cost += 1u + record.w[1] / SETS_COST_BYTES;
    return tile_equal(a, *x, a->literal_bytes + record.w[0], record.w[1]);
}

SIMT_FUNCTION void sets_found(const struct scan_arguments *a, uint64_t x, uint32_t literal)
{
    uint64_t bit = x - (a->begin & ~15ull);

    if (a->want == SCAN_FIRST)
        tile_lower_first(a, (x - a->begin) << 32 | literal);
    else if (a->marks != 0)
        (void)simt_atomic_or_u32(a->marks + bit / 32u, 1u << (bit & 31u));
}

/* Follow the chains of `count` <= 32 entries of the second queue, from `from` on. `most`: what all
 * of the warp's verification may have cost by now. */
SIMT_FUNCTION_LARGE void sets_verify(const struct scan_arguments *a, struct sets_warp *warp,
                                     uint32_t from, uint32_t count, uint64_t most)
{
    uint64_t chain = SCAN_SETS_END, place = 0, spent = warp->spent;
    uint32_t hash = 0, found = 0, looked = 0;

    if (SIMT_BOUND(simt_lane() < count)) {
        uint64_t entry = warp->second[from + simt_lane()];

        hash = (uint32_t)(entry >> 32);
        place = a->position + (uint32_t)entry;
        chain = simt_load_far_u64(a->sets.heads + sets_head(a, sets_mix(hash)));
    }
    while (spent <= most && simt_ballot(chain != SCAN_SETS_END) != 0) {
        uint32_t literal = 0, cost = 0;
        uint64_t x = 0;

        if (chain != SCAN_SETS_END) {
            cost = 1;
            if ((uint32_t)(chain >> 32) == hash) {
                looked++;
                if (sets_matches(a, place, (uint32_t)chain, &x, &literal, &cost)) {
                    sets_found(a, x, literal);
                    found++;
                }
            }
            chain = simt_load_far_u64(a->sets.next + (uint32_t)chain);
        }
        spent += simt_warp_sum_u32(cost);
    }
    found = simt_warp_sum_u32(found);
    looked = simt_warp_sum_u32(looked);
    simt_warp_sync(); /* read by all before it is written */
    if (simt_lane() == 0) {
        warp->spent = spent;
        warp->count += found;
        warp->candidates += looked;
        warp->gives_up |= spent > most; /* and stays so: what was left out is lost */
        warp->second_count = from;
    }
    simt_warp_sync(); /* written before others read */
}

/* Append those of the lanes' entries whose bits the words have to the second queue, of `queued`.
 * Returns how many there are then. */
SIMT_FUNCTION uint32_t sets_push_second(struct sets_warp *warp, uint32_t queued, uint64_t word,
                                        uint64_t entry)
{
    uint64_t bits = sets_table_bits(sets_mix((uint32_t)(entry >> 32)));
    int pass = (word & bits) == bits;
    uint32_t lanes = simt_ballot(pass);

    if (pass)
        warp->second[queued + simt_popcount(lanes & ((1u << simt_lane()) - 1u))] = entry;
    return queued + simt_popcount(lanes);
}

/* The second queue has `queued` entries now: follow the chains of as many as fill the warp. */
SIMT_FUNCTION void sets_verify_full(const struct scan_arguments *a, struct sets_warp *warp,
                                    uint32_t queued, uint64_t most)
{
    simt_warp_sync(); /* read by all before it is written, and entries written before others read */
    if (simt_lane() == 0)
        warp->second_count = queued;
    SIMT_ROLLED
    for (; queued >= SIMT_WARP_THREADS; queued -= SIMT_WARP_THREADS)
        sets_verify(a, warp, queued - SIMT_WARP_THREADS, SIMT_WARP_THREADS, most);
    simt_warp_sync();
}

/* Take `count` <= 64 entries of the first queue, from `from` on: those whose bits the words have go
 * to the second. */
SIMT_FUNCTION void sets_look_up(const struct scan_arguments *a, struct sets_warp *warp,
                                uint32_t from, uint32_t count, uint64_t most)
{
    uint64_t entries[2] = {0, 0}, words[2] = {0, 0};
    uint32_t queued;

    simt_warp_sync(); /* written before others read */
    queued = warp->second_count;
    SIMT_UNROLL
    for (uint32_t k = 0; k < 2u; k++) {
        uint32_t own = k * SIMT_WARP_THREADS + simt_lane();

        if (SIMT_BOUND(own < count)) {
            entries[k] = warp->first[from + own];
            words[k] = simt_load_far_u64(
                a->sets.table + sets_table_word(a, sets_mix((uint32_t)(entries[k] >> 32))));
        }
    }
    SIMT_UNROLL
    for (uint32_t k = 0; k < 2u; k++)
        queued = sets_push_second(warp, queued, words[k], entries[k]);
    sets_verify_full(a, warp, queued, most);
}

/* The same, not inlined: a call waits for the text's loads in flight, an inlined function does not.
 * */
SIMT_FUNCTION_LARGE void sets_look_up_apart(const struct scan_arguments *a, struct sets_warp *warp,
                                            uint32_t from, uint32_t count, uint64_t most)
{
    sets_look_up(a, warp, from, count, most);
}

/* What verification may have cost by now. */
SIMT_FUNCTION uint64_t sets_most(const struct scan_arguments *a, const struct sets_lane *s)
{
    return SCAN_SETS_BUDGET_MIN + (uint64_t)s->steps * a->sets.budget;
}

/* Look at all that is queued. */
SIMT_FUNCTION void sets_drain(const struct scan_arguments *a, struct sets_lane *s)
{
    uint32_t left;

    SIMT_ROLLED
    for (; s->queued > SETS_TAKE; s->queued -= SETS_TAKE)
        sets_look_up_apart(a, s->warp, s->queued - SETS_TAKE, SETS_TAKE, sets_most(a, s));
    sets_look_up_apart(a, s->warp, 0, s->queued, sets_most(a, s));
    s->queued = 0;
    left = s->warp->second_count;
    sets_verify(a, s->warp, 0, left, sets_most(a, s));
}

/* ---- Rows of 16 bytes per lane ---------------------------------------------------------- */

/* Words beyond a lane's own 16 bytes that the grams of `words` words at every stride-th position
 * reach. */
SIMT_FUNCTION uint32_t sets_behind(uint32_t stride, uint32_t words)
{
    if (stride >= 16u)
        return 0;
    return (16u - stride + 4u * words + 3u) / 4u - 4u;
}

/* The 4 bytes at byte j of the lane's words: constant once unrolled. */
SIMT_FUNCTION uint32_t sets_text_word(const uint32_t *w, uint32_t j)
{
    return j % 4u == 0 ? w[j / 4u] : simt_funnel(w[j / 4u], w[j / 4u + 1u], j % 4u * 8u);
}

/* Row k of the step and what is after each lane's 16 bytes, which the lane above has. All lanes of
 * the warp. */
SIMT_FUNCTION void sets_row_words(const struct sets_step *step, uint32_t k, uint32_t rows,
                                  uint32_t behind, uint32_t *w)
{
    const uint32_t *next = step->w + 4u * (k + 1u < SCAN_SETS_ROWS ? k + 1u : k);

    SIMT_UNROLL
    for (uint32_t i = 0; i < 4u; i++)
        w[i] = step->w[4u * k + i];
    SIMT_UNROLL
    for (uint32_t i = 0; i < behind; i++) {
        uint32_t given = k + 1u < rows && simt_lane() == 0 ? next[i] : step->w[4u * k + i];
        uint32_t got = simt_shuffle_u32(given, (simt_lane() + 1u) % SIMT_WARP_THREADS);

        w[4u + i] = k + 1u == rows && simt_lane() == SIMT_WARP_THREADS - 1u ? step->behind[i] : got;
    }
}

/* Is a gram with this hash likely to be one of the set's? The lowest bit says so. */
SIMT_FUNCTION uint32_t sets_pass(const struct scan_arguments *a, const struct sets_lane *s,
                                 uint32_t hash)
{
    uint32_t word = s->filter[sets_filter_word(a, hash)];

    return simt_funnel(word, word, sets_bit(a, hash, 0)) &
           simt_funnel(word, word, sets_bit(a, hash, 1));
}

SIMT_FUNCTION uint32_t sets_hash(const struct scan_arguments *a, const uint32_t *w, uint32_t j,
                                 uint32_t words)
{
    uint32_t hash = 0;

    if (words == 2u) {
        uint32_t first = sets_text_word(w, j);

        return first * a->sets.factors[0] +
               sets_last_word(a, first, sets_text_word(w, j + 4u)) * a->sets.factors[1];
    }
    SIMT_UNROLL
    for (uint32_t k = 0; k < words; k++)
        hash += sets_text_word(w, j + 4u * k) * a->sets.factors[k];
    return hash;
}

SIMT_FUNCTION void sets_push(struct sets_lane *s, int pass, uint32_t place, uint32_t hash)
{
    uint32_t lanes = simt_ballot(pass);

    if (pass)
        s->warp->first[s->queued + simt_popcount(lanes & s->below)] = (uint64_t)hash << 32 | place;
    s->queued += simt_popcount(lanes);
}

/* Look at a row: queue the samples that pass; `place` is that of the lane's first byte, from
 * a->position on. Where little passes (`rare`), nothing is queued but after a vote whether there is
 * anything. */
SIMT_FUNCTION void sets_row(const struct scan_arguments *a, struct sets_lane *s, const uint32_t *w,
                            uint32_t place, uint32_t stride, uint32_t words, int rare)
{
    uint32_t hashes[16], passes[16], count = stride >= 16u ? 1u : 16u / stride, any = 0;

    SIMT_UNROLL
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = sets_hash(a, w, i * stride, words);
        passes[i] = sets_pass(a, s, hashes[i]);
        any |= passes[i];
    }
    /* Opaque, or each pass becomes a comparison. */
    if (rare && simt_ballot((simt_opaque_u32(any) & 1u) != 0) == 0)
        return;
    SIMT_UNROLL
    for (uint32_t i = 0; i < count; i++) {
        sets_push(s, (passes[i] & 1u) != 0, place + i * stride, hashes[i]);
        if ((i + 1u) % SETS_SAMPLES != 0 && i + 1u < count)
            continue;
        SIMT_ROLLED
        for (; s->queued >= SETS_TAKE; s->queued -= SETS_TAKE) {
            if (rare)
                sets_look_up_apart(a, s->warp, s->queued - SETS_TAKE, SETS_TAKE, sets_most(a, s));
            else
                sets_look_up(a, s->warp, s->queued - SETS_TAKE, SETS_TAKE, sets_most(a, s));
        }
    }
}

/* ---- Steps and tiles -------------------------------------------------------------------- */

/* Issue the loads of the step at `place` of the text; where not all of it lies in the text, of what
 * does. */
SIMT_FUNCTION void sets_load(const struct scan_arguments *a, uint64_t place, uint32_t apart,
                             uint32_t rows, uint32_t behind, struct sets_step *to)
{
    uint32_t row_bytes = apart * SIMT_WARP_THREADS;
    uint64_t own = place + apart * simt_lane();
    const uint8_t *at = a->text + own;

    SIMT_UNROLL
    for (uint32_t i = 0; i < behind; i++)
        to->behind[i] = 0;
    if (SIMT_BOUND(place + rows * row_bytes <= a->text_end)) {
        SIMT_UNROLL
        for (uint32_t k = 0; k < rows; k++) {
            struct simt_u32x4 row =
                simt_load_once_u32x4((const uint32_t *)(const void *)(at + k * row_bytes));

            SIMT_UNROLL
            for (uint32_t i = 0; i < 4u; i++)
                to->w[4u * k + i] = row.w[i];
        }
        if (behind != 0 && simt_lane() == SIMT_WARP_THREADS - 1u) {
            struct simt_u32x4 more = simt_load_u32x4(
                (const uint32_t *)(const void *)(a->text + place + rows * row_bytes));

            SIMT_UNROLL
            for (uint32_t i = 0; i < behind; i++)
                to->behind[i] = more.w[i];
        }
        return;
    }
    SIMT_UNROLL
    for (uint32_t k = 0; k < rows; k++) {
        struct simt_u32x4 row = {{0, 0, 0, 0}};

        if (SIMT_BOUND(own + k * row_bytes < a->text_end))
            row = simt_load_once_u32x4((const uint32_t *)(const void *)(at + k * row_bytes));
        SIMT_UNROLL
        for (uint32_t i = 0; i < 4u; i++)
            to->w[4u * k + i] = row.w[i];
    }
}

SIMT_FUNCTION uint64_t sets_begin(const struct scan_arguments *a, uint64_t tile)
{
    return a->position + tile * a->tile_bytes;
}

/* Look at the step at `at`. */
SIMT_FUNCTION void sets_look(const struct scan_arguments *a, struct sets_lane *s,
                             const struct sets_step *step, uint64_t at, uint32_t apart,
                             uint32_t stride, uint32_t words, uint32_t rows, int rare)
{
    uint32_t w[SCAN_SETS_ROWS][7], behind = sets_behind(stride, words);
    uint32_t first = (uint32_t)(at - a->position) + simt_lane() * apart;
    uint32_t row_bytes = SIMT_WARP_THREADS * apart;

    s->steps++;
    /* One word of the neighbour's fetched for all rows at once, so that no row waits for it; more
     * would take too many registers. */
    SIMT_UNROLL
    for (uint32_t k = 0; k < rows && behind == 1u; k++)
        sets_row_words(step, k, rows, behind, w[k]);
    SIMT_UNROLL
    for (uint32_t k = 0; k < rows; k++) {
        if (behind != 1u)
            sets_row_words(step, k, rows, behind, w[k]);
        SIMT_UNROLL
        for (uint32_t i = 0; i < 4u + behind && !rare; i++)
            w[k][i] |= a->sets.fold;
        sets_row(a, s, w[k], first + k * row_bytes, stride, words, rare);
    }
}

/* All of a tile; `next` is the one that the warp takes then. The loads of a step are issued before
 * the one before it is looked at. They stand at one place of the code: a look waits for all loads
 * that the compiler counts by the same counter, and two places would share one. */
SIMT_FUNCTION void sets_tile(const struct scan_arguments *a, struct sets_lane *s, uint32_t tile,
                             uint32_t next, struct sets_step *ahead, uint32_t stride,
                             uint32_t words, uint32_t rows, int rare)
{
    uint32_t apart = stride >= 16u ? a->sets.stride : 16u;
    uint32_t step_bytes = rows * SIMT_WARP_THREADS * apart;
    uint64_t at = sets_begin(a, tile);

    SIMT_ROLLED
    for (uint32_t left = a->tile_steps; left != 0; left--) {
        uint64_t following = left > 1u ? at + step_bytes : sets_begin(a, next);
        struct sets_step step = *ahead;

        sets_load(a, following, apart, rows, sets_behind(stride, words), ahead);
        sets_look(a, s, &step, at, apart, stride, words, rows, rare);
        at = following;
    }
}

/* Is the tile behind the first occurrence found so far? One thread. */
SIMT_FUNCTION int sets_is_behind(const struct scan_arguments *a, uint64_t tile)
{
    uint64_t from = a->position + tile * a->tile_bytes;

    return from > a->begin + a->sets.offset_max &&
           (SCAN_NONE - simt_read_u64(&a->result->nearest)) >> 32 <
               from - a->begin - a->sets.offset_max;
}

/* Each warp draws tiles for itself, and waits for no other. Returns the lane's last ticket. */
SIMT_FUNCTION uint32_t sets_tiles(const struct scan_arguments *a, struct sets_lane *s,
                                  uint32_t stride, uint32_t words, uint32_t rows, int rare)
{
    uint32_t apart = stride >= 16u ? a->sets.stride : 16u, ahead = 0;
    uint32_t warps = simt_threads() / SIMT_WARP_THREADS, first = simt_blocks() * warps;
    uint32_t tile = simt_block() * warps + simt_warp(), next;
    struct sets_step step;

    sets_load(a, sets_begin(a, tile), apart, rows, sets_behind(stride, words), &step);
    if (simt_lane() == 0)
        ahead = tile_ticket(a);
    next = simt_shuffle_u32(ahead, 0) + first;
    if (simt_lane() == 0)
        ahead = tile_ticket(a);
    while (SIMT_BOUND(tile < a->tile_count)) {
        uint64_t listed = simt_lane() == 0 ? simt_hint_u64(&a->result->listed) : 0;
        uint32_t third;

        sets_tile(a, s, tile, next, &step, stride, words, rows, rare);
        if (a->want == SCAN_FIRST)
            sets_drain(a, s);
        if (s->warp->gives_up != 0)
            break;
        third = ahead + first;
        if (simt_lane() == 0) {
            if (listed > a->listed_max || (a->want == SCAN_FIRST && sets_is_behind(a, third)))
                third = a->tile_count;
            ahead = tile_ticket(a);
        }
        tile = next;
        next = simt_shuffle_u32(third, 0);
    }
    if (s->warp->gives_up == 0)
        sets_drain(a, s);
    /* Waited for as the tickets are, or it might come after the last block's zeros. */
    if (s->warp->gives_up != 0 && simt_lane() == 0)
        ahead |= simt_atomic_add_u64(&a->result->listed, a->listed_max + 1u) > UINT32_MAX;
    return ahead;
}

/* All of the block, several loads in flight. */
SIMT_FUNCTION void sets_load_filter(const struct scan_arguments *a, uint32_t *filter)
{
    uint32_t count = a->sets.filter_words, step = 4u * simt_threads();

    for (uint32_t i = 4u * simt_thread(); i < count; i += SETS_LOADS * step) {
        struct simt_u32x4 loaded[SETS_LOADS];

        SIMT_UNROLL
        for (uint32_t k = 0; k < SETS_LOADS; k++)
            if (SIMT_BOUND(i + k * step < count))
                loaded[k] = simt_load_u32x4(a->sets.filter + i + k * step);
        SIMT_UNROLL
        for (uint32_t k = 0; k < 4u * SETS_LOADS; k++)
            if (i + k / 4u * step < count)
                filter[i + k / 4u * step + k % 4u] = loaded[k / 4u].w[k % 4u];
    }
}

SIMT_FUNCTION void sets_stream(const struct scan_arguments *a, uint32_t stride, uint32_t words,
                               uint32_t rows, int rare)
{
    /* The bitmap first: at an address that the compiler knows. */
    SIMT_SHARED_DYNAMIC(uint64_t, sets_memory, a->sets.shared_bytes);
    struct sets_warp *warps = (struct sets_warp *)(void *)(sets_memory + a->sets.filter_words / 2u);
    struct tile_totals totals = {0, 0, 0};
    struct sets_lane s;
    uint32_t asked;

    s.filter = (uint32_t *)(void *)sets_memory;
    s.warp = warps + simt_warp();
    s.queued = s.steps = 0;
    s.below = (1u << simt_lane()) - 1u;
    if (simt_lane() == 0) {
        s.warp->spent = s.warp->count = s.warp->candidates = 0;
        s.warp->second_count = s.warp->gives_up = 0;
    }
    sets_load_filter(a, (uint32_t *)(void *)sets_memory);
    simt_barrier();
    asked = sets_tiles(a, &s, stride, words, rows, rare);
    totals.count = simt_lane() == 0 ? s.warp->count : 0;
    totals.candidates = simt_lane() == 0 ? s.warp->candidates : 0;
    totals.floods = simt_lane() == 0 ? s.warp->gives_up : 0;
    tile_finish(a, &totals, asked == UINT32_MAX ? UINT64_MAX : 0);
}

/* A kernel per form: each takes the registers that it needs. Where little passes the bitmap, and
 * where much does. */
#define SETS_KERNELS(stride, words)                                                              \
    SIMT_KERNEL(stream_set_##stride##_##words, scan_arguments, SCAN_SETS_THREADS, 1)             \
    {                                                                                            \
        sets_stream(&args, stride##u, words##u, SCAN_SETS_ROWS, 1);                              \
    }                                                                                            \
    SIMT_KERNEL(stream_set_dense_##stride##_##words, scan_arguments, SCAN_SETS_DENSE_THREADS, 1) \
    {                                                                                            \
        sets_stream(&args, stride##u, words##u, SCAN_SETS_DENSE_ROWS, 0);                        \
    }
SCAN_SETS_FORMS(SETS_KERNELS)
#undef SETS_KERNELS
