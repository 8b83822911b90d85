/* unit_pages: the filter of a loaded text (TRAWL_TEXT_FILTER): which texts have one, what searches
 * skip with it, and that a lack of memory is no error. */
#include "calls.h"

#define PAGE (64u << 10)
#define TEXT_BYTES (96u * PAGE + 77u)

static uint8_t *bytes;
static uint64_t left_until_failure = UINT64_MAX;

/* Lines of digits: the same with each seed, since a filter may also leave pages that lack a string,
 * and how many follows from the text. */
static void make_text(void)
{
    uint32_t state = 1;

    bytes = (uint8_t *)malloc(TEXT_BYTES);
    for (uint64_t i = 0; i < TEXT_BYTES; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = i % 50 == 49 ? '\n' : (uint8_t)('0' + (state >> 16) % 10);
    }
}

static struct trawl_text *must_filtered(const uint8_t *begin, uint64_t count)
{
    struct trawl_text_options options = TRAWL_TEXT_MEMORY(begin, count);
    struct trawl_text *text = NULL;

    options.flags = TRAWL_TEXT_FILTER;
    MUST(trawl_text_open(NULL, &options, &text, NULL));
    return text;
}

static void check_refused(void)
{
    struct trawl_text_options options = TRAWL_TEXT_OPTIONS_INIT;
    struct trawl_text *text = NULL;

    options.flags = TRAWL_TEXT_FILTER;
    CHECK_REFUSED(trawl_text_open("/dev/null", &options, &text, error));
    options.flags = TRAWL_TEXT_FILTER | TRAWL_TEXT_MAP;
    CHECK_REFUSED(trawl_text_open("/dev/null", &options, &text, error));
    options.source = TRAWL_SOURCE_DESCRIPTOR;
    CHECK_REFUSED(trawl_text_open(NULL, &options, &text, error));
    options.source = TRAWL_SOURCE_DEVICE;
    CHECK_REFUSED(trawl_text_open(NULL, &options, &text, error));
}

static void check_skips(void)
{
    AUTO_PLAN plan = must_plan("no such identifier in it");
    AUTO_PLAN digit = must_plan("7");
    AUTO_SEARCHER searcher = must_searcher(2, 0);
    AUTO_TEXT text = must_filtered(bytes, TEXT_BYTES);
    AUTO_TEXT part = must_text(bytes + 10 * PAGE + 5, 40 * PAGE);
    AUTO_TEXT early = must_filtered(bytes, TEXT_BYTES / 4);
    struct trawl_match match;
    bool found = false;

    TEST_CHECK_U64(must_count(searcher, plan, text), 0); /* not loaded */
    TEST_CHECK_U64(must_stats(searcher).page_count, 0);
    MUST(trawl_text_load(searcher, early, NULL)); /* too short */
    TEST_CHECK_U64(must_count(searcher, plan, early), 0);
    TEST_CHECK_U64(must_stats(searcher).page_count, 0);
    MUST(trawl_text_load(searcher, text, NULL));
    TEST_CHECK_U64(must_count(searcher, plan, text), 0);
    TEST_CHECK_U64(must_stats(searcher).page_count, 97);
    TEST_CHECK_U64(must_stats(searcher).page_left_count, 0);
    TEST_CHECK_U64(must_stats(searcher).text_bytes, TEXT_BYTES);
    TEST_CHECK_U64(trawl_searcher_progress(searcher), TEXT_BYTES);
    TEST_CHECK_U64(must_count(searcher, plan, part), 0); /* by its address */
    TEST_CHECK_U64(must_stats(searcher).page_count, 41);
    TEST_CHECK(must_count(searcher, digit, text) > TEXT_BYTES / 11);
    TEST_CHECK_U64(must_stats(searcher).page_count, 0);

    memcpy(bytes + 40 * PAGE - 3, "no such identifier in it", 24); /* between two pages */
    MUST(trawl_text_load(searcher, text, NULL)); /* again: the bytes have changed */
    MUST(trawl_first(searcher, plan, text, &match, &found, NULL));
    TEST_CHECK(found && match.begin == 40 * PAGE - 3);
    TEST_CHECK_U64(must_stats(searcher).page_left_count, 1);
    MUST(trawl_first(searcher, plan, part, &match, &found, NULL));
    TEST_CHECK(match.begin == 30 * PAGE - 8);
    TEST_CHECK_U64(call_text(text).filter_bytes, 13 * PAGE);
    trawl_text_unload(searcher, text);
    TEST_CHECK_U64(call_text(text).filter_bytes, 0);
    TEST_CHECK_U64(must_count(searcher, plan, text), 1);
    TEST_CHECK_U64(must_stats(searcher).page_count, 0);
}

/* A text whose pages have the same grams, such as DNA, has no filter. */
static void check_alike(void)
{
    AUTO_PLAN plan = must_plan("GATTACACATTAGGATTACA");
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    uint8_t *letters = (uint8_t *)malloc(TEXT_BYTES);
    AUTO_TEXT text = must_filtered(letters, TEXT_BYTES);

    for (uint64_t i = 0; i < TEXT_BYTES; i++)
        letters[i] = (uint8_t) "ACGT"[bytes[i] % 4];
    MUST(trawl_text_load(searcher, text, NULL));
    (void)must_count(searcher, plan, text);
    TEST_CHECK_U64(must_stats(searcher).page_count, 0);
    free(letters);
}

static void *allocate(void *context, uint64_t count, uint64_t alignment)
{
    (void)context;
    if (left_until_failure == 0)
        return NULL;
    left_until_failure -= left_until_failure != UINT64_MAX;
    return aligned_alloc(alignment, (count + alignment - 1) / alignment * alignment);
}

static void release(void *context, void *pointer, uint64_t count)
{
    (void)context;
    (void)count;
    free(pointer);
}

static void check_short_memory(void)
{
    const struct trawl_memory memory = {sizeof memory, NULL, allocate, release};
    uint64_t max = 0;

    MUST(trawl_set_memory(&memory, NULL));
    for (uint64_t allowed = 0; allowed < 12; allowed++) {
        AUTO_PLAN plan = must_plan("no such identifier in it");
        AUTO_SEARCHER searcher = must_searcher(1, 0);
        AUTO_TEXT text = must_filtered(bytes, TEXT_BYTES);
        uint64_t count = UINT64_MAX;

        (void)must_count(searcher, plan, text); /* the worker's own memory */
        left_until_failure = allowed;
        MUST(trawl_text_load(searcher, text, NULL));
        MUST(trawl_count(searcher, plan, text, &count, NULL));
        left_until_failure = UINT64_MAX;
        TEST_CHECK_U64(count, 1);
        max = must_stats(searcher).page_count;
    }
    TEST_CHECK_U64(max, 97);
    MUST(trawl_set_memory(NULL, NULL));
}

int main(void)
{
    test_begin("unit_pages");
    make_text();
    check_refused();
    check_skips();
    check_alike();
    check_short_memory();
    free(bytes);
    return test_end();
}
