/* records_device: compares the matrix of the CUDA engine on the simulated driver, under
 * rabin-karp-matrix and by trawl's own methods, with a simple search (the oracle): packings (see
 * gallery/device_records.c) and staging buffers of a few bytes, records in parts, more patterns
 * than a launch takes, devices with less memory than the tape. tests/sim/table_test.c makes calls
 * to the driver fail. */
#include <ctype.h>

#include "records_case.h"

#include "cuda/limits.h"
#include "gallery/gallery_limits.h"
#include "sim/sim_driver.h"
#include "sim/simulator.h"

#define RECORDS_MAX 40
#define RANDOM_PATTERNS_MAX 12

static const char matrix_name[] = "rabin-karp-matrix";
static const char *const names[] = {matrix_name,
                                    "rabin-karp-matrix-sample",
                                    "rabin-karp-matrix-sample,global",
                                    "rabin-karp-matrix-amp",
                                    "rabin-karp-matrix-bytes",
                                    "rabin-karp-matrix-wide",
                                    "rabin-karp-matrix-pairs"};
enum { NAMES = sizeof names / sizeof *names };

static void reset(uint64_t seed, uint64_t memory_bytes)
{
    struct sim_driver_options options = {seed, 1, memory_bytes, 2, 0, 0, 0};

    sim_driver_reset(&options);
}

static struct trawl_searcher *open_cuda(uint32_t threads)
{
    return must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = threads));
}

static void nothing_left(void)
{
    if (!TEST_CHECK(sim_driver_report()[0] == '\0'))
        printf("  %s\n", sim_driver_report());
    TEST_CHECK_U64(sim_driver_live(), 0);
    TEST_CHECK_U64(sim_driver_memory_used(), 0);
}

static void set_limits(uint32_t threads, uint64_t staging_bytes, uint64_t text_bytes_max,
                       uint64_t room_step_bytes)
{
    struct cuda_limits limits = cuda_limits_default;

    limits.threads = threads;
    limits.tile_words_max = limits.threads;
    limits.blocks_max = 2;
    limits.staging_bytes = staging_bytes;
    limits.text_bytes_max = text_bytes_max;
    limits.room_step_bytes = room_step_bytes;
    limits.hits_room_min = 16;
    limits.hits_max = 200;
    cuda_limits_replace(&limits);
}

static void small_limits(struct test_random *random)
{
    set_limits(32u * (uint32_t)test_random_between(random, 1, 3),
               test_random_between(random, 1, 400),
               test_random_between(random, 1, test_random_one_in(random, 2) ? 60 : 2000),
               test_random_one_in(random, 4) ? 4096 : 1);
}

/* How many searches by trawl's own methods had chunks, and how many of them ran on a device,
 * which may leave a chunk with too many hits to the host. */
static uint64_t own_searches, own_on_device;

/* Makes the matrix twice with the same searcher: the first call must not disturb the second. */
static void run(struct scene *scene, const char *algorithm)
{
    struct trawl_stats stats = {.size = sizeof stats};
    struct trawl_searcher *searcher;

    searcher = open_cuda(1 + (uint32_t)(scene->records.record_count % 3));
    for (int times = 0; times < 2; times++)
        MUST(scene_matrix(scene, algorithm, searcher, NULL));
    MUST(trawl_searcher_stats(searcher, &stats, NULL));
    if (stats.chunk_count > 0 && scene->tape.pattern_count > 0) {
        const bool on_device = strcmp(stats.engine, "cuda") == 0;

        TEST_CHECK(on_device || algorithm == NULL);
        own_searches += algorithm == NULL;
        own_on_device += algorithm == NULL && on_device;
    }
    if (algorithm != NULL) {
        uint64_t bytes = scene->offsets[scene->records.record_count] - scene->offsets[0];

        TEST_CHECK_U64(stats.match_count, scene->cells_set);
        TEST_CHECK_U64(stats.text_bytes, bytes);
        TEST_CHECK_U64(stats.device_chunk_count, stats.chunk_count);
        TEST_CHECK(stats.candidate_count <= scene->records.record_count);
        TEST_CHECK(stats.candidate_count > 0 || scene->cells_set == 0);
    }
    trawl_searcher_close(searcher);
    nothing_left();
}

/* Overwrites the last byte of about three in four records with a NUL. The C++ AMP sample stores
 * records as C strings, and searches them with strstr. */
static void end_records(struct test_random *random, struct scene *scene)
{
    for (uint64_t i = 0; i < scene->records.record_count; i++)
        if (scene->offsets[i + 1] > scene->offsets[i] && !test_random_one_in(random, 4))
            scene->tape.text[scene->offsets[i + 1] - 1] = 0;
}

static void random_scenes(void)
{
    struct test_random random = test_random_begin("gallery records device");

    for (uint64_t round = 0; round < test_amount(250, 4000) && test_failures < 10; round++) {
        enum input_kind kind = (enum input_kind)test_random_below(&random, INPUT_KINDS);
        uint64_t record_count = test_random_between(&random, 1, RECORDS_MAX);
        uint64_t longest = test_random_one_in(&random, 4) ? 400 : 50;
        struct scene scene;

        reset(round + 1, 4u << 20);
        small_limits(&random);
        scene_begin(&random, kind, record_count, test_random_between(&random, 1, longest), &scene);
        if (test_random_one_in(&random, 2))
            end_records(&random, &scene);
        scene_add_patterns(&random, test_random_below(&random, RANDOM_PATTERNS_MAX + 1),
                           test_random_one_in(&random, 5) ? 120 : 10, &scene);
        scene.tape.flags = (uint32_t)test_random_below(&random, 8);
        for (uint64_t i = 0; i < scene.tape.text_bytes; i++)
            if ((scene.tape.flags & TRAWL_IGNORE_CASE) != 0 && isalpha(scene.tape.text[i]))
                scene.tape.text[i] ^= (uint8_t)(test_random_below(&random, 2) * 0x20);
        run(&scene, names[round % NAMES]);
        if (round % 4 == 0)
            run(&scene, NULL);
        scene_end(&scene);
    }
}

/* Makes a scene of records of `bytes` dots each. */
static void scene_dots(struct test_random *random, uint64_t records, uint64_t bytes,
                       struct scene *scene)
{
    scene_begin(random, INPUT_LETTERS_1, records, bytes, scene);
    input_free(&scene->tape);
    input_begin(random, INPUT_LETTERS_1, records * bytes, &scene->tape);
    memset(scene->tape.text, '.', records * bytes);
    scene->records.bytes = scene->tape.text;
    for (uint64_t i = 0; i <= records; i++)
        scene->offsets[i] = i * bytes;
}

/* Writes number `index` of many different patterns of 6, 7 and 8 bytes. Returns its length. */
static uint64_t numbered_pattern(uint64_t index, uint8_t bytes[8])
{
    uint64_t count = 6 + index % 3;

    for (uint64_t j = 0; j < 8; j++, index /= 26)
        bytes[j] = (uint8_t)('a' + index % 26);
    return count;
}

/* More patterns than a launch takes: the hashes of two of the three lengths are divided between two
 * launches, and each pattern is given twice. Every third record holds no pattern, the others one
 * each. A packing has few records. */
static void many_patterns(const char *name)
{
    enum { RECORDS = 30, BYTES = 12 };
    struct test_random random = test_random_begin("gallery records device many");
    uint64_t patterns = 10000, launches = sim_counters().launches;
    struct trawl_stats stats = {.size = sizeof stats};
    struct trawl_searcher *searcher;
    struct scene scene;

    reset(1, 16u << 20);
    set_limits(32, 100, 160, 1);
    scene_dots(&random, RECORDS, BYTES, &scene);
    for (uint64_t i = 0; i < 2 * patterns; i++) {
        uint8_t bytes[8];
        uint64_t count = numbered_pattern(i / 2, bytes);

        input_add_pattern(&scene.tape, bytes, count);
    }
    for (uint64_t i = 0; i < RECORDS; i++) {
        uint8_t bytes[8];
        uint64_t count = numbered_pattern(i * patterns / RECORDS, bytes);

        if (i % 3 != 0)
            memcpy(scene.tape.text + i * BYTES + i % 5, bytes, count);
    }
    searcher = open_cuda(2);
    MUST(scene_matrix(&scene, name, searcher, NULL));
    MUST(trawl_searcher_stats(searcher, &stats, NULL));
    TEST_CHECK_U64(stats.candidate_count, RECORDS / 3 * 2);
    TEST_CHECK(scene.cells_set >= RECORDS / 3 * 2 * 2);
    TEST_CHECK(sim_counters().launches - launches > 4);
    trawl_searcher_close(searcher);
    nothing_left();
    scene_end(&scene);
}

/* 128 patterns of one length, which the published form compares without a loop, in records of
 * random bytes with at least one pattern. */
static void patterns_128(const char *name)
{
    enum { PATTERNS = 128, BYTES = 24 };
    struct test_random random = test_random_begin("gallery records device 128");
    struct scene scene;

    reset(8, 4u << 20);
    set_limits(32, 100, 4000, 1);
    scene_dots(&random, PATTERNS, BYTES, &scene);
    for (uint32_t i = 0; i < PATTERNS; i++) {
        const uint8_t bytes[3] = {(uint8_t)(128 + i), (uint8_t)(7 * i), (uint8_t)(255 - i)};
        uint8_t *record = scene.tape.text + (uint64_t)i * BYTES;

        for (uint32_t j = 0; j < BYTES; j++)
            record[j] = (uint8_t)test_random_below(&random, 256);
        memcpy(record + 5 + i % 16, bytes, sizeof bytes);
        input_add_pattern(&scene.tape, bytes, sizeof bytes);
    }
    run(&scene, name);
    TEST_CHECK(scene.cells_set >= PATTERNS);
    scene_end(&scene);
}

/* Records of several parts with a single long string, at each offset near the boundary of two
 * parts. Every third record also has a short string in its first part. If a record had many
 * strings, a missing one would go unnoticed. With 260 bytes of text on the device, the last packing
 * contains only the last part of the last record. */
static void one_in_parts(const char *name, uint64_t text_bytes_max)
{
    enum { RECORDS = 50, BYTES = RECORDS + 8 };
    struct gallery_limits limits = gallery_limits_default;
    struct test_random random = test_random_begin("gallery records device parts");
    struct scene scene;

    limits.record_bytes = 16;
    gallery_limits_replace(&limits);
    reset(7, 4u << 20);
    set_limits(32, 100, text_bytes_max, 1);
    scene_dots(&random, RECORDS, BYTES, &scene);
    input_add_pattern(&scene.tape, (const uint8_t *)"abcdefgh", 8);
    input_add_pattern(&scene.tape, (const uint8_t *)"xyz", 3);
    for (uint64_t i = 0; i < RECORDS; i++) {
        memcpy(scene.tape.text + i * BYTES, "xyz", i % 3 == 1 ? 3 : 0);
        memcpy(scene.tape.text + i * BYTES + i, "abcdefgh", 8);
    }
    run(&scene, name);
    scene_end(&scene);
    gallery_limits_replace(NULL);
}

/* Several plans on one searcher: none may see state of the previous plan. */
static void plan_after_plan(void)
{
    struct test_random random = test_random_begin("gallery records device plans");
    struct trawl_searcher *searcher;

    reset(5, 4u << 20);
    set_limits(32, 100, 700, 1);
    searcher = open_cuda(2);
    for (uint64_t round = 0; round < 20; round++) {
        struct scene scene;

        scene_begin(&random, INPUT_LETTERS_26, 20, 30, &scene);
        scene_add_patterns(&random, 1 + round % 3, 4, &scene);
        MUST(scene_matrix(&scene, round % (NAMES + 1) == NAMES ? NULL : names[round % (NAMES + 1)],
                          searcher, NULL));
        scene_end(&scene);
    }
    trawl_searcher_close(searcher);
    nothing_left();
}

struct rare_rows {
    uint64_t seen;
    uint64_t set;
};

#define RARE_RECORDS ((1u << 21) + 100000u)
#define RARE_STEP 300007u

static int take_rare_rows(void *context, uint64_t row_first, uint64_t row_count,
                          const int64_t *first)
{
    struct rare_rows *rows = (struct rare_rows *)context;

    TEST_CHECK_U64(row_first, rows->seen);
    for (uint64_t i = 0; i < row_count; i++)
        if (first[i] != ((row_first + i) % RARE_STEP == 0 ? 1 : -1))
            TEST_CHECK_U64((uint64_t)first[i], row_first + i);
        else
            rows->set += first[i] == 1;
    rows->seen += row_count;
    return 0;
}

/* More records than a device flags in one call: nearly all are empty, and a few hold the pattern.
 */
static void many_records(void)
{
    uint64_t *offsets = test_memory((RARE_RECORDS + 1) * sizeof *offsets);
    struct trawl_pattern pattern = {"bc", 2};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_searcher *searcher;
    struct rare_rows rows = {0, 0};
    struct trawl_record_array records;
    struct trawl_plan *plan = NULL;
    char tape[100];
    uint64_t at = 0;

    for (uint64_t i = 0; i < RARE_RECORDS; i++) {
        offsets[i] = at;
        if (i % RARE_STEP == 0) {
            memcpy(tape + at, "abcd", 4);
            at += 4;
        }
    }
    offsets[RARE_RECORDS] = at;
    records = records_of(tape, offsets, RARE_RECORDS);
    reset(6, 4u << 20);
    cuda_limits_replace(NULL);
    searcher = open_cuda(1);
    options.algorithm = matrix_name;
    MUST(trawl_plan_build(&pattern, 1, &options, &plan, NULL));
    MUST(call_rows(searcher, plan, &records, take_rare_rows, &rows, NULL));
    TEST_CHECK_U64(rows.seen, RARE_RECORDS);
    TEST_CHECK_U64(rows.set, RARE_RECORDS / RARE_STEP + 1);
    trawl_plan_free(plan);
    trawl_searcher_close(searcher);
    nothing_left();
    free(offsets);
}

/* Records shorter than each pattern launch nothing. */
static void short_records(void)
{
    struct test_random random = test_random_begin("gallery records device short");
    uint64_t launches;
    struct scene scene;

    reset(2, 4u << 20);
    small_limits(&random);
    scene_begin(&random, INPUT_LETTERS_2, 30, 9, &scene);
    for (uint64_t count = 10; count <= 12; count++)
        input_add_pattern(&scene.tape, scene.tape.text, count);
    launches = sim_counters().launches;
    run(&scene, matrix_name);
    TEST_CHECK_U64(sim_counters().launches, launches);
    TEST_CHECK_U64(scene.cells_set, 0);
    scene_end(&scene);
}

/* A tape larger than the device's memory, then a single pattern larger than it. */
static void little_memory(void)
{
    struct test_random random = test_random_begin("gallery records device memory");
    struct trawl_searcher *searcher;
    struct trawl_error error = calls_error();
    uint8_t *large = test_memory(600u << 10);
    struct scene scene;

    cuda_limits_replace(NULL);
    reset(3, 500u << 10);
    scene_begin(&random, INPUT_LETTERS_26, 3000, 600, &scene);
    input_add_pattern(&scene.tape, scene.tape.text + 1000, 5);
    input_add_pattern(&scene.tape, scene.tape.text + 2000, 3);
    run(&scene, matrix_name);
    TEST_CHECK(scene.cells_set > 0);
    memset(large, 'a', 600u << 10);
    input_add_pattern(&scene.tape, large, 600u << 10);
    searcher = open_cuda(1);
    CHECK_STATUS(scene_matrix(&scene, matrix_name, searcher, &error), TRAWL_MEMORY);
    TEST_CHECK(error.status == TRAWL_MEMORY && error.message[0] != '\0');
    TEST_CHECK_U64(scene.rows_seen, 0);
    trawl_searcher_close(searcher);
    nothing_left();
    free(large);
    scene_end(&scene);
}

/* Which engine runs the algorithm: "auto" lets the host search; ",global" needs a device. */
static void engines(void)
{
    struct test_random random = test_random_begin("gallery records engines");
    struct trawl_searcher *searcher = must_searcher(2, 0), *cuda = NULL;
    struct trawl_error error = calls_error();
    struct scene scene;

    reset(4, 4u << 20);
    scene_begin(&random, INPUT_LETTERS_2, 20, 40, &scene);
    scene_add_patterns(&random, 5, 6, &scene);
    MUST(scene_matrix(&scene, matrix_name, searcher, NULL));
    CHECK_STATUS(scene_matrix(&scene, "rabin-karp-matrix-sample,global", searcher, &error),
                 TRAWL_UNSUPPORTED);
    TEST_CHECK(strstr(error.message, matrix_name) != NULL);
    cuda = open_cuda(1);
    MUST(scene_matrix(&scene, "rabin-karp-matrix-sample,global", cuda, NULL));
    trawl_searcher_close(cuda);
    trawl_searcher_close(searcher);
    scene_end(&scene);
    nothing_left();
}

int main(void)
{
    test_begin("gallery_records_device");
    cuda_driver_replace(sim_driver_table());
    random_scenes();
    for (uint32_t i = 0; i < NAMES; i++)
        many_patterns(names[i]);
    for (uint32_t i = 0; i < NAMES; i++)
        patterns_128(names[i]);
    for (uint32_t i = 0; i < NAMES; i++)
        for (uint64_t bytes = 260; bytes <= 4000; bytes += 3740)
            one_in_parts(names[i], bytes);
    plan_after_plan();
    many_records();
    short_records();
    little_memory();
    engines();
    cuda_limits_replace(NULL);
    TEST_CHECK(own_on_device > 0 && 10 * own_on_device >= 9 * own_searches);
    return test_end();
}
