/* use: the public header in a C++ program: options, a sink, errors. */
#include <trawl.h>

#include <cstdio>
#include <cstring>
#include <vector>

static int failures;

static void check(bool passed, const char *what)
{
    if (!passed) {
        std::printf("failed: %s\n", what);
        failures++;
    }
}

static int keep(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    std::vector<trawl_match> *all = static_cast<std::vector<trawl_match> *>(context);

    all->insert(all->end(), matches, matches + match_count);
    return 0;
}

int main()
{
    const char text_bytes[] = "abracadabra";
    const trawl_pattern patterns[] = {{"abra", 4}, {"a", 1}};
    trawl_plan_options plan_options = TRAWL_PLAN_OPTIONS_INIT;
    trawl_text_options memory = TRAWL_TEXT_MEMORY(text_bytes, 11);
    trawl_searcher_options searcher_options = TRAWL_SEARCHER_OPTIONS_INIT;
    std::vector<trawl_match> matches;
    trawl_answer answer = TRAWL_ANSWER_MATCHES(keep, &matches);
    trawl_plan *plan = nullptr;
    trawl_searcher *searcher = nullptr;
    trawl_text *text = nullptr;
    trawl_error error;
    uint64_t count = 0;

    searcher_options.engine = TRAWL_ENGINE_CPU;
    check(trawl_plan_build(patterns, 2, &plan_options, &plan, &error) == TRAWL_OK, "plan");
    check(trawl_searcher_open(&searcher_options, &searcher, &error) == TRAWL_OK, "searcher");
    check(trawl_text_open(NULL, &memory, &text, &error) == TRAWL_OK, "text");
    if (failures > 0)
        return 1;
    check(trawl_count(searcher, plan, text, &count, &error) == TRAWL_OK && count == 7, "count");
    check(trawl_ask(searcher, plan, text, &answer, &error) == TRAWL_OK, "matches");
    check(matches.size() == 7 && matches[0].pattern_index == 0 && matches[1].pattern_index == 1 &&
              matches[5].begin == 7 && matches[5].end == 8 && matches[6].begin == 10,
          "matches");
    check(trawl_count(searcher, nullptr, text, &count, &error) == TRAWL_ARGUMENT &&
              error.status == TRAWL_ARGUMENT && std::strlen(error.message) > 0,
          "a NULL plan is refused");
    trawl_text_close(text);
    trawl_searcher_close(searcher);
    trawl_plan_free(plan);
    check(std::strcmp(trawl_version(), TRAWL_VERSION) == 0, "version");
    std::printf("%d failed\n", failures);
    return failures == 0 ? 0 : 1;
}
