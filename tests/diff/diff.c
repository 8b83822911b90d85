/* diff: compares the library's answers with those of a simple search (oracle_naive.h), for random
 * inputs and for worst cases: under every method, published algorithm, instruction set, chunk size,
 * number of threads and kind of text.
 *
 *   TRAWL_TEST_SEED     another sequence of inputs
 *   TRAWL_TEST_CASE=N   input N of the sequence alone
 *   TRAWL_TEST_SCALE    a number, or "long" for more than 1,000,000 cases
 */
#include <signal.h>
#include <unistd.h>

#include "diff/borders.h"
#include "diff/diff_run.h"

#define CASES_NORMAL 16000
#define CASES_LONG 1250000
#define SETS_MAX 8
#define THREADS_MAX 4
/* one case in this many has a text of several MiB, and chunks of the size that the library
 * chooses */
#define LARGE_ONE_IN 3000
/* with tiny chunks, a run of a case reads about this many bytes at most, chunks' overlaps included
 */
#define RUN_COST_MAX 600000
#define LINES_INPUTS 30
#define EMPTY_LINES 9000u
#define LINES_CALLS 4 /* number of calls for each method and instruction set */
#define NESTED_INPUTS 10
/* at least this many of the 64 possible alignments of a text must occur */
#define ALIGNMENTS_LEAST 60
#define ALGORITHMS_MAX 32
#define ALGORITHM_CALLS 2 /* number of calls for each input and published algorithm */
/* Limit for text bytes * patterns of inputs for the published algorithms, whose expected answer
 * comes from a comparison at each offset. */
#define ALGORITHM_BYTES_MAX 2000000u
#define SILENCE_SECONDS 300 /* a run that takes longer counts as hung */

static const uint64_t chunk_sizes[] = {0,   1,   2,    5,    16,    33,     64,
                                       100, 257, 1000, 4096, 65536, 4 << 20};
#define CHUNK_SIZES (sizeof chunk_sizes / sizeof *chunk_sizes)

struct report {
    uint64_t cases[TRAWL_METHODS_COUNT][SETS_MAX];
    uint64_t refused[TRAWL_METHODS_COUNT];
    uint64_t built[TRAWL_METHODS_COUNT];
    uint64_t alignments[SETS_MAX]; /* bit i: some text's address was i mod 64 */
    uint64_t places[PLACE_KINDS];
    uint64_t algorithms[ALGORITHMS_MAX]; /* number of runs with a match, for each algorithm */
    uint64_t total;
};

/* Returns true if this build runs many times as slowly as usual (an emulator, a sanitizer). Then
 * fewer similar cases are run. */
static bool is_slow(void)
{
    return test_divisor() > 1;
}

/* Returns the number of calls for each method and instruction set. Half of them are the calls that
 * a grep program and its option -c make. Under an emulator or a sanitizer, only that half is made.
 */
static uint32_t lines_calls(void)
{
    return test_divisor() < 16 ? LINES_CALLS : LINES_CALLS / 2;
}

static char current_line[700];
static struct report report;

static void say_current(int signal_number)
{
    static const char timeout[] = "\nno end after a long time:\n", crash[] = "\ncrashed in:\n";
    ssize_t ignored = signal_number == SIGALRM ? write(1, timeout, sizeof timeout - 1)
                                               : write(1, crash, sizeof crash - 1);

    ignored = write(1, current_line, strlen(current_line));
    ignored = write(1, "\n", 1);
    (void)ignored;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static uint64_t longest_pattern(const struct diff_input *input)
{
    uint64_t longest = 1;

    for (uint64_t i = 0; i < input->pattern_count; i++)
        if (input->patterns[i].bytes_count > longest)
            longest = input->patterns[i].bytes_count;
    return longest;
}

static uint64_t choose_chunk(struct test_random *random, const struct diff_input *input)
{
    uint64_t chunk_index = test_random_below(random, CHUNK_SIZES);
    uint64_t overlap = longest_pattern(input) + 32;

    while (chunk_index > 0 && chunk_index + 1 < CHUNK_SIZES &&
           input->text_bytes / chunk_sizes[chunk_index] * overlap > RUN_COST_MAX)
        chunk_index++;
    return chunk_index;
}

static void choose_config(struct test_random *random, const struct diff_input *input,
                          struct run_config *config, uint64_t *chunk_index)
{
    bool small = input->text_bytes < 100000;

    *chunk_index = small ? choose_chunk(random, input) : 0;
    config->chunk_bytes = chunk_sizes[*chunk_index];
    config->threads =
        (uint32_t)(test_random_one_in(random, 2) ? 1 : test_random_between(random, 1, THREADS_MAX));
    config->place = (enum place_kind)(
        test_random_one_in(random, 2) ? PLACE_END_GUARDED : test_random_below(random, PLACE_KINDS));
    config->place_offset = test_random_u64(random) >> 8;
    config->call = (enum held_call)test_random_below(random, HELD_CALLS);
    config->parameter = test_random_u64(random);
}

/* Runs a call on the input and compares the answer with the expected answer. After a failure prints
 * the case and what was wrong, and returns false. */
static bool run_one(struct diff_input *input, const struct diff_expected *expected,
                    const struct run_config *config, const struct trawl_plan *plan, uint32_t set,
                    uint64_t chunk_index, uint64_t index)
{
    struct run_config own = *config;
    char message[HELD_MESSAGE_BYTES];
    uint64_t address_offset = 0;
    bool passed;
    int length = snprintf(current_line, sizeof current_line, "TRAWL_TEST_CASE=%" PRIu64 " ", index);

    run_describe(input, config, current_line + length, sizeof current_line - (uint64_t)length);
    alarm(SILENCE_SECONDS);
    passed = run_call(input, expected, config, plan, run_searcher_for(&own, set, chunk_index),
                      &address_offset, message);
    report.total++;
    report.cases[config->method][set]++;
    report.places[config->place]++;
    if (config->place < PLACE_FILE)
        report.alignments[set] |= (uint64_t)1 << address_offset;
    if (!TEST_CHECK(passed))
        printf("  %s\n  %s\n", current_line, message);
    return passed;
}

/* Runs each published algorithm on an input, if text and patterns are small enough
 * (ALGORITHM_BYTES_MAX). Only strstr may reject the patterns, because it accepts no NUL. */
static void run_algorithms(struct test_random *random, struct diff_input *input,
                           const struct diff_expected *expected, uint64_t index)
{
    const char *name;
    bool passed = input->text_bytes * (input->pattern_count + 1) <= ALGORITHM_BYTES_MAX;

    for (uint32_t i = 0; passed && (name = cpu_algorithm(i)) != NULL; i++) {
        struct run_config config = {.algorithm = name};
        struct trawl_plan *plan = NULL;
        enum trawl_status status = run_plan_build(input, &config, &plan, NULL);

        if (!TEST_CHECK(status == TRAWL_OK ||
                        (status == TRAWL_ARGUMENT && strcmp(name, "strstr") == 0)))
            printf("  case %" PRIu64 ", algorithm %s\n", index, name);
        for (uint32_t call = 0; call < ALGORITHM_CALLS && plan != NULL && passed; call++) {
            uint64_t chunk_index;

            config.instruction_set = trawl_instruction_set(0);
            choose_config(random, input, &config, &chunk_index);
            report.algorithms[i] += expected->match_count > 0;
            passed = run_one(input, expected, &config, plan, 0, chunk_index, index);
        }
        trawl_plan_free(plan);
    }
}

/* Runs all methods and instruction sets on an input, each with `calls` calls. */
static void run_input(struct test_random *random, struct diff_input *input, uint64_t index,
                      uint32_t calls)
{
    uint32_t sets = instruction_set_count();
    struct diff_expected expected;
    bool passed = true;

    input_rename(random, input);
    expected_compute(input, &expected);
    for (uint32_t method = 0; method < TRAWL_METHODS_COUNT && passed; method++) {
        struct run_config config = {.method = (enum trawl_method)method,
                                    .sample = test_random_one_in(random, 4)};
        struct trawl_plan *plan = NULL;
        struct trawl_error error;
        enum trawl_status status = run_plan_build(input, &config, &plan, &error);
        if (status == TRAWL_ARGUMENT && method != TRAWL_METHOD_AUTO) {
            report.refused[method]++;
            continue;
        }
        report.built[method]++;
        if (!TEST_CHECK(status == TRAWL_OK)) {
            printf("  case %" PRIu64 ", method %s: %s\n", index, method_name(config.method),
                   error.message);
            continue;
        }
        for (uint32_t call = 0; call < sets * calls && passed; call++) {
            uint64_t chunk_index;
            /* under a sanitizer, a short run makes a third of the calls of run_lines */
            if (calls > 1 && TEST_SANITIZED && !test_turn(call + method, 3))
                continue;
            config.instruction_set = trawl_instruction_set(call % sets);
            choose_config(random, input, &config, &chunk_index);
            /* windows of matches, and counts of lines: the calls for a grep program and its -c */
            if (calls > 1 && call < sets * 2)
                config.call = call < sets ? HELD_WINDOWS : HELD_COUNT_LINES;
            passed = run_one(input, &expected, &config, plan, call % sets, chunk_index, index);
        }
        trawl_plan_free(plan);
    }
    if (passed)
        run_algorithms(random, input, &expected, index);
    expected_free(&expected);
}

static void run_case(uint64_t index)
{
    struct test_random random = test_random_begin("diff");
    struct diff_input input;

    random.state ^= index * 0x2545f4914f6cdd1du;
    if (test_random_one_in(&random, 10)) {
        uint64_t text_bytes =
            test_random_between(&random, 1, test_random_one_in(&random, 8) ? 40000 : 5000);
        uint64_t pattern_bytes =
            test_random_between(&random, 1, text_bytes < 5000 ? text_bytes : 1500);
        uint32_t kind = (uint32_t)test_random_below(&random, input_worst_kinds());
        input_generate_worst(&random, kind, text_bytes, pattern_bytes, &input);
    } else if (test_random_one_in(&random, 15)) {
        input_generate_border(&random, &input);
    } else if (test_random_one_in(&random, 8)) {
        input_generate_near_misses(&random, test_random_between(&random, 100, 9000), &input);
    } else if (test_random_one_in(&random, 8)) {
        input_generate_mixed(&random, 5000, &input);
    } else {
        input_generate(&random, UINT64_MAX, &input);
    }
    if (test_random_one_in(&random, 2))
        borders_plant(&random, &input);
    run_input(&random, &input, index, 1);
    input_free(&input);
}

/* Searches a text of several MiB for a pattern or two, with chunks and threads as in real use. */
static void run_large(uint64_t index)
{
    struct test_random random = test_random_begin("diff large");
    uint64_t text_bytes, bytes;
    struct diff_input input;
    uint8_t pattern[300];

    random.state ^= index * 0x2545f4914f6cdd1du;
    text_bytes = test_random_between(&random, 1 << 20, is_slow() ? 3 << 20 : 12 << 20);
    if (TEST_SANITIZED && !test_is_long())
        text_bytes /= 8; /* a dense text of 2 MiB may take a minute */
    input_begin(&random, (enum input_kind)test_random_below(&random, INPUT_KINDS), text_bytes,
                &input);
    for (uint64_t count = test_random_between(&random, 1, 2); count > 0; count--) {
        bytes = test_random_between(&random, 1, count == 2 ? 5 : sizeof pattern);
        memcpy(pattern, input.text + test_random_below(&random, text_bytes - bytes), bytes);
        input_add_pattern(&input, pattern, bytes);
    }
    run_input(&random, &input, index, 1);
    input_free(&input);
}

/* Searches texts that are full of candidates in some parts ("floods"). What a worker has learned in
 * one part of the text must not cost matches in the next. Parts are several times as long as the
 * tiles in which the library searches. Patterns have lengths near the limits at which verification
 * changes. */
static void run_floods(void)
{
    static const enum input_kind parts[] = {INPUT_FIBONACCI, INPUT_LETTERS_26, INPUT_THUE_MORSE,
                                            INPUT_PERIODIC, INPUT_FIBONACCI};
    static const uint64_t lengths[] = {8, 9, 15, 16, 17, 24, 63, 64, 65, 200, 800};
    static const uint32_t flags[] = {0, 0, NAIVE_IGNORE_CASE, NAIVE_WHOLE_WORD};
    const uint64_t part_bytes = 40000, parts_count = sizeof parts / sizeof *parts;
    struct test_random random = test_random_begin("diff floods");

    for (uint32_t i = 0; i < 2 * (sizeof lengths / sizeof *lengths); i++) {
        uint64_t bytes = lengths[i / 2], part = test_random_below(&random, parts_count);
        struct diff_input input;
        uint8_t pattern[800];

        if (is_slow() && !test_turn(i, 3))
            continue;
        input_begin(&random, INPUT_LETTERS_2, part_bytes * parts_count, &input);
        for (uint64_t p = 0; p < parts_count; p++)
            input_fill(&random, parts[p], input.text + p * part_bytes, part_bytes);
        /* In half of the cases the pattern is from the first part, which is full of candidates. In
         * the others it is from any part, and flags such as whole words are drawn. */
        if (i % 2 == 0)
            part = 0;
        else
            input.flags = flags[test_random_below(&random, 4)];
        memcpy(pattern,
               input.text + part * part_bytes + test_random_below(&random, part_bytes - bytes),
               (size_t)bytes);
        if (i % 2 == 1 &&
            test_random_one_in(&random, 2)) /* the text has a near copy of the pattern */
            pattern[test_random_below(&random, bytes)] ^= 3;
        input_add_pattern(&input, pattern, bytes);
        input.kind = "floods";
        run_input(&random, &input, 0, 1);
        input_free(&input);
    }
}

/* Checks that each byte of a pattern is compared. The text has the pattern, and for each byte two
 * copies of the pattern in which that byte is changed. (In random texts, the only differing byte is
 * hardly ever one that the filters do not test.) If i is even, the copies touch, and every fifth
 * copy is unchanged: so a search must step no further than the pattern's period, here its length.
 */
static void run_near_misses(void)
{
    static const uint64_t lengths[] = {2, 4, 7, 8, 9, 15, 16, 17, 18, 33, 64, 65};
    struct test_random random = test_random_begin("diff near misses");

    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        uint64_t bytes = lengths[i], copies = 2 * bytes + 1, step = bytes + i % 2;
        struct diff_input input;

        borders_draw(&random);
        input_begin(&random, INPUT_LETTERS_26, copies * step, &input);
        input.text[bytes - 1] = i % 2 == 0 ? '~' : input.text[bytes - 1];
        input.kind = "near misses";
        input.flags = i % 3 == 2 ? NAIVE_IGNORE_CASE : 0;
        input_add_pattern(&input, input.text, bytes);
        for (uint64_t copy = 1; copy < copies; copy++) {
            memcpy(input.text + copy * step, input.text, (size_t)bytes);
            if (i % 2 == 1 || copy % 5 != 0)
                input.text[copy * step + (copy - 1) / 2] ^= 3;
        }
        run_input(&random, &input, 0, 2 * lines_calls());
        input_free(&input);
    }
}

/* Searches for patterns that overlap their next occurrence. */
static void run_borders(void)
{
    struct test_random random = test_random_begin("diff borders of patterns");

    for (uint64_t i = 0; i < (is_slow() ? 8 : 16); i++) {
        struct diff_input input;

        input_generate_border(&random, &input);
        run_input(&random, &input, 0, 1);
        input_free(&input);
    }
}

/* Makes a text whose line end is a letter. Case is ignored, so a pattern that has the letter in its
 * other case still matches line ends. */
static void make_letter_ends(struct test_random *random, bool other_case, struct diff_input *input)
{
    uint8_t pattern[8];

    input_begin(random, test_random_one_in(random, 2) ? INPUT_LETTERS_1 : INPUT_LETTERS_2,
                test_random_between(random, 50, 2000), input);
    input->kind = "lines that end with a letter";
    input->line_end = (uint8_t) "aAbB"[test_random_below(random, 4)];
    input->flags = NAIVE_IGNORE_CASE;
    input->has_line_end_also = test_random_one_in(random, 4);
    for (uint64_t i = 0; i < input->text_bytes; i++)
        input->text[i] ^= test_random_one_in(random, 2) ? 32 : 0;
    for (uint64_t count = test_random_between(random, 1, 3); count > 0; count--) {
        uint64_t bytes = test_random_between(random, 2, 7);

        memcpy(pattern, input->text + test_random_below(random, 40), bytes);
        for (uint64_t i = 0; i < bytes; i++)
            pattern[i] ^= other_case && pattern[i] == input->line_end ? 32 : 0;
        input_add_pattern(input, pattern, bytes);
    }
}

/* Searches lines that end with a letter. A random input hardly ever has a letter as line end, and
 * only its other case in the patterns. */
static void run_letter_ends(void)
{
    struct test_random random = test_random_begin("diff letters end lines");

    for (uint64_t i = 0; i < (is_slow() ? 32 : 96); i++) {
        struct diff_input input;

        make_letter_ends(&random, i % 4 > 0, &input);
        run_input(&random, &input, 0, 1);
        input_free(&input);
    }
}

/* Searches for sets in lines, with several calls, so that each method counts and lists lines. Few
 * random inputs have such lines and patterns. Bytes, a long pattern and words each have their own
 * code that reports a hit per line. */
static void run_lines(void)
{
    struct test_random random = test_random_begin("diff lines");

    if (is_slow()) /* looks at each chunk would take two thirds of the time */
        cpu_sizes.look_again = max_u64(cpu_sizes.look_again, 64u << 10);
    for (uint64_t i = is_slow() ? LINES_INPUTS - INPUT_LINE_SHAPES : 0; i < LINES_INPUTS; i++) {
        struct diff_input input;

        input_generate_lines(&random, i % INPUT_LINE_SHAPES, &input);
        if (input.text_bytes > 2 * EMPTY_LINES) /* more than a vector lane can count */
            memset(input.text + test_random_below(&random, input.text_bytes - EMPTY_LINES),
                   input.line_end, EMPTY_LINES);
        run_input(&random, &input, 0, lines_calls());
        input_free(&input);
    }
}

/* Runs the automaton (a table that reads each byte once) on texts of several parts, and on sets of
 * strings that it does not accept. */
static void run_nested(void)
{
    struct test_random random = test_random_begin("diff nested");

    for (uint64_t i = is_slow() ? NESTED_INPUTS - 1 : 0; i < NESTED_INPUTS; i++) {
        struct diff_input input;

        input_generate_nested(&random, &input);
        run_input(&random, &input, 0, lines_calls());
        input_free(&input);
    }
}

static void print_report(void)
{
    uint32_t sets = instruction_set_count();
    uint64_t refused = 0, built = 0;

    printf("%-10s %9s %9s", "method", "plans", "refused");
    for (uint32_t set = 0; set < sets; set++)
        printf(" %12s", trawl_instruction_set(set));
    for (uint32_t method = 0; method < TRAWL_METHODS_COUNT; method++) {
        printf("\n%-10s %9" PRIu64 " %9" PRIu64, method_name((enum trawl_method)method),
               report.built[method], report.refused[method]);
        for (uint32_t set = 0; set < sets; set++)
            printf(" %12" PRIu64, report.cases[method][set]);
        refused += report.refused[method];
        built += report.built[method];
    }
    printf("\n%" PRIu64 " cases; %" PRIu64 " plans, %" PRIu64 " refused as not fitting\n",
           report.total, built, refused);
    for (uint32_t place = 0; place < PLACE_KINDS; place++)
        printf("  %s: %" PRIu64 "\n", place_name((enum place_kind)place), report.places[place]);
}

/* Fails if the run left some method, kind of text or algorithm unused, or if the texts had too few
 * alignments. */
static void check_coverage(void)
{
    for (uint32_t method = 0; method < TRAWL_METHODS_COUNT; method++)
        TEST_CHECK(report.built[method] > 0);
    for (uint32_t set = 0; set < instruction_set_count() && report.total >= CASES_NORMAL / 2; set++)
        TEST_CHECK(__builtin_popcountll(report.alignments[set]) >= ALIGNMENTS_LEAST);
    for (uint32_t place = 0; place < PLACE_KINDS; place++)
        TEST_CHECK(report.places[place] > 0);
    for (uint32_t i = 0; cpu_algorithm(i) != NULL && i < ALGORITHMS_MAX; i++)
        TEST_CHECK(report.algorithms[i] > 0);
}

/* Runs a case. Case 0 has a fixed number of inputs of each kind above. One in LARGE_ONE_IN cases is
 * large. */
static void run_index(uint64_t index)
{
    struct test_random random = test_random_begin("diff borders");

    random.state ^= index * 0x2545f4914f6cdd1du;
    borders_draw(&random);
    if (index % LARGE_ONE_IN == 0) /* large inputs cross boundaries at the default sizes */
        cpu_sizes = cpu_sizes_default;
    if (index == 0) {
        run_floods();
        run_near_misses();
        run_borders();
        run_letter_ends();
        run_lines();
        run_nested();
    }
    if (index % LARGE_ONE_IN == 0)
        run_large(index);
    else
        run_case(index);
}

int main(void)
{
    uint64_t wanted = test_amount(CASES_NORMAL, CASES_LONG);
    uint64_t alone = test_setting("TRAWL_TEST_CASE", UINT64_MAX);

    test_begin("diff");
    signal(SIGALRM, say_current);
    if (!TEST_SANITIZED) {
        signal(SIGSEGV, say_current);
        signal(SIGBUS, say_current);
        signal(SIGABRT, say_current);
    }
    if (alone != UINT64_MAX) {
        run_index(alone);
        print_report();
        return test_end();
    }
    /* Case 0 consists of thousands of fixed cases, which do not count towards `wanted`: otherwise a
     * short run would end before any random case. */
    for (uint64_t index = 0; report.total < wanted && test_failures < 10; index++) {
        run_index(index);
        wanted += index == 0 ? report.total : 0;
    }
    print_report();
    check_coverage();
    return test_end();
}
