/* floods_test: sets, and single patterns, with very many candidates on a device ("floods"). Checks
 * the answers, and how many bytes the kernels read for each byte of the text and each occurrence,
 * since they determine the time on a device.
 */
#include "base/checked.h"
#include "calls.h"
#include "cuda/cuda_choose.h"
#include "cuda/cuda_sets.h"
#include "diff/diff_input.h"
#include "oracle/oracle_aho.h"
#include "random_case.h"
#include "sim_driver.h"
#include "simulator.h"

#define TEXT_BYTES 2500u
#define SOURCE_BYTES 400u
#define PATTERNS 480u
#define LENGTH_MAX 120u
#define QUIET_BYTES 100000u
#define TAIL_TEXT_BYTES 20000u
#define TAIL_PATTERN_BYTES 700u
#define ALIKE_PATTERNS 10000u
#define EQUAL_PATTERNS 140000u
#define ALIKE_BYTES 16u
#define ALIKE_SHARED (227u << 10) /* bytes of shared memory that a block may have on an H200 */
#define ALIKE_FILTER_MIN 20000u
/* Limit for the bytes that kernels read per byte of the text or occurrence. Kernels first read
 * until a thread's budget for comparisons is used up, and as much again after each thread's part of
 * the text. Then they read the automaton's rows while they make them, and the automaton twice in
 * the search. Without the automaton the kernels would read 45,000 bytes and more. */
#define READ_MAX 4500.0
#define ONE_TEXT_BYTES 30000u
#define ONE_WINDOW 1024u /* bytes of a pattern that planes cover */
#define ONE_READ_MAX 30.0

enum flood {
    FLOOD_ODD_END,    /* prefixes of the text, each with a last byte z */
    FLOOD_ODD_BEGIN,  /* prefixes of the text whose first byte becomes z */
    FLOOD_BEGINNINGS, /* prefixes of the text, in ascending order of length */
    FLOOD_PIECES,     /* pieces of the text */
    FLOOD_ONE_HEAD,   /* strings with equal first bytes */
    FLOOD_SHORT,      /* long strings, and a string of a single byte */
    FLOODS
};

static const enum input_kind kinds[] = {INPUT_LETTERS_1,  INPUT_AB,         INPUT_FIBONACCI,
                                        INPUT_THUE_MORSE, INPUT_LETTERS_26, INPUT_MIXED_CASE};
#define KINDS (sizeof kinds / sizeof *kinds)

static void make_flood(struct test_random *random, enum input_kind kind, enum flood flood,
                       struct diff_input *input)
{
    bool nested = flood == FLOOD_BEGINNINGS || flood == FLOOD_PIECES;
    uint64_t count = nested ? PATTERNS / 12 : PATTERNS;
    uint8_t pattern[LENGTH_MAX + 1];

    input_begin(random, kind, TEXT_BYTES, input);
    /* Repeats the text's first SOURCE_BYTES bytes, so that each piece of these bytes occurs
     * often. */
    for (uint64_t i = SOURCE_BYTES; i < TEXT_BYTES; i++)
        input->text[i] = input->text[i - SOURCE_BYTES];
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = 1 + i % (LENGTH_MAX - 1), from = 0;

        if (flood == FLOOD_PIECES)
            from = test_random_below(random, SOURCE_BYTES);
        if (flood == FLOOD_ONE_HEAD || flood == FLOOD_SHORT)
            bytes = 10 + bytes % 20;
        memcpy(pattern, input->text + from, (size_t)bytes);
        if (flood == FLOOD_ODD_END)
            pattern[bytes++] = 'z';
        if (flood == FLOOD_ODD_BEGIN)
            pattern[0] = 'z';
        for (uint64_t k = 8; flood == FLOOD_ONE_HEAD && k < bytes; k++)
            pattern[k] = (uint8_t)('A' + test_random_below(random, 50));
        for (uint64_t k = 1; flood == FLOOD_SHORT && k < bytes; k++)
            pattern[k] = (uint8_t)('0' + test_random_below(random, 10));
        input_add_pattern(input, pattern, bytes);
    }
    if (flood == FLOOD_SHORT)
        input_add_pattern(input, input->text + 3, 1);
    input->flags = kind == INPUT_MIXED_CASE ? NAIVE_IGNORE_CASE : 0;
}

/* Renames the bytes so that the patterns' lowest byte becomes 0, or their highest becomes 255. At
 * the other end, puts the byte above the highest one, or below the lowest one, into the text. So
 * tests reach both ends of the range of byte values.
 */
static void reach_end(struct diff_input *input, bool top)
{
    uint8_t low = 255, high = 0, shift;

    for (uint64_t i = 0; i < input->pattern_count; i++)
        for (uint64_t j = 0; j < input->patterns[i].bytes_count; j++) {
            low = (uint8_t)min_u64(low, input_pattern(input, i)[j]);
            high = (uint8_t)max_u64(high, input_pattern(input, i)[j]);
        }
    shift = top ? (uint8_t)(255 - high) : (uint8_t)-low;
    for (uint64_t i = 0; i < input->pattern_count; i++)
        for (uint64_t j = 0; j < input->patterns[i].bytes_count; j++)
            input_pattern(input, i)[j] += shift;
    for (uint64_t i = 0; i < input->text_bytes; i++)
        input->text[i] = (uint8_t)(shift + (i % 97 != 96 ? input->text[i]
                                            : top        ? low - 1
                                                         : high + 1));
}

/* Counts, lists and finds the first occurrence, on an engine with these limits. Checks the answers
 * and the bytes read. Raises *most to the bytes read per byte of the text or occurrence, if they
 * are more. */
static void run_input(const struct diff_input *input, const struct cuda_limits *limits,
                      uint64_t index, double read_max, double *max)
{
    struct engine_options options = {.size = sizeof options};
    char message[CUDA_CASE_MESSAGE_BYTES] = "";
    struct diff_expected expected = {.matches = NULL};
    struct naive_query query = input_query(input);
    struct engine_worker *worker = NULL;
    struct engine *engine = NULL;
    struct trawl_error error;

    expected.matches = aho_matches(&query, (struct naive_bytes){input->text, input->text_bytes},
                                   &expected.match_count);
    sim_driver_reset_usual(index + 1);
    cuda_limits_replace(limits);
    TEST_CHECK(engine_cuda.open(&options, &engine, &error) == TRAWL_OK);
    TEST_CHECK(engine_cuda.compile(engine, ENGINE_DEVICES_MAX, NULL, &worker, &error) == TRAWL_OK);
    /* Input 0 is searched for the first occurrence 12 more times, because few schedules list the
     * tiles full of candidates in an order other than the text's. */
    for (uint64_t i = 0; i <= WANT_FIRST + (index == 0 ? 12 : 0); i++) {
        /* The first call differs from flood to flood, since later calls use the method that the
         * first one found best. */
        const uint32_t want =
            (uint32_t)(i > WANT_FIRST ? WANT_FIRST : (index + i) % (WANT_FIRST + 1));
        struct cuda_case config = {
            TRAWL_METHOD_AUTO, (enum want)want, input->text_bytes + 1, true, NULL, NULL};
        uint64_t begin = sim_counters().global_read_bytes;
        enum cuda_case_answer answer =
            cuda_case_run(engine, worker, input, &expected, &config, message, &error);
        double read = (double)(sim_counters().global_read_bytes - begin) /
                      (double)(input->text_bytes + expected.match_count);

        TEST_CHECK(answer == CUDA_CASE_RIGHT);
        TEST_CHECK(read <= read_max);
        if (answer != CUDA_CASE_RIGHT || read > read_max)
            printf("  flood %" PRIu64 ", want %" PRIu32 ": %.1f bytes read; %s %s\n", index, want,
                   read, message, sim_driver_report());
        *max = read > *max ? read : *max;
    }
    engine_cuda.release(worker);
    engine_cuda.close(engine);
    free(expected.matches);
}

/* Runs flood number i / KINDS on a text of kind i % KINDS. */
static void run_flood(struct test_random *random, uint64_t i, double *max)
{
    struct cuda_limits limits = cuda_limits_default;
    struct diff_input input;

    make_flood(random, kinds[i % KINDS], (enum flood)(i / KINDS), &input);
    if (input.flags == 0 && (i + i / KINDS) % 3 != 0)
        reach_end(&input, (i + i / KINDS) % 3 == 1);
    limits.threads = 32;
    limits.blocks_max = 2;
    if (i % 3 == 0) /* the kernels that take over search a shorter range than stream_set */
        limits.launch_begins_max = TEXT_BYTES / 4;
    run_input(&input, &limits, i, READ_MAX, max);
    input_free(&input);
}

/* Searches a text with few candidates for a set. The literals that share a sample form a list.
 * Twenty equal strings make a list that is too long, so the warp gives up where they occur. Strings
 * with short lists follow in the same tile, and the warp must not forget that it gave up. */
static void run_quiet(struct test_random *random, double *max)
{
    struct cuda_limits limits = cuda_limits_default;
    struct diff_input input;
    uint8_t pattern[10];

    input_begin(random, INPUT_LETTERS_1, QUIET_BYTES, &input);
    for (uint32_t i = 0; i < 120; i++) {
        if (i == 0 || i >= 20)
            (void)input_fill(random, INPUT_LETTERS_26, pattern, sizeof pattern);
        input_add_pattern(&input, pattern, sizeof pattern);
        if (i == 0 || i >= 20)
            memcpy(input.text + (i == 0 ? 6050 : 100 * i), pattern, sizeof pattern);
    }
    limits.threads = 32;
    limits.blocks_max = 1;
    limits.sets_items_max = 2;
    run_input(&input, &limits, 1, 1e9, max);
    input_free(&input);
}

/* ---- One pattern ------------------------------------------------------------------------ */

/* Texts that repeat themselves, and patterns that are prefixes of them, with or without a differing
 * byte. The kernels compare bit planes of pattern and text; the oracle compares bytes. In the rows'
 * comments, a^m is a pattern of m letters a. */
static const struct one {
    uint32_t periods[3]; /* byte i has bit k if periods[k] divides i + 1; 0: no byte has the bit */
    uint32_t first_bit;
    uint32_t pattern_bytes;
    uint32_t odd_at; /* index of a byte of the pattern that is changed; 9999: no byte */
    /* the text's bytes at multiples of this number are changed; 9999: no byte */
    uint32_t odd_every;
    double read_max; /* limit for the bytes read per byte of the text or occurrence */
} ones[] = {
    {{0, 0, 0}, 0, 2000, 9999, 9999, ONE_READ_MAX}, /* a^m */
    {{0, 0, 0}, 0, 500, 499, 9999, ONE_READ_MAX},   /* a^m b */
    {{0, 0, 0}, 0, 500, 0, 701, ONE_READ_MAX},      /* b a^m */
    /* bytes that are not letters, but differ in bit 5, as the two cases of a letter do */
    {{0, 0, 0}, 5, 500, 499, 9999, ONE_READ_MAX},
    /* the pattern is longer than the window that its planes cover */
    {{0, 0, 0}, 0, 5000, 4000, 9999, ONE_READ_MAX},
    {{0, 0, 0}, 0, 5000, 9999, 4999, ONE_READ_MAX},  /* longer than the window, and repeats */
    {{2, 3, 0}, 0, 900, 9999, 9999, 16.5},           /* no bit repeats as the bytes do */
    {{2, 3, 5}, 0, 3000, 2999, 4001, ONE_READ_MAX},  /* as before, longer than a window */
    {{29, 31, 0}, 0, 800, 9999, 9999, ONE_READ_MAX}, /* each bit repeats, the bytes do not */
    /* if only the first bit's plane were compared, every second offset would be a candidate */
    {{2, 397, 0}, 0, 900, 9999, 9999, ONE_READ_MAX},
    {{1, 2, 399}, 0, 801, 799, 9999, ONE_READ_MAX},
    {{5, 7, 0}, 5, 700, 9999, 9999, ONE_READ_MAX},  /* no letters; case is ignored */
    {{5, 7, 0}, 0, 3000, 9999, 9999, ONE_READ_MAX}, /* longer than the window */
};

static void run_one(struct test_random *random, const struct one *one, double *max)
{
    struct cuda_limits limits = cuda_limits_default;
    struct diff_input input;

    input_begin(random, INPUT_LETTERS_1, ONE_TEXT_BYTES, &input);
    memset(input.text, one->first_bit == 0 ? '`' : '@', ONE_TEXT_BYTES);
    for (uint32_t i = 0; i < ONE_TEXT_BYTES; i++)
        for (uint32_t k = 0; k < 3; k++)
            if (one->periods[k] != 0 && (i + 1) % one->periods[k] == 0)
                input.text[i] |= (uint8_t)(1u << (one->first_bit + k));
    for (uint32_t i = one->odd_every; i < ONE_TEXT_BYTES && one->odd_every != 9999;
         i += one->odd_every)
        input.text[i] ^= (uint8_t)(1u << one->first_bit);
    input_add_pattern(&input, input.text, one->pattern_bytes);
    if (one->odd_at < one->pattern_bytes)
        ((uint8_t *)(uintptr_t)input.patterns[0].bytes)[one->odd_at] ^=
            (uint8_t)(1u << one->first_bit);
    input.flags = one->first_bit == 0 ? 0 : NAIVE_IGNORE_CASE;
    limits.threads = 64;
    limits.tile_words_max = 256;
    limits.blocks_max = 2;
    limits.plane_window_max = ONE_WINDOW;
    run_input(&input, &limits, (uint64_t)(one - ones), one->read_max, max);
    input_free(&input);
}

/* Searches a text that repeats a random period, except for a few changed bytes, with random sizes
 * of tiles and blocks. In most other tests no run is longer than a tile, so hardly any tile ends
 * within a run. */
static void run_period(struct test_random *random, uint64_t index, double *max)
{
    struct cuda_limits limits = cuda_limits_default;
    uint32_t period = 1 + (uint32_t)test_random_below(random, index % 4 == 0 ? 1100 : 40);
    uint32_t more = index % 3 == 0 ? 70 : 3 * period + 20; /* 70: the pattern has two periods */
    uint32_t bytes = 2 * period + (uint32_t)test_random_below(random, more);
    struct diff_input input;
    uint64_t late = 0, other;
    uint8_t *pattern;

    input_begin(random, INPUT_LETTERS_26, ONE_TEXT_BYTES / 2, &input);
    for (uint32_t i = period; i < ONE_TEXT_BYTES / 2; i++)
        input.text[i] = input.text[i - period];
    bytes = bytes < 12 ? 12 : bytes;
    for (uint64_t breaks = test_random_below(random, 4); breaks > 0; breaks--) {
        uint64_t at = test_random_below(random, ONE_TEXT_BYTES / 2);

        /* less than an occurrence's length after a tile's start */
        if (breaks % 2 != 0)
            at = (at / 1024 * 1024 + test_random_below(random, bytes)) % (ONE_TEXT_BYTES / 2);
        input.text[at] ^= 1;
    }
    /* the same byte of each period differs for a while: the text has the period, but not the
     * pattern */
    other = test_random_below(random, ONE_TEXT_BYTES / 4);
    for (uint64_t at = other; at < other + 2 * bytes; at += period)
        input.text[at % (ONE_TEXT_BYTES / 2)] ^= (uint8_t)(1u << other % 5);
    if (index % 2 != 0) /* before a random place there are candidates, but no occurrence */
        late = test_random_below(random, ONE_TEXT_BYTES / 2);
    for (uint64_t at = bytes - 1; at < late; at += bytes)
        input.text[at] ^= 1;
    input_add_pattern(&input, input.text + test_random_below(random, period), bytes);
    pattern = (uint8_t *)(uintptr_t)input.patterns[0].bytes;
    input.flags = index % 3 == 0 ? NAIVE_IGNORE_CASE : 0;
    for (uint32_t i = 0; i < bytes && index % 3 == 0; i += 1 + i % 5)
        pattern[i] = (uint8_t)(pattern[i] & ~0x20u);
    for (uint32_t i = 0; i < ONE_TEXT_BYTES / 2 && index % 3 == 0; i += 1 + i % 7)
        input.text[i] = (uint8_t)(input.text[i] & ~0x20u);
    limits.threads = 32u << test_random_below(random, 3);
    limits.tile_words_max = limits.threads << test_random_below(random, 3);
    limits.blocks_max = 1 + (uint32_t)test_random_below(random, 3);
    limits.dense_always = true;
    if (index % 2 == 0)
        limits.plane_window_max = 64 + 8 * (uint32_t)test_random_below(random, 20);
    run_input(&input, &limits, index, 1e9, max);
    input_free(&input);
}

/* ---- Tails ------------------------------------------------------------------------------ */

static bool is_word(void *context, uint32_t code_point)
{
    (void)context;
    (void)code_point;
    return true;
}

/* Searches a text of the letter s for a pattern of the same letter, which has variants, so that the
 * host must compare the characters after the literals. There are too many candidates, so the device
 * leaves the chunk to the host (is_left). */
static void run_tails(void)
{
    uint32_t alike[] = {'s', 'S', 0x17f}; /* the last is the long s */
    struct trawl_letters utf8 = {sizeof utf8, alike, three_alike, is_word, NULL};
    struct engine_options opening = {.size = sizeof opening};
    static uint8_t bytes[TAIL_TEXT_BYTES];
    struct trawl_pattern pattern = {bytes, TAIL_PATTERN_BYTES};
    struct engine_chunk chunk = {.bytes = bytes, .owned = sizeof bytes, .may_be_left = true};
    struct engine_result result = {.count = 0};
    AUTO_SEARCHER searcher = NULL;
    struct engine_worker *worker = NULL;
    struct engine *engine = NULL;
    AUTO_PLAN plan = NULL;
    AUTO_TEXT text = NULL;
    struct trawl_error error;

    memset(bytes, 's', sizeof bytes);
    sim_driver_reset_usual(1);
    cuda_limits_replace(NULL);
    plan = must_plans(&pattern, 1, PLAN_WITH(.flags = TRAWL_IGNORE_CASE, .letters = &utf8));
    TEST_CHECK(engine_cuda.open(&opening, &engine, &error) == TRAWL_OK);
    TEST_CHECK(engine_cuda.compile(engine, ENGINE_DEVICES_MAX, NULL, &worker, &error) == TRAWL_OK);
    TEST_CHECK(engine_cuda.compile(NULL, 0, plan, &worker, &error) == TRAWL_OK);
    for (uint32_t i = 0; i < 2; i++) { /* with a look at a sample of the text, and without */
        TEST_CHECK(engine_scan(&engine_cuda, worker, &chunk, 0, WANT_COUNT, &result, &error) ==
                   TRAWL_OK);
        TEST_CHECK(result.is_left && result.count == 0 && result.hits.count == 0);
        TEST_CHECK_U64(result.done, 0);
    }
    hits_release(&result.hits);
    engine_cuda.release(worker);
    engine_cuda.close(engine);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA));
    text = must_text(bytes, sizeof bytes);
    TEST_CHECK_U64(must_count(searcher, plan, text), TAIL_TEXT_BYTES - TAIL_PATTERN_BYTES + 1);
}

/* Checks the size of the bitmap for 10,000 literals with the same first bytes. In a text with these
 * bytes each sample hits thousands of literals, whatever the bitmap's size. In other texts a small
 * bitmap lets many samples pass that a larger one rejects. */
static void run_bitmap(void)
{
    static char bytes[ALIKE_PATTERNS][ALIKE_BYTES];
    static struct trawl_pattern patterns[ALIKE_PATTERNS];
    struct cuda_device device = {.shared_max = ALIKE_SHARED};
    struct cuda_worker *worker = (struct cuda_worker *)test_memory(sizeof *worker);
    AUTO_PLAN plan = NULL;
    struct trawl_error error;

    for (uint32_t i = 0; i < ALIKE_PATTERNS; i++) {
        (void)snprintf(bytes[i], sizeof bytes[i], "aaaaaaaa%u", i);
        patterns[i].bytes = bytes[i];
        patterns[i].bytes_count = strlen(bytes[i]);
    }
    MUST(trawl_plan_build(patterns, ALIKE_PATTERNS, NULL, &plan, &error));
    memset(worker, 0, sizeof *worker);
    worker->device = &device;
    worker->tables = &worker->whole;
    worker->limits = cuda_limits_default;
    cuda_sets_choose(worker, plan, worker->tables);
    TEST_CHECK(worker->tables->sets.stride > 0);
    TEST_CHECK(worker->tables->sets.filter_words > ALIKE_FILTER_MIN);
    free(worker);
}

/* Counts equal strings, enough of them that the number of their occurrences in a tile exceeds 32
 * bits, even if the parts of threads are as short as possible. It must fit only in kernels that
 * list hits, not in count_automaton, which only counts. */
static void run_equal(void)
{
    static struct trawl_pattern patterns[EQUAL_PATTERNS];
    struct cuda_limits limits = cuda_limits_default;
    uint8_t bytes[] = "abaabbaaab";
    AUTO_SEARCHER searcher = NULL;
    AUTO_PLAN plan = NULL;
    AUTO_TEXT text = NULL;

    for (uint32_t i = 0; i < EQUAL_PATTERNS; i++)
        patterns[i] = (struct trawl_pattern){"a", 1};
    limits.automaton_always = true;
    sim_driver_reset_usual(1);
    cuda_limits_replace(&limits);
    plan = must_plans(patterns, EQUAL_PATTERNS, PLAN_WITH(.flags = 0));
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA));
    text = must_text(bytes, sizeof bytes - 1);
    TEST_CHECK_U64(must_count(searcher, plan, text), 6ull * EQUAL_PATTERNS);
    cuda_limits_replace(NULL);
}

/* Lists where strings begin in a part of a loaded text, of whose bytes those after the part have
 * occurrences, too: as marks, unless strings begin at one place. */
static void run_marks(struct test_random *random)
{
    struct cuda_limits limits = cuda_limits_default;
    const uint64_t count =
        test_random_between(random, 3000, 60000); /* occurrences, in up to 900 parts */
    const uint64_t from = test_random_below(random, 1000);
    const uint64_t owned = test_random_between(random, 1, count - from);
    const uint32_t length = (uint32_t)test_random_between(random, 1, 150);
    uint8_t *bytes = (uint8_t *)test_memory(count), seen[300];
    uint64_t *begins = (uint64_t *)test_memory(2 * count * sizeof *begins), expected = 0;
    struct trawl_answer answer = {
        .size = sizeof answer, .what = TRAWL_BEGINS, .values = begins, .room = 2 * count};
    struct trawl_pattern patterns[2] = {{seen, length}, {seen + 150, length}};
    AUTO_SEARCHER searcher = NULL;
    AUTO_PLAN plan = NULL;
    AUTO_TEXT text = NULL;
    AUTO_TEXT part = NULL;

    for (uint64_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)('a' + (test_random_below(random, 4) == 0));
    memcpy(seen, bytes + test_random_below(random, count - length + 1), length);
    memcpy(seen + 150, bytes + test_random_below(random, count - length + 1), length);
    if (test_random_below(random, 4) == 0) /* one is the beginning of the other */
        patterns[1] = (struct trawl_pattern){seen, (length + 1) / 2};
    limits.automaton_always = true;
    limits.threads = 32;
    limits.blocks_max = (uint32_t)test_random_between(random, 1, 30);
    sim_driver_reset_usual(1);
    cuda_limits_replace(&limits);
    plan = must_plans(patterns, 2, PLAN_WITH(.method = TRAWL_METHOD_SET));
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA));
    text = must_text(bytes, count);
    MUST(trawl_text_load(searcher, text, NULL));
    part = must_text(bytes + from, owned);
    MUST(trawl_ask(searcher, plan, part, &answer, NULL));
    for (uint64_t at = 0; at < owned; at++)
        for (uint32_t i = 0; i < 2; i++)
            if (patterns[i].bytes_count <= owned - at &&
                memcmp(bytes + from + at, patterns[i].bytes, patterns[i].bytes_count) == 0 &&
                !TEST_CHECK(expected < answer.count && begins[expected++] == at))
                at = owned - 1;
    TEST_CHECK_U64(answer.count, expected);
    cuda_limits_replace(NULL);
    free(begins);
    free(bytes);
}

int main(void)
{
    struct test_random random;
    double max = 0, max_of_one = 0, unused = 0;

    test_begin("sim floods");
    random = test_random_begin("sim floods");
    cuda_driver_replace(sim_driver_table());
    /* Under sanitizers, a normal run has half of the cases, with each kind and each flood. */
    for (uint32_t i = 0; i < FLOODS * KINDS && test_failures < 5; i++)
        if (!TEST_SANITIZED || test_is_long() || (i + i / KINDS) % 2 == 0)
            run_flood(&random, i, &max);
    for (uint32_t i = 0; i < sizeof ones / sizeof *ones; i++)
        run_one(&random, &ones[i], &max_of_one);
    for (uint64_t i = 0; i < test_amount(96, 5000) && test_failures < 5; i++)
        run_period(&random, i, &unused);
    run_quiet(&random, &unused);
    run_tails();
    run_bitmap();
    run_equal();
    for (uint64_t i = 0; i < test_amount(60, 3000) && test_failures < 5; i++)
        run_marks(&random);
    printf("at most %.1f bytes read per byte or occurrence, of one pattern %.1f\n", max,
           max_of_one);
    return test_end();
}
