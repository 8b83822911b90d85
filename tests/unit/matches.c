/* matches: a first match that lies late. */
#include "calls.h"

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
    late_first(TRAWL_METHOD_EVERY, NULL, 1);
    for (uint64_t count = 1; count <= 2; count++)
        late_first(TRAWL_METHOD_AUTO, "bf", count);
    return test_end();
}
