/* sampled: when a device samples, and the tables of that method as the kernels read them.
 *
 * They differ from the plan's, which are for the CPU. A device hashes 16 bytes where the CPU hashes
 * 8: they lie in the same sector, and 8 bytes of English match too many offsets by chance. The
 * stride may be longer, because the bits that rule out nearly every sample are loaded once per
 * block.
 */
#include "cuda/sampled.h"

#include <string.h>

#include "base/checked.h"
#include "plan/analyse.h"

#define STRIDE_MAX                                                                               \
    16384u                /* beyond, the bits no longer fit into shared memory, nor offsets into \
                             SCAN_ENTRY_OFFSET_BITS */
#define PAIR_GAIN_MIN 64u /* pairs pay if they save one sample in this many */
#define WORDS_LOG2_MIN 10u
#define LENGTH_MIN 31u        /* 16 bytes at multiples of 16 */
#define LENGTH_CHOSEN_MIN 63u /* from here a device reads less than all, at stride 64 */
#define REPEATS_MAX 2.0
#define DECIDED_LENGTH_MAX 8u /* at each position, by method every */

/* At least this many times `count`, as a power of two. */
static uint32_t log2_above(uint64_t count)
{
    return 64u - (uint32_t)__builtin_clzll(count);
}

/* What a byte of text takes, in units of reading it [H100, 256 MiB; ./dev bench regret]. Candidates
 * that fail cost little; what stands there, or nearly, is compared to its end by a warp; by method
 * set with several others, so that it costs less where it is frequent. */
#define READ_EVERY 1.29 /* of more than 8 bytes */
#define READ_GRAMS 1.03
#define READ_SAMPLED 1.13  /* where each sample's sector is the next one's, too */
#define SAMPLED_HALF 130.0 /* bytes of a pattern that halve what is read */
#define FAILED 300.0
#define FOUND 3000.0
#define NAMED 2500.0
#define DENSE_RATE 0.01 /* of positions with the rarest 8 bytes: for planes, by method every */
#define READ_PLANES 2.2
#define SET_LENGTH_MIN 16u /* of grams that tell enough */
#define READ_SET 1.12
#define SET_HALF 260.0
#define SET_FOUND 6.0 /* for each byte of the pattern */

static double least_of(double a, double b)
{
    return a < b ? a : b;
}

/* Of method set. */
static double set_price(double length, double found)
{
    return (length < LENGTH_CHOSEN_MIN ? READ_SET : 1 / (1 + length / SET_HALF)) +
           SET_FOUND * length * found;
}

/* By a sample of the text; for literals that are not decided at each position. */
static enum trawl_method choose_seen(const struct trawl_plan *plan,
                                     const struct plan_tuning *tuning)
{
    uint64_t length = plan->length_min;
    double found = least_of(tuning->every_rate, tuning->rare_rate);
    double least, price;
    enum trawl_method method = TRAWL_METHOD_EVERY;

    if (length >= LENGTH_MIN)
        found = least_of(found, tuning->named_rate);
    if (tuning->rare_rate > DENSE_RATE)
        return length >= SET_LENGTH_MIN && set_price((double)length, found) < READ_PLANES
                   ? TRAWL_METHOD_SET
                   : method;
    least = READ_EVERY + FAILED * tuning->rare_rate + FOUND * found;
    price = READ_GRAMS + FAILED * tuning->gram_rate +
            FOUND * least_of(tuning->gram_rate, tuning->every_rate);
    if (price < least) {
        least = price;
        method = TRAWL_METHOD_GRAMS;
    }
    price = length < LENGTH_CHOSEN_MIN ? READ_SAMPLED : 1 / (1 + (double)length / SAMPLED_HALF);
    price += NAMED * tuning->named_rate;
    if (length >= LENGTH_MIN && price < least) {
        least = price;
        method = TRAWL_METHOD_SAMPLED;
    }
    price = set_price((double)length, found);
    return length >= SET_LENGTH_MIN && price < least ? TRAWL_METHOD_SET : method;
}

/* Without one: not where the literal repeats itself, as samples of such a text would name many
 * offsets each. */
enum trawl_status cuda_sampled_choose(const struct trawl_plan *plan,
                                      const struct plan_tuning *tuning, enum trawl_method asked,
                                      enum trawl_method *method, struct trawl_error *error)
{
    double positions = REPEATS_MAX + 1;

    *method = TRAWL_METHOD_SET;
    if (!plan_is_one_literal(plan) || plan->method == TRAWL_METHOD_SET)
        return TRAWL_OK;
    *method = asked;
    if (asked == TRAWL_METHOD_AUTO && tuning != &plan->tuning &&
        plan->length_min > DECIDED_LENGTH_MAX) {
        *method = choose_seen(plan, tuning);
        return TRAWL_OK;
    }
    if (asked == TRAWL_METHOD_AUTO && plan->length_min >= LENGTH_CHOSEN_MIN && !tuning->repeats)
        TRAWL_TRY(sampled_repeats(plan, SCAN_SAMPLE_BYTES, &positions, error));
    if (positions <= REPEATS_MAX)
        *method = TRAWL_METHOD_SAMPLED;
    else if (asked == TRAWL_METHOD_AUTO ||
             (asked == TRAWL_METHOD_SAMPLED && plan->length_min < LENGTH_MIN))
        *method = plan_reads_grams(plan, tuning) ? TRAWL_METHOD_GRAMS : TRAWL_METHOD_EVERY;
    return TRAWL_OK;
}

void cuda_sampled_tune(const struct trawl_plan *plan, const uint8_t *sample, uint64_t sample_bytes,
                       struct plan_tuning *tuning)
{
    const uint8_t *bytes = plan_literal_bytes(plan, 0);
    uint64_t offsets = min_u64(plan->length_min, STRIDE_MAX + SCAN_SAMPLE_BYTES);
    bool fold = (plan->flags & TRAWL_IGNORE_CASE) != 0;
    struct byte_rates rates;

    plan_tune_probes(plan, sample, sample_bytes, &rates, tuning);
    plan_tune_grams(plan, sample, sample_bytes, &rates, tuning);
    if (!tuning->is_seen)
        return;
    if (plan->length_min > DECIDED_LENGTH_MAX)
        tuning->rare_offset = analyse_seen_window(bytes, plan->length_min, fold, &rates, sample,
                                                  sample_bytes, &tuning->rare_rate);
    if (plan->length_min < LENGTH_MIN)
        return;
    offsets -= SCAN_SAMPLE_BYTES - 1;
    tuning->named_rate =
        analyse_seen_named(bytes, offsets, fold, sample, sample_bytes) / (double)offsets;
}

void cuda_sampled_sizes(uint64_t length, struct scan_arguments *a)
{
    uint64_t single = min_u64(length + 1 - SCAN_SAMPLE_BYTES, STRIDE_MAX);
    uint64_t pair = min_u64(length + 1, STRIDE_MAX);

    TRAWL_ASSERT(length >= LENGTH_MIN);
    single -= single % SCAN_SAMPLE_BYTES;
    pair -= pair % (2 * SCAN_SAMPLE_BYTES);
    a->sample_pair = pair > single + single / PAIR_GAIN_MIN;
    a->stride = (uint32_t)(a->sample_pair != 0 ? pair : single);
    TRAWL_ASSERT(a->stride > 0 && a->stride <= STRIDE_MAX);
    a->hash_bits = 1 + log2_above(a->stride); /* two to four heads per gram */
    a->sample_words_log2 = (uint32_t)min_u64(max_u64(1 + log2_above(a->stride), WORDS_LOG2_MIN),
                                             SCAN_SAMPLE_WORDS_MAX);
}

void cuda_sampled_fill(const uint8_t *bytes, const struct scan_arguments *a,
                       const struct cuda_sampled_tables *tables)
{
    uint32_t fold = a->sample_fold;

    memset(tables->heads, 0xff, sizeof *tables->heads << a->hash_bits);
    for (uint32_t offset = 0; offset < scan_sample_reach(0, a->stride, a->sample_pair); offset++) {
        /* each push makes a chain descend */
        uint32_t gram[SCAN_SAMPLE_BYTES / 4], hash, *head;

        memcpy(gram, bytes + offset, sizeof gram);
        hash = scan_sample_hash(gram[0] | fold, gram[1] | fold, gram[2] | fold, gram[3] | fold);
        head = &tables->heads[hash >> (32 - a->hash_bits)];
        TRAWL_ASSERT(offset < a->stride && offset >> SCAN_ENTRY_OFFSET_BITS == 0);
        tables->next[offset] = *head;
        *head = scan_entry(offset, hash);
        tables->words[hash >> (32 - a->sample_words_log2)] |=
            1u << (hash & 31) | 1u << (hash >> 5 & 31);
    }
}
