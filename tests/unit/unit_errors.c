/* unit_errors: checks which options and patterns the library rejects in plans that allow errors.
 * Occurrences found by hand are in python/tests/test_approximate.py. */
#include "calls.h"

#define SYMBOLS_MAX 65535u

static void refused(void)
{
    static const struct trawl_range range = {0, 3}, empty = {2, 2};
    const struct {
        const char *pattern;
        const struct trawl_plan_options *options;
        bool is_good;
    } rows[] = {
        {"abc", PLAN_WITH(.edits_max = 2), true},
        {"abc", PLAN_WITH(.edits_max = 3), false},
        {"\xc3\xa9\xc3\xa9", PLAN_WITH(.edits_max = 2, .alphabet = TRAWL_CHARACTERS), false},
        {"abc", PLAN_WITH(.edits_max = 1, .mismatches_max = 1), false},
        {"abcdefghijklmnopqrstuvwxyz0123456789", PLAN_WITH(.mismatches_max = TRAWL_ERRORS_MAX + 1),
         false},
        {"abc", PLAN_WITH(.edits_max = 1, .method = TRAWL_METHOD_SET), false},
        {"abc", PLAN_WITH(.edits_max = 1, .alphabet = (enum trawl_alphabet)3), false},
        {"ACU", PLAN_WITH(.alphabet = TRAWL_DNA), true},
        {"ACE", PLAN_WITH(.alphabet = TRAWL_DNA), false},
        {"abc", PLAN_WITH(.flags = TRAWL_WITHIN_LINES), false},
        {"abc", PLAN_WITH(.mismatches_max = 1, .flags = TRAWL_EVERY_END), false},
        {"ACG", PLAN_WITH(.edits_max = 1, .flags = TRAWL_ANY_BASE), false},
        {"ACG", PLAN_WITH(.edits_max = 1, .flags = TRAWL_REVERSE_COMPLEMENT), false},
        {"abc", PLAN_WITH(.edits_max = 1, .exact_count = 1), false},
        {"abc", PLAN_WITH(.edits_max = 1, .exact_count = 1, .exact = &empty), false},
        {"abc", PLAN_WITH(.edits_max = 1, .exact_count = 1, .exact = &range), true},
        {"ab", PLAN_WITH(.edits_max = 1, .exact_count = 1, .exact = &range), false},
        {"\xc3\xa9\xc3\xa9",
         PLAN_WITH(.edits_max = 1, .exact_count = 1, .exact = &range, .alphabet = TRAWL_CHARACTERS),
         false}};

    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct trawl_pattern asked = {rows[i].pattern, strlen(rows[i].pattern)};
        AUTO_PLAN plan = NULL;

        if (rows[i].is_good)
            MUST(trawl_plan_build(&asked, 1, rows[i].options, &plan, NULL));
        else
            CHECK_REFUSED(trawl_plan_build(&asked, 1, rows[i].options, &plan, error));
        TEST_CHECK((plan != NULL) == rows[i].is_good);
    }
}

/* Checks that the error has the index of a rejected pattern, and the limit of a pattern's length.
 */
static void refused_patterns(void)
{
    struct trawl_pattern patterns[2] = {{"ACGT", 4}, {"AC-T", 4}};
    char *long_one = (char *)malloc(SYMBOLS_MAX + 1);
    struct trawl_plan *plan = NULL;
    struct trawl_error record;

    CHECK_STATUS(trawl_plan_build(patterns, 2, PLAN_WITH(.alphabet = TRAWL_DNA), &plan, &record),
                 TRAWL_ARGUMENT);
    TEST_CHECK_U64(record.pattern_index, 1);
    TEST_CHECK(long_one != NULL);
    memset(long_one, 'a', SYMBOLS_MAX + 1);
    patterns[0] = (struct trawl_pattern){long_one, SYMBOLS_MAX + 1};
    CHECK_ERROR(trawl_plan_build(patterns, 1, PLAN_WITH(.edits_max = 1), &plan, error),
                TRAWL_LIMIT);
    patterns[0].bytes_count--;
    MUST(trawl_plan_build(patterns, 1, PLAN_WITH(.edits_max = 1), &plan, NULL));
    trawl_plan_free(plan);
    free(long_one);
}

static void told(void)
{
    AUTO_PLAN edits = must_plan_with("ACGT", PLAN_WITH(.edits_max = 2, .alphabet = TRAWL_DNA));
    AUTO_PLAN none = must_plan("ACGT");
    struct trawl_plan_told facts = call_describe(none, 0);

    TEST_CHECK(!facts.has_errors && facts.mismatches_max == 0 && facts.edits_max == 0);
    facts = call_describe(edits, 0);
    TEST_CHECK(facts.has_errors && facts.mismatches_max == 0 && facts.edits_max == 2 &&
               facts.alphabet == TRAWL_DNA);
}

/* Checks that a plan without patterns finds nothing. */
static void nothing(void)
{
    AUTO_PLAN plan = must_plans(NULL, 0, PLAN_WITH(.mismatches_max = 1));
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_TEXT text = must_string("abc");

    TEST_CHECK_U64(must_count(searcher, plan, text), 0);
}

static uint64_t asked;

static uint32_t variants(void *context, uint32_t c, uint32_t found[TRAWL_UTF8_VARIANTS_MAX])
{
    (void)context;
    asked++;
    found[0] = c;
    return 1;
}

static bool is_word(void *context, uint32_t c)
{
    (void)context;
    return c >= 128;
}

/* Checks that building a plan and searching call trawl_letters.variants fewer than five times for
 * each character of the patterns. If the calls grew faster than the patterns, a search for 100,000
 * patterns would take a minute to begin. */
static void asked_once(void)
{
    enum { COUNT = 500, BYTES = 40 };
    const struct trawl_letters utf8 = {sizeof utf8, NULL, variants, is_word, NULL};
    static uint8_t bytes[COUNT][BYTES];
    struct trawl_pattern patterns[COUNT];
    struct test_random random = test_random_begin("errors");

    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t j = 0; j < BYTES; j++)
            bytes[i][j] = (uint8_t)test_random_between(&random, 'a', 'z');
        patterns[i] = (struct trawl_pattern){bytes[i], BYTES};
    }
    AUTO_PLAN plan = must_plans(patterns, COUNT,
                                PLAN_WITH(.mismatches_max = 2, .alphabet = TRAWL_CHARACTERS,
                                          .flags = TRAWL_IGNORE_CASE, .letters = &utf8));
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_TEXT text = must_text(bytes, sizeof bytes);

    TEST_CHECK(must_count(searcher, plan, text) >= COUNT);
    TEST_CHECK(asked < 5 * COUNT * BYTES);
}

int main(void)
{
    test_begin("unit_errors");
    asked_once();
    refused();
    refused_patterns();
    told();
    nothing();
    return test_end();
}
