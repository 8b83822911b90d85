/* analyse: measures the bytes of literals, and how often a sample of a text holds them. */
#include "plan/analyse.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "plan/prices.def"

/* Sizes of tables and steps of algorithms; the numbers that measurements depend on are in
 * prices.def. */
#define SEEN_WINDOWS_LOG2 11u
#define SEEN_FAR_LOG2 14u
/* distance of an examined position from the position examined before; a prime */
#define SEEN_JUMP 1009u
#define ROOT_STEPS 40u       /* steps of Newton's method: enough for roots of 1e-10 to 1e10 */
#define SAMPLES_INSERTED 64u /* up to this many samples are sorted by insertion, more by qsort */
#define RESIDUES 8u          /* number of residues, the values of a byte's low three bits */
#define SUFFIX_BITS 65536u   /* bits of the table that counts suffixes */

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

double analyse_byte_bits(const uint8_t *bytes, uint64_t count)
{
    uint64_t counts[256] = {0}, looked = 0, step = max_u64(count / ENTROPY_BLOCKS, ENTROPY_BYTES);
    double bits = 0;

    for (uint64_t at = 0; at < count; at += step) {
        uint64_t end = min_u64(at + ENTROPY_BYTES, count);

        TRAWL_ASSERT(at < end && looked <= at);
        for (uint64_t i = at; i < end; i++)
            counts[bytes[i]]++;
        looked += end - at;
    }
    for (uint32_t byte = 0; byte < 256; byte++)
        if (counts[byte] > 0)
            bits += (double)counts[byte] / (double)looked *
                    analyse_log2((double)looked / (double)counts[byte]);
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
    TRAWL_ASSERT(best + 7 <= count);
    return best;
}

/* Fills the members residues, begun and carried for the grams that begin at `bytes`. */
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
            /* index in the gram of the byte that stands at byte j of a word */
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

/* Computes the expected share of each residue. The sum of the rates is the divisor, since
 * rates_from_literal may raise the sum above 1. With `fold`, the rates of A-Z are already part of
 * the rates of a-z. */
static void residue_shares(const struct byte_rates *rates, bool fold, double share[RESIDUES])
{
    double total = 0;

    for (uint32_t byte = 0; byte < 256; byte++) {
        if (fold && byte >= 'A' && byte <= 'Z')
            continue;
        share[byte % RESIDUES] += rates->rate[byte];
        total += rates->rate[byte];
    }
    TRAWL_ASSERT(total > 0);
    for (uint32_t residue = 0; residue < RESIDUES; residue++)
        share[residue] /= total;
}

double analyse_grams(const uint8_t *bytes, uint64_t count, bool fold,
                     const struct byte_rates *rates, uint32_t stride, struct plan_grams *grams)
{
    uint64_t q, offsets, best = 0;
    double share[RESIDUES] = {0}, last[PLAN_GRAM_STRIDE_MAX] = {0}, rate = 0, best_rate = 1e9;

    if (stride == 0 || count < stride + 3)
        /* not all `stride` offsets have a gram of 4 bytes: with shorter grams, the search would
         * have to verify every position */
        return 1;
    q = min_u64(count - stride + 1, PLAN_GRAM_BYTES);
    offsets = min_u64(count - stride - q + 2, GRAM_OFFSETS_MAX);
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
    TRAWL_ASSERT(q >= 4 && best + stride - 1 + q <= count);
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

bool analyse_repeats(const uint8_t *sample, uint64_t sample_bytes, const uint8_t *literal,
                     uint64_t literal_bytes)
{
    uint64_t places[REPEAT_PLACES_MIN];
    uint32_t found = 0, place_count = 0;

    TRAWL_ASSERT(sample_bytes >= PLAN_SAMPLE_BYTES_MIN);
    if (literal_bytes < REPEAT_BYTES)
        return false;
    for (uint32_t i = 0; i < REPEAT_LOOKS; i++) {
        uint64_t at = (sample_bytes - REPEAT_BYTES) / REPEAT_LOOKS * i, begin;
        const uint8_t *there =
            (const uint8_t *)memmem(literal, (size_t)literal_bytes, sample + at, REPEAT_BYTES);
        uint32_t p = 0;

        TRAWL_ASSERT(at + REPEAT_BYTES <= sample_bytes);
        if (there == NULL)
            continue;
        found++;
        /* wraps below 0 if the literal would begin before the sample */
        begin = at - (uint64_t)(there - literal);
        while (p < place_count && places[p] != begin)
            p++;
        if (p == place_count && place_count < REPEAT_PLACES_MIN)
            places[place_count++] = begin;
    }
    TRAWL_ASSERT(place_count <= REPEAT_PLACES_MIN && place_count <= found);
    return found >= REPEAT_LOOKS_MIN && place_count >= REPEAT_PLACES_MIN;
}

/* Enumerates a sample's positions in jumps, so that the first positions lie all over the sample. */
struct seen_positions {
    uint64_t span; /* positions: 0 to span - 1 */
    uint64_t left; /* number of positions that are not examined yet */
    uint64_t at;
};

/* Begins an enumeration of the positions at which `bytes` bytes of the sample are readable. */
static struct seen_positions positions_of(uint64_t sample_bytes, uint64_t bytes)
{
    uint64_t span = sample_bytes - bytes + 1;

    TRAWL_ASSERT(sample_bytes >= PLAN_SAMPLE_BYTES_MIN && bytes <= 16 && span > SEEN_JUMP);
    span -= span % SEEN_JUMP == 0; /* otherwise a few positions would come again and again */
    return (struct seen_positions){span, span / SEEN_STEP, 0};
}

static void position_next(struct seen_positions *positions)
{
    positions->left--;
    positions->at += SEEN_JUMP;
    if (positions->at >= positions->span)
        positions->at -= positions->span;
}

double analyse_seen_grams(const uint8_t *sample, uint64_t sample_bytes,
                          const struct plan_grams *grams)
{
    struct seen_positions p = positions_of(sample_bytes, sizeof(uint64_t));
    uint64_t found = 0, places = 0;
    /* bit o of entry b: the first, or the fourth, byte of gram o is b */
    uint8_t first[256] = {0}, fourth[256] = {0};

    TRAWL_ASSERT(sample_bytes >= PLAN_SAMPLE_BYTES_MIN && grams->q >= 4);
    for (uint32_t o = 0; o < grams->stride; o++) {
        first[grams->gram[o] & 0xff] |= (uint8_t)(1u << o);
        fourth[grams->gram[o] >> 24 & 0xff] |= (uint8_t)(1u << o);
    }
    for (; p.left > 0 && found < SEEN_ENOUGH; position_next(&p), places++) {
        uint64_t gram;
        uint32_t may;

        memcpy(&gram, sample + p.at, sizeof gram);
        gram = (gram | grams->fold) & grams->keep;
        may = first[gram & 0xff] & fourth[gram >> 24 & 0xff];
        for (; may != 0; may &= may - 1)
            found += gram == grams->gram[__builtin_ctz(may)];
    }
    TRAWL_ASSERT(places > 0);
    if (found < SEEN_GRAMS_FEW) /* too few matches for a rate */
        return 0;
    return (double)found / (double)places / grams->stride;
}

/* The literal's windows (sequences of 8 or 16 bytes) at offsets 0, step, 2 * step, ... Equal
 * windows are listed once. */
struct seen_windows {
    /* by hash of the first 8 bytes: 1 + the number of a window; 0: no window has this hash */
    uint16_t head[1u << SEEN_WINDOWS_LOG2];
    uint16_t next[SEEN_WINDOWS_MAX];
    /* number of windows equal to this window, if this window is the first of them; otherwise 0 */
    uint16_t alike[SEEN_WINDOWS_MAX];
    uint16_t count[SEEN_WINDOWS_MAX]; /* positions of the sample that hold the window */
};

static uint64_t window_at(const uint8_t *bytes, uint64_t fold)
{
    uint64_t window;

    memcpy(&window, bytes, sizeof window);
    return window | fold;
}

/* Lists the literal's windows. A repetitive literal has few different windows, so that a position
 * of the sample is compared with few windows. */
static void windows_open(const uint8_t *bytes, uint32_t windows, uint64_t step, uint64_t size,
                         uint64_t fold, struct seen_windows *seen)
{
    TRAWL_ASSERT(windows <= SEEN_WINDOWS_MAX && step > 0 && (size == 8 || size == 16));
    memset(seen, 0, sizeof *seen);
    for (uint32_t i = 0; i < windows; i++) {
        const uint8_t *own = bytes + i * step;
        uint64_t window = window_at(own, fold), last = window_at(own + size - 8, fold);
        uint16_t *head = &seen->head[plan_hash64(window, SEEN_WINDOWS_LOG2)];
        uint32_t o = *head;

        while (o != 0 && (window_at(bytes + (o - 1) * step, fold) != window ||
                          window_at(bytes + (o - 1) * step + size - 8, fold) != last))
            o = seen->next[o - 1];
        if (o == 0) {
            seen->next[i] = *head;
            *head = (uint16_t)(o = i + 1);
        }
        seen->alike[o - 1]++;
    }
}

/* On entry *rate is the share of the sample's positions that hold the literal's window at offset
 * `best`. Looks at the literal's windows at offsets from `from` to SEEN_FAR_MAX - 8. If one of them
 * is rarer in the sample, returns the offset of the rarest, and sets *rate to its share. Otherwise
 * returns `best`. Windows with equal hashes are counted together. */
static uint64_t rarer_window(const uint8_t *bytes, uint64_t from, uint64_t count, uint64_t folds,
                             const uint8_t *sample, uint64_t sample_bytes, uint64_t best,
                             double *rate)
{
    uint16_t seen[1u << SEEN_FAR_LOG2] = {0}; /* counts of the sample's windows, by hash */
    uint64_t end = min_u64(count, SEEN_FAR_MAX);

    for (uint64_t at = 0; at + 8 <= sample_bytes; at++)
        seen[plan_hash64(window_at(sample + at, folds), SEEN_FAR_LOG2)]++;
    for (uint64_t at = from; at + 8 <= end && *rate > 0; at++) {
        uint32_t often = seen[plan_hash64(window_at(bytes + at, folds), SEEN_FAR_LOG2)];

        if (often < *rate * (double)sample_bytes) {
            best = at;
            *rate = (double)often / (double)sample_bytes;
        }
    }
    return best;
}

uint64_t analyse_seen_window(const uint8_t *bytes, uint64_t count, bool fold,
                             const struct byte_rates *rates, const uint8_t *sample,
                             uint64_t sample_bytes, double *rate)
{
    uint32_t windows = (uint32_t)min_u64(count - 7, SEEN_WINDOWS_MAX);
    uint64_t folds = fold ? FOLD_ALL : 0, best = 0;
    struct seen_positions p = positions_of(sample_bytes, 8);
    double cost = 0, least = 0, places = (double)p.left;
    struct seen_windows seen;

    TRAWL_ASSERT(count >= 8 && p.left <= UINT16_MAX);
    windows_open(bytes, windows, 1, 8, folds, &seen);
    for (; p.left > 0; position_next(&p)) {
        uint64_t window = window_at(sample + p.at, folds);
        uint32_t o = seen.head[plan_hash64(window, SEEN_WINDOWS_LOG2)];

        for (; o != 0; o = seen.next[o - 1])
            seen.count[o - 1] =
                (uint16_t)(seen.count[o - 1] + (window_at(bytes + o - 1, folds) == window));
    }
    for (uint32_t o = 0; o < windows; o++) {
        if (seen.alike[o] == 0 || seen.count[o] > seen.count[best])
            continue;
        cost = 1;
        for (uint32_t i = 0; i < 8; i++)
            cost *= rates->rate[bytes[o + i]];
        if (o == 0 || seen.count[o] < seen.count[best] ||
            (seen.count[o] == seen.count[best] && cost < least)) {
            best = o;
            least = cost;
        }
    }
    *rate = (double)seen.count[best] / places;
    if (seen.count[best] == 0 || windows + 8 > count)
        return best;
    return rarer_window(bytes, windows, count, folds, sample, sample_bytes, best, rate);
}

double analyse_seen_rate(const uint8_t *bytes, bool fold, const uint8_t *sample,
                         uint64_t sample_bytes)
{
    uint64_t folds = fold ? FOLD_ALL : 0, window = window_at(bytes, folds), count = 0;

    TRAWL_ASSERT(sample_bytes >= PLAN_SAMPLE_BYTES_MIN);
    for (uint64_t at = 0; at + 8 <= sample_bytes; at++)
        count += window_at(sample + at, folds) == window;
    return (double)count / (double)(sample_bytes - 7);
}

/* Returns whether literal and sample also agree after the 16 bytes that are known to be equal. */
static bool is_deep(const uint8_t *own, uint64_t own_left, const uint8_t *seen, uint64_t seen_left,
                    uint64_t folds)
{
    uint64_t end = min_u64(min_u64(own_left, seen_left), 16 + ANALYSE_DEEP_BYTES);

    for (uint64_t i = 16; i + 8 <= end; i += 8)
        if (window_at(own + i, folds) != window_at(seen + i, folds))
            return false;
    return true;
}

double analyse_seen_named(const uint8_t *bytes, uint64_t count, uint64_t offsets, bool fold,
                          const uint8_t *sample, uint64_t sample_bytes, double *deep)
{
    uint64_t step = (offsets - 1) / SEEN_NAMED_MAX + 1, folds = fold ? FOLD_ALL : 0;
    struct seen_positions p = positions_of(sample_bytes, 16);
    uint64_t named = 0, deeply = 0, places = 0, matching = 0;
    struct seen_windows seen;

    TRAWL_ASSERT(offsets > 0 && offsets + 15 <= count && sample_bytes >= PLAN_SAMPLE_BYTES_MIN);
    p.left = min_u64(p.left, SEEN_NAMED_POSITIONS);
    windows_open(bytes, (uint32_t)((offsets - 1) / step + 1), step, 16, folds, &seen);
    for (; p.left > 0 && matching < SEEN_ENOUGH; position_next(&p), places++) {
        const uint8_t *there = sample + p.at;
        uint64_t window = window_at(there, folds);
        uint32_t i = seen.head[plan_hash64(window, SEEN_WINDOWS_LOG2)];

        for (; i != 0; i = seen.next[i - 1]) {
            uint64_t begin = (i - 1) * step;
            const uint8_t *own = bytes + begin;

            if (window_at(own, folds) != window ||
                window_at(own + 8, folds) != window_at(there + 8, folds))
                continue;
            matching++;
            named += seen.alike[i - 1];
            if (is_deep(own, count - begin, there, sample_bytes - p.at, folds))
                deeply += seen.alike[i - 1];
        }
    }
    *deep = (double)deeply * (double)step / (double)places;
    return (double)named * (double)step / (double)places;
}

uint64_t plan_count_suffixes(const struct trawl_plan *plan, const uint32_t *patterns,
                             const uint32_t *literal_from, uint32_t count)
{
    uint64_t seen[SUFFIX_BITS / 64] = {0}, found = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t literal = patterns != NULL ? literal_from[patterns[i]] : i;
        const uint8_t *bytes = plan_literal_bytes(plan, literal);
        uint64_t hash = 0;

        for (uint64_t at = plan_literal_at(plan, literal).bytes_count; at-- > 0;) {
            uint64_t bit;

            hash = (hash + bytes[at] + 1) * 0x9e3779b97f4a7c15u;
            bit = hash >> 32 & (SUFFIX_BITS - 1);
            found += (seen[bit / 64] >> bit % 64 & 1) == 0;
            seen[bit / 64] |= 1ull << bit % 64;
        }
    }
    return found;
}

/* ---- How alike strings are ---- */

/* Up to ANALYSE_GRAM_MAX bytes of the literals, from an offset on. The first byte is the highest
 * byte of `high`, and zeros follow the last byte. */
struct sample {
    uint64_t high, low;
    uint64_t bytes; /* number of bytes in the sample */
};

/* Returns the sample of `bytes` bytes of the literals from offset `from` on. */
static struct sample sample_at(const struct trawl_plan *plan, uint64_t from, uint64_t bytes)
{
    uint64_t words[2] = {0};
    struct sample sample = {.bytes = bytes};

    memcpy(words, plan->literal_bytes + from,
           (size_t)(plan->literal_bytes_total - from >= sizeof words ? sizeof words : bytes));
    sample.high = __builtin_bswap64(words[0]);
    sample.low =
        bytes <= 8 ? 0 : __builtin_bswap64(words[1]) & UINT64_MAX << 8 * (ANALYSE_GRAM_MAX - bytes);
    sample.high &= bytes < 8 ? UINT64_MAX << 8 * (8 - bytes) : UINT64_MAX;
    return sample;
}

static bool is_behind(const struct sample *x, const struct sample *y)
{
    return x->high != y->high ? x->high > y->high : x->low > y->low;
}

static int compare_samples(const void *a, const void *b)
{
    const struct sample *x = (const struct sample *)a, *y = (const struct sample *)b;

    return is_behind(x, y) - is_behind(y, x);
}

/* Returns the length of the longest common prefix of two samples. */
static uint64_t common_bytes(const struct sample *x, const struct sample *y)
{
    uint64_t high = x->high ^ y->high, low = x->low ^ y->low;
    uint64_t common = high != 0  ? (uint64_t)__builtin_clzll(high) / 8
                      : low != 0 ? 8 + (uint64_t)__builtin_clzll(low) / 8
                                 : ANALYSE_GRAM_MAX;

    return min_u64(common, min_u64(x->bytes, y->bytes));
}

/* Sorts the samples by their bytes. First sorts by the second and then by the first byte (counting
 * sorts), then sorts each group of samples whose first two bytes are equal. `room` is a buffer for
 * `count` samples. */
static void sort_samples(struct sample *samples, uint32_t count, struct sample *room)
{
    struct sample *from = samples, *to = room;
    uint32_t end;

    for (uint32_t shift = 48; shift <= 56; shift += 8) {
        uint32_t ends[257] = {0};

        for (uint32_t i = 0; i < count; i++)
            ends[(from[i].high >> shift & 0xff) + 1]++;
        for (uint32_t byte = 1; byte <= 256; byte++)
            ends[byte] += ends[byte - 1];
        for (uint32_t i = 0; i < count; i++)
            to[ends[from[i].high >> shift & 0xff]++] = from[i];
        to = from;
        from = room;
    }
    for (uint32_t begin = 0; begin < count; begin = end) {
        for (end = begin + 1; end < count && samples[end].high >> 48 == samples[begin].high >> 48;)
            end++;
        if (end - begin > SAMPLES_INSERTED)
            qsort(samples + begin, end - begin, sizeof *samples, compare_samples);
        for (uint32_t i = begin + 1; i < end; i++) {
            struct sample sample = samples[i];
            uint32_t k = i;

            for (; k > begin && is_behind(&samples[k - 1], &sample); k--)
                samples[k] = samples[k - 1];
            samples[k] = sample;
        }
    }
}

/* For each q: the number of pairs of samples whose first q bytes are equal, and the number of pairs
 * of samples that have q bytes. */
struct sample_pairs {
    double equal[ANALYSE_GRAM_MAX + 1], all[ANALYSE_GRAM_MAX + 1];
    uint32_t first_bytes; /* number of different first bytes of the samples */
};

/* Counts pairs of samples (struct sample_pairs). To do so, sorts the samples. */
static void count_pairs(struct sample *samples, uint32_t count, struct sample_pairs *pairs)
{
    struct sample room[GRAM_SAMPLES];
    uint64_t equal[ANALYSE_GRAM_MAX + 1] = {0}, there[ANALYSE_GRAM_MAX + 2] = {0};
    /* alike[q]: number of samples just before this sample with the same first q bytes */
    uint64_t alike[ANALYSE_GRAM_MAX + 1] = {0};
    uint64_t before = 0, common;

    TRAWL_ASSERT(count <= GRAM_SAMPLES);
    sort_samples(samples, count, room);
    pairs->first_bytes = 0;
    for (uint32_t i = 0; i < count; i++, before = common) {
        common = i > 0 ? common_bytes(&samples[i - 1], &samples[i]) : 0;
        pairs->first_bytes += common == 0;
        for (uint64_t q = 1; q <= common; q++)
            equal[q] += ++alike[q];
        for (uint64_t q = common + 1; q <= before; q++)
            alike[q] = 0;
        there[samples[i].bytes]++;
    }
    for (uint64_t q = ANALYSE_GRAM_MAX; q > 0; q--) {
        there[q] += there[q + 1];
        pairs->equal[q] = (double)equal[q];
        pairs->all[q] = (double)there[q] * ((double)there[q] - 1) / 2;
    }
}

void analyse_likeness(const struct trawl_plan *plan, struct strings_likeness *likeness)
{
    uint64_t total = plan->literal_bytes_total, random = 0x9e3779b97f4a7c15u;
    uint32_t count = (uint32_t)min_u64(ALIKE_SAMPLES, total);
    struct sample samples[ALIKE_SAMPLES];
    struct sample_pairs pairs;
    double before = 1;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = i * total / count, next = (i + 1) * total / count;

        random = random * 6364136223846793005u + 1442695040888963407u;
        at += (random >> 11) % (next - at);
        /* the sample may run into the next string */
        samples[i] = sample_at(plan, at, min_u64(ANALYSE_GRAM_MAX, total - at));
    }
    count_pairs(samples, count, &pairs);
    likeness->byte_count = pairs.first_bytes;
    likeness->rate[0] = 1;
    for (uint32_t q = 1; q <= ANALYSE_GRAM_MAX; q++) {
        double rate = pairs.equal[q] / max_double(1, count * (count - 1.0) / 2);

        /* assume that each further byte lowers the rate by the same factor as the byte before */
        if (pairs.equal[q] < ALIKE_EQUAL_MIN)
            rate = q == 1 ? 1.0 / 256 : likeness->rate[q - 1] * likeness->rate[q - 1] / before;
        before = likeness->rate[q - 1];
        likeness->rate[q] = rate;
    }
}

/* Takes samples of different literals, and at several offsets of each literal if there are fewer
 * literals than GRAM_SAMPLES. Returns the number of samples. */
static uint32_t take_grams(const struct trawl_plan *plan, uint64_t offsets_max,
                           struct sample *samples)
{
    uint32_t count = 0, literals = (uint32_t)min_u64(plan->literal_count, GRAM_SAMPLES);

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
        samples[count++] =
            sample_at(plan, literal.bytes_begin + place, min_u64(length - place, ANALYSE_GRAM_MAX));
    }
    return count;
}

/* Measures how often grams of each length are equal. If too few samples are equal, assumes that a
 * further byte makes grams rarer by the last factor that could be measured: in a language, by less
 * than an independent byte would. */
void analyse_gram_likeness(const struct trawl_plan *plan, uint64_t offsets_max,
                           struct gram_likeness *likeness)
{
    struct sample samples[GRAM_SAMPLES];
    uint32_t bytes[256] = {0};
    struct sample_pairs pairs;
    double total = 0, alike = 0, rate = 0, decay;
    uint64_t step = 1 + plan->literal_bytes_total / COUNTED_BYTES, looked;

    count_pairs(samples, take_grams(plan, offsets_max, samples), &pairs);
    for (uint64_t i = 0; i < plan->literal_bytes_total; i += step)
        bytes[plan->literal_bytes[i]]++;
    looked = 1 + (plan->literal_bytes_total - 1) / step;
    total = (double)looked;
    for (uint32_t b = 0; b < 256; b++)
        alike += bytes[b] / total * (bytes[b] / total);
    decay = alike;
    for (uint32_t q = ANALYSE_GRAM_MIN; q <= ANALYSE_GRAM_MAX; q++) {
        double before = rate;

        if (pairs.equal[q] >= GRAMS_EQUAL_MIN) {
            rate = max_double(pairs.equal[q] / pairs.all[q], analyse_power(alike, q));
            if (before > 0 && pairs.equal[q] >= GRAMS_EQUAL_MANY)
                decay = min_double(1, max_double(alike, rate / before));
        } else {
            rate = before > 0 ? before * decay : analyse_power(alike, q);
        }
        likeness->rate[q] = min_double(1, rate);
        likeness->uneven[q] = rate > GRAMS_UNEVEN_TIMES * analyse_power(alike, q);
    }
}
