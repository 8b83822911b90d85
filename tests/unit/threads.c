/* threads: one plan used by several searchers in several threads at once, each with its own text,
 * and one file searched by all of them. */
#include <pthread.h>
#include <unistd.h>

#include "oracle/naive.h"
#include "calls.h"

#define WORKERS 4
#define TEXT_BYTES 200000
#define PATTERNS 3

struct worker {
    const struct trawl_plan *plans[6];
    uint32_t plan_count;
    const char *path;
    uint8_t bytes[TEXT_BYTES];
    uint64_t expected, expected_first;
    uint64_t file_expected;
    uint64_t rounds, wrong, failed;
    uint32_t threads;
};

/* Checks are gathered in the worker: TEST_CHECK is for one thread. */
static void *work(void *context)
{
    struct worker *worker = context;
    AUTO_SEARCHER searcher = NULL;

    if (trawl_searcher_open(SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU, .threads = worker->threads,
                                          .chunk_bytes = 10000),
                            &searcher, NULL) != TRAWL_OK)
        worker->failed++;
    for (uint64_t round = 0; round < worker->rounds && worker->failed == 0; round++) {
        const struct trawl_plan *plan = worker->plans[round % worker->plan_count];
        struct trawl_text *text = NULL, *file = NULL;
        struct trawl_match match = {0, 0, 0, 0, 0};
        uint64_t count = 0, file_count = 0;
        bool found = false;
        if (trawl_text_from_memory(worker->bytes, TEXT_BYTES, &text, NULL) != TRAWL_OK ||
            trawl_count(searcher, plan, text, &count, NULL) != TRAWL_OK ||
            trawl_first(searcher, plan, text, &match, &found, NULL) != TRAWL_OK ||
            trawl_text_open_file(worker->path, &file, NULL) != TRAWL_OK ||
            trawl_count(searcher, plan, file, &file_count, NULL) != TRAWL_OK)
            worker->failed++;
        if (count != worker->expected || !found || match.begin != worker->expected_first ||
            file_count != worker->file_expected)
            worker->wrong++;
        trawl_text_close(file);
        trawl_text_close(text);
    }
    return NULL;
}

static uint32_t build_plans(const struct naive_bytes *patterns, struct trawl_plan *plans[6])
{
    struct trawl_pattern given[PATTERNS];
    uint32_t count = 0;

    for (uint32_t i = 0; i < PATTERNS; i++)
        given[i] = (struct trawl_pattern){patterns[i].bytes, patterns[i].bytes_count};
    for (int method = TRAWL_METHOD_AUTO; method <= TRAWL_METHOD_SET; method++) {
        if (trawl_plan_build(given, PATTERNS, PLAN_WITH(.method = (enum trawl_method)method),
                             &plans[count], NULL) == TRAWL_OK)
            count++;
    }
    return count;
}

int main(void)
{
    static struct worker workers[WORKERS];
    static const struct naive_bytes patterns[PATTERNS] = {
        {(const uint8_t *)"abcab", 5}, {(const uint8_t *)"cc", 2}, {(const uint8_t *)"abcab", 5}};
    struct naive_query query = {patterns, PATTERNS, 0, '\n'};
    struct test_random random = test_random_begin("threads");
    struct trawl_plan *plans[6] = {NULL};
    char path[] = "/tmp/trawl-threads-XXXXXX";
    pthread_t threads[WORKERS];
    uint32_t plan_count;
    int file = mkstemp(path);

    test_begin("threads");
    plan_count = build_plans(patterns, plans);
    TEST_CHECK(plan_count >= 2);
    for (uint32_t w = 0; w < WORKERS; w++) {
        struct worker *worker = &workers[w];
        struct naive_match match;
        struct naive_bytes text = {worker->bytes, TEXT_BYTES};
        for (uint32_t i = 0; i < TEXT_BYTES; i++)
            worker->bytes[i] = (uint8_t)('a' + test_random_below(&random, 3));
        worker->expected = naive_matches(&query, text, &match, 1);
        worker->expected_first = match.begin;
        memcpy(worker->plans, plans, sizeof plans);
        worker->plan_count = plan_count;
        worker->path = path;
        worker->rounds = test_amount(60, 2000);
        worker->threads = 1 + w % 3;
    }
    if (file < 0 || write(file, workers[0].bytes, TEXT_BYTES) != TEXT_BYTES)
        TEST_SKIP("no temporary file can be written");
    for (uint32_t w = 0; w < WORKERS; w++) {
        workers[w].file_expected = workers[0].expected;
        if (pthread_create(&threads[w], NULL, work, &workers[w]) != 0)
            exit(1);
    }
    for (uint32_t w = 0; w < WORKERS; w++) {
        pthread_join(threads[w], NULL);
        TEST_CHECK_U64(workers[w].failed, 0);
        TEST_CHECK_U64(workers[w].wrong, 0);
    }
    for (uint32_t i = 0; i < plan_count; i++)
        trawl_plan_free(plans[i]);
    close(file);
    (void)unlink(path);
    return test_end();
}
