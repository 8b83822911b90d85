/* analyse: measures the bytes of literals, and how often they occur in a sample of a text. */
#include "plan/analyse.h"

#include <string.h>

#include "base/checked.h"
#include "plan/prices.def"
#include "plan/sampler.h"

/* Sizes of tables and steps of algorithms; the numbers that measurements depend on are in
 * prices.def. */
/* distance between positions of a sample that are examined in succession; a prime */
#define SEEN_JUMP 1009u
#define ROOT_STEPS 40u /* steps of Newton's method: enough for roots of 1e-10 to 1e10 */
#define RESIDUES 8u    /* number of residues, the values of a byte's low three bits */

double analyse_log2(double value)
{
    double bits = 0;

    TRAWL_ASSERT(value >= 1);
    while (value >= 2) {
        value /= 2;
        bits++;
    }
    return bits + (value - 1);
}

double analyse_root(double value)
{
    double x = value > 1 ? value : 1;

    for (uint32_t i = 0; i < ROOT_STEPS; i++)
        x = (x + value / x) / 2;
    return x;
}

double analyse_power(double base, uint32_t exponent)
{
    double power = 1;

    while (exponent-- > 0)
        power *= base;
    return power;
}

/* Sets each byte value's fraction of at most COUNTED_BYTES of the bytes, evenly spaced. The
 * distance is odd, since many strings have an even length. */
static void share_bytes(const uint8_t *bytes, uint64_t count, double share[256])
{
    uint64_t step = (count / COUNTED_BYTES) | 1, looked = (count + step - 1) / step;

    memset(share, 0, 256 * sizeof *share);
    for (uint64_t i = 0; i < count; i += step)
        share[bytes[i]]++;
    for (uint32_t byte = 0; byte < 256; byte++)
        share[byte] /= (double)looked;
}

double analyse_byte_bits(const uint8_t *bytes, uint64_t count, uint32_t *values)
{
    double share[256], bits = 0;

    share_bytes(bytes, count, share);
    *values = 0;
    for (uint32_t byte = 0; byte < 256; byte++)
        if (share[byte] > 0) {
            bits += share[byte] * analyse_log2(1 / share[byte]);
            ++*values;
        }
    return bits;
}

uint64_t analyse_rare_bytes(const uint8_t *bytes, uint64_t count, const struct byte_rates *rates)
{
    /* rates of the four-byte sequences at four consecutive offsets */
    double best_rate = 1e9, rate[4] = {0};
    uint64_t best = 0;

    TRAWL_ASSERT(count >= 7);
    for (uint64_t o = 0; o + 4 <= count; o++) {
        double sum;

        rate[3] = rates->rate[bytes[o]] * rates->rate[bytes[o + 1]] * rates->rate[bytes[o + 2]] *
                  rates->rate[bytes[o + 3]];
        sum = rate[0] + rate[1] + rate[2] + rate[3];
        if (o >= 3 && sum < best_rate) {
            best_rate = sum;
            best = o - 3;
        }
        for (uint32_t i = 0; i < 3; i++)
            rate[i] = rate[i + 1];
    }
    return best;
}

/* Fills the members residues, begun and carried; the grams begin at bytes[0 .. stride - 1]. */
static void fill_residues(const uint8_t *bytes, struct plan_grams *grams)
{
    uint8_t begun[PLAN_GRAM_BYTES] = {0}, carried[PLAN_GRAM_BYTES] = {0};

    TRAWL_ASSERT(grams->stride > 0 && PLAN_GRAM_BYTES % grams->stride == 0);
    TRAWL_ASSERT(grams->q > 0 && grams->q <= PLAN_GRAM_BYTES);
    memset(grams->residues, 0xff, sizeof grams->residues);
    for (uint32_t b = 0; b < PLAN_GRAM_BYTES; b++) {
        uint32_t begin = b - b % grams->stride, o = grams->stride - 1 - b % grams->stride;
        uint8_t may = (uint8_t) ~(1u << b);

        for (uint32_t j = 0; j < PLAN_GRAM_BYTES; j++) {
            /* which byte of the gram byte j of the word is */
            uint32_t i = (j - begin) % PLAN_GRAM_BYTES;

            if (j >= begin)
                begun[b] |= (uint8_t)(0x80u >> j);
            else
                carried[b] |= (uint8_t)(0x80u >> j);
            for (uint32_t residue = 0; residue < RESIDUES; residue++)
                if (i >= grams->q || bytes[o + i] % RESIDUES == residue)
                    grams->residues[RESIDUES * j + residue] &= may;
        }
    }
    memcpy(&grams->begun, begun, sizeof begun);
    memcpy(&grams->carried, carried, sizeof carried);
}

/* Computes the expected fraction of text bytes with each residue (a byte's low three bits). Divides
 * by the sum of the rates, which rates_from_literal may have raised above 1. With `fold`, the rates
 * of A-Z are already included in those of a-z. */
static void residue_shares(const struct byte_rates *rates, bool fold, double share[RESIDUES])
{
    double total = 0;

    for (uint32_t byte = 0; byte < 256; byte++) {
        if (fold && byte >= 'A' && byte <= 'Z')
            continue;
        share[byte % RESIDUES] += rates->rate[byte];
        total += rates->rate[byte];
    }
    for (uint32_t residue = 0; residue < RESIDUES; residue++)
        share[residue] /= total;
}

double analyse_grams(const uint8_t *bytes, uint64_t count, bool fold,
                     const struct byte_rates *rates, uint32_t stride, struct plan_grams *grams)
{
    uint64_t q, offsets, best = 0;
    double share[RESIDUES] = {0}, last[PLAN_GRAM_STRIDE_MAX] = {0}, rate = 0, best_rate = 1e9;

    if (stride == 0 || count + 1 < stride + ANALYSE_GRAM_MIN)
        /* fewer than `stride` offsets have a gram of 4 bytes; with shorter grams, the search would
         * have to verify too many positions */
        return 1;
    q = min_u64(count - stride + 1, PLAN_GRAM_BYTES);
    offsets = min_u64(count - stride - q + 2, OFFSETS_MAX);
    residue_shares(rates, fold, share);
    for (uint64_t o = 0; o < offsets + stride - 1; o++) {
        double one = 1;

        for (uint64_t i = 0; i < q; i++)
            one *= share[bytes[o + i] % RESIDUES];
        rate += one - last[o % stride];
        last[o % stride] = one;
        if (o + 1 >= stride && rate < best_rate) {
            best_rate = rate;
            best = o + 1 - stride;
        }
    }
    TRAWL_ASSERT(q >= ANALYSE_GRAM_MIN && best + stride - 1 + q <= count);
    grams->offset = best;
    grams->stride = stride;
    grams->q = (uint32_t)q;
    grams->fold = fold ? FOLD_ALL : 0;
    grams->keep = q < 8 ? (1ull << 8 * q) - 1 : UINT64_MAX;
    for (uint32_t o = 0; o < stride; o++) {
        grams->gram[o] = 0;
        memcpy(&grams->gram[o], bytes + best + o, q);
        grams->gram[o] = (grams->gram[o] | grams->fold) & grams->keep;
    }
    fill_residues(bytes + best, grams);
    return best_rate / stride; /* each gram is tested at every stride-th position only */
}

/* Enumerates a sample's positions in jumps, so that even the first few are spread over the whole
 * sample. */
struct seen_positions {
    uint64_t span; /* the positions are 0 to span - 1 */
    uint64_t left; /* number of positions not examined yet */
    uint64_t at;
};

/* Starts an enumeration of the positions that `bytes` bytes of the sample can be read from. */
static struct seen_positions positions_of(uint64_t sample_bytes, uint64_t bytes)
{
    uint64_t span = sample_bytes - bytes + 1;

    TRAWL_ASSERT(sample_bytes >= PLAN_SAMPLE_BYTES_MIN && bytes <= 16 && span > SEEN_JUMP);
    /* else only multiples of SEEN_JUMP would be examined, repeatedly */
    span -= span % SEEN_JUMP == 0;
    return (struct seen_positions){span, span / SEEN_STEP, 0};
}

static void position_next(struct seen_positions *positions)
{
    positions->left--;
    positions->at += SEEN_JUMP;
    if (positions->at >= positions->span)
        positions->at -= positions->span;
}

/* how often a piece that a sampler knows occurs at the examined positions of a sample */
struct seen {
    uint64_t places, found; /* positions examined, and those with a piece of the sampler */
    /* pieces found, counted by owners; those that pass is_deep; those within the whole literal */
    uint64_t named, deep, whole;
};

/* Returns true if a literal and the sample, which are known to agree in 16 bytes, also agree in the
 * next ANALYSE_DEEP_BYTES. */
static bool is_deep(const uint8_t *own, uint64_t own_left, const uint8_t *there,
                    uint64_t there_left, uint64_t fold)
{
    uint64_t end = min_u64(min_u64(own_left, there_left), 16 + ANALYSE_DEEP_BYTES), a, b;

    for (uint64_t i = 16; i + 8 <= end; i += 8) {
        memcpy(&a, own + i, sizeof a);
        memcpy(&b, there + i, sizeof b);
        if ((a | fold) != (b | fold))
            return false;
    }
    return true;
}

/* Returns true if all `count` bytes of a literal are in the sample around `at`, where it has the
 * literal's 16 bytes at offset `own`. */
static bool is_whole(const uint8_t *bytes, uint64_t count, uint64_t own, const uint8_t *sample,
                     uint64_t sample_bytes, uint64_t at, uint64_t fold)
{
    if (own > at || count > sample_bytes - (at - own))
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (((bytes[i] ^ sample[at - own + i]) & ~fold & 0xff) != 0)
            return false;
    return true;
}

/* Looks up positions of the sample in the sampler, until `max` are examined or SEEN_ENOUGH have a
 * piece. If `bytes` is not NULL, the pieces come from this literal of `count` bytes, and a piece's
 * owner is its offset there. */
static struct seen see(const struct sampler *sampler, const uint8_t *sample, uint64_t sample_bytes,
                       uint64_t max, const uint8_t *bytes, uint64_t count)
{
    struct seen_positions p = positions_of(sample_bytes, SAMPLER_Q_MAX);
    struct seen seen = {0, 0, 0, 0, 0};

    p.left = min_u64(p.left, max);
    for (; p.left > 0 && seen.found < SEEN_ENOUGH; position_next(&p), seen.places++) {
        uint64_t left = sample_bytes - p.at;
        uint32_t slot = sampler_slot(sampler, sampler_key(sampler, sample + p.at, left));
        uint64_t named = sampler->count[slot], own;

        if (named == 0)
            continue;
        own = sampler->owner[slot];
        seen.found++;
        seen.named += named;
        if (bytes == NULL || !is_deep(bytes + own, count - own, sample + p.at, left, sampler->fold))
            continue;
        seen.deep += named;
        if (count <= ANALYSE_WHOLE_BYTES &&
            is_whole(bytes, count, own, sample, sample_bytes, p.at, sampler->fold))
            seen.whole += named;
    }
    return seen;
}

double analyse_seen_grams(const uint8_t *sample, uint64_t sample_bytes,
                          const struct plan_grams *grams)
{
    struct sampler sampler;
    struct seen seen;

    TRAWL_ASSERT(sample_bytes >= PLAN_SAMPLE_BYTES_MIN && grams->q >= ANALYSE_GRAM_MIN);
    sampler_reset(&sampler, grams->stride, grams->q, grams->fold);
    for (uint32_t o = 0; o < grams->stride; o++)
        (void)sampler_add(&sampler, grams->gram[o], (uint16_t)o);
    seen = see(&sampler, sample, sample_bytes, UINT64_MAX, NULL, 0);
    return (double)seen.named / (double)seen.places / grams->stride;
}

/* A table of the first windows, in which the sample's positions are looked up, is faster than the
 * reverse: most look-ups find a free slot, as the processor predicts. Only if the sample has all of
 * these windows, it is put into the table, and the windows that follow are looked up. */
uint64_t analyse_seen_window(const uint8_t *bytes, uint64_t count, bool fold,
                             const struct byte_rates *rates, const uint8_t *sample,
                             uint64_t sample_bytes, double *rate)
{
    const struct seen_positions all = positions_of(sample_bytes, 8);
    uint64_t near = min_u64(count - 7, SEEN_WINDOWS_MAX), best = 0, examined = all.left;
    uint32_t min = UINT32_MAX;
    uint16_t found[SEEN_WINDOWS_MAX] = {0}; /* positions with the window, by its owner */
    struct sampler sampler;
    double lowest = 0;

    TRAWL_ASSERT(count >= 8 && examined <= SAMPLER_PIECES_MAX);
    sampler_reset(&sampler, near, 8, fold ? FOLD_ALL : 0);
    for (uint64_t o = near; o-- > 0;)
        (void)sampler_add(&sampler, sampler_key(&sampler, bytes + o, count - o), (uint16_t)o);
    for (struct seen_positions p = all; p.left > 0; position_next(&p)) {
        uint64_t key = sampler_key(&sampler, sample + p.at, sample_bytes - p.at);
        uint32_t slot = sampler_slot(&sampler, key);

        if (sampler.count[slot] > 0)
            found[sampler.owner[slot]]++;
    }
    for (uint64_t o = 0; o < near || (min > 0 && o + 8 <= min_u64(count, SEEN_FAR_MAX)); o++) {
        uint64_t key = sampler_key(&sampler, bytes + o, count - o);
        uint32_t slot, often;
        double cost = 1;

        if (o == near) {
            sampler_reset(&sampler, all.left, 8, sampler.fold);
            for (struct seen_positions p = all; p.left > 0; position_next(&p))
                (void)sampler_add(&sampler,
                                  sampler_key(&sampler, sample + p.at, sample_bytes - p.at),
                                  (uint16_t)p.left);
        }
        slot = sampler_slot(&sampler, key);
        often = o < near ? found[sampler.owner[slot]] : sampler.count[slot];
        if (often > min || (often == min && o >= near))
            continue;
        for (uint32_t i = 0; i < 8; i++)
            cost *= rates->rate[bytes[o + i]];
        if (often < min || cost < lowest) {
            best = o;
            lowest = cost;
        }
        min = often;
    }
    *rate = (double)min / (double)examined;
    return best;
}

double analyse_seen_rate(const uint8_t *bytes, bool fold, const uint8_t *sample,
                         uint64_t sample_bytes)
{
    uint64_t found = 0, key;
    struct sampler sampler;

    TRAWL_ASSERT(sample_bytes >= PLAN_SAMPLE_BYTES_MIN);
    sampler_reset(&sampler, 1, 8, fold ? FOLD_ALL : 0);
    key = sampler_key(&sampler, bytes, 8);
    for (uint64_t at = 0; at + 8 <= sample_bytes; at++)
        found += sampler_key(&sampler, sample + at, sample_bytes - at) == key;
    return (double)found / (double)(sample_bytes - 7);
}

double analyse_seen_named(const uint8_t *bytes, uint64_t count, uint64_t offsets, bool fold,
                          const uint8_t *sample, uint64_t sample_bytes, double *deep, double *whole)
{
    uint64_t step = (offsets - 1) / OFFSETS_MAX + 1;
    struct sampler sampler;
    struct seen seen;

    TRAWL_ASSERT(offsets > 0 && offsets + 15 <= count && offsets <= UINT16_MAX &&
                 sample_bytes >= PLAN_SAMPLE_BYTES_MIN);
    sampler_reset(&sampler, OFFSETS_MAX, 16, fold ? FOLD_ALL : 0);
    for (uint64_t o = (offsets - 1) / step + 1; o-- > 0;) /* so the lowest offset owns a piece */
        (void)sampler_add(&sampler, sampler_key(&sampler, bytes + o * step, count - o * step),
                          (uint16_t)(o * step));
    seen = see(&sampler, sample, sample_bytes, SEEN_NAMED_POSITIONS, bytes, count);
    *deep = (double)seen.deep * (double)step / (double)seen.places;
    *whole = (double)seen.whole * (double)step / (double)seen.places;
    return (double)seen.named * (double)step / (double)seen.places;
}

uint64_t analyse_add_suffixes(struct analyse_suffixes *seen, const uint8_t *bytes, uint64_t count,
                              uint64_t seed)
{
    uint64_t hash = seed, added = 0;

    while (count-- > 0) {
        uint64_t bit;

        hash = (hash + bytes[count] + 1) * 0x9e3779b97f4a7c15u;
        bit = hash >> 32 & (SUFFIX_BITS - 1);
        added += (seen->bits[bit / 64] >> bit % 64 & 1) == 0;
        seen->bits[bit / 64] |= 1ull << bit % 64;
    }
    return added;
}

/* ---- How alike strings are ---- */

/* Pieces of the literals' bytes: where each begins in plan->literal_bytes, and its length. */
struct pieces {
    uint64_t from[GRAM_SAMPLES];
    uint8_t bytes[GRAM_SAMPLES];
    uint32_t count;
};

/* Sets *all to the number of pairs of pieces that both have at least q bytes. Returns how many of
 * these pairs agree in the first q bytes. */
static double equal_pairs(const struct trawl_plan *plan, const struct pieces *pieces, uint32_t q,
                          struct sampler *sampler, double *all)
{
    uint64_t equal = 0;
    double there = 0;

    sampler_reset(sampler, max_u64(pieces->count, 1), q, 0);
    for (uint32_t i = 0; i < pieces->count; i++) {
        if (pieces->bytes[i] < q)
            continue;
        there++;
        equal += sampler_add(sampler,
                             sampler_key(sampler, plan->literal_bytes + pieces->from[i],
                                         plan->literal_bytes_total - pieces->from[i]),
                             (uint16_t)i);
    }
    *all = there * (there - 1) / 2;
    return (double)equal;
}

void analyse_likeness(const struct trawl_plan *plan, struct strings_likeness *likeness)
{
    uint64_t total = plan->literal_bytes_total, random = 0x9e3779b97f4a7c15u;
    uint32_t count = (uint32_t)min_u64(ALIKE_SAMPLES, total);
    double before = 1, equal = 1, all;
    struct pieces pieces = {.count = count};
    struct sampler sampler;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = i * total / count, next = (i + 1) * total / count;

        random = random * 6364136223846793005u + 1442695040888963407u;
        at += (random >> 11) % (next - at);
        /* the piece may run into the next string */
        pieces.from[i] = at;
        pieces.bytes[i] = (uint8_t)min_u64(ANALYSE_GRAM_MAX, total - at);
    }
    likeness->rate[0] = 1;
    for (uint32_t q = 1; q <= ANALYSE_GRAM_MAX; q++) {
        double rate;

        equal = equal > 0 ? equal_pairs(plan, &pieces, q, &sampler, &all) : 0;
        rate = equal / max_double(1, count * (count - 1.0) / 2);
        /* too few equal pairs: assume that this byte lowers the rate by the factor of the last */
        if (equal < GRAMS_EQUAL_MIN)
            rate = q == 1 ? 1.0 / 256 : likeness->rate[q - 1] * likeness->rate[q - 1] / before;
        before = likeness->rate[q - 1];
        likeness->rate[q] = rate;
    }
}

/* Takes pieces from different literals. If there are fewer than GRAM_SAMPLES literals, takes
 * several from each, at different offsets. */
static void take_grams(const struct trawl_plan *plan, uint64_t offsets_max, struct pieces *pieces)
{
    uint32_t literals = (uint32_t)min_u64(plan->literal_count, GRAM_SAMPLES);

    pieces->count = 0;

    for (uint32_t i = 0; i < GRAM_SAMPLES && i / literals <= offsets_max; i++) {
        uint32_t number = (uint32_t)((uint64_t)(i % literals) * plan->literal_count / literals);
        const struct plan_literal literal = plan_literal_at(plan, number);
        uint64_t length = literal.bytes_count;
        uint64_t places =
            length < ANALYSE_GRAM_MIN ? 0 : min_u64(length - ANALYSE_GRAM_MIN, offsets_max) + 1;
        uint64_t place = literals < GRAM_SAMPLES ? i / literals : 0;

        if (place >= places)
            continue;
        if (literals == GRAM_SAMPLES)
            place = (i * 0x9e3779b1u >> 8) % places;
        pieces->from[pieces->count] = literal.bytes_begin + place;
        pieces->bytes[pieces->count++] = (uint8_t)min_u64(length - place, ANALYSE_GRAM_MAX);
    }
}

/* Measures how often grams of each length are equal. Where too few are equal to measure that,
 * assumes that each further byte lowers the rate by the last factor that could be measured. In a
 * language, this factor is smaller than for independent bytes. */
void analyse_gram_likeness(const struct trawl_plan *plan, uint64_t offsets_max,
                           struct gram_equality *likeness)
{
    struct pieces pieces;
    struct sampler sampler;
    double share[256], alike = 0, rate = 0, decay;

    take_grams(plan, offsets_max, &pieces);
    share_bytes(plan->literal_bytes, plan->literal_bytes_total, share);
    for (uint32_t b = 0; b < 256; b++)
        alike += share[b] * share[b];
    decay = alike;
    for (uint32_t q = ANALYSE_GRAM_MIN; q <= ANALYSE_GRAM_MAX; q++) {
        double before = rate, all, equal = equal_pairs(plan, &pieces, q, &sampler, &all);

        if (equal >= GRAMS_EQUAL_MIN) {
            rate = max_double(equal / all, analyse_power(alike, q));
            if (before > 0 && equal >= GRAMS_EQUAL_MANY)
                decay = min_double(1, max_double(alike, rate / before));
        } else {
            rate = before > 0 ? before * decay : analyse_power(alike, q);
        }
        likeness->rate[q] = min_double(1, rate);
        likeness->uneven[q] = rate > GRAMS_UNEVEN_TIMES * analyse_power(alike, q);
    }
}
