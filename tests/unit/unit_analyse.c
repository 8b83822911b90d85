/* unit_analyse: what a plan's choice depends on. The byte rates sum to 1, and probes and words are
 * those that a slower, literal form of the rule picks from the same rates. */
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

/* A sample of records of 41 bytes, which a step of 3 meets at each of their offsets: "id=" and
 * seven zeros, then a record's own letters. */
#define RECORD 41u
#define RECORDS 400u

static void fill_records(uint8_t *sample)
{
    for (uint32_t r = 0; r < RECORDS; r++) {
        uint8_t *record = sample + r * RECORD;

        memcpy(record, "id=0000000", 10);
        for (uint32_t i = 10; i < RECORD; i++)
            record[i] = (uint8_t)('a' + (r * 7 + i * i) % 26);
    }
}

/* What a device asks of a sample: the 8 bytes that stand there least, though each of their bytes is
 * frequent; and how many offsets of the literal a position names by 16 bytes. */
static void seen_windows(void)
{
    static uint8_t sample[RECORDS * RECORD], literal[] = "id=0000000id=0000000xid=0000000";
    struct byte_rates rates;
    double rate = 1, named, deep;
    uint8_t literal_80[80];
    uint64_t offset;

    fill_records(sample);
    analyse_rates(sample, sizeof sample, literal, sizeof literal - 1, false, &rates);
    offset = analyse_seen_window(literal, sizeof literal - 1, false, &rates, sample, sizeof sample,
                                 &rate);
    TEST_CHECK(offset > 2 && offset < 23); /* not inside of what each record begins with */
    TEST_CHECK(rate < 1e-9);
    offset = analyse_seen_window(literal, 10, false, &rates, sample, sizeof sample, &rate);
    TEST_CHECK(offset <= 2 && fabs(rate - 1.0 / RECORD) < 1e-3);
    named = analyse_seen_named(sample, RECORD, RECORD - 15, false, sample, sizeof sample, &deep);
    TEST_CHECK(named >=
               (RECORD - 15.0) / RECORD / RECORDS); /* the first record itself, and those */
    TEST_CHECK(named <= (RECORD - 15.0) / RECORD);  /* of the same letters */
    named = analyse_seen_named(literal, 20, 5, false, sample, sizeof sample, &deep);
    TEST_CHECK(named < 1e-9); /* id=0000000id=000 stands nowhere */
    memcpy(sample + 10, "ID=0000000", 10);
    TEST_CHECK(analyse_seen_named(literal, 20, 5, false, sample, sizeof sample, &deep) < 1e-9);
    TEST_CHECK(analyse_seen_named(literal, 20, 5, true, sample, sizeof sample, &deep) > 0);
    memcpy(literal_80, sample + 33, sizeof literal_80);
    TEST_CHECK(analyse_seen_named(literal_80, 80, 1, false, sample, sizeof sample, &deep) > 0);
    TEST_CHECK(deep > 0);
    memset(literal_80 + 32, '~', 48);
    TEST_CHECK(analyse_seen_named(literal_80, 80, 1, false, sample, sizeof sample, &deep) > 0);
    TEST_CHECK(deep < 1e-9); /* what follows the 16 bytes is another */
}

/* A literal that repeats itself as its text does, but for one byte far behind its begin: the text
 * does not have what stands around that byte. Answers do not depend on it, and no literal of the
 * tests was so long: a device found a candidate in each period of the text. */
static void far_windows(void)
{
    static uint8_t sample[8192], literal[16384];
    struct byte_rates rates;
    double rate = 1;
    uint64_t offset;

    for (uint64_t i = 0; i < sizeof literal; i++)
        literal[i] = (uint8_t)('a' + i % 23);
    memcpy(sample, literal, sizeof sample);
    analyse_rates(sample, sizeof sample, literal, sizeof literal, false, &rates);
    offset =
        analyse_seen_window(literal, sizeof literal, false, &rates, sample, sizeof sample, &rate);
    TEST_CHECK(rate > 1.0 / 24); /* all of it stands there */
    for (uint64_t changed = 2000; changed < sizeof literal; changed += 2397) {
        literal[changed] ^= 3;
        offset = analyse_seen_window(literal, sizeof literal, false, &rates, sample, sizeof sample,
                                     &rate);
        TEST_CHECK(offset <= changed && changed < offset + 8 && rate < 1e-9);
        literal[changed] ^= 3;
    }
    literal[9000] ^= 0x20; /* a letter's other case is another byte, or is none */
    offset =
        analyse_seen_window(literal, sizeof literal, false, &rates, sample, sizeof sample, &rate);
    TEST_CHECK(offset <= 9000 && 9000 < offset + 8 && rate < 1e-9);
    (void)analyse_seen_window(literal, sizeof literal, true, &rates, sample, sizeof sample, &rate);
    TEST_CHECK(rate > 1.0 / 24);
}

int main(void)
{
    static const uint32_t alphabets[] = {1, 2, 4, 26, 256};
    struct test_random random;
    struct byte_rates rates;
    double sum = 0;

    test_begin("analyse");
    seen_windows();
    far_windows();
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
