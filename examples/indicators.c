/* indicators: counts which of many indicators of compromise occur in a file, each as a whole word
 *
 *     $ printf 'GET evil.example/a\nnotevil.example.org\nGET 203.0.113.7\nGET 203.0.113.7\n' >log
 *     $ ./indicators log
 *     evil.example: 1
 *     203.0.113.7: 2
 */
#include <inttypes.h>
#include <stdio.h>
#include <trawl.h>

static const struct trawl_pattern indicators[] = {
    {"evil.example", 12}, {"203.0.113.7", 11}, {"d41d8cd98f00b204e9800998ecf8427e", 32}};

/* A pattern's counts arrive in parts. */
static int add(void *context, const struct trawl_pattern_count *counts, uint64_t counts_count)
{
    for (uint64_t i = 0; i < counts_count; i++)
        ((uint64_t *)context)[counts[i].pattern_index] += counts[i].count;
    return 0;
}

int main(int argc, char **argv)
{
    const struct trawl_plan_options words = {.size = sizeof words, .flags = TRAWL_WHOLE_WORD};
    uint64_t sums[3] = {0};
    struct trawl_answer answer = TRAWL_ANSWER_COUNTS(add, sums);
    struct trawl_plan *plan = NULL;
    struct trawl_text *text = NULL;
    struct trawl_searcher *searcher = NULL;
    struct trawl_error error = {.status = TRAWL_OK};

    if (trawl_plan_build(indicators, 3, &words, &plan, &error) != TRAWL_OK ||
        trawl_text_open(argc > 1 ? argv[1] : "", NULL, &text, &error) != TRAWL_OK ||
        trawl_searcher_open(NULL, &searcher, &error) != TRAWL_OK ||
        trawl_ask(searcher, plan, text, &answer, &error) != TRAWL_OK)
        fprintf(stderr, "indicators: %s\n", error.message);
    for (uint32_t i = 0; i < 3; i++)
        if (sums[i] > 0)
            printf("%s: %" PRIu64 "\n", (const char *)indicators[i].bytes, sums[i]);
    trawl_searcher_close(searcher);
    trawl_text_close(text);
    trawl_plan_free(plan);
    return error.status == TRAWL_OK ? 0 : 2;
}
