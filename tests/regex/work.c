/* work: the work of making automata is limited over all expressions of a plan. Otherwise a plan
 * could take as many times the limit as it has expressions. So is their memory in a thread. */
#include "asks.h"
#include "calls.h"
#include "diff/borders.h"
#include "regex/automaton.h"

#define EXPRESSIONS 16u
#define RULES 60u
#define LIMIT_MIB 8u
#define LINES 4000u

/* Returns why a device cannot find the matches of these expressions; NULL: it can. */
static const char *why_not(const struct trawl_pattern *patterns, uint64_t count)
{
    AUTO_PLAN plan = must_plans(patterns, count, PLAN_WITH(.syntax = TRAWL_PERL));
    const struct trawl_plan *lines;
    const char *why;

    MUST(regex_line_plan(plan, NULL, 0, true, &lines, &why, NULL));
    TEST_CHECK((why == NULL) == (lines != NULL));
    return why;
}

static uint64_t held, max_held;

static void *allocate(void *context, uint64_t count, uint64_t alignment)
{
    (void)context;
    held += count;
    max_held = held > max_held ? held : max_held;
    return aligned_alloc(alignment, (count + alignment - 1) / alignment * alignment);
}

static void release(void *context, void *pointer, uint64_t count)
{
    (void)context;
    held -= count;
    free(pointer);
}

/* Returns how many bytes a search needs more than one for a string, besides the plan. */
static uint64_t bytes_of_search(uint32_t mib, const char *text, uint64_t text_bytes)
{
    static char rules[RULES][128];
    struct trawl_pattern patterns[RULES];
    AUTO_PLAN string = must_plan("nothing of the kind");
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_TEXT opened = must_text(text, text_bytes);
    uint64_t before, lines;

    for (uint32_t i = 0; i < RULES; i++) {
        (void)snprintf(rules[i], sizeof rules[i],
                       "(?i)[\\w.-]{3,50}?n%ux[ \\w.-]{0,20}[=:]{1,3}['\"]?([a-z0-9_]{%u})\\b",
                       i % 20, 20 + i);
        patterns[i] = (struct trawl_pattern){rules[i], strlen(rules[i])};
    }
    MUST(ask_count_lines(searcher, string, opened, false, UINT64_MAX, &lines, NULL));
    TEST_CHECK_U64(lines, 0);
    AUTO_PLAN plan =
        must_plans(patterns, RULES, PLAN_WITH(.syntax = TRAWL_PERL, .expression_mib = mib));
    before = max_held = held;
    MUST(ask_count_lines(searcher, plan, opened, false, UINT64_MAX, &lines, NULL));
    TEST_CHECK_U64(lines, LINES / 100);
    return max_held - before;
}

static void check_memory(void)
{
    const struct trawl_memory memory = {sizeof memory, NULL, allocate, release};
    struct test_random random = {1};
    char *text = malloc(LINES * 128), *to = text;

    for (uint32_t i = 0; i < LINES; i++) {
        const uint32_t name = (uint32_t)test_random_below(&random, 20);

        to += sprintf(to, "key.n%ux", name);
        for (uint64_t k = test_random_below(&random, 19); k > 0; k--)
            *to++ = "a .-_9"[test_random_below(&random, 6)];
        to += sprintf(to, "='%.*s'\n", i % 100 == 0 ? (int)(20 + name) : 9,
                      "abcdefghijklmnopqrstuvwxyz0123456789abcd");
    }
    MUST(trawl_set_memory(&memory, NULL));
    for (uint32_t mib = 2; mib <= LIMIT_MIB; mib *= 2) {
        /* and what the ways need, as the steps of most rules (groups.h) */
        const uint64_t max = ((uint64_t)mib << 20) / 8 + (1 << 20);

        TEST_CHECK(bytes_of_search(mib, text, (uint64_t)(to - text)) <= max);
        TEST_CHECK(bytes_of_search(0, text, (uint64_t)(to - text)) > max);
    }
    MUST(trawl_set_memory(NULL, NULL));
    free(text);
}

int main(void)
{
    static char texts[EXPRESSIONS][64];
    struct trawl_pattern patterns[EXPRESSIONS];
    const char *why;

    test_begin("work");
    border_clock = test_setting("TRAWL_TEST_SEED", 1);
    for (uint32_t i = 0; i < EXPRESSIONS; i++) { /* each takes about a 13th of the work allowed;
                                                    (?:) keeps the choice from being a class */
        (void)snprintf(texts[i], sizeof texts[i], "[^%c](?:(?:)a|b|c|d|e|f|g|h|i|[^x]){9}$",
                       (char)('a' + i));
        patterns[i] = (struct trawl_pattern){texts[i], strlen(texts[i])};
    }
    TEST_CHECK(why_not(&patterns[0], 1) == NULL);
    TEST_CHECK(why_not(&patterns[EXPRESSIONS - 1], 1) == NULL);
    why = why_not(patterns, EXPRESSIONS);
    TEST_CHECK(why != NULL && strcmp(why, "its automaton would be too large") == 0);
    check_memory();
    return test_end();
}
