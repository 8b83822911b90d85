/* choice_test: approximate searches on the simulated driver for which the host may be faster than a
 * device. Checks whether the host or the device searches, and that the answer is right.
 */
#include "approximate/approx_choose.h"
#include "approximate/device_tables.h"
#include "calls.h"
#include "cuda/limits.h"
#include "sim_host.h"
#include "oracle/oracle_approximate.h"
#include "sim_driver.h"

/* ---- Work ------------------------------------------------------------------------------------ */

/* A search by check_work. The test checks that a device verifies only few more candidates than the
 * host would. If the kernels would propose more, the host must search instead. */
struct work_row {
    const char *what, *letters;
    enum trawl_alphabet alphabet;
    uint32_t flags, patterns, pattern_bytes, mismatches, edits;
    /* a long text, without candidates in its middle, where the runtime takes a sample */
    bool is_dense;
    /* the engine that searches the loaded text: "cuda" or "cpu" */
    const char *engine;
};

static const struct work_row work_rows[] = {
    {"any base", "ACGTN", TRAWL_DNA, TRAWL_REVERSE_COMPLEMENT | TRAWL_ANY_BASE, 24, 34, 0, 0, false,
     "cuda"},
    {"any base, edits", "ACGT", TRAWL_DNA, TRAWL_ANY_BASE, 4, 20, 0, 2, false, "cuda"},
    {"most letters wrong", "abcdefghij KLM_\n", TRAWL_BYTES, 0, 27, 10, 6, 0, false, "cpu"},
    {"most letters edited", "abcdefghij KLM_\n", TRAWL_BYTES, 0, 9, 6, 0, 4, false, "cpu"},
    {"all but one letter wrong", "ACGT", TRAWL_DNA, 0, 20, 12, 11, 0, false, "cpu"},
    {"pieces of one character", "abcdef", TRAWL_CHARACTERS, 0, 4, 4, 3, 0, false, "cpu"},
    {"dense but for the sample", "abcdefghijklmnop", TRAWL_BYTES, 0, 27, 10, 6, 0, true, "cpu"},
};

#define WORK_BYTES 90000u
#define WORK_SHORT 6666u
#define WORK_SAMPLE 70000u
/* number of candidates that a device may verify before it leaves a search to the host: LEFT_MIN and
 * a few more */
#define WORK_MORE 9000u

static uint64_t work_of(enum trawl_engine engine, const struct trawl_plan *plan,
                        struct trawl_text *text, bool is_loaded, const char *by, uint64_t *count)
{
    struct trawl_stats stats = {.size = sizeof stats};
    AUTO_SEARCHER searcher = host_searcher(engine, 4, 0, NULL);

    if (is_loaded)
        MUST(trawl_text_load(searcher, text, NULL));
    MUST(trawl_count(searcher, plan, text, count, NULL));
    MUST(trawl_searcher_stats(searcher, &stats, NULL));
    if (is_loaded)
        trawl_text_unload(searcher, text);
    if (by != NULL && !TEST_CHECK(strcmp(stats.engine, by) == 0))
        printf("  by %s\n", stats.engine);
    return stats.candidate_count;
}

static void check_work(const struct work_row *row)
{
    struct test_random random = test_random_begin(row->what);
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    const uint64_t letters = strlen(row->letters);
    static uint8_t bytes[WORK_BYTES], patterns[27][34];
    struct trawl_pattern list[27];
    uint64_t text_bytes = row->is_dense ? WORK_BYTES : WORK_SHORT, right, count, max;

    AUTO_TEXT text = must_text(bytes, text_bytes);
    AUTO_PLAN plan = NULL;

    for (uint64_t i = 0; i < text_bytes; i++)
        bytes[i] = (uint8_t)row->letters[test_random_below(&random, letters)];
    for (uint32_t i = 0; i < row->patterns; i++) {
        for (uint32_t j = 0; j < row->pattern_bytes; j++)
            patterns[i][j] = (uint8_t)row->letters[test_random_below(&random, letters)];
        list[i] = (struct trawl_pattern){patterns[i], row->pattern_bytes};
    }
    for (uint64_t i = 0; row->is_dense && i < text_bytes; i++)
        if (i >= (text_bytes - WORK_SAMPLE) / 2 && i < (text_bytes + WORK_SAMPLE) / 2)
            bytes[i] = 'z';
    approx_method_forced = strcmp(row->engine, "cpu") == 0 ? APPROX_METHODS : APPROX_FILTER;
    options.alphabet = row->alphabet;
    options.flags = row->flags;
    options.mismatches_max = row->mismatches;
    options.edits_max = row->edits;
    plan = must_plans(list, row->patterns, &options);
    max = work_of(TRAWL_ENGINE_CPU, plan, text, false, "cpu", &right);
    max += WORK_MORE + text_bytes / 100;
    for (uint32_t way = 0; way < 3; way++) {
        uint64_t work = work_of(way == 2 ? TRAWL_ENGINE_AUTO : TRAWL_ENGINE_CUDA, plan, text,
                                way != 0, way == 0 ? NULL : row->engine, &count);

        TEST_CHECK_U64(count, right);
        if (!TEST_CHECK(work <= max))
            printf("  %s, way %u: %" PRIu64 " verified instead of %" PRIu64 "\n", row->what, way,
                   work, max);
    }
}

/* check_segments searches for literals of SEGMENT_LENGTHS lengths with four motifs (exact first
 * letters). A device's tables need a segment for each motif and each offset at which pieces of
 * literals begin, so these literals would need more segments than tables may have. It also searches
 * for literals of half as many lengths, which need fewer than that. */
#define SEGMENT_LENGTHS 21u
#define SEGMENT_SHORTEST 12u
#define SEGMENT_MISMATCHES 3u

static void check_segments(uint32_t patterns)
{
    struct test_random random = test_random_begin("segments");
    static const struct trawl_range exact = {0, 2};
    static const struct approximate_range exact_again = {0, 2};
    uint8_t bytes[4 * SEGMENT_LENGTHS][32], text_bytes[4 * SEGMENT_LENGTHS * 40];
    struct trawl_pattern list[4 * SEGMENT_LENGTHS];
    struct naive_bytes again[4 * SEGMENT_LENGTHS];
    struct approximate_query query = {.patterns = again,
                                      .pattern_count = patterns,
                                      .alphabet = APPROXIMATE_DNA,
                                      .k = SEGMENT_MISMATCHES,
                                      .exact = &exact_again,
                                      .exact_count = 1};
    uint64_t count, expected_here;

    AUTO_TEXT text = must_text(text_bytes, sizeof text_bytes);
    AUTO_SEARCHER searcher = host_searcher(TRAWL_ENGINE_CUDA, 1, 0, NULL);
    AUTO_PLAN plan = NULL;

    for (uint64_t i = 0; i < sizeof text_bytes; i++)
        text_bytes[i] = (uint8_t) "ACGT"[test_random_below(&random, 4)];
    for (uint32_t i = 0; i < patterns; i++) {
        uint64_t length = SEGMENT_SHORTEST + i / 4;

        for (uint64_t j = 0; j < length; j++)
            bytes[i][j] = (uint8_t) "ACGT"[j == 0 ? i % 4 : test_random_below(&random, 4)];
        bytes[i][1] = 'G';
        list[i] = (struct trawl_pattern){bytes[i], length};
        again[i] = (struct naive_bytes){bytes[i], length};
        memcpy(text_bytes + 40 * i, bytes[i], (size_t)length);
        for (uint32_t j = 0; j < SEGMENT_MISMATCHES; j++)
            text_bytes[40 * i + 2 + test_random_below(&random, length - 2)] = 'T';
    }
    approx_method_forced = APPROX_FILTER;
    plan = must_plans(list, patterns,
                      PLAN_WITH(.alphabet = TRAWL_DNA, .mismatches_max = SEGMENT_MISMATCHES,
                                .exact = &exact, .exact_count = 1));
    expected_here =
        approximate_matches(&query, (struct naive_bytes){text_bytes, sizeof text_bytes}, NULL, 0);
    MUST(trawl_count(searcher, plan, text, &count, NULL));
    TEST_CHECK(expected_here >= patterns);
    TEST_CHECK_U64(count, expected_here);
}

/* ---- Texts that a device leaves ------------------------------------------------------- */

/* The text's sample has no candidates, but the rest of the text is full of them. After finding
 * them, a device gives up, and then all threads search the text in the host's chunks. */
static const struct left_row {
    const char *what;
    uint64_t text_bytes;
    bool is_loaded;
    uint32_t threads;
} left_rows[] = {{"loaded, longer than a chunk", 1300000, true, 4},
                 {"loaded, one thread", 360000, true, 1},
                 {"not loaded, the caller", 360000, false, 4},
                 {"not loaded, long", 1300000, false, 4}};

#define LEFT_PATTERNS 27u
#define LEFT_LENGTH 34u
#define LEFT_PIECE 11u /* bytes of a piece, for two edits */
#define LEFT_STRIDE 40u
#define LEFT_MATCHES 20000u

/* Fills the text, except its middle, with pieces of patterns, which are not occurrences. Every 20th
 * piece is a whole pattern with one letter replaced, which is an occurrence. */
static void draw_left_text(struct test_random *random, uint8_t *text, uint64_t text_bytes,
                           uint8_t patterns[LEFT_PATTERNS][LEFT_LENGTH])
{
    for (uint64_t i = 0; i < text_bytes; i++)
        text[i] = (uint8_t)('a' + test_random_below(random, 16));
    for (uint64_t at = 0, i = 0; at + LEFT_LENGTH <= text_bytes; at += LEFT_STRIDE, i++) {
        const uint8_t *pattern = patterns[test_random_below(random, LEFT_PATTERNS)];

        if (at >= (text_bytes - WORK_SAMPLE) / 2 && at < (text_bytes + WORK_SAMPLE) / 2)
            continue;
        memcpy(text + at, pattern, i % 20 == 0 ? LEFT_LENGTH : LEFT_PIECE);
        text[at + LEFT_PIECE] = 'z';
    }
}

static void check_left(const struct left_row *row)
{
    static struct trawl_match right[LEFT_MATCHES], found[LEFT_MATCHES];
    struct test_random random = test_random_begin(row->what);
    uint8_t patterns[LEFT_PATTERNS][LEFT_LENGTH], *bytes = (uint8_t *)malloc(row->text_bytes);
    struct trawl_pattern list[LEFT_PATTERNS];
    struct trawl_stats stats;
    uint64_t right_count, count;

    AUTO_TEXT text = must_text(bytes, row->text_bytes);
    AUTO_SEARCHER cpu = must_searcher(1, 0);
    AUTO_SEARCHER searcher = host_searcher(TRAWL_ENGINE_CUDA, row->threads, 0, NULL);
    AUTO_PLAN plan = NULL;

    for (uint32_t i = 0; i < LEFT_PATTERNS; i++) {
        for (uint32_t j = 0; j < LEFT_LENGTH; j++)
            patterns[i][j] = (uint8_t)('a' + test_random_below(&random, 16));
        list[i] = (struct trawl_pattern){patterns[i], LEFT_LENGTH};
    }
    draw_left_text(&random, bytes, row->text_bytes, patterns);
    plan = must_plans(list, LEFT_PATTERNS, PLAN_WITH(.edits_max = 2));
    MUST(list_matches(cpu, plan, text, right, LEFT_MATCHES, &right_count, NULL));
    TEST_CHECK(right_count > row->text_bytes / LEFT_STRIDE / 40 && right_count < LEFT_MATCHES);
    if (row->is_loaded)
        MUST(trawl_text_load(searcher, text, NULL));
    TEST_CHECK_U64(must_count(searcher, plan, text), right_count);
    MUST(list_matches(searcher, plan, text, found, LEFT_MATCHES, &count, NULL));
    stats = must_stats(searcher);
    if (!TEST_CHECK(count == right_count && memcmp(found, right, count * sizeof *found) == 0))
        printf("  %s\n", row->what);
    if (!TEST_CHECK(stats.device_chunk_count == 0 && stats.chunk_count > 1))
        printf("  %s: %" PRIu64 " chunks, %" PRIu64 " on a device\n", row->what, stats.chunk_count,
               stats.device_chunk_count);
    if (row->is_loaded)
        trawl_text_unload(searcher, text);
    free(bytes);
}

int main(void)
{
    struct sim_driver_options driver = {1, 1, 64u << 20, 2, 0, 0, 0};
    struct cuda_limits limits = cuda_limits_default;

    test_begin("sim choice");
    cuda_driver_replace(sim_driver_table());
    limits.threads = 128;
    cuda_limits_replace(&limits);
    approx_shared_bytes_max = UINT64_MAX;
    approx_device_fixed_ns = 0;
    sim_driver_reset(&driver);
    for (uint32_t i = 0; i < sizeof work_rows / sizeof *work_rows; i++)
        check_work(&work_rows[i]);
    check_segments(4 * SEGMENT_LENGTHS);
    check_segments(2 * SEGMENT_LENGTHS);
    approx_method_forced = APPROX_METHODS;
    for (uint32_t i = 0; i < sizeof left_rows / sizeof *left_rows; i++)
        check_left(&left_rows[i]);
    TEST_CHECK_U64(sim_driver_live(), 0);
    return test_end();
}
