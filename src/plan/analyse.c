/* analyse: computes the period, and chooses probes and grams, of a literal, by each byte's
 * share. */
#include "plan/analyse.h"

#include <string.h>

#include "base/checked.h"
#include "plan/prices.def"

#define SAMPLE_BYTES_MIN PLAN_SAMPLE_BYTES_MIN

/* A constant expression for the compiler: dividing at run time would be a third of the time that a
 * short pattern's plan takes. */
static const double prior_rate[256] = {
#define RATE(count) (double)(count) / BYTE_PRIOR_TOTAL
#include "plan/byte_prior.def"
#undef RATE
};

static void rates_from_sample(const uint8_t *sample, uint64_t sample_bytes, double *rate)
{
    /* two tables, so that a byte's count need not wait for the count of the byte before */
    uint32_t count[2][256] = {{0}, {0}};
    uint64_t step = sample_bytes / RATE_PAIRS_MAX | 1, looked = 0;
    double share;

    TRAWL_ASSERT(sample_bytes >= SAMPLE_BYTES_MIN);
    for (uint64_t i = 0; i + 1 < sample_bytes; i += step + 1, looked += 2) {
        count[0][sample[i]]++;
        count[1][sample[i + 1]]++;
    }
    share = 1 / ((double)looked + 64.0);
    /* the 0.25 keeps bytes possible that the sample lacks */
    for (uint32_t byte = 0; byte < 256; byte++)
        rate[byte] = ((double)count[0][byte] + (double)count[1][byte] + 0.25) * share;
}

/* Raises the rates of the byte values of a long literal over few values, because such a literal
 * comes from a text over few values. Each value's rate becomes at least half its share of the
 * literal plus half an equal share. */
static void rates_from_literal(const uint8_t *literal, uint64_t literal_bytes, double *rate)
{
    uint64_t count[256] = {0};
    uint32_t values = 0;

    for (uint64_t i = 0; i < literal_bytes; i++)
        values += count[literal[i]]++ == 0;
    TRAWL_ASSERT(values > 0 && values <= 256);
    if (values > SMALL_ALPHABET)
        return;
    for (uint32_t byte = 0; byte < 256; byte++) {
        double share = 0.5 / values + 0.5 * (double)count[byte] / (double)literal_bytes;

        if (count[byte] > 0 && rate[byte] < share)
            rate[byte] = share;
    }
}

bool analyse_repeats(const uint8_t *sample, uint64_t sample_bytes, const uint8_t *literal,
                     uint64_t literal_bytes)
{
    uint64_t places[REPEAT_PLACES_MIN];
    uint32_t found = 0, place_count = 0;

    TRAWL_ASSERT(sample_bytes >= SAMPLE_BYTES_MIN);
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

void analyse_rates(const uint8_t *sample, uint64_t sample_bytes, const uint8_t *literal,
                   uint64_t literal_bytes, bool fold, struct byte_rates *rates)
{
    if (sample_bytes >= SAMPLE_BYTES_MIN) {
        rates_from_sample(sample, sample_bytes, rates->rate);
    } else {
        memcpy(rates->rate, prior_rate, sizeof prior_rate);
        if (literal_bytes >= SMALL_ALPHABET_LENGTH_MIN)
            rates_from_literal(literal, literal_bytes, rates->rate);
    }
    for (uint32_t lower = 'a'; fold && lower <= 'z'; lower++) {
        double both = rates->rate[lower] + rates->rate[lower - 0x20];

        rates->rate[lower] = both;
        rates->rate[lower - 0x20] = both;
    }
}

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

/* Returns where the maximal suffix of the bytes begins, under byte order or its reverse, and the
 * suffix's period in *period. */
static uint64_t maximal_suffix(const uint8_t *bytes, uint64_t count, bool reverse, uint64_t *period)
{
    uint64_t suffix = UINT64_MAX, next = 0, k = 1, p = 1;

    while (next + k < count) {
        uint8_t a = bytes[next + k], b = bytes[suffix + k];

        if (a == b) {
            if (k == p) {
                next += p;
                k = 1;
            } else {
                k++;
            }
        } else if (reverse ? a > b : a < b) {
            next += k;
            k = 1;
            p = next - suffix;
        } else {
            suffix = next++;
            k = p = 1;
        }
    }
    *period = p;
    TRAWL_ASSERT(p > 0 && suffix + 1 + p <= count);
    return suffix + 1;
}

void analyse_period(const uint8_t *bytes, uint64_t count, uint64_t *critical, uint64_t *period)
{
    uint64_t period_forward, period_reverse;
    uint64_t forward = maximal_suffix(bytes, count, false, &period_forward);
    uint64_t reverse = maximal_suffix(bytes, count, true, &period_reverse);
    uint64_t p = forward >= reverse ? period_forward : period_reverse;

    TRAWL_ASSERT(count >= 1);
    *critical = max_u64(forward, reverse);
    *period = 0;
    if (*critical + p <= count && memcmp(bytes, bytes + p, *critical) == 0)
        *period = p;
    TRAWL_ASSERT(*critical < count && *period <= count);
}

/* Positions of the sample that pass all probes chosen so far. The next probe is chosen by these
 * positions and not only by the rates of bytes: in a log, nearly every line has the same rare bytes
 * together. */
struct survivors {
    /* address of the sample's byte that stands at the literal's offset probe_window.first */
    const uint8_t *at[SURVIVORS_MAX];
    uint32_t count;
    uint32_t begun; /* number of positions before the second probe */
};

/* The literal's bytes in [first, last), and how many survivors have the same byte at each
 * offset. */
struct probe_window {
    uint64_t first;
    uint64_t last;
    uint8_t value[PLAN_PROBE_SPAN_BYTES];
    uint8_t fold[PLAN_PROBE_SPAN_BYTES];
    uint8_t met[PLAN_PROBE_SPAN_BYTES];
    /* the byte's rate, raised if probes near this offset were chosen; the lowest cost is best */
    double cost[PLAN_PROBE_SPAN_BYTES];
};

typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* Collects survivors: from each of SURVIVORS_MAX parts of the sample, the first position that
 * passes the first probe. */
static void survivors_begin(const uint8_t *sample, uint64_t sample_bytes, uint64_t probe,
                            const struct probe_window *window, struct survivors *left)
{
    /* a multiple of the vector's 16 bytes */
    uint64_t lead = probe - window->first, span = PLAN_PROBE_SPAN_BYTES;
    uint8_t value = window->value[lead], fold = window->fold[lead];

    TRAWL_ASSERT(sample_bytes >= SAMPLE_BYTES_MIN);
    for (uint32_t i = 0; i < SURVIVORS_MAX; i++) {
        uint64_t part = (sample_bytes - span) / SURVIVORS_MAX, at = lead + i * part,
                 end = at + part;

        TRAWL_ASSERT(end - lead + span <= sample_bytes);
        if (fold == 0) {
            const void *there = memchr(sample + at, value, (size_t)part);

            at = there == NULL ? end : (uint64_t)((const uint8_t *)there - sample);
        }
        while (fold != 0 && at < end && (sample[at] | fold) != value)
            at++;
        if (at < end)
            left->at[left->count++] = sample + at - lead;
    }
    left->begun = left->count;
}

/* Keeps the survivors that pass the probe. */
static void survivors_pass(uint64_t probe, const struct probe_window *window,
                           struct survivors *left)
{
    uint64_t o = probe - window->first;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < left->count; i++)
        if ((left->at[i][o] | window->fold[o]) == window->value[o])
            left->at[kept++] = left->at[i];
    left->count = kept;
}

static void window_meet(const struct survivors *left, struct probe_window *window)
{
    memset(window->met, 0, sizeof window->met);
    for (uint64_t o = 0; o < window->last - window->first; o += sizeof(bytes16)) {
        bytes16 met = {0}, value, fold, text;

        memcpy(&value, window->value + o, sizeof value);
        memcpy(&fold, window->fold + o, sizeof fold);
        for (uint32_t i = 0; i < left->count; i++) {
            memcpy(&text, left->at[i] + o, sizeof text);
            /* the comparison is -1 where the bytes are equal */
            met -= (bytes16)((text | fold) == value);
        }
        memcpy(window->met + o, &met, sizeof met);
    }
}

/* Raises the costs of offsets after a probe was chosen. Equal bytes near each other occur together,
 * and neighbouring bytes depend on each other. The probe's own offset is taken. */
static void raise_costs(uint64_t probe, struct probe_window *window)
{
    uint64_t span = window->last - window->first, taken = probe - window->first;
    uint8_t value = window->value[taken];

    TRAWL_ASSERT(taken < span && span <= PLAN_PROBE_SPAN_BYTES);
    for (uint64_t o = 0; o < span; o++)
        window->cost[o] *= window->value[o] == value ? 2.0 : 1.0;
    if (taken > 0)
        window->cost[taken - 1] *= 1.5;
    if (taken + 1 < span)
        window->cost[taken + 1] *= 1.5;
    window->cost[taken] = PROBE_TAKEN;
}

/* Returns the offset that leaves the fewest survivors. If several offsets leave as few, or if there
 * are no survivors, returns the offset of least cost. */
static uint64_t most_telling(const struct probe_window *window, uint32_t survivors)
{
    uint64_t best = 0;

    if (survivors == 0) { /* as without a sample */
        for (uint64_t o = 1; o < window->last - window->first; o++)
            best = window->cost[o] < window->cost[best] ? o : best;
        return window->first + best;
    }
    for (uint64_t o = 1; o < window->last - window->first; o++) {
        if (window->cost[o] >= PROBE_TAKEN)
            continue;
        if (window->cost[best] >= PROBE_TAKEN || window->met[o] == window->met[best]
                ? window->cost[o] < window->cost[best]
                : window->met[o] < window->met[best])
            best = o;
    }
    return window->first + best;
}

static void window_open(const uint8_t *bytes, uint64_t count, bool fold,
                        const struct byte_rates *rates, uint64_t best, struct probe_window *window)
{
    memset(window, 0, sizeof *window);
    window->last = count;
    if (count > PLAN_PROBE_SPAN_BYTES) {
        window->first = best > PLAN_PROBE_SPAN_BYTES / 2 ? best - PLAN_PROBE_SPAN_BYTES / 2 : 0;
        window->first = min_u64(window->first, count - PLAN_PROBE_SPAN_BYTES);
        window->last = window->first + PLAN_PROBE_SPAN_BYTES;
    }
    TRAWL_ASSERT(window->first <= best && best < window->last && window->last <= count);
    for (uint64_t o = 0; o < window->last - window->first; o++) {
        uint8_t byte = bytes[window->first + o];

        window->fold[o] = fold && byte >= 'a' && byte <= 'z' ? 0x20 : 0;
        window->value[o] = byte | window->fold[o];
        window->cost[o] = rates->rate[byte];
    }
}

/* Returns the share of the survivors that are left. Each probe was chosen because it leaves the
 * fewest survivors of the sample, so the share in the sample is lower than in the text. Therefore
 * the share is at least `independent`, the product of the bytes' rates. */
static double share_left(const struct survivors *left, double independent)
{
    return max_double((left->count > 0 ? left->count : 0.5) / left->begun, independent);
}

uint32_t analyse_probes(const uint8_t *bytes, uint64_t count, bool fold,
                        const struct byte_rates *rates, const uint8_t *sample,
                        uint64_t sample_bytes, struct plan_probe *probes, double *passed)
{
    uint32_t wanted = (uint32_t)min_u64(count, PLAN_PROBES_MAX);
    uint64_t best = 0; /* offset of the first rarest byte */
    struct probe_window window;
    struct survivors left;
    double rate = 1, others = 1; /* product of the rates of the probes after the first */

    for (uint64_t offset = 1; offset < count; offset++)
        if (rates->rate[bytes[offset]] < rates->rate[bytes[best]])
            best = offset;
    window_open(bytes, count, fold, rates, best, &window);
    left.count = left.begun = 0;
    if (sample_bytes >= SAMPLE_BYTES_MIN)
        survivors_begin(sample, sample_bytes, best, &window, &left);
    for (uint32_t i = 0; i < wanted; i++) {
        uint64_t o = best - window.first;
        double own = rates->rate[bytes[best]];
        bool passing;

        probes[i].offset = best;
        probes[i].fold = window.fold[o];
        probes[i].value = window.value[o];
        memset(probes[i].reserved, 0, sizeof probes[i].reserved);
        raise_costs(best, &window);
        passing = left.count > 0 && i > 0;
        if (passing)
            survivors_pass(best, &window, &left);
        if (i > 0)
            others *= own;
        if (i == 0)
            rate = own;
        else if (passing)
            rate = rates->rate[bytes[probes[0].offset]] * share_left(&left, others);
        else
            rate *= own * DEPENDENCE > 1 ? 1 : own * DEPENDENCE;
        passed[i] = rate;
        if (i + 1 >= PROBES_SEEN_ENOUGH && left.begun > 0 && left.count == 0)
            return i + 1;
        if (left.count > 0)
            window_meet(&left, &window);
        best = most_telling(&window, left.count);
    }
    return wanted;
}

uint32_t analyse_first_probes(const double *passed, uint32_t probe_count)
{
    uint32_t first = 1;

    while (first < probe_count && first < FIRST_PROBES_MAX &&
           64 * (passed[first - 1] - passed[probe_count - 1]) > FIRST_BLOCKS_RATE)
        first++;
    return first;
}

/* Enumerates a sample's positions in jumps, so that the first positions lie all over the sample. */
struct seen_positions {
    uint64_t span; /* positions: 0 to span - 1 */
    uint64_t left; /* number of positions that are not examined yet */
    uint64_t at;
};

/* Begins with the positions at which `bytes` bytes of the sample are readable. */
static struct seen_positions positions_of(uint64_t sample_bytes, uint64_t bytes)
{
    uint64_t span = sample_bytes - bytes + 1;

    TRAWL_ASSERT(sample_bytes >= SAMPLE_BYTES_MIN && bytes <= 16 && span > SEEN_JUMP);
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
    /* bit o of entry b: gram o has byte b at that offset */
    uint8_t first[256] = {0}, fourth[256] = {0};

    TRAWL_ASSERT(sample_bytes >= SAMPLE_BYTES_MIN && grams->q >= 4);
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

/* The literal's different windows of 8 or 16 bytes, at offsets 0, step, 2 * step, ... */
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

/* Returns the window at or beyond `from` that the sample holds least often, and sets *rate, if that
 * is less often than *rate says of `best`; otherwise returns `best`. */
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

    TRAWL_ASSERT(sample_bytes >= SAMPLE_BYTES_MIN);
    for (uint64_t at = 0; at + 8 <= sample_bytes; at++)
        count += window_at(sample + at, folds) == window;
    return (double)count / (double)(sample_bytes - 7);
}

/* Returns whether literal and sample also agree after the 16 bytes that are known to be equal. */
static bool is_deep(const uint8_t *own, uint64_t own_left, const uint8_t *seen, uint64_t seen_left,
                    uint64_t folds)
{
    uint64_t end = min_u64(min_u64(own_left, seen_left), 16 + SEEN_DEEP_BYTES);

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

    TRAWL_ASSERT(offsets > 0 && offsets + 15 <= count && sample_bytes >= SAMPLE_BYTES_MIN);
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

uint64_t analyse_rare_bytes(const uint8_t *bytes, uint64_t count, const struct byte_rates *rates)
{
    double best_rate = 1e9, rate[4] = {0}; /* rates of the words at four consecutive offsets */
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

/* Fills residues, begun and carried from the grams at bytes. */
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
            /* the byte of the gram that stands at byte j */
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
        /* no gram of 4 bytes at each offset: the search would have to verify every position */
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
