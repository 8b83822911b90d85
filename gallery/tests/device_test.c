/* device_test: tests the gallery on the CUDA engine, through the public functions, on the simulated
 * driver: which algorithms run and which are rejected, statistics, sizes at their limits, several
 * threads and several patterns, and how many bytes are copied. Under engine "auto" the CPU searches
 * if the device lacks an algorithm, also for a loaded text. */
#include "cuda/driver.h"
#include "gallery/kernels/gallery.h"
#include "gallery/gallery_host.h"
#include "gallery/gallery_limits.h"
#include "diff/diff_run.h"
#include "sim/sim_driver.h"
#include "sim/simulator.h"
#include "calls.h"

#define ON_CPU (1u << TRAWL_ENGINE_CPU)
#define ON_CUDA (1u << TRAWL_ENGINE_CUDA)

static const struct trawl_pattern pattern = {"ana", 3};

static struct trawl_searcher *open_on(enum trawl_engine engine, uint32_t threads,
                                      uint64_t chunk_bytes)
{
    return must_searcher_with(
        SEARCHER_WITH(.engine = engine, .threads = threads, .chunk_bytes = chunk_bytes));
}

static struct trawl_plan *build(const struct trawl_pattern *patterns, uint64_t count,
                                const char *algorithm)
{
    return must_plans(patterns, count, PLAN_WITH(.algorithm = algorithm));
}

static int take_rows(void *context, uint64_t row_first, uint64_t row_count, const int64_t *first)
{
    TEST_CHECK(row_first == 0 && row_count == 1 && first[0] == 1);
    *(uint64_t *)context += row_count;
    return 0;
}

static bool has_children(const char *algorithm)
{
    return strstr(algorithm, "-swift") != NULL || strcmp(algorithm, "hp-hybrid:1") == 0;
}

/* Returns true if the algorithm begins with gallery_shifts_text, whose time the statistics report
 * separately. */
static bool follows_shifts(const char *algorithm)
{
    return (strncmp(algorithm, "qs", 2) == 0 || strncmp(algorithm, "hp", 2) == 0) &&
           strstr(algorithm, "segments") == NULL;
}

static struct trawl_algorithm_stats must_work(const struct trawl_searcher *searcher)
{
    struct trawl_algorithm_stats work = {.size = sizeof work};

    MUST(trawl_searcher_algorithm_stats(searcher, &work, NULL));
    return work;
}

/* A searcher on a device runs the algorithms that have a kernel, rejects the others by name, and
 * stays usable. */
static void on_cuda(const char *algorithm, uint32_t engines, bool for_records)
{
    static const uint64_t offsets[] = {0, 6};
    const struct trawl_record_array records = records_of("banana", offsets, 1);
    AUTO_SEARCHER cuda = open_on(TRAWL_ENGINE_CUDA, 1, 0);
    AUTO_TEXT text = must_string("banana");
    AUTO_PLAN plan = build(&pattern, 1, algorithm);
    AUTO_PLAN own = build(&pattern, 1, NULL);
    struct trawl_error record = calls_error();
    uint64_t count = 0, rows = 0;
    struct trawl_match match;
    struct trawl_algorithm_stats work;
    struct trawl_stats stats;
    bool found = false;

    if ((engines & ON_CUDA) == 0) {
        CHECK_STATUS(for_records ? call_rows(cuda, plan, &records, take_rows, &rows, &record)
                                 : trawl_count(cuda, plan, text, &count, &record),
                     TRAWL_UNSUPPORTED);
        TEST_CHECK(record.status == TRAWL_UNSUPPORTED && strstr(record.message, algorithm) != NULL);
        TEST_CHECK_U64(rows, 0);
    } else if (!for_records) {
        TEST_CHECK_U64(must_count(cuda, plan, text), 2);
        stats = must_stats(cuda);
        work = must_work(cuda);
        TEST_CHECK(strcmp(stats.engine, "cuda") == 0 && stats.match_count == 2);
        TEST_CHECK(work.device_copy_ns > 0 && work.device_kernel_ns > 0);
        TEST_CHECK(follows_shifts(algorithm)
                       ? work.device_shifts_ns > 0 && work.device_shifts_ns <= work.device_kernel_ns
                       : work.device_shifts_ns == 0);
        TEST_CHECK(work.device_back_ns > 0 && work.device_back_ns < work.device_copy_ns);
        TEST_CHECK(work.device_copy_ns + work.device_memory_ns + work.device_host_ns <=
                   stats.wall_ns);
        /* both "ana" have the pattern's first and last byte, so each gets a child grid, or a spill
         * if the launch is rejected
         */
        TEST_CHECK_U64(work.child_grids + work.child_spills, has_children(algorithm) ? 2 : 0);
        MUST(trawl_first(cuda, plan, text, &match, &found, NULL));
        TEST_CHECK(found && match.begin == 1 && match.end == 4);
    }
    if ((engines & ON_CUDA) != 0) {
        MUST(call_rows(cuda, plan, &records, take_rows, &rows, NULL));
        TEST_CHECK_U64(rows, 1);
    }
    TEST_CHECK_U64(must_count(cuda, own, text), 2);
    work = must_work(cuda);
    TEST_CHECK(work.device_copy_ns == 0 && work.device_kernel_ns == 0 && work.child_grids == 0);
    TEST_CHECK(work.device_back_ns == 0 && work.device_host_ns == 0);
}

static void on_auto(const char *algorithm, bool for_records)
{
    static const uint64_t offsets[] = {0, 6};
    const struct trawl_record_array records = records_of("banana", offsets, 1);
    AUTO_SEARCHER both = open_on(TRAWL_ENGINE_AUTO, 1, 0);
    AUTO_TEXT text = must_string("banana");
    AUTO_PLAN plan = build(&pattern, 1, algorithm);
    AUTO_PLAN own = build(&pattern, 1, NULL);
    uint64_t calls, rows = 0;

    MUST(trawl_text_load(both, text, NULL));
    calls = sim_driver_calls();
    TEST_CHECK_U64(must_count(both, own, text), 2);
    TEST_CHECK(sim_driver_calls() > calls); /* the device does take part */
    if (!for_records)
        TEST_CHECK_U64(must_count(both, plan, text), 2);
    MUST(call_rows(both, plan, &records, take_rows, &rows, NULL));
    TEST_CHECK_U64(rows, 1);
    trawl_text_unload(both, text);
}

/* Patterns as long as registers, constant memory or the trie can hold are found; one byte more is
 * rejected. */
static void at_the_limits(const char *algorithm, uint64_t max)
{
    uint64_t text_bytes = max + 9, count = 0;
    char *bytes = malloc((size_t)text_bytes);
    AUTO_SEARCHER cuda = open_on(TRAWL_ENGINE_CUDA, 1, 0);
    struct trawl_error record = calls_error();
    struct trawl_pattern whole, longer;
    AUTO_PLAN fits = NULL;
    AUTO_PLAN does_not = NULL;
    AUTO_TEXT text = NULL;
    char number[32];

    for (uint64_t i = 0; i < text_bytes; i++)
        bytes[i] = (char)(i % 251 * (i / 251 + 1) % 256);
    whole = (struct trawl_pattern){bytes + 4, max};
    longer = (struct trawl_pattern){bytes + 4, max + 1};
    text = must_text(bytes, text_bytes);
    fits = build(&whole, 1, algorithm);
    does_not = build(&longer, 1, algorithm);
    TEST_CHECK_U64(must_count(cuda, fits, text), 1);
    CHECK_STATUS(trawl_count(cuda, does_not, text, &count, &record), TRAWL_UNSUPPORTED);
    (void)snprintf(number, sizeof number, "%" PRIu64, max);
    TEST_CHECK(strstr(record.message, number) != NULL && strstr(record.message, "bytes") != NULL);
    TEST_CHECK_U64(must_count(cuda, fits, text), 1);
    free(bytes);
}

/* Three threads of a searcher share a device, its kernels and its constant memory: four patterns
 * and many chunks. */
static void threads_and_patterns(const char *algorithm)
{
    static const struct trawl_pattern patterns[] = {{"ab", 2}, {"bab", 3}, {"cabba", 5}, {"a", 1}};
    struct test_random random = test_random_begin("gallery threads");
    AUTO_SEARCHER cuda = open_on(TRAWL_ENGINE_CUDA, 3, 700);
    AUTO_SEARCHER cpu = must_searcher(1, 0);
    AUTO_PLAN plan = build(patterns, 4, algorithm);
    AUTO_PLAN own = build(patterns, 4, NULL);
    struct trawl_match expected[64], got[64];
    uint64_t expected_count, got_count;
    AUTO_TEXT text = NULL;
    char bytes[7000];

    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = "abc"[test_random_below(&random, 3)];
    text = must_text(bytes, sizeof bytes);
    MUST(list_matches(cpu, own, text, expected, 64, &expected_count, NULL));
    MUST(list_matches(cuda, plan, text, got, 64, &got_count, NULL));
    TEST_CHECK_U64(got_count, expected_count);
    for (uint32_t i = 0; i < 64; i++)
        TEST_CHECK(got[i].begin == expected[i].begin && got[i].end == expected[i].end &&
                   got[i].pattern_index == expected[i].pattern_index);
    TEST_CHECK_U64(must_count(cuda, plan, text), expected_count);
}

/* Returns how many bytes of a 1 MiB text were copied to the device until the word at `at` was
 * found. */
static uint64_t copied_until(const char *algorithm, uint64_t at)
{
    AUTO_SEARCHER cuda = open_on(TRAWL_ENGINE_CUDA, 1, 0);
    AUTO_PLAN plan = build(&pattern, 1, algorithm);
    uint64_t text_bytes = 1u << 20, before;
    char *bytes = malloc((size_t)text_bytes);
    AUTO_TEXT text = NULL;
    struct trawl_match match;
    bool found = false;

    memset(bytes, '.', (size_t)text_bytes);
    memcpy(bytes + at, "ana", 3);
    text = must_text(bytes, text_bytes);
    before = sim_driver_copied();
    MUST(trawl_first(cuda, plan, text, &match, &found, NULL));
    TEST_CHECK(found && match.begin == at);
    before = sim_driver_copied() - before;
    free(bytes);
    return before;
}

/* word-chunked copies parts of 256 KiB, and none after the part with the word. */
static void copied_in_parts(void)
{
    const uint64_t part = 256u << 10, tables = 2048;

    TEST_CHECK(copied_until("word-simple:1024", 1000) >= 1u << 20);
    for (uint64_t parts = 1; parts <= 4; parts += 3) {
        uint64_t copied = copied_until("word-chunked:1024", parts * part - 1000);

        TEST_CHECK(copied >= parts * part - 1000 && copied <= parts * part + tables);
    }
    /* a word that straddles two parts is found, and only these two are copied */
    TEST_CHECK(copied_until("word-chunked:1024", part - 1) >= part);
    TEST_CHECK(copied_until("word-chunked:1024", part - 1) <= 2 * part + tables);
}

/* A long pattern, in some cases longer than the memory that the kernel has for it, is found once,
 * and not at all after the occurrence's last byte is changed. */
static void beyond_shared_memory(const char *algorithm, uint64_t pattern_bytes)
{
    uint64_t text_bytes = pattern_bytes + 700;
    char *bytes = malloc((size_t)text_bytes);
    AUTO_SEARCHER cuda = open_on(TRAWL_ENGINE_CUDA, 1, 0);
    struct trawl_pattern whole = {bytes + 300, pattern_bytes};
    AUTO_PLAN plan = NULL;
    AUTO_TEXT text = NULL;

    for (uint64_t i = 0; i < text_bytes; i++)
        bytes[i] = (char)('a' + (i * i / 7 + i / 251) % 3);
    plan = build(&whole, 1, algorithm);
    text = must_text(bytes, text_bytes);
    TEST_CHECK_U64(must_count(cuda, plan, text), 1);
    bytes[300 + pattern_bytes - 1] ^= 1;
    TEST_CHECK_U64(must_count(cuda, plan, text), 0);
    free(bytes);
}

/* Without a grid in the plan, a launch has as many blocks as the device holds at a time, of which
 * the simulated driver has two per multiprocessor. `barriers`: those that a block passes in this
 * text. */
static void fills_the_device(const char *algorithm, uint32_t multiprocessors, uint64_t barriers)
{
    struct sim_driver_options options = {1, 1, 16u << 20, multiprocessors, 0, 0, 0};
    struct trawl_searcher *cuda;
    AUTO_PLAN plan = build(&pattern, 1, algorithm);
    struct trawl_text *text;
    uint64_t before;
    char bytes[7682]; /* 7,680 begins, which the threads share evenly */

    sim_driver_reset(&options);
    memset(bytes, 'x', sizeof bytes);
    memcpy(bytes + sizeof bytes - 3, "ana", 3);
    cuda = open_on(TRAWL_ENGINE_CUDA, 1, 0);
    text = must_text(bytes, sizeof bytes);
    before = sim_counters().barriers;
    TEST_CHECK_U64(must_count(cuda, plan, text), 1);
    TEST_CHECK_U64(sim_counters().barriers - before, barriers * 2 * multiprocessors);
    trawl_text_close(text);
    trawl_searcher_close(cuda);
    TEST_CHECK_U64(sim_driver_live(), 0);
}

/* pss-gr takes a shuffle for each word of the key. Answers would be right with more, so count them.
 */
static void shuffles_the_key(const char *key, uint64_t words)
{
    const struct trawl_pattern letters = {key, strlen(key)};
    struct trawl_searcher *cuda = open_on(TRAWL_ENGINE_CUDA, 1, 0);
    struct trawl_plan *plan = build(&letters, 1, "pss-gr:32");
    struct trawl_text *text = must_string("bananas");
    uint64_t before = sim_counters().shuffles;

    TEST_CHECK_U64(must_count(cuda, plan, text), 1);
    TEST_CHECK_U64(sim_counters().shuffles - before, words * 32);
    trawl_text_close(text);
    trawl_plan_free(plan);
    trawl_searcher_close(cuda);
}

/* pss-gm-list allocates a node for each occurrence, except if the heap is full, as in one call of
 * eight, and frees all. */
static void lists_of_nodes(void)
{
    struct sim_counters before = sim_counters(), after;
    AUTO_SEARCHER cuda = open_on(TRAWL_ENGINE_CUDA, 1, 0);
    AUTO_PLAN plan = build(&pattern, 1, "pss-gm-list:32");
    char bytes[801];
    AUTO_TEXT text = NULL;
    struct trawl_match got[400];
    uint64_t count;

    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = "an"[i % 2];
    text = must_text(bytes, sizeof bytes);
    MUST(list_matches(cuda, plan, text, got, 400, &count, NULL));
    after = sim_counters();
    TEST_CHECK_U64(count, 400);
    TEST_CHECK(after.allocated - before.allocated > 200 &&
               after.allocated - before.allocated < 400);
    TEST_CHECK_U64(after.released - before.released, after.allocated - before.allocated);
}

/* what the last hybrid_search did on the device */
static struct trawl_algorithm_stats work;

/* Searches by a hybrid. Driver call number `nth` fails, as if an image had no code for the device.
 * If nth is 0, no call fails. */
static enum trawl_status hybrid_search(const char *algorithm, uint64_t nth, uint64_t *count,
                                       struct trawl_stats *stats)
{
    AUTO_SEARCHER cuda = open_on(TRAWL_ENGINE_CUDA, 1, 0);
    AUTO_PLAN plan = build(&pattern, 1, algorithm);
    AUTO_TEXT text = must_string("banana");
    struct trawl_error record = calls_error();
    enum trawl_status status;

    sim_driver_fail(nth, CUDA_CODE_NO_BINARY_FOR_GPU, false);
    status = trawl_count(cuda, plan, text, count, &record);
    sim_driver_fail(0, 0, false);
    *stats = must_stats(cuda);
    work = must_work(cuda);
    return status;
}

/* A hybrid launches child grids for patterns of the given length and longer. Without a length, or
 * if the device has no code for child grids, the hybrid launches none, and reports the reason in
 * stats.note. */
static void hybrids(const char *algorithm)
{
    struct trawl_stats stats;
    uint64_t count = 0, without = 0, calls;
    char text[40];

    (void)snprintf(text, sizeof text, "%s:3", algorithm);
    CHECK_STATUS(hybrid_search(text, 0, &count, &stats), TRAWL_OK);
    TEST_CHECK(count == 2 && work.child_grids + work.child_spills == 2 && stats.note[0] == '\0');
    (void)snprintf(text, sizeof text, "%s:4", algorithm);
    CHECK_STATUS(hybrid_search(text, 0, &count, &stats), TRAWL_OK);
    TEST_CHECK(count == 2 && work.child_grids + work.child_spills == 0 && stats.note[0] == '\0');
    CHECK_STATUS(hybrid_search(algorithm, 0, &count, &stats), TRAWL_OK);
    TEST_CHECK(count == 2 && work.child_grids + work.child_spills == 0);
    TEST_CHECK(strstr(stats.note, "generic form: from which length on") != NULL);

    if (strcmp(algorithm, "bf-hybrid") != 0)
        return;
    for (calls = 1; calls < 60; calls++) {
        enum trawl_status status = hybrid_search("bf-hybrid:3", calls, &count, &stats);

        TEST_CHECK(status == TRAWL_OK || status == TRAWL_DEVICE || status == TRAWL_ENGINE);
        if (status == TRAWL_OK && work.child_grids + work.child_spills == 0) {
            TEST_CHECK(count == 2 && strstr(stats.note, "launches no child grids") != NULL);
            without++;
        }
    }
    TEST_CHECK_U64(without, 1); /* only if the call fails that loads the kernels that launch child
                                   grids, the search goes on without child grids */
}

static int name_h200(char *name, int name_bytes, int device)
{
    int code = sim_driver_table()->device_name(name, name_bytes, device);

    if (code == CUDA_CODE_OK)
        (void)snprintf(name, (size_t)name_bytes, "NVIDIA H200");
    return code;
}

/* On a device that was measured, where child grids were faster at no length, or for hp at a longer
 * one than the pattern's, a hybrid launches none. If the plan sets a length, that length counts
 * instead. */
static void measured_hybrids(void)
{
    static const char *const names[] = {"bf-hybrid", "qs-hybrid", "hp-hybrid"};
    struct cuda_driver driver = *sim_driver_table();
    struct trawl_stats stats;
    uint64_t count = 0;

    driver.device_name = name_h200;
    cuda_driver_replace(&driver);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_STATUS(hybrid_search(names[i], 0, &count, &stats), TRAWL_OK);
        TEST_CHECK(count == 2 && work.child_grids + work.child_spills == 0);
        TEST_CHECK(i == 2 ? stats.note[0] == '\0'
                          : strstr(stats.note, "faster at no length that was measured") != NULL);
    }
    CHECK_STATUS(hybrid_search("bf-hybrid:1", 0, &count, &stats), TRAWL_OK);
    TEST_CHECK(count == 2 && work.child_grids + work.child_spills == 2 && stats.note[0] == '\0');
    cuda_driver_replace(sim_driver_table());
}

/* Checks the windows beyond the limit of child grids per kernel, which the statistics count
 * separately, as withheld, unless the text is searched in smaller parts. With the option
 * "uncounted" no kernel has more starts than the limit, so the device refuses no launch. */
static void withheld(const char *algorithm)
{
    struct gallery_limits limits = gallery_limits_default;
    char name[40];
    AUTO_SEARCHER cuda = NULL;
    AUTO_PLAN uncounted = NULL;
    AUTO_PLAN plan = build(&pattern, 1, algorithm);
    AUTO_TEXT text = must_string("ana..ana..ana..ana..ana");

    limits.child_grids_max = 3;
    gallery_limits_replace(&limits);
    cuda = open_on(TRAWL_ENGINE_CUDA, 1, 0);
    sim_pending_max(1000);
    TEST_CHECK_U64(must_count(cuda, plan, text), 5);
    work = must_work(cuda);
    TEST_CHECK(work.child_grids == 3 && work.child_spills == 0 && work.child_withheld == 2);
    sim_pending_max(0);
    TEST_CHECK_U64(must_count(cuda, plan, text), 5);
    work = must_work(cuda);
    TEST_CHECK(work.child_grids == 0 && work.child_spills == 3 && work.child_withheld == 2);
    /* in smaller parts, each window gets a child grid; a later search begins with such parts */
    trawl_searcher_close(cuda);
    limits.child_begins_min = 4;
    gallery_limits_replace(&limits);
    cuda = open_on(TRAWL_ENGINE_CUDA, 1, 0);
    sim_pending_max(1000);
    for (uint32_t i = 0; i < 2; i++) {
        TEST_CHECK_U64(must_count(cuda, plan, text), 5);
        work = must_work(cuda);
        TEST_CHECK(work.child_grids == 5 && work.child_withheld == 0 && work.child_parts == 3);
    }
    sim_pending_max(0);
    (void)snprintf(name, sizeof name, "%s,uncounted", algorithm);
    uncounted = build(&pattern, 1, name);
    sim_pending_max(3);
    TEST_CHECK_U64(must_count(cuda, uncounted, text), 5);
    TEST_CHECK_U64(must_work(cuda).child_spills, 0);
    sim_pending_max(SIM_PENDING_SEEDED);
    gallery_limits_replace(NULL);
}

/* The examples that SWIFT prints: Quick Search with its table I, figures 3 and 5, and
 * Boyer-Moore's, which has no occurrence. */
static void worked_examples(const char *algorithm, enum trawl_engine engine)
{
    static const struct {
        const char *text, *pattern;
        uint64_t at;
    } examples[] = {{"ACTGACAGTACACTACCA", "ACACTAC", 9},
                    {"ACAGTACACTAC", "ACACTAC", 5},
                    {"ATAGTACGCGACG", "ACGCGACG", 5},
                    {"ATGACCTAC", "GCTAC", UINT64_MAX}};
    AUTO_SEARCHER searcher = open_on(engine, 1, 0);
    struct gallery_search search = {.bytes = (const uint8_t *)"ACACTAC", .count = 7};

    for (uint32_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct trawl_pattern letters = {examples[i].pattern, strlen(examples[i].pattern)};
        AUTO_PLAN plan = build(&letters, 1, algorithm);
        AUTO_TEXT text = must_string(examples[i].text);
        struct trawl_match got[2];
        uint64_t count;

        MUST(list_matches(searcher, plan, text, got, 2, &count, NULL));
        TEST_CHECK_U64(count, examples[i].at != UINT64_MAX);
        TEST_CHECK(count == 0 || got[0].begin == examples[i].at);
    }
    gallery_qs_prepare(&search);
    TEST_CHECK(search.shift['A'] == 2 && search.shift['C'] == 1 && search.shift['G'] == 8 &&
               search.shift['T'] == 3);
}

/* The table that Knuth, Morris and Pratt print, and Boyer-Moore's shifts in SWIFT's example: AC is
 * the good suffix, and occurs nowhere else. */
static void printed_tables(void)
{
    static const int64_t printed[] = {-1, 0, 0, -1, 0, 0, -1, 4, -1, 0, 2};
    int64_t table[12];
    struct gallery_search search = {.bytes = (const uint8_t *)"abcabcacab", .count = 10};

    search.table = table;
    gallery_kmp_prepare(&search);
    TEST_CHECK(memcmp(table, printed, sizeof printed) == 0);
    search.bytes = (const uint8_t *)"GCTAC";
    search.count = 5;
    gallery_bm_prepare(&search);
    TEST_CHECK(table[3] == 5 && search.shift['G'] == 4 && table[5] == 1);
}

static void on_all_names(void)
{
    const char *name;
    uint32_t engines;

    for (uint32_t i = 0; (name = trawl_algorithm(i, NULL, &engines)) != NULL; i++) {
        bool for_records = strncmp(name, "rabin-karp-matrix", 17) == 0;

        on_cuda(name, engines, for_records);
        if ((engines & ON_CPU) != 0)
            on_auto(name, for_records);
        if ((engines & ON_CUDA) != 0 && !for_records)
            threads_and_patterns(name);
        for (uint32_t engine = TRAWL_ENGINE_CPU; engine <= TRAWL_ENGINE_CUDA && !for_records;
             engine++)
            if ((engines >> engine & 1u) != 0)
                worked_examples(name, (enum trawl_engine)engine);
        if (strstr(name, "-hybrid") != NULL)
            hybrids(name);
        if (strstr(name, "-swift") != NULL)
            withheld(name);
    }
}

int main(void)
{
    struct gallery_limits limits = gallery_limits_default;

    test_begin("gallery_device");
    cuda_driver_replace(sim_driver_table());
    sim_driver_reset_usual(1);
    printed_tables();
    on_all_names();
    on_cuda("hp-hybrid:1", ON_CUDA, false);
    at_the_limits("pss-gr:64", GALLERY_KEY_BYTES);
    lists_of_nodes();
    shuffles_the_key("b", 1);
    shuffles_the_key("bana", 1);
    shuffles_the_key("banan", 2);
    at_the_limits("bf-shared:64", GALLERY_CONSTANT_BYTES);
    at_the_limits("bf-tay-shared:1024", GALLERY_CONSTANT_BYTES);
    at_the_limits("hp-tay-shared:1024", GALLERY_CONSTANT_BYTES);
    at_the_limits("qs-swift-binning:64", GALLERY_CONSTANT_BYTES);
    limits.trie_states_max = 1000;
    gallery_limits_replace(&limits);
    at_the_limits("aho-corasick", 999);
    gallery_limits_replace(NULL);
    beyond_shared_memory("bmh-conflict-free:1x3", 9000);
    beyond_shared_memory("bmh-conflict-free:2x64", 70000);
    beyond_shared_memory("qs-shared:64", 9000);
    beyond_shared_memory("hp-swift-binning", 9000);
    beyond_shared_memory("bf-hybrid", 33000);
    measured_hybrids();
    copied_in_parts();
    for (uint32_t multiprocessors = 1; multiprocessors <= 5; multiprocessors += 2) {
        fills_the_device("bmh-conflict-free", multiprocessors, 1);
        fills_the_device("bmh-shared", multiprocessors, 2);
    }
    TEST_CHECK_U64(sim_driver_live(), 0);
    TEST_CHECK(sim_driver_report()[0] == '\0');
    return test_end();
}
