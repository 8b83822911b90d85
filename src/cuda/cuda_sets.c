/* cuda_sets: the tables of stream_set. Chooses which grams of the patterns the kernels look for and
 * at which positions, chooses the sizes of the tables, and starts the kernels that make the tables.
 *
 * The longer the stride, the fewer samples the kernels take, and the more entries the tables have:
 * for every stride, about patterns / bits samples per text byte pass the bitmap in shared memory.
 * If a sample may choose among several grams, the tables have fewer entries. Short grams allow
 * longer strides but match more often. cost_of() weighs stride, choices and grams, in units of the
 * time in which the device reads the text.
 */
#include "cuda/cuda_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "plan/analyse.h"
#include "cuda/prices.def"

/* Sizes of the bitmap, in words. Shared memory that the bitmap does not take is cache for the loads
 * in flight. A multiprocessor with 256 KiB sets 228, 196, 164, 132, ... KiB apart for a block, and
 * the queues take 37. With bitmaps of 94, 158 and 188 KiB, searches for 10,000 patterns of 16 bytes
 * ran at 0.91, 0.94 and 0.88 of the read speed, for 100,000 at 0.42, 0.60 and 0.56 [H200]. */
#define FILTER_SIZES                                       \
    {                                                      \
        4096, 8192, 16384, 24064, 32256, 40448, UINT32_MAX \
    }
/* Words by which the bitmap is shorter than its size in FILTER_SIZES: the rare variant has longer
 * queues in shared memory, and the dense variant a copy of the launch's arguments. */
#define RARE_WORDS (SCAN_SETS_THREADS / 32 * (SCAN_SETS_RARE_WARP_BYTES - SCAN_SETS_WARP_BYTES) / 4)
#define DENSE_WORDS ((uint32_t)((sizeof(struct scan_arguments) + 15) / 16 * 4))

/* row, sample, pass: slots of a row, of a sample, and of a sample that passes the bitmap. table,
 * list: the cost of a look-up in L2 and of a list, in the time in which the device reads a byte. */
static const struct {
    double row, sample, pass, table, list;
} costs[CUDA_SETS_VARIANTS] = {
    [CUDA_SETS_RARE] = {8, 8.6, 7, 30, 370}, [CUDA_SETS_DENSE] = {23, 12.1, 0, 21, 370}};

struct choice {
    uint32_t stride, gram_bytes;
    uint32_t form;    /* index in SCAN_SETS_FORMS */
    uint32_t choices; /* grams from which a sample chooses */
    uint32_t filter_words;
    uint32_t bits;    /* bits that a gram sets in a word of the bitmap */
    uint32_t variant; /* enum cuda_sets_variant */
    /* the cost of a look-up is multiplied by 1 + cache × the share of samples that pass */
    double cache;
    double cost;
    double met; /* expected number of grams of the set that are equal to a sample's gram */
};

/* rate[q]: the probability that two grams of q bytes are equal, in a text like the patterns. */
struct likeness {
    double rate[GRAM_MAX + 1];
    bool uneven[GRAM_MAX + 1]; /* rate[q] far exceeds the rate of independent bytes */
};

/* Returns 1 - e^-x, for x >= 0. */
static double saturation(double x)
{
    double part = x / 256, power;

    TRAWL_ASSERT(x >= 0);
    if (x < 1e-6)
        return x;
    if (x > 40)
        return 1;
    power = 1 - part + part * part / 2 - part * part * part / 6;
    for (uint32_t i = 0; i < 8; i++)
        power *= power;
    return 1 - power;
}

static double power_of(double base, uint32_t exponent)
{
    double power = 1;

    while (exponent-- > 0)
        power *= base;
    return power;
}

/* Returns about -log2(x), for 0 < x <= 1. */
static float rarity_of(double x)
{
    float bits = 0, part = 0.5f;

    TRAWL_ASSERT(x > 0);
    while (x < 0.5) {
        x *= 2;
        bits++;
    }
    for (uint32_t i = 0; i < 6; i++) {
        x *= x;
        if (x < 0.5) {
            bits += part;
            x *= 2;
        }
        part /= 2;
    }
    return bits;
}

/* The bytes of a literal from an offset on. The first byte is the highest byte of `high`; zeros
 * follow the literal's end. */
struct gram_sample {
    uint64_t high, low;
    uint64_t bytes; /* bytes of the literal in the sample, up to GRAM_MAX */
};

static struct gram_sample sample_at(const struct trawl_plan *plan, uint32_t literal, uint64_t place)
{
    const struct plan_literal of = plan_literal_at(plan, literal);
    uint64_t words[2] = {0}, bytes = min_u64(of.bytes_count - place, GRAM_MAX);
    uint64_t from = of.bytes_begin + place;
    struct gram_sample sample;

    if (plan->literal_bytes_total - from >= sizeof words)
        memcpy(words, plan->literal_bytes + from, sizeof words);
    else
        memcpy(words, plan->literal_bytes + from, (size_t)bytes);
    sample.high = __builtin_bswap64(words[0]);
    sample.low =
        bytes <= 8 ? 0 : __builtin_bswap64(words[1]) & UINT64_MAX << 8 * (GRAM_MAX - bytes);
    sample.high &= bytes < 8 ? UINT64_MAX << 8 * (8 - bytes) : UINT64_MAX;
    sample.bytes = bytes;
    return sample;
}

static bool is_behind(const struct gram_sample *x, const struct gram_sample *y)
{
    return x->high != y->high ? x->high > y->high : x->low > y->low;
}

static int compare_samples(const void *a, const void *b)
{
    const struct gram_sample *x = (const struct gram_sample *)a, *y = (const struct gram_sample *)b;

    return is_behind(x, y) - is_behind(y, x);
}

/* Returns the length of the longest common prefix of two samples. */
static uint64_t common_bytes(const struct gram_sample *x, const struct gram_sample *y)
{
    uint64_t high = x->high ^ y->high, low = x->low ^ y->low;
    uint64_t common = high != 0  ? (uint64_t)__builtin_clzll(high) / 8
                      : low != 0 ? 8 + (uint64_t)__builtin_clzll(low) / 8
                                 : GRAM_MAX;

    return min_u64(common, min_u64(x->bytes, y->bytes));
}

static uint32_t sample_list(const struct gram_sample *sample)
{
    return plan_hash32((uint32_t)(sample->high >> 32), SAMPLE_LIST_BITS);
}

/* Groups the samples by a hash of the first GRAM_MIN bytes, and sorts each group. `sorted` has room
 * for `count` samples. */
static void sort_samples(const struct gram_sample *samples, uint32_t count,
                         struct gram_sample *sorted)
{
    uint32_t ends[(1u << SAMPLE_LIST_BITS) + 1] = {0}, begin = 0;

    for (uint32_t i = 0; i < count; i++)
        ends[sample_list(&samples[i]) + 1]++;
    for (uint32_t list = 1; list <= 1u << SAMPLE_LIST_BITS; list++)
        ends[list] += ends[list - 1];
    for (uint32_t i = 0; i < count; i++)
        sorted[ends[sample_list(&samples[i])]++] = samples[i];
    for (uint32_t list = 0; list < 1u << SAMPLE_LIST_BITS; begin = ends[list++]) {
        if (ends[list] - begin > SAMPLES_INSERTED)
            qsort(sorted + begin, ends[list] - begin, sizeof *sorted, compare_samples);
        for (uint32_t i = begin + 1; i < ends[list]; i++) {
            struct gram_sample sample = sorted[i];
            uint32_t k = i;

            for (; k > begin && is_behind(&sorted[k - 1], &sample); k--)
                sorted[k] = sorted[k - 1];
            sorted[k] = sample;
        }
    }
}

/* Takes samples of different literals, and at several offsets of each literal if there are fewer
 * literals than SAMPLES. Returns the number of samples. */
static uint32_t take_samples(const struct trawl_plan *plan, struct gram_sample *samples)
{
    uint32_t count = 0, literals = (uint32_t)min_u64(plan->literal_count, SAMPLES);

    for (uint32_t i = 0; i < SAMPLES && i / literals <= SCAN_SETS_RUN_MAX; i++) {
        uint32_t literal = (uint32_t)((uint64_t)(i % literals) * plan->literal_count / literals);
        uint64_t length = plan_literal_at(plan, literal).bytes_count;
        uint64_t places = length < GRAM_MIN ? 0 : min_u64(length - GRAM_MIN, SCAN_SETS_RUN_MAX) + 1;
        uint64_t place = literals < SAMPLES ? i / literals : 0;

        if (place >= places)
            continue;
        if (literals == SAMPLES)
            place = (i * 0x9e3779b1u >> 8) % places;
        samples[count++] = sample_at(plan, literal, place);
    }
    TRAWL_ASSERT(count <= SAMPLES);
    return count;
}

/* For each q: the number of pairs of samples whose first q bytes are equal, and the number of pairs
 * of samples that have q bytes. */
struct sample_pairs {
    double equal[GRAM_MAX + 1], all[GRAM_MAX + 1];
};

static void count_pairs(const struct trawl_plan *plan, struct sample_pairs *pairs)
{
    struct gram_sample samples[SAMPLES], sorted[SAMPLES];
    uint64_t equal[GRAM_MAX + 1] = {0}, there[GRAM_MAX + 2] = {0};
    uint64_t alike[GRAM_MAX + 1] = {
        0}; /* for each q: earlier samples equal to the current sample */
    uint32_t count = take_samples(plan, samples);
    uint64_t before = 0, common;

    sort_samples(samples, count, sorted);
    for (uint32_t i = 0; i < count; i++, before = common) {
        common = i > 0 ? common_bytes(&sorted[i - 1], &sorted[i]) : 0;
        for (uint64_t q = GRAM_MIN; q <= common; q++)
            equal[q] += ++alike[q];
        for (uint64_t q = max_u64(GRAM_MIN, common + 1); q <= before; q++)
            alike[q] = 0;
        there[sorted[i].bytes]++;
    }
    for (uint64_t q = GRAM_MAX; q >= GRAM_MIN; q--) {
        there[q] += there[q + 1];
        pairs->equal[q] = (double)equal[q];
        pairs->all[q] = (double)there[q] * ((double)there[q] - 1) / 2;
    }
}

/* Measures how often grams of each length are equal. If too few samples are equal, assumes that a
 * further byte makes grams rarer by the last factor that could be measured: in a language, by less
 * than an independent byte would. */
static void measure_likeness(const struct trawl_plan *plan, struct likeness *likeness)
{
    uint32_t bytes[256] = {0};
    struct sample_pairs pairs;
    double total = 0, alike = 0, rate = 0, decay;
    uint64_t step = 1 + plan->literal_bytes_total / SAMPLE_BYTES, looked;

    count_pairs(plan, &pairs);
    for (uint64_t i = 0; i < plan->literal_bytes_total; i += step)
        bytes[plan->literal_bytes[i]]++;
    looked = 1 + (plan->literal_bytes_total - 1) / step;
    total = (double)looked;
    for (uint32_t b = 0; b < 256; b++)
        alike += bytes[b] / total * (bytes[b] / total);
    decay = alike;
    for (uint32_t q = GRAM_MIN; q <= GRAM_MAX; q++) {
        double before = rate;

        if (pairs.equal[q] >= EQUAL_MIN) {
            rate = max_double(pairs.equal[q] / pairs.all[q], power_of(alike, q));
            if (before > 0 && pairs.equal[q] >= EQUAL_MANY)
                decay = min_double(1, max_double(alike, rate / before));
        } else {
            rate = before > 0 ? before * decay : power_of(alike, q);
        }
        likeness->rate[q] = min_double(1, rate);
        likeness->uneven[q] = rate > UNEVEN_TIMES * power_of(alike, q);
    }
}

static uint32_t gram_words(uint32_t gram_bytes)
{
    return gram_bytes <= 8 ? 2 : 4;
}

static const struct {
    uint32_t stride, gram, choices;
} forms[] = {
#define FORM(stride, gram, choices) {stride, gram, choices},
    SCAN_SETS_FORMS(FORM)
#undef FORM
};

#define FORMS (sizeof forms / sizeof *forms)

static enum cuda_kernel kernel_of(const struct choice *choice)
{
    uint32_t first =
        choice->variant == CUDA_SETS_RARE ? CUDA_KERNEL_SETS_FIRST : CUDA_KERNEL_SETS_DENSE;

    return (enum cuda_kernel)(first + choice->form);
}

static bool is_rare(enum cuda_kernel kernel)
{
    return kernel < CUDA_KERNEL_SETS_DENSE;
}

/* Returns the share of grams outside the set that pass a bitmap in which each of `entries` entries
 * sets `bits` bits of a word. The number of entries per word follows Poisson's distribution. The
 * share follows by inclusion and exclusion over the bits that are not set. */
static double passing(double entries, double words, double word_bits, uint32_t bits)
{
    static const double ways[4][4] = {{0}, {0, 1}, {0, 2, -1}, {0, 3, -3, 1}};
    double unset = 1 - 1 / word_bits, share = 0;

    TRAWL_ASSERT(bits >= 1 && bits <= 3 && words > 0);
    for (uint32_t k = 1; k <= bits; k++)
        share += ways[bits][k] * saturation(entries / words * (1 - power_of(unset, k * bits)));
    return max_double(0, share);
}

/* Returns how many bits, 0 or 1, the kernels of the variant always add to a gram's bits in the
 * bitmap. The price chooses only the number of the other bits. */
static uint32_t more_bits(const struct choice *choice)
{
    return choice->variant == CUDA_SETS_RARE && choice->stride >= SCAN_SETS_MORE_STRIDE;
}

/* Returns the expected number of entries: for each literal, the number of different grams that its
 * samples choose. If a run of grams moves by one, a different gram has the least hash with
 * probability 2 / (choices + 1) (Schleimer, Wilkerson and Aiken 2003). */
static double entries_of(const struct trawl_plan *plan, const struct choice *choice)
{
    return (double)plan->literal_count * (1 + (choice->stride - 1) * 2.0 / (choice->choices + 1));
}

/* Returns the expected number of grams of the set that are equal to a sample's gram. Chosen grams
 * have low hashes, so two chosen grams are equal more often. */
static double met_by(const struct trawl_plan *plan, const struct choice *choice,
                     const struct likeness *likeness)
{
    double w = choice->choices, rate = likeness->rate[choice->gram_bytes];

    if (likeness->uneven[choice->gram_bytes])
        rate *= choice->choices > 1                  ? UNEVEN_CHOICES
                : choice->gram_bytes <= UNEVEN_BYTES ? UNEVEN_SHORT
                                                     : 1;
    return (double)plan->literal_count * rate * w * (choice->stride + w - 1) / (2 * w - 1) *
           (1 + (w - 1) / (2 * w));
}

static uint32_t words_of(const struct engine_worker *worker, uint64_t entries)
{
    uint64_t most = entries > TABLE_ENTRIES_FEW ? TABLE_WORDS_MANY : TABLE_WORDS_FEW;

    return (uint32_t)min_u64(min_u64(most, worker->limits.sets_table_words_max),
                             max_u64(entries, TABLE_WORDS_MIN));
}

static uint32_t heads_of(uint64_t entries)
{
    return (uint32_t)min_u64(
        max_u64(max_u64(entries, HEADS_MIN), min_u64(entries * HEADS_PER_ENTRY, HEADS_SPARSE_MAX)),
        ENTRIES_MAX);
}

static bool is_tagged(const struct choice *choice)
{
    return choice->stride + choice->choices > 2 && /* the run has bytes beside the gram */
           (choice->stride <= TAG_STRIDE_MAX || choice->met > TAG_MET_MIN);
}

/* Returns the share of samples whose lists are searched, if the share `first` passes the bitmap. */
static double lists_of(const struct engine_worker *worker, const struct choice *choice,
                       double entries, double first)
{
    double words = words_of(worker, (uint64_t)entries);
    double load = entries / heads_of((uint64_t)entries);

    if (choice->variant == CUDA_SETS_DENSE)
        return first * max_double(passing(entries, words, 64, 2), entries / 4294967296.0) +
               choice->met;
    return first * (saturation(load) - load * (1 - saturation(load))) +
           choice->met * (is_tagged(choice) ? max_double(RARE_MET, saturation(load)) : 1);
}

/* Returns the cost of a text byte in this variant if a share `first` of the samples passes the
 * bitmap, and the lists of a share `lists` are searched. */
static double cost_with(const struct choice *choice, double first, double lists)
{
    uint32_t stride = choice->stride, words = gram_words(choice->gram_bytes);
    double samples = stride >= 16 ? 1 : 16.0 / stride, rows = stride >= 16 ? 16.0 / stride : 1;
    double read = stride >= 64 ? 1.15 * 32 / stride : 1, slots, banks, lookups;

    slots = (costs[choice->variant].row + WORD_SLOTS * (words - 2) +
             samples * (costs[choice->variant].sample + (choice->choices - 1) * CHOICE_SLOTS +
                        more_bits(choice) * MORE_SLOTS)) *
            rows;
    if (stride < 4)
        slots += samples * UNALIGNED_SLOTS * (4 - stride) / 4;
    slots += 32 * samples * rows * first * costs[choice->variant].pass;
    banks = samples * BANK_SLOTS * rows;
    lookups = (first * costs[choice->variant].table + lists * costs[choice->variant].list) / stride;
    return (max_double(read, max_double(slots / SLOTS_PER_ROW, banks / BANK_SLOTS_PER_ROW)) +
            slots * SLOT_COST) *
               (choice->cache >= COST_LARGE ? COST_CACHE : 1) +
           lookups * (1 + choice->cache * first);
}

static double cost_of_variant(const struct engine_worker *worker, const struct trawl_plan *plan,
                              const struct choice *choice)
{
    double entries = entries_of(plan, choice);
    double first =
        min_double(1, passing(entries, choice->filter_words, 32, choice->bits) + choice->met);

    return cost_with(choice, first, lists_of(worker, choice, entries, first));
}

/* Returns a lower bound of cost_of_variant: only samples that meet a gram of the set pass. */
static double cost_at_least(const struct choice *choice)
{
    return cost_with(choice, min_double(1, choice->met),
                     choice->met *
                         (is_tagged(choice) && choice->variant == CUDA_SETS_RARE ? RARE_MET : 1));
}

/* Returns a small cost that decides between equal choices: the cost for texts unlike the patterns,
 * and the size of the bitmap. If every sample of a text like the patterns meets several patterns,
 * no bitmap rules out a sample, and all choices would cost the same. */
static double cost_of_ties(const struct engine_worker *worker, const struct trawl_plan *plan,
                           const struct choice *choice)
{
    struct choice unlike = *choice;

    unlike.met = 0;
    return COST_UNLIKE * cost_of_variant(worker, plan, &unlike) +
           COST_SIZE * choice->filter_words / FILTER_LARGE;
}

static uint32_t filter_words_max(const struct engine_worker *worker, uint32_t variant)
{
    uint32_t queues = CUDA_STATIC_SHARED_BYTES + SCAN_WARPS_MAX * (variant == CUDA_SETS_RARE
                                                                       ? SCAN_SETS_RARE_WARP_BYTES
                                                                       : SCAN_SETS_WARP_BYTES);
    uint32_t shared_bytes = worker->device->shared_max;

    return shared_bytes < queues ? 0
                                 : (uint32_t)min_u64((shared_bytes - queues) / 4,
                                                     worker->limits.sets_filter_words_max) &
                                       ~3u;
}

/* Returns the cheapest variant and size of the bitmap for a form, a stride and grams of gram_bytes
 * bytes. Skips variants that cost more than `most`. */
static struct choice cost_of(const struct engine_worker *worker, const struct trawl_plan *plan,
                             const struct likeness *likeness, uint32_t form, uint32_t stride,
                             uint32_t gram_bytes, double most)
{
    static const uint32_t sizes[] = FILTER_SIZES;
    struct choice best = {.stride = stride,
                          .gram_bytes = gram_bytes,
                          .form = form,
                          .choices = forms[form].choices,
                          .filter_words = 4,
                          .variant = CUDA_SETS_DENSE,
                          .cost = 1e200},
                  one;
    double entries = entries_of(plan, &best);
    bool can_win[CUDA_SETS_VARIANTS];

    best.met = met_by(plan, &best, likeness);
    one = best;
    one.cache = 0;
    for (uint32_t variant = 0; variant < CUDA_SETS_VARIANTS; variant++) {
        one.variant = variant;
        can_win[variant] = cost_at_least(&one) <= most;
    }
    for (uint32_t i = 0; i < CUDA_SETS_VARIANTS * (sizeof sizes / sizeof *sizes); i++) {
        uint32_t size = sizes[i / CUDA_SETS_VARIANTS];

        one.variant = i % CUDA_SETS_VARIANTS;
        if (!can_win[one.variant])
            continue;
        one.filter_words =
            (uint32_t)min_u64(filter_words_max(worker, one.variant),
                              size - (one.variant == CUDA_SETS_RARE ? RARE_WORDS : DENSE_WORDS));
        one.cache = size > FILTER_LARGE ? COST_LARGE : size > FILTER_MIDDLE ? COST_MIDDLE : 0;
        if (one.variant == CUDA_SETS_RARE && (plan->flags & TRAWL_IGNORE_CASE) != 0)
            continue;
        one.bits = worker->limits.sets_bits;
        if (one.bits == 0)
            one.bits = passing(entries, one.filter_words, 32, 2 + more_bits(&one)) <=
                               passing(entries, one.filter_words, 32, 1 + more_bits(&one))
                           ? 2
                           : 1;
        one.bits += more_bits(&one);
        one.cost = cost_of_variant(worker, plan, &one) + cost_of_ties(worker, plan, &one);
        if (worker->limits.sets_variant < CUDA_SETS_VARIANTS &&
            worker->limits.sets_variant != one.variant)
            one.cost += 1e4;
        if (one.cost < best.cost)
            best = one;
    }
    if (worker->limits.sets_stride != 0 && stride != worker->limits.sets_stride)
        best.cost += 1e6;
    if (worker->limits.sets_gram != 0 && gram_bytes != worker->limits.sets_gram)
        best.cost += 1e3;
    if (worker->limits.sets_choices != 0 && best.choices != worker->limits.sets_choices)
        best.cost += 1e5;
    return best;
}

static struct choice choose(const struct engine_worker *worker, const struct trawl_plan *plan)
{
    struct choice best = {.cost = 1e300};
    struct likeness likeness;

    measure_likeness(plan, &likeness);
    for (uint32_t stride = 1; stride <= SCAN_SETS_STRIDE_MAX; stride *= 2) {
        if (plan->literal_count > worker->limits.sets_entries_max / stride)
            continue;
        for (uint32_t form = 0; form < FORMS; form++) {
            uint32_t most = forms[form].gram, least = most <= 8 ? GRAM_MIN : 9;

            if (min_u64(stride, 16) != forms[form].stride)
                continue;
            for (uint32_t q = forms[form].choices > 1 ? most : least;
                 q <= most && stride + forms[form].choices + q - 2 <= plan->length_min; q++) {
                struct choice one = cost_of(worker, plan, &likeness, form, stride, q, best.cost);

                if (one.cost <= best.cost)
                    best = one;
            }
        }
    }
    return best;
}

/* Returns the factor of the k-th word of a gram. If the gram ends within the word, the factor
 * shifts the bytes behind the gram out of the product. */
static uint32_t gram_factor(uint32_t k, uint32_t gram_bytes)
{
    static const uint32_t factors[4] = {0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du, 0x27d4eb2fu};
    uint32_t bytes = gram_bytes > 4 * k ? gram_bytes - 4 * k : 0;

    TRAWL_ASSERT(k < 4 && gram_bytes <= GRAM_MAX);
    return bytes == 0 ? 0 : bytes >= 4 ? factors[k] : factors[k] << 8 * (4 - bytes);
}

void cuda_sets_choose(const struct engine_worker *worker, const struct trawl_plan *plan,
                      struct cuda_tables *tables)
{
    struct scan_sets *sets = &tables->sets;
    struct choice choice;
    uint64_t entries;

    if (!worker->limits.sets || plan->length_min < SCAN_SETS_LENGTH_MIN ||
        plan->literal_bytes_total >= (1ull << 34))
        return;
    if (filter_words_max(worker, CUDA_SETS_RARE) == 0)
        return;
    choice = choose(worker, plan);
    if (choice.stride == 0)
        return;
    TRAWL_ASSERT(choice.stride + choice.choices + choice.gram_bytes - 2 <= plan->length_min);
    TRAWL_ASSERT(choice.filter_words % 4 == 0 && choice.form < FORMS);
    tables->sets_kernel = kernel_of(&choice);
    tables->sets_price = choice.cost;
    entries = (uint64_t)entries_of(plan, &choice);
    sets->literal_count = plan->literal_count;
    sets->stride = choice.stride;
    while (1u << sets->stride_log2 < choice.stride)
        sets->stride_log2++;
    sets->words = gram_words(choice.gram_bytes);
    sets->gram_bytes = choice.gram_bytes;
    sets->choices = choice.choices;
    sets->tagged = is_tagged(&choice);
    sets->beside_shift =
        choice.stride + choice.choices > 4 ? 16 : 24; /* bytes that exist at least on one side */
    for (uint32_t k = 0; k < sets->words; k++)        /* the second of two words is full */
        sets->factors[k] = gram_factor(k, sets->words == 2 ? 8 : choice.gram_bytes);
    sets->fold = (plan->flags & TRAWL_IGNORE_CASE) != 0 ? 0x20202020u : 0;
    sets->filter_words = choice.filter_words;
    sets->bit_shifts[0] = SCAN_SETS_SHIFT;
    sets->one_more = more_bits(&choice);
    sets->bit_shifts[1] =
        choice.bits - sets->one_more == 2 ? SCAN_SETS_SHIFT_SECOND : SCAN_SETS_SHIFT;
    sets->offset_max = SCAN_SETS_RUN_MAX + choice.stride - 1;
    sets->table_words = choice.variant == CUDA_SETS_RARE ? 0 : words_of(worker, entries);
    sets->head_count = heads_of(entries);
    sets->items_max = worker->limits.sets_items_max;
    sets->shared_bytes =
        sets->filter_words * 4 + (choice.variant == CUDA_SETS_RARE
                                      ? SCAN_SETS_THREADS / 32 * SCAN_SETS_RARE_WARP_BYTES
                                      : SCAN_SETS_DENSE_THREADS / 32 * SCAN_SETS_WARP_BYTES);
    TRAWL_ASSERT(1u << sets->stride_log2 == sets->stride);
    TRAWL_ASSERT(sets->shared_bytes + CUDA_STATIC_SHARED_BYTES <= worker->device->shared_max);
    tables->has_sets = true;
}

void cuda_sets_rarity(const struct trawl_plan *plan, const struct scan_sets *sets, uint32_t *rarity)
{
    struct byte_rates rates;

    analyse_rates(NULL, 0, plan_literal_bytes(plan, 0), plan_literal_at(plan, 0).bytes_count,
                  sets->fold != 0, &rates);
    for (uint32_t b = 0; b < 256; b++)
        rarity[b] = (uint32_t)(rarity_of(rates.rate[b] + 1e-9) * (1u << SCAN_SETS_RARITY));
}

/* Returns *at, the address of an array of `bytes` bytes, and moves *at to the next array. */
static uint64_t layout_take(uint64_t *at, uint64_t bytes)
{
    uint64_t address = *at;

    *at += (bytes + 255) & ~255ull;
    return address;
}

/* Lays out all tables except the entries from `address` on. Returns the number of bytes. */
static uint64_t lay_out(uint64_t address, struct scan_sets *sets)
{
    uint64_t at = address;

    sets->filter = (uint32_t *)(uintptr_t)layout_take(&at, sets->filter_words * 4ull);
    sets->table = (uint64_t *)(uintptr_t)layout_take(&at, sets->table_words * 8ull);
    sets->taken = (uint64_t *)(uintptr_t)layout_take(&at, 8);
    sets->heads = (uint64_t *)(uintptr_t)layout_take(&at, sets->head_count * 16ull);
    return at - address;
}

static enum trawl_status launch_maker(struct engine_worker *worker, enum cuda_kernel kernel,
                                      struct trawl_error *error)
{
    const struct cuda_device *device = worker->device;
    struct scan_arguments *arguments = &worker->tables->arguments;
    uint64_t entries = (uint64_t)arguments->sets.literal_count * arguments->sets.stride;
    uint32_t blocks = (uint32_t)min_u64((entries + SCAN_THREADS_MAX - 1) / SCAN_THREADS_MAX,
                                        (uint64_t)device->multiprocessors * FILL_BLOCKS);
    void *parameters[] = {arguments};

    TRAWL_ASSERT(blocks > 0);
    return CUDA_CALL(device, error, launch, device->functions[kernel], blocks, 1, 1,
                     worker->limits.threads, 1, 1, 0, worker->stream, parameters, NULL);
}

/* Reserves memory for the lists' entries except each list's first. A small set gets room for all
 * possible entries. A large set may have only a fraction of them, so the function waits for the
 * number that the kernel set_room computes. */
static enum trawl_status reserve_entries(struct engine_worker *worker, struct trawl_error *error)
{
    const struct cuda_device *device = worker->device;
    struct cuda_memory *memory = &worker->tables->entries_memory;
    struct scan_sets *sets = &worker->tables->arguments.sets;
    uint64_t *entries = &worker->tables->entries;

    *entries = (uint64_t)sets->literal_count * sets->stride;
    if (*entries > worker->limits.sets_counted_min) {
        TRAWL_TRY(CUDA_CALL(device, error, copy_to_host, entries, (uint64_t)(uintptr_t)sets->taken,
                            sizeof *entries, worker->stream));
        TRAWL_TRY(CUDA_CALL(device, error, stream_wait, worker->stream));
    }
    TRAWL_ASSERT(*entries <= (uint64_t)sets->literal_count * sets->stride);
    TRAWL_TRY(cuda_memory_reserve(
        worker->device, memory, cuda_worker_room(worker, *entries * sizeof *sets->entries), error));
    sets->entries = (uint64_t *)(uintptr_t)memory->address;
    return TRAWL_OK;
}

/* Starts the kernels that make the tables, while the plan's other tables are being copied. If the
 * device lacks memory, has_sets becomes false, and the kernels of set.cu search. */
enum trawl_status cuda_sets_build(struct engine_worker *worker, struct trawl_error *error)
{
    struct cuda_tables *tables = worker->tables;
    struct scan_sets *sets = &tables->arguments.sets;
    uint64_t bytes = lay_out(0, sets), zeros;
    enum trawl_status status;

    tables->has_sets = false;
    status = cuda_memory_reserve(worker->device, &tables->sets_memory,
                                 cuda_worker_room(worker, bytes), error);
    if (status == TRAWL_MEMORY)
        return TRAWL_OK;
    TRAWL_TRY(status);
    zeros = lay_out(tables->sets_memory.address, sets);
    TRAWL_TRY(CUDA_CALL(worker->device, error, fill, tables->sets_memory.address, 0, (size_t)zeros,
                        worker->stream));
    TRAWL_TRY(launch_maker(worker, CUDA_KERNEL_SET_RUNS, error));
    TRAWL_TRY(launch_maker(worker, CUDA_KERNEL_SET_COUNT, error));
    TRAWL_TRY(launch_maker(worker, CUDA_KERNEL_SET_ROOM, error));
    status = reserve_entries(worker, error);
    if (status == TRAWL_MEMORY)
        return TRAWL_OK;
    TRAWL_TRY(status);
    TRAWL_TRY(launch_maker(worker, CUDA_KERNEL_SET_FILL, error));
    tables->has_sets = tables->sets_there = true;
    return TRAWL_OK;
}

/* Chooses the threads and the tiles of a launch. */
void cuda_sets_prepare(const struct engine_worker *worker, uint32_t blocks,
                       struct cuda_launch *launch)
{
    struct scan_arguments *a = &launch->arguments;
    bool rare = is_rare(launch->kernel);
    uint32_t rows = rare ? SCAN_SETS_ROWS : SCAN_SETS_DENSE_ROWS, steps = TILE_STEPS;
    uint64_t step_bytes = rows * 32ull * max_u64(a->sets.stride, 16), places, end, warps;

    launch->threads = worker->limits.threads != SCAN_THREADS_MAX ? worker->limits.threads
                      : rare                                     ? SCAN_SETS_THREADS
                                                                 : SCAN_SETS_DENSE_THREADS;
    launch->shared_bytes = a->sets.shared_bytes;
    a->position = a->begin & ~(uint64_t)(max_u64(128, a->sets.stride) - 1);
    end = min_u64(a->limit + a->sets.offset_max, a->text_end);
    TRAWL_ASSERT(a->position <= a->begin && a->begin < end);
    places = end - a->position;
    warps = (uint64_t)launch->threads / 32 * blocks;
    while (steps > 1 &&
           (step_bytes * steps > TILE_BYTES_MAX || places / (step_bytes * steps) < 2 * warps))
        steps /= 2;
    a->tile_steps = steps;
    a->tile_bytes = step_bytes * steps;
    a->tile_count = (uint32_t)((places + a->tile_bytes - 1) / a->tile_bytes);
    TRAWL_ASSERT(a->tile_count * a->tile_bytes >= places);
    a->sets.budget = worker->limits.dense_always
                         ? 0
                         : (uint32_t)(COST_PER_BYTE * step_bytes) << worker->tables->budget_log2;
    a->listed_max = 0;
}
