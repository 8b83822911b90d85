/* gpu_large: tests the CUDA engine through the public functions with large sizes: texts beyond 4
 * GiB, patterns of tens of thousands of bytes, texts in which every position matches, texts larger
 * than the device's memory, and engines opened and closed many times. Expected answers are planted,
 * counted by hand, or those of the CPU engine.
 *
 * With TRAWL_TEST_SCALE=long, a text is 5 GiB long (and needs as much host memory), else 64 MiB.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "diff/diff_input.h"
#include "gpu/gpu.h"

#define MIB (1u << 20)
#define OPEN_CLOSE_TIMES 20

/* Builds a plan. Returns NULL if the method does not fit the pattern. */
static struct trawl_plan *plan_of(const void *bytes, uint64_t count, enum trawl_method method)
{
    struct trawl_pattern pattern = {bytes, count};
    struct trawl_plan *plan = NULL;

    (void)!trawl_plan_build(&pattern, 1, PLAN_WITH(.method = method), &plan, NULL);
    return plan;
}

#define PLANTED_MAX 64

/* A text with `planted` needles, at the offsets `places`. */
struct haystack {
    struct trawl_text *text;
    uint64_t places[PLANTED_MAX];
    uint64_t planted;
};

static const char needle[] = "needle in a very large haystack";

/* Checks that the needles are counted, and found at their places. */
static void find_planted(struct trawl_searcher *gpu, const struct haystack *hay,
                         const struct trawl_plan *plan)
{
    struct trawl_match matches[PLANTED_MAX];
    uint64_t found = 0;

    TEST_CHECK_U64(must_count(gpu, plan, hay->text), hay->planted);
    MUST(list_matches(gpu, plan, hay->text, matches, PLANTED_MAX, &found, NULL));
    TEST_CHECK_U64(found, hay->planted);
    for (uint64_t i = 0; i < hay->planted && i < found; i++)
        TEST_CHECK_U64(matches[i].begin, hay->places[i]);
}

static void find_by_methods(struct trawl_searcher *gpu, const struct haystack *hay)
{
    for (uint32_t method = TRAWL_METHOD_AUTO; method <= TRAWL_METHOD_SET; method++) {
        AUTO_PLAN plan = must_plan_with(needle, PLAN_WITH(.method = (enum trawl_method)method));

        find_planted(gpu, hay, plan);
    }
}

/* Searches with each algorithm of the gallery for texts. */
static void find_by_algorithms(struct trawl_searcher *gpu, const struct haystack *hay)
{
    const char *name;
    uint32_t engines;

    for (uint32_t i = 0; (name = trawl_algorithm(i, NULL, &engines)) != NULL; i++) {
        AUTO_PLAN plan = NULL;
        uint64_t failures = test_failures;

        if ((engines & 1u << TRAWL_ENGINE_CUDA) == 0 || strncmp(name, "rabin-karp-matrix", 17) == 0)
            continue;
        plan = must_plan_with(needle, PLAN_WITH(.algorithm = name));
        find_planted(gpu, hay, plan);
        if (test_failures != failures)
            printf("  %s\n", name);
    }
}

/* Counts the needles' lines in random bytes with a filter, which leaves the needles' pages. */
static void in_filtered(struct trawl_searcher *gpu, const struct haystack *hay, uint8_t *memory,
                        uint64_t bytes)
{
    struct trawl_text_options options = TRAWL_TEXT_MEMORY(memory, bytes);
    struct trawl_answer lines = TRAWL_ANSWER(TRAWL_COUNT_LINES);
    struct test_random random = test_random_begin("filtered");
    struct haystack filtered = *hay;
    AUTO_PLAN plan = must_plan(needle);

    for (uint64_t at = 0; at + 8 <= bytes; at += 8) {
        uint64_t word = test_random_u64(&random);

        memcpy(memory + at, &word, sizeof word);
    }
    for (uint64_t i = 0; i < hay->planted; i++)
        memcpy(memory + hay->places[i], needle, sizeof needle - 1);
    options.flags = TRAWL_TEXT_FILTER;
    MUST(trawl_text_open(NULL, &options, &filtered.text, NULL));
    MUST(trawl_text_load(gpu, filtered.text, NULL));
    find_planted(gpu, &filtered, plan);
    MUST(trawl_ask(gpu, plan, filtered.text, &lines, NULL));
    TEST_CHECK_U64(lines.count, hay->planted);
    TEST_CHECK(must_stats(gpu).page_left_count >= hay->planted);
    trawl_text_unload(gpu, filtered.text);
    trawl_text_close(filtered.text);
}

/* Searches for needles planted throughout the text, in a long run even at offsets beyond 32 bits.
 */
static void beyond_4_gib(struct trawl_searcher *gpu)
{
    uint64_t bytes = test_is_long() ? 5ull << 30 : 64ull * MIB;
    uint8_t *memory = (uint8_t *)calloc(bytes, 1);
    struct haystack hay = {NULL, {0}, 0};

    if (memory == NULL)
        TEST_SKIP("no memory for the large text");
    for (uint64_t at = 17; at < bytes - 100; at += bytes / 40)
        hay.places[hay.planted++] = at;
    hay.places[hay.planted++] = bytes - (sizeof needle - 1);
    for (uint64_t i = 0; i < hay.planted; i++)
        memcpy(memory + hay.places[i], needle, sizeof needle - 1);
    hay.text = must_text(memory, bytes);
    find_by_methods(gpu, &hay);
    MUST(trawl_text_load(gpu, hay.text, NULL));
    find_by_methods(gpu, &hay);
    find_by_algorithms(gpu, &hay);
    trawl_text_unload(gpu, hay.text);
    in_filtered(gpu, &hay, memory, bytes);
    printf("text of %" PRIu64 " MiB: %" PRIu64 " needles found at their places\n", bytes / MIB,
           hay.planted);
    trawl_text_close(hay.text);
    free(memory);
}

/* Compares the answers of both engines, with each method that fits the pattern. */
static void compare(struct trawl_searcher *gpu, struct trawl_searcher *cpu, struct trawl_text *text,
                    const uint8_t *pattern, uint64_t pattern_bytes, uint64_t *compared)
{
    for (uint32_t method = TRAWL_METHOD_EVERY; method <= TRAWL_METHOD_SET; method++) {
        AUTO_PLAN plan = plan_of(pattern, pattern_bytes, (enum trawl_method)method);

        if (plan == NULL)
            continue;
        TEST_CHECK_U64(must_count(gpu, plan, text), must_count(cpu, plan, text));
        (*compared)++;
    }
}

static void long_patterns(struct trawl_searcher *gpu, struct trawl_searcher *cpu)
{
    static const uint64_t lengths[] = {1,    2,    3,     4,     5,     7,     8,    9,    16,
                                       63,   64,   65,    80,    128,   255,   1000, 4096, 8191,
                                       8192, 8200, 16400, 65535, 65536, 65537, 70000};
    struct test_random random = test_random_begin("long patterns");
    uint64_t bytes = 8ull * MIB, compared = 0;
    uint8_t *memory = (uint8_t *)test_memory(bytes);
    AUTO_TEXT text = must_text(memory, bytes);

    for (uint32_t kind = 0; kind < INPUT_KINDS; kind++) {
        (void)input_fill(&random, (enum input_kind)kind, memory, bytes);
        for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            compare(gpu, cpu, text, memory + test_random_below(&random, bytes - lengths[i]),
                    lengths[i], &compared);
    }
    printf("patterns of 1 to 70,000 bytes: %" PRIu64 " counts equal the CPU engine's\n", compared);
    free(memory);
}

struct steps {
    uint64_t next;
    uint64_t step;
    bool right;
};

static int check_step(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct steps *steps = (struct steps *)context;

    for (uint64_t i = 0; i < match_count; i++, steps->next += steps->step)
        steps->right &= matches[i].begin == steps->next;
    return 0;
}

/* Searches the texts a^n and (ab)^n for patterns that match at every position or every second one,
 * and for patterns that match nowhere because of their last byte. */
static void dense(struct trawl_searcher *gpu)
{
    static const uint64_t lengths[] = {1, 2, 8, 9, 64, 65, 300, 5000, 70000};
    uint64_t bytes = 16ull * MIB + 5;
    uint8_t *memory = (uint8_t *)test_memory(bytes);
    uint8_t *pattern = (uint8_t *)test_memory(70001);
    AUTO_TEXT text = must_text(memory, bytes);

    for (uint64_t step = 1; step <= 2; step++) {
        for (uint64_t i = 0; i < bytes; i++)
            memory[i] = (uint8_t)('a' + i % step);
        for (uint64_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            struct steps steps = {0, step, true};
            AUTO_PLAN plan = plan_of(memory, lengths[i], TRAWL_METHOD_AUTO);
            AUTO_PLAN none = NULL;

            TEST_CHECK_U64(must_count(gpu, plan, text), (bytes - lengths[i]) / step + 1);
            MUST(ask_positions(gpu, plan, text, check_step, &steps, NULL));
            TEST_CHECK(steps.right);
            TEST_CHECK_U64(steps.next, ((bytes - lengths[i]) / step + 1) * step);
            memcpy(pattern, memory, lengths[i]);
            pattern[lengths[i]] = 'c';
            none = plan_of(pattern, lengths[i] + 1, TRAWL_METHOD_AUTO);
            TEST_CHECK_U64(must_count(gpu, none, text), 0);
        }
    }
    printf("every position a match: counted and listed in order\n");
    free(memory);
    free(pattern);
}

static void little_memory(struct trawl_searcher *cpu)
{
    struct test_random random = test_random_begin("little memory");
    AUTO_SEARCHER gpu = must_searcher_with(
        SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .device_memory_bytes = 24ull * MIB));
    uint64_t bytes = 200ull * MIB, compared = 0;
    uint8_t *memory = (uint8_t *)test_memory(bytes);
    AUTO_TEXT text = must_text(memory, bytes);

    (void)input_fill(&random, INPUT_LETTERS_26, memory, bytes);
    compare(gpu, cpu, text, memory + bytes / 3, 4, &compared);
    compare(gpu, cpu, text, memory + bytes / 3, 300, &compared);
    TEST_CHECK(trawl_text_load(gpu, text, NULL) == TRAWL_MEMORY);
    compare(gpu, cpu, text, memory + bytes / 3, 3000, &compared);
    printf("24 MiB of device memory, 200 MiB of text: right, and not loaded\n");
    free(memory);
}

static uint64_t resident_kib(void)
{
    uint64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file != NULL) {
        if (fscanf(file, "%*u %" SCNu64, &pages) != 1)
            pages = 0;
        (void)fclose(file);
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

/* Opens and closes the engine many times, and checks that the process's memory does not grow each
 * time. The script around this test checks device memory using the driver's figure before and
 * after.
 */
static void open_and_close(void)
{
    uint64_t before = 0, grown = 0;

    for (uint32_t i = 0; i < OPEN_CLOSE_TIMES; i++) {
        AUTO_SEARCHER gpu = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA));
        AUTO_PLAN plan = must_plan("abc");
        AUTO_TEXT text = must_string("xxabcxabc");

        TEST_CHECK_U64(must_count(gpu, plan, text), 2);
        if (i == OPEN_CLOSE_TIMES / 2)
            before = resident_kib();
    }
    grown = resident_kib() > before ? resident_kib() - before : 0;
    printf("opened and closed %u times: host memory grew by %" PRIu64 " KiB in the second half\n",
           OPEN_CLOSE_TIMES, grown);
    TEST_CHECK(grown < 4096);
}

int main(void)
{
    test_begin("gpu large");
    engine_cuda.close(gpu_open());
    {
        AUTO_SEARCHER gpu = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA));
        AUTO_SEARCHER cpu = must_searcher(0, 0);

        beyond_4_gib(gpu);
        long_patterns(gpu, cpu);
        dense(gpu);
        little_memory(cpu);
    }
    open_and_close();
    return test_end();
}
