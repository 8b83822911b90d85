/* use: the public header in a C++ program: options, a sink, errors. */
#include <trawl_devices.h>

#include <cstdio>
#include <cstring>
#include <string>
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

static int keep_window(void *context, const trawl_window *window)
{
    std::string *all = static_cast<std::string *>(context);

    all->append(reinterpret_cast<const char *>(window->bytes), window->bytes_count);
    return 0;
}

static void windows(trawl_searcher *searcher, const trawl_plan *plan, trawl_text *text)
{
    std::string all;
    trawl_match first = {};
    bool found = false;

    check(trawl_windows(searcher, plan, text, TRAWL_WINDOW_NO_MATCHES, keep_window, &all,
                        nullptr) == TRAWL_OK &&
              all == "abracadabra",
          "windows");
    check(trawl_first(searcher, plan, text, &first, &found, nullptr) == TRAWL_OK && found &&
              first.begin == 0,
          "first");
}

/* An algorithm of the gallery on records; what a plan and a call say of themselves. */
static void records(trawl_searcher *searcher)
{
    const uint64_t offsets[] = {0, 3, 3, 8};
    const uint8_t tape[] = {'o', 'n', 'e', 'n', 'o', 'o', 'n', 'e'};
    trawl_record_array three = TRAWL_RECORD_ARRAY_INIT;
    trawl_matrix_batch batch = {};
    trawl_matrix_search *matrix = nullptr;
    const trawl_pattern pattern = {"one", 3};
    trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    trawl_stats stats = {};
    trawl_plan *plan = nullptr;
    std::vector<uint64_t> cells;
    const char *summary = nullptr;
    uint32_t engines = 0;

    options.algorithm = "rabin-karp-matrix";
    check(trawl_plan_build(&pattern, 1, &options, &plan, nullptr) == TRAWL_OK &&
              trawl_plan_facts(plan).engines == (1u << TRAWL_ENGINE_CPU | 1u << TRAWL_ENGINE_CUDA),
          "plan of an algorithm");
    three.bytes = tape;
    three.offsets = offsets;
    three.record_count = 3;
    batch.size = sizeof batch;
    check(trawl_matrix_open(searcher, plan, &three, TRAWL_MATRIX_CELLS, &matrix, nullptr) ==
              TRAWL_OK,
          "matrix");
    while (!batch.last && trawl_matrix_next(matrix, &batch, nullptr) == TRAWL_OK)
        for (uint64_t i = 0; i < batch.cell_count; i++)
            cells.push_back(batch.cell_records[i] * 10 + batch.cell_begins[i]);
    trawl_matrix_close(matrix);
    check(cells == std::vector<uint64_t>({0, 22}), "cells");
    stats.size = sizeof stats;
    check(trawl_searcher_stats(searcher, &stats, nullptr) == TRAWL_OK && stats.child_grids == 0 &&
              stats.text_bytes == sizeof tape && std::strcmp(stats.engine, "cpu") == 0,
          "stats");
    check(trawl_algorithm(0, &summary, &engines) != nullptr && std::strlen(summary) > 0 &&
              engines != 0,
          "algorithms");
    trawl_plan_free(plan);
}

int main()
{
    const char text_bytes[] = "abracadabra";
    const trawl_pattern patterns[] = {{"abra", 4}, {"a", 1}};
    trawl_plan_options plan_options = TRAWL_PLAN_OPTIONS_INIT;
    trawl_searcher_options searcher_options = TRAWL_SEARCHER_OPTIONS_INIT;
    trawl_plan *plan = nullptr;
    trawl_searcher *searcher = nullptr;
    trawl_text *text = nullptr;
    trawl_error error;
    std::vector<trawl_match> matches;
    uint64_t count = 0;

    searcher_options.engine = TRAWL_ENGINE_CPU;
    check(trawl_plan_build(patterns, 2, &plan_options, &plan, &error) == TRAWL_OK, "plan");
    check(trawl_searcher_open(&searcher_options, &searcher, &error) == TRAWL_OK, "searcher");
    check(trawl_text_from_memory(text_bytes, 11, &text, &error) == TRAWL_OK, "text");
    if (failures > 0)
        return 1;
    check(trawl_count(searcher, plan, text, &count, &error) == TRAWL_OK && count == 7, "count");
    check(trawl_positions(searcher, plan, text, keep, &matches, &error) == TRAWL_OK, "positions");
    check(matches.size() == 7 && matches[0].pattern_index == 0 && matches[1].pattern_index == 1 &&
              matches[5].begin == 7 && matches[5].end == 8 && matches[6].begin == 10,
          "matches");
    check(trawl_count(searcher, nullptr, text, &count, &error) == TRAWL_ARGUMENT &&
              error.status == TRAWL_ARGUMENT && std::strlen(error.message) > 0,
          "a NULL plan is refused");
    windows(searcher, plan, text);
    if (trawl_algorithm(0, nullptr, nullptr) != nullptr)
        records(searcher);
    trawl_text_close(text);
    trawl_searcher_close(searcher);
    trawl_plan_free(plan);
    check(std::strcmp(trawl_version(), TRAWL_VERSION) == 0, "version");
    std::printf("%d failed\n", failures);
    return failures == 0 ? 0 : 1;
}
