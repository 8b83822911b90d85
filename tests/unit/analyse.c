/* analyse: what a plan's choice depends on. The byte rates sum to 1, and probes and words are those
 * that a slower, literal form of the rule picks from the same rates. */
#include <math.h>
#include <string.h>

#include "plan/analyse.h"
#include "test.h"

#define PATTERN_MAX 700u

/* The rule: the rarest byte first; then, near it, the least of rate x 2 for each probe of the same
 * byte x 1.5 for each neighbour that is a probe. The first of equals. */
static double cost_of(const uint8_t *bytes, uint64_t offset, const struct byte_rates *rates,
                      const struct plan_probe *probes, uint32_t probe_count)
{
    double cost = rates->rate[bytes[offset]];

    for (uint32_t i = 0; i < probe_count; i++) {
        if (probes[i].offset == offset)
            return INFINITY;
        cost *= bytes[probes[i].offset] == bytes[offset] ? 2.0 : 1.0;
        cost *= probes[i].offset + 1 == offset || offset + 1 == probes[i].offset ? 1.5 : 1.0;
    }
    return cost;
}

static void check_probes(const uint8_t *bytes, uint64_t count, const struct byte_rates *rates)
{
    struct plan_probe probes[PLAN_PROBES_MAX];
    double passed[PLAN_PROBES_MAX];
    uint32_t wanted = (uint32_t)(count < PLAN_PROBES_MAX ? count : PLAN_PROBES_MAX);
    uint64_t first = 0, last = count;

    TEST_CHECK_U64(analyse_probes(bytes, count, false, rates, NULL, 0, probes, passed), wanted);
    for (uint32_t i = 0; i < wanted; i++) {
        uint64_t best = first;

        for (uint64_t offset = first; offset < last; offset++)
            if (cost_of(bytes, offset, rates, probes, i) < cost_of(bytes, best, rates, probes, i))
                best = offset;
        TEST_CHECK_U64(probes[i].offset, best);
        TEST_CHECK_U64(probes[i].value, bytes[best]);
        if (i == 0 && count > PLAN_PROBE_SPAN_BYTES) {
            first = best > PLAN_PROBE_SPAN_BYTES / 2 ? best - PLAN_PROBE_SPAN_BYTES / 2 : 0;
            if (first > count - PLAN_PROBE_SPAN_BYTES)
                first = count - PLAN_PROBE_SPAN_BYTES;
            last = first + PLAN_PROBE_SPAN_BYTES;
        }
    }
}

static void check_rare(const uint8_t *bytes, uint64_t count, const struct byte_rates *rates)
{
    double least = INFINITY;
    double product[PATTERN_MAX]; /* apart from the sums: one rounding each on every machine */
    uint64_t best = 0, offset_found = analyse_rare_bytes(bytes, count, rates);

    for (uint64_t o = 0; o + 4 <= count; o++)
        product[o] = rates->rate[bytes[o]] * rates->rate[bytes[o + 1]] * rates->rate[bytes[o + 2]] *
                     rates->rate[bytes[o + 3]];
    for (uint64_t offset = 0; offset + 7 <= count; offset++) {
        double sum = product[offset] + product[offset + 1] + product[offset + 2];

        sum += product[offset + 3];
        if (sum < least) {
            least = sum;
            best = offset;
        }
    }
    TEST_CHECK_U64(offset_found, best);
}

int main(void)
{
    static const uint32_t alphabets[] = {1, 2, 4, 26, 256};
    struct test_random random;
    struct byte_rates rates;
    double sum = 0;

    test_begin("analyse");
    random = test_random_begin("analyse");
    analyse_rates(NULL, 0, (const uint8_t *)"word", 4, false, &rates);
    for (uint32_t byte = 0; byte < 256; byte++)
        sum += rates.rate[byte];
    TEST_CHECK(fabs(sum - 1) < 1e-12);
    for (uint64_t i = 0; i < test_amount(300, 20000); i++) {
        uint64_t count = 1 + test_random_below(&random, i % 4 == 0 ? PATTERN_MAX : 40);
        uint64_t alphabet = alphabets[test_random_below(&random, 5)];
        uint8_t bytes[PATTERN_MAX];

        for (uint64_t k = 0; k < count; k++)
            bytes[k] = (uint8_t)(alphabet == 256 ? test_random_below(&random, 256)
                                                 : 'a' + test_random_below(&random, alphabet));
        analyse_rates(NULL, 0, bytes, count, false, &rates);
        check_probes(bytes, count, &rates);
        if (count >= 7)
            check_rare(bytes, count, &rates);
    }
    return test_end();
}
