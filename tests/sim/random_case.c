/* random_case: makes random inputs for the CUDA engine, and runs cases on an open engine. */
#include "random_case.h"

#include "base/checked.h"
#include "calls.h"
#include "diff/held.h"

#define TEXT_BYTES_MAX 9000
#define PATTERNS_QUICK 300u /* few cases have more patterns, since such cases take seconds */

static enum random_case_sets wanted_sets = RANDOM_CASE_ANY;

/* Makes a text of runs of one byte, interrupted by other bytes, and patterns that are runs. So
 * tiles have very many candidates, runs cross the ends of tiles, and runs of zeros continue in the
 * padding after the text. */
static void make_runs(struct test_random *random, struct diff_input *input)
{
    uint8_t letter = test_random_below(random, 2) ? 'a' : 0, pattern[300];
    uint64_t run = 0;

    input_begin(random, INPUT_LETTERS_1, 500 + test_random_below(random, TEXT_BYTES_MAX - 500),
                input);
    memset(input->text, letter, input->text_bytes);
    for (uint64_t i = 0; i < input->text_bytes; i += run) {
        input->text[i] = 'b';
        run = test_random_below(random, 3) == 0 ? 1 + test_random_below(random, 700)
                                                : 1 + test_random_below(random, 20);
    }
    memset(pattern, letter, sizeof pattern);
    if (test_random_below(random, 2)) { /* two other bytes close to each other, after every 1,024
                                           bytes (the shortest tile) */
        memset(input->text, letter, input->text_bytes);
        for (uint64_t i = 1024; i + 200 < input->text_bytes; i += 1024) {
            uint64_t at = i + test_random_below(random, 100);

            input->text[at] = 'b';
            input->text[at + 1 + test_random_below(random, 99)] = 'b';
        }
    }
    input_add_pattern(input, pattern, 1 + test_random_below(random, sizeof pattern));
    if (test_random_below(random, 3) == 0)
        input_add_pattern(input, pattern, 1 + test_random_below(random, 5));
}

/* Makes a pattern whose end equals its start except for bytes that differ in one bit. Copies of the
 * pattern overlap in the text, and some bits of the text are flipped. So text and pattern often
 * agree in one bit of each byte and differ in another. */
static void make_overlaps(struct test_random *random, struct diff_input *input)
{
    uint64_t count = 8 + test_random_below(random, test_random_below(random, 2) ? 60 : 700);
    uint64_t max = test_random_below(random, 3) == 0 ? 2 : count - 1, step;
    uint64_t border = 1 + test_random_below(random, max);
    uint64_t period = 1 + test_random_below(random, count), text_bytes = TEXT_BYTES_MAX;
    uint8_t pattern[800];

    for (uint64_t i = 0; i < count; i++)
        pattern[i] =
            i < period ? (uint8_t)('a' + test_random_below(random, 2)) : pattern[i - period];
    for (uint64_t i = 0; i < border; i++)
        pattern[count - border + i] =
            pattern[i] ^ (uint8_t)(test_random_below(random, border) == 0 ? 4 : 0);
    input_begin(random, INPUT_LETTERS_2, text_bytes, input);
    for (uint64_t at = test_random_below(random, 100); at + count <= text_bytes; at += step) {
        memcpy(input->text + at, pattern, count);
        if (test_random_below(random, 4) == 0) /* the first or the last byte */
            input->text[at + test_random_below(random, 2) * (count - 1)] ^=
                (uint8_t)(1u << test_random_below(random, 3));
        step = test_random_below(random, 3) == 0 ? count : count - border;
        step += test_random_below(random, 20) == 0 ? test_random_below(random, 2 * count) : 0;
    }
    for (uint64_t turned = test_random_below(random, 20); turned > 0; turned--)
        input->text[test_random_below(random, text_bytes)] ^=
            (uint8_t)(1u << test_random_below(random, 3));
    input_add_pattern(input, pattern, count);
}

/* Makes a long text of small letters with a pattern of capital letters or digits, or a near copy of
 * it, at a few random offsets. So most tiles of the stream kernels have no candidate, and the first
 * occurrence may be anywhere. */
static void make_sparse(struct test_random *random, struct diff_input *input)
{
    static const uint64_t lengths[] = {1,  2,  3,  4,  5,  6,   7,   8,  9,
                                       12, 16, 40, 64, 65, 321, 328, 580};
    uint64_t min = wanted_sets == RANDOM_CASE_LONG ? 11 : 0;
    uint64_t count = lengths[min + test_random_below(random, 17 - min)];
    /* 0: the pattern has no digits; 1: about half of its bytes are digits; 2, 3: all its bytes are
     * digits */
    uint64_t digits = test_random_below(random, 4);
    uint64_t places = TEXT_BYTES_MAX + test_random_below(random, 5 * TEXT_BYTES_MAX);
    uint8_t pattern[580];

    input_begin(random, test_random_below(random, 2) ? INPUT_LETTERS_26 : INPUT_LETTERS_2,
                places + count, input);
    for (uint64_t i = 0; i < count; i++)
        pattern[i] = (uint8_t)((test_random_below(random, 2) < digits ? '0' : 'A') +
                               test_random_below(random, 4));
    for (uint64_t i = test_random_below(random, 6); i > 0; i--)
        memcpy(input->text + test_random_below(random, places), pattern, count);
    for (uint64_t i = test_random_below(random, 6); i > 0; i--)
        memcpy(input->text + test_random_below(random, places), pattern, count - 1);
    input_add_pattern(input, pattern, count);
    input->flags = test_random_below(random, 4) == 0 ? NAIVE_IGNORE_CASE : 0;
}

/* Makes a text in which pieces full of the pattern alternate with pieces in which it is rare. */
static void make_patches(struct test_random *random, struct diff_input *input)
{
    bool is_short = wanted_sets != RANDOM_CASE_DENSE && test_random_below(random, 3);
    uint64_t count = 1 + test_random_below(random, is_short ? 8 : 70), at = 0;
    uint64_t often = is_short ? 4 : 40;
    bool dense = false;
    uint8_t pattern[71];

    input_begin(random, INPUT_LETTERS_26, TEXT_BYTES_MAX, input);
    memset(pattern, 'a', count);
    while (at + count <= input->text_bytes) {
        uint64_t piece = 1 + test_random_below(random, 3000);

        for (uint64_t i = at; dense && i < at + piece && i < input->text_bytes; i++)
            input->text[i] = 'a';
        for (uint64_t k = test_random_below(random, often); !dense && k > 0; k--)
            memcpy(input->text + test_random_below(random, input->text_bytes - count + 1), pattern,
                   count);
        dense = !dense;
        at += piece;
    }
    input_add_pattern(input, pattern, count);
}

/* Fills the text with the byte #, and puts pairs of patterns at a few places, so that the first
 * occurrence may be anywhere, and a second one begins near it. */
static void make_rare(struct test_random *random, struct diff_input *input)
{
    memset(input->text, '#', input->text_bytes);
    for (uint64_t i = 2 * (1 + test_random_below(random, 4)), at = 0; i > 0; i--) {
        struct naive_bytes pattern =
            input->patterns[test_random_below(random, input->pattern_count)];

        at = i % 2 == 0 ? test_random_below(random, input->text_bytes)
                        : at + test_random_below(random, 70);
        if (at + pattern.bytes_count <= input->text_bytes)
            memcpy(input->text + at, pattern.bytes, (size_t)pattern.bytes_count);
    }
}

/* Makes a set for the kernel stream_set, whose patterns have at least 4 bytes: pieces of the text,
 * similar strings, prefixes and suffixes, duplicates. In some texts all strings consist of a single
 * letter or have the same first bytes. */
static void make_set(struct test_random *random, struct diff_input *input)
{
    static const enum input_kind kinds[] = {INPUT_LETTERS_26, INPUT_MIXED_CASE, INPUT_DNA,
                                            INPUT_LETTERS_2, INPUT_LETTERS_1};
    enum input_kind kind = kinds[test_random_below(random, sizeof kinds / sizeof *kinds)];
    uint64_t min = 4 + test_random_below(random, test_random_below(random, 2) ? 14 : 124);
    uint64_t count = 2 + test_random_below(random, test_random_below(random, 4) ? 40 : 400);
    uint64_t edges = test_random_below(random, 2) == 0 ? 8 : 1;
    uint64_t text_bytes = min + test_random_below(random, TEXT_BYTES_MAX - min);
    uint8_t pattern[256];

    if (kind == INPUT_LETTERS_1 || kind == INPUT_LETTERS_2) { /* many matches */
        count = 2 + count % 20;
        text_bytes = min + text_bytes % 2000;
    }
    if (test_random_below(random, 4) == 0) /* the text ends just after a step of stream_set */
        text_bytes = 2048 * (1 + test_random_below(random, 4)) + test_random_below(random, min);
    if (edges > 1) /* patterns are from both ends of the text, so it is short */
        text_bytes = min + text_bytes % 200;
    input_begin(random, kind, text_bytes, input);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = min_u64(min + test_random_below(random, min), text_bytes);
        uint64_t from = test_random_below(random, text_bytes - bytes + 1);

        if (test_random_below(random, 8) < edges) { /* at most 8 bytes from an end of the text */
            uint64_t near = min_u64(test_random_below(random, 9), text_bytes - bytes);

            from = test_random_below(random, 2) ? text_bytes - bytes - near : near;
        }
        memcpy(pattern, input->text + from, bytes);
        if (test_random_below(random, 3) == 0)
            pattern[test_random_below(random, bytes)] ^= 1;
        input_add_pattern(input, pattern, bytes);
        if (test_random_below(random, 6) == 0)
            input_add_pattern(input, pattern, min + test_random_below(random, bytes - min + 1));
    }
    if (test_random_below(random, 4) == 0)
        input->flags |= TRAWL_IGNORE_CASE;
    if (test_random_below(random, 4) == 0)
        make_rare(random, input);
}

void random_case_want(enum random_case_sets sets)
{
    wanted_sets = sets;
}

enum random_case_sets random_case_wanted(void)
{
    return wanted_sets;
}

static bool wants_set(struct test_random *random)
{
    return wanted_sets == RANDOM_CASE_SETS ||
           (wanted_sets == RANDOM_CASE_ANY && test_random_below(random, 6) == 0);
}

void random_case_input(struct test_random *random, struct diff_input *input)
{
    static void (*const made[2][3])(struct test_random *, struct diff_input *) = {
        {make_patches, make_overlaps, make_runs}, {make_sparse, make_overlaps, make_runs}};

    if (wanted_sets >= RANDOM_CASE_DENSE && test_random_below(random, 4) != 0) {
        made[wanted_sets - RANDOM_CASE_DENSE][test_random_below(random, 3)](random, input);
    } else if (wants_set(random)) {
        if (test_random_below(random, 3) == 0)
            input_generate_mixed(random, TEXT_BYTES_MAX, input);
        else
            make_set(random, input);
    } else if (wanted_sets == RANDOM_CASE_ANY && test_random_below(random, 8) == 0) {
        make_sparse(random, input);
    } else if (wanted_sets >= RANDOM_CASE_DENSE || test_random_below(random, 3) == 0) {
        uint64_t text_bytes = 1 + test_random_below(random, TEXT_BYTES_MAX);
        uint64_t pattern_bytes = 1 + test_random_below(random, text_bytes);
        uint32_t kind = (uint32_t)test_random_below(random, input_worst_kinds());

        input_generate_worst(random, kind, text_bytes,
                             test_random_below(random, 2) ? pattern_bytes : 1 + pattern_bytes % 300,
                             input);
    } else if (test_random_below(random, 5) == 0) {
        make_runs(random, input);
    } else if (test_random_below(random, 6) == 0) {
        make_patches(random, input);
    } else if (test_random_below(random, 6) == 0) {
        make_overlaps(random, input);
    } else if (test_random_below(random, 6) == 0) {
        input_generate_near_misses(random, TEXT_BYTES_MAX, input);
    } else {
        input_generate(random, TEXT_BYTES_MAX, input);
        while (input->pattern_count > PATTERNS_QUICK &&
               (wanted_sets != RANDOM_CASE_ANY || test_random_below(random, 8) != 0)) {
            input_free(input);
            input_generate(random, TEXT_BYTES_MAX, input);
        }
    }
    input_rename(random, input);
}

void random_case_count(struct random_case_tally *tally, const struct cuda_case *config,
                       enum cuda_case_answer answer, const struct diff_expected *expected)
{
    if (tally == NULL)
        return;
    tally->method[config->method] += answer == CUDA_CASE_RIGHT;
    tally->refused += answer == CUDA_CASE_REFUSED;
    tally->matches += expected->match_count;
}

bool random_case_on(struct engine *engine, struct engine_worker *worker, const char *name,
                    const struct case_kind *kind, const char *algorithm, uint64_t index,
                    const struct cuda_limits *limits, struct diff_expected *expected,
                    struct cuda_case *config, enum cuda_case_answer *answer)
{
    struct test_random random = test_random_begin(name);
    char message[CUDA_CASE_MESSAGE_BYTES] = "", line[CUDA_CASE_MESSAGE_BYTES];
    struct diff_input input;
    struct trawl_error error;

    memset(&error, 0, sizeof error);
    random.state ^= index * 0x2545f4914f6cdd1du;
    random_case_input(&random, &input);
    *config = cuda_case_choose(&random, &input);
    if (kind != NULL) {
        kind->fit(algorithm, limits, &input, config);
        config->algorithm = algorithm;
        config->ops = kind->ops;
    }
    cuda_case_plant(&random, limits, config, &input);
    expected_compute(&input, expected);
    *answer = cuda_case_run(engine, worker, &input, expected, config, message, &error);
    if (*answer != CUDA_CASE_RIGHT && *answer != CUDA_CASE_REFUSED) {
        cuda_case_describe(config, &input, limits, line, sizeof line);
        printf("  TRAWL_TEST_CASE=%" PRIu64 ": %s\n  %s %s\n", index, line, message,
               *answer == CUDA_CASE_FAILED ? error.message : "");
    }
    input_free(&input);
    return *answer == CUDA_CASE_RIGHT || *answer == CUDA_CASE_REFUSED;
}

struct cuda_limits random_case_limits(const char *name, uint64_t index,
                                      const struct case_kind *kind)
{
    struct test_random random = test_random_begin(name);
    struct cuda_limits limits;

    random.state ^= ~index * 0x2545f4914f6cdd1du;
    limits = cuda_case_limits(&random);
    if (test_random_below(&random, 4) == 0) /* the sizes of real use are tested, too */
        limits = cuda_limits_default;
    if (kind != NULL)
        kind->limits(&limits);
    cuda_limits_replace(&limits);
    return limits;
}

bool random_cases_on(struct engine *engine, const char *name, uint64_t index, uint64_t count,
                     struct random_case_tally *tally)
{
    struct cuda_limits limits = random_case_limits(name, index, NULL);
    struct engine_worker *worker = NULL;
    struct trawl_error error;
    bool passed;

    passed = engine_cuda.compile(engine, ENGINE_DEVICES_MAX, NULL, &worker, &error) == TRAWL_OK;
    if (!passed)
        printf("  worker: %s\n", error.message);

    for (uint64_t i = index; i < index + count && passed; i++) {
        struct diff_expected expected;
        enum cuda_case_answer answer;
        struct cuda_case config;

        passed = random_case_on(engine, worker, name, NULL, NULL, i, &limits, &expected, &config,
                                &answer);
        random_case_count(tally, &config, answer, &expected);
        expected_free(&expected);
    }
    if (worker != NULL)
        engine_cuda.release(worker);
    return passed;
}
