/* many: trawl_count_many on host cores: each answer that of trawl_count and of the oracle, whatever
 * the kinds of texts, the threads and the lengths; its mistakes; what it leaves alone. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "oracle/naive.h"
#include "unit/unit.h"

#define TEXTS 5u
#define PLANS 4u
#define QUERIES (3u * TEXTS * PLANS)
#define TEXT_BYTES 20000u
#define UNTOUCHED ((uint64_t)0x1234567890abcdef)

static const char *const patterns[PLANS] = {"abcab", "c", "bb", "abcabcabcabcabcabcaba"};

struct scene {
    uint8_t bytes[TEXTS][TEXT_BYTES];
    uint64_t bytes_count[TEXTS];
    struct trawl_text *texts[TEXTS];
    struct trawl_plan *plans[PLANS];
    uint64_t expected[PLANS][TEXTS];
    int file;
};

/* Texts in memory, one of them empty and one short; the last is a file of the same bytes. */
static void scene_open(struct scene *s)
{
    static const uint64_t counts[TEXTS] = {TEXT_BYTES, 0, 3, 4000, TEXT_BYTES};
    struct test_random random = test_random_begin("many");

    s->file = memfd_create("many", 0);
    for (uint32_t t = 0; t < TEXTS; t++) {
        s->bytes_count[t] = counts[t];
        for (uint64_t i = 0; i < counts[t]; i++)
            s->bytes[t][i] = (uint8_t) "abc"[test_random_below(&random, 8) ? i % 3 : 0];
        if (t + 1 < TEXTS)
            s->texts[t] = unit_text(counts[t] == 0 ? NULL : s->bytes[t], counts[t]);
    }
    TEST_CHECK(write(s->file, s->bytes[TEXTS - 1], TEXT_BYTES) == (ssize_t)TEXT_BYTES);
    TEST_CHECK(lseek(s->file, 0, SEEK_SET) == 0);
    MUST(trawl_text_from_descriptor(s->file, "many", &s->texts[TEXTS - 1], NULL));
    for (uint32_t p = 0; p < PLANS; p++) {
        struct naive_bytes pattern = {(const uint8_t *)patterns[p], strlen(patterns[p])};
        struct naive_query query = {&pattern, 1, 0, '\n'};

        s->plans[p] = unit_plan(patterns[p]);
        for (uint32_t t = 0; t < TEXTS; t++) {
            struct naive_bytes text = {s->bytes[t], s->bytes_count[t]};

            s->expected[p][t] = naive_matches(&query, text, NULL, 0);
        }
    }
}

static void scene_close(struct scene *s)
{
    for (uint32_t t = 0; t < TEXTS; t++)
        trawl_text_close(s->texts[t]);
    for (uint32_t p = 0; p < PLANS; p++)
        trawl_plan_free(s->plans[p]);
    (void)close(s->file);
}

/* Each pair three times. */
static void make_queries(const struct scene *s, struct trawl_query *queries)
{
    for (uint32_t i = 0; i < QUERIES; i++) {
        queries[i].plan = s->plans[i % PLANS];
        queries[i].text = s->texts[i / PLANS % TEXTS];
    }
}

static void answers(const struct scene *s, uint32_t threads, uint64_t chunk_bytes)
{
    struct trawl_searcher *searcher = unit_searcher(threads, chunk_bytes);
    struct trawl_stats stats = {.size = sizeof stats};
    uint64_t counts[QUERIES + 1], sum = 0, bytes = 0;
    struct trawl_query queries[QUERIES];

    make_queries(s, queries);
    for (uint64_t count = 0; count <= QUERIES; count = count * 2 + (count < 3)) {
        memset(counts, 0x77, sizeof counts);
        MUST(trawl_count_many(searcher, queries, count, counts, NULL));
        for (uint64_t i = 0; i < count; i++)
            TEST_CHECK_U64(counts[i], s->expected[i % PLANS][i / PLANS % TEXTS]);
        TEST_CHECK_U64(counts[count], 0x7777777777777777u);
    }
    MUST(trawl_count_many(searcher, queries, QUERIES, counts, NULL));
    for (uint32_t i = 0; i < QUERIES; i++) {
        sum += counts[i];
        bytes += s->bytes_count[i / PLANS % TEXTS];
    }
    MUST(trawl_searcher_stats(searcher, &stats, NULL));
    TEST_CHECK_U64(stats.match_count, sum);
    TEST_CHECK_U64(stats.text_bytes, bytes);
    TEST_CHECK(stats.chunk_count >= QUERIES && stats.device_chunk_count == 0);
    TEST_CHECK(stats.cpu_chunk_count == stats.chunk_count);
    TEST_CHECK(stats.thread_count >= 1 && stats.thread_count <= threads);
    TEST_CHECK(strcmp(stats.engine, "cpu") == 0);
    TEST_CHECK_U64(unit_count(searcher, s->plans[0], s->texts[0]), s->expected[0][0]);
    trawl_searcher_close(searcher);
}

/* Algorithms for records, and for devices alone: that is found out by a scan. */
static void refuse_algorithms(const struct scene *s, struct trawl_searcher *searcher)
{
    struct trawl_query bad[2] = {{s->plans[0], s->texts[0]}, {NULL, s->texts[0]}};
    uint64_t counts[2] = {UNTOUCHED, UNTOUCHED};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_pattern pattern = {"abc", 3};
    struct trawl_error record = unit_error();
    struct trawl_plan *plan = NULL;

    options.algorithm = "rabin-karp-matrix";
    MUST(trawl_plan_build(&pattern, 1, &options, &plan, NULL));
    bad[1].plan = plan;
    CHECK_ERROR(trawl_count_many(searcher, bad, 2, counts, error), TRAWL_ARGUMENT);
    trawl_plan_free(plan);
    options.algorithm = "pss-gm";
    MUST(trawl_plan_build(&pattern, 1, &options, &plan, NULL));
    bad[1].plan = plan;
    CHECK_STATUS(trawl_count_many(searcher, bad, 2, counts, &record), TRAWL_UNSUPPORTED);
    TEST_CHECK(record.status == TRAWL_UNSUPPORTED && strncmp(record.message, "query 1: ", 9) == 0);
    trawl_plan_free(plan);
    TEST_CHECK(counts[0] == UNTOUCHED && counts[1] == UNTOUCHED);
}

static void mistakes(const struct scene *s)
{
    struct trawl_query queries[2] = {{s->plans[0], s->texts[0]}, {s->plans[1], s->texts[0]}};
    struct trawl_searcher *searcher = unit_searcher(2, 0);
    struct trawl_query bad[2] = {queries[0], {NULL, s->texts[0]}};
    uint64_t counts[2] = {UNTOUCHED, UNTOUCHED};
    struct trawl_error record = unit_error();

    CHECK_ERROR(trawl_count_many(NULL, queries, 2, counts, error), TRAWL_ARGUMENT);
    CHECK_ERROR(trawl_count_many(searcher, NULL, 2, counts, error), TRAWL_ARGUMENT);
    CHECK_ERROR(trawl_count_many(searcher, queries, 2, NULL, error), TRAWL_ARGUMENT);
    MUST(trawl_count_many(searcher, NULL, 0, NULL, NULL));
    CHECK_STATUS(trawl_count_many(searcher, bad, 2, counts, &record), TRAWL_ARGUMENT);
    TEST_CHECK(strcmp(record.message, "query 1: plan is NULL") == 0);
    bad[1].plan = s->plans[1];
    bad[1].text = NULL;
    CHECK_STATUS(trawl_count_many(searcher, bad, 2, counts, &record), TRAWL_ARGUMENT);
    TEST_CHECK(strcmp(record.message, "query 1: text is NULL") == 0);
    CHECK_STATUS(trawl_count_many(searcher, bad, 2, counts, NULL), TRAWL_ARGUMENT);
    if (trawl_algorithm(0, NULL) != NULL)
        refuse_algorithms(s, searcher);
    TEST_CHECK(counts[0] == UNTOUCHED && counts[1] == UNTOUCHED);
    MUST(trawl_count_many(searcher, queries, 2, counts, NULL));
    TEST_CHECK(counts[0] == s->expected[0][0] && counts[1] == s->expected[1][0]);
    trawl_searcher_close(searcher);
}

struct inside {
    struct trawl_searcher *searcher;
    struct trawl_query query;
    uint64_t count;
    enum trawl_status status;
};

static int call_inside(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct inside *inside = (struct inside *)context;

    (void)matches;
    (void)match_count;
    inside->status = trawl_count_many(inside->searcher, &inside->query, 1, &inside->count, NULL);
    return 1;
}

static void from_a_sink(const struct scene *s)
{
    struct inside inside = {unit_searcher(1, 0), {s->plans[0], s->texts[0]}, UNTOUCHED, TRAWL_OK};

    CHECK_STATUS(
        trawl_positions(inside.searcher, s->plans[0], s->texts[0], call_inside, &inside, NULL),
        TRAWL_STOPPED);
    CHECK_STATUS(inside.status, TRAWL_BUSY);
    TEST_CHECK_U64(inside.count, UNTOUCHED);
    trawl_searcher_close(inside.searcher);
}

/* A stream can be searched once: its second query is the one that fails. */
static void a_stream_twice(const struct scene *s)
{
    struct trawl_searcher *searcher = unit_searcher(1, 0);
    uint64_t counts[2] = {UNTOUCHED, UNTOUCHED};
    struct trawl_text *stream = NULL;
    struct trawl_query queries[2];
    int ends[2];

    TEST_CHECK(pipe(ends) == 0 && write(ends[1], "abcabcab", 8) == 8 && close(ends[1]) == 0);
    MUST(trawl_text_from_descriptor(ends[0], NULL, &stream, NULL));
    queries[0] = queries[1] = (struct trawl_query){s->plans[0], stream};
    CHECK_ERROR(trawl_count_many(searcher, queries, 2, counts, error), TRAWL_UNSUPPORTED);
    TEST_CHECK(counts[0] == UNTOUCHED && counts[1] == UNTOUCHED);
    trawl_text_close(stream);
    (void)close(ends[0]);
    trawl_searcher_close(searcher);
}

int main(void)
{
    static const uint64_t chunks[] = {0, 100, 5000};
    static struct scene s;

    test_begin("many");
    scene_open(&s);
    for (uint32_t threads = 1; threads <= 3; threads++)
        for (uint32_t c = 0; c < 3; c++)
            answers(&s, threads, chunks[c]);
    mistakes(&s);
    from_a_sink(&s);
    a_stream_twice(&s);
    scene_close(&s);
    return test_end();
}
