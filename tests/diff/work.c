/* work: checks that the work of a search is linear in the text's length, whatever the text and the
 * pattern. Work is counted, because times would differ from run to run: for this test the library
 * is compiled again so that each basic block calls __sanitizer_cov_trace_pc. The library's calls to
 * memcmp and memchr go through functions of this file, which count work for the bytes compared. The
 * library's clock returns the work so far, so the count is the same in every run. Builds with
 * sanitizers run the same searches but count nothing. */
#include <unistd.h>

#include "calls.h"
#include "diff/diff_run.h"

#define TEXT_BYTES ((uint64_t)1 << 18)
/* Limit for the basic blocks per byte of the text. Quadratic searches need hundreds. */
#define WORK_PER_BYTE_MAX 60
#define CANDIDATES_PER_BYTE_MAX 4
#define CANDIDATES_MORE 4096
#define COMPARED_BYTES_PER_BLOCK 16
#define SET_PATTERNS 400u
#define SET_WAYS 5u
#define CHOICE_STRINGS 250u /* with this many strings a search begins with the buckets method */

static const uint64_t pattern_sizes[] = {1,  2,  3,   4,    7,    8,     16,
                                         33, 80, 257, 1024, 4096, 32768, 100000};
#define SIZES (sizeof pattern_sizes / sizeof *pattern_sizes)

/* The work so far. Searches run only in the calling thread, so no lock is needed. */
static uint64_t work;

void __sanitizer_cov_trace_pc(void);
int __wrap_memcmp(const void *a, const void *b, size_t count);
void *__wrap_memchr(const void *bytes, int byte, size_t count);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

void __sanitizer_cov_trace_pc(void)
{
    work++;
}

int __wrap_memcmp(const void *a, const void *b, size_t count)
{
    const uint8_t *first = a, *second = b;
    size_t same = 0;

    while (same < count && first[same] == second[same])
        same++;
    work += 1 + same / COMPARED_BYTES_PER_BLOCK;
    return same == count ? 0 : first[same] - second[same];
}

void *__wrap_memchr(const void *bytes, int byte, size_t count)
{
    const uint8_t *first = bytes;
    size_t passed = 0;

    while (passed < count && first[passed] != (uint8_t)byte)
        passed++;
    work += 1 + passed / COMPARED_BYTES_PER_BLOCK;
    return passed == count ? NULL : (void *)(uintptr_t)(first + passed);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    *time = (struct timespec){(time_t)(work / 1000000000), (long)(work % 1000000000)};
    return 0;
}

struct worst_row {
    double work_per_byte;
    char line[800];
};
static struct worst_row worst[TRAWL_METHODS_COUNT];

/* Searches with a plan, and checks the work: at most `max` blocks per byte of the text. A simple
 * search would take too long here, so instead the count must be the same for all methods and
 * instruction sets: *count_known is the first count.
 */
static void run_plan(const struct diff_input *input, const struct run_config *config,
                     const struct trawl_plan *plan, double max, uint64_t *count_known)
{
    struct trawl_stats stats = {.size = sizeof stats};
    struct trawl_searcher *searcher = NULL;
    struct trawl_text *text = NULL;
    uint64_t count = 0, done;
    double work_per_byte;
    char line[700];

    if (!TEST_CHECK(run_searcher_open(config, &searcher, NULL) == TRAWL_OK) ||
        !TEST_CHECK(call_memory(input->text, input->text_bytes, &text, NULL) == TRAWL_OK))
        exit(test_end());
    work = 0;
    TEST_CHECK(trawl_count(searcher, plan, text, &count, NULL) == TRAWL_OK);
    done = work;
    TEST_CHECK(done > 0 || TEST_SANITIZED); /* builds with sanitizers count nothing */
    TEST_CHECK(trawl_searcher_stats(searcher, &stats, NULL) == TRAWL_OK);
    if (*count_known == UINT64_MAX)
        *count_known = count;
    work_per_byte = (double)done / (double)input->text_bytes;
    run_describe(input, config, line, sizeof line);
    if (work_per_byte > worst[config->method].work_per_byte) {
        worst[config->method].work_per_byte = work_per_byte;
        (void)snprintf(worst[config->method].line, sizeof worst[config->method].line,
                       "%s, pattern of %" PRIu64 " bytes", line, input->patterns[0].bytes_count);
    }
    if (!TEST_CHECK_U64(count, *count_known) || !TEST_CHECK(work_per_byte <= max) ||
        !TEST_CHECK(stats.candidate_count <=
                    CANDIDATES_PER_BYTE_MAX * input->text_bytes + CANDIDATES_MORE) ||
        !TEST_CHECK_U64(stats.text_bytes, input->text_bytes))
        printf("  %s, pattern of %" PRIu64 " bytes: %.1f blocks per byte, %" PRIu64 " candidates\n",
               line, input->patterns[0].bytes_count, work_per_byte, stats.candidate_count);
    trawl_text_close(text);
    trawl_searcher_close(searcher);
}

static void run_methods(const struct diff_input *input, uint64_t plans[TRAWL_METHODS_COUNT])
{
    uint64_t count_known = UINT64_MAX;

    for (uint32_t method = 0; method < TRAWL_METHODS_COUNT; method++) {
        struct run_config config = {.method = (enum trawl_method)method, .threads = 1};
        struct trawl_plan *plan = NULL;
        enum trawl_status status = run_plan_build(input, &config, &plan, NULL);
        TEST_CHECK(status == TRAWL_OK || (status == TRAWL_ARGUMENT && method > 0));
        plans[method] += status == TRAWL_OK;
        for (uint32_t set = 0; set < instruction_set_count() && status == TRAWL_OK; set++) {
            config.instruction_set = trawl_instruction_set(set);
            run_plan(input, &config, plan, WORK_PER_BYTE_MAX, &count_known);
        }
        trawl_plan_free(plan);
    }
}

/* Adds pieces of the text, in one of five ways. Three of the ways also change or append a byte. */
static void add_flood(struct diff_input *input, uint32_t way)
{
    uint8_t pattern[SET_PATTERNS + 1];

    for (uint64_t i = 1; i <= SET_PATTERNS; i++) {
        uint64_t bytes = 1 + i % (SET_PATTERNS / 4);

        memcpy(pattern, input->text + (way == 4 ? 7 * i : 0), (size_t)bytes);
        if (way == 1) /* the last byte differs from the text */
            pattern[bytes++] = 'z';
        if (way == 2) /* the first byte differs from the text */
            pattern[0] = 'z';
        if (way == 3) { /* equal first bytes */
            memcpy(pattern, input->text, 8);
            bytes = 8 + bytes % 8;
            pattern[bytes - 1] = (uint8_t)('A' + i % 50);
        }
        input_add_pattern(input, pattern, bytes);
    }
}

static void run_set_floods(struct test_random *random, uint64_t text_bytes)
{
    static const enum input_kind texts[] = {INPUT_LETTERS_1, INPUT_AB, INPUT_FIBONACCI,
                                            INPUT_THUE_MORSE, INPUT_PERIODIC};
    uint64_t plans[TRAWL_METHODS_COUNT] = {0};

    for (uint32_t i = 0; i < SET_WAYS * (sizeof texts / sizeof *texts); i++) {
        struct diff_input input;

        if (!test_turn(i + i / SET_WAYS, 2))
            continue;
        input_begin(random, texts[i / SET_WAYS], text_bytes, &input);
        input.kind = "a set's flood";
        add_flood(&input, i % SET_WAYS);
        run_methods(&input, plans);
        input_free(&input);
    }
    TEST_CHECK(plans[TRAWL_METHOD_SET] > 0);
}

/* Returns the work of a search by a method, including the tables that the search makes, but not the
 * building of the plan. */
static uint64_t work_of(const struct diff_input *input, enum trawl_method method)
{
    struct run_config config = {.method = method, .threads = 1};
    struct trawl_plan *plan = NULL;
    uint64_t count = UINT64_MAX;

    if (!TEST_CHECK(run_plan_build(input, &config, &plan, NULL) == TRAWL_OK))
        exit(test_end());
    run_plan(input, &config, plan, WORK_PER_BYTE_MAX, &count);
    trawl_plan_free(plan);
    return work;
}

/* Makes strings whose first bytes (begin_alike) or last bytes are equal, in a text full of these
 * bytes, up to offset `calm`. Filters that test only the low six bits of a byte cannot tell them
 * from letters, of which the rest of the text consists. */
static void make_choice(struct test_random *random, uint64_t text_bytes, uint64_t strings,
                        bool begin_alike, uint64_t calm, struct diff_input *input)
{
    uint64_t bytes_count = begin_alike ? 24 : 8, varied = begin_alike ? 16 : 3;
    uint64_t period = 1 + (begin_alike ? varied : bytes_count - varied);

    memset(input, 0, sizeof *input);
    input->kind = begin_alike ? "heads" : "ends";
    input->line_end = '\n';
    input->text_bytes = text_bytes;
    input->pattern_count = strings;
    input->text = malloc(text_bytes);
    input->patterns = malloc(strings * sizeof *input->patterns);
    if (input->text == NULL || input->patterns == NULL)
        exit(1);
    for (uint64_t i = 0; i < text_bytes; i++)
        input->text[i] = (uint8_t)(i % period == 0 || i >= calm ? 'a' + test_random_below(random, 8)
                                                                : '!' + i % period);
    for (uint64_t i = 0; i < strings; i++) {
        uint8_t *bytes = malloc(bytes_count);

        for (uint64_t j = 0; bytes != NULL && j < bytes_count; j++)
            bytes[j] = (uint8_t)((j < varied) == begin_alike ? '"' + (begin_alike ? j : j - varied)
                                                             : 'a' + test_random_below(random, 8));
        input->patterns[i] = (struct naive_bytes){bytes, bytes_count};
    }
}

/* Checks that the text decides well between the methods buckets, classes and automaton: the plan's
 * own choice must be at most two thirds of the way from the minimum work to the maximum. The bound
 * is loose because the number of basic blocks is not the time by which the plan chooses, and
 * because trying the other methods costs work, too. */
static void test_choice(struct test_random *random, uint64_t text_bytes, uint64_t strings,
                        bool begin_alike, uint64_t calm)
{
    static const enum trawl_method ways[] = {TRAWL_METHOD_BUCKETS, TRAWL_METHOD_CLASSES,
                                             TRAWL_METHOD_AUTOMATON};
    uint64_t own, max = 0, min = UINT64_MAX;
    struct diff_input input;

    make_choice(random, text_bytes, strings, begin_alike, calm, &input);
    own = work_of(&input, TRAWL_METHOD_AUTO);
    printf("%s alike in %" PRIu64 " bytes: %" PRIu64 " blocks", input.kind, calm, own);
    for (uint32_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        uint64_t taken = work_of(&input, ways[i]);

        min = taken < min ? taken : min;
        max = taken > max ? taken : max;
        printf(", by %s %" PRIu64, method_name(ways[i]), taken);
    }
    printf("\n");
    TEST_CHECK(TEST_SANITIZED || (3 * min < 2 * max && own < min + (max - min) / 3 * 2));
    input_free(&input);
}

#define NEAR_PERIOD 8u
#define NEAR_BYTES 1000u
#define NEAR_BLOCKS 3.0 /* blocks for each 8 bytes that are compared */

/* Returns the work of a search with two errors in a text with this period, of which the pattern is
 * a piece. In each period, the pattern may end once. It is then compared in whole, 8 bytes at a
 * time; for edits, once for each number of errors. */
static uint64_t work_of_near(uint8_t *text, uint64_t text_bytes, bool characters, bool edits)
{
    struct naive_bytes pattern = {text + 3, NEAR_BYTES};
    const struct diff_input input = {.kind = "periods",
                                     .line_end = '\n',
                                     .text = text,
                                     .text_bytes = text_bytes,
                                     .patterns = &pattern,
                                     .pattern_count = 1};
    const struct trawl_pattern given = {pattern.bytes, pattern.bytes_count};
    const struct run_config config = {.threads = 1};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_plan *plan = NULL;
    uint64_t count = UINT64_MAX;
    double words;

    options.alphabet = characters ? TRAWL_CHARACTERS : TRAWL_BYTES;
    options.edits_max = edits ? 2 : 0;
    options.mismatches_max = 2 - options.edits_max;
    TEST_CHECK(trawl_plan_build(&given, 1, &options, &plan, NULL) == TRAWL_OK);
    words = (edits ? 3.0 : 1.0) * NEAR_BYTES / 8 / NEAR_PERIOD;
    run_plan(&input, &config, plan, WORK_PER_BYTE_MAX + NEAR_BLOCKS * words, &count);
    trawl_plan_free(plan);
    return work;
}

/* Checks that the work of a search with errors is linear in the text, and in ASCII text that of a
 * search for characters (UTF-8) at most twice that of a search for bytes. */
static void test_characters(uint8_t *text, uint64_t text_bytes, bool edits)
{
    uint64_t taken[2];

    for (uint64_t i = 0; i < text_bytes; i++)
        text[i] = (uint8_t)('a' + i % NEAR_PERIOD);
    for (uint32_t characters = 0; characters < 2; characters++) {
        taken[characters] = work_of_near(text, text_bytes, characters, edits);
        TEST_CHECK(10 * taken[characters] <=
                   22 * work_of_near(text, text_bytes / 2, characters, edits));
    }
    TEST_CHECK(taken[1] <= 2 * taken[0]);
    free(text);
}

int main(void)
{
    struct test_random random = test_random_begin("work");
    uint64_t text_bytes = TEXT_BYTES / (test_is_long() ? 1 : TEST_SANITIZED ? 6 : 2);
    uint64_t plans[TRAWL_METHODS_COUNT] = {0};

    test_begin("work");
    alarm(600); /* end the test: quadratic work would take far too long */
    for (uint32_t kind = 0; kind < input_worst_kinds(); kind++)
        for (uint32_t size = 0; size < SIZES; size++) {
            bool is_long = pattern_sizes[size] > text_bytes / 2;
            struct diff_input input;

            if (!test_turn(kind + size, 2))
                continue;
            input_generate_worst(&random, kind, is_long ? TEXT_BYTES / 2 : text_bytes,
                                 pattern_sizes[size], &input);
            run_methods(&input, plans);
            input_free(&input);
        }
    run_set_floods(&random, text_bytes);
    test_characters(test_memory(text_bytes), text_bytes, false);
    test_characters(test_memory(text_bytes), text_bytes, true);
    test_choice(&random, 64 * text_bytes, 10, true, 64 * text_bytes);
    test_choice(&random, 32 * text_bytes, CHOICE_STRINGS, false, 32 * text_bytes);
    /* texts whose beginning is unlike the rest */
    test_choice(&random, 64 * text_bytes, 10, true, text_bytes);
    test_choice(&random, 64 * text_bytes, 10, true, 16 * text_bytes);
    for (uint32_t method = 0; method < TRAWL_METHODS_COUNT; method++) {
        printf("%s: %" PRIu64 " plans, at most %.1f blocks per byte: %s\n",
               method_name((enum trawl_method)method), plans[method], worst[method].work_per_byte,
               worst[method].line);
        TEST_CHECK(plans[method] > 0);
    }
    return test_end();
}
