/* line_ends: two bytes that end lines, against the same text with one of them in both places. */
#include "calls.h"

#define TEXT_MAX 1000
#define PATTERNS 2 /* the same twice are one */

static struct test_random source;

struct bytes {
    uint8_t bytes[TEXT_MAX];
    uint64_t count;
};

static uint64_t count_lines(const struct trawl_plan *plan, struct trawl_searcher *searcher,
                            const struct bytes *text, bool invert)
{
    AUTO_TEXT opened = must_text(text->bytes, text->count);
    uint64_t count = UINT64_MAX;

    MUST(trawl_count_lines(searcher, plan, opened, invert, UINT64_MAX, &count, NULL));
    return count;
}

static int sum_line_ends(void *context, const struct trawl_window *window)
{
    *(uint64_t *)context += window->line_end_count;
    return 0;
}

static uint64_t window_line_ends(const struct trawl_plan *plan, struct trawl_searcher *searcher,
                                 const struct bytes *text)
{
    AUTO_TEXT opened = must_text(text->bytes, text->count);
    uint64_t count = 0;

    MUST(
        trawl_windows(searcher, plan, opened, TRAWL_WINDOW_LINE_ENDS, sum_line_ends, &count, NULL));
    return count;
}

/* Segments of `text` that end at a newline or a NUL and have a match, and whether two matches of a
 * window that is said to have one for each line are in one that ends at newlines alone. */
struct segments {
    const struct bytes *text;
    uint64_t end, count, line_end;
    bool is_wrong;
};

static uint64_t end_from(const struct bytes *text, uint64_t at, bool at_nulls)
{
    while (at < text->count && text->bytes[at] != '\n' && (!at_nulls || text->bytes[at] != '\0'))
        at++;
    return at;
}

static int count_segments(void *context, const struct trawl_window *window)
{
    struct segments *segments = context;

    segments->line_end = 0;
    for (uint64_t i = 0; i < window->match_count; i++) {
        uint64_t begin = window->matches[i].begin;

        if (window->one_per_line && i > 0 && begin < segments->line_end)
            segments->is_wrong = true;
        segments->line_end = end_from(segments->text, begin, false) + 1;
        segments->count += segments->count == 0 || begin >= segments->end;
        segments->end = end_from(segments->text, begin, true) + 1;
    }
    return 0;
}

static uint64_t window_segments(const struct trawl_plan *plan, struct trawl_searcher *searcher,
                                const struct bytes *text)
{
    struct segments segments = {text, 0, 0, 0, false};
    AUTO_TEXT opened = must_text(text->bytes, text->count);

    MUST(
        trawl_windows(searcher, plan, opened, TRAWL_WINDOW_LINES, count_segments, &segments, NULL));
    TEST_CHECK(!segments.is_wrong);
    return segments.count;
}

static uint64_t expected_segments(const char *const *patterns, const struct bytes *text)
{
    uint64_t count = 0, end = 0;

    for (uint64_t at = 0; at < text->count; at++)
        for (uint32_t i = 0; i < PATTERNS; i++) {
            uint64_t bytes = strlen(patterns[i]);

            if (at < end || bytes > text->count - at ||
                memcmp(text->bytes + at, patterns[i], (size_t)bytes) != 0)
                continue;
            count++;
            end = end_from(text, at, true) + 1;
        }
    return count;
}

static struct trawl_plan *plan_of(const char *const *strings, uint32_t flags, bool also)
{
    struct trawl_pattern patterns[PATTERNS];

    for (uint32_t i = 0; i < PATTERNS; i++)
        patterns[i] = (struct trawl_pattern){strings[i], strlen(strings[i])};
    return must_plans(patterns, PATTERNS, PLAN_WITH(.flags = flags, .line_end_also_set = also));
}

/* The text with NUL and newline ending lines, and the same with newlines in place of the NULs. */
static void make_texts(struct bytes *both, struct bytes *one)
{
    const char letters[] = {'a', 'b', '\n', '\0', 'a'};

    both->count = test_random_below(&source, TEXT_MAX);
    one->count = both->count;
    for (uint64_t i = 0; i < both->count; i++) {
        both->bytes[i] = (uint8_t)letters[test_random_below(&source, sizeof letters)];
        one->bytes[i] = both->bytes[i] == '\0' ? '\n' : both->bytes[i];
    }
}

int main(void)
{
    static struct bytes both, one;
    static const char *const sets[][PATTERNS] = {{"a", "a"},     {"ab", "ab"}, {"aa", "aa"},
                                                 {"bab", "bab"}, {"a", "b"},   {"ab", "ba"},
                                                 {"aab", "b"}};

    source = test_random_begin("line_ends");
    for (uint64_t round = 0; round < 400; round++) {
        const char *const *patterns = sets[test_random_below(&source, sizeof sets / sizeof *sets)];
        uint32_t flags = test_random_below(&source, 2) == 0 ? TRAWL_WHOLE_LINE : 0;
        AUTO_PLAN plan_both = plan_of(patterns, flags, true);
        AUTO_PLAN plan_one = plan_of(patterns, flags, false);
        AUTO_SEARCHER searcher = must_searcher(1 + (uint32_t)test_random_below(&source, 3),
                                               1 + test_random_below(&source, 200));

        make_texts(&both, &one);
        for (int invert = 0; invert < 2; invert++)
            TEST_CHECK_U64(count_lines(plan_both, searcher, &both, invert != 0),
                           count_lines(plan_one, searcher, &one, invert != 0));
        TEST_CHECK_U64(window_line_ends(plan_both, searcher, &both),
                       window_line_ends(plan_one, searcher, &one));
        /* Nothing held windows of lines to their promise that a NUL ends a line. */
        if (flags == 0)
            TEST_CHECK_U64(window_segments(plan_one, searcher, &both),
                           expected_segments(patterns, &both));
    }
    return test_end();
}
