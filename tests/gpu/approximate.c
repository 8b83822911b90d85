/* approximate: searches with errors on a real device. A sample is held against the oracle, the
 * number of occurrences in a larger text against the host's engine. How fast they are: ./dev bench
 * gpu approximate. Random cases are compared with the oracle in a short text, and in a longer text
 * with the host's engine, also by time: the program prints where a device takes more than 1.5 times
 * the host's time and 5 ms, and fails only where answers differ.
 */
#include <time.h>

#include "approximate/choose.h"
#include "calls.h"
#include "diff/input.h"
#include "gpu/gpu.h"
#include "oracle/approximate.h"

#define GUIDES 1000u
#define GUIDE_BYTES 23u
#define LONG_BYTES 80u
#define SAMPLE_BYTES (16u << 10)
#define SAMPLE_PATTERNS 20u
#define TEXT_BYTES (1u << 20)

enum kind { MISMATCHES, EDITS };

struct row {
    const char *what;
    enum kind kind;
    uint32_t k;
    uint32_t patterns;
    uint32_t pattern_bytes;
    bool both_strands;
    bool has_motif; /* the last three letters are NGG, without errors */
};

static const struct row rows[] = {
    {"1,000 guides of 23, k = 3 mismatches", MISMATCHES, 3, GUIDES, GUIDE_BYTES, false, false},
    {"1,000 guides of 23, k = 4 mismatches", MISMATCHES, 4, GUIDES, GUIDE_BYTES, false, false},
    {"  both strands", MISMATCHES, 4, GUIDES, GUIDE_BYTES, true, false},
    {"  both strands, exact NGG", MISMATCHES, 4, GUIDES, GUIDE_BYTES, true, true},
    {"1,000 guides of 23, k = 6 mismatches", MISMATCHES, 6, GUIDES, GUIDE_BYTES, false, false},
    {"  both strands, exact NGG", MISMATCHES, 6, GUIDES, GUIDE_BYTES, true, true},
    {"1,000 guides of 23, k = 2 edits", EDITS, 2, GUIDES, GUIDE_BYTES, false, false},
    {"1,000 guides of 23, k = 3 edits", EDITS, 3, GUIDES, GUIDE_BYTES, false, false},
    {"  both strands", EDITS, 3, GUIDES, GUIDE_BYTES, true, false},
    {"1,000 guides of 23, k = 4 edits", EDITS, 4, GUIDES, GUIDE_BYTES, false, false},
    {"1 pattern of 40, k = 3 mismatches", MISMATCHES, 3, 1, 40, false, false},
    {"1 pattern of 40, k = 3 edits", EDITS, 3, 1, 40, false, false},
    {"999 patterns of 80, k = 2 mismatches", MISMATCHES, 2, 999, LONG_BYTES, false, false},
    {"999 patterns of 80, k = 2 edits", EDITS, 2, 999, LONG_BYTES, false, false},
};

struct fixture {
    struct trawl_searcher *gpu;
    struct trawl_searcher *cpu;
    struct trawl_text *text;
    uint8_t *patterns; /* LONG_BYTES each, of which a row takes the first */
    struct trawl_pattern *list;
};

static void fill_letters(struct test_random *random, uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count;) {
        uint64_t bits = test_random_u64(random);

        for (uint32_t j = 0; j < 32 && i < count; j++, bits >>= 2)
            bytes[i++] = (uint8_t) "ACGT"[bits & 3];
    }
}

static struct trawl_plan *plan_of(const struct fixture *f, const struct row *row, uint32_t patterns)
{
    static const struct trawl_range motif = {GUIDE_BYTES - 3, GUIDE_BYTES};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;

    options.alphabet = TRAWL_DNA;
    options.mismatches_max = row->kind == MISMATCHES ? row->k : 0;
    options.edits_max = row->kind == EDITS ? row->k : 0;
    options.flags = (row->both_strands ? TRAWL_REVERSE_COMPLEMENT : 0) |
                    (row->kind == EDITS ? TRAWL_EVERY_END : 0);
    for (uint32_t i = 0; i < patterns; i++) {
        uint8_t *bytes = f->patterns + (uint64_t)i * LONG_BYTES;

        f->list[i] = (struct trawl_pattern){bytes, row->pattern_bytes};
        if (row->has_motif)
            memcpy(bytes + GUIDE_BYTES - 3, "NGG", 3);
    }
    options.exact = &motif;
    options.exact_count = row->has_motif;
    return must_plans(f->list, patterns, &options);
}

static uint64_t oracle_count(const struct fixture *f, const struct row *row, uint32_t patterns,
                             const uint8_t *text)
{
    static const struct approximate_range motif = {GUIDE_BYTES - 3, GUIDE_BYTES};
    struct naive_bytes list[SAMPLE_PATTERNS];
    struct approximate_query query = {.patterns = list,
                                      .pattern_count = patterns,
                                      .alphabet = APPROXIMATE_DNA,
                                      .edits = row->kind == EDITS,
                                      .k = row->k,
                                      .every_end = row->kind == EDITS,
                                      .both_strands = row->both_strands,
                                      .exact = &motif,
                                      .exact_count = row->has_motif};

    for (uint32_t i = 0; i < patterns; i++)
        list[i] = (struct naive_bytes){f->patterns + (uint64_t)i * LONG_BYTES, row->pattern_bytes};
    return approximate_matches(&query, (struct naive_bytes){text, SAMPLE_BYTES}, NULL, 0);
}

/* The sample's text holds damaged copies of the patterns that are searched for. */
static void check_sample(const struct fixture *f, const struct row *row)
{
    uint32_t patterns = row->patterns < SAMPLE_PATTERNS ? row->patterns : SAMPLE_PATTERNS;
    struct test_random random = test_random_begin(row->what);
    uint8_t *text = (uint8_t *)test_memory(SAMPLE_BYTES);
    uint64_t expected;

    AUTO_PLAN plan = plan_of(f, row, patterns);
    AUTO_TEXT sample = must_text(text, SAMPLE_BYTES);

    fill_letters(&random, text, SAMPLE_BYTES);
    for (uint64_t at = 0; at + LONG_BYTES < SAMPLE_BYTES; at += 200) {
        const uint8_t *pattern =
            f->patterns + test_random_below(&random, patterns) * (uint64_t)LONG_BYTES;

        memcpy(text + at, pattern, row->pattern_bytes);
        for (uint32_t i = 0; i <= row->k; i++)
            text[at + test_random_below(&random, row->pattern_bytes)] = 'A';
    }
    expected = oracle_count(f, row, patterns, text);
    if (!TEST_CHECK_U64(must_count(f->gpu, plan, sample), expected))
        printf("  %s\n", row->what);
    TEST_CHECK(expected > 0);
    free(text);
}

/* ---- The text -------------------------------------------------------------------------------- */

/* By both methods where there are both. */
static void check_text(const struct fixture *f, const struct row *row)
{
    enum approx_method by_columns = row->kind == EDITS ? APPROX_COLUMNS : APPROX_PLANES;

    for (uint32_t i = row->patterns == GUIDES ? 1 : 0; i < 2; i++) {
        AUTO_PLAN plan = NULL;

        approx_method_forced = i == 0 ? APPROX_PIECES : by_columns;
        plan = plan_of(f, row, row->patterns);
        if (!TEST_CHECK_U64(must_count(f->gpu, plan, f->text), must_count(f->cpu, plan, f->text)))
            printf("  %s\n", row->what);
    }
}

/* ---- Random cases ---------------------------------------------------------------------------- */

#define CASES_NORMAL 5000
#define CASES_LONG 50000
#define RANDOM_PATTERNS 24u
#define RANDOM_BYTES 34u
#define SHORT_MAX 2000u
#define ORACLE_WORK 5000000u /* comparisons, about */
#define PROBE_BYTES (64u << 10)
#define LONG_MAX (4u << 20)
#define LONG_SECONDS 0.015 /* of the host's engine */
#define SLOWER_TIMES 1.5
#define SLOWER_SECONDS 0.005
#define SHOWN_MAX 40u

struct random_case {
    struct trawl_plan_options options;
    struct trawl_range exact;
    uint32_t count, length, k;
    bool edits;
    const char *letters;
    uint8_t bytes[RANDOM_PATTERNS][RANDOM_BYTES];
};

static struct {
    struct trawl_searcher *gpu, *cpu;
    uint8_t *text;
    uint64_t cases, matches, timed, slower;
    double worst;
} all;

static double seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void draw_case(struct test_random *random, struct random_case *c)
{
    static const char *const letters[] = {"ACGT", "ACGTN", "ACGTRYKMSWBDHVN", "ab",
                                          "abcdefghij KLM_\n"};
    const uint64_t kind = test_random_below(random, 5);
    const bool dna = kind < 3;

    c->options = (struct trawl_plan_options)TRAWL_PLAN_OPTIONS_INIT;
    c->letters = letters[kind];
    c->options.alphabet = dna ? TRAWL_DNA : TRAWL_BYTES;
    if (dna && test_random_below(random, 2) == 0)
        c->options.flags |= TRAWL_ANY_BASE;
    if (dna && test_random_below(random, 2) == 0)
        c->options.flags |= TRAWL_REVERSE_COMPLEMENT;
    c->count = 1 + (uint32_t)test_random_below(random, RANDOM_PATTERNS);
    c->length = 4 + (uint32_t)test_random_below(random, RANDOM_BYTES - 3);
    c->edits = test_random_below(random, 2) == 0;
    c->k = (uint32_t)test_random_below(random, test_random_below(random, 2) == 0 ? 4 : c->length);
    if (c->k == 0 && (!dna || c->edits))
        c->k = 1;
    c->k = c->k < TRAWL_ERRORS_MAX ? c->k : TRAWL_ERRORS_MAX;
    if (c->edits && test_random_below(random, 2) == 0)
        c->options.flags |= TRAWL_EVERY_END;
    c->options.edits_max = c->edits ? c->k : 0;
    c->options.mismatches_max = c->edits ? 0 : c->k;
    c->exact.begin = test_random_below(random, c->length);
    c->exact.end = c->exact.begin + 1 + test_random_below(random, 4);
    c->options.exact = &c->exact;
    c->options.exact_count = c->k > 0 && test_random_below(random, 3) == 0;
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t j = 0; j < c->length; j++)
            c->bytes[i][j] = (uint8_t)c->letters[test_random_below(random, strlen(c->letters))];
}

/* Random letters, and in every 100th byte about a pattern with up to k letters replaced. */
static void draw_random_text(struct test_random *random, const struct random_case *c,
                             uint64_t bytes)
{
    const uint64_t letters = strlen(c->letters);

    for (uint64_t i = 0; i < bytes; i++)
        all.text[i] = (uint8_t)c->letters[test_random_below(random, letters)];
    for (uint64_t at = 0; at + c->length <= bytes; at += 40 + test_random_below(random, 120)) {
        memcpy(all.text + at, c->bytes[test_random_below(random, c->count)], c->length);
        for (uint64_t i = test_random_below(random, (uint64_t)c->k + 1); i > 0; i--)
            all.text[at + test_random_below(random, c->length)] =
                (uint8_t)c->letters[test_random_below(random, letters)];
    }
}

static struct trawl_plan *random_plan(const struct random_case *c)
{
    struct trawl_pattern list[RANDOM_PATTERNS];

    for (uint32_t i = 0; i < c->count; i++)
        list[i] = (struct trawl_pattern){c->bytes[i], c->length};
    return must_plans(list, c->count, &c->options);
}

static uint64_t random_expected(const struct random_case *c, uint64_t bytes)
{
    const struct approximate_range exact = {c->exact.begin, c->exact.end};
    struct naive_bytes list[RANDOM_PATTERNS];
    const struct approximate_query query = {
        .patterns = list,
        .pattern_count = c->count,
        .alphabet = (enum approximate_alphabet)c->options.alphabet,
        .edits = c->edits,
        .k = c->k,
        .every_end = (c->options.flags & TRAWL_EVERY_END) != 0,
        .both_strands = (c->options.flags & TRAWL_REVERSE_COMPLEMENT) != 0,
        .any_base = (c->options.flags & TRAWL_ANY_BASE) != 0,
        .line_end = '\n',
        .line_end_also = '\n',
        .exact = &exact,
        .exact_count = c->options.exact_count};

    for (uint32_t i = 0; i < c->count; i++)
        list[i] = (struct naive_bytes){c->bytes[i], c->length};
    return approximate_matches(&query, (struct naive_bytes){all.text, bytes}, NULL, 0);
}

/* The less of two counts' times, each with a plan of its own. */
static double timed(struct trawl_searcher *searcher, const struct random_case *c,
                    struct trawl_text *text, uint64_t *count)
{
    double least = 1e9;

    for (uint32_t i = 0; i < 2; i++) {
        AUTO_PLAN plan = random_plan(c);
        double begin = seconds(), took;

        *count = must_count(searcher, plan, text);
        took = seconds() - begin;
        least = took < least ? took : least;
    }
    return least;
}

static void compare_times(const struct random_case *c, uint64_t index, uint64_t bytes)
{
    AUTO_TEXT text = must_text(all.text, bytes);
    uint64_t expected, count;
    double host = timed(all.cpu, c, text, &expected);

    for (uint32_t loaded = 0; loaded < 2; loaded++) {
        double device;

        if (loaded != 0)
            MUST(trawl_text_load(all.gpu, text, NULL));
        device = timed(all.gpu, c, text, &count);
        if (loaded != 0)
            trawl_text_unload(all.gpu, text);
        TEST_CHECK_U64(count, expected);
        all.timed++;
        if (device / (host + SLOWER_SECONDS) > all.worst)
            all.worst = device / (host + SLOWER_SECONDS);
        if (device <= SLOWER_TIMES * host + SLOWER_SECONDS)
            continue;
        if (all.slower++ < SHOWN_MAX)
            printf("case %" PRIu64
                   ", %s: %.2f ms, the host %.2f ms: %u patterns of %u of %zu letters, "
                   "flags %x, k = %u %s, %s, %" PRIu64 " bytes\n",
                   index, loaded != 0 ? "loaded" : "not loaded", device * 1e3, host * 1e3, c->count,
                   c->length, strlen(c->letters), c->options.flags, c->k,
                   c->edits ? "edits" : "mismatches",
                   c->options.exact_count > 0 ? "an exact part" : "no exact part", bytes);
    }
}

static void run_random(uint64_t index)
{
    struct test_random random = test_random_begin("approximate random");
    const uint64_t failures = test_failures;
    struct random_case c;
    uint64_t bytes, work, expected, count;
    double probe;

    random.state ^= ~index * 0x2545f4914f6cdd1du;
    approx_method_forced = APPROX_METHODS;
    draw_case(&random, &c);
    work = 2ull * c.count * c.length * (c.edits ? c.length + c.k : 1);
    bytes = ORACLE_WORK / work < SHORT_MAX ? ORACLE_WORK / work : SHORT_MAX;
    bytes += 2 * c.length;
    draw_random_text(&random, &c, bytes);
    expected = random_expected(&c, bytes);
    for (uint32_t loaded = 0; loaded < 2; loaded++) {
        AUTO_TEXT text = must_text(all.text, bytes);
        AUTO_PLAN plan = random_plan(&c);

        if (loaded != 0)
            MUST(trawl_text_load(all.gpu, text, NULL));
        TEST_CHECK_U64(must_count(all.gpu, plan, text), expected);
        if (loaded != 0)
            trawl_text_unload(all.gpu, text);
    }
    draw_random_text(&random, &c, PROBE_BYTES);
    {
        AUTO_TEXT text = must_text(all.text, PROBE_BYTES);

        probe = timed(all.cpu, &c, text, &count);
    }
    bytes = probe * LONG_MAX < LONG_SECONDS * PROBE_BYTES
                ? LONG_MAX
                : (uint64_t)(LONG_SECONDS / probe * PROBE_BYTES);
    if (bytes < PROBE_BYTES)
        bytes = PROBE_BYTES;
    draw_random_text(&random, &c, bytes);
    compare_times(&c, index, bytes);
    all.cases++;
    all.matches += expected;
    if (test_failures > failures)
        printf("TRAWL_TEST_CASE=%" PRIu64 "\n", index);
}

static void check_random(const struct fixture *f)
{
    all.gpu = f->gpu;
    all.cpu = f->cpu;
    all.text = (uint8_t *)test_memory(LONG_MAX);
    (void)test_cases(test_amount(CASES_NORMAL, CASES_LONG), run_random);
    printf(
        "%" PRIu64 " random cases, %" PRIu64 " matches; of %" PRIu64 " times %" PRIu64
        " are more than %.1f x the host's and %.0f ms; at most %.2f x (the host's and %.0f ms)\n",
        all.cases, all.matches, all.timed, all.slower, SLOWER_TIMES, SLOWER_SECONDS * 1e3,
        all.worst, SLOWER_SECONDS * 1e3);
    free(all.text);
}

int main(void)
{
    struct test_random random = test_random_begin("approximate");
    struct fixture f = {.list = NULL};
    uint8_t *bytes = (uint8_t *)test_memory(TEXT_BYTES);

    test_begin("gpu approximate");
    engine_cuda.close(gpu_open());
    f.gpu = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA));
    f.cpu = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU));
    f.patterns = (uint8_t *)test_memory((uint64_t)GUIDES * LONG_BYTES);
    f.list = (struct trawl_pattern *)test_memory(GUIDES * sizeof *f.list);
    fill_letters(&random, bytes, TEXT_BYTES);
    f.text = must_text(bytes, TEXT_BYTES);
    MUST(trawl_text_load(f.gpu, f.text, NULL));
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows && test_failures == 0; i++) {
        /* NGG was written over the guides' ends */
        fill_letters(&random, f.patterns, (uint64_t)GUIDES * LONG_BYTES);
        approx_method_forced = APPROX_METHODS;
        check_sample(&f, &rows[i]);
        check_text(&f, &rows[i]);
    }
    check_random(&f);
    trawl_text_unload(f.gpu, f.text);
    trawl_text_close(f.text);
    trawl_searcher_close(f.gpu);
    trawl_searcher_close(f.cpu);
    free(bytes);
    free(f.patterns);
    free(f.list);
    return test_end();
}
