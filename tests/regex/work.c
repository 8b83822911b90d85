/* work: the work of making automata is limited over all expressions of a plan. Otherwise a plan
 * could take as many times the limit as it has expressions. */
#include "calls.h"
#include "regex/automaton.h"

#define EXPRESSIONS 16u

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

int main(void)
{
    static char texts[EXPRESSIONS][64];
    struct trawl_pattern patterns[EXPRESSIONS];
    const char *why;

    test_begin("work");
    for (uint32_t i = 0; i < EXPRESSIONS; i++) { /* each takes about a 13th of the work allowed */
        (void)snprintf(texts[i], sizeof texts[i], "[^%c](?:a|b|c|d|e|f|g|h|i|[^x]){9}$",
                       (char)('a' + i));
        patterns[i] = (struct trawl_pattern){texts[i], strlen(texts[i])};
    }
    TEST_CHECK(why_not(&patterns[0], 1) == NULL);
    TEST_CHECK(why_not(&patterns[EXPRESSIONS - 1], 1) == NULL);
    why = why_not(patterns, EXPRESSIONS);
    TEST_CHECK(why != NULL && strcmp(why, "its automaton would be too large") == 0);
    return test_end();
}
