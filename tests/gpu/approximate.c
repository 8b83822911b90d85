/* approximate: searches with errors on a real device. A sample is held against the oracle, the
 * number of occurrences in a larger text against the host's engine. How fast they are: ./dev bench
 * gpu approximate.
 */
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
    trawl_text_unload(f.gpu, f.text);
    trawl_text_close(f.text);
    trawl_searcher_close(f.gpu);
    trawl_searcher_close(f.cpu);
    free(bytes);
    free(f.patterns);
    free(f.list);
    return test_end();
}
