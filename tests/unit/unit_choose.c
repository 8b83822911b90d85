/* unit_choose: checks the costs of the methods that the library predicts from a sample of the text,
 * and which method a worker therefore chooses. A wrong choice costs time but never changes an
 * answer, so comparisons of answers cannot find it. Expected values are worked out by hand. */
#include <math.h>

#include "approximate/approx_choose.h"
#include "calls.h"
#include "cpu/two_way.h"
#include "cpu/worker.h"
#include "plan/analyse.h"
#include "test.h"

#define SAMPLE_BYTES 8192u
#define CHUNK_BYTES (64u << 10)
#define ROTATION "abcdefgh"

static uint8_t sample[SAMPLE_BYTES];
static struct test_random chance;

static void fill(uint8_t *bytes, uint64_t count, const char *letters)
{
    uint64_t letter_count = strlen(letters);

    for (uint64_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)letters[test_random_below(&chance, letter_count)];
}

static struct trawl_plan *plan_of(const char *bytes, uint64_t count, enum trawl_method method)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_pattern pattern = {(const uint8_t *)bytes, count};
    struct trawl_plan *plan = NULL;

    options.method = method;
    if (!TEST_CHECK(trawl_plan_build(&pattern, 1, &options, &plan, NULL) == TRAWL_OK))
        exit(test_end());
    return plan;
}

static uint32_t probes_of(const char *literal, struct plan_probe *probes, double *passed)
{
    const uint8_t *bytes = (const uint8_t *)literal;
    struct byte_rates rates;

    analyse_rates(sample, SAMPLE_BYTES, bytes, strlen(literal), false, &rates);
    return analyse_probes(bytes, strlen(literal), false, &rates, sample, SAMPLE_BYTES, probes,
                          passed);
}

/* Checks how many offsets pass the probes (bytes of the pattern that are compared first) in lines
 * whose two rarest bytes always occur together: an offset that passes a probe of one also passes a
 * probe of the other. The letter `k` is three times as frequent, but occurs elsewhere. */
static void test_survivors(void)
{
    struct plan_probe probes[PLAN_PROBES_MAX];
    double passed[PLAN_PROBES_MAX];

    fill(sample, SAMPLE_BYTES, "aaab");
    for (uint64_t at = 0; at + 100 <= SAMPLE_BYTES; at += 100) {
        for (uint32_t i = 0; i < 3; i++)
            sample[at + test_random_below(&chance, 90)] = 'k';
        memcpy(sample + at + 92, "QaZ", 3);
    }
    TEST_CHECK(probes_of("kaaaQaZ", probes, passed) == 7);
    TEST_CHECK_U64(probes[0].offset, 4);
    TEST_CHECK_U64(probes[1].offset, 0);
    TEST_CHECK(passed[0] > 0.008 && passed[0] < 0.012); /* 1 in 100 */
    TEST_CHECK(passed[1] <= passed[0] / 8); /* the second probe by itself lets 3 in 100 pass */
    TEST_CHECK(probes_of("QaZ", probes, passed) == 3);
    TEST_CHECK_U64(probes[0].offset, 0);
    TEST_CHECK(passed[2] > passed[0] * 0.99 && passed[2] < passed[0] * 1.01);
    /* the second and third probe reject no further offset */
    TEST_CHECK_U64(analyse_first_probes(passed, 3), 1);
}

static void test_seen_grams(void)
{
    struct plan_grams grams;
    struct byte_rates rates;
    const uint8_t *literal = (const uint8_t *)ROTATION ROTATION;

    analyse_rates(NULL, 0, literal, 16, false, &rates);
    (void)analyse_grams(literal, 16, false, &rates, 8, &grams);
    TEST_CHECK_U64(grams.stride, 8);
    /* each gram of the sample is a gram of the literal */
    for (uint64_t i = 0; i < SAMPLE_BYTES; i++)
        sample[i] = (uint8_t)ROTATION[i % 8];
    TEST_CHECK(fabs(analyse_seen_grams(sample, SAMPLE_BYTES, &grams) - 1.0 / 8) < 1e-9);
    fill(sample, SAMPLE_BYTES / 2, "xyz");
    TEST_CHECK(fabs(analyse_seen_grams(sample, SAMPLE_BYTES, &grams) - 1.0 / 16) < 1e-3);
    fill(sample, SAMPLE_BYTES, "xyz");
    TEST_CHECK(analyse_seen_grams(sample, SAMPLE_BYTES, &grams) <= 0);
}

/* Checks sampled_seen for a literal of `count` bytes that repeats `abcdefgh`. In a text that
 * repeats the same bytes, each sample fits at `named` offsets of the literal; in a text of which
 * half does, samples fit at half as many on average. */
static void sampled_seen_of(uint64_t count, double named)
{
    static char literal[8008];
    struct sampled_rates rates;
    struct trawl_plan *plan;

    for (uint64_t i = 0; i < count; i++)
        literal[i] = ROTATION[i % 8];
    plan = plan_of(literal, count, TRAWL_METHOD_AUTO);
    TEST_CHECK_U64(sampled_stride(count), count - 8);
    for (uint64_t i = 0; i < SAMPLE_BYTES; i++)
        sample[i] = (uint8_t)ROTATION[i % 8];
    rates = sampled_seen(plan, sample, SAMPLE_BYTES);
    TEST_CHECK(fabs(rates.named - named) < 1e-9 * named);
    TEST_CHECK(fabs(rates.naming - 1) < 0.02); /* nearly each sample fits somewhere */
    fill(sample, SAMPLE_BYTES / 2, "xyz");
    TEST_CHECK(fabs(sampled_seen(plan, sample, SAMPLE_BYTES).named - named / 2) < named / 5);
    fill(sample, SAMPLE_BYTES, "xyz");
    TEST_CHECK(sampled_seen(plan, sample, SAMPLE_BYTES).named <= 0);
    trawl_plan_free(plan);
}

static bool is_near(double got, double expected)
{
    return fabs(got - expected) <= 1e-9 * fabs(expected);
}

/* Tunes the "sampled" method for a sample of the text (NULL: the text is unknown), and returns the
 * prices. */
static struct plan_prices priced(const struct trawl_plan *plan, struct plan_tuning *tuning,
                                 const struct plan_costs *costs, const uint8_t *text)
{
    plan_tune_sampled(plan, text, SAMPLE_BYTES, tuning);
    return plan_price(plan, tuning, costs);
}

/* Checks prices for a literal of 200 bytes (stride 192) and a text with none of the literal's
 * bytes. */
static void test_price(void)
{
    struct plan_costs costs = {.every = 1,
                               .every_probe = 2,
                               .grams = {80, 40, 20, 10},
                               .sample = 768,
                               .compared = 16,
                               .candidate = 100};
    struct plan_tuning tuning = {.first_probes = 2, .every_rate = 0.01, .gram_rate = 0.02};
    struct attachment *made;
    struct trawl_plan *plan;
    struct plan_prices prices;
    char literal[200];

    fill((uint8_t *)literal, sizeof literal, "abcdefghijklmnopqrstuvwxyz");
    memset(sample, '0', SAMPLE_BYTES);
    plan = plan_of(literal, sizeof literal, TRAWL_METHOD_AUTO);
    made = &plan->attached[PLAN_SAMPLED];
    tuning.grams.stride = 4;
    prices = priced(plan, &tuning, &costs, NULL);
    TEST_CHECK(is_near(prices.of[TRAWL_METHOD_SAMPLED], 4) && !attachment_is_there(made));
    prices = priced(plan, &tuning, &costs, sample);
    TEST_CHECK(is_near(prices.of[TRAWL_METHOD_EVERY], 1 + 2 * 2 + 16 * 0.01));
    TEST_CHECK(is_near(prices.of[TRAWL_METHOD_GRAMS], 20 + 100 * 0.02));
    TEST_CHECK(is_near(prices.of[TRAWL_METHOD_SAMPLED], 4));
    TEST_CHECK(prices.min == TRAWL_METHOD_SAMPLED && attachment_is_there(made));
    TEST_CHECK(plan_cheapest(&prices, TRAWL_METHOD_SAMPLED) == TRAWL_METHOD_EVERY);
    TEST_CHECK(is_near(plan_price_bare(plan, &tuning, &costs, TRAWL_METHOD_EVERY, 3), 1 + 2 * 3));
    tuning.sampled_took = 7; /* the measured time */
    prices = plan_price(plan, &tuning, &costs);
    TEST_CHECK(is_near(prices.of[TRAWL_METHOD_SAMPLED], 7) && prices.min == TRAWL_METHOD_EVERY);
    tuning.sampled_took = tuning.every_rate = 0;
    /* With a single probe, `every` costs as much as sampled, and at equal prices it is chosen. */
    tuning.first_probes = 1;
    costs.every = 2;
    prices = priced(plan, &tuning, &costs, sample);
    TEST_CHECK(is_near(prices.of[TRAWL_METHOD_EVERY], 4) && prices.min == TRAWL_METHOD_EVERY);
    memcpy(sample, literal, sizeof literal); /* now each sample finds at least one candidate */
    TEST_CHECK(priced(plan, &tuning, &costs, sample).of[TRAWL_METHOD_SAMPLED] >= 4 + 1.0 / 192);
    tuning.first_probes = 2;
    costs.every = 1;
    tuning.every_rate = 0.06;
    costs.grams[2] = 1;
    prices = priced(plan, &tuning, &costs, NULL);
    TEST_CHECK(is_near(prices.of[TRAWL_METHOD_GRAMS], 3) && prices.min == TRAWL_METHOD_GRAMS);
    TEST_CHECK(is_near(prices.of[TRAWL_METHOD_SAMPLED], 4));
    tuning.grams.stride = 0; /* grams were not tuned for a text */
    prices = priced(plan, &tuning, &costs, NULL);
    TEST_CHECK(prices.of[TRAWL_METHOD_GRAMS] <= 0 && prices.min == TRAWL_METHOD_SAMPLED);
    trawl_plan_free(plan);
    plan = plan_of(literal, 40, TRAWL_METHOD_AUTO); /* one vector is enough to compare 40 bytes */
    prices = priced(plan, &tuning, &costs, sample);
    TEST_CHECK(is_near(prices.of[TRAWL_METHOD_EVERY], 5 + 16 * 0.06));
    TEST_CHECK(prices.of[TRAWL_METHOD_SAMPLED] <= 0);
    trawl_plan_free(plan);
}

/* Chooses a method for the sample, as a worker does. */
static enum trawl_method looked(const struct trawl_plan *plan, const struct plan_costs *costs,
                                struct plan_tuning *tuning)
{
    struct plan_prices prices;

    *tuning = plan->tuning;
    if (!plan_look_far(plan, costs, sample, SAMPLE_BYTES, tuning, &prices))
        plan_look(plan, costs, sample, SAMPLE_BYTES, tuning, &prices);
    return prices.min;
}

/* Checks that a worker tunes the "grams" method if it could be the cheapest, and chooses it if the
 * literal's grams are rare in the text. */
static void test_look(void)
{
    static const struct plan_costs cheap_grams = {.every = 1,
                                                  .every_probe = 1,
                                                  .grams = {1, 1, 1, 1},
                                                  .sample = 1000,
                                                  .compared = 1,
                                                  .candidate = 1};
    struct plan_costs costs = cheap_grams;
    struct plan_tuning tuning;
    struct trawl_plan *plan;
    char literal[64];

    fill((uint8_t *)literal, sizeof literal, "ACGT");
    fill(sample, SAMPLE_BYTES, "ACGT");
    plan = plan_of(literal, sizeof literal, TRAWL_METHOD_AUTO);
    TEST_CHECK(looked(plan, &costs, &tuning) == TRAWL_METHOD_GRAMS);
    TEST_CHECK(tuning.is_seen && tuning.grams.stride > 0);
    costs.sample = 0.5 * 56; /* sampled costs less than grams could */
    TEST_CHECK(looked(plan, &costs, &tuning) == TRAWL_METHOD_SAMPLED);
    TEST_CHECK(!tuning.is_seen); /* the plan's own tuning was kept */
    costs.sample = 1.5 * 56;     /* sampled costs less than `every`, but more than grams */
    TEST_CHECK(looked(plan, &costs, &tuning) == TRAWL_METHOD_GRAMS);
    trawl_plan_free(plan);
}

/* Checks that every instruction set of this machine has costs, and that their order is
 * plausible. */
static void test_costs(void)
{
    const char *name;

    for (uint32_t i = 0; (name = trawl_instruction_set(i)) != NULL; i++) {
        const struct plan_costs *costs = plan_costs_of_instruction_set(name);

        TEST_CHECK(costs->every >= 0 && costs->every_probe > 0 && costs->grams[3] > 0);
        for (uint32_t k = 1; k < 4; k++) /* a wider stride costs at most a little more */
            TEST_CHECK(costs->grams[k] <= 1.1 * costs->grams[k - 1]);
        TEST_CHECK(costs->sample > costs->grams[3] && costs->compared > costs->sample &&
                   costs->candidate > costs->compared);
    }
    TEST_CHECK(plan_costs_of_instruction_set(NULL) == plan_costs_of_instruction_set("avx2"));
}

static struct cpu_worker *worker_open(const struct trawl_plan *plan, struct engine **engine)
{
    struct engine_options options = {.size = sizeof options};
    struct engine_worker *worker = NULL;

    TEST_CHECK(engine_cpu.open(&options, engine, NULL) == TRAWL_OK);
    TEST_CHECK(engine_cpu.compile(*engine, ENGINE_DEVICES_MAX, plan, &worker, NULL) == TRAWL_OK);
    return cpu_worker_of(worker);
}

/* The workers' call, which receives their changes. */
static struct method_changes changes;
static const struct engine_call call = {.changes = &changes};

static struct engine_result scan(struct cpu_worker *worker, const uint8_t *text, uint64_t at,
                                 enum want want)
{
    struct engine_chunk chunk = {.bytes = text,
                                 .begin = at,
                                 .owned = CHUNK_BYTES - 256,
                                 .before = at > 0,
                                 .after = 256,
                                 .readable = 256,
                                 .call = &call};
    struct engine_result result = {.count = 0};

    TEST_CHECK(engine_scan(&engine_cpu, (struct engine_worker *)worker, &chunk, 0, want, &result,
                           NULL) == TRAWL_OK);
    return result;
}

static uint64_t search(struct cpu_worker *worker, const uint8_t *text, uint64_t at)
{
    return scan(worker, text, at, WANT_COUNT).count;
}

static void check_change(const struct trawl_change *change, uint64_t offset, const char *before,
                         const char *after)
{
    TEST_CHECK_U64(change->offset, offset);
    TEST_CHECK(strcmp(change->before, before) == 0 && strcmp(change->after, after) == 0);
    TEST_CHECK(change->before_ns > 0 && change->after_ns > 0);
    TEST_CHECK(strcmp(change->why, "expected in a sample of the text") == 0);
}

/* Searches a text whose later parts are of other kinds than the first. Checks that a worker then
 * changes the method, or the number of probes. */
static void test_worker(void)
{
    static const struct plan_costs costs = {.every = 0.01,
                                            .every_probe = 0.01,
                                            .grams = {1, 1, 1, 1},
                                            .sample = 0.0264 * 56,
                                            .compared = 1,
                                            .candidate = 30};
    static uint8_t text[CHUNK_BYTES];
    struct engine *engine = NULL;
    struct cpu_worker *worker;
    struct trawl_plan *plan;
    char literal[64];

    fill((uint8_t *)literal, sizeof literal, "ACGT");
    plan = plan_of(literal, sizeof literal, TRAWL_METHOD_AUTO);
    cpu_sizes.look_after = cpu_sizes.look_again = CHUNK_BYTES;
    cpu_sizes.look_lost_ns = 0;
    worker = worker_open(plan, &engine);
    worker->costs = &costs;
    fill(text, sizeof text,
         "0123456789"); /* a single probe leaves no candidate, so the method `every` is cheap */
    (void)search(worker, text, CHUNK_BYTES);
    TEST_CHECK(worker->tuning == &plan->tuning); /* so early, the worker does not sample the text */
    (void)search(worker, text, 2 * CHUNK_BYTES);
    TEST_CHECK(worker->tuning == &worker->own && worker->method == TRAWL_METHOD_EVERY);
    TEST_CHECK_U64(worker->tuning->first_probes, 1);
    fill(text, sizeof text,
         "ACGT"); /* each probe leaves a quarter of the offsets; few samples fit the literal */
    memcpy(text + 1000, literal, sizeof literal);
    (void)search(worker, text, 3 * CHUNK_BYTES);
    TEST_CHECK(worker->method == TRAWL_METHOD_EVERY && worker->tuning->first_probes == 1);
    TEST_CHECK(search(worker, text, 4 * CHUNK_BYTES) >= 1);
    TEST_CHECK(worker->method == TRAWL_METHOD_SAMPLED);
    /* The text now consists of pieces of the literal. Most samples fit the literal, so the sampled
     * method is expensive. */
    for (uint64_t i = 0; i + 16 <= sizeof text; i += 16)
        memcpy(text + i, literal + test_random_below(&chance, 48), 16);
    (void)search(worker, text, 5 * CHUNK_BYTES);
    (void)search(worker, text, 6 * CHUNK_BYTES);
    TEST_CHECK(worker->method == TRAWL_METHOD_EVERY);
    TEST_CHECK(worker->tuning->first_probes > 1);
    /* the first look may have changed the method, too: that depends on the instruction set */
    if (TEST_CHECK(changes.count == 2 || changes.count == 3)) {
        check_change(&changes.kept[changes.count - 2], 4 * CHUNK_BYTES, "every", "sampled");
        check_change(&changes.kept[changes.count - 1], 6 * CHUNK_BYTES, "sampled", "every");
    }
    engine_cpu.release((struct engine_worker *)worker);
    engine_cpu.close(engine);
    trawl_plan_free(plan);
}

/* When verifying candidates has used up a chunk's budget of work, the linear search takes over.
 * Checks that it searches up to the chunk's end. Here the candidates use up the budget in a short
 * first part of the chunk. */
static void test_work(void)
{
    static const char unit[] = "ACGTTGCAAC";
    static uint8_t text[CHUNK_BYTES];
    struct engine *engine = NULL;
    struct cpu_worker *worker;
    struct trawl_plan *plan;
    char literal[1001];

    for (uint32_t i = 0; i < sizeof text; i++) /* with a byte changed here and there */
        text[i] = (uint8_t)(i % 700 == 9 ? 'T' : unit[i % 10]);
    for (uint32_t i = 0; i < sizeof literal; i++)
        literal[i] = i == 1000 ? 'T' : unit[i % 10];
    memcpy(text + 60000, literal, sizeof literal);
    plan = plan_of(literal, sizeof literal, TRAWL_METHOD_AUTO);
    cpu_sizes.look_after = cpu_sizes.look_again = 0;
    cpu_sizes.look_lost_ns = 1e18;
    worker = worker_open(plan, &engine);
    TEST_CHECK(worker->method != TRAWL_METHOD_SAMPLED);
    TEST_CHECK_U64(search(worker, text, 0), 1);
    cpu_sizes = cpu_sizes_default;
    engine_cpu.release((struct engine_worker *)worker);
    engine_cpu.close(engine);
    trawl_plan_free(plan);
}

/* Compares the linear search, alone, with a comparison at each position, for all short strings of
 * two letters. (In the random texts of other tests, one occurrence rarely follows another
 * directly.) */
static void test_two_way(void)
{
    uint8_t text[3000], string[7];

    fill(text, sizeof text, "ab");
    for (uint32_t code = 2; code < 256; code++) {
        uint64_t count = 31 - (uint64_t)__builtin_clz(code), critical, period, wrong = 0;
        struct two_way search;

        for (uint64_t i = 0; i < count; i++)
            string[i] = (uint8_t) "ab"[code >> i & 1];
        analyse_period(string, count, &critical, &period);
        two_way_begin(&search, string, count, critical, period, false, 0);
        for (uint64_t x = 0; x + count <= sizeof text; x++)
            wrong += memcmp(text + x, string, count) == 0 &&
                     two_way_next(&search, text, sizeof text - count + 1) != x;
        TEST_CHECK_U64(wrong, 0);
        TEST_CHECK(two_way_next(&search, text, sizeof text - count + 1) == UINT64_MAX);
    }
}

/* Checks that the tables of the "sampled" method are made for long texts, and for any text if the
 * method is forced. Answers do not show whether there are tables. */
static void test_tables(void)
{
    static uint8_t text[CHUNK_BYTES];
    struct engine_options options = {.size = sizeof options};
    struct engine *engine = NULL;
    char literal[1100];

    fill((uint8_t *)literal, sizeof literal, "ACGT");
    TEST_CHECK(engine_cpu.open(&options, &engine, NULL) == TRAWL_OK);
    for (uint32_t asked = 0; asked < 2; asked++) {
        struct trawl_plan *plan =
            plan_of(literal, sizeof literal, asked ? TRAWL_METHOD_SAMPLED : TRAWL_METHOD_AUTO);
        struct engine_worker *opened = NULL;
        struct cpu_worker *worker;

        TEST_CHECK(engine_cpu.compile(engine, ENGINE_DEVICES_MAX, plan, &opened, NULL) == TRAWL_OK);
        worker = cpu_worker_of(opened);
        TEST_CHECK(worker->method == TRAWL_METHOD_SAMPLED);
        cpu_sizes = cpu_sizes_default;
        TEST_CHECK((worker->sampled_after == 0) == asked);
        if (!asked) /* otherwise, by this machine's prices, the first chunk may get tables */
            worker->sampled_after = CHUNK_BYTES + CHUNK_BYTES / 2;
        (void)search(worker, text, 0);
        TEST_CHECK((worker->method == TRAWL_METHOD_SAMPLED) == asked);
        TEST_CHECK((worker->sampled != NULL) == asked);
        (void)search(worker, text, CHUNK_BYTES);
        TEST_CHECK(worker->method == TRAWL_METHOD_SAMPLED && worker->sampled != NULL);
        engine_cpu.release((struct engine_worker *)worker);
        trawl_plan_free(plan);
    }
    engine_cpu.close(engine);
}

/* Checks that a set is searched with the method that the plan's options name, for each kind of
 * result that a call may want. */
static void test_asked(void)
{
    static const enum trawl_method methods[] = {TRAWL_METHOD_BUCKETS, TRAWL_METHOD_CLASSES,
                                                TRAWL_METHOD_AUTOMATON};
    static uint8_t text[CHUNK_BYTES], strings[300][8];
    struct trawl_pattern patterns[300];

    fill(text, sizeof text, "0123456789");
    fill(strings[0], sizeof strings, "ACGT");
    for (uint32_t i = 0; i < 300; i++)
        patterns[i] = (struct trawl_pattern){strings[i], sizeof strings[i]};
    for (uint32_t i = 0; i < 3 * WANT_NOTHING; i++) {
        struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
        struct engine *engine = NULL;
        struct cpu_worker *worker;
        struct engine_result result;
        struct trawl_plan *plan;

        options.method = methods[i % 3];
        if (!TEST_CHECK(trawl_plan_build(patterns, 300, &options, &plan, NULL) == TRAWL_OK))
            return;
        worker = worker_open(plan, &engine);
        result = scan(worker, text, 0, (enum want)(i / 3));
        TEST_CHECK(result.method == options.method && result.count == 0);
        hits_release(&result.hits);
        engine_cpu.release((struct engine_worker *)worker);
        engine_cpu.close(engine);
        trawl_plan_free(plan);
    }
}

/* Checks that a device, rather than the host's 16 cores, searches a loaded text for 1,000 guides:
 * strings of DNA that end in the motif NGG, where N is any letter. The same holds if the motif must
 * be exact: the plan must not mistake N for a rare letter. One offset in 16 has the motif, and the
 * host looks up grams only there. */
static void test_guides(void)
{
    const struct approx_work work = {.bytes = UINT64_C(3) << 30, .threads = 16};
    const struct trawl_range motif = {20, 23};
    static uint8_t guides[1000][23];
    struct trawl_pattern patterns[1000];

    fill(guides[0], sizeof guides, "ACGT");
    for (uint32_t i = 0; i < 1000; i++) {
        memcpy(guides[i] + 20, "NGG", 3);
        patterns[i] = (struct trawl_pattern){guides[i], 23};
    }
    for (uint32_t exact = 0; exact < 2; exact++) {
        struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
        const struct approximate *approximate;
        struct trawl_plan *plan;

        options.alphabet = TRAWL_DNA;
        options.mismatches_max = 4;
        options.flags = TRAWL_REVERSE_COMPLEMENT;
        options.exact = &motif;
        options.exact_count = exact;
        if (!TEST_CHECK(trawl_plan_build(patterns, 1000, &options, &plan, NULL) == TRAWL_OK))
            return;
        TEST_CHECK(approx_want(plan, "avx2", &approximate, NULL) == TRAWL_OK);
        TEST_CHECK(approximate->method ==
                   APPROX_GRAMS); /* with AVX2, planes take 1.1 times as long */
        TEST_CHECK(!approx_is_for_host(approximate, &work));
        trawl_plan_free(plan);
    }
}

/* Checks that strings with one error are searched by pieces (parts that occur without an error),
 * unless the strings share their second halves: in texts that resemble the strings, these halves
 * are everywhere. */
static void test_pieces(void)
{
    static uint8_t strings[200][16];
    struct trawl_pattern patterns[200];

    fill(strings[0], sizeof strings, "abcdefghijklmnopqrstuvwxyz");
    for (uint32_t i = 0; i < 200; i++)
        patterns[i] = (struct trawl_pattern){strings[i], sizeof strings[i]};
    for (uint32_t i = 0; i < 6; i++) {
        static const uint64_t counts[] = {10, 200, 200};
        struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
        const struct approximate *approximate;
        struct trawl_plan *plan;

        for (uint32_t j = 0; i >= 4 && j < 200; j++)
            memcpy(strings[j] + 8, j % 2 == 0 ? " return " : " while (", 8);
        options.mismatches_max = i % 2;
        options.edits_max = 1 - i % 2;
        if (!TEST_CHECK(trawl_plan_build(patterns, counts[i / 2], &options, &plan, NULL) ==
                        TRAWL_OK))
            return;
        TEST_CHECK(approx_want(plan, "avx2", &approximate, NULL) == TRAWL_OK);
        TEST_CHECK(approximate->method == APPROX_PIECES);
        TEST_CHECK(approximate->method_dense == (i < 2 ? APPROX_FILTER : APPROX_GRAMS));
        trawl_plan_free(plan);
    }
}

/* Checks that a search for few strings begins by pieces, and gives them up if a piece occurs every
 * 9 bytes: a search that counts mismatches finds no candidate there. */
static void test_pieces_left(void)
{
    static char text[128u << 10];
    struct trawl_pattern patterns[2] = {{"for while ", 10}, {"function (", 10}};

    for (uint32_t at = 0; at < sizeof text; at++)
        text[at] = "FOR while"[at % 9];
    for (uint32_t k = 1; k <= 2; k++) {
        const struct approximate *approximate;
        AUTO_PLAN plan = must_plans(patterns, 2, PLAN_WITH(.mismatches_max = k));
        AUTO_SEARCHER searcher =
            must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU, .threads = 1));
        AUTO_TEXT there = must_text(text, sizeof text);

        MUST(approx_want(plan, NULL, &approximate, NULL));
        TEST_CHECK(approximate->method == APPROX_PIECES);
        TEST_CHECK_U64(must_count(searcher, plan, there), 0);
        TEST_CHECK(must_stats(searcher).candidate_count < sizeof text / 16);
    }
}

int main(void)
{
    test_begin("choose");
    chance = test_random_begin("choose");
    test_survivors();
    test_seen_grams();
    sampled_seen_of(64, 7);
    sampled_seen_of(8008, 1000); /* the count is not limited, for example to 64 */
    test_price();
    test_look();
    test_costs();
    test_worker();
    test_work();
    test_two_way();
    test_tables();
    test_asked();
    test_guides();
    test_pieces();
    test_pieces_left();
    return test_end();
}
