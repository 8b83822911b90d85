/* sets: what the kernels of stream_set.cu share: their tables and queues.
 *
 * The first queue holds samples that passed the bitmap: with their hashes, or, where few pass,
 * their numbers alone. Those whose bits the 64-bit words have go on to the second queue, and from
 * there to the chains.
 */
#ifndef TRAWL_CUDA_KERNELS_SETS_H
#define TRAWL_CUDA_KERNELS_SETS_H

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
 * bits of a hash that lie above their lowest. With the bytes from the fifth on, shifted up, many
 * grams of 6 or 7 would have one hash. */
SIMT_FUNCTION uint32_t sets_last_word(const struct scan_arguments *a, uint32_t low, uint32_t high)
{
    return simt_funnel_clamp(low, high, 8u * a->sets.gram_bytes - 32u);
}

/* What an entry's key adds to the hash of its gram: a hash of up to four bytes before the gram and
 * up to four after it, those that the window of the gram's literal has too. `before` has them at
 * its upper end, `after` at its lower end. */
SIMT_FUNCTION uint32_t sets_tag(const struct scan_arguments *a, uint32_t offset, uint32_t before,
                                uint32_t after)
{
    uint32_t more = a->sets.stride - 1u - offset;

    if (!a->sets.tagged)
        return 0;
    before = offset == 0 ? 0 : offset >= 4u ? before : before >> (32u - 8u * offset);
    after = more >= 4u ? after : after & ((1u << 8u * more) - 1u);
    return sets_mix(before * 0x7feb352du) + sets_mix(after * 0x846ca68bu);
}

/* The tag of the gram at byte `at` of the literals. */
SIMT_FUNCTION uint32_t sets_literal_tag(const struct scan_arguments *a, uint64_t at,
                                        uint32_t offset)
{
    uint32_t bytes = offset < 4u ? offset : 4u;
    uint32_t before = sets_literal_gram(a, at - bytes).w[0];

    return sets_tag(a, offset, bytes == 0 ? 0 : before << (32u - 8u * bytes),
                    sets_literal_gram(a, at + a->sets.gram_bytes).w[0]);
}

/* ---- Hashes of the text ------------------------------------------------------------------ */

/* The 4 bytes at byte j of the lane's words: constant once unrolled. */
SIMT_FUNCTION uint32_t sets_text_word(const uint32_t *w, uint32_t j)
{
    return j % 4u == 0 ? w[j / 4u] : simt_funnel(w[j / 4u], w[j / 4u + 1u], j % 4u * 8u);
}

/* Is a gram with this hash likely to be one of the set's? The lowest bit says so. */
SIMT_FUNCTION uint32_t sets_pass(const struct scan_arguments *a, const uint32_t *filter,
                                 uint32_t hash)
{
    uint32_t word = filter[sets_filter_word(a, hash)];

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

/* The hash of the gram at `place`, from memory. */
SIMT_FUNCTION uint32_t sets_text_hash(const struct scan_arguments *a, uint64_t place,
                                      uint32_t words)
{
    uint64_t low = tile_text_word(a, place), high = words > 2u ? tile_text_word(a, place + 8u) : 0;
    uint32_t w[4];

    w[0] = (uint32_t)low | a->sets.fold;
    w[1] = (uint32_t)(low >> 32) | a->sets.fold;
    w[2] = (uint32_t)high | a->sets.fold;
    w[3] = (uint32_t)(high >> 32) | a->sets.fold;
    return sets_hash(a, w, 0, words);
}

/* ---- Queues ----------------------------------------------------------------------------- */

/* Where an entry's sample is. */
SIMT_FUNCTION uint64_t sets_place(const struct scan_arguments *a, uint64_t entry)
{
    return a->position + ((uint64_t)(uint32_t)entry << a->sets.stride_log2);
}

/* Does the literal stand where the entry proposes it? */
SIMT_FUNCTION int sets_matches(const struct scan_arguments *a, uint64_t place, uint32_t entry,
                               uint64_t *x, uint32_t *literal, uint32_t *cost)
{
    uint32_t index = entry >> a->sets.stride_log2;
    struct simt_u32x4 record = simt_load_u32x4(a->sets.literals + 4u * (uint64_t)index);
    uint32_t offset = record.w[2] + (entry - (index << a->sets.stride_log2));

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
    uint32_t hash = 0, found = 0, looked = 0, before = 0, after = 0;

    if (SIMT_BOUND(simt_lane() < count)) {
        uint64_t entry = warp->second[from + simt_lane()];

        hash = (uint32_t)(entry >> 32);
        place = sets_place(a, entry);
        chain = simt_load_far_u64(a->sets.heads + sets_head(a, sets_mix(hash)));
        if (a->sets.tagged &&
            SIMT_BOUND(place < a->text_end)) { /* beyond it a sample may be of zeros */
            before = (uint32_t)(place >= 4u ? tile_text_word(a, place - 4u)
                                            : tile_text_word(a, 0) << 8u * (4u - place));
            after = (uint32_t)tile_text_word(a, place + a->sets.gram_bytes);
        }
    }
    while (spent <= most && simt_ballot(chain != SCAN_SETS_END) != 0) {
        uint32_t literal = 0, cost = 0;
        uint64_t x = 0;

        if (chain != SCAN_SETS_END) {
            uint64_t following = simt_load_far_u64(a->sets.next + (uint32_t)chain);

            cost = 1;
            if ((uint32_t)(chain >> 32) ==
                hash + sets_tag(a, (uint32_t)chain & (a->sets.stride - 1u), before, after)) {
                looked++;
                if (sets_matches(a, place, (uint32_t)chain, &x, &literal, &cost)) {
                    sets_found(a, x, literal);
                    found++;
                }
            }
            chain = following;
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

/* A warp's entry of the first queue. Where little passes the bitmap (`rare`), it is a sample's
 * number alone, and the gram is read again. */
SIMT_FUNCTION uint64_t sets_entry(const struct scan_arguments *a, const struct sets_warp *warp,
                                  uint32_t at, uint32_t words, int rare)
{
    uint32_t sample;

    if (!rare)
        return warp->first[at];
    sample = ((const uint32_t *)(const void *)warp->first)[at];
    return (uint64_t)sets_text_hash(a, sets_place(a, sample), words) << 32 | sample;
}

/* Take `count` <= 64 entries of the first queue, from `from` on: those whose bits the words have go
 * to the second. */
SIMT_FUNCTION void sets_look_up(const struct scan_arguments *a, struct sets_warp *warp,
                                uint32_t from, uint32_t count, uint64_t most, uint32_t words,
                                int rare)
{
    uint64_t entries[2] = {0, 0}, found[2] = {0, 0};
    uint32_t queued;

    simt_warp_sync(); /* written before others read */
    SIMT_UNROLL
    for (uint32_t k = 0; k < 2u; k++) {
        uint32_t own = k * SIMT_WARP_THREADS + simt_lane();

        if (SIMT_BOUND(own < count))
            entries[k] = sets_entry(a, warp, from + own, words, rare);
    }
    SIMT_UNROLL
    for (uint32_t k = 0; k < 2u; k++)
        if (k * SIMT_WARP_THREADS + simt_lane() < count)
            found[k] = simt_load_far_u64(
                a->sets.table + sets_table_word(a, sets_mix((uint32_t)(entries[k] >> 32))));
    queued = warp->second_count;
    SIMT_UNROLL
    for (uint32_t k = 0; k < 2u; k++)
        queued = sets_push_second(warp, queued, found[k], entries[k]);
    sets_verify_full(a, warp, queued, most);
}

/* What verification may have cost by now. */
SIMT_FUNCTION uint64_t sets_most(const struct scan_arguments *a, const struct sets_lane *s)
{
    return SCAN_SETS_BUDGET_MIN + (uint64_t)s->steps * a->sets.budget;
}

/* Look at what is queued, as long as there is more than `left`. */
SIMT_FUNCTION void sets_drain(const struct scan_arguments *a, struct sets_lane *s, uint32_t left,
                              uint32_t words, int rare)
{
    SIMT_ROLLED
    while (s->queued > left) {
        uint32_t count = s->queued < SETS_TAKE ? s->queued : SETS_TAKE;

        s->queued -= count;
        sets_look_up(a, s->warp, s->queued, count, sets_most(a, s), words, rare);
    }
}

#endif
