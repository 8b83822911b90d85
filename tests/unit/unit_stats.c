/* unit_stats: checks a searcher's statistics of its last call, and the progress that it reports
 * during a call. */
#include "calls.h"

#define TEXT_BYTES ((uint64_t)8 << 20)
#define CHUNK_BYTES ((uint64_t)64 << 10)
#define DNA_PATTERNS 150000u
#define DNA_LETTERS 12u
#define DNA_BYTES ((uint64_t)256 << 10)

static struct trawl_stats stats_of(const struct trawl_searcher *searcher)
{
    struct trawl_stats stats = {.size = sizeof stats};

    MUST(trawl_searcher_stats(searcher, &stats, NULL));
    TEST_CHECK_U64(stats.size, sizeof stats);
    return stats;
}

/* Checks that the last call had no changes of the method, and searched for no expression. */
static void no_changes(const struct trawl_searcher *searcher)
{
    struct trawl_change change;
    struct trawl_way way;
    uint64_t count = 1;

    TEST_CHECK_U64(stats_of(searcher).change_count, 0);
    MUST(trawl_searcher_changes(searcher, &change, 1, &count, NULL));
    TEST_CHECK_U64(count, 0);
    TEST_CHECK(trawl_searcher_changes(searcher, NULL, 1, &count, NULL) == TRAWL_ARGUMENT);
    TEST_CHECK(trawl_searcher_changes(searcher, &change, 1, NULL, NULL) == TRAWL_ARGUMENT);
    TEST_CHECK(trawl_searcher_changes(NULL, &change, 1, &count, NULL) == TRAWL_ARGUMENT);
    count = 1;
    MUST(trawl_searcher_ways(searcher, &way, 1, &count, NULL));
    TEST_CHECK_U64(count, 0);
    TEST_CHECK(trawl_searcher_ways(searcher, NULL, 1, &count, NULL) == TRAWL_ARGUMENT);
    TEST_CHECK(trawl_searcher_ways(searcher, &way, 1, NULL, NULL) == TRAWL_ARGUMENT);
    TEST_CHECK(trawl_searcher_ways(NULL, &way, 1, &count, NULL) == TRAWL_ARGUMENT);
}

static void before_the_first_call(void)
{
    AUTO_SEARCHER searcher = must_searcher(2, 0);
    struct trawl_stats stats = stats_of(searcher);

    TEST_CHECK(stats.text_bytes == 0 && stats.chunk_count == 0 && stats.match_count == 0);
    TEST_CHECK(stats.candidate_count == 0 && stats.wall_ns == 0 && stats.thread_count == 0);
    TEST_CHECK_U64(trawl_searcher_progress(searcher), 0);
    no_changes(searcher);
}

static void after_calls(struct trawl_text *text, uint32_t threads)
{
    AUTO_SEARCHER searcher = must_searcher(threads, CHUNK_BYTES);
    AUTO_PLAN plan = must_plan("x.");
    AUTO_TEXT small = must_string("x.x.x");
    AUTO_TEXT empty = must_text(NULL, 0);
    struct trawl_stats stats;
    uint64_t count = 0, begins[2] = {0};

    TEST_CHECK_U64(must_count(searcher, plan, text), TEXT_BYTES / 1024);
    stats = stats_of(searcher);
    TEST_CHECK_U64(stats.text_bytes, TEXT_BYTES);
    TEST_CHECK_U64(stats.match_count, TEXT_BYTES / 1024);
    TEST_CHECK(stats.chunk_count > 0 && stats.chunk_count == stats.cpu_chunk_count);
    TEST_CHECK_U64(stats.device_chunk_count, 0);
    TEST_CHECK(stats.thread_count >= 1 && stats.thread_count <= threads);
    TEST_CHECK(stats.wall_ns > 0);
    TEST_CHECK(strcmp(stats.engine, "cpu") == 0);
    TEST_CHECK(strcmp(stats.instruction_set, trawl_instruction_set(0)) == 0);
    TEST_CHECK_U64(trawl_searcher_progress(searcher), TEXT_BYTES);

    /* A call with a wrong argument does not change the statistics. */
    TEST_CHECK(trawl_count(searcher, plan, NULL, &count, NULL) == TRAWL_ARGUMENT);
    TEST_CHECK_U64(stats_of(searcher).text_bytes, TEXT_BYTES);
    TEST_CHECK_U64(must_count(searcher, plan, small), 2);
    stats = stats_of(searcher);
    TEST_CHECK(stats.text_bytes == 5 && stats.match_count == 2);
    no_changes(searcher);
    TEST_CHECK_U64(stats.wall_ns, 0); /* for a tiny text the clock is not read */
    TEST_CHECK_U64(trawl_searcher_progress(searcher), 5); /* only the bytes of the last call */
    TEST_CHECK(stats.chunk_count == 1 && stats.thread_count == 1 && stats.candidate_count >= 2);
    TEST_CHECK(strcmp(stats.engine, "cpu") == 0);
    TEST_CHECK(stats.worker_count == 1 && stats.worker_text_bytes == 5 &&
               strcmp(stats.worker_name, "cpu") == 0);
    stats = must_worker(searcher, 1); /* there is no such worker */
    TEST_CHECK(stats.worker_count == 1 && stats.text_bytes == 5 && stats.worker_text_bytes == 0 &&
               stats.worker_name[0] == '\0');
    MUST(ask_count_lines(searcher, plan, small, false, UINT64_MAX, &count, NULL));
    TEST_CHECK_U64(count, 1);
    stats = stats_of(searcher);
    TEST_CHECK_U64(stats.wall_ns, 0); /* as for must_count, no clock is read */
    TEST_CHECK(stats.match_count == 2 && stats.chunk_count == 1 && stats.candidate_count >= 2);
    MUST(ask_begins_into(searcher, plan, small, begins, 2, &count, NULL));
    TEST_CHECK(count == 2 && begins[0] == 0 && begins[1] == 2);
    TEST_CHECK_U64(stats_of(searcher).wall_ns, 0);
    TEST_CHECK_U64(stats_of(searcher).text_bytes, 5);
    TEST_CHECK_U64(must_count(searcher, plan, empty), 0);
    stats = stats_of(searcher);
    TEST_CHECK(stats.text_bytes == 0 && stats.match_count == 0);
}

struct progress {
    const struct trawl_searcher *searcher;
    uint64_t before, windows;
    bool grows, bounded, beyond_window;
};

static int watch(void *context, const struct trawl_window *window)
{
    struct progress *progress = context;
    uint64_t now = trawl_searcher_progress(progress->searcher);

    progress->grows = progress->grows && now >= progress->before;
    progress->bounded = progress->bounded && now <= TEXT_BYTES;
    /* Progress must include all bytes before the window. */
    progress->beyond_window = progress->beyond_window && now >= window->begin;
    progress->before = now;
    progress->windows++;
    return 0;
}

static void progress(struct trawl_text *text, uint32_t threads)
{
    AUTO_SEARCHER searcher = must_searcher(threads, CHUNK_BYTES);
    AUTO_PLAN plan = must_plan("x.");
    struct progress seen = {searcher, 0, 0, true, true, true};

    MUST(trawl_windows(searcher, plan, text, 0, watch, &seen, NULL));
    TEST_CHECK(seen.windows >= TEXT_BYTES / CHUNK_BYTES / 2);
    TEST_CHECK(seen.grows);
    TEST_CHECK(seen.bounded);
    TEST_CHECK(seen.beyond_window);
    TEST_CHECK_U64(trawl_searcher_progress(searcher), TEXT_BYTES);
}

#define GROUP_BYTES 40000u
#define GROUP_PATTERNS 80u
#define GROUP_LETTERS 8u

/* Searches within two errors for patterns whose first letter, a or b, must match exactly. Places
 * with a different letter must not become candidates. */
static void candidates_with_errors(void)
{
    static uint8_t bytes[GROUP_BYTES];
    const struct trawl_range first = {0, 1};
    struct test_random random = test_random_begin("stats");
    struct trawl_pattern patterns[GROUP_PATTERNS];
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_TEXT text = must_text(bytes, GROUP_BYTES);
    AUTO_PLAN plan = NULL;
    uint64_t expected = 0;

    for (uint32_t i = 0; i < GROUP_BYTES; i++)
        bytes[i] = (uint8_t)('a' + (i % 3 == 0 ? i / 3 % 2 : test_random_below(&random, 4)));
    for (uint32_t i = 0; i < GROUP_PATTERNS; i++) {
        patterns[i] = (struct trawl_pattern){bytes + 3 * i, GROUP_LETTERS};
        for (uint32_t at = 0; at + GROUP_LETTERS <= GROUP_BYTES; at++) {
            uint32_t errors = bytes[at] == bytes[3 * i] ? 0 : GROUP_LETTERS;

            for (uint32_t j = 1; j < GROUP_LETTERS; j++)
                errors += bytes[at + j] != bytes[3 * i + j];
            expected += errors <= 2;
        }
    }
    plan = must_plans(patterns, GROUP_PATTERNS,
                      PLAN_WITH(.mismatches_max = 2, .exact = &first, .exact_count = 1));
    TEST_CHECK_U64(must_count(searcher, plan, text), expected);
    TEST_CHECK_U64(stats_of(searcher).candidate_count, expected);
}

int main(void)
{
    char *bytes = malloc(TEXT_BYTES);
    AUTO_TEXT text = NULL;

    test_begin("stats");
    memset(bytes, '.', TEXT_BYTES);
    for (uint64_t i = 0; i < TEXT_BYTES; i += 1024)
        bytes[i] = 'x';
    text = must_text(bytes, TEXT_BYTES);
    before_the_first_call();
    candidates_with_errors();
    for (uint32_t threads = 1; threads <= 4; threads++) {
        after_calls(text, threads);
        progress(text, threads);
    }
    free(bytes);
    return test_end();
}
