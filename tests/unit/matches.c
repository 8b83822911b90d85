/* matches: an array that is filled with more matches than there is room for. */
#include "calls.h"

#define MANY ((1u << 20) + 200000u) /* matches: the last ones are written past the caches */
#define GUARD 0x5a5a5a5a5a5a5a5aull

/* An array that is filled beyond what the caches hold, and ends before the last matches. */
static void fill_array(uint32_t word)
{
    const struct trawl_pattern patterns[] = {{"a", 1}, {"aa", 2}};
    uint64_t room = MANY - 100 * word, count = 0, wrong = 0;
    uint64_t *words = malloc((3 * MANY + 8) * sizeof *words);
    struct trawl_match *matches = (struct trawl_match *)(void *)(words + word);
    uint8_t *bytes = malloc(MANY / 2 + 1);
    AUTO_SEARCHER searcher = must_searcher_with(NULL);
    AUTO_PLAN plan = must_plans(patterns, 2, NULL);
    AUTO_TEXT text = must_text(bytes, MANY / 2 + 1);

    if (!TEST_CHECK(words != NULL && bytes != NULL))
        exit(test_end());
    memset(bytes, 'a', MANY / 2 + 1);
    memset(words, 0x5a, (3 * MANY + 8) * sizeof *words);
    MUST(trawl_positions_into(searcher, plan, text, matches, room, &count, NULL));
    TEST_CHECK_U64(count, MANY + 1);
    for (uint64_t i = 0; i < room; i++)
        wrong += matches[i].begin != i / 2 || matches[i].pattern_index != i % 2 ||
                 matches[i].end != i / 2 + 1 + i % 2;
    for (uint64_t i = 0; i < 3 * MANY + 8; i++)
        wrong += (i < word || i >= 3 * room + word) && words[i] != GUARD;
    TEST_CHECK_U64(wrong, 0);
    free(bytes);
    free(words);
}

/* The only match lies behind the first of the steps in which verification and published algorithms
 * take a chunk (64 KiB, or 1 MiB). What comes before it nearly matches, so that verification
 * becomes linear. The other tests' first matches lie in the first step. */
static void late_first(enum trawl_method method, const char *algorithm, uint64_t pattern_count)
{
    const uint64_t bytes_count = 1400000, at = 1300000, length = 400;
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_plan_options plan_options = TRAWL_PLAN_OPTIONS_INIT;
    char *bytes = malloc(bytes_count), string[400];
    struct trawl_pattern patterns[2] = {{string, length}, {"#!", 2}};
    struct trawl_match match = {0, 0, 0, 0, 0};
    struct trawl_searcher *searcher = NULL;
    struct trawl_text *text = NULL;
    struct trawl_plan *plan = NULL;
    bool found = false;

    if (!TEST_CHECK(bytes != NULL))
        exit(test_end());
    for (uint64_t i = 0; i < bytes_count; i++)
        bytes[i] = i % 300 == 0 && (i < at || i > at + length) ? 'b' : 'a';
    memset(string, 'a', length);
    bytes[at - 1] = 'b';
    options.threads = 1;
    options.chunk_bytes = 1u << 21;
    plan_options.method = method;
    plan_options.algorithm = algorithm;
    if (trawl_plan_build(patterns, pattern_count, &plan_options, &plan, NULL) == TRAWL_OK) {
        TEST_CHECK(trawl_searcher_open(&options, &searcher, NULL) == TRAWL_OK);
        TEST_CHECK(trawl_text_from_memory(bytes, bytes_count, &text, NULL) == TRAWL_OK);
        TEST_CHECK(trawl_first(searcher, plan, text, &match, &found, NULL) == TRAWL_OK && found);
        TEST_CHECK_U64(match.begin, at);
        trawl_text_close(text);
        trawl_searcher_close(searcher);
        trawl_plan_free(plan);
    } else {
        TEST_CHECK(algorithm != NULL); /* a build without published algorithms */
    }
    free(bytes);
}

int main(void)
{
    test_begin("matches");
    for (uint32_t word = 0; word < 4; word++)
        fill_array(word);
    late_first(TRAWL_METHOD_EVERY, NULL, 1);
    for (uint64_t count = 1; count <= 2; count++)
        late_first(TRAWL_METHOD_AUTO, "bf", count);
    return test_end();
}
